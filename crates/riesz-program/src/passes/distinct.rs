//! Positions that are distinct in all iterations of the loops around them.
//!
//! ```text
//! Σₖ iₖ · sₖ + c   with 0 ≤ iₖ < nₖ   is another one for each choice of the i   where n₁ · s₁ ≤ s₂,  n₂ · s₂ ≤ s₃,  ...
//! ```
//!
//! Elements of nested arrays have such positions: a stride is the number of elements of a row. Strides are compared by
//! their factors, which are positive if a row has an element.

use crate::iterations::{Iterations, Step};
use crate::program::{Arithmetic, Expression, Operand, Procedure, Register, Statement};
use crate::visit::each_statement;
use riesz_primitive::scalar;
use rustc_hash::FxHashMap;

/// How the positions and sizes of a procedure are computed.
pub(crate) struct Distinct {
    known: FxHashMap<Register, Expression>,
}

/// A product of a number and of registers.
#[derive(Clone)]
struct Stride {
    number: i64,
    factors: Vec<Register>,
}

impl Distinct {
    pub fn of(procedure: &Procedure) -> Distinct {
        let mut known = FxHashMap::default();
        each_statement(&procedure.body, &mut |statement| {
            if let Statement::Let(register, expression) = statement
                && matches!(expression, Expression::Position(..) | Expression::Int(..))
            {
                known.insert(*register, expression.clone());
            }
        });
        Distinct { known }
    }

    /// Whether a position is another one for each choice of the indices of a path, and the same in every iteration of the loop
    /// around them.
    pub fn is_distinct(&self, at: Operand, path: &[Step], iterations: &Iterations) -> bool {
        let path: Vec<Step> = path.iter().filter(|step| step.most != Operand::Int(1)).copied().collect();
        let mut strides = vec![None; path.len()];
        if !iterations.is_fixed(at) || !self.walk(at, Stride::one(), &path, iterations, &mut strides) {
            return false;
        }
        let Some(strides) = strides.into_iter().collect::<Option<Vec<Stride>>>() else { return false };
        let mut rest: Vec<(Stride, Step)> = strides.into_iter().zip(path.iter().copied()).collect();
        while rest.len() > 1 {
            let lowest = (0..rest.len()).find(|lowest| {
                let (stride, step) = &rest[*lowest];
                let others = rest.iter().enumerate().filter(|(at, _)| at != lowest);
                others.into_iter().all(|(_, (other, _))| {
                    other.over(stride).is_some_and(|ratio| {
                        let mut widths = ratio.factors.iter().map(|factor| Operand::Register(*factor));
                        self.fits(step, Operand::Int(ratio.number), &path)
                            || widths.any(|width| self.fits(step, width, &path))
                    })
                })
            });
            match lowest {
                Some(lowest) => drop(rest.swap_remove(lowest)),
                None => return false,
            }
        }
        rest.iter().all(|(stride, _)| stride.number != 0)
    }

    /// Adds up what a position is made of: the stride of each index. Whether it is a sum of such products.
    fn walk(
        &self,
        at: Operand,
        stride: Stride,
        path: &[Step],
        iterations: &Iterations,
        strides: &mut [Option<Stride>],
    ) -> bool {
        let Operand::Register(register) = at else { return true };
        if let Some(found) = path.iter().position(|step| step.index == register) {
            return strides[found].replace(stride).is_none();
        }
        if iterations.is_outside(at) {
            return true;
        }
        match self.known.get(&register) {
            Some(Expression::Position(Arithmetic::Add, a, b)) => {
                self.walk(*a, stride.clone(), path, iterations, strides)
                    && self.walk(*b, stride, path, iterations, strides)
            }
            Some(Expression::Position(Arithmetic::Mul, a, b)) => {
                let (row, width) = if iterations.is_outside(*b) { (*a, *b) } else { (*b, *a) };
                iterations.is_outside(width)
                    && self.walk(row, stride.times(&self.product(width)), path, iterations, strides)
            }
            _ => false,
        }
    }

    /// An operand as a product.
    fn product(&self, operand: Operand) -> Stride {
        match operand {
            Operand::Int(number) => Stride { number, factors: Vec::new() },
            Operand::Register(register) => match self.known.get(&register) {
                Some(Expression::Position(Arithmetic::Mul, a, b)) => self.product(*a).times(&self.product(*b)),
                _ => Stride { number: 1, factors: vec![register] },
            },
            _ => Stride::one(),
        }
    }

    /// Whether a loop has at most as many iterations as a row has elements: by its count, or as `i ≤ n − 1` for the index of
    /// another.
    fn fits(&self, step: &Step, width: Operand, path: &[Step]) -> bool {
        let around = path.iter().any(|around| step.count == Operand::Register(around.index));
        match width {
            Operand::Int(width) => matches!(step.most, Operand::Int(most) if width >= most - i64::from(around)),
            Operand::Register(register) => match self.known.get(&register) {
                _ if step.most == width => true,
                Some(Expression::Position(Arithmetic::Sub, most, Operand::Int(1))) => around && *most == step.most,
                Some(Expression::Int(primitive, operands, _)) if *primitive == &scalar::MAX => {
                    operands.iter().any(|width| self.fits(step, *width, path))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

impl Stride {
    fn one() -> Stride {
        Stride { number: 1, factors: Vec::new() }
    }

    fn times(&self, other: &Stride) -> Stride {
        let factors = [&self.factors[..], &other.factors].concat();
        Stride { number: self.number.saturating_mul(other.number), factors }
    }

    /// The quotient, where it is a product again.
    fn over(&self, other: &Stride) -> Option<Stride> {
        let mut factors = self.factors.clone();
        for factor in &other.factors {
            let at = factors.iter().position(|own| own == factor)?;
            factors.swap_remove(at);
        }
        let divides = other.number != 0 && self.number % other.number == 0;
        divides.then(|| Stride { number: self.number / other.number, factors })
    }
}
