//! Buffers to which iterations add near their index: the contributions to one element are summed before it is written.

use super::annotation::{LaneSchedule, Stencil};
use super::uses::mentions;
use crate::program::{Arithmetic, Buffer, Expression, For, Operand, Register, Statement};
use crate::visit::each_statement;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The distance between the first and the last element of a stencil is less than this, and than a vector.
const REACH: i64 = 8;

/// A position: how far it is from the index, and from what is the same in all iterations besides.
type Distance = (Option<Register>, i64);

/// The buffers to which iterations only add, near the index, each time at another distance. If they add near several
/// positions that do not change, as the rows of a matrix, the stencil is where they add most.
pub(super) fn stencils(lanes: &LaneSchedule, each: &For) -> BTreeMap<Buffer, Stencil> {
    let distances = distances(each);
    let mut places: BTreeMap<Buffer, Vec<(Operand, Option<Distance>)>> = BTreeMap::new();
    for statement in &each.body {
        if let Statement::Add(element, _) = statement
            && !lanes.private.contains(&element.buffer)
        {
            let distance = distances.get(&element.at.register()).copied();
            places.entry(element.buffer).or_default().push((element.at, distance));
        }
    }
    let everywhere = mentions(each);
    let near = |(buffer, places): (Buffer, Vec<(Operand, Option<Distance>)>)| {
        // A buffer that is read, or added to inside of other statements, is no stencil.
        if everywhere[&buffer] != places.len() {
            return None;
        }
        let mut bases: Vec<Option<Register>> =
            places.iter().filter_map(|(_, distance)| Some(distance.as_ref()?.0)).collect();
        bases.sort_unstable();
        let size = |base: &Option<Register>| bases.iter().filter(|other| *other == base).count();
        // The first of those with most places.
        let base = *bases.iter().rev().max_by_key(|base| size(base))?;
        let of_base = |(place, distance): &(Operand, Option<Distance>)| {
            distance.filter(|(other, _)| *other == base).map(|(_, by)| (*place, by))
        };
        let near: Vec<(Operand, i64)> = places.iter().filter_map(of_base).collect();
        let first = near.iter().map(|(_, by)| *by).min()?;
        let distinct: FxHashSet<i64> = near.iter().map(|(_, by)| *by).collect();
        let reaches = |by: &i64| by.checked_sub(first).is_some_and(|by| by < REACH.min(lanes.width));
        let fits = distinct.len() == near.len() && distinct.iter().all(reaches);
        let alone = near.len() == places.len();
        fits.then_some((buffer, Stencil { base, first, places: near, alone, zeroed: None }))
    };
    places.into_iter().filter_map(near).collect()
}

/// The positions in an iteration that move with the index.
fn distances(each: &For) -> FxHashMap<Option<Register>, Distance> {
    let mut inside = FxHashSet::default();
    each_statement(&each.body, &mut |statement| {
        statement.defines(&mut |register| {
            inside.insert(register);
        });
    });
    let mut distances: FxHashMap<Option<Register>, Distance> = FxHashMap::default();
    distances.insert(Some(each.index), (None, 0));
    for statement in &each.body {
        let Statement::Let(register, Expression::Position(arithmetic, a, b)) = statement else { continue };
        let of = |operand: &Operand| operand.register().and_then(|register| distances.get(&Some(register)).copied());
        let distance = match (arithmetic, of(a), of(b), a, b) {
            (Arithmetic::Add, Some((base, by)), None, _, Operand::Int(more))
            | (Arithmetic::Add, None, Some((base, by)), Operand::Int(more), _) => {
                by.checked_add(*more).map(|by| (base, by))
            }
            (Arithmetic::Sub, Some((base, by)), None, _, Operand::Int(less)) => {
                by.checked_sub(*less).map(|by| (base, by))
            }
            (Arithmetic::Add, Some((None, by)), None, _, Operand::Register(base))
            | (Arithmetic::Add, None, Some((None, by)), Operand::Register(base), _)
                if !inside.contains(base) =>
            {
                Some((Some(*base), by))
            }
            _ => None,
        };
        if let Some(distance) = distance {
            distances.insert(Some(*register), distance);
        }
    }
    distances
}
