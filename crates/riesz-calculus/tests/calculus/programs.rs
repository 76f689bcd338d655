//! The correctness of derivatives, on random programs.
//!
//! For each program and a random point:
//!
//! - the core verifies before and after derivatives are compiled;
//! - the value beside a derivative is the value;
//! - `⟨D f x dx, dy⟩ = ⟨dx, (D f x)ᵀ dy⟩`;
//! - the derivative agrees with Nagata numbers, complex numbers and differences;
//! - matrices, dense and sparse, have the derivative's columns;
//! - derivatives of derivatives, up to the fourth, agree with the same independent computations.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed.

use crate::truth;
use riesz_test::generate;

use generate::{Program, choosing_constructs, choosing_program, constructs, program, shrink};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use truth::{Trouble, truth};

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 2000;
/// How many kinds of failures are looked at.
const MOST_FAILURES: usize = 10;

#[test]
fn derivatives_of_random_programs_are_true() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let first = number("PROGRAMS_FROM", 0);
    let last = first + number("PROGRAMS", PROGRAMS);
    let next = AtomicU64::new(first);
    let tally = Mutex::new(Tally::default());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let work = || {
        while tally.lock().expect("no panic while it is locked").failures.len() < 2 * MOST_FAILURES {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= last {
                return;
            }
            let program = match seed % 5 {
                0 => choosing_program(seed, size(seed)),
                _ => program(seed, size(seed)),
            };
            let outcome = attempt(&program, seed);
            if let Err(trouble) = &outcome
                && !trouble.is_harmless()
            {
                println!("program {seed} fails: {}", trouble.kind);
            }
            let new = tally.lock().expect("no panic while it is locked").count(&program, &outcome);
            if let (true, Err(trouble)) = (new, outcome) {
                let report = report(&program, seed, &trouble);
                println!("{report}");
                tally.lock().expect("no panic while it is locked").failures.insert(trouble.kind, report);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).expect("a thread starts");
        }
    });
    std::panic::set_hook(hook);
    let tally = tally.into_inner().expect("no panic while it is locked");
    println!("{}", tally.show());
    let all = constructs().into_iter().chain(choosing_constructs());
    let missing: Vec<&str> = all.filter(|name| !tally.covered.contains_key(name)).collect();
    let wrong: Vec<&String> = tally.failures.keys().collect();
    assert!(wrong.is_empty(), "derivatives are not true: {wrong:?}");
    let refused = tally.skipped.get(truth::REFUSED).copied().unwrap_or_default();
    assert!(refused <= 1 + (last - first) / 1000, "{refused} programs are refused");
    assert!(last - first < PROGRAMS || missing.is_empty(), "never generated: {missing:?}");
}

/// Small programs first; from some number on, of all sizes.
fn size(seed: u64) -> usize {
    match seed {
        0..1000 => 3 + seed as usize / 40,
        _ => 4 + (seed.wrapping_mul(7919) % 41) as usize,
    }
}

fn attempt(program: &Program, seed: u64) -> Result<Vec<&'static str>, Trouble> {
    catch_unwind(AssertUnwindSafe(|| truth(program, seed))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        Err(Trouble::new("panic", message.unwrap_or_default()))
    })
}

/// The program, what is wrong with it, and a smaller program with which the same is wrong.
fn report(program: &Program, seed: u64, trouble: &Trouble) -> String {
    let fails = |program: &Program| attempt(program, seed).is_err_and(|found| found.kind == trouble.kind);
    let smaller = shrink::shrink(program, 3000, &fails);
    let found = attempt(&smaller, seed).err().unwrap_or_else(|| Trouble::new("nothing", String::new()));
    format!(
        "program {seed}, {}\n{}smaller, {}: {}\n{}",
        trouble.kind,
        program.text(),
        found.kind,
        found.message,
        smaller.text()
    )
}

#[derive(Default)]
struct Tally {
    tried: u64,
    /// Programs that could not be judged, by why.
    skipped: BTreeMap<String, u64>,
    /// Programs that were judged, by what.
    judged: BTreeMap<&'static str, u64>,
    covered: BTreeMap<&'static str, u64>,
    /// A report for each kind of failure.
    failures: BTreeMap<String, String>,
}

impl Tally {
    /// Counts a program; whether it failed in a new way.
    fn count(&mut self, program: &Program, outcome: &Result<Vec<&'static str>, Trouble>) -> bool {
        self.tried += 1;
        match outcome {
            Ok(judges) => {
                judges.iter().for_each(|judge| *self.judged.entry(judge).or_default() += 1);
                program.covered.iter().for_each(|name| *self.covered.entry(name).or_default() += 1);
                false
            }
            Err(trouble) => {
                let before = self.skipped.entry(trouble.kind.clone()).or_default();
                *before += 1;
                *before == 1 && !trouble.is_harmless()
            }
        }
    }

    fn show(&self) -> String {
        fn list<K: AsRef<str>>(counts: &BTreeMap<K, u64>) -> String {
            counts.iter().map(|(name, count)| format!("{} {count}", name.as_ref())).collect::<Vec<_>>().join(", ")
        }
        let Tally { tried, skipped, judged, covered, .. } = self;
        format!("{tried} programs\nnot judged: {}\njudged: {}\ncovered: {}", list(skipped), list(judged), list(covered))
    }
}
