//! Multiples.   [002 §2.1, §2.7, Fig. 4]

use super::Statement::Rewrite;
use super::{Law, Rule, chain, factors_of_two, terms_of_two, total};
use crate::map::{Form, LinearMap, RankOne};
use crate::space::{plus, times};

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose scales",
        equation: "S(k₁) ∘ S(k₂) = S(k₁ k₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            left: |s| {
                let a = s.space();
                chain([LinearMap::scale(s.number(), a.clone()), LinearMap::scale(s.number(), a)])
            },
            right: |map| {
                let (outer, inner) = factors_of_two(map)?;
                Some(LinearMap::scale(times(factor(outer)?, factor(inner)?), map.domain().clone()))
            },
            example: ["scale 2.0 ∘ scale 3.0", "scale 6.0"],
        }),
    },
    Law {
        name: "add scales",
        equation: "S(k₁) ⊕ S(k₂) = S(k₁ + k₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            left: |s| {
                let a = s.space();
                total([LinearMap::scale(s.number(), a.clone()), LinearMap::scale(s.number(), a)])
            },
            right: |map| {
                let (first, second) = terms_of_two(map)?;
                Some(LinearMap::scale(plus(factor(first)?, factor(second)?), map.domain().clone()))
            },
            example: ["scale 2.0 [3]R + scale 3.0 [3]R", "scale 5.0 [3]R"],
        }),
    },
    Law {
        name: "scale by one",
        equation: "S(1) = 1",
        source: "from 002 §2.7",
        statement: Rewrite(Rule {
            left: |s| LinearMap::scale(1.0, s.space()),
            right: |map| match map.form() {
                Form::Scale(1.0) => Some(LinearMap::identity(map.domain().clone())),
                _ => None,
            },
            example: ["scale 1.0", "id R"],
        }),
    },
    Law {
        name: "scale by zero",
        equation: "S(0) = 0",
        source: "from 002 §2.2",
        statement: Rewrite(Rule {
            left: |s| LinearMap::scale(0.0, s.space()),
            right: |map| match map.form() {
                Form::Scale(0.0) => Some(LinearMap::zero(map.domain().clone(), map.codomain().clone())),
                _ => None,
            },
            example: ["scale 0.0", "0 : R -o R"],
        }),
    },
    // All multiples of a chain become one: the coefficient of a rank-one map or of a diagonal if there is one, or else
    // where the vectors are shortest.
    Law {
        name: "scale slides",
        equation: "m ∘ S(k) = S(k) ∘ m",
        source: "from 002 §2.1 (LM2)",
        statement: Rewrite(Rule {
            left: |s| {
                let m = s.any_map();
                let scale = LinearMap::scale(s.number(), m.domain().clone());
                chain([m, scale])
            },
            right: |map| {
                let Form::Compose(maps) = map.form() else { return None };
                if !maps.iter().any(is_scale) {
                    return None;
                }
                let (scales, others): (Vec<_>, Vec<_>) = maps.iter().cloned().partition(is_scale);
                let k = scales.iter().filter_map(factor).fold(1.0, times);
                if others.is_empty() {
                    return Some(LinearMap::scale(k, map.domain().clone()));
                }
                Some(chain(with_multiple(others, k)))
            },
            example: ["scale 2.0 [3]R ∘ replicate [3]R ∘ scale 3.0", "replicate [3]R ∘ scale 6.0"],
        }),
    },
];

fn is_scale(map: &LinearMap) -> bool {
    matches!(map.form(), Form::Scale(_))
}

/// `k` of `S(k)`
pub(super) fn factor(map: &LinearMap) -> Option<f64> {
    match map.form() {
        Form::Scale(k) => Some(*k),
        Form::Identity => Some(1.0),
        _ => None,
    }
}

/// A chain with a multiple where it costs least.
fn with_multiple(mut maps: Vec<LinearMap>, k: f64) -> Vec<LinearMap> {
    for map in &mut maps {
        let absorbed = match map.form() {
            Form::RankOne(RankOne { coefficient, left, right }) => {
                LinearMap::rank_one(times(k, *coefficient), left.clone(), right.clone())
            }
            Form::Diagonal(values) => LinearMap::diagonal(values.scale(k)),
            _ => continue,
        };
        *map = absorbed;
        return maps;
    }
    let codomains = maps.iter().map(|map| map.codomain().clone());
    let places: Vec<_> = codomains.chain(maps.last().map(|map| map.domain().clone())).collect();
    if let Some((at, space)) = places.into_iter().enumerate().min_by_key(|(_, space)| space.dimension()) {
        maps.insert(at, LinearMap::scale(k, space));
    }
    maps
}
