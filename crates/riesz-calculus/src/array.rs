//! Derivatives of functions of arrays: linear functions are their own derivatives, products are linear in each factor,
//! and the rows of linear algebra state their derivatives as terms.

use crate::compile::Problem;
use crate::linearise::{Lineariser, Tangent};
use riesz_core::term::{Atom, Body, Comparison, Iteration, Op, Reduction, Var};
use riesz_core::{Size, Type};
use riesz_primitive::array::{self, Array, Contraction, Indexing, MatrixResult, Product};
use riesz_primitive::derivative::{Coefficient, Derivative, LinearTerm};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;
use std::convert::Infallible;

impl Lineariser<'_> {
    pub(crate) fn array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        var: Var,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let ty = self.ty(var).clone();
        let Some(row) = primitive.array() else { return Ok(Tangent::Zero) };
        Ok(match row.derivative() {
            Derivative::Zero | Derivative::Scale(_) => Tangent::Zero,
            Derivative::Linear => {
                let mut operands = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    operands.push(match self.atom_type(*argument).varies() {
                        true => {
                            let tangent = self.tangent(*argument);
                            self.materialise(&tangent, *argument, span)
                        }
                        false => *argument,
                    });
                }
                Tangent::Value(self.linear(Op::ArrayFunction(primitive, operands), ty.tangent(), span))
            }
            Derivative::Multilinear => {
                let (a, b) = (arguments[0], arguments[1]);
                let mut terms = Vec::new();
                if let Some(da) = self.whole(a, span) {
                    terms.push(self.bilinear(primitive, da, b, &ty, span));
                }
                if let Some(db) = self.whole(b, span) {
                    terms.push(self.bilinear(primitive, a, db, &ty, span));
                }
                self.sum(terms, &ty, span)
            }
            Derivative::Directional => {
                let mut terms = Vec::new();
                for (at, argument) in arguments.iter().enumerate() {
                    let Some(tangent) = self.whole(*argument, span) else { continue };
                    let mut operands = arguments.to_vec();
                    match at {
                        0 => operands.push(tangent),
                        at => operands[at] = tangent,
                    }
                    terms.push(self.linear(Op::ArrayFunction(primitive, operands), ty.clone(), span));
                }
                self.sum(terms, &ty, span)
            }
            Derivative::Terms(terms) => {
                let mut point = Point { arguments, result: Atom::Var(var), span };
                let mut sums = Vec::new();
                for term in terms.iter() {
                    if let Some((atom, _)) = self.term(term, &mut point) {
                        sums.push(atom);
                    }
                }
                self.sum(sums, &ty, span)
            }
        })
    }

    /// A product in which one factor is a tangent.
    fn bilinear(&mut self, primitive: &'static Primitive, a: Atom, b: Atom, ty: &Type, span: Span) -> Atom {
        match primitive.array() {
            Some(Array::Product(Product { contraction: Contraction::Outer, .. })) => self.outer(a, b, ty, span),
            _ => self.linear(Op::ArrayFunction(&array::EXACT_DOT, vec![a, b]), ty.clone(), span),
        }
    }

    fn outer(&mut self, u: Atom, v: Atom, ty: &Type, span: Span) -> Atom {
        let Type::Array(rows, row_type) = ty else { return u };
        self.each(rows, ty, span, |lineariser, i| {
            let u = lineariser.element(u, i, span);
            let Type::Array(columns, _) = &**row_type else { return u };
            lineariser.each(columns, row_type, span, |lineariser, j| {
                let v = lineariser.element(v, j, span);
                lineariser.linear(Op::Scalar(&scalar::EXACT_MUL, vec![u, v]), Type::Real, span)
            })
        })
    }

    /// An array of the linear stream, element by element.
    fn each(&mut self, size: &Size, ty: &Type, span: Span, element: impl FnOnce(&mut Self, Atom) -> Atom) -> Atom {
        let count = self.size_atom(size, span);
        self.open();
        let index = self.var(Type::Int);
        let result = element(self, Atom::Var(index));
        let level = self.close();
        // Values of the point that the elements need are read in the same body.
        let bindings = level.primal.into_iter().chain(level.linear).collect();
        self.linear(Op::Build(Iteration { count, index, body: Body { bindings, result } }), ty.clone(), span)
    }

    /// An element of an array of either stream.
    fn element(&mut self, array: Atom, index: Atom, span: Span) -> Atom {
        let Type::Array(_, element) = self.atom_type(array) else { return array };
        match array {
            Atom::Var(var) if !self.linear_vars.contains(&var) => {
                self.primal(Op::Index(array, index), (*element).clone(), span)
            }
            _ => self.linear(Op::Index(array, index), (*element).clone(), span),
        }
    }

    // ---- linear algebra ----

    /// A linear term in the tangents of the arguments; none where it is zero.
    fn term(&mut self, term: &LinearTerm, point: &mut Point) -> Option<(Atom, Type)> {
        let span = point.span;
        match term {
            LinearTerm::Tangent(at) => {
                let atom = self.whole(point.arguments[*at], span)?;
                Some((atom, self.atom_type(atom)))
            }
            LinearTerm::Sum(terms) => {
                let found: Vec<(Atom, Type)> = terms.iter().filter_map(|term| self.term(term, point)).collect();
                let ty = found.first()?.1.clone();
                match self.sum(found.into_iter().map(|(atom, _)| atom).collect(), &ty, span) {
                    Tangent::Value(atom) => Some((atom, ty)),
                    _ => None,
                }
            }
            LinearTerm::Negate(term) => {
                let (atom, ty) = self.term(term, point)?;
                Some((self.multiple_of(Atom::Real(-1.0), atom, &ty, span), ty))
            }
            LinearTerm::Inner(value, term) => {
                let (atom, ty) = self.term(term, point)?;
                let (value, _) = self.value(value, point);
                Some((self.inner(value, atom, &ty, span), Type::Real))
            }
            LinearTerm::Left(value, term) => {
                let (atom, ty) = self.term(term, point)?;
                let (value, matrix) = self.value(value, point);
                let ty = product_type(&matrix, &ty);
                Some((self.linear(Op::ArrayFunction(&array::EXACT_DOT, vec![value, atom]), ty.clone(), span), ty))
            }
            LinearTerm::Right(term, value) => {
                let (atom, ty) = self.term(term, point)?;
                let (value, matrix) = self.value(value, point);
                let ty = product_type(&ty, &matrix);
                Some((self.linear(Op::ArrayFunction(&array::EXACT_DOT, vec![atom, value]), ty.clone(), span), ty))
            }
            LinearTerm::Solve(value, term) => {
                let (atom, ty) = self.term(term, point)?;
                let (value, _) = self.value(value, point);
                Some((self.linear(Op::ArrayFunction(&array::EXACT_SOLVE, vec![value, atom]), ty.clone(), span), ty))
            }
            LinearTerm::System(primitive, term) => {
                let (atom, ty) = self.term(term, point)?;
                let operands = vec![point.arguments[0], atom];
                Some((self.linear(Op::ArrayFunction(primitive, operands), ty.clone(), span), ty))
            }
            LinearTerm::Entries { list, transposed, vector } => {
                let (list, _) = self.term(list, point)?;
                let (vector, ty) = self.value(vector, point);
                Some((self.entries_times(list, *transposed, (vector, &ty), point), ty))
            }
            LinearTerm::Transpose(term) => {
                let (atom, ty) = self.term(term, point)?;
                let ty = ty.transposed();
                Some((self.linear(Op::ArrayFunction(&array::TRANSPOSE, vec![atom]), ty.clone(), span), ty))
            }
            LinearTerm::LowerTriangle(term) => {
                let (atom, ty) = self.term(term, point)?;
                Some((self.lower_triangle(atom, &ty, span), ty))
            }
            LinearTerm::Symmetric(term) => {
                let (atom, ty) = self.term(term, point)?;
                let other = self.linear(Op::ArrayFunction(&array::TRANSPOSE, vec![atom]), ty.clone(), span);
                let sum = self.linear(Op::Plus(atom, other), ty.clone(), span);
                Some((self.multiple_of(Atom::Real(0.5), sum, &ty, span), ty))
            }
            LinearTerm::Cholesky(value, term) => self.of_factor(&array::CHOLESKY_TANGENT, value, term, point),
            LinearTerm::CholeskyAdjoint(value, term) => self.of_factor(&array::CHOLESKY_COTANGENT, value, term, point),
        }
    }

    /// `scatter_add(n, rows, [list[2][e] * vector[columns[e]] | e < k])`, where the places are those of the first argument.
    fn entries_times(&mut self, list: Atom, transposed: bool, (vector, ty): (Atom, &Type), point: &Point) -> Atom {
        let span = point.span;
        let places = point.arguments[0];
        let (Type::Array(_, row_type), Type::Array(n, _)) = (self.atom_type(places), ty) else { return vector };
        let Type::Array(k, _) = &*row_type else { return vector };
        let (rows, columns) = if transposed { (1, 0) } else { (0, 1) };
        let [rows, columns] =
            [rows, columns].map(|at| self.primal(Op::Index(places, Atom::Int(at)), (*row_type).clone(), span));
        let integers = Type::array(k.clone(), Type::Int);
        let count = self.size_atom(k, span);
        self.open();
        let index = self.var(Type::Int);
        let place = self.primal(Op::Index(rows, Atom::Var(index)), Type::Real, span);
        let result = self.primal(Op::Truncate(place), Type::Int, span);
        let level = self.close();
        let body = Body { bindings: level.primal, result };
        let rows = self.primal(Op::Build(Iteration { count, index, body }), integers, span);
        let numbers = self.linear(Op::Index(list, Atom::Int(2)), (*row_type).clone(), span);
        let products = self.each(k, &row_type, span, |lineariser, e| {
            let column = lineariser.element(columns, e, span);
            let column = lineariser.primal(Op::Truncate(column), Type::Int, span);
            let (number, factor) = (lineariser.element(numbers, e, span), lineariser.element(vector, column, span));
            lineariser.scaled(factor, number, span)
        });
        let n = self.size_atom(n, span);
        self.linear(Op::ArrayFunction(&array::SCATTER_ADD, vec![n, rows, products]), ty.clone(), span)
    }

    /// A linear function that a Cholesky factor determines, of a term.
    fn of_factor(
        &mut self,
        primitive: &'static Primitive,
        factor: &Coefficient,
        term: &LinearTerm,
        point: &mut Point,
    ) -> Option<(Atom, Type)> {
        let (atom, ty) = self.term(term, point)?;
        let (factor, _) = self.value(factor, point);
        Some((self.linear(Op::ArrayFunction(primitive, vec![factor, atom]), ty.clone(), point.span), ty))
    }

    /// A value of the point.
    fn value(&mut self, value: &Coefficient, point: &mut Point) -> (Atom, Type) {
        let span = point.span;
        match value {
            Coefficient::Argument(at) => (point.arguments[*at], self.atom_type(point.arguments[*at])),
            Coefficient::Result => (point.result, self.atom_type(point.result)),
            Coefficient::Apply(primitive, operands) if primitive.array().is_some() => {
                let operands: Vec<(Atom, Type)> = operands.iter().map(|operand| self.value(operand, point)).collect();
                let ty = result_type(primitive, &operands);
                let atoms = operands.into_iter().map(|(atom, _)| atom).collect();
                (self.primal(Op::ArrayFunction(primitive, atoms), ty.clone(), span), ty)
            }
            scalar => (self.coefficient(scalar, point.arguments, point.result, span), Type::Real),
        }
    }

    /// `[[if j <= i then a[i][j] else 0 | j < n] | i < n]`
    fn lower_triangle(&mut self, matrix: Atom, ty: &Type, span: Span) -> Atom {
        let Type::Array(rows, row_type) = ty else { return matrix };
        let Type::Array(columns, _) = &**row_type else { return matrix };
        self.each(rows, ty, span, |lineariser, i| {
            let row = lineariser.element(matrix, i, span);
            lineariser.each(columns, row_type, span, |lineariser, j| {
                let condition = lineariser.primal(Op::Compare(Comparison::LessEqual, j, i), Type::Bool, span);
                lineariser.open();
                let result = lineariser.element(row, j, span);
                let level = lineariser.close();
                let yes = Body { bindings: level.primal.into_iter().chain(level.linear).collect(), result };
                let no = Body { bindings: Vec::new(), result: Atom::Real(0.0) };
                lineariser.linear(Op::If { condition, yes, no }, Type::Real, span)
            })
        })
    }

    /// `factor · t` for a number that is known.
    fn multiple_of(&mut self, factor: Atom, atom: Atom, ty: &Type, span: Span) -> Atom {
        match ty {
            Type::Array(size, element) => self.each(size, ty, span, |lineariser, index| {
                let part = lineariser.element(atom, index, span);
                lineariser.multiple_of(factor, part, element, span)
            }),
            _ => self.scaled(factor, atom, span),
        }
    }

    fn inner(&mut self, value: Atom, atom: Atom, ty: &Type, span: Span) -> Atom {
        let Type::Array(size, element) = ty else { return self.scaled(value, atom, span) };
        let count = self.size_atom(size, span);
        self.open();
        let index = self.var(Type::Int);
        let (value, atom) = (self.element(value, Atom::Var(index), span), self.element(atom, Atom::Var(index), span));
        let result = self.inner(value, atom, element, span);
        let level = self.close();
        let bindings = level.primal.into_iter().chain(level.linear).collect();
        let iteration = Iteration { count, index, body: Body { bindings, result } };
        self.linear(Op::Reduce(Reduction::Sum, iteration), Type::Real, span)
    }
}

struct Point<'a> {
    arguments: &'a [Atom],
    result: Atom,
    span: Span,
}

/// The type of a primitive of some operands, as its row says.
pub(crate) fn result_type(primitive: &'static Primitive, operands: &[(Atom, Type)]) -> Type {
    let first = &operands[0].1;
    match primitive.array() {
        None | Some(Array::Replace) => first.clone(),
        Some(Array::Reindex(reindex)) => match &operands[reindex.array].1 {
            Type::Array(_, element) => {
                let Ok(size) = reindex.count(&mut Sizes(operands));
                Type::array(size, (**element).clone())
            }
            ty => ty.clone(),
        },
        Some(Array::Concatenate) => {
            let sizes = operands.iter().map(|(_, ty)| size_of(ty));
            let total = sizes.reduce(|total, size| total.add(&size).unwrap_or(Size::Hole));
            Type::array(total.unwrap_or(Size::Hole), element_of(first).clone())
        }
        Some(Array::Exchange) => first.transposed(),
        Some(Array::Merge) => {
            let row = element_of(first);
            let size = size_of(first).mul(&size_of(row)).unwrap_or(Size::Hole);
            Type::array(size, element_of(row).clone())
        }
        Some(Array::Product(Product { contraction: Contraction::Inner, .. })) => product_type(first, &operands[1].1),
        Some(Array::Product(Product { contraction: Contraction::Outer, .. })) => {
            Type::array(size_of(first), operands[1].1.clone())
        }
        Some(Array::Matrix(matrix)) => match matrix.result {
            MatrixResult::Number => Type::Real,
            MatrixResult::Like(at) => operands[at].1.clone(),
        },
    }
}

/// Index functions as sizes of types.
struct Sizes<'a>(&'a [(Atom, Type)]);

impl Indexing for Sizes<'_> {
    type Value = Size;
    type Error = Infallible;

    fn constant(&mut self, value: i64) -> Size {
        Size::Constant(value)
    }

    fn length(&mut self, argument: usize) -> Result<Size, Infallible> {
        Ok(size_of(&self.0[argument].1))
    }

    fn integer(&mut self, argument: usize) -> Result<Size, Infallible> {
        Ok(match self.0[argument].0 {
            Atom::Int(value) => Size::Constant(value),
            Atom::Var(var) => Size::var(var),
            Atom::Real(_) | Atom::Bool(_) => Size::Hole,
        })
    }

    fn element(&mut self, _: usize, _: Size) -> Result<Size, Infallible> {
        Ok(Size::Hole)
    }

    fn apply(&mut self, primitive: &'static Primitive, a: Size, b: Size) -> Result<Size, Infallible> {
        let size = match primitive {
            primitive if *primitive == scalar::ADD => a.add(&b),
            primitive if *primitive == scalar::SUB => a.sub(&b),
            primitive if *primitive == scalar::MUL => a.mul(&b),
            _ => None,
        };
        Ok(size.unwrap_or(Size::Hole))
    }
}

fn size_of(ty: &Type) -> Size {
    match ty {
        Type::Array(size, _) => size.clone(),
        _ => Size::Hole,
    }
}

fn element_of(ty: &Type) -> &Type {
    match ty {
        Type::Array(_, element) => element,
        ty => ty,
    }
}

/// The type of `dot(a, b)`.
fn product_type(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Array(m, row), Type::Array(_, b)) => match (&**row, &**b) {
            (Type::Array(..), Type::Array(n, _)) => Type::array(m.clone(), Type::array(n.clone(), Type::Real)),
            (Type::Array(..), _) => Type::array(m.clone(), Type::Real),
            (_, Type::Array(n, _)) => Type::array(n.clone(), Type::Real),
            _ => Type::Real,
        },
        _ => Type::Real,
    }
}
