//! The representations of derivatives that are tested: one row each.

use super::probe::Probe;
use super::sample::Point;
use crate::Value;
use riesz_core::evaluate::Fault;

/// A way to compute a derivative.
pub struct Representation {
    /// Its name, as it stands in a sentence.
    pub name: &'static str,
    /// What it gives.
    pub derivative: Derivative,
}

/// What a representation can be asked for.
pub enum Derivative {
    /// At a point, of a tangent: the derivative applied to it.
    Forward(fn(&Probe, &Point, &[f64]) -> Vector),
    /// At a point that has a value, of a cotangent of the value: the adjoint of the derivative applied to it.
    Reverse(fn(&Probe, &Point, &Value, &[f64]) -> Vector),
}

/// A tangent or cotangent, as the list of its numbers.
pub type Vector = Result<Vec<f64>, Fault>;

/// All of them.
pub const REPRESENTATIONS: [Representation; 3] = [
    Representation { name: "forward mode", derivative: Derivative::Forward(Probe::forward) },
    Representation { name: "reverse mode", derivative: Derivative::Reverse(Probe::reverse) },
    Representation { name: "Nagata's algebra", derivative: Derivative::Forward(Probe::nagata) },
];
