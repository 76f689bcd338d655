//! levenberg-marquardt, with matrices of nalgebra: least squares by the Jacobian.

use ::levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use ecosystem::residuals;
use nalgebra::storage::Owned;
use nalgebra::{DVector, Dyn, OMatrix, U3, Vector3};

struct Decay {
    p: Vector3<f64>,
    t: Vec<f64>,
    y: Vec<f64>,
}

impl LeastSquaresProblem<f64, Dyn, U3> for Decay {
    type ParameterStorage = Owned<f64, U3>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, U3>;

    fn set_params(&mut self, p: &Vector3<f64>) {
        self.p.copy_from(p);
    }

    fn params(&self) -> Vector3<f64> {
        self.p
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        Some(residuals(self.p.as_ref(), &self.t, &self.y).into())
    }

    fn jacobian(&self) -> Option<OMatrix<f64, Dyn, U3>> {
        let rows: Vec<[f64; 3]> = residuals::jacobian(self.p.as_ref(), &self.t, &self.y);
        Some(OMatrix::<f64, Dyn, U3>::from_fn(rows.len(), |i, j| rows[i][j]))
    }
}

#[test]
fn a_decay_is_fitted() {
    let truth = Vector3::new(2.0, 0.7, 0.5);
    let t: Vec<f64> = (0..20).map(|i| 0.25 * f64::from(i)).collect();
    let y = residuals(truth.as_ref(), &t, &vec![0.0; t.len()]);
    let (found, report) = LevenbergMarquardt::new().minimize(Decay { p: Vector3::new(1.0, 0.1, 0.0), t, y });
    assert!(report.termination.was_successful(), "{report:?}");
    assert!((found.p - truth).amax() < 1e-8, "{}", found.p);
}
