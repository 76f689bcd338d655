//! Loop programs as text, for people and for tests.

use crate::program::{
    Allocation, Argument, Block, Buffer, Combine, Element, Expression, Kind, Operand, Outcome, Parameter, Procedure,
    Program, Register, Statement, Strided, Target,
};
use crate::schedule::{Class, Schedule};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A program as text.
pub fn print(program: &Program) -> String {
    let procedures: Vec<String> =
        program.procedures.iter().map(|procedure| print_procedure(program, procedure)).collect();
    procedures.join("\n")
}

/// A procedure as text.
pub fn print_procedure(program: &Program, procedure: &Procedure) -> String {
    let printer = Printer { program, procedure };
    let parameters: Vec<String> = procedure
        .parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Number(register) => printer.declared(*register),
            Parameter::Read(buffer) => format!("{}: [{}]", printer.buffer(*buffer), printer.kind_of(*buffer)),
            Parameter::Added(buffer) => {
                format!("{}: accumulator [{}]", printer.buffer(*buffer), printer.kind_of(*buffer))
            }
            Parameter::Grown(buffer) => format!("{}: growing [{}]", printer.buffer(*buffer), printer.kind_of(*buffer)),
        })
        .collect();
    let mut text = format!("procedure {}({})\n", procedure.name.as_written(), parameters.join(", "));
    printer.block(&procedure.body, 1, &mut text);
    let results: Vec<String> = procedure
        .results
        .iter()
        .map(|result| match result {
            Outcome::Number(operand) => printer.operand(*operand),
            Outcome::Buffer(buffer) => printer.buffer(*buffer),
        })
        .collect();
    let _ = writeln!(text, "  give {}", results.join(", "));
    if let Some(flag) = procedure.nan_flag {
        let _ = writeln!(text, "  flag {}", printer.register(flag));
    }
    text
}

struct Printer<'p> {
    program: &'p Program,
    procedure: &'p Procedure,
}

impl Printer<'_> {
    fn register(&self, register: Register) -> String {
        let name = self.procedure.registers[register.0 as usize].name.as_ref().map_or("t", |name| name.as_written());
        format!("{name}.{}", register.0)
    }

    fn declared(&self, register: Register) -> String {
        format!("{}: {}", self.register(register), kind(self.procedure.registers[register.0 as usize].kind))
    }

    fn buffer(&self, buffer: Buffer) -> String {
        let name = self.procedure.buffers[buffer.0 as usize].name.as_ref().map_or("b", |name| name.as_written());
        format!("{name}@{}", buffer.0)
    }

    fn kind_of(&self, buffer: Buffer) -> &'static str {
        kind(self.procedure.buffers[buffer.0 as usize].kind)
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Register(register) => self.register(register),
            Operand::Real(value) => format!("{value:?}"),
            Operand::Int(value) => value.to_string(),
            Operand::Bool(value) => value.to_string(),
        }
    }

    fn element(&self, element: Element) -> String {
        format!("{}[{}]", self.buffer(element.buffer), self.operand(element.at))
    }

    fn strided(&self, strided: Strided) -> String {
        let (row, column) = (self.operand(strided.row), self.operand(strided.column));
        format!("{} by ({row}, {column})", self.element(strided.first))
    }

    fn list(&self, operands: &[Operand]) -> String {
        operands.iter().map(|operand| self.operand(*operand)).collect::<Vec<_>>().join(", ")
    }

    fn expression(&self, expression: &Expression) -> String {
        let show = |operand: &Operand| self.operand(*operand);
        match expression {
            Expression::Copy(a) => show(a),
            Expression::Real(primitive, operands) | Expression::Int(primitive, operands, _) => {
                format!("{}({})", primitive.name, self.list(operands))
            }
            Expression::Position(arithmetic, a, b) => {
                format!("{} {} {}", show(a), arithmetic.sign(), show(b))
            }
            Expression::Compare(comparison, a, b) => {
                format!("{} {} {}", show(a), comparison.sign(), show(b))
            }
            Expression::Equal(a, b) => format!("{} == {}", show(a), show(b)),
            Expression::Near(a, b, tolerance) => format!("{} ~= {} within {}", show(a), show(b), show(tolerance)),
            Expression::Not(a) => format!("not {}", show(a)),
            Expression::And(a, b) => format!("{} and {}", show(a), show(b)),
            Expression::Within(a, b) => format!("0 <= {} < {}", show(a), show(b)),
            Expression::Select(condition, a, b) => format!("if {} then {} else {}", show(condition), show(a), show(b)),
            Expression::ToReal(a) => format!("real({})", show(a)),
            Expression::Truncate(a, _) => format!("trunc({})", show(a)),
            Expression::IsNan(a) => format!("is_nan({})", show(a)),
            Expression::Load(element) => self.element(*element),
        }
    }

    fn allocations(&self, allocations: &[Allocation]) -> String {
        allocations
            .iter()
            .map(|allocation| format!(" with {}({})", self.buffer(allocation.buffer), self.operand(allocation.count)))
            .collect()
    }

    /// A schedule: a line for the lanes, one for the chunks, and one for each way in which buffers are written.
    fn schedule(&self, schedule: &Schedule) -> Vec<String> {
        let mut lines = Vec::new();
        let buffers = |buffers: &mut dyn Iterator<Item = &Buffer>| -> String {
            buffers.map(|buffer| format!(" {}", self.buffer(*buffer))).collect()
        };
        let reduced = |reduced: &BTreeMap<Register, Combine>| -> String {
            let one = |(register, combine): (&Register, &Combine)| {
                format!(", {} in {}", format!("{combine:?}").to_lowercase(), self.register(*register))
            };
            reduced.iter().map(one).collect()
        };
        if let Some(chunks) = &schedule.chunks {
            let copied = buffers(&mut chunks.copied.iter());
            let copied = if copied.is_empty() { copied } else { format!(", copies of{copied}") };
            lines.push(format!("chunks of {}{}{copied}", chunks.group, reduced(&chunks.reduced)));
        }
        let Some(lanes) = &schedule.lanes else { return lines };
        let strip = if lanes.strip > 1 { format!("strips of {} × ", lanes.strip) } else { String::new() };
        let rest = if lanes.rest { " and the rest" } else { "" };
        lines.push(format!("{strip}{} lanes{rest}{}", lanes.width, reduced(&lanes.reduced)));
        let registers = |wanted: &dyn Fn(&Class) -> bool| -> String {
            let found = lanes.classes.iter().filter(|(_, class)| wanted(class));
            found.map(|(register, _)| format!(" {}", self.register(*register))).collect()
        };
        let parts = [
            ("linear:", registers(&|class| matches!(class, Class::Linear(_)))),
            ("varying:", registers(&|class| *class == Class::Varying) + &buffers(&mut lanes.varying.iter())),
            ("sums in lanes:", buffers(&mut lanes.summed.iter())),
            ("interleaved:", buffers(&mut lanes.interleaved.keys())),
            ("backward:", lanes.backward.keys().map(|index| format!(" {}", self.register(*index))).collect()),
            ("fused:", lanes.fused.keys().map(|register| format!(" {}", self.register(*register))).collect()),
        ];
        lines.extend(parts.iter().filter(|(_, all)| !all.is_empty()).map(|(what, all)| format!("{what}{all}")));
        for (buffer, range) in &lanes.ranges {
            let [first, count] = [range.first, range.count].map(|operand| self.operand(operand));
            lines.push(format!("of {}: {count} elements from {first}", self.buffer(*buffer)));
        }
        for (buffer, stencil) in &lanes.stencils {
            let distances: Vec<String> = stencil.places.iter().map(|(_, distance)| distance.to_string()).collect();
            let zeroed = if stencil.zeroed.is_some() { ", instead of zeros" } else { "" };
            let base = stencil.base.map_or_else(String::new, |base| format!(" from {}", self.register(base)));
            lines.push(format!("near the index: {} at {}{base}{zeroed}", self.buffer(*buffer), distances.join(", ")));
        }
        lines
    }

    fn block(&self, block: &Block, depth: usize, text: &mut String) {
        for statement in block {
            self.statement(statement, depth, text);
        }
    }

    fn statement(&self, statement: &Statement, depth: usize, text: &mut String) {
        let show = |operand: &Operand| self.operand(*operand);
        text.push_str(&"  ".repeat(depth));
        let line = match statement {
            Statement::Let(register, expression) => {
                format!("{} = {}", self.declared(*register), self.expression(expression))
            }
            Statement::Set(register, value) => format!("{} := {}", self.register(*register), show(value)),
            Statement::Reduce(register, combine, value) => {
                format!("{} := {combine:?}({0}, {})", self.register(*register), show(value)).to_lowercase()
            }
            Statement::Allocate(allocation) => {
                format!("new {}({})", self.buffer(allocation.buffer), show(&allocation.count))
            }
            Statement::Grow(allocation) => {
                format!("grow {}({})", self.buffer(allocation.buffer), show(&allocation.count))
            }
            Statement::Fill(element, count, value) => {
                format!("fill {} count {} with {}", self.element(*element), show(count), show(value))
            }
            Statement::Copy { to, from, count } => {
                format!("copy {} from {} count {}", self.element(*to), self.element(*from), show(count))
            }
            Statement::Store(element, value) => format!("{} := {}", self.element(*element), show(value)),
            Statement::Add(element, value) => format!("{} += {}", self.element(*element), show(value)),
            Statement::For(each) => {
                let word = if each.parallel { "for each" } else { "for" };
                let private = self.allocations(&each.private);
                let _ = writeln!(text, "{word} {} < {}{private}", self.register(each.index), show(&each.count));
                for line in each.schedule.iter().flat_map(|schedule| self.schedule(schedule)) {
                    let _ = writeln!(text, "{}| {line}", "  ".repeat(depth + 1));
                }
                return self.block(&each.body, depth + 1, text);
            }
            Statement::While(each) => {
                let _ = writeln!(text, "while{}", self.allocations(&each.private));
                self.block(&each.before, depth + 2, text);
                let _ = writeln!(text, "{}{} do", "  ".repeat(depth), show(&each.condition));
                return self.block(&each.body, depth + 1, text);
            }
            Statement::If(condition, yes, no) => {
                let _ = writeln!(text, "if {}", show(condition));
                self.block(yes, depth + 1, text);
                if !no.is_empty() {
                    let _ = writeln!(text, "{}else", "  ".repeat(depth));
                    self.block(no, depth + 1, text);
                }
                return;
            }
            Statement::Check(condition, site, operands) => {
                let fault = &self.program.site(*site).fault;
                format!("check {} else {fault:?}({})", show(condition), self.list(operands))
            }
            Statement::Swap(a, b) => format!("swap {} and {}", self.buffer(*a), self.buffer(*b)),
            Statement::Call(call) => {
                let results: Vec<String> = (call.results.iter())
                    .map(|target| match target {
                        Target::Register(register) => self.register(*register),
                        Target::Buffer(buffer) => self.buffer(*buffer),
                    })
                    .collect();
                let arguments: Vec<String> = (call.arguments.iter())
                    .map(|argument| match argument {
                        Argument::Number(operand) => show(operand),
                        Argument::Elements(element, count) => {
                            format!("{} count {}", self.element(*element), show(count))
                        }
                        Argument::Whole(buffer) => format!("all of {}", self.buffer(*buffer)),
                    })
                    .collect();
                let name = self
                    .program
                    .procedures
                    .get(call.procedure.0 as usize)
                    .map_or("?", |called| called.name.as_written());
                format!("{} = {name}({})", results.join(", "), arguments.join(", "))
            }
            Statement::Product(product) => {
                let sign = if product.exact { "exact ·" } else { "·" };
                format!(
                    "{} := {} {sign} {}, {} × {} × {}",
                    self.element(product.to),
                    self.strided(product.left),
                    self.strided(product.right),
                    show(&product.rows),
                    show(&product.inner),
                    show(&product.columns)
                )
            }
            Statement::Matrix(matrix) => {
                let name = matrix.function.primitive().name;
                let right =
                    matrix.b.map(|(element, columns)| format!(", {} × {}", self.element(element), show(&columns)));
                let right = right.unwrap_or_default();
                format!(
                    "{} := {name}({} × {}{right})",
                    self.element(matrix.to),
                    self.element(matrix.a),
                    show(&matrix.n)
                )
            }
        };
        text.push_str(&line);
        text.push('\n');
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "R",
        Kind::Int => "Int",
        Kind::Bool => "Bool",
    }
}
