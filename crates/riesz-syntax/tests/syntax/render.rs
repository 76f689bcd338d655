//! Rendering of diagnostics: its content, and its robustness for any source.

use proptest::prelude::*;
use riesz_syntax::{Diagnostic, FileId, Severity, Sources, Span, render};

fn span(file: FileId, start: usize, end: usize) -> Span {
    Span { file, start: start as u32, end: end as u32 }
}

fn one_file(text: &str) -> (Sources, FileId) {
    let mut sources = Sources::default();
    let file = sources.add("file.rz", text);
    (sources, file)
}

#[test]
fn labels_help_and_suggestion() {
    let (sources, file) = one_file("let a = 1\nlet b = aa + 2\n");
    let diagnostic = Diagnostic::error("unknown-name", span(file, 18, 20), "nothing is called `aa`")
        .here("unknown")
        .label(span(file, 4, 5), "this is near")
        .help("names are case-sensitive")
        .did_you_mean(span(file, 18, 20), "a");
    let drawn = "error[unknown-name]: nothing is called `aa`
 --> file.rz:2:9
  |
1 | let a = 1
  |     - this is near
2 | let b = aa + 2
  |         ^^ unknown
  |
  = help: names are case-sensitive
help: did you mean `a`?
  |
2 - let b = aa + 2
2 + let b = a + 2
  |
";
    assert_eq!(render(&[diagnostic], &sources, false), drawn);
}

#[test]
fn several_files_and_far_places() {
    let mut sources = Sources::default();
    let first = sources.add("first.rz", format!("let a = 1\n{}let a = 2\n", "\n".repeat(1000)));
    let second = sources.add("second.rz", "let b = a\n");
    let diagnostic = Diagnostic::error("twice", span(first, 1014, 1015), "defined twice")
        .here("here")
        .label(span(first, 4, 5), "first here")
        .label(span(second, 8, 9), "used here");
    let drawn = "error[twice]: defined twice
    --> first.rz:1002:5
     |
1002 | let a = 2
     |     ^ here
     |
    ::: first.rz:1:5
     |
   1 | let a = 1
     |     - first here
     |
    ::: second.rz:1:9
     |
   1 | let b = a
     |         - used here
";
    assert_eq!(render(&[diagnostic], &sources, false), drawn);
}

#[test]
fn without_a_place() {
    let sources = Sources::default();
    let error = Diagnostic::placeless("missing-file", "there is no `a.rz`").help("look elsewhere");
    let warning = Diagnostic { severity: Severity::Warning, ..Diagnostic::placeless("odd", "this is odd") };
    let drawn = "error[missing-file]: there is no `a.rz`
 |
 = help: look elsewhere

warning[odd]: this is odd
";
    assert_eq!(render(&[error, warning], &sources, false), drawn);
}

#[test]
fn long_lines_are_cropped() {
    let text = format!("{}§{}", "x".repeat(20_000_000), "é".repeat(20_000_000));
    let (sources, file) = one_file(&text);
    for (start, end) in [(20_000_000, 20_000_002), (0, 1), (0, text.len()), (text.len(), text.len())] {
        let diagnostic = Diagnostic::error("code", span(file, start, end), "message")
            .here("label")
            .label(span(file, 5, 7), "far away")
            .suggest(span(file, start, end), "write", "y");
        let drawn = render(&[diagnostic], &sources, false);
        let (line, column) = sources.position(span(file, start, end));
        assert!(drawn.contains(&format!("file.rz:{line}:{column}\n")), "{drawn}");
        assert!(drawn.contains("label") && drawn.contains("`y`"), "{drawn}");
        assert!(drawn.len() < 3000, "{} bytes", drawn.len());
    }
}

#[test]
fn long_places_are_cut() {
    let (sources, file) = one_file(&"let a = b\n".repeat(100_000));
    let drawn = render(&[Diagnostic::error("code", span(file, 0, 1_000_000), "message")], &sources, false);
    assert!(drawn.lines().count() < 10, "{drawn}");
}

#[test]
fn colour() {
    let (sources, file) = one_file("let a = 1\n");
    let diagnostic = Diagnostic::error("code", span(file, 4, 5), "message");
    assert!(render(std::slice::from_ref(&diagnostic), &sources, true).contains("\u{1b}["));
    assert!(!render(&[diagnostic], &sources, false).contains('\u{1b}'));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let (sources, file) = one_file("let\ta = \u{1b}[31m\0\u{7f}\u{202e} b\r\nlet c = 1\r\n");
    let diagnostic = Diagnostic::error("code", span(file, 8, 9), "a \u{1b} message")
        .here("a \u{7} label")
        .help("some \u{1b}[2J help")
        .suggest(span(file, 8, 9), "a \u{8} suggestion", "\u{1b}");
    let drawn = render(&[diagnostic], &sources, false);
    let harmless = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
    assert!(drawn.chars().all(harmless), "{drawn:?}");
    assert!(drawn.contains("file.rz:1:9\n"), "{drawn}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any places in any text, also such as lie outside or cut a character in two.
    #[test]
    fn any_places(
        text in "(?s).{0,30}|[a\\n\\r\\té\u{1f600}\u{feff}]{0,40}",
        places in prop::collection::vec((0usize..60, 0usize..60), 1..4),
        replacement in "[a\\n\\t]{0,3}",
    ) {
        let (sources, file) = one_file(&text);
        let (start, end) = places[0];
        let mut diagnostic = Diagnostic::error("code", span(file, start, end), "message");
        for (start, end) in &places[1..] {
            diagnostic = diagnostic.label(span(file, *start, *end), "label");
        }
        diagnostic = diagnostic.suggest(span(file, start, end), "write", replacement);
        let drawn = render(&[diagnostic], &sources, false);
        prop_assert!(drawn.contains("error[code]: message"));
        prop_assert!(drawn.contains(" --> file.rz:"));
    }
}
