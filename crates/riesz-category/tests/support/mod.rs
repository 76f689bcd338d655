//! Programs for tests.

#![allow(dead_code)]

use riesz_core::{Checker, FunctionId};
use riesz_syntax::{FileId, ParseOptions, parse};

/// A checker that knows a program.
pub fn check(text: &str) -> Checker {
    let (tree, problems) = parse(FileId(1), text, &ParseOptions::default());
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    checker
}

/// A function of the program.
pub fn named(checker: &Checker, name: &str) -> FunctionId {
    checker.function_named(name).expect("the program has it")
}
