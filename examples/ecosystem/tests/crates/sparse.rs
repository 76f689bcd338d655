//! Sparse Hessians for faer, nalgebra-sparse and sprs: one step of Newton's method in time that grows with the number of
//! unknowns.

use ecosystem::valley;
use faer::prelude::Solve;
use faer::sparse::{SparseColMat, Triplet};
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use sprs::{CsMat, TriMat};

const N: usize = 1000;

fn point() -> Vec<f64> {
    (0..N).map(|i| 1.0 + 0.1 * (i as f64).sin()).collect()
}

#[test]
fn newton_by_faer() {
    let mut x = point();
    for _ in 0..10 {
        let (rows, columns, values) = valley::sparse_hessian(&x);
        let entries: Vec<_> =
            rows.into_iter().zip(columns).zip(values).map(|((i, j), value)| Triplet::new(i, j, value)).collect();
        let hessian = SparseColMat::try_new_from_triplets(N, N, &entries).unwrap();
        let slope = faer::Col::from_iter(valley::grad(&x));
        let step = hessian.sp_lu().unwrap().solve(&slope);
        x.iter_mut().zip(step.iter()).for_each(|(x, step)| *x -= step);
    }
    let farthest = x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
    assert!(farthest < 1e-12, "{farthest}");
}

#[test]
fn all_have_the_product_with_a_vector() {
    let x = point();
    let direction: Vec<f64> = (0..N).map(|i| (i as f64).cos()).collect();
    let product = valley::hvp(&x, &direction);
    let (rows, columns, values) = valley::sparse_hessian(&x);

    let coo = CooMatrix::try_from_triplets(N, N, rows.clone(), columns.clone(), values.clone()).unwrap();
    let by_nalgebra = &CsrMatrix::from(&coo) * &nalgebra::DVector::from_vec(direction.clone());
    let matrix: CsMat<f64> = TriMat::from_triplets((N, N), rows, columns, values).to_csr();
    let by_sprs = &matrix * &ndarray::Array1::from_vec(direction);

    for ((expected, a), b) in product.iter().zip(by_nalgebra.iter()).zip(by_sprs.iter()) {
        assert!((expected - a).abs() < 1e-9 && (expected - b).abs() < 1e-9, "{expected} {a} {b}");
    }
}
