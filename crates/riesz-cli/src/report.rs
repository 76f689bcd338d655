//! Reports of problems on the standard error: drawn for a person, or as one JSON object per line.

use crate::arguments::{Colour, MessageFormat, Messages};
use riesz::{Diagnostic, Session, Severity, Sources, Span, syntax};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::io::{IsTerminal, Write};

/// How to show problems.
#[derive(Debug)]
pub struct Report {
    format: MessageFormat,
    colour: Colour,
    /// Whether an empty line stands between problems that are shown one after the other.
    spaced: bool,
    shown: Cell<bool>,
}

impl Report {
    /// As the command line asks.
    pub fn new(messages: Messages) -> Report {
        Report { format: messages.message_format, colour: messages.color, spaced: false, shown: Cell::new(false) }
    }

    /// The same with empty lines between problems, for a command that shows many.
    pub fn spaced(self) -> Report {
        Report { spaced: self.format == MessageFormat::Human, ..self }
    }

    /// Shows diagnostics about these sources.
    pub fn show(&self, diagnostics: &[Diagnostic], sources: &Sources) {
        let text = match self.format {
            MessageFormat::Human => syntax::render(diagnostics, sources, self.colour_on(&std::io::stderr())),
            MessageFormat::Json => {
                diagnostics.iter().map(|diagnostic| format!("{}\n", object(diagnostic, sources))).collect()
            }
        };
        let gap = if self.shown.replace(true) && self.spaced { "\n" } else { "" };
        // If the message cannot be written, there is nothing else to do.
        let _ = std::io::stderr().write_all(format!("{gap}{text}").as_bytes());
    }

    /// Shows where the interpreter has taken over from native code, and what ran each program if that was asked for.
    pub fn notes(&self, session: &mut Session) {
        let notes = session.take_notes();
        if !notes.is_empty() {
            self.show(&notes, session.sources());
        }
        for explanation in session.take_explanations() {
            let line = match self.format {
                MessageFormat::Human => explanation,
                MessageFormat::Json => json!({"severity": "note", "message": explanation}).to_string(),
            };
            let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
        }
    }

    /// Shows something that a person should know and that stops nothing.
    pub fn warning(&self, diagnostic: Diagnostic) {
        self.show(&[Diagnostic { severity: Severity::Warning, ..diagnostic }], &Sources::default());
    }

    /// Shows a problem that no source has a place for.
    pub fn problem(&self, code: &'static str, message: impl Into<String>) {
        self.show(&[Diagnostic::placeless(code, message)], &Sources::default());
    }

    /// Whether to use colour on an output.
    pub fn colour_on(&self, output: &impl IsTerminal) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                output.is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// A diagnostic as JSON: its main place, and everything it says.
fn object(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let mut object = match diagnostic.labels.first() {
        Some(label) => place(label.span, sources),
        None => ["file", "line", "column", "end_line", "end_column"]
            .map(|key| (key.to_string(), Value::Null))
            .into_iter()
            .collect(),
    };
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    object.insert("severity".into(), severity.into());
    object.insert("code".into(), diagnostic.code.into());
    object.insert("message".into(), diagnostic.message.as_str().into());
    let labels = diagnostic.labels.iter().map(|label| with(place(label.span, sources), json!({"text": label.text})));
    object.insert("labels".into(), labels.collect());
    object.insert("help".into(), diagnostic.help.as_slice().into());
    let suggestion = diagnostic.suggestion.as_ref().map(|suggestion| {
        let said = json!({"message": suggestion.message, "replacement": suggestion.replacement});
        with(place(suggestion.span, sources), said)
    });
    object.insert("suggestion".into(), suggestion.into());
    Value::Object(object)
}

fn place(span: Span, sources: &Sources) -> Map<String, Value> {
    let (line, column) = sources.position(span);
    let (end_line, end_column) = sources.position(Span { start: span.end, ..span });
    let name = &*sources.get(span.file).name;
    with(
        Map::new(),
        json!({"file": name, "line": line, "column": column, "end_line": end_line, "end_column": end_column}),
    )
    .as_object()
    .cloned()
    .unwrap_or_default()
}

fn with(mut object: Map<String, Value>, more: Value) -> Value {
    if let Value::Object(more) = more {
        object.extend(more);
    }
    Value::Object(object)
}
