//! The cache of native code under attack, and interrupted builds: in every case the answer is right, no foreign code is
//! loaded, and no files are left behind.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_damaged_library_is_built_again_whatever_the_environment_says() {
    let scene = Scene::new("damage");
    let expression = "sum(x * x | x in [1.0, 2.0, 3.0])";
    let evaluate = || {
        let mut command = scene.riesz(&["eval", "--backend", "native", expression]);
        // None of these reaches the compiler. The directory asks for a toolchain that is not there.
        command.env("RUSTFLAGS", "--no-such-flag").env("CARGO_ENCODED_RUSTFLAGS", "--no-such-flag");
        command.env("RUSTC_WRAPPER", "false").env("RUSTC", "false").env("CARGO_BUILD_RUSTC", "false");
        command.env("RUSTC_LOG", "trace").env("RUST_TARGET_PATH", "nowhere").env("LD_PRELOAD", "");
        succeeded(command.current_dir(&scene.root))
    };
    fs::write(scene.root.join("rust-toolchain.toml"), "[toolchain]\nchannel = \"no-such-channel\"\n").unwrap();
    assert_eq!(evaluate(), "14.0\n");
    let [library] = &scene.programs()[..] else { panic!("one library is kept") };
    let whole = fs::read(library).unwrap();
    assert_eq!(fs::metadata(scene.cache.join("native")).unwrap().mode() & 0o777, 0o700);
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [&whole[..4096], &flipped, &[]] {
        fs::write(library, damaged).unwrap();
        assert_eq!(evaluate(), "14.0\n");
        assert_eq!(fs::read(library).unwrap(), whole, "the same is built again");
    }
    assert!(scene.builds_left().is_empty());

    let shown = succeeded(&mut scene.riesz(&["cache"]));
    assert!(shown.contains("programs   1\nruntimes   1\n") && shown.contains("of at most 1.0 GiB"), "{shown}");
    let shown = succeeded(scene.riesz(&["cache", "--json"]).env("RIESZ_CACHE_LIMIT", "5M"));
    assert!(shown.contains("\"programs\":1") && shown.contains("\"limit\":5242880"), "{shown}");
    let cleared = succeeded(&mut scene.riesz(&["cache", "clear"]));
    assert!(cleared.starts_with("removed ") && scene.programs().is_empty(), "{cleared}");
    assert!(succeeded(&mut scene.riesz(&["cache", "--json"])).contains("\"bytes\":0"));
}

#[test]
fn a_cache_that_others_can_write_to_is_refused_and_the_interpreter_runs() {
    let scene = Scene::new("others");
    scene.fake_compiler("exit 1");
    let warned = |cause: &str| {
        let output = scene.riesz(&["eval", "--backend", "native", "1 + 1"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "2\n");
        let warning = String::from_utf8_lossy(&output.stderr);
        assert!(warning.contains("warning[not-native]") && warning.contains(cause), "{cause}: {warning}");
        assert!(warning.contains("RIESZ_CACHE") && warning.contains("interpreter runs"), "{warning}");
    };
    fs::create_dir(&scene.cache).unwrap();
    fs::set_permissions(&scene.cache, fs::Permissions::from_mode(0o777)).unwrap();
    warned("can be written to by others (mode 777)");
    fs::remove_dir(&scene.cache).unwrap();
    std::os::unix::fs::symlink(&scene.root, &scene.cache).unwrap();
    warned("it is a symbolic link");
    let output = scene.riesz(&["cache"]).output().unwrap();
    assert!(output.status.success(), "what is not there is empty: {output:?}");
}

#[test]
fn without_a_place_of_the_users_own_nothing_is_built() {
    let scene = Scene::new("homeless");
    scene.fake_compiler("exit 1");
    let mut command = scene.riesz(&["eval", "--backend", "native", "1 + 1"]);
    let output = command.env_remove("RIESZ_CACHE").env_remove("XDG_CACHE_HOME").env_remove("HOME").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2\n");
    let warning = String::from_utf8_lossy(&output.stderr);
    assert!(warning.contains("there is no place to keep native code"), "{warning}");
    assert!(warning.contains("set RIESZ_CACHE to a directory of yours"), "{warning}");
    let output = scene.riesz(&["cache"]).env("RIESZ_CACHE_LIMIT", "much").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(problem.contains("RIESZ_CACHE_LIMIT is `much`"), "{problem}");
}

/// Another process may clear the cache, or prune it, while the compiler runs.
#[test]
fn a_build_does_not_need_what_is_cleared_meanwhile() {
    let scene = Scene::new("cleared");
    let clear = format!("rm -rf {}/native/[0-9a-f]*", scene.cache.display());
    scene.fake_compiler(&format!("[ $1 = program.rs ] && {clear}; exec rustc \"$@\""));
    let value = succeeded(&mut scene.riesz(&["eval", "--backend", "native", "sum(x * x | x in [1.0, 2.0])"]));
    assert_eq!(value, "5.0\n");
    assert_eq!(scene.programs().len(), 1);
}

#[test]
fn a_build_that_is_stopped_leaves_nothing_behind() {
    let scene = Scene::new("stopped");
    let pid = scene.root.join("pid");
    scene.fake_compiler(&format!("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600", pid.display()));
    for (signal, status) in [("INT", Some(130)), ("KILL", None)] {
        let _ = fs::remove_file(&pid);
        let mut child = scene.riesz(&["eval", "--backend", "native", "1 + 1"]).spawn().unwrap();
        let compiler = wait_for("the compiler starts", || fs::read_to_string(&pid).ok());
        assert!(is_running(compiler.trim()) && scene.builds_left().len() == 1);
        let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), status, "{signal}");
        wait_for("the compiler ends", || (!is_running(compiler.trim())).then_some(()));
        // What cannot tidy up itself is tidied up by the next build.
        let left = if signal == "KILL" { 1 } else { 0 };
        assert_eq!(scene.builds_left().len(), left, "{signal}");
    }
    scene.fake_compiler("echo 'it has failed' >&2; exit 1");
    let output = scene.riesz(&["eval", "--backend", "native", "1 + 1"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("it has failed"));
    assert!(scene.builds_left().is_empty());
}

#[test]
fn a_long_build_shows_progress_on_a_terminal_and_nowhere_else() {
    let scene = Scene::new("progress");
    scene.fake_compiler("sleep 3; exit 1");
    let said = "compiling native code: 2 s, Ctrl-C stops it";
    let output = scene.riesz(&["eval", "--backend", "native", "1 + 1"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains(said));
    let line = format!("{} eval --backend native '1 + 1'", env!("CARGO_BIN_EXE_riesz"));
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &line, "/dev/null"]).env("RIESZ_CACHE", &scene.cache).env("TERM", "xterm");
    match terminal.env("RIESZ_RUSTC", scene.compiler()).stdin(Stdio::null()).output() {
        Ok(output) => {
            let screen = String::from_utf8_lossy(&output.stdout);
            assert!(screen.contains(said), "{screen:?}");
        }
        Err(error) => println!("skipped: there is no `script` to make a terminal: {error}"),
    }
}

#[test]
fn doctor_says_what_is_there_and_why() {
    let scene = Scene::new("doctor");
    scene.fake_compiler("exit 1");
    let said = succeeded(&mut scene.riesz(&["doctor"]));
    for part in
        ["riesz      0.", "compiler   rustc 0.0.0-fake", "processor  ", "of at most 1.0 GiB", "--backend native"]
    {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let said = succeeded(scene.riesz(&["doctor"]).env("RIESZ_RUSTC", "no-such-compiler"));
    assert!(
        said.contains("there is no Rust compiler here") && said.contains("see above for the missing parts"),
        "{said}"
    );
    let said = succeeded(&mut scene.riesz(&["doctor", "--json"]));
    assert!(said.contains("\"native\":true") && said.contains("0.0.0-fake"), "{said}");
}

/// A directory with a cache in it, and perhaps a compiler.
struct Scene {
    root: PathBuf,
    cache: PathBuf,
}

impl Scene {
    fn new(name: &str) -> Scene {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(name);
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let root = fs::canonicalize(root).unwrap();
        Scene { cache: root.join("cache"), root }
    }

    /// A compiler that does this when it is asked to compile.
    fn fake_compiler(&self, does: &str) {
        fs::create_dir_all(self.root.join("bin")).unwrap();
        let (script, root) = (self.compiler(), self.root.display());
        let answers = format!("--print) echo {root} ;;\n-vV) echo 'rustc 0.0.0-fake' ;;\n*) {does} ;;");
        fs::write(&script, format!("#!/bin/sh\ncase $1 in\n{answers}\nesac\n")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn compiler(&self) -> PathBuf {
        self.root.join("bin/rustc")
    }

    fn riesz(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_riesz"));
        command.args(arguments).env("RIESZ_CACHE", &self.cache).stdin(Stdio::null());
        if self.compiler().exists() {
            command.env("RIESZ_RUSTC", self.compiler());
        }
        command
    }

    /// The libraries of programs that are kept.
    fn programs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache.join("native")).unwrap();
        entries.map(|entry| entry.unwrap().path().join("program.so")).filter(|path| path.exists()).collect()
    }

    /// The directories of builds.
    fn builds_left(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache.join("native/work")).unwrap();
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
    }
}

fn succeeded(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success() && stderr.is_empty(), "{command:?}: {stderr}");
    String::from_utf8(stdout).unwrap()
}

fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        match found() {
            Some(found) => return found,
            None => assert!(start.elapsed() < Duration::from_secs(60), "{what}, not within a minute"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process runs; one that has ended and that nobody has asked for does not.
fn is_running(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with(['Z', 'X']))
}
