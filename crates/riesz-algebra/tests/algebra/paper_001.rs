//! Paper 001 from beginning to end: its examples with its numbers. The book shows them.

use riesz_algebra::order::Stream;
use riesz_algebra::space::{InnerSpace, LinearMap};
use riesz_algebra::tower::{Differentiable, Differential, Function, Tower};
use riesz_algebra::{Nagata, Real};

/// [001 §1]: the square root of `3 sin z` at 2, to the digits that are printed there, and by hand. Multiplying by a slope
/// where the paper divides may round the last bit of the derivative the other way.
#[test]
fn the_root_of_three_sines() {
    // ANCHOR: root
    fn f1<D: Real>(z: D) -> D {
        (D::constant(3.0) * z.sin()).sqrt()
    }
    let at_2 = f1(Nagata { primal: 2.0, tangent: 1.0 });
    assert_eq!(at_2.primal.to_string(), "1.6516332160855343");
    assert!((at_2.tangent - -0.3779412091869595).abs() <= f64::EPSILON / 4.0, "{}", at_2.tangent);
    // ANCHOR_END: root
    let z: f64 = 2.0;
    assert_eq!(3.0 * z.cos() / (2.0 * (3.0 * z.sin()).sqrt()), -0.3779412091869595);
    let symbolic = Function::<f64, f64>::new(|z| *z);
    assert_eq!(f1(symbolic).apply(&2.0), at_2.primal);
}

/// [001 §5.1]: sampling is a homomorphism. What a function is at a point is what its parts are there, combined:
/// `toD (u · v) = toD u · toD v`, and so on for sums, negatives, sines.
#[test]
fn sampling_preserves_numbers() {
    type Dual = Nagata<f64, f64>;
    let close = |a: Dual, b: Dual| {
        assert!((a.primal - b.primal).abs() < 1e-15 && (a.tangent - b.tangent).abs() < 1e-14, "{a:?} and {b:?}");
    };
    let u = |x: f64| Nagata { primal: x * x, tangent: 2.0 * x };
    let v = |x: f64| Nagata { primal: x.exp(), tangent: x.exp() };
    for x in [-0.7, 0.3, 1.1_f64] {
        let (a, b) = (u(x).primal, v(x).primal);
        let (da, db) = (u(x).tangent, v(x).tangent);
        close(u(x) + v(x), Nagata { primal: x * x + x.exp(), tangent: 2.0 * x + x.exp() });
        close(u(x) * v(x), Nagata { primal: a * b, tangent: (x * x + 2.0 * x) * x.exp() });
        close(-u(x), Nagata { primal: -a, tangent: -da });
        close(u(x).sin(), Nagata { primal: (x * x).sin(), tangent: (x * x).cos() * 2.0 * x });
        close(v(x).cos(), Nagata { primal: b.cos(), tangent: -b.sin() * db });
        close(Nagata::constant(3.0), Nagata { primal: 3.0, tangent: 0.0 });
    }
}

/// [001 §6, §6.4]: the same operator, with the derivative asked for the tower, makes every order.
#[test]
fn the_chain_rule_for_towers() {
    // ANCHOR: tower
    fn sine(x: &Stream<(), f64>) -> Stream<(), f64> {
        x.chain(|x| x.sin(), cosine)
    }
    fn cosine(x: &Stream<(), f64>) -> Stream<(), f64> {
        x.chain(|x| x.cos(), |x| -sine(x))
    }
    let mut tower = sine(&Stream::variable((), 0.7));
    for expected in [0.7_f64.sin(), 0.7_f64.cos(), -0.7_f64.sin(), -0.7_f64.cos(), 0.7_f64.sin()] {
        assert_eq!(*tower.value(), expected);
        tower = tower.derivative(&());
    }
    // ANCHOR_END: tower
}

/// [001 §8.1, §8.2]: `x² + 3 x + 1` changes 13 times as fast as its argument at 5; the slope of a terrain is a pair of
/// slopes, and with them the slope in every direction.
#[test]
fn a_derivative_is_what_turns_steps_into_steps() {
    // ANCHOR: steps
    let parabola =
        Tower::<f64, f64>::sample(&5.0, |x| x.clone() * x.clone() + x.clone().times(3.0) + Stream::constant(1.0));
    assert_eq!(parabola.derivative().value().apply(&1.0), 13.0);

    let height = Tower::<(f64, f64), f64>::sample(&(1.0, 2.0), |(x, y)| {
        (x.clone() * y.clone()).times(2.0) + x.clone().times(3.0) + y.clone().times(5.0) + Stream::constant(7.0)
    });
    let slope = height.derivative().value();
    assert_eq!(slope.gradient(), (7.0, 7.0));
    assert_eq!(slope.apply(&(0.5, 0.25)), (7.0, 7.0).dot(&(0.5, 0.25)));
    // ANCHOR_END: steps
}

/// [001 §10.3]: `d (f ⋆ g) = d f ⋆ d g`, `dAdd = id ⋄ id`, `dMul (x, y) = (· y) ⋄ (x ·)`.
#[test]
fn sums_and_products_by_the_chain_rule() {
    type Pair = (f64, f64);
    // ANCHOR: product
    let multiply = Differentiable::<Pair, f64>::new(
        |(x, y)| x * y,
        |&(x, y)| LinearMap::linear(move |dx: &f64| dx * y).join(&LinearMap::linear(move |dy: &f64| x * dy)),
    );
    let add = Differentiable::linear(LinearMap::<f64, f64>::identity().join(&LinearMap::identity()));
    let number = |value, slope: f64| Differential { value, derivative: LinearMap::linear(move |dt: &f64| slope * dt) };
    let (u, v) = (number(3.0, 10.0), number(5.0, 100.0));
    assert_eq!(u.pair(&v).map(&multiply), number(15.0, 10.0 * 5.0 + 3.0 * 100.0));
    assert_eq!(u.pair(&v).map(&add), number(8.0, 110.0));
    // ANCHOR_END: product
}

/// [001 §11.2.3]: a linear map from the plane to space is, written down, a pair of triples: the Jacobian.
#[test]
fn the_memo_trie_of_a_plane_is_a_jacobian() {
    // ANCHOR: trie
    let map: LinearMap<(f64, f64), [f64; 3]> = LinearMap::linear(|&(x, y): &(f64, f64)| [x, x + y, 5.0 * y]);
    let columns: &([f64; 3], [f64; 3]) = map.columns();
    assert_eq!(columns, &([1.0, 1.0, 0.0], [0.0, 1.0, 5.0]));
    // ANCHOR_END: trie
}
