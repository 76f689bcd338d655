//! The pages of the project are correct: every code block of the pages at the root, in `docs`, in the book and in
//! `benches` is executed, the manual has every built-in function, and the pages name files that exist.
//!
//! The word after the fence is the kind of a block:
//!
//! | kind | content and test |
//! |---|---|
//! | `riesz` | a program; it is correct, and its checks hold |
//! | `eval` | lines `expression   # => value`; that is the value |
//! | `error` | lines `expression   # => message`, or a program and then a line `# => message`; that is the first message |
//! | `console` | `$ command`, then its output, run at the root of the project; a picture of the book that it writes must equal the stored one |
//! | `rust` | a part of the project, which occurs in one of its files |
//! | `sh` | commands for a person; the scripts among them exist |
//! | `text` | text that is not tested |
//!
//! A block of the book may include a part of a file by its anchors, `{{#include PATH:ANCHOR}}`. `UPDATE_GOLDEN=1`
//! rewrites the pictures.

mod book;

use book::{PICTURES, expand};
use riesz::primitive::{Primitive, table};
use riesz::{Diagnostic, Loaded, Session};
use riesz_test::files::sources;
use riesz_test::program::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a fresh machine runs the program; here it is built already.
const FROM_SOURCE: &str = "cargo run --release -p riesz-cli --";

#[test]
fn every_block_is_true() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    let before = files_at_the_root();
    for page in pages() {
        for block in blocks(&page) {
            let tried = examine(&block);
            *counts.entry(block.kind.clone()).or_default() += tried.len();
            let place = format!("{}:{}", page.display(), block.line);
            failures.extend(tried.into_iter().filter_map(Result::err).map(|problem| format!("{place}: {problem}")));
        }
        // The commands of a page may write files for each other.
        files_at_the_root().difference(&before).for_each(|file| fs::remove_file(file).unwrap());
    }
    for (kind, count) in &counts {
        println!("{count:4} {kind}");
    }
    assert!(counts.values().sum::<usize>() > 0, "the pages show nothing");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The values in the list are those of `every_block_is_true`.
#[test]
fn the_manual_shows_the_derivative_of_every_function_of_arrays() {
    let manual = fs::read_to_string(root().join("docs/language.md")).unwrap();
    let (_, after) = manual.split_once("\nThe derivatives of the functions of arrays are:\n").unwrap();
    let list = after.split("```").nth(1).unwrap();
    let shown =
        |row: &Primitive| list.contains(&format!("{}(", row.name)) || list.contains(&format!("D({},", row.name));
    // Names with a space are of functions that only derivatives call.
    let rows = table().iter().filter(|row| row.array().is_some() && !row.name.contains(' '));
    let missing: Vec<&str> = rows.filter(|row| !shown(row)).map(|row| row.name).collect();
    assert!(missing.is_empty(), "no derivative of {missing:?}");
}

#[test]
fn the_manual_has_every_built_in() {
    let manual = fs::read_to_string(root().join("docs/language.md")).unwrap();
    let tables = manual.split_once("\n## Built-in functions\n").unwrap().1.split("\n## ").next().unwrap();
    let rows: Vec<Vec<String>> = tables.lines().filter_map(cells).collect();
    let mut described = 0;
    for primitive in table().iter().filter(|primitive| !primitive.hidden()) {
        let row = rows.iter().find(|row| row[0] == format!("`{}`", primitive.name));
        let Some(row) = row else {
            let cells = manual_row(primitive).map(|cell| cell.replace('|', "\\|")).join(" | ");
            panic!("docs/language.md lacks a row: | `{}` | {cells} |", primitive.name);
        };
        assert_eq!(&row[1..], &manual_row(primitive), "{}", primitive.name);
        described += 1;
    }
    assert_eq!(described, rows.len(), "docs/language.md describes what is no built-in function, or one twice");
    println!("{described} built-in functions");
}

/// What the manual says of a built-in function after its name: signatures, summary, example.
fn manual_row(primitive: &Primitive) -> [String; 3] {
    let signatures: Vec<String> = primitive.signatures.iter().map(|signature| format!("`{signature}`")).collect();
    [signatures.join("<br>"), primitive.summary.to_string(), format!("`{}`", primitive.example)]
}

#[test]
fn the_examples_of_built_ins_hold() {
    let mut count = 0;
    for primitive in table().iter().filter(|primitive| !primitive.hidden()) {
        assert_eq!(evaluate(primitive.example), Ok("true".to_string()), "{}", primitive.name);
        count += 1;
    }
    println!("{count} examples hold");
}

#[test]
fn the_glossary_is_sorted_and_names_files_that_exist() {
    let page = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with("| term |")).skip(2);
    let rows: Vec<Vec<&str>> = rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect();
    for row in &rows {
        let [term, _, _, file] = row[..] else { panic!("a row of four cells: {row:?}") };
        let file = root().join("crates").join(file.trim_matches('`'));
        assert!(file.is_file(), "{term}: there is no file {}", file.display());
    }
    let terms: Vec<String> = rows.iter().map(|row| row[0].to_lowercase()).collect();
    assert!(!terms.is_empty() && terms.is_sorted_by(|a, b| a < b), "the terms are in alphabetical order, each once");
}

#[test]
fn the_files_that_pages_name_exist() {
    let is_path = |word: &str| {
        let in_a_crate = word.starts_with("riesz") && ["/src/", "/tests/"].iter().any(|folder| word.contains(folder));
        (in_a_crate || word.starts_with("crates/")) && !word.contains(char::is_whitespace)
    };
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        let prose = text.split("```").step_by(2);
        for path in prose.flat_map(|prose| prose.split('`').skip(1).step_by(2)).filter(|word| is_path(word)) {
            let found = [root(), root().join("crates")].iter().any(|folder| folder.join(path).exists());
            assert!(found, "{}: there is no {path}", page.display());
            count += 1;
        }
    }
    println!("{count} paths");
    assert!(count > 0);
}

/// A code block of a page.
struct Block {
    kind: String,
    /// Where its fence stands.
    line: usize,
    /// What is in it, or what it includes that is not there.
    text: Result<String, String>,
    /// Whether it comes from a file.
    included: bool,
}

/// The code blocks of a page.
fn blocks(page: &Path) -> Vec<Block> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let folder = root().join(page.parent().unwrap());
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(kind) = line.trim_start().strip_prefix("```") else { continue };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim_start() != "```").collect();
        let included = body.iter().any(|line| line.starts_with("{{#include"));
        let text = body.iter().try_fold(String::new(), |text, line| Ok(text + &expand(line, &folder)? + "\n"));
        blocks.push(Block { kind: kind.to_string(), line: at + 1, text, included });
    }
    blocks
}

/// Everything that a block says, each true or not.
fn examine(block: &Block) -> Vec<Result<(), String>> {
    let text = match &block.text {
        Ok(text) => text,
        Err(problem) => return vec![Err(problem.clone())],
    };
    match &*block.kind {
        "riesz" => program(text),
        "eval" => examples(text).map(|(text, value)| expect(text, &evaluate(text), &Ok(value.into()))).collect(),
        "error" => errors(text),
        "console" => commands(text),
        "rust" if block.included => vec![Ok(())],
        "rust" => vec![stands_in_the_project(text)],
        "sh" => text.lines().map(script_exists).collect(),
        "text" => vec![Ok(())],
        kind => vec![Err(format!("`{kind}` is not a kind of block; see the top of tests/docs/main.rs"))],
    }
}

/// The checks of a program, or what is wrong with it.
fn program(text: &str) -> Vec<Result<(), String>> {
    let mut session = Session::default();
    match session.load_text("block.rz", text, &from_root) {
        Err(mistakes) => vec![Err(session.render(&mistakes, false))],
        Ok(file) => {
            let checks = session.checks(file);
            let mut run = |check| session.run_check(check).map_err(|mistake| session.render(&[*mistake], false));
            let mut results: Vec<_> = checks.iter().map(&mut run).collect();
            // That it is correct counts too.
            results.push(Ok(()));
            results
        }
    }
}

fn errors(text: &str) -> Vec<Result<(), String>> {
    let Some((program, message)) = text.trim_end().rsplit_once("\n# => ") else {
        return examples(text).map(|(text, message)| expect(text, &evaluate(text), &Err(message.into()))).collect();
    };
    let mut session = Session::default();
    let found = match session.load_text("block.rz", program, &from_root) {
        Err(mistakes) => Err(first(&mistakes)),
        Ok(file) => match session.checks(file).iter().find_map(|check| session.run_check(check).err()) {
            Some(mistake) => Err(mistake.message),
            None => Ok("correct".to_string()),
        },
    };
    vec![expect(program, &found, &Err(message.into()))]
}

/// `expression   # => what it gives`
fn examples(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        let (expression, given) = line.split_once("# => ").unwrap_or((line, "a line ends with `# => ...`"));
        (expression.trim_end(), given)
    })
}

/// The value of an expression as text, or the first message about it.
fn evaluate(text: &str) -> Result<String, String> {
    let mut session = Session::default();
    session.evaluate(text, Vec::new()).map(|found| found.to_string()).map_err(|mistakes| first(&mistakes))
}

fn first(mistakes: &[Diagnostic]) -> String {
    mistakes.first().map_or_else(String::new, |mistake| mistake.message.clone())
}

fn expect(text: &str, found: &Result<String, String>, expected: &Result<String, String>) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{text}\n  expected {expected:?}\n  found    {found:?}")),
    }
}

fn files_at_the_root() -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).collect()
}

/// Each command of a session at a shell, with what it prints.
fn commands(text: &str) -> Vec<Result<(), String>> {
    let mut results = Vec::new();
    for entry in format!("\n{text}").split("\n$ ").skip(1) {
        let (command, expected) = entry.split_once('\n').unwrap_or((entry, ""));
        let binary = Path::new(env!("CARGO_BIN_EXE_riesz"));
        let folder = binary.parent().unwrap().to_str().unwrap();
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
        let drawn = std::env::temp_dir().join(format!("riesz-pictures-{}", std::process::id()));
        fs::create_dir_all(&drawn).unwrap();
        let script = command.replace(FROM_SOURCE, "riesz").replace(PICTURES, &format!("{}/", drawn.display()));
        let script = format!("exec 2>&1; {script}");
        let output = Command::new("sh").args(["-c", &script]).env("PATH", path).current_dir(root()).output().unwrap();
        let found = String::from_utf8_lossy(&output.stdout).trim_end().to_string();
        results.push(expect(command, &Ok(found), &Ok(expected.trim_end().to_string())));
        results.extend(book::pictures_in(command).map(|name| book::is_kept(name, &drawn.join(name))));
        fs::remove_dir_all(&drawn).unwrap();
    }
    results
}

fn stands_in_the_project(text: &str) -> Result<(), String> {
    match sources(&root().join("crates")).iter().any(|file| fs::read_to_string(file).unwrap().contains(text)) {
        true => Ok(()),
        false => Err(format!("this stands in no file of the project:\n{text}")),
    }
}

fn script_exists(line: &str) -> Result<(), String> {
    match line.split_whitespace().next().and_then(|word| word.strip_prefix("./")) {
        Some(script) if !root().join(script).is_file() => Err(format!("there is no script `{script}`")),
        _ => Ok(()),
    }
}

/// Blocks import files by their path from the root of the project.
fn from_root(path: &str, _: Option<&str>) -> Result<Loaded, String> {
    let text = fs::read_to_string(root().join(path)).map_err(|error| error.to_string())?;
    Ok(Loaded::text(path, text))
}

/// The cells of a row of a table, where it begins with a name in backquotes. A `|` inside a cell is written `\|`.
fn cells(line: &str) -> Option<Vec<String>> {
    let row = line.strip_prefix("| `")?.strip_suffix(" |")?.replace("\\|", "\u{1}");
    Some(format!("`{row}").split(" | ").map(|cell| cell.replace('\u{1}', "|")).collect())
}

/// The pages, by their paths from the root.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for folder in ["", "docs", "docs/book/src", "benches"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name();
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                pages.push(Path::new(folder).join(name));
            }
        }
    }
    pages.sort();
    pages
}
