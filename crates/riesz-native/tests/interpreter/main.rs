//! Native code agrees with the interpreter: for all kinds of lane code, for every reduction, with every number of
//! threads, in both precisions, with exact zeros, for arrays of dynamic size, and for all of GradBench.

mod cases;
mod dynamic_size;
mod gradbench;
mod lanes;
mod overflow;
mod reductions;
mod single;
mod threads;
mod zeros;
