//! Single precision.

use crate::riesz::differentiable;

#[differentiable(crate = crate::riesz)]
fn energy(x: &[f32], scale: f32) -> f32 {
    let mut sum = 0.5_f32;
    for i in 1..x.len() {
        sum += (x[i] - x[i - 1] * std::f32::consts::PI).sin() * scale + i as f32 * x[i];
    }
    sum.max(f32::EPSILON).ln()
}

#[differentiable(crate = crate::riesz)]
fn double(x: &[f64], scale: f64) -> f64 {
    let mut sum = 0.5;
    for i in 1..x.len() {
        sum += (x[i] - x[i - 1] * f64::from(std::f32::consts::PI)).sin() * scale + i as f64 * x[i];
    }
    sum.ln()
}

#[differentiable(crate = crate::riesz)]
fn turned(p: [f32; 2], angle: f32) -> [f32; 2] {
    let (s, c) = angle.sin_cos();
    [c * p[0] - s * p[1], s * p[0] + c * p[1]]
}

#[differentiable(crate = crate::riesz)]
fn both(p: [f32; 2], angle: f32) -> f32 {
    let q = turned(p, angle);
    energy(&q, angle)
}

fn near(a: f32, b: f64) {
    assert!((f64::from(a) - b).abs() < 1e-4 * b.abs().max(1.0), "{a} {b}");
}

#[test]
fn gradients_are_those_of_double_precision() {
    let x: Vec<f64> = (0..40).map(|i| 0.3 + 0.01 * f64::from(i)).collect();
    let single: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let (by_x, by_scale) = energy::grad(&single, 0.7);
    let (expected, expected_scale) = double::grad(&x, 0.7);
    by_x.iter().zip(&expected).for_each(|(a, b)| near(*a, *b));
    near(by_scale, expected_scale);
    let mut place = vec![0.0_f32; 40];
    let mut scale = 0.0_f32;
    let value: f32 = energy::value_and_grad(&single, 0.7, &mut place, &mut scale);
    near(value, double(&x, 0.7));
    assert_eq!((&place, scale), (&by_x, by_scale));
    let (_, back) = energy::vjp(&single, 0.7);
    near(back(2.0).0[3], 2.0 * expected[3]);
}

#[test]
fn functions_of_single_precision_call_each_other() {
    let (p, angle) = ([0.9_f32, 0.4], 0.3_f32);
    let (by_p, by_angle) = both::grad(p, angle);
    let h = 1e-2_f32;
    let difference = (both(p, angle + h) - both(p, angle - h)) / (2.0 * h);
    assert!((by_angle - difference).abs() < 1e-2 * difference.abs().max(1.0), "{by_angle} {difference}");
    let jacobian: ([[f32; 2]; 2], [f32; 2]) = turned::jacobian(p, angle);
    assert_eq!(jacobian.0[0], [angle.cos(), -angle.sin()]);
    assert!(by_p.iter().all(|x| x.is_finite()));
}
