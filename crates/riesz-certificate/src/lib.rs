//! The checker of certificates: replays the derivation of a derivative step by step, each by one law.
//!
//! ```text
//! riesz certificate 1
//! function square
//! from R
//! values
//! first
//!   D x = id
//!   result = scale x ∘ D x + scale x ∘ D x
//! steps
//! 1. in result
//!     scale x ∘ D x + scale x ∘ D x
//!   = scale (x + x) ∘ D x
//!   by add multiples of a map: k · m + l · m = (k + l) · m
//! …
//! last
//!   result = scale (x + x)
//! ```
//!
//! This crate uses nothing of the compiler: it has its own terms, reader, [laws](LAWS) and matcher. Of each step it checks
//! that the left side stands where the step says, that it is an instance of the left side of the law, that the conditions of
//! the law hold, and that the right side is what the law then gives. Coefficients may be written in another way there; they
//! are compared as values, at random points. What it takes on trust is that the first equations are those of the program,
//! with the spaces that are written in them, and that the values of the program are what the certificate says they are.
//!
//! ```
//! let certificate = "riesz certificate 1\nfunction f\nfrom R\nvalues\nfirst\n  result = scale a ∘ scale b\nsteps\n\
//!     1. in result\n scale a ∘ scale b\n = scale (b * a)\n by compose scales: scale k ∘ scale l = scale (k * l)\n\
//!     last\n  result = scale (b * a)\n";
//! let proof = riesz_certificate::check(certificate).unwrap();
//! assert_eq!((proof.steps, proof.laws), (1, vec![("compose scales".to_string(), 1)]));
//!
//! let wrong = riesz_certificate::check(&certificate.replace("(b * a)", "(b + a)")).unwrap_err();
//! assert_eq!(wrong.to_string(), "step 1, on line 8: the right side is not what `scale (k * l)` gives");
//! ```

mod build;
mod elaborate;
mod instance;
mod law;
mod parse;
mod pattern;
mod read;
mod replay;
mod same;
mod slide;
mod term;
mod token;
mod value;

pub use law::{Condition, LAWS, Law};

use std::fmt;

/// The statement that a certificate proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The function whose derivative it is.
    pub function: String,
    /// How many equations there are at first.
    pub first: usize,
    /// How many there are in the end.
    pub last: usize,
    /// How many steps lead from the first to the last.
    pub steps: usize,
    /// The laws, and how many steps are by each.
    pub laws: Vec<(String, usize)>,
    /// How many values of the program are described.
    pub values: usize,
    /// How many coefficients are written in another way than the law gives, and were compared as values.
    pub compared: u64,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The step that is wrong, if it is one.
    pub step: Option<usize>,
    /// The line where it begins.
    pub line: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "step {step}, on line {}: {}", self.line, self.message),
            None => write!(f, "line {}: {}", self.line, self.message),
        }
    }
}

impl std::error::Error for Fault {}

/// Replays a certificate.
///
/// # Errors
/// The text cannot be read, a step is wrong, or the steps do not lead to the last equations.
pub fn check(certificate: &str) -> Result<Proof, Fault> {
    replay::replay(&read::read(certificate)?, value::Values::new(certificate))
}
