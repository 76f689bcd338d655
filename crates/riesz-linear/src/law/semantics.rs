//! The meaning of the forms: the effect of each when it is applied.   [002 §2.1, Fig. 4 "Semantics"]

use super::{Law, Statement::Vectors, chain, plus, total};
use crate::LinearMap;
use crate::sample::Sampler;
use crate::space::{Space, times};

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "maps are additive",
        equation: "m ⊙ (x + y) = m ⊙ x + m ⊙ y",
        source: "002 §2.1 (LM1)",
        statement: Vectors(|s| {
            let m = s.any_map();
            let (x, y) = (s.numbers(m.domain()), s.numbers(m.domain()));
            (m.apply(&plus(&x, &y)), plus(&m.apply(&x), &m.apply(&y)))
        }),
    },
    Law {
        name: "maps are homogeneous",
        equation: "k * (m ⊙ x) = m ⊙ (k * x)",
        source: "002 §2.1 (LM2)",
        statement: Vectors(|s| {
            let (m, k) = (s.any_map(), s.number());
            let x = s.numbers(m.domain());
            (multiple(k, &m.apply(&x)), m.apply(&multiple(k, &x)))
        }),
    },
    Law {
        name: "semantics of compose",
        equation: "(m₁ ∘ m₂) ⊙ x = m₁ ⊙ (m₂ ⊙ x)",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, b, c) = (s.space(), s.space(), s.space());
            let (m1, m2, x) = (s.map(&b, &c), s.map(&a, &b), s.numbers(&a));
            (chain([m1.clone(), m2.clone()]).apply(&x), m1.apply(&m2.apply(&x)))
        }),
    },
    Law {
        name: "semantics of fork",
        equation: "(m₁ × m₂) ⊙ x = (m₁ ⊙ x, m₂ ⊙ x)",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, family) = (s.space(), s.family());
            let (m, x) = (s.fork(&a, &family), s.numbers(&a));
            (m.apply(&x), m.children().iter().flat_map(|part| part.apply(&x)).collect())
        }),
    },
    Law {
        name: "semantics of fork to an array",
        equation: "V(m) ⊙ x = build(sz(m), λi. m[i] ⊙ x)",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, m) = array_of_maps(s);
            let x = s.numbers(&a);
            (fork_array(&m).apply(&x), m.iter().flat_map(|part| part.apply(&x)).collect())
        }),
    },
    Law {
        name: "semantics of join",
        equation: "(m₁ ⋈ m₂) ⊙ (x₁, x₂) = (m₁ ⊙ x₁) + (m₂ ⊙ x₂)",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (b, family) = (s.space(), s.family());
            let (m, x) = (s.join(&family, &b), s.numbers(&family));
            (m.apply(&x), joined(m.children(), &x, &b))
        }),
    },
    Law {
        name: "semantics of join from an array",
        equation: "H(m) ⊙ x = Σᵢ (m[i] ⊙ x[i])",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, m) = array_of_maps(s);
            let m: Vec<LinearMap> = m.iter().map(LinearMap::adjoint).collect();
            let h = join_array(&m);
            let x = s.numbers(h.domain());
            (h.apply(&x), joined(&m, &x, &a))
        }),
    },
    Law {
        name: "semantics of add",
        equation: "(m₁ ⊕ m₂) ⊙ x = (m₁ ⊙ x) + (m₂ ⊙ x)",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, b) = (s.space(), s.space());
            let (m1, m2, x) = (s.map(&a, &b), s.map(&a, &b), s.numbers(&a));
            (total([m1.clone(), m2.clone()]).apply(&x), plus(&m1.apply(&x), &m2.apply(&x)))
        }),
    },
    Law {
        name: "semantics of zero",
        equation: "0 ⊙ x = 0",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, b) = (s.space(), s.space());
            let x = s.numbers(&a);
            (LinearMap::zero(a, b.clone()).apply(&x), b.zero())
        }),
    },
    Law {
        name: "semantics of the identity",
        equation: "1 ⊙ x = x",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let a = s.space();
            let x = s.numbers(&a);
            (LinearMap::identity(a).apply(&x), x)
        }),
    },
    Law {
        name: "semantics of scale",
        equation: "S(k) ⊙ x = k * x",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, k) = (s.space(), s.number());
            let x = s.numbers(&a);
            (LinearMap::scale(k, a).apply(&x), multiple(k, &x))
        }),
    },
    // index sets are finite here, so that a function of an index is an array and L is B
    Law {
        name: "semantics of lambda",
        equation: "L(f) ⊙ x = λi. (f i) ⊙ x",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, m) = array_of_maps(s);
            let (f, x, i) = (fork_array(&m), s.numbers(&a), s.below(m.len()));
            let at_i = LinearMap::project(i, f.codomain().clone()).expect("an index of the array");
            (at_i.apply(&f.apply(&x)), m[i].apply(&x))
        }),
    },
    Law {
        name: "semantics of transposed lambda",
        equation: "L'(f) ⊙ g = Σᵢ (f i) ⊙ g(i)",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, m) = array_of_maps(s);
            let m: Vec<LinearMap> = m.iter().map(LinearMap::adjoint).collect();
            let f = join_array(&m);
            let g = s.numbers(f.domain());
            (f.apply(&g), joined(&m, &g, &a))
        }),
    },
    Law {
        name: "semantics of build",
        equation: "B(n, λi. m) ⊙ x = build(n, λi. m ⊙ x)",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, b, n) = (s.space(), s.space(), 1 + s.below(3));
            let (first, second, x) = (s.map(&a, &b), s.map(&a, &b), s.numbers(&a));
            let body = |i: usize| if i.is_multiple_of(2) { first.clone() } else { second.clone() };
            let built = fork_array(&(0..n).map(body).collect::<Vec<_>>());
            (built.apply(&x), (0..n).flat_map(|i| body(i).apply(&x)).collect())
        }),
    },
    Law {
        name: "semantics of transposed build",
        equation: "B'(n, λi. m) ⊙ x = sum(build(n, λi. m ⊙ x[i]))",
        source: "002 Fig. 4",
        statement: Vectors(|s| {
            let (a, b, n) = (s.space(), s.space(), 1 + s.below(3));
            let (first, second) = (s.map(&a, &b), s.map(&a, &b));
            let maps: Vec<LinearMap> =
                (0..n).map(|i| if i.is_multiple_of(2) { first.clone() } else { second.clone() }).collect();
            let built = join_array(&maps);
            let x = s.numbers(built.domain());
            (built.apply(&x), joined(&maps, &x, &b))
        }),
    },
];

fn multiple(k: f64, x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| times(k, *x)).collect()
}

/// Maps with the same spaces, and their domain.
fn array_of_maps(s: &mut Sampler) -> (Space, Vec<LinearMap>) {
    let (a, b) = (s.space(), s.space());
    let maps = (0..1 + s.below(3)).map(|_| s.map(&a, &b)).collect();
    (a, maps)
}

fn fork_array(maps: &[LinearMap]) -> LinearMap {
    LinearMap::fork_array(maps.to_vec()).expect("maps with the same spaces")
}

fn join_array(maps: &[LinearMap]) -> LinearMap {
    LinearMap::join_array(maps.to_vec()).expect("maps with the same spaces")
}

/// `Σᵢ mᵢ ⊙ xᵢ`
fn joined(maps: &[LinearMap], x: &[f64], codomain: &Space) -> Vec<f64> {
    let mut start = 0;
    maps.iter().fold(codomain.zero(), |sum, map| {
        let part = &x[start..start + map.columns()];
        start += map.columns();
        plus(&sum, &map.apply(part))
    })
}
