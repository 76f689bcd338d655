//! The cheapest bracketing of a chain.

use riesz_linear::{LinearMap, Matrix, Sampler, Space, Vector};

fn dense(rows: usize, columns: usize) -> LinearMap {
    LinearMap::left(Sampler::new((rows * columns) as u64).matrix(rows, columns), Space::Real)
}

fn chain(maps: Vec<LinearMap>) -> LinearMap {
    LinearMap::compose(maps).unwrap()
}

#[test]
fn matrices_are_bracketed_by_size() {
    // the textbook chain: 10 × 100, 100 × 5, 5 × 50
    let map = chain(vec![dense(10, 100), dense(100, 5), dense(5, 50)]);
    let association = map.associate();
    assert_eq!(association.to_string(), "(m1 ∘ m2) ∘ m3");
    let multiplications = 10 * 100 * 5 + 10 * 5 * 50;
    // and what it takes to write out one factor
    let written = association.cost.multiplications - multiplications;
    assert!(written <= 10 * 100, "{association:?}");
    assert!(association.cost.multiplications < association.forward.multiplications);
    assert_eq!(association.matrix(), map.matrix());
}

#[test]
fn gradients_are_bracketed_backwards_and_tangents_forwards() {
    let down = chain(vec![dense(1, 20), dense(20, 30), dense(30, 40)]);
    assert_eq!(down.associate().to_string(), "(m1 ∘ m2) ∘ m3");
    assert_eq!(down.associate().cost, down.associate().reverse);
    let up = down.adjoint();
    assert_eq!(up.associate().to_string(), "m1 ∘ (m2 ∘ m3)");
    assert_eq!(up.associate().cost, up.associate().forward);
}

#[test]
fn a_bottleneck_is_bracketed_from_both_sides() {
    let map = chain(vec![dense(40, 30), dense(30, 1), dense(1, 30), dense(30, 40)]);
    let association = map.associate();
    assert_eq!(association.to_string(), "(m1 ∘ m2) ∘ (m3 ∘ m4)");
    assert!(association.cost.work() < association.forward.work().min(association.reverse.work()) / 4);
    assert_eq!(association.matrix(), map.matrix());
}

#[test]
fn structure_counts() {
    // beside a diagonal, the matrix need not be multiplied by a matrix
    let diagonal = LinearMap::diagonal(Vector::of_reals(vec![2.0; 50]));
    let map = chain(vec![diagonal.clone(), dense(50, 50), diagonal]);
    let association = map.associate();
    assert!(association.cost.multiplications <= 3 * 50 * 50, "{association:?}");
    assert_eq!(association.matrix(), map.matrix());
}

#[test]
fn long_chains_find_their_bottleneck_too() {
    let mut maps = vec![dense(6, 6); 60];
    maps.push(dense(6, 1));
    maps.push(dense(1, 6));
    maps.extend(vec![LinearMap::left(Matrix::new(6, 6, vec![0.1; 36]).unwrap(), Space::Real); 60]);
    let association = chain(maps).associate();
    assert!(association.cost.work() < association.forward.work().min(association.reverse.work()) / 3);
}
