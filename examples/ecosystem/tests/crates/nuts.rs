//! nuts-rs: samples of a density by its gradient.

use ecosystem::schools;
use nuts_rs::rand::{Rng, SeedableRng, rngs::StdRng};
use nuts_rs::{Chain, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, HasDims, LogpError, Settings};
use std::collections::HashMap;
use std::fmt;

const MEASURED: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
const ERROR: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];

struct Schools;

#[derive(Debug)]
enum Never {}

impl fmt::Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl LogpError for Never {
    fn is_recoverable(&self) -> bool {
        match *self {}
    }
}

impl HasDims for Schools {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        HashMap::from([("unconstrained_parameter".to_string(), 10)])
    }
}

// ANCHOR: density
impl CpuLogpFunc for Schools {
    type LogpError = Never;
    type ExpandedVector = Vec<f64>;
    type FlowParameters = ();

    fn dim(&self) -> usize {
        10
    }

    fn logp(&mut self, x: &[f64], slope: &mut [f64]) -> Result<f64, Never> {
        Ok(schools::value_and_grad(x, &MEASURED, &ERROR, slope))
    }

    fn expand_vector<R: Rng + ?Sized>(&mut self, _: &mut R, x: &[f64]) -> Result<Vec<f64>, CpuMathError> {
        Ok(x.to_vec())
    }
}
// ANCHOR_END: density

#[test]
fn eight_schools() {
    let settings = DiagNutsSettings { num_tune: 500, ..DiagNutsSettings::default() };
    let mut rng = StdRng::seed_from_u64(7);
    let mut chain = settings.new_chain(0, CpuMath::new(Schools), &mut rng).expect("settings");
    chain.set_position(&[0.0; 10]).expect("a density");
    let draws: Vec<f64> = (0..2500).map(|_| chain.draw().expect("a draw").0[0]).skip(500).collect();
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    // 4.4 with a standard deviation of 3.3, by long runs of Stan.
    assert!((mean - 4.4).abs() < 0.8, "{mean}");
}
