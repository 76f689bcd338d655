//! What single passes do to loop programs, and that these give what they gave before.

mod double;
mod edge;
mod fuse;
mod join;
mod plain;
