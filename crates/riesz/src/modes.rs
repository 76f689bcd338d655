//! One function at one point in every representation: the result and cost of each, and the growth of the costs with a
//! size.

mod growth;
mod rounding;

pub use growth::{Grow, Grown, Growth, Sample};

use crate::compilation::{Compilation, CompileSettings};
use crate::session::{Session, first};
use crate::via::{REPRESENTATIONS, Representation};
use crate::{Binding, Checkpoints, Diagnostic, Name, NoFiles, Options, Type, Value};
use riesz_core::Thunk;
use riesz_core::evaluate::{Machine, Map, show_real};
use riesz_core::term::Program;
use riesz_primitive::{Erased, Number, Operations, count};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How far numbers may be apart that agree, as a part of the larger or of 1.
const TOLERANCE: f64 = 1e-9;
/// How long one time may be to be taken again.
const LONG: Duration = Duration::from_millis(200);
/// The name of the point in the expressions that are evaluated.
const POINT: &str = "the_point";

/// The results of all representations for a function at a point.
pub struct Modes {
    /// The value of the function, as text.
    pub value: String,
    /// Whether the derivative is a gradient; otherwise it is the matrix of a function whose value has more than one
    /// number.
    pub is_gradient: bool,
    /// The result of each representation.
    pub rows: Vec<Mode>,
}

/// The result of a representation.
pub struct Mode {
    /// Which.
    pub representation: &'static Representation,
    /// The derivative and what it took, or why there is none.
    pub outcome: Result<Measured, Box<Diagnostic>>,
}

/// A derivative and what it took.
pub struct Measured {
    /// The derivative, as text.
    pub derivative: String,
    /// Its numbers.
    pub numbers: Vec<f64>,
    /// The operations on numbers, those for the value among them.
    pub operations: Operations,
    /// The shortest time it took.
    pub time: Duration,
    /// The most bytes held at once, if they were counted.
    pub bytes: Option<usize>,
    /// Where the derivative does not have the shape of its type.
    pub misfit: Option<String>,
    /// Whether the derivative has the shape of its type and is that of the compiled code.
    pub agrees: bool,
    /// Whether it differs by no more than it changes where the last digits of the point do.
    pub is_rounding: bool,
}

/// The question to all representations.
struct Question {
    /// The value of the function, as text.
    value: String,
    is_gradient: bool,
    derivative: Derivative,
}

/// An expression for a derivative, and the part of the program that it needs: as it is written, and with its derivatives
/// compiled.
struct Derivative {
    thunk: Thunk,
    compilation: Compilation,
}

/// Counts the bytes that a computation holds at most.
pub type CountBytes = fn(&mut dyn FnMut()) -> usize;

/// How derivatives are measured.
#[derive(Clone, Copy, Debug)]
pub struct Measuring {
    /// The counter of bytes, if they are to be counted.
    pub count_bytes: Option<CountBytes>,
    /// How often a derivative is computed for its time, unless one time is long. At least once.
    pub times: u32,
}

impl Default for Measuring {
    fn default() -> Measuring {
        Measuring { count_bytes: None, times: 5 }
    }
}

impl Modes {
    /// Whether every representation has a derivative, and all are the same.
    pub fn agree(&self) -> bool {
        self.rows.iter().all(|row| row.outcome.as_ref().is_ok_and(|measured| measured.agrees))
    }

    /// Whether the representations differ only in numbers that are NaN in some of them: those add terms that cancel after an
    /// infinite coefficient, the others before it.
    pub fn differ_by_nan(&self) -> bool {
        let numbers: Option<Vec<&Vec<f64>>> =
            self.rows.iter().map(|row| row.outcome.as_ref().ok().map(|measured| &measured.numbers)).collect();
        let Some(numbers) = numbers else { return false };
        let known = |at: usize| numbers.iter().filter_map(move |row| row.get(at)).filter(|x| !x.is_nan());
        let one = |at: usize| known(at).all(|x| known(at).all(|y| near(&[*x], &[*y])));
        let count = numbers.first().map_or(0, |row| row.len());
        !self.agree() && numbers.iter().all(|row| row.len() == count) && (0..count).all(one)
    }

    /// Whether the representations differ only where rounding decides the derivative.
    pub fn differ_by_rounding(&self) -> bool {
        let settled = |measured: &Measured| measured.agrees || measured.is_rounding;
        !self.agree() && self.rows.iter().all(|row| row.outcome.as_ref().is_ok_and(settled))
    }
}

impl Session {
    /// Differentiates a function at a point in every representation.
    pub fn modes(
        &mut self,
        function: &str,
        at: &str,
        bindings: Vec<(Name, Binding)>,
        measuring: Measuring,
    ) -> Result<Modes, Vec<Diagnostic>> {
        let point = self.evaluate_as("point", at, bindings.clone())?;
        self.with_expression("expression", &format!("({function})({at})"), bindings, |_, _| Ok(()))?;
        let scope = self.scope();
        let defined = match holds_maps(&point.ty) {
            true => self.define("point", &format!("let {POINT} = {at}"), &NoFiles),
            false => self.define_value(POINT, &point),
        };
        let modes = defined.and_then(|_| self.modes_at_point(function, measuring));
        self.restore(scope);
        let mut modes = modes?;
        self.find_rounding(&mut modes, function, &point)?;
        Ok(modes)
    }

    fn modes_at_point(&mut self, function: &str, measuring: Measuring) -> Result<Modes, Vec<Diagnostic>> {
        let Question { value, is_gradient, derivative } = self.question(function)?;
        let mut rows: Vec<Mode> = REPRESENTATIONS
            .iter()
            .map(|representation| Mode {
                representation,
                outcome: self.measure(&derivative, representation, measuring),
            })
            .collect();
        let compiled = rows.iter().find(|row| row.representation.is_compiled());
        let expected = compiled.and_then(|row| row.outcome.as_ref().ok()).map(|measured| measured.numbers.clone());
        for row in &mut rows {
            if let (Ok(measured), Some(expected)) = (&mut row.outcome, &expected) {
                measured.agrees = measured.misfit.is_none() && near(&measured.numbers, expected);
            }
        }
        Ok(Modes { value, is_gradient, rows })
    }

    /// The question for every representation: the derivative of a function at the point that is defined.
    fn question(&mut self, function: &str) -> Result<Question, Vec<Diagnostic>> {
        let value = self.evaluate_as("expression", &format!("({function})({POINT})"), Vec::new())?;
        let is_gradient = value.ty == Type::Real;
        let point = self.evaluate_as("point", POINT, Vec::new())?.ty;
        // The expression also has the value, so that all representations compute both.
        let expression = match is_gradient {
            true => format!("vjp({function}, {POINT}, 1.0).1"),
            // The rows of its matrix are those of its table.
            false if holds_maps(&value.ty) || holds_maps(&point) => format!("D({function}, {POINT})"),
            false => format!("matrix(D({function}, {POINT}))"),
        };
        let derivative = self.with_expression("expression", &expression, Vec::new(), |session, thunk| {
            let part = session.program().part(&[thunk.function], &|_| false);
            // The representations meet derivatives while the program runs, all but compiled code.
            let options = Options { via: REPRESENTATIONS.first(), native: None, ..session.options().clone() };
            let how =
                CompileSettings { options: &options, checkpoints: Checkpoints::default(), sources: session.sources() };
            let compilation = Compilation::new(part, &[thunk.function], &|_| false, &how)?;
            Ok(Derivative { thunk: thunk.clone(), compilation })
        })?;
        Ok(Question { value: value.to_string(), is_gradient, derivative })
    }

    /// Computes a derivative in a representation, a number of times unless that is long.
    fn measure(
        &self,
        Derivative { thunk: Thunk { function, ty }, compilation }: &Derivative,
        representation: &'static Representation,
        Measuring { count_bytes, times }: Measuring,
    ) -> Result<Measured, Box<Diagnostic>> {
        let (plain, compiled, function) = (compilation.program(), compilation.compiled(), *function);
        let unbounded = |counted: bool| -> Result<Value, Box<Diagnostic>> {
            let via = Rc::new(representation.differentiator(counted));
            let span = plain.function(function).span;
            match (representation.is_compiled(), counted) {
                // What is known only while it runs is left to be differentiated then. Numbers without an algebra count.
                (true, true) => {
                    let mut machine = self.machine::<Erased>(compiled).differentiate_with(compiled, via);
                    let value = machine.run(function)?;
                    Ok(machine.with_tables(value, span)?.over(&mut Erased::value))
                }
                (is_compiled, _) => {
                    let program = if is_compiled { compiled } else { plain };
                    let mut machine = self.machine::<f64>(program).differentiate_with(compiled, via);
                    let value = machine.run(function)?;
                    machine.with_tables(value, span)
                }
            }
        };
        let run = |counted: bool| self.within(|| unbounded(counted)).unwrap_or_else(|problems| Err(first(problems)));
        let (value, operations) = count(|| run(true));
        let value = value?.settled(ty);
        let mut time = Duration::MAX;
        let mut timed = || {
            let start = Instant::now();
            let outcome = run(false);
            time = time.min(start.elapsed());
            outcome.map(|_| time > LONG)
        };
        let mut first = Ok(true);
        let bytes = count_bytes.map(|count_bytes| count_bytes(&mut || first = timed()));
        let mut long = if bytes.is_some() { first? } else { timed()? };
        for _ in 1..times {
            if long {
                break;
            }
            long = timed()?;
        }
        let mut numbers = Vec::new();
        value.visit_coordinates(&mut |number| numbers.push(*number));
        let (derivative, misfit) = (value.show_with(ty, &mut show_table), value.misfit(ty));
        Ok(Measured { derivative, numbers, operations, time, bytes, misfit, agrees: false, is_rounding: false })
    }

    fn machine<'p, S: Number>(&self, program: &'p Program) -> Machine<'p, S> {
        Machine::new(program, self.options().limits.clone(), |_| None)
    }
}

/// Whether values of a type have linear maps in them.
fn holds_maps(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Linear(_)))
}

/// The entries of a map, row by row.
fn show_table(map: &Map<f64>) -> Option<String> {
    let Map::Table(table) = map else { return None };
    let row = |entries: &Vec<(usize, f64)>| {
        let entries: Vec<String> = entries.iter().map(|(_, entry)| show_real(*entry)).collect();
        format!("[{}]", entries.join(", "))
    };
    Some(format!("[{}]", table.rows.iter().map(row).collect::<Vec<_>>().join(", ")))
}

/// Whether two vectors are the same up to rounding.
fn near(a: &[f64], b: &[f64]) -> bool {
    let same = |a: f64, b: f64| {
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= TOLERANCE * 1f64.max(a.abs()).max(b.abs())
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(*a, *b))
}
