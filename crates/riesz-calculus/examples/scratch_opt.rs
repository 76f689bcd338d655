//! Scratch: prints the core of an expression.
use riesz_core::Checker;
use riesz_core::print::print;
use riesz_syntax::{FileId, ParseOptions, parse, parse_expression};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = if args[1] == "-" { String::new() } else { std::fs::read_to_string(&args[1]).unwrap() };
    let (tree, problems) = parse(FileId(1), &text, &ParseOptions::default());
    assert!(problems.is_empty(), "{problems:?}");
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    assert!(problems.is_empty(), "{problems:?}");
    let (tree, expr, problems) = parse_expression(FileId(2), &args[2], &ParseOptions::default());
    assert!(problems.is_empty(), "{problems:?}");
    let thunk = checker.expression(tree, expr.unwrap(), Vec::new()).unwrap();
    let mut program = checker.program.clone();
    let pre = args.get(3).is_some_and(|a| a.contains("pre"));
    if pre {
        riesz_calculus::optimise::optimise(&mut program, &[thunk.function]);
    }
    riesz_calculus::compile_from(&mut program, &[thunk.function]).unwrap();
    if args.get(3).is_some_and(|a| a.contains("post")) {
        riesz_calculus::optimise::optimise(&mut program, &[thunk.function]);
    }
    let mut ids = program.reachable(&[thunk.function]).functions;
    ids.sort();
    for id in ids {
        println!("#{} {}", id.0, print(&program, program.function(id)));
    }
}
