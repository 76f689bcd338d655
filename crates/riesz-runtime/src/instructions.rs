//! Sums of products by the best instructions of the processor, in a program that was compiled for any processor.
//!
//! Code that is compiled on the machine it runs on has them anyway, and none of this. Each kernel is a function over
//! [`Instructions`] that is compiled once for each set of them, and the processor is asked which to call.

use crate::Lanes;

/// How lanes are multiplied and added.
pub(crate) trait Instructions {
    /// `a · b + c`
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes;
}

/// The instructions that the whole program is compiled for.
pub(crate) struct Compiled;

impl Instructions for Compiled {
    #[inline(always)]
    unsafe fn fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
        a.fma(b, c)
    }
}

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx512f")))]
pub(crate) use found::{Avx2, Avx512, Level, level};

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx512f")))]
mod found {
    use super::Instructions;
    use crate::Lanes;
    use std::arch::x86_64::{__m256d, __m512d, _mm256_fmadd_pd, _mm512_fmadd_pd};
    use std::mem::transmute;

    /// Four numbers in a register.
    pub(crate) struct Avx2;
    /// Eight numbers in a register.
    pub(crate) struct Avx512;

    impl Instructions for Avx2 {
        #[inline(always)]
        unsafe fn fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
            // Lanes are eight numbers without padding. The instructions are there, as the caller says.
            unsafe {
                let [[a, d], [b, e], [c, f]] = [a, b, c].map(|lanes| transmute::<Lanes, [__m256d; 2]>(lanes));
                transmute::<[__m256d; 2], Lanes>([_mm256_fmadd_pd(a, b, c), _mm256_fmadd_pd(d, e, f)])
            }
        }
    }

    impl Instructions for Avx512 {
        #[inline(always)]
        unsafe fn fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
            // As above.
            unsafe {
                transmute::<__m512d, Lanes>(_mm512_fmadd_pd(
                    transmute::<Lanes, __m512d>(a),
                    transmute::<Lanes, __m512d>(b),
                    transmute::<Lanes, __m512d>(c),
                ))
            }
        }
    }

    /// The sets of instructions that there are kernels for.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Level {
        Any,
        Avx2,
        Avx512,
    }

    /// The instructions of the processor. The standard library asks it once.
    #[inline]
    pub(crate) fn level() -> Level {
        if std::arch::is_x86_feature_detected!("avx512f") {
            Level::Avx512
        } else if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            Level::Avx2
        } else {
            Level::Any
        }
    }
}

/// Calls a kernel that is generic over [`Instructions`], compiled for those of the processor.
///
/// `by_instructions!(fn name[const …](argument: Type, …) -> Type = kernel::<…>)`: the kernel takes the instructions as its last
/// type parameter.
macro_rules! by_instructions {
    (
        $(#[$doc:meta])*
        unsafe fn $name:ident[$(const $constant:ident: $of:ty),*]($($argument:ident: $ty:ty),* $(,)?) $(-> $result:ty)?
            = [$any:path, $avx2:path, $avx512:path]
    ) => {
        $(#[$doc])*
        #[inline]
        unsafe fn $name<$(const $constant: $of),*>($($argument: $ty),*) $(-> $result)? {
            #[cfg(all(target_arch = "x86_64", not(target_feature = "avx512f")))]
            {
                #[target_feature(enable = "avx2,fma")]
                unsafe fn avx2<$(const $constant: $of),*>($($argument: $ty),*) $(-> $result)? {
                    unsafe { $avx2($($argument),*) }
                }
                #[target_feature(enable = "avx512f,avx2,fma")]
                unsafe fn avx512<$(const $constant: $of),*>($($argument: $ty),*) $(-> $result)? {
                    unsafe { $avx512($($argument),*) }
                }
                match $crate::instructions::level() {
                    // The processor has them.
                    $crate::instructions::Level::Avx512 => return unsafe { avx512::<$($constant),*>($($argument),*) },
                    $crate::instructions::Level::Avx2 => return unsafe { avx2::<$($constant),*>($($argument),*) },
                    $crate::instructions::Level::Any => {}
                }
            }
            unsafe { $any($($argument),*) }
        }
    };
}
pub(crate) use by_instructions;
