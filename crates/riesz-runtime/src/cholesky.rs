//! `a = l lᵀ`, and the derivative of `l` and its adjoint.
//!
//! ```text
//! u = lᵀ:   u₁₁ᵀ u₁₁ = a₁₁,   u₁₁ᵀ u₁₂ = a₁₂,   u₂₂ᵀ u₂₂ = a₂₂ − u₁₂ᵀ u₁₂
//! ```
//!
//! All three work on the upper triangle, whose rows are as long as the products want them, and halve the matrix down to
//! eight rows; the result is transposed at the end. The derivative takes the same steps for tangents, its adjoint takes
//! them from the last to the first.

use crate::matrix::any;
use crate::tile::{Block, Update, multiply};
use crate::transpose::{transpose, transpose_upper};
use crate::triangular::{SMALL, Triangle, half, solve};
use crate::{Context, Outcome, exact_mul};

/// The lower triangular `l` with `l lᵀ` the symmetric part of `a`; NaN where that is not positive definite.
pub fn cholesky(_: &mut Context, _: u32, to: &mut [f64], a: &[f64], n: i64) -> Outcome<()> {
    let n = n.max(0) as usize;
    let to = &mut to[..n * n];
    let positive = match n <= SMALL {
        true => {
            small_symmetric_part(to, a, n);
            factor_by_entries(to, n, |i, j| i * n + j)
        }
        false => {
            symmetric_part(to, a, n);
            let positive = factor(to, Block { first: 0, step: n }, n);
            transpose_upper(to, n);
            positive
        }
    };
    if !positive {
        for row in 0..n {
            let (below, above) = to[row * n..][..n].split_at_mut(row + 1);
            below.fill(f64::NAN);
            above.fill(0.0);
        }
    }
    Ok(())
}

/// `½ (a + aᵀ)` on and above the diagonal, zero below it.
fn symmetric_part(to: &mut [f64], a: &[f64], n: usize) {
    let at = Block { first: 0, step: n };
    transpose(to, (Some(a), at), at, (n, n));
    for i in 0..n {
        let (below, above) = to[i * n..][..n].split_at_mut(i);
        below.fill(0.0);
        above.iter_mut().zip(&a[i * n + i..]).for_each(|(x, y)| *x = 0.5 * (*x + y));
    }
}

/// `½ (a + aᵀ)` on and below the diagonal, zero above it, of at most [`SMALL`] rows.
fn small_symmetric_part(to: &mut [f64], a: &[f64], n: usize) {
    for i in 0..n {
        (0..n).for_each(|j| to[i * n + j] = if j > i { 0.0 } else { 0.5 * (a[i * n + j] + a[j * n + i]) });
    }
}

/// The upper factor, in place; whether the matrix is positive definite.
fn factor(to: &mut [f64], place: Block, n: usize) -> bool {
    if n <= SMALL {
        return factor_by_entries(to, n, |i, j| place.at(j, i).first);
    }
    let k = half(n);
    let (right, last) = (place.at(0, k), place.at(k, k));
    if !factor(to, place, k) {
        return false;
    }
    solve(to, right, (k, n - k), (None, place.transposed()), Triangle::Lower);
    subtract_upper(to, last, n - k, |to, rows, columns, into, size| {
        let left = (None, right.at(0, rows).transposed());
        multiply(to, into, left, (None, right.at(0, columns).strides()), (size.0, k, size.1), Update::Add(-1.0));
    });
    factor(to, last, n - k)
}

/// `lᵢⱼ = (aᵢⱼ − Σₖ₍ₖ<ⱼ₎ lᵢₖ lⱼₖ) / lⱼⱼ`, in place; where the entries are is up to the caller.
fn factor_by_entries(to: &mut [f64], n: usize, place: impl Fn(usize, usize) -> usize) -> bool {
    let mut positive = true;
    for i in 0..n {
        for j in 0..=i {
            let mut rest = to[place(i, j)];
            (0..j).for_each(|k| rest -= to[place(i, k)] * to[place(j, k)]);
            positive &= i != j || rest > 0.0;
            to[place(i, j)] = if i == j { rest.sqrt() } else { rest / to[place(j, j)] };
        }
    }
    positive
}

/// Subtracts a symmetric product from the upper triangle, in blocks: the function subtracts the block whose first row and
/// column it is given, with the place and the size of it. Elements below the diagonal become zero.
fn subtract_upper(
    to: &mut [f64],
    place: Block,
    n: usize,
    product: impl Fn(&mut [f64], usize, usize, Block, (usize, usize)),
) {
    const WIDTH: usize = 48;
    for top in (0..n).step_by(WIDTH) {
        let height = WIDTH.min(n - top);
        product(to, top, top, place.at(top, top), (height, n - top));
        for row in top..top + height {
            to[place.at(row, top).first..][..row - top].fill(0.0);
        }
    }
}

/// The tangent of the factor `l` of [`cholesky`], from the tangent `s` of the matrix.
pub fn cholesky_tangent(
    _: &mut Context,
    _: u32,
    t: &mut [f64],
    l: &[f64],
    n: i64,
    s: &[f64],
    _columns: i64,
) -> Outcome<()> {
    let n = n.max(0) as usize;
    let (t, l, at) = (&mut t[..n * n], &l[..n * n], Block { first: 0, step: n });
    if n <= SMALL {
        small_symmetric_part(t, s, n);
        tangent_by_entries(t, l, at, n, |i, j| at.at(i, j).first);
        return Ok(());
    }
    symmetric_part(t, s, n);
    tangent(t, l, at, n);
    // Products in which zero times anything is zero differ only where ordinary ones are NaN.
    if any(t, f64::is_nan) {
        symmetric_part(t, s, n);
        tangent_by_entries(t, l, at, n, |i, j| at.at(j, i).first);
    }
    transpose_upper(t, n);
    Ok(())
}

/// `u₁₁ᵀ ṫ₁₂ = s₁₂ − ṫ₁₁ᵀ u₁₂`,   `s₂₂ − u₁₂ᵀ ṫ₁₂ − ṫ₁₂ᵀ u₁₂`, where `ṫ` is the tangent of `u`
fn tangent(t: &mut [f64], l: &[f64], at: Block, n: usize) {
    if n <= SMALL {
        return tangent_by_entries(t, l, at, n, |i, j| at.at(j, i).first);
    }
    let k = half(n);
    let (right, below) = (at.at(0, k), at.at(k, 0));
    tangent(t, l, at, k);
    let upper = (Some(l), below.transposed());
    multiply(t, right, (None, at.transposed()), upper, (k, k, n - k), Update::Add(-1.0));
    solve(t, right, (k, n - k), (Some(l), at.strides()), Triangle::Lower);
    subtract_upper(t, at.at(k, k), n - k, |t, rows, columns, into, size| {
        let size = (size.0, k, size.1);
        let factor = (Some(l), below.at(rows, 0).strides());
        multiply(t, into, factor, (None, right.at(0, columns).strides()), size, Update::Add(-1.0));
        let factor = (Some(l), below.at(columns, 0).transposed());
        multiply(t, into, (None, right.at(0, rows).transposed()), factor, size, Update::Add(-1.0));
    });
    tangent(t, l, at.at(k, k), n - k);
}

/// `tᵢⱼ = (sᵢⱼ − Σₖ₍ₖ<ⱼ₎ (tᵢₖ lⱼₖ + lᵢₖ tⱼₖ) − lᵢⱼ tⱼⱼ) / lⱼⱼ` below the diagonal, half of that on it
fn tangent_by_entries(t: &mut [f64], l: &[f64], at: Block, n: usize, place: impl Fn(usize, usize) -> usize) {
    let l = |i: usize, j: usize| l[at.at(i, j).first];
    for j in 0..n {
        let inverse = 1.0 / l(j, j);
        let terms = (0..j).map(|k| exact_mul(l(j, k), t[place(j, k)]));
        let mut rest = t[place(j, j)];
        if let Some(sum) = terms.reduce(|sum, term| sum + term) {
            rest += exact_mul(-2.0, sum);
        }
        let diagonal = exact_mul(inverse * 0.5, rest);
        t[place(j, j)] = diagonal;
        for i in j + 1..n {
            let mut rest = t[place(i, j)];
            for k in 0..j {
                rest += exact_mul(-l(j, k), t[place(i, k)]);
                rest += exact_mul(-l(i, k), t[place(j, k)]);
            }
            rest += exact_mul(-l(i, j), diagonal);
            t[place(i, j)] = exact_mul(inverse, rest);
        }
    }
}

/// The cotangent of the matrix, from the cotangent `w` of the factor `l`.
pub fn cholesky_cotangent(
    _: &mut Context,
    _: u32,
    s: &mut [f64],
    l: &[f64],
    n: i64,
    w: &[f64],
    _columns: i64,
) -> Outcome<()> {
    let n = n.max(0) as usize;
    let (s, l, w, at) = (&mut s[..n * n], &l[..n * n], &w[..n * n], Block { first: 0, step: n });
    if n <= SMALL {
        s.copy_from_slice(w);
        cotangent_by_entries(s, l, at, n, |i, j| at.at(i, j).first);
        return Ok(());
    }
    transpose(s, (Some(w), at), at, (n, n));
    cotangent(s, l, at, n);
    if any(s, f64::is_nan) {
        transpose(s, (Some(w), at), at, (n, n));
        cotangent_by_entries(s, l, at, n, |i, j| at.at(j, i).first);
    }
    Ok(())
}

/// From `ū`, the cotangent of `u` on and above the diagonal, the symmetric cotangent `ā`, where the last half is first:
/// `u₁₁ ȳ = ū₁₂ − 2 u₁₂ ā₂₂`,   `ū₁₁ − u₁₂ ȳᵀ`,   `ā₁₂ = ½ ȳ`
fn cotangent(s: &mut [f64], l: &[f64], at: Block, n: usize) {
    if n <= SMALL {
        return cotangent_by_entries(s, l, at, n, |i, j| at.at(j, i).first);
    }
    let k = half(n);
    let (right, below, last) = (at.at(0, k), at.at(k, 0), at.at(k, k));
    let upper = (Some(l), below.transposed());
    cotangent(s, l, last, n - k);
    multiply(s, right, upper, (None, last.strides()), (k, n - k, n - k), Update::Add(-2.0));
    solve(s, right, (k, n - k), (Some(l), at.transposed()), Triangle::Upper);
    subtract_upper(s, at, k, |s, rows, columns, into, size| {
        let upper = (Some(l), below.at(0, rows).transposed());
        let y = (None, right.at(columns, 0).transposed());
        multiply(s, into, upper, y, (size.0, n - k, size.1), Update::Add(-1.0));
    });
    cotangent(s, l, at, k);
    for row in 0..k {
        s[right.at(row, 0).first..][..n - k].iter_mut().for_each(|x| *x *= 0.5);
    }
    transpose(s, (None, right), below, (k, n - k));
}

/// The steps of [`tangent_by_entries`] from the last to the first, each of them transposed.
fn cotangent_by_entries(s: &mut [f64], l: &[f64], at: Block, n: usize, place: impl Fn(usize, usize) -> usize) {
    let l = |i: usize, j: usize| l[at.at(i, j).first];
    for j in (0..n).rev() {
        let inverse = 1.0 / l(j, j);
        for i in (j + 1..n).rev() {
            let rest = exact_mul(inverse, s[place(i, j)]);
            s[place(j, j)] += exact_mul(-l(i, j), rest);
            for k in 0..j {
                s[place(i, k)] += exact_mul(-l(j, k), rest);
                s[place(j, k)] += exact_mul(-l(i, k), rest);
            }
            let part = exact_mul(0.5, rest);
            s[place(j, i)] = part;
            s[place(i, j)] = part;
        }
        let rest = exact_mul(inverse * 0.5, s[place(j, j)]);
        let sum = exact_mul(-2.0, rest);
        for k in 0..j {
            s[place(j, k)] += exact_mul(l(j, k), sum);
        }
        s[place(j, j)] = rest;
    }
}
