//! The line editor: history, completion, and input over several lines.

use super::directive;
use riesz::{Input, Name, ParseOptions};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Helper, Result};
use std::path::PathBuf;

/// How many entries the history keeps.
const HISTORY: usize = 10_000;

/// The input of a person.
pub enum Line {
    /// A text.
    Text(String),
    /// Ctrl-C: nothing.
    Cleared,
    /// Ctrl-D: no more.
    End,
}

/// A line editor that knows names.
pub struct Editor {
    lines: rustyline::Editor<Language, FileHistory>,
    history: Option<PathBuf>,
}

impl Editor {
    /// An editor for texts parsed like this.
    pub fn new(options: ParseOptions) -> Result<Editor> {
        let config = Config::builder()
            .max_history_size(HISTORY)?
            .auto_add_history(true)
            .completion_type(CompletionType::List)
            .build();
        let mut lines = rustyline::Editor::with_config(config)?;
        lines.set_helper(Some(Language { options, names: Vec::new() }));
        // A history that cannot be kept is no reason to stop.
        let history = history_file().filter(|file| file.parent().is_some_and(|of| std::fs::create_dir_all(of).is_ok()));
        if let Some(file) = &history {
            let _ = lines.load_history(file);
        }
        Ok(Editor { lines, history })
    }

    /// Takes the names that can be completed.
    pub fn know(&mut self, names: Vec<Name>) {
        if let Some(language) = self.lines.helper_mut() {
            language.names = names;
        }
    }

    /// Reads a text, on one or more lines.
    pub fn read(&mut self) -> Result<Line> {
        match self.lines.readline("> ") {
            Ok(text) => {
                if let Some(file) = &self.history {
                    let _ = self.lines.append_history(file);
                }
                Ok(Line::Text(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Cleared),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(error),
        }
    }
}

/// `$XDG_DATA_HOME/riesz/history`, or where the system keeps such data.
fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_DATA_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/share")))
    };
    Some(data?.join("riesz").join("history"))
}

/// The parse options and the names that the editor uses.
struct Language {
    options: ParseOptions,
    names: Vec<Name>,
}

/// A text is whole where the parser sees it so.
impl Validator for Language {
    fn validate(&self, context: &mut ValidationContext) -> Result<ValidationResult> {
        let text = context.input();
        let directive = text.trim_start().starts_with(':');
        Ok(match !directive && Input::of(text, &self.options) == Input::Incomplete {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

/// Completes names, and directives at the beginning of a line.
impl Completer for Language {
    type Candidate = String;

    fn complete(&self, line: &str, position: usize, _: &Context<'_>) -> Result<(usize, Vec<String>)> {
        Ok(completions(line, position, &self.names))
    }
}

impl Hinter for Language {
    type Hint = String;
}

impl Highlighter for Language {}

impl Helper for Language {}

/// Where the word before the cursor begins, and what it may become.
fn completions(line: &str, position: usize, names: &[Name]) -> (usize, Vec<String>) {
    let before = line.get(..position).unwrap_or(line);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let start = before.trim_end_matches(is_part).len();
    let (context, word) = before.split_at(start);
    if context.trim_start() == ":" {
        let begin = start - 1;
        let directives = directive::TABLE.iter().map(|row| row.name).filter(|name| name.starts_with(&before[begin..]));
        return (begin, directives.map(str::to_string).collect());
    }
    // Fields are not known here, and there is nothing to complete before the first letter.
    if word.is_empty() || context.ends_with('.') {
        return (start, Vec::new());
    }
    (start, names.iter().filter(|name| name.starts_with(word)).map(|name| name.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(line: &str) -> (usize, Vec<String>) {
        completions(line, line.len(), &["sin".into(), "sinh".into(), "size".into(), "θ".into()])
    }

    #[test]
    fn names_are_completed() {
        assert_eq!(complete("1 + si"), (4, vec!["sin".into(), "sinh".into(), "size".into()]));
        assert_eq!(complete("f(θ"), (2, vec!["θ".into()]));
        assert_eq!(complete(":type siz"), (6, vec!["size".into()]));
        assert_eq!(complete("x.s"), (2, vec![]));
        assert_eq!(complete(""), (0, vec![]));
    }

    #[test]
    fn directives_are_completed() {
        assert_eq!(complete(":re"), (0, vec![":reload".into()]));
        assert_eq!(complete(":").1.len(), directive::TABLE.len());
    }
}
