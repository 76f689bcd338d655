//! Why a call does not fit its function.

use std::fmt;

/// Why arguments or buffers do not fit a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There are more or fewer arguments than leaves.
    Arguments {
        /// How many there have to be.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// An argument is not what the parameter is.
    Argument {
        /// Which argument.
        at: usize,
        /// The reason.
        problem: String,
    },
    /// There are more or fewer buffers than leaves of the result.
    Outputs {
        /// How many there have to be.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// A buffer is not for numbers of this kind.
    OutputKind {
        /// Which buffer.
        at: usize,
        /// The type of what goes there.
        expected: String,
    },
    /// A buffer is longer or shorter than what goes there.
    OutputLength {
        /// Which buffer.
        at: usize,
        /// How many elements go there.
        needed: usize,
        /// How many it has room for.
        given: usize,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Misfit::Arguments { expected, given } => {
                write!(f, "the function takes {expected} numbers and arrays, and {given} are passed")
            }
            Misfit::Argument { at, problem } => write!(f, "argument {at}: {problem}"),
            Misfit::Outputs { expected, given } => {
                write!(f, "the result is {expected} numbers and arrays, and there are {given} buffers")
            }
            Misfit::OutputKind { at, expected } => write!(f, "buffer {at} is for a result of type {expected}"),
            Misfit::OutputLength { at, needed, given } => {
                write!(f, "the result has {needed} elements for buffer {at}, which has room for {given}")
            }
        }
    }
}
