//! The operations of the core, one by one.

use super::infer_shapes::tangent;
use super::residual;
use super::value::{Array, Cells, Shape, Target, Value};
use super::{Lowered, Lowerer, Unsupported};
use crate::layout::kind_of;
use crate::program::{Element, Expression, Fault, Kind, Operand, Statement};
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Op, Ruled, Var};
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

impl<'p> Lowerer<'_, 'p> {
    /// A binding, whose value goes to a target if there is one.
    pub(super) fn binding(&mut self, binding: &'p Binding, target: Option<&Target>) -> Lowered<()> {
        if self.added.contains(&binding.var) {
            return Ok(());
        }
        let value = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.operation(binding, target))?;
        self.values[binding.var.0 as usize] = Some(value);
        Ok(())
    }

    pub(super) fn operation(&mut self, binding: &'p Binding, target: Option<&Target>) -> Lowered<Value> {
        let span = binding.span;
        let name = self.name(binding.var);
        let ty = self.ty(binding.var);
        match &binding.op {
            Op::Copy(a) if *ty == Type::Kept => self.keep(*a, span),
            Op::Copy(a) | Op::Hold(a) | Op::Graft(a, _) => self.atom(*a, span),
            Op::Scalar(primitive, arguments) => self.scalar(primitive, arguments, ty, name, span),
            Op::Compare(comparison, a, b) => {
                let (a, b) = (self.number(*a, span)?, self.number(*b, span)?);
                self.bound(Kind::Bool, name, Expression::Compare(*comparison, a, b))
            }
            Op::Same(a, b) => {
                let (a, b) = (self.atom(*a, span)?, self.atom(*b, span)?);
                self.all_agree(&a, &b, None, span)
            }
            Op::Near(a, b, tolerance) => {
                let (a, b) = (self.atom(*a, span)?, self.atom(*b, span)?);
                let tolerance = self.number(*tolerance, span)?;
                self.all_agree(&a, &b, Some(tolerance), span)
            }
            Op::Not(a) => {
                let a = self.number(*a, span)?;
                self.bound(Kind::Bool, name, Expression::Not(a))
            }
            Op::ToReal(a) => {
                let a = self.number(*a, span)?;
                self.bound(Kind::Real, name, Expression::ToReal(a))
            }
            Op::Truncate(a) => {
                let a = self.number(*a, span)?;
                let site = self.build.site(Fault::Truncate, span);
                self.bound(Kind::Int, name, Expression::Truncate(a, site))
            }
            Op::IsNan(a) => {
                let a = self.number(*a, span)?;
                self.bound(Kind::Bool, name, Expression::IsNan(a))
            }
            Op::Tuple(parts) => Ok(Value::Tuple(self.atoms(parts, span)?)),
            Op::Project(a, at) => match self.atom(*a, span)? {
                Value::Tuple(mut parts) if *at < parts.len() => Ok(parts.swap_remove(*at)),
                Value::Number(residuals) if self.is_residual(*a) => {
                    let value = self.recall(residuals, *at, ty, span)?;
                    Ok(self.retyped(value, ty, span))
                }
                _ => Err(unsupported_layout("this value", span)),
            },
            Op::Array(elements) => self.array_of(elements, binding.var, target, span),
            Op::Index(array, index) if let Some(len) = self.omitted_len(*array) => {
                let index = self.number(*index, span)?;
                self.build.check_index(index, Operand::Int(len), span);
                let shape = self.shape_of_type(ty, span)?;
                self.zero(&shape, &name, span)
            }
            Op::Index(array, index) => {
                let array = self.array(*array, span)?;
                let index = self.number(*index, span)?;
                self.build.check_index(index, array.len, span);
                let cells = self.element_of(&array.cells, index);
                let value = self.read(&cells, &name);
                Ok(self.retyped(value, ty, span))
            }
            Op::Build(iteration) => self.build_array(iteration, binding.var, target, span),
            Op::Builds(iteration) => self.build_arrays(iteration, binding.var, target, span),
            Op::Reduce(reduction, iteration) => self.reduce(*reduction, iteration, binding.var, target, span),
            Op::For(iteration) => {
                let count = self.number(iteration.count, span)?;
                self.iterate(iteration, count, span, &mut |lowerer| lowerer.body(&iteration.body).map(|_| ()))?;
                Ok(Value::unit())
            }
            Op::If { condition, yes, no } => self.either_body(*condition, yes, no, binding.var, target, span),
            Op::Loop(iteration) => self.iteration(iteration, span),
            Op::Scan(iteration) => self.scan(iteration, binding.var, target, span),
            Op::Trace(iteration) => self.trace(iteration, binding.var, target, span),
            Op::While { state, start, condition, body } => self.while_(*state, *start, condition, body, span),
            Op::Call(called, arguments) | Op::Ruled(Ruled { value: called, .. }, arguments) => {
                let value = self.call(*called, arguments, span)?;
                Ok(self.retyped(value, ty, span))
            }
            Op::Global(global) => match self.globals.get(global) {
                Some(value) => Ok(value.clone()),
                None => {
                    Err(Unsupported { reason: "the value of a top-level `let` is not available here".into(), span })
                }
            },
            Op::Plus(..) | Op::Zero(_) if residual::is_in(ty) => {
                Err(unsupported("a recursive function is differentiated twice", span))
            }
            Op::Plus(a, b) => {
                let (a, b) = (self.atom(*a, span)?, self.atom(*b, span)?);
                self.plus(&a, &b, name, span)
            }
            Op::Zero(a) => {
                let shape = match self.shape_of_type(ty, span) {
                    Ok(shape) if shape.is_exact() => shape,
                    _ => {
                        let value = self.atom(*a, span)?;
                        tangent(self.shape_of_value(&value, span)?)
                    }
                };
                self.zero(&shape, &name, span)
            }
            Op::Accumulator => match ty {
                Type::Accumulator(inner) => Ok(Value::Accumulator(self.accumulator_at(inner, target, &name, span)?)),
                _ => Err(unsupported_layout("this accumulator", span)),
            },
            Op::AddTo(accumulator, path, value) => {
                let Value::Accumulator(accumulator) = self.atom(*accumulator, span)? else {
                    return Err(unsupported_layout("this accumulator", span));
                };
                let part = self.part_of(accumulator, path, span)?;
                if let Atom::Var(var) = value
                    && self.added.contains(var)
                    && let Some(built) = self.bindings.get(var).copied()
                {
                    return self.add_built(&part, built, span);
                }
                let value = self.atom(*value, span)?;
                self.add_to(&part, &value, span)?;
                Ok(Value::unit())
            }
            Op::Read(accumulator) => match self.atom(*accumulator, span)? {
                Value::Accumulator(accumulator) => Ok(self.read_accumulator(&accumulator)),
                _ => Err(unsupported_layout("this accumulator", span)),
            },
            Op::SizeOf(a, path) => {
                let value = self.atom(*a, span)?;
                self.size_of(&value, path, span).map(Value::Number)
            }
            Op::CheckSizes(a, b) => {
                let (a, b) = (self.number(*a, span)?, self.number(*b, span)?);
                self.build.check_equal(a, b, Fault::Sizes, span);
                Ok(Value::unit())
            }
            Op::ArrayFunction(primitive, arguments) => {
                self.array_function(primitive, arguments, binding.var, target, span)
            }
            Op::TraceWhile { state, start, condition, body } => self.trace_while(*state, *start, condition, body, span),
            Op::Closure(..) | Op::Apply(..) => Err(unsupported("it uses a function as a value", span)),
            Op::Map { .. } | Op::OnMaps(..) => Err(unsupported("it uses a linear map as a value", span)),
            Op::Derive(..) => Err(unsupported("a derivative has not been compiled", span)),
        }
    }

    pub(super) fn bound(&mut self, kind: Kind, name: Option<Name>, expression: Expression) -> Lowered<Value> {
        Ok(Value::Number(self.build.bind(kind, name, expression)))
    }

    pub(super) fn atoms(&self, atoms: &[Atom], span: Span) -> Lowered<Vec<Value>> {
        atoms.iter().map(|atom| self.atom(*atom, span)).collect()
    }

    pub(super) fn array(&self, atom: Atom, span: Span) -> Lowered<Array> {
        match self.atom(atom, span)? {
            Value::Array(array) => Ok(array),
            _ => Err(unsupported_layout("this array", span)),
        }
    }

    /// The value with the lengths that its type says, where the type says it.
    fn retyped(&mut self, value: Value, ty: &Type, span: Span) -> Value {
        match (value, ty) {
            (Value::Array(array), Type::Array(size, _)) => {
                let len = match self.size(size, span) {
                    Ok(len) if !self.build.is_mutable(len) => len,
                    _ => array.len,
                };
                self.build.bounds.is_size(len);
                Value::Array(Array { len, cells: array.cells })
            }
            (value, _) => value,
        }
    }

    fn array_of(&mut self, elements: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let values = self.atoms(elements, span)?;
        let target = match target {
            Some(target) => target.clone(),
            None => {
                let shape = match values.first() {
                    Some(first) => {
                        let element = self.shape_of_value(first, span)?;
                        let most = Operand::Int(values.len() as i64);
                        Shape::Array(super::value::Extent { most, exact: true }, Box::new(element))
                    }
                    None => self.infer_shape(Atom::Var(var))?,
                };
                Target { cells: self.room_for(&shape, &self.name(var), span), add: false }
            }
        };
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, Operand::Int(values.len() as i64), Fault::WrongShape, span);
        for (at, value) in values.iter().enumerate() {
            let cells = self.element_of(inner, Operand::Int(at as i64));
            self.write(value, &Target { cells, add: target.add }, span)?;
        }
        Ok(self.in_target(&target, Some(Operand::Int(values.len() as i64))))
    }

    /// The value in a target that has been written. The caller knows the length of an array.
    pub(super) fn in_target(&mut self, target: &Target, len: Option<Operand>) -> Value {
        match (&target.cells, len) {
            (Cells::Array(_, inner), Some(len)) => Value::Array(Array { len, cells: (**inner).clone() }),
            (cells, _) => self.read(cells, &None),
        }
    }

    fn either_body(
        &mut self,
        condition: Atom,
        yes: &'p Body,
        no: &'p Body,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let condition = self.number(condition, span)?;
        let ty = self.ty(var);
        let made = match target {
            Some(target) => Some(target.clone()),
            None if self.holds_arrays(ty) => match self.infer_shape(Atom::Var(var)) {
                Ok(shape) => Some(Target { cells: self.room_for_choice(var, &shape, span)?, add: false }),
                Err(_) => return self.either_of_dynamic_size(condition, [yes, no], var, span),
            },
            None => None,
        };
        if let Some(target) = made {
            let mut blocks = Vec::new();
            for body in [yes, no] {
                let opened = self.build.open();
                let written = self.body_into(body, &target);
                blocks.push(self.build.close(opened));
                written?;
            }
            let no = blocks.pop().unwrap_or_default();
            self.build.push(Statement::If(condition, blocks.pop().unwrap_or_default(), no));
            return match target.add {
                true => Ok(Value::unit()),
                false => Ok(self.in_target(&target, None)),
            };
        }
        let result = self.numbers_of(ty, &self.name(var), span)?;
        let mut blocks = Vec::new();
        for body in [yes, no] {
            let opened = self.build.open();
            let written = self.body(body).and_then(|value| self.set(&result, &value, span));
            blocks.push(self.build.close(opened));
            written?;
        }
        let no = blocks.pop().unwrap_or_default();
        self.build.push(Statement::If(condition, blocks.pop().unwrap_or_default(), no));
        Ok(result)
    }

    /// Mutable registers for the numbers of a type without arrays.
    pub(super) fn numbers_of(&mut self, ty: &Type, name: &Option<Name>, span: Span) -> Lowered<Value> {
        match ty {
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                Ok(Value::Tuple(parts.iter().map(|part| self.numbers_of(part, name, span)).collect::<Lowered<_>>()?))
            }
            _ => {
                let kind = kind_of(ty).ok_or_else(|| super::not_data(ty, span))?;
                Ok(Value::Number(Operand::Register(self.build.mutable(kind, name.clone()))))
            }
        }
    }

    /// Sets mutable registers to a value.
    pub(super) fn set(&mut self, registers: &Value, value: &Value, span: Span) -> Lowered<()> {
        match (registers, value) {
            (Value::Number(Operand::Register(register)), Value::Number(operand)) => {
                if *operand != Operand::Register(*register) {
                    self.build.push(Statement::Set(*register, *operand));
                }
                Ok(())
            }
            (Value::Tuple(registers), Value::Tuple(values)) => {
                registers.iter().zip(values).try_for_each(|(register, value)| self.set(register, value, span))
            }
            _ => Err(unsupported("a value changes its shape", span)),
        }
    }

    /// The element of a buffer that cells of a number are.
    pub(super) fn cell(&self, cells: &Cells, span: Span) -> Lowered<Element> {
        match cells {
            Cells::Number(_, place) => Ok(Element { buffer: place.buffer, at: place.offset }),
            _ => Err(unsupported_layout("this value", span)),
        }
    }
}

pub(super) fn unsupported(reason: &str, span: Span) -> Unsupported {
    Unsupported { reason: reason.into(), span }
}

/// The same for a value whose layout an operation does not expect.
pub(super) fn unsupported_layout(of: &str, span: Span) -> Unsupported {
    unsupported(&format!("the layout of {of} is not supported"), span)
}
