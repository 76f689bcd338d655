//! Slices, arrays, vectors, tuples, and assignment to their elements.

use crate::check_slice;
use crate::riesz::differentiable;

#[differentiable(crate = crate::riesz)]
fn squares(v: &[f64]) -> f64 {
    let n = v.len();
    let mut out = vec![0.0; n];
    for i in 0..n {
        out[i] = v[i] * v[i];
    }
    let mut s = 1.0;
    for i in 0..n {
        s += out[i] * (i as f64 + 1.0);
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn recurrence(v: &[f64]) -> f64 {
    let n = v.len();
    let mut out = vec![1.0; n];
    for i in 1..n {
        out[i] = out[i - 1] * v[i] + v[0];
    }
    out[n - 1]
}

#[differentiable(crate = crate::riesz)]
fn inner_part(v: &[f64]) -> f64 {
    let n = v.len();
    let mut out = v.to_vec();
    for i in 1..n - 1 {
        out[i] = v[i - 1] * v[i + 1];
    }
    for i in 0..n {
        out[i] *= 2.0 + out[i];
    }
    out.iter().sum::<f64>() + out[1]
}

#[differentiable(crate = crate::riesz)]
fn matrix(v: &[f64]) -> f64 {
    let n = v.len();
    let mut m = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = v[i] * v[j] + (i * j) as f64;
        }
    }
    let mut total = 0.0;
    for i in 0..n {
        let mut row = 0.0;
        for j in 0..n {
            if i != j {
                row += m[i][j].sin();
            }
        }
        total += row * row;
    }
    total
}

#[differentiable(crate = crate::riesz)]
fn scatter(v: &[f64]) -> f64 {
    let mut bins = [0.0; 3];
    for (i, x) in v.iter().enumerate() {
        bins[i % 3] += x * x;
    }
    bins[0] * bins[1] - bins[2].sqrt()
}

#[differentiable(crate = crate::riesz)]
fn triangular(v: &[f64]) -> f64 {
    // Forward substitution: each element reads those before it.
    let n = v.len();
    let mut y = vec![0.0; n];
    for i in 0..n {
        let mut s = v[i];
        for j in 0..i {
            s -= 0.5 * y[j] * v[j];
        }
        y[i] = s / (2.0 + v[i]);
    }
    y.iter().map(|x| x * x).sum()
}

#[differentiable(crate = crate::riesz)]
fn swapped(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    w.swap(0, 2);
    w.reverse();
    let t = w[0];
    w[0] = w[1];
    w[1] = t * t;
    let mut pair = (w[0], [w[1], w[2]]);
    pair.0 += 1.0;
    pair.1[0] *= pair.0;
    std::mem::swap(&mut pair.0, &mut w[1]);
    let (a, [b, c]) = pair;
    a * b + c + w[1]
}

#[differentiable(crate = crate::riesz)]
fn by_references(v: &[f64]) -> f64 {
    let mut m = [[0.0; 2]; 3];
    for (i, row) in m.iter_mut().enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = v[i] * v[j];
        }
    }
    let first = &mut m[0];
    first[1] += 3.0;
    for x in m[2].iter_mut() {
        *x *= 2.0;
    }
    let w = &m[1..];
    let mut s = 0.0;
    for row in w {
        for x in row {
            s += x * x;
        }
    }
    s + m[0][1] * m[0][0]
}

#[differentiable(crate = crate::riesz)]
fn pushed(v: &[f64]) -> f64 {
    let mut w = Vec::new();
    for x in v {
        w.push(x * x);
    }
    w.push(v[0]);
    w.extend_from_slice(&v[1..]);
    let mut s = 0.0;
    for i in 0..w.len() {
        s += w[i] * (i + 1) as f64;
    }
    s
}

#[test]
fn functions_of_slices() {
    let v = [0.5, -1.25, 2.0, 0.75];
    check_slice!(squares, v);
    check_slice!(recurrence, v);
    check_slice!(inner_part, v);
    check_slice!(matrix, v);
    check_slice!(scatter, [0.5, -1.25, 2.0, 0.75, 1.5]);
    check_slice!(triangular, v);
    check_slice!(swapped, v);
    check_slice!(by_references, v);
    check_slice!(pushed, v);
}

#[test]
fn empty_slices() {
    assert_eq!(squares::grad(&[]), Vec::<f64>::new());
    assert_eq!(squares::value_and_grad(&[], &mut []), 1.0);
    assert_eq!(pushed_nothing::value_and_grad(&[], 2.0, &mut [], &mut 0.0), 2.0);
}

#[differentiable(crate = crate::riesz)]
fn pushed_nothing(v: &[f64], x: f64) -> f64 {
    let mut s = x;
    for i in 2..v.len() {
        s += v[i - 1] * v[i];
    }
    s
}

#[differentiable(crate = crate::riesz)]
fn fixed<const N: usize>(a: &[[f64; N]; 2], b: [f64; N], scale: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..2 {
        for j in 0..N {
            s += a[i][j] * b[j] * scale;
        }
    }
    s * N as f64
}

#[test]
fn arrays_and_const_generics() {
    let (a, b) = ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0.5, 0.25, -1.0]);
    let (da, db, ds): ([[f64; 3]; 2], [f64; 3], f64) = fixed::grad(&a, b, 2.0);
    assert_eq!(da, [[3.0, 1.5, -6.0]; 2]);
    assert_eq!(db, [30.0, 42.0, 54.0]);
    assert_eq!(ds, 3.0 * (0.5 * 5.0 + 0.25 * 7.0 - 9.0));
    let (mut pa, mut pb, mut ps) = ([[0.0; 3]; 2], [0.0; 3], 0.0);
    fixed::value_and_grad(&a, b, 2.0, &mut pa, &mut pb, &mut ps);
    assert_eq!((pa, pb, ps), (da, db, ds));
}

#[differentiable(crate = crate::riesz, wrt(rows, pairs))]
fn nested(rows: &[Vec<f64>], pairs: &[(f64, [f64; 2])], which: &[usize], on: &[bool]) -> f64 {
    let mut s = 0.0;
    for (k, i) in which.iter().enumerate() {
        for x in &rows[*i] {
            if on[k] {
                s += x * pairs[k].0 * pairs[k].1[1];
            }
        }
    }
    s
}

#[test]
fn arrays_of_tuples_and_vectors() {
    let rows = vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]];
    let pairs = [(2.0, [1.0, 3.0]), (5.0, [1.0, 7.0])];
    let (rows_bar, pairs_bar): (Vec<Vec<f64>>, Vec<(f64, [f64; 2])>) =
        nested::grad(&rows, &pairs, &[2, 0], &[true, false]);
    assert_eq!(rows_bar, vec![vec![0.0, 0.0], vec![0.0, 0.0], vec![6.0, 6.0]]);
    assert_eq!(pairs_bar, vec![(33.0, [0.0, 22.0]), (0.0, [0.0, 0.0])]);
    let (value, tangent) = nested::jvp(&rows, &rows, &pairs, &pairs, &[2, 0], &[true, true]);
    assert_eq!(value, nested(&rows, &pairs, &[2, 0], &[true, true]));
    assert_eq!(tangent, 3.0 * value);
}

#[differentiable(crate = crate::riesz)]
fn map(x: &[f64], k: f64) -> Vec<f64> {
    x.iter().map(|t| k * t * t).collect()
}

#[differentiable(crate = crate::riesz)]
fn polar(r: f64, angle: f64) -> (f64, f64) {
    (r * angle.cos(), r * angle.sin())
}

#[differentiable(crate = crate::riesz)]
fn rotation(angle: f64) -> [[f64; 2]; 2] {
    [[angle.cos(), -angle.sin()], [angle.sin(), angle.cos()]]
}

#[test]
fn functions_that_give_arrays_and_tuples() {
    let x = [1.0, 2.0, 3.0];
    let (by_x, by_k): (Vec<Vec<f64>>, Vec<f64>) = map::jacobian(&x, 2.0);
    assert_eq!(by_x, vec![vec![4.0, 0.0, 0.0], vec![0.0, 8.0, 0.0], vec![0.0, 0.0, 12.0]]);
    assert_eq!(by_k, vec![1.0, 4.0, 9.0]);
    let (value, back) = map::vjp(&x, 2.0);
    assert_eq!(value, vec![2.0, 8.0, 18.0]);
    assert_eq!(back(&[1.0, 0.0, 0.0]), (vec![4.0, 0.0, 0.0], 1.0));
    assert_eq!(back(&[0.0, 1.0, 1.0]), (vec![0.0, 8.0, 12.0], 13.0));
    assert_eq!(map::jvp(&x, &[1.0, 1.0, 1.0], 2.0, 0.0), (value, vec![4.0, 8.0, 12.0]));

    let (by_r, by_angle): ((f64, f64), (f64, f64)) = polar::jacobian(2.0, 0.5);
    let (s, c) = 0.5_f64.sin_cos();
    assert_eq!((by_r, by_angle), ((c, s), (-2.0 * s, 2.0 * c)));
    assert_eq!(rotation::jacobian(0.5), [[-s, -c], [c, -s]]);
    let (_, back) = rotation::vjp(0.5);
    assert_eq!(back(&[[1.0, 0.0], [0.0, 1.0]]), -2.0 * s);
}
