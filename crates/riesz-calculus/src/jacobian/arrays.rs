//! Functions of arrays, element by element.

use super::known::{Built, Element, Split};
use super::walk::{LONGEST, Walk};
use riesz_core::Size;
use riesz_core::term::{Atom, Op};
use riesz_core::types::Type;
use riesz_primitive::array::{Array, Bounds, Contraction, Direction, Indexing, Product, Reindex};
use riesz_primitive::{Primitive, scalar};
use std::rc::Rc;

impl<'a> Walk<'a> {
    pub(super) fn array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Split<'a>],
    ) -> Option<Split<'a>> {
        match primitive.array()? {
            Array::Reindex(reindex) => self.reindex(reindex, arguments),
            Array::Product(Product { contraction: Contraction::Inner, times }) => {
                self.dot(&arguments[0], &arguments[1], times)
            }
            Array::Concatenate => {
                let mut all = Vec::new();
                for argument in arguments {
                    match self.elements(argument) {
                        Some(elements) => all.extend(elements),
                        None if self.shared.is_some() => return Some(Split::Joined(arguments.to_vec())),
                        None => return None,
                    }
                }
                Some(Split::Elements(all))
            }
            Array::Merge => {
                let mut all = Vec::new();
                for row in self.elements(&arguments[0])? {
                    all.extend(self.elements(&row)?);
                }
                Some(Split::Elements(all))
            }
            Array::Replace
            | Array::Exchange
            | Array::Product(Product { contraction: Contraction::Outer, .. })
            | Array::Matrix(_) => None,
        }
    }

    /// The elements at other places.
    fn reindex(&mut self, reindex: &'static Reindex, arguments: &[Split<'a>]) -> Option<Split<'a>> {
        if reindex.direction == Direction::Scatter {
            return None;
        }
        let array = &arguments[reindex.array];
        let mut others = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            others.push(if at == reindex.array { self.length(argument)? } else { self.value(argument)? });
        }
        let count = reindex.count(&mut IndexWriter { walk: self, array: reindex.array, others: &others }).ok()?;
        let is_short = matches!(self.form(count), Size::Constant(0..=LONGEST));
        match reindex.bounds {
            Bounds::Range(from, to) if !self.is_range(others[from], others[to], others[reindex.array])? => return None,
            Bounds::Each => {}
            Bounds::Always | Bounds::Range(..) if is_short => {
                let Size::Constant(count) = self.form(count) else { return None };
                let mut elements = Vec::new();
                for at in 0..count {
                    let mut written = IndexWriter { walk: self, array: reindex.array, others: &others };
                    let at = reindex.index.evaluate(Atom::Int(at), &mut written).ok()?;
                    elements.push(self.index(array, at)?);
                }
                return Some(Split::Elements(elements));
            }
            Bounds::Always | Bounds::Range(..) => {}
        }
        let element = Element::Moved { of: array.clone(), reindex, others };
        Some(Split::Built(Rc::new(Built { count, element })))
    }

    /// The element that an index function leads to.
    pub(super) fn moved(
        &mut self,
        of: &Split<'a>,
        reindex: &'static Reindex,
        others: &[Atom],
        at: Atom,
    ) -> Option<Split<'a>> {
        let at = reindex.index.evaluate(at, &mut IndexWriter { walk: self, array: reindex.array, others }).ok()?;
        self.index(of, at)
    }

    /// Whether two indices are known to be a range of an array. Where it is known not to be one there is no result.
    fn is_range(&mut self, from: Atom, to: Atom, length: Atom) -> Option<bool> {
        let (from, to, length) = (self.form(from), self.form(to), self.form(length));
        if let (Size::Constant(from), Size::Constant(to), Size::Constant(length)) = (&from, &to, &length) {
            return Some(0 <= *from && from <= to && to <= length);
        }
        // Where it ends before it begins, a negative count is an error too.
        Some(matches!(from, Size::Constant(0..)) && matches!(length.sub(&to), Some(Size::Constant(0..))))
    }

    /// `Σᵢ aᵢ bᵢ`, along the last axis of the one and the first of the other.
    fn dot(&mut self, a: &Split<'a>, b: &Split<'a>, product: &'static Primitive) -> Option<Split<'a>> {
        let Some(left) = self.elements(a) else { return self.long_dot(a, b, product) };
        if let Some(first) = left.first()
            && self.is_array(first)
        {
            return left.iter().map(|row| self.dot(row, b, product)).collect::<Option<Vec<_>>>().map(Split::Elements);
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
                sums.push(self.dot(a, &Split::Elements(column), product)?);
            }
            return Some(Split::Elements(sums));
        }
        let mut total: Option<Split> = None;
        for (a, b) in left.iter().zip(&right) {
            let term = self.scalar(product, &[a.clone(), b.clone()])?;
            total = Some(self.with_term(total, term)?);
        }
        total
    }

    /// The same of vectors that are not short.
    fn long_dot(&mut self, a: &Split<'a>, b: &Split<'a>, product: &'static Primitive) -> Option<Split<'a>> {
        let count = self.length(a)?;
        self.shared(&[count], &mut |walk, at| {
            let (a, b) = (walk.index(a, at[0])?, walk.index(b, at[0])?);
            if walk.is_array(&a) || walk.is_array(&b) { None } else { walk.scalar(product, &[a, b]) }
        })
    }

    fn is_array(&self, known: &Split<'a>) -> bool {
        match known {
            Split::Elements(_) | Split::Built(_) | Split::Joined(_) => true,
            Split::Plain(atom) | Split::Input(atom, _) => matches!(self.type_of(*atom), Type::Array(..)),
            _ => false,
        }
    }
}

/// Index functions as core.
struct IndexWriter<'w, 'a, 'o> {
    walk: &'w mut Walk<'a>,
    /// The array that is moved, of which only the length is there.
    array: usize,
    others: &'o [Atom],
}

impl Indexing for IndexWriter<'_, '_, '_> {
    type Value = Atom;
    type Error = Unknown;

    fn constant(&mut self, value: i64) -> Atom {
        Atom::Int(value)
    }

    fn length(&mut self, argument: usize) -> Result<Atom, Unknown> {
        let other = self.others[argument];
        if argument == self.array {
            return Ok(other);
        }
        self.walk.length(&Split::Plain(other)).ok_or(Unknown)
    }

    fn integer(&mut self, argument: usize) -> Result<Atom, Unknown> {
        Ok(self.others[argument])
    }

    fn element(&mut self, argument: usize, at: Atom) -> Result<Atom, Unknown> {
        Ok(self.walk.bind(Op::Index(self.others[argument], at), Type::Int))
    }

    fn apply(&mut self, primitive: &'static Primitive, a: Atom, b: Atom) -> Result<Atom, Unknown> {
        let (x, y) = match (self.walk.form(a), self.walk.form(b)) {
            (Size::Constant(x), Size::Constant(y)) => (x, y),
            _ if *primitive == scalar::ADD => return Ok(self.walk.further(a, b)),
            _ => return Ok(self.walk.bind(Op::Scalar(primitive, vec![a, b]), Type::Int)),
        };
        let function = primitive.scalar().and_then(|row| row.integer).ok_or(Unknown)?;
        (function.value)(&[x, y]).map(Atom::Int).ok_or(Unknown)
    }
}

/// The walk does not know how to go on.
struct Unknown;
