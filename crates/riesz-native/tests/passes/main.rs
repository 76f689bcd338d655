//! The effects of single passes on loop programs, whose results stay the same.

mod double;
mod edge;
mod fuse;
mod join;
mod plain;
