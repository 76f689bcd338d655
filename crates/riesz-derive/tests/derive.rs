//! `derive` on every function of the examples, of the prelude, and of random programs. It ends soon, with every stage,
//! and its output is complete. `PROGRAMS` is the number of random programs.

#[allow(dead_code)]
use riesz_test::generate;

use riesz_core::{FunctionId, Program};
use riesz_derive::{Derivation, Derivations, Mode, derive};
use riesz_test::program::{check, check_file, root};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long one derivation may take, on a slow machine and without optimisation.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many random programs are tried unless told otherwise.
const PROGRAMS: u64 = 200;
/// How many threads try them.
const THREADS: u64 = 2;

#[test]
fn every_function_of_the_examples() {
    let mut tally = Tally::default();
    for folder in ["examples", "gradbench"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "rz") {
                let name = format!("{folder}/{}", path.file_name().unwrap().display());
                tally.program(&name, &check_file(&name).unwrap().program);
            }
        }
    }
    tally.end(200);
}

#[test]
fn every_function_of_random_programs() {
    let programs = std::env::var("PROGRAMS").map_or(PROGRAMS, |text| text.parse().expect("PROGRAMS is a number"));
    let part = |first: u64| {
        let mut tally = Tally::default();
        for seed in (first..programs).step_by(THREADS as usize) {
            let text = generate::program(seed, 4 + (seed % 30) as usize).text();
            if let Ok(checker) = check(&text) {
                tally.program(&format!("seed {seed}"), &checker.program);
            }
        }
        tally
    };
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || part(first))).collect();
        for thread in threads {
            let other = thread.join().unwrap();
            tally.derived += other.derived;
            other.refused.into_iter().for_each(|(code, count)| *tally.refused.entry(code).or_default() += count);
        }
    });
    tally.end(600);
}

/// What has been derived.
#[derive(Default)]
struct Tally {
    derived: usize,
    refused: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn program(&mut self, place: &str, program: &Program) {
        for id in (0..program.functions.len() as u32).map(FunctionId) {
            for mode in [None, Some(Mode::Forward), Some(Mode::Reverse)] {
                let place = format!("{place}, {}, {mode:?}", program.function(id).name);
                let begin = Instant::now();
                let derivation = derive(program, id, "", &Derivations { mode, ..Derivations::default() });
                let took = begin.elapsed();
                assert!(took < PATIENCE, "{place} took {took:?}");
                match derivation {
                    Ok(derivation) => {
                        self.derived += 1;
                        is_whole(&place, &derivation, mode);
                    }
                    Err(problems) => *self.refused.entry(problems[0].code).or_default() += 1,
                }
            }
        }
    }

    fn end(self, least: usize) {
        println!("{} derivations; refused: {:?}", self.derived, self.refused);
        assert!(self.derived >= least, "only {}", self.derived);
        let known = ["not-differentiable", "recursive-derivative", "run-time-function"];
        assert!(self.refused.keys().all(|code| known.contains(code)), "{:?}", self.refused);
    }
}

fn is_whole(place: &str, derivation: &Derivation, mode: Option<Mode>) {
    let names: Vec<&str> = derivation.stages.iter().map(|stage| stage.name).collect();
    let modes: &[&str] = match mode {
        None => &["forward", "reverse"],
        Some(Mode::Forward) => &["forward"],
        Some(Mode::Reverse) => &["reverse"],
    };
    let first = ["original", "A-normal", "derivative as linear maps", "simplified"];
    let expected: Vec<&str> = first.iter().chain(modes).chain(&["optimised"]).copied().collect();
    assert_eq!(names, expected, "{place}");
    for stage in &derivation.stages {
        assert!(stage.name == "original" || !stage.lines.is_empty(), "{place}: {} is empty", stage.name);
        let text = stage.lines.join("\n");
        assert!(!text.contains(['\u{1}', '\u{2}']), "{place}: a value has no name in\n{text}");
        if matches!(stage.name, "A-normal" | "forward" | "optimised") {
            text.split("fun ").for_each(|function| every_name_is_bound(place, function));
        }
    }
    for step in derivation.simplification.iter().chain(&derivation.transposition) {
        assert!(!step.before.is_empty() && !step.after.is_empty(), "{place}: a step without a side");
    }
}

/// Where `t1`, `t2`, … are seen first, they are bound: before `=`, as a parameter, a size or an index.
fn every_name_is_bound(place: &str, function: &str) {
    let mut seen = Vec::new();
    let header = function.find(" =\n").unwrap_or(0);
    let mut at_line = 0;
    for line in function.split_inclusive('\n') {
        let bound = match line.contains(" = ") {
            true => line.rfind(" = ").unwrap_or(0),
            false => 0,
        };
        for (start, name) in temporaries(line) {
            let is_index = line[start..].strip_prefix(name).is_some_and(|rest| rest.starts_with(" < "));
            let is_bound = at_line + start < header || start < bound || is_index || seen.contains(&name);
            assert!(is_bound, "{place}: `{name}` is not bound in\n{function}");
            seen.push(name);
        }
        at_line += line.len();
    }
}

fn temporaries(line: &str) -> Vec<(usize, &str)> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '\'';
    let mut found = Vec::new();
    let mut start = 0;
    for word in line.split(|letter: char| !is_word(letter)) {
        let digits =
            word.strip_prefix('t').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        if digits {
            found.push((start, word));
        }
        start += word.len();
        start += line[start..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

// ---- the network of 003 Example 7.1 ----

/// A network of some layers, each with sizes of its own.
fn network(layers: usize) -> String {
    let sizes = |at: usize| format!("w{at}: [n{at}][n{}]R, b{at}: [n{at}]R", at - 1);
    let parameters: Vec<String> = (1..=layers).map(sizes).collect();
    let lines: Vec<String> =
        (1..=layers).map(|at| format!("  let x{at} = tanh(dot(w{at}, x{}) + b{at})\n", at - 1)).collect();
    format!(
        "fun network(x0: [n0]R, {}, y: [n{layers}]R): R =\n{}  let r = x{layers} - y\n  dot(r, r)\n",
        parameters.join(", "),
        lines.concat()
    )
}

/// Products of matrices stay products, and what is done to every element stays so: no loop, nothing added up number by number.
#[test]
fn the_derivative_of_a_network_keeps_its_parallelism() {
    for layers in [1, 2, 3, 5, 8] {
        let program = check(&network(layers)).unwrap().program;
        let id = program.functions.iter().position(|function| &*function.name == "network").unwrap();
        let derivation = derive(&program, FunctionId(id as u32), "", &Derivations::default()).unwrap();
        let stage = |name: &str| {
            let stage = derivation.stages.iter().find(|stage| stage.name == name).unwrap();
            stage.lines.join("\n")
        };
        let simplified = stage("simplified");
        let count = |text: &str, word: &str| text.matches(word).count();
        for word in ["build ", "sum ", "loop ", "scan ", "join "] {
            assert_eq!(count(&simplified, word), 0, "{layers} layers: `{word}` in\n{simplified}");
        }
        assert_eq!(count(&simplified, "diagonal "), layers, "{simplified}");
        let optimised = stage("optimised");
        for word in ["for ", "loop ", "trace ", "accumulator", "+="] {
            assert_eq!(count(&optimised, word), 0, "{layers} layers: `{word}` in\n{optimised}");
        }
        // Each layer: w x, and wᵀ dy but for the first argument; at the end, the square of the residual.
        assert_eq!(count(&optimised, "dot("), 2 * layers + 1, "{optimised}");
        // Linear in the number of layers.
        assert!(optimised.len() < 1000 * (layers + 1), "{} letters for {layers} layers", optimised.len());
    }
}
