//! The typed core: a small, strict, first-order-in-shape language in A-normal form.
//!
//! A [`Body`] is a list of bindings and a result; every operand is an [`Atom`]. The bodies of `build`, `sum`, loops and
//! conditionals are nested in their operation and see the variables around them; closures and functions see only their
//! parameters and captured values. Sizes are ordinary `Int` variables, to which types refer. Every binding carries its
//! place in the source. The core does not depend on the syntax tree: any front end that can build these values can
//! produce a program.

use crate::types::Type;
use riesz_primitive::Primitive;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

/// A variable, by its position in [`Function::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A function, by its position in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A top-level value, by its position in [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// A program: functions, and values computed by functions without parameters.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The functions.
    pub functions: Vec<Function>,
    /// The values, each after those it depends on.
    pub globals: Vec<Global>,
}

impl Program {
    /// The function behind an identity.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The global behind an identity.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }
}

/// A top-level value.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// The origin of the function.
    pub origin: Origin,
}

/// Where a top-level value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A function without parameters computes it.
    Computed(FunctionId),
    /// It is handed to the evaluator from outside.
    Given,
}

/// A function of the core.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, for people.
    pub name: Name,
    /// Every variable it binds, parameters first.
    pub vars: Vec<VarInfo>,
    /// How many of the variables are parameters: first the sizes that the types of the others mention.
    pub parameters: usize,
    /// Its bindings and its result.
    pub body: Body,
    /// The type of the result, over the parameters.
    pub result: Type,
    /// The place of the definition.
    pub span: Span,
}

impl Function {
    /// The name and the type of a variable.
    pub fn var(&self, var: Var) -> &VarInfo {
        &self.vars[var.0 as usize]
    }
}

/// The name and the type of a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// The user's name for it, where there is one.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Type,
}

/// Bindings in order, then a result.
#[derive(Clone, Debug)]
pub struct Body {
    /// The bindings.
    pub bindings: Vec<Binding>,
    /// The result.
    pub result: Atom,
}

/// `var = op`
#[derive(Clone, Debug)]
pub struct Binding {
    /// The variable.
    pub var: Var,
    /// The operation.
    pub op: Op,
    /// The place in the source it came from.
    pub span: Span,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// An integer.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A truth value.
    Bool(bool),
}

/// An operation on atoms.
#[derive(Clone, Debug)]
pub enum Op {
    /// The atom itself; also where a value is seen at a type with other names for the same sizes.
    Copy(Atom),
    /// A scalar primitive, on reals or on integers as the type of the result says.
    Scalar(&'static Primitive, Vec<Atom>),
    /// A comparison of two numbers of one type.
    Compare(Comparison, Atom, Atom),
    /// Whether two values of one type are the same in every component.
    Same(Atom, Atom),
    /// Whether two values of one type are within a tolerance of each other in every component.
    Near(Atom, Atom, Atom),
    /// `not`
    Not(Atom),
    /// The real number that an integer is.
    ToReal(Atom),
    /// The integer part of a real number.
    Truncate(Atom),
    /// Whether a real number is NaN.
    IsNan(Atom),
    /// A tuple, or a record with its fields sorted by name.
    Tuple(Vec<Atom>),
    /// A component of a tuple or record.
    Project(Atom, usize),
    /// An array from its elements. Where its type says that there are some and none are written, they are never read: it
    /// stands in the place of what the other branch of a conditional keeps for its derivative, and is filled with zeros.
    Array(Vec<Atom>),
    /// An element of an array.
    Index(Atom, Atom),
    /// The array whose element `index` is the body's result.
    Build(Iteration),
    /// A reduction of the array whose element `index` is the body's result, which need not exist as a whole.
    Reduce(Reduction, Iteration),
    /// A first-order function of arrays.
    ArrayFunction(&'static Primitive, Vec<Atom>),
    /// One of two bodies.
    If {
        /// Decides.
        condition: Atom,
        /// Where the condition holds.
        yes: Body,
        /// Where it does not.
        no: Body,
    },
    /// Rebinds a state a number of times; the result is the last state.
    Loop(Recurrence),
    /// Likewise, and the result is the array of the states after each iteration.
    Scan(Recurrence),
    /// Rebinds a state while a condition on it holds.
    While {
        /// The state.
        state: Var,
        /// Its first value.
        start: Atom,
        /// Whether to go on.
        condition: Body,
        /// The next state.
        body: Body,
    },
    /// Calls a function.
    Call(FunctionId, Vec<Atom>),
    /// Calls a function whose derivative is stated by a rule.
    Ruled(Ruled, Vec<Atom>),
    /// The same value, which is a constant for the derivative that is being taken. The code of that derivative has the value
    /// itself, so that derivatives of the derivative see it vary.
    Hold(Atom),
    /// The first value, with the derivative of the second, which is a tangent of it.
    Graft(Atom, Atom),
    /// The function that calls `function` with `captured` and then its own argument.
    Closure(FunctionId, Vec<Atom>),
    /// Calls a function value with an argument.
    Apply(Atom, Atom),
    /// A top-level value.
    Global(GlobalId),
    /// Several arrays at once: the tuple of the arrays whose elements are the components of the body's result.
    Builds(Iteration),
    /// A loop that keeps things: the body gives the next state and what to keep of this iteration; the result is the last
    /// state and, for each thing kept, the array over the iterations.
    Trace(Recurrence),
    /// Likewise while a condition holds; the result is the last state, the number of iterations, and the arrays.
    TraceWhile {
        /// The state.
        state: Var,
        /// Its first value.
        start: Atom,
        /// Whether to go on.
        condition: Body,
        /// The next state, and what to keep.
        body: Body,
    },
    /// The body for each index, for what it adds to accumulators.
    For(Iteration),
    /// The sum of two vectors of a space.
    Plus(Atom, Atom),
    /// The zero of the tangent space at a value.
    Zero(Atom),
    /// An accumulator: a zero that is added to, and then read.
    Accumulator,
    /// Adds a value to the part of an accumulator that a path leads to.
    AddTo(Atom, Vec<Place>, Atom),
    /// The final value of an accumulator.
    Read(Atom),
    /// Differentiates: a construct of the calculus, which compiles it away.
    Derive(Derive, Vec<Atom>),
    /// A linear map and its adjoint: two functions over the same captured values.
    Map {
        /// Applies the map to its last argument.
        forward: FunctionId,
        /// Applies its adjoint to its last argument.
        reverse: FunctionId,
        /// The first arguments of both; the last of them is the point that the map is the derivative at.
        captured: Vec<Atom>,
    },
    /// An operation on linear maps.
    OnMaps(OnMaps, Vec<Atom>),
    /// Reads a size off a value: follow the path to an array, then its length.
    SizeOf(Atom, Vec<Step>),
    /// Stops with an error unless two sizes are equal.
    CheckSizes(Atom, Atom),
}

/// A function whose derivative is stated: `y = value(x)`, and `dy` is the derivative of `tangent(x, y)` by `x` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ruled {
    /// Computes the value.
    pub value: FunctionId,
    /// A vector, from the arguments and the value. Only its derivative counts.
    pub tangent: FunctionId,
    /// The value, for those who differentiate once while they evaluate: a graft of `tangent` on `value`.
    pub single: FunctionId,
}

impl Ruled {
    /// The functions.
    pub fn functions(self) -> [FunctionId; 3] {
        [self.value, self.tangent, self.single]
    }

    /// The same, of other functions.
    pub fn map(self, mut f: impl FnMut(FunctionId) -> FunctionId) -> Ruled {
        Ruled { value: f(self.value), tangent: f(self.tangent), single: f(self.single) }
    }
}

/// A way to differentiate a function at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derive {
    /// Of a function and a point: the derivative, a linear map.
    Derivative,
    /// Of a function, a point and a tangent: the value and the derivative applied to the tangent.
    Forward,
    /// Of a function, a point and a cotangent: the value and the adjoint of the derivative applied to the cotangent.
    Reverse,
    /// Of a function, a point, a direction and an order: the Taylor coefficients along the direction, as derivatives.
    Taylor,
}

/// An operation on linear maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMaps {
    /// The adjoint.
    Adjoint,
    /// The composition, the map that is applied last first.
    Compose,
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The multiple by a number, which comes first.
    Scale,
    /// The matrix. After the map may stand another one between the same spaces.
    Matrix,
    /// The entries of the matrix that are not structurally zero.
    Coo,
    /// Entries of a matrix of which the map is a part: with unknowns `t` for values on the way, `m x = y` where
    /// `a x + b t = y` and `c x + d t = 0`. The rows and columns of these stand behind those of the map.
    System,
    /// The matrices `a` and `b` of a map `x ↦ a x b`, behind a number that says which there are: 1 for `a`, 2 for both, 3 for
    /// `b`, 0 if the map is another or known only at run time.
    Factors,
    /// Of a map, the columns and the rows of some places, and a map between the same spaces: the numbers of the matrix there.
    Entries,
    /// Of numbers, the columns and the rows of their places, and a map: the map between the same spaces with that matrix.
    OfEntries,
    /// Of a matrix and a map: the map between the same spaces with that matrix.
    OfMatrix,
}

impl OnMaps {
    /// All of them.
    pub const ALL: [OnMaps; 12] = [
        OnMaps::Adjoint,
        OnMaps::Compose,
        OnMaps::Add,
        OnMaps::Subtract,
        OnMaps::Scale,
        OnMaps::Matrix,
        OnMaps::Coo,
        OnMaps::System,
        OnMaps::Factors,
        OnMaps::Entries,
        OnMaps::OfEntries,
        OnMaps::OfMatrix,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            OnMaps::Adjoint => "adjoint",
            OnMaps::Compose => "compose",
            OnMaps::Add => "add",
            OnMaps::Subtract => "subtract",
            OnMaps::Scale => "scale",
            OnMaps::Matrix => "matrix",
            OnMaps::Coo => "coo",
            OnMaps::System => "system",
            OnMaps::Factors => "factors",
            OnMaps::Entries => "entries",
            OnMaps::OfEntries => "map_of_entries",
            OnMaps::OfMatrix => "map_of_matrix",
        }
    }
}

/// A step into an accumulator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// An element of an array.
    Element(Atom),
    /// A component of a tuple or record.
    Component(usize),
}

/// A body for each `index` below `count`.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// How many.
    pub count: Atom,
    /// Which one.
    pub index: Var,
    /// The element.
    pub body: Body,
}

/// A body that rebinds a state for each `index` below `count`.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// The state.
    pub state: Var,
    /// Its first value.
    pub start: Atom,
    /// How often.
    pub count: Atom,
    /// Which iteration.
    pub index: Var,
    /// The next state.
    pub body: Body,
}

/// A step on the way to a part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into the elements of an array, which must all have the same size at the end of the path.
    Elements,
    /// Into a component of a tuple or record.
    Component(usize),
}

/// How to compare numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// As it is written in programs.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }

    /// Whether it holds of two numbers.
    pub fn holds<T: PartialOrd>(self, a: &T, b: &T) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterEqual => a >= b,
        }
    }
}

/// How to bring the elements of an array together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// `+` on every vector space
    Sum,
    /// `*` likewise
    Product,
    /// The greatest number; NaN if any is
    Max,
    /// The least number; NaN if any is
    Min,
    /// The first position of the greatest
    ArgMax,
    /// The first position of the least
    ArgMin,
    /// Whether all hold
    All,
    /// Whether any holds
    Any,
}

impl Reduction {
    /// All of them.
    pub const ALL: [Reduction; 8] = [
        Reduction::Sum,
        Reduction::Product,
        Reduction::Max,
        Reduction::Min,
        Reduction::ArgMax,
        Reduction::ArgMin,
        Reduction::All,
        Reduction::Any,
    ];

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Product => "prod",
            Reduction::Max => "max",
            Reduction::Min => "min",
            Reduction::ArgMax => "argmax",
            Reduction::ArgMin => "argmin",
            Reduction::All => "all",
            Reduction::Any => "any",
        }
    }
}
