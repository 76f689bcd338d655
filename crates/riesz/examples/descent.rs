//! Gradient descent on a function that is written in Riesz: compiled once, called in a loop, shared by threads.
//!
//! ```sh
//! cargo run -p riesz --example descent
//! ```

use riesz::{Compiled, Error, Options, Program, Toolchain};

const VALLEY: &str = "
fun rosenbrock(x: [n]R): R =
  sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)
";

fn main() -> Result<(), Error> {
    let program = Program::new("valley.rz", VALLEY)?;
    // By the Rust compiler of the machine; without this line, machine code is made in memory, without a compiler.
    let options = Options { native: Toolchain::find(1).ok(), ..Options::default() };
    let step = program.function("rosenbrock")?.value_and_grad().compile(&options)?;
    for note in step.notes() {
        eprintln!("{}", note.message);
    }
    let starts = [[-1.2, 1.0], [0.0, 0.0], [2.0, -1.0]];
    let ends = std::thread::scope(|scope| {
        let step = &step;
        let threads = starts.map(|start| scope.spawn(move || descend(step, start)));
        threads.map(|thread| thread.join().expect("the thread ends"))
    });
    for (start, end) in starts.iter().zip(ends) {
        let (value, x) = end?;
        println!("from {start:?} to [{:.3}, {:.3}], where the value is {value:.1e}", x[0], x[1]);
    }
    Ok(())
}

/// Goes downhill from a point, with a step that grows while it helps and is halved when it does not.
fn descend(step: &Compiled, mut x: [f64; 2]) -> Result<(f64, [f64; 2]), Error> {
    let (mut value, mut gradient, mut rate) = (0.0, [0.0; 2], 1e-3);
    step.call(&[(&x).into()], &mut [(&mut value).into(), (&mut gradient).into()])?;
    for _ in 0..20_000 {
        let next = [x[0] - rate * gradient[0], x[1] - rate * gradient[1]];
        let (mut there, mut slope) = (0.0, [0.0; 2]);
        step.call(&[(&next).into()], &mut [(&mut there).into(), (&mut slope).into()])?;
        if there < value {
            (x, value, gradient, rate) = (next, there, slope, rate * 1.1);
        } else {
            rate /= 2.0;
        }
    }
    Ok((value, x))
}
