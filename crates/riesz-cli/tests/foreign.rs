//! No user text and no path becomes code: programs full of hostile names, in files with hostile names, give the same
//! code as others, compile, and compute the same results.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Names that mean something in Rust or C, in what surrounds generated code, or in the generator's own habits.
const NAMES: &str = "
    as break const continue crate enum extern fn impl match mod move mut pub ref return self Self static struct super
    trait unsafe use where async await dyn abstract become box final macro override priv typeof unsized virtual yield
    try gen union raw safe macro_rules
    Ok Err Some None Vec Box String Option Result Default drop f64 f32 i64 u64 u32 usize bool str std core alloc main vec
    panic println include_str env
    riesz_0 riesz_1 riesz_free riesz_runtime MEMORY context arguments results told fault turns before
    auto case char const continue default double enum extern float goto inline int long register restrict short signed
    sizeof static struct switch typedef union unsigned void volatile asm typeof alignas nullptr int64_t int32_t uint64_t
    size_t NULL NAN INFINITY INT64_MAX INT64_MIN INT64_C PRId64 RIESZ_RUN RIESZ_SITES RIESZ_MEMORY RIESZ_DECLARATIONS run
    exp log pow erf malloc free printf read write exit index y0 gamma signgam errno linux unix near isnan signbit stdin
    out out_0 out_len out_room result_0 fill_at swapped grown ended loop_f riesz_fail error fail block step __x86_64__
    __func__ _Bool _Generic
    chunk_iterations iterations chunk_plan chunk_from chunk_to lane_block lane_total r0 r1 t t_1 t_2 v v_1 f f_1
    x x_lanes x_sums x_room x_private x_part x_near x_carry_1 x_2 x' x'' x_prime θ u3b8 Σx 変数 é _a __ ___ a__b
";

/// Paths that would be code if they were copied into it.
const PATHS: [&str; 9] = [
    "a\npub fn foreign() -> i32 { 7 }\n//.rz",
    "a\r\npub fn foreign() -> i32 { 7 }\r\n//.rz",
    "*/ #[foreign]pub fn foreign() {} /*.rz",
    "\"; pub fn foreign() {} \".rz",
    "\\u{a}pub fn foreign() {}\\\\n'\\''.rz",
    "#![foreign]\n#[foreign(foreign)]\nforeign!{}.rz",
    "\u{202e}\u{2066}\u{2028}\u{2029}\u{85}\u{b}\u{c}pub fn foreign() {}.rz",
    "`]}) (foreign)[foreign].rz",
    "\u{e000}f0\u{e001}\u{e000}p0\u{e001}foreign.rz",
];

#[test]
fn hostile_names_and_paths_are_the_same_code_and_compute_the_same() {
    let names = names();
    let (program, calls) = program(&names);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let plain = folder.join("plain.rz");
    fs::write(&plain, &program).unwrap();

    // All of it, emitted: the names are there, mangled, and every word is ASCII.
    let emitted = stdout(&riesz(&["emit", plain.to_str().unwrap(), "test_of_all", "--to", "rust"]));
    assert!(emitted.is_ascii(), "foreign characters in\n{emitted}");
    let items = items(&emitted);
    assert!(items.len() > 100, "the functions with hostile names are written out");

    // Where it comes from changes comments alone, whatever the path says.
    for path in PATHS {
        let file = folder.join(path);
        let made = fs::create_dir_all(file.parent().unwrap()).and_then(|()| fs::write(&file, &program));
        if let Err(error) = made {
            println!("skipped: there can be no file of the name {path:?}: {error}");
            continue;
        }
        let hostile = stdout(&riesz(&["emit", file.to_str().unwrap(), "test_of_all", "--to", "rust"]));
        assert_eq!(self::items(&hostile), items, "{path:?}");
        assert_eq!(without_comments(&hostile), without_comments(&emitted), "{path:?}");
    }

    // As native code, from the worst path, it computes what the interpreter computes.
    let worst = folder.join(PATHS[0]);
    let expected = stdout(&riesz(&["eval", plain.to_str().unwrap(), &calls]));
    let native = riesz(&["eval", worst.to_str().unwrap(), &calls, "--backend", "native"]);
    assert_eq!(String::from_utf8_lossy(&native.stderr), "");
    assert_eq!(stdout(&native), expected);

    // What was emitted compiles by itself, beside the runtime that has just been built.
    let source = folder.join("emitted.rs");
    fs::write(&source, &emitted).unwrap();
    let runtime = fs::read_dir(cache().join("native")).unwrap().find_map(|entry| {
        let library = entry.unwrap().path().join("libriesz_runtime.rlib");
        library.is_file().then_some(library)
    });
    let mut compiler = Command::new(std::env::var_os("RIESZ_RUSTC").unwrap_or("rustc".into()));
    compiler.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Ctarget-cpu=native", "-Cpanic=abort"]);
    compiler.arg(format!("--extern=riesz_runtime={}", runtime.expect("a runtime").display()));
    let output = compiler.arg(&source).arg("--out-dir").arg(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn hostile_names_and_paths_are_the_same_c_and_compute_the_same() {
    if !Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return println!("skipped: there is no C compiler");
    }
    let (program, _) = program(&names());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign-c");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let plain = folder.join("plain.rz");
    fs::write(&plain, &program).unwrap();
    let emit = |file: &Path| stdout(&riesz(&["emit", file.to_str().unwrap(), "test_of_all", "--to", "c"]));
    let emitted = emit(&plain);
    for path in PATHS {
        let file = folder.join(path);
        if fs::create_dir_all(file.parent().unwrap()).and_then(|()| fs::write(&file, &program)).is_err() {
            continue;
        }
        let hostile = emit(&file);
        assert!(hostile.is_ascii(), "foreign characters in\n{hostile}");
        assert_eq!(bare(&hostile), bare(&emitted), "{path:?}");
    }
    // From the worst path, it compiles without a warning, and computes what the interpreter computes.
    fs::write(folder.join("code.c"), emit(&folder.join(PATHS[4]))).unwrap();
    let main = "#define RIESZ_DECLARATIONS\n#include \"code.c\"\nint main(void) {\n    riesz_run run = RIESZ_RUN;\n    \
                double out;\n    if (riesz_test_of_all(&run, 0, &out)) return 1;\n    printf(\"%.17g\\n\", out);\n}\n";
    fs::write(folder.join("main.c"), main).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "code.c", "-lm", "-omain"]);
    let output = compiler.current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected: f64 = stdout(&riesz(&["eval", plain.to_str().unwrap(), "test_of_all(0)"])).trim().parse().unwrap();
    let found: f64 = stdout(&Command::new(folder.join("main")).output().unwrap()).trim().parse().unwrap();
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
}

/// C without its comments and strings.
fn bare(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines().filter(|line| !line.starts_with("//")) {
        let mut parts = line.replace("\\\\", "").replace("\\\"", "");
        while let Some((before, rest)) = parts.clone().split_once('"') {
            parts = format!("{before}{}", rest.split_once('"').expect("a string ends").1);
        }
        text += &(parts + "\n");
    }
    text
}

/// The hostile names: those above, and all that the runtime defines.
fn names() -> Vec<String> {
    let mut names: BTreeSet<String> = NAMES.split_whitespace().map(str::to_string).collect();
    let before = names.len();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let runtime = fs::read_to_string(crates.join("riesz-c/src/runtime.c")).unwrap();
    let words = runtime.split(|c: char| !c.is_alphanumeric() && c != '_');
    names.extend(words.filter_map(|word| word.strip_prefix("riesz_")).map(str::to_string));
    let mut work = vec![crates.join("riesz-runtime/src")];
    while let Some(path) = work.pop() {
        if path.is_dir() {
            work.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        for line in fs::read_to_string(path).unwrap().lines() {
            let words: Vec<&str> =
                line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
            let defines = ["fn", "struct", "enum", "const", "static", "mod", "type", "trait"];
            if let ["pub", rest @ ..] = &words[..]
                && let Some(at) = rest.iter().position(|word| defines.contains(word))
            {
                let names_it = rest[at..].iter().find(|word| !defines.contains(word) && **word != "unsafe");
                names.extend(names_it.map(|name| name.to_string()));
            }
        }
    }
    assert!(names.len() > before + 100, "the runtime is not where it was");
    // The words of Riesz itself, and what the program below calls.
    let own =
        "fun let in if then else loop for while do true false and or not check within import type sum sin cos real";
    names.retain(|name| own.split(' ').all(|word| word != name) && name != "_");
    names.into_iter().collect()
}

/// A program in which every name is that of a function, of a parameter, of a size, of a local value and of an element; and
/// an expression that uses all of it.
fn program(names: &[String]) -> (String, String) {
    let mut program = String::new();
    let mut total = String::from("0.0");
    for (at, name) in names.iter().enumerate() {
        // It calls itself, so that it stays a function.
        writeln!(program, "fun {name}(n: Int): R = if n < 1 then {at}.0 else {name}(n - 1) + 1.0").unwrap();
        write!(total, " + {name}(2)").unwrap();
    }
    let mut calls = vec!["test_of_names(1)".to_string()];
    for (at, group) in names.chunks(8).enumerate() {
        let group: Vec<&str> = group.iter().map(|name| if name == "v" { "w" } else { name }).collect();
        let parameters: Vec<String> = group.iter().map(|name| format!("{name}: R")).collect();
        let [first, .., last] = &group[..] else { continue };
        writeln!(program, "fun test_group_{at}(v: [test_size_{at}]R, {}): R =", parameters.join(", ")).unwrap();
        // Sine and cosine of one number are computed together, sums in lanes, and arrays are kept for later.
        writeln!(program, "  let test_sum = {}", group.join(" + ")).unwrap();
        writeln!(program, "  let {first} = [cos({last}) * test_sum + sin({last}) * {last} | {last} in v]").unwrap();
        writeln!(
            program,
            "  sum({last} * {last} | {last} in {first}) + (loop {first} = 0.0 for {last} < 3 do {first} + real({last}))"
        )
        .unwrap();
        let arguments: Vec<String> = (1..=group.len()).map(|number| format!("{number}.0")).collect();
        calls.push(format!("test_group_{at}([0.0 | i < 20], {})", arguments.join(", ")));
    }
    writeln!(program, "fun test_of_names(zero: Int): R = {total}").unwrap();
    writeln!(program, "fun test_of_all(zero: Int): R = {}", calls.join(" + ")).unwrap();
    (program, format!("[{}, test_of_all(0)]", calls.join(", ")))
}

/// What is defined at the top: functions and attributes.
fn items(source: &str) -> Vec<String> {
    let starts = |line: &&str| !line.starts_with([' ', '/', '}', ')']) && !line.is_empty();
    source.lines().filter(starts).map(|line| line.split('(').next().unwrap_or_default().to_string()).collect()
}

fn without_comments(source: &str) -> String {
    source.lines().filter(|line| !line.starts_with("///")).collect::<Vec<_>>().join("\n")
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign-cache")
}

fn riesz(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_riesz"));
    command.args(arguments).env("RIESZ_CACHE", cache()).output().expect("the command runs")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
