//! What the attribute says of Rust that it cannot differentiate: the message, the tokens that it points at, and the help.
//!
//! `errors.txt` has the cases: a title, the item, and behind `---` the errors. `UPDATE_GOLDEN=1` rewrites what is behind it.

use std::fmt::Write;
use std::path::Path;
use syn::spanned::Spanned;

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
    riesz_test::golden::keep(&path, &written).unwrap_or_else(|problem| panic!("{problem}"));
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
        syn::Item::Impl(item) => &mut item.attrs,
        _ => panic!("a function or a module: {item}"),
    };
    let attribute = attributes.remove(0);
    let derive = attribute.path().is_ident("derive");
    let rule = attribute.path().is_ident("derivative");
    let attribute = match attribute.meta {
        syn::Meta::List(list) => list.tokens,
        _ => Default::default(),
    };
    let mut said = String::new();
    let mut say = |span: proc_macro2::Span, message: &str| {
        let place = span.start();
        let text = span.source_text().unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(said, "{}:{} `{text}`: {}", place.line, place.column + 1, message.replace("\n\n", "\n"));
    };
    let found = match derive {
        true => riesz_front::derive(quote::quote!(#parsed), "here").map(|_| None),
        false if rule => riesz_front::derivative(attribute, quote::quote!(#parsed), "here").map(|found| found.needs),
        false => riesz_front::differentiable(attribute, quote::quote!(#parsed), "here").map(|found| found.needs),
    };
    match found {
        Err(errors) => errors.into_iter().for_each(|error| say(error.span(), &error.to_string())),
        // The compiler of Rust says whether there is such a macro.
        Ok(Some(path)) => say(path.span(), "asks the macro of this name for the definition"),
        Ok(None) => {}
    }
    said
}
