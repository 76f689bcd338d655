//! Reading linear maps from text, in the notation of [`print`](crate::print).
//!
//! ```text
//! map     := "0" ":" space "-o" space | sum
//! sum     := side { "+" side }
//! side    := chain { "×" chain } | chain { "⋈" chain }
//! chain   := factor { "∘" factor }
//! factor  := number "·" factor | literal "⊗" literal | word … | "(" map ")"
//! literal := number | "[" [ literal { "," literal } ] "]" | "(" [ literal { "," literal } [ "," ] ] ")" | "(" literal ":" space ")"
//! space   := "R" | "[" size "]" space | "(" [ space { "," space } [ "," ] ] ")"
//! ```
//!
//! The arguments of each word are in the table of words below. In ASCII, `.` is `∘`, `&` is `×`, `|` is `⋈`, `*` is `·`
//! and `><` is `⊗`; `⊸` is `-o`.

mod literal;
mod reader;
mod token;

use std::fmt;
use std::str::FromStr;

use self::literal::Literal;
pub(crate) use self::token::Kind;
use self::token::tokens;
use crate::map::{Contraction, Form, LinearMap};
use crate::matrix::{Band, Matrix};
use crate::relation::{Line, Relation, Walk};
use crate::space::{Space, SpaceError};
use crate::vector::Vector;

/// How deep brackets may nest.
const DEEPEST: usize = 400;

/// A text that is not a linear map, and where it stops being one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where, in bytes from the start.
    pub offset: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for LinearMap {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<LinearMap, ParseError> {
        read(text, Parser::map)
    }
}

impl FromStr for Space {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Space, ParseError> {
        read(text, Parser::space)
    }
}

/// Reads a whole text by a rule: of a map, of a space, or of a [pattern](crate::pattern).
pub(crate) fn read<T>(text: &str, rule: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let read = rule(&mut parser)?;
    match parser.peek() {
        Kind::End => Ok(read),
        _ => parser.expected("the end"),
    }
}

pub(crate) type Parsed<T> = Result<T, ParseError>;

/// The tokens of a text, and the next one.
pub(crate) struct Parser {
    tokens: Vec<(Kind, usize)>,
    pub at: usize,
    depth: usize,
}

impl Parser {
    fn map(&mut self) -> Parsed<LinearMap> {
        self.nested(|parser| {
            if matches!(parser.peek(), Kind::Number(_, Some(0))) && parser.peek_after() == &Kind::Symbol(":") {
                parser.at += 2;
                let domain = parser.space()?;
                parser.symbol("-o")?;
                return Ok(LinearMap::zero(domain, parser.space()?));
            }
            parser.infix("+", Parser::side, LinearMap::add)
        })
    }

    fn side(&mut self) -> Parsed<LinearMap> {
        let first = self.chain()?;
        match self.peek() {
            Kind::Symbol("×") => self.rest(first, "×", Parser::chain, LinearMap::fork),
            Kind::Symbol("⋈") => self.rest(first, "⋈", Parser::chain, LinearMap::join),
            _ => Ok(first),
        }
    }

    fn chain(&mut self) -> Parsed<LinearMap> {
        self.infix("∘", Parser::factor, LinearMap::compose)
    }

    fn infix(
        &mut self,
        operator: &'static str,
        operand: fn(&mut Parser) -> Parsed<LinearMap>,
        build: fn(Vec<LinearMap>) -> Result<LinearMap, SpaceError>,
    ) -> Parsed<LinearMap> {
        let first = operand(self)?;
        self.rest(first, operator, operand, build)
    }

    fn rest(
        &mut self,
        first: LinearMap,
        operator: &'static str,
        operand: fn(&mut Parser) -> Parsed<LinearMap>,
        build: fn(Vec<LinearMap>) -> Result<LinearMap, SpaceError>,
    ) -> Parsed<LinearMap> {
        let start = self.offset();
        let mut maps = vec![first];
        while self.take(operator) {
            maps.push(operand(self)?);
        }
        match maps.len() {
            1 => Ok(maps.swap_remove(0)),
            _ => self.fit(start, build(maps)),
        }
    }

    fn factor(&mut self) -> Parsed<LinearMap> {
        let start = self.at;
        if let Kind::Number(k, _) = *self.peek()
            && matches!(self.peek_after(), Kind::Symbol("·" | "*"))
        {
            self.at += 2;
            let map = self.nested(Parser::factor)?;
            return Ok(match map.form() {
                Form::Identity => LinearMap::scale(k, map.domain().clone()),
                _ => map.times(k),
            });
        }
        if self.take("_") {
            if !self.take("*") {
                self.symbol("·")?;
            }
            let literal = self.literal()?;
            return Ok(LinearMap::column(self.vector(literal)?));
        }
        if let Ok(left) = self.literal()
            && self.take("⊗")
        {
            let left = self.vector(left)?;
            let right = self.literal()?;
            return Ok(LinearMap::rank_one(1.0, left, self.vector(right)?));
        }
        self.at = start;
        match self.peek() {
            Kind::Symbol("(") => self.within("(", ")", Parser::map),
            Kind::Word(word) => {
                let word = word.clone();
                self.at += 1;
                self.after(&word)
            }
            _ => self.expected("a linear map"),
        }
    }

    /// The table of words.
    fn after(&mut self, word: &str) -> Parsed<LinearMap> {
        let start = self.offset();
        match word {
            "id" => Ok(LinearMap::identity(self.space()?)),
            "scale" => {
                let k = self.number()?;
                let space = if self.starts_space() { self.space()? } else { Space::Real };
                Ok(LinearMap::scale(k, space))
            }
            "diagonal" => {
                let values = self.literal()?;
                Ok(LinearMap::diagonal(self.vector(values)?))
            }
            "dot" => self.product(),
            "inner" => {
                self.symbol("(")?;
                let literal = self.literal()?;
                let vector = self.vector(literal)?;
                for symbol in [",", "_", ")"] {
                    self.symbol(symbol)?;
                }
                Ok(LinearMap::row(vector))
            }
            "project" => {
                let index = self.size()?;
                self.word("of")?;
                let domain = self.space()?;
                self.fit(start, LinearMap::project(index, domain))
            }
            "inject" => {
                let index = self.size()?;
                self.word("into")?;
                let codomain = self.space()?;
                self.fit(start, LinearMap::inject(index, codomain))
            }
            "reshape" => {
                let domain = self.space()?;
                self.word("to")?;
                let codomain = self.space()?;
                self.fit(start, LinearMap::reshape(domain, codomain))
            }
            "transpose" => {
                let outer = self.space()?;
                let inner = self.space()?;
                Ok(LinearMap::transpose(outer, inner, self.over()?))
            }
            "zip" | "unzip" => match self.space()? {
                Space::Product(spaces) if word == "zip" => self.fit(start, LinearMap::zip(&spaces)),
                Space::Product(spaces) => self.fit(start, LinearMap::unzip(&spaces)),
                _ => self.wrong(start, format!("`{word}` is followed by a product of spaces")),
            },
            "add" => self.one(LinearMap::add),
            "compose" => self.one(LinearMap::compose),
            "fork" => self.family(LinearMap::fork, LinearMap::fork_array),
            "join" => self.family(LinearMap::join, LinearMap::join_array),
            "each" => self.family(|maps| Ok(LinearMap::each(maps)), LinearMap::each_array),
            "map" => {
                let size = self.size()?;
                let map = self.nested(Parser::factor)?;
                Ok(LinearMap::map(size, map))
            }
            "sum" => self.reduction(Relation::Sum),
            "replicate" => self.reduction(Relation::Replicate),
            "prefix" => self.reduction(Relation::Prefix),
            "suffix" => self.reduction(Relation::Suffix),
            "reverse" => self.reduction(Relation::reverse),
            "gather" => {
                let indices = self.listed(Parser::size)?;
                self.word("of")?;
                let (from, element) = self.array()?;
                let relation = self.fit(start, Relation::gather(indices, from))?;
                Ok(LinearMap::reduce(relation, element))
            }
            "scatter" => {
                let indices = self.listed(Parser::size)?;
                self.word("into")?;
                let (to, element) = self.array()?;
                let relation = self.fit(start, Relation::scatter(indices, to))?;
                Ok(LinearMap::reduce(relation, element))
            }
            "relate" => {
                let pairs = self.listed(|parser| {
                    parser.symbol("(")?;
                    let x = parser.size()?;
                    parser.symbol(",")?;
                    let y = parser.size()?;
                    parser.symbol(")")?;
                    Ok((x, y))
                })?;
                self.word("of")?;
                let (from, element) = self.array()?;
                self.word("into")?;
                let to = self.size()?;
                let relation = self.fit(start, Relation::pairs(pairs, from, to))?;
                Ok(LinearMap::reduce(relation, element))
            }
            "slice" | "pad" => {
                let (from, to) = (self.size()?, self.size()?);
                self.word(if word == "slice" { "of" } else { "into" })?;
                let (size, element) = self.array()?;
                let slice = self.fit(start, Relation::slice(from, to, size))?;
                Ok(LinearMap::reduce(if word == "slice" { slice } else { slice.converse() }, element))
            }
            "line" => {
                let count = self.size()?;
                self.word("from")?;
                let (from, by) = (self.size()?, self.step()?);
                self.word("of")?;
                let (size, element) = self.array()?;
                let source = Walk { start: from, step: by, size };
                self.word("to")?;
                let (to, by) = (self.size()?, self.step()?);
                self.word("of")?;
                let target = Walk { start: to, step: by, size: self.size()? };
                let relation = self.fit(start, Relation::line(Line { count, source, target }))?;
                Ok(LinearMap::reduce(relation, element))
            }
            _ => {
                self.at -= 1;
                self.expected("a linear map")
            }
        }
    }

    fn reduction(&mut self, relation: fn(usize) -> Relation) -> Parsed<LinearMap> {
        let (size, element) = self.array()?;
        Ok(LinearMap::reduce(relation(size), element))
    }

    /// A family of one, in round brackets.
    fn one(&mut self, build: fn(Vec<LinearMap>) -> Result<LinearMap, SpaceError>) -> Parsed<LinearMap> {
        let start = self.offset();
        let map = self.within("(", ")", Parser::map)?;
        self.fit(start, build(vec![map]))
    }

    /// A family of maps, in round brackets for a product and square ones for an array.
    fn family(
        &mut self,
        product: fn(Vec<LinearMap>) -> Result<LinearMap, SpaceError>,
        array: fn(Vec<LinearMap>) -> Result<LinearMap, SpaceError>,
    ) -> Parsed<LinearMap> {
        let start = self.offset();
        if self.peek() == &Kind::Symbol("[") {
            let maps = self.listed(Parser::map)?;
            return self.fit(start, array(maps));
        }
        self.symbol("(")?;
        let maps = self.items(")", Parser::map)?;
        self.fit(start, product(maps))
    }

    fn over(&mut self) -> Parsed<Space> {
        if self.peek() == &Kind::Word("over".into()) {
            self.at += 1;
            return self.space();
        }
        Ok(Space::Real)
    }

    /// `(a, _)`, `(v, _)` and `(_, b)`
    fn product(&mut self) -> Parsed<LinearMap> {
        self.symbol("(")?;
        if self.take("_") {
            self.symbol(",")?;
            let matrix = self.matrix()?;
            self.symbol(")")?;
            return Ok(LinearMap::right(matrix, self.over()?));
        }
        let start = self.at;
        // An array of numbers, or else a matrix.
        let vector = match self.literal().and_then(|literal| self.vector(literal)) {
            Ok(vector) if *vector.space() == Space::reals(vector.values().len()) => Some(vector),
            _ => None,
        };
        let map = match vector {
            Some(vector) => LinearMap::row(vector),
            None => {
                self.at = start;
                LinearMap::left(self.matrix()?, Space::Real)
            }
        };
        for symbol in [",", "_", ")"] {
            self.symbol(symbol)?;
        }
        Ok(match map.form() {
            Form::Contract(Contraction { matrix, .. }) => LinearMap::left(matrix.clone(), self.over()?),
            _ => map,
        })
    }

    fn matrix(&mut self) -> Parsed<Matrix> {
        let start = self.offset();
        if self.peek() == &Kind::Word("banded".into()) {
            self.at += 1;
            let band = Band { lower: self.size()?, upper: self.size()? };
            let columns = self.size()?;
            let rows = self.listed(|parser| parser.listed(Parser::number))?;
            return self.fit(start, Matrix::banded(band, columns, &rows));
        }
        let literal = self.literal()?;
        let values = self.vector(literal)?;
        if let Space::Array(rows, row) = values.space()
            && let Space::Array(columns, element) = &**row
            && **element == Space::Real
        {
            return self.fit(start, Matrix::new(*rows, *columns, values.values()));
        }
        self.wrong(start, format!("a matrix is an array of rows, and this is a vector of {}", values.space()))
    }

    fn literal(&mut self) -> Parsed<Literal> {
        self.nested(|parser| match *parser.peek() {
            Kind::Number(value, _) => {
                parser.at += 1;
                Ok(Literal::Number(value))
            }
            Kind::Symbol("[") => Ok(Literal::Array(parser.listed(Parser::literal)?)),
            Kind::Symbol("(") => {
                parser.at += 1;
                if parser.take(")") {
                    return Ok(Literal::Product(Vec::new()));
                }
                let first = parser.literal()?;
                if parser.take(":") {
                    let space = parser.space()?;
                    parser.symbol(")")?;
                    return Ok(Literal::Typed(Box::new(first), space));
                }
                let mut parts = vec![first];
                parser.symbol(",")?;
                parts.extend(parser.items(")", Parser::literal)?);
                Ok(Literal::Product(parts))
            }
            _ => parser.expected("a number or a vector"),
        })
    }

    /// The vector of a literal.
    fn vector(&mut self, literal: Literal) -> Parsed<Vector> {
        self.fit(self.offset(), literal.vector())
    }

    fn space(&mut self) -> Parsed<Space> {
        self.nested(|parser| match parser.peek() {
            Kind::Word(word) if word == "R" => {
                parser.at += 1;
                Ok(Space::Real)
            }
            Kind::Symbol("[") => {
                parser.at += 1;
                let size = parser.size()?;
                parser.symbol("]")?;
                Ok(Space::array(size, parser.space()?))
            }
            Kind::Symbol("(") => {
                parser.at += 1;
                if parser.take(")") {
                    return Ok(Space::product([]));
                }
                let first = parser.space()?;
                if parser.take(")") {
                    return Ok(first);
                }
                parser.symbol(",")?;
                let mut parts = vec![first];
                parts.extend(parser.items(")", Parser::space)?);
                Ok(Space::product(parts))
            }
            _ => parser.expected("a space"),
        })
    }

    fn array(&mut self) -> Parsed<(usize, Space)> {
        let start = self.offset();
        match self.space()? {
            Space::Array(size, element) => Ok((size, Space::clone(&element))),
            space => self.wrong(start, format!("this is an array, and {space} is not")),
        }
    }

    fn starts_space(&self) -> bool {
        match self.peek() {
            Kind::Symbol(symbol) => matches!(*symbol, "[" | "("),
            Kind::Word(word) => word == "R",
            _ => false,
        }
    }
}
