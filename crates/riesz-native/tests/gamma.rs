//! `riesz-runtime` uses no other crate, and has its own copy of the derivatives of `log Γ`: both copies agree.

use riesz_primitive::gamma;

#[test]
fn derivatives_of_log_gamma_are_those_of_the_interpreter() {
    let points = [-1e3 - 0.25, -20.5, -3.2, -0.7, -0.0, 0.0, 1e-300, 0.3, 1.0, 1.5, 2.0, 7.0, 33.3, 1e6, 1e300];
    let special = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, -1.0, -7.0];
    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-14 * a.abs().max(b.abs());
    for x in points.into_iter().chain(special) {
        let (ours, theirs) = (riesz_runtime::digamma(x), gamma::digamma(x));
        assert!(same(ours, theirs), "digamma({x}): {ours} and {theirs}");
        for k in 0..12 {
            let (ours, theirs) = (riesz_runtime::polygamma(f64::from(k), x), gamma::polygamma(f64::from(k), x));
            assert!(same(ours, theirs), "polygamma({k}, {x}): {ours} and {theirs}");
        }
    }
}
