//! The kind of a text typed at a prompt, and whether it is complete.

use crate::{Diagnostic, FileId, ParseOptions};
use riesz_syntax::lexer::lex;
use riesz_syntax::token::{Token, TokenKind};

/// The kind of a text typed at a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Nothing but white space and comments.
    Nothing,
    /// Definitions, checks and imports.
    Items,
    /// An expression.
    Expression,
    /// The beginning of either.
    Incomplete,
}

impl Input {
    /// Reads a text as items or as an expression. What is wrong in any other way than by its end counts as whole, so
    /// that the mistake is shown. An empty line ends every text.
    pub fn of(text: &str, options: &ParseOptions) -> Input {
        // No place is shown, so the file does not matter.
        let file = FileId(0);
        let tokens = lex(file, text).tokens;
        let Some(first) = tokens.first().filter(|token| token.kind != TokenKind::End) else { return Input::Nothing };
        let closed = text.lines().last().is_some_and(|line| line.trim().is_empty());
        let end = tokens.iter().rev().find(|token| token.kind != TokenKind::End).map_or(0, |token: &Token| token.end);
        let unfinished = |diagnostics: &[Diagnostic]| !closed && diagnostics.iter().any(|found| ends_at(found, end));
        let expression = || {
            let (_, _, diagnostics) = riesz_syntax::parse_expression(file, text, options);
            (diagnostics.is_empty(), unfinished(&diagnostics))
        };
        let items = || {
            let (_, diagnostics) = riesz_syntax::parse(file, text, options);
            (diagnostics.is_empty(), unfinished(&diagnostics))
        };
        let ((whole, unfinished), input) = match first.kind {
            kind if kind.begins_item() => (items(), Input::Items),
            // `let` begins both; an expression only if items make no sense of it.
            TokenKind::Let => match (items(), expression()) {
                (found @ (true, _), _) => (found, Input::Items),
                (_, found @ (true, _)) => (found, Input::Expression),
                ((_, a), (_, b)) => ((false, a || b), Input::Items),
            },
            _ => (expression(), Input::Expression),
        };
        match !whole && unfinished {
            true => Input::Incomplete,
            false => input,
        }
    }
}

/// Whether a diagnostic misses something at the end of the text.
fn ends_at(diagnostic: &Diagnostic, end: u32) -> bool {
    diagnostic.labels.iter().any(|label| label.span.start == end && label.span.end == end)
}

/// Whether a text is one name.
pub fn is_name(text: &str) -> bool {
    let tokens = lex(FileId(0), text).tokens;
    matches!(tokens[..], [Token { kind: TokenKind::Name, start: 0, end, .. }, _] if end as usize == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Input {
        Input::of(text, &ParseOptions::default())
    }

    #[test]
    fn whole_texts() {
        for text in ["1 + 2", "f(x)", "-x", "let a = 1 in a", "let a = 1; a + 1", "\\x -> x"] {
            assert_eq!(input(text), Input::Expression, "{text}");
        }
        for text in
            ["let a = 1", "fun f(x: R) = x", "check 1 == 1", "import \"a.rz\"", "type V = [2]R", "let a = 1\nlet b = 2"]
        {
            assert_eq!(input(text), Input::Items, "{text}");
        }
        for text in ["", "  ", "# nothing"] {
            assert_eq!(input(text), Input::Nothing, "{text}");
        }
    }

    #[test]
    fn beginnings() {
        for text in [
            "(1",
            "[1, 2",
            "f(1,",
            "1 +",
            "let a =",
            "let a",
            "fun",
            "fun f",
            "fun f(x: R)",
            "fun f(x: R) =",
            "fun f(x: R) =\n  let y = x",
            "if a then",
            "if a",
            "\\x ->",
            "check",
            "import",
            "loop x = 1 for i < 3 do",
            "{",
            "{x = 1,",
            "type V =",
        ] {
            assert_eq!(input(text), Input::Incomplete, "{text}");
        }
    }

    #[test]
    fn mistakes_are_whole() {
        for text in ["1 + )", "(1]", "f(1))", "fun 1", "let a = = 2", "1 2", "@"] {
            assert_ne!(input(text), Input::Incomplete, "{text}");
        }
    }

    #[test]
    fn an_empty_line_ends_a_text() {
        assert_eq!(input("(1\n"), Input::Incomplete);
        assert_eq!(input("(1\n\n"), Input::Expression);
    }

    #[test]
    fn names() {
        assert!(is_name("x") && is_name("θ'") && is_name("_a"));
        assert!(
            !is_name("") && !is_name("_") && !is_name("let") && !is_name("a b") && !is_name("1x") && !is_name(" x")
        );
    }
}
