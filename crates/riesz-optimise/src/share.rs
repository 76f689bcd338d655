//! `x = e; y = e` is `x = e; y = x`: common subexpression elimination, in the same body and the bodies around it.

use crate::rename::{Renaming, covers};
use riesz_core::term::{Atom, Body, Comparison, Function, FunctionId, GlobalId, OnMaps, Op, Ruled, Step, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::{Primitive, scalar};
use rustc_hash::FxHashMap;

/// Shares equal operations in a function. What is left of the others is a copy.
pub(crate) fn share(function: &mut Function) {
    let mut sharing = Sharing { vars: &function.vars, done: FxHashMap::default(), renaming: Renaming::default() };
    sharing.body(&mut function.body);
    let renaming = sharing.renaming;
    renaming.types(&mut function.vars);
}

struct Sharing<'v> {
    vars: &'v [VarInfo],
    /// The operations so far, with the variables that hold their results.
    done: FxHashMap<Key, Var>,
    renaming: Renaming,
}

impl Sharing<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let mut here = Vec::new();
            for binding in &mut body.bindings {
                self.renaming.operands(&mut binding.op);
                binding.op.visit_bodies_mut(&mut |body| self.body(body));
                let Some(key) = key(&binding.op, self.vars) else { continue };
                match self.done.get(&key) {
                    Some(&before) => {
                        if covers(self.ty(before), &self.renaming.ty(self.ty(binding.var))) {
                            self.renaming.insert(binding.var, Atom::Var(before));
                        }
                        binding.op = Op::Copy(Atom::Var(before));
                    }
                    None => {
                        self.done.insert(key.clone(), binding.var);
                        here.push(key);
                    }
                }
            }
            body.result = self.renaming.atom(body.result);
            // What was done in this body is out of sight after it.
            here.iter().for_each(|key| {
                self.done.remove(key);
            });
        });
    }

    fn ty(&self, var: Var) -> &Type {
        &self.vars[var.0 as usize].ty
    }
}

/// The part of an operation that determines its value.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    verb: Verb,
    operands: Vec<Operand>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Verb {
    Primitive(*const Primitive),
    Compare(u8),
    Same,
    Near,
    Not,
    ToReal,
    Truncate,
    IsNan,
    Tuple,
    Project(usize),
    Array,
    Index,
    Call(FunctionId),
    Ruled(Ruled),
    Closure(FunctionId),
    Apply,
    Global(GlobalId),
    Plus,
    Zero,
    Map(FunctionId, FunctionId),
    OnMaps(u8),
    SizeOf(Vec<Option<usize>>),
    CheckSizes,
}

/// An operand that can be compared: numbers by their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Operand {
    Var(Var),
    Int(i64),
    Real(u64),
    Bool(bool),
}

/// The key of an operation that can be shared; `None` for operations that have bodies or use accumulators.
fn key(op: &Op, vars: &[VarInfo]) -> Option<Key> {
    let verb = match op {
        Op::Scalar(primitive, _) | Op::ArrayFunction(primitive, _) => Verb::Primitive(*primitive),
        Op::Compare(comparison, ..) => Verb::Compare(match comparison {
            Comparison::Less => 0,
            Comparison::LessEqual => 1,
            Comparison::Greater => 2,
            Comparison::GreaterEqual => 3,
        }),
        Op::Same(..) => Verb::Same,
        Op::Near(..) => Verb::Near,
        Op::Not(_) => Verb::Not,
        Op::ToReal(_) => Verb::ToReal,
        Op::Truncate(_) => Verb::Truncate,
        Op::IsNan(_) => Verb::IsNan,
        Op::Tuple(parts) if !parts.is_empty() => Verb::Tuple,
        Op::Project(_, at) => Verb::Project(*at),
        // Without elements, the type alone says what it is an array of.
        Op::Array(elements) if !elements.is_empty() => Verb::Array,
        Op::Index(..) => Verb::Index,
        Op::Call(function, _) => Verb::Call(*function),
        Op::Ruled(ruled, _) => Verb::Ruled(*ruled),
        Op::Closure(function, _) => Verb::Closure(*function),
        Op::Apply(..) => Verb::Apply,
        Op::Global(global) => Verb::Global(*global),
        Op::Plus(..) => Verb::Plus,
        Op::Zero(_) => Verb::Zero,
        Op::Map { forward, reverse, .. } => Verb::Map(*forward, *reverse),
        Op::OnMaps(operation, _) => Verb::OnMaps(match operation {
            OnMaps::Adjoint => 0,
            OnMaps::Compose => 1,
            OnMaps::Add => 2,
            OnMaps::Subtract => 3,
            OnMaps::Scale => 4,
            OnMaps::Matrix => 5,
            OnMaps::Coo => 6,
            OnMaps::Entries => 7,
            OnMaps::OfEntries => 8,
            OnMaps::OfMatrix => 9,
            OnMaps::System => 10,
            OnMaps::Factors => 11,
        }),
        Op::SizeOf(_, path) => Verb::SizeOf(
            (path.iter())
                .map(|step| match step {
                    Step::Elements => None,
                    Step::Component(at) => Some(*at),
                })
                .collect(),
        ),
        Op::CheckSizes(..) => Verb::CheckSizes,
        _ => return None,
    };
    let mut operands = Vec::new();
    let mut touched = false;
    op.visit_atoms(&mut |atom| {
        touched |= matches!(atom, Atom::Var(var) if matches!(vars[var.0 as usize].ty, Type::Accumulator(_)));
        operands.push(match *atom {
            Atom::Var(var) => Operand::Var(var),
            Atom::Int(value) => Operand::Int(value),
            Atom::Real(value) => Operand::Real(value.to_bits()),
            Atom::Bool(value) => Operand::Bool(value),
        });
    });
    if touched {
        return None;
    }
    // These do not mind the order of their operands, to the last bit.
    if let Op::Scalar(primitive, _) = op
        && [&scalar::ADD, &scalar::MUL, &scalar::EXACT_MUL].contains(primitive)
    {
        operands.sort_unstable();
    }
    Some(Key { verb, operands })
}
