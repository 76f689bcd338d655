//! `x + 0 = x` where the sign of a zero has no effect.
//!
//! The sum turns −0 into 0 and changes nothing else. In a sum, a product, a negation or a copy, the sign of a zero
//! affects only the sign of a zero result; exact products, comparisons and accumulators do not depend on it at all. The
//! numbers whose sign at zero matters are therefore found from the end: the results of the function, and all operands
//! in other uses.

use crate::rename::Renaming;
use riesz_core::term::{Atom, Body, Function, Iteration, Op, Reduction, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::scalar::{ADD, COS, COSH, EXACT_MUL, EXP, MUL, NEG, SUB};
use riesz_primitive::{Primitive, array};
use rustc_hash::FxHashSet;

/// Drops additions of zero that make no difference.
pub(crate) fn zero(function: &mut Function) {
    let mut signs = Signs { vars: &function.vars, matter: FxHashSet::default(), renaming: Renaming::default() };
    signs.atom(function.body.result);
    signs.body(&function.body);
    let renaming = signs.renaming;
    renaming.body(&mut function.body);
}

struct Signs<'v> {
    vars: &'v [VarInfo],
    /// Variables in which the sign of a zero matters.
    matter: FxHashSet<Var>,
    renaming: Renaming,
}

impl Signs<'_> {
    /// Goes through a body from its end; whether its result matters is known.
    fn body(&mut self, body: &Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in body.bindings.iter().rev() {
                self.op(binding.var, &binding.op);
            }
        });
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.matter.insert(var);
        }
    }

    fn op(&mut self, var: Var, op: &Op) {
        let matters = self.matter.contains(&var);
        match op {
            Op::Scalar(primitive, operands) if is_one_of(primitive, &[&ADD, &SUB, &MUL, &NEG]) => {
                if matters {
                    operands.iter().for_each(|operand| self.atom(*operand));
                } else if let [x @ Atom::Var(_), Atom::Real(0.0)] | [Atom::Real(0.0), x @ Atom::Var(_)] = operands[..]
                    && is_one_of(primitive, &[&ADD])
                {
                    self.renaming.insert(var, x);
                }
            }
            Op::Scalar(primitive, _) if is_one_of(primitive, &[&EXACT_MUL, &EXP, &COS, &COSH]) => {}
            Op::Compare(..) | Op::Same(..) | Op::Near(..) | Op::IsNan(_) | Op::SizeOf(..) | Op::Zero(_) => {}
            Op::ArrayFunction(primitive, _) if *primitive == &array::EXACT_DOT => {}
            // Nothing in an accumulator is −0, unless it takes its shape from what is added.
            Op::AddTo(Atom::Var(accumulator), _, value) => {
                if self.vars[accumulator.0 as usize].ty.any(&mut |part| *part == Type::Kept) {
                    self.atom(*value);
                }
            }
            Op::Copy(_) | Op::Tuple(_) | Op::Array(_) | Op::Project(..) | Op::Index(..) | Op::Plus(..) => {
                if matters {
                    op.visit_atoms(&mut |atom| self.atom(*atom));
                }
            }
            Op::Build(Iteration { body, .. })
            | Op::Builds(Iteration { body, .. })
            | Op::Reduce(Reduction::Sum, Iteration { body, .. }) => {
                if matters {
                    self.atom(body.result);
                }
                self.body(body);
            }
            Op::For(Iteration { body, .. }) => self.body(body),
            Op::If { yes, no, .. } => {
                for branch in [yes, no] {
                    if matters {
                        self.atom(branch.result);
                    }
                    self.body(branch);
                }
            }
            _ => {
                op.visit_atoms(&mut |atom| self.atom(*atom));
                op.visit_bodies(&mut |body| {
                    self.atom(body.result);
                    self.body(body);
                });
            }
        }
    }
}

fn is_one_of(primitive: &'static Primitive, rows: &[&'static Primitive]) -> bool {
    rows.iter().any(|row| std::ptr::eq(*row, primitive))
}
