//! Sizes that may exceed the integers: products of the lengths of arrays, and expressions of them.
//!
//! Positions in buffers are not among them. They change with the iterations of loops, and all positions of an allocated
//! buffer are integers.

use riesz_program::program::{Arithmetic, Block, Expression, Operand, Procedure, Register, Statement};
use rustc_hash::FxHashSet;

/// A multiple of a length by no more than this is an integer.
const FEW: u64 = 1 << 10;

/// The registers that are bound to sizes that may be larger than integers are.
pub(super) fn large(procedure: &Procedure) -> FxHashSet<Register> {
    let mut sizes = Sizes { procedure, moving: FxHashSet::default(), large: FxHashSet::default() };
    sizes.block(&procedure.body, false);
    sizes.large
}

struct Sizes<'p> {
    procedure: &'p Procedure,
    /// What another turn of a loop has another value of.
    moving: FxHashSet<Register>,
    large: FxHashSet<Register>,
}

impl Sizes<'_> {
    fn block(&mut self, block: &Block, in_loop: bool) {
        for statement in block {
            match statement {
                Statement::Let(register, Expression::Position(arithmetic, a, b)) => {
                    let operands = [*a, *b];
                    let few = |operand: &Operand| matches!(operand, Operand::Int(times) if times.unsigned_abs() <= FEW);
                    if operands.iter().any(|operand| self.moves(*operand)) {
                        self.moving.insert(*register);
                    } else if *arithmetic == Arithmetic::Mul && !operands.iter().any(few)
                        || operands.iter().any(|operand| self.is_large(*operand))
                    {
                        self.large.insert(*register);
                    }
                }
                Statement::Let(register, _) if in_loop => {
                    self.moving.insert(*register);
                }
                Statement::For(each) => {
                    self.moving.insert(each.index);
                }
                _ => {}
            }
            let in_loop = in_loop || matches!(statement, Statement::For(_) | Statement::While(_));
            for inner in riesz_program::blocks(statement) {
                self.block(inner, in_loop);
            }
        }
    }

    fn moves(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register)
            if self.moving.contains(&register) || self.procedure.registers[register.0 as usize].mutable)
    }

    fn is_large(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.large.contains(&register))
    }
}
