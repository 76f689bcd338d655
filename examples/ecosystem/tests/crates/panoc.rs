//! optimization_engine: a constrained optimum by PANOC.

use ecosystem::valley;
use optimization_engine::constraints::Ball2;
use optimization_engine::panoc::{PANOCCache, PANOCOptimizer};
use optimization_engine::{Problem, SolverError};

#[test]
fn the_lowest_point_of_a_ball() {
    let slope = |x: &[f64], slope: &mut [f64]| -> Result<(), SolverError> {
        valley::value_and_grad(x, slope);
        Ok(())
    };
    let cost = |x: &[f64], cost: &mut f64| -> Result<(), SolverError> {
        *cost = valley(x);
        Ok(())
    };
    let ball = Ball2::new(None, 1.0);
    let mut x = [-0.5, 0.5];
    let mut cache = PANOCCache::new(2, 1e-10, 10);
    let status = PANOCOptimizer::new(Problem::new(&ball, slope, cost), &mut cache).with_max_iter(2000).solve(&mut x);
    assert!(status.is_ok_and(|status| status.has_converged()));
    // On the circle, where the slope is a multiple of the point.
    let slope = valley::grad(&x);
    assert!((x[0].hypot(x[1]) - 1.0).abs() < 1e-9, "{x:?}");
    assert!((slope[0] * x[1] - slope[1] * x[0]).abs() < 1e-6, "{x:?}");
}
