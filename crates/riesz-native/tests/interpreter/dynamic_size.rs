//! Arrays of dynamic size run as native code.

use crate::{cases, code};
use riesz_native::Settings;

#[test]
fn arrays_of_any_size_are_what_the_interpreter_gives() {
    let all = cases::dynamic_size::cases();
    all.agree(&code(&all, Settings { checked: true, quick: true, ..Settings::default() }), 1e-12);
}
