//! The laws of every instance, on values where they hold exactly.

use std::num::Wrapping;

use crate::arbitrary::*;
use proptest::prelude::*;
use riesz_algebra::finite::{Below, Either, finite_laws};
use riesz_algebra::semiring::{Interval, Polynomial, Tropical, homomorphism_laws, interval_laws};
use riesz_algebra::tangent::{
    Cayley, Dense, Optional, ReverseArray, ReverseCayley, ReverseSparse, Writes, correct_ad_laws,
};
use riesz_algebra::{
    CorrectAd, Expr, Kronecker, Module, Monoid, Nagata, Semiring, Sparse, difference_law, evaluate, kronecker_laws,
    module_laws, quotient_law, ring_laws, semiring_laws,
};

type Dual<D> = Nagata<D, D>;
type Naturals = Polynomial<Variable, Wrapping<u64>>;

fn pair() -> impl Strategy<Value = [Integer; 2]> {
    (integer(), integer()).prop_map(|(x, y)| [x, y])
}

fn polynomial() -> impl Strategy<Value = Naturals> {
    prop::collection::vec((prop::collection::vec(variable(), 0..3), 0u64..5), 0..4).prop_map(|terms| {
        terms.into_iter().fold(Naturals::zero(), |sum, (variables, coefficient)| {
            let start = Naturals::constant(Wrapping(coefficient));
            sum.add(&variables.iter().fold(start, |product, v| product.mul(&Naturals::variable(v))))
        })
    })
}

/// Gradients as values, from which every representation is made.
fn gradient<E: CorrectAd<Variable, Integer>>(values: [Integer; 3]) -> E {
    E::rep(&Dense::tabulate(|v: &Variable| values[v.get()]))
}

/// Every law of a representation of gradients.
fn tangent_laws<E>(c: Integer, d: Integer, v: Variable, [u, w, x]: [[Integer; 3]; 3]) -> Result<(), String>
where
    E: CorrectAd<Variable, Integer> + PartialEq + std::fmt::Debug,
{
    let (u, w, x): (E, E, E) = (gradient(u), gradient(w), gradient(x));
    module_laws((&c, &d), (&u, &w, &x))?;
    kronecker_laws(&d, &v, &u)?;
    correct_ad_laws(&d, &v, (&u, &w))?;
    // Theorem 1 of paper 000: Nagata numbers over it are a semiring
    let number = |primal, tangent: &E| Nagata { primal, tangent: tangent.clone() };
    semiring_laws(&number(c, &u), &number(d, &w), &number(c, &x))
}

proptest! {
    #[test]
    fn integers_are_a_ring([a, b, c] in three(integer())) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn reals_are_a_ring([a, b, c] in three(real())) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
        holds(module_laws((&a, &b), (&[c, a, b], &[a, b, c], &[b, a, b])))?;
        holds(difference_law::<f64, _>(&[c, a, b], &[a, b, c]))?;
        holds(quotient_law((&a, &0.25), (&[c, a, b], &[a, b, c])))?;
        let single = |x: f64| (x / 10.0).round() as f32;
        let (a, b, c) = (single(a), single(b), single(c));
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn truth_values_are_a_semiring([a, b, c] in three(any::<bool>())) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn costs_are_a_semiring([a, b, c] in three(prop_oneof![real(), Just(f64::INFINITY)].prop_map(Tropical))) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn polynomials_are_a_semiring([a, b, c] in three(polynomial())) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn intervals_are_nearly_a_semiring([a, b, c] in three((any::<f64>(), any::<f64>()))) {
        let (a, b, c) = (Interval::new(a.0, a.1), Interval::new(b.0, b.1), Interval::new(c.0, c.1));
        holds(interval_laws(&a, &b, &c))?;
    }

    /// Where no end is negative and nothing is rounded, the missing half of the law is there, too.
    #[test]
    fn positive_intervals_are_a_semiring([a, b, c] in three((0u8..100, 0u8..100))) {
        let [a, b, c] = [a, b, c].map(|(low, high)| Interval::new(f64::from(low), f64::from(high)));
        holds(semiring_laws(&a, &b, &c))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    /// The exact sum and product of small fractions, in numbers of twice the width, are between the ends.
    #[test]
    fn intervals_contain_what_is_exact((a, b) in (any::<i64>(), any::<i64>())) {
        let (x, y) = (a as f64, b as f64);
        let (sum, product) = (x as i128 + y as i128, (x as i128).checked_mul(y as i128));
        let between = |exact: i128, interval: Interval| {
            (interval.low() as i128) <= exact && exact <= (interval.high() as i128)
        };
        prop_assert!(between(sum, Interval::point(x).add(&Interval::point(y))));
        prop_assert!(product.is_none_or(|exact| between(exact, Interval::point(x).mul(&Interval::point(y)))));
    }

    /// Expressions are a semiring up to its laws: two of them are the same where their polynomials are.
    #[test]
    fn expressions_are_a_semiring([a, b, c] in three(expression()), values in three(integer())) {
        let normal = |e: &Expr<Variable>| evaluate(|v: &Variable| Naturals::variable(v), e);
        holds(homomorphism_laws(normal, &a, &b))?;
        holds(semiring_laws(&normal(&a), &normal(&b), &normal(&c)))?;
        holds(homomorphism_laws(|e| evaluate(|v: &Variable| values[v.get()], e), &a, &b))?;
    }

    #[test]
    fn vectors_are_a_module([a, b, _] in three(integer()), [u, v, w] in three(pair())) {
        holds(module_laws((&a, &b), (&u, &v, &w)))?;
        holds(difference_law::<Integer, _>(&u, &v))?;
        holds(quotient_law((&a, &b), (&u, &v)))?;
        let pairs = [u, v, w].map(|[x, y]| (x, (y, ())));
        holds(module_laws((&a, &b), (&pairs[0], &pairs[1], &pairs[2])))?;
        let two = |v: usize| Below::<2>::new(v).unwrap();
        holds(kronecker_laws(&a, &two(0), &u))?;
        holds(correct_ad_laws(&a, &two(1), (&u, &v)))?;
        holds(kronecker_laws(&a, &(), &b))?;
    }

    /// Theorem 1 of paper 000.
    #[test]
    fn nagata_numbers_are_a_ring([a, b, c] in three(nagata(integer(), integer()))) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn nagata_numbers_with_gradients_are_a_ring([a, b, c] in three(nagata(integer(), pair()))) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
    }

    #[test]
    fn nagata_numbers_over_nagata_numbers_are_a_ring(
        [a, b, c] in three(nagata(nagata(integer(), integer()), nagata(integer(), integer()))),
    ) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
    }

    /// Long vectors are merged, short ones inserted.
    #[test]
    fn long_sparse_vectors_are_a_module(
        [c, d, _] in three(integer()),
        vectors in three(prop::collection::vec((0usize..50, integer()), 0..60)),
    ) {
        let [u, v, w] = vectors.map(|entries| entries.iter().fold(Sparse::zero(), |sum, (v, d)| sum.insert(d, v)));
        holds(module_laws((&c, &d), (&u, &v, &w)))?;
        let sum = u.add(&v);
        prop_assert!((0..50).all(|at| sum.get(&at) == u.get(&at) + v.get(&at)));
    }

    #[test]
    fn every_representation_is_right(
        [c, d, _] in three(integer()),
        v in variable(),
        gradients in three(three(prop_oneof![integer(), Just(Wrapping(0))])),
    ) {
        holds(tangent_laws::<[Integer; 3]>(c, d, v, gradients))?;
        holds(tangent_laws::<Dense<_, _>>(c, d, v, gradients))?;
        holds(tangent_laws::<Optional<[Integer; 3]>>(c, d, v, gradients))?;
        holds(tangent_laws::<Optional<ReverseArray<_, _>>>(c, d, v, gradients))?;
        holds(tangent_laws::<Sparse<_, _>>(c, d, v, gradients))?;
        holds(tangent_laws::<Cayley<_, _, Sparse<_, _>>>(c, d, v, gradients))?;
        holds(tangent_laws::<Cayley<_, _, [Integer; 3]>>(c, d, v, gradients))?;
        holds(tangent_laws::<Writes<_, _>>(c, d, v, gradients))?;
        holds(tangent_laws::<ReverseSparse<_, _>>(c, d, v, gradients))?;
        holds(tangent_laws::<ReverseCayley<_, _>>(c, d, v, gradients))?;
        holds(tangent_laws::<ReverseArray<_, _>>(c, d, v, gradients))?;
    }
}

#[test]
fn finite_types_list_their_values() {
    finite_laws::<std::convert::Infallible>().unwrap();
    finite_laws::<()>().unwrap();
    finite_laws::<bool>().unwrap();
    finite_laws::<Below<5>>().unwrap();
    finite_laws::<Either<bool, Below<3>>>().unwrap();
    finite_laws::<(Below<3>, Either<(), bool>)>().unwrap();
    assert_eq!(Below::<3>::new(3), None);
}

#[test]
fn a_broken_law_is_named() {
    let error = semiring_laws(&0.1, &0.2, &0.3).unwrap_err();
    assert!(error.starts_with("a + (b + c) = (a + b) + c does not hold"), "{error}");
}

#[test]
fn zeros_are_exact_in_tangents() {
    for x in [f64::INFINITY, f64::NAN, f64::NEG_INFINITY] {
        assert_eq!(Module::<f64>::scale(&0.0, &x), 0.0);
        assert_eq!(Module::<f64>::scale(&x, &0.0), 0.0);
        assert_eq!([0.0, 0.0].scale(&x), [0.0, 0.0]);
        assert_eq!([x, 1.0].scale(&0.0), [0.0, 0.0]);
    }
    assert_eq!([0.0, 2.0].scale(&f64::INFINITY), [0.0, f64::INFINITY]);
    // the tangent of 0 · inf is exact although its value is not
    let product = Nagata { primal: 0.0, tangent: 1.0 }.mul(&Dual::constant(f64::INFINITY));
    assert!(product.primal.is_nan());
    assert_eq!(product.tangent, f64::INFINITY);
    let constant = Dual::constant(0.0).mul(&Dual::constant(f64::INFINITY));
    assert_eq!(constant.tangent, 0.0);
}

/// Short and long vectors are multiplied in ways of their own; all of them are, number by number, one product that knows
/// of no infinities where a factor is zero.
#[test]
fn zeros_are_exact_in_vectors_of_every_length() {
    exact_in_vectors::<0>();
    exact_in_vectors::<1>();
    exact_in_vectors::<2>();
    exact_in_vectors::<5>();
    exact_in_vectors::<16>();
}

fn exact_in_vectors<const N: usize>() {
    const NUMBERS: [f64; 11] = [
        0.0,
        -0.0,
        1.0,
        -2.5,
        1e300,
        -1e-300,
        f64::MIN_POSITIVE / 4.0,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    for (turn, a) in NUMBERS.into_iter().enumerate() {
        let u: [f64; N] = std::array::from_fn(|i| NUMBERS[(i + turn) % NUMBERS.len()]);
        let expect = |what: &str, actual: [f64; N], expected: &dyn Fn(usize) -> f64| {
            for (i, x) in actual.into_iter().enumerate() {
                assert!(same(x, expected(i)), "{what}, {N} numbers, by {a}, at {}: {x}", u[i]);
            }
        };
        expect("scale", u.scale(&a), &|i| product(a, u[i]));
        if a != 0.0 && a.is_finite() {
            expect("scale by an ordinary number", u.scale_ordinary(&a), &|i| product(a, u[i]));
        }
        for (shift, b) in NUMBERS.into_iter().enumerate() {
            let v: [f64; N] = std::array::from_fn(|i| NUMBERS[(i + shift) % NUMBERS.len()]);
            expect("combine", Module::combine(&u, &a, &v, &b), &|i| product(a, u[i]) + product(b, v[i]));
            let (ratio, zero) = (b * a, [0.0; N]);
            expect("quotient", Module::quotient(&u, &b, &v, &a), &|i| match ratio.abs() {
                0.0 | f64::INFINITY => product(a, u[i]) + product(-(ratio * a), v[i]),
                _ if ratio.is_nan() => product(a, u[i]) + product(ratio, v[i]),
                _ => a * (u[i] - ratio * v[i]),
            });
            expect("quotient of constants", Module::quotient(&zero, &b, &zero, &a), &|_| 0.0);
            expect("difference", Module::<f64>::difference(&u, &v), &|i| u[i] - v[i]);
            // single precision, where these factors are ordinary or not as they are here
            let (u, v) = (u.map(|x| x as f32), v.map(|x| x as f32));
            let sum = Module::combine(&u, &(a as f32), &v, &(b as f32));
            let product = |a: f32, b: f32| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
            for (i, x) in sum.into_iter().enumerate() {
                let expected = product(a as f32, u[i]) + product(b as f32, v[i]);
                assert!(x == expected || x.is_nan() && expected.is_nan(), "{x} for {expected}");
            }
        }
    }
}

#[test]
fn sparse_vectors_keep_what_may_matter() {
    let (u, v) = (Sparse::unit(0).add(&Sparse::unit(3).scale(&2.0)), Sparse::unit(1).add(&Sparse::unit(3)));
    let sum: Vec<(usize, f64)> = u.add(&v).entries().map(|(at, value)| (*at, *value)).collect();
    assert_eq!(sum, [(0, 1.0), (1, 1.0), (3, 3.0)]);
    assert_eq!(u.scale(&0.0).entries().count(), 2);
    assert_eq!(u.scale(&0.0), Sparse::zero());
}

#[test]
fn second_derivatives_by_nesting() {
    // x³ at 2: 8, 12, 12
    let x: Dual<Dual<f64>> =
        Nagata { primal: Nagata { primal: 2.0, tangent: 1.0 }, tangent: Nagata { primal: 1.0, tangent: 0.0 } };
    let cube = x.mul(&x).mul(&x);
    assert_eq!(cube.primal, Nagata { primal: 8.0, tangent: 12.0 });
    assert_eq!(cube.tangent, Nagata { primal: 12.0, tangent: 12.0 });
    assert_eq!(cube.add(&Monoid::zero()), cube);
}
