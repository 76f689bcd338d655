//! Derivatives as linear maps, and the specification of paper 001.

use riesz_algebra::space::LinearMap;
use riesz_algebra::tower::{Differentiable, Differential, Function, Tower, naturality_law, pairing_law};
use riesz_algebra::{Monoid, Nagata, Real, Semiring, homomorphism_laws};

type Plane = (f64, f64);

fn product() -> Differentiable<Plane, f64> {
    Differentiable::new(|(x, y)| x * y, |&(x, y)| LinearMap::linear(move |(dx, dy)| y * dx + x * dy))
}

fn turn() -> Differentiable<Plane, Plane> {
    Differentiable::linear(LinearMap::linear(|&(x, y): &Plane| (-y, x)))
}

/// `D x x' * D y y'`, from the derivative of `(·)` and the chain rule, is the product of Nagata numbers.   [001 §10.3]
#[test]
fn the_product_rule_follows_from_the_chain_rule() {
    let number = |value, slopes: Plane| Differential {
        value,
        derivative: LinearMap::linear(move |&(dx, dy): &Plane| slopes.0 * dx + slopes.1 * dy),
    };
    let (a, b) = (number(3.0, (1.0, 4.0)), number(5.0, (2.0, -1.0)));
    let mapped: Nagata<f64, LinearMap<Plane, f64>> = a.pair(&b).map(&product()).into();
    let (a, b): (Nagata<_, _>, Nagata<_, _>) = (a.into(), b.into());
    assert_eq!(mapped, Semiring::mul(&a, &b));
    assert_eq!(mapped.tangent.gradient(), (11.0, 17.0));
    assert_eq!(Differential::from(mapped).value, 15.0);
}

#[test]
fn sampling_is_natural() {
    let composition: Differentiable<Plane, f64> = Differentiable::new(
        |&(x, y): &Plane| -y * x,
        |&(x, y)| LinearMap::linear(move |&(dx, dy): &Plane| -y * dx - x * dy),
    );
    let both = Differentiable::new(
        |&(x, y): &Plane| (x * y, (-y, x)),
        |&(x, y)| LinearMap::linear(move |&(dx, dy): &Plane| (y * dx + x * dy, (-dy, dx))),
    );
    for x in [(1.0, 2.0), (0.0, -3.5), (1e8, 0.25)] {
        naturality_law(&turn(), &product(), &composition, &x).unwrap();
        pairing_law(&product(), &turn(), &both, &x).unwrap();
    }
    let error = naturality_law(&turn(), &product(), &product(), &(1.0, 2.0)).unwrap_err();
    assert!(error.starts_with("map g (sample f x) = sample (g ∘ f) x, the value does not hold"), "{error}");
}

/// A torus: two dimensions in, three out [001 §8.3]. The Jacobian against formulas, the second derivative by symmetry.
#[test]
fn two_dimensions_in_three_out() {
    let torus = Tower::<Plane, [f64; 3]>::sample(&(0.3, 0.8), |(s, t)| {
        let radius = t.clone().cos() + Real::constant(2.0);
        [radius.clone() * s.clone().cos(), radius * s.clone().sin(), t.clone().sin()]
    });
    let (s, t) = (0.3_f64, 0.8_f64);
    let jacobian = torus.derivative().value();
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-14));
    near(jacobian.apply(&(1.0, 0.0)), [-(2.0 + t.cos()) * s.sin(), (2.0 + t.cos()) * s.cos(), 0.0]);
    near(jacobian.apply(&(0.0, 1.0)), [-t.sin() * s.cos(), -t.sin() * s.sin(), t.cos()]);
    let second = torus.derivative().derivative().value();
    near(second.apply(&(1.0, 0.0)).apply(&(0.0, 1.0)), second.apply(&(0.0, 1.0)).apply(&(1.0, 0.0)));
    near(second.apply(&(0.0, 1.0)).apply(&(0.0, 1.0)), [-t.cos() * s.cos(), -t.cos() * s.sin(), -t.sin()]);
}

/// Towers of vectors: linear maps, products and pairs pass through, with all derivatives.
#[test]
fn towers_over_spaces() {
    let at = (2.0, 3.0);
    let point = Tower::identity(&at);
    let length = Tower::<Plane, f64>::sample(&at, |(x, y)| x.clone() * x.clone() + y.clone() * y.clone());
    // (x² + y²) • (x, y): the derivative at (1, 0) is (3x² + y², 2xy)
    let scaled = length.multiply(&point, |c: &f64, (x, y): &Plane| (c * x, c * y));
    assert_eq!(scaled.value(), (26.0, 39.0));
    assert_eq!(scaled.derivative().value().apply(&(1.0, 0.0)), (21.0, 12.0));
    let second = scaled.derivative().derivative();
    assert_eq!(second.value().apply(&(1.0, 0.0)).apply(&(0.0, 1.0)), (6.0, 4.0));
    let turned = scaled.map_linear(&LinearMap::linear(|&(x, y): &Plane| (-y, x)));
    assert_eq!(turned.derivative().value().apply(&(1.0, 0.0)), (-12.0, 21.0));
    let both = scaled.pair(&turned);
    assert_eq!(both.value(), ((26.0, 39.0), (-39.0, 26.0)));
    let sum = both.map::<Plane>(|((a, b), (c, d))| (a.clone() + c.clone(), b.clone() + d.clone()));
    assert_eq!(sum.value(), scaled.add(&turned).value());
    assert_eq!(sum.derivative().value(), scaled.add(&turned).derivative().value());
}

/// The rules of [001 Fig. 1] as equations between functions: `d (f ∘ u) = f' u · du`, for every function of the table.
#[test]
fn rules_are_equations_between_functions() {
    use riesz_algebra::real::Unary;
    let u = Function::<f64, f64>::new(|x| 0.3 + 0.2 * x.sin());
    let du = Function::<f64, f64>::new(|x| 0.2 * x.cos());
    for &function in Unary::ALL {
        // acosh is defined from 1 on
        let shift = if function == Unary::Acosh { 1.0 } else { 0.0 };
        let u = u.clone() + Function::constant(shift);
        let rule = function.derivative(&u, &u.clone().unary(function)) * du.clone();
        let at = |x: f64| {
            let u = Nagata { primal: 0.3 + 0.2 * x.sin() + shift, tangent: 0.2 * x.cos() };
            u.unary(function).tangent
        };
        for x in [0.1, 0.9, 2.5] {
            let (left, right) = (rule.apply(&x), at(x));
            assert!((left - right).abs() <= 1e-14 * right.abs(), "{function:?} at {x}: {left} and {right}");
        }
    }
}

/// Taking the value at a point is a homomorphism, so functions keep the laws that their values keep.
#[test]
fn functions_keep_the_laws_of_numbers() {
    let f = Function::<f64, f64>::new(|x| 3.0 * x);
    let g = f.clone() * f.clone() - Function::constant(7.0);
    for x in [-2.0, 0.0, 5.0] {
        homomorphism_laws(|f: &Function<f64, f64>| f.apply(&x), &f, &g).unwrap();
        assert_eq!((-f.clone()).apply(&x), -f.apply(&x));
        assert_eq!((g.clone() / f.clone()).apply(&x).to_bits(), (g.apply(&x) / f.apply(&x)).to_bits());
    }
    assert_eq!(format!("{g:?}"), "sub(f f, 7(1))");
}

#[test]
fn functions_are_of_any_depth() {
    let x = Function::<f64, f64>::new(|x| *x);
    let sum = (0..1_000_000).fold(Function::zero(), |sum, _| sum + x.clone());
    assert_eq!(sum.apply(&0.5), 500_000.0);
    assert_eq!(sum.after(|x: &f32| f64::from(*x)).apply(&0.25), 250_000.0);
}
