//! Every file under `golden/` is a page of documentation that runs as a test: a command, its files, and its exact
//! output.
//!
//! ```text
//! # What this shows.
//! $ riesz eval half.rz "half(3)"
//! --- half.rz
//! fun half(x: R): R = x / 2
//! --- stdout
//! 1.5
//! ```
//!
//! Sections are files, and then `stdin`, `stdout`, `stderr`, `exit N` and `after FILE`, a file after the command; an
//! absent section is empty, or zero. Several commands run in order, and their outputs are appended to the same
//! sections; the exit status is that of the last. `UPDATE_GOLDEN=1 cargo test --test golden` rewrites the pages.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn golden() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = riesz_test::golden::is_updating();
    let pages = pages_in(&root);
    assert!(!pages.is_empty(), "there are no pages in {}", root.display());
    let mut wrong = String::new();
    for path in &pages {
        let expected = fs::read_to_string(path).unwrap();
        let name = path.strip_prefix(&root).unwrap();
        let actual = Page::parse(&expected).run(name).show();
        if update && expected != actual {
            fs::write(path, actual).unwrap();
        } else if expected != actual {
            write!(wrong, "\n{}\n{}", name.display(), difference(&expected, &actual)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}\nUPDATE_GOLDEN=1 accepts what was printed");
}

/// A page: the remarks and commands at its top, then sections in order.
#[derive(Clone)]
struct Page {
    top: String,
    sections: Vec<(String, String)>,
}

impl Page {
    fn parse(text: &str) -> Page {
        let mut page = Page { top: String::new(), sections: Vec::new() };
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("--- ") {
                Some(title) => page.sections.push((title.trim_end().to_string(), String::new())),
                None => page.sections.last_mut().map_or(&mut page.top, |(_, body)| body).push_str(line),
            }
        }
        page
    }

    /// The same page with what really happens.
    fn run(&self, name: &Path) -> Page {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("golden").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut page = Page { top: self.top.clone(), sections: Vec::new() };
        for (title, body) in self.sections.iter().filter(|(title, _)| !is_result(title)) {
            if title != "stdin" {
                let file = folder.join(title);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, body).unwrap();
            }
            page.sections.push((title.clone(), body.clone()));
        }
        let stdin = self.section("stdin");
        let (mut stdout, mut stderr, mut exit) = (String::new(), String::new(), 0);
        for command in self.top.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let output = run(command, stdin, &folder);
            stdout += &String::from_utf8_lossy(&output.stdout);
            stderr += &String::from_utf8_lossy(&output.stderr);
            exit = output.status.code().unwrap_or(-1);
        }
        for (title, _) in self.sections.iter().filter(|(title, _)| title.starts_with("after ")) {
            let text = fs::read_to_string(folder.join(&title["after ".len()..])).unwrap();
            page.sections.push((title.clone(), text));
        }
        page.sections.extend((!stdout.is_empty()).then(|| ("stdout".to_string(), stdout)));
        page.sections.extend((!stderr.is_empty()).then(|| ("stderr".to_string(), stderr)));
        page.sections.extend((exit != 0).then(|| (format!("exit {exit}"), String::new())));
        page
    }

    fn section(&self, wanted: &str) -> &str {
        self.sections.iter().find(|(title, _)| title == wanted).map_or("", |(_, body)| body)
    }

    fn show(&self) -> String {
        let mut text = self.top.clone();
        for (title, body) in &self.sections {
            let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
            write!(text, "--- {title}\n{body}{end}").unwrap();
        }
        text
    }
}

fn is_result(title: &str) -> bool {
    matches!(title, "stdout" | "stderr") || title.starts_with("exit ") || title.starts_with("after ")
}

fn run(command: &str, stdin: &str, folder: &Path) -> std::process::Output {
    let words = split(command);
    assert_eq!(words.first().map(String::as_str), Some("riesz"), "a command begins with `riesz`: {command}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_riesz"))
        .args(&words[1..])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not listen closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

/// The words of a command; spaces may stand between quotes of either kind.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The lines that differ, with those around them left out at both ends.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let same = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let rest = expected.len().min(actual.len()) - same;
    let same_end = expected.iter().rev().zip(actual.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut text = String::new();
    for line in &expected[same..expected.len() - same_end] {
        writeln!(text, "  - {line}").unwrap();
    }
    for line in &actual[same..actual.len() - same_end] {
        writeln!(text, "  + {line}").unwrap();
    }
    text
}

fn pages_in(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages.extend(pages_in(&path));
        } else if path.extension().is_some_and(|extension| extension == "golden") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}
