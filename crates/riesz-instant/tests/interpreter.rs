//! Machine code in memory agrees with the interpreter on the programs that every backend runs.

#[path = "../../riesz-program/tests/cases/mod.rs"]
mod cases;

use cases::{Cases, directions, dynamic_size, gradbench, large, overflow, reductions, zeros};
use riesz_call::Code;
use riesz_instant::{Settings, build, compile};
use riesz_test::program::{checked, named};

#[test]
fn loops_with_independent_iterations_agree() {
    let mut all = Cases::default();
    all.push_functions(&[8, 19, 3, 44, 300]);
    large::push(&mut all);
    agree(&all, 1e-11);
}

#[test]
fn every_reduction_agrees() {
    agree(&reductions::cases(), 1e-12);
}

#[test]
fn every_module_of_gradbench_agrees() {
    agree(&gradbench::modules(), 1e-10);
}

#[test]
fn derivatives_of_loops_and_recursions_agree() {
    agree(&gradbench::loops(), 1e-10);
}

#[test]
fn arrays_of_any_size_agree() {
    agree(&dynamic_size::cases(), 1e-12);
}

#[test]
fn matrices_of_any_number_of_directions_agree() {
    agree(&directions::cases(), 1e-11);
}

#[test]
fn zeros_are_exact() {
    agree(&zeros::cases(), 1e-12);
    agree(&zeros::decisions(), 1e-12);
    agree(&zeros::solutions(), 1e-12);
}

#[test]
fn integers_that_do_not_fit_are_errors() {
    let all = overflow::cases();
    let elsewhere = overflow::agree(&all, &code(&all, false));
    assert!(elsewhere < 8, "{elsewhere} are left to the interpreter");
}

#[test]
fn a_function_that_would_take_long_to_compile_is_refused() {
    let lines =
        |count: usize| -> String { (0..count).map(|at| format!("  let x{} = sin(x{at}) + x{at}\n", at + 1)).collect() };
    let refused = |count: usize| {
        let checker = checked(&format!("fun f(x0: R): R =\n{}  x{count}", lines(count)));
        let function = named(&checker, "f");
        compile(&checker.program, &[function], Settings::default()).err()
    };
    assert_eq!(refused(500), None);
    assert!(refused(20_000).is_some_and(|refused| refused.0.contains("too long")));
}

fn agree(all: &Cases, close: f64) {
    for careful in [false, true] {
        all.agree(&code(all, careful), close);
    }
}

fn code(all: &Cases, careful: bool) -> Code {
    let code = build(all.lowered.clone(), all.signatures.clone(), Settings { careful, checked: true });
    code.unwrap_or_else(|refused| panic!("{}", refused.0))
}
