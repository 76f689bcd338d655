//! What goes to the standard output. A reader that stops reading ends the program quietly.

use std::io::{ErrorKind, Write};

/// Prints a text as it is.
pub fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("error: cannot write: {error}");
            std::process::exit(1)
        }
    }
}

/// Prints a line.
pub fn print_line(line: &str) {
    print(&format!("{line}\n"));
}
