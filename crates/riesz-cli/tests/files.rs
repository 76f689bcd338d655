//! What no golden page can show: files that are not text, pipes that close, files that must not be touched.

use npyz::{Order, WriterBuilder};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn riesz(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_riesz"));
    command.current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("files").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn arrays_from_npy_files() {
    let folder = folder("npy");
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::new().default_dtype().shape(&[2, 3]).order(Order::Fortran).writer(&mut bytes);
    let mut writer = options.begin_nd().unwrap();
    writer.extend([1.0f32, 4.0, 2.0, 5.0, 3.0, 6.0]).unwrap();
    writer.finish().unwrap();
    fs::write(folder.join("m.npy"), &bytes).unwrap();
    fs::write(folder.join("short.npy"), &bytes[..bytes.len() - 1]).unwrap();
    let evaluate =
        |file: &str| riesz(&folder).args(["eval", "(m, sum(m))", "--let", &format!("m=@{file}")]).output().unwrap();
    assert_eq!(stdout(&evaluate("m.npy")), "([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [5.0, 7.0, 9.0])\n");
    let short = evaluate("short.npy");
    assert_eq!(short.status.code(), Some(1));
    assert!(
        stderr(&short).contains("cannot read short.npy: the file ends before the array does"),
        "{}",
        stderr(&short)
    );
}

#[test]
fn text_that_is_not_utf8_is_shown_at_its_place() {
    let folder = folder("utf8");
    fs::write(folder.join("a.rz"), b"# fine\nlet a = \xff\xfe\n").unwrap();
    for command in ["check", "fmt"] {
        let output = riesz(&folder).args([command, "a.rz"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("a.rz:2:9"), "{}", stderr(&output));
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let folder = folder("bom");
    fs::write(folder.join("a.rz"), "\u{feff}let a = 1\ncheck a == 1\n").unwrap();
    assert_eq!(stdout(&riesz(&folder).args(["check", "a.rz"]).output().unwrap()), "a.rz: 1 check passed\n");
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let folder = folder("pipe");
    let mut child = riesz(&folder)
        .args(["eval", "[[j | j < 1000] | i < 1000]"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(&start, b"[[0, 1, 2,");
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_formatted_file_is_not_touched() {
    let folder = folder("untouched");
    let file = folder.join("a.rz");
    fs::write(&file, "let a = 1\n").unwrap();
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    stdout(&riesz(&folder).args(["fmt", "a.rz"]).output().unwrap());
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("links");
    let file = folder.join("a.rz");
    fs::write(&file, "let a=1\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.rz", folder.join("link.rz")).unwrap();
    stdout(&riesz(&folder).args(["fmt", "link.rz"]).output().unwrap());
    assert!(folder.join("link.rz").is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), "let a = 1\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn one_file_under_two_names_is_imported_once() {
    let folder = folder("names");
    fs::write(folder.join("base.rz"), "let base = 1\n").unwrap();
    std::os::unix::fs::symlink("base.rz", folder.join("other.rz")).unwrap();
    fs::write(folder.join("main.rz"), "import \"base.rz\"\nimport \"other.rz\"\n").unwrap();
    assert_eq!(stdout(&riesz(&folder).args(["eval", "main.rz", "base"]).output().unwrap()), "1\n");
}

#[test]
fn answers_come_before_the_script_ends() {
    let folder = folder("script");
    let mut child = riesz(&folder).arg("repl").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    std::io::Write::write_all(&mut input, b"1 + 1\n").unwrap();
    assert_eq!(answers.next().unwrap().unwrap(), "2 : Int");
    drop(input);
    assert!(child.wait().unwrap().success());
}
