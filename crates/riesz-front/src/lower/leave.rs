//! The statements that leave loops, labelled blocks and functions: they set flags.

use super::assigned::Exits;
use super::control::join;
use super::{LoopFrame, Lower, Value, VarId};
use crate::term::Term;
use crate::types::Ty;
use quote::ToTokens;

impl Lower<'_> {
    /// `'label: { … break 'label value; … }`
    pub(super) fn labelled(&mut self, label: &str, inner: &syn::ExprBlock) -> Value {
        let write = |lower: &mut Self, ty: Ty| {
            let broken = lower.hidden("broken", Ty::Bool, Term::Bool(false));
            let value = lower.hidden("value", ty, Term::Unset);
            let (label, broken) = (Some(label.to_string()), Some(broken));
            lower.loops.push(LoopFrame { label, broken, continued: None, value: Some(value), is_block: true });
            let last = lower.scope(|lower| lower.statements(&inner.block.stmts, false));
            lower.loops.pop();
            (broken.unwrap_or(value), value, last)
        };
        let exits = Exits::of_block(&inner.block);
        let label = Some(label.to_string());
        if !exits.values.contains(&label) {
            write(self, Ty::Tuple(Vec::new()));
            return Value::unit();
        }
        let ty = self.probe(|lower| {
            let (_, value, last) = write(lower, Ty::Unknown);
            let given = lower.given.remove(&value).unwrap_or(Ty::Error);
            if matches!(last.ty, Ty::Never) { given } else { join(&given, &last.ty) }
        });
        let (broken, value, last) = write(self, ty.clone());
        let given = match self.vars[value.0].term.clone() {
            Term::Unset => Value::error(),
            term => Value::new(term, ty),
        };
        if matches!(last.ty, Ty::Never) {
            return given;
        }
        let broken = self.vars[broken.0].term.clone();
        self.branch(broken, inner, |_| given, |_| last)
    }

    /// The flag of the loop that a `break` or `continue` leaves.
    pub(super) fn loop_flag(&mut self, label: &Option<String>, breaks: bool, at: &dyn ToTokens) -> Option<VarId> {
        let frame = match label {
            None => self.loops.iter().rev().find(|frame| !frame.is_block),
            label => self.loops.iter().rev().find(|frame| frame.label == *label),
        };
        let flag = frame.and_then(|frame| if breaks { frame.broken } else { frame.continued });
        if flag.is_none() {
            self.refuse(at, "this leaves a block that is no loop", "label the loop that is to be left");
        }
        flag
    }

    pub(super) fn return_(&mut self, inner: &syn::ExprReturn) -> Value {
        let (flag, value) = self.returned_flag();
        if let Some(expr) = &inner.expr {
            let returned = self.value(expr);
            let term = self.name_it("result", returned.term, expr);
            self.vars[value.0].term = term;
        }
        self.vars[flag.0].term = Term::Bool(true);
        Value::never()
    }

    pub(super) fn break_(&mut self, inner: &syn::ExprBreak) -> Value {
        let label = inner.label.as_ref().map(|label| label.ident.to_string());
        if let Some(expr) = &inner.expr {
            let value = self.kept_value(expr);
            let frames = self.loops.iter().rev();
            let mut frames = frames.filter(|frame| label.as_ref().map_or(!frame.is_block, |_| frame.label == label));
            if let Some(place) = frames.next().and_then(|frame| frame.value) {
                let term = self.name_it("value", super::operator::unmarked(value.term), expr);
                let ty = self.given.remove(&place).map_or(value.ty.clone(), |ty| join(&ty, &value.ty));
                self.given.insert(place, ty);
                self.vars[place.0].term = term;
                if matches!(self.vars[place.0].ty, Ty::Unknown) {
                    self.vars[place.0].ty = value.ty;
                }
            }
        }
        if let Some(flag) = self.loop_flag(&label, true, inner) {
            self.vars[flag.0].term = Term::Bool(true);
        }
        Value::never()
    }

    pub(super) fn continue_(&mut self, inner: &syn::ExprContinue) -> Value {
        let label = inner.label.as_ref().map(|label| label.ident.to_string());
        if let Some(flag) = self.loop_flag(&label, false, inner) {
            self.vars[flag.0].term = Term::Bool(true);
        }
        Value::never()
    }
}
