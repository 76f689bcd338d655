//! Cases that no golden page can show: files that are not text, pipes that close, files that must not be changed.

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

/// A file with a header as it is written here.
fn npy(header: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

#[test]
fn data_that_need_more_memory_than_allowed_are_refused() {
    let folder = folder("large_data");
    for (name, shape) in [("rows", "(1000000000000, 0)"), ("columns", "(3, 1000000000000)"), ("minus", "(-1, 0)")] {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        fs::write(folder.join(format!("{name}.npy")), npy(&header)).unwrap();
        let output = riesz(&folder).args(["eval", "1", "--let", &format!("x=@{name}.npy")]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{shape}: {}", stderr(&output));
        assert!(!stderr(&output).contains("internal"), "{shape}: {}", stderr(&output));
    }
    // A few rows without elements are an array like any other.
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }\n";
    fs::write(folder.join("few.npy"), npy(header)).unwrap();
    let output = riesz(&folder).args(["eval", "(size(x), x)", "--let", "x=@few.npy"]).output().unwrap();
    assert_eq!(stdout(&output), "(3, [[], [], []])\n");
}

#[test]
fn an_object_without_keys_is_the_empty_tuple() {
    let folder = folder("empty_object");
    fs::write(folder.join("e.json"), "{}").unwrap();
    fs::write(folder.join("f.rz"), "fun f(u: ()): R = 1\nfun g(r: {a: R}): R = r.a\n").unwrap();
    let evaluate = |text: &str| riesz(&folder).args(["eval", "f.rz", text, "--let", "x=@e.json"]).output().unwrap();
    assert_eq!(stdout(&evaluate("x")), "()\n");
    assert_eq!(stdout(&evaluate("f(x)")), "1.0\n");
    let lacking = evaluate("g(x)");
    assert_eq!(lacking.status.code(), Some(1));
    assert!(stderr(&lacking).contains("the record lacks `a`"), "{}", stderr(&lacking));
}

#[test]
fn a_prompt_for_a_file_that_is_not_there_ends() {
    let folder = folder("no_file");
    let output = riesz(&folder).args(["repl", "no.rz"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot read no.rz: there is no such file"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn only_files_are_imported() {
    let folder = folder("devices");
    let fifo = folder.join("pipe.rz");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fs::create_dir(folder.join("sub")).unwrap();
    for (path, reason) in [("/dev/zero", "it is not a file"), ("pipe.rz", "it is not a file"), ("sub", "directory")] {
        fs::write(folder.join("main.rz"), format!("import \"{path}\"\n")).unwrap();
        let output = riesz(&folder).args(["check", "main.rz"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{path}");
        assert!(stderr(&output).contains(reason), "{path}: {}", stderr(&output));
    }
    let output = riesz(&folder).args(["check", "/dev/zero"]).output().unwrap();
    assert!(stderr(&output).contains("it is a device"), "{}", stderr(&output));
    // A pipe that somebody names on the command line is read.
    let output = Command::new("bash")
        .args(["-c", &format!("{} check <(echo 'check 1 == 1')", env!("CARGO_BIN_EXE_riesz"))])
        .output()
        .unwrap();
    assert!(stdout(&output).contains("1 check passed"));
}

#[test]
fn a_file_that_is_no_program_is_not_quoted_at_length() {
    let folder = folder("no_program");
    fs::write(folder.join("page.rz"), "<p class=\"a\">word</p>".repeat(10_000)).unwrap();
    let lines = format!("<html>\n{}</html>\n", "<li><a href=\"x\">word</a> 1 + ( [ { \"</li>\n".repeat(1000));
    fs::write(folder.join("lines.rz"), lines).unwrap();
    let binary: Vec<u8> = (0..100_000u32).map(|at| (at * 7 % 256) as u8).collect();
    fs::write(folder.join("binary.rz"), binary).unwrap();
    for name in ["page", "lines", "binary"] {
        fs::write(folder.join("main.rz"), format!("import \"{name}.rz\"\n")).unwrap();
        let output = riesz(&folder).args(["check", "main.rz"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = stderr(&output);
        assert!(said.len() < 4000, "{name}: {} bytes\n{said}", said.len());
        assert!(said.lines().all(|line| line.chars().count() <= 240), "{name}: {said}");
    }
}

/// Under a limit of the system that is lower than that of an evaluation, the end is a message, wherever the memory goes.
#[cfg(target_os = "linux")]
#[test]
fn without_memory_there_is_a_message() {
    let folder = folder("memory");
    let numbers = vec!["0.123456789"; 4_000_000].join(", ");
    fs::write(folder.join("large.json"), format!("[{numbers}]")).unwrap();
    let terms = vec!["x"; 3_000_000].join(" + ");
    fs::write(folder.join("long.rz"), format!("fun f(x: R): R = {terms}\n")).unwrap();
    fs::write(folder.join("deep.rz"), "fun f(n: Int): Int = if n == 0 then 0 else 1 + f(n - 1)\n").unwrap();
    for arguments in [
        &["eval", "sum(replicate(200000000, 1.5))"][..],
        &["eval", "size(iota(150000000))"],
        &["eval", "size([[1.0 * i | j < 20000] | i < 20000])"],
        &["eval", "size(concat([0.5 | i < 60000000], [0.5 | i < 60000000]))"],
        &["eval", "(loop v = [1.0] for i < 40 do slice(concat(v, v), 0, 1))[0] + sum([1.0 | i < 200000000])"],
        &["eval", "sum(x)", "--let", "x=@large.json"],
        &["eval", "long.rz", "f(1)"],
        &["eval", "deep.rz", "f(99999)"],
        &["eval", "matrix(D(\\v -> v * v, [1.0 | i < 20000]))[0][0]", "--via", "forward-dense"],
    ] {
        for limit in [330_000, 600_000, 1_000_000] {
            let output = within(&format!("-v {limit}"), arguments, &folder);
            let said = stderr(&output);
            match output.status.code() {
                Some(0) => {}
                Some(1) => assert!(said.contains("error[memory-limit]"), "{arguments:?} in {limit} KiB: {said}"),
                other => panic!("{arguments:?} in {limit} KiB ends with {other:?}: {said}"),
            }
        }
    }
}

/// Runs the command under a limit of the system, in KiB.
#[cfg(target_os = "linux")]
fn within(limit: &str, arguments: &[&str], folder: &Path) -> Output {
    Command::new("bash")
        .args(["-c", &format!("ulimit {limit}; exec {} \"$@\"", env!("CARGO_BIN_EXE_riesz")), "riesz"])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Where the system allows only short files, the end is a message, and files stay as they were.
#[cfg(target_os = "linux")]
#[test]
fn files_that_may_not_be_written_are_reported() {
    let folder = folder("short");
    let program =
        "fun  f(x: R): R = sin(x) * exp(x) / (1 + x * x) + log(x)\n".to_string() + &"# A comment.\n".repeat(1000);
    fs::write(folder.join("f.rz"), &program).unwrap();
    for arguments in [&["fmt", "f.rz"][..], &["graph", "f.rz", "f", "-o", "f.svg"]] {
        let output = within("-f 1", arguments, &folder);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.starts_with("error") && !said.contains("internal"), "{arguments:?}: {said}");
        assert_eq!(fs::read_to_string(folder.join("f.rz")).unwrap(), program);
        let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 1, "{arguments:?} leaves {names:?}");
    }
    // The cache cannot be written: the interpreter runs, or the message says so.
    let cache = folder.join("cache");
    let command = format!("ulimit -f 1; exec {} eval --backend native '1 + 1.5'", env!("CARGO_BIN_EXE_riesz"));
    let output = Command::new("bash").args(["-c", &command]).env("RIESZ_CACHE", &cache).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
}

/// The command works on a stack of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_small_stack_of_the_system_is_enough() {
    let output = within("-s 32", &["eval", "sum(i | i < 10)"], &folder("stack"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "45\n", "{output:?}");
}

/// Native code that the system refuses working memory ends with a message as well. It is built before, without the limit.
#[cfg(target_os = "linux")]
#[test]
fn without_memory_native_code_gives_a_message() {
    let folder = folder("native_memory");
    let program = "fun m(n: Int): [n][n]R = [[if i == j then 2.0 * n else sin(1.0 * i * j) | j < n] | i < n]\n\
        fun s(n: Int): [n][n]R = [[if i < 2 then 1.0 * j else sin(1.0 * i * j) | j < n] | i < n]\n\
        fun total(n: Int, a: [n][n]R): R = sum(sum(row) | row in a)\n";
    fs::write(folder.join("matrix.rz"), program).unwrap();
    let mut refused = 0;
    for expression in [
        "sum(solve(m(2000), [1.0 * i | i < 2000]))",
        "total(2000, inv(m(2000)))",
        "logdet(m(2000))",
        "total(2000, grad(\\a -> det(a), m(2000)))",
        "total(100, grad(\\a -> det(a), s(100)))",
        "total(2000, grad(\\a -> total(2000, cholesky(a)), m(2000)))",
        "total(2000, dot(m(2000), m(2000)))",
    ] {
        let arguments = ["eval", "matrix.rz", expression, "--backend", "native"];
        let output = riesz(&folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{expression}: {}", stderr(&output));
        for limit in (332_000..444_000).step_by(16_000) {
            let output = within(&format!("-v {limit}"), &arguments, &folder);
            let said = stderr(&output);
            match output.status.code() {
                Some(0) => {}
                Some(1) => {
                    assert!(said.contains("error[memory-limit]"), "{expression} in {limit} KiB: {said}");
                    refused += usize::from(said.contains("matrix.rz"));
                }
                other => panic!("{expression} in {limit} KiB ends with {other:?}: {said}"),
            }
        }
    }
    // Some of them in the middle of a function of the program.
    assert!(refused > 0);
}

#[cfg(unix)]
#[test]
fn formatting_keeps_mode_and_links() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let folder = folder("mode_and_links");
    let (file, other, link) = (folder.join("a.rz"), folder.join("b.rz"), folder.join("c.rz"));
    let inode = || fs::metadata(&file).unwrap().ino();
    fs::write(&file, "let  a=1\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.rz", &link).unwrap();
    assert!(riesz(&folder).args(["fmt", "c.rz"]).status().unwrap().success());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), "let a = 1\n");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
    // Two names of one file stay two names of one file.
    fs::write(&file, "let  a=2\n").unwrap();
    fs::hard_link(&file, &other).unwrap();
    let before = inode();
    assert!(riesz(&folder).args(["fmt", "b.rz"]).status().unwrap().success());
    assert_eq!((inode(), fs::read_to_string(&file).unwrap()), (before, "let a = 2\n".to_string()));
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

/// Eight times as many items take about eight times as long, not sixty-four.
#[test]
fn long_files_take_a_time_that_grows_with_their_length() {
    let folder = folder("long");
    let lines = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let cases: [(&str, &dyn Fn(usize) -> String); 7] = [
        ("lets", &|n| lines(n, &|at| format!("let a{at} = {at}.0\n"))),
        ("funs", &|n| lines(n, &|at| format!("fun f{at}(x: R): R = x + {at}\n"))),
        ("checks", &|n| lines(n, &|at| format!("check {at} == {at}\n"))),
        ("checked lets", &|n| lines(n, &|at| format!("let a{at} = {at}\ncheck a{at} == {at}\n"))),
        ("checked funs", &|n| lines(n, &|at| format!("fun f{at}(x: R): R = x + {at}\ncheck f{at}(0) == {at}\n"))),
        ("a chain", &|n| format!("let a0 = 0\n{}", lines(n, &|at| format!("let a{} = a{at} + 1\n", at + 1)))),
        ("terms", &|n| format!("let a = 0{}\n", lines(n, &|at| format!(" + {at}")))),
    ];
    for (name, text) in cases {
        let time = |count: usize| {
            fs::write(folder.join("long.rz"), text(count)).unwrap();
            let start = std::time::Instant::now();
            let output = riesz(&folder).args(["check", "long.rz"]).output().unwrap();
            assert!(output.status.success(), "{name}: {}", stderr(&output));
            start.elapsed()
        };
        let (short, long) = (time(10_000), time(80_000));
        println!("{name}: {short:?} for 10,000, {long:?} for 80,000");
        // Machines are busy: the quadratic ones were sixty times slower and took half a minute.
        assert!(long < 30 * short.max(std::time::Duration::from_millis(100)), "{name}: {short:?}, then {long:?}");
    }
}
