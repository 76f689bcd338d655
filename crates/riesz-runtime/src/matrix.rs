//! Linear algebra by `p a = l u`.

use crate::cofactor::cofactors_of_any_rank;

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
pub(crate) fn mantissa_and_exponent(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, shift) = if x.abs() < f64::MIN_POSITIVE { (x * 18014398509481984.0, -54) } else { (x, 0) };
    let bits = scaled.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | (1022 << 52)), exponent + shift)
}

pub(crate) fn times_power_of_two(mut x: f64, mut exponent: i32) -> f64 {
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

/// `det(a) a⁻ᵀ`, and its derivative in as many directions `h` as there are, each an `n × n` matrix: `columns` is `n` times
/// their number. Where `a` is close to singular, by [`cofactors_of_any_rank`].
pub fn cofactor(to: &mut [f64], a: &[f64], n: i64, h: &[f64], columns: i64) {
    let n = n.max(0) as usize;
    let (to, a, h) = (&mut to[..n * n], &a[..n * n], &h[..n * columns.max(0) as usize]);
    let Some(factors) = Factors::new(a, n) else { return to.fill(f64::NAN) };
    let pivots = (0..n).map(|k| factors.pivot(k).abs());
    let (least, most) = pivots.fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
    if least > NEARLY_SINGULAR * most && h.len() <= n * n {
        let mut inverse = vec![0.0; n * n];
        inv(&mut inverse, a, n as i64);
        return regular(to, &inverse, factors.determinant(), h, n);
    }
    match a.iter().all(|x| x.is_finite()) {
        true => cofactors_of_any_rank(to, a, n, h),
        false => to.fill(f64::NAN),
    }
}

/// `c = det(a) a⁻ᵀ` and `D cof a (h) = ⟨c, h⟩ a⁻ᵀ − a⁻ᵀ hᵀ c`.
fn regular(to: &mut [f64], inverse: &[f64], determinant: f64, h: &[f64], n: usize) {
    let transposed = |at: usize| inverse[at % n * n + at / n];
    if h.is_empty() {
        return (0..n * n).for_each(|at| to[at] = transposed(at) * determinant);
    }
    let along: f64 = (0..n * n).map(|at| transposed(at) * h[at]).sum();
    // a⁻ᵀ hᵀ a⁻ᵀ, whose entry (i, j) is that of a⁻¹ h a⁻¹ at (j, i)
    let product = |x: &[f64], y: &[f64]| -> Vec<f64> {
        let mut z = vec![0.0; n * n];
        for i in 0..n {
            for k in 0..n {
                (0..n).for_each(|j| z[i * n + j] += x[i * n + k] * y[k * n + j]);
            }
        }
        z
    };
    let around = product(&product(inverse, h), inverse);
    for at in 0..n * n {
        to[at] = determinant * (along * transposed(at) - around[at % n * n + at / n]);
    }
}

/// Below this ratio of pivots the inverse has lost half of its digits.
pub(crate) const NEARLY_SINGULAR: f64 = 1e-8;

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
