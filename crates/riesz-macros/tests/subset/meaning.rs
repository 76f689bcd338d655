//! What Rust means by casts, by the order of evaluation, by names and by loops that are left: the derivatives mean the same.

// What people write, and what NaN makes of it, is the point here.
#![allow(
    clippy::eq_op,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::manual_is_multiple_of,
    clippy::reversed_empty_ranges
)]

use crate::check_at_points;
use crate::riesz::differentiable;

#[test]
fn integers() {
    check_at_points!(casts_saturate casts_to_bytes_saturate casts_lose_upper_bits negative_becomes_unsigned division_of_negative_integers bytes);
}

#[test]
fn numbers_that_are_none() {
    check_at_points!(nan_becomes_zero not_less nan_is_not_less nan_differs_from_itself rounding two_arguments);
}

/// The root has no derivative at zero, where its branch is not taken: zero times infinity is zero in every derivative.
#[differentiable(crate = crate::riesz)]
fn roots(v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for x in v {
        sum += if *x > 0.0 { 0.5 * x.sqrt() } else { 0.0 } * v[0];
    }
    sum
}

#[differentiable(crate = crate::riesz)]
fn root_and_square(x: f64, y: f64) -> [f64; 2] {
    [if x > 0.0 { x.sqrt() * y } else { y }, y * y]
}

#[test]
fn zeros_are_exact() {
    let v: Vec<f64> = (0..40).map(|i| (i % 3) as f64 * if i == 0 { 0.0 } else { 0.25 }).collect();
    let sum: f64 = v.iter().map(|x| 0.5 * x.sqrt()).sum();
    let gradient = roots::grad(&v);
    let mut place = vec![1.0; v.len()];
    assert_eq!(roots::value_and_grad(&v, &mut place), 0.0);
    assert_eq!(place, gradient);
    assert!((gradient[0] - sum).abs() < 1e-9, "{} is not {sum}", gradient[0]);
    assert!(gradient[1..].iter().all(|number| *number == 0.0), "{gradient:?}");
    assert_eq!(roots::vjp(&v).1(1.0), gradient);
    let (_, slope) = roots::jvp(&v, &vec![1.0; v.len()]);
    assert!((slope - sum).abs() < 1e-9, "{slope} is not {sum}");
    assert!(roots::hvp(&v, &vec![1.0; v.len()]).iter().all(|number| !number.is_nan()));
    assert_eq!(root_and_square::jacobian(0.0, 3.0), ([0.0, 0.0], [1.0, 6.0]));
    assert_eq!(root_and_square::jacobian(4.0, 3.0), ([0.75, 0.0], [2.0, 6.0]));
    // NaN stays NaN.
    assert!(roots::value_and_grad(&[f64::NAN, 1.0], &mut [0.0; 2]).is_nan());
}

#[test]
fn control() {
    check_at_points!(labels return_from_two_loops bounds_that_change matches_of_tuples loops_that_count_down continue_behind_an_assignment continue_with_places a_panic_in_a_loop);
}

#[test]
fn names_and_references() {
    check_at_points!(closures_that_move order_of_evaluation constants_in_any_order renamed_constants references_into_references references_in_a_pattern shadowing);
}

#[test]
fn arrays_and_iterators() {
    check_at_points!(slices_of_slices chains rows_of_rows largest_element swaps_and_slices empty_ranges pushes);
}

#[differentiable(crate = crate::riesz)]
fn casts_saturate(v: &[f64]) -> f64 {
    let k = (v[0] * 1e12) as i32;
    (k as f64 * 1e-9) * v[1]
}

#[differentiable(crate = crate::riesz)]
fn casts_to_bytes_saturate(v: &[f64]) -> f64 {
    let k = (v[0] * 703.3) as u8;
    k as f64 * v[1]
}

#[differentiable(crate = crate::riesz)]
fn casts_lose_upper_bits(v: &[f64]) -> f64 {
    let n = v.len();
    let k = (n as i64 * 1000 - 7) as i8;
    k as f64 * v[1] * v[2]
}

#[differentiable(crate = crate::riesz)]
fn negative_becomes_unsigned(v: &[f64]) -> f64 {
    let n = v.len() as i32;
    let k = (n - 9) as u32;
    (k as f64 * 1e-9) * v[1]
}

#[differentiable(crate = crate::riesz)]
fn nan_becomes_zero(v: &[f64]) -> f64 {
    let nan = f64::NAN;
    let k = nan as i32;
    (k as f64 + 2.0) * v[0]
}

#[differentiable(crate = crate::riesz)]
fn not_less(v: &[f64]) -> f64 {
    let x = v[0] + 0.17;
    if !(x < 0.5) { x * x } else { x.sin() }
}

#[differentiable(crate = crate::riesz)]
fn nan_is_not_less(v: &[f64]) -> f64 {
    let z = v[0] - v[0];
    let nan = z / z;
    if !(nan < 0.5) { v[0] * v[1] } else { v[2].sin() }
}

#[differentiable(crate = crate::riesz)]
fn nan_differs_from_itself(v: &[f64]) -> f64 {
    let z = v[0] - v[0];
    let nan = z / z;
    if nan != nan { v[0] * v[1] } else { v[2].sin() }
}

#[differentiable(crate = crate::riesz)]
fn rounding(v: &[f64]) -> f64 {
    let a = 2.5_f64.round() + (-2.5_f64).round() + 0.5_f64.round() + (v[0] * 0.0 + 3.5).round();
    a * v[1] * v[0].round() + (v[1] * 10.0).trunc() * v[0] + (v[2] * 7.0).fract()
}

#[differentiable(crate = crate::riesz)]
fn division_of_negative_integers(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in -7i32..8 {
        s += ((i / 3) as f64 + (i % 4) as f64 * 0.3) * v[0] * (i as f64 * 0.1).cos();
    }
    s * v[1]
}

#[differentiable(crate = crate::riesz)]
fn labels(v: &[f64]) -> f64 {
    let mut s = 0.0;
    'o: for i in 0..v.len() {
        for j in 0..v.len() {
            if j > i + 1 {
                continue 'o;
            }
            if v[i] + v[j] > 1.4 {
                break 'o;
            }
            s += v[i] * v[j];
        }
        s *= 1.1;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn return_from_two_loops(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..v.len() {
        for j in i..v.len() {
            if v[i] * v[j] < -0.3 {
                return s * v[i] + 1.0;
            }
            s += (v[i] - v[j]).sin();
        }
        s = s * 0.9 + 0.1;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn bounds_that_change(v: &[f64]) -> f64 {
    let mut i = 0;
    let mut s = 0.0;
    let mut n = v.len();
    while i < n {
        s += v[i] * v[i];
        if s > 0.5 {
            n -= 1;
        }
        i += 1;
    }
    s * n as f64
}

#[differentiable(crate = crate::riesz)]
fn closures_that_move(v: &[f64]) -> f64 {
    let x = v[0];
    let f = move |y: f64| x * y + v[1];
    let x = x * 2.0;
    f(x) + f(x * 3.0) * x
}

#[differentiable(crate = crate::riesz)]
fn slices_of_slices(v: &[f64]) -> f64 {
    let w = &v[1..];
    let u = &w[1..3];
    u[0] * w[0] + u[1] * v[0] + u.len() as f64 * v[4]
}

#[differentiable(crate = crate::riesz)]
fn order_of_evaluation(v: &[f64]) -> f64 {
    let mut x = v[0];
    let y = x * {
        x = v[1];
        x
    } + x;
    y * x
}

#[differentiable(crate = crate::riesz)]
fn constants_in_any_order(v: &[f64]) -> f64 {
    const A: f64 = B * 2.0;
    const B: f64 = 1.5;
    v[0] * A + v[1] * B
}

#[differentiable(crate = crate::riesz)]
fn renamed_constants(v: &[f64]) -> f64 {
    use std::f64::consts::{LN_2, PI as E};
    v[0] * E + v[1] * LN_2
}

#[differentiable(crate = crate::riesz)]
fn references_into_references(v: &[f64]) -> f64 {
    let mut a = [v[0], v[1], v[2]];
    let p = &mut a;
    p[0] *= v[3];
    let q = &mut p[1];
    *q += v[0].sin();
    a.iter().map(|x| x * x).sum()
}

#[differentiable(crate = crate::riesz)]
fn references_in_a_pattern(v: &[f64]) -> f64 {
    let (mut a, mut b) = (v[0], v[1]);
    let (p, q) = (&mut a, &mut b);
    *p *= *q;
    *q += *p;
    a * b
}

#[differentiable(crate = crate::riesz)]
fn continue_with_places(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    for (i, x) in w.iter_mut().enumerate() {
        if i % 2 == 1 {
            continue;
        }
        let y = *x;
        *x = y * v[i];
    }
    w.iter().sum::<f64>() * w[1]
}

#[differentiable(crate = crate::riesz)]
fn chains(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for w in v.windows(3).rev().step_by(2) {
        s += w[0] * w[2];
    }
    for c in v.chunks(2).enumerate() {
        s += c.0 as f64 * c.1[0];
    }
    s + v.iter().rev().skip(1).step_by(2).zip(v.iter().take(2)).map(|(a, b)| a * b).sum::<f64>()
}

#[differentiable(crate = crate::riesz)]
fn matches_of_tuples(v: &[f64]) -> f64 {
    let n = v.len();
    let k = match (n, v[0] > 0.0) {
        (5, true) => 2,
        (5, false) => -2,
        (1..=3, _) | (7.., _) => 9,
        _ => 1,
    };
    v[1].powi(k) * k as f64
}

#[differentiable(crate = crate::riesz)]
fn loops_that_count_down(v: &[f64]) -> f64 {
    let mut s = 1.0;
    let mut k = 10usize;
    loop {
        k -= 1;
        if k % 3 == 0 {
            continue;
        }
        s *= 1.0 + v[k % 5] * 0.1;
        if k < 3 {
            break;
        }
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn rows_of_rows(v: &[f64]) -> f64 {
    let mut a = vec![vec![0.0; 3]; 2];
    for i in 0..2 {
        for j in 0..3 {
            a[i][j] = v[i] * v[j + 1];
            a[i][0] += a[i][j] * 0.5;
        }
    }
    let r = &mut a[1];
    r[2] *= 2.0;
    a[1][2] + a[0].iter().sum::<f64>()
}

#[differentiable(crate = crate::riesz)]
fn largest_element(v: &[f64]) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let mut at = 0;
    for (i, x) in v.iter().enumerate() {
        if *x > best {
            best = *x;
            at = i;
        }
    }
    best * at as f64 + v[at] * v[0]
}

#[differentiable(crate = crate::riesz)]
fn continue_behind_an_assignment(v: &[f64]) -> f64 {
    let mut s = 0.0;
    let mut prev = v[0];
    for i in 1..v.len() {
        let d = v[i] - prev;
        prev = v[i];
        if d.abs() < 0.2 {
            continue;
        }
        s += d / (1.0 + prev * prev);
    }
    s + prev
}

#[differentiable(crate = crate::riesz)]
fn shadowing(v: &[f64]) -> f64 {
    let x = v[0];
    let x = if x > 0.0 {
        let x = x * 2.0;
        x + v[1]
    } else {
        let x = x - 1.0;
        x * v[2]
    };
    {
        let x = 5.0;
        let _y = x;
    }
    x * x
}

#[differentiable(crate = crate::riesz)]
fn swaps_and_slices(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    let n = w.len();
    for i in 0..n / 2 {
        w.swap(i, n - 1 - i);
    }
    w[0] -= w[n - 1];
    w.reverse();
    w[..2].iter().zip(&w[3..]).fold(0.0, |s, (a, b)| s * 0.5 + a * b)
}

#[differentiable(crate = crate::riesz)]
fn bytes(v: &[f64]) -> f64 {
    let k = v.len() as u8 - 3;
    let m = 250u8;
    let z = (m as i8) as i32;
    v[0] * k as f64 + v[1] * z as f64
}

#[differentiable(crate = crate::riesz)]
fn empty_ranges(v: &[f64]) -> f64 {
    let n = v.len();
    let s: f64 = (3..n).map(|i| v[i]).sum::<f64>() + (n..3).map(|i| v[i]).sum::<f64>() + (7..3).len() as f64;
    let e: f64 = (9..n).map(|i| i as f64).product();
    s * e * v[0] + (9..n).count() as f64
}

#[differentiable(crate = crate::riesz)]
fn pushes(v: &[f64]) -> f64 {
    let mut out = Vec::new();
    for x in v {
        let y = if *x > 0.1 { x * x } else { x.sin() };
        out.push(y);
    }
    out.iter().sum::<f64>() + out.len() as f64 * v[0]
}

#[differentiable(crate = crate::riesz)]
fn two_arguments(v: &[f64]) -> f64 {
    let x = v[0].max(v[1]).min(v[2]).clamp(-0.5, 0.5);
    let y = v[3].copysign(-1.0) + v[4].signum() * v[0];
    x * y + v[1].hypot(v[2]) + v[0].mul_add(v[1], v[2])
}

#[differentiable(crate = crate::riesz)]
fn a_panic_in_a_loop(v: &[f64]) -> f64 {
    let mut s = 0.0;
    let mut i = 0;
    while i < v.len() {
        s += v[i];
        i += 1;
        if s > 30.0 {
            panic!()
        }
    }
    s * s
}
