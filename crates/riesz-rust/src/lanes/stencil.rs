//! Buffers to which iterations add near their index: the contributions to one element are summed before it is written.

use crate::classify::Lanes;
use riesz_program::program::{Arithmetic, Buffer, Expression, For, Operand, Statement};
use rustc_hash::FxHashMap;

/// A buffer that turns add to at the index and at places a little further.
pub(super) struct Stencil {
    /// The least that is added to the index.
    pub(super) first: i64,
    /// Whether it is the element at the index alone, one for each turn. There is nothing to add up then, but a loop that has
    /// as many turns as there are elements can write them all.
    pub(super) single: bool,
    /// The positions, and what each adds to the index; those that are still to be written.
    pub(super) places: Vec<(Operand, i64)>,
}

impl Stencil {
    /// How far the places are from the first.
    pub(super) fn shifts(&self) -> Vec<i64> {
        let mut shifts: Vec<i64> =
            self.places.iter().map(|(_, offset)| offset - self.first).filter(|s| *s > 0).collect();
        shifts.sort_unstable();
        shifts
    }
}

/// So much further, as it is written behind a position.
pub(super) fn further(by: i64) -> String {
    if by == 0 { String::new() } else { format!(" + {by}") }
}

/// The buffers that turns add to only near the index, each time at another place.
pub(super) fn stencils(lanes: &Lanes, each: &For) -> FxHashMap<Buffer, Stencil> {
    let mut offsets: Vec<(Operand, i64)> = vec![(Operand::Register(each.index), 0)];
    let mut places: FxHashMap<Buffer, Vec<(Operand, i64)>> = FxHashMap::default();
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
    // What is added to elsewhere too, or read, stays as it is.
    let everywhere = uses(each);
    let near = |(buffer, places): (Buffer, Vec<(Operand, i64)>)| {
        let first = places.iter().map(|(_, offset)| *offset).min()?;
        let mut distinct: Vec<i64> = places.iter().map(|(_, offset)| *offset).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let fits = distinct.len() == places.len()
            && everywhere[&buffer] == places.len()
            && distinct.iter().all(|offset| *offset < i64::MAX && offset - first < 8);
        fits.then_some((buffer, Stencil { first, single: distinct == [0], places }))
    };
    places.into_iter().filter_map(near).collect()
}

/// How often a turn has to do with each buffer.
pub(super) fn uses(each: &For) -> FxHashMap<Buffer, usize> {
    let mut uses: FxHashMap<Buffer, usize> = FxHashMap::default();
    let mut work = vec![&each.body];
    while let Some(block) = work.pop() {
        for statement in block {
            riesz_program::any_buffer(statement, &mut |buffer| {
                *uses.entry(buffer).or_default() += 1;
                false
            });
            work.extend(riesz_program::blocks(statement));
        }
    }
    uses
}
