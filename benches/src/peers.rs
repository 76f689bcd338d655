//! Other tools on the same workloads.
//!
//! *In separate processes*: a script of the folder `peers` takes names of workloads and prints a line for each: name,
//! seconds of the value, seconds of the derivative, and the sum of `dᵢ cos i` over the numbers `d` of the derivative,
//! separated by tabs.
//!
//! *As libraries*, which have the functions of the hand-written code under the same names, and are called and timed
//! like it. Enzyme compiles the sources of `peers/enzyme`; CasADi writes C for each workload, which its script
//! compiles.

use crate::code::Code;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What a tool that has a process of its own took for a workload.
pub struct Figure {
    /// The tool.
    pub name: String,
    /// The workload.
    pub workload: String,
    /// For the value.
    pub value: Duration,
    /// For the derivative.
    pub derivative: Duration,
    /// A number that the derivative gives.
    pub checksum: f64,
}

/// What a tool made of the workloads, or of one of them.
pub struct Compiled {
    /// The tool.
    pub name: String,
    /// The workload, unless it is for all.
    pub workload: Option<String>,
    /// What is called.
    pub code: Code,
}

/// A tool with a process of its own: its name, the package that it needs, the script.
pub type Script = (&'static str, &'static str, &'static str);

/// The scripts for the workloads of the suite.
pub const SUITE: &[Script] = &[("JAX", "jax", "jax_peer.py"), ("PyTorch", "torch", "torch_peer.py")];
/// The scripts for the programs of the folder `untuned`.
pub const UNTUNED: &[Script] =
    &[("JAX", "jax", "jax_untuned.py"), ("JAX", "jax", "jax_neighbours.py"), ("JAX", "jax", "jax_kinds.py")];

/// How Enzyme's clang is called: as C wants its sums, one after the other, and free to rearrange them.
const ENZYME: [(&str, &[&str]); 2] = [("Enzyme", &[]), ("Enzyme, fast-math", &["-ffast-math"])];

const ENZYME_SOURCES: [&str; 5] = ["gmm.c", "ba.c", "network.c", "rosenbrock.c", "recurrence.c"];

impl Figure {
    /// How far the derivative of the tool is from this one.
    pub fn apart(&self, derivative: &[f64]) -> f64 {
        let found: f64 = derivative.iter().enumerate().map(|(at, number)| number * (at as f64).cos()).sum();
        (found - self.checksum).abs() / crate::scale(derivative).max(found.abs())
    }

    /// # Panics
    /// If the derivative of the tool is not this one.
    pub fn agree(&self, derivative: &[f64]) {
        let apart = self.apart(derivative);
        assert!(apart < 1e-7, "{}: {} is {apart} apart", self.workload, self.name);
    }
}

/// The figures of those tools that solve for the steps of Newton's method.
pub fn newton(workloads: &[&str]) -> Vec<Figure> {
    let mut found = Vec::new();
    for (name, package, tool) in
        [("JAX dense", "jax", "dense"), ("JAX CG", "jax", "cg"), ("CasADi", "casadi", "casadi")]
    {
        let lines = script_lines(name, package, "newton_peer.py", &[Path::new(tool)], workloads);
        found.extend(lines.iter().filter_map(|line| figure(name, line)));
    }
    found
}

/// The figures of those tools that are installed.
pub fn figures(scripts: &[Script], workloads: &[&str]) -> Vec<Figure> {
    let mut found = Vec::new();
    for &(name, package, script) in scripts {
        let lines = script_lines(name, package, script, &[], workloads);
        found.extend(lines.iter().filter_map(|line| figure(name, line)));
    }
    found
}

/// The libraries of all tools that are installed.
pub fn libraries(workloads: &[&str]) -> Vec<Compiled> {
    let mut libraries = casadi(workloads);
    libraries.extend(enzyme());
    libraries
}

/// The lines that a script prints, none where what it needs is missing.
fn script_lines(name: &str, package: &str, script: &str, arguments: &[&Path], workloads: &[&str]) -> Vec<String> {
    let python = std::env::var_os("RIESZ_PYTHON").unwrap_or_else(|| "python3".into());
    let installed = Command::new(&python).args(["-c", &format!("import {package}")]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        eprintln!("{name} is not installed, and left out");
        return Vec::new();
    }
    match Command::new(&python).arg(folder().join(script)).args(arguments).args(workloads).output() {
        Ok(output) => {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect()
        }
        Err(error) => {
            eprintln!("{name} cannot be run: {error}");
            Vec::new()
        }
    }
}

fn figure(name: &str, line: &str) -> Option<Figure> {
    let mut parts = line.split('\t');
    let workload = parts.next()?.to_string();
    let mut number = || parts.next()?.parse::<f64>().ok();
    let (value, derivative, checksum) = (number()?, number()?, number()?);
    let time = Duration::try_from_secs_f64;
    Some(Figure {
        name: name.to_string(),
        workload,
        value: time(value).ok()?,
        derivative: time(derivative).ok()?,
        checksum,
    })
}

/// A library for each workload that CasADi has; the script prints the workload and the file, separated by a tab.
fn casadi(workloads: &[&str]) -> Vec<Compiled> {
    let to = std::env::temp_dir().join(format!("riesz-casadi-{}", std::process::id()));
    let lines = script_lines("CasADi", "casadi", "casadi_peer.py", &[&to], workloads);
    let libraries = lines
        .iter()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(workload, file)| loaded("CasADi", Some(workload.to_string()), Path::new(file)))
        .collect();
    // It may not have been made.
    let _ = std::fs::remove_dir_all(to);
    libraries
}

/// `RIESZ_ENZYME` is the plugin, `ClangEnzyme-19.so` for `clang-19`.
fn enzyme() -> Vec<Compiled> {
    let Some(plugin) = std::env::var_os("RIESZ_ENZYME").map(PathBuf::from) else {
        eprintln!("RIESZ_ENZYME names no plugin, and Enzyme is left out");
        return Vec::new();
    };
    let version = plugin.file_stem().and_then(|stem| stem.to_str()?.rsplit_once('-')).map(|(_, version)| version);
    let clang = version.map_or("clang".to_string(), |version| format!("clang-{version}"));
    let sources = ENZYME_SOURCES.map(|source| folder().join("enzyme").join(source));
    let build = |(index, (name, flags)): (usize, &(&str, &[&str]))| {
        let library = std::env::temp_dir().join(format!("riesz-enzyme-{}-{index}.so", std::process::id()));
        let mut argument = std::ffi::OsString::from("-fplugin=");
        argument.push(&plugin);
        let built = Command::new(&clang)
            .args(["-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC"])
            .arg(argument)
            .args(*flags)
            .args(&sources)
            .arg("-o")
            .arg(&library)
            .arg("-lm")
            .status();
        match built {
            Ok(status) if status.success() => loaded(name, None, &library),
            Ok(_) => None,
            Err(error) => {
                eprintln!("{clang} cannot be run, and {name} is left out: {error}");
                None
            }
        }
    };
    ENZYME.iter().enumerate().filter_map(build).collect()
}

fn loaded(name: &str, workload: Option<String>, library: &Path) -> Option<Compiled> {
    match Code::load(library) {
        Ok(code) => Some(Compiled { name: name.to_string(), workload, code }),
        Err(error) => {
            eprintln!("what {name} made cannot be loaded: {error}");
            None
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}
