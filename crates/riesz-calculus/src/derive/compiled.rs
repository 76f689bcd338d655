//! The code that runs: a function that applies the derivative, after compilation and optimisation.

use super::Mode;
use crate::compile::{Calculus, Options, Problem, compile_with};
use crate::linearise::{Streams, linearise};
use riesz_core::Type;
use riesz_core::renumber::renumber;
use riesz_core::term::{Atom, Binding, Body, Derive, Function, FunctionId, Op, Origin, Program, Var, VarInfo};
use riesz_syntax::Diagnostic;

/// What linearisation made of a function.
pub(crate) struct Derived {
    pub streams: Streams,
    /// The function without derivatives in it.
    pub function: Function,
    pub primal: FunctionId,
    pub forward: Option<FunctionId>,
    pub reverse: FunctionId,
}

impl Calculus {
    /// The streams of a function, and the functions that they are cut into.
    pub(crate) fn derived(&mut self, id: FunctionId, mask: &[bool]) -> Result<Derived, Problem> {
        let linearised = self.linearised(id, mask)?;
        let function = self.program.function(id).clone();
        let streams = linearise(self, &function, mask)?;
        let (primal, forward, reverse) = (linearised.primal, linearised.forward, linearised.reverse);
        Ok(Derived { streams, function, primal, forward, reverse })
    }
}

/// A compiled program, and the functions of it that belong to a derivative, that which applies it first.
pub(crate) struct Compiled {
    pub program: Program,
    pub functions: Vec<FunctionId>,
}

/// Compiles `(x, dx) ↦ (f x, D f x · dx)`, or `(x, dy) ↦ (f x, (D f x)ᵀ · dy)`.
pub(crate) fn compiled(
    program: &Program,
    id: FunctionId,
    mask: &[bool],
    mode: Mode,
) -> Result<Compiled, Vec<Diagnostic>> {
    let mut program = program.clone();
    let root = applied(&mut program, id, mask, mode);
    compile_with(&mut program, &[root], &Options::default())?;
    let mut functions = program.reachable(&[root]).functions;
    functions.retain(|id| *id != root && !is_value(&program, *id));
    functions.sort_unstable();
    functions.insert(0, root);
    Ok(Compiled { program, functions })
}

/// Whether a function computes a top-level value, which is not part of the derivative.
fn is_value(program: &Program, id: FunctionId) -> bool {
    program.globals.iter().any(|global| matches!(global.origin, Origin::Computed(function) if function == id))
}

/// Adds the function that a user would write with `jvp` or `vjp`.
fn applied(program: &mut Program, id: FunctionId, mask: &[bool], mode: Mode) -> FunctionId {
    let function = program.function(id).clone();
    let span = function.span;
    let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
    let chosen = |wanted: bool| -> Vec<Var> {
        parameters.iter().zip(mask).filter(|(_, active)| **active == wanted).map(|(var, _)| *var).collect()
    };
    let (active, captured) = (chosen(true), chosen(false));
    let mut scope = Scope { vars: function.vars[..function.parameters].to_vec(), bindings: Vec::new(), span };

    // captured, point ↦ f
    let types: Vec<Type> = active.iter().map(|var| function.var(*var).ty.clone()).collect();
    let point_type = Type::tuple(types.clone());
    let mut inner = Scope { vars: scope.vars.clone(), bindings: Vec::new(), span };
    let point = match &active[..] {
        [one] => *one,
        _ => inner.fresh(None, point_type.clone()),
    };
    if active.len() > 1 {
        for (at, var) in active.iter().enumerate() {
            inner.bindings.push(Binding { var: *var, op: Op::Project(Atom::Var(point), at), span });
        }
    }
    let arguments = parameters.iter().map(|var| Atom::Var(*var)).collect();
    let value = inner.bind(Op::Call(id, arguments), function.result.clone());
    let taken: Vec<Var> = captured.iter().copied().chain([point]).collect();
    let at_point = add(program, inner.function(function.name.clone(), &taken, value, &function.result));

    // x, dx ↦ jvp(f, x, dx), or x, dy ↦ vjp(f, x, dy)
    let (suffix, derive, direction) = match mode {
        Mode::Forward => {
            let name = |var: &Var| format!("d{}", function.var(*var).name.as_deref().unwrap_or("x"));
            let parts =
                active.iter().map(|var| scope.fresh(Some(&name(var)), function.var(*var).ty.tangent())).collect();
            ("jvp", Derive::Forward, parts)
        }
        Mode::Reverse => {
            let name = format!("d{}", function.name);
            ("vjp", Derive::Reverse, vec![scope.fresh(Some(&name), function.result.tangent())])
        }
    };
    let taken: Vec<Var> = parameters.iter().chain(&direction).copied().collect();
    let together = |scope: &mut Scope, vars: &[Var]| match vars {
        [one] => Atom::Var(*one),
        vars => {
            let types = vars.iter().map(|var| scope.vars[var.0 as usize].ty.clone()).collect();
            scope.bind(Op::Tuple(vars.iter().map(|var| Atom::Var(*var)).collect()), Type::Tuple(types))
        }
    };
    let point = together(&mut scope, &active);
    let direction = together(&mut scope, &direction);
    let captured = captured.into_iter().map(Atom::Var).collect();
    let closure =
        scope.bind(Op::Closure(at_point, captured), Type::function(point_type.clone(), function.result.clone()));
    let image = match mode {
        Mode::Forward => function.result.tangent(),
        Mode::Reverse => point_type.tangent(),
    };
    let both = Type::Tuple([function.result.clone(), image].into());
    let result = scope.bind(Op::Derive(derive, vec![closure, point, direction]), both.clone());
    let name = format!("{} {suffix}", function.name);
    add(program, scope.function(name.into(), &taken, result, &both))
}

/// A function that is being written.
struct Scope {
    vars: Vec<VarInfo>,
    bindings: Vec<Binding>,
    span: riesz_syntax::Span,
}

impl Scope {
    fn fresh(&mut self, name: Option<&str>, ty: Type) -> Var {
        self.vars.push(VarInfo { name: name.map(Into::into), ty });
        Var(self.vars.len() as u32 - 1)
    }

    fn bind(&mut self, op: Op, ty: Type) -> Atom {
        let var = self.fresh(None, ty);
        self.bindings.push(Binding { var, op, span: self.span });
        Atom::Var(var)
    }

    fn function(self, name: riesz_syntax::tree::Name, parameters: &[Var], result: Atom, ty: &Type) -> Function {
        let Scope { vars, bindings, span } = self;
        renumber(name, parameters, Body { bindings, result }, ty, span, &|var| vars[var.0 as usize].clone())
    }
}

fn add(program: &mut Program, function: Function) -> FunctionId {
    program.functions.push(function);
    FunctionId(program.functions.len() as u32 - 1)
}
