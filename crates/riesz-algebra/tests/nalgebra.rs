//! Matrices of nalgebra of Nagata numbers: `cargo test -p riesz-algebra --features nalgebra --test nalgebra`.

use nalgebra::{DMatrix, Matrix2, Vector2};
use num_traits::{FromPrimitive, One, Zero};
use riesz_algebra::Nagata;

type Number = Nagata<f64, [f64; 2]>;

#[test]
fn products_of_matrices() {
    let [x, y]: [Number; 2] = Nagata::variables([2.0, 3.0]);
    // (x² + y², 2 x y)
    let product = Matrix2::new(x, y, y, x) * Vector2::new(x, y);
    assert_eq!(product.map(|number| number.primal), Vector2::new(13.0, 12.0));
    assert_eq!(product.map(|number| number.tangent), Vector2::new([4.0, 6.0], [6.0, 4.0]));
    // The trace of the square of a matrix, whose size is known at run time.
    let matrix = DMatrix::from_fn(2, 2, |i, j| if i == j { x } else { y });
    assert_eq!((&matrix * &matrix).trace().tangent, [8.0, 12.0]);
    assert_eq!(matrix.transpose().dot(&matrix).tangent, [8.0, 12.0]);
}

#[test]
fn zero_and_one() {
    assert!(Number::zero().is_zero() && Number::one().primal == 1.0 && Number::one().tangent == [0.0, 0.0]);
    // A number that varies is not zero where its value is.
    assert!(!Number { primal: 0.0, tangent: [1.0, 0.0] }.is_zero());
    assert_eq!(Number::from_u32(7), Some(Nagata::constant(7.0)));
}
