//! Options that several subcommands share: backend, limits, and the format of messages.

use super::value::default_memory;
use super::wrong;
use crate::building;
use clap::{Args, ValueEnum};
use riesz::cache::bytes;
use riesz::{Associate, Checkpoints, Limits, Options, ParseOptions, Session, Toolchain, Trap};
use std::sync::Arc;

/// How a program is run.
#[derive(Args, Clone, Copy, Debug)]
pub struct Run {
    /// How the program is run; `auto` interprets what is short, and makes machine code of longer work
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Auto)]
    backend: Backend,
    /// Say what ran each program: the interpreter or machine code, and why
    #[arg(long)]
    explain: bool,
    /// The number of threads for native code [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The width of an `R`; f32 needs native code
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Precision::F64)]
    precision: Precision,
    /// Report where a NaN or an infinity starts, and which zeros of derivatives hide one; the interpreter does
    #[arg(long, value_enum, value_name = "WHAT")]
    trap: Option<Trapped>,
}

/// What `--trap` looks for.
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

/// What a program may use.
#[derive(Args, Debug)]
pub struct Limited {
    /// How many calls and loop iterations an evaluation may take
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps)]
    max_steps: u64,
    /// How many calls may be nested
    #[arg(long, value_name = "N", default_value_t = Limits::default().depth)]
    max_depth: usize,
    /// How much memory values and derivatives may take, such as 512M or 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = default_memory())]
    max_memory: usize,
    /// How many operations the compiler may write for an evaluation
    #[arg(long, value_name = "N", default_value_t = Options::default().code)]
    max_code: u64,
    /// How deep brackets and the like may nest
    #[arg(long, value_name = "N", default_value_t = ParseOptions::default().max_nesting)]
    max_nesting: usize,
    /// How much of a loop to keep for its derivative: `none` keeps all values, N keeps at most N states,
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

/// What `--checkpoint` says.
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

/// The sizes of real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    F64,
    F32,
}
