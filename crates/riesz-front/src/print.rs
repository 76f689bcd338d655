//! Terms as Riesz text, with the places in the Rust source that parts of the text come from.

use crate::term::{Block, Iteration, Name, PlaceId, Term};
use std::collections::HashMap;
use std::fmt::Write;

/// A text, and which parts of it come from which places.
#[derive(Default)]
pub(crate) struct Text {
    pub text: String,
    /// Start, end and place of parts; the parts nest.
    parts: Vec<(usize, usize, PlaceId)>,
    /// The functions that have other names in this text.
    pub renamed: HashMap<Name, Name>,
}

impl Text {
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The place of the smallest part around some bytes of the text.
    pub fn place(&self, start: usize, end: usize) -> Option<PlaceId> {
        let around = self.parts.iter().filter(|(from, to, _)| *from <= start && end <= *to);
        around.min_by_key(|(from, to, _)| to - from).map(|(_, _, place)| *place)
    }

    /// Writes something that comes from a place.
    pub fn at(&mut self, place: PlaceId, write: impl FnOnce(&mut Text)) {
        let start = self.text.len();
        write(self);
        self.parts.push((start, self.text.len(), place));
    }

    pub fn term(&mut self, term: &Term) {
        match term {
            Term::Name(name) => self.raw(name),
            Term::Real(value) => self.real(*value),
            Term::Int(value) if *value < 0 => {
                let _ = write!(self.text, "({value})");
            }
            Term::Int(value) => {
                let _ = write!(self.text, "{value}");
            }
            Term::Bool(value) => {
                let _ = write!(self.text, "{value}");
            }
            Term::Unset => self.raw("nan"),
            Term::Unary(operator, inner) => {
                let _ = write!(self.text, "({operator} ");
                self.term(inner);
                self.raw(")");
            }
            Term::Binary(operator, left, right) => {
                self.raw("(");
                self.term(left);
                let _ = write!(self.text, " {operator} ");
                self.term(right);
                self.raw(")");
            }
            Term::Call(function, arguments) => {
                let function = self.renamed.get(function).unwrap_or(function).clone();
                self.raw(&function);
                self.list("(", arguments, ")");
            }
            Term::Derive { operator, function, by, arguments } => self.derive(operator, function, by, arguments),
            Term::Index(array, path) => {
                self.term(array);
                self.list("[", path, "]");
            }
            Term::Update(array, path, value) => self.update(array, &[], path, value),
            Term::Push(array, value) => {
                self.raw("concat(");
                self.term(array);
                self.raw(", [");
                self.term(value);
                self.raw("])");
            }
            Term::Tuple(parts) => self.list("(", parts, ")"),
            Term::Field(tuple, at) => {
                self.term(tuple);
                let _ = write!(self.text, ".{at}");
            }
            Term::Array(parts) => self.list("[", parts, "]"),
            Term::If(condition, yes, no) => {
                self.raw("(if ");
                self.term(condition);
                self.raw(" then ");
                self.block(yes);
                self.raw(" else ");
                self.block(no);
                self.raw(")");
            }
            Term::Build(iteration) => {
                self.raw("[");
                self.block(&iteration.body);
                self.generator(iteration);
                self.raw("]");
            }
            Term::Reduce(reduction, iteration) => {
                self.raw(reduction);
                self.raw("(");
                self.block(&iteration.body);
                self.generator(iteration);
                self.raw(")");
            }
            Term::Loop { state, start, iteration } => {
                self.state(state, start);
                let _ = write!(self.text, " for {} < ", iteration.index);
                self.term(&iteration.count);
                self.raw(" do ");
                self.block(&iteration.body);
                self.raw(")");
            }
            Term::While { state, start, condition, body } => {
                self.state(state, start);
                self.raw(" while ");
                self.block(condition);
                self.raw(" do ");
                self.block(body);
                self.raw(")");
            }
            Term::Scope(block) => self.block(block),
            Term::At(place, inner) => self.at(*place, |text| text.term(inner)),
        }
    }

    /// `grad(\(by0, by2) -> f(by0, b, by2), (a, c))`, and the tangents behind the point.
    fn derive(&mut self, operator: &str, function: &Name, by: &[usize], arguments: &[Term]) {
        let tangents = if matches!(operator, "jvp" | "hvp") { by.len() } else { 0 };
        let (points, tangents) = arguments.split_at(arguments.len() - tangents);
        let variable = |at: usize| Name::from(format!("by{at}"));
        let _ = write!(self.text, "{operator}(\\");
        self.pattern(&by.iter().map(|at| variable(*at)).collect::<Vec<_>>());
        self.raw(" -> ");
        let inner = points.iter().enumerate().map(|(at, point)| match by.contains(&at) {
            true => Term::Name(variable(at)),
            false => point.clone(),
        });
        self.term(&Term::Call(function.clone(), inner.collect()));
        self.raw(", ");
        self.term(&Term::tuple(by.iter().map(|at| points[*at].clone()).collect()));
        if !tangents.is_empty() {
            self.raw(", ");
            self.term(&Term::tuple(tangents.to_vec()));
        }
        self.raw(")");
    }

    fn real(&mut self, value: f64) {
        let _ = match value {
            _ if value.is_nan() => write!(self.text, "nan"),
            _ if value.is_infinite() && value > 0.0 => write!(self.text, "inf"),
            _ if value.is_infinite() => write!(self.text, "(-inf)"),
            _ if value.is_sign_negative() => write!(self.text, "({value:?})"),
            _ => write!(self.text, "{value:?}"),
        };
    }

    /// `update(a, i, update(a[i], j, x))`
    fn update(&mut self, array: &Term, before: &[Term], path: &[Term], value: &Term) {
        let Some((index, rest)) = path.split_first() else { return self.term(value) };
        self.raw("update(");
        self.term(array);
        if !before.is_empty() {
            self.list("[", before, "]");
        }
        self.raw(", ");
        self.term(index);
        self.raw(", ");
        let mut inner = before.to_vec();
        inner.push(index.clone());
        self.update(array, &inner, rest, value);
        self.raw(")");
    }

    /// A block in parentheses, unless it has no bindings.
    pub fn block(&mut self, block: &Block) {
        if block.lets.is_empty() {
            return self.term(&block.result);
        }
        self.raw("(");
        for binding in &block.lets {
            self.at(binding.place, |text| {
                text.raw("let ");
                text.pattern(&binding.names);
                text.raw(" = ");
                text.term(&binding.value);
            });
            self.raw("\n  in ");
        }
        self.term(&block.result);
        self.raw(")");
    }

    fn generator(&mut self, iteration: &Iteration) {
        let _ = write!(self.text, " | {} < ", iteration.index);
        self.term(&iteration.count);
    }

    fn state(&mut self, state: &[Name], start: &[Term]) {
        self.raw("(loop ");
        self.pattern(state);
        self.raw(" = ");
        self.term(&Term::tuple(start.to_vec()));
    }

    fn pattern(&mut self, names: &[Name]) {
        match names {
            [] => self.raw("_"),
            [one] => self.raw(one),
            names => {
                let _ = write!(self.text, "({})", names.join(", "));
            }
        }
    }

    fn list(&mut self, open: &str, terms: &[Term], close: &str) {
        self.raw(open);
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                self.raw(", ");
            }
            self.term(term);
        }
        self.raw(close);
    }
}
