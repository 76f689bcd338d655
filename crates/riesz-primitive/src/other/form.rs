//! The forms: functions of functions, and reductions of arrays.

use crate::primitive::{Form, Kind, Primitive};

pub(super) static ROWS: &[&Primitive] = &[&BUILD, &MAP, &SUM, &PROD, &ARGMAX, &ARGMIN, &ALL, &ANY, &FOLD, &SCAN];

/// `[f(0), ..., f(n − 1)]`
pub static BUILD: Primitive = Primitive {
    name: "build",
    signatures: &["(n: Int, f: Int -> t): [n]t"],
    summary: "The array whose element `i` is `f(i)`.",
    example: "build(3, \\i -> i * i) == [0, 1, 4]",
    kind: Kind::Form(Form::Build),
};

/// `[f(v₀), ..., f(vₙ₋₁)]`
pub static MAP: Primitive = Primitive {
    name: "map",
    signatures: &["(f: a -> b, v: [n]a): [n]b"],
    summary: "The array of `f(x)` for every element `x`.",
    example: "map(\\x -> x + 1, [1, 2]) == [2, 3]",
    kind: Kind::Form(Form::Map),
};

/// `Σᵢ vᵢ`
pub static SUM: Primitive = Primitive {
    name: "sum",
    signatures: &["(v: [n]t): t"],
    summary: "The sum over the outermost axis; 0 for the empty array.",
    example: "sum([1, 2, 3]) == 6",
    kind: Kind::Form(Form::Sum),
};

/// `Πᵢ vᵢ`
pub static PROD: Primitive = Primitive {
    name: "prod",
    signatures: &["(v: [n]t): t"],
    summary: "The product over the outermost axis; 1 for the empty array.",
    example: "prod([2, 3, 4]) == 24",
    kind: Kind::Form(Form::Product),
};

/// The first `i` with `vᵢ = max v`
pub static ARGMAX: Primitive = Primitive {
    name: "argmax",
    signatures: &["(v: [n]R): Int"],
    summary: "The index of the largest element, the first of several.",
    example: "argmax([1.0, 3.0, 3.0]) == 1",
    kind: Kind::Form(Form::ArgMax),
};

/// The first `i` with `vᵢ = min v`
pub static ARGMIN: Primitive = Primitive {
    name: "argmin",
    signatures: &["(v: [n]R): Int"],
    summary: "The index of the smallest element, the first of several.",
    example: "argmin([2.0, 1.0, 1.0]) == 1",
    kind: Kind::Form(Form::ArgMin),
};

/// `v₀ ∧ ... ∧ vₙ₋₁`
pub static ALL: Primitive = Primitive {
    name: "all",
    signatures: &["(v: [n]Bool): Bool"],
    summary: "Whether every element is true.",
    example: "all([true, true])",
    kind: Kind::Form(Form::All),
};

/// `v₀ ∨ ... ∨ vₙ₋₁`
pub static ANY: Primitive = Primitive {
    name: "any",
    signatures: &["(v: [n]Bool): Bool"],
    summary: "Whether some element is true.",
    example: "any([false, true])",
    kind: Kind::Form(Form::Any),
};

/// `f(... f(f(z, v₀), v₁) ..., vₙ₋₁)`
pub static FOLD: Primitive = Primitive {
    name: "fold",
    signatures: &["(f: (b, a) -> b, z: b, v: [n]a): b"],
    summary: "Starts with `z` and replaces it by `f(z, x)` for every element `x`, from the first to the last.",
    example: "fold(\\a x -> 10 * a + x, 0, [1, 2, 3]) == 123",
    kind: Kind::Form(Form::Fold),
};

/// `[f(z, v₀), f(f(z, v₀), v₁), ...]`
pub static SCAN: Primitive = Primitive {
    name: "scan",
    signatures: &["(f: (b, a) -> b, z: b, v: [n]a): [n]b"],
    summary: "The values of `fold` after each element.",
    example: "scan(\\a x -> a + x, 0, [1, 2, 3]) == [1, 3, 6]",
    kind: Kind::Form(Form::Scan),
};
