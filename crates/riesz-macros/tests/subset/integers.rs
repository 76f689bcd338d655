//! Integers: what fits the type of Rust is what Rust computes, and where an integer overflows, the derivative stops, in release
//! builds too.

#![allow(clippy::needless_range_loop, clippy::assign_op_pattern, arithmetic_overflow)]

use crate::riesz::differentiable;
use crate::{POINTS, check_slice};

#[test]
fn integers_that_fit() {
    macro_rules! check {
        ($($f:ident)*) => {
            $([POINTS[0], POINTS[3]].iter().for_each(|at| check_slice!($f, *at));)*
        };
    }
    check!(
        wrapping shifted random_numbers truncated remainders differences powers truth_values chains_of_ranges
        casts_that_wrap limits signs
    );
}

#[test]
fn integers_that_overflow() {
    macro_rules! check {
        ($($f:ident)*) => {
            $(assert!(std::panic::catch_unwind(|| $f::grad(&POINTS[3])).is_err(), "{} does not stop", stringify!($f));)*
        };
    }
    check!(
        u32_product i32_product u8_difference i8_negative i32_sum_in_a_branch u16_product_of_an_iterator
        u8_sum_of_an_iterator an_integer_without_a_type
    );
}

#[differentiable(wrt(x), crate = crate::riesz)]
fn large(x: f64, n: u64) -> f64 {
    x * n as f64
}

#[test]
#[should_panic(expected = "63 bits")]
fn integers_of_64_bits() {
    assert_eq!(large::grad(2.0, 1 << 40), (1u64 << 40) as f64);
    large::grad(2.0, u64::MAX);
}

#[differentiable(crate = crate::riesz)]
fn wrapping(v: &[f64]) -> f64 {
    let k = 200u8;
    let m = k.wrapping_add(100);
    v[0] * m as f64
}

#[differentiable(crate = crate::riesz)]
fn shifted(v: &[f64]) -> f64 {
    let k: u64 = 1 << 40;
    v[0] * k as f64
}

#[differentiable(crate = crate::riesz)]
fn random_numbers(v: &[f64]) -> f64 {
    let mut k: u64 = 12345;
    let mut s = 0.0;
    for i in 0..5 {
        k = (k * 1103515245 + 12345) % 2147483648;
        s += v[i] * (k as f64 / 2147483648.0);
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn truncated(v: &[f64]) -> f64 {
    let k = (v[0] * 10.0) as usize;
    let m = (v[1] * 10.0) as i64;
    let i = (v[2] * 4.0).floor() as i32;
    v[k % 5] * m as f64 + v[i.rem_euclid(5) as usize]
}

#[differentiable(crate = crate::riesz)]
fn remainders(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in -3i32..=3 {
        s += v[((i % 2) + 2) as usize] * (i / 2) as f64;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn differences(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..5usize {
        for j in 0..5usize {
            s += v[i] * v[j] * i.abs_diff(j) as f64 + (i.saturating_sub(j)) as f64;
        }
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn powers(v: &[f64]) -> f64 {
    let k = 3i32;
    let b = 2usize;
    v[0] * k.pow(3) as f64 + v[1] * b.pow(5) as f64 + v[2].powi(k.pow(2) - 7)
}

#[differentiable(crate = crate::riesz)]
fn truth_values(v: &[f64]) -> f64 {
    let a = (v[0] > 0.0) as i32;
    let b = (v[1] > 0.0) as usize;
    v[2] * a as f64 + v[b + 1] * f64::from(a) + (a as f64).powi(2)
}

#[differentiable(crate = crate::riesz)]
fn chains_of_ranges(v: &[f64]) -> f64 {
    (0..5).filter(|i| i % 2 == 0).map(|i| v[i]).sum::<f64>()
        + (1..5).map(|i| v[i] - v[i - 1]).map(|d| d * d).sum::<f64>()
        + (0..5).rev().zip(0..3).map(|(i, j)| v[i] * v[j]).sum::<f64>()
}

#[differentiable(crate = crate::riesz)]
fn casts_that_wrap(v: &[f64]) -> f64 {
    let i = -3i32;
    let k = (i as u8 % 5) as usize;
    v[k] * (i as u32 as f64) * 1e-9
}

#[differentiable(crate = crate::riesz)]
fn limits(v: &[f64]) -> f64 {
    let a = i32::MAX;
    let b = usize::MIN;
    let c = u8::MAX as usize;
    v[b] * a as f64 + v[c % 5]
}

#[differentiable(crate = crate::riesz)]
fn signs(v: &[f64]) -> f64 {
    let k = -(v.len() as i32);
    v[0] * k.signum() as f64 * k.abs() as f64
}

#[differentiable(crate = crate::riesz)]
fn u32_product(v: &[f64]) -> f64 {
    let mut h: u32 = 7;
    let mut s = 0.0;
    for i in 0..5 {
        h = h * 1000;
        s += v[i] * (h % 10) as f64;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn i32_product(v: &[f64]) -> f64 {
    let k: i32 = 1_000_000;
    let m = k * (v.len() as i32 * 1000);
    v[0] * m as f64
}

#[differentiable(crate = crate::riesz)]
fn u8_difference(v: &[f64]) -> f64 {
    let k: u8 = 3;
    let m = k - v.len() as u8;
    v[0] * m as f64
}

#[differentiable(crate = crate::riesz)]
fn i8_negative(v: &[f64]) -> f64 {
    let k = (v.len() as i8) - 5 + -128;
    let m = -k;
    v[0] * m as f64
}

#[differentiable(crate = crate::riesz)]
fn i32_sum_in_a_branch(v: &[f64]) -> f64 {
    let mut c: i32 = 2147483600;
    for x in v {
        if *x > 0.0 {
            c += 20;
        }
    }
    v[0] * c as f64 * 1e-9
}

#[differentiable(crate = crate::riesz)]
fn u16_product_of_an_iterator(v: &[f64]) -> f64 {
    let p: u16 = (1..=5u16).map(|i| i * 20).product();
    v[0] * p as f64
}

#[differentiable(crate = crate::riesz)]
fn u8_sum_of_an_iterator(v: &[f64]) -> f64 {
    let p: u8 = (1..=5u8).map(|i| i * 20).sum();
    v[0] * p as f64
}

#[differentiable(crate = crate::riesz)]
fn an_integer_without_a_type(v: &[f64]) -> f64 {
    let mut k = 1;
    for _ in 0..40 {
        k *= 2;
    }
    v[0] * k as f64
}
