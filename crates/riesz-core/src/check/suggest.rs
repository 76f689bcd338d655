//! Suggestions for misspelt names.

/// The candidate nearest to a name, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    // Any name of one letter is near to any other.
    if letters > 64 || letters == 1 {
        return None;
    }
    // One slip in a word, two in a long one: what differs more is another word.
    let slips = 1 + letters / 6;
    let within = slips * SLIP;
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name && candidate.chars().count().abs_diff(letters) <= slips)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= within && *distance < SLIP * candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// The cost of a slip of a finger: a letter too many or too few, two letters swapped, or the key beside the right one.
const SLIP: usize = 2;

/// The cost of a letter in place of another. In short words a letter from elsewhere on the keyboard is no slip: `sort`
/// is not `sqrt`.
fn change(a: char, b: char, short: bool) -> usize {
    match (a == b, short && !are_neighbours(a, b)) {
        (true, _) => 0,
        (false, false) => SLIP,
        (false, true) => 2 * SLIP,
    }
}

/// Whether two letters stand beside each other on most keyboards.
fn are_neighbours(a: char, b: char) -> bool {
    let place = |c: char| {
        let rows = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
        rows.iter().enumerate().find_map(|(row, keys)| Some((row, keys.find(c.to_ascii_lowercase())?)))
    };
    match (place(a), place(b)) {
        (Some((row, at)), Some((other_row, other))) => row.abs_diff(other_row) <= 1 && at.abs_diff(other) <= 1,
        // Letters of other alphabets.
        _ => true,
    }
}

/// How many slips lead from one name to the other, times what one costs; a change of case alone is one.
fn distance(a: &str, b: &str) -> usize {
    if a.len() == b.len() && a.to_lowercase() == b.to_lowercase() {
        return SLIP;
    }
    let short = a.chars().count().min(b.chars().count()) <= 4;
    // What both begin with costs nothing, and most names are told apart by little.
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().skip(same).collect(), b.chars().skip(same).collect());
    let mut rows = vec![(0..=b.len()).map(|at| at * SLIP).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i * SLIP];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + change(a[i - 1], b[j - 1], short);
            let mut best = changed.min(rows[i - 1][j] + SLIP).min(row[j - 1] + SLIP);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + SLIP);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn misspelt_names_are_recognised() {
        let names = ["sum", "sqrt", "scatter_add", "x"];
        assert_eq!(nearest("sqrtt", names), Some("sqrt"));
        assert_eq!(nearest("smu", names), Some("sum"));
        assert_eq!(nearest("scater_ad", names), Some("scatter_add"));
        assert_eq!(nearest("X", names), None);
        assert_eq!(nearest("i", ["pi"]), None);
        assert_eq!(nearest("completely", names), None);
        assert_eq!(nearest("sqrr", names), Some("sqrt"));
        assert_eq!(nearest("ssum", names), Some("sum"));
    }

    #[test]
    fn other_words_are_not_taken_for_misspelt_names() {
        for (word, names) in [
            ("mean", ["atan", "max"]),
            ("sort", ["sqrt", "dot"]),
            ("diag", ["div", "max"]),
            ("clip", ["ceil", "exp"]),
            ("where", ["sphere", "the"]),
            ("len", ["let", "e"]),
            ("cumsum", ["sum", "check"]),
        ] {
            assert_eq!(nearest(word, names), None, "{word}");
        }
    }
}
