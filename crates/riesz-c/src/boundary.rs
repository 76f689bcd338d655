//! Functions for outside callers: numbers and arrays of the caller go in, and come out.

use crate::function::{c, element_of};
use riesz_core::size::{Atom, Size};
use riesz_program::foreign::Foreign;
use riesz_program::program::{Operand, Outcome, Parameter, Register};
use riesz_program::{Program, Signature};

/// The declaration of the function of a signature, which says what is passed, and its definition.
pub(crate) fn write(program: &Program, signature: &Signature) -> (String, String) {
    let (id, procedure) = (signature.procedure, program.procedure(signature.procedure));
    // Parameters with comments, and what is passed on. Buffers that grow come from procedures, never from outside.
    let mut parameters = vec![("riesz_run *run".to_string(), String::new())];
    let (mut passed, mut body) = (vec!["run".to_string()], String::from("    riesz_begin(run);\n"));
    for (parameter, dimensions) in signature.taken(procedure) {
        let (kind, name) = match parameter {
            Parameter::Number(number) => (c(procedure.kind(Operand::Register(number))), Foreign::Register(number)),
            Parameter::Read(buffer) | Parameter::Added(buffer) | Parameter::Grown(buffer) => {
                (element_of(procedure, buffer), Foreign::Buffer(buffer))
            }
        };
        let shape: String = dimensions.iter().map(|size| format!("[{}]", sized(size, ""))).collect();
        let sign = if shape.is_empty() { ("", "") } else { ("const ", "*") };
        parameters.push((format!("{}{kind} {}{name}", sign.0, sign.1), shape));
        passed.push(name.to_string());
        for size in dimensions.iter().filter(|size| !matches!(size, Size::Constant(0..))) {
            let check = format!("    if (riesz_size(run, {})) return 1;\n", sized(size, "(double)"));
            body += if body.contains(&check) { "" } else { &check };
        }
    }
    let given = signature.given(procedure);
    let is_length = |at: usize| given.iter().any(|(_, around)| around.contains(&at));
    let lengths = |until: usize| (0..until).filter(|at| is_length(*at)).count();
    let all = lengths(given.len());
    let name = |at: usize| match is_length(at) {
        true if all == 1 => "out_len".to_string(),
        true => format!("out_len_{}", lengths(at)),
        false if given.len() - all == 1 => "out".to_string(),
        false => format!("out_{}", at - lengths(at)),
    };
    let (mut numbers, mut copies) = (String::new(), String::new());
    for (at, (outcome, around)) in given.iter().enumerate() {
        let out = name(at);
        passed.push(format!("&result_{at}"));
        match outcome {
            Outcome::Number(operand) => {
                let kind = c(procedure.kind(*operand));
                parameters.push((format!("{kind} *{out}"), String::new()));
                body += &format!("    {kind} result_{at} = 0;\n");
                numbers += &format!("    *{out} = result_{at};\n");
            }
            Outcome::Buffer(buffer) => {
                let kind = element_of(procedure, *buffer);
                let shape = around.iter().map(|at| format!("[*{}]", name(*at))).collect();
                parameters.push((format!("{kind} *{out}"), shape));
                parameters.push((format!("int64_t {out}_room"), "how many elements there is room for".into()));
                body += &format!("    {kind} *result_{at} = NULL;\n");
                let count = around.iter().map(|at| format!("result_{at}")).collect::<Vec<_>>().join(" * ");
                let copy = format!("riesz_give(run, {out}, {out}_room, result_{at}, {count}, sizeof({kind}))");
                copies += &format!("    if ({copy}) return riesz_end(run, 1);\n");
            }
        }
    }
    let function = Foreign::Function(id);
    body += &format!("    if (loop_{function}({})) return riesz_end(run, 1);\n{numbers}{copies}", passed.join(", "));
    let last = parameters.len() - 1;
    let lines = parameters.into_iter().enumerate().map(|(at, (parameter, comment))| {
        let end = if at == last { "" } else { "," };
        format!("\n    {parameter}{end}{}", if comment.is_empty() { comment } else { format!(" // {comment}") })
    });
    let head = format!("\nint riesz_{function}({}\n)", lines.collect::<String>());
    let declaration = format!("\n// `{}`, from {}.{head};\n", Foreign::NameOf(id), Foreign::PlaceOf(id));
    (declaration, format!("{head} {{\n{body}    return riesz_end(run, 0);\n}}\n"))
}

/// A size over registers, with something before each of them.
fn sized(size: &Size, before: &str) -> String {
    size.show(&|atom| match atom {
        Atom::Var(var) => format!("{before}{}", Foreign::Register(Register(var.0))),
        _ => "0".into(),
    })
}
