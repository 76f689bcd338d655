//! Derivatives with checkpoints equal those without, and need less memory.

use riesz_test::generate;

use riesz_calculus::{Checkpoints, Options, compile_with};
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_core::verify::verify;
use riesz_core::{FunctionId, Program};
use riesz_test::program::{Case, check, codes};

const PROGRAM: &str = r"
fun steps(x: R, n: Int): R = loop s = x for i < n do 1.1 * sin(s) + 0.1 + 0.01 * i
fun turned(v: [k]R, n: Int): R = sum(loop s = v for i < n do sin(1.5 * s) + 0.1 * reverse(s))
fun until(x: R, n: Int): R = (loop (s, k) = (x, 0) while k < n do (1.01 * sin(s) + 0.001 * x, k + 1)).0
fun nested(x: R): R = loop s = x for i < 7 do loop t = s + 0.01 for j < i + 3 do sin(t * 1.2) + s * 0.1
fun fills(x: R): R = sum(loop v = [x, 0, 0, 0, 0, 0] for i < 5 do update(v, i + 1, sum(v) * sin(v[i])))
fun powers(x: R): R = prod(tanh(x) | i < 4)
";

fn run(expression: &str, checkpoints: Checkpoints, memory: usize) -> Result<Vec<f64>, String> {
    let case = Case::new(check(PROGRAM)?, expression)?;
    let mut program = case.checker.program.clone();
    compile(&mut program, case.function, checkpoints)?;
    let limits = Limits { memory, ..Limits::default() };
    let value = Machine::<f64>::new(&program, limits, |_| None).run(case.function);
    value.map(|value| numbers(&value)).map_err(|fault| fault.code.to_string())
}

fn compile(program: &mut Program, function: FunctionId, checkpoints: Checkpoints) -> Result<(), String> {
    let how = Options { checkpoints, ..Options::default() };
    compile_with(program, &[function], &how).map_err(|problems| codes(&problems))?;
    verify(program).map_err(|problem| format!("{problem:?}"))
}

fn numbers(value: &Value<f64>) -> Vec<f64> {
    let mut numbers = Vec::new();
    value.visit_reals(&mut |number| numbers.push(*number));
    numbers
}

#[test]
fn checkpoints_change_nothing() {
    let expressions = [
        "grad(steps(_, 100), 0.3)",
        "grad(steps(_, 0), 0.3)",
        "grad(steps(_, 1), 0.3)",
        "grad(steps(_, -3), 0.3)",
        "grad(turned(_, 20), [0.3, 0.2, 0.5])",
        "grad(until(_, 2500), 0.7)",
        "grad(until(_, 1024), 0.7)",
        "grad(until(_, 0), 0.7)",
        "grad(nested, 0.3)",
        "grad(fills, 1.3)",
        "jvp(nested, 0.3, 1.0)",
        "hessian(turned(_, 9), [0.3, 0.2, 0.5])",
        "hessian(fills, 1.3)",
        "grad(\\x -> grad(nested, x), 0.3)",
        "grad(\\x -> grad(until(_, 1100), x), 0.3)",
        "grad(\\x -> grad(powers, x), 0.4)",
        "grad(\\y -> grad(\\x -> grad(powers, x), y), 0.4)",
    ];
    for expression in expressions {
        let all = run(expression, Checkpoints::Everything, usize::MAX).unwrap();
        assert!(!all.is_empty());
        for states in [1, 2, 3, 10, 1000] {
            let some = run(expression, Checkpoints::States(states), usize::MAX).unwrap();
            assert!(agree(&all, &some), "{expression} with {states} states: {all:?} and {some:?}");
        }
        let roots = run(expression, Checkpoints::Roots, usize::MAX).unwrap();
        assert!(agree(&all, &roots), "{expression} with roots: {all:?} and {roots:?}");
    }
}

#[test]
fn checkpoints_change_nothing_of_random_programs() {
    let mut compared = 0;
    for seed in 0..250 {
        let program = generate::program(seed, 3 + seed as usize % 20);
        let arguments = program.arguments(seed);
        let (x, y, dx) = (program.domain.concrete(), program.codomain.tangent(), program.domain.tangent());
        let text = program.text()
            + &format!("fun first(x: {x}, w: {y}) = vjp(f, x, w).1\n")
            + &format!("fun second(x: {x}, w: {y}, u: {dx}) = vjp(\\z -> vjp(f, z, w).1, x, u).1\n");
        let Ok(checker) = check(&text) else { continue };
        for (name, count) in [("first", 2), ("second", 3)] {
            let function = checker.function_named(name).unwrap();
            let of = |checkpoints| {
                let mut program = checker.program.clone();
                compile(&mut program, function, checkpoints)?;
                let mut machine =
                    Machine::<f64>::new(&program, Limits { steps: 200_000, ..Limits::default() }, |_| None);
                let value = machine.call_with(function, arguments[..count].to_vec());
                value.map(|value| numbers(&value)).map_err(|fault| fault.code.to_string())
            };
            let Ok(all) = of(Checkpoints::Everything) else { continue };
            for checkpoints in [Checkpoints::States(2), Checkpoints::Roots] {
                let some = of(checkpoints);
                assert!(some.as_ref().is_ok_and(|some| agree(&all, some)), "{seed}, {name}: {all:?}, {some:?}\n{text}");
            }
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

fn agree(a: &[f64], b: &[f64]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0) || a.is_nan() && b.is_nan() || a == b;
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(*a, *b))
}

#[test]
fn checkpoints_save_memory() {
    for expression in ["grad(steps(_, 40000), 0.3)", "grad(until(_, 40000), 0.3)"] {
        let memory = 100_000;
        assert_eq!(run(expression, Checkpoints::Everything, memory), Err("memory-limit".into()));
        run(expression, Checkpoints::Roots, memory).unwrap();
    }
}
