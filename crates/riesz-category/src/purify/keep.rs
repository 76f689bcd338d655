//! Loops that record values, and `while` loops, if their iterations add to accumulators.
//!
//! The accumulators join the state. An operation that gives an array (`build`, `scan`) becomes a loop that records its
//! elements; a reduction becomes such a loop and a reduction of its array.

use super::rewrite::{Current, Rewriter};
use riesz_core::Type;
use riesz_core::size::Size;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Recurrence, Var};
use riesz_syntax::Span;

/// Where an operation stands: the accumulators that it adds to, what holds them, and the bindings before it.
pub(super) struct Enclosing<'a> {
    pub changed: &'a [Var],
    pub span: Span,
    pub current: &'a mut Current,
    pub out: &'a mut Vec<Binding>,
}

impl Rewriter<'_> {
    /// An operation that keeps things or ends by a condition, whose bodies add to accumulators around them.
    pub(super) fn keeping(&mut self, binding: &Binding, op: Op, ty: Type, mut around: Enclosing) {
        let (var, span) = (binding.var, binding.span);
        let value = match (op, &binding.op) {
            (Op::Build(Iteration { count, index, .. }), Op::Build(Iteration { body, .. })) => {
                Op::Copy(self.elements((count, index, body), &[ty], None, &mut around)[0])
            }
            (Op::Builds(Iteration { count, index, .. }), Op::Builds(Iteration { body, .. })) => {
                let arrays = components(&ty);
                let elements: Vec<Type> = arrays.iter().map(element).collect();
                Op::Tuple(self.elements((count, index, body), &arrays, Some(&elements), &mut around))
            }
            (Op::Reduce(reduction, Iteration { count, index, .. }), Op::Reduce(_, Iteration { body, .. })) => {
                let element = self.type_of(body.result);
                let array = Type::Array(Size::Hole, element.clone().into());
                let kept = self.elements((count, index, body), &[array], None, &mut around);
                let (index, mut bindings) = (self.var(Type::Int), Vec::new());
                let result = self.bind(Op::Index(kept[0], Atom::Var(index)), element, span, &mut bindings);
                Op::Reduce(reduction, Iteration { count, index, body: Body { bindings, result } })
            }
            (Op::Scan(Recurrence { start, count, index, state, .. }), Op::Scan(Recurrence { body, .. })) => {
                let Enclosing { changed, current, out, .. } = &mut around;
                let recurrence = self.recurrence(
                    (start, element(&ty)),
                    changed,
                    current,
                    span,
                    out,
                    |rewriter, inner, out, value| {
                        out.push(Binding { var: state, op: Op::Copy(value), span });
                        let next = rewriter.run(body, inner, out);
                        (next, Some(vec![next]))
                    },
                );
                let state = recurrence.state;
                let kept =
                    self.traced(Op::Trace(Recurrence { count, index, ..recurrence }), state, &[ty], &mut around).1;
                Op::Copy(kept[0])
            }
            (Op::Trace(Recurrence { start, count, index, state, .. }), Op::Trace(Recurrence { body, .. })) => {
                let types = components(&ty);
                let recurrence = self.keeping_recurrence((state, start, body), &types, 1, &mut around);
                let state = recurrence.state;
                let (last, kept) =
                    self.traced(Op::Trace(Recurrence { count, index, ..recurrence }), state, &types[1..], &mut around);
                Op::Tuple([last].into_iter().chain(kept).collect())
            }
            (Op::While { state, start, .. }, Op::While { condition, body, .. }) => {
                let Enclosing { changed, current, out, .. } = &mut around;
                let recurrence =
                    self.recurrence((start, ty.clone()), changed, current, span, out, |rewriter, inner, out, value| {
                        out.push(Binding { var: state, op: Op::Copy(value), span });
                        (rewriter.run(body, inner, out), None)
                    });
                let condition = self.condition((condition, state, ty), recurrence.state, &around);
                let whole = self.vars[recurrence.state.0 as usize].ty.clone();
                let Recurrence { state, start, body, .. } = recurrence;
                let last = self.bind_var(Op::While { state, start, condition, body }, whole, span, around.out);
                self.take(last, var, around.changed, span, around.current, around.out);
                return;
            }
            (Op::TraceWhile { state, start, .. }, Op::TraceWhile { condition, body, .. }) => {
                let types = components(&ty);
                let recurrence = self.keeping_recurrence((state, start, body), &types, 2, &mut around);
                let condition = self.condition((condition, state, types[0].clone()), recurrence.state, &around);
                let Recurrence { state, start, body, .. } = recurrence;
                let op = Op::TraceWhile { state, start, condition, body };
                let (last, kept) = self.traced(op, state, &types[1..], &mut around);
                Op::Tuple([last].into_iter().chain(kept).collect())
            }
            (op, _) => op,
        };
        around.out.push(Binding { var, op: value, span });
    }

    /// The arrays of what a body gives for each index: of its result, or of the components of it.
    fn elements(
        &mut self,
        (count, index, body): (Atom, Var, &Body),
        arrays: &[Type],
        split: Option<&[Type]>,
        around: &mut Enclosing,
    ) -> Vec<Atom> {
        let span = around.span;
        let unit = self.bind(Op::Tuple(Vec::new()), Type::unit(), span, around.out);
        let Enclosing { changed, current, out, .. } = around;
        let recurrence =
            self.recurrence((unit, Type::unit()), changed, current, span, out, |rewriter, inner, out, _| {
                let element = rewriter.run(body, inner, out);
                let kept = match split {
                    Some(types) => rewriter.parts(element, types, 0, span, out),
                    None => vec![element],
                };
                (rewriter.bind(Op::Tuple(Vec::new()), Type::unit(), span, out), Some(kept))
            });
        let state = recurrence.state;
        self.traced(Op::Trace(Recurrence { count, index, ..recurrence }), state, arrays, around).1
    }

    /// An iteration of a loop that records values. The result of the loop is its last state and then, from a position
    /// on, the arrays.
    fn keeping_recurrence(
        &mut self,
        (state, start, body): (Var, Atom, &Body),
        result: &[Type],
        arrays: usize,
        around: &mut Enclosing,
    ) -> Recurrence {
        let span = around.span;
        let elements: Vec<Type> = result[arrays..].iter().map(element).collect();
        let Enclosing { changed, current, out, .. } = around;
        self.recurrence((start, result[0].clone()), changed, current, span, out, |rewriter, inner, out, value| {
            out.push(Binding { var: state, op: Op::Copy(value), span });
            let all = rewriter.run(body, inner, out);
            let next = rewriter.bind(Op::Project(all, 0), result[0].clone(), span, out);
            (next, Some(rewriter.parts(all, &elements, 1, span, out)))
        })
    }

    /// Binds a loop that keeps things: the value in its last state, and the rest of its result.
    fn traced(&mut self, op: Op, state: Var, rest: &[Type], around: &mut Enclosing) -> (Atom, Vec<Atom>) {
        let Enclosing { changed, span, current, out } = around;
        let state = self.vars[state.0 as usize].ty.clone();
        let value = components(&state)[0].clone();
        let whole: Type = Type::Tuple([state.clone()].into_iter().chain(rest.iter().cloned()).collect());
        let whole = self.bind(op, whole, *span, out);
        let last = self.bind_var(Op::Project(whole, 0), state, *span, out);
        self.open(last, changed, *span, current, out);
        let value = self.bind(Op::Project(Atom::Var(last), 0), value, *span, out);
        (value, self.parts(whole, rest, 1, *span, out))
    }

    /// The condition of a loop on the value in its state. It adds to nothing around it.
    fn condition(&mut self, (condition, state, ty): (&Body, Var, Type), whole: Var, around: &Enclosing) -> Body {
        let span = around.span;
        let (mut inner, mut bindings) = (around.current.clone(), Vec::new());
        let value = self.bind_var(Op::Project(Atom::Var(whole), 0), ty, span, &mut bindings);
        inner.insert(state, value);
        self.open(whole, around.changed, span, &mut inner, &mut bindings);
        let result = self.run(condition, &mut inner, &mut bindings);
        Body { bindings, result }
    }

    /// The components of a tuple from a position on.
    fn parts(&mut self, whole: Atom, types: &[Type], first: usize, span: Span, out: &mut Vec<Binding>) -> Vec<Atom> {
        let part = |(at, ty): (usize, &Type)| self.bind(Op::Project(whole, first + at), ty.clone(), span, out);
        types.iter().enumerate().map(part).collect()
    }
}

fn components(ty: &Type) -> Vec<Type> {
    ty.components().unwrap_or_default()
}

fn element(array: &Type) -> Type {
    match array {
        Type::Array(_, element) => (**element).clone(),
        ty => ty.clone(),
    }
}
