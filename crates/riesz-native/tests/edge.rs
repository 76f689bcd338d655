//! The turns at the edges of loops are apart from those inside: these have no branches left, and arrays of all sizes,
//! also those that are all edge, come out as before.

use riesz_core::Checker;
use riesz_core::evaluate::Value;
use riesz_program::edge::edge;
use riesz_program::evaluate::{Passed, call};
use riesz_program::pass::pass;
use riesz_program::print::print;
use riesz_program::program::{Block, Statement};
use riesz_program::tidy::tidy;
use riesz_program::{Program, lower_plainly};
use riesz_syntax::{FileId, ParseOptions, parse};

#[test]
fn neighbours_on_both_sides() {
    divided("[(if i > 0 then x[i - 1] else 0) - 2 * x[i] + (if i < n - 1 then x[i + 1] else 0) | i < n]", true);
}

#[test]
fn neighbours_on_one_side() {
    divided("[if i < 3 then x[i] else x[i - 3] * x[i] | i < n]", true);
    divided("[if i + 2 >= n then x[i]^2 else x[i + 2] | i < n]", true);
}

#[test]
fn single_turns() {
    divided("[if i == 0 then x[n - 1] else x[i - 1] | i < n]", true);
    divided("[if i == n - 1 then x[0] else x[i + 1] | i < n]", true);
}

#[test]
fn branches_in_branches_and_conditions_on_numbers() {
    divided("[if i > 0 and x[i] > 0.5 then (if i < n - 1 then x[i + 1] else 7.5) else 2 * x[i] | i < n]", false);
    divided("[(if x[i] > 0.5 then x[i] else 1.0) * (if i > 1 then x[i - 2] else 3.0) | i < n]", false);
}

#[test]
fn second_derivatives_of_neighbours() {
    divided("flatten(hessian(\\y -> sum((y[i + 1] - y[i]^2)^2 | i < n - 1), x))", true);
    divided("flatten(hessian(\\y -> sum((y[i + 2] - y[i + 1] * y[i])^2 | i < n - 2), x))", true);
}

/// Sizes in which the condition changes far from both ends are left as they are.
#[test]
fn there_is_no_edge_in_the_middle() {
    let program = program("[if 2 * i < n then x[i] else 1.0 | i < n]");
    let mut same = program.0.clone();
    same.procedures.iter_mut().for_each(edge);
    assert_eq!(print(&program.0), print(&same));
}

/// Divides the loops of a function of an array, and compares what both programs give for arrays of all small sizes.
fn divided(body: &str, straight: bool) {
    let (plain, entry, parameters) = program(body);
    let mut improved = plain.clone();
    for procedure in &mut improved.procedures {
        edge(procedure);
        tidy(procedure);
    }
    riesz_program::verify::verify(&improved).expect("a loop program");
    assert_ne!(print(&plain), print(&improved), "{body}");
    let inside = loops(&improved.procedure(entry).body);
    assert!(inside.iter().any(|body| !has_branch(body) || !straight), "{}", print(&improved));
    for n in 0..20 {
        let numbers = (0..n).map(|i| Value::Real((i as f64).sin())).collect();
        let [count, array] = [Value::Int(n), Value::array(&riesz_core::types::Type::Real, numbers)];
        let arguments: Vec<Passed> =
            [&count, &array].into_iter().zip(&parameters).flat_map(|(value, ty)| pass(value, ty)).collect();
        let [before, after] = [&plain, &improved].map(|program| call(program, entry, &mut arguments.clone()));
        assert_eq!(format!("{before:?}"), format!("{after:?}"), "{body}, n = {n}");
    }
}

type Lowered = (Program, riesz_program::ProcedureId, Vec<riesz_core::types::Type>);

/// The function as a loop program, without passes but those that give it its loops.
fn program(body: &str) -> Lowered {
    let text = format!("fun f(x: [n]R) = {body}");
    let (tree, problems) = parse(FileId(1), &text, &ParseOptions::default());
    assert!(problems.is_empty(), "{problems:?}");
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    assert!(problems.is_empty(), "{problems:?}");
    let mut core = checker.program;
    let at = core.functions.iter().position(|function| &*function.name == "f").expect("the function");
    let id = riesz_core::FunctionId(at as u32);
    riesz_calculus::compile_for_code(&mut core, &[id]).unwrap_or_else(|problems| panic!("{problems:?}"));
    let (mut plain, entries) = lower_plainly(&core, &[id]);
    let entry = entries.into_iter().next().expect("one function").expect("it can be lowered");
    for procedure in &mut plain.procedures {
        riesz_program::cell::cell(procedure);
        tidy(procedure);
        riesz_program::fuse::fuse(procedure);
        tidy(procedure);
    }
    let function = core.function(id);
    let parameters = function.vars[..function.parameters].iter().map(|info| info.ty.clone()).collect();
    (plain, entry.procedure, parameters)
}

/// The bodies of the parallel loops of a block, outside of each other.
fn loops(block: &Block) -> Vec<&Block> {
    let mut found = Vec::new();
    for statement in block {
        match statement {
            Statement::For(each) if each.parallel => found.push(&each.body),
            other => found.extend(riesz_program::blocks(other).into_iter().flat_map(loops)),
        }
    }
    found
}

fn has_branch(block: &Block) -> bool {
    block.iter().any(|statement| matches!(statement, Statement::If(..)))
}
