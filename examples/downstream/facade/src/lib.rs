//! The functions of another crate, under other names. It does not depend on `riesz` itself.

pub use springs::Spring;
pub use springs::one::energy as work;
