//! The adjoints of functions of arrays: elements that were moved are moved back, and `dot` with a matrix becomes `dot`
//! with its transpose.

use super::Transposer;
use crate::array::result_type;
use crate::compile::has_holes;
use riesz_core::build::write_size;
use riesz_core::term::{Atom, Body, Comparison, Iteration, Op, Place, Step};
use riesz_core::{Size, Type};
use riesz_primitive::array::{
    self, Adjoint, Array, Backward, Contraction, Direction, Index, Indexing, LinearIn, Product,
};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;
use std::convert::Infallible;

impl Transposer<'_> {
    pub(super) fn array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        given: Atom,
        ty: &Type,
        span: Span,
    ) {
        let element_type = match ty {
            Type::Array(_, element) => (**element).clone(),
            _ => Type::Real,
        };
        let Some(row) = primitive.array() else {
            unreachable!("`{}` is no function of arrays", primitive.name);
        };
        match row {
            Array::Reindex(reindex) => {
                let array = arguments[reindex.array];
                let write = |transposer: &mut Self, index: &Index, at: Atom| {
                    let Ok(at) = index.evaluate(at, &mut IndexWriter { transposer, arguments, span });
                    at
                };
                let index = match (&reindex.adjoint, reindex.direction) {
                    (Backward::Term(adjoint), _) => {
                        return self.add_adjoint(adjoint, array, arguments, (given, ty), span);
                    }
                    (Backward::Parts, Direction::Gather) => {
                        let Ok(count) = reindex.count(&mut IndexWriter { transposer: self, arguments, span });
                        return self.each(count, span, |transposer, i| {
                            let part = transposer.bind(Op::Index(given, i), element_type, span);
                            let at = write(transposer, &reindex.index, i);
                            transposer.add(array, &[Place::Element(at)], part, span);
                        });
                    }
                    (Backward::Parts, Direction::Scatter) => &reindex.index,
                    (Backward::Inverse(inverse), _) => inverse,
                };
                let (array_type, count) = (self.atom_type(array), self.length(array, span));
                let gathered = self.built(count, &array_type, span, |transposer, i| {
                    let at = write(transposer, index, i);
                    transposer.bind(Op::Index(given, at), element_type, span)
                });
                self.add(array, &[], gathered, span);
            }
            Array::Concatenate => {
                let mut from = Atom::Int(0);
                for part in arguments {
                    let part_type = self.atom_type(*part);
                    let length = self.length(*part, span);
                    let to = self.integer(&scalar::ADD, from, length, span);
                    if self.is_linear(*part) {
                        let slice = Op::ArrayFunction(&array::SLICE, vec![given, from, to]);
                        let slice = self.bind(slice, part_type, span);
                        self.add(*part, &[], slice, span);
                    }
                    from = to;
                }
            }
            Array::Replace => {
                let (v, at, x) = (arguments[0], arguments[1], arguments[2]);
                if self.is_linear(x) {
                    let part = self.bind(Op::Index(given, at), element_type.clone(), span);
                    self.add(x, &[], part, span);
                }
                if self.is_linear(v) {
                    let zero = match has_holes(&element_type) {
                        true => {
                            let part = self.bind(Op::Index(given, at), element_type.clone(), span);
                            self.bind(Op::Zero(part), element_type.clone(), span)
                        }
                        false => self.zero(&element_type, span),
                    };
                    let rest = Op::ArrayFunction(&array::UPDATE, vec![given, at, zero]);
                    let rest = self.bind(rest, ty.clone(), span);
                    self.add(v, &[], rest, span);
                }
            }
            Array::Exchange => {
                let other = self.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![given]), ty.transposed(), span);
                self.add(arguments[0], &[], other, span);
            }
            Array::Merge => {
                let v = arguments[0];
                let matrix = self.atom_type(v);
                let Type::Array(rows, row) = &matrix else { return };
                let Type::Array(columns, _) = &**row else { return };
                let columns = self.length_along(v, columns, vec![Step::Elements], span);
                let rows = self.length_along(v, rows, Vec::new(), span);
                let unflattened = self.built(rows, &matrix, span, |transposer, i| {
                    let from = transposer.integer(&scalar::MUL, i, columns, span);
                    let to = transposer.integer(&scalar::ADD, from, columns, span);
                    transposer.bind(Op::ArrayFunction(&array::SLICE, vec![given, from, to]), (**row).clone(), span)
                });
                self.add(v, &[], unflattened, span);
            }
            Array::Product(Product { contraction: Contraction::Inner, .. }) => {
                self.dot(arguments[0], arguments[1], given, span);
            }
            // The adjoint of `u ↦ u vᵀ` is `w ↦ w v`, that of `v ↦ u vᵀ` is `w ↦ u w`.
            Array::Product(Product { contraction: Contraction::Outer, .. }) => {
                let (u, v) = (arguments[0], arguments[1]);
                let (tangent, operands) = if self.is_linear(u) { (u, vec![given, v]) } else { (v, vec![u, given]) };
                let vector = self.atom_type(tangent);
                let product = self.bind(Op::ArrayFunction(&array::EXACT_DOT, operands), vector, span);
                self.add(tangent, &[], product, span);
            }
            Array::Matrix(matrix) => match &matrix.linear {
                LinearIn::Nothing => unreachable!("`{}` is linear in no argument", primitive.name),
                LinearIn::Last(adjoint) => {
                    self.add_adjoint(adjoint, arguments[arguments.len() - 1], arguments, (given, ty), span);
                }
                LinearIn::Directions => {
                    let directions = &arguments[1..];
                    let Some(at) = directions.iter().position(|direction| self.is_linear(*direction)) else { return };
                    let mut operands = arguments.to_vec();
                    operands[at + 1] = given;
                    let moved = self.bind(Op::ArrayFunction(primitive, operands), ty.clone(), span);
                    self.add(directions[at], &[], moved, span);
                }
            },
        }
    }

    /// Adds the adjoint that a row states to the cotangent of the argument that its function is linear in.
    fn add_adjoint(&mut self, adjoint: &Adjoint, to: Atom, arguments: &[Atom], (given, ty): (Atom, &Type), span: Span) {
        let (cotangent, _) = self.adjoint_term(adjoint, arguments, (given, ty), span);
        self.add(to, &[], cotangent, span);
    }

    fn adjoint_term(
        &mut self,
        adjoint: &Adjoint,
        arguments: &[Atom],
        (given, ty): (Atom, &Type),
        span: Span,
    ) -> (Atom, Type) {
        match adjoint {
            Adjoint::Cotangent => (given, ty.clone()),
            Adjoint::Argument(at) => (arguments[*at], self.atom_type(arguments[*at])),
            Adjoint::LowerTriangle(matrix) => {
                let (matrix, ty) = self.adjoint_term(matrix, arguments, (given, ty), span);
                (self.lower_triangle(matrix, &ty, span), ty)
            }
            Adjoint::Apply(primitive, terms) => {
                let terms = terms.iter().map(|term| self.adjoint_term(term, arguments, (given, ty), span));
                let operands: Vec<(Atom, Type)> = terms.collect();
                let ty = result_type(primitive, &operands);
                let atoms = operands.into_iter().map(|(atom, _)| atom).collect();
                let op = match primitive.array() {
                    Some(_) => Op::ArrayFunction(primitive, atoms),
                    None => Op::Scalar(primitive, atoms),
                };
                (self.bind(op, ty.clone(), span), ty)
            }
        }
    }

    /// `[[if j <= i then a[i][j] else 0 | j < n] | i < n]`
    fn lower_triangle(&mut self, matrix: Atom, ty: &Type, span: Span) -> Atom {
        let Type::Array(_, row_type) = ty else { return matrix };
        let count = self.length(matrix, span);
        self.built(count, ty, span, |transposer, i| {
            let row = transposer.bind(Op::Index(matrix, i), (**row_type).clone(), span);
            transposer.built(count, row_type, span, |transposer, j| {
                let below = Op::Compare(Comparison::LessEqual, j, i);
                let condition = transposer.bind(below, Type::Bool, span);
                transposer.open();
                let entry = transposer.bind(Op::Index(row, j), Type::Real, span);
                let yes = transposer.close(entry);
                let no = Body { bindings: Vec::new(), result: Atom::Real(0.0) };
                transposer.bind(Op::If { condition, yes, no }, Type::Real, span)
            })
        })
    }

    /// The adjoint of a contraction, in the factor that is linear.
    pub(super) fn dot(&mut self, a: Atom, b: Atom, given: Atom, span: Span) {
        let (a_type, b_type) = (self.atom_type(a), self.atom_type(b));
        let left = self.is_linear(a);
        let (tangent, ty) = if left { (a, a_type.clone()) } else { (b, b_type.clone()) };
        let exact = |transposer: &mut Self, x: Atom, y: Atom, ty: &Type| {
            transposer.bind(Op::ArrayFunction(&array::EXACT_DOT, vec![x, y]), ty.clone(), span)
        };
        let cotangent = match (rank(&a_type), rank(&b_type), left) {
            (1, 1, _) => {
                let other = if left { b } else { a };
                let count = self.length(other, span);
                self.built(count, &ty, span, |transposer, i| {
                    let coefficient = transposer.bind(Op::Index(other, i), Type::Real, span);
                    transposer.bind(Op::Scalar(&scalar::EXACT_MUL, vec![coefficient, given]), Type::Real, span)
                })
            }
            (2, 1, true) => self.outer(given, b, &ty, span),
            (1, 2, false) => self.outer(a, given, &ty, span),
            (2, 1, false) => exact(self, given, a, &ty),
            (1, 2, true) => exact(self, b, given, &ty),
            (_, _, true) => {
                let other = self.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![b]), b_type.transposed(), span);
                exact(self, given, other, &ty)
            }
            (_, _, false) => {
                let other = self.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![a]), a_type.transposed(), span);
                exact(self, other, given, &ty)
            }
        };
        self.add(tangent, &[], cotangent, span);
    }

    pub(super) fn outer(&mut self, u: Atom, v: Atom, ty: &Type, span: Span) -> Atom {
        let Type::Array(_, row) = ty else { return u };
        let (rows, columns) = (self.length(u, span), self.length(v, span));
        self.built(rows, ty, span, |transposer, i| {
            let u = transposer.bind(Op::Index(u, i), Type::Real, span);
            transposer.built(columns, row, span, |transposer, j| {
                let v = transposer.bind(Op::Index(v, j), Type::Real, span);
                transposer.bind(Op::Scalar(&scalar::EXACT_MUL, vec![u, v]), Type::Real, span)
            })
        })
    }

    pub(crate) fn size_atom(&mut self, size: &Size, span: Span) -> Atom {
        let mut bindings = Vec::new();
        let atom = write_size(size, &mut self.vars, &mut bindings, span);
        bindings.into_iter().for_each(|binding| self.push(binding));
        atom
    }

    pub(crate) fn length(&mut self, atom: Atom, span: Span) -> Atom {
        match self.atom_type(atom) {
            Type::Array(size, _) => self.length_along(atom, &size, Vec::new(), span),
            _ => Atom::Int(0),
        }
    }

    /// The size of an array, or of its elements: what the type says, or what a value of its shape has.
    pub(super) fn length_along(&mut self, atom: Atom, size: &Size, path: Vec<Step>, span: Span) -> Atom {
        if *size != Size::Hole {
            return self.size_atom(size, span);
        }
        let shape = match atom {
            Atom::Var(var) => self.shapes.get(&var).map_or(atom, |shape| Atom::Var(*shape)),
            atom => atom,
        };
        self.bind(Op::SizeOf(shape, path), Type::Int, span)
    }

    pub(crate) fn each(&mut self, count: Atom, span: Span, body: impl FnOnce(&mut Self, Atom)) {
        self.open();
        let index = self.var(Type::Int);
        body(self, Atom::Var(index));
        let body = self.close_unit(span);
        self.bind(Op::For(Iteration { count, index, body }), Type::unit(), span);
    }

    pub(crate) fn built(
        &mut self,
        count: Atom,
        ty: &Type,
        span: Span,
        element: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Atom {
        self.open();
        let index = self.var(Type::Int);
        let result = element(self, Atom::Var(index));
        let body = self.close(result);
        self.bind(Op::Build(Iteration { count, index, body }), ty.clone(), span)
    }

    pub(super) fn integer(&mut self, primitive: &'static Primitive, a: Atom, b: Atom, span: Span) -> Atom {
        self.bind(Op::Scalar(primitive, vec![a, b]), Type::Int, span)
    }
}

/// Index functions as core.
struct IndexWriter<'a, 't, 'p> {
    transposer: &'t mut Transposer<'p>,
    arguments: &'a [Atom],
    span: Span,
}

impl Indexing for IndexWriter<'_, '_, '_> {
    type Value = Atom;
    type Error = Infallible;

    fn constant(&mut self, value: i64) -> Atom {
        Atom::Int(value)
    }

    fn length(&mut self, argument: usize) -> Result<Atom, Infallible> {
        Ok(self.transposer.length(self.arguments[argument], self.span))
    }

    fn integer(&mut self, argument: usize) -> Result<Atom, Infallible> {
        Ok(self.arguments[argument])
    }

    fn element(&mut self, argument: usize, at: Atom) -> Result<Atom, Infallible> {
        Ok(self.transposer.bind(Op::Index(self.arguments[argument], at), Type::Int, self.span))
    }

    fn apply(&mut self, primitive: &'static Primitive, a: Atom, b: Atom) -> Result<Atom, Infallible> {
        Ok(self.transposer.integer(primitive, a, b, self.span))
    }
}

fn rank(ty: &Type) -> usize {
    match ty {
        Type::Array(_, element) => 1 + rank(element),
        _ => 0,
    }
}
