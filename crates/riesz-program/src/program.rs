//! Loop programs: first-order procedures over numbers and flat buffers of numbers.
//!
//! A [`Procedure`] takes numbers and buffers, runs a block of [`Statement`]s, and gives numbers and buffers. Numbers
//! are in registers, arrays in row-major buffers; a tuple or record is represented by its components, an array of
//! tuples by one buffer for each component. A statement that can fail names a [`Site`]: the kind of error, and the
//! place in the source.

pub use crate::fault::Fault;
use crate::name::SourceName;
use crate::schedule::Schedule;
use riesz_core::Comparison;
use riesz_primitive::{MatrixFunction, Primitive, scalar};
use riesz_syntax::Span;

/// A number of a procedure, by its position in [`Procedure::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

/// A buffer of a procedure, by its position in [`Procedure::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Buffer(pub u32);

/// A procedure, by its position in [`Program::procedures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcedureId(pub u32);

/// A place that an error can come from, by its position in [`Program::sites`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// A loop program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// The places that errors can come from.
    pub sites: Vec<Site>,
}

impl Program {
    /// The procedure of an identity.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0 as usize]
    }

    /// Appends the procedures of another program; their identities grow by the returned number.
    pub fn append(&mut self, other: Program) -> u32 {
        let (procedures, sites) = (self.procedures.len() as u32, self.sites.len() as u32);
        self.sites.extend(other.sites);
        for mut procedure in other.procedures {
            crate::visit::renumber(&mut procedure.body, procedures, sites);
            self.procedures.push(procedure);
        }
        procedures
    }

    /// The site of an identity.
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The name of the function that it was lowered from.
    pub name: SourceName,
    /// The definition of that function.
    pub span: Span,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The results.
    pub results: Vec<Outcome>,
    /// The registers, which hold numbers.
    pub registers: Vec<RegisterInfo>,
    /// The buffers.
    pub buffers: Vec<BufferInfo>,
    /// The statements.
    pub body: Block,
    /// A register that is NaN at the end if one of the results is. It is the last result, behind those of the function.
    pub nan_flag: Option<Register>,
}

impl Procedure {
    /// The kind of an operand.
    pub fn kind(&self, operand: Operand) -> Kind {
        operand.kind(&self.registers)
    }
}

impl Operand {
    /// The register, if it is one.
    pub(crate) fn register(self) -> Option<Register> {
        match self {
            Operand::Register(register) => Some(register),
            _ => None,
        }
    }

    /// The kind of the operand, given the registers of its procedure.
    pub(crate) fn kind(self, registers: &[RegisterInfo]) -> Kind {
        match self {
            Operand::Register(register) => registers[register.0 as usize].kind,
            Operand::Real(_) => Kind::Real,
            Operand::Int(_) => Kind::Int,
            Operand::Bool(_) => Kind::Bool,
        }
    }
}

/// Statements in order.
pub type Block = Vec<Statement>;

/// The kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A real number.
    Real,
    /// An integer.
    Int,
    /// A truth value.
    Bool,
}

impl Kind {
    /// The zero of the kind.
    pub fn zero(self) -> Operand {
        match self {
            Kind::Real => Operand::Real(0.0),
            Kind::Int => Operand::Int(0),
            Kind::Bool => Operand::Bool(false),
        }
    }
}

/// The properties of a register.
#[derive(Clone, Debug)]
pub struct RegisterInfo {
    /// The user's name for it, if there is one.
    pub name: Option<SourceName>,
    /// The kind of its number.
    pub kind: Kind,
    /// Whether it is set more than once; others are bound once, before they are used.
    pub mutable: bool,
}

/// The properties of a buffer.
#[derive(Clone, Debug)]
pub struct BufferInfo {
    /// The user's name for it, if there is one.
    pub name: Option<SourceName>,
    /// The kind of its elements.
    pub kind: Kind,
}

/// A parameter of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A number.
    Number(Register),
    /// A buffer that is only read.
    Read(Buffer),
    /// A buffer that is added to.
    Added(Buffer),
    /// A buffer that is read, written and grown.
    Grown(Buffer),
}

/// A result of a procedure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// A number.
    Number(Operand),
    /// A buffer, which the procedure has allocated.
    Buffer(Buffer),
}

/// A number as an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// The number in a register.
    Register(Register),
    /// A real number.
    Real(f64),
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

/// An element of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// The buffer.
    pub buffer: Buffer,
    /// The position, which is in bounds.
    pub at: Operand,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Binds a register.
    Let(Register, Expression),
    /// Sets a mutable register.
    Set(Register, Operand),
    /// `register = combine(register, value)`, for a mutable register.
    Reduce(Register, Combine, Operand),
    /// Makes a buffer of a number of elements, which are unwritten.
    Allocate(Allocation),
    /// Grows a buffer to at least a number of elements. Its elements stay; new ones are unwritten.
    Grow(Allocation),
    /// Sets elements to one value.
    Fill(Element, Operand, Operand),
    /// Copies a number of elements between buffers.
    Copy {
        /// The first element written.
        to: Element,
        /// The first element read.
        from: Element,
        /// The number of elements.
        count: Operand,
    },
    /// Writes an element.
    Store(Element, Operand),
    /// Adds to an element, in place.
    Add(Element, Operand),
    /// A block for each index.
    For(For),
    /// A block while a condition holds.
    While(While),
    /// One of two blocks.
    If(Operand, Block, Block),
    /// Stops with an error unless a condition holds. The operands are the numbers of its message.
    Check(Operand, SiteId, Vec<Operand>),
    /// Exchanges two buffers.
    Swap(Buffer, Buffer),
    /// Calls a procedure.
    Call(Call),
    /// A product of matrices.
    Product(Product),
    /// A function of linear algebra.
    Matrix(Matrix),
}

/// A buffer that is made, or grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allocation {
    /// The buffer.
    pub buffer: Buffer,
    /// The number of elements.
    pub count: Operand,
    /// The site of the error if there is no memory.
    pub site: SiteId,
}

/// A block for each `index` below `count`.
#[derive(Clone, Debug)]
pub struct For {
    /// The index.
    pub index: Register,
    /// The number of iterations.
    pub count: Operand,
    /// Whether the iterations are independent of each other, except for additions to buffers and reductions.
    pub parallel: bool,
    /// Buffers that are made once, and hold nothing at the start of an iteration.
    pub private: Vec<Allocation>,
    /// The statements of an iteration.
    pub body: Block,
    /// The site of the error if there are too many steps.
    pub site: SiteId,
    /// Whether iterations are steps: those of a product of matrices that is written out are not.
    pub counted: bool,
    /// How the iterations run; one by one if there is nothing here.
    pub schedule: Option<Box<Schedule>>,
}

impl For {
    /// A loop without private buffers and without a schedule.
    pub fn new(index: Register, count: Operand, parallel: bool, body: Block, site: SiteId) -> For {
        For { index, count, parallel, private: Vec::new(), body, site, counted: true, schedule: None }
    }
}

/// A block while a condition holds.
#[derive(Clone, Debug)]
pub struct While {
    /// Computes the condition.
    pub before: Block,
    /// The condition.
    pub condition: Operand,
    /// Buffers that are made once, and hold nothing at the start of an iteration.
    pub private: Vec<Allocation>,
    /// The statements of an iteration.
    pub body: Block,
    /// The site of the error if there are too many steps.
    pub site: SiteId,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// The targets of its results.
    pub results: Vec<Target>,
    /// The site of the call.
    pub site: SiteId,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// A number.
    Number(Operand),
    /// A number of elements of a buffer.
    Elements(Element, Operand),
    /// A buffer as a whole, for a parameter that is grown.
    Whole(Buffer),
}

/// The target of a result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A register, which is bound.
    Register(Register),
    /// A buffer, which is made.
    Buffer(Buffer),
}

/// A matrix in a buffer: its first element, and the distances of rows and columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strided {
    /// The first element.
    pub first: Element,
    /// From a row to the next.
    pub row: Operand,
    /// From a column to the next.
    pub column: Operand,
}

/// `to = left · right`, an `rows × inner` by an `inner × columns` matrix.
#[derive(Clone, Debug)]
pub struct Product {
    /// The first element of the result, which is written row by row.
    pub to: Element,
    /// The left factor.
    pub left: Strided,
    /// The right factor.
    pub right: Strided,
    /// The rows of the left factor.
    pub rows: Operand,
    /// The number of terms of each sum.
    pub inner: Operand,
    /// The columns of the right factor.
    pub columns: Operand,
    /// Whether zero times anything is zero.
    pub exact: bool,
}

/// `to = function(a, b)`
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The function.
    pub function: MatrixFunction,
    /// The first element of the result.
    pub to: Element,
    /// The number of elements of the result.
    pub count: Operand,
    /// The matrix, row by row.
    pub a: Element,
    /// The number of its rows and of its columns: both are `n`, unless it is a list of entries.
    pub shape: [Operand; 2],
    /// The number of unknowns.
    pub n: Operand,
    /// The right-hand side of an equation, and the number of its columns.
    pub b: Option<(Element, Operand)>,
    /// The site of the error if there is no working memory.
    pub site: SiteId,
}

/// The function by which a reduction combines numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// The sum of reals.
    Sum,
    /// The product of reals.
    Product,
    /// The greatest real; NaN if any is.
    Max,
    /// The least real; NaN if any is.
    Min,
    /// The least integer.
    Least,
    /// Whether all hold.
    All,
    /// Whether any holds.
    Any,
}

/// An expression, to which a register is bound.
#[derive(Clone, Debug)]
pub enum Expression {
    /// The operand.
    Copy(Operand),
    /// A primitive of real numbers.
    Real(&'static Primitive, Vec<Operand>),
    /// A primitive of integers, which fails if the result does not fit into 64 bits.
    Int(&'static Primitive, Vec<Operand>, SiteId),
    /// Arithmetic on positions, which do not overflow, and on sizes, which are the largest integer if they would.
    Position(Arithmetic, Operand, Operand),
    /// A comparison of two numbers of one kind.
    Compare(Comparison, Operand, Operand),
    /// Whether two numbers of one kind are equal.
    Equal(Operand, Operand),
    /// Whether two numbers of one kind are within a tolerance of each other.
    Near(Operand, Operand, Operand),
    /// Whether a condition does not hold.
    Not(Operand),
    /// Whether both conditions hold.
    And(Operand, Operand),
    /// Whether the first, an index, is in range for an array whose length is the second.
    Within(Operand, Operand),
    /// The second if the first holds, otherwise the third.
    Select(Operand, Operand, Operand),
    /// An integer as a real number.
    ToReal(Operand),
    /// The integer part of a real number.
    Truncate(Operand, SiteId),
    /// Whether a real number is NaN.
    IsNan(Operand),
    /// An element of a buffer.
    Load(Element),
}

/// Arithmetic on positions and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
}

impl Arithmetic {
    /// The operation of a primitive of integers, if it is one of these.
    pub fn of(primitive: &Primitive) -> Option<Arithmetic> {
        [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul].into_iter().find(|known| known.row() == primitive)
    }

    /// The sign of the operation.
    pub fn sign(self) -> &'static str {
        self.row().name
    }

    fn row(self) -> &'static Primitive {
        match self {
            Arithmetic::Add => &scalar::ADD,
            Arithmetic::Sub => &scalar::SUB,
            Arithmetic::Mul => &scalar::MUL,
        }
    }
}

/// A place that an error can come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The error.
    pub fault: Fault,
    /// The place in the source.
    pub span: Span,
}
