//! Simplification: the laws of linear maps on the equations of a derivative.
//!
//! Every map is simplified only by the rows of [`riesz_linear::law`], and each step names the row that it applied. This
//! module inserts derivatives that are used once, or are short, in place of their names.

use super::build::Derivative;
use super::scope::Scope;
use super::term::{
    Expr, Extra, Form, Item, Kind, Name, Part, Term, bound, derivative_of, extra, map_children, map_exprs, substitute,
    visit, visit_derivatives, weight,
};
use riesz_core::term::Var;
use riesz_linear::law::{Case, Law};
use rustc_hash::{FxHashMap, FxHashSet};

/// One step.
#[derive(Clone)]
pub(crate) struct Rewriting {
    /// The law behind it, and the case of it that fired; none where a derivative stands in the place of its name.
    pub law: Option<(&'static Law, &'static Case)>,
    pub before: Term,
    pub after: Term,
}

/// The events of a simplification, in order.
#[derive(Clone)]
pub(crate) enum Event {
    /// Goes on inside a form that binds names, the first with these.
    Open(Vec<Name>),
    /// Is done with that.
    Close,
    /// Goes on inside an equation, or the map that equations are for.
    Begin(Option<Var>),
    /// Is done with that, which has become this.
    End(Term),
    /// Takes the step of a number.
    Step(usize),
    /// Puts a derivative in the place of its name.
    Put(Var),
    /// Drops a derivative that nothing uses.
    Drop(Var),
}

/// How long a derivative that is used more than once may be to stand in the place of its name.
const SHORT: usize = 6;
/// How long a derivative may become in all.
const LONGEST: usize = 4000;
/// How many steps a simplification may take, and how long they may be together.
const MOST_STEPS: usize = 10_000;
const MOST_WORK: usize = 1_000_000;

/// Simplifies equations.
pub(crate) struct Simplifier<'s, 'p> {
    scope: &'s Scope<'p>,
    pub steps: Vec<Rewriting>,
    pub events: Vec<Event>,
    /// How long the steps are together.
    work: usize,
}

impl<'s, 'p> Simplifier<'s, 'p> {
    pub fn new(scope: &'s Scope<'p>) -> Simplifier<'s, 'p> {
        Simplifier { scope, steps: Vec::new(), events: Vec::new(), work: 0 }
    }

    /// The derivative with as few equations as are worth a name.
    pub fn simplify(&mut self, derivative: Derivative) -> Derivative {
        let Derivative { items, result } = self.tidy(derivative);
        let (items, result) = self.equations(items, result);
        Derivative { items, result }
    }

    /// The derivative with values that have no name written out.
    pub fn tidy(&self, derivative: Derivative) -> Derivative {
        let Derivative { items, result } = derivative;
        let tidy = |map: &Term| map_exprs(map, &|expr| self.scope.tidy(expr));
        let items = items.iter().map(|item| match item {
            Item::Map(var, map) => Item::Map(*var, tidy(map)),
            Item::Value(var, value) => Item::Value(*var, self.scope.tidy(value)),
        });
        Derivative { items: items.collect(), result: tidy(&result) }
    }

    /// Simplifies equations and the map they are for, and puts derivatives in the place of their names.
    fn equations(&mut self, mut items: Vec<Item>, mut result: Term) -> (Vec<Item>, Term) {
        let mut done: FxHashSet<Var> = FxHashSet::default();
        loop {
            for item in &mut items {
                if let Item::Map(var, map) = item
                    && done.insert(*var)
                {
                    *map = self.equation(Some(*var), map);
                }
            }
            result = self.equation(None, &result);
            let mut uses = Uses::default();
            items.iter().filter_map(Item::map).for_each(|(_, map)| uses.add(map));
            uses.add(&result);
            let uses_of = |var: &Var| uses.all.get(var).copied().unwrap_or(0);
            let unused = |item: &Item| matches!(item, Item::Map(var, _) if uses_of(var) == 0);
            for item in items.iter().filter(|item| unused(item)) {
                self.events.extend(item.map().map(|(var, _)| Event::Drop(var)));
            }
            items.retain(|item| !unused(item));
            let total = |items: &[Item]| -> usize {
                items.iter().map(|item| if let Item::Map(_, map) = item { weight(map) } else { 0 }).sum()
            };
            // Those used once first: what becomes of them may be shorter. A loop keeps its name where something is done with it.
            let whole = |var: &Var| derivative_of(&result) == Some(*var);
            let once = items.iter().position(|item| match item {
                Item::Map(var, map) => uses_of(var) == 1 && (!is_loop(map) || whole(var)),
                Item::Value(..) => false,
            });
            let short = || {
                items.iter().position(|item| match item {
                    Item::Map(var, map) => is_short(map) || uses.select_from(*var, map),
                    Item::Value(..) => false,
                })
            };
            let Some(at) = once.or_else(short).filter(|_| total(&items) + weight(&result) < LONGEST) else {
                return (items, result);
            };
            let Item::Map(var, map) = items.remove(at) else { unreachable!("only derivatives are chosen") };
            self.events.push(Event::Put(var));
            for item in &mut items {
                if let Item::Map(name, other) = item
                    && let Some(becomes) = self.put(other, var, &map)
                {
                    *other = becomes;
                    done.remove(name);
                }
            }
            if let Some(becomes) = self.put(&result, var, &map) {
                result = becomes;
            }
        }
    }

    /// A map in the place of its name; none where the name is not used.
    fn put(&mut self, into: &Term, var: Var, map: &Term) -> Option<Term> {
        let mut used = false;
        visit_derivatives(into, &mut |found| used |= found == var);
        if !used {
            return None;
        }
        if !matches!(map.form(), Form::Identity | Form::Project(Part::Component(..))) {
            let before = extra(map.domain(), map.codomain(), Kind::Derivative(var), Vec::new());
            self.steps.push(Rewriting { law: None, before, after: map.clone() });
        }
        Some(substitute(into, var, map))
    }

    /// Simplifies the map of an equation, or that which the equations are for.
    fn equation(&mut self, name: Option<Var>, map: &Term) -> Term {
        self.events.push(Event::Begin(name));
        let simple = self.term(map);
        self.events.push(Event::End(simple.clone()));
        simple
    }

    /// Simplifies a map, the equations inside it first.
    fn term(&mut self, map: &Term) -> Term {
        let open = self.open(map);
        if self.steps.len() >= MOST_STEPS || self.work >= MOST_WORK {
            return open;
        }
        let Some((simple, steps)) = open.simplified_in(self.scope) else { return open };
        for step in steps {
            self.work += weight(&step.before) + weight(&step.after);
            self.events.push(Event::Step(self.steps.len()));
            self.steps.push(Rewriting { law: Some((step.law, step.case)), before: step.before, after: step.after });
        }
        simple
    }

    /// The map with the equations inside it simplified.
    fn open(&mut self, map: &Term) -> Term {
        let mut binds = false;
        visit(map, &mut |map| binds |= matches!(map.form(), Form::Extra(Extra { kind: Kind::Let(_), .. })));
        if !binds {
            return map.clone();
        }
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            if let Form::Extra(extra) = map.form()
                && let Some((items, result)) = extra.items()
            {
                if let Kind::Let(names) = &extra.kind {
                    self.events.push(Event::Open(names.clone()));
                }
                let (items, result) = self.equations(items, result.clone());
                self.events.push(Event::Close);
                return bound(items, result);
            }
            map_children(map, &mut |child| self.open(child))
        })
    }
}

/// How often maps use each derivative.
#[derive(Default)]
struct Uses {
    all: FxHashMap<Var, usize>,
    /// Those of which a projection takes one component.
    projected: FxHashMap<Var, usize>,
}

impl Uses {
    fn add(&mut self, map: &Term) {
        visit_derivatives(map, &mut |var| *self.all.entry(var).or_default() += 1);
        visit(map, &mut |map| {
            let Form::Compose(maps) = map.form() else { return };
            for pair in maps.windows(2) {
                if let (Form::Project(Part::Component(..)), Some(var)) = (pair[0].form(), derivative_of(&pair[1])) {
                    *self.projected.entry(var).or_default() += 1;
                }
            }
        });
    }

    /// Whether every use of this fork takes one of its maps: in place of its name, it is not written more often.
    fn select_from(&self, var: Var, map: &Term) -> bool {
        matches!(map.form(), Form::Fork(_)) && self.projected.get(&var) == self.all.get(&var)
    }
}

fn is_loop(map: &Term) -> bool {
    matches!(map.form(), Form::Extra(Extra { kind: Kind::Loop { .. }, .. }))
}

/// Whether a derivative is as easily read as its name.
fn is_short(map: &Term) -> bool {
    match map.form() {
        Form::Zero | Form::Identity | Form::Project(Part::Component(..) | Part::Element(Expr::Atom(_))) => true,
        Form::Scale(k) => k.weight() < SHORT,
        Form::Compose(maps) => match &maps[..] {
            [outer, inner] => {
                let parts = (outer.form(), inner.form());
                matches!(parts, (Form::Project(_), Form::Project(Part::Component(..))))
            }
            _ => false,
        },
        _ => derivative_of(map).is_some(),
    }
}
