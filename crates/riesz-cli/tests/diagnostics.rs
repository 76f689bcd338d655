//! Every kind of mistake has a page: each code in the sources of the project occurs in a file under `golden/`, or is
//! listed below with the reason why no page can show it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The functions that take a code, as their calls are written; the code is the first string among the arguments.
const CONSTRUCTORS: [&str; 5] =
    ["Diagnostic::error(", "Diagnostic::placeless(", "report.problem(", "plain(", "self.keyword("];

/// Codes that no page shows, and why.
const UNSHOWN: [(&str, &str); 13] = [
    ("bad-type-name", "the parser finds the same first, as `type-name-case`"),
    ("file-too-large", "it takes a file of 4 GiB"),
    ("generic-function", "a guard: what fits every type fits numbers"),
    ("interrupted", "it takes Ctrl-C"),
    ("misplaced-hole", "a guard: a call with holes is a function, and is called with a value for each"),
    ("no-gradient", "a guard: a derivative has a value where its function has one"),
    ("no-interrupt", "the system refuses to tell of Ctrl-C"),
    ("no-terminal", "the terminal breaks"),
    ("no-interface", "of the library alone; `handle.rs` of riesz tests it"),
    ("no-value", "a guard: the session gives a value to every name before it evaluates"),
    ("not-a-map", "a guard: types tell linear maps from functions"),
    ("not-utf8", "a page is text; `files.rs` tests it"),
    ("run-time-function", "a derivative that meets it is taken when the program runs"),
];

#[test]
fn every_code_has_a_page() {
    let codes = codes();
    let pages = pages();
    println!("{} codes: {} shown, {} unshown", codes.len(), codes.len() - UNSHOWN.len(), UNSHOWN.len());
    println!("{} pages with a message", pages.values().flatten().collect::<BTreeSet<_>>().len());
    let mut problems = Vec::new();
    for (code, file) in &codes {
        let reason = UNSHOWN.iter().find(|(unshown, _)| unshown == code);
        match (pages.get(code), reason) {
            (None, None) => problems.push(format!("no page shows `{code}` of {}", file.display())),
            (Some(shown), Some(_)) => {
                problems.push(format!("`{code}` counts as unshown, and is shown by {}", shown[0].display()));
            }
            _ => {}
        }
    }
    let unknown = |code: &&str| !codes.contains_key(*code);
    problems.extend(pages.keys().map(String::as_str).filter(unknown).map(|code| {
        format!("a page shows `{code}`, which is in no source: is a constructor missing from `CONSTRUCTORS`?")
    }));
    problems.extend(
        UNSHOWN.iter().map(|(code, _)| *code).filter(unknown).map(|code| format!("`{code}` is in no source any more")),
    );
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// The name of a page under `golden/error` begins with the code that it shows first.
#[test]
fn pages_are_named_for_their_code() {
    let folder = golden().join("error");
    let mut count = 0;
    for path in files(&folder, "golden") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let named = name.split('_').next().unwrap();
        let shown = shown(&fs::read_to_string(&path).unwrap());
        assert_eq!(shown.first().map(String::as_str), Some(named), "{}", path.display());
        count += 1;
    }
    println!("{count} pages under golden/error");
}

/// The codes in the sources, each with a file that has it.
fn codes() -> BTreeMap<String, PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut codes = BTreeMap::new();
    for folder in fs::read_dir(crates).unwrap() {
        for path in files(&folder.unwrap().path().join("src"), "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(crates).unwrap();
            for constructor in CONSTRUCTORS {
                for (at, _) in text.match_indices(constructor) {
                    let arguments = &text[at + constructor.len()..];
                    codes.extend(first_string(arguments).map(|code| (code.to_string(), name.to_path_buf())));
                }
            }
        }
    }
    codes
}

/// The string that is the first argument of a call.
fn first_string(arguments: &str) -> Option<&str> {
    let (string, _) = arguments.trim_start().strip_prefix('"')?.split_once('"')?;
    let is_code = !string.is_empty() && string.bytes().all(|byte| byte.is_ascii_lowercase() || b"-8".contains(&byte));
    is_code.then_some(string)
}

/// The codes that pages show, each with the pages that show it.
fn pages() -> BTreeMap<String, Vec<PathBuf>> {
    let mut pages: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files(&golden(), "golden") {
        for code in shown(&fs::read_to_string(&path).unwrap()) {
            pages.entry(code).or_default().push(path.clone());
        }
    }
    pages
}

/// The codes in the messages of a page.
fn shown(page: &str) -> Vec<String> {
    let messages = page.lines().filter_map(|line| line.strip_prefix("error[").or(line.strip_prefix("warning[")));
    messages.filter_map(|line| Some(line.split_once(']')?.0.to_string())).collect()
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The files in a folder and the folders in it, in order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|other| other == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}
