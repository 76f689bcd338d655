//! Fast forward mode against num-dual and against dual numbers written by hand: `cargo bench -p riesz-algebra`.
//!
//! Three functions of 1, 4, 8 and 16 variables, each written once for any numbers, and their gradients in forward mode on
//! arrays on the stack. The contestants take turns, so that what else the machine does hits all of them; the least time of
//! each counts.

use std::array;
use std::hint::black_box;
use std::ops::{Add, Div, Mul, Sub};
use std::time::Instant;

use num_dual::{DualNum, DualSVec64};
use riesz_algebra::{Nagata, Real};

fn main() {
    println!(
        "| function | variables | value, ns | by hand, ns | `Nagata`, ns | num-dual, ns | to by hand | to num-dual |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    all::<1>();
    all::<4>();
    all::<8>();
    all::<16>();
}

fn all<const N: usize>() {
    row::<Valley, N>("valley");
    row::<Waves, N>("waves");
    row::<LogSumExp, N>("logsumexp");
}

/// A function that is written once.
trait Function {
    fn at<T: Number, const N: usize>(x: &[T; N]) -> T;
}

/// `Σ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²`, the variable after the last being the first
struct Valley;

impl Function for Valley {
    #[inline(always)]
    fn at<T: Number, const N: usize>(x: &[T; N]) -> T {
        (0..N).fold(T::constant(0.0), |sum, i| {
            let across = x[(i + 1) % N] - x[i] * x[i];
            let along = T::constant(1.0) - x[i];
            sum + T::constant(100.0) * (across * across) + along * along
        })
    }
}

/// `Σ sin(xᵢ xᵢ₊₁) √(1 + xᵢ²)`
struct Waves;

impl Function for Waves {
    #[inline(always)]
    fn at<T: Number, const N: usize>(x: &[T; N]) -> T {
        (0..N).fold(T::constant(0.0), |sum, i| {
            sum + (x[i] * x[(i + 1) % N]).sin() * (T::constant(1.0) + x[i] * x[i]).sqrt()
        })
    }
}

/// `log Σ exp(xᵢ) / (1 + xᵢ²)`
struct LogSumExp;

impl Function for LogSumExp {
    #[inline(always)]
    fn at<T: Number, const N: usize>(x: &[T; N]) -> T {
        (0..N).fold(T::constant(0.0), |sum, i| sum + x[i].exp() / (T::constant(1.0) + x[i] * x[i])).ln()
    }
}

fn row<F: Function, const N: usize>(name: &str) {
    let point: [f64; N] = array::from_fn(|i| 0.53 + 0.1 * i as f64);
    let by_hand = |x: &[f64; N]| F::at(&array::from_fn::<Hand<N>, N, _>(|i| Hand::variable(x[i], i)));
    let nagata = |x: &[f64; N]| F::at(&Nagata::variables(*x));
    let num_dual = |x: &[f64; N]| {
        let variables: [DualSVec64<N>; N] = array::from_fn(|i| DualSVec64::from_re(x[i]).derivative(i));
        F::at(&variables)
    };
    let theirs = num_dual(&point).eps.unwrap_generic(nalgebra::Const::<N>, nalgebra::U1);
    for ((a, b), c) in by_hand(&point).tangent.iter().zip(nagata(&point).tangent).zip(theirs.iter()) {
        assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{a} and {b}");
        assert!((a - c).abs() <= 1e-12 * a.abs().max(1.0), "{a} and {c}");
    }
    let [value, hand, ours, other] = least_times(&mut [
        &mut || {
            black_box(F::at(black_box(&point)));
        },
        &mut || {
            black_box(by_hand(black_box(&point)));
        },
        &mut || {
            black_box(nagata(black_box(&point)));
        },
        &mut || {
            black_box(num_dual(black_box(&point)));
        },
    ]);
    let (to_hand, to_other) = (ours / hand, ours / other);
    println!("| {name} | {N} | {value:.1} | {hand:.1} | {ours:.1} | {other:.1} | {to_hand:.2} | {to_other:.2} |");
}

/// The least time of one run of each, in nanoseconds, over many rounds in which they take turns.
fn least_times<const K: usize>(runs: &mut [&mut dyn FnMut(); K]) -> [f64; K] {
    const ROUNDS: usize = 400;
    const RUNS: u32 = 400;
    let mut least = [f64::INFINITY; K];
    for _ in 0..ROUNDS {
        for (run, least) in runs.iter_mut().zip(&mut least) {
            let start = Instant::now();
            for _ in 0..RUNS {
                run();
            }
            *least = least.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(RUNS));
        }
    }
    least
}

/// The numbers that functions are written for.
trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    fn constant(x: f64) -> Self;
    fn sin(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sqrt(self) -> Self;
}

impl Number for f64 {
    #[inline]
    fn constant(x: f64) -> f64 {
        x
    }
    #[inline]
    fn sin(self) -> f64 {
        f64::sin(self)
    }
    #[inline]
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    #[inline]
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    #[inline]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
}

impl<const N: usize> Number for Nagata<f64, [f64; N]> {
    #[inline]
    fn constant(x: f64) -> Self {
        Real::constant(x)
    }
    #[inline]
    fn sin(self) -> Self {
        Real::sin(self)
    }
    #[inline]
    fn exp(self) -> Self {
        Real::exp(self)
    }
    #[inline]
    fn ln(self) -> Self {
        Real::ln(self)
    }
    #[inline]
    fn sqrt(self) -> Self {
        Real::sqrt(self)
    }
}

impl<const N: usize> Number for DualSVec64<N> {
    #[inline]
    fn constant(x: f64) -> Self {
        DualSVec64::from_re(x)
    }
    #[inline]
    fn sin(self) -> Self {
        DualNum::sin(&self)
    }
    #[inline]
    fn exp(self) -> Self {
        DualNum::exp(&self)
    }
    #[inline]
    fn ln(self) -> Self {
        DualNum::ln(&self)
    }
    #[inline]
    fn sqrt(self) -> Self {
        DualNum::sqrt(&self)
    }
}

/// Dual numbers as a person writes them: no traits of algebra, no exact zeros.
#[derive(Clone, Copy)]
struct Hand<const N: usize> {
    value: f64,
    tangent: [f64; N],
}

impl<const N: usize> Hand<N> {
    #[inline]
    fn variable(value: f64, at: usize) -> Self {
        Hand { value, tangent: array::from_fn(|i| if i == at { 1.0 } else { 0.0 }) }
    }

    #[inline]
    fn through(self, value: f64, slope: f64) -> Self {
        Hand { value, tangent: self.tangent.map(|dx| slope * dx) }
    }
}

impl<const N: usize> Add for Hand<N> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let tangent = array::from_fn(|i| self.tangent[i] + other.tangent[i]);
        Hand { value: self.value + other.value, tangent }
    }
}

impl<const N: usize> Sub for Hand<N> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        let tangent = array::from_fn(|i| self.tangent[i] - other.tangent[i]);
        Hand { value: self.value - other.value, tangent }
    }
}

impl<const N: usize> Mul for Hand<N> {
    type Output = Self;
    #[inline]
    // The product rule has a sum.
    #[allow(clippy::suspicious_arithmetic_impl)]
    fn mul(self, other: Self) -> Self {
        let tangent = array::from_fn(|i| self.value * other.tangent[i] + other.value * self.tangent[i]);
        Hand { value: self.value * other.value, tangent }
    }
}

impl<const N: usize> Div for Hand<N> {
    type Output = Self;
    #[inline]
    // So has the rule for quotients.
    #[allow(clippy::suspicious_arithmetic_impl)]
    fn div(self, other: Self) -> Self {
        let (inverse, value) = (1.0 / other.value, self.value / other.value);
        let tangent = array::from_fn(|i| (self.tangent[i] - value * other.tangent[i]) * inverse);
        Hand { value, tangent }
    }
}

impl<const N: usize> Number for Hand<N> {
    #[inline]
    fn constant(value: f64) -> Self {
        Hand { value, tangent: [0.0; N] }
    }
    #[inline]
    fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.through(sin, cos)
    }
    #[inline]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.through(exp, exp)
    }
    #[inline]
    fn ln(self) -> Self {
        self.through(self.value.ln(), 1.0 / self.value)
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.through(root, 0.5 / root)
    }
}
