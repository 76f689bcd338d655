//! Terms from the entries of a matrix.

use super::{MOST_ENTRIES, Stop};
use riesz_core::evaluate::{Fault, Machine, Map, Value};
use riesz_linear::{LinearMap, Matrix, Space, Vector};

/// The map from the entries of its matrix that are not structurally zero.
pub(super) fn from_entries(machine: &mut Machine<f64>, map: &Map<f64>) -> Result<Option<LinearMap>, Fault> {
    let (domain, codomain) = machine.spaces(map)?;
    let (Some(domain), Some(codomain)) = (space(&domain), space(&codomain)) else { return Ok(None) };
    let mut rows = vec![Vec::new(); codomain.dimension()];
    for (row, column, value) in machine.entries(map)? {
        rows[row].push((column, value));
    }
    Ok(by_rows(&codomain, &domain, &mut rows.iter()).ok().map(|map| map.simplify()))
}

/// The entries of a row that are not structurally zero, by columns.
pub(super) type Row = Vec<(usize, f64)>;

/// The map whose rows are given, into a space: a diagonal, a matrix, or row by row.
pub(super) fn by_rows<'r>(
    codomain: &Space,
    domain: &Space,
    given: &mut dyn Iterator<Item = &'r Row>,
) -> Result<LinearMap, Stop> {
    let several = |spaces: &mut dyn Iterator<Item = &Space>, given: &mut dyn Iterator<Item = &'r Row>| {
        spaces.map(|space| by_rows(space, domain, given)).collect::<Result<Vec<LinearMap>, Stop>>()
    };
    let columns = domain.dimension();
    Ok(match codomain {
        Space::Real => {
            let entries = given.next().ok_or(Stop::NoTerm)?;
            let mut row = vec![0.0; columns];
            entries.iter().for_each(|(column, entry)| row[*column] = *entry);
            match domain {
                Space::Real => LinearMap::scale(row[0], Space::Real),
                _ => LinearMap::row(Vector::new(domain.clone(), row)?),
            }
        }
        Space::Array(0, _) => LinearMap::zero(domain.clone(), codomain.clone()),
        Space::Array(count, element) if **element == Space::Real && *domain == Space::reals(columns) => {
            let rows: Vec<&Row> = given.take(*count).collect();
            if *count == columns && rows.iter().enumerate().all(|(at, row)| row.iter().all(|(column, _)| *column == at))
            {
                let entries = rows.iter().map(|row| row.first().map_or(0.0, |(_, entry)| *entry));
                return Ok(LinearMap::diagonal(Vector::of_reals(entries.collect::<Vec<f64>>())));
            }
            if count.saturating_mul(columns) > MOST_ENTRIES {
                return Err(Stop::NoTerm);
            }
            let mut entries = vec![0.0; count * columns];
            for (at, row) in rows.into_iter().enumerate() {
                row.iter().for_each(|(column, entry)| entries[at * columns + column] = *entry);
            }
            LinearMap::left(Matrix::new(*count, columns, entries)?, Space::Real)
        }
        _ if codomain.dimension().saturating_mul(columns) > MOST_ENTRIES => return Err(Stop::NoTerm),
        Space::Array(count, element) => {
            LinearMap::fork_array(several(&mut std::iter::repeat_n(&**element, *count), given)?)?
        }
        Space::Product(parts) if parts.is_empty() => LinearMap::zero(domain.clone(), codomain.clone()),
        Space::Product(parts) => LinearMap::fork(several(&mut parts.iter(), given)?)?,
    })
}

/// The tangent space at a value: of a linear map that is a table, `B ⊗ A`; of another, only what it does tells.
pub(super) fn space(value: &Value<f64>) -> Option<Space> {
    Some(match value {
        Value::Real(_) => Space::Real,
        Value::Tuple(parts) => Space::product(parts.iter().map(space).collect::<Option<Vec<Space>>>()?),
        Value::Reals(elements) => Space::reals(elements.len()),
        Value::Ints(elements) => Space::array(elements.len(), Space::product([])),
        Value::Values(elements) => Space::array(elements.len(), elements.first().map_or(Some(Space::Real), space)?),
        Value::Map(map) => match &**map {
            Map::Table(table) => space(&table.codomain)?.tensor(&space(&table.domain)?),
            _ => return None,
        },
        _ => Space::product([]),
    })
}
