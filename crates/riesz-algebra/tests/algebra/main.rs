//! What the algebra promises: laws on every instance, the theorems of the papers, and how deep things may be.

mod arbitrary;
mod derivatives;
mod figure_5;
mod laws;
