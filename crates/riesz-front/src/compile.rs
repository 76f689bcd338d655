//! Riesz text as Rust functions: the checker, the calculus, the lowering and the printer of the language.

use crate::error::Errors;
use crate::print::Text;
use crate::rule::Row;
use proc_macro2::TokenStream;
use riesz_core::check::PRELUDE_FILE;
use riesz_core::term::{Atom, Binding, Body, Function, Op, Var, VarInfo};
use riesz_core::{Checker, FunctionId, Type};
use riesz_limit::Bounds;
use riesz_program::schedule::{Target, plain_first, schedule};
use riesz_rust::Precision;
use riesz_syntax::{Diagnostic, FileId, ParseOptions, Span};
use std::cell::Cell;

/// The functions of Rust that Riesz has no names for, in Riesz.
pub const LIBRARY: &str = "\
fun rust_div(a: Int, b: Int): Int = if (a < 0) == (b < 0) then div(abs(a), abs(b)) else -div(abs(a), abs(b))
fun rust_rem(a: Int, b: Int): Int = a - b * rust_div(a, b)
fun rust_max(a: R, b: R): R = if b > a or is_nan(a) then b else a
fun rust_min(a: R, b: R): R = if b < a or is_nan(a) then b else a
fun rust_clamp(x: R, low: R, high: R): R = if x < low then low else if x > high then high else x
fun rust_integer(x: R, least: Int, most: Int): Int =
  if is_nan(x) then 0 else if x <= real(least) then least else if x >= real(most) then most else trunc(x)
fun rust_within(n: Int, least: Int, most: Int): Int = if n < least or n > most then div(n, 0) else n
fun rust_wrapped(n: Int, half: Int): Int = mod(n + half, 2 * half) - half
fun rust_power_of_two(n: Int, bits: Int): Int = if n < 0 or n >= bits then div(n, 0) else prod(2 | i < n)
fun rust_unsigned(n: Int): Int = if n < 0 then div(n, 0) else n
fun rust_trunc(x: R): R = if x < 0.0 then ceil(x) else floor(x)
fun rust_compare(a: R, b: R): Int = if a < b then 0 else if a > b then 2 else 1
fun rust_compare_integers(a: Int, b: Int): Int = if a < b then 0 else if a > b then 2 else 1
fun rust_total_compare(a: R, b: R): Int =
  if a < b then 0 else if a > b then 2
  else if is_nan(a) then if is_nan(b) then 1 else 2
  else if is_nan(b) then 0
  else if rust_is_negative(a) == rust_is_negative(b) then 1 else if rust_is_negative(a) then 0 else 2
fun rust_fract(x: R): R = x - rust_trunc(x)
fun rust_is_negative(x: R): Bool = x < 0.0 or (x == 0.0 and 1.0 / x < 0.0)
fun rust_signum(x: R): R = if is_nan(x) then x else if rust_is_negative(x) then -1.0 else 1.0
fun rust_copysign(x: R, y: R): R = if rust_is_negative(x) == rust_is_negative(y) then x else -x
";

/// How much the compiler may do for the functions of one attribute.
const BOUNDS: Bounds = Bounds { steps: 1_000_000_000, code: 2_000_000, memory: usize::MAX, interrupt: None };

/// A file of the text that is compiled: behind the prelude and the library.
const FILE: FileId = FileId(2);

/// A function of the text that is to become a Rust function.
pub(crate) struct Entry {
    /// Its name in the text.
    pub name: String,
}

/// The Rust functions of some entries.
pub(crate) struct Compiled {
    /// The functions, and what they call; in the module [`EXACT`], those with exact products.
    pub source: String,
    /// For each entry, the products of the function of its name, or why there is none.
    pub functions: Vec<Result<Products, String>>,
}

/// The products of zeros and infinities in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Products {
    /// They are zero.
    Exact,
    /// They are NaN. If a result is NaN, the function of the same name in the module [`EXACT`] has the results. `flagged`
    /// says that the function gives one more number, which is NaN if a result is.
    Plain { flagged: bool },
}

/// The module of the functions with exact products.
pub(crate) const EXACT: &str = "exact";

/// Compiles a text. Errors are reported at the places that its parts come from.
pub(crate) fn compile(
    text: &Text,
    entries: &[Entry],
    rows: &[Row],
    precision: Precision,
    places: &[TokenStream],
    errors: &mut Errors,
) -> Option<Compiled> {
    match riesz_limit::within(&BOUNDS, || {
        with_checker(|checker| checked(checker, &text.text, entries, rows, precision))
    }) {
        Ok(Ok(compiled)) => Some(compiled),
        Ok(Err(problems)) => {
            for problem in problems {
                report(&problem, text, places, errors);
            }
            None
        }
        Err(_) => {
            let at = places.first().cloned().unwrap_or_default();
            errors.add(&at, "this takes too much work to differentiate", "split the function into smaller ones");
            None
        }
    }
}

/// A checker that knows the prelude and the library. It is made once for a thread, and forgets what was added.
fn with_checker<T>(run: impl FnOnce(&mut Checker) -> T) -> T {
    thread_local!(static CHECKER: Cell<Option<Checker>> = const { Cell::new(None) });
    let mut checker = CHECKER.take().unwrap_or_else(|| {
        let mut checker = Checker::new();
        debug_assert_eq!(PRELUDE_FILE, FileId(0));
        let (library, mut problems) = riesz_syntax::parse(FileId(1), LIBRARY, &ParseOptions::default());
        problems.extend(checker.add(vec![library], false));
        assert!(problems.is_empty(), "the library is a correct program: {problems:?}");
        checker
    });
    let mark = checker.mark();
    let result = run(&mut checker);
    checker.roll_back(mark);
    CHECKER.set(Some(checker));
    result
}

fn checked(
    checker: &mut Checker,
    text: &str,
    entries: &[Entry],
    rows: &[Row],
    precision: Precision,
) -> Result<Compiled, Vec<Diagnostic>> {
    let (tree, problems) = riesz_syntax::parse(FILE, text, &ParseOptions { max_nesting: 2000 });
    if !problems.is_empty() {
        return Err(problems);
    }
    let problems = checker.add(vec![tree], false);
    if !problems.is_empty() {
        return Err(problems);
    }
    for row in rows {
        if let Some(id) = checker.function_named(&row.function) {
            put(row, &mut checker.program.functions[id.0 as usize]);
        }
    }
    let ids: Vec<Option<FunctionId>> = entries.iter().map(|entry| checker.function_named(&entry.name)).collect();
    let mut functions = Vec::new();
    // Plain products run first; the code with exact ones is for results that are NaN.
    let (mut first, mut exact) = (riesz_program::Program::default(), riesz_program::Program::default());
    for id in &ids {
        let Some(id) = id else {
            functions.push(Err("its types are not known".to_string()));
            continue;
        };
        let mut part = checker.program.part(&[*id], &|_| false);
        if let Err(problems) = riesz_calculus::compile_for_code(&mut part, &[*id]) {
            functions.push(Err(said(&problems)));
            continue;
        }
        let (program, mut found) = riesz_program::lower(&part, &[*id]);
        functions.push(match found.pop() {
            Some(Ok(entry)) => Ok(match plain_first(&program, std::iter::once(entry.procedure)) {
                Some(plain) => {
                    first.append(plain.program);
                    exact.append(program);
                    Products::Plain { flagged: plain.flagged.contains(&entry.procedure) }
                }
                None => {
                    first.append(program);
                    Products::Exact
                }
            }),
            Some(Err(problem)) => Err(problem.reason),
            None => Err("there is no code".to_string()),
        });
    }
    let target = riesz_rust::target(precision, false);
    let mut source = printed(first, &target, precision);
    for (entry, function) in entries.iter().zip(&mut functions) {
        // Names of entries are no words of generated code, so that the printer keeps them.
        if function.is_ok() && !source.contains(&format!("pub fn {}(", entry.name)) {
            *function = Err("its name is taken".to_string());
        }
    }
    if !exact.procedures.is_empty() {
        // It seldom runs, so that it has little code.
        let exact = printed(exact, &Target::SEQUENTIAL, precision);
        let called: String = rows.iter().map(|row| format!("use super::call_{};\n", row.function)).collect();
        source += &format!("\npub mod {EXACT} {{\nuse super::riesz_runtime;\n{called}{exact}}}\n");
    }
    Ok(Compiled { source, functions })
}

/// A program as Rust source.
fn printed(mut program: riesz_program::Program, target: &Target, precision: Precision) -> String {
    let place = |span: Span| format!("bytes {} to {}", span.start, span.end);
    schedule(&mut program, target);
    let options = riesz_rust::Options { place: &place, exports: &[], precision };
    let source = riesz_rust::emit(&program, &options);
    let head = source.find("use riesz_runtime").unwrap_or(0);
    // What is not called is not compiled: a function has more derivatives than most programs use.
    source[head..].replace("\npub fn ", "\n#[inline]\npub fn ")
}

/// Makes a function one that calls a row.
fn put(row: &Row, function: &mut Function) {
    let span = function.span;
    let mut bindings = Vec::new();
    let mut bind = |op: Op| {
        function.vars.push(VarInfo { name: None, ty: Type::Real });
        let var = Var(function.vars.len() as u32 - 1);
        bindings.push(Binding { var, op, span });
        Atom::Var(var)
    };
    let arguments = row.reals.iter().enumerate().map(|(at, real)| {
        let argument = Atom::Var(Var(at as u32));
        if *real { argument } else { bind(Op::ToReal(argument)) }
    });
    let arguments: Vec<Atom> = arguments.collect();
    let result = bind(Op::Scalar(row.row, arguments));
    function.body = Body { bindings, result };
}

fn said(problems: &[Diagnostic]) -> String {
    problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; ")
}

fn report(problem: &Diagnostic, text: &Text, places: &[TokenStream], errors: &mut Errors) {
    let label = problem.labels.iter().find(|label| label.span.file == FILE);
    let place = label.and_then(|label| text.place(label.span.start as usize, label.span.end as usize));
    let at = place.and_then(|place| places.get(place)).or(places.first()).cloned().unwrap_or_default();
    let help = problem
        .help
        .first()
        .cloned()
        .unwrap_or_else(|| "the book's page on Rust functions lists what can be written".to_string());
    errors.add(&at, format!("this cannot be differentiated: {}", problem.message), help);
}
