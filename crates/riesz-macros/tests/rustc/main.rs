//! The attribute through rustc: functions of other crates, and errors as users see them.

#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use support::{Kind, built, ran, rustc};

/// What the crate `riesz` exports.
const FACADE: &str = "
    pub use riesz_macros::{Differentiable, __link, differentiable};
    #[doc(hidden)]
    pub use riesz_runtime as __runtime;
";

fn downstream(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/downstream").join(file)
}

/// The crates of `examples/downstream`, each compiled by itself.
#[test]
fn functions_of_other_crates() {
    let facade = support::folder().join("riesz.rs");
    std::fs::write(&facade, FACADE).unwrap();
    built(&facade, "riesz", Kind::Library, &[]);
    built(&downstream("springs/src/lib.rs"), "springs", Kind::Library, &["riesz"]);
    built(&downstream("facade/src/lib.rs"), "facade", Kind::Library, &["springs"]);
    built(&downstream("app/src/main.rs"), "app", Kind::Program, &["riesz", "facade"]);
    assert_eq!(ran("app"), "energy 1.125, by the spring 0.25 and -4.5, by the position 2.25\n");
}

/// `errors.txt` has the cases: a title, the source, and behind `---` the errors. `UPDATE_GOLDEN=1` rewrites what is behind it.
#[test]
fn errors_as_users_see_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rustc/errors.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut written = String::new();
    for case in text.split("== ").skip(1) {
        let (title, rest) = case.split_once('\n').unwrap();
        let source = rest.split("---\n").next().unwrap();
        let file = support::folder().join("error.rs");
        // The lines of the source keep their numbers.
        std::fs::write(&file, format!("{source}mod riesz {{ {FACADE} }}\n")).unwrap();
        let output = rustc(&file, "error", Kind::Nothing, &[]);
        assert!(!output.status.success(), "`{title}` compiles");
        let _ = write!(written, "== {title}\n{source}---\n{}\n", said(&String::from_utf8_lossy(&output.stderr)));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, written).unwrap();
    } else {
        assert_eq!(text, written, "UPDATE_GOLDEN=1 rewrites {}", path.display());
    }
}

/// The messages of rustc with their places and helps, without the pictures.
fn said(text: &str) -> String {
    let mut said = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        let place = line.strip_prefix("--> ").and_then(|place| place.rsplit_once("error.rs:")).map(|(_, place)| place);
        if let Some(place) = place {
            let _ = writeln!(said, "  at {place}");
        } else if (line.starts_with("error") && !line.contains("aborting") && !line.contains("could not compile"))
            || line.starts_with("= help")
            || line.starts_with("= note: `")
            || line.starts_with("note: `")
        {
            let _ = writeln!(said, "{line}");
        }
    }
    said
}
