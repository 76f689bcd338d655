//! Functions of many numbers at once, for the instructions of the processor that runs them.
//!
//! ```text
//! to[i] = f(x[i])        to[i] = f(x[i], y[i])
//! ```
//!
//! Each is written once, over the lanes of `riesz-runtime`, and compiled for plain instructions, for AVX2 and for AVX-512;
//! the processor is asked once.

use crate::host::Host;
use cranelift_codegen::ir::types;
use riesz_primitive::{Primitive, scalar};
use riesz_runtime::{LANES, Lanes};

/// The function of the host that computes a primitive of many numbers: where the results go, the arguments, and how many.
pub(crate) fn of(primitive: &'static Primitive) -> Option<Host> {
    let (_, kernels) = KERNELS.iter().find(|(row, _)| *row == primitive)?;
    let at = level();
    Some(match kernels {
        Kernels::OfOne(versions) => {
            Host { address: versions[at] as *const u8, parameters: &[types::I64; 3], result: None }
        }
        Kernels::OfTwo(versions) => {
            Host { address: versions[at] as *const u8, parameters: &[types::I64; 4], result: None }
        }
    })
}

type OfOne = unsafe extern "C" fn(*mut f64, *const f64, i64);
type OfTwo = unsafe extern "C" fn(*mut f64, *const f64, *const f64, i64);

/// A function for each level of instructions.
enum Kernels {
    OfOne([OfOne; LEVELS]),
    OfTwo([OfTwo; LEVELS]),
}

const LEVELS: usize = 3;

/// Which instructions there are: 0 for those of all processors, 1 for AVX2, 2 for AVX-512.
fn level() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            return 2;
        }
        if is_x86_feature_detected!("avx2") {
            return 1;
        }
    }
    0
}

/// Eight numbers at a time; the last few beside zeros.
///
/// # Safety
/// There are `count` numbers to read and to write.
#[inline(always)]
unsafe fn each_of_one(to: *mut f64, x: *const f64, count: i64, f: impl Fn(Lanes) -> Lanes) {
    let count = count.max(0) as usize;
    let whole = count / LANES * LANES;
    // Whole groups of eight are among the numbers.
    for at in (0..whole).step_by(LANES) {
        unsafe { to.add(at).cast::<[f64; LANES]>().write(f(Lanes(x.add(at).cast::<[f64; LANES]>().read())).0) }
    }
    if whole < count {
        // Fewer than eight are copied.
        unsafe {
            let x = few(x.add(whole), count - whole);
            to.add(whole).copy_from_nonoverlapping(f(x).0.as_ptr(), count - whole);
        }
    }
}

/// The same for functions of two numbers.
///
/// # Safety
/// There are `count` numbers to read in both, and to write.
#[inline(always)]
unsafe fn each_of_two(to: *mut f64, x: *const f64, y: *const f64, count: i64, f: impl Fn(Lanes, Lanes) -> Lanes) {
    let count = count.max(0) as usize;
    let whole = count / LANES * LANES;
    let read = |from: *const f64, at: usize| unsafe { Lanes(from.add(at).cast::<[f64; LANES]>().read()) };
    for at in (0..whole).step_by(LANES) {
        unsafe { to.add(at).cast::<[f64; LANES]>().write(f(read(x, at), read(y, at)).0) }
    }
    if whole < count {
        unsafe {
            let (x, y) = (few(x.add(whole), count - whole), few(y.add(whole), count - whole));
            to.add(whole).copy_from_nonoverlapping(f(x, y).0.as_ptr(), count - whole);
        }
    }
}

/// Fewer than eight numbers, beside zeros.
///
/// # Safety
/// There are that many.
#[inline(always)]
unsafe fn few(from: *const f64, count: usize) -> Lanes {
    let mut lanes = [0.0; LANES];
    unsafe { lanes.as_mut_ptr().copy_from_nonoverlapping(from, count) };
    Lanes(lanes)
}

// A function is compiled for instructions that `level` has found: callers are those that `of` gives.
macro_rules! versions {
    (one: $f:expr) => {
        versions!(OfOne each_of_one (x) $f)
    };
    (two: $f:expr) => {
        versions!(OfTwo each_of_two (x y) $f)
    };
    ($kind:ident $each:ident ($($x:ident)*) $f:expr) => {{
        unsafe extern "C" fn plain(to: *mut f64, $($x: *const f64,)* count: i64) {
            unsafe {
                $each(
                    to,
                    $($x,)*
                    count,
                    #[inline(always)]
                    |$($x: Lanes),*| $f($($x),*),
                )
            }
        }
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
        unsafe extern "C" fn avx2(to: *mut f64, $($x: *const f64,)* count: i64) {
            unsafe {
                $each(
                    to,
                    $($x,)*
                    count,
                    #[inline(always)]
                    |$($x: Lanes),*| $f($($x),*),
                )
            }
        }
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f,avx512dq"))]
        unsafe extern "C" fn avx512(to: *mut f64, $($x: *const f64,)* count: i64) {
            unsafe {
                $each(
                    to,
                    $($x,)*
                    count,
                    #[inline(always)]
                    |$($x: Lanes),*| $f($($x),*),
                )
            }
        }
        Kernels::$kind([plain, avx2, avx512])
    }};
}

static KERNELS: &[(&Primitive, Kernels)] = &[
    (&scalar::EXP, versions!(one: Lanes::exp)),
    (&scalar::LOG, versions!(one: Lanes::ln)),
    (&scalar::SIN, versions!(one: Lanes::sin)),
    (&scalar::COS, versions!(one: Lanes::cos)),
    (&scalar::TAN, versions!(one: Lanes::tan)),
    (&scalar::TANH, versions!(one: Lanes::tanh)),
    (&scalar::SINH, versions!(one: Lanes::sinh)),
    (&scalar::COSH, versions!(one: Lanes::cosh)),
    (&scalar::EXP2, versions!(one: Lanes::exp2)),
    (&scalar::EXPM1, versions!(one: Lanes::exp_m1)),
    (&scalar::LOG1P, versions!(one: Lanes::ln_1p)),
    (&scalar::ATAN, versions!(one: Lanes::atan)),
    (&scalar::ERF, versions!(one: Lanes::erf)),
    (&scalar::POW, versions!(two: Lanes::powf)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_close_to_the_rows_for_any_number_of_elements() {
        for (primitive, kernels) in KERNELS {
            let row = primitive.scalar().and_then(|row| row.real).expect("a function of reals");
            for count in [0, 1, 7, 8, 9, 23, 64] {
                let x: Vec<f64> = (0..count).map(|at| 0.05 + 0.13 * at as f64).collect();
                let y: Vec<f64> = (0..count).map(|at| 2.5 - 0.1 * at as f64).collect();
                for version in 0..=level() {
                    let mut to = vec![f64::NAN; count];
                    // Both have as many numbers.
                    let expected: Vec<f64> = unsafe {
                        match kernels {
                            Kernels::OfOne(of) => {
                                of[version](to.as_mut_ptr(), x.as_ptr(), count as i64);
                                x.iter().map(|x| row(&[*x])).collect()
                            }
                            Kernels::OfTwo(of) => {
                                of[version](to.as_mut_ptr(), x.as_ptr(), y.as_ptr(), count as i64);
                                x.iter().zip(&y).map(|(x, y)| row(&[*x, *y])).collect()
                            }
                        }
                    };
                    for (found, expected) in to.iter().zip(&expected) {
                        let apart = (found - expected).abs() / expected.abs().max(1e-3);
                        assert!(apart < 1e-14, "{primitive:?}: {found}, not {expected}");
                    }
                }
            }
        }
    }
}
