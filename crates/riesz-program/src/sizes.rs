//! Sizes that may exceed the integers: products of the lengths of arrays, and expressions of them.
//!
//! Positions in buffers are not among them. They change with the iterations of loops, and all positions of an allocated
//! buffer are integers. A size is computed before it is compared with the memory that there is. Every backend saturates
//! sizes that are `large`; a backend whose language does not define overflow saturates all that are `fixed`.

use crate::program::{Arithmetic, Block, Expression, Operand, Procedure, Register, Statement};
use rustc_hash::FxHashSet;

/// A multiple of a length by no more than this is an integer.
const FEW: u64 = 1 << 10;

/// The registers of a procedure that are bound to sizes.
pub struct Sizes<'p> {
    procedure: &'p Procedure,
    /// The registers whose value differs between iterations of a loop.
    moving: FxHashSet<Register>,
    /// Sizes that may be larger than integers are where the lengths of arrays are integers.
    pub large: FxHashSet<Register>,
    /// Sums, differences and products that no loop moves, those among them.
    pub fixed: FxHashSet<Register>,
}

impl<'p> Sizes<'p> {
    /// The sizes of a procedure.
    pub fn of(procedure: &'p Procedure) -> Sizes<'p> {
        let none = FxHashSet::default;
        let mut sizes = Sizes { procedure, moving: none(), large: none(), fixed: none() };
        sizes.block(&procedure.body, false);
        sizes
    }

    fn block(&mut self, block: &Block, in_loop: bool) {
        for statement in block {
            match statement {
                Statement::Let(register, Expression::Position(arithmetic, a, b)) => {
                    let operands = [*a, *b];
                    let few = |operand: &Operand| matches!(operand, Operand::Int(times) if times.unsigned_abs() <= FEW);
                    if operands.iter().any(|operand| self.moves(*operand)) {
                        self.moving.insert(*register);
                        continue;
                    }
                    self.fixed.insert(*register);
                    if *arithmetic == Arithmetic::Mul && !operands.iter().any(few)
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
            for inner in crate::blocks(statement) {
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
