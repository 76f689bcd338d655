//! Griewank's example: the derivative of `f(x) = b sin(aᵀ x)` from `Rⁿ` to `Rᵐ`.   [003 §8]
//!
//! As a matrix it has `m n` numbers; as a map it has `m + n`. With a million of each, only the second fits into memory.

use riesz_linear::{LinearMap, Space, Vector};

const MILLION: usize = 1_000_000;

#[test]
fn a_million_by_a_million() {
    let a = Vector::of_reals((0..MILLION).map(|i| (i % 7) as f64 * 1e-6).collect::<Vec<_>>());
    let b = Vector::of_reals((0..MILLION).map(|i| (i % 5) as f64).collect::<Vec<_>>());
    let x = vec![0.5; MILLION];
    let angle: f64 = a.values().iter().zip(&x).map(|(a, x)| a * x).sum();
    let c = angle.cos();

    // the chain rule as it comes: column b, the derivative of the sine, row a
    let chain = LinearMap::compose(vec![
        LinearMap::column(b.clone()),
        LinearMap::scale(c, Space::Real),
        LinearMap::row(a.clone()),
    ])
    .unwrap();
    let derivative = chain.simplify();

    assert_eq!(
        derivative.to_string(),
        format!("{c:?} · ([0.0, 1.0, 2.0, … 1000000 values] ⊗ [0.0, 1e-6, 2e-6, … 1000000 values])")
    );
    let cost = derivative.cost();
    assert_eq!(cost.multiplications, 2 * MILLION as u64 + 1);
    assert_eq!(cost.additions, MILLION as u64 - 1);
    assert!(cost.storage <= 3 * MILLION as u64 + 1, "{cost:?}");

    // applied to dx it is d · b with d = c (a ⊙ dx)
    let dx = vec![1.0; MILLION];
    let d = c * a.values().iter().sum::<f64>();
    let image = derivative.apply(&dx);
    assert!(image.iter().zip(b.values()).all(|(image, b)| (image - d * b).abs() < 1e-12 * d * 5.0));
    assert_eq!(image, chain.apply(&dx));

    // the adjoint exchanges a and b
    let adjoint = derivative.adjoint();
    assert_eq!(adjoint, LinearMap::rank_one(c, a, b.clone()));
    assert_eq!(adjoint.cost(), cost);
    assert_eq!(adjoint.apply(&dx).len(), MILLION);

    // and the full text reads back
    let text = format!("{derivative:#}");
    assert_eq!(text.parse::<LinearMap>().unwrap(), derivative);
}
