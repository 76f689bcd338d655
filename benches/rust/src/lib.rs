//! What the benches of functions of Rust have in common.

pub mod workloads;
