//! Residuals: the linear stream of a body needs values of each of its runs, in arrays; values that were only read from
//! an array are read again.

use super::{Level, Lineariser, Needed, Nested};
use riesz_core::build::size_of;
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Var};
use riesz_core::{Size, Type};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

impl Lineariser<'_> {
    /// The values that the linear stream of a body needs from its primal stream. `bound` are the variables bound for
    /// the body, other than its index.
    pub(super) fn needed(&self, level: &Level, results: &[Atom], bound: &[Var]) -> Needed {
        let free: FxHashSet<Var> = Free::of(&level.linear, results, &self.vars).found.into_iter().collect();
        let defined: FxHashMap<Var, usize> =
            level.primal.iter().enumerate().map(|(at, binding)| (binding.var, at)).collect();
        let mut cheap: FxHashSet<Var> = FxHashSet::default();
        for binding in &level.primal {
            if self.is_cheap(binding) {
                let reachable = |var: &Var| !bound.contains(var) && (!defined.contains_key(var) || cheap.contains(var));
                let mut needs = Free::default();
                binding.op.visit_atoms(&mut |atom| {
                    if let Atom::Var(var) = atom {
                        needs.found.push(*var);
                    }
                });
                binding.op.visit_bodies(&mut |body| needs.bindings(&body.bindings, &self.vars));
                if needs.found.iter().all(reachable) {
                    cheap.insert(binding.var);
                }
            }
        }
        let mut wanted = free;
        let mut again = Vec::new();
        for binding in level.primal.iter().rev() {
            if wanted.contains(&binding.var) && cheap.contains(&binding.var) {
                let mut types = Free::default();
                types.bindings(std::slice::from_ref(binding), &self.vars);
                wanted.extend(types.found);
                again.push(binding.clone());
            }
        }
        again.reverse();
        let mut kept: Vec<Var> = bound.iter().copied().filter(|var| wanted.contains(var)).collect();
        kept.extend(
            level.primal.iter().map(|binding| binding.var).filter(|var| wanted.contains(var) && !cheap.contains(var)),
        );
        // A size that the type of something kept names is kept too: it must be there before anything is read again.
        let mut sizes: Vec<Var> = Vec::new();
        for var in &kept {
            self.ty(*var).visit_variables(&mut |size| {
                if cheap.contains(&size) && !sizes.contains(&size) {
                    sizes.push(size);
                }
            });
        }
        again.retain(|binding| !sizes.contains(&binding.var));
        kept.extend(sizes);
        // Sizes first: the types of the others name them.
        kept.sort_by_key(|var| *self.ty(*var) != Type::Int);
        Needed { kept, again }
    }

    /// Binds again, at the start of the body of a linear loop, what was kept of an iteration.
    pub(super) fn recall(&self, needed: &Needed, arrays: &[Atom], index: Atom, span: Span) -> Vec<Binding> {
        let reads = needed.kept.iter().zip(arrays).map(|(var, array)| Binding {
            var: *var,
            op: Op::Index(*array, index),
            span,
        });
        reads.chain(needed.again.iter().cloned()).collect()
    }

    /// The type as seen outside the body that binds some variables.
    pub(super) fn outside(&self, ty: &Type, level: &Level, bound: &[Var]) -> Type {
        let inside: FxHashSet<Var> =
            level.primal.iter().map(|binding| binding.var).chain(bound.iter().copied()).collect();
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                riesz_core::size::Atom::Var(var) if inside.contains(&var) => Size::Hole,
                atom => Size::Atom(atom),
            })
        })
    }

    /// Runs the primal stream of a body for each index and keeps what is needed: the array of its results, and those of
    /// what is kept.
    pub(super) fn keep_each(
        &mut self,
        count: Atom,
        index: Var,
        nested: &Level,
        result: Atom,
        needed: &Needed,
        span: Span,
    ) -> (Atom, Vec<Atom>) {
        let size = size_of(count);
        let mut parts = vec![result];
        parts.extend(needed.kept.iter().map(|var| Atom::Var(*var)));
        let types: Vec<Type> = parts.iter().map(|part| self.atom_type(*part)).collect();
        let outside: Vec<Type> =
            types.iter().map(|ty| Type::array(size.clone(), self.outside(ty, nested, &[index]))).collect();
        let tuple = self.var(Type::Tuple(types.into()));
        let mut bindings = nested.primal.clone();
        bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
        let body = Body { bindings, result: Atom::Var(tuple) };
        let all = self.primal(Op::Builds(Iteration { count, index, body }), Type::Tuple(outside.clone().into()), span);
        let mut arrays: Vec<Atom> =
            (outside.into_iter().enumerate()).map(|(at, ty)| self.primal(Op::Project(all, at), ty, span)).collect();
        let results = arrays.remove(0);
        (results, arrays)
    }

    /// Several arrays built at once, with what is kept among them.
    pub(super) fn keep_parts(
        &mut self,
        var: Var,
        count: Atom,
        index: Var,
        nested: &Nested,
        needed: &Needed,
        span: Span,
    ) -> Vec<Atom> {
        let own = self.ty(var).components().unwrap_or_default();
        let part_types = self.atom_type(nested.result).components().unwrap_or_default();
        let mut bindings = nested.level.primal.clone();
        let mut parts = Vec::new();
        for (at, ty) in part_types.iter().enumerate() {
            let part = self.var(ty.clone());
            bindings.push(Binding { var: part, op: Op::Project(nested.result, at), span });
            parts.push(Atom::Var(part));
        }
        parts.extend(needed.kept.iter().map(|var| Atom::Var(*var)));
        let types: Vec<Type> = parts.iter().map(|part| self.atom_type(*part)).collect();
        let size = size_of(count);
        let mut outside = own.clone();
        outside.extend(
            types[own.len()..].iter().map(|ty| Type::array(size.clone(), self.outside(ty, &nested.level, &[index]))),
        );
        let tuple = self.var(Type::Tuple(types.into()));
        bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
        let body = Body { bindings, result: Atom::Var(tuple) };
        let all = self.primal(Op::Builds(Iteration { count, index, body }), Type::Tuple(outside.clone().into()), span);
        let mut arrays: Vec<Atom> =
            outside.into_iter().enumerate().map(|(at, ty)| self.primal(Op::Project(all, at), ty, span)).collect();
        let kept = arrays.split_off(own.len());
        self.level().primal.push(Binding { var, op: Op::Tuple(arrays), span });
        kept
    }

    /// Binds a variable of the program to an atom that has just been computed.
    pub(super) fn rebind(&mut self, var: Var, atom: Atom, span: Span) {
        self.level().primal.push(Binding { var, op: Op::Copy(atom), span });
    }

    /// Operations that read rather than compute, and those on integers, which make indices: done again instead of kept.
    fn is_cheap(&self, Binding { var, op, .. }: &Binding) -> bool {
        let integer = matches!(self.ty(*var), Type::Int | Type::Bool);
        match op {
            Op::Index(..)
            | Op::Project(..)
            | Op::Copy(_)
            | Op::ToReal(_)
            | Op::Compare(..)
            | Op::Not(_)
            | Op::SizeOf(..)
            | Op::Global(_) => true,
            Op::Scalar(..) => integer,
            Op::If { yes, no, .. } => {
                integer && [yes, no].iter().all(|body| body.bindings.iter().all(|binding| self.is_cheap(binding)))
            }
            _ => false,
        }
    }
}
