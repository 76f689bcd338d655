//! The subcommands, one file each.

mod bench;
mod cache;
mod certificate;
mod check;
mod derive;
mod doctor;
mod emit;
mod eval;
mod fmt;
mod gradbench;
mod graph;
mod modes;
mod repl;

use crate::arguments::{Cli, Command};
use std::process::ExitCode;

/// How a command ended. A wrong command line has ended it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As it should.
    Success,
    /// The program or its input is wrong.
    Failure,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        match status {
            Status::Success => ExitCode::SUCCESS,
            Status::Failure => ExitCode::FAILURE,
        }
    }
}

/// Does what the command line says.
pub fn run(cli: Cli) -> Status {
    match cli.command {
        Command::Eval(arguments) => eval::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Fmt(arguments) => fmt::run(arguments),
        Command::Repl(arguments) => repl::run(arguments),
        Command::Derive(arguments) => derive::run(arguments),
        Command::Certificate(arguments) => certificate::run(arguments),
        Command::Modes(arguments) => modes::run(arguments),
        Command::Graph(arguments) => graph::run(arguments),
        Command::Emit(arguments) => emit::run(arguments),
        Command::Gradbench(arguments) => gradbench::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Cache(arguments) => cache::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
    }
}
