//! The operations of the core, one by one.

use super::foresee::tangent;
use super::kept;
use super::value::{Accumulator, Array, Cells, Length, Shape, Target, Value};
use super::{Lowered, Lowerer, Unsupported};
use crate::layout::kind_of;
use crate::program::{Element, Expression, Fault, Kind, Operand, Statement};
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Op, Place as Step, Step as SizeStep, Var};
use riesz_primitive::{Primitive, scalar};
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

    fn operation(&mut self, binding: &'p Binding, target: Option<&Target>) -> Lowered<Value> {
        let span = binding.span;
        let name = self.name(binding.var);
        let ty = self.ty(binding.var);
        match &binding.op {
            Op::Copy(a) if *ty == Type::Kept => self.keep(*a, span),
            Op::Copy(a) => self.atom(*a, span),
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
                Value::Number(kept) if self.is_kept(*a) => {
                    let value = self.recall(kept, *at, ty, span)?;
                    Ok(self.retyped(value, ty, span))
                }
                _ => Err(Unsupported { reason: "a component of something that has none".into(), span }),
            },
            Op::Array(elements) => self.array_of(elements, binding.var, target, span),
            Op::Index(array, index) if let Some(len) = self.left_out_len(*array) => {
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
            Op::Loop(turn) => self.turn(turn, span),
            Op::Scan(turn) => self.scan(turn, binding.var, target, span),
            Op::Trace(turn) => self.trace(turn, binding.var, target, span),
            Op::While { state, start, condition, body } => self.while_(*state, *start, condition, body, span),
            Op::Call(called, arguments) => {
                let value = self.call(*called, arguments, span)?;
                Ok(self.retyped(value, ty, span))
            }
            Op::Global(global) => match self.globals.get(global) {
                Some(value) => Ok(value.clone()),
                None => Err(Unsupported { reason: "a top-level value is not passed".into(), span }),
            },
            Op::Plus(..) | Op::Zero(_) if kept::is_in(ty) => {
                Err(unsupported("what a recursion keeps is differentiated here", span))
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
                _ => Err(Unsupported { reason: "an accumulator of nothing".into(), span }),
            },
            Op::AddTo(accumulator, path, value) => {
                let Value::Accumulator(accumulator) = self.atom(*accumulator, span)? else {
                    return Err(Unsupported { reason: "something is added to no accumulator".into(), span });
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
                _ => Err(Unsupported { reason: "something is read that is no accumulator".into(), span }),
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
            Op::Closure(..) | Op::Apply(..) => Err(unsupported("a function is a value here", span)),
            Op::Map { .. } | Op::OnMaps(..) => Err(unsupported("a linear map is a value here", span)),
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
            _ => Err(unsupported("an array is expected here", span)),
        }
    }

    fn scalar(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        ty: &Type,
        name: Option<Name>,
        span: Span,
    ) -> Lowered<Value> {
        let mut operands = Vec::with_capacity(arguments.len());
        for argument in arguments {
            operands.push(self.number(*argument, span)?);
        }
        if *ty == Type::Int {
            return self.integer(primitive, operands, name, span).map(Value::Number);
        }
        for operand in &mut operands {
            if self.build.kind(*operand) == Kind::Int {
                *operand = match *operand {
                    Operand::Int(value) => Operand::Real(value as f64),
                    operand => self.build.bind(Kind::Real, None, Expression::ToReal(operand)),
                };
            }
        }
        if std::ptr::eq(primitive, &scalar::POWI) {
            match operands[1] {
                Operand::Real(2.0) => {
                    return self.bound(
                        Kind::Real,
                        name,
                        Expression::Real(&scalar::MUL, vec![operands[0], operands[0]]),
                    );
                }
                Operand::Real(-1.0) => {
                    let one = Operand::Real(1.0);
                    return self.bound(Kind::Real, name, Expression::Real(&scalar::DIV, vec![one, operands[0]]));
                }
                _ => {}
            }
        }
        self.bound(Kind::Real, name, Expression::Real(primitive, operands))
    }

    /// A primitive of integers; sums that cannot overflow are not checked.
    fn integer(
        &mut self,
        primitive: &'static Primitive,
        operands: Vec<Operand>,
        name: Option<Name>,
        span: Span,
    ) -> Lowered<Operand> {
        let settled = operands.iter().all(|operand| !self.build.is_mutable(*operand));
        let bounds = &self.build.bounds;
        let size = match (primitive.name, &operands[..]) {
            ("+", [a, b]) => bounds.size(*a).add(&bounds.size(*b)),
            ("-", [a, b]) => bounds.size(*a).sub(&bounds.size(*b)),
            ("*", [a, b]) => bounds.size(*a).mul(&bounds.size(*b)),
            _ => None,
        }
        .filter(|_| settled);
        if let (Some(size), [a, b]) = (&size, &operands[..])
            && bounds.is_small(size)
            && operands.iter().all(|operand| bounds.is_small(&bounds.size(*operand)))
        {
            return Ok(match primitive.name {
                "+" => self.build.add(*a, *b),
                "-" => self.build.sub(*a, *b),
                _ => self.build.mul(*a, *b),
            });
        }
        let site = self.build.site(Fault::Integer(primitive), span);
        let computed = self.build.bind(Kind::Int, name, Expression::Int(primitive, operands, site));
        self.build.bounds.learn(computed, size);
        Ok(computed)
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
                    None => self.foresee(Atom::Var(var))?,
                };
                Target { cells: self.room_for(&shape, &self.name(var), span), add: false }
            }
        };
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported("an array is no array", span)) };
        self.set_length(length, Operand::Int(values.len() as i64), Fault::Unforeseen, span);
        for (at, value) in values.iter().enumerate() {
            let cells = self.element_of(inner, Operand::Int(at as i64));
            self.write(value, &Target { cells, add: target.add }, span)?;
        }
        Ok(self.in_target(&target, Some(Operand::Int(values.len() as i64))))
    }

    /// What has been written to a target, as a value. The length of an array is known to the one who wrote it.
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
            None if self.holds_arrays(ty) => {
                let shape = self.foresee(Atom::Var(var))?;
                Some(Target { cells: self.room_for(&shape, &self.name(var), span), add: false })
            }
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

    /// Whether two values agree in every component: are equal, or within a tolerance of each other.
    fn all_agree(&mut self, a: &Value, b: &Value, tolerance: Option<Operand>, span: Span) -> Lowered<Value> {
        let result = self.build.mutable(Kind::Bool, None);
        self.build.push(Statement::Set(result, Operand::Bool(true)));
        self.agree(a, b, tolerance, result, span)?;
        Ok(Value::Number(Operand::Register(result)))
    }

    fn agree(
        &mut self,
        a: &Value,
        b: &Value,
        tolerance: Option<Operand>,
        result: crate::program::Register,
        span: Span,
    ) -> Lowered<()> {
        use crate::program::Combine;
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => {
                let agrees = match tolerance {
                    Some(tolerance) => Expression::Near(*a, *b, tolerance),
                    None => Expression::Equal(*a, *b),
                };
                let agrees = self.build.bind(Kind::Bool, None, agrees);
                self.build.push(Statement::Reduce(result, Combine::All, agrees));
                Ok(())
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                a.iter().zip(b).try_for_each(|(a, b)| self.agree(a, b, tolerance, result, span))
            }
            (Value::Array(a), Value::Array(b)) => {
                let same = self.build.bind(Kind::Bool, None, Expression::Equal(a.len, b.len));
                self.build.push(Statement::Reduce(result, Combine::All, same));
                // As many elements as both have.
                let count = Expression::Select(same, a.len, Operand::Int(0));
                let count = match self.build.same(a.len, b.len) {
                    true => a.len,
                    false => self.build.bind(Kind::Int, None, count),
                };
                self.each(count, span, &mut |lowerer, index| {
                    let (a, b) = (lowerer.element_of(&a.cells, index), lowerer.element_of(&b.cells, index));
                    let (a, b) = (lowerer.read(&a, &None), lowerer.read(&b, &None));
                    lowerer.agree(&a, &b, tolerance, result, span)
                })
            }
            _ => Err(unsupported("values of different shapes are compared", span)),
        }
    }

    /// The sum of two vectors.
    fn plus(&mut self, a: &Value, b: &Value, name: Option<Name>, span: Span) -> Lowered<Value> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => match self.build.kind(*a) {
                Kind::Int => self.integer(&scalar::ADD, vec![*a, *b], name, span).map(Value::Number),
                _ => self.bound(Kind::Real, name, Expression::Real(&scalar::ADD, vec![*a, *b])),
            },
            (Value::Tuple(a), Value::Tuple(b)) => {
                let parts = a.iter().zip(b).map(|(a, b)| self.plus(a, b, None, span)).collect::<Lowered<_>>()?;
                Ok(Value::Tuple(parts))
            }
            (Value::Array(a), Value::Array(b)) => {
                self.build.check_equal(a.len, b.len, Fault::Elements, span);
                let shape = self.shape_of_array(a);
                let target = Target { cells: self.room_for(&shape, &name, span), add: false };
                self.sum_into(a, b, &target.cells, span)?;
                Ok(self.in_target(&target, Some(a.len)))
            }
            _ => Err(unsupported("values of different shapes are added", span)),
        }
    }

    /// Writes the sum of two arrays.
    fn sum_into(&mut self, a: &Array, b: &Array, cells: &Cells, span: Span) -> Lowered<()> {
        let Cells::Array(length, inner) = cells else { return Err(unsupported("an array is no array", span)) };
        self.set_length(length, a.len, Fault::Elements, span);
        self.build.check_equal(a.len, b.len, Fault::Elements, span);
        self.each(a.len, span, &mut |lowerer, index| {
            let target = lowerer.element_of(inner, index);
            let (a, b) = (lowerer.element_of(&a.cells, index), lowerer.element_of(&b.cells, index));
            let (a, b) = (lowerer.read(&a, &None), lowerer.read(&b, &None));
            lowerer.sum_parts_into(&a, &b, &target, span)
        })
    }

    fn sum_parts_into(&mut self, a: &Value, b: &Value, target: &Cells, span: Span) -> Lowered<()> {
        match (a, b, target) {
            (Value::Array(a), Value::Array(b), cells) => self.sum_into(a, b, cells, span),
            (Value::Tuple(a), Value::Tuple(b), Cells::Tuple(cells)) => {
                for ((a, b), cells) in a.iter().zip(b).zip(cells) {
                    self.sum_parts_into(a, b, cells, span)?;
                }
                Ok(())
            }
            _ => {
                let sum = self.plus(a, b, None, span)?;
                self.write(&sum, &Target { cells: target.clone(), add: false }, span)
            }
        }
    }

    /// A zero of a shape.
    fn zero(&mut self, shape: &Shape, name: &Option<Name>, span: Span) -> Lowered<Value> {
        match shape {
            Shape::Number(kind) => Ok(Value::Number(kind.zero())),
            Shape::Tuple(parts) => {
                Ok(Value::Tuple(parts.iter().map(|part| self.zero(part, name, span)).collect::<Lowered<_>>()?))
            }
            Shape::Array(..) if shape.is_exact() => {
                let cells = self.room_for(shape, name, span);
                self.fill(&cells);
                Ok(self.read(&cells, name))
            }
            Shape::Array(..) => Err(super::unknown_size(span)),
        }
    }

    // ---- accumulators ----

    /// Builds an array where it is added.
    fn add_built(&mut self, part: &Accumulator, built: &'p Binding, span: Span) -> Lowered<Value> {
        match part {
            Accumulator::Cells(cells) => {
                self.operation(built, Some(&Target { cells: cells.clone(), add: true }))?;
            }
            _ => {
                let value = self.operation(built, None)?;
                self.add_to(part, &value, span)?;
            }
        }
        Ok(Value::unit())
    }

    /// An accumulator, at a target if there is one.
    fn accumulator_at(
        &mut self,
        ty: &Type,
        target: Option<&Target>,
        name: &Option<Name>,
        span: Span,
    ) -> Lowered<Accumulator> {
        match target {
            Some(target) => {
                let shape = self.shape_of_type(ty, span)?;
                self.check_shape(&shape, &target.cells, span);
                self.fill_rows(&target.cells, span)?;
                Ok(Accumulator::Cells(target.cells.clone()))
            }
            None => self.accumulator(ty, name, span),
        }
    }

    /// Makes sure that room has the lengths of a shape.
    fn check_shape(&mut self, shape: &Shape, cells: &Cells, span: Span) {
        match (shape, cells) {
            (Shape::Array(extent, element), Cells::Array(Length::Known(len), inner)) => {
                self.build.check_equal(*len, extent.most, Fault::Unforeseen, span);
                self.check_shape(element, inner, span);
            }
            (Shape::Tuple(parts), Cells::Tuple(cells)) => {
                for (part, cells) in parts.iter().zip(cells) {
                    self.check_shape(part, cells, span);
                }
            }
            _ => {}
        }
    }

    /// Sets everything in cells to zero, whether they lie row by row or not.
    fn fill_rows(&mut self, cells: &Cells, span: Span) -> Lowered<()> {
        match cells {
            Cells::Array(Length::Known(len), inner) => {
                let mut flat = true;
                self.check_flat(inner, &mut vec![*len], &mut flat);
                if flat {
                    self.fill(cells);
                    return Ok(());
                }
                let inner = inner.clone();
                self.each(*len, span, &mut |lowerer, index| {
                    let element = lowerer.element_of(&inner, index);
                    lowerer.fill_rows(&element, span)
                })
            }
            Cells::Tuple(parts) => parts.iter().try_for_each(|part| self.fill_rows(part, span)),
            _ => {
                self.fill(cells);
                Ok(())
            }
        }
    }

    fn accumulator(&mut self, ty: &Type, name: &Option<Name>, span: Span) -> Lowered<Accumulator> {
        match ty {
            Type::Real => {
                let register = self.build.mutable(Kind::Real, name.clone());
                self.build.push(Statement::Set(register, Operand::Real(0.0)));
                Ok(Accumulator::Number(register))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                let parts = parts.iter().map(|part| self.accumulator(part, name, span)).collect::<Lowered<_>>()?;
                Ok(Accumulator::Tuple(parts))
            }
            Type::Array(..) => {
                let shape = self.shape_of_type(ty, span)?;
                if !shape.is_exact() {
                    return Err(super::unknown_size(span));
                }
                let cells = self.room_for(&shape, name, span);
                self.fill(&cells);
                Ok(Accumulator::Cells(cells))
            }
            _ => Err(super::not_data(ty, span)),
        }
    }

    /// The part of an accumulator that a path leads to.
    fn part_of(&mut self, accumulator: Accumulator, path: &[Step], span: Span) -> Lowered<Accumulator> {
        let mut part = accumulator;
        for step in path {
            part = match (step, part) {
                (Step::Component(at), Accumulator::Tuple(mut parts)) if *at < parts.len() => parts.swap_remove(*at),
                (Step::Component(at), Accumulator::Cells(Cells::Tuple(mut parts))) if *at < parts.len() => {
                    Accumulator::Cells(parts.swap_remove(*at))
                }
                (Step::Element(index), Accumulator::Cells(Cells::Array(Length::Known(len), inner))) => {
                    let index = self.number(*index, span)?;
                    self.build.check_index(index, len, span);
                    Accumulator::Cells(self.element_of(&inner, index))
                }
                _ => return Err(unsupported("a path into an accumulator leads nowhere", span)),
            };
        }
        Ok(part)
    }

    fn read_accumulator(&mut self, accumulator: &Accumulator) -> Value {
        match accumulator {
            Accumulator::Number(register) => {
                let copied = Expression::Copy(Operand::Register(*register));
                Value::Number(self.build.bind(Kind::Real, None, copied))
            }
            Accumulator::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.read_accumulator(part)).collect()),
            Accumulator::Cells(cells) => self.read(cells, &None),
        }
    }

    // ---- sizes ----

    fn size_of(&mut self, value: &Value, path: &[SizeStep], span: Span) -> Lowered<Operand> {
        match (path, value) {
            ([], Value::Array(array)) => Ok(array.len),
            ([SizeStep::Component(at), rest @ ..], Value::Tuple(parts)) if *at < parts.len() => {
                self.size_of(&parts[*at], rest, span)
            }
            ([SizeStep::Elements, rest @ ..], Value::Array(array)) => {
                let cells = array.cells.clone();
                self.size_in(&cells, rest, array.len, span)
            }
            _ => Err(unsupported("a size is read off no array", span)),
        }
    }

    /// The size at the end of a path inside of arrays that have so many elements together; zero where that is none.
    fn size_in(&mut self, cells: &Cells, path: &[SizeStep], around: Operand, span: Span) -> Lowered<Operand> {
        match (path, cells) {
            ([], Cells::Array(Length::Known(len), _)) => {
                let is_some = matches!(around, Operand::Int(1..));
                if is_some || self.build.bounds.size(around) == self.build.bounds.size(*len) {
                    return Ok(*len);
                }
                let none = self.build.bind(Kind::Bool, None, Expression::Equal(around, Operand::Int(0)));
                let len = self.build.bind(Kind::Int, None, Expression::Select(none, Operand::Int(0), *len));
                self.build.bounds.is_size(len);
                Ok(len)
            }
            ([], Cells::Array(Length::Stored { .. }, _)) => Err(super::unknown_size(span)),
            ([SizeStep::Component(at), rest @ ..], Cells::Tuple(parts)) if *at < parts.len() => {
                self.size_in(&parts[*at], rest, around, span)
            }
            ([SizeStep::Elements, rest @ ..], Cells::Array(Length::Known(len), inner)) => {
                let around = self.build.mul(around, *len);
                self.size_in(inner, rest, around, span)
            }
            ([SizeStep::Elements, ..], Cells::Array(Length::Stored { .. }, _)) => Err(super::unknown_size(span)),
            _ => Err(unsupported("a size is read off no array", span)),
        }
    }

    /// The element of a buffer that cells of a number are.
    pub(super) fn cell(&self, cells: &Cells, span: Span) -> Lowered<Element> {
        match cells {
            Cells::Number(_, place) => Ok(Element { buffer: place.buffer, at: place.offset }),
            _ => Err(unsupported("a number is expected here", span)),
        }
    }
}

pub(super) fn unsupported(reason: &str, span: Span) -> Unsupported {
    Unsupported { reason: reason.into(), span }
}
