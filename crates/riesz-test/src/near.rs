//! `|a − b| ≤ t · max(1, |a|, |b|)`

/// Whether two numbers are equal up to a part of the larger one, or of 1. NaN is near NaN, an infinity is near itself.
pub fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * 1f64.max(a.abs()).max(b.abs())
}
