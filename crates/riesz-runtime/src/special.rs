//! Functions that are computed number by number, in double precision, also in lanes and in single precision. A function
//! is one line of the list below.

use crate::gamma;

macro_rules! of_one_number {
    ($($(#[$doc:meta])* $name:ident = $function:path;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(x: f64) -> f64 {
                $function(x)
            }
        )*

        impl crate::Lanes {
            $(
                $(#[$doc])*
                #[inline(always)]
                pub fn $name(self) -> crate::Lanes {
                    self.map($name)
                }
            )*
        }

        impl crate::single::Lanes {
            $(
                $(#[$doc])*
                #[inline(always)]
                pub fn $name(self) -> crate::single::Lanes {
                    self.map(rounded::$name)
                }
            )*
        }

        /// The same, rounded to single precision.
        pub mod rounded {
            $(
                $(#[$doc])*
                pub fn $name(x: f32) -> f32 {
                    super::$name(x.into()) as f32
                }
            )*
        }
    };
}

of_one_number! {
    /// What the error function lacks to 1.
    erfc = c::erfc;
    /// The logarithm of the absolute value of `Γ`.
    lgamma = c::lgamma;
    /// The derivative of `log Γ`.
    digamma = gamma::digamma;
    /// The inverse of `sinh`.
    asinh = c::asinh;
    /// The inverse of `cosh`.
    acosh = c::acosh;
    /// The inverse of `tanh`.
    atanh = c::atanh;
}

/// Functions of the C library.
mod c {
    unsafe extern "C" {
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
    }
}
