//! The uses of a loop: numbers, and buffers with the operations on them.

use crate::program::{
    Argument, Block, Buffer, Combine, Element, Expression, For, Operand, Outcome, Parameter, Procedure, Program,
    Register, Statement, Target,
};
use crate::visit::each_statement;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Uses {
    /// Registers that are read.
    pub used: FxHashSet<Register>,
    /// Registers that are bound.
    pub bound: FxHashSet<Register>,
    /// Registers that are set.
    pub set: FxHashSet<Register>,
    /// Registers that are reduced into.
    pub reduced: Vec<(Register, Combine)>,
    /// Buffers that are made.
    pub private: FxHashSet<Buffer>,
    pub read: FxHashSet<Buffer>,
    pub stored: FxHashSet<Buffer>,
    pub added: FxHashSet<Buffer>,
    pub swapped: FxHashSet<Buffer>,
    /// Every element that is added to by itself.
    pub adds: Vec<Element>,
    /// Buffers that are passed to be added to.
    pub lent: FxHashSet<Buffer>,
    /// The loop and those inside: their indices and counts.
    pub loops: Vec<(Register, Operand)>,
}

impl Uses {
    /// The registers and buffers that a loop uses.
    pub fn of(program: &Program, each: &For) -> Uses {
        let mut uses = Uses::default();
        uses.each(program, each);
        uses
    }

    fn each(&mut self, program: &Program, each: &For) {
        self.bound.insert(each.index);
        self.loops.push((each.index, each.count));
        for allocation in &each.private {
            self.private.insert(allocation.buffer);
            self.operand(allocation.count);
        }
        self.operand(each.count);
        self.block(program, &each.body);
    }

    fn operand(&mut self, operand: Operand) {
        if let Operand::Register(register) = operand {
            self.used.insert(register);
        }
    }

    fn block(&mut self, program: &Program, block: &Block) {
        for statement in block {
            match statement {
                // A register is not read by a reduction into it.
                Statement::Reduce(_, _, value) => self.operand(*value),
                statement => statement.operands(&mut |operand| self.operand(operand)),
            }
            self.statement(program, statement);
            if !matches!(statement, Statement::For(_)) {
                for inner in statement.blocks() {
                    self.block(program, inner);
                }
            }
        }
    }

    fn statement(&mut self, program: &Program, statement: &Statement) {
        match statement {
            Statement::Let(register, expression) => {
                self.bound.insert(*register);
                if let Expression::Load(element) = expression {
                    self.read.insert(element.buffer);
                }
            }
            Statement::Set(register, _) => {
                self.set.insert(*register);
            }
            Statement::Reduce(register, combine, _) => self.reduced.push((*register, *combine)),
            Statement::Allocate(allocation) => {
                self.private.insert(allocation.buffer);
            }
            // A buffer that grows may move, as one that is exchanged for another.
            Statement::Grow(allocation) => {
                self.swapped.insert(allocation.buffer);
            }
            Statement::Fill(element, ..) | Statement::Store(element, _) => {
                self.stored.insert(element.buffer);
            }
            Statement::Copy { to, from, .. } => {
                self.stored.insert(to.buffer);
                self.read.insert(from.buffer);
            }
            Statement::Add(element, _) => {
                self.added.insert(element.buffer);
                self.adds.push(*element);
            }
            Statement::For(each) => self.each(program, each),
            Statement::While(each) => self.private.extend(each.private.iter().map(|allocation| allocation.buffer)),
            Statement::If(..) | Statement::Check(..) => {}
            Statement::Swap(a, b) => self.swapped.extend([*a, *b]),
            Statement::Call(call) => {
                for (argument, parameter) in call.arguments.iter().zip(&program.procedure(call.procedure).parameters) {
                    match (argument, parameter) {
                        (Argument::Elements(element, _), Parameter::Added(_)) => {
                            self.added.insert(element.buffer);
                            self.lent.insert(element.buffer);
                        }
                        (Argument::Elements(element, _), _) => {
                            self.read.insert(element.buffer);
                        }
                        (Argument::Whole(buffer), _) => {
                            self.swapped.insert(*buffer);
                        }
                        (Argument::Number(_), _) => {}
                    }
                }
                for target in &call.results {
                    match target {
                        Target::Register(register) => self.bound.insert(*register),
                        Target::Buffer(buffer) => self.private.insert(*buffer),
                    };
                }
            }
            Statement::Product(product) => {
                self.read.extend([product.left.first.buffer, product.right.first.buffer]);
                self.stored.insert(product.to.buffer);
            }
            Statement::Matrix(matrix) => {
                self.read.insert(matrix.a.buffer);
                self.read.extend(matrix.b.iter().map(|(element, _)| element.buffer));
                self.stored.insert(matrix.to.buffer);
            }
        }
    }
}

/// How often a procedure mentions each register.
pub(super) struct Occurrences(FxHashMap<Register, usize>);

impl Occurrences {
    pub fn of(procedure: &Procedure) -> Occurrences {
        let mut found = occurrences(&procedure.body);
        for result in &procedure.results {
            if let Outcome::Number(Operand::Register(register)) = result {
                *found.entry(*register).or_default() += 1;
            }
        }
        Occurrences(found)
    }

    /// The registers that a block mentions and nothing outside of it does.
    pub fn only_in(&self, block: &Block) -> FxHashSet<Register> {
        let here = occurrences(block).into_iter();
        here.filter(|(register, count)| self.0.get(register) == Some(count)).map(|(register, _)| register).collect()
    }
}

fn occurrences(block: &Block) -> FxHashMap<Register, usize> {
    let mut found = FxHashMap::default();
    each_statement(block, &mut |statement| {
        let mut note = |register: Register| *found.entry(register).or_default() += 1;
        match statement {
            Statement::Let(register, _) | Statement::Set(register, _) => note(*register),
            Statement::For(each) => note(each.index),
            _ => {}
        }
        statement.operands(&mut |operand| {
            if let Operand::Register(register) = operand {
                note(register);
            }
        });
    });
    found
}

/// How often a loop mentions each buffer.
pub(super) fn mentions(each: &For) -> FxHashMap<Buffer, usize> {
    let mut found = FxHashMap::default();
    each_statement(&each.body, &mut |statement| {
        statement.buffers(&mut |buffer, _| *found.entry(buffer).or_default() += 1);
    });
    found
}

/// Whether a statement, or one inside of it, mentions a buffer.
pub(super) fn touches(statement: &Statement, buffer: Buffer) -> bool {
    crate::any_buffer(statement, &mut |other| other == buffer)
        || statement.blocks().into_iter().flatten().any(|inner| touches(inner, buffer))
}

/// The buffers that a block reads, and those that it writes, without calls and functions of linear algebra.
pub(super) fn accesses(block: &Block) -> (FxHashSet<Buffer>, FxHashSet<Buffer>) {
    let (mut read, mut written) = (FxHashSet::default(), FxHashSet::default());
    each_statement(block, &mut |statement| match statement {
        Statement::Let(_, Expression::Load(element)) => {
            read.insert(element.buffer);
        }
        Statement::Store(element, _) | Statement::Add(element, _) | Statement::Fill(element, ..) => {
            written.insert(element.buffer);
        }
        Statement::Copy { to, from, .. } => {
            read.insert(from.buffer);
            written.insert(to.buffer);
        }
        Statement::Product(product) => {
            read.extend([product.left.first.buffer, product.right.first.buffer]);
            written.insert(product.to.buffer);
        }
        _ => {}
    });
    (read, written)
}
