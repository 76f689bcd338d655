//! Transposition: a linear program becomes its adjoint, binding by binding from the end.   [002 Fig. 5; 003 Thm 6.5]
//!
//! `dy = c · dx` becomes `x̄ += c · ȳ`, `dy = dx[i]` becomes `x̄[i] += ȳ`, an array builder becomes a loop over its
//! elements, a sum becomes a loop in which each term has the cotangent of the sum, and a loop becomes one that runs
//! backwards.
//!
//! The cotangent of a variable is the sum of the contributions of its uses. Uses in the same body contribute values; if
//! a variable is used element by element, or inside nested bodies, the uses add to an accumulator. The row `x[i]` of an
//! array with an accumulator needs none of its own: contributions to the row are added to `x̄[i]`.

mod accumulated;
mod array;
mod cotangent;
mod recurrence;

use crate::compile::Calculus;
use accumulated::{accumulated, passed_on};
use riesz_core::Type;
use riesz_core::build::fresh;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Place, Reduction, Var, VarInfo};
use riesz_primitive::scalar;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Transposes one linear program.
pub(crate) struct Transposer<'c> {
    pub calculus: &'c Calculus,
    pub vars: Vec<VarInfo>,
    linear: FxHashSet<Var>,
    /// The zeros of linear variables whose sizes no type tells.
    shapes: FxHashMap<Var, Var>,
    bodies: Vec<Vec<Binding>>,
    /// The contributions to the cotangents of variables so far.
    contributed: FxHashMap<Var, Contributions>,
    /// The accumulators of variables that have one.
    accumulators: FxHashMap<Var, Atom>,
    /// Variables that are parts of others, which have accumulators: the whole, and the place of the part.
    parts: FxHashMap<Var, (Var, Place)>,
    /// The cotangents of accumulators: what was read of them has these.
    read: FxHashMap<Var, Atom>,
}

/// A sum of values, and sums of values of components.
#[derive(Default)]
struct Contributions {
    whole: Vec<Atom>,
    parts: BTreeMap<usize, Contributions>,
}

impl<'c> Transposer<'c> {
    pub fn new(
        calculus: &'c Calculus,
        vars: Vec<VarInfo>,
        linear: FxHashSet<Var>,
        shapes: FxHashMap<Var, Var>,
    ) -> Transposer<'c> {
        Transposer {
            calculus,
            vars,
            linear,
            shapes,
            bodies: vec![Vec::new()],
            contributed: FxHashMap::default(),
            accumulators: FxHashMap::default(),
            parts: FxHashMap::default(),
            read: FxHashMap::default(),
        }
    }

    /// Transposes the body of a function: `inputs` have accumulators given to it, or, where they are accumulators
    /// themselves, the cotangents of what was added to them.
    pub fn function(
        mut self,
        linear: &[Binding],
        inputs: &[(Var, Var)],
        output: Option<(Atom, Var)>,
        span: Span,
    ) -> (Vec<VarInfo>, Body) {
        for (input, given) in inputs {
            match self.ty(*input) {
                Type::Accumulator(_) => self.read.insert(*input, Atom::Var(*given)),
                _ => self.accumulators.insert(*input, Atom::Var(*given)),
            };
        }
        self.level(linear, span, |_, _| output.map(|(result, cotangent)| (result, Atom::Var(cotangent))));
        let result = self.bind(Op::Tuple(Vec::new()), Type::unit(), span);
        let bindings = self.bodies.pop().unwrap_or_default();
        (self.vars, Body { bindings, result })
    }

    fn ty(&self, var: Var) -> Type {
        self.vars[var.0 as usize].ty.clone()
    }

    pub(crate) fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.ty(var),
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
            Atom::Bool(_) => Type::Bool,
        }
    }

    fn var(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
    }

    fn push(&mut self, binding: Binding) {
        self.bodies.last_mut().expect("a body is open while a program is transposed").push(binding);
    }

    pub(crate) fn bind(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        let var = self.var(ty);
        self.push(Binding { var, op, span });
        Atom::Var(var)
    }

    fn open(&mut self) {
        self.bodies.push(Vec::new());
    }

    fn close(&mut self, result: Atom) -> Body {
        Body { bindings: self.bodies.pop().unwrap_or_default(), result }
    }

    fn close_unit(&mut self, span: Span) -> Body {
        let unit = self.bind(Op::Tuple(Vec::new()), Type::unit(), span);
        self.close(unit)
    }

    /// The code that has been written, with its result.
    pub(crate) fn finish(mut self, result: Atom) -> (Vec<VarInfo>, Body) {
        let body = self.close(result);
        (self.vars, body)
    }

    /// One body: values first, then what `output` says of the result and its cotangent, then the linear bindings from the
    /// end.
    fn level(
        &mut self,
        bindings: &[Binding],
        span: Span,
        output: impl FnOnce(&mut Self, &FxHashSet<Var>) -> Option<(Atom, Atom)>,
    ) {
        for binding in bindings {
            if !self.linear.contains(&binding.var) {
                self.push(binding.clone());
            }
        }
        let by_parts = accumulated(bindings, &self.linear, &self.vars);
        let passed = passed_on(bindings);
        for binding in bindings.iter().filter(|binding| by_parts.contains(&binding.var)) {
            match self.part_of(binding).filter(|_| !passed.contains(&binding.var)) {
                Some(part) => {
                    self.parts.insert(binding.var, part);
                }
                None => self.accumulator(binding.var, binding.span),
            }
        }
        if let Some((result, cotangent)) = output(self, &by_parts) {
            self.add(result, &[], cotangent, span);
        }
        for binding in bindings.iter().rev() {
            if self.linear.contains(&binding.var) {
                self.binding(binding);
            }
        }
    }

    /// The whole of which a variable with arrays is a part, if the whole has an accumulator. A number has an
    /// accumulator of its own, so that a loop that adds to it need not look it up.
    fn part_of(&self, Binding { var, op, .. }: &Binding) -> Option<(Var, Place)> {
        let (whole, place) = match op {
            Op::Index(Atom::Var(whole), index) => (*whole, Place::Element(*index)),
            Op::Project(Atom::Var(whole), at) if self.ty(*whole) != Type::Kept => (*whole, Place::Component(*at)),
            _ => return None,
        };
        let arrays = self.ty(*var).any(&mut |part| matches!(part, Type::Array(..)));
        (arrays && self.place(whole).is_some()).then_some((whole, place))
    }

    fn accumulator(&mut self, var: Var, span: Span) {
        let ty = self.ty(var);
        if matches!(ty, Type::Accumulator(_)) || !ty.varies() {
            return;
        }
        let zero = self.shapes.get(&var).map(|shape| Atom::Var(*shape));
        let accumulator = self.accumulator_of(ty, zero, span);
        self.accumulators.insert(var, accumulator);
    }

    fn binding(&mut self, Binding { var, op, span }: &Binding) {
        let span = *span;
        // What was contributed to a part has been added to the whole.
        if self.parts.contains_key(var) {
            return;
        }
        // Operations for their effect have no cotangent of their own.
        match op {
            Op::AddTo(accumulator, path, value) => {
                let Atom::Var(accumulator) = accumulator else { return };
                if let Some(&cotangent) = self.read.get(accumulator) {
                    let ty = self.atom_type(*value);
                    let part = self.part(cotangent, path, &ty, span);
                    self.add(*value, &[], part, span);
                }
                return;
            }
            Op::For(Iteration { count, index, body }) => {
                self.open();
                self.level(&body.bindings, span, |_, _| None);
                let body = self.close_unit(span);
                self.bind(Op::For(Iteration { count: *count, index: *index, body }), Type::unit(), span);
                return;
            }
            Op::Accumulator | Op::Zero(_) => return,
            _ => {}
        }
        let ty = self.ty(*var);
        let cotangent = match ty.varies() {
            true => match self.cotangent(*var, span) {
                Some(cotangent) => Some(cotangent),
                None if matches!(op, Op::If { .. }) && self.has_effects(op) => None,
                None if self.has_effects(op) => Some(self.zero_of(*var, span)),
                None => return,
            },
            false if self.has_effects(op) => None,
            false => return,
        };
        let given = cotangent.unwrap_or(Atom::Int(0));
        match op {
            Op::Copy(a) => self.add(*a, &[], given, span),
            Op::Plus(a, b) => {
                self.add(*a, &[], given, span);
                self.add(*b, &[], given, span);
            }
            Op::Scalar(primitive, arguments) => match &arguments[..] {
                [a, b] if **primitive == scalar::ADD => {
                    self.add(*a, &[], given, span);
                    self.add(*b, &[], given, span);
                }
                [a] if **primitive == scalar::NEG => {
                    let negative = self.bind(Op::Scalar(&scalar::NEG, vec![given]), Type::Real, span);
                    self.add(*a, &[], negative, span);
                }
                [a, b] if [&scalar::EXACT_MUL, &scalar::MUL].contains(primitive) => {
                    let (coefficient, tangent) = if self.is_linear(*a) { (*b, *a) } else { (*a, *b) };
                    let product = Op::Scalar(&scalar::EXACT_MUL, vec![coefficient, given]);
                    let product = self.bind(product, Type::Real, span);
                    self.add(tangent, &[], product, span);
                }
                _ => unreachable!("`{}` is no operation of linear programs", primitive.name),
            },
            Op::Index(array, index) => self.add(*array, &[Place::Element(*index)], given, span),
            Op::Project(tuple, at) => self.add(*tuple, &[Place::Component(*at)], given, span),
            Op::Tuple(parts) => {
                for (at, (part, ty)) in parts.iter().zip(ty.components().unwrap_or_default()).enumerate() {
                    if self.is_linear(*part) && ty.varies() {
                        let component = self.bind(Op::Project(given, at), ty, span);
                        self.add(*part, &[], component, span);
                    }
                }
            }
            Op::Array(elements) => {
                let Type::Array(_, element) = &ty else { return };
                for (at, value) in elements.iter().enumerate() {
                    if self.is_linear(*value) {
                        let part = self.bind(Op::Index(given, Atom::Int(at as i64)), (**element).clone(), span);
                        self.add(*value, &[], part, span);
                    }
                }
            }
            Op::Read(Atom::Var(accumulator)) => {
                self.read.insert(*accumulator, given);
            }
            Op::Build(Iteration { count, index, body }) => {
                self.open();
                self.level(&body.bindings, span, |transposer, _| {
                    let element = transposer.atom_type(body.result);
                    Some((body.result, transposer.bind(Op::Index(given, Atom::Var(*index)), element, span)))
                });
                let body = self.close_unit(span);
                self.bind(Op::For(Iteration { count: *count, index: *index, body }), Type::unit(), span);
            }
            Op::Builds(Iteration { count, index, body }) => {
                self.open();
                self.level(&body.bindings, span, |transposer, _| {
                    let part = transposer.elements_at(given, &ty, Atom::Var(*index), body.result, span);
                    Some((body.result, part))
                });
                let body = self.close_unit(span);
                self.bind(Op::For(Iteration { count: *count, index: *index, body }), Type::unit(), span);
            }
            Op::Reduce(Reduction::Sum, Iteration { count, index, body }) => {
                self.open();
                self.level(&body.bindings, span, |_, _| Some((body.result, given)));
                let body = self.close_unit(span);
                self.bind(Op::For(Iteration { count: *count, index: *index, body }), Type::unit(), span);
            }
            Op::If { condition, yes, no } => {
                let branch = |transposer: &mut Self, body: &Body| {
                    transposer.open();
                    let output = cotangent.map(|cotangent| (body.result, cotangent));
                    transposer.level(&body.bindings, span, |_, _| output);
                    transposer.close_unit(span)
                };
                let (yes, no) = (branch(self, yes), branch(self, no));
                self.bind(Op::If { condition: *condition, yes, no }, Type::unit(), span);
            }
            Op::Loop(recurrence) | Op::Scan(recurrence) | Op::Trace(recurrence) => {
                self.iterations(op, recurrence, given, &ty, span)
            }
            Op::Call(forward, arguments) => self.call(*forward, arguments, cotangent, span),
            Op::OnMaps(operation, operands) => self.on_maps(*operation, operands, given, span),
            Op::Apply(map, argument) => self.apply(*map, *argument, given, &ty, span),
            Op::Map { forward, captured, .. } => self.map(*forward, captured, &ty, given, span),
            Op::ArrayFunction(primitive, arguments) => self.array_function(primitive, arguments, given, &ty, span),
            _ => {}
        }
    }

    pub(crate) fn is_linear(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.linear.contains(&var))
    }

    /// Whether an operation adds to accumulators of the linear program.
    fn has_effects(&self, op: &Op) -> bool {
        let mut found = match op {
            Op::AddTo(..) => true,
            Op::Call(_, arguments) => {
                arguments.iter().any(|argument| matches!(self.atom_type(*argument), Type::Accumulator(_)))
            }
            _ => false,
        };
        op.visit_bodies(&mut |body| found |= body.bindings.iter().any(|binding| self.has_effects(&binding.op)));
        found
    }

    /// The part of a value that a path leads to, which is of a type.
    fn part(&mut self, value: Atom, path: &[Place], part: &Type, span: Span) -> Atom {
        let mut value = value;
        for place in path {
            let ty = self.atom_type(value);
            value = match (place, &ty) {
                (Place::Element(index), Type::Array(_, element)) => {
                    self.bind(Op::Index(value, *index), (**element).clone(), span)
                }
                (Place::Component(at), _) => {
                    // What is kept does not say what its components are.
                    let component = ty.components().and_then(|parts| parts.get(*at).cloned());
                    self.bind(Op::Project(value, *at), component.unwrap_or_else(|| part.clone()), span)
                }
                _ => value,
            };
        }
        value
    }

    /// The tuple of elements at an index of a tuple of arrays.
    fn elements_at(&mut self, arrays: Atom, ty: &Type, index: Atom, like: Atom, span: Span) -> Atom {
        let result = self.atom_type(like);
        let mut atoms = Vec::new();
        for (at, array) in ty.components().unwrap_or_default().into_iter().enumerate() {
            let Type::Array(_, element) = &array else { continue };
            let element = (**element).clone();
            let array = self.bind(Op::Project(arrays, at), array, span);
            atoms.push(self.bind(Op::Index(array, index), element, span));
        }
        self.bind(Op::Tuple(atoms), result, span)
    }

    fn call(&mut self, forward: riesz_core::FunctionId, arguments: &[Atom], cotangent: Option<Atom>, span: Span) {
        let Some((reverse, kept)) = self.calculus.reverse_of(forward) else { return };
        let mut passed = arguments[..kept].to_vec();
        passed.extend(cotangent);
        for tangent in &arguments[kept..] {
            passed.push(self.accumulator_for(*tangent, span));
        }
        self.bind(Op::Call(reverse, passed), Type::unit(), span);
    }
}
