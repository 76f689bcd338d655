//! Bounds of integers: the polynomials of registers, and the bounds of indices.
//!
//! ```text
//! 0 ≤ i < n   and   e = a + b·i   give   min(a, a + b·(n − 1)) ≤ e ≤ max(a, a + b·(n − 1))
//! ```
//!
//! An index whose bounds are inside an array needs no check at run time.

use crate::polynomial::{Polynomials, slope, with};
use crate::program::{Arithmetic, Operand, Register};
use riesz_core::size::{Atom, Monomial, Size};
use rustc_hash::FxHashSet;

/// The longest that arrays of code are. Sums and small multiples of lengths stay within 64 bits then. An array that is
/// longer is left to the interpreter, which has no memory for it either; but its elements may have no use.
pub(super) const LONGEST: i64 = 1 << 40;

/// The facts about the integers of a procedure.
#[derive(Default)]
pub(super) struct Bounds {
    pub polynomials: Polynomials,
    /// The indices, in the order in which they were bound, each with how many there are.
    counts: Vec<(Register, Size)>,
    /// Registers that are lengths of arrays or indices of them: not negative, and not longer than arrays are.
    natural: FxHashSet<Register>,
    /// The same, in the order in which it was learnt.
    learnt: Vec<Register>,
}

/// A moment to go back to.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    counts: usize,
    learnt: usize,
}

impl Bounds {
    /// Learns that an integer is a length of an array, or an index of one.
    pub fn is_size(&mut self, operand: Operand) {
        if let Operand::Register(register) = operand
            && self.natural.insert(register)
        {
            self.learnt.push(register);
        }
    }

    /// Learns that a register runs below a count.
    pub fn is_index(&mut self, index: Register, count: Operand) {
        let count = self.polynomials.operand(count);
        self.is_size(Operand::Register(index));
        self.counts.push((index, count));
    }

    /// The facts that are known now.
    pub fn now(&self) -> Moment {
        Moment { counts: self.counts.len(), learnt: self.learnt.len() }
    }

    /// Forgets what holds only inside the block that began at a moment.
    pub fn back_to(&mut self, moment: Moment) {
        self.counts.truncate(moment.counts);
        for register in self.learnt.drain(moment.learnt..) {
            self.natural.remove(&register);
        }
    }

    /// Whether an integer is known not to be negative.
    pub fn is_natural(&self, operand: Operand) -> bool {
        match operand {
            Operand::Int(value) => value >= 0,
            Operand::Register(register) if self.natural.contains(&register) => true,
            _ => self.least(self.polynomials.operand(operand)).is_some_and(|least| self.not_negative(&least)),
        }
    }

    /// Whether an integer that is not negative is known to be no longer than arrays are.
    pub fn is_length(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.natural.contains(&register))
            || self.is_small(&self.polynomials.operand(operand))
    }

    /// Whether an index is known to be one of an array of a length.
    pub fn within(&self, index: Operand, len: Operand) -> bool {
        let (index, len) = (self.polynomials.operand(index), self.polynomials.operand(len));
        let (Some(least), Some(room)) = (self.least(index.clone()), len.sub(&index)) else { return false };
        let Some(room) = self.least(room) else { return false };
        let rest = room.sub(&Size::Constant(1));
        self.not_negative(&least) && rest.is_some_and(|rest| self.not_negative(&rest))
    }

    /// Whether an integer is known to be at most another.
    pub fn at_most(&self, a: Operand, b: Operand) -> bool {
        let rest = self.least(self.polynomials.arithmetic(Arithmetic::Sub, b, a));
        rest.is_some_and(|rest| self.not_negative(&rest))
    }

    /// Whether sums and products that make up an integer are known to stay within 64 bits: it is linear in indices and
    /// sizes, with small coefficients.
    pub fn is_small(&self, size: &Size) -> bool {
        size.monomials().iter().all(|monomial| {
            let small = |atom: &Atom| matches!(atom, Atom::Var(var) if self.natural.contains(&Register(var.0)));
            let most = if monomial.factors().is_empty() { LONGEST as u64 } else { 1 << 10 };
            monomial.factors().len() <= 1
                && monomial.factors().iter().all(small)
                && monomial.coefficient().unsigned_abs() <= most
        }) && *size != Size::Hole
    }

    /// The least value that indices can give a polynomial, with the innermost replaced first: its count may name others.
    fn least(&self, mut size: Size) -> Option<Size> {
        for (index, count) in self.counts.iter().rev() {
            match slope(&size, *index)? {
                0 => {}
                1.. => size = with(&size, *index, &Size::Constant(0)),
                _ => size = with(&size, *index, &count.sub(&Size::Constant(1))?),
            }
        }
        Some(size)
    }

    /// Whether every monomial is a positive multiple of what is not negative.
    fn not_negative(&self, size: &Size) -> bool {
        let natural = |atom: &Atom| matches!(atom, Atom::Var(var) if self.natural.contains(&Register(var.0)));
        *size != Size::Hole
            && size
                .monomials()
                .iter()
                .all(|monomial: &Monomial| monomial.coefficient() > 0 && monomial.factors().iter().all(natural))
    }
}
