//! Options that several subcommands share: backend, limits, and the format of messages.

use super::value::default_memory;
use super::wrong;
use crate::building;
use crate::report::Report;
use clap::{Args, ValueEnum};
use riesz::cache::bytes;
use riesz::{Associate, Checkpoints, Limits, Options, ParseOptions, Session, Toolchain, Trap};
use std::sync::Arc;

/// How a program is run.
#[derive(Args, Clone, Copy, Debug)]
pub struct Run {
    /// The backend; `auto` interprets short programs, and makes machine code of longer ones
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Auto)]
    backend: Backend,
    /// Report the backend that ran each program, and why
    #[arg(long)]
    explain: bool,
    /// The number of threads for native code [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The width of an `R`; f32 needs native code
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Precision::F64)]
    precision: Precision,
    /// Report where a NaN or an infinity starts, and which zeros of derivatives hide one, in the interpreter
    #[arg(long, value_enum, value_name = "WHAT")]
    trap: Option<Trapped>,
}

/// The numbers that `--trap` looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Trapped {
    Nan,
}

impl Run {
    /// Whether numbers are of single precision.
    pub fn is_single(self) -> bool {
        self.precision == Precision::F32
    }

    /// A session that runs programs so, for a subcommand.
    pub fn session(self, subcommand: &str, options: Options) -> Session {
        let trap = self.trap.map(|Trapped::Nan| Arc::new(Trap::default()));
        if trap.is_some() && self.backend == Backend::Native {
            wrong(subcommand, "`--trap` is for the interpreter: leave out `--backend native`".into());
        }
        if trap.is_some() && options.via.is_some_and(|via| !via.is_compiled()) {
            wrong(subcommand, "`--trap` is for compiled derivatives: leave out `--via`".into());
        }
        let native = match (self.backend, self.threads, self.precision) {
            (Backend::Auto, None, Precision::F64) => Toolchain::automatic(),
            (Backend::Native, threads, precision) => {
                let mut native = Toolchain::find_or_tell(threads.unwrap_or(1).into()).watched_by(building::watch());
                native.settings.precision = match precision {
                    Precision::F64 => riesz::Precision::Double,
                    Precision::F32 => riesz::Precision::Single,
                };
                Some(native)
            }
            (Backend::Auto | Backend::Interp | Backend::Instant, Some(_), _) => {
                wrong(subcommand, "`--threads` is for native code: add `--backend native`".into());
            }
            (Backend::Auto | Backend::Interp | Backend::Instant, None, Precision::F32) => {
                wrong(subcommand, "`--precision f32` is for native code: add `--backend native`".into());
            }
            (Backend::Interp, None, Precision::F64) => None,
            (Backend::Instant, None, Precision::F64) => Toolchain::instant(),
        };
        let mut session = Session::new(Options { native, trap, ..options });
        if self.explain {
            session.explain();
        }
        session
    }
}

/// The limits of a program.
#[derive(Args, Debug)]
pub struct Limited {
    /// The most calls and loop iterations of an evaluation
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps)]
    max_steps: u64,
    /// The most nested calls
    #[arg(long, value_name = "N", default_value_t = Limits::default().depth)]
    max_depth: usize,
    /// The most memory for values and derivatives, such as 512M or 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = default_memory())]
    max_memory: usize,
    /// The most operations that the compiler writes for an evaluation
    #[arg(long, value_name = "N", default_value_t = Options::default().code)]
    max_code: u64,
    /// The most levels of nested brackets and forms in a text
    #[arg(long, value_name = "N", default_value_t = ParseOptions::default().max_nesting)]
    max_nesting: usize,
    /// The values of a loop to keep for its derivative: `none` keeps all values, N keeps at most N states,
    /// `auto` decides by the memory limit
    #[arg(long, value_name = "auto|none|N", value_parser = checkpoints, default_value = "auto")]
    checkpoint: Checkpoint,
    /// How a matrix is made of a chain of derivatives: split where that is cheapest, or by a pass for each column or row
    #[arg(long, value_enum, value_name = "ORDER", default_value = "cheapest")]
    associate: Order,
}

/// What `--associate` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Cheapest,
    Forward,
    Reverse,
}

/// The value of `--checkpoint`.
#[derive(Clone, Copy, Debug)]
struct Checkpoint(Option<Checkpoints>);

fn checkpoints(text: &str) -> Result<Checkpoint, String> {
    Ok(Checkpoint(match text {
        "auto" => None,
        "none" => Some(Checkpoints::Everything),
        number => match number.parse() {
            Ok(states @ 1..) => Some(Checkpoints::States(states)),
            _ => return Err("write `auto`, `none` or a number from 1".into()),
        },
    }))
}

impl Limited {
    /// In which order the factors of a matrix are multiplied.
    pub fn associate(&self) -> Associate {
        match self.associate {
            Order::Cheapest => Associate::Cheapest,
            Order::Forward => Associate::Forward,
            Order::Reverse => Associate::Reverse,
        }
    }

    /// The same for a session.
    pub fn options(&self) -> Options {
        let limits = Limits { steps: self.max_steps, depth: self.max_depth, memory: self.max_memory, interrupt: None };
        Options {
            parse: ParseOptions { max_nesting: self.max_nesting },
            limits,
            code: self.max_code,
            checkpoints: self.checkpoint.0,
            associate: self.associate(),
            via: None,
            trap: None,
            native: Toolchain::automatic(),
        }
    }
}

/// How problems are shown.
#[derive(Args, Clone, Copy, Debug)]
pub struct Messages {
    /// Show problems to a person, or as one JSON object per line
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = MessageFormat::Human)]
    pub message_format: MessageFormat,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub color: Colour,
}

/// The formats of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    Human,
    Json,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

/// The ways to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    Auto,
    Interp,
    Instant,
    Native,
}

impl Backend {
    /// The toolchain of a command that runs native code by default, or machine code in memory if there is no compiler.
    pub fn fastest(self, threads: u16, report: &Report) -> Option<Toolchain> {
        match self {
            Backend::Interp => None,
            Backend::Instant => Toolchain::instant(),
            Backend::Auto if Toolchain::find(1).is_err() => Toolchain::instant(),
            Backend::Auto | Backend::Native => match Toolchain::find(threads.into()) {
                Ok(native) => Some(native.watched_by(building::watch())),
                Err(problem) => {
                    report.warning(problem.diagnostic().help("the interpreter runs the program"));
                    None
                }
            },
        }
    }
}

/// The sizes of real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    F64,
    F32,
}
