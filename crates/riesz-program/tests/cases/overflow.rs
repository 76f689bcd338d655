//! Integers and sizes that exceed 64 bits are errors exactly where they are errors in the interpreter: in one of several
//! iterations in lanes, in masked iterations, and in sizes that are never stored.

use super::Cases;
use riesz_call::{Code, Stop};

const PROGRAM: &str = "
    let large = 9223372036854775800
    let half = 4611686018427387904
    let long = 4294967296
    let x = [1.0, 2.0]
    fun zeros(n: Int): [_]R = [0.0 | i < n]";

/// Iterations of which some compute an integer that there is not; then iterations of which those do that are not taken; then sizes.
const EXPRESSIONS: &[&str] = &[
    "sum(real(large + i) | i < 8)",
    "sum(real(large + i) | i < 16)",
    "sum(real(large + i) | i < 7)",
    "sum(real(i * (half + 0)) | i < 8)",
    "sum(real(0 - large - i) | i < 9)",
    "sum(real(0 - large - i) | i < 40)",
    "sum(real((i * half) * half) | i < 8)",
    "sum(real((i * long) * long) | i < 32)",
    "sum(x[mod(i * half, 2)] | i < 16)",
    "sum(x[mod(i * half, 2)] | i < 2)",
    "sum(x[half * i] | i < 16)",
    "sum(sum(real(large + i) * x[j] | j < 2) | i < 40)",
    "sum(large + i | i < 8)",
    "max(large + i | i < 40)",
    "[large + i | i < 8]",
    "[large + i | i < 7]",
    "sum(if i > 0 then real(large + 8 * (1 - i)) else 0.0 | i < 8)",
    "sum(if i > 0 then real(large + 8 * (1 - i)) else 0.0 | i < 40)",
    "sum(if i < 7 then real(large + i) else 0.0 | i < 8)",
    "sum(if i < 7 then real(large + i) else 0.0 | i < 64)",
    "sum(if i < 1 then x[half * i] else 0.0 | i < 16)",
    "[if mod(i, 3) == 1 then large + i else i | i < 33]",
    "size(flatten([[0.0 | j < long] | i < long]))",
    "size(flatten([[0.0 | j < 4294967296] | i < 4294967296]))",
    "size(flatten([[0.0 | j < 4294967296] | i < 3]))",
    "size(concat([0.0 | i < half], [0.0 | i < half]))",
    "size([0.0 | i < half + half])",
    "size([0.0 | i < 0 - long])",
    "size(reverse(concat([0.0 | i < 0 - long], x)))",
    "size(zeros(0 - long))",
    "sum(size(zeros(i - 3)) | i < 40)",
    "size([[sin(real(i + j)) | j < long] | i < long]) - 4294967295",
    "sum(sum([[sin(real(i + j)) | j < long] | i < long]))",
    "(let v = [[sin(real(i + j)) | j < long] | i < long] in v[mod(trunc(sum(v[0])), 7)][2])",
    "(loop s = [[sin(real(i + j)) | j < long] | i < long] for k < 3 do transpose(s))[0][0]",
    "(if 5000000000 > 4294967297 then 5000000000 else 0) < 5000000001",
    "real(3000000000) + real(if size(x) > 1 then 5000000000 else 4)",
];

/// Arrays that are too long, but that nobody reads: their sizes are right.
const UNREAD: [(&str, i64); 2] = [
    ("size(flatten([[0.0 | j < 4294967296] | i < 3]))", 3 * 4294967296),
    ("size([[sin(real(i + j)) | j < long] | i < long]) - 4294967295", 1),
];

/// All of them: some are wrong, and some are not.
pub fn cases() -> Cases {
    let mut all = Cases::default();
    all.push("overflow", PROGRAM, EXPRESSIONS);
    let errors = all.cases.iter().filter(|case| case.expected.is_err()).count();
    assert!(errors > 15 && errors < all.cases.len() - 5, "{errors} errors of {}", all.cases.len());
    all
}

/// Makes sure that code gives what the interpreter gives; how many it leaves to the interpreter.
pub fn agree(all: &Cases, code: &Code) -> usize {
    let mut elsewhere = 0;
    for (case, found) in all.run(code) {
        match (&case.expected, &found) {
            // Nobody needs the array.
            (Err("memory-limit"), Ok(found)) => {
                let unread = UNREAD.iter().find(|(size, _)| case.name.ends_with(size));
                assert_eq!(Some(found.int()), unread.map(|(_, expected)| *expected), "{case}");
            }
            // Iterations that do not take part are computed with those that do: the interpreter decides.
            (Ok(_), Err(Stop::Elsewhere)) => elsewhere += 1,
            _ => {
                case.agrees(&found, 1e-12);
            }
        }
    }
    elsewhere
}
