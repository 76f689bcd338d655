//! What is yet to come says so.

use super::Status;

/// Says that a command or an option is not available yet.
pub fn run(what: &str) -> Status {
    eprintln!("error: `{what}` is not available yet");
    Status::Failure
}
