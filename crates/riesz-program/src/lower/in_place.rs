//! Arrays of a state that an iteration changes in place.
//!
//! ```text
//! x ← update(x, i, v)     is     x[i] ← v,     if nothing reads the old x after it
//! ```
//!
//! The next value of an array of a state may be the old one with some elements replaced, in all branches of a conditional
//! or in some. If nothing mentions the old array, or a part of it, once its first element is replaced, then it has one
//! buffer, and no elements are copied.

use super::Lowerer;
use riesz_core::free::count_uses;
use riesz_core::term::{Atom, Binding, Body, Op, Var};
use riesz_core::types::Type;
use riesz_primitive::array::Array;
use rustc_hash::{FxHashMap, FxHashSet};

/// An array of a state: the whole state, or a component of it.
#[derive(Clone, Copy)]
pub(super) struct Part {
    state: Var,
    component: Option<usize>,
}

/// The names of an array.
#[derive(Clone, Default)]
struct Names {
    /// Variables that are the array.
    whole: FxHashSet<Var>,
    /// Variables that may show parts of it.
    parts: FxHashSet<Var>,
}

impl<'p> Lowerer<'_, 'p> {
    /// Which components of a state are changed in place by a body whose result, or the first component of it where `first`
    /// says so, is the next state. A state that is an array is its own component 0.
    pub(super) fn in_place(&self, state: Var, body: &'p Body, first: bool) -> FxHashSet<usize> {
        let next = if first { self.component(body.result, 0) } else { Some(body.result) };
        let Some(next) = next else { return FxHashSet::default() };
        let part = |component: Option<usize>| {
            let atom = component.map_or(Some(next), |at| self.component(next, at));
            atom.is_some_and(|atom| self.changes_in_place(Part { state, component }, body, atom))
        };
        match self.ty(state) {
            Type::Array(..) => part(None).then_some(0).into_iter().collect(),
            ty => {
                let components = ty.components().unwrap_or_default();
                let arrays = components.iter().enumerate().filter(|(_, ty)| matches!(ty, Type::Array(..)));
                arrays.map(|(at, _)| at).filter(|at| part(Some(*at))).collect()
            }
        }
    }

    fn component(&self, tuple: Atom, at: usize) -> Option<Atom> {
        let Atom::Var(var) = tuple else { return None };
        match &self.bindings.get(&var)?.op {
            Op::Tuple(parts) => parts.get(at).copied(),
            _ => None,
        }
    }

    fn changes_in_place(&self, part: Part, body: &Body, next: Atom) -> bool {
        let mut names = Names::default();
        if part.component.is_none() {
            names.whole.insert(part.state);
            names.parts.insert(part.state);
        }
        matches!(self.changed(part, &body.bindings, next, &mut names), Some(Some(_)))
    }

    /// Where an array is changed first by bindings whose result is its next value: nothing if they leave it as it is. None
    /// if the old array is needed after that, or the result is something else.
    fn changed(&self, part: Part, bindings: &[Binding], next: Atom, names: &mut Names) -> Option<Option<usize>> {
        let Atom::Var(next) = next else { return None };
        // The bindings that make the next value, from the last to the first.
        let (mut links, mut link) = (FxHashSet::default(), next);
        let position = |var: Var| bindings.iter().position(|binding| binding.var == var);
        let mut first = None;
        while let Some(at) = position(link) {
            match &bindings[at].op {
                Op::ArrayFunction(primitive, arguments) if matches!(primitive.array(), Some(Array::Replace)) => {
                    let Atom::Var(array) = arguments[0] else { return None };
                    links.insert(link);
                    first = Some(at);
                    if position(array).is_some_and(|_| !self.is_array(part, array)) && self.uses[array.0 as usize] != 1
                    {
                        return None;
                    }
                    link = array;
                }
                Op::If { .. } => {
                    links.insert(link);
                    first = Some(at);
                    link = Var(u32::MAX);
                }
                _ => break,
            }
        }
        let end = first.unwrap_or(bindings.len());
        for binding in &bindings[..end] {
            self.note(part, binding, names);
        }
        if let Some(at) = first
            && let Op::If { yes, no, .. } = &bindings[at].op
        {
            let mut changes = false;
            for branch in [yes, no] {
                changes |= self.changed(part, &branch.bindings, branch.result, &mut names.clone())?.is_some();
            }
            if !changes && links.len() == 1 {
                return None;
            }
        } else if !names.whole.contains(&link) {
            return None;
        }
        let Some(first) = first else { return Some(None) };
        // An element that is a view of the array would change while it is written.
        if let Op::ArrayFunction(_, arguments) = &bindings[first].op
            && matches!(arguments[2], Atom::Var(element) if names.parts.contains(&element))
        {
            return None;
        }
        // What stands behind the first change mentions the old array nowhere.
        let fine = bindings[first + 1..].iter().all(|binding| {
            let mut uses = FxHashMap::default();
            count_uses(std::slice::from_ref(binding), None, &mut uses);
            let other = |component: usize| part.component.is_some_and(|own| own != component);
            uses.keys().all(|var| match binding.op {
                Op::Project(Atom::Var(of), component) if of == part.state => other(component),
                _ => !names.parts.contains(var) && *var != part.state,
            })
        });
        fine.then_some(Some(first))
    }

    /// Whether a variable is the array of a state by its definition.
    fn is_array(&self, part: Part, var: Var) -> bool {
        match self.bindings.get(&var).map(|binding| &binding.op) {
            Some(Op::Project(Atom::Var(of), component)) => *of == part.state && part.component == Some(*component),
            Some(Op::Copy(Atom::Var(of))) => self.is_array(part, *of),
            _ => part.component.is_none() && var == part.state,
        }
    }

    /// Notes the names that a binding gives to an array or to parts of it.
    fn note(&self, part: Part, binding: &Binding, names: &mut Names) {
        if self.is_array(part, binding.var) {
            names.whole.insert(binding.var);
            names.parts.insert(binding.var);
            return;
        }
        if let Op::Project(Atom::Var(of), _) = binding.op
            && of == part.state
        {
            return;
        }
        let mut uses = FxHashMap::default();
        count_uses(std::slice::from_ref(binding), None, &mut uses);
        let is_number = matches!(self.ty(binding.var), Type::Real | Type::Int | Type::Bool);
        if !is_number && uses.keys().any(|var| names.parts.contains(var) || *var == part.state) {
            names.parts.insert(binding.var);
        }
    }
}
