//! Local names hide items: adding items with the local names of a program does not change its meaning.

use crate::survive::outcomes;
use crate::{Tally, program, programs};
use riesz_core::check::PRELUDE;
use riesz_syntax::tree::ItemKind;
use riesz_syntax::{FileId, ParseOptions, Sources, Tree, parse};
use riesz_test::generate::random::Random;
use rustc_hash::FxHashSet;

/// How many random programs are tried beside the examples.
const RANDOM_PROGRAMS: u64 = 600;

#[test]
fn local_names_hide_items() {
    let random = (0..RANDOM_PROGRAMS).map(|seed| program::program(&mut Random::new(seed)));
    let (mut tried, mut failed) = (0, Vec::new());
    for text in programs().into_iter().chain(random) {
        match means_the_same(&text) {
            Some(Ok(())) => tried += 1,
            Some(Err(crowded)) => failed.push(crowded),
            None => {}
        }
    }
    println!("{tried} programs with items that bear the names of local variables");
    assert!(tried > 100, "only {tried} programs could be tried");
    assert!(failed.is_empty(), "{} programs mean something else, the first:\n{}", failed.len(), failed[0]);
}

/// Whether the crowded program means the same, or its text; nothing where the program is wrong or has no local names.
fn means_the_same(text: &str) -> Option<Result<(), String>> {
    let mut sources = Sources::default();
    sources.add("prelude.rz", PRELUDE);
    let mut outcomes_of = |text: &str| {
        let file = sources.add("program.rz", text);
        let (tree, problems) = parse(file, text, &ParseOptions::default());
        if !problems.is_empty() {
            return None;
        }
        outcomes(tree, &sources, &mut Tally::default()).ok().flatten()
    };
    let found = outcomes_of(text)?;
    let crowded = crowded(text, &parse(FileId(1), text, &ParseOptions::default()).0)?;
    Some(if outcomes_of(&crowded).as_ref() == Some(&found) { Ok(()) } else { Err(crowded) })
}

/// The program with an item for every local name, of that name, each of which needs all items that were there before.
/// A local name hides the item, so that the program means the same; were it taken for the item, there would be a cycle.
fn crowded(text: &str, tree: &Tree) -> Option<String> {
    let items: FxHashSet<&str> = (tree.items.iter())
        .filter_map(|item| match &item.kind {
            ItemKind::Fun { name, .. } | ItemKind::Let { name, .. } => Some(&*name.name),
            _ => None,
        })
        .collect();
    let words = |text: &'_ str| -> Vec<String> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
        words.filter(|word| word.starts_with(char::is_lowercase)).map(String::from).collect()
    };
    let built_in = words(PRELUDE);
    let mut local = words(text);
    local.sort();
    local.dedup();
    local.retain(|name| {
        let taken = items.contains(&**name) || built_in.contains(name) || riesz_primitive::find(name).is_some();
        !taken && parse(FileId(0), &format!("let {name} = 1"), &ParseOptions::default()).1.is_empty()
    });
    if local.is_empty() || items.is_empty() || text.contains("every_item'") {
        return None;
    }
    let mut items: Vec<&str> = items.into_iter().collect();
    items.sort_unstable();
    let mut crowded = format!("{text}\nlet every_item' = \\_ -> ({}, 0)\n", items.join(", "));
    for name in local {
        crowded += &format!("let {name} = \\_ -> every_item'\n");
    }
    Some(crowded)
}
