//! Diagnostics: messages with their places and a correction. An error is a value; [`crate::render()`] shows it.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The program cannot be used.
    Error,
    /// The program can be used, and probably does not do what was meant.
    Warning,
}

/// One message about one place, with further places and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A short name of the kind of problem, such as `unknown-name`; stable, for editors and tests.
    pub code: &'static str,
    /// The message, one sentence without a full stop.
    pub message: String,
    /// Places, the first of which is where the problem is. Empty only for problems without a place (a missing file).
    pub labels: Vec<Label>,
    /// The advice.
    pub help: Vec<String>,
    /// Text that would mend it.
    pub suggestion: Option<Suggestion>,
}

/// A place with a remark, possibly empty, written beside the underlining.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// The note.
    pub text: String,
}

/// Replace the text at `span` by `replacement`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The text to replace; empty to insert.
    pub span: Span,
    /// By what.
    pub replacement: String,
    /// The beginning of a sentence that ends with the replacement: "did you mean", "write".
    pub message: String,
    /// Whether the sentence is a question.
    pub is_question: bool,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        let labels = vec![Label { span, text: String::new() }];
        Diagnostic { labels, ..Diagnostic::placeless(code, message) }
    }

    /// An error that no place in a source shows.
    pub fn placeless(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: Vec::new(),
            help: Vec::new(),
            suggestion: None,
        }
    }

    /// Says something at the main place.
    pub fn here(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = text.into();
        self
    }

    /// Points at another place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Gives advice.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Proposes a text to put in place of another.
    pub fn suggest(mut self, span: Span, message: impl Into<String>, replacement: impl Into<String>) -> Diagnostic {
        let (message, replacement) = (message.into(), replacement.into());
        self.suggestion = Some(Suggestion { span, message, replacement, is_question: false });
        self
    }

    /// Asks whether another text was meant.
    pub fn did_you_mean(self, span: Span, replacement: impl Into<String>) -> Diagnostic {
        let mut asked = self.suggest(span, "did you mean", replacement);
        asked.suggestion.iter_mut().for_each(|suggestion| suggestion.is_question = true);
        asked
    }
}
