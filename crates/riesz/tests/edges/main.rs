//! Edge cases: empty and short arrays, singular matrices, zeros, the largest and the smallest numbers. For every
//! combination of built-in functions, every representation gives first and second derivatives there, and all agree.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed.

use riesz_test::generate::random;

mod point;
mod program;
mod scale;

use program::Program;
use random::Random;
use riesz::modes::{Measuring, Modes};
use riesz::via::REPRESENTATIONS;
use riesz::{Limits, NoFiles, Options, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 1500;
/// How many of a hundred derivatives may be finite in some representations and not in others: where a NaN or an infinity
/// on the way meets tangents that cancel going forward, and cotangents that do not going backward.
const UNSETTLED: usize = 1;
/// How far derivatives may be apart, as a part of their largest number or of 1.
const TOLERANCE: f64 = 1e-6;

/// What came of some programs.
#[derive(Default)]
struct Tally {
    judged: usize,
    /// How many were left out, by the reason.
    omitted: BTreeMap<String, usize>,
    /// The programs of which some representations have a finite derivative where others have none.
    unsettled: BTreeMap<u64, String>,
    /// The numbers of the programs that are wrong, with what is.
    wrong: BTreeMap<u64, String>,
    covered: BTreeSet<&'static str>,
}

#[test]
fn representations_agree_at_the_edges() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let (first, count) = (number("PROGRAMS_FROM", 0), number("PROGRAMS", PROGRAMS));
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        // Programs nest, and threads have smaller stacks than the first.
        let work = || (first..first + count).for_each(|seed| tally.attempt(seed));
        std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).unwrap().join().unwrap();
    });
    println!("{} derivatives judged in {} representations", tally.judged, REPRESENTATIONS.len());
    println!("omitted: {:?}; unsettled: {:?}", tally.omitted, tally.unsettled.keys());
    if std::env::var_os("SHOW_UNSETTLED").is_some() {
        tally.unsettled.values().for_each(|text| println!("{text}\n"));
    }
    let shown: Vec<&str> = tally.wrong.values().take(3).map(String::as_str).collect();
    assert!(shown.is_empty(), "{} wrong: {:?}\n{}", tally.wrong.len(), tally.wrong.keys(), shown.join("\n\n"));
    assert!(tally.unsettled.len() * 100 <= UNSETTLED * tally.judged, "{} are unsettled", tally.unsettled.len());
    if count >= PROGRAMS {
        let missing: Vec<_> = program::constructs().filter(|name| !tally.covered.contains(name)).collect();
        assert!(missing.is_empty(), "no program has {missing:?}");
    }
}

impl Tally {
    fn attempt(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        let program = Program::random(&mut random);
        // Rounding is all that is left of the second derivative where numbers are as large as that.
        for (function, edges) in [("f", point::EXTREMES), ("(\\p -> grad(f, p))", point::ZEROS)] {
            let at = point::random(&mut random, edges, program.size);
            let text = format!("{}{function} at {at}", program.text);
            match catch_unwind(|| modes(&program.text, function, &at)) {
                Ok(Ok(modes)) => self.judge(seed, &modes, &text),
                Ok(Err(why)) => *self.omitted.entry(why).or_default() += 1,
                Err(_) => self.reject(seed, format!("panics\n{text}")),
            }
            self.covered.extend(&program.covered);
        }
    }

    fn judge(&mut self, seed: u64, modes: &Modes, text: &str) {
        let Some(expected) = modes.rows.iter().rev().find_map(|row| Some(row.outcome.as_ref().ok()?.numbers.clone()))
        else {
            *self.omitted.entry("has no derivative".into()).or_default() += 1;
            return;
        };
        self.judged += 1;
        let mut said = Vec::new();
        let mut unsettled = false;
        for row in &modes.rows {
            match &row.outcome {
                Ok(measured) => match compare(&measured.numbers, &expected) {
                    Verdict::Same => {}
                    Verdict::Unsettled => unsettled = true,
                    Verdict::Different => {
                        said.push(format!("{:?} says {:?}, not {expected:?}", row.representation, measured.numbers));
                    }
                },
                Err(problem) => said.push(format!("{:?} stops: {}", row.representation, problem.message)),
            }
        }
        if !said.is_empty() {
            self.reject(seed, format!("{}\n{text}", said.join("\n")));
        } else if unsettled {
            self.unsettled.insert(seed, text.to_string());
        }
    }

    fn reject(&mut self, seed: u64, why: String) {
        self.wrong.entry(seed).or_insert_with(|| format!("program {seed}: {why}"));
    }
}

/// What the representations say of a function at a point, or why nothing can be asked of it.
fn modes(text: &str, function: &str, at: &str) -> Result<Modes, String> {
    let limits = Limits { steps: 100_000, depth: 1000, memory: 256 << 20, interrupt: None };
    let mut session = Session::new(Options { limits, ..Options::default() });
    let loaded = session.load_text("program.rz", text, &NoFiles);
    loaded.map_err(|problems| format!("does not load: {} {}\n{text}", problems[0].code, problems[0].message))?;
    let measuring = Measuring { count_bytes: None, times: 1 };
    session.modes(function, at, Vec::new(), measuring).map_err(|problems| format!("has no value: {}", problems[0].code))
}

/// Whether two derivatives are the same.
enum Verdict {
    Same,
    /// A number is finite in one and not in the other.
    Unsettled,
    Different,
}

fn compare(found: &[f64], expected: &[f64]) -> Verdict {
    if found.len() != expected.len() {
        return Verdict::Different;
    }
    let pairs = || found.iter().zip(expected);
    let largest = expected.iter().filter(|x| x.is_finite()).fold(1.0, |a: f64, b| a.max(b.abs()));
    if pairs().any(|(a, b)| (a - b).is_finite() && (a - b).abs() > TOLERANCE * largest) {
        return Verdict::Different;
    }
    if pairs().any(|(a, b)| a.is_finite() != b.is_finite()) { Verdict::Unsettled } else { Verdict::Same }
}
