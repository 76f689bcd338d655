//! What the attribute says of Rust that it cannot differentiate: the message, the tokens that it points at, and the help.
//!
//! `errors.txt` has the cases: a title, the item, and behind `---` the errors. `UPDATE_GOLDEN=1` rewrites what is behind it.

use std::fmt::Write;
use std::path::Path;

#[test]
fn errors_point_at_tokens() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut written = String::new();
    let mut cases = 0;
    for case in text.split("== ").skip(1) {
        let (title, rest) = case.split_once('\n').unwrap();
        let item = rest.split("---\n").next().unwrap();
        let said = said(item);
        assert!(!said.is_empty(), "`{title}` is differentiated");
        let _ = write!(written, "== {title}\n{item}---\n{said}\n");
        cases += 1;
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, written).unwrap();
    } else {
        assert_eq!(text, written, "UPDATE_GOLDEN=1 rewrites {}", path.display());
    }
    assert!(cases >= 40, "{cases} cases");
}

/// The errors of an item, which begins with the attribute.
fn said(item: &str) -> String {
    let parsed: syn::Item = syn::parse_str(item).unwrap_or_else(|error| panic!("{error}: {item}"));
    let mut parsed = parsed;
    let attributes = match &mut parsed {
        syn::Item::Fn(item) => &mut item.attrs,
        syn::Item::Mod(item) => &mut item.attrs,
        syn::Item::Struct(item) => &mut item.attrs,
        _ => panic!("a function or a module: {item}"),
    };
    let attribute = match attributes.remove(0).meta {
        syn::Meta::List(list) => list.tokens,
        _ => Default::default(),
    };
    let mut said = String::new();
    if let Err(errors) = riesz_front::differentiable(attribute, quote::quote!(#parsed)) {
        for error in errors {
            let span = error.span();
            let place = span.start();
            let text = span.source_text().unwrap_or_default();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(
                said,
                "{}:{} `{text}`: {}",
                place.line,
                place.column + 1,
                error.to_string().replace("\n\n", "\n")
            );
        }
    }
    said
}
