//! Texts that need not be programs: bytes, words, and programs with random changes.

use riesz_syntax::FileId;
use riesz_syntax::lexer::lex;
use riesz_test::generate::random::Random;

/// Words that programs are made of, those that make sense in more places more often.
const WORDS: &[(&str, usize)] = &[
    ("fun", 4),
    ("let", 6),
    ("in", 4),
    ("if", 3),
    ("then", 3),
    ("else", 3),
    ("loop", 3),
    ("for", 2),
    ("while", 1),
    ("do", 3),
    ("true", 1),
    ("false", 1),
    ("and", 1),
    ("or", 1),
    ("not", 1),
    ("check", 2),
    ("within", 1),
    ("import", 1),
    ("type", 2),
    ("x", 12),
    ("y", 8),
    ("f", 8),
    ("n", 8),
    ("i", 6),
    ("v", 6),
    ("t", 2),
    ("T", 2),
    ("R", 8),
    ("Int", 4),
    ("Bool", 2),
    ("_", 4),
    ("0", 5),
    ("1", 5),
    ("2.5", 4),
    ("9223372036854775807", 1),
    ("1e308", 1),
    ("0x1F", 1),
    ("\"s\"", 1),
    ("sum", 4),
    ("map", 2),
    ("max", 2),
    ("size", 2),
    ("concat", 1),
    ("fold", 1),
    ("exp", 2),
    ("nan", 1),
    ("(", 16),
    (")", 18),
    ("[", 10),
    ("]", 11),
    ("{", 4),
    ("}", 5),
    (",", 12),
    (".", 3),
    (":", 8),
    ("=", 10),
    ("->", 5),
    ("-o", 1),
    ("|", 5),
    ("\\", 5),
    ("==", 2),
    ("!=", 1),
    ("<", 5),
    ("<=", 1),
    (">", 1),
    (">=", 1),
    ("~=", 1),
    ("+", 5),
    ("-", 5),
    ("*", 4),
    ("/", 2),
    ("^", 3),
    ("\n", 8),
    ("\n  ", 5),
    (";", 4),
    ("#", 1),
    ("θ", 1),
    ("\0", 1),
    ("\r\n", 1),
    ("\u{feff}", 1),
    ("−", 1),
];

/// Any bytes, as far as they are UTF-8.
pub fn bytes(random: &mut Random) -> String {
    let length = random.below(120);
    let ascii = random.percent(50);
    let byte = |random: &mut Random| if ascii { random.below(128) as u8 } else { random.next() as u8 };
    let bytes: Vec<u8> = (0..length).map(|_| byte(random)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Any words.
pub fn words(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(60) {
        text += word(random);
        if random.percent(80) {
            text.push(' ');
        }
    }
    text
}

fn word(random: &mut Random) -> &'static str {
    let total: usize = WORDS.iter().map(|(_, weight)| weight).sum();
    let mut chosen = random.below(total);
    for (word, weight) in WORDS {
        match chosen.checked_sub(*weight) {
            Some(rest) => chosen = rest,
            None => return word,
        }
    }
    "x"
}

/// A program with some words deleted, doubled, exchanged, replaced, or taken from another program.
pub fn spoilt(random: &mut Random, programs: &[String]) -> String {
    let mut pieces = pieces(random.pick::<String>(programs));
    for _ in 0..=random.below(4) {
        if pieces.is_empty() {
            break;
        }
        let (at, other) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(8) {
            0 => {
                pieces.remove(at);
            }
            1 => pieces.insert(at, pieces[other].clone()),
            2 => pieces.swap(at, other),
            3 => pieces[at] = format!(" {} ", word(random)),
            4 => pieces.insert(at, format!(" {} ", word(random))),
            5 => {
                let end = (at + random.below(20)).min(pieces.len());
                pieces.drain(at..end);
            }
            6 => {
                let end = (at + random.below(20)).min(pieces.len());
                let copied = pieces[at..end].to_vec();
                pieces.splice(other..other, copied);
            }
            _ => {
                let from = self::pieces(random.pick::<String>(programs));
                if !from.is_empty() {
                    let start = random.below(from.len());
                    let end = (start + random.below(30)).min(from.len());
                    let stop = (at + random.below(10)).min(pieces.len());
                    pieces.splice(at..stop, from[start..end].iter().cloned());
                }
            }
        }
    }
    pieces.concat()
}

/// The words of a program, each with the white space before it.
fn pieces(program: &str) -> Vec<String> {
    let mut start = 0;
    let mut pieces = Vec::new();
    for token in lex(FileId(0), program).tokens {
        let end = (token.end as usize).max(start);
        pieces.push(program[start..end].to_string());
        start = end;
    }
    pieces
}
