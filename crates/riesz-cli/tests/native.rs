//! The checks of `examples` and `gradbench` hold as native code, and without a compiler the interpreter runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn every_program_holds_as_native_code() {
    let mut files = Vec::new();
    for folder in ["examples", "gradbench"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        files.extend(
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "rz")),
        );
    }
    files.sort();
    assert!(files.len() > 20, "the programs are not where they were");
    for file in files {
        let output = riesz(&["check", "--backend", "native", "--threads", "3", file.to_str().unwrap()], None);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", file.display());
        assert!(!errors.contains("does not compile"), "{}: {errors}", file.display());
    }
}

#[test]
fn threads_are_for_native_code() {
    let output = riesz(&["eval", "--threads", "2", "1 + 1"], None);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("`--threads` is for native code: add `--backend native`"), "{message}");
}

#[test]
fn without_a_compiler_the_interpreter_runs_the_program() {
    let output = riesz(&["eval", "--backend", "native", "sum(real(i) | i < 4)"], Some("no-such-compiler"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "6.0\n");
    let note = String::from_utf8_lossy(&output.stderr);
    assert!(note.starts_with("warning[not-native]: there is no Rust compiler here"), "{note}");
    assert!(output.status.success());
}

fn riesz(arguments: &[&str], compiler: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_riesz"));
    command.args(arguments).env("RIESZ_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("native"));
    if let Some(compiler) = compiler {
        command.env("RIESZ_RUSTC", compiler);
    }
    command.output().expect("the command runs")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
