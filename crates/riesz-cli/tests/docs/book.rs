//! The book is complete: its pages are in its table of contents, its links and includes are valid, its commands draw
//! its pictures, its programs are formatted, and the page `where.md` names files and tests that exist.

use riesz_test::files::sources;
use riesz_test::program::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const PAGES: &str = "docs/book/src";
pub const PICTURES: &str = "docs/book/src/pictures/";

/// Drawn by `cargo run --example figure_5`, and compared by a test of `riesz-algebra`.
const COUNTED: &str = "figure_5.svg";

/// A line of a page, with what it includes.
pub fn expand(line: &str, folder: &Path) -> Result<String, String> {
    let Some(included) = line.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) else {
        return Ok(line.to_string());
    };
    let (path, anchor) = included.split_once(':').map_or((included, None), |(path, anchor)| (path, Some(anchor)));
    let text = fs::read_to_string(folder.join(path)).map_err(|problem| format!("{included}: {problem}"))?;
    let Some(anchor) = anchor else { return Ok(text.trim_end().to_string()) };
    let marks = [format!("ANCHOR: {anchor}"), format!("ANCHOR_END: {anchor}")];
    let at = marks.map(|mark| text.lines().position(|line| line.trim_end().ends_with(&format!(" {mark}"))));
    let [Some(start), Some(end)] = at else { return Err(format!("{path} has no anchor `{anchor}`")) };
    let piece: Vec<&str> = text.lines().take(end).skip(start + 1).collect();
    let indent = piece.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len()).min();
    let piece: Vec<&str> = piece.iter().map(|line| line.get(indent.unwrap_or(0)..).unwrap_or("")).collect();
    match piece.iter().all(|line| line.is_empty()) {
        true => Err(format!("there is nothing at the anchor `{anchor}` of {path}")),
        false => Ok(piece.join("\n")),
    }
}

/// The pictures that a command writes, by name.
pub fn pictures_in(command: &str) -> impl Iterator<Item = &str> {
    command.split_whitespace().filter_map(|word| word.strip_prefix(PICTURES))
}

/// That a picture is what was drawn.
pub fn is_kept(name: &str, drawn: &Path) -> Result<(), String> {
    let drawn = fs::read(drawn).map_err(|problem| format!("{name} was not drawn: {problem}"))?;
    let path = root().join(PICTURES).join(name);
    if riesz_test::golden::is_updating() {
        fs::write(&path, &drawn).unwrap();
    }
    match fs::read(&path).is_ok_and(|kept| kept == drawn) {
        true => Ok(()),
        false => Err(format!("{PICTURES}{name} is not what is drawn now; UPDATE_GOLDEN=1 keeps that")),
    }
}

fn pages() -> Vec<(String, String)> {
    let names =
        fs::read_dir(root().join(PAGES)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| name.ends_with(".md"));
    let mut pages: Vec<(String, String)> =
        pages.map(|name| (name.clone(), fs::read_to_string(root().join(PAGES).join(name)).unwrap())).collect();
    pages.sort();
    pages
}

/// Where the links of a page lead, blocks of code apart.
fn links(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|text| text.split("](").skip(1).filter_map(|rest| rest.split(')').next())).collect()
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let pages = pages();
    let (_, summary) = pages.iter().find(|(name, _)| name == "SUMMARY.md").unwrap();
    let listed: BTreeSet<&str> = links(summary).into_iter().collect();
    let there: BTreeSet<&str> =
        pages.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "SUMMARY.md").collect();
    assert_eq!(listed, there);
}

#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    for (name, text) in pages() {
        for link in links(&text).into_iter().filter(|link| !link.starts_with("http")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { root().join(PAGES).join(&name) } else { root().join(PAGES).join(path) };
            assert!(target.exists(), "{name}: `{link}` leads nowhere");
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let found = text.lines().any(|line| line.starts_with('#') && slug(line) == heading);
                assert!(found, "{name}: `{link}` has no such heading");
            }
            count += 1;
        }
    }
    println!("{count} links");
    assert!(count > 0);
}

/// How a heading is linked to.
fn slug(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_picture_is_drawn_and_shown() {
    let pages = pages();
    let drawn: BTreeSet<String> = pages
        .iter()
        .flat_map(|(_, text)| text.lines().filter(|line| line.starts_with("$ ")).flat_map(pictures_in))
        .map(String::from)
        .chain([COUNTED.to_string()])
        .collect();
    let shown: BTreeSet<String> = pages
        .iter()
        .flat_map(|(_, text)| links(text))
        .filter_map(|link| link.strip_prefix("pictures/"))
        .map(String::from)
        .collect();
    let kept: BTreeSet<String> = fs::read_dir(root().join(PICTURES))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(drawn, kept, "what the commands draw, and what is kept");
    assert_eq!(shown, kept, "what the pages show, and what is kept");
}

#[test]
fn every_anchor_is_included() {
    let pages = pages();
    let mut count = 0;
    for file in sources(&root().join("crates")).into_iter().filter(|file| !file.ends_with("docs/book.rs")) {
        let text = fs::read_to_string(&file).unwrap();
        for anchor in text.lines().filter_map(|line| line.trim().strip_prefix("// ANCHOR: ")) {
            let name = file.file_name().unwrap().to_str().unwrap();
            let included = format!("{name}:{anchor}}}}}");
            assert!(pages.iter().any(|(_, text)| text.contains(&included)), "nothing includes {included}");
            count += 1;
        }
    }
    println!("{count} anchors");
}

#[test]
fn every_program_of_the_book_is_formatted() {
    let folder = root().join("docs/book/programs");
    let programs: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let binary = env!("CARGO_BIN_EXE_riesz");
    let status = std::process::Command::new(binary).args(["fmt", "--check"]).args(&programs).status().unwrap();
    assert!(status.success() && !programs.is_empty());
}

/// What the papers number, which the page must have a row for.
const NUMBERED: [(&str, &[&str]); 5] = [
    (
        "000",
        &[
            "Definition 1",
            "Definition 2",
            "Definition 3",
            "Definition 4",
            "Definition 5",
            "Property 1",
            "Property 2",
            "Theorem 1",
            "Theorem 2",
            "Lemma 1",
            "Figure 1",
            "Figure 2",
            "Figure 3",
            "Figure 4",
            "Figure 5",
            "Figure 6",
            "Equation (1)",
            "Equation (2)",
            "Equation (A.1)",
            "Appendix A",
            "Appendix B",
        ],
    ),
    ("001", &["Equation (1)", "Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 6"]),
    (
        "002",
        &[
            "Figure 1",
            "Figure 2",
            "Figure 3",
            "Figure 4",
            "Figure 5",
            "Figure 6",
            "Figure 7",
            "Figure 8",
            "(LM1)",
            "(LM2)",
            "(TP)",
            "(CP)",
            "Definition 2.1",
            "Theorem 2.2",
            "m ⊙ 0 = 0",
        ],
    ),
    (
        "003",
        &[
            "Definition 1.1",
            "Theorem 4.1",
            "Rule 1",
            "Rule 2",
            "Rule 3",
            "Rule 4",
            "Rule 5",
            "Proposition 5.1",
            "Theorem 5.2",
            "Definition 6.1",
            "Proposition 6.2",
            "Proposition 6.3",
            "Proposition 6.4",
            "Theorem 6.5",
            "Figure 1",
            "Figure 2",
            "Example 7.1",
            "Example A.1",
            "Definition A.2",
            "Example A.3",
            "Definition A.4",
            "Example B.1",
            "Example B.2",
        ],
    ),
    (
        "004",
        &[
            "Equation (1)",
            "Theorem 1",
            "Corollary 1.1",
            "Theorem 2",
            "Corollary 2.1",
            "Theorem 3",
            "Corollary 3.1",
            "Theorem 4",
            "Theorem 5",
            "Corollary 5.1",
            "Theorem 6",
            "Lemma 7",
            "Theorem 8",
            "Corollary 8.1",
            "Lemma 9",
            "Lemma 10",
            "Figure 1",
            "Figure 2",
            "Figure 3",
            "Figure 4",
            "Figure 5",
            "Figure 6",
            "Figure 7",
            "Figure 8",
            "Figure 9",
            "Figure 10",
            "Figure 11",
            "Figure 12",
            "Figure 13",
            "Figure 14",
            "Figure 15",
            "Appendix A",
            "Appendix B",
        ],
    ),
];

#[test]
fn everything_is_where_the_page_says() {
    let page = fs::read_to_string(root().join(PAGES).join("where.md")).unwrap();
    let mut count = 0;
    for (paper, numbered) in NUMBERED {
        let (_, rest) = page.split_once(&format!("\n## Paper {paper}\n")).unwrap();
        let rows: Vec<Vec<&str>> = rest
            .split("\n## ")
            .next()
            .unwrap()
            .lines()
            .filter(|line| line.starts_with("| ") && !line.starts_with("| in the paper"))
            .map(|line| line.trim_matches('|').split(" | ").collect())
            .collect();
        for row in &rows {
            let [what, place, shown] = row[..] else { panic!("{paper}: {row:?} has not three cells") };
            let absent = place.trim_start().starts_with("not in the project: ");
            assert!(absent || !words(place).is_empty(), "{what}: no file");
            for file in words(place) {
                assert!(is_file(file), "{what}: there is no file {file}");
                let laws = file.starts_with("riesz-linear/src/law/") && what.contains(": `");
                let equation = words(what).first().map_or(String::new(), |equation| equation.replace("\\|", "|"));
                let text = fs::read_to_string(root().join("crates").join(file)).unwrap();
                assert!(!laws || text.contains(&equation), "{file} has no law {equation}");
            }
            assert!(absent || !words(shown).is_empty(), "{what}: no test");
            for tests in shown.split(';') {
                let names = words(tests);
                let Some((file, functions)) = names.split_first() else { continue };
                assert!(is_file(file), "{what}: there is no file {file}");
                assert!(!functions.is_empty(), "{what}: no function of {file}");
                let text = fs::read_to_string(root().join("crates").join(file)).unwrap();
                for function in functions {
                    assert!(text.contains(&format!("fn {function}(")), "{what}: {file} has no test {function}");
                }
            }
            count += 1;
        }
        for item in numbered {
            let found = rows.iter().any(|row| mentions(row[0], item));
            assert!(found, "where.md has no row for {item} of paper {paper}");
        }
    }
    println!("{count} rows");
}

/// What stands in backquotes, in the cell of a file or of a test.
fn words(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn is_file(path: &str) -> bool {
    root().join("crates").join(path).is_file()
}

/// Whether a cell names an item, and not a longer one that begins like it.
fn mentions(cell: &str, item: &str) -> bool {
    cell.match_indices(item).any(|(at, _)| {
        let mut after = cell[at + item.len()..].chars();
        match (after.next(), after.next()) {
            (Some(next), _) if next.is_ascii_digit() => false,
            (Some('.'), Some(next)) if next.is_ascii_digit() => false,
            _ => true,
        }
    })
}
