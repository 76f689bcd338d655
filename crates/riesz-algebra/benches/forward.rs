//! Fast forward mode compared with num-dual and with hand-written dual numbers: `cargo bench -p riesz-algebra`.
//!
//! Four functions of 1, 4, 8 and 16 variables, each written once for any numbers, and their gradients in forward mode
//! on arrays on the stack, in both precisions. The implementations run alternately, so that other load on the machine
//! affects all of them; the shortest time of each counts.
//!
//! The variables are numbers that the compiler cannot see. If it sees a function together with the tangents of its
//! variables, of which all but one are 0, it computes with these zeros at compile time; the last table shows this case.

use std::array;
use std::fmt::Display;
use std::hint::black_box;
use std::ops::{Add, Div, Mul, Sub};
use std::time::Instant;

use num_dual::{DualNum, DualSVec};
use riesz_algebra::{Nagata, Real};

fn main() {
    table::<f64>("`f64`", false);
    table::<f32>("`f32`", false);
    table::<f64>("`f64`, and the compiler sees the tangents of the variables", true);
}

fn table<F: Float>(title: &str, seen: bool) {
    println!("\n{title}\n");
    println!(
        "| function | variables | value, ns | by hand, ns | `Nagata`, ns | num-dual, ns | to by hand | to num-dual |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    rows::<F, 1>(seen);
    rows::<F, 4>(seen);
    rows::<F, 8>(seen);
    rows::<F, 16>(seen);
}

fn rows<F: Float, const N: usize>(seen: bool) {
    row::<F, Valley, N>("valley", seen);
    row::<F, Waves, N>("waves", seen);
    row::<F, LogSumExp, N>("logsumexp", seen);
    row::<F, Quotients, N>("quotients", seen);
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
        let mut sum = T::constant(0.0);
        for i in 0..N {
            let across = x[(i + 1) % N] - x[i] * x[i];
            let along = T::constant(1.0) - x[i];
            sum = sum + (across * across).times(100.0) + along * along;
        }
        sum
    }
}

/// `Σ sin(xᵢ xᵢ₊₁) √(1 + xᵢ²)`
struct Waves;

impl Function for Waves {
    #[inline(always)]
    fn at<T: Number, const N: usize>(x: &[T; N]) -> T {
        let mut sum = T::constant(0.0);
        for i in 0..N {
            sum = sum + (x[i] * x[(i + 1) % N]).sin() * (T::constant(1.0) + x[i] * x[i]).sqrt();
        }
        sum
    }
}

/// `log Σ exp(xᵢ)`
struct LogSumExp;

impl Function for LogSumExp {
    #[inline(always)]
    fn at<T: Number, const N: usize>(x: &[T; N]) -> T {
        let mut sum = T::constant(0.0);
        for xi in x {
            sum = sum + xi.exp();
        }
        sum.ln()
    }
}

/// `log Σ exp(xᵢ) / (1 + xᵢ²)`
struct Quotients;

impl Function for Quotients {
    #[inline(always)]
    fn at<T: Number, const N: usize>(x: &[T; N]) -> T {
        let mut sum = T::constant(0.0);
        for xi in x {
            sum = sum + xi.exp() / (T::constant(1.0) + *xi * *xi);
        }
        sum.ln()
    }
}

fn row<F: Float, G: Function, const N: usize>(name: &str, seen: bool) {
    let point: [F; N] = array::from_fn(|i| F::constant(0.53 + 0.1 * i as f64));
    let by_hand = |x: &[F; N]| array::from_fn::<Hand<F, N>, N, _>(|i| Hand::variable(x[i], i));
    let (hands, numbers, duals) = (by_hand(&point), F::nagata(&point), F::num_dual(&point));
    let (ours, theirs) = (F::of_nagata(G::at(&numbers)), F::of_num_dual(G::at(&duals)));
    for ((a, b), c) in G::at(&hands).tangent.into_iter().zip(ours).zip(theirs) {
        assert!(a.is_near(b) && a.is_near(c), "{a} and {b} and {c}");
    }

    let value = &mut || keep(G::at(black_box(&point)));
    let [value, hand, ours, other] = if seen {
        least_times(&mut [
            value,
            &mut || keep(G::at(&by_hand(black_box(&point)))),
            &mut || keep(G::at(&F::nagata(black_box(&point)))),
            &mut || keep(G::at(&F::num_dual(black_box(&point)))),
        ])
    } else {
        least_times(&mut [
            value,
            &mut || keep(G::at(black_box(&hands))),
            &mut || keep(G::at(black_box(&numbers))),
            &mut || keep(G::at(black_box(&duals))),
        ])
    };
    let (to_hand, to_other) = (ours / hand, ours / other);
    println!("| {name} | {N} | {value:.1} | {hand:.1} | {ours:.1} | {other:.1} | {to_hand:.2} | {to_other:.2} |");
}

/// Has a result computed although nobody asks for it.
#[inline(always)]
fn keep<T>(result: T) {
    black_box(result);
}

/// The least time of one run of each, in nanoseconds, over many rounds in which they take turns.
fn least_times<const K: usize>(runs: &mut [&mut dyn FnMut(); K]) -> [f64; K] {
    const ROUNDS: usize = 1000;
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
    fn times(self, c: f64) -> Self;
    fn sin(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sqrt(self) -> Self;
}

/// Both precisions, with the numbers over them that are compared.
trait Float: Number + Display {
    type Nagata<const N: usize>: Number;
    type NumDual<const N: usize>: Number;
    fn nagata<const N: usize>(x: &[Self; N]) -> [Self::Nagata<N>; N];
    fn num_dual<const N: usize>(x: &[Self; N]) -> [Self::NumDual<N>; N];
    fn of_nagata<const N: usize>(number: Self::Nagata<N>) -> [Self; N];
    fn of_num_dual<const N: usize>(number: Self::NumDual<N>) -> [Self; N];
    fn sin_cos(self) -> (Self, Self);
    fn is_near(self, other: Self) -> bool;
}

macro_rules! number {
    (
        [$($parameters:tt)*] $type:ty,
        $constant:expr, $times:expr, $sin:expr, $exp:expr, $ln:expr, $sqrt:expr
    ) => {
        impl<$($parameters)*> Number for $type {
            #[inline(always)]
            fn constant(x: f64) -> Self {
                apply(x, $constant)
            }
            #[inline(always)]
            fn times(self, c: f64) -> Self {
                let times: fn(Self, f64) -> Self = $times;
                times(self, c)
            }
            #[inline(always)]
            fn sin(self) -> Self {
                apply(self, $sin)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                apply(self, $exp)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                apply(self, $ln)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                apply(self, $sqrt)
            }
        }
    };
}

macro_rules! float {
    ($float:ident $tolerance:literal) => {
        impl Float for $float {
            type Nagata<const N: usize> = Nagata<$float, [$float; N]>;
            type NumDual<const N: usize> = DualSVec<$float, N>;
            #[inline]
            fn nagata<const N: usize>(x: &[$float; N]) -> [Self::Nagata<N>; N] {
                Nagata::variables(*x)
            }
            #[inline]
            fn num_dual<const N: usize>(x: &[$float; N]) -> [Self::NumDual<N>; N] {
                array::from_fn(|i| DualSVec::from_re(x[i]).derivative(i))
            }
            fn of_nagata<const N: usize>(number: Self::Nagata<N>) -> [$float; N] {
                number.tangent
            }
            fn of_num_dual<const N: usize>(number: Self::NumDual<N>) -> [$float; N] {
                number.eps.unwrap_generic(nalgebra::Const::<N>, nalgebra::U1).into()
            }
            #[inline]
            fn sin_cos(self) -> ($float, $float) {
                $float::sin_cos(self)
            }
            fn is_near(self, other: $float) -> bool {
                (self - other).abs() <= $tolerance * self.abs().max(1.0)
            }
        }

        number!([] $float, |x| x as $float, |x, c| c as $float * x, $float::sin, $float::exp, $float::ln, $float::sqrt);
        number!(
            [const N: usize] Nagata<$float, [$float; N]>,
            |x| Real::constant(x), |x, c| Real::times(x, c), Real::sin, Real::exp, Real::ln, Real::sqrt
        );
        number!(
            [const N: usize] DualSVec<$float, N>,
            |x| DualSVec::from_re(x as $float), |x, c| x * c as $float,
            |x| DualNum::sin(&x), |x| DualNum::exp(&x), |x| DualNum::ln(&x), |x| DualNum::sqrt(&x)
        );
    };
}

/// Gives a closure the type of its argument.
#[inline(always)]
fn apply<A, B>(x: A, f: impl FnOnce(A) -> B) -> B {
    f(x)
}

float!(f64 1e-12);
float!(f32 1e-4);

/// Dual numbers as a person writes them: no traits of algebra, no exact zeros.
#[derive(Clone, Copy)]
struct Hand<F, const N: usize> {
    value: F,
    tangent: [F; N],
}

impl<F: Float, const N: usize> Hand<F, N> {
    #[inline(always)]
    fn variable(value: F, at: usize) -> Self {
        Hand { value, tangent: array::from_fn(|i| F::constant(if i == at { 1.0 } else { 0.0 })) }
    }

    #[inline(always)]
    fn through(self, value: F, slope: F) -> Self {
        Hand { value, tangent: self.tangent.map(|dx| slope * dx) }
    }
}

impl<F: Float, const N: usize> Add for Hand<F, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let tangent = array::from_fn(|i| self.tangent[i] + other.tangent[i]);
        Hand { value: self.value + other.value, tangent }
    }
}

impl<F: Float, const N: usize> Sub for Hand<F, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let tangent = array::from_fn(|i| self.tangent[i] - other.tangent[i]);
        Hand { value: self.value - other.value, tangent }
    }
}

impl<F: Float, const N: usize> Mul for Hand<F, N> {
    type Output = Self;
    #[inline(always)]
    // The product rule has a sum.
    #[allow(clippy::suspicious_arithmetic_impl)]
    fn mul(self, other: Self) -> Self {
        let tangent = array::from_fn(|i| self.value * other.tangent[i] + other.value * self.tangent[i]);
        Hand { value: self.value * other.value, tangent }
    }
}

impl<F: Float, const N: usize> Div for Hand<F, N> {
    type Output = Self;
    #[inline(always)]
    // So has the rule for quotients.
    #[allow(clippy::suspicious_arithmetic_impl)]
    fn div(self, other: Self) -> Self {
        let (inverse, value) = (F::constant(1.0) / other.value, self.value / other.value);
        let tangent = array::from_fn(|i| (self.tangent[i] - value * other.tangent[i]) * inverse);
        Hand { value, tangent }
    }
}

impl<F: Float, const N: usize> Number for Hand<F, N> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Hand { value: F::constant(value), tangent: [F::constant(0.0); N] }
    }
    #[inline(always)]
    fn times(self, c: f64) -> Self {
        self.through(self.value.times(c), F::constant(c))
    }
    #[inline(always)]
    fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.through(sin, cos)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.through(exp, exp)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.through(self.value.ln(), F::constant(1.0) / self.value)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.through(root, F::constant(0.5) / root)
    }
}
