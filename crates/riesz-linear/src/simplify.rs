//! Simplification: the law table as rewrites, until none applies.
//!
//! **The measure.** Maps are compared by a triple of natural numbers in lexicographic order: the cost of applying the map,
//! in which shared parts count as often as they occur; the length of its text; the number of numbers in it. A law is
//! applied only if its right side has a smaller measure than its left side. The measure of a map grows with those of its
//! parts, so every step makes the whole smaller and the simplification ends. No step makes a map more expensive to apply.
//!
//! **Sharing.** Applying a map applies shared parts once, which a measure of the whole term cannot see. A shared part is
//! therefore simplified once and stays shared: it is not merged into the sums and compositions around it, unless it is
//! short. If the result is nevertheless more expensive, the simplification is repeated without this exception, and if that
//! does not help, the map stays as it was.
//!
//! **Trials.** A few laws only prepare others: `m ∘ (n₁ ⋈ n₂) = (m ∘ n₁) ⋈ (m ∘ n₂)` is useful if `m ∘ n₁` becomes
//! simpler. Their right side is simplified first, and used if it is then smaller than the left side. In a map that is
//! short enough to be read, trials are made inside trials: a projection goes through the sum, the fork and the join in its
//! way.
//!
//! **Order.** Children come first. The factors of a chain are combined in pairs from the right, and the result of a pair
//! is combined with the next factor; so a chain of a million multiples becomes one in a million steps. Each term of a sum
//! is compared with the [`NEAR`] terms before it. Compositions of compositions and sums of sums are flattened without
//! being counted as steps.

mod sum;

use crate::fold::{ByAddress, shared_parts, visit};
use crate::language::Language;
use crate::law::{Case, Law};
use crate::map::{Form, LinearMap, Map};
use crate::measure::{Measure, measure};
use crate::numbers::Numbers;
use crate::rules::{Entry, RULES};
use sum::Sum;

/// How many of the terms before it a term of a sum is compared with; fewer in sums of hundreds.
const NEAR: usize = 32;

/// The longest composition that is opened although it is shared.
const SMALL: usize = 8;

/// How many trials may be inside of each other, in maps that people read.
const TRIALS: usize = 4;

/// How much there is to read at the most in such a map.
const READABLE: u64 = 2000;

/// How many tasks there may be in trials inside trials, before no more of them are begun.
const MOST_NESTED: usize = 20_000;

/// How many tasks there may be for each part of a map. Maps of nothing cost nothing, so that two laws can undo each other
/// there; everything else ends long before.
const MOST_TASKS: usize = 2000;

/// One use of a law.
#[derive(Clone)]
pub struct Step<L: Language = Numbers> {
    /// The law.
    pub law: &'static Law,
    /// The case of it.
    pub case: &'static Case,
    /// The part that was replaced: an instance of the law's left side.
    pub before: Map<L>,
    /// The replacement: the law's right side.
    pub after: Map<L>,
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {} by {}", self.before, self.after, self.law.name)
    }
}

impl LinearMap {
    /// An equal map that is simpler: no law of the table makes it simpler still, and applying it costs no more.
    pub fn simplify(&self) -> LinearMap {
        self.simplify_with_steps().0
    }

    /// The simplified map, and the laws that were used, in order.
    pub fn simplify_with_steps(&self) -> (LinearMap, Vec<Step>) {
        self.cheaper(1)
    }

    /// An equal map for people to read: if it is short enough for that, trials are made inside trials.
    pub fn legible(&self) -> LinearMap {
        self.cheaper(TRIALS).0
    }

    fn cheaper(&self, depth: usize) -> (LinearMap, Vec<Step>) {
        let work = self.cost().work();
        let cheaper = |(simple, _): &(LinearMap, Vec<Step>)| simple.cost().work() <= work;
        let found = [SMALL, 0].into_iter().find_map(|small| self.simplified(small, depth, &()).filter(cheaper));
        found.unwrap_or_else(|| (self.clone(), Vec::new()))
    }
}

impl<L: Language> Map<L> {
    /// The map as laws make it, and those laws, in order; none where there is no end to that.
    pub fn simplified_in(&self, context: &L::Context<'_>) -> Option<(Map<L>, Vec<Step<L>>)> {
        self.simplified(SMALL, TRIALS, context)
    }

    /// The map as laws make it, unless there is no end to that.
    fn simplified(&self, small: usize, depth: usize, context: &L::Context<'_>) -> Option<(Map<L>, Vec<Step<L>>)> {
        let (mut simple, mut steps) = Simplifier::new(self, small, depth, context).run(self)?;
        while !is_open(&simple) {
            let (simpler, more) = Simplifier::new(&simple, small, depth, context).run(&simple)?;
            simple = simpler;
            steps.extend(more);
        }
        Some((simple, steps))
    }
}

/// Whether no composition of compositions and no sum of sums is left but for sharing; simplification may have ended that.
fn is_open<L: Language>(map: &Map<L>) -> bool {
    let shared = if L::SHARES { shared_parts(map) } else { ByAddress::default() };
    let mut open = true;
    visit(map, |map| {
        open &= !map.children().iter().any(|child| {
            let alike = matches!(
                (map.form(), child.form()),
                (Form::Compose(_), Form::Compose(_)) | (Form::Add(_), Form::Add(_))
            );
            alike && !shared.contains_key(&child.address())
        });
    });
    open
}

/// Two factors, with the number of trials around theirs.
type Refused<L> = (Map<L>, Map<L>, usize);

struct Simplifier<'b, 'c, L: Language> {
    context: &'b L::Context<'c>,
    /// The parts that occur in more than one place of the term, with numbers that are smaller for parents than for
    /// children.
    shared: ByAddress<usize, usize>,
    /// The longest composition that is opened although it is shared.
    small: usize,
    /// The simplifications of maps, by address; the maps are kept so that no address is used again.
    known: ByAddress<usize, (Map<L>, Map<L>)>,
    measures: ByAddress<usize, (Map<L>, Measure)>,
    /// Pairs of factors that no trial has helped, with the number of trials around that one.
    refused: ByAddress<(usize, usize), Refused<L>>,
    /// The addresses that each trial has added, the innermost trial last.
    trials: Vec<Vec<usize>>,
    /// How many trials may be inside of each other.
    depth: usize,
    tasks: Vec<Task<L>>,
    results: Vec<Map<L>>,
    steps: Vec<Step<L>>,
}

enum Task<L: Language> {
    /// Leaves a simplified map among the results.
    Enter(Map<L>),
    /// All children are among the results.
    Rebuild(Map<L>),
    /// Notes that a map has become the last result.
    Remember(Map<L>),
    /// Goes on with a chain.
    Chain(Chain<L>),
    /// Goes on with a sum.
    Sum(Sum<L>),
    /// The last result is what became of a trial.
    Judge { entry: Entry, before: Map<L>, after: Map<L>, steps: usize },
}

/// The factors of a composition. The last of `done` is the leftmost that has met all others; the last of `rest` is next.
struct Chain<L: Language> {
    done: Vec<Map<L>>,
    rest: Vec<Part<L>>,
    waiting: bool,
}

enum Part<L: Language> {
    Raw(Map<L>),
    Simple(Map<L>),
}

impl<'b, 'c, L: Language> Simplifier<'b, 'c, L> {
    fn new(map: &Map<L>, small: usize, depth: usize, context: &'b L::Context<'c>) -> Simplifier<'b, 'c, L> {
        Simplifier {
            context,
            shared: if L::SHARES { shared_parts(map) } else { ByAddress::default() },
            small,
            known: ByAddress::default(),
            measures: ByAddress::default(),
            refused: ByAddress::default(),
            trials: Vec::new(),
            depth,
            tasks: Vec::new(),
            results: Vec::new(),
            steps: Vec::new(),
        }
    }

    fn run(mut self, map: &Map<L>) -> Option<(Map<L>, Vec<Step<L>>)> {
        let mut left = MOST_TASKS;
        visit(map, |part| left += MOST_TASKS * part.children().len());
        if self.measure(map).weight > READABLE {
            self.depth = 1;
        }
        let mut nested = 0;
        self.tasks.push(Task::Enter(map.clone()));
        while let Some(task) = self.tasks.pop() {
            left = left.checked_sub(1)?;
            nested += usize::from(self.trials.len() > 1);
            if nested > MOST_NESTED {
                self.depth = 1;
            }
            match task {
                Task::Enter(map) => self.enter(map),
                Task::Rebuild(map) => {
                    let children = self.results.split_off(self.results.len() - map.children().len());
                    let same = children.iter().zip(map.children()).all(|(new, old)| new.is(old));
                    self.settle(if same { map } else { map.with_children(children) });
                }
                Task::Remember(map) => {
                    if let Some(result) = self.results.last().cloned() {
                        if self.is_shared(&map) {
                            self.shared.insert(result.address(), 0);
                        }
                        self.learn(map, result);
                    }
                }
                Task::Chain(chain) => self.chain(chain),
                Task::Sum(sum) => self.sum(sum),
                Task::Judge { entry, before, after, steps } => self.judge(entry, before, after, steps),
            }
        }
        Some((self.results.pop().unwrap_or_else(|| map.clone()), self.steps))
    }

    fn enter(&mut self, map: Map<L>) {
        if let Some((_, result)) = self.known.get(&map.address()) {
            self.results.push(result.clone());
            return;
        }
        self.tasks.push(Task::Remember(map.clone()));
        match map.form() {
            Form::Compose(maps) => {
                let rest = maps.iter().cloned().map(Part::Raw).collect();
                self.tasks.push(Task::Chain(Chain { done: Vec::new(), rest, waiting: false }));
            }
            Form::Add(maps) => {
                let rest = maps.iter().rev().map(|map| (Part::Raw(map.clone()), None)).collect();
                self.tasks.push(Task::Sum(Sum { done: Vec::new(), rest, waiting: None }));
            }
            _ => {
                let children: Vec<Task<L>> = map.children().iter().rev().cloned().map(Task::Enter).collect();
                self.tasks.push(Task::Rebuild(map));
                self.tasks.extend(children);
            }
        }
    }

    /// A map whose children are simple: uses a law on it, or leaves it as a result.
    fn settle(&mut self, map: Map<L>) {
        match self.rewrite(&map) {
            Some((entry, after)) => {
                self.steps.push(entry.step(map, after.clone()));
                self.tasks.push(Task::Enter(after));
            }
            None => {
                let key = (map.address(), 0);
                if !matches!(map.form(), Form::Add(_) | Form::Compose(_))
                    && self.may_try(&key)
                    && let Some((entry, after)) = self.trial(&map)
                {
                    self.begin_trial(key, map.clone(), map.clone());
                    self.tasks.push(Task::Judge { entry, before: map, after: after.clone(), steps: self.steps.len() });
                    self.tasks.push(Task::Enter(after));
                    return;
                }
                self.learn(map.clone(), map.clone());
                self.results.push(map);
            }
        }
    }

    /// The first law that makes a map smaller.
    fn rewrite(&mut self, map: &Map<L>) -> Option<(Entry, Map<L>)> {
        riesz_limit::poll();
        RULES.for_form(map.form()).iter().find_map(|entry| Some((*entry, self.smaller(entry, map)?)))
    }

    /// The result that a law makes of a map, if it is smaller.
    fn smaller(&mut self, entry: &Entry, map: &Map<L>) -> Option<Map<L>> {
        let after = entry.rewrite(map, self.context)?;
        (self.measure(&after) < self.measure(map)).then_some(after)
    }

    fn chain(&mut self, mut chain: Chain<L>) {
        if chain.waiting
            && let Some(result) = self.results.pop()
        {
            chain.waiting = false;
            chain.rest.push(Part::Simple(result));
        }
        while let Some(part) = chain.rest.pop() {
            let outer = match part {
                Part::Raw(map) => {
                    if let Form::Compose(maps) = map.form()
                        && !self.is_shared(&map)
                    {
                        chain.rest.extend(maps.iter().cloned().map(Part::Raw));
                        continue;
                    }
                    chain.waiting = true;
                    self.tasks.push(Task::Chain(chain));
                    self.tasks.push(Task::Enter(map));
                    return;
                }
                Part::Simple(map) => map,
            };
            if let Form::Compose(maps) = outer.form()
                && (maps.len() <= self.small || !self.is_shared(&outer))
            {
                chain.rest.extend(maps.iter().cloned().map(Part::Simple));
                continue;
            }
            let Some(inner) = chain.done.last() else {
                chain.done.push(outer);
                continue;
            };
            let key = (outer.address(), inner.address());
            let pair = Map::composed(vec![outer.clone(), inner.clone()]);
            if let Some((entry, after)) = self.rewrite(&pair) {
                self.steps.push(entry.step(pair, after.clone()));
                self.replace_last(chain, Task::Enter(after), None);
                return;
            }
            if self.may_try(&key)
                && let Some((entry, after)) = self.trial(&pair)
            {
                self.begin_trial(key, outer.clone(), inner.clone());
                let judge = Task::Judge { entry, before: pair, after: after.clone(), steps: self.steps.len() };
                self.replace_last(chain, Task::Enter(after), Some(judge));
                return;
            }
            chain.done.push(outer);
        }
        chain.done.reverse();
        let pairs_only = chain.done.len() == 2;
        let whole = Map::composed(chain.done);
        if pairs_only || !matches!(whole.form(), Form::Compose(_)) {
            self.learn(whole.clone(), whole.clone());
            self.results.push(whole);
        } else {
            self.settle(whole);
        }
    }

    /// Waits for what becomes of the outer two factors that have met.
    fn replace_last(&mut self, mut chain: Chain<L>, enter: Task<L>, judge: Option<Task<L>>) {
        chain.done.pop();
        chain.waiting = true;
        self.tasks.push(Task::Chain(chain));
        self.tasks.extend(judge);
        self.tasks.push(enter);
    }

    fn trial(&mut self, pair: &Map<L>) -> Option<(Entry, Map<L>)> {
        let trials = match pair.form() {
            Form::Add(_) => &RULES.trials_of_sums,
            Form::Compose(_) => &RULES.trials,
            _ => &RULES.trials_of_families,
        };
        trials.iter().find_map(|entry| Some((*entry, entry.rewrite(pair, self.context)?)))
    }

    /// Whether no trial of a pair has failed that was inside of as few others, and it would not be inside of too many.
    fn may_try(&self, key: &(usize, usize)) -> bool {
        let depth = self.trials.len();
        depth < self.depth && self.refused.get(key).is_none_or(|(.., refused)| *refused > depth)
    }

    fn begin_trial(&mut self, key: (usize, usize), outer: Map<L>, inner: Map<L>) {
        self.refused.insert(key, (outer, inner, self.trials.len()));
        self.trials.push(Vec::new());
    }

    fn judge(&mut self, entry: Entry, before: Map<L>, after: Map<L>, steps: usize) {
        for address in self.trials.pop().into_iter().flatten() {
            self.known.remove(&address);
        }
        let Some(result) = self.results.pop() else { return };
        if self.measure(&result) < self.measure(&before) {
            self.steps.insert(steps, entry.step(before, after));
            self.tasks.push(Task::Enter(result));
        } else {
            self.steps.truncate(steps);
            self.results.push(before);
        }
    }

    fn is_shared(&self, map: &Map<L>) -> bool {
        self.shared.contains_key(&map.address())
    }

    fn learn(&mut self, map: Map<L>, result: Map<L>) {
        let address = map.address();
        if let Some(tentative) = self.trials.last_mut()
            && !self.known.contains_key(&address)
        {
            tentative.push(address);
        }
        self.known.insert(address, (map, result));
    }

    fn measure(&mut self, map: &Map<L>) -> Measure {
        let mut tasks = vec![map];
        while let Some(next) = tasks.last().copied() {
            let before = tasks.len();
            let unknown = next.children().iter().filter(|child| !self.measures.contains_key(&child.address()));
            tasks.extend(unknown);
            if tasks.len() == before {
                tasks.pop();
                let measure = self.measure_of(next);
                if next.is(map) {
                    return measure;
                }
                self.measures.insert(next.address(), (next.clone(), measure));
            }
        }
        self.measure_of(map)
    }

    /// The measure of a map, from those of its children.
    fn measure_of(&self, map: &Map<L>) -> Measure {
        let mut total = measure(map);
        let times = L::repetitions(map);
        for child in map.children() {
            if let Some((_, measure)) = self.measures.get(&child.address()) {
                total.work = total.work.saturating_add(measure.work.saturating_mul(times));
                total.weight = total.weight.saturating_add(measure.weight);
                total.storage = total.storage.saturating_add(measure.storage);
            }
        }
        total
    }
}
