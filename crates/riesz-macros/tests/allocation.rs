//! Derivatives in place allocate nothing, once a thread has called them: shown by an allocator that counts.

#![allow(clippy::needless_range_loop)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What the crate `riesz` exports.
pub mod riesz {
    pub use riesz_macros::{__link, Differentiable, differentiable};
    pub use riesz_runtime as __runtime;
}

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// Every call is passed to the allocator of the system.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[riesz::differentiable(crate = crate::riesz, wrt(w))]
fn loss(w: &[f64], x: &[f64], y: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..w.len() {
        s += w[i] * x[i];
    }
    (s.tanh() - y).powi(2)
}

/// A loop that carries its state, whose derivative stores the state of every iteration.
#[riesz::differentiable(crate = crate::riesz)]
fn recurrence(v: &[f64]) -> f64 {
    let mut state = [0.1_f64, 0.2, 0.3];
    for x in v {
        let next = [state[1].sin() * x, state[2] + x, (state[0] * x).tanh()];
        state = next;
    }
    let mut steps = 0;
    let mut y = state[0];
    while y.abs() < 2.0 && steps < 50 {
        y = y * 1.5 + state[1] * state[2];
        steps += 1;
    }
    y
}

#[riesz::differentiable(crate = crate::riesz)]
mod layers {
    #[derive(Clone, Debug, PartialEq)]
    pub struct Layer {
        pub weights: Vec<Vec<f64>>,
        pub bias: Vec<f64>,
        pub kind: i32,
    }

    #[differentiable]
    pub fn energy(layers: &[Layer], x: &[[f64; 2]]) -> f64 {
        let mut total = 0.0;
        for layer in layers {
            for i in 0..layer.bias.len() {
                let mut s = layer.bias[i];
                for p in x {
                    s += layer.weights[i][0] * p[0] + layer.weights[i][1] * p[1];
                }
                total += s.tanh() * layer.kind as f64;
            }
        }
        total
    }
}

/// How often something allocates when it has been done before.
fn counted<T>(mut act: impl FnMut() -> T) -> usize {
    (0..3).for_each(|_| drop(act()));
    let before = COUNT.get();
    (0..10).for_each(|_| drop(act()));
    COUNT.get() - before
}

#[test]
fn derivatives_in_place_allocate_nothing() {
    for n in [3, 1000] {
        let (w, x, mut dw) = (vec![0.1; n], vec![0.2; n], vec![0.0; n]);
        assert!(counted(|| loss::grad(&w, &x, 0.5)) > 0, "the allocator does not count");
        assert_eq!(counted(|| loss::value_and_grad(&w, &x, 0.5, &mut dw)), 0, "loss of {n}");
        assert_eq!(dw, loss::grad(&w, &x, 0.5));
        assert_eq!(counted(|| recurrence::value_and_grad(&w, &mut dw)), 0, "recurrence of {n}");
        assert_eq!(dw, recurrence::grad(&w));
        assert_eq!(counted(|| loss::jvp(&w, &x, &x, 0.5)), 0, "forward mode of {n}");
    }
}

#[test]
fn structs_are_written_in_place() {
    use layers::{Layer, energy};
    let layers = vec![Layer { weights: vec![vec![0.1, 0.2], vec![0.3, 0.4]], bias: vec![0.5, 0.6], kind: 3 }; 4];
    let points = [[0.1, 0.2], [0.3, 0.4]];
    let (mut by_layers, mut by_points) = (layers.clone(), points);
    let act = || energy::value_and_grad(&layers, &points, &mut by_layers, &mut by_points);
    assert_eq!(counted(act), 0);
    let (expected, expected_points) = energy::grad(&layers, &points);
    assert_eq!((by_layers, by_points.to_vec()), (expected.clone(), expected_points));
    // What has another length is replaced.
    let mut others = vec![Layer { weights: Vec::new(), bias: vec![1.0; 7], kind: 0 }; 4];
    energy::value_and_grad(&layers, &points, &mut others, &mut by_points);
    assert_eq!(others, expected);
}
