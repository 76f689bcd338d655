//! Interpretation of combinators in a category.   [004 §5; 003 §5.1]
//!
//! Composition becomes composition, a fork becomes `△`, a projection becomes `ex`; [`Programs`] is the interface for
//! the other parts of a program. One walk interprets the combinator, and each definition once.

use crate::category::Cartesian;
use crate::combinator::{Combinator, Combinators, Constant, Operation};
use riesz_core::order::Orders;
use riesz_core::term::{OnMaps, Reduction};
use riesz_core::{FunctionId, Type};
use riesz_syntax::Span;
use std::cell::OnceCell;
use std::rc::{Rc, Weak};

/// A category in which core programs can be read.
pub trait Programs: Cartesian {
    /// The data of a run beside the argument: limits, the values of globals.
    type Context;

    /// `a → Π bᵢ` of `a → bᵢ`
    fn tuple(parts: Vec<Self::Morphism>) -> Self::Morphism;

    /// The morphisms one after the other.
    fn sequence(path: Vec<Self::Morphism>) -> Self::Morphism;

    /// A part of a part of a tuple, and so on.
    fn path(indices: &[usize]) -> Self::Morphism;

    /// `K c`
    fn constant(constant: Constant) -> Self::Morphism;

    /// An operation of the core.
    fn operation(context: &Self::Context, operation: &Operation) -> Self::Morphism;

    /// `(Bool, Γ) → T`
    fn conditional(yes: Self::Morphism, no: Self::Morphism) -> Self::Morphism;

    /// The morphism that repeats a body.
    fn repeat(context: &Self::Context, form: Form, parts: Vec<Self::Morphism>, span: Span) -> Self::Morphism;

    /// A definition, which may be one of those that are being read.
    fn call(context: &Self::Context, definition: Later<Self::Morphism>, span: Span) -> Self::Morphism;

    /// From a tuple of captured values to the function.
    fn closure(function: FunctionId) -> Self::Morphism;

    /// From a function and an argument to what it gives.
    fn apply(context: &Self::Context, definitions: Table<Self::Morphism>, span: Span) -> Self::Morphism;

    /// From a tuple of captured values to the linear map that two functions of them are, it and its adjoint.
    fn map(forward: FunctionId, reverse: FunctionId) -> Self::Morphism;

    /// From the tuple of its operands to what an operation on linear maps gives, whose rows and columns are counted in some
    /// orders.
    fn on_maps(
        context: &Self::Context,
        definitions: Table<Self::Morphism>,
        operation: OnMaps,
        orders: &Orders,
        span: Span,
    ) -> Self::Morphism;

    /// From a function, a point, a direction and an order to the derivatives along that line, of a type each.
    fn taylor(context: &Self::Context, element: Type, span: Span) -> Self::Morphism;

    /// A value of the program.
    fn global(context: &Self::Context, number: usize) -> Self::Morphism;
}

/// The forms that run their parts many times; the last part is the body, the one before it the condition.
#[derive(Clone, Debug)]
pub enum Form {
    /// See [`Combinator::Build`].
    Build(Type),
    /// See [`Combinator::Builds`].
    Builds(Vec<Type>),
    /// See [`Combinator::Reduce`].
    Reduce(Reduction, Type),
    /// See [`Combinator::Loop`].
    Loop,
    /// See [`Combinator::Scan`].
    Scan(Type),
    /// See [`Combinator::While`].
    While,
    /// See [`Combinator::Trace`].
    Trace(Vec<Type>),
    /// See [`Combinator::TraceWhile`].
    TraceWhile(Vec<Type>),
}

/// Definitions that have been read.
type Read<M> = OnceCell<Vec<(FunctionId, M)>>;

/// A definition that will have been read when it is called.
pub struct Later<M> {
    table: Table<M>,
    number: usize,
}

/// All definitions, likewise.
pub struct Table<M>(Weak<Read<M>>);

impl<M> Clone for Table<M> {
    fn clone(&self) -> Table<M> {
        Table(self.0.clone())
    }
}

impl<M: Clone> Later<M> {
    /// The definition.
    pub fn get(&self) -> Option<M> {
        Some(self.table.0.upgrade()?.get()?.get(self.number)?.1.clone())
    }

    /// Its number.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl<M: Clone> Table<M> {
    /// The definition of a function.
    pub fn find(&self, function: FunctionId) -> Option<M> {
        let table = self.0.upgrade()?;
        Some(table.get()?.iter().find(|(known, _)| *known == function)?.1.clone())
    }
}

/// A program in a category: what its first definition is there.
pub struct Interpreted<M> {
    definitions: Rc<Read<M>>,
}

impl<M: Clone> Interpreted<M> {
    /// The morphism of the first definition; none of a program without definitions.
    pub fn main(&self) -> Option<M> {
        Some(self.definitions.get()?.first()?.1.clone())
    }

    /// All definitions.
    pub fn table(&self) -> Table<M> {
        Table(Rc::downgrade(&self.definitions))
    }
}

/// Reads combinators in a category.
pub fn interpret<C: Programs>(combinators: &Combinators, context: &C::Context) -> Interpreted<C::Morphism> {
    let definitions = Rc::new(OnceCell::new());
    let table = Table(Rc::downgrade(&definitions));
    let read = combinators.definitions.iter().map(|definition| {
        let reader = Reader::<C> { context, combinators, table: table.clone() };
        (definition.function, reader.read(&definition.body))
    });
    // Set once, here, before its first use.
    let _ = definitions.set(read.collect());
    Interpreted { definitions }
}

struct Reader<'c, C: Programs> {
    context: &'c C::Context,
    combinators: &'c Combinators,
    table: Table<C::Morphism>,
}

impl<C: Programs> Reader<'_, C> {
    fn read(&self, combinator: &Combinator) -> C::Morphism {
        crate::closure::with_room(|| self.read_form(combinator))
    }

    fn function(&self, number: usize) -> FunctionId {
        self.combinators.definitions.get(number).map_or(FunctionId(0), |it| it.function)
    }

    fn all(&self, parts: &[Combinator]) -> Vec<C::Morphism> {
        parts.iter().map(|part| self.read(part)).collect()
    }

    fn repeat(
        &self,
        form: Form,
        condition: Option<&Combinator>,
        repeated: &crate::combinator::Repeated,
    ) -> C::Morphism {
        let parts = condition.into_iter().chain([&repeated.body]).map(|part| self.read(part)).collect();
        C::repeat(self.context, form, parts, repeated.span)
    }

    fn read_form(&self, combinator: &Combinator) -> C::Morphism {
        match combinator {
            Combinator::Identity => C::sequence(Vec::new()),
            Combinator::Compose(path) => C::sequence(self.all(path)),
            Combinator::Fork(parts) => C::tuple(self.all(parts)),
            Combinator::Project(indices) => C::path(indices),
            Combinator::Constant(constant) => C::constant(*constant),
            Combinator::Operation(operation) => C::operation(self.context, operation),
            Combinator::If(branches) => C::conditional(self.read(&branches[0]), self.read(&branches[1])),
            Combinator::Build(ty, repeated) => self.repeat(Form::Build(ty.clone()), None, repeated),
            Combinator::Builds(types, repeated) => self.repeat(Form::Builds(types.clone()), None, repeated),
            Combinator::Reduce(reduction, ty, repeated) => {
                self.repeat(Form::Reduce(*reduction, ty.clone()), None, repeated)
            }
            Combinator::Loop(repeated) => self.repeat(Form::Loop, None, repeated),
            Combinator::Scan(ty, repeated) => self.repeat(Form::Scan(ty.clone()), None, repeated),
            Combinator::While(condition, repeated) => self.repeat(Form::While, Some(condition), repeated),
            Combinator::Trace(types, repeated) => self.repeat(Form::Trace(types.clone()), None, repeated),
            Combinator::TraceWhile(types, condition, repeated) => {
                self.repeat(Form::TraceWhile(types.clone()), Some(condition), repeated)
            }
            Combinator::Call(number, span) => {
                C::call(self.context, Later { table: self.table.clone(), number: *number }, *span)
            }
            Combinator::Closure(number) => C::closure(self.function(*number)),
            Combinator::Map(forward, reverse) => C::map(self.function(*forward), self.function(*reverse)),
            Combinator::Taylor(element, span) => C::taylor(self.context, element.clone(), *span),
            Combinator::OnMaps(operation, orders, span) => {
                C::on_maps(self.context, self.table.clone(), *operation, orders, *span)
            }
            Combinator::Apply(span) => C::apply(self.context, self.table.clone(), *span),
            Combinator::Global(number) => C::global(self.context, *number),
        }
    }
}
