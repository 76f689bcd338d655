//! A product with a constant that is added to itself becomes the product with twice the constant.

use crate::plain::Plain;
use riesz_program::passes::Pass;
use riesz_program::passes::double::double;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;

/// The passes before.
const BEFORE: [Pass; 2] = [scalarise, tidy];

#[test]
fn products_that_are_added_to_themselves() {
    doubled("[let a = 100 * y in a + a | y in x]", "200.0", true);
    doubled("grad(\\x -> sum(100 * y^2 | y in x), x)", "200.0", true);
}

#[test]
fn what_is_used_elsewhere_or_would_overflow() {
    doubled("[let a = 100 * y in (a + a) / a | y in x]", "200.0", false);
    doubled("[let a = 1e308 * y in a + a | y in x]", "inf", false);
}

/// Whether a text is in a function of an array once its products are doubled, and not before.
fn doubled(body: &str, text: &str, becomes: bool) {
    let plain = Plain::of(body, &BEFORE);
    assert!(!print(&plain.program).contains(text), "{}", print(&plain.program));
    let improved = plain.after(&[double]);
    assert_eq!(print(&improved).contains(text), becomes, "{}", print(&improved));
}
