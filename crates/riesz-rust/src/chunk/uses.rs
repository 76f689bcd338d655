//! The uses of a loop: numbers, and buffers with the operations on them.

use riesz_program::program::{
    Argument, Block, Buffer, Combine, Element, Expression, For, Operand, Parameter, Program, Register, Statement,
    Target,
};
use rustc_hash::FxHashSet;

#[derive(Default)]
pub(super) struct Uses {
    /// Registers that are read.
    pub used: FxHashSet<Register>,
    /// Those that are bound.
    pub bound: FxHashSet<Register>,
    /// Those that are set.
    pub set: FxHashSet<Register>,
    /// Those that are reduced into.
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
    /// What a loop uses.
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
                // That it reduces into a register is no reading of it.
                Statement::Reduce(_, _, value) => self.operand(*value),
                statement => riesz_program::each_operand(statement, &mut |operand| self.operand(operand)),
            }
            self.statement(program, statement);
            if !matches!(statement, Statement::For(_)) {
                for inner in riesz_program::blocks(statement) {
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
