//! Figure 5 of paper 000, measured: `cargo run --release -p riesz-algebra --example figure_5`. With the name of a file
//! as its argument, it draws the figure.

mod count;
mod fit;
mod plot;

use std::time::Instant;

use count::{FIGURE_5, expression};

fn main() -> std::io::Result<()> {
    if let Some(path) = std::env::args().nth(1) {
        let curves = fit::curves();
        curves.iter().for_each(|curve| println!("{}", curve.table_row()));
        return std::fs::write(path, plot::svg(&curves));
    }
    println!("| mode | gradient | the paper | operations for N = 10³, V = 10 | N = 10⁴, V = 10 | N = 10⁴, V = 100 |");
    println!("|---|---|---|---|---|---|");
    for row in &FIGURE_5 {
        let counts = [(1_000, 10), (10_000, 10), (10_000, 100)].map(|(nodes, variables)| (row.count)(nodes, variables));
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            row.mode, row.gradient, row.complexity, counts[0], counts[1], counts[2]
        );
    }
    println!("\n| mode | gradient | N | V | seconds | ns per node |");
    println!("|---|---|---|---|---|---|");
    for row in &FIGURE_5 {
        let variables = 100;
        let e = expression(row.nodes, variables);
        let start = Instant::now();
        let gradient = (row.gradient_of)(&e, variables);
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(gradient.len(), variables);
        let each = 1e9 * seconds / row.nodes as f64;
        println!("| {} | {} | {} | {variables} | {seconds:.3} | {each:.0} |", row.mode, row.gradient, row.nodes);
    }
    Ok(())
}
