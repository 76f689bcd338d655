//! Linear maps that are known where they are used are compiled away: applying `D f x` is forward mode, applying its
//! adjoint is reverse mode, and a combination of maps is applied by applying its parts.
//!
//! ```text
//! (g ∘ f) v = g (f v)      (f + g) v = f v + g v      (k · f) v = k · f v      (g ∘ f)ᵀ = fᵀ ∘ gᵀ
//! ```

use crate::associate::Associate;
use crate::compile::{Compiler, Problem, has_holes};
use crate::jacobian::{Derivative, Wanted, from_structure, numbers_in};
use riesz_core::build::{bind, size_of, write_size};
use riesz_core::term::{Atom, Binding, Body, Comparison, Derive, Iteration, OnMaps, Op, Place, Step, Var};
use riesz_core::{Size, Type};
use riesz_primitive::scalar;
use riesz_syntax::Span;

/// A map that is known, with its spaces.
#[derive(Clone)]
pub(crate) struct KnownMap {
    pub(crate) from: Type,
    pub(crate) to: Type,
    pub(crate) form: Form,
}

#[derive(Clone)]
pub(crate) enum Form {
    /// The derivative of a function at a point, or its adjoint.
    Derivative {
        function: Atom,
        point: Atom,
        adjoint: bool,
    },
    /// The second map, then the first.
    Compose(Box<KnownMap>, Box<KnownMap>),
    Sum(Box<KnownMap>, Box<KnownMap>),
    Multiple(Atom, Box<KnownMap>),
}

impl KnownMap {
    /// The derivative of a function at a point, where that is a map of a type.
    pub fn derivative(function: Atom, point: Atom, ty: &Type) -> Option<KnownMap> {
        let Type::Linear(arrow) = ty else { return None };
        let (from, to) = (**arrow).clone();
        Some(KnownMap { from, to, form: Form::Derivative { function, point, adjoint: false } })
    }

    /// Whether no space of maps is among its spaces: the numbers of a vector are then at places in it.
    pub fn is_plain(&self) -> bool {
        !self.from.holds_maps() && !self.to.holds_maps()
    }

    pub(crate) fn adjoint(&self) -> KnownMap {
        let adjoint = |map: &KnownMap| Box::new(map.adjoint());
        let form = match &self.form {
            Form::Derivative { function, point, adjoint } => {
                Form::Derivative { function: *function, point: *point, adjoint: !adjoint }
            }
            Form::Compose(after, before) => Form::Compose(adjoint(before), adjoint(after)),
            Form::Sum(left, right) => Form::Sum(adjoint(left), adjoint(right)),
            Form::Multiple(factor, map) => Form::Multiple(*factor, adjoint(map)),
        };
        KnownMap { from: self.to.clone(), to: self.from.clone(), form }
    }

    fn multiple(self, factor: Atom) -> KnownMap {
        let (from, to) = (self.from.clone(), self.to.clone());
        KnownMap { from, to, form: Form::Multiple(factor, Box::new(self)) }
    }

    fn plus(self, other: KnownMap) -> KnownMap {
        let (from, to) = (self.from.clone(), self.to.clone());
        KnownMap { from, to, form: Form::Sum(Box::new(self), Box::new(other)) }
    }
}

impl Compiler<'_> {
    pub(crate) fn known_map(&self, atom: Atom) -> Option<KnownMap> {
        match atom {
            Atom::Var(var) => self.maps.get(&var).cloned(),
            _ => None,
        }
    }

    /// What an operation on maps gives, if that is a map and its operands are known.
    pub(crate) fn known_result(&self, operation: OnMaps, operands: &[Atom]) -> Option<KnownMap> {
        let map = |at: usize| self.known_map(operands[at]);
        Some(match operation {
            OnMaps::Adjoint => map(0)?.adjoint(),
            OnMaps::Compose => {
                let (after, before) = (map(0)?, map(1)?);
                let (from, to) = (before.from.clone(), after.to.clone());
                KnownMap { from, to, form: Form::Compose(Box::new(after), Box::new(before)) }
            }
            OnMaps::Add => map(0)?.plus(map(1)?),
            OnMaps::Subtract => map(0)?.plus(map(1)?.multiple(Atom::Real(-1.0))),
            OnMaps::Scale => map(1)?.multiple(operands[0]),
            OnMaps::Matrix | OnMaps::Coo | OnMaps::System | OnMaps::Entries | OnMaps::OfEntries | OnMaps::OfMatrix => {
                return None;
            }
        })
    }

    pub(crate) fn bind(&mut self, op: Op, ty: Type, out: &mut Vec<Binding>, span: Span) -> Atom {
        bind(&mut self.vars, out, op, ty, span)
    }

    /// Binds a variable to what a known map makes of a vector.
    pub(crate) fn apply(
        &mut self,
        var: Var,
        map: &KnownMap,
        argument: Atom,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<(), Problem> {
        let ty = self.vars[var.0 as usize].ty.clone();
        let op = match &map.form {
            Form::Derivative { function, point, adjoint } => {
                let value = match self.atom_type(*function) {
                    Type::Function(arrow) | Type::Linear(arrow) => arrow.1.clone(),
                    _ => Type::unit(),
                };
                let both = self.var(Type::Tuple([value, ty].into()));
                let derive = if *adjoint { Derive::Reverse } else { Derive::Forward };
                self.derive(both, derive, &[*function, *point, argument], span, out)?;
                Op::Project(Atom::Var(both), 1)
            }
            Form::Compose(after, before) => {
                let between = self.var(before.to.clone());
                self.apply(between, before, argument, span, out)?;
                return self.apply(var, after, Atom::Var(between), span, out);
            }
            Form::Sum(left, right) => {
                let (a, b) = (self.var(ty.clone()), self.var(ty.clone()));
                self.apply(a, left, argument, span, out)?;
                self.apply(b, right, argument, span, out)?;
                match ty {
                    Type::Real => Op::Scalar(&scalar::ADD, vec![Atom::Var(a), Atom::Var(b)]),
                    _ => Op::Plus(Atom::Var(a), Atom::Var(b)),
                }
            }
            Form::Multiple(factor, map) => {
                let vector = self.var(ty.clone());
                self.apply(vector, map, argument, span, out)?;
                Op::Copy(self.multiple(*factor, Atom::Var(vector), &ty, span, out))
            }
        };
        out.push(Binding { var, op, span });
        Ok(())
    }

    /// `factor · vector`, with exact zeros.
    fn multiple(&mut self, factor: Atom, vector: Atom, ty: &Type, span: Span, out: &mut Vec<Binding>) -> Atom {
        match ty {
            Type::Real => self.bind(Op::Scalar(&scalar::EXACT_MUL, vec![factor, vector]), Type::Real, out, span),
            Type::Linear(_) => self.bind(Op::OnMaps(OnMaps::Scale, vec![factor, vector]), ty.clone(), out, span),
            Type::Array(size, element) => {
                let count = self.count(size, vector, &[], out, span);
                let index = self.var(Type::Int);
                let mut bindings = Vec::new();
                let part = self.bind(Op::Index(vector, Atom::Var(index)), (**element).clone(), &mut bindings, span);
                let result = self.multiple(factor, part, element, span, &mut bindings);
                let body = Body { bindings, result };
                self.bind(Op::Build(Iteration { count, index, body }), ty.clone(), out, span)
            }
            _ => {
                let mut parts = Vec::new();
                for (at, part_type) in ty.components().unwrap_or_default().iter().enumerate() {
                    let part = self.bind(Op::Project(vector, at), part_type.clone(), out, span);
                    parts.push(self.multiple(factor, part, part_type, span, out));
                }
                self.bind(Op::Tuple(parts), ty.clone(), out, span)
            }
        }
    }

    /// The size of the array that a path into a value leads to.
    fn count(&mut self, size: &Size, value: Atom, path: &[Place], out: &mut Vec<Binding>, span: Span) -> Atom {
        match size {
            Size::Hole => {
                let step = |place: &Place| match place {
                    Place::Element(_) => Step::Elements,
                    Place::Component(at) => Step::Component(*at),
                };
                self.bind(Op::SizeOf(value, path.iter().map(step).collect()), Type::Int, out, span)
            }
            size => write_size(size, &mut self.vars, out, span),
        }
    }

    /// The type of an array with the length of a value, where the type leaves that open.
    fn sized(&mut self, ty: &Type, value: Atom, out: &mut Vec<Binding>, span: Span) -> Type {
        match ty {
            Type::Array(Size::Hole, element) => {
                let count = self.count(&Size::Hole, value, &[], out, span);
                Type::Array(size_of(count), element.clone())
            }
            ty => ty.clone(),
        }
    }

    /// Binds a variable to the matrix of a known map: from the structure of what it is the derivative of, or from passes
    /// over all of that, one for each row or one for each column, whichever are fewer.
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
            && (self.structured((var, Wanted::Matrix), map, span, out)?
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

    /// Computes once what does not depend on the vector that a map is applied to.
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

    /// Whether a matrix has fewer columns than rows. As many count as fewer: a pass forward is the cheaper one.
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

    /// The matrix as what the adjoint makes of each unit vector of the codomain.
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

    /// The matrix as what the map makes of each unit vector of the domain, turned.
    fn by_columns(&mut self, map: &KnownMap, ty: &Type, span: Span, out: &mut Vec<Binding>) -> Result<Atom, Problem> {
        let turned = map.from.with_each_real(&map.to);
        let columns = self.images(&Images { map, like: None }, &map.from, &turned, &mut Vec::new(), span, out)?;
        Ok(self.turned(columns, &map.to, ty, &mut Vec::new(), span, out))
    }

    /// A matrix that is kept by columns, by rows: the part that a path into the codomain leads to.
    fn turned(
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
                let result = self.turned(columns, element, inner, path, span, &mut bindings);
                path.pop();
                self.bind(Op::Build(Iteration { count, index, body: Body { bindings, result } }), ty.clone(), out, span)
            }
            _ => {
                let (parts, types) = (part.components().unwrap_or_default(), ty.components().unwrap_or_default());
                let mut atoms = Vec::with_capacity(parts.len());
                for (at, (part, ty)) in parts.iter().zip(&types).enumerate() {
                    path.push(Place::Component(at));
                    atoms.push(self.turned(columns, part, ty, path, span, out));
                    path.pop();
                }
                self.bind(Op::Tuple(atoms), ty.clone(), out, span)
            }
        }
    }

    /// A vector of a space whose numbers `number` makes of what stands in their places in a value.
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
                self.structured((var, Wanted::Coo), &map, span, out)
            }
            None => Ok(false),
        }
    }

    /// Binds a variable to a matrix that the structure of a map gives.
    pub(crate) fn structured(
        &mut self,
        wanted: (Var, Wanted),
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

    /// What a map makes of the unit vectors of its domain: the part that a path into the domain leads to.
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

/// What there are fewer of in a matrix.
enum Fewer {
    Rows,
    Columns,
    /// Columns, if a condition holds that is known when the program runs.
    ColumnsIf(Atom),
}
