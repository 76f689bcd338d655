//! Linear maps come out of sums: `Σᵢ (A ∘ mᵢ) = A ∘ Σᵢ mᵢ`. The gradient of a mixture model, and that of a network with
//! respect to an offset of all its inputs, take fewer counted operations, and agree up to rounding.

use riesz_core::FunctionId;
use riesz_core::evaluate::{Globals, Limits, Machine};
use riesz_program::evaluate::{Number, Passed};
use riesz_program::program::{Block, Expression, Operand, Register, Statement};
use riesz_program::{Program, improve, lower_plainly};
use riesz_test::program::{Case, checked};
use std::collections::HashMap;

/// `Q` is a lower triangle: the cotangent of `x − μ` is `Qᵀ z̄`, and `Q` is the same for all points.
#[test]
fn a_triangle_comes_out_of_the_gradient_of_a_mixture() {
    let program = "
        fun q_times(q: [d]R, l: [t]R, v: [d]R): [d]R =
          [exp(q[i]) * v[i] + sum(l[div(i * (i - 1), 2) + j] * v[j] | j < i) | i < d]
        fun loss(means: [k][d]R, qs: [k][d]R, ls: [k][t]R, x: [n][d]R): R =
          sum(log(sum(exp(-0.5 * sum(z^2 | z in q_times(qs[c], ls[c], p - means[c]))) | c < k)) | p in x)
        let means = [0.1 * cos(real(i * 7 + j)) | i < 3, j < 10]
        let qs = [0.1 * sin(real(i * 3 + j * 5)) | i < 3, j < 10]
        let ls = [0.05 * cos(real(i * 11 + j * 13)) | i < 3, j < 45]
        let x = [0.3 * sin(real(i * i + 3 * j)) | i < 40, j < 10]";
    // Before: forwards, to the triangle, and to the means, each two operations for an entry. After: the first two.
    compare(program, "grad(\\m q l -> loss(m, q, l, x), (means, qs, ls))", 0.8);
}

/// The map is a matrix here, and is applied by `dot`. Larger matrices are multiplied once for all iterations.
#[test]
fn a_matrix_comes_out_of_the_gradient_of_a_network_in_a_shift_of_its_inputs() {
    let program = "
        fun loss(s: [n]R, w: [h][n]R, x: [b][n]R): R = sum(sum(tanh(dot(w, x[i] + s))) | i < b)
        let s = [0.1 * sin(real(i)) | i < 12]
        let w = [0.1 * cos(real(i * 5 + j * 11)) | i < 10, j < 12]
        let x = [0.5 + 0.5 * sin(real(i * i + 3 * j)) | i < 40, j < 12]";
    compare(program, "grad(\\s -> loss(s, w, x), s)", 0.6);
}

/// What is summed over comes out too: `Σᵢ (mᵢ ∘ A) = (Σᵢ mᵢ) ∘ A`.
#[test]
fn a_vector_comes_out_of_what_is_summed_over() {
    let program = "
        fun loss(a: [n]R, v: [n]R, x: [b]R): R = sum(sum(sin(y) * u * w | (u, w) in zip(a, v)) | y in x)
        let a = [0.1 * sin(real(i)) | i < 20]
        let v = [0.1 * cos(real(i)) | i < 20]
        let x = [0.5 + 0.01 * i | i < 40]";
    compare(program, "grad(\\a -> loss(a, v, x), a)", 0.2);
}

/// Both programs give the same, and the one with the law takes at most a part of the operations of the other.
fn compare(program: &str, expression: &str, part: f64) {
    let (core, function, globals) = compiled(program, expression);
    let (plain, entries) = lower_plainly(&core, &[function]);
    let entry = entries.into_iter().next().expect("one function").expect("it can be lowered");
    let mut improved = plain.clone();
    improve(&mut improved);
    riesz_program::verify::verify(&improved).expect("a loop program");
    let procedure = |program: &Program| operations(&program.procedure(entry.procedure).body, &mut HashMap::new());
    let (before, after) = (procedure(&plain), procedure(&improved));
    println!("{before} operations, and {after} with the law");
    assert!(after as f64 <= part * before as f64, "{after} operations of {before}");
    let results = [&plain, &improved].map(|program| {
        let mut passed = Vec::new();
        for id in &entry.globals {
            let value = globals.get(id).expect("every global has a value");
            passed.extend(riesz_program::pass::pass(value, &core.global(*id).ty));
        }
        riesz_program::evaluate::call(program, entry.procedure, &mut passed).expect("it runs")
    });
    let [before, after] = results.map(|result| numbers(&result));
    assert_eq!(before.len(), after.len());
    for (a, b) in before.iter().zip(&after) {
        assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{a} and {b}");
    }
}

/// How many operations on real numbers a block takes.
fn operations(block: &Block, indices: &mut HashMap<Register, i64>) -> i64 {
    let known = |operand: Operand, indices: &HashMap<Register, i64>| match operand {
        Operand::Int(count) => count,
        Operand::Register(register) => indices.get(&register).copied().unwrap_or(0),
        _ => 0,
    };
    let mut count = 0;
    for statement in block {
        count += match statement {
            Statement::Let(_, Expression::Real(..)) | Statement::Reduce(..) | Statement::Add(..) => 1,
            Statement::Product(product) => {
                2 * [product.rows, product.inner, product.columns]
                    .map(|size| known(size, indices))
                    .iter()
                    .product::<i64>()
            }
            Statement::For(each) => (0..known(each.count, indices))
                .map(|iteration| {
                    indices.insert(each.index, iteration);
                    operations(&each.body, indices)
                })
                .sum(),
            Statement::If(_, yes, no) => operations(yes, indices) + operations(no, indices),
            _ => 0,
        };
    }
    count
}

fn numbers(results: &[Passed]) -> Vec<f64> {
    let number = |number: &Number| match number {
        Number::Real(value) => Some(*value),
        _ => None,
    };
    let flat = results.iter().flat_map(|result| match result {
        Passed::Number(one) => vec![*one],
        Passed::Elements(elements) => elements.clone(),
    });
    flat.filter_map(|one| number(&one)).collect()
}

fn compiled(program: &str, expression: &str) -> (riesz_core::Program, FunctionId, Globals<f64>) {
    let case = Case::new(checked(program), expression).unwrap_or_else(|problem| panic!("{problem}"));
    let mut core = case.checker.program;
    riesz_calculus::compile_for_code(&mut core, &[case.function]).unwrap_or_else(|problems| panic!("{problems:?}"));
    let globals = {
        let mut machine = Machine::<f64>::new(&core, Limits::default(), |_| None);
        machine.run(case.function).unwrap_or_else(|problem| panic!("{problem:?}"));
        machine.globals().clone()
    };
    (core, case.function, globals)
}
