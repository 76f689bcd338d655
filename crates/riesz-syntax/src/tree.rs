//! The tree that the parser builds: one node for each production of the grammar, with its place.
//!
//! Expressions live in an arena, because operator chains and `let` sequences can be as long as the file: no pass over
//! them, and no destructor, may recurse once for each link. Patterns, types and sizes are small and own their parts.

use crate::Span;
use std::sync::Arc;

/// A name as written.
pub type Name = Arc<str>;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The items in the order they are written.
    pub items: Vec<Item>,
    /// Every expression of the file; [`ExprId`]s index it.
    pub exprs: Vec<Expr>,
}

impl Tree {
    /// The expression with an identity.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Adds an expression.
    pub fn add(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId(self.exprs.len() as u32 - 1)
    }
}

/// An item and its place.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// Its place.
    pub span: Span,
}

/// The stated derivative of a `fun`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// How it is stated.
    pub kind: RuleKind,
    /// The statement.
    pub expr: ExprId,
    /// Where the word stands that begins it.
    pub word: Span,
}

/// How the derivative of a `fun` is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// `derivative m`, a linear map.
    Derivative,
    /// `implicit g`, a function of the result that is zero there.
    Implicit,
}

impl RuleKind {
    /// Both, by the word that begins them.
    pub const ALL: [(&str, RuleKind); 2] = [("derivative", RuleKind::Derivative), ("implicit", RuleKind::Implicit)];
}

/// The items at the top of a file.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `fun name(pattern: type, ...): type = body`, and `derivative map` or `implicit function` behind it
    Fun {
        /// Its name.
        name: Ident,
        /// Its parameters.
        parameters: Vec<Parameter>,
        /// The type of its result, where written.
        result: Option<Type>,
        /// Its body.
        body: ExprId,
        /// Its stated derivative; `None` if the derivative is that of the body.
        rule: Option<Rule>,
    },
    /// `let name: type = value`
    Let {
        /// Its name.
        name: Ident,
        /// Its type, where written.
        annotation: Option<Type>,
        /// Its value.
        value: ExprId,
    },
    /// `type Name[sizes] = body`
    Type {
        /// Its name.
        name: Ident,
        /// Its size parameters.
        sizes: Vec<Ident>,
        /// The type that it abbreviates.
        body: Type,
    },
    /// `check "label" condition`
    Check {
        /// Its label, where written.
        label: Option<Ident>,
        /// The condition that must hold.
        condition: ExprId,
    },
    /// `import "path"`
    Import {
        /// The path as written, relative to the importing file; the span covers the quotes.
        path: Ident,
    },
}

/// A parameter of a `fun`.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The names that it binds.
    pub pattern: Pattern,
    /// Its type.
    pub ty: Type,
}

/// A pattern and its place.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its kind.
    pub kind: PatternKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// A name.
    Name(Name),
    /// `_`
    Wildcard,
    /// `(p, q, ...)`, of at least two; parentheses around one pattern are dropped.
    Tuple(Vec<Pattern>),
    /// Stands where the parser recovered from an error.
    Error,
}

/// An expression in its tree's arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(pub u32);

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Digits alone.
    Integer(Integer),
    /// A number with a point or an exponent.
    Real(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A name.
    Name(Name),
    /// `(e)`
    Paren(ExprId),
    /// `()` or `(a, b, ...)`, never of one.
    Tuple(Vec<ExprId>),
    /// `[a, b, ...]`
    Array(Vec<ExprId>),
    /// `[body | generators]`
    Comprehension {
        /// The element.
        body: ExprId,
        /// The generators, outermost first; never empty.
        generators: Vec<Generator>,
    },
    /// `{x = a, y = b}`
    Record(Vec<(Ident, ExprId)>),
    /// `{ e }`
    Block(ExprId),
    /// A sequence of `let`s, each in the scope of those before it, and what follows them.
    Let {
        /// The bindings, in order; never empty.
        bindings: Vec<LetBinding>,
        /// The expression after the bindings.
        body: ExprId,
    },
    /// `\p q -> body`
    Lambda {
        /// The patterns; two or more stand for one tuple.
        parameters: Vec<Pattern>,
        /// The body.
        body: ExprId,
    },
    /// `if condition then yes else no`
    If {
        /// The condition.
        condition: ExprId,
        /// Its value where the condition holds.
        yes: ExprId,
        /// Its value where it does not.
        no: ExprId,
    },
    /// `loop pattern = start ... do body`
    Loop {
        /// The pattern that each iteration rebinds.
        pattern: Pattern,
        /// Its first value.
        start: ExprId,
        /// How often.
        head: LoopHead,
        /// Its next value.
        body: ExprId,
    },
    /// `-e` or `not e`
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: ExprId,
    },
    /// `left op right`
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// Where the operator stands.
        operator_span: Span,
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
    },
    /// `left ~= right within tolerance`
    Approximately {
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
        /// The tolerance, where written.
        tolerance: Option<ExprId>,
    },
    /// `function(a, _, b | generators)`
    Call {
        /// The function that is called.
        function: ExprId,
        /// The arguments.
        arguments: Vec<Argument>,
        /// Generators that build the last argument; often empty.
        generators: Vec<Generator>,
    },
    /// `array[i, j]`
    Index {
        /// The array.
        array: ExprId,
        /// The indices, outermost first; never empty.
        indices: Vec<ExprId>,
    },
    /// `tuple.0` or `record.name`
    Field {
        /// The tuple or record.
        of: ExprId,
        /// Which field.
        field: Field,
        /// Where the field's name stands.
        field_span: Span,
    },
    /// Stands where the parser recovered from an error.
    Error,
}

/// An integer literal, which may turn out to be an `R`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integer {
    /// Its value, where it fits; `2^63` may follow a unary minus.
    pub value: Option<u64>,
    /// The nearest real.
    pub real: f64,
}

/// One `let` of a sequence.
#[derive(Clone, Debug)]
pub struct LetBinding {
    /// The names that it binds.
    pub pattern: Pattern,
    /// Its type, where written.
    pub annotation: Option<Type>,
    /// Its value.
    pub value: ExprId,
    /// From `let` to the end of the value.
    pub span: Span,
}

/// The range of an element or of a term.
#[derive(Clone, Debug)]
pub enum Generator {
    /// `index < bound`
    Below {
        /// The index.
        index: Ident,
        /// The bound, exclusive.
        bound: ExprId,
    },
    /// `pattern in array`
    Each {
        /// The names that each element binds.
        pattern: Pattern,
        /// The array.
        array: ExprId,
    },
}

/// The number of iterations of a loop.
#[derive(Clone, Debug)]
pub enum LoopHead {
    /// `for` a generator.
    For(Generator),
    /// `while` a condition holds.
    While(ExprId),
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// A value.
    Value(ExprId),
    /// `_`: the call is a function of it.
    Hole(Span),
}

/// Which component of a tuple or record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// `.0`
    Position(u32),
    /// `.name`
    Name(Name),
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `not`
    Not,
}

/// Operators of two operands, `~=` excepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `^`
    Power,
}

/// A type and its place.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its kind.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `R`, `Int`, `Bool`, a named type with its sizes, or, in lower case, a type variable.
    Name(Name, Vec<Size>),
    /// `()` or `(A, B, ...)`, never of one.
    Tuple(Vec<Type>),
    /// `[n]A`; `[m, n]A` is two of these.
    Array(Size, Box<Type>),
    /// `{x: A, y: B}`
    Record(Vec<(Ident, Type)>),
    /// `A -> B`
    Function(Box<Type>, Box<Type>),
    /// `A -o B`
    Linear(Box<Type>, Box<Type>),
    /// Stands where the parser recovered from an error.
    Error,
}

/// A size and its place.
#[derive(Clone, Debug)]
pub struct Size {
    /// Its kind.
    pub kind: SizeKind,
    /// Its place.
    pub span: Span,
}

/// The forms of sizes.
#[derive(Clone, Debug)]
pub enum SizeKind {
    /// A name bound as an `Int`.
    Name(Name),
    /// A number.
    Integer(i64),
    /// `_`: whatever it is.
    Hole,
    /// `a + b`, `a - b`, `a * b`; the operator is one of `Add`, `Subtract`, `Multiply`.
    Binary(BinaryOperator, Box<Size>, Box<Size>),
    /// Stands where the parser recovered from an error.
    Error,
}
