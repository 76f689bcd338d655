//! Products number by number: `Δ` of multiples.   [003 §2.2.2, §3.3]

use super::Statement::Rewrite;
use super::scale::factor;
use super::{Law, Rule, chain, factor_forms, terms_of_two, total};
use crate::map::{Form, LinearMap};
use crate::space::{Space, plus, times};
use crate::vector::Vector;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "compose diagonals",
        equation: "diagonal d ∘ diagonal e = diagonal (d * e)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let a = s.space();
                chain([LinearMap::diagonal(s.vector(&a)), LinearMap::diagonal(s.vector(&a))])
            },
            right: |map| match factor_forms(map)? {
                (Form::Diagonal(d), Form::Diagonal(e)) => Some(LinearMap::diagonal(d.zip(e, times))),
                _ => None,
            },
            example: ["diagonal [2.0, 3.0] ∘ diagonal [5.0, 7.0]", "diagonal [10.0, 21.0]"],
        }),
    },
    Law {
        name: "add diagonals",
        equation: "diagonal d ⊕ diagonal e = diagonal (d + e)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let a = s.space();
                let (d, k) = (LinearMap::diagonal(s.vector(&a)), s.number());
                match s.below(3) {
                    0 => total([d, LinearMap::scale(k, a)]),
                    1 => total([LinearMap::identity(a), d]),
                    _ => total([d, LinearMap::diagonal(s.vector(&a))]),
                }
            },
            right: |map| {
                let (first, second) = terms_of_two(map)?;
                Some(LinearMap::diagonal(match (first.form(), second.form()) {
                    (Form::Diagonal(d), Form::Diagonal(e)) => d.zip(e, plus),
                    (Form::Diagonal(d), _) => factor(second).map(|k| d.map(|d| plus(d, k)))?,
                    (_, Form::Diagonal(e)) => factor(first).map(|k| e.map(|e| plus(k, e)))?,
                    _ => return None,
                }))
            },
            example: ["diagonal [2.0, 3.0] + scale 5.0 [2]R", "diagonal [7.0, 8.0]"],
        }),
    },
    Law {
        name: "diagonal of one number",
        equation: "diagonal (k, …, k) = S(k)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let a = Space::product([Space::Real, family]);
                let k = s.number();
                let values = Vector::new(a.clone(), vec![k; a.dimension()]).expect("as many as dimensions");
                LinearMap::diagonal(values)
            },
            right: |map| match map.form() {
                Form::Diagonal(values) => {
                    let (first, others) = values.values().split_first()?;
                    let equal = others.iter().all(|other| other.to_bits() == first.to_bits());
                    equal.then(|| LinearMap::scale(*first, map.domain().clone()))
                }
                _ => None,
            },
            example: ["diagonal [2.0, 2.0, 2.0]", "scale 2.0 [3]R"],
        }),
    },
    Law {
        name: "each of scales",
        equation: "Π S(kₓ) = diagonal (kₓ)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let parts = family.parts().cloned();
                let maps: Vec<LinearMap> = parts
                    .map(|part| match s.below(3) {
                        0 => LinearMap::identity(part),
                        1 => LinearMap::scale(s.number(), part),
                        _ => LinearMap::diagonal(s.vector(&part)),
                    })
                    .collect();
                LinearMap::new(family.clone(), family, Form::Each(maps))
            },
            right: |map| {
                let Form::Each(maps) = map.form() else { return None };
                let mut values = Vec::with_capacity(map.rows());
                for part in maps {
                    match part.form() {
                        Form::Diagonal(numbers) => values.extend_from_slice(numbers.values()),
                        _ => values.extend(std::iter::repeat_n(factor(part)?, part.rows())),
                    }
                }
                Vector::new(map.domain().clone(), values).ok().map(LinearMap::diagonal)
            },
            example: ["each [scale 2.0, scale 3.0]", "diagonal [2.0, 3.0]"],
        }),
    },
    Law {
        name: "map of a scale",
        equation: "S(k)ⁿ = S(k)",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let n = s.size();
                LinearMap::map(n, LinearMap::scale(s.number(), s.space()))
            },
            right: |map| match map.form() {
                Form::Map(part) => factor(part).map(|k| LinearMap::scale(k, map.domain().clone())),
                _ => None,
            },
            example: ["map 3 (scale 2.0)", "scale 2.0 [3]R"],
        }),
    },
];
