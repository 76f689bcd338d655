//! Identifiers: the names of the source, made unique and made Rust's.

use riesz_program::{Procedure, Program};
use rustc_hash::FxHashSet;

/// A name for each procedure.
pub(crate) fn procedures(program: &Program) -> Vec<String> {
    let mut used: FxHashSet<String> = RESERVED.iter().map(|name| name.to_string()).collect();
    program.procedures.iter().map(|procedure| unique(Some(&procedure.name), "f", &mut used)).collect()
}

/// Names for the registers and buffers of a procedure.
pub(crate) struct Names {
    pub registers: Vec<String>,
    pub buffers: Vec<String>,
}

pub(crate) fn variables(procedure: &Procedure, functions: &[String]) -> Names {
    // Functions of the runtime and of the program keep their names.
    let mut used: FxHashSet<String> = functions.iter().cloned().collect();
    used.extend(RESERVED.iter().map(|name| name.to_string()));
    // What is passed comes first, so that it keeps its name.
    Names {
        registers: procedure.registers.iter().map(|info| unique(info.name.as_deref(), "t", &mut used)).collect(),
        buffers: procedure.buffers.iter().map(|info| unique(info.name.as_deref(), "v", &mut used)).collect(),
    }
}

fn unique(name: Option<&str>, otherwise: &str, used: &mut FxHashSet<String>) -> String {
    let wanted = identifier(name.unwrap_or(otherwise));
    if name.is_some() && used.insert(wanted.clone()) {
        return wanted;
    }
    let mut count = used.len();
    loop {
        let name = format!("{wanted}_{count}");
        if used.insert(name.clone()) {
            return name;
        }
        count += 1;
    }
}

/// A name of the source as an identifier.
fn identifier(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\'' => text.push_str("_prime"),
            c if c.is_ascii_alphanumeric() || c == '_' => text.push(c),
            c if c.is_alphanumeric() => text.push_str(&format!("u{:x}", c as u32)),
            _ => text.push('_'),
        }
    }
    match text.chars().next() {
        Some(c) if !c.is_ascii_digit() && text.chars().any(|c| c != '_') => {}
        _ => text.insert_str(0, "n_"),
    }
    text
}

/// Names that mean something else in what is written: keywords, the runtime, the context.
const RESERVED: [&str; 146] = [
    "as",
    "break",
    "const",
    "continue",
    "crate",
    "else",
    "enum",
    "extern",
    "false",
    "fn",
    "for",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "pub",
    "ref",
    "return",
    "self",
    "Self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "type",
    "unsafe",
    "use",
    "where",
    "while",
    "async",
    "await",
    "dyn",
    "abstract",
    "become",
    "box",
    "do",
    "final",
    "macro",
    "override",
    "priv",
    "typeof",
    "unsized",
    "virtual",
    "yield",
    "try",
    "gen",
    "union",
    "raw",
    "context",
    "boundary",
    "fault",
    "at",
    "put",
    "add",
    "part",
    "part_mut",
    "product",
    "exact_product",
    "cholesky",
    "cholesky_tangent",
    "cholesky_cotangent",
    "solve",
    "inv",
    "det",
    "logdet",
    "cofactor",
    "max",
    "min",
    "exact_mul",
    "memory_before",
    "reaches",
    "sign",
    "powi",
    "div",
    "modulo",
    "integer_power",
    "truncate",
    "near",
    "near_integers",
    "erf",
    "erfc",
    "lgamma",
    "asinh",
    "acosh",
    "atanh",
    "digamma",
    "polygamma",
    "riesz_runtime",
    "buffer",
    "matrix",
    "number",
    "gamma",
    "f64",
    "R",
    "f32",
    "i64",
    "u32",
    "u64",
    "usize",
    "bool",
    "Vec",
    "Ok",
    "Err",
    "Some",
    "None",
    "Option",
    "Result",
    "Fault",
    "Context",
    "Outcome",
    "Strides",
    "std",
    "chunk_turns",
    "chunk_plan",
    "chunk_from",
    "chunk_to",
    "turns",
    "in_chunks",
    "Chunks",
    "Room",
    "Shared",
    "add_lanes",
    "add_all",
    "sums",
    "lane_block",
    "Lanes",
    "Ints",
    "Mask",
    "gather",
    "gather_own",
    "scatter",
    "scatter_own",
    "scatter_add",
    "scatter_add_own",
    "at_element",
    "at_row",
    "at_column",
    "at_inner",
    "lane_total",
    "before",
];
