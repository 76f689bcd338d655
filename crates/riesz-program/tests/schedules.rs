//! A schedule changes nothing but rounding: on random programs and their derivatives, the evaluator gives the same with the
//! schedules of several targets, which it obeys, and without. The verifier accepts every schedule, and rejects one of
//! another loop.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed.

#[allow(dead_code)]
#[path = "passes/plain.rs"]
mod plain;
#[allow(dead_code)]
mod random;

use plain::Plain;
use random::{Lowered, Verdict, disagreement, evaluated, number, try_all};
use riesz_primitive::{Primitive, scalar};
use riesz_program::each_statement;
use riesz_program::passes::PASSES;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;
use riesz_program::program::{Block, Operand, Program, Statement};
use riesz_program::schedule::{Chunking, Class, Schedule, Target, plain_first, schedule};
use riesz_program::verify::verify;
use std::ops::Range;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 300;
/// How many of their functions.
const FUNCTIONS: u64 = 3;

static FUNCTIONS_IN_STRIPS: &[&Primitive] =
    &[&scalar::ADD, &scalar::SUB, &scalar::MUL, &scalar::DIV, &scalar::EXACT_MUL, &scalar::SIN, &scalar::EXP];

/// Vectors of a processor; few lanes, so that most loops have several vectors; the warps and blocks of a graphics
/// processor; threads without lanes.
const TARGETS: [Target; 4] = [
    Target { lanes: 8, strip: 4, strip_functions: FUNCTIONS_IN_STRIPS, chunks: Chunking::From(2e5) },
    Target { lanes: 2, strip: 2, strip_functions: FUNCTIONS_IN_STRIPS, chunks: Chunking::Always },
    Target { lanes: 32, strip: 1, strip_functions: &[], chunks: Chunking::Always },
    Target { lanes: 1, strip: 1, strip_functions: &[], chunks: Chunking::Always },
];

#[test]
fn schedules_change_no_result_of_random_programs() {
    let count = number("PROGRAMS", PROGRAMS);
    let verdict = try_all(number("PROGRAMS_FROM", 0), count, 10, run);
    verdict.report();
    let found = |what: &str| verdict.tally.get(&format!("programs with: {what}")).copied().unwrap_or(0);
    for what in ["lanes", "strips", "chunks", "copies", "sums in lanes", "parts", "reductions", "stencils", "zeros"] {
        assert!(count < PROGRAMS || found(what) > 0, "no schedule has {what}");
    }
}

fn run(seeds: Range<u64>, _: bool) -> Verdict {
    let mut verdict = Verdict::default();
    for seed in seeds {
        let Some(made) = Lowered::of(seed, FUNCTIONS, riesz_program::lower, &mut verdict) else { continue };
        for target in &TARGETS {
            let mut scheduled = made.program.clone();
            schedule(&mut scheduled, target);
            if let Err(problem) = verify(&scheduled) {
                verdict.wrong.push(format!("program {seed}: {problem}"));
                continue;
            }
            count_parts(&scheduled, &mut verdict);
            for (case, signature) in &made.cases {
                let found = evaluated(&scheduled, signature, case);
                let without = evaluated(&made.program, signature, case);
                let problem = match (&without, &found) {
                    // Where lanes fail apart, there is an error without lanes too.
                    (Err(_), Err(code)) if code == "elsewhere" => None,
                    (Ok(_), Err(code)) if code == "elsewhere" => Some("fails in lanes".to_string()),
                    _ => disagreement(case, found.as_ref().map_err(String::as_str)),
                };
                match problem {
                    Some(problem) => verdict.wrong.push(format!("with {target:?}, the schedule {problem}")),
                    None => verdict.note("agree"),
                }
            }
        }
    }
    verdict
}

#[test]
fn plain_zeros_change_no_result_without_a_nan() {
    let count = number("PROGRAMS", PROGRAMS);
    let verdict = try_all(number("PROGRAMS_FROM", 0), count, 10, run_plain);
    verdict.report();
    for what in ["plain zeros", "NaN flags"] {
        let found = verdict.tally.contains_key(&format!("programs with: {what}"));
        assert!(count < PROGRAMS || found, "no program has {what}");
    }
}

/// Evaluates programs with plain products in lanes. The evaluator tests their NaN flags.
fn run_plain(seeds: Range<u64>, _: bool) -> Verdict {
    let mut verdict = Verdict::default();
    for seed in seeds {
        let Some(made) = Lowered::of(seed, FUNCTIONS, riesz_program::lower, &mut verdict) else { continue };
        let entries = made.cases.iter().map(|(_, signature)| signature.procedure);
        let Some(mut plain) = plain_first(&made.program, entries) else { continue };
        verdict.note("programs with: plain zeros");
        if !plain.flagged.is_empty() {
            verdict.note("programs with: NaN flags");
        }
        schedule(&mut plain.program, &TARGETS[1]);
        if let Err(problem) = verify(&plain.program) {
            verdict.wrong.push(format!("program {seed}: {problem}"));
            continue;
        }
        for (case, signature) in &made.cases {
            let found = evaluated(&plain.program, signature, case);
            match disagreement(case, found.as_ref().map_err(String::as_str)) {
                // The program with exact products runs next.
                _ if found.as_ref().is_ok_and(|value| format!("{value:?}").contains("NaN")) => {
                    verdict.note("agree, or NaN")
                }
                Some(problem) => verdict.wrong.push(format!("with plain products, the program {problem}")),
                None => verdict.note("agree"),
            }
        }
    }
    verdict
}

/// Notes which parts schedules have.
fn count_parts(program: &Program, verdict: &mut Verdict) {
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| {
            let Statement::For(each) = statement else { return };
            let Some(Schedule { lanes, chunks }) = each.schedule.as_deref() else { return };
            let mut note = |there: bool, what: &str| {
                if there {
                    verdict.note(&format!("programs with: {what}"));
                }
            };
            if let Some(lanes) = lanes {
                note(true, "lanes");
                note(lanes.strip > 1, "strips");
                note(!lanes.summed.is_empty(), "sums in lanes");
                note(!lanes.ranges.is_empty(), "parts");
                note(!lanes.reduced.is_empty(), "reductions");
                note(!lanes.stencils.is_empty(), "stencils");
                note(lanes.stencils.values().any(|stencil| stencil.zeroed.is_some()), "zeros");
                note(!lanes.interleaved.is_empty(), "interleaved stores");
                note(!lanes.fused.is_empty(), "fused products");
                note(!lanes.backward.is_empty(), "loops backward");
                let mut parts = false;
                each_statement(&each.body, &mut |statement| {
                    parts |= matches!(statement, Statement::While(inner) if !lanes.is_uniform(inner.condition));
                });
                note(parts, "lanes that wait");
            }
            if let Some(chunks) = chunks {
                note(true, "chunks");
                note(!chunks.copied.is_empty(), "copies");
            }
        });
    }
}

/// A schedule stands below its loop.
#[test]
fn the_printer_shows_schedules() {
    let plain = Plain::of("sum(sin(y) * real(n) | y in x)", &[scalarise, tidy]);
    let mut scheduled = plain.program;
    schedule(&mut scheduled, &TARGETS[1]);
    assert_eq!(print(&scheduled), SCHEDULED);
}

const SCHEDULED: &str = "\
procedure f(n.0: Int, x@0: [R])
  t.1: R = real(n.0)
  t.3: Bool = n.0 <= 0
  t.4: R = if t.3 then 0.0 else -0.0
  t.2 := t.4
  for each t.5 < n.0
    | chunks of 2, sum in t.2
    | 2 lanes, sum in t.2
    | linear: t.5
    | varying: y.6 t.7 t.8
    | fused: t.8
    y.6: R = x@0[t.5]
    t.7: R = sin(y.6)
    t.8: R = *(t.7, t.1)
    t.2 := sum(t.2, t.8)
  give t.2
";

/// Points in three dimensions, whose coordinates are integers: sums of them do not depend on the order.
const POINTS: &str = "[[if a > 0.5 then 1.0 else 3.0, 2.0, if a < 0.0 then -1.0 else 4.0] | a in x]";

/// Loops with a different number of iterations in each lane stay in lanes: forward, and backward over stored states.
#[test]
fn lanes_wait_for_each_other() {
    let root = "(loop (z, d) = (2.0, 1.0) while abs(d) > 1e-9 do (let d = (z^2 - 2 - y) / (2 * z) in (z - d, d))).0";
    for (body, backward) in [
        (format!("[{root} | y in x]"), false),
        (format!("grad(\\x -> sum({root} | y in x), x)"), true),
        ("[sum(x[j] * x[i] | j < i) | i < n]".into(), false),
        ("[(loop z = x[i] for j < i do 0.5 * z + x[j]) | i < n]".into(), false),
        ("[(if y > 0 then loop z = y while z < 9 do 3 * z + 1 else -y) | y in x]".into(), false),
    ] {
        let plain = Plain::of(&body, &[scalarise, tidy]);
        for target in &TARGETS[..3] {
            let scheduled = plain.after_all(&|program| schedule(program, target));
            let mut verdict = Verdict::default();
            count_parts(&scheduled, &mut verdict);
            let found = |what: &str| verdict.tally.contains_key(&format!("programs with: {what}"));
            assert!(found("lanes"), "{body}\n{}", print(&scheduled));
            assert_eq!(found("loops backward"), backward, "{body}\n{}", print(&scheduled));
        }
    }
}

/// The same for random loops in loops and under conditions, and their derivatives.
#[test]
fn random_loops_wait_for_each_other() {
    let mut verdict = Verdict::default();
    for seed in 0..number("PROGRAMS", 200) {
        let number = Loops { seed: 2 * seed + 1, names: 0 }.number(1 + seed as usize % 4, &["y".to_string()]);
        let mut bodies = vec![format!("[{number} | (i, y) in zip(iota(n), x)]")];
        // In reverse mode, a loop in a loop that waits is left to the interpreter.
        if number.matches("loop").count() == 1 {
            bodies.push(format!("grad(\\x -> sum([{number} | (i, y) in zip(iota(n), x)]), x)"));
        }
        for body in bodies {
            let plain = Plain::of(&body, &PASSES.map(|(_, pass)| pass)[..15]);
            for target in &TARGETS[..3] {
                let scheduled = plain.after_all(&|program| schedule(program, target));
                count_parts(&scheduled, &mut verdict);
            }
        }
    }
    verdict.report();
    for what in ["lanes", "lanes that wait", "loops backward"] {
        assert!(verdict.tally.contains_key(&format!("programs with: {what}")), "no schedule has {what}");
    }
}

/// A writer of random numbers in which loops have different numbers of iterations.
struct Loops {
    seed: u64,
    names: usize,
}

impl Loops {
    fn below(&mut self, count: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) % count
    }

    /// A number of which some others are known.
    fn number(&mut self, depth: usize, known: &[String]) -> String {
        if depth == 0 {
            let one = self.below(known.len() as u64 + 1) as usize;
            return known.get(one).cloned().unwrap_or_else(|| "0.7".into());
        }
        let name = format!("s{}", self.names);
        self.names += 1;
        let inner: Vec<String> = known.iter().cloned().chain([name.clone()]).collect();
        let kind = self.below(8);
        let start = self.number(depth - 1, known);
        let most = 1 + self.below(6);
        match kind {
            0 => format!("({start} * {})", self.number(depth - 1, known)),
            1 => format!("(sin({start}) - {})", self.number(depth - 1, known)),
            2 => {
                let [a, b] = [(); 2].map(|()| self.number(depth - 1, known));
                format!("(if {start} < {a} then {b} else 0.5 * {start})")
            }
            3 | 4 => {
                let next = self.number(depth - 1, &inner);
                format!("(loop {name} = {start} for k < mod(i + {most}, 4) do 0.5 * {name} + {next})")
            }
            _ => {
                let next = self.number(depth - 1, &inner);
                format!(
                    "(loop ({name}, m) = ({start}, 0) while abs({name}) > 0.2 and m < {most} do \
                     (0.4 * {name} + 0.3 * sin({next}), m + 1)).0"
                )
            }
        }
    }
}

/// Rows that are copied whole are copied one after the other, not element by element for a vector of rows.
#[test]
fn rows_are_copied_in_ranges() {
    let mut copies = Plain::of("flatten([x | i < n])", &[scalarise, tidy]).program;
    schedule(&mut copies, &TARGETS[0]);
    let (mut copied, mut in_lanes) = (0, 0);
    for procedure in &copies.procedures {
        each_statement(&procedure.body, &mut |statement| {
            let Statement::For(each) = statement else { return };
            if each.body.iter().any(|inner| matches!(inner, Statement::Copy { .. })) {
                copied += 1;
                in_lanes += usize::from(each.schedule.as_deref().is_some_and(|found| found.lanes.is_some()));
            }
        });
    }
    assert!(copied > 0 && in_lanes == 0, "{}", print(&copies));
}

/// Rows that loops in lanes access across, again and again, are transposed before, and sums after.
#[test]
fn rows_are_transposed() {
    let steps = "loop y = replicate(n, 1.0) for t < 10 do [q[i][0] * 0.5 + y[i] | i < n]";
    for (body, tables) in [
        ("loop y = x for t < 10 do [y[i] * p[i][0] + p[i][2] | i < n]", &["columns@"][..]),
        (&format!("[sum(r) | r in grad(\\q -> sum({steps}), p)]"), &["columns_sum@"]),
        ("[p[i][0] + p[i][1] | i < n]", &[]),
        ("loop y = x for t < 3 do [y[i] * p[i][0] | i < n]", &[]),
    ] {
        let plain = Plain::of(&format!("{{ let p = {POINTS}; {body} }}"), &[scalarise, tidy]);
        let text = print(&plain.after_all(&|program| schedule(program, &TARGETS[0])));
        let found = ["columns@", "columns_sum@"].into_iter().filter(|table| text.contains(table));
        assert_eq!(found.collect::<Vec<_>>(), tables, "{body}\n{text}");
    }
}

/// Makes a schedule wrong; whether there was anything to change.
type Mistake = fn(&mut Schedule) -> bool;

/// Ways to make a schedule wrong.
const MISTAKES: [(&str, Mistake); 8] = [
    ("a varying number is uniform", |schedule| {
        let Some(lanes) = &mut schedule.lanes else { return false };
        let varying = lanes.classes.iter().find(|(_, class)| **class == Class::Varying);
        varying.map(|(register, _)| *register).is_some_and(|register| lanes.classes.remove(&register).is_some())
    }),
    ("lanes share a varying buffer", |schedule| {
        schedule.lanes.as_mut().is_some_and(|lanes| lanes.varying.pop_first().is_some())
    }),
    ("lanes reduce into one register", |schedule| {
        schedule.lanes.as_mut().is_some_and(|lanes| lanes.reduced.pop_first().is_some())
    }),
    ("lanes add to one element", |schedule| {
        schedule.lanes.as_mut().is_some_and(|lanes| lanes.summed.pop_first().is_some())
    }),
    ("lanes have copies of another part", |schedule| {
        let ranges = schedule.lanes.as_mut().map(|lanes| &mut lanes.ranges);
        let first = ranges.and_then(|ranges| ranges.values_mut().next());
        first.map(|range| std::mem::replace(&mut range.count, Operand::Int(77))).is_some()
    }),
    ("a stencil has one element less", |schedule| {
        let stencils = schedule.lanes.as_mut().map(|lanes| &mut lanes.stencils);
        stencils.and_then(|stencils| stencils.values_mut().next()?.places.pop()).is_some()
    }),
    ("chunks add to one buffer", |schedule| {
        schedule.chunks.as_mut().is_some_and(|chunks| chunks.copied.pop().is_some())
    }),
    ("a chunk divides a vector", |schedule| {
        let lanes = schedule.lanes.is_some();
        schedule.chunks.as_mut().filter(|_| lanes).is_some_and(|chunks| std::mem::replace(&mut chunks.group, 1) > 1)
    }),
];

#[test]
fn the_verifier_rejects_wrong_schedules() {
    let mut rejected = [0; MISTAKES.len()];
    for seed in 0..60 {
        let Some(made) = Lowered::of(seed, 2, riesz_program::lower, &mut Verdict::default()) else { continue };
        let mut scheduled = made.program;
        schedule(&mut scheduled, &TARGETS[1]);
        for (at, (what, mistake)) in MISTAKES.iter().enumerate() {
            let mut wrong = scheduled.clone();
            let blocks = wrong.procedures.iter_mut().map(|procedure| &mut procedure.body);
            if blocks.fold(false, |changed, block| changed | change(block, *mistake)) {
                assert!(verify(&wrong).is_err(), "program {seed}: {what}");
                rejected[at] += 1;
            }
        }
    }
    for ((what, _), count) in MISTAKES.iter().zip(rejected) {
        assert!(count > 0, "{what}: no schedule has this");
    }
}

/// Changes the schedules of a block; whether there was anything to change.
fn change(block: &mut Block, mistake: Mistake) -> bool {
    block.iter_mut().fold(false, |changed, statement| {
        changed
            | match statement {
                Statement::For(each) => {
                    let here = each.schedule.as_deref_mut().is_some_and(mistake);
                    change(&mut each.body, mistake) | here
                }
                Statement::While(each) => change(&mut each.body, mistake),
                Statement::If(_, yes, no) => change(yes, mistake) | change(no, mistake),
                _ => false,
            }
    })
}
