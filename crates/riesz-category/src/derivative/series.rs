//! Series: `(f, x, v, k)` goes to `f(x + t v)` and its derivatives in `t`.
//!
//! A combinator is interpreted on values, but `f` is needed on a series: the program itself runs over series of numbers
//! that carry their gradient. The derivative is the matrix of these gradients.

use super::control::lost;
use super::{Context, D, Differentiable, Outcome, Point};
use crate::category::Linear;
use crate::space::space;
use riesz_algebra::{Nagata, Sparse};
use riesz_core::Type;
use riesz_core::evaluate::{Fault, Machine, Value};
use riesz_linear::{LinearMap, Relation, Space, SpaceError, Vector};
use riesz_primitive::{Erased, Number};
use riesz_syntax::Span;
use std::rc::Rc;

/// A number and its gradient.
type Varying = Nagata<f64, Sparse<usize, f64>>;

impl Context {
    /// The series of the derivatives of a function along a line, in an algebra.
    pub(crate) fn series<S: Number>(&self, operands: &Value<S>, element: &Type, span: Span) -> Result<Value<S>, Fault> {
        let (Some(program), Some(combinators)) = (&self.program, &self.combinators) else { return Err(lost(span)) };
        let mut machine = Machine::<S>::new(program, self.limits.clone(), |global| {
            let number = combinators.globals.iter().position(|(_, known)| *known == global)?;
            Some(self.globals.get(number)?.over(&mut |x| S::constant(*x)))
        });
        machine.taylor(operands.parts(), element, span)
    }
}

impl<K: Linear<Morphism: 'static> + 'static> D<K> {
    pub(super) fn series(context: &Rc<Context>, element: Type, span: Span) -> Differentiable<K::Morphism> {
        let context = context.clone();
        Differentiable::new(move |point| {
            context.step(span)?;
            match K::VALUES_ONLY || point.space.dimension() == 0 {
                true => {
                    let value = context.series(&point.value, &element, span)?;
                    let to = space(&value);
                    Ok((value, K::zero(&point.space, &to)))
                }
                false => differentiate::<K>(&context, &point, &element, span),
            }
        })
    }
}

fn differentiate<K: Linear>(context: &Context, point: &Point, element: &Type, span: Span) -> Outcome<K::Morphism> {
    let mut size = 0;
    let varying: Value<Erased> = point.value.over(&mut |x| {
        size += 1;
        Erased::new(&Varying { primal: *x, tangent: Sparse::unit(size - 1) })
    });
    let series = Erased::in_any(|| context.series(&varying, element, span))?;
    let series: Value<Varying> = series.over(&mut Erased::number);
    let value = series.over(&mut |number| number.primal);
    let (mut sources, mut targets, mut factors) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows = 0;
    series.visit_reals(&mut |number| {
        for (column, entry) in number.tangent.entries() {
            sources.push(*column);
            targets.push(rows);
            factors.push(*entry);
        }
        rows += 1;
    });
    let to = space(&value);
    if factors.is_empty() {
        return Ok((value, K::zero(&point.space, &to)));
    }
    let matrix = || -> Result<LinearMap, SpaceError> {
        LinearMap::compose(vec![
            LinearMap::reshape(Space::reals(rows), to)?,
            LinearMap::reduce(Relation::scatter(targets, rows)?, Space::Real),
            LinearMap::diagonal(Vector::of_reals(factors)),
            LinearMap::reduce(Relation::gather(sources, size)?, Space::Real),
            LinearMap::reshape(point.space.clone(), Space::reals(size))?,
        ])
    };
    let matrix = matrix().map_err(|_| lost(span))?;
    Ok((value, K::primitive(&matrix)))
}
