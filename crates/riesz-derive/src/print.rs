//! Symbolic linear maps as text, in the [notation](riesz_linear::print) of all linear maps, with expressions in that of the
//! language, without spaces, and with forms of their own:
//!
//! | text | map |
//! |---|---|
//! | `dot(a, _)`, `gather(_, i)` | a function that is linear in the argument `_` |
//! | `loop D s = f for i < n. g` | a linear recurrence |
//! | `builds i < n. f` | arrays that are built together, one for each component of what `f` gives |
//! | `if c then f else g` | one of two maps |
//! | `D f(a, b)` | the derivative of another function at a point; `D[x] f(a, b)` in the parameter `x` alone |
//! | `fᵀ` | the adjoint of a map that has no shorter notation |

use super::code::is_size;
use super::notation::{self, Written};
use super::scope::Scope;
use super::symbolic::Symbolic;
use super::term::{Binder, Expr, Extra, Form, Head, Item, Kind, Label, Loop, Part, Relation, Term, Unitary, size_of};
use riesz_core::Type;
use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, FunctionId, Var};
use riesz_linear::Family;
use riesz_linear::print::{Level, Meaning, Notation, Phrase, Piece, Writer};

/// How long a line may be.
const WIDTH: usize = 100;

impl<'p> Scope<'p> {
    fn writer(&self) -> Writer<'_, 'p, Symbolic> {
        Writer { context: self, full: true }
    }

    /// A map on one line, however long; the names that it binds stand between braces.
    pub(crate) fn show(&self, term: &Term) -> String {
        self.writer().line(term, Level::Binder)
    }

    /// A map on as many lines as it takes.
    pub(crate) fn show_lines(&self, term: &Term) -> String {
        self.writer().lines(term, Level::Binder, WIDTH - 8).join("\n")
    }

    /// `name = m`, on as many lines as it takes.
    pub(crate) fn show_equation(&self, name: &str, map: &Term) -> Vec<String> {
        self.writer().equation(name, map, WIDTH)
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

    /// A space, as a type is written.
    pub(crate) fn space(&self, space: &Type) -> String {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match space {
            Type::Real => "R".to_string(),
            Type::Array(size, element) => {
                let name = |atom: size::Atom| match atom {
                    size::Atom::Var(var) => self.name(var).to_string(),
                    size::Atom::Global(global) => self.program.global(global).name.to_string(),
                    _ => "_".to_string(),
                };
                format!("[{}]{}", size.show(&name), self.space(element))
            }
            space => match space.components() {
                Some(parts) => {
                    let part = |(at, part): (usize, &Type)| match self.part(space, at) {
                        Some(label) => format!("{label}: {}", self.space(part)),
                        None => self.space(part),
                    };
                    let parts: Vec<String> = parts.iter().enumerate().map(part).collect();
                    format!("({})", parts.join(", "))
                }
                None => "other".to_string(),
            },
        })
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

    fn relation(&self, relation: &Relation) -> String {
        match relation {
            Relation::Sum(_) => "sum".into(),
            Relation::Replicate(count) => format!("replicate({}, _)", self.show_expr(count)),
            Relation::Function(operation, arguments) => self.function(operation.name(), arguments),
            Relation::Converse(relation) => format!("{}ᵀ", self.relation(relation)),
        }
    }

    /// `D f(a, b)`
    fn call(&self, called: FunctionId, mask: &[bool], arguments: &[Expr]) -> String {
        let called = self.program.function(called);
        let written = arguments.iter().enumerate().filter(|(at, _)| !is_size(called, Var(*at as u32)));
        let written: Vec<Written> = written.map(|(_, argument)| self.expr_form(argument)).collect();
        let parameters = || called.vars.iter().zip(mask);
        let varying: Vec<&str> =
            parameters().filter(|(_, active)| **active).map(|(info, _)| info.name.as_deref().unwrap_or("_")).collect();
        let all = parameters().all(|(info, active)| *active || !info.ty.varies());
        let which = if all { String::new() } else { format!("[{}]", varying.join(", ")) };
        format!("D{which} {}({})", called.name, notation::list(&written))
    }

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
                    (Head::Function(operation), arguments) => notation::operation(*operation, &all(arguments)),
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

/// Writes symbolic maps.
type Symbols<'w, 'c> = Writer<'w, 'c, Symbolic>;

impl Notation for Symbolic {
    fn differences(writer: &Symbols) -> bool {
        !writer.context.complete.get()
    }

    fn ascription(writer: &Symbols, map: &Term) -> Option<String> {
        (writer.context.complete.get() && !is_evident(map)).then(|| writer.context.space(map.codomain()))
    }

    fn show_number(writer: &Symbols, number: &Expr) -> String {
        writer.context.argument(number)
    }

    fn show_vector(writer: &Symbols, vector: &Expr) -> String {
        writer.context.argument(vector)
    }

    fn show_row(writer: &Symbols, vector: &Expr) -> String {
        format!("dot({}, _)", writer.context.show_expr(vector))
    }

    fn show_matrix(writer: &Symbols, matrix: &Expr) -> String {
        writer.context.show_expr(matrix)
    }

    fn show_relation(writer: &Symbols, _: &Term, relation: &Relation) -> (Level, String) {
        (Level::Atom, writer.context.relation(relation))
    }

    fn show_unitary(_: &Symbols, _: &Term, unitary: &Unitary) -> (Level, String) {
        (Level::Atom, format!("{}{}", unitary.operation.name(), if unitary.inverse { "ᵀ" } else { "" }))
    }

    fn show_part(writer: &Symbols, part: &Part) -> String {
        match part {
            Part::Element(at) => writer.context.argument(at),
            Part::Component(at, label) => component(*at, label),
        }
    }

    fn show_binder(writer: &Symbols, Binder { index, count }: &Binder) -> String {
        format!("{} < {}", writer.context.name(*index), writer.context.show_expr(count))
    }

    fn show_space(_: &Symbols, _: &Type) -> Option<String> {
        None
    }

    fn binds_names(extra: &Extra) -> bool {
        matches!(extra.kind, Kind::Let(_))
    }

    fn show_extra(writer: &Symbols, _: &Term, extra: &Extra) -> Phrase<Symbolic> {
        let scope = writer.context;
        match (&extra.kind, &extra.children[..]) {
            (Kind::Derivative(var), _) => Phrase::text(Level::Word, scope.derivative(*var)),
            (Kind::Function(operation, arguments), _) => {
                Phrase::text(Level::Atom, scope.function(operation.name(), arguments))
            }
            (Kind::If(condition), [yes, no]) => Phrase::Sections(vec![
                (format!("if {} then", scope.show_expr(condition)), yes.clone(), Level::Sum),
                ("else".to_string(), no.clone(), Level::Binder),
            ]),
            (Kind::Builds(binder), [body]) => {
                let header = format!("builds {}.", Symbolic::show_binder(writer, binder));
                Phrase::Sections(vec![(header, body.clone(), Level::Binder)])
            }
            (Kind::Loop { kind, state, binder }, [start, body]) => {
                let word = match kind {
                    Loop::Last => "loop",
                    Loop::Scan => "scan",
                    Loop::Trace => "trace",
                };
                let start = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || writer.line(start, Level::Sum));
                let (state, binder) = (scope.derivative(*state), Symbolic::show_binder(writer, binder));
                let header = format!("{word} {state} = {start} for {binder}.");
                Phrase::Sections(vec![(header, body.clone(), Level::Binder)])
            }
            (Kind::Call { called, mask, arguments }, _) => {
                Phrase::text(Level::Word, scope.call(*called, mask, arguments))
            }
            (Kind::Adjoint, [map]) => {
                Phrase::Line(Level::Atom, vec![Piece::Map(map.clone(), Level::Atom), Piece::Text("ᵀ".into())])
            }
            _ => {
                let Some((items, result)) = extra.items() else { unreachable!("each form has its children") };
                let name = |item| match item {
                    Item::Map(var, map) => (scope.derivative(var), Meaning::Map(map)),
                    Item::Value(var, value) => (scope.name(var).to_string(), Meaning::Text(scope.show_expr(&value))),
                };
                Phrase::Names(items.into_iter().map(name).collect(), result.clone())
            }
        }
    }
}

/// Whether the space that a map leads to follows from its text and from the space that it leads from.
fn is_evident(map: &Term) -> bool {
    let (from, to) = (map.domain(), map.codomain());
    let counted =
        |count: usize| matches!(to, Type::Array(Size::Constant(size), _) if usize::try_from(*size) == Ok(count));
    let as_domain = || match (from, to) {
        (Type::Array(m, _), Type::Array(n, _)) => m == n,
        (from, to) => !matches!(from, Type::Array(..)) && matches!(to, Type::Tuple(_)),
    };
    match map.form() {
        Form::RankOne(_) => *to == Type::Real,
        Form::Reduce { relation, .. } => matches!(relation, Relation::Sum(_)),
        Form::Fork(maps) => matches!(to, Type::Tuple(_)) || counted(maps.len()),
        Form::Each(_) | Form::Map(_) | Form::Family(Family::Each, ..) => as_domain(),
        Form::Family(Family::Fork, binder, _) => {
            let size = size_of(&binder.count);
            matches!(to, Type::Array(known, _) if *known == size && size != Size::Hole)
        }
        Form::Extra(extra) => matches!(extra.kind, Kind::Derivative(_) | Kind::If(_) | Kind::Let(_)),
        Form::Zero | Form::Inject(_) | Form::Contract(_) | Form::Unitary(_) => false,
        Form::Identity
        | Form::Scale(_)
        | Form::Diagonal(_)
        | Form::Project(_)
        | Form::Add(_)
        | Form::Compose(_)
        | Form::Join(_)
        | Form::Family(Family::Join | Family::Add, ..) => true,
    }
}

fn component(at: usize, label: &Label) -> String {
    label.as_ref().map_or(at.to_string(), |label| label.to_string())
}
