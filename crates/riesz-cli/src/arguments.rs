//! What can be written on the command line.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use riesz::gradients::Settings;
use riesz::{Checkpoints, Limits, Native, Options, ParseOptions, Session};
use std::ffi::OsString;

/// Riesz, a differentiable functional language.
#[derive(Debug, Parser)]
#[command(name = "riesz", bin_name = "riesz", version, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Evaluate an expression, in the scope of a file if one is given
    #[command(override_usage = "riesz eval [OPTIONS] [FILE] EXPR", disable_help_flag = true)]
    Eval(Eval),
    /// Run every `check` of the files
    Check(Check),
    /// Format files in place; `-` formats the standard input
    Fmt(Fmt),
    /// Type expressions and definitions at a prompt
    Repl(Repl),
    /// Show how a derivative is made, stage by stage
    Derive(Derive),
    /// Compare every representation of a derivative
    Modes(Modes),
    /// Draw a function as a graph
    Graph(Graph),
    /// Write a function, or a derivative of it, as code
    Emit(Emit),
    /// Time a function, and its value with its derivative
    Bench(Bench),
    /// Be a tool of GradBench: answer the messages on the standard input
    Gradbench(Gradbench),
}

/// `riesz eval`
#[derive(Args, Debug)]
pub struct Eval {
    /// The expression, which may begin with `-`; before it, a file whose names it can use
    #[arg(value_name = "EXPR", num_args = 1..=2, required = true)]
    operands: Vec<String>,
    /// Bind a name for EXPR to a value, or to the contents of a .json or .npy file
    #[arg(long = "let", value_name = "NAME=VALUE|NAME=@FILE", value_parser = binding)]
    pub bindings: Vec<(String, String)>,
    /// Print the value as JSON
    #[arg(long)]
    pub json: bool,
    /// How derivatives are represented
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Via::Compiled, hide_possible_values = true)]
    pub via: Via,
    #[command(flatten)]
    pub backend: Run,
    #[command(flatten)]
    pub limits: Limited,
    #[command(flatten)]
    pub messages: Messages,
    /// Print help
    #[arg(long, action = clap::ArgAction::Help)]
    help: (),
}

impl Eval {
    /// The file, if there is one, and the expression.
    pub fn operands(&self) -> (Option<&str>, &str) {
        match &self.operands[..] {
            [file, expression, ..] => (Some(file), expression),
            [expression] => (None, expression),
            [] => (None, ""),
        }
    }
}

/// `riesz check`
#[derive(Args, Debug)]
pub struct Check {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Also test the derivative of every function against differences at random points
    #[arg(long)]
    pub gradients: bool,
    /// At how many points to test a derivative
    #[arg(long, value_name = "N", default_value_t = Settings::default().points, requires = "gradients")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub points: u32,
    /// What the points are drawn with: the same number, the same points
    #[arg(long, value_name = "N", default_value_t = Settings::default().seed, requires = "gradients")]
    pub seed: u64,
    /// Print what was found as one JSON object a line
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub backend: Run,
    #[command(flatten)]
    pub limits: Limited,
    #[command(flatten)]
    pub messages: Messages,
}

/// `riesz emit`
#[derive(Args, Debug)]
pub struct Emit {
    /// The file
    pub file: String,
    /// The function
    pub function: String,
    /// The language of the code
    #[arg(long, value_enum, value_name = "TARGET")]
    pub to: Language,
    /// What to write
    #[arg(long, value_enum, value_name = "NAME", default_value_t = What::Value)]
    pub what: What,
    #[command(flatten)]
    pub limits: Limited,
    #[command(flatten)]
    pub messages: Messages,
}

/// The languages that code is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    Rust,
    Combinators,
}

/// What is written of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    Value,
    Jvp,
    Vjp,
    Grad,
}

impl From<What> for riesz::What {
    fn from(what: What) -> riesz::What {
        match what {
            What::Value => riesz::What::Value,
            What::Jvp => riesz::What::Jvp,
            What::Vjp => riesz::What::Vjp,
            What::Grad => riesz::What::Grad,
        }
    }
}

/// `riesz fmt`
#[derive(Args, Debug)]
pub struct Fmt {
    /// The files; `-` is the standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Change nothing; list the files that would change, and fail if there are any
    #[arg(long)]
    pub check: bool,
    /// How deep brackets and the like may nest
    #[arg(long, value_name = "N", default_value_t = ParseOptions::default().max_nesting)]
    pub max_nesting: usize,
    #[command(flatten)]
    pub messages: Messages,
}

/// `riesz repl`
#[derive(Args, Debug)]
pub struct Repl {
    /// A file to begin with
    pub file: Option<String>,
    #[command(flatten)]
    pub limits: Limited,
    #[command(flatten)]
    pub messages: Messages,
}

/// `riesz derive`
#[derive(Args, Debug)]
pub struct Derive {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// A function of the program
    #[arg(value_name = "FUN")]
    pub function: String,
    /// Show one mode; without it both, and the code of reverse mode in the end
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// Name the law behind every step
    #[arg(long)]
    pub steps: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// A size, for counting operations and for choosing the order of a chain
    #[arg(long = "size", value_name = "NAME=N", value_parser = size)]
    pub sizes: Vec<(String, i64)>,
    /// The parameters that vary; without it, all that can
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub wrt: Vec<String>,
    #[command(flatten)]
    pub messages: Messages,
    #[command(flatten)]
    pub limits: Limited,
}

/// `riesz modes`
#[derive(Args, Debug)]
pub struct Modes {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// A function of the program, or a lambda
    #[arg(value_name = "FUN")]
    pub function: String,
    /// The point
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub at: String,
    /// Bind a name for the point to a value, or to the contents of a .json or .npy file
    #[arg(long = "let", value_name = "NAME=VALUE|NAME=@FILE", value_parser = binding)]
    pub bindings: Vec<(String, String)>,
    /// Let a name of the point or the function stand for one size after the other, and count what each takes
    #[arg(long, value_name = "NAME=FROM..TO", value_parser = growth)]
    pub grow: Option<(String, u32, u32)>,
    /// How many seconds a derivative may take; a representation that would take longer grows no further
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, requires = "grow", value_parser = seconds)]
    pub longest: f64,
    /// Draw operations against size, and write the picture to a file
    #[arg(long, value_name = "OUT.svg", requires = "grow")]
    pub plot: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub messages: Messages,
    #[command(flatten)]
    pub limits: Limited,
}

/// The ways to apply a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    Forward,
    Reverse,
}

/// `riesz graph`
#[derive(Args, Debug)]
pub struct Graph {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// A function of the program
    #[arg(value_name = "FUN")]
    pub function: String,
    /// Where to write it: a picture, or a graph for Graphviz where the name ends in .dot
    #[arg(short, long, value_name = "OUT.svg")]
    pub output: String,
    /// What to draw
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Of::Value)]
    pub of: Of,
    #[command(flatten)]
    pub messages: Messages,
    #[command(flatten)]
    pub limits: Limited,
}

/// What there is to draw of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Of {
    Value,
    Derivative,
    Adjoint,
}

/// `riesz bench`
#[derive(Args, Debug)]
pub struct Bench {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// A function of the program, or a lambda
    #[arg(value_name = "FUN")]
    pub function: String,
    /// The point
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub at: String,
    /// Bind a name for the point to a value, or to the contents of a .json or .npy file
    #[arg(long = "let", value_name = "NAME=VALUE|NAME=@FILE", value_parser = binding)]
    pub bindings: Vec<(String, String)>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Compare with what `--json` has printed before
    #[arg(long, value_name = "FILE.json")]
    pub against: Option<String>,
    /// How many threads share the work of native code
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    #[command(flatten)]
    pub messages: Messages,
    #[command(flatten)]
    pub limits: Limited,
}

/// `riesz gradbench`
#[derive(Args, Debug)]
pub struct Gradbench {
    /// A folder of programs, one for each module; without it, those for the twelve modules of GradBench
    pub folder: Option<String>,
    /// How the programs are run
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Native)]
    pub backend: Backend,
    /// How many threads share the work of native code
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// How much memory arrays may take, such as 512M or 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = default_memory())]
    pub max_memory: usize,
    #[command(flatten)]
    pub messages: Messages,
}

/// How a program is run.
#[derive(Args, Clone, Copy, Debug)]
pub struct Run {
    /// How the program is run
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Interp)]
    backend: Backend,
    /// How many threads share the work of native code [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How many bits an `R` has; f32 is for native code
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Precision::F64)]
    precision: Precision,
}

impl Run {
    /// Whether numbers are of single precision.
    pub fn is_single(self) -> bool {
        self.precision == Precision::F32
    }

    /// A session that runs programs so, for a subcommand.
    pub fn session(self, subcommand: &str, options: Options) -> Session {
        let mut session = Session::new(options);
        match (self.backend, self.threads, self.precision) {
            (Backend::Native, threads, precision) => {
                let precision = match precision {
                    Precision::F64 => riesz::Precision::Double,
                    Precision::F32 => riesz::Precision::Single,
                };
                let settings = riesz::Settings { precision, ..riesz::Settings::default() };
                session.use_native(Native::new(settings).with_threads(threads.unwrap_or(1).into()));
            }
            (Backend::Interp, Some(_), _) => {
                wrong(subcommand, "`--threads` is for native code: add `--backend native`".into());
            }
            (Backend::Interp, None, Precision::F32) => {
                wrong(subcommand, "`--precision f32` is for native code: add `--backend native`".into());
            }
            (Backend::Interp, None, Precision::F64) => {}
        }
        session
    }
}

/// What a program may use.
#[derive(Args, Debug)]
pub struct Limited {
    /// How many calls and turns of loops an evaluation may take
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps)]
    max_steps: u64,
    /// How many calls may be nested
    #[arg(long, value_name = "N", default_value_t = Limits::default().depth)]
    max_depth: usize,
    /// How much memory arrays may take, such as 512M or 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = default_memory())]
    max_memory: usize,
    /// How deep brackets and the like may nest
    #[arg(long, value_name = "N", default_value_t = ParseOptions::default().max_nesting)]
    max_nesting: usize,
    /// How much of a loop to keep for its derivative: `none` keeps everything, N at most so many states, `auto` decides
    /// by the memory allowed
    #[arg(long, value_name = "auto|none|N", value_parser = checkpoints, default_value = "auto")]
    checkpoint: Checkpoint,
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
    /// The same for a session.
    pub fn options(&self) -> Options {
        let limits = Limits { steps: self.max_steps, depth: self.max_depth, memory: self.max_memory, interrupt: None };
        Options {
            parse: ParseOptions { max_nesting: self.max_nesting },
            limits,
            checkpoints: self.checkpoint.0,
            via: None,
        }
    }
}

/// How problems are shown.
#[derive(Args, Clone, Copy, Debug)]
pub struct Messages {
    /// Show problems to a person, or as one JSON object a line
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

/// The representations of derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Via {
    Symbolic,
    ForwardDense,
    ForwardSparse,
    ReverseSparse,
    ReverseCayley,
    ReverseArray,
    Basis,
    Tower,
    LinearMaps,
    Affine,
    Adjoint,
    Function,
    Matrix,
    Cont,
    Dual,
    Begin,
    Compiled,
}

/// The ways to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    Interp,
    Native,
}

/// The sizes of real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    F64,
    F32,
}

/// The name of a value on the command line.
pub fn spelling(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}

/// Ends the program: what is written for a subcommand makes no sense.
pub fn wrong(subcommand: &str, message: String) -> ! {
    let mut cli = Cli::command();
    // Subcommands learn their full names.
    cli.build();
    let error = match cli.find_subcommand_mut(subcommand) {
        Some(command) => command.error(ErrorKind::ArgumentConflict, message),
        None => cli.error(ErrorKind::ArgumentConflict, message),
    };
    error.exit()
}

/// Puts the options of `eval` before its operands, and `--` between them: only what begins with `--` is an option, so an
/// expression may begin with `-`.
pub fn options_first(arguments: Vec<OsString>) -> Vec<OsString> {
    let cli = Cli::command();
    let Some(eval) = cli.find_subcommand("eval").filter(|_| arguments.get(1).is_some_and(|name| name == "eval")) else {
        return arguments;
    };
    let takes_value = |name: &str| {
        let mut known = eval.get_arguments();
        known.any(|argument| argument.get_long() == Some(name) && argument.get_action().takes_values())
    };
    let (mut options, mut operands) = (Vec::new(), Vec::new());
    let mut rest = arguments.into_iter();
    options.extend(rest.by_ref().take(2));
    while let Some(argument) = rest.next() {
        if argument == "--" {
            operands.extend(rest.by_ref());
            break;
        }
        let name = argument.to_str().and_then(|argument| argument.strip_prefix("--"));
        match name {
            None => operands.push(argument),
            Some(name) if takes_value(name) => {
                let mut option = argument;
                if let Some(value) = rest.next() {
                    option.push("=");
                    option.push(value);
                }
                options.push(option);
            }
            Some(_) => options.push(argument),
        }
    }
    options.push("--".into());
    options.extend(operands);
    options
}

/// `NAME=VALUE`
fn binding(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if riesz::is_name(name.trim()) => Ok((name.trim().to_string(), value.to_string())),
        Some((name, _)) => Err(format!("`{name}` is not a name")),
        None => Err("write NAME=VALUE or NAME=@FILE".to_string()),
    }
}

/// `NAME=N`
fn size(text: &str) -> Result<(String, i64), String> {
    let (name, value) = binding(text).map_err(|_| "write NAME=N".to_string())?;
    match value.trim().parse() {
        Ok(value) if value >= 0 => Ok((name, value)),
        _ => Err(format!("`{value}` is not a size")),
    }
}

/// A number of bytes, possibly with a unit: K, M, G or T, each 1024 of the one before.
fn bytes(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: usize =
        digits.parse().map_err(|_| "write a number of bytes, such as 1000000, 512M or 2G".to_string())?;
    let unit: usize = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        unit => return Err(format!("`{unit}` is not one of the units K, M, G and T")),
    };
    number.checked_mul(unit).ok_or_else(|| "this is more than any machine has".to_string())
}

fn default_memory() -> &'static str {
    static TEXT: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| format!("{}G", Limits::default().memory >> 30));
    &TEXT
}

/// A name and the sizes it is to stand for: `n=10..1e5`.
fn growth(text: &str) -> Result<(String, u32, u32), String> {
    let (name, sizes) = text.split_once('=').ok_or("write NAME=FROM..TO, such as n=10..1e5")?;
    if !riesz::is_name(name) {
        return Err(format!("`{name}` is not a name"));
    }
    let (from, to) = sizes.split_once("..").ok_or("write FROM..TO, such as 10..1e5")?;
    let size = |text: &str| match text.parse::<f64>() {
        Ok(size) if (1.0..=1e9).contains(&size) && size.fract() == 0.0 => Ok(size as u32),
        _ => Err(format!("`{text}` is not a size: write a whole number from 1 to 1e9")),
    };
    let (from, to) = (size(from)?, size(to)?);
    match from <= to {
        true => Ok((name.to_string(), from, to)),
        false => Err(format!("{from} is more than {to}: write the smaller size first")),
    }
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("write a positive number of seconds".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(text: &str) -> Vec<String> {
        let ordered = options_first(text.split(' ').map(OsString::from).collect());
        ordered.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_default_memory_is_what_the_help_says() {
        assert_eq!(bytes(default_memory()), Ok(Limits::default().memory));
    }

    #[test]
    fn expressions_may_begin_with_a_minus() {
        assert_eq!(ordered("riesz eval -1"), ["riesz", "eval", "--", "-1"]);
        assert_eq!(ordered("riesz eval f.rz -x --json"), ["riesz", "eval", "--json", "--", "f.rz", "-x"]);
        assert_eq!(ordered("riesz eval -h --let h=-1"), ["riesz", "eval", "--let=h=-1", "--", "-h"]);
        assert_eq!(ordered("riesz eval --max-steps=5 x"), ["riesz", "eval", "--max-steps=5", "--", "x"]);
        assert_eq!(ordered("riesz eval -- --x"), ["riesz", "eval", "--", "--x"]);
        assert_eq!(ordered("riesz check -x"), ["riesz", "check", "-x"]);
    }

    #[test]
    fn bytes_have_units() {
        assert_eq!(bytes("1000"), Ok(1000));
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("2GiB"), Ok(2 << 30));
        assert!(bytes("G").is_err() && bytes("1x").is_err() && bytes("99999999999T").is_err() && bytes("-1").is_err());
    }

    #[test]
    fn sizes_grow_from_one_to_another() {
        assert_eq!(growth("n=10..1e5"), Ok(("n".into(), 10, 100_000)));
        assert_eq!(growth("n=3..3"), Ok(("n".into(), 3, 3)));
        for wrong in ["n", "n=5", "n=5..", "n=0..5", "n=5..2", "n=1..1e10", "n=1.5..2", "1=1..2", "=1..2", "n=nan..2"] {
            assert!(growth(wrong).is_err(), "{wrong}");
        }
    }
}
