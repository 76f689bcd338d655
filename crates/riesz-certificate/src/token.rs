//! Words, numbers and signs.

/// How many words a text may have.
const MOST: usize = 4_000_000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub text: String,
    /// Whether there is a space before it.
    pub apart: bool,
}

/// The words of a text.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let letters: Vec<char> = text.chars().collect();
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let start = at;
        while letters.get(at).is_some_and(|letter| letter.is_whitespace()) {
            at += 1;
        }
        let apart = at > start;
        let Some(&letter) = letters.get(at) else { break };
        let after_point = !apart && found.last().is_some_and(|token| token.text == ".");
        let begin = at;
        let digits = |at: &mut usize| {
            while letters.get(*at).is_some_and(char::is_ascii_digit) {
                *at += 1;
            }
        };
        let next = |at: usize| letters.get(at).copied().unwrap_or(' ');
        if letter.is_ascii_digit() {
            digits(&mut at);
            if !after_point && next(at) == '.' && next(at + 1).is_ascii_digit() {
                at += 1;
                digits(&mut at);
            }
            let signed = usize::from(matches!(next(at + 1), '+' | '-'));
            if !after_point && matches!(next(at), 'e' | 'E') && next(at + 1 + signed).is_ascii_digit() {
                at += 1 + signed;
                digits(&mut at);
            }
        } else if is_letter(letter) {
            while letters.get(at).is_some_and(|letter| is_letter(*letter) || letter.is_ascii_digit()) {
                at += 1;
            }
        } else {
            at += 1;
            if next(at) == '=' && matches!(letter, '=' | '!' | '<' | '>') {
                at += 1;
            }
        }
        found.push(Token { text: letters[begin..at].iter().collect(), apart });
        if found.len() > MOST {
            return Err(format!("a line has more than {MOST} words"));
        }
    }
    Ok(found)
}

/// Whether a letter stands in names.
pub(crate) fn is_letter(letter: char) -> bool {
    (letter.is_alphabetic() && letter != 'ᵀ') || matches!(letter, '_' | '\'' | '₀'..='₉')
}
