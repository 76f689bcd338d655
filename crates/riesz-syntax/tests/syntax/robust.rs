//! No text makes the parser, the lexer or the renderer panic, and all places that they report are in the text.

use crate::support;

use proptest::prelude::*;
use riesz_syntax::lexer::lex;
use riesz_syntax::{
    Diagnostic, FileId, FormatOptions, ParseOptions, Sources, Span, Tree, format, parse, parse_expression,
    parse_signature, parse_type, render,
};

/// Programs to spoil.
const PROGRAMS: [&str; 4] = [
    "fun logsumexp(v: [n]R): R =\n  let m = max(v)\n  m + log(sum(exp(x - m) | x in v))\n\nlet origin = [0.0, 0.0]\n\
     check \"label\" grad(logsumexp, origin) ~= [0.5, 0.5] within 1e-3 # why\n",
    "type Model[b] = {w: [b, 2 * b + 1]R, f: R -o (R, Int) -> Bool}\r\nimport \"other.rz\"\r\n\
     fun g((a, _): (R, R), m: Model[3]): () = {\r\n  let (x, y) = (a, m.w[0, 1]); let z = {x = x, y = -y ^ -2}\r\n\
     \tif z.x <= 3 and not true then () else loop t = () for i < 3 do t\r\n}\r\n",
    "let θ = \\a b -> f(a, _, b)(0x1F)(1_000).0.1.x or (a, b) == (1, 2) and [] != [[i | i < 3], [x | x in v]]\n",
    "let a =\n  loop (p, q) = (1.0, 2.0) while p / q > 1e-3 do\n    let r = q\n    (q, r - p)\nlet b = a.0\n  * 3\n",
];

const WORDS: [&str; 72] = [
    "fun", "let", "in", "if", "then", "else", "loop", "for", "while", "do", "true", "false", "and", "or", "not",
    "check", "within", "import", "type", "x", "f", "R", "o", "_", "1", "2.5", "1e", "0x", "3x", "\"s\"", "\"", "(",
    ")", "[", "]", "{", "}", ",", ".", ":", "=", "->", "|", "\\", "==", "!=", "<", "<=", ">", ">=", "~=", "+", "-",
    "*", "/", "^", "\n", "\n  ", ";", "#", "&&", "||", "!", "%", "**", "//", "/*", "*/", ":=", "=>", "é", "\0",
];

fn soup() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&WORDS[..]);
    let gap = prop::sample::select(&["", " ", " ", " "][..]);
    prop::collection::vec((word, gap), 0..60)
        .prop_map(|words| words.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

fn spoilt() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0usize..6, prop::sample::select(&WORDS[..]));
    (prop::sample::select(&PROGRAMS[..]), prop::collection::vec(edit, 1..6)).prop_map(|(program, edits)| {
        let mut text = program.to_string();
        for (place, length, word) in edits {
            let start = text.floor_char_boundary(place.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, word);
        }
        text
    })
}

fn bytes() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..200).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_characters(text in "\\PC{0,80}") {
        survives(&text);
    }

    #[test]
    fn any_bytes(text in bytes()) {
        survives(&text);
    }

    #[test]
    fn any_words(text in soup()) {
        survives(&text);
    }

    #[test]
    fn spoilt_programs(text in spoilt()) {
        survives(&text);
    }
}

#[test]
fn every_beginning_and_every_end_of_a_program() {
    for program in PROGRAMS {
        for (place, _) in program.char_indices() {
            survives(&program[..place]);
            survives(&program[place..]);
        }
    }
}

fn survives(text: &str) {
    let mut sources = Sources::default();
    let file = sources.add("file.rz", text);
    let lexed = lex(file, text);
    for pair in lexed.tokens.windows(2) {
        assert!(pair[0].end <= pair[1].start, "tokens overlap in {text:?}");
    }
    let options = ParseOptions { max_nesting: 50 };
    let (tree, diagnostics) = parse(file, text, &options);
    places_are_sound(text, &tree, &diagnostics);
    drawing_is_sound(&diagnostics, &sources);
    if let Ok(once) = format(text, &FormatOptions { width: 30, parse: options }) {
        assert_eq!(Ok(&once), format(&once, &FormatOptions { width: 30, parse: options }).as_ref());
    }
    let (tree, expr, mut all) = parse_expression(file, text, &options);
    places_are_sound(text, &tree, &all);
    if let Some(expr) = expr {
        assert!((expr.0 as usize) < tree.exprs.len());
    }
    all.extend(parse_type(file, text).err().unwrap_or_default());
    all.extend(parse_signature(file, text).err().unwrap_or_default());
    drawing_is_sound(&all, &sources);
    let shape: usize = tree.items.iter().map(|item| support::item_shape(&tree, item).len()).sum();
    assert!(shape < 1_000_000);
}

fn places_are_sound(text: &str, tree: &Tree, diagnostics: &[Diagnostic]) {
    let sound = |span: Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(span.file == FileId(0) && text.get(start..end).is_some(), "{span:?} in {text:?}");
    };
    for expr in &tree.exprs {
        sound(expr.span);
    }
    for item in &tree.items {
        sound(item.span);
    }
    for diagnostic in diagnostics {
        assert!(!diagnostic.labels.is_empty() && !diagnostic.message.is_empty());
        diagnostic.labels.iter().for_each(|label| sound(label.span));
        diagnostic.suggestion.iter().for_each(|suggestion| sound(suggestion.span));
    }
    let error_free = tree.exprs.iter().all(|expr| !matches!(expr.kind, riesz_syntax::tree::ExprKind::Error));
    assert!(error_free || !diagnostics.is_empty(), "an error without a message in {text:?}");
}

fn drawing_is_sound(diagnostics: &[Diagnostic], sources: &Sources) {
    for diagnostic in diagnostics {
        let drawn = render(std::slice::from_ref(diagnostic), sources, false);
        let (line, column) = sources.position(diagnostic.labels[0].span);
        assert!(drawn.contains(&format!("file.rz:{line}:{column}\n")), "{drawn}");
        assert!(drawn.contains(&format!("error[{}]: ", diagnostic.code)), "{drawn}");
        assert!(drawn.len() < 10_000, "{drawn}");
    }
}
