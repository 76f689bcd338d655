//! Values from and for other programs: the bindings of `--let`, JSON, npy.

pub mod json;
pub mod npy;

use crate::disk;
use riesz::{Algebra, Binding, Data, Name, OverBinding};
use std::path::Path;

/// The binding of `--let NAME=VALUE`; over intervals also of `--let NAME=LOW..HIGH`.
pub fn given(name: &str, value: &str, over: Option<Algebra>) -> Result<(Name, OverBinding), String> {
    let given = match value.split_once("..").filter(|_| over == Some(Algebra::Interval)) {
        Some((low, high)) => OverBinding::Between(binding(name, low)?.1, binding(name, high)?.1),
        None => OverBinding::One(binding(name, value)?.1),
    };
    Ok((name.into(), given))
}

/// The binding of `--let NAME=VALUE`. An error says why it cannot be read.
pub fn binding(name: &str, value: &str) -> Result<(Name, Binding), String> {
    let binding = match value.trim_start().strip_prefix('@') {
        Some(path) => Binding::Data(read(path)?),
        None => Binding::Text(value.to_string()),
    };
    Ok((name.into(), binding))
}

/// The data of a file, in the format that its name says.
fn read(path: &str) -> Result<Data, String> {
    let failed = |reason: String| format!("cannot read {path}: {reason}");
    let extension = Path::new(path).extension().map(|extension| extension.to_ascii_lowercase());
    let parse = match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("json") => json::read,
        Some("npy") => npy::read,
        _ => return Err(failed("the name of a data file ends in .json or .npy".into())),
    };
    let bytes = disk::read_data(Path::new(path)).map_err(|error| failed(disk::reason(&error)))?;
    parse(&bytes).map_err(failed)
}
