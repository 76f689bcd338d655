//! The laws of every instance, on values where they hold exactly.

use std::num::Wrapping;

use proptest::prelude::*;
use riesz_algebra::{Module, Monoid, Nagata, Semiring, module_laws, ring_laws, semiring_laws};

type Integer = Wrapping<i64>;
type Dual<D> = Nagata<D, D>;

fn integer() -> impl Strategy<Value = Integer> {
    any::<i64>().prop_map(Wrapping)
}

/// Whole numbers small enough for sums and products of three of them to be exact.
fn real() -> impl Strategy<Value = f64> {
    (-1000i32..1000).prop_map(f64::from)
}

fn nagata<D: std::fmt::Debug, E: std::fmt::Debug>(
    primal: impl Strategy<Value = D>,
    tangent: impl Strategy<Value = E>,
) -> impl Strategy<Value = Nagata<D, E>> {
    (primal, tangent).prop_map(|(primal, tangent)| Nagata { primal, tangent })
}

fn three<T: std::fmt::Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = [T; 3]> {
    prop::collection::vec(value, 3).prop_map(|values| [values[0].clone(), values[1].clone(), values[2].clone()])
}

fn holds(law: Result<(), String>) -> Result<(), TestCaseError> {
    law.map_err(TestCaseError::fail)
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
    }

    #[test]
    fn truth_values_are_a_semiring([a, b, c] in three(any::<bool>())) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn vectors_are_a_module(
        [a, b, _] in three(integer()),
        [u, v, w] in three((integer(), integer()).prop_map(|(x, y)| [x, y])),
    ) {
        holds(module_laws((&a, &b), (&u, &v, &w)))?;
    }

    /// Theorem 1 of paper 000.
    #[test]
    fn nagata_numbers_are_a_ring([a, b, c] in three(nagata(integer(), integer()))) {
        holds(semiring_laws(&a, &b, &c))?;
        holds(ring_laws(&a, &b))?;
        holds(module_laws((&a, &b), (&c, &a, &b)))?;
    }

    #[test]
    fn nagata_numbers_with_gradients_are_a_ring(
        [a, b, c] in three(nagata(integer(), (integer(), integer()).prop_map(|(x, y)| [x, y]))),
    ) {
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
}

#[test]
fn a_broken_law_is_named() {
    let error = semiring_laws(&0.1, &0.2, &0.3).unwrap_err();
    assert!(error.starts_with("a + (b + c) = (a + b) + c does not hold"), "{error}");
}

#[test]
fn zeros_are_exact_in_tangents() {
    for x in [f64::INFINITY, f64::NAN] {
        assert_eq!(Module::<f64>::scale(&0.0, &x), 0.0);
        assert_eq!(Module::<f64>::scale(&x, &0.0), 0.0);
    }
    // the tangent of 0 · inf is exact although its value is not
    let product = Nagata { primal: 0.0, tangent: 1.0 }.mul(&Dual::constant(f64::INFINITY));
    assert!(product.primal.is_nan());
    assert_eq!(product.tangent, f64::INFINITY);
    let constant = Dual::constant(0.0).mul(&Dual::constant(f64::INFINITY));
    assert_eq!(constant.tangent, 0.0);
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
