//! Functions from the variable to the partial derivative: `(f + g) v = f v + g v`, `(d • f) v = d · f v`.   [000 §3.5]
//!
//! A function is a graph of the operations that made it (see [`graph`](crate::graph)). It runs upwards, from the
//! leaves: at every node the values of the parts at `v` give the value of the whole.

use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};
use core::mem;

use crate::finite::Finite;
use crate::graph::{Node, Shared, Step, order};
use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::semiring::Monoid;
use crate::tangent::{CorrectAd, LetIn, Sparse};

/// A gradient as a function of the variable.
pub struct Dense<V, D>(Shared<Function<V, D>>);

enum Function<V, D> {
    Zero,
    Delta(V),
    Table(Sparse<V, D>),
    Sum(Dense<V, D>, Dense<V, D>),
    Scaled(D, Dense<V, D>),
    /// The function, but zero at this variable.
    Without(V, Dense<V, D>),
}

impl<V, D> Dense<V, D> {
    /// The function that looks a variable up in a map.
    pub fn table(map: Sparse<V, D>) -> Self {
        Dense::new(Function::Table(map))
    }

    fn new(function: Function<V, D>) -> Self {
        Dense(Shared::new(function))
    }
}

impl<V: Ord, D: Scalar> Dense<V, D> {
    /// The value at a variable.
    pub fn at(&self, v: &V) -> D {
        run(&order(&self.0), v)
    }

    /// The values at all variables, in order.
    pub fn values(&self) -> Vec<D>
    where
        V: Finite,
    {
        let steps = order(&self.0);
        V::all().map(|v| run(&steps, &v)).collect()
    }

    /// The function with these values.
    pub fn tabulate(f: impl Fn(&V) -> D) -> Self
    where
        V: Finite,
    {
        Dense::table(V::all().fold(Sparse::zero(), |map, v| map.insert(&f(&v), &v)))
    }
}

fn run<V: Ord, D: Scalar>(steps: &[Step<'_, Function<V, D>>], v: &V) -> D {
    let mut values: Vec<D> = Vec::with_capacity(steps.len());
    for step in steps {
        let [first, second] = step.parts;
        let value = match step.node {
            Function::Zero => D::zero(),
            Function::Delta(w) if v == w => D::one(),
            Function::Delta(_) => D::zero(),
            Function::Table(map) => map.get(v),
            Function::Sum(..) => values[first].add(&values[second]),
            Function::Scaled(d, _) => values[first].scale(d),
            Function::Without(w, _) if v == w => D::zero(),
            Function::Without(..) => values[first].clone(),
        };
        values.push(value);
    }
    values.pop().unwrap_or_else(D::zero)
}

impl<V, D> Clone for Dense<V, D> {
    fn clone(&self) -> Self {
        Dense(self.0.clone())
    }
}

impl<V: Finite, D: Scalar + PartialEq> PartialEq for Dense<V, D> {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}

impl<V: Finite + Debug, D: Scalar + Debug> Debug for Dense<V, D> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(V::all().zip(self.values())).finish()
    }
}

impl<V, D> Monoid for Dense<V, D> {
    fn zero() -> Self {
        Dense::new(Function::Zero)
    }
    fn add(&self, other: &Self) -> Self {
        match (self.0.get(), other.0.get()) {
            (Function::Zero, _) => other.clone(),
            (_, Function::Zero) => self.clone(),
            _ => Dense::new(Function::Sum(self.clone(), other.clone())),
        }
    }
}

impl<V, D: Scalar> Module<D> for Dense<V, D> {
    fn scale(&self, factor: &D) -> Self {
        match self.0.get() {
            Function::Zero => self.clone(),
            _ => Dense::new(Function::Scaled(factor.clone(), self.clone())),
        }
    }
}

impl<V: Clone, D: Scalar> Kronecker<V, D> for Dense<V, D> {
    fn delta(v: &V) -> Self {
        Dense::new(Function::Delta(v.clone()))
    }
}

impl<V: Clone, D: Scalar> CorrectAd<V, D> for Dense<V, D> {
    fn rep(dense: &Dense<V, D>) -> Self {
        dense.clone()
    }
    fn abs(&self) -> Dense<V, D> {
        self.clone()
    }
}

impl<V: Ord + Clone, D: Scalar> LetIn<V, D> for Dense<V, D> {
    fn let_in(v: &V, bound: &Self, body: &Self) -> Self {
        bound.scale(&body.at(v)).add(&Dense::new(Function::Without(v.clone(), body.clone())))
    }
}

impl<V, D> Node for Function<V, D> {
    fn parts(&self) -> [Option<&Shared<Self>>; 2] {
        match self {
            Function::Zero | Function::Delta(_) | Function::Table(_) => [None, None],
            Function::Sum(f, g) => [Some(&f.0), Some(&g.0)],
            Function::Scaled(_, f) | Function::Without(_, f) => [Some(&f.0), None],
        }
    }

    fn release(&mut self) -> [Option<Shared<Self>>; 2] {
        match mem::replace(self, Function::Zero) {
            Function::Zero | Function::Delta(_) | Function::Table(_) => [None, None],
            Function::Sum(f, g) => [Some(f.0), Some(g.0)],
            Function::Scaled(_, f) | Function::Without(_, f) => [Some(f.0), None],
        }
    }
}
