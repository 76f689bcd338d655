//! The value of each operation of the core.

use super::array::{self, Empty, size_at};
use super::kept::{Growing, GrowingArrays};
use super::number::{compare, scalar_operation, truncate};
use super::{Closure, Fault, Machine, Map, Value, atom, element_type, index_array, problem};
use crate::order::Orders;
use crate::term::{Atom, Binding, Derive, Function, Iteration, OnMaps, Op};
use crate::types::Type;
use riesz_primitive::{Number, scalar};
use riesz_syntax::Diagnostic;
use std::cell::RefCell;
use std::rc::Rc;

impl<'p, S: Number> Machine<'p, S> {
    pub(super) fn operation(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        binding: &'p Binding,
    ) -> Result<Value<S>, Fault> {
        let span = binding.span;
        let ty = || &function.var(binding.var).ty;
        Ok(match &binding.op {
            Op::Copy(a) => atom(frame, *a),
            Op::Scalar(primitive, arguments) => scalar_operation(frame, primitive, arguments, span)?,
            Op::Index(array, index) => index_array(frame, *array, *index, span)?,
            Op::Compare(comparison, a, b) => Value::Bool(compare(frame, *comparison, *a, *b)),
            Op::Same(a, b) => {
                self.whole(&atom(frame, *a), span)?;
                Value::Bool(atom(frame, *a).same(&atom(frame, *b)))
            }
            Op::Near(a, b, tolerance) => {
                self.whole(&atom(frame, *a), span)?;
                let distance = atom(frame, *a).distance(&atom(frame, *b));
                Value::Bool(distance.is_finite() && distance <= atom(frame, *tolerance).real().decided())
            }
            Op::Not(a) => Value::Bool(!atom(frame, *a).bool()),
            Op::ToReal(a) => Value::Real(S::constant(atom(frame, *a).int() as f64)),
            Op::Truncate(a) => Value::Int(truncate(atom(frame, *a).real().decided(), span)?),
            Op::IsNan(a) => Value::Bool(atom(frame, *a).real().decided().is_nan()),
            Op::Tuple(parts) => Value::Tuple(parts.iter().map(|part| atom(frame, *part)).collect()),
            Op::Project(a, at) => {
                let part = match a {
                    Atom::Var(var) => frame[var.0 as usize].parts().get(*at).cloned(),
                    _ => None,
                };
                match part {
                    None | Some(Value::Zero) => self.untouched(ty(), frame, span)?,
                    Some(part) => part,
                }
            }
            Op::Array(elements) if elements.is_empty() => self.nothing(ty(), frame, span)?,
            Op::Array(elements) => {
                self.reserve(elements.len(), size_of::<Value<S>>(), span)?;
                let values = elements.iter().map(|element| atom(frame, *element)).collect();
                Value::array(element_type(ty()), values)
            }
            Op::Build(iteration) => self.build(function, frame, iteration, ty(), span)?,
            Op::Reduce(reduction, iteration) => self.reduce(function, frame, *reduction, iteration, ty(), span)?,
            Op::If { condition, yes, no } => {
                let body = if atom(frame, *condition).bool() { yes } else { no };
                return self.body(function, frame, body);
            }
            Op::Loop(recurrence) => self.iterations(function, frame, recurrence, span, &mut |_, next| Ok(next))?,
            Op::Scan(recurrence) => {
                let mut states = Growing::default();
                self.iterations(function, frame, recurrence, span, &mut |machine, state| {
                    states.push(machine, state.clone(), span)?;
                    Ok(state)
                })?;
                Value::array(element_type(ty()), states.elements)
            }
            Op::While { state, start, condition, body } => {
                frame[state.0 as usize] = atom(frame, *start);
                while self.body(function, frame, condition)?.bool() {
                    self.fuel.step(span)?;
                    let next = self.body(function, frame, body)?;
                    frame[state.0 as usize] = next;
                }
                std::mem::replace(&mut frame[state.0 as usize], Value::Int(0))
            }
            Op::Builds(iteration) => self.builds(function, frame, iteration, ty(), span)?,
            Op::Trace(recurrence) => {
                let mut kept = GrowingArrays::new(ty(), 1);
                let last = self.iterations(function, frame, recurrence, span, &mut |machine, given| {
                    kept.keep(machine, given, span)
                })?;
                kept.finish(last, None)
            }
            Op::TraceWhile { state, start, condition, body } => {
                let mut kept = GrowingArrays::new(ty(), 2);
                frame[state.0 as usize] = atom(frame, *start);
                let mut iterations = 0;
                while self.body(function, frame, condition)?.bool() {
                    self.fuel.step(span)?;
                    let given = self.body(function, frame, body)?;
                    frame[state.0 as usize] = kept.keep(self, given, span)?;
                    iterations += 1;
                }
                kept.finish(std::mem::replace(&mut frame[state.0 as usize], Value::Int(0)), Some(iterations))
            }
            Op::For(Iteration { count, index, body }) => {
                for at in 0..atom(frame, *count).int() {
                    self.fuel.step(span)?;
                    frame[index.0 as usize] = Value::Int(at);
                    self.body(function, frame, body)?;
                }
                Value::unit()
            }
            Op::Plus(a, b) => {
                self.whole(&atom(frame, *a), span)?;
                array::combine(atom(frame, *a), &atom(frame, *b), &scalar::ADD, Empty::IsZero, span)?
            }
            Op::Zero(a) => {
                self.whole(&atom(frame, *a), span)?;
                atom(frame, *a).zero_tangent()
            }
            Op::Accumulator => {
                let Type::Accumulator(inner) = ty() else { return Ok(Value::unit()) };
                let zero = self.zero(inner, frame, span)?;
                Value::Accumulator(Rc::new(RefCell::new(zero)))
            }
            Op::AddTo(accumulator, path, value) => {
                let Value::Accumulator(cell) = atom(frame, *accumulator) else { return Ok(Value::unit()) };
                array::add_to(&mut cell.borrow_mut(), path, frame, &atom(frame, *value), span)?;
                Value::unit()
            }
            Op::Read(accumulator) => {
                let Value::Accumulator(cell) = atom(frame, *accumulator) else { return Ok(Value::unit()) };
                cell.replace(Value::Int(0))
            }
            Op::Map { forward, reverse, captured } => {
                self.reserve(captured.len(), size_of::<Value<S>>(), span)?;
                let captured = captured.iter().map(|value| atom(frame, *value)).collect();
                Value::Map(Map::Functions { forward: *forward, reverse: *reverse, captured }.share())
            }
            Op::OnMaps(operation, operands) => {
                self.reserve(1, size_of::<Map<S>>(), span)?;
                let values: Vec<Value<S>> = operands.iter().map(|operand| atom(frame, *operand)).collect();
                let orders = Orders::of(*operation, operands, function);
                let value = self.on_maps(*operation, &orders, &values, span)?;
                if matches!(operation, OnMaps::Matrix) { value.stored_as(ty()) } else { value }
            }
            Op::Derive(Derive::Taylor, operands) => {
                let values: Vec<Value<S>> = operands.iter().map(|operand| atom(frame, *operand)).collect();
                let found = match self.differentiate.clone() {
                    Some(differentiate) => differentiate.taylor(self, &values, span),
                    None => None,
                };
                match found {
                    Some(derivatives) => Value::array(element_type(ty()), derivatives?),
                    None => self.taylor(&values, element_type(ty()), span)?,
                }
            }
            Op::Derive(derive, operands) if let Some(differentiate) = self.differentiate.clone() => {
                let values: Vec<Value<S>> = operands.iter().map(|operand| atom(frame, *operand)).collect();
                differentiate.derive(self, *derive, &values, span)?
            }
            Op::Derive(..) => {
                return Err(Box::new(
                    Diagnostic::error(
                        "not-differentiable",
                        span,
                        "cannot differentiate a function that is known only at run time inside another derivative",
                    )
                    .help("differentiate a `fun`, or a function written where it is differentiated"),
                ));
            }
            Op::Call(called, arguments) => {
                self.call(*called, &mut arguments.iter().map(|argument| atom(frame, *argument)), span)?
            }
            Op::Ruled(ruled, arguments) => {
                let called = if S::ORDER == Some(0) { ruled.value } else { ruled.single };
                self.call(called, &mut arguments.iter().map(|argument| atom(frame, *argument)), span)?
            }
            Op::Hold(a) => atom(frame, *a).held(),
            Op::Graft(value, tangent) => atom(frame, *value).grafted(&atom(frame, *tangent), span)?,
            Op::Closure(called, captured) => {
                self.reserve(captured.len(), size_of::<Value<S>>(), span)?;
                let captured = captured.iter().map(|value| atom(frame, *value)).collect();
                Value::Closure(Rc::new(Closure::new(*called, captured)))
            }
            Op::Apply(called, argument) => {
                let argument = atom(frame, *argument);
                match atom(frame, *called) {
                    Value::Closure(closure) => {
                        self.call(closure.function, &mut closure.captured().iter().cloned().chain([argument]), span)?
                    }
                    Value::Map(map) => self.apply_map(&map, argument, false, span)?,
                    Value::Zero => Value::Zero,
                    _ => {
                        return Err(Box::new(Diagnostic::error(
                            "not-a-function",
                            span,
                            "this value is not a function",
                        )));
                    }
                }
            }
            Op::Global(global) => match self.globals.get(global) {
                Some(value) => value.clone(),
                None => return Err(Box::new(Diagnostic::error("no-value", span, "this value has not been given"))),
            },
            Op::SizeOf(a, path) => {
                if !path.is_empty() {
                    self.whole(&atom(frame, *a), span)?;
                }
                Value::Int(size_at(&atom(frame, *a), path, span)? as i64)
            }
            Op::CheckSizes(a, b) => {
                let (a, b) = (atom(frame, *a).int(), atom(frame, *b).int());
                if a != b {
                    return Err(problem::sizes_differ(a, b, span));
                }
                Value::unit()
            }
            Op::ArrayFunction(primitive, arguments) => {
                let values: Vec<Value<S>> = arguments.iter().map(|argument| atom(frame, *argument)).collect();
                self.array_function(primitive, &values, frame, ty(), span)?
            }
        })
    }
}
