//! Programs as people write them: assignments in place, loops that are left, closures, patterns.

#![allow(
    clippy::assign_op_pattern,
    clippy::needless_range_loop,
    clippy::neg_multiply,
    clippy::precedence,
    clippy::double_parens,
    clippy::let_and_return
)]

use crate::check_at_points;
use crate::riesz::differentiable;

#[test]
fn programs() {
    check_at_points!(
        a_loop_with_a_value a_labelled_block an_inner_function a_closure_that_assigns array_patterns
        bindings_with_patterns replaced in_place_prefix aliased_reads nested_closures steps zip_of_three
        sorted_by_exchanges guards breaks_through_two_loops two_arrays two_scatters scattered_products
        assigned_in_branches tuples_as_state elements_backwards signs while_in_for
        a_closure_with_a_mutable_argument chunks_in_place slices_in_place halves_in_place matched_numbers
        matched_slices left_from_a_loop inner_function_with_a_loop table chains shifts
    );
}

#[differentiable(crate = crate::riesz)]
fn a_loop_with_a_value(v: &[f64]) -> f64 {
    let mut i = 0;
    let x = loop {
        if v[i] > 0.5 || i == 4 {
            break v[i] * 2.0;
        }
        i += 1;
    };
    x * x
}

#[differentiable(crate = crate::riesz)]
fn a_labelled_block(v: &[f64]) -> f64 {
    let x = 'a: {
        if v[0] > 0.0 {
            break 'a v[1];
        }
        v[2]
    };
    x * x
}

#[differentiable(crate = crate::riesz)]
fn an_inner_function(v: &[f64]) -> f64 {
    fn sq(x: f64) -> f64 {
        x * x
    }
    v.iter().map(|x| sq(*x)).sum()
}

#[differentiable(crate = crate::riesz)]
fn a_closure_that_assigns(v: &[f64]) -> f64 {
    let mut s = 0.0;
    let mut add = |x: f64| s += x * x;
    add(v[0]);
    add(v[1]);
    s
}

#[differentiable(crate = crate::riesz)]
fn array_patterns(v: &[f64]) -> f64 {
    let [a, b, c] = [v[0], v[1], v[2]];
    let [p, .., q] = [v[0], v[1], v[2], v[4]];
    a * b + c + p * q
}

#[differentiable(crate = crate::riesz)]
fn bindings_with_patterns(v: &[f64]) -> f64 {
    let x = match v.len() {
        n @ 4..=6 => v[0] * n as f64,
        _ => 0.0,
    };
    x
}

#[differentiable(crate = crate::riesz)]
fn replaced(v: &[f64]) -> f64 {
    let mut a = v[0];
    let b = std::mem::replace(&mut a, v[1]);
    let c = std::mem::take(&mut a);
    a + b * c
}

#[differentiable(crate = crate::riesz)]
fn in_place_prefix(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    for i in 1..w.len() {
        w[i] += w[i - 1] * 0.5;
    }
    w[4] * w[2]
}

#[differentiable(crate = crate::riesz)]
fn aliased_reads(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    let n = w.len();
    for i in 0..n {
        w[i] = w[n - 1 - i] * 2.0 + v[i];
    }
    w.iter().map(|x| x * x).sum()
}

#[differentiable(crate = crate::riesz)]
fn nested_closures(v: &[f64]) -> f64 {
    let a = v[0];
    let f = |x: f64| {
        let g = |y: f64| y * a + x;
        g(x) * g(v[1])
    };
    let h = |x| f(f(x));
    h(v[2]) + f(v[3])
}

#[differentiable(crate = crate::riesz)]
fn steps(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in (0..v.len()).step_by(2) {
        s += v[i] * i as f64;
    }
    for i in (1..=4).rev().step_by(3) {
        s *= v[i];
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn zip_of_three(v: &[f64]) -> f64 {
    let w = [1.0, 2.0, 3.0];
    v.iter().zip(&v[1..]).zip(w.iter()).map(|((a, b), c)| a * b * c).sum::<f64>()
        + v.iter().zip(v.iter().skip(1).zip(v.iter().skip(2))).map(|(a, (b, c))| a - b * c).fold(1.0, |p, x| p * x)
}

#[differentiable(crate = crate::riesz)]
fn sorted_by_exchanges(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    let n = w.len();
    for i in 0..n {
        for j in 0..n - 1 - i {
            if w[j] > w[j + 1] {
                w.swap(j, j + 1);
            }
        }
    }
    w.iter().enumerate().map(|(i, x)| (i as f64 + 1.0) * x * x).sum()
}

#[differentiable(crate = crate::riesz)]
fn guards(v: &[f64]) -> f64 {
    let k = v.len() as i32;
    let mut s = 0.0;
    for i in 0..k {
        s += match i % 4 {
            0 => v[0],
            n if n == 1 && s > 0.0 => v[1] * 2.0,
            1 | 2 => v[2],
            _ => {
                let t = v[3];
                t * t
            }
        };
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn breaks_through_two_loops(v: &[f64]) -> f64 {
    let mut s = 0.0;
    let mut n = 0;
    'a: loop {
        for i in 0..5 {
            n += 1;
            s += v[i] * 0.3;
            if n > 7 {
                break 'a;
            }
            if s < -0.5 {
                s = 1.0;
                continue 'a;
            }
        }
        s *= 1.1;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn two_arrays(v: &[f64]) -> f64 {
    let mut a = v.to_vec();
    let mut b = vec![0.0; 5];
    for i in 0..5 {
        b[i] = a[i] * 2.0;
        a[i] = b[4 - i] + a[i];
    }
    a.iter().zip(&b).map(|(x, y)| x * y).sum()
}

#[differentiable(crate = crate::riesz)]
fn two_scatters(v: &[f64]) -> f64 {
    let mut h = [1.0; 3];
    for i in 0..5 {
        h[i % 3] += v[i];
        h[(i + 1) % 3] -= v[i] * 0.5;
    }
    h[0] * h[1] * h[2]
}

#[differentiable(crate = crate::riesz)]
fn scattered_products(v: &[f64]) -> f64 {
    let mut h = [1.0; 3];
    for i in 0..5 {
        h[i % 3] *= v[i];
    }
    h[0] * h[1] + h[2]
}

#[differentiable(crate = crate::riesz)]
fn assigned_in_branches(v: &[f64]) -> f64 {
    let mut h = [0.0; 5];
    for i in 0..5 {
        if v[i] > 0.0 {
            h[i] = v[i];
        } else {
            h[4 - i] = v[i] * 2.0;
        }
    }
    h[0] * h[1] + h[2] * h[3] + h[4]
}

#[differentiable(crate = crate::riesz)]
fn tuples_as_state(v: &[f64]) -> f64 {
    let mut st = (v[0], (v[1], 1usize));
    for x in v {
        st.0 += x * st.1.0;
        st.1.0 *= 0.9;
        st.1.1 += 1;
        st = (st.1.0, (st.0, st.1.1));
    }
    st.0 * st.1.1 as f64 + st.1.0
}

#[differentiable(crate = crate::riesz)]
fn elements_backwards(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    for (i, x) in w.iter_mut().enumerate().rev() {
        *x *= i as f64;
        if i == 2 {
            *x += 1.0;
        }
    }
    for x in w.iter_mut().skip(1).step_by(2) {
        *x = x.exp();
    }
    w.iter().sum()
}

#[differentiable(crate = crate::riesz)]
fn signs(v: &[f64]) -> f64 {
    let x = v[0];
    -x.powi(2) + (-x).powi(2) * 3.0 - -2.0_f64.powi(2) * v[1] + 2.0 * -v[2] / v[3] * 3.0 - (v[1] - v[2] - v[3])
}

#[differentiable(crate = crate::riesz)]
fn while_in_for(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..5 {
        let mut x = v[i];
        let mut k = 0;
        while x.abs() > 0.1 && k < 20 {
            x *= 0.7;
            k += 1;
        }
        s += x * k as f64;
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn a_closure_with_a_mutable_argument(v: &[f64]) -> f64 {
    let double = |z: &mut f64, k: f64| *z *= k;
    let mut y = v[0];
    double(&mut y, v[1]);
    double(&mut y, 2.0);
    y
}

#[differentiable(crate = crate::riesz)]
fn chunks_in_place(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    for (k, c) in w.chunks_mut(2).enumerate() {
        for x in c.iter_mut() {
            *x *= k as f64 + 1.0;
        }
        c[0] += 1.0;
    }
    w.iter().map(|x| x * x).sum()
}

#[differentiable(crate = crate::riesz)]
fn slices_in_place(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    for x in w[1..4].iter_mut() {
        *x = x.sin();
    }
    w[2..].reverse();
    w[..2].swap(0, 1);
    w[3..].fill(0.5);
    w.iter().enumerate().map(|(i, x)| x * i as f64).sum()
}

#[differentiable(crate = crate::riesz)]
fn halves_in_place(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    {
        let (a, b) = w.split_at_mut(2);
        a[0] += b[1] * b[0];
        b[2] -= a[1];
    }
    w[0] * w[4]
}

#[differentiable(crate = crate::riesz)]
fn matched_numbers(v: &[f64]) -> f64 {
    match v[0] {
        x if x < 0.0 => x * x,
        x if x > 0.5 => v[1],
        _ => v[2] * v[3],
    }
}

#[differentiable(crate = crate::riesz)]
fn matched_slices(v: &[f64]) -> f64 {
    match v {
        [a, b, rest @ ..] if *a > 0.0 => a * b + rest.len() as f64 * rest[0],
        [.., y, z] => y * z,
        _ => 0.0,
    }
}

#[differentiable(crate = crate::riesz)]
fn left_from_a_loop(v: &[f64]) -> f64 {
    let r = 'out: {
        for (i, x) in v.iter().enumerate() {
            if *x > 0.8 {
                break 'out *x * i as f64;
            }
            if i == 3 {
                break;
            }
        }
        v[0] * v[1]
    };
    r * 2.0
}

#[differentiable(crate = crate::riesz)]
fn inner_function_with_a_loop(v: &[f64]) -> f64 {
    fn norm(a: &[f64]) -> f64 {
        let mut s = 0.0;
        for x in a {
            if *x > 10.0 {
                return 0.0;
            }
            s += x * x;
        }
        s.sqrt()
    }
    norm(v) * norm(&v[1..3])
}

#[differentiable(crate = crate::riesz)]
fn table(v: &[f64]) -> f64 {
    let t = [0.0, 1.0, 4.0, 9.0];
    let x = (v[0].abs() * 2.9).min(2.99);
    let i = x.floor() as usize;
    let f = x - i as f64;
    t[i] * (1.0 - f) + t[i + 1] * f + v[1] * t[i.min(2)]
}

#[differentiable(crate = crate::riesz)]
fn chains(v: &[f64]) -> f64 {
    v[..2].iter().chain(v[3..].iter()).rev().zip(0..3).map(|(x, i)| x * i as f64).sum::<f64>()
        + v.iter().chain([1.0, v[0]].iter()).product::<f64>()
}

#[differentiable(crate = crate::riesz)]
fn shifts(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for k in 0..6usize {
        let h = k >> 1;
        let o = k & 1;
        s += v[h] * (1 << o) as f64 + (1u32 << k) as f64 * v[4];
    }
    s
}
