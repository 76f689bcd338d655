//! Intervals as a scalar algebra: `f X ⊇ { f x | x ∈ X }`, for every row.
//!
//! Each row states how its values over an interval are bounded ([`Range`]). Ends are rounded outwards: by one unit in the
//! last place where the operation is rounded correctly, and by [`UNITS`] where it is a function of a library.

use riesz_algebra::semiring::Interval;
use riesz_algebra::{Ring, Semiring};
use std::f64::consts::{FRAC_PI_2, PI};

use super::path::choose;
use super::{Unanswered, ask};
use crate::matrix::{MatrixFunction, by_elimination};
use crate::number::Number;
use crate::primitive::{Primitive, Work};

/// How far functions of the libraries may be from the truth, in units in the last place. The largest error that is known
/// of any of them is less than half of it.
const UNITS: u32 = 16;
/// The digits, in bits, up to which a literal is the number that is meant, and not one near it.
const EXACT_BITS: u32 = 32;
/// How many factors of a power are multiplied one by one.
const MOST_FACTORS: f64 = 32.0;
/// Where `lgamma` is least.
const LEAST_GAMMA: f64 = 1.461_632_144_968_362_2;

/// How a function of numbers bounds its values where its arguments are intervals.
#[derive(Clone, Copy, Debug)]
pub enum Range {
    /// It increases: its values are between those at the ends.
    Increasing,
    /// It decreases.
    Decreasing,
    /// It decreases up to a number and increases from there.
    Valley(f64),
    /// It is monotone in each argument: its values are between those at the corners of the box.
    Corners,
    /// It is given by a function of intervals, whose ends are rounded already.
    Bounds(fn(&[Interval]) -> Interval),
    /// Its values are not bounded.
    Unknown,
}

impl Range {
    /// Bounds on the values of a row over a box.
    fn of(self, primitive: &'static Primitive, arguments: &[Interval]) -> Interval {
        let at = |x: &[f64]| Interval::point(f64::apply(primitive, x));
        let units = match primitive.scalar().map(|row| row.work) {
            Some(Work::Sign | Work::Addition) => 0,
            Some(Work::Multiplication | Work::Division) => 1,
            Some(Work::Function) | None => UNITS,
        };
        let ends = |x: &Interval| at(&[x.low()]).hull(&at(&[x.high()]));
        match (self, arguments) {
            (Range::Bounds(bounds), arguments) => bounds(arguments),
            (Range::Increasing | Range::Decreasing, [x]) => ends(x).widened(units),
            (Range::Valley(bottom), [x]) if x.contains(bottom) => ends(x).hull(&at(&[bottom])).widened(units),
            (Range::Valley(_), [x]) => ends(x).widened(units),
            (Range::Corners, [x, y]) => {
                let corner = |a: f64, b: f64| at(&[a, b]);
                let (low, high) = (corner(x.low(), y.low()), corner(x.high(), y.high()));
                let others = corner(x.low(), y.high()).hull(&corner(x.high(), y.low()));
                low.hull(&high).hull(&others).widened(units)
            }
            _ => Interval::EVERYTHING,
        }
    }
}

/// `X ± Y`, `X · Y`, `X / Y`, `−X`
pub(crate) mod arithmetic {
    use super::*;

    pub fn add(x: &[Interval]) -> Interval {
        riesz_algebra::Monoid::add(&x[0], &x[1])
    }

    pub fn sub(x: &[Interval]) -> Interval {
        x[0].sub(&x[1])
    }

    pub fn mul(x: &[Interval]) -> Interval {
        x[0].mul(&x[1])
    }

    pub fn div(x: &[Interval]) -> Interval {
        x[0].divide(&x[1])
    }

    pub fn neg(x: &[Interval]) -> Interval {
        x[0].neg()
    }

    /// `Xʸ`, of a positive base, or by an integer.
    pub fn power(x: &[Interval]) -> Interval {
        let [base, exponent] = x else { return Interval::EVERYTHING };
        if exponent.is_point() && exponent.low().fract() == 0.0 {
            return integer_power(x);
        }
        let corner = |a: f64, b: f64| Interval::point(a.powf(b));
        match base.low() > 0.0 || base.low() == 0.0 && exponent.low() > 0.0 {
            true => corner(base.low(), exponent.low())
                .hull(&corner(base.low(), exponent.high()))
                .hull(&corner(base.high(), exponent.low()))
                .hull(&corner(base.high(), exponent.high()))
                .widened(UNITS),
            false => Interval::EVERYTHING,
        }
    }

    /// `Xⁿ`
    pub fn integer_power(x: &[Interval]) -> Interval {
        let [base, exponent] = x else { return Interval::EVERYTHING };
        let n = exponent.low();
        match exponent.is_point() && n.fract() == 0.0 {
            false => Interval::EVERYTHING,
            true if n < 0.0 => Interval::one().divide(&integer_power(&[*base, Interval::point(-n)])),
            true if n == 0.0 => Interval::one(),
            true => {
                let ends = power_of(base.low(), n).hull(&power_of(base.high(), n));
                let is_even = n % 2.0 == 0.0;
                match is_even && base.contains(0.0) {
                    true => Interval::new(0.0, ends.high()),
                    false => ends,
                }
            }
        }
    }
}

/// Bounds on `xⁿ`: products where they are few, which are exact where they can be.
fn power_of(x: f64, n: f64) -> Interval {
    let x = Interval::point(x);
    match n <= MOST_FACTORS {
        true => (1..n as u32).fold(x, |power, _| power.mul(&x)),
        false => Interval::point(x.low().powf(n)).widened(UNITS),
    }
}

/// Bounds on functions that turn between the ends of an interval.
pub(crate) mod bounds {
    use super::*;

    /// `max X Y`
    pub fn max(x: &[Interval]) -> Interval {
        Interval::new(x[0].low().max(x[1].low()), x[0].high().max(x[1].high()))
    }

    /// `min X Y`
    pub fn min(x: &[Interval]) -> Interval {
        Interval::new(x[0].low().min(x[1].low()), x[0].high().min(x[1].high()))
    }

    /// `√(X² + Y²)` increases with the sizes of both.
    pub fn hypot(x: &[Interval]) -> Interval {
        let size = |x: &Interval| {
            let (a, b) = (x.low().abs(), x.high().abs());
            (if x.contains(0.0) { 0.0 } else { a.min(b) }, a.max(b))
        };
        let ((a, b), (c, d)) = (size(&x[0]), size(&x[1]));
        let found = Interval::new(a.hypot(c), b.hypot(d)).widened(UNITS);
        Interval::new(found.low().max(0.0), found.high())
    }

    pub fn cos(x: &[Interval]) -> Interval {
        wave(&x[0], 0.0, f64::cos)
    }

    pub fn sin(x: &[Interval]) -> Interval {
        wave(&x[0], FRAC_PI_2, f64::sin)
    }

    /// A wave with tops at `top + 2kπ` and bottoms at `top + (2k + 1)π`. A top is counted if it is near the interval, which
    /// only makes the bounds wider.
    fn wave(x: &Interval, top: f64, f: fn(f64) -> f64) -> Interval {
        let (low, high) = (x.low(), x.high());
        if !(high - low < 2.0 * PI && low.abs() < 1e9 && high.abs() < 1e9) {
            return Interval::new(-1.0, 1.0);
        }
        let slack = 1e-6;
        let meets = |at: f64| {
            let turns = |x: f64| (x - at) / (2.0 * PI);
            turns(low - slack).ceil() <= turns(high + slack).floor()
        };
        let ends = Interval::new(f(low), f(high)).widened(UNITS);
        let most = if meets(top) { 1.0 } else { ends.high().min(1.0) };
        let least = if meets(top + PI) { -1.0 } else { ends.low().max(-1.0) };
        Interval::new(least, most)
    }

    /// Increases between two poles.
    pub fn tan(x: &[Interval]) -> Interval {
        let (low, high) = (x[0].low(), x[0].high());
        let strip = |x: f64| ((x + FRAC_PI_2) / PI).floor();
        let is_near = |x: f64| ((x + FRAC_PI_2) / PI - ((x + FRAC_PI_2) / PI).round()).abs() < 1e-9;
        match strip(low) == strip(high) && !is_near(low) && !is_near(high) && low.abs() < 1e6 {
            true => Interval::new(low.tan(), high.tan()).widened(UNITS),
            false => Interval::EVERYTHING,
        }
    }

    /// Monotone in each argument where the box does not meet the negative axis.
    pub fn atan2(x: &[Interval]) -> Interval {
        let [y, x] = x else { return Interval::EVERYTHING };
        if y.contains(0.0) && x.low() <= 0.0 {
            return Interval::new(-PI, PI).widened(1);
        }
        let corner = |b: f64, a: f64| Interval::point(b.atan2(a));
        corner(y.low(), x.low())
            .hull(&corner(y.low(), x.high()))
            .hull(&corner(y.high(), x.low()))
            .hull(&corner(y.high(), x.high()))
            .widened(UNITS)
    }

    /// Convex for positive numbers. Near its zeros 1 and 2 its error is not relative.
    pub fn lgamma(x: &[Interval]) -> Interval {
        let ends = Interval::new(libm::lgamma(x[0].low()), libm::lgamma(x[0].high()));
        let found =
            if x[0].contains(LEAST_GAMMA) { ends.hull(&Interval::point(libm::lgamma(LEAST_GAMMA))) } else { ends };
        positive(&x[0], found)
    }

    /// Increases for positive numbers.
    pub fn digamma(x: &[Interval]) -> Interval {
        use crate::gamma::digamma;
        positive(&x[0], Interval::new(digamma(x[0].low()), digamma(x[0].high())))
    }

    /// Monotone for positive numbers, whatever its order.
    pub fn polygamma(x: &[Interval]) -> Interval {
        use crate::gamma::polygamma;
        let (k, x) = (x[0], x[1]);
        match k.is_point() {
            true => positive(&x, Interval::new(polygamma(k.low(), x.low()), polygamma(k.low(), x.high()))),
            false => Interval::EVERYTHING,
        }
    }

    fn positive(x: &Interval, found: Interval) -> Interval {
        let error = 1e-12 * found.low().abs().max(found.high().abs()).max(1.0);
        match x.low() > 0.0 {
            true => Interval::new(found.low() - error, found.high() + error),
            false => Interval::EVERYTHING,
        }
    }
}

impl Number for Interval {
    /// A literal of few digits is what it says. Any other stands for the numbers that round to it: 0.1 is no number of this
    /// kind, and neither is π.
    fn constant(x: f64) -> Interval {
        let digits = 53 - (x.to_bits() | 1 << 52).trailing_zeros().min(52);
        let point = Interval::point(x);
        if x.is_finite() && x != 0.0 && digits > EXACT_BITS { point.widened(1) } else { point }
    }

    /// The middle.
    fn value(&self) -> f64 {
        match self.is_point() {
            true => self.low(),
            false => self.low() / 2.0 + self.high() / 2.0,
        }
    }

    /// A question about a number has an answer if the answer is the same for all numbers of the interval.
    fn decided(&self) -> f64 {
        if !self.is_point() {
            ask(Unanswered::Undecided);
        }
        self.value()
    }

    /// Intervals that overlap are less, equal or greater: each is a path of its own.
    fn compared(&self, other: &Interval) -> (f64, f64) {
        if self.high() < other.low() || other.high() < self.low() {
            return (self.value(), other.value());
        }
        if self.is_point() && other.is_point() {
            return (self.low(), other.low());
        }
        match choose(3) {
            Some(0) => (0.0, 1.0),
            Some(1) => (1.0, 0.0),
            Some(_) => (0.0, 0.0),
            None => {
                ask(Unanswered::Undecided);
                (0.0, 0.0)
            }
        }
    }

    fn apply(primitive: &'static Primitive, arguments: &[Interval]) -> Interval {
        riesz_limit::poll();
        primitive.scalar().map_or(Interval::EVERYTHING, |row| row.range.of(primitive, arguments))
    }

    fn exact_product(&self, other: &Interval) -> Interval {
        self.mul(other)
    }

    /// By elimination, which is right whatever the pivots are: a pivot that may be 0 gives everything.
    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Interval], b: &[Interval]) -> Vec<Interval> {
        by_elimination(function, n, columns, a, b)
    }
}
