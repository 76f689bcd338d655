//! Loops become sums and arrays where they are, and stay loops where they are not.

/// The program of the language that a function becomes, without its derivatives.
fn riesz(item: &str) -> String {
    let tokens = item.parse().unwrap();
    let expansion = riesz_front::differentiable(Default::default(), tokens, "here")
        .unwrap_or_else(|error| panic!("{error}: {item}"));
    expansion.riesz.split("\nfun riesz_").next().unwrap().to_string()
}

#[test]
fn integers_are_checked_where_they_may_be_negative() {
    // The last statement of a function of `v: &[f64]`, and whether it has a check.
    let cases = [
        ("for i in 0..n { for j in 0..i { s += v[j * (2 * n - j - 1) / 2]; } }", false),
        ("for i in 0..n { s += v[(n - i - 1) / 2]; }", false),
        ("for i in 0..n { s += v[(n - i - 2) / 2]; }", true),
        ("for i in 0..n { for j in 0..n { s += v[(i - j) / 2]; } }", true),
        ("for i in 0..n { for j in 0..n { s += v[(i - j) * (i - j) / 2]; } }", true),
    ];
    for (body, has) in cases {
        let text = riesz(&format!("fn f(v: &[f64]) -> f64 {{ let n = v.len(); let mut s = 0.0; {body} s }}"));
        assert_eq!(text.contains("rust_unsigned"), has, "{body}:\n{text}");
    }
}

#[test]
fn loops_are_what_they_are() {
    // Statements of a function of `v: &[f64]` with `let mut s = 0.0; let mut w = v.to_vec(); let mut m = vec![vec![0.0; n]; n];`,
    // the words that the program has, and those that it has not.
    let cases: [(&str, &[&str], &[&str]); 17] = [
        ("for i in 0..n { s += v[i]; }", &["sum("], &["loop"]),
        ("for x in v { s = s + x * x; }", &["sum("], &["loop"]),
        ("for i in 0..n { for j in 0..i { s -= v[j]; } }", &["sum("], &["loop"]),
        ("for i in 0..n { if v[i] > 0.0 { s += v[i]; } else { s -= 1.0; } }", &["sum("], &["loop"]),
        ("for i in 0..n { s += v[i]; if i > 2 { s += 1.0; } }", &["sum("], &["loop"]),
        ("for i in 0..n { w[i] = v[i] * 2.0; }", &["[("], &["loop", "update"]),
        ("for i in 1..n { w[i] = v[i - 1]; }", &["slice"], &["loop", "update"]),
        ("for x in w.iter_mut() { *x += 1.0; }", &[], &["loop", "update"]),
        ("for i in 0..n { w[(i * 7) % n] += v[i]; }", &["scatter_add"], &["loop", "update"]),
        ("for i in 0..n { for j in 0..n { m[i][j] = v[i] * v[j]; } }", &[], &["loop", "update"]),
        ("for i in 0..n { m[i][0] = v[i]; m[i][1] += 1.0; }", &["update(e_"], &["loop"]),
        ("for i in 0..n { s = s * v[i]; }", &["loop"], &["sum("]),
        ("for i in 0..n { s += v[i]; w[0] = s; }", &["loop"], &["sum("]),
        ("for i in 0..n { s += s * v[i]; }", &["loop"], &["sum("]),
        ("for i in 1..n { w[i] = w[i - 1]; }", &["loop", "update"], &[]),
        ("for i in 0..n { s += v[i]; if s > 3.0 { break; } }", &["loop"], &["sum("]),
        ("for i in 0..n { let old = s; s += v[i]; w[i] = old; }", &["loop"], &["sum("]),
    ];
    for (body, has, has_not) in cases {
        let item = format!(
            "fn f(v: &[f64]) -> f64 {{ let n = v.len(); let mut s = 0.0; let mut w = v.to_vec(); \
             let mut m = vec![vec![0.0; n]; n]; {body} s + w[0] + m[0][0] }}"
        );
        let text = riesz(&item);
        has.iter().for_each(|word| assert!(text.contains(word), "`{body}` has no `{word}`:\n{text}"));
        has_not.iter().for_each(|word| assert!(!text.contains(word), "`{body}` has `{word}`:\n{text}"));
    }
}
