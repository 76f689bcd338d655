//! The typed core of Riesz: types, sizes, the core language, the checker from trees to core, and the interpreter.

pub mod build;
pub mod check;
pub mod data;
pub mod evaluate;
pub mod free;
pub mod order;
pub mod print;
pub mod reachable;
pub mod renumber;
pub mod size;
pub mod term;
pub mod types;
pub mod verify;
mod visit;

pub use check::{Bound, Check, Checker, Mark, Names, Thunk};
pub use data::{Data, Elements};
pub use size::Size;
pub use term::{Atom, Binding, Body, Comparison, Function, FunctionId, Global, GlobalId, Op, Program, Var};
pub use types::Type;
