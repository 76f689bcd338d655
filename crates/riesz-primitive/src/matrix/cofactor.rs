//! Determinants and cofactors of matrices of any rank, and the derivatives of cofactors of every order, in any algebra.
//!
//! ```text
//! p a q = l b u,   b = diagonal(d₁, …, dₘ) ⊕ s
//! cof(p a q) = l⁻ᵀ cof(b) u⁻ᵀ,   cof(b) = det(s) diagonal(Πⱼ₍ⱼ≠ᵢ₎ dⱼ)ᵢ ⊕ Πᵢ dᵢ · cof(s)
//! ```
//!
//! Elimination takes the largest remaining entry as its pivot, and stops if that entry is zero or close to it. The
//! remainder `s` has entries that vary from zero, so no algebra divides by them: its cofactors are computed by products
//! and sums alone. The result is therefore a polynomial in the entries of `a`, as it should be, and its derivatives are
//! right for every `a`.
//!
//! The derivative of order `k` in the directions `h₁, …, hₖ` is the coefficient of `ε₁ ⋯ εₖ` in `cof(a + Σ εᵢ hᵢ)`, where
//! `εᵢ² = 0`: the same elimination, over [`Jet`]s.

use riesz_algebra::Module;

use crate::number::Number;
use crate::scalar;

/// A pivot that is smaller than the first one by this factor is not divided by: the inverse would have lost half of its
/// digits.
pub(super) const NEARLY_SINGULAR: f64 = 1e-8;

/// `Dᵏ cof a (h₁, …, hₖ)`, row by row: the `n × n` matrices `hᵢ` follow each other.
///
/// `order` is how many derivatives the numbers carry, where that is known.
pub fn cofactor<D: Number>(n: usize, a: &[D], directions: &[D], order: Option<usize>) -> Vec<D> {
    let point = Jets::<D, ()>::new(n, a, directions, None, order, false);
    point.cofactors().into_iter().filter_map(|mut jet| jet.parts.pop()).collect()
}

/// `Dᵏ⁺¹ cof a (h₁, …, hₖ, t)`: what the derivative varies by where `a` varies by `t`.
pub(super) fn cofactor_tangent<D: Number, E: Module<D>>(n: usize, a: &[D], directions: &[D], t: &[E]) -> Vec<E> {
    let point = Jets::new(n, a, directions, Some(t), D::ORDER.map(|order| order + 1), false);
    point.cofactors().into_iter().filter_map(|mut jet| jet.tangents.pop()).collect()
}

/// The determinant.
pub fn determinant<D: Number>(n: usize, a: &[D], order: Option<usize>) -> D {
    let mut determinant = Jets::<D, ()>::new(n, a, &[], None, order, true).determinant();
    determinant.parts.pop().unwrap_or_else(D::zero)
}

/// `Σₛ cₛ Π_{i ∈ s} εᵢ` with `εᵢ² = 0`: a coefficient for every set of directions, and what each of them varies by. The bits
/// of a position say which directions are in the set.
#[derive(Clone)]
struct Jet<D, E> {
    parts: Vec<D>,
    tangents: Vec<E>,
}

impl<D: Number, E: Module<D>> Jet<D, E> {
    fn constant(x: f64, width: usize) -> Self {
        let part = |set: usize| if set == 0 { D::constant(x) } else { D::zero() };
        Jet { parts: (0..width).map(part).collect(), tangents: vec![E::zero(); width] }
    }

    fn size(&self) -> f64 {
        self.parts[0].value().abs()
    }

    fn add(&self, other: &Self) -> Self {
        Jet {
            parts: self.parts.iter().zip(&other.parts).map(|(x, y)| x.add(y)).collect(),
            tangents: self.tangents.iter().zip(&other.tangents).map(|(x, y)| x.add(y)).collect(),
        }
    }

    fn sub(&self, other: &Self) -> Self {
        self.add(&other.scale(-1.0))
    }

    fn scale(&self, factor: f64) -> Self {
        if factor == 1.0 {
            return self.clone();
        }
        let factor = D::constant(factor);
        Jet {
            parts: self.parts.iter().map(|x| factor.mul(x)).collect(),
            tangents: self.tangents.iter().map(|x| x.scale(&factor)).collect(),
        }
    }

    fn mul(&self, other: &Self) -> Self {
        let part = |set: usize| {
            let products = subsets(set).map(|s| match set {
                0 => self.parts[0].mul(&other.parts[0]),
                _ => self.parts[s].exact_product(&other.parts[set ^ s]),
            });
            products.reduce(|sum, product| sum.add(&product)).unwrap_or_else(D::zero)
        };
        let tangent = |set: usize| {
            subsets(set).fold(E::zero(), |sum, s| {
                let sum = sum.add(&self.tangents[s].scale(&other.parts[set ^ s]));
                sum.add(&other.tangents[s].scale(&self.parts[set ^ s]))
            })
        };
        let width = self.parts.len();
        Jet { parts: (0..width).map(part).collect(), tangents: (0..width).map(tangent).collect() }
    }

    /// `1 / x`: the coefficients follow from `x · (1 / x) = 1`, the small sets first.
    fn reciprocal(&self) -> Self {
        let first = D::apply(&scalar::DIV, &[D::one(), self.parts[0].clone()]);
        let mut parts = vec![first.clone()];
        for set in 1..self.parts.len() {
            let known = subsets(set).filter(|s| *s != 0).map(|s| self.parts[s].exact_product(&parts[set ^ s]));
            let sum = known.reduce(|sum, product| sum.add(&product)).unwrap_or_else(D::zero);
            parts.push(sum.neg().exact_product(&first));
        }
        let tangents = vec![E::zero(); parts.len()];
        let inverse = Jet { parts, tangents };
        let slope = inverse.mul(&inverse).scale(-1.0);
        let tangent =
            |set: usize| subsets(set).fold(E::zero(), |sum, s| sum.add(&self.tangents[s].scale(&slope.parts[set ^ s])));
        Jet { tangents: (0..inverse.parts.len()).map(tangent).collect(), ..inverse }
    }
}

/// The subsets of a set, itself among them.
fn subsets(set: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), move |s| if *s == 0 { None } else { Some((s - 1) & set) })
}

/// A matrix after elimination: `l` below the diagonal, the pivots on it, `u` above it, and what is left in the last rows and
/// columns.
struct Jets<D, E> {
    n: usize,
    width: usize,
    /// How many products of numbers that vary from zero vanish.
    order: Option<usize>,
    entries: Vec<Jet<D, E>>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// The matrix is that of the caller over this power of two, so that no product of its entries overflows or vanishes.
    exponent: i32,
    /// The directions are those of the caller over powers of two with this product.
    shift: i32,
    /// Whether an odd number of rows and columns was exchanged.
    odd: bool,
    /// How many pivots there are.
    rank: usize,
}

impl<D: Number, E: Module<D>> Jets<D, E> {
    /// A determinant is a product that keeps the powers of two of its pivots apart, and needs no other scale.
    fn new(n: usize, a: &[D], directions: &[D], t: Option<&[E]>, order: Option<usize>, is_product: bool) -> Self {
        let count = if n == 0 { 0 } else { directions.len() / (n * n) };
        let width = 1 << count;
        // The power of two in the middle of the sizes of some numbers, where products of them could leave the range.
        let extreme = |numbers: &[D], degree: usize| {
            let sizes = numbers.iter().map(|x| x.value().abs()).filter(|x| *x > 0.0 && x.is_finite());
            let (least, most) = sizes.fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
            let exponent = if most > 0.0 { (libm::frexp(least).1 + libm::frexp(most).1) / 2 } else { 0 };
            if exponent.unsigned_abs() as usize * degree > 900 { exponent } else { 0 }
        };
        let exponent = if is_product { 0 } else { extreme(a, n) };
        let shifts: Vec<i32> = directions.chunks_exact((n * n).max(1)).map(|h| extreme(h, 1 + count)).collect();
        let entry = |at: usize| {
            let mut jet = Jet::constant(0.0, width);
            jet.parts[0] = a[at].clone();
            if let Some(t) = t {
                jet.tangents[0] = t[at].clone();
            }
            jet = times_power_of_two(jet, -exponent);
            (0..count).for_each(|i| {
                jet.parts[1 << i] = number_times_power_of_two(directions[i * n * n + at].clone(), -shifts[i]);
            });
            jet
        };
        let mut jets = Jets {
            n,
            width,
            order: order.map(|order| order + count),
            entries: (0..n * n).map(entry).collect(),
            rows: (0..n).collect(),
            columns: (0..n).collect(),
            exponent,
            shift: shifts.iter().sum(),
            odd: false,
            rank: 0,
        };
        jets.eliminate();
        jets
    }

    fn at(&self, row: usize, column: usize) -> &Jet<D, E> {
        &self.entries[row * self.n + column]
    }

    fn constant(&self, x: f64) -> Jet<D, E> {
        Jet::constant(x, self.width)
    }

    fn eliminate(&mut self) {
        let n = self.n;
        let mut first = 0.0;
        // The last pivot is never divided by.
        while self.rank + 1 < n {
            let k = self.rank;
            let places = (k..n).flat_map(|row| (k..n).map(move |column| (row, column)));
            let larger = |best: (usize, usize), place: (usize, usize)| {
                if self.at(place.0, place.1).size() > self.at(best.0, best.1).size() { place } else { best }
            };
            let (row, column) = places.reduce(larger).unwrap_or((k, k));
            let size = self.at(row, column).size();
            first = if k == 0 { size } else { first };
            // A matrix that is larger than the order has no minors but those with entries that do not vary: small pivots
            // lose nothing there.
            let few = self.order.is_none_or(|order| n - k <= order + 1);
            if size == 0.0 || few && (size.is_nan() || size <= NEARLY_SINGULAR * first) {
                return;
            }
            self.exchange(k, row, column);
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

    fn exchange(&mut self, k: usize, row: usize, column: usize) {
        let n = self.n;
        if row != k {
            (0..n).for_each(|j| self.entries.swap(k * n + j, row * n + j));
            self.rows.swap(k, row);
            self.odd = !self.odd;
        }
        if column != k {
            (0..n).for_each(|i| self.entries.swap(i * n + k, i * n + column));
            self.columns.swap(k, column);
            self.odd = !self.odd;
        }
    }

    fn sign(&self) -> f64 {
        if self.odd { -1.0 } else { 1.0 }
    }

    /// The determinant and the cofactors of what elimination left.
    fn remainder(&self) -> (Jet<D, E>, Vec<Jet<D, E>>) {
        let (k, r) = (self.rank, self.n - self.rank);
        if r > 1 && self.order.is_some_and(|order| r > order + 1) {
            // Products of as many numbers that vary from zero are zero.
            return (self.constant(0.0), vec![self.constant(0.0); r * r]);
        }
        let s = |i: usize, j: usize| self.at(k + i % r, k + j % r);
        let minor = |i: usize, j: usize| s(i, j).mul(s(i + 1, j + 1)).sub(&s(i, j + 1).mul(s(i + 1, j)));
        match r {
            0 => (self.constant(1.0), Vec::new()),
            1 => (s(0, 0).clone(), vec![self.constant(1.0)]),
            2 => {
                let cofactors = vec![s(1, 1).clone(), s(1, 0).scale(-1.0), s(0, 1).scale(-1.0), s(0, 0).clone()];
                (minor(0, 0), cofactors)
            }
            // Rows and columns follow each other in a circle, so that all signs are the same.
            3 => {
                let cofactors: Vec<_> = (0..9).map(|at| minor(at / 3 + 1, at % 3 + 1)).collect();
                let sum = (0..3).map(|j| s(0, j).mul(&cofactors[j])).reduce(|sum, term| sum.add(&term));
                (sum.unwrap_or_else(|| self.constant(0.0)), cofactors)
            }
            _ => self.by_traces(r),
        }
    }

    /// `mₖ = s mₖ₋₁ + cₖ₋₁`, `cₖ = − tr(s mₖ) / k` from `m₀ = 0`, `c₀ = 1`: then `det s = ± cᵣ` and `cof s = ∓ mᵣᵀ`.
    fn by_traces(&self, r: usize) -> (Jet<D, E>, Vec<Jet<D, E>>) {
        let first = self.rank;
        let mut product = vec![self.constant(0.0); r * r];
        let (mut m, mut c) = (product.clone(), self.constant(1.0));
        for k in 1..=r {
            m.clone_from(&product);
            (0..r).for_each(|i| m[i * r + i] = m[i * r + i].add(&c));
            for at in 0..r * r {
                let terms = (0..r).map(|l| self.at(first + at / r, first + l).mul(&m[l * r + at % r]));
                product[at] = terms.reduce(|sum, term| sum.add(&term)).unwrap_or_else(|| self.constant(0.0));
            }
            let trace = (0..r).fold(self.constant(0.0), |sum, i| sum.add(&product[i * r + i]));
            c = trace.scale(-1.0 / k as f64);
        }
        let sign = if r.is_multiple_of(2) { 1.0 } else { -1.0 };
        let cofactors = (0..r * r).map(|at| m[at % r * r + at / r].scale(-sign)).collect();
        (c.scale(sign), cofactors)
    }

    /// The pivots, each over a power of two, and the exponents: all 0 unless products could overflow.
    fn pivots(&self) -> (Vec<Jet<D, E>>, Vec<i32>) {
        let exponent = |k: usize| libm::frexp(self.at(k, k).parts[0].value()).1;
        let large = (0..self.rank).map(|k| exponent(k).unsigned_abs()).sum::<u32>() > 900;
        let exponents: Vec<i32> = (0..self.rank).map(|k| if large { exponent(k) } else { 0 }).collect();
        let pivots = exponents.iter().enumerate().map(|(k, e)| self.at(k, k).scale(libm::ldexp(1.0, -e)));
        (pivots.collect(), exponents)
    }

    fn determinant(&self) -> Jet<D, E> {
        let (pivots, exponents) = self.pivots();
        let product = pivots.iter().fold(self.remainder().0, |product, pivot| product.mul(pivot));
        times_power_of_two(product, exponents.iter().sum()).scale(self.sign())
    }

    /// The cofactors; of their coefficients, only that of all directions has its power of two.
    fn cofactors(&self) -> Vec<Jet<D, E>> {
        let (n, rank) = (self.n, self.rank);
        let (determinant, rest) = self.remainder();
        let (pivots, exponents) = self.pivots();
        // Products of all pivots but one, from those before it and those behind it.
        let mut before = vec![self.constant(1.0)];
        pivots.iter().for_each(|pivot| before.push(before[before.len() - 1].mul(pivot)));
        let mut behind = vec![determinant];
        pivots.iter().rev().for_each(|pivot| behind.push(behind[behind.len() - 1].mul(pivot)));
        let mut x = vec![self.constant(0.0); n * n];
        for k in 0..rank {
            x[k * n + k] = before[k].mul(&behind[rank - 1 - k]).scale(libm::ldexp(1.0, -exponents[k]));
        }
        for (at, cofactor) in rest.iter().enumerate() {
            let (i, j) = (rank + at / (n - rank), rank + at % (n - rank));
            x[i * n + j] = before[rank].mul(cofactor);
        }
        for i in (0..rank).rev() {
            for j in 0..n {
                let known = (i + 1..n).map(|k| self.at(k, i).mul(&x[k * n + j]));
                x[i * n + j] = known.fold(x[i * n + j].clone(), |rest, term| rest.sub(&term));
            }
        }
        for j in (0..rank).rev() {
            for i in 0..n {
                let known = (j + 1..n).map(|k| self.at(j, k).mul(&x[i * n + k]));
                x[i * n + j] = known.fold(x[i * n + j].clone(), |rest, term| rest.sub(&term));
            }
        }
        let degree = n as i32 - 1 - self.width.ilog2() as i32;
        let (total, sign) = (exponents.iter().sum::<i32>() + self.exponent * degree + self.shift, self.sign());
        let mut cofactors = vec![self.constant(0.0); n * n];
        for (at, entry) in x.into_iter().enumerate() {
            cofactors[self.rows[at / n] * n + self.columns[at % n]] = times_power_of_two(entry.scale(sign), total);
        }
        cofactors
    }
}

fn times_power_of_two<D: Number, E: Module<D>>(jet: Jet<D, E>, exponent: i32) -> Jet<D, E> {
    powers_of_two(exponent).fold(jet, |jet, power| jet.scale(power))
}

fn number_times_power_of_two<D: Number>(x: D, exponent: i32) -> D {
    powers_of_two(exponent).fold(x, |x, power| x.mul(&D::constant(power)))
}

/// Numbers whose product is a power of two that need not be one itself.
fn powers_of_two(mut exponent: i32) -> impl Iterator<Item = f64> {
    std::iter::from_fn(move || {
        let step = exponent.clamp(-1000, 1000);
        exponent -= step;
        (step != 0).then(|| libm::ldexp(1.0, step))
    })
}
