//! Iterations: `build`, reductions, and loops that rebind a state.

use super::array::{self, Empty, count_of};
use super::kept::{Growing, GrowingArrays};
use super::limits::Fault;
use super::{Machine, atom, element_type, problem, trap};
use crate::evaluate::Value;
use crate::term::{Function, Iteration, Recurrence, Reduction};
use crate::types::Type;
use riesz_primitive::{Number, Primitive, scalar};
use riesz_syntax::Span;

/// The step after an iteration: from its result to the next state.
pub(super) type After<'a, 'p, S> = dyn FnMut(&mut Machine<'p, S>, Value<S>) -> Result<Value<S>, Fault> + 'a;

impl<'p, S: Number> Machine<'p, S> {
    pub(super) fn build(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        Iteration { count, index, body }: &'p Iteration,
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let count = count_of(atom(frame, *count).int(), span)?;
        let mut element = |machine: &mut Self, at: usize| {
            machine.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at as i64);
            machine.body(function, frame, body)
        };
        Ok(match element_type(ty) {
            Type::Real => {
                let (mut elements, _held) = self.storage::<S>(count, span)?;
                for at in 0..count {
                    elements.push(element(self, at)?.real());
                }
                Value::reals(elements)
            }
            Type::Int => {
                let (mut elements, _held) = self.storage::<i64>(count, span)?;
                for at in 0..count {
                    elements.push(element(self, at)?.int());
                }
                Value::ints(elements)
            }
            _ => {
                let (elements, held) = self.storage::<Value<S>>(count, span)?;
                let mut elements = Growing { elements, held };
                for at in 0..count {
                    let value = element(self, at)?;
                    elements.push(self, value, span)?;
                }
                Value::values(elements.elements)
            }
        })
    }

    pub(super) fn builds(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        Iteration { count, index, body }: &'p Iteration,
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let count = count_of(atom(frame, *count).int(), span)?;
        let mut kept = GrowingArrays::new(ty, 0);
        for at in 0..count {
            self.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at as i64);
            let given = self.body(function, frame, body)?;
            kept.keep_all(self, given.parts(), span)?;
        }
        Ok(Value::Tuple(kept.arrays().into()))
    }

    pub(super) fn reduce(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        reduction: Reduction,
        Iteration { count, index, body }: &'p Iteration,
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let count = count_of(atom(frame, *count).int(), span)?;
        let mut best = 0;
        let mut total: Option<Value<S>> = None;
        for at in 0..count {
            self.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at as i64);
            let element = self.body(function, frame, body)?;
            self.whole(&element, span)?;
            // A sum inside of this one, over nothing, has no size where its type tells none.
            let empty = if reduction == Reduction::Sum { Empty::IsZero } else { Empty::Differs };
            let watch = self.trap.as_deref();
            let combine = |total: Value<S>, primitive: &'static Primitive| {
                let before = watch.map(|_| total.clone());
                let combined = array::combine(total, &element, primitive, empty, span)?;
                if let Some(before) = before {
                    trap::inspect_step(watch, span, (&before, &element), primitive, &combined);
                }
                Ok::<_, Fault>(combined)
            };
            total = Some(match (total, reduction) {
                (None, _) => element,
                (Some(total), Reduction::Sum) => combine(total, &scalar::ADD)?,
                (Some(total), Reduction::Product) => combine(total, &scalar::MUL)?,
                (Some(total), Reduction::Max) => combine(total, &scalar::MAX)?,
                (Some(total), Reduction::Min) => combine(total, &scalar::MIN)?,
                (Some(total), Reduction::ArgMax | Reduction::ArgMin) => {
                    if better(reduction, &element, &total) {
                        best = at;
                        element
                    } else {
                        total
                    }
                }
                (Some(_), Reduction::All | Reduction::Any) => element,
            });
            match (reduction, &total) {
                (Reduction::All, Some(Value::Bool(false))) | (Reduction::Any, Some(Value::Bool(true))) => break,
                _ => {}
            }
        }
        match (reduction, total) {
            (Reduction::ArgMax | Reduction::ArgMin, Some(_)) => Ok(Value::Int(best as i64)),
            (_, Some(total)) => Ok(total),
            (Reduction::Sum, None) => self.filled(ty, 0.0, frame, span),
            (Reduction::Product, None) => self.filled(ty, 1.0, frame, span),
            (Reduction::All, None) => Ok(Value::Bool(true)),
            (Reduction::Any, None) => Ok(Value::Bool(false)),
            (Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin, None) => {
                Err(problem::empty(reduction, span))
            }
        }
    }

    pub(super) fn iterations(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        Recurrence { state, start, count, index, body }: &'p Recurrence,
        span: Span,
        after: &mut After<'_, 'p, S>,
    ) -> Result<Value<S>, Fault> {
        frame[state.0 as usize] = atom(frame, *start);
        for at in 0..atom(frame, *count).int() {
            self.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at);
            let given = self.body(function, frame, body)?;
            frame[state.0 as usize] = after(self, given)?;
        }
        Ok(std::mem::replace(&mut frame[state.0 as usize], Value::Int(0)))
    }
}

/// Whether an element is to be preferred to the best so far; the first NaN is.
fn better<S: Number>(reduction: Reduction, element: &Value<S>, best: &Value<S>) -> bool {
    match (element, best) {
        (Value::Int(a), Value::Int(b)) => {
            if reduction == Reduction::ArgMax {
                a > b
            } else {
                a < b
            }
        }
        _ => {
            let (a, b) = element.real().compared(&best.real());
            !b.is_nan() && (a.is_nan() || if reduction == Reduction::ArgMax { a > b } else { a < b })
        }
    }
}
