//! Every program of GradBench and its derivative run as native code and agree with the interpreter; so do
//! differentiated loops and recursions of unknown length.

use crate::cases::{Cases, gradbench};
use crate::code;
use riesz_native::Settings;

#[test]
fn every_module_of_gradbench_agrees() {
    agree(gradbench::modules());
}

#[test]
fn derivatives_of_loops_and_recursions_agree() {
    agree(gradbench::loops());
}

fn agree(cases: Cases) {
    cases.agree(&code(&cases, Settings { checked: true, quick: true, ..Settings::default() }), 1e-10);
}
