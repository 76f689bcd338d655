//! Derivatives against tables, differences and other implementations; their cost; passes of the optimiser.

mod associate;
mod checkpoints;
mod conventions;
mod cost;
mod derivatives;
mod jacobian;
mod optimise;
mod passes;
mod programs;
mod size;
mod solve;
mod structure;
mod truth;
mod witness;
