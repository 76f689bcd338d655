pub mod riesz {
    pub use riesz_macros::{Differentiable, __link, differentiable};
    pub use riesz_runtime as __runtime;
}
use riesz::differentiable;

fn compare(name: &str, f: &dyn Fn(&[f64]) -> f64, x: &[f64], gradient: &[f64], value: f64, forward: f64) {
    let close = |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0);
    assert!(close(value, f(x), 1e-9), "{name} at {x:?}: the value is {value}, and the function gives {}", f(x));
    for i in 0..x.len() {
        let difference = |step: f64| {
            let moved = |by: f64| {
                let mut y = x.to_vec();
                y[i] += by;
                f(&y)
            };
            (moved(step) - moved(-step)) / (2.0 * step)
        };
        // Where differences disagree with each other, there is a kink between the points.
        let found: Vec<f64> = [1e-3, 1e-4, 1e-5, 1e-6].map(difference).to_vec();
        let smooth = close(found[2], found[3], 1e-5) && close(found[1], found[2], 1e-4);
        let near = found.iter().any(|difference| close(*difference, gradient[i], 1e-5));
        assert!(near || !smooth, "{name} at {x:?}, component {i}: {} is none of {found:?}", gradient[i]);
    }
    let tangent: Vec<f64> = (0..x.len()).map(|i| 1.0 - 0.3 * i as f64).collect();
    let expected: f64 = gradient.iter().zip(&tangent).map(|(a, b)| a * b).sum();
    assert!(close(forward, expected, 1e-9), "{name} at {x:?}: {forward} forward and {expected} in reverse");
}

macro_rules! check {
    ($f:ident) => {
        for (point, x) in POINTS.into_iter().enumerate() {
            let mut gradient = [0.0; 5];
            let value = $f::value_and_grad(&x, &mut gradient);
            let tangent: Vec<f64> = (0..x.len()).map(|i| 1.0 - 0.3 * i as f64).collect();
            let (_, forward) = $f::jvp(&x, &tangent);
            compare(stringify!($f), &|x| $f(x), &x, &gradient, value, forward);
            let numbers: Vec<String> = [value].iter().chain(&gradient).map(f64::to_string).collect();
            println!("{} {point}: {}", stringify!($f), numbers.join(" "));
        }
    };
}
