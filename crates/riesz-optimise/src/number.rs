//! `1 · x = x`, `−(−x) = x`, `x − 0 = x`, `x + (−y) = x − y`, `2 (3 x) = 6 x`: the equations for numbers that hold to
//! the last bit; the last one if no intermediate value overflows or underflows.

use riesz_core::evaluate::integer_power;
use riesz_core::term::{Atom, Op};
use riesz_core::types::Type;
use riesz_primitive::scalar::{
    ABS, ADD, COSH, DIV, ERFC, EXACT_MUL, EXP, EXP2, HYPOT, MAX, MIN, MUL, NEG, POW, POWER, POWI, SQRT, SUB,
};
use riesz_primitive::{Number, Primitive};

/// The questions that can be asked about an operand.
pub(crate) struct Facts<'a> {
    /// The number whose negative it is.
    pub negated: &'a dyn Fn(Atom) -> Option<Atom>,
    /// The number of which it is a multiple.
    pub multiple: &'a dyn Fn(Atom) -> Option<Multiple>,
    /// Whether it is never −0.
    pub unsigned: &'a dyn Fn(Atom) -> bool,
}

/// A constant times a number.
#[derive(Clone, Copy)]
pub(crate) struct Multiple {
    pub factor: f64,
    pub of: Atom,
    /// Whether it is the product in which zeros are exact, which is never −0 for them.
    pub exact: bool,
}

impl Multiple {
    /// The multiple that an operation makes.
    pub fn of(op: &Op) -> Option<Multiple> {
        let Op::Scalar(primitive, operands) = op else { return None };
        let is = |row: &'static Primitive| std::ptr::eq(*primitive, row);
        let multiple = |factor, of, exact| Some(Multiple { factor, of, exact });
        match operands[..] {
            [x] if is(&NEG) => multiple(-1.0, x, false),
            [x, y] if is(&ADD) && x == y => multiple(2.0, x, false),
            [x, Atom::Real(factor)] | [Atom::Real(factor), x] if is(&MUL) || is(&EXACT_MUL) => {
                multiple(factor, x, is(&EXACT_MUL))
            }
            _ => None,
        }
    }

    /// Its own multiple, if there is one rounding in that as in both: one of the factors is a power of two.
    fn times(self, factor: f64) -> Option<Multiple> {
        let is_power = |x: f64| x.is_normal() && x.to_bits() << 12 == 0;
        let product = factor * self.factor;
        let fits = (is_power(factor) || is_power(self.factor)) && product.is_normal();
        fits.then_some(Multiple { factor: product, ..self })
    }
}

/// The simplification of a primitive of numbers; `None` if nothing is simpler.
pub(crate) fn fold(primitive: &'static Primitive, operands: &[Atom], ty: &Type, facts: &Facts) -> Option<Op> {
    let constant = constant(primitive, operands, ty).map(Op::Copy);
    constant.or_else(|| match ty {
        Type::Int => integers(primitive, operands),
        _ => reals(primitive, operands, facts),
    })
}

/// The value, where all operands are constants and it is no error. One that is not finite is computed at run time, where
/// its place can be reported.
fn constant(primitive: &'static Primitive, operands: &[Atom], ty: &Type) -> Option<Atom> {
    let row = primitive.scalar()?;
    if *ty == Type::Int {
        let integer = |operand: &Atom| match operand {
            Atom::Int(value) => Some(*value),
            _ => None,
        };
        let operands: Vec<i64> = operands.iter().map(integer).collect::<Option<_>>()?;
        return (row.integer?.value)(&operands).map(Atom::Int);
    }
    let real = |operand: &Atom| match operand {
        Atom::Real(value) => Some(*value),
        // The exponent of a power.
        Atom::Int(value) => Some(*value as f64),
        _ => None,
    };
    if let [Atom::Real(base), Atom::Int(exponent)] = *operands {
        return finite(integer_power(primitive, &base, exponent));
    }
    let operands: Vec<f64> = operands.iter().map(real).collect::<Option<_>>()?;
    row.real?;
    finite(f64::apply(primitive, &operands))
}

fn finite(value: f64) -> Option<Atom> {
    value.is_finite().then_some(Atom::Real(value))
}

fn integers(primitive: &'static Primitive, operands: &[Atom]) -> Option<Op> {
    let is = |row: &'static Primitive| std::ptr::eq(primitive, row);
    match *operands {
        [x, Atom::Int(0)] | [Atom::Int(0), x] if is(&ADD) => Some(Op::Copy(x)),
        [x, Atom::Int(0)] if is(&SUB) => Some(Op::Copy(x)),
        [x, y] if is(&SUB) && x == y => Some(Op::Copy(Atom::Int(0))),
        [x, Atom::Int(1)] | [Atom::Int(1), x] if is(&MUL) => Some(Op::Copy(x)),
        [_, Atom::Int(0)] | [Atom::Int(0), _] if is(&MUL) => Some(Op::Copy(Atom::Int(0))),
        [x, y] if (is(&MIN) || is(&MAX)) && x == y => Some(Op::Copy(x)),
        _ => None,
    }
}

fn reals(primitive: &'static Primitive, operands: &[Atom], facts: &Facts) -> Option<Op> {
    let is = |row: &'static Primitive| std::ptr::eq(primitive, row);
    let power = || is(&POW) || is(&POWER) || is(&POWI);
    let scalar = |row: &'static Primitive, operands: &[Atom]| Some(Op::Scalar(row, operands.to_vec()));
    let whole = exponent(operands.get(1));
    match *operands {
        [x, Atom::Real(0.0)] | [Atom::Real(0.0), x] if is(&ADD) && (facts.unsigned)(x) => Some(Op::Copy(x)),
        [x, Atom::Real(zero)] | [Atom::Real(zero), x] if is(&ADD) && is_zero(zero, true) => Some(Op::Copy(x)),
        [x, Atom::Real(zero)] if is(&SUB) && is_zero(zero, false) => Some(Op::Copy(x)),
        [x, y] if is(&ADD) => match ((facts.negated)(x), (facts.negated)(y)) {
            (_, Some(negative)) => scalar(&SUB, &[x, negative]),
            (Some(negative), None) => scalar(&SUB, &[y, negative]),
            (None, None) => None,
        },
        [x, y] if is(&SUB) => scalar(&ADD, &[x, (facts.negated)(y)?]),
        [x] if is(&NEG) => (facts.negated)(x).map(Op::Copy),
        [x, Atom::Real(1.0)] | [Atom::Real(1.0), x] if is(&MUL) => Some(Op::Copy(x)),
        [x, Atom::Real(-1.0)] | [Atom::Real(-1.0), x] if is(&MUL) => scalar(&NEG, &[x]),
        [x, Atom::Real(1.0)] if is(&DIV) => Some(Op::Copy(x)),
        [x, Atom::Real(-1.0)] if is(&DIV) => scalar(&NEG, &[x]),
        // The product in which zeros are exact makes 0 of −0, also where the other factor is 1.
        [_, Atom::Real(0.0)] | [Atom::Real(0.0), _] if is(&EXACT_MUL) => Some(Op::Copy(Atom::Real(0.0))),
        [x, Atom::Real(1.0)] | [Atom::Real(1.0), x] if is(&EXACT_MUL) => match (facts.unsigned)(x) {
            true => Some(Op::Copy(x)),
            false => scalar(&ADD, &[x, Atom::Real(0.0)]),
        },
        [x, Atom::Real(factor)] | [Atom::Real(factor), x] if is(&MUL) || is(&EXACT_MUL) => {
            let Multiple { factor, of, exact } = (facts.multiple)(x)?.times(factor)?;
            match exact && is(&MUL) {
                true => None,
                false => scalar(primitive, &[Atom::Real(factor), of]),
            }
        }
        [_, _] if power() && whole == Some(0.0) => Some(Op::Copy(Atom::Real(1.0))),
        [x, _] if power() && whole == Some(1.0) => Some(Op::Copy(x)),
        [x, _] if is(&POWI) && whole == Some(2.0) => scalar(&MUL, &[x, x]),
        [x, _] if is(&POWI) && whole == Some(-1.0) => scalar(&DIV, &[Atom::Real(1.0), x]),
        [x, y] if (is(&MIN) || is(&MAX)) && x == y => Some(Op::Copy(x)),
        _ => None,
    }
}

/// Whether a primitive of reals never gives −0.
pub(crate) fn is_unsigned(primitive: &'static Primitive, operands: &[Atom], unsigned: &dyn Fn(Atom) -> bool) -> bool {
    let is = |row: &'static Primitive| std::ptr::eq(primitive, row);
    match *operands {
        _ if is(&EXP) || is(&EXP2) || is(&COSH) || is(&ERFC) || is(&ABS) || is(&HYPOT) => true,
        // Only the sum of two −0 is one.
        [x, y] if is(&ADD) => unsigned(x) || unsigned(y),
        [x, _] if is(&SUB) => unsigned(x),
        [x, y] if is(&MUL) => x == y,
        [x, y] if is(&MIN) || is(&MAX) => unsigned(x) && unsigned(y),
        [x] if is(&SQRT) => unsigned(x),
        _ => false,
    }
}

fn exponent(operand: Option<&Atom>) -> Option<f64> {
    match operand {
        Some(Atom::Int(value)) => Some(*value as f64),
        Some(Atom::Real(value)) => Some(*value),
        _ => None,
    }
}

fn is_zero(value: f64, negative: bool) -> bool {
    value == 0.0 && value.is_sign_negative() == negative
}
