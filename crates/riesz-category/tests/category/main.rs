//! The laws of categories, the examples of the papers, long programs, incremental evaluation.

mod incremental;
mod laws;
mod papers;
mod size;
