//! Products number by number: `Δ` of multiples.   [003 §2.2.2, §3.3]

use super::Statement::{Rewrite, Trial};
use super::{Law, Rule, case};
use crate::pattern::When;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose diagonals",
        equation: "diagonal d ∘ diagonal e = diagonal (d * e)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("diagonal d ∘ diagonal e", "diagonal (d * e)")],
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
            example: ["diagonal [2.0, 3.0] + scale 5.0 [2]R", "diagonal [7.0, 8.0]"],
        }),
    },
    Law {
        name: "diagonal of one number",
        equation: "diagonal (k, …, k) = S(k)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("diagonal d", "scale (only d)")],
            example: ["diagonal [2.0, 2.0, 2.0]", "scale 2.0 [3]R"],
        }),
    },
    Law {
        name: "a band of one diagonal",
        equation: "(a *) = diagonal (aᵢᵢ) where a is zero beside its diagonal",
        source: "from 003 §3.3",
        statement: Rewrite(Rule {
            cases: &[case("dot(a, _)", "diagonal (main a)")],
            example: ["dot(banded 0 0 2 [[2.0], [3.0]], _)", "diagonal [2.0, 3.0]"],
        }),
    },
    Law {
        name: "add a diagonal to a matrix",
        equation: "(a *) ⊕ diagonal d = (a + diag d *)",
        source: "from 003 §3.3",
        statement: Rewrite(Rule {
            cases: &[
                case("dot(a, _) + diagonal d", "dot(a + band d, _)"),
                case("diagonal d + dot(a, _)", "dot(band d + a, _)"),
            ],
            example: ["dot([[1.0, 2.0], [3.0, 4.0]], _) + diagonal [5.0, 6.0]", "dot([[6.0, 2.0], [3.0, 10.0]], _)"],
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
            example: ["each [scale 2.0, scale 3.0]", "diagonal [2.0, 3.0]"],
        }),
    },
    Law {
        name: "the sum of a diagonal is a row",
        equation: "Σₙ ∘ diagonal d = 1 ⊗ d",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[
                case("reduce R ∘ diagonal d", "1.0 ⊗ d").when(When::All(&[When::Sums("R"), When::ToNumber])),
                case("join id ∘ diagonal d", "1.0 ⊗ d").when(When::ToNumber),
            ],
            example: ["sum [2]R ∘ diagonal [2.0, 3.0]", "dot([2.0, 3.0], _)"],
        }),
    },
    Law {
        name: "a diagonal of copies is a column",
        equation: "diagonal d ∘ Δₙ = d ⊗ 1",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[
                case("diagonal d ∘ reduce R", "d ⊗ 1.0").when(When::All(&[When::Replicates("R"), When::FromNumber]))
            ],
            example: ["diagonal [2.0, 3.0] ∘ replicate [2]R", "_ · [2.0, 3.0]"],
        }),
    },
    Law {
        name: "map of a scale",
        equation: "S(k)ⁿ = S(k)",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("each (scale k)", "scale k"), case("fork (scale k ∘ fₓ)", "scale k ∘ fork fₓ")],
            example: ["map 3 (scale 2.0)", "scale 2.0 [3]R"],
        }),
    },
    Law {
        name: "a multiple of a fork",
        equation: "S(k) ∘ ⟨fₓ⟩ = ⟨S(k) ∘ fₓ⟩",
        source: "from 003 §2.2.3",
        statement: Trial(Rule {
            cases: &[case("scale k ∘ fork fₓ", "fork (scale k ∘ fₓ)").when(When::Few("f"))],
            example: ["scale 2.0 (R, R) ∘ (scale 3.0 × id R)", "scale 2.0 ∘ scale 3.0 × scale 2.0 ∘ id R"],
        }),
    },
];
