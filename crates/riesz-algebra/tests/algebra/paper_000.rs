//! Paper 000 from beginning to end: its examples with its numbers, and its remarks. The book shows them.

use std::num::Wrapping;

use proptest::prelude::*;
use riesz_algebra::expression::{Plain, Term, derive, forward_derivative, symbolic};
use riesz_algebra::order::{Second, Stream};
use riesz_algebra::semiring::{Interval, Polynomial, Tropical};
use riesz_algebra::tangent::{Dense, ReverseArray, ReverseCayley, ReverseSparse, Writes, shared_derivative};
use riesz_algebra::{
    CorrectAd, Expr, Kronecker, Module, Monoid, Nagata, Real, Semiring, Sparse, abstract_derivative, evaluate,
    homomorphism_laws,
};

use crate::arbitrary::*;

/// `x · (x + 1)`
fn example_1() -> Expr<&'static str> {
    let x = Expr::variable("x");
    x.clone() * (x + Expr::one())
}

/// `x · y + x + 1`
fn example_2() -> Expr<&'static str> {
    let [x, y] = ["x", "y"].map(Expr::variable);
    x.clone() * y + x + Expr::one()
}

/// `x · ((x + 1) · (x + x))`
fn example_3() -> Expr<&'static str> {
    let x = Expr::variable("x");
    x.clone() * ((x.clone() + Expr::one()) * (x.clone() + x))
}

/// `let y = x + x in y · y`
fn example_4() -> Expr<&'static str> {
    let [x, y] = ["x", "y"].map(Expr::variable);
    Expr::let_in("y", x.clone() + x, y.clone() * y)
}

/// [000 §2.1, §2.4]: 30, and 11.
#[test]
fn example_1_is_30_and_its_derivative_11() {
    // ANCHOR: example_1
    let x = Expr::variable("x");
    let e = x.clone() * (x + Expr::one());
    assert_eq!(evaluate(|_| 5.0, &e), 30.0);
    assert_eq!(derive(&"x", &e).to_string(), "x + x + 1");
    assert_eq!(forward_derivative(|_| 5.0, &"x", &e), Nagata { primal: 30.0, tangent: 11.0 });
    // ANCHOR_END: example_1
}

/// [000 Fig. 2]: what forward mode computes at each node of `x · (x + 1)`.
#[test]
fn forward_mode_node_by_node() {
    let at = |e: &Expr<&'static str>| {
        let Nagata { primal, tangent } = forward_derivative(|_| 5.0, &"x", e);
        (primal, tangent)
    };
    let x = Expr::variable("x");
    assert_eq!(at(&x), (5.0, 1.0));
    assert_eq!(at(&Expr::one()), (1.0, 0.0));
    assert_eq!(at(&(x.clone() + Expr::one())), (6.0, 1.0));
    assert_eq!(at(&example_1()), (30.0, 11.0));
}

/// The rules of [000 §2.3] as they stand there, by recursion over the expression: a witness for evaluation into dual
/// numbers, which has no rules but those of Nagata numbers.
fn derive_by_recursion(x: &Variable, e: &Expr<Variable>) -> Expr<Variable> {
    match e.term() {
        Term::Variable(y) if x == y => Expr::one(),
        Term::Variable(_) | Term::Zero | Term::One => Expr::zero(),
        Term::Sum(a, b) => derive_by_recursion(x, a) + derive_by_recursion(x, b),
        Term::Product(a, b) => b.clone() * derive_by_recursion(x, a) + a.clone() * derive_by_recursion(x, b),
        Term::Let(..) => derive_by_recursion(x, &written_out(e)),
        Term::Unary(function, _) => match *function {},
        Term::Binary(function, ..) => match *function {},
    }
}

/// The expression with what each `let` binds in the place of its variable.
fn written_out(e: &Expr<Variable>) -> Expr<Variable> {
    evaluate::<_, Plain, _>(|v| Expr::variable(*v), e)
}

proptest! {
    #[test]
    fn symbolic_derivatives_are_those_of_the_rules(e in expression(), x in variable(), values in three(integer())) {
        let value = |e: &Expr<Variable>| evaluate(|v: &Variable| values[v.get()], e);
        prop_assert_eq!(value(&derive(&x, &e)), value(&derive_by_recursion(&x, &e)));
    }

    /// [000 §2.2]: the identity is a homomorphism of semirings, and so is one after another.
    #[test]
    fn homomorphisms_are_a_category([a, b, _] in three(integer()), tangents in three(integer())) {
        let dual = |primal, tangent| Nagata { primal, tangent };
        let (a, b) = (dual(a, tangents[0]), dual(b, tangents[1]));
        let primal = |x: &Nagata<Integer, Integer>| x.primal;
        let modulo = |x: &Integer| Wrapping(x.0 as i32);
        holds(homomorphism_laws(|x: &Nagata<Integer, Integer>| *x, &a, &b))?;
        holds(homomorphism_laws(|x: &Nagata<Integer, Integer>| modulo(&primal(x)), &a, &b))?;
    }

    /// [000 App. A, eq. (A.1)]: evaluating the value and every partial derivative of a symbolic gradient is taking the
    /// gradient of values. `fmap f ∘ tan = tan ∘ bimap f (fmap f)`, for `f` the evaluation.
    #[test]
    fn evaluation_maps_over_gradients(e in expression(), values in three(integer())) {
        let var = |v: &Variable| values[v.get()];
        let formulas: Nagata<Expr<Variable>, Dense<_, _>> = abstract_derivative(|v: &Variable| Expr::variable(*v), &e);
        let numbers: Nagata<Integer, Dense<_, _>> = abstract_derivative(var, &e);
        prop_assert_eq!(evaluate(var, &formulas.primal), numbers.primal);
        let mapped = Dense::tabulate(|v| evaluate(var, &formulas.tangent.at(v)));
        prop_assert_eq!(mapped, numbers.tangent);
    }

    /// [000 §5.1]: `f (x · y) = x • f y` for the linear functions of reverse mode.
    #[test]
    fn reverse_mode_is_homogeneous(e in expression(), values in three(integer()), [x, y, _] in three(integer())) {
        let f: Nagata<Integer, ReverseSparse<_, _>> = abstract_derivative(|v: &Variable| values[v.get()], &e);
        prop_assert_eq!(f.tangent.apply(&(x * y)), f.tangent.apply(&y).scale(&x));
    }

    /// [000 §5.2]: `f (x + y) = x + f y` for functions that add something.
    #[test]
    fn insertions_are_homogeneous(e in expression(), values in three(integer()), x in three(integer()), y in three(integer())) {
        let f: Nagata<Integer, ReverseCayley<_, _>> = abstract_derivative(|v: &Variable| values[v.get()], &e);
        let sparse = |values: [Integer; 3]| Sparse::rep(&Dense::tabulate(|v: &Variable| values[v.get()]));
        let (x, y) = (sparse(x), sparse(y));
        let f = f.tangent.gradient();
        prop_assert_eq!(f.apply(x.add(&y)), x.add(&f.apply(y)));
    }
}

/// [000 §3.5, §4.3]: 21, and the gradient (4, 5), as a function and as a map.
#[test]
fn example_2_is_21_and_its_gradient_4_5() {
    // ANCHOR: example_2
    let at = |v: &&str| if *v == "x" { 5.0 } else { 3.0 };
    let dense: Nagata<_, Dense<_, _>> = abstract_derivative(at, &example_2());
    assert_eq!(dense.primal, 21.0);
    assert_eq!((dense.tangent.at(&"x"), dense.tangent.at(&"y")), (4.0, 5.0));

    let sparse: Nagata<_, Sparse<_, _>> = abstract_derivative(at, &example_2());
    let entries: Vec<_> = sparse.tangent.entries().collect();
    assert_eq!(entries, [(&"x", &4.0), (&"y", &5.0)]);
    // ANCHOR_END: example_2
}

/// [000 §5.1 – §5.3]: 170 in all six.
#[test]
fn example_3_is_170_in_all_six() {
    // ANCHOR: example_3
    let (e, at) = (example_3(), |_: &&str| 5.0);
    let symbolic = evaluate(at, &symbolic(&"x", &e).tangent);
    let dense = abstract_derivative::<_, _, _, Dense<_, _>>(at, &e).tangent.at(&"x");
    let sparse = abstract_derivative::<_, _, _, Sparse<_, _>>(at, &e).tangent.get(&"x");
    let reverse = abstract_derivative::<_, _, _, ReverseSparse<_, _>>(at, &e).tangent.gradient().get(&"x");
    let cayley = abstract_derivative::<_, _, _, ReverseCayley<_, _>>(at, &e).tangent.gradient().gradient().get(&"x");
    let array = abstract_derivative::<_, _, _, ReverseArray<_, _>>(at, &e).tangent.gradient().run(1, |_| 0);
    assert_eq!([symbolic, dense, sparse, reverse, cayley], [170.0; 5]);
    assert_eq!(array, Some(vec![170.0]));
    // ANCHOR_END: example_3
}

/// [000 Fig. 4]: the closures of reverse mode for `x · ((x + 1) · (x + x))` at 5, what each is applied to and what it
/// gives.
#[test]
fn the_closures_of_reverse_mode() {
    // ANCHOR: closures
    let at = |e: &Expr<&'static str>| -> ReverseSparse<_, _> { abstract_derivative(|_| 5.0, e).tangent };
    let x = Expr::variable("x");
    let (left, right) = (x.clone() + Expr::one(), x.clone() + x.clone());
    let product = left.clone() * right.clone();
    let whole = x.clone() * product.clone();
    let rows = [
        (whole, 1.0, 170.0),
        (product, 5.0, 110.0),
        (left, 50.0, 50.0),
        (right, 30.0, 60.0),
        (Expr::one(), 50.0, 0.0),
        (x, 60.0, 60.0),
    ];
    for (e, argument, result) in rows {
        assert_eq!(at(&e).apply(&argument).get(&"x"), result, "{e}");
    }
    // ANCHOR_END: closures
}

/// [000 §5.3]: `delta` of the array adds to one element.
#[test]
fn writes_are_writes() {
    let writes = Writes::delta(&"x").add(&Writes::multiple(&4.0, &"y")).add(&Writes::delta(&"x"));
    assert_eq!(format!("{writes:?}"), r#"["\"x\" += 1.0", "\"y\" += 4.0", "\"x\" += 1.0"]"#);
    assert_eq!(writes.run(2, |v| usize::from(*v == "y")), Some(vec![2.0, 4.0]));
}

/// [000 §6.2]: a function of any numbers is its value, its gradient, its text.
#[test]
fn example_2_written_once() {
    // ANCHOR: written_once
    fn example_2<D: Semiring>(x: D, y: D) -> D {
        x.mul(&y).add(&x).add(&D::one())
    }
    assert_eq!(example_2(5.0, 3.0), 21.0);
    let number = |v, primal| Nagata { primal, tangent: Sparse::unit(v) };
    let both: Nagata<_, Sparse<_, _>> = example_2(number("x", 5.0), number("y", 3.0));
    assert_eq!((both.primal, both.tangent.get(&"x"), both.tangent.get(&"y")), (21.0, 4.0, 5.0));
    assert_eq!(example_2(Expr::variable("x"), Expr::variable("y")).to_string(), "x y + x + 1");
    // ANCHOR_END: written_once
}

/// [000 §6.1]: `sin` and `cos` of Nagata numbers ask nothing of the gradient.
#[test]
fn trigonometric_functions() {
    let x = Nagata { primal: 0.5, tangent: Sparse::<_, f64>::unit("x") };
    assert_eq!(x.clone().sin().tangent.get(&"x"), 0.5_f64.cos());
    assert_eq!(x.cos().tangent.get(&"x"), -0.5_f64.sin());
}

/// [000 §6.3]: 300, 170, 64 compactly; 300, 170, 64, 12, 0, … as a stream.
#[test]
fn example_3_to_every_order() {
    // ANCHOR: orders
    let second: Second<_, _, Sparse<_, _>> = evaluate(|v| Second::variable(*v, 5.0), &example_3());
    assert_eq!(second.value, 300.0);
    assert_eq!((second.partial(&"x"), second.second(&"x").get(&"x")), (170.0, 64.0));

    let mut stream = evaluate(|v| Stream::variable(*v, 5.0), &example_3());
    for expected in [300.0, 170.0, 64.0, 12.0, 0.0, 0.0] {
        assert_eq!(*stream.value(), expected);
        stream = stream.derivative(&"x");
    }
    // ANCHOR_END: orders
}

/// [000 Fig. 6]: nested `n` times, Nagata numbers hold `2ⁿ` values, of which `n + 1` differ.
#[test]
fn nested_numbers_hold_the_same_twice() {
    let x = Nagata { primal: Nagata { primal: 5.0, tangent: 1.0 }, tangent: Nagata { primal: 1.0, tangent: 0.0 } };
    let e: Nagata<Nagata<f64, f64>, Nagata<f64, f64>> = evaluate(|_| x, &example_3());
    assert_eq!((e.primal.primal, e.primal.tangent, e.tangent.primal, e.tangent.tangent), (300.0, 170.0, 170.0, 64.0));
}

/// [000 §6.4]: `(x + x)²` with what is used twice named: 100 and 40, in every representation, by both evaluators.
#[test]
fn example_4_shares_its_sum() {
    // ANCHOR: sharing
    let (e, at) = (example_4(), |_: &&str| 5.0);
    let copied: Nagata<_, Sparse<_, _>> = abstract_derivative(at, &e);
    let shared: Nagata<_, ReverseCayley<_, _>> = shared_derivative(at, &e);
    assert_eq!((copied.primal, copied.tangent.get(&"x")), (100.0, 40.0));
    assert_eq!((shared.primal, shared.tangent.gradient().gradient().get(&"x")), (100.0, 40.0));
    // ANCHOR_END: sharing
    let dense: Nagata<_, Dense<_, _>> = shared_derivative(at, &e);
    assert_eq!((dense.tangent.at(&"x"), dense.tangent.at(&"y")), (40.0, 0.0));
    let array: Nagata<_, ReverseArray<_, _>> = shared_derivative(at, &e);
    assert_eq!(array.tangent.gradient().run(1, |_| 0), Some(vec![40.0]));
}

/// One line of differentiation, and what it answers over other semirings.
#[test]
fn over_other_semirings() {
    // ANCHOR: semirings
    let [x, y, z] = ["x", "y", "z"].map(Expr::variable);
    let e = x.clone() * y + z;
    // truth values: where x is false and y is true, y does not matter
    let matters: Nagata<bool, Sparse<_, bool>> = abstract_derivative(|v| *v == "y", &e);
    assert_eq!(["x", "y", "z"].map(|v| matters.tangent.get(&v)), [true, false, true]);
    // costs: the cheaper of x, then y, and of z; beside x, what goes over it costs 3
    let cost = |v: &&str| {
        Tropical(match *v {
            "x" => 2.0,
            "y" => 3.0,
            _ => 7.0,
        })
    };
    let cheapest: Nagata<Tropical, Sparse<_, Tropical>> = abstract_derivative(cost, &e);
    assert_eq!((cheapest.primal, cheapest.tangent.get(&"x")), (Tropical(5.0), Tropical(3.0)));
    // intervals: between 1 and 2, the derivative of x³ + x is between 4 and 13
    let cubic = x.clone() * (x.clone() * x.clone()) + x.clone();
    let bounds: Nagata<Interval, Sparse<_, Interval>> = abstract_derivative(|_| Interval::new(1.0, 2.0), &cubic);
    assert_eq!(bounds.tangent.get(&"x"), Interval::new(4.0, 13.0));
    // polynomials: at every point, as a formula
    type Formula = Polynomial<&'static str, Wrapping<u64>>;
    let everywhere: Nagata<Formula, Sparse<_, Formula>> = abstract_derivative(Formula::variable, &cubic);
    assert_eq!(everywhere.tangent.get(&"x").to_string(), "1 + 3 x^2");
    // ANCHOR_END: semirings
}
