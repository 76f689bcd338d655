//! Derivatives of functions of the core, as functions of the core in which the derivative is yet to be compiled.
//!
//! ```text
//! grad f      = c, x      ↦ vjp(f(c, ·), x, 1).1
//! jvp f       = c, x, dx  ↦ jvp(f(c, ·), x, dx)
//! jacobian f  = c, x      ↦ matrix(D(f(c, ·), x))
//! ```
//!
//! Here `x` are the parameters that vary and `c` the others, in the order in which the function takes them.

use crate::{Diagnostic, Name, Size, Span, Type};
use riesz_core::size;
use riesz_core::term::{Derive, OnMaps, VarInfo};
use riesz_core::{Atom, Binding, Body, Function, FunctionId, Op, Program, Var};
use std::collections::HashMap;
use std::sync::Arc;

/// A derivative of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derivative {
    /// The gradient.
    Gradient,
    /// The value and the gradient.
    ValueAndGradient,
    /// The value, and the derivative applied to tangents.
    Forward,
    /// The derivative applied to tangents.
    Tangent,
    /// The value, and the adjoint of the derivative applied to a cotangent.
    Reverse,
    /// The matrix.
    Jacobian,
    /// The entries of the matrix that are not structurally zero.
    Entries,
}

impl Derivative {
    /// The suffix of the name of a function that is the derivative of another.
    fn suffix(self) -> &'static str {
        match self {
            Derivative::Gradient => "grad",
            Derivative::ValueAndGradient => "value_and_grad",
            Derivative::Forward => "jvp",
            Derivative::Tangent => "tangent",
            Derivative::Reverse => "vjp",
            Derivative::Jacobian => "jacobian",
            Derivative::Entries => "coo",
        }
    }
}

/// Adds a derivative of a function by the parameters that vary, or by those that are named.
pub(crate) fn write(
    program: &mut Program,
    of: FunctionId,
    derivative: Derivative,
    by: Option<&[String]>,
) -> Result<FunctionId, Box<Diagnostic>> {
    let function = program.function(of);
    let (span, result) = (function.span, function.result.clone());
    let parameters = function.vars[..function.parameters].to_vec();
    let names = riesz_core::print::names(function);
    let active = active(function, &names, by)?;
    let is_gradient = matches!(derivative, Derivative::Gradient | Derivative::ValueAndGradient);
    if is_gradient && result != Type::Real {
        let (name, shown) = (&function.name, shown(&result, &names));
        let message = format!("a gradient needs a function that gives an `R`, and `{name}` gives {shown}");
        let help = "use `jacobian`, `jvp` or `vjp` for other functions";
        return Err(Box::new(Diagnostic::error("not-a-scalar", span, message).help(help)));
    }
    let name: Name = format!("{}_{}", function.name, derivative.suffix()).into();
    let inner = of_what_varies(program, of, &active);
    let mut writer = Writer::default();
    let taken: Vec<Atom> = parameters.iter().map(|info| writer.parameter(info.clone())).collect();
    let (varying, captured): (Vec<usize>, Vec<usize>) = (0..taken.len()).partition(|at| active[*at]);
    let named = |name: String, ty: Type| VarInfo { name: Some(name.into()), ty };
    let vectors: Vec<Atom> = match derivative {
        Derivative::Forward | Derivative::Tangent => varying
            .iter()
            .map(|at| writer.parameter(named(format!("d_{}", names[*at]), parameters[*at].ty.tangent())))
            .collect(),
        Derivative::Reverse => vec![writer.parameter(named("cotangent".into(), result.tangent()))],
        _ => Vec::new(),
    };
    let count = writer.vars.len();
    let types: Vec<Type> = varying.iter().map(|at| parameters[*at].ty.clone()).collect();
    let point_type = Type::tuple(types);
    let point = writer.tuple(&varying.iter().map(|at| taken[*at]).collect::<Vec<_>>(), &point_type, span);
    let captured = captured.iter().map(|at| taken[*at]).collect();
    let arrow = Type::function(point_type.clone(), result.clone());
    let closure = writer.bind(Op::Closure(inner, captured), arrow, span);
    let (from, to) = (point_type.tangent(), result.tangent());
    let (value, ty) = match derivative {
        Derivative::Gradient | Derivative::ValueAndGradient | Derivative::Reverse => {
            let cotangent = vectors.first().copied().unwrap_or(Atom::Real(1.0));
            let both = Type::Tuple([result, from.clone()].into());
            let pair = writer.bind(Op::Derive(Derive::Reverse, vec![closure, point, cotangent]), both.clone(), span);
            match derivative {
                Derivative::Gradient => (writer.bind(Op::Project(pair, 1), from.clone(), span), from),
                _ => (pair, both),
            }
        }
        Derivative::Forward | Derivative::Tangent => {
            let tangent = writer.tuple(&vectors, &from, span);
            let both = Type::Tuple([result, to.clone()].into());
            let pair = writer.bind(Op::Derive(Derive::Forward, vec![closure, point, tangent]), both.clone(), span);
            match derivative {
                Derivative::Tangent => (writer.bind(Op::Project(pair, 1), to.clone(), span), to),
                _ => (pair, both),
            }
        }
        Derivative::Jacobian | Derivative::Entries => {
            let linear = Type::Linear(Arc::new((from, to)));
            let map = writer.bind(Op::Derive(Derive::Derivative, vec![closure, point]), linear.clone(), span);
            let (operation, ty) = match derivative {
                Derivative::Jacobian => (OnMaps::Matrix, linear.with_matrices()),
                _ => (OnMaps::Coo, Type::Record(riesz_core::types::Record::entries())),
            };
            (writer.bind(Op::OnMaps(operation, vec![map]), ty.clone(), span), ty)
        }
    };
    Ok(add(program, writer.function(name, count, value, ty, span)))
}

/// The parameters that a derivative is taken by where none are named: those that vary.
#[cfg(feature = "representations")]
pub(crate) fn active_parameters(function: &Function) -> Result<Vec<bool>, Box<Diagnostic>> {
    active(function, &riesz_core::print::names(function), None)
}

/// Which parameters a derivative is taken by.
fn active(function: &Function, names: &[String], by: Option<&[String]>) -> Result<Vec<bool>, Box<Diagnostic>> {
    let parameters = &function.vars[..function.parameters];
    let wrong = |message: String| Err(Box::new(Diagnostic::error("no-derivative", function.span, message)));
    for named in by.unwrap_or_default() {
        match parameters.iter().zip(names).find(|(_, name)| *name == named) {
            None => return wrong(format!("`{}` has no parameter `{named}`", function.name)),
            Some((info, _)) if !info.ty.varies() => {
                return wrong(format!("the parameter `{named}` of `{}` does not vary", function.name));
            }
            Some(_) => {}
        }
    }
    let active: Vec<bool> = parameters
        .iter()
        .zip(names)
        .map(|(info, name)| info.ty.varies() && by.is_none_or(|by| by.contains(name)))
        .collect();
    match active.contains(&true) {
        true => Ok(active),
        false => wrong(format!("`{}` has no real argument to differentiate with respect to", function.name)),
    }
}

/// A type as a user would write it, in the names of a function.
fn shown(ty: &Type, names: &[String]) -> String {
    let size = |atom| match atom {
        size::Atom::Var(var) => names.get(var.0 as usize).cloned().unwrap_or_else(|| "_".into()),
        _ => "_".to_string(),
    };
    ty.show(&size, &|variable| format!("t{variable}"))
}

/// Adds `c, x ↦ f(c, x)`, where `x` is the tuple of the active parameters, or the only one.
pub(crate) fn of_what_varies(program: &mut Program, id: FunctionId, active: &[bool]) -> FunctionId {
    let function = program.function(id);
    let (name, span, result) = (function.name.clone(), function.span, function.result.clone());
    let parameters: Vec<VarInfo> = function.vars[..function.parameters].to_vec();
    let (varying, captured): (Vec<usize>, Vec<usize>) = (0..parameters.len()).partition(|at| active[*at]);
    let position: HashMap<u32, u32> = captured.iter().enumerate().map(|(to, from)| (*from as u32, to as u32)).collect();
    let moved = |ty: &Type| {
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(var) => position.get(&var.0).map_or(Size::Hole, |at| Size::var(Var(*at))),
                atom => Size::Atom(atom),
            })
        })
    };
    let mut writer = Writer::default();
    let mut arguments = vec![Atom::Int(0); parameters.len()];
    for at in captured {
        let info = VarInfo { ty: moved(&parameters[at].ty), ..parameters[at].clone() };
        arguments[at] = writer.parameter(info);
    }
    let types: Vec<Type> = varying.iter().map(|at| moved(&parameters[*at].ty)).collect();
    let only = (varying.len() == 1).then(|| parameters[varying[0]].name.clone()).flatten();
    let argument = writer.parameter(VarInfo { name: only, ty: Type::tuple(types.clone()) });
    let count = writer.vars.len();
    for (place, (at, ty)) in varying.iter().zip(types).enumerate() {
        arguments[*at] = match varying.len() {
            1 => argument,
            _ => writer.bind_named(Op::Project(argument, place), VarInfo { ty, ..parameters[*at].clone() }, span),
        };
    }
    let result = moved(&result);
    let value = writer.bind(Op::Call(id, arguments), result.clone(), span);
    add(program, writer.function(name, count, value, result, span))
}

fn add(program: &mut Program, function: Function) -> FunctionId {
    program.functions.push(function);
    FunctionId(program.functions.len() as u32 - 1)
}

/// Writes a function.
#[derive(Default)]
struct Writer {
    vars: Vec<VarInfo>,
    bindings: Vec<Binding>,
}

impl Writer {
    fn parameter(&mut self, info: VarInfo) -> Atom {
        self.vars.push(info);
        Atom::Var(Var(self.vars.len() as u32 - 1))
    }

    fn bind(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        self.bind_named(op, VarInfo { name: None, ty }, span)
    }

    fn bind_named(&mut self, op: Op, info: VarInfo, span: Span) -> Atom {
        self.bindings.push(Binding { var: Var(self.vars.len() as u32), op, span });
        self.parameter(info)
    }

    /// Several parts as their tuple, and one as itself.
    fn tuple(&mut self, parts: &[Atom], ty: &Type, span: Span) -> Atom {
        match parts {
            [one] => *one,
            parts => self.bind(Op::Tuple(parts.to_vec()), ty.clone(), span),
        }
    }

    fn function(self, name: Name, parameters: usize, result: Atom, ty: Type, span: Span) -> Function {
        let body = Body { bindings: self.bindings, result };
        Function { name, vars: self.vars, parameters, body, result: ty, span }
    }
}
