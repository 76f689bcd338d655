//! Shrinking of failing texts, by removing lines, then words, then characters.

/// The smallest text found that still fails.
pub fn shrink(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut text = text.to_string();
    for split in [lines, words, characters] {
        loop {
            let smaller = leave_out(split(&text), fails);
            if smaller.len() == text.len() {
                break;
            }
            text = smaller;
        }
    }
    text
}

/// Leaves out runs of pieces, long ones first.
fn leave_out(mut pieces: Vec<String>, fails: &dyn Fn(&str) -> bool) -> String {
    let mut run = pieces.len().div_ceil(2);
    while run > 0 {
        let mut at = 0;
        while at < pieces.len() {
            let end = (at + run).min(pieces.len());
            let rest = [&pieces[..at], &pieces[end..]].concat();
            if fails(&rest.concat()) {
                pieces = rest;
            } else {
                at += run;
            }
        }
        run /= 2;
    }
    pieces.concat()
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(String::from).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_inclusive(|c: char| !c.is_alphanumeric()).map(String::from).collect()
}

fn characters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}
