//! Loop programs as C11: one file that needs nothing but the C library.
//!
//! A procedure becomes a function of loops, one iteration after the other, in the names of the source. What it means is what
//! the evaluator of `riesz-program` says. Numbers are `double`, `int64_t` and `bool`; buffers come from `malloc` and are in a
//! list of the run, so that none is lost when the run fails. Nothing that a C program may not do is done: integers are
//! checked where they can overflow, sizes are cut to the largest integer, elements are in bounds because their indices have
//! been checked or proven to be (`riesz-rust/src/lib.rs` has the argument).
//!
//! - `boundary`: functions for callers outside, and what they say of themselves
//! - `function`: one procedure as one function
//! - `expression`: what registers are bound to
//! - `runtime.c`: what functions call, in pieces; a file has the pieces that it needs

mod boundary;
mod expression;
mod function;

use riesz_core::evaluate::Limits;
use riesz_program::foreign::{Dialect, Draft, Foreign, settle};
use riesz_program::program::{Fault, SiteId};
use riesz_program::{Program, Signature, scope};
use riesz_syntax::Span;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// What to write.
pub struct Options<'a> {
    /// A place as a person finds it: file, line and column.
    pub place: &'a dyn Fn(Span) -> String,
    /// What is called from outside.
    pub exports: &'a [Signature],
}

/// Why a program cannot be written in C.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// What it has that the C of this crate has not.
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
    let needed = pieces(defined.iter().map(|draft| draft.text.as_str()).collect());
    outside.push(draft(None, format!("\n#ifndef RIESZ_DECLARATIONS\n{QUIET}\n{}{needed}\n", sites(program))));
    let end = [draft(None, "\n#endif\n".into())];
    let drafts: Vec<Draft> = outside.into_iter().chain(inside).chain(defined).chain(end).collect();
    Ok(settle(program, options.place, &drafts, C))
}

/// What can be wrong, and where: first what can be wrong anywhere, then the sites of the program.
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

/// The pieces of the runtime that texts need, and those that these need. A piece ends with a line that begins at the margin
/// and ends in a brace or a semicolon, and is named by the first name in it.
fn pieces(texts: Vec<&str>) -> String {
    const RUNTIME: &str = include_str!("runtime.c");
    let other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let (mut all, mut start, mut end) = (Vec::new(), 0, 0);
    for line in RUNTIME.split_inclusive('\n') {
        end += line.len();
        if !line.starts_with([' ', '/']) && line.trim_end().ends_with(['}', ';']) {
            let mut code = RUNTIME[start..end].lines().filter(|line| !line.starts_with("//"));
            all.push((code.find_map(|line| line.split(other).find(|word| word.starts_with("riesz_"))), start..end));
            start = end;
        }
    }
    let (mut work, mut needed) = (texts, FxHashSet::default());
    while let Some(text) = work.pop() {
        for word in text.split(other) {
            let found = all.iter().find(|(name, _)| *name == Some(word) && needed.insert(word));
            work.extend(found.map(|(_, piece)| &RUNTIME[piece.clone()]));
        }
    }
    let needed = all.into_iter().filter(|(name, _)| name.is_some_and(|name| needed.contains(name)));
    needed.map(|(_, piece)| format!("\n{}", &RUNTIME[piece])).collect()
}

/// A loop program binds registers that nothing reads, and compares what is known to be equal.
const QUIET: &str = "\
#ifdef __GNUC__
#pragma GCC diagnostic ignored \"-Wunused-variable\"
#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"
#pragma GCC diagnostic ignored \"-Wunused-parameter\"
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#endif
";

/// The keywords of C and C++, and words that are macros in the headers that are included, or that compilers define.
const C: Dialect = Dialect {
    keywords: "
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
        typeof alignas alignof bool constexpr false nullptr static_assert thread_local true typeof_unqual noreturn near
        far linux unix i386 errno stdin stdout stderr isnan isinf isfinite isnormal signbit fpclassify isgreater
        isgreaterequal isless islessequal islessgreater isunordered assert complex imaginary and or xor not class new
        delete this try catch throw template namespace operator private public protected using virtual friend explicit
        mutable typename export decltype concept requires
    ",
};
