//! The operations of the core as combinators: the argument of an operation contains all of its operands.

use riesz_core::evaluate::{Fault, Limits, Machine, Value};
use riesz_core::term::{Atom, Binding, Body, Function, Op, Program, Var, VarInfo};
use riesz_core::{Size, Type, size};
use riesz_syntax::Span;
use std::cell::RefCell;
use std::rc::Rc;

/// An operation of the core whose operands are numbered, and the type of its result.
#[derive(Clone, Debug)]
pub struct Operation {
    function: Function,
    arity: usize,
}

impl Operation {
    /// An operation on a number of operands, which are its variables in order. Sizes in the type are variables too: operands
    /// behind those of the operation.
    pub fn new(op: Op, arity: usize, ty: Type, span: Span) -> Operation {
        let operand = || VarInfo { name: None, ty: Type::unit() };
        let mut vars: Vec<VarInfo> = std::iter::repeat_with(operand).take(arity).collect();
        let var = Var(arity as u32);
        vars.push(VarInfo { name: None, ty: ty.clone() });
        let body = Body { bindings: vec![Binding { var, op, span }], result: Atom::Var(var) };
        Operation { function: Function { name: "".into(), vars, parameters: arity, body, result: ty, span }, arity }
    }

    /// The operation.
    pub fn op(&self) -> &Op {
        &self.binding().op
    }

    /// How many operands it has.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The type of its result.
    pub fn ty(&self) -> &Type {
        &self.function.result
    }

    /// The place in the source it came from.
    pub fn span(&self) -> Span {
        self.binding().span
    }

    /// Its value for operands.
    ///
    /// # Errors
    /// The fault of the operation: an index out of range, an integer that overflows.
    pub fn evaluate(&self, operands: &[Value<f64>], limits: &Limits) -> Result<Value<f64>, Fault> {
        let program = Program::default();
        let mut machine = Machine::<f64>::new(&program, limits.clone(), |_| None);
        let mut frame = Vec::with_capacity(self.arity + 1);
        frame.extend_from_slice(operands);
        frame.resize(self.arity + 1, Value::Int(0));
        let adds = matches!(self.op(), Op::AddTo(..));
        if adds && let Some(accumulator) = frame.first_mut() {
            let before = std::mem::replace(accumulator, Value::Zero);
            *accumulator = Value::Accumulator(Rc::new(RefCell::new(before)));
        }
        machine.bind(&self.function, &mut frame, self.binding())?;
        // An accumulator is a value here, and adding to it gives another.
        Ok(match frame.swap_remove(if adds { 0 } else { self.arity }) {
            Value::Accumulator(cell) => cell.replace(Value::Zero),
            value => value,
        })
    }

    fn binding(&self) -> &Binding {
        &self.function.body.bindings[0]
    }
}

/// A type as combinators need it, and the sizes in it. What a value is made of counts, not what its parts are called:
/// records are tuples, and what is no data is `()`. Size number `k` becomes variable `first + k`.
pub(crate) fn shape(ty: &Type, first: usize, sizes: &mut Vec<Size>) -> Type {
    match ty {
        Type::Real | Type::Int | Type::Bool => ty.clone(),
        Type::Array(size, element) => {
            let size = match size {
                Size::Constant(_) | Size::Hole => size.clone(),
                size => {
                    let at = sizes.iter().position(|known| known == size).unwrap_or_else(|| {
                        sizes.push(size.clone());
                        sizes.len() - 1
                    });
                    Size::Atom(size::Atom::Var(Var((first + at) as u32)))
                }
            };
            Type::array(size, shape(element, first, sizes))
        }
        Type::Tuple(_) | Type::Record(_) => {
            let parts = ty.components().unwrap_or_default();
            Type::Tuple(parts.iter().map(|part| shape(part, first, sizes)).collect())
        }
        Type::Accumulator(inner) => shape(inner, first, sizes),
        _ => Type::unit(),
    }
}

/// The type as far as a value tells it: without sizes.
pub(crate) fn kind(ty: &Type) -> Type {
    shape(ty, 0, &mut Vec::new()).map_sizes(&mut |_| Size::Hole)
}
