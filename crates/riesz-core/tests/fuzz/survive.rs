//! The tests that every text must pass.

use crate::Tally;
use riesz_core::Checker;
use riesz_core::check::PRELUDE;
use riesz_core::evaluate::{Limits, Machine, from_data};
use riesz_core::term::{FunctionId, Origin};
use riesz_core::types::Type;
use riesz_core::verify::verify;
use riesz_syntax::tree::ItemKind;
use riesz_syntax::{Diagnostic, FileId, FormatOptions, ParseOptions, Sources, Tree, format, parse, render, same};

/// Parses, formats, checks, verifies, evaluates and renders; says what does not hold.
pub fn survive(text: &str, tally: &mut Tally) -> Result<(), String> {
    let mut sources = Sources::default();
    sources.add("prelude.rz", PRELUDE);
    let file = sources.add("input.rz", text);
    let (tree, problems) = parse(file, text, &ParseOptions::default());
    draw(&problems, &sources)?;
    if !problems.is_empty() {
        return Ok(());
    }
    tally.parsed += 1;
    formats(text, &tree)?;
    if outcomes(tree, &sources, tally)?.is_some() {
        tally.checked += 1;
    }
    Ok(())
}

/// What checks, values and functions without parameters come to, in order; nothing where the program has errors.
pub fn outcomes(tree: Tree, sources: &Sources, tally: &mut Tally) -> Result<Option<Vec<String>>, String> {
    let functions: Vec<_> = (tree.items.iter())
        .filter_map(|item| match &item.kind {
            ItemKind::Fun { name, parameters, .. } if parameters.is_empty() => Some(name.name.clone()),
            _ => None,
        })
        .collect();
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    draw(&problems, sources)?;
    if !problems.is_empty() {
        return Ok(None);
    }
    verify(&checker.program)?;
    let mut work: Vec<(FunctionId, Option<Type>)> = Vec::new();
    for check in &checker.checks {
        work.push((check.function, None));
    }
    for global in &checker.program.globals {
        if let Origin::Computed(function) = global.origin {
            work.push((function, Some(global.ty.clone())));
        }
    }
    for name in functions {
        if let Some(function) = checker.function_named(&name)
            && checker.program.function(function).parameters == 0
        {
            work.push((function, Some(checker.program.function(function).result.clone())));
        }
    }
    let mut outcomes = Vec::with_capacity(work.len());
    for (function, ty) in work {
        tally.evaluations += 1;
        let limits = Limits { steps: 20_000, depth: 200, memory: 16 << 20, interrupt: None };
        let program = &checker.program;
        let given = |global| checker.given(global).map(|data| from_data::<f64>(data, &program.global(global).ty));
        outcomes.push(match Machine::<f64>::new(program, limits, given).run(function) {
            Ok(value) => value.show(&ty.unwrap_or_else(|| program.function(function).result.clone())),
            Err(fault) => {
                draw(std::slice::from_ref(&fault), sources)?;
                fault.code.to_string()
            }
        });
    }
    Ok(Some(outcomes))
}

/// Formatting keeps the meaning, and formatting twice is formatting once.
fn formats(text: &str, tree: &riesz_syntax::Tree) -> Result<(), String> {
    let options = FormatOptions::default();
    let printed = format(text, &options).map_err(|_| "what parses cannot be formatted".to_string())?;
    let (again, problems) = parse(FileId(0), &printed, &options.parse);
    if !problems.is_empty() || !same(tree, &again) {
        return Err(format!("formatting changes the meaning, to\n{printed}"));
    }
    match format(&printed, &options) {
        Ok(twice) if twice == printed => Ok(()),
        Ok(twice) => Err(format!("formatting is not a fixed point:\n{printed}\nbecomes\n{twice}")),
        Err(_) => Err("what has been formatted cannot be formatted".to_string()),
    }
}

/// Every message can be drawn, is not too long, and names its place.
fn draw(problems: &[Diagnostic], sources: &Sources) -> Result<(), String> {
    for problem in problems {
        let drawn = render(std::slice::from_ref(problem), sources, false);
        if problem.labels.is_empty() || problem.message.is_empty() {
            return Err(format!("a message without place or text: {problem:?}"));
        }
        for label in &problem.labels {
            let text = &sources.get(label.span.file).text;
            if text.get(label.span.start as usize..label.span.end as usize).is_none() {
                return Err(format!("a message speaks of no place: {problem:?}"));
            }
        }
        if drawn.len() > 20_000 {
            return Err(format!("a message of {} bytes: {}", drawn.len(), problem.message));
        }
    }
    Ok(())
}
