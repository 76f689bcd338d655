//! Every reduction of every type of element agrees with the interpreter.

use crate::{cases, code};
use riesz_native::Settings;

#[test]
fn every_reduction_gives_what_the_interpreter_gives() {
    let all = cases::reductions::cases();
    all.agree(&code(&all, Settings { checked: true, quick: true, ..Settings::default() }), 1e-12);
    println!("{} calls", all.cases.len());
}
