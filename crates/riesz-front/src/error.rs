//! Errors at tokens of the Rust source, in the style of rustc, with a correction.

use quote::ToTokens;
use std::collections::HashSet;

/// The errors of a function, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    found: Vec<syn::Error>,
    said: HashSet<String>,
    /// The functions and types of other modules whose definitions are needed.
    needs: Vec<syn::Path>,
}

/// Why an expansion goes no further.
pub(crate) enum Stop {
    Wrong(syn::Error),
    /// The definition of a function or type of another module is needed.
    Needs(syn::Path),
}

impl From<syn::Error> for Stop {
    fn from(error: syn::Error) -> Stop {
        Stop::Wrong(error)
    }
}

/// How many errors are reported at once.
const MOST: usize = 20;

impl Errors {
    /// Reports an error at some tokens. The help says what to write instead.
    pub fn add(&mut self, at: &dyn ToTokens, message: impl std::fmt::Display, help: impl std::fmt::Display) {
        let (at, text) = (at.to_token_stream(), format!("{message}\n\n  = help: {help}"));
        // One thing is said once of one place.
        if self.found.len() < MOST && self.said.insert(format!("{at} {text}")) {
            self.found.push(syn::Error::new_spanned(at, text));
        }
    }

    /// Takes in errors from elsewhere.
    pub fn extend(&mut self, error: syn::Error) {
        self.found.extend(error);
    }

    /// Whether nothing is wrong or missing so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.needs.is_empty()
    }

    /// Asks for the definition of a function or type of another module.
    pub fn need(&mut self, path: &syn::Path) {
        self.needs.push(path.clone());
    }

    /// The required definitions, if there is no error.
    pub fn needs(&self) -> &[syn::Path] {
        if self.found.is_empty() { &self.needs } else { &[] }
    }

    /// All of them as one, if there are any; else the first definition that is needed.
    pub fn into_result(self) -> Result<(), Stop> {
        let together = self.found.into_iter().reduce(|mut all, next| {
            all.combine(next);
            all
        });
        match (together, self.needs.into_iter().next()) {
            (Some(error), _) => Err(Stop::Wrong(error)),
            (None, Some(path)) => Err(Stop::Needs(path)),
            (None, None) => Ok(()),
        }
    }
}
