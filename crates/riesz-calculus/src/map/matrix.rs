//! The matrix of a known map: from the structure of the function that it is the derivative of, or by passes over all of
//! the map, one for each row or one for each column.
//!
//! ```text
//! row i = fᵀ eᵢ      column j = f eⱼ
//! ```

use super::{Form, KnownMap};
use crate::associate::Associate;
use crate::compile::{Compiler, Problem, has_holes};
use crate::jacobian::{Derivative, MatrixForm, from_structure, numbers_in};
use riesz_core::build::write_size;
use riesz_core::term::{Atom, Binding, Body, Comparison, Iteration, Op, Place, Var};
use riesz_core::{Size, Type};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;

impl Compiler<'_> {
    /// Binds a variable to the matrix of a known map, from its structure or by the rows or the columns, whichever are
    /// fewer.
    pub(crate) fn matrix(
        &mut self,
        var: Var,
        map: &KnownMap,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<(), Problem> {
        self.matrix_with(var, map, SPLITS, span, out)
    }

    /// The same, split at no more than some places.
    pub(crate) fn matrix_with(
        &mut self,
        var: Var,
        map: &KnownMap,
        splits: usize,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<(), Problem> {
        if map.from == Type::Real {
            return self.apply(var, map, Atom::Real(1.0), span, out);
        }
        let cheapest = self.calculus.associate == Associate::Cheapest;
        if cheapest
            && (self.structured((var, MatrixForm::Matrix), map, span, out)?
                || self.by_factors(var, map, splits, span, out)?)
        {
            return Ok(());
        }
        self.by_passes(var, map, span, out)
    }

    /// Binds a variable to the matrix of a known map by one pass for each row or one for each column.
    pub(crate) fn by_passes(
        &mut self,
        var: Var,
        map: &KnownMap,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<(), Problem> {
        let ty = self.vars[var.0 as usize].ty.clone();
        let before = self.points.len();
        self.compute_points(map, span, out);
        let fewer = match self.calculus.associate {
            Associate::Cheapest => self.fewer_columns(map, span, out),
            Associate::Forward if !has_holes(&map.to) => Fewer::Columns,
            Associate::Forward => Fewer::Rows,
            Associate::Reverse => Fewer::Rows,
        };
        let matrix = match fewer {
            Fewer::Rows => self.by_rows(map, &ty, span, out)?,
            Fewer::Columns => self.by_columns(map, &ty, span, out)?,
            Fewer::ColumnsIf(condition) => {
                let (mut columns, mut rows) = (Vec::new(), Vec::new());
                let result = self.by_columns(map, &ty, span, &mut columns)?;
                let yes = Body { bindings: columns, result };
                let result = self.by_rows(map, &ty, span, &mut rows)?;
                let no = Body { bindings: rows, result };
                self.bind(Op::If { condition, yes, no }, ty, out, span)
            }
        };
        self.points.truncate(before);
        out.push(Binding { var, op: Op::Copy(matrix), span });
        Ok(())
    }

    /// Computes once the values that do not depend on the vector to which a map is applied.
    fn compute_points(&mut self, map: &KnownMap, span: Span, out: &mut Vec<Binding>) {
        match &map.form {
            Form::Derivative { function, point, .. } => self.compute_at(*function, *point, span, out),
            Form::Compose(a, b) | Form::Sum(a, b) => {
                self.compute_points(a, span, out);
                self.compute_points(b, span, out);
            }
            Form::Multiple(_, map) => self.compute_points(map, span, out),
        }
    }

    /// The smaller dimension of a matrix; the columns if they are equal, because a forward pass costs less.
    fn fewer_columns(&mut self, map: &KnownMap, span: Span, out: &mut Vec<Binding>) -> Fewer {
        let (Some(columns), Some(rows)) = (numbers_in(&map.from), numbers_in(&map.to)) else { return Fewer::Rows };
        match (columns.sub(&rows), &columns, &rows) {
            (Some(Size::Constant(more)), ..) if more > 0 => Fewer::Rows,
            (Some(Size::Constant(_)), ..) => Fewer::Columns,
            (_, _, Size::Constant(..FEW)) => Fewer::Rows,
            (_, Size::Constant(..FEW), _) => Fewer::Columns,
            _ => {
                let columns = write_size(&columns, &mut self.vars, out, span);
                let rows = write_size(&rows, &mut self.vars, out, span);
                let op = Op::Compare(Comparison::LessEqual, columns, rows);
                Fewer::ColumnsIf(self.bind(op, Type::Bool, out, span))
            }
        }
    }

    /// The matrix by rows: the images of the unit vectors of the codomain under the adjoint.
    fn by_rows(&mut self, map: &KnownMap, ty: &Type, span: Span, out: &mut Vec<Binding>) -> Result<Atom, Problem> {
        // Where the type does not say how large the codomain is, a vector of it does.
        let mut adjoint = map.adjoint();
        let mut like = None;
        if has_holes(&map.to) {
            let zero = self.zero_of_codomain(map, span, out)?;
            adjoint.from = self.sized(&map.to, zero, out, span);
            like = Some(zero);
        }
        let codomain = adjoint.from.clone();
        self.images(&Images { map: &adjoint, like }, &codomain, ty, &mut Vec::new(), span, out)
    }

    /// The matrix by columns: the images of the unit vectors of the domain, transposed.
    fn by_columns(&mut self, map: &KnownMap, ty: &Type, span: Span, out: &mut Vec<Binding>) -> Result<Atom, Problem> {
        let transposed = map.from.with_each_real(&map.to);
        let columns = self.images(&Images { map, like: None }, &map.from, &transposed, &mut Vec::new(), span, out)?;
        Ok(self.transposed(columns, &map.to, ty, &mut Vec::new(), span, out))
    }

    /// The rows of a matrix that is stored by columns, in the part of the codomain at the end of a path.
    fn transposed(
        &mut self,
        columns: Atom,
        part: &Type,
        ty: &Type,
        path: &mut Vec<Place>,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Atom {
        match (part, ty) {
            // A row: every number of it is read from a column.
            (Type::Real, _) => self.each_number(columns, ty, span, out, &mut |compiler, mut column, out| {
                for place in path.iter() {
                    column = compiler.part(column, *place, span, out);
                }
                column
            }),
            (Type::Array(size, element), Type::Array(_, inner)) => {
                let count = write_size(size, &mut self.vars, out, span);
                let index = self.var(Type::Int);
                let mut bindings = Vec::new();
                path.push(Place::Element(Atom::Var(index)));
                let result = self.transposed(columns, element, inner, path, span, &mut bindings);
                path.pop();
                self.bind(Op::Build(Iteration { count, index, body: Body { bindings, result } }), ty.clone(), out, span)
            }
            _ => {
                let (parts, types) = (part.components().unwrap_or_default(), ty.components().unwrap_or_default());
                let mut atoms = Vec::with_capacity(parts.len());
                for (at, (part, ty)) in parts.iter().zip(&types).enumerate() {
                    path.push(Place::Component(at));
                    atoms.push(self.transposed(columns, part, ty, path, span, out));
                    path.pop();
                }
                self.bind(Op::Tuple(atoms), ty.clone(), out, span)
            }
        }
    }

    /// A vector of a space whose numbers `number` computes from the parts of a value in their places.
    fn each_number(
        &mut self,
        value: Atom,
        ty: &Type,
        span: Span,
        out: &mut Vec<Binding>,
        number: &mut dyn FnMut(&mut Self, Atom, &mut Vec<Binding>) -> Atom,
    ) -> Atom {
        match ty {
            Type::Real => number(self, value, out),
            Type::Array(size, element) => {
                let count = write_size(size, &mut self.vars, out, span);
                let index = self.var(Type::Int);
                let mut bindings = Vec::new();
                let part = self.part(value, Place::Element(Atom::Var(index)), span, &mut bindings);
                let result = self.each_number(part, element, span, &mut bindings, number);
                self.bind(Op::Build(Iteration { count, index, body: Body { bindings, result } }), ty.clone(), out, span)
            }
            _ => {
                let mut atoms = Vec::new();
                for (at, ty) in ty.components().unwrap_or_default().iter().enumerate() {
                    let part = self.part(value, Place::Component(at), span, out);
                    atoms.push(self.each_number(part, ty, span, out, number));
                }
                self.bind(Op::Tuple(atoms), ty.clone(), out, span)
            }
        }
    }

    fn part(&mut self, value: Atom, place: Place, span: Span, out: &mut Vec<Binding>) -> Atom {
        let (op, ty) = match (place, self.atom_type(value)) {
            (Place::Element(index), Type::Array(_, element)) => (Op::Index(value, index), (*element).clone()),
            (Place::Component(at), ty) => match ty.component(at) {
                Some(part) => (Op::Project(value, at), part.clone()),
                None => return value,
            },
            _ => return value,
        };
        self.bind(op, ty, out, span)
    }

    /// Binds a variable to the sparse matrix of a map, if the map is known and its structure tells.
    pub(crate) fn sparse_matrix(
        &mut self,
        var: Var,
        map: Atom,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<bool, Problem> {
        let ty = self.atom_type(map);
        match self.known_map(map) {
            Some(mut map) => {
                // Rows and columns are counted by the type of this map, not by that of the function.
                if let Type::Linear(arrow) = &ty {
                    (map.from, map.to) = (map.from.declared_as(&arrow.0), map.to.declared_as(&arrow.1));
                }
                self.structured((var, MatrixForm::Coo), &map, span, out)
            }
            None => Ok(false),
        }
    }

    /// Binds a variable to a matrix that the structure of a map gives.
    pub(crate) fn structured(
        &mut self,
        wanted: (Var, MatrixForm),
        map: &KnownMap,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<bool, Problem> {
        let Form::Derivative { function: Atom::Var(function), point, adjoint } = &map.form else { return Ok(false) };
        if !map.is_plain() {
            return Ok(false);
        }
        let Some((function, captured)) = self.closures.get(function).cloned() else { return Ok(false) };
        let (from, to) = (&map.from, &map.to);
        let derivative = Derivative { function, captured: &captured, point: *point, adjoint: *adjoint, from, to };
        from_structure(self.calculus, &mut self.vars, &derivative, wanted, span, out)
    }

    /// The zero of a map's codomain.
    fn zero_of_codomain(&mut self, map: &KnownMap, span: Span, out: &mut Vec<Binding>) -> Result<Atom, Problem> {
        Ok(match &map.form {
            Form::Derivative { point, adjoint: true, .. } => self.bind(Op::Zero(*point), map.to.clone(), out, span),
            Form::Derivative { point, adjoint: false, .. } => {
                let zero = self.bind(Op::Zero(*point), map.from.clone(), out, span);
                let result = self.var(map.to.clone());
                self.apply(result, map, zero, span, out)?;
                Atom::Var(result)
            }
            Form::Compose(map, _) | Form::Sum(map, _) | Form::Multiple(_, map) => {
                self.zero_of_codomain(map, span, out)?
            }
        })
    }

    /// The images of the unit vectors of the domain of a map, in the part of the domain at the end of a path.
    fn images(
        &mut self,
        images: &Images,
        part: &Type,
        ty: &Type,
        path: &mut Vec<Place>,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<Atom, Problem> {
        Ok(match (part, ty) {
            (Type::Real, _) => {
                let domain = images.map.from.clone();
                let ty_of_sum = Type::Accumulator(domain.clone().into());
                let accumulator = self.bind(Op::Accumulator, ty_of_sum, out, span);
                if let Some(zero) = images.like {
                    self.bind(Op::AddTo(accumulator, Vec::new(), zero), Type::unit(), out, span);
                }
                self.bind(Op::AddTo(accumulator, path.clone(), Atom::Real(1.0)), Type::unit(), out, span);
                let unit = self.bind(Op::Read(accumulator), domain, out, span);
                let image = self.var(ty.clone());
                self.apply(image, images.map, unit, span, out)?;
                Atom::Var(image)
            }
            (Type::Array(_, element), _) if path.is_empty() && is_array_of_reals(element) && !has_holes(part) => {
                self.images_in_one_loop(images, part, ty, span, out)?
            }
            (Type::Array(size, element), Type::Array(_, inner)) => {
                let like = images.like.unwrap_or(Atom::Int(0));
                let count = self.count(size, like, path, out, span);
                let index = self.var(Type::Int);
                let mut bindings = Vec::new();
                path.push(Place::Element(Atom::Var(index)));
                let result = self.images(images, element, inner, path, span, &mut bindings)?;
                path.pop();
                let body = Body { bindings, result };
                self.bind(Op::Build(Iteration { count, index, body }), ty.clone(), out, span)
            }
            _ => {
                let (parts, types) = (part.components().unwrap_or_default(), ty.components().unwrap_or_default());
                let mut atoms = Vec::with_capacity(parts.len());
                for (at, (part, ty)) in parts.iter().zip(&types).enumerate() {
                    path.push(Place::Component(at));
                    atoms.push(self.images(images, part, ty, path, span, out)?);
                    path.pop();
                }
                self.bind(Op::Tuple(atoms), ty.clone(), out, span)
            }
        })
    }
}

impl Compiler<'_> {
    /// The images of the unit vectors of a domain of several axes, which are one axis here: a loop of many iterations runs
    /// better than short loops inside of each other.
    fn images_in_one_loop(
        &mut self,
        images: &Images,
        domain: &Type,
        ty: &Type,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<Atom, Problem> {
        let (mut sizes, mut part, mut image_type) = (Vec::new(), domain, ty);
        while let (Type::Array(size, element), Type::Array(_, inner)) = (part, image_type) {
            sizes.push(size.clone());
            (part, image_type) = (element, inner);
        }
        let total = sizes.iter().try_fold(Size::Constant(1), |total, size| total.mul(size)).unwrap_or(Size::Hole);
        let count = match total {
            Size::Hole => sizes.iter().fold(Atom::Int(1), |count, size| {
                let size = write_size(size, &mut self.vars, out, span);
                self.integer(&scalar::MUL, count, size, out, span)
            }),
            _ => write_size(&total, &mut self.vars, out, span),
        };
        let direction = self.var(Type::Int);
        let mut bindings = Vec::new();
        let unit = self.at_each(&sizes, domain, &mut Vec::new(), span, &mut bindings, &mut |compiler, at, out| {
            let condition = compiler.bind(Op::Same(at, Atom::Var(direction)), Type::Bool, out, span);
            let of = |number| Body { bindings: Vec::new(), result: Atom::Real(number) };
            compiler.bind(Op::If { condition, yes: of(1.0), no: of(0.0) }, Type::Real, out, span)
        });
        let image = self.var(image_type.clone());
        self.apply(image, images.map, unit, span, &mut bindings)?;
        let body = Body { bindings, result: Atom::Var(image) };
        let all = Type::array(total, image_type.clone());
        let all = self.bind(Op::Build(Iteration { count, index: direction, body }), all, out, span);
        let image_type = image_type.clone();
        Ok(self.at_each(&sizes, ty, &mut Vec::new(), span, out, &mut |compiler, at, out| {
            compiler.bind(Op::Index(all, at), image_type.clone(), out, span)
        }))
    }

    /// An array of several axes, made of what stands at each place, the places counted row by row.
    fn at_each(
        &mut self,
        sizes: &[Size],
        ty: &Type,
        indices: &mut Vec<Atom>,
        span: Span,
        out: &mut Vec<Binding>,
        make: &mut dyn FnMut(&mut Self, Atom, &mut Vec<Binding>) -> Atom,
    ) -> Atom {
        let (Some(size), Type::Array(_, element)) = (sizes.get(indices.len()), ty) else {
            let mut place = Atom::Int(0);
            for (index, size) in indices.iter().zip(sizes) {
                let size = write_size(size, &mut self.vars, out, span);
                let before = self.integer(&scalar::MUL, place, size, out, span);
                place = self.integer(&scalar::ADD, before, *index, out, span);
            }
            return make(self, place, out);
        };
        let count = write_size(size, &mut self.vars, out, span);
        let index = self.var(Type::Int);
        let mut bindings = Vec::new();
        indices.push(Atom::Var(index));
        let result = self.at_each(sizes, element, indices, span, &mut bindings, make);
        indices.pop();
        self.bind(Op::Build(Iteration { count, index, body: Body { bindings, result } }), ty.clone(), out, span)
    }

    /// A sum or a product of integers.
    fn integer(&mut self, primitive: &'static Primitive, a: Atom, b: Atom, out: &mut Vec<Binding>, span: Span) -> Atom {
        let is_sum = std::ptr::eq(primitive, &scalar::ADD);
        match (a, b) {
            (Atom::Int(0), other) if is_sum => other,
            (Atom::Int(0), _) => Atom::Int(0),
            (Atom::Int(1), other) if !is_sum => other,
            (a, b) => self.bind(Op::Scalar(primitive, vec![a, b]), Type::Int, out, span),
        }
    }
}

/// Whether a space is an array of numbers, of any number of axes.
fn is_array_of_reals(ty: &Type) -> bool {
    matches!(ty, Type::Array(_, element) if **element == Type::Real || is_array_of_reals(element))
}

/// A map whose images are wanted.
struct Images<'m> {
    map: &'m KnownMap,
    /// A zero of its domain, where the type does not say how large that is.
    like: Option<Atom>,
}

/// At how many places the matrix of a chain is split.
const SPLITS: usize = 6;
/// How many rows or columns are too few to count more than.
const FEW: i64 = 5;

/// The dimension of a matrix that is smaller.
enum Fewer {
    Rows,
    Columns,
    /// Columns, if a condition holds that is known when the program runs.
    ColumnsIf(Atom),
}
