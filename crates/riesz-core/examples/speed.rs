use riesz_core::Checker;
use riesz_core::evaluate::{Limits, Machine};
use riesz_syntax::{FileId, ParseOptions, parse, parse_expression};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let t = Instant::now();
    let (tree, problems) = parse(FileId(1), &text, &ParseOptions::default());
    let parsed = t.elapsed();
    let mut checker = Checker::new();
    let t = Instant::now();
    let p2 = checker.add(vec![tree], false);
    println!("parse {parsed:?} check {:?} errors {} {}", t.elapsed(), problems.len(), p2.len());
    for p in problems.iter().chain(&p2).take(3) {
        println!("{p:?}");
    }
    if let Some(e) = args.get(2) {
        let (tree, expr, _) = parse_expression(FileId(2), e, &ParseOptions::default());
        let thunk = checker.expression(tree, expr.unwrap(), vec![]).unwrap();
        if args.len() > 3 {
            println!("{}", riesz_core::print::print_program(&checker.program));
        }
        let t = Instant::now();
        let mut m = Machine::<f64>::new(&checker.program, Limits::default(), |_| None);
        let v = m.run(thunk.function);
        println!(
            "{:?} {}",
            t.elapsed(),
            match v {
                Ok(v) => v.show(&thunk.ty).chars().take(200).collect::<String>(),
                Err(e) => format!("{e:?}"),
            }
        );
    }
}
