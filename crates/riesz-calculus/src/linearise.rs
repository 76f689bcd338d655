//! Linearisation: `f` becomes `f' : x ↦ (f x, kept)` and `L : (kept, dx) ↦ dy`, linear in `dx`.
//!
//! Both are written side by side, binding by binding: the primal stream computes what `f` computes and the coefficients of its
//! derivatives, the linear stream the tangents. A tangent that is zero by its structure is not written at all. Where a
//! body is run many times, what the linear stream needs of each run is kept in arrays; reading an input again is not keeping.
//!
//! A primal variable keeps its number in both streams: inside the body of a linear loop it is bound again, to what was
//! kept of it.

use crate::compile::{Calculus, Linearised, Problem, has_holes};
use crate::free::Free;
use riesz_core::term::{
    Atom, Binding, Body, Derive, Function, FunctionId, Iteration, Op, Reduction, Step, Turn, Var, VarInfo,
};
use riesz_core::{Size, Type};
use riesz_primitive::derivative::Derivative;
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The tangent of a value.
#[derive(Clone, Debug)]
pub(crate) enum Tangent {
    /// Zero by its structure.
    Zero,
    /// A variable of the linear stream.
    Value(Atom),
    /// The tangents of the components.
    Parts(Vec<Tangent>),
}

/// The two streams of a body.
#[derive(Default)]
pub(crate) struct Level {
    pub primal: Vec<Binding>,
    pub linear: Vec<Binding>,
}

/// A body after linearisation.
struct Nested {
    level: Level,
    result: Atom,
    tangent: Tangent,
}

/// What the linear stream of a body needs of its primal stream.
struct Needed {
    /// To be kept.
    kept: Vec<Var>,
    /// To be computed again.
    again: Vec<Binding>,
}

/// Linearises one function.
pub(crate) struct Lineariser<'c> {
    pub calculus: &'c mut Calculus,
    pub vars: Vec<VarInfo>,
    /// The variables of the linear stream.
    pub linear_vars: FxHashSet<Var>,
    /// The zeros of tangents whose sizes no type tells: what is added to them by parts needs to know where they end.
    shapes: FxHashMap<Var, Var>,
    levels: Vec<Level>,
    tangents: FxHashMap<Var, Tangent>,
    active: FxHashSet<Var>,
    /// Functions known by where they were made.
    closures: FxHashMap<Var, (FunctionId, Vec<Atom>)>,
}

/// A function after linearisation, before it is cut into functions.
pub(crate) struct Streams {
    pub vars: Vec<VarInfo>,
    pub linear_vars: FxHashSet<Var>,
    /// The zeros of linear variables whose sizes no type tells.
    pub shapes: FxHashMap<Var, Var>,
    pub primal: Vec<Binding>,
    pub linear: Vec<Binding>,
    /// The tangents of the active parameters.
    pub inputs: Vec<Var>,
    /// The tangent of the result; none where the result does not vary.
    pub output: Option<Atom>,
    /// The tangents of the variables of the program.
    pub tangents: FxHashMap<Var, Tangent>,
}

/// Linearises a function in the parameters that `mask` marks.
pub(crate) fn linearise(calculus: &mut Calculus, function: &Function, mask: &[bool]) -> Result<Streams, Problem> {
    let active = crate::active::active(function, mask);
    let mut lineariser = Lineariser {
        calculus,
        vars: function.vars.clone(),
        linear_vars: FxHashSet::default(),
        shapes: FxHashMap::default(),
        levels: Vec::new(),
        tangents: FxHashMap::default(),
        active,
        closures: FxHashMap::default(),
    };
    let mut inputs = Vec::new();
    for (at, active) in mask.iter().enumerate() {
        if *active {
            let var = Var(at as u32);
            let input = lineariser.linear_var(var);
            lineariser.tangents.insert(var, Tangent::Value(Atom::Var(input)));
            inputs.push(input);
        }
    }
    lineariser.open();
    let tangent = lineariser.body(&function.body)?;
    let output = match tangent {
        Tangent::Zero => None,
        tangent => Some(lineariser.materialise(&tangent, function.body.result, function.span)),
    };
    let Level { primal, linear } = lineariser.close();
    let Lineariser { vars, linear_vars, shapes, tangents, .. } = lineariser;
    Ok(Streams { vars, linear_vars, shapes, primal, linear, inputs, output, tangents })
}

impl Lineariser<'_> {
    // ---- writing ----

    pub(crate) fn open(&mut self) {
        self.levels.push(Level::default());
    }

    pub(crate) fn close(&mut self) -> Level {
        self.levels.pop().unwrap_or_default()
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("a level is open while a body is linearised")
    }

    pub(crate) fn ty(&self, var: Var) -> &Type {
        &self.vars[var.0 as usize].ty
    }

    pub(crate) fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.ty(var).clone(),
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
            Atom::Bool(_) => Type::Bool,
        }
    }

    pub(crate) fn var(&mut self, ty: Type) -> Var {
        self.vars.push(VarInfo { name: None, ty });
        Var(self.vars.len() as u32 - 1)
    }

    /// A variable of the linear stream for the tangent of a primal one.
    fn linear_var(&mut self, of: Var) -> Var {
        let ty = self.ty(of).tangent();
        let name = self.vars[of.0 as usize].name.as_ref().map(|name| format!("d{name}").into());
        let var = self.var(ty);
        self.vars[var.0 as usize].name = name;
        self.linear_vars.insert(var);
        var
    }

    /// Binds a primal operation.
    pub(crate) fn primal(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        let var = self.var(ty);
        self.level().primal.push(Binding { var, op, span });
        Atom::Var(var)
    }

    /// Binds a linear operation.
    pub(crate) fn linear(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        let var = self.var(ty);
        self.linear_vars.insert(var);
        self.level().linear.push(Binding { var, op, span });
        Atom::Var(var)
    }

    // ---- tangents ----

    pub(crate) fn tangent(&self, atom: Atom) -> Tangent {
        match atom {
            Atom::Var(var) => self.tangents.get(&var).cloned().unwrap_or(Tangent::Zero),
            _ => Tangent::Zero,
        }
    }

    /// A tangent as a value of the tangent space of `primal`.
    pub(crate) fn materialise(&mut self, tangent: &Tangent, primal: Atom, span: Span) -> Atom {
        let ty = self.atom_type(primal);
        self.materialise_at(tangent, primal, &ty, span)
    }

    fn materialise_at(&mut self, tangent: &Tangent, primal: Atom, ty: &Type, span: Span) -> Atom {
        match (tangent, ty) {
            (Tangent::Value(atom), _) => *atom,
            (Tangent::Zero, Type::Real) => Atom::Real(0.0),
            (Tangent::Zero, _) if !has_arrays(ty) => self.plain_zero(ty, span),
            (Tangent::Zero, _) => Atom::Var(self.zero_of(primal, ty.tangent(), span)),
            (Tangent::Parts(parts), _) => {
                let types = ty.components().unwrap_or_default();
                let mut atoms = Vec::with_capacity(parts.len());
                for (at, (part, part_type)) in parts.iter().zip(&types).enumerate() {
                    let needs_primal = matches!(part, Tangent::Zero | Tangent::Parts(_)) && has_arrays(part_type);
                    let component = match needs_primal {
                        true => self.primal(Op::Project(primal, at), part_type.clone(), span),
                        false => Atom::Int(0),
                    };
                    atoms.push(self.materialise_at(part, component, part_type, span));
                }
                let tuple = self.linear(Op::Tuple(atoms), ty.tangent(), span);
                self.shape(tuple, primal, span);
                tuple
            }
        }
    }

    /// The zero tangent of a value, in the linear stream: it does not vary.
    fn zero_of(&mut self, primal: Atom, ty: Type, span: Span) -> Var {
        let var = self.var(ty);
        self.level().linear.push(Binding { var, op: Op::Zero(primal), span });
        var
    }

    /// Remembers the zero of a tangent where its type leaves a size open.
    fn shape(&mut self, tangent: Atom, primal: Atom, span: Span) {
        let Atom::Var(var) = tangent else { return };
        let ty = self.ty(var);
        if has_holes(ty) && !matches!(ty, Type::Accumulator(_)) && !self.shapes.contains_key(&var) {
            let zero = self.zero_of(primal, self.ty(var).clone(), span);
            self.shapes.insert(var, zero);
        }
    }

    /// A zero without arrays in it.
    fn plain_zero(&mut self, ty: &Type, span: Span) -> Atom {
        match ty {
            Type::Real => Atom::Real(0.0),
            _ => {
                let parts = ty.components().unwrap_or_default();
                let atoms = parts.iter().map(|part| self.plain_zero(part, span)).collect();
                self.linear(Op::Tuple(atoms), ty.tangent(), span)
            }
        }
    }

    /// `Σ tangents`
    pub(crate) fn sum(&mut self, terms: Vec<Atom>, ty: &Type, span: Span) -> Tangent {
        let mut terms = terms.into_iter();
        let Some(mut total) = terms.next() else { return Tangent::Zero };
        for term in terms {
            let op = match ty {
                Type::Real => Op::Scalar(&scalar::ADD, vec![total, term]),
                _ => Op::Plus(total, term),
            };
            total = self.linear(op, ty.tangent(), span);
        }
        Tangent::Value(total)
    }

    /// `coefficient · tangent`, where an exact zero gives an exact zero.
    pub(crate) fn scaled(&mut self, coefficient: Atom, tangent: Atom, span: Span) -> Atom {
        match coefficient {
            Atom::Real(1.0) => tangent,
            _ => self.linear(Op::Scalar(&scalar::EXACT_MUL, vec![coefficient, tangent]), Type::Real, span),
        }
    }

    // ---- bodies ----

    fn body(&mut self, body: &Body) -> Result<Tangent, Problem> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            for binding in &body.bindings {
                self.binding(binding)?;
            }
            Ok(self.tangent(body.result))
        })
    }

    fn nested(&mut self, body: &Body) -> Result<Nested, Problem> {
        self.open();
        let tangent = self.body(body)?;
        Ok(Nested { level: self.close(), result: body.result, tangent })
    }

    /// Writes the tangent of a nested body's result into its linear stream.
    fn result_tangent(&mut self, nested: &mut Nested, span: Span) -> Atom {
        self.levels.push(std::mem::take(&mut nested.level));
        let tangent = nested.tangent.clone();
        let atom = self.materialise(&tangent, nested.result, span);
        nested.level = self.close();
        atom
    }

    fn binding(&mut self, binding: &Binding) -> Result<(), Problem> {
        let Binding { var, op, span } = binding;
        let (var, span) = (*var, *span);
        if let Op::Closure(function, captured) = op {
            self.closures.insert(var, (*function, captured.clone()));
        }
        if !self.active.contains(&var) && !matches!(op, Op::Accumulator) {
            self.level().primal.push(binding.clone());
            return Ok(());
        }
        let copy = |lineariser: &mut Self| lineariser.level().primal.push(binding.clone());
        let ty = self.ty(var).clone();
        let tangent = match op {
            Op::Copy(a) => {
                copy(self);
                match (&ty, self.tangent(*a)) {
                    // Parts are known by the type of the tuple alone.
                    (Type::Kept, Tangent::Parts(parts)) => {
                        let whole = self.materialise(&Tangent::Parts(parts), *a, span);
                        Tangent::Value(self.linear(Op::Copy(whole), Type::Kept, span))
                    }
                    (_, tangent) => tangent,
                }
            }
            Op::Scalar(primitive, arguments) => {
                copy(self);
                self.scalar(primitive, arguments, Atom::Var(var), span)
            }
            Op::Tuple(parts) => {
                copy(self);
                Tangent::Parts(parts.iter().map(|part| self.tangent(*part)).collect())
            }
            Op::Project(a, at) => {
                copy(self);
                match self.tangent(*a) {
                    Tangent::Zero => Tangent::Zero,
                    Tangent::Parts(parts) => parts.get(*at).cloned().unwrap_or(Tangent::Zero),
                    Tangent::Value(tangent) => {
                        Tangent::Value(self.linear(Op::Project(tangent, *at), ty.tangent(), span))
                    }
                }
            }
            Op::Array(elements) => {
                copy(self);
                let mut atoms = Vec::with_capacity(elements.len());
                for element in elements {
                    let tangent = self.tangent(*element);
                    atoms.push(self.materialise(&tangent, *element, span));
                }
                Tangent::Value(self.linear(Op::Array(atoms), ty.tangent(), span))
            }
            Op::Index(array, index) => {
                copy(self);
                match self.whole(*array, span) {
                    Some(tangent) => Tangent::Value(self.linear(Op::Index(tangent, *index), ty.tangent(), span)),
                    None => Tangent::Zero,
                }
            }
            Op::ArrayFunction(primitive, arguments) => {
                copy(self);
                self.array_function(primitive, arguments, var, span)?
            }
            Op::Plus(a, b) => {
                copy(self);
                let terms = [*a, *b].into_iter().filter_map(|term| self.whole(term, span)).collect();
                self.sum(terms, &ty, span)
            }
            Op::Accumulator => {
                copy(self);
                match self.active.contains(&var) {
                    true => Tangent::Value(self.linear(Op::Accumulator, ty.tangent(), span)),
                    false => Tangent::Zero,
                }
            }
            Op::AddTo(accumulator, path, value) => {
                copy(self);
                if let Tangent::Value(accumulator) = self.tangent(*accumulator) {
                    let ty = self.atom_type(*value);
                    let tangent = match self.whole(*value, span) {
                        // It still says how large what is accumulated is.
                        None if has_holes(&ty) => Some(Atom::Var(self.zero_of(*value, ty.tangent(), span))),
                        tangent => tangent,
                    };
                    if let Some(tangent) = tangent {
                        self.linear(Op::AddTo(accumulator, path.clone(), tangent), Type::unit(), span);
                    }
                }
                Tangent::Zero
            }
            Op::Read(accumulator) => {
                copy(self);
                match self.tangent(*accumulator) {
                    Tangent::Value(accumulator) => {
                        Tangent::Value(self.linear(Op::Read(accumulator), ty.tangent(), span))
                    }
                    _ => Tangent::Zero,
                }
            }
            Op::Build(iteration) => self.build(var, iteration, span)?,
            Op::Builds(iteration) => self.builds(var, iteration, span)?,
            Op::For(iteration) => self.effects(var, iteration, span)?,
            Op::Reduce(Reduction::Sum, iteration) => self.sum_over(var, iteration, span)?,
            Op::Reduce(Reduction::Product, iteration) => return self.product(var, iteration, span),
            Op::Reduce(reduction @ (Reduction::Max | Reduction::Min), iteration) => {
                self.extreme(var, *reduction, iteration, span)?
            }
            Op::Reduce(..) => {
                copy(self);
                Tangent::Zero
            }
            Op::If { condition, yes, no } => self.conditional(var, *condition, yes, no, span)?,
            Op::Loop(turn) => self.turns(var, turn, Form::Loop, span)?,
            Op::Scan(turn) => self.turns(var, turn, Form::Scan, span)?,
            Op::Trace(turn) => self.turns(var, turn, Form::Trace, span)?,
            Op::While { state, start, condition, body } => {
                self.while_turns(var, (*state, *start), condition, body, false, span)?
            }
            Op::TraceWhile { state, start, condition, body } => {
                self.while_turns(var, (*state, *start), condition, body, true, span)?
            }
            Op::Call(called, arguments) => self.call(var, *called, arguments, span)?,
            Op::Map { forward, reverse, captured } => {
                copy(self);
                self.map([*forward, *reverse], captured, &ty, span)?
            }
            Op::OnMaps(operation, operands) => {
                copy(self);
                self.on_maps(*operation, operands, &ty, span)?
            }
            Op::Apply(map, argument) if matches!(self.atom_type(*map), Type::Linear(_)) => {
                copy(self);
                self.apply(*map, *argument, &ty, span)
            }
            Op::Derive(Derive::Taylor, operands) => {
                copy(self);
                let known = match operands[0] {
                    Atom::Var(closure) => self.closures.get(&closure).cloned(),
                    _ => None,
                };
                let Some(known) = known else { return Err(unknown_function(span)) };
                self.taylor(known, operands, &ty, span)?
            }
            Op::Apply(..) | Op::Derive(..) => return Err(unknown_function(span)),
            _ => {
                copy(self);
                Tangent::Zero
            }
        };
        let tangent = self.sized(tangent, var, span);
        self.tangents.insert(var, tangent);
        Ok(())
    }

    /// The tangent of a variable, with the sizes that only its value tells read off that: what is added to it by parts
    /// needs to know where it ends.
    fn sized(&mut self, tangent: Tangent, var: Var, span: Span) -> Tangent {
        let Tangent::Value(atom) = tangent else { return tangent };
        let ty = self.atom_type(atom);
        let sized = self.read_sizes(&ty, var, &mut Vec::new(), span);
        let atom = match sized == ty {
            true => atom,
            false => self.linear(Op::Copy(atom), sized, span),
        };
        self.shape(atom, Atom::Var(var), span);
        Tangent::Value(atom)
    }

    /// The elements of an array of arrays may differ in size where it was kept for a derivative: those stay open.
    fn read_sizes(&mut self, ty: &Type, var: Var, path: &mut Vec<Step>, span: Span) -> Type {
        match ty {
            Type::Array(Size::Hole, element) => {
                let size = self.primal(Op::SizeOf(Atom::Var(var), path.clone()), Type::Int, span);
                Type::array(size_of(size), (**element).clone())
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut parts = ty.components().unwrap_or_default();
                for (at, part) in parts.iter_mut().enumerate() {
                    path.push(Step::Component(at));
                    *part = self.read_sizes(part, var, path, span);
                    path.pop();
                }
                ty.with_components(parts)
            }
            _ => ty.clone(),
        }
    }

    /// The tangent of an operand as one value, if it is not zero.
    pub(crate) fn whole(&mut self, atom: Atom, span: Span) -> Option<Atom> {
        match self.tangent(atom) {
            Tangent::Zero => None,
            tangent => Some(self.materialise(&tangent, atom, span)),
        }
    }

    fn scalar(&mut self, primitive: &'static Primitive, arguments: &[Atom], result: Atom, span: Span) -> Tangent {
        let Some(row) = primitive.scalar() else { return Tangent::Zero };
        let mut terms = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let Some(tangent) = self.whole(*argument, span) else { continue };
            match &row.derivative {
                Derivative::Zero | Derivative::Terms(_) => {}
                Derivative::Linear => {
                    let negative =
                        std::ptr::eq(primitive, &scalar::NEG) || std::ptr::eq(primitive, &scalar::SUB) && at == 1;
                    terms.push(match negative {
                        true => self.linear(Op::Scalar(&scalar::NEG, vec![tangent]), Type::Real, span),
                        false => tangent,
                    });
                }
                Derivative::Multilinear => {
                    let other = arguments[1 - at];
                    terms.push(self.scaled(other, tangent, span));
                }
                Derivative::Scale(coefficients) => {
                    let coefficient = self.coefficient(&coefficients[at], arguments, result, span);
                    if coefficient != Atom::Real(0.0) {
                        terms.push(self.scaled(coefficient, tangent, span));
                    }
                }
            }
        }
        self.sum(terms, &Type::Real, span)
    }

    // ---- what is kept ----

    /// What the linear stream of a body needs of its primal stream. `bound` are the variables bound for the body, other
    /// than its index.
    fn needed(&self, level: &Level, results: &[Atom], bound: &[Var]) -> Needed {
        let free: FxHashSet<Var> = Free::of(&level.linear, results, &self.vars).found.into_iter().collect();
        let defined: FxHashMap<Var, usize> =
            level.primal.iter().enumerate().map(|(at, binding)| (binding.var, at)).collect();
        let mut cheap: FxHashSet<Var> = FxHashSet::default();
        for binding in &level.primal {
            if is_cheap(&binding.op) {
                let mut reachable = true;
                binding.op.visit_atoms(&mut |atom| {
                    if let Atom::Var(var) = atom {
                        reachable &= !bound.contains(var) && (!defined.contains_key(var) || cheap.contains(var));
                    }
                });
                if reachable {
                    cheap.insert(binding.var);
                }
            }
        }
        let mut wanted = free;
        let mut again = Vec::new();
        for binding in level.primal.iter().rev() {
            if wanted.contains(&binding.var) && cheap.contains(&binding.var) {
                let mut types = Free::default();
                types.bindings(std::slice::from_ref(binding), &self.vars);
                wanted.extend(types.found);
                again.push(binding.clone());
            }
        }
        again.reverse();
        let mut kept: Vec<Var> = bound.iter().copied().filter(|var| wanted.contains(var)).collect();
        kept.extend(
            level.primal.iter().map(|binding| binding.var).filter(|var| wanted.contains(var) && !cheap.contains(var)),
        );
        // A size that the type of something kept names is kept too: it must be there before anything is read again.
        let mut sizes: Vec<Var> = Vec::new();
        for var in &kept {
            self.ty(*var).visit_variables(&mut |size| {
                if cheap.contains(&size) && !sizes.contains(&size) {
                    sizes.push(size);
                }
            });
        }
        again.retain(|binding| !sizes.contains(&binding.var));
        kept.extend(sizes);
        // Sizes first: the types of the others name them.
        kept.sort_by_key(|var| *self.ty(*var) != Type::Int);
        Needed { kept, again }
    }

    /// Binds again, at the start of the body of a linear loop, what was kept of a turn.
    fn recall(&self, needed: &Needed, arrays: &[Atom], index: Atom, span: Span) -> Vec<Binding> {
        let reads = needed.kept.iter().zip(arrays).map(|(var, array)| Binding {
            var: *var,
            op: Op::Index(*array, index),
            span,
        });
        reads.chain(needed.again.iter().cloned()).collect()
    }

    /// The type as seen outside the body that binds some variables.
    fn outside(&self, ty: &Type, level: &Level, bound: &[Var]) -> Type {
        let inside: FxHashSet<Var> =
            level.primal.iter().map(|binding| binding.var).chain(bound.iter().copied()).collect();
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                riesz_core::size::Atom::Var(var) if inside.contains(&var) => Size::Hole,
                atom => Size::Atom(atom),
            })
        })
    }

    /// Runs the primal stream of a body for each index and keeps what is needed: the array of its results, and those of
    /// what is kept.
    fn keep_each(
        &mut self,
        count: Atom,
        index: Var,
        nested: &Level,
        result: Atom,
        needed: &Needed,
        span: Span,
    ) -> (Atom, Vec<Atom>) {
        let size = size_of(count);
        let mut parts = vec![result];
        parts.extend(needed.kept.iter().map(|var| Atom::Var(*var)));
        let types: Vec<Type> = parts.iter().map(|part| self.atom_type(*part)).collect();
        let outside: Vec<Type> =
            types.iter().map(|ty| Type::array(size.clone(), self.outside(ty, nested, &[index]))).collect();
        let tuple = self.var(Type::Tuple(types.into()));
        let mut bindings = nested.primal.clone();
        bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
        let body = Body { bindings, result: Atom::Var(tuple) };
        let all = self.primal(Op::Builds(Iteration { count, index, body }), Type::Tuple(outside.clone().into()), span);
        let mut arrays: Vec<Atom> =
            (outside.into_iter().enumerate()).map(|(at, ty)| self.primal(Op::Project(all, at), ty, span)).collect();
        let results = arrays.remove(0);
        (results, arrays)
    }

    /// Binds a variable of the program to an atom that has just been computed.
    fn rebind(&mut self, var: Var, atom: Atom, span: Span) {
        self.level().primal.push(Binding { var, op: Op::Copy(atom), span });
    }

    // ---- iterations ----

    fn build(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let mut nested = self.nested(body)?;
        let tangent = self.result_tangent(&mut nested, span);
        let needed = self.needed(&nested.level, &[tangent], &[]);
        let arrays = match needed.kept.is_empty() {
            true => {
                let body = Body { bindings: nested.level.primal.clone(), result: nested.result };
                self.level().primal.push(Binding {
                    var,
                    op: Op::Build(Iteration { count: *count, index: *index, body }),
                    span,
                });
                Vec::new()
            }
            false => {
                let (results, arrays) = self.keep_each(*count, *index, &nested.level, nested.result, &needed, span);
                self.rebind(var, results, span);
                arrays
            }
        };
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(*index), span);
        bindings.extend(nested.level.linear);
        let body = Body { bindings, result: tangent };
        let ty = self.ty(var).tangent();
        Ok(Tangent::Value(self.linear(Op::Build(Iteration { count: *count, index: *index, body }), ty, span)))
    }

    fn builds(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let mut nested = self.nested(body)?;
        let tangent = self.result_tangent(&mut nested, span);
        let needed = self.needed(&nested.level, &[tangent], &[]);
        let arrays = self.keep_parts(var, *count, *index, &nested, &needed, span);
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(*index), span);
        bindings.extend(nested.level.linear);
        let body = Body { bindings, result: tangent };
        let ty = self.ty(var).tangent();
        Ok(Tangent::Value(self.linear(Op::Builds(Iteration { count: *count, index: *index, body }), ty, span)))
    }

    /// Several arrays built at once, with what is kept among them.
    fn keep_parts(
        &mut self,
        var: Var,
        count: Atom,
        index: Var,
        nested: &Nested,
        needed: &Needed,
        span: Span,
    ) -> Vec<Atom> {
        let own = self.ty(var).components().unwrap_or_default();
        let part_types = self.atom_type(nested.result).components().unwrap_or_default();
        let mut bindings = nested.level.primal.clone();
        let mut parts = Vec::new();
        for (at, ty) in part_types.iter().enumerate() {
            let part = self.var(ty.clone());
            bindings.push(Binding { var: part, op: Op::Project(nested.result, at), span });
            parts.push(Atom::Var(part));
        }
        parts.extend(needed.kept.iter().map(|var| Atom::Var(*var)));
        let types: Vec<Type> = parts.iter().map(|part| self.atom_type(*part)).collect();
        let size = size_of(count);
        let mut outside = own.clone();
        outside.extend(
            types[own.len()..].iter().map(|ty| Type::array(size.clone(), self.outside(ty, &nested.level, &[index]))),
        );
        let tuple = self.var(Type::Tuple(types.into()));
        bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
        let body = Body { bindings, result: Atom::Var(tuple) };
        let all = self.primal(Op::Builds(Iteration { count, index, body }), Type::Tuple(outside.clone().into()), span);
        let mut arrays: Vec<Atom> =
            outside.into_iter().enumerate().map(|(at, ty)| self.primal(Op::Project(all, at), ty, span)).collect();
        let kept = arrays.split_off(own.len());
        self.level().primal.push(Binding { var, op: Op::Tuple(arrays), span });
        kept
    }

    fn effects(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let nested = self.nested(body)?;
        let needed = self.needed(&nested.level, &[], &[]);
        let arrays = match needed.kept.is_empty() {
            true => {
                let body = Body { bindings: nested.level.primal.clone(), result: nested.result };
                self.level().primal.push(Binding {
                    var,
                    op: Op::For(Iteration { count: *count, index: *index, body }),
                    span,
                });
                Vec::new()
            }
            false => {
                let arrays = self.keep_each(*count, *index, &nested.level, nested.result, &needed, span).1;
                self.level().primal.push(Binding { var, op: Op::Tuple(Vec::new()), span });
                arrays
            }
        };
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(*index), span);
        bindings.extend(nested.level.linear);
        let body = self.unit_body(bindings, span);
        self.linear(Op::For(Iteration { count: *count, index: *index, body }), Type::unit(), span);
        Ok(Tangent::Zero)
    }

    fn unit_body(&mut self, mut bindings: Vec<Binding>, span: Span) -> Body {
        let unit = self.var(Type::unit());
        bindings.push(Binding { var: unit, op: Op::Tuple(Vec::new()), span });
        Body { bindings, result: Atom::Var(unit) }
    }

    fn sum_over(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let mut nested = self.nested(body)?;
        let tangent = self.result_tangent(&mut nested, span);
        let needed = self.needed(&nested.level, &[tangent], &[]);
        let (count, index) = (*count, *index);
        let arrays = match needed.kept.is_empty() {
            true => {
                let body = Body { bindings: nested.level.primal.clone(), result: nested.result };
                let op = Op::Reduce(Reduction::Sum, Iteration { count, index, body });
                self.level().primal.push(Binding { var, op, span });
                Vec::new()
            }
            false => {
                let (results, arrays) = self.keep_each(count, index, &nested.level, nested.result, &needed, span);
                let iteration = self.elements(results, count, span);
                self.level().primal.push(Binding { var, op: Op::Reduce(Reduction::Sum, iteration), span });
                arrays
            }
        };
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(index), span);
        bindings.extend(nested.level.linear);
        let body = Body { bindings, result: tangent };
        let ty = self.ty(var).tangent();
        Ok(Tangent::Value(self.linear(Op::Reduce(Reduction::Sum, Iteration { count, index, body }), ty, span)))
    }

    /// The iteration over the elements of an array.
    fn elements(&mut self, array: Atom, count: Atom, span: Span) -> Iteration {
        let Type::Array(_, element) = self.atom_type(array) else { unreachable!("an array has been built") };
        let index = self.var(Type::Int);
        let value = self.var((*element).clone());
        let bindings = vec![Binding { var: value, op: Op::Index(array, Atom::Var(index)), span }];
        Iteration { count, index, body: Body { bindings, result: Atom::Var(value) } }
    }

    /// The greatest or least element varies as the first one that is it.
    fn extreme(
        &mut self,
        var: Var,
        reduction: Reduction,
        iteration: &Iteration,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let Iteration { count, index, body } = iteration;
        let mut nested = self.nested(body)?;
        let tangent = self.result_tangent(&mut nested, span);
        let needed = self.needed(&nested.level, &[tangent], &[]);
        let (results, arrays) = self.keep_each(*count, *index, &nested.level, nested.result, &needed, span);
        let position = match reduction {
            Reduction::Max => Reduction::ArgMax,
            _ => Reduction::ArgMin,
        };
        let elements = self.elements(results, *count, span);
        let at = self.primal(Op::Reduce(position, elements), Type::Int, span);
        self.level().primal.push(Binding { var, op: Op::Index(results, at), span });
        let recalled = self.recall(&needed, &arrays, at, span);
        let level = self.level();
        level.linear.push(Binding { var: *index, op: Op::Copy(at), span });
        level.linear.extend(recalled);
        level.linear.extend(nested.level.linear);
        Ok(Tangent::Value(tangent))
    }

    /// A product is a loop.
    fn product(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<(), Problem> {
        let count = &iteration.count;
        // Elements are of the type of their product: that names no size bound where they are made.
        let ty = self.ty(var).clone();
        let results = self.var(Type::array(size_of(*count), ty.clone()));
        let build = Binding { var: results, op: Op::Build(iteration.clone()), span };
        self.active.insert(results);
        self.binding(&build)?;
        let start = self.ones(&ty, Atom::Var(results), &mut vec![Step::Elements], span);
        let (state, value) = (self.var(ty.clone()), self.var(ty.clone()));
        let turn_index = self.var(Type::Int);
        let mut bindings = vec![Binding { var: value, op: Op::Index(Atom::Var(results), Atom::Var(turn_index)), span }];
        let result = self.times(Atom::Var(state), Atom::Var(value), &ty, &mut bindings, span);
        self.active.extend([state, value]);
        let body = Body { bindings, result };
        let turn = Turn { state, start, count: *count, index: turn_index, body };
        self.binding(&Binding { var, op: Op::Loop(turn), span })
    }

    /// The value of a type whose numbers are all 1, as large as what a path leads to.
    fn ones(&mut self, ty: &Type, like: Atom, path: &mut Vec<Step>, span: Span) -> Atom {
        match ty {
            Type::Array(size, element) => {
                let count = match size {
                    Size::Hole => self.primal(Op::SizeOf(like, path.clone()), Type::Int, span),
                    size => self.size_atom(size, span),
                };
                self.open();
                let index = self.var(Type::Int);
                path.push(Step::Elements);
                let one = self.ones(element, like, path, span);
                path.pop();
                let body = Body { bindings: self.close().primal, result: one };
                self.primal(Op::Build(Iteration { count, index, body }), ty.clone(), span)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut ones = Vec::new();
                for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                    path.push(Step::Component(at));
                    ones.push(self.ones(part, like, path, span));
                    path.pop();
                }
                self.primal(Op::Tuple(ones), ty.clone(), span)
            }
            Type::Int => Atom::Int(1),
            _ => Atom::Real(1.0),
        }
    }

    /// A size as an operand.
    pub(crate) fn size_atom(&mut self, size: &Size, span: Span) -> Atom {
        let mut bindings = Vec::new();
        let mut vars = std::mem::take(&mut self.vars);
        let atom = write_size(size, &mut vars, &mut bindings, span);
        self.vars = vars;
        self.level().primal.extend(bindings);
        atom
    }

    /// `a * b` component by component, as plain bindings; every variable of it is active.
    fn times(&mut self, a: Atom, b: Atom, ty: &Type, bindings: &mut Vec<Binding>, span: Span) -> Atom {
        let bind = |lineariser: &mut Self, bindings: &mut Vec<Binding>, op: Op, ty: Type| {
            let var = lineariser.var(ty);
            lineariser.active.insert(var);
            bindings.push(Binding { var, op, span });
            Atom::Var(var)
        };
        match ty {
            Type::Array(size, element) => {
                let count = match size {
                    Size::Hole => {
                        let count = self.var(Type::Int);
                        bindings.push(Binding { var: count, op: Op::SizeOf(b, Vec::new()), span });
                        Atom::Var(count)
                    }
                    size => self.size_atom(size, span),
                };
                let index = self.var(Type::Int);
                let mut inner = Vec::new();
                let mut at = |lineariser: &mut Self, array: Atom| {
                    let var = lineariser.var((**element).clone());
                    lineariser.active.insert(var);
                    inner.push(Binding { var, op: Op::Index(array, Atom::Var(index)), span });
                    Atom::Var(var)
                };
                let (a, b) = (at(self, a), at(self, b));
                let result = self.times(a, b, element, &mut inner, span);
                let body = Body { bindings: inner, result };
                bind(self, bindings, Op::Build(Iteration { count, index, body }), ty.clone())
            }
            Type::Tuple(_) | Type::Record(_) => {
                let types = ty.components().unwrap_or_default();
                let mut parts = Vec::new();
                for (at, part) in types.iter().enumerate() {
                    let mut component = |lineariser: &mut Self, of: Atom| {
                        let var = lineariser.var(part.clone());
                        lineariser.active.insert(var);
                        bindings.push(Binding { var, op: Op::Project(of, at), span });
                        Atom::Var(var)
                    };
                    let (a, b) = (component(self, a), component(self, b));
                    parts.push(self.times(a, b, part, bindings, span));
                }
                let var = self.var(ty.clone());
                self.active.insert(var);
                bindings.push(Binding { var, op: Op::Tuple(parts), span });
                Atom::Var(var)
            }
            _ => bind(self, bindings, Op::Scalar(&scalar::MUL, vec![a, b]), ty.clone()),
        }
    }

    // ---- control ----

    fn conditional(
        &mut self,
        var: Var,
        condition: Atom,
        yes: &Body,
        no: &Body,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let varies = self.ty(var).varies();
        let mut yes = self.nested(yes)?;
        let mut no = self.nested(no)?;
        let tangents = match varies {
            true => Some((self.result_tangent(&mut yes, span), self.result_tangent(&mut no, span))),
            false => None,
        };
        let results = |tangent: Option<Atom>| tangent.into_iter().collect::<Vec<Atom>>();
        let needed_yes = self.needed(&yes.level, &results(tangents.map(|t| t.0)), &[]);
        let needed_no = self.needed(&no.level, &results(tangents.map(|t| t.1)), &[]);
        if needed_yes.kept.is_empty() && needed_no.kept.is_empty() {
            let yes = Body { bindings: yes.level.primal.clone(), result: yes.result };
            let no = Body { bindings: no.level.primal.clone(), result: no.result };
            self.level().primal.push(Binding { var, op: Op::If { condition, yes, no }, span });
        } else {
            let mut types = vec![self.ty(var).clone()];
            for (needed, level) in [(&needed_yes, &yes.level), (&needed_no, &no.level)] {
                types.extend(needed.kept.iter().map(|kept| self.outside(self.ty(*kept), level, &[])));
            }
            let branch = |lineariser: &mut Self, nested: &Nested, before: &[Var], own: &[Var], after: &[Var]| {
                let mut bindings = nested.level.primal.clone();
                let mut parts = vec![nested.result];
                parts.extend(before.iter().map(|var| lineariser.dummy(*var, &mut bindings, span)));
                parts.extend(own.iter().map(|var| Atom::Var(*var)));
                parts.extend(after.iter().map(|var| lineariser.dummy(*var, &mut bindings, span)));
                let tuple = lineariser.var(Type::Tuple(parts.iter().map(|part| lineariser.atom_type(*part)).collect()));
                bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
                Body { bindings, result: Atom::Var(tuple) }
            };
            let yes_body = branch(self, &yes, &[], &needed_yes.kept, &needed_no.kept);
            let no_body = branch(self, &no, &needed_yes.kept, &needed_no.kept, &[]);
            let op = Op::If { condition, yes: yes_body, no: no_body };
            let all = self.primal(op, Type::Tuple(types.into()), span);
            self.level().primal.push(Binding { var, op: Op::Project(all, 0), span });
            for (at, kept) in needed_yes.kept.iter().chain(&needed_no.kept).enumerate() {
                self.level().primal.push(Binding { var: *kept, op: Op::Project(all, at + 1), span });
            }
        }
        let body = |lineariser: &mut Self, needed: Needed, level: Level, tangent: Option<Atom>| {
            let mut bindings = needed.again;
            bindings.extend(level.linear);
            match tangent {
                Some(result) => Body { bindings, result },
                None => lineariser.unit_body(bindings, span),
            }
        };
        let yes = body(self, needed_yes, yes.level, tangents.map(|t| t.0));
        let no = body(self, needed_no, no.level, tangents.map(|t| t.1));
        let ty = if varies { self.ty(var).tangent() } else { Type::unit() };
        let tangent = self.linear(Op::If { condition, yes, no }, ty, span);
        Ok(if varies { Tangent::Value(tangent) } else { Tangent::Zero })
    }

    /// A value that nobody looks at, in the place of what the other branch keeps.
    fn dummy(&mut self, like: Var, bindings: &mut Vec<Binding>, span: Span) -> Atom {
        let ty = self.ty(like).clone();
        self.dummy_of(&ty, bindings, span)
    }

    fn dummy_of(&mut self, ty: &Type, bindings: &mut Vec<Binding>, span: Span) -> Atom {
        let op = match ty {
            Type::Real => return Atom::Real(0.0),
            Type::Int => return Atom::Int(0),
            Type::Bool => return Atom::Bool(false),
            Type::Array(..) => Op::Array(Vec::new()),
            Type::Kept => {
                let unit = self.var(Type::unit());
                bindings.push(Binding { var: unit, op: Op::Tuple(Vec::new()), span });
                Op::Copy(Atom::Var(unit))
            }
            _ => {
                let parts = ty.components().unwrap_or_default();
                Op::Tuple(parts.iter().map(|part| self.dummy_of(part, bindings, span)).collect())
            }
        };
        let ty = match ty {
            Type::Array(_, element) => Type::array(Size::Constant(0), (**element).clone()),
            ty => ty.clone(),
        };
        let ty = ty.map_sizes(&mut |size| if matches!(size, Size::Constant(_)) { size.clone() } else { Size::Hole });
        let var = self.var(ty);
        bindings.push(Binding { var, op, span });
        Atom::Var(var)
    }

    /// The primal stream of a loop that keeps things: what `outputs` gives, then what is needed.
    fn traced(
        &mut self,
        nested: &Nested,
        form: Form,
        bound: &[Var],
        needed: &Needed,
        size: &Size,
        span: Span,
    ) -> (Body, Vec<Type>, usize) {
        let mut bindings = nested.level.primal.clone();
        let mut parts = match form {
            Form::Loop => vec![nested.result],
            Form::Scan => vec![nested.result, nested.result],
            Form::Trace => {
                let types = self.atom_type(nested.result).components().unwrap_or_default();
                let mut parts = Vec::new();
                for (at, ty) in types.into_iter().enumerate() {
                    let part = self.var(ty);
                    bindings.push(Binding { var: part, op: Op::Project(nested.result, at), span });
                    parts.push(Atom::Var(part));
                }
                parts
            }
        };
        let outputs = parts.len();
        parts.extend(needed.kept.iter().map(|var| Atom::Var(*var)));
        let inside: Vec<Type> = parts.iter().map(|part| self.atom_type(*part)).collect();
        let mut types = vec![self.ty(bound[0]).clone()];
        types.extend(inside[1..].iter().map(|ty| Type::array(size.clone(), self.outside(ty, &nested.level, bound))));
        let tuple = self.var(Type::Tuple(inside.into()));
        bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
        (Body { bindings, result: Atom::Var(tuple) }, types, outputs)
    }

    fn turns(&mut self, var: Var, turn: &Turn, form: Form, span: Span) -> Result<Tangent, Problem> {
        let Turn { state, start, count, index, body } = turn;
        let (nested, tangent, state_tangent) = self.loop_body(*state, body, span)?;
        let needed = self.needed(&nested.level, &[tangent], &[*state]);
        let arrays = match needed.kept.is_empty() {
            true => {
                let body = Body { bindings: nested.level.primal.clone(), result: nested.result };
                let turn = Turn { state: *state, start: *start, count: *count, index: *index, body };
                self.level().primal.push(Binding { var, op: form.op(turn), span });
                Vec::new()
            }
            false => {
                let size = size_of(*count);
                let (body, types, outputs) = self.traced(&nested, form, &[*state, *index], &needed, &size, span);
                let turn = Turn { state: *state, start: *start, count: *count, index: *index, body };
                let all = self.primal(Op::Trace(turn), Type::Tuple(types.clone().into()), span);
                self.project_all(var, all, types, outputs, form, span)
            }
        };
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(*index), span);
        bindings.extend(nested.level.linear);
        let start_tangent = self.tangent(*start);
        let linear_start = self.materialise(&start_tangent, *start, span);
        let body = Body { bindings, result: tangent };
        let turn = Turn { state: state_tangent, start: linear_start, count: *count, index: *index, body };
        let ty = self.ty(var).tangent();
        Ok(Tangent::Value(self.linear(form.op(turn), ty, span)))
    }

    /// Takes the results of a loop that kept things apart: the variable of the program, and the arrays kept.
    fn project_all(&mut self, var: Var, all: Atom, types: Vec<Type>, own: usize, form: Form, span: Span) -> Vec<Atom> {
        let mut parts: Vec<Atom> = Vec::new();
        for (at, ty) in types.into_iter().enumerate() {
            parts.push(self.primal(Op::Project(all, at), ty, span));
        }
        let kept = parts.split_off(own);
        let op = match form {
            Form::Loop => Op::Copy(parts[0]),
            Form::Scan => Op::Copy(parts[1]),
            Form::Trace => Op::Tuple(parts),
        };
        self.level().primal.push(Binding { var, op, span });
        kept
    }

    /// The body of a loop with the tangent of its state, and the tangent of its result.
    fn loop_body(&mut self, state: Var, body: &Body, span: Span) -> Result<(Nested, Atom, Var), Problem> {
        let state_tangent = self.linear_var(state);
        self.tangents.insert(state, Tangent::Value(Atom::Var(state_tangent)));
        self.open();
        self.shape(Atom::Var(state_tangent), Atom::Var(state), span);
        let tangent = self.body(body)?;
        let mut nested = Nested { level: self.close(), result: body.result, tangent };
        let tangent = self.result_tangent(&mut nested, span);
        Ok((nested, tangent, state_tangent))
    }

    fn while_turns(
        &mut self,
        var: Var,
        (state, start): (Var, Atom),
        condition: &Body,
        body: &Body,
        traces: bool,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let form = if traces { Form::Trace } else { Form::Loop };
        let (nested, tangent, state_tangent) = self.loop_body(state, body, span)?;
        let needed = self.needed(&nested.level, &[tangent], &[state]);
        let (body, mut types, outputs) = self.traced(&nested, form, &[state], &needed, &Size::Hole, span);
        types.insert(1, Type::Int);
        let arrays_from = 2;
        let op = Op::TraceWhile { state, start, condition: condition.clone(), body };
        let all = self.primal(op, Type::Tuple(types.clone().into()), span);
        let count = self.primal(Op::Project(all, 1), Type::Int, span);
        // There are as many of everything as there were turns.
        for ty in &mut types[arrays_from..] {
            if let Type::Array(_, element) = ty {
                *ty = Type::array(size_of(count), (**element).clone());
            }
        }
        let arrays = self.project_all(var, all, types, outputs + 1, form, span);
        let index = self.var(Type::Int);
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(index), span);
        bindings.extend(nested.level.linear);
        let start_tangent = self.tangent(start);
        let linear_start = self.materialise(&start_tangent, start, span);
        let turn =
            Turn { state: state_tangent, start: linear_start, count, index, body: Body { bindings, result: tangent } };
        if !traces {
            let ty = self.ty(var).tangent();
            return Ok(Tangent::Value(self.linear(Op::Loop(turn), ty, span)));
        }
        // The number of turns stands between the state and the arrays, and does not vary.
        let parts = self.ty(var).components().unwrap_or_default();
        let types: Vec<Type> =
            parts.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, ty)| ty.tangent()).collect();
        let traced = self.linear(Op::Trace(turn), Type::Tuple(types.clone().into()), span);
        let mut tangents = Vec::new();
        for (at, ty) in types.into_iter().enumerate() {
            tangents.push(Tangent::Value(self.linear(Op::Project(traced, at), ty, span)));
        }
        tangents.insert(1, Tangent::Zero);
        Ok(Tangent::Parts(tangents))
    }

    fn call(&mut self, var: Var, called: FunctionId, arguments: &[Atom], span: Span) -> Result<Tangent, Problem> {
        let mask: Vec<bool> = arguments
            .iter()
            .map(|argument| !matches!(self.tangent(*argument), Tangent::Zero) && self.atom_type(*argument).varies())
            .collect();
        let captures = |atom: &Atom| matches!(atom, Atom::Var(var) if self.active.contains(var) && matches!(self.ty(*var), Type::Function(_)));
        if arguments.iter().any(captures) {
            return Err(unknown_function(span));
        }
        let linearised = self.calculus.linearised(called, &mask)?;
        let Linearised { primal, forward, .. } = linearised;
        let Some(forward) = forward else {
            self.level().primal.push(Binding { var, op: Op::Call(called, arguments.to_vec()), span });
            return Ok(Tangent::Zero);
        };
        let ty = self.ty(var).clone();
        let all = self.primal(Op::Call(primal, arguments.to_vec()), linearised.all(&ty), span);
        self.level().primal.push(Binding { var, op: Op::Project(all, 0), span });
        let mut passed = Vec::with_capacity(linearised.kept.len());
        for at in 0..linearised.kept.len() {
            let ty = linearised.kept_type(at, arguments, &passed);
            passed.push(self.primal(Op::Project(all, at + 1), ty, span));
        }
        for (argument, active) in arguments.iter().zip(&mask) {
            if *active {
                let tangent = self.tangent(*argument);
                passed.push(self.materialise(&tangent, *argument, span));
            }
        }
        let tangent = self.linear(Op::Call(forward, passed), ty.tangent(), span);
        Ok(if ty.varies() { Tangent::Value(tangent) } else { Tangent::Zero })
    }
}

fn unknown_function(span: Span) -> Problem {
    Box::new(
        Diagnostic::error(
            "not-differentiable",
            span,
            "cannot differentiate through a function that is known only when the program runs",
        )
        .help("call a `fun`, or a function written where it is used"),
    )
}

/// What a loop gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The last state.
    Loop,
    /// All states.
    Scan,
    /// The last state and what was kept.
    Trace,
}

impl Form {
    fn op(self, turn: Turn) -> Op {
        match self {
            Form::Loop => Op::Loop(turn),
            Form::Scan => Op::Scan(turn),
            Form::Trace => Op::Trace(turn),
        }
    }
}

/// The size that an `Int` is.
pub(crate) fn size_of(atom: Atom) -> Size {
    match atom {
        Atom::Int(value) => Size::Constant(value),
        Atom::Var(var) => Size::var(var),
        _ => Size::Hole,
    }
}

/// Writes out the computation of a size.
pub(crate) fn write_size(size: &Size, vars: &mut Vec<VarInfo>, bindings: &mut Vec<Binding>, span: Span) -> Atom {
    let mut bind = |op: Op| {
        vars.push(VarInfo { name: None, ty: Type::Int });
        let var = Var(vars.len() as u32 - 1);
        bindings.push(Binding { var, op, span });
        Atom::Var(var)
    };
    let mut total: Option<Atom> = None;
    for monomial in size.monomials() {
        let mut product = Atom::Int(monomial.coefficient());
        for factor in monomial.factors() {
            let factor = match factor {
                riesz_core::size::Atom::Var(var) => Atom::Var(*var),
                riesz_core::size::Atom::Global(global) => bind(Op::Global(*global)),
                _ => Atom::Int(0),
            };
            product = match product {
                Atom::Int(1) => factor,
                product => bind(Op::Scalar(&scalar::MUL, vec![product, factor])),
            };
        }
        total = Some(match total {
            None => product,
            Some(total) => bind(Op::Scalar(&scalar::ADD, vec![total, product])),
        });
    }
    total.unwrap_or(Atom::Int(0))
}

/// Operations that read rather than compute: done again instead of kept.
fn is_cheap(op: &Op) -> bool {
    matches!(
        op,
        Op::Index(..)
            | Op::Project(..)
            | Op::Copy(_)
            | Op::ToReal(_)
            | Op::Compare(..)
            | Op::Not(_)
            | Op::SizeOf(..)
            | Op::Global(_)
    )
}

fn has_arrays(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Array(..) | Type::Linear(_) | Type::Accumulator(_) | Type::Kept))
}
