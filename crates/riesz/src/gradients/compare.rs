//! The tests at one point: every representation against differences, and forward against reverse.

use super::differences::{Slope, slope};
use super::path::path;
use super::probe::{Probe, numbers};
use super::random::Random;
use super::representation::{FORWARD, Representations, Said, Stopped};
use super::sample::Point;
use super::{Comparison, Outcome, largest};
use crate::Value;
use riesz_core::evaluate::Fault;

/// How far a derivative may be from differences, as a part of the larger one or of 1.
const TOLERANCE: f64 = 1e-6;
/// How far forward and reverse mode may be apart, as a part of what is added up, where rounding is not magnified.
const EXACT: f64 = 1e-9;
/// How much more than they seem to be differences may be off.
const DOUBT: f64 = 5.0;
/// Points with more coordinates than this are not tested in all of them.
const MANY_COORDINATES: usize = 24;
/// But in this many, a random choice for each point,
const SOME_COORDINATES: usize = 8;
/// or in fewer where that makes more numbers than this to compare.
const MANY_NUMBERS: usize = 2000;

/// The result at a point.
pub enum Examined {
    /// The function has no value there that could be tested.
    Rejected(String),
    /// It takes too long, or too much memory.
    Limited(String),
    /// Most differences do not settle.
    Unsettled,
    /// Something is wrong.
    Wrong(Outcome),
    /// All is well; here it is furthest from it.
    Agrees(Comparison),
}

/// Examines a point of a function.
pub fn examine(
    probe: &Probe,
    name: &str,
    point: &Point,
    representations: &mut Representations,
    random: &mut Random,
) -> Examined {
    let value = match probe.value(point, &point.numbers) {
        Ok(value) => value,
        Err(fault) => return rejected(&fault),
    };
    let middle = numbers(&value);
    if point.numbers.is_empty() || middle.is_empty() {
        return Examined::Rejected("there are no real numbers in it".into());
    }
    if !middle.iter().all(|number| number.is_finite()) {
        return Examined::Rejected("its value is not finite".into());
    }
    let examination = Examination { probe, name, point, value, middle };
    examination.run(representations, random).unwrap_or_else(|early| *early)
}

struct Examination<'a> {
    probe: &'a Probe,
    name: &'a str,
    point: &'a Point,
    value: Value,
    middle: Vec<f64>,
}

type Early = Box<Examined>;

impl Examination<'_> {
    fn run(&self, representations: &mut Representations, random: &mut Random) -> Result<Examined, Early> {
        let cotangent = random.vector(self.middle.len());
        let tangent = random.vector(self.point.numbers.len());
        let said = representations
            .ask(self.probe, self.point, &self.value, &tangent, &cotangent)
            .map_err(|stopped| self.stopped(stopped))?;
        let coordinates = coordinates(self.point.numbers.len(), self.middle.len(), random);
        let mut settled = 0;
        let mut worst: Option<Comparison> = None;
        for &at in &coordinates {
            let Some(slope) = self.slope(at, 1.0)? else { continue };
            let found = self.at_coordinate(at, &slope, &cotangent, &said)?;
            match found.iter().position(|found| found.error > tolerance(found, &slope)) {
                Some(wrong) if self.is_confirmed(at, &slope)? => {
                    return Ok(Examined::Wrong(Outcome::Disagrees(found[wrong].clone())));
                }
                Some(_) => continue,
                None => settled += 1,
            }
            let worse = |found: &Comparison, worst: &Option<Comparison>| {
                worst.as_ref().is_none_or(|worst| worst.error < found.error)
            };
            for found in found {
                if worse(&found, &worst) {
                    worst = Some(found);
                }
            }
        }
        match worst {
            Some(worst) if settled == coordinates.len() => {
                self.adjoints(&said, &tangent, &cotangent, EXACT + DOUBT * worst.error)?;
                Ok(Examined::Agrees(worst))
            }
            // By some coordinates it is smooth: those are as they should be.
            Some(worst) if 2 * settled >= coordinates.len() => Ok(Examined::Agrees(worst)),
            _ => Ok(Examined::Unsettled),
        }
    }

    /// Whether differences of other steps give the same slope: what is wrong by accident is not wrong in the same way.
    fn is_confirmed(&self, at: usize, slope: &Slope) -> Result<bool, Early> {
        for reach in [0.3, 0.07] {
            let again = self.slope(at, reach)?;
            if !again.is_some_and(|again| apart(&again.value, &slope.value) <= 10.0 * TOLERANCE) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `⟨w, D f x u⟩ = ⟨u, (D f x)ᵀ w⟩`, over all coordinates, whichever representations the sides come from.
    fn adjoints(&self, said: &[Said], tangent: &[f64], cotangent: &[f64], tolerance: f64) -> Result<(), Early> {
        let mut sides = Vec::new();
        for Said { name, image, row } in said {
            for (vector, other) in [(image, cotangent), (row, tangent)] {
                if let Some(vector) = vector {
                    let products = products(vector, other);
                    let around = products.iter().fold(1.0, |sum: f64, product| sum + product.abs());
                    sides.push((*name, products.iter().sum::<f64>(), around));
                }
            }
        }
        let (_, expected, around) = sides[0];
        for &(name, found, around_too) in &sides[1..] {
            let error = (found - expected).abs() / f64::max(around, around_too);
            if error.is_nan() || error > tolerance {
                let comparison = Comparison { error, ..self.comparison(name, None, None, found, expected) };
                return Err(Box::new(Examined::Wrong(Outcome::Disagrees(comparison))));
            }
        }
        Ok(())
    }

    /// The value of each representation at the coordinate where it is furthest from differences.
    fn at_coordinate(
        &self,
        at: usize,
        slope: &Slope,
        cotangent: &[f64],
        said: &[Said],
    ) -> Result<Vec<Comparison>, Early> {
        let mut unit = vec![0.0; self.point.numbers.len()];
        unit[at] = 1.0;
        let column = self.probe.forward(self.point, &unit).map_err(|fault| self.stopped(Stopped(FORWARD, fault)))?;
        let parts = column.iter().zip(&slope.value).enumerate();
        let parts = parts.map(|(part, (&found, &expected))| (part, found, expected, apart(&[found], &[expected])));
        let worst = parts.max_by(|a, b| a.3.total_cmp(&b.3));
        let forward =
            worst.map(|(part, found, expected, _)| self.comparison(FORWARD, Some(at), Some(part), found, expected));
        let expected = products(&slope.value, cotangent).iter().sum();
        let backward = said.iter().filter_map(|said| {
            let found = *said.row.as_ref()?.get(at)?;
            Some(self.comparison(said.name, Some(at), None, found, expected))
        });
        Ok(forward.into_iter().chain(backward).collect())
    }

    /// The slope along a coordinate, as differences have it.
    fn slope(&self, at: usize, reach: f64) -> Result<Option<Slope>, Early> {
        let scale = reach * 1f64.max(self.point.numbers[at].abs());
        slope(&self.middle, scale, |step| {
            let mut moved = self.point.numbers.clone();
            moved[at] += step;
            match self.probe.value(self.point, &moved) {
                Ok(value) => Ok(numbers(&value)),
                // An end of the domain within reach, which the next steps may not reach.
                Err(fault) => match rejected(&fault) {
                    Examined::Limited(message) => Err(Box::new(Examined::Limited(message))),
                    _ => Ok(vec![f64::NAN; self.middle.len()]),
                },
            }
        })
    }

    /// Of a derivative that stops, at a point where the function has a value.
    fn stopped(&self, Stopped(representation, fault): Stopped) -> Early {
        Box::new(match rejected(&fault) {
            Examined::Rejected(message) => {
                let call = self.probe.call(self.name, self.point);
                Examined::Wrong(Outcome::Stops { representation, call, message })
            }
            limited => limited,
        })
    }

    fn comparison(
        &self,
        representation: &'static str,
        input: Option<usize>,
        output: Option<usize>,
        derivative: f64,
        expected: f64,
    ) -> Comparison {
        let input = input.map(|at| input_path(self.probe, self.point, at));
        let output = output.map(|at| path(&self.probe.result, &self.value, at));
        let error = apart(&[derivative], &[expected]);
        let call = self.probe.call(self.name, self.point);
        Comparison { representation, input, output, derivative, expected, error, call }
    }
}

fn rejected(fault: &Fault) -> Examined {
    match fault.code {
        "step-limit" | "memory-limit" | "depth-limit" | "interrupted" => Examined::Limited(fault.message.clone()),
        _ => Examined::Rejected(fault.message.clone()),
    }
}

/// The coordinates to test: all, or some where there are many. Each makes as many numbers as the result has.
fn coordinates(count: usize, results: usize, random: &mut Random) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    if count > MANY_COORDINATES {
        let some = (MANY_NUMBERS / results).clamp(1, SOME_COORDINATES);
        for at in 0..some {
            let other = at + random.below(count - at);
            all.swap(at, other);
        }
        all.truncate(some);
        all.sort_unstable();
    }
    all
}

fn products(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

/// The largest distance of two numbers at the same place, as a part of the larger one or of 1.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let one = |(a, b): (&f64, &f64)| {
        let distance = (a - b).abs() / 1f64.max(a.abs()).max(b.abs());
        if distance.is_nan() { f64::INFINITY } else { distance }
    };
    a.iter().zip(b).map(one).fold(0.0, f64::max)
}

/// The error of a comparison for which differences can account.
fn tolerance(found: &Comparison, slope: &Slope) -> f64 {
    let around = 1f64.max(found.expected.abs());
    TOLERANCE + DOUBT * largest(&slope.error) * (slope.error.len() as f64).sqrt() / around
}

/// The name of a coordinate: the parameter, and the path into it.
fn input_path(probe: &Probe, point: &Point, mut at: usize) -> String {
    let varying: Vec<_> = probe.parameters.iter().filter(|parameter| parameter.varies).collect();
    let values = match varying.len() {
        1 => vec![point.argument.clone()],
        _ => point.argument.parts().to_vec(),
    };
    for (parameter, value) in varying.iter().zip(&values) {
        let count = super::path::reals(value);
        if at < count {
            return parameter.show(&path(&parameter.ty, value, at));
        }
        at -= count;
    }
    String::new()
}
