//! The only place at which foreign text enters generated code: the user's names, and the paths of files.
//!
//! A printer writes a *draft*. Where a name or a place belongs, the draft has a [`Foreign`] mark, which identifies it
//! without its text: a printer cannot format a name, since `SourceName` does not implement it. [`settle`] inserts the text,
//! as an identifier, as a part of a comment or as a part of a string.
//!
//! - An identifier consists of ASCII letters, digits and `_`, begins with a letter, and has no other meaning in the code.
//!   The reserved words are read from the draft itself, which contains every item of the runtime that it uses, so no list of
//!   them is needed; a [`Dialect`] adds the keywords of its language. A name that begins with a capital gets a trailing
//!   `_`: Rust's `let` treats names of constants and constructors as patterns, `use riesz_runtime::*` imports them even if
//!   they are unused, and the macros of C are written in capitals.
//! - A comment is one line of printable ASCII, which begins with `//`. The draft ends the line with a character of its own,
//!   so that no foreign character, such as a backslash in C, stands at the end.
//! - In a string, quotation marks, backslashes and question marks (which begin the trigraphs of C) are escaped.

use crate::name::SourceName;
use crate::program::{Buffer, Procedure, ProcedureId, Program, Register, SiteId};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::fmt;

/// A mark in a draft, in the place of foreign text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Foreign {
    /// The identifier of a procedure.
    Function(ProcedureId),
    /// The identifier of a register of the procedure that is written.
    Register(Register),
    /// The identifier of a buffer of the procedure that is written.
    Buffer(Buffer),
    /// In a comment: the name of a procedure.
    NameOf(ProcedureId),
    /// In a comment: where a procedure comes from.
    PlaceOf(ProcedureId),
    /// In a string: the place that an error comes from.
    PlaceOfSite(SiteId),
}

/// The words that a language adds to those that cannot be names.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Its keywords, and other words that mean something wherever they stand, with spaces between them.
    pub keywords: &'static str,
}

/// The characters with which marks begin and end. No other text that is written contains them.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (kind, at) = match self {
            Foreign::Function(procedure) => ('f', procedure.0),
            Foreign::Register(register) => ('r', register.0),
            Foreign::Buffer(buffer) => ('b', buffer.0),
            Foreign::NameOf(procedure) => ('n', procedure.0),
            Foreign::PlaceOf(procedure) => ('p', procedure.0),
            Foreign::PlaceOfSite(site) => ('s', site.0),
        };
        write!(f, "{OPEN}{kind}{at}{CLOSE}")
    }
}

impl Foreign {
    /// Reads a mark without its first and last character.
    fn parse(text: &str) -> Option<Foreign> {
        let at = text.get(1..)?.parse().ok()?;
        match text.chars().next()? {
            'f' => Some(Foreign::Function(ProcedureId(at))),
            'r' => Some(Foreign::Register(Register(at))),
            'b' => Some(Foreign::Buffer(Buffer(at))),
            'n' => Some(Foreign::NameOf(ProcedureId(at))),
            'p' => Some(Foreign::PlaceOf(ProcedureId(at))),
            's' => Some(Foreign::PlaceOfSite(SiteId(at))),
            _ => None,
        }
    }
}

/// Code with marks.
pub struct Draft {
    /// The procedure whose registers and buffers the marks name: it is the code of that procedure, or of its caller.
    pub procedure: Option<ProcedureId>,
    /// The code.
    pub text: String,
}

/// The text of drafts, one after the other, with all foreign text in its place. `place` is a place as a person finds it:
/// file, line and column.
pub fn settle(program: &Program, place: &dyn Fn(Span) -> String, drafts: &[Draft], dialect: Dialect) -> String {
    let used: Vec<Used> = drafts.iter().map(|draft| Used::by(&draft.text)).collect();
    let mut taken = Taken::new(dialect);
    let mut forms: FxHashMap<Foreign, FxHashSet<(&str, &str)>> = FxHashMap::default();
    for used in &used {
        taken.add(used);
        for (foreign, as_part) in &used.forms {
            forms.entry(*foreign).or_default().extend(as_part.iter().copied());
        }
    }
    let mut functions = FxHashMap::default();
    for (at, procedure) in program.procedures.iter().enumerate() {
        let foreign = Foreign::Function(ProcedureId(at as u32));
        let own = forms.remove(&foreign).unwrap_or_default();
        functions.insert(foreign, taken.choose(Some(&procedure.name), "f", &own));
    }
    let mut text = String::new();
    for (draft, used) in drafts.iter().zip(&used) {
        let procedure = draft.procedure.map(|id| program.procedure(id));
        let identifiers = variables(procedure, used, &functions, dialect);
        fill(&draft.text, &mut text, |foreign| match foreign {
            Foreign::NameOf(id) => comment(program.procedure(id).name.as_written()),
            Foreign::PlaceOf(id) => comment(&place(program.procedure(id).span)),
            Foreign::PlaceOfSite(id) => string(&place(program.site(id).span)),
            identifier => identifiers.get(&identifier).cloned().unwrap_or_default(),
        });
    }
    text
}

/// The identifiers in the draft of a procedure.
fn variables(
    procedure: Option<&Procedure>,
    used: &Used<'_>,
    functions: &FxHashMap<Foreign, String>,
    dialect: Dialect,
) -> FxHashMap<Foreign, String> {
    let mut taken = Taken::new(dialect);
    taken.add(used);
    let mut identifiers = FxHashMap::default();
    for foreign in used.forms.keys() {
        if let Some(name) = functions.get(foreign) {
            taken.words.insert(Cow::Owned(name.clone()));
            identifiers.insert(*foreign, name.clone());
        }
    }
    let Some(procedure) = procedure else { return identifiers };
    // What is passed comes first, so that it keeps its name.
    let registers =
        (procedure.registers.iter().zip(0..)).map(|(info, at)| (Foreign::Register(Register(at)), &info.name, "t"));
    let buffers = (procedure.buffers.iter().zip(0..)).map(|(info, at)| (Foreign::Buffer(Buffer(at)), &info.name, "v"));
    for (foreign, name, otherwise) in registers.chain(buffers) {
        if let Some(forms) = used.forms.get(&foreign) {
            identifiers.insert(foreign, taken.choose(name.as_ref(), otherwise, forms));
        }
    }
    identifiers
}

/// The words and marks in the code of a draft.
#[derive(Default)]
struct Used<'d> {
    /// Words that are no one's name.
    words: FxHashSet<&'d str>,
    /// The text before and behind each mark in the words that contain it.
    forms: FxHashMap<Foreign, FxHashSet<(&'d str, &'d str)>>,
}

impl<'d> Used<'d> {
    fn by(draft: &'d str) -> Used<'d> {
        let mut used = Used::default();
        for line in draft.lines() {
            used.line(line.split_once("//").map_or(line, |(code, _)| code));
        }
        used
    }

    fn line(&mut self, line: &'d str) {
        let mut rest = line;
        // Marks begin with a character that is not ASCII.
        while let Some(start) = rest.bytes().position(|byte| is_word(byte) || !byte.is_ascii()) {
            // What follows a point or two colons belongs to something, and cannot be hidden.
            let member =
                rest[..start].ends_with("::") || rest[..start].ends_with('.') && !rest[..start].ends_with("..");
            rest = &rest[start..];
            let (word, behind) = word(rest);
            rest = behind;
            match mark(rest) {
                Some((foreign, behind)) => {
                    let (after, behind) = self::word(behind);
                    self.forms.entry(foreign).or_default().insert((word, after));
                    rest = behind;
                }
                None if word.is_empty() => rest = rest.chars().next().map_or("", |c| &rest[c.len_utf8()..]),
                None if member => {}
                None => {
                    self.words.insert(word);
                }
            }
        }
    }
}

/// The word at the beginning, which may be empty, and what is behind it.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !is_word(byte)).unwrap_or(text.len()))
}

/// A mark at the beginning, and what is behind it.
fn mark(text: &str) -> Option<(Foreign, &str)> {
    let (inside, behind) = text.strip_prefix(OPEN)?.split_once(CLOSE)?;
    Some((Foreign::parse(inside)?, behind))
}

/// Copies a draft with its marks replaced. What a draft holds besides is ASCII, and nothing else gets through.
fn fill(draft: &str, text: &mut String, mut meaning: impl FnMut(Foreign) -> String) {
    let mut rest = draft;
    while let Some(start) = rest.bytes().position(|byte| !byte.is_ascii()) {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        match mark(rest) {
            Some((foreign, behind)) => {
                text.push_str(&meaning(foreign));
                rest = behind;
            }
            None => rest = rest.chars().next().map_or("", |c| &rest[c.len_utf8()..]),
        }
    }
    text.push_str(rest);
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Words that cannot be chosen any more.
struct Taken<'d> {
    words: FxHashSet<Cow<'d, str>>,
    /// The number to try next behind a name that is taken.
    next: FxHashMap<String, u32>,
}

impl<'d> Taken<'d> {
    fn new(dialect: Dialect) -> Taken<'d> {
        let words = dialect.keywords.split_whitespace().map(Cow::Borrowed).collect();
        Taken { words, next: FxHashMap::default() }
    }

    fn add(&mut self, used: &Used<'d>) {
        self.words.extend(used.words.iter().copied().map(Cow::Borrowed));
    }

    /// An identifier that is free in every form that it is needed in.
    fn choose(&mut self, name: Option<&SourceName>, otherwise: &str, forms: &FxHashSet<(&str, &str)>) -> String {
        let wanted = name.map_or_else(|| otherwise.to_string(), |name| identifier(name.as_written()));
        let all = |name: &str| -> Vec<String> {
            let alone = std::iter::once(name.to_string());
            alone.chain(forms.iter().map(|(before, behind)| format!("{before}{name}{behind}"))).collect()
        };
        let mut found = wanted.clone();
        let mut count = self.next.get(&wanted).copied().unwrap_or(if name.is_some() { 2 } else { 1 });
        let mut numbered = name.is_none();
        let words = loop {
            if numbered {
                found = format!("{wanted}_{count}");
                count += 1;
            }
            let words = all(&found);
            if !words.iter().any(|word| self.words.contains(word.as_str())) {
                break words;
            }
            numbered = true;
        };
        self.words.extend(words.into_iter().map(Cow::Owned));
        self.next.insert(wanted, count);
        found
    }
}

/// The most characters of a name that are written.
const LONGEST_NAME: usize = 64;
/// The most characters of foreign text in a comment.
const LONGEST_COMMENT: usize = 400;

/// A name of the source as a word of ASCII.
fn identifier(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars().take(LONGEST_NAME) {
        match c {
            '\'' => text.push_str("_prime"),
            c if u8::try_from(c).is_ok_and(is_word) => text.push(c),
            c if c.is_alphanumeric() => text.push_str(&format!("u{:x}", c as u32)),
            _ => text.push('_'),
        }
    }
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.insert_str(0, "n_");
    }
    if text.len() > 1 && text.starts_with(|c: char| c.is_ascii_uppercase()) {
        text.push('_');
    }
    text
}

/// Foreign text as a part of a comment: printable ASCII on one line.
fn comment(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars().take(LONGEST_COMMENT) {
        match c {
            ' '..='~' => harmless.push(c),
            _ => harmless.extend(c.escape_unicode()),
        }
    }
    harmless
}

/// Foreign text as a part of a string in quotation marks.
fn string(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in comment(text).chars() {
        if matches!(c, '"' | '\\' | '?') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_one_line_of_ascii() {
        for (text, expected) in [
            ("a.rz:1:1", "a.rz:1:1"),
            ("a\npub fn foreign() {}//", "a\\u{a}pub fn foreign() {}//"),
            (
                "\r\u{2028}\u{202e}\u{85}\0\u{e000}f0\u{e001}",
                "\\u{d}\\u{2028}\\u{202e}\\u{85}\\u{0}\\u{e000}f0\\u{e001}",
            ),
        ] {
            assert_eq!(comment(text), expected);
        }
    }

    #[test]
    fn an_identifier_is_a_word() {
        let hostile = ["x'", "θ", "", "_", "9", "a b", "x\n", "\"; }", "\u{202e}", "Ok", "X", "١", "#[a]", "//", "a\\"];
        for name in hostile {
            let word = identifier(name);
            assert!(word.bytes().all(is_word) && !word.starts_with(|c: char| c.is_ascii_digit()), "{name:?}: {word}");
        }
        assert_eq!(identifier("x'"), "x_prime");
        assert_eq!(identifier("Ok"), "Ok_");
        assert_eq!(identifier("X"), "X");
        assert_eq!(identifier("__x86_64__"), "n___x86_64__");
    }

    #[test]
    fn a_string_is_a_string() {
        assert_eq!(string("a\"b\\c??/\n.rz:1:1"), "a\\\"b\\\\c\\?\\?/\\\\u{a}.rz:1:1");
    }

    #[test]
    fn words_that_a_draft_uses_are_taken_in_every_form() {
        let x = Foreign::Register(Register(0));
        let draft = format!("let {x}_lanes = y.max(part({x})); // z {x}\n");
        let used = Used::by(&draft);
        let mut taken = Taken::new(Dialect { keywords: "fn" });
        taken.add(&used);
        taken.words.insert("x_lanes".into());
        assert_eq!(taken.choose(Some(&"x".into()), "t", &used.forms[&x]), "x_2");
        for (name, expected) in
            [("part", "part_2"), ("max", "max"), ("z", "z"), ("x_2_lanes", "x_2_lanes_2"), ("fn", "fn_2")]
        {
            assert_eq!(taken.choose(Some(&name.into()), "t", &FxHashSet::default()), expected);
        }
    }

    #[test]
    fn nothing_but_marks_and_ascii_gets_through() {
        let mut text = String::new();
        fill(&format!("a\u{202e}{}θ\u{e000}b", Foreign::NameOf(ProcedureId(0))), &mut text, |_| "!".into());
        assert_eq!(text, "a!b");
    }
}
