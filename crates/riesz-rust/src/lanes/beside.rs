//! Interleaved stores: numbers that an iteration writes to adjacent positions are stored for all lanes together.
//!
//! ```text
//! lanes: [a₀ a₁ ...] [b₀ b₁ ...] [c₀ c₁ ...]        memory: a₀ b₀ c₀ a₁ b₁ c₁ ...
//! ```

use super::stencil::uses;
use crate::classify::{Class, Lanes, Step};
use riesz_program::program::{Arithmetic, Buffer, Expression, For, Kind, Operand, Procedure, Register, Statement};
use rustc_hash::FxHashMap;

/// What a turn writes to a buffer, from its first element there to its last.
pub(super) struct Row {
    /// Where the first is.
    pub(super) first: Operand,
    pub(super) values: Vec<Operand>,
    /// Where the one is that the turn writes last.
    pub(super) last: Operand,
}

/// The rows of the buffers of which every turn writes as many elements, without a gap, as the next is further on.
pub(super) fn rows(procedure: &Procedure, lanes: &Lanes, each: &For) -> FxHashMap<Buffer, Row> {
    // Positions as others, and so much further.
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
    let uses = uses(each);
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
            && uses[&buffer] == stores.len()
            && stores.iter().enumerate().all(|(at, store)| {
                (store.from, store.by) == (first.from, first.by + at as i64) && is_fixed(&store.value)
            })
            && matches!(lanes.class(first.at), Class::Linear(step) if constant(&step) == Some(count));
        let values = stores.iter().map(|store| store.value).collect();
        fits.then_some((buffer, Row { first: first.at, values, last }))
    };
    stores.into_iter().filter_map(row).collect()
}

struct Store {
    /// The position, as another and so much further.
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

fn constant(step: &Step) -> Option<i64> {
    match step {
        Step::One => Some(1),
        Step::Times(step, Operand::Int(factor)) => constant(step)?.checked_mul(*factor),
        Step::Times(..) => None,
        Step::Plus(a, b) => constant(a)?.checked_add(constant(b)?),
        Step::Minus(step) => constant(step)?.checked_neg(),
    }
}
