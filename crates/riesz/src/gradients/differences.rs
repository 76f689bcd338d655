//! `f'(x) = (f(x + h) − f(x − h)) / 2h − c₂h² − c₄h⁴ − …`: central differences, extrapolated to `h = 0`, with an
//! estimate of their error.   [Ridders 1982]

use super::largest;

/// How far the first difference reaches.
const REACH: f64 = 0.02;
/// How much smaller each step is than the one before.
const SHRINK: f64 = 4.0;
/// How many steps there are.
const STEPS: usize = 6;
/// How far the extrapolation may be off, as a part of the largest number around.
const SETTLED: f64 = 1e-6;
/// Steeper than this, rounding is magnified beyond what can be tested.
const STEEP: f64 = 1e9;
/// How far the slopes on both sides may be apart, likewise.
const KINK: f64 = 1e-4;

/// The derivative of a curve at 0 as differences have it.
#[derive(Clone, Debug)]
pub struct Slope {
    /// The derivative of each component.
    pub value: Vec<f64>,
    /// How far each may be off.
    pub error: Vec<f64>,
}

/// The slope of a curve at 0, whose value there is known; none where differences do not settle: the curve has a kink or
/// a jump near 0, an end, or more ups and downs than differences can see. Fails where the curve does.
pub fn slope<E>(
    middle: &[f64],
    scale: f64,
    mut curve: impl FnMut(f64) -> Result<Vec<f64>, E>,
) -> Result<Option<Slope>, E> {
    let mut sides = Vec::with_capacity(STEPS);
    let mut step = REACH * scale;
    for _ in 0..STEPS {
        let (right, left) = (curve(step)?, curve(-step)?);
        // Where the curve ends within reach, smaller steps may see enough.
        if right.len() != middle.len() || left.len() != middle.len() {
            return Ok(None);
        }
        if right.iter().chain(&left).all(|number| number.is_finite()) {
            sides.push((step, right, left));
        }
        step /= SHRINK;
    }
    if sides.len() < STEPS / 2 {
        return Ok(None);
    }
    let mut slope = Slope { value: Vec::new(), error: Vec::new() };
    for at in 0..middle.len() {
        let central: Vec<Difference> =
            sides.iter().map(|(step, right, left)| difference(*step, right[at], left[at])).collect();
        let (value, error) = extrapolate(&central);
        let around = 1f64.max(value.abs());
        let jumps: Vec<f64> =
            sides.iter().map(|(step, right, left)| (right[at] - 2.0 * middle[at] + left[at]) / step).collect();
        let settled = error <= SETTLED * around && around <= STEEP;
        if !settled || has_kink(&jumps, around, middle[at]) {
            return Ok(None);
        }
        slope.value.push(value);
        slope.error.push(error);
    }
    Ok(Some(slope))
}

/// A central difference, and how far rounding alone may move it.
struct Difference {
    slope: f64,
    rounding: f64,
}

fn difference(step: f64, right: f64, left: f64) -> Difference {
    let rounding = 2.0 * f64::EPSILON * right.abs().max(left.abs()) / step;
    Difference { slope: (right - left) / (2.0 * step), rounding }
}

/// Neville's table over the even powers of the step: the entry that differs least from those it was made of.
fn extrapolate(central: &[Difference]) -> (f64, f64) {
    let mut best = (f64::NAN, f64::INFINITY);
    let mut row: Vec<f64> = Vec::new();
    for Difference { slope, rounding } in central {
        let mut next = vec![*slope];
        let mut power = 1.0;
        for (at, before) in row.iter().enumerate() {
            power *= SHRINK * SHRINK;
            let better = (power * next[at] - before) / (power - 1.0);
            let error = (better - next[at]).abs().max((better - before).abs()).max(*rounding);
            if error < best.1 {
                best = (better, error);
            }
            next.push(better);
        }
        row = next;
    }
    best
}

/// Whether the slopes on both sides stay apart: of a smooth curve they differ by a multiple of the step.
fn has_kink(jumps: &[f64], around: f64, middle: f64) -> bool {
    // Smaller steps see less of the curvature, and more of the rounding.
    let [.., wide, narrow, _] = jumps else { return false };
    let left_over = (SHRINK * narrow - wide) / (SHRINK - 1.0);
    left_over.abs() > KINK * around.max(largest(&[middle]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    type Curve = fn(f64) -> f64;

    fn of(curve: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
        let found = slope::<Infallible>(&[curve(0.0)], 1.0, |h| Ok(vec![curve(h)]));
        let found = found.unwrap_or_else(|never| match never {})?;
        Some((found.value[0], found.error[0]))
    }

    #[test]
    fn smooth_curves_have_a_slope_within_its_error() {
        let curves: [(Curve, f64); 5] = [
            (|h| (1.0 + h).exp(), 1f64.exp()),
            (|h| (20.0 * h).sin(), 20.0),
            (|h| 1e6 + h, 1.0),
            (|h| (h + 0.01).sqrt(), 5.0),
            (|_| 7.0, 0.0),
        ];
        for (at, (curve, expected)) in curves.into_iter().enumerate() {
            let (value, error) = of(curve).unwrap_or_else(|| panic!("curve {at} does not settle"));
            assert!((value - expected).abs() <= 10.0 * error + 1e-9, "curve {at}: {value} ± {error}, not {expected}");
        }
    }

    #[test]
    fn other_curves_have_none() {
        let curves: [Curve; 6] = [
            |h| (h - 1e-7).abs(),
            |h| h.max(0.0),
            |h| (1e6 * h + 0.3).floor(),
            |h| (1e7 * h).sin(),
            |h| if h < 1e-6 { 0.0 } else { 1.0 },
            |h| h.ln(),
        ];
        for (at, curve) in curves.into_iter().enumerate() {
            assert_eq!(of(curve), None, "curve {at}");
        }
    }
}
