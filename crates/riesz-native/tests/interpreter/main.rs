//! What native code gives is what the interpreter gives: for all ways of being in lanes, for every reduction, with every
//! number of threads, in both precisions, with zeros that are exact, for arrays of sizes that nobody foresees, and for all
//! of GradBench.

mod cases;
mod gradbench;
mod grown;
mod lanes;
mod overflow;
mod reductions;
mod single;
mod threads;
mod zeros;
