//! `x ← 1.1 sin x + 0.1`, a thousand times. Sine and cosine share a reduction; the derivative is a product for which no
//! iteration waits, carried forwards, or computed backwards from stored cosines.

use crate::lanes::sin_cos;

const TURNS: usize = 1000;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn recurrence_value(arguments: *const u64, to: *mut f64) {
    let mut y = f64::from_bits(unsafe { *arguments });
    for _ in 0..TURNS {
        y = 1.1f64.mul_add(sin_cos(y).0, 0.1);
    }
    unsafe { *to = y };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn recurrence_forward(arguments: *const u64, to: *mut f64) {
    let mut y = f64::from_bits(unsafe { *arguments });
    let mut slope = 1.0;
    for _ in 0..TURNS {
        let (sine, cosine) = sin_cos(y);
        slope *= 1.1 * cosine;
        y = 1.1f64.mul_add(sine, 0.1);
    }
    unsafe { *to = slope };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn recurrence(arguments: *const u64, to: *mut f64) {
    let mut y = f64::from_bits(unsafe { *arguments });
    let mut kept = [0.0; TURNS];
    for kept in &mut kept {
        let (sine, cosine) = sin_cos(y);
        *kept = 1.1 * cosine;
        y = 1.1f64.mul_add(sine, 0.1);
    }
    let mut products = [1.0; 8];
    for eight in kept.chunks_exact(8) {
        for (product, kept) in products.iter_mut().zip(eight) {
            *product *= kept;
        }
    }
    unsafe { *to = products.iter().product() };
}
