//! The command `riesz`: everything that touches files, the terminal and the environment.
//!
//! - [`arguments`]: the command line
//! - [`command`]: one file for each subcommand
//! - [`report`]: how problems are shown
//! - [`building`]: progress and interruption of builds of native code
//! - [`signal`]: signals that would end the command without a message
//! - [`progress`]: a line that says how far some work is
//! - [`output`]: the standard output
//! - [`disk`]: files for programs and their imports
//! - [`whole`]: files that are written whole or not at all
//! - [`value`]: values from JSON and npy files, and as JSON

mod allocation;
mod arguments;
mod building;
mod command;
mod disk;
mod output;
mod progress;
mod report;
mod signal;
mod value;
mod whole;

use clap::Parser;
use std::process::ExitCode;

/// Programs may nest as deep as their limits allow.
const STACK: usize = 256 << 20;
/// By how much the stack grows at least where it has to.
const STACK_GROWTH: usize = 2 << 20;

fn main() -> ExitCode {
    signal::ignore_file_size_limit();
    std::panic::set_hook(Box::new(|panic| {
        // Where the stack cannot grow there is nothing wrong but that memory is used up.
        if panic.to_string().contains("failed to allocate stack") {
            allocation::end_without_memory(STACK_GROWTH);
        }
        eprintln!("error[internal]: Riesz has made a mistake: {panic}");
        eprintln!("  = help: nothing is wrong with your files; please report this with the program that led to it");
    }));
    // The system decides how large the stack of the first thread is.
    let work = || command::run(arguments::Cli::parse_from(arguments::options_first(std::env::args_os().collect())));
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    match thread.map(|thread| thread.join()) {
        Ok(Ok(status)) => status.into(),
        // A panic, which has been reported.
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(error) => {
            let room = STACK >> 20;
            eprintln!("error[memory-limit]: the system has no {room} MiB of memory for the stack: {error}");
            eprintln!("  = help: a limit of the system (`ulimit -v`) leaves too little");
            ExitCode::FAILURE
        }
    }
}
