//! The transpose of a loop runs backwards: its state is the cotangent of the state.

use super::Transposer;
use crate::compile::has_holes;
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Comparison, Op, Recurrence};
use riesz_primitive::scalar;
use riesz_syntax::Span;

impl Transposer<'_> {
    /// A loop runs backwards: its state is the cotangent of the state.
    pub(super) fn iterations(&mut self, op: &Op, recurrence: &Recurrence, given: Atom, ty: &Type, span: Span) {
        let Recurrence { state, start, count, index, body } = recurrence;
        let state_type = self.ty(*state);
        let (first, arrays) = match op {
            Op::Loop(_) => (given, Vec::new()),
            Op::Scan(_) => (self.after_scan(given, &state_type, *count, span), vec![given]),
            _ => {
                let types = ty.components().unwrap_or_default();
                let mut parts: Vec<Atom> =
                    types.into_iter().enumerate().map(|(at, ty)| self.bind(Op::Project(given, at), ty, span)).collect();
                let first = parts.remove(0);
                (first, parts)
            }
        };
        self.open();
        let cotangent_state = self.var(state_type.clone());
        let iteration_index = self.var(Type::Int);
        let last = self.bind(Op::Scalar(&scalar::SUB, vec![*count, Atom::Int(1)]), Type::Int, span);
        self.push(Binding { var: *index, op: Op::Scalar(&scalar::SUB, vec![last, Atom::Var(iteration_index)]), span });
        self.level(&body.bindings, span, |transposer, by_parts| {
            // The state itself may be used by parts inside the body.
            if by_parts.contains(state) {
                transposer.accumulator(*state, span);
            }
            let mut kept = Vec::new();
            for array in arrays {
                let Type::Array(_, element) = transposer.atom_type(array) else { continue };
                kept.push(transposer.bind(Op::Index(array, Atom::Var(*index)), (*element).clone(), span));
            }
            let cotangent = match op {
                Op::Loop(_) => Atom::Var(cotangent_state),
                Op::Scan(_) => transposer.plus(Atom::Var(cotangent_state), kept[0], &state_type, span),
                _ => {
                    kept.insert(0, Atom::Var(cotangent_state));
                    let ty = transposer.atom_type(body.result);
                    transposer.bind(Op::Tuple(kept), ty, span)
                }
            };
            Some((body.result, cotangent))
        });
        let before = match self.cotangent(*state, span) {
            Some(before) => before,
            None => self.zero_of(*state, span),
        };
        let body = self.close(before);
        let recurrence =
            Recurrence { state: cotangent_state, start: first, count: *count, index: iteration_index, body };
        let result = self.bind(Op::Loop(recurrence), state_type, span);
        self.add(*start, &[], result, span);
    }

    /// The cotangent of the state after a scan that is not used: a zero like the last of all states.
    pub(super) fn after_scan(&mut self, states: Atom, ty: &Type, count: Atom, span: Span) -> Atom {
        if !has_holes(ty) {
            return self.zero(ty, span);
        }
        let some = self.bind(Op::Compare(Comparison::Less, Atom::Int(0), count), Type::Bool, span);
        self.open();
        let last = self.integer(&scalar::SUB, count, Atom::Int(1), span);
        let last = self.bind(Op::Index(states, last), ty.clone(), span);
        let zero = self.bind(Op::Zero(last), ty.clone(), span);
        let yes = self.close(zero);
        self.open();
        let zero = self.zero(ty, span);
        let no = self.close(zero);
        self.bind(Op::If { condition: some, yes, no }, ty.clone(), span)
    }
}
