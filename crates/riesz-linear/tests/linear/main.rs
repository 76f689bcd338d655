//! The laws of linear maps, their cost, text and simplification.

mod associate;
mod cost;
mod deep;
mod exact;
mod griewank;
mod laws;
mod maps;
mod simplify;
mod text;
