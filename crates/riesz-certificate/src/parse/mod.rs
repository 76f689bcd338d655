//! Reads the notation of certificates: coefficients, spaces, and maps up to their spaces.
//!
//! Signs of maps, loosest first: `+`, `×` and `⋈`, `∘`, `·` and `⊗`, a word with its argument, `ᵀ`. A map after a full stop
//! reaches as far as it can; `(m : V)` says where a map leads.

mod coefficient;

use crate::term::{Expr, Family, Space, deep};
use crate::token::{Token, is_letter, tokens};

/// How deep a text may be nested.
const DEEPEST: usize = 600;

/// A map whose spaces are not known yet.
#[derive(Clone, Debug)]
pub(crate) enum Raw {
    Zero,
    Identity,
    Scale(Expr),
    Diagonal(Expr),
    RankOne(Expr, Expr, Expr),
    Project(Expr),
    Inject(Expr),
    Function(String, Vec<Option<Expr>>),
    Compose(Vec<Raw>),
    /// Whether it is one of an array.
    List(Family, bool, Vec<Raw>),
    Map(Box<Raw>),
    Over(Family, String, Expr, Box<Raw>),
    Name(String),
    Call(String, Vec<Expr>),
    If(Expr, Box<[Raw; 2]>),
    Builds(String, Expr, Box<Raw>),
    Loop {
        word: String,
        state: String,
        index: String,
        count: Expr,
        parts: Box<[Raw; 2]>,
    },
    Let(Vec<(Option<String>, Equal)>, Box<Raw>),
    Adjoint(Box<Raw>),
    To(Box<Raw>, Space),
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(crate) enum Equal {
    Map(Raw),
    Value(String, Expr),
}

pub(crate) fn map(text: &str) -> Result<Raw, String> {
    whole(text, Parser::binder)
}

pub(crate) fn expr(text: &str) -> Result<Expr, String> {
    whole(text, Parser::expr)
}

pub(crate) fn space(text: &str) -> Result<Space, String> {
    whole(text, Parser::space)
}

fn whole<T>(text: &str, read: fn(&mut Parser) -> Result<T, String>) -> Result<T, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let found = read(&mut parser)?;
    match parser.tokens.get(parser.at) {
        None => Ok(found),
        Some(token) => Err(format!("`{}` is not expected", token.text)),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| &token.text)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek(0) == text;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        match self.accept(text) {
            true => Ok(()),
            false => Err(format!("expected `{text}`, found `{}`", self.peek(0))),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let text = self.peek(0).to_string();
        if !text.starts_with(is_letter) {
            return Err(format!("expected a name, found `{text}`"));
        }
        self.at += 1;
        Ok(text)
    }

    /// The name of a function, which may have several words.
    fn function(&mut self) -> Result<String, String> {
        let mut name = self.name()?;
        let is_word = |parser: &Parser, ahead: usize| {
            let word = parser.peek(ahead);
            word.starts_with(is_letter) && !matches!(word, "then" | "else" | "for" | "_")
        };
        let mut words = 0;
        while is_word(self, words) {
            words += 1;
        }
        let applied = self.peek(words) == "(" && self.tokens.get(self.at + words).is_some_and(|token| !token.apart);
        for _ in 0..if applied { words } else { 0 } {
            name = format!("{name} {}", self.name()?);
        }
        Ok(name)
    }

    /// Reads something nested, if that is not too deep.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Parser) -> Result<T, String>) -> Result<T, String> {
        if self.depth >= DEEPEST {
            return Err(format!("nested more than {DEEPEST} deep"));
        }
        self.depth += 1;
        let found = deep(|| read(self));
        self.depth -= 1;
        found
    }

    fn separated<T>(&mut self, end: &str, read: fn(&mut Parser) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut found = Vec::new();
        while !self.accept(end) {
            if !found.is_empty() {
                self.expect(",")?;
            }
            found.push(read(self)?);
        }
        Ok(found)
    }

    fn binder(&mut self) -> Result<Raw, String> {
        self.inside(|parser| {
            let word = parser.peek(0).to_string();
            let family = match word.as_str() {
                "build" => Some(Family::Fork),
                "join" => Some(Family::Join),
                "each" => Some(Family::Each),
                "sum" => Some(Family::Add),
                _ => None,
            };
            if parser.peek(2) == "<" && (family.is_some() || word == "builds") {
                parser.at += 1;
                let (index, count) = parser.range()?;
                parser.expect(".")?;
                let body = Box::new(parser.binder()?);
                return Ok(match family {
                    Some(family) => Raw::Over(family, index, count, body),
                    None => Raw::Builds(index, count, body),
                });
            }
            if matches!(word.as_str(), "loop" | "scan" | "trace") && parser.peek(1) == "D" {
                parser.at += 2;
                let state = parser.name()?;
                parser.expect("=")?;
                let start = parser.sum()?;
                parser.expect("for")?;
                let (index, count) = parser.range()?;
                parser.expect(".")?;
                let parts = Box::new([start, parser.binder()?]);
                return Ok(Raw::Loop { word, state, index, count, parts });
            }
            if parser.accept("if") {
                let condition = parser.expr()?;
                parser.expect("then")?;
                let yes = parser.sum()?;
                parser.expect("else")?;
                return Ok(Raw::If(condition, Box::new([yes, parser.binder()?])));
            }
            parser.sum()
        })
    }

    fn sum(&mut self) -> Result<Raw, String> {
        let mut maps = vec![self.side()?];
        while self.accept("+") {
            maps.push(self.side()?);
        }
        Ok(if maps.len() == 1 { maps.remove(0) } else { Raw::List(Family::Add, false, maps) })
    }

    fn side(&mut self) -> Result<Raw, String> {
        let mut maps = vec![self.chain()?];
        for (sign, family) in [("×", Family::Fork), ("⋈", Family::Join)] {
            while self.accept(sign) {
                maps.push(self.chain()?);
            }
            if maps.len() > 1 {
                return Ok(Raw::List(family, false, maps));
            }
        }
        Ok(maps.remove(0))
    }

    fn chain(&mut self) -> Result<Raw, String> {
        let mut maps = vec![self.product()?];
        while self.accept("∘") {
            maps.push(self.product()?);
        }
        Ok(if maps.len() == 1 { maps.remove(0) } else { Raw::Compose(maps) })
    }

    fn product(&mut self) -> Result<Raw, String> {
        let one = || Expr::Number(1.0);
        if self.peek(0) == "_" && self.peek(1) == "·" {
            self.at += 2;
            return Ok(Raw::RankOne(one(), self.atom()?, one()));
        }
        let begin = self.at;
        if let Ok(first) = self.atom() {
            if self.accept("⊗") {
                return Ok(Raw::RankOne(one(), first, self.atom()?));
            }
            if self.accept("·") {
                return match self.word()? {
                    Raw::RankOne(c, u, v) if c == one() => Ok(Raw::RankOne(first, u, v)),
                    Raw::Function(name, arguments) => match (name.as_str(), &arguments[..]) {
                        ("dot", [Some(row), None]) => Ok(Raw::RankOne(first, one(), row.clone())),
                        _ => Err("only maps of rank one have a coefficient before `·`".into()),
                    },
                    _ => Err("only maps of rank one have a coefficient before `·`".into()),
                };
            }
        }
        self.at = begin;
        self.word()
    }

    fn word(&mut self) -> Result<Raw, String> {
        let word = self.peek(0).to_string();
        let follows = self.tokens.get(self.at + 1).is_some_and(|token| token.apart);
        match word.as_str() {
            "scale" | "diagonal" | "project" | "inject" if follows => {
                self.at += 1;
                let value = self.atom()?;
                return Ok(match word.as_str() {
                    "scale" => Raw::Scale(value),
                    "diagonal" => Raw::Diagonal(value),
                    "project" => Raw::Project(value),
                    _ => Raw::Inject(value),
                });
            }
            "map" if follows => {
                self.at += 1;
                return Ok(Raw::Map(Box::new(self.adjoint()?)));
            }
            "fork" | "join" | "each" | "add" | "compose" if follows && matches!(self.peek(1), "[" | "(") => {
                let family = match word.as_str() {
                    "fork" => Some(Family::Fork),
                    "join" => Some(Family::Join),
                    "each" => Some(Family::Each),
                    "add" => Some(Family::Add),
                    _ => None,
                };
                let array = self.peek(1) == "[";
                self.at += 2;
                let maps = self.separated(if array { "]" } else { ")" }, Parser::binder)?;
                return Ok(match family {
                    Some(family) => Raw::List(family, array, maps),
                    None => Raw::Compose(maps),
                });
            }
            "D" if follows || self.peek(1) == "[" => {
                self.at += 1;
                let mut which = String::new();
                if self.accept("[") {
                    let names = self.separated("]", Parser::name)?;
                    which = format!("[{}]", names.join(", "));
                }
                let name = self.function()?;
                let apart = self.tokens.get(self.at).is_none_or(|token| token.apart);
                if !apart && self.accept("(") {
                    let arguments = self.separated(")", Parser::expr)?;
                    return Ok(Raw::Call(format!("D{which} {name}"), arguments));
                }
                return Ok(Raw::Name(name));
            }
            _ => {}
        }
        self.adjoint()
    }

    fn adjoint(&mut self) -> Result<Raw, String> {
        let mut map = self.inside(Parser::alone)?;
        while self.accept("ᵀ") {
            map = Raw::Adjoint(Box::new(map));
        }
        Ok(map)
    }

    fn alone(&mut self) -> Result<Raw, String> {
        if self.accept("(") {
            let map = self.binder()?;
            let map = if self.accept(":") { Raw::To(Box::new(map), self.space()?) } else { map };
            self.expect(")")?;
            return Ok(map);
        }
        if self.accept("{") {
            let mut names = Vec::new();
            loop {
                if self.peek(0) == "D" && self.peek(2) == "=" {
                    self.at += 1;
                    let name = self.name()?;
                    self.at += 1;
                    names.push((Some(name), Equal::Map(self.binder()?)));
                } else if self.peek(1) == "=" {
                    let name = self.name()?;
                    self.at += 1;
                    names.push((None, Equal::Value(name, self.expr()?)));
                } else {
                    let map = self.binder()?;
                    self.expect("}")?;
                    return Ok(Raw::Let(names, Box::new(map)));
                }
                self.expect(";")?;
            }
        }
        if self.accept("0") {
            return Ok(Raw::Zero);
        }
        let name = self.function()?;
        let apart = self.tokens.get(self.at).is_none_or(|token| token.apart);
        if !apart && self.accept("(") {
            let argument = |parser: &mut Parser| match parser.accept("_") {
                true => Ok(None),
                false => parser.expr().map(Some),
            };
            return Ok(Raw::Function(name, self.separated(")", argument)?));
        }
        match name.as_str() {
            "id" => Ok(Raw::Identity),
            "D" => Err("a name is missing after `D`".into()),
            _ => Ok(Raw::Function(name, Vec::new())),
        }
    }
}
