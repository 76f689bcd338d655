//! The compiler of the machine: finding it and calling it.
//!
//! Its output depends on its inputs here and on nothing else in the user's environment. It runs in a private directory,
//! with only the environment variables that it needs to find itself, its libraries and the linker. `RUSTFLAGS`,
//! `RUSTC_WRAPPER`, the settings of Cargo and toolchain files in directories do not affect it.

use crate::cache::{Cache, Kind, key};
use crate::child::{self, BuildObserver};
use crate::problem::Problem;
use crate::processor;
use crate::runtime::RUNTIME;
use crate::work::Work;
use riesz_program::Precision;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Whether positions are checked that are proven or checked already: for tests.
    pub checked: bool,
    /// Whether products in which zero is exact are computed so from the start, and not only where plain ones give NaN.
    pub careful: bool,
    /// Whether to build fast rather than fast code.
    pub quick: bool,
    /// Whether loops are cut into as many chunks as there can be, however little they do: for tests.
    pub fine: bool,
    /// Whether every processor of the kind can run the code, and valgrind too, rather than this processor best: for tests.
    pub portable: bool,
    /// How long real numbers are.
    pub precision: Precision,
}

/// The `rustc` of the machine, and the cache of what it builds.
#[derive(Clone)]
pub struct Compiler {
    rustc: PathBuf,
    version: String,
    /// A text that distinguishes it from other compilers of the same version, and names the processor it compiles for.
    identity: String,
    runtimes: Cache,
    programs: Cache,
    watch: Option<BuildObserver>,
    /// The temporary folder of `programs`, if they have one.
    _while: Option<Arc<Work>>,
}

/// The variables that a compiler needs to find itself, its libraries and the linker.
const VARIABLES: [&str; 5] = ["PATH", "HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"];

impl Compiler {
    /// Finds the compiler: the one that `RIESZ_RUSTC` names, or the `rustc` of the path. What it builds is kept in
    /// `RIESZ_CACHE`, or where the user's caches are.
    pub fn find() -> Result<Compiler, Problem> {
        let cache = Cache::of_environment()?;
        let (rustc, version) = Compiler::installed()?;
        let identity = format!("{}\n{}", file_identity(&rustc), processor::identity());
        Ok(Compiler { rustc, version, identity, runtimes: cache.clone(), programs: cache, watch: None, _while: None })
    }

    /// The compiler that is there, and its version.
    pub fn installed() -> Result<(PathBuf, String), Problem> {
        let named = std::env::var_os("RIESZ_RUSTC").filter(|name| !name.is_empty());
        let named = PathBuf::from(named.unwrap_or_else(|| OsString::from("rustc")));
        // A name alone is looked for in the path; others are meant from where the user is.
        let named = match named.components().count() {
            1 => named,
            _ => std::path::absolute(&named).unwrap_or(named),
        };
        let sysroot = ask(&named, &["--print", "sysroot"])?;
        // What is called `rustc` is often a manager of compilers, which decides at every call which to take.
        let own = Path::new(sysroot.trim()).join("bin").join("rustc");
        let rustc = if own.is_file() { own } else { named };
        let version = ask(&rustc, &["-vV"])?;
        Ok((rustc, version))
    }

    /// The version that it reports.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The same, telling how long it takes.
    pub fn watched_by(self, watch: BuildObserver) -> Compiler {
        Compiler { watch: Some(watch), ..self }
    }

    /// The same with a cache of its own for programs, in which nothing is built: for clocks. It lies in the cache, and is
    /// gone with the last copy of the compiler.
    pub fn afresh(&self) -> Result<Compiler, Problem> {
        let work = self.runtimes.work()?;
        Ok(Compiler { programs: Cache::at(work.path()), _while: Some(Arc::new(work)), ..self.clone() })
    }

    /// The same with another directory for all that it builds.
    pub fn keeping_in(self, directory: PathBuf) -> Compiler {
        let cache = Cache::at(&directory);
        Compiler { runtimes: cache.clone(), programs: cache, ..self }
    }

    /// The library of a source, built now or before.
    pub fn library(&self, source: &str, settings: Settings) -> Result<PathBuf, Problem> {
        let flags: Vec<&str> = flags(settings).into_iter().chain(PROGRAM_FLAGS).collect();
        let key = self.key(&flags, [("program.rs", source)].iter().chain(RUNTIME));
        if let Some(library) = self.programs.find(&key, Kind::Program)? {
            return Ok(library);
        }
        let runtime = self.runtime(settings)?;
        let work = self.programs.work()?;
        let beside = self.beside(&work, runtime, settings)?;
        let mut runtime = OsString::from("--extern=riesz_runtime=");
        runtime.push(beside);
        let built = self.build(&work, &[("program.rs", source)], "program.rs", &flags, Some(runtime))?;
        self.programs.keep(&key, Kind::Program, &built, &work)
    }

    /// The runtime under a name in a working directory, which stays if another process clears the cache during the
    /// build.
    fn beside(&self, work: &Work, runtime: PathBuf, settings: Settings) -> Result<PathBuf, Problem> {
        let beside = work.path().join(Kind::Runtime.file());
        match fs::hard_link(&runtime, &beside) {
            Ok(()) => Ok(beside),
            // It has been cleared since.
            Err(error) if error.kind() == ErrorKind::NotFound => self.runtime(settings),
            // Some file systems have no links.
            Err(_) => Ok(runtime),
        }
    }

    /// The runtime as a library of the compiler.
    fn runtime(&self, settings: Settings) -> Result<PathBuf, Problem> {
        let flags: Vec<&str> = flags(settings).into_iter().chain(RUNTIME_FLAGS).collect();
        let key = self.key(&flags, RUNTIME);
        if let Some(library) = self.runtimes.find(&key, Kind::Runtime)? {
            return Ok(library);
        }
        let work = self.runtimes.work()?;
        let built = self.build(&work, RUNTIME, "lib.rs", &flags, None)?;
        self.runtimes.keep(&key, Kind::Runtime, &built, &work)
    }

    fn key<'a>(&'a self, flags: &[&'a str], files: impl IntoIterator<Item = &'a (&'a str, &'a str)>) -> String {
        let same = [env!("CARGO_PKG_VERSION"), &self.version, &self.identity];
        let files = files.into_iter().flat_map(|(name, text)| [*name, *text]);
        key(same.into_iter().chain(flags.iter().copied()).chain(files))
    }

    /// Builds in a directory; where the library is.
    fn build(
        &self,
        work: &Work,
        files: &[(&str, &str)],
        main: &str,
        flags: &[&str],
        more: Option<OsString>,
    ) -> Result<PathBuf, Problem> {
        let path = work.path();
        let failed = |error: std::io::Error| Problem::system("write to the cache", path, &error);
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap_or(path)).and_then(|()| fs::write(file, text)).map_err(failed)?;
        }
        let (built, messages) = (path.join("built"), path.join("messages"));
        let mut command = command(&self.rustc, path);
        let mut same_names = OsString::from("--remap-path-prefix=");
        same_names.push(path);
        same_names.push("=riesz");
        command.arg(main).arg("-o").arg(&built).arg(same_names).args(flags).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&messages).map_err(failed)?);
        let ended = child::run(&mut command, work, self.watch.as_ref());
        let status = ended.map_err(|error| Problem::new(format!("{} cannot be run: {error}", self.rustc.display())))?;
        match status.success() {
            true => Ok(built),
            false => {
                let messages = fs::read(&messages).unwrap_or_default();
                let messages = String::from_utf8_lossy(&messages);
                Err(Problem::new(format!("the generated code does not compile ({status}):\n{}", messages.trim_end())))
            }
        }
    }
}

/// The flags that all builds have in common.
fn flags(settings: Settings) -> Vec<&'static str> {
    let mut flags = vec![
        "--edition=2024",
        "--cap-lints=allow",
        if settings.portable { "-Ctarget-cpu=generic" } else { "-Ctarget-cpu=native" },
        "-Ccodegen-units=1",
        "-Cpanic=abort",
        if settings.quick { "-Copt-level=0" } else { "-Copt-level=3" },
        if settings.checked { "-Cdebug-assertions=on" } else { "-Cdebug-assertions=off" },
        "-Coverflow-checks=off",
    ];
    if settings.portable {
        flags.push("--cfg=portable");
    }
    flags
}

const RUNTIME_FLAGS: [&str; 2] = ["--crate-type=rlib", "--crate-name=riesz_runtime"];
// Loops are in lanes already; taken eight blocks at a time they would gather and scatter. What debuggers want of the
// standard library would be nine tenths of what is kept, and verified at every use.
const PROGRAM_FLAGS: [&str; 4] =
    ["--crate-type=cdylib", "--crate-name=riesz_program", "-Cno-vectorize-loops", "-Cstrip=debuginfo"];

/// A command that runs in a directory and sees nothing of the environment but what it needs.
fn command(program: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).env_clear();
    for name in VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    // What the compiler and the linker write for themselves goes with the directory.
    command.env("TMPDIR", directory).env("LC_ALL", "C");
    command
}

/// The answer of a compiler.
fn ask(rustc: &Path, question: &[&str]) -> Result<String, Problem> {
    let cure = "install Rust from https://rustup.rs, or set RIESZ_RUSTC to a `rustc`";
    // At the root no directory asks for a toolchain of its own.
    let answer = command(rustc, Path::new("/")).env_remove("TMPDIR").args(question).stdin(Stdio::null()).output();
    let answer = answer.map_err(|error| {
        Problem::new(format!("there is no Rust compiler here: {} cannot be run: {error}", rustc.display())).cure(cure)
    })?;
    match answer.status.success() {
        true => Ok(String::from_utf8_lossy(&answer.stdout).into_owned()),
        false => {
            let why = String::from_utf8_lossy(&answer.stderr);
            let message = format!("the Rust compiler {} does not work: {}", rustc.display(), why.trim_end());
            Err(Problem::new(message).cure(cure))
        }
    }
}

/// A text that distinguishes a file from others of its kind.
fn file_identity(path: &Path) -> String {
    let found = fs::metadata(path);
    let length = found.as_ref().map_or(0, |found| found.len());
    let written = found.and_then(|found| found.modified()).ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {length} {}", path.display(), written.unwrap_or_default().as_nanos())
}

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} for {}", self.rustc.display(), self.programs.directory().display())
    }
}
