//! The functions that make, take apart and rearrange arrays: linear in the elements.

use super::index::Index::{Apply, Constant, Element, Integer, Length, Position};
use super::{Adjoint, Array, Backward, Bounds, Direction, Index, Reindex};
use crate::primitive::{Form, Kind, Primitive};
use crate::scalar::{ADD, FLOOR_MOD, SUB};

pub(super) static ROWS: &[&Primitive] = &[
    &SIZE,
    &IOTA,
    &REPLICATE,
    &ZIP,
    &UNZIP,
    &REVERSE,
    &ROLL,
    &CONCAT,
    &SLICE,
    &FLATTEN,
    &TRANSPOSE,
    &GATHER,
    &SCATTER_ADD,
    &UPDATE,
];

/// `D size = 0`: an integer has no tangent
pub static SIZE: Primitive = Primitive {
    name: "size",
    signatures: &["(v: [n]t): Int"],
    summary: "The number of elements.",
    example: "size([4, 5, 6]) == 3",
    kind: Kind::Form(Form::Size),
};

/// `D iota = 0`: integers have no tangents
pub static IOTA: Primitive = Primitive {
    name: "iota",
    signatures: &["(n: Int): [n]Int"],
    summary: "The integers from 0 to `n - 1`.",
    example: "iota(3) == [0, 1, 2]",
    kind: Kind::Form(Form::Iota),
};

/// `D (replicate n) x = replicate n`
pub static REPLICATE: Primitive = Primitive {
    name: "replicate",
    signatures: &["(n: Int, x: t): [n]t"],
    summary: "An array of `n` copies of `x`.",
    example: "replicate(2, 7) == [7, 7]",
    kind: Kind::Form(Form::Replicate),
};

/// `D zip = zip`
pub static ZIP: Primitive = Primitive {
    name: "zip",
    signatures: &["(u: [n]a, v: [n]b): [n](a, b)"],
    summary: "The array of pairs, of triples for three arrays, and so on.",
    example: "zip([1, 2], [3, 4]) == [(1, 3), (2, 4)]",
    kind: Kind::Form(Form::Zip),
};

/// `D unzip = unzip`
pub static UNZIP: Primitive = Primitive {
    name: "unzip",
    signatures: &["(w: [n](a, b)): ([n]a, [n]b)"],
    summary: "The arrays that `zip` joined.",
    example: "unzip([(1, 3), (2, 4)]) == ([1, 2], [3, 4])",
    kind: Kind::Form(Form::Unzip),
};

/// `D reverse = reverse`
pub static REVERSE: Primitive = Primitive {
    name: "reverse",
    signatures: &["(v: [n]t): [n]t"],
    summary: "The elements in the opposite order.",
    example: "reverse([1, 2, 3]) == [3, 2, 1]",
    kind: Kind::Array(Array::Reindex(Reindex {
        array: 0,
        direction: Direction::Gather,
        count: Length(0),
        index: Apply(&SUB, &Apply(&SUB, &Length(0), &Constant(1)), &Position),
        bounds: Bounds::Always,
        adjoint: Backward::Term(Adjoint::Apply(&REVERSE, &[Adjoint::Cotangent])),
    })),
};

/// `D (roll k) v = roll k`
pub static ROLL: Primitive = Primitive {
    name: "roll",
    signatures: &["(v: [n]t, k: Int): [n]t"],
    summary: "The elements moved `k` places towards the end; those moved past the end continue at the beginning.",
    example: "roll([1, 2, 3, 4], 1) == [4, 1, 2, 3]",
    kind: Kind::Array(Array::Reindex(Reindex {
        array: 0,
        direction: Direction::Gather,
        count: Length(0),
        index: Apply(&FLOOR_MOD, &Apply(&SUB, &Position, &PLACES), &Length(0)),
        bounds: Bounds::Always,
        adjoint: Backward::Inverse(Apply(&FLOOR_MOD, &Apply(&ADD, &Position, &PLACES), &Length(0))),
    })),
};

/// `k` modulo the length
const PLACES: Index = Apply(&FLOOR_MOD, &Integer(1), &Length(0));

/// `D concat = concat`
pub static CONCAT: Primitive = Primitive {
    name: "concat",
    signatures: &["(u: [m]t, v: [n]t): [m + n]t"],
    summary: "The elements of two or more arrays, one array after the other.",
    example: "concat([1], [2, 3]) == [1, 2, 3]",
    kind: Kind::Array(Array::Concatenate),
};

/// `D (slice from to) v = slice from to`
pub static SLICE: Primitive = Primitive {
    name: "slice",
    signatures: &["(v: [n]t, from: Int, to: Int): [to - from]t"],
    summary: "The elements from index `from` up to, not including, index `to`.",
    example: "slice([5, 6, 7, 8], 1, 3) == [6, 7]",
    kind: Kind::Array(Array::Reindex(Reindex {
        array: 0,
        direction: Direction::Gather,
        count: Apply(&SUB, &Integer(2), &Integer(1)),
        index: Apply(&ADD, &Integer(1), &Position),
        bounds: Bounds::Range(1, 2),
        adjoint: Backward::Parts,
    })),
};

/// `D flatten = flatten`
pub static FLATTEN: Primitive = Primitive {
    name: "flatten",
    signatures: &["(v: [m][n]t): [m * n]t"],
    summary: "The rows one after the other: one level of nesting less.",
    example: "flatten([[1, 2], [3, 4]]) == [1, 2, 3, 4]",
    kind: Kind::Array(Array::Merge),
};

/// `D transpose = transpose`
pub static TRANSPOSE: Primitive = Primitive {
    name: "transpose",
    signatures: &["(a: [m][n]t): [n][m]t"],
    summary: "Rows become columns.",
    example: "transpose([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]",
    kind: Kind::Array(Array::Exchange),
};

/// `D (gather indices) v = gather indices`
pub static GATHER: Primitive = Primitive {
    name: "gather",
    signatures: &["(v: [n]t, indices: [k]Int): [k]t"],
    summary: "The elements at the given indices.",
    example: "gather([5, 6, 7], [2, 0, 2]) == [7, 5, 7]",
    kind: Kind::Array(Array::Reindex(Reindex {
        array: 0,
        direction: Direction::Gather,
        count: Length(1),
        index: Element(1, &Position),
        bounds: Bounds::Each,
        adjoint: Backward::Parts,
    })),
};

/// `D (scatter_add n indices) v = scatter_add n indices`
pub static SCATTER_ADD: Primitive = Primitive {
    name: "scatter_add",
    signatures: &["(n: Int, indices: [k]Int, v: [k]t): [n]t"],
    summary: "`n` zeros, with each `v[i]` added at index `indices[i]`.",
    example: "scatter_add(3, [2, 0, 2], [1.0, 2.0, 3.0]) == [2.0, 0.0, 4.0]",
    kind: Kind::Array(Array::Reindex(Reindex {
        array: 2,
        direction: Direction::Scatter,
        count: Integer(0),
        index: Element(1, &Position),
        bounds: Bounds::Each,
        adjoint: Backward::Term(Adjoint::Apply(&GATHER, &[Adjoint::Cotangent, Adjoint::Argument(1)])),
    })),
};

/// `D (update i) (v, x) = update i`
pub static UPDATE: Primitive = Primitive {
    name: "update",
    signatures: &["(v: [n]t, i: Int, x: t): [n]t"],
    summary: "The array with element `i` replaced by `x`.",
    example: "update([1, 2, 3], 1, 9) == [1, 9, 3]",
    kind: Kind::Array(Array::Replace),
};
