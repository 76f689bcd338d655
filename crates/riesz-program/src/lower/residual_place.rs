//! Residuals are written to their final place.
//!
//! ```text
//! k = if c then (a, b) else (d, e)          room for a, b in the store
//! residual (k.0, k.1)                 is    if c then a, b there, else d, e there
//! ```
//!
//! A recursive function stores arrays that its branches build as residuals of each call. Arrays that have no other use
//! are allocated in the store before the branches run, with the size of their type: they need no buffer and no copy.
//! The residuals of inner calls follow them.

use super::value::{Cells, Extent, Length, Shape, Value};
use super::{Lowered, Lowerer};
use crate::program::{Expression, Kind, Operand, Statement};
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Function, Op, Var};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The components of conditionals that are residuals and have no other use: of each conditional the component that each variable
/// is.
pub(super) fn find(function: &Function, uses: &[u32]) -> FxHashMap<Var, FxHashMap<usize, Var>> {
    let bindings: FxHashMap<Var, &Binding> =
        function.body.bindings.iter().map(|binding| (binding.var, binding)).collect();
    let residuals = (function.body.bindings.iter()).filter(|binding| function.var(binding.var).ty == Type::Kept);
    let parts = residuals.filter_map(|binding| match &binding.op {
        Op::Copy(Atom::Var(tuple)) if uses[tuple.0 as usize] == 1 => match &bindings.get(tuple)?.op {
            Op::Tuple(parts) => Some(parts),
            _ => None,
        },
        _ => None,
    });
    let mut found: FxHashMap<Var, FxHashMap<usize, Var>> = FxHashMap::default();
    for part in parts.flatten() {
        if let Atom::Var(part) = part
            && uses[part.0 as usize] == 1
            && is_flat(&function.var(*part).ty)
            && let Some(Op::Project(Atom::Var(choice), at)) = bindings.get(part).map(|binding| &binding.op)
            && matches!(bindings.get(choice).map(|binding| &binding.op), Some(Op::If { .. }))
        {
            found.entry(*choice).or_default().insert(*at, *part);
        }
    }
    // What is used as a whole, or taken apart more than once at a place, is for something else too.
    found.retain(|choice, components| {
        let mut taken = FxHashSet::default();
        let projections = function.body.bindings.iter().filter_map(|binding| match &binding.op {
            Op::Project(Atom::Var(tuple), at) if tuple == choice => Some(*at),
            _ => None,
        });
        let mut count = 0;
        for at in projections {
            count += 1;
            if !taken.insert(at) {
                components.remove(&at);
            }
        }
        count == uses[choice.0 as usize]
    });
    found
}

/// Whether a type is that of an array of numbers, or of tuples of numbers.
fn is_flat(ty: &Type) -> bool {
    matches!(ty, Type::Array(_, element) if !element.any(&mut |part| matches!(part, Type::Array(..))))
}

impl Lowerer<'_, '_> {
    /// Room for what a conditional gives, in the store for what stays there.
    pub(super) fn room_for_choice(&mut self, choice: Var, shape: &Shape, span: Span) -> Lowered<Cells> {
        let (Some(staying), Shape::Tuple(parts)) = (self.residuals_of_choices.get(&choice).cloned(), shape) else {
            return Ok(self.room_for(shape, &self.name(choice), span));
        };
        let mut cells = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let room = match staying.get(&at) {
                Some(var) => self.room_that_stays(*var, part, span)?,
                None => None,
            };
            cells.push(room.unwrap_or_else(|| self.room_for(part, &self.name(choice), span)));
        }
        Ok(Cells::Tuple(cells))
    }

    /// Whether there is a part of some cells in the store.
    pub(super) fn is_in_store(&self, cells: &Cells) -> bool {
        let Some(store) = self.store else { return false };
        match cells {
            Cells::Number(_, place) => store.buffers().contains(&place.buffer),
            Cells::Tuple(parts) => parts.iter().any(|part| self.is_in_store(part)),
            Cells::Array(_, inner) => self.is_in_store(inner),
            Cells::Absent => false,
        }
    }

    /// Room in the store for an array that is as long as its type says, if it is there.
    fn room_that_stays(&mut self, var: Var, shape: &Shape, span: Span) -> Lowered<Option<Cells>> {
        let (Shape::Array(extent, element), Type::Array(size, _)) = (shape, self.ty(var)) else { return Ok(None) };
        match self.ahead_of_size(size, span) {
            Ok(Extent { most, exact: true }) if self.build.same(most, extent.most) => {}
            _ => return Ok(None),
        }
        let length = match extent.exact {
            true => Length::Known(extent.most),
            false => match self.room_for(&Shape::Number(Kind::Int), &Some("lengths".into()), span) {
                Cells::Number(_, place) => Length::Stored { place, capacity: extent.most },
                _ => return Ok(None),
            },
        };
        let mut words = vec![extent.most];
        let inner = self.room_in_store(element, &mut vec![extent.most], &mut words, span)?;
        self.stays.insert(var, words);
        Ok(Some(Cells::Array(length, Box::new(inner))))
    }

    /// The components of a residual, each with its type and, if it may be in the store already, its variable; none if the
    /// residual is one number.
    pub(super) fn parts_of_residual(&mut self, atom: Atom, span: Span) -> Lowered<Result<Vec<Part>, Value>> {
        if let Atom::Var(var) = atom
            && let Some(Op::Tuple(parts)) = self.bindings.get(&var).map(|binding| &binding.op)
            && parts.iter().any(|part| matches!(part, Atom::Var(part) if self.stays.contains_key(part)))
        {
            let types = self.ty(var).components().unwrap_or_default();
            let part = |(atom, ty): (&Atom, Type)| match atom {
                Atom::Var(var) if self.stays.contains_key(var) => Ok((self.atom(*atom, span)?, ty, Some(*var))),
                atom => Ok((self.whole(*atom, span)?, ty, None)),
            };
            return Ok(Ok(parts.iter().zip(types).map(part).collect::<Lowered<_>>()?));
        }
        match (self.whole(atom, span)?, atom) {
            (value @ Value::Number(_), _) => Ok(Err(value)),
            (Value::Tuple(parts), Atom::Var(var)) => {
                let types = self.ty(var).components().unwrap_or_default();
                Ok(Ok(parts.into_iter().zip(types).map(|(part, ty)| (part, ty, None)).collect()))
            }
            _ => Err(super::operation::unsupported_layout("the residuals", span)),
        }
    }

    /// Takes the words of an array that stays in the store. Where a branch has left it out, there are zeros.
    pub(super) fn fill_staying(&mut self, array: &Value, words: &[Operand]) {
        let (Value::Array(array), [len, ..]) = (array, words) else { return };
        if self.build.same(*len, array.len) {
            return;
        }
        let is_there = self.build.bind(Kind::Bool, None, Expression::Equal(array.len, *len));
        let opened = self.build.open();
        self.fill(&Cells::Array(Length::Known(*len), Box::new(array.cells.clone())));
        let zeros = self.build.close(opened);
        self.build.push(Statement::If(is_there, Vec::new(), zeros));
    }
}

/// A component of a residual: its value, its type and, if it is in the store already, its variable.
pub(super) type Part = (Value, Type, Option<Var>);
