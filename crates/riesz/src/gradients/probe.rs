//! A function prepared for testing: `x ↦ f(c, x)` for the varying arguments, with all others captured, and its compiled
//! derivatives in both directions.

use super::sample::Point;
use crate::handle::derivative::{Derivative, of_what_varies, write};
use crate::via::{DerivativeValue, Differentiator, Representation, Request, Wish};
use crate::{Limits, Name, Type, Value};
use riesz_core::evaluate::{Closure, Fault, Machine, problem};
use riesz_core::size;
use riesz_core::term::VarInfo;
use riesz_core::{Atom, Binding, Function, FunctionId, Op, Program, Var};
use riesz_syntax::Diagnostic;
use std::collections::HashMap;
use std::rc::Rc;

/// The steps of a program that representations other than compiled code may take.
const STEPS: u64 = 2_000;

/// A function made ready to be tested.
pub struct Probe {
    /// The program, with derivatives compiled.
    pub program: Program,
    /// Of what is captured and what varies: the value.
    pub value: FunctionId,
    /// Likewise and of a tangent: the value and the tangent of the value.
    forward: FunctionId,
    /// Likewise and of a cotangent: the value and the cotangent of what varies.
    reverse: FunctionId,
    /// The parameters of the function, sizes first.
    pub parameters: Vec<Parameter>,
    /// The type of its result.
    pub result: Type,
    /// The values of the globals that it needs.
    pub globals: Vec<Option<Value>>,
    limits: Limits,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The variable that it is.
    pub var: Var,
    /// The user's name for it.
    name: Option<Name>,
    /// Of a parameter that is a pattern: the names of its components.
    components: HashMap<usize, Name>,
    /// Its type.
    pub ty: Type,
    /// Whether it varies.
    pub varies: bool,
    /// Whether it is an `Int` that types name as a size.
    pub is_size: bool,
    /// Whether the user passes it.
    pub is_own: bool,
}

impl Parameter {
    /// A part of it, as a user would write it.
    pub fn show(&self, path: &str) -> String {
        if let Some(name) = &self.name {
            return format!("{name}{path}");
        }
        let component = path.strip_prefix('.').unwrap_or_default();
        let digits = component.find(|c: char| !c.is_ascii_digit()).unwrap_or(component.len());
        let (position, rest) = component.split_at(digits);
        match position.parse().ok().and_then(|position: usize| self.components.get(&position)) {
            Some(name) => format!("{name}{rest}"),
            None => format!("_{path}"),
        }
    }
}

impl Probe {
    /// Makes a function of a program ready, of whose parameters the last `own` are those the user passes. Fails where
    /// it cannot be differentiated.
    pub fn new(
        mut program: Program,
        function: FunctionId,
        own: usize,
        globals: Vec<Option<Value>>,
        limits: Limits,
    ) -> Result<Probe, Vec<Diagnostic>> {
        let parameters = parameters(program.function(function), own);
        let result = program.function(function).result.clone();
        let varies: Vec<bool> = parameters.iter().map(|parameter| parameter.varies).collect();
        let value = of_what_varies(&mut program, function, &varies);
        let mut derived = |derivative| write(&mut program, value, derivative, None).map_err(|problem| vec![*problem]);
        let (forward, reverse) = (derived(Derivative::Forward)?, derived(Derivative::Reverse)?);
        debug_assert_eq!(riesz_core::verify::verify(&program), Ok(()));
        riesz_calculus::compile_from(&mut program, &[value, forward, reverse])?;
        Ok(Probe { program, value, forward, reverse, parameters, result, globals, limits })
    }

    /// The value at a point whose numbers are replaced by others.
    pub fn value(&self, point: &Point, numbers: &[f64]) -> Result<Value, Fault> {
        self.run(self.value, point, |at| numbers[at], Vec::new())
    }

    /// The derivative applied to a tangent.
    pub fn forward(&self, point: &Point, tangent: &[f64]) -> Result<Vec<f64>, Fault> {
        let tangent = filled(&point.argument.zero_tangent(), tangent);
        let pair = self.run(self.forward, point, |at| point.numbers[at], vec![tangent])?;
        Ok(pair.parts().get(1).map(numbers).unwrap_or_default())
    }

    /// The adjoint of the derivative applied to a cotangent of the value that the function has.
    pub fn reverse(&self, point: &Point, value: &Value, cotangent: &[f64]) -> Result<Vec<f64>, Fault> {
        let cotangent = filled(&value.zero_tangent(), cotangent);
        let pair = self.run(self.reverse, point, |at| point.numbers[at], vec![cotangent])?;
        Ok(pair.parts().get(1).map(numbers).unwrap_or_default())
    }

    /// The derivative by a representation that is not compiled code.
    pub fn via(&self, differentiate: Differentiator, point: &Point, wish: Wish) -> Result<Vec<f64>, Fault> {
        let closure = Closure::new(self.value, point.captured.clone());
        let span = self.program.function(self.value).span;
        let limits = Limits { steps: self.limits.steps.min(STEPS), ..self.limits.clone() };
        let bounds = limits.bounds(u64::MAX);
        let request = Request { closure: &closure, point: &point.argument, wish, span };
        let work = || differentiate(&mut self.machine(limits.clone()), request);
        let answer = riesz_limit::within(&bounds, work);
        let answer = answer.unwrap_or_else(|reason| Err(problem::stopped(reason, &limits, span)));
        Ok(match answer?.found {
            DerivativeValue::Vector(numbers) => numbers,
            DerivativeValue::Rows(rows) => rows.into_iter().flatten().map(|(_, entry)| entry).collect(),
            #[cfg(feature = "representations")]
            DerivativeValue::Term(term) if term.is_adjoint => term.made.adjoint().coo().vals,
            #[cfg(feature = "representations")]
            DerivativeValue::Term(term) => term.made.coo().vals,
        })
    }

    fn run(
        &self,
        function: FunctionId,
        point: &Point,
        number: impl Fn(usize) -> f64,
        more: Vec<Value>,
    ) -> Result<Value, Fault> {
        let mut next = 0..;
        let argument = point.argument.map_reals(&mut |_| number(next.next().unwrap_or_default()));
        let arguments = point.captured.iter().cloned().chain([argument]).chain(more).collect();
        self.machine(self.limits.clone()).call_with(function, arguments)
    }

    fn machine(&self, limits: Limits) -> Machine<'_, f64> {
        let given = |global: riesz_core::GlobalId| self.globals.get(global.0 as usize)?.clone();
        // What is known only now is differentiated now.
        Machine::new(&self.program, limits, given)
            .differentiate_with(&self.program, Rc::new(Representation::at_run_time()))
    }

    /// The call of the function at a point, as a user would write it.
    pub fn call(&self, name: &str, point: &Point) -> String {
        let several = self.parameters.iter().filter(|parameter| parameter.varies).count() > 1;
        let varying = if several { point.argument.parts().to_vec() } else { vec![point.argument.clone()] };
        let (mut captured, mut varying) = (point.captured.iter(), varying.iter());
        let mut shown = Vec::new();
        for parameter in &self.parameters {
            let value = if parameter.varies { varying.next() } else { captured.next() };
            if let (Some(value), true) = (value, parameter.is_own) {
                shown.push(value.show(&parameter.ty));
            }
        }
        format!("{name}({})", shown.join(", "))
    }
}

/// The real numbers of a value, in order.
pub fn numbers(value: &Value) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_reals(&mut |number| found.push(*number));
    found
}

/// The value with other numbers.
fn filled(value: &Value, numbers: &[f64]) -> Value {
    let mut next = numbers.iter();
    value.map_reals(&mut |_| next.next().copied().unwrap_or(0.0))
}

fn parameters(function: &Function, own: usize) -> Vec<Parameter> {
    let taken = &function.vars[..function.parameters];
    let sizes: Vec<_> = taken.iter().flat_map(|info| info.ty.sizes()).flat_map(|size| size.atoms()).collect();
    let parameter = |(at, info): (usize, &VarInfo)| {
        let var = Var(at as u32);
        Parameter {
            var,
            name: info.name.clone(),
            components: components(function, var),
            ty: info.ty.clone(),
            varies: info.ty.varies(),
            is_size: sizes.contains(&size::Atom::Var(var)),
            is_own: at + own >= function.parameters,
        }
    };
    taken.iter().enumerate().map(parameter).collect()
}

/// The names that a function gives to the components of a variable.
fn components(function: &Function, var: Var) -> HashMap<usize, Name> {
    let named = |binding: &Binding| match binding.op {
        Op::Project(Atom::Var(of), at) if of == var => Some((at, function.var(binding.var).name.clone()?)),
        _ => None,
    };
    function.body.bindings.iter().filter_map(named).collect()
}
