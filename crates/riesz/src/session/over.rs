//! Evaluation over another algebra than the real numbers: intervals, and semirings.
//!
//! The program is the same, with its derivatives compiled but not optimised: the optimiser rounds constants, and the equations
//! of real numbers that it applies do not all hold here.

use super::{Binding, Session};
use crate::{Data, Diagnostic, Elements, Name, Type, Value};
use riesz_algebra::semiring::{Interval, Tropical};
use riesz_calculus::{compile_with, forget_rules};
use riesz_core::evaluate::{self, Globals, Machine, from_data, problem, show_real, to_data};
use riesz_core::term::Program;
use riesz_core::{FunctionId, Thunk};
use riesz_primitive::over::{Formal, Provenance, Unanswered, explore};
use riesz_primitive::{Erased, Number};
use riesz_syntax::Span;
use std::rc::Rc;

/// How many paths a program may take over intervals.
const MOST_PATHS: usize = 10_000;

/// An algebra in which programs can be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algebra {
    /// Bounds that hold for all real numbers of a box.
    Interval,
    /// Whether something is there: `+` is or, `*` is and.
    Boolean,
    /// Least costs: `+` is the minimum, `*` is the sum.
    Tropical,
    /// Which inputs a result is made of: polynomials of their names.
    Provenance,
}

impl Algebra {
    /// Every algebra, by its name.
    pub const ALL: [(&str, Algebra); 4] = [
        ("interval", Algebra::Interval),
        ("boolean", Algebra::Boolean),
        ("tropical", Algebra::Tropical),
        ("provenance", Algebra::Provenance),
    ];

    /// An input, whose place in what the user gave is `path`. In intervals it is all between two numbers.
    fn input(self, low: f64, high: f64, path: &str) -> Erased {
        match self {
            Algebra::Interval => Erased::new(&Interval::constant(low).hull(&Interval::constant(high))),
            Algebra::Boolean => Erased::new(&Formal::new(low != 0.0)),
            Algebra::Tropical => Erased::new(&Formal::new(Tropical(low))),
            // What is 0 is not there.
            Algebra::Provenance if low == 0.0 => Erased::new(&Formal::<Provenance>::constant(0.0)),
            Algebra::Provenance => Erased::new(&Formal::new(Provenance::variable(&Rc::from(path)))),
        }
    }

    /// Works where constants are numbers of the algebra.
    fn scope<T>(self, work: impl FnOnce() -> T) -> T {
        match self {
            Algebra::Interval => Erased::within::<Interval, T>(work),
            Algebra::Boolean => Erased::within::<Formal<bool>, T>(work),
            Algebra::Tropical => Erased::within::<Formal<Tropical>, T>(work),
            Algebra::Provenance => Erased::within::<Formal<Provenance>, T>(work),
        }
    }

    fn show(self, number: &Erased) -> String {
        match self {
            Algebra::Interval => {
                let interval: Interval = number.number();
                match interval.is_point() {
                    true => show_real(interval.low()),
                    false => format!("{}..{}", show_real(interval.low()), show_real(interval.high())),
                }
            }
            Algebra::Boolean => number.number::<Formal<bool>>().element.to_string(),
            Algebra::Tropical => show_real(number.number::<Formal<Tropical>>().element.0),
            Algebra::Provenance => number.number::<Formal<Provenance>>().element.to_string(),
        }
    }
}

/// The value of a name for one evaluation over another algebra.
#[derive(Clone, Debug)]
pub enum OverBinding {
    /// A value.
    One(Binding),
    /// All values between two, number by number.
    Between(Binding, Binding),
}

/// A value over another algebra. Shows as text.
#[derive(Debug)]
pub struct Formally {
    algebra: Algebra,
    value: evaluate::Value<Erased>,
    /// Its type, with the sizes that it has.
    pub ty: Type,
}

impl Formally {
    /// The ends of the intervals, in order; none in another algebra.
    pub fn intervals(&self) -> Vec<(f64, f64)> {
        let mut ends = Vec::new();
        if self.algebra == Algebra::Interval {
            self.value.visit_reals(&mut |number| {
                let interval: Interval = number.number();
                ends.push((interval.low(), interval.high()));
            });
        }
        ends
    }
}

impl std::fmt::Display for Formally {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.value.show_parts(&self.ty, &|number| self.algebra.show(number), &mut |_| None))
    }
}

impl Session {
    /// Evaluates an expression over another algebra, with names bound for it alone.
    ///
    /// # Errors
    /// Where the expression is wrong or has no value there: a semiring has no subtraction, and what a program asks of
    /// an interval may not be decided.
    pub fn evaluate_over(
        &mut self,
        algebra: Algebra,
        text: &str,
        inputs: Vec<(Name, OverBinding)>,
    ) -> Result<Formally, Vec<Diagnostic>> {
        let mut given = Vec::with_capacity(inputs.len());
        for (name, input) in inputs {
            // Numbers between two are real, and elements of a semiring are no `Int`s.
            let (low, high) = match input {
                OverBinding::One(value) if algebra == Algebra::Interval => (self.data(&name, value)?, None),
                OverBinding::One(value) => (self.data(&name, value)?.real(), None),
                OverBinding::Between(low, high) => {
                    (self.data(&name, low)?.real(), Some(self.data(&name, high)?.real()))
                }
            };
            given.push((name, low, high));
        }
        let bindings = given.iter().map(|(name, low, _)| (name.clone(), Binding::Data(low.clone()))).collect();
        // What is known of the program's values are real numbers, which have been rounded.
        let values = std::mem::take(&mut self.values);
        let result = self.with_expression("expression", text, bindings, |session, thunk| {
            let Thunk { ty, .. } = thunk;
            let value = session.run_over(algebra, thunk, &given)?;
            let ty = value.measured(ty);
            if ty.any(&mut |part| matches!(part, Type::Linear(_) | Type::Function(_))) {
                let message = "functions and linear maps are not shown over another algebra";
                return Err(vec![Diagnostic::placeless("not-shown", message).help("apply it, or write its `matrix`")]);
            }
            Ok(Formally { algebra, value, ty })
        });
        self.values = values;
        result
    }

    /// The data to which a name is bound.
    fn data(&mut self, name: &Name, binding: Binding) -> Result<Data, Vec<Diagnostic>> {
        match binding {
            Binding::Data(data) => Ok(data),
            Binding::Text(text) => {
                let evaluated = self.evaluate_as(&format!("value of {name}"), &text, Vec::new())?;
                to_data(&evaluated.value, &evaluated.ty).ok_or_else(|| {
                    vec![Diagnostic::placeless("not-data", format!("`{name}` is bound to a function or a linear map"))]
                })
            }
        }
    }

    fn run_over(
        &mut self,
        algebra: Algebra,
        thunk: &Thunk,
        given: &[(Name, Data, Option<Data>)],
    ) -> Result<evaluate::Value<Erased>, Vec<Diagnostic>> {
        let Thunk { function, ty } = thunk;
        let function = *function;
        let span = self.checker.program.function(function).span;
        let mut program = self.checker.program.part(&[function], &|_| false);
        let plain = riesz_calculus::Options { optimise: false, ..Default::default() };
        self.within(|| compile_with(&mut program, &[function], &plain))??;
        forget_rules(&mut program, &[function]);
        let mut globals = Globals::default();
        for id in program.reachable(&[function]).globals {
            let Some(data) = self.checker.given(id) else { continue };
            let global = self.checker.program.global(id);
            let low: Value = from_data(data, &global.ty);
            let high = given.iter().find(|(name, ..)| *name == global.name).and_then(|(_, _, high)| high.as_ref());
            let high = match high {
                Some(high) if alike(data, high) => from_data(high, &global.ty),
                Some(_) => return Err(vec![ends(&global.name, "the ends differ in shape")]),
                None => low.clone(),
            };
            globals.insert(id, inputs(algebra, &global.name, &global.ty, (&low, &high))?);
        }
        let limits = self.options.limits.clone();
        let bounded = riesz_limit::within(&limits.bounds(self.options.code), || {
            algebra.scope(|| match algebra {
                Algebra::Interval => self.all_paths(&program, function, &globals, ty),
                _ => self.one_path(&program, function, &globals),
            })
        });
        bounded.unwrap_or_else(|reason| Err(problem::stopped(reason, &limits, span))).map_err(|problem| vec![*problem])
    }

    fn one_path(
        &self,
        program: &Program,
        function: FunctionId,
        globals: &Globals<Erased>,
    ) -> Result<evaluate::Value<Erased>, Box<Diagnostic>> {
        let mut machine = Machine::with_globals(program, self.options.limits.clone(), globals.clone());
        machine.run(function)
    }

    /// The least intervals around the results of all paths.
    fn all_paths(
        &self,
        program: &Program,
        function: FunctionId,
        globals: &Globals<Erased>,
        ty: &Type,
    ) -> Result<evaluate::Value<Erased>, Box<Diagnostic>> {
        let span = program.function(function).span;
        let (mut paths, mut found) = (0, None);
        explore(|| {
            paths += 1;
            found = Some(match (self.one_path(program, function, globals), found.take()) {
                (Ok(_), Some(Ok(_))) if paths > MOST_PATHS => Err(too_many_paths(span)),
                (Ok(value), None) => Ok(value),
                (Ok(value), Some(Ok(before))) => {
                    hull(&before, &value, ty).ok_or_else(|| problem::unanswered(Unanswered::Undecided, span))
                }
                (Err(problem), _) | (_, Some(Err(problem))) => Err(problem),
            });
            matches!(found, Some(Ok(_)))
        });
        found.unwrap_or_else(|| Err(problem::unanswered(Unanswered::Undecided, span)))
    }
}

fn too_many_paths(span: Span) -> Box<Diagnostic> {
    let message = format!("the program takes more than {MOST_PATHS} paths on these intervals");
    Box::new(Diagnostic::error("undecided", span, message).help("make the intervals smaller"))
}

fn ends(name: &str, reason: &str) -> Diagnostic {
    Diagnostic::placeless("no-interval", format!("`{name}` has no values between its ends: {reason}"))
        .help("write LOW..HIGH, two values of one shape, the lower one first")
}

/// Two values of one shape, number by number; none where anything else than their numbers differs.
fn hull(a: &evaluate::Value<Erased>, b: &evaluate::Value<Erased>, ty: &Type) -> Option<evaluate::Value<Erased>> {
    let rest = |value: &evaluate::Value<Erased>| value.show_parts(ty, &|_| "_".into(), &mut |_| None);
    if rest(a) != rest(b) {
        return None;
    }
    let mut numbers: Vec<Interval> = Vec::new();
    b.visit_reals(&mut |x| numbers.push(x.number()));
    let mut numbers = numbers.into_iter();
    Some(a.map_reals(&mut |x| match numbers.next() {
        Some(other) => Erased::new(&x.number::<Interval>().hull(&other)),
        None => x.clone(),
    }))
}

/// Whether two data differ in their numbers at most.
fn alike(a: &Data, b: &Data) -> bool {
    match (a, b) {
        (Data::Int(_) | Data::Real(_), Data::Int(_) | Data::Real(_)) => true,
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::List(a), Data::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Data::Record(a), Data::Record(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((name, a), (other, b))| name == other && alike(a, b))
        }
        (Data::Tensor { shape: a, elements: x }, Data::Tensor { shape: b, elements: y }) => {
            let is_number = |elements: &Elements| !matches!(elements, Elements::Bool(_));
            a == b && (is_number(x) && is_number(y) || x == y)
        }
        _ => false,
    }
}

/// A value of a user's as numbers of an algebra.
fn inputs(
    algebra: Algebra,
    name: &str,
    ty: &Type,
    (low, high): (&Value, &Value),
) -> Result<evaluate::Value<Erased>, Vec<Diagnostic>> {
    let mut paths = Vec::new();
    if algebra == Algebra::Provenance {
        places(low, ty, name.to_string(), &mut paths);
    }
    let mut highs = Vec::new();
    high.visit_reals(&mut |x| highs.push(*x));
    let (mut at, mut is_ordered) = (0, true);
    let value = low.over(&mut |low: &f64| {
        let high = highs.get(at).copied().unwrap_or(*low);
        is_ordered &= *low <= high || low.is_nan();
        let path = paths.get(at).map_or("", String::as_str);
        at += 1;
        algebra.input(*low, high, path)
    });
    match is_ordered {
        true => Ok(value),
        false => Err(vec![ends(name, "the lower end is above the upper one")]),
    }
}

/// The places of the numbers in a value, as a program would write them.
fn places(value: &Value, ty: &Type, path: String, found: &mut Vec<String>) {
    match (value, ty) {
        (Value::Real(_), _) => found.push(path),
        (Value::Tuple(parts), Type::Record(record)) => {
            for (part, (field, ty)) in parts.iter().zip(record.fields.iter()) {
                places(part, ty, format!("{path}.{field}"), found);
            }
        }
        (Value::Tuple(parts), Type::Tuple(types)) => {
            for (at, (part, ty)) in parts.iter().zip(types.iter()).enumerate() {
                places(part, ty, format!("{path}.{at}"), found);
            }
        }
        (_, Type::Array(_, element)) => {
            for (at, part) in value.elements().enumerate() {
                places(&part, element, format!("{path}[{at}]"), found);
            }
        }
        _ => {}
    }
}
