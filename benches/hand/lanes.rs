//! Eight numbers at a time, and their functions that the workloads need: instructions of 512 bits if the processor has
//! them, otherwise loops over eight elements.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

pub const LANES: usize = 8;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct V(pub [f64; LANES]);

impl V {
    pub const ZERO: V = V([0.0; LANES]);

    #[inline(always)]
    pub fn all(x: f64) -> V {
        V([x; LANES])
    }

    #[inline(always)]
    pub fn of(f: impl FnMut(usize) -> f64) -> V {
        V(std::array::from_fn(f))
    }

    #[inline(always)]
    pub fn load(from: &[f64]) -> V {
        V(*from.first_chunk().unwrap())
    }

    #[inline(always)]
    pub fn map(self, f: impl Fn(f64) -> f64) -> V {
        V(self.0.map(f))
    }

    #[inline(always)]
    pub fn with(self, other: V, f: impl Fn(f64, f64) -> f64) -> V {
        V(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// `self · by + plus`
    #[inline(always)]
    pub fn fma(self, by: V, plus: V) -> V {
        wide::fma(self, by, plus)
    }

    #[inline(always)]
    pub fn max(self, other: V) -> V {
        wide::max(self, other)
    }

    #[inline(always)]
    pub fn min(self, other: V) -> V {
        wide::min(self, other)
    }

    #[inline(always)]
    pub fn sum(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }

    /// `eˣ` to about an ulp, for results that are neither subnormal nor infinite; below and above, the nearest of them.
    #[inline(always)]
    pub fn exp(self) -> V {
        let x = self.max(V::all(-708.0)).min(V::all(709.0));
        // 1.5 · 2⁵²: a number added to it is rounded to an integer, which stands in the last bits.
        const ROUND: f64 = 6755399441055744.0;
        let shifted = x.fma(V::all(std::f64::consts::LOG2_E), V::all(ROUND));
        let k = shifted - V::all(ROUND);
        let r = k.fma(V::all(-0.693_147_180_369_123_8), x);
        let r = k.fma(V::all(-1.908_214_929_270_587_7e-10), r);
        let mut sum = V::all(1.0 / 479_001_600.0);
        for term in [
            1.0 / 39_916_800.0,
            1.0 / 3_628_800.0,
            1.0 / 362_880.0,
            1.0 / 40_320.0,
            1.0 / 5_040.0,
            1.0 / 720.0,
            1.0 / 120.0,
            1.0 / 24.0,
            1.0 / 6.0,
            0.5,
            1.0,
            1.0,
        ] {
            sum = sum.fma(r, V::all(term));
        }
        sum * wide::power(shifted)
    }

    /// `(1 − e⁻²ˣ) / (1 + e⁻²ˣ)`; near zero, where that loses digits, its series.
    #[inline(always)]
    pub fn tanh(self) -> V {
        let e = (V::all(-2.0) * self.map(f64::abs)).exp();
        let far = (V::all(1.0) - e) / (V::all(1.0) + e);
        let s = self * self;
        let mut sum = V::all(-1382.0 / 155_925.0);
        for term in [62.0 / 2835.0, -17.0 / 315.0, 2.0 / 15.0, -1.0 / 3.0] {
            sum = sum.fma(s, V::all(term));
        }
        let near = (sum * s).fma(self, self);
        let signed = far.with(self, f64::copysign);
        V(std::array::from_fn(|i| if self.0[i].abs() < 0.02 { near.0[i] } else { signed.0[i] }))
    }
}

/// Sine and cosine to about an ulp, for arguments up to a few hundred: one reduction for both.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    const ROUND: f64 = 6755399441055744.0;
    let shifted = x.mul_add(std::f64::consts::FRAC_2_PI, ROUND);
    let quadrant = shifted.to_bits();
    let k = shifted - ROUND;
    let r = k.mul_add(-1.570_796_326_734_125_6, x);
    let r = k.mul_add(-6.077_100_506_506_192e-11, r);
    let s = r * r;
    let q = s * s;
    // Estrin's scheme: the terms in pairs, which do not wait for each other.
    let sine = {
        let low = s.mul_add(8.333_333_333_322_49e-3, -1.666_666_666_666_663_2e-1);
        let middle = s.mul_add(2.755_731_370_707_006_8e-6, -1.984_126_982_985_795e-4);
        let high = s.mul_add(1.589_690_995_211_55e-10, -2.505_076_025_340_686_4e-8);
        let sum = q.mul_add(q.mul_add(high, middle), low);
        (s * r).mul_add(sum, r)
    };
    let cosine = {
        let low = s.mul_add(-1.388_888_888_887_411e-3, 4.166_666_666_666_66e-2);
        let middle = s.mul_add(-2.755_731_435_139_066_3e-7, 2.480_158_728_947_673e-5);
        let high = s.mul_add(-1.135_964_755_778_819_5e-11, 2.087_572_321_298_175e-9);
        let sum = q.mul_add(q.mul_add(high, middle), low);
        q.mul_add(sum, s.mul_add(-0.5, 1.0))
    };
    let (a, b) = if quadrant & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
    let a = if quadrant & 2 == 0 { a } else { -a };
    let b = if (quadrant + 1) & 2 == 0 { b } else { -b };
    (a, b)
}

macro_rules! operators {
    ($($name:ident $method:ident),*) => {$(
        impl $name for V {
            type Output = V;
            #[inline(always)]
            fn $method(self, other: V) -> V {
                wide::$method(self, other)
            }
        }
    )*};
}

operators!(Add add, Sub sub, Mul mul, Div div);

impl Neg for V {
    type Output = V;
    #[inline(always)]
    fn neg(self) -> V {
        self.map(|x| -x)
    }
}

impl AddAssign for V {
    #[inline(always)]
    fn add_assign(&mut self, other: V) {
        *self = *self + other;
    }
}

impl SubAssign for V {
    #[inline(always)]
    fn sub_assign(&mut self, other: V) {
        *self = *self - other;
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
mod wide {
    use super::V;
    use std::arch::x86_64::*;
    use std::mem::transmute;

    // SAFETY, here and below: the code is compiled for a processor that has the instructions, and eight numbers are as
    // large as a register and aligned like one.
    macro_rules! instructions {
        ($($name:ident $instruction:ident),*) => {$(
            #[inline(always)]
            pub fn $name(a: V, b: V) -> V {
                unsafe { transmute($instruction(transmute(a), transmute(b))) }
            }
        )*};
    }

    instructions!(
        add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd, div _mm512_div_pd, max _mm512_max_pd, min _mm512_min_pd
    );

    #[inline(always)]
    pub fn fma(a: V, b: V, c: V) -> V {
        unsafe { transmute(_mm512_fmadd_pd(transmute(a), transmute(b), transmute(c))) }
    }

    /// `2ᵏ` for an integer `k` in the last bits of numbers.
    #[inline(always)]
    pub fn power(k: V) -> V {
        unsafe {
            let exponent = _mm512_add_epi64(transmute(k), _mm512_set1_epi64(1023));
            transmute(_mm512_slli_epi64::<52>(exponent))
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
mod wide {
    use super::V;

    #[inline(always)]
    pub fn add(a: V, b: V) -> V {
        a.with(b, |a, b| a + b)
    }

    #[inline(always)]
    pub fn sub(a: V, b: V) -> V {
        a.with(b, |a, b| a - b)
    }

    #[inline(always)]
    pub fn mul(a: V, b: V) -> V {
        a.with(b, |a, b| a * b)
    }

    #[inline(always)]
    pub fn div(a: V, b: V) -> V {
        a.with(b, |a, b| a / b)
    }

    #[inline(always)]
    pub fn max(a: V, b: V) -> V {
        a.with(b, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub fn min(a: V, b: V) -> V {
        a.with(b, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    pub fn fma(a: V, b: V, c: V) -> V {
        V(std::array::from_fn(|i| a.0[i].mul_add(b.0[i], c.0[i])))
    }

    #[inline(always)]
    pub fn power(k: V) -> V {
        k.map(|k| f64::from_bits(k.to_bits().wrapping_add(1023) << 52))
    }
}
