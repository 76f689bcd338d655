//! Symbolic linear maps as text, in the notation of [`riesz_linear`], with expressions in that of the language.
//!
//! | text | map |
//! |---|---|
//! | `0`, `id`, `scale k` | zero, identity, multiple |
//! | `diagonal d` | the product with a value, number by number |
//! | `u ⊗ v`, `c · (u ⊗ v)` | rank one; `dot(v, _)` where `u` is 1, `_ · u` where `v` is |
//! | `dot(a, _)`, `gather(_, i)` | a function that is linear in the argument `_` |
//! | `project i`, `inject i` | an element of an array, a component of a tuple, an argument; and back |
//! | `f + g`, `g ∘ f`, `f × g`, `f ⋈ g`, `fork [f, g]`, `join [f, g]` | as there |
//! | `build i < n. f` | `B(n, λi. f)`: the array whose element `i` is what `f` gives |
//! | `join i < n. f` | `B'(n, λi. f)`: the sum of what `f` gives of element `i` |
//! | `sum i < n. f` | `Σᵢ f` |
//! | `loop D s = f for i < n. g` | a linear recurrence |
//! | `D f(a, b)` | the derivative of another function at a point; `D[x] f(a, b)` in the parameter `x` alone |
//!
//! `∘` binds tighter than `×` and `⋈`, which bind tighter than `+`; what follows a full stop reaches as far as it can. What is
//! too long for a line is broken at its outermost operators.

use super::code::is_size;
use super::notation::{self, Written};
use super::scope::Scope;
use super::term::{Expr, Form, Head, Item, Label, Loop, Term};
use riesz_core::term::{Atom, Var};
use std::borrow::Cow;

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

/// How long a line may be.
const WIDTH: usize = 100;

impl Scope<'_> {
    /// A map on one line, however long; what it binds stands between braces.
    pub(crate) fn show(&self, term: &Term) -> String {
        self.flat(term, Level::Binder)
    }

    /// A map on as many lines as it takes.
    pub(crate) fn show_lines(&self, term: &Term) -> String {
        self.lines(term, Level::Binder, WIDTH - 8).join("\n")
    }

    /// `name = m`, on as many lines as it takes.
    pub(crate) fn show_equation(&self, name: &str, map: &Term) -> Vec<String> {
        let lines = self.lines(map, Level::Binder, WIDTH.saturating_sub(name.chars().count() + 3));
        match &lines[..] {
            [line] => vec![format!("{name} = {line}")],
            [header, rest @ ..] if is_binder(map) => {
                [format!("{name} = {header}")].into_iter().chain(rest.iter().cloned()).collect()
            }
            lines => [format!("{name} =")].into_iter().chain(indented(lines)).collect(),
        }
    }

    /// `D x = m`
    pub(crate) fn show_item(&self, item: &Item) -> Vec<String> {
        match item {
            Item::Map(var, map) => self.show_equation(&self.derivative(*var), map),
            Item::Value(var, value) => vec![format!("{} = {}", self.name(*var), self.show_expr(value))],
        }
    }

    /// `D x`
    pub(crate) fn derivative(&self, var: Var) -> String {
        format!("D {}", self.name(self.primal_of.get(&var).copied().unwrap_or(var)))
    }

    // ---- several lines ----

    fn lines(&self, term: &Term, least: Level, width: usize) -> Vec<String> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            if !binds(term) {
                let flat = self.flat(term, least);
                if flat.chars().count() <= width {
                    return vec![flat];
                }
            }
            let (level, lines) = self.broken(term, width.saturating_sub(2));
            match level < least {
                true => bracketed(lines),
                false => lines,
            }
        })
    }

    fn broken(&self, term: &Term, width: usize) -> (Level, Vec<String>) {
        match &term.form {
            Form::Let(items, result) => {
                let mut lines: Vec<String> = items.iter().flat_map(|item| self.show_item(item)).collect();
                lines.extend(self.lines(result, Level::Binder, width));
                (Level::Binder, lines)
            }
            Form::If { condition, yes, no } => {
                let mut lines = vec![format!("if {} then", self.show_expr(condition))];
                lines.extend(indented(&self.lines(yes, Level::Binder, width)));
                lines.push("else".to_string());
                lines.extend(indented(&self.lines(no, Level::Binder, width)));
                (Level::Binder, lines)
            }
            Form::Transposed(map) => {
                let mut lines = bracketed(self.lines(map, Level::Binder, width));
                if let Some(last) = lines.last_mut() {
                    last.push('ᵀ');
                }
                (Level::Atom, lines)
            }
            form => {
                if let Some((header, body)) = self.header(form) {
                    let stop = if matches!(body.form, Form::Let(..)) { "" } else { "." };
                    let mut lines = vec![format!("{header}{stop}")];
                    lines.extend(indented(&self.lines(body, Level::Binder, width)));
                    return (Level::Binder, lines);
                }
                let Some((level, sign, operand, maps)) = operator(form) else {
                    let (level, text) = self.form(term);
                    return (level, vec![text]);
                };
                let mut lines = Vec::new();
                for (at, map) in maps.iter().enumerate() {
                    let (sign, map) = signed(sign, at, map);
                    for (line, text) in self.lines(&map, operand, width).into_iter().enumerate() {
                        let before = if at > 0 && line == 0 { sign } else { " " };
                        lines.push(format!("{before} {text}"));
                    }
                }
                (level, lines)
            }
        }
    }

    /// What stands before the body of a form that binds an index, and the body.
    fn header<'t>(&self, form: &'t Form) -> Option<(String, &'t Term)> {
        let family =
            |word: &str, index: Var, count: &Expr| format!("{word} {} < {}", self.name(index), self.show_expr(count));
        Some(match form {
            Form::Build { index, count, parts, body } => {
                (family(if *parts { "builds" } else { "build" }, *index, count), body)
            }
            Form::Gather { index, count, body } => (family("join", *index, count), body),
            Form::Total { index, count, body } => (family("sum", *index, count), body),
            Form::Loop { kind, state, start, index, count, body } => {
                let word = match kind {
                    Loop::Last => "loop",
                    Loop::Scan => "scan",
                    Loop::Trace => "trace",
                };
                let (state, start) = (self.derivative(*state), self.flat(start, Level::Sum));
                (format!("{word} {state} = {start} {}", family("for", *index, count)), body)
            }
            _ => return None,
        })
    }

    // ---- one line ----

    fn flat(&self, term: &Term, least: Level) -> String {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let (level, text) = self.form(term);
            if level < least { format!("({text})") } else { text }
        })
    }

    fn form(&self, term: &Term) -> (Level, String) {
        let list = |maps: &[Term], separator: &str, least: Level| -> String {
            maps.iter().map(|map| self.flat(map, least)).collect::<Vec<_>>().join(separator)
        };
        if let Some((header, body)) = self.header(&term.form) {
            return (Level::Binder, format!("{header}. {}", self.flat(body, Level::Binder)));
        }
        if let Some((level, sign, operand, maps)) = operator(&term.form) {
            let mut text = String::new();
            for (at, map) in maps.iter().enumerate() {
                let (sign, map) = signed(sign, at, map);
                let before = if at == 0 { String::new() } else { format!(" {sign} ") };
                text += &format!("{before}{}", self.flat(&map, operand));
            }
            return (level, text);
        }
        match &term.form {
            Form::Zero => (Level::Atom, "0".into()),
            Form::Identity => (Level::Atom, "id".into()),
            Form::Derivative(var) => (Level::Word, self.derivative(*var)),
            Form::Scale(k) => (Level::Word, format!("scale {}", self.argument(k))),
            Form::Diagonal(d) => (Level::Word, format!("diagonal {}", self.argument(d))),
            Form::RankOne { coefficient, left, right } => {
                let (level, product) = match (left, right) {
                    (Some(u), Some(v)) => (Level::Product, format!("{} ⊗ {}", self.argument(u), self.argument(v))),
                    (None, Some(v)) => (Level::Atom, format!("dot({}, _)", self.show_expr(v))),
                    (Some(u), None) => (Level::Side, format!("_ · {}", self.argument(u))),
                    (None, None) => (Level::Atom, "id".into()),
                };
                match coefficient == &Expr::one() {
                    true => (level, product),
                    false if level < Level::Word => {
                        (Level::Product, format!("{} · ({product})", self.argument(coefficient)))
                    }
                    false => (Level::Product, format!("{} · {product}", self.argument(coefficient))),
                }
            }
            Form::Function(operation, arguments) => {
                // A function of tangents alone needs no holes.
                if arguments.iter().all(Option::is_none) {
                    return (Level::Atom, operation.name().to_string());
                }
                let hole = || Written::atom("_");
                let arguments: Vec<Written> = arguments
                    .iter()
                    .map(|argument| argument.as_ref().map_or_else(hole, |expr| self.expr_form(expr)))
                    .collect();
                (Level::Atom, format!("{}({})", operation.name(), notation::list(&arguments)))
            }
            Form::Sum => (Level::Atom, "sum".into()),
            Form::Element(index) => (Level::Word, format!("project {}", self.argument(index))),
            Form::InjectElement(index) => (Level::Word, format!("inject {}", self.argument(index))),
            Form::Component(at, label) => (Level::Word, format!("project {}", component(*at, label))),
            Form::InjectComponent(at, label) => (Level::Word, format!("inject {}", component(*at, label))),
            Form::Fork(maps) => (Level::Word, format!("fork ({})", list(maps, ", ", Level::Binder))),
            Form::Join(maps) => (Level::Word, format!("join ({})", list(maps, ", ", Level::Binder))),
            Form::ForkArray(maps) => (Level::Word, format!("fork [{}]", list(maps, ", ", Level::Binder))),
            Form::JoinArray(maps) => (Level::Word, format!("join [{}]", list(maps, ", ", Level::Binder))),
            Form::If { condition, yes, no } => {
                let (yes, no) = (self.flat(yes, Level::Sum), self.flat(no, Level::Binder));
                (Level::Binder, format!("if {} then {yes} else {no}", self.show_expr(condition)))
            }
            Form::Call { called, mask, arguments } => {
                let called = self.program.function(*called);
                let written = arguments.iter().enumerate().filter(|(at, _)| !is_size(called, Var(*at as u32)));
                let written: Vec<Written> = written.map(|(_, argument)| self.expr_form(argument)).collect();
                let parameters = || called.vars.iter().zip(mask);
                let varying: Vec<&str> = parameters()
                    .filter(|(_, active)| **active)
                    .map(|(info, _)| info.name.as_deref().unwrap_or("_"))
                    .collect();
                let all = parameters().all(|(info, active)| *active || !info.ty.varies());
                let which = if all { String::new() } else { format!("[{}]", varying.join(", ")) };
                (Level::Word, format!("D{which} {}({})", called.name, notation::list(&written)))
            }
            Form::Let(items, result) => {
                let one = |item: &Item| match item {
                    Item::Map(var, map) => format!("{} = {}", self.derivative(*var), self.flat(map, Level::Binder)),
                    Item::Value(var, value) => format!("{} = {}", self.name(*var), self.show_expr(value)),
                };
                let items: Vec<String> = items.iter().map(one).collect();
                (Level::Atom, format!("{{{}; {}}}", items.join("; "), self.flat(result, Level::Binder)))
            }
            Form::Transposed(map) => (Level::Atom, format!("{}ᵀ", self.flat(map, Level::Atom))),
            Form::Compose(_) | Form::Add(_) => (Level::Atom, "0".into()),
            Form::Build { .. } | Form::Gather { .. } | Form::Total { .. } | Form::Loop { .. } => {
                unreachable!("forms that bind an index have a header")
            }
        }
    }

    // ---- expressions ----

    /// An expression as text.
    pub(crate) fn show_expr(&self, expr: &Expr) -> String {
        self.expr_form(expr).text
    }

    /// An expression after a word, or beside `·` or `⊗`.
    fn argument(&self, expr: &Expr) -> String {
        self.expr_form(expr).at(notation::ATOM)
    }

    fn expr_form(&self, expr: &Expr) -> Written {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let go = |expr: &Expr| self.expr_form(expr);
            let all = |exprs: &[Expr]| exprs.iter().map(go).collect::<Vec<_>>();
            match expr {
                Expr::Atom(Atom::Var(var)) => Written::atom(self.name(*var)),
                Expr::Atom(atom) => notation::constant(*atom).unwrap_or_else(|| unreachable!("no variable")),
                Expr::Each { index, count, element } => notation::each(&go(element), self.name(*index), &go(count)),
                Expr::Apply(head, arguments) => match (head, &arguments[..]) {
                    (Head::Function(operation), arguments) => notation::applied(operation.name(), &all(arguments)),
                    (Head::Index, [array, index]) => notation::element(&go(array), &go(index)),
                    (Head::Component(at, label), [tuple]) => notation::component(&go(tuple), &component(*at, label)),
                    (Head::Global(global), _) => Written::atom(self.program.global(*global).name.to_string()),
                    (Head::Compare(comparison), [a, b]) => notation::comparison(*comparison, &go(a), &go(b)),
                    (Head::Same, [a, b]) => notation::same(&go(a), &go(b)),
                    (Head::Not, [a]) => notation::not(&go(a)),
                    (Head::ToReal, arguments) => notation::applied("real", &all(arguments)),
                    (Head::Truncate, arguments) => notation::applied("trunc", &all(arguments)),
                    (Head::IsNan, arguments) => notation::applied("is_nan", &all(arguments)),
                    (Head::Reduce(reduction), [Expr::Each { index, count, element }]) => {
                        notation::reduced(*reduction, &go(element), self.name(*index), &go(count))
                    }
                    (Head::Reduce(reduction), arguments) => notation::applied(reduction.name(), &all(arguments)),
                    (Head::If, [condition, yes, no]) => notation::branches(&go(condition), &go(yes), &go(no)),
                    (Head::Array, elements) => notation::array(&all(elements)),
                    (_, parts) => notation::tuple(&all(parts)),
                },
            }
        })
    }
}

/// Forms with a sign between their maps: how tightly they bind, the sign, and how tightly the maps must.
fn operator(form: &Form) -> Option<(Level, &'static str, Level, &[Term])> {
    match form {
        Form::Compose(maps) if maps.len() > 1 => Some((Level::Chain, "∘", Level::Product, maps)),
        Form::Add(maps) if maps.len() > 1 => Some((Level::Sum, "+", Level::Side, maps)),
        Form::Fork(maps) if maps.len() > 1 => Some((Level::Side, "×", Level::Chain, maps)),
        Form::Join(maps) if maps.len() > 1 => Some((Level::Side, "⋈", Level::Chain, maps)),
        _ => None,
    }
}

/// A map after a sign: a sum with the opposite of a map is a difference.
fn signed<'t>(sign: &'static str, at: usize, map: &'t Term) -> (&'static str, Cow<'t, Term>) {
    let minus = |k: &Expr| *k == Expr::Atom(Atom::Real(-1.0));
    match &map.form {
        Form::Compose(maps) if sign == "+" && at > 0 => match &maps[..] {
            [Term { form: Form::Scale(k), .. }, rest @ ..] | [rest @ .., Term { form: Form::Scale(k), .. }]
                if minus(k) =>
            {
                ("-", Cow::Owned(Term::compose(rest.to_vec(), &map.from)))
            }
            _ => (sign, Cow::Borrowed(map)),
        },
        Form::Scale(k) if sign == "+" && at > 0 && minus(k) => ("-", Cow::Owned(Term::identity(&map.from))),
        _ => (sign, Cow::Borrowed(map)),
    }
}

fn component(at: usize, label: &Label) -> String {
    label.as_ref().map_or(at.to_string(), |label| label.to_string())
}

/// Whether a map binds derivatives, and so takes several lines.
fn binds(term: &Term) -> bool {
    let mut found = matches!(term.form, Form::Let(..));
    term.visit_children(&mut |child| found |= binds(child));
    found
}

/// Whether the first line of a map says what its other lines are for.
fn is_binder(term: &Term) -> bool {
    matches!(
        term.form,
        Form::Build { .. } | Form::Gather { .. } | Form::Total { .. } | Form::Loop { .. } | Form::If { .. }
    )
}

fn indented(lines: &[String]) -> impl Iterator<Item = String> {
    lines.iter().map(|line| format!("  {line}"))
}

/// Lines between brackets.
fn bracketed(lines: Vec<String>) -> Vec<String> {
    let last = lines.len() - 1;
    let bracket = |(at, line): (usize, String)| {
        let (open, close) = (if at == 0 { "(" } else { " " }, if at == last { ")" } else { "" });
        format!("{open}{line}{close}")
    };
    lines.into_iter().enumerate().map(bracket).collect()
}
