//! Loops over one element of an array: where every access to an array has one first index, the element that it leads to
//! takes the place of the array.

use super::{Carried, defined, is, part, reads_removed, write};
use crate::lower::{Lower, VarId};
use crate::term::{Block, Iteration, Let, Name, PlaceId, Term};
use crate::types::Ty;

/// The index of the first element of a variable that a body assigns.
pub(super) fn first_update(lets: &[Let], state: &Name) -> Option<Term> {
    let mut found = None;
    for binding in lets {
        binding.value.each(&mut |term| {
            if let Term::Update(array, path, _) = term
                && is(array, state)
                && found.is_none()
            {
                found = path.first().cloned();
            }
        });
    }
    found
}

/// The first value of a term that is a constant and the index of the loop.
pub(super) fn start_of(term: &Term, index: &Name, lets: &[Let]) -> Option<Term> {
    if is(term, index) {
        return Some(Term::Int(0));
    }
    let Term::Name(name) = term else { return None };
    match &lets[defined(lets, name)?].value {
        Term::Binary("+", first, by) if is(by, index) && is_outside(first, lets) => Some((**first).clone()),
        _ => None,
    }
}

fn is_outside(term: &Term, lets: &[Let]) -> bool {
    match term {
        Term::Int(_) => true,
        Term::Name(name) => defined(lets, name).is_none(),
        _ => false,
    }
}

/// The body in which one element of an array takes the place of the array: every access must be to that element.
pub(super) fn local(
    lower: &mut Lower,
    lets: &[Let],
    state: &Name,
    place: &Term,
    own: Term,
    result: &Term,
) -> Option<(Vec<Let>, Term)> {
    let mut elements = vec![(state.clone(), own)];
    let lets = localise(lower, lets, place, &mut elements)?;
    let Term::Name(name) = result else { return None };
    let (_, element) = elements.iter().rev().find(|(known, _)| known == name)?;
    Some((lets, element.clone()))
}

/// Bindings in which accesses to arrays are accesses to their elements. `elements` has the arrays and what stands for them.
fn localise(lower: &mut Lower, lets: &[Let], place: &Term, elements: &mut Vec<(Name, Term)>) -> Option<Vec<Let>> {
    let mut written = Vec::new();
    for binding in lets {
        let mut binding = binding.clone();
        match binding.value.clone() {
            Term::Update(array, path, mut value) if names_one(&array, elements) => {
                if path.first() != Some(place) || !path.iter().skip(1).all(|index| is_free(index, elements)) {
                    return None;
                }
                replace(&mut value, place, elements)?;
                let old = element_of(&array, elements)?;
                let new = match path.len() {
                    1 => *value,
                    _ => {
                        let old = match old {
                            Term::Name(_) => old,
                            old => {
                                let name = lower.fresh("e");
                                written.push(Let { names: vec![name.clone()], value: old, place: binding.place });
                                Term::Name(name)
                            }
                        };
                        Term::Update(old.into(), path[1..].to_vec(), value)
                    }
                };
                let name = lower.fresh("e");
                elements.push((binding.names[0].clone(), Term::Name(name.clone())));
                binding.names = vec![name];
                binding.value = new;
                written.push(binding);
            }
            Term::If(mut condition, yes, no) => {
                replace(&mut condition, place, elements)?;
                let count = binding.names.len();
                let mut chained = vec![false; count];
                let mut blocks = Vec::new();
                for block in [yes, no] {
                    let mut inside = elements.clone();
                    let lets = localise(lower, &block.lets, place, &mut inside)?;
                    let mut results = Vec::new();
                    for (at, is_chained) in chained.iter_mut().enumerate() {
                        let mut result = part(&block.result, at, count)?;
                        match element_of(&result, &inside) {
                            Some(element) => {
                                *is_chained = true;
                                results.push(element);
                            }
                            None => {
                                replace(&mut result, place, &inside)?;
                                results.push(result);
                            }
                        }
                    }
                    blocks.push((Block { lets, result: Term::tuple(results) }, chained.clone()));
                }
                let (no, after_no) = blocks.pop()?;
                let (yes, after_yes) = blocks.pop()?;
                // A component is the array in both branches or in none.
                if after_no != after_yes {
                    return None;
                }
                for (at, is_chained) in after_no.iter().enumerate() {
                    if *is_chained {
                        let name = lower.fresh("e");
                        elements.push((binding.names[at].clone(), Term::Name(name.clone())));
                        binding.names[at] = name;
                    }
                }
                binding.value = Term::If(condition, yes.into(), no.into());
                written.push(binding);
            }
            mut value => {
                replace(&mut value, place, elements)?;
                binding.value = value;
                written.push(binding);
            }
        }
    }
    Some(written)
}

fn names_one(term: &Term, elements: &[(Name, Term)]) -> bool {
    element_of(term, elements).is_some()
}

fn element_of(term: &Term, elements: &[(Name, Term)]) -> Option<Term> {
    let Term::Name(name) = term else { return None };
    elements.iter().rev().find(|(known, _)| known == name).map(|(_, element)| element.clone())
}

fn is_free(term: &Term, elements: &[(Name, Term)]) -> bool {
    !elements.iter().any(|(name, _)| term.mentions(name))
}

/// Replaces reads of the element at a place; none if there is another use of an array.
fn replace(term: &mut Term, place: &Term, elements: &[(Name, Term)]) -> Option<()> {
    term.each_mut(&mut |part| {
        if let Term::Index(array, path) = part
            && path.first() == Some(place)
            && let Some(element) = element_of(array, elements)
        {
            let rest = path[1..].to_vec();
            let mut whole = match (rest.is_empty(), element) {
                (true, element) => element,
                (false, Term::Index(array, mut first)) => {
                    first.extend(rest);
                    Term::Index(array, first)
                }
                (false, element) => Term::Index(element.into(), rest),
            };
            // The indices of the rest may read the array too.
            if let Term::Index(_, path) = &mut whole {
                for index in path.iter_mut().skip(1) {
                    if replace(index, place, elements).is_none() {
                        return false;
                    }
                }
            }
            *part = whole;
            return true;
        }
        false
    });
    // The element of the state itself is read from the array before the loop, whose name is another.
    is_free(term, elements).then_some(())
}

/// A loop all of whose accesses to an array have the same first index, which the loop does not change, carries that
/// element in the place of the array.
pub(super) fn localised(
    lower: &mut Lower,
    carried: &[Carried],
    index: &Name,
    count: &Term,
    body: &Block,
    place: PlaceId,
) -> Option<Vec<(VarId, Term, Ty)>> {
    let at = carried.iter().position(|one| {
        matches!(&one.ty, Ty::Array(element, _) if matches!(**element, Ty::Array(..)))
            && first_update(&body.lets, &one.state).is_some_and(|row| !is(&row, index) && is_outside(&row, &body.lets))
    })?;
    let one = &carried[at];
    let row = first_update(&body.lets, &one.state)?;
    let state = lower.fresh("row");
    let (lets, result) = local(lower, &body.lets, &one.state, &row, Term::Name(state.clone()), &one.result)?;
    let rest = Block { lets: lets.clone(), result: result.clone() };
    if rest.mentions(&one.state)
        || reads_removed(body, &rest)
        || carried.iter().any(|other| other.result == Term::Name(one.state.clone()))
    {
        return None;
    }
    let Ty::Array(element, _) = &one.ty else { return None };
    let start = lower.fresh("row");
    let first = Term::Index(one.start.clone().into(), vec![row.clone()]);
    lower.emit(vec![start.clone()], first, place);
    let mut inner = carried.to_vec();
    inner[at] = Carried { var: one.var, state, start: Term::Name(start), result, ty: (**element).clone() };
    let iteration = Iteration {
        index: index.clone(),
        count: Box::new(count.clone()),
        body: Block { lets, result: body.result.clone() }.into(),
    };
    let mut results = write(lower, inner, iteration, place);
    let changed = results.iter_mut().find(|(var, ..)| *var == one.var)?;
    let name = lower.fresh("m");
    let whole = Term::Update(one.start.clone().into(), vec![row], changed.1.clone().into());
    lower.emit(vec![name.clone()], whole, place);
    *changed = (one.var, Term::Name(name), one.ty.clone());
    Some(results)
}
