//! How a derivative is made, stage by stage: what `riesz derive` prints.
//!
//! ```text
//! original ─▶ A-normal ─▶ derivative as linear maps ─▶ simplified
//!                    └─▶ forward ─▶ reverse ─▶ optimised
//! ```
//!
//! The upper row is for people: the derivative of every binding as a symbolic linear map, then the same after the laws of linear
//! maps. The lower row is what is compiled: the linear program, its transpose, and the code that is left in the end. Both
//! are read off the same linearisation, and a test applies the one and runs the other.   [002 §7]

mod adjoint;
mod associate;
mod build;
mod count;
#[cfg(test)]
mod evaluate;
mod print;
mod rewrite;
mod term;

pub use associate::Association;
pub use count::Count;

use crate::compile::{Calculus, Problem};
use crate::linearise::{Streams, linearise};
use crate::optimise::drop_dead;
use crate::transpose::Transposer;
use build::{Derivative, Scope, build, is_pure};
use count::count;
use rewrite::{Rewriter, Rule};
use riesz_core::print::print;
use riesz_core::renumber::renumber;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Op, Program, Var, VarInfo};
use riesz_core::{Size, Type, size};
use riesz_syntax::Diagnostic;
use term::{Item, Term};

/// What to show of a derivative.
#[derive(Clone, Debug, Default)]
pub struct Derivations {
    /// The one mode to show; both where none is chosen.
    pub mode: Option<Mode>,
    /// Sizes that are known, by name.
    pub sizes: Vec<(String, i64)>,
    /// The parameters that vary; all that can where none are chosen.
    pub with_respect_to: Vec<String>,
}

/// A way to apply a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To a tangent of the arguments.
    Forward,
    /// Its adjoint, to a cotangent of the value.
    Reverse,
}

/// A derivative and how it was made.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// The function.
    pub function: String,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// How the fourth stage was made of the third.
    pub simplification: Vec<Step>,
    /// How the adjoint is made of the third stage, binding by binding from the end.
    pub transposition: Vec<Step>,
    /// The order in which the factors of the derivative are best multiplied.
    pub association: Association,
}

/// A stage of a derivation.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it is called.
    pub name: &'static str,
    /// Its text.
    pub lines: Vec<String>,
    /// What running it takes, where it is code.
    pub operations: Option<Operations>,
}

/// What running something takes, as text: numbers, or polynomials in sizes, or `unknown`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operations {
    /// Multiplications and divisions.
    pub multiplications: String,
    /// Additions and subtractions.
    pub additions: String,
    /// Other functions of numbers.
    pub functions: String,
}

/// One equation and why it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The left side.
    pub before: String,
    /// The right side.
    pub after: String,
    /// The laws behind it; none where a name stands for its definition.
    pub laws: Vec<Justification>,
}

/// A law, as the table of laws has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Justification {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub equation: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// Shows how the derivative of a function is made. `original` is the function as it is written.
///
/// # Errors
/// Where the function cannot be differentiated, or has no parameter of a given name.
pub fn derive(
    program: &Program,
    function: FunctionId,
    original: &str,
    options: &Derivations,
) -> Result<Derivation, Vec<Diagnostic>> {
    let normal = stage("A-normal", print(program, program.function(function)));
    let own = program.function(function).clone();
    let mask = mask(&own, options).map_err(|problem| vec![*problem])?;
    let mut calculus = Calculus::new(program.clone());
    let derived = calculus.derived(function, &mask).map_err(|problem| vec![*problem])?;
    let Derived { streams, function: compiled, primal, forward, reverse } = &derived;
    let program = &calculus.program;
    let scope = Scope::new(program, compiled, streams);

    let mut derivation = Derivation {
        function: own.name.to_string(),
        stages: vec![
            stage("original", original.to_string()),
            Stage { operations: measured(program, &own, options), ..normal },
        ],
        simplification: Vec::new(),
        transposition: Vec::new(),
        association: Association::Nothing("the derivative is code that adds to accumulators, not a chain".into()),
    };
    let maps = "derivative as linear maps";
    if is_pure(&streams.linear, &streams.vars) {
        let derivative = build(&scope, compiled, streams, &mask);
        derivation.stages.push(stage(maps, equations(&scope, &own, &derivative)));
        derivation.transposition = transposition(&scope, &own, &derivative);
        let mut rewriter = Rewriter { scope: &scope, steps: Vec::new() };
        let simple = rewriter.simplify(derivative);
        derivation.simplification = rewriter.steps.iter().map(|step| shown(&scope, step)).collect();
        derivation.stages.push(stage("simplified", equations(&scope, &own, &simple)));
        derivation.association = associate::associate(&scope, &simple, &options.sizes);
    } else {
        // A derivative of code that is itself a reverse derivative: the bindings as they are.
        let text = forward.map_or(String::new(), |forward| print(program, program.function(forward)));
        derivation.stages.push(stage(maps, text));
    }

    let texts = |ids: &[FunctionId]| {
        let texts: Vec<String> = ids.iter().map(|id| print(program, program.function(*id))).collect();
        texts.join("\n")
    };
    let none = || "the value does not vary with the arguments: the derivative is 0\n".to_string();
    if options.mode != Some(Mode::Reverse) {
        derivation.stages.push(stage("forward", forward.map_or_else(none, |forward| texts(&[*primal, forward]))));
    }
    if options.mode != Some(Mode::Forward) {
        let text = match (forward, options.mode) {
            (None, _) => none(),
            (Some(_), Some(Mode::Reverse)) => texts(&[*primal, *reverse]),
            (Some(_), _) => texts(&[*reverse]),
        };
        derivation.stages.push(stage("reverse", text));
    }
    let mode = options.mode.unwrap_or(Mode::Reverse);
    let finished = finished(&calculus, compiled, streams, mode);
    let operations = measured(program, &finished, options);
    derivation.stages.push(Stage { operations, ..stage("optimised", print(program, &finished)) });
    Ok(derivation)
}

fn stage(name: &'static str, text: String) -> Stage {
    Stage { name, lines: text.lines().map(str::to_string).collect(), operations: None }
}

/// The parameters that vary.
fn mask(function: &Function, options: &Derivations) -> Result<Vec<bool>, Problem> {
    let parameters = &function.vars[..function.parameters];
    let name = |info: &VarInfo| info.name.as_deref().unwrap_or_default().to_string();
    for wanted in &options.with_respect_to {
        let Some(info) = parameters.iter().find(|info| name(info) == *wanted) else {
            let message = format!("`{}` has no parameter `{wanted}`", function.name);
            let known: Vec<String> =
                parameters.iter().filter(|info| info.ty.varies()).map(|info| format!("`{}`", name(info))).collect();
            let diagnostic = Diagnostic::error("unknown-parameter", function.span, message);
            return Err(Box::new(diagnostic.help(format!("it can vary with {}", known.join(", ")))));
        };
        if !info.ty.varies() {
            let message = format!("the parameter `{wanted}` of `{}` has no real numbers in it", function.name);
            return Err(Box::new(Diagnostic::error("unknown-parameter", function.span, message)));
        }
    }
    let chosen = |info: &VarInfo| options.with_respect_to.is_empty() || options.with_respect_to.contains(&name(info));
    let mask: Vec<bool> = parameters.iter().map(|info| info.ty.varies() && chosen(info)).collect();
    if !mask.contains(&true) {
        let message = format!("`{}` has no parameter with real numbers in it to vary", function.name);
        return Err(Box::new(
            Diagnostic::error("not-differentiable", function.span, message)
                .help("a derivative is a map from the tangents of the arguments: of `R`, and of arrays, tuples and records of them"),
        ));
    }
    Ok(mask)
}

/// What linearisation made of a function.
struct Derived {
    streams: Streams,
    /// The function without derivatives in it.
    function: Function,
    primal: FunctionId,
    forward: Option<FunctionId>,
    reverse: FunctionId,
}

impl Calculus {
    fn derived(&mut self, id: FunctionId, mask: &[bool]) -> Result<Derived, Problem> {
        let linearised = self.linearised(id, mask)?;
        let function = self.program.function(id).clone();
        let streams = linearise(self, &function, mask)?;
        let (primal, forward, reverse) = (linearised.primal, linearised.forward, linearised.reverse);
        Ok(Derived { streams, function, primal, forward, reverse })
    }
}

/// The value and the derivative applied, as one function.
fn finished(calculus: &Calculus, function: &Function, streams: &Streams, mode: Mode) -> Function {
    let span = function.span;
    let mut vars = streams.vars.clone();
    let fresh = |vars: &mut Vec<VarInfo>, name: Option<&str>, ty: Type| {
        vars.push(VarInfo { name: name.map(Into::into), ty });
        Var(vars.len() as u32 - 1)
    };
    let mut parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
    let mut bindings = streams.primal.clone();
    let value = function.body.result;
    let suffix = match mode {
        Mode::Forward => "forward",
        Mode::Reverse => "reverse",
    };
    let (vars, result_type) = match mode {
        Mode::Forward => {
            parameters.extend(&streams.inputs);
            bindings.extend(streams.linear.iter().cloned());
            let ty = function.result.tangent();
            let tangent = streams.output.unwrap_or_else(|| {
                let var = fresh(&mut vars, None, ty.clone());
                bindings.push(Binding { var, op: Op::Zero(value), span });
                Atom::Var(var)
            });
            let result_type = Type::Tuple([function.result.clone(), ty].into());
            let result = fresh(&mut vars, None, result_type.clone());
            bindings.push(Binding { var: result, op: Op::Tuple(vec![value, tangent]), span });
            (vars, result_type)
        }
        Mode::Reverse => {
            let cotangent = function.result.varies().then(|| {
                let name = format!("d{}", function.name);
                fresh(&mut vars, Some(&name), function.result.tangent())
            });
            parameters.extend(cotangent);
            let mut given = Vec::new();
            for input in &streams.inputs {
                let info = vars[input.0 as usize].clone();
                let accumulator = fresh(&mut vars, info.name.as_deref(), Type::Accumulator(info.ty.into()));
                bindings.push(Binding { var: accumulator, op: Op::Accumulator, span });
                given.push((*input, accumulator));
            }
            let output = streams.output.zip(cotangent);
            let transposer = Transposer::new(calculus, vars, streams.linear_vars.clone(), streams.shapes.clone());
            let (mut vars, body) = transposer.function(&streams.linear, &given, output, span);
            bindings.extend(body.bindings);
            let mut parts = Vec::new();
            for (input, accumulator) in given {
                let ty = vars[input.0 as usize].ty.clone();
                let read = fresh(&mut vars, None, ty);
                bindings.push(Binding { var: read, op: Op::Read(Atom::Var(accumulator)), span });
                parts.push(Atom::Var(read));
            }
            let types: Vec<Type> = streams.inputs.iter().map(|input| vars[input.0 as usize].ty.clone()).collect();
            let gradient = match &parts[..] {
                [one] => *one,
                _ => {
                    let tuple = fresh(&mut vars, None, Type::Tuple(types.clone().into()));
                    bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
                    Atom::Var(tuple)
                }
            };
            let result_type = Type::Tuple([function.result.clone(), Type::tuple(types)].into());
            let result = fresh(&mut vars, None, result_type.clone());
            bindings.push(Binding { var: result, op: Op::Tuple(vec![value, gradient]), span });
            (vars, result_type)
        }
    };
    let result = bindings.last().map_or(value, |binding| Atom::Var(binding.var));
    let mut body = Body { bindings, result };
    drop_dead(&mut body, &vars);
    let name = format!("{} {suffix}", function.name).into();
    renumber(name, &parameters, body, &result_type, span, &|var| vars[var.0 as usize].clone())
}

// ---- text ----

/// The equations of a derivative.
fn equations(scope: &Scope, function: &Function, Derivative { items, result }: &Derivative) -> String {
    let mut text = String::new();
    for item in items {
        text += &scope.show_item(item, 0);
        text.push('\n');
    }
    text += &format!("D {} = {}\n", function.name, scope.show(result));
    let unnamed = unnamed(scope, items, result);
    for (at, var) in unnamed.iter().enumerate() {
        let Some(op) = scope.definitions.get(var) else { continue };
        let word = if at == 0 { "where " } else { "      " };
        for (line, text_line) in core_lines(scope, *var, op, function).iter().enumerate() {
            text += &format!("{}{text_line}\n", if line == 0 { word } else { "      " });
        }
    }
    text
}

/// Values that linearisation computed and that have no expression, in the order of their variables.
fn unnamed(scope: &Scope, items: &[Item], result: &Term) -> Vec<Var> {
    let mut found: Vec<Var> = Vec::new();
    let mut see = |expr: &term::Expr| {
        expr.visit(&mut |var| {
            if (var.0 as usize) >= scope.own && scope.definitions.contains_key(&var) && !found.contains(&var) {
                found.push(var);
            }
        });
    };
    for item in items {
        match item {
            Item::Map(_, map) => map.visit_exprs(&mut see),
            Item::Value(_, value) => see(value),
        }
    }
    result.visit_exprs(&mut see);
    found.sort();
    found
}

/// A binding in core form.
fn core_lines(scope: &Scope, var: Var, op: &Op, function: &Function) -> Vec<String> {
    let binding = Binding { var, op: op.clone(), span: function.span };
    let body = Body { bindings: vec![binding], result: Atom::Var(var) };
    let alone = Function { vars: scope.vars.clone(), parameters: 0, body, ..function.clone() };
    let text = print(scope.program, &alone);
    let lines: Vec<&str> = text.lines().collect();
    lines[1..lines.len() - 1].iter().map(|line| line.strip_prefix("  ").unwrap_or(line).to_string()).collect()
}

fn justification(law: &'static riesz_linear::law::Law) -> Justification {
    Justification { name: law.name, equation: law.equation, source: law.source }
}

fn shown(scope: &Scope, step: &rewrite::Rewriting) -> Step {
    let laws = match step.rule {
        Rule::Law(law) => vec![justification(law)],
        Rule::Definition(_) => Vec::new(),
    };
    Step { before: one_line(&scope.show(&step.before)), after: one_line(&scope.show(&step.after)), laws }
}

/// The adjoint of each equation, from the end.
fn transposition(scope: &Scope, function: &Function, Derivative { items, result }: &Derivative) -> Vec<Step> {
    let of = |name: String, map: &Term| {
        let (adjoint, laws) = adjoint::adjoint(map);
        let after = one_line(&scope.show(&adjoint));
        Step { before: format!("({name})ᵀ"), after, laws: laws.into_iter().map(justification).collect() }
    };
    let mut steps = vec![of(format!("D {}", function.name), result)];
    for item in items.iter().rev() {
        if let Item::Map(var, map) = item {
            steps.push(of(scope.derivative(*var), map));
        }
    }
    steps.retain(|step| !step.laws.is_empty() || step.after != step.before);
    steps
}

/// Text of several lines on one.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

fn measured(program: &Program, function: &Function, options: &Derivations) -> Option<Operations> {
    let Count { multiplications, additions, functions } = count(program, function, &options.sizes);
    let show = |size: &Size| match size {
        Size::Hole => "unknown".to_string(),
        size => size.show(&|atom| match atom {
            size::Atom::Var(var) => function.var(var).name.as_deref().unwrap_or("_").to_string(),
            size::Atom::Global(global) => program.global(global).name.to_string(),
            _ => "_".to_string(),
        }),
    };
    Some(Operations {
        multiplications: show(&multiplications),
        additions: show(&additions),
        functions: show(&functions),
    })
}
