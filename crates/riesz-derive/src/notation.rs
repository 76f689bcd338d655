//! Expressions as text, in the notation of the language.

use super::expr::{Operation, is_power};
use riesz_core::Comparison;
use riesz_core::evaluate::show_real;
use riesz_core::term::{Atom, Reduction};
use riesz_primitive::scalar;

/// A text and how tightly its outermost operator binds.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    level: u8,
    pub text: String,
}

pub(crate) const LOOSEST: u8 = 0;
pub(crate) const BRANCH: u8 = 1;
const COMPARISON: u8 = 2;
pub(crate) const SUM: u8 = 3;
pub(crate) const PRODUCT: u8 = 4;
const NEGATIVE: u8 = 5;
const POWER: u8 = 6;
pub(crate) const ATOM: u8 = 7;

impl Written {
    pub fn new(level: u8, text: String) -> Written {
        Written { level, text }
    }

    pub fn atom(text: impl Into<String>) -> Written {
        Written::new(ATOM, text.into())
    }

    /// The text where something that binds at least as tightly is expected.
    pub fn at(&self, least: u8) -> String {
        if self.level < least { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// A constant; none for a variable.
pub(crate) fn constant(atom: Atom) -> Option<Written> {
    match atom {
        Atom::Var(_) => None,
        Atom::Int(value) => Some(Written::new(if value < 0 { NEGATIVE } else { ATOM }, value.to_string())),
        Atom::Real(value) => {
            let negative = value.is_sign_negative() && !value.is_nan();
            Some(Written::new(if negative { NEGATIVE } else { ATOM }, show_real(value)))
        }
        Atom::Bool(value) => Some(Written::atom(value.to_string())),
    }
}

/// A function or operator of the table, applied.
pub(crate) fn operation(operation: Operation, arguments: &[Written]) -> Written {
    match (operation.primitive(), arguments) {
        (row, [a, b]) if *row == scalar::ADD => Written::new(SUM, format!("{} + {}", a.at(SUM), b.at(PRODUCT))),
        (row, [a, b]) if *row == scalar::SUB => Written::new(SUM, format!("{} - {}", a.at(SUM), b.at(PRODUCT))),
        (row, [a, b]) if *row == scalar::MUL => {
            Written::new(PRODUCT, format!("{} * {}", a.at(PRODUCT), b.at(NEGATIVE)))
        }
        (row, [a, b]) if *row == scalar::DIV => {
            Written::new(PRODUCT, format!("{} / {}", a.at(PRODUCT), b.at(NEGATIVE)))
        }
        (row, [a, b]) if is_power(row) => Written::new(POWER, format!("{}^{}", a.at(ATOM), b.at(POWER))),
        (row, [a]) if *row == scalar::NEG => Written::new(NEGATIVE, format!("-{}", a.at(NEGATIVE))),
        (row, arguments) => applied(row.name, arguments),
    }
}

/// `name(a, b)`
pub(crate) fn applied(name: &str, arguments: &[Written]) -> Written {
    Written::atom(format!("{name}({})", list(arguments)))
}

/// Expressions with commas between them.
pub(crate) fn list(exprs: &[Written]) -> String {
    exprs.iter().map(|expr| expr.text.as_str()).collect::<Vec<_>>().join(", ")
}

pub(crate) fn tuple(parts: &[Written]) -> Written {
    match parts {
        [one] => one.clone(),
        _ => Written::atom(format!("({})", list(parts))),
    }
}

pub(crate) fn array(elements: &[Written]) -> Written {
    Written::atom(format!("[{}]", list(elements)))
}

/// `[element | index < count]`
pub(crate) fn each(element: &Written, index: &str, count: &Written) -> Written {
    Written::atom(format!("[{} | {index} < {}]", element.text, count.at(SUM)))
}

/// `sum(element | index < count)`
pub(crate) fn reduced(reduction: Reduction, element: &Written, index: &str, count: &Written) -> Written {
    Written::atom(format!("{}({} | {index} < {})", reduction.name(), element.text, count.at(SUM)))
}

pub(crate) fn element(array: &Written, index: &Written) -> Written {
    Written::atom(format!("{}[{}]", array.at(ATOM), index.text))
}

pub(crate) fn component(tuple: &Written, label: &str) -> Written {
    Written::atom(format!("{}.{label}", tuple.at(ATOM)))
}

pub(crate) fn comparison(comparison: Comparison, a: &Written, b: &Written) -> Written {
    let sign = comparison.sign();
    Written::new(COMPARISON, format!("{} {sign} {}", a.at(SUM), b.at(SUM)))
}

pub(crate) fn same(a: &Written, b: &Written) -> Written {
    Written::new(COMPARISON, format!("{} == {}", a.at(SUM), b.at(SUM)))
}

pub(crate) fn not(a: &Written) -> Written {
    Written::new(COMPARISON, format!("not {}", a.at(SUM)))
}

pub(crate) fn branches(condition: &Written, yes: &Written, no: &Written) -> Written {
    Written::new(LOOSEST, format!("if {} then {} else {}", condition.text, yes.at(BRANCH), no.text))
}
