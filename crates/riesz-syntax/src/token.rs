//! Tokens: the words of the language, with the line breaks between them.

/// A word of the language. Its text is the source between `start` and `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// The space between it and the token before it.
    pub gap: Gap,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
}

/// The separation of two tokens, besides spaces and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// They stand on one line.
    None,
    /// At least one newline.
    Newline,
    /// At least one `;`.
    Semicolon,
}

/// A comment, from `#` to the end of its line, the line end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The byte of `#`.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`spelling` says what each one is")]
pub enum TokenKind {
    Name,
    Integer,
    Real,
    String,
    Underscore,

    Fun,
    Let,
    In,
    If,
    Then,
    Else,
    Loop,
    For,
    While,
    Do,
    True,
    False,
    And,
    Or,
    Not,
    Check,
    Within,
    Import,
    Type,

    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Dot,
    Colon,
    Equals,
    Arrow,
    Bar,
    Backslash,

    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Approximately,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,

    /// A character that begins no token; the lexer has complained about it.
    Unknown,
    /// The end of the text.
    End,
}

use TokenKind::*;

/// The keywords, which no name may be.
pub const KEYWORDS: [(&str, TokenKind); 19] = [
    ("fun", Fun),
    ("let", Let),
    ("in", In),
    ("if", If),
    ("then", Then),
    ("else", Else),
    ("loop", Loop),
    ("for", For),
    ("while", While),
    ("do", Do),
    ("true", True),
    ("false", False),
    ("and", And),
    ("or", Or),
    ("not", Not),
    ("check", Check),
    ("within", Within),
    ("import", Import),
    ("type", Type),
];

impl TokenKind {
    /// The kind of a word that begins with a letter or `_`.
    pub fn of_word(word: &str) -> TokenKind {
        match word {
            "_" => Underscore,
            _ => KEYWORDS.iter().find(|(keyword, _)| *keyword == word).map_or(Name, |(_, kind)| *kind),
        }
    }

    /// Whether it is a keyword.
    pub fn is_keyword(self) -> bool {
        KEYWORDS.iter().any(|(_, kind)| *kind == self)
    }

    /// Whether an item begins with it and nothing else does; `let` begins expressions too.
    pub fn begins_item(self) -> bool {
        matches!(self, Fun | Check | Import | Type)
    }

    /// Whether an expression may begin with it.
    pub fn begins_expression(self) -> bool {
        matches!(
            self,
            Name | Integer
                | Real
                | Let
                | If
                | Loop
                | True
                | False
                | Not
                | LeftParen
                | LeftBracket
                | LeftBrace
                | Backslash
                | Minus
        )
    }

    /// The bracket that closes it, where it opens one.
    pub fn closing(self) -> Option<TokenKind> {
        match self {
            LeftParen => Some(RightParen),
            LeftBracket => Some(RightBracket),
            LeftBrace => Some(RightBrace),
            _ => None,
        }
    }

    /// Whether it closes a bracket.
    pub fn closes(self) -> bool {
        matches!(self, RightParen | RightBracket | RightBrace)
    }

    /// How messages speak of it.
    pub fn spelling(self) -> &'static str {
        match self {
            Name => "a name",
            Integer | Real => "a number",
            String => "a string",
            Underscore => "`_`",
            Fun => "`fun`",
            Let => "`let`",
            In => "`in`",
            If => "`if`",
            Then => "`then`",
            Else => "`else`",
            Loop => "`loop`",
            For => "`for`",
            While => "`while`",
            Do => "`do`",
            True => "`true`",
            False => "`false`",
            And => "`and`",
            Or => "`or`",
            Not => "`not`",
            Check => "`check`",
            Within => "`within`",
            Import => "`import`",
            Type => "`type`",
            LeftParen => "`(`",
            RightParen => "`)`",
            LeftBracket => "`[`",
            RightBracket => "`]`",
            LeftBrace => "`{`",
            RightBrace => "`}`",
            Comma => "`,`",
            Dot => "`.`",
            Colon => "`:`",
            Equals => "`=`",
            Arrow => "`->`",
            Bar => "`|`",
            Backslash => "`\\`",
            Equal => "`==`",
            NotEqual => "`!=`",
            Less => "`<`",
            LessEqual => "`<=`",
            Greater => "`>`",
            GreaterEqual => "`>=`",
            Approximately => "`~=`",
            Plus => "`+`",
            Minus => "`-`",
            Star => "`*`",
            Slash => "`/`",
            Caret => "`^`",
            Unknown => "an unknown character",
            End => "the end of the text",
        }
    }
}
