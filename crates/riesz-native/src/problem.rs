//! Reasons why there is no native code, with places and remedies.

use riesz_syntax::Diagnostic;
use std::fmt;
use std::path::Path;

/// Why there is no native code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The message, with the place.
    pub message: String,
    /// The advice.
    pub cure: Option<String>,
}

impl Problem {
    /// A problem that nothing is known to cure.
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), cure: None }
    }

    /// The same with what to do about it.
    pub fn cure(self, cure: impl Into<String>) -> Problem {
        Problem { cure: Some(cure.into()), ..self }
    }

    /// The system has refused something.
    pub(crate) fn system(what: &str, path: &Path, error: &std::io::Error) -> Problem {
        Problem::new(format!("cannot {what} {}: {error}", path.display()))
            .cure("set RIESZ_CACHE to a directory of yours on a disk with room")
    }

    /// As a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::placeless("not-native", self.message.clone());
        match &self.cure {
            Some(cure) => diagnostic.help(cure.clone()),
            None => diagnostic,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.cure {
            Some(cure) => write!(f, "{}: {cure}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
