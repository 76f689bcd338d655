//! Derivatives computed independently of the calculus.
//!
//! Complex numbers: `f(x + ih) = f(x) + ih f'(x) + O(h²)` for analytic `f`; if `h` is below the rounding error, the
//! imaginary part gives the derivative to the last digits. Every function here preserves such small imaginary parts.
//! Comparisons use the real part, so piecewise analytic functions work too.

mod linear;

use riesz_algebra::{Monoid, Ring, Semiring};
use riesz_primitive::{MatrixFunction, Number, Primitive};
use std::cell::Cell;

/// How far the imaginary direction goes.
pub const STEP: f64 = 1e-100;

thread_local! {
    /// Whether a function was met that is not known for complex numbers, or a comparison that rounding decides.
    static UNKNOWN: Cell<bool> = const { Cell::new(false) };
}

/// Runs something with complex numbers; none if what it met is not known for them.
pub fn if_known<T>(f: impl FnOnce() -> T) -> Option<T> {
    UNKNOWN.set(false);
    let result = f();
    (!UNKNOWN.get()).then_some(result)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

const fn complex(re: f64, im: f64) -> Complex {
    Complex { re, im }
}

impl Monoid for Complex {
    fn zero() -> Complex {
        complex(0.0, 0.0)
    }
    fn add(&self, other: &Complex) -> Complex {
        complex(self.re + other.re, self.im + other.im)
    }
}

impl Semiring for Complex {
    fn one() -> Complex {
        complex(1.0, 0.0)
    }
    fn mul(&self, other: &Complex) -> Complex {
        complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

impl Ring for Complex {
    fn neg(&self) -> Complex {
        complex(-self.re, -self.im)
    }
}

impl Complex {
    fn scale(self, factor: f64) -> Complex {
        complex(factor * self.re, factor * self.im)
    }

    fn plus(self, real: f64) -> Complex {
        complex(self.re + real, self.im)
    }

    fn divide(self, by: Complex) -> Complex {
        let square = by.re * by.re + by.im * by.im;
        complex((self.re * by.re + self.im * by.im) / square, (self.im * by.re - self.re * by.im) / square)
    }

    fn exp(self) -> Complex {
        complex(self.re.exp() * self.im.cos(), self.re.exp() * self.im.sin())
    }

    fn log(self) -> Complex {
        complex(self.re.hypot(self.im).ln(), self.im.atan2(self.re))
    }

    /// With the branch on which positive numbers have positive roots.
    fn root(self, degree: f64) -> Complex {
        let (radius, angle) = (self.re.hypot(self.im).powf(1.0 / degree), self.im.atan2(self.re) / degree);
        complex(radius * angle.cos(), radius * angle.sin())
    }

    fn sin(self) -> Complex {
        complex(self.re.sin() * self.im.cosh(), self.re.cos() * self.im.sinh())
    }

    fn cos(self) -> Complex {
        complex(self.re.cos() * self.im.cosh(), -self.re.sin() * self.im.sinh())
    }

    fn sinh(self) -> Complex {
        complex(self.re.sinh() * self.im.cos(), self.re.cosh() * self.im.sin())
    }

    fn cosh(self) -> Complex {
        complex(self.re.cosh() * self.im.cos(), self.re.sinh() * self.im.sin())
    }

    /// Near the real axis: the imaginary part by `¼ log (|1 + iz̄|² / |1 − iz̄|²)`, without cancellation.
    fn atan(self) -> Complex {
        let below = self.re * self.re + (1.0 - self.im) * (1.0 - self.im);
        let re = 0.5 * (2.0 * self.re).atan2(1.0 - self.re * self.re - self.im * self.im);
        complex(re, 0.25 * (4.0 * self.im / below).ln_1p())
    }

    fn asin(self) -> Complex {
        self.divide(Complex::one().sub(&self.mul(&self)).root(2.0)).atan()
    }

    fn asinh(self) -> Complex {
        match self.re < 0.0 {
            true => self.neg().asinh().neg(),
            false => self.add(&self.mul(&self).plus(1.0).root(2.0)).log(),
        }
    }

    /// Whether two numbers are equal but for rounding, and vary differently: rounding is another here than in real numbers,
    /// and so may be which of them is less.
    fn look_for_tie(self, other: Complex) -> bool {
        let tie = (self.re - other.re).abs() <= 1e-13 * self.re.abs().max(other.re.abs()) && self.im != other.im;
        if tie {
            UNKNOWN.set(true);
        }
        tie
    }

    fn power(self, exponent: Complex) -> Complex {
        match exponent.im == 0.0 && exponent.re.fract() == 0.0 && exponent.re.abs() < 100.0 {
            true => {
                let product = (0..exponent.re.abs() as u32).fold(Complex::one(), |product, _| product.mul(&self));
                if exponent.re < 0.0 { Complex::one().divide(product) } else { product }
            }
            false => exponent.mul(&self.log()).exp(),
        }
    }
}

impl Number for Complex {
    fn constant(x: f64) -> Complex {
        complex(x, 0.0)
    }

    fn value(&self) -> f64 {
        self.re
    }

    fn compared(&self, other: &Complex) -> (f64, f64) {
        self.look_for_tie(*other);
        (self.re, other.re)
    }

    fn apply(primitive: &'static Primitive, arguments: &[Complex]) -> Complex {
        let x = arguments[0];
        let y = arguments.get(1).copied().unwrap_or(Complex::zero());
        let step = |f: fn(f64) -> f64| complex(f(x.re), 0.0);
        match primitive.name {
            "+" => x.add(&y),
            "-" => x.sub(&y),
            "*" => x.mul(&y),
            "exact *" if x == Complex::zero() || y == Complex::zero() => Complex::zero(),
            "exact *" => x.mul(&y),
            "/" => x.divide(y),
            "unary -" => x.neg(),
            "min" | "max" if x.look_for_tie(y) => x,
            "min" => {
                if y.re < x.re {
                    y
                } else {
                    x
                }
            }
            "max" => {
                if x.re < y.re {
                    y
                } else {
                    x
                }
            }
            "^" | "pow" | "integer ^" => x.power(y),
            "sqrt" => x.root(2.0),
            "cbrt" if x.re < 0.0 => x.neg().root(3.0).neg(),
            "cbrt" => x.root(3.0),
            "hypot" => x.mul(&x).add(&y.mul(&y)).root(2.0),
            "exp" => x.exp(),
            "exp2" => x.scale(std::f64::consts::LN_2).exp(),
            "expm1" => complex(x.re.exp_m1(), x.re.exp() * x.im.sin()),
            "log" => x.log(),
            "log2" => x.log().scale(std::f64::consts::LOG2_E),
            "log10" => x.log().scale(std::f64::consts::LOG10_E),
            "log1p" => complex(x.re.ln_1p(), x.im.atan2(1.0 + x.re)),
            "sin" => x.sin(),
            "cos" => x.cos(),
            "tan" => x.sin().divide(x.cos()),
            "asin" => x.asin(),
            "acos" => x.asin().neg().plus(std::f64::consts::FRAC_PI_2),
            "atan" => x.atan(),
            // Of a positive second argument, or next to the real axis: the angle turns by a constant.
            "atan2" => {
                let quotient = x.divide(y).atan();
                complex(x.re.atan2(y.re), quotient.im)
            }
            "sinh" => x.sinh(),
            "cosh" => x.cosh(),
            "tanh" => complex(x.re.tanh(), x.sinh().divide(x.cosh()).im),
            "asinh" => x.asinh(),
            "acosh" => x.add(&x.mul(&x).plus(-1.0).root(2.0)).log(),
            "atanh" => complex(x.re.atanh(), 0.5 * (x.im.atan2(1.0 + x.re) + x.im.atan2(1.0 - x.re))),
            "abs" if x.re < 0.0 => x.neg(),
            "abs" => x,
            "sign" => step(|x| if x == 0.0 { 0.0 } else { x.signum() }),
            "floor" => step(f64::floor),
            "ceil" => step(f64::ceil),
            "round" => step(f64::round),
            _ => {
                UNKNOWN.set(true);
                Complex::zero()
            }
        }
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Complex], b: &[Complex]) -> Vec<Complex> {
        linear::evaluate(function, n, columns, a, b)
    }
}
