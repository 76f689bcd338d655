//! One procedure as one function.

mod block;
mod expression;
mod statement;

use crate::{Options, Precision, Spelling};
use riesz_program::each_statement;
use riesz_program::foreign::Foreign;
use riesz_program::program::{
    Buffer, Element, For, Kind, Operand, Outcome, Parameter, Procedure, ProcedureId, Program, Register, Statement,
    Strided, While,
};
use riesz_program::schedule::{ChunkSchedule, LaneSchedule, Schedule};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Writes the function of a procedure.
pub(crate) fn write(program: &Program, id: ProcedureId, options: &Options) -> String {
    let (procedure, mut text) = (program.procedure(id), String::new());
    let local = if is_called(program, id) { local(procedure) } else { FxHashSet::default() };
    let mut writer = Writer {
        program,
        procedure,
        local,
        depth: 1,
        text: String::new(),
        sizes: riesz_program::sizes::Sizes::of(procedure).large,
        precision: options.precision,
        passed: FxHashSet::default(),
    };
    let mut parameters = vec!["context: &mut Context".to_string()];
    parameters.extend(procedure.parameters.iter().map(|parameter| writer.parameter(*parameter)));
    let results: Vec<String> = procedure.results.iter().map(|result| writer.result_type(*result)).collect();
    let _ = writeln!(text, "/// `{}`, from {}.", Foreign::NameOf(id), Foreign::PlaceOf(id));
    let (before, between, behind) = if parameters.len() > 4 { ("\n    ", ",\n    ", ",\n") } else { ("", ", ", "") };
    let (name, parameters) = (Foreign::Function(id), parameters.join(between));
    let _ = writeln!(text, "pub fn {name}({before}{parameters}{behind}) -> Outcome<{}> {{", tuple(&results));
    writer.line("// Positions are in bounds: indices have been checked, or are proven to be in range.".into());
    writer.line("unsafe {".into());
    writer.depth += 1;
    let mut declared = FxHashSet::default();
    writer.block(&procedure.body, &mut declared, true);
    let given: Vec<String> = procedure
        .results
        .iter()
        .map(|result| match result {
            Outcome::Number(operand) => writer.operand(*operand),
            Outcome::Buffer(buffer) => writer.buffer(*buffer).to_string(),
        })
        .collect();
    writer.line(format!("Ok({})", tuple(&given)));
    writer.depth -= 1;
    writer.line("}".into());
    text.push_str(&writer.text);
    text.push_str("}\n");
    text
}

pub(crate) struct Writer<'p> {
    pub program: &'p Program,
    pub procedure: &'p Procedure,
    /// Buffers that are there as long as a call is, and can be in its frame.
    local: FxHashSet<Buffer>,
    pub depth: usize,
    text: String,
    /// Sizes that may be larger than integers are.
    sizes: FxHashSet<Register>,
    pub precision: Precision,
    /// The buffers that are passed to the function of a chunk, inside of it.
    pub passed: FxHashSet<Buffer>,
}

impl<'p> Writer<'p> {
    pub fn line(&mut self, line: String) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(&line);
        self.text.push('\n');
    }

    pub fn register(&self, register: Register) -> Foreign {
        Foreign::Register(register)
    }

    pub fn buffer(&self, buffer: Buffer) -> Foreign {
        Foreign::Buffer(buffer)
    }

    /// The type of a number.
    pub fn rust(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::Real => self.precision.real(),
            Kind::Int => "i64",
            Kind::Bool => "bool",
        }
    }

    /// The type of many real numbers.
    pub fn vector(&self) -> &'static str {
        match self.precision {
            Precision::Double => "Buffer<f64>",
            Precision::Single => "Buffer<f32>",
        }
    }

    /// The tolerance of a comparison.
    pub fn tolerance(&self, tolerance: Operand) -> String {
        match tolerance {
            Operand::Real(value) => self.operand(Operand::Real(self.precision.tolerance(value))),
            tolerance => self.operand(tolerance),
        }
    }

    pub fn kind(&self, operand: Operand) -> Kind {
        self.procedure.kind(operand)
    }

    pub fn kind_of(&self, buffer: Buffer) -> Kind {
        self.procedure.buffers[buffer.0 as usize].kind
    }

    /// The lanes and the chunks of a loop. The runtime has vectors of one width, so lanes of another width run one by one.
    pub fn schedule<'s>(&self, each: &'s For) -> (Option<&'s LaneSchedule>, Option<&'s ChunkSchedule>) {
        match each.schedule.as_deref() {
            Some(Schedule { lanes: Some(lanes), .. }) if lanes.width != self.precision.lanes() => (None, None),
            Some(Schedule { lanes, chunks }) => (lanes.as_ref(), chunks.as_ref()),
            None => (None, None),
        }
    }

    fn is_local(&self, buffer: Buffer) -> bool {
        self.local.contains(&buffer)
    }

    fn is_parameter(&self, buffer: Buffer) -> bool {
        (self.procedure.parameters.iter())
            .any(|parameter| matches!(parameter, Parameter::Read(b) | Parameter::Added(b) | Parameter::Grown(b) if *b == buffer))
    }

    fn parameter(&self, parameter: Parameter) -> String {
        match parameter {
            Parameter::Number(register) => {
                format!(
                    "{}: {}",
                    self.register(register),
                    self.rust(self.procedure.registers[register.0 as usize].kind)
                )
            }
            Parameter::Read(buffer) => format!("{}: &[{}]", self.buffer(buffer), self.rust(self.kind_of(buffer))),
            Parameter::Added(buffer) => format!("{}: &mut [{}]", self.buffer(buffer), self.rust(self.kind_of(buffer))),
            Parameter::Grown(buffer) => {
                format!("{}: &mut Buffer<{}>", self.buffer(buffer), self.rust(self.kind_of(buffer)))
            }
        }
    }

    fn result_type(&self, result: Outcome) -> String {
        match result {
            Outcome::Number(operand) => self.rust(self.kind(operand)).to_string(),
            Outcome::Buffer(buffer) => format!("Buffer<{}>", self.rust(self.kind_of(buffer))),
        }
    }

    pub fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Register(register) => self.register(register).to_string(),
            Operand::Real(value) => real(value, self.precision),
            Operand::Int(i64::MIN) => "i64::MIN".into(),
            Operand::Int(value) if value < 0 => format!("({value})"),
            Operand::Int(value) => value.to_string(),
            Operand::Bool(value) => value.to_string(),
        }
    }

    /// An operand that tells its type: the end of a range, or what a method is of.
    pub fn bound(&self, operand: Operand) -> String {
        match operand {
            Operand::Int(value) if value >= 0 => format!("{value}_i64"),
            Operand::Int(value) if value > i64::MIN => format!("({value}_i64)"),
            operand => self.operand(operand),
        }
    }

    pub fn list(&self, operands: &[Operand]) -> String {
        operands.iter().map(|operand| self.operand(*operand)).collect::<Vec<_>>().join(", ")
    }

    pub fn buffer_mut(&self, buffer: Buffer) -> String {
        let name = self.buffer(buffer);
        match (self.passed.contains(&buffer), self.is_parameter(buffer) || self.is_local(buffer)) {
            (true, _) => name.to_string(),
            (false, true) => format!("&mut *{name}"),
            (false, false) => format!("&mut {name}"),
        }
    }

    pub fn buffer_ref(&self, buffer: Buffer) -> String {
        let name = self.buffer(buffer);
        match self.passed.contains(&buffer) || self.is_parameter(buffer) {
            true => name.to_string(),
            false if self.is_local(buffer) => format!("&*{name}"),
            false => format!("&{name}"),
        }
    }

    fn part(&self, element: Element, count: Operand) -> String {
        let (name, at) = (self.buffer_ref(element.buffer), self.operand(element.at));
        format!("part({name}, {at}, {})", self.operand(count))
    }

    fn part_mut(&self, element: Element, count: Operand) -> String {
        let (name, at) = (self.buffer_mut(element.buffer), self.operand(element.at));
        format!("part_mut({name}, {at}, {})", self.operand(count))
    }

    fn strided(&self, strided: Strided) -> String {
        let name = self.buffer_ref(strided.first.buffer);
        let (first, row, column) =
            (self.operand(strided.first.at), self.operand(strided.row), self.operand(strided.column));
        format!("({name}, Strides {{ first: {first}, row: {row}, column: {column} }})")
    }
}

/// Whether a procedure is called by others, or by itself. One that is only entered makes its buffers once.
fn is_called(program: &Program, id: ProcedureId) -> bool {
    let mut found = false;
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| {
            found |= matches!(statement, Statement::Call(call) if call.procedure == id);
        });
    }
    found
}

/// The buffers of a procedure that are made once in a call and gone with it: they are not given, grown or exchanged.
fn local(procedure: &Procedure) -> FxHashSet<Buffer> {
    let (mut made, mut moved) = (FxHashSet::default(), riesz_program::scope::moved(procedure));
    moved.extend(procedure.results.iter().filter_map(|result| match result {
        Outcome::Buffer(buffer) => Some(*buffer),
        Outcome::Number(_) => None,
    }));
    each_statement(&procedure.body, &mut |statement| match statement {
        Statement::Allocate(allocation) => made.extend([allocation.buffer]),
        Statement::For(For { private, .. }) | Statement::While(While { private, .. }) => {
            made.extend(private.iter().map(|allocation| allocation.buffer));
        }
        _ => {}
    });
    made.difference(&moved).copied().collect()
}

/// One stands for itself, several for their tuple.
pub(crate) fn tuple(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        parts => format!("({})", parts.join(", ")),
    }
}

fn real(value: f64, precision: Precision) -> String {
    let ty = precision.real();
    let (value, text) = match precision {
        Precision::Double => (value, format!("{value:?}")),
        Precision::Single => (f64::from(value as f32), format!("{:?}", value as f32)),
    };
    if value.is_nan() {
        format!("{ty}::NAN")
    } else if value.is_infinite() {
        if value > 0.0 { format!("{ty}::INFINITY") } else { format!("{ty}::NEG_INFINITY") }
    } else if value.is_sign_negative() {
        format!("({text}_{ty})")
    } else {
        format!("{text}_{ty}")
    }
}
