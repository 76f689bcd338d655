//! Long programs and long loops: combinators are linear in the program, and nothing overflows the stack.

use riesz_category::compile::compile;
use riesz_category::count::counted;
use riesz_category::via::{Prepared, Via};
use riesz_core::evaluate::{Limits, Value};
use riesz_test::program::{checked as check, named};

/// A program of `n` bindings, each of which uses those before it: the last, one far away, and a parameter.
fn long(n: usize) -> String {
    let mut text = String::from("fun f(x: R, y: R): R =\n  let v0 = x * y\n");
    for at in 1..n {
        let far = (at * 7919) % at;
        let body = match at % 4 {
            0 => format!("sin(v{}) + v{far} * x", at - 1),
            1 => format!("v{} * cos(y)", at - 1),
            2 => format!("0.5 * (v{} + v{far})", at - 1),
            _ => format!("v{} - 0.1 * v{far}", at - 1),
        };
        text += &format!("  let v{at} = {body}\n");
    }
    text + &format!("  v{}", n - 1)
}

#[test]
fn the_size_of_a_combinator_is_linear_in_the_program() {
    let size = |n: usize| {
        let checker = check(&long(n));
        compile(&checker.program, named(&checker, "f")).unwrap().size()
    };
    let sizes: Vec<usize> = [10, 100, 1_000, 10_000].into_iter().map(size).collect();
    let book = include_str!("../../../../docs/book/src/categories.md");
    for (at, size) in sizes.iter().enumerate() {
        let row = format!("| {} | {size} |", 10usize.pow(at as u32 + 1));
        assert!(book.contains(&row), "the table of the book has no row {row}");
    }
    let per_binding = |at: usize| sizes[at] as f64 / 10f64.powi(at as i32 + 1);
    assert!(per_binding(3) <= 1.1 * per_binding(2), "{sizes:?}");
    assert!(per_binding(3) <= 2.0 * per_binding(0), "{sizes:?}");
}

/// What the gradient of a straight program takes, making the derivative included, is linear in the program: environments
/// are handed on whole, and a variable costs what the way to it costs.
#[test]
fn what_a_gradient_takes_is_linear_in_the_program() {
    let sizes = [10, 100, 1_000, 10_000];
    let prepared: Vec<Prepared> = sizes
        .iter()
        .map(|n| {
            let checker = check(&long(*n));
            Prepared::new(&checker.program, named(&checker, "f"), Limits::default(), |_| None).unwrap()
        })
        .collect();
    for via in [Via::Affine, Via::Adjoint, Via::Function, Via::Cont, Via::Dual, Via::Begin] {
        let mut row = format!("{:<9}", via.name());
        let mut costs = Vec::new();
        for (n, prepared) in sizes.iter().zip(&prepared) {
            let start = std::time::Instant::now();
            let (gradient, count) = counted(|| {
                let found = prepared.derivative(vec![Value::Real(0.3), Value::Real(0.7)], via).unwrap();
                found.transpose_apply(&[1.0])
            });
            assert!(gradient.iter().all(|x| x.is_finite()));
            let operations = (count.additions + count.multiplications) as f64 / *n as f64;
            costs.push((operations, count.bytes as f64 / *n as f64));
            row += &format!("  {operations:5.1} {:7.0} {:8.1?}", count.bytes / *n as u64, start.elapsed());
        }
        println!("{row}");
        let (hundred, most) = (costs[1], costs[3]);
        assert!(most.0 <= 1.5 * hundred.0 && most.1 <= 2.0 * hundred.1, "{}: {costs:?}", via.name());
    }
}

#[test]
fn a_hundred_thousand_bindings() {
    let checker = check(&long(100_000));
    let prepared = Prepared::new(&checker.program, named(&checker, "f"), Limits::default(), |_| None).unwrap();
    let point = || vec![Value::Real(0.3), Value::Real(0.7)];
    let mut gradients = Vec::new();
    for via in [Via::Function, Via::Dual, Via::Cont, Via::Begin] {
        let found = prepared.derivative(point(), via).unwrap();
        gradients.push(found.transpose_apply(&[1.0]));
    }
    for gradient in &gradients {
        assert!(gradient.iter().zip(&gradients[0]).all(|(a, b)| (a - b).abs() < 1e-9), "{gradients:?}");
    }
}

#[test]
fn a_loop_of_a_hundred_thousand_iterations() {
    let text = "fun f(x: R, k: R): R = loop s = x for i < 100000 do s - 0.00001 * k * sin(s)\n\
                fun g(x: R): R = sum(sin(x * i) / (i + 1) | i < 100000)";
    let checker = check(text);
    for (name, point) in [("f", vec![0.5, 1.0]), ("g", vec![0.25])] {
        let prepared = Prepared::new(&checker.program, named(&checker, name), Limits::default(), |_| None).unwrap();
        let mut gradients = Vec::new();
        for via in [Via::Affine, Via::Adjoint, Via::Function, Via::Matrix, Via::Cont, Via::Dual, Via::Begin] {
            let found = prepared.derivative(point.iter().map(|x| Value::Real(*x)).collect(), via).unwrap();
            gradients.push(found.transpose_apply(&[1.0]));
        }
        for gradient in &gradients {
            assert!(gradient.iter().zip(&gradients[0]).all(|(a, b)| (a - b).abs() < 1e-9), "{name}: {gradients:?}");
        }
    }
}

#[test]
fn deep_recursion_makes_room() {
    let text = "fun f(x: R, n: Int): R = if n == 0 then x else sin(f(x, n - 1)) + x";
    let checker = check(text);
    let prepared = Prepared::new(&checker.program, named(&checker, "f"), Limits::default(), |_| None).unwrap();
    for via in [Via::Adjoint, Via::Function, Via::Dual, Via::Cont] {
        let found = prepared.derivative(vec![Value::Real(0.5), Value::Int(20_000)], via).unwrap();
        assert!(found.transpose_apply(&[1.0])[0].is_finite());
    }
}

/// Reverse mode costs a small multiple of the program, however many inputs there are.   [004 §12]
#[test]
fn reverse_mode_is_cheap() {
    let text = "fun f(a: [n]R, b: [n]R): R = sum(a[i] * b[i] | i < n) + max(a)";
    let checker = check(text);
    let prepared = Prepared::new(&checker.program, named(&checker, "f"), Limits::default(), |_| None).unwrap();
    for via in [Via::Adjoint, Via::Cont, Via::Dual] {
        let n = 400;
        let numbers = |k: f64| Value::reals((0..n).map(|i| (i as f64 * k).sin()).collect());
        let found = prepared.derivative(vec![Value::Int(n), numbers(0.3), numbers(0.7)], via).unwrap();
        let (_, count) = found.transpose_apply_counted(&[1.0]);
        assert!(count.multiplications + count.additions <= 8 * n as u64, "{}: {count:?}", via.name());
    }
}
