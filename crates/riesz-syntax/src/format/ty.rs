//! Patterns, parameters, types and sizes. They have no line breaks of their own outside brackets, so their tokens
//! determine their layout.

use super::Formatter;
use crate::parser::on_a_large_stack;
use crate::token::TokenKind;

impl Formatter<'_> {
    /// Prints a name or pattern, and what types there are, up to a token of this kind.
    pub(super) fn typed_until(&mut self, kind: TokenKind) {
        let mut depth = 0usize;
        let mut end = self.position;
        while !(depth == 0 && self.tokens[end].kind == kind) && self.tokens[end].kind != TokenKind::End {
            match self.tokens[end].kind {
                kind if kind.closing().is_some() => depth += 1,
                kind if kind.closes() => depth = depth.saturating_sub(1),
                _ => {}
            }
            end += 1;
        }
        self.typed_tokens(end, false);
    }

    /// Prints a pattern.
    pub(super) fn pattern(&mut self) {
        if self.at(TokenKind::LeftParen) { self.typed_brackets() } else { self.token() }
    }

    /// Prints the tokens before `end`, which are sizes or types.
    pub(super) fn typed_tokens(&mut self, end: usize, sizes: bool) {
        while self.position < end {
            match self.current() {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => self.typed_brackets(),
                TokenKind::Colon => self.token_space(),
                TokenKind::Comma => {
                    self.token();
                    self.line(" ");
                }
                TokenKind::Minus if !sizes && self.at_lollipop() => {
                    self.write(" ");
                    self.token();
                    self.token_space();
                }
                TokenKind::Arrow | TokenKind::Plus | TokenKind::Minus | TokenKind::Star => {
                    self.write(" ");
                    self.token_space();
                }
                _ => self.token(),
            }
        }
    }

    fn typed_brackets(&mut self) {
        let end = self.matching();
        if end == self.position + 1 {
            self.token();
            return self.token();
        }
        let (record, sizes) = (self.at(TokenKind::LeftBrace), self.at(TokenKind::LeftBracket));
        on_a_large_stack(|| {
            self.bracketed(false, |formatter| {
                if record {
                    formatter.keep_broken();
                }
                formatter.typed_tokens(end, sizes);
            });
        });
    }

    /// The parameters of a `fun`, which share a group with the type of its result: where that does not fit the line,
    /// the parameters are broken first.
    pub(super) fn parameters(&mut self) {
        let end = self.matching();
        if end == self.position + 1 {
            self.token();
            return self.token();
        }
        self.brackets(false, |formatter| formatter.typed_tokens(end, false));
    }

    /// The bracket that closes the current one.
    fn matching(&self) -> usize {
        let mut depth = 0usize;
        for (position, token) in self.tokens.iter().enumerate().skip(self.position) {
            if token.kind.closing().is_some() {
                depth += 1;
            } else if token.kind.closes() {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return position;
                }
            }
        }
        self.tokens.len() - 1
    }

    /// Whether `-o` stands here.
    fn at_lollipop(&self) -> bool {
        let (minus, name) = (self.tokens[self.position], self.tokens[self.position + 1]);
        minus.end == name.start && &self.text[name.start as usize..name.end as usize] == "o"
    }
}
