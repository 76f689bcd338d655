//! A number that depends on many others is an unknown of its own, with an equation:
//!
//! ```text
//! s = Σᵢ g(x[i'(i)], …)   becomes   −ds + Σᵢ Σⱼ ∂g/∂xⱼ dxⱼ = 0
//! ```
//!
//! so that a matrix with few numbers in its rows stays one where such a sum is read in every row: `diagonal + u ⊗ v` becomes an
//! arrow. This is only for systems that are solved; their matrix is then a part of a larger one.

use super::graph::{Hop, Input, Origin};
use super::known::{Addition, Element, Split};
use super::numbers_in;
use super::rows::{Gather, Level};
use super::sparse::{Entries, Sparse};
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::term::{Atom, Body, Iteration, Op, Place, Reduction, Var};
use riesz_core::types::Type;

/// The unknowns for sums, and their equations.
pub(super) struct Shared {
    /// The space of the point, and behind it that of each unknown.
    pub domain: Type,
    /// The number of rows of the matrix.
    rows: Size,
    /// Columns, rows and values of the equations.
    pub pieces: [Vec<Atom>; 3],
}

impl Shared {
    /// No unknowns but those of a point.
    pub fn new(domain: &Type, rows: Size) -> Shared {
        Shared { domain: Type::Tuple([domain.clone()].into()), rows, pieces: Default::default() }
    }

    /// How many unknowns there are beside those of the point.
    pub fn count(&self) -> usize {
        self.domain.components().map_or(0, |parts| parts.len() - 1)
    }
}

impl<'a> Walk<'a> {
    /// Goes through a part of a result. Entries of a system need no order, and those at the same place are added: what is added
    /// up in an accumulator has the rows of each statement that adds, in the loops of that.
    pub(super) fn rows_of_system(
        &mut self,
        known: &Split<'a>,
        ty: &Type,
        path: Vec<Hop>,
        sparse: &mut Sparse,
    ) -> Option<()> {
        let sum = match known {
            Split::Built(built) => match &built.element {
                Element::Sum { of, path, .. } => Some((of.clone(), path.clone())),
                _ => None,
            },
            _ => None,
        };
        if let (Split::Joined(parts), Type::Array(_, element), []) = (known, ty, &path[..]) {
            return self.rows_one_after_the_other(parts, element, sparse);
        }
        match (sum, ty.declared()) {
            (Some((sum, within)), _) => {
                let additions = sum.additions.borrow().clone();
                additions.iter().try_for_each(|addition| self.rows_of(addition, ty, (&within, &path), sparse))
            }
            (None, Some(declared)) if !known.is_plain() => declared.into_iter().try_for_each(|at| {
                let part = self.project(known, at)?;
                let path = path.iter().cloned().chain([Hop::Component(at)]).collect();
                self.rows_of_system(&part, ty.component(at)?, path, sparse)
            }),
            _ => self.rows(known, ty, path, sparse),
        }
    }

    /// The rows of arrays one after the other, which are the result.
    fn rows_one_after_the_other(&mut self, parts: &[Split<'a>], element: &Type, sparse: &mut Sparse) -> Option<()> {
        let width = self.size(&numbers_in(element)?);
        let mut before = Atom::Int(0);
        for part in parts {
            let length = self.length(part)?;
            let ty = Type::array(self.form(length), element.clone());
            let mut own = Sparse { codomain: &ty, domain: sparse.domain, pieces: Default::default() };
            self.rows_of_system(part, &ty, Vec::new(), &mut own)?;
            let [columns, rows, values] = own.pieces;
            for rows in rows {
                let ty = self.type_of(rows);
                let count = self.length(&Split::Plain(rows))?;
                let index = self.var(Type::Int);
                self.open();
                let row = self.bind(Op::Index(rows, Atom::Var(index)), Type::Int);
                let result = self.further(before, row);
                let body = Body { bindings: self.close(), result };
                sparse.pieces[1].push(self.bind(Op::Build(Iteration { count, index, body }), ty));
            }
            sparse.pieces[0].extend(columns);
            sparse.pieces[2].extend(values);
            let numbers = self.multiple(length, width);
            before = self.further(before, numbers);
        }
        Some(())
    }

    /// The rows of what a statement adds to the part of an accumulator that a path leads to, which is a part of the result.
    fn rows_of(
        &mut self,
        addition: &Addition<'a>,
        ty: &Type,
        (within, path): (&[Hop], &[Hop]),
        sparse: &mut Sparse,
    ) -> Option<()> {
        if addition.loops().count() != addition.around.len() {
            return None;
        }
        let mut places = addition.place.iter();
        for (hop, place) in within.iter().zip(places.by_ref()) {
            match (hop, place) {
                (Hop::Component(a), Place::Component(b)) if a == b => {}
                (Hop::Component(_), Place::Component(_)) => return Some(()),
                _ => return None,
            }
        }
        if addition.place.len() < within.len() {
            return None;
        }
        let mut counts = Vec::new();
        for iteration in addition.loops() {
            counts.push(self.value(&addition.frame.atom(iteration.count)?)?);
        }
        let facts = self.facts.len();
        let (opened, known) = self.inside_of(&counts, &mut |walk, at| walk.replay(addition, at, &[]))?;
        let indices: Vec<Atom> = opened.iter().map(|(index, _)| Atom::Var(*index)).collect();
        let (mut there, mut ty) = (path.to_vec(), ty.clone());
        let wanted: Vec<Atom> = (addition.place.iter())
            .filter_map(|place| if let Place::Element(index) = place { Some(*index) } else { None })
            .collect();
        let frame = self.again(|walk| walk.inside(addition, &indices, &wanted))?;
        for place in places {
            there.push(match place {
                Place::Component(at) => {
                    ty = ty.component(*at)?.clone();
                    Hop::Component(*at)
                }
                Place::Element(index) => {
                    let Type::Array(size, element) = ty else { return None };
                    ty = (*element).clone();
                    let index = self.value(&frame.atom(*index)?)?;
                    let form = self.form(index);
                    let sure = self.in_range(&form, &self.size_form(&size));
                    Hop::Element { index, form, sure, span: self.span, branches: 0 }
                }
            });
        }
        let rows = self.rows_here(&known, &ty, there)?;
        let inside = sparse.inside(self, rows)?;
        let close = |(index, count)| Level { index, count, bindings: self.close() };
        let levels = opened.into_iter().rev().map(close).collect();
        self.facts.truncate(facts);
        sparse.outside(self, inside, levels)
    }
}

/// A number of a sum, for the indices of its loops.
type Term<'f, 'a> = dyn FnMut(&mut Walk<'a>, &[Atom]) -> Option<Split<'a>> + 'f;

impl<'a> Walk<'a> {
    /// The sum of many numbers, in loops that run a number of times each. Outside of loops and branches it may be an unknown.
    pub(super) fn shared(&mut self, counts: &[Atom], term: &mut Term<'_, 'a>) -> Option<Split<'a>> {
        if self.shared.is_none() || self.scopes.len() != 1 || !self.branches.is_empty() {
            return None;
        }
        let total = self.total(counts, term)?;
        let facts = self.facts.len();
        let (opened, known) = self.inside_of(counts, term)?;
        let Split::Number(_, node) = known else { return None };
        let shared = self.shared.as_ref()?;
        let at = shared.count() + 1;
        let (mut domain, place) = (shared.domain.components()?.to_vec(), Size::Constant(at as i64 - 1));
        let row = shared.rows.add(&place)?;
        domain.push(Type::Real);
        let domain = Type::Tuple(domain.into());
        let own = Hop::Component(at);
        let outside = self.take_scopes();
        let (row, column) = (self.size(&row), self.flat(std::slice::from_ref(&own), &domain)?);
        self.put_scopes(outside);
        let mut entries = Entries::default();
        for (node, partial) in self.partials(&[Some(node)], 0)?.remove(0) {
            let Input { path, conditional } = self.graph.input(node)?.clone();
            entries.rows.push(row);
            entries.values.push(partial);
            // A number that is not there has the partial derivative zero, wherever that is added.
            let there = match conditional {
                true => self.flat_or(&path, &domain, column)?,
                false => self.flat(&path, &domain)?,
            };
            entries.columns.push(there);
        }
        let close = |(index, count)| Level { index, count, bindings: self.close() };
        let levels = opened.into_iter().rev().map(close).collect();
        self.facts.truncate(facts);
        let shared = self.shared.as_mut()?;
        shared.domain = domain.clone();
        let pieces = std::mem::take(&mut shared.pieces);
        let mut sparse = Sparse { codomain: &Type::Real, domain: &domain, pieces };
        sparse.outside(self, entries, levels)?;
        let itself = Entries { columns: vec![column], rows: vec![row], values: vec![Atom::Real(-1.0)], places: None };
        sparse.outside(self, itself, Vec::new())?;
        self.shared.as_mut()?.pieces = sparse.pieces;
        let node = self.graph.add(Origin::Input(Input { path: vec![own], conditional: false }));
        Some(Split::Number(total, node))
    }

    /// The value of the sum.
    fn total(&mut self, counts: &[Atom], term: &mut Term<'_, 'a>) -> Option<Atom> {
        let facts = self.facts.len();
        let (opened, known) = self.inside_of(counts, term)?;
        if !matches!(known, Split::Number(..)) {
            return None;
        }
        let mut result = self.value(&known)?;
        for (index, count) in opened.into_iter().rev() {
            let body = Body { bindings: self.close(), result };
            result = self.bind(Op::Reduce(Reduction::Sum, Iteration { count, index, body }), Type::Real);
        }
        self.facts.truncate(facts);
        Some(result)
    }

    /// A term inside of its loops, which are open then.
    fn inside_of(&mut self, counts: &[Atom], term: &mut Term<'_, 'a>) -> Option<(Vec<(Var, Atom)>, Split<'a>)> {
        let mut opened = Vec::with_capacity(counts.len());
        for count in counts {
            let index = self.var(Type::Int);
            self.facts.push((Size::var(index), self.form(*count)));
            self.open();
            opened.push((index, *count));
        }
        let indices: Vec<Atom> = opened.iter().map(|(index, _)| Atom::Var(*index)).collect();
        let known = term(self, &indices)?;
        Some((opened, known))
    }
}
