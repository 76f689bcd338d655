//! Generalised automatic differentiation: `newtype D k a b = D (a → b × (a k b))`.   [004 Fig. 6; indexed: Fig. 13]
//!
//! ```text
//!   D g ∘ D f = D (λa → let {(b, f′) = f a; (c, g′) = g b} in (c, g′ ∘ f′))
//!   D f × D g = D (λ(a, b) → let {(c, f′) = f a; (d, g′) = g b} in ((c, d), f′ × g′))
//!   id, ex, dup, in, jam = linearD of themselves
//! ```
//!
//! This is written once, for any category `k` of linear maps. Over terms it is the **affine interpretation** of [003
//! Fig. 1], over the dual of terms its **adjoint** [003 Fig. 2]: `f^[1] = D⟨Terms⟩`, `f^[1r] = D⟨Dual⟨Terms⟩⟩`. Over
//! additive functions, matrices, continuations, duals and beginnings it gives the algorithms of [004 §4, §10, §12–14].
//! Over [`Nothing`] only the function remains.
//!
//! The path of a program may depend on values, which are always available here: a conditional has the derivative of the
//! branch that is taken, and a loop the composition of the derivatives of its iterations.

mod addition;
mod control;
mod entry;
mod keep;
mod map;
mod matrix;
mod operation;
mod series;

pub(crate) use control::reduced;
pub(crate) use map::Maps;

use crate::category::{Cartesian, Category, Cocartesian, Linear, part, power};
use crate::closure::Closure;
use crate::combinator::{Combinators, Operation};
use crate::linear::Nothing;
use crate::space::{space, zero_value};
use riesz_core::evaluate::{Fault, Limits, Value};
use riesz_core::term::{Op, Program};
use riesz_linear::Space;
use riesz_primitive::Number;
use riesz_syntax::{Diagnostic, Span};
use std::cell::Cell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// The category of differentiable functions, whose derivatives are morphisms of `K`.
pub struct D<K>(PhantomData<K>);

/// The category of functions: differentiable ones of which nothing but the value is wanted.
pub type Functions = D<Nothing>;

/// A function and its derivative, at a point.
pub struct Differentiable<M: 'static>(Closure<Point, Outcome<M>>);

/// A value and the space it is at.
#[derive(Clone)]
pub struct Point {
    /// The value.
    pub value: Value<f64>,
    /// Its tangent space.
    pub space: Space,
}

/// The value of a function and its derivative, or why there is none.
pub type Outcome<M> = Result<(Value<f64>, M), Fault>;

/// Values, and the derivatives that belong to them.
type Family<M> = (Vec<Value<f64>>, Vec<M>);

impl<M> Clone for Differentiable<M> {
    fn clone(&self) -> Self {
        Differentiable(self.0.clone())
    }
}

impl<M> Differentiable<M> {
    pub(crate) fn new(function: impl Fn(Point) -> Outcome<M> + 'static) -> Differentiable<M> {
        Differentiable(Closure::new(function))
    }

    /// The value and the derivative at a point.
    ///
    /// # Errors
    /// Where the function has no value there: an index is out of range, a limit is reached.
    pub fn at(&self, value: Value<f64>) -> Outcome<M> {
        let space = space(&value);
        self.0.call(Point { value, space })
    }

    pub(crate) fn at_point(&self, point: Point) -> Outcome<M> {
        self.0.call(point)
    }
}

/// The limits of an evaluation, and the resources that it has used.
pub struct Context {
    pub(crate) limits: Limits,
    /// The values of the program that its combinators refer to.
    pub(crate) globals: Vec<Value<f64>>,
    /// The program itself, which is read in another category where the structure of a map is asked for.
    pub(crate) combinators: Option<Rc<Combinators>>,
    /// The program that the values were made of, if it is run on series.
    pub(crate) program: Option<Rc<Program>>,
    steps: Cell<u64>,
    depth: Cell<usize>,
    evaluated: Cell<u64>,
}

impl Context {
    /// Limits, and the values of globals by number.
    pub fn new(limits: Limits, globals: Vec<Value<f64>>) -> Rc<Context> {
        Context::with(limits, globals, None, None)
    }

    /// Limits, the values of globals and the program itself.
    pub(crate) fn with(
        limits: Limits,
        globals: Vec<Value<f64>>,
        combinators: Option<Rc<Combinators>>,
        program: Option<Rc<Program>>,
    ) -> Rc<Context> {
        let (steps, depth, evaluated) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Rc::new(Context { limits, globals, combinators, program, steps, depth, evaluated })
    }

    /// How many operations have been evaluated.
    pub fn evaluated(&self) -> u64 {
        self.evaluated.get()
    }

    pub(crate) fn count(&self) {
        self.evaluated.set(self.evaluated.get() + 1);
    }

    /// The value of an operation, on one operand as it is and on several as their tuple.
    pub(crate) fn evaluate(&self, operation: &Operation, argument: &Value<f64>) -> Result<Value<f64>, Fault> {
        self.count();
        let single = [argument.clone()];
        let operands = if operation.arity() == 1 { &single[..] } else { argument.parts() };
        // Functions of numbers need no machine.
        if let Op::Scalar(primitive, _) = operation.op() {
            match operands {
                [Value::Real(a)] => return Ok(Value::Real(f64::apply(primitive, &[*a]))),
                [Value::Real(a), Value::Real(b)] => return Ok(Value::Real(f64::apply(primitive, &[*a, *b]))),
                _ => {}
            }
        }
        operation.evaluate(operands, &self.limits)
    }

    /// Takes one step.
    pub(crate) fn step(&self, span: Span) -> Result<(), Fault> {
        riesz_limit::poll();
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        let interrupted = || self.limits.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if steps.is_multiple_of(4096) && interrupted() {
            return Err(Box::new(Diagnostic::error("interrupted", span, "the evaluation was interrupted")));
        }
        if steps <= self.limits.steps {
            return Ok(());
        }
        let message = format!("the evaluation takes more than {} steps", self.limits.steps);
        Err(Box::new(
            Diagnostic::error("step-limit", span, message)
                .here("while computing this")
                .help("a loop may have no end; `--max-steps N` allows more"),
        ))
    }

    /// Does something one call deeper.
    pub(crate) fn deeper<T>(&self, span: Span, work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        self.step(span)?;
        let depth = self.depth.get();
        if depth >= self.limits.depth {
            let message = format!("more than {} calls are nested", self.limits.depth);
            return Err(Box::new(
                Diagnostic::error("depth-limit", span, message)
                    .here("one call too many")
                    .help("a recursion may have no end; a `loop` needs no nested calls; `--max-depth N` allows more"),
            ));
        }
        self.depth.set(depth + 1);
        let result = work();
        self.depth.set(depth);
        result
    }
}

/// A function that is linear, with itself as a morphism of `K`.   [004 Fig. 6, `linearD`]
fn linear<M: 'static>(
    value: impl Fn(&Value<f64>) -> Value<f64> + 'static,
    map: impl Fn(&Space) -> M + 'static,
) -> Differentiable<M> {
    Differentiable::new(move |point| Ok((value(&point.value), map(&point.space))))
}

impl<K: Linear<Morphism: 'static> + 'static> Category for D<K> {
    type Object = Space;
    type Morphism = Differentiable<K::Morphism>;

    fn identity(_: &Space) -> Self::Morphism {
        linear(Value::clone, K::identity)
    }

    // ANCHOR: compose
    fn compose(_: &Space, path: Vec<Self::Morphism>) -> Self::Morphism {
        Differentiable::new(move |point| {
            let Point { mut value, space: from } = point;
            let mut derivatives = Vec::with_capacity(path.len());
            let mut space = from.clone();
            for f in &path {
                let (next, derivative) = f.0.call(Point { value, space })?;
                (value, space) = (next, K::codomain(&derivative));
                derivatives.push(derivative);
            }
            Ok((value, K::compose(&from, derivatives)))
        })
    }
    // ANCHOR_END: compose

    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism {
        Self::compose(&Space::product([]), vec![f, g])
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Cartesian for D<K> {
    fn product(parts: Vec<Space>) -> Space {
        Space::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        power(n, a)
    }

    fn cross(maps: Vec<Self::Morphism>) -> Self::Morphism {
        Differentiable::new(move |point| {
            let (values, derivatives) = part_by_part::<K>(&maps, &point)?;
            Ok((Value::Tuple(values.into()), K::cross(derivatives)))
        })
    }

    fn project(index: usize, _: &Space) -> Self::Morphism {
        linear(move |whole| component(whole, index), move |space| K::project(index, space))
    }

    fn duplicate(n: usize, _: &Space) -> Self::Morphism {
        linear(move |a| Value::Tuple(vec![a.clone(); n].into()), move |space| K::duplicate(n, space))
    }

    fn each(maps: Vec<Self::Morphism>) -> Self::Morphism {
        Differentiable::new(move |point| {
            let (values, derivatives) = part_by_part::<K>(&maps, &point)?;
            Ok((array(values), K::each(derivatives)))
        })
    }

    fn replicate(n: usize, _: &Space) -> Self::Morphism {
        linear(move |a| array(vec![a.clone(); n]), move |space| K::replicate(n, space))
    }

    fn fork(_: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Differentiable::new(move |point| {
            let (values, derivatives) = side_by_side::<K>(&maps, &point)?;
            Ok((Value::Tuple(values.into()), K::fork(&point.space, derivatives)))
        })
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Cocartesian for D<K> {
    fn inject(index: usize, whole: &Space) -> Self::Morphism {
        let (zero, whole) = (zero_value(whole), whole.clone());
        linear(move |part| replaced(&zero, index, part.clone()), move |_| K::inject(index, &whole))
    }

    fn merge(n: usize, a: &Space) -> Self::Morphism {
        let (zero, a) = (zero_value(a), a.clone());
        linear(move |parts| added_up(&zero, parts, n), move |_| K::merge(n, &a))
    }

    fn sum(n: usize, a: &Space) -> Self::Morphism {
        let (zero, a) = (zero_value(a), a.clone());
        linear(move |parts| added_up(&zero, parts, n), move |_| K::sum(n, &a))
    }

    fn zero(_: &Space, b: &Space) -> Self::Morphism {
        let (zero, b) = (zero_value(b), b.clone());
        linear(move |_| zero.clone(), move |a| K::zero(a, &b))
    }
}

impl<K: Linear<Morphism: 'static> + 'static> D<K> {
    /// A linear primitive, as a differentiable function.
    pub fn primitive(map: &riesz_linear::LinearMap) -> Differentiable<K::Morphism> {
        let (map, zero) = (map.clone(), zero_value(map.codomain()));
        let inner = map.clone();
        linear(
            move |x| crate::space::tangent_value(&zero, &inner.apply(&crate::space::numbers(x))),
            move |_| K::primitive(&map),
        )
    }
}

fn part_by_part<K: Linear<Morphism: 'static>>(
    maps: &[Differentiable<K::Morphism>],
    point: &Point,
) -> Result<Family<K::Morphism>, Fault> {
    let parts = maps
        .iter()
        .enumerate()
        .map(|(at, f)| f.0.call(Point { value: component(&point.value, at), space: part(at, &point.space) }));
    parts.collect::<Result<Vec<_>, Fault>>().map(|pairs| pairs.into_iter().unzip())
}

fn side_by_side<K: Linear<Morphism: 'static>>(
    maps: &[Differentiable<K::Morphism>],
    point: &Point,
) -> Result<Family<K::Morphism>, Fault> {
    let parts = maps.iter().map(|f| f.0.call(point.clone()));
    parts.collect::<Result<Vec<_>, Fault>>().map(|pairs| pairs.into_iter().unzip())
}

/// A part of a tuple, or an element of an array.
pub(crate) fn component(whole: &Value<f64>, index: usize) -> Value<f64> {
    match whole {
        Value::Tuple(parts) => parts.get(index).cloned().unwrap_or(Value::Zero),
        whole => whole.get(index).unwrap_or(Value::Zero),
    }
}

/// An array of values that are alike.
pub(crate) fn array(values: Vec<Value<f64>>) -> Value<f64> {
    match values.first() {
        Some(Value::Real(_)) => Value::reals(values.iter().map(Value::real).collect()),
        Some(Value::Int(_)) => Value::ints(values.iter().map(Value::int).collect()),
        _ => Value::values(values),
    }
}

/// A tuple or array with one part replaced.
fn replaced(whole: &Value<f64>, index: usize, part: Value<f64>) -> Value<f64> {
    let put = |mut values: Vec<Value<f64>>| {
        if let Some(slot) = values.get_mut(index) {
            *slot = part;
        }
        values
    };
    match whole {
        Value::Tuple(parts) => Value::Tuple(put(parts.to_vec()).into()),
        whole => array(put(whole.elements().collect())),
    }
}

fn added_up(zero: &Value<f64>, parts: &Value<f64>, n: usize) -> Value<f64> {
    (0..n).fold(zero.clone(), |sum, at| plus(&sum, &component(parts, at)))
}

/// The sum of two vectors.
fn plus(a: &Value<f64>, b: &Value<f64>) -> Value<f64> {
    match (a, b) {
        (Value::Tuple(a), Value::Tuple(b)) => Value::Tuple(a.iter().zip(b.iter()).map(|(a, b)| plus(a, b)).collect()),
        (Value::Reals(a), Value::Reals(b)) => Value::reals(a.iter().zip(b.iter()).map(|(a, b)| a + b).collect()),
        (Value::Values(a), Value::Values(b)) => {
            Value::values(a.iter().zip(b.iter()).map(|(a, b)| plus(a, b)).collect())
        }
        (Value::Real(a), Value::Real(b)) => Value::Real(a + b),
        (a, _) => a.clone(),
    }
}
