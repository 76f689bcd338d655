//! Every reduction of every type of element, for any number of elements and any dependence
//! on the index.
//!
//! Each function occurs with a length that is known at run time, and with a constant length: loops of known length are
//! divided, unrolled and vectorised differently.

use super::Cases;
use riesz_core::evaluate::Value;

/// Around the turns that are taken together, eight or thirty-two, and around the fewest that a loop is divided from.
const LENGTHS: [i64; 8] = [0, 1, 7, 8, 31, 32, 33, 100];

/// Elements at `i` of one type, those that stand elsewhere, and reductions of them: `$` are the elements, `N` the length.
const ELEMENTS: [(&str, &str, &[&str]); 12] = [
    ("sin(real(7 * i + 3))", "0.25", REALS),
    ("v[i]", "v[N - 1 - i]", REALS),
    ("mod(i * 7 + 3, 11) - 5", "7", INTEGERS),
    ("k[i]", "0 - i", INTEGERS),
    ("1 - 2 * mod(i, 2)", "1", SIGNS),
    // Sums and products of many of these are none of 64 bits.
    ("1152921504606846976 * (mod(i, 12) - 2)", "1", &["sum($ | i < N)", "prod($ | i < N)", "max($ | i < N)"]),
    ("mod(i * 7 + 3, 11) < 9", "true", TRUTHS),
    ("k[i] > 90", "i > 97", TRUTHS),
    ("(v[i], k[i])", "(1.5, 0 - i)", PAIRS),
    ("(i, {a = 3 - i, b = v[i]})", "(1, {a = 2, b = 0.5})", &["sum($ | i < N)"]),
    ("[v[i], real(i), 1.0]", "[0.5, v[i], v[0]]", &["sum($ | i < N)", "prod(sin($) | i < N)"]),
    ("[i, k[i]]", "[1, 2]", &["sum($ | i < N)", "sum(max($) | i < N)", "max(sum($) | i < N)"]),
];

const REALS: &[&str] = &[
    "sum($ | i < N)",
    "prod(1.0 + 0.01 * $ | i < N)",
    "max($ | i < N)",
    "min($ | i < N)",
    "argmax([$ | i < N])",
    "argmin([$ | i < N])",
    "fold(\\a b -> 0.5 * a + b, 1.0, [$ | i < N])",
    "scan(\\a b -> 0.5 * a + b, 1.0, [$ | i < N])",
    "(sum($ | i < N), max($ | i < N))",
    "sum(if $ > 0.1 then 1 else 0 | i < N)",
    "(let w = [$ | i < N] in sum(if argmax(w) > i then w[i] else 0.0 | i < N))",
];

const INTEGERS: &[&str] = &[
    "sum($ | i < N)",
    "max($ | i < N)",
    "min($ | i < N)",
    "argmax([$ | i < N])",
    "argmin([$ | i < N])",
    "fold(\\a b -> max(a, b) - 1, 0, [$ | i < N])",
    "scan(\\a b -> a + b, 0, [$ | i < N])",
    "(sum($ | i < N), min($ | i < N), sum(v))",
    "sum($ * sum(if j > i then 1 else j | j < 9) | i < N)",
    "sum(if $ > 0 then 1 else 0 | i < N)",
    "(let w = [$ | i < N] in sum(w[N - 1 - i] * w[i] | i < N) + size(w))",
];

const SIGNS: &[&str] =
    &["prod($ | i < N)", "fold(\\a b -> a * b, 1, [$ | i < N])", "scan(\\a b -> a * b, 1, [$ | i < N])"];

const TRUTHS: &[&str] = &[
    "all($ | i < N)",
    "any($ | i < N)",
    "fold(\\a b -> a and not b, true, [$ | i < N])",
    "scan(\\a b -> if a then not b else b, true, [$ | i < N])",
    "sum(if b then 1 else 0 | b in [$ | i < N])",
];

const PAIRS: &[&str] = &[
    "sum($ | i < N)",
    "fold(\\(a, m) (b, l) -> (a + b, max(m, l)), (0.0, 0), [$ | i < N])",
    "scan(\\(a, m) (b, l) -> (a + b, max(m, l)), (0.0, 0), [$ | i < N])",
    "sum(l | (b, l) in [$ | i < N])",
];

/// Where the elements stand; nothing stands for everywhere.
const CONDITIONS: [&str; 6] = ["", "i > 1", "i < N - 2", "i == 5", "i >= 3 and i != N - 1", "mod(i, 3) == 1"];

/// All of them.
pub fn cases() -> Cases {
    let (mut told, mut written) = (Vec::new(), Vec::new());
    for (at, (element, other, reductions)) in ELEMENTS.into_iter().enumerate() {
        for (which, condition) in CONDITIONS.into_iter().enumerate() {
            let element = match condition {
                "" => format!("({element})"),
                condition => format!("(if {condition} then {element} else {other})"),
            };
            for (turn, reduction) in reductions.iter().enumerate() {
                let body = reduction.replace('$', &element);
                told.push(format!("n: Int, v: [100]R, k: [100]Int) = {}", body.replace('N', "n")));
                let length = LENGTHS[(at + which + turn) % LENGTHS.len()];
                written.push(format!("v: [100]R, k: [100]Int) = {}", body.replace('N', &length.to_string())));
            }
        }
    }
    let v = Value::reals((0..100).map(|i| (1.3 * f64::from(i)).cos()).collect());
    let k = Value::ints((0..100).map(|i| (i * 37 + 11) % 97).collect());
    let with_length = LENGTHS.map(|n| vec![Value::Int(n), v.clone(), k.clone()]);
    let mut all = Cases::default();
    push(&mut all, &told, &with_length);
    push(&mut all, &written, &[vec![v, k]]);
    all
}

/// Adds functions, each with its parameters and its body, called with every list of arguments.
fn push(all: &mut Cases, functions: &[String], arguments: &[Vec<Value<f64>>]) {
    let names: Vec<String> = (0..functions.len()).map(|at| format!("f{at}")).collect();
    let program: String = names.iter().zip(functions).map(|(name, rest)| format!("fun {name}({rest}\n")).collect();
    all.push_calls(&program, &names, arguments);
}
