//! The table of real functions: every row against differences, in every kind of number.

use riesz_algebra::expression::{Elementary, Expr, derive};
use riesz_algebra::order::{Second, Stream};
use riesz_algebra::real::{Binary, Unary, derivative_law};
use riesz_algebra::tangent::ReverseSparse;
use riesz_algebra::{Kronecker, Nagata, Real, Sparse, evaluate};

/// Every function, those with parameters too.
fn unary() -> impl Iterator<Item = Unary> {
    let others = [Unary::Powi(3), Unary::Powi(-2), Unary::Powi(0), Unary::Polygamma(0), Unary::Polygamma(2)];
    Unary::ALL.iter().copied().chain(others).chain([Unary::Times(-1.5)])
}

const POINTS: [f64; 6] = [-2.3, -0.7, 0.2, 0.45, 1.3, 3.2];

#[track_caller]
fn is_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    let near = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
    assert!(near || found.is_nan() && expected.is_nan(), "{what}: {found}, not {expected}");
}

/// The derivative, from four values around the point.
fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-3;
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}

#[test]
fn derivatives_are_the_limit_of_differences() {
    let mut checked = 0;
    for function in unary() {
        let mut inside = 0;
        for x in POINTS {
            if difference(|x| x.unary(function), x).is_finite() {
                derivative_law(function, x, 1e-7).unwrap();
                inside += 1;
            }
        }
        assert!(inside >= 2, "{function:?} is checked at {inside} points");
        checked += inside;
    }
    for &function in Binary::ALL {
        for (x, y) in [(0.4, 1.7), (1.3, 0.6), (2.5, -0.8)] {
            let [a, b] = Nagata::variables([x, y]);
            let both = a.binary(function, b);
            is_near(&format!("{function:?}"), both.tangent[0], difference(|x| x.binary(function, y), x), 1e-7);
            is_near(&format!("{function:?}"), both.tangent[1], difference(|y| x.binary(function, y), y), 1e-7);
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}

/// Second derivatives of every row: dual numbers over dual numbers, compact ones, streams, symbolic ones.
#[test]
fn second_derivatives_of_every_row() {
    for function in unary() {
        for x in POINTS {
            let nested =
                Nagata { primal: Nagata { primal: x, tangent: 1.0 }, tangent: Nagata { primal: 1.0, tangent: 0.0 } };
            let expected = nested.unary(function).tangent.tangent;
            if !expected.is_finite() {
                continue;
            }
            let what = format!("{function:?} at {x}");
            let compact: Second<(), f64, Sparse<(), f64>> = Second::variable((), x).unary(function);
            is_near(&what, compact.second(&()).get(&()), expected, 1e-13);
            let stream = Stream::variable((), x).unary(function);
            is_near(&what, *stream.derivative(&()).derivative(&()).value(), expected, 1e-13);
            let symbolic: Expr<(), Elementary> = derive(&(), &derive(&(), &Expr::symbol(()).unary(function)));
            is_near(&what, evaluate(|()| x, &symbolic), expected, 1e-13);
        }
    }
}

/// Single precision is double precision, rounded.
#[test]
fn single_precision() {
    for function in unary() {
        for x in POINTS {
            let dual = Nagata { primal: x, tangent: 1.0 }.unary(function);
            let single = Nagata { primal: x as f32, tangent: 1.0f32 }.unary(function);
            is_near(&format!("{function:?} at {x}"), f64::from(single.primal), dual.primal, 1e-5);
            if dual.tangent.is_finite() {
                is_near(&format!("{function:?} at {x}"), f64::from(single.tangent), dual.tangent, 1e-4);
            }
        }
    }
    for &function in Binary::ALL {
        let (x, y) = (1.25, 0.5);
        is_near(
            &format!("{function:?}"),
            f64::from((x as f32).binary(function, y as f32)),
            x.binary(function, y),
            1e-6,
        );
    }
}

/// At the edges: exact zeros, ties, infinite slopes.
#[test]
fn edges() {
    let at = |x: f64| Nagata { primal: x, tangent: 1.0 };
    let constant = |x: f64| Nagata { primal: x, tangent: 0.0 };
    assert_eq!(at(0.0).sqrt().tangent, f64::INFINITY);
    assert_eq!(constant(0.0).sqrt().tangent, 0.0);
    assert_eq!(at(0.0).pow(constant(2.0)), Nagata { primal: 0.0, tangent: 0.0 });
    assert_eq!(at(-2.0).pow(constant(3.0)), Nagata { primal: -8.0, tangent: 12.0 });
    assert_eq!(at(0.0).pow(constant(0.0)).tangent, 0.0);
    assert_eq!(at(0.0).hypot(constant(0.0)).tangent, 0.0);
    assert_eq!(at(0.0).abs().tangent, 0.0);
    assert_eq!(at(1.0).max(constant(1.0)).tangent, 1.0);
    assert_eq!(constant(1.0).max(at(1.0)).tangent, 0.0);
    assert!(at(1.0).min(constant(f64::NAN)).primal.is_nan());
    assert_eq!(at(2.0).powi(i32::MIN).primal, 0.0);
    assert_eq!(at(3.0) / at(3.0), Nagata { primal: 1.0, tangent: 0.0 });
}

/// One function, every variant by instantiation.   [000 §6.2]
#[test]
fn written_once() {
    fn f<D: Real>(x: D, y: D) -> D {
        (x.clone() * y.clone()).tanh() + x / (y.exp() + D::one())
    }
    let (x, y) = (0.6, -1.1);
    let expected = [difference(|x| f(x, y), x), difference(|y| f(x, y), y)];
    let dense = f(Nagata { primal: x, tangent: [1.0, 0.0] }, Nagata { primal: y, tangent: [0.0, 1.0] });
    let reverse = |v: usize, primal| Nagata { primal, tangent: ReverseSparse::delta(&v) };
    let gradient = f(reverse(0, x), reverse(1, y)).tangent.gradient();
    let expression = f(Expr::<usize, Elementary>::symbol(0), Expr::symbol(1));
    assert_eq!(dense.primal, f(x, y));
    for (v, expected) in expected.into_iter().enumerate() {
        is_near("forward", dense.tangent[v], expected, 1e-10);
        is_near("reverse", gradient.get(&v), dense.tangent[v], 1e-15);
        is_near("symbolic", evaluate(|v| [x, y][*v], &derive(&v, &expression)), dense.tangent[v], 1e-15);
    }
    let text = derive(&1, &f(Expr::symbol(0), Expr::<usize, Elementary>::symbol(1))).to_string();
    assert!(text.contains("tanh"), "{text}");
}
