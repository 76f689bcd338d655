//! Every representation gives the same derivative of a random program; every fifth program has functions that are known
//! only at run time.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed.

use riesz_test::generate;

use generate::random::Random;
use generate::types::Type;
use riesz::modes::{Measuring, Modes};
use riesz::via::REPRESENTATIONS;
use riesz::{Limits, NoFiles, Options, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 2000;
/// How many workers try them.
const WORKERS: u64 = 2;
/// How many of a hundred programs may be left out: those without a value, and those whose derivative is not settled by
/// the numbers of the point.
const LEFT_OUT: usize = 1;
/// How many of a hundred programs combinators may refuse: those with linear maps as values.
const REFUSED: usize = 1;
/// How far derivatives may be apart, as a part of their largest number or of 1.
const TOLERANCE: f64 = 1e-9;

/// What came of some programs.
#[derive(Default)]
struct Tally {
    judged: usize,
    /// The numbers of the programs that were left out, by the reason.
    left_out: BTreeMap<String, Vec<u64>>,
    /// The numbers of the programs that some representations refuse.
    refused: BTreeSet<u64>,
    /// The numbers of the programs that are wrong, with what is.
    wrong: BTreeMap<u64, String>,
    covered: BTreeSet<&'static str>,
}

#[test]
fn representations_agree_on_random_programs() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let (first, count) = (number("PROGRAMS_FROM", 0), number("PROGRAMS", PROGRAMS));
    let worker = |worker: u64| {
        let mut tally = Tally::default();
        (first..first + count).filter(|seed| seed % WORKERS == worker).for_each(|seed| tally.attempt(seed));
        tally
    };
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        // Programs nest, and workers have smaller stacks than the first thread.
        let start = |at| std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, move || worker(at));
        let running: Vec<_> = (0..WORKERS).map(start).collect();
        running.into_iter().map(|worker| worker.unwrap().join().unwrap()).collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        all.judged += tally.judged;
        all.wrong.extend(tally.wrong);
        all.refused.extend(tally.refused);
        all.covered.extend(tally.covered);
        tally.left_out.into_iter().for_each(|(why, seeds)| all.left_out.entry(why).or_default().extend(seeds));
    }
    println!("{} programs judged in {} representations", all.judged, REPRESENTATIONS.len());
    println!("left out: {:?}, refused by combinators: {:?}", all.left_out, all.refused);
    let shown: Vec<&str> = all.wrong.values().take(3).map(String::as_str).collect();
    assert!(shown.is_empty(), "wrong: {:?}\n{}", all.wrong.keys(), shown.join("\n\n"));
    let refused = all.refused.len();
    assert!(refused * 100 <= REFUSED * count as usize, "{refused} of {count} programs are refused by combinators");
    let left_out: usize = all.left_out.values().map(Vec::len).sum();
    assert!(left_out * 100 <= LEFT_OUT * count as usize, "{left_out} of {count} programs are left out");
    if count >= PROGRAMS {
        let constructs = generate::constructs().into_iter().chain(generate::choosing_constructs());
        let missing: Vec<_> = constructs.filter(|name| !all.covered.contains(name)).collect();
        // A rare construct of maps may be missing by chance; the tests of the calculus hold every one to occur.
        assert!(missing.len() <= 1, "no program has {missing:?}");
    }
}

impl Tally {
    fn attempt(&mut self, seed: u64) {
        let size = 3 + (seed % 32) as usize;
        let program = match seed % 5 {
            0 => generate::choosing_program(seed, size),
            _ => generate::program(seed, size),
        };
        let mut random = Random::new(seed ^ 0x5EED);
        let numbers: Vec<f64> = (0..program.domain.reals()).map(|_| random.between(-1.5, 1.5)).collect();
        let int = random.below(4) as i64;
        let point = |factor: f64| {
            let mut rest = numbers.iter().map(|x| x * factor);
            written(&program.domain, &mut || rest.next().expect("as many as there are"), int)
        };
        let (text, at) = (program.text(), point(1.0));
        let modes = match catch_unwind(|| modes(&text, &at)) {
            Ok(Ok(modes)) => modes,
            Ok(Err(why)) => return self.leave_out(seed, why),
            Err(_) => return self.reject(seed, format!("panics\n{text}at {at}")),
        };
        let Some(expected) = modes.rows.iter().rev().find_map(|row| Some(row.outcome.as_ref().ok()?.numbers.clone()))
        else {
            return self.leave_out(seed, "has no derivative".into());
        };
        // Where a change of the point by rounding changes the derivative, the order of additions does too.
        if let Some(moved) = compiled(&text, &point(1.0 + 4.0 * f64::EPSILON))
            && distance(&moved, &expected) >= TOLERANCE / 10.0
        {
            return self.leave_out(seed, "the derivative is not settled".into());
        }
        // One may take more steps than another, and then more than there may be.
        if modes.rows.iter().any(|row| row.outcome.as_ref().is_err_and(|problem| problem.code == "step-limit")) {
            return self.leave_out(seed, "takes too many steps".into());
        }
        self.judged += 1;
        self.covered.extend(&program.covered);
        let has_maps = generate::map_constructs().any(|name| program.covered.contains(name));
        for row in &modes.rows {
            let said = match &row.outcome {
                Ok(riesz::modes::Measured { misfit: Some(misfit), .. }) => format!("has another shape: {misfit}"),
                Ok(measured) if distance(&measured.numbers, &expected) <= TOLERANCE => continue,
                Ok(measured) => format!("says {:?}, not {expected:?}", measured.numbers),
                // Combinators have no functions that only values of spaces of maps tell.
                Err(problem) if problem.code == "no-combinator" && has_maps => {
                    self.refused.insert(seed);
                    continue;
                }
                Err(problem) => format!("stops: {}", problem.message),
            };
            self.reject(seed, format!("{:?} {said}\n{text}at {at}", row.representation));
        }
    }

    fn leave_out(&mut self, seed: u64, why: String) {
        self.left_out.entry(why).or_default().push(seed);
    }

    fn reject(&mut self, seed: u64, why: String) {
        self.wrong.entry(seed).or_insert_with(|| format!("program {seed}: {why}"));
    }
}

/// What the representations say of a program at a point, or why nothing can be asked of it.
fn modes(text: &str, at: &str) -> Result<Modes, String> {
    let limits = Limits { steps: 100_000, depth: 1000, memory: 256 << 20, interrupt: None };
    let mut session = Session::new(Options { limits, ..Options::default() });
    let loaded = session.load_text("program.rz", text, &NoFiles);
    loaded.map_err(|problems| format!("does not load: {}", problems[0].code))?;
    let measuring = Measuring { count_bytes: None, times: 1 };
    session.modes("f", at, Vec::new(), measuring).map_err(|problems| format!("has no value: {}", problems[0].code))
}

/// The derivative that the compiled code has.
fn compiled(text: &str, at: &str) -> Option<Vec<f64>> {
    let mut session = Session::default();
    session.load_text("program.rz", text, &NoFiles).ok()?;
    let matrix = session.evaluate(&format!("matrix(D(f, {at}))"), Vec::new()).ok()?;
    let mut numbers = Vec::new();
    matrix.value.visit_reals(&mut |x| numbers.push(*x));
    Some(numbers)
}

/// A value as text, given what its numbers are.
pub(crate) fn written(ty: &Type, reals: &mut dyn FnMut() -> f64, int: i64) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match ty {
        Type::Real => format!("{:?}", reals()),
        Type::Int => int.to_string(),
        Type::Bool => (int > 1).to_string(),
        // Without elements their type would not be known.
        Type::Array(size, element) if size.least == 0 => format!("[{} | i < 0]", written(element, &mut || 0.0, int)),
        Type::Array(size, element) => {
            format!("[{}]", joined((0..size.least).map(|_| written(element, reals, int)).collect()))
        }
        Type::Tuple(parts) => format!("({})", joined(parts.iter().map(|part| written(part, reals, int)).collect())),
        Type::Record(fields) => {
            let field = |(name, part): &(&str, Type)| format!("{name} = {}", written(part, reals, int));
            format!("{{{}}}", joined(fields.iter().map(field).collect()))
        }
        Type::Function(..) => "(\\x -> x)".to_string(),
    }
}

/// The largest difference, as a part of the largest number or of 1. What is not finite is the same only where neither is.
fn distance(found: &[f64], expected: &[f64]) -> f64 {
    if found.len() != expected.len() {
        return f64::INFINITY;
    }
    let largest = expected.iter().filter(|x| x.is_finite()).fold(1.0, |a: f64, b| a.max(b.abs()));
    let apart = |(a, b): (&f64, &f64)| match (a.is_finite(), b.is_finite()) {
        (true, true) => (a - b).abs() / largest,
        (false, false) => 0.0,
        _ => f64::INFINITY,
    };
    found.iter().zip(expected).map(apart).fold(0.0, f64::max)
}
