//! Places in the equations of a derivative.

use super::super::scope::Scope;
use super::super::term::{Form, Term, compose, sum};
use riesz_core::term::Var;

/// A map in an equation, or some of its factors or terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// The equation; none for the map that the equations are for.
    pub equation: Option<Var>,
    /// The way there from its right side, child by child.
    pub path: Vec<usize>,
    pub span: Span,
}

/// Which part of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Span {
    Whole,
    /// The factors from one to another.
    Factors(usize, usize),
    /// Two terms.
    Terms(usize, usize),
}

impl Place {
    /// `in D y at 2.0, factors 1 to 2`
    pub fn text(&self, scope: &Scope) -> String {
        let equation = self.equation.map_or("result".to_string(), |var| scope.derivative(var));
        let path: Vec<String> = self.path.iter().map(usize::to_string).collect();
        let at = if path.is_empty() { String::new() } else { format!(" at {}", path.join(".")) };
        let span = match self.span {
            Span::Whole => String::new(),
            Span::Factors(first, last) => format!(", factors {} to {}", first + 1, last + 1),
            Span::Terms(first, second) => format!(", terms {} and {}", first + 1, second + 1),
        };
        format!("in {equation}{at}{span}")
    }

    /// The same after a word; nothing for the equations of the function.
    pub fn inside(place: &Option<Place>, scope: &Scope) -> String {
        place.as_ref().map_or(String::new(), |place| format!(" {}", place.text(scope)))
    }
}

/// The map with chains of chains and sums of sums opened.
pub(super) fn opened(map: &Term) -> Term {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        if map.children().is_empty() {
            return map.clone();
        }
        let children: Vec<Term> = map.children().iter().map(opened).collect();
        with_children(map, children)
    })
}

/// The map with others in place of its children, opened.
pub(super) fn with_children(map: &Term, children: Vec<Term>) -> Term {
    match map.form() {
        Form::Compose(_) => compose(children, map.domain()),
        Form::Add(_) => sum(children, map.domain(), map.codomain()),
        _ if children.iter().zip(map.children()).all(|(new, old)| new.is(old)) => map.clone(),
        _ => map.with_children(children),
    }
}

/// All places in a map where another stands, the innermost first.
pub(super) fn occurrences(map: &Term, wanted: &Term, path: &mut Vec<usize>, found: &mut Vec<(Vec<usize>, Span, bool)>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for (at, child) in map.children().iter().enumerate() {
            path.push(at);
            occurrences(child, wanted, path, found);
            path.pop();
        }
        if map == wanted {
            let children = map.children().iter().zip(wanted.children()).all(|(a, b)| a.is(b));
            let same = if map.children().is_empty() { map.is(wanted) } else { children };
            found.push((path.clone(), Span::Whole, same));
            return;
        }
        match (map.form(), wanted.form()) {
            (Form::Compose(maps), Form::Compose(factors)) => {
                for (at, segment) in maps.windows(factors.len()).enumerate().rev() {
                    if segment == &factors[..] {
                        let same = segment.iter().zip(factors).all(|(a, b)| a.is(b));
                        found.push((path.clone(), Span::Factors(at, at + factors.len() - 1), same));
                    }
                }
            }
            (Form::Add(maps), Form::Add(terms)) => {
                let [first, second] = &terms[..] else { return };
                for (i, one) in maps.iter().enumerate().filter(|(_, one)| *one == first) {
                    for (j, other) in maps.iter().enumerate().skip(i + 1).filter(|(_, other)| *other == second) {
                        found.push((path.clone(), Span::Terms(i, j), one.is(first) && other.is(second)));
                    }
                }
            }
            _ => {}
        }
    });
}

/// The map with what `f` gives in the place of the map at the end of a path.
pub(super) fn replaced(map: &Term, path: &[usize], f: &mut dyn FnMut(&Term) -> Term) -> Term {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match path.split_first() {
        None => f(map),
        Some((at, rest)) => {
            let child = |(place, child): (usize, &Term)| match place == *at {
                true => replaced(child, rest, f),
                false => child.clone(),
            };
            let children = map.children().iter().enumerate().map(child).collect();
            with_children(map, children)
        }
    })
}

/// The map at the end of a path.
pub(super) fn map_at<'t>(map: &'t Term, path: &[usize]) -> Option<&'t Term> {
    path.iter().try_fold(map, |map, at| map.children().get(*at))
}

/// The map with another in the place of a part of it.
pub(super) fn spliced(map: &Term, span: Span, by: &Term) -> Term {
    let mut children = map.children().to_vec();
    match span {
        Span::Whole => return by.clone(),
        Span::Factors(first, last) => drop(children.splice(first..=last, [by.clone()])),
        Span::Terms(first, second) => {
            children[first] = by.clone();
            children.remove(second);
        }
    }
    with_children(map, children)
}
