//! Tokens to tree, by hand: recursive descent for the forms, precedence climbing for the operators.
//!
//! The parser guarantees:
//!
//! - It always returns a tree. If the text is wrong, the tree contains `Error` nodes, and there is at least one
//!   diagnostic.
//! - One mistake gives one message. After a message the parser is *recovering*: it reports nothing until it reaches a
//!   place where it can resynchronise, which is a comma or closing bracket of the innermost bracket, the next statement
//!   of a block, or the next item.
//! - Its time is linear in the text, and its stack is bounded: sequences of `let` and chains of operators are loops,
//!   and all nesting is counted against [`ParseOptions::max_nesting`].
//!
//! **Line ends.** Each token records the gap before it. After an operand, `Parser::ends_here` decides whether the gap
//! also ends the expression. No other part of the parser looks at line ends, except to tell a `let` that it may
//! continue.

mod expr;
mod form;
mod hint;
mod item;
mod pattern;
mod recover;
mod ty;

use crate::lexer::lex;
use crate::token::{Gap, Token, TokenKind};
use crate::tree::{ExprId, Name, Parameter, Tree, Type};
use crate::{Diagnostic, FileId, Span};
use std::collections::HashMap;

/// How many errors of a text are reported.
pub const MAX_ERRORS: usize = 50;

/// Types, patterns and sizes own their parts, so their destructors recurse: they never nest deeper than this.
const MAX_OWNED_NESTING: usize = 1000;

/// The options of parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// How deep brackets and the like may nest.
    pub max_nesting: usize,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions { max_nesting: 1000 }
    }
}

/// Parses a file.
pub fn parse(file: FileId, text: &str, options: &ParseOptions) -> (Tree, Vec<Diagnostic>) {
    let mut parser = match Parser::new(file, text, options) {
        Ok(parser) => parser,
        Err(diagnostics) => return (Tree::default(), diagnostics),
    };
    parser.program();
    let is_no_program = parser.tree.items.is_empty() && !parser.begins_item(parser.tokens[0]);
    let (tree, mut diagnostics) = parser.finish();
    if is_no_program && diagnostics.first().is_some_and(|first| first.code != "foreign-keyword") {
        // A page of text or the like: the first message says it, and many more would quote it at length.
        diagnostics.truncate(1);
    }
    (tree, diagnostics)
}

/// Parses one expression, which must be the whole text. There is an expression unless the text is empty.
pub fn parse_expression(file: FileId, text: &str, options: &ParseOptions) -> (Tree, Option<ExprId>, Vec<Diagnostic>) {
    let mut parser = match Parser::new(file, text, options) {
        Ok(parser) => parser,
        Err(diagnostics) => return (Tree::default(), None, diagnostics),
    };
    let expr = parser.whole_expression();
    let (tree, diagnostics) = parser.finish();
    (tree, expr, diagnostics)
}

/// Parses a type, which must be the whole text.
pub fn parse_type(file: FileId, text: &str) -> Result<Type, Vec<Diagnostic>> {
    let mut parser = Parser::new(file, text, &ParseOptions::default())?;
    let ty = parser.ty();
    parser.expect_end("a type");
    parser.finish_as(ty)
}

/// Parses parameters and result of a function, such as `(v: [n]t, from: Int, to: Int): [to - from]t`.
pub fn parse_signature(file: FileId, text: &str) -> Result<(Vec<Parameter>, Option<Type>), Vec<Diagnostic>> {
    let mut parser = Parser::new(file, text, &ParseOptions::default())?;
    let signature = parser.signature();
    parser.expect_end("a signature");
    parser.finish_as(signature)
}

pub(crate) struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    /// The token to look at next; the last token, [`TokenKind::End`], is never passed.
    position: usize,
    tree: Tree,
    diagnostics: Vec<Diagnostic>,
    /// How many of them are the parser's and not the lexer's.
    complaints: usize,
    /// Whether to keep quiet about further errors.
    recovering: bool,
    /// The brackets that are open, by the positions of their tokens.
    open: Vec<usize>,
    context: Context,
    /// The last statement to which a line was joined that should have been one of its own or none.
    joined: Option<u32>,
    depth: usize,
    owned_depth: usize,
    /// How many types or signatures the parser is in.
    typing: usize,
    max_nesting: usize,
    /// Whether the user knows that the text is too deep.
    too_deep: bool,
    /// The keywords that the user knows are no names.
    keyword_names: Vec<TokenKind>,
    names: HashMap<&'a str, Name>,
}

/// The context that determines the meaning of line ends.
#[derive(Clone, Copy)]
struct Context {
    /// Whether the innermost bracket is that of a block, or there is none.
    newlines_count: bool,
    /// The byte at which the innermost statement begins: an item, a `let`, or the expression after it.
    statement: u32,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str, options: &ParseOptions) -> Result<Parser<'a>, Vec<Diagnostic>> {
        if u32::try_from(text.len()).is_err() {
            return Err(vec![Diagnostic::placeless("file-too-large", "a source text must be shorter than 4 GiB")]);
        }
        let lexed = lex(file, text);
        Ok(Parser {
            file,
            text,
            tokens: lexed.tokens,
            position: 0,
            tree: Tree::default(),
            diagnostics: lexed.diagnostics,
            complaints: 0,
            recovering: false,
            open: Vec::new(),
            context: Context { newlines_count: true, statement: 0 },
            joined: None,
            depth: 0,
            owned_depth: 0,
            typing: 0,
            max_nesting: options.max_nesting,
            too_deep: false,
            keyword_names: Vec::new(),
            names: HashMap::new(),
        })
    }

    fn finish(mut self) -> (Tree, Vec<Diagnostic>) {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span.start));
        self.diagnostics.truncate(MAX_ERRORS);
        (self.tree, self.diagnostics)
    }

    fn finish_as<T>(self, value: T) -> Result<T, Vec<Diagnostic>> {
        let (_, diagnostics) = self.finish();
        if diagnostics.is_empty() { Ok(value) } else { Err(diagnostics) }
    }

    fn current(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.current().kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// The token after the current one; at the end, the end.
    fn next(&self) -> Token {
        self.tokens[(self.position + 1).min(self.tokens.len() - 1)]
    }

    /// The byte after the last token that was consumed.
    fn end_of_previous(&self) -> u32 {
        match self.position {
            0 => self.current().start,
            position => self.tokens[position - 1].end,
        }
    }

    /// Consumes the current token.
    fn bump(&mut self) -> Token {
        let token = self.current();
        if token.gap == Gap::Semicolon && !self.context.newlines_count {
            self.complain(self.semicolon());
        }
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }

    /// Consumes the current token if it is of this kind.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn name_of(&mut self, token: Token) -> Name {
        let text = self.text_of(token);
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    fn span_of(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// From a byte to the end of the last token consumed; empty where none was.
    fn span_from(&self, start: u32) -> Span {
        Span { file: self.file, start, end: self.end_of_previous().max(start) }
    }

    /// The current token, or the place after the last one at the end.
    fn here(&self) -> Span {
        if self.at(TokenKind::End) { self.after_previous() } else { self.span_of(self.current()) }
    }

    /// The place after the last token that was consumed.
    fn after_previous(&self) -> Span {
        let end = self.end_of_previous();
        Span { file: self.file, start: end, end }
    }

    /// Whether an operand that has just ended ends its expression too, because of the gap before the current token.
    ///
    /// The other tokens that may follow an operand after a newline need no decision here: operators other than `-`
    /// continue it, and everything else could not continue it anyway.
    fn ends_here(&mut self) -> bool {
        let token = self.current();
        let applies = matches!(token.kind, TokenKind::LeftParen | TokenKind::LeftBracket);
        if !applies && token.kind != TokenKind::Minus {
            return false;
        }
        match (token.gap, self.context.newlines_count) {
            (Gap::None, _) => false,
            (Gap::Semicolon, _) => true,
            (Gap::Newline, false) if !applies => false,
            (Gap::Newline, counts) => {
                if counts && self.column(token.start) <= self.indentation(self.context.statement) {
                    return true;
                }
                self.report_operator_on_next_line();
                false
            }
        }
    }

    /// Parses something that may contain itself; `None`, with an error, where it would be too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser<'a>) -> T) -> Option<T> {
        if self.depth >= self.max_nesting {
            self.report_nesting();
            return None;
        }
        self.depth += 1;
        let parsed = on_a_large_stack(|| parse(self));
        self.depth -= 1;
        Some(parsed)
    }

    /// The same for types, patterns and sizes.
    fn nested_owned<T>(&mut self, parse: impl FnOnce(&mut Parser<'a>) -> T) -> Option<T> {
        if self.owned_depth >= MAX_OWNED_NESTING {
            self.report_nesting();
            return None;
        }
        self.owned_depth += 1;
        let parsed = self.nested(parse);
        self.owned_depth -= 1;
        parsed
    }

    /// Parses what stands between brackets, the current token being the opening one.
    ///
    /// The closing one is consumed if it is there.
    fn bracketed<T>(&mut self, newlines_count: bool, parse: impl FnOnce(&mut Parser<'a>) -> T) -> T {
        let opening = self.position;
        let outer = self.context;
        self.bump();
        self.open.push(opening);
        self.context = Context { newlines_count, statement: self.current().start };
        let parsed = parse(self);
        self.close(opening);
        self.open.pop();
        self.context = outer;
        parsed
    }

    /// Parses elements between commas up to the closing bracket, or up to a `|` where the caller asks for it.
    fn comma_separated(&mut self, mut element: impl FnMut(&mut Parser<'a>)) {
        loop {
            element(self);
            self.recover_in_brackets();
            if !self.at(TokenKind::Comma) {
                return;
            }
            let comma = self.bump();
            if self.kind().closes() {
                self.report_trailing_comma(comma);
                return;
            }
        }
    }
}

/// Runs with enough stack for one more level of nesting, however many there are already.
pub(crate) fn on_a_large_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, run)
}
