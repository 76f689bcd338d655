//! The result of a function row by row: its numbers, with the entries of the Jacobian in their rows.
//!
//! Adjacent numbers are handled together and share common values; an array is a loop over its elements. The first and
//! last rows may lack entries that all others have: `x[i] − x[i − 1]` at 0. Where all iterations must have the same
//! entries, these rows are separated from the loop.

use super::graph::{Hop, Node};
use super::known::Split;
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::term::{Atom, Binding, Var};
use riesz_core::types::Type;

/// The longest array that is no loop, outside of loops.
pub(super) const FEW: i64 = 4;

/// A row of the Jacobian.
pub(super) struct Row {
    /// The place of the row in the result.
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

/// A loop that has been gone through once: what was written for an iteration.
pub(super) struct Level {
    pub index: Var,
    pub count: Atom,
    pub bindings: Vec<Binding>,
}

/// A part of the result.
enum Part<'a> {
    Number(Vec<Hop>, Option<Node>),
    Loop { array: Split<'a>, element: Type, path: Vec<Hop> },
}

/// A loop over rows, and how many of the first and of the last may lack what the others have.
pub(super) struct Edges {
    index: Size,
    count: Size,
    first: i64,
    last: i64,
}

impl Edges {
    /// That a row has something only where `0 ≤ iteration < bound`.
    pub(super) fn see(&mut self, iteration: &Size, bound: &Size) {
        if let Some(Size::Constant(further)) = iteration.sub(&self.index)
            && let Some(Size::Constant(more)) = bound.sub(&self.count)
        {
            self.first = self.first.max(-further);
            self.last = self.last.max(further - more);
        }
    }
}

/// A result made of rows: inside the loops around the rows, and outside of them.
pub(super) trait Gather<'a> {
    type Inside;

    /// Whether rows that lack what others have are to stand apart.
    const APART: bool;

    /// Rows inside of all loops.
    fn inside(&mut self, walk: &mut Walk<'a>, rows: Vec<Row>) -> Option<Self::Inside>;

    /// The same after the loops, the innermost first.
    fn outside(&mut self, walk: &mut Walk<'a>, inside: Self::Inside, levels: Vec<Level>) -> Option<()>;
}

impl<'a> Walk<'a> {
    /// Goes through a part of a result, to which a path leads.
    pub(super) fn rows<G: Gather<'a>>(
        &mut self,
        result: &Split<'a>,
        ty: &Type,
        path: Vec<Hop>,
        gather: &mut G,
    ) -> Option<()> {
        let mut parts = Vec::new();
        self.parts(result, ty, path, FEW, &mut parts)?;
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
                Part::Loop { array, element, path } => self.elements_of(&array, &element, &path, gather)?,
            }
        }
        Some(())
    }

    /// Goes through an array that is a part of a result.
    fn elements_of<G: Gather<'a>>(
        &mut self,
        array: &Split<'a>,
        element: &Type,
        path: &[Hop],
        gather: &mut G,
    ) -> Option<()> {
        let count = self.length(array)?;
        let (passed, written) = (self.passed, self.vars.len());
        let (inside, levels, Edges { first, last, .. }) =
            self.rows_of_range(array, element, path, (0, count), gather)?;
        let all = match self.form(count) {
            Size::Constant(all)
                if G::APART && levels.len() == 1 && (1..=FEW.min(all - 1)).contains(&(first + last)) =>
            {
                all
            }
            _ => return gather.outside(self, inside, levels),
        };
        // What has been written goes, and counts for nothing.
        self.passed = passed;
        self.before += self.vars.len() - written;
        for at in 0..first {
            self.apart(array, element, path, at, gather)?;
        }
        let between = Atom::Int(all - first - last);
        let (inside, levels, _) = self.rows_of_range(array, element, path, (first, between), gather)?;
        gather.outside(self, inside, levels)?;
        for at in all - last..all {
            self.apart(array, element, path, at, gather)?;
        }
        Some(())
    }

    /// The rows of a value at a place of the result, inside of loops that are open.
    pub(super) fn rows_here(&mut self, known: &Split<'a>, ty: &Type, path: Vec<Hop>) -> Option<Vec<Row>> {
        let mut parts = Vec::new();
        self.parts(known, ty, path, i64::MAX, &mut parts)?;
        self.entries(numbers(parts)?)
    }

    /// One element of an array, outside of its loop.
    fn apart<G: Gather<'a>>(
        &mut self,
        array: &Split<'a>,
        element: &Type,
        path: &[Hop],
        at: i64,
        gather: &mut G,
    ) -> Option<()> {
        let known = self.index(array, Atom::Int(at))?;
        let path = path.iter().cloned().chain([self.known_hop(at)]).collect();
        let rows = self.rows_here(&known, element, path)?;
        let inside = gather.inside(self, rows)?;
        gather.outside(self, inside, Vec::new())
    }

    /// The rows of a range of elements of an array, in loops.
    fn rows_of_range<G: Gather<'a>>(
        &mut self,
        array: &Split<'a>,
        element: &Type,
        path: &[Hop],
        (first, count): (i64, Atom),
        gather: &mut G,
    ) -> Option<(G::Inside, Vec<Level>, Edges)> {
        let mut opened = Vec::new();
        let facts = self.facts.len();
        let index = self.var(Type::Int);
        self.edges = Some(Edges { index: Size::var(index), count: self.form(count), first: 0, last: 0 });
        let iterations = (index, first, count);
        let inside = self.inside_loops(array, element, path.to_vec(), iterations, &mut opened, gather)?;
        let edges = self.edges.take()?;
        self.facts.truncate(facts);
        let close = |(index, count)| Level { index, count, bindings: self.close() };
        let levels = opened.into_iter().rev().map(close).collect();
        Some((inside, levels, edges))
    }

    /// The rows of a result that is a few numbers, without loops; none for any other.
    pub(super) fn few_rows(&mut self, result: &Split<'a>, ty: &Type) -> Option<Vec<Row>> {
        let mut parts = Vec::new();
        self.parts(result, ty, Vec::new(), FEW, &mut parts)?;
        self.entries(numbers(parts)?)
    }

    fn inside_loops<G: Gather<'a>>(
        &mut self,
        array: &Split<'a>,
        element: &Type,
        mut path: Vec<Hop>,
        (index, first, count): (Var, i64, Atom),
        opened: &mut Vec<(Var, Atom)>,
        gather: &mut G,
    ) -> Option<G::Inside> {
        self.facts.push((Size::var(index), self.form(count)));
        self.open();
        opened.push((index, count));
        let at = self.further(Atom::Var(index), Atom::Int(first));
        path.push(Hop::Element { index: at, form: self.form(at), sure: true, span: self.span, branches: 0 });
        self.gives_row = matches!(element, Type::Array(..));
        let known = self.index(array, at);
        self.gives_row = false;
        let (known, mut parts) = (known?, Vec::new());
        let longest = if matches!(element, Type::Array(..)) { FEW } else { i64::MAX };
        self.parts(&known, element, path, longest, &mut parts)?;
        if let [Part::Loop { array, element, path }] = &parts[..] {
            let iterations = (self.var(Type::Int), 0, self.length(array)?);
            return self.inside_loops(array, element, path.clone(), iterations, opened, gather);
        }
        let rows = self.entries(numbers(parts)?)?;
        gather.inside(self, rows)
    }

    fn parts(
        &mut self,
        known: &Split<'a>,
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
                Split::Number(_, node) => Part::Number(path, Some(*node)),
                _ => return None,
            }),
            Type::Array(_, element) => {
                let count = self.length(known)?;
                let short = matches!(known, Split::Elements(_))
                    || matches!(self.form(count), Size::Constant(count) if count <= longest);
                let elements = if short { self.elements(known) } else { None };
                let Some(elements) = elements else {
                    out.push(Part::Loop { array: known.clone(), element: (**element).clone(), path });
                    return Some(());
                };
                for (at, known) in elements.iter().enumerate() {
                    let path = path.iter().cloned().chain([self.known_hop(at as i64)]).collect();
                    self.parts(known, element, path, longest, out)?;
                }
            }
            ty => {
                for at in ty.declared()? {
                    let part = self.project(known, at)?;
                    let path = path.iter().cloned().chain([Hop::Component(at)]).collect();
                    self.parts(&part, ty.component(at)?, path, longest, out)?;
                }
            }
        }
        Some(())
    }

    /// The step to an element of a result whose index is known.
    fn known_hop(&self, at: i64) -> Hop {
        Hop::Element { index: Atom::Int(at), form: Size::Constant(at), sure: true, span: self.span, branches: 0 }
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
