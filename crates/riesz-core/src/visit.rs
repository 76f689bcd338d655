//! The parts of an operation: its operands, the variables that it binds, its bodies. Passes over the core that treat
//! most operations alike use these functions.

use crate::term::{Atom, Body, Iteration, Op, Place, Recurrence, Var};

macro_rules! visitors {
    ($atoms:ident, $bound:ident, $bodies:ident $(, $mutable:tt)?) => {
        /// Calls `f` on every operand outside the bodies.
        pub fn $atoms(&$($mutable)? self, f: &mut dyn FnMut(&$($mutable)? Atom)) {
            // Every pass over a program comes by here or below.
            riesz_limit::poll();
            match self {
                Op::Copy(a)
                | Op::Not(a)
                | Op::ToReal(a)
                | Op::Truncate(a)
                | Op::IsNan(a)
                | Op::Project(a, _)
                | Op::SizeOf(a, _)
                | Op::Read(a)
                | Op::Zero(a)
                | Op::Hold(a) => f(a),
                Op::Compare(_, a, b)
                | Op::Same(a, b)
                | Op::Index(a, b)
                | Op::Apply(a, b)
                | Op::CheckSizes(a, b)
                | Op::Plus(a, b)
                | Op::Graft(a, b) => {
                    f(a);
                    f(b);
                }
                Op::Near(a, b, c) => {
                    f(a);
                    f(b);
                    f(c);
                }
                Op::Scalar(_, atoms)
                | Op::Tuple(atoms)
                | Op::Array(atoms)
                | Op::ArrayFunction(_, atoms)
                | Op::Call(_, atoms)
                | Op::Ruled(_, atoms)
                | Op::Closure(_, atoms)
                | Op::Derive(_, atoms)
                | Op::OnMaps(_, atoms)
                | Op::Map { captured: atoms, .. } => {
                    for atom in atoms {
                        f(atom);
                    }
                }
                Op::AddTo(accumulator, path, value) => {
                    f(accumulator);
                    for place in path {
                        if let Place::Element(index) = place {
                            f(index);
                        }
                    }
                    f(value);
                }
                Op::Build(Iteration { count, .. })
                | Op::Builds(Iteration { count, .. })
                | Op::For(Iteration { count, .. })
                | Op::Reduce(_, Iteration { count, .. }) => f(count),
                Op::If { condition, .. } => f(condition),
                Op::Loop(Recurrence { start, count, .. })
                | Op::Scan(Recurrence { start, count, .. })
                | Op::Trace(Recurrence { start, count, .. }) => {
                    f(start);
                    f(count);
                }
                Op::While { start, .. } | Op::TraceWhile { start, .. } => f(start),
                Op::Global(_) | Op::Accumulator => {}
            }
        }

        /// Calls `f` on every variable that the operation binds for its bodies.
        pub fn $bound(&$($mutable)? self, f: &mut dyn FnMut(&$($mutable)? Var)) {
            match self {
                Op::Build(Iteration { index, .. })
                | Op::Builds(Iteration { index, .. })
                | Op::For(Iteration { index, .. })
                | Op::Reduce(_, Iteration { index, .. }) => f(index),
                Op::Loop(Recurrence { state, index, .. })
                | Op::Scan(Recurrence { state, index, .. })
                | Op::Trace(Recurrence { state, index, .. }) => {
                    f(state);
                    f(index);
                }
                Op::While { state, .. } | Op::TraceWhile { state, .. } => f(state),
                _ => {}
            }
        }

        /// Calls `f` on every body.
        pub fn $bodies<'a>(&'a $($mutable)? self, f: &mut dyn FnMut(&'a $($mutable)? Body)) {
            riesz_limit::poll();
            match self {
                Op::Build(Iteration { body, .. })
                | Op::Builds(Iteration { body, .. })
                | Op::For(Iteration { body, .. })
                | Op::Reduce(_, Iteration { body, .. })
                | Op::Loop(Recurrence { body, .. })
                | Op::Scan(Recurrence { body, .. })
                | Op::Trace(Recurrence { body, .. }) => f(body),
                Op::If { yes, no, .. } => {
                    f(yes);
                    f(no);
                }
                Op::While { condition, body, .. } | Op::TraceWhile { condition, body, .. } => {
                    f(condition);
                    f(body);
                }
                _ => {}
            }
        }
    };
}

impl Op {
    visitors!(visit_atoms, visit_bound, visit_bodies);
    visitors!(visit_atoms_mut, visit_bound_mut, visit_bodies_mut, mut);

    /// The index of a loop that takes a number of iterations, and that number.
    pub fn iterations(&self) -> Option<(Var, Atom)> {
        match self {
            Op::Build(Iteration { index, count, .. })
            | Op::Builds(Iteration { index, count, .. })
            | Op::Reduce(_, Iteration { index, count, .. })
            | Op::For(Iteration { index, count, .. })
            | Op::Loop(Recurrence { index, count, .. })
            | Op::Scan(Recurrence { index, count, .. })
            | Op::Trace(Recurrence { index, count, .. }) => Some((*index, *count)),
            _ => None,
        }
    }
}
