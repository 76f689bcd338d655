//! Towers: every number with all its derivatives, each computed on demand and absent if zero.   [001 §10.6; 000 §6.3]

use super::algebra::Field;
use super::{Answer, Found, Representation, Wish};
use crate::{Span, Value};
use riesz_algebra::order::Stream;
use riesz_core::evaluate::{self, Closure, Fault, Machine};
use riesz_primitive::{Counted, Number};

/// All higher derivatives at once.
pub(super) const TOWER: Representation = Representation {
    name: "tower",
    summary: "all higher derivatives at once",
    paper: "001 §10.6; 000 §6.3",
    differentiate: Some(tower::<f64>),
    counted: Some(tower::<Counted>),
};

fn tower<D: Field>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
) -> Result<Answer, Fault> {
    let mut size = 0;
    let argument = point.with_coordinates(&mut |x| {
        size += 1;
        Stream::variable(size - 1, D::constant(*x))
    });
    let value: evaluate::Value<Stream<usize, D>> = D::call(machine, closure, argument, span)?;
    let mut rows = Vec::new();
    value.visit_coordinates(&mut |number| {
        let entry = |at: usize| {
            riesz_limit::poll();
            Some((at, number.derivative_unless_zero(&at)?.value().clone()))
        };
        rows.push((0..size).filter_map(entry).collect::<Vec<(usize, D)>>());
    });
    let value = value.over(&mut |number| Number::value(number));
    Ok(Answer { value, found: Found::from_rows(rows, size, wish) })
}
