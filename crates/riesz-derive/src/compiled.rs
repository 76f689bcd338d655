//! The code that runs: a function that applies the derivative, after compilation and optimisation.

use super::Mode;
use riesz_calculus::{Associate, Options, compile_with};
use riesz_core::Type;
use riesz_core::build::Builder;
use riesz_core::term::{Atom, Binding, Derive, FunctionId, Op, Origin, Program, Var};
use riesz_syntax::Diagnostic;

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
    associate: Associate,
) -> Result<Compiled, Vec<Diagnostic>> {
    let mut program = program.clone();
    let root = applied(&mut program, id, mask, mode);
    compile_with(&mut program, &[root], &Options { associate, ..Options::default() })?;
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
    let mut scope = Builder::new(function.vars[..function.parameters].to_vec(), span);

    // captured, point ↦ f
    let types: Vec<Type> = active.iter().map(|var| function.var(*var).ty.clone()).collect();
    let point_type = Type::tuple(types.clone());
    let mut inner = Builder::new(scope.vars.clone(), span);
    let point = match &active[..] {
        [one] => *one,
        _ => inner.fresh(point_type.clone()),
    };
    if active.len() > 1 {
        for (at, var) in active.iter().enumerate() {
            inner.bindings.push(Binding { var: *var, op: Op::Project(Atom::Var(point), at), span });
        }
    }
    let arguments = parameters.iter().map(|var| Atom::Var(*var)).collect();
    let value = inner.bind(Op::Call(id, arguments), function.result.clone());
    let taken: Vec<Var> = captured.iter().copied().chain([point]).collect();
    let at_point = program.add(inner.function(function.name.clone(), &taken, value, &function.result));

    // x, dx ↦ jvp(f, x, dx), or x, dy ↦ vjp(f, x, dy)
    let (suffix, derive, direction) = match mode {
        Mode::Forward => {
            let name = |var: &Var| format!("d{}", function.var(*var).name.as_deref().unwrap_or("x"));
            let parts = active.iter().map(|var| scope.named(&name(var), function.var(*var).ty.tangent())).collect();
            ("jvp", Derive::Forward, parts)
        }
        Mode::Reverse => {
            let name = format!("d{}", function.name);
            ("vjp", Derive::Reverse, vec![scope.named(&name, function.result.tangent())])
        }
    };
    let taken: Vec<Var> = parameters.iter().chain(&direction).copied().collect();
    let together = |scope: &mut Builder, vars: &[Var]| match vars {
        [one] => Atom::Var(*one),
        vars => {
            let types = vars.iter().map(|var| scope.type_of(Atom::Var(*var))).collect();
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
    program.add(scope.function(name.into(), &taken, result, &both))
}
