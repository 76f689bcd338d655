//! The sparse matrix: rows, columns and values of the entries, sorted by row, then column.
//!
//! Rows come in order. If the order of the columns of a row is known, and all of them are present, the arrays are built
//! directly. Otherwise each iteration determines its entries and their order, the numbers of entries are summed, and
//! every entry is stored at its position.

use super::graph::Hop;
use super::known::Split;
use super::numbers_in;
use super::rows::{Entry, Gather, Level, Row};
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::term::{Atom, Body, Comparison, Iteration, Op, Place, Recurrence, Reduction};
use riesz_core::types::Type;
use riesz_primitive::{array, scalar};
use std::cmp::Ordering;

/// The longest row whose columns are put in order when the program runs.
const LONGEST_ROW: usize = 12;

/// The columns, rows and values of the entries of a derivative's matrix.
pub(super) fn coo<'a>(walk: &mut Walk<'a>, result: &Split<'a>, codomain: &Type, domain: &Type) -> Option<[Atom; 3]> {
    let mut sparse = Sparse { codomain, domain, pieces: [const { Vec::new() }; 3] };
    match walk.shared.is_some() {
        true => walk.rows_of_system(result, codomain, Vec::new(), &mut sparse)?,
        false => walk.rows(result, codomain, Vec::new(), &mut sparse)?,
    }
    if let Some(shared) = &mut walk.shared {
        sparse.pieces.iter_mut().zip(std::mem::take(&mut shared.pieces)).for_each(|(pieces, more)| pieces.extend(more));
    }
    let mut fields = Vec::with_capacity(3);
    for (pieces, element) in sparse.pieces.into_iter().zip([Type::Int, Type::Int, Type::Real]) {
        fields.push(match pieces[..] {
            [] => walk.bind(Op::Array(Vec::new()), Type::array(Size::Constant(0), element)),
            [piece] => piece,
            _ => {
                let sizes = pieces.iter().map(|piece| match walk.type_of(*piece) {
                    Type::Array(size, _) => size,
                    _ => Size::Hole,
                });
                let size = sizes.collect::<Vec<_>>().iter().try_fold(Size::Constant(0), |all, one| all.add(one))?;
                walk.bind(Op::ArrayFunction(&array::CONCAT, pieces), Type::array(size, element))
            }
        });
    }
    fields.try_into().ok()
}

pub(super) struct Sparse<'t> {
    pub codomain: &'t Type,
    pub domain: &'t Type,
    /// Columns, rows and values, each from several arrays.
    pub pieces: [Vec<Atom>; 3],
}

/// The entries of an iteration.
#[derive(Default)]
pub(super) struct Entries {
    pub columns: Vec<Atom>,
    pub rows: Vec<Atom>,
    pub values: Vec<Atom>,
    /// Where each goes among those of the iteration, −1 for those that are not there; and how many are there.
    pub places: Option<(Vec<Atom>, Atom)>,
}

impl<'a> Gather<'a> for Sparse<'_> {
    type Inside = Entries;

    /// Where all iterations have the same entries, none need be put in their places.
    const APART: bool = true;

    fn inside(&mut self, walk: &mut Walk<'a>, rows: Vec<Row>) -> Option<Entries> {
        let domain = walk.shared.as_ref().map_or_else(|| self.domain.clone(), |shared| shared.domain.clone());
        let rows: Vec<(Vec<Hop>, Vec<Candidate>, bool)> = rows
            .into_iter()
            .map(|row| {
                let (candidates, ordered) = arrange(walk, row.entries, &domain);
                (row.path, candidates, ordered)
            })
            .collect();
        let settled = rows
            .iter()
            .all(|(_, candidates, ordered)| *ordered && candidates.iter().all(|candidate| !candidate.is_conditional()));
        let mut entries = Entries::default();
        let mut places = Vec::new();
        let mut before = Atom::Int(0);
        for (path, candidates, ordered) in rows {
            let row = walk.flat(&path, self.codomain)?;
            let mut columns = Vec::with_capacity(candidates.len());
            for candidate in &candidates {
                columns.push(walk.column(candidate, &domain)?);
            }
            let mut values: Vec<Atom> = candidates.iter().map(|candidate| candidate.partial).collect();
            if !settled {
                let found = match ordered {
                    true => walk.count_up(&candidates, &columns, before),
                    false => walk.put_in_order(&columns, &mut values, before)?,
                };
                places.extend(found.0);
                before = found.1;
            }
            entries.rows.extend(columns.iter().map(|_| row));
            entries.columns.extend(columns);
            entries.values.extend(values);
        }
        entries.places = (!settled).then_some((places, before));
        Some(entries)
    }

    fn outside(&mut self, walk: &mut Walk<'a>, inside: Entries, levels: Vec<Level>) -> Option<()> {
        let Entries { columns, rows, values, places } = inside;
        if values.is_empty() {
            return Some(());
        }
        let width = values.len() as i64;
        let array = |element: Type| Type::array(Size::Constant(width), element);
        let mut types = vec![array(Type::Int), array(Type::Int), array(Type::Real)];
        let mut lists = vec![columns, rows, values];
        let mut count = None;
        if let Some((places, all)) = places {
            types.extend([array(Type::Int), Type::Int]);
            lists.push(places);
            count = Some(all);
        }
        let mut levels = levels.into_iter();
        // Inside the innermost loop.
        let Some(innermost) = levels.next() else {
            let mut parts: Vec<Atom> =
                lists.into_iter().zip(&types).map(|(l, t)| walk.bind(Op::Array(l), t.clone())).collect();
            if let Some(count) = count {
                let once = |walk: &mut Walk<'a>, part: Atom| {
                    let ty = walk.type_of(part);
                    walk.bind(Op::Array(vec![part]), Type::array(Size::Constant(1), ty))
                };
                parts.push(count);
                let parts = parts.into_iter().map(|part| once(walk, part)).collect();
                return self.compact(walk, parts, Size::Constant(1), width);
            }
            for (pieces, part) in self.pieces.iter_mut().zip(parts) {
                pieces.push(part);
            }
            return Some(());
        };
        walk.open();
        let mut parts: Vec<Atom> =
            lists.into_iter().zip(&types).map(|(l, t)| walk.bind(Op::Array(l), t.clone())).collect();
        parts.extend(count);
        let ty = Type::Tuple(types.clone().into());
        let result = walk.bind(Op::Tuple(parts), ty.clone());
        let mut bindings = innermost.bindings;
        bindings.extend(walk.close());
        let mut size = riesz_core::build::size_of(innermost.count);
        let mut sizes = vec![size.clone()];
        let iteration = Iteration { count: innermost.count, index: innermost.index, body: Body { bindings, result } };
        let arrays = |types: &[Type], size: &Size| -> Vec<Type> {
            types.iter().map(|ty| Type::array(size.clone(), ty.clone())).collect()
        };
        types = arrays(&types, &size);
        let mut op = Op::Builds(iteration);
        for level in levels {
            walk.open();
            let result = walk.bind(op, Type::Tuple(types.clone().into()));
            let mut bindings = level.bindings;
            bindings.extend(walk.close());
            op = Op::Builds(Iteration { count: level.count, index: level.index, body: Body { bindings, result } });
            let outer = riesz_core::build::size_of(level.count);
            size = size.mul(&outer)?;
            sizes.push(outer.clone());
            types = arrays(&types, &outer);
        }
        let all = walk.bind(op, Type::Tuple(types.clone().into()));
        let mut parts = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let mut part = walk.bind(Op::Project(all, at), ty.clone());
            // One axis for the loops, and one for the entries of an iteration.
            for _ in 1..sizes.len() {
                part = walk.flattened(part)?;
            }
            parts.push(part);
        }
        if count.is_some() {
            return self.compact(walk, parts, size, width);
        }
        for (pieces, part) in self.pieces.iter_mut().zip(parts) {
            pieces.push(walk.flattened(part)?);
        }
        Some(())
    }
}

impl Sparse<'_> {
    /// Puts entries in their places, given columns, rows, values, places in an iteration and how many there are, for each
    /// iteration.
    fn compact<'a>(&mut self, walk: &mut Walk<'a>, parts: Vec<Atom>, iterations: Size, width: i64) -> Option<()> {
        let [columns, rows, values, places, counts] = parts[..] else { return None };
        let count = walk.size(&iterations);
        // Where the entries of each iteration end.
        let (state, index) = (walk.var(Type::Int), walk.var(Type::Int));
        walk.open();
        let here = walk.bind(Op::Index(counts, Atom::Var(index)), Type::Int);
        let next = walk.bind(Op::Scalar(&scalar::ADD, vec![Atom::Var(state), here]), Type::Int);
        let body = Body { bindings: walk.close(), result: next };
        let recurrence = Recurrence { state, start: Atom::Int(0), count, index, body };
        let ends = walk.bind(Op::Scan(recurrence), Type::array(iterations.clone(), Type::Int));
        let index = walk.var(Type::Int);
        walk.open();
        let here = walk.bind(Op::Index(counts, Atom::Var(index)), Type::Int);
        let body = Body { bindings: walk.close(), result: here };
        let total = walk.bind(Op::Reduce(Reduction::Sum, Iteration { count, index, body }), Type::Int);
        let Atom::Var(total_var) = total else { return None };
        let size = Size::var(total_var);
        let entries = Type::array(size.clone(), Type::Real);
        for (at, (part, element)) in
            [(columns, Type::Int), (rows, Type::Int), (values, Type::Real)].into_iter().enumerate()
        {
            let accumulator = walk.bind(Op::Accumulator, Type::Accumulator(entries.clone().into()));
            let index = walk.var(Type::Int);
            walk.open();
            let end = walk.bind(Op::Index(ends, Atom::Var(index)), Type::Int);
            let here = walk.bind(Op::Index(counts, Atom::Var(index)), Type::Int);
            let begin = walk.bind(Op::Scalar(&scalar::SUB, vec![end, here]), Type::Int);
            let row = |ty: &Type| Type::array(Size::Constant(width), ty.clone());
            let numbers = walk.bind(Op::Index(part, Atom::Var(index)), row(&element));
            let there = walk.bind(Op::Index(places, Atom::Var(index)), row(&Type::Int));
            for entry in 0..width {
                let place = walk.bind(Op::Index(there, Atom::Int(entry)), Type::Int);
                let condition = walk.bind(Op::Compare(Comparison::LessEqual, Atom::Int(0), place), Type::Bool);
                walk.open();
                let number = walk.bind(Op::Index(numbers, Atom::Int(entry)), element.clone());
                let number = match element {
                    Type::Int => walk.bind(Op::ToReal(number), Type::Real),
                    _ => number,
                };
                let place = walk.further(begin, place);
                let result = walk.bind(Op::AddTo(accumulator, vec![Place::Element(place)], number), Type::unit());
                let yes = Body { bindings: walk.close(), result };
                walk.open();
                let result = walk.bind(Op::Tuple(Vec::new()), Type::unit());
                let no = Body { bindings: walk.close(), result };
                walk.bind(Op::If { condition, yes, no }, Type::unit());
            }
            let result = walk.bind(Op::Tuple(Vec::new()), Type::unit());
            let body = Body { bindings: walk.close(), result };
            walk.bind(Op::For(Iteration { count, index, body }), Type::unit());
            let mut placed = walk.bind(Op::Read(accumulator), entries.clone());
            if element == Type::Int {
                let index = walk.var(Type::Int);
                walk.open();
                let number = walk.bind(Op::Index(placed, Atom::Var(index)), Type::Real);
                let result = walk.bind(Op::Truncate(number), Type::Int);
                let body = Body { bindings: walk.close(), result };
                let op = Op::Build(Iteration { count: total, index, body });
                placed = walk.bind(op, Type::array(size.clone(), Type::Int));
            }
            self.pieces[at].push(placed);
        }
        Some(())
    }
}

/// A candidate for an entry: entries that are in the same column.
struct Candidate {
    paths: Vec<(Vec<Hop>, bool)>,
    partial: Atom,
}

impl Candidate {
    fn is_conditional(&self) -> bool {
        self.paths.iter().all(|(_, conditional)| *conditional)
    }
}

/// Brings together what is in the same column, in the order of the columns, if that is known.
fn arrange(walk: &mut Walk, entries: Vec<Entry>, domain: &Type) -> (Vec<Candidate>, bool) {
    let mut arranged: Vec<Candidate> = Vec::new();
    let mut ordered = true;
    for Entry { path, conditional, partial } in entries {
        let mut at = arranged.len();
        let mut same = None;
        for (place, other) in arranged.iter().enumerate() {
            match order(&path, &other.paths[0].0, domain) {
                Some(Ordering::Less) => at = at.min(place),
                Some(Ordering::Equal) => same = Some(place),
                Some(Ordering::Greater) => {}
                None => ordered = false,
            }
        }
        match same {
            Some(place) => {
                arranged[place].partial = walk.plus_number(arranged[place].partial, partial);
                arranged[place].paths.push((path, conditional));
            }
            None => arranged.insert(at, Candidate { paths: vec![(path, conditional)], partial }),
        }
    }
    (arranged, ordered)
}

/// Which of two columns comes first, if that is known.
fn order(a: &[Hop], b: &[Hop], domain: &Type) -> Option<Ordering> {
    let mut ty = domain;
    for (a, b) in a.iter().zip(b) {
        let order = match (a, b) {
            (Hop::Component(a), Hop::Component(b)) => {
                let declared = ty.declared()?;
                let place = |component: &usize| declared.iter().position(|at| at == component);
                ty = ty.component(*a)?;
                place(a)?.cmp(&place(b)?)
            }
            (Hop::Element { form: a, .. }, Hop::Element { form: b, .. }) => {
                let Type::Array(_, element) = ty else { return None };
                ty = element;
                match a.sub(b)? {
                    Size::Constant(difference) => difference.cmp(&0),
                    _ => return None,
                }
            }
            _ => return None,
        };
        if order != Ordering::Equal {
            return Some(order);
        }
    }
    Some(Ordering::Equal)
}

impl<'a> Walk<'a> {
    /// The position of a number; another one if its first index is negative, so that it is not there.
    pub(super) fn flat_or(&mut self, path: &[Hop], ty: &Type, otherwise: Atom) -> Option<Atom> {
        let first = path.iter().find_map(|hop| match hop {
            Hop::Element { index, .. } => Some(*index),
            Hop::Component(_) => None,
        })?;
        let condition = self.bind(Op::Compare(Comparison::LessEqual, Atom::Int(0), first), Type::Bool);
        self.open();
        let result = self.flat(path, ty)?;
        let yes = Body { bindings: self.close(), result };
        let no = Body { bindings: Vec::new(), result: otherwise };
        Some(self.bind(Op::If { condition, yes, no }, Type::Int))
    }

    /// The column of a candidate; −1 where it is not there.
    fn column(&mut self, candidate: &Candidate, domain: &Type) -> Option<Atom> {
        if let Some((path, _)) = candidate.paths.iter().find(|(_, conditional)| !conditional) {
            return self.flat(path, domain);
        }
        let mut greatest: Option<Atom> = None;
        for (path, _) in &candidate.paths {
            let column = self.flat_or(path, domain, Atom::Int(-1))?;
            greatest = Some(match greatest {
                Some(other) => self.bind(Op::Scalar(&scalar::MAX, vec![other, column]), Type::Int),
                None => column,
            });
        }
        greatest
    }

    /// The position of a number among all those of a space.
    pub(super) fn flat(&mut self, path: &[Hop], ty: &Type) -> Option<Atom> {
        let mut ty = ty.clone();
        let mut position = Atom::Int(0);
        for hop in path {
            match hop {
                Hop::Component(at) => {
                    let earlier = ty.declared()?.into_iter().take_while(|other| other != at);
                    let width = |at: usize| numbers_in(ty.component(at)?);
                    let before = earlier.map(width).try_fold(Size::Constant(0), |all, part| all.add(&part?))?;
                    let before = self.size(&before);
                    position = self.further(position, before);
                    ty = ty.component(*at)?.clone();
                }
                Hop::Element { index, sure, span, .. } => {
                    let Type::Array(size, element) = ty else { return None };
                    let index = if *sure { *index } else { self.checked(*index, &size, *span) };
                    let width = self.size(&numbers_in(&element)?);
                    let offset = self.multiple(index, width);
                    position = self.further(position, offset);
                    ty = (*element).clone();
                }
            }
        }
        Some(position)
    }

    /// An index, which is an error where it is not in range: it is read from the array of all that are.
    pub(super) fn checked(&mut self, index: Atom, size: &Size, span: riesz_syntax::Span) -> Atom {
        let all = match self.ranges.iter().find(|(known, _)| known == size) {
            Some((_, all)) => *all,
            None => {
                let at = self.var(Type::Int);
                let inner = self.take_scopes();
                let count = self.size(size);
                let body = Body { bindings: Vec::new(), result: Atom::Var(at) };
                let op = Op::Build(Iteration { count, index: at, body });
                let all = self.bind(op, Type::array(size.clone(), Type::Int));
                self.put_scopes(inner);
                self.ranges.push((size.clone(), all));
                all
            }
        };
        let before = std::mem::replace(&mut self.span, span);
        let index = self.bind(Op::Index(all, index), Type::Int);
        self.span = before;
        index
    }

    /// The rows of an array of arrays one after the other.
    fn flattened(&mut self, array: Atom) -> Option<Atom> {
        let Type::Array(outer, row) = self.type_of(array) else { return None };
        let Type::Array(inner, element) = &*row else { return Some(array) };
        let ty = Type::array(outer.mul(inner)?, (**element).clone());
        Some(self.bind(Op::ArrayFunction(&array::FLATTEN, vec![array]), ty))
    }

    /// The places of entries whose order is known, after some others.
    fn count_up(&mut self, candidates: &[Candidate], columns: &[Atom], mut before: Atom) -> (Vec<Atom>, Atom) {
        let mut places = Vec::with_capacity(columns.len());
        for (candidate, column) in candidates.iter().zip(columns) {
            if !candidate.is_conditional() {
                places.push(before);
                before = self.further(before, Atom::Int(1));
                continue;
            }
            let there = self.bind(Op::Compare(Comparison::LessEqual, Atom::Int(0), *column), Type::Bool);
            places.push(self.choose(there, before, Atom::Int(-1), Type::Int));
            let one = self.choose(there, Atom::Int(1), Atom::Int(0), Type::Int);
            before = self.further(before, one);
        }
        (places, before)
    }

    /// The places of entries whose columns are known only here, after some others. Of several in one column the first
    /// has the sum.
    fn put_in_order(&mut self, columns: &[Atom], values: &mut [Atom], before: Atom) -> Option<(Vec<Atom>, Atom)> {
        if columns.len() > LONGEST_ROW {
            return None;
        }
        let mut leads = Vec::with_capacity(columns.len());
        for (at, column) in columns.iter().enumerate() {
            let mut lead = self.bind(Op::Compare(Comparison::LessEqual, Atom::Int(0), *column), Type::Bool);
            for other in &columns[..at] {
                let same = self.bind(Op::Same(*other, *column), Type::Bool);
                lead = self.choose(same, Atom::Bool(false), lead, Type::Bool);
            }
            leads.push(lead);
            let mut sum = values[at];
            for (other, value) in columns.iter().zip(values.iter()).skip(at + 1) {
                let same = self.bind(Op::Same(*column, *other), Type::Bool);
                let term = self.choose(same, *value, Atom::Real(0.0), Type::Real);
                sum = self.plus_number(sum, term);
            }
            values[at] = sum;
        }
        let mut places = Vec::with_capacity(columns.len());
        let mut after = before;
        for (column, lead) in columns.iter().zip(&leads) {
            let mut place = before;
            for (other, leads) in columns.iter().zip(&leads) {
                let less = self.bind(Op::Compare(Comparison::Less, *other, *column), Type::Bool);
                let counts = self.choose(*leads, Atom::Int(1), Atom::Int(0), Type::Int);
                let more = self.choose(less, counts, Atom::Int(0), Type::Int);
                place = self.further(place, more);
            }
            places.push(self.choose(*lead, place, Atom::Int(-1), Type::Int));
            let counts = self.choose(*lead, Atom::Int(1), Atom::Int(0), Type::Int);
            after = self.further(after, counts);
        }
        Some((places, after))
    }

    /// `if condition then yes else no`
    fn choose(&mut self, condition: Atom, yes: Atom, no: Atom, ty: Type) -> Atom {
        let body = |result: Atom| Body { bindings: Vec::new(), result };
        self.bind(Op::If { condition, yes: body(yes), no: body(no) }, ty)
    }
}
