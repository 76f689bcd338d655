//! The stages from a function to its derivative: the output of `riesz derive`.
//!
//! ```text
//! original ─▶ A-normal ─▶ derivative as linear maps ─▶ simplified
//!                    └─▶ forward ─▶ reverse ─▶ optimised
//! ```
//!
//! The upper row is for people: the derivative of every binding as a symbolic linear map, and its simplification by the
//! laws of linear maps. The lower row is compiled: the linear program, its transpose, and the final code. Both come
//! from the same linearisation, and a test compares the results of the two.   [002 §7]

mod associate;
mod build;
mod certify;
mod code;
mod compiled;
mod count;
#[cfg(test)]
#[path = "../tests/symbolic/mod.rs"]
mod evaluate;
mod expr;
mod function;
mod notation;
mod print;
mod scope;
mod simplify;
mod symbolic;
mod term;
mod text;

pub use associate::{Association, Chain, KnownSize};
pub use certify::certificate;
pub use count::Count;

use build::{build, is_pure};
use code::{code, normal_form, readable};
use compiled::{Compiled, compiled};
use riesz_calculus::{Associate, Calculus, Derived, Problem};
use riesz_core::Type;
use riesz_core::term::{Function, FunctionId, Program, VarInfo};
use riesz_syntax::Diagnostic;
use scope::Scope;
use simplify::Simplifier;

/// The parts of a derivation to show.
#[derive(Clone, Debug, Default)]
pub struct Derivations {
    /// The one mode to show; both where none is chosen.
    pub mode: Option<Mode>,
    /// Sizes that are known, by name.
    pub sizes: Vec<(String, i64)>,
    /// The parameters that vary; all that can where none are chosen.
    pub with_respect_to: Vec<String>,
    /// In which order the factors of the matrices in it are multiplied.
    pub associate: Associate,
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
    /// The name of the stage.
    pub name: &'static str,
    /// Its text.
    pub lines: Vec<String>,
    /// The cost of running it, if it is code.
    pub operations: Option<Operations>,
    /// Which steps lead to it, where these are steps by laws.
    pub steps: Option<Steps>,
}

/// The steps that lead to a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// [`Derivation::simplification`]
    Simplification,
    /// [`Derivation::transposition`]
    Transposition,
}

/// The cost of running something, as text: numbers, or polynomials in sizes, or `unknown`.
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
    /// The left side, on as many lines as it takes.
    pub before: String,
    /// The right side, likewise.
    pub after: String,
    /// The laws behind it; none where a name stands for its definition.
    pub laws: Vec<Justification>,
}

/// A law, as the table of laws has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Justification {
    /// Its name.
    pub name: &'static str,
    /// The case of the law that fired, as a pair of patterns, or the equation of the papers.
    pub equation: String,
    /// The source of the law.
    pub source: &'static str,
}

/// Shows how the derivative of a function is made. `original` is the function as it is written.
///
/// # Errors
/// Where the function cannot be differentiated, or has no parameter or size of a given name.
pub fn derive(
    program: &Program,
    function: FunctionId,
    original: &str,
    options: &Derivations,
) -> Result<Derivation, Vec<Diagnostic>> {
    let own = program.function(function).clone();
    let mask = mask(&own, options).and_then(|mask| known_sizes(&own, options).map(|()| mask));
    let mask = mask.map_err(|problem| vec![*problem])?;
    let mode = options.mode.unwrap_or(Mode::Reverse);
    let run = compiled(program, function, &mask, mode, options.associate)?;
    let mut calculus = Calculus::new(program.clone()).associating(options.associate);
    let derived = calculus.derived(function, &mask).map_err(|problem| vec![*problem])?;
    let Derived { streams, function: plain, primal, forward, reverse } = &derived;
    let scope = Scope::new(&calculus.program, plain, streams);

    // Maps speak of the function without the derivatives in it; where there are no maps, it is shown as it is.
    let has_maps = is_pure(&streams.linear, &streams.vars);
    let (normal, count_in) = match has_maps {
        true => (normal_form(&calculus.program, plain, &scope.names), (&calculus.program, plain)),
        false => (normal_form(program, &own, &readable(&own, &[])), (program, &own)),
    };
    let mut derivation = Derivation {
        function: own.name.to_string(),
        stages: vec![
            stage("original", original),
            Stage { operations: text::measured(count_in.0, count_in.1, options), ..stage("A-normal", &normal) },
        ],
        simplification: Vec::new(),
        transposition: Vec::new(),
        association: Association::default(),
    };
    let program = &calculus.program;
    let of = |id: FunctionId| code(program, program.function(id));
    let name = format!("D {}", own.name);
    let mut adjoint = String::new();
    if has_maps {
        let derivative = build(&scope, plain, streams);
        derivation.stages.push(stage("derivative as linear maps", &text::equations(&scope, &own, &derivative)));
        derivation.transposition = text::transposition(&scope, &name, &derivative);
        let mut simplifier = Simplifier::new(&scope);
        let simple = simplifier.simplify(derivative);
        derivation.simplification = simplifier.steps.iter().map(|step| text::shown(&scope, step)).collect();
        let steps = Some(Steps::Simplification);
        derivation.stages.push(Stage { steps, ..stage("simplified", &text::equations(&scope, &own, &simple)) });
        derivation.association = associate::associate(&scope, &simple, &options.sizes);
        adjoint = text::adjoint_equation(&scope, &name, &simple);
    } else {
        // A derivative of code that is itself a reverse derivative: the bindings as they are.
        let why = "code that adds to accumulators is not a chain of maps";
        derivation.stages.push(stage("derivative as linear maps", &forward.map_or(String::new(), of)));
        let steps = Some(Steps::Simplification);
        derivation.stages.push(Stage { steps, ..stage("simplified", &format!("the same: {why}")) });
        derivation.association.nothing = Some(why.to_string());
    }

    let both = |first: FunctionId, second: FunctionId| format!("{}\n{}", of(first), of(second));
    let nothing = || "0: the value does not vary with the arguments".to_string();
    if options.mode != Some(Mode::Reverse) {
        let text = forward.map_or_else(nothing, |forward| both(*primal, forward));
        derivation.stages.push(stage("forward", &text));
    }
    if options.mode != Some(Mode::Forward) {
        let text = match (forward, options.mode) {
            (None, _) => nothing(),
            (Some(_), Some(Mode::Reverse)) => adjoint + &both(*primal, *reverse),
            (Some(_), _) => adjoint + &of(*reverse),
        };
        derivation.stages.push(Stage { steps: Some(Steps::Transposition), ..stage("reverse", &text) });
    }
    let Compiled { program, functions } = &run;
    let texts: Vec<String> = functions.iter().map(|id| code(program, program.function(*id))).collect();
    let operations = text::measured(program, program.function(functions[0]), options);
    derivation.stages.push(Stage { operations, ..stage("optimised", &texts.join("\n")) });
    Ok(derivation)
}

fn stage(name: &'static str, text: &str) -> Stage {
    Stage { name, lines: text.lines().map(str::to_string).collect(), operations: None, steps: None }
}

/// Looks for sizes that the function does not have.
fn known_sizes(function: &Function, options: &Derivations) -> Result<(), Problem> {
    let is_int = |info: &&VarInfo| info.ty == Type::Int;
    let parameters = function.vars[..function.parameters].iter().filter(is_int);
    let known: Vec<&str> = parameters.filter_map(|info| info.name.as_deref()).collect();
    let Some((wrong, _)) = options.sizes.iter().find(|(name, _)| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let message = format!("`{}` has no size `{wrong}`", function.name);
    let help = match known.is_empty() {
        true => "it has no sizes".to_string(),
        false => format!("its sizes are {}", text::listed(&known)),
    };
    Err(Box::new(Diagnostic::error("unknown-size", function.span, message).help(help)))
}

/// The parameters that vary.
fn mask(function: &Function, options: &Derivations) -> Result<Vec<bool>, Problem> {
    let parameters = &function.vars[..function.parameters];
    let name = |info: &VarInfo| info.name.as_deref().unwrap_or_default().to_string();
    for wanted in &options.with_respect_to {
        let Some(info) = parameters.iter().find(|info| name(info) == *wanted) else {
            let message = format!("`{}` has no parameter `{wanted}`", function.name);
            let known: Vec<String> = parameters.iter().filter(|info| info.ty.varies()).map(name).collect();
            let diagnostic = Diagnostic::error("unknown-parameter", function.span, message);
            return Err(Box::new(diagnostic.help(format!("it can vary with {}", text::listed(&known)))));
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
