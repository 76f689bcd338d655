//! The first example of the manual, and plain functions of numbers and slices, against formulas.

use riesz::differentiable;

#[differentiable(wrt(w))]
fn loss(w: &[f64], x: &[f64], y: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..w.len() {
        s += w[i] * x[i];
    }
    (s.tanh() - y).powi(2)
}

#[differentiable]
fn product(x: f64, y: f64) -> f64 {
    x * y.sin()
}

#[test]
fn derivatives_of_a_loss() {
    let (w, x, y) = ([0.1, -0.2, 0.3], [1.0, 2.0, 3.0], 0.25);
    let s: f64 = w.iter().zip(&x).map(|(a, b)| a * b).sum();
    let outer = 2.0 * (s.tanh() - y) * (1.0 - s.tanh().powi(2));
    let expected: Vec<f64> = x.iter().map(|x| outer * x).collect();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");

    let g: Vec<f64> = loss::grad(&w, &x, y);
    g.iter().zip(&expected).for_each(|(a, b)| close(*a, *b));

    let mut dw = [7.0; 3];
    let v = loss::value_and_grad(&w, &x, y, &mut dw);
    close(v, loss(&w, &x, y));
    dw.iter().zip(&expected).for_each(|(a, b)| close(*a, *b));

    let tangent = [1.0, 0.5, -1.0];
    let (v, dv) = loss::jvp(&w, &tangent, &x, y);
    close(v, loss(&w, &x, y));
    close(dv, expected.iter().zip(&tangent).map(|(a, b)| a * b).sum());

    let (v, back) = loss::vjp(&w, &x, y);
    close(v, loss(&w, &x, y));
    back(2.0).iter().zip(&expected).for_each(|(a, b)| close(*a, 2.0 * b));
    back(-1.0).iter().zip(&expected).for_each(|(a, b)| close(*a, -b));

    let hessian: Vec<Vec<f64>> = loss::hessian(&w, &x, y);
    let product = loss::hvp(&w, &tangent, &x, y);
    for (row, product) in hessian.iter().zip(&product) {
        close(row.iter().zip(&tangent).map(|(a, b)| a * b).sum(), *product);
    }
}

#[test]
fn derivatives_by_several_parameters() {
    let (dx, dy): (f64, f64) = product::grad(2.0, 0.5);
    assert_eq!((dx, dy), (0.5_f64.sin(), 2.0 * 0.5_f64.cos()));
    let (mut a, mut b) = (0.0, 0.0);
    assert_eq!(product::value_and_grad(2.0, 0.5, &mut a, &mut b), product(2.0, 0.5));
    assert_eq!((a, b), (dx, dy));
}

#[test]
#[should_panic(expected = "index out of bounds: the len is 2 but the index is 2")]
fn a_derivative_panics_where_the_function_does() {
    loss::grad(&[1.0, 2.0, 3.0], &[1.0, 2.0], 0.0);
}
