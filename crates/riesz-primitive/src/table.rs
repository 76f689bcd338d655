//! The list of all rows, collected from their files.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::primitive::Primitive;
use crate::{array, other, scalar};

/// Every row of the table, in the order of the manual.
pub fn table() -> &'static [&'static Primitive] {
    static TABLE: LazyLock<Vec<&'static Primitive>> =
        LazyLock::new(|| [scalar::FILES, array::FILES, other::FILES].concat().concat());
    &TABLE
}

/// The row of a name.
pub fn find(name: &str) -> Option<&'static Primitive> {
    static NAMES: LazyLock<HashMap<&'static str, &'static Primitive>> =
        LazyLock::new(|| table().iter().map(|row| (row.name, *row)).collect());
    NAMES.get(name).copied()
}
