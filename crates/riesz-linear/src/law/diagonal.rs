//! Products number by number: `Δ` of multiples.   [003 §2.2.2, §3.3]

use super::Statement::Rewrite;
use super::{Law, Rule, case, chain, total};
use crate::map::{Form, LinearMap};
use crate::pattern::When;
use crate::relation::Relation;
use crate::space::Space;
use crate::vector::Vector;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose diagonals",
        equation: "diagonal d ∘ diagonal e = diagonal (d * e)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("diagonal d ∘ diagonal e", "diagonal (d * e)")],
            sample: |s| {
                let a = s.space();
                chain([LinearMap::diagonal(s.vector(&a)), LinearMap::diagonal(s.vector(&a))])
            },
            example: ["diagonal [2.0, 3.0] ∘ diagonal [5.0, 7.0]", "diagonal [10.0, 21.0]"],
        }),
    },
    Law {
        name: "add diagonals",
        equation: "diagonal d ⊕ diagonal e = diagonal (d + e)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[
                case("diagonal d + diagonal e", "diagonal (d + e)"),
                case("diagonal d + scale k", "diagonal (d + constant k)"),
                case("scale k + diagonal e", "diagonal (constant k + e)"),
            ],
            sample: |s| {
                let a = s.space();
                let (d, k) = (LinearMap::diagonal(s.vector(&a)), s.number());
                match s.below(3) {
                    0 => total([d, LinearMap::scale(k, a)]),
                    1 => total([LinearMap::identity(a), d]),
                    _ => total([d, LinearMap::diagonal(s.vector(&a))]),
                }
            },
            example: ["diagonal [2.0, 3.0] + scale 5.0 [2]R", "diagonal [7.0, 8.0]"],
        }),
    },
    Law {
        name: "diagonal of one number",
        equation: "diagonal (k, …, k) = S(k)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("diagonal d", "scale (only d)")],
            sample: |s| {
                let family = s.family();
                let a = Space::product([Space::Real, family]);
                let k = s.number();
                let values = Vector::new(a.clone(), vec![k; a.dimension()]).expect("as many as dimensions");
                LinearMap::diagonal(values)
            },
            example: ["diagonal [2.0, 2.0, 2.0]", "scale 2.0 [3]R"],
        }),
    },
    Law {
        name: "each of scales",
        equation: "Π S(kₓ) = diagonal (kₓ)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[
                case("each (scale kₓ)", "diagonal kₓ").when(When::FromNumbers),
                case("each (diagonal dₓ)", "diagonal dₓ"),
            ],
            sample: |s| {
                let family = s.family();
                let parts = family.parts().cloned();
                let maps: Vec<LinearMap> = parts
                    .map(|part| match s.below(3) {
                        0 => LinearMap::identity(part),
                        1 => LinearMap::scale(s.number(), part),
                        _ => LinearMap::diagonal(s.vector(&part)),
                    })
                    .collect();
                LinearMap::new(family.clone(), family, Form::Each(maps))
            },
            example: ["each [scale 2.0, scale 3.0]", "diagonal [2.0, 3.0]"],
        }),
    },
    Law {
        name: "the sum of a diagonal is a row",
        equation: "Σₙ ∘ diagonal d = 1 ⊗ d",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("reduce R ∘ diagonal d", "1.0 ⊗ d").when(When::All(&[When::Sums("R"), When::ToNumber]))],
            sample: |s| {
                let n = s.size();
                let sum = LinearMap::reduce(Relation::Sum(n), Space::Real);
                chain([sum, LinearMap::diagonal(s.vector(&Space::reals(n)))])
            },
            example: ["sum [2]R ∘ diagonal [2.0, 3.0]", "1.0 ⊗ [2.0, 3.0]"],
        }),
    },
    Law {
        name: "map of a scale",
        equation: "S(k)ⁿ = S(k)",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("each (scale k)", "scale k"), case("fork (scale k ∘ fₓ)", "scale k ∘ fork fₓ")],
            sample: |s| {
                if s.below(2) == 0 {
                    let n = s.size();
                    return LinearMap::map(n, LinearMap::scale(s.number(), s.space()));
                }
                let (a, family, k) = (s.space(), s.family(), s.number());
                let scaled = |f: &LinearMap| chain([LinearMap::scale(k, f.codomain().clone()), f.clone()]);
                let maps = s.fork(&a, &family).children().iter().map(scaled).collect();
                LinearMap::new(a, family, Form::Fork(maps))
            },
            example: ["map 3 (scale 2.0)", "scale 2.0 [3]R"],
        }),
    },
];
