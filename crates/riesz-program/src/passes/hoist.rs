//! Loop-invariant stores are hoisted.
//!
//! ```text
//! for i < n: for j < m: check p(j); b[j] = f(j); ... b[j] ...
//!   is
//! if n > 0: for j < m: check p(j); b[j] = f(j)
//! for i < n: for j < m: ... b[j] ...
//! ```
//!
//! A buffer that holds the same values in every iteration becomes one buffer before the loop, and loop-invariant checks
//! are made once. Residuals are often of this kind: coefficients, and positions in arrays.

use crate::iterations::{Iterations, Names, Path};
use crate::passes::distinct::Distinct;
use crate::program::{
    Allocation, Block, Buffer, Element, Expression, For, Kind, Operand, Procedure, Register, Statement,
};
use crate::visit::Use;
use riesz_core::Comparison;
use rustc_hash::{FxHashMap, FxHashSet};

/// Writes once what can be, in the outermost loops of a procedure whose iterations are independent.
pub fn hoist(procedure: &mut Procedure) {
    let apart = Distinct::of(procedure);
    let body = std::mem::take(&mut procedure.body);
    procedure.body = hoist_block(procedure, &apart, body);
}

fn hoist_block(procedure: &mut Procedure, apart: &Distinct, block: Block) -> Block {
    let mut written = Vec::with_capacity(block.len());
    for mut statement in block {
        match &mut statement {
            Statement::For(each) if each.parallel => hoist_loop(procedure, apart, each, &mut written),
            other => {
                for inner in other.blocks_mut() {
                    *inner = hoist_block(procedure, apart, std::mem::take(inner));
                }
            }
        }
        written.push(statement);
    }
    written
}

fn hoist_loop(procedure: &mut Procedure, apart: &Distinct, each: &mut For, before: &mut Block) {
    let mut same = FxHashSet::default();
    let found = loop {
        let iterations = Iterations::of(procedure, each, &same);
        let found = Invariant::of(&iterations, apart, each);
        if found.buffers.len() == same.len() {
            break (iterations, found);
        }
        same = found.buffers;
    };
    let (iterations, found) = found;
    if found.statements.is_empty() {
        return;
    }
    let stored = found.stored(&iterations);
    let mut writing = Writing { procedure, found: &found, iterations: &iterations, stored };
    let mut block = Block::new();
    writing.write(&each.body, &mut Names::default(), &mut block);
    let body = writing.rest(&each.body);
    let some = writing.procedure.register(Kind::Bool, false);
    for allocation in each.private.iter().filter(|allocation| found.buffers.contains(&allocation.buffer)) {
        before.push(Statement::Allocate(*allocation));
    }
    let any = Expression::Compare(Comparison::Greater, each.count, Operand::Int(0));
    before.push(Statement::Let(some, any));
    before.push(Statement::If(Operand::Register(some), block, Block::new()));
    let private =
        each.private.iter().filter(|allocation| !found.buffers.contains(&allocation.buffer)).copied().collect();
    (each.body, each.private) = (body, private);
}

/// The statements that every iteration executes alike.
struct Invariant {
    /// Stores and checks.
    statements: FxHashSet<*const Statement>,
    /// The buffers of the iterations that hold the same in each.
    buffers: FxHashSet<Buffer>,
}

impl Invariant {
    fn of(iterations: &Iterations, apart: &Distinct, each: &For) -> Invariant {
        let mut found = Invariant { statements: FxHashSet::default(), buffers: FxHashSet::default() };
        for Allocation { buffer, count, .. } in &each.private {
            let touches = iterations.touches.get(buffer).map_or(&[][..], |touches| touches);
            let mut writes = touches.iter().filter(|(_, how)| *how != Use::Read).map(|(statement, _)| *statement);
            if let (Some(Statement::Store(..)), None) = (writes.next(), writes.next())
                && iterations.is_outside(*count)
            {
                found.buffers.insert(*buffer);
            }
        }
        let mut alike = FxHashSet::default();
        for (path, statement) in &iterations.always {
            match statement {
                Statement::Store(element, value)
                    if found.buffers.contains(&element.buffer)
                        && iterations.is_fixed(*value)
                        && apart.is_distinct(element.at, path, iterations) =>
                {
                    found.statements.insert(std::ptr::from_ref(*statement));
                    alike.insert(element.buffer);
                }
                Statement::Check(condition, _, operands)
                    if !path.is_empty()
                        && iterations.is_fixed(*condition)
                        && operands.iter().all(|operand| iterations.is_fixed(*operand)) =>
                {
                    found.statements.insert(std::ptr::from_ref(*statement));
                }
                _ => {}
            }
        }
        found.buffers = alike;
        found
    }

    /// The numbers that are read from such a buffer, rather than computed in each iteration again: where each is.
    fn stored(&self, iterations: &Iterations) -> FxHashMap<Register, Element> {
        let mut stored = FxHashMap::default();
        for (path, statement) in &iterations.always {
            let Statement::Store(element, Operand::Register(value)) = statement else { continue };
            if !self.statements.contains(&std::ptr::from_ref(*statement)) {
                continue;
            }
            let here = |(bound, expression): &(Path, &Expression)| {
                bound == path && !matches!(expression, Expression::Copy(_) | Expression::ToReal(_))
            };
            if iterations.fixed.contains_key(value)
                && iterations.bound.get(value).is_some_and(here)
                && !needs(iterations, element.at, *value)
            {
                stored.entry(*value).or_insert(*element);
            }
        }
        stored
    }
}

/// Whether a fixed operand is computed from a register.
fn needs(iterations: &Iterations, operand: Operand, register: Register) -> bool {
    let Operand::Register(other) = operand else { return false };
    let mut found = other == register;
    if let Some(expression) = iterations.fixed.get(&other) {
        expression.operands(&mut |operand| found = found || needs(iterations, operand, register));
    }
    found
}

struct Writing<'w, 'b> {
    procedure: &'w mut Procedure,
    found: &'w Invariant,
    iterations: &'w Iterations<'b>,
    stored: FxHashMap<Register, Element>,
}

impl Writing<'_, '_> {
    /// Writes what every iteration does alike, with what that needs. Whether there is anything.
    fn write(&mut self, block: &Block, names: &mut Names, done: &mut Block) -> bool {
        let mut some = false;
        for statement in block {
            let alike = self.found.statements.contains(&std::ptr::from_ref(statement));
            some |= alike;
            match statement {
                Statement::Let(register, expression) if self.iterations.fixed.contains_key(register) => {
                    let expression = names.expression(expression);
                    done.push(Statement::Let(names.fresh(*register, self.procedure), expression));
                }
                Statement::Store(to, value) if alike => {
                    done.push(Statement::Store(names.element(*to), names.of(*value)));
                }
                Statement::Check(condition, site, operands) if alike => {
                    let operands = operands.iter().map(|operand| names.of(*operand)).collect();
                    done.push(Statement::Check(names.of(*condition), *site, operands));
                }
                Statement::For(each) => {
                    let mut again = names.again(each, self.procedure);
                    if self.write(&each.body, names, &mut again.body) {
                        done.push(Statement::For(again));
                        some = true;
                    }
                }
                _ => {}
            }
        }
        some
    }

    /// The statements that remain in an iteration.
    fn rest(&mut self, block: &Block) -> Block {
        let mut rest = Vec::with_capacity(block.len());
        for statement in block {
            if self.found.statements.contains(&std::ptr::from_ref(statement)) {
                continue;
            }
            match statement {
                Statement::Let(register, _) if self.stored.contains_key(register) => {
                    let Element { buffer, at } = self.stored[register];
                    let at = self.again(at, &mut rest);
                    rest.push(Statement::Let(*register, Expression::Load(Element { buffer, at })));
                }
                Statement::For(each) => {
                    let body = self.rest(&each.body);
                    if !body.is_empty() {
                        rest.push(Statement::For(For { body, ..each.clone() }));
                    }
                }
                other => rest.push(other.clone()),
            }
        }
        rest
    }

    /// Computes a fixed position again, from the indices that it is made of.
    fn again(&mut self, operand: Operand, block: &mut Block) -> Operand {
        let Operand::Register(register) = operand else { return operand };
        let Some(expression) = self.iterations.fixed.get(&register) else { return operand };
        let mut names = Names::default();
        expression.operands(&mut |operand| {
            if let Operand::Register(inner) = operand {
                let value = self.again(operand, block);
                names.insert(inner, value);
            }
        });
        let fresh = self.procedure.register(Kind::Int, false);
        block.push(Statement::Let(fresh, names.expression(expression)));
        Operand::Register(fresh)
    }
}
