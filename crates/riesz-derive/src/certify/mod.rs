//! Certificates: the whole derivation of a derivative as text that a checker can replay.
//!
//! ```text
//! first equations ──step─▶ … ──step─▶ last equations
//! ```
//!
//! The simplifier says which laws it used on what, in order; [`replay`] finds where, and this module writes it down. A
//! certificate says for each step the place, both sides and the law, so the checker has nothing to search for.

mod place;
mod replay;

use super::Derivations;
use super::build::{Derivative, build, is_pure};
use super::scope::Scope;
use super::simplify::Simplifier;
use super::term::{Item, Term, visit_exprs};
use place::Place;
use replay::{Move, Replay};
use riesz_calculus::{Calculus, Derived, Problem};
use riesz_core::Type;
use riesz_core::term::{FunctionId, Program, Var};
use riesz_syntax::Diagnostic;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The first line of a certificate.
const TITLE: &str = "riesz certificate 1";

/// The derivation of the derivative of a function, for `riesz certificate`.
///
/// # Errors
/// Where the function cannot be differentiated, or its derivative is not a chain of maps.
pub fn certificate(program: &Program, function: FunctionId, options: &Derivations) -> Result<String, Vec<Diagnostic>> {
    let one = |problem: Problem| vec![*problem];
    let own = program.function(function).clone();
    let mask = super::mask(&own, options).map_err(one)?;
    super::compiled::compiled(program, function, &mask, super::Mode::Reverse, options.associate)?;
    let mut calculus = Calculus::new(program.clone()).associating(options.associate);
    let derived = calculus.derived(function, &mask).map_err(one)?;
    let Derived { streams, function: plain, .. } = &derived;
    let refused = |why: &str| {
        let message = format!("the derivative of `{}` has no certificate: {why}", own.name);
        vec![Diagnostic::error("no-certificate", own.span, message)]
    };
    if !is_pure(&streams.linear, &streams.vars) {
        return Err(refused("code that adds to accumulators is not a chain of maps"));
    }
    let scope = Scope::new(&calculus.program, plain, streams);
    let mut simplifier = Simplifier::new(&scope);
    let first = simplifier.tidy(build(&scope, plain, streams));
    let last = simplifier.simplify(Derivative { items: first.items.clone(), result: first.result.clone() });
    let mut replay = Replay::new(&first);
    let moves = replay.run(&simplifier).map_err(|why| refused(&why))?;
    if !replay.has_become(&last) {
        return Err(refused("its steps do not lead to the simplified derivative"));
    }
    Ok(Certificate { scope: &scope, values: BTreeSet::new() }.text(&own.name, &first, &moves, &replay.state))
}

struct Certificate<'s, 'p> {
    scope: &'s Scope<'p>,
    /// The values that coefficients speak of.
    values: BTreeSet<Var>,
}

impl Certificate<'_, '_> {
    fn text(mut self, name: &str, first: &Derivative, moves: &[Move], last: &Derivative) -> String {
        let from = self.scope.space(first.result.domain());
        let begin = self.equations(first);
        let mut steps = String::new();
        for (at, step) in moves.iter().enumerate() {
            let _ = write!(steps, "{}. ", at + 1);
            match step {
                Move::Rewrite { place, before, after, law, case } => {
                    let _ = writeln!(steps, "{}", place.text(self.scope));
                    let _ = writeln!(steps, "    {}", self.map(before));
                    let _ = writeln!(steps, "  = {}", self.map(after));
                    let _ = writeln!(steps, "  by {}: {case}", law.name);
                }
                Move::Put(var, place) => {
                    let _ = writeln!(steps, "put {}{}", self.scope.derivative(*var), Place::inside(place, self.scope));
                }
                Move::Drop(var, place) => {
                    let _ = writeln!(steps, "drop {}{}", self.scope.derivative(*var), Place::inside(place, self.scope));
                }
                Move::Unwrap(place) => {
                    let _ = writeln!(steps, "no names {}", place.text(self.scope));
                }
            }
        }
        let end = self.equations(last);
        let values = self.definitions();
        format!("{TITLE}\nfunction {name}\nfrom {from}\nvalues\n{values}first\n{begin}steps\n{steps}last\n{end}")
    }

    fn equations(&mut self, Derivative { items, result }: &Derivative) -> String {
        let mut text = String::new();
        for item in items {
            let line = match item {
                Item::Map(var, map) => format!("{} = {}", self.scope.derivative(*var), self.map(map)),
                Item::Value(var, value) => {
                    value.visit(&mut |var| self.values.extend([var]));
                    format!("{} = {}", self.scope.name(*var), self.scope.show_expr(value))
                }
            };
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "  result = {}", self.map(result));
        text
    }

    fn map(&mut self, map: &Term) -> String {
        visit_exprs(map, &mut |expr| expr.visit(&mut |var| self.values.extend([var])));
        self.scope.complete.set(true);
        let text = self.scope.show(map);
        self.scope.complete.set(false);
        text
    }

    /// The definitions of the values that linearisation or the program computes, and the indices with which they
    /// change.
    fn definitions(mut self) -> String {
        let mut text = String::new();
        let mut open: Vec<Var> = self.values.iter().copied().collect();
        while let Some(var) = open.pop() {
            if let Some(expr) = self.scope.definition(var) {
                expr.visit(&mut |var| {
                    if self.values.insert(var) {
                        open.push(var);
                    }
                });
            }
        }
        for var in &self.values {
            let index = self.scope.bound.contains(var) && *self.scope.ty(*var) == Type::Int;
            let around = self.scope.within.get(var).into_iter().flatten();
            let around: Vec<&str> = around.filter(|other| *other != var).map(|var| self.scope.name(*var)).collect();
            let of = if around.is_empty() { String::new() } else { format!(" of {}", around.join(", ")) };
            let ty = self.scope.ty(*var);
            let space =
                if matches!(ty, Type::Array(..)) { format!(" : {}", self.scope.space(ty)) } else { String::new() };
            let value = self
                .scope
                .definition(*var)
                .map_or(String::new(), |value| format!(" = {}", self.scope.show_expr(&value)));
            let says_nothing = of.is_empty() && space.is_empty() && value.is_empty();
            if !(index || says_nothing) {
                let _ = writeln!(text, "  {}{of}{space}{value}", self.scope.name(*var));
            }
        }
        text
    }
}
