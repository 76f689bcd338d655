//! The NaN flag of a procedure: the sum `s = Σ v` over all values `v` that it stores and adds to its results is NaN if
//! any `v` is, and costs one addition while `v` is in a register. The results have to be read again only if `s` is NaN.
//!
//! The flag covers results that loops write, one iteration for each element, and single stores. In inner loops it
//! includes stores but not additions, so that there is one addition for each written element, not for every term of a
//! sum.

use crate::program::{
    Block, Buffer, Combine, Expression, Kind, Operand, Outcome, Procedure, ProcedureId, Program, Register,
    RegisterInfo, Statement,
};
use crate::visit::{Use, each_statement};
use riesz_primitive::scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// Gives a procedure a NaN flag: its last result is then a number that is NaN if another of its results is. A procedure
/// that is called by others gets none.
pub fn nan_flag(program: &mut Program, id: ProcedureId) -> bool {
    let mut called = false;
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| {
            called |= matches!(statement, Statement::Call(call) if call.procedure == id);
        });
    }
    let procedure = &mut program.procedures[id.0 as usize];
    !called && procedure.nan_flag.is_none() && flag_results(procedure)
}

fn flag_results(procedure: &mut Procedure) -> bool {
    let real = |buffer: &Buffer| procedure.buffers[buffer.0 as usize].kind == Kind::Real;
    let buffers: Vec<Buffer> = (procedure.results.iter())
        .filter_map(|result| if let Outcome::Buffer(buffer) = result { Some(*buffer) } else { None })
        .filter(real)
        .collect();
    let given = with_copied(procedure, &buffers);
    let is_given = |buffer: Buffer| given.contains(&buffer);
    if buffers.is_empty() || !is_written_by_iterations(procedure, &is_given) {
        return false;
    }
    let mut numbers: Vec<Operand> = (procedure.results.iter())
        .filter_map(
            |result| if let Outcome::Number(operand @ Operand::Register(_)) = result { Some(*operand) } else { None },
        )
        .filter(|operand| procedure.kind(*operand) == Kind::Real)
        .collect();
    let alone = procedure.body.iter().filter_map(|statement| written_alone(procedure, statement, &is_given));
    numbers.extend(telling(procedure, &procedure.body, alone.collect()));
    let total = register(procedure, true);
    let mut body = std::mem::take(&mut procedure.body);
    for statement in &mut body {
        if let Statement::For(each) = statement {
            flag_iterations(procedure, total, &|statement| written(statement, &is_given), &mut each.body);
        }
    }
    add_up(procedure, total, numbers, &mut body);
    body.insert(0, Statement::Set(total, Operand::Real(0.0)));
    procedure.body = body;
    procedure.results.push(Outcome::Number(Operand::Register(total)));
    procedure.nan_flag = Some(total);
    true
}

/// Some buffers, and those of the procedure's own that are copied to them: what is written there is seen on the way.
fn with_copied(procedure: &Procedure, buffers: &[Buffer]) -> FxHashSet<Buffer> {
    let mut own = FxHashSet::default();
    each_statement(&procedure.body, &mut |statement| {
        statement.buffers(&mut |buffer, used| {
            if used == Use::Make {
                own.insert(buffer);
            }
        });
    });
    let mut found: FxHashSet<Buffer> = buffers.iter().copied().collect();
    loop {
        let before = found.len();
        each_statement(&procedure.body, &mut |statement| {
            if let Statement::Copy { to, from, .. } = statement
                && found.contains(&to.buffer)
                && own.contains(&from.buffer)
            {
                found.insert(from.buffer);
            }
        });
        if found.len() == before {
            return found;
        }
    }
}

/// Adds up what a block of an iteration writes, its branches included, and what loops inside store.
fn flag_iterations(procedure: &mut Procedure, total: Register, written: &Written, block: &mut Block) {
    for statement in block.iter_mut() {
        match statement {
            Statement::If(_, yes, no) => {
                flag_iterations(procedure, total, written, yes);
                flag_iterations(procedure, total, written, no);
            }
            Statement::For(each) => flag_iterations(procedure, total, &|inner| stored(inner, written), &mut each.body),
            _ => {}
        }
    }
    let numbers = block.iter().filter_map(written).collect();
    let telling = telling(procedure, block, numbers);
    let mut waiting = Vec::new();
    for statement in std::mem::take(block) {
        let seen = written(&statement).filter(|value| telling.contains(value));
        block.push(statement);
        // What may be set again is added up here, and of other numbers a few at once: one addition waits for the other.
        match seen {
            Some(value) if is_mutable(procedure, value) => block.push(Statement::Reduce(total, Combine::Sum, value)),
            seen => waiting.extend(seen),
        }
        if waiting.len() == AT_ONCE {
            add_up(procedure, total, std::mem::take(&mut waiting), block);
        }
    }
    add_up(procedure, total, waiting, block);
}

/// How many numbers are added to each other before they are added to all others.
const AT_ONCE: usize = 4;

/// The number that a statement writes, if it can be inspected.
type Written<'a> = dyn Fn(&Statement) -> Option<Operand> + 'a;

/// Whether the iterations of outermost loops, and statements outside of loops, are all that writes some buffers, but for zeros.
fn is_written_by_iterations(procedure: &Procedure, is_given: &dyn Fn(Buffer) -> bool) -> bool {
    let (mut all, mut by_iterations) = (0, 0);
    each_statement(&procedure.body, &mut |statement| {
        // What a call makes has been written by it.
        let written = |used: Use| used == Use::Write || used == Use::Make && matches!(statement, Statement::Call(_));
        statement.buffers(&mut |buffer, used| all += usize::from(is_given(buffer) && written(used)));
    });
    for statement in &procedure.body {
        match statement {
            Statement::For(each) => {
                by_iterations += count(&each.body, is_given, &|statement| written(statement, is_given));
            }
            statement => {
                let alone = written_alone(procedure, statement, is_given).is_some();
                by_iterations += usize::from(alone || is_seen_elsewhere(statement, is_given));
            }
        }
    }
    all == by_iterations
}

/// How many statements of a block of an iteration, of its branches and of loops inside, write to some buffers what is seen.
fn count(block: &Block, is_given: &dyn Fn(Buffer) -> bool, written: &Written) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::If(_, yes, no) => count(yes, is_given, written) + count(no, is_given, written),
        Statement::For(each) => count(&each.body, is_given, &|inner| stored(inner, written)),
        statement => usize::from(written(statement).is_some() || is_seen_elsewhere(statement, is_given)),
    };
    block.iter().map(of).sum()
}

/// Whether a statement writes to some buffers what is a number, or what is seen where it comes from.
fn is_seen_elsewhere(statement: &Statement, is_given: &dyn Fn(Buffer) -> bool) -> bool {
    match statement {
        Statement::Fill(element, _, Operand::Real(value)) => is_given(element.buffer) && !value.is_nan(),
        Statement::Copy { to, from, .. } => is_given(to.buffer) && is_given(from.buffer),
        _ => false,
    }
}

fn is_mutable(procedure: &Procedure, operand: Operand) -> bool {
    matches!(operand, Operand::Register(register) if procedure.registers[register.0 as usize].mutable)
}

/// The number that a statement writes to some buffers.
fn written(statement: &Statement, is_given: &dyn Fn(Buffer) -> bool) -> Option<Operand> {
    match statement {
        Statement::Store(element, value) | Statement::Add(element, value) if is_given(element.buffer) => Some(*value),
        _ => None,
    }
}

/// The number that a statement outside of loops writes, if it can be inspected later.
fn written_alone(procedure: &Procedure, statement: &Statement, is_given: &dyn Fn(Buffer) -> bool) -> Option<Operand> {
    written(statement, is_given).filter(|value| !is_mutable(procedure, *value))
}

/// The number that a statement stores.
fn stored(statement: &Statement, written: &Written) -> Option<Operand> {
    matches!(statement, Statement::Store(..)).then(|| written(statement)).flatten()
}

/// The numbers among some that are NaN if any of all is: a number that another is made of by functions that hide no NaN
/// is NaN only if the other is. A register that is set more than once represents only itself.
fn telling(procedure: &Procedure, block: &[Statement], numbers: Vec<Operand>) -> Vec<Operand> {
    let made: FxHashMap<Register, &[Operand]> = (block.iter())
        .filter_map(|statement| match statement {
            Statement::Let(register, Expression::Real(primitive, operands))
                if primitive.scalar().is_some_and(|row| !row.hides_nan()) =>
            {
                Some((*register, &operands[..]))
            }
            _ => None,
        })
        .collect();
    let mut told: FxHashSet<Register> = FxHashSet::default();
    let mut work = numbers.clone();
    while let Some(number) = work.pop() {
        let Operand::Register(register) = number else { continue };
        for operand in made.get(&register).copied().unwrap_or_default() {
            if let Operand::Register(part) = operand
                && !is_mutable(procedure, *operand)
                && told.insert(*part)
            {
                work.push(*operand);
            }
        }
    }
    let is_told = |number: &Operand| matches!(number, Operand::Register(register) if told.contains(register));
    numbers.into_iter().filter(|number| !is_told(number)).collect()
}

/// Adds the sum of some numbers to a register, at the end of a block.
fn add_up(procedure: &mut Procedure, total: Register, numbers: Vec<Operand>, block: &mut Block) {
    let sum = numbers.into_iter().reduce(|sum, number| {
        let both = register(procedure, false);
        block.push(Statement::Let(both, Expression::Real(&scalar::ADD, vec![sum, number])));
        Operand::Register(both)
    });
    block.extend(sum.map(|sum| Statement::Reduce(total, Combine::Sum, sum)));
}

fn register(procedure: &mut Procedure, mutable: bool) -> Register {
    procedure.registers.push(RegisterInfo { name: Some("seen".into()), kind: Kind::Real, mutable });
    Register(procedure.registers.len() as u32 - 1)
}
