//! Terms from the entries of a matrix.

use riesz_core::evaluate::{Fault, Machine, Map, Value};
use riesz_linear::{Entries, LinearMap, Space};

/// The map from the entries of its matrix that are not structurally zero.
pub(super) fn from_entries(machine: &mut Machine<f64>, map: &Map<f64>) -> Result<Option<LinearMap>, Fault> {
    let (domain, codomain) = machine.spaces(map)?;
    let (Some(domain), Some(codomain)) = (space(&domain), space(&codomain)) else { return Ok(None) };
    let mut rows: Vec<Entries> = vec![Vec::new(); codomain.dimension()];
    for (row, column, value) in machine.entries(map)? {
        rows[row].push((column, value));
    }
    Ok(LinearMap::of_entries(&domain, &codomain, &ordered(&rows)).ok().map(|map| map.simplify()))
}

/// Rows whose entries may be in any order, by columns; those of one place are added up.
pub(super) fn ordered(rows: &[Entries]) -> Vec<Entries> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        row.sort_by_key(|entry| entry.0);
        row.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
    }
    rows
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
            Map::Term(term) => space(&term.codomain)?.tensor(&space(&term.domain)?),
            _ => return None,
        },
        _ => Space::product([]),
    })
}
