//! Random functions of the subset: generated, compiled together, and their derivatives compared with differences.
//!
//! The functions are written to a file, which rustc compiles with the crates that this test is linked to. The program checks
//! itself: reverse mode against central differences, forward mode against reverse mode, and the value against the function.
//! `RANDOM_FUNCTIONS=500` checks that many, and `RANDOM_SEED` begins elsewhere.

mod generate;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many functions are compiled together.
const BATCH: usize = 25;

#[test]
fn random_functions() {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (count, seed) = (number("RANDOM_FUNCTIONS", 50) as usize, number("RANDOM_SEED", 1));
    for first in (0..count).step_by(BATCH) {
        let functions: Vec<String> = (first..count.min(first + BATCH))
            .map(|at| generate::function(seed + at as u64, &format!("random{at}")))
            .collect();
        run(&functions, first);
    }
}

fn run(functions: &[String], first: usize) {
    let mut source = String::from(include_str!("harness.rs"));
    for function in functions {
        let _ = write!(source, "\n#[differentiable(crate = crate::riesz)]\n{function}");
    }
    source.push_str("\nfn main() {\n");
    for at in 0..functions.len() {
        let _ = writeln!(source, "    check!(random{});", first + at);
    }
    source.push_str("}\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, program) = (folder.join(format!("random_{first}.rs")), folder.join(format!("random_{first}")));
    std::fs::write(&file, source).unwrap();
    let built = Command::new("rustc")
        .args(["--edition", "2024", "-C", "opt-level=0", "-C", "debug-assertions=on", "-A", "warnings"])
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(dependencies())
        .arg("--extern")
        .arg(format!("riesz_macros={}", newest("libriesz_macros-", std::env::consts::DLL_EXTENSION).display()))
        .arg("--extern")
        .arg(format!("riesz_runtime={}", newest("libriesz_runtime-", "rlib").display()))
        .output()
        .unwrap();
    assert!(built.status.success(), "{} does not compile:\n{}", file.display(), String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "{}:\n{}", file.display(), String::from_utf8_lossy(&ran.stderr));
}

/// The folder of the crates that this test is linked to.
fn dependencies() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// The newest file of a crate.
fn newest(prefix: &str, extension: &str) -> PathBuf {
    let files = std::fs::read_dir(dependencies()).unwrap().map(|entry| entry.unwrap().path());
    let ours = files.filter(|path| {
        path.file_name().unwrap().to_string_lossy().starts_with(prefix)
            && path.extension().is_some_and(|found| found == extension)
    });
    ours.max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap()
}
