//! Every command ends within its limits: each row of the [`table`] runs with small limits, and must end with the error
//! that it names, within its bounds on time and memory.
//!
//! `RIESZ_KILLERS=all cargo test --release -p riesz-cli --test killers -- --nocapture` prints the table of
//! `docs/limits.md`, also for the default limits.

mod table;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use table::{Killer, killers};

/// Limits that the table ends by within seconds.
const SMALL: [&str; 3] = ["--max-memory=64M", "--max-code=100000", "--max-depth=1000"];
/// How many steps there are then, and where it is memory that ends a command.
const FEW: &str = "--max-steps=20000";
const ENOUGH: &str = "--max-steps=50000000";
/// How much memory a command may have under these: as much again beside that for values, and itself.
const MOST_MEGABYTES: u64 = 192;
/// How long a command may take under these, on a busy machine.
const LONGEST: Duration = Duration::from_secs(30);
/// How much memory a command may have by default: 4 GiB, and as much again.
const MOST_MEGABYTES_BY_DEFAULT: u64 = 8192;
/// How long a command may take by default.
const LONGEST_BY_DEFAULT: Duration = Duration::from_secs(600);

#[test]
fn killers_end_within_their_limits() {
    let all = std::env::var_os("RIESZ_KILLERS").is_some();
    let has_compiler = Command::new("rustc").arg("--version").output().is_ok_and(|output| output.status.success());
    let mut problems = Vec::new();
    if all {
        println!("| command | small limits | time | memory | default limits | time | memory |");
        println!("|---|---|---:|---:|---|---:|---:|");
    }
    for killer in killers() {
        if !has_compiler && killer.arguments.iter().any(|argument| argument.contains("native")) {
            continue;
        }
        let steps = if killer.ends == "memory-limit" { ENOUGH } else { FEW };
        let small = run(&killer, &[&SMALL[..], &[steps]].concat(), LONGEST);
        let fits = small.fits(killer.ends) && small.megabytes <= MOST_MEGABYTES;
        if !fits {
            problems.push(format!("{}: {small:?}, not `{}`", killer.name, killer.ends));
        }
        if all {
            let default = run(&killer, &[], LONGEST_BY_DEFAULT);
            println!("| {} | {} | {} |", killer.name, small.cells(), default.cells());
            if !default.fits(killer.ends_by_default) || default.megabytes > MOST_MEGABYTES_BY_DEFAULT {
                problems.push(format!("{}: {default:?}, not `{}`", killer.name, killer.ends_by_default));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    /// The code of its error; nothing where it has none.
    code: String,
    took: Duration,
    /// The most memory that it had.
    megabytes: u64,
}

impl Ended {
    /// Whether it is one of the ends that are given.
    fn fits(&self, ends: &str) -> bool {
        self.code != KILLED && (ends == "any" || ends.split(" or ").any(|end| end == self.code))
    }

    fn cells(&self) -> String {
        let code = if self.code.is_empty() { "a value" } else { &self.code };
        format!("{code} | {:.1} s | {} MB", self.took.as_secs_f64(), self.megabytes)
    }
}

/// What is said of a command that did not end by itself.
const KILLED: &str = "did not end";

fn run(killer: &Killer, limits: &[&str], longest: Duration) -> Ended {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("killer.rz");
    fs::write(&file, &killer.program).unwrap();
    let place = |argument: &String| match argument.as_str() {
        "@" => file.display().to_string(),
        argument => argument.to_string(),
    };
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_riesz"));
    command.args(killer.arguments.iter().map(place)).args(limits).current_dir(&folder);
    let messages = fs::File::create(folder.join("killer.txt")).unwrap();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages).spawn().unwrap();
    let mut megabytes = 0;
    let ended = loop {
        megabytes = megabytes.max(peak(child.id()));
        if child.try_wait().unwrap().is_some() {
            break true;
        }
        if start.elapsed() > longest {
            child.kill().unwrap();
            child.wait().unwrap();
            break false;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let said = fs::read_to_string(folder.join("killer.txt")).unwrap();
    let code = said.split_once("error[").and_then(|(_, rest)| rest.split_once(']'));
    let code = match (ended, code) {
        (false, _) => KILLED.to_string(),
        (true, code) => code.map_or_else(String::new, |(code, _)| code.to_string()),
    };
    Ended { code, took: start.elapsed(), megabytes }
}

/// The most memory that a process has had so far, where the system tells.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).map_or(0, |kilobytes: u64| kilobytes / 1024)
}
