//! Loops that carry variables, as sums and arrays where their bodies show that they are.
//!
//! ```text
//! for i < n: s = s + e(i)               s + sum(e(i) | i < n)
//! for i < n: v[i] = e(i)                [e(i) | i < n]                      where n is the length of v
//! for i < n: v[a + i] = e(i)            concat(slice(v, 0, a), [e(i) | i < n], slice(v, a + n, size(v)))
//! for i < n: v[p(i)] += e(i)            v + scatter_add(size(v), [p(i) | i < n], [e(i) | i < n])
//! for i < n: v.push(e(i))               concat(v, [e(i) | i < n])
//! for j < n: m[i][j] = e(j)             m[i] = (for j < n: row[j] = e(j))   where row = m[i]
//! ```
//!
//! In each equation, the carried variable is read by nothing else in the body, but that an element may read itself. A loop
//! is rewritten only if all the variables that it carries can be: the iterations are then independent of each other, and
//! derivatives need no residuals of the state.

mod local;

use crate::lower::{Lower, VarId};
use crate::term::{Block, Iteration, Let, Name, PlaceId, Term};
use crate::types::Ty;
use local::{first_update, local, localised, start_of};
use std::collections::HashSet;

/// A variable that a loop assigns.
#[derive(Clone)]
pub(crate) struct Carried {
    pub var: VarId,
    /// Its name at the start of an iteration.
    pub state: Name,
    /// Its value before the loop.
    pub start: Term,
    /// Its value at the end of an iteration.
    pub result: Term,
    pub ty: Ty,
}

/// The effect of the loop on a variable.
enum Effect {
    /// Adds a term.
    Sum(Term),
    /// Gives the element that the index leads to, `first + index`, a value.
    Build { first: Term, value: Term },
    /// Adds a term to an element.
    Scatter { at: Term, value: Term },
    /// Appends an element.
    Push(Term),
}

/// Writes a loop, and gives the values of the variables behind it.
pub(crate) fn write(
    lower: &mut Lower,
    carried: Vec<Carried>,
    iteration: Iteration,
    place: PlaceId,
) -> Vec<(VarId, Term, Ty)> {
    let Iteration { index, count, body } = iteration;
    if carried.is_empty() {
        return Vec::new();
    }
    if let Some(done) = localised(lower, &carried, &index, &count, &body, place) {
        return done;
    }
    let mut lets = body.lets.clone();
    let mut effects = Vec::new();
    for one in &carried {
        let Some((changed, effect)) = effect(lower, one, &index, &lets) else {
            return general(lower, carried, index, *count, body.lets, place);
        };
        lets = changed;
        effects.push(effect);
    }
    // Nothing may read the state that has been taken out, or what led to its next value.
    let rest = Block { lets: lets.clone(), result: Term::Tuple(effects.iter().flat_map(Effect::terms).collect()) };
    if carried.iter().any(|one| rest.mentions(&one.state)) || reads_removed(&body, &rest) {
        return general(lower, carried, index, *count, body.lets, place);
    }
    parallel(lower, carried, effects, index, *count, lets, place)
}

impl Effect {
    fn terms(&self) -> Vec<Term> {
        match self {
            Effect::Sum(value) | Effect::Push(value) => vec![value.clone()],
            Effect::Build { first, value } => vec![first.clone(), value.clone()],
            Effect::Scatter { at, value } => vec![at.clone(), value.clone()],
        }
    }
}

/// Whether a body reads a name that another form of it binds, and it does not.
fn reads_removed(before: &Block, after: &Block) -> bool {
    let (mut was, mut is) = (HashSet::new(), HashSet::new());
    bound(before, &mut was);
    bound(after, &mut is);
    let mut found = false;
    after.each(&mut |term| {
        if let Term::Name(name) = term {
            found |= was.contains(name) && !is.contains(name);
        }
    });
    found
}

/// The names that a block binds, also inside of its expressions.
fn bound(block: &Block, names: &mut HashSet<Name>) {
    names.extend(block.lets.iter().flat_map(|binding| binding.names.iter().cloned()));
    let mut blocks = Vec::new();
    block.each(&mut |term| match term {
        Term::If(_, yes, no) => blocks.extend([yes.clone(), no.clone()]),
        Term::Build(iteration) | Term::Reduce(_, iteration) | Term::Loop { iteration, .. } => {
            names.insert(iteration.index.clone());
            blocks.push(iteration.body.clone());
        }
        Term::While { condition, body, .. } => blocks.extend([condition.clone(), body.clone()]),
        Term::Scope(block) => blocks.push(block.clone()),
        _ => {}
    });
    block.each(&mut |term| {
        if let Term::Loop { state, .. } | Term::While { state, .. } = term {
            names.extend(state.iter().cloned());
        }
    });
    for block in blocks {
        names.extend(block.lets.iter().flat_map(|binding| binding.names.iter().cloned()));
    }
}

fn general(
    lower: &mut Lower,
    carried: Vec<Carried>,
    index: Name,
    count: Term,
    lets: Vec<Let>,
    place: PlaceId,
) -> Vec<(VarId, Term, Ty)> {
    let carried: Vec<Carried> = carried.into_iter().map(|one| lower.in_range(one, &lets)).collect();
    let names: Vec<Name> = carried.iter().map(|one| lower.fresh(&one.state)).collect();
    let result = Term::tuple(carried.iter().map(|one| one.result.clone()).collect());
    let term = Term::Loop {
        state: carried.iter().map(|one| one.state.clone()).collect(),
        start: carried.iter().map(|one| one.start.clone()).collect(),
        iteration: Iteration { index, count: count.into(), body: Block { lets, result }.into() },
    };
    lower.emit(names.clone(), term, place);
    carried.into_iter().zip(names).map(|(one, name)| (one.var, Term::Name(name), one.ty)).collect()
}

fn parallel(
    lower: &mut Lower,
    carried: Vec<Carried>,
    effects: Vec<Effect>,
    index: Name,
    count: Term,
    lets: Vec<Let>,
    place: PlaceId,
) -> Vec<(VarId, Term, Ty)> {
    let mut results = Vec::new();
    let iterate = |result: Term| {
        let body = Block { lets: lets.clone(), result };
        Iteration { index: index.clone(), count: count.clone().into(), body: body.into() }
    };
    // The sums are one sum of a tuple, so that what they share is computed once.
    let sums: Vec<Term> = effects
        .iter()
        .filter_map(|effect| if let Effect::Sum(value) = effect { Some(value.clone()) } else { None })
        .collect();
    let is_sum = |(one, effect): (&Carried, &Effect)| matches!(effect, Effect::Sum(_)).then(|| zero_of(&one.ty));
    let zeros: Vec<Term> = carried.iter().zip(&effects).filter_map(is_sum).collect();
    let mut totals = Vec::new();
    if !sums.is_empty() {
        totals = sums.iter().map(|_| lower.fresh("sum")).collect();
        let zero = Term::tuple(zeros);
        let term = lower.reduced("sum", iterate(Term::tuple(sums)), zero);
        lower.emit(totals.clone(), term, place);
    }
    let mut totals = totals.into_iter();
    for (one, effect) in carried.into_iter().zip(effects) {
        let Carried { var, state, start, ty, .. } = one;
        let (term, ty) = match effect {
            Effect::Sum(_) => {
                let total = totals.next().map_or(Term::Unset, Term::Name);
                (if is_zero(&start) { total } else { Term::binary("+", start, total) }, ty)
            }
            Effect::Push(value) => {
                let empty = matches!(&start, Term::Name(name) if lower.is_empty_array(name));
                let array = lower.built(iterate(value));
                let element = match ty {
                    Ty::Array(element, _) => element,
                    other => Box::new(other),
                };
                let length = if empty && count.is_atom() { count.clone() } else { Term::Unset };
                let term = if empty { array } else { Term::call("concat", [start, array]) };
                (term, Ty::Array(element, Box::new(length)))
            }
            Effect::Scatter { at, value } => {
                let length = length_of(&start, &ty);
                let (at, value) = (lower.built(iterate(at)), lower.built(iterate(value)));
                (Term::binary("+", start, Term::call("scatter_add", [length, at, value])), ty)
            }
            Effect::Build { first, value } => {
                let length = length_of(&start, &ty);
                let array = Term::Build(iterate(value));
                let whole = first == Term::Int(0) && length == count;
                (if whole { array } else { spliced(start, first, count.clone(), length, array) }, ty)
            }
        };
        let name = lower.fresh(&state);
        lower.emit(vec![name.clone()], term, place);
        results.push((var, Term::Name(name), ty));
    }
    results
}

/// An array with a part of it replaced by another.
fn spliced(array: Term, first: Term, count: Term, length: Term, part: Term) -> Term {
    let end = Term::binary("+", first.clone(), count.clone());
    let mut pieces = Vec::new();
    if first != Term::Int(0) {
        pieces.push(Term::call("slice", [array.clone(), Term::Int(0), first]));
    }
    pieces.push(part);
    pieces.push(Term::call("slice", [array.clone(), end, length]));
    let changed = Block { lets: Vec::new(), result: Term::call("concat", pieces) };
    let same = Block { lets: Vec::new(), result: array };
    Term::If(Term::binary(">", count, Term::Int(0)).into(), changed.into(), same.into())
}

fn length_of(array: &Term, ty: &Ty) -> Term {
    match ty {
        Ty::Array(_, length) if **length != Term::Unset => (**length).clone(),
        _ => Term::call("size", [array.clone()]),
    }
}

fn zero_of(ty: &Ty) -> Term {
    if *ty == Ty::Float { Term::Real(0.0) } else { Term::Int(0) }
}

fn is_zero(term: &Term) -> bool {
    matches!(term, Term::Int(0)) || *term == Term::Real(0.0)
}

/// The effect of a body on one variable, and the bindings of the body without it.
fn effect(lower: &mut Lower, one: &Carried, index: &Name, lets: &[Let]) -> Option<(Vec<Let>, Effect)> {
    match &one.ty {
        Ty::Float | Ty::Int(_) => {
            let mut lets = lets.to_vec();
            let value = taken_out(lower, &mut lets, &one.state, &one.result)?;
            Some((lets, Effect::Sum(value)))
        }
        Ty::Array(element, _) => {
            if let Term::Name(name) = &one.result
                && let Some(at) = defined(lets, name)
            {
                match &lets[at].value {
                    Term::Push(array, value) if is(array, &one.state) => {
                        let mut rest = lets.to_vec();
                        rest.remove(at);
                        return Some((rest, Effect::Push((**value).clone())));
                    }
                    // `v[p] = v[p] + e`
                    Term::Update(array, path, value)
                        if is(array, &one.state) && path.len() == 1 && **element == Ty::Float =>
                    {
                        let own = Term::Index(array.clone(), path.clone());
                        let added = match &**value {
                            Term::Binary("+", old, new) if **old == own => Some((**new).clone()),
                            Term::Binary("-", old, new) if **old == own => Some(Term::Unary("-", new.clone())),
                            _ => None,
                        };
                        let by_index = start_of(&path[0], index, lets).is_some();
                        if let (Some(value), false) = (added, by_index) {
                            let mut rest = lets.to_vec();
                            rest.remove(at);
                            return Some((rest, Effect::Scatter { at: path[0].clone(), value }));
                        }
                    }
                    _ => {}
                }
            }
            let place = first_update(lets, &one.state)?;
            let first = start_of(&place, index, lets)?;
            let own = Term::Index(one.start.clone().into(), vec![place.clone()]);
            let (lets, value) = local(lower, lets, &one.state, &place, own, &one.result)?;
            Some((lets, Effect::Build { first, value }))
        }
        _ => None,
    }
}

/// The term that is added to a variable on the way to a result, with the additions removed from the bindings.
fn taken_out(lower: &mut Lower, lets: &mut Vec<Let>, state: &Name, result: &Term) -> Option<Term> {
    let Term::Name(name) = result else { return None };
    if name == state {
        return Some(Term::Int(0));
    }
    let at = defined(lets, name)?;
    let component = lets[at].names.iter().position(|other| other == name)?;
    match lets[at].value.clone() {
        Term::Binary("+", left, right) if lets[at].names.len() == 1 => {
            let (old, new) = match (reaches(lets, state, &left), reaches(lets, state, &right)) {
                (true, false) => (left, right),
                (false, true) => (right, left),
                _ => return None,
            };
            lets.remove(at);
            let before = taken_out(lower, lets, state, &old)?;
            Some(if is_zero(&before) { *new } else { Term::binary("+", before, *new) })
        }
        Term::Binary("-", left, right) if lets[at].names.len() == 1 && reaches(lets, state, &left) => {
            lets.remove(at);
            let before = taken_out(lower, lets, state, &left)?;
            Some(match is_zero(&before) {
                true => Term::Unary("-", right),
                false => Term::binary("-", before, *right),
            })
        }
        Term::If(condition, yes, no) => {
            let count = lets[at].names.len();
            // Both branches add to the same name: the state, or what has been added up before.
            let mut bases: Vec<Name> = vec![state.clone()];
            bases.extend(lets[..at].iter().flat_map(|binding| binding.names.iter().cloned()));
            let adds = |lower: &mut Lower, base: &Name| {
                let mut blocks = [yes.clone(), no.clone()];
                for block in &mut blocks {
                    let result = part(&block.result, component, count)?;
                    let added = taken_out(lower, &mut block.lets, base, &result)?;
                    set_part(&mut block.result, component, count, added);
                }
                Some(blocks)
            };
            let (base, [yes, no]) = bases.iter().rev().find_map(|base| Some((base, adds(lower, base)?)))?;
            let fresh = lower.fresh(name);
            lets[at].names[component] = fresh.clone();
            lets[at].value = Term::If(condition, yes, no);
            let before = taken_out(lower, lets, state, &Term::Name(base.clone()))?;
            Some(if is_zero(&before) { Term::Name(fresh) } else { Term::binary("+", before, Term::Name(fresh)) })
        }
        _ => None,
    }
}

/// Whether a term is the state or a name that additions to it lead to.
fn reaches(lets: &[Let], state: &Name, term: &Term) -> bool {
    let Term::Name(name) = term else { return false };
    if name == state {
        return true;
    }
    let Some(at) = defined(lets, name) else { return false };
    match &lets[at].value {
        Term::Binary("+", left, right) => reaches(lets, state, left) || reaches(lets, state, right),
        Term::Binary("-", left, _) => reaches(lets, state, left),
        Term::If(_, yes, no) => yes.mentions(state) || no.mentions(state),
        _ => false,
    }
}

fn part(result: &Term, at: usize, count: usize) -> Option<Term> {
    match result {
        term if count == 1 => Some(term.clone()),
        Term::Tuple(parts) if parts.len() == count => parts.get(at).cloned(),
        _ => None,
    }
}

fn set_part(result: &mut Term, at: usize, count: usize, value: Term) {
    match result {
        term if count == 1 => *term = value,
        Term::Tuple(parts) => parts[at] = value,
        _ => {}
    }
}

fn defined(lets: &[Let], name: &Name) -> Option<usize> {
    lets.iter().position(|binding| binding.names.contains(name))
}

fn is(term: &Term, name: &Name) -> bool {
    matches!(term, Term::Name(other) if other == name)
}
