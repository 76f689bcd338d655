//! Multiples.   [002 §2.1, §2.7, Fig. 4]

use super::Statement::{Rewrite, Slide};
use super::{Law, Rule, case};

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose scales",
        equation: "S(k₁) ∘ S(k₂) = S(k₁ k₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("scale k ∘ scale l", "scale (k * l)")],
            example: ["scale 2.0 ∘ scale 3.0", "scale 6.0"],
        }),
    },
    Law {
        name: "add scales",
        equation: "S(k₁) ⊕ S(k₂) = S(k₁ + k₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("scale k + scale l", "scale (k + l)"), case("sum (scale kₓ)", "scale (total kₓ)")],
            example: ["scale 2.0 [3]R + scale 3.0 [3]R", "scale 5.0 [3]R"],
        }),
    },
    Law {
        name: "scale by one",
        equation: "S(1) = 1",
        source: "from 002 §2.7",
        statement: Rewrite(Rule { cases: &[case("scale 1.0", "id")], example: ["scale 1.0", "id R"] }),
    },
    Law {
        name: "scale by zero",
        equation: "S(0) = 0",
        source: "from 002 §2.2",
        statement: Rewrite(Rule { cases: &[case("scale 0.0", "0")], example: ["scale 0.0", "0 : R -o R"] }),
    },
    Law {
        name: "scale slides",
        equation: "m ∘ S(k) = S(k) ∘ m",
        source: "from 002 §2.1 (LM2)",
        statement: Slide(Rule {
            cases: &[case("m ∘ scale k", "scale k ∘ m")],
            example: ["sum [3]R ∘ scale 2.0 [3]R", "scale 2.0 ∘ sum [3]R"],
        }),
    },
];
