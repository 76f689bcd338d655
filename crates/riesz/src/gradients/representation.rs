//! The representations in which derivatives are tested: compiled code in both directions, and every other row of
//! [`via::REPRESENTATIONS`].
//!
//! Reverse-mode numbers cost a few evaluations, and are tested at every small point and at one large one.
//! Representations that carry whole gradients or columns cost as many evaluations as the point has coordinates, and
//! terms and morphisms have a high cost for each operation: these are tested at the first small point, each in both
//! directions.

use super::probe::Probe;
use super::sample::Point;
use crate::Value;
use crate::via::{self, Wish};
use riesz_core::evaluate::Fault;

/// The most coordinates that a small point and its value have.
const FEW: usize = 50;
/// The numbers that run backwards: what they take does not grow with the coordinates of the point.
const BACKWARDS: [&str; 3] = ["reverse-sparse", "reverse-cayley", "reverse-array"];

/// The representations of one function, while it is tested.
#[derive(Debug, Default)]
pub struct Representations {
    /// The representations that have no derivative of this function, with the reasons.
    pub without: Vec<(&'static str, String)>,
    /// Whether those that cost much have been asked.
    whole: bool,
    /// Whether those that run backwards have been asked at a large point.
    large: bool,
}

/// The results of a representation at a point.
pub struct Said {
    /// Which.
    pub name: &'static str,
    /// The derivative applied to a tangent, if it was asked for that.
    pub image: Option<Vec<f64>>,
    /// Its adjoint applied to a cotangent, if it was asked for that.
    pub row: Option<Vec<f64>>,
}

/// The representation that stops with an error where the function has a value.
pub struct Stopped(pub &'static str, pub Fault);

impl Representations {
    /// The values of all of them for a tangent and a cotangent, at a point where the function has a value: first the
    /// compiled derivative, in forward and reverse mode.
    pub fn ask(
        &mut self,
        probe: &Probe,
        point: &Point,
        value: &Value,
        tangent: &[f64],
        cotangent: &[f64],
    ) -> Result<Vec<Said>, Stopped> {
        let image = probe.forward(point, tangent).map_err(|fault| Stopped(FORWARD, fault))?;
        let row = probe.reverse(point, value, cotangent).map_err(|fault| Stopped(REVERSE, fault))?;
        let mut said = vec![
            Said { name: FORWARD, image: Some(image), row: None },
            Said { name: REVERSE, image: None, row: Some(row) },
        ];
        let small = tangent.len() <= FEW && cotangent.len() <= FEW;
        if !small && std::mem::replace(&mut self.large, true) {
            return Ok(said);
        }
        let whole = small && !self.whole;
        for via::Representation { name, differentiate, .. } in via::REPRESENTATIONS {
            let Some(differentiate) = *differentiate else { continue };
            let is_asked = whole || BACKWARDS.contains(name);
            if !is_asked || self.is_without(name) {
                continue;
            }
            let image = whole.then(|| probe.via(differentiate, point, Wish::Forward(tangent))).transpose();
            let answer = image.and_then(|image| {
                let row = probe.via(differentiate, point, Wish::Reverse(cotangent))?;
                Ok(Said { name, image, row: Some(row) })
            });
            match answer {
                Ok(answer) => said.push(answer),
                // What is too long for one is too long for all.
                Err(fault) if fault.code == "step-limit" => {
                    let others = via::REPRESENTATIONS.iter().filter(|other| !other.is_compiled());
                    let others: Vec<_> = others.filter(|other| !self.is_without(other.name)).collect();
                    self.without.extend(others.iter().map(|other| (other.name, fault.message.clone())));
                    break;
                }
                Err(fault) if is_refusal(fault.code) => self.without.push((name, fault.message.clone())),
                Err(fault) => return Err(Stopped(name, fault)),
            }
        }
        self.whole |= whole;
        Ok(said)
    }

    fn is_without(&self, name: &str) -> bool {
        self.without.iter().any(|(without, _)| *without == name)
    }

    /// The representations in which the function was not tested, with the reasons.
    pub fn untested(mut self) -> Vec<(&'static str, String)> {
        if !self.whole {
            let costly = via::REPRESENTATIONS.iter().filter(|representation| !representation.is_compiled());
            let costly = costly.map(|representation| representation.name).filter(|name| !BACKWARDS.contains(name));
            self.without.extend(costly.map(|name| (name, format!("every point has more than {FEW} numbers"))));
        }
        self.without
    }
}

/// The name of the compiled derivative in a sentence, in each direction.
pub const FORWARD: &str = "forward mode";
const REVERSE: &str = "reverse mode";

/// Whether an error says that a representation has no such derivative, or that it takes too much.
fn is_refusal(code: &str) -> bool {
    matches!(code, "no-combinator" | "step-limit" | "memory-limit" | "depth-limit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_run_backwards_are_rows_of_the_table() {
        for name in BACKWARDS {
            assert!(via::Representation::find(name).is_some(), "{name}");
        }
    }
}
