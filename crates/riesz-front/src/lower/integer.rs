//! Integers.
//!
//! Riesz computes with 64 bits. The number that stands for an integer of Rust is congruent to it modulo `2^bits`, which sums,
//! differences and products of congruent numbers are too. Where a number is looked at, which is where it is compared,
//! divided, converted, counted to or passed on, it must be in the range of its type: then it is the integer itself. Where
//! that does not follow from how it has been computed, it is checked, and the derivative stops if the integer has
//! overflowed.

use super::{Lower, Value};
use crate::term::{Iteration, Name, Term};
use crate::types::{Integer, Ty};
use quote::ToTokens;
use std::collections::{BTreeMap, HashSet};
use syn::visit::{self, Visit};

/// The least and the greatest number.
pub(super) type Interval = (i64, i64);

const ANY: Interval = (i64::MIN, i64::MAX);

/// The lengths of arrays: derivatives are refused arguments with longer ones.
const SMALL: Interval = (0, i32::MAX as i64);

impl Lower<'_> {
    /// The least and the greatest number that a term can be, as far as that is known.
    fn interval(&self, term: &Term) -> Interval {
        let of = |term: &Term| self.interval(term);
        match term {
            Term::Int(number) => (*number, *number),
            Term::Name(name) => self.intervals.get(name).copied().unwrap_or(ANY),
            Term::At(_, inner) => of(inner),
            Term::If(_, yes, no) => {
                let (yes, no) = (of(&yes.result), of(&no.result));
                (yes.0.min(no.0), yes.1.max(no.1))
            }
            Term::Binary("+", a, b) => {
                let (a, b) = (of(a), of(b));
                (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
            }
            Term::Binary("-", a, b) => {
                let (a, b) = (of(a), of(b));
                (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0))
            }
            Term::Binary("*", a, b) => {
                let (a, b) = (of(a), of(b));
                let ends = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(a, b)| a.saturating_mul(b));
                ends.iter().fold((i64::MAX, i64::MIN), |all, end| (all.0.min(*end), all.1.max(*end)))
            }
            Term::Call(function, arguments) => match (&**function, &arguments[..]) {
                ("size", _) => SMALL,
                ("max", [a, b]) => (of(a).0.max(of(b).0), of(a).1.max(of(b).1)),
                ("min", [a, b]) => (of(a).0.min(of(b).0), of(a).1.min(of(b).1)),
                ("div", [a, b]) if of(a).0 >= 0 && of(b).0 >= 0 => (0, of(a).1),
                ("mod", [a, b]) if of(b).0 >= 0 => {
                    let most = of(b).1.saturating_sub(1).max(0);
                    (0, if of(a).0 >= 0 { most.min(of(a).1) } else { most })
                }
                ("rust_rem", [a, _]) => (of(a).0.min(0), of(a).1.max(0)),
                ("rust_div", [a, _]) => {
                    let most = of(a).1.max(of(a).0.saturating_neg());
                    (-most, most)
                }
                ("rust_integer" | "rust_within", [_, Term::Int(least), Term::Int(most)]) => (*least, *most),
                ("rust_unsigned", [a]) => (0, of(a).1.max(0)),
                ("rust_wrapped", [_, Term::Int(half)]) => (-half, half - 1),
                ("rust_compare_integers", _) => (0, 2),
                _ => ANY,
            },
            _ => ANY,
        }
    }

    /// Whether an integer is surely not negative.
    pub(super) fn is_count(&self, term: &Term) -> bool {
        self.interval(term).0 >= 0
    }

    /// Whether a number is surely in the range of a type.
    pub(super) fn is_within(&self, term: &Term, integer: Integer) -> bool {
        let ((least, most), (from, to)) = (integer.range(), self.interval(term));
        (least <= from && to <= most)
            || (integer.bits == 64 && !integer.signed && self.is_not_below_zero(term))
            || match super::operator::unmarked(term.clone()) {
                // The elements of arguments.
                Term::Index(of, _) | Term::Field(of, _) => self.is_part_of_argument(&of),
                _ => false,
            }
    }

    /// Whether a sum or product is not negative, because each index in it is below its count: `2 * n - i - 1` for `i < n`.
    fn is_not_below_zero(&self, term: &Term) -> bool {
        match term {
            Term::At(_, inner) => self.is_not_below_zero(inner),
            Term::Binary("*", a, b) => [a, b].iter().all(|part| self.is_count(part) || self.is_not_below_zero(part)),
            term => {
                let mut sum = Linear::default();
                if !sum.add(term, 1) {
                    return false;
                }
                for _ in 0..MOST_INDICES {
                    let indices = sum.terms.iter().filter(|(_, factor)| **factor < 0);
                    let Some((index, count)) = indices.filter_map(|(name, _)| self.counts.get_key_value(name)).next()
                    else {
                        break;
                    };
                    let factor = sum.terms.remove(index).unwrap_or(0);
                    // The greatest index is one less than the count.
                    if !sum.add(count, factor) || !sum.add(&Term::Int(-1), factor) {
                        return false;
                    }
                }
                let is_least = |(name, factor): (&Name, &i64)| {
                    *factor >= 0 && self.intervals.get(name).is_some_and(|(least, _)| *least >= 0)
                };
                sum.constant >= 0 && sum.terms.iter().all(is_least)
            }
        }
    }

    fn is_part_of_argument(&self, term: &Term) -> bool {
        match term {
            Term::Name(name) => self.arguments.contains(name),
            Term::Index(of, _) | Term::Field(of, _) | Term::At(_, of) => self.is_part_of_argument(of),
            _ => false,
        }
    }

    /// A number that is looked at: the derivative stops if it is out of the range of its type.
    pub(super) fn settle(&self, term: Term, integer: Integer) -> Term {
        if self.is_within(&term, integer) {
            return term;
        }
        let (least, most) = integer.range();
        match integer {
            Integer { signed: false, bits: 64 } => Term::call("rust_unsigned", [term]),
            _ => Term::call("rust_within", [term, Term::Int(least), Term::Int(most)]),
        }
    }

    /// The same of a value, if it is an integer.
    pub(super) fn settled(&self, value: Value) -> Value {
        match value.ty {
            Ty::Int(integer) => Value { term: self.settle(value.term, integer), ..value },
            _ => value,
        }
    }

    /// An integer that counts something, as an atom.
    pub(super) fn count_atom(&mut self, expr: &syn::Expr) -> Term {
        let value = self.value(expr);
        match value.ty {
            Ty::Int(integer) => {
                let term = self.settle(value.term, integer.with(Integer::USIZE));
                self.name_it("t", term, expr)
            }
            _ => self.name_it("t", value.term, expr),
        }
    }

    /// Remembers what is known of an integer under its name.
    pub(super) fn remember(&mut self, name: &Name, value: &Term) {
        let interval = self.interval(value);
        if interval != ANY {
            self.intervals.insert(name.clone(), interval);
        }
    }

    /// Remembers that a name is an integer in the range of its type.
    pub(super) fn is_settled(&mut self, name: &Term, ty: &Ty) {
        if let (Term::Name(name), Ty::Int(integer)) = (name, ty) {
            let ((least, most), known) = (integer.range(), self.interval(&Term::Name(name.clone())));
            self.intervals.insert(name.clone(), (least.max(known.0), most.min(known.1)));
        }
    }

    /// Remembers that a name is the length of an array.
    pub(super) fn is_length(&mut self, name: &Name) {
        self.intervals.insert(name.clone(), SMALL);
    }

    /// Remembers that a name is not negative.
    pub(super) fn is_not_negative(&mut self, name: &Name) {
        let most = self.interval(&Term::Name(name.clone())).1;
        self.intervals.insert(name.clone(), (0, most.max(0)));
    }

    /// Remembers that a name runs from zero to below a count.
    pub(super) fn is_index(&mut self, name: &Name, count: &Term) {
        self.intervals.insert(name.clone(), (0, self.interval(count).1.saturating_sub(1).max(0)));
        self.counts.insert(name.clone(), count.clone());
    }

    /// A reduction, which gives `empty` where there is nothing to reduce.
    pub(crate) fn reduced(&self, reduction: &'static str, iteration: Iteration, empty: Term) -> Term {
        if self.is_count(&iteration.count) {
            return Term::Reduce(reduction, iteration);
        }
        let some = Term::binary(">", (*iteration.count).clone(), Term::Int(0));
        let reduced = super::operator::alone(Term::Reduce(reduction, iteration));
        Term::If(some.into(), reduced.into(), super::operator::alone(empty).into())
    }

    /// An array, which is empty where its length is negative.
    pub(crate) fn built(&self, mut iteration: Iteration) -> Term {
        if !self.is_count(&iteration.count) {
            iteration.count = Term::call("max", [*iteration.count, Term::Int(0)]).into();
        }
        Term::Build(iteration)
    }

    /// An integer as one of another type: it loses its upper bits, and the rest is read as the type says.
    pub(super) fn converted(&mut self, term: Term, from: Integer, to: Integer, at: &dyn ToTokens) -> Term {
        let widens = from.bits == 0 || to.bits > from.bits || to.bits == 64;
        let term = if widens { self.settle(term, from) } else { term };
        if self.is_within(&term, to) {
            return term;
        }
        if let Term::Int(number) = term {
            return match to.wrapped(number) {
                Some(number) => Term::Int(number),
                None => term,
            };
        }
        let ((least, most), (from_least, from_most)) = (to.range(), from.range());
        if widens && least <= from_least && from_most <= most {
            return term;
        }
        let term = self.name_it("t", term, at);
        if to.bits == 64 {
            // A negative number would become one of more than 63 bits: the derivative stops.
            return Term::call("rust_unsigned", [term]);
        }
        let modulus = Term::Int(1 << to.bits);
        if !to.signed {
            return Term::call("mod", [term, modulus]);
        }
        let half = Term::Int(1 << (to.bits - 1));
        Term::call("rust_wrapped", [term, half])
    }
}

/// How many indices are replaced by their counts at most.
const MOST_INDICES: usize = 8;

/// A sum of multiples of names and a constant.
#[derive(Default)]
struct Linear {
    terms: BTreeMap<Name, i64>,
    constant: i64,
}

impl Linear {
    /// Adds a multiple of a term; not if it is no such sum, or a factor is too large.
    fn add(&mut self, term: &Term, factor: i64) -> bool {
        let sum = |old: i64, new: Option<i64>| old.checked_add(new?);
        match term {
            Term::At(_, inner) => self.add(inner, factor),
            Term::Int(number) => match sum(self.constant, number.checked_mul(factor)) {
                Some(constant) => {
                    self.constant = constant;
                    true
                }
                None => false,
            },
            Term::Name(name) => {
                let of = self.terms.entry(name.clone()).or_default();
                match sum(*of, Some(factor)) {
                    Some(factor) => {
                        *of = factor;
                        true
                    }
                    None => false,
                }
            }
            Term::Binary("+", a, b) => self.add(a, factor) && self.add(b, factor),
            Term::Binary("-", a, b) => {
                factor.checked_neg().is_some_and(|minus| self.add(a, factor) && self.add(b, minus))
            }
            Term::Binary("*", a, b) => match (&**a, &**b) {
                (Term::Int(number), other) | (other, Term::Int(number)) => {
                    factor.checked_mul(*number).is_some_and(|factor| self.add(other, factor))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// The names of variables that are used as indices: integers without a written type among them are `usize`.
pub(super) fn indices(visit: impl FnOnce(&mut dyn FnMut(&syn::Stmt))) -> HashSet<String> {
    #[derive(Default)]
    struct Find {
        names: HashSet<String>,
    }
    impl Find {
        fn index(&mut self, expr: &syn::Expr) {
            match super::expr::strip(expr) {
                syn::Expr::Path(path) => self.names.extend(path.path.get_ident().map(|ident| ident.to_string())),
                syn::Expr::Binary(binary) if super::operator::is_arithmetic(&binary.op) => {
                    self.index(&binary.left);
                    self.index(&binary.right);
                }
                syn::Expr::Range(range) => {
                    range.start.iter().chain(&range.end).for_each(|end| self.index(end));
                }
                _ => {}
            }
        }
    }
    impl<'a> Visit<'a> for Find {
        fn visit_expr_index(&mut self, index: &'a syn::ExprIndex) {
            self.index(&index.index);
            visit::visit_expr_index(self, index);
        }
    }
    let mut find = Find::default();
    visit(&mut |statement| find.visit_stmt(statement));
    find.names
}
