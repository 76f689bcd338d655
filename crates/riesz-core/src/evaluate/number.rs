//! Operations on numbers.

use super::limits::Fault;
use super::value::Value;
use super::{atom, problem};
use crate::term::{Atom, Comparison, Op};
use riesz_primitive::{Number, Primitive, scalar};
use riesz_syntax::Span;

/// The result of an operation that makes a real number of real numbers; none of any other, or one that fails.
#[inline]
pub(super) fn real_operation<S: Number>(frame: &[Value<S>], op: &Op) -> Option<S> {
    match op {
        Op::Scalar(primitive, arguments) => match arguments[..] {
            [a, b] => Some(real_binary(primitive, &real(frame, a)?, &real(frame, b)?)),
            [a] => Some(S::apply(primitive, &[real(frame, a)?])),
            _ => None,
        },
        Op::Index(Atom::Var(array), index) => match (&frame[array.0 as usize], index) {
            (Value::Reals(elements), Atom::Var(index)) => elements.get(frame[index.0 as usize].int() as usize).cloned(),
            (Value::Reals(elements), Atom::Int(index)) => elements.get(*index as usize).cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// The value of an operand that is a real number.
#[inline]
fn real<S: Number>(frame: &[Value<S>], atom: Atom) -> Option<S> {
    match atom {
        Atom::Var(var) => match &frame[var.0 as usize] {
            Value::Real(value) => Some(value.clone()),
            _ => None,
        },
        Atom::Real(value) => Some(S::constant(value)),
        _ => None,
    }
}

/// A primitive of two real numbers.
#[inline]
fn real_binary<S: Number>(primitive: &'static Primitive, a: &S, b: &S) -> S {
    if std::ptr::eq(primitive, &scalar::MUL) {
        a.mul(b)
    } else if std::ptr::eq(primitive, &scalar::ADD) {
        a.add(b)
    } else if std::ptr::eq(primitive, &scalar::SUB) {
        a.sub(b)
    } else {
        S::apply(primitive, &[a.clone(), b.clone()])
    }
}

#[inline]
pub(super) fn scalar_operation<S: Number>(
    frame: &[Value<S>],
    primitive: &'static Primitive,
    arguments: &[Atom],
    span: Span,
) -> Result<Value<S>, Fault> {
    match *arguments {
        [a, b] => binary(primitive, &atom(frame, a), &atom(frame, b), span),
        [a] => match atom(frame, a) {
            Value::Int(a) => integer(primitive, &[a], span),
            a => Ok(Value::Real(S::apply(primitive, &[a.real()]))),
        },
        _ => {
            Ok(Value::Real(S::apply(primitive, &arguments.iter().map(|a| atom(frame, *a).real()).collect::<Vec<_>>())))
        }
    }
}

/// A primitive of two numbers.
#[inline]
pub(super) fn binary<S: Number>(
    primitive: &'static Primitive,
    a: &Value<S>,
    b: &Value<S>,
    span: Span,
) -> Result<Value<S>, Fault> {
    match (a, b) {
        (Value::Real(a), Value::Real(b)) => Ok(Value::Real(real_binary(primitive, a, b))),
        (Value::Int(a), Value::Int(b)) => integer(primitive, &[*a, *b], span),
        (Value::Real(base), Value::Int(exponent)) => Ok(Value::Real(integer_power(primitive, base, *exponent))),
        _ => Ok(Value::Real(S::apply(primitive, &[a.real(), b.real()]))),
    }
}

/// An integer power of a real number. Beyond `2^53` a real number does not tell whether an integer is odd:
/// `x^n = (x²)^(n div 2) · x^(n mod 2)`, whose derivatives have the right sign as well.
pub fn integer_power<S: Number>(primitive: &'static Primitive, base: &S, exponent: i64) -> S {
    if !is_large(exponent) {
        return S::apply(primitive, &[base.clone(), S::constant(exponent as f64)]);
    }
    let power = S::apply(primitive, &[base.mul(base), S::constant(exponent.div_euclid(2) as f64)]);
    if exponent.rem_euclid(2) == 0 { power } else { power.mul(base) }
}

/// Whether an integer is so large that the real number next to it does not tell whether it is odd.
pub fn is_large(exponent: i64) -> bool {
    exponent.unsigned_abs() > 1 << 53
}

/// A primitive of integers.
pub(super) fn integer<S: Number>(
    primitive: &'static Primitive,
    arguments: &[i64],
    span: Span,
) -> Result<Value<S>, Fault> {
    let function = primitive.scalar().and_then(|row| row.integer);
    match function.and_then(|function| (function.value)(arguments)) {
        Some(value) => Ok(Value::Int(value)),
        None => Err(problem::integer(primitive, arguments, span)),
    }
}

#[inline]
pub(super) fn compare<S: Number>(frame: &[Value<S>], comparison: Comparison, a: Atom, b: Atom) -> bool {
    match (atom(frame, a), atom(frame, b)) {
        (Value::Int(a), Value::Int(b)) => comparison.holds(&a, &b),
        (a, b) => {
            let (a, b) = a.real().compared(&b.real());
            comparison.holds(&a, &b)
        }
    }
}

pub(super) fn truncate(value: f64, span: Span) -> Result<i64, Fault> {
    let truncated = value.trunc();
    // 2^63 is the first that does not fit.
    if (-9223372036854775808.0..9223372036854775808.0).contains(&truncated) {
        return Ok(truncated as i64);
    }
    Err(problem::no_integer_part(value, span))
}
