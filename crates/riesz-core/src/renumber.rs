//! Functions from bodies with arbitrary variables: the variables that a body binds are numbered from zero, parameters
//! first.

use crate::size::{self, Size};
use crate::term::{Atom, Body, Function, Var, VarInfo};
use crate::types::Type;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;
use rustc_hash::FxHashMap;

/// The function of a body over variables that `info` knows. Sizes that the function cannot see are left open.
pub fn renumber(
    name: Name,
    parameters: &[Var],
    mut body: Body,
    result: &Type,
    span: Span,
    info: &dyn Fn(Var) -> VarInfo,
) -> Function {
    let mut numbering = Numbering { info, numbers: FxHashMap::default(), hidden: Vec::new(), vars: Vec::new() };
    parameters.iter().for_each(|&var| numbering.add(var));
    // The type of the result is over the parameters alone.
    let result = numbering.ty(result);
    numbering.body(&mut body);
    Function { name, vars: numbering.vars, parameters: parameters.len(), body, result, span }
}

struct Numbering<'i> {
    info: &'i dyn Fn(Var) -> VarInfo,
    numbers: FxHashMap<Var, Var>,
    /// The meanings of variables before those of the bodies being walked, to be restored behind them.
    hidden: Vec<(Var, Option<Var>)>,
    vars: Vec<VarInfo>,
}

impl Numbering<'_> {
    fn add(&mut self, var: Var) {
        let before = self.numbers.insert(var, Var(self.vars.len() as u32));
        self.hidden.push((var, before));
        let VarInfo { name, ty } = (self.info)(var);
        let ty = self.ty(&ty);
        self.vars.push(VarInfo { name, ty });
    }

    fn ty(&self, ty: &Type) -> Type {
        let mut named = false;
        ty.visit_variables(&mut |_| named = true);
        if !named {
            return ty.clone();
        }
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(var) => self.numbers.get(&var).map_or(Size::Hole, |&var| Size::var(var)),
                atom => Size::Atom(atom),
            })
        })
    }

    /// Forgets the variables bound since a moment.
    fn leave(&mut self, outside: usize) {
        for (var, before) in self.hidden.drain(outside..).rev() {
            match before {
                Some(before) => self.numbers.insert(var, before),
                None => self.numbers.remove(&var),
            };
        }
    }

    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            riesz_limit::write(body.bindings.len() as u64);
            let outside = self.hidden.len();
            for binding in &mut body.bindings {
                binding.op.visit_atoms_mut(&mut |atom| self.atom(atom));
                let outside = self.hidden.len();
                binding.op.visit_bound_mut(&mut |var| {
                    self.add(*var);
                    *var = self.numbers[var];
                });
                binding.op.visit_bodies_mut(&mut |body| self.body(body));
                self.leave(outside);
                self.add(binding.var);
                binding.var = self.numbers[&binding.var];
            }
            self.atom(&mut body.result);
            self.leave(outside);
        });
    }

    fn atom(&self, atom: &mut Atom) {
        if let Atom::Var(var) = atom {
            debug_assert!(self.numbers.contains_key(var), "variable {var:?} is used before it is bound");
            *var = self.numbers.get(var).copied().unwrap_or(Var(0));
        }
    }
}
