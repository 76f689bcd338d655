//! Sums: maps with the same spaces form a vector space, and composition is linear on both sides.   [002 §2.2, Fig. 4]

use super::Statement::{Maps, Rewrite};
use super::{Law, Rule, chain, factors, term_forms, terms_of_two, total};
use crate::map::{Form, LinearMap, RankOne};
use crate::space::{Space, plus};

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "add zero on the right",
        equation: "m ⊕ 0 = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            left: |s| {
                let m = s.any_map();
                let zero = LinearMap::zero(m.domain().clone(), m.codomain().clone());
                total([m, zero])
            },
            right: |map| match terms_of_two(map)? {
                (first, second) if matches!(second.form(), Form::Zero) => Some(first.clone()),
                _ => None,
            },
            example: ["scale 2.0 + (0 : R -o R)", "scale 2.0"],
        }),
    },
    Law {
        name: "add zero on the left",
        equation: "0 ⊕ m = m",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            left: |s| {
                let m = s.any_map();
                total([LinearMap::zero(m.domain().clone(), m.codomain().clone()), m])
            },
            right: |map| match terms_of_two(map)? {
                (first, second) if matches!(first.form(), Form::Zero) => Some(second.clone()),
                _ => None,
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
            left: |s| {
                let m = s.any_map();
                total([multiple(s.number(), &m), multiple(s.number(), &m)])
            },
            right: |map| {
                let (first, second) = terms_of_two(map)?;
                let ((k, m), (l, n)) = (as_multiple(first), as_multiple(second));
                (m == n).then(|| multiple(plus(k, l), &chain(m)))
            },
            example: ["project 0 of (R, R) + scale 2.0 ∘ project 0 of (R, R)", "scale 3.0 ∘ project 0 of (R, R)"],
        }),
    },
    Law {
        name: "a map comes out of a sum on the left",
        equation: "(m ∘ n₁) ⊕ (m ∘ n₂) = m ∘ (n₁ ⊕ n₂)",
        source: "from 002 §2.1 (LM1)",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b, c) = (s.space(), s.space(), s.space());
                let m = s.map(&b, &c);
                total([chain([m.clone(), s.map(&a, &b)]), chain([m, s.map(&a, &b)])])
            },
            right: |map| {
                let (first, second) = terms_of_two(map)?;
                let (first, second) = (factors(first), factors(second));
                let shared = first.iter().zip(second).take_while(|(f, g)| f == g).count();
                let middle = first.get(shared.checked_sub(1)?)?.domain();
                let rests = [rest(&first[shared..], middle), rest(&second[shared..], middle)];
                Some(chain(first[..shared].iter().cloned().chain([total(rests)])))
            },
            example: ["sum [2]R ∘ prefix [2]R + sum [2]R ∘ reverse [2]R", "sum [2]R ∘ (prefix [2]R + reverse [2]R)"],
        }),
    },
    Law {
        name: "a map comes out of a sum on the right",
        equation: "(m₁ ∘ n) ⊕ (m₂ ∘ n) = (m₁ ⊕ m₂) ∘ n",
        source: "from 002 Fig. 4",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b, c) = (s.space(), s.space(), s.space());
                let n = s.map(&a, &b);
                total([chain([s.map(&b, &c), n.clone()]), chain([s.map(&b, &c), n])])
            },
            right: |map| {
                let (first, second) = terms_of_two(map)?;
                let (first, second) = (factors(first), factors(second));
                let shared = first.iter().rev().zip(second.iter().rev()).take_while(|(f, g)| f == g).count();
                let (own, tail) = first.split_at(first.len() - shared);
                let middle = tail.first()?.codomain();
                let rests = [rest(own, middle), rest(&second[..second.len() - shared], middle)];
                Some(chain([total(rests)].into_iter().chain(tail.iter().cloned())))
            },
            example: [
                "scale 2.0 ∘ project 0 of (R, R) + scale 3.0 ∘ project 0 of (R, R)",
                "(scale 2.0 + scale 3.0) ∘ project 0 of (R, R)",
            ],
        }),
    },
    Law {
        name: "add forks",
        equation: "(m₁ × m₂) ⊕ (n₁ × n₂) = (m₁ ⊕ n₁) × (m₂ ⊕ n₂)",
        source: "from 002 Fig. 4, semantics of × and ⊕",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, family) = (s.space(), s.family());
                total([s.fork(&a, &family), s.fork(&a, &family)])
            },
            right: |map| match term_forms(map)? {
                (Form::Fork(_), Form::Fork(_)) => added_part_by_part(map),
                _ => None,
            },
            example: ["id R × scale 2.0 + scale 3.0 × id R", "(id R + scale 3.0) × (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "add joins",
        equation: "(m₁ ⋈ m₂) ⊕ (n₁ ⋈ n₂) = (m₁ ⊕ n₁) ⋈ (m₂ ⊕ n₂)",
        source: "from 002 Fig. 4, semantics of ⋈ and ⊕",
        statement: Rewrite(Rule {
            left: |s| {
                let (family, b) = (s.family(), s.space());
                total([s.join(&family, &b), s.join(&family, &b)])
            },
            right: |map| match term_forms(map)? {
                (Form::Join(_), Form::Join(_)) => added_part_by_part(map),
                _ => None,
            },
            example: ["id R ⋈ scale 2.0 + scale 3.0 ⋈ id R", "(id R + scale 3.0) ⋈ (scale 2.0 + id R)"],
        }),
    },
    Law {
        name: "add maps part by part",
        equation: "Π fₓ ⊕ Π gₓ = Π (fₓ ⊕ gₓ)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let like = s.family_like(&family);
                total([s.each(&family, &like), s.each(&family, &like)])
            },
            right: |map| match term_forms(map)? {
                (Form::Each(_), Form::Each(_)) => added_part_by_part(map),
                _ => None,
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
            left: |s| {
                let (family, b) = (s.family(), s.space());
                let join = s.join(&family, &b);
                let terms = join.children().iter().enumerate().map(|(x, g)| {
                    chain([g.clone(), LinearMap::project(x, family.clone()).expect("a part of the family")])
                });
                LinearMap::add(terms.collect()).expect("the same spaces")
            },
            right: |map| {
                let terms = terms(map)?;
                let ends: Option<Vec<_>> = terms.iter().map(|term| term.last()).collect();
                let parts = by_part(&terms, &ends?, map.domain(), |last| match last.form() {
                    Form::Project(index) => Some(*index),
                    _ => None,
                })?;
                let maps = parts
                    .into_iter()
                    .map(|(part, of)| total(of.into_iter().map(|term| rest(&term[..term.len() - 1], &part))));
                Some(LinearMap::new(map.domain().clone(), map.codomain().clone(), Form::Join(maps.collect())))
            },
            example: ["scale 2.0 ∘ project 0 of (R, R) + scale 3.0 ∘ project 1 of (R, R)", "scale 2.0 ⋈ scale 3.0"],
        }),
    },
    Law {
        name: "a sum over injections is a fork",
        equation: "Σₓ (ιₓ ∘ fₓ) = ⟨fₓ⟩",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, family) = (s.space(), s.family());
                let fork = s.fork(&a, &family);
                let terms = fork.children().iter().enumerate().map(|(x, f)| {
                    chain([LinearMap::inject(x, family.clone()).expect("a part of the family"), f.clone()])
                });
                LinearMap::add(terms.collect()).expect("the same spaces")
            },
            right: |map| {
                let terms = terms(map)?;
                let ends: Option<Vec<_>> = terms.iter().map(|term| term.first()).collect();
                let parts = by_part(&terms, &ends?, map.codomain(), |first| match first.form() {
                    Form::Inject(index) => Some(*index),
                    _ => None,
                })?;
                let maps =
                    parts.into_iter().map(|(part, of)| total(of.into_iter().map(|term| rest(&term[1..], &part))));
                Some(LinearMap::new(map.domain().clone(), map.codomain().clone(), Form::Fork(maps.collect())))
            },
            example: ["inject 0 into (R, R) ∘ scale 2.0 + inject 1 into (R, R) ∘ scale 3.0", "scale 2.0 × scale 3.0"],
        }),
    },
];

/// `k · m`, with `k` in a rank-one map where it is one
fn multiple(k: f64, map: &LinearMap) -> LinearMap {
    match map.form() {
        Form::Identity => LinearMap::scale(k, map.domain().clone()),
        _ => map.times(k),
    }
}

/// A map as a multiple of a chain.
fn as_multiple(map: &LinearMap) -> (f64, Vec<LinearMap>) {
    match map.form() {
        Form::Scale(k) => (*k, vec![LinearMap::identity(map.domain().clone())]),
        Form::RankOne(RankOne { coefficient, left, right }) => {
            (*coefficient, vec![LinearMap::rank_one(1.0, left.clone(), right.clone())])
        }
        Form::Compose(maps) => match maps.split_first() {
            Some((first, rest)) if !rest.is_empty() => match first.form() {
                Form::Scale(k) => (*k, rest.to_vec()),
                _ => (1.0, maps.clone()),
            },
            _ => (1.0, maps.clone()),
        },
        _ => (1.0, vec![map.clone()]),
    }
}

/// What is left of a chain when factors at an end are taken away: the identity of the space there if nothing is.
pub(super) fn rest(maps: &[LinearMap], space: &Space) -> LinearMap {
    if maps.is_empty() { LinearMap::identity(space.clone()) } else { chain(maps.iter().cloned()) }
}

/// The sum of two families of maps of one form, part by part.
fn added_part_by_part(map: &LinearMap) -> Option<LinearMap> {
    let (f, g) = terms_of_two(map)?;
    let sums = f.children().iter().zip(g.children()).map(|(f, g)| total([f.clone(), g.clone()]));
    Some(f.with_children(sums.collect()))
}

/// The factors of every term of a sum.
fn terms(map: &LinearMap) -> Option<Vec<&[LinearMap]>> {
    match map.form() {
        Form::Add(maps) => Some(maps.iter().map(factors).collect()),
        _ => None,
    }
}

/// A part of a family, and the terms that belong to it.
type Part<'t> = (Space, Vec<&'t [LinearMap]>);

/// Terms sorted by the part of a family that the factor at their end belongs to, if every part has one.
fn by_part<'t>(
    terms: &[&'t [LinearMap]],
    ends: &[&LinearMap],
    family: &Space,
    part: impl Fn(&LinearMap) -> Option<usize>,
) -> Option<Vec<Part<'t>>> {
    if terms.len() < family.count() {
        return None;
    }
    let mut parts: Vec<Part> = family.parts().map(|part| (part.clone(), Vec::new())).collect();
    for (term, end) in terms.iter().zip(ends) {
        parts.get_mut(part(end)?)?.1.push(term);
    }
    parts.iter().all(|(_, terms)| !terms.is_empty()).then_some(parts)
}
