//! Functions as values: closures, completed when the type of their argument is known.

use super::ItemId;
use super::arithmetic::Typed;
use super::draft::Draft;
use super::expr::value_span;
use crate::size::{self, Size};
use crate::term::Atom;
use crate::types::Type;
use riesz_primitive::Kind;
use riesz_syntax::Span;
use riesz_syntax::tree::{Argument, ExprKind};
use std::rc::Rc;

use super::call::{CallArgument, Callable, instantiate};

impl Draft<'_> {
    /// A function as a value, of the type that is expected, if any is.
    pub fn function_value(&mut self, callable: Rc<Callable>, hint: Option<&Type>, span: Span) -> Typed {
        let annotated = match &*callable {
            Callable::Lambda { ty, .. } => ty.clone(),
            _ => None,
        };
        if let Some(Type::Function(arrow) | Type::Linear(arrow)) =
            annotated.or(hint.cloned()).map(|hint| self.resolve(&hint))
            && self.is_told(&arrow.0)
        {
            return self.closure_at(&callable, arrow.0.clone(), Some(arrow.1.clone()), span);
        }
        match self.own_parameter(&callable) {
            Some(parameter) => self.closure_at(&callable, parameter, None, span),
            None => {
                let (parameter, result) = (self.unknowns.ty(), self.unknowns.ty());
                let ty = Type::function(parameter.clone(), result.clone());
                let lambda = self.lambda(parameter, result, span);
                let value = self.closure(lambda, ty.clone(), span);
                self.postpone(callable, lambda, ty.clone(), span);
                (value, ty)
            }
        }
    }

    /// A `fun` as a value.
    pub fn item_value(&mut self, item: ItemId, hint: Option<&Type>, span: Span) -> Typed {
        match self.checker.callable_item(item) {
            Some(callable) => self.function_value(callable, hint, span),
            None => (Atom::Int(0), Type::Error),
        }
    }

    /// The type of a function's parameter, where the function itself says it.
    pub(super) fn own_parameter(&mut self, callable: &Callable) -> Option<Type> {
        let signature = match callable {
            Callable::Item(item) => self.checker.signature(*item)?,
            Callable::Primitive(primitive) if matches!(primitive.kind, Kind::Scalar(_)) => {
                let arity = self.checker.primitive_signature(primitive, 0).parameters.len();
                return Some(Type::tuple(vec![Type::Real; arity]));
            }
            Callable::Primitive(primitive) if primitive.signatures.len() == 1 => {
                self.checker.primitive_signature(primitive, 0)
            }
            _ => return None,
        };
        let (types, sizes) = self.fresh(&signature);
        Some(Type::tuple(signature.parameters.iter().map(|ty| instantiate(ty, &types, &sizes)).collect()))
    }

    pub(super) fn closure_at(
        &mut self,
        callable: &Rc<Callable>,
        parameter: Type,
        result: Option<Type>,
        span: Span,
    ) -> Typed {
        let result = result.unwrap_or_else(|| self.unknowns.ty());
        let lambda = self.lambda(parameter.clone(), result.clone(), span);
        self.fill(callable, lambda, &parameter, &result, span);
        let ty = Type::function(parameter, self.lambdas[lambda].result.clone());
        (self.closure(lambda, ty.clone(), span), ty)
    }

    /// Writes the body of a closure.
    pub(super) fn fill(&mut self, callable: &Rc<Callable>, lambda: usize, parameter: &Type, result: &Type, span: Span) {
        self.open();
        let var = self.lambdas[lambda].parameter;
        self.adopt(var);
        let hint = Some(result.clone()).filter(|ty| !matches!(self.resolve(ty), Type::Unknown(_)));
        // A size that is bound after the function was written is read off its argument.
        let seen = self.leave(parameter);
        self.vars[var.0 as usize].ty = seen.clone();
        let (value, known) = self.read_sizes(Atom::Var(var), seen, span);
        let expected = hint.as_ref().map(|result| self.with_sizes_read(result, parameter, &known));
        let argument = CallArgument::Value(value, known, span);
        let (atom, ty) = self.invoke(callable, vec![argument], span, expected.as_ref());
        let place = self.body_span(callable).unwrap_or(span);
        let atom = match &expected {
            Some(expected) => self.flow(atom, &ty, expected, place),
            None => atom,
        };
        let body = self.close(atom);
        let outside = match hint {
            Some(expected) => expected,
            None => self.leave(&ty),
        };
        let _ = self.unify(result, &outside, span);
        self.lambdas[lambda].result = outside;
        self.lambdas[lambda].body = Some(body);
    }

    /// The type of a result inside of a function: with the sizes read off its argument in place of those that are bound
    /// after the function was written.
    fn with_sizes_read(&self, result: &Type, parameter: &Type, known: &Type) -> Type {
        let read: Vec<(Size, Size)> = self.resolve_deep(parameter).sizes().into_iter().zip(known.sizes()).collect();
        self.resolve_deep(result).map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(var) if !self.in_scope(var) => {
                    let told = read.iter().find(|(told, _)| *told == Size::Atom(atom));
                    told.map_or(Size::Atom(atom), |(_, read)| read.clone())
                }
                atom => Size::Atom(atom),
            })
        })
    }

    /// Writes the closures that were put off and whose argument's type has become known.
    pub fn force_postponed(&mut self) {
        loop {
            let (known, unknown): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.postponed).into_iter().partition(|postponed| match &postponed.ty {
                    Type::Function(arrow) => self.is_told(&arrow.0),
                    _ => false,
                });
            self.postponed = unknown;
            if known.is_empty() {
                return;
            }
            for postponed in known {
                let Type::Function(arrow) = &postponed.ty else { continue };
                self.at_postponed(&postponed, |draft| {
                    draft.fill(&postponed.callable, postponed.lambda, &arrow.0, &arrow.1, postponed.span);
                });
            }
        }
    }

    /// Writes all of them; an argument that nothing tells the type of is an `R`, and so is a part of one.
    pub fn finish_postponed(&mut self) {
        loop {
            self.force_postponed();
            let Some(postponed) = self.postponed.first() else { return };
            let (ty, span) = (postponed.ty.clone(), postponed.span);
            let arity = self.arity(&postponed.callable);
            let Type::Function(arrow) = &ty else { return };
            match self.resolve(&arrow.0) {
                unknown @ Type::Unknown(_) => {
                    let _ = self.unify(&unknown, &Type::tuple(vec![Type::Real; arity]), span);
                }
                partly => {
                    for unknown in untold(&self.resolve_deep(&partly)) {
                        let _ = self.unify(&unknown, &Type::Real, span);
                    }
                }
            }
        }
    }

    /// Whether a type is known as far as it is one of data: a function of such a value can be written out.
    pub(super) fn is_told(&self, ty: &Type) -> bool {
        untold(&self.resolve_deep(ty)).is_empty()
    }

    /// Where a function's value is computed, if the function is written out.
    pub(super) fn body_span(&self, callable: &Callable) -> Option<Span> {
        let Callable::Lambda { unit, lambda, .. } = callable else { return None };
        let tree = self.checker.tree(*unit);
        match &tree.expr(*lambda).kind {
            ExprKind::Lambda { body, .. } => Some(value_span(&tree, *body)),
            _ => None,
        }
    }

    /// How many parameters a function is written with.
    pub(super) fn arity(&self, callable: &Callable) -> usize {
        match callable {
            Callable::Lambda { unit, lambda, .. } => match &self.checker.tree(*unit).expr(*lambda).kind {
                ExprKind::Lambda { parameters, .. } => parameters.len(),
                _ => 1,
            },
            Callable::Holes { unit, call, .. } => match &self.checker.tree(*unit).expr(*call).kind {
                ExprKind::Call { arguments, .. } => {
                    arguments.iter().filter(|argument| matches!(argument, Argument::Hole(_))).count()
                }
                _ => 1,
            },
            Callable::Item(_) | Callable::Primitive(_) => 1,
        }
    }
}

/// The unknown parts of a type of data. What functions in it take and give may be told by how they are used.
fn untold(ty: &Type) -> Vec<Type> {
    match ty {
        Type::Unknown(_) => vec![ty.clone()],
        Type::Array(_, element) => untold(element),
        Type::Tuple(_) | Type::Record(_) => ty.components().unwrap_or_default().iter().flat_map(untold).collect(),
        _ => Vec::new(),
    }
}
