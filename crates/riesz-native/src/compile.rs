//! The compiler of the machine, and the cache of what it has built.

use riesz_rust::Precision;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The source of the runtime, file by file.
const RUNTIME: &[(&str, &str)] = &[
    ("tile.rs", include_str!("../../riesz-runtime/src/tile.rs")),
    ("memory.rs", include_str!("../../riesz-runtime/src/memory.rs")),
    ("arithmetic.rs", include_str!("../../riesz-runtime/src/arithmetic.rs")),
    ("integer.rs", include_str!("../../riesz-runtime/src/integer.rs")),
    ("gather.rs", include_str!("../../riesz-runtime/src/gather.rs")),
    ("lanes.rs", include_str!("../../riesz-runtime/src/lanes.rs")),
    ("power.rs", include_str!("../../riesz-runtime/src/power.rs")),
    ("angle.rs", include_str!("../../riesz-runtime/src/angle.rs")),
    ("single/mod.rs", include_str!("../../riesz-runtime/src/single/mod.rs")),
    ("single/math.rs", include_str!("../../riesz-runtime/src/single/math.rs")),
    ("single/matrix.rs", include_str!("../../riesz-runtime/src/single/matrix.rs")),
    ("math.rs", include_str!("../../riesz-runtime/src/math.rs")),
    ("boundary.rs", include_str!("../../riesz-runtime/src/boundary.rs")),
    ("lib.rs", include_str!("../../riesz-runtime/src/lib.rs")),
    ("buffer.rs", include_str!("../../riesz-runtime/src/buffer.rs")),
    ("chunk.rs", include_str!("../../riesz-runtime/src/chunk.rs")),
    ("crew.rs", include_str!("../../riesz-runtime/src/crew.rs")),
    ("context.rs", include_str!("../../riesz-runtime/src/context.rs")),
    ("gamma.rs", include_str!("../../riesz-runtime/src/gamma.rs")),
    ("matrix.rs", include_str!("../../riesz-runtime/src/matrix.rs")),
    ("number.rs", include_str!("../../riesz-runtime/src/number.rs")),
    ("product.rs", include_str!("../../riesz-runtime/src/product.rs")),
    ("circle.rs", include_str!("../../riesz-runtime/src/circle.rs")),
    ("cofactor.rs", include_str!("../../riesz-runtime/src/cofactor.rs")),
    ("rows.rs", include_str!("../../riesz-runtime/src/rows.rs")),
    ("strip.rs", include_str!("../../riesz-runtime/src/strip.rs")),
];

/// Which way of calling the compiler what is kept was built by.
const FLAGS: u32 = 2;

/// What the names of runtimes in the cache begin with.
const RUNTIME_NAME: &str = "libriesz_runtime_";

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
    /// How long real numbers are.
    pub precision: Precision,
}

/// The `rustc` of the machine, and a directory for what it builds.
#[derive(Clone, Debug)]
pub struct Compiler {
    rustc: PathBuf,
    version: String,
    directory: PathBuf,
}

impl Compiler {
    /// Finds the compiler: the one that `RIESZ_RUSTC` names, or the `rustc` of the path. What it builds is kept in
    /// `RIESZ_CACHE`, or where the user's caches are.
    pub fn find() -> Result<Compiler, String> {
        let rustc = std::env::var_os("RIESZ_RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
        let answer = Command::new(&rustc)
            .arg("-vV")
            .output()
            .map_err(|error| format!("there is no Rust compiler here: {} cannot be run: {error}", rustc.display()))?;
        if !answer.status.success() {
            return Err(format!("the Rust compiler {} does not work", rustc.display()));
        }
        let version = String::from_utf8_lossy(&answer.stdout).into_owned();
        Ok(Compiler { rustc, version, directory: cache_directory() })
    }

    /// The same with a cache of its own, in which nothing is built but the runtime: for clocks.
    pub fn afresh(&self) -> Result<Compiler, String> {
        let directory = std::env::temp_dir().join(format!("riesz.{}", unique()));
        let failed = |error: std::io::Error| format!("cannot write to {}: {error}", directory.display());
        fs::create_dir_all(&directory).map_err(failed)?;
        for entry in fs::read_dir(&self.directory).map_err(failed)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(RUNTIME_NAME) {
                fs::copy(entry.path(), directory.join(entry.file_name())).map_err(failed)?;
            }
        }
        Ok(Compiler { directory, ..self.clone() })
    }

    /// Forgets all that is kept.
    pub fn clear(self) {
        // What is left behind harms nobody.
        let _ = fs::remove_dir_all(&self.directory);
    }

    /// The same with another directory for what it builds.
    pub fn keeping_in(self, directory: PathBuf) -> Compiler {
        Compiler { directory, ..self }
    }

    /// The library of a source, built now or before.
    pub fn library(&self, source: &str, settings: Settings) -> Result<PathBuf, String> {
        let runtime = self.runtime(settings)?;
        let name = self.name(&[source], settings);
        let library = self.directory.join(format!("{name}.so"));
        if library.exists() {
            return Ok(library);
        }
        self.build(
            &name,
            &[("program.rs", source)],
            "program.rs",
            &library,
            |command| {
                command.args(["--crate-type", "cdylib", "--crate-name", "riesz_program"]);
                // Loops are in lanes already; taken eight blocks at a time they would gather and scatter.
                command.args(["-C", "no-vectorize-loops"]);
                command.arg("--extern").arg({
                    let mut option = std::ffi::OsString::from("riesz_runtime=");
                    option.push(&runtime);
                    option
                });
            },
            settings,
        )?;
        Ok(library)
    }

    /// The runtime as a library of the compiler.
    fn runtime(&self, settings: Settings) -> Result<PathBuf, String> {
        let texts: Vec<&str> = RUNTIME.iter().map(|(_, text)| *text).collect();
        let name = self.name(&texts, settings);
        let library = self.directory.join(format!("{RUNTIME_NAME}{name}.rlib"));
        if !library.exists() {
            self.build(
                &name,
                RUNTIME,
                "lib.rs",
                &library,
                |command| {
                    command.args(["--crate-type", "rlib", "--crate-name", "riesz_runtime"]);
                },
                settings,
            )?;
        }
        Ok(library)
    }

    /// Builds in a directory of its own, and moves what comes of it to its place whole: others may be building the same.
    fn build(
        &self,
        name: &str,
        files: &[(&str, &str)],
        main: &str,
        to: &Path,
        arguments: impl FnOnce(&mut Command),
        settings: Settings,
    ) -> Result<(), String> {
        let work = self.directory.join(format!("{name}.{}", unique()));
        let failed = |error: std::io::Error| format!("cannot write to the cache {}: {error}", self.directory.display());
        fs::create_dir_all(work.join("single")).map_err(failed)?;
        for (file, text) in files {
            fs::write(work.join(file), text).map_err(failed)?;
        }
        let built = work.join("built");
        let mut command = Command::new(&self.rustc);
        command.arg(work.join(main)).arg("-o").arg(&built).args(["--edition", "2024", "--cap-lints", "allow"]);
        command.args(["-C", "target-cpu=native", "-C", "codegen-units=1", "-C", "panic=abort"]);
        command.args(["-C", if settings.quick { "opt-level=0" } else { "opt-level=3" }]);
        command.args(["-C", if settings.checked { "debug-assertions=on" } else { "debug-assertions=off" }]);
        command.args(["-C", "overflow-checks=off"]);
        arguments(&mut command);
        let answer = command.output().map_err(|error| format!("the Rust compiler cannot be run: {error}"))?;
        let result = match answer.status.success() {
            true => fs::rename(&built, to).map_err(failed),
            false => Err(format!("the generated code does not compile:\n{}", String::from_utf8_lossy(&answer.stderr))),
        };
        // What is left behind harms nobody.
        let _ = fs::remove_dir_all(&work);
        result
    }

    fn name(&self, texts: &[&str], settings: Settings) -> String {
        let mut names = String::new();
        for seed in 0..2 {
            let mut hasher = DefaultHasher::new();
            (seed, &self.version, env!("CARGO_PKG_VERSION"), FLAGS, settings).hash(&mut hasher);
            RUNTIME.hash(&mut hasher);
            texts.hash(&mut hasher);
            names += &format!("{:016x}", hasher.finish());
        }
        names
    }
}

fn cache_directory() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = || variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    match variable("RIESZ_CACHE") {
        Some(directory) => directory,
        None => caches().unwrap_or_else(std::env::temp_dir).join("riesz"),
    }
}

/// A name that no other build uses at the same time.
fn unique() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
