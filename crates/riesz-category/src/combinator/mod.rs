//! Combinators: programs without variables.   [003 §3, 004 §5]
//!
//! ```text
//!   f ::= id | f₂ ∘ f₁ | ⟨f₁, …, fₙ⟩ | πᵢ | K c | operation
//!       | if(f, f) | build(f) | sum(f) | loop(f) | scan(f) | while(f, f) | call
//! ```
//!
//! Every part is a closed function. The variables of a program are in tuples: its environment, which each combinator
//! passes to the next. Conditionals, loops and reductions are combinators of their own, which each category interprets
//! in its own way: [`interpret`](crate::interpret::interpret).
//!
//! | combinator | from | to | its parts |
//! |---|---|---|---|
//! | `if(y, n)` | `(Bool, Γ)` | `T` | both `Γ → T` |
//! | `build(f)` | `(Int, Γ)` | `[n]T` | `(Γ, Int) → T` |
//! | `sum(f)` and its like | `(Int, Γ, sizes)` | `T` | `(Γ, Int) → T` |
//! | `loop(f)`, `scan(f)` | `(S, Int, Γ)` | `S`, `[n]S` | `(S, Int, Γ) → S` |
//! | `while(c, f)` | `(S, Γ)` | `S` | `(S, Γ) → Bool`, `(S, Γ) → S` |
//! | `builds(f)` | `(Int, Γ)` | `([n]A, …)` | `(Γ, Int) → (A, …)` |
//! | `trace(f)` | `(S, Int, Γ)` | `(S, [n]A, …)` | `(S, Int, Γ) → (S, A, …)` |
//! | `trace_while(c, f)` | `(S, Γ)` | `(S, Int, [n]A, …)` | `(S, Γ) → Bool`, `(S, Γ) → (S, A, …)` |

mod operation;
mod parse;
mod print;

pub use operation::Operation;
pub(crate) use operation::{kind, shape};
pub use parse::ParseError;
pub use print::bare_name;

use riesz_core::order::Orders;
use riesz_core::term::{OnMaps, Reduction};
use riesz_core::{FunctionId, GlobalId, Type};
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

/// A function without variables.
#[derive(Clone, Debug)]
pub enum Combinator {
    /// `id`
    Identity,
    /// `fₙ ∘ … ∘ f₁`, in the order in which they are applied
    Compose(Vec<Combinator>),
    /// `⟨f₁, …, fₙ⟩`
    Fork(Vec<Combinator>),
    /// Projections one after the other: `π` of the first index is applied first.
    Project(Vec<usize>),
    /// `K c`
    Constant(Constant),
    /// An operation of the core on its operands: on one as it is, on several as their tuple.
    Operation(Box<Operation>),
    /// One of two.
    If(Box<[Combinator; 2]>),
    /// The array of what the body gives for each index; the type is that of an element.
    Build(Type, Box<Repeated>),
    /// The arrays of the components of what the body gives for each index.
    Builds(Vec<Type>, Box<Repeated>),
    /// Elements brought together; the type is that of the result, over the sizes that are given.
    Reduce(Reduction, Type, Box<Repeated>),
    /// A state, a number of times.
    Loop(Box<Repeated>),
    /// Likewise, and all the states.
    Scan(Type, Box<Repeated>),
    /// A state, as long as a condition holds.
    While(Box<Combinator>, Box<Repeated>),
    /// A loop that records values of every iteration.
    Trace(Vec<Type>, Box<Repeated>),
    /// Likewise as long as a condition holds.
    TraceWhile(Vec<Type>, Box<Combinator>, Box<Repeated>),
    /// A definition, by its number.
    Call(usize, Span),
    /// The function that a definition is once its first arguments are known: a tuple.
    Closure(usize),
    /// A function value or a linear map at an argument.
    Apply(Span),
    /// The linear map that two definitions are once their first arguments are known: it and its adjoint.
    Map(usize, usize),
    /// An operation on linear maps, on the tuple of its operands, and how rows and columns are counted.
    OnMaps(OnMaps, Orders, Span),
    /// The derivatives of a function along a line, on the tuple of it, the point, the direction and the order; the type is
    /// that of an element.
    Taylor(Type, Span),
    /// A value of the program, by its number.
    Global(usize),
}

/// A body that is run many times, and the place of what it came from.
#[derive(Clone, Debug)]
pub struct Repeated {
    /// The body.
    pub body: Combinator,
    /// The place in the source.
    pub span: Span,
}

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// An `R`.
    Real(f64),
    /// An `Int`.
    Int(i64),
    /// A `Bool`.
    Bool(bool),
}

/// A program of combinators: a function, those it calls, and the names of the values it uses.
#[derive(Clone, Debug, Default)]
pub struct Combinators {
    /// The functions; the first is the one that is meant.
    pub definitions: Vec<Definition>,
    /// The values.
    pub globals: Vec<(Name, GlobalId)>,
}

/// A function as a combinator.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// Which function of the core it is.
    pub function: FunctionId,
    /// From its parameters to its result: from one as it is, from several as their tuple.
    pub body: Combinator,
}

impl Combinator {
    /// `fₙ ∘ … ∘ f₁`, in the order of application, without identities and with projections joined.
    pub fn then(parts: impl IntoIterator<Item = Combinator>) -> Combinator {
        let mut path: Vec<Combinator> = Vec::new();
        for part in parts {
            match part {
                Combinator::Identity => {}
                Combinator::Compose(inner) => inner.into_iter().for_each(|part| append(&mut path, part)),
                part => append(&mut path, part),
            }
        }
        match path.len() {
            0 => Combinator::Identity,
            1 => path.remove(0),
            _ => Combinator::Compose(path),
        }
    }

    /// One as it is, several as their tuple.
    pub fn together(mut parts: Vec<Combinator>) -> Combinator {
        if parts.len() == 1 { parts.remove(0) } else { Combinator::Fork(parts) }
    }

    /// How many combinators it is made of.
    pub fn size(&self) -> usize {
        let mut total = 0;
        let mut work = vec![self];
        while let Some(next) = work.pop() {
            total += 1;
            next.each_part(&mut |part| work.push(part));
        }
        total
    }

    /// Calls a function on each part.
    pub fn each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Combinator)) {
        match self {
            Combinator::Compose(parts) | Combinator::Fork(parts) => parts.iter().for_each(visit),
            Combinator::If(branches) => branches.iter().for_each(visit),
            Combinator::Build(_, repeated)
            | Combinator::Builds(_, repeated)
            | Combinator::Reduce(_, _, repeated)
            | Combinator::Loop(repeated)
            | Combinator::Scan(_, repeated)
            | Combinator::Trace(_, repeated) => visit(&repeated.body),
            Combinator::While(condition, repeated) | Combinator::TraceWhile(_, condition, repeated) => {
                visit(condition);
                visit(&repeated.body);
            }
            Combinator::Identity
            | Combinator::Project(_)
            | Combinator::Constant(_)
            | Combinator::Operation(_)
            | Combinator::Call(..)
            | Combinator::Closure(_)
            | Combinator::Apply(_)
            | Combinator::Map(..)
            | Combinator::OnMaps(..)
            | Combinator::Taylor(..)
            | Combinator::Global(_) => {}
        }
    }
}

impl Combinators {
    /// Whether series are asked for, so that the program itself is needed.
    pub(crate) fn has_series(&self) -> bool {
        let mut work: Vec<&Combinator> = self.definitions.iter().map(|definition| &definition.body).collect();
        while let Some(next) = work.pop() {
            if matches!(next, Combinator::Taylor(..)) {
                return true;
            }
            next.each_part(&mut |part| work.push(part));
        }
        false
    }

    /// How many combinators there are in all.
    pub fn size(&self) -> usize {
        self.definitions.iter().map(|definition| definition.body.size()).sum()
    }
}

fn append(path: &mut Vec<Combinator>, part: Combinator) {
    match (path.last_mut(), part) {
        (Some(Combinator::Project(steps)), Combinator::Project(more)) => steps.extend(more),
        (_, part) => path.push(part),
    }
}
