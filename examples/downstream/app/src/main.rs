//! A differentiable function that calls one of another crate.

// ANCHOR: chain
use facade::{Spring, work as stored};
use riesz::differentiable;

/// Two equal springs, one behind the other.
#[differentiable]
fn chain(spring: &Spring, x: f64) -> f64 {
    let half = x / 2.0;
    stored(spring, half) + stored(spring, half)
}
// ANCHOR_END: chain

fn main() {
    let spring = Spring { stiffness: 4.5, length: 0.5 };
    let (by_spring, by_x) = chain::grad(&spring, 2.0);
    println!(
        "energy {}, by the spring {} and {}, by the position {}",
        chain(&spring, 2.0),
        by_spring.stiffness,
        by_spring.length,
        by_x
    );
}
