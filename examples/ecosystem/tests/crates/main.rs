//! Crates of others that ask for derivatives, one file for each kind: what a user writes, and what comes of it.

mod argmin;
mod arrays;
mod diffsol;
mod levenberg_marquardt;
mod nuts;
mod panoc;
mod sparse;
