//! Linearisation: `f` becomes `f' : x ↦ (f x, kept)` and `L : (kept, dx) ↦ dy`, linear in `dx`.
//!
//! Both are written side by side, binding by binding: the primal stream computes the value of `f` and the coefficients
//! of its derivative, the linear stream the tangents. Structurally zero tangents are omitted. If a body runs many
//! times, the values that the linear stream needs of each run, the residuals, are stored in arrays; a value that can be
//! read again from an input is not stored.
//!
//! A primal variable keeps its number in both streams: the body of a linear loop binds it again, to its residual.

mod branch;
mod iterate;
mod keep;
mod product;
mod recurrence;
mod size;
mod tangent;

use crate::active::{Activity, active};
use crate::compile::{Calculus, Problem, has_holes};
use recurrence::Form;
use riesz_core::Type;
use riesz_core::build::{fresh, type_of};
use riesz_core::term::{Atom, Binding, Body, Derive, Function, FunctionId, Op, Reduction, Ruled, Var, VarInfo};
use riesz_primitive::derivative::{Derivative, linear_coefficients};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The tangent of a value.
#[derive(Clone, Debug)]
pub enum Tangent {
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

/// The values that the linear stream of a body needs from its primal stream.
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
    /// The variables that hold functions which may have captured a varying value.
    carriers: FxHashSet<Var>,
    /// Functions known by where they were made.
    closures: FxHashMap<Var, (FunctionId, Vec<Atom>)>,
}

/// A function after linearisation, before it is cut into functions.
pub struct Streams {
    /// All variables, of the function and of both streams.
    pub vars: Vec<VarInfo>,
    /// The variables of the linear stream.
    pub linear_vars: FxHashSet<Var>,
    /// The zeros of linear variables whose sizes no type tells.
    pub shapes: FxHashMap<Var, Var>,
    /// The primal stream.
    pub primal: Vec<Binding>,
    /// The linear stream.
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
    let Activity { active, carriers } = active(function, mask);
    let mut lineariser = Lineariser {
        calculus,
        vars: function.vars.clone(),
        linear_vars: FxHashSet::default(),
        shapes: FxHashMap::default(),
        levels: Vec::new(),
        tangents: FxHashMap::default(),
        active,
        carriers,
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
        type_of(atom, &self.vars)
    }

    pub(crate) fn var(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
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
        if let Op::Hold(held) = op {
            // Derivatives of this one see it vary.
            self.level().primal.push(Binding { var, op: Op::Copy(*held), span });
            return Ok(());
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
                    // The copy says sizes that only the value told: cotangents need them where they are products of nothing.
                    (_, Tangent::Value(atom)) if self.leaves_open(atom, &ty) => {
                        Tangent::Value(self.linear(Op::Copy(atom), ty.tangent(), span))
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
            Op::Loop(recurrence) => self.iterations(var, recurrence, Form::Loop, span)?,
            Op::Scan(recurrence) => self.iterations(var, recurrence, Form::Scan, span)?,
            Op::Trace(recurrence) => self.iterations(var, recurrence, Form::Trace, span)?,
            Op::While { state, start, condition, body } => {
                self.while_iterations(var, (*state, *start), condition, body, false, span)?
            }
            Op::TraceWhile { state, start, condition, body } => {
                self.while_iterations(var, (*state, *start), condition, body, true, span)?
            }
            Op::Call(called, arguments) => self.call(var, *called, arguments, span)?,
            Op::Ruled(ruled, arguments) => {
                copy(self);
                self.ruled(var, *ruled, arguments, span)?
            }
            Op::Graft(_, tangent) => {
                copy(self);
                self.tangent(*tangent)
            }
            Op::Map { forward, reverse, captured } => {
                copy(self);
                self.map([*forward, *reverse], captured, &ty, span)?
            }
            Op::OnMaps(operation, operands) => {
                copy(self);
                self.on_maps(var, *operation, operands, span)
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
            Op::Apply(function, argument) if !self.carries(*function) => {
                copy(self);
                self.apply_unknown(*function, *argument, &ty, span)
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

    fn scalar(&mut self, primitive: &'static Primitive, arguments: &[Atom], result: Atom, span: Span) -> Tangent {
        let Some(row) = primitive.scalar() else { return Tangent::Zero };
        let mut terms = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let Some(tangent) = self.whole(*argument, span) else { continue };
            match &row.derivative {
                Derivative::Zero | Derivative::Terms(_) | Derivative::Directional => {}
                Derivative::Linear => terms.push(match linear_coefficients(primitive)[at] {
                    1.0 => tangent,
                    -1.0 => self.linear(Op::Scalar(&scalar::NEG, vec![tangent]), Type::Real, span),
                    coefficient => self.scaled(Atom::Real(coefficient), tangent, span),
                }),
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

    /// Whether something holds functions that may have captured something that varies.
    fn carries(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.carriers.contains(&var))
    }

    /// The tangent of what a function that does not vary makes of an argument: its derivative there is a map, made when
    /// the program runs.
    fn apply_unknown(&mut self, function: Atom, argument: Atom, ty: &Type, span: Span) -> Tangent {
        let Some(tangent) = self.whole(argument, span) else { return Tangent::Zero };
        let map = Type::Linear(Arc::new((self.atom_type(argument).tangent(), ty.tangent())));
        let map = self.primal(Op::Derive(Derive::Derivative, vec![function, argument]), map, span);
        Tangent::Value(self.linear(Op::Apply(map, tangent), ty.tangent(), span))
    }

    fn call(&mut self, var: Var, called: FunctionId, arguments: &[Atom], span: Span) -> Result<Tangent, Problem> {
        let mask = self.mask(arguments, span)?;
        let ty = self.ty(var).clone();
        let Some((all, tangent)) = self.called(called, arguments, &mask, &ty, span)? else {
            self.level().primal.push(Binding { var, op: Op::Call(called, arguments.to_vec()), span });
            return Ok(Tangent::Zero);
        };
        self.level().primal.push(Binding { var, op: Op::Project(all, 0), span });
        Ok(if ty.varies() { Tangent::Value(tangent) } else { Tangent::Zero })
    }

    /// The tangent of a value whose derivative is stated, by the arguments alone.
    fn ruled(&mut self, var: Var, ruled: Ruled, arguments: &[Atom], span: Span) -> Result<Tangent, Problem> {
        let mut mask = self.mask(arguments, span)?;
        mask.push(false);
        let ty = self.ty(var).tangent();
        let arguments: Vec<Atom> = arguments.iter().copied().chain([Atom::Var(var)]).collect();
        let found = self.called(ruled.tangent, &arguments, &mask, &ty, span)?;
        Ok(found.map_or(Tangent::Zero, |(_, tangent)| Tangent::Value(tangent)))
    }

    /// Which arguments of a call vary.
    fn mask(&self, arguments: &[Atom], span: Span) -> Result<Vec<bool>, Problem> {
        if arguments.iter().any(|argument| self.carries(*argument)) {
            return Err(unknown_function(span));
        }
        let varies =
            |argument: &Atom| !matches!(self.tangent(*argument), Tangent::Zero) && self.atom_type(*argument).varies();
        Ok(arguments.iter().map(varies).collect())
    }

    /// Calls what linearisation makes of a function: the value with the residuals, and the tangent; none where the value does
    /// not vary.
    fn called(
        &mut self,
        called: FunctionId,
        arguments: &[Atom],
        mask: &[bool],
        ty: &Type,
        span: Span,
    ) -> Result<Option<(Atom, Atom)>, Problem> {
        let linearised = self.calculus.linearised(called, mask)?;
        let Some(forward) = linearised.forward else { return Ok(None) };
        let all = self.primal(Op::Call(linearised.primal, arguments.to_vec()), linearised.all(ty, arguments), span);
        let mut passed = linearised.kept(all, arguments, &mut |op, ty| self.primal(op, ty, span));
        for (argument, active) in arguments.iter().zip(mask) {
            if *active {
                let tangent = self.tangent(*argument);
                passed.push(self.materialise(&tangent, *argument, span));
            }
        }
        Ok(Some((all, self.linear(Op::Call(forward, passed), ty.tangent(), span))))
    }
}

fn unknown_function(span: Span) -> Problem {
    let message = "cannot differentiate through a function that is known only at run time";
    Box::new(
        Diagnostic::error("run-time-function", span, message)
            .help("call a `fun`, or a function written where it is used"),
    )
}

/// Whether a problem is that functions are known only when the program runs.
pub(crate) fn is_unknown_function(problem: &Problem) -> bool {
    problem.code == "run-time-function"
}
