//! Symbolic linear maps as text, in the notation of [`riesz_linear`].
//!
//! | text | map |
//! |---|---|
//! | `0`, `id`, `scale k` | zero, identity, multiple |
//! | `diagonal d` | the product with a value, number by number |
//! | `u ⊗ v`, `c · (u ⊗ v)` | rank one; `dot v _` where `u` is 1, `_ · u` where `v` is |
//! | `dot a _`, `gather _ i` | a function that is linear in the argument `_` |
//! | `project i`, `inject i` | an element of an array, a component of a tuple, an argument; and back |
//! | `f + g`, `g ∘ f`, `f × g`, `f ⋈ g`, `fork [f, g]`, `join [f, g]` | as there |
//! | `build i < n. f` | `B(n, λi. f)`: the array whose element `i` is what `f` gives |
//! | `join i < n. f` | `B'(n, λi. f)`: the sum of what `f` gives of element `i` |
//! | `sum i < n. f` | `Σᵢ f` |
//! | `loop D s = f for i < n. g` | a linear recurrence |
//! | `D f (a, b)` | the derivative of another function at a point |
//!
//! `∘` binds tighter than `×` and `⋈`, which bind tighter than `+`; what follows a full stop reaches as far as it can.

use super::build::Scope;
use super::term::{Expr, Form, Head, Item, Label, Loop, Operation, Term};
use riesz_core::Comparison;
use riesz_core::evaluate::show_real;
use riesz_core::term::{Atom, Reduction, Var};

/// How tightly a form binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Binder,
    Sum,
    Side,
    Chain,
    Product,
    Word,
    Atom,
}

impl Scope<'_> {
    /// A map on one line, or on several where it binds derivatives.
    pub(crate) fn show(&self, term: &Term) -> String {
        self.map(term, Level::Binder, 0)
    }

    /// `D x = m`
    pub(crate) fn show_item(&self, item: &Item, depth: usize) -> String {
        match item {
            Item::Map(var, map) => {
                format!("{} = {}", self.derivative(*var), self.map(map, Level::Binder, depth))
            }
            Item::Value(var, value) => format!("{} = {}", self.name(*var), self.show_expr(value)),
        }
    }

    /// `D x`
    pub(crate) fn derivative(&self, var: Var) -> String {
        format!("D {}", self.name(self.primal_of.get(&var).copied().unwrap_or(var)))
    }

    fn map(&self, term: &Term, least: Level, depth: usize) -> String {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let (level, text) = self.form(term, depth);
            if level < least { format!("({text})") } else { text }
        })
    }

    fn form(&self, term: &Term, depth: usize) -> (Level, String) {
        let go = |term: &Term, least: Level| self.map(term, least, depth);
        let list = |maps: &[Term], separator: &str, least: Level| -> String {
            maps.iter().map(|map| go(map, least)).collect::<Vec<_>>().join(separator)
        };
        let binder = |word: &str, index: Var, count: &Expr, body: &Term| {
            let header = format!("{word} {} < {}", self.name(index), self.show_expr(count));
            (Level::Binder, self.scoped(header, body, depth))
        };
        match &term.form {
            Form::Zero => (Level::Atom, "0".into()),
            Form::Identity => (Level::Atom, "id".into()),
            Form::Derivative(var) => (Level::Word, self.derivative(*var)),
            Form::Scale(k) => (Level::Word, format!("scale {}", self.argument(k))),
            Form::Diagonal(d) => (Level::Word, format!("diagonal {}", self.argument(d))),
            Form::RankOne { coefficient, left, right } => {
                let (level, product) = match (left, right) {
                    (Some(u), Some(v)) => (Level::Product, format!("{} ⊗ {}", self.factor(u), self.factor(v))),
                    (None, Some(v)) => (Level::Word, format!("dot {} _", self.argument(v))),
                    (Some(u), None) => (Level::Product, format!("_ · {}", self.factor(u))),
                    (None, None) => (Level::Atom, "id".into()),
                };
                match coefficient == &Expr::one() {
                    true => (level, product),
                    false if level == Level::Product => {
                        (Level::Product, format!("{} · ({product})", self.factor(coefficient)))
                    }
                    false => (Level::Product, format!("{} · {product}", self.factor(coefficient))),
                }
            }
            Form::Function(operation, arguments) => {
                let mut text = operation.name().to_string();
                // A function of tangents alone needs no holes.
                if arguments.iter().any(Option::is_some) {
                    for argument in arguments {
                        text.push(' ');
                        text += &argument.as_ref().map_or("_".to_string(), |argument| self.argument(argument));
                    }
                }
                (Level::Word, text)
            }
            Form::Sum => (Level::Atom, "sum".into()),
            Form::Element(index) => (Level::Word, format!("project {}", self.argument(index))),
            Form::InjectElement(index) => (Level::Word, format!("inject {}", self.argument(index))),
            Form::Component(at, label) => (Level::Word, format!("project {}", component(*at, label))),
            Form::InjectComponent(at, label) => (Level::Word, format!("inject {}", component(*at, label))),
            Form::Compose(maps) => (Level::Chain, list(maps, " ∘ ", Level::Product)),
            Form::Add(maps) => (Level::Sum, list(maps, " + ", Level::Side)),
            Form::Fork(maps) if maps.len() > 1 => (Level::Side, list(maps, " × ", Level::Chain)),
            Form::Join(maps) if maps.len() > 1 => (Level::Side, list(maps, " ⋈ ", Level::Chain)),
            Form::Fork(maps) => (Level::Word, format!("fork ({})", list(maps, ", ", Level::Binder))),
            Form::Join(maps) => (Level::Word, format!("join ({})", list(maps, ", ", Level::Binder))),
            Form::ForkArray(maps) => (Level::Word, format!("fork [{}]", list(maps, ", ", Level::Binder))),
            Form::JoinArray(maps) => (Level::Word, format!("join [{}]", list(maps, ", ", Level::Binder))),
            Form::Build { index, count, parts, body } => {
                binder(if *parts { "builds" } else { "build" }, *index, count, body)
            }
            Form::Gather { index, count, body } => binder("join", *index, count, body),
            Form::Total { index, count, body } => binder("sum", *index, count, body),
            Form::Loop { kind, state, start, index, count, body } => {
                let word = match kind {
                    Loop::Last => "loop",
                    Loop::Scan => "scan",
                    Loop::Trace => "trace",
                };
                let start = go(start, Level::Sum);
                let header = format!(
                    "{word} {} = {start} for {} < {}",
                    self.derivative(*state),
                    self.name(*index),
                    self.show_expr(count)
                );
                (Level::Binder, self.scoped(header, body, depth))
            }
            Form::If { condition, yes, no } => {
                let condition = self.show_expr(condition);
                if binds(yes) || binds(no) {
                    let indent = "  ".repeat(depth);
                    let yes = self.block(yes, depth + 1);
                    let no = self.block(no, depth + 1);
                    return (Level::Binder, format!("if {condition} then\n{yes}\n{indent}else\n{no}"));
                }
                let text = format!("if {condition} then {} else {}", go(yes, Level::Sum), go(no, Level::Binder));
                (Level::Binder, text)
            }
            Form::Call { name, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.show_expr(argument)).collect();
                (Level::Word, format!("D {name} ({})", arguments.join(", ")))
            }
            Form::Let(..) => (Level::Binder, format!("\n{}", self.block(term, depth + 1))),
            Form::Transposed(map) => (Level::Atom, format!("{}ᵀ", go(map, Level::Atom))),
        }
    }

    /// A map after what it is made for: on the same line, or below it where it binds derivatives.
    fn scoped(&self, header: String, body: &Term, depth: usize) -> String {
        match &body.form {
            Form::Let(..) => format!("{header}\n{}", self.block(body, depth + 1)),
            _ => format!("{header}. {}", self.map(body, Level::Binder, depth)),
        }
    }

    /// The lines of a map that binds derivatives.
    fn block(&self, term: &Term, depth: usize) -> String {
        let indent = "  ".repeat(depth);
        let mut lines = Vec::new();
        let result = match &term.form {
            Form::Let(items, result) => {
                lines.extend(items.iter().map(|item| format!("{indent}{}", self.show_item(item, depth))));
                result
            }
            _ => term,
        };
        lines.push(format!("{indent}{}", self.map(result, Level::Binder, depth)));
        lines.join("\n")
    }

    // ---- expressions ----

    /// An expression as text.
    pub(crate) fn show_expr(&self, expr: &Expr) -> String {
        self.expr_at(expr, 0)
    }

    /// An expression after a word.
    fn argument(&self, expr: &Expr) -> String {
        self.expr_at(expr, ATOM)
    }

    /// An expression beside `·` or `⊗`.
    fn factor(&self, expr: &Expr) -> String {
        self.expr_at(expr, WORD)
    }

    fn expr_at(&self, expr: &Expr, least: u8) -> String {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let (level, text) = self.expr_form(expr);
            if level < least { format!("({text})") } else { text }
        })
    }

    fn expr_form(&self, expr: &Expr) -> (u8, String) {
        let at = |expr: &Expr, least: u8| self.expr_at(expr, least);
        match expr {
            Expr::Atom(Atom::Var(var)) => (ATOM, self.name(*var).to_string()),
            Expr::Atom(Atom::Int(value)) => (if *value < 0 { NEGATIVE } else { ATOM }, value.to_string()),
            Expr::Atom(Atom::Real(value)) => (if *value < 0.0 { NEGATIVE } else { ATOM }, show_real(*value)),
            Expr::Atom(Atom::Bool(value)) => (ATOM, value.to_string()),
            Expr::Each { index, count, element } => {
                (ATOM, format!("[{} | {} < {}]", at(element, 0), self.name(*index), at(count, 0)))
            }
            Expr::Apply(head, arguments) => match (head, &arguments[..]) {
                (Head::Function(operation), arguments) => self.call(*operation, arguments),
                (Head::Index, [array, index]) => (ATOM, format!("{}[{}]", at(array, ATOM), at(index, 0))),
                (Head::Component(position, label), [tuple]) => {
                    (ATOM, format!("{}.{}", at(tuple, ATOM), component(*position, label)))
                }
                (Head::Global(global), _) => (ATOM, self.program.global(*global).name.to_string()),
                (Head::Compare(comparison), [a, b]) => {
                    let sign = match comparison {
                        Comparison::Less => "<",
                        Comparison::LessEqual => "<=",
                        Comparison::Greater => ">",
                        Comparison::GreaterEqual => ">=",
                    };
                    (COMPARISON, format!("{} {sign} {}", at(a, SUM), at(b, SUM)))
                }
                (Head::Same, [a, b]) => (COMPARISON, format!("{} == {}", at(a, SUM), at(b, SUM))),
                (Head::Not, [a]) => (COMPARISON, format!("not {}", at(a, SUM))),
                (Head::ToReal, [a]) => (WORD, format!("real {}", at(a, ATOM))),
                (Head::Truncate, [a]) => (WORD, format!("trunc {}", at(a, ATOM))),
                (Head::IsNan, [a]) => (WORD, format!("is_nan {}", at(a, ATOM))),
                (Head::Reduce(reduction), [a]) => (WORD, format!("{} {}", reduction_name(*reduction), at(a, ATOM))),
                (Head::If, [condition, yes, no]) => {
                    (0, format!("if {} then {} else {}", at(condition, 0), at(yes, 1), at(no, 0)))
                }
                (Head::Array, elements) => (ATOM, format!("[{}]", self.expr_list(elements))),
                (_, parts) => (ATOM, format!("({})", self.expr_list(parts))),
            },
        }
    }

    fn expr_list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.show_expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn call(&self, operation: Operation, arguments: &[Expr]) -> (u8, String) {
        let at = |expr: &Expr, least: u8| self.expr_at(expr, least);
        match (operation.name(), arguments) {
            (sign @ ("+" | "-"), [a, b]) => {
                let right = if sign == "-" { PRODUCT } else { SUM };
                (SUM, format!("{} {sign} {}", at(a, SUM), at(b, right)))
            }
            ("*", [a, b]) => (PRODUCT, format!("{} * {}", at(a, PRODUCT), at(b, PRODUCT))),
            ("/", [a, b]) => (PRODUCT, format!("{} / {}", at(a, PRODUCT), at(b, NEGATIVE))),
            ("^" | "integer ^", [a, b]) => (POWER, format!("{} ^ {}", at(a, WORD), at(b, POWER))),
            ("unary -", [a]) => (NEGATIVE, format!("-{}", at(a, NEGATIVE))),
            (name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| at(argument, ATOM)).collect();
                (WORD, format!("{name} {}", arguments.join(" ")))
            }
        }
    }
}

const COMPARISON: u8 = 1;
const SUM: u8 = 2;
const PRODUCT: u8 = 3;
const NEGATIVE: u8 = 4;
const POWER: u8 = 5;
const WORD: u8 = 6;
const ATOM: u8 = 7;

fn component(at: usize, label: &Label) -> String {
    label.as_ref().map_or(at.to_string(), |label| label.to_string())
}

/// Whether a map binds derivatives, and so takes several lines.
fn binds(term: &Term) -> bool {
    let mut found = matches!(term.form, Form::Let(..));
    term.visit_children(&mut |child| found |= binds(child));
    found
}

fn reduction_name(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Sum => "sum",
        Reduction::Product => "prod",
        Reduction::Max => "max",
        Reduction::Min => "min",
        Reduction::ArgMax => "argmax",
        Reduction::ArgMin => "argmin",
        Reduction::All => "all",
        Reduction::Any => "any",
    }
}
