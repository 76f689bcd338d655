//! argmin: quasi-Newton by the gradient, Newton by gradient and Hessian.

use ::argmin::core::{CostFunction, Error, Executor, Gradient, Hessian, State};
use ::argmin::solver::linesearch::MoreThuenteLineSearch;
use ::argmin::solver::newton::Newton;
use ::argmin::solver::quasinewton::LBFGS;
use ecosystem::valley;
use nalgebra::{DMatrix, DVector};

struct Valley;

impl CostFunction for Valley {
    type Param = DVector<f64>;
    type Output = f64;

    fn cost(&self, x: &DVector<f64>) -> Result<f64, Error> {
        Ok(valley(x.as_slice()))
    }
}

impl Gradient for Valley {
    type Param = DVector<f64>;
    type Gradient = DVector<f64>;

    fn gradient(&self, x: &DVector<f64>) -> Result<DVector<f64>, Error> {
        Ok(valley::grad(x.as_slice()).into())
    }
}

impl Hessian for Valley {
    type Param = DVector<f64>;
    type Hessian = DMatrix<f64>;

    fn hessian(&self, x: &DVector<f64>) -> Result<DMatrix<f64>, Error> {
        let rows = valley::hessian(x.as_slice());
        Ok(DMatrix::from_fn(x.len(), x.len(), |i, j| rows[i][j]))
    }
}

fn start() -> DVector<f64> {
    DVector::from_fn(8, |i, _| if i % 2 == 0 { -1.2 } else { 1.0 })
}

fn distance(x: Option<&DVector<f64>>) -> f64 {
    x.map_or(f64::INFINITY, |x| x.add_scalar(-1.0).amax())
}

#[test]
fn quasi_newton() -> Result<(), Error> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let found = Executor::new(Valley, solver).configure(|state| state.param(start()).max_iters(200)).run()?;
    assert!(distance(found.state().get_best_param()) < 1e-5, "{found}");
    Ok(())
}

#[test]
fn newton() -> Result<(), Error> {
    // Near the lowest point, where the steps need not be shortened.
    let start = DVector::from_element(8, 1.05);
    let solver: Newton<f64> = Newton::new();
    let found = Executor::new(Valley, solver).configure(|state| state.param(start).max_iters(12)).run()?;
    assert!(distance(found.state().get_param()) < 1e-12, "{found}");
    Ok(())
}
