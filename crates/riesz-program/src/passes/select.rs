//! A condition that only chooses between numbers, cheaply computed, becomes a choice.
//!
//! ```text
//! if c: x = a          is   x = if c then a else b
//! else: x = b
//! if c: s += a         is   s += if c then a else −0
//! ```
//!
//! Loops in lanes then stay together: they compute both numbers and choose in each lane, without masks.

use crate::program::{Block, Combine, Expression, Operand, Outcome, Procedure, Register, Statement};
use crate::visit::each_statement;
use riesz_primitive::Work;
use rustc_hash::FxHashMap;

/// The most operations on numbers in both branches together.
const CHEAP: usize = 6;

/// Makes choices of cheap conditions. A choice of a truth value may be the condition of the next one.
pub fn select(procedure: &mut Procedure) {
    let mut again = true;
    while again {
        let mut body = std::mem::take(&mut procedure.body);
        let mut mentions = mentions(&body);
        for result in &procedure.results {
            if let Outcome::Number(Operand::Register(register)) = result {
                *mentions.entry(*register).or_default() += 1;
            }
        }
        let mut choices = Choices { procedure, mentions, chosen: Vec::new(), bound: false };
        choices.block(&mut body);
        again = choices.bound;
        procedure.body = body;
    }
}

/// How often a block mentions each register.
fn mentions(block: &Block) -> FxHashMap<Register, usize> {
    let mut found: FxHashMap<Register, usize> = FxHashMap::default();
    each_statement(block, &mut |statement| {
        if let Statement::Set(register, _) = statement {
            *found.entry(*register).or_default() += 1;
        }
        statement.operands(&mut |operand| {
            if let Operand::Register(register) = operand {
                *found.entry(register).or_default() += 1;
            }
        });
    });
    found
}

struct Choices<'p> {
    procedure: &'p mut Procedure,
    /// How often the procedure mentions each register.
    mentions: FxHashMap<Register, usize>,
    /// Registers that the last choice sets whether its condition holds or not.
    chosen: Vec<Register>,
    /// Whether a register has been bound to a choice.
    bound: bool,
}

impl Choices<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut done = Vec::with_capacity(block.len());
        let mut set = Vec::new();
        for mut statement in std::mem::take(block) {
            statement.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            match &statement {
                Statement::If(condition, yes, no) => match self.choices(*condition, yes, no) {
                    Some(mut chosen) => {
                        set.extend(self.chosen.drain(..).map(|register| (done.len() + chosen.len(), register)));
                        done.append(&mut chosen);
                    }
                    None => done.push(statement),
                },
                _ => done.push(statement),
            }
        }
        self.bind(&mut done, set);
        *block = done;
    }

    /// Registers that are set once, before every use, are bound.
    fn bind(&mut self, block: &mut Block, set: Vec<(usize, Register)>) {
        for (end, register) in set {
            let is_set = |statement: &Statement| matches!(statement, Statement::Set(to, _) if *to == register);
            let Some(at) = block[..end].iter().rposition(is_set) else { continue };
            let behind: Block = block[at..].to_vec();
            let mut sets = 0;
            each_statement(&behind, &mut |statement| {
                sets += usize::from(matches!(statement, Statement::Reduce(to, ..) if *to == register));
                sets += usize::from(is_set(statement));
            });
            if sets == 1
                && mentions(&behind).get(&register) == self.mentions.get(&register)
                && let Statement::Set(_, value) = block[at]
            {
                block[at] = Statement::Let(register, Expression::Copy(value));
                self.procedure.registers[register.0 as usize].mutable = false;
                self.bound = true;
            }
        }
    }

    /// The statements that choose what a condition sets; none if it does more than that.
    fn choices(&mut self, condition: Operand, yes: &Block, no: &Block) -> Option<Block> {
        let (yes, no) = (self.branch(yes)?, self.branch(no)?);
        let mutable = |operand: Operand| match operand {
            Operand::Register(register) => self.procedure.registers[register.0 as usize].mutable,
            _ => false,
        };
        if yes.work + no.work > CHEAP || mutable(condition) {
            return None;
        }
        let both: Vec<Register> = yes.set.iter().chain(&no.set).map(|(register, _)| *register).collect();
        let sums: Vec<Register> = yes.reduced.iter().chain(&no.reduced).map(|(register, ..)| *register).collect();
        // What one branch sets, nothing in either reads.
        let reads = |register: &Register| yes.reads.contains(register) || no.reads.contains(register);
        if both.iter().chain(&sums).any(reads) || sums.iter().any(|register| both.contains(register)) {
            return None;
        }
        let mut made: Block = yes.lets.iter().chain(&no.lets).cloned().collect();
        let mut after = Vec::new();
        let value = |branch: &Branch, register: Register| {
            let found = branch.set.iter().find(|(to, _)| *to == register);
            found.map(|(_, value)| *value)
        };
        for (at, register) in both.iter().enumerate() {
            if both[..at].contains(register) {
                continue;
            }
            let before = Operand::Register(*register);
            let (a, b) = (value(&yes, *register), value(&no, *register));
            if a.is_some() && b.is_some() {
                self.chosen.push(*register);
            }
            let choice = self.choice(condition, a.unwrap_or(before), b.unwrap_or(before), &mut made);
            *self.mentions.entry(*register).or_default() -= usize::from(a.is_some() && b.is_some());
            after.push(Statement::Set(*register, choice));
        }
        for (holds, branch) in [(true, &yes), (false, &no)] {
            for (register, combine, value) in &branch.reduced {
                let nothing = neutral(*combine);
                let (a, b) = if holds { (*value, nothing) } else { (nothing, *value) };
                let choice = self.choice(condition, a, b, &mut made);
                after.push(Statement::Reduce(*register, *combine, choice));
            }
        }
        made.append(&mut after);
        Some(made)
    }

    fn choice(&mut self, condition: Operand, a: Operand, b: Operand, made: &mut Block) -> Operand {
        let register = self.procedure.register(self.procedure.kind(a), false);
        made.push(Statement::Let(register, Expression::Select(condition, a, b)));
        Operand::Register(register)
    }

    /// A branch that only computes numbers, cheaply and without errors, and sets or reduces with them.
    fn branch(&self, block: &Block) -> Option<Branch> {
        let mut branch = Branch::default();
        for statement in block {
            match statement {
                Statement::Let(_, expression) if expression.is_free() => {
                    branch.work += work(expression)?;
                    branch.lets.push(statement.clone());
                    expression.operands(&mut |operand| branch.reads.extend(operand.register()));
                }
                Statement::Set(register, value) => {
                    if branch.set.iter().any(|(before, _)| before == register) {
                        return None;
                    }
                    branch.set.push((*register, *value));
                    branch.reads.extend(value.register());
                }
                Statement::Reduce(register, combine, value) => {
                    branch.reduced.push((*register, *combine, *value));
                    branch.reads.extend(value.register());
                }
                _ => return None,
            }
        }
        Some(branch)
    }
}

/// What a branch does.
#[derive(Default)]
struct Branch {
    lets: Block,
    set: Vec<(Register, Operand)>,
    reduced: Vec<(Register, Combine, Operand)>,
    reads: Vec<Register>,
    work: usize,
}

/// The operations of an expression; none if it is not cheap.
fn work(expression: &Expression) -> Option<usize> {
    match expression {
        Expression::Copy(_) => Some(0),
        Expression::Real(primitive, _) => match primitive.scalar()?.work {
            Work::Sign | Work::Addition | Work::Multiplication => Some(1),
            Work::Division | Work::Function => None,
        },
        Expression::Load(_) | Expression::Int(..) | Expression::Truncate(..) => None,
        _ => Some(1),
    }
}

/// The number that changes nothing.
fn neutral(combine: Combine) -> Operand {
    match combine {
        Combine::Sum => Operand::Real(-0.0),
        Combine::Product => Operand::Real(1.0),
        Combine::Max => Operand::Real(f64::NEG_INFINITY),
        Combine::Min => Operand::Real(f64::INFINITY),
        Combine::Least => Operand::Int(i64::MAX),
        Combine::All => Operand::Bool(true),
        Combine::Any => Operand::Bool(false),
    }
}
