//! Unitary operators.   [003 §3.2]
//!
//! Since tensor products are strict here, `⟨_`, `_⟩`, `assoc` and `distrib` are identities: both sides of their laws are the
//! same numbers in the same space.

use super::Statement::{Maps, Rewrite, Vectors};
use super::{Law, Rule, case};
use crate::map::LinearMap;
use crate::pattern::When;
use crate::sample::Sampler;
use crate::space::Space;
use crate::vector::Vector;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "left unit",
        equation: "⟨v = 1 ⊗ v",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let a = s.space();
            let v = s.vector(&a);
            (v.values().to_vec(), Vector::number(1.0).tensor(&v).values().to_vec())
        }),
    },
    Law {
        name: "left unit back",
        equation: "|k ⊗ v| = k · v",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let (a, k) = (s.space(), s.number());
            let v = s.vector(&a);
            (Vector::number(k).tensor(&v).values().to_vec(), v.scale(k).values().to_vec())
        }),
    },
    Law {
        name: "right unit",
        equation: "v⟩ = v ⊗ 1",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let a = s.space();
            let v = s.vector(&a);
            (v.values().to_vec(), v.tensor(&Vector::number(1.0)).values().to_vec())
        }),
    },
    Law {
        name: "right unit back",
        equation: "|v ⊗ k| = k · v",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let (a, k) = (s.space(), s.number());
            let v = s.vector(&a);
            (v.tensor(&Vector::number(k)).values().to_vec(), v.scale(k).values().to_vec())
        }),
    },
    Law {
        name: "units of the tensor product",
        equation: "R ⊗ V = V = V ⊗ R",
        source: "from 003 §3.2",
        statement: Maps(|s| {
            let v = s.space();
            let tensor = if s.below(2) == 0 { Space::Real.tensor(&v) } else { v.tensor(&Space::Real) };
            (LinearMap::identity(tensor), LinearMap::identity(v))
        }),
    },
    Law {
        name: "exchange",
        equation: "(v ⊗ w)ᵀ = w ⊗ v",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let (a, b) = (s.space(), s.space());
            let (v, w) = (s.vector(&a), s.vector(&b));
            let exchange = LinearMap::transpose(a, b, Space::Real);
            (exchange.apply(v.tensor(&w).values()), w.tensor(&v).values().to_vec())
        }),
    },
    Law {
        name: "reassociate",
        equation: "assoc((u ⊗ v) ⊗ w) = u ⊗ (v ⊗ w)",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let [u, v, w] = three(s);
            let (left, right) = (u.tensor(&v).tensor(&w), u.tensor(&v.tensor(&w)));
            (reshaped(&left, right.space()), right.values().to_vec())
        }),
    },
    Law {
        name: "reassociate back",
        equation: "assoc⁻¹(u ⊗ (v ⊗ w)) = (u ⊗ v) ⊗ w",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let [u, v, w] = three(s);
            let (left, right) = (u.tensor(&v.tensor(&w)), u.tensor(&v).tensor(&w));
            (reshaped(&left, right.space()), right.values().to_vec())
        }),
    },
    Law {
        name: "the tensor product is associative",
        equation: "(U ⊗ V) ⊗ W = U ⊗ (V ⊗ W)",
        source: "from 003 §3.2",
        statement: Maps(|s| {
            let (u, v, w) = (s.space(), s.space(), s.space());
            (LinearMap::identity(u.tensor(&v).tensor(&w)), LinearMap::identity(u.tensor(&v.tensor(&w))))
        }),
    },
    Law {
        name: "distribute",
        equation: "distrib((⊕ vₓ) ⊗ w) = ⊕ (vₓ ⊗ w)",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let (family, b) = (s.family(), s.space());
            let (v, w) = (s.vector(&family), s.vector(&b));
            let parts = (0..family.count()).filter_map(|x| LinearMap::project(x, family.clone()).ok());
            let tensors = parts.flat_map(|project| {
                let part = Vector::new(project.codomain().clone(), project.apply(v.values())).expect("a part");
                part.tensor(&w).values().to_vec()
            });
            (v.tensor(&w).values().to_vec(), tensors.collect())
        }),
    },
    Law {
        name: "the tensor product distributes",
        equation: "(⊕ Vₓ) ⊗ W = ⊕ (Vₓ ⊗ W)",
        source: "from 003 §3.2",
        statement: Maps(|s| {
            let (v1, v2, w) = (s.space(), s.space(), s.space());
            let (left, right) = (Space::product([v1.clone(), v2.clone()]).tensor(&w), [v1.tensor(&w), v2.tensor(&w)]);
            (LinearMap::identity(left), LinearMap::identity(Space::product(right)))
        }),
    },
    Law {
        name: "zip",
        equation: "(zip(v, w))ₓ = (vₓ, wₓ)",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let first = s.family();
            let second = s.family_like(&first);
            let (v, w, x) = (s.numbers(&first), s.numbers(&second), s.below(first.count()));
            let zip = LinearMap::zip(&[first.clone(), second.clone()]).expect("families that are alike");
            let project = |space: &Space| LinearMap::project(x, space.clone()).expect("a part of the family");
            let zipped = project(zip.codomain()).apply(&zip.apply(&[v.clone(), w.clone()].concat()));
            (zipped, [project(&first).apply(&v), project(&second).apply(&w)].concat())
        }),
    },
    Law {
        name: "tensor products of arrays",
        equation: "Vˣ ⊗ Wʸ ≅ (V ⊗ W)^(X × Y)",
        source: "003 §3.2",
        statement: Vectors(|s| {
            let (m, n, a, b) = (1 + s.below(3), 1 + s.below(3), s.space(), s.space());
            let (v, w) = (s.vector(&Space::array(m, a.clone())), s.vector(&Space::array(n, b.clone())));
            let exchange = LinearMap::map(m, LinearMap::transpose(a.clone(), Space::reals(n), b.clone()));
            let elements = |vector: &Vector, space: &Space| -> Vec<Vector> {
                let width = space.dimension();
                let element = |i: usize| vector.values()[i * width..(i + 1) * width].to_vec();
                (0..vector.space().count())
                    .map(|i| Vector::new(space.clone(), element(i)).expect("an element"))
                    .collect()
            };
            let (vs, ws) = (elements(&v, &a), elements(&w, &b));
            let products = vs.iter().flat_map(|v| ws.iter().flat_map(move |w| v.tensor(w).values().to_vec()));
            (exchange.apply(v.tensor(&w).values()), products.collect())
        }),
    },
    Law {
        name: "a unitary map after its adjoint",
        equation: "u ∘ u⁻¹ = 1",
        source: "003 §3.2",
        statement: Rewrite(Rule {
            cases: &[case("unitary U ∘ unitary V", "id").when(When::All(&[When::Inverse("U", "V"), When::SameSpaces]))],
            example: ["unzip ([2]R, [2]R) ∘ zip ([2]R, [2]R)", "id ([2]R, [2]R)"],
        }),
    },
    Law {
        name: "compose reshapes",
        equation: "reshape ∘ reshape = reshape",
        source: "from 003 §3.2",
        statement: Rewrite(Rule {
            cases: &[case("unitary U ∘ unitary V", "unitary U").when(When::Reshapes(&["U", "V"]))],
            example: ["reshape [4]R to [2][2]R ∘ reshape (R, R, R, R) to [4]R", "reshape (R, R, R, R) to [2][2]R"],
        }),
    },
    Law {
        name: "reshape to the same space",
        equation: "reshape V to V = 1",
        source: "from 003 §3.2",
        statement: Rewrite(Rule {
            cases: &[case("unitary U", "id").when(When::All(&[When::Reshapes(&["U"]), When::SameSpaces]))],
            example: ["reshape [4]R to [4]R", "id [4]R"],
        }),
    },
];

fn three(s: &mut Sampler) -> [Vector; 3] {
    let spaces = [s.space(), s.space(), s.space()];
    spaces.map(|space| s.vector(&space))
}

/// The same numbers as a vector of another space, by the unitary operator.
fn reshaped(vector: &Vector, space: &Space) -> Vec<f64> {
    LinearMap::reshape(vector.space().clone(), space.clone()).expect("the same dimension").apply(vector.values())
}
