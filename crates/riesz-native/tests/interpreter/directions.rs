//! Matrices by a pass for each direction run as native code.

use crate::{cases, code};
use riesz_native::Settings;

#[test]
fn matrices_of_any_number_of_directions_are_what_the_interpreter_gives() {
    let all = cases::directions::cases();
    all.agree(&code(&all, Settings { checked: true, quick: true, ..Settings::default() }), 1e-11);
}
