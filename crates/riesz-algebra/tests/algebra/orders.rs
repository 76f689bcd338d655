//! Derivatives of higher order, against each other and against the papers.

use std::collections::BTreeMap;
use std::num::Wrapping;

use proptest::prelude::*;
use riesz_algebra::order::{HessianVector, Second, Stream, hessian_vector};
use riesz_algebra::tangent::{Dense, ReverseArray, ReverseCayley};
use riesz_algebra::tower::Tower;
use riesz_algebra::{
    Expr, Finite, Module, Monoid, Nagata, Real, Ring, Semiring, Sparse, abstract_derivative, evaluate, module_laws,
    ring_laws, semiring_laws,
};

use crate::arbitrary::*;

type Dual = Nagata<Integer, Dense<Variable, Integer>>;

/// The second derivative in `y` of that in `x`, by differentiating twice.
fn twice(values: [Integer; 3], e: &Expr<Variable>, x: Variable, y: Variable) -> Integer {
    let nested: Nagata<Dual, Dense<Variable, Dual>> =
        abstract_derivative(|v: &Variable| abstract_derivative(|v| values[v.get()], &Expr::variable(*v)), e);
    nested.tangent.at(&x).tangent.at(&y)
}

/// An entry of a gradient, which is absent where it is zero.
fn entry(gradient: &BTreeMap<Variable, Stream<Variable, Integer>>, v: &Variable) -> Integer {
    gradient.get(v).map_or(Integer::zero(), |derivative| *derivative.value())
}

proptest! {
    #[test]
    fn second_derivatives_agree(e in expression(), values in three(integer()), direction in three(integer())) {
        let var = |v: &Variable| values[v.get()];
        let compact: Second<Variable, Integer, Sparse<_, _>> = evaluate(|v| Second::variable(*v, var(v)), &e);
        let reverse: Second<Variable, Integer, ReverseCayley<_, _>> = evaluate(|v| Second::variable(*v, var(v)), &e);
        let stream = evaluate(|v: &Variable| Stream::variable(*v, var(v)), &e);
        let hybrid: HessianVector<Integer, ReverseArray<_, _>> =
            hessian_vector(var, |v| direction[v.get()], &e);
        let product = hybrid.hessian_vector.gradient().array();
        let first = Variable::all().next().unwrap();
        let all = |stream: &Stream<Variable, Integer>| Stream::gradient(&[(stream.clone(), Stream::one())], &first);
        let gradient = all(&stream);
        prop_assert_eq!(*stream.value(), compact.value);
        for x in Variable::all() {
            prop_assert_eq!(*stream.derivative(&x).value(), compact.partial(&x));
            prop_assert_eq!(entry(&gradient, &x), compact.partial(&x));
            let row = gradient.get(&x).map(&all).unwrap_or_default();
            let mut along = Integer::zero();
            for y in Variable::all() {
                let expected = twice(values, &e, x, y);
                prop_assert_eq!(compact.second(&x).get(&y), expected);
                prop_assert_eq!(reverse.second(&x).gradient().gradient().get(&y), expected);
                prop_assert_eq!(*stream.derivative(&x).derivative(&y).value(), expected);
                prop_assert_eq!(entry(&row, &y), expected);
                along += expected * direction[y.get()];
            }
            prop_assert_eq!(product[x.get()], along);
        }
    }

    #[test]
    fn compact_second_derivatives_are_a_semiring([a, b, c] in three(expression()), values in three(integer())) {
        let number = |e: &Expr<Variable>| -> Second<Variable, Integer, Sparse<_, _>> {
            evaluate(|v: &Variable| Second::variable(*v, values[v.get()]), e)
        };
        let (a, b, c) = (number(&a), number(&b), number(&c));
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    /// Streams are a semiring up to every order; here up to the third.
    #[test]
    fn streams_are_a_semiring([a, b, c] in three(expression()), values in three(integer()), path in three(variable())) {
        #[derive(Clone)]
        struct UpTo(Stream<Variable, Integer>, [Variable; 3]);
        impl UpTo {
            fn values(&self) -> Vec<Integer> {
                let derivatives = self.1.iter().scan(self.0.clone(), |stream, v| {
                    *stream = stream.derivative(v);
                    Some(*stream.value())
                });
                std::iter::once(*self.0.value()).chain(derivatives).collect()
            }
        }
        let number = |e: &Expr<Variable>| evaluate(|v: &Variable| Stream::variable(*v, values[v.get()]), e);
        let same = |left: Stream<_, _>, right: Stream<_, _>| {
            UpTo(left, path).values() == UpTo(right, path).values()
        };
        let (a, b, c) = (number(&a), number(&b), number(&c));
        prop_assert!(same(a.add(&Stream::zero()), a.clone()));
        prop_assert!(same(a.add(&b), b.add(&a)));
        prop_assert!(same(a.add(&b.add(&c)), a.add(&b).add(&c)));
        prop_assert!(same(a.mul(&Stream::one()), a.clone()));
        prop_assert!(same(a.mul(&b), b.mul(&a)));
        prop_assert!(same(a.mul(&b.mul(&c)), a.mul(&b).mul(&c)));
        prop_assert!(same(a.mul(&b.add(&c)), a.mul(&b).add(&a.mul(&c))));
        prop_assert!(same(a.mul(&Stream::zero()), Stream::zero()));
        prop_assert!(same(a.sub(&b).add(&b), a.clone()));
        prop_assert!(same(Module::scale(&a, &b), a.mul(&b)));
    }
}

/// The derivatives of `sin` of every order, of a number and of a tower of numbers.
#[test]
fn all_derivatives_of_the_sine() {
    let x = 0.7;
    let mut stream = Stream::variable((), x).sin();
    for order in 0..12 {
        let expected = (x + f64::from(order) * std::f64::consts::FRAC_PI_2).sin();
        assert!((stream.value() - expected).abs() < 1e-14, "order {order}");
        stream = stream.derivative(&());
    }
}

/// A function of one's own, by the chain rule operator: the reciprocal, from its derivative `−1/x²`, which is itself.
#[test]
fn functions_of_ones_own() {
    fn inverse(x: &Stream<(), f64>) -> Stream<(), f64> {
        x.chain(|x| 1.0 / x, |x| -(inverse(x) * inverse(x)))
    }
    let (mut ours, mut theirs) = (inverse(&Stream::variable((), 2.0)), Stream::variable((), 2.0).recip());
    for order in 0..6 {
        assert_eq!(ours.value(), theirs.value(), "order {order}");
        (ours, theirs) = (ours.derivative(&()), theirs.derivative(&()));
    }
    let number = Nagata { primal: 2.0, tangent: [1.0, 0.0] };
    assert_eq!(number.chain(|x| x.sqrt(), |x| 0.5 / x.sqrt()), number.sqrt());
}

/// What is zero is absent, not computed: of a polynomial nothing is left after its degree.
#[test]
fn zeros_are_absent() {
    let x = Stream::variable("x", 3.0);
    let polynomial = x.clone() * x.clone() + Stream::constant(2.0) * x;
    assert!(polynomial.derivative_unless_zero(&"y").is_none());
    let second = polynomial.derivative(&"x").derivative(&"x");
    assert_eq!(*second.value(), 2.0);
    assert!(second.derivative_unless_zero(&"x").is_none());
    assert!(Tower::<(f64, f64), f64>::constant(&1.0).is_constant());
}

/// A million sums inside each other, the derivative, and the drop of both.
#[test]
fn streams_are_of_any_depth() {
    let x = Stream::variable("x", Wrapping(3u64));
    let sum = (0..1_000_000).fold(Stream::zero(), |sum, _| sum + x.clone() * x.clone());
    assert_eq!(*sum.derivative(&"x").value(), Wrapping(6_000_000));
    let gradient = Stream::gradient(&[(sum, Stream::one())], &"x");
    assert_eq!(*gradient[&"x"].value(), Wrapping(6_000_000));
}
