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
//! | `each i < n. f` | the array whose element `i` is what `f` gives of element `i` |
//! | `loop D s = f for i < n. g` | a linear recurrence |
//! | `D f(a, b)` | the derivative of another function at a point; `D[x] f(a, b)` in the parameter `x` alone |
//!
//! `∘` binds tighter than `×` and `⋈`, which bind tighter than `+`; what follows a full stop reaches as far as it can. What is
//! too long for a line is broken at its outermost operators.

use super::code::is_size;
use super::notation::{self, Written};
use super::scope::Scope;
use super::term::{Binder, Expr, Extra, Form, Head, Item, Kind, Label, Loop, Part, Relation, Term, compose};
use riesz_core::term::{Atom, Var};
use riesz_linear::print::{Level, Several, Sides};
use riesz_linear::{Family, RankOne, Side};
use std::borrow::Cow;

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
        if let Form::Extra(extra) = term.form() {
            match (&extra.kind, &extra.children[..]) {
                (Kind::Let(_), _) => {
                    let (items, result) = extra.items().unwrap_or_else(|| unreachable!("names have maps"));
                    let mut lines: Vec<String> = items.iter().flat_map(|item| self.show_item(item)).collect();
                    lines.extend(self.lines(result, Level::Binder, width));
                    return (Level::Binder, lines);
                }
                (Kind::If(condition), [yes, no]) => {
                    let mut lines = vec![format!("if {} then", self.show_expr(condition))];
                    lines.extend(indented(&self.lines(yes, Level::Binder, width)));
                    lines.push("else".to_string());
                    lines.extend(indented(&self.lines(no, Level::Binder, width)));
                    return (Level::Binder, lines);
                }
                (Kind::Adjoint, [map]) => {
                    let mut lines = bracketed(self.lines(map, Level::Binder, width));
                    if let Some(last) = lines.last_mut() {
                        last.push('ᵀ');
                    }
                    return (Level::Atom, lines);
                }
                _ => {}
            }
        }
        if let Some((header, body)) = self.header(term.form()) {
            let stop = if is_let(body) { "" } else { "." };
            let mut lines = vec![format!("{header}{stop}")];
            lines.extend(indented(&self.lines(body, Level::Binder, width)));
            return (Level::Binder, lines);
        }
        let Some(Several::Infix(level, sign, operand, maps)) = Several::of(term) else {
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

    /// What stands before the body of a form that binds an index, and the body.
    fn header<'t>(&self, form: &'t Form) -> Option<(String, &'t Term)> {
        let over = |word: &str, Binder { index, count }: &Binder| {
            format!("{word} {} < {}", self.name(*index), self.show_expr(count))
        };
        Some(match form {
            Form::Family(family, binder, body) => {
                let word = match family {
                    Family::Fork => "build",
                    Family::Join => "join",
                    Family::Each => "each",
                    Family::Add => "sum",
                };
                (over(word, binder), body)
            }
            Form::Extra(extra) => match (&extra.kind, &extra.children[..]) {
                (Kind::Builds(binder), [body]) => (over("builds", binder), body),
                (Kind::Loop { kind, state, binder }, [start, body]) => {
                    let word = match kind {
                        Loop::Last => "loop",
                        Loop::Scan => "scan",
                        Loop::Trace => "trace",
                    };
                    let (state, start) = (self.derivative(*state), self.flat(start, Level::Sum));
                    (format!("{word} {state} = {start} {}", over("for", binder)), body)
                }
                _ => return None,
            },
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
        if let Some((header, body)) = self.header(term.form()) {
            return (Level::Binder, format!("{header}. {}", self.flat(body, Level::Binder)));
        }
        match Several::of(term) {
            Some(Several::Infix(level, sign, operand, maps)) => {
                let mut text = String::new();
                for (at, map) in maps.iter().enumerate() {
                    let (sign, map) = signed(sign, at, map);
                    let before = if at == 0 { String::new() } else { format!(" {sign} ") };
                    text += &format!("{before}{}", self.flat(&map, operand));
                }
                return (level, text);
            }
            Some(Several::Listed(word, [open, close], maps)) => {
                let maps: Vec<String> = maps.iter().map(|map| self.flat(map, Level::Binder)).collect();
                return (Level::Word, format!("{word} {open}{}{close}", maps.join(", ")));
            }
            None => {}
        }
        match term.form() {
            Form::Zero => (Level::Atom, "0".into()),
            Form::Identity => (Level::Atom, "id".into()),
            Form::Scale(k) => (Level::Word, format!("scale {}", self.argument(k))),
            Form::Diagonal(d) => (Level::Word, format!("diagonal {}", self.argument(d))),
            Form::RankOne(product) => {
                let RankOne { coefficient, left, right } = product;
                let (level, product) = match Sides::of(term, product) {
                    Sides::Both => (Level::Product, format!("{} ⊗ {}", self.argument(left), self.argument(right))),
                    Sides::Row => (Level::Atom, format!("dot({}, _)", self.show_expr(right))),
                    Sides::Column => (Level::Side, format!("_ · {}", self.argument(left))),
                };
                match coefficient == &Expr::one() {
                    true => (level, product),
                    false if level < Level::Word => {
                        (Level::Product, format!("{} · ({product})", self.argument(coefficient)))
                    }
                    false => (Level::Product, format!("{} · {product}", self.argument(coefficient))),
                }
            }
            Form::Contract(contraction) => {
                let (matrix, hole) = (self.expr_form(&contraction.matrix), Written::atom("_"));
                let arguments = if contraction.side == Side::Left { [matrix, hole] } else { [hole, matrix] };
                (Level::Atom, format!("dot({})", notation::list(&arguments)))
            }
            Form::Reduce { relation, .. } => (Level::Atom, self.relation(relation)),
            Form::Unitary(unitary) => {
                let mark = if unitary.inverse { "ᵀ" } else { "" };
                (Level::Atom, format!("{}{mark}", unitary.operation.name()))
            }
            Form::Project(part) => (Level::Word, format!("project {}", self.part_text(part))),
            Form::Inject(part) => (Level::Word, format!("inject {}", self.part_text(part))),
            Form::Map(map) => (Level::Word, format!("map {}", self.flat(map, Level::Atom))),
            Form::Compose(_) | Form::Add(_) | Form::Fork(_) | Form::Join(_) | Form::Each(_) | Form::Family(..) => {
                unreachable!("families are written before")
            }
            Form::Extra(extra) => self.extra(extra),
        }
    }

    fn part_text(&self, part: &Part) -> String {
        match part {
            Part::Element(at) => self.argument(at),
            Part::Component(at, label) => component(*at, label),
        }
    }

    fn relation(&self, relation: &Relation) -> String {
        match relation {
            Relation::Sum(_) => "sum".into(),
            Relation::Replicate(count) => format!("replicate({}, _)", self.show_expr(count)),
            Relation::Function(operation, arguments) => self.function(operation.name(), arguments),
            Relation::Converse(relation) => format!("{}ᵀ", self.relation(relation)),
        }
    }

    /// A function with `_` for the arguments that are absent; one of tangents alone needs no holes.
    fn function(&self, name: &str, arguments: &[Option<Expr>]) -> String {
        if arguments.iter().all(Option::is_none) {
            return name.to_string();
        }
        let hole = || Written::atom("_");
        let written = |argument: &Option<Expr>| argument.as_ref().map_or_else(hole, |expr| self.expr_form(expr));
        format!("{name}({})", notation::list(&arguments.iter().map(written).collect::<Vec<_>>()))
    }

    fn extra(&self, extra: &Extra) -> (Level, String) {
        match (&extra.kind, &extra.children[..]) {
            (Kind::Derivative(var), _) => (Level::Word, self.derivative(*var)),
            (Kind::Function(operation, arguments), _) => (Level::Atom, self.function(operation.name(), arguments)),
            (Kind::If(condition), [yes, no]) => {
                let (yes, no) = (self.flat(yes, Level::Sum), self.flat(no, Level::Binder));
                (Level::Binder, format!("if {} then {yes} else {no}", self.show_expr(condition)))
            }
            (Kind::Call { called, mask, arguments }, _) => {
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
            (Kind::Adjoint, [map]) => (Level::Atom, format!("{}ᵀ", self.flat(map, Level::Atom))),
            _ => {
                let Some((items, result)) = extra.items() else {
                    unreachable!("forms that bind an index have a header")
                };
                let one = |item: &Item| match item {
                    Item::Map(var, map) => format!("{} = {}", self.derivative(*var), self.flat(map, Level::Binder)),
                    Item::Value(var, value) => format!("{} = {}", self.name(*var), self.show_expr(value)),
                };
                let items: Vec<String> = items.iter().map(one).collect();
                (Level::Atom, format!("{{{}; {}}}", items.join("; "), self.flat(result, Level::Binder)))
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

/// A map after a sign: a sum with the opposite of a map is a difference.
fn signed<'t>(sign: &'static str, at: usize, map: &'t Term) -> (&'static str, Cow<'t, Term>) {
    let is_minus = |map: &Term| matches!(map.form(), Form::Scale(Expr::Atom(Atom::Real(-1.0))));
    match map.factors() {
        [first, rest @ ..] if sign == "+" && at > 0 && is_minus(first) => {
            ("-", Cow::Owned(compose(rest.to_vec(), map.domain())))
        }
        [rest @ .., last] if sign == "+" && at > 0 && is_minus(last) => {
            ("-", Cow::Owned(compose(rest.to_vec(), map.codomain())))
        }
        _ => (sign, Cow::Borrowed(map)),
    }
}

fn component(at: usize, label: &Label) -> String {
    label.as_ref().map_or(at.to_string(), |label| label.to_string())
}

/// Whether a map binds derivatives, and so takes several lines.
fn binds(term: &Term) -> bool {
    is_let(term) || term.children().iter().any(binds)
}

fn is_let(term: &Term) -> bool {
    matches!(term.form(), Form::Extra(Extra { kind: Kind::Let(_), .. }))
}

/// Whether the first line of a map says what its other lines are for.
fn is_binder(term: &Term) -> bool {
    match term.form() {
        Form::Family(..) => true,
        Form::Extra(extra) => matches!(extra.kind, Kind::Builds(_) | Kind::Loop { .. } | Kind::If(_)),
        _ => false,
    }
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
