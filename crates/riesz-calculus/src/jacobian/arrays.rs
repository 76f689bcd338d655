//! Functions of arrays, element by element.

use super::known::{Built, Element, Known};
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::term::{Atom, Op};
use riesz_core::types::Type;
use riesz_primitive::{Primitive, array, scalar};
use std::rc::Rc;

impl<'a> Walk<'a> {
    pub(super) fn array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Known<'a>],
    ) -> Option<Known<'a>> {
        let is = |other: &'static Primitive| std::ptr::eq(primitive, other);
        if is(&array::DOT) || is(&array::EXACT_DOT) {
            let product = if is(&array::DOT) { &scalar::MUL } else { &scalar::EXACT_MUL };
            return self.dot(&arguments[0], &arguments[1], product);
        }
        if is(&array::SLICE) {
            return self.slice(arguments);
        }
        if is(&array::GATHER) {
            let indices = self.value(&arguments[1])?;
            let count = self.length(&Known::Plain(indices))?;
            let element = Element::Gathered(arguments[0].clone(), indices);
            return Some(Known::Built(Rc::new(Built { count, element })));
        }
        if is(&array::REVERSE) {
            let mut elements = self.elements(&arguments[0])?;
            elements.reverse();
            return Some(Known::Elements(elements));
        }
        if is(&array::CONCAT) {
            let mut all = Vec::new();
            for argument in arguments {
                all.extend(self.elements(argument)?);
            }
            return Some(Known::Elements(all));
        }
        if is(&array::FLATTEN) {
            let mut all = Vec::new();
            for row in self.elements(&arguments[0])? {
                all.extend(self.elements(&row)?);
            }
            return Some(Known::Elements(all));
        }
        None
    }

    /// The elements from one index to another.
    fn slice(&mut self, arguments: &[Known<'a>]) -> Option<Known<'a>> {
        let (from, to) = (self.value(&arguments[1])?, self.value(&arguments[2])?);
        let length = self.length(&arguments[0])?;
        let (first, end, length) = (self.form(from), self.form(to), self.form(length));
        if let (Size::Constant(first), Size::Constant(end), Size::Constant(length)) = (&first, &end, &length) {
            if !(0 <= *first && first <= end && end <= length) {
                return None;
            }
            let elements = (*first..*end).map(|at| self.index(&arguments[0], Atom::Int(at)));
            return elements.collect::<Option<Vec<_>>>().map(Known::Elements);
        }
        // Where it ends before it begins, a negative count is an error too.
        let fits = matches!(first, Size::Constant(0..)) && matches!(length.sub(&end), Some(Size::Constant(0..)));
        if !fits {
            return None;
        }
        let count = self.bind(Op::Scalar(&scalar::SUB, vec![to, from]), Type::Int);
        Some(Known::Built(Rc::new(Built { count, element: Element::Shifted(arguments[0].clone(), from) })))
    }

    /// `Σᵢ aᵢ bᵢ`, along the last axis of the one and the first of the other.
    fn dot(&mut self, a: &Known<'a>, b: &Known<'a>, product: &'static Primitive) -> Option<Known<'a>> {
        let left = self.elements(a)?;
        if let Some(first) = left.first()
            && self.is_array(first)
        {
            return left.iter().map(|row| self.dot(row, b, product)).collect::<Option<Vec<_>>>().map(Known::Elements);
        }
        let right = self.elements(b)?;
        if left.len() != right.len() || left.is_empty() {
            return None;
        }
        if self.is_array(&right[0]) {
            let columns = self.elements(&right[0])?.len();
            let mut sums = Vec::with_capacity(columns);
            for at in 0..columns as i64 {
                let column = right.iter().map(|row| self.index(row, Atom::Int(at))).collect::<Option<Vec<_>>>()?;
                sums.push(self.dot(a, &Known::Elements(column), product)?);
            }
            return Some(Known::Elements(sums));
        }
        let mut total: Option<Known> = None;
        for (a, b) in left.iter().zip(&right) {
            let term = self.scalar(product, &[a.clone(), b.clone()])?;
            total = Some(self.with_term(total, term)?);
        }
        total
    }

    fn is_array(&self, known: &Known<'a>) -> bool {
        match known {
            Known::Elements(_) | Known::Built(_) => true,
            Known::Plain(atom) | Known::Input(atom, _) => matches!(self.type_of(*atom), Type::Array(..)),
            _ => false,
        }
    }
}
