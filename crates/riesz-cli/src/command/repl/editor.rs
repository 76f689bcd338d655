//! The line editor: history, completion, and input over several lines.

use super::directive;
use reedline::{
    ColumnarMenu, Completer, CompletionResult, Emacs, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder, Prompt,
    PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    Span, Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};
use riesz::{Input, Name, ParseOptions};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// How many entries the history keeps.
const HISTORY: usize = 10_000;
/// The name of the completion menu.
const MENU: &str = "completion";

/// What a person entered.
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
    reedline: Reedline,
    names: Names,
}

/// The names to complete, shared with the completer.
type Names = Arc<Mutex<Vec<Name>>>;

impl Editor {
    /// An editor for texts parsed like this.
    pub fn new(options: ParseOptions, colour: bool) -> Editor {
        let names = Names::default();
        let mut keys = default_emacs_keybindings();
        let complete = vec![ReedlineEvent::Menu(MENU.into()), ReedlineEvent::MenuNext];
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(complete));
        let mut reedline = Reedline::create()
            .with_ansi_colors(colour)
            .with_validator(Box::new(Whole { options }))
            .with_completer(Box::new(Completions { names: names.clone() }))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(ColumnarMenu::default().with_name(MENU))))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .use_bracketed_paste(true);
        // A history that cannot be kept is no reason to stop.
        if let Some(history) = history_file().and_then(|file| FileBackedHistory::with_file(HISTORY, file).ok()) {
            reedline = reedline.with_history(Box::new(history));
        }
        Editor { reedline, names }
    }

    /// Takes the names that can be completed.
    pub fn know(&mut self, names: Vec<Name>) {
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// Reads a text, on one or more lines.
    pub fn read(&mut self) -> std::io::Result<Line> {
        Ok(match self.reedline.read_line(&Sign)? {
            Signal::Success(text) => Line::Text(text),
            Signal::CtrlD => Line::End,
            _ => Line::Cleared,
        })
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

/// Says whether a text is whole, as the parser sees it.
struct Whole {
    options: ParseOptions,
}

impl Validator for Whole {
    fn validate(&self, text: &str) -> ValidationResult {
        let directive = text.trim_start().starts_with(':');
        match !directive && Input::of(text, &self.options) == Input::Incomplete {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Complete,
        }
    }
}

/// Completes names, and directives at the beginning of a line.
struct Completions {
    names: Names,
}

impl Completer for Completions {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let (start, words) = completions(line, position, &self.names.lock().unwrap_or_else(PoisonError::into_inner));
        let span = Span::new(start, position);
        let suggestion = |value: String| Suggestion { value, span, ..Suggestion::default() };
        CompletionResult::fresh(words.into_iter().map(suggestion).collect::<Vec<_>>())
    }
}

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

/// The prompt.
struct Sign;

impl Prompt for Sign {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("| ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => "nothing found, ",
        };
        Cow::Owned(format!("({found}searching: {}) ", search.term))
    }
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
