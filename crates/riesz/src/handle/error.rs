//! The errors that can occur between a text and the numbers it gives.

use crate::{Diagnostic, Misfit, Sources};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Why there is no program, no code or no result.
///
/// ```
/// use riesz::{Error, Options, Program};
///
/// let program = Program::new("half.rz", "fun half(x: R): R = x / 2").unwrap();
/// assert!(matches!(program.function("hafl"), Err(Error::UnknownFunction(_))));
///
/// let half = program.function("half").unwrap().compile(&Options::default()).unwrap();
/// let mut y = 0.0;
/// let misfit = half.call(&[true.into()], &mut [(&mut y).into()]).unwrap_err();
/// assert!(matches!(misfit, Error::Misfit(_)));
/// assert_eq!(misfit.to_string(), "argument 0: `x` is of type R, and Bool is passed");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a correct program.
    Program(Diagnostics),
    /// The program has no such function, or one with type variables.
    UnknownFunction(Diagnostics),
    /// The function has no such derivative, or it cannot be compiled.
    Derivative(Diagnostics),
    /// The function takes or gives something that is not made of numbers and arrays: a function, a linear map.
    Interface(Diagnostics),
    /// The arguments or the buffers of a call do not fit the function.
    Misfit(Misfit),
    /// The work passed a limit, or was interrupted.
    Limit(Diagnostics),
    /// The program is wrong for these arguments: an index is out of range, a matrix is not square.
    Run(Diagnostics),
}

impl Error {
    /// The mistakes, with their places in the text; none if only the arguments of a call are wrong.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Error::Program(found)
            | Error::UnknownFunction(found)
            | Error::Derivative(found)
            | Error::Interface(found)
            | Error::Limit(found)
            | Error::Run(found) => found,
            Error::Misfit(_) => &[],
        }
    }

    /// The error of work that met problems: that of a limit where they say so.
    pub(crate) fn of(otherwise: fn(Diagnostics) -> Error, found: Diagnostics) -> Error {
        match found.iter().any(|problem| is_limit(problem.code)) {
            true => Error::Limit(found),
            false => otherwise(found),
        }
    }
}

/// Whether the code of a diagnostic is that of a limit.
fn is_limit(code: &str) -> bool {
    code.ends_with("-limit") || code == "interrupted"
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Program(found)
            | Error::UnknownFunction(found)
            | Error::Derivative(found)
            | Error::Interface(found)
            | Error::Limit(found)
            | Error::Run(found) => found.fmt(f),
            Error::Misfit(misfit) => misfit.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

/// Problems of a program. Shows as a person reads them, with the lines of the text that they are about.
///
/// ```
/// let Err(riesz::Error::Program(problems)) = riesz::Program::new("f.rz", "fun f(x: R): R = y") else { unreachable!() };
/// assert_eq!(problems[0].code, "unknown-name");
/// assert!(problems.to_string().contains("f.rz:1:18"));
/// ```
#[derive(Clone, Debug)]
pub struct Diagnostics {
    problems: Arc<[Diagnostic]>,
    sources: Arc<Sources>,
}

impl Diagnostics {
    pub(crate) fn new(problems: Vec<Diagnostic>, sources: Arc<Sources>) -> Diagnostics {
        Diagnostics { problems: problems.into(), sources }
    }

    /// The texts that places refer to.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}

impl Deref for Diagnostics {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.problems
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(riesz_syntax::render(&self.problems, &self.sources, false).trim_end())
    }
}
