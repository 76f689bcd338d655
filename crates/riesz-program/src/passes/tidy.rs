//! Dead code is removed, and buffers and invariant values are moved out of loops.
//!
//! ```text
//! for i < n: x = e; s          is   x = e; for i < n: s                 where e does not depend on what s changes
//! for i < n: new b of m; s     is   for i < n, with b of m: s           one buffer for all iterations
//! ```

use crate::program::{Allocation, Block, Buffer, Operand, Outcome, Parameter, Procedure, Register, Statement};
use crate::visit::{Use, each_statement};
use rustc_hash::FxHashSet;

/// Tidies a procedure.
pub fn tidy(procedure: &mut Procedure) {
    remove_dead(procedure);
    let mutable: FxHashSet<Register> = (0..procedure.registers.len() as u32)
        .map(Register)
        .filter(|r| procedure.registers[r.0 as usize].mutable)
        .collect();
    procedure.body = hoist(std::mem::take(&mut procedure.body), &mutable, false);
}

// ---- dead code ----

fn remove_dead(procedure: &mut Procedure) {
    loop {
        let mut used = FxHashSet::default();
        let mut read: FxHashSet<Buffer> = FxHashSet::default();
        let mut use_operand = |operand: Operand| {
            if let Operand::Register(register) = operand {
                used.insert(register);
            }
        };
        for outcome in &procedure.results {
            match outcome {
                Outcome::Number(operand) => use_operand(*operand),
                Outcome::Buffer(buffer) => {
                    read.insert(*buffer);
                }
            }
        }
        for parameter in &procedure.parameters {
            if let Parameter::Added(buffer) | Parameter::Read(buffer) | Parameter::Grown(buffer) = parameter {
                read.insert(*buffer);
            }
        }
        each_statement(&procedure.body, &mut |statement| {
            match statement {
                // A register does not need itself.
                Statement::Reduce(_, _, value) => use_operand(*value),
                statement => statement.operands(&mut use_operand),
            }
            statement.buffers(&mut |buffer, how| {
                if how == Use::Read && !matches!(statement, Statement::Grow(_)) {
                    read.insert(buffer);
                }
            });
        });
        if !sweep(&mut procedure.body, &used, &read) {
            return;
        }
    }
}

/// Removes statements whose results have no use; whether there were any.
fn sweep(block: &mut Block, used: &FxHashSet<Register>, read: &FxHashSet<Buffer>) -> bool {
    let mut changed = false;
    for statement in block.iter_mut() {
        for inner in statement.blocks_mut() {
            changed |= sweep(inner, used, read);
        }
    }
    let before = block.len();
    block.retain(|statement| match statement {
        Statement::Let(register, _) | Statement::Set(register, _) | Statement::Reduce(register, ..) => {
            used.contains(register)
        }
        Statement::Allocate(Allocation { buffer, .. }) | Statement::Grow(Allocation { buffer, .. }) => {
            read.contains(buffer)
        }
        Statement::Fill(element, ..) | Statement::Store(element, _) | Statement::Add(element, _) => {
            read.contains(&element.buffer)
        }
        Statement::Copy { to, .. } => read.contains(&to.buffer),
        Statement::Product(product) => read.contains(&product.to.buffer),
        Statement::Matrix(matrix) => read.contains(&matrix.to.buffer),
        Statement::For(each) => !each.body.is_empty(),
        Statement::If(_, yes, no) => !yes.is_empty() || !no.is_empty(),
        Statement::While(_) | Statement::Check(..) | Statement::Swap(..) | Statement::Call(_) => true,
    });
    changed || block.len() < before
}

// ---- what does not change from iteration to iteration ----

fn hoist(block: Block, mutable: &FxHashSet<Register>, inside_parallel: bool) -> Block {
    let mut hoisted = Vec::with_capacity(block.len());
    for mut statement in block {
        match &mut statement {
            Statement::For(each) => {
                let parallel = inside_parallel || each.parallel;
                let body = hoist(std::mem::take(&mut each.body), mutable, parallel);
                let mut changing = changed_in(&body);
                changing.insert(each.index);
                let most = Some((each.index, each.count));
                let mut out = Out { changing, mutable, before: Vec::new(), private: Vec::new(), all: parallel, most };
                each.body = out.take(body);
                each.private.append(&mut out.private);
                hoisted.append(&mut out.before);
            }
            Statement::While(each) => {
                each.before = hoist(std::mem::take(&mut each.before), mutable, inside_parallel);
                let body = hoist(std::mem::take(&mut each.body), mutable, inside_parallel);
                let mut changing = changed_in(&body);
                changing.extend(changed_in(&each.before));
                let all = inside_parallel;
                let mut out = Out { changing, mutable, before: Vec::new(), private: Vec::new(), all, most: None };
                each.body = out.take(body);
                each.private.append(&mut out.private);
                hoisted.append(&mut out.before);
            }
            Statement::If(_, yes, no) => {
                *yes = hoist(std::mem::take(yes), mutable, inside_parallel);
                *no = hoist(std::mem::take(no), mutable, inside_parallel);
            }
            _ => {}
        }
        hoisted.push(statement);
    }
    hoisted
}

/// The registers that a block binds or sets.
fn changed_in(block: &Block) -> FxHashSet<Register> {
    let mut changed = FxHashSet::default();
    each_statement(block, &mut |statement| {
        statement.defines(&mut |register| {
            changed.insert(register);
        });
    });
    changed
}

/// The statements that leave a loop.
struct Out<'a> {
    /// The registers that iterations bind and set.
    changing: FxHashSet<Register>,
    mutable: &'a FxHashSet<Register>,
    before: Block,
    private: Vec<Allocation>,
    /// Whether buffers of parallel loops inside go out too: there is a parallel loop around.
    all: bool,
    /// The index of the loop, and how many iterations it has.
    most: Option<(Register, Operand)>,
}

impl Out<'_> {
    fn stays(&self, operand: Operand) -> bool {
        match operand {
            Operand::Register(register) => self.changing.contains(&register) || self.mutable.contains(&register),
            _ => false,
        }
    }

    /// The allocation as it can be made before the loop. A buffer of as many elements as the index is one of as many as
    /// there are iterations.
    fn goes(&self, allocation: &Allocation) -> Option<Allocation> {
        match self.most {
            Some((index, count)) if allocation.count == Operand::Register(index) => {
                Some(Allocation { count, ..*allocation })
            }
            _ if self.stays(allocation.count) => None,
            _ => Some(*allocation),
        }
    }

    /// A block without what goes out of the loop.
    fn take(&mut self, block: Block) -> Block {
        let mut rest = Vec::with_capacity(block.len());
        for mut statement in block {
            match &mut statement {
                Statement::Let(register, expression) if expression.is_free() && !self.mutable.contains(register) => {
                    let mut stays = false;
                    expression.operands(&mut |operand| stays |= self.stays(operand));
                    if !stays {
                        self.changing.remove(register);
                        self.before.push(statement);
                        continue;
                    }
                }
                Statement::Allocate(allocation) if self.goes(allocation).is_some() => {
                    self.private.extend(self.goes(allocation));
                    continue;
                }
                Statement::If(_, yes, no) => {
                    *yes = self.take(std::mem::take(yes));
                    *no = self.take(std::mem::take(no));
                }
                Statement::For(each) if self.all || !each.parallel => {
                    let made = std::mem::take(&mut each.private);
                    for allocation in made {
                        match self.goes(&allocation) {
                            Some(allocation) => self.private.push(allocation),
                            None => each.private.push(allocation),
                        }
                    }
                }
                Statement::While(each) => {
                    let made = std::mem::take(&mut each.private);
                    for allocation in made {
                        match self.goes(&allocation) {
                            Some(allocation) => self.private.push(allocation),
                            None => each.private.push(allocation),
                        }
                    }
                }
                _ => {}
            }
            rest.push(statement);
        }
        rest
    }
}
