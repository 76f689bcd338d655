//! The right side of a law, for what its names stand for.

use crate::elaborate::size;
use crate::instance::{Bindings, Bound, Place, Value, varies};
use crate::pattern::{Coefficient, Leaf, Name, Pattern, Subscript};
use crate::term::{Expr, Family, Head, Operator, Part, Space, Term, deep};
use crate::value::Values;

/// Builds a side of a law between two spaces, as far as they are known.
pub(crate) fn built(pattern: &Pattern, from: &Space, to: &Space, known: &Bindings, values: &Values) -> Option<Term> {
    values.begin();
    Builder { known, values }.map(pattern, from, to, &Place::Outside)
}

struct Builder<'b> {
    known: &'b Bindings,
    values: &'b Values,
}

impl Builder<'_> {
    fn map(&self, pattern: &Pattern, from: &Space, to: &Space, place: &Place) -> Option<Term> {
        let either = || if matches!(from, Space::Unknown) { to } else { from };
        match pattern {
            Pattern::Map(name) => {
                let Value::Chain(maps) = self.value(name, place)? else { return None };
                Some(Term::chain(maps, either()))
            }
            Pattern::Zero => Some(Term::leaf(from, to, Head::Zero)),
            Pattern::Identity => Some(Term::leaf(either(), either(), Head::Identity)),
            Pattern::Leaf(leaf, coefficients) => self.leaf(*leaf, coefficients, from, to, place),
            Pattern::Multiple(k, m) => {
                let Value::Number(k) = self.coefficient(k, &Space::Real, place)? else { return None };
                Some(multiple(k, self.map(m, from, to, place)?))
            }
            Pattern::Compose(patterns) => {
                let mut maps: Vec<Term> = Vec::new();
                for (at, pattern) in patterns.iter().enumerate().rev() {
                    let inner = maps.first().map_or(from, |map| &map.to).clone();
                    let square = |pattern: &Pattern| matches!(pattern, Pattern::Leaf(Leaf::Scale | Leaf::Diagonal, _));
                    let outer = if patterns[..at].iter().all(square) { to } else { &Space::Unknown };
                    if let Pattern::Map(name) = pattern {
                        let Value::Chain(factors) = self.value(name, place)? else { return None };
                        maps.splice(0..0, factors);
                    } else {
                        maps.insert(0, self.map(pattern, &inner, outer, place)?);
                    }
                }
                Some(Term::chain(maps, either()))
            }
            Pattern::Add(patterns) => {
                let maps = patterns.iter().map(|pattern| self.map(pattern, from, to, place));
                Term::total(maps.collect::<Option<Vec<_>>>()?)
            }
            Pattern::Family(family, body) => self.family(*family, body, from, to),
            Pattern::Repeated(body) => {
                let part = |space: &Space| match space {
                    Space::Array(_, element) => Some((**element).clone()),
                    _ => None,
                };
                let body = self.map(body, &part(from)?, &part(to)?, place)?;
                Some(Term { from: from.clone(), to: to.clone(), head: Head::Map, children: vec![body] })
            }
            Pattern::Adjoint(m) => {
                let Head::Sum = self.map(m, to, from, place)?.head else { return None };
                let Space::Array(size, _) = to else { return None };
                let count = size.parse().map_or_else(|_| Expr::Var(size.clone()), Expr::Number);
                Some(Term::leaf(from, to, Head::Replicate(count)))
            }
        }
    }

    fn family(&self, family: Family, body: &Pattern, from: &Space, to: &Space) -> Option<Term> {
        let one = |place: &Place, at: Option<usize>| {
            let part = |space: &Space, takes: bool| match (space, takes, at) {
                (space, false, _) => space.clone(),
                (Space::Array(_, element), ..) => (**element).clone(),
                (Space::Product(parts), _, Some(at)) => parts.get(at).map_or(Space::Unknown, |(_, part)| part.clone()),
                _ => Space::Unknown,
            };
            let from = part(from, matches!(family, Family::Join | Family::Each));
            let to = part(to, matches!(family, Family::Fork | Family::Each));
            self.map(body, &from, &to, place)
        };
        let ends = |from: &Space, to: &Space, head: Head, children: Vec<Term>| {
            Some(Term { from: from.clone(), to: to.clone(), head, children })
        };
        let known =
            |space: &Space, own: &Space| if matches!(space, Space::Unknown) { own.clone() } else { space.clone() };
        match self.extent(body)? {
            Place::At(_, count) => {
                let maps = (0..count).map(|at| one(&Place::At(at, count), Some(at))).collect::<Option<Vec<_>>>()?;
                if family == Family::Add {
                    return Term::total(maps);
                }
                let first = maps.first()?;
                let from = if family == Family::Fork { known(from, &first.from) } else { from.clone() };
                let to = if family == Family::Join { known(to, &first.to) } else { to.clone() };
                ends(&from, &to, Head::List(family), maps)
            }
            Place::Same if family == Family::Each => ends(from, to, Head::Map, vec![one(&Place::Same, None)?]),
            Place::Over(index, count) => {
                self.steady(body, &index).then_some(())?;
                let place = Place::Over(index.clone(), count.clone());
                let body = one(&place, None)?;
                let from =
                    if matches!(family, Family::Fork | Family::Add) { known(from, &body.from) } else { from.clone() };
                let to = if matches!(family, Family::Join | Family::Add) { known(to, &body.to) } else { to.clone() };
                ends(&from, &to, Head::Over(family, index, count), vec![body])
            }
            Place::Outside | Place::Same => None,
        }
    }

    /// How many maps a family has: as many as the names in it have values.
    fn extent(&self, body: &Pattern) -> Option<Place> {
        let mut found = None;
        visit(body, &mut |name| {
            let place = match (name.subscript, self.known.get(&name.stem)) {
                (Subscript::Each, Some(Bound::List(values))) => Place::At(0, values.len()),
                (Subscript::Each, Some(Bound::Same(_))) => Place::Same,
                (Subscript::Each, Some(Bound::Over(index, count, _))) => Place::Over(index.clone(), count.clone()),
                _ => return,
            };
            match (&found, &place) {
                (None | Some(Place::Same), _) | (Some(Place::Over(..)), Place::At(..)) => found = Some(place),
                _ => {}
            }
        });
        found
    }

    /// Whether the names that are the same for all maps do not change with an index, by which they would be caught.
    fn steady(&self, body: &Pattern, index: &str) -> bool {
        let mut steady = true;
        visit(body, &mut |name| {
            if let (Subscript::None, Some(Bound::One(value))) = (name.subscript, self.known.get(&name.stem)) {
                steady &= !varies(value, index, self.values);
            }
        });
        steady
    }

    /// The value of a name.
    fn value(&self, name: &Name, place: &Place) -> Option<Value> {
        match (name.subscript, place, self.known.get(&name.stem)?) {
            (Subscript::None, _, Bound::One(value)) => Some(value.clone()),
            (Subscript::Each, Place::At(at, _), Bound::List(values)) => values.get(*at).cloned(),
            (Subscript::Each, Place::At(..) | Place::Same, Bound::Same(value)) => Some(value.clone()),
            // for the index of another family over as many
            (Subscript::Each, Place::Over(index, count), Bound::Over(own, other, value)) => {
                let as_many = count == other || (size(count) == size(other) && size(count) != "_");
                match index == own {
                    _ if !as_many => None,
                    true => Some(value.clone()),
                    false => self.at(value, own, &Expr::Var(index.clone())),
                }
            }
            (Subscript::At, _, bound) => {
                let Some(Bound::One(Value::Part(part))) = self.known.get("i") else { return None };
                match (bound, part) {
                    (Bound::List(values), part) => values.get(part.position()?).cloned(),
                    (Bound::Same(value), _) => Some(value.clone()),
                    (Bound::Over(index, _, value), Part::Element(at)) => self.at(value, index, at),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A value at an index.
    fn at(&self, value: &Value, index: &str, at: &Expr) -> Option<Value> {
        let put = |expr: &Expr| self.put(expr, index, at, 0);
        Some(match value {
            Value::Chain(maps) => {
                Value::Chain(maps.iter().map(|map| self.map_at(map, index, at)).collect::<Option<_>>()?)
            }
            Value::Number(e) => Value::Number(put(e)?),
            Value::Vector(e, space) => Value::Vector(put(e)?, space.clone()),
            Value::Matrix(e) => Value::Matrix(put(e)?),
            Value::Part(Part::Element(e)) => Value::Part(Part::Element(put(e)?)),
            Value::Part(part) => Value::Part(part.clone()),
            Value::Operator(map) => Value::Operator(self.map_at(map, index, at)?),
        })
    }

    /// A map at an index. What binds names, or an index that the other one speaks of, stays as it is.
    fn map_at(&self, map: &Term, index: &str, at: &Expr) -> Option<Term> {
        if !self.values.varies(map, index) {
            return Some(map.clone());
        }
        let mut caught = matches!(map.head, Head::Let(_) | Head::Loop(..));
        at.visit(&mut |name| caught |= map.bound().contains(&name));
        if caught || map.bound().contains(&index) {
            return None;
        }
        let put = |expr: &Expr| self.put(expr, index, at, 0);
        let part = |part: &Part| match part {
            Part::Element(e) => put(e).map(Part::Element),
            part => Some(part.clone()),
        };
        let head = match &map.head {
            Head::Scale(e) => Head::Scale(put(e)?),
            Head::Diagonal(e) => Head::Diagonal(put(e)?),
            Head::Left(e) => Head::Left(put(e)?),
            Head::Right(e) => Head::Right(put(e)?),
            Head::Replicate(e) => Head::Replicate(put(e)?),
            Head::If(e) => Head::If(put(e)?),
            Head::RankOne(c, u, v) => Head::RankOne(put(c)?, put(u)?, put(v)?),
            Head::Function(name, arguments, adjoint) => {
                let arguments = arguments.iter().map(|argument| match argument {
                    Some(e) => put(e).map(Some),
                    None => Some(None),
                });
                Head::Function(name.clone(), arguments.collect::<Option<_>>()?, *adjoint)
            }
            Head::Project(at) => Head::Project(part(at)?),
            Head::Inject(at) => Head::Inject(part(at)?),
            Head::Over(family, own, count) => Head::Over(*family, own.clone(), put(count)?),
            Head::Builds(own, count) => Head::Builds(own.clone(), put(count)?),
            Head::Call(name, arguments) => Head::Call(name.clone(), arguments.iter().map(put).collect::<Option<_>>()?),
            head => head.clone(),
        };
        let children = map.children.iter().map(|child| self.map_at(child, index, at)).collect::<Option<_>>()?;
        Some(Term { head, ..map.clone() }.with_children(children))
    }

    /// A coefficient with another in place of an index; values that change with the index are written out.
    fn put(&self, expr: &Expr, index: &str, at: &Expr, depth: usize) -> Option<Expr> {
        if !self.values.depends(expr, index) {
            return Some(expr.clone());
        }
        self.values.write().filter(|()| depth < 400)?;
        let put = |expr: &Expr| self.put(expr, index, at, depth + 1);
        deep(|| match expr {
            Expr::Var(name) if name == index => Some(at.clone()),
            Expr::Var(name) => put(self.values.definitions.get(name)?),
            Expr::Number(_) => Some(expr.clone()),
            Expr::Apply(operator, arguments) => {
                Some(Expr::Apply(operator.clone(), arguments.iter().map(put).collect::<Option<_>>()?))
            }
            Expr::Each { index: own, count, element } => {
                let mut caught = own == index;
                at.visit(&mut |name| caught |= name == own);
                (!caught).then_some(())?;
                Some(Expr::each(own, &put(count)?, put(element)?))
            }
        })
    }

    fn leaf(&self, leaf: Leaf, coefficients: &[Coefficient], from: &Space, to: &Space, place: &Place) -> Option<Term> {
        let either = || if matches!(from, Space::Unknown) { to } else { from };
        let square = |head: Head| Some(Term::leaf(either(), either(), head));
        let vector = |value: Value| match value {
            Value::Vector(e, _) | Value::Number(e) => Some(e),
            _ => None,
        };
        let at = |index: usize, space: &Space| self.coefficient(&coefficients[index], space, place);
        match (leaf, at(0, either())?) {
            (Leaf::Scale, Value::Number(k)) => square(Head::Scale(k)),
            (Leaf::Diagonal, Value::Vector(d, _)) => square(Head::Diagonal(d)),
            (Leaf::RankOne, Value::Number(c)) => {
                let (u, v) = (vector(at(1, to)?)?, vector(at(2, from)?)?);
                Some(Term::leaf(from, to, Head::RankOne(c, u, v)))
            }
            (Leaf::Left, Value::Matrix(a)) => Some(Term::leaf(from, to, Head::Left(a))),
            (Leaf::Right, Value::Matrix(b)) => Some(Term::leaf(from, to, Head::Right(b))),
            (Leaf::Reduce | Leaf::Unitary, Value::Operator(map)) => {
                Some(Term { from: from.clone(), to: to.clone(), ..map })
            }
            (Leaf::Project, Value::Part(part)) => {
                let to = from.part(&part).unwrap_or(Space::Unknown);
                Some(Term::leaf(from, &to, Head::Project(part)))
            }
            (Leaf::Inject, Value::Part(part)) => {
                let from = to.part(&part).unwrap_or(Space::Unknown);
                Some(Term::leaf(&from, to, Head::Inject(part)))
            }
            _ => None,
        }
    }

    /// A coefficient; `space` is that of a vector.
    fn coefficient(&self, coefficient: &Coefficient, space: &Space, place: &Place) -> Option<Value> {
        match coefficient {
            Coefficient::Name(name) if name.subscript == Subscript::Each && matches!(place, Place::Outside) => {
                match self.known.get(&name.stem)? {
                    Bound::Over(index, count, Value::Number(e) | Value::Vector(e, _)) => {
                        Some(Value::Vector(Expr::each(index, count, e.clone()), space.clone()))
                    }
                    Bound::List(values) if matches!(space, Space::Array(..)) => {
                        let number = |value: &Value| if let Value::Number(e) = value { Some(e.clone()) } else { None };
                        let elements = values.iter().map(number).collect::<Option<_>>()?;
                        Some(Value::Vector(Expr::Apply(Operator::Array, elements), space.clone()))
                    }
                    _ => None,
                }
            }
            Coefficient::Name(name) => self.value(name, place),
            Coefficient::Number(number) => Some(Value::Number(Expr::Number(*number))),
            Coefficient::Part => match place {
                Place::Over(index, _) => Some(Value::Part(Part::Element(Expr::Var(index.clone())))),
                _ => None,
            },
            Coefficient::Image(m, u) => {
                let Value::Vector(u, _) = self.coefficient(u, &Space::Unknown, place)? else { return None };
                self.image(m, u, place)
            }
            Coefficient::Apply(function, arguments) => self.function(function, arguments, space, place),
        }
    }

    /// `m ⊙ u`
    fn image(&self, m: &Pattern, u: Expr, place: &Place) -> Option<Value> {
        let (m, adjoint) = match m {
            Pattern::Adjoint(m) => (&**m, true),
            m => (m, false),
        };
        let map = self.map(m, &Space::Unknown, &Space::Unknown, place)?;
        let to = if adjoint { &map.from } else { &map.to };
        let value = match &map.head {
            Head::Diagonal(d) => Expr::infix("*", d.clone(), u),
            Head::Left(a) if map.from.rank() == 1 && map.to.rank() == 1 => {
                let a = if adjoint { Expr::call("transpose", vec![a.clone()]) } else { a.clone() };
                Expr::call("dot", vec![a, u])
            }
            Head::Project(Part::Element(at)) if !adjoint => Expr::Apply(Operator::Index, vec![u, at.clone()]),
            _ => return None,
        };
        Some(Value::Vector(value, to.clone()))
    }

    fn function(&self, function: &str, arguments: &[Coefficient], space: &Space, place: &Place) -> Option<Value> {
        use Value::{Matrix, Number, Vector};
        if let ("total" | "combine" | "rows" | "gather", Place::Outside) = (function, place) {
            return self.collected(function, arguments);
        }
        let values: Vec<Value> =
            arguments.iter().map(|argument| self.coefficient(argument, space, place)).collect::<Option<_>>()?;
        Some(match (function, &values[..]) {
            ("*", [Number(k), Number(l)]) => Number(Expr::infix("*", k.clone(), l.clone())),
            ("*", [Vector(d, v), Vector(e, _)]) => Vector(Expr::infix("*", d.clone(), e.clone()), v.clone()),
            ("+", [a, b]) => plus(a, b)?,
            ("·", [Number(k), Vector(v, space)]) => {
                Vector(Expr::Apply(Operator::Multiple, vec![k.clone(), v.clone()]), space.clone())
            }
            ("⟨", [Vector(u, space), Vector(v, _)]) => match space.rank() {
                0 if matches!(space, Space::Real) => Number(Expr::infix("*", u.clone(), v.clone())),
                1 if space.is_known() || matches!(space, Space::Array(_, e) if matches!(**e, Space::Real)) => {
                    Number(Expr::call("dot", vec![u.clone(), v.clone()]))
                }
                _ => return None,
            },
            ("only", [Vector(Expr::Each { index, element, .. }, space)])
                if space.rank() == 1 && !self.values.depends(element, index) =>
            {
                Number((**element).clone())
            }
            ("Σ", []) => Value::Operator(Term::leaf(&Space::Unknown, &Space::Unknown, Head::Sum)),
            ("paths", [Value::Operator(sum), Value::Operator(copies)]) => match (&sum.head, &copies.head) {
                (Head::Sum, Head::Replicate(count)) => Number(Expr::call("real", vec![count.clone()])),
                _ => return None,
            },
            // the checker knows nothing of what other functions compute
            (_, [..]) if matches!(values.first(), Some(Matrix(_))) => return None,
            _ => return None,
        })
    }

    /// The result of a function of all coefficients of a family.
    fn collected(&self, function: &str, arguments: &[Coefficient]) -> Option<Value> {
        use Value::{Matrix, Number, Vector};
        let bound = |at: usize| match arguments.get(at)? {
            Coefficient::Name(name) => self.known.get(&name.stem),
            _ => None,
        };
        let sum = |array: Expr| Expr::Apply(Operator::Reduce("sum".into()), vec![array]);
        Some(match (function, bound(0)?, bound(1)) {
            ("total", Bound::List(values), _) => {
                let (first, rest) = values.split_first()?;
                rest.iter().try_fold(first.clone(), |total, value| plus(&total, value))?
            }
            ("total", Bound::Over(index, count, Number(k)), _) => Number(sum(Expr::each(index, count, k.clone()))),
            ("total", Bound::Over(index, count, Vector(v, space)), _) => {
                Vector(sum(Expr::each(index, count, v.clone())), space.clone())
            }
            ("combine", Bound::Over(index, count, Number(c)), Some(Bound::Over(other, _, Vector(v, space)))) => {
                let (c, v) = (Expr::each(index, count, c.clone()), Expr::each(other, count, v.clone()));
                (index == other).then_some(())?;
                Vector(Expr::call("dot", vec![c, v]), space.clone())
            }
            ("rows", Bound::Over(index, count, Vector(v, space)), _) if space.rank() == 1 => {
                Matrix(Expr::each(index, count, v.clone()))
            }
            ("gather", Bound::Over(index, count, Value::Part(Part::Element(at))), _) => {
                let at = Expr::each(index, count, at.clone());
                let head = Head::Function("gather".into(), vec![None, Some(at)], false);
                Value::Operator(Term::leaf(&Space::Unknown, &Space::Unknown, head))
            }
            _ => return None,
        })
    }
}

fn plus(a: &Value, b: &Value) -> Option<Value> {
    let add = |a: &Expr, b: &Expr| Expr::infix("+", a.clone(), b.clone());
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Some(Value::Number(add(a, b))),
        (Value::Vector(a, space), Value::Vector(b, _)) => Some(Value::Vector(add(a, b), space.clone())),
        _ => None,
    }
}

/// `k · m`
fn multiple(k: Expr, map: Term) -> Term {
    if map.head == Head::Identity {
        return Term { head: Head::Scale(k), ..map };
    }
    let mut factors = map.factors().to_vec();
    match factors.first().map(|map| map.head.clone()) {
        Some(Head::RankOne(c, u, v)) => factors[0].head = Head::RankOne(Expr::infix("*", k, c), u, v),
        _ => factors.insert(0, Term::leaf(&map.to, &map.to, Head::Scale(k))),
    }
    Term::chain(factors, &map.from)
}

fn visit(pattern: &Pattern, f: &mut dyn FnMut(&Name)) {
    fn names(coefficient: &Coefficient, f: &mut dyn FnMut(&Name)) {
        match coefficient {
            Coefficient::Name(name) => f(name),
            Coefficient::Apply(_, arguments) => arguments.iter().for_each(|argument| names(argument, f)),
            Coefficient::Image(m, u) => {
                visit(m, f);
                names(u, f);
            }
            Coefficient::Number(_) | Coefficient::Part => {}
        }
    }
    match pattern {
        Pattern::Map(name) => f(name),
        Pattern::Leaf(_, coefficients) => coefficients.iter().for_each(|each| names(each, f)),
        Pattern::Multiple(k, m) => {
            names(k, f);
            visit(m, f);
        }
        Pattern::Compose(parts) | Pattern::Add(parts) => parts.iter().for_each(|part| visit(part, f)),
        Pattern::Family(_, m) | Pattern::Repeated(m) | Pattern::Adjoint(m) => visit(m, f),
        Pattern::Zero | Pattern::Identity => {}
    }
}
