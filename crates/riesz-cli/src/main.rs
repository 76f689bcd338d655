//! The command `riesz`: everything that touches files, the terminal and the environment.
//!
//! - [`arguments`]: what can be written on the command line
//! - [`command`]: one file for each subcommand
//! - [`report`]: how problems are shown
//! - [`building`]: builds of native code, as one sees and stops them
//! - [`output`]: what goes to the standard output
//! - [`disk`]: files for programs and their imports
//! - [`value`]: values from JSON and npy files, and as JSON

mod allocation;
mod arguments;
mod building;
mod command;
mod disk;
mod output;
mod report;
mod value;

use clap::Parser;
use std::process::ExitCode;

/// Programs may nest as deep as their limits allow.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let cli = arguments::Cli::parse_from(arguments::options_first(std::env::args_os().collect()));
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("error[internal]: Riesz has made a mistake: {panic}");
        eprintln!("  = help: nothing is wrong with your files; please report this with the program that led to it");
    }));
    let work = move || command::run(cli);
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    match thread.map(|thread| thread.join()) {
        Ok(Ok(status)) => status.into(),
        // A panic, which has been reported.
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}
