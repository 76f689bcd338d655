//! Reverse application: `r ⊙ᴿ m`, the cotangent `r` pulled back along `m`.   [002 Fig. 5 "Laws for reverse-application"]

use super::Statement::Vectors;
use super::{Law, chain, plus, total};
use crate::map::LinearMap;
use crate::sample::Sampler;
use crate::space::times;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "reverse application",
        equation: "r ⊙ᴿ m = mᵀ ⊙ r",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let m = s.any_map();
            let r = s.numbers(m.codomain());
            // by its definition: the covector m followed by the inner product with r
            let pulled = m.domain().basis().map(|unit| crate::space::inner(&r, &m.apply(&unit)));
            (pulled.collect(), reverse(&r, &m))
        }),
    },
    Law {
        name: "reverse application of compose",
        equation: "r ⊙ᴿ (m₁ ∘ m₂) = (r ⊙ᴿ m₁) ⊙ᴿ m₂",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let (a, b, c) = (s.space(), s.space(), s.space());
            let (m1, m2, r) = (s.map(&b, &c), s.map(&a, &b), s.numbers(&c));
            (reverse(&r, &chain([m1.clone(), m2.clone()])), reverse(&reverse(&r, &m1), &m2))
        }),
    },
    Law {
        name: "reverse application of fork",
        equation: "(r₁, r₂) ⊙ᴿ (m₁ × m₂) = (r₁ ⊙ᴿ m₁) + (r₂ ⊙ᴿ m₂)",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let (a, b, c) = (s.space(), s.space(), s.space());
            let (m1, m2) = (s.map(&a, &b), s.map(&a, &c));
            let (r1, r2) = (s.numbers(&b), s.numbers(&c));
            let fork = LinearMap::fork(vec![m1.clone(), m2.clone()]).expect("maps with one domain");
            (reverse(&[r1.clone(), r2.clone()].concat(), &fork), plus(&reverse(&r1, &m1), &reverse(&r2, &m2)))
        }),
    },
    Law {
        name: "reverse application of join",
        equation: "r ⊙ᴿ (m₁ ⋈ m₂) = (r ⊙ᴿ m₁, r ⊙ᴿ m₂)",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let (a, b, c) = (s.space(), s.space(), s.space());
            let (m1, m2, r) = (s.map(&a, &c), s.map(&b, &c), s.numbers(&c));
            let join = LinearMap::join(vec![m1.clone(), m2.clone()]).expect("maps with one codomain");
            (reverse(&r, &join), [reverse(&r, &m1), reverse(&r, &m2)].concat())
        }),
    },
    Law {
        name: "reverse application of fork to an array",
        equation: "r ⊙ᴿ V(v) = Σᵢ (r[i] ⊙ᴿ v[i])",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let v = array_of_maps(s);
            let fork = LinearMap::fork_array(v.clone()).expect("maps with the same spaces");
            let r = s.numbers(fork.codomain());
            (reverse(&r, &fork), pulled_back(&v, &r))
        }),
    },
    Law {
        name: "reverse application of join from an array",
        equation: "r ⊙ᴿ H(v) = build(sz(v), λi. r ⊙ᴿ v[i])",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let v = array_of_maps(s);
            let join = LinearMap::join_array(v.clone()).expect("maps with the same spaces");
            let r = s.numbers(join.codomain());
            (reverse(&r, &join), v.iter().flat_map(|m| reverse(&r, m)).collect())
        }),
    },
    Law {
        name: "reverse application of add",
        equation: "r ⊙ᴿ (m₁ ⊕ m₂) = (r ⊙ᴿ m₁) + (r ⊙ᴿ m₂)",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let (a, b) = (s.space(), s.space());
            let (m1, m2, r) = (s.map(&a, &b), s.map(&a, &b), s.numbers(&b));
            (reverse(&r, &total([m1.clone(), m2.clone()])), plus(&reverse(&r, &m1), &reverse(&r, &m2)))
        }),
    },
    Law {
        name: "reverse application of zero",
        equation: "r ⊙ᴿ 0 = 0",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let (a, b) = (s.space(), s.space());
            let r = s.numbers(&b);
            (reverse(&r, &LinearMap::zero(a.clone(), b)), a.zero())
        }),
    },
    Law {
        name: "reverse application of the identity",
        equation: "r ⊙ᴿ 1 = r",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let a = s.space();
            let r = s.numbers(&a);
            (reverse(&r, &LinearMap::identity(a)), r)
        }),
    },
    Law {
        name: "reverse application of scale",
        equation: "r ⊙ᴿ S(k) = k * r",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let (a, k) = (s.space(), s.number());
            let r = s.numbers(&a);
            (reverse(&r, &LinearMap::scale(k, a)), r.iter().map(|r| times(k, *r)).collect())
        }),
    },
    Law {
        name: "reverse application of the transpose",
        equation: "r ⊙ᴿ mᵀ = m ⊙ r",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let m = s.any_map();
            let r = s.numbers(m.domain());
            (reverse(&r, &m.adjoint()), m.apply(&r))
        }),
    },
    Law {
        name: "reverse application of build",
        equation: "r ⊙ᴿ B(n, λi. m) = sum(build(n, λi. r[i] ⊙ᴿ m))",
        source: "002 Fig. 5",
        statement: Vectors(|s| {
            let (a, b, n) = (s.space(), s.space(), 1 + s.below(3));
            let body = [s.map(&a, &b), s.map(&a, &b)];
            let maps: Vec<LinearMap> = (0..n).map(|i| body[i % 2].clone()).collect();
            let build = LinearMap::fork_array(maps.clone()).expect("maps with the same spaces");
            let r = s.numbers(build.codomain());
            (reverse(&r, &build), pulled_back(&maps, &r))
        }),
    },
];

/// `r ⊙ᴿ m`
fn reverse(r: &[f64], m: &LinearMap) -> Vec<f64> {
    m.adjoint().apply(r)
}

/// `Σᵢ (r[i] ⊙ᴿ v[i])`
fn pulled_back(v: &[LinearMap], r: &[f64]) -> Vec<f64> {
    let mut start = 0;
    v.iter().fold(v[0].domain().zero(), |sum, m| {
        let part = &r[start..start + m.rows()];
        start += m.rows();
        plus(&sum, &reverse(part, m))
    })
}

fn array_of_maps(s: &mut Sampler) -> Vec<LinearMap> {
    let (a, b) = (s.space(), s.space());
    (0..1 + s.below(3)).map(|_| s.map(&a, &b)).collect()
}
