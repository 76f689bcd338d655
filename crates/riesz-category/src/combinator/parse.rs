//! The parser of combinators: the inverse of printing.

use super::print::bare_name;
use super::{Combinator, Combinators, Constant, Definition, Operation, Repeated};
use crate::closure::with_room;
use riesz_core::order::{Order, Orders};
use riesz_core::term::{Atom, Comparison, OnMaps, Op, Place, Reduction, Step, Var};
use riesz_core::{FunctionId, GlobalId, Size, Type, size};
use riesz_primitive::{Kind, find};
use riesz_syntax::{FileId, Span};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Text that is no combinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where, in bytes from the start.
    pub at: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

/// How deep combinators may nest in a text.
const DEEPEST: usize = 2000;

impl FromStr for Combinator {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Combinator> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let combinator = reader.combinator()?;
        reader.end()?;
        Ok(combinator)
    }
}

impl FromStr for Combinators {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Combinators> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let mut read = Combinators::default();
        while reader.word("let ") {
            let (name, number) = reader.reference()?;
            reader.expect(number == read.globals.len(), "values are numbered in order")?;
            read.globals.push((name.into(), GlobalId(number as u32)));
        }
        while reader.end().is_err() {
            let (name, number) = reader.reference()?;
            reader.expect(number == read.definitions.len(), "definitions are numbered in order")?;
            reader.sign("=")?;
            let body = reader.combinator()?;
            read.definitions.push(Definition { name: name.into(), function: FunctionId(number as u32), body });
        }
        Ok(read)
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn fail<T>(&self, message: &str) -> Result<T> {
        Err(ParseError { at: self.at, message: message.to_string() })
    }

    fn expect(&self, holds: bool, message: &str) -> Result<()> {
        if holds { Ok(()) } else { self.fail(message) }
    }

    fn end(&mut self) -> Result<()> {
        self.skip_space();
        self.expect(self.rest().is_empty(), "nothing more is expected")
    }

    fn word(&mut self, word: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn sign(&mut self, sign: &str) -> Result<()> {
        if self.word(sign) { Ok(()) } else { self.fail(&format!("`{sign}` is expected")) }
    }

    fn take(&mut self, of: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !of(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) -> Result<usize> {
        match self.take(|c| c.is_ascii_digit()).parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail("a number is expected"),
        }
    }

    /// `name#number`
    fn reference(&mut self) -> Result<(&'t str, usize)> {
        self.skip_space();
        // Names of functions that derivatives are made of have spaces in them.
        let name = self.take(|c| c != '#' && c != '\n');
        self.expect(!name.is_empty(), "a name is expected")?;
        self.sign("#")?;
        Ok((name, self.number()?))
    }

    fn combinator(&mut self) -> Result<Combinator> {
        self.expect(self.depth < DEEPEST, "combinators nest too deeply")?;
        self.depth += 1;
        let result = with_room(|| {
            let mut path = vec![self.part()?];
            while self.word("∘") {
                path.push(self.part()?);
            }
            path.reverse();
            Ok(if path.len() == 1 { path.remove(0) } else { Combinator::Compose(path) })
        });
        self.depth -= 1;
        result
    }

    fn part(&mut self) -> Result<Combinator> {
        if self.word("⟨") {
            return self.list("⟩").map(Combinator::Fork);
        }
        if self.word("π") {
            let mut path = vec![self.number()?];
            while self.rest().starts_with('.') {
                self.at += 1;
                path.push(self.number()?);
            }
            return Ok(Combinator::Project(path));
        }
        if self.word("K ") {
            return self.constant().map(Combinator::Constant);
        }
        self.skip_space();
        if self.rest().starts_with('(') {
            let Some(length) = self.rest().find(')') else { return self.fail("a bracket is not closed") };
            let name = &self.rest()[..=length];
            self.at += name.len();
            return self.operation(name);
        }
        let name = self.take(|c| c.is_alphanumeric() || c == '_');
        let braces = self.rest().starts_with('{');
        match name {
            "id" => Ok(Combinator::Identity),
            "if" => {
                let [yes, no] = self.parts()?;
                Ok(Combinator::If(Box::new([yes, no])))
            }
            "build" => Ok(Combinator::Build(self.braced_type()?, self.body()?)),
            "builds" => Ok(Combinator::Builds(self.braced_types()?, self.body()?)),
            "loop" => Ok(Combinator::Loop(self.body()?)),
            "scan" => Ok(Combinator::Scan(self.braced_type()?, self.body()?)),
            "trace" => Ok(Combinator::Trace(self.braced_types()?, self.body()?)),
            "while" => {
                let [condition, body] = self.parts()?;
                Ok(Combinator::While(Box::new(condition), repeated(body)))
            }
            "trace_while" => {
                let types = self.braced_types()?;
                let [condition, body] = self.parts()?;
                Ok(Combinator::TraceWhile(types, Box::new(condition), repeated(body)))
            }
            "call" => Ok(Combinator::Call(self.reference()?.1, nowhere())),
            "closure" => Ok(Combinator::Closure(self.reference()?.1)),
            "global" => Ok(Combinator::Global(self.reference()?.1)),
            "apply" => Ok(Combinator::Apply(nowhere())),
            "map" => Ok(Combinator::Map(self.reference()?.1, self.reference()?.1)),
            "maps" => {
                self.skip_space();
                let name = self.take(|c| c.is_alphanumeric() || c == '_');
                match OnMaps::ALL.into_iter().find(|known| known.name() == name) {
                    Some(operation) => Ok(Combinator::OnMaps(operation, self.orders()?, nowhere())),
                    None => self.fail("no operation on linear maps has this name"),
                }
            }
            "taylor" => Ok(Combinator::Taylor(self.braced_type()?, nowhere())),
            name if braces && !["size", "add_to", "accumulator"].contains(&name) => {
                match Reduction::ALL.into_iter().find(|known| known.name() == name) {
                    Some(reduction) => Ok(Combinator::Reduce(reduction, self.braced_type()?, self.body()?)),
                    None => self.fail("no combinator has this name"),
                }
            }
            name => self.operation(name),
        }
    }

    /// Combinators up to a closing sign, which a comma may stand before.
    fn list(&mut self, close: &str) -> Result<Vec<Combinator>> {
        let mut parts = Vec::new();
        while !self.word(close) {
            parts.push(self.combinator()?);
            if !self.word(",") {
                self.sign(close)?;
                break;
            }
        }
        Ok(parts)
    }

    fn parts<const N: usize>(&mut self) -> Result<[Combinator; N]> {
        self.sign("(")?;
        match self.list(")")?.try_into() {
            Ok(parts) => Ok(parts),
            Err(_) => self.fail(&format!("{N} parts are expected")),
        }
    }

    fn body(&mut self) -> Result<Box<Repeated>> {
        let [body] = self.parts()?;
        Ok(repeated(body))
    }

    fn constant(&mut self) -> Result<Constant> {
        let text = self.take(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '+'));
        match text {
            "true" => Ok(Constant::Bool(true)),
            "false" => Ok(Constant::Bool(false)),
            text => match (text.parse::<i64>(), text.parse::<f64>()) {
                (Ok(value), _) => Ok(Constant::Int(value)),
                (_, Ok(value)) => Ok(Constant::Real(value)),
                _ => self.fail("a constant is expected"),
            },
        }
    }

    /// An operation by its name, which has been read.
    fn operation(&mut self, name: &str) -> Result<Combinator> {
        let operand = |at: usize| Atom::Var(Var(at as u32));
        let operands = |count: usize| (0..count).map(operand).collect::<Vec<Atom>>();
        if self.rest().starts_with('/') {
            self.at += 1;
            let count = self.number()?;
            self.expect(count <= self.text.len(), "an operation has fewer operands")?;
            let ty = self.braced_type()?;
            let op = match (name, find(name.trim_matches(['(', ')']))) {
                ("array", _) => Op::Array(operands(count)),
                (_, Some(row)) if matches!(row.kind, Kind::Array(_)) && count > 0 => {
                    Op::ArrayFunction(row, operands(count))
                }
                _ => return self.fail("no function of arrays has this name"),
            };
            let sizes = sizes(&ty, count);
            return Ok(operation(op, count + sizes, ty));
        }
        if name == "size" {
            let path = self.steps()?;
            return Ok(operation(Op::SizeOf(operand(0), path), 1, Type::unit()));
        }
        if name == "add_to" {
            let steps = self.steps()?;
            let mut next = 0;
            let places = steps.into_iter().map(|step| match step {
                Step::Component(at) => Place::Component(at),
                Step::Elements => {
                    next += 1;
                    Place::Element(operand(next))
                }
            });
            let places: Vec<Place> = places.collect();
            return Ok(operation(Op::AddTo(operand(0), places, operand(next + 1)), next + 2, Type::unit()));
        }
        if name == "accumulator" {
            let ty = self.braced_type()?;
            return Ok(operation(Op::Accumulator, sizes(&ty, 0), Type::Accumulator(ty.into())));
        }
        let (a, b, c) = (operand(0), operand(1), operand(2));
        let others = [
            (Op::Compare(Comparison::Less, a, b), 2),
            (Op::Compare(Comparison::LessEqual, a, b), 2),
            (Op::Compare(Comparison::Greater, a, b), 2),
            (Op::Compare(Comparison::GreaterEqual, a, b), 2),
            (Op::Same(a, b), 2),
            (Op::Near(a, b, c), 3),
            (Op::Not(a), 1),
            (Op::ToReal(a), 1),
            (Op::Truncate(a), 1),
            (Op::IsNan(a), 1),
            (Op::Index(a, b), 2),
            (Op::CheckSizes(a, b), 2),
            (Op::Plus(a, b), 2),
            (Op::Zero(a), 1),
        ];
        if let Some((op, arity)) = others.into_iter().find(|(op, _)| bare_name(op) == name) {
            return Ok(operation(op, arity, Type::unit()));
        }
        let bare = name.strip_prefix('(').and_then(|name| name.strip_suffix(')')).unwrap_or(name);
        match find(bare) {
            Some(row) if let Kind::Scalar(scalar) = &row.kind => {
                let arity = scalar.domain.len();
                Ok(operation(Op::Scalar(row, operands(arity)), arity, Type::unit()))
            }
            _ => self.fail("no combinator has this name"),
        }
    }

    /// A way into a value, in braces; the value itself where there are none.
    fn steps(&mut self) -> Result<Vec<Step>> {
        let mut path = Vec::new();
        if self.rest().starts_with('{') {
            self.at += 1;
            loop {
                path.push(if self.word("*") { Step::Elements } else { Step::Component(self.number()?) });
                if !self.word(".") {
                    break;
                }
            }
            self.sign("}")?;
        }
        Ok(path)
    }

    fn orders(&mut self) -> Result<Orders> {
        if !self.word("{") {
            return Ok(Orders::KEPT);
        }
        let rows = self.order()?;
        self.sign(",")?;
        let columns = self.order()?;
        self.sign("}")?;
        Ok(Orders { rows, columns })
    }

    fn order(&mut self) -> Result<Order> {
        self.expect(self.depth < DEEPEST, "orders nest too deeply")?;
        if self.word(".") {
            return Ok(Order::Kept);
        }
        self.depth += 1;
        let order = if self.word("[") {
            let order = self.order()?;
            self.sign("]")?;
            Order::Elements(order.into())
        } else {
            self.sign("(")?;
            let mut parts = Vec::new();
            loop {
                parts.push((self.number()?, self.order()?));
                if !self.word(",") {
                    break;
                }
            }
            self.sign(")")?;
            Order::Parts(parts.into())
        };
        self.depth -= 1;
        Ok(order)
    }

    fn braced_type(&mut self) -> Result<Type> {
        self.sign("{")?;
        let ty = self.ty()?;
        self.sign("}")?;
        Ok(ty)
    }

    fn braced_types(&mut self) -> Result<Vec<Type>> {
        self.sign("{")?;
        self.types("}")
    }

    fn types(&mut self, close: &str) -> Result<Vec<Type>> {
        let mut types = Vec::new();
        while !self.word(close) {
            types.push(self.ty()?);
            if !self.word(",") {
                self.sign(close)?;
                break;
            }
        }
        Ok(types)
    }

    fn ty(&mut self) -> Result<Type> {
        self.expect(self.depth < DEEPEST, "types nest too deeply")?;
        if self.word("R") {
            return Ok(Type::Real);
        }
        if self.word("Int") {
            return Ok(Type::Int);
        }
        if self.word("Bool") {
            return Ok(Type::Bool);
        }
        self.depth += 1;
        let ty = if self.word("(") {
            Type::Tuple(Arc::from(self.types(")")?))
        } else {
            self.sign("[")?;
            let size = if self.word("_") {
                Size::Hole
            } else if self.word("#") {
                let number = self.number()?;
                self.expect(number <= self.text.len(), "there are fewer operands")?;
                Size::Atom(size::Atom::Var(Var(number as u32)))
            } else {
                Size::Constant(self.number()? as i64)
            };
            self.sign("]")?;
            Type::array(size, self.ty()?)
        };
        self.depth -= 1;
        Ok(ty)
    }
}

fn nowhere() -> Span {
    Span { file: FileId(0), start: 0, end: 0 }
}

fn repeated(body: Combinator) -> Box<Repeated> {
    Box::new(Repeated { body, span: nowhere() })
}

fn operation(op: Op, arity: usize, ty: Type) -> Combinator {
    Combinator::Operation(Box::new(Operation::new(op, arity, ty, nowhere())))
}

/// The number of operands from which a type takes its sizes, after a number of others.
fn sizes(ty: &Type, first: usize) -> usize {
    let mut last = first;
    ty.map_sizes(&mut |size| {
        for atom in size.atoms() {
            if let size::Atom::Var(var) = atom {
                last = last.max(var.0 as usize + 1);
            }
        }
        size.clone()
    });
    last - first
}
