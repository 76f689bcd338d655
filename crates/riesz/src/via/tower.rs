//! Towers: every number with all its derivatives, each computed on demand and absent if zero.   [001 §10.6; 000 §6.3]
//!
//! Derivatives inside the differentiated function are floors of the same tower. An inner derivative moves its point by
//! variables of its own, `f (x + ε)`, and reads the derivatives by these variables: numbers that depend on the outer
//! variables as before. The use of a derivative determines the number of passes over the function's operations:
//!
//! ```text
//! D f x v     one variable, x + ε v
//! (D f x)ᵀ y  one pass back from all numbers of the value
//! D f x       one pass back from each number of the value, or one variable for each of the point if they are fewer
//! ```

use super::algebra::Field;
use super::{Answer, DerivativeValue, Representation, Request, Wish};
use crate::{Diagnostic, Span, Value};
use riesz_algebra::order::Stream;
use riesz_algebra::{Module, Monoid, Semiring};
use riesz_core::evaluate::{self, Differentiate, Fault, Machine, Map, Table};
use riesz_core::term::Derive;
use riesz_primitive::{Counted, Erased, Number};
use std::cell::Cell;
use std::marker::PhantomData;
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

/// Up to which order derivatives along a line are floors of the tower: the product rule makes `2ᵏ` terms, and series take
/// `k²`. Beyond this order they are series, whose coefficients are numbers of the tower.
const HIGHEST: i64 = 4;

type Tall<D> = Stream<usize, D>;
type Values<D> = evaluate::Value<Tall<D>>;

/// The use of a derivative in a tower.
enum Asked<D> {
    Map,
    Forward(Vec<Tall<D>>),
    Reverse(Vec<Tall<D>>),
}

/// The value of a function, and what was asked of its derivative: rows, or one for a vector.
type Reply<D> = (Values<D>, Vec<Vec<(usize, Tall<D>)>>);

fn tower<D: Field>(machine: &mut Machine<f64>, request: Request) -> Result<Answer, Fault> {
    let Request { closure, point, wish, span } = request;
    let variables = Variables::<D>::new();
    let lifted = |numbers: &[f64]| numbers.iter().map(|x| Tall::<D>::constant(D::constant(*x))).collect();
    let asked = match wish {
        Wish::Map => Asked::Map,
        Wish::Forward(tangent) => Asked::Forward(lifted(tangent)),
        Wish::Reverse(cotangent) => Asked::Reverse(lifted(cotangent)),
    };
    let point: Values<D> = point.with_coordinates(&mut |x| Stream::constant(D::constant(*x)));
    let inside = variables.clone();
    let call = |moved| Ok(tall(&machine.call_differentiating(closure, erased(&moved), inside, span)?));
    let (value, rows) = variables.derivative(&point, &asked, call)?;
    let plain = |row: Vec<(usize, Tall<D>)>| row.into_iter().map(|(at, entry)| (at, Number::value(&entry))).collect();
    let rows: Vec<Vec<(usize, f64)>> = rows.into_iter().map(plain).collect();
    let found = match asked {
        Asked::Map => DerivativeValue::Rows(rows),
        Asked::Forward(_) => DerivativeValue::Vector(dense(rows, value.count_coordinates(), 0.0)),
        Asked::Reverse(_) => DerivativeValue::Vector(dense(rows, point.count_coordinates(), 0.0)),
    };
    Ok(Answer { value: value.over(&mut |number| Number::value(number)), found })
}

/// `f (x + t v)` and its derivatives by `t`, from one tower.
fn taylor(machine: &mut Machine<f64>, operands: &[Value], span: Span) -> Option<Result<Vec<Value>, Fault>> {
    let [evaluate::Value::Closure(closure), point, direction, order] = operands else { return None };
    let order = Some(order.int()).filter(|order| (0..=HIGHEST).contains(order))?;
    if machine.has_rules(closure) {
        return None;
    }
    let variables = Variables::<f64>::new();
    let constant = &mut |x: &f64| Tall::<f64>::constant(*x);
    let (point, direction) = (point.with_coordinates(constant), direction.over(constant));
    let (moved, t) = variables.moved_along(&point, &direction);
    let value = machine.call_differentiating(closure, erased(&moved), variables, span);
    let plain = |floor: &Values<f64>| floor.over(&mut |number: &Tall<f64>| *Stream::value(number));
    Some(value.map(|value| floors(tall(&value), t, order).iter().map(plain).collect()))
}

/// A value and its derivatives by a variable, up to an order.
fn floors<D: Field>(value: Values<D>, variable: usize, order: i64) -> Vec<Values<D>> {
    let mut floors = vec![value];
    for at in 0..order as usize {
        floors.push(floors[at].over(&mut |number: &Tall<D>| number.derivative(&variable)));
    }
    floors
}

/// The numbers of a tower, to a machine.
fn erased<D: Field>(value: &Values<D>) -> evaluate::Value<Erased> {
    value.over(&mut Erased::new)
}

/// The numbers of a machine, as those of a tower.
fn tall<D: Field>(value: &evaluate::Value<Erased>) -> Values<D> {
    value.over(&mut Erased::number)
}

/// The variables of a tower over some numbers, with which the derivatives inside of it are found.
struct Variables<D> {
    /// The first that is free.
    next: Cell<usize>,
    over: PhantomData<D>,
}

impl<D: Field> Variables<D> {
    fn new() -> Rc<Variables<D>> {
        Rc::new(Variables { next: Cell::new(0), over: PhantomData })
    }

    fn take(&self, count: usize) -> usize {
        let first = self.next.get();
        self.next.set(first + count);
        first
    }

    /// `x + t v`, for a new variable `t` at 0.
    fn moved_along(&self, point: &Values<D>, direction: &Values<D>) -> (Values<D>, usize) {
        let mut directions = Vec::new();
        direction.visit_coordinates(&mut |v| directions.push(v.clone()));
        self.moved(point, directions.into_iter())
    }

    fn moved(&self, point: &Values<D>, mut directions: impl Iterator<Item = Tall<D>>) -> (Values<D>, usize) {
        let t = self.take(1);
        let step = Stream::variable(t, D::zero());
        let moved = point.map_coordinates(&mut |x| match directions.next() {
            Some(v) => x.moved(&v.scale(&step)),
            None => x.clone(),
        });
        (moved, t)
    }

    /// A derivative at a point, by new variables.
    fn derivative(
        &self,
        point: &Values<D>,
        asked: &Asked<D>,
        call: impl FnOnce(Values<D>) -> Result<Values<D>, Fault>,
    ) -> Result<Reply<D>, Fault> {
        if let Asked::Forward(tangent) = asked {
            let (moved, t) = self.moved(point, tangent.iter().cloned());
            let value = call(moved)?;
            let mut image = Vec::new();
            value.visit_coordinates(&mut |number| image.push(number.derivative_unless_zero(&t)));
            let image = image.into_iter().enumerate().filter_map(|(at, entry)| Some((at, entry?)));
            return Ok((value, vec![image.collect()]));
        }
        let size = point.count_coordinates();
        let first = self.take(size);
        let mut at = first;
        let moved = point.map_coordinates(&mut |x| {
            riesz_limit::poll();
            at += 1;
            x.moved(&Stream::variable(at - 1, D::zero()))
        });
        let value = call(moved)?;
        let mut numbers = Vec::new();
        value.visit_coordinates(&mut |number| numbers.push(number.clone()));
        let back = |multiples: &[(Tall<D>, Tall<D>)]| {
            riesz_limit::poll();
            let gradient = Stream::gradient(multiples, &first);
            gradient.into_iter().map(|(v, entry)| (v - first, entry)).take_while(|(at, _)| *at < size).collect()
        };
        let forward = |number: &Tall<D>| {
            let entry = |at: usize| {
                riesz_limit::poll();
                Some((at, number.derivative_unless_zero(&(first + at))?))
            };
            (0..size).filter_map(entry).collect()
        };
        let rows = match asked {
            Asked::Reverse(cotangent) => {
                let multiples: Vec<_> = numbers.into_iter().zip(cotangent.iter().cloned()).collect();
                vec![back(&multiples)]
            }
            _ if size < numbers.len() => numbers.iter().map(forward).collect(),
            _ => numbers.into_iter().map(|number| back(&[(number, Stream::one())])).collect(),
        };
        Ok((value, rows))
    }
}

impl<D: Field> Differentiate<Erased> for Variables<D> {
    fn derive(
        &self,
        machine: &mut Machine<Erased>,
        derive: Derive,
        operands: &[evaluate::Value<Erased>],
        span: Span,
    ) -> Result<evaluate::Value<Erased>, Fault> {
        let [evaluate::Value::Closure(closure), point, rest @ ..] = operands else {
            return Err(Box::new(Diagnostic::error("not-a-function", span, "this value is not a function")));
        };
        let point = tall(&machine.with_tables(point.clone(), span)?);
        let mut vector: Vec<Tall<D>> = Vec::new();
        if let Some(given) = rest.first() {
            machine.with_tables(given.clone(), span)?.visit_coordinates(&mut |x| vector.push(x.number()));
        }
        let asked = match derive {
            Derive::Forward => Asked::Forward(vector),
            Derive::Reverse => Asked::Reverse(vector),
            Derive::Derivative | Derive::Taylor => Asked::Map,
        };
        let call = |moved| Ok(tall(&machine.call_closure(closure, erased(&moved), span)?));
        let (value, rows) = self.derivative(&point, &asked, call)?;
        let space = match asked {
            Asked::Map => {
                let zero = |value: &Values<D>| value.tangent(&mut std::iter::empty());
                let (domain, codomain) = (zero(&point), zero(&value));
                let map: Values<D> = evaluate::Value::Map(Map::Table(Table { domain, codomain, rows }).share());
                return Ok(erased(&map));
            }
            Asked::Forward(_) => &value,
            Asked::Reverse(_) => &point,
        };
        let vector = space.tangent(&mut dense(rows, space.count_coordinates(), Stream::zero()).into_iter());
        Ok(erased::<D>(&evaluate::Value::Tuple([value, vector].into())))
    }

    fn taylor(
        &self,
        machine: &mut Machine<Erased>,
        operands: &[evaluate::Value<Erased>],
        span: Span,
    ) -> Option<Result<Vec<evaluate::Value<Erased>>, Fault>> {
        let [evaluate::Value::Closure(closure), point, direction, order] = operands else { return None };
        let order = Some(order.int()).filter(|order| (0..=HIGHEST).contains(order))?;
        let (moved, t) = self.moved_along(&tall(point), &tall(direction));
        let value = machine.call_closure(closure, erased(&moved), span);
        Some(value.map(|value| floors(tall::<D>(&value), t, order).iter().map(erased).collect()))
    }
}

/// The vector with these entries, given as one row, and zeros elsewhere.
fn dense<T: Clone>(rows: Vec<Vec<(usize, T)>>, size: usize, zero: T) -> Vec<T> {
    let mut vector = vec![zero; size];
    rows.into_iter().flatten().for_each(|(at, entry)| vector[at] = entry);
    vector
}
