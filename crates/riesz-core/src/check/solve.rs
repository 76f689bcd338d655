//! `solve(m, b)` for a linear map `m`: the vector `x` with `m x = b`.
//!
//! Numbers are divided, and a few numbers are solved for by the matrix of the map. Other vectors are solved for by the entries
//! of the matrix that are not structurally zero, which choose the algorithm (`riesz_runtime::system`); the numbers of a vector
//! stand in one array. A map that multiplies a matrix from its sides is inverted by what stands there:
//!
//! ```text
//!   solve(m, b) = vector (sparse solve(entries m, coordinates b))
//!   solve(x ↦ a x c, b) = (cᵀ \ (a \ b)ᵀ)ᵀ
//! ```

use super::arithmetic::Typed;
use super::call::CallArgument;
use super::draft::Draft;
use crate::size::Size;
use crate::term::{Atom, Body, Comparison, Iteration, OnMaps, Op, Recurrence};
use crate::types::Type;
use riesz_primitive::{array, scalar};
use riesz_syntax::Span;

/// Vectors of so few numbers are solved for by the matrix.
const FEW: i64 = 8;

impl Draft<'_> {
    /// `solve(m, b)`, for a map from a space to itself.
    pub(super) fn solve_map(&mut self, (map, ty): Typed, right: &CallArgument, span: Span) -> Typed {
        let Type::Linear(arrow) = self.resolve_deep(&ty) else { return (Atom::Int(0), Type::Error) };
        if let Err(mismatch) = self.unify(&arrow.0, &arrow.1, span) {
            let diagnostic = self.mismatch(mismatch, &arrow.1, &arrow.0, span);
            return self.fail(diagnostic.help(format!(
                "`solve` takes a map from a space to itself, and this is {}; for least squares solve with `compose(adjoint(m), m)`",
                self.show(&ty)
            )));
        }
        let (value, found) = self.value(right, Some(&arrow.1));
        let place = self.given_span(right);
        let value = self.flow(value, &found, &arrow.1, place);
        let space = self.resolve_deep(&arrow.1);
        self.solved((map, ty), (value, space), span)
    }

    /// The solution of a linear system between spaces that are alike.
    pub(super) fn solved(&mut self, (map, ty): Typed, (right, space): Typed, span: Span) -> Typed {
        let Type::Linear(arrow) = self.resolve_deep(&ty) else { return (Atom::Int(0), Type::Error) };
        let domain = arrow.0.clone();
        match (&domain, self.resolve_deep(&space)) {
            (Type::Real, Type::Real) => {
                let slope = self.bind(Op::Apply(map, Atom::Real(1.0)), Type::Real, span);
                (self.bind(Op::Scalar(&scalar::DIV, vec![right, slope]), Type::Real, span), Type::Real)
            }
            (Type::Array(Size::Constant(..=FEW), element), Type::Array(_, other))
                if **element == Type::Real && *other == Type::Real =>
            {
                let (matrix, _) = self.matrix((map, ty), span);
                (self.bind(Op::ArrayFunction(&array::SOLVE, vec![matrix, right]), domain.clone(), span), domain)
            }
            // The signature is checked at a type that is not known; what is called knows it.
            (Type::Array(_, row), _) if matches!(&**row, Type::Array(_, element) if **element == Type::Real) => {
                self.by_factors(map, (right, space), domain.clone(), span)
            }
            _ if !is_plain(&domain) => (self.bind(Op::Copy(right), domain.clone(), span), domain),
            _ => self.by_entries(map, (right, space), domain, span),
        }
    }

    /// The solution by the matrices beside the argument of the map, or by entries.
    fn by_factors(&mut self, map: Atom, (right, space): Typed, domain: Type, span: Span) -> Typed {
        let matrix = Type::array(Size::Hole, Type::array(Size::Hole, Type::Real));
        let ty = Type::Tuple([Type::Int, matrix.clone(), matrix].into());
        let found = self.bind(Op::OnMaps(OnMaps::Factors, vec![map]), ty, span);
        let which = self.bind(Op::Project(found, 0), Type::Int, span);
        let condition = self.bind(Op::Compare(Comparison::Less, which, Atom::Int(1)), Type::Bool, span);
        self.open();
        let (solution, _) = self.by_entries(map, (right, space.clone()), domain.clone(), span);
        let yes = self.close(solution);
        self.open();
        let solution = self.by_sides((found, which), right, &domain, span);
        let no = self.close(solution);
        (self.bind(Op::If { condition, yes, no }, domain.clone(), span), domain)
    }

    fn by_sides(&mut self, (found, which): (Atom, Atom), right: Atom, domain: &Type, span: Span) -> Atom {
        let Type::Array(rows, row) = domain else { return right };
        let Type::Array(columns, _) = &**row else { return right };
        let matrix = |rows: &Size, columns: &Size| Type::array(rows.clone(), Type::array(columns.clone(), Type::Real));
        let factor = |draft: &mut Self, at: usize, size: &Size| {
            let open = matrix(&Size::Hole, &Size::Hole);
            let factor = draft.bind(Op::Project(found, at), open, span);
            draft.bind(Op::Copy(factor), matrix(size, size), span)
        };
        let turned = |draft: &mut Self, value: Atom, rows: &Size, columns: &Size| {
            draft.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![value]), matrix(rows, columns), span)
        };
        let has_left = self.bind(Op::Compare(Comparison::Less, which, Atom::Int(3)), Type::Bool, span);
        self.open();
        let left = factor(self, 1, rows);
        let solution = self.bind(Op::ArrayFunction(&array::SOLVE, vec![left, right]), domain.clone(), span);
        let yes = self.close(solution);
        let no = Body { bindings: Vec::new(), result: right };
        let half = self.bind(Op::If { condition: has_left, yes, no }, domain.clone(), span);
        let has_right = self.bind(Op::Compare(Comparison::Less, Atom::Int(1), which), Type::Bool, span);
        self.open();
        let other = factor(self, 2, columns);
        let other = turned(self, other, columns, columns);
        let columns_of_half = turned(self, half, columns, rows);
        let solve = Op::ArrayFunction(&array::SOLVE, vec![other, columns_of_half]);
        let solution = self.bind(solve, matrix(columns, rows), span);
        let solution = turned(self, solution, rows, columns);
        let yes = self.close(solution);
        let no = Body { bindings: Vec::new(), result: half };
        self.bind(Op::If { condition: has_right, yes, no }, domain.clone(), span)
    }

    /// The solution by the entries of the map's matrix, of which the structure of the program tells where they are. Unknowns
    /// beyond those of the space stand for values between, and the right side of their equations is zero.
    fn by_entries(&mut self, map: Atom, (right, space): Typed, domain: Type, span: Span) -> Typed {
        let (coordinates, ty) = self.coordinates((right, space), span);
        let count = self.length(coordinates, &ty, span);
        let entries = Type::Record(crate::types::Record::entries());
        let found = self.bind(Op::OnMaps(OnMaps::System, vec![map]), entries.clone(), span);
        let (found, entries) = self.read_sizes(found, entries, span);
        let mut fields = self.parts((found, entries), span);
        let (Some(values), Some(rows), Some(columns)) = (fields.pop(), fields.pop(), fields.pop()) else {
            return (Atom::Int(0), Type::Error);
        };
        let Type::Array(size, _) = &values.1 else { return (Atom::Int(0), Type::Error) };
        let entry_count = self.length(values.0, &values.1, span);
        let one = Atom::Int(1);
        // The last row, and the number of unknowns.
        let start = self.bind(Op::Scalar(&scalar::SUB, vec![count, one]), Type::Int, span);
        self.open();
        let (state, index) = (self.var(Type::Int, None), self.var(Type::Int, None));
        let row = self.bind(Op::Index(rows.0, Atom::Var(index)), Type::Int, span);
        let last = self.bind(Op::Scalar(&scalar::MAX, vec![Atom::Var(state), row]), Type::Int, span);
        let body = self.close(last);
        let last = self.bind(Op::Loop(Recurrence { state, start, count: entry_count, index, body }), Type::Int, span);
        let unknowns = self.bind(Op::Scalar(&scalar::ADD, vec![last, one]), Type::Int, span);
        let places = [rows.0, columns.0].map(|places| {
            self.open();
            let index = self.var(Type::Int, None);
            let place = self.bind(Op::Index(places, Atom::Var(index)), Type::Int, span);
            let place = self.bind(Op::ToReal(place), Type::Real, span);
            let body = self.close(place);
            self.bind(Op::Build(Iteration { count: entry_count, index, body }), values.1.clone(), span)
        });
        let list = Op::Array(vec![places[0], places[1], values.0]);
        let list = self.bind(list, Type::array(Size::Constant(3), Type::array(size.clone(), Type::Real)), span);
        self.open();
        let index = self.var(Type::Int, None);
        let condition = self.bind(Op::Compare(Comparison::Less, Atom::Var(index), count), Type::Bool, span);
        self.open();
        let number = self.bind(Op::Index(coordinates, Atom::Var(index)), Type::Real, span);
        let (yes, no) = (self.close(number), Body { bindings: Vec::new(), result: Atom::Real(0.0) });
        let number = self.bind(Op::If { condition, yes, no }, Type::Real, span);
        let body = self.close(number);
        let ty = Type::array(self.size_of(unknowns), Type::Real);
        let padded = self.bind(Op::Build(Iteration { count: unknowns, index, body }), ty.clone(), span);
        let found = self.bind(Op::ArrayFunction(&array::SPARSE_SOLVE, vec![list, padded]), ty, span);
        self.vector_of((found, &mut Atom::Int(0)), (right, domain), span)
    }

    /// The numbers of a vector in one array, the fields of records in the order in which they are declared.
    fn coordinates(&mut self, value: Typed, span: Span) -> Typed {
        let array_of = |size: Size| Type::array(size, Type::Real);
        let declared = self.resolve(&value.1).declared().unwrap_or_default();
        match self.resolve_deep(&value.1) {
            Type::Real => {
                let ty = array_of(Size::Constant(1));
                (self.bind(Op::Array(vec![value.0]), ty.clone(), span), ty)
            }
            Type::Array(_, element) if *element == Type::Real => value,
            Type::Array(size, _) => {
                let (rows, ty) = self.each(&[value], span, |draft, mut parts| {
                    let part = parts.remove(0);
                    draft.coordinates(part, span)
                });
                let (rows, ty) = self.read_sizes(rows, ty, span);
                let Type::Array(_, row) = &ty else { return (Atom::Int(0), Type::Error) };
                let inner = match &**row {
                    Type::Array(inner, _) => inner.clone(),
                    _ => Size::Hole,
                };
                let ty = array_of(size.mul(&inner).unwrap_or(Size::Hole));
                let flat = self.bind(Op::ArrayFunction(&array::FLATTEN, vec![rows]), ty.clone(), span);
                self.read_sizes(flat, ty, span)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut total = Size::Constant(0);
                let mut atoms = Vec::new();
                let parts = self.parts(value, span);
                for at in declared {
                    let (atom, ty) = self.coordinates(parts[at].clone(), span);
                    if let Type::Array(size, _) = self.resolve_deep(&ty) {
                        total = total.add(&size).unwrap_or(Size::Hole);
                    }
                    atoms.push(atom);
                }
                let ty = array_of(total);
                let value = match atoms.is_empty() {
                    true => self.bind(Op::Array(atoms), ty.clone(), span),
                    false => self.bind(Op::ArrayFunction(&array::CONCAT, atoms), ty.clone(), span),
                };
                self.read_sizes(value, ty, span)
            }
            _ => {
                let ty = array_of(Size::Constant(0));
                (self.bind(Op::Array(Vec::new()), ty.clone(), span), ty)
            }
        }
    }

    /// The vector of the shape of another whose numbers stand in an array from a position on, which moves behind them.
    fn vector_of(&mut self, (numbers, at): (Atom, &mut Atom), (like, ty): Typed, span: Span) -> Typed {
        match self.resolve_deep(&ty) {
            Type::Real => {
                let number = self.bind(Op::Index(numbers, *at), Type::Real, span);
                *at = self.sum_of(*at, Atom::Int(1), span);
                (number, Type::Real)
            }
            Type::Array(size, element) => {
                let count = self.length(like, &Type::array(size.clone(), (*element).clone()), span);
                self.open();
                let index = self.var(Type::Int, None);
                let part = self.bind(Op::Index(like, Atom::Var(index)), (*element).clone(), span);
                let width = self.count_of((part, (*element).clone()), span);
                let offset = self.bind(Op::Scalar(&scalar::MUL, vec![Atom::Var(index), width]), Type::Int, span);
                let mut inner = self.sum_of(*at, offset, span);
                let (element_value, element_type) =
                    self.vector_of((numbers, &mut inner), (part, (*element).clone()), span);
                let body = self.close(element_value);
                let ty = Type::array(size, self.leave(&element_type));
                let built = self.bind(Op::Build(Iteration { count, index, body }), ty.clone(), span);
                let total = self.count_of((like, ty.clone()), span);
                *at = self.sum_of(*at, total, span);
                (built, ty)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let ty = self.resolve(&ty);
                let parts = self.parts((like, ty.clone()), span);
                let mut found = parts.clone();
                for place in ty.declared().unwrap_or_default() {
                    found[place] = self.vector_of((numbers, &mut *at), parts[place].clone(), span);
                }
                let (atoms, types) = found.into_iter().unzip();
                let ty = ty.with_components(types);
                (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
            }
            _ => (self.bind(Op::Tuple(Vec::new()), Type::unit(), span), Type::unit()),
        }
    }

    /// The zero of a space. A signature that is checked at a type that is not known gives something of that type.
    pub(super) fn zero_of(&mut self, space: &Type, unknown: Atom, span: Span) -> Typed {
        match self.resolve_deep(space) {
            Type::Real => (Atom::Real(0.0), Type::Real),
            Type::Array(size, element) => {
                let count = self.compute(&size, span);
                self.build(count, span, |draft, _| draft.zero_of(&element, unknown, span))
            }
            ty @ (Type::Tuple(_) | Type::Record(_)) => {
                let parts = ty.components().unwrap_or_default();
                let (atoms, types) = parts.iter().map(|part| self.zero_of(part, unknown, span)).unzip();
                let ty = ty.with_components(types);
                (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
            }
            ty => (self.bind(Op::Copy(unknown), ty.clone(), span), ty),
        }
    }

    /// How many numbers a vector has. Elements of an array have as many each.
    fn count_of(&mut self, (value, ty): Typed, span: Span) -> Atom {
        match self.resolve_deep(&ty) {
            Type::Real => Atom::Int(1),
            Type::Array(size, element) => {
                let count = self.length(value, &Type::array(size.clone(), (*element).clone()), span);
                if *element == Type::Real {
                    return count;
                }
                // The sum over the elements: an array without any tells nothing of them.
                self.open();
                let index = self.var(Type::Int, None);
                let part = self.bind(Op::Index(value, Atom::Var(index)), (*element).clone(), span);
                let inner = self.count_of((part, (*element).clone()), span);
                let body = self.close(inner);
                let reduction = crate::term::Reduction::Sum;
                self.bind(Op::Reduce(reduction, Iteration { count, index, body }), Type::Int, span)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut total = Atom::Int(0);
                for part in self.parts((value, ty), span) {
                    let count = self.count_of(part, span);
                    total = self.sum_of(total, count, span);
                }
                total
            }
            _ => Atom::Int(0),
        }
    }

    fn sum_of(&mut self, a: Atom, b: Atom, span: Span) -> Atom {
        match (a, b) {
            (Atom::Int(0), b) => b,
            (a, Atom::Int(0)) => a,
            (Atom::Int(a), Atom::Int(b)) => Atom::Int(a + b),
            (a, b) => self.bind(Op::Scalar(&scalar::ADD, vec![a, b]), Type::Int, span),
        }
    }
}

/// Whether a space is made of numbers alone: no maps, nothing that is not known.
fn is_plain(ty: &Type) -> bool {
    !ty.any(&mut |part| {
        matches!(part, Type::Variable(_) | Type::Unknown(_) | Type::Error | Type::Linear(_) | Type::Function(_))
    })
}
