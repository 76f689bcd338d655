//! Intervals with the functions of the reals: `f X ⊇ { f x | x ∈ X }`, rounded outwards.
//!
//! ```
//! use riesz_algebra::semiring::Interval;
//! use riesz_algebra::{Nagata, Real};
//!
//! fn f<D: Real>(x: D) -> D {
//!     x.clone().sin() + x.powi(2)
//! }
//!
//! // The derivative cos x + 2 x between 0 and 1: bounds that hold for every point.
//! let x = Nagata { primal: Interval::new(0.0, 1.0), tangent: Interval::point(1.0) };
//! let slope = f(x).tangent;
//! assert!(slope.includes(&Interval::new(1.0, 2.5)) && slope.low() > 0.5 && slope.high() < 3.1);
//! ```

use core::f64::consts::{FRAC_PI_2, PI};

use crate::real::operators::operators;
use crate::real::{Binary, Real, Unary};
use crate::semiring::{Interval, Monoid, Ring, Semiring};

/// How far functions of the libraries may be from the truth, in units in the last place. The largest error that is known
/// of any of them is less than half of it.
const UNITS: u32 = 16;
/// The digits, in bits, up to which a constant is the number that is meant, and not one near it.
const EXACT_BITS: u32 = 32;
/// Where `log |Γ|` is least among the positive numbers.
const LEAST_GAMMA: f64 = 1.461_632_144_968_362_2;

impl Real for Interval {
    /// A number of few digits is what it says. Any other stands for the numbers that round to it, as 0.1 and π do.
    fn constant(x: f64) -> Interval {
        let digits = 53 - (x.to_bits() | 1 << 52).trailing_zeros().min(52);
        let point = Interval::point(x);
        if x.is_finite() && x != 0.0 && digits > EXACT_BITS { point.widened(1) } else { point }
    }

    fn unary(self, function: Unary) -> Interval {
        let at = |x: f64| Interval::point(function.of_f64(x));
        let ends = at(self.low()).hull(&at(self.high()));
        let with = |x: f64| if self.contains(x) { ends.hull(&at(x)) } else { ends };
        match function {
            Unary::Recip => Interval::one().divide(&self),
            Unary::Times(c) => Interval::constant(c) * self,
            Unary::Powi(n) => power(&self, n),
            Unary::Sign | Unary::Floor | Unary::Ceil | Unary::Round => with(0.0),
            Unary::Abs => with(0.0),
            Unary::Cosh => with(0.0).widened(UNITS),
            Unary::Sin => wave(&self, FRAC_PI_2, ends),
            Unary::Cos => wave(&self, 0.0, ends),
            Unary::Tan => match (strip(self.low()), strip(self.high())) {
                (Some(a), Some(b)) if a == b => ends.widened(UNITS),
                _ => Interval::EVERYTHING,
            },
            Unary::Lgamma if self.low() > 0.0 => with(LEAST_GAMMA).loosened(),
            Unary::Polygamma(_) if self.low() > 0.0 => ends.loosened(),
            Unary::Lgamma | Unary::Polygamma(_) => Interval::EVERYTHING,
            // The others are monotone; outside of where they are defined, an end is NaN, which can be anything.
            _ => ends.widened(UNITS),
        }
    }

    fn binary(self, function: Binary, other: Interval) -> Interval {
        let (x, y) = (self, other);
        let corner = |a: f64, b: f64| Interval::point(function.of_f64(a, b));
        let corners = || {
            let (low, high) = (corner(x.low(), y.low()), corner(x.high(), y.high()));
            low.hull(&high).hull(&corner(x.low(), y.high())).hull(&corner(x.high(), y.low())).widened(UNITS)
        };
        match function {
            Binary::Sub => Ring::sub(&x, &y),
            Binary::Div => x.divide(&y),
            Binary::Min | Binary::Max => corner(x.low(), y.low()).hull(&corner(x.high(), y.high())),
            Binary::Less if x.high() < y.low() => Interval::one(),
            Binary::Less if x.low() >= y.high() => Interval::zero(),
            Binary::Less => Interval::new(0.0, 1.0),
            Binary::Hypot => {
                let found = length(&x, &y).widened(UNITS);
                Interval::new(found.low().max(0.0), found.high())
            }
            // The angle of (y, x) jumps at the negative axis.
            Binary::Atan2 if x.contains(0.0) && y.low() <= 0.0 => Interval::new(-PI, PI).widened(1),
            Binary::Atan2 => corners(),
            Binary::Pow => match whole(&y) {
                Some(n) => power(&x, n),
                None if x.low() > 0.0 || x.low() == 0.0 && y.low() > 0.0 => corners(),
                None => Interval::EVERYTHING,
            },
        }
    }
}

operators!([] [] [] Interval);

impl Interval {
    /// Bounds on values whose error is relative to one.
    fn loosened(self) -> Interval {
        let error = 1e-12 * self.low().abs().max(self.high().abs()).max(1.0);
        Interval::new(self.low() - error, self.high() + error)
    }
}

/// The whole number that an interval is.
fn whole(x: &Interval) -> Option<i32> {
    let n = x.low() as i32;
    (x.is_point() && f64::from(n) == x.low()).then_some(n)
}

/// `Xⁿ`, by products, which are exact where they can be.
fn power(x: &Interval, n: i32) -> Interval {
    let of = |x: f64| {
        let (mut power, mut square, mut left) = (Interval::one(), Interval::point(x), n.unsigned_abs());
        while left > 0 {
            if left % 2 == 1 {
                power = power.mul(&square);
            }
            left /= 2;
            square = square.mul(&square);
        }
        power
    };
    let ends = of(x.low()).hull(&of(x.high()));
    let found = match n % 2 == 0 && n != 0 && x.contains(0.0) {
        true => Interval::new(0.0, ends.high()),
        false => ends,
    };
    if n < 0 { Interval::one().divide(&found) } else { found }
}

/// A wave with tops at `top + 2kπ` and bottoms at `top + (2k + 1)π`, from its values at the ends. A top is counted if it is
/// near the interval, which only makes the bounds wider.
fn wave(x: &Interval, top: f64, ends: Interval) -> Interval {
    let (low, high) = (x.low(), x.high());
    if !(high - low < 2.0 * PI && low.abs() < 1e9 && high.abs() < 1e9) {
        return Interval::new(-1.0, 1.0);
    }
    let slack = 1e-6;
    let meets = |at: f64| {
        let turns = |x: f64| (x - at) / (2.0 * PI);
        Unary::Ceil.of_f64(turns(low - slack)) <= Unary::Floor.of_f64(turns(high + slack))
    };
    let ends = ends.widened(UNITS);
    let most = if meets(top) { 1.0 } else { ends.high().min(1.0) };
    let least = if meets(top + PI) { -1.0 } else { ends.low().max(-1.0) };
    Interval::new(least, most)
}

/// Which strip between two poles of the tangent a number is in, unless it is near a pole or large.
fn strip(x: f64) -> Option<i64> {
    let position = (x + FRAC_PI_2) / PI;
    let is_near = (position - Unary::Round.of_f64(position)).abs() < 1e-9;
    (!is_near && x.abs() < 1e6).then(|| Unary::Floor.of_f64(position) as i64)
}

/// `√(X² + Y²)` increases with the sizes of both.
fn length(x: &Interval, y: &Interval) -> Interval {
    let size = |x: &Interval| {
        let (a, b) = (x.low().abs(), x.high().abs());
        (if x.contains(0.0) { 0.0 } else { a.min(b) }, a.max(b))
    };
    let ((a, b), (c, d)) = (size(x), size(y));
    Interval::new(Binary::Hypot.of_f64(a, c), Binary::Hypot.of_f64(b, d))
}
