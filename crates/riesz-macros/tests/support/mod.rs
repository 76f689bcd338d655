//! rustc, with the crates that a test is linked to.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a file is compiled to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Program,
    Library,
    /// Only looked at.
    Nothing,
}

/// Compiles a file as a crate. The other crates are libraries that have been compiled so.
pub fn rustc(file: &Path, name: &str, kind: Kind, others: &[&str]) -> Output {
    let mut command = Command::new("rustc");
    command
        .args(["--edition", "2024", "-C", "opt-level=0", "-C", "debug-assertions=on", "-A", "warnings"])
        .args(["--crate-name", name])
        .arg(file)
        .arg("--out-dir")
        .arg(folder())
        .arg("-L")
        .arg(dependencies())
        .arg("-L")
        .arg(folder())
        .arg("--extern")
        .arg(format!("riesz_macros={}", newest("libriesz_macros-", std::env::consts::DLL_EXTENSION).display()))
        .arg("--extern")
        .arg(format!("riesz_runtime={}", newest("libriesz_runtime-", "rlib").display()));
    match kind {
        Kind::Program => command.args(["--crate-type", "bin"]),
        Kind::Library => command.args(["--crate-type", "rlib"]),
        Kind::Nothing => command.args(["--crate-type", "rlib", "--emit", "metadata"]),
    };
    for other in others {
        command.arg("--extern").arg(format!("{other}={}", folder().join(format!("lib{other}.rlib")).display()));
    }
    command.output().unwrap()
}

/// Compiles a file and says why that fails.
pub fn built(file: &Path, name: &str, kind: Kind, others: &[&str]) {
    let output = rustc(file, name, kind, others);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} does not compile:\n{said}", file.display());
}

/// Runs a program that has been compiled.
pub fn ran(name: &str) -> String {
    let output = Command::new(folder().join(name)).output().unwrap();
    assert!(output.status.success(), "{name}:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Where files are written.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
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
