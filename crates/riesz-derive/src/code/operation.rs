//! Operations as text: on one line if their bodies fit, else as a block.

use super::super::notation::{self, Written};
use super::super::scope::label_of;
use super::super::term::Operation;
use super::{Writer, is_size};
use riesz_core::Type;
use riesz_core::term::{Atom, Body, Derive, FunctionId, Iteration, OnMaps, Op, Place, Recurrence, Var};
use riesz_primitive::scalar;

impl Writer<'_> {
    pub(super) fn atom(&self, atom: Atom) -> Written {
        let Atom::Var(var) = atom else {
            return notation::constant(atom).unwrap_or_else(|| unreachable!("all else is constant"));
        };
        match self.shown.get(&var) {
            Some(written) => written.clone(),
            None if self.function.var(var).ty == Type::unit() => Written::atom(UNIT),
            None => Written::atom(self.names.of(var)),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<Written> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    /// The text of an operation that is a statement rather than a binding.
    pub(super) fn statement(&self, op: &Op) -> String {
        match op {
            Op::AddTo(accumulator, path, value) => {
                let mut to = self.atom(*accumulator);
                let mut ty = self.type_of(*accumulator);
                for place in path {
                    to = match place {
                        Place::Element(index) => notation::element(&to, &self.atom(*index)),
                        Place::Component(at) => notation::component(&to, &label(&ty, *at)),
                    };
                    ty = match (place, ty) {
                        (Place::Element(_), Type::Array(_, element)) => (*element).clone(),
                        (Place::Component(at), ty) => {
                            ty.components().and_then(|parts| parts.get(*at).cloned()).unwrap_or(Type::Real)
                        }
                        (_, ty) => ty,
                    };
                }
                format!("{} += {}", to.text, self.atom(*value).text)
            }
            Op::CheckSizes(a, b) => format!("check {}", notation::same(&self.atom(*a), &self.atom(*b)).text),
            op => self.expression(Var(0), op).text,
        }
    }

    fn type_of(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => match &self.function.var(var).ty {
                Type::Accumulator(inner) => (**inner).clone(),
                ty => ty.clone(),
            },
            _ => Type::Real,
        }
    }

    /// An operation without bodies.
    pub(super) fn expression(&self, var: Var, op: &Op) -> Written {
        let a = |atom: &Atom| self.atom(*atom);
        match op {
            Op::Scalar(primitive, arguments)
                if self.short && *primitive == &scalar::ADD && arguments[1] == Atom::Real(0.0) =>
            {
                a(&arguments[0])
            }
            Op::Scalar(primitive, arguments) | Op::ArrayFunction(primitive, arguments) => {
                notation::operation(Operation::new(primitive), &self.atoms(arguments))
            }
            Op::Copy(value) | Op::Read(value) => a(value),
            Op::Compare(comparison, left, right) => notation::comparison(*comparison, &a(left), &a(right)),
            Op::Same(left, right) | Op::CheckSizes(left, right) => notation::same(&a(left), &a(right)),
            Op::Near(left, right, tolerance) => {
                let text = format!("{} ~= {} within {}", a(left).text, a(right).text, a(tolerance).text);
                Written::new(notation::LOOSEST, text)
            }
            Op::Not(value) => notation::not(&a(value)),
            Op::ToReal(value) => notation::applied("real", &[a(value)]),
            Op::Truncate(value) => notation::applied("trunc", &[a(value)]),
            Op::IsNan(value) => notation::applied("is_nan", &[a(value)]),
            Op::Tuple(parts) => match &self.function.var(var).ty {
                Type::Record(record) => {
                    let field = |&at: &u32| {
                        let at = at as usize;
                        format!("{} = {}", record.fields[at].0, a(&parts[at]).text)
                    };
                    let fields: Vec<String> = record.shown.iter().map(field).collect();
                    Written::atom(format!("{{{}}}", fields.join(", ")))
                }
                _ => notation::tuple(&self.atoms(parts)),
            },
            Op::Array(elements) => notation::array(&self.atoms(elements)),
            Op::Index(array, index) => notation::element(&a(array), &a(index)),
            Op::Project(tuple, at) => notation::component(&a(tuple), &label(&self.type_of(*tuple), *at)),
            Op::Call(function, arguments) => self.call(*function, arguments),
            Op::Ruled(ruled, arguments) => self.call(ruled.value, arguments),
            Op::Hold(value) | Op::Graft(value, _) => a(value),
            Op::Closure(function, captured) => self.call(*function, captured),
            Op::Apply(function, argument) => {
                Written::atom(format!("{}({})", a(function).at(notation::ATOM), a(argument).text))
            }
            Op::Global(global) => Written::atom(self.program.global(*global).name.to_string()),
            Op::SizeOf(value, _) => notation::applied("size", &[a(value)]),
            Op::Plus(left, right) => notation::operation(Operation::new(&scalar::ADD), &[a(left), a(right)]),
            Op::Zero(_) => Written::atom("0"),
            Op::Accumulator => Written::new(notation::LOOSEST, self.ty(&self.function.var(var).ty)),
            Op::Derive(derive, operands) => {
                let name = match derive {
                    Derive::Derivative => "D",
                    Derive::Forward => "jvp",
                    Derive::Reverse => "vjp",
                    Derive::Taylor => "taylor",
                };
                notation::applied(name, &self.atoms(operands))
            }
            Op::Map { forward, captured, .. } => self.call(*forward, captured),
            Op::OnMaps(operation, operands) => {
                let infix = match operation {
                    OnMaps::Add => Some(&scalar::ADD),
                    OnMaps::Subtract => Some(&scalar::SUB),
                    OnMaps::Scale => Some(&scalar::MUL),
                    _ => None,
                };
                let operands = self.atoms(operands);
                match infix {
                    Some(row) => notation::operation(Operation::new(row), &operands),
                    None => notation::applied(operation.name(), &operands),
                }
            }
            op => Written::atom(self.statement(op)),
        }
    }

    /// A call, without the sizes that are read off the other arguments.
    fn call(&self, function: FunctionId, arguments: &[Atom]) -> Written {
        let called = self.program.function(function);
        let passed = arguments.iter().enumerate().filter(|(at, _)| !is_size(called, Var(*at as u32)));
        let passed: Vec<Written> = passed.map(|(_, argument)| self.atom(*argument)).collect();
        notation::applied(&called.name, &passed)
    }

    /// An operation with bodies: on one line if they need no lines of their own.
    pub(super) fn compound(&mut self, op: &Op, depth: usize) -> Compound {
        match op {
            Op::If { condition, yes, no } => {
                let condition = self.atom(*condition);
                let (yes_lines, yes) = self.apart(yes, depth + 1);
                let (no_lines, no) = self.apart(no, depth + 1);
                if yes_lines.is_empty()
                    && no_lines.is_empty()
                    && yes.text != UNIT
                    && let Some(line) = self.line_of(notation::branches(&condition, &yes, &no))
                {
                    return line;
                }
                let is_empty = |lines: &[String], result: &Written| lines.is_empty() && result.text == UNIT;
                let (condition, yes_lines, yes, no_lines, no) = match is_empty(&yes_lines, &yes) {
                    true => (notation::not(&condition), no_lines, no, yes_lines, yes),
                    false => (condition, yes_lines, yes, no_lines, no),
                };
                let mut block = Block::new(depth, format!("if {}", condition.text));
                block.body(yes_lines, &yes);
                if !is_empty(&no_lines, &no) {
                    block.line("else");
                    block.body(no_lines, &no);
                }
                Compound::Block(block.lines)
            }
            Op::While { state, start, condition, body } | Op::TraceWhile { state, start, condition, body } => {
                let word = if matches!(op, Op::While { .. }) { "loop" } else { "trace" };
                let header = format!("{word} {} = {} while", self.names.of(*state), self.atom(*start).text);
                let (lines, holds) = self.apart(condition, depth + 1);
                let mut block = match lines.is_empty() {
                    true => Block::new(depth, format!("{header} {}", holds.text)),
                    false => {
                        let mut block = Block::new(depth, header);
                        block.body(lines, &holds);
                        block.line("do");
                        block
                    }
                };
                let (lines, result) = self.apart(body, depth + 1);
                block.body(lines, &result);
                Compound::Block(block.lines)
            }
            Op::Build(it) | Op::Builds(it) | Op::For(it) | Op::Reduce(_, it) => {
                let Iteration { count, index, body } = it;
                let count = self.atom(*count);
                let (lines, result, index) = self.recurrence(*index, body, depth + 1);
                let line = match op {
                    Op::Build(_) if lines.is_empty() => self.line_of(notation::each(&result, &index, &count)),
                    Op::Reduce(reduction, _) if lines.is_empty() => {
                        self.line_of(notation::reduced(*reduction, &result, &index, &count))
                    }
                    _ => None,
                };
                if let Some(line) = line {
                    return line;
                }
                let word = match op {
                    Op::Reduce(reduction, _) => reduction.name(),
                    Op::For(_) => "for",
                    _ => "build",
                };
                let mut block = Block::new(depth, format!("{word} {index} < {}", count.text));
                block.body(lines, &result);
                Compound::Block(block.lines)
            }
            Op::Loop(recurrence) | Op::Scan(recurrence) | Op::Trace(recurrence) => {
                let Recurrence { state, start, count, index, body } = recurrence;
                let (start, count) = (self.atom(*start).text, self.atom(*count).text);
                let (lines, result, index) = self.recurrence(*index, body, depth + 1);
                let word = match op {
                    Op::Loop(_) => "loop",
                    Op::Scan(_) => "scan",
                    _ => "trace",
                };
                let header = format!("{word} {} = {start} for {index} < {count}", self.names.of(*state));
                let line = Written::new(notation::LOOSEST, format!("{header} do {}", result.text));
                if lines.is_empty()
                    && let Some(line) = self.line_of(line)
                {
                    return line;
                }
                let mut block = Block::new(depth, header);
                block.body(lines, &result);
                Compound::Block(block.lines)
            }
            op => Compound::Line(Written::atom(self.statement(op))),
        }
    }

    /// One line, if everything may be on one and it is not long.
    fn line_of(&self, written: Written) -> Option<Compound> {
        (self.short && written.text.chars().count() <= LINE).then_some(Compound::Line(written))
    }

    /// The lines and the result of a body for an index, and what the index is called in them.
    fn recurrence(&mut self, index: Var, body: &Body, depth: usize) -> (Vec<String>, Written, String) {
        let own = !self.names.is_named(index);
        let name = self.names.open(index);
        let (lines, result) = self.apart(body, depth);
        if own {
            self.names.close(index, &name);
        }
        (lines, result, name)
    }
}

/// The result of bodies that only add to accumulators.
const UNIT: &str = "()";

/// The longest operation with a body on one line.
const LINE: usize = 80;

/// How an operation with bodies is written.
pub(super) enum Compound {
    /// As an expression.
    Line(Written),
    /// As lines, the first of which may follow a name.
    Block(Vec<String>),
}

struct Block {
    depth: usize,
    lines: Vec<String>,
}

impl Block {
    fn new(depth: usize, header: String) -> Block {
        let mut block = Block { depth, lines: Vec::new() };
        block.line(&header);
        block
    }

    fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", "  ".repeat(self.depth)));
    }

    fn body(&mut self, lines: Vec<String>, result: &Written) {
        self.lines.extend(lines);
        if !matches!(result.text.as_str(), "" | UNIT) {
            self.lines.push(format!("{}{}", "  ".repeat(self.depth + 1), result.text));
        }
    }
}

fn label(ty: &Type, at: usize) -> String {
    label_of(ty, at).map_or(at.to_string(), |label| label.to_string())
}
