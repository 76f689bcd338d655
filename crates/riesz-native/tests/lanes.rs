//! Loops in lanes, with turns left over, give what the interpreter gives: values and gradients of functions of 8, 19, 3
//! and 44 elements, which between them need every way of being in lanes.

#[allow(dead_code)]
mod support;

use riesz_core::evaluate::Limits;
use riesz_native::{Code, Compiler, Settings, Stop};
use support::Cases;

#[test]
fn loops_in_lanes_give_what_the_interpreter_gives() {
    let compiler = Compiler::find().expect("tests need a Rust compiler");
    let mut all = Cases::default();
    all.push_functions(&[8, 19, 3, 44]);
    let settings = Settings { checked: true, quick: true, ..Settings::default() };
    let code = Code::build(all.lowered, all.signatures, &compiler, settings, &|_| "a test".into());
    let code = code.unwrap_or_else(|problem| panic!("{problem}"));
    for (function, case) in code.functions().iter().zip(&all.cases) {
        let function = function.as_ref().expect("all of them were lowered");
        let found = code.call(function, &[], &mut |id| case.globals[id.0 as usize].clone(), &Limits::default());
        match (&case.expected, &found) {
            (Ok(expected), Ok(found)) => {
                let distance = expected.distance(found);
                assert!(distance < 1e-12, "{}: {distance} apart, {found:?} and not {expected:?}", case.name);
            }
            // What goes wrong in lanes is left to the interpreter.
            (Err(_), Err(Stop::Elsewhere)) => {}
            (Err(expected), Err(Stop::Wrong(found))) => assert_eq!(*expected, found.code, "{}", case.name),
            (expected, _) => panic!("{}: {found:?}, not {expected:?}", case.name),
        }
    }
    println!("{} values and gradients", all.cases.len());
}
