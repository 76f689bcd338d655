//! The conventions for functions that are not smooth, at the edges of their domains, and at zeros, infinities and NaN:
//! one by one.

use riesz_algebra::Nagata;
use riesz_primitive::derivative::partial_derivatives;
use riesz_primitive::scalar::*;
use riesz_primitive::{Number, Primitive};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

type Dual = Nagata<f64, f64>;

/// The partial derivatives of a row at a point.
fn partials<const N: usize>(row: &'static Primitive, point: [f64; N]) -> [f64; N] {
    partial_derivatives(row, &point, &f64::apply(row, &point)).try_into().expect("a coefficient for each argument")
}

/// The derivative of a row at a point in a direction.
fn jvp<const N: usize>(row: &'static Primitive, point: [f64; N], direction: [f64; N]) -> f64 {
    Dual::apply(row, &std::array::from_fn::<_, N, _>(|i| Nagata { primal: point[i], tangent: direction[i] })).tangent
}

/// The second derivative of a row in two directions.
fn second<const N: usize>(row: &'static Primitive, point: [f64; N], u: [f64; N], v: [f64; N]) -> f64 {
    let numbers: [Nagata<Dual, Dual>; N] = std::array::from_fn(|i| Nagata {
        primal: Nagata { primal: point[i], tangent: u[i] },
        tangent: Nagata { primal: v[i], tangent: 0.0 },
    });
    Nagata::apply(row, &numbers).tangent.tangent
}

#[track_caller]
fn same(actual: f64, expected: f64) {
    assert!(actual == expected || actual.is_nan() && expected.is_nan(), "{actual}, should be {expected}");
}

#[track_caller]
fn close(actual: f64, expected: f64) {
    assert!((actual - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(), "{actual:e}, should be {expected:e}");
}

#[test]
fn at_the_edge_of_a_domain_the_limit_from_inside() {
    for (row, x, slope) in [
        (&SQRT, 0.0, INF),
        (&SQRT, -0.0, INF),
        (&CBRT, 0.0, INF),
        (&CBRT, -0.0, INF),
        (&LOG, 0.0, INF),
        (&LOG, -0.0, INF),
        (&LOG2, 0.0, INF),
        (&LOG2, -0.0, INF),
        (&LOG10, 0.0, INF),
        (&LOG10, -0.0, INF),
        (&LOG1P, -1.0, INF),
        (&ASIN, 1.0, INF),
        (&ASIN, -1.0, INF),
        (&ACOS, 1.0, -INF),
        (&ACOS, -1.0, -INF),
        (&ACOSH, 1.0, INF),
        (&ATANH, 1.0, INF),
        (&ATANH, -1.0, INF),
    ] {
        same(partials(row, [x])[0], slope);
        same(jvp(row, [x], [0.0]), 0.0);
    }
    for row in [&POW, &POWER] {
        same(partials(row, [0.0, 0.5])[0], INF);
        same(partials(row, [-0.0, 0.5])[0], INF);
    }
}

#[test]
fn second_derivatives_at_the_edge_too() {
    same(second(&SQRT, [0.0], [1.0], [1.0]), -INF);
    same(second(&SQRT, [-0.0], [1.0], [1.0]), -INF);
    same(second(&LOG, [0.0], [1.0], [1.0]), -INF);
    same(second(&ASIN, [1.0], [1.0], [1.0]), INF);
    same(second(&POWER, [0.0, 0.5], [1.0, 0.0], [1.0, 0.0]), -INF);
    same(second(&POWER, [0.0, 1.5], [1.0, 0.0], [1.0, 0.0]), INF);
}

#[test]
fn kinks_have_the_derivative_zero() {
    same(partials(&ABS, [0.0])[0], 0.0);
    same(partials(&ABS, [-0.0])[0], 0.0);
    assert_eq!(partials(&HYPOT, [0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(partials(&ATAN2, [0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(partials(&ATAN2, [-0.0, -0.0]), [0.0, 0.0]);
    same(second(&HYPOT, [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]), 0.0);
    for row in [&SIGN, &FLOOR, &CEIL, &ROUND] {
        for x in [-1.0, -0.5, 0.0, 0.5, 1.0, INF, NAN] {
            same(jvp(row, [x], [1.0]), 0.0);
        }
    }
}

#[test]
fn ties_go_to_the_first() {
    for row in [&MAX, &MIN] {
        assert_eq!(partials(row, [2.0, 2.0]), [1.0, 0.0]);
        assert_eq!(partials(row, [0.0, -0.0]), [1.0, 0.0]);
        assert_eq!(partials(row, [INF, INF]), [1.0, 0.0]);
        for (x, y) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!(f64::apply(row, &[x, y]).to_bits(), f64::to_bits(x));
        }
        for (x, y) in [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, INF)] {
            same(f64::apply(row, &[x, y]), NAN);
        }
    }
    for row in [&MAX, &MIN] {
        assert_eq!(partials(row, [NAN, 1.0]), [1.0, 0.0]);
        assert_eq!(partials(row, [1.0, NAN]), [0.0, 1.0]);
        assert_eq!(partials(row, [NAN, NAN]), [1.0, 0.0]);
    }
    assert_eq!(partials(&MAX, [1.0, 2.0]), [0.0, 1.0]);
    assert_eq!(partials(&MAX, [2.0, 1.0]), [1.0, 0.0]);
    assert_eq!(partials(&MIN, [1.0, 2.0]), [1.0, 0.0]);
    assert_eq!(partials(&MIN, [2.0, 1.0]), [0.0, 1.0]);
}

#[test]
fn powers() {
    for row in [&POW, &POWER] {
        for x in [0.0, -0.0, -1.5, 2.0, INF, -INF, NAN] {
            same(f64::apply(row, &[x, 0.0]), 1.0);
            same(partials(row, [x, 0.0])[0], 0.0);
        }
        for (x, y, by_x, by_y) in [
            (0.0, 0.0, 0.0, -INF),
            (0.0, 0.5, INF, 0.0),
            (0.0, 1.0, 1.0, 0.0),
            (0.0, 2.0, 0.0, 0.0),
            (0.0, -1.0, -INF, -INF),
            (1.0, 3.0, 3.0, 0.0),
            (1.0, INF, INF, 0.0),
            (-2.0, 3.0, 12.0, NAN),
            (-2.0, 0.5, NAN, NAN),
            (INF, -1.0, 0.0, 0.0),
        ] {
            let actual = partials(row, [x, y]);
            same(actual[0], by_x);
            same(actual[1], by_y);
        }
        // a constant exponent contributes nothing, not even the NaN of log(-2)
        same(jvp(row, [-2.0, 3.0], [1.0, 0.0]), 12.0);
        same(second(row, [-2.0, 3.0], [1.0, 0.0], [1.0, 0.0]), -12.0);
        same(second(row, [0.0, 2.0], [1.0, 0.0], [1.0, 0.0]), 2.0);
        same(second(row, [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]), 0.0);
        // d/dy (y x^(y−1)) = 1/x at y = 0: the exact zero of the value is none of the derivative
        close(second(row, [4.0, 0.0], [1.0, 0.0], [0.0, 1.0]), 0.25);
    }
}

#[test]
fn integer_powers() {
    for x in [0.0, -0.0, -1.5, INF, NAN] {
        same(f64::apply(&POWI, &[x, 0.0]), 1.0);
        same(partials(&POWI, [x, 0.0])[0], 0.0);
        same(partials(&POWI, [x, 1.0])[0], 1.0);
        same(second(&POWI, [x, 1.0], [1.0, 0.0], [1.0, 0.0]), 0.0);
        same(second(&POWI, [x, 2.0], [1.0, 0.0], [1.0, 0.0]), 2.0);
    }
    same(partials(&POWI, [0.0, 3.0])[0], 0.0);
    same(partials(&POWI, [0.0, -1.0])[0], -INF);
    same(partials(&POWI, [-2.0, 3.0])[0], 12.0);
    same(f64::apply(&POWI, &[-3.0, 3.0]), -27.0);
}

#[test]
fn coefficients_neither_overflow_nor_cancel() {
    close(partials(&HYPOT, [1e200, 1e200])[0], 0.5f64.sqrt());
    close(partials(&HYPOT, [1e-200, 1e-200])[0], 0.5f64.sqrt());
    close(partials(&ATAN2, [1e-200, 1e-200])[0], 5e199);
    close(partials(&ATAN2, [1e200, 1e200])[1], -5e-201);
    close(partials(&DIV, [1e-200, 1e-200])[1], -1e200);
    close(partials(&ASINH, [1e200])[0], 1e-200);
    close(partials(&ACOSH, [1e200])[0], 1e-200);
    close(partials(&TANH, [20.0])[0], 1.699_341_702_116_635_6e-17);
    close(second(&TANH, [200.0], [1.0], [1.0]), -1.532_135_677_371_204_6e-173);
    same(partials(&TANH, [1000.0])[0], 0.0);
    close(partials(&EXPM1, [-40.0])[0], 4.248354255291589e-18);
    close(partials(&ASIN, [1.0 - 1e-10])[0], 70_710.675_195_108_83);
    same(partials(&ERF, [30.0])[0], 0.0);
    same(partials(&ATAN, [INF])[0], 0.0);
}

#[test]
fn values_at_special_points() {
    for (row, x, value) in [
        (&SIGN, 0.0, 0.0),
        (&SIGN, -0.0, 0.0),
        (&SIGN, NAN, NAN),
        (&SIGN, -INF, -1.0),
        (&ROUND, 0.5, 1.0),
        (&ROUND, -0.5, -1.0),
        (&ROUND, 2.5, 3.0),
        (&SQRT, -1.0, NAN),
        (&LOG, 0.0, -INF),
        (&LOG, -1.0, NAN),
        (&ACOSH, 0.5, NAN),
        (&ATANH, 1.0, INF),
        (&ATANH, 1.5, NAN),
        (&ASIN, 1.5, NAN),
        (&ERF, INF, 1.0),
        (&ERF, -INF, -1.0),
        (&ERF, NAN, NAN),
        (&ERFC, INF, 0.0),
        (&LGAMMA, 0.0, INF),
        (&LGAMMA, -0.0, INF),
        (&LGAMMA, -3.0, INF),
        (&LGAMMA, INF, INF),
        (&LGAMMA, -INF, INF),
        (&LGAMMA, NAN, NAN),
        (&LGAMMA, 1.0, 0.0),
        (&LGAMMA, 2.0, 0.0),
        (&DIGAMMA, 0.0, NAN),
        (&DIGAMMA, -0.0, NAN),
        (&DIGAMMA, -3.0, NAN),
        (&DIGAMMA, INF, INF),
        (&DIGAMMA, -INF, NAN),
        (&DIGAMMA, NAN, NAN),
    ] {
        same(f64::apply(row, &[x]), value);
    }
    same(f64::apply(&POLYGAMMA, &[1.0, INF]), 0.0);
    same(f64::apply(&POLYGAMMA, &[1.0, -2.0]), NAN);
    same(f64::apply(&POLYGAMMA, &[0.0, 0.5]), f64::apply(&DIGAMMA, &[0.5]));
    same(f64::apply(&POLYGAMMA, &[0.5, 1.0]), NAN);
    same(f64::apply(&EXACT_MUL, &[0.0, INF]), 0.0);
    same(f64::apply(&EXACT_MUL, &[NAN, 0.0]), 0.0);
    same(f64::apply(&EXACT_MUL, &[NAN, 1.0]), NAN);
}

fn integer<const N: usize>(row: &Primitive, arguments: [i64; N]) -> Option<i64> {
    (row.scalar().and_then(|scalar| scalar.integer).expect("a function of integers").value)(&arguments)
}

#[test]
fn integers() {
    const MIN_INT: i64 = i64::MIN;
    for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, -5), (MIN_INT, 3), (i64::MAX, -1)] {
        let (quotient, remainder) = (integer(&FLOOR_DIV, [a, b]).unwrap(), integer(&FLOOR_MOD, [a, b]).unwrap());
        assert_eq!(quotient.wrapping_mul(b).wrapping_add(remainder), a);
        assert!(remainder == 0 || remainder.signum() == b.signum() && remainder.abs() < b.abs());
    }
    assert_eq!(integer(&FLOOR_DIV, [1, 0]), None);
    assert_eq!(integer(&FLOOR_MOD, [1, 0]), None);
    assert_eq!(integer(&FLOOR_DIV, [MIN_INT, -1]), None);
    assert_eq!(integer(&FLOOR_MOD, [MIN_INT, -1]), Some(0));
    assert_eq!(integer(&ADD, [i64::MAX, 1]), None);
    assert_eq!(integer(&SUB, [MIN_INT, 1]), None);
    assert_eq!(integer(&MUL, [i64::MAX, 2]), None);
    assert_eq!(integer(&NEG, [MIN_INT]), None);
    assert_eq!(integer(&ABS, [MIN_INT]), None);
    assert_eq!(integer(&ABS, [-3]), Some(3));
    assert_eq!(integer(&MIN, [3, 2]), Some(2));
    assert_eq!(integer(&MAX, [3, 2]), Some(3));
    assert_eq!(integer(&POWI, [-3, 3]), Some(-27));
    assert_eq!(integer(&POWI, [0, 0]), Some(1));
    assert_eq!(integer(&POWI, [2, 63]), None);
    assert_eq!(integer(&POWI, [-2, 63]), Some(MIN_INT));
    assert_eq!(integer(&POWI, [2, -1]), None);
    assert_eq!(integer(&POWI, [-1, 1 << 40]), Some(1));
    assert_eq!(integer(&POWI, [0, 1 << 40]), Some(0));
    assert_eq!(integer(&POWI, [2, 1 << 40]), None);
}
