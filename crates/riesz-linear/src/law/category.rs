//! Composition: a category with zero maps.   [002 Fig. 4 "Properties"]

use super::Statement::{Maps, Rewrite};
use super::{Law, Rule, case, chain};

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "zero after map",
        equation: "0 ∘ m = 0",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("0 ∘ m", "0")],
            example: ["(0 : R -o [2]R) ∘ scale inf", "0 : R -o [2]R"],
        }),
    },
    Law {
        name: "map after zero",
        equation: "m ∘ 0 = 0",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("m ∘ 0", "0")],
            example: ["scale nan ∘ (0 : [2]R -o R)", "0 : [2]R -o R"],
        }),
    },
    Law {
        name: "identity after map",
        equation: "1 ∘ m = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule { cases: &[case("id ∘ m", "m")], example: ["id R ∘ scale 2.0", "scale 2.0"] }),
    },
    Law {
        name: "map after identity",
        equation: "m ∘ 1 = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule { cases: &[case("m ∘ id", "m")], example: ["scale 2.0 ∘ id R", "scale 2.0"] }),
    },
    // what the simplifier opens nested compositions by
    Law {
        name: "composition is associative",
        equation: "(m₁ ∘ m₂) ∘ m₃ = m₁ ∘ (m₂ ∘ m₃)",
        source: "from 004 §4",
        statement: Maps(|s| {
            let (a, b, c, d) = (s.space(), s.space(), s.space(), s.space());
            let (m1, m2, m3) = (s.map(&c, &d), s.map(&b, &c), s.map(&a, &b));
            (chain([chain([m1.clone(), m2.clone()]), m3.clone()]), chain([m1, chain([m2, m3])]))
        }),
    },
];
