//! Symbolic linear maps: the terms of [`riesz_linear`] with the values of the point left as expressions.
//!
//! `D y = scale (cos x) ∘ D x` holds at every point `x`. A term maps the tangents of the function's arguments to the tangent of
//! what it is the derivative of; `D x` stands for the derivative of a variable. Coefficients are expressions over the variables of
//! the function, so a term is as large as the program and not as large as its data.

pub(crate) use super::expr::{Expr, Head, Label, Operation, size_of};

use riesz_core::Type;
use riesz_core::term::{FunctionId, Var};

/// A linear map between two spaces, over the values of the point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// Where it maps from.
    pub from: Type,
    /// Where it maps to.
    pub to: Type,
    pub form: Form,
}

/// How a linear map is made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// `0`
    Zero,
    /// `1`
    Identity,
    /// `D x`: the derivative of a variable, which the linear program binds.
    Derivative(Var),
    /// `S(k)`
    Scale(Expr),
    /// The product with a value, number by number.
    Diagonal(Expr),
    /// `c · (u ⊗ v)`; a side that is absent is the number 1.
    RankOne { coefficient: Expr, left: Option<Expr>, right: Option<Expr> },
    /// A function that is linear in the arguments that are absent.
    Function(Operation, Vec<Option<Expr>>),
    /// `Σ : [n]V ⊸ V`
    Sum,
    /// An element of an array.
    Element(Expr),
    /// A component of a tuple or record, or an argument of the function.
    Component(usize, Label),
    /// The array that is zero but for one element.
    InjectElement(Expr),
    /// The tuple that is zero but for one component.
    InjectComponent(usize, Label),
    /// `f ∘ g`, the last applied first.
    Compose(Vec<Term>),
    /// `f ⊕ g`
    Add(Vec<Term>),
    /// `f × g`
    Fork(Vec<Term>),
    /// `V [f, g]`
    ForkArray(Vec<Term>),
    /// `f ⋈ g`
    Join(Vec<Term>),
    /// `H [f, g]`
    JoinArray(Vec<Term>),
    /// `B(n, λi. f)`, or one array for each component.
    Build { index: Var, count: Expr, parts: bool, body: Box<Term> },
    /// `B'(n, λi. f)`
    Gather { index: Var, count: Expr, body: Box<Term> },
    /// `Σᵢ f`
    Total { index: Var, count: Expr, body: Box<Term> },
    /// A linear recurrence: the state is a map from the same space.
    Loop { kind: Loop, state: Var, start: Box<Term>, index: Var, count: Expr, body: Box<Term> },
    /// One of two maps.
    If { condition: Expr, yes: Box<Term>, no: Box<Term> },
    /// The derivative of another function at a point, in the arguments that `mask` marks.
    Call { called: FunctionId, mask: Vec<bool>, arguments: Vec<Expr> },
    /// Maps that are used more than once.
    Let(Vec<Item>, Box<Term>),
    /// The adjoint of a map that has no shorter notation.
    Transposed(Box<Term>),
}

/// What is bound before a map.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// `D x = m`
    Map(Var, Term),
    /// `i = e`
    Value(Var, Expr),
}

/// What a loop gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    /// The last state.
    Last,
    /// All states.
    Scan,
    /// The last state, and what is kept of each turn.
    Trace,
}

impl Term {
    pub fn new(from: Type, to: Type, form: Form) -> Term {
        Term { from, to, form }
    }

    pub fn zero(from: &Type, to: &Type) -> Term {
        Term::new(from.clone(), to.clone(), Form::Zero)
    }

    pub fn identity(space: &Type) -> Term {
        Term::new(space.clone(), space.clone(), Form::Identity)
    }

    pub fn scale(k: Expr, space: &Type) -> Term {
        Term::new(space.clone(), space.clone(), Form::Scale(k))
    }

    /// The chain of some maps, the last applied first, with chains among them opened; `space` is that of a chain of none.
    pub fn compose(maps: Vec<Term>, space: &Type) -> Term {
        let mut factors = Vec::with_capacity(maps.len());
        for map in maps {
            match map.form {
                Form::Compose(inner) => factors.extend(inner),
                _ => factors.push(map),
            }
        }
        match (factors.first(), factors.last()) {
            (Some(_), Some(_)) if factors.len() == 1 => factors.swap_remove(0),
            (Some(first), Some(last)) => Term::new(last.from.clone(), first.to.clone(), Form::Compose(factors)),
            _ => Term::identity(space),
        }
    }

    /// `self ∘ inner`
    pub fn after(self, inner: Term) -> Term {
        let space = inner.from.clone();
        Term::compose(vec![self, inner], &space)
    }

    /// The sum of some maps, with sums among them opened.
    pub fn sum(maps: Vec<Term>, from: &Type, to: &Type) -> Term {
        let mut terms = Vec::with_capacity(maps.len());
        for map in maps {
            match map.form {
                Form::Add(inner) => terms.extend(inner),
                _ => terms.push(map),
            }
        }
        match terms.len() {
            0 => Term::zero(from, to),
            1 => terms.swap_remove(0),
            _ => Term::new(from.clone(), to.clone(), Form::Add(terms)),
        }
    }

    /// The factors of a chain.
    pub fn factors(&self) -> Vec<Term> {
        match &self.form {
            Form::Compose(maps) => maps.clone(),
            _ => vec![self.clone()],
        }
    }

    /// Rebuilds the children of a map.
    pub fn map_children(self, f: &mut dyn FnMut(Term) -> Term) -> Term {
        let Term { from, to, form } = self;
        let all = |maps: Vec<Term>, f: &mut dyn FnMut(Term) -> Term| maps.into_iter().map(f).collect::<Vec<_>>();
        let mut one = |map: Box<Term>| Box::new(f(*map));
        let form = match form {
            Form::Compose(maps) => Form::Compose(all(maps, f)),
            Form::Add(maps) => Form::Add(all(maps, f)),
            Form::Fork(maps) => Form::Fork(all(maps, f)),
            Form::ForkArray(maps) => Form::ForkArray(all(maps, f)),
            Form::Join(maps) => Form::Join(all(maps, f)),
            Form::JoinArray(maps) => Form::JoinArray(all(maps, f)),
            Form::Build { index, count, parts, body } => Form::Build { index, count, parts, body: one(body) },
            Form::Gather { index, count, body } => Form::Gather { index, count, body: one(body) },
            Form::Total { index, count, body } => Form::Total { index, count, body: one(body) },
            Form::Loop { kind, state, start, index, count, body } => {
                let start = one(start);
                Form::Loop { kind, state, start, index, count, body: one(body) }
            }
            Form::If { condition, yes, no } => {
                let yes = one(yes);
                Form::If { condition, yes, no: one(no) }
            }
            Form::Let(items, result) => {
                let items = items.into_iter().map(|item| match item {
                    Item::Map(var, map) => Item::Map(var, f(map)),
                    item => item,
                });
                let items = items.collect();
                Form::Let(items, Box::new(f(*result)))
            }
            Form::Transposed(map) => Form::Transposed(one(map)),
            form => form,
        };
        Term { from, to, form }
    }

    /// Calls `f` on the children of a map.
    pub fn visit_children<'t>(&'t self, f: &mut dyn FnMut(&'t Term)) {
        match &self.form {
            Form::Compose(maps)
            | Form::Add(maps)
            | Form::Fork(maps)
            | Form::ForkArray(maps)
            | Form::Join(maps)
            | Form::JoinArray(maps) => maps.iter().for_each(f),
            Form::Build { body, .. } | Form::Gather { body, .. } | Form::Total { body, .. } => f(body),
            Form::Loop { start, body, .. } => {
                f(start);
                f(body);
            }
            Form::If { yes, no, .. } => {
                f(yes);
                f(no);
            }
            Form::Let(items, result) => {
                for item in items {
                    if let Item::Map(_, map) = item {
                        f(map);
                    }
                }
                f(result);
            }
            Form::Transposed(map) => f(map),
            _ => {}
        }
    }

    /// Rebuilds the expressions of a map and of its children.
    pub fn map_exprs(self, f: &dyn Fn(&Expr) -> Expr) -> Term {
        let mut term = self.map_children(&mut |child| child.map_exprs(f));
        match &mut term.form {
            Form::Scale(k) | Form::Diagonal(k) | Form::Element(k) | Form::InjectElement(k) => *k = f(k),
            Form::RankOne { coefficient, left, right } => {
                *coefficient = f(coefficient);
                for side in [left, right].into_iter().flatten() {
                    *side = f(side);
                }
            }
            Form::Function(_, arguments) => {
                arguments.iter_mut().flatten().for_each(|argument| *argument = f(argument));
            }
            Form::Build { count, .. }
            | Form::Gather { count, .. }
            | Form::Total { count, .. }
            | Form::Loop { count, .. } => *count = f(count),
            Form::If { condition, .. } => *condition = f(condition),
            Form::Call { arguments, .. } => arguments.iter_mut().for_each(|argument| *argument = f(argument)),
            Form::Let(items, _) => {
                for item in items {
                    if let Item::Value(_, value) = item {
                        *value = f(value);
                    }
                }
            }
            _ => {}
        }
        term
    }

    /// Calls `f` on every expression of a map and of its children.
    pub fn visit_exprs(&self, f: &mut dyn FnMut(&Expr)) {
        match &self.form {
            Form::Scale(k) | Form::Diagonal(k) | Form::Element(k) | Form::InjectElement(k) => f(k),
            Form::RankOne { coefficient, left, right } => {
                f(coefficient);
                [left, right].into_iter().flatten().for_each(&mut *f);
            }
            Form::Function(_, arguments) => arguments.iter().flatten().for_each(&mut *f),
            Form::Build { count, .. }
            | Form::Gather { count, .. }
            | Form::Total { count, .. }
            | Form::Loop { count, .. } => f(count),
            Form::If { condition, .. } => f(condition),
            Form::Call { arguments, .. } => arguments.iter().for_each(&mut *f),
            Form::Let(items, _) => {
                for item in items {
                    if let Item::Value(_, value) = item {
                        f(value);
                    }
                }
            }
            _ => {}
        }
        self.visit_children(&mut |child| child.visit_exprs(f));
    }

    /// Calls `f` on every derivative that a map refers to.
    pub fn visit_derivatives(&self, f: &mut dyn FnMut(Var)) {
        if let Form::Derivative(var) = &self.form {
            f(*var);
        }
        self.visit_children(&mut |child| child.visit_derivatives(f));
    }

    /// The map with another in place of a derivative.
    pub fn substitute(self, var: Var, map: &Term) -> Term {
        match &self.form {
            Form::Derivative(found) if *found == var => map.clone(),
            // Chains and sums stay open.
            Form::Compose(_) => {
                let space = self.from.clone();
                let Form::Compose(maps) = self.form else { unreachable!("a chain") };
                Term::compose(maps.into_iter().map(|child| child.substitute(var, map)).collect(), &space)
            }
            Form::Add(_) => {
                let Term { from, to, form: Form::Add(maps) } = self else { unreachable!("a sum") };
                Term::sum(maps.into_iter().map(|child| child.substitute(var, map)).collect(), &from, &to)
            }
            _ => self.map_children(&mut |child| child.substitute(var, map)),
        }
    }

    /// How much there is to read.
    pub fn weight(&self) -> usize {
        let mut total = 1;
        match &self.form {
            Form::Scale(k) | Form::Diagonal(k) | Form::Element(k) => total += k.weight(),
            Form::RankOne { coefficient, left, right } => {
                total += coefficient.weight();
                total += [left, right].into_iter().flatten().map(Expr::weight).sum::<usize>();
            }
            _ => {}
        }
        self.visit_children(&mut |child| total += child.weight());
        total
    }
}
