//! The grammar of the command line.

mod shared;
mod value;

pub use shared::{Backend, Colour, Limited, MessageFormat, Messages, Run};

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use riesz::cache::bytes;
use riesz::gradients::Settings;
use riesz::via::Representation;
use riesz::{Algebra, ParseOptions};
use std::ffi::OsString;
use value::{algebra, binding, default_memory, growth, seconds, size, via};

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
    /// Replay the certificate of a derivative, law by law
    Certificate(Certificate),
    /// Compare every representation of a derivative
    Modes(Modes),
    /// Draw a function as a graph
    Graph(Graph),
    /// Write a function, or a derivative of it, as code
    Emit(Emit),
    /// Time a function, and its value with its derivative
    Bench(Bench),
    /// Answer GradBench messages on the standard input
    Gradbench(Gradbench),
    /// Show the place and size of the native-code cache; `clear` empties it
    #[command(after_help = CACHE_HELP)]
    Cache(Cache),
    /// Report the installed compiler, the backend in use, and the reason
    Doctor(Doctor),
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
    #[arg(long, value_name = "NAME", default_value = "compiled", value_parser = via(), hide_possible_values = true)]
    pub via: &'static Representation,
    /// Evaluate over another algebra than the real numbers; over intervals, `--let x=LOW..HIGH` gives a range
    #[arg(long, value_name = "NAME", value_parser = algebra(), conflicts_with_all = ["json", "via", "backend", "threads", "trap", "precision"])]
    pub over: Option<Algebra>,
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
    /// The number of points at which to test a derivative
    #[arg(long, value_name = "N", default_value_t = Settings::default().points, requires = "gradients")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub points: u32,
    /// The seed of the random points
    #[arg(long, value_name = "N", default_value_t = Settings::default().seed, requires = "gradients")]
    pub seed: u64,
    /// Print the results as one JSON object per line
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
    C,
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
    /// Show one mode; by default both, with the final code of reverse mode
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// Name the law behind every step
    #[arg(long)]
    pub steps: bool,
    /// Write every step to a file, for `riesz certificate`, instead of showing the stages
    #[arg(long, value_name = "OUT", conflicts_with_all = ["steps", "json", "sizes", "mode"])]
    pub certify: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// A size, for counting operations and for choosing the order of a chain
    #[arg(long = "size", value_name = "NAME=N", value_parser = size)]
    pub sizes: Vec<(String, i64)>,
    /// The parameters that vary; by default all that can
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub wrt: Vec<String>,
    #[command(flatten)]
    pub messages: Messages,
    #[command(flatten)]
    pub limits: Limited,
}

/// `riesz certificate`
#[derive(Args, Debug)]
pub struct Certificate {
    /// What `riesz derive --certify` has written; `-` is the standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub messages: Messages,
}

/// A function of a program, and a point.
#[derive(Args, Debug)]
pub struct Subject {
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
}

/// `riesz modes`
#[derive(Args, Debug)]
pub struct Modes {
    #[command(flatten)]
    pub subject: Subject,
    /// Let a name in the point or the function stand for increasing sizes, and count the operations
    #[arg(long, value_name = "NAME=FROM..TO", value_parser = growth)]
    pub grow: Option<(String, u32, u32)>,
    /// How many seconds a derivative may take; a representation that would take longer stops
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
    /// The output file: a Graphviz graph if the name ends in .dot, otherwise an SVG picture
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
    Gradient,
}

/// `riesz bench`
#[derive(Args, Debug)]
pub struct Bench {
    #[command(flatten)]
    pub subject: Subject,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Compare with earlier output of `--json`
    #[arg(long, value_name = "FILE.json")]
    pub against: Option<String>,
    /// How the program is run
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// The number of threads for native code
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
    /// A folder of programs, one for each module; by default those for the twelve modules of GradBench
    pub folder: Option<String>,
    /// How the programs are run
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// The number of threads for native code
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// How much memory arrays may take, such as 512M or 2G
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = default_memory())]
    pub max_memory: usize,
    #[command(flatten)]
    pub messages: Messages,
}

/// How the cache is moved and bounded.
const CACHE_HELP: &str = "\
Environment:
  RIESZ_CACHE        the directory that the cache is in [default: riesz in XDG_CACHE_HOME, or in ~/.cache];
                     each directory has its own cache
  RIESZ_CACHE_LIMIT  how many bytes it keeps, such as 512M or 2G [default: 1G]; the least recently used go first";

/// `riesz cache`
#[derive(Args, Debug)]
pub struct Cache {
    /// What to do
    #[arg(value_enum, value_name = "ACTION", default_value_t = CacheAction::Show)]
    pub action: CacheAction,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub messages: Messages,
}

/// What to do with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CacheAction {
    /// Show its place and size
    Show,
    /// Empty it
    Clear,
}

/// `riesz doctor`
#[derive(Args, Debug)]
pub struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
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
    fn expressions_may_begin_with_a_minus() {
        assert_eq!(ordered("riesz eval -1"), ["riesz", "eval", "--", "-1"]);
        assert_eq!(ordered("riesz eval f.rz -x --json"), ["riesz", "eval", "--json", "--", "f.rz", "-x"]);
        assert_eq!(ordered("riesz eval -h --let h=-1"), ["riesz", "eval", "--let=h=-1", "--", "-h"]);
        assert_eq!(ordered("riesz eval --max-steps=5 x"), ["riesz", "eval", "--max-steps=5", "--", "x"]);
        assert_eq!(ordered("riesz eval -- --x"), ["riesz", "eval", "--", "--x"]);
        assert_eq!(ordered("riesz check -x"), ["riesz", "check", "-x"]);
    }
}
