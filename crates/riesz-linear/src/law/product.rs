//! Products and arrays: fork, join, project, inject, and maps part by part.   [002 Fig. 4, 003 §2.2.2, §2.2.3]

use super::Statement::{Maps, Rewrite, Trial};
use super::{Law, Rule, case, chain};
use crate::map::{Form, LinearMap};
use crate::pattern::When;
use crate::sample::Sampler;
use crate::space::Space;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "join after fork",
        equation: "(m₁ ⋈ m₂) ∘ (n₁ × n₂) = (m₁ ∘ n₁) ⊕ (m₂ ∘ n₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("join fₓ ∘ fork gₓ", "sum (fₓ ∘ gₓ)")],
            example: ["(scale 2.0 ⋈ scale 3.0) ∘ (id R × scale 5.0)", "scale 2.0 ∘ id R + scale 3.0 ∘ scale 5.0"],
        }),
    },
    Law {
        name: "map into join",
        equation: "m ∘ (n₁ ⋈ n₂) = (m ∘ n₁) ⋈ (m ∘ n₂)",
        source: "002 Fig. 4",
        statement: Trial(Rule {
            cases: &[case("m ∘ join fₓ", "join (m ∘ fₓ)")],
            example: ["scale 2.0 ∘ (id R ⋈ scale 3.0)", "scale 2.0 ∘ id R ⋈ scale 2.0 ∘ scale 3.0"],
        }),
    },
    Law {
        name: "fork after map",
        equation: "(n₁ × n₂) ∘ m = (n₁ ∘ m) × (n₂ ∘ m)",
        source: "from 002 Fig. 4, semantics of × and ∘",
        statement: Trial(Rule {
            cases: &[case("fork fₓ ∘ m", "fork (fₓ ∘ m)")],
            example: ["(id R × scale 3.0) ∘ scale 2.0", "id R ∘ scale 2.0 × scale 3.0 ∘ scale 2.0"],
        }),
    },
    Law {
        name: "a map comes out of a fork",
        equation: "(n₁ ∘ m) × (n₂ ∘ m) = (n₁ × n₂) ∘ m",
        source: "from 002 Fig. 4, semantics of × and ∘",
        statement: Rewrite(Rule {
            cases: &[case("fork (fₓ ∘ m)", "fork fₓ ∘ m")],
            example: ["sum [3]R × scale 2.0 ∘ sum [3]R", "(id R × scale 2.0) ∘ sum [3]R"],
        }),
    },
    Law {
        name: "a map comes out of a join",
        equation: "(m ∘ n₁) ⋈ (m ∘ n₂) = m ∘ (n₁ ⋈ n₂)",
        source: "from 002 Fig. 4",
        statement: Rewrite(Rule {
            cases: &[case("join (m ∘ fₓ)", "m ∘ join fₓ")],
            example: ["replicate [3]R ⋈ replicate [3]R ∘ scale 2.0", "replicate [3]R ∘ (id R ⋈ scale 2.0)"],
        }),
    },
    Law {
        name: "project after fork",
        equation: "πᵢ ∘ (f₁ × … × fₙ) = fᵢ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("project i ∘ fork fₓ", "fᵢ")],
            example: ["project 1 of (R, R) ∘ (id R × scale 2.0)", "scale 2.0"],
        }),
    },
    Law {
        name: "join after inject",
        equation: "(f₁ ⋈ … ⋈ fₙ) ∘ ιᵢ = fᵢ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("join fₓ ∘ inject i", "fᵢ")],
            example: ["(id R ⋈ scale 2.0) ∘ inject 1 into (R, R)", "scale 2.0"],
        }),
    },
    Law {
        name: "project after inject",
        equation: "πᵢ ∘ ιᵢ = 1, πᵢ ∘ ιⱼ = 0",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[
                case("project i ∘ inject i", "id"),
                case("project i ∘ inject j", "0").when(When::Differ("i", "j")),
            ],
            example: ["project 0 of (R, [2]R) ∘ inject 1 into (R, [2]R)", "0 : [2]R -o R"],
        }),
    },
    Law {
        name: "project after each",
        equation: "πᵢ ∘ Π fₓ = fᵢ ∘ πᵢ",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("project i ∘ each fₓ", "fᵢ ∘ project i")],
            example: ["project 1 of (R, R) ∘ each (id R, scale 2.0)", "scale 2.0 ∘ project 1 of (R, R)"],
        }),
    },
    Law {
        name: "each after inject",
        equation: "Π fₓ ∘ ιᵢ = ιᵢ ∘ fᵢ",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("each fₓ ∘ inject i", "inject i ∘ fᵢ")],
            example: ["map 3 (scale 2.0) ∘ inject 1 into [3]R", "inject 1 into [3]R ∘ scale 2.0"],
        }),
    },
    Law {
        name: "a part of a map part by part",
        equation: "πᵢ ∘ Π fₓ ∘ ιᵢ = fᵢ",
        source: "003 §2.2.2",
        statement: Maps(|s| {
            let family = s.family();
            let (each, i) = (part_by_part(s, &family), s.below(family.count()));
            let project = LinearMap::project(i, each.codomain().clone()).expect("a part of the family");
            let inject = LinearMap::inject(i, family).expect("a part of the family");
            let part = part_of(&each, i).expect("a part of the family");
            (chain([project, each, inject]), part)
        }),
    },
    Law {
        name: "another part of a map part by part",
        equation: "π_z ∘ Π fₓ ∘ ι_y = 0 for y ≠ z",
        source: "003 §2.2.2",
        statement: Maps(|s| {
            let (v, w) = (s.space(), s.space());
            let family = Space::product([v, w, Space::Real]);
            let (each, y) = (part_by_part(s, &family), s.below(3));
            let z = (y + 1 + s.below(2)) % 3;
            let project = LinearMap::project(z, each.codomain().clone()).expect("a part of the family");
            let inject = LinearMap::inject(y, family).expect("a part of the family");
            let zero = LinearMap::zero(inject.domain().clone(), project.codomain().clone());
            (chain([project, each, inject]), zero)
        }),
    },
    Law {
        name: "each after fork",
        equation: "(Π fₓ) ∘ ⟨gₓ⟩ = ⟨fₓ ∘ gₓ⟩",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("each fₓ ∘ fork gₓ", "fork (fₓ ∘ gₓ)")],
            example: ["each (scale 2.0, id R) ∘ (id R × id R)", "scale 2.0 ∘ id R × id R ∘ id R"],
        }),
    },
    Law {
        name: "join after each",
        equation: "[gₓ] ∘ (Π fₓ) = [gₓ ∘ fₓ]",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("join fₓ ∘ each gₓ", "join (fₓ ∘ gₓ)")],
            example: ["(id R ⋈ id R) ∘ each (scale 2.0, id R)", "id R ∘ scale 2.0 ⋈ id R ∘ id R"],
        }),
    },
    Law {
        name: "each after each",
        equation: "(Π gₓ) ∘ (Π fₓ) = Π (gₓ ∘ fₓ)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            cases: &[case("each fₓ ∘ each gₓ", "each (fₓ ∘ gₓ)")],
            example: ["map 3 (scale 2.0) ∘ map 3 (sum [2]R)", "map 3 (scale 2.0 ∘ sum [2]R)"],
        }),
    },
    Law {
        name: "fork of projections",
        equation: "π₁ × … × πₙ = 1",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("fork (project x)", "id").when(When::SameSpaces)],
            example: ["project 0 of (R, [2]R) × project 1 of (R, [2]R)", "id (R, [2]R)"],
        }),
    },
    Law {
        name: "a fork of maps of the parts",
        equation: "⟨fₓ ∘ πₓ⟩ = Π fₓ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("fork (fₓ ∘ project x)", "each fₓ").when(When::Alike)],
            example: ["sum [2]R ∘ project 0 of ([2]R, R) × project 1 of ([2]R, R)", "each (sum [2]R, id R)"],
        }),
    },
    Law {
        name: "join of injections",
        equation: "ι₁ ⋈ … ⋈ ιₙ = 1",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("join (inject x)", "id").when(When::SameSpaces)],
            example: ["join [inject 0 into [2]R, inject 1 into [2]R]", "id [2]R"],
        }),
    },
    Law {
        name: "each of identities",
        equation: "Π 1 = 1",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule { cases: &[case("each id", "id")], example: ["map 3 (id [2]R)", "id [3][2]R"] }),
    },
    Law {
        name: "a family of zeros",
        equation: "0 × 0 = 0, 0 ⋈ 0 = 0, Π 0 = 0",
        source: "from 002 Fig. 4, semantics of 0",
        statement: Rewrite(Rule {
            cases: &[case("fork 0", "0"), case("join 0", "0"), case("each 0", "0"), case("sum 0", "0")],
            example: ["(0 : R -o R) × (0 : R -o [2]R)", "0 : R -o (R, [2]R)"],
        }),
    },
    Law {
        name: "each of one map",
        equation: "Π f = fⁿ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("each f", "map f").when(When::OfArray)],
            example: ["each [sum [2]R, sum [2]R]", "map 2 (sum [2]R)"],
        }),
    },
];

/// The map of a part, of a map part by part.
fn part_of(each: &LinearMap, index: usize) -> Option<LinearMap> {
    match each.form() {
        Form::Each(maps) => maps.get(index).cloned(),
        Form::Map(map) => Some(map.clone()),
        _ => None,
    }
}

/// A map part by part, for an array perhaps of one map.
fn part_by_part(s: &mut Sampler, family: &Space) -> LinearMap {
    let like = s.family_like(family);
    let each = s.each(family, &like);
    match family {
        Space::Array(n, _) if s.below(2) == 0 => LinearMap::map(*n, each.children()[0].clone()),
        _ => each,
    }
}
