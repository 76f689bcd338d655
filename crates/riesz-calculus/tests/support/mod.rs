//! Programs for tests: parsed, checked, differentiated, run.

#![allow(dead_code)]

use riesz_core::evaluate::{Limits, Machine, Value, from_data};
use riesz_core::{Checker, FunctionId, Program, Type};
use riesz_primitive::Number;
use riesz_syntax::tree::ItemKind;
use riesz_syntax::{Diagnostic, FileId, ParseOptions, Tree, parse, parse_expression};
use std::path::{Path, PathBuf};

/// A program and an expression in its scope.
pub struct Case {
    pub checker: Checker,
    pub function: FunctionId,
    pub ty: Type,
}

/// What is wrong, as text.
pub fn codes(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| format!("{}: {}", d.code, d.message)).collect::<Vec<_>>().join("; ")
}

/// A checker that knows a program.
pub fn check(program: &str) -> Result<Checker, String> {
    let (tree, problems) = parse(FileId(1), program, &ParseOptions::default());
    if !problems.is_empty() {
        return Err(codes(&problems));
    }
    checker(vec![tree])
}

/// A checker that knows the program of a file, named from the root of the project, and those it imports.
pub fn check_file(file: &str) -> Result<Checker, String> {
    check_file_with(file, "")
}

/// The same with something more at the end of the file.
pub fn check_file_with(file: &str, more: &str) -> Result<Checker, String> {
    let mut trees = Vec::new();
    let mut work = vec![root().join(file)];
    while let Some(path) = work.pop() {
        let mut text = std::fs::read_to_string(&path).map_err(|problem| format!("{}: {problem}", path.display()))?;
        if trees.is_empty() {
            text += more;
        }
        let (tree, problems) = parse(FileId(trees.len() as u32 + 1), &text, &ParseOptions::default());
        if !problems.is_empty() {
            return Err(codes(&problems));
        }
        for item in &tree.items {
            if let ItemKind::Import { path: imported } = &item.kind {
                work.push(path.with_file_name(&*imported.name));
            }
        }
        trees.push(tree);
    }
    checker(trees)
}

fn checker(trees: Vec<Tree>) -> Result<Checker, String> {
    let mut checker = Checker::new();
    let problems = checker.add(trees, false);
    if problems.is_empty() { Ok(checker) } else { Err(codes(&problems)) }
}

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The programs of a folder of the project, in order.
pub fn programs(folder: &str) -> Vec<String> {
    let mut found: Vec<String> = std::fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".rz"))
        .map(|name| format!("{folder}/{name}"))
        .collect();
    found.sort();
    found
}

impl Case {
    /// An expression in the scope of a program.
    pub fn new(mut checker: Checker, expression: &str) -> Result<Case, String> {
        let (tree, expr, problems) = parse_expression(FileId(99), expression, &ParseOptions::default());
        let Some(expr) = expr.filter(|_| problems.is_empty()) else { return Err(codes(&problems)) };
        let thunk = checker.expression(tree, expr, Vec::new()).map_err(|problems| codes(&problems))?;
        Ok(Case { function: thunk.function, ty: thunk.ty, checker })
    }

    /// Runs a program that came from this case.
    pub fn run<S: Number>(&self, program: &Program) -> Result<Value<S>, String> {
        run::<S>(&self.checker, program, self.function)
    }
}

/// Runs a function without parameters of a program that came from a checker.
pub fn run<S: Number>(checker: &Checker, program: &Program, function: FunctionId) -> Result<Value<S>, String> {
    let given = |global| checker.given(global).map(|data| from_data::<S>(data, &program.global(global).ty));
    let mut machine = Machine::<S>::new(program, Limits::default(), given);
    machine
        .run(function)
        .map_err(|fault| format!("{} at {:?}", codes(&[*fault.clone()]), fault.labels.first().map(|l| l.span)))
}
