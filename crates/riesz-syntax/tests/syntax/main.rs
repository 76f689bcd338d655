//! Grammar, line ends, messages, and random programs through the parser and the formatter.

mod errors;
mod format;
mod grammar;
mod limits;
mod lines;
mod render;
mod robust;
mod support;
