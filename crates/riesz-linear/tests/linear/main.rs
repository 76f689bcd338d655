//! The laws of linear maps, their cost, text and simplification.
//!
//! `PROGRAMS` says how many random maps the tests try, as in `./test long`.

mod associate;
mod cost;
mod deep;
mod exact;
mod griewank;
mod laws;
mod maps;
mod simplify;
mod text;

use proptest::prelude::ProptestConfig;

/// How a property is tried: on 1,000 random maps, or as many as the environment says.
fn many() -> ProptestConfig {
    let cases = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(1000);
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}
