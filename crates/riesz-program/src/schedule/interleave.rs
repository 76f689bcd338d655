//! Interleaved stores: numbers that an iteration writes to adjacent positions are stored for all lanes together.
//!
//! ```text
//! lanes: [a₀ a₁ ...] [b₀ b₁ ...] [c₀ c₁ ...]        memory: a₀ b₀ c₀ a₁ b₁ c₁ ...
//! ```

use super::annotation::{Class, Interleaved, LaneSchedule};
use super::uses::mentions;
use crate::program::{Arithmetic, Buffer, Expression, For, Kind, Operand, Procedure, Register, Statement};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The buffers of which every iteration writes as many elements, without a gap, as the next iteration is further on.
pub(super) fn interleaved(procedure: &Procedure, lanes: &LaneSchedule, each: &For) -> BTreeMap<Buffer, Interleaved> {
    // Positions as a distance from another position.
    let mut known: FxHashMap<Register, (Operand, i64)> = FxHashMap::default();
    let mut stores: FxHashMap<Buffer, Vec<Store>> = FxHashMap::default();
    for statement in &each.body {
        match statement {
            Statement::Let(register, Expression::Position(Arithmetic::Add, a, b)) => {
                let sum = match (a, b) {
                    (at, Operand::Int(further)) | (Operand::Int(further), at) => (*at, *further),
                    _ => continue,
                };
                let (from, by) = from(&known, sum.0);
                known.insert(*register, (from, by.wrapping_add(sum.1)));
            }
            Statement::Store(element, value) => {
                let (from, by) = from(&known, element.at);
                let store = Store { from, by, at: element.at, value: *value };
                stores.entry(element.buffer).or_default().push(store);
            }
            _ => {}
        }
    }
    let mentions = mentions(each);
    let is_fixed = |operand: &Operand| match operand {
        Operand::Register(register) => !procedure.registers[register.0 as usize].mutable,
        _ => true,
    };
    let row = |(buffer, mut stores): (Buffer, Vec<Store>)| {
        let last = stores.last()?.at;
        stores.sort_by_key(|store| store.by);
        let first = stores.first()?;
        let count = stores.len() as i64;
        let fits = count > 1
            && procedure.buffers[buffer.0 as usize].kind == Kind::Real
            && !lanes.private.contains(&buffer)
            && mentions[&buffer] == stores.len()
            && stores.iter().enumerate().all(|(at, store)| {
                (store.from, store.by) == (first.from, first.by.wrapping_add(at as i64)) && is_fixed(&store.value)
            })
            && matches!(lanes.class(first.at), Class::Linear(stride) if stride.constant() == Some(count));
        let values = stores.iter().map(|store| store.value).collect();
        fits.then_some((buffer, Interleaved { first: first.at, values, last }))
    };
    stores.into_iter().filter_map(row).collect()
}

struct Store {
    /// The position, as a distance from another.
    from: Operand,
    by: i64,
    at: Operand,
    value: Operand,
}

fn from(known: &FxHashMap<Register, (Operand, i64)>, at: Operand) -> (Operand, i64) {
    match at {
        Operand::Register(register) => known.get(&register).copied().unwrap_or((at, 0)),
        Operand::Int(at) => (Operand::Int(0), at),
        _ => (at, 0),
    }
}
