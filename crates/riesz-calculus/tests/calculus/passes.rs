//! The effect of each pass of the optimiser on a small program: the core before and after it.
//!
//! `passes.txt` has a section for each: the pass, an expression, and the text of the expression's function before and
//! after the first time that the pass changes it; for `all`, before the first pass and after the last. `UPDATE_GOLDEN=1`
//! rewrites the file.

use riesz_core::print::print;
use riesz_core::verify::verify;
use riesz_test::golden::keep;
use riesz_test::program::{Case, check, codes, root};
use std::fmt::Write;

/// The text of an expression's function before and after a pass changes it for the first time, or all have.
fn change(program: &str, expression: &str, pass: &str) -> Result<(String, String), String> {
    let case = Case::new(check(program)?, expression)?;
    let mut program = case.checker.program.clone();
    let plain = riesz_calculus::Options { optimise: false, ..Default::default() };
    riesz_calculus::compile_with(&mut program, &[case.function], &plain).map_err(|problems| codes(&problems))?;
    let mut before = print(&program, program.function(case.function));
    let first = before.clone();
    let mut found = None;
    riesz_optimise::optimise_watched(&mut program, &[case.function], &mut |name, id, program| {
        verify(program).unwrap_or_else(|problem| panic!("after {name}: {problem}"));
        if id == case.function {
            let after = print(program, program.function(id));
            if name == pass && before != after && found.is_none() {
                found = Some((before.clone(), after.clone()));
            }
            before = after;
        }
    });
    if pass == "all" && before != first {
        found = Some((first, before));
    }
    found.ok_or_else(|| "nothing changes".to_string())
}

#[test]
fn passes() {
    let file = "crates/riesz-calculus/tests/passes.txt";
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let mut written = String::new();
    let mut sections = text.split("\n== ");
    written += sections.next().unwrap_or_default();
    for section in sections {
        let (head, _) = section.split_once("\n-- before\n").unwrap_or((section.trim_end(), ""));
        let (title, source) = head.split_once('\n').unwrap();
        let pass = title.split(':').next().unwrap();
        let program: Vec<&str> = source.lines().filter(|line| !line.starts_with("> ")).collect();
        let expression = source.lines().find_map(|line| line.strip_prefix("> ")).unwrap();
        let (before, after) =
            change(&program.join("\n"), expression, pass).unwrap_or_else(|problem| panic!("{title}: {problem}"));
        write!(written, "\n== {}\n-- before\n{before}-- after\n{after}", head.trim_end()).unwrap();
    }
    keep(&root().join(file), &written).unwrap_or_else(|problem| panic!("{problem}"));
}
