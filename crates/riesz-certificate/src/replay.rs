//! Takes the steps of a certificate one after the other, each where it says, if it is right.

use std::collections::BTreeMap;

use crate::build::built;
use crate::elaborate::{Scope, elaborate};
use crate::instance::{holds, instances};
use crate::law::LAWS;
use crate::parse::{Equal, Raw};
use crate::pattern::pattern;
use crate::read::{Action, Certificate, Place, Rewrite, Span};
use crate::same::same;
use crate::slide::slides;
use crate::term::{Bind, Family, Head, Space, Term, deep};
use crate::value::Values;
use crate::{Fault, Proof};

/// The most maps that equations may have together, and the most that all steps may look at.
const LARGEST: usize = 2_000_000;
const MOST: usize = 500_000_000;

/// Replays a certificate.
pub(crate) fn replay(certificate: &Certificate, mut values: Values) -> Result<Proof, Fault> {
    for value in &certificate.values {
        values.of.insert(value.name.clone(), value.of.clone());
        values.spaces.extend(value.space.clone().map(|space| (value.name.clone(), space)));
        values.definitions.extend(value.value.clone().map(|expr| (value.name.clone(), expr)));
    }
    let line = certificate.last_line;
    let at_first = |message: String| Fault { step: None, line: 1, message };
    let first = equations(&certificate.first, &certificate.from).map_err(at_first)?;
    let mut replay = Replay { state: first, values, laws: BTreeMap::new(), work: 0 };
    replay.learn();
    for (at, step) in certificate.steps.iter().enumerate() {
        let fault = |message: String| Fault { step: Some(at + 1), line: step.line, message };
        replay.step(&step.action).map_err(fault)?;
        replay.work += size(&replay.state);
        if replay.work > MOST {
            return Err(fault(format!("the steps up to here look at more than {MOST} maps")));
        }
    }
    let at_last = |message: &str| Fault { step: None, line, message: message.to_string() };
    let last = equations(&certificate.last, &certificate.from).map_err(|message| at_last(&message))?;
    if replay.state != last {
        return Err(at_last("the steps do not lead to the last equations"));
    }
    Ok(Proof {
        function: certificate.function.clone(),
        first: certificate.first.len(),
        last: certificate.last.len(),
        steps: certificate.steps.len(),
        laws: replay.laws.into_iter().collect(),
        values: certificate.values.len(),
        compared: replay.values.compared.get(),
    })
}

/// Equations as one form that binds their names.
fn equations(equations: &[(Option<String>, Equal)], from: &Space) -> Result<Term, String> {
    let Some(((None, Equal::Map(result)), names)) = equations.split_last() else {
        return Err("the equation `result = …` is missing".into());
    };
    elaborate(&Raw::Let(names.to_vec(), Box::new(result.clone())), from, &mut Vec::new())
}

struct Replay {
    state: Term,
    values: Values,
    laws: BTreeMap<String, usize>,
    /// How many maps the steps have looked at.
    work: usize,
}

impl Replay {
    /// An index that is chosen changes with what its value changes with.
    fn learn(&mut self) {
        let mut chosen: Vec<(String, Vec<String>)> = Vec::new();
        self.state.visit(&mut |map| {
            let Head::Let(binds) = &map.head else { return };
            for bind in binds {
                if let Bind::Value(name, value) = bind {
                    let mut of = Vec::new();
                    value.visit(&mut |name| of.push(name.to_string()));
                    chosen.push((name.clone(), of));
                }
            }
        });
        for (name, of) in chosen {
            let around: Vec<String> =
                of.iter().flat_map(|name| self.values.of.get(name).cloned().unwrap_or_default()).collect();
            self.values.of.entry(name).or_default().extend(of.into_iter().chain(around));
        }
    }

    fn step(&mut self, action: &Action) -> Result<(), String> {
        match action {
            Action::Rewrite(step) => {
                *self.laws.entry(step.law.clone()).or_default() += 1;
                self.rewrite(step)
            }
            Action::Put(name, place) => {
                *self.laws.entry("a name stands for its derivative".into()).or_default() += 1;
                self.within(place.as_ref(), &mut |map, _| without(map, name, true))
            }
            Action::Drop(name, place) => {
                *self.laws.entry("a name is not used".into()).or_default() += 1;
                self.within(place.as_ref(), &mut |map, _| without(map, name, false))
            }
            Action::Unwrap(place) => {
                *self.laws.entry("no names are left".into()).or_default() += 1;
                self.within(Some(place), &mut |map, _| match (&map.head, &map.children[..]) {
                    (Head::Let(binds), [result]) if binds.is_empty() => Ok(result.clone()),
                    _ => Err("the form there binds names".into()),
                })
            }
        }
    }

    /// The child of the equations that a place is in, and the way from there.
    fn path(&self, place: &Place) -> Result<Vec<usize>, String> {
        let Head::Let(binds) = &self.state.head else { return Err("there are no equations".into()) };
        let maps: Vec<&str> = binds.iter().filter_map(Bind::map).collect();
        let equation = match &place.equation {
            None => maps.len(),
            Some(wanted) => {
                let found = maps.iter().position(|name| name == wanted);
                found.ok_or_else(|| format!("there is no equation `D {wanted}`"))?
            }
        };
        Ok([equation].into_iter().chain(place.path.iter().copied()).collect())
    }

    /// Changes the map at a place; all equations where there is none.
    fn within(
        &mut self,
        place: Option<&Place>,
        f: &mut dyn FnMut(&Term, &mut Scope) -> Result<Term, String>,
    ) -> Result<(), String> {
        let path = place.map_or(Ok(Vec::new()), |place| self.path(place))?;
        self.state = changed(&self.state, &path, &mut Vec::new(), f)?;
        Ok(())
    }

    fn rewrite(&mut self, Rewrite { place, before, after, law: name, equation }: &Rewrite) -> Result<(), String> {
        let laws: Vec<_> = LAWS.iter().filter(|law| law.name == *name).collect();
        if laws.is_empty() {
            return Err(format!("there is no law `{name}`"));
        }
        let law = laws.into_iter().find(|law| law.to_string() == *equation);
        let law = law.ok_or_else(|| format!("the law `{name}` does not say `{equation}`"))?;
        let (left, right) = (pattern(law.left)?, pattern(law.right)?);
        let path = self.path(place)?;
        let values = &self.values;
        let mut looked = 0;
        let span = place.span;
        let state = changed(&self.state, &path, &mut Vec::new(), &mut |map, scope| {
            let part = part(map, span)?;
            let before = elaborate(before, &part.from, scope)?;
            if before != part {
                return Err("the left side does not stand there".into());
            }
            let after = elaborate(after, &part.from, scope)?;
            if !after.to.same(&part.to) {
                return Err("both sides lead to different spaces".into());
            }
            if law.slides {
                return match slides(&part, &after, values) {
                    true => Ok(spliced(map, span, after)),
                    false => Err("the sides differ in more than where their multiples stand".into()),
                };
            }
            let mut ways = instances(&left, &part, values);
            if ways.is_empty() {
                return Err(format!("the left side is no instance of `{}`", law.left));
            }
            ways.retain(|known| law.when.iter().all(|condition| holds(*condition, &part, known)));
            if ways.is_empty() {
                let when: String = law.when.iter().map(ToString::to_string).collect();
                return Err(format!("the law `{name}` holds only{when}"));
            }
            looked = ways.len() * size(&part);
            let proves = |known: &_| {
                let built = built(&right, &part.from, &part.to, known, values);
                built.is_some_and(|built| same(&built, &after, values))
            };
            match ways.iter().any(proves) {
                true => Ok(spliced(map, span, after)),
                false => Err(format!("the right side is not what `{}` gives", law.right)),
            }
        })?;
        self.state = state;
        self.work += looked;
        Ok(())
    }
}

/// The map with what `f` gives in place of the map at the end of a path, in the scope that is there.
fn changed(
    map: &Term,
    path: &[usize],
    scope: &mut Scope,
    f: &mut dyn FnMut(&Term, &mut Scope) -> Result<Term, String>,
) -> Result<Term, String> {
    deep(|| {
        let Some((at, rest)) = path.split_first() else { return f(map, scope) };
        let child = map.children.get(*at).ok_or("there is no such place")?;
        let before = scope.len();
        match &map.head {
            Head::Let(binds) => {
                let known = binds.iter().filter_map(Bind::map).zip(&map.children).take(*at);
                scope.extend(known.map(|(name, equal)| (name.to_string(), equal.from.clone(), equal.to.clone())));
            }
            Head::Loop(_, state, _, _) if *at == 1 => {
                scope.push((state.clone(), map.from.clone(), map.children[0].to.clone()));
            }
            _ => {}
        }
        let becomes = changed(child, rest, scope, f);
        scope.truncate(before);
        let mut children = map.children.clone();
        children[*at] = becomes?;
        Ok(map.with_children(children))
    })
}

/// A part of a map: some of its factors, or two of its terms.
fn part(map: &Term, span: Span) -> Result<Term, String> {
    const MISSING: &str = "there are no such factors or terms";
    match span {
        Span::Whole => Ok(map.clone()),
        Span::Factors(first, last) if map.head == Head::Compose => {
            let factors = map.children.get(first - 1..last).ok_or(MISSING)?;
            Ok(Term::chain(factors.to_vec(), &map.from))
        }
        Span::Terms(first, second) if map.head == Head::List(Family::Add) => {
            let term = |at: usize| map.children.get(at - 1).cloned();
            let terms = vec![term(first).ok_or(MISSING)?, term(second).ok_or(MISSING)?];
            Term::total(terms).ok_or_else(|| MISSING.to_string())
        }
        Span::Factors(..) | Span::Terms(..) => Err(MISSING.into()),
    }
}

/// The map with another in place of a part. A sum keeps the place of the first term.
fn spliced(map: &Term, span: Span, by: Term) -> Term {
    let mut children = map.children.clone();
    match span {
        Span::Whole => return by,
        Span::Factors(first, last) => drop(children.splice(first - 1..last, [by])),
        Span::Terms(first, second) => {
            children[first - 1] = by;
            children.remove(second - 1);
        }
    }
    map.with_children(children)
}

/// A form that binds names without one of them, which is put in the place of its name or is not used.
fn without(map: &Term, name: &str, put: bool) -> Result<Term, String> {
    let Head::Let(binds) = &map.head else { return Err("no names are bound there".into()) };
    let found = binds.iter().position(|bind| *bind == Bind::Map(name.to_string()));
    let at = found.ok_or_else(|| format!("`D {name}` is not bound there"))?;
    let child = binds[..at].iter().filter(|bind| matches!(bind, Bind::Map(_))).count();
    let (mut binds, mut children) = (binds.clone(), map.children.clone());
    binds.remove(at);
    let by = children.remove(child);
    let mut free: Vec<String> = Vec::new();
    by.visit(&mut |map| {
        map.exprs().iter().for_each(|expr| expr.visit(&mut |name| free.push(name.to_string())));
        free.extend(if let Head::Name(name) = &map.head { Some(format!("D {name}")) } else { None });
    });
    let used: usize = children[child..].iter().map(|other| uses(other, name)).sum();
    if put && used.saturating_mul(size(&by)).saturating_add(size(map)) > LARGEST {
        return Err(format!("the equations would have more than {LARGEST} maps"));
    }
    for other in &mut children[child..] {
        if put {
            *other = substituted(other, name, &by, &free)?;
        } else if used > 0 {
            return Err(format!("`D {name}` is used"));
        }
    }
    Ok(Term { head: Head::Let(binds), children, ..map.clone() })
}

/// How often a map speaks of a name.
fn uses(map: &Term, name: &str) -> usize {
    let mut found = 0;
    map.visit(&mut |map| found += usize::from(matches!(&map.head, Head::Name(other) if other == name)));
    found
}

/// How many maps a map is made of.
fn size(map: &Term) -> usize {
    let mut found = 0;
    map.visit(&mut |_| found += 1);
    found
}

/// The map with another in place of a name; `free` are the names in that, which nothing around may bind.
fn substituted(map: &Term, name: &str, by: &Term, free: &[String]) -> Result<Term, String> {
    if matches!(&map.head, Head::Name(other) if other == name) {
        return Ok(by.clone());
    }
    if map.children.is_empty() || uses(map, name) == 0 {
        return Ok(map.clone());
    }
    let derivatives: Vec<&str> = match &map.head {
        Head::Let(binds) => binds.iter().filter_map(Bind::map).collect(),
        Head::Loop(_, state, _, _) => vec![state],
        _ => Vec::new(),
    };
    if derivatives.contains(&name) {
        return Err(format!("`D {name}` is bound twice"));
    }
    let caught = |free: &String| match free.strip_prefix("D ") {
        Some(name) => derivatives.contains(&name),
        None => map.bound().contains(&free.as_str()),
    };
    if let Some(caught) = free.iter().find(|free| caught(free)) {
        return Err(format!("`{caught}` would mean something else there"));
    }
    let children = map.children.iter().map(|child| deep(|| substituted(child, name, by, free)));
    Ok(map.with_children(children.collect::<Result<_, _>>()?))
}
