//! Guessing what a misspelt name was meant to be.

/// The candidate nearest to a name, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    // Any name of one letter is near to any other.
    if letters > 64 || letters == 1 {
        return None;
    }
    let within = if letters == 2 { 1 } else { 1 + letters / 4 };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name && candidate.chars().count().abs_diff(letters) <= within)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= within && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters to add, drop, change or swap with their neighbour; a change of case alone counts as one.
fn distance(a: &str, b: &str) -> usize {
    if a.len() == b.len() && a.to_lowercase() == b.to_lowercase() {
        return 1;
    }
    // What both begin with costs nothing, and most names are told apart by little.
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().skip(same).collect(), b.chars().skip(same).collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
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
    }
}
