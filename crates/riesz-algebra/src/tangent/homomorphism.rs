//! Linear functions `D ⊸ E`: `(d • f) d' = f (d' · d)`, `(f + g) d = f d + g d`, `delta v d = d • delta v`.   [000 §5.1]
//!
//! A multiple of a function is the function with a factor, so it takes constant time. A function is a graph of the
//! operations that made it (see [`graph`](crate::graph)). It runs downwards, from the root: every node passes its
//! factor on to its parts. This is reverse mode.
//!
//! **A shared part runs once.** If a function `f` is used at `d` and at `d'`, it runs on `d + d'` when all its uses are
//! known: `f d + f d' = f (d + d')`, since it is linear.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};
use core::marker::PhantomData;
use core::mem;

use crate::finite::Finite;
use crate::graph::{Node, Shared, order};
use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::semiring::Monoid;
use crate::tangent::{CorrectAd, Dense, LetIn};

/// A linear function from scalars `D` to gradients `E`.
pub struct Homomorphism<V, D, E> {
    edge: Edge<V, D>,
    result: PhantomData<fn() -> E>,
}

/// A linear function after a multiplication by a factor.
#[derive(Clone)]
struct Edge<V, D> {
    factor: Option<D>,
    target: Target<V, D>,
}

/// The least functions are no nodes of the graph, which then has half as many.
enum Target<V, D> {
    Zero,
    Delta(V),
    Inner(Shared<Linear<V, D>>),
}

enum Linear<V, D> {
    /// A node whose parts have been released.
    Empty,
    Sum(Edge<V, D>, Edge<V, D>),
    /// `let v = bound in body`: what `body` passes to `v` is passed to `bound`.
    Let(V, Edge<V, D>, Edge<V, D>),
}

impl<V: Ord, D: Scalar, E: Kronecker<V, D>> Homomorphism<V, D, E> {
    /// The value at a scalar.
    pub fn apply(&self, d: &D) -> E {
        let mut total = E::zero();
        propagate(&self.edge, d, &mut |v, d| total.add_multiple(&d, v));
        total
    }

    /// The value at 1, which is the gradient.
    pub fn gradient(&self) -> E {
        self.apply(&D::one())
    }
}

/// A function `body` that has been passed a scalar, in which `v` is `bound`.
struct Waiting<'a, V, D> {
    v: &'a V,
    bound: &'a Edge<V, D>,
    body: &'a Edge<V, D>,
    d: D,
}

/// Passes `d` to a function, and what arrives at the variables on to `leaf`.
fn propagate<'a, V: Ord, D: Scalar>(edge: &'a Edge<V, D>, d: &D, leaf: &mut dyn FnMut(&'a V, D)) {
    // For each `let` that is open, what waits in its body; first what waits outside of all.
    let mut waiting: Vec<Vec<Waiting<'a, V, D>>> = Vec::from([Vec::new()]);
    let mut open: Vec<(&'a V, &'a Edge<V, D>)> = Vec::new();
    let mut arrived: BTreeMap<&'a V, Vec<Option<D>>> = BTreeMap::new();
    descend(edge, d, &mut arrived, &mut waiting[0], leaf);
    while let Some(scope) = waiting.last_mut() {
        if let Some(Waiting { v, bound, body, d }) = scope.pop() {
            open.push((v, bound));
            arrived.entry(v).or_default().push(None);
            let mut inside = Vec::new();
            descend(body, &d, &mut arrived, &mut inside, leaf);
            waiting.push(inside);
        } else {
            waiting.pop();
            let (Some((v, bound)), Some(outside)) = (open.pop(), waiting.last_mut()) else { continue };
            if let Some(d) = arrived.get_mut(v).and_then(Vec::pop).flatten() {
                descend(bound, &d, &mut arrived, outside, leaf);
            }
        }
    }
}

/// The same up to the next `let`s, which then wait.
fn descend<'a, V: Ord, D: Scalar>(
    edge: &'a Edge<V, D>,
    d: &D,
    arrived: &mut BTreeMap<&'a V, Vec<Option<D>>>,
    waiting: &mut Vec<Waiting<'a, V, D>>,
    leaf: &mut dyn FnMut(&'a V, D),
) {
    let mut arrive = |v: &'a V, d: D| match arrived.get_mut(v).and_then(|scopes| scopes.last_mut()) {
        Some(inner) => accumulate(inner, d),
        None => leaf(v, d),
    };
    let steps = match &edge.target {
        Target::Zero => return,
        Target::Delta(v) => return arrive(v, edge.times(d)),
        Target::Inner(root) => order(root),
    };
    let mut factors: Vec<Option<D>> = Vec::new();
    factors.resize_with(steps.len(), || None);
    if let Some(last) = factors.last_mut() {
        *last = Some(edge.times(d));
    }
    for (at, step) in steps.iter().enumerate().rev() {
        let Some(d) = factors[at].take() else { continue };
        match step.node {
            Linear::Empty => {}
            Linear::Sum(f, g) => {
                for (edge, part) in [f, g].into_iter().zip(step.parts) {
                    match &edge.target {
                        Target::Zero => {}
                        Target::Delta(v) => arrive(v, edge.times(&d)),
                        Target::Inner(_) => accumulate(&mut factors[part], edge.times(&d)),
                    }
                }
            }
            Linear::Let(v, bound, body) => waiting.push(Waiting { v, bound, body, d }),
        }
    }
}

fn accumulate<D: Monoid>(sum: &mut Option<D>, d: D) {
    match sum {
        Some(sum) => sum.accumulate(d),
        None => *sum = Some(d),
    }
}

impl<V, D: Scalar> Edge<V, D> {
    fn times(&self, d: &D) -> D {
        match &self.factor {
            Some(factor) => factor.scale(d),
            None => d.clone(),
        }
    }
}

impl<V, D> Target<V, D> {
    fn inner(&self) -> Option<&Shared<Linear<V, D>>> {
        match self {
            Target::Zero | Target::Delta(_) => None,
            Target::Inner(function) => Some(function),
        }
    }

    fn into_inner(self) -> Option<Shared<Linear<V, D>>> {
        match self {
            Target::Zero | Target::Delta(_) => None,
            Target::Inner(function) => Some(function),
        }
    }
}

impl<V: Clone, D> Clone for Target<V, D> {
    fn clone(&self) -> Self {
        match self {
            Target::Zero => Target::Zero,
            Target::Delta(v) => Target::Delta(v.clone()),
            Target::Inner(function) => Target::Inner(function.clone()),
        }
    }
}

impl<V, D, E> Homomorphism<V, D, E> {
    fn new(target: Target<V, D>) -> Self {
        Homomorphism { edge: Edge { factor: None, target }, result: PhantomData }
    }

    fn inner(function: Linear<V, D>) -> Self {
        Homomorphism::new(Target::Inner(Shared::new(function)))
    }
}

impl<V: Clone, D: Clone, E> Clone for Homomorphism<V, D, E> {
    fn clone(&self) -> Self {
        Homomorphism { edge: self.edge.clone(), result: PhantomData }
    }
}

impl<V: Ord, D: Scalar, E: Kronecker<V, D> + PartialEq> PartialEq for Homomorphism<V, D, E> {
    fn eq(&self, other: &Self) -> bool {
        self.gradient() == other.gradient()
    }
}

impl<V: Ord, D: Scalar, E: Kronecker<V, D> + Debug> Debug for Homomorphism<V, D, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("1 ↦ ")?;
        self.gradient().fmt(f)
    }
}

impl<V: Clone, D: Clone, E> Monoid for Homomorphism<V, D, E> {
    fn zero() -> Self {
        Homomorphism::new(Target::Zero)
    }
    fn add(&self, other: &Self) -> Self {
        match (&self.edge.target, &other.edge.target) {
            (Target::Zero, _) => other.clone(),
            (_, Target::Zero) => self.clone(),
            _ => Homomorphism::inner(Linear::Sum(self.edge.clone(), other.edge.clone())),
        }
    }
}

// ANCHOR: module
impl<V: Clone, D: Scalar, E> Module<D> for Homomorphism<V, D, E> {
    fn scale(&self, factor: &D) -> Self {
        let edge = Edge { factor: Some(self.edge.times(factor)), target: self.edge.target.clone() };
        Homomorphism { edge, result: PhantomData }
    }
}
// ANCHOR_END: module

impl<V: Clone, D: Scalar, E> Kronecker<V, D> for Homomorphism<V, D, E> {
    fn delta(v: &V) -> Self {
        Homomorphism::new(Target::Delta(v.clone()))
    }
}

/// `rep f = Σᵥ f v • delta v`, and `abs f = abs (f 1)`
impl<V: Finite, D: Scalar, E: CorrectAd<V, D>> CorrectAd<V, D> for Homomorphism<V, D, E> {
    fn rep(dense: &Dense<V, D>) -> Self {
        V::all().zip(dense.values()).fold(Self::zero(), |sum, (v, d)| sum.insert(&d, &v))
    }
    fn abs(&self) -> Dense<V, D> {
        self.gradient().abs()
    }
}

/// `let_in v f g d`: runs `g` on `d`, then `f` on what has arrived at `v`.
///
/// The text of [000 §6.4] passes to `f` what had arrived at an outer variable of this name, too; nothing must.
impl<V: Clone, D: Scalar, E> LetIn<V, D> for Homomorphism<V, D, E> {
    fn let_in(v: &V, bound: &Self, body: &Self) -> Self {
        Homomorphism::inner(Linear::Let(v.clone(), bound.edge.clone(), body.edge.clone()))
    }
}

impl<V, D> Node for Linear<V, D> {
    /// The body of a `let` is another graph, in which its variable has another meaning.
    fn parts(&self) -> [Option<&Shared<Self>>; 2] {
        match self {
            Linear::Empty | Linear::Let(..) => [None, None],
            Linear::Sum(f, g) => [f.target.inner(), g.target.inner()],
        }
    }

    fn release(&mut self) -> [Option<Shared<Self>>; 2] {
        match mem::replace(self, Linear::Empty) {
            Linear::Empty => [None, None],
            Linear::Sum(f, g) | Linear::Let(_, f, g) => [f.target.into_inner(), g.target.into_inner()],
        }
    }
}
