//! `evaluate var` is the only homomorphism of semirings `h` with `h (Variable v) = var v`.   [000 §2.1, §2.2]
//!
//! A part that an expression uses twice is evaluated once in each `let` scope that contains it.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

use super::{Expr, Plain, Signature, Term};
use crate::graph::NodeTable;
use crate::law::equal;
use crate::semiring::Semiring;

/// Semirings in which the functions of a signature mean something.
pub trait Interpret<F: Signature>: Semiring {
    /// A function of one argument.
    fn unary(self, function: F::Unary) -> Self;
    /// A function of two arguments.
    fn binary(self, function: F::Binary, other: Self) -> Self;
}

impl<D: Semiring> Interpret<Plain> for D {
    fn unary(self, function: <Plain as Signature>::Unary) -> D {
        match function {}
    }
    fn binary(self, function: <Plain as Signature>::Binary, _: D) -> D {
        match function {}
    }
}

/// The value of an expression where its variables have the values `var`.
pub fn evaluate<V, F, D>(var: impl Fn(&V) -> D, expression: &Expr<V, F>) -> D
where
    V: Ord,
    F: Signature,
    D: Interpret<F>,
{
    evaluate_scoped(var, |_, value| value.clone(), |_, _, value| value, expression)
}

/// Evaluation where something is done at every `let v = a in b`: `enter v a'` is what the variable stands for, and
/// `leave v a' b'` the value of the whole, for the values `a'` and `b'` of the parts.
pub fn evaluate_scoped<V, F, D>(
    var: impl Fn(&V) -> D,
    enter: impl Fn(&V, &D) -> D,
    leave: impl Fn(&V, D, D) -> D,
    expression: &Expr<V, F>,
) -> D
where
    V: Ord,
    F: Signature,
    D: Interpret<F>,
{
    enum Task<'a, V, F: Signature, D> {
        Visit(&'a Expr<V, F>),
        /// The parts of this one have values.
        Combine(&'a Term<V, F>),
        /// The value on top is that of this one, which may be met again.
        Keep(&'a Expr<V, F>),
        Bind(&'a V, &'a Expr<V, F>),
        Unbind(&'a V, D),
    }
    let mut tasks: Vec<Task<'_, V, F, D>> = Vec::from([Task::Visit(expression)]);
    let mut values: Vec<D> = Vec::new();
    let mut bound: BTreeMap<&V, Vec<D>> = BTreeMap::new();
    let mut kept: Vec<NodeTable<D>> = Vec::from([NodeTable::new()]);
    while let Some(task) = tasks.pop() {
        match task {
            Task::Visit(e) => match e.term() {
                Term::Zero => values.push(D::zero()),
                Term::One => values.push(D::one()),
                Term::Variable(v) => {
                    let inner = bound.get(v).and_then(|stack| stack.last());
                    values.push(inner.cloned().unwrap_or_else(|| var(v)));
                }
                term => {
                    if e.0.is_shared() {
                        if let Some(value) = kept.last().and_then(|scope| scope.get(&e.0)) {
                            values.push(value.clone());
                            continue;
                        }
                        tasks.push(Task::Keep(e));
                    }
                    match term {
                        Term::Zero | Term::One | Term::Variable(_) => {}
                        Term::Unary(_, a) => tasks.extend([Task::Combine(term), Task::Visit(a)]),
                        Term::Sum(a, b) | Term::Product(a, b) | Term::Binary(_, a, b) => {
                            tasks.extend([Task::Combine(term), Task::Visit(b), Task::Visit(a)]);
                        }
                        Term::Let(v, a, b) => tasks.extend([Task::Bind(v, b), Task::Visit(a)]),
                    }
                }
            },
            Task::Combine(term) => {
                let Some(last) = values.pop() else { continue };
                let value = match (term, values.pop()) {
                    (Term::Unary(function, _), below) => {
                        values.extend(below);
                        last.unary(*function)
                    }
                    (Term::Sum(..), Some(first)) => first.add(&last),
                    (Term::Product(..), Some(first)) => first.mul(&last),
                    (Term::Binary(function, ..), Some(first)) => first.binary(*function, last),
                    _ => last,
                };
                values.push(value);
            }
            Task::Keep(e) => {
                if let (Some(scope), Some(value)) = (kept.last_mut(), values.last()) {
                    scope.insert(&e.0, || value.clone());
                }
            }
            Task::Bind(v, body) => {
                let Some(value) = values.pop() else { continue };
                bound.entry(v).or_default().push(enter(v, &value));
                kept.push(NodeTable::new());
                tasks.extend([Task::Unbind(v, value), Task::Visit(body)]);
            }
            Task::Unbind(v, value) => {
                bound.get_mut(v).and_then(Vec::pop);
                kept.pop();
                if let Some(body) = values.pop() {
                    values.push(leave(v, value, body));
                }
            }
        }
    }
    values.pop().unwrap_or_else(D::zero)
}

/// Fusion: `h ∘ evaluate var = evaluate (h ∘ var)`, for a homomorphism `h`.   [000 Property 1]
///
/// # Errors
/// Where they differ, both sides.
pub fn fusion_law<V, D, T>(h: impl Fn(&D) -> T, var: impl Fn(&V) -> D, e: &Expr<V>) -> Result<(), String>
where
    V: Ord,
    D: Semiring,
    T: Semiring + PartialEq + Debug,
{
    equal("h ∘ evaluate var = evaluate (h ∘ var)", &h(&evaluate(&var, e)), &evaluate(|v| h(&var(v)), e))
}

/// Reflection: `evaluate Variable = id`, up to the laws of semirings; both sides are compared in `D`.   [000 Property 2]
///
/// # Errors
/// Where they differ, both sides.
pub fn reflection_law<V, D>(var: impl Fn(&V) -> D, e: &Expr<V>) -> Result<(), String>
where
    V: Ord + Clone,
    D: Semiring + PartialEq + Debug,
{
    let reflected: Expr<V> = evaluate(|v: &V| Expr::variable(v.clone()), e);
    equal("evaluate Variable = id", &evaluate(&var, &reflected), &evaluate(&var, e))
}
