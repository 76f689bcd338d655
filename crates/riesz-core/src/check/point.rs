//! The point of a derivative: numbers in it are real, but where the function takes an `Int`.

use super::Resolved;
use super::arithmetic::Typed;
use super::call::{CallArgument, Callable, instantiate};
use super::draft::Draft;
use super::scope::Entry;
use crate::types::Type;
use riesz_primitive::Primitive;
use riesz_syntax::Diagnostic;
use riesz_syntax::tree::{ExprId, ExprKind};

impl Draft<'_> {
    /// The point of a derivative, at the type that a `fun` says it takes.
    pub(super) fn point(&mut self, function: &CallArgument, given: &CallArgument) -> Typed {
        let item = match function {
            CallArgument::Expr(expr) => self.callable(*expr),
            _ => None,
        };
        let item = match item.as_deref() {
            Some(Callable::Item(item)) => item,
            Some(Callable::Primitive(primitive)) if self.takes_reals(primitive) => {
                let point = self.real_point(given, None);
                return self.made_real(point, given);
            }
            _ => return self.real_point(given, None),
        };
        let Some(signature) = self.checker.signature(*item) else { return self.real_point(given, None) };
        let taken = Type::tuple(signature.parameters.clone());
        let (atom, point) = self.real_point(given, Some(&taken));
        if point == Type::Error {
            return (atom, point);
        }
        let by_element = signature.parameters[..] == [Type::Real] && matches!(point, Type::Array(..));
        if by_element {
            return self.made_real((atom, point), given);
        }
        let (types, sizes) = self.fresh(&signature);
        let expected = instantiate(&taken, &types, &sizes);
        let place = self.given_span(given);
        let name = self.checker.item_name(*item);
        let mut fits = true;
        let before = atom;
        let atom = self.flow_or(atom, &point, &expected, place, |draft, mismatch| {
            fits = false;
            let diagnostic = if expected.varies() {
                draft.mismatch(mismatch, &point, &expected, place)
            } else {
                let message = format!("there is no derivative of `{name}`: it takes {}", draft.show(&expected));
                Diagnostic::error("not-differentiable", place, message)
                    .help("only an `R` varies, not an `Int` or a `Bool`")
            };
            match &signature.spans[..] {
                [first, .., last] | [first @ last] if first.file != super::PRELUDE_FILE => {
                    diagnostic.label(first.to(*last), format!("`{name}` takes this"))
                }
                _ => diagnostic,
            }
        });
        if !fits {
            return (atom, Type::Error);
        }
        let found = self.resolve_deep(&expected);
        // A type variable that has met an `Int` takes an `R` as well.
        let real = real_where_taken(&found, Some(&taken));
        if real == found {
            return (atom, found);
        }
        let _ = self.unify(&found, &real, place);
        (self.flow(before, &point, &real, place), real)
    }

    /// Whether a built-in function takes real numbers alone.
    fn takes_reals(&mut self, primitive: &'static Primitive) -> bool {
        (0..primitive.signatures.len()).all(|at| {
            let signature = self.checker.primitive_signature(primitive, at);
            !signature.parameters.is_empty()
                && (signature.parameters.iter())
                    .all(|taken| !taken.any(&mut |part| matches!(part, Type::Int | Type::Bool | Type::Variable(_))))
        })
    }

    /// A point with every `Int` in it an `R`, for a function that takes real numbers.
    fn made_real(&mut self, (atom, ty): Typed, given: &CallArgument) -> Typed {
        let real = ty.rebuild(&mut Clone::clone, &mut |part| (*part == Type::Int).then_some(Type::Real));
        let place = self.given_span(given);
        (self.flow(atom, &ty, &real, place), real)
    }

    /// The type at which data in a point are read: their numbers are real where those of literals are.
    fn data_in_point(&mut self, id: ExprId, taken: Option<&Type>) -> Option<Type> {
        let tree = self.tree();
        match &tree.expr(id).kind {
            ExprKind::Paren(inner) => self.data_in_point(*inner, taken),
            ExprKind::Name(name) => {
                let Some(Resolved::Local(Entry::Data(at))) = self.lookup(name) else { return None };
                let read = self.checker.data[at].1.type_at(None).ok()?;
                let undecided =
                    read.rebuild(&mut Clone::clone, &mut |part| (*part == Type::Int).then_some(Type::Number(0)));
                Some(real_where_taken(&undecided, taken))
            }
            ExprKind::Tuple(parts) => {
                let at = |at: usize| match taken {
                    Some(Type::Tuple(taken)) => taken.get(at),
                    _ => None,
                };
                let read: Vec<Option<Type>> =
                    parts.iter().enumerate().map(|(k, part)| self.data_in_point(*part, at(k))).collect();
                read.iter()
                    .any(Option::is_some)
                    .then(|| Type::Tuple(read.into_iter().map(|ty| ty.unwrap_or_else(|| self.unknowns.ty())).collect()))
            }
            _ => None,
        }
    }

    /// The point of a derivative: literals in it are real, but for those that stand beside something that varies where the
    /// function takes an `Int`.
    fn real_point(&mut self, given: &CallArgument, taken: Option<&Type>) -> Typed {
        let taken = taken.filter(|taken| taken.varies());
        let read = match given {
            CallArgument::Expr(expr) => self.data_in_point(*expr, taken),
            _ => None,
        };
        let (atom, ty) = self.value(given, read.as_ref());
        let place = self.given_span(given);
        let resolved = self.resolve_deep(&ty);
        let unknowns = resolved.any(&mut |part| matches!(part, Type::Unknown(_)));
        let real = real_where_taken(&resolved, taken);
        if unknowns {
            self.report(
                Diagnostic::error("unknown-type", place, "the type of the point is not known here")
                    .help("write it, as in `let x: [3]R = ...`"),
            );
            return (atom, Type::Error);
        }
        (self.flow(atom, &ty, &real, place), real)
    }
}

/// A type with its undecided numbers decided: `Int` where that is what is taken, else `R`.
fn real_where_taken(ty: &Type, taken: Option<&Type>) -> Type {
    match (ty, taken) {
        (Type::Number(_), Some(Type::Int)) => Type::Int,
        (Type::Number(_), _) => Type::Real,
        (Type::Array(size, element), Some(Type::Array(_, taken))) => {
            Type::array(size.clone(), real_where_taken(element, Some(taken)))
        }
        (Type::Array(size, element), _) => Type::array(size.clone(), real_where_taken(element, None)),
        (Type::Tuple(_) | Type::Record(_), _) => {
            let field = |at: usize| match (ty, taken) {
                (Type::Record(of), Some(Type::Record(taken))) => {
                    taken.position(&of.fields[at].0).map(|at| &taken.fields[at].1)
                }
                (Type::Tuple(_), Some(Type::Tuple(taken))) => taken.get(at),
                _ => None,
            };
            let parts = ty.components().unwrap_or_default();
            let parts = parts.iter().enumerate().map(|(at, part)| real_where_taken(part, field(at))).collect();
            ty.with_components(parts)
        }
        _ => ty.clone(),
    }
}
