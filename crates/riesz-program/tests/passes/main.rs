//! The passes over loop programs change only the cost: all of them on random programs, and the effects of single passes
//! on programs for which they have work.

mod accumulate;
mod contract;
mod double;
mod edge;
mod fuse;
mod join;
mod place;
mod plain;
mod programs;
mod reuse;
mod select;
mod unit;
