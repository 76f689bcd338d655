//! Sums: maps with the same spaces form a vector space, and composition is linear on both sides.   [002 §2.2, Fig. 4]

use super::Statement::{Maps, Rewrite, Trial};
use super::{Law, Rule, case, total};
use crate::pattern::When;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "add zero on the right",
        equation: "m ⊕ 0 = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule { cases: &[case("m + 0", "m")], example: ["scale 2.0 + (0 : R -o R)", "scale 2.0"] }),
    },
    Law {
        name: "add zero on the left",
        equation: "0 ⊕ m = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule { cases: &[case("0 + m", "m")], example: ["(0 : R -o R) + scale 2.0", "scale 2.0"] }),
    },
    // what the simplifier opens nested sums by
    Law {
        name: "sums are associative",
        equation: "(m₁ ⊕ m₂) ⊕ m₃ = m₁ ⊕ (m₂ ⊕ m₃)",
        source: "from 002 §2.2",
        statement: Maps(|s| {
            let (a, b) = (s.space(), s.space());
            let (m1, m2, m3) = (s.map(&a, &b), s.map(&a, &b), s.map(&a, &b));
            (total([total([m1.clone(), m2.clone()]), m3.clone()]), total([m1, total([m2, m3])]))
        }),
    },
    Law {
        name: "sums commute",
        equation: "m₁ ⊕ m₂ = m₂ ⊕ m₁",
        source: "from 002 §2.2",
        statement: Maps(|s| {
            let (a, b) = (s.space(), s.space());
            let (m1, m2) = (s.map(&a, &b), s.map(&a, &b));
            (total([m1.clone(), m2.clone()]), total([m2, m1]))
        }),
    },
    Law {
        name: "add multiples of a map",
        equation: "(k₁ · m) ⊕ (k₂ · m) = (k₁ + k₂) · m",
        source: "from 002 §2.2",
        statement: Rewrite(Rule {
            cases: &[case("k · m + l · m", "(k + l) · m")],
            example: ["project 0 of (R, R) + scale 2.0 ∘ project 0 of (R, R)", "scale 3.0 ∘ project 0 of (R, R)"],
        }),
    },
    Law {
        name: "a map comes out of a sum on the left",
        equation: "(m ∘ n₁) ⊕ (m ∘ n₂) = m ∘ (n₁ ⊕ n₂)",
        source: "from 002 §2.1 (LM1)",
        statement: Rewrite(Rule {
            cases: &[case("sum (m ∘ fₓ)", "m ∘ sum fₓ")],
            example: ["sum [2]R ∘ prefix [2]R + sum [2]R ∘ reverse [2]R", "sum [2]R ∘ (prefix [2]R + reverse [2]R)"],
        }),
    },
    Law {
        name: "a map comes out of a sum on the right",
        equation: "(m₁ ∘ n) ⊕ (m₂ ∘ n) = (m₁ ⊕ m₂) ∘ n",
        source: "from 002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("sum (fₓ ∘ m)", "sum fₓ ∘ m")],
            example: [
                "scale 2.0 ∘ project 0 of (R, R) + scale 3.0 ∘ project 0 of (R, R)",
                "(scale 2.0 + scale 3.0) ∘ project 0 of (R, R)",
            ],
        }),
    },
    Law {
        name: "a multiple of a sum beside a map",
        equation: "m ⊕ k · Σₓ fₓ = m ⊕ Σₓ k · fₓ",
        source: "from 002 §2.2",
        statement: Trial(Rule {
            cases: &[
                case("m + scale k ∘ sum fₓ", "m + sum (scale k ∘ fₓ)").when(When::List("f")),
                case("scale k ∘ sum fₓ + m", "sum (scale k ∘ fₓ) + m").when(When::List("f")),
            ],
            example: [
                "sum [2]R + scale 2.0 ∘ (sum [2]R + project 0 of [2]R)",
                "sum [2]R + (scale 2.0 ∘ sum [2]R + scale 2.0 ∘ project 0 of [2]R)",
            ],
        }),
    },
    Law {
        name: "add forks",
        equation: "(m₁ × m₂) ⊕ (n₁ × n₂) = (m₁ ⊕ n₁) × (m₂ ⊕ n₂)",
        source: "from 002 Fig. 4, semantics of × and ⊕",
        statement: Rewrite(Rule {
            cases: &[case("fork fₓ + fork gₓ", "fork (fₓ + gₓ)")],
            example: ["id R × scale 2.0 + scale 3.0 × id R", "(id R + scale 3.0) × (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "a fork of sums",
        equation: "⟨fₓ ⊕ gₓ⟩ = ⟨fₓ⟩ ⊕ ⟨gₓ⟩",
        source: "from 002 Fig. 4, semantics of × and ⊕",
        statement: Trial(Rule {
            cases: &[case("fork (fₓ + gₓ)", "fork fₓ + fork gₓ")],
            example: ["(id R + scale 3.0) × (scale 2.0 + id R)", "id R × scale 2.0 + scale 3.0 × id R"],
        }),
    },
    Law {
        name: "a map goes into a sum on its right",
        equation: "(m₁ ⊕ m₂) ∘ n = (m₁ ∘ n) ⊕ (m₂ ∘ n)",
        source: "from 002 Fig. 4",
        statement: Trial(Rule {
            cases: &[case("sum fₓ ∘ m", "sum (fₓ ∘ m)").when(When::Few("f"))],
            example: [
                "(project 0 of (R, R) + project 1 of (R, R)) ∘ inject 0 into (R, R)",
                "project 0 of (R, R) ∘ inject 0 into (R, R) + project 1 of (R, R) ∘ inject 0 into (R, R)",
            ],
        }),
    },
    // over an index; a sum of sums that is written out is one sum
    Law {
        name: "a sum of sums",
        equation: "Σₓ (fₓ ⊕ gₓ) = (Σₓ fₓ) ⊕ (Σₓ gₓ)",
        source: "from 002 §2.2",
        statement: Trial(Rule {
            cases: &[case("sum (fₓ + gₓ)", "sum fₓ + sum gₓ")],
            example: ["(id R + scale 2.0) + (scale 3.0 + id R)", "(id R + scale 3.0) + (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "add joins",
        equation: "(m₁ ⋈ m₂) ⊕ (n₁ ⋈ n₂) = (m₁ ⊕ n₁) ⋈ (m₂ ⊕ n₂)",
        source: "from 002 Fig. 4, semantics of ⋈ and ⊕",
        statement: Rewrite(Rule {
            cases: &[case("join fₓ + join gₓ", "join (fₓ + gₓ)")],
            example: ["id R ⋈ scale 2.0 + scale 3.0 ⋈ id R", "(id R + scale 3.0) ⋈ (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "add maps part by part",
        equation: "Π fₓ ⊕ Π gₓ = Π (fₓ ⊕ gₓ)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("each fₓ + each gₓ", "each (fₓ + gₓ)")],
            example: [
                "each (id R, sum [2]R) + each (scale 3.0, sum [2]R)",
                "each (id R + scale 3.0, sum [2]R + sum [2]R)",
            ],
        }),
    },
    Law {
        name: "a sum over projections is a join",
        equation: "Σₓ (gₓ ∘ πₓ) = [gₓ]",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("sum (fₓ ∘ project x)", "join fₓ")],
            example: ["scale 2.0 ∘ project 0 of (R, R) + scale 3.0 ∘ project 1 of (R, R)", "scale 2.0 ⋈ scale 3.0"],
        }),
    },
    Law {
        name: "a sum over injections is a fork",
        equation: "Σₓ (ιₓ ∘ fₓ) = ⟨fₓ⟩",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("sum (inject x ∘ fₓ)", "fork fₓ")],
            example: ["inject 0 into (R, R) ∘ scale 2.0 + inject 1 into (R, R) ∘ scale 3.0", "scale 2.0 × scale 3.0"],
        }),
    },
];
