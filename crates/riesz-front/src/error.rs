//! Errors at tokens of the Rust source, in the style of rustc: what is wrong, and what to write instead.

use quote::ToTokens;
use std::collections::HashSet;

/// The errors of a function, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<syn::Error>, HashSet<String>);

/// How many errors are reported at once.
const MOST: usize = 20;

impl Errors {
    /// Reports an error at some tokens. The help says what to write instead.
    pub fn add(&mut self, at: &dyn ToTokens, message: impl std::fmt::Display, help: impl std::fmt::Display) {
        let (at, text) = (at.to_token_stream(), format!("{message}\n\n  = help: {help}"));
        // One thing is said once of one place.
        if self.0.len() < MOST && self.1.insert(format!("{at} {text}")) {
            self.0.push(syn::Error::new_spanned(at, text));
        }
    }

    /// Takes in errors from elsewhere.
    pub fn extend(&mut self, error: syn::Error) {
        self.0.extend(error);
    }

    /// All of them as one, if there are any.
    pub fn into_result(self) -> Result<(), syn::Error> {
        let together = self.0.into_iter().reduce(|mut all, next| {
            all.combine(next);
            all
        });
        together.map_or(Ok(()), Err)
    }
}
