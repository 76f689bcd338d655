//! Derivatives that a program states: `fun f(x) = value derivative m`, and `fun f(x) = value implicit g`.
//!
//! ```text
//!   y = f x = value x         dy = m dx                                  derivative m
//!   y = f x,  g x y = 0       dy = −(∂g/∂y)⁻¹ (∂g/∂x) dx                 implicit g
//! ```
//!
//! Such a function is several functions of the core with the same parameters, see [`Ruled`]. All of them are drafted here from
//! the one item. In each, the values that do not vary in the derivative are held.

use super::arithmetic::Typed;
use super::call::CallArgument;
use super::draft::Draft;
use super::expr;
use super::{Checker, ItemId};
use crate::size::Size;
use crate::term::{Atom, Derive, FunctionId, Op, Ruled};
use crate::types::Type;
use riesz_primitive::scalar;
use riesz_syntax::tree::{ItemKind, Name, Rule, RuleKind};
use riesz_syntax::{Diagnostic, Span};
use std::sync::Arc;

/// Which of the functions of an item a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemFunction {
    /// The function that programs call.
    Whole,
    /// `x ↦ value x`
    Value,
    /// `x ↦ m`, or `(x, y) ↦ g x y`
    Rule,
    /// [`Ruled::tangent`]
    Tangent,
    /// [`Ruled::single`]
    Single,
}

impl ItemFunction {
    /// The others behind the whole, in the order of their items.
    pub(super) const BEHIND: [ItemFunction; 4] =
        [ItemFunction::Value, ItemFunction::Rule, ItemFunction::Tangent, ItemFunction::Single];

    /// The parts that it calls.
    pub(super) fn calls(self) -> &'static [ItemFunction] {
        match self {
            ItemFunction::Whole => &[ItemFunction::Value, ItemFunction::Tangent, ItemFunction::Single],
            ItemFunction::Value | ItemFunction::Rule => &[],
            ItemFunction::Tangent => &[ItemFunction::Rule],
            ItemFunction::Single => &[ItemFunction::Value, ItemFunction::Tangent],
        }
    }
}

/// The function being drafted: its item, and what a call of another part of the same item passes on.
pub(super) struct Shared<'s> {
    pub whole: ItemId,
    pub name: Name,
    pub rule: &'s Rule,
    pub types: &'s [Type],
    pub sizes: Vec<Size>,
    pub arguments: Vec<Typed>,
    pub result: Type,
    pub span: Span,
}

impl Checker {
    /// The item of a part.
    pub(super) fn part(&self, whole: ItemId, part: ItemFunction) -> ItemId {
        let behind = ItemFunction::BEHIND.iter().position(|other| *other == part).map_or(0, |at| at + 1);
        ItemId(whole.0 + behind as u32)
    }

    /// The rule of an item, and the item that is called.
    pub(super) fn rule_of(&self, item: ItemId) -> Option<(Rule, ItemId, ItemFunction)> {
        let entry = &self.items[item.0 as usize];
        match &self.tree(entry.unit).items[entry.at].kind {
            ItemKind::Fun { rule: Some(rule), .. } => {
                let before = ItemFunction::BEHIND.iter().position(|part| *part == entry.part).map_or(0, |at| at + 1);
                Some((rule.clone(), ItemId(item.0 - before as u32), entry.part))
            }
            _ => None,
        }
    }
}

impl Draft<'_> {
    /// A call of another part of the item.
    fn call_part(&mut self, shared: &Shared, part: ItemFunction, arguments: Vec<Atom>, result: Type) -> Typed {
        let item = self.checker.part(shared.whole, part);
        self.emit_call(item, shared.types.to_vec(), shared.sizes.clone(), arguments, result, shared.span)
    }

    /// The call that programs mean.
    pub(super) fn whole_part(&mut self, shared: &Shared) -> Typed {
        let span = shared.span;
        let mut call = |part: ItemFunction| {
            let item = self.checker.part(shared.whole, part);
            let (types, sizes) = (shared.types.to_vec(), shared.sizes.clone());
            self.calls.push(super::draft::DraftCall { item, types, sizes, span });
            FunctionId(self.calls.len() as u32 - 1)
        };
        let ruled = Ruled {
            value: call(ItemFunction::Value),
            tangent: call(ItemFunction::Tangent),
            single: call(ItemFunction::Single),
        };
        let arguments = shared.arguments.iter().map(|(atom, _)| *atom).collect();
        let result = self.resolve_deep(&shared.result);
        let value = self.bind(Op::Ruled(ruled, arguments), result.clone(), span);
        self.read_sizes(value, result, span)
    }

    /// The statement of the rule: a map, or the equation at a result `y`.
    pub(super) fn rule_part(&mut self, shared: &Shared, y: Option<Typed>) -> Typed {
        let expr = shared.rule.expr;
        let place = expr::value_span(&self.tree(), expr);
        match y {
            None => {
                let ty = linear(self.domain(shared), shared.result.tangent());
                let given = CallArgument::Expr(expr);
                let (atom, found) = match self.callable(expr) {
                    Some(_) => {
                        let at = self.arguments_as_point(shared);
                        self.linear_function(&given, &ty, at, place)
                    }
                    None => self.expr(expr, Some(&ty)),
                };
                let atom = self.flow_or(atom, &found, &ty, place, |draft, mismatch| {
                    let diagnostic = draft.mismatch(mismatch, &found, &ty, place);
                    let name = &shared.name;
                    diagnostic.help(format!(
                        "the derivative of `{name}` is a linear map {}, or a function that is linear",
                        draft.show(&ty)
                    ))
                });
                (atom, ty)
            }
            Some(y) => {
                let target = self.target(&CallArgument::Expr(expr));
                let (atom, found) = self.call_target(&target, vec![y], shared.span);
                let ty = shared.result.tangent();
                let atom = self.flow_or(atom, &found, &ty, place, |draft, mismatch| {
                    let diagnostic = draft.mismatch(mismatch, &found, &ty, place);
                    diagnostic.help(
                        "`implicit` takes a function that is zero at the result and has one number for each number of the result",
                    )
                });
                (atom, ty)
            }
        }
    }

    /// `(x, y) ↦ dy`, whose derivative by `x` is the one that the rule states.
    pub(super) fn tangent_part(&mut self, shared: &Shared, y: Typed) -> Typed {
        let span = shared.span;
        let held: Vec<Typed> = shared.arguments.iter().map(|argument| self.held(argument, span)).collect();
        let atoms = |values: &[Typed]| values.iter().map(|(atom, _)| *atom).collect::<Vec<Atom>>();
        let space = shared.result.tangent();
        match shared.rule.kind {
            RuleKind::Derivative => {
                let domain = self.domain(shared);
                let map = linear(domain.clone(), space.clone());
                let (map, _) = self.call_part(shared, ItemFunction::Rule, atoms(&held), map);
                let (vector, _) = self.arguments_as_vector(shared);
                (self.bind(Op::Apply(map, vector), space.clone(), span), space)
            }
            RuleKind::Implicit => {
                // z ↦ g x z, at the arguments as they are held
                let lambda = self.lambda(y.1.clone(), space.clone(), span);
                self.open();
                let z = self.lambdas[lambda].parameter;
                self.adopt(z);
                let mut passed = atoms(&held);
                passed.push(Atom::Var(z));
                let (equation, _) = self.call_part(shared, ItemFunction::Rule, passed, space.clone());
                let body = self.close(equation);
                self.lambdas[lambda].body = Some(body);
                let equation = Type::function(y.1.clone(), space.clone());
                let equation = self.closure(lambda, equation, span);
                let mut passed = atoms(&shared.arguments);
                passed.push(y.0);
                let residual = self.call_part(shared, ItemFunction::Rule, passed, space.clone());
                let map = linear(space.clone(), space.clone());
                let map = (self.bind(Op::Derive(Derive::Derivative, vec![equation, y.0]), map.clone(), span), map);
                let (step, ty) = self.solved(map, residual, span);
                self.negated((step, ty), span)
            }
        }
    }

    /// The value, with the derivative of [`ItemFunction::Tangent`].
    pub(super) fn single_part(&mut self, shared: &Shared) -> Typed {
        let span = shared.span;
        let held: Vec<Atom> = shared.arguments.iter().map(|argument| self.held(argument, span).0).collect();
        let (value, result) = self.call_part(shared, ItemFunction::Value, held, shared.result.clone());
        let mut passed: Vec<Atom> = shared.arguments.iter().map(|(atom, _)| *atom).collect();
        passed.push(value);
        let (tangent, _) = self.call_part(shared, ItemFunction::Tangent, passed, result.tangent());
        (self.bind(Op::Graft(value, tangent), result.clone(), span), result)
    }

    /// A value that does not vary here.
    fn held(&mut self, (atom, ty): &Typed, span: Span) -> Typed {
        match self.resolve(ty) {
            // An `Int` may be a size.
            Type::Int | Type::Bool | Type::Error => (*atom, ty.clone()),
            _ => (self.bind(Op::Hold(*atom), ty.clone(), span), ty.clone()),
        }
    }

    /// The space of tangents of the arguments.
    fn domain(&self, shared: &Shared) -> Type {
        Type::tuple(shared.arguments.iter().map(|(_, ty)| self.resolve_deep(ty).tangent()).collect())
    }

    fn arguments_as_point(&mut self, shared: &Shared) -> Typed {
        match &shared.arguments[..] {
            [only] => only.clone(),
            several => {
                let ty = Type::Tuple(several.iter().map(|(_, ty)| self.resolve_deep(ty)).collect());
                let atoms = several.iter().map(|(atom, _)| *atom).collect();
                (self.bind(Op::Tuple(atoms), ty.clone(), shared.span), ty)
            }
        }
    }

    fn arguments_as_vector(&mut self, shared: &Shared) -> Typed {
        let point = self.arguments_as_point(shared);
        self.as_vector(point, shared.span)
    }

    /// A value as a vector of its tangent space, with its own numbers.
    fn as_vector(&mut self, value: Typed, span: Span) -> Typed {
        let ty = self.resolve_deep(&value.1);
        if ty.tangent() == ty {
            return value;
        }
        match ty {
            Type::Array(..) => self.each(&[value], span, |draft, mut parts| {
                let part = parts.remove(0);
                draft.as_vector(part, span)
            }),
            Type::Tuple(_) | Type::Record(_) => {
                self.each_part(value, span, |draft, part, _| draft.as_vector(part, span))
            }
            _ => (self.bind(Op::Tuple(Vec::new()), Type::unit(), span), Type::unit()),
        }
    }

    fn negated(&mut self, value: Typed, span: Span) -> Typed {
        match self.resolve(&value.1) {
            Type::Array(..) => self.each(&[value], span, |draft, mut parts| {
                let part = parts.remove(0);
                draft.negated(part, span)
            }),
            Type::Tuple(_) | Type::Record(_) => self.each_part(value, span, |draft, part, _| draft.negated(part, span)),
            Type::Real => (self.bind(Op::Scalar(&scalar::NEG, vec![value.0]), Type::Real, span), Type::Real),
            ty => (value.0, ty),
        }
    }

    /// Reports a rule whose function does not say what it gives.
    pub(super) fn rule_needs_result(name: &Name, word: Span) -> Diagnostic {
        Diagnostic::error(
            "rule-without-type",
            word,
            "a function whose derivative is stated needs the type of its result",
        )
        .help(format!("write `fun {name}(...): R = ...`, with its type"))
    }
}

/// `from -o to`
fn linear(from: Type, to: Type) -> Type {
    Type::Linear(Arc::new((from, to)))
}
