//! The optimiser changes only the cost: values stay the same to the last bit, errors stay, and the verifier accepts the
//! result of every pass. Derivatives of optimised programs are the same up to rounding.

use riesz_test::generate;

use generate::random::Random;
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_core::print::print;
use riesz_core::verify::{verify, verify_function};
use riesz_core::{Checker, FunctionId, Program};
use riesz_test::program::{Case, check, check_file, codes, programs, run};

/// Optimises a program; whether it still does the same.
fn compare(checker: &Checker, function: FunctionId) -> Result<(), String> {
    compare_by(checker, function, &|program| run::<f64>(checker, program, function))
}

/// The same by what `run` makes of it.
fn compare_by(
    checker: &Checker,
    function: FunctionId,
    run: &dyn Fn(&Program) -> Result<Value<f64>, String>,
) -> Result<(), String> {
    let Ok(program) = compiled(checker, function, false) else { return Ok(()) };
    let mut optimised = program.clone();
    let mut problem = None;
    riesz_optimise::optimise_watched(&mut optimised, &[function], &mut |pass, id, program| {
        if problem.is_none() {
            let found = verify_function(program, program.function(id)).err();
            problem = found.map(|found| format!("after {pass}: {found}"));
        }
    });
    if let Some(problem) = problem {
        return Err(problem);
    }
    verify(&optimised)?;
    // The matrices of tests are too small for one product to pay.
    let mut batched = optimised.clone();
    batched.functions.iter_mut().for_each(|function| riesz_optimise::batch_from(function, 0));
    verify(&batched).map_err(|problem| format!("with one product: {problem}"))?;
    let before = run(&program);
    for (made, title) in [(&optimised, ""), (&batched, "with one product:\n")] {
        let text = print(made, made.function(function));
        // One right-hand side is rounded otherwise than several.
        let several = text.contains("= solve(") && text.contains("= transpose(");
        agree(&before, &run(made), several).map_err(|problem| format!("{title}{problem}\n{text}"))?;
    }
    Ok(())
}

/// Whether two runs give the same value, up to rounding perhaps, or the same error.
fn agree(
    before: &Result<Value<f64>, String>,
    after: &Result<Value<f64>, String>,
    rounding: bool,
) -> Result<(), String> {
    let same = match (before, after) {
        (Ok(before), Ok(after)) => same(before, after) || rounding && close(before, after),
        (before, after) => before.as_ref().err() == after.as_ref().err(),
    };
    if same { Ok(()) } else { Err(format!("before {before:?}\nafter  {after:?}")) }
}

/// Whether a function of derivatives gives the same, up to rounding, if all is optimised and if nothing is.
fn compare_derivatives(
    checker: &Checker,
    function: FunctionId,
    run: &dyn Fn(&Program) -> Result<Value<f64>, String>,
) -> Result<(), String> {
    let Ok(plain) = compiled(checker, function, false) else { return Ok(()) };
    let all = compiled(checker, function, true)?;
    verify(&all)?;
    let (before, after) = (run(&plain), run(&all));
    let close = match (&before, &after) {
        (Ok(before), Ok(after)) => close(before, after),
        // What nobody uses is not computed, and cannot fail.
        (Err(_), Ok(_)) => true,
        (before, after) => before.as_ref().err() == after.as_ref().err(),
    };
    if close { Ok(()) } else { Err(format!("plain     {before:?}\noptimised {after:?}")) }
}

fn compiled(checker: &Checker, function: FunctionId, optimise: bool) -> Result<Program, String> {
    let mut program = checker.program.clone();
    let options = riesz_calculus::Options { optimise, ..Default::default() };
    riesz_calculus::compile_with(&mut program, &[function], &options).map_err(|problems| codes(&problems))?;
    Ok(program)
}

/// Whether two values are the same up to a part of the largest number in them.
fn close(a: &Value<f64>, b: &Value<f64>) -> bool {
    let numbers = |value: &Value<f64>| {
        let mut found = Vec::new();
        value.visit_reals(&mut |number| found.push(*number));
        found
    };
    let (a, b) = (numbers(a), numbers(b));
    let finite = a.iter().chain(&b).filter(|x| x.is_finite());
    let scale = finite.fold(1.0, |largest: f64, x| largest.max(x.abs()));
    let near = |a: &f64, b: &f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * scale;
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| near(a, b))
}

/// Whether two values are the same to the last bit, except that one NaN is as good as another.
fn same(a: &Value<f64>, b: &Value<f64>) -> bool {
    match (a, b) {
        (Value::Real(a), Value::Real(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
        (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b)),
        (Value::Reals(_), Value::Reals(_)) | (Value::Values(_), Value::Values(_)) => {
            a.len() == b.len() && a.elements().zip(b.elements()).all(|(a, b)| same(&a, &b))
        }
        // Functions have no equality.
        (Value::Closure(_), Value::Closure(_)) | (Value::Map(_), Value::Map(_)) => true,
        (a, b) => a.same(b),
    }
}

/// The expressions of a file of cases, each with the program it stands in.
fn expressions(cases: &str) -> Vec<(String, String)> {
    let mut program = String::new();
    let mut found = Vec::new();
    for line in cases.lines() {
        if let Some(text) = line.strip_prefix("> ") {
            program += text;
            program.push('\n');
        } else if let Some((expression, _)) = line.split_once(" ==> ") {
            found.push((program.clone(), expression.trim().to_string()));
        } else if line.is_empty() {
            program.clear();
        }
    }
    found
}

fn report(failed: Vec<String>, count: usize) {
    assert!(count > 0);
    assert!(failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), failed.join("\n\n"));
    println!("{count} compared");
}

#[test]
fn expressions_keep_their_values() {
    let cases = [include_str!("../derivatives.txt"), include_str!("../../../riesz-core/tests/language.txt")].concat();
    let (mut failed, mut count) = (Vec::new(), 0);
    for (program, expression) in expressions(&cases) {
        let Ok(case) = check(&program).and_then(|checker| Case::new(checker, &expression)) else { continue };
        count += 1;
        if let Err(problem) = compare(&case.checker, case.function) {
            failed.push(format!("{expression}\n{problem}"));
        }
    }
    report(failed, count);
}

/// Loops with products, in each of the ways in which a loop can have them.
#[test]
fn products_keep_their_values() {
    let program = "
        let a = [[sin(i + 2 * j) | j < 3] | i < 4]
        let b = [[if i == 1 then 0.0 else cos(i * j) | j < 4] | i < 3]
        let xs = [[real(i) - j | j < 3] | i < 5]
        let e = [1, 0, 2, 4, 1]
        let m = [[if i == j then 3.0 else sin(i + 2 * j) | j < 3] | i < 3]
        fun layer(x: [3]R): [3]R = tanh(dot(b, dot(a, x)))
        fun net(a: [4][3]R, b: [3][4]R, x: [3]R): R = sum(exp(dot(b, tanh(dot(a, x)))))
        fun steps(a: [4][3]R, b: [3][4]R, xs: [5][3]R): R =
          sum(loop y = replicate(4, 1.0) for k < 5 do tanh(dot(a, xs[k]) + dot(a, dot(b, y))))
        fun slope(a: [4][3]R, b: [3][4]R, t: R): R = D(\\t -> D(\\t -> net(a, b, [t, t * t, 1.0]), t)(1.0), t)(1.0)
        fun huge(x: [3]R): [3]R = [1e308 * t * 10.0 | t in x]
    ";
    let expressions = [
        "[layer(x) | x in xs]",
        "[dot(x, b) | x in xs]",
        "sum(net(a, b, x) | x in xs)",
        "[[dot(x, tanh(y)) | y in xs] | x in xs]",
        "[[dot(xs[j], r) - xs[j][0] | j < 5] | r in a]",
        "grad(\\p -> sum(sum(exp(dot(x, tanh(y))) | y in p) | x in p), xs)",
        "[dot(a, xs[k]) | k in e]",
        "[dot(a, huge(x)) | x in xs]",
        "[[if j <= i then dot(xs[i], xs[j]) else -1.0 | j < 5] | i < 5]",
        "[[if i < j then 0.0 else exp(dot(xs[j], xs[i])) * dot(xs[i], r) | j < 5, r in a] | i < 5]",
        "[[if 0 < i and j <= i then sum(dot(a, xs[j])) else xs[j][0] | j < 5] | i < 5]",
        "[if i < 4 then dot(a, xs[i + 1]) else dot(a, xs[0]) | i < 5]",
        "[if i != 2 then dot(a, huge(xs[i])) else dot(a, xs[i]) | i < 5]",
        "grad(\\p -> sum(sum(if j < i then tanh(dot(x, p[j])) else p[j][0] | j < 5) | (x, i) in zip(p, iota(5))), xs)",
        "grad(\\p -> sum(sum(if j <= i then tanh(dot(p[i], p[j])) else p[j][0] | j < 5) | i < 5), xs)",
        "[solve(m, x) | x in xs]",
        "[solve(m, dot(m, x) + x[0]) + x | x in xs]",
        "scan(\\s x -> solve(m, s + x), xs[0], xs)",
        "[solve(0 * m, x) | x in xs]",
        "grad(\\(p, q) -> sum(sum(solve(p, tanh(x))^2) | x in q), (m, xs))",
        "[if x[0] > 1.0 then dot(a, x) else dot(a, layer(x)) | x in xs]",
        "[{ let y = dot(a, x); (y, max(y), dot(b, y + sum(y))) } | x in xs]",
        "[dot(a, xs[k + 1]) | k < 5]",
        "[{ let y = xs[k]; let z = dot(a, y); z[k] } | k < 5]",
        "scan(\\s x -> dot(b, dot(a, x)) + s, [0.0, 0.0, 0.0], xs)",
        "steps(a, b, xs)",
        "grad(\\(p, q) -> sum(net(p, q, x) | x in xs), (a, b))",
        "grad(\\(p, q, x) -> steps(p, q, x), (a, b, xs))",
        "grad(\\(p, q) -> sum(slope(p, q, x[0])^2 | x in xs), (a, b))",
        "hvp(\\p -> sum(net(p, b, x) | x in xs), a, a)",
        "D(\\p -> [dot(p, layer(x)) | x in xs], a)(a)",
        "matrix(D(\\x -> layer(x), xs[1]))",
        "coo(D(\\xs -> [dot(a, x) | x in xs], xs))",
    ];
    let mut failed = Vec::new();
    for expression in expressions {
        let case = check(program).and_then(|checker| Case::new(checker, expression));
        let case = case.unwrap_or_else(|problem| panic!("{expression}: {problem}"));
        if let Err(problem) = compare(&case.checker, case.function) {
            failed.push(format!("{expression}\n{problem}"));
        }
    }
    report(failed, expressions.len());
}

#[test]
fn checks_keep_their_values() {
    let (mut failed, mut count) = (Vec::new(), 0);
    for file in programs("examples").into_iter().chain(programs("gradbench")) {
        let checker = check_file(&file).unwrap_or_else(|problem| panic!("{file}: {problem}"));
        for check in checker.checks.iter().filter(|check| check.span.file.0 != 0) {
            count += 1;
            if let Err(problem) = compare(&checker, check.function) {
                failed.push(format!("{file} {:?}\n{problem}", check.span));
            }
        }
    }
    report(failed, count);
}

#[test]
fn gradients_keep_their_values() {
    let (mut failed, mut count) = (Vec::new(), 0);
    let mut file = "";
    for line in include_str!("../cost.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((function, point)) = line.split_once(" @ ") else {
            file = line;
            continue;
        };
        count += 1;
        let case = check_file(file).and_then(|checker| Case::new(checker, &format!("vjp({function}, {point}, 1.5)")));
        let compared = case.and_then(|case| {
            compare(&case.checker, case.function)?;
            compare_derivatives(&case.checker, case.function, &|program| case.run::<f64>(program))
        });
        if let Err(problem) = compared {
            failed.push(format!("{file} {function}\n{problem}"));
        }
    }
    report(failed, count);
}

/// How many random programs are tried.
const PROGRAMS: u64 = 200;

#[test]
fn random_programs_keep_their_values() {
    let (mut failed, mut count) = (Vec::new(), 0);
    for seed in 0..PROGRAMS {
        let random = generate::program(seed, 3 + (seed.wrapping_mul(7919) % 25) as usize);
        let (domain, tangent) = (random.domain.concrete(), random.codomain.tangent());
        let text = format!(
            "{}fun f_value(x: {domain}) = f(x)\nfun f_reverse(x: {domain}, w: {tangent}) = vjp(f, x, w)\n",
            random.text()
        );
        let Ok(checker) = check(&text) else { continue };
        count += 1;
        let mut numbers = Random::new(seed);
        let x = random.domain.value(&mut || numbers.between(-1.5, 1.5), 2);
        let w = random.codomain.tangent_value(&mut || numbers.between(-1.0, 1.0));
        for (name, arguments) in [("f_value", vec![x.clone()]), ("f_reverse", vec![x, w])] {
            let Some(function) = checker.function_named(name) else { continue };
            let run = |program: &Program| {
                let limits = Limits { steps: 2_000_000, depth: 1000, memory: 64 << 20, interrupt: None };
                let mut machine = Machine::<f64>::new(program, limits, |_| None);
                machine.call_with(function, arguments.clone()).map_err(|fault| codes(&[*fault]))
            };
            let compared =
                compare_by(&checker, function, &run).and_then(|()| compare_derivatives(&checker, function, &run));
            if let Err(problem) = compared {
                failed.push(format!("program {seed}, {name}\n{text}{problem}"));
            }
        }
    }
    report(failed, count);
}
