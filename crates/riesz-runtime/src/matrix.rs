//! Products of matrices, and linear algebra by `p a = l u`.

use crate::{LANES, Lanes};

/// A matrix in a buffer: where it begins, and how far apart rows and columns are.
#[derive(Clone, Copy, Debug)]
pub struct Strides {
    /// The position of the first element.
    pub first: i64,
    /// From a row to the next.
    pub row: i64,
    /// From a column to the next.
    pub column: i64,
}

/// `to = left · right`, an `rows × inner` by an `inner × columns` matrix; `to` row by row.
pub fn product(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (i64, i64, i64),
) {
    if inner > 0 && rows > 0 && columns > 0 {
        let (height, depth, width) = (rows as usize, inner as usize, columns as usize);
        if columns == 1 && left_at.column == 1 && right_at.row == 1 {
            let vector = &right[right_at.first as usize..][..depth];
            return rows_with_vector(&mut to[..height], left, left_at, vector);
        }
        // The transpose of a matrix that lies row by row, with a vector: the sum of its rows.
        if columns == 1 && left_at.row == 1 {
            let factor = |k: usize| right[(right_at.first + k as i64 * right_at.row) as usize];
            return sum_of_rows(&mut to[..height], (left, left_at.first, left_at.column), factor, depth);
        }
        if rows == 1 && right_at.column == 1 {
            let factor = |k: usize| left[(left_at.first + k as i64 * left_at.column) as usize];
            return sum_of_rows(&mut to[..width], (right, right_at.first, right_at.row), factor, depth);
        }
        if height * depth * width >= WORTH_PACKING {
            return packed(to, (left, left_at), (right, right_at), (height, depth, width));
        }
    }
    contract(to, (left, left_at), (right, right_at), (rows, inner, columns), |a, b| a * b);
}

/// Below so many products a matrix is not worth laying out anew.
const WORTH_PACKING: usize = 4096;

/// The inner product, in four sums of eight lanes.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut to = [0.0];
    rows_with_vector(&mut to, a, Strides { first: 0, row: 0, column: 1 }, b);
    to[0]
}

/// The rows of a matrix with a vector, four of them at a time.
fn rows_with_vector(to: &mut [f64], left: &[f64], at: Strides, vector: &[f64]) {
    let row = |i: usize| &left[(at.first + i as i64 * at.row) as usize..][..vector.len()];
    for (block, to) in to.chunks_mut(4).enumerate() {
        match to {
            [a, b, c, d] => {
                let [e, f, g, h] =
                    dots([row(4 * block), row(4 * block + 1), row(4 * block + 2), row(4 * block + 3)], vector);
                (*a, *b, *c, *d) = (e, f, g, h);
            }
            fewer => {
                for (i, to) in fewer.iter_mut().enumerate() {
                    [*to] = dots([row(4 * block + i)], vector);
                }
            }
        }
    }
}

/// The inner products of some rows with a vector, each in two sums of eight lanes.
#[inline(always)]
fn dots<const N: usize>(rows: [&[f64]; N], vector: &[f64]) -> [f64; N] {
    const STEP: usize = 2 * LANES;
    let whole = vector.len() / STEP * STEP;
    let mut sums = [[Lanes::splat(0.0); 2]; N];
    for k in (0..whole).step_by(STEP) {
        for half in 0..2 {
            // `k` is below `whole`, which no row is shorter than.
            let x = unsafe { Lanes::load(vector, (k + half * LANES) as i64, 1) };
            for (row, sums) in rows.iter().zip(&mut sums) {
                sums[half] = unsafe { Lanes::load(row, (k + half * LANES) as i64, 1) }.fma(x, sums[half]);
            }
        }
    }
    let mut totals = [0.0; N];
    for ((row, sums), total) in rows.iter().zip(&sums).zip(&mut totals) {
        let rest: f64 = row[whole..].iter().zip(&vector[whole..]).map(|(a, b)| a * b).sum();
        *total = (sums[0] + sums[1]).sum() + rest;
    }
    totals
}

/// `to = Σₖ factor(k) · rowₖ`, four rows at a time.
fn sum_of_rows(to: &mut [f64], (rows, first, step): (&[f64], i64, i64), factor: impl Fn(usize) -> f64, count: usize) {
    to.fill(0.0);
    let width = to.len();
    let row = |k: usize| &rows[(first + k as i64 * step) as usize..][..width];
    let mut k = 0;
    while k + 4 <= count {
        let factors = [factor(k), factor(k + 1), factor(k + 2), factor(k + 3)];
        add_multiples(to, factors, [row(k), row(k + 1), row(k + 2), row(k + 3)]);
        k += 4;
    }
    for k in k..count {
        add_multiples(to, [factor(k)], [row(k)]);
    }
}

/// `to += Σ factor · row`
#[inline(always)]
fn add_multiples<const N: usize>(to: &mut [f64], factors: [f64; N], rows: [&[f64]; N]) {
    let whole = to.len() / LANES * LANES;
    let factors_wide = factors.map(Lanes::splat);
    for at in (0..whole).step_by(LANES) {
        // `at` is below `whole`, which no row is shorter than.
        unsafe {
            let mut sum = Lanes::load(to, at as i64, 1);
            for (factor, row) in factors_wide.iter().zip(&rows) {
                sum = factor.fma(Lanes::load(row, at as i64, 1), sum);
            }
            sum.store(&mut *to, at as i64, 1);
        }
    }
    for at in whole..to.len() {
        for (factor, row) in factors.iter().zip(&rows) {
            to[at] += factor * row[at];
        }
    }
}

/// How many rows and columns of a result are computed at a time: they stay in registers.
const HEIGHT: usize = 8;
const WIDTH: usize = 3 * LANES;
/// How much of the sum over the inner index is done at a time.
const DEPTH: usize = 512;

/// The factors are laid out anew, so that what is used together lies together: the left one by columns of eight rows, the
/// right one by rows of twenty-four columns.
fn packed(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (usize, usize, usize),
) {
    let blocks = rows.div_ceil(HEIGHT);
    let mut lefts = vec![0.0; blocks * HEIGHT * inner.min(DEPTH)];
    let mut panel = vec![0.0; WIDTH * inner.min(DEPTH)];
    let mut sums = [[Lanes::splat(0.0); 3]; HEIGHT];
    for start in (0..inner).step_by(DEPTH) {
        let depth = DEPTH.min(inner - start);
        for (block, packed) in lefts.chunks_exact_mut(HEIGHT * depth).take(blocks).enumerate() {
            let first = left_at.first + (block * HEIGHT) as i64 * left_at.row + start as i64 * left_at.column;
            pack::<HEIGHT>(packed, left, (first, left_at.column, left_at.row), HEIGHT.min(rows - block * HEIGHT));
        }
        for column in (0..columns).step_by(WIDTH) {
            let width = WIDTH.min(columns - column);
            let first = right_at.first + start as i64 * right_at.row + column as i64 * right_at.column;
            pack::<WIDTH>(&mut panel[..WIDTH * depth], right, (first, right_at.row, right_at.column), width);
            for block in 0..blocks {
                let left = &lefts[block * HEIGHT * depth..][..HEIGHT * depth];
                block_product(left, &panel[..WIDTH * depth], &mut sums);
                for (i, sums) in sums.iter().enumerate().take(rows - block * HEIGHT) {
                    let to = &mut to[(block * HEIGHT + i) * columns + column..][..width];
                    write(to, sums, start > 0);
                }
            }
        }
    }
}

/// Lays out `count` of `N` elements of each step side by side, the rest zero.
#[inline(always)]
fn pack<const N: usize>(packed: &mut [f64], from: &[f64], (first, step, apart): (i64, i64, i64), count: usize) {
    if count < N {
        packed.fill(0.0);
    }
    if apart == 1 {
        for (k, packed) in packed.chunks_exact_mut(N).enumerate() {
            let from = &from[(first + k as i64 * step) as usize..][..count];
            packed[..count].copy_from_slice(from);
        }
        return;
    }
    for i in 0..count {
        let first = first + i as i64 * apart;
        for (k, packed) in packed.chunks_exact_mut(N).enumerate() {
            packed[i] = from[(first + k as i64 * step) as usize];
        }
    }
}

/// Eight rows by twenty-four columns, of factors that have been laid out so.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
fn block_product(left: &[f64], right: &[f64], to: &mut [[Lanes; 3]; HEIGHT]) {
    use std::arch::x86_64::{_mm512_fmadd_pd, _mm512_loadu_pd, _mm512_set1_pd, _mm512_setzero_pd, _mm512_storeu_pd};
    // The chunks have as many elements as are read of them, and `to` holds what is written.
    unsafe {
        let mut sums = [[_mm512_setzero_pd(); 3]; HEIGHT];
        for (a, b) in left.chunks_exact(HEIGHT).zip(right.chunks_exact(WIDTH)) {
            let (p, q, r) = (
                _mm512_loadu_pd(b.as_ptr()),
                _mm512_loadu_pd(b.as_ptr().add(LANES)),
                _mm512_loadu_pd(b.as_ptr().add(2 * LANES)),
            );
            for (sums, a) in sums.iter_mut().zip(a) {
                let a = _mm512_set1_pd(*a);
                sums[0] = _mm512_fmadd_pd(a, p, sums[0]);
                sums[1] = _mm512_fmadd_pd(a, q, sums[1]);
                sums[2] = _mm512_fmadd_pd(a, r, sums[2]);
            }
        }
        for (to, sums) in to.iter_mut().zip(&sums) {
            for (to, sum) in to.iter_mut().zip(sums) {
                _mm512_storeu_pd(to.0.as_mut_ptr(), *sum);
            }
        }
    }
}

/// Eight rows by twenty-four columns, of factors that have been laid out so.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn block_product(left: &[f64], right: &[f64], to: &mut [[Lanes; 3]; HEIGHT]) {
    *to = [[Lanes::splat(0.0); 3]; HEIGHT];
    for (a, b) in left.chunks_exact(HEIGHT).zip(right.chunks_exact(WIDTH)) {
        // A chunk has three times eight elements.
        let b = [0, 1, 2].map(|part| unsafe { Lanes::load(b, part * LANES as i64, 1) });
        for (sums, a) in to.iter_mut().zip(a) {
            let a = Lanes::splat(*a);
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = a.fma(b, *sum);
            }
        }
    }
}

/// Writes a row of a block, or adds it to what is there.
#[inline(always)]
fn write(to: &mut [f64], sums: &[Lanes; 3], add: bool) {
    for (part, to) in to.chunks_mut(LANES).enumerate() {
        for (lane, to) in to.iter_mut().enumerate() {
            *to = if add { *to + sums[part].0[lane] } else { sums[part].0[lane] };
        }
    }
}

/// The same with products in which zero times anything is zero.
pub fn exact_product(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (i64, i64, i64),
) {
    contract(to, (left, left_at), (right, right_at), (rows, inner, columns), crate::exact_mul);
}

#[inline(always)]
fn contract(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (i64, i64, i64),
    times: impl Fn(f64, f64) -> f64,
) {
    let (rows, inner, columns) = (rows.max(0) as usize, inner.max(0), columns.max(0) as usize);
    if columns == 1 {
        for (row, to) in to.iter_mut().enumerate().take(rows) {
            let start = left_at.first + row as i64 * left_at.row;
            let mut total = 0.0;
            for k in 0..inner {
                let b = right[(right_at.first + k * right_at.row) as usize];
                total += times(left[(start + k * left_at.column) as usize], b);
            }
            *to = total;
        }
        return;
    }
    if rows == 0 || columns == 0 {
        return;
    }
    for (row, to) in to.chunks_exact_mut(columns).enumerate().take(rows) {
        to.fill(0.0);
        let start = left_at.first + row as i64 * left_at.row;
        for k in 0..inner {
            let a = left[(start + k * left_at.column) as usize];
            let from = right_at.first + k * right_at.row;
            if right_at.column == 1 {
                for (to, b) in to.iter_mut().zip(&right[from as usize..][..columns]) {
                    *to += times(a, *b);
                }
            } else {
                for (column, to) in to.iter_mut().enumerate() {
                    *to += times(a, right[(from + column as i64 * right_at.column) as usize]);
                }
            }
        }
    }
}

/// The lower triangular `l` with `l lᵀ` the symmetric part of `a`; NaN where that is not positive definite.
pub fn cholesky(to: &mut [f64], a: &[f64], n: i64) {
    let n = n.max(0) as usize;
    let mut positive = true;
    for i in 0..n {
        for j in 0..=i {
            let mut rest = 0.5 * (a[i * n + j] + a[j * n + i]);
            for k in 0..j {
                rest -= to[i * n + k] * to[j * n + k];
            }
            if i == j {
                positive &= rest > 0.0;
                to[i * n + i] = rest.sqrt();
            } else {
                to[i * n + j] = rest / to[j * n + j];
            }
        }
        to[i * n + i + 1..(i + 1) * n].fill(0.0);
    }
    if !positive {
        for i in 0..n {
            to[i * n..=i * n + i].fill(f64::NAN);
        }
    }
}

/// `p a = l u`: both triangles in one matrix, the rows as they were exchanged, and the sign of the permutation.
struct Factors {
    n: usize,
    lu: Vec<f64>,
    rows: Vec<usize>,
    sign: f64,
}

impl Factors {
    /// None where an entry is NaN, since elimination may never touch it.
    fn new(a: &[f64], n: usize) -> Option<Factors> {
        if a[..n * n].iter().any(|x| x.is_nan()) {
            return None;
        }
        let mut lu = a[..n * n].to_vec();
        let mut rows: Vec<usize> = (0..n).collect();
        let mut sign = 1.0;
        for k in 0..n {
            let mut pivot = k;
            for row in k + 1..n {
                if lu[row * n + k].abs() > lu[pivot * n + k].abs() {
                    pivot = row;
                }
            }
            if lu[pivot * n + k] == 0.0 {
                continue;
            }
            if pivot != k {
                for column in 0..n {
                    lu.swap(k * n + column, pivot * n + column);
                }
                rows.swap(k, pivot);
                sign = -sign;
            }
            let (above, below) = lu.split_at_mut((k + 1) * n);
            let top = &above[k * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / top[k];
                row[k] = factor;
                for (x, t) in row[k + 1..].iter_mut().zip(&top[k + 1..]) {
                    *x -= factor * t;
                }
            }
        }
        Some(Factors { n, lu, rows, sign })
    }

    fn pivot(&self, k: usize) -> f64 {
        self.lu[k * self.n + k]
    }

    fn is_singular(&self) -> bool {
        (0..self.n).any(|k| self.pivot(k) == 0.0)
    }

    /// Solves `a x = b` for every column; `x` holds the rows of `b` in the order of the factors.
    fn solve(&self, x: &mut [f64], columns: usize) {
        let n = self.n;
        for i in 0..n {
            let (done, rest) = x.split_at_mut(i * columns);
            for k in 0..i {
                let factor = self.lu[i * n + k];
                for (x, known) in rest[..columns].iter_mut().zip(&done[k * columns..]) {
                    *x -= factor * known;
                }
            }
        }
        for i in (0..n).rev() {
            let (rest, done) = x.split_at_mut((i + 1) * columns);
            let row = &mut rest[i * columns..];
            for k in i + 1..n {
                let factor = self.lu[i * n + k];
                for (x, known) in row.iter_mut().zip(&done[(k - i - 1) * columns..]) {
                    *x -= factor * known;
                }
            }
            row.iter_mut().for_each(|x| *x /= self.pivot(i));
        }
    }

    fn determinant(&self) -> f64 {
        // Exponents are added apart, so that no partial product overflows.
        let (mut product, mut exponent) = (self.sign, 0i32);
        for k in 0..self.n {
            let (mantissa, power) = mantissa_and_exponent(self.pivot(k));
            let (normalised, carry) = mantissa_and_exponent(product * mantissa);
            product = normalised;
            exponent = exponent.saturating_add(power).saturating_add(carry);
        }
        times_power_of_two(product, exponent) + 0.0
    }
}

/// `x = m · 2ᵉ` with `m` between 1/2 and 1; zero, infinities and NaN as they are.
fn mantissa_and_exponent(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, shift) = if x.abs() < f64::MIN_POSITIVE { (x * 18014398509481984.0, -54) } else { (x, 0) };
    let bits = scaled.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | (1022 << 52)), exponent + shift)
}

fn times_power_of_two(mut x: f64, mut exponent: i32) -> f64 {
    while exponent > 1000 && x.is_finite() && x != 0.0 {
        x *= 2f64.powi(1000);
        exponent -= 1000;
    }
    while exponent < -1000 && x != 0.0 {
        x *= 2f64.powi(-1000);
        exponent += 1000;
    }
    x * 2f64.powi(exponent.clamp(-1000, 1000))
}

/// The solution `x` of `a x = b`; NaN where `a` is singular.
pub fn solve(to: &mut [f64], a: &[f64], n: i64, b: &[f64], columns: i64) {
    let (n, columns) = (n.max(0) as usize, columns.max(0) as usize);
    match Factors::new(a, n) {
        Some(factors) if !factors.is_singular() => {
            for (i, row) in factors.rows.iter().enumerate() {
                to[i * columns..(i + 1) * columns].copy_from_slice(&b[row * columns..(row + 1) * columns]);
            }
            factors.solve(&mut to[..n * columns], columns);
        }
        _ => to[..n * columns].fill(f64::NAN),
    }
}

/// The inverse; NaN where `a` is singular.
pub fn inv(to: &mut [f64], a: &[f64], n: i64) {
    let n = n.max(0) as usize;
    let mut identity = vec![0.0; n * n];
    for i in 0..n {
        identity[i * n + i] = 1.0;
    }
    solve(to, a, n as i64, &identity, n as i64);
}

/// The determinant.
pub fn det(to: &mut [f64], a: &[f64], n: i64) {
    to[0] = Factors::new(a, n.max(0) as usize).map_or(f64::NAN, |factors| factors.determinant());
}

/// The logarithm of the absolute value of the determinant.
pub fn logdet(to: &mut [f64], a: &[f64], n: i64) {
    let n = n.max(0) as usize;
    to[0] = Factors::new(a, n).map_or(f64::NAN, |factors| (0..n).map(|k| factors.pivot(k).abs().ln()).sum());
}

/// `det(a) a⁻ᵀ`, and where `a` is close to singular the determinants of what is left without a row and a column.
pub fn cofactor(to: &mut [f64], a: &[f64], n: i64) {
    let n = n.max(0) as usize;
    if n == 0 {
        return;
    }
    let Some(factors) = Factors::new(a, n) else { return to[..n * n].fill(f64::NAN) };
    let pivots = (0..n).map(|k| factors.pivot(k).abs());
    let (least, most) = pivots.fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
    if least > NEARLY_SINGULAR * most {
        let mut inverse = vec![0.0; n * n];
        inv(&mut inverse, a, n as i64);
        let determinant = factors.determinant();
        for i in 0..n {
            for j in 0..n {
                to[i * n + j] = inverse[j * n + i] * determinant;
            }
        }
        return;
    }
    if !a[..n * n].iter().all(|x| x.is_finite()) {
        return to[..n * n].fill(f64::NAN);
    }
    let mut minor = Vec::with_capacity((n - 1) * (n - 1));
    for i in 0..n {
        for j in 0..n {
            minor.clear();
            for row in (0..n).filter(|row| *row != i) {
                minor.extend((0..n).filter(|column| *column != j).map(|column| a[row * n + column]));
            }
            let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
            to[i * n + j] = sign * Factors::new(&minor, n - 1).map_or(f64::NAN, |factors| factors.determinant());
        }
    }
}

/// Below this ratio of pivots the inverse has lost half of its digits.
const NEARLY_SINGULAR: f64 = 1e-8;

/// The tangent of the factor `l` of [`cholesky`], from the tangent `s` of the matrix:
/// `tᵢⱼ = (sᵢⱼ − Σₖ₍ₖ<ⱼ₎ (tᵢₖ lⱼₖ + lᵢₖ tⱼₖ) − lᵢⱼ tⱼⱼ) / lⱼⱼ` below the diagonal, half of that on it.
pub fn cholesky_tangent(t: &mut [f64], l: &[f64], n: i64, s: &[f64], _columns: i64) {
    let n = n.max(0) as usize;
    t[..n * n].fill(0.0);
    for j in 0..n {
        let inverse = 1.0 / l[j * n + j];
        let terms = (0..j).map(|k| crate::exact_mul(l[j * n + k], t[j * n + k]));
        let mut rest = s[j * n + j];
        if let Some(sum) = terms.reduce(|sum, term| sum + term) {
            rest += crate::exact_mul(-2.0, sum);
        }
        let diagonal = crate::exact_mul(inverse * 0.5, rest);
        t[j * n + j] = diagonal;
        for i in j + 1..n {
            let mut rest = crate::exact_mul(0.5, s[i * n + j] + s[j * n + i]);
            for k in 0..j {
                rest += crate::exact_mul(-l[j * n + k], t[i * n + k]);
                rest += crate::exact_mul(-l[i * n + k], t[j * n + k]);
            }
            rest += crate::exact_mul(-l[i * n + j], diagonal);
            t[i * n + j] = crate::exact_mul(inverse, rest);
        }
    }
}

/// The cotangent of the matrix, from the cotangent `w` of the factor `l`: the steps of [`cholesky_tangent`] from the last
/// to the first, each of them transposed.
pub fn cholesky_cotangent(s: &mut [f64], l: &[f64], n: i64, w: &[f64], _columns: i64) {
    let n = n.max(0) as usize;
    let mut t = w[..n * n].to_vec();
    s[..n * n].fill(0.0);
    for j in (0..n).rev() {
        let inverse = 1.0 / l[j * n + j];
        for i in (j + 1..n).rev() {
            let rest = crate::exact_mul(inverse, t[i * n + j]);
            t[j * n + j] += crate::exact_mul(-l[i * n + j], rest);
            for k in 0..j {
                t[i * n + k] += crate::exact_mul(-l[j * n + k], rest);
                t[j * n + k] += crate::exact_mul(-l[i * n + k], rest);
            }
            let part = crate::exact_mul(0.5, rest);
            s[j * n + i] = part;
            s[i * n + j] = part;
        }
        let rest = crate::exact_mul(inverse * 0.5, t[j * n + j]);
        let sum = crate::exact_mul(-2.0, rest);
        for k in 0..j {
            t[j * n + k] += crate::exact_mul(l[j * n + k], sum);
        }
        s[j * n + j] = rest;
    }
}
