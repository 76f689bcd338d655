//! Operations whose path depends on values: conditionals, loops, arrays, calls.
//!
//! ```text
//!   (if c then f else g)′      the derivative of the branch that is taken
//!   (loop f)′                  fₙ′ ∘ … ∘ f₁′, each at its own state
//!   (build f)′                 f₀′ △ … △ fₙ′  to an array        [004 Fig. 13, forkI]
//!   (sum f)′                   f₀′ + … + fₙ′                     [004 Fig. 13, jamI ∘ forkI]
//! ```

use super::addition::{Addition, places};
use super::keep::{Collected, collect, each_part, fork_to_array, iteration};
use super::operation::{derivative, embed};
use super::{Context, D, Differentiable, Maps, Point, component};
use crate::category::{Cartesian, Category, Linear, part};
use crate::combinator::{Constant, Operation};
use crate::interpret::{Form, Later, Programs, Table};
use crate::space::{numbers, space};
use riesz_core::Type;
use riesz_core::evaluate::{Closure, Fault, Limits, Map, Value};
use riesz_core::order::Orders;
use riesz_core::term::{Atom, Binding, Body, FunctionId, Iteration, OnMaps, Op, Reduction, Var};
use riesz_linear::{LinearMap, Space, Vector};
use riesz_primitive::derivative::partial_derivatives;
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

impl<K: Linear<Morphism: 'static> + 'static> Programs for D<K> {
    type Context = Rc<Context>;

    fn tuple(parts: Vec<Self::Morphism>) -> Self::Morphism {
        Self::fork(&Space::product([]), parts)
    }

    fn sequence(path: Vec<Self::Morphism>) -> Self::Morphism {
        Self::compose(&Space::product([]), path)
    }

    fn path(indices: &[usize]) -> Self::Morphism {
        let indices = indices.to_vec();
        Differentiable::new(move |point| {
            let value = indices.iter().fold(point.value, |value, index| component(&value, *index));
            Ok((value, path::<K>(&indices, &point.space)))
        })
    }

    fn constant(constant: Constant) -> Self::Morphism {
        let value = move || match constant {
            Constant::Real(value) => Value::Real(value),
            Constant::Int(value) => Value::Int(value),
            Constant::Bool(value) => Value::Bool(value),
        };
        Differentiable::new(move |point| Ok((value(), K::zero(&point.space, &space(&value())))))
    }

    fn operation(context: &Rc<Context>, operation: &Operation) -> Self::Morphism {
        let (context, operation) = (context.clone(), operation.clone());
        Differentiable::new(move |point| {
            let single = [point.value.clone()];
            let operands = match operation.arity() {
                1 => &single[..],
                _ => point.value.parts(),
            };
            let value = context.evaluate(&operation, &point.value)?;
            let map = match operation.op() {
                _ if K::VALUES_ONLY => K::zero(&point.space, &point.space),
                Op::Plus(..) | Op::AddTo(..) if value.holds_maps() => {
                    let [total, .., added] = operands else { return Err(lost(operation.span())) };
                    let path_to = match operation.op() {
                        Op::AddTo(_, path, _) => places(path, operands),
                        _ => Vec::new(),
                    };
                    let plus = plus(operation.span());
                    let both = vec![path::<K>(&[0], &point.space), path::<K>(&[operands.len() - 1], &point.space)];
                    let both = K::fork(&point.space, both);
                    let addition = Addition { context: &context, operation: &plus };
                    let (value, map) = addition.at::<K>(total, &path_to, added, &K::codomain(&both))?;
                    return Ok((value, K::after(map, both)));
                }
                _ => derivative::<K>(&operation, operands, &point.space, &value),
            };
            Ok((value, map))
        })
    }

    fn conditional(yes: Self::Morphism, no: Self::Morphism) -> Self::Morphism {
        Differentiable::new(move |point| {
            let taken = if component(&point.value, 0).bool() { &yes } else { &no };
            let (value, map) =
                taken.at_point(Point { value: component(&point.value, 1), space: part(1, &point.space) })?;
            Ok((value, K::after(map, K::project(1, &point.space))))
        })
    }

    fn repeat(context: &Rc<Context>, form: Form, mut parts: Vec<Self::Morphism>, span: Span) -> Self::Morphism {
        let context = context.clone();
        let Some(body) = parts.pop() else { return Self::identity(&Space::product([])) };
        let condition = parts.pop();
        let repeated = Repetition::<K> { context, body, condition, span };
        Differentiable::new(move |point| match &form {
            Form::Build(element) => repeated.build(&point, element),
            Form::Builds(elements) => repeated.builds(&point, elements),
            Form::Reduce(reduction, ty) => repeated.reduce(&point, *reduction, ty),
            Form::Loop | Form::While => repeated.iterations(&point, &[], Collected::Nothing),
            Form::Scan(element) => repeated.iterations(&point, std::slice::from_ref(element), Collected::State),
            Form::Trace(elements) | Form::TraceWhile(elements) => {
                repeated.iterations(&point, elements, Collected::Parts)
            }
        })
    }

    fn call(context: &Rc<Context>, definition: Later<Self::Morphism>, span: Span) -> Self::Morphism {
        let context = context.clone();
        Differentiable::new(move |point| {
            context.deeper(span, || match definition.get() {
                Some(body) => body.at_point(point),
                None => Err(lost(span)),
            })
        })
    }

    fn closure(function: FunctionId) -> Self::Morphism {
        Differentiable::new(move |point| {
            let value = Value::Closure(Rc::new(Closure::new(function, point.value.parts().to_vec())));
            Ok((value, K::identity(&point.space)))
        })
    }

    fn apply(context: &Rc<Context>, definitions: Table<Self::Morphism>, span: Span) -> Self::Morphism {
        let context = context.clone();
        Differentiable::new(move |point| match component(&point.value, 0) {
            Value::Closure(closure) => {
                let body = definitions.find(closure.function).ok_or_else(|| lost(span))?;
                call::<K>(&context, &body, closure.captured(), component(&point.value, 1), &point.space, span)
            }
            Value::Map(map) => {
                let maps = Maps { context: &context, definitions: &definitions, span };
                maps.apply::<K>(&map, false, component(&point.value, 1), &point.space)
            }
            _ => Err(lost(span)),
        })
    }

    fn map(forward: FunctionId, reverse: FunctionId) -> Self::Morphism {
        Differentiable::new(move |point| {
            let map = Map::Functions { forward, reverse, captured: point.value.parts().to_vec() };
            Ok((Value::Map(map.share()), K::identity(&point.space)))
        })
    }

    fn on_maps(
        context: &Rc<Context>,
        definitions: Table<Self::Morphism>,
        operation: OnMaps,
        orders: &Orders,
        span: Span,
    ) -> Self::Morphism {
        let (context, orders) = (context.clone(), orders.clone());
        Differentiable::new(move |point| {
            Maps { context: &context, definitions: &definitions, span }.operate::<K>(operation, &orders, &point)
        })
    }

    fn taylor(context: &Rc<Context>, element: Type, span: Span) -> Self::Morphism {
        D::<K>::series(context, element, span)
    }

    fn global(context: &Rc<Context>, number: usize) -> Self::Morphism {
        let value = context.globals.get(number).cloned().unwrap_or(Value::Zero);
        let to = space(&value);
        Differentiable::new(move |point| Ok((value.clone(), K::zero(&point.space, &to))))
    }
}

/// A function of what it captured and an argument, from the product of both.
pub(super) fn call<K: Linear<Morphism: 'static>>(
    context: &Rc<Context>,
    body: &Differentiable<K::Morphism>,
    captured: &[Value<f64>],
    argument: Value<f64>,
    from: &Space,
    span: Span,
) -> Outcome<K> {
    let mut arguments = captured.to_vec();
    arguments.push(argument);
    // ((c₁, …), a) ↦ (c₁, …, a)
    let mut maps: Vec<K::Morphism> = (0..captured.len()).map(|at| path::<K>(&[0, at], from)).collect();
    maps.push(path::<K>(&[1], from));
    let (value, arranged) = match maps.len() {
        1 => (arguments.remove(0), maps.remove(0)),
        _ => (Value::Tuple(arguments.into()), K::fork(from, maps)),
    };
    let inner = Point { value, space: K::codomain(&arranged) };
    let (value, map) = context.deeper(span, || body.at_point(inner))?;
    Ok((value, K::after(map, arranged)))
}

/// A part of a part of a product, and so on.
pub(super) fn path<K: Linear>(indices: &[usize], from: &Space) -> K::Morphism {
    let mut space = from.clone();
    let mut steps = Vec::with_capacity(indices.len());
    for index in indices {
        let next = part(*index, &space);
        steps.push(K::project(*index, &space));
        space = next;
    }
    K::compose(from, steps)
}

pub(super) fn lost(span: Span) -> Fault {
    Box::new(Diagnostic::error("no-combinator", span, "a function is called that is not among the combinators"))
}

/// A reduction of elements, by the operation of the core. The type is over the sizes that are given.
pub(crate) fn reduced(
    limits: &Limits,
    sizes: &Value<f64>,
    reduction: Reduction,
    ty: &Type,
    values: Vec<Value<f64>>,
    span: Span,
) -> Result<Value<f64>, Fault> {
    let sizes = sizes.parts();
    let first = sizes.len() as u32;
    let [number, array, index, element] = [0, 1, 2, 3].map(|at| Var(first + at));
    let read = Op::Index(Atom::Var(array), Atom::Var(index));
    let body = Body { bindings: vec![Binding { var: element, op: read, span }], result: Atom::Var(element) };
    let op = Op::Reduce(reduction, Iteration { count: Atom::Var(number), index, body });
    let mut operands = sizes.to_vec();
    operands.extend([Value::Int(values.len() as i64), Value::values(values), Value::Int(0), Value::Int(0)]);
    Operation::new(op, operands.len(), ty.clone(), span).evaluate(&operands, limits)
}

/// The sum of two vectors, as an operation.
fn plus(span: Span) -> Operation {
    Operation::new(Op::Plus(Atom::Var(Var(0)), Atom::Var(Var(1))), 2, Type::unit(), span)
}

/// A body that is run many times.
struct Repetition<K: Linear<Morphism: 'static>> {
    context: Rc<Context>,
    body: Differentiable<K::Morphism>,
    condition: Option<Differentiable<K::Morphism>>,
    span: Span,
}

type Outcome<K> = super::Outcome<<K as Category>::Morphism>;

/// Values with their maps, what comes before the maps, and the space from which they start.
type All<M> = (Vec<Value<f64>>, Vec<M>, M, Space);

impl<K: Linear<Morphism: 'static> + 'static> Repetition<K> {
    /// `(Int, Γ) → (Γ, Int)`, once for every index: the values and derivatives of the body, and what comes before it.
    fn elements(
        &self,
        point: &Point,
        mut each: impl FnMut(Value<f64>, K::Morphism) -> Result<bool, Fault>,
    ) -> Result<(K::Morphism, Space), Fault> {
        let count = component(&point.value, 0).int();
        if count < 0 {
            let message = format!("an array cannot have {count} elements");
            return Err(Box::new(Diagnostic::error("negative-size", self.span, message)));
        }
        let environment = component(&point.value, 1);
        let inner = K::product(vec![part(1, &point.space), Space::product([])]);
        for index in 0..count {
            self.context.step(self.span)?;
            let value = Value::Tuple(Rc::new([environment.clone(), Value::Int(index)]));
            let (element, map) = self.body.at_point(Point { value, space: inner.clone() })?;
            if !each(element, map)? {
                break;
            }
        }
        let arranged = K::after(K::inject(0, &inner), K::project(1, &point.space));
        Ok((arranged, inner))
    }

    /// All elements with their maps, and the map to the space from which these start.
    fn all_elements(&self, point: &Point) -> Result<All<K::Morphism>, Fault> {
        let (mut values, mut maps) = (Vec::new(), Vec::new());
        let (arranged, inner) = self.elements(point, |value, map| {
            values.push(value);
            maps.push(map);
            Ok(true)
        })?;
        Ok((values, maps, arranged, inner))
    }

    fn build(&self, point: &Point, element: &Type) -> Outcome<K> {
        let (values, maps, arranged, inner) = self.all_elements(point)?;
        Ok((Value::array(element, values), K::after(fork_to_array::<K>(&inner, maps), arranged)))
    }

    fn builds(&self, point: &Point, elements: &[Type]) -> Outcome<K> {
        let mut columns: Vec<Vec<Value<f64>>> = vec![Vec::new(); elements.len()];
        let mut maps: Vec<K::Morphism> = Vec::new();
        let (arranged, inner) = self.elements(point, |value, map| {
            for (at, column) in columns.iter_mut().enumerate() {
                column.push(component(&value, at));
            }
            maps.push(map);
            Ok(true)
        })?;
        let spaces: Vec<Space> = maps.iter().map(K::codomain).collect();
        // X → (A, B)ⁿ → (Aⁿ, Bⁿ)
        let rows = fork_to_array::<K>(&inner, maps);
        let whole = K::codomain(&rows);
        let column = |at: usize| each_part::<K>(&spaces, at);
        let apart = K::fork(&whole, (0..elements.len()).map(column).collect());
        let arrays = columns.into_iter().zip(elements).map(|(values, element)| Value::array(element, values));
        Ok((Value::Tuple(arrays.collect()), K::compose(&point.space, vec![arranged, rows, apart])))
    }

    fn reduce(&self, point: &Point, reduction: Reduction, ty: &Type) -> Outcome<K> {
        let row = match reduction {
            Reduction::Sum => &scalar::ADD,
            Reduction::Product => &scalar::MUL,
            Reduction::Max => &scalar::MAX,
            Reduction::Min => &scalar::MIN,
            Reduction::ArgMax | Reduction::ArgMin | Reduction::All | Reduction::Any => {
                return self.choose(point, reduction, ty);
            }
        };
        let (values, mut maps, arranged, inner) = self.all_elements(point)?;
        if reduction == Reduction::Sum && !K::VALUES_ONLY && values.iter().any(Value::holds_maps) {
            let (value, map) = self.sum_of_maps(values.into_iter().zip(maps), &inner)?;
            return Ok((value, K::after(map, arranged)));
        }
        let value = self.reduced(point, reduction, ty, values.clone())?;
        let to = space(&value);
        if K::VALUES_ONLY || to.dimension() == 0 || maps.is_empty() {
            return Ok((value, K::zero(&point.space, &to)));
        }
        maps = match reduction {
            Reduction::Sum => maps.into_iter().map(|map| fitted::<K>(map, &to)).collect(),
            _ => weighted::<K>(row, &values, maps, &to),
        };
        Ok((value, K::after(K::add(&inner, &to, maps), arranged)))
    }

    /// The sum of vectors with maps in them, one after the other.
    fn sum_of_maps(&self, terms: impl Iterator<Item = (Value<f64>, K::Morphism)>, from: &Space) -> Outcome<K> {
        let plus = plus(self.span);
        let addition = Addition { context: &self.context, operation: &plus };
        let mut total = (Value::Zero, K::zero(from, &Space::product([])));
        for (value, map) in terms {
            let both = K::fork(from, vec![total.1, map]);
            let (sum, by_both) = addition.at::<K>(&total.0, &[], &value, &K::codomain(&both))?;
            total = (sum, K::after(by_both, both));
        }
        Ok(total)
    }

    /// Reductions to what does not vary.
    fn choose(&self, point: &Point, reduction: Reduction, ty: &Type) -> Outcome<K> {
        let mut values = Vec::new();
        self.elements(point, |value, _| {
            let decided = match reduction {
                Reduction::All => !value.bool(),
                Reduction::Any => value.bool(),
                _ => false,
            };
            values.push(value);
            Ok(!decided)
        })?;
        let value = self.reduced(point, reduction, ty, values)?;
        Ok((value, K::zero(&point.space, &Space::product([]))))
    }

    fn reduced(
        &self,
        point: &Point,
        reduction: Reduction,
        ty: &Type,
        values: Vec<Value<f64>>,
    ) -> Result<Value<f64>, Fault> {
        let sizes = component(&point.value, 2);
        reduced(&self.context.limits, &sizes, reduction, ty, values, self.span)
    }

    /// The iterations of a loop, and the residuals of each.
    fn iterations(&self, point: &Point, elements: &[Type], kept: Collected) -> Outcome<K> {
        let parts = point.value.parts();
        let counted = self.condition.is_none();
        let limit = if counted { component(&point.value, 1).int() } else { i64::MAX };
        let mut now = point.clone();
        let mut iterations: Vec<K::Morphism> = Vec::new();
        let mut columns: Vec<Vec<Value<f64>>> = vec![Vec::new(); elements.len()];
        let mut index = 0;
        while index < limit {
            if counted {
                let mut parts = now.value.parts().to_vec();
                parts[1] = Value::Int(index);
                now.value = Value::Tuple(parts.into());
            }
            if let Some(condition) = &self.condition
                && !condition.at_point(now.clone())?.0.bool()
            {
                break;
            }
            self.context.step(self.span)?;
            let (given, map) = self.body.at_point(now.clone())?;
            let state = if kept == Collected::Parts { component(&given, 0) } else { given.clone() };
            for (at, column) in columns.iter_mut().enumerate() {
                column.push(if kept == Collected::Parts { component(&given, at + 1) } else { given.clone() });
            }
            let (iteration, space) = iteration::<K>(now.space, parts.len(), map, kept, elements.len());
            iterations.push(iteration);
            let mut values = now.value.parts().to_vec();
            values[0] = state;
            now = Point { value: Value::Tuple(values.into()), space };
            index += 1;
        }
        let last = component(&now.value, 0);
        if kept == Collected::Nothing {
            iterations.push(K::project(0, &now.space));
            return Ok((last, K::compose(&point.space, iterations)));
        }
        let mut arrays = columns.into_iter().zip(elements).map(|(column, element)| Value::array(element, column));
        let (tree, collected) = collect::<K>(&point.space, iterations, elements.len());
        let whole = K::codomain(&tree);
        if kept == Collected::State {
            let empty = || K::zero(&whole, &K::power(0, &now.space));
            let map = collected.into_iter().next().unwrap_or_else(empty);
            return Ok((arrays.next().unwrap_or(Value::Zero), K::after(map, tree)));
        }
        let mut values = vec![last];
        let mut maps = vec![K::after(K::project(0, &now.space), K::project(0, &whole))];
        if !counted {
            values.push(Value::Int(index));
            maps.push(K::zero(&whole, &Space::product([])));
        }
        values.extend(arrays);
        maps.extend(collected);
        Ok((Value::Tuple(values.into()), K::after(K::fork(&whole, maps), tree)))
    }
}

/// A map to a space where a sum over nothing, of which no type tells the size, may have less.
fn fitted<K: Linear>(map: K::Morphism, to: &Space) -> K::Morphism {
    let from = K::codomain(&map);
    if from == *to { map } else { K::after(embed::<K>(&from, to), map) }
}

/// The derivatives of elements, each times what the fold of a function of two numbers makes of it.
///
/// The fold `tᵢ₊₁ = f(tᵢ, eᵢ)` has the derivative `Σᵢ ∂₂f(tᵢ, eᵢ) · Π_{j>i} ∂₁f(tⱼ, eⱼ) · eᵢ′`.
fn weighted<K: Linear>(
    row: &'static Primitive,
    values: &[Value<f64>],
    maps: Vec<K::Morphism>,
    to: &Space,
) -> Vec<K::Morphism> {
    let dimension = to.dimension();
    let mut weights = vec![vec![1.0; dimension]; values.len()];
    let elements: Vec<Vec<f64>> = values.iter().map(numbers).collect();
    for at in 0..dimension {
        let mut totals = Vec::with_capacity(values.len());
        let mut total = elements[0][at];
        for element in elements.iter().skip(1) {
            let arguments = [total, element[at]];
            let next = row.scalar().and_then(|row| row.real).map_or(f64::NAN, |real| real(&arguments));
            totals.push(partial_derivatives(row, &arguments, &next));
            total = next;
        }
        let mut later = 1.0;
        for (iteration, partials) in totals.iter().enumerate().rev() {
            weights[iteration + 1][at] = exact(partials[1], later);
            later = exact(partials[0], later);
        }
        weights[0][at] = later;
    }
    let weigh = |(map, weights): (K::Morphism, Vec<f64>)| {
        if weights.iter().all(|weight| *weight == 0.0) {
            return None;
        }
        Some(match *to {
            Space::Real => K::times(weights[0], map),
            _ => K::primitive_after(&LinearMap::diagonal(Vector::new(to.clone(), weights).ok()?), map),
        })
    };
    maps.into_iter().zip(weights).filter_map(weigh).collect()
}

/// The product in which zero times anything is zero.
fn exact(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}
