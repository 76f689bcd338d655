//! Tensor products: rank-one maps `u ⊗ v` and contractions `(a *)`, `(* b)`.   [003 §2.2.4, §3.1, §3.2, §8]

use super::Statement::{Maps, Rewrite, Vectors};
use super::{Law, Rule, chain, factor_forms, factors_of_two, term_forms, total};
use crate::map::{Contraction, Form, LinearMap, RankOne, Side};
use crate::matrix::Matrix;
use crate::sample::Sampler;
use crate::space::{Space, inner, plus, times};
use crate::vector::Vector;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose rank-one maps",
        equation: "(c · (w ⊗ v)) ∘ (d · (v' ⊗ u)) = c d ⟨v, v'⟩ · (w ⊗ u)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b, c) = (s.space(), s.space(), s.space());
                let outer = LinearMap::rank_one(s.number(), s.vector(&c), s.vector(&b));
                chain([outer, LinearMap::rank_one(s.number(), s.vector(&b), s.vector(&a))])
            },
            right: |map| match factor_forms(map)? {
                (Form::RankOne(f), Form::RankOne(g)) => {
                    let k = times(times(f.coefficient, g.coefficient), f.right.inner(&g.left));
                    Some(LinearMap::rank_one(k, f.left.clone(), g.right.clone()))
                }
                _ => None,
            },
            example: ["[1.0, 2.0] ⊗ [3.0, 4.0] ∘ [5.0, 6.0] ⊗ 1.0", "39.0 · ([1.0, 2.0] ⊗ 1.0)"],
        }),
    },
    Law {
        name: "map after rank-one",
        equation: "m ∘ (u ⊗ v) = (m ⊙ u) ⊗ v",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b, c) = (s.space(), s.space(), s.space());
                let m = no_multiple(s, &b, &c);
                chain([m, LinearMap::rank_one(s.number(), s.vector(&b), s.vector(&a))])
            },
            right: |map| {
                let (m, inner) = factors_of_two(map)?;
                let Form::RankOne(RankOne { coefficient, left, right }) = inner.form() else { return None };
                if is_scale(m) {
                    return None;
                }
                let left = Vector::new(m.codomain().clone(), m.apply(left.values())).ok()?;
                Some(LinearMap::rank_one(*coefficient, left, right.clone()))
            },
            example: ["sum [2]R ∘ [1.0, 2.0] ⊗ [3.0, 4.0]", "3.0 ⊗ [3.0, 4.0]"],
        }),
    },
    Law {
        name: "rank-one after map",
        equation: "(u ⊗ v) ∘ m = u ⊗ (mᵀ ⊙ v)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b, c) = (s.space(), s.space(), s.space());
                let m = no_multiple(s, &a, &b);
                chain([LinearMap::rank_one(s.number(), s.vector(&c), s.vector(&b)), m])
            },
            right: |map| {
                let (outer, m) = factors_of_two(map)?;
                let Form::RankOne(RankOne { coefficient, left, right }) = outer.form() else { return None };
                if is_scale(m) {
                    return None;
                }
                let right = Vector::new(m.domain().clone(), m.adjoint().apply(right.values())).ok()?;
                Some(LinearMap::rank_one(*coefficient, left.clone(), right))
            },
            example: ["1.0 ⊗ [3.0, 4.0] ∘ diagonal [1.0, 2.0]", "1.0 ⊗ [3.0, 8.0]"],
        }),
    },
    Law {
        name: "rank-one with zero",
        equation: "0 ⊗ v = u ⊗ 0 = 0 · (u ⊗ v) = 0",
        source: "from 003 §2.2.4",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b) = (s.space(), s.space());
                let (u, v) = (s.vector(&b), s.vector(&a));
                match s.below(3) {
                    0 => LinearMap::rank_one(0.0, u, v),
                    1 => LinearMap::rank_one(1.0, u.scale(0.0), v),
                    _ => LinearMap::rank_one(1.0, u, v.scale(0.0)),
                }
            },
            right: |map| match map.form() {
                Form::RankOne(RankOne { coefficient, left, right })
                    if *coefficient == 0.0 || is_zero(left) || is_zero(right) =>
                {
                    Some(LinearMap::zero(map.domain().clone(), map.codomain().clone()))
                }
                _ => None,
            },
            example: ["[0.0, 0.0] ⊗ [3.0, inf]", "0 : [2]R -o [2]R"],
        }),
    },
    Law {
        name: "add rank-one maps with one left",
        equation: "(v ⊗ w₁) ⊕ (v ⊗ w₂) = v ⊗ (w₁ + w₂)",
        source: "003 §2.2.4",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b) = (s.space(), s.space());
                let u = s.vector(&b);
                let first = LinearMap::rank_one(s.number(), u.clone(), s.vector(&a));
                total([first, LinearMap::rank_one(s.number(), u, s.vector(&a))])
            },
            right: |map| match term_forms(map)? {
                (Form::RankOne(f), Form::RankOne(g)) if f.left == g.left => {
                    Some(LinearMap::rank_one(1.0, f.left.clone(), combined(f, &f.right, g, &g.right)))
                }
                _ => None,
            },
            example: ["2.0 ⊗ [1.0, 0.0] + 3.0 · (2.0 ⊗ [0.0, 1.0])", "2.0 ⊗ [1.0, 3.0]"],
        }),
    },
    Law {
        name: "add rank-one maps with one right",
        equation: "(v₁ ⊗ w) ⊕ (v₂ ⊗ w) = (v₁ + v₂) ⊗ w",
        source: "003 §2.2.4",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b) = (s.space(), s.space());
                let v = s.vector(&a);
                let first = LinearMap::rank_one(s.number(), s.vector(&b), v.clone());
                total([first, LinearMap::rank_one(s.number(), s.vector(&b), v)])
            },
            right: |map| match term_forms(map)? {
                (Form::RankOne(f), Form::RankOne(g)) if f.right == g.right => {
                    Some(LinearMap::rank_one(1.0, combined(f, &f.left, g, &g.left), f.right.clone()))
                }
                _ => None,
            },
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
        name: "compose contractions on the left",
        equation: "(a *) ∘ (b *) = ((a * b) *)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            left: |s| {
                let (m, n, k, over) = (s.size(), s.size(), s.size(), s.space());
                chain([LinearMap::left(s.matrix(m, k), over.clone()), LinearMap::left(s.matrix(k, n), over)])
            },
            right: |map| match factor_forms(map)? {
                (Form::Contract(a), Form::Contract(b))
                    if (a.side, b.side) == (Side::Left, Side::Left) && a.over == b.over =>
                {
                    Some(LinearMap::left(product(&a.matrix, &b.matrix), a.over.clone()))
                }
                _ => None,
            },
            example: ["left [[1.0, 2.0]] ∘ left [[3.0], [4.0]]", "left [[11.0]]"],
        }),
    },
    Law {
        name: "compose contractions on the right",
        equation: "(* b) ∘ (* a) = (* (a * b))",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            left: |s| {
                let (m, n, k, over) = (s.size(), s.size(), s.size(), s.space());
                chain([LinearMap::right(s.matrix(k, n), over.clone()), LinearMap::right(s.matrix(m, k), over)])
            },
            right: |map| match factor_forms(map)? {
                (Form::Contract(b), Form::Contract(a))
                    if (a.side, b.side) == (Side::Right, Side::Right) && a.over == b.over =>
                {
                    Some(LinearMap::right(product(&a.matrix, &b.matrix), a.over.clone()))
                }
                _ => None,
            },
            example: ["right [[3.0], [4.0]] ∘ right [[1.0, 2.0]]", "right [[11.0]]"],
        }),
    },
    Law {
        name: "add contractions",
        equation: "(a *) ⊕ (b *) = ((a + b) *)",
        source: "from 003 §3.1",
        statement: Rewrite(Rule {
            left: |s| {
                let (m, n, over) = (s.size(), s.size(), s.space());
                if s.below(2) == 0 {
                    total([LinearMap::left(s.matrix(m, n), over.clone()), LinearMap::left(s.matrix(m, n), over)])
                } else {
                    total([LinearMap::right(s.matrix(m, n), over.clone()), LinearMap::right(s.matrix(m, n), over)])
                }
            },
            right: |map| match term_forms(map)? {
                (Form::Contract(a), Form::Contract(b)) if a.side == b.side && a.over == b.over => {
                    let Contraction { side, matrix, over } = a;
                    let values: Vec<f64> = matrix.values().iter().zip(b.matrix.values()).map(|(a, b)| a + b).collect();
                    let matrix = Matrix::new(matrix.rows(), matrix.columns(), values).ok()?;
                    Some(match side {
                        Side::Left => LinearMap::left(matrix, over.clone()),
                        Side::Right => LinearMap::right(matrix, over.clone()),
                    })
                }
                _ => None,
            },
            example: ["left [[1.0, 2.0]] + left [[3.0, 4.0]]", "left [[4.0, 6.0]]"],
        }),
    },
];

/// Multiples slide into the coefficient instead.
fn is_scale(map: &LinearMap) -> bool {
    matches!(map.form(), Form::Scale(_) | Form::Identity)
}

fn no_multiple(s: &mut Sampler, domain: &Space, codomain: &Space) -> LinearMap {
    let maps = std::iter::repeat_with(|| s.map(domain, codomain)).take(20);
    let found = maps.into_iter().find(|map| !is_scale(map));
    found.unwrap_or_else(|| LinearMap::zero(domain.clone(), codomain.clone()))
}

fn is_zero(vector: &Vector) -> bool {
    vector.values().iter().all(|value| *value == 0.0)
}

/// `c u + d v`, with the coefficients of two maps
fn combined(f: &RankOne, u: &Vector, g: &RankOne, v: &Vector) -> Vector {
    u.zip(v, |u, v| plus(times(f.coefficient, u), times(g.coefficient, v)))
}

/// `a * b`
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let row = |i: usize| -> Vec<f64> {
        let mut row = vec![0.0; b.columns()];
        for (k, factor) in a.row(i).enumerate() {
            row.iter_mut().zip(b.row(k)).for_each(|(sum, value)| *sum += times(factor, value));
        }
        row
    };
    Matrix::from_rows(b.columns(), (0..a.rows()).map(row))
}
