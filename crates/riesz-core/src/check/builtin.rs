//! Calls of built-in functions.
//!
//! Functions of numbers work element by element. The signatures of their rows give the types of functions of arrays.
//! This module handles the rest: the forms that become constructs of the core, and the few functions of any number of
//! arguments.

use super::arithmetic::{Typed, is_number, signatures};
use super::call::{CallArgument, Target, instantiate};
use super::draft::Draft;
use super::reduce::reduction;
use crate::size::Size;
use crate::term::{Atom, Binding, Iteration, Op, Reduction};
use crate::types::Type;
use riesz_primitive::other::prelude;
use riesz_primitive::{Array, Form, Kind, Primitive, array, scalar};
use riesz_syntax::{Diagnostic, Span};

impl Draft<'_> {
    pub fn builtin(
        &mut self,
        primitive: &'static Primitive,
        given: Vec<CallArgument>,
        span: Span,
        hint: Option<&Type>,
    ) -> Typed {
        let mut given = given;
        if let (Some(reduction), [only]) = (reduction(primitive), &mut given[..]) {
            // The single argument of `max` may be a pair, and so two arguments.
            if let CallArgument::Expr(_) = only {
                let place = self.given_span(only);
                let (atom, ty) = self.value(only, None);
                *only = CallArgument::Value(atom, ty, place);
            }
            let pair = matches!(only, CallArgument::Value(_, ty, _) if matches!(self.resolve(ty), Type::Tuple(_)));
            if !(pair && matches!(primitive.kind, Kind::Scalar(_))) {
                return self.reduce(reduction, primitive, only, span);
            }
        }
        match primitive.kind {
            // Of a function, not of an array.
            Kind::Form(Form::ArgMin) if given.len() == 2 => match self.checker.prelude_item(&prelude::MINIMISER) {
                Some(item) => self.call_item(item, given, span),
                None => (Atom::Int(0), Type::Error),
            },
            Kind::Scalar(_) | Kind::Conversion(_) => {
                let arity = self.checker.primitive_signature(primitive, 0).parameters.len();
                let Some(given) = self.fitted(primitive, given, arity, span) else {
                    return (Atom::Int(0), Type::Error);
                };
                let hint = self.scalar_hint(primitive);
                let places: Vec<Span> = given.iter().map(|given| self.given_span(given)).collect();
                let values = given.iter().map(|given| self.value(given, hint.as_ref())).collect();
                self.elementwise(primitive, values, &places, span)
            }
            Kind::Operator(operator) => self.operator(operator, primitive, given, span),
            Kind::Constant(value) => (Atom::Real(value), Type::Real),
            Kind::Form(form) => self.form(form, primitive, given, span, hint),
            Kind::Array(Array::Concatenate) => self.concat(primitive, given, span),
            Kind::Array(_) | Kind::Prelude => {
                let arity = self.checker.primitive_signature(primitive, 0).parameters.len();
                let Some(mut given) = self.fitted(primitive, given, arity, span) else {
                    return (Atom::Int(0), Type::Error);
                };
                // Functions of matrices that take maps too.
                if [&array::SOLVE, &array::DET, &array::LOGDET].iter().any(|row| std::ptr::eq(primitive, *row)) {
                    let place = self.given_span(&given[0]);
                    let (atom, ty) = self.value(&given[0], None);
                    let is_map = matches!(self.resolve(&ty), Type::Linear(_));
                    if is_map && std::ptr::eq(primitive, &array::SOLVE) {
                        return self.solve_map((atom, ty), &given[1], span);
                    }
                    given[0] = CallArgument::Value(atom, ty, place);
                    if is_map && let Some(item) = self.checker.prelude_item(&prelude::SQUARE_MATRIX) {
                        let (atom, ty) = self.call_item(item, given, span);
                        given = vec![CallArgument::Value(atom, ty, place)];
                    }
                }
                self.by_signature(primitive, given, span)
            }
        }
    }

    /// Literals that stand where an `R` is needed are real from the start.
    fn scalar_hint(&self, primitive: &Primitive) -> Option<Type> {
        match &primitive.kind {
            Kind::Scalar(row) if row.integer.is_none() => Some(Type::Real),
            _ => None,
        }
    }

    fn fitted(
        &mut self,
        primitive: &'static Primitive,
        given: Vec<CallArgument>,
        arity: usize,
        span: Span,
    ) -> Option<Vec<CallArgument>> {
        let signature = self.checker.primitive_signature(primitive, 0);
        if given.len() != 1 && arity == 1 && !takes_tuples(&signature.parameters) {
            self.wrong_arguments(given.len(), 1, &format!("`{}`", primitive.name), span);
            self.explain(span, |diagnostic| diagnostic.help(signatures(primitive)));
            return None;
        }
        let given = self.adapt(given, arity, &format!("`{}`", primitive.name), span);
        if given.is_none() {
            self.explain(span, |diagnostic| diagnostic.help(signatures(primitive)));
        }
        given
    }

    fn form(
        &mut self,
        form: Form,
        primitive: &'static Primitive,
        given: Vec<CallArgument>,
        span: Span,
        hint: Option<&Type>,
    ) -> Typed {
        let arity = match form {
            Form::Zip => given.len().max(2),
            _ => self.checker.primitive_signature(primitive, 0).parameters.len(),
        };
        let Some(given) = self.fitted(primitive, given, arity, span) else { return (Atom::Int(0), Type::Error) };
        match form {
            Form::Size => {
                let (value, ty) = self.value(&given[0], None);
                let place = self.given_span(&given[0]);
                self.array_type(&ty, place, "`size` counts the elements of an array");
                let length = self.length(value, &ty, span);
                if self.is_made_here(value) {
                    self.check_no_less_than_zero(length, span);
                }
                (length, Type::Int)
            }
            Form::Build => {
                let count = self.int(&given[0]);
                let function = self.function_given(primitive, &given[1]);
                self.build(count, span, |draft, index| draft.call_target(&function, vec![(index, Type::Int)], span))
            }
            Form::Iota => {
                let count = self.int(&given[0]);
                self.build(count, span, |_, index| (index, Type::Int))
            }
            Form::Replicate => {
                let count = self.int(&given[0]);
                let element_hint = match hint.map(|hint| self.resolve(hint)) {
                    Some(Type::Array(_, element)) => Some((*element).clone()),
                    _ => None,
                };
                let value = self.value(&given[1], element_hint.as_ref());
                self.build(count, span, |_, _| value)
            }
            Form::Map => {
                let function = self.function_given(primitive, &given[0]);
                let array = self.array_given(&given[1]);
                self.mapped(&[array], span, |draft, elements| draft.call_target(&function, elements, span))
            }
            Form::Zip => {
                let arrays: Vec<Typed> = given.iter().map(|given| self.array_given(given)).collect();
                self.equate_all(&arrays, &given);
                self.mapped(&arrays, span, |draft, elements| {
                    let (atoms, types): (Vec<Atom>, Vec<Type>) = elements.into_iter().unzip();
                    let ty = Type::Tuple(types.into());
                    (draft.bind(Op::Tuple(atoms), ty.clone(), span), ty)
                })
            }
            Form::Unzip => self.unzip(&given[0], span),
            Form::Fold | Form::Scan => {
                let function = self.function_given(primitive, &given[0]);
                let start = self.value(&given[1], None);
                let start_span = self.given_span(&given[1]);
                let (array, ty) = self.array_given(&given[2]);
                let Type::Array(size, element) = self.resolve(&ty) else { return (Atom::Int(0), Type::Error) };
                let count = self.length(array, &ty, span);
                let function_span = self.given_span(&given[0]);
                let (recurrence, state) =
                    self.iterations(start, start_span, count, function_span, |draft, state, index| {
                        let value = draft.bind(Op::Index(array, Atom::Var(index)), (*element).clone(), span);
                        draft.call_target(&function, vec![state, (value, (*element).clone())], span)
                    });
                if form == Form::Fold {
                    (self.bind(Op::Loop(recurrence), state.clone(), span), state)
                } else {
                    let ty = Type::array(size, state);
                    (self.bind(Op::Scan(recurrence), ty.clone(), span), ty)
                }
            }
            Form::Inner => {
                let (left, right) = (self.value(&given[0], None), self.value(&given[1], None));
                let place = self.given_span(&given[1]);
                let joined = match self.join(&left.1, &right.1, place) {
                    Ok(joined) => joined,
                    Err(mismatch) => {
                        let diagnostic = self.mismatch(mismatch.swapped(), &right.1, &left.1, place);
                        return self.fail(diagnostic.help("the inner product needs two vectors of one space"));
                    }
                };
                let left = (self.flow(left.0, &left.1, &joined, span), joined.clone());
                let right = (self.flow(right.0, &right.1, &joined, span), joined);
                self.inner(left, right, span)
            }
            // One argument is reduced; there are others.
            Form::Sum | Form::Product | Form::ArgMax | Form::ArgMin | Form::All | Form::Any => {
                self.by_signature(primitive, given, span)
            }
        }
    }

    /// A function of arrays, typed by the first of its signatures that fits.
    fn by_signature(&mut self, primitive: &'static Primitive, mut given: Vec<CallArgument>, span: Span) -> Typed {
        let mut chosen = self.checker.primitive_signature(primitive, 0);
        if primitive.signatures.len() > 1 {
            let mut types = Vec::new();
            for given in &mut given {
                let place = self.given_span(given);
                let (atom, ty) = self.value(given, None);
                types.push(self.resolve_deep(&ty));
                *given = CallArgument::Value(atom, ty, place);
            }
            if let Some(fitting) = (0..primitive.signatures.len())
                .map(|at| self.checker.primitive_signature(primitive, at))
                .find(|signature| {
                    signature.parameters.iter().zip(&types).all(|(expected, ty)| rank(expected) == rank(ty))
                })
            {
                chosen = fitting;
            } else if !types.contains(&Type::Error) {
                let shown: Vec<String> = types.iter().map(|ty| self.show(ty)).collect();
                return self.fail(
                    Diagnostic::error(
                        "type-mismatch",
                        span,
                        format!("`{}` is not defined on {}", primitive.name, shown.join(" and ")),
                    )
                    .help(signatures(primitive)),
                );
            }
        }
        let (types, sizes) = self.fresh(&chosen);
        let arguments = self.arguments(&chosen, &types, &sizes, &given, primitive.name);
        let result = self.resolve_deep(&instantiate(&chosen.result, &types, &sizes));
        let value = self.bind(Op::ArrayFunction(primitive, arguments), result.clone(), span);
        self.read_sizes(value, result, span)
    }

    fn int(&mut self, given: &CallArgument) -> Atom {
        let (atom, ty) = self.value(given, Some(&Type::Int));
        let place = self.given_span(given);
        self.flow(atom, &ty, &Type::Int, place)
    }

    /// The function of an argument, or what is wrong with it.
    fn function_given(&mut self, primitive: &'static Primitive, given: &CallArgument) -> Target {
        match self.target(given) {
            Target::Value((_, ty)) if !self.is_function(&ty) => {
                let (place, shown) = (self.given_span(given), self.show(&ty));
                let diagnostic =
                    Diagnostic::error("not-a-function", place, format!("expected a function, found {shown}"));
                Target::Value(self.fail(diagnostic.here(format!("this is {shown}")).help(signatures(primitive))))
            }
            target => target,
        }
    }

    pub(super) fn array_given(&mut self, given: &CallArgument) -> Typed {
        let (atom, ty) = self.value(given, None);
        let place = self.given_span(given);
        let (size, element) = self.array_type(&ty, place, "this function works on arrays");
        (atom, Type::array(size, element))
    }

    /// Keeps the error of an array that has less than no elements where nothing but its size is used.
    fn check_no_less_than_zero(&mut self, size: Atom, span: Span) {
        if let Atom::Var(_) = size {
            let least = self.bind(Op::Scalar(&scalar::MAX, vec![size, Atom::Int(0)]), Type::Int, span);
            let var = self.var(Type::unit(), None);
            self.push(Binding { var, op: Op::CheckSizes(size, least), span });
        }
    }

    fn equate_all(&mut self, arrays: &[Typed], given: &[CallArgument]) {
        for (pair, given) in arrays.windows(2).zip(given.windows(2)) {
            let (before, place) = (self.given_span(&given[0]), self.given_span(&given[1]));
            if let [(_, a @ Type::Array(m, _)), (_, b @ Type::Array(n, _))] = pair
                && let Err(mismatch) = self.equate(n, m, place)
            {
                let (shown, found) = (self.show(a), self.show(b));
                let diagnostic = self.mismatch(mismatch, &Type::Error, &Type::Error, place);
                let diagnostic = diagnostic.here(format!("this is {found}"));
                self.report(diagnostic.label(before, format!("this is {shown}")));
            }
        }
    }

    pub(super) fn build(&mut self, count: Atom, span: Span, element: impl FnOnce(&mut Self, Atom) -> Typed) -> Typed {
        self.open();
        let index = self.var(Type::Int, None);
        let (result, ty) = element(self, Atom::Var(index));
        let body = self.close(result);
        let element = self.leave(&ty);
        let size = self.size_of(count);
        self.built(Iteration { count, index, body }, size, element, span)
    }

    fn mapped(&mut self, arrays: &[Typed], span: Span, element: impl FnOnce(&mut Self, Vec<Typed>) -> Typed) -> Typed {
        let (value, ty) = self.each(arrays, span, element);
        self.read_sizes(value, ty, span)
    }

    fn unzip(&mut self, given: &CallArgument, span: Span) -> Typed {
        let (array, ty) = self.array_given(given);
        let Type::Array(size, element) = &ty else { return (Atom::Int(0), Type::Error) };
        let Type::Tuple(parts) = self.resolve(element) else {
            let shown = self.show(&ty);
            return match self.resolve(element) {
                Type::Error => (Atom::Int(0), Type::Error),
                _ => {
                    let message = format!("`unzip` takes an array of tuples, found {shown}");
                    let place = self.given_span(given);
                    self.fail(Diagnostic::error("type-mismatch", place, message).here(format!("this is {shown}")))
                }
            };
        };
        let (mut atoms, mut types) = (Vec::new(), Vec::new());
        for (at, part) in parts.iter().enumerate() {
            let (atom, _) = self.each(&[(array, ty.clone())], span, |draft, elements| {
                (draft.bind(Op::Project(elements[0].0, at), part.clone(), span), part.clone())
            });
            atoms.push(atom);
            types.push(Type::array(size.clone(), part.clone()));
        }
        let ty = Type::Tuple(types.into());
        (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
    }

    fn concat(&mut self, primitive: &'static Primitive, given: Vec<CallArgument>, span: Span) -> Typed {
        let arity = given.len().max(2);
        let Some(given) = self.fitted(primitive, given, arity, span) else { return (Atom::Int(0), Type::Error) };
        let mut total = Size::Constant(0);
        let mut joined: Option<Type> = None;
        let mut arrays = Vec::with_capacity(given.len());
        for given in &given {
            let place = self.given_span(given);
            let (atom, ty) = self.array_given(given);
            let Type::Array(size, element) = &ty else { continue };
            total = total.add(size).unwrap_or(Size::Hole);
            joined = Some(match joined {
                None => (**element).clone(),
                Some(joined) => match self.join(&joined, element, place) {
                    Ok(joined) => joined,
                    Err(mismatch) => {
                        let expected = Type::array(Size::Hole, joined);
                        let diagnostic = self.mismatch(mismatch.swapped(), &ty, &expected, place);
                        return self
                            .fail(diagnostic.help("arrays that are concatenated have elements of one type and size"));
                    }
                },
            });
            arrays.push((atom, ty.clone(), size.clone(), place));
        }
        let element = joined.unwrap_or(Type::Error);
        let mut atoms = Vec::with_capacity(arrays.len());
        for (atom, ty, size, place) in arrays {
            atoms.push(self.flow(atom, &ty, &Type::array(size, element.clone()), place));
        }
        let ty = Type::array(total, element);
        let value = self.bind(Op::ArrayFunction(primitive, atoms), ty.clone(), span);
        self.read_sizes(value, ty, span)
    }

    /// `⟨left, right⟩` on any vector space, component by component.
    pub(super) fn inner(&mut self, left: Typed, right: Typed, span: Span) -> Typed {
        match self.resolve(&left.1) {
            Type::Array(_, element) if self.resolve(&element) == Type::Real => {
                (self.bind(Op::ArrayFunction(&array::DOT, vec![left.0, right.0]), Type::Real, span), Type::Real)
            }
            Type::Array(_, element) => {
                let count = self.length(left.0, &left.1, span);
                self.open();
                let index = self.var(Type::Int, None);
                let at = |draft: &mut Self, array: Atom| {
                    (draft.bind(Op::Index(array, Atom::Var(index)), (*element).clone(), span), (*element).clone())
                };
                let (left, right) = (at(self, left.0), at(self, right.0));
                let (value, _) = self.inner(left, right, span);
                let iteration = Iteration { count, index, body: self.close(value) };
                (self.bind(Op::Reduce(Reduction::Sum, iteration), Type::Real, span), Type::Real)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let (left, right) = (self.parts(left, span), self.parts(right, span));
                let mut total = Atom::Real(0.0);
                for (at, (left, right)) in left.into_iter().zip(right).enumerate() {
                    let (part, _) = self.inner(left, right, span);
                    total = match at {
                        0 => part,
                        _ => self.bind(Op::Scalar(&scalar::ADD, vec![total, part]), Type::Real, span),
                    };
                }
                (total, Type::Real)
            }
            // ⟨m, k⟩ = Σᵢⱼ mᵢⱼ kᵢⱼ
            Type::Linear(_) => {
                let (left, right) = (self.matrix(left, span), self.matrix(right, span));
                self.inner(left, right, span)
            }
            Type::Error | Type::Variable(_) => (self.bind(Op::Copy(Atom::Real(0.0)), Type::Real, span), Type::Real),
            ty if is_number(&ty) => {
                let real = |draft: &mut Self, value: Typed| draft.flow(value.0, &value.1, &Type::Real, span);
                let (left, right) = (real(self, left), real(self, right));
                (self.bind(Op::Scalar(&scalar::MUL, vec![left, right]), Type::Real, span), Type::Real)
            }
            other => {
                let shown = self.show(&other);
                self.fail(Diagnostic::error("type-mismatch", span, format!("{shown} is not a vector space")))
            }
        }
    }
}

/// Whether the only parameter may be a tuple, so that several arguments can be it.
pub(crate) fn takes_tuples(parameters: &[Type]) -> bool {
    matches!(parameters, [Type::Tuple(_) | Type::Variable(_) | Type::Error])
}

/// How many dimensions an array has.
fn rank(ty: &Type) -> usize {
    match ty {
        Type::Array(_, element) => 1 + rank(element),
        _ => 0,
    }
}
