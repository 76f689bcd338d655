//! diffsol: a stiff system by backward differences, whose Newton steps apply the derivative.

use ::diffsol::{MatrixCommon, NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod};
use ecosystem::reactions;

const RATES: [f64; 3] = [0.04, 1e4, 3e7];

#[test]
fn stiff_reactions() {
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(1e-7)
        .atol([1e-10, 1e-12, 1e-10])
        .rhs_implicit(
            |y: &[f64], _p: &[f64], _t: f64, dy: &mut [f64]| dy.copy_from_slice(&reactions(y, &RATES)),
            |y: &[f64], _p: &[f64], _t: f64, v: &[f64], dv: &mut [f64]| {
                dv.copy_from_slice(&reactions::jvp(y, v, &RATES).1);
            },
        )
        .init(|_p: &[f64], _t: f64, y: &mut [f64]| y.copy_from_slice(&[1.0, 0.0, 0.0]), 3)
        .build()
        .unwrap();
    let mut solver = problem.bdf::<NalgebraLU<f64>>().unwrap();
    let (states, times, _) = solver.solve(40.0).unwrap();
    assert_eq!(times.last(), Some(&40.0));
    let last: Vec<f64> = (0..3).map(|i| states[(i, states.ncols() - 1)]).collect();
    // The values of Hairer and Wanner.
    for (found, expected) in last.iter().zip([0.7158270688, 9.185534765e-6, 0.2841637457]) {
        assert!((found - expected).abs() < 1e-5 * expected.abs().max(1e-1), "{last:?}");
    }
}
