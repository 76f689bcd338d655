//! The parameters and results of a procedure for outside callers: values of types, as the numbers and the buffers of
//! [`layout`](mod@crate::layout).

use crate::layout::Passing;
use crate::lower::Entry;
use crate::program::{Outcome, Parameter, Procedure, ProcedureId, Register};
use riesz_core::FunctionId;
use riesz_core::size::{Atom, Size};
use riesz_core::term::{GlobalId, Var};
use riesz_core::types::Type;

/// The parameters and the result of a procedure, as values of the core.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type of its result.
    pub result: Type,
    /// The globals that it takes behind its parameters, and their types.
    pub globals: Vec<(GlobalId, Type)>,
}

/// A parameter of a procedure. Where it is the elements of arrays, how long these are, from the outermost to the innermost:
/// sizes over registers that are parameters, `Atom::Var(Var(r))` for the register `r`.
pub type SizedParameter = (Parameter, Vec<Size>);

/// A result of a procedure. Where it is the elements of arrays, which of the results are their lengths.
pub type SizedResult = (Outcome, Vec<usize>);

impl Signature {
    /// The signature of a function that has been lowered.
    pub fn of(program: &riesz_core::Program, id: FunctionId, entry: Entry) -> Signature {
        let function = program.function(id);
        Signature {
            procedure: entry.procedure,
            parameters: function.vars[..function.parameters].iter().map(|info| info.ty.clone()).collect(),
            result: function.result.clone(),
            globals: entry.globals.iter().map(|global| (*global, program.global(*global).ty.clone())).collect(),
        }
    }

    /// The parameters of the procedure that the caller passes. Buffers that grow are not among them: they are the
    /// procedure's own.
    pub fn taken(&self, procedure: &Procedure) -> Vec<SizedParameter> {
        let outside = |parameter: &&Parameter| !matches!(parameter, Parameter::Grown(_));
        let mut walk = Walk { rest: procedure.parameters.iter().filter(outside).copied().collect(), ..Walk::default() };
        walk.rest.reverse();
        for ty in self.parameters.iter().chain(self.globals.iter().map(|(_, ty)| ty)) {
            let number = match (ty, walk.rest.last()) {
                (Type::Int, Some(Parameter::Number(register))) => Some(*register),
                _ => None,
            };
            walk.of(ty, &mut Vec::new());
            walk.registers.push(number);
        }
        walk.taken
    }

    /// The results of the procedure.
    pub fn given(&self, procedure: &Procedure) -> Vec<SizedResult> {
        let mut around = Vec::new();
        around_elements(&self.result, &mut Vec::new(), &mut 0, &mut around);
        procedure.results.iter().copied().zip(around).collect()
    }
}

/// The parameters of a procedure beside the types that they are of.
#[derive(Default)]
struct Walk {
    /// The remaining parameters, in reverse order.
    rest: Vec<Parameter>,
    taken: Vec<SizedParameter>,
    /// The registers of the parameters that are integers: sizes name these.
    registers: Vec<Option<Register>>,
}

impl Walk {
    fn next(&mut self, dimensions: &[Size]) -> Option<Register> {
        let parameter = self.rest.pop()?;
        self.taken.push((parameter, dimensions.to_vec()));
        match parameter {
            Parameter::Number(register) => Some(register),
            _ => None,
        }
    }

    fn of(&mut self, ty: &Type, dimensions: &mut Vec<Size>) {
        match ty {
            Type::Array(size, element) => {
                let registers = &self.registers;
                let mut over_registers = |atom| match atom {
                    Atom::Var(var) => registers.get(var.0 as usize).copied().flatten().map_or(Size::Hole, over),
                    _ => Size::Hole,
                };
                let size = match Passing::Argument.with_length(size) {
                    true => None,
                    false => Some(size.replace(&mut over_registers)),
                };
                let size = size.unwrap_or_else(|| self.next(&[]).map_or(Size::Hole, over));
                dimensions.push(size);
                self.of(element, dimensions);
                dimensions.pop();
            }
            Type::Tuple(_) | Type::Record(_) => {
                ty.components().unwrap_or_default().iter().for_each(|part| self.of(part, dimensions));
            }
            _ => {
                self.next(dimensions);
            }
        }
    }
}

fn over(register: Register) -> Size {
    Size::var(Var(register.0))
}

/// For each slot of a result, which slots are the lengths of the arrays around it.
fn around_elements(ty: &Type, lengths: &mut Vec<usize>, next: &mut usize, around: &mut Vec<Vec<usize>>) {
    match ty {
        Type::Array(_, element) => {
            lengths.push(*next);
            *next += 1;
            around.push(Vec::new());
            around_elements(element, lengths, next, around);
            lengths.pop();
        }
        Type::Tuple(_) | Type::Record(_) => {
            for part in ty.components().unwrap_or_default() {
                around_elements(&part, lengths, next, around);
            }
        }
        _ => {
            *next += 1;
            around.push(lengths.clone());
        }
    }
}
