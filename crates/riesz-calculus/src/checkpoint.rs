//! Checkpoints. A loop in reverse mode stores residuals of each iteration. A loop in segments stores only the state
//! before each segment, and runs a segment again when its residuals are needed.
//!
//! ```text
//! loop s = z for i < n do f(i, s)
//!   =  loop s = z for j < ⌈n / m⌉ do segment(j, s)
//! segment(j, s)  =  loop s for i < min(m, n − j·m) do f(j·m + i, s)
//! ```
//!
//! With `m` near `√n`, `O(√n)` states and the residuals of `O(√n)` iterations are stored at a time; each iteration runs
//! once more for every loop around it. A `while` loop is cut into segments of a fixed length.

use crate::compile::{Calculus, Linearised};
use riesz_core::Type;
use riesz_core::build::{bind, fresh};
use riesz_core::free::Free;
use riesz_core::renumber::renumber;
use riesz_core::term::{Atom, Binding, Body, Comparison, Function, FunctionId, Op, Recurrence, Var, VarInfo};
use riesz_primitive::scalar;
use riesz_syntax::Span;

/// How many states of loops are kept for their derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checkpoints {
    /// All that the derivative needs, of every iteration.
    #[default]
    Everything,
    /// Of a loop of `n` iterations, about `√n` states.
    Roots,
    /// At most this number of states of a loop.
    States(u64),
}

/// The iterations in a segment of a loop that runs while a condition holds.
const ITERATIONS: i64 = 1024;

impl Calculus {
    /// A function whose loops are cut into segments.
    pub(crate) fn checkpointed(&mut self, id: FunctionId, function: Function) -> Function {
        if self.checkpoints == Checkpoints::Everything {
            return function;
        }
        let Function { name, vars, parameters, body, result, span } = function;
        let is_segment = self.segments.contains(&id);
        let mut cutter = Cutter { calculus: self, vars, name: &name };
        let body = cutter.body(body, is_segment);
        let vars = cutter.vars;
        Function { name, vars, parameters, body, result, span }
    }

    /// A segment keeps its arguments, and runs again when it is linear: `kept = x`, `L (x, dx) = L' (kept' x, dx)`.
    pub(crate) fn again(&mut self, id: FunctionId, plain: &Linearised) -> Linearised {
        let Some(plain_forward) = plain.forward else { return plain.clone() };
        let function = self.program.function(id).clone();
        let span = function.span;
        let count = function.parameters;
        let arguments: Vec<Atom> = (0..count as u32).map(|at| Atom::Var(Var(at))).collect();
        let parameters = function.vars[..count].iter().enumerate().map(|(at, var)| (Var(at as u32), var.ty.clone()));
        // What it adds to has been added to by then. Sizes, being integers, come first and keep their places.
        let kept: Vec<(Var, Type)> = parameters.filter(|(_, ty)| !matches!(ty, Type::Accumulator(_))).collect();

        // x ↦ (f x), and x is known
        let mut vars = function.vars[..count].to_vec();
        let all = Type::Tuple([function.result.clone()].into());
        vars.push(VarInfo { name: None, ty: function.result.clone() });
        vars.push(VarInfo { name: None, ty: all.clone() });
        let [value, tuple] = [count, count + 1].map(|at| Var(at as u32));
        let bindings = vec![
            Binding { var: value, op: Op::Call(id, arguments.clone()), span },
            Binding { var: tuple, op: Op::Tuple(vec![Atom::Var(value)]), span },
        ];
        let body = Body { bindings, result: Atom::Var(tuple) };
        let name = function.name.clone();
        let primal = self.add(Function { name: name.clone(), vars, parameters: count, body, result: all, span });

        // (x, given) ↦ the linear function of what the primal keeps, and of what is given
        let again = |calculus: &mut Calculus, linear: FunctionId, result: Type| {
            let called = calculus.program.function(linear);
            let given: Vec<VarInfo> = called.vars[plain.kept.len()..called.parameters].to_vec();
            let mut vars: Vec<VarInfo> = kept.iter().map(|(var, _)| function.vars[var.0 as usize].clone()).collect();
            // What is given is of sizes that the arguments tell, or the value that is computed again.
            vars.extend(
                given.into_iter().map(|VarInfo { name, ty }| VarInfo { name, ty: crate::compile::open_sizes(&ty) }),
            );
            let parameters = vars.len();
            let mut bindings = Vec::new();
            let mut bind = |op: Op, ty: Type| bind(&mut vars, &mut bindings, op, ty, span);
            // What it adds this time goes nowhere.
            let argument = |at: usize| match kept.iter().position(|(var, _)| var.0 as usize == at) {
                Some(place) => Atom::Var(Var(place as u32)),
                None => bind(Op::Accumulator, function.vars[at].ty.clone()),
            };
            let arguments: Vec<Atom> = (0..count).map(argument).collect();
            let all = bind(Op::Call(plain.primal, arguments.clone()), plain.all(&function.result, &arguments));
            let mut passed = plain.kept(all, &arguments, &mut bind);
            passed.extend((kept.len()..parameters).map(|at| Atom::Var(Var(at as u32))));
            let result_atom = bind(Op::Call(linear, passed), result.clone());
            let body = Body { bindings, result: result_atom };
            calculus.add(Function { name: name.clone(), vars, parameters, body, result, span })
        };
        let forward = again(self, plain_forward, function.result.tangent());
        let reverse = again(self, plain.reverse, Type::unit());
        Linearised { primal, forward: Some(forward), reverse, kept, parameters: count }
    }
}

/// Cuts the loops of one function.
struct Cutter<'c> {
    calculus: &'c mut Calculus,
    vars: Vec<VarInfo>,
    name: &'c str,
}

impl Cutter<'_> {
    /// Cuts the loops of a body; of a segment, only those inside the loop that it is.
    fn body(&mut self, body: Body, is_segment: bool) -> Body {
        let mut bindings = Vec::with_capacity(body.bindings.len());
        for Binding { var, mut op, span } in body.bindings {
            let cut = !is_segment;
            op.visit_bodies_mut(&mut |body| {
                let inner = std::mem::replace(body, Body { bindings: Vec::new(), result: Atom::Int(0) });
                *body = self.body(inner, false);
            });
            let op = match op {
                Op::Loop(recurrence) if cut => self.segments(recurrence, &mut bindings, span),
                Op::While { state, start, condition, body } if cut => {
                    self.segments_while(state, start, condition, body, span)
                }
                op => op,
            };
            bindings.push(Binding { var, op, span });
        }
        Body { bindings, result: body.result }
    }

    fn var(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
    }

    fn bind(&mut self, op: Op, ty: Type, out: &mut Vec<Binding>, span: Span) -> Atom {
        bind(&mut self.vars, out, op, ty, span)
    }

    fn integer(&mut self, op: Op, out: &mut Vec<Binding>, span: Span) -> Atom {
        self.bind(op, Type::Int, out, span)
    }

    /// A loop over segments.
    fn segments(&mut self, recurrence: Recurrence, out: &mut Vec<Binding>, span: Span) -> Op {
        let Recurrence { state, start, count, index, body } = recurrence;
        let count = self.integer(Op::Scalar(&scalar::MAX, vec![count, Atom::Int(0)]), out, span);
        // ⌈n / states⌉ and at least 1, or ⌊√n⌋ + 1
        let iterations = match self.calculus.checkpoints {
            Checkpoints::States(states) => {
                let states = i64::try_from(states.max(1)).unwrap_or(i64::MAX);
                let less = self.integer(Op::Scalar(&scalar::SUB, vec![count, Atom::Int(1)]), out, span);
                let less = self.integer(Op::Scalar(&scalar::MAX, vec![less, Atom::Int(0)]), out, span);
                self.integer(Op::Scalar(&scalar::FLOOR_DIV, vec![less, Atom::Int(states)]), out, span)
            }
            _ => {
                let real = self.bind(Op::ToReal(count), Type::Real, out, span);
                let root = self.bind(Op::Scalar(&scalar::SQRT, vec![real]), Type::Real, out, span);
                self.integer(Op::Truncate(root), out, span)
            }
        };
        let iterations = self.integer(Op::Scalar(&scalar::ADD, vec![iterations, Atom::Int(1)]), out, span);
        let less = self.integer(Op::Scalar(&scalar::SUB, vec![iterations, Atom::Int(1)]), out, span);
        let rounded = self.integer(Op::Scalar(&scalar::ADD, vec![count, less]), out, span);
        let segments = self.integer(Op::Scalar(&scalar::FLOOR_DIV, vec![rounded, iterations]), out, span);

        // The segment: from iteration `first`, at most `iterations` of them.
        let segment = self.var(Type::Int);
        let mut bindings = Vec::new();
        let first = self.integer(Op::Scalar(&scalar::MUL, vec![Atom::Var(segment), iterations]), &mut bindings, span);
        let rest = self.integer(Op::Scalar(&scalar::SUB, vec![count, first]), &mut bindings, span);
        let length = self.integer(Op::Scalar(&scalar::MIN, vec![iterations, rest]), &mut bindings, span);
        let at = self.var(Type::Int);
        let ty = self.vars[state.0 as usize].ty.clone();
        let before = self.var(ty.clone());
        let mut inner = vec![Binding { var: index, op: Op::Scalar(&scalar::ADD, vec![first, Atom::Var(at)]), span }];
        inner.extend(body.bindings);
        let body = Body { bindings: inner, result: body.result };
        let recurrence = Recurrence { state, start: Atom::Var(before), count: length, index: at, body };
        let called = self.function(Op::Loop(recurrence), ty.clone(), span);
        let result = self.bind(called, ty, &mut bindings, span);
        let body = Body { bindings, result };
        Op::Loop(Recurrence { state: before, start, count: segments, index: segment, body })
    }

    /// A loop over segments, each of which runs while the condition holds.
    fn segments_while(&mut self, state: Var, start: Atom, condition: Body, body: Body, span: Span) -> Op {
        let ty = self.vars[state.0 as usize].ty.clone();
        let counted = Type::Tuple([ty.clone(), Type::Int].into());
        let before = self.var(ty.clone());
        let mut bindings = Vec::new();
        let first = self.bind(Op::Tuple(vec![Atom::Var(before), Atom::Int(0)]), counted.clone(), &mut bindings, span);
        let pair = self.var(counted.clone());
        let open = |cutter: &mut Self, out: &mut Vec<Binding>| {
            out.push(Binding { var: state, op: Op::Project(Atom::Var(pair), 0), span });
            cutter.integer(Op::Project(Atom::Var(pair), 1), out, span)
        };
        let mut test = Vec::new();
        let iterations = open(self, &mut test);
        let few =
            self.bind(Op::Compare(Comparison::Less, iterations, Atom::Int(ITERATIONS)), Type::Bool, &mut test, span);
        let no = Body { bindings: Vec::new(), result: Atom::Bool(false) };
        let goes_on = self.bind(Op::If { condition: few, yes: condition.clone(), no }, Type::Bool, &mut test, span);
        let mut inner = Vec::new();
        let iterations = open(self, &mut inner);
        inner.extend(body.bindings);
        let iterations = self.integer(Op::Scalar(&scalar::ADD, vec![iterations, Atom::Int(1)]), &mut inner, span);
        let next = self.bind(Op::Tuple(vec![body.result, iterations]), counted.clone(), &mut inner, span);
        let op = Op::While {
            state: pair,
            start: first,
            condition: Body { bindings: test, result: goes_on },
            body: Body { bindings: inner, result: next },
        };
        let last = self.bind(op, counted, &mut bindings, span);
        let last = self.bind(Op::Project(last, 0), ty.clone(), &mut bindings, span);
        let called = self.function_of(Body { bindings, result: last }, &ty, span);
        let mut bindings = Vec::new();
        let result = self.bind(called, ty, &mut bindings, span);
        // The condition binds its variables here and in the segment.
        let mut outer = condition;
        outer.bindings.insert(0, Binding { var: state, op: Op::Copy(Atom::Var(before)), span });
        Op::While { state: before, start, condition: outer, body: Body { bindings, result } }
    }

    /// A function that is one operation, called with what it needs.
    fn function(&mut self, op: Op, ty: Type, span: Span) -> Op {
        let mut bindings = Vec::new();
        let result = self.bind(op, ty.clone(), &mut bindings, span);
        self.function_of(Body { bindings, result }, &ty, span)
    }

    fn function_of(&mut self, body: Body, ty: &Type, span: Span) -> Op {
        let mut free = Free::of(&body.bindings, &[body.result], &self.vars).found;
        free.sort_by_key(|var| self.vars[var.0 as usize].ty != Type::Int);
        let vars = &self.vars;
        let name = format!("{} segment", self.name).into();
        let function = renumber(name, &free, body, ty, span, &|var| vars[var.0 as usize].clone());
        let id = self.calculus.add(function);
        self.calculus.segments.insert(id);
        Op::Call(id, free.into_iter().map(Atom::Var).collect())
    }
}
