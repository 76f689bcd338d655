//! The spaces of maps, from the space that the whole leads from.

use crate::parse::{Equal, Raw};
use crate::term::{Bind, Expr, Family, Head, Part, Space, Term, deep};

/// The names in scope, and the spaces of the maps that they stand for.
pub(crate) type Scope = Vec<(String, Space, Space)>;

/// The map with its spaces, chains of chains and sums of sums opened.
pub(crate) fn elaborate(raw: &Raw, from: &Space, scope: &mut Scope) -> Result<Term, String> {
    deep(|| leading(raw, from, None, scope))
}

fn leading(raw: &Raw, from: &Space, to: Option<&Space>, scope: &mut Scope) -> Result<Term, String> {
    deep(|| read(raw, from, to, scope))
}

/// `to` is the space that is written beside a map.
fn read(raw: &Raw, from: &Space, to: Option<&Space>, scope: &mut Scope) -> Result<Term, String> {
    let written = |what: &str| to.ok_or_else(|| format!("the space that {what} leads to is not written"));
    let leaf = |to: &Space, head: Head| Ok(Term::leaf(from, to, head));
    match raw {
        Raw::To(map, space) => {
            let map = leading(map, from, Some(space), scope)?;
            Ok(Term { to: space.clone(), ..map })
        }
        Raw::Zero => leaf(written("a zero")?, Head::Zero),
        Raw::Identity => leaf(from, Head::Identity),
        Raw::Scale(k) => leaf(from, Head::Scale(k.clone())),
        Raw::Diagonal(d) => leaf(from, Head::Diagonal(d.clone())),
        Raw::RankOne(c, u, v) => leaf(to.unwrap_or(&Space::Real), Head::RankOne(c.clone(), u.clone(), v.clone())),
        Raw::Project(at) => {
            let part = part(from, at)?;
            let to = from.part(&part).ok_or("a projection takes a part that is not there")?;
            leaf(&to, Head::Project(part))
        }
        Raw::Inject(at) => {
            let to = written("an injection")?;
            leaf(to, Head::Inject(part(to, at)?))
        }
        Raw::Function(name, arguments) => function(name, arguments, from, to),
        Raw::Compose(maps) => {
            let mut factors: Vec<Term> = Vec::with_capacity(maps.len());
            for map in maps.iter().rev() {
                let inner = factors.last().map_or(from, |map| &map.to).clone();
                factors.push(leading(map, &inner, None, scope)?);
            }
            factors.reverse();
            Ok(Term::chain(factors, from))
        }
        Raw::List(family, array, maps) => list(*family, *array, maps, from, to, scope),
        Raw::Map(map) => {
            let Space::Array(size, element) = from else { return Err("`map` leads from an array".into()) };
            let map = leading(map, element, None, scope)?;
            let own = Space::Array(size.clone(), Box::new(map.to.clone()));
            Ok(Term { from: from.clone(), to: to.cloned().unwrap_or(own), head: Head::Map, children: vec![map] })
        }
        Raw::Over(family, index, count, body) => {
            let inner = match (family, from) {
                (Family::Join | Family::Each, Space::Array(_, element)) => (**element).clone(),
                (Family::Join | Family::Each, _) => return Err("it leads from an array".into()),
                _ => from.clone(),
            };
            let body = leading(body, &inner, None, scope)?;
            let own = match family {
                Family::Fork => Space::Array(size(count), Box::new(body.to.clone())),
                Family::Each => match from {
                    Space::Array(size, _) => Space::Array(size.clone(), Box::new(body.to.clone())),
                    _ => Space::Unknown,
                },
                Family::Join | Family::Add => body.to.clone(),
            };
            let head = Head::Over(*family, index.clone(), count.clone());
            Ok(Term { from: from.clone(), to: to.cloned().unwrap_or(own), head, children: vec![body] })
        }
        Raw::Name(name) => match scope.iter().rev().find(|(known, ..)| known == name) {
            Some((_, inner, to)) if inner.same(from) => leaf(&to.clone(), Head::Name(name.clone())),
            Some(_) => Err(format!("`D {name}` is applied to tangents of something else")),
            None => Err(format!("`D {name}` stands for nothing here")),
        },
        Raw::Call(name, arguments) => leaf(written("a derivative")?, Head::Call(name.clone(), arguments.clone())),
        Raw::If(condition, maps) => {
            let [yes, no] = &**maps;
            let children = vec![leading(yes, from, to, scope)?, leading(no, from, to, scope)?];
            let head = Head::If(condition.clone());
            Ok(Term { from: from.clone(), to: children[0].to.clone(), head, children })
        }
        Raw::Builds(index, count, body) => {
            let body = leading(body, from, None, scope)?;
            let head = Head::Builds(index.clone(), count.clone());
            Ok(Term { from: from.clone(), to: written("`builds`")?.clone(), head, children: vec![body] })
        }
        Raw::Loop { word, state, index, count, parts } => {
            let [start, body] = &**parts;
            let start = leading(start, from, None, scope)?;
            scope.push((state.clone(), from.clone(), start.to.clone()));
            let body = leading(body, from, None, scope);
            scope.pop();
            let head = Head::Loop(word.clone(), state.clone(), index.clone(), count.clone());
            Ok(Term { from: from.clone(), to: written("a loop")?.clone(), head, children: vec![start, body?] })
        }
        Raw::Let(names, map) => {
            let before = scope.len();
            let term = bound(names, map, from, scope);
            scope.truncate(before);
            term
        }
        Raw::Adjoint(map) => adjoint(map, from, to, scope),
    }
}

fn bound(names: &[(Option<String>, Equal)], map: &Raw, from: &Space, scope: &mut Scope) -> Result<Term, String> {
    let (mut binds, mut children) = (Vec::new(), Vec::new());
    for (name, equal) in names {
        match (name, equal) {
            (Some(name), Equal::Map(map)) => {
                let map = leading(map, from, None, scope)?;
                if scope.iter().any(|(known, ..)| known == name) {
                    return Err(format!("`D {name}` is bound twice"));
                }
                scope.push((name.clone(), from.clone(), map.to.clone()));
                binds.push(Bind::Map(name.clone()));
                children.push(map);
            }
            (_, Equal::Value(name, value)) => binds.push(Bind::Value(name.clone(), value.clone())),
            (None, Equal::Map(_)) => return Err("a map has no name".into()),
        }
    }
    let result = leading(map, from, None, scope)?;
    let to = result.to.clone();
    children.push(result);
    Ok(Term { from: from.clone(), to, head: Head::Let(binds), children })
}

/// The functions that put numbers in another shape or order, and those that are their own adjoints.
pub(crate) const UNITARY: [&str; 5] = ["transpose", "reverse", "flatten", "zip", "unzip"];
pub(crate) const OWN_INVERSE: [&str; 2] = ["transpose", "reverse"];

fn adjoint(map: &Raw, from: &Space, to: Option<&Space>, scope: &mut Scope) -> Result<Term, String> {
    let to = to.ok_or("the space that an adjoint leads to is not written")?;
    if let Raw::Function(name, arguments) = map {
        return Ok(Term::leaf(from, to, Head::Function(name.clone(), arguments.clone(), true)));
    }
    let map = leading(map, to, Some(from), scope)?;
    if !map.to.same(from) {
        return Err("an adjoint does not lead from where its map leads".into());
    }
    Ok(Term { from: from.clone(), to: to.clone(), head: Head::Adjoint, children: vec![map] })
}

fn function(name: &str, arguments: &[Option<Expr>], from: &Space, to: Option<&Space>) -> Result<Term, String> {
    let one = || Expr::Number(1.0);
    let head = match (name, arguments) {
        ("dot", [Some(row), None] | [None, Some(row)]) if to.is_none_or(|to| matches!(to, Space::Real)) => {
            Head::RankOne(one(), one(), row.clone())
        }
        ("dot", [Some(a), None]) if to.is_some_and(|to| to.rank() == from.rank()) => Head::Left(a.clone()),
        ("dot", [None, Some(b)]) if to.is_some_and(|to| to.rank() == from.rank()) => Head::Right(b.clone()),
        ("sum", []) if to.is_none() => Head::Sum,
        ("replicate", [Some(count), None]) => Head::Replicate(count.clone()),
        _ => Head::Function(name.to_string(), arguments.to_vec(), false),
    };
    let to = match (&head, from, to) {
        (Head::RankOne(..), _, _) => Space::Real,
        (Head::Sum, Space::Array(_, element), None) => (**element).clone(),
        (_, _, Some(to)) => to.clone(),
        _ => return Err(format!("the space that `{name}` leads to is not written")),
    };
    Ok(Term::leaf(from, &to, head))
}

fn list(
    family: Family,
    array: bool,
    maps: &[Raw],
    from: &Space,
    to: Option<&Space>,
    scope: &mut Scope,
) -> Result<Term, String> {
    if maps.is_empty() && to.is_none() && (array || matches!(family, Family::Join | Family::Add)) {
        return Err("no maps, to a space that is not written".into());
    }
    let mut children = Vec::with_capacity(maps.len());
    for (at, map) in maps.iter().enumerate() {
        let inner = match family {
            Family::Join | Family::Each => {
                let index = Part::Element(Expr::Number(at as f64));
                from.part(&Part::Component(at)).or(from.part(&index)).ok_or("there are more maps than parts")?
            }
            Family::Fork | Family::Add => from.clone(),
        };
        children.push(leading(map, &inner, None, scope)?);
    }
    if matches!(family, Family::Join | Family::Each) && from.count().is_some_and(|count| count != children.len()) {
        return Err("there are not as many maps as parts".into());
    }
    if family == Family::Add {
        return Term::total(children).ok_or_else(|| "a sum of no maps".to_string());
    }
    let first = children.first().map_or(Space::Unknown, |map| map.to.clone());
    let own = match family {
        Family::Join | Family::Add => first,
        Family::Fork | Family::Each if array => Space::Array(children.len().to_string(), Box::new(first)),
        Family::Fork | Family::Each => Space::Product(children.iter().map(|map| (None, map.to.clone())).collect()),
    };
    let to = to.cloned().unwrap_or(own);
    Ok(Term { from: from.clone(), to, head: Head::List(family), children })
}

/// The part of a space that a word means.
fn part(space: &Space, at: &Expr) -> Result<Part, String> {
    match (space, at) {
        (Space::Array(..), at) => Ok(Part::Element(at.clone())),
        (Space::Product(parts), Expr::Var(name)) => {
            let found = parts.iter().position(|(label, _)| label.as_ref() == Some(name));
            found.map(Part::Component).ok_or_else(|| format!("there is no part `{name}`"))
        }
        (Space::Product(parts), Expr::Number(at)) if (*at as usize) < parts.len() && at.fract() == 0.0 => {
            Ok(Part::Component(*at as usize))
        }
        _ => Err("there is no such part".into()),
    }
}

/// A count as a size.
pub(crate) fn size(count: &Expr) -> String {
    match count {
        Expr::Var(name) => name.clone(),
        Expr::Number(number) if number.fract() == 0.0 && *number >= 0.0 => format!("{}", *number as u64),
        _ => "_".to_string(),
    }
}
