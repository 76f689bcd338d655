//! Messages about a token that cannot stand where it stands, with the form that its author may have meant.

use super::Parser;
use crate::Diagnostic;
use crate::token::{Gap, Token, TokenKind};

impl Parser<'_> {
    pub(super) fn fail_expecting(&mut self, expected: &str) {
        let diagnostic = self.unexpected(expected);
        self.fail(diagnostic);
    }

    /// The error that something else was expected than the current token.
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.current();
        let found = self.found(token);
        let place = if token.gap == Gap::None { self.here() } else { self.after_previous() };
        let plain = |code| {
            Diagnostic::error(code, place, format!("expected {expected}, found {found}"))
                .here(format!("expected {expected}"))
        };
        let after_operand = self.position > 0 && ends_operand(self.tokens[self.position - 1].kind);
        match token.kind {
            TokenKind::Minus | TokenKind::LeftParen | TokenKind::LeftBracket
                if after_operand && token.gap == Gap::Newline =>
            {
                self.operator_on_next_line(token)
            }
            _ if token.kind == TokenKind::End || token.gap != Gap::None || !after_operand => plain("unexpected-token"),
            TokenKind::Name if self.text_of(token) == "where" => {
                plain("foreign-keyword").help("names are given before they are used: `let y = ... in ...`")
            }
            TokenKind::Name if self.text_of(token) == "elif" || self.text_of(token) == "elseif" => {
                plain("foreign-keyword").suggest(self.here(), "write", "else if")
            }
            TokenKind::Name | TokenKind::Integer | TokenKind::Real | TokenKind::True | TokenKind::False => {
                let previous = self.tokens[self.position - 1];
                let left = self.text_of(previous);
                let right = self.text_of(token);
                match foreign_keyword(left) {
                    Some(advice) => Diagnostic::error(
                        "foreign-keyword",
                        self.span_of(previous),
                        format!("`{left}` is not a keyword of Riesz"),
                    )
                    .help(advice),
                    None if previous.kind == TokenKind::Name && self.typing == 0 => plain("missing-operator")
                        .help(format!("to call a function, write `{left}({right})`; to multiply, `{left} * {right}`")),
                    None if self.innermost().is_some() && self.typing == 0 => {
                        plain("missing-operator").suggest(self.after_previous(), "between them, write", ",")
                    }
                    None => plain("missing-operator"),
                }
            }
            TokenKind::If if self.innermost() == Some(TokenKind::LeftBracket) || self.innermost() == Some(TokenKind::LeftParen) => {
                plain("malformed-generator")
                    .help("generators have no filters; in a sum, the elements to be left out can be 0: `sum(if x > 0 then x else 0 | x in v)`")
            }
            TokenKind::Backslash => plain("missing-operator").help("to pass a function, write `f(\\x -> ...)`"),
            TokenKind::For if !self.open.is_empty() => {
                plain("malformed-generator").suggest(self.here(), "generators follow", "|")
            }
            TokenKind::Colon if self.innermost() == Some(TokenKind::LeftBracket) => {
                plain("unexpected-token").help("a part of an array is `slice(v, from, to)`")
            }
            TokenKind::Colon => plain("unexpected-token")
                .help("types are written only after the names of parameters and of `let`s: `let x: R = ...`"),
            TokenKind::Arrow if self.tokens[self.position - 1].kind == TokenKind::Name => {
                let previous = self.tokens[self.position - 1];
                let written = format!("\\{}", self.text_of(previous));
                plain("unexpected-token").help("a function is written `\\x -> ...`").suggest(
                    self.span_of(previous),
                    "write",
                    written,
                )
            }
            TokenKind::Arrow => plain("unexpected-token").help("a function is written `\\x -> ...`"),
            TokenKind::Within => plain("unexpected-token").help("`within` follows `a ~= b`"),
            TokenKind::String => {
                plain("string-in-expression").help("strings stand only after `import` and, as labels, after `check`")
            }
            _ => plain("unexpected-token"),
        }
    }

    /// The error that an `=` follows an operand: it may be meant to compare, to name an argument, or to name a value.
    pub(super) fn single_equals(&self) -> Diagnostic {
        let span = self.here();
        let plain = Diagnostic::error("single-equals", span, "`=` does not compare");
        let is_name = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Name);
        let before = self.position.wrapping_sub(2);
        if self.position == 1 && is_name(0) {
            let name = self.text_of(self.tokens[0]);
            return plain.help(format!("a value is named by `let {name} = ...`; equality is written `==`"));
        }
        let names_an_argument = is_name(before.wrapping_add(1))
            && self.open.last().is_some_and(|&opening| {
                let is_call = opening > 0 && is_name(opening - 1) && self.tokens[opening].gap == Gap::None;
                is_call && (before == opening || self.tokens[before].kind == TokenKind::Comma)
            });
        match names_an_argument {
            true => plain
                .help("arguments have no names, and stand in the order of the parameters; equality is written `==`"),
            false => plain.suggest(span, "equality is written", "=="),
        }
    }

    /// The error that the current token cannot begin an expression.
    pub(super) fn no_expression(&self) -> Diagnostic {
        let token = self.current();
        let found = self.found(token);
        let ended = token.kind.closes() || self.begins_item(token);
        let here = if ended && token.gap != Gap::None { self.after_previous() } else { self.here() };
        let plain = |code| {
            let diagnostic = Diagnostic::error(code, here, format!("expected an expression, found {found}"))
                .here("expected an expression");
            match self.open.last().map(|&opening| self.tokens[opening]) {
                Some(opening) if token.kind == TokenKind::End || self.begins_item(token) => {
                    diagnostic.label(self.span_of(opening), format!("this {} is open", opening.kind.spelling()))
                }
                _ => diagnostic,
            }
        };
        match token.kind {
            TokenKind::String => {
                plain("string-in-expression").help("strings stand only after `import` and, as labels, after `check`")
            }
            TokenKind::Underscore => Diagnostic::error("hole-outside-call", here, "`_` is not a value")
                .here("expected an expression")
                .help("`_` may stand for a whole argument of a call: `f(a, _)` is `\\x -> f(a, x)`"),
            _ if self.is_operator_alone() => {
                let operator = self.text_of(token);
                let written = match token.kind {
                    TokenKind::Not => "\\a -> not a".to_string(),
                    _ => format!("\\a b -> a {operator} b"),
                };
                Diagnostic::error("unexpected-token", here, format!("the operator `{operator}` is not a value"))
                    .here("expected an expression")
                    .suggest(here, "as a function it is written", written)
            }
            TokenKind::Plus if self.follows(TokenKind::Plus) => plain("unexpected-token")
                .help("arrays are joined by `concat(u, v)`; in a loop, a value is counted up by `loop n = 0 for i < k do n + 1`"),
            TokenKind::Plus => {
                Diagnostic::error("unexpected-token", here, "there is no unary `+`").suggest(here, "remove it", "")
            }
            TokenKind::Dot if self.next().kind == TokenKind::Integer && self.next().start == token.end => {
                let span = self.span_of(self.next()).to(here);
                let digits = self.text_of(self.next());
                Diagnostic::error("malformed-number", span, "a number begins with a digit").suggest(
                    span,
                    "write",
                    format!("0.{digits}"),
                )
            }
            TokenKind::Equals if self.follows(TokenKind::Slash) => {
                plain("unexpected-token").help("values that differ are compared by `!=`, and values do not change")
            }
            TokenKind::Equals if [TokenKind::Plus, TokenKind::Minus, TokenKind::Star].into_iter().any(|kind| self.follows(kind)) => {
                plain("unexpected-token")
                    .help("values do not change: name a new one, or let a loop rebind it, as in `loop s = 0.0 for x in v do s + x`")
            }
            TokenKind::Equals => plain("unexpected-token").help("equality is written `==`"),
            TokenKind::Bar if self.next().kind == TokenKind::Name => {
                plain("unexpected-token").help("a function is written `\\x -> ...`")
            }
            kind if kind.is_keyword() && self.next().kind == TokenKind::LeftParen => {
                plain("keyword-as-name").here(format!("{found} is a keyword and cannot be a name"))
            }
            _ => plain("unexpected-token"),
        }
    }

    /// Whether the current token stands directly behind another.
    fn follows(&self, kind: TokenKind) -> bool {
        self.current().gap == Gap::None && self.position > 0 && self.tokens[self.position - 1].kind == kind
    }

    /// Whether the current token is an operator that stands where an argument could.
    pub(super) fn is_operator_alone(&self) -> bool {
        let operator = matches!(
            self.kind(),
            TokenKind::Or
                | TokenKind::And
                | TokenKind::Not
                | TokenKind::Equal
                | TokenKind::NotEqual
                | TokenKind::Less
                | TokenKind::LessEqual
                | TokenKind::Greater
                | TokenKind::GreaterEqual
                | TokenKind::Approximately
                | TokenKind::Plus
                | TokenKind::Minus
                | TokenKind::Star
                | TokenKind::Slash
                | TokenKind::Caret
        );
        let begins =
            self.position > 0 && matches!(self.tokens[self.position - 1].kind, TokenKind::LeftParen | TokenKind::Comma);
        operator && begins && matches!(self.next().kind, TokenKind::Comma | TokenKind::RightParen)
    }

    /// The innermost open bracket.
    pub(super) fn innermost(&self) -> Option<TokenKind> {
        self.open.last().map(|&opening| self.tokens[opening].kind)
    }

    /// How messages speak of a token.
    pub(super) fn found(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Name | TokenKind::Integer | TokenKind::Real | TokenKind::Unknown => {
                let text = self.text_of(token);
                let shown: String = text.chars().take(40).collect();
                let more = if shown.len() < text.len() { "..." } else { "" };
                format!("`{shown}{more}`")
            }
            kind => kind.spelling().to_string(),
        }
    }
}

fn ends_operand(kind: TokenKind) -> bool {
    kind.closes()
        || matches!(kind, TokenKind::Name | TokenKind::Integer | TokenKind::Real | TokenKind::True | TokenKind::False)
}

/// The advice for a name that is a keyword in other languages.
pub(super) fn foreign_keyword(name: &str) -> Option<&'static str> {
    match name {
        "return" => Some("the value of a function is its body; omit this word"),
        "def" | "fn" | "func" | "function" | "define" => {
            Some("functions are defined by `fun` at the top of a file, and written `\\x -> ...` elsewhere")
        }
        "lambda" => Some("a function is written `\\x -> ...`"),
        "var" | "val" | "const" | "mut" => Some("values are named by `let`"),
        "elif" | "elseif" => Some("write `else if`"),
        "struct" | "data" | "record" | "typedef" => Some("types are named by `type Name = ...`"),
        "assert" | "test" => Some("conditions that must hold are stated by `check` at the top of a file"),
        "use" | "include" | "from" | "require" => Some("files are brought in by `import \"file.rz\"`"),
        _ => None,
    }
}
