//! Functions of numbers: operators, methods, constants, conditionals.

use crate::check_number;
use crate::riesz::differentiable;

/// One function for each method of `f64`, checked at points of its domain.
macro_rules! methods {
    ($($name:ident: $x:ident => $body:expr, at $($at:expr),*;)*) => {
        $(
            mod $name {
                use crate::riesz::differentiable;

                #[differentiable(crate = crate::riesz)]
                pub fn f($x: f64) -> f64 {
                    $body
                }
            }

            #[test]
            fn $name() {
                use $name::f;
                $(check_number!(f, $at);)*
            }
        )*
    };
}

methods! {
    sqrt: x => x.sqrt(), at 0.5, 2.0;
    cbrt: x => x.cbrt(), at -0.5, 2.0;
    exp: x => x.exp() + x.exp2() + x.exp_m1(), at -0.5, 1.0;
    ln: x => x.ln() * x.log2() + x.log10() + x.ln_1p() + x.log(3.0), at 0.5, 2.0;
    sines: x => x.sin() * x.cos() + x.tan(), at -0.5, 1.0;
    arcs: x => x.asin() * x.acos() + x.atan(), at -0.5, 0.25;
    hyperbolic: x => x.sinh() * x.cosh() + x.tanh(), at -0.5, 1.0;
    areas: x => x.asinh() + (x + 1.5).acosh() + (x / 4.0).atanh(), at 0.25, 1.0;
    abs: x => x.abs() * x, at -0.5, 1.0;
    powers: x => x.powi(3) + x.powi(-2) + x.powi(0), at -0.5, 1.5;
    powf: x => x.powf(2.5) + x.powf(x), at 0.5, 1.5;
    two: x => x.atan2(0.3) + x.hypot(0.4), at -0.5, 1.5;
    extremes: x => x.max(0.3) * x.min(0.9) + x.clamp(-0.2, 0.6) * x, at -0.5, 0.5, 0.8;
    steps: x => x * (x.floor() + x.ceil() + x.round() + x.trunc() + x.signum()), at -0.6, 1.3;
    fraction: x => x.fract() * x, at -0.6, 1.3;
    copysign: x => x.copysign(-1.0) * x.copysign(0.5), at -0.6, 1.3;
    fused: x => x.mul_add(x, 2.0) + x.recip() + x.to_radians() + x.to_degrees(), at -0.6, 1.3;
    paths: x => f64::sin(x) + f64::powi(x, 2) + f64::max(x, 0.1), at -0.6, 1.3;
    pair: x => { let (s, c) = x.sin_cos(); s * c * c }, at -0.6, 1.3;
    constants: x => x * std::f64::consts::PI + std::f64::consts::LN_2 * x * x, at -0.6, 1.3;
    operators: x => -x * (x + 1.0) / (x * x + 2.0) - 3.0, at -0.6, 1.3;
    conditional: x => if x > 0.5 && x < 2.0 || x < -3.0 { x * x } else { -x }, at -0.6, 1.3, -3.5;
    infinite: x => if x.is_finite() && !x.is_nan() && x < f64::INFINITY { x * x } else { 0.0 }, at 1.5;
    casts: x => x * (3 as f64) + f64::from(2) * x * ((7 / 2) as f64) + x * ((x * 4.0) as usize as f64), at 0.6;
}

#[test]
fn values_of_methods_at_their_edges() {
    // `max` and `min` of Rust ignore NaN, and `signum` knows the sign of zero.
    #[differentiable(crate = crate::riesz)]
    fn edges(x: f64, y: f64) -> f64 {
        x.max(y) + x.min(y) + x.signum() + x.copysign(y)
    }
    for (x, y) in [(1.0, f64::NAN), (f64::NAN, 1.0), (0.0, 2.0), (-0.0, 2.0), (-3.0, -0.0)] {
        let (value, _) = edges::jvp(x, 0.0, y, 0.0);
        assert_eq!(value.to_bits(), edges(x, y).to_bits(), "{x} {y}");
    }
}

#[test]
fn integers_are_constants() {
    #[differentiable(crate = crate::riesz)]
    fn power(x: f64, n: i32, up: bool) -> f64 {
        let y = if up { x.powi(n) } else { -x.powi(n) };
        let m = (-7_i32) / 2 + (-7_i32) % 3 + n;
        y * m as f64
    }
    assert_eq!(power::grad(2.0, 3, true), 3.0 * 4.0 * (-3 + -1 + 3) as f64);
    assert_eq!(power(2.0, 3, false), -8.0 * -1.0);
    assert_eq!(power::jvp(2.0, 1.0, 3, false).0, power(2.0, 3, false));
}
