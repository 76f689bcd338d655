//! The language of symbolic maps: coefficients are expressions over the values of the point, sizes are those of types.
//!
//! Operations on coefficients that a law needs are written down, not computed: `⟨u, v⟩` is `dot(u, v)`. The cost of a
//! map is estimated with a small number in place of every unknown size.

use super::count::dimension;
use super::function::{is_product, transposed};
use super::scope::Scope;
use super::term::{
    Binder, Expr, Extra, Form, Head, Kind, Operation, Part, Relation, Term, Unitary, derivative_of, map_exprs,
    own_exprs, size_of, visit, visit_exprs,
};
use riesz_core::Type;
use riesz_core::size::Size;
use riesz_core::term::{Atom, Reduction};
use riesz_linear::{Argument, Function, Language, Measure, RankOne, Value};
use riesz_primitive::array;

/// The language of maps whose coefficients are expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbolic;

/// The value that is assumed for an unknown size.
pub(crate) const ASSUMED: i64 = 10;
/// From which length on an expression is work and not only text.
const LONG: usize = 100;

impl Language for Symbolic {
    type Space = Type;
    type Dimension = u64;
    type Number = Expr;
    type Vector = Expr;
    type Matrix = Expr;
    type Relation = Relation;
    type Unitary = Unitary;
    type Part = Part;
    type Binder = Binder;
    type Extra = Extra;
    type Context<'c> = Scope<'c>;

    const SHARES: bool = false;

    fn dimension(space: &Type) -> u64 {
        let assumed = dimension(space).evaluate(&mut |_| Some(ASSUMED));
        assumed.and_then(|numbers| u64::try_from(numbers).ok()).unwrap_or((ASSUMED * ASSUMED) as u64)
    }

    fn is_array(space: &Type) -> bool {
        matches!(space, Type::Array(..))
    }

    fn same_number(a: &Expr, b: &Expr) -> bool {
        a == b
    }

    fn transpose(matrix: &Expr) -> Expr {
        match matrix {
            Expr::Apply(Head::Function(operation), arguments) if *operation.primitive() == array::TRANSPOSE => {
                arguments[0].clone()
            }
            matrix => Expr::function(&array::TRANSPOSE, vec![matrix.clone()]),
        }
    }

    fn converse(relation: &Relation) -> Relation {
        match relation {
            Relation::Sum(Some(count)) => Relation::Replicate(count.clone()),
            Relation::Replicate(count) => Relation::Sum(Some(count.clone())),
            Relation::Converse(relation) => (**relation).clone(),
            relation => Relation::Converse(Box::new(relation.clone())),
        }
    }

    fn inverse(unitary: &Unitary) -> Unitary {
        let own = [&array::TRANSPOSE, &array::REVERSE].contains(&unitary.operation.primitive());
        Unitary { operation: unitary.operation, inverse: !own && !unitary.inverse }
    }

    fn number(value: f64) -> Expr {
        Expr::Atom(Atom::Real(value))
    }

    fn times(k: &Expr, l: &Expr) -> Option<Expr> {
        Some(k.clone().times(l.clone()))
    }

    fn is_zero(value: &Value<Symbolic>) -> bool {
        matches!(value, Value::Number(Expr::Atom(Atom::Real(0.0))))
    }

    fn unit(number: &Expr) -> Option<Expr> {
        Some(number.clone())
    }

    fn is_unit(vector: &Expr, number: f64) -> bool {
        *vector == Symbolic::number(number)
    }

    fn constant(_: &Expr, _: &Type) -> Option<Expr> {
        None
    }

    fn apply(map: &Term, vector: &Expr, scope: &Scope<'_>) -> Option<Expr> {
        match map.form() {
            Form::Diagonal(d) => pointwise(d, vector, Expr::times, scope),
            Form::Contract(contraction) if contraction.side == riesz_linear::Side::Left && rank(map.domain()) == 1 => {
                Some(Expr::function(&array::DOT, vec![contraction.matrix.clone(), vector.clone()]))
            }
            Form::Project(Part::Element(at)) => Some(scope.element(vector.clone(), at.clone())),
            _ => None,
        }
    }

    fn compute(
        function: Function,
        arguments: &[Argument<Symbolic>],
        space: Option<&Type>,
        scope: &Scope<'_>,
    ) -> Option<Value<Symbolic>> {
        use Argument::{List, One, Over};
        use Value::{Number as N, Part as P, Relation as R, Vector as V};
        let outside = |expr: &Expr, binder: &Binder| {
            let element = scope.outside(expr, binder.index)?;
            Some(scope.array(binder.index, binder.count.clone(), element))
        };
        Some(match (function, arguments) {
            (Function::Times, [One(N(k)), One(N(l))]) => N(k.clone().times(l.clone())),
            (Function::Times, [One(V(d)), One(V(e))]) => V(pointwise(d, e, Expr::times, scope)?),
            (Function::Plus, [One(N(k)), One(N(l))]) => N(k.clone().plus(l.clone())),
            (Function::Plus, [One(V(d)), One(V(e))]) => V(pointwise(d, e, Expr::plus, scope)?),
            (Function::Multiple, [One(N(k)), One(V(v))]) => match v {
                v if *k == Expr::one() => V(v.clone()),
                Expr::Each { index, count, element } if !matches!(**element, Expr::Each { .. }) => {
                    let element = Box::new(k.clone().times((**element).clone()));
                    V(Expr::Each { index: *index, count: count.clone(), element })
                }
                _ => return None,
            },
            (Function::Inner, [One(V(u)), One(V(v))]) => match (u, v) {
                (u, v) if *u == Expr::one() => N(v.clone()),
                (u, v) if *v == Expr::one() => N(u.clone()),
                (u, v) => N(Expr::function(&array::DOT, vec![u.clone(), v.clone()])),
            },
            (Function::Only, [One(V(Expr::Each { index, element, .. }))]) if !scope.depends(element, *index) => {
                N((**element).clone())
            }
            (Function::Paths, [One(R(Relation::Sum(_))), One(R(Relation::Replicate(count)))]) => {
                N(Expr::Apply(Head::ToReal, vec![count.clone()]))
            }
            (Function::Rows, [Over(binder, V(row))]) => Value::Matrix(outside(row, binder)?, Type::unit()),
            (Function::Gather, [Over(binder, P(Part::Element(at)))]) => {
                R(Relation::Function(Operation::new(&array::GATHER), vec![None, Some(outside(at, binder)?)]))
            }
            (Function::Elements, []) => match space? {
                Type::Array(size, _) => R(Relation::Sum(count_of(size))),
                _ => return None,
            },
            (Function::Total, [Over(binder, N(k))]) => {
                N(Expr::Apply(Head::Reduce(Reduction::Sum), vec![outside(k, binder)?]))
            }
            (Function::Total, [Over(binder, V(v))]) => {
                V(Expr::Apply(Head::Reduce(Reduction::Sum), vec![outside(v, binder)?]))
            }
            (Function::Total, [List(values)]) => {
                let mut values = values.iter().cloned();
                let first = values.next()?;
                values.try_fold(first, |sum, value| {
                    Symbolic::compute(Function::Plus, &[One(sum), One(value)], space, scope)
                })?
            }
            (Function::Combine, [Over(binder, N(k)), Over(other, V(v))]) if binder == other => {
                V(Expr::function(&array::DOT, vec![outside(k, binder)?, outside(v, binder)?]))
            }
            (Function::Collect, [Over(binder, N(value) | V(value))]) => V(outside(value, binder)?),
            (Function::Collect, [List(values)]) if space.is_some_and(Symbolic::is_array) => {
                let number = |value: &Value<Symbolic>| if let N(k) = value { Some(k.clone()) } else { None };
                V(Expr::Apply(Head::Array, values.iter().map(number).collect::<Option<_>>()?))
            }
            _ => return None,
        })
    }

    fn kind(relation: &Relation) -> riesz_linear::Kind {
        match relation {
            Relation::Sum(_) => riesz_linear::Kind::Sum,
            Relation::Replicate(_) => riesz_linear::Kind::Replicate,
            Relation::Function(..) | Relation::Converse(_) => riesz_linear::Kind::Other,
        }
    }

    fn source(_: &Relation, _: &Part) -> Option<Option<Part>> {
        None
    }

    fn reduction(relation: Relation, domain: Option<&Type>, codomain: Option<&Type>) -> Option<Term> {
        let (from, to) = match (&relation, domain, codomain) {
            (_, Some(from), Some(to)) => (from.clone(), to.clone()),
            (Relation::Sum(_), Some(from), None) => (from.clone(), Symbolic::part(from, None)?),
            _ => return None,
        };
        Some(Term::new(from, to, Form::Reduce { relation, element: Type::unit() }))
    }

    fn only_regroups(_: &Unitary) -> bool {
        false
    }

    /// Multiples stand on the left: `D x` is applied to the tangents of the arguments and to nothing else.
    fn length(_: &Type) -> u64 {
        1
    }

    fn is_number(space: &Type) -> bool {
        *space == Type::Real
    }

    fn count(space: &Type) -> Option<usize> {
        match space {
            Type::Array(Size::Constant(count), _) => usize::try_from(*count).ok(),
            Type::Tuple(_) | Type::Record(_) => space.components().map(|parts| parts.len()),
            _ => None,
        }
    }

    fn part(space: &Type, at: Option<usize>) -> Option<Type> {
        match (space, at) {
            (Type::Array(_, element), _) => Some((**element).clone()),
            (space, Some(at)) => space.components()?.get(at).cloned(),
            _ => None,
        }
    }

    fn part_of(space: &Type, part: &Part) -> Option<Type> {
        match part {
            Part::Element(_) => Symbolic::part(space, None),
            Part::Component(at, _) => Symbolic::part(space, Some(*at)),
        }
    }

    fn position(part: &Part) -> Option<usize> {
        match part {
            Part::Component(at, _) => Some(*at),
            Part::Element(Expr::Atom(Atom::Int(at))) => usize::try_from(*at).ok(),
            Part::Element(_) => None,
        }
    }

    fn part_at(space: &Type, position: usize, scope: &Scope<'_>) -> Option<Part> {
        match space {
            Type::Array(..) => Some(Part::Element(Expr::Atom(Atom::Int(i64::try_from(position).ok()?)))),
            space => Some(Part::Component(position, scope.part(space, position))),
        }
    }

    fn differ(a: &Part, b: &Part) -> bool {
        matches!((Symbolic::position(a), Symbolic::position(b)), (Some(a), Some(b)) if a != b)
    }

    fn alike(a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Array(m, _), Type::Array(n, _)) => m == n && *m != Size::Hole,
            (Type::Array(..), _) | (_, Type::Array(..)) => false,
            (a, b) => Symbolic::count(a).is_some() && Symbolic::count(a) == Symbolic::count(b),
        }
    }

    fn covers(space: &Type, binder: &Binder) -> bool {
        matches!(space, Type::Array(size, _) if *size == size_of(&binder.count) && *size != Size::Hole)
    }

    fn element(binder: &Binder) -> Part {
        Part::Element(Expr::var(binder.index))
    }

    fn depends(map: &Term, binder: &Binder, scope: &Scope<'_>) -> bool {
        let mut found = false;
        visit(map, &mut |map| {
            found |= derivative_of(map).is_some_and(|var| scope.changes_with(var, binder.index));
            found |= own_exprs(map.form()).iter().any(|expr| scope.depends(expr, binder.index));
        });
        found
    }

    fn varies(value: &Value<Symbolic>, binder: &Binder, scope: &Scope<'_>) -> bool {
        match value {
            Value::Chain(maps) => maps.iter().any(|map| Symbolic::depends(map, binder, scope)),
            Value::Number(expr) | Value::Vector(expr) | Value::Matrix(expr, _) | Value::Part(Part::Element(expr)) => {
                scope.depends(expr, binder.index)
            }
            Value::Relation(relation) => {
                let form = Form::Reduce { relation: relation.clone(), element: Type::unit() };
                own_exprs(&form).iter().any(|expr| scope.depends(expr, binder.index))
            }
            Value::Unitary(_) | Value::Part(Part::Component(..)) => false,
        }
    }

    fn at(value: &Value<Symbolic>, binder: &Binder, part: &Part, scope: &Scope<'_>) -> Option<Value<Symbolic>> {
        let Part::Element(at) = part else { return None };
        let index = binder.index;
        if *at == Expr::var(index) {
            return Some(value.clone());
        }
        let put = |expr: &Expr| {
            let written = scope.outside(expr, index)?;
            Some(written.replace(&|var| (var == index).then(|| at.clone())))
        };
        Some(match value {
            Value::Chain(maps) => {
                let here = |map: &Term| {
                    // What a body binds, and what changes with it, stays inside.
                    let mut free = true;
                    visit(map, &mut |map| {
                        let binds = matches!(map.form(), Form::Extra(extra) if matches!(extra.kind, Kind::Let(_) | Kind::Loop { .. }));
                        free &= !binds && !derivative_of(map).is_some_and(|var| scope.changes_with(var, index));
                    });
                    visit_exprs(map, &mut |expr| free &= put(expr).is_some());
                    free.then(|| map_exprs(map, &|expr| put(expr).unwrap_or_else(|| expr.clone())))
                };
                Value::Chain(maps.iter().map(here).collect::<Option<_>>()?)
            }
            Value::Number(expr) => Value::Number(put(expr)?),
            Value::Vector(expr) => Value::Vector(put(expr)?),
            Value::Matrix(expr, over) => Value::Matrix(put(expr)?, over.clone()),
            Value::Part(Part::Element(expr)) => Value::Part(Part::Element(put(expr)?)),
            Value::Part(part) => Value::Part(part.clone()),
            Value::Unitary(unitary) => Value::Unitary(unitary.clone()),
            Value::Relation(_) => return None,
        })
    }

    fn numbers(dimension: u64) -> u64 {
        dimension
    }

    fn coefficients(map: &Term) -> Measure {
        let (rows, columns) = (map.rows(), map.columns());
        let (work, weight) = match map.form() {
            Form::Scale(_) | Form::Diagonal(_) => (rows + 1, 0),
            Form::RankOne(RankOne { coefficient, left, right }) => {
                let one = Expr::one();
                let products = if *right == one { 0 } else { 2 * columns - columns.min(1) };
                let multiples = if *left == one { 0 } else { rows };
                (products + multiples + u64::from(*coefficient != one), 0)
            }
            Form::Contract(_) => (rows.saturating_mul(columns).saturating_mul(2), 0),
            Form::Reduce { relation: Relation::Sum(_) | Relation::Converse(_), .. } => {
                (columns.saturating_sub(rows.min(1)), 0)
            }
            // A long chain is worth less than a short one.
            Form::Compose(maps) => (maps.len() as u64 - 1, 0),
            Form::Extra(extra) => match extra.kind {
                Kind::Derivative(_) => (1, 1),
                Kind::If(_) | Kind::Adjoint | Kind::Let(_) => (0, 4),
                _ => (rows.saturating_mul(columns), 4),
            },
            _ => (0, 0),
        };
        let text: usize = own_exprs(map.form()).iter().map(|expr| expr.weight()).sum();
        let work = work.saturating_add(text.saturating_sub(LONG) as u64);
        Measure { work, weight: weight + text as u64, storage: 0 }
    }

    fn repetitions(map: &Term) -> u64 {
        match map.form() {
            Form::Map(_) => match map.domain() {
                Type::Array(Size::Constant(count), _) => u64::try_from(*count).unwrap_or(0),
                _ => ASSUMED as u64,
            },
            Form::Family(_, binder, _) => repeated(binder),
            Form::Extra(Extra { kind: Kind::Loop { binder, .. } | Kind::Builds(binder), .. }) => repeated(binder),
            _ => 1,
        }
    }
}

impl riesz_linear::Extra<Symbolic> for Extra {
    fn children(&self) -> &[Term] {
        &self.children
    }

    fn with_children(&self, children: Vec<Term>) -> Extra {
        Extra { kind: self.kind.clone(), children }
    }

    fn same(&self, other: &Extra) -> bool {
        self.kind == other.kind
    }

    fn adjoint(&self, map: &Term, adjoints: Vec<Term>) -> Form {
        let kind = match &self.kind {
            Kind::If(condition) => Kind::If(condition.clone()),
            Kind::Adjoint => return self.children[0].form().clone(),
            Kind::Function(operation, arguments) => match transposed(*operation, arguments) {
                Some(kind) => kind,
                None => return written(map),
            },
            _ => return written(map),
        };
        Form::Extra(Extra { kind, children: adjoints })
    }

    fn transposition(&self) -> Option<&'static str> {
        match &self.kind {
            Kind::Function(operation, arguments) => Some(match (operation.primitive(), &arguments[..]) {
                (primitive, [Some(_), None]) if is_product(primitive) => "adjoint of contraction on the left",
                (primitive, [None, Some(_)]) if is_product(primitive) => "adjoint of contraction on the right",
                _ => "adjoint of relational reduction",
            }),
            // The iterations of a recurrence are a chain.
            Kind::Loop { .. } => Some("transpose of compose"),
            Kind::Adjoint => Some("transpose of the transpose"),
            Kind::If(_) | Kind::Derivative(_) | Kind::Builds(_) | Kind::Call { .. } | Kind::Let(_) => None,
        }
    }

    fn transposes_children(&self) -> bool {
        matches!(self.kind, Kind::If(_))
    }
}

/// `mᵀ`, only written as one.
fn written(map: &Term) -> Form {
    Form::Extra(Extra { kind: Kind::Adjoint, children: vec![map.clone()] })
}

/// The number of elements of an array, where it has an expression.
pub(crate) fn count_of(size: &Size) -> Option<Expr> {
    match size {
        Size::Constant(count) => Some(Expr::Atom(Atom::Int(*count))),
        Size::Atom(riesz_core::size::Atom::Var(count)) => Some(Expr::var(*count)),
        _ => None,
    }
}

/// How often a binder repeats, as far as that is known.
fn repeated(binder: &Binder) -> u64 {
    match binder.count {
        Expr::Atom(Atom::Int(count)) => u64::try_from(count).unwrap_or(0),
        _ => ASSUMED as u64,
    }
}

/// How many indices an element takes.
pub(crate) fn rank(ty: &Type) -> usize {
    match ty {
        Type::Array(_, element) => 1 + rank(element),
        _ => 0,
    }
}

/// Two arrays, number by number.
fn pointwise(a: &Expr, b: &Expr, f: fn(Expr, Expr) -> Expr, scope: &Scope<'_>) -> Option<Expr> {
    match (a, b) {
        (Expr::Each { index: i, count: n, element: x }, Expr::Each { index: j, count: m, element: y }) if n == m => {
            let y = y.replace(&|var| (var == *j).then(|| Expr::var(*i)));
            let element = match (&**x, &y) {
                (x @ Expr::Each { .. }, y) => pointwise(x, y, f, scope)?,
                (x, y) => f(x.clone(), y.clone()),
            };
            Some(Expr::Each { index: *i, count: n.clone(), element: Box::new(element) })
        }
        (Expr::Each { index, count, element }, other) | (other, Expr::Each { index, count, element }) => {
            let at = scope.element(other.clone(), Expr::var(*index));
            let (x, y) = if std::ptr::eq(other, b) { ((**element).clone(), at) } else { (at, (**element).clone()) };
            let element = match (&x, &y) {
                (Expr::Each { .. }, _) | (_, Expr::Each { .. }) => pointwise(&x, &y, f, scope)?,
                _ => f(x, y),
            };
            Some(Expr::Each { index: *index, count: count.clone(), element: Box::new(element) })
        }
        (a, b) => Some(f(a.clone(), b.clone())),
    }
}
