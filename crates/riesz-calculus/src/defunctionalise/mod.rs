//! Functions that are known only at run time become data: a function becomes its tag and its captured values, and a
//! call becomes a choice by the tag. [Reynolds 1972]
//!
//! ```text
//! fᵢ with captured c      becomes  (i, c)
//! f(x)                    becomes  if f.0 < i then ... else fᵢ(f.1, x)
//! D(f, x)                 becomes  if f.0 < i then ... else D(\y -> fᵢ(f.1, y), x)
//! ```
//!
//! The captured values of functions of one type differ, so such a value is opaque, of type `Kept`, like the residuals
//! of a recursion. It varies with the captured values: derivatives of any order go through it as through other data.
//! The alternatives are the functions that can reach the call ([`flow`]).
//!
//! A linear map may be used as a function without a trace in the core, and a program may receive functions from outside
//! or return them: such programs are left unchanged.

mod flow;
mod point;

pub(crate) use point::without;

use crate::compile::with_sizes;
use flow::Flow;
use riesz_core::build::{bind, fresh};
use riesz_core::reachable::visit_functions;
use riesz_core::renumber::renumber;
use riesz_core::term::{
    Atom, Binding, Body, Comparison, Derive, Function, FunctionId, Op, Origin, Program, Var, VarInfo,
};
use riesz_core::{Size, Type};
use riesz_optimise::drop_dead;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A copy of a function in which functions are data, where derivatives in it need that and it can be done.
pub(crate) fn defunctionalise(program: &mut Program, root: FunctionId) -> Option<FunctionId> {
    let functions = reachable(program, root);
    if !functions.iter().any(|id| needs_data(program.function(*id))) {
        return None;
    }
    let touched = touched(program, &functions);
    let signature = program.function(root);
    let outside = signature.vars[..signature.parameters].iter().map(|info| &info.ty).chain([&signature.result]);
    if outside.into_iter().any(has_functions) {
        return None;
    }
    let first = program.functions.len() as u32;
    let copies: FxHashMap<FunctionId, FunctionId> =
        touched.iter().enumerate().map(|(at, id)| (*id, FunctionId(first + at as u32))).collect();
    let flow = Flow::new(program, &functions);
    let mut finished = Vec::with_capacity(touched.len());
    let mut besides = Besides { first: first + touched.len() as u32, functions: Vec::new(), rests: Vec::new() };
    for &id in &touched {
        let function = program.function(id);
        let mut vars = function.vars.clone();
        vars.iter_mut().for_each(|info| info.ty = as_data(&info.ty));
        let mut writer = Writer {
            program,
            id,
            copies: &copies,
            flow: &flow,
            vars,
            known: FxHashMap::default(),
            besides: &mut besides,
        };
        let mut body = writer.body(&function.body)?;
        let vars = writer.vars;
        drop_dead(&mut body, &vars);
        let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
        let info = |var: Var| vars[var.0 as usize].clone();
        finished.push(renumber(
            function.name.clone(),
            &parameters,
            body,
            &as_data(&function.result),
            function.span,
            &info,
        ));
    }
    program.functions.extend(finished);
    program.functions.extend(besides.functions);
    copies.get(&root).copied()
}

/// The functions that can be called when one is, those that compute functions for it included.
fn reachable(program: &Program, root: FunctionId) -> Vec<FunctionId> {
    let (mut found, mut work, mut seen) = (Vec::new(), vec![root], FxHashSet::default());
    while let Some(id) = work.pop() {
        if seen.insert(id) {
            found.push(id);
            visit_called(program, program.function(id), &mut |id| work.push(id));
        }
    }
    found
}

/// The functions that a function refers to, by globals that hold functions too.
fn visit_called(program: &Program, function: &Function, f: &mut dyn FnMut(FunctionId)) {
    visit_functions(&function.body, f);
    visit_bindings(&function.body, &mut |binding| {
        if let Op::Global(global) = binding.op
            && has_functions(&program.global(global).ty)
            && let Origin::Computed(thunk) = program.global(global).origin
        {
            f(thunk);
        }
    });
}

/// The functions that use functions as values, and their callers.
fn touched(program: &Program, functions: &[FunctionId]) -> Vec<FunctionId> {
    let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    let mut work = Vec::new();
    for &id in functions {
        let function = program.function(id);
        visit_called(program, function, &mut |called| callers.entry(called).or_default().push(id));
        if function.vars.iter().any(|info| has_functions(&info.ty)) {
            work.push(id);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = work.pop() {
        if found.insert(id) {
            work.extend(callers.get(&id).into_iter().flatten());
        }
    }
    functions.iter().copied().filter(|id| found.contains(id)).collect()
}

/// Whether a function calls or differentiates one that is not known where it does.
fn needs_data(function: &Function) -> bool {
    let (mut made, mut found) = (FxHashSet::default(), false);
    visit_bindings(&function.body, &mut |binding| match &binding.op {
        Op::Closure(..) => {
            made.insert(binding.var);
        }
        Op::Apply(Atom::Var(called), _) => found |= matches!(function.var(*called).ty, Type::Function(_)),
        Op::Derive(_, operands) => found |= !matches!(operands[0], Atom::Var(var) if made.contains(&var)),
        _ => {}
    });
    found
}

fn visit_bindings<'b>(body: &'b Body, f: &mut dyn FnMut(&'b Binding)) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            f(binding);
            binding.op.visit_bodies(&mut |body| visit_bindings(body, f));
        }
    });
}

/// Writes the copy of a function.
struct Writer<'p> {
    program: &'p Program,
    id: FunctionId,
    copies: &'p FxHashMap<FunctionId, FunctionId>,
    flow: &'p Flow<'p>,
    vars: Vec<VarInfo>,
    /// Functions known by where they were made.
    known: FxHashMap<Var, (FunctionId, Vec<Atom>)>,
    besides: &'p mut Besides,
}

impl Writer<'_> {
    fn copy(&self, id: FunctionId) -> FunctionId {
        self.copies.get(&id).copied().unwrap_or(id)
    }

    /// The type of a variable before functions became data.
    fn original(&self, atom: Atom) -> Option<&Type> {
        match atom {
            Atom::Var(var) => self.program.function(self.id).vars.get(var.0 as usize).map(|info| &info.ty),
            _ => None,
        }
    }

    fn bind(&mut self, op: Op, ty: Type, span: Span, out: &mut Vec<Binding>) -> Atom {
        bind(&mut self.vars, out, op, ty, span)
    }

    fn fresh(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
    }

    fn ty(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.vars[var.0 as usize].ty.clone(),
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
            Atom::Bool(_) => Type::Bool,
        }
    }

    fn body(&mut self, body: &Body) -> Option<Body> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let mut bindings = Vec::with_capacity(body.bindings.len());
            for binding in &body.bindings {
                self.binding(binding, &mut bindings)?;
            }
            Some(Body { bindings, result: body.result })
        })
    }

    fn binding(&mut self, binding: &Binding, out: &mut Vec<Binding>) -> Option<()> {
        let Binding { var, op, span } = binding;
        let (var, span) = (*var, *span);
        let op = match op {
            Op::Closure(function, captured) => {
                self.known.insert(var, (*function, captured.clone()));
                let parts: Vec<Atom> = [Atom::Int(number(*function))].iter().chain(captured).copied().collect();
                let ty = Type::Tuple(parts.iter().map(|part| self.ty(*part)).collect());
                Op::Copy(self.bind(Op::Tuple(parts), ty, span, out))
            }
            Op::Apply(called, argument) if matches!(self.original(*called), Some(Type::Function(_))) => {
                let call = Use::Call(*argument);
                return self.choose(var, *called, &call, span, out);
            }
            // Series of functions are not series of data.
            Op::Derive(Derive::Taylor, _) if has_functions(&self.program.function(self.id).var(var).ty) => return None,
            Op::Derive(derive, operands) => {
                let called = operands[0];
                let derive = Use::Derive(*derive, operands[1..].to_vec());
                return self.choose(var, called, &derive, span, out);
            }
            Op::Global(global) if has_functions(&self.program.global(*global).ty) => {
                match self.program.global(*global).origin {
                    Origin::Computed(thunk) => Op::Call(self.copy(thunk), Vec::new()),
                    Origin::Given => return None,
                }
            }
            Op::Call(function, arguments) => Op::Call(self.copy(*function), arguments.clone()),
            Op::Ruled(ruled, arguments) => Op::Ruled(ruled.map(|function| self.copy(function)), arguments.clone()),
            Op::Map { forward, reverse, captured } => {
                Op::Map { forward: self.copy(*forward), reverse: self.copy(*reverse), captured: captured.clone() }
            }
            _ => {
                let mut op = op.clone();
                let mut whole = Some(());
                op.visit_bodies_mut(&mut |body| match self.body(body) {
                    Some(written) => *body = written,
                    None => whole = None,
                });
                whole?;
                op
            }
        };
        out.push(Binding { var, op, span });
        Some(())
    }

    /// Uses a function: the one that is known, or the one that its number says.
    fn choose(&mut self, var: Var, called: Atom, wish: &Use, span: Span, out: &mut Vec<Binding>) -> Option<()> {
        if let Atom::Var(called) = called
            && let Some((function, captured)) = self.known.get(&called).cloned()
        {
            self.make_use(var, function, captured, wish, span, out);
            return Some(());
        }
        let alternatives = self.flow.alternatives(self.id, called)?;
        match &alternatives[..] {
            // No function gets here, so its result is not used.
            [] => out.push(Binding { var, op: Op::Project(called, 0), span }),
            [only] => self.alternative(var, called, *only, wish, span, out),
            _ => {
                let chosen = self.bind(Op::Project(called, 0), Type::Int, span, out);
                self.among(var, (called, chosen), &alternatives, wish, span, out);
            }
        }
        Some(())
    }

    /// Uses one of several functions, which are in the order of their numbers.
    fn among(
        &mut self,
        var: Var,
        (called, chosen): (Atom, Atom),
        alternatives: &[FunctionId],
        wish: &Use,
        span: Span,
        out: &mut Vec<Binding>,
    ) {
        if let [only] = alternatives {
            return self.alternative(var, called, *only, wish, span, out);
        }
        let (low, high) = alternatives.split_at(alternatives.len() / 2);
        let least = Atom::Int(number(high[0]));
        let condition = self.bind(Op::Compare(Comparison::Less, chosen, least), Type::Bool, span, out);
        let mut branch = |alternatives: &[FunctionId]| {
            let result = self.fresh(self.ty(Atom::Var(var)));
            let mut bindings = Vec::new();
            self.among(result, (called, chosen), alternatives, wish, span, &mut bindings);
            Body { bindings, result: Atom::Var(result) }
        };
        let (yes, no) = (branch(low), branch(high));
        out.push(Binding { var, op: Op::If { condition, yes, no }, span });
    }

    /// Uses a function with what it captured taken out of the data.
    fn alternative(
        &mut self,
        var: Var,
        data: Atom,
        function: FunctionId,
        wish: &Use,
        span: Span,
        out: &mut Vec<Binding>,
    ) {
        let made = self.program.function(function);
        let mut captured: Vec<Atom> = Vec::with_capacity(made.parameters);
        for (at, info) in made.vars[..made.parameters - 1].iter().enumerate() {
            let ty = with_sizes(&as_data(&info.ty), |var| captured.get(var.0 as usize).copied());
            captured.push(self.bind(Op::Project(data, at + 1), ty, span, out));
        }
        self.make_use(var, function, captured, wish, span, out);
    }

    fn make_use(
        &mut self,
        var: Var,
        function: FunctionId,
        mut captured: Vec<Atom>,
        wish: &Use,
        span: Span,
        out: &mut Vec<Binding>,
    ) {
        let copy = self.copy(function);
        let op = match wish {
            Use::Call(argument) => {
                captured.push(*argument);
                Op::Call(copy, captured)
            }
            Use::Derive(derive, operands) if self.is_of_data(function) => {
                let made = self.program.function(function);
                let (from, to) = (&made.vars[captured.len()].ty, &made.result);
                let known = |var: Var| captured.get(var.0 as usize).copied();
                let ty = Type::function(with_sizes(from, known), with_sizes(to, known));
                let closure = self.bind(Op::Closure(copy, captured), ty, span, out);
                Op::Derive(*derive, [closure].iter().chain(operands).copied().collect())
            }
            Use::Derive(derive, operands) => {
                return self.derive_rest(var, (function, captured), (*derive, operands), span, out);
            }
        };
        out.push(Binding { var, op, span });
    }

    /// Whether a function takes and gives no functions, but for what it captured.
    fn is_of_data(&self, function: FunctionId) -> bool {
        let function = self.program.function(function);
        !has_functions(&function.vars[function.parameters - 1].ty) && !has_functions(&function.result)
    }
}

/// Functions that are made besides the copies.
struct Besides {
    /// The number of the first.
    first: u32,
    functions: Vec<Function>,
    /// By functions that take or give functions: those of the rest of the point.
    rests: Vec<(FunctionId, FunctionId)>,
}

impl Besides {
    fn add(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.first + self.functions.len() as u32 - 1)
    }
}

/// The use for which a function is needed.
enum Use {
    Call(Atom),
    Derive(Derive, Vec<Atom>),
}

/// The number by which a function is known in data.
fn number(function: FunctionId) -> i64 {
    i64::from(function.0)
}

/// The type, with data in the place of functions.
fn as_data(ty: &Type) -> Type {
    ty.rebuild(&mut Size::clone, &mut |part| matches!(part, Type::Function(_)).then_some(Type::Kept))
}

/// The type that all functions with the same way of being called have in common.
fn shape(ty: &Type) -> Type {
    let open = ty.map_sizes(&mut |_| Size::Hole);
    fn functions(ty: &Type) -> Type {
        ty.rebuild(&mut Size::clone, &mut |part| match part {
            Type::Linear(arrow) | Type::Function(arrow) => {
                Some(Type::function(functions(&arrow.0), functions(&arrow.1)))
            }
            _ => None,
        })
    }
    functions(&open)
}

fn has_functions(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Function(_)))
}
