//! What single passes do to loop programs, and that these give what they gave before.

mod edge;
mod join;
mod plain;
