//! A runtime as text, of which generated code contains only the pieces that it uses, for languages with the syntax of
//! C.

use rustc_hash::FxHashSet;

/// The pieces of a runtime that texts need, and those that these need. A piece ends with a line that begins at the margin
/// and ends with a brace or a semicolon. It defines the first name in it, apart from comments, that begins with `riesz_`.
pub fn pieces<'t>(runtime: &'t str, texts: Vec<&'t str>) -> String {
    let other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let (mut all, mut start, mut end) = (Vec::new(), 0, 0);
    for line in runtime.split_inclusive('\n') {
        end += line.len();
        if !line.starts_with([' ', '/']) && line.trim_end().ends_with(['}', ';']) {
            let mut code = runtime[start..end].lines().filter(|line| !line.starts_with("//"));
            let name = code.find_map(|line| line.split(other).find(|word| word.starts_with("riesz_")));
            all.push((name, &runtime[start..end]));
            start = end;
        }
    }
    let (mut work, mut needed) = (texts, FxHashSet::default());
    while let Some(text) = work.pop() {
        for word in text.split(other) {
            let found = all.iter().find(|(name, _)| *name == Some(word) && needed.insert(word));
            work.extend(found.map(|(_, piece)| *piece));
        }
    }
    let needed = all.into_iter().filter(|(name, _)| name.is_some_and(|name| needed.contains(name)));
    needed.map(|(_, piece)| format!("\n{piece}")).collect()
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_bring_the_pieces_that_they_need() {
        let runtime = "// Not riesz_b.\nint riesz_a(int x) { return x; }\nint riesz_b(void) {\n    return riesz_a(1);\n}\n\
                       typedef struct {\n    int riesz;\n} riesz_c;\n";
        assert_eq!(
            pieces(runtime, vec!["riesz_b()"]),
            runtime
                .split_inclusive("typedef")
                .next()
                .map(|both| {
                    let (a, b) = both
                        .trim_end_matches("typedef")
                        .split_at("// Not riesz_b.\nint riesz_a(int x) { return x; }\n".len());
                    format!("\n{a}\n{b}")
                })
                .unwrap()
        );
        assert_eq!(pieces(runtime, vec!["riesz_c x;"]), "\ntypedef struct {\n    int riesz;\n} riesz_c;\n");
        assert_eq!(pieces(runtime, vec!["riesz_abc"]), "");
    }
}
