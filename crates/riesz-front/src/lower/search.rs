//! Methods of iterators that search for an element, or reduce the elements by a function: loops that carry the result so
//! far.

use super::iterator::{Function, Iter};
use super::operator::alone;
use super::{Lower, Value};
use crate::term::{Block, Term};
use crate::types::{Ty, is_ordering};
use quote::ToTokens;

impl Lower<'_> {
    /// A loop that gives one variable another value for each element.
    pub(super) fn fold_by(
        &mut self,
        iter: &Iter,
        start: Value,
        at: &dyn ToTokens,
        step: &mut dyn FnMut(&mut Self, Value, Value) -> Value,
    ) -> Value {
        if matches!(start.ty, Ty::Error) {
            return Value::error();
        }
        let term = self.name_it("acc", start.term, at);
        let accumulator = self.hidden("acc", start.ty, term);
        let exits = super::assigned::Exits::default();
        let pattern: syn::Pat = syn::parse_quote!(fold_element);
        // The accumulator is the only variable that is assigned: it has a name that no program can write.
        self.scopes.push(vec![("#acc".to_string(), accumulator)]);
        let assigns: syn::Expr = syn::parse_quote!(());
        self.assigns_also.push("#acc".to_string());
        self.repeat_for(iter, &pattern, None, &exits, at, |visit| visit(&assigns), &mut |lower| {
            let element = match lower.lookup("fold_element") {
                Some(id) => {
                    let variable = &lower.vars[id.0];
                    Value::new(variable.term.clone(), variable.ty.clone())
                }
                None => Value::error(),
            };
            let variable = &lower.vars[accumulator.0];
            let now = Value::new(variable.term.clone(), variable.ty.clone());
            let next = step(lower, now, element);
            if matches!(next.ty, Ty::Error) {
                lower.vars[accumulator.0].ty = Ty::Error;
                return;
            }
            let term = lower.name_it("acc", super::operator::unmarked(next.term), at);
            lower.vars[accumulator.0].term = term;
            if matches!(lower.vars[accumulator.0].ty, Ty::Option(_)) {
                lower.vars[accumulator.0].ty = next.ty;
            }
        });
        self.scopes.pop();
        let variable = &self.vars[accumulator.0];
        Value::new(variable.term.clone(), variable.ty.clone())
    }

    /// The type of the elements of an iterator.
    fn element_type(&mut self, iter: &Iter, at: &dyn ToTokens) -> Ty {
        self.probe(|lower| lower.element(iter, Term::Int(0), &mut Vec::new(), at).ty)
    }

    /// No element yet.
    fn nothing_of(&mut self, iter: &Iter, at: &dyn ToTokens) -> Value {
        match self.element_type(iter, at) {
            Ty::Error => {
                // For its errors.
                self.element(iter, Term::Int(0), &mut Vec::new(), at);
                Value::error()
            }
            ty => {
                let ty = Ty::Option(Box::new(ty));
                Value::new(self.dummy(&ty, at), ty)
            }
        }
    }

    /// The element at a position, if there is one.
    pub(super) fn nth(&mut self, iter: &Iter, position: Term, at: &dyn ToTokens) -> Value {
        if iter.is_filtered() {
            let help = "call `find`, or `filter` and `fold`";
            return self.refuse(at, "the positions of filtered elements are not known", help);
        }
        let count = self.count(iter, at);
        let mut there = Term::binary("<", position.clone(), count);
        if !self.is_count(&position) {
            there = Term::binary(">=", position.clone(), Term::Int(0)).and(there);
        }
        let there = self.name_it("there", there, at);
        let before = self.snapshot();
        let (lets, value) = self.block(|lower| {
            let value = lower.element(iter, position, &mut Vec::new(), at);
            let ty = value.ty.clone();
            Value::new(super::operator::unmarked(value.term), ty)
        });
        if self.snapshot()[..before.len()] != before[..] {
            self.restore(&before);
            return self.refuse(at, "an assignment in this place cannot be differentiated", "write a `for` loop");
        }
        let ty = super::iterator::outside(value.ty, &lets);
        let term = if lets.is_empty() { value.term } else { Term::Scope(Block { lets, result: value.term }.into()) };
        self.some_if(there, Value::new(term, ty), at)
    }

    /// The last element, if there is one.
    pub(super) fn last(&mut self, iter: &Iter, at: &dyn ToTokens) -> Value {
        if iter.is_filtered() {
            let nothing = self.nothing_of(iter, at);
            return self.fold_by(iter, nothing, at, &mut |_, _, element| Self::some(element));
        }
        let count = self.count(iter, at);
        let last = self.name_it("i", Term::binary("-", count, Term::Int(1)), at);
        self.nth(iter, last, at)
    }

    /// The reduction of the elements by a function of two arguments.
    pub(super) fn reduce(
        &mut self,
        iter: &Iter,
        at: &dyn ToTokens,
        merge: &mut dyn FnMut(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let nothing = self.nothing_of(iter, at);
        self.fold_by(iter, nothing, at, &mut |lower, now, element| {
            let (there, before) = lower.option_parts(now, at);
            let element = Value { term: lower.name_it("x", element.term, at), ..element };
            let (merged, ty) = lower.own_block(at, |lower| merge(lower, before, element.clone()));
            if matches!(ty, Ty::Error) {
                return Value::error();
            }
            let term = Term::If(there.into(), merged.into(), alone(element.term).into());
            Self::some(Value::new(term, super::control::join(&ty, &element.ty)))
        })
    }

    /// The greatest or the least element, as a comparison says: the last of the greatest, the first of the least.
    pub(super) fn extreme(&mut self, iter: &Iter, greatest: bool, compare: &Function, at: &dyn ToTokens) -> Value {
        self.reduce(iter, at, &mut |lower, before, element| {
            let ordering = lower.applied(compare, vec![before.clone(), element.clone()], at);
            if !is_ordering(&ordering.ty) {
                return match ordering.ty {
                    Ty::Error => Value::error(),
                    _ => lower.refuse(at, "this comparison gives no `Ordering`", "use `total_cmp` or `partial_cmp`"),
                };
            }
            let is_greater = lower.name_it("c", Term::binary("==", ordering.term, Term::Int(2)), at);
            let (yes, no) = if greatest { (before, element) } else { (element, before) };
            let ty = super::control::join(&yes.ty, &no.ty);
            Value::new(Term::If(is_greater.into(), alone(yes.term).into(), alone(no.term).into()), ty)
        })
    }

    /// The first element of which something holds, or its position.
    pub(super) fn find(&mut self, iter: &Iter, function: &Function, position: bool, at: &dyn ToTokens) -> Value {
        let counted = match (position, iter.is_filtered()) {
            (true, true) => {
                let help = "call `position` before `filter`";
                return self.refuse(at, "the position among filtered elements is not known", help);
            }
            (true, false) => Iter::Enumerate(Box::new(iter.clone())),
            (false, _) => iter.clone(),
        };
        let nothing = match position {
            true => {
                let ty = Ty::Option(Box::new(Ty::Int(crate::types::Integer::USIZE)));
                Value::new(self.dummy(&ty, at), ty)
            }
            false => self.nothing_of(iter, at),
        };
        self.fold_by(&counted, nothing, at, &mut |lower, now, element| {
            let (there, before) = lower.option_parts(now, at);
            let (found, asked) = match (position, element.term.clone(), element.ty.clone()) {
                (true, Term::Tuple(mut terms), Ty::Tuple(mut types)) if terms.len() == 2 => {
                    let asked = Value::new(terms.remove(1), types.remove(1));
                    (Value::new(terms.remove(0), types.remove(0)), asked)
                }
                (true, whole, Ty::Tuple(mut types)) if types.len() == 2 => {
                    let whole = lower.name_it("x", whole, at);
                    let asked = Value::new(Term::Field(whole.clone().into(), 1), types.remove(1));
                    (Value::new(Term::Field(whole.into(), 0), types.remove(0)), asked)
                }
                _ => {
                    let element = Value { term: lower.name_it("x", element.term, at), ..element };
                    (element.clone(), element)
                }
            };
            let (block, ty) = lower.own_block(at, |lower| lower.applied(function, vec![asked], at));
            if ty != Ty::Bool {
                return Value::error();
            }
            let holds = if block.lets.is_empty() { block.result } else { Term::Scope(block.into()) };
            let hit = lower.name_it("hit", there.clone().not().and(holds), at);
            let ty = super::control::join(&found.ty, &before.ty);
            let term = Term::If(hit.clone().into(), alone(found.term).into(), alone(before.term).into());
            let now_there = Term::Binary("or", there.into(), hit.into());
            Value::new(Term::Tuple(vec![now_there, term]), Ty::Option(Box::new(ty)))
        })
    }
}
