//! The values of expressions at a point.

use super::{Environment, Evaluator};
use crate::term::{Expr, Head};
use riesz_core::Type;
use riesz_core::evaluate::Value;
use riesz_core::free::Free;
use riesz_core::size::Size;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Var, VarInfo};

impl Evaluator<'_, '_> {
    pub(super) fn value(&self, atom: Atom, values: &mut Environment) -> Value<f64> {
        match atom {
            Atom::Int(value) => Value::Int(value),
            Atom::Real(value) => Value::Real(value),
            Atom::Bool(value) => Value::Bool(value),
            Atom::Var(var) => {
                if let Some(value) = values.get(&var) {
                    return value.clone();
                }
                let bindings = self.homes.get(&var).unwrap_or_else(|| panic!("{} has no home", self.scope.name(var)));
                let bindings = bindings.clone();
                let free = Free::of(&bindings, &[], &self.streams.vars).found;
                let given: Vec<(Var, Value<f64>)> =
                    free.into_iter().map(|var| (var, self.value(Atom::Var(var), values))).collect();
                let bound: Vec<Var> = bindings.iter().map(|binding| binding.var).collect();
                let atoms: Vec<Atom> = bound.iter().map(|var| Atom::Var(*var)).collect();
                let found = self.run(&bindings, &atoms, &given, &self.streams.vars);
                values.extend(bound.into_iter().zip(found));
                values[&var].clone()
            }
        }
    }

    pub(super) fn expr(&self, expr: &Expr, values: &mut Environment) -> Value<f64> {
        let (head, arguments) = match expr {
            Expr::Atom(atom) => return self.value(*atom, values),
            Expr::Each { index, count, element } => {
                let count = self.expr(count, values).int();
                let mut elements = Vec::new();
                for at in 0..count {
                    let mut inside = values.clone();
                    inside.insert(*index, Value::Int(at));
                    elements.push(self.expr(element, &mut inside));
                }
                let ty = elements.first().map_or(Type::Real, type_of);
                return Value::array(&ty, elements);
            }
            Expr::Apply(Head::If, arguments) => {
                let chosen = if self.expr(&arguments[0], values).bool() { 1 } else { 2 };
                return self.expr(&arguments[chosen], values);
            }
            Expr::Apply(head, arguments) => (head, arguments),
        };
        let arguments: Vec<Value<f64>> = arguments.iter().map(|argument| self.expr(argument, values)).collect();
        let is_int = |value: &Value<f64>| matches!(value, Value::Int(_));
        match head {
            Head::Function(operation) if operation.primitive().array().is_some() => {
                let ty = match operation.name() {
                    "size" => Type::Int,
                    "transpose" => type_of(&arguments[0]).transposed(),
                    "dot" => Type::Real,
                    "solve" => type_of(&arguments[1]),
                    _ => type_of(&arguments[0]),
                };
                self.op(|atoms| Op::ArrayFunction(operation.primitive(), atoms.to_vec()), &arguments, ty)
            }
            Head::Function(operation) => {
                if let Some(at) = arguments.iter().position(|value| matches!(type_of(value), Type::Array(..))) {
                    let each = |at_index: usize| {
                        let parts = arguments.iter().map(|value| value.get(at_index).unwrap_or_else(|| value.clone()));
                        let parts: Vec<Value<f64>> = parts.collect();
                        let ty = if parts.iter().all(is_int) { Type::Int } else { Type::Real };
                        self.op(|atoms| Op::Scalar(operation.primitive(), atoms.to_vec()), &parts, ty)
                    };
                    return Value::array(&Type::Real, (0..arguments[at].len()).map(each).collect());
                }
                let ty = if arguments.iter().all(is_int) { Type::Int } else { Type::Real };
                self.op(|atoms| Op::Scalar(operation.primitive(), atoms.to_vec()), &arguments, ty)
            }
            Head::Index => arguments[0].get(arguments[1].int() as usize).unwrap(),
            Head::Component(at, _) => arguments[0].parts()[*at].clone(),
            Head::Global(global) => {
                self.op(|_| Op::Global(*global), &[], self.scope.program.global(*global).ty.clone())
            }
            Head::Compare(comparison) => {
                self.op(|atoms| Op::Compare(*comparison, atoms[0], atoms[1]), &arguments, Type::Bool)
            }
            Head::Same => self.op(|atoms| Op::Same(atoms[0], atoms[1]), &arguments, Type::Bool),
            Head::Not => Value::Bool(!arguments[0].bool()),
            Head::ToReal => Value::Real(arguments[0].int() as f64),
            Head::Truncate => self.op(|atoms| Op::Truncate(atoms[0]), &arguments, Type::Int),
            Head::IsNan => Value::Bool(arguments[0].real().is_nan()),
            Head::Reduce(reduction) => {
                let Type::Array(_, element) = type_of(&arguments[0]) else { panic!("an array is reduced") };
                let count = Atom::Int(arguments[0].len() as i64);
                let mut vars = vec![VarInfo { name: None, ty: type_of(&arguments[0]) }];
                for ty in [Type::Int, (*element).clone(), (*element).clone()] {
                    vars.push(VarInfo { name: None, ty });
                }
                let read = Op::Index(Atom::Var(Var(0)), Atom::Var(Var(1)));
                let body = Body {
                    bindings: vec![Binding { var: Var(2), op: read, span: self.span }],
                    result: Atom::Var(Var(2)),
                };
                let op = Op::Reduce(*reduction, Iteration { count, index: Var(1), body });
                let binding = Binding { var: Var(3), op, span: self.span };
                self.run(&[binding], &[Atom::Var(Var(3))], &[(Var(0), arguments[0].clone())], &vars).swap_remove(0)
            }
            Head::If => unreachable!("treated above"),
            Head::Tuple => Value::Tuple(arguments.into()),
            Head::Array => {
                let ty = arguments.first().map_or(Type::Real, type_of);
                Value::array(&ty, arguments)
            }
        }
    }
}

/// Whether a body calls functions or reads top-level values.
pub(super) fn needs_program(body: &Body) -> bool {
    body.bindings.iter().any(|binding| {
        let mut needs = matches!(binding.op, Op::Call(..) | Op::Closure(..) | Op::Global(_) | Op::Map { .. });
        binding.op.visit_bodies(&mut |body| needs |= needs_program(body));
        needs
    })
}

/// The type of a value.
pub(super) fn type_of(value: &Value<f64>) -> Type {
    match value {
        Value::Real(_) => Type::Real,
        Value::Int(_) => Type::Int,
        Value::Bool(_) => Type::Bool,
        Value::Tuple(parts) => Type::Tuple(parts.iter().map(type_of).collect()),
        Value::Reals(_) => Type::array(Size::Constant(value.len() as i64), Type::Real),
        Value::Ints(_) => Type::array(Size::Constant(value.len() as i64), Type::Int),
        Value::Values(_) => {
            let element = value.get(0).map_or(Type::Real, |first| type_of(&first));
            Type::array(Size::Constant(value.len() as i64), element)
        }
        _ => Type::unit(),
    }
}
