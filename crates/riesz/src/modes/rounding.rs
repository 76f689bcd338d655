//! Differences by rounding: a derivative that differs from the others by no more than it changes if the last digits of the
//! point change.
//!
//! A representation that multiplies matrices adds numbers that others never add: close to a singular matrix, entries of
//! `1e16` cancel in a sum of size 1, which then has no correct digits.

use super::{Measured, Measuring, Modes, POINT, TOLERANCE, holds_maps};
use crate::session::{Evaluated, Session};
use crate::{Diagnostic, Value};

/// By how much of itself each number of the point moves: a few of its last digits.
const MOVES: [f64; 3] = [4.0 * f64::EPSILON, -4.0 * f64::EPSILON, 16.0 * f64::EPSILON];
/// The part of a difference that a move has to make.
const PART: f64 = 0.1;

impl Session {
    /// Finds the representations whose difference is one of rounding.
    pub(super) fn find_rounding(
        &mut self,
        modes: &mut Modes,
        function: &str,
        point: &Evaluated,
    ) -> Result<(), Vec<Diagnostic>> {
        let differs = |measured: &Measured| !measured.agrees && measured.misfit.is_none();
        let compiled = modes.rows.iter().find(|row| row.representation.is_compiled());
        let expected = compiled.and_then(|row| row.outcome.as_ref().ok()).map(|measured| measured.numbers.clone());
        let Some(expected) = expected.filter(|_| !holds_maps(&point.ty)) else { return Ok(()) };
        if !modes.rows.iter().any(|row| row.outcome.as_ref().is_ok_and(differs)) {
            return Ok(());
        }
        let measuring = Measuring { count_bytes: None, times: 1 };
        for by in MOVES {
            let scope = self.scope();
            let moved = Evaluated::new(point.ty.clone(), moved(&point.value, by, &mut 0));
            let question = self.define_value(POINT, &moved).and_then(|_| self.question(function));
            for row in &mut modes.rows {
                if let (Ok(measured), Ok(question)) = (&mut row.outcome, &question)
                    && differs(measured)
                    && let Ok(there) = self.measure(&question.derivative, row.representation, measuring)
                {
                    let change = distance(&measured.numbers, &there.numbers);
                    measured.is_rounding |=
                        change > TOLERANCE && change >= PART * distance(&measured.numbers, &expected);
                }
            }
            self.restore(scope);
        }
        Ok(())
    }
}

/// The value with each number moved, one up and the next down.
fn moved(value: &Value, by: f64, at: &mut usize) -> Value {
    let mut number = |x: f64| {
        *at += 1;
        if at.is_multiple_of(2) { x * (1.0 - by) } else { x * (1.0 + by) }
    };
    match value {
        Value::Real(x) => Value::Real(number(*x)),
        Value::Reals(numbers) => Value::reals(numbers.iter().map(|x| number(*x)).collect()),
        Value::Values(parts) => Value::values(parts.iter().map(|part| moved(part, by, at)).collect()),
        Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| moved(part, by, at)).collect()),
        other => other.clone(),
    }
}

/// The largest difference of two numbers; that of a number and a NaN is infinite.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let difference = |(a, b): (&f64, &f64)| match (a.is_nan(), b.is_nan()) {
        (true, true) => 0.0,
        (false, false) if a == b => 0.0,
        (false, false) => (a - b).abs(),
        _ => f64::INFINITY,
    };
    a.iter().zip(b).map(difference).fold(0.0, f64::max)
}
