//! Loops in lanes, with remaining iterations, agree with the interpreter: values and gradients of functions of 8, 19, 3
//! and 44 elements, which together need every kind of lane code.

use crate::cases::Cases;
use crate::code;
use riesz_native::Settings;

#[test]
fn loops_in_lanes_give_what_the_interpreter_gives() {
    let mut all = Cases::default();
    all.push_functions(&[8, 19, 3, 44]);
    all.agree(&code(&all, Settings { checked: true, quick: true, ..Settings::default() }), 1e-12);
    println!("{} values and gradients", all.cases.len());
}
