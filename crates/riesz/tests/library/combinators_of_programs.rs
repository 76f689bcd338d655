//! Every representation of the derivative of a random program agrees with every other, and with Nagata numbers.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed.

use riesz_test::generate;

use generate::random::Random;
use riesz_algebra::Nagata;
use riesz_category::combinator::Combinators;
use riesz_category::space::{numbers, space};
use riesz_category::via::{Prepared, Via};
use riesz_core::FunctionId;
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_test::program::check;
use std::collections::BTreeMap;
use std::panic::catch_unwind;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 600;

type Dual = Nagata<f64, f64>;

#[test]
fn representations_agree_on_random_programs() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let first = number("PROGRAMS_FROM", 0);
    let mut tally: BTreeMap<String, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in first..first + number("PROGRAMS", PROGRAMS) {
        let outcome = catch_unwind(|| attempt(seed)).unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            let text = generate::program(seed, size(seed)).text();
            Err(Trouble::Wrong(format!("program {seed} panics: {message}\n{text}")))
        });
        match outcome {
            Ok(()) => *tally.entry("judged".into()).or_default() += 1,
            Err(Trouble::None(why)) => *tally.entry(why).or_default() += 1,
            Err(Trouble::Wrong(report)) => wrong.push(report),
        }
    }
    println!("{tally:?}");
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n")
    );
    assert!(tally.get("judged").is_some_and(|judged| *judged * 2 > number("PROGRAMS", PROGRAMS)), "{tally:?}");
}

fn size(seed: u64) -> usize {
    3 + (seed % 40) as usize
}

enum Trouble {
    /// The program has no value, or cannot be judged.
    None(String),
    Wrong(String),
}

fn attempt(seed: u64) -> Result<(), Trouble> {
    let program = generate::program(seed, size(seed));
    let none = |why: &str| Trouble::None(why.to_string());
    let mut text = program.text();
    text += &format!("fun f_value(x: {}) = f(x)\n", program.domain.concrete());
    let checker = check(&text).map_err(|_| none("does not check"))?;
    let function = checker.function_named("f_value").expect("the test defines it");
    let mut core = checker.program.clone();
    riesz_calculus::compile_from(&mut core, &[function]).map_err(|_| none("does not compile"))?;
    let limits = Limits { steps: 100_000, depth: 1000, memory: 64 << 20, interrupt: None };
    let prepared = match Prepared::new(&core, function, limits.clone(), |_| None) {
        Ok(prepared) => prepared,
        Err(problem) => return Err(Trouble::None(format!("{}: {}", problem.code, problem.message))),
    };
    let shown = prepared.combinators().to_string();
    match shown.parse::<Combinators>() {
        Ok(read) if read.to_string() == shown => {}
        outcome => {
            return Err(Trouble::Wrong(format!("program {seed} does not read back: {:?}\n{shown}", outcome.err())));
        }
    }
    let mut random = Random::new(seed ^ 0x5EED);
    let x: Vec<f64> = (0..program.domain.reals()).map(|_| random.between(-1.5, 1.5)).collect();
    let int = random.below(4) as i64;
    let mut next = x.iter();
    let point: Value<f64> = program.domain.value(&mut || *next.next().expect("as many as there are"), int);
    let value =
        run::<f64>(&core, function, point.clone(), &limits).map_err(|why| Trouble::None(format!("no value: {why}")))?;
    let report = |what: &str, found: &dyn std::fmt::Debug, expected: &dyn std::fmt::Debug| {
        Trouble::Wrong(format!("program {seed}, {what}: found {found:?}, expected {expected:?}\n{text}"))
    };
    let found = prepared.value(vec![point.clone()]).map_err(|fault| report("value stops", &fault.message, &value))?;
    if found.distance(&value) > 1e-9 {
        return Err(report("value", &found, &value));
    }
    let rows = space(&value).dimension();
    if x.len() * rows > 400 {
        return Err(none("large"));
    }
    let dx: Vec<f64> = x.iter().map(|_| random.between(-1.0, 1.0)).collect();
    let dy: Vec<f64> = (0..rows).map(|_| random.between(-1.0, 1.0)).collect();
    let mut pairs = x.iter().zip(&dx);
    let dual: Value<Dual> = program.domain.value(
        &mut || {
            let (primal, tangent) = pairs.next().expect("as many as there are");
            Dual { primal: *primal, tangent: *tangent }
        },
        int,
    );
    let expected = run::<Dual>(&core, function, dual, &limits).map_err(|why| none(&why))?;
    let mut forward = Vec::new();
    expected.visit_reals(&mut |number| forward.push(number.tangent));
    let mut reverse: Option<Vec<f64>> = None;
    for via in Via::ALL {
        let derivative = prepared
            .derivative(vec![point.clone()], via)
            .map_err(|fault| report(&format!("{} stops", via.name()), &fault.message, &forward))?;
        if derivative.value.distance(&value) > 1e-9 {
            return Err(report(&format!("value of {}", via.name()), &derivative.value, &value));
        }
        let found = derivative.apply(&dx);
        if !near(&found, &forward) {
            return Err(report(via.name(), &found, &forward));
        }
        let found = derivative.transpose_apply(&dy);
        match &reverse {
            None => {
                let (left, right) = (inner(&found, &dx), inner(&dy, &forward));
                if left.is_finite() && right.is_finite() && !near(&[left], &[right]) {
                    return Err(report(&format!("{} transposed", via.name()), &left, &right));
                }
                reverse = Some(found);
            }
            Some(expected) if !near(&found, expected) => {
                return Err(report(&format!("{} transposed", via.name()), &found, expected));
            }
            Some(_) => {}
        }
    }
    assert_eq!(numbers(&point), x);
    Ok(())
}

fn run<S: riesz_primitive::Number>(
    core: &riesz_core::Program,
    function: FunctionId,
    point: Value<S>,
    limits: &Limits,
) -> Result<Value<S>, String> {
    Machine::<S>::new(core, limits.clone(), |_| None)
        .call_with(function, vec![point])
        .map_err(|fault| fault.code.to_string())
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Equal up to a part of the largest number; NaN only where NaN is, infinities where infinities are.
fn near(found: &[f64], expected: &[f64]) -> bool {
    let largest = found.iter().chain(expected).filter(|x| x.is_finite()).fold(1.0, |a: f64, b| a.max(b.abs()));
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| {
            (a - b).abs() <= 1e-8 * largest || a == b || !a.is_finite() && !b.is_finite() || largest > 1e8
        })
}
