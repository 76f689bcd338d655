//! The growth of costs with a size, as a table and as JSON.

use super::aligned;
use riesz::modes::{Grown, Growth, Sample};
use serde_json::{Value, json};

/// A table: one row for each representation, one column for each size, then the slope.
pub(super) fn as_text(growth: &Growth) -> String {
    let mut sizes: Vec<u32> = growth.rows.iter().flat_map(|row| &row.samples).map(|sample| sample.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut header = vec!["representation".to_string()];
    header.extend(sizes.iter().map(|size| format!("{} = {size}", growth.name)));
    header.extend(["slope".to_string(), String::new()]);
    let last = header.len() - 1;
    let mut table = vec![header];
    table.extend(growth.rows.iter().map(|row| cells(row, &sizes)));
    let mut lines = aligned(&table, &[0, last]);
    lines.push(String::new());
    lines.push(match growth.agree() {
        true => format!("all {} representations agree, at every size that they reached", growth.rows.len()),
        false => "the representations do not agree".into(),
    });
    lines.join("\n")
}

fn cells(row: &Grown, sizes: &[u32]) -> Vec<String> {
    let sample = |size: &u32| row.samples.iter().find(|sample| sample.size == *size);
    let operations = |size: &u32| match sample(size) {
        Some(Sample { operations, agrees: true, .. }) => operations.to_string(),
        Some(Sample { operations, agrees: false, .. }) => format!("✗ {operations}"),
        None => "-".to_string(),
    };
    let slope = row.slope().map_or_else(|| "-".to_string(), |slope| format!("{slope:.2}"));
    let name = [row.representation.name.to_string()];
    name.into_iter()
        .chain(sizes.iter().map(operations))
        .chain([slope, row.stopped.clone().unwrap_or_default()])
        .collect()
}

/// The table of the smallest size, and with it how everything grows.
pub(super) fn as_json(growth: &Growth, first: Value) -> Value {
    let sample = |sample: &Sample| {
        json!({
            "size": sample.size,
            "operations": sample.operations,
            "seconds": sample.time.as_secs_f64(),
            "bytes": sample.bytes,
            "agrees": sample.agrees,
        })
    };
    let row = |row: &Grown| {
        json!({
            "representation": row.representation.name,
            "samples": row.samples.iter().map(sample).collect::<Vec<Value>>(),
            "slope": row.slope(),
            "stopped": row.stopped,
        })
    };
    let mut object = first;
    object["growth"] = json!({
        "name": *growth.name,
        "agree": growth.agree(),
        "representations": growth.rows.iter().map(row).collect::<Vec<Value>>(),
    });
    object
}
