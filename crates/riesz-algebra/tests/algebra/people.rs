//! Derivatives in one line, and operators with references and `f64`, against formulas.

use riesz_algebra::derivative::{gradient, hessian, hessian_vector, jacobian, taylor, value_and_gradient};
use riesz_algebra::law::near;
use riesz_algebra::real::{Custom, Primitive, primitive_law};
use riesz_algebra::tangent::Dynamic;
use riesz_algebra::{Module, Monoid, Nagata, Numeric, Real, difference_law, kronecker_laws, module_laws, quotient_law};

fn rosenbrock<D: Real>(x: &[D]) -> D {
    x.windows(2).fold(D::zero(), |sum, pair| {
        let across = pair[1].clone() - pair[0].clone().powi(2);
        let along = D::one() - pair[0].clone();
        sum + across.powi(2).times(100.0) + along.powi(2)
    })
}

#[test]
fn gradients_and_hessians() {
    let x = [1.0, 2.0, 3.0];
    let (value, slope) = value_and_gradient(rosenbrock, &x);
    assert_eq!((value, &slope), (201.0, &gradient(rosenbrock, &x)));
    assert_eq!(slope, [-400.0, 1002.0, -200.0]);
    // 1200 x² − 400 y + 2 on the diagonal, −400 x beside it
    let expected = [[402.0, -400.0, 0.0], [-400.0, 200.0 + 4800.0 - 1200.0 + 2.0, -800.0], [0.0, -800.0, 200.0]];
    assert_eq!(hessian(rosenbrock, &x), expected);
    let product = hessian_vector(rosenbrock, &x, &[1.0, -1.0, 2.0]);
    for (row, found) in expected.iter().zip(&product) {
        assert_eq!(row[0] - row[1] + 2.0 * row[2], *found);
    }
    assert!(gradient(|_| Nagata::constant(3.0), &[]).is_empty());
    let rows = jacobian(|x| vec![&x[0] * &x[1], x[1].clone().sin(), Nagata::constant(1.0)], &[2.0, 0.5]);
    assert_eq!(rows, [[0.5, 2.0], [0.0, 0.5_f64.cos()], [0.0, 0.0]]);
}

/// Forward mode for a number of variables that is known at run time.
#[test]
fn gradients_of_any_length() {
    for n in [2, 3, 20] {
        let x: Vec<f64> = (0..n).map(|i| 0.8 + 0.3 * f64::from(i).sin()).collect();
        let found = rosenbrock(&Dynamic::variables(&x)).tangent;
        for (a, b) in found.coefficients(x.len()).iter().zip(gradient(rosenbrock, &x)) {
            near("both gradients are equal", *a, b, 1e-13).unwrap();
        }
        assert_eq!(found.get(x.len()), 0.0);
    }
    let vector = |coefficients: &[f64]| {
        let variables = Dynamic::variables(&vec![0.0; coefficients.len()]);
        let parts = coefficients.iter().zip(&variables).map(|(c, x)| x.tangent.scale(c));
        parts.fold(Dynamic::zero(), |sum: Dynamic<f64>, part| sum.add(&part))
    };
    let (u, v, w) = (vector(&[1.0, 2.0]), vector(&[4.0, 0.0, 8.0]), vector(&[]));
    for (u, v, w) in [(&u, &v, &w), (&w, &u, &v), (&v, &w, &u)] {
        module_laws((&2.0, &4.0), (u, v, w)).unwrap();
        difference_law(u, v).unwrap();
        quotient_law((&2.0, &0.5), (u, v)).unwrap();
        kronecker_laws(&2.0, &3, u).unwrap();
    }
}

#[test]
fn taylor_series() {
    assert_eq!(taylor(|x| x.sin(), 0.0, 5), [0.0, 1.0, 0.0, -1.0 / 6.0, 0.0, 1.0 / 120.0]);
    assert_eq!(taylor(|x| x.powi(2), 3.0, 4), [9.0, 6.0, 1.0, 0.0, 0.0]);
    assert_eq!(taylor(|_| Real::constant(2.0), 1.0, 2), [2.0, 0.0, 0.0]);
}

/// Every operator with every kind of operand, generic.
fn operators<D: Numeric>(x: D, y: D) -> D {
    let mut sum: D = [x.clone() * 2.0, y.clone() / 4.0, x.clone() - 1.0].into_iter().sum();
    sum += x.clone() * y.clone();
    sum -= y.clone();
    sum *= x.clone() + 3.0;
    sum /= y.clone();
    if sum > 0.0 && x.value() < y.value() { sum } else { -sum }
}

// What is tested are the operators of references.
#[allow(clippy::op_ref)]
#[test]
fn operators_with_numbers_and_references() {
    let f = |x: f64, y: f64| operators(x, y);
    for (x, y) in [(0.5, 1.7), (2.0, 0.5), (-2.5, 1.5)] {
        let [a, b] = Nagata::variables([x, y]);
        let found = operators(a, b);
        let h = 1e-6;
        let differences = [(f(x + h, y) - f(x - h, y)) / (2.0 * h), (f(x, y + h) - f(x, y - h)) / (2.0 * h)];
        assert_eq!(found.primal, f(x, y));
        for (tangent, difference) in found.tangent.iter().zip(differences) {
            assert!((tangent - difference).abs() < 1e-7 * difference.abs().max(1.0), "{tangent} {difference}");
        }
    }
    let [x, y] = Nagata::variables([3.0, 5.0]);
    assert_eq!((&x * &y).tangent, [5.0, 3.0]);
    assert_eq!((2.0 * &x - 1.0).tangent, [2.0, 0.0]);
    assert_eq!((1.0 - &y).tangent, [0.0, -1.0]);
    assert_eq!((1.0 / x).tangent, [-1.0 / 9.0, 0.0]);
    assert_eq!((&x + y - &x).primal, 5.0);
    assert_eq!([x, y].iter().sum::<Nagata<f64, [f64; 2]>>().tangent, [1.0, 1.0]);
    assert!(x < 4.0 && x == 3.0 && !(x > 3.0));
}

/// The function `x ↦ x log x` as one of one's own, whose derivative uses it again.
struct Entropy;

impl Primitive for Entropy {
    fn value(x: f64) -> f64 {
        x * x.ln()
    }

    fn derivative<D: Custom>(x: D) -> D {
        x.clone().apply::<Entropy>() / x + D::one()
    }
}

#[test]
fn functions_of_ones_own() {
    let direct = |x: Nagata<Nagata<f64, f64>, Nagata<f64, f64>>| x * x.ln();
    for at in [0.3, 1.0, 2.5] {
        primitive_law::<Entropy>(at, 1e-9).unwrap();
        let number = |primal: f64, tangent: f64| Nagata { primal, tangent };
        let x = Nagata { primal: number(at, 1.0), tangent: number(1.0, 0.0) };
        let (found, expected) = (x.apply::<Entropy>(), direct(x));
        near("value", found.primal.primal, expected.primal.primal, 1e-14).unwrap();
        near("first derivative", found.tangent.primal, expected.tangent.primal, 1e-14).unwrap();
        near("second derivative", found.tangent.tangent, expected.tangent.tangent, 1e-13).unwrap();
    }
    assert!(near("a law", 1.0, 1.1, 1e-3).is_err() && near("a law", f64::NAN, 1.0, 1.0).is_err());
}

/// Three levels: the compiler of Rust takes seconds for this, because the table of functions is not inlined into itself.
#[test]
fn third_derivatives_by_numbers_over_numbers() {
    type First = Nagata<f64, f64>;
    type Second = Nagata<First, First>;
    type Third = Nagata<Second, Second>;
    let number = |primal: f64, tangent: f64| Nagata { primal, tangent };
    let second = |a, b| Nagata { primal: a, tangent: b };
    let x: Third = Nagata {
        primal: second(number(0.7, 1.0), number(1.0, 0.0)),
        tangent: second(number(1.0, 0.0), number(0.0, 0.0)),
    };
    let y = x.sin() * x.exp() / x.hypot(<Third as Real>::constant(0.0));
    let found = y.tangent.tangent.tangent;
    let series = taylor(|x| x.clone().sin() * x.clone().exp() / x, 0.7, 3);
    assert!((found - 6.0 * series[3]).abs() < 1e-10, "{found} {}", 6.0 * series[3]);
}
