//! The parts of a statement: operands, registers that it binds, buffers that it reads and writes, blocks. Passes that
//! treat most statements alike use these functions.

use crate::program::{
    Allocation, Argument, Block, Buffer, Element, Expression, Operand, Register, SiteId, Statement, Target,
};

/// How a statement uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Its elements are read.
    Read,
    /// Its elements are written or added to.
    Write,
    /// It is made.
    Make,
}

impl Expression {
    /// Calls `f` on every operand.
    pub(crate) fn operands(&self, f: &mut dyn FnMut(Operand)) {
        match self {
            Expression::Copy(a)
            | Expression::Not(a)
            | Expression::ToReal(a)
            | Expression::Truncate(a, _)
            | Expression::IsNan(a) => f(*a),
            Expression::Load(element) => f(element.at),
            Expression::Real(_, operands) | Expression::Int(_, operands, _) => operands.iter().for_each(|a| f(*a)),
            Expression::Position(_, a, b)
            | Expression::Compare(_, a, b)
            | Expression::Equal(a, b)
            | Expression::And(a, b)
            | Expression::Within(a, b) => {
                f(*a);
                f(*b);
            }
            Expression::Near(a, b, c) | Expression::Select(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
        }
    }

    /// Calls `f` on every operand, to be changed.
    pub(crate) fn operands_mut(&mut self, f: &mut dyn FnMut(&mut Operand)) {
        match self {
            Expression::Copy(a)
            | Expression::Not(a)
            | Expression::ToReal(a)
            | Expression::Truncate(a, _)
            | Expression::IsNan(a) => f(a),
            Expression::Load(element) => f(&mut element.at),
            Expression::Real(_, operands) | Expression::Int(_, operands, _) => operands.iter_mut().for_each(f),
            Expression::Position(_, a, b)
            | Expression::Compare(_, a, b)
            | Expression::Equal(a, b)
            | Expression::And(a, b)
            | Expression::Within(a, b) => {
                f(a);
                f(b);
            }
            Expression::Near(a, b, c) | Expression::Select(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
        }
    }

    /// Whether it can be computed where it is not needed: it reads no buffer and cannot fail.
    pub(crate) fn is_free(&self) -> bool {
        !matches!(self, Expression::Load(_) | Expression::Int(..) | Expression::Truncate(..))
    }
}

impl Statement {
    /// Calls `f` on every operand outside of the blocks.
    pub(crate) fn operands(&self, f: &mut dyn FnMut(Operand)) {
        riesz_limit::poll();
        match self {
            Statement::Let(_, expression) => expression.operands(f),
            Statement::Set(_, a) => f(*a),
            Statement::Reduce(register, _, a) => {
                f(Operand::Register(*register));
                f(*a);
            }
            Statement::Allocate(Allocation { count, .. }) | Statement::Grow(Allocation { count, .. }) => f(*count),
            Statement::Fill(element, count, value) => {
                f(element.at);
                f(*count);
                f(*value);
            }
            Statement::Copy { to, from, count } => {
                f(to.at);
                f(from.at);
                f(*count);
            }
            Statement::Store(element, value) | Statement::Add(element, value) => {
                f(element.at);
                f(*value);
            }
            Statement::For(each) => {
                f(each.count);
                each.private.iter().for_each(|allocation| f(allocation.count));
            }
            Statement::While(each) => {
                each.private.iter().for_each(|allocation| f(allocation.count));
                f(each.condition);
            }
            Statement::If(condition, _, _) => f(*condition),
            Statement::Check(condition, _, operands) => {
                f(*condition);
                operands.iter().for_each(|a| f(*a));
            }
            Statement::Swap(..) => {}
            Statement::Call(call) => call.arguments.iter().for_each(|argument| match argument {
                Argument::Number(operand) => f(*operand),
                Argument::Elements(element, count) => {
                    f(element.at);
                    f(*count);
                }
                Argument::Whole(_) => {}
            }),
            Statement::Product(product) => {
                for strided in [product.left, product.right] {
                    f(strided.first.at);
                    f(strided.row);
                    f(strided.column);
                }
                [product.to.at, product.rows, product.inner, product.columns].into_iter().for_each(f);
            }
            Statement::Matrix(matrix) => {
                [matrix.to.at, matrix.count, matrix.a.at, matrix.n].into_iter().chain(matrix.shape).for_each(&mut *f);
                if let Some((element, columns)) = matrix.b {
                    f(element.at);
                    f(columns);
                }
            }
        }
    }

    /// Calls `f` on every buffer used outside of the blocks.
    pub(crate) fn buffers(&self, f: &mut dyn FnMut(Buffer, Use)) {
        riesz_limit::poll();
        match self {
            Statement::Let(_, Expression::Load(element)) => f(element.buffer, Use::Read),
            Statement::Let(..) | Statement::Set(..) | Statement::Reduce(..) => {}
            Statement::Allocate(allocation) => f(allocation.buffer, Use::Make),
            Statement::Grow(allocation) => {
                f(allocation.buffer, Use::Read);
                f(allocation.buffer, Use::Write);
            }
            Statement::Fill(element, ..) | Statement::Store(element, _) | Statement::Add(element, _) => {
                f(element.buffer, Use::Write);
            }
            Statement::Copy { to, from, .. } => {
                f(from.buffer, Use::Read);
                f(to.buffer, Use::Write);
            }
            Statement::For(each) => each.private.iter().for_each(|allocation| f(allocation.buffer, Use::Make)),
            Statement::While(each) => each.private.iter().for_each(|allocation| f(allocation.buffer, Use::Make)),
            Statement::If(..) | Statement::Check(..) => {}
            Statement::Swap(a, b) => {
                for buffer in [*a, *b] {
                    f(buffer, Use::Read);
                    f(buffer, Use::Write);
                }
            }
            Statement::Call(call) => {
                for argument in &call.arguments {
                    if let Argument::Elements(Element { buffer, .. }, _) | Argument::Whole(buffer) = argument {
                        f(*buffer, Use::Read);
                        f(*buffer, Use::Write);
                    }
                }
                for target in &call.results {
                    if let Target::Buffer(buffer) = target {
                        f(*buffer, Use::Make);
                    }
                }
            }
            Statement::Product(product) => {
                f(product.left.first.buffer, Use::Read);
                f(product.right.first.buffer, Use::Read);
                f(product.to.buffer, Use::Write);
            }
            Statement::Matrix(matrix) => {
                f(matrix.a.buffer, Use::Read);
                if let Some((Element { buffer, .. }, _)) = matrix.b {
                    f(buffer, Use::Read);
                }
                f(matrix.to.buffer, Use::Write);
            }
        }
    }

    /// The same, to be changed.
    pub(crate) fn buffers_mut(&mut self, f: &mut dyn FnMut(&mut Buffer)) {
        match self {
            Statement::Let(_, Expression::Load(element)) => f(&mut element.buffer),
            Statement::Let(..) | Statement::Set(..) | Statement::Reduce(..) => {}
            Statement::Allocate(allocation) | Statement::Grow(allocation) => f(&mut allocation.buffer),
            Statement::Fill(element, ..) | Statement::Store(element, _) | Statement::Add(element, _) => {
                f(&mut element.buffer);
            }
            Statement::Copy { to, from, .. } => [to, from].into_iter().for_each(|element| f(&mut element.buffer)),
            Statement::For(each) => each.private.iter_mut().for_each(|allocation| f(&mut allocation.buffer)),
            Statement::While(each) => each.private.iter_mut().for_each(|allocation| f(&mut allocation.buffer)),
            Statement::If(..) | Statement::Check(..) => {}
            Statement::Swap(a, b) => [a, b].into_iter().for_each(f),
            Statement::Call(call) => {
                for argument in &mut call.arguments {
                    if let Argument::Elements(Element { buffer, .. }, _) | Argument::Whole(buffer) = argument {
                        f(buffer);
                    }
                }
                for target in &mut call.results {
                    if let Target::Buffer(buffer) = target {
                        f(buffer);
                    }
                }
            }
            Statement::Product(product) => {
                f(&mut product.left.first.buffer);
                f(&mut product.right.first.buffer);
                f(&mut product.to.buffer);
            }
            Statement::Matrix(matrix) => {
                f(&mut matrix.a.buffer);
                if let Some((element, _)) = &mut matrix.b {
                    f(&mut element.buffer);
                }
                f(&mut matrix.to.buffer);
            }
        }
    }

    /// Calls `f` on every register that is bound or set outside of the blocks.
    pub(crate) fn defines(&self, f: &mut dyn FnMut(Register)) {
        match self {
            Statement::Let(register, _) | Statement::Set(register, _) | Statement::Reduce(register, ..) => f(*register),
            Statement::For(each) => f(each.index),
            Statement::Call(call) => call.results.iter().for_each(|target| {
                if let Target::Register(register) = target {
                    f(*register);
                }
            }),
            _ => {}
        }
    }

    /// The blocks.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        riesz_limit::poll();
        match self {
            Statement::For(each) => vec![&each.body],
            Statement::While(each) => vec![&each.before, &each.body],
            Statement::If(_, yes, no) => vec![yes, no],
            _ => Vec::new(),
        }
    }

    /// The blocks, to be changed.
    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Block> {
        riesz_limit::poll();
        match self {
            Statement::For(each) => vec![&mut each.body],
            Statement::While(each) => vec![&mut each.before, &mut each.body],
            Statement::If(_, yes, no) => vec![yes, no],
            _ => Vec::new(),
        }
    }
}

/// Calls `f` on every operand of a statement outside of its blocks.
pub fn each_operand(statement: &Statement, f: &mut dyn FnMut(Operand)) {
    statement.operands(f);
}

/// Whether a condition holds of a buffer that a statement uses outside of its blocks.
pub fn any_buffer(statement: &Statement, holds: &mut dyn FnMut(Buffer) -> bool) -> bool {
    let mut found = false;
    statement.buffers(&mut |buffer, _| found |= holds(buffer));
    found
}

/// The blocks of a statement.
pub fn blocks(statement: &Statement) -> Vec<&Block> {
    statement.blocks()
}

/// Calls `f` on every statement of a block and of the blocks in it, outer ones first.
pub fn each_statement<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Statement)) {
    let mut work: Vec<&Block> = vec![block];
    while let Some(block) = work.pop() {
        for statement in block {
            f(statement);
            work.extend(statement.blocks());
        }
    }
}

/// Moves the identities of procedures and sites in a block.
pub(crate) fn renumber(block: &mut Block, procedures: u32, sites: u32) {
    let move_site = |site: &mut SiteId| site.0 += sites;
    for statement in block {
        match statement {
            Statement::Let(_, Expression::Int(_, _, site) | Expression::Truncate(_, site))
            | Statement::Allocate(Allocation { site, .. })
            | Statement::Grow(Allocation { site, .. })
            | Statement::Check(_, site, _) => move_site(site),
            Statement::For(each) => {
                move_site(&mut each.site);
                each.private.iter_mut().for_each(|allocation| move_site(&mut allocation.site));
            }
            Statement::While(each) => {
                move_site(&mut each.site);
                each.private.iter_mut().for_each(|allocation| move_site(&mut allocation.site));
            }
            Statement::Matrix(matrix) => move_site(&mut matrix.site),
            Statement::Call(call) => {
                move_site(&mut call.site);
                call.procedure.0 += procedures;
            }
            _ => {}
        }
        for inner in statement.blocks_mut() {
            renumber(inner, procedures, sites);
        }
    }
}
