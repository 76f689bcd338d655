//! Reductions: `sum`, `prod`, `max`, `all` and their like, of an array or of the elements that generators give.

use super::arithmetic::{Typed, is_number};
use super::call::CallArgument;
use super::draft::Draft;
use crate::term::{Atom, Iteration, Op, Reduction};
use crate::types::Type;
use riesz_primitive::{Form, Kind, Primitive, scalar};
use riesz_syntax::tree::{ExprId, Generator};
use riesz_syntax::{Diagnostic, Span};

impl Draft<'_> {
    /// A reduction of an array, or of the elements that a generator gives.
    pub(super) fn reduce(
        &mut self,
        reduction: Reduction,
        primitive: &Primitive,
        given: &CallArgument,
        span: Span,
    ) -> Typed {
        let (iteration, element) = match given {
            CallArgument::Elements(body, generators, span) => {
                let (iteration, _, element) = self.iterate(&generators[0], *span, |draft| draft.expr(*body, None));
                (iteration, element)
            }
            _ => {
                let (array, ty) = self.array_given(given);
                let Type::Array(_, element) = &ty else { return (Atom::Int(0), Type::Error) };
                let count = self.length(array, &ty, span);
                self.open();
                let index = self.var(Type::Int, None);
                let value = self.bind(Op::Index(array, Atom::Var(index)), (**element).clone(), span);
                (Iteration { count, index, body: self.close(value) }, (**element).clone())
            }
        };
        let place = match given {
            CallArgument::Elements(body, ..) => self.tree().expr(*body).span,
            _ => self.given_span(given),
        };
        self.reduction(reduction, primitive, iteration, (element, place), span)
    }

    /// Reductions inside each other, one for each generator, without the arrays between them.
    pub fn reduce_nested(
        &mut self,
        reduction: Reduction,
        primitive: &'static Primitive,
        body: ExprId,
        generators: &[Generator],
        span: Span,
    ) -> Typed {
        let (iteration, _, element) = self.iterate(&generators[0], span, |draft| match &generators[1..] {
            [] => draft.expr(body, None),
            rest => draft.reduce_nested(reduction, primitive, body, rest, span),
        });
        if matches!(reduction, Reduction::ArgMax | Reduction::ArgMin) && self.unify(&element, &Type::Int, span).is_err()
        {
            return self.two_generators(span);
        }
        let place = self.tree().expr(body).span;
        self.reduction(reduction, primitive, iteration, (element, place), span)
    }

    fn reduction(
        &mut self,
        reduction: Reduction,
        primitive: &Primitive,
        iteration: Iteration,
        (element, place): (Type, Span),
        span: Span,
    ) -> Typed {
        if matches!(self.resolve(&element), Type::Unknown(_)) {
            let number = match reduction {
                Reduction::All | Reduction::Any => Type::Bool,
                _ => self.unknowns.number(),
            };
            let _ = self.unify(&element, &number, span);
        }
        let resolved = self.resolve_deep(&element);
        let fits = match reduction {
            Reduction::Sum => is_vector(&resolved, true),
            Reduction::Product => is_vector(&resolved, false),
            Reduction::All | Reduction::Any => matches!(resolved, Type::Bool | Type::Error),
            _ => is_number(&resolved) || matches!(resolved, Type::Error | Type::Variable(_)),
        };
        if !fits {
            let shown = self.show(&resolved);
            let needed = match reduction {
                Reduction::Sum => "numbers, linear maps, or arrays, tuples and records of them",
                Reduction::Product => "numbers, or arrays, tuples and records of them",
                Reduction::All | Reduction::Any => "conditions (`Bool`)",
                _ => "numbers",
            };
            let message = format!("`{}` takes an array of {needed}, found elements {shown}", primitive.name);
            let diagnostic = Diagnostic::error("type-mismatch", place, message);
            return self.fail(match (reduction, &resolved) {
                (Reduction::All | Reduction::Any, ty) if is_number(ty) => {
                    diagnostic.help(format!("compare the elements: `{}(x > 0 | x in v)`", primitive.name))
                }
                (Reduction::Product, Type::Linear(_)) => {
                    diagnostic.help("linear maps are composed by `compose(g, f)`, many by `fold`")
                }
                (Reduction::Sum, Type::Bool) => diagnostic.help("to count, write `sum(if c then 1 else 0 | c in v)`"),
                _ => diagnostic,
            });
        }
        let ty = match reduction {
            Reduction::ArgMax | Reduction::ArgMin => Type::Int,
            _ => element,
        };
        let value = self.bind(Op::Reduce(reduction, iteration), ty.clone(), span);
        self.read_sizes(value, ty, span)
    }
}

/// The reduction that a function of one array is.
pub(super) fn reduction(primitive: &Primitive) -> Option<Reduction> {
    match &primitive.kind {
        Kind::Form(Form::Sum) => Some(Reduction::Sum),
        Kind::Form(Form::Product) => Some(Reduction::Product),
        Kind::Form(Form::ArgMax) => Some(Reduction::ArgMax),
        Kind::Form(Form::ArgMin) => Some(Reduction::ArgMin),
        Kind::Form(Form::All) => Some(Reduction::All),
        Kind::Form(Form::Any) => Some(Reduction::Any),
        Kind::Scalar(_) if *primitive == scalar::MAX => Some(Reduction::Max),
        Kind::Scalar(_) if *primitive == scalar::MIN => Some(Reduction::Min),
        _ => None,
    }
}

/// Whether values of a resolved type are numbers all through, or linear maps where those count.
fn is_vector(ty: &Type, maps: bool) -> bool {
    match ty {
        Type::Array(_, element) => is_vector(element, maps),
        Type::Tuple(_) | Type::Record(_) => {
            ty.components().unwrap_or_default().iter().all(|part| is_vector(part, maps))
        }
        Type::Linear(_) => maps,
        Type::Error | Type::Variable(_) | Type::Unknown(_) => true,
        other => is_number(other),
    }
}
