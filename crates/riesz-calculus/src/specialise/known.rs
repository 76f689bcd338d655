//! Information about a value that contains functions, with and without their captured values.

use crate::compile::with_sizes;
use riesz_core::Type;
use riesz_core::build::fresh;
use riesz_core::term::{Atom, Binding, Body, FunctionId, Op, Program, Var, VarInfo};
use riesz_syntax::Span;

/// A value with functions in it that are known.
#[derive(Clone)]
pub(super) enum StaticValue {
    /// A value without functions.
    Data(Atom),
    /// A function and what it captured.
    Closure(FunctionId, Vec<Atom>),
    /// One or the other, by a condition.
    Choice(Atom, Box<StaticValue>, Box<StaticValue>),
    /// A tuple or record.
    Tuple(Vec<StaticValue>),
}

/// The static structure of a value, without the values in it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum StaticForm {
    Data,
    Closure(FunctionId, usize),
    Choice(Box<StaticForm>, Box<StaticForm>),
    Tuple(Vec<StaticForm>),
}

impl StaticValue {
    pub(super) fn shape(&self) -> StaticForm {
        match self {
            StaticValue::Data(_) => StaticForm::Data,
            StaticValue::Closure(function, captured) => StaticForm::Closure(*function, captured.len()),
            StaticValue::Choice(_, yes, no) => StaticForm::Choice(Box::new(yes.shape()), Box::new(no.shape())),
            StaticValue::Tuple(parts) => StaticForm::Tuple(parts.iter().map(StaticValue::shape).collect()),
        }
    }

    /// The values in it.
    pub(super) fn flatten(&self, atoms: &mut Vec<Atom>) {
        match self {
            StaticValue::Data(atom) => atoms.push(*atom),
            StaticValue::Closure(_, captured) => atoms.extend(captured),
            StaticValue::Choice(condition, yes, no) => {
                atoms.push(*condition);
                yes.flatten(atoms);
                no.flatten(atoms);
            }
            StaticValue::Tuple(parts) => parts.iter().for_each(|part| part.flatten(atoms)),
        }
    }

    /// The operation that makes the value.
    pub(super) fn make(&self, ty: &Type, vars: &mut Vec<VarInfo>, out: &mut Vec<Binding>, span: Span) -> Op {
        match self {
            StaticValue::Data(atom) => Op::Copy(*atom),
            StaticValue::Closure(function, captured) => Op::Closure(*function, captured.clone()),
            StaticValue::Choice(condition, yes, no) => {
                let mut body = |known: &StaticValue| {
                    let mut bindings = Vec::new();
                    let result = known.made(ty, vars, &mut bindings, span);
                    Body { bindings, result }
                };
                Op::If { condition: *condition, yes: body(yes), no: body(no) }
            }
            StaticValue::Tuple(parts) => {
                let types = ty.components().unwrap_or_default();
                Op::Tuple(parts.iter().zip(&types).map(|(part, ty)| part.made(ty, vars, out, span)).collect())
            }
        }
    }

    pub(super) fn made(&self, ty: &Type, vars: &mut Vec<VarInfo>, out: &mut Vec<Binding>, span: Span) -> Atom {
        if let StaticValue::Data(atom) = self {
            return *atom;
        }
        let op = self.make(ty, vars, out, span);
        let var = fresh(vars, ty.clone());
        out.push(Binding { var, op, span });
        Atom::Var(var)
    }
}

impl StaticForm {
    /// The functions in it.
    pub(super) fn visit_functions(&self, f: &mut dyn FnMut(FunctionId)) {
        match self {
            StaticForm::Data => {}
            StaticForm::Closure(function, _) => f(*function),
            StaticForm::Choice(yes, no) => {
                yes.visit_functions(f);
                no.visit_functions(f);
            }
            StaticForm::Tuple(parts) => parts.iter().for_each(|part| part.visit_functions(f)),
        }
    }

    /// The static value, given the values in it.
    pub(super) fn known(&self, atoms: &mut dyn Iterator<Item = Atom>) -> StaticValue {
        let mut next = || atoms.next().expect("as many values as the shape has");
        match self {
            StaticForm::Data => StaticValue::Data(next()),
            StaticForm::Closure(function, count) => {
                StaticValue::Closure(*function, (0..*count).map(|_| next()).collect())
            }
            StaticForm::Choice(yes, no) => {
                let condition = next();
                StaticValue::Choice(condition, Box::new(yes.known(atoms)), Box::new(no.known(atoms)))
            }
            StaticForm::Tuple(parts) => StaticValue::Tuple(parts.iter().map(|part| part.known(atoms)).collect()),
        }
    }

    /// Parameters for the values in it, where it stands for a parameter of a type.
    pub(super) fn parameters(
        &self,
        ty: &Type,
        program: &Program,
        vars: &mut Vec<VarInfo>,
        parameters: &mut Vec<Var>,
    ) -> StaticValue {
        let mut parameter = |vars: &mut Vec<VarInfo>, ty: Type| {
            let var = fresh(vars, ty);
            parameters.push(var);
            Atom::Var(var)
        };
        match self {
            StaticForm::Data => StaticValue::Data(parameter(vars, ty.clone())),
            StaticForm::Closure(function, count) => {
                let mut captured: Vec<Atom> = Vec::with_capacity(*count);
                for info in &program.function(*function).vars[..*count] {
                    let ty = with_sizes(&info.ty, |var| captured.get(var.0 as usize).copied());
                    captured.push(parameter(vars, ty));
                }
                StaticValue::Closure(*function, captured)
            }
            StaticForm::Choice(yes, no) => {
                let condition = parameter(vars, Type::Bool);
                let yes = yes.parameters(ty, program, vars, parameters);
                let no = no.parameters(ty, program, vars, parameters);
                StaticValue::Choice(condition, Box::new(yes), Box::new(no))
            }
            StaticForm::Tuple(parts) => {
                let types = ty.components().unwrap_or_default();
                let parts = parts.iter().zip(&types);
                StaticValue::Tuple(parts.map(|(part, ty)| part.parameters(ty, program, vars, parameters)).collect())
            }
        }
    }
}
