//! Loops in lanes, with turns left over, give what the interpreter gives: values and gradients of functions of 8, 19 and
//! 3 elements, which between them need every way of being in lanes.

use riesz_core::evaluate::{Limits, Machine};
use riesz_core::{Checker, FunctionId};
use riesz_native::{Code, Compiler, Settings, Signature, Stop};
use riesz_syntax::{FileId, ParseOptions, parse, parse_expression};

/// Functions `f : [n]R -> R`; `k` are integers below `n`.
const FUNCTIONS: [&str; 24] = [
    "sum(sin(y) * exp(-y) | y in x)",
    "max(x) + min(x) * 2",
    "x[argmax(x)] * x[argmin(x)]",
    "sum((if y > 0 then log(1 + y) else y * tanh(y)) | y in x)",
    "sum((if x[i] > 0.2 then (if x[i] > 0.6 then x[k[i]] else cos(x[i])) else x[n - 1 - i]) | i < n)",
    "sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)",
    "sum(x[i] * x[i + 1] * x[i + 2] | i < n - 2)",
    "sum(x[k[i]] * x[i] | i < n)",
    "sum(gather(x, k) * x)",
    "sum(scatter_add(n, k, x) ^ 2)",
    "sum(sum(x[i] * y | y in x) ^ 2 | i < n)",
    "sum(prod(x[i] + j | j < 3) | i < n)",
    "sum(max([x[i] * j | j < 4]) | i < n)",
    "sum([x[i] * j | i < n, j < 5][m][2] * x[m] | m < n)",
    "sum(dot([[y, 1.0], [2.0, y]], [y, 3.0])[1] | y in x)",
    "sum(dot(dot([[y, 1.0], [2.0, y]], [[1.0, y], [y, 2.0]]), [1.0, y])[0] | y in x)",
    "sum((loop s = y for i < 5 do 0.5 * sin(s) + y) | y in x)",
    "sum((loop s = [y, 1.0] for i < 3 do [s[1], s[0] * y])[0] | y in x)",
    "sum(real(mod(k[i] * 3 + i, 5)) * x[i] | i < n)",
    "sum(real(trunc(3 * y)) * y | y in x)",
    "if all(y < 2 | y in x) and any(y > 0 | y in x) then sum(x) else 0.0",
    "sum(real(i * i) * x[i] | i < n) + prod(1 + 0.1 * y | y in x)",
    "sum((let row = [y * j | j < 4] in update(row, 2, y)[2] + sum(reverse(row)[j] * j | j < 4)) | y in x)",
    "sum(sum(x[j] * x[i] | j < 6) * (if i < 7 then 1.0 else 2.0) | i < n)",
];

#[test]
fn loops_in_lanes_give_what_the_interpreter_gives() {
    let compiler = Compiler::find().expect("tests need a Rust compiler");
    let mut lowered = riesz_program::Program::default();
    let (mut signatures, mut expected) = (Vec::new(), Vec::new());
    for body in FUNCTIONS {
        for n in [8, 19, 3] {
            let program = format!(
                "let x = [sin(1.0 + 2.3 * i) | i < {n}]\n\
                 let k = [mod(i * 7 + 2, {n}) | i < {n}]\n\
                 fun g(x: [n]R, k: [n]Int): R = {body}\n"
            );
            let (core, functions) = compiled(&program, &["g(x, k)", "grad(g(_, k), x)"]);
            let (made, entries) = riesz_program::lower(&core, &functions);
            let mut found = Vec::new();
            for (id, entry) in functions.iter().zip(entries) {
                let entry = entry.unwrap_or_else(|problem| panic!("{body}: {}", problem.reason));
                let mut machine = Machine::<f64>::new(&core, Limits::default(), |_| None);
                let value = machine.run(*id).map_err(|fault| fault.code);
                found.push(Signature::of(&core, *id, entry));
                expected.push((format!("{body}, n = {n}"), value, machine.globals().to_vec()));
            }
            let moved = lowered.append(made);
            signatures.extend(found.into_iter().map(|mut signature| {
                signature.procedure.0 += moved;
                Ok(signature)
            }));
        }
    }
    let settings = Settings { checked: true, quick: true, ..Settings::default() };
    let code = Code::build(lowered, signatures, &compiler, settings, &|_| "a test".into());
    let code = code.unwrap_or_else(|problem| panic!("{problem}"));
    for (function, (name, expected, globals)) in code.functions().iter().zip(&expected) {
        let function = function.as_ref().expect("all of them were lowered");
        let found = code.call(function, &[], &mut |id| globals[id.0 as usize].clone(), &Limits::default());
        match (expected, &found) {
            (Ok(expected), Ok(found)) => {
                let distance = expected.distance(found);
                assert!(distance < 1e-12, "{name}: {distance} apart, {found:?} and not {expected:?}");
            }
            // What goes wrong in lanes is left to the interpreter.
            (Err(_), Err(Stop::Elsewhere)) => {}
            (Err(expected), Err(Stop::Wrong(found))) => assert_eq!(*expected, found.code, "{name}"),
            _ => panic!("{name}: {found:?}, not {expected:?}"),
        }
    }
    println!("{} values and gradients", expected.len());
}

/// The core of expressions in the scope of a program, ready to become code.
fn compiled(program: &str, expressions: &[&str]) -> (riesz_core::Program, Vec<FunctionId>) {
    let (tree, problems) = parse(FileId(1), program, &ParseOptions::default());
    assert!(problems.is_empty(), "{program}: {problems:?}");
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    assert!(problems.is_empty(), "{program}: {problems:?}");
    let mut functions = Vec::new();
    for (at, expression) in expressions.iter().enumerate() {
        let (tree, found, problems) = parse_expression(FileId(2 + at as u32), expression, &ParseOptions::default());
        assert!(problems.is_empty(), "{expression}: {problems:?}");
        let thunk = checker.expression(tree, found.expect("it parses"), Vec::new());
        functions.push(thunk.unwrap_or_else(|problems| panic!("{program}: {problems:?}")).function);
    }
    let mut core = checker.program;
    riesz_calculus::compile_for_code(&mut core, &functions).expect("it can be differentiated");
    (core, functions)
}
