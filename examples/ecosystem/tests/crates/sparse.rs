//! Sparse Hessians for faer, nalgebra-sparse and sprs: one step of Newton's method in time that grows with the number of
//! unknowns.

use ecosystem::valley;
use faer::prelude::Solve;
use faer::sparse::SparseColMat;
use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};
use sprs::{CsMat, TriMat};

const N: usize = 1000;

fn point() -> Vec<f64> {
    (0..N).map(|i| 1.0 + 0.1 * (i as f64).sin()).collect()
}

#[test]
fn newton_by_faer() {
    let mut x = point();
    for _ in 0..10 {
        let hessian = SparseColMat::from(valley::sparse_hessian(&x));
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
    let hessian = valley::sparse_hessian(&x);

    let vector = nalgebra::DVector::from_vec(direction.clone());
    let by_nalgebra = &CsrMatrix::from(hessian.clone()) * &vector;
    assert_eq!(by_nalgebra, &CscMatrix::from(hessian.clone()) * &vector);
    assert_eq!(CsrMatrix::from(hessian.clone()), CsrMatrix::from(&CooMatrix::from(hessian.clone())));
    let matrix = CsMat::from(hessian.clone());
    assert_eq!(matrix, TriMat::from(hessian).to_csr());
    let by_sprs = &matrix * &ndarray::Array1::from_vec(direction);

    for ((expected, a), b) in product.iter().zip(by_nalgebra.iter()).zip(by_sprs.iter()) {
        assert!((expected - a).abs() < 1e-9 && (expected - b).abs() < 1e-9, "{expected} {a} {b}");
    }
}
