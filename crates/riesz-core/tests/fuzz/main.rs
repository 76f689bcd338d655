//! For any text, parsing, formatting, checking and bounded evaluation end without a panic, and their guarantees hold.
//!
//! `FUZZ_SECONDS` is the duration (by default 20). The inputs are numbered and the number is the seed, so a longer run
//! repeats the inputs of a shorter one and adds more. `FUZZ_FROM` is the first number.

mod crowd;
mod program;
mod shrink;
mod survive;
mod text;

use riesz_test::generate::random::Random;
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long one input may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// What the whole process may hold.
const MEMORY: usize = 3 << 30;

#[test]
fn nothing_breaks() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let until = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS", 20));
    let next = Arc::new(AtomicU64::new(number("FUZZ_FROM", 0)));
    let first = next.load(Ordering::Relaxed);
    let programs: Arc<[String]> = programs().into();
    let failed = Arc::new(AtomicBool::new(false));
    let workers: Vec<Worker> = (0..std::thread::available_parallelism().map_or(2, usize::from).min(4))
        .map(|lane| Worker::start(lane, until, &next, &programs, &failed))
        .collect();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    while workers.iter().any(|worker| !worker.thread.is_finished()) {
        std::thread::sleep(Duration::from_millis(100));
        if let Some(problem) = workers.iter().find_map(Worker::overdue).or_else(too_much_memory) {
            eprintln!("{problem}\nThe inputs are in {}", env!("CARGO_TARGET_TMPDIR"));
            // A thread that does not come to an end cannot be ended.
            std::process::exit(1);
        }
    }
    std::panic::set_hook(hook);
    let tried = next.load(Ordering::Relaxed) - first;
    let tally: Tally = workers.into_iter().map(|worker| worker.thread.join().expect("workers catch panics")).sum();
    println!("{tried} inputs: {} parsed, {} checked, {} evaluations", tally.parsed, tally.checked, tally.evaluations);
    assert!(!failed.load(Ordering::Relaxed), "some input broke something");
}

/// The programs to start from: the examples, and the cases of the language test.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = Vec::new();
    for folder in ["../../examples", "../../gradbench"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        programs.extend(paths.iter().filter_map(|path| fs::read_to_string(path).ok()));
    }
    let mut program = String::new();
    let mut checks = 0;
    for line in include_str!("../language.txt").lines() {
        if let Some(text) = line.strip_prefix("> ") {
            program += text;
            program.push('\n');
        } else if let Some((expression, expected)) = line.split_once(" ==> ") {
            checks += 1;
            program += &format!("let case{checks} = {expression}\n");
            if !expected.contains(": ") && !expected.contains('<') {
                program += &format!("check case{checks} ~= {expected}\n");
            }
        }
        if line.is_empty() || checks % 8 == 7 {
            programs.push(std::mem::take(&mut program));
            checks += 1;
        }
    }
    programs.push(program);
    programs
}

fn input(seed: u64, programs: &[String]) -> String {
    let mut random = Random::new(seed);
    match random.below(10) {
        0 => text::bytes(&mut random),
        1 | 2 => text::words(&mut random),
        3..=6 => text::spoilt(&mut random, programs),
        7 | 8 => program::program(&mut random),
        _ => {
            let programs = [program::program(&mut random), program::program(&mut random)];
            text::spoilt(&mut random, &programs)
        }
    }
}

struct Worker {
    thread: std::thread::JoinHandle<Tally>,
    /// The input being tried, and since when.
    current: Arc<Mutex<(u64, Instant)>>,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    parsed: u64,
    checked: u64,
    evaluations: u64,
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(tallies: I) -> Tally {
        tallies.fold(Tally::default(), |a, b| Tally {
            parsed: a.parsed + b.parsed,
            checked: a.checked + b.checked,
            evaluations: a.evaluations + b.evaluations,
        })
    }
}

impl Worker {
    fn start(
        lane: usize,
        until: Instant,
        next: &Arc<AtomicU64>,
        programs: &Arc<[String]>,
        failed: &Arc<AtomicBool>,
    ) -> Worker {
        let current = Arc::new(Mutex::new((0, Instant::now())));
        let (watched, next, programs, failed) = (current.clone(), next.clone(), programs.clone(), failed.clone());
        let thread = std::thread::spawn(move || {
            // A stack overflow ends the process: what caused it is in this file.
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{lane}.rz"));
            let mut file = File::create(&path).expect("the folder for temporary files can be written");
            let mut tally = Tally::default();
            while Instant::now() < until && !failed.load(Ordering::Relaxed) {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                let text = input(seed, &programs);
                file.rewind().and_then(|()| file.write_all(text.as_bytes())).expect("written");
                file.set_len(text.len() as u64).expect("written");
                *watched.lock().expect("no panic while it is locked") = (seed, Instant::now());
                if let Err(problem) = attempt(&text, &mut tally) {
                    failed.store(true, Ordering::Relaxed);
                    *watched.lock().expect("no panic while it is locked") = (seed, Instant::now() + 10 * PATIENCE);
                    let smaller = shrink::shrink(&text, &|text| attempt(text, &mut Tally::default()).is_err());
                    let found = attempt(&smaller, &mut Tally::default()).err().unwrap_or(problem);
                    println!("input {seed}: {found}\n----\n{smaller}\n---- as Rust: {smaller:?}");
                }
            }
            tally
        });
        Worker { thread, current }
    }

    fn overdue(&self) -> Option<String> {
        let (seed, since) = *self.current.lock().expect("no panic while it is locked");
        let overdue = !self.thread.is_finished() && since.elapsed() > PATIENCE;
        overdue.then(|| format!("input {seed} takes more than {PATIENCE:?}"))
    }
}

/// What went wrong with an input.
fn attempt(text: &str, tally: &mut Tally) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| survive::survive(text, tally))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        Err(format!("panicked: {}", message.unwrap_or_default()))
    })
}

/// On systems that tell.
fn too_much_memory() -> Option<String> {
    let pages: usize = fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    (pages * 4096 > MEMORY).then(|| format!("the process holds more than {} MiB", MEMORY >> 20))
}
