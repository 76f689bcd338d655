//! The attribute as the crate exports it: the example of the book, and plain functions against formulas.

// ANCHOR: loss
use riesz::differentiable;

#[differentiable(wrt(w))]
fn loss(w: &[f64], x: &[f64], y: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..w.len() {
        s += w[i] * x[i];
    }
    (s.tanh() - y).powi(2)
}
// ANCHOR_END: loss

/// Lambert's function, `w eʷ = x`, from wherever it comes.
fn lambert(x: f64) -> f64 {
    let steps = std::iter::successors(Some(0.5), |w: &f64| Some(w - (w * w.exp() - x) / (w.exp() * (w + 1.0))));
    steps.take(30).last().unwrap_or(f64::NAN)
}

// ANCHOR: rule
use riesz::derivative;

#[derivative(of = lambert)]
fn lambert_rule(x: f64, dx: f64) -> f64 {
    let w = lambert(x);
    dx / (w.exp() * (1.0 + w))
}

#[differentiable]
fn entropy(x: f64) -> f64 {
    x * lambert(x * x)
}
// ANCHOR_END: rule

#[test]
fn a_rule() {
    let difference = |f: fn(f64) -> f64, x: f64| (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;
    assert!((entropy::grad(1.2) - difference(entropy, 1.2)).abs() < 1e-8);
    assert!((entropy::hessian(1.2) - difference(entropy::grad, 1.2)).abs() < 1e-8);
    assert!((lambert::grad(0.0) - 1.0).abs() < 1e-12);
}

#[differentiable]
fn product(x: f64, y: f64) -> f64 {
    x * y.sin()
}

// ANCHOR: method
#[derive(Clone, riesz::Differentiable)]
struct Spring {
    stiffness: f64,
    length: f64,
}

#[differentiable]
impl Spring {
    fn energy(&self, x: f64) -> f64 {
        0.5 * self.stiffness * (x - self.length).powi(2)
    }
}

fn force(spring: &Spring, x: f64) -> f64 {
    let (_, by_x) = spring.energy_grad(x);
    -by_x
}
// ANCHOR_END: method

#[test]
fn a_method() {
    let spring = Spring { stiffness: 2.0, length: 1.0 };
    assert_eq!(force(&spring, 3.0), -4.0);
    assert_eq!(spring.energy_grad(3.0).0.stiffness, 2.0);
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
fn the_four_calls() {
    let (w, x, y, tangent, mut dw) = ([0.1, -0.2], [1.0, 2.0], 0.25, [1.0, 0.5], [0.0; 2]);
    // ANCHOR: use
    // By value.
    let g: Vec<f64> = loss::grad(&w, &x, y);
    // In place: what optimisers call.
    let v = loss::value_and_grad(&w, &x, y, &mut dw);
    // Each parameter that counts is followed by its tangent.
    let (_, dv) = loss::jvp(&w, &tangent, &x, y);
    // `back` is a linear map, which can be applied as often as wanted.
    let (_, back) = loss::vjp(&w, &x, y);
    // ANCHOR_END: use
    assert_eq!((&g[..], v), (&dw[..], loss::jvp(&w, &tangent, &x, y).0));
    assert!((dv - (g[0] + 0.5 * g[1])).abs() < 1e-12);
    assert_eq!(back(2.0), vec![2.0 * g[0], 2.0 * g[1]]);
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

// ANCHOR: inside
#[differentiable(wrt(x))]
fn potential(x: &[f64], stiffness: f64) -> f64 {
    (0..x.len() - 1).map(|i| stiffness * (x[i + 1] - x[i]).powi(4)).sum()
}

/// The speed after ten steps, of which the derivative by the stiffness is wanted.
#[differentiable(wrt(stiffness))]
fn speed(start: &[f64], stiffness: f64) -> f64 {
    let (mut x, mut v) = (start.to_vec(), vec![0.0; start.len()]);
    for _ in 0..10 {
        let slope = potential::grad(&x, stiffness);
        for i in 0..x.len() {
            v[i] -= 0.1 * slope[i];
            x[i] += 0.1 * v[i];
        }
    }
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}
// ANCHOR_END: inside

#[test]
fn a_derivative_of_a_derivative() {
    let start = [0.0, 1.3, 1.9];
    let difference = (speed(&start, 2.0 + 1e-5) - speed(&start, 2.0 - 1e-5)) / 2e-5;
    assert!((speed::grad(&start, 2.0) - difference).abs() < 1e-8);
}

#[differentiable(sparse, wrt(x))]
fn stencil(x: &[f64], rate: f64) -> Vec<f64> {
    (0..x.len() - 1).map(|i| x[i] * x[i + 1] * rate).collect()
}

#[differentiable(sparse)]
fn chain(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        sum += x[i] * x[i + 1].powi(2);
    }
    sum
}

/// A boundary value problem: `u'' = -exp u`, with 0 on the left and 1 on the right.
#[differentiable(sparse)]
fn residuals(u: &[f64]) -> Vec<f64> {
    let n = u.len();
    let mut r = vec![0.0; n];
    for i in 0..n {
        let left = if i == 0 { 0.0 } else { u[i - 1] };
        let right = if i == n - 1 { 1.0 } else { u[i + 1] };
        r[i] = (left - 2.0 * u[i] + right) * 16.0 + u[i].exp();
    }
    r
}

#[differentiable(sparse)]
fn parts(spring: &Spring, x: &[f64; 3]) -> ([[f64; 2]; 2], f64) {
    ([[spring.stiffness * x[0], x[1]], [x[2].sin(), spring.length]], x[0] * x[2])
}

fn dense(sparse: &riesz::Sparse) -> Vec<Vec<f64>> {
    let (rows, columns) = sparse.shape();
    let mut matrix = vec![vec![0.0; columns]; rows];
    for (row, column, value) in sparse.iter() {
        matrix[row][column] = *value;
    }
    matrix
}

#[test]
fn sparse_matrices() {
    let x: Vec<f64> = (0..12).map(|i| 0.5 + f64::from(i) * 0.1).collect();
    let jacobian = stencil::sparse_jacobian(&x, 3.0);
    assert_eq!((jacobian.values().len(), jacobian.shape()), (22, (11, 12)));
    assert_eq!(dense(&jacobian), stencil::jacobian(&x, 3.0));
    let problem = residuals::sparse_jacobian(&x);
    assert_eq!((problem.values().len(), dense(&problem)), (34, residuals::jacobian(&x)));
    let hessian = chain::sparse_hessian(&x);
    assert_eq!(hessian.values().len(), 33);
    for (a, b) in dense(&hessian).iter().flatten().zip(chain::hessian(&x).iter().flatten()) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
    let spring = Spring { stiffness: 2.0, length: 1.0 };
    let (rows, columns, values) = parts::sparse_jacobian(&spring, &[3.0, 0.5, 0.0]).into_triplets();
    assert_eq!(rows, [0, 0, 1, 2, 3, 4, 4]);
    assert_eq!(columns, [0, 2, 3, 4, 1, 2, 4]);
    assert_eq!(values, [3.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0]);
}

#[test]
fn sparse_matrices_of_nothing() {
    assert_eq!(residuals::sparse_jacobian(&[]).shape(), (0, 0));
    assert_eq!(residuals::sparse_jacobian(&[]).iter().count(), 0);
}
