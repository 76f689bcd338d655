//! A value and its derivatives of every order, in every variable: `f = f x :< (v ↦ ∂f/∂v)`, where each derivative is such
//! a stream again.   [000 §6.3; 001 §6, §7, §10.6]
//!
//! ```text
//! (x :< xs) + (y :< ys) = (x + y) :< (xs + ys)
//! (x :< xs) · (y :< ys) = (x · y) :< v ↦ xs v · (y :< ys) + (x :< xs) · ys v
//! f (x :< xs)           = f x :< v ↦ f' (x :< xs) · xs v
//! ```
//!
//! Derivatives are computed on demand, once, and not at all if they are zero: a variable does not depend on other
//! variables, a constant depends on nothing, and an absent derivative stays absent. **Zeros are exact** in derivatives,
//! as in every [`Module`]: `xs v · y` above is `y • xs v`; only values multiply as in IEEE 754. The product rule makes
//! `2ᵏ` terms for the order `k`; truncated Taylor series take `k²`, if there is one variable and the order is known.
//!
//! The derivatives in all variables at once ([`gradient`](Stream::gradient)) take one reverse pass over the terms of a
//! stream, for any number of variables; they are streams too.
//!
//! ```
//! use core::num::Wrapping;
//! use riesz_algebra::order::Stream;
//! use riesz_algebra::{Expr, Semiring, evaluate};
//!
//! // x (x + 1) (x + x) at 5: 300, 170, 64, 12, and then nothing   [000 §6.3]
//! let x = Expr::variable("x");
//! let f = x.clone() * ((x.clone() + Expr::one()) * (x.clone() + x));
//! let stream = evaluate(|x: &&str| Stream::variable(*x, Wrapping(5)), &f);
//! let third = stream.derivative(&"x").derivative(&"x").derivative(&"x");
//! assert_eq!((*stream.value(), *third.value()), (Wrapping(300), Wrapping(12)));
//! assert!(third.derivative_unless_zero(&"x").is_none());
//! ```

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt::{self, Debug, Formatter};

use crate::graph::{Node, Shared, order_where};
use crate::module::{Module, Scalar};
use crate::real::operators::operators;
use crate::real::{Binary, Real, Unary};
use crate::semiring::{Monoid, Ring, Semiring};

/// A value with its derivatives in the variables `V`.
pub struct Stream<V, D>(Shared<Origin<V, D>>);

/// Where a stream comes from, which is all that its derivatives need.
struct Origin<V, D> {
    value: D,
    parts: [Option<Stream<V, D>>; 2],
    rule: Rule<V, D>,
    /// The greatest variable in it.
    newest: Option<V>,
    /// The derivatives that are known; `None` for one that is zero.
    derivatives: RefCell<BTreeMap<V, Option<Stream<V, D>>>>,
}

enum Rule<V, D> {
    /// Zero, and no more than that: its multiples are the same zero.
    Zero,
    Constant,
    Variable(V),
    /// How the derivative is made of the parts and their derivatives.
    Derived(Function, Derive<V, D>),
    /// A function of the first part, with this derivative.
    Chain(Slope<V, D>),
    /// A function of the parts, with these derivatives, in which zeros are exact.
    Partial(Partials<V, D>, Product<V, D>),
}

/// A function that needs no more of `D` than a semiring is there for every `D`; the others come with `D: Real`.
#[derive(Clone, Copy)]
enum Function {
    Sum,
    Product,
    Unary(Unary),
    Binary(Binary),
}

type Slope<V, D> = Arc<dyn Fn(&Stream<V, D>) -> Stream<V, D>>;
type Product<V, D> = fn(&Stream<V, D>, &Stream<V, D>) -> Stream<V, D>;
type Partials<V, D> = Arc<dyn Fn(&[Stream<V, D>]) -> Vec<Stream<V, D>>>;
type Parts<'a, V, D> = [Option<&'a Stream<V, D>>; 2];
type Terms<V, D> = [Option<Stream<V, D>>; 2];
type Derive<V, D> = fn(Function, Parts<V, D>, Terms<V, D>) -> Terms<V, D>;

impl<V: Ord + Clone, D: Scalar> Stream<V, D> {
    /// A variable.
    pub fn variable(v: V, value: D) -> Self {
        Stream::new(value, [None, None], Rule::Variable(v))
    }

    /// A value that does not vary.
    pub fn constant(value: D) -> Self {
        Stream::new(value, [None, None], Rule::Constant)
    }

    /// The value.
    pub fn value(&self) -> &D {
        &self.0.get().value
    }

    /// The derivative in a variable.
    pub fn derivative(&self, v: &V) -> Self {
        self.derivative_unless_zero(v).unwrap_or_else(Self::zero)
    }

    /// The derivative in a variable, or nothing where the stream cannot depend on it.
    pub fn derivative_unless_zero(&self, v: &V) -> Option<Self> {
        let mut waiting = Vec::from([self.clone()]);
        while let Some(stream) = waiting.last() {
            let origin = stream.0.get();
            if !origin.may_depend_on(v) || origin.derivatives.borrow().contains_key(v) {
                waiting.pop();
                continue;
            }
            let derivative = match &origin.rule {
                Rule::Variable(w) => (v == w).then(Self::one),
                _ => {
                    let depends = |part: &&Stream<V, D>| part.0.get().may_depend_on(v);
                    let known = |part: &Stream<V, D>| part.0.get().derivatives.borrow().get(v).cloned();
                    let parts = origin.parts.each_ref().map(|part| part.as_ref().filter(depends));
                    let unknown: Vec<_> =
                        parts.into_iter().flatten().filter(|part| known(part).is_none()).cloned().collect();
                    if !unknown.is_empty() {
                        waiting.extend(unknown);
                        continue;
                    }
                    let [first, second] = origin.terms(parts.map(|part| part.and_then(known).flatten()));
                    sum(first, second)
                }
            };
            origin.derivatives.borrow_mut().insert(v.clone(), derivative);
        }
        self.0.get().derivatives.borrow().get(v).cloned().flatten()
    }

    /// The derivatives of a sum of multiples of streams in all variables from one on, but for those that are zero.
    ///
    /// ```text
    /// ∂f/∂part = Σ (∂f/∂node · ∂node/∂part) over the nodes that are made of the part
    /// ```
    ///
    /// It takes one pass over the nodes that may depend on these variables, from the results back to the variables.
    pub fn gradient(multiples: &[(Self, Self)], from: &V) -> BTreeMap<V, Self> {
        let depends = |node: &Origin<V, D>| node.may_depend_on(from);
        let roots: Vec<&(Self, Self)> = multiples.iter().filter(|(stream, _)| depends(stream.0.get())).collect();
        let (steps, places) = order_where(roots.iter().map(|(stream, _)| &stream.0), depends);
        let mut derivatives: Vec<Option<Self>> = steps.iter().map(|_| None).collect();
        for ((_, factor), place) in roots.iter().zip(places) {
            derivatives[place] = sum(derivatives[place].take(), Some(factor.clone()));
        }
        let mut gradient = BTreeMap::new();
        for (place, step) in steps.iter().enumerate().rev() {
            let Some(derivative) = derivatives[place].take() else { continue };
            if let Rule::Variable(v) = &step.node.rule {
                let known = gradient.remove(v);
                gradient.extend(sum(known, Some(derivative)).map(|total| (v.clone(), total)));
                continue;
            }
            let terms = step.node.terms(step.parts.map(|part| (part != usize::MAX).then(|| derivative.clone())));
            for (part, term) in step.parts.into_iter().zip(terms) {
                if let Some(term) = term {
                    derivatives[part] = sum(derivatives[part].take(), Some(term));
                }
            }
        }
        gradient
    }

    /// The stream moved by a stream that is zero: its value is the same to the bit, and derivatives are those of the sum.
    pub fn moved(&self, by: &Self) -> Self {
        Stream::derived(self.value().clone(), [Some(self), Some(by)], Function::Sum, of_semiring)
    }

    /// The chain rule for a function of yours, from its value and its derivative: `f ⋈ f'`.   [001 §6.4]
    ///
    /// The derivative is asked for the stream, so that it has derivatives of its own.
    pub fn chain(&self, f: impl FnOnce(&D) -> D, derivative: impl Fn(&Stream<V, D>) -> Stream<V, D> + 'static) -> Self {
        Stream::new(f(self.value()), [Some(self.clone()), None], Rule::Chain(Arc::new(derivative)))
    }

    /// Whether this is zero by its structure.
    fn is_zero(&self) -> bool {
        matches!(self.0.get().rule, Rule::Zero)
    }

    fn new(value: D, parts: [Option<Stream<V, D>>; 2], rule: Rule<V, D>) -> Self {
        let newest = match &rule {
            Rule::Variable(v) => Some(v.clone()),
            _ => parts.iter().flatten().filter_map(|part| part.0.get().newest.as_ref()).max().cloned(),
        };
        Stream(Shared::new(Origin { value, parts, rule, newest, derivatives: RefCell::new(BTreeMap::new()) }))
    }

    fn derived(value: D, parts: [Option<&Stream<V, D>>; 2], function: Function, derive: Derive<V, D>) -> Self {
        Stream::new(value, parts.map(|part| part.cloned()), Rule::Derived(function, derive))
    }
}

impl<V: Ord + Clone, D: Scalar> Stream<V, D> {
    /// The chain rule for a function of one or two streams, from its value and its partial derivatives. Zeros are exact.
    ///
    /// The derivatives are asked for the streams, so that they have derivatives of their own.
    pub fn function(value: D, parts: [Option<Self>; 2], partials: impl Fn(&[Self]) -> Vec<Self> + 'static) -> Self {
        Stream::new(value, parts, Rule::Partial(Arc::new(partials), Module::scale))
    }
}

impl<V: Ord + Clone, D: Scalar> Origin<V, D> {
    /// Whether it may depend on a variable, or on a greater one.
    fn may_depend_on(&self, v: &V) -> bool {
        self.newest.as_ref().is_some_and(|newest| v <= newest)
    }

    /// The terms of the derivative: the partial derivative in each part times a factor, where there is one.
    fn terms(&self, factors: Terms<V, D>) -> Terms<V, D> {
        let parts = self.parts.each_ref().map(Option::as_ref);
        match &self.rule {
            Rule::Zero | Rule::Constant | Rule::Variable(_) => [None, None],
            Rule::Derived(function, derive) => derive(*function, parts, factors),
            Rule::Chain(derivative) => {
                let [factor, _] = factors;
                let times = |(part, factor): (&Stream<V, D>, Stream<V, D>)| factor.scale(&derivative(part));
                [parts[0].zip(factor).map(times), None]
            }
            Rule::Partial(..) if factors.iter().all(Option::is_none) => [None, None],
            Rule::Partial(partials, multiple) => {
                let parts: Vec<Stream<V, D>> = parts.into_iter().flatten().cloned().collect();
                let mut partials = partials(&parts).into_iter();
                factors.map(|factor| {
                    let partial = partials.next();
                    factor.zip(partial).map(|(factor, partial)| multiple(&factor, &partial))
                })
            }
        }
    }
}

/// The rules of sums and products.
fn of_semiring<V: Ord + Clone, D: Scalar>(
    function: Function,
    parts: Parts<V, D>,
    [da, db]: Terms<V, D>,
) -> Terms<V, D> {
    match (function, parts) {
        (Function::Product, [Some(a), Some(b)]) => [da.map(|da| da.scale(b)), db.map(|db| db.scale(a))],
        _ => [da, db],
    }
}

/// The rules of all other functions: the chain rule.
fn of_real<V: Ord + Clone, D: Real>(function: Function, parts: Parts<V, D>, [da, db]: Terms<V, D>) -> Terms<V, D> {
    match (function, parts) {
        // The result is a new stream: a stream that its own derivative held would never be freed.
        (Function::Unary(function), [Some(a), _]) => {
            [da.map(|da| da.scale(&function.derivative(a, &a.clone().unary(function)))), None]
        }
        (Function::Binary(function), [Some(a), Some(b)]) => {
            let (first, second) = function.partials(a, b, &a.clone().binary(function, b.clone()));
            [da.map(|da| da.scale(&first)), db.map(|db| db.scale(&second))]
        }
        _ => of_semiring(function, parts, [da, db]),
    }
}

/// A sum of which either part may be zero, and absent.
fn sum<V: Ord + Clone, D: Scalar>(a: Option<Stream<V, D>>, b: Option<Stream<V, D>>) -> Option<Stream<V, D>> {
    match (a, b) {
        (Some(a), Some(b)) if a.is_zero() => Some(b),
        (Some(a), Some(b)) if b.is_zero() => Some(a),
        (Some(a), Some(b)) => Some(a.add(&b)),
        (a, b) => a.or(b),
    }
}

impl<V, D> Clone for Stream<V, D> {
    fn clone(&self) -> Self {
        Stream(self.0.clone())
    }
}

/// The value, and that there is more.
impl<V, D: Debug> Debug for Stream<V, D> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} :< …", self.0.get().value)
    }
}

impl<V: Ord + Clone, D: Scalar> Monoid for Stream<V, D> {
    fn zero() -> Self {
        Stream::new(D::zero(), [None, None], Rule::Zero)
    }
    fn add(&self, other: &Self) -> Self {
        Stream::derived(self.value().add(other.value()), [Some(self), Some(other)], Function::Sum, of_semiring)
    }
}

impl<V: Ord + Clone, D: Scalar> Semiring for Stream<V, D> {
    fn one() -> Self {
        Stream::constant(D::one())
    }
    fn mul(&self, other: &Self) -> Self {
        Stream::derived(self.value().mul(other.value()), [Some(self), Some(other)], Function::Product, of_semiring)
    }
}

/// The product, with the exact zeros of `D`.
impl<V: Ord + Clone, D: Scalar> Module<Self> for Stream<V, D> {
    fn scale(&self, factor: &Self) -> Self {
        if self.is_zero() || factor.is_zero() {
            return Self::zero();
        }
        let value = self.value().scale(factor.value());
        Stream::derived(value, [Some(factor), Some(self)], Function::Product, of_semiring)
    }
}

impl<V: Ord + Clone, D: Ring + Module<D>> Ring for Stream<V, D> {
    fn neg(&self) -> Self {
        Stream::constant(D::one().neg()).mul(self)
    }
}

impl<V: Ord + Clone, D: Real> Real for Stream<V, D> {
    fn constant(x: f64) -> Self {
        Stream::constant(D::constant(x))
    }
    fn unary(self, function: Unary) -> Self {
        let value = self.value().clone().unary(function);
        Stream::derived(value, [Some(&self), None], Function::Unary(function), of_real)
    }
    fn binary(self, function: Binary, other: Self) -> Self {
        let value = self.value().clone().binary(function, other.value().clone());
        Stream::derived(value, [Some(&self), Some(&other)], Function::Binary(function), of_real)
    }
}

operators!([V: Ord + Clone, D: Scalar] [D: Ring] [D: Real] Stream<V, D>);

impl<V, D> Node for Origin<V, D> {
    fn parts(&self) -> [Option<&Shared<Self>>; 2] {
        self.parts.each_ref().map(|part| part.as_ref().map(|stream| &stream.0))
    }

    fn release(&mut self) -> [Option<Shared<Self>>; 2] {
        self.parts.each_mut().map(|part| part.take().map(|stream| stream.0))
    }
}
