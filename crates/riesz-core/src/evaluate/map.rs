//! Linear maps as values.
//!
//! A map is applied by its functions, and a combination of maps by applying its parts.

use super::Machine;
use super::array::{self, Empty};
use super::limits::Fault;
use super::problem;
use super::value::{Closure, Map, Table, Value};
use crate::order::Orders;
use crate::term::OnMaps;
use crate::types::Type;
use riesz_primitive::{Erased, Number, Series};
use riesz_syntax::{Diagnostic, Span};
use std::any::TypeId;
use std::rc::Rc;

/// The place of what is asked of a map from outside the program.
pub(super) const NOWHERE: Span = Span { file: riesz_syntax::FileId(0), start: 0, end: 0 };

impl<'p, S: Number> Machine<'p, S> {
    /// Applies a map, or its adjoint.
    pub(super) fn apply_map(
        &mut self,
        map: &Map<S>,
        argument: Value<S>,
        adjoint: bool,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        stacker::maybe_grow(128 * 1024, 8 * 1024 * 1024, || match map {
            Map::Functions { forward, reverse, captured } => {
                let function = if adjoint { *reverse } else { *forward };
                self.call(function, &mut captured.iter().cloned().chain([argument]), span)
            }
            Map::Adjoint(map) => self.apply_map(map, argument, !adjoint, span),
            Map::Compose(after, before) => {
                let (first, second) = if adjoint { (after, before) } else { (before, after) };
                let between = self.apply_map(first, argument, adjoint, span)?;
                self.apply_map(second, between, adjoint, span)
            }
            Map::Add(left, right) => {
                let left = self.apply_map(left, argument.clone(), adjoint, span)?;
                let right = self.apply_map(right, argument, adjoint, span)?;
                array::combine(left, &right, &riesz_primitive::scalar::ADD, Empty::Differs, span)
            }
            Map::Table(table) => Ok(table.apply(&self.with_tables(argument, span)?, adjoint)),
            Map::Term(term) => Ok(term.apply(&argument, adjoint)),
            Map::Scale(factor, map) => Ok(self.apply_map(map, argument, adjoint, span)?.scaled(factor)),
        })
    }

    pub(super) fn on_maps(
        &mut self,
        operation: OnMaps,
        orders: &Orders,
        operands: &[Value<S>],
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let map = |at: usize| match (operands.get(at), operands.last()) {
            (Some(Value::Map(map)), _) => Ok(map.clone()),
            // A zero, of which another map says between which spaces it is.
            (Some(Value::Zero), Some(Value::Map(like))) => Ok(Map::Scale(S::zero(), like.clone()).share()),
            _ => Err(Box::new(Diagnostic::error("not-a-map", span, "this value is not a linear map"))),
        };
        let is_zero = |at: usize| matches!(operands.get(at), Some(Value::Zero));
        Ok(match operation {
            OnMaps::Adjoint | OnMaps::OfEntries | OnMaps::OfMatrix if is_zero(0) => Value::Zero,
            OnMaps::Compose | OnMaps::Scale if is_zero(0) || is_zero(1) => Value::Zero,
            OnMaps::Add | OnMaps::Subtract if is_zero(1) => operands[0].clone(),
            OnMaps::Add if is_zero(0) => operands[1].clone(),
            OnMaps::Adjoint => Value::Map(match &*map(0)? {
                Map::Adjoint(inner) => inner.clone(),
                _ => Map::Adjoint(map(0)?).share(),
            }),
            OnMaps::Compose => Value::Map(Map::Compose(map(0)?, map(1)?).share()),
            OnMaps::Add => Value::Map(Map::Add(map(0)?, map(1)?).share()),
            OnMaps::Subtract => {
                let negative = Map::Scale(S::constant(-1.0), map(1)?).share();
                Value::Map(Map::Add(map(0)?, negative).share())
            }
            OnMaps::Scale => Value::Map(Map::Scale(operands[0].real(), map(1)?).share()),
            OnMaps::Matrix => {
                let map = map(0)?;
                let domain = self.domain(&map, span)?;
                self.matrix(&map, domain, span)?
            }
            OnMaps::Coo | OnMaps::System => self.coo(&*map(0)?, orders, span)?,
            OnMaps::Factors => {
                Value::Tuple([Value::Int(0), Value::values(Vec::new()), Value::values(Vec::new())].into())
            }
            OnMaps::Entries => {
                let places = self.kept_places(orders, &*map(0)?, &operands[1], &operands[2], span)?;
                self.numbers_at(&*map(0)?, &places, span)?
            }
            OnMaps::OfEntries => {
                let places = self.kept_places(orders, &*map(3)?, &operands[1], &operands[2], span)?;
                self.map_of(&operands[0], &places, &*map(3)?, span)?
            }
            OnMaps::OfMatrix => self.map_of_matrix(&operands[0], &*map(1)?, span)?,
        })
    }

    /// `f(x + t v)` and its derivatives in `t` at 0, up to an order: what the function makes of series.
    ///
    /// # Errors
    /// Where the order cannot be, or the function has no value.
    pub fn taylor(&mut self, operands: &[Value<S>], ty: &Type, span: Span) -> Result<Value<S>, Fault> {
        let [Value::Closure(closure), point, direction, order] = operands else {
            return Err(Box::new(Diagnostic::error("not-a-function", span, "this value is not a function")));
        };
        let order = order_of(order.int(), self.coefficients, span)?;
        let coefficients = self.coefficients * (order + 1);
        self.reserve(coefficients.saturating_mul(point.count_reals()), size_of::<f64>(), span)?;
        let around = std::mem::replace(&mut self.coefficients, coefficients);
        let line = (&**closure, point, direction);
        let bounds = self.limits.bounds(u64::MAX);
        let derivatives = riesz_limit::within(&bounds, || {
            if TypeId::of::<S>() == TypeId::of::<f64>() {
                let erased = |series: Series<f64>| Erased::new(&series);
                let plain = |erased: &Erased| erased.number::<Series<f64>>();
                Erased::in_any(|| self.along(line, order, (S::value, erased), (plain, |x| S::constant(*x)), span))
            } else {
                let (lifted, number) = (|series| series, Series::clone);
                self.along(line, order, (Erased::new, lifted), (number, Erased::number), span)
            }
        });
        let derivatives = derivatives.unwrap_or_else(|reason| Err(problem::stopped(reason, &self.limits, span)));
        self.coefficients = around;
        Ok(Value::array(ty, derivatives?))
    }

    /// The derivatives of a function along a line, by series with coefficients of some algebra, which are numbers of another
    /// one to the machine that computes with them.
    fn along<C: Number, T: Number>(
        &mut self,
        (closure, point, direction): (&Closure<S>, &Value<S>, &Value<S>),
        order: usize,
        (coefficient, lifted): (impl Fn(&S) -> C, impl Fn(Series<C>) -> T),
        (series, number): (impl Fn(&T) -> Series<C>, impl Fn(&C) -> S),
        span: Span,
    ) -> Result<Vec<Value<S>>, Fault> {
        let mut directions = Vec::new();
        direction.visit_reals(&mut |v| directions.push(coefficient(v)));
        let mut directions = directions.into_iter();
        let line = &mut |x: &S| lifted(Series::line(coefficient(x), directions.next().unwrap_or_else(C::zero), order));
        let value = self.call_through(closure, point.over(line), &mut |x| lifted(Series::of(coefficient(x))), span)?;
        // A factorial as a product of numbers that are finite: from 171! on, it is none itself.
        let mut factorial = vec![1.0];
        let mut derivatives = Vec::with_capacity(order + 1);
        for n in 0..=order {
            let scaled = |of: &T| match &factorial[..] {
                [factorial] => series(of).coefficient(n).exact_product(&C::constant(*factorial)),
                _ if lost_digits(&series(of), n) => C::constant(f64::NAN),
                factors => factors
                    .iter()
                    .fold(series(of).coefficient(n), |product, factor| product.exact_product(&C::constant(*factor))),
            };
            derivatives.push(value.over(&mut |of| number(&scaled(of))));
            let next = (n + 1) as f64;
            match factorial.last_mut() {
                Some(last) if (*last * next).is_finite() => *last *= next,
                _ => factorial.push(next),
            }
        }
        Ok(derivatives)
    }

    /// The zero of a map's domain.
    pub(super) fn domain(&mut self, map: &Map<S>, span: Span) -> Result<Value<S>, Fault> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match map {
            Map::Functions { captured, .. } => Ok(captured.last().map_or_else(Value::unit, Value::zero_tangent)),
            Map::Table(table) => Ok(table.domain.clone()),
            Map::Term(term) => Ok(term.domain.clone()),
            Map::Adjoint(map) => {
                let domain = self.domain(map, span)?;
                self.apply_map(map, domain, false, span)
            }
            Map::Compose(_, map) | Map::Add(map, _) | Map::Scale(_, map) => self.domain(map, span),
        })
    }

    /// The value with the matrices of the linear maps in it.
    pub fn with_matrices(&mut self, value: &Value<S>) -> Result<Value<S>, Fault> {
        Ok(match value {
            Value::Map(map) => {
                let domain = self.domain(map, NOWHERE)?;
                self.matrix(map, domain, NOWHERE)?
            }
            Value::Tuple(parts) => {
                let parts: Result<Vec<_>, Fault> = parts.iter().map(|part| self.with_matrices(part)).collect();
                Value::Tuple(parts?.into())
            }
            Value::Values(elements) => {
                let elements: Result<Vec<_>, Fault> =
                    elements.iter().map(|element| self.with_matrices(element)).collect();
                Value::values(elements?)
            }
            other => other.clone(),
        })
    }

    /// The zeros of a map's domain and codomain, in which maps are tables of all their entries.
    pub fn spaces(&mut self, map: &Map<S>) -> Result<(Value<S>, Value<S>), Fault> {
        self.table_spaces(map, NOWHERE)
    }
}

/// The highest order of `taylor`: a product of series takes as many steps as the square of the number of coefficients.
const HIGHEST_ORDER: i64 = 10_000;

/// An order that can be, where the coefficients are series already.
fn order_of(order: i64, coefficients: usize, span: Span) -> Result<usize, Fault> {
    match order {
        0..=HIGHEST_ORDER if (order + 1) * coefficients as i64 <= HIGHEST_ORDER + 1 => Ok(order as usize),
        0..=HIGHEST_ORDER => Err(Box::new(
            Diagnostic::error(
                "bad-order",
                span,
                format!("series of order {order} inside series of {coefficients} coefficients are too long"),
            )
            .help(format!("nested series have at most {} coefficients in total", HIGHEST_ORDER + 1)),
        )),
        ..0 => Err(Box::new(
            Diagnostic::error("bad-order", span, format!("`taylor` has no derivatives up to order {order}"))
                .help("the last argument is the number of derivatives, at least 0: 0 gives the value alone"),
        )),
        _ => Err(Box::new(
            Diagnostic::error("bad-order", span, format!("`taylor` takes orders up to {HIGHEST_ORDER}, not {order}"))
                .help("the last argument is the number of derivatives to compute"),
        )),
    }
}

impl<S: Number> Map<S> {
    /// The same map over another algebra.
    pub fn over<T: Number>(&self, f: &mut dyn FnMut(&S) -> T) -> Rc<Map<T>> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.over_here(f))
    }

    fn over_here<T: Number>(&self, f: &mut dyn FnMut(&S) -> T) -> Rc<Map<T>> {
        let over = match self {
            Map::Functions { forward, reverse, captured } => Map::Functions {
                forward: *forward,
                reverse: *reverse,
                captured: captured.iter().map(|value| value.over(f)).collect(),
            },
            Map::Table(table) => Map::Table(table.over(f)),
            Map::Term(term) => Map::Table(term.table(f)),
            Map::Adjoint(map) => Map::Adjoint(map.over(f)),
            Map::Compose(after, before) => Map::Compose(after.over(f), before.over(f)),
            Map::Add(left, right) => Map::Add(left.over(f), right.over(f)),
            Map::Scale(factor, map) => Map::Scale(f(factor), map.over(f)),
        };
        over.share()
    }
}

impl<S: Number> Table<S> {
    /// `Σⱼ aᵢⱼ xⱼ`, or of the adjoint `Σᵢ aᵢⱼ yᵢ`, with exact zeros.
    fn apply(&self, argument: &Value<S>, adjoint: bool) -> Value<S> {
        let mut numbers = Vec::new();
        argument.visit_coordinates(&mut |x| numbers.push(x.clone()));
        let result = if adjoint { &self.domain } else { &self.codomain };
        let mut sums = vec![S::zero(); result.count_coordinates()];
        for (row, entries) in self.rows.iter().enumerate() {
            for (column, entry) in entries {
                let (from, to) = if adjoint { (row, *column) } else { (*column, row) };
                if let (Some(x), Some(sum)) = (numbers.get(from), sums.get_mut(to)) {
                    let term = S::apply(&riesz_primitive::scalar::EXACT_MUL, &[entry.clone(), x.clone()]);
                    *sum = sum.add(&term);
                }
            }
        }
        result.tangent(&mut sums.into_iter())
    }

    fn over<T: Number>(&self, f: &mut dyn FnMut(&S) -> T) -> Table<T> {
        let row = |entries: &Vec<(usize, S)>, f: &mut dyn FnMut(&S) -> T| {
            entries.iter().map(|(column, entry)| (*column, f(entry))).collect()
        };
        let rows = self.rows.iter().map(|entries| row(entries, f)).collect();
        Table { domain: self.domain.over(f), codomain: self.codomain.over(f), rows }
    }
}

impl<S: Number> Value<S> {
    /// The same value over another algebra.
    pub fn over<T: Number>(&self, f: &mut dyn FnMut(&S) -> T) -> Value<T> {
        match self {
            Value::Real(x) => Value::Real(f(x)),
            Value::Int(x) => Value::Int(*x),
            Value::Bool(x) => Value::Bool(*x),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| part.over(f)).collect()),
            Value::Reals(elements) => Value::reals(elements.iter().map(f).collect()),
            Value::Ints(elements) => Value::ints(elements.to_vec()),
            Value::Values(elements) => Value::values(elements.iter().map(|element| element.over(f)).collect()),
            Value::Closure(closure) => Value::Closure(Rc::new(super::Closure::new(
                closure.function,
                closure.captured().iter().map(|value| value.over(f)).collect(),
            ))),
            Value::Map(map) => Value::Map(map.over(f)),
            Value::Zero => Value::Zero,
            Value::Accumulator(cell) => Value::Accumulator(Rc::new(std::cell::RefCell::new(cell.borrow().over(f)))),
        }
    }

    /// The zero of the tangent space at the value.
    pub fn zero_tangent(&self) -> Value<S> {
        match self {
            Value::Real(_) => Value::Real(S::zero()),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(Value::zero_tangent).collect()),
            Value::Reals(elements) => Value::reals(vec![S::zero(); elements.len()]),
            Value::Ints(elements) => Value::values(vec![Value::unit(); elements.len()]),
            Value::Values(elements) => Value::values(elements.iter().map(Value::zero_tangent).collect()),
            Value::Map(map) => Value::Map(Map::Scale(S::zero(), map.clone()).share()),
            Value::Zero => Value::Zero,
            _ => Value::unit(),
        }
    }

    /// The multiple of a vector, where an exact zero gives exact zeros.
    pub fn scaled(&self, factor: &S) -> Value<S> {
        match self {
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| part.scaled(factor)).collect()),
            Value::Values(elements) => Value::values(elements.iter().map(|element| element.scaled(factor)).collect()),
            Value::Map(map) => Value::Map(Map::Scale(factor.clone(), map.clone()).share()),
            other => {
                other.map_reals(&mut |x| S::apply(&riesz_primitive::scalar::EXACT_MUL, &[factor.clone(), x.clone()]))
            }
        }
    }

    /// The value with every real number replaced.
    pub fn map_reals(&self, f: &mut dyn FnMut(&S) -> S) -> Value<S> {
        self.over(f)
    }

    /// Calls `f` on every real number, in order.
    pub fn visit_reals(&self, f: &mut dyn FnMut(&S)) {
        match self {
            Value::Real(x) => f(x),
            Value::Tuple(parts) => parts.iter().for_each(|part| part.visit_reals(f)),
            Value::Reals(elements) => elements.iter().for_each(f),
            Value::Values(elements) => elements.iter().for_each(|element| element.visit_reals(f)),
            _ => {}
        }
    }

    pub(super) fn count_reals(&self) -> usize {
        let mut count = 0;
        self.visit_reals(&mut |_| count += 1);
        count
    }
}

/// Whether a coefficient up to this one is too small for all of its digits, so that the next may be a zero that is none.
fn lost_digits<C: Number>(series: &Series<C>, upto: usize) -> bool {
    (0..=upto).any(|n| series.coefficient(n).value().is_subnormal())
}
