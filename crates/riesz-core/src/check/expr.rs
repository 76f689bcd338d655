//! Expressions: from tree to draft.

use super::arithmetic::Typed;
use super::call::Callable;
use super::draft::Draft;
use super::foreign;
use super::operator::TOLERANCE;
use super::scope::Entry;
use super::suggest::nearest;
use super::{Resolved, UnitId};
use crate::term::{Atom, Op};
use crate::types::Type;
use riesz_primitive::Kind;
use riesz_syntax::tree::{ExprId, ExprKind, Integer, Name, UnaryOperator};
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

impl Draft<'_> {
    /// An expression, used where the type `hint` is expected, if anything is.
    pub fn expr(&mut self, id: ExprId, hint: Option<&Type>) -> Typed {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.expr_here(id, hint))
    }

    /// An expression that must be of a type.
    pub fn expr_of(&mut self, id: ExprId, expected: &Type) -> Atom {
        let (atom, ty) = self.expr(id, Some(expected));
        let span = value_span(&self.tree(), id);
        self.flow(atom, &ty, expected, span)
    }

    pub(super) fn expr_here(&mut self, id: ExprId, hint: Option<&Type>) -> Typed {
        let tree = self.tree();
        let expr = tree.expr(id);
        let span = expr.span;
        if self.gives_up() {
            return (Atom::Int(0), Type::Error);
        }
        match &expr.kind {
            ExprKind::Integer(integer) => self.integer(*integer, hint, span),
            ExprKind::Real(value) => (Atom::Real(*value), Type::Real),
            ExprKind::Bool(value) => (Atom::Bool(*value), Type::Bool),
            ExprKind::Name(name) => self.name(name, hint, span),
            ExprKind::Paren(inner) | ExprKind::Block(inner) => {
                let outside = self.scope.clone();
                self.scope = outside.inner();
                let value = self.expr(*inner, hint);
                self.scope = outside;
                value
            }
            ExprKind::Tuple(parts) => self.tuple(parts, hint, span),
            ExprKind::Array(elements) => self.array(elements, hint, span),
            ExprKind::Comprehension { body, generators } => self.comprehension(*body, generators, hint, span),
            ExprKind::Record(fields) => self.record(fields, hint, span),
            ExprKind::Let { bindings, body } => {
                let outside = self.scope.clone();
                self.scope = outside.inner();
                for binding in bindings {
                    self.let_binding(binding);
                }
                let value = self.expr(*body, hint);
                self.scope = outside;
                value
            }
            ExprKind::Lambda { .. } => {
                let callable =
                    Rc::new(Callable::Lambda { unit: self.unit, lambda: id, scope: self.scope.clone(), ty: None });
                self.function_value(callable, hint, span)
            }
            ExprKind::If { condition, yes, no } => {
                let condition = self.expr_of(*condition, &Type::Bool);
                let branch = |id: ExprId| move |draft: &mut Self| draft.expr(id, hint);
                let places = (value_span(&tree, *yes), value_span(&tree, *no));
                self.conditional(condition, branch(*yes), branch(*no), places, span)
            }
            ExprKind::Loop { pattern, start, head, body } => self.a_loop(pattern, *start, head, *body, hint, span),
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                let operand = self.expr_of(*operand, &Type::Bool);
                (self.bind(Op::Not(operand), Type::Bool, span), Type::Bool)
            }
            ExprKind::Unary { operator: UnaryOperator::Negate, operand } => match &tree.expr(*operand).kind {
                ExprKind::Integer(Integer { value: Some(value), .. }) if *value == 1 << 63 => {
                    let ty = self.unknowns.number();
                    (self.bind(Op::Copy(Atom::Int(i64::MIN)), ty.clone(), span), ty)
                }
                _ => {
                    let value = self.expr(*operand, hint);
                    self.negate(value, span)
                }
            },
            ExprKind::Binary { .. } => self.binary(id, hint),
            ExprKind::Approximately { left, right, tolerance } => {
                let compared = self.compared(*left, *right, "~=", span);
                let tolerance = match tolerance {
                    Some(tolerance) => self.expr_of(*tolerance, &Type::Real),
                    None => Atom::Real(TOLERANCE),
                };
                match compared {
                    Some((left, right, _)) => {
                        (self.bind(Op::Near(left, right, tolerance), Type::Bool, span), Type::Bool)
                    }
                    None => (Atom::Int(0), Type::Bool),
                }
            }
            ExprKind::Call { .. } => {
                if let Some(callable) = self.callable(id) {
                    return self.function_value(callable, hint, span);
                }
                self.call_expr(id, &mut std::iter::empty(), hint)
            }
            ExprKind::Index { array, indices } => {
                let mut value = self.expr(*array, None);
                for &index in indices {
                    value = self.index(value, index, tree.expr(*array).span, span);
                }
                value
            }
            ExprKind::Field { of, field, field_span } => {
                let value = self.expr(*of, None);
                self.field(value, field, *field_span)
            }
            ExprKind::Error => (Atom::Int(0), Type::Error),
        }
    }

    pub(super) fn integer(&mut self, integer: Integer, hint: Option<&Type>, span: Span) -> Typed {
        if integer.real.is_infinite() {
            let diagnostic = Diagnostic::error("number-too-large", span, "this number is too large for an `R`");
            return self.fail(diagnostic.suggest(span, "infinity is written `inf`", "inf"));
        }
        if let Some(Type::Real) = hint.map(|hint| self.resolve(hint)) {
            return (Atom::Real(integer.real), Type::Real);
        }
        match integer.value.and_then(|value| i64::try_from(value).ok()) {
            Some(value) => {
                let ty = self.unknowns.number();
                (self.bind(Op::Copy(Atom::Int(value)), ty.clone(), span), ty)
            }
            None if matches!(hint.map(|hint| self.resolve(hint)), Some(Type::Int)) => self.fail(
                Diagnostic::error("integer-too-large", span, "this integer does not fit into 64 bits")
                    .help("an `Int` is needed here, and the largest is 9223372036854775807"),
            ),
            None => (Atom::Real(integer.real), Type::Real),
        }
    }

    pub(super) fn name(&mut self, name: &Name, hint: Option<&Type>, span: Span) -> Typed {
        match self.lookup(name) {
            Some(Resolved::Local(Entry::Value(atom, ty))) => (atom, ty),
            Some(Resolved::Local(Entry::Callable(callable))) => self.function_value(callable, hint, span),
            Some(Resolved::Local(Entry::Data(data))) => self.data(data, hint, span),
            Some(Resolved::Item(item)) => match self.checker.global_of(item) {
                Some((global, ty)) => {
                    let ty = ty.clone();
                    let value = self.bind(Op::Global(global), ty.clone(), span);
                    self.read_sizes(value, ty, span)
                }
                None => self.item_value(item, hint, span),
            },
            Some(Resolved::Primitive(primitive)) => match primitive.kind {
                Kind::Constant(value) => (Atom::Real(value), Type::Real),
                _ => self.function_value(Rc::new(Callable::Primitive(primitive)), hint, span),
            },
            None => self.unknown_name(name, span),
        }
    }

    /// The meaning of a name here.
    pub fn lookup(&self, name: &str) -> Option<Resolved> {
        match self.scope.find(name) {
            Some(entry) => Some(Resolved::Local(entry)),
            None => self.checker.find(self.unit, name),
        }
    }

    pub fn unknown_name(&mut self, name: &Name, span: Span) -> Typed {
        let is_here = |told: &Diagnostic| told.code == "unknown-name" && told.labels.iter().any(|l| l.span == span);
        if self.diagnostics.iter().any(is_here) {
            return (Atom::Int(0), Type::Error);
        }
        let local = self.scope.names();
        let known: Vec<Name> = local.into_iter().chain(self.checker.names(self.unit)).collect();
        let diagnostic = Diagnostic::error("unknown-name", span, format!("`{name}` is not defined"));
        let diagnostic = match (foreign::cures(name), nearest(name, known.iter().map(|name| &**name))) {
            (Some(cures), _) => cures.into_iter().fold(diagnostic.here("not found"), Diagnostic::help),
            (None, Some(meant)) => diagnostic.here("not found").did_you_mean(span, meant),
            (None, None) => diagnostic.here("not found in this scope"),
        };
        self.fail(diagnostic)
    }

    /// The function that an expression is by its form, if it is one: these are expanded where they are used.
    pub fn callable(&self, id: ExprId) -> Option<Rc<Callable>> {
        self.callable_of(id, None)
    }

    pub fn callable_of(&self, id: ExprId, ty: Option<Type>) -> Option<Rc<Callable>> {
        let tree = self.tree();
        match &tree.expr(id).kind {
            ExprKind::Paren(inner) => self.callable_of(*inner, ty),
            ExprKind::Lambda { .. } => {
                Some(Rc::new(Callable::Lambda { unit: self.unit, lambda: id, scope: self.scope.clone(), ty }))
            }
            ExprKind::Call { arguments, .. }
                if arguments.iter().any(|argument| matches!(argument, riesz_syntax::tree::Argument::Hole(_))) =>
            {
                Some(Rc::new(Callable::Holes { unit: self.unit, call: id, scope: self.scope.clone() }))
            }
            ExprKind::Name(name) => match self.lookup(name)? {
                Resolved::Local(Entry::Callable(callable)) => Some(callable),
                Resolved::Item(item) => self.checker.callable_item(item),
                Resolved::Primitive(primitive) if !matches!(primitive.kind, Kind::Constant(_)) => {
                    Some(Rc::new(Callable::Primitive(primitive)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Works in the scope of another place.
    pub fn within<T>(&mut self, unit: UnitId, scope: super::scope::Scope, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved_unit = std::mem::replace(&mut self.unit, unit);
        let saved_scope = std::mem::replace(&mut self.scope, scope);
        let done = work(self);
        self.unit = saved_unit;
        self.scope = saved_scope;
        done
    }
}

/// Where the value of an expression is computed: behind its `let`s.
pub(super) fn value_span(tree: &riesz_syntax::Tree, id: ExprId) -> Span {
    let mut expr = tree.expr(id);
    while let ExprKind::Let { body, .. } | ExprKind::Block(body) = &expr.kind {
        expr = tree.expr(*body);
    }
    expr.span
}
