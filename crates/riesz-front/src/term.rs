//! The Riesz expressions that Rust functions become, before they are printed as text.
//!
//! They are plain trees, so that [`recognise`](crate::recognise) can look at the body of a loop. Variables are in single
//! assignment form: each name is bound once in a function.

use std::rc::Rc;

/// A name of the Riesz text.
pub(crate) type Name = Rc<str>;

/// A place in the Rust source, by its position in the table of the function's spans.
pub(crate) type PlaceId = usize;

/// An expression of Riesz.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    Name(Name),
    Real(f64),
    Int(i64),
    Bool(bool),
    /// The value of a variable that has none yet. It is never printed.
    Unset,
    Unary(&'static str, Box<Term>),
    Binary(&'static str, Box<Term>, Box<Term>),
    Call(Name, Vec<Term>),
    /// A derivative of a function by some of its parameters, at a point and, where it has one, along a tangent, which is
    /// behind the point.
    Derive {
        operator: &'static str,
        function: Name,
        by: Vec<usize>,
        arguments: Vec<Term>,
    },
    /// An element of an array of arrays.
    Index(Box<Term>, Vec<Term>),
    /// The array with the element that a path of indices leads to replaced.
    Update(Box<Term>, Vec<Term>, Box<Term>),
    /// An array and one element behind it.
    Push(Box<Term>, Box<Term>),
    Tuple(Vec<Term>),
    Field(Box<Term>, usize),
    Array(Vec<Term>),
    If(Box<Term>, Box<Block>, Box<Block>),
    /// `[body | index < count]`
    Build(Iteration),
    /// `reduction(body | index < count)`
    Reduce(&'static str, Iteration),
    Loop {
        state: Vec<Name>,
        start: Vec<Term>,
        iteration: Iteration,
    },
    While {
        state: Vec<Name>,
        start: Vec<Term>,
        condition: Box<Block>,
        body: Box<Block>,
    },
    /// Bindings, and the expression behind them.
    Scope(Box<Block>),
    /// An expression with its place.
    At(PlaceId, Box<Term>),
}

/// A body for each index below a count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Iteration {
    pub index: Name,
    pub count: Box<Term>,
    pub body: Box<Block>,
}

/// Bindings, then a result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    pub lets: Vec<Let>,
    pub result: Term,
}

/// `let names = value`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Let {
    pub names: Vec<Name>,
    pub value: Term,
    pub place: PlaceId,
}

impl Term {
    pub fn name(name: &str) -> Term {
        Term::Name(name.into())
    }

    pub fn call(function: &str, arguments: impl IntoIterator<Item = Term>) -> Term {
        Term::Call(function.into(), arguments.into_iter().collect())
    }

    pub fn binary(operator: &'static str, left: Term, right: Term) -> Term {
        match (operator, &left, &right) {
            ("+", Term::Int(0), _) => right,
            ("+" | "-", _, Term::Int(0)) => left,
            ("*", Term::Int(1), _) => right,
            ("*", _, Term::Int(1)) => left,
            ("+", Term::Int(a), Term::Int(b)) => match a.checked_add(*b) {
                Some(sum) => Term::Int(sum),
                None => Term::Binary(operator, left.into(), right.into()),
            },
            _ => Term::Binary(operator, left.into(), right.into()),
        }
    }

    pub fn not(self) -> Term {
        match self {
            Term::Bool(value) => Term::Bool(!value),
            Term::Unary("not", inner) => *inner,
            other => Term::Unary("not", other.into()),
        }
    }

    /// The truth of both, the second only if the first holds.
    pub fn and(self, other: Term) -> Term {
        match (self, other) {
            (Term::Bool(true), other) => other,
            (Term::Bool(false), _) => Term::Bool(false),
            (this, Term::Bool(true)) => this,
            (this, other) => Term::Binary("and", this.into(), other.into()),
        }
    }

    /// One term stands for itself, several for their tuple.
    pub fn tuple(mut terms: Vec<Term>) -> Term {
        if terms.len() == 1 { terms.remove(0) } else { Term::Tuple(terms) }
    }

    /// Whether it costs nothing to write it twice.
    pub fn is_atom(&self) -> bool {
        matches!(self, Term::Name(_) | Term::Real(_) | Term::Int(_) | Term::Bool(_) | Term::Unset)
    }

    /// Calls `visit` on each name that the expression reads.
    pub fn names(&self, visit: &mut dyn FnMut(&Name)) {
        self.each(&mut |term| {
            if let Term::Name(name) = term {
                visit(name);
            }
        });
    }

    /// Whether the expression reads a name.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.names(&mut |other| found |= **other == *name);
        found
    }

    /// Whether a value that is not there is a part of the expression.
    pub fn is_incomplete(&self) -> bool {
        let mut found = false;
        self.each(&mut |term| found |= *term == Term::Unset);
        found
    }

    /// Calls `visit` on the expression and all its parts.
    pub fn each(&self, visit: &mut dyn FnMut(&Term)) {
        visit(self);
        match self {
            Term::Name(_) | Term::Real(_) | Term::Int(_) | Term::Bool(_) | Term::Unset => {}
            Term::Unary(_, inner) | Term::Field(inner, _) | Term::At(_, inner) => inner.each(visit),
            Term::Binary(_, left, right) | Term::Push(left, right) => {
                left.each(visit);
                right.each(visit);
            }
            Term::Call(_, parts) | Term::Tuple(parts) | Term::Array(parts) | Term::Derive { arguments: parts, .. } => {
                parts.iter().for_each(|part| part.each(visit));
            }
            Term::Index(array, path) => {
                array.each(visit);
                path.iter().for_each(|part| part.each(visit));
            }
            Term::Update(array, path, value) => {
                array.each(visit);
                path.iter().for_each(|part| part.each(visit));
                value.each(visit);
            }
            Term::If(condition, yes, no) => {
                condition.each(visit);
                yes.each(visit);
                no.each(visit);
            }
            Term::Build(iteration) | Term::Reduce(_, iteration) => iteration.each(visit),
            Term::Loop { start, iteration, .. } => {
                start.iter().for_each(|part| part.each(visit));
                iteration.each(visit);
            }
            Term::While { start, condition, body, .. } => {
                start.iter().for_each(|part| part.each(visit));
                condition.each(visit);
                body.each(visit);
            }
            Term::Scope(block) => block.each(visit),
        }
    }

    /// Calls `change` on the expression and then, unless it says that it is done, on all its parts.
    pub fn each_mut(&mut self, change: &mut dyn FnMut(&mut Term) -> bool) {
        if change(self) {
            return;
        }
        match self {
            Term::Name(_) | Term::Real(_) | Term::Int(_) | Term::Bool(_) | Term::Unset => {}
            Term::Unary(_, inner) | Term::Field(inner, _) | Term::At(_, inner) => inner.each_mut(change),
            Term::Binary(_, left, right) | Term::Push(left, right) => {
                left.each_mut(change);
                right.each_mut(change);
            }
            Term::Call(_, parts) | Term::Tuple(parts) | Term::Array(parts) | Term::Derive { arguments: parts, .. } => {
                parts.iter_mut().for_each(|part| part.each_mut(change));
            }
            Term::Index(array, path) => {
                array.each_mut(change);
                path.iter_mut().for_each(|part| part.each_mut(change));
            }
            Term::Update(array, path, value) => {
                array.each_mut(change);
                path.iter_mut().for_each(|part| part.each_mut(change));
                value.each_mut(change);
            }
            Term::If(condition, yes, no) => {
                condition.each_mut(change);
                yes.each_mut(change);
                no.each_mut(change);
            }
            Term::Build(iteration) | Term::Reduce(_, iteration) => iteration.each_mut(change),
            Term::Loop { start, iteration, .. } => {
                start.iter_mut().for_each(|part| part.each_mut(change));
                iteration.each_mut(change);
            }
            Term::While { start, condition, body, .. } => {
                start.iter_mut().for_each(|part| part.each_mut(change));
                condition.each_mut(change);
                body.each_mut(change);
            }
            Term::Scope(block) => block.each_mut(change),
        }
    }
}

impl Iteration {
    fn each(&self, visit: &mut dyn FnMut(&Term)) {
        self.count.each(visit);
        self.body.each(visit);
    }

    fn each_mut(&mut self, change: &mut dyn FnMut(&mut Term) -> bool) {
        self.count.each_mut(change);
        self.body.each_mut(change);
    }
}

impl Block {
    /// Calls `visit` on every expression in the block.
    pub fn each(&self, visit: &mut dyn FnMut(&Term)) {
        self.lets.iter().for_each(|binding| binding.value.each(visit));
        self.result.each(visit);
    }

    pub fn each_mut(&mut self, change: &mut dyn FnMut(&mut Term) -> bool) {
        self.lets.iter_mut().for_each(|binding| binding.value.each_mut(change));
        self.result.each_mut(change);
    }

    /// Whether an expression in the block reads a name.
    pub fn mentions(&self, name: &str) -> bool {
        self.lets.iter().any(|binding| binding.value.mentions(name)) || self.result.mentions(name)
    }
}
