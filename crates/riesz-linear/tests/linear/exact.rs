//! Zeros are exact: a product with zero contributes zero, even with infinities and NaN, in both directions.

use riesz_linear::{LinearMap, Matrix, Sampler, Space, Vector};

const WILD: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

#[test]
fn zero_coefficients_meet_anything() {
    for wild in WILD {
        assert_eq!(LinearMap::scale(0.0, Space::Real).apply(&[wild]), [0.0]);
        assert_eq!(LinearMap::diagonal(Vector::of_reals([0.0, 2.0])).apply(&[wild, 1.0]), [0.0, 2.0]);
        let row = LinearMap::row(Vector::of_reals([0.0, 2.0]));
        assert_eq!(row.apply(&[wild, 1.0]), [2.0]);
        let matrix = Matrix::new(2, 2, [0.0, 1.0, 1.0, 0.0]).unwrap();
        assert_eq!(LinearMap::left(matrix.clone(), Space::Real).apply(&[wild, 3.0])[0], 3.0);
        assert_eq!(LinearMap::right(matrix, Space::Real).apply(&[3.0, wild])[1], 3.0);
    }
}

#[test]
fn zero_vectors_meet_anything() {
    for wild in WILD {
        assert_eq!(LinearMap::scale(wild, Space::Real).apply(&[0.0]), [0.0]);
        assert_eq!(LinearMap::diagonal(Vector::of_reals([wild, 2.0])).apply(&[0.0, 1.0]), [0.0, 2.0]);
        let map = LinearMap::rank_one(wild, Vector::of_reals([wild, 2.0]), Vector::of_reals([wild, 3.0]));
        assert_eq!(map.apply(&[0.0, 0.0]), [0.0, 0.0]);
    }
}

/// A branch that is not taken has the zero map as its derivative; what comes before it does not matter.
#[test]
fn the_zero_map_reads_nothing() {
    for wild in WILD {
        let zero = LinearMap::zero(Space::Real, Space::Real);
        let map =
            LinearMap::compose(vec![LinearMap::scale(wild, Space::Real), zero, LinearMap::scale(wild, Space::Real)]);
        let map = map.unwrap().plus(&LinearMap::scale(2.0, Space::Real)).unwrap();
        assert_eq!(map.apply(&[3.0]), [6.0]);
        assert_eq!(map.adjoint().apply(&[3.0]), [6.0]);
        assert_eq!(map.simplify().to_string(), "scale 2.0");
    }
}

/// Every map takes zero to zero, whatever its coefficients are.   [002 §2.1, theorem]
#[test]
fn every_map_takes_zero_to_zero() {
    for seed in 0..2000 {
        let mut sampler = Sampler::new(seed);
        let map = sampler.any_map();
        let wild = |space: &Space| LinearMap::scale(WILD[seed as usize % 3], space.clone());
        let map = LinearMap::compose(vec![wild(map.codomain()), map.clone(), wild(map.domain())]).unwrap();
        assert_eq!(map.apply(&map.domain().zero()), map.codomain().zero());
        assert_eq!(map.adjoint().apply(&map.codomain().zero()), map.domain().zero());
    }
}

/// Structure is not arithmetic: a coefficient that happens to be zero is an entry, what is absent is not.
#[test]
fn entries_are_structural() {
    let diagonal = LinearMap::diagonal(Vector::of_reals([0.0, 2.0]));
    let coo = diagonal.coo();
    assert_eq!((coo.rows, coo.cols, coo.vals), (vec![0, 1], vec![0, 1], vec![0.0, 2.0]));
    assert_eq!(LinearMap::scale(0.0, Space::reals(3)).coo().len(), 3);
    assert!(LinearMap::zero(Space::reals(3), Space::reals(3)).coo().is_empty());
    let both = diagonal.after(&LinearMap::zero(Space::reals(2), Space::reals(2))).unwrap();
    assert!(both.coo().is_empty());
    let cancelled = diagonal.plus(&diagonal.times(-1.0)).unwrap();
    assert_eq!(cancelled.coo().vals, [0.0, 0.0]);
}

#[test]
fn large_sparse_matrices_stay_sparse() {
    // the second difference of a million numbers
    let n = 1_000_000;
    let shift = |from: usize, to: usize| {
        let slice = riesz_linear::Relation::slice(from, from + n - to, n).unwrap();
        let pad = riesz_linear::Relation::slice(to, n, n).unwrap().converse();
        LinearMap::compose(vec![LinearMap::reduce(pad, Space::Real), LinearMap::reduce(slice, Space::Real)]).unwrap()
    };
    let difference =
        LinearMap::add(vec![LinearMap::scale(-2.0, Space::reals(n)), shift(0, 1), shift(0, 1).adjoint()]).unwrap();
    let coo = difference.coo();
    assert_eq!(coo.len(), 3 * n - 2);
    assert_eq!((&coo.rows[..4], &coo.cols[..4]), (&[0, 0, 1, 1][..], &[0, 1, 0, 1][..]));
    assert_eq!(&coo.vals[..5], [-2.0, 1.0, 1.0, -2.0, 1.0]);
}
