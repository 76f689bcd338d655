//! Matching of a map against a pattern, and the values of its names.

use super::build::as_multiple;
use super::{Bindings, Bound, Coefficient, Leaf, Name, Pattern, Place, Subscript, Value};
use crate::language::Language;
use crate::map::{Contraction, Family, Form, Map, RankOne, Side};

/// Matches a map against a pattern.
pub(super) fn matches<L: Language>(
    pattern: &Pattern,
    map: &Map<L>,
    place: &Place<L>,
    bindings: &mut Bindings<'_, '_, L>,
) -> bool {
    match (pattern, map.form()) {
        (Pattern::Map(name), _) => bind(*name, Value::Chain(vec![map.clone()]), place, bindings),
        (Pattern::Zero, Form::Zero) | (Pattern::Identity, Form::Identity) => true,
        (Pattern::Leaf(leaf, coefficients), _) => {
            let Some(values) = take(*leaf, map, place) else { return false };
            own_part(*leaf, coefficients, map, place)
                && coefficients.iter().zip(values).all(|(coefficient, value)| is(coefficient, value, place, bindings))
        }
        (Pattern::Multiple(k, m), _) => {
            let (number, chain) = as_multiple(map);
            is(k, Value::Number(number), place, bindings)
                && match &**m {
                    Pattern::Map(name) => bind(*name, Value::Chain(chain), place, bindings),
                    m => matches!(&chain[..], [one] if matches(m, one, place, bindings)),
                }
        }
        (Pattern::Compose(factors), Form::Compose(maps)) if matches!(place, Place::Outside) => {
            factors.len() == maps.len() && all(factors, maps, place, bindings)
        }
        (Pattern::Compose(factors), _) => chain(factors, map.factors(), place, bindings),
        (Pattern::Add(terms), _) if matches!((place, &terms[..]), (Place::Over(_), [_, _])) => {
            let found = terms_of(map, bindings.context);
            let Some((first, rest)) = found.as_deref().and_then(<[_]>::split_first) else { return false };
            let Some(rest) = Map::total(rest.to_vec()) else { return false };
            all(terms, &[first.clone(), rest], place, bindings)
        }
        (Pattern::Add(terms), Form::Add(maps)) => terms.len() == maps.len() && all(terms, maps, place, bindings),
        (Pattern::Family(family, body), form) => match (family, form) {
            (Family::Fork, Form::Fork(maps))
            | (Family::Join, Form::Join(maps))
            | (Family::Each, Form::Each(maps))
            | (Family::Add, Form::Add(maps)) => list(*family, body, map, maps, bindings),
            (Family::Each, Form::Map(one)) => matches(body, one, &Place::Same, bindings),
            (family, Form::Family(found, binder, one)) if family == found => over(body, one, binder, bindings),
            _ => false,
        },
        (Pattern::Adjoint(m), _) => matches(m, &map.adjoint(), place, bindings),
        _ => false,
    }
}

fn all<L: Language>(
    patterns: &[Pattern],
    maps: &[Map<L>],
    place: &Place<L>,
    bindings: &mut Bindings<'_, '_, L>,
) -> bool {
    patterns.iter().zip(maps).all(|(pattern, map)| matches(pattern, map, place, bindings))
}

/// The terms of a sum, or of a chain that begins with one or with a join; none of any other map.
fn terms_of<L: Language>(map: &Map<L>, context: &L::Context<'_>) -> Option<Vec<Map<L>>> {
    let (last, outer) = map.factors().split_last()?;
    let after = |maps: &[Map<L>]| Map::composed(outer.iter().chain(maps).cloned().collect());
    match last.form() {
        Form::Add(maps) => Some(maps.iter().map(|map| after(std::slice::from_ref(map))).collect()),
        Form::Join(maps) => {
            let part = |(at, map): (usize, &Map<L>)| {
                let part = L::part_at(last.domain(), at, context)?;
                let project = Map::new(last.domain().clone(), map.domain().clone(), Form::Project(part));
                Some(after(&[map.clone(), project]))
            };
            maps.iter().enumerate().map(part).collect()
        }
        _ => None,
    }
}

/// A chain in a family, where a name stands for all factors that are left.
fn chain<L: Language>(
    patterns: &[Pattern],
    maps: &[Map<L>],
    place: &Place<L>,
    bindings: &mut Bindings<'_, '_, L>,
) -> bool {
    let Some(open) = patterns.iter().position(|pattern| matches!(pattern, Pattern::Map(_))) else {
        return patterns.len() == maps.len() && all(patterns, maps, place, bindings);
    };
    let after = patterns.len() - open - 1;
    if maps.len() < open + after {
        return false;
    }
    let Pattern::Map(name) = patterns[open] else { return false };
    let end = maps.len() - after;
    all(&patterns[..open], &maps[..open], place, bindings)
        && all(&patterns[open + 1..], &maps[end..], place, bindings)
        && bind(name, Value::Chain(maps[open..end].to_vec()), place, bindings)
}

/// A name that is the same for all maps of a family, at an end of a chain, and the rest of the chain.
fn common(body: &Pattern) -> Option<(Name, &[Pattern], End)> {
    let Pattern::Compose(patterns) = body else { return None };
    match &patterns[..] {
        [Pattern::Map(name), rest @ ..] if name.subscript == Subscript::None => Some((*name, rest, End::Outer)),
        [rest @ .., Pattern::Map(name)] if name.subscript == Subscript::None => Some((*name, rest, End::Inner)),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Outer,
    Inner,
}

impl End {
    /// The factor at a distance from this end.
    fn at<L: Language>(self, maps: &[Map<L>], distance: usize) -> Option<&Map<L>> {
        match self {
            End::Outer => maps.get(distance),
            End::Inner => maps.len().checked_sub(distance + 1).map(|at| &maps[at]),
        }
    }

    /// The factors at this end, and the rest.
    fn split<L: Language>(self, maps: &[Map<L>], count: usize) -> (&[Map<L>], &[Map<L>]) {
        match self {
            End::Outer => maps.split_at(count),
            End::Inner => {
                let (rest, own) = maps.split_at(maps.len() - count);
                (own, rest)
            }
        }
    }
}

/// A family that is written out.
fn list<L: Language>(
    family: Family,
    body: &Pattern,
    map: &Map<L>,
    maps: &[Map<L>],
    bindings: &mut Bindings<'_, '_, L>,
) -> bool {
    if maps.is_empty() {
        return false;
    }
    if let Some((name, rest, end)) = common(body) {
        let chains: Vec<&[Map<L>]> = maps.iter().map(Map::factors).collect();
        let Some((first, others)) = chains.split_first() else { return false };
        let shared = |count: usize| {
            end.at(first, count)
                .is_some_and(|map| others.iter().all(|chain| end.at(chain, count).is_some_and(|other| other == map)))
        };
        let count = (0..first.len()).take_while(|&count| shared(count)).count();
        if count == 0 {
            return false;
        }
        let own = end.split(first, count).0.to_vec();
        return bind(name, Value::Chain(own), &Place::Outside, bindings)
            && chains
                .iter()
                .enumerate()
                .all(|(at, maps)| chain(rest, end.split(maps, count).1, &Place::At(at, chains.len()), bindings));
    }
    if family == Family::Add
        && let Some(end) = by_part(body)
    {
        let space = if end == End::Inner { map.domain() } else { map.codomain() };
        let Some(parts) = sorted(maps, end, L::count(space)) else { return false };
        return parts.iter().enumerate().all(|(at, part)| matches(body, part, &Place::At(at, parts.len()), bindings));
    }
    maps.iter().enumerate().all(|(at, map)| matches(body, map, &Place::At(at, maps.len()), bindings))
}

/// Whether the maps of a family begin with `project x` or end with `inject x`.
fn by_part(body: &Pattern) -> Option<End> {
    let own = |pattern: &Pattern, leaf: Leaf| {
        matches!(pattern, Pattern::Leaf(found, coefficients)
            if *found == leaf && matches!(coefficients[..], [Coefficient::Part]))
    };
    match body {
        Pattern::Compose(patterns) if own(patterns.last()?, Leaf::Project) => Some(End::Inner),
        Pattern::Compose(patterns) if own(patterns.first()?, Leaf::Inject) => Some(End::Outer),
        _ => None,
    }
}

/// The terms of a sum by the part that the factor at an end belongs to, one for each part.
fn sorted<L: Language>(maps: &[Map<L>], end: End, count: Option<usize>) -> Option<Vec<Map<L>>> {
    let count = count.filter(|count| *count <= maps.len())?;
    let mut parts: Vec<Vec<&[Map<L>]>> = vec![Vec::new(); count];
    let mut last = None;
    for map in maps {
        let factors = map.factors();
        let factor = end.at(factors, 0)?;
        let part = match factor.form() {
            Form::Project(part) if end == End::Inner => part,
            Form::Inject(part) if end == End::Outer => part,
            _ => return None,
        };
        parts.get_mut(L::position(part)?)?.push(factors);
        last = Some((factor.domain(), factor.codomain()));
    }
    last?;
    let one = |terms: &Vec<&[Map<L>]>| -> Option<Map<L>> {
        let factor = end.at(terms.first()?, 0)?.clone();
        let rest = |chain: &&[Map<L>]| {
            let own = end.split(chain, 1).1.to_vec();
            let space = if end == End::Inner { factor.codomain() } else { factor.domain() };
            Map::chain(own, space)
        };
        let sum = match terms.len() {
            1 => rest(terms.first()?),
            _ => Map::total(terms.iter().map(rest).collect())?,
        };
        Some(match end {
            End::Inner => Map::chain(vec![sum, factor.clone()], factor.domain()),
            End::Outer => Map::chain(vec![factor.clone(), sum], factor.domain()),
        })
    };
    parts.iter().map(one).collect()
}

/// A family over an index.
fn over<L: Language>(body: &Pattern, one: &Map<L>, binder: &L::Binder, bindings: &mut Bindings<'_, '_, L>) -> bool {
    let place = Place::Over(binder.clone());
    let Some((name, rest, end)) = common(body) else { return matches(body, one, &place, bindings) };
    let maps = one.factors();
    let steady = |count: usize| end.at(maps, count).is_some_and(|map| !L::depends(map, binder, bindings.context));
    let count = (0..maps.len()).take_while(|&count| steady(count)).count();
    if count == 0 || count == maps.len() {
        return false;
    }
    let (own, others) = end.split(maps, count);
    bind(name, Value::Chain(own.to_vec()), &place, bindings) && chain(rest, others, &place, bindings)
}

/// Whether the parts that `project x` and `inject x` speak of are those of the family.
fn own_part<L: Language>(leaf: Leaf, coefficients: &[Coefficient], map: &Map<L>, place: &Place<L>) -> bool {
    if !matches!(coefficients, [Coefficient::Part]) {
        return true;
    }
    let space = if leaf == Leaf::Project { map.domain() } else { map.codomain() };
    match place {
        Place::At(_, count) => L::count(space) == Some(*count),
        Place::Over(binder) => L::covers(space, binder),
        Place::Same | Place::Outside => false,
    }
}

/// The coefficients of a map of a form; a multiple of the identity is a diagonal beside others in a family.
fn take<L: Language>(leaf: Leaf, map: &Map<L>, place: &Place<L>) -> Option<Vec<Value<L>>> {
    Some(match (leaf, map.form()) {
        (Leaf::Scale, Form::Scale(k)) => vec![Value::Number(k.clone())],
        (Leaf::Scale, Form::Identity) => vec![Value::Number(L::number(1.0))],
        (Leaf::Diagonal, Form::Diagonal(d)) => vec![Value::Vector(d.clone())],
        (Leaf::Diagonal, Form::Scale(k)) if matches!(place, Place::At(..)) => {
            vec![Value::Vector(L::constant(k, map.domain())?)]
        }
        (Leaf::Diagonal, Form::Identity) if matches!(place, Place::At(..)) => {
            vec![Value::Vector(L::constant(&L::number(1.0), map.domain())?)]
        }
        (Leaf::RankOne, Form::RankOne(RankOne { coefficient, left, right })) => {
            vec![Value::Number(coefficient.clone()), Value::Vector(left.clone()), Value::Vector(right.clone())]
        }
        (Leaf::Left, Form::Contract(Contraction { side: Side::Left, matrix, over }))
        | (Leaf::Right, Form::Contract(Contraction { side: Side::Right, matrix, over })) => {
            vec![Value::Matrix(matrix.clone(), over.clone())]
        }
        (Leaf::Reduce, Form::Reduce { relation, .. }) => vec![Value::Relation(relation.clone())],
        (Leaf::Unitary, Form::Unitary(unitary)) => vec![Value::Unitary(unitary.clone())],
        (Leaf::Project, Form::Project(part)) | (Leaf::Inject, Form::Inject(part)) => vec![Value::Part(part.clone())],
        _ => return None,
    })
}

/// Matches a coefficient.
fn is<L: Language>(
    pattern: &Coefficient,
    value: Value<L>,
    place: &Place<L>,
    bindings: &mut Bindings<'_, '_, L>,
) -> bool {
    match (pattern, &value) {
        (Coefficient::Name(name), _) => bind(*name, value, place, bindings),
        (Coefficient::Number(number), Value::Number(found)) => L::same_number(&L::number(*number), found),
        (Coefficient::Number(number), Value::Vector(found)) => L::is_unit(found, *number),
        (Coefficient::Part, Value::Part(part)) => match place {
            Place::At(at, _) => L::position(part) == Some(*at),
            Place::Over(binder) => *part == L::element(binder),
            Place::Same | Place::Outside => false,
        },
        _ => false,
    }
}

fn bind<L: Language>(name: Name, value: Value<L>, place: &Place<L>, bindings: &mut Bindings<'_, '_, L>) -> bool {
    let context = bindings.context;
    let known = &mut bindings.values[name.number];
    match (name.subscript, place) {
        (Subscript::Each, Place::At(at, _)) => match known {
            None if *at == 0 => *known = Some(Bound::List(vec![value])),
            Some(Bound::List(values)) if values.len() == *at => values.push(value),
            Some(Bound::List(values)) => return values.get(*at) == Some(&value),
            _ => return false,
        },
        (Subscript::Each, Place::Same) => match known {
            None => *known = Some(Bound::Same(value)),
            Some(Bound::Same(found)) => return *found == value,
            _ => return false,
        },
        (Subscript::Each, Place::Over(binder)) => match known {
            None => *known = Some(Bound::Over(binder.clone(), value)),
            Some(Bound::Over(other, found)) => return other == binder && *found == value,
            _ => return false,
        },
        (Subscript::None, _) => {
            if let Place::Over(binder) = place
                && L::varies(&value, binder, context)
            {
                return false;
            }
            match known {
                None => *known = Some(Bound::One(value)),
                Some(Bound::One(found)) => return *found == value,
                _ => return false,
            }
        }
        _ => return false,
    }
    true
}
