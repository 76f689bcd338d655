//! The instance of a pattern, for given values of its names.
//!
//! The spaces of the whole are known, and those of its parts follow: a chain is built from the right, where its domain
//! is.

use super::{Argument, Bindings, Bound, Coefficient, Function, Leaf, Name, Pattern, Place, Subscript, Value};
use crate::language::Language;
use crate::map::{Contraction, Family, Form, Map, RankOne, Side};

type Ends<'s, L> = (Option<&'s <L as Language>::Space>, Option<&'s <L as Language>::Space>);

/// Builds a map between spaces, as far as they are known.
pub(super) fn build<L: Language>(
    pattern: &Pattern,
    domain: Option<&L::Space>,
    codomain: Option<&L::Space>,
    place: &Place<L>,
    bindings: &Bindings<'_, '_, L>,
) -> Option<Map<L>> {
    let either = || domain.or(codomain);
    let square = |form: Form<L>| either().map(|space| Map::new(space.clone(), space.clone(), form));
    match pattern {
        Pattern::Map(name) => {
            let Value::Chain(maps) = value(*name, place, bindings)? else { return None };
            if maps.is_empty() { Some(Map::chain(maps, either()?)) } else { Some(Map::composed(maps)) }
        }
        Pattern::Zero => Some(Map::new(domain?.clone(), codomain?.clone(), Form::Zero)),
        Pattern::Identity => square(Form::Identity),
        Pattern::Leaf(leaf, coefficients) => made(*leaf, coefficients, (domain, codomain), place, bindings),
        Pattern::Multiple(k, m) => {
            let Value::Number(k) = computed(k, None, place, bindings)? else { return None };
            Some(multiple(k, build(m, domain, codomain, place, bindings)?))
        }
        Pattern::Compose(patterns) => {
            let mut built: Vec<Map<L>> = Vec::new();
            for (at, pattern) in patterns.iter().enumerate().rev() {
                let from = built.first().map(Map::codomain).or(domain).cloned();
                let to = codomain.filter(|_| patterns[..at].iter().all(is_square));
                if let Pattern::Map(name) = pattern {
                    // the factors that a name stands for are factors of the chain
                    let Value::Chain(maps) = value(*name, place, bindings)? else { return None };
                    built.splice(0..0, maps);
                } else {
                    built.insert(0, build(pattern, from.as_ref(), to, place, bindings)?);
                }
            }
            if built.is_empty() { Some(Map::chain(built, either()?)) } else { Some(Map::composed(built)) }
        }
        Pattern::Add(patterns) => {
            let mut terms: Vec<Map<L>> = Vec::new();
            for pattern in patterns {
                let known = terms.first();
                let (from, to) = (domain.or(known.map(Map::domain)), codomain.or(known.map(Map::codomain)));
                let (from, to) = (from.cloned(), to.cloned());
                terms.push(build(pattern, from.as_ref(), to.as_ref(), place, bindings)?);
            }
            Map::total(terms)
        }
        Pattern::Family(family, body) => built_family(*family, body, (domain, codomain), bindings),
        Pattern::Repeated(body) => {
            let inside = |space: Option<&L::Space>| space.and_then(|space| L::part(space, None));
            let (from, to) = (inside(domain), inside(codomain));
            let body = build(body, from.as_ref(), to.as_ref(), place, bindings)?;
            Some(Map::new(domain?.clone(), codomain?.clone(), Form::Map(body)))
        }
        Pattern::Adjoint(m) => Some(build(m, codomain, domain, place, bindings)?.adjoint()),
    }
}

/// Whether maps of a form lead from a space to itself.
fn is_square(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Identity | Pattern::Leaf(Leaf::Scale | Leaf::Diagonal, _))
}

/// How many maps a family has.
enum FamilySize<L: Language> {
    List(usize),
    Same,
    Over(L::Binder),
}

fn shape<L: Language>(pattern: &Pattern, bindings: &Bindings<'_, '_, L>) -> Option<FamilySize<L>> {
    let mut found = None;
    visit(pattern, &mut |name| {
        let shape = match (name.subscript, &bindings.values[name.number]) {
            (Subscript::Each, Some(Bound::List(values))) => FamilySize::List(values.len()),
            (Subscript::Each, Some(Bound::Same(_))) => FamilySize::Same,
            (Subscript::Each, Some(Bound::Over(binder, _))) => FamilySize::Over(binder.clone()),
            _ => return,
        };
        if !matches!(found, Some(FamilySize::List(_))) && (found.is_none() || !matches!(shape, FamilySize::Same)) {
            found = Some(shape);
        }
    });
    found
}

fn visit(pattern: &Pattern, f: &mut dyn FnMut(Name)) {
    fn coefficient_names(coefficient: &Coefficient, f: &mut dyn FnMut(Name)) {
        match coefficient {
            Coefficient::Name(name) => f(*name),
            Coefficient::Apply(_, arguments) => arguments.iter().for_each(|argument| coefficient_names(argument, f)),
            Coefficient::Image(m, u) => {
                visit(m, f);
                coefficient_names(u, f);
            }
            Coefficient::Number(_) | Coefficient::Part => {}
        }
    }
    match pattern {
        Pattern::Map(name) => f(*name),
        Pattern::Leaf(_, coefficients) => coefficients.iter().for_each(|each| coefficient_names(each, f)),
        Pattern::Multiple(k, m) => {
            coefficient_names(k, f);
            visit(m, f);
        }
        Pattern::Compose(patterns) | Pattern::Add(patterns) => patterns.iter().for_each(|each| visit(each, f)),
        Pattern::Family(_, m) | Pattern::Repeated(m) | Pattern::Adjoint(m) => visit(m, f),
        Pattern::Zero | Pattern::Identity => {}
    }
}

fn built_family<L: Language>(
    family: Family,
    body: &Pattern,
    (domain, codomain): Ends<'_, L>,
    bindings: &Bindings<'_, '_, L>,
) -> Option<Map<L>> {
    let (takes_part, gives_part) = match family {
        Family::Fork => (false, true),
        Family::Join => (true, false),
        Family::Each => (true, true),
        Family::Add => (false, false),
    };
    let one = |place: &Place<L>, at: Option<usize>| {
        let part = |space: Option<&L::Space>, is_part: bool| match is_part {
            true => space.and_then(|space| L::part(space, at)),
            false => space.cloned(),
        };
        let (from, to) = (part(domain, takes_part), part(codomain, gives_part));
        build(body, from.as_ref(), to.as_ref(), place, bindings)
    };
    let ends = |one: &Map<L>| {
        let from = if takes_part { domain.cloned() } else { domain.cloned().or(Some(one.domain().clone())) };
        let to = if gives_part { codomain.cloned() } else { codomain.cloned().or(Some(one.codomain().clone())) };
        Some((from?, to?))
    };
    match shape(body, bindings)? {
        FamilySize::List(count) => {
            let maps = (0..count).map(|at| one(&Place::At(at, count), Some(at))).collect::<Option<Vec<_>>>()?;
            let (from, to) = ends(maps.first()?)?;
            Some(match family {
                Family::Fork => Map::new(from, to, Form::Fork(maps)),
                Family::Join => Map::new(from, to, Form::Join(maps)),
                Family::Each => Map::new(from, to, Form::Each(maps)),
                Family::Add => Map::total(maps)?,
            })
        }
        FamilySize::Same if family == Family::Each => {
            Some(Map::new(domain?.clone(), codomain?.clone(), Form::Map(one(&Place::Same, None)?)))
        }
        FamilySize::Same => None,
        FamilySize::Over(binder) => {
            let body = one(&Place::Over(binder.clone()), None)?;
            let (from, to) = ends(&body)?;
            Some(Map::new(from, to, Form::Family(family, binder, body)))
        }
    }
}

/// The value of a name.
fn value<L: Language>(name: Name, place: &Place<L>, bindings: &Bindings<'_, '_, L>) -> Option<Value<L>> {
    match (name.subscript, place, bindings.values[name.number].as_ref()?) {
        (Subscript::None, _, Bound::One(value)) => Some(value.clone()),
        (Subscript::Each, Place::At(at, _), Bound::List(values)) => values.get(*at).cloned(),
        (Subscript::Each, Place::At(..) | Place::Same, Bound::Same(value)) => Some(value.clone()),
        (Subscript::Each, Place::Over(binder), Bound::Over(other, value)) => match binder == other {
            true => Some(value.clone()),
            false => L::at(value, other, &L::element(binder), bindings.context),
        },
        (Subscript::At(index), _, bound) => {
            let Bound::One(Value::Part(part)) = bindings.values[index].as_ref()? else { return None };
            match bound {
                Bound::List(values) => values.get(L::position(part)?).cloned(),
                Bound::Same(value) => Some(value.clone()),
                Bound::Over(binder, value) => L::at(value, binder, part, bindings.context),
                Bound::One(_) => None,
            }
        }
        _ => None,
    }
}

/// A coefficient; `space` is the one that a vector is of.
fn computed<L: Language>(
    coefficient: &Coefficient,
    space: Option<&L::Space>,
    place: &Place<L>,
    bindings: &Bindings<'_, '_, L>,
) -> Option<Value<L>> {
    match coefficient {
        Coefficient::Name(name) if name.subscript == Subscript::Each && matches!(place, Place::Outside) => {
            L::compute(Function::Collect, &[family_of(*name, bindings)?], space, bindings.context)
        }
        Coefficient::Name(name) => value(*name, place, bindings),
        Coefficient::Number(number) => Some(Value::Number(L::number(*number))),
        Coefficient::Part => match place {
            Place::Over(binder) => Some(Value::Part(L::element(binder))),
            Place::At(..) | Place::Same | Place::Outside => None,
        },
        Coefficient::Image(m, u) => {
            let map = build(m, None, None, place, bindings)?;
            let Value::Vector(u) = computed(u, None, place, bindings)? else { return None };
            L::apply(&map, &u, bindings.context).map(Value::Vector)
        }
        Coefficient::Apply(function, arguments) => {
            let argument = |coefficient: &Coefficient| match coefficient {
                Coefficient::Name(name) if name.subscript == Subscript::Each && matches!(place, Place::Outside) => {
                    family_of(*name, bindings)
                }
                coefficient => computed(coefficient, space, place, bindings).map(Argument::One),
            };
            L::compute(*function, &arguments.iter().map(argument).collect::<Option<Vec<_>>>()?, space, bindings.context)
        }
    }
}

fn family_of<L: Language>(name: Name, bindings: &Bindings<'_, '_, L>) -> Option<Argument<L>> {
    match bindings.values[name.number].as_ref()? {
        Bound::List(values) => Some(Argument::List(values.clone())),
        Bound::Over(binder, value) => Some(Argument::Over(binder.clone(), value.clone())),
        Bound::One(_) | Bound::Same(_) => None,
    }
}

/// A map without children, from its coefficients.
fn made<L: Language>(
    leaf: Leaf,
    coefficients: &[Coefficient],
    (domain, codomain): Ends<'_, L>,
    place: &Place<L>,
    bindings: &Bindings<'_, '_, L>,
) -> Option<Map<L>> {
    let at = |index: usize, space: Option<&L::Space>| computed(&coefficients[index], space, place, bindings);
    let either = || domain.or(codomain);
    let square = |form: Form<L>| either().map(|space| Map::new(space.clone(), space.clone(), form));
    let vector = |value: Value<L>| match value {
        Value::Vector(vector) => Some(vector),
        Value::Number(number) => L::unit(&number),
        _ => None,
    };
    match (leaf, at(0, either())?) {
        (Leaf::Scale, Value::Number(k)) => square(Form::Scale(k)),
        (Leaf::Diagonal, Value::Vector(d)) => square(Form::Diagonal(d)),
        (Leaf::RankOne, Value::Number(coefficient)) => {
            let (left, right) = (vector(at(1, codomain)?)?, vector(at(2, domain)?)?);
            let form = Form::RankOne(RankOne { coefficient, left, right });
            Some(Map::new(domain?.clone(), codomain?.clone(), form))
        }
        (Leaf::Left | Leaf::Right, Value::Matrix(matrix, over)) => {
            let side = if leaf == Leaf::Left { Side::Left } else { Side::Right };
            Some(Map::new(domain?.clone(), codomain?.clone(), Form::Contract(Contraction { side, matrix, over })))
        }
        (Leaf::Reduce, Value::Relation(relation)) => L::reduction(relation, domain, codomain),
        (Leaf::Unitary, Value::Unitary(unitary)) => {
            Some(Map::new(domain?.clone(), codomain?.clone(), Form::Unitary(unitary)))
        }
        (Leaf::Project, Value::Part(part)) => {
            let to = L::part_of(domain?, &part)?;
            Some(Map::new(domain?.clone(), to, Form::Project(part)))
        }
        (Leaf::Inject, Value::Part(part)) => {
            let from = L::part_of(codomain?, &part)?;
            Some(Map::new(from, codomain?.clone(), Form::Inject(part)))
        }
        _ => None,
    }
}

/// A map as a multiple of a chain.
pub(super) fn as_multiple<L: Language>(map: &Map<L>) -> (L::Number, Vec<Map<L>>) {
    let one = || L::number(1.0);
    match map.form() {
        Form::Scale(k) => (k.clone(), Vec::new()),
        Form::Identity => (one(), Vec::new()),
        Form::RankOne(RankOne { coefficient, left, right }) => {
            let form = Form::RankOne(RankOne { coefficient: one(), left: left.clone(), right: right.clone() });
            (coefficient.clone(), vec![Map::new(map.domain().clone(), map.codomain().clone(), form)])
        }
        Form::Compose(maps) => match maps.split_first() {
            Some((first, rest)) => {
                let (k, mut chain) = match first.form() {
                    Form::Scale(_) | Form::RankOne(_) => as_multiple(first),
                    _ => (one(), vec![first.clone()]),
                };
                chain.extend(rest.iter().cloned());
                (k, chain)
            }
            None => (one(), Vec::new()),
        },
        _ => (one(), vec![map.clone()]),
    }
}

/// `k · m`, with `k` in a rank-one map where it begins with one.
pub(crate) fn multiple<L: Language>(k: L::Number, map: Map<L>) -> Map<L> {
    if let Form::Identity = map.form() {
        return Map::new(map.domain().clone(), map.codomain().clone(), Form::Scale(k));
    }
    let mut chain = map.factors().to_vec();
    let space = map.codomain().clone();
    let coefficient = match chain.first().map(Map::form) {
        Some(Form::RankOne(rank_one)) => L::times(&k, &rank_one.coefficient),
        _ => None,
    };
    match (coefficient, chain.first().map(Map::form)) {
        (Some(coefficient), Some(Form::RankOne(RankOne { left, right, .. }))) => {
            let form = Form::RankOne(RankOne { coefficient, left: left.clone(), right: right.clone() });
            chain[0] = Map::new(chain[0].domain().clone(), space, form);
        }
        _ => chain.insert(0, Map::new(space.clone(), space, Form::Scale(k))),
    }
    Map::composed(chain)
}
