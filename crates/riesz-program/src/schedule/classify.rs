//! Which values are the same in every lane, when several iterations of a loop run at once.
//!
//! ```text
//! uniform      one value for all lanes
//! linear s     x, x + s, x + 2s, ...: positions that move with the index of the loop
//! varying      any value in any lane
//! ```
//!
//! The classification is the least solution of these rules: an operation on varying operands varies, a register that is
//! set under a varying condition varies, and a buffer that holds varying values varies.

use super::annotation::{Class, LaneSchedule, LaneStride};
use super::uses::{Occurrences, accesses};
use crate::program::{
    Arithmetic, Block, Buffer, Element, Expression, For, Kind, Operand, Procedure, Register, Statement, While,
};
use crate::visit::each_statement;
use rustc_hash::{FxHashMap, FxHashSet};

/// The classes of a loop whose iterations are independent; none if it cannot run in lanes.
pub(super) fn classify(procedure: &Procedure, everywhere: &Occurrences, each: &For) -> Option<LaneSchedule> {
    if !each.parallel {
        return None;
    }
    let mut classifier = Classifier {
        procedure,
        lanes: LaneSchedule { strip: 1, ..LaneSchedule::default() },
        inside: everywhere.only_in(&each.body),
        lockstep: FxHashSet::default(),
        counts_down: counts_down(procedure, &each.body),
        changed: true,
    };
    classifier.find_lockstep(&each.body);
    classifier.lanes.private.extend(each.private.iter().map(|allocation| allocation.buffer));
    classifier.lanes.classes.insert(each.index, Class::Linear(LaneStride::One));
    classifier.inside.insert(each.index);
    classifier.find_private(&each.body);
    let (read, written) = accesses(&each.body);
    // An iteration cannot read what other iterations write.
    if read.iter().any(|buffer| written.contains(buffer) && !classifier.lanes.private.contains(buffer)) {
        return None;
    }
    while std::mem::take(&mut classifier.changed) {
        classifier.block(&each.body, false)?;
    }
    classifier.check(&each.body)?;
    Some(classifier.lanes)
}

struct Classifier<'p> {
    procedure: &'p Procedure,
    lanes: LaneSchedule,
    /// The registers that belong to an iteration.
    inside: FxHashSet<Register>,
    /// The registers that only a `while` reads, which sets them in every iteration: the same in all lanes that still run.
    lockstep: FxHashSet<Register>,
    /// The indices of inner loops that serve only to count down, with the positions that do.
    counts_down: FxHashMap<Register, Register>,
    changed: bool,
}

impl Classifier<'_> {
    /// Finds the buffers that each iteration makes.
    fn find_private(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Statement::Allocate(allocation) => {
                    self.lanes.private.insert(allocation.buffer);
                }
                Statement::For(For { private, .. }) | Statement::While(While { private, .. }) => {
                    self.lanes.private.extend(private.iter().map(|allocation| allocation.buffer));
                }
                _ => {}
            }
            for inner in statement.blocks() {
                self.find_private(inner);
            }
        }
    }

    /// Finds the registers that are in lockstep.
    fn find_lockstep(&mut self, block: &Block) {
        each_statement(block, &mut |statement| {
            let Statement::While(each) = statement else { return };
            let mut set: FxHashSet<Register> = FxHashSet::default();
            each.body.iter().for_each(|statement| {
                if let Statement::Set(register, _) = statement {
                    set.insert(*register);
                }
            });
            let (inside, everywhere) = ([&each.before, &each.body].map(reads), reads(block));
            let sets = |block: &Block, register: Register| {
                let mut count = 0;
                each_statement(block, &mut |statement| {
                    let reduces = matches!(statement, Statement::Reduce(to, ..) if *to == register);
                    count += usize::from(reduces || matches!(statement, Statement::Set(to, _) if *to == register));
                });
                count
            };
            set.retain(|register| {
                let own = each.body.iter().filter(|one| matches!(one, Statement::Set(to, _) if to == register)).count();
                let here = inside.iter().map(|reads| reads.get(register).copied().unwrap_or(0)).sum::<usize>();
                let condition = usize::from(each.condition == Operand::Register(*register));
                self.inside.contains(register)
                    && sets(&each.before, *register) == 0
                    && sets(&each.body, *register) == own
                    && everywhere.get(register).copied().unwrap_or(0) == here + condition
            });
            self.lockstep.extend(set);
        });
    }

    fn is_uniform(&self, operand: Operand) -> bool {
        self.lanes.is_uniform(operand)
    }

    fn is_private(&self, buffer: Buffer) -> bool {
        self.lanes.private.contains(&buffer)
    }

    fn raise(&mut self, register: Register, class: Class) {
        let mutable = self.procedure.registers[register.0 as usize].mutable;
        let before = self.lanes.class(Operand::Register(register));
        let class = match (&before, class) {
            (Class::Uniform, Class::Linear(_)) if mutable => Class::Varying,
            (Class::Uniform, class) => class,
            (Class::Linear(a), Class::Linear(b)) if *a == b => return,
            (Class::Linear(_), Class::Uniform) => return,
            _ => Class::Varying,
        };
        if class != before {
            self.lanes.classes.insert(register, class);
            self.changed = true;
        }
    }

    fn vary(&mut self, buffer: Buffer) {
        if self.is_private(buffer) && self.lanes.varying.insert(buffer) {
            self.changed = true;
        }
    }

    /// One round over a block. `diverged` says whether lanes have diverged around it.
    fn block(&mut self, block: &Block, diverged: bool) -> Option<()> {
        block.iter().try_for_each(|statement| self.statement(statement, diverged))
    }

    fn statement(&mut self, statement: &Statement, diverged: bool) -> Option<()> {
        match statement {
            Statement::Let(register, expression) => {
                if !self.lanes.backward.values().any(|position| position == register) {
                    let class = self.expression(expression);
                    self.raise(*register, class);
                }
            }
            Statement::Set(register, value) => {
                let uniform = self.is_uniform(*value) && (!diverged || self.lockstep.contains(register));
                self.raise(*register, if uniform { Class::Uniform } else { Class::Varying });
            }
            Statement::Reduce(register, combine, value) => {
                if !self.inside.contains(register) {
                    // A register is reduced by one function.
                    if *self.lanes.reduced.entry(*register).or_insert(*combine) != *combine {
                        return None;
                    }
                } else if diverged || !self.is_uniform(*value) {
                    self.raise(*register, Class::Varying);
                }
            }
            Statement::Store(element, value) | Statement::Add(element, value) => {
                self.stored(*element, *value, diverged);
            }
            Statement::Fill(element, count, value) => {
                self.uniform(&[*count])?;
                self.stored(*element, *value, diverged);
            }
            Statement::Copy { to, from, count } => {
                self.uniform(&[*count])?;
                if diverged || !self.is_uniform(to.at) || self.lanes.loaded(*from) != Class::Uniform {
                    self.vary(to.buffer);
                }
            }
            Statement::Allocate(allocation) => self.uniform(&[allocation.count])?,
            Statement::For(each) => {
                each.private.iter().try_for_each(|allocation| self.uniform(&[allocation.count]))?;
                let together = self.is_uniform(each.count);
                if !together && let Some(position) = self.counts_down.get(&each.index) {
                    self.lanes.backward.insert(each.index, *position);
                    self.raise(each.index, Class::Varying);
                }
                self.block(&each.body, diverged || !together)?;
            }
            Statement::If(condition, yes, no) => {
                let diverged = diverged || !self.is_uniform(*condition);
                self.block(yes, diverged)?;
                self.block(no, diverged)?;
            }
            Statement::While(each) => {
                each.private.iter().try_for_each(|allocation| self.uniform(&[allocation.count]))?;
                let diverged = diverged || !self.is_uniform(each.condition);
                self.block(&each.before, diverged)?;
                self.block(&each.body, diverged)?;
            }
            Statement::Check(..) => {}
            Statement::Swap(a, b) => {
                if diverged || !self.is_private(*a) || !self.is_private(*b) {
                    return None;
                }
                if self.lanes.varying.contains(a) {
                    self.vary(*b);
                }
                if self.lanes.varying.contains(b) {
                    self.vary(*a);
                }
            }
            Statement::Product(product) => {
                self.uniform(&[product.left.row, product.left.column, product.right.row, product.right.column])?;
                self.uniform(&[product.rows, product.inner, product.columns])?;
                let factors = [product.left.first, product.right.first];
                if diverged
                    || !self.is_uniform(product.to.at)
                    || factors.iter().any(|first| self.lanes.loaded(*first) != Class::Uniform)
                {
                    self.vary(product.to.buffer);
                }
            }
            Statement::Grow(allocation) if self.is_private(allocation.buffer) => self.uniform(&[allocation.count])?,
            Statement::Grow(_) | Statement::Call(_) | Statement::Matrix(_) => return None,
        }
        Some(())
    }

    fn uniform(&self, operands: &[Operand]) -> Option<()> {
        operands.iter().all(|operand| self.is_uniform(*operand)).then_some(())
    }

    fn stored(&mut self, element: Element, value: Operand, diverged: bool) {
        if diverged || !self.is_uniform(element.at) || !self.is_uniform(value) {
            self.vary(element.buffer);
        }
    }

    fn expression(&self, expression: &Expression) -> Class {
        match expression {
            Expression::Load(element) => self.lanes.loaded(*element),
            Expression::Copy(a) => self.lanes.class(*a),
            Expression::Position(arithmetic, a, b) => self.linear(*arithmetic, *a, *b),
            Expression::Int(primitive, operands, _) => match (Arithmetic::of(primitive), &operands[..]) {
                (Some(arithmetic), [a, b]) => self.linear(arithmetic, *a, *b),
                _ => self.all(expression),
            },
            other => self.all(other),
        }
    }

    fn all(&self, expression: &Expression) -> Class {
        let mut uniform = true;
        expression.operands(&mut |operand| uniform &= self.is_uniform(operand));
        if uniform { Class::Uniform } else { Class::Varying }
    }

    fn linear(&self, arithmetic: Arithmetic, a: Operand, b: Operand) -> Class {
        use Class::{Linear, Uniform, Varying};
        let mutable = |operand: Operand| match operand {
            Operand::Register(register) => self.procedure.registers[register.0 as usize].mutable,
            _ => false,
        };
        match (arithmetic, self.lanes.class(a), self.lanes.class(b)) {
            (_, Uniform, Uniform) => Uniform,
            (Arithmetic::Add, Linear(stride), Uniform) | (Arithmetic::Add, Uniform, Linear(stride)) => Linear(stride),
            (Arithmetic::Sub, Linear(stride), Uniform) => Linear(stride),
            (Arithmetic::Sub, Uniform, Linear(stride)) => Linear(LaneStride::Minus(Box::new(stride))),
            (Arithmetic::Add, Linear(a), Linear(b)) => Linear(LaneStride::Plus(Box::new(a), Box::new(b))),
            (Arithmetic::Mul, Linear(stride), Uniform) if !mutable(b) => Linear(LaneStride::Times(Box::new(stride), b)),
            (Arithmetic::Mul, Uniform, Linear(stride)) if !mutable(a) => Linear(LaneStride::Times(Box::new(stride), a)),
            _ => Varying,
        }
    }

    /// The conditions that need all classes.
    fn check(&mut self, block: &Block) -> Option<()> {
        for statement in block {
            let outer = |element: &Element| !self.is_private(element.buffer) && self.is_uniform(element.at);
            match statement {
                Statement::Set(register, _) if !self.inside.contains(register) => return None,
                // All lanes would write to one element.
                Statement::Store(to, _) | Statement::Fill(to, ..) | Statement::Copy { to, .. } if outer(to) => {
                    return None;
                }
                Statement::Product(product) if outer(&product.to) => return None,
                Statement::Add(element, _) if outer(element) => {
                    if self.procedure.buffers[element.buffer.0 as usize].kind != Kind::Real {
                        return None;
                    }
                    self.lanes.summed.insert(element.buffer);
                }
                _ => {}
            }
            // An outer register is not read while iterations reduce into it.
            let mut read = false;
            statement.operands(&mut |operand| {
                if let Operand::Register(register) = operand {
                    let reduces = matches!(statement, Statement::Reduce(reduced, ..) if *reduced == register);
                    read |= self.lanes.reduced.contains_key(&register) && !reduces;
                }
            });
            if read {
                return None;
            }
            for inner in statement.blocks() {
                self.check(inner)?;
            }
        }
        Some(())
    }
}

/// How often a block reads each register.
fn reads(block: &Block) -> FxHashMap<Register, usize> {
    let mut found: FxHashMap<Register, usize> = FxHashMap::default();
    each_statement(block, &mut |statement| {
        statement.operands(&mut |operand| {
            if let Operand::Register(register) = operand {
                *found.entry(register).or_default() += 1;
            }
        });
    });
    found
}

/// The indices of the loops of a block whose only use is `last - index`, where `last` is the count less one: with the
/// register of that difference.
fn counts_down(procedure: &Procedure, block: &Block) -> FxHashMap<Register, Register> {
    let used = reads(block);
    let mut last: FxHashMap<Register, Operand> = FxHashMap::default();
    let mut loops = Vec::new();
    each_statement(block, &mut |statement| match statement {
        Statement::Let(register, Expression::Position(Arithmetic::Sub, count, Operand::Int(1))) => {
            last.insert(*register, *count);
        }
        Statement::For(each) => loops.push(each),
        _ => {}
    });
    let immutable = |operand: Operand| match operand {
        Operand::Register(register) => !procedure.registers[register.0 as usize].mutable,
        _ => true,
    };
    let position = |each: &&For| {
        each.body.iter().find_map(|statement| match statement {
            Statement::Let(register, Expression::Position(Arithmetic::Sub, Operand::Register(end), index))
                if *index == Operand::Register(each.index) && last.get(end) == Some(&each.count) =>
            {
                Some((each.index, *register))
            }
            _ => None,
        })
    };
    let once = |each: &&For| immutable(each.count) && used.get(&each.index) == Some(&1);
    loops.iter().filter(|each| once(each)).filter_map(position).collect()
}
