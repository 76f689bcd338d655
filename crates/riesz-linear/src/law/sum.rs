//! Sums: maps with the same spaces form a vector space, and composition is linear on both sides.   [002 §2.2, Fig. 4]

use super::Statement::{Maps, Rewrite, Trial};
use super::{Law, Rule, case, chain, total};
use crate::map::{Form, LinearMap};
use crate::pattern::{When, multiple};

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "add zero on the right",
        equation: "m ⊕ 0 = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("m + 0", "m")],
            sample: |s| {
                let m = s.any_map();
                let zero = LinearMap::zero(m.domain().clone(), m.codomain().clone());
                total([m, zero])
            },
            example: ["scale 2.0 + (0 : R -o R)", "scale 2.0"],
        }),
    },
    Law {
        name: "add zero on the left",
        equation: "0 ⊕ m = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("0 + m", "m")],
            sample: |s| {
                let m = s.any_map();
                total([LinearMap::zero(m.domain().clone(), m.codomain().clone()), m])
            },
            example: ["(0 : R -o R) + scale 2.0", "scale 2.0"],
        }),
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
            sample: |s| {
                let m = s.any_map();
                total([multiple(s.number(), m.clone()), multiple(s.number(), m)])
            },
            example: ["project 0 of (R, R) + scale 2.0 ∘ project 0 of (R, R)", "scale 3.0 ∘ project 0 of (R, R)"],
        }),
    },
    Law {
        name: "a map comes out of a sum on the left",
        equation: "(m ∘ n₁) ⊕ (m ∘ n₂) = m ∘ (n₁ ⊕ n₂)",
        source: "from 002 §2.1 (LM1)",
        statement: Rewrite(Rule {
            cases: &[case("sum (m ∘ fₓ)", "m ∘ sum fₓ")],
            sample: |s| {
                let (a, b, c) = (s.space(), s.space(), s.space());
                let m = s.map(&b, &c);
                total([chain([m.clone(), s.map(&a, &b)]), chain([m, s.map(&a, &b)])])
            },
            example: ["sum [2]R ∘ prefix [2]R + sum [2]R ∘ reverse [2]R", "sum [2]R ∘ (prefix [2]R + reverse [2]R)"],
        }),
    },
    Law {
        name: "a map comes out of a sum on the right",
        equation: "(m₁ ∘ n) ⊕ (m₂ ∘ n) = (m₁ ⊕ m₂) ∘ n",
        source: "from 002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("sum (fₓ ∘ m)", "sum fₓ ∘ m")],
            sample: |s| {
                let (a, b, c) = (s.space(), s.space(), s.space());
                let n = s.map(&a, &b);
                total([chain([s.map(&b, &c), n.clone()]), chain([s.map(&b, &c), n])])
            },
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
            sample: |s| {
                let (a, b) = (s.space(), s.space());
                let (m, k) = (s.map(&a, &b), LinearMap::scale(s.number(), b.clone()));
                let sum = total([s.map(&a, &b), s.map(&a, &b)]);
                if s.below(2) == 0 { total([m, chain([k, sum])]) } else { total([chain([k, sum]), m]) }
            },
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
            sample: |s| {
                let (a, family) = (s.space(), s.family());
                total([s.fork(&a, &family), s.fork(&a, &family)])
            },
            example: ["id R × scale 2.0 + scale 3.0 × id R", "(id R + scale 3.0) × (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "a fork of sums",
        equation: "⟨fₓ ⊕ gₓ⟩ = ⟨fₓ⟩ ⊕ ⟨gₓ⟩",
        source: "from 002 Fig. 4, semantics of × and ⊕",
        statement: Trial(Rule {
            cases: &[case("fork (fₓ + gₓ)", "fork fₓ + fork gₓ")],
            sample: |s| {
                let (a, family) = (s.space(), s.family());
                let (f, g) = (s.fork(&a, &family), s.fork(&a, &family));
                let sums = f.children().iter().zip(g.children()).map(|(f, g)| total([f.clone(), g.clone()]));
                LinearMap::new(a, family, Form::Fork(sums.collect()))
            },
            example: ["(id R + scale 3.0) × (scale 2.0 + id R)", "id R × scale 2.0 + scale 3.0 × id R"],
        }),
    },
    // over an index; a sum of sums that is written out is one sum
    Law {
        name: "a sum of sums",
        equation: "Σₓ (fₓ ⊕ gₓ) = (Σₓ fₓ) ⊕ (Σₓ gₓ)",
        source: "from 002 §2.2",
        statement: Trial(Rule {
            cases: &[case("sum (fₓ + gₓ)", "sum fₓ + sum gₓ")],
            sample: |s| {
                let (a, b) = (s.space(), s.space());
                let sums = (0..1 + s.below(3)).map(|_| total([s.map(&a, &b), s.map(&a, &b)]));
                LinearMap::add(sums.collect()).expect("the same spaces")
            },
            example: ["(id R + scale 2.0) + (scale 3.0 + id R)", "(id R + scale 3.0) + (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "add joins",
        equation: "(m₁ ⋈ m₂) ⊕ (n₁ ⋈ n₂) = (m₁ ⊕ n₁) ⋈ (m₂ ⊕ n₂)",
        source: "from 002 Fig. 4, semantics of ⋈ and ⊕",
        statement: Rewrite(Rule {
            cases: &[case("join fₓ + join gₓ", "join (fₓ + gₓ)")],
            sample: |s| {
                let (family, b) = (s.family(), s.space());
                total([s.join(&family, &b), s.join(&family, &b)])
            },
            example: ["id R ⋈ scale 2.0 + scale 3.0 ⋈ id R", "(id R + scale 3.0) ⋈ (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "add maps part by part",
        equation: "Π fₓ ⊕ Π gₓ = Π (fₓ ⊕ gₓ)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("each fₓ + each gₓ", "each (fₓ + gₓ)")],
            sample: |s| {
                let family = s.family();
                let like = s.family_like(&family);
                total([s.each(&family, &like), s.each(&family, &like)])
            },
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
            sample: |s| {
                let (family, b) = (s.family(), s.space());
                let join = s.join(&family, &b);
                let terms = join.children().iter().enumerate().map(|(x, g)| {
                    chain([g.clone(), LinearMap::project(x, family.clone()).expect("a part of the family")])
                });
                LinearMap::add(terms.collect()).expect("the same spaces")
            },
            example: ["scale 2.0 ∘ project 0 of (R, R) + scale 3.0 ∘ project 1 of (R, R)", "scale 2.0 ⋈ scale 3.0"],
        }),
    },
    Law {
        name: "a sum over injections is a fork",
        equation: "Σₓ (ιₓ ∘ fₓ) = ⟨fₓ⟩",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("sum (inject x ∘ fₓ)", "fork fₓ")],
            sample: |s| {
                let (a, family) = (s.space(), s.family());
                let fork = s.fork(&a, &family);
                let terms = fork.children().iter().enumerate().map(|(x, f)| {
                    chain([LinearMap::inject(x, family.clone()).expect("a part of the family"), f.clone()])
                });
                LinearMap::add(terms.collect()).expect("the same spaces")
            },
            example: ["inject 0 into (R, R) ∘ scale 2.0 + inject 1 into (R, R) ∘ scale 3.0", "scale 2.0 × scale 3.0"],
        }),
    },
];
