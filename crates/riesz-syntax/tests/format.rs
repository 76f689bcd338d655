//! Formatting keeps the meaning and the comments, is a fixed point, and looks as it should.

mod support;

use proptest::prelude::*;
use riesz_syntax::lexer::lex;
use riesz_syntax::{FileId, FormatOptions, ParseOptions, format, parse, same};
use support::generate;

#[track_caller]
fn formatted(text: &str, width: usize) -> String {
    match format(text, &FormatOptions { width, ..FormatOptions::default() }) {
        Ok(text) => text,
        Err(diagnostics) => panic!("{:?} in\n{text}", support::messages(&diagnostics)),
    }
}

fn comments(text: &str) -> Vec<&str> {
    let comments = lex(FileId(0), text).comments;
    comments.iter().map(|comment| text[comment.start as usize..comment.end as usize].trim_end()).collect()
}

#[track_caller]
fn laws(text: &str, width: usize) {
    let once = formatted(text, width);
    let tree = |text| parse(FileId(0), text, &ParseOptions::default()).0;
    assert!(same(&tree(text), &tree(&once)), "the meaning changes from\n{text}\nto\n{once}");
    assert_eq!(comments(text), comments(&once), "the comments change from\n{text}\nto\n{once}");
    let twice = formatted(&once, width);
    assert!(once == twice, "not a fixed point:\n{text}\nbecomes\n{once}\nbecomes\n{twice}");
    assert!(once.lines().all(|line| line.trim_end() == line) && !once.contains("\n\n\n"), "untidy:\n{once}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn random_programs(seed in any::<u64>(), size in 0u32..6, width in prop::sample::select(&[1, 20, 40, 100][..])) {
        laws(&generate::program(seed, size), width);
    }
}
