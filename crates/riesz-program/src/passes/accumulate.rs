//! Accumulation: an iteration that adds to its row of a shared buffer, again and again, adds to its own copy.
//!
//! ```text
//! for i < n: b[i·m ..] = 0;   for k: for r < m: b[i·m + r] += x
//!   is
//! for i < n: own = 0;         for k: for r < m: own[r] += x;         b[i·m ..] = own
//! ```
//!
//! The rows of a matrix that has a direction in each are such sums. Iterations that run in lanes would add to rows that
//! are far apart, one by one; their private copies are adjacent, and each row is copied once.

use crate::polynomial::{Polynomials, atom, with};
use crate::program::{Allocation, Block, Buffer, Element, For, Operand, Procedure, Register, Statement};
use crate::visit::each_statement;
use riesz_core::size::{Atom, Size};
use rustc_hash::FxHashMap;

/// Gives iterations copies of the rows that they add to, in the outermost loops of a procedure whose iterations are
/// independent.
pub fn accumulate(procedure: &mut Procedure) {
    let polynomials = Polynomials::of(procedure);
    let body = std::mem::take(&mut procedure.body);
    procedure.body = accumulate_block(procedure, &polynomials, body);
}

fn accumulate_block(procedure: &mut Procedure, polynomials: &Polynomials, mut block: Block) -> Block {
    for statement in &mut block {
        match statement {
            Statement::For(each) if each.parallel => accumulate_loop(procedure, polynomials, each),
            other => {
                for inner in other.blocks_mut() {
                    *inner = accumulate_block(procedure, polynomials, std::mem::take(inner));
                }
            }
        }
    }
    block
}

fn accumulate_loop(procedure: &mut Procedure, polynomials: &Polynomials, each: &mut For) {
    for at in 0..each.body.len() {
        let Statement::Fill(row, count, value) = each.body[at] else { continue };
        let Some(found) = Row::of(procedure, polynomials, each, at) else { continue };
        let own = procedure.buffers[row.buffer.0 as usize].clone();
        procedure.buffers.push(own);
        let own = Element { buffer: Buffer(procedure.buffers.len() as u32 - 1), at: Operand::Int(0) };
        each.body[at] = Statement::Fill(own, count, value);
        rewrite(procedure, &mut each.body, row.buffer, &found.places, own.buffer);
        each.body.push(Statement::Copy { to: row, from: own, count });
        each.private.push(Allocation { buffer: own.buffer, count, site: each.site });
    }
}

/// The row of an iteration: where in the row each position is.
#[derive(Default)]
struct Row {
    places: FxHashMap<Register, Size>,
    /// Whether an element is added to in every iteration of an inner loop.
    again: bool,
}

impl Row {
    /// The row that a statement of a loop fills, if iterations do nothing else with the buffer than add to that row.
    fn of(procedure: &Procedure, polynomials: &Polynomials, each: &For, fill: usize) -> Option<Row> {
        let Statement::Fill(row, count, _) = each.body[fill] else { return None };
        let size = polynomials.operand(count);
        let mut bound = each.private.iter().any(|allocation| allocation.buffer == row.buffer);
        let mut touched = 0;
        each_statement(&each.body, &mut |statement| {
            statement.defines(&mut |register| bound |= Operand::Register(register) == count);
            statement.buffers(&mut |buffer, _| touched += usize::from(buffer == row.buffer));
        });
        let is_mutable = |operand: Operand| matches!(operand, Operand::Register(register) if procedure.registers[register.0 as usize].mutable);
        let first = Size::Atom(atom(each.index)).mul(&size)?;
        if bound || is_mutable(count) || size == Size::Hole || polynomials.operand(row.at) != first {
            return None;
        }
        let around = vec![(each.index, polynomials.operand(each.count))];
        let mut survey = Survey { polynomials, buffer: row.buffer, first, size, around, adds: 0 };
        let mut found = Row::default();
        survey.block(&each.body[fill + 1..], &mut found)?;
        // The filling, and the additions behind it.
        (touched == survey.adds + 1 && found.again).then_some(found)
    }
}

struct Survey<'p> {
    polynomials: &'p Polynomials,
    buffer: Buffer,
    /// The position of the row, and its length.
    first: Size,
    size: Size,
    /// The loops around, each with its count: first that whose iterations have rows.
    around: Vec<(Register, Size)>,
    adds: usize,
}

impl Survey<'_> {
    fn block(&mut self, block: &[Statement], row: &mut Row) -> Option<()> {
        for statement in block {
            match statement {
                Statement::Add(Element { buffer, at: Operand::Register(at) }, _) if *buffer == self.buffer => {
                    let place = self.polynomials.operand(Operand::Register(*at)).sub(&self.first)?;
                    if !self.is_in_row(&place) {
                        return None;
                    }
                    let atoms = place.atoms();
                    row.again |= self.around[1..].iter().any(|(index, _)| !atoms.contains(&atom(*index)));
                    row.places.insert(*at, place);
                    self.adds += 1;
                }
                Statement::For(inner) => {
                    self.around.push((inner.index, self.polynomials.operand(inner.count)));
                    self.block(&inner.body, row)?;
                    self.around.pop();
                }
                other => other.blocks().into_iter().try_for_each(|inner| self.block(inner, row))?,
            }
        }
        Some(())
    }

    /// Whether `0 ≤ place < size`: the place is made of indices and of counts of loops around, which have iterations, and
    /// it is largest in their last iterations.
    fn is_in_row(&self, place: &Size) -> bool {
        let is_known = |factor: &Atom| {
            let factor = Size::Atom(*factor);
            self.around.iter().any(|(index, count)| factor == Size::Atom(atom(*index)) || factor == *count)
        };
        let positive = |monomial: &riesz_core::size::Monomial| {
            monomial.coefficient() >= 0 && monomial.factors().iter().all(is_known)
        };
        if !place.monomials().iter().all(positive) {
            return false;
        }
        let mut most = Some(place.clone());
        for (index, count) in &self.around {
            let last = count.sub(&Size::Constant(1));
            most = most.zip(last).map(|(most, last)| with(&most, *index, &last));
        }
        let left = most.and_then(|most| self.size.sub(&most));
        matches!(left, Some(Size::Constant(1..)))
    }
}

/// Has the additions to a row go to a copy of it.
fn rewrite(procedure: &mut Procedure, block: &mut Block, row: Buffer, places: &FxHashMap<Register, Size>, own: Buffer) {
    for mut statement in std::mem::take(block) {
        if let Statement::Add(element, _) = &mut statement
            && element.buffer == row
            && let Operand::Register(at) = element.at
            && let Some(place) = places.get(&at)
        {
            *element = Element { buffer: own, at: procedure.polynomial(place, block) };
        }
        statement.blocks_mut().into_iter().for_each(|inner| rewrite(procedure, inner, row, places, own));
        block.push(statement);
    }
}
