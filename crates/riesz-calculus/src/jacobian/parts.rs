//! Numbers with their dependencies, and the components of values.

use super::graph::{Hop, Input, Node, Origin};
use super::known::{Built, Element, Split};
use super::walk::{LONGEST, Walk};
use crate::compile::has_holes;
use riesz_core::Size;
use riesz_core::term::{Atom, Op};
use riesz_core::types::Type;
use riesz_primitive::derivative::{Derivative, linear_coefficients};
use riesz_primitive::{Primitive, scalar};
use std::rc::Rc;

impl<'a> Walk<'a> {
    // ---- numbers ----

    /// A part of the point.
    pub fn input(&mut self, value: Atom, path: Vec<Hop>) -> Split<'a> {
        let ty = self.type_of(value);
        if !ty.varies() {
            return Split::Plain(value);
        }
        if ty != Type::Real {
            return Split::Input(value, path);
        }
        let mut key = String::new();
        for hop in &path {
            key += &match hop {
                Hop::Component(at) => format!(".{at}"),
                Hop::Element { form, .. } => format!("[{form:?}]"),
            };
        }
        if let Some(node) = self.scopes.iter().rev().find_map(|scope| scope.inputs.get(&key)) {
            return Split::Number(value, *node);
        }
        // Outside of the branches that it needs nothing of, it is the same number.
        let branches = path.iter().map(Hop::branches).max().unwrap_or(0);
        let scope = self.branches.get(branches).map_or(self.scopes.len(), |scopes| *scopes).min(self.scopes.len()) - 1;
        let node = self.graph.add(Origin::Input(Input { path, conditional: false }));
        self.scopes[scope].inputs.insert(key, node);
        Split::Number(value, node)
    }

    /// A number with a value, and a sum of multiples of numbers that it varies with.
    pub fn number(&mut self, value: Atom, terms: Vec<(Atom, Node)>) -> Split<'a> {
        let mut merged: Vec<(Atom, Node)> = Vec::with_capacity(terms.len());
        for (partial, node) in terms {
            match merged.iter().position(|(_, other)| *other == node) {
                Some(at) => merged[at].0 = self.plus_number(merged[at].0, partial),
                None => merged.push((partial, node)),
            }
        }
        match merged[..] {
            [] => Split::Plain(value),
            [(Atom::Real(1.0), node)] => Split::Number(value, node),
            _ => Split::Number(value, self.graph.add(Origin::Sum(merged))),
        }
    }

    pub fn scalar(&mut self, primitive: &'static Primitive, arguments: &[Split<'a>]) -> Option<Split<'a>> {
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Option<Vec<_>>>()?;
        let span = self.span;
        let value = self.bind(Op::Scalar(primitive, values.clone()), Type::Real);
        let row = primitive.scalar()?;
        let mut terms = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let Split::Number(_, node) = argument else { continue };
            let partial = match &row.derivative {
                Derivative::Zero => continue,
                Derivative::Terms(_) | Derivative::Directional => return None,
                Derivative::Linear => Atom::Real(linear_coefficients(primitive)[at]),
                Derivative::Multilinear => values[1 - at],
                Derivative::Scale(coefficients) => {
                    match crate::coefficient::write(self, &coefficients[at], &values, value, span) {
                        Atom::Real(0.0) => continue,
                        partial => partial,
                    }
                }
            };
            terms.push((partial, *node));
        }
        Some(self.number(value, terms))
    }

    /// `a + b`, number by number.
    pub fn plus(&mut self, a: &Split<'a>, b: &Split<'a>) -> Option<Split<'a>> {
        Some(match (a, b) {
            (Split::Parts(left), Split::Parts(right)) if left.len() == right.len() => {
                Split::Parts(left.iter().zip(right).map(|(a, b)| self.plus(a, b)).collect::<Option<_>>()?)
            }
            (Split::Built(_), _) | (_, Split::Built(_)) => {
                let count = self.length(a).or_else(|| self.length(b))?;
                Split::Built(Rc::new(Built { count, element: Element::Plus(a.clone(), b.clone()) }))
            }
            _ => {
                let is_number = |walk: &Self, known: &Split| match known {
                    Split::Plain(atom) | Split::Number(atom, _) => walk.type_of(*atom) == Type::Real,
                    _ => false,
                };
                if is_number(self, a) && is_number(self, b) {
                    return self.scalar(&scalar::ADD, &[a.clone(), b.clone()]);
                }
                let (left, right) = (self.elements(a)?, self.elements(b)?);
                if left.len() != right.len() {
                    return None;
                }
                Split::Elements(left.iter().zip(&right).map(|(a, b)| self.plus(a, b)).collect::<Option<_>>()?)
            }
        })
    }

    /// A sum with one more term, or with its first.
    pub fn with_term(&mut self, total: Option<Split<'a>>, term: Split<'a>) -> Option<Split<'a>> {
        match total {
            Some(total) => self.plus(&total, &term),
            None => Some(term),
        }
    }

    // ---- parts ----

    pub fn project(&mut self, known: &Split<'a>, at: usize) -> Option<Split<'a>> {
        Some(match known {
            Split::Parts(parts) => parts.get(at)?.clone(),
            Split::Plain(atom) => {
                let ty = self.type_of(*atom).component(at)?.clone();
                Split::Plain(self.bind(Op::Project(*atom, at), ty))
            }
            Split::Input(atom, path) => {
                let ty = self.type_of(*atom).component(at)?.clone();
                let value = self.bind(Op::Project(*atom, at), ty);
                let mut path = path.clone();
                path.push(Hop::Component(at));
                self.input(value, path)
            }
            _ => return None,
        })
    }

    pub fn index(&mut self, known: &Split<'a>, at: Atom) -> Option<Split<'a>> {
        let form = self.form(at);
        match known {
            Split::Elements(elements) => match form {
                Size::Constant(at) => elements.get(usize::try_from(at).ok()?).cloned(),
                _ => None,
            },
            Split::Plain(array) | Split::Input(array, _) => {
                let Type::Array(size, element) = self.type_of(*array) else { return None };
                let value = self.bind(Op::Index(*array, at), (*element).clone());
                let Split::Input(_, path) = known else { return Some(Split::Plain(value)) };
                let sure = size != Size::Hole && self.in_range(&form, &self.size_form(&size));
                let mut path = path.clone();
                path.push(match (&form, &size) {
                    (Size::Constant(at), Size::Constant(_)) if sure => {
                        Hop::Element { index: Atom::Int(*at), form, sure, span: self.span, branches: 0 }
                    }
                    _ => Hop::Element { index: at, form, sure, span: self.span, branches: self.branches.len() },
                });
                Some(self.input(value, path))
            }
            Split::Built(built) => {
                let key = (Rc::as_ptr(built) as usize, format!("{form:?}"));
                if let Some((_, element)) = self.scopes.iter().rev().find_map(|scope| scope.elements.get(&key)) {
                    return Some(element.clone());
                }
                if !self.in_range(&form, &self.form(built.count)) {
                    return None;
                }
                let element = self.element(&built.element, at)?;
                // The key is a place in memory, which has to stay taken.
                self.scope().elements.insert(key, (built.clone(), element.clone()));
                Some(element)
            }
            _ => None,
        }
    }

    fn element(&mut self, element: &Element<'a>, at: Atom) -> Option<Split<'a>> {
        match element {
            Element::Iteration { iteration, component, frame } => {
                let iteration = self.iteration(iteration, at, frame)?;
                match component {
                    Some(component) => self.project(&iteration, *component),
                    None => Some(iteration),
                }
            }
            Element::Plus(a, b) => {
                let (a, b) = (self.index(a, at)?, self.index(b, at)?);
                self.plus(&a, &b)
            }
            Element::Moved { of, reindex, others } => self.moved(of, reindex, others, at),
            Element::Zero(ty) => self.zero(ty),
            Element::Sum { of, ty, path } => {
                let sure = true;
                let (form, branches) = (self.form(at), self.branches.len());
                let hop = Hop::Element { index: at, form, sure, span: self.span, branches };
                self.read(of, ty, path.iter().cloned().chain([hop]).collect())
            }
        }
    }

    /// The type of a value with the length of the value, where the type leaves that open; none where it is not known.
    pub fn sized(&mut self, known: &Split<'a>, ty: &Type) -> Option<Type> {
        match ty {
            ty if !has_holes(ty) => Some(ty.clone()),
            Type::Array(Size::Hole, element) if !has_holes(element) => {
                let count = self.length(known)?;
                Some(Type::Array(self.form(count), element.clone()))
            }
            _ => None,
        }
    }

    /// The length of an array.
    pub fn length(&mut self, known: &Split<'a>) -> Option<Atom> {
        match known {
            Split::Elements(elements) => Some(Atom::Int(elements.len() as i64)),
            Split::Built(built) => Some(built.count),
            Split::Joined(parts) => {
                let lengths = parts.iter().map(|part| self.length(part)).collect::<Option<Vec<_>>>()?;
                Some(lengths.into_iter().fold(Atom::Int(0), |all, one| self.further(all, one)))
            }
            Split::Plain(atom) | Split::Input(atom, _) => match self.type_of(*atom) {
                Type::Array(Size::Hole, _) => None,
                Type::Array(size, _) => Some(self.size(&size)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The elements of a short array.
    pub fn elements(&mut self, known: &Split<'a>) -> Option<Vec<Split<'a>>> {
        if let Split::Elements(elements) = known {
            return Some(elements.clone());
        }
        let length = self.length(known)?;
        match self.form(length) {
            Size::Constant(length @ 0..=LONGEST) => (0..length).map(|at| self.index(known, Atom::Int(at))).collect(),
            _ => None,
        }
    }

    /// The zero of a space.
    pub fn zero(&mut self, ty: &Type) -> Option<Split<'a>> {
        Some(match ty {
            Type::Real => Split::Plain(Atom::Real(0.0)),
            Type::Array(Size::Hole, _) => return None,
            Type::Array(size, element) => {
                let count = self.size(size);
                Split::Built(Rc::new(Built { count, element: Element::Zero((**element).clone()) }))
            }
            ty => Split::Parts(ty.components()?.iter().map(|part| self.zero(part)).collect::<Option<_>>()?),
        })
    }
}
