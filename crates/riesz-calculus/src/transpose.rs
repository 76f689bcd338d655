//! Transposition: a linear program becomes its adjoint, binding by binding from the end.   [002 Fig. 5; 003 Thm 6.5]
//!
//! `dy = c · dx` becomes `x̄ += c · ȳ`, `dy = dx[i]` becomes `x̄[i] += ȳ`, an array that is built becomes a loop over its elements, a sum a
//! loop in which each term has the cotangent of the sum, and a loop one that runs backwards.
//!
//! The cotangent of a variable is the sum of what its uses contribute. Uses in the same body contribute values; where a
//! variable is used element by element, or inside the bodies of other operations, they add to an accumulator. The row
//! `x[i]` of an array that has one needs none of its own: what is contributed to the row is added to `x̄[i]`.

use crate::array::transposed;
use crate::compile::{Calculus, has_holes};
use crate::free::{accumulated, passed_to_calls};
use crate::linearise::write_size;
use riesz_core::term::{Atom, Binding, Body, Comparison, Iteration, Op, Place, Reduction, Step, Turn, Var, VarInfo};
use riesz_core::{Size, Type};
use riesz_primitive::{array, scalar};
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
    /// What has been contributed to the cotangents of variables.
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

    // ---- writing ----

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
        self.vars.push(VarInfo { name: None, ty });
        Var(self.vars.len() as u32 - 1)
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

    /// What has been written, with its result.
    pub(crate) fn finish(mut self, result: Atom) -> (Vec<VarInfo>, Body) {
        let body = self.close(result);
        (self.vars, body)
    }

    // ---- cotangents ----

    /// Contributes to the part of a variable's cotangent that a path leads to.
    pub(crate) fn add(&mut self, to: Atom, path: &[Place], value: Atom, span: Span) {
        let Atom::Var(var) = to else { return };
        if !self.linear.contains(&var) {
            return;
        }
        if let Some((accumulator, mut place)) = self.place(var) {
            place.extend_from_slice(path);
            self.bind(Op::AddTo(accumulator, place, value), Type::unit(), span);
            return;
        }
        let mut contributions = self.contributed.entry(var).or_default();
        for place in path {
            let Place::Component(at) = place else { unreachable!("elements are contributed to accumulators") };
            contributions = contributions.parts.entry(*at).or_default();
        }
        contributions.whole.push(value);
    }

    /// The accumulator that what is contributed to a variable is added to, and where.
    fn place(&self, mut var: Var) -> Option<(Atom, Vec<Place>)> {
        let mut path = Vec::new();
        while let Some((whole, place)) = self.parts.get(&var) {
            path.push(*place);
            var = *whole;
        }
        path.reverse();
        Some((*self.accumulators.get(&var)?, path))
    }

    /// The cotangent of a variable; none where nothing contributes to it.
    fn cotangent(&mut self, var: Var, span: Span) -> Option<Atom> {
        let ty = self.ty(var);
        if let Some(&accumulator) = self.accumulators.get(&var) {
            return Some(self.bind(Op::Read(accumulator), ty, span));
        }
        let contributions = self.contributed.remove(&var)?;
        let shape = self.shapes.get(&var).map(|shape| Atom::Var(*shape));
        self.total(contributions, &ty, shape, span)
    }

    fn total(&mut self, contributions: Contributions, ty: &Type, shape: Option<Atom>, span: Span) -> Option<Atom> {
        let mut terms = contributions.whole;
        if !contributions.parts.is_empty() {
            let mut parts = contributions.parts;
            let mut atoms = Vec::new();
            for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                let shape = shape.filter(|_| has_holes(part));
                let shape = shape.map(|shape| self.bind(Op::Project(shape, at), part.clone(), span));
                let total = parts.remove(&at).and_then(|part_of| self.total(part_of, part, shape, span));
                atoms.push(match total.or(shape) {
                    Some(total) => total,
                    None => self.zero(part, span),
                });
            }
            terms.push(self.bind(Op::Tuple(atoms), ty.clone(), span));
        }
        let mut terms = terms.into_iter();
        let mut total = terms.next()?;
        for term in terms {
            total = self.plus(total, term, ty, span);
        }
        Some(total)
    }

    fn plus(&mut self, a: Atom, b: Atom, ty: &Type, span: Span) -> Atom {
        let op = match ty {
            Type::Real => Op::Scalar(&scalar::ADD, vec![a, b]),
            _ => Op::Plus(a, b),
        };
        self.bind(op, ty.clone(), span)
    }

    /// The zero of a tangent space.
    fn zero(&mut self, ty: &Type, span: Span) -> Atom {
        match ty {
            Type::Real => Atom::Real(0.0),
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default().iter().map(|part| self.zero(part, span)).collect();
                self.bind(Op::Tuple(parts), ty.clone(), span)
            }
            _ => {
                let accumulator = self.bind(Op::Accumulator, Type::Accumulator(ty.clone().into()), span);
                self.bind(Op::Read(accumulator), ty.clone(), span)
            }
        }
    }

    /// The zero of a linear variable.
    fn zero_of(&mut self, var: Var, span: Span) -> Atom {
        match self.shapes.get(&var) {
            Some(shape) => Atom::Var(*shape),
            None => self.zero(&self.ty(var), span),
        }
    }

    /// An accumulator of a type, of the shape of a zero where there is one.
    pub(crate) fn accumulator_of(&mut self, ty: Type, zero: Option<Atom>, span: Span) -> Atom {
        let accumulator = self.bind(Op::Accumulator, Type::Accumulator(ty.into()), span);
        if let Some(zero) = zero {
            self.bind(Op::AddTo(accumulator, Vec::new(), zero), Type::unit(), span);
        }
        accumulator
    }

    // ---- bindings ----

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
        let passed = passed_to_calls(bindings);
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

    /// What a variable with arrays in it is a part of, if that has an accumulator. A number has its own, which a loop that
    /// adds to it need not look up.
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
            Op::Scalar(primitive, arguments) => match (&arguments[..], primitive.name) {
                ([a, b], "+") => {
                    self.add(*a, &[], given, span);
                    self.add(*b, &[], given, span);
                }
                ([a], _) => {
                    let negative = self.bind(Op::Scalar(&scalar::NEG, vec![given]), Type::Real, span);
                    self.add(*a, &[], negative, span);
                }
                ([a, b], _) => {
                    let (coefficient, tangent) = if self.is_linear(*a) { (*b, *a) } else { (*a, *b) };
                    let product = Op::Scalar(&scalar::EXACT_MUL, vec![coefficient, given]);
                    let product = self.bind(product, Type::Real, span);
                    self.add(tangent, &[], product, span);
                }
                _ => {}
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
            Op::Loop(turn) | Op::Scan(turn) | Op::Trace(turn) => self.turns(op, turn, given, &ty, span),
            Op::Call(forward, arguments) => self.call(*forward, arguments, cotangent, span),
            Op::OnMaps(operation, operands) => self.on_maps(*operation, operands, given, span),
            Op::Apply(map, argument) => self.apply(*map, *argument, given, &ty, span),
            Op::Map { forward, captured, .. } => self.map(*forward, captured, &ty, given, span),
            Op::ArrayFunction(primitive, arguments) => self.array_function(primitive.name, arguments, given, &ty, span),
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

    /// A loop runs backwards: its state is the cotangent of the state.
    fn turns(&mut self, op: &Op, turn: &Turn, given: Atom, ty: &Type, span: Span) {
        let Turn { state, start, count, index, body } = turn;
        let state_type = self.ty(*state);
        let (first, arrays) = match op {
            Op::Loop(_) => (given, Vec::new()),
            Op::Scan(_) => (self.after_scan(given, &state_type, *count, span), vec![given]),
            _ => {
                let types = ty.components().unwrap_or_default();
                let mut parts: Vec<Atom> =
                    types.into_iter().enumerate().map(|(at, ty)| self.bind(Op::Project(given, at), ty, span)).collect();
                let first = parts.remove(0);
                (first, parts)
            }
        };
        self.open();
        let cotangent_state = self.var(state_type.clone());
        let turn_index = self.var(Type::Int);
        let last = self.bind(Op::Scalar(&scalar::SUB, vec![*count, Atom::Int(1)]), Type::Int, span);
        self.push(Binding { var: *index, op: Op::Scalar(&scalar::SUB, vec![last, Atom::Var(turn_index)]), span });
        self.level(&body.bindings, span, |transposer, by_parts| {
            // The state itself may be used by parts inside the body.
            if by_parts.contains(state) {
                transposer.accumulator(*state, span);
            }
            let mut kept = Vec::new();
            for array in arrays {
                let Type::Array(_, element) = transposer.atom_type(array) else { continue };
                kept.push(transposer.bind(Op::Index(array, Atom::Var(*index)), (*element).clone(), span));
            }
            let cotangent = match op {
                Op::Loop(_) => Atom::Var(cotangent_state),
                Op::Scan(_) => transposer.plus(Atom::Var(cotangent_state), kept[0], &state_type, span),
                _ => {
                    kept.insert(0, Atom::Var(cotangent_state));
                    let ty = transposer.atom_type(body.result);
                    transposer.bind(Op::Tuple(kept), ty, span)
                }
            };
            Some((body.result, cotangent))
        });
        let before = match self.cotangent(*state, span) {
            Some(before) => before,
            None => self.zero_of(*state, span),
        };
        let body = self.close(before);
        let turn = Turn { state: cotangent_state, start: first, count: *count, index: turn_index, body };
        let result = self.bind(Op::Loop(turn), state_type, span);
        self.add(*start, &[], result, span);
    }

    /// The cotangent of the state after a scan that nobody has used: a zero like the last of all states.
    fn after_scan(&mut self, states: Atom, ty: &Type, count: Atom, span: Span) -> Atom {
        if !has_holes(ty) {
            return self.zero(ty, span);
        }
        let some = self.bind(Op::Compare(Comparison::Less, Atom::Int(0), count), Type::Bool, span);
        self.open();
        let last = self.integer(&scalar::SUB, count, Atom::Int(1), span);
        let last = self.bind(Op::Index(states, last), ty.clone(), span);
        let zero = self.bind(Op::Zero(last), ty.clone(), span);
        let yes = self.close(zero);
        self.open();
        let zero = self.zero(ty, span);
        let no = self.close(zero);
        self.bind(Op::If { condition: some, yes, no }, ty.clone(), span)
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

    /// What a function adds the cotangent of a tangent to: an accumulator, or, of an accumulator, its cotangent.
    pub(crate) fn accumulator_for(&mut self, tangent: Atom, span: Span) -> Atom {
        let ty = self.atom_type(tangent);
        match (tangent, &ty) {
            (Atom::Var(var), Type::Accumulator(inner)) => match self.read.get(&var) {
                Some(cotangent) => *cotangent,
                None => self.zero(inner, span),
            },
            (Atom::Var(var), _) if self.accumulators.contains_key(&var) => self.accumulators[&var],
            _ => {
                // What does not vary has a cotangent that nobody reads.
                let zero = has_holes(&ty).then(|| self.bind(Op::Zero(tangent), ty.clone(), span));
                self.accumulator_of(ty, zero, span)
            }
        }
    }

    // ---- functions of arrays ----

    pub(crate) fn size_atom(&mut self, size: &Size, span: Span) -> Atom {
        let mut bindings = Vec::new();
        let atom = write_size(size, &mut self.vars, &mut bindings, span);
        bindings.into_iter().for_each(|binding| self.push(binding));
        atom
    }

    pub(crate) fn length(&mut self, atom: Atom, span: Span) -> Atom {
        match self.atom_type(atom) {
            Type::Array(size, _) => self.length_along(atom, &size, Vec::new(), span),
            _ => Atom::Int(0),
        }
    }

    /// The size of an array, or of its elements: what the type says, or what a value of its shape has.
    fn length_along(&mut self, atom: Atom, size: &Size, path: Vec<Step>, span: Span) -> Atom {
        if *size != Size::Hole {
            return self.size_atom(size, span);
        }
        let shape = match atom {
            Atom::Var(var) => self.shapes.get(&var).map_or(atom, |shape| Atom::Var(*shape)),
            atom => atom,
        };
        self.bind(Op::SizeOf(shape, path), Type::Int, span)
    }

    pub(crate) fn each(&mut self, count: Atom, span: Span, body: impl FnOnce(&mut Self, Atom)) {
        self.open();
        let index = self.var(Type::Int);
        body(self, Atom::Var(index));
        let body = self.close_unit(span);
        self.bind(Op::For(Iteration { count, index, body }), Type::unit(), span);
    }

    pub(crate) fn built(
        &mut self,
        count: Atom,
        ty: &Type,
        span: Span,
        element: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Atom {
        self.open();
        let index = self.var(Type::Int);
        let result = element(self, Atom::Var(index));
        let body = self.close(result);
        self.bind(Op::Build(Iteration { count, index, body }), ty.clone(), span)
    }

    fn integer(&mut self, primitive: &'static riesz_primitive::Primitive, a: Atom, b: Atom, span: Span) -> Atom {
        self.bind(Op::Scalar(primitive, vec![a, b]), Type::Int, span)
    }

    fn array_function(&mut self, name: &str, arguments: &[Atom], given: Atom, ty: &Type, span: Span) {
        let element_type = match ty {
            Type::Array(_, element) => (**element).clone(),
            _ => Type::Real,
        };
        match (name, arguments) {
            ("reverse", [v]) => {
                let reversed = self.bind(Op::ArrayFunction(&array::REVERSE, vec![given]), ty.clone(), span);
                self.add(*v, &[], reversed, span);
            }
            ("transpose", [v]) => {
                let other = self.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![given]), transposed(ty), span);
                self.add(*v, &[], other, span);
            }
            ("concat", parts) => {
                let mut from = Atom::Int(0);
                for part in parts {
                    let part_type = self.atom_type(*part);
                    let length = self.length(*part, span);
                    let to = self.integer(&scalar::ADD, from, length, span);
                    if self.is_linear(*part) {
                        let slice = Op::ArrayFunction(&array::SLICE, vec![given, from, to]);
                        let slice = self.bind(slice, part_type, span);
                        self.add(*part, &[], slice, span);
                    }
                    from = to;
                }
            }
            ("slice", [v, from, to]) => {
                let count = self.integer(&scalar::SUB, *to, *from, span);
                self.each(count, span, |transposer, i| {
                    let part = transposer.bind(Op::Index(given, i), element_type, span);
                    let at = transposer.integer(&scalar::ADD, *from, i, span);
                    transposer.add(*v, &[Place::Element(at)], part, span);
                });
            }
            ("gather", [v, indices]) => {
                let count = self.length(*indices, span);
                self.each(count, span, |transposer, i| {
                    let part = transposer.bind(Op::Index(given, i), element_type, span);
                    let at = transposer.bind(Op::Index(*indices, i), Type::Int, span);
                    transposer.add(*v, &[Place::Element(at)], part, span);
                });
            }
            ("scatter_add", [_, indices, v]) => {
                let part_type = self.atom_type(*v);
                let gathered = self.bind(Op::ArrayFunction(&array::GATHER, vec![given, *indices]), part_type, span);
                self.add(*v, &[], gathered, span);
            }
            ("update", [v, at, x]) => {
                if self.is_linear(*x) {
                    let part = self.bind(Op::Index(given, *at), element_type.clone(), span);
                    self.add(*x, &[], part, span);
                }
                if self.is_linear(*v) {
                    let zero = match has_holes(&element_type) {
                        true => {
                            let part = self.bind(Op::Index(given, *at), element_type.clone(), span);
                            self.bind(Op::Zero(part), element_type.clone(), span)
                        }
                        false => self.zero(&element_type, span),
                    };
                    let rest = Op::ArrayFunction(&array::UPDATE, vec![given, *at, zero]);
                    let rest = self.bind(rest, ty.clone(), span);
                    self.add(*v, &[], rest, span);
                }
            }
            ("flatten", [v]) => {
                let matrix = self.atom_type(*v);
                let Type::Array(rows, row) = &matrix else { return };
                let Type::Array(columns, _) = &**row else { return };
                let columns = self.length_along(*v, columns, vec![Step::Elements], span);
                let rows = self.length_along(*v, rows, Vec::new(), span);
                let unflattened = self.built(rows, &matrix, span, |transposer, i| {
                    let from = transposer.integer(&scalar::MUL, i, columns, span);
                    let to = transposer.integer(&scalar::ADD, from, columns, span);
                    transposer.bind(Op::ArrayFunction(&array::SLICE, vec![given, from, to]), (**row).clone(), span)
                });
                self.add(*v, &[], unflattened, span);
            }
            ("solve", [a, b]) => {
                let matrix = self.atom_type(*a);
                let other = self.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![*a]), transposed(&matrix), span);
                let solved = self.bind(Op::ArrayFunction(&array::SOLVE, vec![other, given]), ty.clone(), span);
                self.add(*b, &[], solved, span);
            }
            ("cholesky tangent", [l, s]) => {
                let moved = Op::ArrayFunction(&array::CHOLESKY_COTANGENT, vec![*l, given]);
                let moved = self.bind(moved, ty.clone(), span);
                self.add(*s, &[], moved, span);
            }
            ("cholesky cotangent", [l, w]) => {
                let moved = self.bind(Op::ArrayFunction(&array::CHOLESKY_TANGENT, vec![*l, given]), ty.clone(), span);
                self.add(*w, &[], moved, span);
            }
            ("exact dot", [a, b]) => self.dot(*a, *b, given, span),
            _ => {}
        }
    }

    /// The adjoint of a contraction, in the factor that is linear.
    fn dot(&mut self, a: Atom, b: Atom, given: Atom, span: Span) {
        let (a_type, b_type) = (self.atom_type(a), self.atom_type(b));
        let left = self.is_linear(a);
        let (tangent, ty) = if left { (a, a_type.clone()) } else { (b, b_type.clone()) };
        let exact = |transposer: &mut Self, x: Atom, y: Atom, ty: &Type| {
            transposer.bind(Op::ArrayFunction(&array::EXACT_DOT, vec![x, y]), ty.clone(), span)
        };
        let cotangent = match (rank(&a_type), rank(&b_type), left) {
            (1, 1, _) => {
                let other = if left { b } else { a };
                let count = self.length(other, span);
                self.built(count, &ty, span, |transposer, i| {
                    let coefficient = transposer.bind(Op::Index(other, i), Type::Real, span);
                    transposer.bind(Op::Scalar(&scalar::EXACT_MUL, vec![coefficient, given]), Type::Real, span)
                })
            }
            (2, 1, true) => self.outer(given, b, &ty, span),
            (1, 2, false) => self.outer(a, given, &ty, span),
            (2, 1, false) => exact(self, given, a, &ty),
            (1, 2, true) => exact(self, b, given, &ty),
            (_, _, true) => {
                let other = self.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![b]), transposed(&b_type), span);
                exact(self, given, other, &ty)
            }
            (_, _, false) => {
                let other = self.bind(Op::ArrayFunction(&array::TRANSPOSE, vec![a]), transposed(&a_type), span);
                exact(self, other, given, &ty)
            }
        };
        self.add(tangent, &[], cotangent, span);
    }

    fn outer(&mut self, u: Atom, v: Atom, ty: &Type, span: Span) -> Atom {
        let Type::Array(_, row) = ty else { return u };
        let (rows, columns) = (self.length(u, span), self.length(v, span));
        self.built(rows, ty, span, |transposer, i| {
            let u = transposer.bind(Op::Index(u, i), Type::Real, span);
            transposer.built(columns, row, span, |transposer, j| {
                let v = transposer.bind(Op::Index(v, j), Type::Real, span);
                transposer.bind(Op::Scalar(&scalar::EXACT_MUL, vec![u, v]), Type::Real, span)
            })
        })
    }
}

fn rank(ty: &Type) -> usize {
    match ty {
        Type::Array(_, element) => 1 + rank(element),
        _ => 0,
    }
}
