//! Core programs as combinators, by abstracting the environment.   [004 §5; C. Elliott, Compiling to Categories, 2017]
//!
//! ```text
//!   let x = e in body   ⟼   body ∘ ⟨id, e⟩  :  Γ → T     where  e : Γ → X,  body : (Γ, X) → T
//! ```
//!
//! If the bindings of a long body were abstracted one by one, the last would be `n` pairs deep. A body is therefore
//! halved recursively: the first half gives a tree of values of the environment, the second a tree of values of both.
//!
//! ```text
//! [first; second] = ⟨π₁, second⟩ ∘ ⟨id, first⟩  :  Γ → (First, Second)
//! ```
//!
//! Every variable is then `log n` pairs deep, a projection is one combinator, and there is one for each use of a
//! variable: **the size of the combinator is linear in the size of the program**, and no shared value is computed
//! twice. A value that is used once, where it is bound, is written at its use, as in [004 §5].
//!
//! A body that runs many times receives only the variables that it mentions, and so does a segment of [`BLOCK`]
//! bindings of a long body, so that no derivative carries the environment of the whole body.

mod environment;
mod operation;
mod uses;

use crate::closure::with_room;
use crate::combinator::{Combinator, Combinators, Constant, Definition};
use crate::purify::purify;
use environment::Environment;
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, GlobalId, Origin, Program, Var};
use riesz_syntax::Diagnostic;
use std::collections::{HashMap, HashSet, VecDeque};
use uses::Uses;

/// How many bindings of a long body are given only the variables that they mention.
const BLOCK: usize = 64;
/// How deep what is used once is written into what uses it.
const DEEPEST: usize = 12;

/// The combinators of a function, and of those that it calls.
///
/// # Errors
/// Where the function has something in it that has no combinator: derivatives that have not been compiled, and `taylor`.
pub fn compile(program: &Program, function: FunctionId) -> Result<Combinators, Box<Diagnostic>> {
    compile_with(program, function, &[])
}

/// The combinators of a function, of those that it calls, and of others that it may be given to call.
///
/// # Errors
/// Likewise.
pub fn compile_with(
    program: &Program,
    function: FunctionId,
    others: &[FunctionId],
) -> Result<Combinators, Box<Diagnostic>> {
    let roots: Vec<FunctionId> = [function].iter().chain(others).copied().collect();
    let pure = purify(program, &roots);
    let program = pure.as_ref().unwrap_or(program);
    let mut compiler =
        Compiler { program, numbers: HashMap::new(), work: VecDeque::new(), done: Combinators::default() };
    roots.into_iter().for_each(|root| {
        compiler.number(root);
    });
    while let Some(next) = compiler.work.pop_front() {
        let definition = compiler.definition(next)?;
        compiler.done.definitions.push(definition);
    }
    Ok(compiler.done)
}

struct Compiler<'p> {
    program: &'p Program,
    numbers: HashMap<FunctionId, usize>,
    work: VecDeque<FunctionId>,
    done: Combinators,
}

impl<'p> Compiler<'p> {
    /// The number of the definition that a function becomes.
    fn number(&mut self, function: FunctionId) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(function).or_insert_with(|| {
            self.work.push_back(function);
            next
        })
    }

    fn global(&mut self, id: GlobalId) -> usize {
        if let Some(known) = self.done.globals.iter().position(|(_, known)| *known == id) {
            return known;
        }
        let global = self.program.global(id);
        // Functions that the value holds may be called.
        if let (true, Origin::Computed(function)) =
            (global.ty.any(&mut |part| matches!(part, Type::Function(_))), global.origin)
        {
            for function in self.program.reachable(&[function]).functions {
                self.number(function);
            }
        }
        self.done.globals.push((global.name.clone(), id));
        self.done.globals.len() - 1
    }

    fn definition(&mut self, id: FunctionId) -> Result<Definition, Box<Diagnostic>> {
        let function = self.program.function(id);
        let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
        let mut bodies =
            Bodies { compiler: self, function, inlined: HashMap::new(), positions: HashMap::new(), bodies: 0 };
        let body = bodies.body(&function.body, &Environment::of(&parameters))?;
        Ok(Definition { name: function.name.clone(), function: id, body })
    }
}

/// The bodies of one function.
struct Bodies<'c, 'p> {
    compiler: &'c mut Compiler<'p>,
    function: &'p Function,
    /// The bindings that are written at the place of their use.
    inlined: HashMap<Var, &'p Binding>,
    /// The others: which of its body it is, and of which body.
    positions: HashMap<Var, (usize, usize)>,
    bodies: usize,
}

impl<'p> Bodies<'_, 'p> {
    /// `Γ → T`
    fn body(&mut self, body: &'p Body, environment: &Environment) -> Result<Combinator, Box<Diagnostic>> {
        with_room(|| {
            let kept = self.kept(body);
            let (Some(last), number) = (kept.last(), self.bodies - 1) else {
                return self.atom(body.result, environment);
            };
            if kept.len() == 1 && body.result == Atom::Var(last.var) {
                return self.operation(last, environment);
            }
            let bindings = self.range(&kept, (0, kept.len()), environment, kept.len() <= BLOCK)?;
            let mentioned = self.mentioned_by_atom(body.result);
            let inner = environment.with_range(number, (0, kept.len()), self.outside(&mentioned, number, 0));
            let result = self.atom(body.result, &inner)?;
            Ok(Combinator::then([extended(bindings, &inner), result]))
        })
    }

    /// The bindings of a body that are not written into others and not dead, numbered.
    fn kept(&mut self, body: &'p Body) -> Vec<&'p Binding> {
        let uses = Uses::of(self.function, body);
        let mut depths: HashMap<Var, usize> = HashMap::new();
        let mut kept = Vec::new();
        for binding in body.bindings.iter().filter(|binding| uses.needed(binding)) {
            let mut depth = 1;
            uses::direct(self.function, binding, &mut |var| {
                depth = depth.max(1 + depths.get(&var).copied().unwrap_or(0));
            });
            if uses::alias(&binding.op).is_some() {
                depths.insert(binding.var, depth - 1);
                self.inlined.insert(binding.var, binding);
            } else if uses.once(binding.var) && depth < DEEPEST {
                depths.insert(binding.var, depth);
                self.inlined.insert(binding.var, binding);
            } else {
                self.positions.insert(binding.var, (self.bodies, kept.len()));
                kept.push(binding);
            }
        }
        self.bodies += 1;
        kept
    }

    /// `Γ → (…)`, the values of bindings as a balanced tree of pairs.
    fn range(
        &mut self,
        kept: &[&'p Binding],
        (from, to): (usize, usize),
        environment: &Environment,
        inside: bool,
    ) -> Result<Combinator, Box<Diagnostic>> {
        if to - from == 1 {
            return self.operation(kept[from], environment);
        }
        let number = self.positions[&kept[from].var].0;
        if !inside && to - from <= BLOCK {
            let mut mentioned = Mentioned::default();
            kept[from..to].iter().for_each(|binding| self.mention(binding, &mut mentioned));
            mentioned.order.retain(|var| !self.is_in(*var, number, (from, to)));
            let own = Environment::of(&mentioned.order);
            let bindings = self.range(kept, (from, to), &own, true)?;
            return Ok(Combinator::then([self.tuple(&mentioned.order, environment)?, bindings]));
        }
        let middle = from + (to - from) / 2;
        let first = self.range(kept, (from, middle), environment, inside)?;
        let mut mentioned = Mentioned::default();
        kept[middle..to].iter().for_each(|binding| self.mention(binding, &mut mentioned));
        mentioned.order.retain(|var| !self.is_in(*var, number, (middle, to)));
        let outside = mentioned.order.iter().any(|var| !self.is_in(*var, number, (from, middle)));
        let inner = environment.with_range(number, (from, middle), outside);
        let second = self.range(kept, (middle, to), &inner, inside)?;
        let pair = Combinator::Fork(vec![inner.range_itself(), second]);
        Ok(Combinator::then([extended(first, &inner), pair]))
    }

    /// The variables that a binding and what is written into it mention.
    fn mention(&self, binding: &'p Binding, mentioned: &mut Mentioned) {
        let mut work = vec![binding];
        while let Some(next) = work.pop() {
            uses::all(self.function, next, &mut |var| match self.inlined.get(&var) {
                Some(inner) => work.push(inner),
                None => mentioned.add(var),
            });
        }
    }

    fn mentioned_by_atom(&self, atom: Atom) -> Mentioned {
        let mut mentioned = Mentioned::default();
        if let Atom::Var(var) = atom {
            match self.inlined.get(&var) {
                Some(binding) => self.mention(binding, &mut mentioned),
                None => mentioned.add(var),
            }
        }
        mentioned
    }

    /// Whether variables of something other than the bindings of a body, from one on, are mentioned.
    fn outside(&self, mentioned: &Mentioned, number: usize, from: usize) -> bool {
        mentioned.order.iter().any(|var| !self.is_in(*var, number, (from, usize::MAX)))
    }

    fn is_in(&self, var: Var, number: usize, (from, to): (usize, usize)) -> bool {
        self.positions.get(&var).is_some_and(|(body, at)| *body == number && (from..to).contains(at))
    }

    /// The variables that bodies mention and that are not bound in them.
    fn free(&self, bodies: &[&'p Body], bound: &[Var]) -> Vec<Var> {
        let mut mentioned = Mentioned::default();
        for body in bodies {
            uses::free(self.function, body, &mut |var| match self.inlined.get(&var) {
                Some(binding) => self.mention(binding, &mut mentioned),
                None => mentioned.add(var),
            });
        }
        mentioned.order.retain(|var| !bound.contains(var));
        mentioned.order
    }

    /// Variables, one as it is and several as a tuple.
    fn tuple(&mut self, vars: &[Var], environment: &Environment) -> Result<Combinator, Box<Diagnostic>> {
        if environment.is(vars) {
            return Ok(Combinator::Identity);
        }
        let parts: Result<Vec<Combinator>, _> =
            vars.iter().map(|var| self.atom(Atom::Var(*var), environment)).collect();
        Ok(Combinator::together(parts?))
    }

    fn atom(&mut self, atom: Atom, environment: &Environment) -> Result<Combinator, Box<Diagnostic>> {
        Ok(match atom {
            Atom::Real(value) => Combinator::Constant(Constant::Real(value)),
            Atom::Int(value) => Combinator::Constant(Constant::Int(value)),
            Atom::Bool(value) => Combinator::Constant(Constant::Bool(value)),
            Atom::Var(var) => match self.inlined.get(&var).copied() {
                Some(binding) => self.operation(binding, environment)?,
                None => match environment.path(var, &self.positions) {
                    Some(path) if path.is_empty() => Combinator::Identity,
                    Some(path) => Combinator::Project(path),
                    None => {
                        let message = "a variable is used outside its scope";
                        return Err(Box::new(Diagnostic::error("no-combinator", self.function.span, message)));
                    }
                },
            },
        })
    }

    /// The operands of an operation: one as it is, several as their tuple, which may be all that there is.
    fn operands(&mut self, atoms: &[Atom], environment: &Environment) -> Result<Combinator, Box<Diagnostic>> {
        let vars: Vec<Var> =
            atoms.iter().filter_map(|atom| if let Atom::Var(var) = atom { Some(*var) } else { None }).collect();
        if vars.len() == atoms.len() && environment.is(&vars) {
            return Ok(Combinator::Identity);
        }
        Ok(Combinator::together(self.atoms(atoms, environment)?))
    }

    fn unknown(&self, binding: &Binding, what: &str, help: &str) -> Box<Diagnostic> {
        let message = format!("{what} cannot be written as a combinator");
        Box::new(Diagnostic::error("no-combinator", binding.span, message).help(help))
    }
}

/// `⟨id, f⟩`, or `f` where nothing else is needed afterwards
fn extended(f: Combinator, inner: &Environment) -> Combinator {
    if inner.has_outside() { Combinator::Fork(vec![Combinator::Identity, f]) } else { f }
}

/// Variables in the order in which they are mentioned, each once.
#[derive(Default)]
struct Mentioned {
    order: Vec<Var>,
    seen: HashSet<Var>,
}

impl Mentioned {
    fn add(&mut self, var: Var) {
        if self.seen.insert(var) {
            self.order.push(var);
        }
    }
}
