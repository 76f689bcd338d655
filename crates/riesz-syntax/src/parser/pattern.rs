//! Names and patterns.

use super::Parser;
use crate::Diagnostic;
use crate::token::{Gap, TokenKind};
use crate::tree::{Ident, Pattern, PatternKind};

impl Parser<'_> {
    /// `name`; a keyword in its place is reported and taken for one.
    pub(super) fn ident(&mut self, expected: &str) -> Option<Ident> {
        let token = self.current();
        if token.kind != TokenKind::Name {
            if !(token.kind.is_keyword() && token.gap == Gap::None) {
                self.fail_expecting(expected);
                return None;
            }
            let word = self.text_of(token);
            let span = self.here();
            let message = format!("`{word}` is a keyword and cannot be a name");
            let diagnostic = Diagnostic::error("keyword-as-name", span, message);
            self.complain(diagnostic.suggest(span, "choose another name, such as", format!("{word}'")));
            self.keyword_names.push(token.kind);
        }
        let token = self.bump();
        Some(Ident { name: self.name_of(token), span: self.span_of(token) })
    }

    /// `pattern := name | "_" | "(" pattern { "," pattern } ")"`
    pub(super) fn pattern(&mut self) -> Pattern {
        let start = self.current().start;
        let kind = match self.kind() {
            _ if self.recovering => PatternKind::Error,
            TokenKind::Underscore => {
                self.bump();
                PatternKind::Wildcard
            }
            TokenKind::LeftParen => self.nested_owned(Parser::tuple_pattern).unwrap_or(PatternKind::Error),
            kind if kind == TokenKind::Name || (kind.is_keyword() && self.current().gap == Gap::None) => {
                self.ident("a name").map_or(PatternKind::Error, |ident| PatternKind::Name(ident.name))
            }
            TokenKind::Integer | TokenKind::Real | TokenKind::True | TokenKind::False => {
                let message = format!("expected a name, found {}", self.found(self.current()));
                let diagnostic = Diagnostic::error("unexpected-token", self.here(), message).here("expected a name");
                self.fail(diagnostic.help("a pattern binds names: `x`, `_`, `(x, y)`; it does not compare"));
                PatternKind::Error
            }
            _ => {
                self.fail_expecting("a name");
                PatternKind::Error
            }
        };
        Pattern { kind, span: self.span_from(start) }
    }

    fn tuple_pattern(&mut self) -> PatternKind {
        let start = self.current().start;
        let mut patterns = Vec::new();
        let empty = self.next().kind == TokenKind::RightParen;
        self.bracketed(false, |parser| {
            if !empty {
                parser.comma_separated(|parser| {
                    patterns.push(parser.pattern());
                    if parser.at(TokenKind::Colon) {
                        let message = "a type cannot stand inside a pattern";
                        let diagnostic = Diagnostic::error("type-in-pattern", parser.here(), message);
                        parser.fail(diagnostic.help("it follows the whole pattern, as in `(a, b): (R, R)`"));
                    }
                });
            }
        });
        if empty {
            let span = self.span_from(start);
            let diagnostic = Diagnostic::error("empty-pattern", span, "`()` binds nothing");
            self.complain(diagnostic.suggest(span, "write", "_"));
            return PatternKind::Error;
        }
        match <[Pattern; 1]>::try_from(patterns) {
            Ok([pattern]) => pattern.kind,
            Err(patterns) => PatternKind::Tuple(patterns),
        }
    }
}
