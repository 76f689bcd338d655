//! The functions that linearisation and transposition make of a function, and the residuals between them.

use riesz_core::Type;
use riesz_core::build::size_of;
use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, FunctionId, Op, Var};

/// The functions that linearisation and transposition have made of a function.
#[derive(Clone)]
pub(crate) struct Linearised {
    /// Computes the value and what is kept.
    pub primal: FunctionId,
    /// Computes the tangent of the value from what is kept and the tangents of the arguments; none where the value does not
    /// vary.
    pub forward: Option<FunctionId>,
    /// Adds to the cotangents of the arguments, from what is kept and the cotangent of the value.
    pub reverse: FunctionId,
    /// The residuals: the variables of the function, and their types, over its variables.
    pub kept: Vec<(Var, Type)>,
    /// How many parameters the function has. Those that are kept are known where it is called, and `primal` does not give
    /// them.
    pub parameters: usize,
}

impl Linearised {
    /// The type of what `primal` gives for some arguments and a value of a type. Sizes that it finds on its way stay open.
    pub fn all(&self, value: &Type, arguments: &[Atom]) -> Type {
        let computed = self.kept.iter().filter(|(var, _)| var.0 as usize >= self.parameters);
        let computed = computed.map(|(_, ty)| with_sizes(ty, |var| arguments.get(var.0 as usize).copied()));
        Type::Tuple([value.clone()].into_iter().chain(computed).collect())
    }

    /// A type over the function's variables as one over the positions of what is kept. Other sizes stay open.
    pub fn sized(&self, ty: &Type) -> Type {
        with_sizes(ty, |var| {
            let at = self.kept.iter().position(|(kept, _)| *kept == var)?;
            Some(Atom::Var(Var(at as u32)))
        })
    }

    /// The residuals of a call of `primal` with some arguments, taken from its result.
    pub fn kept(&self, all: Atom, arguments: &[Atom], bind: &mut dyn FnMut(Op, Type) -> Atom) -> Vec<Atom> {
        let mut kept: Vec<Atom> = Vec::with_capacity(self.kept.len());
        let mut place = 0;
        for (var, ty) in &self.kept {
            let argument = arguments.get(var.0 as usize).filter(|_| (var.0 as usize) < self.parameters);
            kept.push(match argument {
                Some(argument) => *argument,
                None => {
                    let ty = with_sizes(ty, |var| match self.kept.iter().position(|(kept, _)| *kept == var) {
                        Some(known) => kept.get(known).copied(),
                        None => arguments.get(var.0 as usize).copied(),
                    });
                    place += 1;
                    bind(Op::Project(all, place), ty)
                }
            });
        }
        kept
    }
}

/// The type with what its sizes are where a function is called; those that are not known there stay open.
pub(crate) fn with_sizes(ty: &Type, known: impl Fn(Var) -> Option<Atom>) -> Type {
    ty.map_sizes(&mut |size| {
        size.replace(&mut |atom| match atom {
            size::Atom::Var(var) => known(var).map_or(Size::Hole, size_of),
            atom => Size::Atom(atom),
        })
    })
}
