//! The theorems of paper 000 about derivatives of expressions, on random expressions; and its examples.

use std::num::Wrapping;

use crate::arbitrary::*;
use proptest::prelude::*;
use riesz_algebra::expression::{derive, forward_derivative, fusion_law, reflection_law, symbolic};
use riesz_algebra::semiring::Polynomial;
use riesz_algebra::tangent::{
    Cayley, Dense, LetIn, Optional, ReverseArray, ReverseCayley, ReverseSparse, Writes, let_in_law, shared_derivative,
    theorem_2,
};
use riesz_algebra::{Expr, Nagata, Real, Semiring, Sparse, abstract_derivative, evaluate};

type Naturals = Polynomial<Variable, Wrapping<u64>>;

proptest! {
    /// Property 1, with two homomorphisms: the value modulo 2³², and the primal of a Nagata number.
    #[test]
    fn evaluation_fuses(e in expression(), values in three(integer())) {
        let modulo = |x: &Integer| Wrapping(x.0 as i32);
        holds(fusion_law(modulo, |v: &Variable| values[v.get()], &e))?;
        let primal = |x: &Nagata<Integer, Integer>| x.primal;
        holds(fusion_law(primal, |v: &Variable| Nagata { primal: values[v.get()], tangent: Wrapping(7) }, &e))?;
    }

    /// Property 2, in the semiring where expressions are equal only if the laws say so.
    #[test]
    fn evaluation_reflects(e in expression()) {
        holds(reflection_law(Naturals::variable, &e))?;
    }

    #[test]
    fn every_representation_agrees_with_dense(e in expression(), values in three(integer())) {
        let var = |v: &Variable| values[v.get()];
        holds(theorem_2::<_, _, [Integer; 3]>(var, &e))?;
        holds(theorem_2::<_, _, Optional<[Integer; 3]>>(var, &e))?;
        holds(theorem_2::<_, _, Sparse<_, _>>(var, &e))?;
        holds(theorem_2::<_, _, Cayley<_, _, Sparse<_, _>>>(var, &e))?;
        holds(theorem_2::<_, _, Writes<_, _>>(var, &e))?;
        holds(theorem_2::<_, _, ReverseSparse<_, _>>(var, &e))?;
        holds(theorem_2::<_, _, ReverseCayley<_, _>>(var, &e))?;
        holds(theorem_2::<_, _, ReverseArray<_, _>>(var, &e))?;
    }

    /// Symbolic differentiation, then evaluation, is forward mode; and each partial derivative is that of the gradient.
    #[test]
    fn symbolic_and_forward_agree(e in expression(), values in three(integer()), x in variable()) {
        let var = |v: &Variable| values[v.get()];
        let forward = forward_derivative(var, &x, &e);
        let Nagata { primal, tangent } = symbolic(&x, &e);
        prop_assert_eq!(Nagata { primal: evaluate(var, &primal), tangent: evaluate(var, &tangent) }, forward);
        let gradient: Nagata<Integer, Dense<_, _>> = abstract_derivative(var, &e);
        prop_assert_eq!(gradient.primal, forward.primal);
        prop_assert_eq!(gradient.tangent.at(&x), forward.tangent);
    }

    /// Lemma 1: sharing what a `let` binds changes nothing, also where variables shadow others.
    #[test]
    fn sharing_changes_nothing(e in expression(), values in three(integer())) {
        let var = |v: &Variable| values[v.get()];
        holds(let_in_law::<_, _, Dense<_, _>>(var, &e))?;
        holds(let_in_law::<_, _, Sparse<_, _>>(var, &e))?;
        holds(let_in_law::<_, _, ReverseSparse<_, _>>(var, &e))?;
        holds(let_in_law::<_, _, ReverseCayley<_, _>>(var, &e))?;
        holds(let_in_law::<_, _, ReverseArray<_, _>>(var, &e))?;
    }
}

/// An array without a place for a variable is no array for its gradient.
#[test]
fn arrays_that_are_too_small() {
    let array: Nagata<_, ReverseArray<_, _>> = abstract_derivative(|_: &&str| Wrapping(5i64), &Expr::variable("x"));
    assert_eq!(array.tangent.gradient().run(1, |_| 0), Some(vec![Wrapping(1)]));
    assert_eq!(array.tangent.gradient().run(0, |_| 0), None);
}

/// `let x = x · x in let x = x · x in x · y`: each name is that of the nearest `let`. The partial derivative of a
/// variable that is shadowed while it already has a part of its own is where the text of [000 §6.4] goes wrong.
#[test]
fn shadowing() {
    let (x, y) = (|| Expr::variable("x"), Expr::variable("y"));
    let inner = Expr::let_in("x", x() * x(), x() * y.clone());
    let e = x() + Expr::let_in("x", x() * x(), inner) + x();
    fn at<E: LetIn<&'static str, Wrapping<i64>>>(e: &Expr<&'static str>) -> E {
        shared_derivative(|v: &&str| Wrapping(if *v == "x" { 3 } else { 10 }), e).tangent
    }
    // 2 x + x⁴ y at (3, 10)
    let partials = [("x", Wrapping(2 + 4 * 27 * 10)), ("y", Wrapping(81))];
    for (v, expected) in partials {
        assert_eq!(at::<Sparse<_, _>>(&e).get(&v), expected);
        assert_eq!(at::<Dense<_, _>>(&e).at(&v), expected);
        assert_eq!(at::<ReverseSparse<_, _>>(&e).gradient().get(&v), expected);
        assert_eq!(at::<ReverseCayley<_, _>>(&e).gradient().gradient().get(&v), expected);
    }
}

#[test]
fn derivatives_read_well() {
    let [x, y] = ["x", "y"].map(Expr::variable);
    let e = (x.clone() + y) * x;
    assert_eq!(e.to_string(), "(x + y) x");
    assert_eq!(derive(&"x", &e).to_string(), "x + y + x");
    assert_eq!(derive(&"z", &e).to_string(), "0");
    let shared = Expr::let_in("z", e.clone(), Expr::variable("z") * e);
    assert_eq!(shared.to_string(), "let z = (x + y) x in z (x + y) x");
    assert_eq!(format!("{shared:?}"), r#"let "z" = ("x" + "y") "x" in "z" ("x" + "y") "x""#);
    assert_eq!((shared.size(), shared.nodes()), (13, 7));
}

/// Nothing is walked twice, by recursion, or dropped by recursion: `x ↦ x · x`, a million deep and used twice each time,
/// has 2^1000000 paths.
#[test]
fn deep_and_shared() {
    let mut e = Expr::variable("x");
    for _ in 0..1_000_000 {
        e = e.clone() * e;
    }
    let one = |_: &&str| Wrapping(1u64);
    assert_eq!(e.nodes(), 1_000_001);
    assert_eq!(e.size(), u64::MAX);
    // d x^(2ⁿ) / dx at 1 is 2ⁿ, which is 0 modulo 2⁶⁴
    let sparse: Nagata<_, Sparse<_, _>> = abstract_derivative(one, &e);
    assert_eq!((sparse.primal, sparse.tangent.get(&"x")), (Wrapping(1), Wrapping(0)));
    let dense: Nagata<_, Dense<_, _>> = abstract_derivative(one, &e);
    assert_eq!(dense.tangent.at(&"x"), Wrapping(0));
    let array: Nagata<_, ReverseArray<_, _>> = abstract_derivative(one, &e);
    assert_eq!(array.tangent.gradient().run(1, |_| 0), Some(vec![Wrapping(0)]));
}

/// What is done with constants has no derivative, not a zero one.   [001 §7]
#[test]
fn derivatives_of_constants_are_absent() {
    let two: Nagata<f64, Optional<f64>> = Real::constant(2.0);
    let x = Nagata { primal: 3.0, tangent: Optional(Some(1.0)) };
    assert!((two.clone().sin() * two.clone() + two.clone().exp()).tangent.0.is_none());
    assert_eq!((two * x.clone()).tangent.0, Some(2.0));
    assert_eq!(x.sin().tangent.0, Some(3.0_f64.cos()));
}

/// `let x₁ = x₀ · x₀ in let x₂ = x₁ · x₁ in …`, of which the last is the value: sharing is kept for every representation,
/// or this would take longer than there is time.
#[test]
fn lets_are_of_any_depth() {
    let depth = 100_000;
    let e = (0..depth)
        .rev()
        .fold(Expr::variable(depth), |body, v| Expr::let_in(v + 1, Expr::variable(v) * Expr::variable(v), body));
    // x^(2ⁿ) at 3, modulo 2⁶⁴: of 3^(2ⁿ) is left 1, of the derivative 2ⁿ 3^(2ⁿ − 1) nothing
    let three = |_: &usize| Wrapping(3u64);
    let array: Nagata<_, ReverseArray<_, _>> = shared_derivative(three, &e);
    assert_eq!(array.primal, Wrapping(1));
    assert_eq!(array.tangent.gradient().run(1, |v| *v), Some(vec![Wrapping(0)]));
    let sparse: Nagata<_, Sparse<_, _>> = shared_derivative(three, &e);
    assert_eq!(sparse.tangent.get(&0), Wrapping(0));
    let cayley: Nagata<_, ReverseCayley<_, _>> = abstract_derivative(three, &e);
    assert_eq!(cayley.tangent.gradient().gradient().get(&0), Wrapping(0));
    // and where something is left: let x₁ = x₀ + 1 in let x₂ = x₁ + 1 in …
    let e = (0..depth)
        .rev()
        .fold(Expr::variable(depth), |body, v| Expr::let_in(v + 1, Expr::variable(v) + Expr::one(), body));
    let array: Nagata<_, ReverseArray<_, _>> = shared_derivative(three, &e);
    assert_eq!((array.primal, array.tangent.gradient().run(1, |v| *v)), (Wrapping(100_003), Some(vec![Wrapping(1)])));
}
