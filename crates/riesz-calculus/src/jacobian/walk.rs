//! A walk through a function that finds the dependencies of its result, number by number.
//!
//! Small arrays and tuples are split into their numbers, and loops of known length are unrolled; an array whose
//! elements vary is not computed but represented by the code of an element. The walk writes values and the partial
//! derivatives of the graph as core. If it meets an operation that it does not support, it gives up.

use super::graph::Graph;
use super::known::{Accumulated, Built, Element, Enclosing, Frame, Split};
use super::rows::{Edges, FEW};
use super::shared::Shared;
use super::write::Scope;
use riesz_core::Size;
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Program, Recurrence, Reduction, Var, VarInfo};
use riesz_core::types::Type;
use riesz_optimise::rename::Renaming;
use riesz_primitive::scalar;
use riesz_syntax::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The longest array that is taken apart, and the longest loop that is unrolled.
pub(super) const LONGEST: i64 = 32;
/// How many bindings a walk may pass.
const MOST_BINDINGS: usize = 4000;
/// How many variables it may write.
const MOST_WRITTEN: usize = 10_000;
/// How deep calls may nest.
const DEEPEST: usize = 100;

pub(super) struct Walk<'a> {
    pub program: &'a Program,
    pub vars: &'a mut Vec<VarInfo>,
    pub graph: Graph,
    pub scopes: Vec<Scope<'a>>,
    /// `0 ≤ index < bound`, as polynomials: what loops and conditions say.
    pub facts: Vec<(Size, Size)>,
    pub forms: FxHashMap<Var, Size>,
    /// How many variables there were.
    pub before: usize,
    pub passed: usize,
    depth: usize,
    /// The branches around: how many scopes there were before each.
    pub branches: Vec<usize>,
    /// How many accumulators have been met.
    pub accumulators: usize,
    /// Statements that add to accumulators with smaller numbers have been seen before.
    pub replayed: usize,
    /// Accumulators with smaller numbers were made outside of a branch: what is added to them in it is beyond a walk.
    pub outside: usize,
    pub span: Span,
    /// Arrays of all indices below a size.
    pub ranges: Vec<(Size, Atom)>,
    /// Unknowns for sums, where a system is wanted.
    pub shared: Option<Shared>,
    /// The loop over rows that is gone through.
    pub edges: Option<Edges>,
    /// Whether what the next body gives is a row of the result, which is gone through in a loop of its own.
    pub gives_row: bool,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, vars: &'a mut Vec<VarInfo>, span: Span) -> Walk<'a> {
        Walk {
            program,
            before: vars.len(),
            vars,
            graph: Graph::default(),
            scopes: vec![Scope::default()],
            facts: Vec::new(),
            forms: FxHashMap::default(),
            passed: 0,
            depth: 0,
            branches: Vec::new(),
            accumulators: 0,
            replayed: 0,
            outside: 0,
            span,
            ranges: Vec::new(),
            shared: None,
            edges: None,
            gives_row: false,
        }
    }

    // ---- functions and bodies ----

    /// The result of a function for some arguments.
    pub fn call(&mut self, function: &'a Function, arguments: Vec<Split<'a>>) -> Option<Split<'a>> {
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

    pub fn body(&mut self, body: &'a Body, frame: &Rc<Frame<'a>>) -> Option<Split<'a>> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let gives_row = std::mem::take(&mut self.gives_row);
            for (at, binding) in body.bindings.iter().enumerate() {
                let is_result = at + 1 == body.bindings.len() && body.result == Atom::Var(binding.var);
                self.gives_row = gives_row && is_result && matches!(binding.op, Op::Build(_) | Op::Call(..));
                self.step(binding, frame)?;
                self.gives_row = false;
            }
            frame.atom(body.result)
        })
    }

    /// Whether too much has been written.
    pub fn is_long(&self) -> bool {
        self.vars.len() - self.before > MOST_WRITTEN
    }

    /// Passes one binding.
    pub fn step(&mut self, binding: &'a Binding, frame: &Rc<Frame<'a>>) -> Option<()> {
        self.passed += 1;
        if self.passed > MOST_BINDINGS || self.is_long() {
            return None;
        }
        self.span = binding.span;
        let known = self.operation(binding, frame)?;
        frame.set(binding.var, known);
        Some(())
    }

    /// A body for one index.
    pub fn iteration(&mut self, iteration: &'a Iteration, at: Atom, frame: &Rc<Frame<'a>>) -> Option<Split<'a>> {
        let inner = Frame::inside(frame);
        inner.set(iteration.index, Split::Plain(at));
        self.body(&iteration.body, &inner)
    }

    fn operation(&mut self, binding: &'a Binding, frame: &Rc<Frame<'a>>) -> Option<Split<'a>> {
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
                return Some(Split::Accumulator(Rc::new(Accumulated { ty, serial, additions })));
            }
            Op::SizeOf(value, path) if path.is_empty() => {
                if let Some(count) = self.length(&of(value)?) {
                    return Some(Split::Plain(count));
                }
            }
            Op::Zero(value) if !of(value)?.is_plain() => {
                let ty = self.ty(&frame.function.var(*var).ty, frame)?;
                return self.zero(&ty);
            }
            // What is in a value that keeps its parts to itself depends on what it is: another branch may look for other parts.
            Op::Project(Atom::Var(whole), _)
                if frame.function.var(*whole).ty == Type::Kept
                    && !matches!(of(&Atom::Var(*whole))?, Split::Plain(atom) if self.type_of(atom) == Type::Kept) =>
            {
                return None;
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
            Op::Tuple(parts) => Split::Parts(parts.iter().map(of).collect::<Option<_>>()?),
            Op::Array(elements) => Split::Elements(elements.iter().map(of).collect::<Option<_>>()?),
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
            // What is found when it is asked for cannot add to anything on the way.
            Op::Build(_) | Op::Builds(_) | Op::If { .. }
                if frame.function.var(*var).ty != Type::unit() && adds(binding, frame) =>
            {
                return None;
            }
            Op::Build(iteration) => self.built(iteration, None, frame)?,
            Op::Builds(iteration) => {
                let parts = frame.function.var(*var).ty.components()?.len();
                Split::Parts((0..parts).map(|at| self.built(iteration, Some(at), frame)).collect::<Option<_>>()?)
            }
            Op::Reduce(Reduction::Sum, iteration)
                if frame.function.var(*var).ty == Type::Real && self.iterations(iteration.count, frame).is_none() =>
            {
                let count = self.value(&of(&iteration.count)?)?;
                self.shared(&[count], &mut |walk, at| walk.iteration(iteration, at[0], frame))?
            }
            Op::Reduce(Reduction::Sum, iteration) => {
                let mut total: Option<Split> = None;
                for at in 0..self.iterations(iteration.count, frame)? {
                    let term = self.iteration(iteration, Atom::Int(at), frame)?;
                    total = Some(self.with_term(total, term)?);
                }
                match total {
                    Some(total) => total,
                    None => {
                        let ty = self.ty(&frame.function.var(*var).ty, frame)?;
                        self.zero(&ty)?
                    }
                }
            }
            Op::Reduce(Reduction::Product, iteration) if frame.function.var(*var).ty == Type::Real => {
                let mut product = Split::Plain(Atom::Real(1.0));
                for at in 0..self.iterations(iteration.count, frame)? {
                    let factor = self.iteration(iteration, Atom::Int(at), frame)?;
                    product = self.scalar(&scalar::MUL, &[product, factor])?;
                }
                product
            }
            Op::Loop(recurrence) => self.states(recurrence, frame, |_, state| Some(state))?,
            Op::Scan(recurrence) => {
                let mut all = Vec::new();
                self.states(recurrence, frame, |_, state| {
                    all.push(state.clone());
                    Some(state)
                })?;
                Split::Elements(all)
            }
            Op::Trace(recurrence) => {
                let mut kept = vec![Vec::new(); frame.function.var(*var).ty.components()?.len() - 1];
                let last = self.states(recurrence, frame, |walk, given| {
                    for (at, kept) in kept.iter_mut().enumerate() {
                        kept.push(walk.project(&given, at + 1)?);
                    }
                    walk.project(&given, 0)
                })?;
                Split::Parts(std::iter::once(last).chain(kept.into_iter().map(Split::Elements)).collect())
            }
            Op::If { condition, yes, no } if frame.function.var(*var).ty == Type::unit() => {
                self.record(Enclosing::Branch { condition: *condition, body: yes, taken: true }, frame)?;
                self.record(Enclosing::Branch { condition: *condition, body: no, taken: false }, frame)?;
                Split::Parts(Vec::new())
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
                self.add_to(*var, &of(accumulator)?, place, *value, frame)?;
                Split::Parts(Vec::new())
            }
            Op::For(iteration) => {
                self.record(Enclosing::Loop(iteration), frame)?;
                Split::Parts(Vec::new())
            }
            Op::Read(accumulator) => match of(accumulator)? {
                Split::Accumulator(sum) => {
                    let ty = sum.ty.clone();
                    self.read(&sum, &ty, Vec::new())?
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// How often a loop runs, if that is known and little.
    pub fn iterations(&self, count: Atom, frame: &Frame) -> Option<i64> {
        match frame.atom(count)? {
            Split::Plain(count) => match self.form(count) {
                Size::Constant(count @ 0..=LONGEST) => Some(count),
                _ => None,
            },
            _ => None,
        }
    }

    /// The last state of a loop of a few iterations, where the next state is taken from what an iteration gives.
    fn states(
        &mut self,
        Recurrence { state, start, count, index, body }: &'a Recurrence,
        frame: &Rc<Frame<'a>>,
        mut next: impl FnMut(&mut Self, Split<'a>) -> Option<Split<'a>>,
    ) -> Option<Split<'a>> {
        let mut known = frame.atom(*start)?;
        for at in 0..self.iterations(*count, frame)? {
            let inner = Frame::inside(frame);
            inner.set(*index, Split::Plain(Atom::Int(at)));
            inner.set(*state, known);
            let given = self.body(body, &inner)?;
            known = next(self, given)?;
        }
        Some(known)
    }

    fn built(
        &mut self,
        iteration: &'a Iteration,
        component: Option<usize>,
        frame: &Rc<Frame<'a>>,
    ) -> Option<Split<'a>> {
        let count = self.value(&frame.atom(iteration.count)?)?;
        let element = Element::Iteration { iteration, component, frame: frame.clone() };
        let built = Split::Built(Rc::new(Built { count, element }));
        let is_row = std::mem::take(&mut self.gives_row);
        // In a loop a short array is a few numbers. They are read where the program reads them, not first in a branch.
        let is_few = self.iterations(iteration.count, frame).is_some_and(|iterations| !is_row || iterations <= FEW);
        match self.scopes.len() > 1 && is_few {
            true => self.elements(&built).map(Split::Elements),
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
    fn plain(&mut self, binding: &'a Binding, frame: &Rc<Frame<'a>>) -> Option<Split<'a>> {
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
            return Some(Split::Plain(atom));
        }
        Some(Split::Plain(self.bind(op, ty)))
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
    pub fn value(&mut self, known: &Split<'a>) -> Option<Atom> {
        Some(match known {
            Split::Plain(atom) | Split::Number(atom, _) | Split::Input(atom, _) => *atom,
            Split::Parts(parts) => {
                let parts = parts.iter().map(|part| self.value(part)).collect::<Option<Vec<_>>>()?;
                let ty = Type::Tuple(parts.iter().map(|part| self.type_of(*part)).collect());
                self.bind(Op::Tuple(parts), ty)
            }
            Split::Elements(elements) => {
                let elements = elements.iter().map(|element| self.value(element)).collect::<Option<Vec<_>>>()?;
                let ty = Type::array(Size::Constant(elements.len() as i64), self.type_of(*elements.first()?));
                self.bind(Op::Array(elements), ty)
            }
            Split::Built(_) | Split::Joined(_) | Split::Accumulator(_) => return None,
        })
    }
}

/// Whether a binding adds to something that was made before it.
pub(super) fn adds(binding: &Binding, frame: &Frame) -> bool {
    let free = Free::of(std::slice::from_ref(binding), &[], &frame.function.vars).found;
    free.iter().any(|var| matches!(frame.atom(Atom::Var(*var)), Some(Split::Accumulator(_))))
}
