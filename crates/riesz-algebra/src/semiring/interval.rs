//! Intervals: `X ∘ Y ⊇ { x ∘ y | x ∈ X, y ∈ Y }`. A derivative over a range is bounds on the derivative in it.
//!
//! Ends are rounded outwards, and only where they have to be. Intervals are a semiring but for one law, of which half
//! is left: `X · (Y + Z) ⊆ X · Y + X · Z`. See [`interval_laws`].
//!
//! ```
//! use riesz_algebra::expression::{Expr, abstract_derivative};
//! use riesz_algebra::semiring::{Interval, Semiring};
//! use riesz_algebra::Nagata;
//! use riesz_algebra::tangent::Sparse;
//!
//! // x³ + x increases everywhere between 1 and 2: its derivative is between 4 and 13
//! let x = Expr::variable("x");
//! let f = x.clone() * (x.clone() * x.clone()) + x;
//! let slope: Nagata<Interval, Sparse<_, Interval>> = abstract_derivative(|_| Interval::new(1.0, 2.0), &f);
//! let slope = slope.tangent;
//! assert_eq!(slope.get(&"x"), Interval::new(4.0, 13.0));
//! ```

#[cfg(feature = "alloc")]
use crate::law::{equal, holds};
use crate::module::Module;
use crate::real::float;
use crate::semiring::{Monoid, Ring, Semiring};
#[cfg(feature = "alloc")]
use alloc::string::String;

/// The real numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// The numbers between two others, which may come in any order. What is bounded by NaN can be anything.
    pub fn new(a: f64, b: f64) -> Interval {
        if a.is_nan() || b.is_nan() { Interval::EVERYTHING } else { Interval { low: a.min(b), high: a.max(b) } }
    }

    /// One number.
    pub fn point(x: f64) -> Interval {
        Interval::new(x, x)
    }

    /// The least number in it.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The largest number in it.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Whether `x` is in it.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// All real numbers.
    pub const EVERYTHING: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Whether it is one number.
    pub fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// The least interval that includes both.
    pub fn hull(&self, other: &Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The same with each end moved outwards by some units in the last place.
    pub fn widened(&self, units: u32) -> Interval {
        let (mut low, mut high) = (self.low, self.high);
        for _ in 0..units {
            (low, high) = (low.next_down(), high.next_up());
        }
        Interval { low, high }
    }

    /// The quotients. A divisor that may be 0 gives everything.
    pub fn divide(&self, other: &Interval) -> Interval {
        if other.contains(0.0) {
            return Interval::EVERYTHING;
        }
        let corners = [
            quotient(self.low, other.low),
            quotient(self.low, other.high),
            quotient(self.high, other.low),
            quotient(self.high, other.high),
        ];
        around(corners)
    }

    /// Whether everything in `other` is in it.
    pub fn includes(&self, other: &Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

impl Monoid for Interval {
    fn zero() -> Interval {
        Interval::point(0.0)
    }
    fn add(&self, other: &Interval) -> Interval {
        Interval::new(sum(self.low, other.low).0, sum(self.high, other.high).1)
    }
}

impl Semiring for Interval {
    fn one() -> Interval {
        Interval::point(1.0)
    }
    fn mul(&self, other: &Interval) -> Interval {
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        around(corners)
    }
}

/// `−X = { −x | x ∈ X }`, which is not what takes `X` to 0: `X − X` contains 0, and more.
impl Ring for Interval {
    fn neg(&self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}

impl Module<Interval> for Interval {
    fn scale(&self, factor: &Interval) -> Interval {
        factor.mul(self)
    }
}

/// The laws of intervals, at three of them, and that operations include what they do to the ends.
///
/// # Errors
/// The first law that does not hold, with what it was asked of.
#[cfg(feature = "alloc")]
pub fn interval_laws(x: &Interval, y: &Interval, z: &Interval) -> Result<(), String> {
    let (zero, one) = (Interval::zero(), Interval::one());
    equal("X + 0 = X", &x.add(&zero), x)?;
    equal("X + Y = Y + X", &x.add(y), &y.add(x))?;
    equal("X · 1 = X", &x.mul(&one), x)?;
    equal("X · Y = Y · X", &x.mul(y), &y.mul(x))?;
    equal("0 · X = 0", &zero.mul(x), &zero)?;
    holds("0 ∈ X − X", x.sub(x).contains(0.0), x)?;
    for (a, b) in [(x.low, y.low), (x.low, y.high), (x.high, y.low), (x.high, y.high)] {
        holds("x + y ∈ X + Y", !(a + b).is_finite() || x.add(y).contains(a + b), &(x, y))?;
        holds("x · y ∈ X · Y", !(a * b).is_finite() || x.mul(y).contains(a * b), &(x, y))?;
        holds("x / y ∈ X / Y", !(a / b).is_finite() || x.divide(y).contains(a / b), &(x, y))?;
    }
    let (factored, expanded) = (x.mul(&y.add(z)), x.mul(y).add(&x.mul(z)));
    let apart = 4.0 * f64::EPSILON * (expanded.low.abs() + expanded.high.abs());
    let rounded = Interval::new(expanded.low - apart, expanded.high + apart);
    holds("X · (Y + Z) ⊆ X · Y + X · Z", rounded.includes(&factored), &(x, y, z))
}

/// The sum between the nearest numbers, which are one where it is exact.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    if sum.is_nan() {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    // What rounding left out is exact  [Knuth, TAOCP 2, 4.2.2]
    let from_b = sum - a;
    let error = (a - (sum - from_b)) + (b - from_b);
    outward(sum, error, a.is_finite() && b.is_finite())
}

/// The product between the nearest numbers, which are one where it is exact. A bound times 0 is 0.
fn product(a: f64, b: f64) -> (f64, f64) {
    if a == 0.0 || b == 0.0 {
        return (0.0, 0.0);
    }
    let product = a * b;
    // Near the least numbers the error itself is rounded, but that of a product with 1.
    let small = product.abs() < f64::MIN_POSITIVE / f64::EPSILON && a.abs() != 1.0 && b.abs() != 1.0;
    let error = if small { f64::NAN } else { float::mul_add(a, b, -product) };
    outward(product, error, a.is_finite() && b.is_finite())
}

/// The quotient between the nearest numbers, by a number that is not 0.
fn quotient(a: f64, b: f64) -> (f64, f64) {
    let quotient = a / b;
    match quotient.is_nan() {
        // One end of an unbounded interval by one of another.
        true => (f64::NEG_INFINITY, f64::INFINITY),
        false if a == 0.0 || b.abs() == 1.0 => (quotient, quotient),
        false => {
            // The remainder is exact, but near the least numbers.
            let remainder = float::mul_add(-quotient, b, a);
            let small = a.abs() < f64::MIN_POSITIVE / f64::EPSILON || quotient.abs() < f64::MIN_POSITIVE;
            let error = if small || !remainder.is_finite() { f64::NAN } else { remainder * b.signum() };
            outward(quotient, error, a.is_finite() && b.is_finite())
        }
    }
}

/// The least interval around the pairs of bounds of the corners of a box.
fn around(corners: [(f64, f64); 4]) -> Interval {
    let low = corners.iter().fold(f64::INFINITY, |least, (low, _)| least.min(*low));
    let high = corners.iter().fold(f64::NEG_INFINITY, |most, (_, high)| most.max(*high));
    Interval::new(low, high)
}

fn outward(value: f64, error: f64, finite: bool) -> (f64, f64) {
    match (value.is_infinite(), finite) {
        (true, false) => (value, value),
        (true, true) => (value.min(f64::MAX), value.max(f64::MIN)),
        (false, _) if error == 0.0 => (value, value),
        (false, _) if error > 0.0 => (value, value.next_up()),
        (false, _) if error < 0.0 => (value.next_down(), value),
        (false, _) => (value.next_down(), value.next_up()),
    }
}
