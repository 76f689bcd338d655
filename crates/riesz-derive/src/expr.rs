//! Expressions over the values at the point: the coefficients of symbolic maps.

use riesz_core::Size;
use riesz_core::term::{Atom, Comparison, GlobalId, Reduction, Var};
use riesz_primitive::{Primitive, array, scalar};
use riesz_syntax::tree::Name;

/// The name of a component, where it has one.
pub(crate) type Label = Option<Name>;

/// A primitive that a user knows: a row for exact zeros stands for the row that it is a form of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Operation(&'static Primitive);

impl Operation {
    pub fn new(primitive: &'static Primitive) -> Operation {
        Operation(match primitive {
            exact if *exact == scalar::EXACT_MUL => &scalar::MUL,
            exact if *exact == array::EXACT_DOT => &array::DOT,
            exact if *exact == array::EXACT_SOLVE => &array::SOLVE,
            primitive => primitive,
        })
    }

    pub fn primitive(self) -> &'static Primitive {
        self.0
    }

    pub fn name(self) -> &'static str {
        self.0.name
    }
}

/// A value of the point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Atom(Atom),
    Apply(Head, Vec<Expr>),
    /// `[e | i < n]`
    Each {
        index: Var,
        count: Box<Expr>,
        element: Box<Expr>,
    },
}

/// The function that an expression applies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Head {
    Function(Operation),
    Index,
    Component(usize, Label),
    Global(GlobalId),
    Compare(Comparison),
    Same,
    Not,
    ToReal,
    Truncate,
    IsNan,
    Reduce(Reduction),
    If,
    Tuple,
    Array,
}

impl Expr {
    pub fn one() -> Expr {
        Expr::Atom(Atom::Real(1.0))
    }

    pub fn var(var: Var) -> Expr {
        Expr::Atom(Atom::Var(var))
    }

    pub fn function(primitive: &'static Primitive, arguments: Vec<Expr>) -> Expr {
        Expr::Apply(Head::Function(Operation::new(primitive)), arguments)
    }

    fn real(&self) -> Option<f64> {
        match self {
            Expr::Atom(Atom::Real(value)) => Some(*value),
            _ => None,
        }
    }

    /// `-a`, if the expression is that.
    fn negated(&self) -> Option<Expr> {
        match self {
            Expr::Atom(Atom::Real(value)) if *value < 0.0 => Some(Expr::Atom(Atom::Real(-value))),
            Expr::Apply(Head::Function(operation), arguments) if *operation.primitive() == scalar::NEG => {
                Some(arguments[0].clone())
            }
            _ => None,
        }
    }

    /// `-self`
    pub fn negative(self) -> Expr {
        match (self.negated(), self.real()) {
            (_, Some(value)) => Expr::Atom(Atom::Real(-value)),
            (Some(inner), _) => inner,
            _ => Expr::function(&scalar::NEG, vec![self]),
        }
    }

    /// `self * other`, number by number
    pub fn times(self, other: Expr) -> Expr {
        match (self.real(), other.real()) {
            (Some(a), Some(b)) => Expr::Atom(Atom::Real(a * b)),
            (Some(1.0), _) => other,
            (_, Some(1.0)) => self,
            (Some(-1.0), _) => other.negative(),
            (_, Some(-1.0)) => self.negative(),
            _ => match (self.negated(), other.negated()) {
                (Some(a), Some(b)) => a.times(b),
                (Some(a), None) => a.times(other).negative(),
                (None, Some(b)) => self.times(b).negative(),
                (None, None) => match (reciprocal(&self), reciprocal(&other)) {
                    (Some(below), None) => Expr::function(&scalar::DIV, vec![other, below]),
                    (None, Some(below)) => Expr::function(&scalar::DIV, vec![self, below]),
                    (Some(a), Some(b)) => Expr::function(&scalar::DIV, vec![Expr::one(), a.times(b)]),
                    _ => Expr::function(&scalar::MUL, vec![self, other]),
                },
            },
        }
    }

    /// `self + other`, number by number
    pub fn plus(self, other: Expr) -> Expr {
        match (self.real(), other.real()) {
            (Some(a), Some(b)) => return Expr::Atom(Atom::Real(a + b)),
            (Some(0.0), _) => return other,
            (_, Some(0.0)) => return self,
            _ => {}
        }
        match (self.negated(), other.negated()) {
            (_, Some(b)) => Expr::function(&scalar::SUB, vec![self, b]),
            (Some(a), None) => Expr::function(&scalar::SUB, vec![other, a]),
            (None, None) => Expr::function(&scalar::ADD, vec![self, other]),
        }
    }

    /// The expression with the arithmetic of known numbers done, as for real numbers.
    pub fn folded(&self) -> Expr {
        match self {
            Expr::Atom(_) => self.clone(),
            Expr::Each { index, count, element } => {
                Expr::Each { index: *index, count: count.clone(), element: Box::new(element.folded()) }
            }
            Expr::Apply(head, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(Expr::folded).collect();
                let Head::Function(operation) = head else { return Expr::Apply(head.clone(), arguments) };
                match (operation.primitive(), &arguments[..]) {
                    (row, [a, b]) if *row == scalar::MUL => a.clone().times(b.clone()),
                    (row, [a, b]) if *row == scalar::ADD => a.clone().plus(b.clone()),
                    (row, [a, b]) if *row == scalar::SUB && b.real().is_some() => a.clone().plus(b.clone().negative()),
                    (row, [a]) if *row == scalar::NEG => a.clone().negative(),
                    (row, [a, b]) if is_power(row) && b.real() == Some(1.0) => a.clone(),
                    _ => Expr::Apply(head.clone(), arguments),
                }
            }
        }
    }

    /// How much there is to read.
    pub fn weight(&self) -> usize {
        match self {
            Expr::Atom(_) => 1,
            Expr::Apply(_, arguments) => 1 + arguments.iter().map(Expr::weight).sum::<usize>(),
            Expr::Each { count, element, .. } => 1 + count.weight() + element.weight(),
        }
    }

    /// Calls `f` on every variable.
    pub fn visit(&self, f: &mut dyn FnMut(Var)) {
        match self {
            Expr::Atom(Atom::Var(var)) => f(*var),
            Expr::Atom(_) => {}
            Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| argument.visit(f)),
            Expr::Each { count, element, .. } => {
                count.visit(f);
                element.visit(f);
            }
        }
    }

    /// The expression with others in place of variables, where `f` gives one.
    pub fn replace(&self, f: &dyn Fn(Var) -> Option<Expr>) -> Expr {
        match self {
            Expr::Atom(Atom::Var(var)) => f(*var).unwrap_or_else(|| self.clone()),
            Expr::Atom(_) => self.clone(),
            Expr::Apply(head, arguments) => {
                Expr::Apply(head.clone(), arguments.iter().map(|argument| argument.replace(f)).collect())
            }
            Expr::Each { index, count, element } => {
                Expr::Each { index: *index, count: Box::new(count.replace(f)), element: Box::new(element.replace(f)) }
            }
        }
    }
}

/// Whether a row is that of `a ^ b`, for whatever exponents.
pub(crate) fn is_power(row: &Primitive) -> bool {
    *row == scalar::POW || *row == scalar::POWI
}

/// `b` of `1 / b`
fn reciprocal(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Apply(Head::Function(operation), arguments)
            if *operation.primitive() == scalar::DIV && arguments[0].real() == Some(1.0) =>
        {
            Some(arguments[1].clone())
        }
        _ => None,
    }
}

/// The size of an array that has as many elements as an expression says.
pub(crate) fn size_of(count: &Expr) -> Size {
    match count {
        Expr::Atom(Atom::Int(value)) => Size::Constant(*value),
        Expr::Atom(Atom::Var(var)) => Size::var(*var),
        _ => Size::Hole,
    }
}
