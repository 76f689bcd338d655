//! The cost of a call: the time of a native function that computes nothing, with borrowed numbers in and out.

use riesz::{Argument, Compiled, Options, Program, Toolchain};
use riesz_bench::{print_table, time};

/// What is called, and how many elements its array has.
const CALLS: [(&str, &str, usize); 5] = [
    ("an `R` that is given back", "fun f(x: R): R = x", 0),
    ("the product of two", "fun f(x: R, y: R): R = x * y", 0),
    ("an element of an array of 1000", "fun f(v: [n]R): R = v[0]", 1000),
    ("an array of 2, doubled", "fun f(v: [n]R): [n]R = 2 * v", 2),
    ("the gradient of Rosenbrock's function, n = 2", ROSENBROCK, 2),
];

const ROSENBROCK: &str = "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)";

fn main() {
    let options = Options { native: Some(Toolchain::find(1).expect("a Rust compiler")), ..Options::default() };
    let mut rows = Vec::new();
    for (name, text, elements) in CALLS {
        let program = Program::new("call.rz", text).expect("the program is right");
        let function = program.function("f").expect("it is there");
        let function = if text == ROSENBROCK { function.grad() } else { function };
        let compiled = function.compile(&options).expect("it compiles");
        assert!(compiled.is_native(), "{name}");
        rows.push(vec![name.to_string(), format!("{:.3}", 1e6 * microseconds(&compiled, elements))]);
    }
    print_table(&["call", "µs"], &rows);
}

fn microseconds(compiled: &Compiled, elements: usize) -> f64 {
    let vector = vec![1.5; elements];
    let is_array = |leaf: &riesz::Leaf| leaf.rank == 1;
    let arguments: Vec<Argument> =
        (compiled.parameters().iter()).map(|leaf| if is_array(leaf) { (&vector).into() } else { 2.5.into() }).collect();
    let (mut number, mut array) = (0.0, vec![0.0; elements]);
    let gives_array = compiled.results().iter().any(is_array);
    let took = time(|| {
        let output = if gives_array { (&mut array).into() } else { (&mut number).into() };
        compiled.call(&arguments, &mut [output]).expect("it runs");
    });
    took.as_secs_f64()
}
