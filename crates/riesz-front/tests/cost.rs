//! What the attribute costs: the time of expanding a hundred functions of twenty lines.
//!
//! `cargo test --release -p riesz-front --test cost -- --ignored --nocapture` prints it.

use std::time::Instant;

const FUNCTION: &str = "
fn NAME(w: &[f64], x: &[f64], rate: f64) -> f64 {
    let n = w.len();
    let mut sum = 0.0;
    for i in 0..n {
        let z = w[i] * x[i] + rate;
        if z > 0.0 {
            sum += z.tanh();
        } else {
            sum += (z * NUMBER).exp() - 1.0;
        }
    }
    let mut state = [sum, 0.5];
    for i in 0..n {
        state = [(state[0] * w[i]).sin(), state[1] + state[0] * rate];
    }
    let norm: f64 = w.iter().map(|v| v * v).sum();
    let scaled = state[0] / (1.0 + norm.sqrt());
    let rest = x.iter().zip(w).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    scaled * state[1] - 0.5 * rest.ln_1p()
}";

#[test]
#[ignore = "it measures time"]
fn a_hundred_functions() {
    let texts: Vec<String> = (0..100)
        .map(|at| FUNCTION.replace("NAME", &format!("f{at}")).replace("NUMBER", &format!("0.{at:02}1")))
        .collect();
    let start = Instant::now();
    let items: Vec<syn::Item> = texts.iter().map(|text| syn::parse_str(text).unwrap()).collect();
    let parsed = start.elapsed();
    let start = Instant::now();
    let mut letters = 0;
    for item in items {
        let expansion = riesz_front::differentiable(Default::default(), quote::quote!(#item), "here");
        letters += expansion.unwrap_or_else(|error| panic!("{error}")).rust.len();
    }
    println!("parsed in {parsed:?}, expanded in {:?}, {letters} letters of Rust", start.elapsed());
}
