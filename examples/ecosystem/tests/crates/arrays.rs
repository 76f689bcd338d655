//! ndarray: its arrays are borrowed as slices, and hold what derivatives are written to.

use ecosystem::valley;
use ndarray::Array1;

#[test]
fn descent_in_place() {
    let mut x: Array1<f64> = Array1::from_elem(4, 0.9);
    let mut slope = Array1::zeros(4);
    let first = valley(x.as_slice().unwrap());
    for _ in 0..2000 {
        valley::value_and_grad(x.as_slice().unwrap(), slope.as_slice_mut().unwrap());
        x.scaled_add(-1e-3, &slope);
    }
    assert!(valley(x.as_slice().unwrap()) < 0.1 * first, "{x}");
}
