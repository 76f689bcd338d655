//! Symbolic linear maps: the maps of [`riesz_linear`] with the values of the point left as expressions.
//!
//! `D y = scale (cos x) ∘ D x` holds at every point `x`. A term maps the tangents of the function's arguments to the tangent
//! of one of its values; `D x` stands for the derivative of a variable. Coefficients are expressions over the variables of
//! the function, so a term is as large as the program and not as large as its data.

pub(crate) use super::expr::{Expr, Head, Label, Operation, size_of};
pub(crate) use super::symbolic::Symbolic;

use riesz_core::Type;
use riesz_core::term::{FunctionId, Var};
use riesz_linear::Map;

/// A linear map between two spaces, over the values of the point.
pub(crate) type Term = Map<Symbolic>;

/// How a linear map is made.
pub(crate) type Form = riesz_linear::Form<Symbolic>;

/// A part of a space.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// An element of an array.
    Element(Expr),
    /// A component of a tuple or record, or an argument of the function.
    Component(usize, Label),
}

/// `i < n`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binder {
    pub index: Var,
    pub count: Expr,
}

/// Which elements are added up where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Relation {
    /// The sum of all elements, and how many they are, where that has an expression.
    Sum(Option<Expr>),
    /// Copies of a value, as many as the size says.
    Replicate(Expr),
    /// A function that is linear in the argument that is absent.
    Function(Operation, Vec<Option<Expr>>),
    /// The other way round.
    Converse(Box<Relation>),
}

/// A function that puts numbers in another shape or order, or its inverse.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unitary {
    pub operation: Operation,
    pub inverse: bool,
}

/// Maps that maps with numbers in them do not have.
#[derive(Clone)]
pub(crate) struct Extra {
    pub kind: Kind,
    /// The maps it is made of.
    pub children: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// `D x`: the derivative of a variable, which the linear program binds.
    Derivative(Var),
    /// A function that is linear in the arguments that are absent.
    Function(Operation, Vec<Option<Expr>>),
    /// Arrays that are built together, one for each component of the body.
    Builds(Binder),
    /// A linear recurrence: the state is a map from the same space. The children are its start and its body.
    Loop { kind: Loop, state: Var, binder: Binder },
    /// One of two maps.
    If(Expr),
    /// The derivative of another function at a point, in the arguments that `mask` marks.
    Call { called: FunctionId, mask: Vec<bool>, arguments: Vec<Expr> },
    /// Maps that are used more than once: the children are those of the names, in order, and the map they are for.
    Let(Vec<Name>),
    /// The adjoint of a map that has no shorter notation.
    Adjoint,
}

/// The name that is bound before a map.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Name {
    /// `D x`
    Map(Var),
    /// `i = e`
    Value(Var, Expr),
}

/// A name that is bound before a map, with its definition.
#[derive(Clone)]
pub(crate) enum Item {
    /// `D x = m`
    Map(Var, Term),
    /// `i = e`
    Value(Var, Expr),
}

impl Item {
    /// The name and the map of an equation between maps.
    pub fn map(&self) -> Option<(Var, &Term)> {
        match self {
            Item::Map(var, map) => Some((*var, map)),
            Item::Value(..) => None,
        }
    }
}

/// The result of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    /// The last state.
    Last,
    /// All states.
    Scan,
    /// The last state, and what is kept of each iteration.
    Trace,
}

/// A map that only symbolic terms have.
pub(crate) fn extra(from: &Type, to: &Type, kind: Kind, children: Vec<Term>) -> Term {
    Term::new(from.clone(), to.clone(), Form::Extra(Extra { kind, children }))
}

/// A map after the names that it uses; the map alone where there are none.
pub(crate) fn bound(items: Vec<Item>, result: Term) -> Term {
    if items.is_empty() {
        return result;
    }
    let (mut names, mut children) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::Map(var, map) => {
                names.push(Name::Map(var));
                children.push(map);
            }
            Item::Value(var, value) => names.push(Name::Value(var, value)),
        }
    }
    let (from, to) = (result.domain().clone(), result.codomain().clone());
    children.push(result);
    extra(&from, &to, Kind::Let(names), children)
}

/// The chain of some maps, the last applied first, with chains among them opened; `space` is that of a chain of none.
pub(crate) fn compose(maps: Vec<Term>, space: &Type) -> Term {
    Map::chain(maps.iter().flat_map(|map| map.factors().iter().cloned()).collect(), space)
}

/// The sum of some maps, with sums among them opened.
pub(crate) fn sum(maps: Vec<Term>, from: &Type, to: &Type) -> Term {
    let mut terms = Vec::with_capacity(maps.len());
    for map in maps {
        match map.form() {
            Form::Add(inner) => terms.extend(inner.iter().cloned()),
            _ => terms.push(map),
        }
    }
    Map::total(terms).unwrap_or_else(|| Map::zero(from.clone(), to.clone()))
}

/// `f ∘ g`
pub(crate) fn after(f: Term, g: Term) -> Term {
    let space = g.domain().clone();
    compose(vec![f, g], &space)
}

impl Extra {
    /// The names that a binding form binds, with their definitions, and the map in which they are bound.
    pub fn items(&self) -> Option<(Vec<Item>, &Term)> {
        let Kind::Let(names) = &self.kind else { return None };
        let mut children = self.children.iter();
        let item = |name: &Name| match name {
            Name::Map(var) => children.next().map(|map| Item::Map(*var, map.clone())),
            Name::Value(var, value) => Some(Item::Value(*var, value.clone())),
        };
        let items = names.iter().map(item).collect::<Option<Vec<_>>>()?;
        Some((items, self.children.last()?))
    }
}

/// The variable whose derivative a map is.
pub(crate) fn derivative_of(map: &Term) -> Option<Var> {
    match map.form() {
        Form::Extra(Extra { kind: Kind::Derivative(var), .. }) => Some(*var),
        _ => None,
    }
}

/// Rebuilds the children of a map.
pub(crate) fn map_children(map: &Term, f: &mut dyn FnMut(&Term) -> Term) -> Term {
    if map.children().is_empty() {
        return map.clone();
    }
    let children: Vec<Term> = map.children().iter().map(f).collect();
    let same = children.iter().zip(map.children()).all(|(new, old)| new.is(old));
    if same { map.clone() } else { map.with_children(children) }
}

/// The expressions of a map, up to its children, and how many maps it repeats.
pub(crate) fn own_exprs(form: &Form) -> Vec<&Expr> {
    fn of_relation(relation: &Relation) -> Vec<&Expr> {
        match relation {
            Relation::Sum(_) => Vec::new(),
            Relation::Replicate(count) => vec![count],
            Relation::Function(_, arguments) => arguments.iter().flatten().collect(),
            Relation::Converse(relation) => of_relation(relation),
        }
    }
    match form {
        Form::Scale(k) | Form::Diagonal(k) => vec![k],
        Form::RankOne(one) => vec![&one.coefficient, &one.left, &one.right],
        Form::Contract(contraction) => vec![&contraction.matrix],
        Form::Reduce { relation, .. } => of_relation(relation),
        Form::Project(Part::Element(at)) | Form::Inject(Part::Element(at)) => vec![at],
        Form::Family(_, binder, _) => vec![&binder.count],
        Form::Extra(extra) => match &extra.kind {
            Kind::Function(_, arguments) => arguments.iter().flatten().collect(),
            Kind::Builds(binder) | Kind::Loop { binder, .. } => vec![&binder.count],
            Kind::If(condition) => vec![condition],
            Kind::Call { arguments, .. } => arguments.iter().collect(),
            Kind::Let(names) => names
                .iter()
                .filter_map(|name| if let Name::Value(_, value) = name { Some(value) } else { None })
                .collect(),
            Kind::Derivative(_) | Kind::Adjoint => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// A form with other expressions.
fn with_exprs(form: &Form, f: &dyn Fn(&Expr) -> Expr) -> Form {
    fn of_relation(relation: &Relation, f: &dyn Fn(&Expr) -> Expr) -> Relation {
        match relation {
            Relation::Sum(count) => Relation::Sum(count.clone()),
            Relation::Replicate(count) => Relation::Replicate(f(count)),
            Relation::Function(operation, arguments) => Relation::Function(*operation, optional(arguments, f)),
            Relation::Converse(relation) => Relation::Converse(Box::new(of_relation(relation, f))),
        }
    }
    fn optional(arguments: &[Option<Expr>], f: &dyn Fn(&Expr) -> Expr) -> Vec<Option<Expr>> {
        arguments.iter().map(|argument| argument.as_ref().map(f)).collect()
    }
    let part = |part: &Part| match part {
        Part::Element(at) => Part::Element(f(at)),
        component => component.clone(),
    };
    let of_binder = |binder: &Binder| Binder { index: binder.index, count: f(&binder.count) };
    match form {
        Form::Scale(k) => Form::Scale(f(k)),
        Form::Diagonal(d) => Form::Diagonal(f(d)),
        Form::RankOne(one) => {
            let (coefficient, left, right) = (f(&one.coefficient), f(&one.left), f(&one.right));
            Form::RankOne(riesz_linear::RankOne { coefficient, left, right })
        }
        Form::Contract(contraction) => {
            Form::Contract(riesz_linear::Contraction { matrix: f(&contraction.matrix), ..contraction.clone() })
        }
        Form::Reduce { relation, element } => {
            Form::Reduce { relation: of_relation(relation, f), element: element.clone() }
        }
        Form::Project(at) => Form::Project(part(at)),
        Form::Inject(at) => Form::Inject(part(at)),
        Form::Family(family, binder, body) => Form::Family(*family, of_binder(binder), body.clone()),
        Form::Extra(Extra { kind, children }) => {
            let kind = match kind {
                Kind::Function(operation, arguments) => Kind::Function(*operation, optional(arguments, f)),
                Kind::Builds(binder) => Kind::Builds(of_binder(binder)),
                Kind::Loop { kind, state, binder } => {
                    Kind::Loop { kind: *kind, state: *state, binder: of_binder(binder) }
                }
                Kind::If(condition) => Kind::If(f(condition)),
                Kind::Call { called, mask, arguments } => {
                    let arguments = arguments.iter().map(f).collect();
                    Kind::Call { called: *called, mask: mask.clone(), arguments }
                }
                Kind::Let(names) => Kind::Let(
                    names
                        .iter()
                        .map(|name| match name {
                            Name::Value(var, value) => Name::Value(*var, f(value)),
                            name => name.clone(),
                        })
                        .collect(),
                ),
                Kind::Derivative(_) | Kind::Adjoint => kind.clone(),
            };
            Form::Extra(Extra { kind, children: children.clone() })
        }
        form => form.clone(),
    }
}

/// Rebuilds the expressions of a map and of its children.
pub(crate) fn map_exprs(map: &Term, f: &dyn Fn(&Expr) -> Expr) -> Term {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        let map = map_children(map, &mut |child| map_exprs(child, f));
        match own_exprs(map.form()).is_empty() {
            true => map,
            false => Term::new(map.domain().clone(), map.codomain().clone(), with_exprs(map.form(), f)),
        }
    })
}

/// Calls `f` on every map of a term, parents first.
pub(crate) fn visit<'t>(map: &'t Term, f: &mut dyn FnMut(&'t Term)) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        f(map);
        map.children().iter().for_each(|child| visit(child, f));
    });
}

/// Calls `f` on every expression of a map and of its children.
pub(crate) fn visit_exprs(map: &Term, f: &mut dyn FnMut(&Expr)) {
    visit(map, &mut |map| own_exprs(map.form()).into_iter().for_each(&mut *f));
}

/// Calls `f` on every derivative that a map refers to.
pub(crate) fn visit_derivatives(map: &Term, f: &mut dyn FnMut(Var)) {
    visit(map, &mut |map| derivative_of(map).into_iter().for_each(&mut *f));
}

/// The map with another in place of a derivative. Chains and sums stay open.
pub(crate) fn substitute(map: &Term, var: Var, by: &Term) -> Term {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        if derivative_of(map) == Some(var) {
            return by.clone();
        }
        let substituted = map_children(map, &mut |child| substitute(child, var, by));
        match substituted.form() {
            Form::Compose(maps) if !substituted.is(map) => compose(maps.clone(), substituted.domain()),
            Form::Add(maps) if !substituted.is(map) => sum(maps.clone(), substituted.domain(), substituted.codomain()),
            _ => substituted,
        }
    })
}

/// How much there is to read.
pub(crate) fn weight(map: &Term) -> usize {
    let mut total = 0;
    visit(map, &mut |map| {
        total += 1;
        if !matches!(map.form(), Form::Family(..) | Form::Extra(_)) {
            total += own_exprs(map.form()).into_iter().map(Expr::weight).sum::<usize>();
        }
    });
    total
}
