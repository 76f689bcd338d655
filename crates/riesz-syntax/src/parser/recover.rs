//! Error reports, and recovery after them.

use super::hint::foreign_keyword;
use super::{MAX_ERRORS, Parser};
use crate::token::{Gap, Token, TokenKind};
use crate::{Diagnostic, Span};

impl Parser<'_> {
    /// Reports an error after which the parser does not know where it stands.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) {
        let known = self.at(TokenKind::Unknown);
        if !known {
            self.complain(diagnostic);
        }
        self.recovering = true;
    }

    /// Reports an error that leaves no doubt about what was meant.
    pub(super) fn complain(&mut self, diagnostic: Diagnostic) {
        if !self.recovering && self.complaints < MAX_ERRORS {
            self.complaints += 1;
            self.diagnostics.push(diagnostic);
        }
    }

    /// Consumes a token of this kind, or reports that it is missing.
    pub(super) fn expect(&mut self, kind: TokenKind, whose: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        self.fail_expecting(&format!("{} {whose}", kind.spelling()));
        false
    }

    /// Reports what comes after something that should have been the whole text.
    pub(super) fn expect_end(&mut self, what: &str) {
        if self.kind().closes() {
            let diagnostic = self.closes_nothing();
            self.fail(diagnostic);
        } else if !self.at(TokenKind::End) {
            self.fail_expecting(&format!("an operator or the end of {what}"));
        }
    }

    /// Consumes the closing bracket. Where it is missing, says so, and looks for it.
    pub(super) fn close(&mut self, opening: usize) {
        let opening = self.tokens[opening];
        let Some(closing) = opening.kind.closing() else { return };
        if !self.at(closing) {
            self.report_unclosed(opening, closing);
            self.exchange(closing);
            self.skip_to(|_| false);
        }
        if self.at(closing) || (self.kind().closes() && !self.is_awaited(self.kind())) {
            self.bump();
            self.recovering = false;
        } else if self.kind().closes() {
            self.recovering = false;
        }
    }

    /// Puts two closing brackets in the order in which they are awaited.
    fn exchange(&mut self, closing: TokenKind) {
        if self.kind().closes() && self.is_awaited(self.kind()) && self.next().kind == closing {
            self.tokens[self.position + 1].kind = self.kind();
            self.tokens[self.position].kind = closing;
        }
    }

    /// The error that the current token closes a bracket that was never opened.
    pub(super) fn closes_nothing(&self) -> Diagnostic {
        let message = format!("{} closes nothing", self.kind().spelling());
        Diagnostic::error("mismatched-bracket", self.here(), message).here("no bracket is open here")
    }

    /// Whether a bracket outside the innermost one waits for this token.
    fn is_awaited(&self, closing: TokenKind) -> bool {
        let (_, outer) = self.open.split_last().unwrap_or((&0, &[]));
        outer.iter().any(|&opening| self.tokens[opening].kind.closing() == Some(closing))
    }

    /// After an error in an element of a bracket, goes on to the next one.
    pub(super) fn recover_in_brackets(&mut self) {
        if self.recovering {
            self.skip_to(|token| matches!(token.kind, TokenKind::Comma | TokenKind::Bar));
            if matches!(self.kind(), TokenKind::Comma | TokenKind::Bar) {
                self.recovering = false;
            }
        }
    }

    /// After an error in a statement, goes on to the next one.
    pub(super) fn recover_in_block(&mut self) {
        if self.recovering && self.context.newlines_count {
            self.skip_to(|token| token.gap != Gap::None);
            if self.current().gap != Gap::None && !self.begins_item(self.current()) && !self.at(TokenKind::End) {
                self.recovering = false;
            }
        }
    }

    /// After an error in an item, goes on to the next one.
    pub(super) fn recover_at_item(&mut self) {
        if self.recovering {
            while !self.at(TokenKind::End) && !self.begins_item(self.current()) && !self.at_foreign_item() {
                self.position += 1;
            }
            self.recovering = false;
        }
    }

    /// Skips tokens, and brackets with all that is in them, up to a closing bracket, the next item, or what the caller
    /// looks for.
    fn skip_to(&mut self, found: impl Fn(Token) -> bool) {
        let mut depth = 0usize;
        loop {
            let token = self.current();
            if token.kind == TokenKind::End || self.begins_item(token) {
                return;
            }
            if depth == 0 && (token.kind.closes() || found(token)) {
                return;
            }
            if token.kind.closing().is_some() {
                depth += 1;
            } else if token.kind.closes() {
                depth -= 1;
            }
            self.position += 1;
        }
    }

    /// Whether an item begins with this token: no expression goes on there. A `let` does so only at the margin.
    pub(super) fn begins_item(&self, token: Token) -> bool {
        if token.gap == Gap::None && token.start != self.tokens[0].start {
            return false;
        }
        let at_margin = || token.gap != Gap::Semicolon && self.column(token.start) == 0;
        token.kind.begins_item() || (token.kind == TokenKind::Let && at_margin())
    }

    /// Whether a word at the margin is the keyword of some other language.
    fn at_foreign_item(&self) -> bool {
        let token = self.current();
        token.kind == TokenKind::Name
            && token.gap == Gap::Newline
            && foreign_keyword(self.text_of(token)).is_some()
            && self.column(token.start) == 0
    }

    /// How far into its line a byte is.
    pub(super) fn column(&self, position: u32) -> usize {
        position as usize - self.line_start(position)
    }

    /// How far the line of a byte is indented.
    pub(super) fn indentation(&self, position: u32) -> usize {
        let line = &self.text[self.line_start(position)..];
        line.len() - line.trim_start_matches([' ', '\t', '\r']).len()
    }

    fn line_start(&self, position: u32) -> usize {
        let before = &self.text[..position as usize];
        let mark = if before.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        before.rfind('\n').map_or(mark, |newline| newline + 1)
    }

    fn report_unclosed(&mut self, opening: Token, closing: TokenKind) {
        let span = self.span_of(opening);
        let opened = opening.kind.spelling();
        let token = self.current();
        if token.kind == TokenKind::End || self.begins_item(token) {
            let here = self.after_previous();
            let diagnostic = Diagnostic::error("unclosed-bracket", span, format!("this {opened} is never closed"));
            self.fail(diagnostic.label(here, format!("expected {} here at the latest", closing.spelling())));
        } else if token.kind.closes() {
            let found = token.kind.spelling();
            let message = format!("{found} does not close {opened}");
            let diagnostic = Diagnostic::error("mismatched-bracket", self.here(), message)
                .here(format!("expected {}", closing.spelling()))
                .label(span, format!("this {opened} is open"));
            self.fail(diagnostic);
        } else if token.gap == Gap::Semicolon && !self.context.newlines_count {
            self.fail(self.semicolon());
        } else {
            let expected = match (self.context.newlines_count, opening.kind) {
                (true, _) => "`}`".to_string(),
                _ => format!("`,` or {}", closing.spelling()),
            };
            let diagnostic = self.unexpected(&expected).label(span, format!("this {opened} is open"));
            self.fail(diagnostic);
        }
    }

    /// Says once that the text is too deep.
    pub(super) fn report_nesting(&mut self) {
        if std::mem::replace(&mut self.too_deep, true) {
            self.recovering = true;
            return;
        }
        let limit = self.max_nesting.min(match self.depth < self.max_nesting {
            true => super::MAX_OWNED_NESTING,
            false => usize::MAX,
        });
        let message = format!("this is nested more than {limit} deep");
        let diagnostic = Diagnostic::error("nesting-too-deep", self.here(), message);
        self.fail(if self.depth < self.max_nesting {
            diagnostic.help("types and patterns nest no deeper, regardless of `--max-nesting`; name the parts")
        } else {
            diagnostic.help("name the parts with `let` or `fun`, or raise the limit with `--max-nesting`")
        });
    }

    /// Complains once about an operator or bracket at the beginning of a line and joins it to the line before.
    pub(super) fn report_operator_on_next_line(&mut self) {
        let token = self.current();
        let diagnostic = self.operator_on_next_line(token);
        self.complain(diagnostic);
        self.joined = Some(self.context.statement);
        self.tokens[self.position].gap = Gap::None;
    }

    pub(super) fn operator_on_next_line(&self, token: Token) -> Diagnostic {
        let spelling = token.kind.spelling();
        let message = format!("a line that begins with {spelling} does not continue the line before it");
        let diagnostic = Diagnostic::error("operator-on-next-line", self.span_of(token), message)
            .label(self.after_previous(), format!("move the {spelling} up to here"));
        match token.kind {
            TokenKind::Minus => diagnostic.help("to continue an expression, end the line with the `-`"),
            TokenKind::LeftParen => diagnostic.help("the `(` of a call stands on the line of the function"),
            _ => diagnostic.help("the `[` of an index stands on the line of the array"),
        }
    }

    /// The error that a `;` before the current token separates nothing.
    pub(super) fn semicolon(&self) -> Diagnostic {
        let token = self.current();
        let end = self.end_of_previous() as usize;
        let between = &self.text[end..token.start as usize];
        let mut offset = 0;
        for line in between.split_inclusive('\n') {
            let code = line.find('#').unwrap_or(line.len());
            if let Some(found) = line[..code].find(';') {
                offset += found;
                break;
            }
            offset += line.len();
        }
        let start = (end + offset) as u32;
        let span = Span { file: self.file, start, end: start + 1 };
        let diagnostic = Diagnostic::error("unexpected-semicolon", span, "`;` cannot stand here")
            .help("inside brackets `;` occurs only between a `let` and the expression after it");
        match self.innermost() {
            Some(TokenKind::LeftBracket) => diagnostic.help("the rows of a matrix are arrays: `[[a, b], [c, d]]`"),
            _ => diagnostic,
        }
    }

    pub(super) fn report_trailing_comma(&mut self, comma: Token) {
        let span = self.span_of(comma);
        let message = format!("nothing follows this comma before {}", self.kind().spelling());
        self.complain(Diagnostic::error("trailing-comma", span, message).suggest(span, "remove it", ""));
    }
}
