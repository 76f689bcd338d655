//! A map from the entries of its matrix, in the form that says most about it.
//!
//! | entries | form |
//! |---|---|
//! | `(i, i)` with 1; with any number | `id`, or `reshape` between spaces; `diagonal` |
//! | one in each row or column, all 1 | `gather`, `slice`, `reverse`, `replicate`, `scatter`, `transpose` |
//! | all `(i, j)` with `j ≤ i`, all 1 | `prefix`; `suffix` for `j ≥ i` |
//! | one in each row, 1, from several arrays to one of tuples | `zip`, `unzip` |
//! | a row or a column, all 1; a row with a single 1 | `sum`, `replicate`; `project` |
//! | equal blocks `(i, i)`; `aᵢⱼ · 1` in block `(i, j)` | `map n f`; `dot(a, _) over V` |
//! | near the diagonal | `dot(banded …, _)` |
//! | most of a matrix | `dot(a, _)` |
//! | others | `scatter … ∘ diagonal … ∘ gather …` |
//!
//! Entries that are not given are structurally zero. Nothing larger than the entries is made, but for matrices of which
//! a third is given.

use crate::map::{Contraction, Form, LinearMap, Side};
use crate::matrix::{Band, Matrix};
use crate::relation::{Line, Relation, Walk};
use crate::space::{Space, SpaceError};
use crate::vector::Vector;

/// The entries of a row, by increasing columns.
pub type Entries = Vec<(usize, f64)>;

/// The largest matrix that is written as one although it is mostly zero.
const SMALL: usize = 64;
/// The most blocks of a matrix that are written out.
const BLOCKS: usize = 12;

impl LinearMap {
    /// The map whose matrix has these entries, row by row.
    ///
    /// # Errors
    /// Where there are not as many rows as the codomain has dimensions, or a column is none of the domain's.
    pub fn of_entries(domain: &Space, codomain: &Space, rows: &[Entries]) -> Result<LinearMap, SpaceError> {
        let columns = domain.dimension();
        let beyond = rows.iter().flatten().any(|(column, _)| *column >= columns);
        let unordered = rows.iter().any(|row| row.windows(2).any(|pair| pair[0].0 >= pair[1].0));
        if rows.len() != codomain.dimension() || beyond || unordered {
            return Err(SpaceError::new(format!("these are not the entries of a map from {domain} to {codomain}")));
        }
        between(domain, codomain, rows)
    }
}

fn between(domain: &Space, codomain: &Space, rows: &[Entries]) -> Result<LinearMap, SpaceError> {
    if rows.iter().all(Vec::is_empty) {
        return Ok(LinearMap::zero(domain.clone(), codomain.clone()));
    }
    let dense = |row: &Entries| {
        let mut values = vec![0.0; domain.dimension()];
        row.iter().for_each(|(column, entry)| values[*column] = *entry);
        values
    };
    let ones = || rows.iter().flatten().all(|(_, entry)| *entry == 1.0);
    let numbers =
        |space: &Space| matches!(space, Space::Array(count, element) if *count > 1 && **element == Space::Real);
    match (domain, codomain) {
        (Space::Product(parts), Space::Array(..)) | (Space::Array(..), Space::Product(parts))
            if parts.len() > 1
                && rows.iter().all(|row| row.len() == 1)
                && let Some(map) = zipped(parts, domain, codomain, rows) =>
        {
            Ok(map)
        }
        (_, Space::Real) if numbers(domain) && rows[0].len() == domain.dimension() && ones() => {
            Ok(LinearMap::reduce(Relation::Sum(domain.dimension()), Space::Real))
        }
        (_, Space::Real) if *domain != Space::Real && rows[0].len() == 1 && ones() => projection(domain, rows[0][0].0),
        (Space::Real, _) if numbers(codomain) && rows.iter().all(|row| row.len() == 1) && ones() => {
            Ok(LinearMap::reduce(Relation::Replicate(codomain.dimension()), Space::Real))
        }
        (_, Space::Product(parts)) => {
            let mut start = 0;
            let forked = parts.iter().map(|part| {
                let rows = &rows[start..start + part.dimension()];
                start += part.dimension();
                between(domain, part, rows)
            });
            LinearMap::fork(forked.collect::<Result<_, _>>()?)
        }
        (Space::Real, Space::Real) => Ok(LinearMap::scale(rows[0][0].1, Space::Real)),
        (_, Space::Real) => Ok(LinearMap::row(Vector::new(domain.clone(), dense(&rows[0]))?)),
        (Space::Real, _) => {
            let values: Vec<f64> = rows.iter().map(|row| row.first().map_or(0.0, |(_, entry)| *entry)).collect();
            Ok(LinearMap::column(Vector::new(codomain.clone(), values)?))
        }
        (Space::Product(parts), _) => {
            let mut start = 0;
            let joined = parts.iter().map(|part| {
                let end = start + part.dimension();
                let own: Vec<Entries> = rows.iter().map(|row| shifted(row, start, end)).collect();
                start = end;
                between(part, codomain, &own)
            });
            LinearMap::join(joined.collect::<Result<_, _>>()?)
        }
        _ => of_arrays(domain, codomain, rows),
    }
}

/// A number of a vector.
fn projection(space: &Space, column: usize) -> Result<LinearMap, SpaceError> {
    let mut chain = Vec::new();
    let (mut part, mut rest) = (space, column);
    while let Some(at) = (0..part.count()).rev().find(|at| part.offset(*at) <= rest && *part != Space::Real) {
        chain.insert(0, LinearMap::project(at, part.clone())?);
        rest -= part.offset(at);
        match part.part(at) {
            Some(inner) => part = inner,
            None => break,
        }
    }
    Ok(LinearMap::composed(chain))
}

/// The exchange of several arrays with one of tuples, in either direction.
fn zipped(parts: &[Space], domain: &Space, codomain: &Space, rows: &[Entries]) -> Option<LinearMap> {
    let exchange = match codomain {
        Space::Array(..) => LinearMap::zip(parts),
        _ => LinearMap::unzip(parts),
    };
    let exchange = exchange.ok().filter(|map| (map.domain(), map.codomain()) == (domain, codomain))?;
    let found = exchange.coo();
    rows.iter().zip(&found.cols).all(|(row, column)| row[0] == (*column, 1.0)).then_some(exchange)
}

/// The entries of some columns, counted from the first of them.
fn shifted(row: &Entries, start: usize, end: usize) -> Entries {
    let own = row.iter().filter(|(column, _)| (start..end).contains(column));
    own.map(|(column, entry)| (column - start, *entry)).collect()
}

/// A map between arrays.
fn of_arrays(domain: &Space, codomain: &Space, rows: &[Entries]) -> Result<LinearMap, SpaceError> {
    let is_square = domain.dimension() == codomain.dimension();
    let ones = rows.iter().flatten().all(|(_, entry)| *entry == 1.0);
    if is_square && ones && rows.iter().enumerate().all(|(at, row)| row.len() == 1 && row[0].0 == at) {
        return regrouped(LinearMap::identity(domain.clone()), domain, codomain);
    }
    if is_square && rows.iter().enumerate().all(|(at, row)| row.iter().all(|(column, _)| *column == at)) {
        let values: Vec<f64> = rows.iter().map(|row| row.first().map_or(0.0, |(_, entry)| *entry)).collect();
        return regrouped(LinearMap::diagonal(Vector::new(domain.clone(), values)?), domain, codomain);
    }
    if let (Space::Array(p, v), Space::Array(q, w)) = (domain, codomain) {
        if ones && let Some(map) = transposition((*p, v), (*q, w), rows) {
            return Ok(map);
        }
        if p == q
            && *p > 1
            && (**v != Space::Real || **w != Space::Real)
            && let Some(map) = blocks(*p, v, w, rows)?
        {
            return Ok(map);
        }
        if v == w
            && **v != Space::Real
            && let Some(map) = over_elements((*p, *q), v, rows)?
        {
            return Ok(map);
        }
    }
    // A vector as an array of one.
    if let Space::Array(q, w) = codomain
        && **w == *domain
        && let Some(map) = over_elements((1, *q), domain, rows)?
    {
        let all = rows.iter().all(|row| row.len() == 1);
        let replicates = (ones && all).then(|| LinearMap::reduce(Relation::Replicate(*q), domain.clone()));
        return replicates.map_or_else(|| regrouped(map, domain, codomain), Ok);
    }
    if let Space::Array(p, v) = domain
        && **v == *codomain
        && let Some(map) = over_elements((*p, 1), codomain, rows)?
    {
        let all = rows.iter().all(|row| row.len() == *p);
        let adds = (ones && all).then(|| LinearMap::reduce(Relation::Sum(*p), codomain.clone()));
        return adds.map_or_else(|| regrouped(map, domain, codomain), Ok);
    }
    let (columns, count) = (domain.dimension(), codomain.dimension());
    regrouped(of_numbers(columns, count, rows)?, domain, codomain)
}

/// A map between spaces of as many numbers as those of `map`.
fn regrouped(map: LinearMap, domain: &Space, codomain: &Space) -> Result<LinearMap, SpaceError> {
    let mut chain = Vec::new();
    if map.codomain() != codomain {
        chain.push(LinearMap::reshape(map.codomain().clone(), codomain.clone())?);
    }
    let before = (map.domain() != domain).then(|| LinearMap::reshape(domain.clone(), map.domain().clone()));
    // A map that does nothing but regroup is one operator.
    if matches!(map.form(), Form::Identity) && domain != codomain {
        return LinearMap::reshape(domain.clone(), codomain.clone());
    }
    chain.push(map);
    chain.extend(before.transpose()?);
    if chain.len() == 1 { Ok(chain.remove(0)) } else { LinearMap::compose(chain) }
}

/// `[p][q]U ⊸ [q][p]U`
fn transposition((p, v): (usize, &Space), (q, w): (usize, &Space), rows: &[Entries]) -> Option<LinearMap> {
    let (Space::Array(inner, u), Space::Array(outer, other)) = (v, w) else { return None };
    if (*inner, *outer) != (q, p) || u != other {
        return None;
    }
    let width = u.dimension();
    let source = |at: usize| {
        let (place, offset) = (at / width, at % width);
        ((place % p) * q + place / p) * width + offset
    };
    let exchanged = rows.iter().enumerate().all(|(at, row)| row.len() == 1 && row[0].0 == source(at));
    exchanged.then(|| LinearMap::transpose(Space::reals(p), Space::reals(q), Space::clone(u)))
}

/// A matrix of blocks that stand along its diagonal.
fn blocks(count: usize, v: &Space, w: &Space, rows: &[Entries]) -> Result<Option<LinearMap>, SpaceError> {
    let (width, height) = (v.dimension(), w.dimension());
    let block = |at: usize| -> Vec<Entries> {
        rows[at * height..(at + 1) * height].iter().map(|row| shifted(row, at * width, (at + 1) * width)).collect()
    };
    let inside =
        |(at, row): (usize, &Entries)| row.iter().all(|(column, _)| column / width.max(1) == at / height.max(1));
    if height == 0 || !rows.iter().enumerate().all(inside) {
        return Ok(None);
    }
    let first = block(0);
    if (1..count).all(|at| block(at) == first) {
        return Ok(Some(LinearMap::map(count, between(v, w, &first)?)));
    }
    if count > BLOCKS {
        return Ok(None);
    }
    let each: Result<Vec<LinearMap>, SpaceError> = (0..count).map(|at| between(v, w, &block(at))).collect();
    Ok(Some(LinearMap::each_array(each?)?))
}

/// A map of the places of an array that is the same for every number of its elements.
fn over_elements((p, q): (usize, usize), v: &Space, rows: &[Entries]) -> Result<Option<LinearMap>, SpaceError> {
    let width = v.dimension();
    if width == 0 {
        return Ok(None);
    }
    let of_first = |row: &Entries| -> Entries { row.iter().map(|(column, entry)| (column / width, *entry)).collect() };
    let first: Vec<Entries> = (0..q).map(|at| of_first(&rows[at * width])).collect();
    let same = rows.iter().enumerate().all(|(at, row)| {
        row.iter().all(|(column, _)| column % width == at % width) && of_first(row) == first[at / width]
    });
    if !same {
        return Ok(None);
    }
    let map = of_numbers(p, q, &first)?;
    Ok(match map.form() {
        Form::Contract(Contraction { side: Side::Left, matrix, .. }) => {
            Some(LinearMap::left(matrix.clone(), v.clone()))
        }
        Form::Reduce { relation, .. } => Some(LinearMap::reduce(relation.clone(), v.clone())),
        _ => {
            let entries: usize = first.iter().map(Vec::len).sum();
            let is_dense = entries.saturating_mul(3) >= p.saturating_mul(q);
            is_dense
                .then(|| LinearMap::left(Matrix::in_band(q, p, None, |row, column| at(&first, row, column)), v.clone()))
        }
    })
}

/// A map between arrays of numbers.
fn of_numbers(columns: usize, count: usize, rows: &[Entries]) -> Result<LinearMap, SpaceError> {
    let entries: usize = rows.iter().map(Vec::len).sum();
    let ones = rows.iter().flatten().all(|(_, entry)| *entry == 1.0);
    if rows.iter().all(|row| row.len() == 1) {
        let gathered = gather(rows.iter().map(|row| row[0].0).collect(), columns)?;
        if ones {
            return Ok(gathered);
        }
        let values: Vec<f64> = rows.iter().map(|row| row[0].1).collect();
        return LinearMap::diagonal(Vector::of_reals(values)).after(&gathered);
    }
    if ones && count == columns {
        let all = |row: &Entries, from: usize, to: usize| {
            row.len() == to - from && row.first().is_none_or(|first| first.0 == from)
        };
        if rows.iter().enumerate().all(|(at, row)| all(row, 0, at + 1)) {
            return Ok(LinearMap::reduce(Relation::Prefix(count), Space::Real));
        }
        if rows.iter().enumerate().all(|(at, row)| all(row, at, count)) {
            return Ok(LinearMap::reduce(Relation::Suffix(count), Space::Real));
        }
    }
    if ones && entries == columns {
        let mut targets = vec![None; columns];
        rows.iter().enumerate().for_each(|(at, row)| row.iter().for_each(|(column, _)| targets[*column] = Some(at)));
        if let Some(targets) = targets.into_iter().collect::<Option<Vec<usize>>>() {
            return Ok(gather(targets, count)?.adjoint());
        }
    }
    let size = columns.saturating_mul(count);
    let below = |(at, row): (usize, &Entries)| row.first().map_or(0, |(column, _)| at.saturating_sub(*column));
    let above = |(at, row): (usize, &Entries)| row.last().map_or(0, |(column, _)| column.saturating_sub(at));
    let lower = rows.iter().enumerate().map(below).max().unwrap_or(0);
    let upper = rows.iter().enumerate().map(above).max().unwrap_or(0);
    let at = |row: usize, column: usize| at(rows, row, column);
    let band = Band { lower, upper };
    let within = band.entries(count, columns) as usize;
    if within.saturating_mul(2) <= size && within <= entries.saturating_mul(2) {
        let matrix = Matrix::in_band(count, columns, Some(band), at);
        if matrix.band().is_some() {
            return Ok(LinearMap::left(matrix, Space::Real));
        }
    }
    if size <= SMALL || entries.saturating_mul(3) >= size {
        return Ok(LinearMap::left(Matrix::in_band(count, columns, None, at), Space::Real));
    }
    let sources = rows.iter().flatten().map(|(column, _)| *column).collect();
    let targets = rows.iter().enumerate().flat_map(|(at, row)| std::iter::repeat_n(at, row.len())).collect();
    let mut chain = vec![gather(targets, count)?.adjoint()];
    if !ones {
        let values: Vec<f64> = rows.iter().flatten().map(|(_, entry)| *entry).collect();
        chain.push(LinearMap::diagonal(Vector::of_reals(values)));
    }
    chain.push(gather(sources, columns)?);
    LinearMap::compose(chain)
}

/// The entry at a place.
fn at(rows: &[Entries], row: usize, column: usize) -> f64 {
    rows[row].binary_search_by_key(&column, |entry| entry.0).map_or(0.0, |place| rows[row][place].1)
}

/// The numbers at some places of an array.
fn gather(indices: Vec<usize>, size: usize) -> Result<LinearMap, SpaceError> {
    let count = indices.len();
    let step = match indices[..] {
        [first, second, ..] => second as isize - first as isize,
        _ => 1,
    };
    let start = indices.first().copied().unwrap_or(0);
    let expected = |at: usize| start as isize + step * at as isize;
    let is_line = indices.iter().enumerate().all(|(at, index)| *index as isize == expected(at));
    if is_line && step == 0 {
        let element = LinearMap::project(start, Space::reals(size))?;
        return LinearMap::reduce(Relation::Replicate(count), Space::Real).after(&element);
    }
    let relation = match is_line {
        true => {
            let (source, target) = (Walk { start, step, size }, Walk { start: 0, step: 1, size: count });
            Relation::line(Line { count, source, target })?
        }
        false => Relation::gather(indices, size)?,
    };
    match relation.is_identity() {
        true => Ok(LinearMap::identity(Space::reals(size))),
        false => Ok(LinearMap::reduce(relation, Space::Real)),
    }
}
