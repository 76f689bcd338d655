//! Functions that write what they compute to a `&mut`.

use crate::riesz::differentiable;

#[differentiable(crate = crate::riesz)]
fn waves(x: &[f64], scale: f64, out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = scale * (x[i] + x[(i + 1) % x.len()]).sin();
    }
}

const X: [f64; 4] = [0.3, -0.8, 1.2, 0.5];

/// The values for arguments that are moved along a direction, and the derivative by differences.
fn difference(f: impl Fn(f64, &mut [f64])) -> Vec<f64> {
    let (mut up, mut down) = ([9.0; 4], [9.0; 4]);
    f(1e-5, &mut up);
    f(-1e-5, &mut down);
    up.iter().zip(&down).map(|(up, down)| (up - down) / 2e-5).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8), "{a:?} is not {b:?}");
}

#[test]
fn an_output() {
    let direction = [0.5, 1.0, -2.0, 0.25];
    let (mut expected, mut out, mut d_out) = ([9.0; 4], [9.0; 4], [9.0; 4]);
    waves(&X, 1.5, &mut expected);
    waves::jvp(&X, &direction, 1.5, 2.0, &mut out, &mut d_out);
    assert_eq!(out, expected);
    let moved = |by: f64, out: &mut [f64]| {
        let x: Vec<f64> = X.iter().zip(&direction).map(|(x, d)| x + by * d).collect();
        waves(&x, 1.5 + 2.0 * by, out);
    };
    close(&d_out, &difference(moved));
    let mut out = [9.0; 4];
    let ((), back) = waves::vjp(&X, 1.5, &mut out);
    assert_eq!(out, expected);
    let cotangent = [1.0, 2.0, -1.0, 0.5];
    let (x, scale) = back(&cotangent);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    assert!((dot(&x, &direction) + 2.0 * scale - dot(&d_out, &cotangent)).abs() < 1e-12);
    let (by_x, by_scale) = waves::jacobian(&X, 1.5, &mut out);
    let product: Vec<f64> = by_x.iter().zip(&by_scale).map(|(row, s)| dot(row, &direction) + 2.0 * s).collect();
    close(&product, &d_out);
}

/// One step of a pendulum, whose state is what it was before.
#[differentiable(wrt(state, length), crate = crate::riesz)]
fn step(state: &mut [f64; 2], length: f64, time: f64) -> f64 {
    state[1] -= time * state[0].sin() / length;
    state[0] += time * state[1];
    0.5 * state[1] * state[1] - state[0].cos() / length
}

#[test]
fn what_was_there_before_may_vary() {
    let (mut state, mut d_state) = ([0.4, 0.1], [1.0, 0.5]);
    let (energy, change) = step::jvp(&mut state, &mut d_state, 1.3, -0.2, 0.1);
    let at = |by: f64| {
        let mut state = [0.4 + by, 0.1 + 0.5 * by];
        let energy = step(&mut state, 1.3 - 0.2 * by, 0.1);
        [state[0], state[1], energy]
    };
    let (up, down) = (at(1e-5), at(-1e-5));
    let expected: Vec<f64> = up.iter().zip(&down).map(|(up, down)| (up - down) / 2e-5).collect();
    close(&[state[0], state[1], energy], &at(0.0));
    close(&[d_state[0], d_state[1], change], &expected);
    let mut state = [0.4, 0.1];
    let (value, back) = step::vjp(&mut state, 1.3, 0.1);
    assert_eq!([state[0], state[1], value], at(0.0));
    // The cotangents: of the energy, and of the state.
    let (by_state, by_length) = back(&2.0, &[1.0, -3.0]);
    let product = by_state[0] + 0.5 * by_state[1] - 0.2 * by_length;
    assert!((product - (2.0 * change + d_state[0] - 3.0 * d_state[1])).abs() < 1e-12);
}

#[differentiable(crate = crate::riesz)]
fn squares(x: &[f64], out: &mut Vec<f64>, total: &mut f64) {
    *out = x.iter().map(|x| x * x).collect();
    *total = x.iter().sum();
}

#[test]
fn outputs_that_grow() {
    let (mut out, mut d_out, mut total, mut d_total) = (Vec::new(), vec![1.0], 0.0, 0.0);
    squares::jvp(&X, &[1.0, 0.0, 0.0, 2.0], &mut out, &mut d_out, &mut total, &mut d_total);
    assert_eq!((out, total), (X.map(|x| x * x).to_vec(), X.iter().sum()));
    assert_eq!((d_out, d_total), (vec![2.0 * X[0], 0.0, 0.0, 4.0 * X[3]], 3.0));
    let ((), back) = squares::vjp(&X, &mut Vec::new(), &mut 0.0);
    assert_eq!(back(&[1.0, 0.0, 0.0, 0.0], &2.0), [2.0 * X[0] + 2.0, 2.0, 2.0, 2.0]);
}

#[derive(Clone, crate::riesz::Differentiable)]
#[riesz(crate = crate::riesz)]
struct Ball {
    height: f64,
    speed: f64,
}

#[differentiable(crate = crate::riesz)]
impl Ball {
    fn fall(&mut self, time: f64) {
        self.height += time * self.speed - 5.0 * time * time;
        self.speed -= 10.0 * time;
    }
}

#[test]
fn methods_that_change_their_type() {
    let (mut ball, mut d_ball) = (Ball { height: 3.0, speed: 1.0 }, Ball { height: 0.0, speed: 0.0 });
    ball.fall_jvp(&mut d_ball, 0.2, 1.0);
    assert!((ball.height - 3.0).abs() < 1e-12 && (ball.speed + 1.0).abs() < 1e-12);
    assert!((d_ball.height + 1.0).abs() < 1e-12 && (d_ball.speed + 10.0).abs() < 1e-12);
}
