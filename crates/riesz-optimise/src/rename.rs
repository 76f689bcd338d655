//! `e[x := a]`: substitution of operands for variables, in operations and in the sizes of types.

use riesz_core::build::size_of;
use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, Body, Op, Var, VarInfo};
use riesz_core::types::Type;
use rustc_hash::FxHashMap;

/// Operands in place of variables. What stands for a variable is final: it is not replaced in turn.
#[derive(Default)]
pub struct Renaming {
    atoms: FxHashMap<Var, Atom>,
}

impl Renaming {
    /// From now on `atom` stands for `var`.
    pub fn insert(&mut self, var: Var, atom: Atom) {
        self.atoms.insert(var, atom);
    }

    /// The replacement of an operand.
    pub fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.atoms.get(&var).copied().unwrap_or(atom),
            constant => constant,
        }
    }

    /// Replaces the operands of an operation, outside its bodies.
    pub fn operands(&self, op: &mut Op) {
        op.visit_atoms_mut(&mut |atom| *atom = self.atom(*atom));
    }

    /// Replaces everywhere in a body.
    pub fn body(&self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in &mut body.bindings {
                self.operands(&mut binding.op);
                binding.op.visit_bodies_mut(&mut |body| self.body(body));
            }
            body.result = self.atom(body.result);
        });
    }

    /// The type, over what stands for the variables that its sizes name.
    pub fn ty(&self, ty: &Type) -> Type {
        if self.atoms.is_empty() || !names(ty, &|var| self.atoms.contains_key(&var)) {
            return ty.clone();
        }
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(var) => size_of(self.atom(Atom::Var(var))),
                atom => Size::Atom(atom),
            })
        })
    }

    /// Replaces in the types of variables.
    pub fn types(&self, vars: &mut [VarInfo]) {
        if !self.atoms.is_empty() {
            vars.iter_mut().for_each(|info| info.ty = self.ty(&info.ty));
        }
    }

    /// Gives a body variables of its own: every variable that it binds is replaced by a new one among `vars`. `source`
    /// knows the variables of the body, if `vars` does not.
    pub fn freshen(&mut self, body: &mut Body, source: Option<&[VarInfo]>, vars: &mut Vec<VarInfo>) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in &mut body.bindings {
                self.operands(&mut binding.op);
                binding.op.visit_bound_mut(&mut |var| *var = self.fresh(*var, source, vars));
                binding.op.visit_bodies_mut(&mut |body| self.freshen(body, source, vars));
                binding.var = self.fresh(binding.var, source, vars);
            }
            body.result = self.atom(body.result);
        });
    }

    fn fresh(&mut self, var: Var, source: Option<&[VarInfo]>, vars: &mut Vec<VarInfo>) -> Var {
        let VarInfo { name, ty } = source.unwrap_or(vars)[var.0 as usize].clone();
        let ty = self.ty(&ty);
        vars.push(VarInfo { name, ty });
        let fresh = Var(vars.len() as u32 - 1);
        self.insert(var, Atom::Var(fresh));
        fresh
    }
}

/// The operand that a size is, where it is one.
pub(crate) fn as_atom(size: &Size) -> Option<Atom> {
    match size {
        Size::Constant(value) => Some(Atom::Int(*value)),
        Size::Atom(size::Atom::Var(var)) => Some(Atom::Var(*var)),
        _ => None,
    }
}

/// Whether a size in a type names a variable that `test` holds of.
pub(crate) fn names(ty: &Type, test: &dyn Fn(Var) -> bool) -> bool {
    let mut found = false;
    ty.visit_variables(&mut |var| found |= test(var));
    found
}

/// Whether a value of one type may stand where the other is expected, and no size becomes less known by it.
pub(crate) fn covers(found: &Type, wanted: &Type) -> bool {
    match (found, wanted) {
        (Type::Array(m, a), Type::Array(n, b)) => (*m != Size::Hole || *n == Size::Hole) && covers(a, b),
        (Type::Accumulator(a), Type::Accumulator(b)) => covers(a, b),
        (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| covers(a, b)),
        (Type::Record(a), Type::Record(b)) => {
            a.fields.len() == b.fields.len()
                && a.fields.iter().zip(b.fields.iter()).all(|((x, a), (y, b))| x == y && covers(a, b))
        }
        (found, wanted) => found == wanted,
    }
}
