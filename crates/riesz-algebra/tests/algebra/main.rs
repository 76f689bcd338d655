//! The guarantees of the algebra: laws of every instance, the theorems of the papers, costs, and the depth of
//! expressions.

mod accuracy;
mod arbitrary;
mod derivatives;
mod figure_5;
mod intervals;
mod laws;
mod orders;
mod paper_000;
mod paper_001;
mod people;
mod reals;
mod spaces;
mod towers;
