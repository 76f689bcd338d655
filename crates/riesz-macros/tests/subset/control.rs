//! Control flow: conditionals, loops, and what leaves them.

use crate::check_slice;
use crate::riesz::differentiable;

#[differentiable(crate = crate::riesz)]
fn newton(v: &[f64]) -> f64 {
    let mut x = 1.0;
    let mut steps = 0;
    while (x * x - v[0]).abs() > 1e-13 && steps < 50 {
        x = 0.5 * (x + v[0] / x);
        steps += 1;
    }
    x * v[1]
}

#[differentiable(crate = crate::riesz)]
fn breaks(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..v.len() {
        if v[i] < 0.0 {
            continue;
        }
        if s > 2.0 {
            break;
        }
        s += v[i] * v[i];
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn returns(v: &[f64]) -> f64 {
    if v.len() < 2 {
        return 0.0;
    }
    for i in 0..v.len() {
        if v[i] > 1.5 {
            return v[i] * v[0];
        }
    }
    if v[0] > 0.0 {
        let t = v[0] * 3.0;
        if v[1] > 0.0 {
            return t * v[1];
        }
    }
    v[0] - v[1]
}

#[differentiable(crate = crate::riesz)]
fn labels(v: &[f64]) -> f64 {
    let mut s = 0.0;
    'outer: for i in 0..v.len() {
        for j in 0..v.len() {
            if j > i {
                continue 'outer;
            }
            if s > 8.0 {
                break 'outer;
            }
            s += v[i] * v[j];
        }
        s += 100.0;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn forever(v: &[f64]) -> f64 {
    let mut x = v[0];
    let mut n = 0;
    loop {
        x = x * v[1] + 0.1;
        n += 1;
        if n >= 5 {
            break;
        }
    }
    x
}

#[differentiable(crate = crate::riesz)]
fn matches(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for (i, x) in v.iter().enumerate() {
        s += match i % 5 {
            0 => x * x,
            1 | 2 => 3.0 * x,
            k if k == 3 => {
                let y = x.sin();
                y * y
            }
            _ => -x,
        };
        match (i > 2, i) {
            (true, 3..=4) => s *= 2.0,
            _ => {}
        }
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn deferred(v: &[f64]) -> f64 {
    let a;
    let b: f64;
    if v[0] > 0.0 {
        a = v[0] * v[1];
        b = 1.0;
    } else {
        a = v[1];
        b = v[0] * v[0];
    }
    let c = if a > b { a } else { b * 2.0 };
    let c = {
        let d = c * c;
        d + a
    };
    c * b
}

#[differentiable(crate = crate::riesz)]
fn closures(v: &[f64]) -> f64 {
    let k = v[0];
    let scaled = |x: f64, y: f64| k * x + y;
    let twice = |x| scaled(x, x * x);
    let mut s = 0.0;
    for &x in v {
        s += twice(x);
    }
    s * scaled(1.0, 2.0)
}

#[differentiable(crate = crate::riesz)]
fn carried(v: &[f64]) -> f64 {
    // Two variables that depend on each other, an integer, and one that is only read.
    let (mut a, mut b) = (1.0, 0.0);
    let mut k = 0;
    let c = v[0];
    for x in v.iter().rev() {
        (a, b) = (b + x * c, a * x);
        if a > 1.0 {
            k += 1;
            b -= 0.5;
        }
    }
    a * b + k as f64 * a
}

#[differentiable(crate = crate::riesz)]
fn asserted(v: &[f64]) -> f64 {
    assert!(v.len() == 4, "four numbers");
    if v[0] > 100.0 {
        panic!("too large");
    }
    v[0] * v[3]
}

#[test]
fn control_flow() {
    for v in [[0.5, -1.25, 2.0, 0.75], [1.2, 1.1, 0.4, -0.3], [3.0, 0.2, 0.6, 1.9], [0.3, 0.7, 0.2, 0.1]] {
        check_slice!(newton, v);
        check_slice!(breaks, v);
        check_slice!(returns, v);
        check_slice!(labels, v);
        check_slice!(forever, v);
        check_slice!(matches, v);
        check_slice!(deferred, v);
        check_slice!(closures, v);
        check_slice!(carried, v);
        check_slice!(asserted, v);
    }
    check_slice!(matches, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    check_slice!(returns, [0.1]);
}

#[test]
#[should_panic(expected = "four numbers")]
fn a_broken_assertion_panics() {
    asserted::grad(&[1.0]);
}

#[test]
#[should_panic(expected = "too large")]
fn a_panic_panics() {
    asserted::jvp(&[101.0, 0.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 0.0]);
}

#[differentiable(crate = crate::riesz)]
fn references(v: &[f64]) -> f64 {
    let mut k = v[0];
    let scaled = move |x: f64| k * x;
    k += v[1];
    let r = &mut k;
    *r += 2.0 * v[2];
    let copy = *r;
    *r *= copy;
    let mut m = [[v[0], v[1]], [v[2], v[3]]];
    for row in m.iter_mut() {
        let same = row;
        same[0] *= 3.0;
        same[1] += same[0];
    }
    k + scaled(v[3]) + m[0][1] * m[1][1]
}

#[test]
fn references_and_copies() {
    check_slice!(references, [0.5, -1.25, 2.0, 0.75]);
}

#[differentiable(crate = crate::riesz)]
fn returns_in_branches(v: &[f64]) -> f64 {
    if v[0] > 0.4 {
        for x in v {
            if *x > 1.0 {
                return x * x;
            }
        }
        v[0]
    } else {
        for x in v {
            if *x < 0.0 {
                return 2.0 * x;
            }
            if *x < 0.15 {
                return x * v[1];
            }
        }
        v[1]
    }
}

#[test]
fn one_function_returns_in_many_ways() {
    for v in [[0.5, -1.25, 2.0], [0.5, 0.6, 0.7], [0.3, -0.2, 0.1], [0.3, 0.2, 0.1], [0.3, 0.2, 0.4]] {
        check_slice!(returns_in_branches, v);
    }
}
