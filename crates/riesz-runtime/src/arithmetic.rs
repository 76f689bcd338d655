//! Sums, differences, products, quotients and choices in lanes.
//!
//! If a register holds all lanes, each is an instruction or two. Loops over the lanes would mean the same, but the compiler
//! fails to vectorise them where lanes are also moved, as in [`Lanes::shifted`], and the code takes twice as long. This
//! source is written over `super::R` and compiled for both precisions.

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
use super::R;
use super::{LANES, Lanes, Mask};
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
use std::arch::x86_64::{
    __m512d, __m512i, __mmask8, _CMP_UNORD_Q, _mm512_add_pd, _mm512_add_ps, _mm512_cmp_pd_mask, _mm512_div_pd,
    _mm512_div_ps, _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_mask_blend_pd, _mm512_maskz_set1_epi64, _mm512_mul_pd,
    _mm512_mul_ps, _mm512_set1_pd, _mm512_sub_pd, _mm512_sub_ps, _mm512_test_epi64_mask,
};
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
use std::mem::transmute_copy;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// The result of one of two functions, that of double or that of single precision.
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

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
impl Mask {
    /// The mask as bits.
    #[inline(always)]
    pub(super) fn bits(self) -> __mmask8 {
        // A mask of eight lanes is a register. The instructions are there, as above.
        unsafe {
            let mask: __m512i = transmute_copy(&self);
            _mm512_test_epi64_mask(mask, mask)
        }
    }
}

/// Whether eight lanes are one register.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
const IS_REGISTER: bool = size_of::<R>() == 8;

impl Lanes {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(x: super::R) -> Lanes {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        if IS_REGISTER {
            // A register is eight lanes, and `x` is of double precision.
            return unsafe { transmute_copy(&_mm512_set1_pd(transmute_copy(&x))) };
        }
        Lanes([x; LANES])
    }

    /// One number or the other, in each lane.
    #[inline(always)]
    pub fn select(mask: Mask, yes: Lanes, no: Lanes) -> Lanes {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        if IS_REGISTER {
            // A register is eight lanes.
            return unsafe {
                transmute_copy(&_mm512_mask_blend_pd(mask.bits(), transmute_copy(&no), transmute_copy(&yes)))
            };
        }
        Lanes(std::array::from_fn(
            #[inline(always)]
            |lane| if mask.0[lane] != 0 { yes.0[lane] } else { no.0[lane] },
        ))
    }

    /// Where lanes are NaN.
    #[inline(always)]
    pub fn is_nan(self) -> Mask {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        if IS_REGISTER {
            // A register is eight lanes.
            return unsafe {
                let x: __m512d = transmute_copy(&self);
                transmute_copy(&_mm512_maskz_set1_epi64(_mm512_cmp_pd_mask::<_CMP_UNORD_Q>(x, x), -1))
            };
        }
        Mask(std::array::from_fn(
            #[inline(always)]
            |lane| -i64::from(self.0[lane].is_nan()),
        ))
    }
}

impl Mask {
    /// Whether all lanes hold.
    #[inline(always)]
    pub fn all(self) -> bool {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        if IS_REGISTER {
            return self.bits() == !0;
        }
        self.0.iter().fold(-1, |all, lane| all & lane) != 0
    }

    /// Whether any lane holds.
    #[inline(always)]
    pub fn any(self) -> bool {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        if IS_REGISTER {
            return self.bits() != 0;
        }
        self.0.iter().fold(0, |any, lane| any | lane) != 0
    }
}

impl Neg for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn neg(self) -> Lanes {
        // Exactly, for zeros too.
        Lanes::splat(-0.0) - self
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Lanes) {
        *self = *self + other;
    }
}
