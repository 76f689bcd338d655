//! The functions by which the rules read tokens: lists, brackets, numbers, words and symbols.

use super::token::Kind;
use super::{DEEPEST, ParseError, Parsed, Parser};
use crate::space::SpaceError;

impl Parser {
    pub(crate) fn listed<T>(&mut self, item: impl FnMut(&mut Parser) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.symbol("[")?;
        self.items("]", item)
    }

    /// Items with commas between them, to the closing bracket; a comma may stand before that.
    pub(crate) fn items<T>(
        &mut self,
        close: &'static str,
        mut item: impl FnMut(&mut Parser) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(item(self)?);
            if !self.take(",") {
                self.symbol(close)?;
                break;
            }
        }
        Ok(items)
    }

    pub(crate) fn within<T>(
        &mut self,
        open: &'static str,
        close: &'static str,
        rule: fn(&mut Parser) -> Parsed<T>,
    ) -> Parsed<T> {
        self.symbol(open)?;
        let inner = rule(self)?;
        self.symbol(close)?;
        Ok(inner)
    }

    pub(crate) fn nested<T>(&mut self, rule: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return self.wrong(self.offset(), format!("brackets are nested more than {DEEPEST} deep"));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn number(&mut self) -> Parsed<f64> {
        match *self.peek() {
            Kind::Number(value, _) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.expected("a number"),
        }
    }

    pub(crate) fn size(&mut self) -> Parsed<usize> {
        match *self.peek() {
            Kind::Number(_, Some(size)) => {
                self.at += 1;
                Ok(size)
            }
            _ => self.expected("a size or an index"),
        }
    }

    pub(crate) fn step(&mut self) -> Parsed<isize> {
        self.word("by")?;
        match *self.peek() {
            Kind::Number(value, _) if value as isize as f64 == value && value.abs() < 9e15 => {
                self.at += 1;
                Ok(value as isize)
            }
            _ => self.expected("a step"),
        }
    }

    pub(crate) fn word(&mut self, word: &str) -> Parsed<()> {
        match self.peek() {
            Kind::Word(found) if found == word => {
                self.at += 1;
                Ok(())
            }
            _ => self.expected(&format!("`{word}`")),
        }
    }

    pub(crate) fn symbol(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.take(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    pub(crate) fn take(&mut self, symbol: &'static str) -> bool {
        let taken = self.peek() == &Kind::Symbol(symbol);
        self.at += usize::from(taken);
        taken
    }

    pub(crate) fn peek(&self) -> &Kind {
        &self.tokens[self.at].0
    }

    pub(crate) fn peek_after(&self) -> &Kind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    pub(crate) fn offset(&self) -> usize {
        self.tokens[self.at].1
    }

    pub(crate) fn fit<T>(&self, offset: usize, result: Result<T, SpaceError>) -> Parsed<T> {
        result.map_err(|error| ParseError { offset, message: error.to_string() })
    }

    pub(crate) fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = match self.peek() {
            Kind::End => "the end of the text".to_string(),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::Word(word) => format!("`{word}`"),
            Kind::Number(value, _) => format!("`{value:?}`"),
        };
        self.wrong(self.offset(), format!("{what} was expected, and here is {found}"))
    }

    pub(crate) fn wrong<T>(&self, offset: usize, message: String) -> Parsed<T> {
        Err(ParseError { offset, message })
    }
}
