//! Relational reduction.   [003 §2.2.3]

use super::Statement::{Maps, Rewrite, Vectors};
use super::{Law, Rule, case, chain, plus, total};
use crate::map::LinearMap;
use crate::pattern::When;
use crate::relation::Relation;
use crate::space::Space;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "relational reduction",
        equation: "(red_R(v))_y = Σ_{(x, y) ∈ R} v_x",
        source: "003 §2.2.3",
        statement: Vectors(|s| {
            let (from, to, element) = (s.size(), s.size(), s.space());
            let relation = s.relation(from, to);
            let v = s.numbers(&relation.domain(&element));
            let width = element.dimension();
            let mut sums = vec![0.0; to * width];
            relation.each_pair(|x, y| {
                for at in 0..width {
                    sums[y * width + at] += v[x * width + at];
                }
            });
            (LinearMap::reduce(relation, element).apply(&v), sums)
        }),
    },
    Law {
        name: "a map on every element",
        equation: "fˣ = Πₓ f",
        source: "003 §2.2.3",
        statement: Maps(|s| {
            let (f, n) = (s.any_map(), 1 + s.below(3));
            let each = LinearMap::each_array(vec![f.clone(); n]).expect("the same spaces");
            (LinearMap::map(n, f), each)
        }),
    },
    Law {
        name: "replication",
        equation: "rep_Y = red_{1 × Y} ∘ ι₁",
        source: "003 §2.2.3",
        statement: Maps(|s| {
            let (n, v) = (s.size(), s.space());
            let all = Relation::pairs((0..n).map(|y| (0, y)).collect(), 1, n).expect("indices of both");
            let inject = LinearMap::inject(0, Space::array(1, v.clone())).expect("the one element");
            (LinearMap::reduce(Relation::Replicate(n), v.clone()), chain([LinearMap::reduce(all, v), inject]))
        }),
    },
    Law {
        name: "summation",
        equation: "Σ_Y = π₁ ∘ red_{Y × 1}",
        source: "003 §2.2.3",
        statement: Maps(|s| {
            let (n, v) = (s.size(), s.space());
            let all = Relation::pairs((0..n).map(|x| (x, 0)).collect(), n, 1).expect("indices of both");
            let project = LinearMap::project(0, Space::array(1, v.clone())).expect("the one element");
            (LinearMap::reduce(Relation::Sum(n), v.clone()), chain([project, LinearMap::reduce(all, v)]))
        }),
    },
    Law {
        name: "addition",
        equation: "(+) = Σ₂",
        source: "003 §2.2.3",
        statement: Vectors(|s| {
            let v = s.space();
            let (x, y) = (s.numbers(&v), s.numbers(&v));
            (plus(&x, &y), LinearMap::reduce(Relation::Sum(2), v).apply(&[x, y].concat()))
        }),
    },
    Law {
        name: "duplication",
        equation: "dup = rep₂",
        source: "003 §2.2.3",
        statement: Vectors(|s| {
            let v = s.space();
            let x = s.numbers(&v);
            let both = LinearMap::reduce(Relation::Replicate(2), v).apply(&x);
            ([x.clone(), x].concat(), both)
        }),
    },
    Law {
        name: "prefix sums",
        equation: "scanₙ = red_{{(i, j) | i ≤ j}}",
        source: "003 §2.2.3",
        statement: Maps(|s| {
            let (n, v) = (s.size(), s.space());
            let pairs = (0..n).flat_map(|j| (0..=j).map(move |i| (i, j))).collect();
            let relation = Relation::pairs(pairs, n, n).expect("indices of both");
            (LinearMap::reduce(Relation::Prefix(n), v.clone()), LinearMap::reduce(relation, v))
        }),
    },
    Law {
        name: "fork by replication",
        equation: "⟨f_y⟩ = Π f_y ∘ rep_Y",
        source: "003 §2.2.3",
        statement: Maps(|s| {
            let (a, b, n) = (s.space(), s.space(), 1 + s.below(3));
            let fork = s.fork(&a, &Space::array(n, b));
            let each = LinearMap::each_array(fork.children().to_vec()).expect("the same spaces");
            (fork, chain([each, LinearMap::reduce(Relation::Replicate(n), a)]))
        }),
    },
    Law {
        name: "join by summation",
        equation: "[gₓ] = Σ_X ∘ Π gₓ",
        source: "003 §2.2.3",
        statement: Maps(|s| {
            let (a, b, n) = (s.space(), s.space(), 1 + s.below(3));
            let join = s.join(&Space::array(n, a), &b);
            let each = LinearMap::each_array(join.children().to_vec()).expect("the same spaces");
            (join, chain([LinearMap::reduce(Relation::Sum(n), b), each]))
        }),
    },
    Law {
        name: "compose reductions",
        equation: "red_S ∘ red_R = red_{S ∘ R} where the paths are unique",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("reduce S ∘ reduce R", "reduce (S ∘ R)")],
            example: ["gather [1, 0] of [3]R ∘ gather [4, 3, 2] of [5]R", "gather [3, 4] of [5]R"],
        }),
    },
    Law {
        name: "reduction by the identity",
        equation: "red_{{(x, x)}} = 1",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("reduce R", "id").when(When::Identity("R"))],
            example: ["gather [0, 1, 2] of [3]R", "id [3]R"],
        }),
    },
    Law {
        name: "a fork of projections is a gather",
        equation: "V [π_{iₓ}] = red_{{(iₓ, x)}}",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("fork (project iₓ)", "reduce (gather iₓ)").when(When::OfArray)],
            example: ["fork [project 2 of [3]R, project 0 of [3]R]", "gather [2, 0] of [3]R"],
        }),
    },
    Law {
        name: "a join of identities is a sum",
        equation: "H [1, …, 1] = Σₙ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("join id", "reduce Σ")],
            example: ["join [id R, id R, id R]", "sum [3]R"],
        }),
    },
    Law {
        name: "a fork of identities is a replicate",
        equation: "V [1, …, 1] = repₙ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("fork id", "(reduce Σ)ᵀ")],
            example: ["fork [id R, id R, id R]", "replicate [3]R"],
        }),
    },
    Law {
        name: "sum after replicate",
        equation: "Σₙ ∘ repₙ = S(n)",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("reduce S ∘ reduce R", "scale (paths S R)")],
            example: ["sum [3]R ∘ replicate [3]R", "scale 3.0"],
        }),
    },
    Law {
        name: "project after reduction",
        equation: "π_y ∘ red_R = πₓ where R relates y to x alone",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[
                case("project y ∘ reduce R", "id").when(When::Replicates("R")),
                case("project y ∘ reduce R", "0").when(When::NoSource("R", "y")),
                case("project y ∘ reduce R", "project (source R y)"),
            ],
            example: ["project 1 of [2]R ∘ gather [4, 3] of [5]R", "project 3 of [5]R"],
        }),
    },
    Law {
        name: "reduction after inject",
        equation: "red_R ∘ ιₓ = ι_y where R relates x to y alone",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[
                case("reduce R ∘ inject y", "id").when(When::Sums("R")),
                case("reduce R ∘ inject y", "0").when(When::NoTarget("R", "y")),
                case("reduce R ∘ inject y", "inject (target R y)"),
            ],
            example: ["sum [3]R ∘ inject 1 into [3]R", "id R"],
        }),
    },
    Law {
        name: "map after replicate",
        equation: "fⁿ ∘ repₙ = repₙ ∘ f",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("each f ∘ reduce R", "reduce R ∘ f").when(When::Replicates("R"))],
            example: ["map 3 (sum [2]R) ∘ replicate [3][2]R", "replicate [3]R ∘ sum [2]R"],
        }),
    },
    Law {
        name: "sum after map",
        equation: "Σₙ ∘ fⁿ = f ∘ Σₙ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            cases: &[case("reduce R ∘ each f", "f ∘ reduce R").when(When::Sums("R"))],
            example: ["sum [3]R ∘ map 3 (scale 2.0)", "scale 2.0 ∘ sum [3]R"],
        }),
    },
    Law {
        name: "a sum of projections of an array",
        equation: "π₀ ⊕ … ⊕ πₙ₋₁ = Σₙ",
        source: "from 003 §2.2.3",
        statement: Maps(|s| {
            let (n, v) = (1 + s.below(3), s.space());
            let array = Space::array(n, v.clone());
            let project = |i| LinearMap::project(i, array.clone()).expect("an element");
            (total((0..n).map(project)), LinearMap::reduce(Relation::Sum(n), v))
        }),
    },
];
