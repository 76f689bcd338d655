//! The table of crates in `ARCHITECTURE.md` agrees with the manifests, only the permitted crates touch the outside world,
//! and `docs/security.md` has an argument for every file with `unsafe` code.

use riesz_test::files::sources;
use riesz_test::program::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The crates that may reach outside the program.
const WORLDLY: [&str; 4] = ["riesz-cli", "riesz-native", "riesz-macros", "riesz-test"];
/// How the others would.
const WORLD: [&str; 4] = ["std::fs", "std::env::", "std::process", "std::net"];

/// Crates, each with those of ours that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_table_agrees_with_the_manifests() {
    let (order, table) = table();
    let manifests = manifests();
    for (name, used) in &manifests {
        let Some(allowed) = table.get(name) else { panic!("ARCHITECTURE.md does not know the crate {name}") };
        assert_eq!(allowed, used, "ARCHITECTURE.md says that {name} uses the left, its Cargo.toml the right");
    }
    for name in table.keys() {
        assert!(manifests.contains_key(name), "ARCHITECTURE.md names {name}, which has no manifest in crates/");
    }
    println!("{} crates, {} uses", order.len(), manifests.values().map(BTreeSet::len).sum::<usize>());
}

#[test]
fn crates_stand_in_the_order_data_flows() {
    let (order, table) = table();
    for (at, name) in order.iter().enumerate() {
        for used in &table[name] {
            assert!(order[..at].contains(used), "{name} uses {used}, which does not stand above it in the table");
        }
    }
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members: Vec<String> = workspace
        .lines()
        .skip_while(|line| !line.starts_with("members"))
        .take_while(|line| !line.starts_with(']'))
        .filter_map(|line| Some(line.trim().strip_prefix("\"crates/")?.trim_end_matches("\",").to_string()))
        .collect();
    assert_eq!(order, members, "the table and the workspace list the crates in one order");
}

#[test]
fn only_some_crates_touch_the_world() {
    let mut files = 0;
    for name in manifests().keys().filter(|name| !WORLDLY.contains(&name.as_str())) {
        for file in sources(&root().join("crates").join(name).join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            for word in WORLD {
                assert!(!text.contains(word), "{} uses {word}", file.display());
            }
            files += 1;
        }
    }
    println!("{files} files");
}

/// A crate that is published has no files but its own: no text is included from outside of it, and what it depends on has a
/// version.
/// The table of memory safety names every file with a block, a function or an implementation that is `unsafe`.
#[test]
fn unsafe_code_has_its_argument() {
    let page = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let (_, blocks) = page.split_once("### The blocks").unwrap();
    let (blocks, _) = blocks.split_once("###").unwrap();
    let (mut files, mut missing) = (0, Vec::new());
    for file in manifests().keys().flat_map(|name| sources(&root().join("crates").join(name).join("src"))) {
        let text = fs::read_to_string(&file).unwrap();
        if !["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"].iter().any(|word| text.contains(word)) {
            continue;
        }
        files += 1;
        let name = file.file_name().unwrap().to_string_lossy();
        let inside = file.parent().unwrap().file_name().unwrap().to_string_lossy();
        let name = if name == "mod.rs" { format!("{inside}/mod.rs") } else { name.into_owned() };
        if !blocks.contains(&format!("{name}`")) {
            missing.push(file);
        }
    }
    assert!(files > 25 && missing.is_empty(), "{files} files have `unsafe` code; docs/security.md lacks {missing:?}");
}

#[test]
fn crates_can_be_published() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut included = 0;
    for name in manifests().keys() {
        let folder = root().join("crates").join(name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("publish = false") {
            continue;
        }
        for field in ["description", "version", "license"] {
            assert!(manifest.contains(field), "{name} has no {field}");
        }
        let versioned =
            workspace.lines().any(|line| line.starts_with(&format!("{name} = ")) && line.contains("version"));
        assert!(versioned || name == "riesz-cli", "the workspace names no version of {name}");
        for file in sources(&folder.join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            for part in text.split("include_str!(\"").skip(1) {
                let path = file.parent().unwrap().join(part.split('"').next().unwrap());
                let (path, folder) = (path.canonicalize().unwrap(), folder.canonicalize().unwrap());
                assert!(path.starts_with(folder), "{} includes {}", file.display(), path.display());
                included += 1;
            }
        }
    }
    assert!(included > 0, "no text is included");
}

/// The table of crates: their names in order, and what each may use.
fn table() -> (Vec<String>, Uses) {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut order = Vec::new();
    let mut uses = Uses::new();
    let rows = page.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, used] = cells[..] else { panic!("a row of three cells: {row}") };
        let name = name.trim_matches('`').to_string();
        order.push(name.clone());
        uses.insert(name, used.split('`').skip(1).step_by(2).map(str::to_string).collect());
    }
    assert!(!order.is_empty(), "ARCHITECTURE.md has a table that begins with `| crate |`");
    (order, uses)
}

/// What the manifests in `crates` say, apart from tests, which may use what stands below.
fn manifests() -> Uses {
    let mut uses = Uses::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let mut used = BTreeSet::new();
        let mut section = "";
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line.trim_matches(['[', ']']);
            } else if section == "dependencies" {
                let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
                used.extend(name.starts_with("riesz").then(|| name.to_string()));
            }
        }
        uses.insert(folder.file_name().unwrap().to_str().unwrap().to_string(), used);
    }
    uses
}
