//! Scalarisation: a buffer of one number becomes a register.
//!
//! ```text
//! new b of 1; if c: b[0] = x else: b[0] = y; z = b[0]     is     r = 0; if c: r = x else: r = y; z = r
//! ```
//!
//! The numbers that a branch gives are written to buffers at first, like arrays. If the number is loaded and stored
//! only in the iteration that makes its buffer, and the buffer has no other use, no memory is needed.

use crate::program::{
    Allocation, Block, Buffer, Element, Expression, Kind, Operand, Outcome, Parameter, Procedure, Register,
    RegisterInfo, Statement,
};
use rustc_hash::FxHashMap;

/// Makes registers of the buffers of one number in a procedure.
pub fn scalarise(procedure: &mut Procedure) {
    let mut found = OneNumber::default();
    found.block(&procedure.body, 0);
    for outcome in &procedure.results {
        if let Outcome::Buffer(buffer) = outcome {
            found.refuse(*buffer);
        }
    }
    for parameter in &procedure.parameters {
        if let Parameter::Read(buffer) | Parameter::Added(buffer) | Parameter::Grown(buffer) = parameter {
            found.refuse(*buffer);
        }
    }
    let mut buffers: Vec<Buffer> =
        found.made.into_iter().filter_map(|(buffer, iteration)| iteration.map(|_| buffer)).collect();
    buffers.sort_unstable();
    let mut registers = FxHashMap::default();
    for buffer in buffers {
        let info = &procedure.buffers[buffer.0 as usize];
        registers.insert(buffer, (Register(procedure.registers.len() as u32), info.kind));
        procedure.registers.push(RegisterInfo { name: info.name.clone(), kind: info.kind, mutable: true });
    }
    if !registers.is_empty() {
        replace(&mut procedure.body, &registers);
    }
}

/// The loop in whose iteration each buffer of one number is made; none where something else is done with it.
#[derive(Default)]
struct OneNumber {
    made: FxHashMap<Buffer, Option<u32>>,
    loops: u32,
}

impl OneNumber {
    fn refuse(&mut self, buffer: Buffer) {
        self.made.insert(buffer, None);
    }

    fn block(&mut self, block: &Block, iteration: u32) {
        for statement in block {
            match statement {
                Statement::Allocate(Allocation { buffer, count: Operand::Int(1), .. }) => match self.made.get(buffer) {
                    Some(_) => self.refuse(*buffer),
                    None => {
                        self.made.insert(*buffer, Some(iteration));
                    }
                },
                Statement::Let(_, Expression::Load(element)) | Statement::Store(element, _)
                    if self.made.get(&element.buffer) == Some(&Some(iteration)) && element.at == Operand::Int(0) => {}
                _ => statement.buffers(&mut |buffer, _| self.refuse(buffer)),
            }
            match statement {
                Statement::If(_, yes, no) => {
                    self.block(yes, iteration);
                    self.block(no, iteration);
                }
                _ => {
                    for inner in statement.blocks() {
                        self.loops += 1;
                        self.block(inner, self.loops);
                    }
                }
            }
        }
    }
}

fn replace(block: &mut Block, registers: &FxHashMap<Buffer, (Register, Kind)>) {
    let register = |element: &Element| registers.get(&element.buffer).map(|(register, _)| *register);
    for statement in block {
        match statement {
            Statement::Allocate(Allocation { buffer, .. }) => {
                if let Some((register, kind)) = registers.get(buffer) {
                    *statement = Statement::Set(*register, kind.zero());
                }
            }
            Statement::Let(to, Expression::Load(element)) => {
                if let Some(register) = register(element) {
                    *statement = Statement::Let(*to, Expression::Copy(Operand::Register(register)));
                }
            }
            Statement::Store(element, value) => {
                if let Some(register) = register(element) {
                    *statement = Statement::Set(register, *value);
                }
            }
            other => other.blocks_mut().into_iter().for_each(|inner| replace(inner, registers)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::print;
    use crate::program::{BufferInfo, For, Program, Site, SiteId};
    use riesz_syntax::{FileId, Span};

    fn nowhere() -> Span {
        Span { file: FileId(0), start: 0, end: 0 }
    }

    /// `new b of 1; if true: b[0] = 1.5; z = b[0]`, with something else done before the end.
    fn procedure(last: Vec<Statement>) -> Procedure {
        let (b, z) = (Buffer(0), Register(0));
        let first = Element { buffer: b, at: Operand::Int(0) };
        let mut body = vec![
            Statement::Allocate(Allocation { buffer: b, count: Operand::Int(1), site: SiteId(0) }),
            Statement::If(Operand::Bool(true), vec![Statement::Store(first, Operand::Real(1.5))], Vec::new()),
        ];
        body.extend(last);
        body.push(Statement::Let(z, Expression::Load(first)));
        let number = |kind| RegisterInfo { name: None, kind, mutable: false };
        Procedure {
            name: "f".into(),
            span: nowhere(),
            parameters: Vec::new(),
            results: vec![Outcome::Number(Operand::Register(z))],
            registers: vec![number(Kind::Real), number(Kind::Int)],
            buffers: vec![BufferInfo { name: None, kind: Kind::Real }],
            body,
            nan_flag: None,
        }
    }

    fn buffers_left(mut procedure: Procedure) -> bool {
        scalarise(&mut procedure);
        let sites = vec![Site { fault: crate::program::Fault::Memory, span: nowhere() }];
        let program = Program { procedures: vec![procedure], sites };
        crate::verify::verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{}", print(&program)));
        let mut left = false;
        crate::visit::each_statement(&program.procedures[0].body, &mut |statement| {
            left |= matches!(statement, Statement::Allocate(_));
        });
        left
    }

    #[test]
    fn a_number_that_branches_store_is_a_register() {
        assert!(!buffers_left(procedure(Vec::new())));
    }

    #[test]
    fn what_iterations_of_a_loop_inside_store_stays_a_buffer() {
        let first = Element { buffer: Buffer(0), at: Operand::Int(0) };
        let body = vec![Statement::Store(first, Operand::Real(2.5))];
        let each = For::new(Register(1), Operand::Int(3), false, body, SiteId(0));
        assert!(buffers_left(procedure(vec![Statement::For(each)])));
    }

    #[test]
    fn what_is_added_to_stays_a_buffer() {
        let first = Element { buffer: Buffer(0), at: Operand::Int(0) };
        assert!(buffers_left(procedure(vec![Statement::Add(first, Operand::Real(1.0))])));
    }
}
