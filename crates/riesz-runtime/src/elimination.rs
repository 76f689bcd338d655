//! Elimination of the unknowns of a sparse system, each where it fills in least.
//!
//! ```text
//! row i ← row i − (aᵢⱼ / aₚⱼ) row p,   where (p, j) has the least (entries of row p − 1) · (entries of column j − 1)
//! ```
//!
//! among a few of the shortest rows and their entries that are not much smaller than the largest of the row (Markowitz
//! 1957; Duff, Erisman and Reid, *Direct Methods for Sparse Matrices*, §7.2). The right side is eliminated with the rows.
//! When an entry is nearly everywhere, the rest is a dense system.

use crate::entries::Entries;
use crate::matrix::{solve_unnoted, with_room};
use crate::system::{charge, cubed_third};
use crate::{Context, Outcome, fault};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A pivot is at least so large a part of the largest number of its row.
const THRESHOLD: f64 = 0.1;
/// The most rows in which a pivot is searched for.
const SEARCHED: usize = 4;
/// A row so much longer than the pivot's has an index of its columns.
const LONG: usize = 8;
/// No row, no place.
const NONE: u32 = u32::MAX;

/// Rows of which some are eliminated.
pub(crate) struct Elimination {
    rows: Vec<Row>,
    /// The rows that have had an entry in a column; some of them are eliminated.
    columns: Vec<Vec<u32>>,
    /// The number of entries of each column, in rows that are not eliminated.
    counts: Vec<u32>,
    lists: Lists,
    right: Vec<f64>,
    /// The number of entries in rows that are not eliminated.
    entries: usize,
    /// Rows with their unknowns, in the order of elimination.
    pivots: Vec<(u32, u32)>,
    /// Where the pivot's row has a column.
    places: Vec<u32>,
    /// For each entry of the pivot's row, the last row that had an entry in its column.
    seen: Vec<u32>,
    products: u64,
}

/// A row: its columns in any order, and its numbers.
#[derive(Default)]
struct Row {
    columns: Vec<u32>,
    numbers: Vec<f64>,
    index: Option<Index>,
}

/// Where a row has a column.
type Index = HashMap<u32, u32, BuildHasherDefault<Multiplied>>;

/// A hash of a column.
#[derive(Default)]
struct Multiplied(u64);

impl Hasher for Multiplied {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }

    fn write_u32(&mut self, column: u32) {
        self.0 = u64::from(column).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Row {
    fn push(&mut self, column: u32, number: f64) {
        if let Some(index) = &mut self.index {
            index.insert(column, self.columns.len() as u32);
        }
        self.columns.push(column);
        self.numbers.push(number);
    }

    /// Takes an entry out, and gives its number.
    fn take(&mut self, at: usize) -> f64 {
        let column = self.columns.swap_remove(at);
        if let Some(index) = &mut self.index {
            index.remove(&column);
            if let Some(moved) = self.columns.get(at) {
                index.insert(*moved, at as u32);
            }
        }
        self.numbers.swap_remove(at)
    }
}

impl Elimination {
    /// The bytes of an entry: in its row, in its column, and room to grow.
    const BYTES: usize = 32;

    pub fn new(context: &mut Context, site: u32, entries: &Entries, n: usize, b: &[f64]) -> Outcome<Elimination> {
        if n >= NONE as usize {
            return Err(fault(site, &[n as i64]));
        }
        charge(context, n, 200, site)?;
        charge(context, entries.iter().len(), Self::BYTES, site)?;
        let mut rows: Vec<Row> = Vec::new();
        rows.resize_with(n, Row::default);
        for (row, column, number) in entries.iter() {
            rows[row].columns.push(column as u32);
            rows[row].numbers.push(number);
        }
        let mut places = vec![NONE; n];
        let (mut columns, mut counts) = (vec![Vec::new(); n], vec![0u32; n]);
        let mut lists = Lists::new(n);
        let mut all = 0;
        for (at, row) in rows.iter_mut().enumerate() {
            merge(row, &mut places);
            for column in &row.columns {
                columns[*column as usize].push(at as u32);
                counts[*column as usize] += 1;
            }
            lists.add(at as u32, row.columns.len());
            all += row.columns.len();
        }
        let right = b.to_vec();
        let (pivots, seen) = (Vec::with_capacity(n), Vec::new());
        Ok(Elimination { rows, columns, counts, lists, right, entries: all, pivots, places, seen, products: 0 })
    }

    /// The solution, and the number of products and of quotients; NaN where there is none.
    pub fn solve(mut self, context: &mut Context, site: u32, to: &mut [f64]) -> Outcome<(u64, u64)> {
        let n = to.len();
        let mut left = n;
        while left > 0 {
            if left.is_multiple_of(64) {
                context.step(0, site)?;
            }
            if 2 * self.entries >= left * left {
                self.rest(context, site, to, left)?;
                break;
            }
            let Some((row, at)) = self.pivot() else {
                to.fill(f64::NAN);
                return Ok((self.products, 0));
            };
            self.eliminate(context, site, row, at)?;
            left -= 1;
        }
        for (row, unknown) in self.pivots.iter().rev() {
            let Row { columns, numbers, .. } = &self.rows[*row as usize];
            let (mut rest, mut pivot) = (self.right[*row as usize], 0.0);
            for (column, number) in columns.iter().zip(numbers) {
                match column == unknown {
                    true => pivot = *number,
                    false => rest -= number * to[*column as usize],
                }
            }
            to[*unknown as usize] = rest / pivot;
        }
        Ok((self.products, n as u64))
    }

    /// A row and the place of its pivot; none where a row has no number but zeros.
    fn pivot(&self) -> Option<(u32, usize)> {
        let mut best: Option<(u64, f64, u32, usize)> = None;
        let mut searched = 0;
        for length in 0.. {
            let mut next = *self.lists.heads.get(length)?;
            while next != NONE {
                let row = &self.rows[next as usize];
                let largest = row.numbers.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
                if largest == 0.0 {
                    return None;
                }
                for (at, (column, number)) in row.columns.iter().zip(&row.numbers).enumerate() {
                    let size = number.abs() / largest;
                    let cost = (length as u64 - 1) * (u64::from(self.counts[*column as usize]) - 1);
                    if size >= THRESHOLD
                        && best.is_none_or(|(least, most, ..)| cost < least || (cost == least && size > most))
                    {
                        best = Some((cost, size, next, at));
                    }
                }
                searched += 1;
                let enough = |(cost, ..): (u64, f64, u32, usize)| cost <= (length as u64 - 1).pow(2);
                if searched >= SEARCHED || best.is_some_and(enough) {
                    return best.map(|(_, _, row, at)| (row, at));
                }
                next = self.lists.next[next as usize];
            }
            if length >= self.rows.len() {
                return best.map(|(_, _, row, at)| (row, at));
            }
        }
        None
    }

    /// Eliminates an unknown from all rows but the pivot's.
    fn eliminate(&mut self, context: &mut Context, site: u32, pivot_row: u32, at: usize) -> Outcome<()> {
        let pivot_at = pivot_row as usize;
        let top = std::mem::take(&mut self.rows[pivot_at]);
        let (unknown, pivot) = (top.columns[at], top.numbers[at]);
        self.lists.remove(pivot_row, top.columns.len());
        self.entries -= top.columns.len();
        for (place, column) in top.columns.iter().enumerate() {
            self.counts[*column as usize] -= 1;
            self.places[*column as usize] = place as u32;
        }
        self.seen.clear();
        self.seen.resize(top.columns.len(), NONE);
        self.pivots.push((pivot_row, unknown));
        // A row that is eliminated is in no list any more.
        for under in std::mem::take(&mut self.columns[unknown as usize]) {
            if self.lists.is_out(under) {
                continue;
            }
            let row = &mut self.rows[under as usize];
            let before = row.columns.len();
            if row.index.is_none() && before > LONG * (top.columns.len() + LONG) {
                charge(context, before, Self::BYTES, site)?;
                row.index = Some(row.columns.iter().enumerate().map(|(at, column)| (*column, at as u32)).collect());
            }
            let found = match &row.index {
                Some(index) => index.get(&unknown).map(|at| *at as usize),
                None => row.columns.iter().position(|column| *column == unknown),
            };
            let Some(found) = found else { continue };
            let factor = row.take(found) / pivot;
            self.counts[unknown as usize] -= 1;
            // What is zero moves nothing.
            if factor == 0.0 {
                self.entries -= 1;
                self.lists.remove(under, before);
                self.lists.add(under, before - 1);
                continue;
            }
            self.seen[at] = under;
            self.right[under as usize] -= factor * self.right[pivot_at];
            if row.index.is_none() {
                for (column, number) in row.columns.iter().zip(&mut row.numbers) {
                    let place = self.places[*column as usize];
                    if place != NONE {
                        *number -= factor * top.numbers[place as usize];
                        self.seen[place as usize] = under;
                    }
                }
            }
            for (place, (column, number)) in top.columns.iter().zip(&top.numbers).enumerate() {
                if self.seen[place] == under {
                    continue;
                }
                let known = row.index.as_ref().and_then(|index| index.get(column).copied());
                match known {
                    Some(known) => row.numbers[known as usize] -= factor * number,
                    None => {
                        row.push(*column, -factor * number);
                        self.columns[*column as usize].push(under);
                        self.counts[*column as usize] += 1;
                    }
                }
            }
            let after = row.columns.len();
            charge(context, after.saturating_sub(before), Self::BYTES, site)?;
            self.products += top.columns.len() as u64;
            self.entries = self.entries + after - before;
            self.lists.remove(under, before);
            self.lists.add(under, after);
        }
        top.columns.iter().for_each(|column| self.places[*column as usize] = NONE);
        self.rows[pivot_at] = top;
        Ok(())
    }

    /// Solves for the unknowns that are left as for a dense system.
    fn rest(&mut self, context: &mut Context, site: u32, to: &mut [f64], left: usize) -> Outcome<()> {
        let n = self.rows.len();
        let rows: Vec<usize> = (0..n).filter(|row| !self.lists.is_out(*row as u32)).collect();
        let mut eliminated = vec![false; n];
        self.pivots.iter().for_each(|(_, unknown)| eliminated[*unknown as usize] = true);
        let unknowns: Vec<usize> = (0..n).filter(|unknown| !eliminated[*unknown]).collect();
        unknowns.iter().enumerate().for_each(|(at, unknown)| self.places[*unknown] = at as u32);
        self.products += cubed_third(left);
        with_room(context, left * (left + 2), site, |context, room| {
            let (matrix, room) = room.split_at_mut(left * left);
            let (right, x) = room.split_at_mut(left);
            matrix.fill(0.0);
            for (at, row) in rows.iter().enumerate() {
                right[at] = self.right[*row];
                for (column, number) in self.rows[*row].columns.iter().zip(&self.rows[*row].numbers) {
                    matrix[at * left + self.places[*column as usize] as usize] = *number;
                }
            }
            solve_unnoted(context, site, x, matrix, left as i64, right, 1)?;
            unknowns.iter().zip(x).for_each(|(unknown, x)| to[*unknown] = *x);
            Ok(())
        })?
    }
}

/// Adds the entries of a row that are in the same column.
fn merge(row: &mut Row, places: &mut [u32]) {
    let mut kept = 0;
    for at in 0..row.columns.len() {
        let (column, number) = (row.columns[at], row.numbers[at]);
        match places[column as usize] {
            NONE => {
                places[column as usize] = kept as u32;
                (row.columns[kept], row.numbers[kept]) = (column, number);
                kept += 1;
            }
            place => row.numbers[place as usize] += number,
        }
    }
    row.columns.truncate(kept);
    row.numbers.truncate(kept);
    row.columns.iter().for_each(|column| places[*column as usize] = NONE);
}

/// The rows that are not eliminated, in a list for each number of entries.
struct Lists {
    heads: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Whether a row is eliminated.
    out: Vec<bool>,
}

impl Lists {
    fn new(n: usize) -> Lists {
        Lists { heads: vec![NONE; n + 1], next: vec![NONE; n], previous: vec![NONE; n], out: vec![true; n] }
    }

    fn is_out(&self, row: u32) -> bool {
        self.out[row as usize]
    }

    fn add(&mut self, row: u32, length: usize) {
        let head = std::mem::replace(&mut self.heads[length], row);
        (self.next[row as usize], self.previous[row as usize]) = (head, NONE);
        if head != NONE {
            self.previous[head as usize] = row;
        }
        self.out[row as usize] = false;
    }

    fn remove(&mut self, row: u32, length: usize) {
        let (next, previous) = (self.next[row as usize], self.previous[row as usize]);
        match previous {
            NONE => self.heads[length] = next,
            previous => self.next[previous as usize] = next,
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        self.out[row as usize] = true;
    }
}
