//! Sessions and handles; every representation on random programs and on the examples; pictures.

mod combinators_of_examples;
mod combinators_of_programs;
mod gradients;
mod graphs_of_derivatives;
mod graphs_of_examples;
mod handle;
mod modes_growth;
mod modes_of_programs;
mod over;
mod session;
mod tiers;
