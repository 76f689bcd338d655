//! The result of a function row by row: its numbers, with the entries of the Jacobian in their rows.
//!
//! Numbers that stand beside each other are taken together, and share what they have in common; an array is a loop in
//! which this is done for each element.

use super::graph::{Hop, Node};
use super::known::Known;
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::term::{Atom, Binding, Var};
use riesz_core::types::Type;

/// The longest array that is no loop, outside of loops.
const FEW: i64 = 4;

/// A row of the Jacobian.
pub(super) struct Row {
    /// Where it stands in the result.
    pub path: Vec<Hop>,
    pub entries: Vec<Entry>,
}

/// An entry of the Jacobian.
#[derive(Clone)]
pub(super) struct Entry {
    /// Where its column stands in the point.
    pub path: Vec<Hop>,
    /// Whether it is there only if the first index of the path is not negative.
    pub conditional: bool,
    pub partial: Atom,
}

/// A loop that has been gone through once: what was written for a turn.
pub(super) struct Level {
    pub index: Var,
    pub count: Atom,
    pub bindings: Vec<Binding>,
}

/// A part of the result.
enum Part<'a> {
    Number(Vec<Hop>, Option<Node>),
    Loop { array: Known<'a>, element: Type, path: Vec<Hop> },
}

/// What is made of rows inside the loops they are in, and of that outside of them.
pub(super) trait Gather<'a> {
    type Inside;

    /// Rows inside of all loops.
    fn inside(&mut self, walk: &mut Walk<'a>, rows: Vec<Row>) -> Option<Self::Inside>;

    /// The same after the loops, the innermost first.
    fn outside(&mut self, walk: &mut Walk<'a>, inside: Self::Inside, levels: Vec<Level>) -> Option<()>;
}

impl<'a> Walk<'a> {
    /// Goes through a result.
    pub(super) fn rows<G: Gather<'a>>(&mut self, result: &Known<'a>, ty: &Type, gather: &mut G) -> Option<()> {
        let mut parts = Vec::new();
        self.parts(result, ty, Vec::new(), FEW, &mut parts)?;
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            match part {
                Part::Number(path, node) => {
                    let mut numbers = vec![(path, node)];
                    while let Some(Part::Number(path, node)) = parts.next_if(|part| matches!(part, Part::Number(..))) {
                        numbers.push((path, node));
                    }
                    let rows = self.entries(numbers)?;
                    let inside = gather.inside(self, rows)?;
                    gather.outside(self, inside, Vec::new())?;
                }
                Part::Loop { array, element, path } => {
                    let mut opened = Vec::new();
                    let facts = self.facts.len();
                    let inside = self.inside_loops(&array, &element, path, &mut opened, gather)?;
                    self.facts.truncate(facts);
                    let close = |(index, count)| Level { index, count, bindings: self.close() };
                    let levels = opened.into_iter().rev().map(close).collect();
                    gather.outside(self, inside, levels)?;
                }
            }
        }
        Some(())
    }

    /// The rows of a result that is a few numbers, without loops; none for any other.
    pub(super) fn few_rows(&mut self, result: &Known<'a>, ty: &Type) -> Option<Vec<Row>> {
        let mut parts = Vec::new();
        self.parts(result, ty, Vec::new(), FEW, &mut parts)?;
        self.entries(numbers(parts)?)
    }

    fn inside_loops<G: Gather<'a>>(
        &mut self,
        array: &Known<'a>,
        element: &Type,
        mut path: Vec<Hop>,
        opened: &mut Vec<(Var, Atom)>,
        gather: &mut G,
    ) -> Option<G::Inside> {
        let count = self.length(array)?;
        let index = self.var(Type::Int);
        let form = Size::var(index);
        self.facts.push((form.clone(), self.form(count)));
        self.open();
        opened.push((index, count));
        path.push(Hop::Element { index: Atom::Var(index), form, sure: true, span: self.span, branches: 0 });
        let known = self.index(array, Atom::Var(index))?;
        let mut parts = Vec::new();
        let longest = if matches!(element, Type::Array(..)) { FEW } else { i64::MAX };
        self.parts(&known, element, path, longest, &mut parts)?;
        if let [Part::Loop { array, element, path }] = &parts[..] {
            return self.inside_loops(array, element, path.clone(), opened, gather);
        }
        let rows = self.entries(numbers(parts)?)?;
        gather.inside(self, rows)
    }

    fn parts(
        &mut self,
        known: &Known<'a>,
        ty: &Type,
        path: Vec<Hop>,
        longest: i64,
        out: &mut Vec<Part<'a>>,
    ) -> Option<()> {
        if known.is_plain() {
            return Some(());
        }
        match ty {
            Type::Real => out.push(match known {
                Known::Number(_, node) => Part::Number(path, Some(*node)),
                _ => return None,
            }),
            Type::Array(_, element) => {
                let count = self.length(known)?;
                let short = matches!(known, Known::Elements(_))
                    || matches!(self.form(count), Size::Constant(count) if count <= longest);
                let elements = if short { self.elements(known) } else { None };
                let Some(elements) = elements else {
                    out.push(Part::Loop { array: known.clone(), element: (**element).clone(), path });
                    return Some(());
                };
                for (at, known) in elements.iter().enumerate() {
                    let index = Atom::Int(at as i64);
                    let hop = Hop::Element {
                        index,
                        form: Size::Constant(at as i64),
                        sure: true,
                        span: self.span,
                        branches: 0,
                    };
                    let path = path.iter().cloned().chain([hop]).collect();
                    self.parts(known, element, path, longest, out)?;
                }
            }
            ty => {
                for (at, ty) in ty.components()?.iter().enumerate() {
                    let part = self.project(known, at)?;
                    let path = path.iter().cloned().chain([Hop::Component(at)]).collect();
                    self.parts(&part, ty, path, longest, out)?;
                }
            }
        }
        Some(())
    }

    fn entries(&mut self, numbers: Vec<(Vec<Hop>, Option<Node>)>) -> Option<Vec<Row>> {
        let nodes: Vec<Option<Node>> = numbers.iter().map(|(_, node)| *node).collect();
        let partials = self.partials(&nodes, 0)?;
        let mut rows = Vec::with_capacity(numbers.len());
        for ((path, _), partials) in numbers.into_iter().zip(partials) {
            let mut entries = Vec::with_capacity(partials.len());
            for (node, partial) in partials {
                let input = self.graph.input(node)?;
                entries.push(Entry { path: input.path.clone(), conditional: input.conditional, partial });
            }
            rows.push(Row { path, entries });
        }
        Some(rows)
    }
}

/// The numbers among which there is no loop.
fn numbers(parts: Vec<Part>) -> Option<Vec<(Vec<Hop>, Option<Node>)>> {
    let number = |part| match part {
        Part::Number(path, node) => Some((path, node)),
        Part::Loop { .. } => None,
    };
    parts.into_iter().map(number).collect()
}
