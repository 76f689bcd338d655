//! Size inference: the sizes of a value before it is computed, so that it can be written to its final place.
//!
//! A size is exact if all of its operands are known. For an array with rows of increasing length, such as
//! `[[e | j < i] | i < n]` among residuals, it is the largest possible size: `n − 1` for `i`.

use super::value::{Extent, Shape, Value};
use super::{Lowered, Lowerer, Unsupported, unknown_size};
use crate::layout::kind_of;
use crate::program::{Expression, Fault, Kind, Operand};
use riesz_core::Type;
use riesz_core::size::{Atom as SizeAtom, Size};
use riesz_core::term::{Atom, Op, Step, Var};
use riesz_primitive::array::{Array, Contraction, Indexing, MatrixResult};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;

impl Lowerer<'_, '_> {
    /// The shape of what an operand will be.
    pub(super) fn infer_shape(&mut self, atom: Atom) -> Lowered<Shape> {
        // What was found holds until something is bound.
        self.inferred.clear();
        self.ahead_of(atom)
    }

    fn ahead_of(&mut self, atom: Atom) -> Lowered<Shape> {
        match atom {
            Atom::Int(_) => Ok(Shape::Number(Kind::Int)),
            Atom::Real(_) => Ok(Shape::Number(Kind::Real)),
            Atom::Bool(_) => Ok(Shape::Number(Kind::Bool)),
            Atom::Var(var) => {
                if let Some(shape) = self.inferred.get(&var) {
                    return Ok(shape.clone());
                }
                let shape = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.infer_variable(var))?;
                self.inferred.insert(var, shape.clone());
                Ok(shape)
            }
        }
    }

    fn infer_variable(&mut self, var: Var) -> Lowered<Shape> {
        let span = self.bindings.get(&var).map_or(self.function.span, |binding| binding.span);
        if let Some(value) = self.values[var.0 as usize].clone() {
            return self.shape_of_value(&value, span);
        }
        if let Ok(shape) = self.shape_of_type(self.ty(var), span) {
            return Ok(self.omitted(Atom::Var(var)).loosen(shape));
        }
        if let Some(start) = self.starts.get(&var).copied() {
            return self.ahead_of(start);
        }
        let Some(binding) = self.bindings.get(&var).copied() else { return Err(unknown_size(span)) };
        match &binding.op {
            Op::Copy(a) | Op::Plus(a, _) => self.ahead_of(*a),
            Op::Tuple(parts) => {
                Ok(Shape::Tuple(parts.iter().map(|part| self.ahead_of(*part)).collect::<Lowered<_>>()?))
            }
            Op::Project(a, at) => match self.ahead_of(*a)? {
                Shape::Tuple(parts) => parts.into_iter().nth(*at).ok_or_else(|| unknown_size(span)),
                _ => Err(unknown_size(span)),
            },
            Op::Array(elements) => {
                let extent = Extent { most: Operand::Int(elements.len() as i64), exact: true };
                let element = match elements.first() {
                    Some(element) => self.ahead_of(*element)?,
                    None => nothing(self.ty(var)).ok_or_else(|| unknown_size(span))?,
                };
                Ok(Shape::Array(extent, Box::new(element)))
            }
            Op::Index(array, _) => match self.ahead_of(*array)? {
                Shape::Array(_, element) => Ok(*element),
                _ => Err(unknown_size(span)),
            },
            Op::Build(iteration) => {
                let extent = self.ahead(iteration.count, span)?;
                Ok(Shape::Array(extent, Box::new(self.ahead_of(iteration.body.result)?)))
            }
            Op::Builds(iteration) => {
                let extent = self.ahead(iteration.count, span)?;
                match self.ahead_of(iteration.body.result)? {
                    Shape::Tuple(parts) => {
                        Ok(Shape::Tuple(parts.into_iter().map(|part| Shape::Array(extent, Box::new(part))).collect()))
                    }
                    _ => Err(unknown_size(span)),
                }
            }
            Op::Reduce(_, iteration) => self.ahead_of(iteration.body.result),
            Op::If { yes, no, .. } => {
                let (yes, no) = (self.ahead_of(yes.result)?, self.ahead_of(no.result)?);
                self.either(yes, no, span)
            }
            Op::Loop(iteration) => self.ahead_of(iteration.start),
            Op::While { start, .. } => self.ahead_of(*start),
            Op::Scan(iteration) => {
                let extent = self.ahead(iteration.count, span)?;
                Ok(Shape::Array(extent, Box::new(self.ahead_of(iteration.start)?)))
            }
            Op::Trace(iteration) => {
                let extent = self.ahead(iteration.count, span)?;
                let state = self.ahead_of(iteration.start)?;
                match self.ahead_of(iteration.body.result)? {
                    Shape::Tuple(parts) => {
                        let residuals = parts.into_iter().skip(1).map(|part| Shape::Array(extent, Box::new(part)));
                        Ok(Shape::Tuple([state].into_iter().chain(residuals).collect()))
                    }
                    _ => Err(unknown_size(span)),
                }
            }
            Op::Global(global) => match self.globals.get(global).cloned() {
                Some(value) => self.shape_of_value(&value, span),
                None => Err(unknown_size(span)),
            },
            Op::Zero(a) => Ok(tangent(self.ahead_of(*a)?)),
            Op::ArrayFunction(primitive, arguments) => self.infer_array_function(primitive, arguments, span),
            _ => Err(unknown_size(span)),
        }
    }

    fn infer_array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        span: Span,
    ) -> Lowered<Shape> {
        let array = |shape: Shape| match shape {
            Shape::Array(extent, element) => Ok((extent, element)),
            _ => Err(unknown_size(span)),
        };
        let Some(row) = primitive.array() else { return Err(unknown_size(span)) };
        match row {
            Array::Reindex(reindex) => {
                let (_, element) = array(self.ahead_of(arguments[reindex.array])?)?;
                let count = reindex.count(&mut Ahead { lowerer: self, arguments, span })?;
                Ok(Shape::Array(count, element))
            }
            Array::Concatenate => {
                let (mut total, element) = array(self.ahead_of(arguments[0])?)?;
                for argument in &arguments[1..] {
                    let (extent, _) = array(self.ahead_of(*argument)?)?;
                    total.most = self.build.add(total.most, extent.most);
                    total.exact &= extent.exact;
                }
                Ok(Shape::Array(total, element))
            }
            Array::Replace => self.ahead_of(arguments[0]),
            Array::Exchange => {
                let (outer, rows) = array(self.ahead_of(arguments[0])?)?;
                let (inner, element) = array(*rows)?;
                Ok(Shape::Array(inner, Box::new(Shape::Array(outer, element))))
            }
            Array::Merge => {
                let (outer, rows) = array(self.ahead_of(arguments[0])?)?;
                let (inner, element) = array(*rows)?;
                let most = self.build.mul(outer.most, inner.most);
                Ok(Shape::Array(Extent { most, exact: outer.exact && inner.exact }, element))
            }
            Array::Product(product) => {
                let (outer, rows) = array(self.ahead_of(arguments[0])?)?;
                let right = self.ahead_of(arguments[1])?;
                match (product.contraction, *rows) {
                    (Contraction::Outer, _) => Ok(Shape::Array(outer, Box::new(right))),
                    (Contraction::Inner, Shape::Array(..)) => Ok(Shape::Array(outer, array(right)?.1)),
                    (Contraction::Inner, _) => Ok(*array(right)?.1),
                }
            }
            Array::Matrix(matrix) => match matrix.result {
                MatrixResult::Number => Ok(Shape::Number(Kind::Real)),
                MatrixResult::Like(at) => self.ahead_of(arguments[at]),
            },
        }
    }

    /// The shape of a value that is one of two.
    fn either(&mut self, a: Shape, b: Shape, span: Span) -> Lowered<Shape> {
        match (a, b) {
            (Shape::Number(kind), Shape::Number(_)) => Ok(Shape::Number(kind)),
            (Shape::Tuple(a), Shape::Tuple(b)) if a.len() == b.len() => {
                Ok(Shape::Tuple(a.into_iter().zip(b).map(|(a, b)| self.either(a, b, span)).collect::<Lowered<_>>()?))
            }
            (Shape::Array(a, a_element), Shape::Array(b, b_element)) => {
                // No elements are of any shape.
                let element = match (a.most, b.most) {
                    (Operand::Int(0), _) => *b_element,
                    (_, Operand::Int(0)) => *a_element,
                    _ => self.either(*a_element, *b_element, span)?,
                };
                if self.build.same(a.most, b.most) {
                    let extent = Extent { most: a.most, exact: a.exact && b.exact };
                    return Ok(Shape::Array(extent, Box::new(element)));
                }
                let site = self.build.site(Fault::WrongShape, span);
                let most = Expression::Int(&scalar::MAX, vec![a.most, b.most], site);
                let most = self.build.bind(Kind::Int, None, most);
                Ok(Shape::Array(Extent { most, exact: false }, Box::new(element)))
            }
            _ => Err(unknown_size(span)),
        }
    }

    /// The shape of every value of a type.
    pub(super) fn shape_of_type(&mut self, ty: &Type, span: Span) -> Lowered<Shape> {
        match ty {
            Type::Array(size, element) => {
                let extent = self.ahead_of_size(size, span)?;
                Ok(Shape::Array(extent, Box::new(self.shape_of_type(element, span)?)))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                Ok(Shape::Tuple(parts.iter().map(|part| self.shape_of_type(part, span)).collect::<Lowered<_>>()?))
            }
            _ => kind_of(ty).map(Shape::Number).ok_or_else(|| super::not_data(ty, span)),
        }
    }

    /// The size that a type says, as far as it is known.
    pub(super) fn ahead_of_size(&mut self, size: &Size, span: Span) -> Lowered<Extent> {
        if *size == Size::Hole {
            return Err(unknown_size(span));
        }
        let mut total = Extent { most: Operand::Int(0), exact: true };
        for monomial in size.monomials() {
            let coefficient = monomial.coefficient();
            let mut product = Extent { most: Operand::Int(coefficient.checked_abs().unwrap_or(i64::MAX)), exact: true };
            for factor in monomial.factors() {
                let factor = match factor {
                    SizeAtom::Var(var) => self.ahead(Atom::Var(*var), span)?,
                    SizeAtom::Global(global) => match self.globals.get(global).and_then(Value::number) {
                        Some(most) => Extent { most, exact: true },
                        None => return Err(unknown_size(span)),
                    },
                    SizeAtom::Parameter(_) | SizeAtom::Unknown(_) => return Err(unknown_size(span)),
                };
                product =
                    Extent { most: self.build.mul(factor.most, product.most), exact: product.exact && factor.exact };
            }
            total = match coefficient < 0 {
                true => self.difference(total, product),
                false => Extent { most: self.build.add(total.most, product.most), exact: total.exact && product.exact },
            };
        }
        Ok(total)
    }

    /// `a − b`; where `b` is not known exactly, it may be as little as nothing.
    fn difference(&mut self, a: Extent, b: Extent) -> Extent {
        match b.exact {
            true => Extent { most: self.build.sub(a.most, b.most), exact: a.exact },
            false => Extent { most: a.most, exact: false },
        }
    }

    /// An integer before it is computed, or the most that it can be.
    fn ahead(&mut self, atom: Atom, span: Span) -> Lowered<Extent> {
        let var = match atom {
            Atom::Int(value) => return Ok(Extent { most: Operand::Int(value), exact: true }),
            Atom::Var(var) => var,
            _ => return Err(unknown_size(span)),
        };
        if let Some(most) = self.values[var.0 as usize].as_ref().and_then(Value::number) {
            return Ok(Extent { most, exact: true });
        }
        if let Some(count) = self.counts.get(&var).copied() {
            let count = self.ahead(count, span)?;
            return Ok(Extent { most: self.build.sub(count.most, Operand::Int(1)), exact: false });
        }
        let Some(binding) = self.bindings.get(&var).copied() else { return Err(unknown_size(span)) };
        match &binding.op {
            Op::Copy(a) => self.ahead(*a, span),
            Op::Scalar(primitive, arguments) => self.ahead_of_scalar(primitive, arguments, span),
            Op::SizeOf(a, path) => {
                let mut shape = self.ahead_of(*a)?;
                for step in path {
                    shape = match (step, shape) {
                        (Step::Elements, Shape::Array(_, element)) => *element,
                        (Step::Component(at), Shape::Tuple(parts)) => {
                            parts.into_iter().nth(*at).ok_or_else(|| unknown_size(span))?
                        }
                        _ => return Err(unknown_size(span)),
                    };
                }
                match shape {
                    Shape::Array(extent, _) => Ok(extent),
                    _ => Err(unknown_size(span)),
                }
            }
            Op::Project(Atom::Var(tuple), at) => match self.values[tuple.0 as usize].clone() {
                Some(Value::Tuple(parts)) => match parts.get(*at).and_then(Value::number) {
                    Some(most) => Ok(Extent { most, exact: true }),
                    None => Err(unknown_size(span)),
                },
                _ => match self.bindings.get(tuple).map(|binding| &binding.op) {
                    Some(Op::Tuple(parts)) if *at < parts.len() => self.ahead(parts[*at], span),
                    _ => Err(unknown_size(span)),
                },
            },
            Op::Global(global) => match self.globals.get(global).and_then(Value::number) {
                Some(most) => Ok(Extent { most, exact: true }),
                None => Err(unknown_size(span)),
            },
            _ => Err(unknown_size(span)),
        }
    }

    fn ahead_of_scalar(&mut self, primitive: &'static Primitive, arguments: &[Atom], span: Span) -> Lowered<Extent> {
        let [a, b] = arguments[..] else { return Err(unknown_size(span)) };
        let (a, b) = (self.ahead(a, span)?, self.ahead(b, span)?);
        self.ahead_of_two(primitive, a, b, span)
    }

    fn ahead_of_two(&mut self, primitive: &'static Primitive, a: Extent, b: Extent, span: Span) -> Lowered<Extent> {
        let exact = a.exact && b.exact;
        let is = |row: &Primitive| *primitive == *row;
        match b.most {
            _ if is(&scalar::ADD) => Ok(Extent { most: self.build.add(a.most, b.most), exact }),
            _ if is(&scalar::MUL) => Ok(Extent { most: self.build.mul(a.most, b.most), exact }),
            _ if is(&scalar::SUB) => Ok(self.difference(a, b)),
            _ if is(&scalar::MIN) || is(&scalar::MAX) => self.ahead_of_integers(primitive, a, b, span),
            Operand::Int(1..) if is(&scalar::FLOOR_MOD) && exact || is(&scalar::FLOOR_DIV) && b.exact => {
                self.ahead_of_integers(primitive, a, b, span)
            }
            _ => Err(unknown_size(span)),
        }
    }

    fn ahead_of_integers(
        &mut self,
        primitive: &'static Primitive,
        a: Extent,
        b: Extent,
        span: Span,
    ) -> Lowered<Extent> {
        let site = self.build.site(Fault::Integer(primitive), span);
        let most = Expression::Int(primitive, vec![a.most, b.most], site);
        Ok(Extent { most: self.build.bind(Kind::Int, None, most), exact: a.exact && b.exact })
    }
}

/// Index functions before their arguments are computed.
struct Ahead<'w, 'l, 'p, 'o> {
    lowerer: &'w mut Lowerer<'l, 'p>,
    arguments: &'o [Atom],
    span: Span,
}

impl Indexing for Ahead<'_, '_, '_, '_> {
    type Value = Extent;
    type Error = Unsupported;

    fn constant(&mut self, value: i64) -> Extent {
        Extent { most: Operand::Int(value), exact: true }
    }

    fn length(&mut self, argument: usize) -> Lowered<Extent> {
        match self.lowerer.ahead_of(self.arguments[argument])? {
            Shape::Array(extent, _) => Ok(extent),
            _ => Err(unknown_size(self.span)),
        }
    }

    fn integer(&mut self, argument: usize) -> Lowered<Extent> {
        self.lowerer.ahead(self.arguments[argument], self.span)
    }

    fn element(&mut self, _: usize, _: Extent) -> Lowered<Extent> {
        Err(unknown_size(self.span))
    }

    fn apply(&mut self, primitive: &'static Primitive, a: Extent, b: Extent) -> Lowered<Extent> {
        self.lowerer.ahead_of_two(primitive, a, b, self.span)
    }
}

/// The shape of the elements of an empty array of a type, in which every array is empty.
fn nothing(ty: &Type) -> Option<Shape> {
    fn empty(ty: &Type) -> Option<Shape> {
        match ty {
            Type::Array(_, element) => {
                let extent = Extent { most: Operand::Int(0), exact: true };
                Some(Shape::Array(extent, Box::new(empty(element)?)))
            }
            Type::Tuple(_) | Type::Record(_) => {
                Some(Shape::Tuple(ty.components()?.iter().map(empty).collect::<Option<_>>()?))
            }
            _ => kind_of(ty).map(Shape::Number),
        }
    }
    match ty {
        Type::Array(_, element) => empty(element),
        _ => None,
    }
}

/// The shape of the tangents of values of a shape.
pub(super) fn tangent(shape: Shape) -> Shape {
    match shape {
        Shape::Number(Kind::Real) => shape,
        Shape::Number(_) => Shape::Tuple(Vec::new()),
        Shape::Tuple(parts) => Shape::Tuple(parts.into_iter().map(tangent).collect()),
        Shape::Array(extent, element) => Shape::Array(extent, Box::new(tangent(*element))),
    }
}
