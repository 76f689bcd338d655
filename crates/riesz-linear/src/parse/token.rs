//! Words, numbers and symbols.

use super::{ParseError, Parsed};

/// The kinds of tokens of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Word(String),
    /// A number, and as a size where it is one.
    Number(f64, Option<usize>),
    /// A symbol, in the spelling that the printer uses.
    Symbol(&'static str),
    End,
}

/// Every symbol of maps and of patterns, longest first, with its meaning.
const SYMBOLS: &[(&str, &str)] = &[
    ("-o", "-o"),
    ("⊸", "-o"),
    ("><", "⊗"),
    ("⊗", "⊗"),
    ("∘", "∘"),
    (".", "∘"),
    ("×", "×"),
    ("&", "×"),
    ("⋈", "⋈"),
    ("|", "⋈"),
    ("·", "·"),
    ("*", "*"),
    ("+", "+"),
    ("⊕", "+"),
    (":", ":"),
    (",", ","),
    ("_", "_"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("⟨", "⟨"),
    ("⟩", "⟩"),
    ("⊙", "⊙"),
    ("ᵀ", "ᵀ"),
];

/// The tokens of a text, with where they start.
pub(crate) fn tokens(text: &str) -> Parsed<Vec<(Kind, usize)>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if let Some((symbol, meaning)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            tokens.push((Kind::Symbol(meaning), at));
            symbol.len()
        } else if first.is_alphabetic() {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '\'') || c == 'ᵀ').unwrap_or(rest.len());
            tokens.push((word(&rest[..length]), at));
            length
        } else if first.is_ascii_digit() || first == '-' {
            let length = number_length(rest);
            tokens.push((number(&rest[..length], at)?, at));
            length
        } else {
            return Err(ParseError { offset: at, message: format!("`{first}` is no part of a linear map") });
        };
        at += length;
    }
    tokens.push((Kind::End, text.len()));
    Ok(tokens)
}

fn word(text: &str) -> Kind {
    match text {
        "inf" => Kind::Number(f64::INFINITY, None),
        "nan" => Kind::Number(f64::NAN, None),
        _ => Kind::Word(text.to_string()),
    }
}

/// `-`, digits, a point between digits, an exponent; `-inf`
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(bytes[0] == b'-');
    if text[sign..].starts_with("inf") {
        return sign + 3;
    }
    let mut end = digits(sign);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end.max(1)
}

fn number(text: &str, offset: usize) -> Parsed<Kind> {
    match text.parse() {
        Ok(value) => Ok(Kind::Number(value, text.parse().ok())),
        Err(_) => Err(ParseError { offset, message: format!("`{text}` is not a number") }),
    }
}
