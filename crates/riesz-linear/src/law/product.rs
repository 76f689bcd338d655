//! Products and arrays: fork, join, project, inject, and maps part by part.   [002 Fig. 4, 003 §2.2.2, §2.2.3]

use super::Statement::{Maps, Rewrite, Trial};
use super::sum::rest;
use super::{Law, Rule, chain, factor_forms, factors, factors_of_two, total};
use crate::map::{Form, LinearMap};
use crate::sample::Sampler;
use crate::space::Space;

pub(super) static ROWS: &[Law] = &[
    Law {
        name: "join after fork",
        equation: "(m₁ ⋈ m₂) ∘ (n₁ × n₂) = (m₁ ∘ n₁) ⊕ (m₂ ∘ n₂)",
        source: "002 Fig. 4",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, family, b) = (s.space(), s.family(), s.space());
                chain([s.join(&family, &b), s.fork(&a, &family)])
            },
            right: |map| match factor_forms(map)? {
                (Form::Join(ms), Form::Fork(ns)) => Some(total(composed(ms, ns))),
                _ => None,
            },
            example: ["(scale 2.0 ⋈ scale 3.0) ∘ (id R × scale 5.0)", "scale 2.0 ∘ id R + scale 3.0 ∘ scale 5.0"],
        }),
    },
    Law {
        name: "map into join",
        equation: "m ∘ (n₁ ⋈ n₂) = (m ∘ n₁) ⋈ (m ∘ n₂)",
        source: "002 Fig. 4",
        statement: Trial(Rule {
            left: |s| {
                let (family, b, c) = (s.family(), s.space(), s.space());
                chain([s.map(&b, &c), s.join(&family, &b)])
            },
            right: |map| {
                let (m, join) = factors_of_two(map)?;
                let Form::Join(ns) = join.form() else { return None };
                let maps = ns.iter().map(|n| chain([m.clone(), n.clone()]));
                Some(family_of(map, Form::Join(maps.collect())))
            },
            example: ["scale 2.0 ∘ (id R ⋈ scale 3.0)", "scale 2.0 ∘ id R ⋈ scale 2.0 ∘ scale 3.0"],
        }),
    },
    Law {
        name: "fork after map",
        equation: "(n₁ × n₂) ∘ m = (n₁ ∘ m) × (n₂ ∘ m)",
        source: "from 002 Fig. 4, semantics of × and ∘",
        statement: Trial(Rule {
            left: |s| {
                let (a, b, family) = (s.space(), s.space(), s.family());
                chain([s.fork(&b, &family), s.map(&a, &b)])
            },
            right: |map| {
                let (fork, m) = factors_of_two(map)?;
                let Form::Fork(ns) = fork.form() else { return None };
                let maps = ns.iter().map(|n| chain([n.clone(), m.clone()]));
                Some(family_of(map, Form::Fork(maps.collect())))
            },
            example: ["(id R × scale 3.0) ∘ scale 2.0", "id R ∘ scale 2.0 × scale 3.0 ∘ scale 2.0"],
        }),
    },
    Law {
        name: "a map comes out of a fork",
        equation: "(n₁ ∘ m) × (n₂ ∘ m) = (n₁ × n₂) ∘ m",
        source: "from 002 Fig. 4, semantics of × and ∘",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, b, family) = (s.space(), s.space(), s.family());
                let (fork, m) = (s.fork(&b, &family), s.map(&a, &b));
                let maps = fork.children().iter().map(|n| chain([n.clone(), m.clone()])).collect();
                LinearMap::new(a, family, Form::Fork(maps))
            },
            right: |map| {
                let Form::Fork(maps) = map.form() else { return None };
                let chains: Vec<&[LinearMap]> = maps.iter().map(factors).collect();
                let shared = common(&chains, |chain, at| chain.len().checked_sub(at + 1).map(|at| &chain[at]));
                let first = chains.first().filter(|_| shared > 0)?;
                let tail = &first[first.len() - shared..];
                let middle = tail[0].codomain();
                let own = chains.iter().map(|chain| rest(&chain[..chain.len() - shared], middle)).collect();
                let fork = LinearMap::new(middle.clone(), map.codomain().clone(), Form::Fork(own));
                Some(chain([fork].into_iter().chain(tail.iter().cloned())))
            },
            example: ["sum [3]R × scale 2.0 ∘ sum [3]R", "(id R × scale 2.0) ∘ sum [3]R"],
        }),
    },
    Law {
        name: "a map comes out of a join",
        equation: "(m ∘ n₁) ⋈ (m ∘ n₂) = m ∘ (n₁ ⋈ n₂)",
        source: "from 002 Fig. 4",
        statement: Rewrite(Rule {
            left: |s| {
                let (family, b, c) = (s.family(), s.space(), s.space());
                let (join, m) = (s.join(&family, &b), s.map(&b, &c));
                let maps = join.children().iter().map(|n| chain([m.clone(), n.clone()])).collect();
                LinearMap::new(family, c, Form::Join(maps))
            },
            right: |map| {
                let Form::Join(maps) = map.form() else { return None };
                let chains: Vec<&[LinearMap]> = maps.iter().map(factors).collect();
                let shared = common(&chains, |chain, at| chain.get(at));
                let head = &chains.first().filter(|_| shared > 0)?[..shared];
                let middle = head[shared - 1].domain();
                let own = chains.iter().map(|chain| rest(&chain[shared..], middle)).collect();
                let join = LinearMap::new(map.domain().clone(), middle.clone(), Form::Join(own));
                Some(chain(head.iter().cloned().chain([join])))
            },
            example: ["replicate [3]R ⋈ replicate [3]R ∘ scale 2.0", "replicate [3]R ∘ (id R ⋈ scale 2.0)"],
        }),
    },
    Law {
        name: "project after fork",
        equation: "πᵢ ∘ (f₁ × … × fₙ) = fᵢ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, family) = (s.space(), s.family());
                let fork = s.fork(&a, &family);
                chain([projection(s, &family), fork])
            },
            right: |map| match factor_forms(map)? {
                (Form::Project(index), Form::Fork(maps)) => maps.get(*index).cloned(),
                _ => None,
            },
            example: ["project 1 of (R, R) ∘ (id R × scale 2.0)", "scale 2.0"],
        }),
    },
    Law {
        name: "join after inject",
        equation: "(f₁ ⋈ … ⋈ fₙ) ∘ ιᵢ = fᵢ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let (family, b) = (s.family(), s.space());
                let join = s.join(&family, &b);
                chain([join, injection(s, &family)])
            },
            right: |map| match factor_forms(map)? {
                (Form::Join(maps), Form::Inject(index)) => maps.get(*index).cloned(),
                _ => None,
            },
            example: ["(id R ⋈ scale 2.0) ∘ inject 1 into (R, R)", "scale 2.0"],
        }),
    },
    Law {
        name: "project after inject",
        equation: "πᵢ ∘ ιᵢ = 1, πᵢ ∘ ιⱼ = 0",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let inject = injection(s, &family);
                chain([projection(s, &family), inject])
            },
            right: |map| match factor_forms(map)? {
                (Form::Project(i), Form::Inject(j)) if i == j => Some(LinearMap::identity(map.domain().clone())),
                (Form::Project(_), Form::Inject(_)) => {
                    Some(LinearMap::zero(map.domain().clone(), map.codomain().clone()))
                }
                _ => None,
            },
            example: ["project 0 of (R, [2]R) ∘ inject 1 into (R, [2]R)", "0 : [2]R -o R"],
        }),
    },
    Law {
        name: "project after each",
        equation: "πᵢ ∘ Π fₓ = fᵢ ∘ πᵢ",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let each = part_by_part(s, &family);
                chain([projection(s, each.codomain()), each])
            },
            right: |map| {
                let (project, each) = factors_of_two(map)?;
                let Form::Project(index) = project.form() else { return None };
                let part = part_of(each, *index)?;
                Some(chain([part, LinearMap::project(*index, each.domain().clone()).ok()?]))
            },
            example: ["project 1 of (R, R) ∘ each (id R, scale 2.0)", "scale 2.0 ∘ project 1 of (R, R)"],
        }),
    },
    Law {
        name: "each after inject",
        equation: "Π fₓ ∘ ιᵢ = ιᵢ ∘ fᵢ",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let each = part_by_part(s, &family);
                let inject = injection(s, &family);
                chain([each, inject])
            },
            right: |map| {
                let (each, inject) = factors_of_two(map)?;
                let Form::Inject(index) = inject.form() else { return None };
                let part = part_of(each, *index)?;
                Some(chain([LinearMap::inject(*index, each.codomain().clone()).ok()?, part]))
            },
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
            left: |s| {
                let (a, family) = (s.space(), s.family());
                let like = s.family_like(&family);
                chain([s.each(&family, &like), s.fork(&a, &family)])
            },
            right: |map| match factor_forms(map)? {
                (Form::Each(fs), Form::Fork(gs)) => Some(family_of(map, Form::Fork(composed(fs, gs)))),
                _ => None,
            },
            example: ["each (scale 2.0, id R) ∘ (id R × id R)", "scale 2.0 ∘ id R × id R ∘ id R"],
        }),
    },
    Law {
        name: "join after each",
        equation: "[gₓ] ∘ (Π fₓ) = [gₓ ∘ fₓ]",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let (family, b) = (s.family(), s.space());
                let like = s.family_like(&family);
                chain([s.join(&like, &b), s.each(&family, &like)])
            },
            right: |map| match factor_forms(map)? {
                (Form::Join(gs), Form::Each(fs)) => Some(family_of(map, Form::Join(composed(gs, fs)))),
                _ => None,
            },
            example: ["(id R ⋈ id R) ∘ each (scale 2.0, id R)", "id R ∘ scale 2.0 ⋈ id R ∘ id R"],
        }),
    },
    Law {
        name: "each after each",
        equation: "(Π gₓ) ∘ (Π fₓ) = Π (gₓ ∘ fₓ)",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let inner = part_by_part(s, &family);
                let last = s.family_like(&family);
                let outer = s.each(inner.codomain(), &last);
                match inner.form() {
                    Form::Each(_) => chain([outer, inner]),
                    _ => chain([LinearMap::map(family.count(), outer.children()[0].clone()), inner]),
                }
            },
            right: |map| match factor_forms(map)? {
                (Form::Each(gs), Form::Each(fs)) => Some(family_of(map, Form::Each(composed(gs, fs)))),
                (Form::Map(g), Form::Map(f)) => Some(family_of(map, Form::Map(chain([g.clone(), f.clone()])))),
                _ => None,
            },
            example: ["map 3 (scale 2.0) ∘ map 3 (sum [2]R)", "map 3 (scale 2.0 ∘ sum [2]R)"],
        }),
    },
    Law {
        name: "fork of projections",
        equation: "π₁ × … × πₙ = 1",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let maps = (0..family.count()).filter_map(|index| LinearMap::project(index, family.clone()).ok());
                LinearMap::new(family.clone(), family.clone(), Form::Fork(maps.collect()))
            },
            right: |map| match map.form() {
                Form::Fork(maps) if map.domain() == map.codomain() => {
                    in_order(maps, |part| if let Form::Project(index) = part { Some(*index) } else { None })
                        .then(|| LinearMap::identity(map.domain().clone()))
                }
                _ => None,
            },
            example: ["project 0 of (R, [2]R) × project 1 of (R, [2]R)", "id (R, [2]R)"],
        }),
    },
    Law {
        name: "join of injections",
        equation: "ι₁ ⋈ … ⋈ ιₙ = 1",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let maps = (0..family.count()).filter_map(|index| LinearMap::inject(index, family.clone()).ok());
                LinearMap::new(family.clone(), family.clone(), Form::Join(maps.collect()))
            },
            right: |map| match map.form() {
                Form::Join(maps) if map.domain() == map.codomain() => {
                    in_order(maps, |part| if let Form::Inject(index) = part { Some(*index) } else { None })
                        .then(|| LinearMap::identity(map.domain().clone()))
                }
                _ => None,
            },
            example: ["join [inject 0 into [2]R, inject 1 into [2]R]", "id [2]R"],
        }),
    },
    Law {
        name: "each of identities",
        equation: "Π 1 = 1",
        source: "from 003 §2.2.2",
        statement: Rewrite(Rule {
            left: |s| {
                let family = s.family();
                let parts = family.parts().cloned();
                let maps = parts.map(LinearMap::identity).collect();
                LinearMap::new(family.clone(), family.clone(), Form::Each(maps))
            },
            right: |map| match map.form() {
                Form::Each(maps) if maps.iter().all(|part| matches!(part.form(), Form::Identity)) => {
                    Some(LinearMap::identity(map.domain().clone()))
                }
                Form::Map(part) if matches!(part.form(), Form::Identity) => {
                    Some(LinearMap::identity(map.domain().clone()))
                }
                _ => None,
            },
            example: ["map 3 (id [2]R)", "id [3][2]R"],
        }),
    },
    Law {
        name: "a family of zeros",
        equation: "0 × 0 = 0, 0 ⋈ 0 = 0, Π 0 = 0",
        source: "from 002 Fig. 4, semantics of 0",
        statement: Rewrite(Rule {
            left: |s| {
                let (a, family) = (s.space(), s.family());
                let parts = family.parts().cloned();
                let maps: Vec<LinearMap> = parts.map(|part| LinearMap::zero(a.clone(), part)).collect();
                let fork = LinearMap::new(a, family, Form::Fork(maps));
                if s.below(2) == 0 { fork } else { fork.adjoint() }
            },
            right: |map| match map.form() {
                Form::Fork(_) | Form::Join(_) | Form::Each(_) | Form::Map(_) => {
                    let zero = map.children().iter().all(|part| matches!(part.form(), Form::Zero));
                    zero.then(|| LinearMap::zero(map.domain().clone(), map.codomain().clone()))
                }
                _ => None,
            },
            example: ["(0 : R -o R) × (0 : R -o [2]R)", "0 : R -o (R, [2]R)"],
        }),
    },
    Law {
        name: "each of one map",
        equation: "Π f = fⁿ",
        source: "from 003 §2.2.3",
        statement: Rewrite(Rule {
            left: |s| {
                let (f, n) = (s.any_map(), 2 + s.below(2));
                LinearMap::each_array(vec![f; n]).expect("the same spaces")
            },
            right: |map| match map.form() {
                Form::Each(maps) if matches!(map.domain(), Space::Array(..)) && maps.len() > 1 => {
                    maps.iter().all(|part| *part == maps[0]).then(|| family_of(map, Form::Map(maps[0].clone())))
                }
                _ => None,
            },
            example: ["each [sum [2]R, sum [2]R]", "map 2 (sum [2]R)"],
        }),
    },
];

/// `[gₓ ∘ fₓ]`
fn composed(gs: &[LinearMap], fs: &[LinearMap]) -> Vec<LinearMap> {
    gs.iter().zip(fs).map(|(g, f)| chain([g.clone(), f.clone()])).collect()
}

/// A form between the spaces of a map.
fn family_of(map: &LinearMap, form: Form) -> LinearMap {
    LinearMap::new(map.domain().clone(), map.codomain().clone(), form)
}

/// How many factors all chains have in common, counted from an end; none for a single chain.
fn common(chains: &[&[LinearMap]], at: impl Fn(&[LinearMap], usize) -> Option<&LinearMap>) -> usize {
    let Some((first, others)) = chains.split_first() else { return 0 };
    let shared = |count: usize| {
        at(first, count)
            .is_some_and(|map| others.iter().all(|chain| at(chain, count).is_some_and(|other| other == map)))
    };
    (0..first.len()).take_while(|&count| shared(count)).count()
}

/// Whether the parts of a family are numbered 0, 1, 2, …
fn in_order(maps: &[LinearMap], index: impl Fn(&Form) -> Option<usize>) -> bool {
    maps.iter().enumerate().all(|(at, part)| index(part.form()) == Some(at))
}

/// The map of a part, of a map part by part.
fn part_of(each: &LinearMap, index: usize) -> Option<LinearMap> {
    match each.form() {
        Form::Each(maps) => maps.get(index).cloned(),
        Form::Map(map) => Some(map.clone()),
        _ => None,
    }
}

fn projection(s: &mut Sampler, family: &Space) -> LinearMap {
    LinearMap::project(s.below(family.count()), family.clone()).expect("a part of the family")
}

fn injection(s: &mut Sampler, family: &Space) -> LinearMap {
    LinearMap::inject(s.below(family.count()), family.clone()).expect("a part of the family")
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
