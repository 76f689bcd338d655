//! The measured functions, their domains, and their permitted errors.

use crate::Long;

/// A function: what it is to a hundred bits, what the standard library says of special numbers, where it is measured,
/// and how many units in the last place it may be wrong.
pub struct Row {
    pub name: &'static str,
    /// In Rust, of lanes `x` and `y`.
    pub text: &'static str,
    pub exact: fn(f64, f64) -> Long,
    pub plain: fn(f64, f64) -> f64,
    pub points: Points,
    pub bound: f64,
}

/// Which points a function is measured at.
pub enum Points {
    /// Numbers between two, and numbers of every size between them.
    Between(f64, f64),
    /// Pairs of a base and an exponent whose power is a number.
    Powers,
    /// Pairs of every sign and size.
    Pairs,
}

use Points::{Between, Pairs, Powers};

fn long(x: f64) -> Long {
    Long::from(x)
}

pub const TABLE: [Row; 28] = [
    Row {
        name: "exp",
        text: "x.exp()",
        exact: |x, _| long(x).exp(),
        plain: |x, _| x.exp(),
        points: Between(-745.0, 709.7),
        bound: 1.0,
    },
    Row {
        name: "expm1",
        text: "x.exp_m1()",
        exact: |x, _| long(x).exp_m1(),
        plain: |x, _| x.exp_m1(),
        points: Between(-745.0, 709.7),
        bound: 1.0,
    },
    Row {
        name: "log",
        text: "x.ln()",
        exact: |x, _| long(x).ln(),
        plain: |x, _| x.ln(),
        points: Between(0.0, f64::MAX),
        bound: 1.0,
    },
    Row {
        name: "log1p",
        text: "x.ln_1p()",
        exact: |x, _| long(x).ln_1p(),
        plain: |x, _| x.ln_1p(),
        points: Between(-1.0, f64::MAX),
        bound: 1.0,
    },
    Row {
        name: "sqrt",
        text: "x.sqrt()",
        exact: |x, _| square_root(x),
        plain: |x, _| x.sqrt(),
        points: Between(0.0, f64::MAX),
        bound: 0.501,
    },
    Row {
        name: "sin",
        text: "x.sin()",
        exact: |x, _| Long::sin_cos(x).0,
        plain: |x, _| x.sin(),
        points: Between(-f64::MAX, f64::MAX),
        bound: 1.0,
    },
    Row {
        name: "sin below 100,000",
        text: "x.sin()",
        exact: |x, _| Long::sin_cos(x).0,
        plain: |x, _| x.sin(),
        points: Between(-1e5, 1e5),
        bound: 1.0,
    },
    Row {
        name: "cos",
        text: "x.cos()",
        exact: |x, _| Long::sin_cos(x).1,
        plain: |x, _| x.cos(),
        points: Between(-f64::MAX, f64::MAX),
        bound: 1.0,
    },
    Row {
        name: "cos below 100,000",
        text: "x.cos()",
        exact: |x, _| Long::sin_cos(x).1,
        plain: |x, _| x.cos(),
        points: Between(-1e5, 1e5),
        bound: 1.0,
    },
    Row {
        name: "tan",
        text: "x.tan()",
        exact: |x, _| tangent(x),
        plain: |x, _| x.tan(),
        points: Between(-1e5, 1e5),
        bound: 1.0,
    },
    Row { name: "atan2", text: "x.atan2(y)", exact: Long::atan2, plain: f64::atan2, points: Pairs, bound: 1.0 },
    Row {
        name: "sinh",
        text: "x.sinh()",
        exact: |x, _| long(x).sinh(),
        plain: |x, _| x.sinh(),
        points: Between(-710.4, 710.4),
        bound: 1.0,
    },
    Row {
        name: "cosh",
        text: "x.cosh()",
        exact: |x, _| long(x).cosh(),
        plain: |x, _| x.cosh(),
        points: Between(-710.4, 710.4),
        bound: 1.0,
    },
    Row {
        name: "tanh",
        text: "x.tanh()",
        exact: |x, _| long(x).tanh(),
        plain: |x, _| x.tanh(),
        points: Between(-1000.0, 1000.0),
        bound: 1.5,
    },
    Row { name: "pow", text: "x.powf(y)", exact: Long::pow, plain: f64::powf, points: Powers, bound: 1.0 },
    Row {
        name: "sigmoid",
        text: "(-x.abs()).exp().map2(x, |z, x| if x >= 0.0 { 1.0 / (1.0 + z) } else { z / (1.0 + z) })",
        exact: |x, _| long(x).sigmoid(),
        plain: |x, _| if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) },
        points: Between(-700.0, 700.0),
        bound: 2.0,
    },
    Row {
        name: "erf",
        text: "x.erf()",
        exact: |x, _| long(x).erf(),
        plain: |x, _| riesz_runtime::erf(x),
        points: Between(-7.0, 7.0),
        bound: 1.0,
    },
    // From 6 on it is computed number by number; further than 5 the reference has lost its digits.
    Row {
        name: "erfc",
        text: "x.erfc()",
        exact: |x, _| long(1.0) - long(x).erf(),
        plain: |x, _| riesz_runtime::erfc(x),
        points: Between(-7.0, 5.0),
        bound: 2.5,
    },
    Row {
        name: "exp2",
        text: "x.exp2()",
        exact: |x, _| (long(x) * LN_2).exp(),
        plain: |x, _| x.exp2(),
        points: Between(-1000.0, 1000.0),
        bound: 1.0,
    },
    Row {
        name: "log2",
        text: "x.log2()",
        exact: |x, _| long(x).ln() / LN_2,
        plain: |x, _| x.log2(),
        points: Between(0.0, f64::MAX),
        bound: 1.0,
    },
    Row {
        name: "log10",
        text: "x.log10()",
        exact: |x, _| long(x).ln() / LN_10,
        plain: |x, _| x.log10(),
        points: Between(0.0, f64::MAX),
        bound: 1.0,
    },
    Row {
        name: "asinh",
        text: "x.asinh()",
        exact: |x, _| inverse_sinh(x),
        plain: |x, _| riesz_runtime::asinh(x),
        points: Between(-1e100, 1e100),
        bound: 2.0,
    },
    Row {
        name: "acosh",
        text: "x.abs().max(Lanes::splat(1.0)).acosh()",
        exact: |x, _| inverse_cosh(x.abs().max(1.0)),
        plain: |x, _| if x.is_nan() { x } else { riesz_runtime::acosh(x.abs().max(1.0)) },
        points: Between(-1e100, 1e100),
        bound: 2.0,
    },
    Row {
        name: "atanh",
        text: "x.atanh()",
        exact: |x, _| (long(x + x) / (long(1.0) - long(x))).ln_1p() * long(0.5),
        plain: |x, _| riesz_runtime::atanh(x),
        points: Between(-1.0, 1.0),
        bound: 2.0,
    },
    Row {
        name: "asin",
        text: "x.asin()",
        exact: |x, _| other_leg(x).0,
        plain: |x, _| x.asin(),
        points: Between(-1.0, 1.0),
        bound: 2.0,
    },
    Row {
        name: "acos",
        text: "x.acos()",
        exact: |x, _| other_leg(x).1,
        plain: |x, _| x.acos(),
        points: Between(-1.0, 1.0),
        bound: 2.0,
    },
    Row { name: "hypot", text: "x.hypot(y)", exact: hypotenuse, plain: f64::hypot, points: Pairs, bound: 1.2 },
    Row {
        name: "cbrt",
        text: "x.cbrt()",
        exact: |x, _| cube_root(x),
        plain: |x, _| x.cbrt(),
        points: Between(-f64::MAX, f64::MAX),
        bound: 1.0,
    },
];

/// A step of Newton's, from numbers of a size that does not underflow.
fn square_root(x: f64) -> Long {
    if x == 0.0 {
        return long(x);
    }
    let (scale, back) = if x < 1e-200 { (2f64.powi(400), 2f64.powi(-200)) } else { (1.0, 1.0) };
    let root = (x * scale).sqrt();
    let exact = (long(root) + long(x * scale) / long(root)) * long(0.5);
    Long { high: exact.high * back, low: exact.low * back }
}

fn cube_root(x: f64) -> Long {
    let (scale, back) = if x.abs() < 1e-200 {
        (699, -233)
    } else if x.abs() > 1e200 {
        (-699, 233)
    } else {
        (0, 0)
    };
    let x = x * 2f64.powi(scale);
    if x == 0.0 {
        return long(x);
    }
    let root = long(x.cbrt());
    let step = (root * root * root - long(x)) / (long(3.0) * root * root);
    (root - step).scaled(back)
}

/// The square root of a number of moderate size.
fn root_of(x: Long) -> Long {
    if x.high == 0.0 {
        return x;
    }
    let root = long(x.high.sqrt());
    (root + x / root) * long(0.5)
}

fn hypotenuse(x: f64, y: f64) -> Long {
    let larger = x.abs().max(y.abs());
    let scale = if larger > 1e120 {
        -600
    } else if larger < 1e-120 {
        600
    } else {
        0
    };
    let (x, y) = (long(x * 2f64.powi(scale)), long(y * 2f64.powi(scale)));
    root_of(x * x + y * y).scaled(-scale)
}

fn inverse_sinh(x: f64) -> Long {
    let (one, magnitude) = (long(1.0), long(x.abs()));
    let square = magnitude * magnitude;
    let value = (magnitude + square / (one + root_of(one + square))).ln_1p();
    if x < 0.0 { -value } else { value }
}

fn inverse_cosh(x: f64) -> Long {
    let t = long(x) - long(1.0);
    (t + root_of(t * t + t + t)).ln_1p()
}

/// The angles whose sine and whose cosine a number is: a step of Newton's from those of the standard library.
fn other_leg(x: f64) -> (Long, Long) {
    let angle = |angle: f64, cosine: bool| {
        let (sine, slope) = Long::sin_cos(angle);
        let (value, slope) = if cosine { (slope, -sine) } else { (sine, slope) };
        if slope.high.abs() < 1e-7 { long(angle) } else { long(angle) - (value - long(x)) / slope }
    };
    (angle(x.asin(), false), angle(x.acos(), true))
}

const LN_2: Long = Long { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
const LN_10: Long = Long { high: std::f64::consts::LN_10, low: -2.170_756_223_382_249_4e-16 };

fn tangent(x: f64) -> Long {
    let (sine, cosine) = Long::sin_cos(x);
    sine / cosine
}

/// Numbers that need care.
const SPECIAL: [f64; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    -1e-310,
    f64::MAX,
    f64::MIN,
    709.78,
    -745.1,
    1e300,
    std::f64::consts::PI,
    1e-20,
    0.625,
    -1.0000000000000002,
];

/// A function of numbers `x` and `y`, eight and eight in lanes.
pub type Apply<'a> = dyn Fn(&[f64], &[f64]) -> Vec<f64> + 'a;

/// The same in single precision.
pub type ApplySingle<'a> = dyn Fn(&[f32], &[f32]) -> Vec<f32> + 'a;

/// The greatest error in units in the last place, and where it is. Special numbers are to be as in the standard library.
pub fn measure(row: &Row, count: usize, apply: &Apply) -> (f64, f64, f64) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (x, y): (Vec<f64>, Vec<f64>) = (0..count).map(|at| row.points.draw(at, &mut random)).unzip();
    let mut worst = (0.0, 0.0, 0.0);
    for ((x, y), found) in x.iter().zip(&y).zip(apply(&x, &y)) {
        let exact = (row.exact)(*x, *y);
        // Where numbers end, others say what comes.
        let wrong = if exact.high.is_finite() { units(found, exact) } else { f64::from(found != (row.plain)(*x, *y)) };
        if wrong.is_nan() || wrong > worst.0 {
            worst = (wrong, *x, *y);
        }
    }
    for x in SPECIAL {
        for y in SPECIAL {
            // In all lanes, and in one among others.
            let (many, mut mixed) = ([x; 8], [0.75; 8]);
            mixed[5] = x;
            for (xs, lane) in [(many, 0), (mixed, 5)] {
                let (found, plain) = (apply(&xs, &[y; 8])[lane], (row.plain)(x, y));
                let same = found == plain && found.is_sign_negative() == plain.is_sign_negative();
                let close = plain.is_finite() && found.is_finite() && plain != 0.0 && units(found, long(plain)) <= 2.0;
                assert!(
                    same || found.is_nan() && plain.is_nan() || close,
                    "{}({x:e}, {y:e}) is {found:e}, not {plain:e}",
                    row.name
                );
            }
        }
    }
    worst
}

/// The greatest error in single precision, in units in the last place of numbers that have it.
pub fn measure_single(row: &Row, count: usize, apply: &ApplySingle) -> (f64, f32, f32) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (x, y): (Vec<f32>, Vec<f32>) = (0..count)
        .map(|at| row.points.draw(at, &mut random))
        .map(|(x, y)| (x as f32, y as f32))
        .filter(|(x, y)| x.is_finite() && y.is_finite() && *x != 0.0)
        .unzip();
    let mut worst = (0.0, 0.0, 0.0);
    for ((x, y), found) in x.iter().zip(&y).zip(apply(&x, &y)) {
        let exact = (row.exact)((*x).into(), (*y).into());
        if exact.high.is_finite() && exact.high.abs() < f64::from(f32::MAX) {
            let exponent = ((exact.high as f32).to_bits() >> 23 & 0xff).max(1) as i32 - 150;
            let wrong = (((f64::from(found) - exact.high) - exact.low) * 2f64.powi(-exponent)).abs();
            if wrong.is_nan() || wrong > worst.0 {
                worst = (wrong, *x, *y);
            }
        }
    }
    worst
}

/// How far a number is from the truth, in units in the last place of the truth.
fn units(found: f64, exact: Long) -> f64 {
    let exponent = ((exact.high.to_bits() >> 52) & 0x7ff).max(1) as i32 - 1075;
    let distance = (found - exact.high) - exact.low;
    // Both factors are numbers.
    (distance * 2f64.powi(-(exponent / 2)) * 2f64.powi(-(exponent - exponent / 2))).abs()
}

impl Points {
    fn draw(&self, at: usize, random: &mut Random) -> (f64, f64) {
        match self {
            Between(from, to) => loop {
                let x = match at % 3 {
                    0 => from / 2.0 + (to / 2.0 - from / 2.0) * random.unit() + from / 2.0,
                    1 => random.any(),
                    _ => (random.unit() - 0.5) * 10f64.powi(2 - (at / 3 % 20) as i32),
                };
                if x.is_finite() && (*from..=*to).contains(&x) {
                    return (x, 0.0);
                }
            },
            Powers => loop {
                let x = if at.is_multiple_of(2) { random.any().abs() } else { 4.0 * random.unit() };
                let y = match at % 3 {
                    0 => (-740.0 + 1448.0 * random.unit()) / x.ln(),
                    1 => ((random.unit() - 0.5) * 40.0).round(),
                    _ => (random.unit() - 0.5) * 20.0,
                };
                if x.is_finite() && x > 0.0 && y.is_finite() && (-744.0..709.0).contains(&(y * x.ln())) {
                    return (x, y);
                }
            },
            Pairs => loop {
                let (x, y) = match at % 2 {
                    0 => (random.any(), random.any()),
                    _ => (random.unit() - 0.5, (random.unit() - 0.5) * 10f64.powi((at / 2 % 9) as i32 - 4)),
                };
                // Quotients that are numbers, and not the smallest.
                if x.is_finite() && y.is_finite() && (1e-300..1e300).contains(&(x / y).abs()) {
                    return (x, y);
                }
            },
        }
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 32);
        x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (x >> 29)
    }

    /// Between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Any bits.
    fn any(&mut self) -> f64 {
        f64::from_bits(self.next())
    }
}
