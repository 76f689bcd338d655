//! Tensor products: rank-one maps `u ⊗ v` and contractions `(a *)`, `(* b)`.   [003 §2.2.4, §3.1, §3.2, §8]

use super::Statement::{Maps, Rewrite, Vectors};
use super::{Law, Rule, case, chain};
use crate::map::LinearMap;
use crate::matrix::Matrix;
use crate::pattern::When;
use crate::space::{Space, inner, times};

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose rank-one maps",
        equation: "(c · (w ⊗ v)) ∘ (d · (v' ⊗ u)) = c d ⟨v, v'⟩ · (w ⊗ u)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            cases: &[case("c · (w ⊗ v) ∘ d · (v' ⊗ u)", "(c * d * ⟨v, v'⟩) · (w ⊗ u)")],
            example: ["[1.0, 2.0] ⊗ [3.0, 4.0] ∘ (_ · [5.0, 6.0])", "39.0 · (_ · [1.0, 2.0])"],
        }),
    },
    Law {
        name: "map after rank-one",
        equation: "m ∘ (u ⊗ v) = (m ⊙ u) ⊗ v",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            cases: &[case("m ∘ c · (u ⊗ v)", "c · ((m ⊙ u) ⊗ v)").when(When::NoMultiple("m"))],
            example: ["sum [2]R ∘ [1.0, 2.0] ⊗ [3.0, 4.0]", "3.0 ⊗ [3.0, 4.0]"],
        }),
    },
    Law {
        name: "rank-one after map",
        equation: "(u ⊗ v) ∘ m = u ⊗ (mᵀ ⊙ v)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            cases: &[case("c · (u ⊗ v) ∘ m", "c · (u ⊗ (mᵀ ⊙ v))").when(When::NoMultiple("m"))],
            example: ["dot([3.0, 4.0], _) ∘ diagonal [1.0, 2.0]", "dot([3.0, 8.0], _)"],
        }),
    },
    Law {
        name: "rank-one with zero",
        equation: "0 ⊗ v = u ⊗ 0 = 0 · (u ⊗ v) = 0",
        source: "from 003 §2.2.4",
        statement: Rewrite(Rule {
            cases: &[case("c · (u ⊗ v)", "0").when(When::Zero(&["c", "u", "v"]))],
            example: ["[0.0, 0.0] ⊗ [3.0, inf]", "0 : [2]R -o [2]R"],
        }),
    },
    Law {
        name: "add rank-one maps with one left",
        equation: "(v ⊗ w₁) ⊕ (v ⊗ w₂) = v ⊗ (w₁ + w₂)",
        source: "003 §2.2.4",
        statement: Rewrite(Rule {
            cases: &[
                case("c · (u ⊗ v) + d · (u ⊗ w)", "u ⊗ (c · v + d · w)"),
                case("sum (u ⊗ vₓ)", "u ⊗ (total vₓ)"),
                case("sum (cₓ · (u ⊗ vₓ))", "u ⊗ (combine cₓ vₓ)"),
            ],
            example: ["2.0 ⊗ [1.0, 0.0] + 3.0 · (2.0 ⊗ [0.0, 1.0])", "2.0 ⊗ [1.0, 3.0]"],
        }),
    },
    Law {
        name: "add rank-one maps with one right",
        equation: "(v₁ ⊗ w) ⊕ (v₂ ⊗ w) = (v₁ + v₂) ⊗ w",
        source: "003 §2.2.4",
        statement: Rewrite(Rule {
            cases: &[case("c · (u ⊗ w) + d · (v ⊗ w)", "(c · u + d · v) ⊗ w")],
            example: ["[1.0, 0.0] ⊗ 2.0 + 3.0 · ([0.0, 1.0] ⊗ 2.0)", "[1.0, 3.0] ⊗ 2.0"],
        }),
    },
    Law {
        name: "a multiple of a tensor product",
        equation: "(k · v) ⊗ w = k · (v ⊗ w) = v ⊗ (k · w)",
        source: "003 §2.2.4",
        statement: Maps(|s| {
            let (a, b, k) = (s.space(), s.space(), s.number());
            let (v, w) = (s.vector(&b), s.vector(&a));
            let moved = if s.below(2) == 0 {
                LinearMap::rank_one(1.0, v.scale(k), w.clone())
            } else {
                LinearMap::rank_one(1.0, v.clone(), w.scale(k))
            };
            (moved, chain([LinearMap::scale(k, b), LinearMap::rank_one(1.0, v, w)]))
        }),
    },
    Law {
        name: "inner product of tensor products",
        equation: "(u₁ ⊗ v₁) ⊙ (u₂ ⊗ v₂) = (u₁ ⊙ u₂) · (v₁ ⊙ v₂)",
        source: "003 §2.2.4",
        statement: Vectors(|s| {
            let (a, b) = (s.space(), s.space());
            let (u1, v1, u2, v2) = (s.vector(&a), s.vector(&b), s.vector(&a), s.vector(&b));
            (vec![u1.tensor(&v1).inner(&u2.tensor(&v2))], vec![times(u1.inner(&u2), v1.inner(&v2))])
        }),
    },
    Law {
        name: "contract tensor products",
        equation: "(w ⊗ v) * (v' ⊗ u) = (v ⊙ v') · (w ⊗ u)",
        source: "003 §3.1",
        statement: Vectors(|s| {
            let (m, n, u_space) = (s.size(), s.size(), s.space());
            let (w, v) = (s.vector(&Space::reals(m)), s.vector(&Space::reals(n)));
            let (v2, u) = (s.vector(&Space::reals(n)), s.vector(&u_space));
            let matrix = Matrix::new(m, n, w.tensor(&v).values()).expect("a row for each number of w");
            let contracted = LinearMap::left(matrix, u_space).apply(v2.tensor(&u).values());
            (contracted, w.tensor(&u).scale(v.inner(&v2)).values().to_vec())
        }),
    },
    Law {
        name: "the tensor product by contraction",
        equation: "v ⊗ w = v⟩ * ⟨w",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let (m, w_space) = (s.size(), s.space());
            let (v, w) = (s.vector(&Space::reals(m)), s.vector(&w_space));
            let column = Matrix::new(m, 1, v.values()).expect("a row for each number");
            (v.tensor(&w).values().to_vec(), LinearMap::left(column, w_space).apply(w.values()))
        }),
    },
    Law {
        name: "the inner product by contraction",
        equation: "v₁ ⊙ v₂ = |⟨v₁ * v₂⟩|",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let n = s.size();
            let (v1, v2) = (s.numbers(&Space::reals(n)), s.numbers(&Space::reals(n)));
            let row = Matrix::new(1, n, v1.as_slice()).expect("one row");
            (vec![inner(&v1, &v2)], LinearMap::left(row, Space::Real).apply(&v2))
        }),
    },
    Law {
        name: "a join of multiples is a row",
        equation: "H [S(kₓ)] = 1 ⊗ (kₓ)",
        source: "from 003 §3.2",
        statement: Rewrite(Rule {
            cases: &[case("join (scale kₓ)", "1.0 ⊗ kₓ").when(When::All(&[When::ToNumber, When::FromNumbers]))],
            example: ["join [scale 2.0, scale 3.0]", "dot([2.0, 3.0], _)"],
        }),
    },
    Law {
        name: "a fork of multiples is a column",
        equation: "V [S(kₓ)] = (kₓ) ⊗ 1",
        source: "from 003 §3.2",
        statement: Rewrite(Rule {
            cases: &[case("fork (scale kₓ)", "kₓ ⊗ 1.0").when(When::All(&[When::FromNumber, When::ToNumbers]))],
            example: ["fork [scale 2.0, scale 3.0]", "_ · [2.0, 3.0]"],
        }),
    },
    Law {
        name: "a fork of rank-one maps with one right",
        equation: "⟨uₓ ⊗ v⟩ = (uₓ) ⊗ v",
        source: "from 003 §2.2.4",
        statement: Rewrite(Rule {
            cases: &[case("fork (uₓ ⊗ v)", "uₓ ⊗ v")],
            example: ["[1.0, 2.0] ⊗ [5.0, 7.0] × 3.0 ⊗ [5.0, 7.0]", "([1.0, 2.0], 3.0) ⊗ [5.0, 7.0]"],
        }),
    },
    Law {
        name: "a join of rank-one maps with one left",
        equation: "[u ⊗ vₓ] = u ⊗ (vₓ)",
        source: "from 003 §2.2.4",
        statement: Rewrite(Rule {
            cases: &[case("join (u ⊗ vₓ)", "u ⊗ vₓ")],
            example: ["[5.0, 7.0] ⊗ [1.0, 2.0] ⋈ [5.0, 7.0] ⊗ 3.0", "[5.0, 7.0] ⊗ ([1.0, 2.0], 3.0)"],
        }),
    },
    Law {
        name: "a fork of rows is a contraction",
        equation: "V [1 ⊗ vₓ] = ((vₓ) *)",
        source: "from 003 §3.2",
        statement: Rewrite(Rule {
            cases: &[case("fork (1.0 ⊗ vₓ)", "dot(rows vₓ, _)").when(When::FromNumbers)],
            example: ["fork [dot([2.0, 3.0], _), dot([5.0, 7.0], _)]", "dot([[2.0, 3.0], [5.0, 7.0]], _)"],
        }),
    },
    Law {
        name: "compose contractions on the left",
        equation: "(a *) ∘ (b *) = ((a * b) *)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            cases: &[case("dot(a, _) ∘ dot(b, _)", "dot(a * b, _)")],
            example: ["dot([[1.0, 2.0]], _) ∘ dot([[3.0], [4.0]], _)", "dot([[11.0]], _)"],
        }),
    },
    Law {
        name: "compose contractions on the right",
        equation: "(* b) ∘ (* a) = (* (a * b))",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            cases: &[case("dot(_, b) ∘ dot(_, a)", "dot(_, a * b)")],
            example: ["dot(_, [[3.0], [4.0]]) ∘ dot(_, [[1.0, 2.0]])", "dot(_, [[11.0]])"],
        }),
    },
    Law {
        name: "add contractions",
        equation: "(a *) ⊕ (b *) = ((a + b) *)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            cases: &[case("dot(a, _) + dot(b, _)", "dot(a + b, _)"), case("dot(_, a) + dot(_, b)", "dot(_, a + b)")],
            example: ["dot([[1.0, 2.0]], _) + dot([[3.0, 4.0]], _)", "dot([[4.0, 6.0]], _)"],
        }),
    },
];
