//! The forms that begin with a keyword or `\`: `let`, functions, `if` and `loop`.

use super::{Context, Parser};
use crate::token::{Gap, TokenKind};
use crate::tree::{ExprId, ExprKind, LetBinding, LoopHead};
use crate::{Diagnostic, Span};

impl Parser<'_> {
    /// `"let" pattern [ ":" type ] "=" expr ( newline | ";" | "in" ) expr`, as often as it is repeated.
    pub(super) fn let_sequence(&mut self) -> ExprId {
        let outer = self.context;
        let start = self.current().start;
        let mut bindings = Vec::new();
        loop {
            let let_start = self.current().start;
            self.context = Context { statement: let_start, ..outer };
            if !self.eat(TokenKind::Let) {
                self.report_missing_let();
            }
            self.reject_rec(let_start, false);
            let pattern = self.pattern();
            let annotation = self.annotation();
            self.definition("the value of the `let`");
            let value = self.expression();
            bindings.push(LetBinding { pattern, annotation, value, span: self.span_from(let_start) });
            self.recover_in_block();
            let goes_on = self.end_of_let(let_start);
            let begins = self.current();
            self.context = Context { statement: begins.start, ..outer };
            if !goes_on {
                let body = self.error_expr(begins.start);
                self.context = outer;
                return self.tree.add(ExprKind::Let { bindings, body }, self.span_from(start));
            }
            let unmarked = begins.kind == TokenKind::Name && self.next().kind == TokenKind::Equals;
            if begins.kind != TokenKind::Let && !unmarked {
                break;
            }
        }
        let body = self.expression();
        self.context = outer;
        self.tree.add(ExprKind::Let { bindings, body }, self.span_from(start))
    }

    /// The newline, `;` or `in` after a `let`; false where nothing can follow.
    fn end_of_let(&mut self, let_start: u32) -> bool {
        if self.recovering {
            return false;
        }
        let token = self.current();
        let separated = match token.gap {
            Gap::None => false,
            Gap::Newline => self.context.newlines_count,
            Gap::Semicolon => true,
        };
        if self.eat(TokenKind::In) {
        } else if separated {
            self.tokens[self.position].gap = Gap::None;
        } else if token.kind.begins_expression() {
            let previous = self.tokens[self.position - 1].kind;
            if self.context.newlines_count && (previous == TokenKind::Name || previous.closes()) {
                self.fail_expecting("a new line, `;` or `in`");
                self.recover_in_block();
                return !self.recovering && self.end_of_let(let_start);
            }
            self.report_missing_in();
        }
        if self.kind().begins_expression() || !(self.at_end_of_expression()) {
            return true;
        }
        if self.joined == Some(let_start) {
            self.recovering = true;
            return false;
        }
        let length = if self.text[let_start as usize..].starts_with("let") { 3 } else { 0 };
        let keyword = Span { file: self.file, start: let_start, end: let_start + length };
        let message = format!("expected an expression after this `let`, found {}", self.found(self.current()));
        let here = self.here();
        let diagnostic = Diagnostic::error("missing-body", keyword, message)
            .label(here, "expected an expression")
            .help("a `let` names a value for the expression that follows it");
        self.fail(diagnostic);
        false
    }

    fn at_end_of_expression(&self) -> bool {
        self.at(TokenKind::End) || self.kind().closes() || self.kind().begins_item()
    }

    fn report_missing_let(&mut self) {
        let here = self.here();
        let name = self.found(self.current());
        let diagnostic = Diagnostic::error("missing-let", here, format!("the definition of {name} lacks its `let`"));
        self.complain(diagnostic.suggest(Span { end: here.start, ..here }, "write", "let "));
    }

    /// `let rec` of other languages: here a `fun` may be recursive and a `let` may not. The current token is the one after
    /// the `let`.
    pub(super) fn reject_rec(&mut self, let_start: u32, item: bool) {
        let token = self.current();
        if token.kind != TokenKind::Name || self.text_of(token) != "rec" || self.next().kind != TokenKind::Name {
            return;
        }
        let written = Span { file: self.file, start: let_start, end: token.end };
        let diagnostic = Diagnostic::error("foreign-keyword", self.span_of(token), "`rec` is not a keyword of Riesz");
        let help =
            "a `let` is not recursive, a `fun` may be: `fun f(n: Int): Int = if n == 0 then 1 else n * f(n - 1)`";
        let diagnostic = match item {
            true => diagnostic.help(help).suggest(written, "write", "fun"),
            false => diagnostic.help(help).help("a `fun` stands at the top of a file"),
        };
        self.bump();
        if self.next().kind == TokenKind::Equals {
            return self.complain(diagnostic);
        }
        // What follows are the parameters of a function in another language's form.
        self.fail(diagnostic);
    }

    fn report_missing_in(&mut self) {
        let end = self.end_of_previous();
        let span = Span { file: self.file, start: end, end };
        let found = self.found(self.current());
        let diagnostic = if self.current().gap == Gap::Newline {
            Diagnostic::error("missing-in", self.here(), format!("expected `in` or `;` before {found}"))
                .help("inside brackets a new line does not end a `let`; write `in`, or put the `let` into braces")
        } else {
            Diagnostic::error("missing-in", self.here(), format!("expected a new line, `;` or `in` before {found}"))
        };
        self.complain(diagnostic.suggest(span, "write", " in"));
    }

    /// `"\" pattern { pattern } "->" expr`
    pub(super) fn lambda(&mut self) -> ExprId {
        let start = self.bump().start;
        let mut parameters = Vec::new();
        while !self.recovering
            && (begins_pattern(self.kind()) || (self.kind().is_keyword() && self.next().kind == TokenKind::Arrow))
        {
            parameters.push(self.pattern());
            match self.kind() {
                TokenKind::Colon if !self.recovering => self.lambda_parameter_type(),
                TokenKind::Comma if !self.recovering && begins_pattern(self.next().kind) => self.lambda_comma(),
                _ => {}
            }
        }
        if parameters.is_empty() && self.at(TokenKind::Arrow) {
            let diagnostic = Diagnostic::error("missing-parameters", self.here(), "a function has a parameter");
            self.complain(diagnostic.help("write `\\_ -> ...` for a parameter that is not used"));
        } else if parameters.is_empty() {
            parameters.push(self.pattern());
        }
        if !self.eat(TokenKind::Arrow) {
            let equals = matches!(self.kind(), TokenKind::Equals | TokenKind::Dot | TokenKind::Colon);
            let message = format!("expected `->`, found {}", self.found(self.current()));
            let diagnostic = Diagnostic::error("missing-arrow", self.here(), message)
                .here("expected `->`")
                .help("a function is written `\\x -> ...`");
            if equals {
                self.complain(diagnostic.suggest(self.here(), "write", "->"));
                self.bump();
            } else {
                self.fail(diagnostic);
                return self.error_expr(start);
            }
        }
        let body = self.expression();
        self.tree.add(ExprKind::Lambda { parameters, body }, self.span_from(start))
    }

    fn lambda_parameter_type(&mut self) {
        let diagnostic = Diagnostic::error("type-in-pattern", self.here(), "parameters of `\\` have no types");
        self.fail(diagnostic.help("they are inferred; to write types, define a `fun`"));
    }

    fn lambda_comma(&mut self) {
        let span = self.here();
        let diagnostic = Diagnostic::error("unexpected-token", span, "parameters of `\\` stand without commas");
        self.complain(diagnostic.suggest(span, "write", ""));
        self.bump();
    }

    /// `"if" expr "then" expr "else" expr`
    pub(super) fn conditional(&mut self) -> ExprId {
        let start = self.bump().start;
        let condition = self.expression();
        self.keyword("missing-then", TokenKind::Then, "and the value where the condition holds", start);
        let yes = self.expression();
        self.keyword("missing-else", TokenKind::Else, "and the value where the condition does not hold", start);
        let no = self.expression();
        self.tree.add(ExprKind::If { condition, yes, no }, self.span_from(start))
    }

    /// `"loop" pattern "=" expr ( "for" gen | "while" expr ) "do" expr`
    pub(super) fn loop_(&mut self) -> ExprId {
        let start = self.bump().start;
        let pattern = self.pattern();
        self.definition("the first value of the loop");
        let first = self.expression();
        let head = match self.kind() {
            TokenKind::For => {
                self.bump();
                self.generator().map(LoopHead::For)
            }
            TokenKind::While => {
                self.bump();
                Some(LoopHead::While(self.expression()))
            }
            _ => {
                let diagnostic = self.unexpected("`for` or `while`");
                self.fail(diagnostic.help("a loop is `loop x = a for i < n do e` or `loop x = a while c do e`"));
                None
            }
        };
        self.keyword("missing-do", TokenKind::Do, "and the next value of the loop", start);
        let body = self.expression();
        let Some(head) = head else { return self.error_expr(start) };
        self.tree.add(ExprKind::Loop { pattern, start: first, head, body }, self.span_from(start))
    }

    /// A keyword inside a form that began at a byte.
    fn keyword(&mut self, code: &'static str, kind: TokenKind, whose: &str, start: u32) {
        if !self.eat(kind) && !self.recovering {
            let form = self.text[start as usize..].split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            let span = Span { file: self.file, start, end: start + form.len() as u32 };
            let mut diagnostic = self.unexpected(&format!("{} {whose}", kind.spelling()));
            if matches!(diagnostic.code, "unexpected-token" | "missing-operator") {
                diagnostic.code = code;
            }
            self.fail(diagnostic.label(span, format!("of this `{form}`")));
        }
    }
}

fn begins_pattern(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Name | TokenKind::Underscore | TokenKind::LeftParen)
}
