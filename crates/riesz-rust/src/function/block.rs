//! Blocks: declarations of registers, and pairs of statements that become one.

use super::Writer;
use riesz_primitive::scalar;
use riesz_program::program::{Block, Element, Expression, Kind, Operand, Register, Statement};
use riesz_program::scope::declarations;
use rustc_hash::FxHashSet;

impl Writer<'_> {
    /// A block. Mutable registers are declared in the innermost block around all of their uses.
    pub(super) fn block(&mut self, block: &Block, declared: &mut FxHashSet<Register>, outermost: bool) {
        let mine = declarations(self.procedure, block, declared);
        for (at, statement) in block.iter().enumerate() {
            for register in mine.iter().filter(|(first, _)| *first == at).map(|(_, register)| *register) {
                declared.insert(register);
                let kind = self.procedure.registers[register.0 as usize].kind;
                match statement {
                    Statement::Set(set, value) if *set == register => {
                        let (name, value) = (self.register(register), self.operand(*value));
                        self.line(format!("let mut {name}: {} = {value};", self.rust(kind)));
                    }
                    _ => {
                        let zero = zero(kind);
                        self.line(format!("let mut {}: {} = {zero};", self.register(register), self.rust(kind)));
                    }
                }
            }
            let is_declaration = matches!(statement, Statement::Set(set, _)
                if mine.iter().any(|(first, register)| *first == at && register == set));
            if self.is_angle(block, at, declared) {
                continue;
            }
            if self.is_left_to_loop(statement, &block[at + 1..]) {
                continue;
            }
            if !is_declaration {
                self.statement(statement, declared, outermost);
            }
        }
        for (_, register) in mine {
            declared.remove(&register);
        }
    }

    /// Whether a statement is the sine or the cosine of a number of which the other is taken too, with nothing but
    /// bindings between them: both are written where the first is.
    fn is_angle(&mut self, block: &Block, at: usize, declared: &FxHashSet<Register>) -> bool {
        let angle = |statement: &Statement| match statement {
            Statement::Let(register, Expression::Real(primitive, operands)) => match &operands[..] {
                [angle] if [&scalar::SIN, &scalar::COS].contains(primitive) => Some((*primitive, *angle, *register)),
                _ => None,
            },
            _ => None,
        };
        let Some((_, of, register)) = angle(&block[at]) else { return false };
        let binds = |statement: &&Statement| matches!(statement, Statement::Let(..));
        let start = at - block[..at].iter().rev().take_while(binds).count();
        let run = block[start..].iter().take_while(binds).filter_map(angle).filter(|(_, angle, _)| *angle == of);
        let (sines, cosines): (Vec<_>, Vec<_>) = run.partition(|(function, ..)| *function == &scalar::SIN);
        let (Some((.., sine)), Some((.., cosine))) = (sines.first(), cosines.first()) else { return false };
        if declared.contains(sine) || declared.contains(cosine) || ![sine, cosine].contains(&&register) {
            return false;
        }
        let written = block[start..at].iter().filter_map(angle).any(|(.., other)| other == *sine || other == *cosine);
        if !written {
            let (sine, cosine) = (self.register(*sine), self.register(*cosine));
            let line = format!("let ({sine}, {cosine}) = sin_cos({});", self.operand(of));
            self.line(line);
        }
        true
    }

    /// Whether a statement fills a buffer with zeros that the loop behind it writes instead.
    fn is_left_to_loop(&self, statement: &Statement, rest: &[Statement]) -> bool {
        let Statement::Fill(Element { buffer, at: Operand::Int(0) }, count, Operand::Real(0.0)) = statement else {
            return false;
        };
        let next = rest.iter().find(|statement| !matches!(statement, Statement::Fill(..)));
        let Some(Statement::For(each)) = next else { return false };
        let stencil = self.schedule(each).0.and_then(|lanes| lanes.stencils.get(buffer));
        stencil.is_some_and(|stencil| stencil.zeroed == Some(*count))
    }
}

pub(super) fn zero(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "0.0",
        Kind::Int => "0",
        Kind::Bool => "false",
    }
}
