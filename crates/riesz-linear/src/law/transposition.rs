//! Transposition: adjoints form by form.   [002 §2.3, Fig. 5; 003 Thm 6.5]

use super::Statement::{Maps, Vectors};
use super::{Law, chain, total};
use crate::map::{Form, LinearMap};
use crate::relation::Relation;
use crate::sample::Sampler;
use crate::space::{Space, inner};
use crate::vector::Vector;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "the transpose",
        equation: "(mᵀ ⊙ t) • s = t • (m ⊙ s)",
        source: "002 Def. 2.1 (TP), 003 Prop. 6.3",
        statement: Vectors(|s| {
            let m = s.any_map();
            let (from, to) = (s.numbers(m.domain()), s.numbers(m.codomain()));
            (vec![inner(&m.adjoint().apply(&to), &from)], vec![inner(&to, &m.apply(&from))])
        }),
    },
    Law {
        name: "transpose of compose",
        equation: "(m₁ ∘ m₂)ᵀ = m₂ᵀ ∘ m₁ᵀ",
        source: "002 Fig. 5, 003 Thm 6.5",
        statement: Maps(|s| {
            let (a, b, c) = (s.space(), s.space(), s.space());
            let (m1, m2) = (s.map(&b, &c), s.map(&a, &b));
            (chain([m1.clone(), m2.clone()]).adjoint(), chain([m2.adjoint(), m1.adjoint()]))
        }),
    },
    Law {
        name: "transpose of fork",
        equation: "(m₁ × m₂)ᵀ = m₁ᵀ ⋈ m₂ᵀ",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let (a, b, c) = (s.space(), s.space(), s.space());
            let (m1, m2) = (s.map(&a, &b), s.map(&a, &c));
            (fork([m1.clone(), m2.clone()]).adjoint(), join([m1.adjoint(), m2.adjoint()]))
        }),
    },
    Law {
        name: "transpose of fork to an array",
        equation: "V(v)ᵀ = H(map (_ᵀ) v)",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let v = array_of_maps(s);
            (fork_array(&v).adjoint(), join_array(&transposed(&v)))
        }),
    },
    Law {
        name: "transpose of join",
        equation: "(m₁ ⋈ m₂)ᵀ = m₁ᵀ × m₂ᵀ",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let (a, b, c) = (s.space(), s.space(), s.space());
            let (m1, m2) = (s.map(&a, &c), s.map(&b, &c));
            (join([m1.clone(), m2.clone()]).adjoint(), fork([m1.adjoint(), m2.adjoint()]))
        }),
    },
    Law {
        name: "transpose of join from an array",
        equation: "H(v)ᵀ = V(map (_ᵀ) v)",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let v = array_of_maps(s);
            (join_array(&v).adjoint(), fork_array(&transposed(&v)))
        }),
    },
    Law {
        name: "transpose of add",
        equation: "(m₁ ⊕ m₂)ᵀ = m₁ᵀ ⊕ m₂ᵀ",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let (a, b) = (s.space(), s.space());
            let (m1, m2) = (s.map(&a, &b), s.map(&a, &b));
            (total([m1.clone(), m2.clone()]).adjoint(), total([m1.adjoint(), m2.adjoint()]))
        }),
    },
    Law {
        name: "transpose of zero",
        equation: "0ᵀ = 0",
        source: "002 Fig. 5, 003 Thm 6.5",
        statement: Maps(|s| {
            let (a, b) = (s.space(), s.space());
            (LinearMap::zero(a.clone(), b.clone()).adjoint(), LinearMap::zero(b, a))
        }),
    },
    Law {
        name: "transpose of the identity",
        equation: "1ᵀ = 1",
        source: "002 Fig. 5, 003 Thm 6.5",
        statement: Maps(|s| {
            let a = s.space();
            (LinearMap::identity(a.clone()).adjoint(), LinearMap::identity(a))
        }),
    },
    Law {
        name: "transpose of scale",
        equation: "S(k)ᵀ = S(k)",
        source: "002 Fig. 5, 003 §6.1",
        statement: Maps(|s| {
            let (a, k) = (s.space(), s.number());
            (LinearMap::scale(k, a.clone()).adjoint(), LinearMap::scale(k, a))
        }),
    },
    Law {
        name: "transpose of the transpose",
        equation: "(mᵀ)ᵀ = m",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let m = s.any_map();
            (m.adjoint().adjoint(), m)
        }),
    },
    Law {
        name: "transpose of build",
        equation: "B(n, λi. m)ᵀ = B'(n, λi. mᵀ)",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let (n, body) = (1 + s.below(3), two_maps(s));
            let m = |i: usize| body[i % 2].clone();
            let built: Vec<LinearMap> = (0..n).map(m).collect();
            let turned: Vec<LinearMap> = (0..n).map(|i| m(i).adjoint()).collect();
            (fork_array(&built).adjoint(), join_array(&turned))
        }),
    },
    Law {
        name: "transpose of transposed build",
        equation: "B'(n, λi. m)ᵀ = B(n, λi. mᵀ)",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let (n, body) = (1 + s.below(3), two_maps(s));
            let m = |i: usize| body[i % 2].clone();
            let built: Vec<LinearMap> = (0..n).map(m).collect();
            let turned: Vec<LinearMap> = (0..n).map(|i| m(i).adjoint()).collect();
            (join_array(&built).adjoint(), fork_array(&turned))
        }),
    },
    // index sets are finite here, so that L is B
    Law {
        name: "transpose of lambda",
        equation: "L(λi. m)ᵀ = L'(λi. mᵀ)",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let body = two_maps(s);
            (fork_array(&body).adjoint(), join_array(&transposed(&body)))
        }),
    },
    Law {
        name: "transpose of transposed lambda",
        equation: "L'(λi. m)ᵀ = L(λi. mᵀ)",
        source: "002 Fig. 5",
        statement: Maps(|s| {
            let body = two_maps(s);
            (join_array(&body).adjoint(), fork_array(&transposed(&body)))
        }),
    },
    Law {
        name: "adjoint of contraction on the left",
        equation: "(v *)* = (vᵀ *)",
        source: "003 Thm 6.5",
        statement: Maps(|s| {
            let (m, n, over) = (s.size(), s.size(), s.space());
            let v = s.matrix(m, n);
            (LinearMap::left(v.clone(), over.clone()).adjoint(), LinearMap::left(v.transpose(), over))
        }),
    },
    Law {
        name: "adjoint of contraction on the right",
        equation: "(* w)* = (* wᵀ)",
        source: "003 Thm 6.5",
        statement: Maps(|s| {
            let (m, n, over) = (s.size(), s.size(), s.space());
            let w = s.matrix(m, n);
            (LinearMap::right(w.clone(), over.clone()).adjoint(), LinearMap::right(w.transpose(), over))
        }),
    },
    Law {
        name: "adjoint of inject",
        equation: "(ιₓ)* = πₓ",
        source: "003 Thm 6.5",
        statement: Maps(|s| {
            let family = s.family();
            let x = s.below(family.count());
            let inject = LinearMap::inject(x, family.clone()).expect("a part of the family");
            (inject.adjoint(), LinearMap::project(x, family).expect("a part of the family"))
        }),
    },
    Law {
        name: "adjoint of each",
        equation: "(Π fₓ)* = Π fₓ*",
        source: "003 Thm 6.5",
        statement: Maps(|s| {
            let from = s.family();
            let to = s.family_like(&from);
            let each = s.each(&from, &to);
            let adjoints = transposed(each.children());
            (each.adjoint(), LinearMap::new(to, from, Form::Each(adjoints)))
        }),
    },
    Law {
        name: "adjoint of relational reduction",
        equation: "red_R* = red_Rᵀ",
        source: "003 Thm 6.5",
        statement: Maps(|s| {
            let (from, to, element) = (s.size(), s.size(), s.space());
            let relation = match s.below(4) {
                0 => Relation::Sum(from),
                1 => Relation::Replicate(to),
                _ => s.relation(from, to),
            };
            let reduce = LinearMap::reduce(relation.clone(), element.clone());
            // the converse by its definition: a sum over all pairs
            let single = relation.codomain(&element) == element;
            let of_pair = |x: usize, y: usize| {
                let put = if relation.domain(&element) == element && matches!(relation, Relation::Replicate(_)) {
                    LinearMap::identity(element.clone())
                } else {
                    LinearMap::inject(x, reduce.domain().clone()).expect("an index of the argument")
                };
                let take = if single && matches!(relation, Relation::Sum(_)) {
                    LinearMap::identity(element.clone())
                } else {
                    LinearMap::project(y, reduce.codomain().clone()).expect("an index of the result")
                };
                chain([put, take])
            };
            let mut sum = vec![LinearMap::zero(reduce.codomain().clone(), reduce.domain().clone())];
            relation.each_pair(|x, y| sum.push(of_pair(x, y)));
            (reduce.adjoint(), total(sum))
        }),
    },
    Law {
        name: "adjoint of a unitary map",
        equation: "u* = u⁻¹",
        source: "003 Thm 6.5",
        statement: Maps(|s| {
            let (a, b, element) = (s.space(), s.space(), s.space());
            let unitary = LinearMap::transpose(a, b, element);
            (chain([unitary.adjoint(), unitary.clone()]), LinearMap::identity(unitary.domain().clone()))
        }),
    },
    Law {
        name: "adjoint of a multiple",
        equation: "(_ · v)* = (_ ⊙ v)",
        source: "003 §6.1",
        statement: Maps(|s| {
            let a = s.space();
            let v = s.vector(&a);
            (LinearMap::column(v.clone()).adjoint(), LinearMap::row(v))
        }),
    },
    Law {
        name: "adjoint of rank-one",
        equation: "(u ⊗ v)* = v ⊗ u",
        source: "from 003 Thm 6.5, §3.2",
        statement: Maps(|s| {
            let (a, b, c) = (s.space(), s.space(), s.number());
            let (u, v): (Vector, Vector) = (s.vector(&b), s.vector(&a));
            (LinearMap::rank_one(c, u.clone(), v.clone()).adjoint(), LinearMap::rank_one(c, v, u))
        }),
    },
    Law {
        name: "adjoint of diagonal",
        equation: "(diagonal d)* = diagonal d",
        source: "from 003 Thm 6.5, §6.1",
        statement: Maps(|s| {
            let a = s.space();
            let d = LinearMap::diagonal(s.vector(&a));
            (d.adjoint(), d)
        }),
    },
    Law {
        name: "the gradient",
        equation: "dual⁻¹(f) = f*(1)",
        source: "003 Prop. 6.4",
        statement: Vectors(|s| {
            let a = s.space();
            let f = s.map(&a, &Space::Real);
            (a.basis().flat_map(|unit| f.apply(&unit)).collect(), f.adjoint().apply(&[1.0]))
        }),
    },
];

fn fork(maps: [LinearMap; 2]) -> LinearMap {
    LinearMap::fork(maps.to_vec()).expect("maps with one domain")
}

fn join(maps: [LinearMap; 2]) -> LinearMap {
    LinearMap::join(maps.to_vec()).expect("maps with one codomain")
}

fn fork_array(maps: &[LinearMap]) -> LinearMap {
    LinearMap::fork_array(maps.to_vec()).expect("maps with the same spaces")
}

fn join_array(maps: &[LinearMap]) -> LinearMap {
    LinearMap::join_array(maps.to_vec()).expect("maps with the same spaces")
}

fn transposed(maps: &[LinearMap]) -> Vec<LinearMap> {
    maps.iter().map(LinearMap::adjoint).collect()
}

fn array_of_maps(s: &mut Sampler) -> Vec<LinearMap> {
    let (a, b) = (s.space(), s.space());
    (0..1 + s.below(3)).map(|_| s.map(&a, &b)).collect()
}

/// The body of a build, by whether the index is even.
fn two_maps(s: &mut Sampler) -> [LinearMap; 2] {
    let (a, b) = (s.space(), s.space());
    [s.map(&a, &b), s.map(&a, &b)]
}
