//! Towers: every number with all its derivatives, each computed on demand and absent if zero.   [001 §10.6; 000 §6.3]
//!
//! Derivatives inside the differentiated function are floors of the same tower. An inner derivative moves its point by
//! variables of its own, `f (x + ε)`, and reads the derivatives by these variables: numbers that depend on the outer
//! variables as before.

use super::algebra::Field;
use super::{Answer, Found, Representation, Wish};
use crate::{Diagnostic, Span, Value};
use riesz_algebra::order::Stream;
use riesz_algebra::{Module, Monoid};
use riesz_core::evaluate::{self, Closure, Differentiate, Fault, Machine, Map, Table};
use riesz_core::term::Derive;
use riesz_primitive::{Counted, Number};
use std::cell::Cell;
use std::rc::Rc;

/// All higher derivatives at once.
pub(super) const TOWER: Representation = Representation {
    name: "tower",
    summary: "all higher derivatives at once",
    paper: "001 §10.6; 000 §6.3",
    differentiate: Some(tower::<f64>),
    counted: Some(tower::<Counted>),
    taylor: Some(taylor),
};

/// Up to which order derivatives along a line are asked of a tower: it makes `2ᵏ` terms of a product, where series take `k²`.
const HIGHEST: i64 = 8;

type Tall<D> = Stream<usize, D>;
type Values<D> = evaluate::Value<Tall<D>>;

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
    let inside = Rc::new(Inside { next: Cell::new(size) });
    let value: Values<D> = machine.call_differentiating(closure, argument, inside, span)?;
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

/// `f (x + t v)` and its derivatives by `t`, from one tower.
fn taylor(machine: &mut Machine<f64>, operands: &[Value], span: Span) -> Option<Result<Vec<Value>, Fault>> {
    let [Value::Closure(closure), point, direction, order] = operands else { return None };
    let order = Some(order.int()).filter(|order| (0..=HIGHEST).contains(order))?;
    if machine.has_rules(closure) {
        return None;
    }
    let mut directions = Vec::new();
    direction.visit_reals(&mut |v| directions.push(*v));
    let mut directions = directions.into_iter();
    let argument =
        point.over(&mut |x: &f64| along(&Stream::constant(*x), &Stream::constant(directions.next().unwrap_or(0.0)), 0));
    let inside = Rc::new(Inside { next: Cell::new(1) });
    let value = machine.call_differentiating(closure, argument, inside, span);
    let plain = |floor: &Values<f64>| floor.over(&mut |number: &Tall<f64>| *Stream::value(number));
    Some(value.map(|value| floors(value, 0, order).iter().map(plain).collect()))
}

/// `x + t v`, for the variable `t` at 0.
fn along<D: Field>(x: &Tall<D>, v: &Tall<D>, t: usize) -> Tall<D> {
    x.add(&v.scale(&Stream::variable(t, D::zero())))
}

/// A value and its derivatives by a variable, up to an order.
fn floors<D: Field>(value: Values<D>, variable: usize, order: i64) -> Vec<Values<D>> {
    let mut floors = vec![value];
    for at in 0..order as usize {
        floors.push(floors[at].over(&mut |number: &Tall<D>| number.derivative(&variable)));
    }
    floors
}

/// Derivatives inside of a tower.
struct Inside {
    /// The first variable that is free.
    next: Cell<usize>,
}

impl Inside {
    fn variables(&self, count: usize) -> usize {
        let first = self.next.get();
        self.next.set(first + count);
        first
    }
}

impl<D: Field> Differentiate<Tall<D>> for Inside {
    fn derive(
        &self,
        machine: &mut Machine<Tall<D>>,
        derive: Derive,
        operands: &[Values<D>],
        span: Span,
    ) -> Result<Values<D>, Fault> {
        let [evaluate::Value::Closure(closure), point, rest @ ..] = operands else {
            return Err(Box::new(Diagnostic::error("not-a-function", span, "this value is not a function")));
        };
        let point = machine.with_tables(point.clone(), span)?;
        let mut vector = Vec::new();
        if let Some(given) = rest.first() {
            machine.with_tables(given.clone(), span)?.visit_coordinates(&mut |x| vector.push(x.clone()));
        }
        let size = point.count_coordinates();
        let first = self.variables(size);
        let mut at = first;
        // The sum with −0 is the number itself, whatever the sign of its zero.
        let moved = point.map_coordinates(&mut |x| {
            at += 1;
            x.add(&Stream::variable(at - 1, D::constant(-0.0)))
        });
        let value = machine.call_closure(closure, moved, span)?;
        let mut rows: Vec<Vec<(usize, Tall<D>)>> = Vec::new();
        value.visit_coordinates(&mut |number| {
            let entry = |at: usize| Some((at, number.derivative_unless_zero(&(first + at))?));
            rows.push((0..size).filter_map(entry).collect());
        });
        let zero = |value: &Values<D>| value.tangent(&mut std::iter::empty());
        Ok(match derive {
            Derive::Forward => {
                let image = |row: &Vec<(usize, Tall<D>)>| sum(row.iter().map(|(at, entry)| vector[*at].scale(entry)));
                let image: Vec<Tall<D>> = rows.iter().map(image).collect();
                let tangent = value.tangent(&mut image.into_iter());
                evaluate::Value::Tuple([value, tangent].into())
            }
            Derive::Reverse => {
                let mut image = vec![Vec::new(); size];
                for (row, y) in rows.iter().zip(&vector) {
                    row.iter().for_each(|(at, entry)| image[*at].push(y.scale(entry)));
                }
                let cotangent = point.tangent(&mut image.into_iter().map(|terms| sum(terms.into_iter())));
                evaluate::Value::Tuple([value, cotangent].into())
            }
            Derive::Derivative | Derive::Taylor => {
                let (domain, codomain) = (zero(&point), zero(&value));
                evaluate::Value::Map(Map::Table(Table { domain, codomain, rows }).share())
            }
        })
    }

    fn taylor(
        &self,
        machine: &mut Machine<Tall<D>>,
        operands: &[Values<D>],
        span: Span,
    ) -> Option<Result<Vec<Values<D>>, Fault>> {
        let [evaluate::Value::Closure(closure), point, direction, order] = operands else { return None };
        let order = Some(order.int()).filter(|order| (0..=HIGHEST).contains(order))?;
        let mut directions = Vec::new();
        direction.visit_reals(&mut |v| directions.push(v.clone()));
        let mut directions = directions.into_iter();
        let t = self.variables(1);
        let moved = point.map_coordinates(&mut |x| along(x, &directions.next().unwrap_or_else(Stream::zero), t));
        Some(machine.call_closure(closure, moved, span).map(|value| floors(value, t, order)))
    }
}

fn sum<D: Field>(terms: impl Iterator<Item = Tall<D>>) -> Tall<D> {
    terms.reduce(|sum, term| sum.add(&term)).unwrap_or_else(Stream::zero)
}
