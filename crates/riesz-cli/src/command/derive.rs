//! `riesz derive FILE FUN`

use super::Status;
use crate::arguments::{Derive, Mode};
use crate::disk::Disk;
use crate::output;
use crate::report::Report;
use crate::whole;
use riesz::derive::{Association, Chain, Derivation, Derivations, KnownSize, Operations, Stage, Step, Steps};
use riesz::{Diagnostic, Session, derive};
use serde_json::{Value, json};
use std::path::Path;

/// Prints the stages of a derivative.
pub fn run(arguments: Derive) -> Status {
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    if let Some(output) = &arguments.certify {
        return match certify(&mut session, &arguments, output) {
            Ok(()) => Status::Success,
            Err(diagnostics) => {
                report.show(&diagnostics, session.sources());
                Status::Failure
            }
        };
    }
    match derivation(&mut session, &arguments) {
        Ok(derivation) => {
            let text = match arguments.json {
                true => as_json(&derivation, arguments.steps).to_string(),
                false => as_text(&derivation, arguments.steps),
            };
            output::print_line(text.trim_end());
            Status::Success
        }
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            Status::Failure
        }
    }
}

/// Writes the certificate of a derivative to a file.
fn certify(session: &mut Session, arguments: &Derive, output: &str) -> Result<(), Vec<Diagnostic>> {
    session.load(&arguments.file, &Disk)?;
    let text = session.certificate(&arguments.function, &options(arguments))?;
    let failed = |problem| vec![Diagnostic::placeless("cannot-write", format!("cannot write {output}: {problem}"))];
    whole::write(Path::new(output), &text).map_err(failed)
}

fn derivation(session: &mut Session, arguments: &Derive) -> Result<Derivation, Vec<Diagnostic>> {
    session.load(&arguments.file, &Disk)?;
    session.derive(&arguments.function, &options(arguments))
}

fn options(arguments: &Derive) -> Derivations {
    Derivations {
        mode: arguments.mode.map(|mode| match mode {
            Mode::Forward => derive::Mode::Forward,
            Mode::Reverse => derive::Mode::Reverse,
        }),
        sizes: arguments.sizes.clone(),
        with_respect_to: arguments.wrt.clone(),
        associate: arguments.limits.associate(),
    }
}

// ---- text ----

/// How wide a heading is.
const WIDTH: usize = 78;

/// The stages one below the other, and with them, if asked for, the steps between them.
pub fn as_text(derivation: &Derivation, steps: bool) -> String {
    let mut text = String::new();
    for (at, Stage { name, lines, operations, steps: taken }) in derivation.stages.iter().enumerate() {
        text += &heading(&format!("{} {name}", at + 1), &operations.as_ref().map_or(String::new(), counted));
        for line in lines {
            text += line;
            text.push('\n');
        }
        text += &match taken.filter(|_| steps) {
            Some(Steps::Simplification) => listed("step by step", &derivation.simplification),
            Some(Steps::Transposition) => {
                listed("the adjoint of every equation, from the last", &derivation.transposition)
            }
            None => String::new(),
        };
        text.push('\n');
    }
    text += &associated(&derivation.association);
    text
}

/// `── title ─────── remark`, or the remark below where it is long
fn heading(title: &str, remark: &str) -> String {
    let line = |used: usize| "─".repeat(WIDTH.saturating_sub(used));
    let (before, after) = (title.chars().count() + 4, remark.chars().count() + 1);
    match remark {
        "" => format!("── {title} {}\n", line(before)),
        _ if before + after + 2 <= WIDTH => format!("── {title} {} {remark}\n", line(before + after)),
        _ => format!("── {title} {}\n({remark})\n", line(before)),
    }
}

fn counted(Operations { multiplications, additions, functions }: &Operations) -> String {
    let counts = [(multiplications, "multiplication"), (additions, "addition"), (functions, "other function")];
    if counts.iter().any(|(count, _)| *count == "unknown") {
        return "an unknown number of operations".to_string();
    }
    let shown: Vec<String> = (counts.iter().filter(|(count, _)| *count != "0"))
        .map(|(count, noun)| format!("{} {noun}{}", polynomial(count), if *count == "1" { "" } else { "s" }))
        .collect();
    shown.join(", ")
}

/// `3·k·n² + n` for `3 * k * n * n + n`
fn polynomial(text: &str) -> String {
    let monomial = |text: &str| {
        let mut factors: Vec<(&str, usize)> = Vec::new();
        for factor in text.split(" * ") {
            match factors.last_mut() {
                Some((last, power)) if *last == factor && factor.parse::<i64>().is_err() => *power += 1,
                _ => factors.push((factor, 1)),
            }
        }
        let power = |power: usize| match power {
            1 => String::new(),
            _ => power
                .to_string()
                .chars()
                .filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize))
                .collect(),
        };
        factors.iter().map(|(factor, times)| format!("{factor}{}", power(*times))).collect::<Vec<_>>().join("·")
    };
    text.split(" + ")
        .map(|sum| sum.split(" - ").map(monomial).collect::<Vec<_>>().join(" - "))
        .collect::<Vec<_>>()
        .join(" + ")
}

fn listed(title: &str, steps: &[Step]) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let mut text = format!("\n  {title}\n");
    for (at, Step { before, after, laws }) in steps.iter().enumerate() {
        let (before, after) = (before.replace('\n', "\n       "), after.replace('\n', "\n       "));
        text += &format!("\n  {:>3}. {before}\n     = {after}\n", at + 1);
        for law in laws {
            text += &format!("       {}: {}   [{}]\n", law.name, law.equation, law.source);
        }
        if laws.is_empty() {
            text += "       by definition\n";
        }
    }
    text
}

fn associated(association: &Association) -> String {
    let Association { chains, sizes, nothing } = association;
    let mut text = heading("association", "");
    text += &nothing.as_ref().map_or(String::new(), |why| format!("nothing to choose: {why}\n"));
    for Chain { factors, bracketing, cheapest, forward, reverse } in chains {
        for (at, factor) in factors.iter().enumerate() {
            text += &format!("m{} = {factor}\n", at + 1);
        }
        let rows = [("cheapest", cheapest, bracketing.as_str()), ("forward", forward, ""), ("reverse", reverse, "")];
        let wide = rows.iter().map(|(_, cost, _)| cost.to_string().len()).max().unwrap_or(0);
        for (name, cost, remark) in rows {
            text += format!("  {name:<8}  {cost:>wide$} operations  {remark}").trim_end();
            text.push('\n');
        }
    }
    for assumed in [false, true] {
        let some = sizes.iter().filter(|size| size.assumed == assumed);
        let some: Vec<String> = some.map(|size| format!("{} = {}", size.name, size.value)).collect();
        if !some.is_empty() {
            let word = if assumed { "assumed" } else { "given" };
            text += &format!("  {word}: {}\n", some.join(", "));
        }
    }
    text
}

// ---- JSON ----

fn as_json(derivation: &Derivation, steps: bool) -> Value {
    let stages: Vec<Value> = derivation
        .stages
        .iter()
        .map(|Stage { name, lines, operations, .. }| {
            let mut stage = json!({ "name": name, "lines": lines });
            if let Some(Operations { multiplications, additions, functions }) = operations {
                let counts = [multiplications, additions, functions].map(|count| number(count));
                let [multiplications, additions, functions] = counts;
                stage["operations"] =
                    json!({ "multiplications": multiplications, "additions": additions, "functions": functions });
            }
            stage
        })
        .collect();
    let Association { chains, sizes, nothing } = &derivation.association;
    let chain = |Chain { factors, bracketing, cheapest, forward, reverse }: &Chain| {
        json!({
            "factors": factors,
            "bracketing": bracketing,
            "cheapest": cheapest,
            "forward": forward,
            "reverse": reverse,
        })
    };
    let size =
        |KnownSize { name, value, assumed }: &KnownSize| json!({ "name": name, "value": value, "assumed": assumed });
    let association = json!({
        "chains": chains.iter().map(chain).collect::<Vec<_>>(),
        "sizes": sizes.iter().map(size).collect::<Vec<_>>(),
        "nothing": nothing,
    });
    let mut object = json!({ "function": derivation.function, "stages": stages, "association": association });
    if steps {
        object["steps"] = json!({
            "simplification": as_objects(&derivation.simplification),
            "transposition": as_objects(&derivation.transposition),
        });
    }
    object
}

/// A number where it is one, else a polynomial as text.
fn number(count: &str) -> Value {
    count.parse::<i64>().map_or_else(|_| Value::from(count), Value::from)
}

fn as_objects(steps: &[Step]) -> Vec<Value> {
    let law = |law: &derive::Justification| json!({ "name": law.name, "equation": law.equation, "source": law.source });
    let object = |step: &Step| json!({ "before": step.before, "after": step.after, "laws": step.laws.iter().map(law).collect::<Vec<_>>() });
    steps.iter().map(object).collect()
}
