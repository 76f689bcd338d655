//! Sums, differences, products and quotients in lanes.
//!
//! If a register holds all lanes, each is one instruction. Loops over the lanes would mean the same, but the compiler
//! fails to vectorise them where lanes are also moved, as in [`Lanes::shifted`], and the code takes twice as long. This
//! source is written over `super::R` and compiled for both precisions.

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
use super::R;
use super::{LANES, Lanes};
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
use std::arch::x86_64::{
    _mm512_add_pd, _mm512_add_ps, _mm512_div_pd, _mm512_div_ps, _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_mul_pd,
    _mm512_mul_ps, _mm512_sub_pd, _mm512_sub_ps,
};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// What one of two functions gives, that of double or that of single precision.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
macro_rules! register {
    ($double:ident, $single:ident, $($lanes:expr),*) => {
        // Lanes are 64 bytes, as registers are, of the numbers that the function is for. The instructions are there: this
        // is compiled for machines that have them.
        unsafe {
            match size_of::<R>() {
                8 => std::mem::transmute_copy(&$double($(std::mem::transmute_copy(&$lanes)),*)),
                _ => std::mem::transmute_copy(&$single($(std::mem::transmute_copy(&$lanes)),*)),
            }
        }
    };
}

macro_rules! operators {
    ($($trait:ident $method:ident $sign:tt $double:ident $single:ident),*) => {$(
        impl $trait for Lanes {
            type Output = Lanes;

            #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
            #[inline(always)]
            fn $method(self, other: Lanes) -> Lanes {
                register!($double, $single, self, other)
            }

            #[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
            #[inline(always)]
            fn $method(self, other: Lanes) -> Lanes {
                Lanes(std::array::from_fn(#[inline(always)] |lane| self.0[lane] $sign other.0[lane]))
            }
        }
    )*};
}

operators!(
    Add add + _mm512_add_pd _mm512_add_ps,
    Sub sub - _mm512_sub_pd _mm512_sub_ps,
    Mul mul * _mm512_mul_pd _mm512_mul_ps,
    Div div / _mm512_div_pd _mm512_div_ps
);

impl Lanes {
    /// `a · b + c`, in one rounding where the machine can.
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
    #[inline(always)]
    pub fn fma(self, b: Lanes, c: Lanes) -> Lanes {
        register!(_mm512_fmadd_pd, _mm512_fmadd_ps, self, b, c)
    }

    /// `a · b + c`, in one rounding where the machine can.
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
    #[inline(always)]
    pub fn fma(self, b: Lanes, c: Lanes) -> Lanes {
        let mut result = [0.0; LANES];
        for (lane, slot) in result.iter_mut().enumerate() {
            *slot = match cfg!(target_feature = "fma") {
                true => self.0[lane].mul_add(b.0[lane], c.0[lane]),
                false => self.0[lane] * b.0[lane] + c.0[lane],
            };
        }
        Lanes(result)
    }
}

impl Neg for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn neg(self) -> Lanes {
        let mut result = [0.0; LANES];
        for (lane, slot) in result.iter_mut().enumerate() {
            *slot = -self.0[lane];
        }
        Lanes(result)
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Lanes) {
        *self = *self + other;
    }
}
