//! Symbolic differentiation: numbers that are expressions, so that a derivative is an expression too.   [000 §2.5]
//!
//! A symbol also has the value of its expression at the point, which decides comparisons, so the expression is that of
//! the path that the program takes there. Expressions share their parts, and each part is evaluated once, in order.

use super::algebra::{Field, call};
use super::{Answer, DerivativeValue, Representation, Request};
use riesz_algebra::{Module, Monoid, Nagata, Ring, Semiring, Sparse};
use riesz_core::evaluate::{Fault, Machine};
use riesz_primitive::{Counted, MatrixFunction, Number, Primitive, scalar};
use std::cell::RefCell;

/// A gradient of expressions.
pub(super) const SYMBOLIC: Representation = Representation {
    name: "symbolic",
    summary: "an expression",
    paper: "000 §2.5",
    differentiate: Some(symbolic::<f64>),
    counted: Some(symbolic::<Counted>),
    taylor: None,
};

/// An expression, by where its last operation stands among those of this thread, and its value at the point.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    at: usize,
    value: f64,
}

/// An operation on expressions that were made before it.
enum Part {
    /// A coordinate of the point.
    Given(f64),
    Constant(f64),
    Apply(&'static Primitive, Vec<usize>),
    /// A function of matrices, and where its operands stand.
    Matrix(MatrixFunction, [usize; 2], Vec<usize>, Vec<usize>),
    /// An entry of what a function of matrices gives.
    Entry(usize, usize),
}

thread_local! {
    static PARTS: RefCell<Vec<Part>> = const { RefCell::new(Vec::new()) };
}

fn part(part: Part, value: f64) -> Symbol {
    PARTS.with_borrow_mut(|parts| {
        parts.push(part);
        Symbol { at: parts.len() - 1, value }
    })
}

impl Symbol {
    fn is(&self, number: f64) -> bool {
        PARTS.with_borrow(|parts| matches!(parts[self.at], Part::Constant(constant) if constant == number))
    }
}

fn symbolic<D: Field>(machine: &mut Machine<f64>, request: Request) -> Result<Answer, Fault> {
    let Request { closure, point, wish, span } = request;
    PARTS.with_borrow_mut(Vec::clear);
    let mut size = 0;
    let argument = point.with_coordinates(&mut |x| {
        size += 1;
        Nagata { primal: part(Part::Given(*x), *x), tangent: Sparse::unit(size - 1) }
    });
    let value = call::<Nagata<Symbol, Sparse<usize, Symbol>>>(machine, closure, argument, span)?;
    let mut gradients = Vec::new();
    value.visit_coordinates(&mut |number| gradients.push(number.tangent.clone()));
    let symbols = gradients.iter().flat_map(|gradient| gradient.entries().map(|(_, symbol)| symbol.at));
    let values = PARTS.with_borrow(|parts| evaluate::<D>(parts, symbols.collect()));
    let row = |gradient: &Sparse<usize, Symbol>| -> Vec<(usize, D)> {
        gradient.entries().filter_map(|(at, symbol)| Some((*at, values[symbol.at].first()?.clone()))).collect()
    };
    let rows = gradients.iter().map(row).collect();
    PARTS.with_borrow_mut(|parts| *parts = Vec::new());
    Ok(Answer { value: value.over(&mut |number| number.value()), found: DerivativeValue::from_rows(rows, size, wish) })
}

/// The values of some expressions, and of all that they are made of: one, or the entries of a matrix.
fn evaluate<D: Field>(parts: &[Part], wanted: Vec<usize>) -> Vec<Vec<D>> {
    let mut needed = vec![false; parts.len()];
    wanted.into_iter().for_each(|at| needed[at] = true);
    for (at, part) in parts.iter().enumerate().rev() {
        if needed[at] {
            match part {
                Part::Given(_) | Part::Constant(_) => {}
                Part::Apply(_, operands) => operands.iter().for_each(|operand| needed[*operand] = true),
                Part::Matrix(_, _, a, b) => a.iter().chain(b).for_each(|operand| needed[*operand] = true),
                Part::Entry(matrix, _) => needed[*matrix] = true,
            }
        }
    }
    let mut values: Vec<Vec<D>> = Vec::with_capacity(parts.len());
    for (part, needed) in parts.iter().zip(needed) {
        let all = |operands: &[usize]| operands.iter().map(|at| values[*at][0].clone()).collect::<Vec<D>>();
        let value = match part {
            _ if !needed => Vec::new(),
            Part::Given(number) | Part::Constant(number) => vec![D::constant(*number)],
            Part::Apply(primitive, operands) => vec![D::apply(primitive, &all(operands))],
            Part::Matrix(function, [n, columns], a, b) => D::matrix(*function, *n, *columns, &all(a), &all(b)),
            Part::Entry(matrix, at) => vec![values[*matrix][*at].clone()],
        };
        values.push(value);
    }
    values
}

impl Monoid for Symbol {
    fn zero() -> Symbol {
        Symbol::constant(0.0)
    }

    fn add(&self, other: &Symbol) -> Symbol {
        if self.is(0.0) {
            return *other;
        }
        if other.is(0.0) {
            return *self;
        }
        Symbol::apply(&scalar::ADD, &[*self, *other])
    }
}

impl Semiring for Symbol {
    fn one() -> Symbol {
        Symbol::constant(1.0)
    }

    fn mul(&self, other: &Symbol) -> Symbol {
        if self.is(1.0) {
            return *other;
        }
        if other.is(1.0) {
            return *self;
        }
        Symbol::apply(&scalar::MUL, &[*self, *other])
    }
}

impl Ring for Symbol {
    fn neg(&self) -> Symbol {
        Symbol::apply(&scalar::NEG, &[*self])
    }

    fn sub(&self, other: &Symbol) -> Symbol {
        Symbol::apply(&scalar::SUB, &[*self, *other])
    }
}

/// Multiples of derivatives, in which zeros are exact.
impl Module<Symbol> for Symbol {
    fn scale(&self, factor: &Symbol) -> Symbol {
        if self.is(0.0) || factor.is(1.0) {
            return *self;
        }
        if factor.is(0.0) || self.is(1.0) {
            return *factor;
        }
        Symbol::apply(&scalar::EXACT_MUL, &[*factor, *self])
    }
}

impl Number for Symbol {
    const ORDER: Option<usize> = Some(0);

    fn constant(x: f64) -> Symbol {
        part(Part::Constant(x), x)
    }

    fn value(&self) -> f64 {
        self.value
    }

    fn apply(primitive: &'static Primitive, arguments: &[Symbol]) -> Symbol {
        let values: Vec<f64> = arguments.iter().map(|argument| argument.value).collect();
        let operands = arguments.iter().map(|argument| argument.at).collect();
        part(Part::Apply(primitive, operands), f64::apply(primitive, &values))
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Symbol], b: &[Symbol]) -> Vec<Symbol> {
        let values = |symbols: &[Symbol]| symbols.iter().map(|symbol| symbol.value).collect::<Vec<f64>>();
        let places = |symbols: &[Symbol]| symbols.iter().map(|symbol| symbol.at).collect::<Vec<usize>>();
        let entries = f64::matrix(function, n, columns, &values(a), &values(b));
        let matrix = part(Part::Matrix(function, [n, columns], places(a), places(b)), f64::NAN);
        entries.into_iter().enumerate().map(|(at, entry)| part(Part::Entry(matrix.at, at), entry)).collect()
    }
}
