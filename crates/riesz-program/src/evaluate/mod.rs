//! The evaluator of loop programs: it runs statement by statement and checks every position. It is slow and simple, and
//! is the reference for lowering and generated code. Loops with a schedule run as it says (`scheduled`).

mod scheduled;

use crate::program::{
    Allocation, Argument, Arithmetic, Block, Buffer, Combine, Element, Expression, Kind, Operand, Outcome, Parameter,
    Procedure, ProcedureId, Program, Register, SiteId, Statement, Strided, Target,
};
use riesz_core::Comparison;
use riesz_primitive::{Number as _, Primitive, scalar};

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A real number.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

/// An argument or a result of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub enum Passed {
    /// A number.
    Number(Number),
    /// The elements of a buffer.
    Elements(Vec<Number>),
}

/// Why an evaluation stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// At a site of the program, with what its message tells.
    At(SiteId, Vec<Number>),
    /// The program is not one that lowering may make.
    Broken(String),
    /// Iterations that run at the same time failed, and it is not known which of their errors is the first.
    Elsewhere,
}

/// A NaN that no computation gives: what stands in a buffer before something is written there. It may be copied, as
/// what fills up rows of different lengths is, and the state of a loop that takes no notice of it; and nothing else.
const UNWRITTEN: u64 = 0x7ff8_dead_dead_dead;

type Evaluated<T> = Result<T, Stop>;

/// Calls a procedure. What it adds to or grows is changed among the arguments.
pub fn call(program: &Program, procedure: ProcedureId, arguments: &mut [Passed]) -> Evaluated<Vec<Passed>> {
    let procedure = program.procedure(procedure);
    let mut frame = Frame {
        program,
        procedure,
        registers: procedure.registers.iter().map(|info| zero(info.kind)).collect(),
        buffers: vec![None; procedure.buffers.len()],
    };
    for (parameter, argument) in procedure.parameters.iter().zip(arguments.iter_mut()) {
        match (parameter, argument) {
            (Parameter::Number(register), Passed::Number(number)) => frame.registers[register.0 as usize] = *number,
            (Parameter::Read(buffer) | Parameter::Added(buffer), Passed::Elements(elements)) => {
                frame.buffers[buffer.0 as usize] = Some(elements.clone());
            }
            (Parameter::Grown(buffer), Passed::Elements(elements)) => {
                frame.buffers[buffer.0 as usize] = Some(std::mem::take(elements));
            }
            _ => return Err(Stop::Broken("a number is passed for a buffer, or the other way round".into())),
        }
    }
    frame.block(&procedure.body)?;
    let results = procedure.results.iter().map(|result| match result {
        Outcome::Number(operand) => Ok(Passed::Number(frame.operand(*operand))),
        Outcome::Buffer(buffer) => frame.buffer(*buffer).cloned().map(Passed::Elements),
    });
    let results: Vec<Passed> = results.collect::<Evaluated<_>>()?;
    check_flag(procedure, &results)?;
    for (parameter, argument) in procedure.parameters.iter().zip(arguments.iter_mut()) {
        match (parameter, argument) {
            (Parameter::Added(buffer), Passed::Elements(elements)) => elements.clone_from(frame.buffer(*buffer)?),
            (Parameter::Grown(buffer), Passed::Elements(elements)) => {
                *elements = frame.buffers[buffer.0 as usize].take().unwrap_or_default();
            }
            _ => {}
        }
    }
    Ok(results)
}

/// Tests that the NaN flag of a procedure is NaN if one of its other results is.
fn check_flag(procedure: &Procedure, results: &[Passed]) -> Evaluated<()> {
    let is_nan = |number: &Number| matches!(number, Number::Real(value) if value.is_nan());
    let has_nan = |passed: &Passed| match passed {
        Passed::Number(number) => is_nan(number),
        Passed::Elements(elements) => elements.iter().any(is_nan),
    };
    match results.split_last() {
        Some((flag, results)) if procedure.nan_flag.is_some() && results.iter().any(has_nan) && !has_nan(flag) => {
            Err(Stop::Broken(format!("`{}` gives a NaN that its flag does not show", procedure.name.as_written())))
        }
        _ => Ok(()),
    }
}

struct Frame<'p> {
    program: &'p Program,
    procedure: &'p Procedure,
    registers: Vec<Number>,
    buffers: Vec<Option<Vec<Number>>>,
}

impl Frame<'_> {
    fn operand(&self, operand: Operand) -> Number {
        match operand {
            Operand::Register(register) => self.registers[register.0 as usize],
            Operand::Real(value) => Number::Real(value),
            Operand::Int(value) => Number::Int(value),
            Operand::Bool(value) => Number::Bool(value),
        }
    }

    fn int(&self, operand: Operand) -> i64 {
        match self.operand(operand) {
            Number::Int(value) => value,
            _ => 0,
        }
    }

    fn real(&self, operand: Operand) -> Evaluated<f64> {
        match self.used(operand)? {
            Number::Real(value) => Ok(value),
            _ => Ok(f64::NAN),
        }
    }

    /// An operand of something that looks at it.
    fn used(&self, operand: Operand) -> Evaluated<Number> {
        self.written(self.operand(operand))
    }

    fn written(&self, number: Number) -> Evaluated<Number> {
        match number {
            Number::Real(value) if value.to_bits() == UNWRITTEN => {
                let name = self.procedure.name.as_written();
                Err(Stop::Broken(format!("a number of `{name}` is used that was never written")))
            }
            number => Ok(number),
        }
    }

    fn bool(&self, operand: Operand) -> bool {
        self.operand(operand) == Number::Bool(true)
    }

    fn buffer(&self, buffer: Buffer) -> Evaluated<&Vec<Number>> {
        let made = self.buffers[buffer.0 as usize].as_ref();
        made.ok_or_else(|| Stop::Broken(format!("buffer {} is used before it is made", buffer.0)))
    }

    fn element(&mut self, element: Element, further: i64) -> Evaluated<&mut Number> {
        let at = self.int(element.at) + further;
        let (name, buffer) = (self.procedure.name.as_written(), element.buffer.0);
        let outside = |len: usize| Stop::Broken(format!("position {at} of {len} in buffer {buffer} of `{name}`"));
        match self.buffers[element.buffer.0 as usize].as_mut() {
            Some(elements) => {
                let len = elements.len();
                usize::try_from(at).ok().and_then(|at| elements.get_mut(at)).ok_or_else(|| outside(len))
            }
            None => Err(outside(0)),
        }
    }

    fn load(&mut self, element: Element, further: i64) -> Evaluated<Number> {
        let number = *self.element(element, further)?;
        self.written(number)
    }

    fn set(&mut self, register: Register, number: Number) {
        self.registers[register.0 as usize] = number;
    }

    fn allocate(&mut self, allocation: &Allocation) {
        let count = self.int(allocation.count).max(0) as usize;
        self.buffers[allocation.buffer.0 as usize] = Some(vec![self.unwritten(allocation.buffer); count]);
    }

    fn grow(&mut self, allocation: &Allocation) -> Evaluated<()> {
        let count = self.int(allocation.count).max(0) as usize;
        let unwritten = self.unwritten(allocation.buffer);
        self.buffer(allocation.buffer)?;
        if let Some(elements) = &mut self.buffers[allocation.buffer.0 as usize]
            && elements.len() < count
        {
            elements.resize(count, unwritten);
        }
        Ok(())
    }

    fn unwritten(&self, buffer: Buffer) -> Number {
        match self.procedure.buffers[buffer.0 as usize].kind {
            Kind::Real => Number::Real(f64::from_bits(UNWRITTEN)),
            kind => zero(kind),
        }
    }

    fn block(&mut self, block: &Block) -> Evaluated<()> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Evaluated<()> {
        match statement {
            Statement::Let(register, expression) => {
                let number = self.expression(expression)?;
                self.set(*register, number);
            }
            Statement::Set(register, value) => self.set(*register, self.operand(*value)),
            Statement::Reduce(register, combine, value) => {
                let before = self.used(Operand::Register(*register))?;
                self.set(*register, combined(*combine, before, self.used(*value)?));
            }
            Statement::Allocate(allocation) => self.allocate(allocation),
            Statement::Grow(allocation) => self.grow(allocation)?,
            Statement::Fill(element, count, value) => {
                let value = self.operand(*value);
                for at in 0..self.int(*count) {
                    *self.element(*element, at)? = value;
                }
            }
            Statement::Copy { to, from, count } => {
                for at in 0..self.int(*count) {
                    let number = *self.element(*from, at)?;
                    *self.element(*to, at)? = number;
                }
            }
            Statement::Store(element, value) => {
                let value = self.operand(*value);
                *self.element(*element, 0)? = value;
            }
            Statement::Add(element, value) => {
                let value = self.used(*value)?;
                let before = self.load(*element, 0)?;
                *self.element(*element, 0)? = combined(Combine::Sum, before, value);
            }
            Statement::For(each) => match each.schedule.as_deref() {
                Some(schedule) => self.scheduled(each, schedule)?,
                None => self.one_by_one(each, 0, self.int(each.count))?,
            },
            Statement::While(each) => {
                each.private.iter().for_each(|allocation| self.allocate(allocation));
                loop {
                    self.block(&each.before)?;
                    if !self.bool(each.condition) {
                        break;
                    }
                    self.block(&each.body)?;
                }
            }
            Statement::If(condition, yes, no) => self.block(if self.bool(*condition) { yes } else { no })?,
            Statement::Check(condition, site, operands) => {
                if !self.bool(*condition) {
                    return Err(Stop::At(*site, operands.iter().map(|operand| self.operand(*operand)).collect()));
                }
            }
            Statement::Swap(a, b) => self.buffers.swap(a.0 as usize, b.0 as usize),
            Statement::Call(call) => self.call(call)?,
            Statement::Product(product) => {
                let (rows, inner, columns) =
                    (self.int(product.rows), self.int(product.inner), self.int(product.columns));
                for row in 0..rows {
                    for column in 0..columns {
                        let mut total = 0.0;
                        for k in 0..inner {
                            let a = self.strided(product.left, row, k)?;
                            let b = self.strided(product.right, k, column)?;
                            let times = if product.exact { &scalar::EXACT_MUL } else { &scalar::MUL };
                            total += f64::apply(times, &[a, b]);
                        }
                        *self.element(product.to, row * columns + column)? = Number::Real(total);
                    }
                }
            }
            Statement::Matrix(matrix) => {
                let n = self.int(matrix.n);
                let [rows, columns] = matrix.shape.map(|size| self.int(size));
                let a = self.reals(matrix.a, rows * columns)?;
                let (b, columns) = match matrix.b {
                    Some((element, columns)) => {
                        let columns = self.int(columns);
                        (self.reals(element, n * columns)?, columns)
                    }
                    None => (Vec::new(), 0),
                };
                let result = f64::matrix(matrix.function, n as usize, columns as usize, &a, &b);
                for (at, number) in result.into_iter().enumerate() {
                    *self.element(matrix.to, at as i64)? = Number::Real(number);
                }
            }
        }
        Ok(())
    }

    fn strided(&mut self, strided: Strided, row: i64, column: i64) -> Evaluated<f64> {
        let further = row * self.int(strided.row) + column * self.int(strided.column);
        match self.load(strided.first, further)? {
            Number::Real(value) => Ok(value),
            _ => Err(Stop::Broken("a matrix that is not of reals".into())),
        }
    }

    fn reals(&mut self, element: Element, count: i64) -> Evaluated<Vec<f64>> {
        (0..count)
            .map(|at| match self.load(element, at)? {
                Number::Real(value) => Ok(value),
                _ => Err(Stop::Broken("a matrix that is not of reals".into())),
            })
            .collect()
    }

    fn call(&mut self, made: &crate::program::Call) -> Evaluated<()> {
        let mut passed = Vec::new();
        for argument in &made.arguments {
            passed.push(match argument {
                Argument::Whole(buffer) => {
                    self.buffer(*buffer)?;
                    Passed::Elements(self.buffers[buffer.0 as usize].take().unwrap_or_default())
                }
                Argument::Number(operand) => Passed::Number(self.operand(*operand)),
                Argument::Elements(element, count) => {
                    let count = self.int(*count);
                    Passed::Elements(
                        (0..count).map(|at| self.element(*element, at).copied()).collect::<Evaluated<_>>()?,
                    )
                }
            });
        }
        let program = self.program;
        let given = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || call(program, made.procedure, &mut passed))?;
        let called = program.procedure(made.procedure);
        for ((argument, parameter), passed) in made.arguments.iter().zip(&called.parameters).zip(passed) {
            match (argument, parameter, passed) {
                (Argument::Elements(element, _), Parameter::Added(_), Passed::Elements(elements)) => {
                    for (at, number) in elements.into_iter().enumerate() {
                        *self.element(*element, at as i64)? = number;
                    }
                }
                (Argument::Whole(buffer), _, Passed::Elements(elements)) => {
                    self.buffers[buffer.0 as usize] = Some(elements);
                }
                _ => {}
            }
        }
        for (target, given) in made.results.iter().zip(given) {
            match (target, given) {
                (Target::Register(register), Passed::Number(number)) => self.set(*register, number),
                (Target::Buffer(buffer), Passed::Elements(elements)) => {
                    self.buffers[buffer.0 as usize] = Some(elements);
                }
                _ => return Err(Stop::Broken("a call gives something else".into())),
            }
        }
        Ok(())
    }

    fn expression(&mut self, expression: &Expression) -> Evaluated<Number> {
        Ok(match expression {
            Expression::Copy(a) => self.operand(*a),
            Expression::Real(primitive, operands) => {
                let operands: Vec<f64> =
                    operands.iter().map(|operand| self.real(*operand)).collect::<Evaluated<_>>()?;
                Number::Real(f64::apply(primitive, &operands))
            }
            Expression::Int(primitive, operands, site) => {
                let operands: Vec<i64> = operands.iter().map(|operand| self.int(*operand)).collect();
                Number::Int(
                    integer(primitive, &operands).ok_or_else(|| {
                        Stop::At(*site, operands.iter().map(|operand| Number::Int(*operand)).collect())
                    })?,
                )
            }
            Expression::Position(arithmetic, a, b) => {
                let (a, b) = (self.int(*a), self.int(*b));
                Number::Int(match arithmetic {
                    Arithmetic::Add => a.saturating_add(b),
                    Arithmetic::Sub => a.saturating_sub(b),
                    Arithmetic::Mul => a.saturating_mul(b),
                })
            }
            Expression::Compare(comparison, a, b) => Number::Bool(match (self.operand(*a), self.operand(*b)) {
                (Number::Int(a), Number::Int(b)) => holds(*comparison, a, b),
                _ => holds(*comparison, self.real(*a)?, self.real(*b)?),
            }),
            Expression::Equal(a, b) => Number::Bool(self.used(*a)? == self.used(*b)?),
            Expression::Near(a, b, tolerance) => {
                let distance = value(self.used(*a)?).distance(&value(self.used(*b)?));
                Number::Bool(distance.is_finite() && distance <= self.real(*tolerance)?)
            }
            Expression::Not(a) => Number::Bool(!self.bool(*a)),
            Expression::And(a, b) => Number::Bool(self.bool(*a) && self.bool(*b)),
            Expression::Within(index, len) => Number::Bool((0..self.int(*len)).contains(&self.int(*index))),
            Expression::Select(condition, a, b) => self.operand(if self.bool(*condition) { *a } else { *b }),
            Expression::ToReal(a) => Number::Real(self.int(*a) as f64),
            Expression::Truncate(a, site) => {
                let value = self.real(*a)?;
                let truncated = value.trunc();
                // 2^63 is the first that does not fit.
                match (-9223372036854775808.0..9223372036854775808.0).contains(&truncated) {
                    true => Number::Int(truncated as i64),
                    false => return Err(Stop::At(*site, vec![Number::Real(value)])),
                }
            }
            Expression::IsNan(a) => Number::Bool(self.real(*a)?.is_nan()),
            Expression::Load(element) => *self.element(*element, 0)?,
        })
    }
}

fn zero(kind: Kind) -> Number {
    match kind {
        Kind::Real => Number::Real(0.0),
        Kind::Int => Number::Int(0),
        Kind::Bool => Number::Bool(false),
    }
}

fn combined(combine: Combine, a: Number, b: Number) -> Number {
    match (combine, a, b) {
        (Combine::Sum, Number::Real(a), Number::Real(b)) => Number::Real(a + b),
        (Combine::Product, Number::Real(a), Number::Real(b)) => Number::Real(a * b),
        (Combine::Max, Number::Real(a), Number::Real(b)) => Number::Real(f64::apply(&scalar::MAX, &[a, b])),
        (Combine::Min, Number::Real(a), Number::Real(b)) => Number::Real(f64::apply(&scalar::MIN, &[a, b])),
        (Combine::Least, Number::Int(a), Number::Int(b)) => Number::Int(a.min(b)),
        (Combine::Any, Number::Bool(a), Number::Bool(b)) => Number::Bool(a || b),
        (_, a, b) => Number::Bool(a == Number::Bool(true) && b == Number::Bool(true)),
    }
}

fn holds<T: PartialOrd>(comparison: Comparison, a: T, b: T) -> bool {
    match comparison {
        Comparison::Less => a < b,
        Comparison::LessEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterEqual => a >= b,
    }
}

fn integer(primitive: &'static Primitive, operands: &[i64]) -> Option<i64> {
    primitive.scalar().and_then(|row| row.integer).and_then(|function| (function.value)(operands))
}

fn value(number: Number) -> riesz_core::evaluate::Value<f64> {
    use riesz_core::evaluate::Value;
    match number {
        Number::Real(value) => Value::Real(value),
        Number::Int(value) => Value::Int(value),
        Number::Bool(value) => Value::Bool(value),
    }
}
