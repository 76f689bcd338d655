//! A walk through a function that finds out, number by number, what its result varies with.
//!
//! Small arrays and tuples are taken apart into their numbers, and loops of known length are unrolled; an array whose
//! elements vary is not computed but remembered by how an element is made. What is met on the way is written as core:
//! values, and the partial derivatives of the graph. Where the walk does not know how to go on it gives up.

use super::graph::{Graph, Hop, Input, Node, Origin};
use super::known::{Accumulated, Built, Element, Frame, Known};
use crate::free::Free;
use crate::optimise::rename::{Renaming, as_size, type_of};
use riesz_core::Size;
use riesz_core::size;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Program, Reduction, Turn, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::derivative::Derivative;
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The longest array that is taken apart, and the longest loop that is unrolled.
const LONGEST: i64 = 32;
/// How many bindings a walk may pass.
const MOST_BINDINGS: usize = 4000;
/// How deep calls may nest.
const DEEPEST: usize = 100;

pub(super) struct Walk<'a> {
    pub program: &'a Program,
    pub vars: &'a mut Vec<VarInfo>,
    pub graph: Graph,
    scopes: Vec<Scope<'a>>,
    /// `0 ≤ index < bound`, as polynomials: what loops and conditions say.
    pub facts: Vec<(Size, Size)>,
    forms: FxHashMap<Var, Size>,
    passed: usize,
    depth: usize,
    /// How many accumulators have been met.
    pub accumulators: usize,
    /// Statements that add to accumulators with smaller numbers have been seen before.
    pub replayed: usize,
    pub span: Span,
    /// Arrays of all indices below a size.
    pub ranges: Vec<(Size, Atom)>,
}

/// What has been written for a body.
#[derive(Default)]
pub(super) struct Scope<'a> {
    bindings: Vec<Binding>,
    bound: FxHashSet<Var>,
    /// Operations that are already bound.
    shared: FxHashMap<String, Atom>,
    /// Elements that are already known.
    elements: FxHashMap<(usize, String), (Rc<Built<'a>>, Known<'a>)>,
    inputs: FxHashMap<String, Node>,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, vars: &'a mut Vec<VarInfo>, span: Span) -> Walk<'a> {
        Walk {
            program,
            vars,
            graph: Graph::default(),
            scopes: vec![Scope::default()],
            facts: Vec::new(),
            forms: FxHashMap::default(),
            passed: 0,
            depth: 0,
            accumulators: 0,
            replayed: 0,
            span,
            ranges: Vec::new(),
        }
    }

    // ---- writing ----

    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// The bindings written since the last `open`.
    pub fn close(&mut self) -> Vec<Binding> {
        self.scopes.pop().unwrap_or_default().bindings
    }

    /// Lays a scope aside.
    pub fn take_scope(&mut self) -> Scope<'a> {
        self.scopes.pop().unwrap_or_default()
    }

    /// Goes on with a scope that was laid aside.
    pub fn put_scope(&mut self, scope: Scope<'a>) {
        self.scopes.push(scope);
    }

    /// Lays all scopes aside but the outermost.
    pub fn take_scopes(&mut self) -> Vec<Scope<'a>> {
        self.scopes.split_off(1)
    }

    /// Goes on with scopes that were laid aside.
    pub fn put_scopes(&mut self, scopes: Vec<Scope<'a>>) {
        self.scopes.extend(scopes);
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        self.scopes.last_mut().expect("the outermost scope is never closed by a walk")
    }

    /// Whether a variable was bound since the last `open`.
    pub fn is_local(&self, var: Var) -> bool {
        self.scopes.last().is_some_and(|scope| scope.bound.contains(&var))
    }

    pub fn var(&mut self, ty: Type) -> Var {
        self.vars.push(VarInfo { name: None, ty });
        Var(self.vars.len() as u32 - 1)
    }

    pub fn type_of(&self, atom: Atom) -> Type {
        type_of(atom, self.vars)
    }

    /// Binds an operation, unless it is bound already.
    pub fn bind(&mut self, op: Op, ty: Type) -> Atom {
        let key = key(&op);
        if let Some(key) = &key
            && let Some(atom) = self.scopes.iter().rev().find_map(|scope| scope.shared.get(key))
        {
            return *atom;
        }
        let form = if ty == Type::Int { self.form_of(&op) } else { None };
        if let Some(Size::Constant(value)) = form {
            return Atom::Int(value);
        }
        let var = self.var(ty);
        if let Some(form) = form {
            self.forms.insert(var, form);
        }
        let span = self.span;
        let scope = self.scope();
        scope.bindings.push(Binding { var, op, span });
        scope.bound.insert(var);
        if let Some(key) = key {
            scope.shared.insert(key, Atom::Var(var));
        }
        Atom::Var(var)
    }

    /// The integer that an operation gives, as a polynomial.
    fn form_of(&self, op: &Op) -> Option<Size> {
        match op {
            Op::Copy(a) => Some(self.form(*a)),
            Op::Scalar(primitive, operands) => {
                let of = |at: usize| self.form(operands[at]);
                let is = |other: &'static Primitive| std::ptr::eq(*primitive, other);
                match () {
                    () if is(&scalar::ADD) => of(0).add(&of(1)),
                    () if is(&scalar::SUB) => of(0).sub(&of(1)),
                    () if is(&scalar::MUL) => of(0).mul(&of(1)),
                    () => None,
                }
            }
            _ => None,
        }
    }

    /// An integer as a polynomial.
    pub fn form(&self, atom: Atom) -> Size {
        match atom {
            Atom::Var(var) => self.forms.get(&var).cloned().unwrap_or_else(|| Size::var(var)),
            atom => as_size(atom),
        }
    }

    pub fn set_form(&mut self, var: Var, form: Size) {
        self.forms.insert(var, form);
    }

    /// A size as a polynomial over what polynomials are of here.
    pub fn size_form(&self, size: &Size) -> Size {
        size.replace(&mut |atom| match atom {
            size::Atom::Var(var) => self.form(Atom::Var(var)),
            atom => Size::Atom(atom),
        })
    }

    /// Whether an index is known to be below a size, and not negative.
    pub fn in_range(&self, index: &Size, size: &Size) -> bool {
        if let (Size::Constant(index), Size::Constant(size)) = (index, size) {
            return 0 <= *index && index < size;
        }
        self.facts.iter().any(|(known, bound)| {
            let Some(Size::Constant(more)) = index.sub(known) else { return false };
            let room = size.sub(bound).and_then(|room| room.sub(&Size::Constant(more)));
            more >= 0 && matches!(room, Some(Size::Constant(0..)))
        })
    }

    // ---- functions and bodies ----

    /// What a function gives for some arguments.
    pub fn call(&mut self, function: &'a Function, arguments: Vec<Known<'a>>) -> Option<Known<'a>> {
        if self.depth >= DEEPEST || arguments.len() != function.parameters {
            return None;
        }
        let frame = Frame::of(function);
        for (at, argument) in arguments.into_iter().enumerate() {
            frame.set(Var(at as u32), argument);
        }
        self.depth += 1;
        let result = self.body(&function.body, &frame);
        self.depth -= 1;
        result
    }

    pub fn body(&mut self, body: &'a Body, frame: &Rc<Frame<'a>>) -> Option<Known<'a>> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            for binding in &body.bindings {
                self.step(binding, frame)?;
            }
            frame.atom(body.result)
        })
    }

    /// Passes one binding.
    pub fn step(&mut self, binding: &'a Binding, frame: &Rc<Frame<'a>>) -> Option<()> {
        self.passed += 1;
        if self.passed > MOST_BINDINGS {
            return None;
        }
        self.span = binding.span;
        let known = self.operation(binding, frame)?;
        frame.set(binding.var, known);
        Some(())
    }

    /// A body for one index.
    pub fn turn(&mut self, iteration: &'a Iteration, at: Atom, frame: &Rc<Frame<'a>>) -> Option<Known<'a>> {
        let inner = Frame::inside(frame);
        inner.set(iteration.index, Known::Plain(at));
        self.body(&iteration.body, &inner)
    }

    fn operation(&mut self, binding: &'a Binding, frame: &Rc<Frame<'a>>) -> Option<Known<'a>> {
        let Binding { var, op, .. } = binding;
        let of = |atom: &Atom| frame.atom(*atom);
        match op {
            Op::Accumulator => {
                let ty = match &frame.function.var(*var).ty {
                    Type::Accumulator(inner) => self.ty(inner, frame)?,
                    _ => return None,
                };
                let serial = self.accumulators;
                self.accumulators += 1;
                let additions = Default::default();
                return Some(Known::Accumulator(Rc::new(Accumulated { ty, serial, additions })));
            }
            Op::SizeOf(value, path) if path.is_empty() => {
                if let Some(count) = self.length(&of(value)?) {
                    return Some(Known::Plain(count));
                }
            }
            Op::Zero(value) if !of(value)?.is_plain() => {
                let ty = self.ty(&frame.function.var(*var).ty, frame)?;
                return self.zero(&ty);
            }
            // What has no tangent needs no more than values.
            op if matches!(frame.function.var(*var).ty, Type::Int | Type::Bool)
                || !self.varies(binding, op, frame)? =>
            {
                return self.plain(binding, frame);
            }
            _ => {}
        }
        Some(match op {
            Op::Copy(a) => of(a)?,
            Op::Tuple(parts) => Known::Parts(parts.iter().map(of).collect::<Option<_>>()?),
            Op::Array(elements) => Known::Elements(elements.iter().map(of).collect::<Option<_>>()?),
            Op::Project(a, at) => self.project(&of(a)?, *at)?,
            Op::Index(a, index) => {
                let index = self.value(&of(index)?)?;
                self.index(&of(a)?, index)?
            }
            Op::Scalar(primitive, arguments) => {
                let arguments = arguments.iter().map(of).collect::<Option<Vec<_>>>()?;
                self.scalar(primitive, &arguments)?
            }
            Op::Plus(a, b) => self.plus(&of(a)?, &of(b)?)?,
            Op::Build(iteration) => self.built(iteration, None, frame)?,
            Op::Builds(iteration) => {
                let parts = frame.function.var(*var).ty.components()?.len();
                Known::Parts((0..parts).map(|at| self.built(iteration, Some(at), frame)).collect::<Option<_>>()?)
            }
            Op::Reduce(Reduction::Sum, iteration) => {
                let mut total: Option<Known> = None;
                for at in 0..self.turns(iteration.count, frame)? {
                    let term = self.turn(iteration, Atom::Int(at), frame)?;
                    total = Some(match total {
                        Some(total) => self.plus(&total, &term)?,
                        None => term,
                    });
                }
                total?
            }
            Op::Loop(Turn { state, start, count, index, body }) => {
                let mut known = of(start)?;
                for at in 0..self.turns(*count, frame)? {
                    let inner = Frame::inside(frame);
                    inner.set(*index, Known::Plain(Atom::Int(at)));
                    inner.set(*state, known);
                    known = self.body(body, &inner)?;
                }
                known
            }
            Op::If { condition, yes, no } => {
                let condition = self.value(&of(condition)?)?;
                let branch = |body: &'a Body| move |walk: &mut Walk<'a>| walk.body(body, &Frame::inside(frame));
                self.either(condition, &mut branch(yes), &mut branch(no))?
            }
            Op::Call(function, arguments) => {
                let arguments = arguments.iter().map(of).collect::<Option<Vec<_>>>()?;
                self.call(self.program.function(*function), arguments)?
            }
            Op::ArrayFunction(primitive, arguments) => {
                let arguments = arguments.iter().map(of).collect::<Option<Vec<_>>>()?;
                self.array_function(primitive, &arguments)?
            }
            Op::AddTo(accumulator, place, value) => {
                self.add_to(&of(accumulator)?, place, *value, frame)?;
                Known::Parts(Vec::new())
            }
            Op::For(iteration) => {
                self.record(iteration, frame)?;
                Known::Parts(Vec::new())
            }
            Op::Read(accumulator) => match of(accumulator)? {
                Known::Accumulator(sum) => {
                    let ty = sum.ty.clone();
                    self.read(&sum, &ty, Vec::new())?
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// How often a loop runs, if that is known and little.
    pub fn turns(&self, count: Atom, frame: &Frame) -> Option<i64> {
        match frame.atom(count)? {
            Known::Plain(count) => match self.form(count) {
                Size::Constant(count @ 0..=LONGEST) => Some(count),
                _ => None,
            },
            _ => None,
        }
    }

    fn built(
        &mut self,
        iteration: &'a Iteration,
        component: Option<usize>,
        frame: &Rc<Frame<'a>>,
    ) -> Option<Known<'a>> {
        let count = self.value(&frame.atom(iteration.count)?)?;
        let element = Element::Turn { iteration, component, frame: frame.clone() };
        let built = Known::Built(Rc::new(Built { count, element }));
        // In a loop a short array is a few numbers. They are read where the program reads them, not first in a branch.
        match self.scopes.len() > 1 && self.turns(iteration.count, frame).is_some() {
            true => self.elements(&built).map(Known::Elements),
            false => Some(built),
        }
    }

    // ---- what does not vary ----

    /// Whether an operation depends on something that varies.
    fn varies(&self, binding: &Binding, op: &Op, frame: &Frame) -> Option<bool> {
        let mut varies = false;
        let mut known = true;
        let mut see = |atom: Atom| match frame.atom(atom) {
            Some(found) => varies |= !found.is_plain(),
            None => known = false,
        };
        let mut bodies = 0;
        op.visit_bodies(&mut |_| bodies += 1);
        if bodies == 0 {
            op.visit_atoms(&mut |atom| see(*atom));
        } else {
            let free = Free::of(std::slice::from_ref(binding), &[], &frame.function.vars);
            free.found.iter().for_each(|var| see(Atom::Var(*var)));
        }
        known.then_some(varies)
    }

    /// Writes an operation that does not vary as it stands.
    fn plain(&mut self, binding: &'a Binding, frame: &Rc<Frame<'a>>) -> Option<Known<'a>> {
        let mut renaming = Renaming::default();
        for var in Free::of(std::slice::from_ref(binding), &[], &frame.function.vars).found {
            let atom = self.value(&frame.atom(Atom::Var(var))?)?;
            renaming.insert(var, atom);
        }
        let mut op = binding.op.clone();
        let ty = renaming.ty(&frame.function.var(binding.var).ty);
        let source = Some(frame.function.vars.as_slice());
        let mut body = Body { bindings: Vec::new(), result: Atom::Int(0) };
        match &op {
            Op::Scalar(..) | Op::Index(..) | Op::Project(..) | Op::Copy(_) => renaming.operands(&mut op),
            _ => {
                body.bindings.push(Binding { var: binding.var, op, span: binding.span });
                renaming.freshen(&mut body, source, self.vars);
                op = body.bindings.pop()?.op;
            }
        }
        if let Op::Copy(atom) = op
            && self.type_of(atom) == ty
        {
            return Some(Known::Plain(atom));
        }
        Some(Known::Plain(self.bind(op, ty)))
    }

    /// A type of a function that is walked, over what its sizes are here.
    pub fn ty(&mut self, ty: &Type, frame: &Frame<'a>) -> Option<Type> {
        let mut renaming = Renaming::default();
        let mut variables = Vec::new();
        ty.visit_variables(&mut |var| variables.push(var));
        for var in variables {
            renaming.insert(var, self.value(&frame.atom(Atom::Var(var))?)?);
        }
        Some(renaming.ty(ty))
    }

    /// The value as an operand; none for arrays that are only known by their elements.
    pub fn value(&mut self, known: &Known<'a>) -> Option<Atom> {
        Some(match known {
            Known::Plain(atom) | Known::Number(atom, _) | Known::Input(atom, _) => *atom,
            Known::Parts(parts) => {
                let parts = parts.iter().map(|part| self.value(part)).collect::<Option<Vec<_>>>()?;
                let ty = Type::Tuple(parts.iter().map(|part| self.type_of(*part)).collect());
                self.bind(Op::Tuple(parts), ty)
            }
            Known::Elements(elements) => {
                let elements = elements.iter().map(|element| self.value(element)).collect::<Option<Vec<_>>>()?;
                let ty = Type::array(Size::Constant(elements.len() as i64), self.type_of(*elements.first()?));
                self.bind(Op::Array(elements), ty)
            }
            Known::Built(_) | Known::Accumulator(_) => return None,
        })
    }

    // ---- numbers ----

    /// A part of the point.
    pub fn input(&mut self, value: Atom, path: Vec<Hop>) -> Known<'a> {
        let ty = self.type_of(value);
        if !ty.varies() {
            return Known::Plain(value);
        }
        if ty != Type::Real {
            return Known::Input(value, path);
        }
        let mut key = String::new();
        for hop in &path {
            key += &match hop {
                Hop::Component(at) => format!(".{at}"),
                Hop::Element { form, .. } => format!("[{form:?}]"),
            };
        }
        if let Some(node) = self.scopes.iter().rev().find_map(|scope| scope.inputs.get(&key)) {
            return Known::Number(value, *node);
        }
        let node = self.graph.add(Origin::Input(Input { path, conditional: false }));
        self.scope().inputs.insert(key, node);
        Known::Number(value, node)
    }

    /// A number with a value, and a sum of multiples of numbers that it varies with.
    pub fn number(&mut self, value: Atom, mut terms: Vec<(Atom, Node)>) -> Known<'a> {
        terms.retain(|(partial, _)| *partial != Atom::Real(0.0));
        let mut merged: Vec<(Atom, Node)> = Vec::with_capacity(terms.len());
        for (partial, node) in terms {
            match merged.iter().position(|(_, other)| *other == node) {
                Some(at) => merged[at].0 = self.plus_number(merged[at].0, partial),
                None => merged.push((partial, node)),
            }
        }
        match merged[..] {
            [] => Known::Plain(value),
            [(Atom::Real(1.0), node)] => Known::Number(value, node),
            _ => Known::Number(value, self.graph.add(Origin::Sum(merged))),
        }
    }

    pub fn scalar(&mut self, primitive: &'static Primitive, arguments: &[Known<'a>]) -> Option<Known<'a>> {
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Option<Vec<_>>>()?;
        let span = self.span;
        let value = self.bind(Op::Scalar(primitive, values.clone()), Type::Real);
        let row = primitive.scalar()?;
        let mut terms = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let Known::Number(_, node) = argument else { continue };
            let partial = match &row.derivative {
                Derivative::Zero => continue,
                Derivative::Terms(_) => return None,
                Derivative::Linear => {
                    let negative =
                        std::ptr::eq(primitive, &scalar::NEG) || std::ptr::eq(primitive, &scalar::SUB) && at == 1;
                    Atom::Real(if negative { -1.0 } else { 1.0 })
                }
                Derivative::Multilinear => values[1 - at],
                Derivative::Scale(coefficients) => {
                    crate::coefficient::write(self, &coefficients[at], &values, value, span)
                }
            };
            terms.push((partial, *node));
        }
        Some(self.number(value, terms))
    }

    /// `a + b`, number by number.
    pub fn plus(&mut self, a: &Known<'a>, b: &Known<'a>) -> Option<Known<'a>> {
        Some(match (a, b) {
            (Known::Parts(left), Known::Parts(right)) if left.len() == right.len() => {
                Known::Parts(left.iter().zip(right).map(|(a, b)| self.plus(a, b)).collect::<Option<_>>()?)
            }
            (Known::Built(_), _) | (_, Known::Built(_)) => {
                let count = self.length(a).or_else(|| self.length(b))?;
                Known::Built(Rc::new(Built { count, element: Element::Plus(a.clone(), b.clone()) }))
            }
            _ => {
                let is_number = |walk: &Self, known: &Known| match known {
                    Known::Plain(atom) | Known::Number(atom, _) => walk.type_of(*atom) == Type::Real,
                    _ => false,
                };
                if is_number(self, a) && is_number(self, b) {
                    return self.scalar(&scalar::ADD, &[a.clone(), b.clone()]);
                }
                let (left, right) = (self.elements(a)?, self.elements(b)?);
                if left.len() != right.len() {
                    return None;
                }
                Known::Elements(left.iter().zip(&right).map(|(a, b)| self.plus(a, b)).collect::<Option<_>>()?)
            }
        })
    }

    // ---- parts ----

    pub fn project(&mut self, known: &Known<'a>, at: usize) -> Option<Known<'a>> {
        Some(match known {
            Known::Parts(parts) => parts.get(at)?.clone(),
            Known::Plain(atom) => {
                let ty = self.type_of(*atom).component(at)?.clone();
                Known::Plain(self.bind(Op::Project(*atom, at), ty))
            }
            Known::Input(atom, path) => {
                let ty = self.type_of(*atom).component(at)?.clone();
                let value = self.bind(Op::Project(*atom, at), ty);
                let mut path = path.clone();
                path.push(Hop::Component(at));
                self.input(value, path)
            }
            _ => return None,
        })
    }

    pub fn index(&mut self, known: &Known<'a>, at: Atom) -> Option<Known<'a>> {
        let form = self.form(at);
        match known {
            Known::Elements(elements) => match form {
                Size::Constant(at) => elements.get(usize::try_from(at).ok()?).cloned(),
                _ => None,
            },
            Known::Plain(array) | Known::Input(array, _) => {
                let Type::Array(size, element) = self.type_of(*array) else { return None };
                let value = self.bind(Op::Index(*array, at), (*element).clone());
                let Known::Input(_, path) = known else { return Some(Known::Plain(value)) };
                let sure = size != Size::Hole && self.in_range(&form, &self.size_form(&size));
                let mut path = path.clone();
                path.push(Hop::Element { index: at, form, sure, span: self.span });
                Some(self.input(value, path))
            }
            Known::Built(built) => {
                let key = (Rc::as_ptr(built) as usize, format!("{form:?}"));
                if let Some((_, element)) = self.scopes.iter().rev().find_map(|scope| scope.elements.get(&key)) {
                    return Some(element.clone());
                }
                if !self.in_range(&form, &self.form(built.count)) {
                    return None;
                }
                let element = self.element(&built.element, at)?;
                // The key is a place in memory, which has to stay taken.
                self.scope().elements.insert(key, (built.clone(), element.clone()));
                Some(element)
            }
            _ => None,
        }
    }

    fn element(&mut self, element: &Element<'a>, at: Atom) -> Option<Known<'a>> {
        match element {
            Element::Turn { iteration, component, frame } => {
                let turn = self.turn(iteration, at, frame)?;
                match component {
                    Some(component) => self.project(&turn, *component),
                    None => Some(turn),
                }
            }
            Element::Plus(a, b) => {
                let (a, b) = (self.index(a, at)?, self.index(b, at)?);
                self.plus(&a, &b)
            }
            Element::Shifted(of, by) => {
                let at = self.further(at, *by);
                self.index(of, at)
            }
            Element::Gathered(of, indices) => {
                let at = self.bind(Op::Index(*indices, at), Type::Int);
                self.index(of, at)
            }
            Element::Zero(ty) => self.zero(ty),
            Element::Sum { of, ty, path } => {
                let sure = true;
                let hop = Hop::Element { index: at, form: self.form(at), sure, span: self.span };
                self.read(of, ty, path.iter().cloned().chain([hop]).collect())
            }
        }
    }

    /// The length of an array.
    pub fn length(&mut self, known: &Known<'a>) -> Option<Atom> {
        match known {
            Known::Elements(elements) => Some(Atom::Int(elements.len() as i64)),
            Known::Built(built) => Some(built.count),
            Known::Plain(atom) | Known::Input(atom, _) => match self.type_of(*atom) {
                Type::Array(Size::Hole, _) => None,
                Type::Array(size, _) => Some(self.size(&size)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A size as an operand.
    pub fn size(&mut self, size: &Size) -> Atom {
        let mut total = Atom::Int(0);
        for monomial in size.monomials() {
            let mut product = Atom::Int(monomial.coefficient());
            for factor in monomial.factors() {
                let factor = match factor {
                    size::Atom::Var(var) => Atom::Var(*var),
                    size::Atom::Global(global) => self.bind(Op::Global(*global), Type::Int),
                    _ => Atom::Int(0),
                };
                product = self.multiple(product, factor);
            }
            total = self.further(total, product);
        }
        total
    }

    /// `a + b`, of integers.
    pub fn further(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Int(0), other) | (other, Atom::Int(0)) => other,
            (a, b) => self.bind(Op::Scalar(&scalar::ADD, vec![a, b]), Type::Int),
        }
    }

    /// `a · b`, of integers.
    pub fn multiple(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Int(1), other) | (other, Atom::Int(1)) => other,
            (a, b) => self.bind(Op::Scalar(&scalar::MUL, vec![a, b]), Type::Int),
        }
    }

    /// The elements of a short array.
    pub fn elements(&mut self, known: &Known<'a>) -> Option<Vec<Known<'a>>> {
        if let Known::Elements(elements) = known {
            return Some(elements.clone());
        }
        let length = self.length(known)?;
        match self.form(length) {
            Size::Constant(length @ 0..=LONGEST) => (0..length).map(|at| self.index(known, Atom::Int(at))).collect(),
            _ => None,
        }
    }

    /// The zero of a space.
    pub fn zero(&mut self, ty: &Type) -> Option<Known<'a>> {
        Some(match ty {
            Type::Real => Known::Plain(Atom::Real(0.0)),
            Type::Array(Size::Hole, _) => return None,
            Type::Array(size, element) => {
                let count = self.size(size);
                Known::Built(Rc::new(Built { count, element: Element::Zero((**element).clone()) }))
            }
            ty => Known::Parts(ty.components()?.iter().map(|part| self.zero(part)).collect::<Option<_>>()?),
        })
    }
}

impl crate::coefficient::Write for Walk<'_> {
    fn bind(&mut self, op: Op, ty: Type, _: Span) -> Atom {
        Walk::bind(self, op, ty)
    }

    fn type_of(&self, atom: Atom) -> Type {
        Walk::type_of(self, atom)
    }

    fn open(&mut self) {
        Walk::open(self);
    }

    fn close(&mut self) -> Vec<Binding> {
        Walk::close(self)
    }
}

/// What is the same for operations that give the same.
fn key(op: &Op) -> Option<String> {
    Some(match op {
        Op::Scalar(primitive, operands) => format!("{} {operands:?}", primitive.name),
        Op::Index(a, b) => format!("index {a:?} {b:?}"),
        Op::Project(a, at) => format!("project {a:?} {at}"),
        Op::ToReal(a) => format!("real {a:?}"),
        Op::Compare(comparison, a, b) => format!("{comparison:?} {a:?} {b:?}"),
        Op::Same(a, b) => format!("same {a:?} {b:?}"),
        Op::Not(a) => format!("not {a:?}"),
        _ => return None,
    })
}
