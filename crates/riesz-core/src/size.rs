//! Sizes of arrays: polynomials with integer coefficients over the `Int`s in scope.
//!
//! `[2 * n + 1]R` has the size `2·n + 1`. A size is in normal form (monomials sorted, no zero coefficients), so that
//! two sizes that are equal for every value of their atoms are equal as data.

use crate::term::{GlobalId, Var};
use std::sync::Arc;

/// An atom of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// An `Int` variable of the function.
    Var(Var),
    /// A top-level `let` that is an `Int`.
    Global(GlobalId),
    /// A size parameter of a signature, by position.
    Parameter(u32),
    /// A size that inference has yet to find; none remains in a finished program.
    Unknown(u32),
}

/// The size of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// A number.
    Constant(i64),
    /// A single atom.
    Atom(Atom),
    /// Anything larger, in normal form.
    Polynomial(Arc<[Monomial]>),
    /// `_`: whatever it is; read off the value where it is needed.
    Hole,
}

/// `coefficient · product of factors`
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Monomial {
    factors: Vec<Atom>,
    coefficient: i64,
}

impl Monomial {
    /// The number in front; never zero.
    pub fn coefficient(&self) -> i64 {
        self.coefficient
    }

    /// Its factors, sorted.
    pub fn factors(&self) -> &[Atom] {
        &self.factors
    }
}

impl Size {
    /// The size that is a variable.
    pub fn var(var: Var) -> Size {
        Size::Atom(Atom::Var(var))
    }

    /// The monomials; empty for `_` and for zero.
    pub fn monomials(&self) -> Vec<Monomial> {
        match self {
            Size::Constant(0) | Size::Hole => Vec::new(),
            Size::Constant(coefficient) => vec![Monomial { factors: Vec::new(), coefficient: *coefficient }],
            Size::Atom(atom) => vec![Monomial { factors: vec![*atom], coefficient: 1 }],
            Size::Polynomial(monomials) => monomials.to_vec(),
        }
    }

    /// `self + other`; none when a coefficient leaves the integers of 64 bits, or there are too many monomials.
    pub fn add(&self, other: &Size) -> Option<Size> {
        match (self, other) {
            (Size::Hole, _) | (_, Size::Hole) => Some(Size::Hole),
            (Size::Constant(a), Size::Constant(b)) => a.checked_add(*b).map(Size::Constant),
            (Size::Constant(0), size) | (size, Size::Constant(0)) => Some(size.clone()),
            _ => normal(self.monomials().into_iter().chain(other.monomials()).collect()),
        }
    }

    /// `self − other`
    pub fn sub(&self, other: &Size) -> Option<Size> {
        self.add(&other.mul(&Size::Constant(-1))?)
    }

    /// `self · other`
    pub fn mul(&self, other: &Size) -> Option<Size> {
        match (self, other) {
            (Size::Hole, _) | (_, Size::Hole) => Some(Size::Hole),
            (Size::Constant(a), Size::Constant(b)) => a.checked_mul(*b).map(Size::Constant),
            (Size::Constant(1), size) | (size, Size::Constant(1)) => Some(size.clone()),
            _ => {
                let (left, right) = (self.monomials(), other.monomials());
                let mut products = Vec::with_capacity(left.len() * right.len());
                for a in &left {
                    for b in &right {
                        let mut factors = [a.factors(), b.factors()].concat();
                        factors.sort_unstable();
                        products.push(Monomial { factors, coefficient: a.coefficient.checked_mul(b.coefficient)? });
                    }
                }
                normal(products)
            }
        }
    }

    /// Every atom, with repetitions.
    pub fn atoms(&self) -> Vec<Atom> {
        match self {
            Size::Constant(_) | Size::Hole => Vec::new(),
            Size::Atom(atom) => vec![*atom],
            Size::Polynomial(monomials) => monomials.iter().flat_map(|m| m.factors.iter().copied()).collect(),
        }
    }

    /// Puts a size in place of each atom; `_` where a replacement is `_` or a coefficient overflows.
    pub fn replace(&self, replacement: &mut dyn FnMut(Atom) -> Size) -> Size {
        match self {
            Size::Constant(_) | Size::Hole => self.clone(),
            Size::Atom(atom) => replacement(*atom),
            Size::Polynomial(monomials) => {
                let mut total = Size::Constant(0);
                for monomial in monomials.iter() {
                    let mut product = Size::Constant(monomial.coefficient);
                    for &factor in &monomial.factors {
                        product = product.mul(&replacement(factor)).unwrap_or(Size::Hole);
                    }
                    total = total.add(&product).unwrap_or(Size::Hole);
                }
                total
            }
        }
    }

    /// The value, given the value of each atom; none on overflow or for `_`.
    pub fn evaluate(&self, value: &mut dyn FnMut(Atom) -> Option<i64>) -> Option<i64> {
        match self {
            Size::Constant(constant) => Some(*constant),
            Size::Atom(atom) => value(*atom),
            Size::Polynomial(monomials) => monomials.iter().try_fold(0i64, |total, monomial| {
                let product = monomial
                    .factors
                    .iter()
                    .try_fold(monomial.coefficient, |product, &factor| product.checked_mul(value(factor)?))?;
                total.checked_add(product)
            }),
            Size::Hole => None,
        }
    }

    /// The size as a user would write it.
    pub fn show(&self, name: &dyn Fn(Atom) -> String) -> String {
        match self {
            Size::Hole => "_".into(),
            Size::Constant(constant) => constant.to_string(),
            Size::Atom(atom) => name(*atom),
            Size::Polynomial(monomials) => {
                let mut text = String::new();
                // The constant has no factors and sorts first; people write it last.
                let (constant, rest): (Vec<_>, Vec<_>) = monomials.iter().partition(|m| m.factors.is_empty());
                for monomial in rest.into_iter().chain(constant) {
                    let magnitude = monomial.coefficient.unsigned_abs();
                    let mut parts: Vec<String> = monomial.factors.iter().map(|&factor| name(factor)).collect();
                    if magnitude != 1 || parts.is_empty() {
                        parts.insert(0, magnitude.to_string());
                    }
                    let sign = if monomial.coefficient < 0 { "-" } else { "+" };
                    match (text.is_empty(), sign) {
                        (true, "+") => {}
                        (true, _) => text.push('-'),
                        (false, _) => text += &format!(" {sign} "),
                    }
                    text += &parts.join(" * ");
                }
                text
            }
        }
    }
}

/// How many monomials a size may have, and each of them factors: repeated squaring would make more than there is room for.
const MOST_MONOMIALS: usize = 100;
const MOST_FACTORS: usize = 16;

/// Sorts, collects like monomials and drops zeros; none when there are too many, or a coefficient is too large.
fn normal(mut monomials: Vec<Monomial>) -> Option<Size> {
    monomials.sort_unstable_by(|a, b| a.factors.cmp(&b.factors));
    let mut collected: Vec<Monomial> = Vec::with_capacity(monomials.len());
    for monomial in monomials {
        match collected.last_mut() {
            Some(last) if last.factors == monomial.factors => {
                last.coefficient = last.coefficient.checked_add(monomial.coefficient)?;
            }
            _ => collected.push(monomial),
        }
    }
    collected.retain(|monomial| monomial.coefficient != 0);
    if collected.len() > MOST_MONOMIALS || collected.iter().any(|monomial| monomial.factors.len() > MOST_FACTORS) {
        return None;
    }
    Some(match collected.as_slice() {
        [] => Size::Constant(0),
        [one] if one.factors.is_empty() => Size::Constant(one.coefficient),
        [one] if one.factors.len() == 1 && one.coefficient == 1 => Size::Atom(one.factors[0]),
        _ => Size::Polynomial(collected.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Size {
        Size::var(Var(0))
    }

    fn m() -> Size {
        Size::var(Var(1))
    }

    #[test]
    fn equal_polynomials_are_equal_data() {
        let one = Size::Constant(1);
        let left = n().add(&one).unwrap().mul(&m().sub(&one).unwrap()).unwrap();
        let right = n().mul(&m()).unwrap().add(&m()).unwrap().sub(&n()).unwrap().sub(&one).unwrap();
        assert_eq!(left, right);
        assert_eq!(left.sub(&right).unwrap(), Size::Constant(0));
    }

    #[test]
    fn sizes_read_as_written() {
        let name = |atom| match atom {
            Atom::Var(Var(0)) => "n".to_string(),
            _ => "m".to_string(),
        };
        let size = n().mul(&Size::Constant(2)).unwrap().sub(&m()).unwrap().add(&Size::Constant(3)).unwrap();
        assert_eq!(size.show(&name), "2 * n - m + 3");
        assert_eq!(n().sub(&n()).unwrap().show(&name), "0");
    }

    #[test]
    fn overflow_is_noticed() {
        assert_eq!(Size::Constant(i64::MAX).add(&Size::Constant(1)), None);
        let big = n().mul(&Size::Constant(i64::MAX)).unwrap();
        assert_eq!(big.add(&n()), None);
        assert_eq!(big.evaluate(&mut |_| Some(2)), None);
    }
}
