//! Derivatives: `D`, `grad` and the like, and operations on linear maps.

use super::arithmetic::{Typed, is_number, signatures};
use super::call::CallArgument;
use super::draft::Draft;
use super::linear::Degree;
use crate::term::{Atom, Derive, OnMaps, Op};
use crate::types::Type;
use riesz_primitive::{Differentiation, Operator, Primitive};
use riesz_syntax::tree::BinaryOperator;
use riesz_syntax::{Diagnostic, Span};
use std::sync::Arc;

impl Draft<'_> {
    pub fn operator(
        &mut self,
        operator: Operator,
        primitive: &'static Primitive,
        given: Vec<CallArgument>,
        span: Span,
    ) -> Typed {
        let arity = self.checker.primitive_signature(primitive, 0).parameters.len();
        let (count, what) = (given.len(), format!("`{}`", primitive.name));
        let given = if arity == 1 && count != 1 {
            self.wrong_arguments(count, 1, &what, span);
            None
        } else {
            self.adapt(given, arity, &what, span)
        };
        let Some(given) = given else {
            self.explain(span, |diagnostic| diagnostic.help(signatures(primitive)));
            let name = primitive.name;
            let more = match operator {
                Operator::Compose => None,
                _ if arity > 1 && count > arity => Some(format!(
                    "the point of a function of several parameters is one tuple: `{name}(f, (x, y){})`",
                    rest(operator)
                )),
                _ if arity > 1 && count == 1 => {
                    let rest = rest(operator);
                    Some(format!(
                        "a derivative is taken at a point: `{name}(f, x{rest})`, or `{name}(f, _{rest})` as a function of the point"
                    ))
                }
                _ => None,
            };
            self.diagnostics.last_mut().into_iter().for_each(|diagnostic| diagnostic.help.extend(more.clone()));
            return (Atom::Int(0), Type::Error);
        };
        match operator {
            Operator::Adjoint => {
                let (map, ty) = self.map_given(&given[0]);
                let Type::Linear(arrow) = &ty else { return (Atom::Int(0), Type::Error) };
                let ty = Type::Linear(Arc::new((arrow.1.clone(), arrow.0.clone())));
                (self.bind(Op::OnMaps(OnMaps::Adjoint, vec![map]), ty.clone(), span), ty)
            }
            Operator::Matrix => {
                let (map, ty) = self.map_given(&given[0]);
                let Type::Linear(_) = &ty else { return (Atom::Int(0), Type::Error) };
                self.matrix((map, ty), span)
            }
            Operator::Coo => {
                let (map, ty) = self.map_given(&given[0]);
                let Type::Linear(_) = &ty else { return (Atom::Int(0), Type::Error) };
                let ty = Type::Record(crate::types::Record::entries());
                let value = self.bind(Op::OnMaps(OnMaps::Coo, vec![map]), ty.clone(), span);
                self.read_sizes(value, ty, span)
            }
            Operator::Origin => {
                let (map, ty) = self.map_given(&given[0]);
                let Type::Linear(arrow) = &ty else { return (Atom::Int(0), Type::Error) };
                self.zero_of(&arrow.0, map, span)
            }
            Operator::Linear => {
                if let Some(problem) = self.why_not_linear(&given[0], span) {
                    return self.fail(problem);
                }
                let point = self.point(&given[0], &given[1]);
                self.derivative(&given[0], point, span)
            }
            Operator::Compose => {
                let (after, before) = (self.map_given(&given[0]), self.map_given(&given[1]));
                let (Type::Linear(g), Type::Linear(f)) = (&after.1, &before.1) else {
                    return (Atom::Int(0), Type::Error);
                };
                let place = self.given_span(&given[1]);
                if let Err(mismatch) = self.unify(&f.1, &g.0, place) {
                    let fitting = Type::Linear(Arc::new((f.0.clone(), g.0.clone())));
                    let diagnostic = self.mismatch(mismatch, &before.1, &fitting, place);
                    return self
                        .fail(diagnostic.help("`compose(g, f)` applies `f` first: its result is the argument of `g`"));
                }
                let ty = Type::Linear(Arc::new((f.0.clone(), g.1.clone())));
                (self.bind(Op::OnMaps(OnMaps::Compose, vec![after.0, before.0]), ty.clone(), span), ty)
            }
            Operator::At(differentiation) => {
                if self.is_callable(&given[1]) && !self.is_callable(&given[0]) {
                    let (atom, ty) = self.value(&given[0], None);
                    if !self.is_function(&ty) {
                        let place = self.given_span(&given[0]);
                        return self.function_at(&CallArgument::Value(atom, ty, place), &Type::Real, None, span);
                    }
                }
                let point = self.point(&given[0], &given[1]);
                self.derived(differentiation, &given, point, span)
            }
        }
    }

    fn derived(&mut self, differentiation: Differentiation, given: &[CallArgument], point: Typed, span: Span) -> Typed {
        let function = &given[0];
        match differentiation {
            Differentiation::Derivative => self.derivative(function, point, span),
            Differentiation::Grad => self.gradient("gradient", function, point, span),
            Differentiation::Jacobian => {
                let map = self.derivative(function, point, span);
                self.matrix(map, span)
            }
            Differentiation::Hessian => {
                let gradient = self.gradient_function("Hessian", function, &point.1, span);
                let (map, ty) = self.derive(Derive::Derivative, gradient, point, None, span);
                self.matrix((map, ty), span)
            }
            Differentiation::Hvp => {
                let direction = self.vector(&given[2], &point.1.tangent());
                let gradient = self.gradient_function("Hessian", function, &point.1, span);
                let both = self.derive(Derive::Forward, gradient, point, Some(direction), span);
                self.second(both, span)
            }
            Differentiation::Jvp => {
                let direction = self.vector(&given[2], &point.1.tangent());
                let function = self.function_at(function, &point.1, None, span);
                self.derive(Derive::Forward, function, point, Some(direction), span)
            }
            Differentiation::Vjp => {
                let function = self.function_at(function, &point.1, None, span);
                let result = self.result_of(&function);
                let cotangent = self.vector(&given[2], &result.tangent());
                self.derive(Derive::Reverse, function, point, Some(cotangent), span)
            }
            Differentiation::Taylor => {
                let direction = self.vector(&given[2], &point.1.tangent());
                let (order, order_type) = self.value(&given[3], Some(&Type::Int));
                let place = self.given_span(&given[3]);
                let order = self.flow(order, &order_type, &Type::Int, place);
                let function = self.function_at(function, &point.1, None, span);
                let result = self.result_of(&function);
                let size = self.size_of(order).add(&crate::size::Size::Constant(1)).unwrap_or(crate::size::Size::Hole);
                let ty = Type::array(size, result);
                let operands = vec![function.0, point.0, direction, order];
                (self.bind(Op::Derive(Derive::Taylor, operands), ty.clone(), span), ty)
            }
        }
    }

    fn is_callable(&self, given: &CallArgument) -> bool {
        matches!(given, CallArgument::Expr(expr) if self.callable(*expr).is_some())
    }

    pub(super) fn is_function(&self, ty: &Type) -> bool {
        matches!(self.resolve(ty), Type::Function(_) | Type::Linear(_) | Type::Error | Type::Unknown(_))
    }

    /// A vector of a space.
    fn vector(&mut self, given: &CallArgument, space: &Type) -> Atom {
        let (atom, ty) = self.value(given, Some(space));
        let place = self.given_span(given);
        self.flow_or(atom, &ty, space, place, |draft, mismatch| {
            let diagnostic = draft.mismatch(mismatch, &ty, space, place);
            diagnostic.help(format!("a vector of the space {} is needed here", draft.show(space)))
        })
    }

    /// The function of an argument, at the type of a point.
    fn function_at(&mut self, given: &CallArgument, point: &Type, result: Option<Type>, span: Span) -> Typed {
        let result = result.unwrap_or_else(|| self.unknowns.ty());
        let expected = Type::function(point.clone(), result);
        let place = self.given_span(given);
        let callable = match given {
            CallArgument::Expr(expr) => self.callable(*expr),
            _ => None,
        };
        let (atom, ty) = match callable {
            Some(callable) => self.function_value(callable, Some(&expected), place),
            None => self.value(given, Some(&expected)),
        };
        if !self.is_function(&ty) {
            let shown = self.show(&ty);
            return self.fail(
                Diagnostic::error(
                    "not-a-function",
                    place,
                    format!("expected a function to differentiate, found {shown}"),
                )
                .here(format!("this is {shown}"))
                .help("the function comes first, then the point: `grad(f, x)`"),
            );
        }
        let atom = self.flow(atom, &ty, &expected, place);
        let _ = span;
        self.force_postponed();
        (atom, self.resolve_deep(&expected))
    }

    /// The type of the result of a function; an integer that nothing makes an `R` is an `Int` here, and does not vary.
    fn result_of(&mut self, function: &Typed) -> Type {
        let result = match self.resolve(&function.1) {
            Type::Function(arrow) | Type::Linear(arrow) => self.resolve_deep(&arrow.1),
            _ => return Type::Error,
        };
        let decided = result.rebuild(&mut Clone::clone, &mut |part| match part {
            Type::Number(_) => Some(Type::Int),
            _ => None,
        });
        let span = Span { file: super::PRELUDE_FILE, start: 0, end: 0 };
        let _ = self.unify(&result, &decided, span);
        decided
    }

    fn derivative(&mut self, function: &CallArgument, point: Typed, span: Span) -> Typed {
        if point.1 == Type::Error {
            return (Atom::Int(0), Type::Error);
        }
        let function = self.function_at(function, &point.1, None, span);
        self.derive(Derive::Derivative, function, point, None, span)
    }

    fn derive(&mut self, derive: Derive, function: Typed, point: Typed, direction: Option<Atom>, span: Span) -> Typed {
        let result = self.result_of(&function);
        if result == Type::Error || point.1 == Type::Error {
            return (Atom::Int(0), Type::Error);
        }
        let (from, to) = (point.1.tangent(), result.tangent());
        let ty = match derive {
            Derive::Derivative => Type::Linear(Arc::new((from, to))),
            Derive::Forward => Type::Tuple([result, to].into()),
            Derive::Reverse | Derive::Taylor => Type::Tuple([result, from].into()),
        };
        let mut operands = vec![function.0, point.0];
        operands.extend(direction);
        let value = self.bind(Op::Derive(derive, operands), ty.clone(), span);
        match derive {
            Derive::Derivative => (value, ty),
            _ => self.read_sizes(value, ty, span),
        }
    }

    fn gradient(&mut self, what: &str, function: &CallArgument, point: Typed, span: Span) -> Typed {
        if point.1 == Type::Error {
            return (Atom::Int(0), Type::Error);
        }
        let place = self.given_span(function);
        let function = self.function_at(function, &point.1, None, span);
        if let Type::Function(arrow) = self.resolve(&function.1)
            && matches!(self.resolve(&arrow.1), Type::Number(_) | Type::Unknown(_))
        {
            let _ = self.unify(&arrow.1, &Type::Real, span);
        }
        match self.result_of(&function) {
            Type::Real | Type::Error => {}
            other => {
                let shown = self.show(&other);
                let help = match (other.varies(), what) {
                    (false, _) => "only an `R` varies, and has a derivative: `Int` and `Bool` go in steps",
                    (true, "Hessian") => "for other functions use `jacobian(\\z -> jacobian(f, z), x)`",
                    (true, _) => "for other functions use `jacobian(f, x)`, or `vjp(f, x, dy)`",
                };
                let message = format!("a {what} needs a function that gives an `R`, not {shown}");
                return self.fail(
                    Diagnostic::error("not-a-scalar", place, message).here(format!("this gives {shown}")).help(help),
                );
            }
        }
        let both = self.derive(Derive::Reverse, function, point, Some(Atom::Real(1.0)), span);
        self.second(both, span)
    }

    /// `\z -> grad(f, z)`
    fn gradient_function(&mut self, what: &str, function: &CallArgument, point: &Type, span: Span) -> Typed {
        if *point == Type::Error {
            return (Atom::Int(0), Type::Error);
        }
        let lambda = self.lambda(point.clone(), point.tangent(), span);
        self.open();
        let parameter = self.lambdas[lambda].parameter;
        self.adopt(parameter);
        let (atom, ty) = self.gradient(what, function, (Atom::Var(parameter), point.clone()), span);
        let body = self.close(atom);
        self.lambdas[lambda].body = Some(body);
        if ty == Type::Error {
            return (Atom::Int(0), Type::Error);
        }
        let ty = Type::function(point.clone(), point.tangent());
        (self.closure(lambda, ty.clone(), span), ty)
    }

    fn second(&mut self, (value, ty): Typed, span: Span) -> Typed {
        match self.resolve(&ty).components() {
            Some(parts) if parts.len() == 2 => {
                let part = parts[1].clone();
                (self.bind(Op::Project(value, 1), part.clone(), span), part)
            }
            _ => (Atom::Int(0), Type::Error),
        }
    }

    // ---- linear maps ----

    fn map_given(&mut self, given: &CallArgument) -> Typed {
        let place = self.given_span(given);
        // A function need not make sense as a value to be no map.
        if matches!(given, CallArgument::Expr(expr) if self.callable(*expr).is_some()) {
            return self.not_linear(given, place);
        }
        let (atom, ty) = self.value(given, None);
        match self.resolve_deep(&ty) {
            ty @ (Type::Linear(_) | Type::Error) => (atom, ty),
            Type::Function(_) => self.not_linear(given, place),
            other => {
                let shown = self.show(&other);
                let diagnostic =
                    Diagnostic::error("not-linear", place, format!("expected a linear map, found {shown}"));
                self.fail(diagnostic.here(format!("this is {shown}")).help("linear maps are made by `D(f, x)`"))
            }
        }
    }

    /// Says that a function is no linear map, and where it is not linear, if its text tells.
    fn not_linear(&mut self, given: &CallArgument, place: Span) -> Typed {
        let diagnostic = Diagnostic::error("not-linear", place, "expected a linear map, found a function");
        let diagnostic = match self.linearity(given) {
            Degree::Other(at, reason) if at == place => diagnostic.here(reason),
            Degree::Other(at, reason) => diagnostic.here("this is not linear").label(at, reason),
            Degree::Linear | Degree::Constant | Degree::Unknown => {
                diagnostic.here("a function, which need not be linear")
            }
        };
        self.fail(diagnostic.help("its derivative at a point is a linear map: `D(f, x)`"))
    }

    /// A value with the matrix in the place of every linear map.
    pub(super) fn with_matrices(&mut self, value: Typed, span: Span) -> Typed {
        match self.resolve_deep(&value.1) {
            ty if !ty.holds_maps() => value,
            Type::Linear(_) => self.matrix(value, span),
            Type::Array(..) => self.each(&[value], span, |draft, mut parts| {
                let part = parts.remove(0);
                draft.with_matrices(part, span)
            }),
            _ => self.each_part(value, span, |draft, part, _| draft.with_matrices(part, span)),
        }
    }

    /// The codomain with every `R` replaced by a copy of the domain.
    pub(super) fn matrix(&mut self, (map, ty): Typed, span: Span) -> Typed {
        let ty @ Type::Linear(_) = self.resolve_deep(&ty) else { return (Atom::Int(0), Type::Error) };
        let ty = ty.with_matrices();
        let value = self.bind(Op::OnMaps(OnMaps::Matrix, vec![map]), ty.clone(), span);
        self.read_sizes(value, ty, span)
    }

    /// Sums, differences and multiples of linear maps.
    pub fn arithmetic_of_maps(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Option<Typed> {
        let (a, b) = (self.resolve_deep(&left.1), self.resolve_deep(&right.1));
        let (operation, operands, ty) = match (operator, &a, &b) {
            (BinaryOperator::Add | BinaryOperator::Subtract, Type::Linear(_), Type::Linear(_)) => {
                if let Err(mismatch) = self.unify(&a, &b, span) {
                    let sign = if operator == BinaryOperator::Add { "+" } else { "-" };
                    let diagnostic = self.differ(mismatch, &a, &b, sign, span);
                    return Some(
                        self.fail(diagnostic.help("linear maps are added when they go from and to the same spaces")),
                    );
                }
                let operation = if operator == BinaryOperator::Add { OnMaps::Add } else { OnMaps::Subtract };
                (operation, vec![left.0, right.0], a)
            }
            (BinaryOperator::Multiply, number, Type::Linear(_)) if is_number(number) => {
                let factor = self.flow(left.0, number, &Type::Real, span);
                (OnMaps::Scale, vec![factor, right.0], b)
            }
            (BinaryOperator::Multiply, Type::Linear(_), number) if is_number(number) => {
                let factor = self.flow(right.0, number, &Type::Real, span);
                (OnMaps::Scale, vec![factor, left.0], a)
            }
            (BinaryOperator::Divide, Type::Linear(_), number) if is_number(number) => {
                let divisor = self.flow(right.0, number, &Type::Real, span);
                let divide = Op::Scalar(&riesz_primitive::scalar::DIV, vec![Atom::Real(1.0), divisor]);
                let factor = self.bind(divide, Type::Real, span);
                (OnMaps::Scale, vec![factor, left.0], a)
            }
            _ => return None,
        };
        Some((self.bind(Op::OnMaps(operation, operands), ty.clone(), span), ty))
    }
}

/// The arguments of an operator after the function and the point, as its row names them.
fn rest(operator: Operator) -> &'static str {
    match operator {
        Operator::At(Differentiation::Jvp) => ", dx",
        Operator::At(Differentiation::Vjp) => ", dy",
        Operator::At(Differentiation::Hvp) => ", v",
        Operator::At(Differentiation::Taylor) => ", v, k",
        _ => "",
    }
}
