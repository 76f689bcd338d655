//! The core as text, one binding per line.
//!
//! ```text
//! fun square_all(n: Int, v: [n]R): [n]R =
//!   t: [n]R = build i < n
//!     x: R = v[i]
//!     t1: R = x * x
//!     t1
//!   t
//! ```

use crate::evaluate::show_real;
use crate::size;
use crate::term::{Atom, Body, Derive, Function, Iteration, Op, Place, Program, Recurrence, Step, Var};
use crate::types::Type;
use riesz_primitive::scalar;
use rustc_hash::FxHashSet;

/// A program as text.
pub fn print_program(program: &Program) -> String {
    let functions: Vec<String> = program.functions.iter().map(|function| print(program, function)).collect();
    functions.join("\n")
}

/// A function as text.
pub fn print(program: &Program, function: &Function) -> String {
    let printer = Printer { program, function, names: names(function) };
    let parameters: Vec<String> = (0..function.parameters as u32).map(|at| printer.declared(Var(at))).collect();
    let result = printer.ty(&function.result);
    let mut text = format!("fun {}({}): {result} =\n", function.name, parameters.join(", "));
    printer.body(&function.body, 1, &mut text);
    text
}

/// A name for each variable: the user's, made unique by a number where it must be.
pub fn names(function: &Function) -> Vec<String> {
    let mut used = FxHashSet::default();
    let mut next = rustc_hash::FxHashMap::<String, u32>::default();
    let name = |info: &crate::term::VarInfo| {
        let wanted = info.name.as_deref().unwrap_or("t").to_string();
        let mut name = wanted.clone();
        while !used.insert(name.clone()) {
            let count = next.entry(wanted.clone()).or_default();
            *count += 1;
            name = format!("{wanted}{count}");
        }
        name
    };
    function.vars.iter().map(name).collect()
}

struct Printer<'p> {
    program: &'p Program,
    function: &'p Function,
    names: Vec<String>,
}

impl Printer<'_> {
    fn name(&self, var: Var) -> &str {
        &self.names[var.0 as usize]
    }

    fn declared(&self, var: Var) -> String {
        format!("{}: {}", self.name(var), self.ty(&self.function.var(var).ty))
    }

    fn ty(&self, ty: &Type) -> String {
        let atom = |atom| match atom {
            size::Atom::Var(var) => self.name(var).to_string(),
            size::Atom::Global(global) => self.program.global(global).name.to_string(),
            size::Atom::Parameter(_) | size::Atom::Unknown(_) => "_".to_string(),
        };
        ty.show(&atom, &|index| format!("t{index}"))
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => self.name(var).to_string(),
            Atom::Int(value) => value.to_string(),
            Atom::Real(value) => show_real(value),
            Atom::Bool(value) => value.to_string(),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        atoms.iter().map(|atom| self.atom(*atom)).collect::<Vec<_>>().join(", ")
    }

    fn body(&self, body: &Body, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        for binding in &body.bindings {
            *text += &format!("{indent}{} = ", self.declared(binding.var));
            self.op(&binding.op, depth, text);
        }
        *text += &format!("{indent}{}\n", self.atom(body.result));
    }

    fn op(&self, op: &Op, depth: usize, text: &mut String) {
        let a = |atom: &Atom| self.atom(*atom);
        let inner = |header: String, body: &Body, text: &mut String| {
            *text += &header;
            text.push('\n');
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.body(body, depth + 1, text));
        };
        let line = match op {
            Op::Copy(value) => a(value),
            Op::Scalar(primitive, arguments) => match &arguments[..] {
                [base, exponent] if **primitive == scalar::POWI => format!("{} ^ {}", a(base), a(exponent)),
                [value] if **primitive == scalar::NEG => format!("-{}", a(value)),
                // An operator is its own sign.
                [left, right] if !primitive.hidden() && !primitive.is_named() => {
                    format!("{} {} {}", a(left), primitive.name, a(right))
                }
                _ => format!("{}({})", primitive.name, self.atoms(arguments)),
            },
            Op::Compare(comparison, left, right) => format!("{} {} {}", a(left), comparison.sign(), a(right)),
            Op::Same(left, right) => format!("{} == {}", a(left), a(right)),
            Op::Near(left, right, tolerance) => format!("{} ~= {} within {}", a(left), a(right), a(tolerance)),
            Op::Not(value) => format!("not {}", a(value)),
            Op::ToReal(value) => format!("real({})", a(value)),
            Op::Truncate(value) => format!("trunc({})", a(value)),
            Op::IsNan(value) => format!("is_nan({})", a(value)),
            Op::Tuple(parts) => format!("({})", self.atoms(parts)),
            Op::Project(value, at) => format!("{}.{at}", a(value)),
            Op::Array(elements) => format!("[{}]", self.atoms(elements)),
            Op::Index(array, index) => format!("{}[{}]", a(array), a(index)),
            Op::ArrayFunction(primitive, arguments) => format!("{}({})", primitive.name, self.atoms(arguments)),
            Op::Call(function, arguments) => {
                format!("{}({})", self.program.function(*function).name, self.atoms(arguments))
            }
            Op::Ruled(ruled, arguments) => {
                format!("ruled {}({})", self.program.function(ruled.value).name, self.atoms(arguments))
            }
            Op::Hold(value) => format!("hold {}", a(value)),
            Op::Graft(value, tangent) => format!("{} with the derivative of {}", a(value), a(tangent)),
            Op::Closure(function, captured) => {
                format!("closure #{}({})", function.0, self.atoms(captured))
            }
            Op::Apply(function, argument) => format!("apply {}({})", a(function), a(argument)),
            Op::Global(global) => format!("global {}", self.program.global(*global).name),
            Op::SizeOf(value, path) => format!("size({}{})", a(value), path.iter().map(show_step).collect::<String>()),
            Op::CheckSizes(left, right) => format!("check {} == {}", a(left), a(right)),
            Op::Build(Iteration { count, index, body }) => {
                return inner(format!("build {} < {}", self.name(*index), a(count)), body, text);
            }
            Op::Builds(Iteration { count, index, body }) => {
                return inner(format!("builds {} < {}", self.name(*index), a(count)), body, text);
            }
            Op::For(Iteration { count, index, body }) => {
                return inner(format!("for {} < {}", self.name(*index), a(count)), body, text);
            }
            Op::Trace(recurrence) => return inner(self.recurrence("trace", recurrence), &recurrence.body, text),
            Op::TraceWhile { state, start, condition, body } => {
                inner(format!("trace {} = {} while", self.declared(*state), a(start)), condition, text);
                return inner(format!("{}do", "  ".repeat(depth)), body, text);
            }
            Op::Plus(left, right) => format!("{} ⊕ {}", a(left), a(right)),
            Op::Zero(value) => format!("zero at {}", a(value)),
            Op::Accumulator => "accumulator".to_string(),
            Op::AddTo(accumulator, path, value) => {
                let path: String = (path.iter())
                    .map(|place| match place {
                        Place::Element(index) => format!("[{}]", a(index)),
                        Place::Component(at) => format!(".{at}"),
                    })
                    .collect();
                format!("{}{path} += {}", a(accumulator), a(value))
            }
            Op::Read(accumulator) => format!("read {}", a(accumulator)),
            Op::Derive(derive, operands) => format!("{}({})", show_derive(*derive), self.atoms(operands)),
            Op::Map { forward, reverse, captured } => {
                format!("map #{} #{}({})", forward.0, reverse.0, self.atoms(captured))
            }
            Op::OnMaps(operation, operands) => format!("{}({})", operation.name(), self.atoms(operands)),
            Op::Reduce(reduction, Iteration { count, index, body }) => {
                let header = format!("{} {} < {}", reduction.name(), self.name(*index), a(count));
                return inner(header, body, text);
            }
            Op::Loop(recurrence) => return inner(self.recurrence("loop", recurrence), &recurrence.body, text),
            Op::Scan(recurrence) => return inner(self.recurrence("scan", recurrence), &recurrence.body, text),
            Op::If { condition, yes, no } => {
                inner(format!("if {}", a(condition)), yes, text);
                return inner(format!("{}else", "  ".repeat(depth)), no, text);
            }
            Op::While { state, start, condition, body } => {
                inner(format!("loop {} = {} while", self.declared(*state), a(start)), condition, text);
                return inner(format!("{}do", "  ".repeat(depth)), body, text);
            }
        };
        *text += &line;
        text.push('\n');
    }

    fn recurrence(&self, form: &str, Recurrence { state, start, count, index, .. }: &Recurrence) -> String {
        let (start, count) = (self.atom(*start), self.atom(*count));
        format!("{form} {} = {start} for {} < {count}", self.declared(*state), self.name(*index))
    }
}

fn show_derive(derive: Derive) -> &'static str {
    match derive {
        Derive::Derivative => "D",
        Derive::Forward => "jvp",
        Derive::Reverse => "vjp",
        Derive::Taylor => "taylor",
    }
}

fn show_step(step: &Step) -> String {
    match step {
        Step::Elements => "[_]".to_string(),
        Step::Component(at) => format!(".{at}"),
    }
}
