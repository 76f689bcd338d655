//! Functions as values, before differentiation: calls of known functions become direct calls.
//!
//! A function is known where it was made, and also after it was passed to a `fun`, returned by one, put into a tuple or
//! record, or selected by an `if`. Its captured values replace it: `f` becomes its captured values, `(f, x)` those and
//! `x`, and `if c then f else g` becomes `c` and the captured values of both.

mod known;

use crate::compile::{Calculus, contains_derivative, with_sizes};
use known::{StaticForm, StaticValue};
use riesz_core::Type;
use riesz_core::build::{fresh, type_of};
use riesz_core::renumber::renumber;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Op, Origin, Program, Ruled, Var, VarInfo};
use riesz_optimise::drop_dead;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many copies of functions a program may need.
const MOST_COPIES: usize = 10_000;
/// How often a copy of a function may be made for a function that was made for such a copy: a recursion that passes on what
/// it makes of a function would have no end of them.
const MOST_NESTED: usize = 16;
/// Likewise of a function that differentiates: every derivative of a derivative is some times as large.
const MOST_DERIVED: usize = 3;

/// The state that is shared between functions.
#[derive(Default)]
pub(crate) struct Specialisation {
    /// The functions whose calls have been made direct, or are being.
    begun: FxHashSet<FunctionId>,
    /// Copies made for the functions that they are called with.
    copies: FxHashMap<(FunctionId, Vec<StaticForm>), FunctionId>,
    /// Of copies: how often each function is copied for copies of itself in what they were made for, themselves included.
    nested: FxHashMap<FunctionId, FxHashMap<FunctionId, usize>>,
    /// Of copies: the functions that they are copies of.
    originals: FxHashMap<FunctionId, FunctionId>,
    /// Of functions that give functions: the copies that give what these captured.
    given: FxHashMap<FunctionId, (FunctionId, StaticForm)>,
}

impl Specialisation {
    /// How often functions are nested in a copy of a function for some others.
    fn nesting(
        &self,
        function: FunctionId,
        original: FunctionId,
        shapes: &[StaticForm],
    ) -> FxHashMap<FunctionId, usize> {
        let mut nested: FxHashMap<FunctionId, usize> = FxHashMap::default();
        let mut include = |function: FunctionId| {
            for (&of, &times) in self.nested.get(&function).into_iter().flatten() {
                let most = nested.entry(of).or_default();
                *most = times.max(*most);
            }
        };
        include(function);
        shapes.iter().for_each(|shape| shape.visit_functions(&mut include));
        *nested.entry(original).or_default() += 1;
        nested
    }
}

/// Makes every call of a known function direct. A call that passes known functions becomes one of a copy that makes them
/// itself, a call that gives functions one of a copy that gives what they captured.
pub(crate) fn specialise(calculus: &mut Calculus, id: FunctionId) {
    if !calculus.specialisation.begun.insert(id) {
        return;
    }
    let function = calculus.program.function(id).clone();
    let mut specialiser = Specialiser { calculus, vars: function.vars.clone(), known: FxHashMap::default() };
    let body = specialiser.body(&function.body);
    let result = specialiser.known(body.result);
    let vars = specialiser.vars;
    if let Some(result) = result {
        let split = split(&function, body.clone(), &result, vars.clone());
        calculus.program.functions.push(split);
        let split = FunctionId(calculus.program.functions.len() as u32 - 1);
        calculus.specialisation.begun.insert(split);
        calculus.specialisation.given.insert(id, (split, result.shape()));
    }
    calculus.program.functions[id.0 as usize] = finished(&function, body, &function.result, &vars);
}

/// The function that gives what the known functions in its result captured.
fn split(function: &Function, mut body: Body, result: &StaticValue, mut vars: Vec<VarInfo>) -> Function {
    let mut atoms = Vec::new();
    result.flatten(&mut atoms);
    let ty = Type::Tuple(atoms.iter().map(|atom| type_of(*atom, &vars)).collect());
    let tuple = fresh(&mut vars, ty.clone());
    body.bindings.push(Binding { var: tuple, op: Op::Tuple(atoms), span: function.span });
    body.result = Atom::Var(tuple);
    finished(function, body, &ty, &vars)
}

/// A function with another body, without the functions in it that are not called any more.
fn finished(function: &Function, mut body: Body, result: &Type, vars: &[VarInfo]) -> Function {
    drop_dead(&mut body, vars);
    let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
    renumber(function.name.clone(), &parameters, body, result, function.span, &|var| vars[var.0 as usize].clone())
}

struct Specialiser<'c> {
    calculus: &'c mut Calculus,
    vars: Vec<VarInfo>,
    /// The variables with functions in them that are known.
    known: FxHashMap<Var, StaticValue>,
}

impl Specialiser<'_> {
    fn known(&self, atom: Atom) -> Option<StaticValue> {
        match atom {
            Atom::Var(var) => self.known.get(&var).cloned(),
            _ => None,
        }
    }

    fn ty(&self, var: Var) -> Type {
        self.vars[var.0 as usize].ty.clone()
    }

    /// A variable of the type that something has.
    fn like(&mut self, atom: Atom) -> Var {
        let ty = type_of(atom, &self.vars);
        fresh(&mut self.vars, ty)
    }

    fn body(&mut self, body: &Body) -> Body {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let mut bindings = Vec::with_capacity(body.bindings.len());
            for binding in &body.bindings {
                self.binding(binding, &mut bindings);
            }
            Body { bindings, result: body.result }
        })
    }

    fn binding(&mut self, binding: &Binding, out: &mut Vec<Binding>) {
        let Binding { var, op, span } = binding;
        let (var, span) = (*var, *span);
        match op {
            Op::Closure(function, captured) => {
                let (function, captured) = self.direct(*function, captured.clone());
                self.define(var, StaticValue::Closure(function, captured), out, span);
            }
            Op::Copy(source) => match self.known(*source) {
                Some(known) => self.define(var, known, out, span),
                None => out.push(binding.clone()),
            },
            Op::Tuple(parts) => {
                if parts.iter().any(|part| self.known(*part).is_some()) {
                    let part = |part: &Atom| self.known(*part).unwrap_or(StaticValue::Data(*part));
                    let known = StaticValue::Tuple(parts.iter().map(part).collect());
                    self.known.insert(var, known);
                }
                out.push(binding.clone());
            }
            Op::Project(tuple, at) => match self.known(*tuple) {
                Some(StaticValue::Tuple(mut parts)) => self.define(var, parts.swap_remove(*at), out, span),
                _ => out.push(binding.clone()),
            },
            Op::Apply(called, argument) => match self.known(*called) {
                Some(known) => self.apply(var, &known, *argument, out, span),
                None => out.push(binding.clone()),
            },
            Op::Call(function, arguments) => self.call(var, *function, arguments.clone(), out, span),
            Op::Ruled(ruled, arguments) => {
                let (_, passed) = self.direct(ruled.value, arguments.clone());
                // The value comes behind what all have.
                let with_value: Vec<Atom> = arguments.iter().copied().chain([Atom::Var(var)]).collect();
                let ruled = Ruled {
                    value: self.direct(ruled.value, arguments.clone()).0,
                    tangent: self.direct(ruled.tangent, with_value).0,
                    single: self.direct(ruled.single, arguments.clone()).0,
                };
                out.push(Binding { var, op: Op::Ruled(ruled, passed), span });
            }
            Op::Hold(held) => match self.known(*held) {
                Some(known) => {
                    let mut atoms = Vec::new();
                    known.flatten(&mut atoms);
                    let mut hold = |atom: Atom| {
                        if !type_of(atom, &self.vars).varies() {
                            return atom;
                        }
                        let held = self.like(atom);
                        out.push(Binding { var: held, op: Op::Hold(atom), span });
                        Atom::Var(held)
                    };
                    let held: Vec<Atom> = atoms.into_iter().map(&mut hold).collect();
                    let known = known.shape().known(&mut held.into_iter());
                    self.define(var, known, out, span);
                }
                None => out.push(binding.clone()),
            },
            Op::Global(global) if has_functions(&self.ty(var)) => {
                let origin = self.calculus.program.global(*global).origin;
                match origin {
                    // Its captured values are computed again: no other code can see them.
                    Origin::Computed(function) if self.gives_functions(function) => {
                        self.call(var, function, Vec::new(), out, span);
                    }
                    _ => out.push(binding.clone()),
                }
            }
            Op::If { condition, yes, no } => {
                let (yes, no) = (self.body(yes), self.body(no));
                self.choose(var, *condition, yes, no, out, span);
            }
            Op::Derive(derive, operands) => match self.known(operands[0]) {
                Some(StaticValue::Choice(condition, yes, no)) => {
                    let mut branch = |known: StaticValue| {
                        let (mut bindings, mut operands) = (Vec::new(), operands.clone());
                        let function = self.like(operands[0]);
                        self.define(function, known, &mut bindings, span);
                        operands[0] = Atom::Var(function);
                        let result = self.like(Atom::Var(var));
                        self.binding(&Binding { var: result, op: Op::Derive(*derive, operands), span }, &mut bindings);
                        Body { bindings, result: Atom::Var(result) }
                    };
                    let (yes, no) = (branch(*yes), branch(*no));
                    self.choose(var, condition, yes, no, out, span);
                }
                _ => out.push(binding.clone()),
            },
            _ => {
                let mut op = op.clone();
                op.visit_bodies_mut(&mut |body| *body = self.body(body));
                out.push(Binding { var, op, span });
            }
        }
    }

    /// Binds a variable to a value with functions that are known.
    fn define(&mut self, var: Var, known: StaticValue, out: &mut Vec<Binding>, span: Span) {
        let op = known.make(&self.ty(var), &mut self.vars, out, span);
        out.push(Binding { var, op, span });
        if !matches!(known, StaticValue::Data(_)) {
            self.known.insert(var, known);
        }
    }

    /// Calls what is known.
    fn apply(&mut self, var: Var, called: &StaticValue, argument: Atom, out: &mut Vec<Binding>, span: Span) {
        match called {
            StaticValue::Closure(function, captured) => {
                let arguments = captured.iter().copied().chain([argument]).collect();
                self.call(var, *function, arguments, out, span);
            }
            StaticValue::Choice(condition, yes, no) => {
                let mut branch = |called: &StaticValue| {
                    let result = self.like(Atom::Var(var));
                    let mut bindings = Vec::new();
                    self.apply(result, called, argument, &mut bindings, span);
                    Body { bindings, result: Atom::Var(result) }
                };
                let (yes, no) = (branch(yes), branch(no));
                self.choose(var, *condition, yes, no, out, span);
            }
            StaticValue::Data(called) => out.push(Binding { var, op: Op::Apply(*called, argument), span }),
            StaticValue::Tuple(_) => unreachable!("a tuple is not called"),
        }
    }

    fn call(&mut self, var: Var, function: FunctionId, arguments: Vec<Atom>, out: &mut Vec<Binding>, span: Span) {
        let (function, arguments) = self.direct(function, arguments);
        if !has_functions(&self.ty(var)) || !self.gives_functions(function) {
            out.push(Binding { var, op: Op::Call(function, arguments), span });
            return;
        }
        let (split, shape) = self.calculus.specialisation.given[&function].clone();
        let types = self.calculus.program.function(split).result.components().unwrap_or_default();
        let types: Vec<Type> =
            types.iter().map(|ty| with_sizes(ty, |var| arguments.get(var.0 as usize).copied())).collect();
        let all = fresh(&mut self.vars, Type::Tuple(types.clone().into()));
        out.push(Binding { var: all, op: Op::Call(split, arguments), span });
        let mut atoms = Vec::with_capacity(types.len());
        for (at, ty) in types.into_iter().enumerate() {
            let part = fresh(&mut self.vars, ty);
            out.push(Binding { var: part, op: Op::Project(Atom::Var(all), at), span });
            atoms.push(Atom::Var(part));
        }
        self.define(var, shape.known(&mut atoms.into_iter()), out, span);
    }

    /// Whether the functions in the result of a function are known.
    fn gives_functions(&mut self, function: FunctionId) -> bool {
        specialise(self.calculus, function);
        self.calculus.specialisation.given.contains_key(&function)
    }

    /// Binds a variable to one of two bodies. The functions in the result are known where those of both are.
    fn choose(&mut self, var: Var, condition: Atom, yes: Body, no: Body, out: &mut Vec<Binding>, span: Span) {
        let known = match (self.known(yes.result), self.known(no.result)) {
            (Some(a), Some(b)) => {
                let inside = yes.bindings.iter().chain(&no.bindings).map(|binding| binding.var).collect();
                Some((a, b, inside))
            }
            _ => None,
        };
        out.push(Binding { var, op: Op::If { condition, yes, no }, span });
        if let Some((a, b, inside)) = known
            && let Some(known) = self.join(var, condition, (&a, &b), &inside, out, span)
        {
            self.known.insert(var, known);
        }
    }

    /// The static value of `value`, which is one of two by a condition; `None` if a function captured a variable that is
    /// bound inside the branches.
    fn join(
        &mut self,
        value: Var,
        condition: Atom,
        (yes, no): (&StaticValue, &StaticValue),
        inside: &FxHashSet<Var>,
        out: &mut Vec<Binding>,
        span: Span,
    ) -> Option<StaticValue> {
        match (yes, no) {
            (StaticValue::Data(_), StaticValue::Data(_)) => Some(StaticValue::Data(Atom::Var(value))),
            (StaticValue::Tuple(a), StaticValue::Tuple(b)) => {
                let types = self.ty(value).components()?;
                let mut parts = Vec::with_capacity(types.len());
                for (at, (pair, ty)) in a.iter().zip(b).zip(types).enumerate() {
                    let part = fresh(&mut self.vars, ty);
                    out.push(Binding { var: part, op: Op::Project(Atom::Var(value), at), span });
                    parts.push(self.join(part, condition, pair, inside, out, span)?);
                }
                Some(StaticValue::Tuple(parts))
            }
            _ => {
                let mut atoms = Vec::new();
                yes.flatten(&mut atoms);
                no.flatten(&mut atoms);
                let hidden = atoms.iter().any(|atom| matches!(atom, Atom::Var(var) if inside.contains(var)));
                (!hidden).then(|| StaticValue::Choice(condition, Box::new(yes.clone()), Box::new(no.clone())))
            }
        }
    }

    /// A function and arguments, some with functions in them that are known: the copy of the function that makes these
    /// itself, and what they captured in their place. Where nothing is known there is a copy too, if the function takes
    /// functions: it stays as it was written, for other programs to be specialised from.
    fn direct(&mut self, function: FunctionId, arguments: Vec<Atom>) -> (FunctionId, Vec<Atom>) {
        let known: Vec<StaticValue> =
            arguments.iter().map(|argument| self.known(*argument).unwrap_or(StaticValue::Data(*argument))).collect();
        let shapes: Vec<StaticForm> = known.iter().map(StaticValue::shape).collect();
        let specialisation = &self.calculus.specialisation;
        let original = specialisation.originals.get(&function).copied().unwrap_or(function);
        if shapes.iter().any(|shape| *shape != StaticForm::Data) {
            let nested = specialisation.nesting(function, original, &shapes);
            let derives = contains_derivative(&self.calculus.program.function(original).body);
            if nested[&original] <= if derives { MOST_DERIVED } else { MOST_NESTED }
                && let Some(copy) = self.copied(function, shapes, original, nested)
            {
                let mut passed = Vec::new();
                known.iter().for_each(|known| known.flatten(&mut passed));
                return (copy, passed);
            }
        }
        let called = self.calculus.program.function(function);
        if original == function && called.vars[..called.parameters].iter().any(|info| has_functions(&info.ty)) {
            let nothing = vec![StaticForm::Data; arguments.len()];
            let copy = self.copied(function, nothing, original, FxHashMap::default());
            return (copy.unwrap_or(function), arguments);
        }
        (function, arguments)
    }

    /// The copy of a function for what is known of its arguments.
    fn copied(
        &mut self,
        function: FunctionId,
        shapes: Vec<StaticForm>,
        original: FunctionId,
        nested: FxHashMap<FunctionId, usize>,
    ) -> Option<FunctionId> {
        let specialisation = &self.calculus.specialisation;
        let key = (function, shapes);
        if let Some(&copy) = specialisation.copies.get(&key) {
            return Some(copy);
        }
        if specialisation.copies.len() >= MOST_COPIES {
            return None;
        }
        let copy = copy(&self.calculus.program, self.calculus.program.function(function), &key.1);
        self.calculus.program.functions.push(copy);
        let copy = FunctionId(self.calculus.program.functions.len() as u32 - 1);
        let specialisation = &mut self.calculus.specialisation;
        specialisation.copies.insert(key, copy);
        specialisation.nested.insert(copy, nested);
        specialisation.originals.insert(copy, original);
        Some(copy)
    }
}

/// The copy of a function that makes the functions in its first arguments itself.
fn copy(program: &Program, original: &Function, shapes: &[StaticForm]) -> Function {
    let mut vars = original.vars.clone();
    let (mut parameters, mut makes) = (Vec::new(), Vec::new());
    for at in 0..original.parameters {
        let parameter = Var(at as u32);
        match shapes.get(at) {
            None | Some(StaticForm::Data) => parameters.push(parameter),
            Some(shape) => {
                let ty = original.var(parameter).ty.clone();
                let known = shape.parameters(&ty, program, &mut vars, &mut parameters);
                let op = known.make(&ty, &mut vars, &mut makes, original.span);
                makes.push(Binding { var: parameter, op, span: original.span });
            }
        }
    }
    let mut body = original.body.clone();
    body.bindings.splice(0..0, makes);
    renumber(original.name.clone(), &parameters, body, &original.result, original.span, &|var| {
        vars[var.0 as usize].clone()
    })
}

fn has_functions(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Function(_)))
}
