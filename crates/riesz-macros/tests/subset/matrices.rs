//! Matrices as people write them: arrays of arrays, vectors of vectors, elimination and recurrences in place.

#![allow(clippy::needless_range_loop, clippy::many_single_char_names, clippy::useless_vec)]

use crate::check_at_points;
use crate::riesz::differentiable;

#[test]
fn matrices() {
    check_at_points!(cholesky elimination shortest_path rows_from_rows vectors_of_vectors matrix_powers bands);
}

#[differentiable(crate = crate::riesz)]
fn rows_from_rows(v: &[f64]) -> f64 {
    let mut m = [[0.0; 3]; 4];
    for i in 0..4 {
        for j in 0..3 {
            m[i][j] = v[i] * v[(i + j) % 5];
        }
    }
    for i in 1..4 {
        for j in 0..3 {
            m[i][j] -= m[i - 1][j] * m[0][0];
        }
    }
    m[3][2] + m[2][0] * m[1][1]
}

#[differentiable(crate = crate::riesz)]
fn vectors_of_vectors(v: &[f64]) -> f64 {
    let rows: Vec<Vec<f64>> = (0..3).map(|i| (0..2).map(|j| v[i] * v[j + 2]).collect()).collect();
    let mut s = 0.0;
    for (i, row) in rows.iter().enumerate() {
        for (j, x) in row.iter().enumerate() {
            s += x * (i + 2 * j) as f64;
        }
    }
    s + rows[1].iter().map(|x| x * x).sum::<f64>()
}

#[differentiable(crate = crate::riesz)]
fn matrix_powers(v: &[f64]) -> f64 {
    let a = [[v[0], v[1]], [v[2], v[3]]];
    let mut p = [[1.0, 0.0], [0.0, 1.0]];
    for _ in 0..3 {
        let mut q = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                for k in 0..2 {
                    q[i][j] += p[i][k] * a[k][j];
                }
            }
        }
        p = q;
    }
    p[0][1] + p[1][0] * v[4]
}

#[differentiable(crate = crate::riesz)]
fn cholesky(v: &[f64]) -> f64 {
    let n = 3;
    let mut a = [[0.0; 3]; 3];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = v[i] * v[j] + if i == j { 2.0 } else { 0.0 };
        }
    }
    let mut l = [[0.0; 3]; 3];
    for i in 0..n {
        for j in 0..=i {
            let mut s = a[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            l[i][j] = if i == j { s.sqrt() } else { s / l[j][j] };
        }
    }
    l[0][0] * l[1][1] + l[2][1]
}

#[differentiable(crate = crate::riesz)]
fn elimination(v: &[f64]) -> f64 {
    let mut a = vec![vec![3.0, v[0], v[1]], vec![v[2], 4.0, v[3]], vec![v[4], v[0], 5.0]];
    let mut b = v[..3].to_vec();
    for k in 0..3 {
        for i in k + 1..3 {
            let f = a[i][k] / a[k][k];
            for j in k..3 {
                let t = a[k][j];
                a[i][j] -= f * t;
            }
            let t = b[k];
            b[i] -= f * t;
        }
    }
    for i in (0..3).rev() {
        for j in i + 1..3 {
            let t = b[j];
            b[i] -= a[i][j] * t;
        }
        b[i] /= a[i][i];
    }
    b[0] + b[1] * b[2]
}

#[differentiable(crate = crate::riesz)]
fn shortest_path(v: &[f64]) -> f64 {
    let n = 5;
    let mut d = vec![vec![0.0; n + 1]; n + 1];
    for i in 1..=n {
        d[i][0] = d[i - 1][0] + v[i - 1];
    }
    for j in 1..=n {
        d[0][j] = d[0][j - 1] + 0.5 * v[j - 1];
    }
    for i in 1..=n {
        for j in 1..=n {
            let c = (v[i - 1] - v[n - j]).powi(2);
            d[i][j] = c + d[i - 1][j].min(d[i][j - 1]).min(d[i - 1][j - 1]);
        }
    }
    d[n][n]
}

#[differentiable(crate = crate::riesz)]
fn bands(v: &[f64]) -> f64 {
    let n = v.len() as i32;
    let mut s = 0.0;
    for d in -2..=2i32 {
        for i in 0..n {
            let j = i + d;
            if j >= 0 && j < n {
                s += v[i as usize] * v[j as usize] * (d as f64).cos();
            }
        }
    }
    s
}
