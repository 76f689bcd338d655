//! The growth of the cost of a derivative with a size: `operations(n) ≈ c · nˢ`, with the slope `s` of each
//! representation.
//!
//! A name in the expressions for the point and the function stands for increasing sizes. A representation stops if the
//! next size would take too long.

use super::{Measured, Measuring, Modes, POINT, near};
use crate::plot::{Line, Plot};
use crate::session::Session;
use crate::via::{REPRESENTATIONS, Representation};
use crate::{Binding, Diagnostic, Name, NoFiles};
use std::time::Duration;

/// Which sizes to go through.
#[derive(Clone, Debug)]
pub struct Grow {
    /// The name that stands for the size.
    pub name: Name,
    /// The smallest size.
    pub from: u32,
    /// The largest.
    pub to: u32,
    /// How long a derivative may take; a representation whose next one would take longer stops.
    pub longest: Duration,
}

/// The costs of derivatives as a size grows.
pub struct Growth {
    /// The name of the size.
    pub name: Name,
    /// The results of the representations at the smallest size.
    pub first: Modes,
    /// How each goes on.
    pub rows: Vec<Grown>,
}

/// The costs of derivatives in a representation as a size grows.
pub struct Grown {
    /// Which representation.
    pub representation: &'static Representation,
    /// One for each size that it came to.
    pub samples: Vec<Sample>,
    /// Why it went no further, if it did not come to the last.
    pub stopped: Option<String>,
}

/// The cost of a derivative at a size.
pub struct Sample {
    /// The size.
    pub size: u32,
    /// The operations on numbers, those for the value among them.
    pub operations: u64,
    /// Its time.
    pub time: Duration,
    /// The most bytes held at once, if they were counted.
    pub bytes: Option<usize>,
    /// Whether the derivative is that of the compiled code.
    pub agrees: bool,
}

impl Grow {
    /// The sizes, of which there is at least one: two for every factor of ten, each the same multiple of the one before up
    /// to rounding.
    pub fn sizes(&self) -> Vec<u32> {
        let (low, high) = (f64::from(self.from.max(1)).ln(), f64::from(self.to.max(1)).ln());
        let steps = ((high - low) / 10f64.ln() * 2.0).round().max(1.0) as u32;
        let size = |step: u32| (low + (high - low) * f64::from(step) / f64::from(steps)).exp().round() as u32;
        let mut sizes: Vec<u32> = (0..=steps).map(size).collect();
        sizes.dedup();
        sizes
    }
}

impl Growth {
    /// Whether every derivative that was computed is that of the compiled code.
    pub fn agree(&self) -> bool {
        self.first.agree() && self.rows.iter().flat_map(|row| &row.samples).all(|sample| sample.agrees)
    }

    /// Operations against the size, both by their logarithms: one line for each representation, and one for those whose
    /// operations are the same.
    pub fn plot(&self, title: &str) -> Plot {
        let mut lines: Vec<(Vec<&'static str>, Line)> = Vec::new();
        for row in self.rows.iter().filter(|row| !row.samples.is_empty()) {
            let points: Vec<(f64, f64)> =
                row.samples.iter().map(|at| (f64::from(at.size), at.operations as f64)).collect();
            match lines.iter_mut().find(|(_, line)| line.points == points) {
                Some((names, _)) => names.push(row.representation.name),
                None => {
                    let line = Line { label: String::new(), points, stopped: row.stopped.is_some() };
                    lines.push((vec![row.representation.name], line));
                }
            }
        }
        let labelled = lines.into_iter().map(|(names, line)| Line { label: names.join(", "), ..line });
        Plot {
            title: title.to_string(),
            across: self.name.to_string(),
            up: "operations".to_string(),
            lines: labelled.collect(),
            note: self
                .rows
                .iter()
                .any(|row| row.stopped.is_some())
                .then(|| "○ the next size was too large".to_string()),
        }
    }
}

impl Grown {
    /// `s` in `operations ≈ c · sizeˢ`, by least squares over the logarithms of the larger half of the sizes; none of fewer
    /// than two.
    pub fn slope(&self) -> Option<f64> {
        let upper = &self.samples[self.samples.len().saturating_sub(2) / 2..];
        let points: Vec<(f64, f64)> =
            upper.iter().map(|at| ((f64::from(at.size)).ln(), (at.operations.max(1) as f64).ln())).collect();
        let count = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
        let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        let together: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        (points.len() > 1 && spread > 0.0).then(|| together / spread)
    }

    /// Why a next size is too much, as far as the sizes up to here can tell.
    fn too_much(&self, next: u32, longest: Duration, memory: usize) -> Option<String> {
        let last = self.samples.last()?;
        let before = self.samples.iter().rev().nth(1);
        let factor = f64::from(next) / f64::from(last.size);
        // What grows by a power goes on by the same power; little things are mostly noise, and grow at least in proportion.
        let expected = |now: f64, before: Option<(f64, f64)>| {
            let power = before.map_or(1.0, |(size, then)| (now / then).ln() / (f64::from(last.size) / size).ln());
            now * factor.powf(if power.is_finite() { power.clamp(1.0, 3.0) } else { 1.0 })
        };
        let seconds = |sample: &Sample| sample.time.as_secs_f64();
        if expected(seconds(last), before.map(|at| (f64::from(at.size), seconds(at)))) > longest.as_secs_f64() {
            return Some(format!("{next} would take more than {} s", longest.as_secs_f64()));
        }
        let bytes = |sample: &Sample| sample.bytes.unwrap_or(0) as f64;
        if expected(bytes(last), before.map(|at| (f64::from(at.size), bytes(at)))) > memory as f64 {
            return Some(format!("{next} would take more memory than the limit"));
        }
        None
    }
}

impl Session {
    /// Differentiates a function at points of growing size in every representation.
    pub fn growth(
        &mut self,
        function: &str,
        at: &str,
        bindings: Vec<(Name, Binding)>,
        grow: &Grow,
        measuring: Measuring,
    ) -> Result<Growth, Vec<Diagnostic>> {
        let scope = self.scope();
        let growth = self.grow(function, at, bindings, grow, measuring);
        self.restore(scope);
        growth
    }

    fn grow(
        &mut self,
        function: &str,
        at: &str,
        bindings: Vec<(Name, Binding)>,
        grow: &Grow,
        measuring: Measuring,
    ) -> Result<Growth, Vec<Diagnostic>> {
        if ![function, at].iter().any(|text| mentions(text, &grow.name)) {
            let message = format!("nothing grows with `{}`: neither the point nor the function has it", grow.name);
            let help = format!("write the point with it, such as `--at '[1.0 / (i + 1) | i < {}]'`", grow.name);
            return Err(vec![Diagnostic::placeless("does-not-grow", message).help(help)]);
        }
        let sizes = grow.sizes();
        let smallest = sizes[0];
        self.define("size", &format!("let {} = {smallest}", grow.name), &NoFiles)?;
        let first = self.modes(function, at, bindings.clone(), measuring)?;
        let mut rows: Vec<Grown> = first
            .rows
            .iter()
            .map(|row| match &row.outcome {
                Ok(measured) => Grown {
                    representation: row.representation,
                    samples: vec![Sample::new(smallest, measured, measured.agrees)],
                    stopped: None,
                },
                Err(problem) => Grown {
                    representation: row.representation,
                    samples: Vec::new(),
                    stopped: Some(problem.message.clone()),
                },
            })
            .collect();
        for &size in &sizes[1..] {
            for row in rows.iter_mut().filter(|row| row.stopped.is_none()) {
                row.stopped = row.too_much(size, grow.longest, self.options().limits.memory);
            }
            if rows.iter().all(|row| row.stopped.is_some()) {
                break;
            }
            self.define("size", &format!("let {} = {size}", grow.name), &NoFiles)?;
            let point = self.evaluate_as("point", at, bindings.clone())?;
            self.define("point", &format!("let {POINT} = {point}"), &NoFiles)?;
            let derivative = self.question(function)?.derivative;
            // The last is the compiled code, which the others are compared with.
            let mut expected: Option<Vec<f64>> = None;
            for (row, representation) in rows.iter_mut().zip(REPRESENTATIONS).rev() {
                if row.stopped.is_some() {
                    continue;
                }
                match self.measure(&derivative, representation, Measuring { times: 1, ..measuring }) {
                    Ok(measured) => {
                        let expected = expected.get_or_insert_with(|| measured.numbers.clone());
                        row.samples.push(Sample::new(size, &measured, near(&measured.numbers, expected)));
                    }
                    Err(problem) => row.stopped = Some(format!("{size}: {}", problem.message)),
                }
            }
        }
        Ok(Growth { name: grow.name.clone(), first, rows })
    }
}

impl Sample {
    fn new(size: u32, measured: &Measured, agrees: bool) -> Sample {
        let Measured { operations, time, bytes, .. } = measured;
        Sample { size, operations: operations.total(), time: *time, bytes: *bytes, agrees }
    }
}

/// Whether a name stands in a text.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c: char| !part(c)).any(|word| word == name)
}
