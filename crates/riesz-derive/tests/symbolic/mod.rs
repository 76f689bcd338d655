//! The evaluation of symbolic linear maps at a point, which tests the output of `derive`.
//!
//! A simplified term is applied to a random tangent, with coefficients computed from the values of the program at a
//! random point, and must agree with the compiled derivative. Its adjoint must satisfy `⟨m x, y⟩ = ⟨x, mᵀ y⟩`.
//!
//! This is a module of the crate in its tests, since terms are not public.

mod agree;
mod expr;
mod vector;

use super::Mode;
use super::compiled::{Compiled, compiled};
use super::scope::Scope;
use super::term::{Binder, Expr, Extra, Form, Item, Kind, Loop, Part, Relation, Term};
use expr::{needs_program, type_of};
use riesz_calculus::linearise::Streams;
use riesz_calculus::{Associate, Calculus};
use riesz_core::Type;
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_core::renumber::renumber;
use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, Binding, Body, FunctionId, Op, Program, Recurrence, Var, VarInfo};
use riesz_linear::{Family, RankOne, Side};
use riesz_primitive::array;
use riesz_syntax::Span;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use vector::{Vector, at_path, units};

type Environment = FxHashMap<Var, Value<f64>>;
type Tangents = FxHashMap<Var, Vector>;
type Derivatives = FxHashMap<(FunctionId, Vec<bool>), Rc<Compiled>>;

struct Evaluator<'s, 'p> {
    scope: &'s Scope<'p>,
    calculus: &'p Calculus,
    streams: &'s Streams,
    /// The bindings among which a variable is bound.
    homes: FxHashMap<Var, Rc<Vec<Binding>>>,
    input: Vector,
    /// The derivatives of called functions.
    derivatives: RefCell<Derivatives>,
    span: Span,
}

impl<'s, 'p> Evaluator<'s, 'p> {
    fn new(
        scope: &'s Scope<'p>,
        calculus: &'p Calculus,
        streams: &'s Streams,
        input: Vector,
        span: Span,
    ) -> Evaluator<'s, 'p> {
        let mut evaluator = Evaluator {
            scope,
            calculus,
            streams,
            homes: FxHashMap::default(),
            input,
            derivatives: RefCell::default(),
            span,
        };
        evaluator.settle(&streams.primal);
        evaluator.settle(&streams.linear);
        evaluator
    }

    fn settle(&mut self, bindings: &[Binding]) {
        for binding in bindings {
            binding.op.visit_bodies(&mut |body| self.settle(&body.bindings));
        }
        let linear = &self.streams.linear_vars;
        let values: Vec<Binding> = bindings.iter().filter(|binding| !linear.contains(&binding.var)).cloned().collect();
        let values = Rc::new(values);
        for binding in values.iter() {
            self.homes.entry(binding.var).or_insert_with(|| values.clone());
        }
    }

    /// Runs bindings over given values, and gives those of some operands.
    fn run(
        &self,
        bindings: &[Binding],
        results: &[Atom],
        given: &[(Var, Value<f64>)],
        vars: &[VarInfo],
    ) -> Vec<Value<f64>> {
        let mut vars = vars.to_vec();
        let ty = Type::Tuple(results.iter().map(|_| Type::Real).collect());
        vars.push(VarInfo { name: None, ty: ty.clone() });
        let tuple = Var(vars.len() as u32 - 1);
        let mut bindings = bindings.to_vec();
        bindings.push(Binding { var: tuple, op: Op::Tuple(results.to_vec()), span: self.span });
        let body = Body { bindings, result: Atom::Var(tuple) };
        let parameters: Vec<Var> = given.iter().map(|(var, _)| *var).collect();
        let function =
            renumber("values".into(), &parameters, body, &ty, self.span, &|var| vars[var.0 as usize].clone());
        // Most operations need nothing of the program.
        let mut program = match needs_program(&function.body) {
            true => self.calculus.program.clone(),
            false => Program::default(),
        };
        program.functions.push(function);
        let id = FunctionId(program.functions.len() as u32 - 1);
        let mut machine = Machine::<f64>::new(&program, Limits::default(), |_| None);
        let given = given.iter().map(|(_, value)| value.clone()).collect();
        machine.call_with(id, given).unwrap().parts().to_vec()
    }

    /// One operation on values.
    fn op(&self, op: impl FnOnce(&[Atom]) -> Op, arguments: &[Value<f64>], ty: Type) -> Value<f64> {
        let mut vars: Vec<VarInfo> = arguments.iter().map(|value| VarInfo { name: None, ty: type_of(value) }).collect();
        let atoms: Vec<Atom> = (0..arguments.len() as u32).map(|at| Atom::Var(Var(at))).collect();
        vars.push(VarInfo { name: None, ty });
        let var = Var(vars.len() as u32 - 1);
        let binding = Binding { var, op: op(&atoms), span: self.span };
        let given: Vec<(Var, Value<f64>)> =
            arguments.iter().enumerate().map(|(at, value)| (Var(at as u32), value.clone())).collect();
        self.run(&[binding], &[Atom::Var(var)], &given, &vars).swap_remove(0)
    }

    /// The zero of a space, whose sizes are known here.
    fn zero(&self, ty: &Type, values: &mut Environment) -> Vector {
        match ty {
            Type::Real => Vector::Number(0.0),
            Type::Array(size, element) => {
                let count = size.evaluate(&mut |atom| match atom {
                    size::Atom::Var(var) => Some(self.value(Atom::Var(var), values).int()),
                    _ => None,
                });
                Vector::Array(vec![self.zero(element, values); count.expect("a size that is known") as usize])
            }
            Type::Tuple(_) | Type::Record(_) => {
                Vector::Tuple(ty.components().unwrap_or_default().iter().map(|part| self.zero(part, values)).collect())
            }
            _ => Vector::Tuple(Vec::new()),
        }
    }

    /// A type with its sizes as they are here.
    fn sized(&self, ty: &Type, values: &mut Environment) -> Type {
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(var) => Size::Constant(self.value(Atom::Var(var), values).int()),
                atom => Size::Atom(atom),
            })
        })
    }

    fn as_value(&self, vector: &Vector, ty: &Type, values: &mut Environment) -> Value<f64> {
        let vector = match vector {
            Vector::Zero => &self.zero(ty, values),
            vector => vector,
        };
        match (vector, ty) {
            (Vector::Number(x), _) => Value::Real(*x),
            (Vector::Array(parts), Type::Array(_, element)) => {
                let parts = parts.iter().map(|part| self.as_value(part, element, values)).collect();
                Value::array(element, parts)
            }
            (Vector::Tuple(parts), _) => {
                let types = ty.components().unwrap_or_default();
                Value::Tuple(parts.iter().zip(&types).map(|(part, ty)| self.as_value(part, ty, values)).collect())
            }
            (vector, ty) => panic!("{vector:?} is not of {ty:?}"),
        }
    }

    fn number(&self, expr: &Expr, values: &mut Environment) -> f64 {
        self.expr(expr, values).real()
    }

    /// A function of the argument that is absent.
    fn function(
        &self,
        primitive: &'static riesz_primitive::Primitive,
        arguments: &[Option<Expr>],
        term: &Term,
        x: &Vector,
        values: &mut Environment,
    ) -> Vector {
        let holes = arguments.iter().filter(|argument| argument.is_none()).count();
        let from = term.domain();
        let types = if holes == 1 { vec![from.clone()] } else { from.components().unwrap() };
        let mut hole = 0;
        let mut all = Vec::new();
        for argument in arguments {
            all.push(match argument {
                Some(expr) => self.expr(expr, values),
                None => {
                    let part = if holes == 1 { x.clone() } else { x.part(hole) };
                    hole += 1;
                    self.as_value(&part, &types[hole - 1], values)
                }
            });
        }
        let to = self.sized(term.codomain(), values);
        Vector::of(&self.op(|atoms| Op::ArrayFunction(primitive, atoms.to_vec()), &all, to))
    }

    fn relation(&self, relation: &Relation, term: &Term, x: &Vector, values: &mut Environment) -> Vector {
        match relation {
            Relation::Sum(_) => match x {
                Vector::Array(parts) => parts.iter().cloned().fold(Vector::Zero, Vector::plus),
                _ => Vector::Zero,
            },
            Relation::Replicate(count) => Vector::Array(vec![x.clone(); self.expr(count, values).int() as usize]),
            Relation::Function(operation, arguments) => {
                self.function(operation.primitive(), arguments, term, x, values)
            }
            Relation::Converse(relation) => {
                let map = Term::new(
                    term.codomain().clone(),
                    term.domain().clone(),
                    Form::Reduce { relation: (**relation).clone(), element: Type::unit() },
                );
                self.transposed(&map, x, values, &Tangents::default())
            }
        }
    }

    /// `⟨m eᵢ, y⟩` for every unit vector
    fn transposed(&self, map: &Term, y: &Vector, values: &mut Environment, tangents: &Tangents) -> Vector {
        let zero = self.zero(map.domain(), values);
        let mut paths = Vec::new();
        units(&zero, &mut Vec::new(), &mut paths);
        let mut result = zero.clone();
        for path in paths {
            let mut unit = zero.clone();
            *at_path(&mut unit, &path) = 1.0;
            let image = self.apply(map, &unit, values, tangents);
            *at_path(&mut result, &path) = image.inner(y);
        }
        result
    }

    /// Calls `f` for every index of a binder.
    fn iterate(&self, binder: &Binder, values: &mut Environment, f: &mut dyn FnMut(usize, &mut Environment)) {
        for at in 0..self.expr(&binder.count, values).int() {
            let mut inside = values.clone();
            inside.insert(binder.index, Value::Int(at));
            f(at as usize, &mut inside);
        }
    }

    fn family(
        &self,
        family: Family,
        binder: &Binder,
        body: &Term,
        x: &Vector,
        values: &mut Environment,
        tangents: &Tangents,
    ) -> Vector {
        let mut results = Vec::new();
        self.iterate(binder, values, &mut |at, inside| {
            let argument = match family {
                Family::Join | Family::Each => x.part(at),
                Family::Fork | Family::Add => x.clone(),
            };
            results.push(self.apply(body, &argument, inside, tangents));
        });
        match family {
            Family::Fork | Family::Each => Vector::Array(results),
            Family::Join | Family::Add => results.into_iter().fold(Vector::Zero, Vector::plus),
        }
    }

    fn apply(&self, term: &Term, x: &Vector, values: &mut Environment, tangents: &Tangents) -> Vector {
        let each = |maps: &[Term], values: &mut Environment| -> Vec<Vector> {
            maps.iter().map(|map| self.apply(map, x, values, tangents)).collect()
        };
        let part = |part: &Part, values: &mut Environment| match part {
            Part::Element(at) => self.expr(at, values).int() as usize,
            Part::Component(at, _) => *at,
        };
        let parts = |maps: &[Term], values: &mut Environment| -> Vec<Vector> {
            let parts = maps.iter().enumerate();
            parts.map(|(at, map)| self.apply(map, &x.part(at), values, tangents)).collect()
        };
        let family = |parts: Vec<Vector>, space: &Type| match space {
            Type::Array(..) => Vector::Array(parts),
            _ => Vector::Tuple(parts),
        };
        match term.form() {
            Form::Zero => Vector::Zero,
            Form::Identity => x.clone(),
            Form::Scale(k) => x.times(self.number(k, values)),
            Form::Diagonal(d) => Vector::of(&self.expr(d, values)).pointwise(x),
            Form::RankOne(RankOne { coefficient, left, right }) => {
                let product = Vector::of(&self.expr(right, values)).inner(x) * self.number(coefficient, values);
                Vector::of(&self.expr(left, values)).times(product)
            }
            Form::Contract(contraction) => {
                let matrix = Some(contraction.matrix.clone());
                let arguments = if contraction.side == Side::Left { [matrix, None] } else { [None, matrix] };
                self.function(&array::EXACT_DOT, &arguments, term, x, values)
            }
            Form::Reduce { relation, .. } => self.relation(relation, term, x, values),
            Form::Unitary(unitary) if unitary.inverse => {
                let (from, to) = (term.codomain().clone(), term.domain().clone());
                let inverse = super::term::Unitary { inverse: false, ..unitary.clone() };
                self.transposed(&Term::new(from, to, Form::Unitary(inverse)), x, values, tangents)
            }
            Form::Unitary(unitary) => {
                let holes = match term.domain() {
                    Type::Tuple(parts) => parts.len(),
                    _ => 1,
                };
                self.function(unitary.operation.primitive(), &vec![None; holes], term, x, values)
            }
            Form::Project(at) => x.part(part(at, values)),
            Form::Inject(at) => {
                let at = part(at, values);
                self.injected(at, x, term.codomain(), values)
            }
            Form::Compose(maps) => maps.iter().rev().fold(x.clone(), |x, map| self.apply(map, &x, values, tangents)),
            Form::Add(maps) => each(maps, values).into_iter().fold(Vector::Zero, Vector::plus),
            Form::Fork(maps) => family(each(maps, values), term.codomain()),
            Form::Join(maps) => parts(maps, values).into_iter().fold(Vector::Zero, Vector::plus),
            Form::Each(maps) => family(parts(maps, values), term.codomain()),
            Form::Map(map) => match x {
                Vector::Array(parts) => {
                    Vector::Array(parts.iter().map(|part| self.apply(map, part, values, tangents)).collect())
                }
                _ => Vector::Zero,
            },
            Form::Family(family, binder, body) => self.family(*family, binder, body, x, values, tangents),
            Form::Extra(extra) => self.extra(extra, term, x, values, tangents),
        }
    }

    fn extra(&self, extra: &Extra, term: &Term, x: &Vector, values: &mut Environment, tangents: &Tangents) -> Vector {
        match (&extra.kind, &extra.children[..]) {
            (Kind::Derivative(var), _) => {
                tangents.get(var).unwrap_or_else(|| panic!("no {}", self.scope.derivative(*var))).clone()
            }
            (Kind::Function(operation, arguments), _) => {
                self.function(operation.primitive(), arguments, term, x, values)
            }
            (Kind::Builds(binder), [body]) => {
                let Vector::Array(elements) = self.family(Family::Fork, binder, body, x, values, tangents) else {
                    return Vector::Zero;
                };
                let width = term.codomain().components().unwrap_or_default().len();
                let column = |at: usize| Vector::Array(elements.iter().map(|element| element.part(at)).collect());
                Vector::Tuple((0..width).map(column).collect())
            }
            (Kind::Loop { kind, state, binder: Binder { index, count } }, [start, body]) => {
                self.recurrence(*kind, *state, start, *index, count, body, x, values, tangents)
            }
            (Kind::If(condition), [yes, no]) => match self.expr(condition, values).bool() {
                true => self.apply(yes, x, &mut values.clone(), tangents),
                false => self.apply(no, x, &mut values.clone(), tangents),
            },
            (Kind::Call { called, mask, arguments }, _) => self.call(*called, mask, arguments, x, term, values),
            (Kind::Adjoint, [map]) => self.transposed(map, x, values, tangents),
            _ => {
                let (items, result) = extra.items().expect("names and maps");
                let (mut inside, mut known) = (values.clone(), tangents.clone());
                self.items(&items, &mut inside, &mut known);
                self.apply(result, x, &mut inside, &known)
            }
        }
    }

    fn items(&self, items: &[Item], values: &mut Environment, tangents: &mut Tangents) {
        for item in items {
            match item {
                Item::Map(var, map) => {
                    let tangent = self.apply(map, &self.input, values, tangents);
                    tangents.insert(*var, tangent);
                }
                Item::Value(var, value) => {
                    let value = self.expr(value, values);
                    values.insert(*var, value);
                }
            }
        }
    }

    fn injected(&self, at: usize, x: &Vector, to: &Type, values: &mut Environment) -> Vector {
        let mut zero = self.zero(to, values);
        if let (Vector::Array(parts) | Vector::Tuple(parts), false) = (&mut zero, matches!(x, Vector::Zero)) {
            parts[at] = x.clone();
        }
        zero
    }

    #[allow(clippy::too_many_arguments)]
    fn recurrence(
        &self,
        kind: Loop,
        state: Var,
        start: &Term,
        index: Var,
        count: &Expr,
        body: &Term,
        x: &Vector,
        values: &mut Environment,
        tangents: &Tangents,
    ) -> Vector {
        let primal = self.scope.primal_of[&state];
        let (first, next) = self.turn_of(&self.streams.primal, primal).expect("a loop with this state");
        let mut value = self.value(first, values);
        let mut tangent = self.apply(start, x, values, tangents);
        let (mut states, mut kept) = (Vec::new(), Vec::new());
        for at in 0..self.expr(count, values).int() {
            let (mut inside, mut known) = (values.clone(), tangents.clone());
            inside.insert(index, Value::Int(at));
            inside.insert(primal, value.clone());
            known.insert(state, tangent);
            let after = self.apply(body, x, &mut inside, &known);
            tangent = match kind {
                Loop::Trace => {
                    kept.push(after.clone());
                    after.part(0)
                }
                _ => after,
            };
            states.push(tangent.clone());
            let result = self.value(next.0, &mut inside);
            value = if next.1 { result.parts()[0].clone() } else { result };
        }
        match kind {
            Loop::Last => tangent,
            Loop::Scan => Vector::Array(states),
            Loop::Trace => {
                let width = kept.first().map_or(1, |first| match first {
                    Vector::Tuple(parts) => parts.len(),
                    _ => 1,
                });
                let column = |at: usize| Vector::Array(kept.iter().map(|turn| turn.part(at)).collect());
                Vector::Tuple([tangent].into_iter().chain((1..width).map(column)).collect())
            }
        }
    }

    /// The start of the loop that has a state, its next state, and whether that is the first part of what the body gives.
    fn turn_of(&self, bindings: &[Binding], wanted: Var) -> Option<(Atom, (Atom, bool))> {
        for Binding { op, .. } in bindings {
            match op {
                Op::Loop(Recurrence { state, start, body, .. }) | Op::Scan(Recurrence { state, start, body, .. })
                    if *state == wanted =>
                {
                    return Some((*start, (body.result, false)));
                }
                Op::Trace(Recurrence { state, start, body, .. }) | Op::TraceWhile { state, start, body, .. }
                    if *state == wanted =>
                {
                    return Some((*start, (body.result, true)));
                }
                _ => {}
            }
            let mut found = None;
            op.visit_bodies(&mut |body| found = found.or_else(|| self.turn_of(&body.bindings, wanted)));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The derivative of a called function: by the compiled one.
    fn call(
        &self,
        called: FunctionId,
        mask: &[bool],
        arguments: &[Expr],
        x: &Vector,
        term: &Term,
        values: &mut Environment,
    ) -> Vector {
        let key = (called, mask.to_vec());
        let known = self.derivatives.borrow().get(&key).cloned();
        let derivative = known.unwrap_or_else(|| {
            let compiled = compiled(&self.calculus.program, called, mask, Mode::Forward, Associate::Cheapest).unwrap();
            let compiled = Rc::new(compiled);
            self.derivatives.borrow_mut().insert(key, compiled.clone());
            compiled
        });
        let Compiled { program, functions } = &*derivative;
        let mut given: Vec<Value<f64>> = arguments.iter().map(|argument| self.expr(argument, values)).collect();
        match mask.iter().filter(|active| **active).count() {
            1 => given.push(self.as_value(x, term.domain(), values)),
            _ => given.extend(self.as_value(x, term.domain(), values).parts().iter().cloned()),
        }
        let mut machine = Machine::<f64>::new(program, Limits::default(), |_| None);
        Vector::of(&machine.call_with(functions[0], given).unwrap().parts()[1])
    }
}
