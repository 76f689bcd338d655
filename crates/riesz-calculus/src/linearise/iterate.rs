//! Iterations: `D (build f) = build (D f)`, `D (Σ f) = Σ (D f)`; the maximum varies as the first element that attains
//! it.

use super::{Lineariser, Needed, Nested, Tangent};
use crate::compile::Problem;
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Reduction, Var};
use riesz_syntax::Span;

impl Lineariser<'_> {
    pub(super) fn build(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let rebind = |this: &mut Self, results| this.rebind(var, results, span);
        self.linear_in_elements(var, iteration, Op::Build, rebind, span)
    }

    pub(super) fn sum_over(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let sum = |iteration| Op::Reduce(Reduction::Sum, iteration);
        let add_up = |this: &mut Self, results| {
            let op = sum(this.elements(results, iteration.count, span));
            this.level().primal.push(Binding { var, op, span });
        };
        self.linear_in_elements(var, iteration, sum, add_up, span)
    }

    /// `D (op f) = op (D f)`; `bind` binds the variable to the value from the array of the elements.
    fn linear_in_elements(
        &mut self,
        var: Var,
        iteration: &Iteration,
        op: impl Fn(Iteration) -> Op,
        bind: impl FnOnce(&mut Self, Atom),
        span: Span,
    ) -> Result<Tangent, Problem> {
        let Iteration { count, index, ref body } = *iteration;
        let mut nested = self.nested(body)?;
        let tangent = self.result_tangent(&mut nested, span);
        let needed = self.needed(&nested.level, &[tangent], &[]);
        let arrays = self.primal_iteration((var, iteration), &nested, &needed, &op, bind, span);
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(index), span);
        bindings.extend(nested.level.linear);
        let body = Body { bindings, result: tangent };
        let ty = self.ty(var).tangent();
        Ok(Tangent::Value(self.linear(op(Iteration { count, index, body }), ty, span)))
    }

    /// The primal of an iteration: one operation, or arrays of its results and residuals, from which `bind` binds the
    /// variable. Gives the arrays of residuals.
    fn primal_iteration(
        &mut self,
        (var, iteration): (Var, &Iteration),
        nested: &Nested,
        needed: &Needed,
        op: impl Fn(Iteration) -> Op,
        bind: impl FnOnce(&mut Self, Atom),
        span: Span,
    ) -> Vec<Atom> {
        let Iteration { count, index, .. } = *iteration;
        if needed.kept.is_empty() {
            let body = Body { bindings: nested.level.primal.clone(), result: nested.result };
            self.level().primal.push(Binding { var, op: op(Iteration { count, index, body }), span });
            return Vec::new();
        }
        let (results, arrays) = self.keep_each(count, index, &nested.level, nested.result, needed, span);
        bind(self, results);
        arrays
    }

    pub(super) fn builds(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let mut nested = self.nested(body)?;
        let tangent = self.result_tangent(&mut nested, span);
        let needed = self.needed(&nested.level, &[tangent], &[]);
        let arrays = self.keep_parts(var, *count, *index, &nested, &needed, span);
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(*index), span);
        bindings.extend(nested.level.linear);
        let body = Body { bindings, result: tangent };
        let ty = self.ty(var).tangent();
        Ok(Tangent::Value(self.linear(Op::Builds(Iteration { count: *count, index: *index, body }), ty, span)))
    }

    pub(super) fn effects(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let nested = self.nested(body)?;
        let needed = self.needed(&nested.level, &[], &[]);
        let no_value = |this: &mut Self, _| this.level().primal.push(Binding { var, op: Op::Tuple(Vec::new()), span });
        let arrays = self.primal_iteration((var, iteration), &nested, &needed, Op::For, no_value, span);
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(*index), span);
        bindings.extend(nested.level.linear);
        let body = self.unit_body(bindings, span);
        self.linear(Op::For(Iteration { count: *count, index: *index, body }), Type::unit(), span);
        Ok(Tangent::Zero)
    }

    pub(super) fn unit_body(&mut self, mut bindings: Vec<Binding>, span: Span) -> Body {
        let unit = self.var(Type::unit());
        bindings.push(Binding { var: unit, op: Op::Tuple(Vec::new()), span });
        Body { bindings, result: Atom::Var(unit) }
    }

    /// The iteration over the elements of an array.
    pub(super) fn elements(&mut self, array: Atom, count: Atom, span: Span) -> Iteration {
        let Type::Array(_, element) = self.atom_type(array) else { unreachable!("an array has been built") };
        let index = self.var(Type::Int);
        let value = self.var((*element).clone());
        let bindings = vec![Binding { var: value, op: Op::Index(array, Atom::Var(index)), span }];
        Iteration { count, index, body: Body { bindings, result: Atom::Var(value) } }
    }

    /// The greatest or least element varies as the first one that is it.
    pub(super) fn extreme(
        &mut self,
        var: Var,
        reduction: Reduction,
        iteration: &Iteration,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let mut nested = self.nested(body)?;
        let tangent = self.result_tangent(&mut nested, span);
        let needed = self.needed(&nested.level, &[tangent], &[]);
        let (results, arrays) = self.keep_each(*count, *index, &nested.level, nested.result, &needed, span);
        let position = match reduction {
            Reduction::Max => Reduction::ArgMax,
            _ => Reduction::ArgMin,
        };
        let elements = self.elements(results, *count, span);
        let at = self.primal(Op::Reduce(position, elements), Type::Int, span);
        self.level().primal.push(Binding { var, op: Op::Index(results, at), span });
        let recalled = self.recall(&needed, &arrays, at, span);
        let level = self.level();
        level.linear.push(Binding { var: *index, op: Op::Copy(at), span });
        level.linear.extend(recalled);
        level.linear.extend(nested.level.linear);
        Ok(Tangent::Value(tangent))
    }
}
