//! Operators and functions of numbers on all types that they support: numbers, and element by element on arrays, tuples
//! and records of numbers.

use super::draft::Draft;
use crate::term::{Atom, Comparison, Iteration, Op};
use crate::types::Type;
use riesz_primitive::{Conversion, Kind, Primitive, scalar};
use riesz_syntax::tree::BinaryOperator;
use riesz_syntax::{Diagnostic, Span};

/// A value while it is being checked.
pub(crate) type Typed = (Atom, Type);

impl Draft<'_> {
    /// `left op right` for `+ - * / ^`. `literal` is the exponent of a power where it is a non-negative integer literal.
    pub fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        literal: bool,
        span: Span,
    ) -> Typed {
        let (a, b) = (self.resolve(&left.1), self.resolve(&right.1));
        let again = |draft: &mut Self, left, right| draft.arithmetic(operator, left, right, literal, span);
        let scales = match operator {
            BinaryOperator::Multiply => is_number(&a) || is_number(&b),
            BinaryOperator::Divide => is_number(&b),
            _ => false,
        };
        match (&a, &b) {
            (Type::Error, _) | (_, Type::Error) => (Atom::Int(0), Type::Error),
            (Type::Unknown(_), _) | (_, Type::Unknown(_)) => {
                self.force_postponed();
                for ty in [&a, &b] {
                    if matches!(self.resolve(ty), Type::Unknown(_)) {
                        let number = self.unknowns.number();
                        let _ = self.unify(ty, &number, span);
                    }
                }
                again(self, left, right)
            }
            (Type::Linear(_), _) | (_, Type::Linear(_)) => match self.arithmetic_of_maps(operator, left, right, span) {
                Some(value) => value,
                None => self.bad_operands(operator, &a, &b, span),
            },
            _ if is_number(&a) && is_number(&b) => self.arithmetic_of_numbers(operator, left, right, literal, span),
            // Type variables: what they stand for is checked where it is known.
            (Type::Variable(_), other) | (other, Type::Variable(_))
                if a == b || is_number(other) || matches!(other, Type::Array(..)) =>
            {
                let ty = if matches!(b, Type::Array(..)) || is_number(&a) { b.clone() } else { a.clone() };
                (self.bind(Op::Copy(left.0), ty.clone(), span), ty)
            }
            (Type::Array(..), Type::Array(..)) => {
                let (a, b) = (a.clone(), b.clone());
                if let (Type::Array(m, _), Type::Array(n, _)) = (&a, &b)
                    && let Err(mismatch) = self.equate(m, n, span)
                {
                    let diagnostic = self.differ(mismatch, &a, &b, sign_of(operator), span);
                    return self.fail(diagnostic.help("element by element, both arrays must have the same size"));
                }
                self.each(&[left, right], span, |draft, parts| {
                    let [left, right] = parts.try_into().expect("two arrays were given");
                    again(draft, left, right)
                })
            }
            (Type::Array(..), _) if is_number(&b) => self.each(&[left], span, |draft, mut parts| {
                let left = parts.remove(0);
                again(draft, left, right)
            }),
            (_, Type::Array(..)) if is_number(&a) => self.each(&[right], span, |draft, mut parts| {
                let right = parts.remove(0);
                again(draft, left, right)
            }),
            (Type::Tuple(_) | Type::Record(_), _) if scales => {
                self.each_part(left, span, |draft, part, _| again(draft, part, right.clone()))
            }
            (_, Type::Tuple(_) | Type::Record(_)) if scales => {
                self.each_part(right, span, |draft, part, _| again(draft, left.clone(), part))
            }
            (Type::Tuple(x), Type::Tuple(y)) if x.len() == y.len() => {
                self.arithmetic_of_parts(left, right, span, again)
            }
            (Type::Record(x), Type::Record(y))
                if x.fields.len() == y.fields.len() && x.fields.iter().all(|(name, _)| y.position(name).is_some()) =>
            {
                self.arithmetic_of_parts(left, right, span, again)
            }
            _ => self.bad_operands(operator, &a, &b, span),
        }
    }

    fn bad_operands(&mut self, operator: BinaryOperator, a: &Type, b: &Type, span: Span) -> Typed {
        let help = match (operator, self.resolve(a), self.resolve(b)) {
            (_, Type::Bool, _) | (_, _, Type::Bool) => {
                "to convert a condition to a number, write `if ... then 1 else 0`"
            }
            (BinaryOperator::Multiply, Type::Linear(_), Type::Linear(_)) => {
                "linear maps are composed by `compose(g, f)`"
            }
            (_, Type::Linear(_), _) | (_, _, Type::Linear(_)) => {
                "linear maps from and to the same spaces have `+` and `-`, and may be multiplied by a number"
            }
            (_, Type::Function(_), _) | (_, _, Type::Function(_)) => {
                "operators work on values: call the function, as in `\\x -> 2 * f(x)`"
            }
            _ => {
                "operators work on numbers, and element by element on arrays, tuples and records of one shape; a number may stand beside an array"
            }
        };
        let (a, b) = (self.show(a), self.show(b));
        let sign = sign_of(operator);
        let what = match operator {
            BinaryOperator::Add => format!("add {a} and {b}"),
            BinaryOperator::Subtract => format!("subtract {b} from {a}"),
            BinaryOperator::Multiply => format!("multiply {a} and {b}"),
            BinaryOperator::Divide => format!("divide {a} by {b}"),
            _ => format!("raise {a} to {b}"),
        };
        self.fail(
            Diagnostic::error("bad-operands", span, format!("cannot {what}"))
                .here(format!("`{sign}` between {a} and {b}"))
                .help(help),
        )
    }

    fn arithmetic_of_parts(
        &mut self,
        left: Typed,
        right: Typed,
        span: Span,
        again: impl Fn(&mut Self, Typed, Typed) -> Typed,
    ) -> Typed {
        let others = self.parts(right, span);
        self.each_part(left, span, |draft, part, at| again(draft, part, others[at].clone()))
    }

    fn arithmetic_of_numbers(
        &mut self,
        operator: BinaryOperator,
        (left, a): Typed,
        (right, b): Typed,
        literal: bool,
        span: Span,
    ) -> Typed {
        let primitive = match operator {
            BinaryOperator::Add => &scalar::ADD,
            BinaryOperator::Subtract => &scalar::SUB,
            BinaryOperator::Multiply => &scalar::MUL,
            BinaryOperator::Divide => &scalar::DIV,
            _ => return self.power((left, a), (right, b), literal, span),
        };
        let joined = match operator {
            BinaryOperator::Divide => Type::Real,
            _ => self.join(&a, &b, span).unwrap_or(Type::Error),
        };
        let left = self.flow(left, &a, &joined, span);
        let right = self.flow(right, &b, &joined, span);
        (self.bind(Op::Scalar(primitive, vec![left, right]), joined.clone(), span), joined)
    }

    /// `base ^ exponent`: an `Int` for an `Int` and a non-negative integer literal; by repeated products for any `Int`
    /// exponent, so that negative bases are exact.
    fn power(&mut self, (base, a): Typed, (exponent, b): Typed, literal: bool, span: Span) -> Typed {
        let b = self.resolve(&b);
        if b == Type::Real {
            let base = self.flow(base, &a, &Type::Real, span);
            return (self.bind(Op::Scalar(&scalar::POW, vec![base, exponent]), Type::Real, span), Type::Real);
        }
        let _ = self.unify(&b, &Type::Int, span);
        let ty = if literal { a.clone() } else { Type::Real };
        let base = self.flow(base, &a, &ty, span);
        (self.bind(Op::Scalar(&scalar::POWI, vec![base, exponent]), ty.clone(), span), ty)
    }

    /// `-value`
    pub fn negate(&mut self, value: Typed, span: Span) -> Typed {
        match self.resolve(&value.1) {
            Type::Error => value,
            Type::Unknown(_) => {
                let number = self.unknowns.number();
                let _ = self.unify(&value.1, &number, span);
                self.negate(value, span)
            }
            ty if is_number(&ty) => (self.bind(Op::Scalar(&scalar::NEG, vec![value.0]), ty.clone(), span), ty),
            ty @ Type::Variable(_) => (value.0, ty),
            ty @ Type::Linear(_) => {
                let operands = vec![Atom::Real(-1.0), value.0];
                (self.bind(Op::OnMaps(crate::term::OnMaps::Scale, operands), ty.clone(), span), ty)
            }
            Type::Array(..) => self.each(&[value], span, |draft, mut parts| {
                let part = parts.remove(0);
                draft.negate(part, span)
            }),
            Type::Tuple(_) | Type::Record(_) => self.each_part(value, span, |draft, part, _| draft.negate(part, span)),
            ty => {
                let diagnostic = Diagnostic::error("bad-operands", span, format!("cannot negate {}", self.show(&ty)));
                self.fail(match ty {
                    Type::Bool => diagnostic.help("the opposite of a condition is `not c`"),
                    _ => diagnostic,
                })
            }
        }
    }

    /// A comparison of two numbers.
    pub fn compare(&mut self, comparison: Comparison, left: Typed, right: Typed, span: Span) -> Typed {
        let (a, b) = (self.number(&left.1, span), self.number(&right.1, span));
        let comparable = matches!(a, Type::Variable(_)) && a == b || is_number(&a) && is_number(&b);
        if !comparable {
            if a == Type::Error || b == Type::Error {
                return (Atom::Int(0), Type::Bool);
            }
            let (a, b) = (self.show(&a), self.show(&b));
            self.report(Diagnostic::error("bad-operands", span, format!("cannot compare {a} with {b}")).help(
                "`<`, `<=`, `>`, `>=` compare numbers; use `all(...)` or `any(...)` over the elements of arrays",
            ));
            return (Atom::Int(0), Type::Bool);
        }
        let joined = self.join(&a, &b, span).unwrap_or(Type::Error);
        let left = self.flow(left.0, &a, &joined, span);
        let right = self.flow(right.0, &b, &joined, span);
        (self.bind(Op::Compare(comparison, left, right), Type::Bool, span), Type::Bool)
    }

    /// The type, where an unknown one is taken to be a number.
    fn number(&mut self, ty: &Type, span: Span) -> Type {
        if matches!(self.resolve(ty), Type::Unknown(_)) {
            self.force_postponed();
        }
        if matches!(self.resolve(ty), Type::Unknown(_)) {
            let number = self.unknowns.number();
            let _ = self.unify(ty, &number, span);
        }
        self.resolve(ty)
    }

    /// A function of one number, or of two, element by element on arrays. `places`: where the arguments stand.
    pub fn elementwise(
        &mut self,
        primitive: &'static Primitive,
        arguments: Vec<Typed>,
        places: &[Span],
        span: Span,
    ) -> Typed {
        let types: Vec<Type> = arguments.iter().map(|(_, ty)| self.number(ty, span)).collect();
        if types.contains(&Type::Error) {
            return (Atom::Int(0), Type::Error);
        }
        if types.iter().all(is_number) {
            return self.function_of_numbers(primitive, arguments, types, places, span);
        }
        let arrays: Vec<usize> = (0..types.len()).filter(|&at| matches!(types[at], Type::Array(..))).collect();
        if let Some(at) = (0..types.len()).find(|at| !arrays.contains(at) && !is_number(&types[*at])) {
            let found = self.show(&types[at]);
            let message = format!("`{}` is not defined on {found}", primitive.name);
            let diagnostic = Diagnostic::error("type-mismatch", places[at], message).here(format!("this is {found}"));
            return self.fail(diagnostic.help(signatures(primitive)));
        }
        if let [first, second] = arrays[..]
            && let (Type::Array(m, _), Type::Array(n, _)) = (&types[first], &types[second])
            && let Err(mismatch) = self.equate(m, n, span)
        {
            let diagnostic = self.mismatch(mismatch.swapped(), &types[second], &types[first], places[second]);
            let shown = self.show(&types[first]);
            return self.fail(diagnostic.label(places[first], format!("this is {shown}")));
        }
        let over: Vec<Typed> = arrays.iter().map(|&at| arguments[at].clone()).collect();
        self.each(&over, span, |draft, elements| {
            let mut arguments = arguments;
            for (at, element) in arrays.into_iter().zip(elements) {
                arguments[at] = element;
            }
            draft.elementwise(primitive, arguments, places, span)
        })
    }

    fn function_of_numbers(
        &mut self,
        primitive: &'static Primitive,
        arguments: Vec<Typed>,
        types: Vec<Type>,
        places: &[Span],
        span: Span,
    ) -> Typed {
        let row = match &primitive.kind {
            Kind::Scalar(row) => row,
            Kind::Conversion(conversion) => return self.conversion(*conversion, arguments, span),
            _ => return (Atom::Int(0), Type::Error),
        };
        let ty = match (row.integer.is_some(), row.real.is_some()) {
            (true, false) => Type::Int,
            (false, _) => Type::Real,
            (true, true) => {
                let first = types[0].clone();
                types[1..].iter().fold(first, |joined, ty| self.join(&joined, ty, span).unwrap_or(Type::Error))
            }
        };
        let mut atoms = Vec::with_capacity(arguments.len());
        for ((atom, from), &place) in arguments.into_iter().zip(places) {
            atoms.push(self.flow(atom, &from, &ty, place));
        }
        (self.bind(Op::Scalar(primitive, atoms), ty.clone(), span), ty)
    }

    /// `real`, `trunc`, `is_nan`
    fn conversion(&mut self, conversion: Conversion, mut arguments: Vec<Typed>, span: Span) -> Typed {
        let (atom, ty) = arguments.remove(0);
        let atom = self.flow(atom, &ty, &Type::Real, span);
        match conversion {
            Conversion::Real => (atom, Type::Real),
            Conversion::Truncate => (self.bind(Op::Truncate(atom), Type::Int, span), Type::Int),
            Conversion::IsNan => (self.bind(Op::IsNan(atom), Type::Bool, span), Type::Bool),
        }
    }

    /// Builds an array from arrays of one size, element by element.
    pub fn each(
        &mut self,
        arrays: &[Typed],
        span: Span,
        element: impl FnOnce(&mut Self, Vec<Typed>) -> Typed,
    ) -> Typed {
        let (first, ty) = &arrays[0];
        let Type::Array(size, _) = self.resolve(ty) else { return (*first, Type::Error) };
        let count = self.length(*first, ty, span);
        self.open();
        let index = self.var(Type::Int, None);
        let mut elements = Vec::with_capacity(arrays.len());
        for (array, ty) in arrays {
            let Type::Array(_, element) = self.resolve(ty) else { continue };
            let element = (*element).clone();
            elements.push((self.bind(Op::Index(*array, Atom::Var(index)), element.clone(), span), element));
        }
        let (result, ty) = element(self, elements);
        let body = self.close(result);
        let ty = Type::array(size, self.leave(&ty));
        let built = self.bind(Op::Build(Iteration { count, index, body }), ty.clone(), span);
        (built, ty)
    }

    /// Rebuilds a tuple or record, component by component.
    pub(super) fn each_part(
        &mut self,
        value: Typed,
        span: Span,
        mut part: impl FnMut(&mut Self, Typed, usize) -> Typed,
    ) -> Typed {
        let ty = self.resolve(&value.1);
        let (mut atoms, mut types) = (Vec::new(), Vec::new());
        for (at, component) in self.parts(value, span).into_iter().enumerate() {
            let (atom, ty) = part(self, component, at);
            atoms.push(atom);
            types.push(ty);
        }
        let ty = ty.with_components(types);
        (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
    }

    /// The components of a tuple or record.
    pub fn parts(&mut self, (value, ty): Typed, span: Span) -> Vec<Typed> {
        let parts = self.resolve(&ty).components().unwrap_or_default();
        parts
            .into_iter()
            .enumerate()
            .map(|(at, part)| (self.bind(Op::Project(value, at), part.clone(), span), part))
            .collect()
    }
}

/// The signatures of a built-in function.
pub(crate) fn signatures(primitive: &Primitive) -> String {
    let written: Vec<String> =
        primitive.signatures.iter().map(|signature| format!("`{}{signature}`", primitive.name)).collect();
    match &written[..] {
        [only] => format!("its type is {only}"),
        several => format!("its types are {}", several.join(", ")),
    }
}

/// Whether a resolved type is a number.
pub(crate) fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Real | Type::Number(_))
}

fn sign_of(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        _ => "^",
    }
}
