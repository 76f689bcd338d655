//! The cofactors of a matrix of any rank, and their derivatives in any number of directions:
//! `p a q = l (diagonal(d) ⊕ s) u`, by elimination with the largest pivot until the remainder `s` is close to zero; no
//! division is by an entry of `s`.

use crate::matrix::{NEARLY_SINGULAR, mantissa_and_exponent, times_power_of_two};

/// `Dᵏ cof a (h₁, …, hₖ)`: the coefficient of `ε₁ ⋯ εₖ` in `cof(a + Σ εᵢ hᵢ)`, where `εᵢ² = 0`.
pub fn cofactors_of_any_rank(to: &mut [f64], a: &[f64], n: usize, h: &[f64]) {
    let count = h.len().checked_div(n * n).unwrap_or(0);
    let entry = |at: usize| {
        let mut jet = Jet::constant(a[at], count);
        (0..count).for_each(|i| jet.0[1 << i] = h[i * n * n + at]);
        jet
    };
    let mut matrix = Matrix {
        n,
        count,
        entries: (0..n * n).map(entry).collect(),
        rows: (0..n).collect(),
        columns: (0..n).collect(),
        sign: 1.0,
        rank: 0,
    };
    matrix.eliminate();
    matrix.cofactors(to);
}

/// A number with a coefficient for every set of directions: the bits of a position say which are in the set.
#[derive(Clone)]
struct Jet(Vec<f64>);

impl Jet {
    fn constant(x: f64, count: usize) -> Jet {
        let mut parts = vec![0.0; 1 << count];
        parts[0] = x;
        Jet(parts)
    }

    fn size(&self) -> f64 {
        self.0[0].abs()
    }

    fn sub(&self, other: &Jet) -> Jet {
        Jet(self.0.iter().zip(&other.0).map(|(x, y)| x - y).collect())
    }

    fn add(&self, other: &Jet) -> Jet {
        Jet(self.0.iter().zip(&other.0).map(|(x, y)| x + y).collect())
    }

    fn scale(&self, factor: f64) -> Jet {
        Jet(self.0.iter().map(|x| factor * x).collect())
    }

    fn mul(&self, other: &Jet) -> Jet {
        let part = |set: usize| subsets(set).map(|s| self.0[s] * other.0[set ^ s]).sum();
        Jet((0..self.0.len()).map(part).collect())
    }

    fn reciprocal(&self) -> Jet {
        let first = 1.0 / self.0[0];
        let mut parts = vec![first];
        for set in 1..self.0.len() {
            let sum: f64 = subsets(set).filter(|s| *s != 0).map(|s| self.0[s] * parts[set ^ s]).sum();
            parts.push(-sum * first);
        }
        Jet(parts)
    }
}

/// The subsets of a set, itself among them.
fn subsets(set: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), move |s| if *s == 0 { None } else { Some((s - 1) & set) })
}

/// After elimination `l` below the diagonal, the pivots on it, `u` above it, what is left in the last rows and columns.
struct Matrix {
    n: usize,
    /// How many directions there are.
    count: usize,
    entries: Vec<Jet>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    sign: f64,
    /// How many pivots there are.
    rank: usize,
}

impl Matrix {
    fn at(&self, row: usize, column: usize) -> &Jet {
        &self.entries[row * self.n + column]
    }

    fn constant(&self, x: f64) -> Jet {
        Jet::constant(x, self.count)
    }

    fn eliminate(&mut self) {
        let n = self.n;
        let mut first = 0.0;
        // The last pivot is never divided by.
        while self.rank + 1 < n {
            let k = self.rank;
            let mut largest = (k, k);
            for row in k..n {
                for column in k..n {
                    if self.at(row, column).size() > self.at(largest.0, largest.1).size() {
                        largest = (row, column);
                    }
                }
            }
            let size = self.at(largest.0, largest.1).size();
            first = if k == 0 { size } else { first };
            // Small pivots lose no digits where more rows are left than there are directions.
            if size == 0.0 || n - k <= self.count + 1 && (size.is_nan() || size <= NEARLY_SINGULAR * first) {
                return;
            }
            self.exchange(k, largest);
            let inverse = self.at(k, k).reciprocal();
            for row in k + 1..n {
                let factor = self.at(row, k).mul(&inverse);
                for column in k + 1..n {
                    self.entries[row * n + column] = self.at(row, column).sub(&factor.mul(self.at(k, column)));
                }
                self.entries[row * n + k] = factor;
            }
            for column in k + 1..n {
                self.entries[k * n + column] = self.at(k, column).mul(&inverse);
            }
            self.rank += 1;
        }
    }

    fn exchange(&mut self, k: usize, (row, column): (usize, usize)) {
        let n = self.n;
        if row != k {
            (0..n).for_each(|j| self.entries.swap(k * n + j, row * n + j));
            self.rows.swap(k, row);
            self.sign = -self.sign;
        }
        if column != k {
            (0..n).for_each(|i| self.entries.swap(i * n + k, i * n + column));
            self.columns.swap(k, column);
            self.sign = -self.sign;
        }
    }

    /// The determinant and the cofactors of what elimination left, without divisions but by whole numbers:
    /// `mₖ = s mₖ₋₁ + cₖ₋₁`, `cₖ = − tr(s mₖ) / k` from `m₀ = 0`, `c₀ = 1`, then `det s = ± cᵣ` and `cof s = ∓ mᵣᵀ`.
    fn remainder(&self) -> (Jet, Vec<Jet>) {
        let (first, r) = (self.rank, self.n - self.rank);
        if r > 1 && r > self.count + 1 {
            // Products of more numbers that vary from zero than there are directions.
            return (self.constant(0.0), vec![self.constant(0.0); r * r]);
        }
        let mut product = vec![self.constant(0.0); r * r];
        let (mut m, mut c) = (product.clone(), self.constant(1.0));
        for k in 1..=r {
            m.clone_from(&product);
            (0..r).for_each(|i| m[i * r + i] = m[i * r + i].add(&c));
            for at in 0..r * r {
                let terms = (0..r).map(|l| self.at(first + at / r, first + l).mul(&m[l * r + at % r]));
                product[at] = terms.fold(self.constant(0.0), |sum, term| sum.add(&term));
            }
            let trace = (0..r).fold(self.constant(0.0), |sum, i| sum.add(&product[i * r + i]));
            c = trace.scale(-1.0 / k as f64);
        }
        let sign = if r % 2 == 0 { 1.0 } else { -1.0 };
        let cofactors = (0..r * r).map(|at| m[at % r * r + at / r].scale(-sign)).collect();
        (c.scale(sign), cofactors)
    }

    fn cofactors(&self, to: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        let (determinant, rest) = self.remainder();
        // Each pivot over a power of two, so that no product overflows on the way.
        let exponents: Vec<i32> = (0..rank).map(|k| mantissa_and_exponent(self.at(k, k).0[0]).1).collect();
        let power = |exponent: i32| times_power_of_two(1.0, exponent);
        let pivots: Vec<Jet> = (0..rank).map(|k| self.at(k, k).scale(power(-exponents[k]))).collect();
        // Products of all pivots but one, from those before it and those after it.
        let mut before = vec![self.constant(1.0)];
        pivots.iter().for_each(|pivot| before.push(before[before.len() - 1].mul(pivot)));
        let mut behind = vec![determinant];
        pivots.iter().rev().for_each(|pivot| behind.push(behind[behind.len() - 1].mul(pivot)));
        let mut x = vec![self.constant(0.0); n * n];
        for k in 0..rank {
            x[k * n + k] = before[k].mul(&behind[rank - 1 - k]).scale(power(-exponents[k]));
        }
        for (at, cofactor) in rest.iter().enumerate() {
            x[(rank + at / (n - rank)) * n + rank + at % (n - rank)] = before[rank].mul(cofactor);
        }
        for i in (0..rank).rev() {
            for j in 0..n {
                for k in i + 1..n {
                    x[i * n + j] = x[i * n + j].sub(&self.at(k, i).mul(&x[k * n + j]));
                }
            }
        }
        for j in (0..rank).rev() {
            for i in 0..n {
                for k in j + 1..n {
                    x[i * n + j] = x[i * n + j].sub(&self.at(j, k).mul(&x[i * n + k]));
                }
            }
        }
        let total = exponents.iter().sum();
        for (at, entry) in x.iter().enumerate() {
            let last = entry.0.last().copied().unwrap_or(0.0);
            to[self.rows[at / n] * n + self.columns[at % n]] = times_power_of_two(self.sign * last, total);
        }
    }
}
