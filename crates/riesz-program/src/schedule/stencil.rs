//! Buffers to which iterations add near their index: the contributions to one element are summed before it is written.

use super::annotation::{LaneSchedule, Stencil};
use super::uses::mentions;
use crate::program::{Arithmetic, Buffer, Expression, For, Operand, Statement};
use std::collections::BTreeMap;

/// The distance between the first and the last element of a stencil is less than this, and than a vector.
const REACH: i64 = 8;

/// The buffers to which iterations add only near the index, each time at another distance.
pub(super) fn stencils(lanes: &LaneSchedule, each: &For) -> BTreeMap<Buffer, Stencil> {
    let mut offsets: Vec<(Operand, i64)> = vec![(Operand::Register(each.index), 0)];
    let mut places: BTreeMap<Buffer, Vec<(Operand, i64)>> = BTreeMap::new();
    for statement in &each.body {
        match statement {
            Statement::Let(register, Expression::Position(Arithmetic::Add, a, Operand::Int(further)))
                if *a == Operand::Register(each.index) =>
            {
                offsets.push((Operand::Register(*register), *further));
            }
            Statement::Add(element, _) if !lanes.private.contains(&element.buffer) => {
                let offset = offsets.iter().find(|(place, _)| *place == element.at);
                places.entry(element.buffer).or_default().push(offset.copied().unwrap_or((element.at, i64::MAX)));
            }
            _ => {}
        }
    }
    // A buffer that is read, or added to elsewhere too, is no stencil.
    let everywhere = mentions(each);
    let near = |(buffer, places): (Buffer, Vec<(Operand, i64)>)| {
        let first = places.iter().map(|(_, offset)| *offset).min()?;
        let mut distinct: Vec<i64> = places.iter().map(|(_, offset)| *offset).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let fits = distinct.len() == places.len()
            && everywhere[&buffer] == places.len()
            && distinct.iter().all(|offset| {
                *offset < i64::MAX && offset.checked_sub(first).is_some_and(|by| by < REACH.min(lanes.width))
            });
        fits.then_some((buffer, Stencil { first, places, zeroed: None }))
    };
    places.into_iter().filter_map(near).collect()
}
