//! Combinators and categories (docs follow).
pub mod category;
mod closure;
pub mod combinator;
pub mod compile;
pub mod count;
pub mod derivative;
pub mod interpret;
pub mod law;
pub mod linear;
pub mod space;
pub mod tangent;
pub mod via;
