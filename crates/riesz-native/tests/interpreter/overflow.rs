//! Integers and sizes that exceed 64 bits are errors in native code exactly where they are errors in the interpreter.

use crate::cases::overflow::{agree, cases};
use crate::code;
use riesz_native::Settings;

#[test]
fn integers_that_do_not_fit_are_errors_where_the_interpreter_has_them() {
    let all = cases();
    for fine in [false, true] {
        let code = code(&all, Settings { checked: true, quick: true, fine, ..Settings::default() });
        let elsewhere = agree(&all, &code);
        assert!(elsewhere < 8, "{elsewhere} are left to the interpreter");
    }
}
