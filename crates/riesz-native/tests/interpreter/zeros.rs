//! Zero times infinity is zero in derivatives of native code too.

use crate::{cases, code};
use riesz_native::Settings;

#[test]
fn zeros_are_exact_in_native_code() {
    let all = cases::zeros::cases();
    for settings in [Settings::default(), Settings { checked: true, quick: true, ..Settings::default() }] {
        all.agree(&code(&all, settings), 1e-12);
    }
}

#[test]
fn solutions_for_zeros_are_exact() {
    let all = cases::zeros::solutions();
    all.agree(&code(&all, Settings { checked: true, quick: true, ..Settings::default() }), 1e-12);
}

#[test]
fn products_that_decide_stay_exact() {
    let all = cases::zeros::decisions();
    all.agree(&code(&all, Settings::default()), 1e-12);
}
