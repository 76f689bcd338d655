//! `riesz certificate FILE`

use super::Status;
use crate::arguments::Certificate;
use crate::report::Report;
use crate::{disk, output};
use riesz::certificate::{Fault, Proof, check};
use riesz::{Diagnostic, FileId, Sources, Span, add_source};
use serde_json::json;
use std::path::Path;

/// Replays a certificate, and says what it proves.
pub fn run(arguments: Certificate) -> Status {
    let mut sources = Sources::default();
    match checked(&arguments.file, &mut sources) {
        Ok(proof) => {
            let text = if arguments.json { as_json(&proof) } else { as_text(&proof) };
            output::print_line(&text);
            Status::Success
        }
        Err(diagnostics) => {
            Report::new(arguments.messages).show(&diagnostics, &sources);
            Status::Failure
        }
    }
}

fn checked(file: &str, sources: &mut Sources) -> Result<Proof, Vec<Diagnostic>> {
    let standard_input = file == "-";
    let name = if standard_input { "<stdin>" } else { file };
    let bytes = if standard_input { disk::read_input() } else { disk::read_program(Path::new(file)) };
    let bytes = bytes.map_err(|error| {
        vec![Diagnostic::placeless("cannot-read", format!("cannot read {name}: {}", disk::reason(&error)))]
    })?;
    let (id, decoded) = add_source(sources, name, bytes);
    decoded.map_err(|diagnostic| vec![diagnostic])?;
    let text = sources.get(id).text.clone();
    check(&text).map_err(|fault| vec![wrong(id, &text, &fault)])
}

/// The line of a certificate that is wrong.
fn wrong(file: FileId, text: &str, fault: &Fault) -> Diagnostic {
    let before = fault.line.saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let length = text[start..].lines().next().map_or(0, str::len);
    let at = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let span = Span { file, start: at(start), end: at(start + length) };
    match fault.step {
        Some(step) => Diagnostic::error("wrong-step", span, format!("step {step} is wrong: {}", fault.message))
            .help("the certificate proves nothing; write it again with `riesz derive FILE FUN --certify OUT`"),
        None => Diagnostic::error("wrong-certificate", span, format!("this proves nothing: {}", fault.message))
            .help("`riesz derive FILE FUN --certify OUT` writes a certificate"),
    }
}

fn as_text(proof: &Proof) -> String {
    let Proof { function, first, last, steps, laws, values, compared } = proof;
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let mut text = format!(
        "D {function} is proved: {} from {} to {}\n",
        counted(*steps, "step"),
        counted(*first, "equation"),
        counted(*last, "equation"),
    );
    let wide = laws.iter().map(|(_, count)| count.to_string().len()).max().unwrap_or(0);
    for (law, count) in laws {
        text += &format!("  {count:>wide$}  {law}\n");
    }
    if *compared > 0 {
        let coefficients = counted(*compared as usize, "comparison");
        text += &format!("tested at random values: {coefficients} of coefficients that are written in two ways\n");
    }
    text += "taken on trust: the first equations and their spaces";
    if *values > 0 {
        text += &format!(
            ", what {} of the program {} in terms of others",
            counted(*values, "value"),
            if *values == 1 { "is" } else { "are" }
        );
    }
    text
}

fn as_json(Proof { function, first, last, steps, laws, values, compared }: &Proof) -> String {
    let laws: serde_json::Map<String, serde_json::Value> =
        laws.iter().map(|(law, count)| (law.clone(), json!(count))).collect();
    let trusted = json!({ "equations": first, "values": values });
    json!({ "function": function, "first": first, "last": last, "steps": steps, "laws": laws, "compared": compared, "trusted": trusted })
        .to_string()
}
