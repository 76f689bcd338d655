//! Multiples.   [002 §2.1, §2.7, Fig. 4]

use super::Statement::{Rewrite, Slide};
use super::{Law, Rule, case, chain, total};
use crate::map::LinearMap;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose scales",
        equation: "S(k₁) ∘ S(k₂) = S(k₁ k₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("scale k ∘ scale l", "scale (k * l)")],
            sample: |s| {
                let a = s.space();
                chain([LinearMap::scale(s.number(), a.clone()), LinearMap::scale(s.number(), a)])
            },
            example: ["scale 2.0 ∘ scale 3.0", "scale 6.0"],
        }),
    },
    Law {
        name: "add scales",
        equation: "S(k₁) ⊕ S(k₂) = S(k₁ + k₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("scale k + scale l", "scale (k + l)"), case("sum (scale kₓ)", "scale (total kₓ)")],
            sample: |s| {
                let a = s.space();
                total([LinearMap::scale(s.number(), a.clone()), LinearMap::scale(s.number(), a)])
            },
            example: ["scale 2.0 [3]R + scale 3.0 [3]R", "scale 5.0 [3]R"],
        }),
    },
    Law {
        name: "scale by one",
        equation: "S(1) = 1",
        source: "from 002 §2.7",
        statement: Rewrite(Rule {
            cases: &[case("scale 1.0", "id")],
            sample: |s| LinearMap::scale(1.0, s.space()),
            example: ["scale 1.0", "id R"],
        }),
    },
    Law {
        name: "scale by zero",
        equation: "S(0) = 0",
        source: "from 002 §2.2",
        statement: Rewrite(Rule {
            cases: &[case("scale 0.0", "0")],
            sample: |s| LinearMap::scale(0.0, s.space()),
            example: ["scale 0.0", "0 : R -o R"],
        }),
    },
    Law {
        name: "scale slides",
        equation: "m ∘ S(k) = S(k) ∘ m",
        source: "from 002 §2.1 (LM2)",
        statement: Slide(Rule {
            cases: &[case("m ∘ scale k", "scale k ∘ m")],
            sample: |s| {
                let m = s.any_map();
                let scale = LinearMap::scale(s.number(), m.domain().clone());
                chain([m, scale])
            },
            example: ["sum [3]R ∘ scale 2.0 [3]R", "scale 2.0 ∘ sum [3]R"],
        }),
    },
];
