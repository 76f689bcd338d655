//! Plain zeros: exact products at the cost of ordinary ones.
//!
//! `0 · inf` is 0 in a derivative, and NaN in ordinary arithmetic; all other products are the same. A linear function
//! of a NaN is NaN, so a NaN that ordinary products wrongly produce is visible in a result: if plain code gives no NaN,
//! its result is right, and otherwise the exact code must run. This holds as long as no product affects control flow:
//! no comparison, truncation or exponent depends on one.

use super::nan_flag::nan_flag;
use crate::program::{
    Argument, Buffer, Call, Expression, Operand, Outcome, Parameter, ProcedureId, Program, Register, Statement, Target,
};
use crate::visit::each_statement;
use riesz_primitive::scalar;
use rustc_hash::FxHashSet;

/// A program with plain products, to run before the one with exact products.
pub struct PlainFirst {
    /// The program.
    pub program: Program,
    /// The procedures that have a NaN flag.
    pub flagged: Vec<ProcedureId>,
}

/// The program to run before one with exact products, with NaN flags for the procedures that are called from outside;
/// none if the program has no exact products that can be plain.
pub fn plain_first(exact: &Program, entries: impl Iterator<Item = ProcedureId>) -> Option<PlainFirst> {
    let mut program = exact.clone();
    if !plain_zeros(&mut program) {
        return None;
    }
    let mut flagged = Vec::new();
    for id in entries {
        if !flagged.contains(&id) && nan_flag(&mut program, id) {
            flagged.push(id);
        }
    }
    Some(PlainFirst { program, flagged })
}

/// Makes exact products plain, where a NaN that this makes shows in the results. Whether there were any.
pub fn plain_zeros(program: &mut Program) -> bool {
    let products = Products::of(program);
    let mut changed = false;
    for group in groups(program) {
        let has = |id: &ProcedureId| products.found.contains(id);
        if group.iter().any(has) && !group.iter().any(|id| products.decide(program, *id)) {
            for id in group {
                make_plain(&mut program.procedures[id.0 as usize].body);
            }
            changed = true;
        }
    }
    changed
}

/// The procedures in groups: procedures that call each other are in one, because a NaN of one may be lost in another.
fn groups(program: &Program) -> Vec<Vec<ProcedureId>> {
    let mut group_of: Vec<usize> = (0..program.procedures.len()).collect();
    for (at, procedure) in program.procedures.iter().enumerate() {
        each_statement(&procedure.body, &mut |statement| {
            if let Statement::Call(call) = statement {
                let (to, from) = (group_of[at], group_of[call.procedure.0 as usize]);
                group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        });
    }
    let mut groups = vec![Vec::new(); group_of.len()];
    for (at, group) in group_of.into_iter().enumerate() {
        groups[group].push(ProcedureId(at as u32));
    }
    groups
}

/// The registers and buffers that depend on exact products.
#[derive(Default)]
struct Products {
    /// The procedures that have them.
    found: FxHashSet<ProcedureId>,
    registers: FxHashSet<(ProcedureId, Register)>,
    buffers: FxHashSet<(ProcedureId, Buffer)>,
}

impl Products {
    fn of(program: &Program) -> Products {
        let mut products = Products::default();
        loop {
            let before = products.registers.len() + products.buffers.len();
            for (at, procedure) in program.procedures.iter().enumerate() {
                let id = ProcedureId(at as u32);
                each_statement(&procedure.body, &mut |statement| products.statement(program, id, statement));
            }
            if products.registers.len() + products.buffers.len() == before {
                return products;
            }
        }
    }

    /// Whether one of them decides anything in a procedure.
    fn decide(&self, program: &Program, id: ProcedureId) -> bool {
        let mut decides = false;
        each_statement(&program.procedure(id).body, &mut |statement| {
            if let Statement::Let(_, expression) = statement {
                decides |= self.decides(id, expression);
            }
        });
        decides
    }

    fn has(&self, id: ProcedureId, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.registers.contains(&(id, register)))
    }

    fn holds(&self, id: ProcedureId, buffer: Buffer) -> bool {
        self.buffers.contains(&(id, buffer))
    }

    fn statement(&mut self, program: &Program, id: ProcedureId, statement: &Statement) {
        match statement {
            Statement::Let(register, expression) => {
                let mut found = match expression {
                    Expression::Real(primitive, _) if std::ptr::eq(*primitive, &scalar::EXACT_MUL) => {
                        self.found.insert(id);
                        true
                    }
                    Expression::Load(element) => self.holds(id, element.buffer),
                    _ => false,
                };
                expression.operands(&mut |operand| found |= self.has(id, operand));
                if found {
                    self.registers.insert((id, *register));
                }
            }
            Statement::Set(register, value) | Statement::Reduce(register, _, value) if self.has(id, *value) => {
                self.registers.insert((id, *register));
            }
            Statement::Store(element, value) | Statement::Add(element, value) | Statement::Fill(element, _, value)
                if self.has(id, *value) =>
            {
                self.buffers.insert((id, element.buffer));
            }
            Statement::Copy { to, from, .. } if self.holds(id, from.buffer) => {
                self.buffers.insert((id, to.buffer));
            }
            Statement::Swap(a, b) if self.holds(id, *a) || self.holds(id, *b) => {
                self.buffers.extend([(id, *a), (id, *b)]);
            }
            Statement::Call(call) => self.call(program, id, call),
            Statement::Product(product) => {
                if product.exact {
                    self.found.insert(id);
                }
                let factors = [product.left.first.buffer, product.right.first.buffer];
                if product.exact || factors.iter().any(|buffer| self.holds(id, *buffer)) {
                    self.buffers.insert((id, product.to.buffer));
                }
            }
            Statement::Matrix(matrix) => {
                let right = matrix.b.is_some_and(|(element, _)| self.holds(id, element.buffer));
                if right || self.holds(id, matrix.a.buffer) {
                    self.buffers.insert((id, matrix.to.buffer));
                }
            }
            _ => {}
        }
    }

    /// The dependences through the arguments and the results of a call.
    fn call(&mut self, program: &Program, id: ProcedureId, call: &Call) {
        let callee = program.procedure(call.procedure);
        for (argument, parameter) in call.arguments.iter().zip(&callee.parameters) {
            let outside = match argument {
                Argument::Number(operand) => {
                    if let Parameter::Number(register) = parameter
                        && self.has(id, *operand)
                    {
                        self.registers.insert((call.procedure, *register));
                    }
                    continue;
                }
                Argument::Elements(element, _) => (id, element.buffer),
                Argument::Whole(buffer) => (id, *buffer),
            };
            let (Parameter::Read(inside) | Parameter::Added(inside) | Parameter::Grown(inside)) = parameter else {
                continue;
            };
            let inside = (call.procedure, *inside);
            if self.buffers.contains(&outside) || self.buffers.contains(&inside) {
                self.buffers.extend([outside, inside]);
            }
        }
        for (target, outcome) in call.results.iter().zip(&callee.results) {
            match (target, outcome) {
                (Target::Register(register), Outcome::Number(operand)) if self.has(call.procedure, *operand) => {
                    self.registers.insert((id, *register));
                }
                (Target::Buffer(buffer), Outcome::Buffer(inside)) if self.holds(call.procedure, *inside) => {
                    self.buffers.insert((id, *buffer));
                }
                _ => {}
            }
        }
    }

    /// Whether a NaN among the operands may be lost.
    fn decides(&self, id: ProcedureId, expression: &Expression) -> bool {
        let mut found = false;
        expression.operands(&mut |operand| found |= self.has(id, operand));
        found
            && match expression {
                // Exact products are made plain.
                Expression::Real(primitive, _) => {
                    *primitive != &scalar::EXACT_MUL && primitive.scalar().is_some_and(|row| row.hides_nan())
                }
                Expression::Compare(..)
                | Expression::Equal(..)
                | Expression::Near(..)
                | Expression::Truncate(..)
                | Expression::IsNan(_) => true,
                _ => false,
            }
    }
}

fn make_plain(block: &mut [Statement]) {
    for statement in block {
        match statement {
            Statement::Let(_, Expression::Real(primitive, _)) if std::ptr::eq(*primitive, &scalar::EXACT_MUL) => {
                *primitive = &scalar::MUL;
            }
            Statement::Product(product) => product.exact = false,
            _ => {}
        }
        for inner in statement.blocks_mut() {
            make_plain(inner);
        }
    }
}
