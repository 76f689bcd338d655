//! The verifier: the invariants of every loop program.
//!
//! 1. An immutable register is bound once, before it is used, in a block around its use; a mutable register is set
//!    before it is used.
//! 2. A buffer is a parameter or is made before it is used. Only buffers that are made, added to or grown are written,
//!    and a buffer that grows is passed to a call only as such.
//! 3. Operands have the types that their statement needs: positions, counts and sizes are integers, conditions are
//!    truth values, and stored values have the type of the buffer.
//! 4. A call passes the arguments that the procedure takes, passes no buffer twice if the procedure writes to it, and
//!    receives its results.
//! 5. Independent iterations pass no number from one to the next: a register that they set counts as unbound at the
//!    start of each iteration and after the loop, and they do not read a register into which they reduce.
//! 6. The schedule of a loop follows from the loop (`schedule/verify.rs`). The NaN flag of a procedure is its last result.
//!
//! The verifier cannot check that positions are in bounds: lowering proves or checks it, and the evaluator and code
//! compiled with checks fail if it does not hold.

use crate::iterations::carries;
use crate::program::{
    Argument, Block, Buffer, Element, Expression, Kind, Operand, Outcome, Parameter, Procedure, ProcedureId, Program,
    Register, Statement, Target,
};
use crate::visit::{Use, each_statement};
use rustc_hash::FxHashSet;

/// Checks a program. An error says which invariant it violates.
pub fn verify(program: &Program) -> Result<(), String> {
    for (at, procedure) in program.procedures.iter().enumerate() {
        let mut verifier = Verifier { program, procedure, bound: FxHashSet::default(), made: FxHashSet::default() };
        let schedules = || crate::schedule::verify::verify(program, ProcedureId(at as u32));
        verifier.procedure().and_then(|()| schedules()).map_err(|problem| {
            let text = crate::print::print_procedure(program, procedure);
            format!("in `{}`: {problem}\n{text}", procedure.name.as_written())
        })?;
    }
    Ok(())
}

struct Verifier<'p> {
    program: &'p Program,
    procedure: &'p Procedure,
    bound: FxHashSet<Register>,
    made: FxHashSet<Buffer>,
}

type Verified = Result<(), String>;

impl Verifier<'_> {
    fn procedure(&mut self) -> Verified {
        for parameter in &self.procedure.parameters {
            match parameter {
                Parameter::Number(register) => self.bind(*register)?,
                Parameter::Read(buffer) | Parameter::Added(buffer) | Parameter::Grown(buffer) => {
                    self.made.insert(*buffer);
                }
            }
        }
        for statement in &self.procedure.body {
            self.statement(statement)?;
        }
        for result in &self.procedure.results {
            match result {
                Outcome::Number(operand) => self.operand(*operand)?,
                Outcome::Buffer(buffer) if self.made.contains(buffer) => {}
                Outcome::Buffer(buffer) => return Err(format!("buffer {} is given, but not made", buffer.0)),
            }
        }
        match (self.procedure.nan_flag, self.procedure.results.last()) {
            (None, _) => Ok(()),
            (Some(flag), Some(Outcome::Number(last))) if *last == Operand::Register(flag) => {
                self.expect(*last, Kind::Real)
            }
            (Some(_), _) => Err("the NaN flag is not the last result".into()),
        }
    }

    fn bind(&mut self, register: Register) -> Verified {
        let Some(info) = self.procedure.registers.get(register.0 as usize) else {
            return Err(format!("no register {}", register.0));
        };
        if !self.bound.insert(register) && !info.mutable {
            return Err(format!("register {} is bound twice", register.0));
        }
        Ok(())
    }

    /// A block; what it binds and makes is out of scope behind it, but for what it sets.
    fn block(&mut self, block: &Block) -> Verified {
        let (bound, made) = (self.bound.clone(), self.made.clone());
        for statement in block {
            self.statement(statement)?;
        }
        let mutable = |register: &Register| self.procedure.registers[register.0 as usize].mutable;
        self.bound.retain(|register| bound.contains(register) || mutable(register));
        self.made = made;
        Ok(())
    }

    fn operand(&self, operand: Operand) -> Verified {
        match operand {
            Operand::Register(register) if !self.bound.contains(&register) => {
                Err(format!("register {} is used where it is not bound", register.0))
            }
            _ => Ok(()),
        }
    }

    fn kind(&self, operand: Operand) -> Kind {
        self.procedure.kind(operand)
    }

    fn expect(&self, operand: Operand, kind: Kind) -> Verified {
        match self.kind(operand) == kind {
            true => Ok(()),
            false => Err(format!("{operand:?} is not of kind {kind:?}")),
        }
    }

    fn statement(&mut self, statement: &Statement) -> Verified {
        let mut problem = Ok(());
        // The condition of a `while` is computed by its own block.
        if !matches!(statement, Statement::While(_)) {
            statement.operands(&mut |operand| {
                if problem.is_ok() {
                    problem = self.operand(operand);
                }
            });
        }
        problem?;
        let mut problem = Ok(());
        let (mut made, known) = (Vec::new(), &self.made);
        statement.buffers(&mut |buffer, how| match how {
            Use::Make => made.push(buffer),
            Use::Read | Use::Write if known.contains(&buffer) => {}
            Use::Read | Use::Write => problem = Err(format!("buffer {} is used before it is made", buffer.0)),
        });
        problem?;
        let is_loop = matches!(statement, Statement::For(_) | Statement::While(_));
        if !is_loop {
            self.made.extend(made.iter().copied());
        }
        match statement {
            Statement::Let(register, expression) => {
                self.expression(*register, expression)?;
                self.bind(*register)
            }
            Statement::Set(register, value) | Statement::Reduce(register, _, value) => {
                self.expect(*value, self.kind(Operand::Register(*register)))?;
                if !self.procedure.registers[register.0 as usize].mutable {
                    return Err(format!("register {} is set, but not mutable", register.0));
                }
                self.bind(*register)
            }
            Statement::Store(element, value) | Statement::Add(element, value) | Statement::Fill(element, _, value) => {
                self.expect(element.at, Kind::Int)?;
                self.expect(*value, self.procedure.buffers[element.buffer.0 as usize].kind)
            }
            Statement::For(each) => {
                self.expect(each.count, Kind::Int)?;
                let outer = self.made.clone();
                let own = if each.parallel { set_by(&each.body) } else { FxHashSet::default() };
                // Another iteration may have set what an iteration sets, or none may have yet.
                self.bound.retain(|register| !own.contains(register));
                let bound = self.bound.clone();
                if each.parallel && carries(&each.body, |register| bound.contains(&register)) {
                    return Err("independent iterations read what they reduce into".into());
                }
                self.bind(each.index)?;
                self.made.extend(made);
                self.block(&each.body)?;
                self.bound.retain(|register| {
                    let mutable = self.procedure.registers[register.0 as usize].mutable;
                    bound.contains(register) || mutable && !own.contains(register)
                });
                self.made = outer;
                Ok(())
            }
            Statement::While(each) => {
                let (bound, outer) = (self.bound.clone(), self.made.clone());
                self.made.extend(made);
                for statement in &each.before {
                    self.statement(statement)?;
                }
                self.operand(each.condition)?;
                self.expect(each.condition, Kind::Bool)?;
                self.block(&each.body)?;
                self.bound.retain(|register| {
                    bound.contains(register) || self.procedure.registers[register.0 as usize].mutable
                });
                self.made = outer;
                Ok(())
            }
            Statement::If(condition, yes, no) => {
                self.expect(*condition, Kind::Bool)?;
                self.block(yes)?;
                self.block(no)
            }
            Statement::Check(condition, ..) => self.expect(*condition, Kind::Bool),
            Statement::Call(call) => {
                let called = self.program.procedures.get(call.procedure.0 as usize).ok_or("a call of no procedure")?;
                if called.parameters.len() != call.arguments.len() || called.results.len() != call.results.len() {
                    return Err(format!("`{}` is called with the wrong number of things", called.name.as_written()));
                }
                for (parameter, argument) in called.parameters.iter().zip(&call.arguments) {
                    match (parameter, argument) {
                        (Parameter::Number(register), Argument::Number(operand)) => {
                            self.expect(*operand, called.registers[register.0 as usize].kind)?;
                        }
                        (Parameter::Read(buffer) | Parameter::Added(buffer), Argument::Elements(element, _)) => {
                            let passed = self.procedure.buffers[element.buffer.0 as usize].kind;
                            if passed != called.buffers[buffer.0 as usize].kind {
                                return Err(format!(
                                    "`{}` is called with another kind of buffer",
                                    called.name.as_written()
                                ));
                            }
                        }
                        (Parameter::Grown(buffer), Argument::Whole(passed)) => {
                            let passed = self.procedure.buffers[passed.0 as usize].kind;
                            if passed != called.buffers[buffer.0 as usize].kind {
                                return Err(format!(
                                    "`{}` is called with another kind of buffer",
                                    called.name.as_written()
                                ));
                            }
                        }
                        _ => return Err(format!("`{}` is called with the wrong things", called.name.as_written())),
                    }
                }
                let given = |buffer: Buffer| {
                    let is_it = |argument: &&Argument| match argument {
                        Argument::Elements(element, _) => element.buffer == buffer,
                        Argument::Whole(whole) => *whole == buffer,
                        Argument::Number(_) => false,
                    };
                    call.arguments.iter().filter(is_it).count()
                };
                for (parameter, argument) in called.parameters.iter().zip(&call.arguments) {
                    if let (Parameter::Added(_), Argument::Elements(Element { buffer, .. }, _))
                    | (Parameter::Grown(_), Argument::Whole(buffer)) = (parameter, argument)
                        && given(*buffer) > 1
                    {
                        return Err(format!(
                            "`{}` is given a buffer twice that it writes to",
                            called.name.as_written()
                        ));
                    }
                }
                for target in &call.results {
                    if let Target::Register(register) = target {
                        self.bind(*register)?;
                    }
                }
                Ok(())
            }
            Statement::Allocate(allocation) | Statement::Grow(allocation) => self.expect(allocation.count, Kind::Int),
            Statement::Copy { to, from, .. } => {
                let kind = |buffer: Buffer| self.procedure.buffers[buffer.0 as usize].kind;
                match kind(to.buffer) == kind(from.buffer) {
                    true => Ok(()),
                    false => Err("elements of one kind are copied to those of another".into()),
                }
            }
            Statement::Swap(..) | Statement::Product(_) | Statement::Matrix(_) => Ok(()),
        }
    }

    fn expression(&self, register: Register, expression: &Expression) -> Verified {
        let result = self.kind(Operand::Register(register));
        let all = |operands: &[Operand], kind: Kind| operands.iter().try_for_each(|a| self.expect(*a, kind));
        let found = match expression {
            Expression::Copy(a) => self.kind(*a),
            Expression::Real(_, operands) => {
                all(operands, Kind::Real)?;
                Kind::Real
            }
            Expression::Int(_, operands, _) => {
                all(operands, Kind::Int)?;
                Kind::Int
            }
            Expression::Position(_, a, b) => {
                all(&[*a, *b], Kind::Int)?;
                Kind::Int
            }
            Expression::Within(a, b) => {
                all(&[*a, *b], Kind::Int)?;
                Kind::Bool
            }
            Expression::Compare(_, a, b) | Expression::Equal(a, b) | Expression::Near(a, b, _) => {
                self.expect(*b, self.kind(*a))?;
                Kind::Bool
            }
            Expression::Not(a) => {
                self.expect(*a, Kind::Bool)?;
                Kind::Bool
            }
            Expression::And(a, b) => {
                all(&[*a, *b], Kind::Bool)?;
                Kind::Bool
            }
            Expression::Select(condition, a, b) => {
                self.expect(*condition, Kind::Bool)?;
                self.expect(*b, self.kind(*a))?;
                self.kind(*a)
            }
            Expression::ToReal(a) => {
                self.expect(*a, Kind::Int)?;
                Kind::Real
            }
            Expression::Truncate(a, _) => {
                self.expect(*a, Kind::Real)?;
                Kind::Int
            }
            Expression::IsNan(a) => {
                self.expect(*a, Kind::Real)?;
                Kind::Bool
            }
            Expression::Load(element) => {
                self.expect(element.at, Kind::Int)?;
                self.procedure.buffers[element.buffer.0 as usize].kind
            }
        };
        match found == result {
            true => Ok(()),
            false => Err(format!("register {} is of kind {result:?}, and bound to {found:?}", register.0)),
        }
    }
}

/// The mutable registers that a block sets, also inside of its blocks.
fn set_by(block: &Block) -> FxHashSet<Register> {
    let mut found = FxHashSet::default();
    each_statement(block, &mut |statement| {
        if let Statement::Set(register, _) = statement {
            found.insert(*register);
        }
    });
    found
}
