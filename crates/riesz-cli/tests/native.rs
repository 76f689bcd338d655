//! The checks of `examples` and `gradbench` hold as native code, the given limits apply, and without a compiler the
//! interpreter runs the program.

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

/// What is kept for a derivative takes more than there is; with checkpoints it does not, and the code is another.
#[test]
fn code_with_checkpoints_runs_where_code_without_takes_too_much() {
    let gradient = "grad(\\v -> sum(loop s = v for i < 20000 do [sin(y) | y in s]), [1.0 | i < 10])[0]";
    let run = |options: &[&str]| {
        let arguments = [&["eval", "--backend", "native"], options, &[gradient]].concat();
        let output = riesz(&arguments, None);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    };
    let (expected, _) = run(&[]);
    assert!(expected.trim().parse::<f64>().is_ok_and(|number| number > 0.0), "{expected}");
    assert_eq!(run(&["--max-memory", "400k"]), (expected, String::new()));
    let (_, message) = run(&["--max-memory", "400k", "--checkpoint", "none"]);
    assert!(message.starts_with("error[memory-limit]"), "{message}");
}

#[test]
fn messages_name_the_limit_that_was_set() {
    for backend in ["interp", "native"] {
        let endless = ["eval", "--backend", backend, "--max-steps", "3000000", "loop s = 0.0 while true do s + 1.0"];
        let message = String::from_utf8_lossy(&riesz(&endless, None).stderr).into_owned();
        assert!(message.contains("the evaluation takes more than 3000000 steps"), "{backend}: {message}");
    }
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
