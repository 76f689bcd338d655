//! Expressions.
//!
//! ```text
//! or ; and ; not ; comparisons ; + - ; * / ; unary - ; ^ ; postfix
//! ```
//!
//! The list is from loose to tight. [`Parser::binary`] parses infix operators by precedence climbing; a form that
//! begins with a keyword or `\` may stand wherever an operand may, and extends as far to the right as possible.

use super::Parser;
use crate::lexer::{integer_value, real_value};
use crate::token::{Gap, TokenKind};
use crate::tree::{
    Argument, BinaryOperator, ExprId, ExprKind, Field, Generator, Ident, Pattern, PatternKind, UnaryOperator,
};
use crate::{Diagnostic, Span};

/// How tightly operators bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    /// Above all infix operators except `^`, which binds its left operand even tighter.
    Negation,
}

/// A token between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Operator(BinaryOperator),
    Approximately,
}

impl Parser<'_> {
    /// The body of an item or a block. Where it begins with `name =` on a line of its own, the `let` was forgotten.
    pub(super) fn statements(&mut self) -> ExprId {
        let start = self.current().start;
        if self.current().gap != Gap::None && self.at(TokenKind::Name) && self.next().kind == TokenKind::Equals {
            return self.nested(Parser::let_sequence).unwrap_or_else(|| self.error_expr(start));
        }
        self.expression()
    }

    /// `expr`
    pub(super) fn expression(&mut self) -> ExprId {
        let start = self.current().start;
        if self.recovering {
            return self.error_expr(start);
        }
        self.nested(|parser| parser.binary(Level::Or)).unwrap_or_else(|| self.error_expr(start))
    }

    /// A chain of operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: Level) -> ExprId {
        let start = self.current().start;
        let mut left = self.operand();
        let mut compared: Option<Span> = None;
        loop {
            if self.recovering || self.ends_here() {
                return left;
            }
            let Some((infix, binds)) = self.infix() else { return left };
            if binds < level {
                return left;
            }
            let operator_span = self.here();
            if binds == Level::Comparison
                && let Some(first) = compared.replace(operator_span)
            {
                self.report_chained_comparison(first);
            }
            self.bump();
            let right = self.binary(match binds {
                Level::Or => Level::And,
                Level::And => Level::Not,
                Level::Not | Level::Comparison => Level::Sum,
                Level::Sum => Level::Product,
                Level::Product | Level::Negation => Level::Negation,
            });
            let kind = match infix {
                Infix::Operator(operator) => ExprKind::Binary { operator, operator_span, left, right },
                Infix::Approximately => {
                    let tolerance = self.eat(TokenKind::Within).then(|| self.binary(Level::Sum));
                    ExprKind::Approximately { left, right, tolerance }
                }
            };
            left = self.tree.add(kind, self.span_from(start));
        }
    }

    /// The infix operator at the current token, `^` excepted. An `=` here is a mistaken `==`.
    fn infix(&mut self) -> Option<(Infix, Level)> {
        let (operator, level) = match self.kind() {
            TokenKind::Or => (BinaryOperator::Or, Level::Or),
            TokenKind::And => (BinaryOperator::And, Level::And),
            TokenKind::Equal => (BinaryOperator::Equal, Level::Comparison),
            TokenKind::NotEqual => (BinaryOperator::NotEqual, Level::Comparison),
            TokenKind::Less => (BinaryOperator::Less, Level::Comparison),
            TokenKind::LessEqual => (BinaryOperator::LessEqual, Level::Comparison),
            TokenKind::Greater => (BinaryOperator::Greater, Level::Comparison),
            TokenKind::GreaterEqual => (BinaryOperator::GreaterEqual, Level::Comparison),
            TokenKind::Plus => (BinaryOperator::Add, Level::Sum),
            TokenKind::Minus => (BinaryOperator::Subtract, Level::Sum),
            TokenKind::Star => (BinaryOperator::Multiply, Level::Product),
            TokenKind::Slash => (BinaryOperator::Divide, Level::Product),
            TokenKind::Approximately => return Some((Infix::Approximately, Level::Comparison)),
            TokenKind::Equals => {
                let diagnostic = self.single_equals();
                self.complain(diagnostic);
                self.tokens[self.position].kind = TokenKind::Equal;
                (BinaryOperator::Equal, Level::Comparison)
            }
            _ => return None,
        };
        Some((Infix::Operator(operator), level))
    }

    /// One operand of the operators above: a form, a prefix operator and its operand, or a power.
    fn operand(&mut self) -> ExprId {
        let start = self.current().start;
        let parsed = match self.kind() {
            _ if self.is_operator_alone() => Some(self.power()),
            TokenKind::Let => self.nested(Parser::let_sequence),
            TokenKind::Backslash => self.nested(Parser::lambda),
            TokenKind::If => self.nested(Parser::conditional),
            TokenKind::Loop => self.nested(Parser::loop_),
            TokenKind::Not => self.nested(|parser| parser.prefix(UnaryOperator::Not, Level::Not)),
            TokenKind::Minus => self.nested(|parser| parser.prefix(UnaryOperator::Negate, Level::Negation)),
            _ => Some(self.power()),
        };
        parsed.unwrap_or_else(|| self.error_expr(start))
    }

    fn prefix(&mut self, operator: UnaryOperator, level: Level) -> ExprId {
        let start = self.bump().start;
        let operand = self.binary(level);
        self.tree.add(ExprKind::Unary { operator, operand }, self.span_from(start))
    }

    /// `postfix [ "^" operand ]`
    fn power(&mut self) -> ExprId {
        let start = self.current().start;
        let left = self.postfix();
        if !self.at(TokenKind::Caret) || self.recovering {
            return left;
        }
        let operator_span = self.here();
        self.bump();
        let right_start = self.current().start;
        let right = self.nested(Parser::operand).unwrap_or_else(|| self.error_expr(right_start));
        let kind = ExprKind::Binary { operator: BinaryOperator::Power, operator_span, left, right };
        self.tree.add(kind, self.span_from(start))
    }

    /// `atom { call | index | field }`
    fn postfix(&mut self) -> ExprId {
        let start = self.current().start;
        let mut expr = self.atom();
        loop {
            if self.recovering {
                return expr;
            }
            let kind = match self.kind() {
                TokenKind::LeftParen if !self.ends_here() => self.call(expr),
                TokenKind::LeftBracket if !self.ends_here() => self.index(expr),
                TokenKind::Dot => self.field(expr),
                _ => return expr,
            };
            expr = self.tree.add(kind, self.span_from(start));
        }
    }

    /// `"(" [ args ] ")"`
    fn call(&mut self, function: ExprId) -> ExprKind {
        let mut arguments = Vec::new();
        let mut generators = Vec::new();
        let empty = self.next().kind == TokenKind::RightParen;
        self.bracketed(false, |parser| {
            if empty {
                return;
            }
            parser.comma_separated(|parser| arguments.push(parser.argument()));
            if parser.at(TokenKind::Bar) {
                if let Some(Argument::Hole(span)) = arguments.last() {
                    let message = "the last argument of a call with generators is an element";
                    let diagnostic = Diagnostic::error("hole-outside-call", *span, message);
                    let diagnostic = diagnostic.here("expected an expression");
                    parser.complain(diagnostic.help("name the open argument: `\\x -> f(x | i < n)`"));
                }
                generators = parser.generators();
            }
        });
        ExprKind::Call { function, arguments, generators }
    }

    /// `arg := expr | "_"`
    fn argument(&mut self) -> Argument {
        let ends = matches!(self.next().kind, TokenKind::Comma | TokenKind::RightParen | TokenKind::Bar);
        if self.at(TokenKind::Underscore) && ends {
            let token = self.bump();
            return Argument::Hole(self.span_of(token));
        }
        Argument::Value(self.expression())
    }

    /// `"[" expr { "," expr } "]"`
    fn index(&mut self, array: ExprId) -> ExprKind {
        let mut indices = Vec::new();
        self.bracketed(false, |parser| parser.comma_separated(|parser| indices.push(parser.expression())));
        ExprKind::Index { array, indices }
    }

    /// `"." integer | "." name`
    fn field(&mut self, of: ExprId) -> ExprKind {
        self.bump();
        let token = self.current();
        let field_span = self.here();
        let field = match token.kind {
            TokenKind::Integer => {
                self.bump();
                Field::Position(self.text_of(token).parse().unwrap_or(u32::MAX))
            }
            _ => match self.ident("the name or number of a field") {
                Some(ident) => Field::Name(ident.name),
                None => return ExprKind::Error,
            },
        };
        ExprKind::Field { of, field, field_span }
    }

    fn atom(&mut self) -> ExprId {
        let token = self.current();
        let kind = match token.kind {
            TokenKind::Integer => ExprKind::Integer(integer_value(self.text_of(token))),
            TokenKind::Real => ExprKind::Real(real_value(self.text_of(token))),
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::Name => ExprKind::Name(self.name_of(token)),
            kind if self.keyword_names.contains(&kind) && token.gap == Gap::None => ExprKind::Name(self.name_of(token)),
            TokenKind::LeftParen => return self.parenthesised(),
            TokenKind::LeftBracket => return self.array(),
            TokenKind::LeftBrace => return self.braces(),
            _ => {
                let diagnostic = self.no_expression();
                self.fail(diagnostic);
                return self.error_expr(token.start);
            }
        };
        self.bump();
        self.tree.add(kind, self.span_of(token))
    }

    /// `"(" ")" | "(" expr { "," expr } ")"`
    fn parenthesised(&mut self) -> ExprId {
        let start = self.current().start;
        let mut exprs = Vec::new();
        let empty = self.next().kind == TokenKind::RightParen;
        self.bracketed(false, |parser| {
            if !empty {
                parser.comma_separated(|parser| exprs.push(parser.expression()));
            }
        });
        let kind = match exprs[..] {
            [expr] => ExprKind::Paren(expr),
            _ => ExprKind::Tuple(exprs),
        };
        self.tree.add(kind, self.span_from(start))
    }

    /// `"[" [ expr { "," expr } ] "]" | "[" expr "|" gens "]"`
    fn array(&mut self) -> ExprId {
        let start = self.current().start;
        let mut exprs = Vec::new();
        let mut generators = Vec::new();
        let empty = self.next().kind == TokenKind::RightBracket;
        self.bracketed(false, |parser| {
            if empty {
                return;
            }
            parser.comma_separated(|parser| exprs.push(parser.expression()));
            if parser.at(TokenKind::Bar) {
                if exprs.len() > 1 {
                    let bar = parser.here();
                    let message = "an array with generators has one element before `|`";
                    let diagnostic = Diagnostic::error("malformed-comprehension", bar, message);
                    parser.complain(diagnostic.help("for an array of tuples, write `[(a, b) | i < n]`"));
                }
                generators = parser.generators();
            }
        });
        let kind = match (&exprs[..], generators.is_empty()) {
            ([body], false) => ExprKind::Comprehension { body: *body, generators },
            _ => ExprKind::Array(exprs),
        };
        self.tree.add(kind, self.span_from(start))
    }

    /// `"|" gen { "," gen }`
    fn generators(&mut self) -> Vec<Generator> {
        self.bump();
        let mut generators = Vec::new();
        self.comma_separated(|parser| generators.extend(parser.generator()));
        generators
    }

    /// `gen := name "<" expr | pattern "in" expr`
    pub(super) fn generator(&mut self) -> Option<Generator> {
        let pattern = self.pattern();
        match (self.kind(), pattern.kind) {
            (TokenKind::In, kind) => {
                self.bump();
                let pattern = Pattern { kind, span: pattern.span };
                Some(Generator::Each { pattern, array: self.expression() })
            }
            (TokenKind::Less, PatternKind::Name(name)) => {
                self.bump();
                Some(Generator::Below { index: Ident { name, span: pattern.span }, bound: self.expression() })
            }
            (TokenKind::Less, kind @ (PatternKind::Wildcard | PatternKind::Tuple(_)))
                if self.next().kind == TokenKind::Minus && self.next().start == self.current().end =>
            {
                let arrow = self.here().to(self.span_of(self.next()));
                let message = "`<-` is not an operator of Riesz";
                self.complain(Diagnostic::error("malformed-generator", arrow, message).suggest(
                    arrow,
                    "a generator runs over an array with",
                    "in",
                ));
                self.bump();
                self.bump();
                let pattern = Pattern { kind, span: pattern.span };
                Some(Generator::Each { pattern, array: self.expression() })
            }
            (TokenKind::Less, PatternKind::Wildcard) => {
                let diagnostic =
                    Diagnostic::error("malformed-generator", pattern.span, "the index of `i < n` is a name");
                self.complain(diagnostic.suggest(pattern.span, "if nothing uses it, write", "_i"));
                self.bump();
                Some(Generator::Below {
                    index: Ident { name: "_".into(), span: pattern.span },
                    bound: self.expression(),
                })
            }
            (TokenKind::Less, PatternKind::Tuple(_)) => {
                let diagnostic =
                    Diagnostic::error("malformed-generator", pattern.span, "the index of `i < n` is a name");
                self.fail(diagnostic.help("for two indices, write two generators: `i < m, j < n`"));
                None
            }
            (TokenKind::LessEqual, PatternKind::Name(name)) => {
                let message = "the bound of a generator is exclusive";
                let diagnostic = Diagnostic::error("malformed-generator", self.here(), message);
                self.complain(diagnostic.help(format!("write `{name} < n + 1` for `{name} <= n`")));
                self.bump();
                Some(Generator::Below { index: Ident { name, span: pattern.span }, bound: self.expression() })
            }
            _ => {
                let message = format!("expected `<` or `in`, found {}", self.found(self.current()));
                let diagnostic = Diagnostic::error("malformed-generator", self.here(), message)
                    .here("expected `<` or `in`")
                    .help("a generator is `i < n` or `x in v`");
                self.fail(match self.kind() {
                    TokenKind::Greater | TokenKind::GreaterEqual | TokenKind::Equal | TokenKind::NotEqual => diagnostic
                        .help(
                            "there are no filters: choose in the element, as in `sum(if x > 0 then x else 0 | x in v)`",
                        ),
                    _ => diagnostic,
                });
                None
            }
        }
    }

    /// `"{" name "=" expr { "," name "=" expr } "}"`, or a block.
    fn braces(&mut self) -> ExprId {
        let start = self.current().start;
        let first = self.next();
        if first.kind == TokenKind::RightBrace {
            self.bracketed(true, |_| ());
            let span = self.span_from(start);
            let message = "`{}` is neither a record nor a block";
            let diagnostic = Diagnostic::error("empty-braces", span, message);
            self.complain(diagnostic.suggest(span, "the empty tuple is written", "()"));
            return self.error_expr(start);
        }
        let second = self.tokens[(self.position + 2).min(self.tokens.len() - 1)].kind;
        let named = first.kind == TokenKind::Name || first.kind.is_keyword();
        let kind = if named && matches!(second, TokenKind::Equals | TokenKind::Colon) {
            let mut fields = Vec::new();
            let mut told = false;
            self.bracketed(false, |parser| {
                parser.comma_separated(|parser| fields.extend(parser.record_field(&mut told)));
            });
            ExprKind::Record(fields)
        } else {
            ExprKind::Block(self.bracketed(true, |parser| {
                let body = parser.statements();
                parser.recover_in_block();
                body
            }))
        };
        self.tree.add(kind, self.span_from(start))
    }

    /// `told`: whether the user knows how the fields of this record are written.
    fn record_field(&mut self, told: &mut bool) -> Option<(Ident, ExprId)> {
        if self.current().gap == Gap::Newline {
            self.tokens[self.position].gap = Gap::None;
        }
        let name = self.ident("the name of a field")?;
        if self.at(TokenKind::Colon) {
            let span = self.here();
            if !std::mem::replace(told, true) {
                let diagnostic = Diagnostic::error("unexpected-token", span, "the value of a field follows `=`");
                self.complain(diagnostic.suggest(span, "write", " ="));
            }
            self.bump();
        } else {
            self.expect(TokenKind::Equals, "and the value of the field");
        }
        Some((name, self.expression()))
    }

    fn report_chained_comparison(&mut self, first: Span) {
        let here = self.here();
        let diagnostic = Diagnostic::error("chained-comparison", here, "comparisons do not chain")
            .label(first, "after this comparison")
            .help("write `a < b and b < c`");
        self.complain(diagnostic);
    }
}
