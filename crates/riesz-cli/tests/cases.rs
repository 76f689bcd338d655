//! `|x − y| < 1e-6 · max(1, |x| + |y|)`: the programs in `gradbench/` agree with independently computed values, and the
//! checks of every program in `examples/` and `gradbench/` hold.
//!
//! The values are outside the repository, in `../shared/cases`; if that folder is missing, the comparison is skipped.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The functions that are values; the others are derivatives of these.
const PRIMALS: [&str; 4] = ["square", "primal", "objective", "cost"];

#[test]
fn primal_rows_agree() {
    rows_agree(|row| PRIMALS.contains(&text(row, "function")));
}

#[test]
fn derivative_rows_agree() {
    rows_agree(|row| !PRIMALS.contains(&text(row, "function")));
}

/// Compares every row that is asked for.
fn rows_agree(wanted: fn(&Value) -> bool) {
    let folder = root().join("../shared/cases");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return;
    }
    let rows = files_in(&folder, "jsonl").into_iter().flat_map(|file| rows_of(&file)).filter(wanted);
    let failures: Vec<_> = rows.map(|row| compare(&row)).collect();
    let compared = failures.len();
    let failures: Vec<_> = failures.into_iter().filter_map(Result::err).collect();
    println!("{compared} rows compared, {} agree", compared - failures.len());
    assert!(compared > 0, "{} holds no rows", folder.display());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_check_holds() {
    let mut checks = 0;
    for file in programs() {
        let written = fs::read_to_string(&file).unwrap().lines().filter(|line| line.starts_with("check ")).count();
        assert!(written > 1, "{} checks too little", file.display());
        let output = riesz().arg("check").arg(&file).output().unwrap();
        assert!(output.status.success(), "{}\n{}", file.display(), said(&output));
        assert!(said(&output).contains(&format!(": {written} checks passed")), "{}\n{}", file.display(), said(&output));
        checks += written;
    }
    println!("{checks} checks hold");
}

/// Programs as users write them, with values from elsewhere, lie beside the repository too.
#[test]
fn programs_from_elsewhere_agree() {
    let folder = root().join("../shared/programs");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return;
    }
    let files = files_in(&folder, "rz");
    let failures: Vec<String> = (files.iter())
        .filter_map(|file| {
            let output = riesz().arg("check").arg(file).output().unwrap();
            (!output.status.success()).then(|| format!("{}\n{}", file.display(), said(&output)))
        })
        .collect();
    println!("{} programs checked, {} agree", files.len(), files.len() - failures.len());
    assert!(!files.is_empty(), "{} holds no programs", folder.display());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Why a function may stay untested: it has no derivative that numbers could test, or takes too long, as those of GradBench
/// do that are minimisations themselves.
const UNTESTED: [&str; 5] = [
    "the parameter `",
    "it takes no real number",
    "its result is or holds a function",
    "its result has no real number",
    "no point was found to test it at: the evaluation takes more than 1000000 steps",
];

#[test]
fn every_derivative_is_what_differences_say() {
    let output = riesz().args(["check", "--gradients", "--json"]).args(programs()).output().unwrap();
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    let verdicts: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut tested = 0;
    for verdict in verdicts.iter().filter(|verdict| verdict.get("function").is_some()) {
        match text(verdict, "outcome") {
            "agrees" => {
                assert!(verdict["worst"]["error"].as_f64().unwrap() < 1e-5, "{verdict}");
                tested += 1;
            }
            "skipped" => {
                assert!(UNTESTED.iter().any(|reason| text(verdict, "reason").starts_with(reason)), "{verdict}")
            }
            _ => panic!("{verdict}"),
        }
    }
    println!("{tested} derivatives agree with differences");
    assert!(tested > 100, "{tested} derivatives were tested");
}

#[test]
fn every_program_is_formatted() {
    let output = riesz().arg("fmt").arg("--check").args(programs()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}

/// One row: the program of its module, applied to its input, against what is expected.
fn compare(row: &Value) -> Result<(), String> {
    let (module, function) = (text(row, "module"), text(row, "function"));
    let name = format!("{module} {function} {}", row["description"].as_str().unwrap_or(""));
    let mut input = row["input"].clone();
    // Names of bones are text, which programs do not have.
    if let Some(model) = input.pointer_mut("/data/model").and_then(Value::as_object_mut) {
        model.remove("bone_names");
    }
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.json", name.replace(' ', "_")));
    fs::write(&file, input.to_string()).unwrap();
    let output = riesz()
        .arg("eval")
        .arg(root().join("gradbench").join(module).with_extension("rz"))
        .arg(format!("{function}(input)"))
        .arg(format!("--let=input=@{}", file.display()))
        .arg("--json")
        .output()
        .unwrap();
    if !output.status.success() {
        return Err(format!("{name}: {}", said(&output)));
    }
    let value: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("{name}: {error}"))?;
    difference(&value, &row["expected"]).map_or(Ok(()), |place| Err(format!("{name}: {place}")))
}

/// Where two values differ first, if they do.
fn difference(value: &Value, expected: &Value) -> Option<String> {
    match (value, expected) {
        (Value::Array(xs), Value::Array(ys)) if xs.len() == ys.len() => {
            let mut pairs = xs.iter().zip(ys).enumerate();
            pairs.find_map(|(i, (x, y))| difference(x, y).map(|place| format!("[{i}]{place}")))
        }
        (Value::Object(xs), Value::Object(ys)) if xs.len() == ys.len() => {
            let mut pairs = xs.iter().map(|(key, x)| (key, x, &expected[key]));
            pairs.find_map(|(key, x, y)| difference(x, y).map(|place| format!(".{key}{place}")))
        }
        _ => match (value.as_f64(), expected.as_f64()) {
            (Some(x), Some(y)) if (x - y).abs() < 1e-6 * f64::max(1.0, x.abs() + y.abs()) => None,
            _ => Some(format!(" is {value}, expected {expected}")),
        },
    }
}

fn programs() -> Vec<PathBuf> {
    ["examples", "gradbench"].iter().flat_map(|folder| files_in(&root().join(folder), "rz")).collect()
}

fn rows_of(file: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(file).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn files_in(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or("")
}

fn said(output: &std::process::Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn riesz() -> Command {
    Command::new(env!("CARGO_BIN_EXE_riesz"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
