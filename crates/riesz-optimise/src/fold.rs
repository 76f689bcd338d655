//! `1 · x = x`, `(a, b).0 = a`, `[a, b][1] = b`, `if true then a else b = a`: known values are computed at compile
//! time.
//!
//! Every equation holds bit for bit, for NaN, infinities and zeros of either sign. `x + 0 = x` is not among them, since
//! it turns −0 into 0, except where `x` is known not to be −0; nor is `0 · x = 0`, except for the exact product. The
//! equations for numbers are in [`number`](super::number).

use crate::number::{self, Facts, Multiple};
use crate::rename::{Renaming, as_atom, covers};
use riesz_core::Size;
use riesz_core::build::{size_of, type_of};
use riesz_core::term::{
    Atom, Binding, Body, Function, Iteration, Op, Place, Recurrence, Reduction, Step, Var, VarInfo,
};
use riesz_core::types::Type;
use riesz_primitive::scalar;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Folds what is known in a function.
pub(crate) fn fold(function: &mut Function) {
    let mut fold = Fold {
        vars: &mut function.vars,
        renaming: Renaming::default(),
        known: FxHashMap::default(),
        unsigned: FxHashSet::default(),
        twins: FxHashMap::default(),
        decided: FxHashMap::default(),
    };
    fold.body(&mut function.body);
    let renaming = fold.renaming;
    renaming.types(&mut function.vars);
}

struct Fold<'f> {
    vars: &'f mut Vec<VarInfo>,
    renaming: Renaming,
    /// The operations of variables that later folds can use: those without bodies.
    known: FxHashMap<Var, Op>,
    /// Variables in which no number is −0.
    unsigned: FxHashSet<Var>,
    /// Of several arrays that are built at once, for each the first that is the same.
    twins: FxHashMap<Var, Vec<usize>>,
    /// Conditions that have been decided, in the branches of a conditional.
    decided: FxHashMap<Var, bool>,
}

/// The result of folding an operation.
enum Folded {
    Atom(Atom),
    Op(Op),
}

impl Fold<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            body.bindings.reserve(bindings.len());
            for binding in bindings {
                self.binding(binding, &mut body.bindings);
            }
            body.result = self.atom(body.result);
        });
    }

    fn atom(&self, atom: Atom) -> Atom {
        match self.renaming.atom(atom) {
            Atom::Var(var) => self.decided.get(&var).map_or(Atom::Var(var), |&holds| Atom::Bool(holds)),
            constant => constant,
        }
    }

    fn ty(&self, var: Var) -> Type {
        self.renaming.ty(&self.vars[var.0 as usize].ty)
    }

    fn type_of(&self, atom: Atom) -> Type {
        self.renaming.ty(&type_of(atom, self.vars))
    }

    fn bind(&mut self, op: Op, ty: Type, span: Span, out: &mut Vec<Binding>) -> Atom {
        self.vars.push(VarInfo { name: None, ty });
        let var = Var(self.vars.len() as u32 - 1);
        self.binding(Binding { var, op, span }, out);
        self.atom(Atom::Var(var))
    }

    fn binding(&mut self, Binding { var, mut op, span }: Binding, out: &mut Vec<Binding>) {
        op.visit_atoms_mut(&mut |atom| *atom = self.atom(*atom));
        if let Op::If { condition: Atom::Bool(holds), yes, no } = op {
            let mut taken = if holds { yes } else { no };
            taken.bindings.into_iter().for_each(|binding| self.binding(binding, out));
            taken.result = self.atom(taken.result);
            return self.finish(var, Folded::Op(Op::Copy(taken.result)), span, out);
        }
        self.bodies(&mut op);
        if let Some(folded) = self.several(var, &op, span, out) {
            return self.finish(var, folded, span, out);
        }
        let folded = self.op(var, op);
        self.finish(var, folded, span, out);
    }

    fn bodies(&mut self, op: &mut Op) {
        let Op::If { condition: Atom::Var(condition), yes, no } = op else {
            return op.visit_bodies_mut(&mut |body| self.body(body));
        };
        for (branch, holds) in [(yes, true), (no, false)] {
            self.decided.insert(*condition, holds);
            self.body(branch);
            self.decided.remove(condition);
        }
    }

    /// Binds a variable to what its operation came to.
    fn finish(&mut self, var: Var, folded: Folded, span: Span, out: &mut Vec<Binding>) {
        let op = match folded {
            Folded::Op(Op::Copy(atom)) | Folded::Atom(atom) => {
                if let Atom::Var(source) = atom {
                    if self.unsigned.contains(&source) {
                        self.unsigned.insert(var);
                    }
                    if let Some(known) = self.known.get(&source).cloned() {
                        self.known.insert(var, known);
                    }
                }
                if covers(&self.type_of(atom), &self.ty(var)) {
                    self.renaming.insert(var, atom);
                    return;
                }
                Op::Copy(atom)
            }
            Folded::Op(op) => {
                self.twins.extend(twins(&op).map(|twins| (var, twins)));
                if self.is_unsigned_op(&op) {
                    self.unsigned.insert(var);
                }
                match &op {
                    Op::Tuple(_) | Op::Array(_) | Op::Project(..) | Op::Not(_) | Op::Zero(_) => {
                        self.known.insert(var, op.clone());
                    }
                    Op::Scalar(..) if Multiple::of(&op).is_some() => {
                        self.known.insert(var, op.clone());
                    }
                    _ => {}
                }
                op
            }
        };
        out.push(Binding { var, op, span });
    }

    fn known(&self, atom: Atom) -> Option<&Op> {
        match atom {
            Atom::Var(var) => self.known.get(&var),
            _ => None,
        }
    }

    /// The result of a fold that takes more than one operation.
    fn several(&mut self, var: Var, op: &Op, span: Span, out: &mut Vec<Binding>) -> Option<Folded> {
        match op {
            // (a, b) ⊕ (c, d) = (a ⊕ c, b ⊕ d)
            Op::Plus(a, b) => {
                let (Some(Op::Tuple(left)), Some(Op::Tuple(right))) = (self.known(*a), self.known(*b)) else {
                    return None;
                };
                let (left, right) = (left.clone(), right.clone());
                let types = self.ty(var).components()?;
                if left.len() != types.len() || right.len() != types.len() {
                    return None;
                }
                let mut parts = Vec::with_capacity(types.len());
                for ((a, b), ty) in left.into_iter().zip(right).zip(types) {
                    parts.push(match ty {
                        Type::Real => self.bind(Op::Scalar(&scalar::ADD, vec![a, b]), ty, span, out),
                        Type::Tuple(ref unit) if unit.is_empty() => a,
                        ty => self.bind(Op::Plus(a, b), ty, span, out),
                    });
                }
                Some(Folded::Op(Op::Tuple(parts)))
            }
            // acc += (a, b)   is   acc.0 += a; acc.1 += b
            Op::AddTo(accumulator, path, value) => {
                let Some(Op::Tuple(parts)) = self.known(*value) else { return None };
                let parts = parts.clone();
                let ty = self.type_of(*value);
                for (at, (part, ty)) in parts.into_iter().zip(ty.components()?).enumerate() {
                    if !ty.varies() {
                        continue;
                    }
                    let mut path = path.clone();
                    path.push(Place::Component(at));
                    self.bind(Op::AddTo(*accumulator, path, part), Type::unit(), span, out);
                }
                Some(Folded::Op(Op::Tuple(Vec::new())))
            }
            // A loop without iterations, and one with a single iteration.
            Op::Loop(Recurrence { start, count: Atom::Int(count), .. }) if *count <= 0 => Some(Folded::Atom(*start)),
            _ => None,
        }
    }

    fn op(&self, var: Var, op: Op) -> Folded {
        let ty = || self.ty(var);
        match op {
            Op::Scalar(primitive, operands) => {
                let facts = Facts {
                    negated: &|atom| self.negated(atom),
                    multiple: &|atom| Multiple::of(self.known(atom)?),
                    unsigned: &|atom| self.is_unsigned(atom),
                };
                number::fold(primitive, &operands, &ty(), &facts).unwrap_or(Op::Scalar(primitive, operands)).into()
            }
            Op::Compare(comparison, Atom::Int(a), Atom::Int(b)) => Atom::Bool(comparison.holds(&a, &b)).into(),
            Op::Compare(comparison, Atom::Real(a), Atom::Real(b)) => Atom::Bool(comparison.holds(&a, &b)).into(),
            Op::Same(Atom::Int(a), Atom::Int(b)) => Atom::Bool(a == b).into(),
            Op::Same(Atom::Real(a), Atom::Real(b)) => Atom::Bool(a == b).into(),
            Op::Same(Atom::Bool(a), Atom::Bool(b)) => Atom::Bool(a == b).into(),
            Op::Not(Atom::Bool(a)) => Atom::Bool(!a).into(),
            Op::Not(a) => match self.known(a) {
                Some(Op::Not(inner)) => (*inner).into(),
                _ => Op::Not(a).into(),
            },
            Op::ToReal(Atom::Int(a)) => Atom::Real(a as f64).into(),
            Op::IsNan(Atom::Real(a)) => Atom::Bool(a.is_nan()).into(),
            Op::Project(tuple, at) => match self.known(tuple) {
                Some(Op::Tuple(parts)) if at < parts.len() => parts[at].into(),
                Some(Op::Zero(_)) if ty() == Type::Real => Atom::Real(0.0).into(),
                _ => Op::Project(tuple, self.first_twin(tuple, at)).into(),
            },
            Op::Index(array, Atom::Int(at)) => match (self.known(array), usize::try_from(at)) {
                (Some(Op::Array(elements)), Ok(at)) if at < elements.len() => elements[at].into(),
                _ => Op::Index(array, Atom::Int(at)).into(),
            },
            Op::Tuple(parts) => match self.taken_apart(&parts) {
                Some(whole) if covers(&self.type_of(whole), &ty()) => whole.into(),
                _ => Op::Tuple(parts).into(),
            },
            Op::Zero(_) if ty() == Type::Real => Atom::Real(0.0).into(),
            // [v[i] | i < n] = v
            Op::Build(iteration) => match self.copied(&iteration) {
                Some(array) => array.into(),
                None => Op::Build(iteration).into(),
            },
            Op::SizeOf(value, path) => match size_along(&self.type_of(value), &path) {
                Some(size) => size.into(),
                None => Op::SizeOf(value, path).into(),
            },
            Op::CheckSizes(a, b) if a == b => Op::Tuple(Vec::new()).into(),
            // Nothing in an accumulator is −0, so that adding 0 changes nothing.
            Op::AddTo(_, _, Atom::Real(0.0)) => Op::Tuple(Vec::new()).into(),
            Op::If { condition, yes, no } => {
                if !yes.bindings.is_empty() || !no.bindings.is_empty() {
                    return Op::If { condition, yes, no }.into();
                }
                match (yes.result, no.result) {
                    (Atom::Bool(true), Atom::Bool(false)) => condition.into(),
                    (Atom::Bool(false), Atom::Bool(true)) => Op::Not(condition).into(),
                    (a, b) if same_bits(a, b) => a.into(),
                    _ => Op::If { condition, yes, no }.into(),
                }
            }
            op => op.into(),
        }
    }

    /// The first component of a tuple that is the same as one of them.
    fn first_twin(&self, tuple: Atom, at: usize) -> usize {
        match tuple {
            Atom::Var(var) => self.twins.get(&var).and_then(|twins| twins.get(at)).copied().unwrap_or(at),
            _ => at,
        }
    }

    /// The array that an iteration goes through from end to end.
    fn copied(&self, Iteration { count, index, body }: &Iteration) -> Option<Atom> {
        let [Binding { var, op: Op::Index(array, at), .. }] = &body.bindings[..] else { return None };
        let Type::Array(size, _) = self.type_of(*array) else { return None };
        let all = *at == Atom::Var(*index) && body.result == Atom::Var(*var) && size_of(*count) == size;
        (all && *array != Atom::Var(*index)).then_some(*array)
    }

    /// The number whose negative an operand is.
    fn negated(&self, atom: Atom) -> Option<Atom> {
        match self.known(atom) {
            Some(Op::Scalar(primitive, operands)) if *primitive == &scalar::NEG => Some(operands[0]),
            _ => None,
        }
    }

    /// The tuple whose components these are, one after the other.
    fn taken_apart(&self, parts: &[Atom]) -> Option<Atom> {
        let Some(Op::Project(whole, 0)) = self.known(*parts.first()?) else { return None };
        let all = parts.iter().enumerate().all(
            |(at, part)| matches!(self.known(*part), Some(Op::Project(tuple, taken)) if tuple == whole && *taken == at),
        );
        let complete = self.type_of(*whole).components().is_some_and(|types| types.len() == parts.len());
        (all && complete).then_some(*whole)
    }

    // ---- signs of zeros ----

    fn is_unsigned(&self, atom: Atom) -> bool {
        match atom {
            Atom::Var(var) => self.unsigned.contains(&var),
            Atom::Real(value) => value != 0.0 || value.is_sign_positive(),
            _ => true,
        }
    }

    /// Whether an operation never gives −0, in any component.
    fn is_unsigned_op(&self, op: &Op) -> bool {
        match op {
            Op::Scalar(primitive, operands) => number::is_unsigned(primitive, operands, &|atom| self.is_unsigned(atom)),
            Op::ToReal(_) | Op::Zero(_) => true,
            Op::Tuple(parts) | Op::Array(parts) => parts.iter().all(|part| self.is_unsigned(*part)),
            Op::Project(whole, _) | Op::Index(whole, _) => self.is_unsigned(*whole),
            Op::Plus(a, b) => self.is_unsigned(*a) || self.is_unsigned(*b),
            Op::Build(Iteration { body, .. })
            | Op::Builds(Iteration { body, .. })
            | Op::Reduce(Reduction::Sum | Reduction::Max | Reduction::Min, Iteration { body, .. }) => {
                self.is_unsigned(body.result)
            }
            Op::If { yes, no, .. } => self.is_unsigned(yes.result) && self.is_unsigned(no.result),
            Op::Read(Atom::Var(accumulator)) => {
                !self.vars[accumulator.0 as usize].ty.any(&mut |part| *part == Type::Kept)
            }
            _ => false,
        }
    }
}

impl From<Atom> for Folded {
    fn from(atom: Atom) -> Folded {
        Folded::Atom(atom)
    }
}

impl From<Op> for Folded {
    fn from(op: Op) -> Folded {
        Folded::Op(op)
    }
}

/// Whether two operands are the same to the last bit.
fn same_bits(a: Atom, b: Atom) -> bool {
    match (a, b) {
        (Atom::Real(a), Atom::Real(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

/// The size that a type has at the end of a path, where that is an operand.
fn size_along(ty: &Type, path: &[Step]) -> Option<Atom> {
    match (path, ty) {
        ([], Type::Array(size, _)) if *size != Size::Hole => as_atom(size),
        ([Step::Component(at), rest @ ..], ty) => size_along(ty.component(*at)?, rest),
        _ => None,
    }
}

/// Of several arrays that are built at once, for each the first that is the same; none where all differ.
fn twins(op: &Op) -> Option<Vec<usize>> {
    // The state of a loop comes before what it keeps.
    let (body, first) = match op {
        Op::Builds(Iteration { body, .. }) => (body, 0),
        Op::Trace(Recurrence { body, .. }) => (body, 1),
        _ => return None,
    };
    let made = body.bindings.last().filter(|binding| Atom::Var(binding.var) == body.result)?;
    let Op::Tuple(parts) = &made.op else { return None };
    let mut seen: FxHashMap<Var, usize> = FxHashMap::default();
    let twins: Vec<usize> = (parts.iter().enumerate())
        .map(|(at, part)| match part {
            Atom::Var(var) if at >= first => *seen.entry(*var).or_insert(at),
            _ => at,
        })
        .collect();
    (seen.len() + first < parts.len()).then_some(twins)
}
