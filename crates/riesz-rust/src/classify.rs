//! Which values are the same in every lane, when eight iterations of a loop run at once.
//!
//! ```text
//! uniform      one value for all lanes
//! linear s     x, x + s, x + 2s, ...: positions that move with the index of the loop
//! varying      any value in any lane
//! ```
//!
//! The classification is the least solution of these rules: an operation on varying operands varies, a register that is
//! set under a varying condition varies, and a buffer that holds varying values varies.

use riesz_program::program::{
    Arithmetic, Block, Buffer, Element, Expression, For, Kind, Operand, Outcome, Procedure, Register, Statement,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a number is spread over the lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Class {
    Uniform,
    /// A step apart; the step is an expression that is the same in every lane.
    Linear(Step),
    Varying,
}

/// A step: a sum of products of operands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    One,
    Times(Box<Step>, Operand),
    Plus(Box<Step>, Box<Step>),
    Minus(Box<Step>),
}

/// What a loop does, seen from its lanes.
pub(crate) struct Lanes<'p> {
    procedure: &'p Procedure,
    /// The index of the loop.
    pub index: Register,
    classes: FxHashMap<Register, Class>,
    /// The buffers that each turn has for itself.
    pub private: FxHashSet<Buffer>,
    /// Those among them that hold something else in every lane.
    pub varying: FxHashSet<Buffer>,
    /// Buffers from outside that all turns add to, at the same place in every lane.
    pub summed: FxHashSet<Buffer>,
    /// Mutable registers from outside that all turns reduce into.
    pub reduced: FxHashSet<Register>,
    /// The registers that turns bind.
    pub inside: FxHashSet<Register>,
    changed: bool,
}

/// Why a loop stays as it is.
pub(crate) struct Refused;

impl<'p> Lanes<'p> {
    /// Looks at a loop whose turns are independent.
    pub fn of(procedure: &'p Procedure, each: &For) -> Result<Lanes<'p>, Refused> {
        if !each.parallel || matches!(each.count, Operand::Int(..8)) {
            return Err(Refused);
        }
        let mut lanes = Lanes {
            procedure,
            index: each.index,
            classes: FxHashMap::default(),
            private: each.private.iter().map(|allocation| allocation.buffer).collect(),
            varying: FxHashSet::default(),
            summed: FxHashSet::default(),
            reduced: FxHashSet::default(),
            inside: FxHashSet::default(),
            changed: true,
        };
        lanes.classes.insert(each.index, Class::Linear(Step::One));
        lanes.inside.insert(each.index);
        lanes.gather(&each.body);
        lanes.own_registers(each);
        let mut read = FxHashSet::default();
        let mut written = FxHashSet::default();
        accesses(&each.body, &mut read, &mut written);
        // What other turns write cannot be read.
        if read.iter().any(|buffer| written.contains(buffer) && !lanes.private.contains(buffer)) {
            return Err(Refused);
        }
        while std::mem::take(&mut lanes.changed) {
            lanes.block(&each.body, false)?;
        }
        lanes.changed = true;
        lanes.check(&each.body)?;
        Ok(lanes)
    }

    /// Finds what each turn allocates.
    fn gather(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Statement::Allocate(allocation) => {
                    self.private.insert(allocation.buffer);
                }
                Statement::For(each) => self.private.extend(each.private.iter().map(|allocation| allocation.buffer)),
                _ => {}
            }
            for inner in riesz_program::blocks(statement) {
                self.gather(inner);
            }
        }
    }

    /// Finds the registers that belong to a turn: those that nobody uses outside of the loop.
    fn own_registers(&mut self, each: &For) {
        let (mut here, mut everywhere) = (FxHashMap::default(), FxHashMap::default());
        occurrences(&each.body, &mut here);
        occurrences(&self.procedure.body, &mut everywhere);
        for result in &self.procedure.results {
            if let Outcome::Number(Operand::Register(register)) = result {
                *everywhere.entry(*register).or_default() += 1;
            }
        }
        self.inside.extend(here.into_iter().filter(|(register, count)| everywhere[register] == *count).map(|(r, _)| r));
    }

    pub fn class(&self, operand: Operand) -> Class {
        match operand {
            Operand::Register(register) => self.classes.get(&register).cloned().unwrap_or(Class::Uniform),
            _ => Class::Uniform,
        }
    }

    pub fn is_uniform(&self, operand: Operand) -> bool {
        self.class(operand) == Class::Uniform
    }

    pub fn is_mutable(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.procedure.registers[register.0 as usize].mutable)
    }

    pub fn kind(&self, buffer: Buffer) -> Kind {
        self.procedure.buffers[buffer.0 as usize].kind
    }

    fn raise(&mut self, register: Register, class: Class) {
        let mutable = self.procedure.registers[register.0 as usize].mutable;
        let before = self.classes.get(&register).cloned().unwrap_or(Class::Uniform);
        let class = match (&before, class) {
            (Class::Uniform, Class::Linear(_)) if mutable => Class::Varying,
            (Class::Uniform, class) => class,
            (Class::Linear(a), Class::Linear(b)) if *a == b => return,
            (Class::Linear(_), Class::Uniform) => return,
            _ => Class::Varying,
        };
        if class != before {
            self.classes.insert(register, class);
            self.changed = true;
        }
    }

    fn vary(&mut self, buffer: Buffer) {
        if self.private.contains(&buffer) && self.varying.insert(buffer) {
            self.changed = true;
        }
    }

    /// One round over a block. `parted` says whether lanes part ways around it.
    fn block(&mut self, block: &Block, parted: bool) -> Result<(), Refused> {
        block.iter().try_for_each(|statement| self.statement(statement, parted))
    }

    fn statement(&mut self, statement: &Statement, parted: bool) -> Result<(), Refused> {
        match statement {
            Statement::Let(register, expression) => {
                let class = self.expression(expression);
                self.raise(*register, class);
            }
            Statement::Set(register, value) => {
                let class = if parted { Class::Varying } else { self.class(*value) };
                let class = if class == Class::Uniform { class } else { Class::Varying };
                self.raise(*register, class);
            }
            Statement::Reduce(register, _, value) => {
                if !self.inside.contains(register) {
                    self.reduced.insert(*register);
                } else if parted || !self.is_uniform(*value) {
                    self.raise(*register, Class::Varying);
                }
            }
            Statement::Store(element, value) | Statement::Add(element, value) => {
                self.stored(*element, *value, parted);
            }
            Statement::Fill(element, count, value) => {
                if !self.is_uniform(*count) {
                    return Err(Refused);
                }
                self.stored(*element, *value, parted);
            }
            Statement::Copy { to, from, count } => {
                if !self.is_uniform(*count) {
                    return Err(Refused);
                }
                if parted || !self.is_uniform(to.at) || self.loaded(*from) != Class::Uniform {
                    self.vary(to.buffer);
                }
            }
            Statement::Allocate(allocation) => {
                if !self.is_uniform(allocation.count) {
                    return Err(Refused);
                }
            }
            Statement::For(each) => {
                if !self.is_uniform(each.count)
                    || each.private.iter().any(|allocation| !self.is_uniform(allocation.count))
                {
                    return Err(Refused);
                }
                self.block(&each.body, parted)?;
            }
            Statement::If(condition, yes, no) => {
                let parted = parted || !self.is_uniform(*condition);
                self.block(yes, parted)?;
                self.block(no, parted)?;
            }
            Statement::While(each) => {
                self.block(&each.before, parted)?;
                if parted || !self.is_uniform(each.condition) {
                    return Err(Refused);
                }
                self.block(&each.body, parted)?;
            }
            Statement::Check(..) => {}
            Statement::Swap(a, b) => {
                if parted || !self.private.contains(a) || !self.private.contains(b) {
                    return Err(Refused);
                }
                if self.varying.contains(a) {
                    self.vary(*b);
                }
                if self.varying.contains(b) {
                    self.vary(*a);
                }
            }
            Statement::Product(product) => {
                let strides = [product.left.row, product.left.column, product.right.row, product.right.column];
                let sizes = [product.rows, product.inner, product.columns];
                if strides.iter().chain(&sizes).any(|operand| !self.is_uniform(*operand)) {
                    return Err(Refused);
                }
                let factors = [product.left.first, product.right.first];
                if parted
                    || !self.is_uniform(product.to.at)
                    || factors.iter().any(|first| self.loaded(*first) != Class::Uniform)
                {
                    self.vary(product.to.buffer);
                }
            }
            Statement::Grow(_) | Statement::Call(_) | Statement::Matrix(_) => return Err(Refused),
        }
        Ok(())
    }

    fn stored(&mut self, element: Element, value: Operand, parted: bool) {
        if parted || !self.is_uniform(element.at) || !self.is_uniform(value) {
            self.vary(element.buffer);
        }
    }

    /// What an element is when it is read.
    pub fn loaded(&self, element: Element) -> Class {
        match self.varying.contains(&element.buffer) || !self.is_uniform(element.at) {
            true => Class::Varying,
            false => Class::Uniform,
        }
    }

    fn expression(&self, expression: &Expression) -> Class {
        match expression {
            Expression::Load(element) => self.loaded(*element),
            Expression::Copy(a) => self.class(*a),
            Expression::Position(arithmetic, a, b) => self.linear(*arithmetic, *a, *b),
            Expression::Int(primitive, operands, _) => match (Arithmetic::of(primitive), &operands[..]) {
                (Some(arithmetic), [a, b]) => self.linear(arithmetic, *a, *b),
                _ => self.all(operands),
            },
            Expression::Real(_, operands) => self.all(operands),
            Expression::Compare(_, a, b)
            | Expression::Equal(a, b)
            | Expression::And(a, b)
            | Expression::Within(a, b) => self.all(&[*a, *b]),
            Expression::Near(a, b, c) | Expression::Select(a, b, c) => self.all(&[*a, *b, *c]),
            Expression::Not(a) | Expression::ToReal(a) | Expression::Truncate(a, _) | Expression::IsNan(a) => {
                self.all(&[*a])
            }
        }
    }

    fn all(&self, operands: &[Operand]) -> Class {
        match operands.iter().all(|operand| self.is_uniform(*operand)) {
            true => Class::Uniform,
            false => Class::Varying,
        }
    }

    fn linear(&self, arithmetic: Arithmetic, a: Operand, b: Operand) -> Class {
        use Class::{Linear, Uniform, Varying};
        let mutable = |operand: Operand| match operand {
            Operand::Register(register) => self.procedure.registers[register.0 as usize].mutable,
            _ => false,
        };
        match (arithmetic, self.class(a), self.class(b)) {
            (_, Uniform, Uniform) => Uniform,
            (Arithmetic::Add, Linear(step), Uniform) | (Arithmetic::Add, Uniform, Linear(step)) => Linear(step),
            (Arithmetic::Sub, Linear(step), Uniform) => Linear(step),
            (Arithmetic::Sub, Uniform, Linear(step)) => Linear(Step::Minus(Box::new(step))),
            (Arithmetic::Add, Linear(a), Linear(b)) => Linear(Step::Plus(Box::new(a), Box::new(b))),
            (Arithmetic::Mul, Linear(step), Uniform) if !mutable(b) => Linear(Step::Times(Box::new(step), b)),
            (Arithmetic::Mul, Uniform, Linear(step)) if !mutable(a) => Linear(Step::Times(Box::new(step), a)),
            _ => Varying,
        }
    }

    /// What only shows when all classes are known.
    fn check(&mut self, block: &Block) -> Result<(), Refused> {
        for statement in block {
            match statement {
                Statement::Set(register, _) if !self.inside.contains(register) => return Err(Refused),
                // A register from outside is read by nobody while turns reduce into it.
                Statement::Store(element, _) | Statement::Fill(element, ..)
                    if !self.private.contains(&element.buffer) && self.is_uniform(element.at) =>
                {
                    return Err(Refused);
                }
                Statement::Copy { to, .. } if !self.private.contains(&to.buffer) && self.is_uniform(to.at) => {
                    return Err(Refused);
                }
                Statement::Product(product)
                    if !self.private.contains(&product.to.buffer) && self.is_uniform(product.to.at) =>
                {
                    return Err(Refused);
                }
                Statement::Add(element, _)
                    if !self.private.contains(&element.buffer) && self.is_uniform(element.at) =>
                {
                    if self.procedure.buffers[element.buffer.0 as usize].kind != Kind::Real {
                        return Err(Refused);
                    }
                    self.summed.insert(element.buffer);
                }
                _ => {}
            }
            let mut outside = false;
            riesz_program::each_operand(statement, &mut |operand| {
                if let Operand::Register(register) = operand {
                    let reduces = matches!(statement, Statement::Reduce(reduced, ..) if *reduced == register);
                    outside |= self.reduced.contains(&register) && !reduces;
                }
            });
            if outside {
                return Err(Refused);
            }
            for inner in riesz_program::blocks(statement) {
                self.check(inner)?;
            }
        }
        Ok(())
    }
}

/// How often a block speaks of each register.
pub(crate) fn occurrences(block: &Block, found: &mut FxHashMap<Register, usize>) {
    for statement in block {
        let mut note = |register: Register| *found.entry(register).or_default() += 1;
        match statement {
            Statement::Let(register, _) | Statement::Set(register, _) => note(*register),
            Statement::For(each) => note(each.index),
            _ => {}
        }
        riesz_program::each_operand(statement, &mut |operand| {
            if let Operand::Register(register) = operand {
                note(register);
            }
        });
        for inner in riesz_program::blocks(statement) {
            occurrences(inner, found);
        }
    }
}

/// The buffers that a block reads, and those that it writes.
fn accesses(block: &Block, read: &mut FxHashSet<Buffer>, written: &mut FxHashSet<Buffer>) {
    for statement in block {
        match statement {
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
        }
        for inner in riesz_program::blocks(statement) {
            accesses(inner, read, written);
        }
    }
}
