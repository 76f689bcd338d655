//! Text to tokens. Every text has tokens. The lexer reports text that is not Riesz and, if its meaning is obvious,
//! reads it as the intended token, so that `a && b` gives one message and not three.

use crate::parser::MAX_ERRORS;
use crate::token::{Comment, Gap, Token, TokenKind};
use crate::tree::Integer;
use crate::{Diagnostic, FileId, Span};

/// The tokens of a text, ending with [`TokenKind::End`], its comments, and what is wrong with it.
pub struct Lexed {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The comments.
    pub comments: Vec<Comment>,
    /// The mistakes.
    pub diagnostics: Vec<Diagnostic>,
}

/// Splits a text into tokens. The text must be shorter than 4 GiB.
pub fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        position: 0,
        gap: Gap::None,
        block_comments_end: true,
        lexed: Lexed { tokens: Vec::with_capacity(text.len() / 4), comments: Vec::new(), diagnostics: Vec::new() },
    };
    lexer.position = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while lexer.token() {}
    lexer.lexed
}

/// The value of an integer literal's text.
pub fn integer_value(text: &str) -> Integer {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => {
            Integer { value: u64::from_str_radix(hexadecimal, 16).ok(), real: hexadecimal_real(hexadecimal) }
        }
        None => Integer { value: digits.parse().ok(), real: digits.parse().unwrap_or(0.0) },
    }
}

/// The value of a real literal's text.
pub fn real_value(text: &str) -> f64 {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    digits.parse().unwrap_or(0.0)
}

/// The real nearest to a number of any length. Thirty digits are more than a real holds, so of the others only their
/// number matters, and whether one of them is not zero.
fn hexadecimal_real(digits: &str) -> f64 {
    let digits = digits.trim_start_matches('0');
    let (head, tail) = digits.split_at(digits.len().min(30));
    let sticky = tail.bytes().any(|digit| digit != b'0');
    let head = u128::from_str_radix(head, 16).unwrap_or(0) | u128::from(sticky);
    head as f64 * 16f64.powi(i32::try_from(tail.len()).unwrap_or(i32::MAX))
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    position: usize,
    gap: Gap,
    /// Whether there may be a `*/` ahead.
    block_comments_end: bool,
    lexed: Lexed,
}

impl Lexer<'_> {
    /// Reads one token, comment or run of white space; false at the end.
    fn token(&mut self) -> bool {
        let start = self.position;
        let Some(first) = self.peek(0) else {
            self.push(TokenKind::End, start);
            return false;
        };
        match first {
            ' ' | '\t' | '\r' => self.position += 1,
            '\n' => {
                self.position += 1;
                if self.gap == Gap::None {
                    self.gap = Gap::Newline;
                }
            }
            ';' => {
                self.position += 1;
                self.gap = Gap::Semicolon;
            }
            '#' => {
                self.skip_line();
                let end = self.text[start..self.position].trim_end_matches('\r').len() + start;
                self.lexed.comments.push(Comment { start: start as u32, end: end as u32 });
            }
            '"' => self.string(),
            '0'..='9' => self.number(),
            _ if begins_name(first) => {
                self.skip_while(continues_name);
                self.push(TokenKind::of_word(&self.text[start..self.position]), start);
            }
            _ => self.symbol(first),
        }
        true
    }

    fn symbol(&mut self, first: char) {
        use TokenKind::*;
        let second = self.peek(1).unwrap_or('\0');
        let (length, kind) = match (first, second) {
            ('=', '=') => (2, Equal),
            ('!', '=') => (2, NotEqual),
            ('<', '=') => (2, LessEqual),
            ('>', '=') => (2, GreaterEqual),
            ('~', '=') => (2, Approximately),
            ('-', '>') => (2, Arrow),
            ('&', _) | ('!', _) | ('%', _) | ('*', '*') | ('|', '|') | (':', '=') | ('=', '>') | ('/', '/' | '*') => {
                return self.foreign_symbol(first, second);
            }
            ('(', _) => (1, LeftParen),
            (')', _) => (1, RightParen),
            ('[', _) => (1, LeftBracket),
            (']', _) => (1, RightBracket),
            ('{', _) => (1, LeftBrace),
            ('}', _) => (1, RightBrace),
            (',', _) => (1, Comma),
            ('.', _) => (1, Dot),
            (':', _) => (1, Colon),
            ('=', _) => (1, Equals),
            ('|', _) => (1, Bar),
            ('\\', _) => (1, Backslash),
            ('<', _) => (1, Less),
            ('>', _) => (1, Greater),
            ('+', _) => (1, Plus),
            ('-', _) => (1, Minus),
            ('*', _) => (1, Star),
            ('/', _) => (1, Slash),
            ('^', _) => (1, Caret),
            _ => return self.unknown(first),
        };
        let start = self.position;
        self.position += length;
        self.push(kind, start);
    }

    /// Operators and comments of other languages.
    fn foreign_symbol(&mut self, first: char, second: char) {
        if (first, second) == ('=', '>') {
            return self.fat_arrow();
        }
        let start = self.position;
        let (length, meant, spelling, advice) = match (first, second) {
            ('&', '&') => (2, Some(TokenKind::And), "and", "write `and`"),
            ('&', _) => (1, Some(TokenKind::And), "and", "write `and`"),
            ('|', _) => (2, Some(TokenKind::Or), "or", "write `or`"),
            ('!', _) => (1, Some(TokenKind::Not), "not ", "write `not`"),
            ('*', _) => (2, Some(TokenKind::Caret), "^", "write `^` for powers"),
            (':', _) => (2, Some(TokenKind::Equals), "=", "write `=`"),
            ('%', _) => (1, Some(TokenKind::Star), "", "the remainder is `mod(a, b)`"),
            ('/', '/') => (2, None, "#", "comments begin with `#`, and the integer quotient is `div(a, b)`"),
            _ => (2, None, "#", "comments begin with `#` and run to the end of the line"),
        };
        self.position += length;
        let written = &self.text[start..self.position];
        let span = self.span(start);
        let diagnostic =
            Diagnostic::error("foreign-operator", span, format!("`{written}` is not an operator of Riesz"));
        let diagnostic = if first == '%' || meant.is_none() {
            diagnostic.help(advice)
        } else {
            diagnostic.suggest(span, advice, spelling)
        };
        self.report(diagnostic);
        match meant {
            Some(kind) => self.push(kind, start),
            None if second == '/' => self.skip_line(),
            None => self.skip_block_comment(),
        }
    }

    /// `=>`: the arrow of a function in other languages, whose parameters stand before it, or a mistaken `>=`.
    fn fat_arrow(&mut self) {
        let start = self.position;
        self.position += 2;
        let arrow = self.span(start);
        let diagnostic = Diagnostic::error("foreign-operator", arrow, "`=>` is not an operator of Riesz");
        let parameters = self.parameters_before();
        let tokens = &self.lexed.tokens;
        let before = parameters.checked_sub(1).map(|at| tokens[at].kind);
        let written = before == Some(TokenKind::Backslash);
        let compares = matches!(
            before,
            Some(TokenKind::If | TokenKind::While | TokenKind::And | TokenKind::Or | TokenKind::Not | TokenKind::Check)
        );
        if parameters == tokens.len() || written || compares {
            let (spelling, kind) = if compares { (">=", TokenKind::GreaterEqual) } else { ("->", TokenKind::Arrow) };
            self.report(diagnostic.suggest(arrow, "write", spelling));
            return self.push(kind, start);
        }
        // The parser sees the function that was meant, and has nothing more to say.
        let first = tokens[parameters];
        let whole = self.span(first.start as usize);
        let names = self.text[first.start as usize..start].trim_end();
        self.report(diagnostic.suggest(whole, "a function is written", format!("\\{names} ->")));
        let backslash = Token { kind: TokenKind::Backslash, end: first.start, ..first };
        self.lexed.tokens[parameters].gap = Gap::None;
        self.lexed.tokens.insert(parameters, backslash);
        self.push(TokenKind::Arrow, start);
    }

    /// The position of the first of the tokens at the end that can be the parameters of a function: names, or one
    /// bracket of them.
    fn parameters_before(&self) -> usize {
        let tokens = &self.lexed.tokens;
        let kind = |at: usize| tokens[at].kind;
        let mut at = tokens.len();
        if at > 0 && kind(at - 1) == TokenKind::RightParen {
            let mut depth = 0;
            while at > 0 {
                at -= 1;
                match kind(at) {
                    TokenKind::RightParen => depth += 1,
                    TokenKind::LeftParen => depth -= 1,
                    TokenKind::Name | TokenKind::Underscore | TokenKind::Comma => {}
                    _ => return tokens.len(),
                }
                if depth == 0 {
                    return at;
                }
            }
            return tokens.len();
        }
        while at > 0 && matches!(kind(at - 1), TokenKind::Name | TokenKind::Underscore) {
            at -= 1;
        }
        at
    }

    fn skip_block_comment(&mut self) {
        if self.block_comments_end {
            match self.text[self.position..].find("*/") {
                Some(end) => self.position += end + 2,
                None => self.block_comments_end = false,
            }
        }
    }

    /// A character that begins no token, and those like it that follow.
    fn unknown(&mut self, first: char) {
        let start = self.position;
        if let Some((kind, spelling)) = lookalike(first) {
            self.position += first.len_utf8();
            let span = self.span(start);
            let diagnostic = Diagnostic::error("unknown-character", span, format!("unknown character `{first}`"));
            self.report(diagnostic.suggest(span, format!("write `{spelling}`"), spelling));
            self.push(kind, start);
            return;
        }
        self.skip_while(|c| {
            !c.is_ascii_graphic() && !matches!(c, ' ' | '\t' | '\r' | '\n') && !begins_name(c) && lookalike(c).is_none()
        });
        if self.position == start {
            self.position += first.len_utf8();
        }
        let span = self.span(start);
        let diagnostic = match first {
            '\'' => Diagnostic::error("unknown-character", span, "unknown character `'`")
                .help("`'` may stand inside a name or at its end, as in `x'`; strings are written with `\"`"),
            _ if superscript(first).is_some() => {
                let power: String = self.text[start..self.position].chars().map_while(superscript).collect();
                Diagnostic::error("unknown-character", span, format!("unknown character `{first}`")).suggest(
                    span,
                    "write the power as",
                    format!("^{power}"),
                )
            }
            _ if first.is_whitespace() => {
                let code = u32::from(first);
                Diagnostic::error("unknown-character", span, format!("unknown white space U+{code:04X}")).suggest(
                    span,
                    "write a space",
                    " ",
                )
            }
            '?' => Diagnostic::error("unknown-character", span, "unknown character `?`")
                .help("a choice is `if c then a else b`"),
            '@' => Diagnostic::error("unknown-character", span, "unknown character `@`")
                .help("the product of matrices is `dot(a, b)`"),
            _ if first.is_control() => {
                Diagnostic::error("unknown-character", span, format!("unknown character U+{:04X}", u32::from(first)))
            }
            _ => Diagnostic::error("unknown-character", span, format!("unknown character `{first}`")),
        };
        self.report(diagnostic);
        if !first.is_whitespace() && superscript(first).is_none() {
            self.push(TokenKind::Unknown, start);
        }
    }

    fn string(&mut self) {
        let start = self.position;
        self.position += 1;
        self.skip_while(|c| c != '"' && c != '\n');
        let ended = self.peek(0) == Some('"');
        if ended {
            self.position += 1;
        } else {
            self.position = self.text[..self.position].trim_end_matches('\r').len().max(start + 1);
            let diagnostic = Diagnostic::error("unterminated-string", self.span(start), "this string has no end")
                .help("strings end with `\"` on the line on which they begin");
            self.report(diagnostic);
        }
        let expected =
            self.lexed.tokens.last().is_some_and(|token| matches!(token.kind, TokenKind::Check | TokenKind::Import));
        self.push(if ended || expected { TokenKind::String } else { TokenKind::Unknown }, start);
    }

    /// A number, or after `.` the number of a field. What letters and digits follow belong to it, rightly or not.
    fn number(&mut self) {
        let start = self.position;
        if self.lexed.tokens.last().is_some_and(|token| token.kind == TokenKind::Dot) {
            self.skip_while(continues_name);
            let written = &self.text[start..self.position];
            if written.parse::<u32>().is_err() {
                self.malformed_number(start, "a field is a name or a number of digits alone", None);
            }
            self.push(TokenKind::Integer, start);
            return;
        }
        if self.text[start..].starts_with("0b") || self.text[start..].starts_with("0o") {
            self.skip_while(continues_name);
            self.malformed_number(start, "numbers are decimal, or hexadecimal as `0x1F`", None);
            self.push(TokenKind::Integer, start);
            return;
        }
        if self.text[start..].starts_with("0x") {
            self.skip_while(continues_name);
            let digits = &self.text[start + 2..self.position];
            if digits.is_empty() {
                self.malformed_number(start, "hexadecimal digits follow `0x`, as in `0x1F`", None);
            } else if !is_grouped(digits, |byte| byte.is_ascii_hexdigit()) {
                self.malformed_number(start, malformation(digits, |c| c.is_ascii_hexdigit()), None);
            }
            self.push(TokenKind::Integer, start);
            return;
        }
        self.decimal(start);
    }

    fn decimal(&mut self, start: usize) {
        let mut kind = TokenKind::Integer;
        let mut groups = vec![self.digits()];
        let mut trouble: Option<(&str, Option<String>)> = None;
        if self.peek(0) == Some('.') {
            match self.peek(1) {
                Some('0'..='9') => {
                    kind = TokenKind::Real;
                    self.position += 1;
                    groups.push(self.digits());
                }
                Some('.') => {
                    kind = TokenKind::Real;
                    self.position += 2;
                    trouble = Some(("a range is `i < n` in a generator, or `iota(n)`", None));
                    self.skip_while(continues_name);
                }
                next => {
                    kind = TokenKind::Real;
                    self.position += 1;
                    let written = &self.text[start..self.position];
                    let mended = (!next.is_some_and(begins_name)).then(|| format!("{written}0"));
                    trouble = Some(("digits follow the point of a number", mended));
                }
            }
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
            let follows = self.peek(1 + sign);
            if matches!(follows, Some('0'..='9')) {
                kind = TokenKind::Real;
                self.position += 1 + sign;
                groups.push(self.digits());
            } else if !follows.is_some_and(continues_name) {
                self.position += 1 + sign;
                trouble = trouble.or(Some(("digits follow the `e` of a number, as in `1e-3`", None)));
            }
        }
        let letters = self.position;
        self.skip_while(continues_name);
        if self.position > letters {
            let product = format!("{} * {}", &self.text[start..letters], &self.text[letters..self.position]);
            let product = begins_name(self.text[letters..].chars().next().unwrap_or('_')).then_some(product);
            trouble = trouble.or(Some(("no letter follows a number directly", product)));
        } else if !groups.iter().all(|group| is_grouped(&self.text[group.clone()], |byte| byte.is_ascii_digit())) {
            trouble = trouble.or(Some(("`_` stands between two digits of a number, as in `1_000`", None)));
        }
        if let Some((message, replacement)) = trouble {
            self.malformed_number(start, message, replacement);
        } else if kind == TokenKind::Real && real_value(&self.text[start..self.position]).is_infinite() {
            let diagnostic =
                Diagnostic::error("number-too-large", self.span(start), "this number is too large for an `R`");
            self.report(diagnostic.suggest(self.span(start), "infinity is written `inf`", "inf"));
        }
        self.push(kind, start);
    }

    /// Skips digits and `_` and says where they stood.
    fn digits(&mut self) -> std::ops::Range<usize> {
        let start = self.position;
        self.skip_while(|c| c.is_ascii_digit() || c == '_');
        start..self.position
    }

    fn malformed_number(&mut self, start: usize, why: &str, replacement: Option<String>) {
        let span = self.span(start);
        let written: String = self.text[start..self.position].chars().take(40).collect();
        let diagnostic = Diagnostic::error("malformed-number", span, format!("`{written}` is not a number")).here(why);
        self.report(match replacement {
            Some(replacement) => diagnostic.did_you_mean(span, replacement),
            None => diagnostic,
        });
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.lexed.diagnostics.len() < MAX_ERRORS {
            self.lexed.diagnostics.push(diagnostic);
        }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        self.lexed.tokens.push(Token { kind, gap, start: start as u32, end: self.position as u32 });
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text[self.position..].chars().nth(ahead)
    }

    fn skip_while(&mut self, continues: impl Fn(char) -> bool) {
        let rest = &self.text[self.position..];
        self.position += rest.find(|c| !continues(c)).unwrap_or(rest.len());
    }

    fn skip_line(&mut self) {
        self.skip_while(|c| c != '\n');
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.position as u32 }
    }
}

fn begins_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Subscripts count as digits: `x₁` is a name.
fn continues_name(c: char) -> bool {
    begins_name(c) || c.is_ascii_digit() || c == '\'' || ('₀'..='₉').contains(&c)
}

/// Whether digits are written as such, in groups that single `_`s separate.
fn is_grouped(digits: &str, is_digit: impl Fn(&u8) -> bool + Copy) -> bool {
    digits.as_bytes().split(|&byte| byte == b'_').all(|group| !group.is_empty() && group.iter().all(is_digit))
}

fn malformation(digits: &str, is_digit: impl Fn(char) -> bool) -> &'static str {
    if digits.chars().all(|c| c == '_' || is_digit(c)) {
        "`_` stands between two digits of a number, as in `1_000`"
    } else {
        "no letter follows a number directly"
    }
}

/// The ASCII token that a character from outside ASCII was meant to be, if that is clear.
fn lookalike(c: char) -> Option<(TokenKind, &'static str)> {
    match c {
        '−' | '–' => Some((TokenKind::Minus, "-")),
        '×' | '·' | '⋅' | '∗' => Some((TokenKind::Star, "*")),
        '÷' | '∕' => Some((TokenKind::Slash, "/")),
        '≤' => Some((TokenKind::LessEqual, "<=")),
        '≥' => Some((TokenKind::GreaterEqual, ">=")),
        '≠' => Some((TokenKind::NotEqual, "!=")),
        '≈' => Some((TokenKind::Approximately, "~=")),
        '→' | '↦' => Some((TokenKind::Arrow, "->")),
        '∧' => Some((TokenKind::And, "and")),
        '∨' => Some((TokenKind::Or, "or")),
        '¬' => Some((TokenKind::Not, "not ")),
        '∈' => Some((TokenKind::In, "in")),
        _ => None,
    }
}

fn superscript(c: char) -> Option<char> {
    "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().zip('0'..='9').find(|(raised, _)| *raised == c).map(|(_, digit)| digit)
}
