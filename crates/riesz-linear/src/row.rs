//! Rows of a matrix under construction: sparse until full.
//!
//! A row is a sum of multiples of unit vectors. Terms are appended, and combined when their number has doubled, so that
//! `n` entries take `O(n log n)` in any grouping. **Structure is not arithmetic**: a multiple by zero keeps its
//! entries, with the value zero.

use crate::apply::Coordinate;
use crate::count::added;
use crate::space::times;

/// A row, or a sum of multiples of rows.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    width: usize,
    entries: Entries,
}

#[derive(Clone, Debug)]
enum Entries {
    /// Columns and values. Up to `tidy` they are sorted, each column once.
    Some { list: Vec<(usize, f64)>, tidy: usize },
    /// A value for every column.
    All(Vec<f64>),
}

impl Row {
    pub(crate) fn unit(column: usize, width: usize) -> Row {
        Row { width, entries: Entries::Some { list: vec![(column, 1.0)], tidy: 1 } }
    }

    /// The columns that have an entry, in order, with their values.
    pub(crate) fn into_entries(mut self) -> Vec<(usize, f64)> {
        self.tidy();
        match self.entries {
            Entries::Some { list, .. } => list,
            Entries::All(values) => values.into_iter().enumerate().collect(),
        }
    }

    pub(crate) fn to_dense(&self, width: usize) -> Vec<f64> {
        match &self.entries {
            Entries::All(values) => values.clone(),
            Entries::Some { list, .. } => {
                let mut values = vec![0.0; width];
                let mut sums = 0;
                for &(column, value) in list {
                    sums += u64::from(values[column] != 0.0);
                    values[column] += value;
                }
                added(sums);
                values
            }
        }
    }

    fn tidy(&mut self) {
        let Entries::Some { list, tidy } = &mut self.entries else { return };
        if *tidy < list.len() {
            // stable, so that sums are made in the order in which their parts came
            list.sort_by_key(|entry| entry.0);
            let parts = list.len();
            list.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 += later.1;
                }
                same
            });
            added((parts - list.len()) as u64);
            *tidy = list.len();
        }
        if list.len() == self.width && self.width > 1 {
            self.entries = Entries::All(list.iter().map(|entry| entry.1).collect());
        }
    }

    fn add(&mut self, other: &Row, multiple: impl Fn(f64) -> f64) {
        self.width = self.width.max(other.width);
        match (&mut self.entries, &other.entries) {
            (Entries::All(values), Entries::All(others)) => {
                added(others.len() as u64);
                values.iter_mut().zip(others).for_each(|(value, other)| *value += multiple(*other));
            }
            (Entries::All(values), Entries::Some { list, .. }) => {
                added(list.len() as u64);
                list.iter().for_each(|&(column, other)| values[column] += multiple(other));
            }
            (Entries::Some { list, .. }, Entries::All(others)) => {
                added(list.len() as u64);
                let mut values: Vec<f64> = others.iter().map(|other| multiple(*other)).collect();
                list.iter().for_each(|&(column, value)| values[column] += value);
                self.entries = Entries::All(values);
            }
            (Entries::Some { list, tidy }, Entries::Some { list: others, tidy: sorted }) => {
                if list.is_empty() {
                    *tidy = *sorted;
                }
                list.extend(others.iter().map(|&(column, value)| (column, multiple(value))));
                if list.len() > 2 * *tidy + 16 {
                    self.tidy();
                }
            }
        }
    }
}

impl Coordinate for Row {
    fn zero() -> Row {
        Row { width: 0, entries: Entries::Some { list: Vec::new(), tidy: 0 } }
    }

    fn accumulate(&mut self, other: &Row) {
        self.add(other, |value| value);
    }

    fn accumulate_multiple(&mut self, k: f64, other: &Row) {
        self.add(other, |value| times(k, value));
    }
}
