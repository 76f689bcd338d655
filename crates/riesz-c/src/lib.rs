//! Loop programs as C11: one file that needs only the C library.
//!
//! A procedure becomes a function of loops, one iteration after the other, with the names of the source. Its meaning is
//! that of the evaluator of `riesz-program`. Numbers are `double`, `int64_t` and `bool`; buffers come from `malloc` and
//! are in a list of the run, so that none is lost when the run fails. The code has no undefined behaviour: integers are
//! checked where they can overflow, sizes saturate at the largest integer, and elements are in bounds because their
//! indices have been checked or proven to be (`riesz-rust/src/lib.rs` has the argument).
//!
//! - `boundary`: functions for outside callers, and their descriptions
//! - `function`: one procedure as one function
//! - `expression`: the expressions of statements
//! - `runtime.c`: the functions that generated code calls, in pieces; a file has the pieces that it needs

mod boundary;
mod expression;
mod function;

use riesz_core::evaluate::Limits;
use riesz_program::foreign::{Dialect, Draft, Foreign, settle};
use riesz_program::pieces::pieces;
use riesz_program::program::{Fault, SiteId};
use riesz_program::{Program, Signature, scope};
use riesz_syntax::Span;
use std::fmt::Write;

/// The program and the functions to write.
pub struct Options<'a> {
    /// A place as a person finds it: file, line and column.
    pub place: &'a dyn Fn(Span) -> String,
    /// The functions that are called from outside.
    pub exports: &'a [Signature],
}

/// Why a program cannot be written in C.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The construct that this C cannot express.
    pub what: String,
    /// Where.
    pub span: Span,
}

/// A program as a C source file.
pub fn emit(program: &Program, options: &Options) -> Result<String, Refused> {
    let draft = |procedure, text| Draft { procedure, text };
    let Limits { steps, depth, memory, .. } = Limits::default();
    let limits = format!(".max_steps = {steps}, .max_depth = {depth}, .max_memory = {memory}, .max_stack = 4194304");
    let mut outside = vec![draft(None, include_str!("head.c").replace("LIMITS", &limits))];
    let (mut inside, mut defined) = (Vec::new(), Vec::new());
    for id in scope::reached(program, options.exports.iter().map(|signature| signature.procedure)) {
        let (declaration, definition) = function::write(program, id)?;
        inside.push(draft(Some(id), declaration));
        defined.push(draft(Some(id), definition));
    }
    for signature in options.exports {
        let (declaration, definition) = boundary::write(program, signature);
        outside.push(draft(Some(signature.procedure), declaration));
        defined.push(draft(Some(signature.procedure), definition));
    }
    let needed = pieces(include_str!("runtime.c"), defined.iter().map(|draft| draft.text.as_str()).collect());
    // A loop program binds registers that nothing reads, and compares what is known to be equal.
    let quiet = ["unused-variable", "unused-but-set-variable", "unused-parameter", "tautological-compare"]
        .map(|warning| format!("#pragma GCC diagnostic ignored \"-W{warning}\"\n"));
    let quiet = format!("\n#ifndef RIESZ_DECLARATIONS\n#ifdef __GNUC__\n{}#endif\n\n", quiet.concat());
    // A function that cannot fail reads no message.
    let sites = if needed.contains("riesz_sites") { sites(program) } else { String::new() };
    outside.push(draft(None, format!("{quiet}{sites}{needed}\n")));
    let end = [draft(None, "\n#endif\n".into())];
    let drafts: Vec<Draft> = outside.into_iter().chain(inside).chain(defined).chain(end).collect();
    Ok(settle(program, options.place, &drafts, C))
}

/// The messages of run-time errors with their places: first the errors that can occur anywhere, then the sites of the
/// program.
fn sites(program: &Program) -> String {
    let general = [
        Fault::Memory.template(false),
        ("no-room", "the result has {0} elements, and there is room for {1}".to_string()),
        Fault::NegativeSize.template(false),
        Fault::Steps.template(false),
        Fault::Integer(&riesz_primitive::scalar::ADD).template(false),
    ];
    let place = |at| Foreign::PlaceOfSite(SiteId(at)).to_string();
    let own = program.sites.iter().zip(0..).map(|(site, at)| (site.fault.template(true), place(at)));
    let mut text = "static const struct {\n    const char *code, *message, *place;\n} riesz_sites[] = {\n".to_string();
    for ((code, message), place) in general.into_iter().map(|message| (message, String::new())).chain(own) {
        let mut message = message.replace('%', "%%");
        (0..3).for_each(|at| message = message.replace(&format!("{{{at}}}"), "%\" PRId64 \""));
        let _ = writeln!(text, "    {{\"{code}\", \"{message}\", \"{place}\"}},");
    }
    text + "};\nenum { RIESZ_MEMORY, RIESZ_ROOM, RIESZ_SIZE, RIESZ_STEPS, RIESZ_OVERFLOW, RIESZ_SITES };\n"
}

/// The keywords of C, and words that are macros in the headers that are included, or that compilers define.
const C: Dialect = Dialect {
    keywords: "
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
        typeof alignas alignof bool constexpr false nullptr static_assert thread_local true typeof_unqual noreturn near
        far linux unix i386 errno stdin stdout stderr isnan isinf isfinite isnormal signbit fpclassify isgreater
        isgreaterequal isless islessequal islessgreater isunordered assert complex imaginary
    ",
};
