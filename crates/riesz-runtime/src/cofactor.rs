//! The cofactors of a matrix of any rank, and their derivatives in any number of directions:
//! `p a q = l (diagonal(d) ⊕ s) u`, by elimination with the largest pivot until the remainder `s` is close to zero; no
//! division is by an entry of `s`.
//!
//! The numbers are jets: a coefficient for every set of directions, side by side. The bits of a position say which
//! directions are in the set.

use crate::matrix::{NEARLY_SINGULAR, exponent, mantissa_and_exponent, times_power_of_two, with_room};
use crate::{Context, Outcome};

/// The largest power of two by which a small determinant is multiplied on the way: the cofactors beside it stay finite.
const MOST_LIFTED: i32 = 900;

/// `Dᵏ cof a (h₁, …, hₖ)`: the coefficient of `ε₁ ⋯ εₖ` in `cof(a + Σ εᵢ hᵢ)`, where `εᵢ² = 0`.
pub(crate) fn cofactors_of_any_rank(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: usize,
    h: &[f64],
) -> Outcome<()> {
    let count = h.len().checked_div(n * n).unwrap_or(0);
    let width = 1usize << count.min(40);
    // Four matrices, two rows and some numbers of jets; the permutations and the exponents.
    let jets = 4 * n * n + 2 * (n + 1) + 6;
    with_room(context, jets.saturating_mul(width).saturating_add(3 * n), site, |_, room| {
        let (entries, room) = room.split_at_mut(n * n * width);
        let (rows, room) = room.split_at_mut(n);
        let (columns, room) = room.split_at_mut(n);
        entries.fill(0.0);
        // The matrix and every direction over a power of two: no product overflows or vanishes, and cofactors are linear in
        // each direction and of degree `n - 1` in all of them with the matrix.
        let mut shift = 0i32;
        for (part, numbers) in std::iter::once(a).chain(h.chunks_exact((n * n).max(1))).enumerate() {
            let exponent = exponent(numbers);
            let degree = if part == 0 { n as i32 - 1 - count as i32 } else { 1 };
            shift = shift.saturating_add(exponent.saturating_mul(degree));
            let place = if part == 0 { 0 } else { 1 << (part - 1) };
            let entries = entries.chunks_exact_mut(width);
            entries.zip(numbers).for_each(|(entry, x)| entry[place] = times_power_of_two(*x, -exponent));
        }
        (0..n).for_each(|at| (rows[at], columns[at]) = (at as f64, at as f64));
        let mut matrix = Matrix { n, count, width, entries, rows, columns, sign: 1.0, rank: 0 };
        matrix.eliminate(&mut room[..3 * width]);
        matrix.cofactors(to, shift, room);
    })
}

/// `to += factor · x · y`
fn add_product(to: &mut [f64], factor: f64, x: &[f64], y: &[f64]) {
    for set in 0..to.len() {
        to[set] += factor * subsets(set).map(|s| x[s] * y[set ^ s]).sum::<f64>();
    }
}

/// `to = x · y`
fn product(to: &mut [f64], x: &[f64], y: &[f64]) {
    to.fill(0.0);
    add_product(to, 1.0, x, y);
}

/// `to = 1 / x`
fn reciprocal(to: &mut [f64], x: &[f64]) {
    let first = 1.0 / x[0];
    to[0] = first;
    for set in 1..to.len() {
        let sum: f64 = subsets(set).filter(|s| *s != 0).map(|s| x[s] * to[set ^ s]).sum();
        to[set] = -sum * first;
    }
}

/// Sets a jet to a number that does not vary.
fn constant(to: &mut [f64], x: f64) {
    to.fill(0.0);
    to[0] = x;
}

/// The subsets of a set, itself among them.
fn subsets(set: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), move |s| if *s == 0 { None } else { Some((s - 1) & set) })
}

/// After elimination `l` below the diagonal, the pivots on it, `u` above it, what is left in the last rows and columns.
struct Matrix<'r> {
    n: usize,
    /// How many directions there are.
    count: usize,
    /// How many numbers a jet has.
    width: usize,
    entries: &'r mut [f64],
    rows: &'r mut [f64],
    columns: &'r mut [f64],
    sign: f64,
    /// How many pivots there are.
    rank: usize,
}

impl Matrix<'_> {
    fn at(&self, row: usize, column: usize) -> &[f64] {
        &self.entries[(row * self.n + column) * self.width..][..self.width]
    }

    fn at_mut(&mut self, row: usize, column: usize) -> &mut [f64] {
        &mut self.entries[(row * self.n + column) * self.width..][..self.width]
    }

    fn size(&self, row: usize, column: usize) -> f64 {
        self.at(row, column)[0].abs()
    }

    fn eliminate(&mut self, room: &mut [f64]) {
        let (n, width) = (self.n, self.width);
        let (inverse, room) = room.split_at_mut(width);
        let (factor, other) = room.split_at_mut(width);
        let mut first = 0.0;
        // The last pivot is never divided by.
        while self.rank + 1 < n {
            let k = self.rank;
            let mut largest = (k, k);
            for row in k..n {
                for column in k..n {
                    if self.size(row, column) > self.size(largest.0, largest.1) {
                        largest = (row, column);
                    }
                }
            }
            let size = self.size(largest.0, largest.1);
            first = if k == 0 { size } else { first };
            // Small pivots lose no digits where more rows are left than there are directions.
            if size == 0.0 || n - k <= self.count + 1 && (size.is_nan() || size <= NEARLY_SINGULAR * first) {
                return;
            }
            self.exchange(k, largest);
            reciprocal(inverse, self.at(k, k));
            for row in k + 1..n {
                product(factor, self.at(row, k), inverse);
                for column in k + 1..n {
                    other.copy_from_slice(self.at(k, column));
                    add_product(self.at_mut(row, column), -1.0, factor, other);
                }
                self.at_mut(row, k).copy_from_slice(factor);
            }
            for column in k + 1..n {
                product(factor, self.at(k, column), inverse);
                self.at_mut(k, column).copy_from_slice(factor);
            }
            self.rank += 1;
        }
    }

    fn exchange(&mut self, k: usize, (row, column): (usize, usize)) {
        let (n, width) = (self.n, self.width);
        if row != k {
            let (above, below) = self.entries.split_at_mut(row * n * width);
            above[k * n * width..][..n * width].swap_with_slice(&mut below[..n * width]);
            self.rows.swap(k, row);
            self.sign = -self.sign;
        }
        if column != k {
            for row in self.entries.chunks_exact_mut(n * width) {
                (0..width).for_each(|part| row.swap(k * width + part, column * width + part));
            }
            self.columns.swap(k, column);
            self.sign = -self.sign;
        }
    }

    /// The determinant and the cofactors of what elimination left, without divisions but by whole numbers:
    /// `mₖ = s mₖ₋₁ + cₖ₋₁`, `cₖ = − tr(s mₖ) / k` from `m₀ = 0`, `c₀ = 1`, then `det s = ± cᵣ` and `cof s = ∓ mᵣᵀ`.
    /// `m` is left transposed, with that sign.
    fn remainder(&self, c: &mut [f64], m: &mut [f64], other: &mut [f64]) {
        let (first, r, width) = (self.rank, self.n - self.rank, self.width);
        if r > 1 && r > self.count + 1 {
            // Products of more numbers that vary from zero than there are directions.
            c.fill(0.0);
            return m.fill(0.0);
        }
        other.fill(0.0);
        constant(c, 1.0);
        for k in 1..=r {
            m.copy_from_slice(other);
            (0..r).for_each(|i| add(&mut m[(i * r + i) * width..][..width], c));
            other.fill(0.0);
            for (at, to) in other.chunks_exact_mut(width).enumerate() {
                for l in 0..r {
                    let with = &m[(l * r + at % r) * width..][..width];
                    add_product(to, 1.0, self.at(first + at / r, first + l), with);
                }
            }
            c.fill(0.0);
            (0..r).for_each(|i| add(c, &other[(i * r + i) * width..][..width]));
            c.iter_mut().for_each(|c| *c *= -1.0 / k as f64);
        }
        let sign = if r % 2 == 0 { 1.0 } else { -1.0 };
        c.iter_mut().for_each(|c| *c *= sign);
        other.copy_from_slice(m);
        for (at, to) in m.chunks_exact_mut(width).enumerate() {
            let from = &other[(at % r * r + at / r) * width..][..width];
            to.iter_mut().zip(from).for_each(|(to, from)| *to = -sign * from);
        }
    }

    /// The cofactors, times a power of two.
    fn cofactors(&self, to: &mut [f64], shift: i32, room: &mut [f64]) {
        let (n, rank, width, r) = (self.n, self.rank, self.width, self.n - self.rank);
        let (exponents, room) = room.split_at_mut(n);
        let (determinant, room) = room.split_at_mut(width);
        let (one, room) = room.split_at_mut(width);
        let (x, room) = room.split_at_mut(n * n * width);
        let (rest, room) = room.split_at_mut(r * r * width);
        self.remainder(determinant, rest, &mut room[..r * r * width]);
        // A determinant that is small is lifted, so that no product underflows on the way. All results are linear in it
        // and in the cofactors of the remainder.
        let largest = determinant.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let lift = (-mantissa_and_exponent(largest).1).clamp(0, MOST_LIFTED);
        determinant.iter_mut().chain(rest.iter_mut()).for_each(|x| *x = times_power_of_two(*x, lift));
        let (before, behind) = room.split_at_mut((n + 1) * width);
        // Each pivot over a power of two, so that no product overflows on the way.
        let power = |exponent: f64| times_power_of_two(1.0, exponent as i32);
        (0..rank).for_each(|k| exponents[k] = f64::from(mantissa_and_exponent(self.at(k, k)[0]).1));
        let pivot = |to: &mut [f64], k: usize| {
            to.iter_mut().zip(self.at(k, k)).for_each(|(to, x)| *to = power(-exponents[k]) * x);
        };
        // Products of all pivots but one, from those before it and those after it.
        constant(&mut before[..width], 1.0);
        behind[..width].copy_from_slice(determinant);
        for k in 0..rank {
            pivot(one, k);
            let (known, next) = before.split_at_mut((k + 1) * width);
            product(&mut next[..width], &known[k * width..], one);
            pivot(one, rank - 1 - k);
            let (known, next) = behind.split_at_mut((k + 1) * width);
            product(&mut next[..width], &known[k * width..], one);
        }
        x.fill(0.0);
        for k in 0..rank {
            let to = &mut x[(k * n + k) * width..][..width];
            add_product(to, power(-exponents[k]), &before[k * width..], &behind[(rank - 1 - k) * width..]);
        }
        for (at, cofactor) in rest.chunks_exact(width).enumerate() {
            let to = &mut x[((rank + at / r) * n + rank + at % r) * width..][..width];
            product(to, &before[rank * width..], cofactor);
        }
        for i in (0..rank).rev() {
            for j in 0..n {
                for k in i + 1..n {
                    one.copy_from_slice(&x[(k * n + j) * width..][..width]);
                    add_product(&mut x[(i * n + j) * width..][..width], -1.0, self.at(k, i), one);
                }
            }
        }
        for j in (0..rank).rev() {
            for i in 0..n {
                for k in j + 1..n {
                    one.copy_from_slice(&x[(i * n + k) * width..][..width]);
                    add_product(&mut x[(i * n + j) * width..][..width], -1.0, self.at(j, k), one);
                }
            }
        }
        let total = (exponents[..rank].iter().sum::<f64>() as i32 - lift).saturating_add(shift);
        for (at, entry) in x.chunks_exact(width).enumerate() {
            let place = self.rows[at / n] as usize * n + self.columns[at % n] as usize;
            to[place] = times_power_of_two(self.sign * entry[width - 1], total);
        }
    }
}

/// `to += x`
fn add(to: &mut [f64], x: &[f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += x);
}
