//! Combinators as text, which reads back as the same combinator.
//!
//! ```text
//!   (+) ∘ ⟨(*) ∘ ⟨π0, π0⟩, (*) ∘ ⟨π1, π1⟩⟩
//! ```
//!
//! `g ∘ f` is `f`, then `g`; `π0.1` is part 1 of part 0; braces contain a type where an operation needs the type of the
//! elements of an empty array.

use super::{Combinator, Combinators, Constant, Operation};
use riesz_core::evaluate::show_real;
use riesz_core::order::Orders;
use riesz_core::term::{Comparison, Op, Place, Step};
use riesz_core::{Size, Type, size};
use riesz_primitive::Primitive;
use std::fmt;

/// How wide lines are, where they can be.
const WIDTH: usize = 100;

impl fmt::Display for Combinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Names::default().flat(self))
    }
}

/// One definition after the other, the function that is meant first.
impl fmt::Display for Combinators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names {
            definitions: self.definitions.iter().map(|definition| &*definition.name).collect(),
            globals: self.globals.iter().map(|(name, _)| &**name).collect(),
        };
        for (number, (name, _)) in self.globals.iter().enumerate() {
            writeln!(f, "let {name}#{number}")?;
        }
        for (number, definition) in self.definitions.iter().enumerate() {
            let separator = if number > 0 { "\n" } else { "" };
            let mut text = String::new();
            names.broken(&definition.body, 2, &mut text);
            writeln!(f, "{separator}{}#{number} =\n  {text}", definition.name)?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Names<'a> {
    definitions: Vec<&'a str>,
    globals: Vec<&'a str>,
}

impl Names<'_> {
    fn flat(&self, combinator: &Combinator) -> String {
        let (head, parts) = self.form(combinator);
        let parts: Vec<String> = parts.into_iter().map(|part| self.flat(part)).collect();
        match combinator {
            Combinator::Compose(_) => parts.join(" ∘ "),
            Combinator::Fork(_) if parts.len() == 1 => format!("⟨{},⟩", parts[0]),
            Combinator::Fork(_) => format!("⟨{}⟩", parts.join(", ")),
            _ if parts.is_empty() => head,
            _ => format!("{head}({})", parts.join(", ")),
        }
    }

    /// The same on several lines where it does not fit on one.
    fn broken(&self, combinator: &Combinator, indent: usize, to: &mut String) {
        if combinator.size() <= WIDTH {
            let flat = self.flat(combinator);
            if indent + flat.chars().count() <= WIDTH {
                to.push_str(&flat);
                return;
            }
        }
        let (head, parts) = self.form(combinator);
        let line = |to: &mut String, indent: usize| {
            to.push('\n');
            to.push_str(&" ".repeat(indent));
        };
        if let Combinator::Compose(_) = combinator {
            for (at, part) in parts.into_iter().enumerate() {
                if at > 0 {
                    to.push_str(" ∘");
                    line(to, indent);
                }
                self.broken(part, indent, to);
            }
            return;
        }
        let (open, close) = if let Combinator::Fork(_) = combinator { ("⟨", "⟩") } else { ("(", ")") };
        to.push_str(&head);
        if parts.is_empty() {
            return;
        }
        to.push_str(open);
        let single = parts.len() == 1 && open == "⟨";
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                to.push(',');
            }
            line(to, indent + 2);
            self.broken(part, indent + 2, to);
        }
        if single {
            to.push(',');
        }
        line(to, indent);
        to.push_str(close);
    }

    /// How a combinator begins, and its parts in the order in which they are written.
    fn form<'c>(&self, combinator: &'c Combinator) -> (String, Vec<&'c Combinator>) {
        let mut parts = Vec::new();
        combinator.each_part(&mut |part| parts.push(part));
        let named = |names: &[&str], number: usize| format!("{}#{number}", names.get(number).unwrap_or(&"_"));
        let head = match combinator {
            Combinator::Identity => "id".into(),
            Combinator::Compose(_) => {
                parts.reverse();
                String::new()
            }
            Combinator::Fork(_) => String::new(),
            Combinator::Project(path) => {
                format!("π{}", path.iter().map(usize::to_string).collect::<Vec<_>>().join("."))
            }
            Combinator::Constant(Constant::Real(value)) => format!("K {}", show_real(*value)),
            Combinator::Constant(Constant::Int(value)) => format!("K {value}"),
            Combinator::Constant(Constant::Bool(value)) => format!("K {value}"),
            Combinator::Operation(operation) => operation.to_string(),
            Combinator::If(_) => "if".into(),
            Combinator::Build(ty, _) => format!("build{{{}}}", show(ty)),
            Combinator::Builds(types, _) => format!("builds{{{}}}", show_all(types)),
            Combinator::Reduce(reduction, ty, _) => format!("{}{{{}}}", reduction.name(), show(ty)),
            Combinator::Loop(_) => "loop".into(),
            Combinator::Scan(ty, _) => format!("scan{{{}}}", show(ty)),
            Combinator::While(..) => "while".into(),
            Combinator::Trace(types, _) => format!("trace{{{}}}", show_all(types)),
            Combinator::TraceWhile(types, ..) => format!("trace_while{{{}}}", show_all(types)),
            Combinator::Call(number, _) => format!("call {}", named(&self.definitions, *number)),
            Combinator::Closure(number) => format!("closure {}", named(&self.definitions, *number)),
            Combinator::Apply(_) => "apply".into(),
            Combinator::Map(forward, reverse) => {
                format!("map {} {}", named(&self.definitions, *forward), named(&self.definitions, *reverse))
            }
            Combinator::OnMaps(operation, orders, _) => match *orders == Orders::KEPT {
                true => format!("maps {}", operation.name()),
                false => format!("maps {}{{{}, {}}}", operation.name(), orders.rows, orders.columns),
            },
            Combinator::Taylor(ty, _) => format!("taylor{{{}}}", show(ty)),
            Combinator::Global(number) => format!("global {}", named(&self.globals, *number)),
        };
        (head, parts)
    }
}

/// The name of an operation, with what else it has to know.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.op() {
            Op::Scalar(primitive, _) => spelling(primitive),
            Op::ArrayFunction(primitive, operands) => {
                return write!(f, "{}/{}{{{}}}", spelling(primitive), operands.len(), show(self.ty()));
            }
            Op::Array(elements) => return write!(f, "array/{}{{{}}}", elements.len(), show(self.ty())),
            Op::SizeOf(_, path) if !path.is_empty() => {
                let step = |step: &Step| match step {
                    Step::Elements => "*".to_string(),
                    Step::Component(at) => at.to_string(),
                };
                return write!(f, "size{{{}}}", path.iter().map(step).collect::<Vec<_>>().join("."));
            }
            Op::Accumulator => return write!(f, "accumulator{{{}}}", show(self.ty())),
            Op::AddTo(_, path, _) if !path.is_empty() => {
                let place = |place: &Place| match place {
                    Place::Element(_) => "*".to_string(),
                    Place::Component(at) => at.to_string(),
                };
                return write!(f, "add_to{{{}}}", path.iter().map(place).collect::<Vec<_>>().join("."));
            }
            op => bare_name(op).into(),
        };
        f.write_str(&name)
    }
}

/// The names of operations that stand in no table.
pub fn bare_name(op: &Op) -> &'static str {
    match op {
        Op::Compare(Comparison::Less, ..) => "(<)",
        Op::Compare(Comparison::LessEqual, ..) => "(<=)",
        Op::Compare(Comparison::Greater, ..) => "(>)",
        Op::Compare(Comparison::GreaterEqual, ..) => "(>=)",
        Op::Same(..) => "(==)",
        Op::Near(..) => "(~=)",
        Op::Not(_) => "not",
        Op::ToReal(_) => "real",
        Op::Truncate(_) => "trunc",
        Op::IsNan(_) => "is_nan",
        Op::Index(..) => "index",
        Op::SizeOf(..) => "size",
        Op::CheckSizes(..) => "check_sizes",
        Op::Plus(..) => "plus",
        Op::Zero(_) => "zero",
        Op::AddTo(..) => "add_to",
        _ => "operation",
    }
}

/// Names that are not words stand in brackets.
fn spelling(primitive: &Primitive) -> String {
    let word = primitive.name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if word { primitive.name.into() } else { format!("({})", primitive.name) }
}

/// A type; sizes are numbers, operands, or not known.
fn show(ty: &Type) -> String {
    match ty {
        Type::Real => "R".into(),
        Type::Int => "Int".into(),
        Type::Bool => "Bool".into(),
        Type::Array(size, element) => {
            let size = match size {
                Size::Constant(size) => size.to_string(),
                Size::Atom(size::Atom::Var(var)) => format!("#{}", var.0),
                _ => "_".into(),
            };
            format!("[{size}]{}", show(element))
        }
        Type::Accumulator(inner) => show(inner),
        ty => match ty.components() {
            Some(parts) if parts.len() == 1 => format!("({},)", show(&parts[0])),
            parts => format!("({})", show_all(&parts.unwrap_or_default())),
        },
    }
}

fn show_all(types: &[Type]) -> String {
    types.iter().map(show).collect::<Vec<_>>().join(", ")
}
