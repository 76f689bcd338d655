//! The dense matrix: zeros to which the entries are added; if it is small, the entries themselves.

use super::graph::Hop;
use super::known::Split;
use super::numbers_in;
use super::rows::{Entry, Gather, Level, Row};
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::term::{Atom, Body, Comparison, Iteration, Op, Place};
use riesz_core::types::Type;
use rustc_hash::FxHashMap;

/// The matrix of a derivative, or of its adjoint.
pub(super) fn matrix<'a>(
    walk: &mut Walk<'a>,
    result: &Split<'a>,
    (domain, codomain): (&Type, &Type),
    ty: &Type,
    adjoint: bool,
) -> Option<Op> {
    if let Some(rows) = walk.few_rows(result, codomain)
        && let Some(block) = block(walk, &rows, ty, adjoint)
    {
        return Some(Op::Copy(block));
    }
    let accumulator = walk.bind(Op::Accumulator, Type::Accumulator(ty.clone().into()));
    walk.rows(result, codomain, Vec::new(), &mut Matrix { accumulator, domain, adjoint })?;
    Some(Op::Read(accumulator))
}

/// A small matrix, number by number; none where it is not known which numbers are zero.
fn block(walk: &mut Walk, rows: &[Row], ty: &Type, adjoint: bool) -> Option<Atom> {
    if !matches!(numbers_in(ty)?, Size::Constant(..=MOST_NUMBERS)) {
        return None;
    }
    let mut entries: FxHashMap<Vec<i64>, Atom> = FxHashMap::default();
    for row in rows {
        for Entry { path, conditional, partial } in &row.entries {
            let hops = if adjoint { path.iter().chain(&row.path) } else { row.path.iter().chain(path) };
            let place = hops.map(|hop| match hop {
                Hop::Component(at) => Some(*at as i64),
                Hop::Element { form: Size::Constant(at), sure: true, .. } => Some(*at),
                Hop::Element { .. } => None,
            });
            let place = place.collect::<Option<Vec<i64>>>().filter(|_| !conditional)?;
            // A sum begins with 0, which makes −0 a 0.
            let before = *entries.get(&place).unwrap_or(&Atom::Real(0.0));
            let sum = walk.plus_number(before, *partial);
            entries.insert(place, sum);
        }
    }
    block_at(walk, &entries, ty, &mut Vec::new())
}

fn block_at(walk: &mut Walk, entries: &FxHashMap<Vec<i64>, Atom>, ty: &Type, place: &mut Vec<i64>) -> Option<Atom> {
    let mut parts = |types: &mut dyn Iterator<Item = &Type>| {
        let mut atoms = Vec::new();
        for (at, ty) in types.enumerate() {
            place.push(at as i64);
            atoms.push(block_at(walk, entries, ty, place)?);
            place.pop();
        }
        Some(atoms)
    };
    Some(match ty {
        Type::Real => *entries.get(place).unwrap_or(&Atom::Real(0.0)),
        Type::Array(Size::Constant(count), element) => {
            let elements = parts(&mut std::iter::repeat_n(&**element, usize::try_from(*count).ok()?))?;
            walk.bind(Op::Array(elements), ty.clone())
        }
        ty => {
            let components = parts(&mut ty.components()?.iter())?;
            walk.bind(Op::Tuple(components), ty.clone())
        }
    })
}

/// How many numbers a matrix may have that is written number by number.
const MOST_NUMBERS: i64 = 256;

struct Matrix<'t> {
    accumulator: Atom,
    domain: &'t Type,
    adjoint: bool,
}

impl<'a> Gather<'a> for Matrix<'_> {
    type Inside = ();
    const APART: bool = false;

    fn inside(&mut self, walk: &mut Walk<'a>, rows: Vec<Row>) -> Option<()> {
        for row in &rows {
            for entry in &row.entries {
                if !entry.conditional {
                    self.add(walk, row, entry)?;
                    continue;
                }
                let index = entry.path.iter().find_map(|hop| match hop {
                    Hop::Element { index, .. } => Some(*index),
                    Hop::Component(_) => None,
                })?;
                let condition = walk.bind(Op::Compare(Comparison::LessEqual, Atom::Int(0), index), Type::Bool);
                walk.open();
                let result = self.add(walk, row, entry)?;
                let yes = Body { bindings: walk.close(), result };
                walk.open();
                let result = walk.bind(Op::Tuple(Vec::new()), Type::unit());
                let no = Body { bindings: walk.close(), result };
                walk.bind(Op::If { condition, yes, no }, Type::unit());
            }
        }
        Some(())
    }

    fn outside(&mut self, walk: &mut Walk<'a>, (): (), levels: Vec<Level>) -> Option<()> {
        let mut inner = None;
        for Level { index, count, mut bindings } in levels {
            walk.open();
            bindings.extend(inner.take());
            let result = walk.bind(Op::Tuple(Vec::new()), Type::unit());
            bindings.extend(walk.close());
            let op = Op::For(Iteration { count, index, body: Body { bindings, result } });
            walk.open();
            walk.bind(op, Type::unit());
            inner = walk.close().pop();
        }
        if let Some(outermost) = inner {
            walk.bind(outermost.op, Type::unit());
        }
        Some(())
    }
}

impl Matrix<'_> {
    /// Adds an entry at its place.
    fn add(&self, walk: &mut Walk, row: &Row, entry: &Entry) -> Option<Atom> {
        let row = row.path.iter().map(|hop| match hop {
            Hop::Component(at) => Place::Component(*at),
            Hop::Element { index, .. } => Place::Element(*index),
        });
        let row: Vec<Place> = row.collect();
        let mut column = Vec::with_capacity(entry.path.len());
        let mut ty = self.domain.clone();
        for hop in &entry.path {
            ty = match hop {
                Hop::Component(at) => {
                    column.push(Place::Component(*at));
                    ty.component(*at)?.clone()
                }
                Hop::Element { index, sure, span, .. } => {
                    let Type::Array(size, element) = ty else { return None };
                    let index = if *sure { *index } else { walk.checked(*index, &size, *span) };
                    column.push(Place::Element(index));
                    (*element).clone()
                }
            };
        }
        let path = if self.adjoint { [column, row].concat() } else { [row, column].concat() };
        Some(walk.bind(Op::AddTo(self.accumulator, path, entry.partial), Type::unit()))
    }
}
