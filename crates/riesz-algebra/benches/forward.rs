//! Fast forward mode against derivatives written by hand: `cargo bench -p riesz-algebra`.
//!
//! The gradient of Rosenbrock's function in 16 variables, in forward mode on arrays on the stack, beside the value alone
//! and beside the gradient as a person would write it. Forward mode carries 16 derivatives through every operation, which
//! is 16 times the work; in vector instructions it should cost much less than that.

use std::hint::black_box;
use std::time::Instant;

use riesz_algebra::{Nagata, Real};

const N: usize = 16;

fn main() {
    let point: [f64; N] = std::array::from_fn(|i| 0.5 + 0.1 * i as f64);
    let single = point.map(|x| x as f32);
    let forward = |x: &[f64; N]| rosenbrock(&Nagata::variables(*x)).tangent;
    let (by_hand, by_algebra) = (gradient_by_hand(&point), forward(&point));
    for (a, b) in by_hand.iter().zip(by_algebra) {
        assert!((a - b).abs() <= 1e-12 * a.abs(), "{a} and {b}");
    }
    let value = nanoseconds(|| rosenbrock(black_box(&point)));
    let hand = nanoseconds(|| gradient_by_hand(black_box(&point)));
    let lanes = nanoseconds(|| lanes_by_hand(black_box(&point)));
    let double = nanoseconds(|| forward(black_box(&point)));
    let half = nanoseconds(|| rosenbrock(&Nagata::variables(*black_box(&single))).tangent);
    println!("| Rosenbrock's function in {N} variables | ns | to the gradient by hand | to the value |");
    println!("|---|---|---|---|");
    for (what, time) in [
        ("the value", value),
        ("the gradient, by hand", hand),
        ("forward mode of 16 lanes, by hand", lanes),
        ("`Nagata<f64, [f64; 16]>`", double),
        ("`Nagata<f32, [f32; 16]>`", half),
    ] {
        println!("| {what} | {time:.1} | {:.2} | {:.2} |", time / hand, time / value);
    }
}

/// `Σ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²`, for any numbers.
fn rosenbrock<D: Real>(x: &[D; N]) -> D {
    x.windows(2).fold(D::zero(), |sum, pair| {
        let across = pair[1].clone() - pair[0].clone() * pair[0].clone();
        let along = D::one() - pair[0].clone();
        sum + (across.clone() * across).times(100.0) + along.clone() * along
    })
}

fn gradient_by_hand(x: &[f64; N]) -> [f64; N] {
    let mut gradient = [0.0; N];
    for i in 0..N - 1 {
        let across = x[i + 1] - x[i] * x[i];
        gradient[i] += -400.0 * x[i] * across - 2.0 * (1.0 - x[i]);
        gradient[i + 1] += 200.0 * across;
    }
    gradient
}

/// What forward mode does, with the tangents of every operation in a loop of their own: no traits, no exact zeros.
fn lanes_by_hand(x: &[f64; N]) -> [f64; N] {
    let mut tangent = [0.0; N];
    let unit = |i: usize| -> [f64; N] { std::array::from_fn(|k| if i == k { 1.0 } else { 0.0 }) };
    for i in 0..N - 1 {
        let (dx, dy) = (unit(i), unit(i + 1));
        let across = x[i + 1] - x[i] * x[i];
        let along = 1.0 - x[i];
        for k in 0..N {
            let dacross = dy[k] - (x[i] * dx[k] + x[i] * dx[k]);
            let dalong = -dx[k];
            tangent[k] += 100.0 * (across * dacross + across * dacross) + (along * dalong + along * dalong);
        }
    }
    tangent
}

/// The least time of one run, over many.
fn nanoseconds<T>(mut run: impl FnMut() -> T) -> f64 {
    let runs = 20_000;
    (0..200)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..runs / 100 {
                black_box(run());
            }
            start.elapsed().as_secs_f64() * 1e9 * 100.0 / f64::from(runs)
        })
        .fold(f64::INFINITY, f64::min)
}
