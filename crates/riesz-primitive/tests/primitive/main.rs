//! Every row of the table: values, derivatives, conventions.

mod conventions;
mod derivatives;
mod matrices;
mod ranges;
mod reindex;
mod table;
mod values;
