//! Derivatives against differences: `D f x e_j ≈ (f(x + h e_j) − f(x − h e_j)) / 2h`, and `⟨w, D f x u⟩ = ⟨u, (D f x)ᵀ w⟩`.
//!
//! A function is tested at random points, coordinate by coordinate, in every [representation](representation). A point
//! at which the function has no value, or is not smooth, is replaced by another.

mod compare;
mod differences;
mod path;
mod probe;
mod random;
mod representation;
mod sample;

use crate::session::holds_functions;
use crate::{Diagnostic, Limits, Name, Span, Type};
use compare::{Examined, examine};
use probe::Probe;
use random::Random;
use representation::Representations;
use riesz_calculus::functions_of;
use riesz_core::{FunctionId, GlobalId, Program};
use sample::{DOMAINS, Domain, Point, Sampler};

/// How many points in a row may have no value.
const MOST_REJECTED: usize = 500;
/// How many points may take too long.
const MOST_LIMITED: usize = 3;
/// How many points may be no good for differences.
const MOST_UNSETTLED: usize = 12;
/// The steps that one evaluation may take.
const STEPS: u64 = 1_000_000;
/// The bytes that one evaluation may take.
const MEMORY: usize = 256 << 20;

/// How derivatives are tested.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// At how many points.
    pub points: u32,
    /// The seed of the random points.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { points: 5, seed: 0 }
    }
}

/// The result of the test of a function.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The name of the function.
    pub name: Name,
    /// Where its name stands.
    pub span: Span,
    /// The result of the test.
    pub outcome: Outcome,
}

/// The outcome of the test of a function.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The derivative is what differences say.
    Agrees {
        /// The number of points.
        points: u32,
        /// Where they are furthest apart.
        worst: Comparison,
        /// The representations that it was not tested in, and why.
        without: Vec<(&'static str, String)>,
    },
    /// It is not.
    Disagrees(Comparison),
    /// The function has a value at a point, and its derivative stops with an error.
    Stops {
        /// Which derivative.
        representation: &'static str,
        /// The call that has a value.
        call: String,
        /// The message of the derivative.
        message: String,
    },
    /// Differences say nothing, wherever they were taken.
    Unsettled {
        /// One of the points, as a call.
        call: String,
    },
    /// It was not tested, for this reason.
    Skipped(String),
}

/// Two numbers that should be the same.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Which derivative.
    pub representation: &'static str,
    /// The number that was varied, such as `model.weights[3][1]`; none where all were.
    pub input: Option<String>,
    /// The part of the result, such as `[2]`; none for the sum of all, each times some number.
    pub output: Option<String>,
    /// The value of the derivative.
    pub derivative: f64,
    /// The value by differences, or by forward mode if another representation is compared with it.
    pub expected: f64,
    /// How far they are apart, as a part of the larger one or of 1.
    pub error: f64,
    /// The point, as a call.
    pub call: String,
}

impl Verdict {
    /// Whether something is wrong.
    pub fn is_wrong(&self) -> bool {
        matches!(self.outcome, Outcome::Disagrees(_) | Outcome::Stops { .. })
    }

    /// The error, if there is one.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        let Verdict { name, span, outcome } = self;
        match outcome {
            Outcome::Disagrees(found) => {
                let Comparison { representation, derivative, expected, call, .. } = found;
                let derivative = crate::show_real(*derivative);
                let (message, other, help) = match &found.input {
                    Some(_) => (
                        format!("the derivative of `{name}` disagrees with finite differences"),
                        format!("differences say {}", crate::show_real(*expected)),
                        "`floor`, `trunc` and similar functions have the derivative 0, even if they approximate a smooth function",
                    ),
                    None => (
                        format!("the derivatives of `{name}` in two representations differ"),
                        format!("forward mode says {}", crate::show_real(*expected)),
                        "this is a mistake of Riesz: please report it",
                    ),
                };
                let place = found.coordinate();
                Some(
                    Diagnostic::error("wrong-gradient", *span, message)
                        .here(format!("{place} {representation} says {derivative}, {other}"))
                        .help(format!("the point is `{call}`"))
                        .help(help),
                )
            }
            Outcome::Stops { representation, call, message } => Some(
                Diagnostic::error("no-gradient", *span, format!("the derivative of `{name}` stops with an error"))
                    .here(format!("{representation} says: {message}"))
                    .help(format!("`{call}` has a value")),
            ),
            Outcome::Agrees { .. } | Outcome::Unsettled { .. } | Outcome::Skipped(_) => None,
        }
    }
}

impl Comparison {
    /// Which number it is about, for people.
    pub fn coordinate(&self) -> String {
        match (&self.input, self.output.as_deref()) {
            (None, _) => "in a sum over all coordinates".to_string(),
            (Some(input), None | Some("")) => format!("by `{input}`"),
            (Some(input), Some(output)) => format!("of `result{output}` by `{input}`"),
        }
    }
}

/// A function to be tested.
pub(crate) struct Subject {
    pub name: Name,
    pub function: FunctionId,
    /// How many of its parameters the user passes; the first are sizes.
    pub own: usize,
    pub globals: Vec<Option<crate::Value>>,
}

/// Tests a function of a program.
pub(crate) fn test(program: &Program, subject: Subject, limits: &Limits, settings: Settings) -> Outcome {
    let Subject { name, function, own, globals } = subject;
    if let Some(reason) = untestable(program, function, own) {
        return Outcome::Skipped(reason);
    }
    let limits = Limits { steps: limits.steps.min(STEPS), memory: limits.memory.min(MEMORY), ..limits.clone() };
    // Functions in values are those of the program.
    let mut roots = functions_of(globals.iter().flatten());
    roots.push(function);
    let is_data = |global: GlobalId| !holds_functions(&program.global(global).ty);
    let part = program.part(&roots, &|global| globals[global.0 as usize].is_some() && is_data(global));
    let probe = match Probe::new(part, function, own, globals, limits) {
        Ok(probe) => probe,
        Err(problems) => {
            let reason = problems.into_iter().next().map(|problem| problem.message).unwrap_or_default();
            return Outcome::Skipped(format!("there is no derivative: {reason}"));
        }
    };
    Test { sampler: Sampler::new(&probe), probe: &probe, name: &name, random: Random::new(settings.seed, &name) }
        .run(settings.points)
}

/// Why a function cannot be tested, if it cannot.
fn untestable(program: &Program, function: FunctionId, own: usize) -> Option<String> {
    let function = program.function(function);
    let (first, last) = (function.parameters - own, function.parameters);
    let is_map = |part: &Type| matches!(part, Type::Function(_) | Type::Linear(_));
    for (at, info) in function.vars[first..last].iter().enumerate() {
        if info.ty.any(&mut |part| is_map(part)) {
            return Some(match &info.name {
                Some(name) => format!("the parameter `{name}` is or holds a function"),
                None => format!("parameter {} is or holds a function", at + 1),
            });
        }
    }
    if !function.vars[first..last].iter().any(|info| info.ty.varies()) {
        return Some("it takes no real number".to_string());
    }
    if function.result.any(&mut |part| is_map(part)) {
        return Some("its result is or holds a function".to_string());
    }
    (!function.result.varies()).then(|| "its result has no real number".to_string())
}

/// The test of one function.
struct Test<'a> {
    probe: &'a Probe,
    sampler: Sampler<'a>,
    name: &'a str,
    random: Random,
}

impl Test<'_> {
    fn run(&mut self, points: u32) -> Outcome {
        let mut worst: Option<Comparison> = None;
        let mut good: Option<Point> = None;
        let (mut tested, mut rejected, mut limited, mut unsettled) = (0, 0, 0, 0);
        let mut reason = "no sizes were found that fit its types".to_string();
        let mut unsettled_at = None;
        let mut representations = Representations::default();
        while tested < points && rejected < MOST_REJECTED && limited < MOST_LIMITED && unsettled < MOST_UNSETTLED {
            // Where a point was good, every other one is like it.
            let drawn = match &good {
                Some(good) if tested % 2 == 1 => Some(self.sampler.again(good, &mut self.random)),
                _ => self.sampler.point(domain(rejected + unsettled + tested as usize), &mut self.random),
            };
            let Some(point) = drawn else {
                rejected += 1;
                continue;
            };
            match examine(self.probe, self.name, &point, &mut representations, &mut self.random) {
                Examined::Rejected(message) => {
                    rejected += 1;
                    reason = message;
                }
                Examined::Limited(message) => {
                    limited += 1;
                    reason = message;
                }
                Examined::Unsettled => {
                    unsettled += 1;
                    unsettled_at = Some(self.probe.call(self.name, &point));
                }
                Examined::Wrong(outcome) => return outcome,
                Examined::Agrees(found) => {
                    tested += 1;
                    rejected = 0;
                    good = Some(point);
                    if worst.as_ref().is_none_or(|worst| worst.error < found.error) {
                        worst = Some(found);
                    }
                }
            }
        }
        match (worst, unsettled_at) {
            (Some(worst), _) => Outcome::Agrees { points: tested, worst, without: representations.untested() },
            (None, Some(call)) => Outcome::Unsettled { call },
            (None, None) => Outcome::Skipped(format!("no point was found to test it at: {reason}")),
        }
    }
}

/// The first points are drawn from all of the line, later ones from all domains by turns.
fn domain(attempt: usize) -> Domain {
    DOMAINS[attempt % DOMAINS.len()]
}

/// The largest number, by its size.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()))
}
