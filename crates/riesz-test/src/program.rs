//! Programs: parsed, checked, run.

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

/// The codes and messages of some diagnostics, as text.
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
pub fn check_file(file: impl AsRef<Path>) -> Result<Checker, String> {
    check_file_with(file, "")
}

/// The same with something more at the end of the file.
pub fn check_file_with(file: impl AsRef<Path>, more: &str) -> Result<Checker, String> {
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

/// A checker that knows a program which is right.
///
/// # Panics
/// If it is wrong.
pub fn checked(program: &str) -> Checker {
    check(program).unwrap_or_else(|problems| panic!("{problems}\n{program}"))
}

/// A function of a program.
///
/// # Panics
/// If there is none of the name.
pub fn named(checker: &Checker, name: &str) -> FunctionId {
    checker.function_named(name).unwrap_or_else(|| panic!("the program has no function `{name}`"))
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
    machine.run(function).map_err(|fault| codes(&[*fault]))
}

/// Goes through a table of expressions: lines `> item` are the program of the lines `expression ==> value` behind them, up to
/// an empty line.
///
/// # Panics
/// If the value that `eval` gives for a program and an expression is another, or if there are no expressions.
pub fn expressions(table: &str, eval: impl Fn(&str, &str) -> String) {
    let (mut program, mut count, mut failed) = (String::new(), 0, Vec::new());
    for line in table.lines() {
        if let Some(text) = line.strip_prefix("> ") {
            program += text;
            program.push('\n');
        } else if let Some((expression, expected)) = line.split_once(" ==> ") {
            count += 1;
            let found = eval(&program, expression.trim());
            if found != expected.trim() {
                failed.push(format!("{}\n  expected {}\n  found    {found}", expression.trim(), expected.trim()));
            }
        } else if line.is_empty() {
            program.clear();
        }
    }
    assert!(count > 0 && failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), failed.join("\n"));
}
