//! Least squares by gradient descent: a gradient by one of three parameters, and a matrix as a slice with its shape.
//!
//! ```sh
//! cargo run -p riesz --example regression
//! ```

use riesz::{Argument, Error, Options, Program};

const LOSS: &str = "fun loss(w: [n]R, x: [m][n]R, y: [m]R): R = sum((dot(w, x[i]) - y[i])^2 | i < m) / m";

fn main() -> Result<(), Error> {
    let program = Program::new("loss.rz", LOSS)?;
    let gradient = program.function("loss")?.by(&["w"]).grad().compile(&Options::default())?;
    let (x, y) = ([1.0, 2.0, 3.0, 4.0], [3.0, 7.0]);
    let (mut w, mut by_w) = ([0.0, 0.0], [0.0, 0.0]);
    for _ in 0..1000 {
        let arguments = [(&w).into(), Argument::array(&x, &[2, 2]), (&y).into()];
        gradient.call(&arguments, &mut [(&mut by_w).into()])?;
        w = [w[0] - 0.05 * by_w[0], w[1] - 0.05 * by_w[1]];
    }
    println!("the weights are [{:.3}, {:.3}]", w[0], w[1]);
    Ok(())
}
