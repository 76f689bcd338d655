//! The standard output. If its reader stops reading, the program ends quietly.

use std::io::{ErrorKind, Write};
use std::time::Duration;

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

/// A number of bytes in the unit that suits it.
pub fn bytes(count: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let sizes = units.iter().enumerate().map(|(at, unit)| (1u64 << (10 * (at + 1)), unit));
    match sizes.rev().find(|(size, _)| count >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", count as f64 / size as f64),
        None => format!("{count} B"),
    }
}

/// A time in the unit that suits it.
pub fn duration(time: Duration) -> String {
    let nanoseconds = time.as_nanos() as f64;
    match nanoseconds {
        ..1e3 => format!("{nanoseconds:.0} ns"),
        ..1e6 => format!("{:.1} µs", nanoseconds / 1e3),
        ..1e9 => format!("{:.1} ms", nanoseconds / 1e6),
        _ => format!("{:.2} s", nanoseconds / 1e9),
    }
}
