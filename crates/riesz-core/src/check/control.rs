//! Conditionals, whose branches flow into one type, and loops, whose state keeps its type in every iteration.

use super::arithmetic::Typed;
use super::draft::Draft;
use super::expr::value_span;
use crate::term::{Atom, Op, Recurrence};
use crate::types::Type;
use riesz_syntax::Span;
use riesz_syntax::tree::{ExprId, LoopHead, Pattern};

impl Draft<'_> {
    /// `if condition then yes else no`
    pub fn conditional(
        &mut self,
        condition: Atom,
        yes: impl FnOnce(&mut Self) -> Typed,
        no: impl FnOnce(&mut Self) -> Typed,
        places: (Span, Span),
        span: Span,
    ) -> Typed {
        let (yes, a) = self.branch(yes);
        let (no, b) = self.branch(no);
        let joined = match self.join_either(&a, &b, span) {
            Ok(joined) => joined,
            Err(mismatch) => {
                let diagnostic = self.mismatch(mismatch.swapped(), &b, &a, places.1);
                let diagnostic = diagnostic.label(places.0, format!("this is {}", self.show(&a)));
                return self.fail(diagnostic.help("both branches of an `if` have one type and one size"));
            }
        };
        let (yes, no) = (self.convert_result(yes, &a, &joined, span), self.convert_result(no, &b, &joined, span));
        let value = self.bind(Op::If { condition, yes, no }, joined.clone(), span);
        self.read_sizes(value, joined, span)
    }

    pub(super) fn branch(&mut self, branch: impl FnOnce(&mut Self) -> Typed) -> (crate::term::Body, Type) {
        self.open();
        let outside = self.scope.clone();
        self.scope = outside.inner();
        let (result, ty) = branch(self);
        self.scope = outside;
        let body = self.close(result);
        (body, self.leave(&ty))
    }

    pub(super) fn convert_result(
        &mut self,
        body: crate::term::Body,
        from: &Type,
        to: &Type,
        span: Span,
    ) -> crate::term::Body {
        let result = body.result;
        self.reopen(body);
        let result = self.flow(result, from, to, span);
        self.close(result)
    }

    pub(super) fn a_loop(
        &mut self,
        pattern: &Pattern,
        start: ExprId,
        head: &LoopHead,
        body: ExprId,
        hint: Option<&Type>,
        span: Span,
    ) -> Typed {
        let start_span = self.tree().expr(start).span;
        let start = self.expr(start, hint);
        let body_span = value_span(&self.tree(), body);
        let next = |draft: &mut Self, state: Typed| {
            draft.bind_pattern(pattern, state);
            draft.expr(body, None)
        };
        match head {
            LoopHead::For(generator) => {
                let (count, _, array) = self.generator_source(generator);
                let (recurrence, ty) = self.iterations(start, start_span, count, body_span, |draft, state, index| {
                    draft.bind_generated(generator, index, array);
                    next(draft, state)
                });
                (self.bind(Op::Loop(recurrence), ty.clone(), span), ty)
            }
            LoopHead::While(condition) => {
                let (start, ty) = self.loop_start(start, start_span);
                self.open();
                let state = self.var(ty.clone(), None);
                let outside = self.scope.clone();
                self.scope = outside.inner();
                self.bind_pattern(pattern, (Atom::Var(state), ty.clone()));
                let holds = self.expr_of(*condition, &Type::Bool);
                let condition = self.close(holds);
                self.scope = outside.inner();
                self.open();
                self.adopt(state);
                let mistakes = self.diagnostics.len();
                let result = next(self, (Atom::Var(state), ty.clone()));
                let result = self.loop_result(result, &ty, body_span, start_span, mistakes);
                let body = self.close(result);
                self.scope = outside;
                (self.bind(Op::While { state, start, condition, body }, ty.clone(), span), ty)
            }
        }
    }

    /// The iterations of a loop over a state that may start as an `Int` and turn out to be an `R`.
    pub fn iterations(
        &mut self,
        start: Typed,
        start_span: Span,
        count: Atom,
        body_span: Span,
        next: impl FnOnce(&mut Self, Typed, crate::term::Var) -> Typed,
    ) -> (Recurrence, Type) {
        let (start, ty) = self.loop_start(start, start_span);
        self.open();
        let state = self.var(ty.clone(), None);
        let index = self.var(Type::Int, None);
        let outside = self.scope.clone();
        self.scope = outside.inner();
        let mistakes = self.diagnostics.len();
        let result = next(self, (Atom::Var(state), ty.clone()), index);
        let result = self.loop_result(result, &ty, body_span, start_span, mistakes);
        let body = self.close(result);
        self.scope = outside;
        (Recurrence { state, start, count, index, body }, ty)
    }

    pub(super) fn loop_start(&mut self, (start, ty): Typed, span: Span) -> Typed {
        let loose = self.loosen(&ty);
        (self.flow(start, &ty, &loose, span), loose)
    }

    /// `mistakes`: how many there were before the body; one more in it may have spoilt the type of its result.
    pub(super) fn loop_result(
        &mut self,
        (result, from): Typed,
        state: &Type,
        span: Span,
        start_span: Span,
        mistakes: usize,
    ) -> Atom {
        if self.diagnostics.len() > mistakes {
            return result;
        }
        self.flow_or(result, &from, state, span, |draft, mismatch| {
            let shown = draft.show(state);
            draft
                .mismatch(mismatch, &from, state, span)
                .label(start_span, format!("the loop starts with {shown}"))
                .help("the type and size of a loop's state stay the same in every iteration")
        })
    }
}
