//! The text of `:help`, from the table of built-in functions and the table of directives.

use super::directive::TABLE;
use riesz::primitive::{self, Primitive};

const INTRODUCTION: &str = "\
An expression is evaluated. `fun`, `let`, `type`, `check` and `import` are added to
the program; a new definition takes the place of an old one of the same name, but
what used the old one keeps it. Input goes on while a bracket is open or something
is missing at its end; an empty line ends it.

";

/// The entry of a name, or the introduction for the empty one.
pub fn entry(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some(introduction());
    }
    let row = find(name)?;
    let mut text = signatures(name)?;
    text += &format!("\n  {}\n", row.summary);
    if !row.example.is_empty() {
        text += &format!("\n  {}\n", row.example);
    }
    Some(text)
}

/// The signatures of a built-in function, one a line.
pub fn signatures(name: &str) -> Option<String> {
    let row = find(name)?;
    Some(row.signatures.iter().map(|signature| format!("{}{signature}\n", row.name)).collect())
}

fn find(name: &str) -> Option<&'static Primitive> {
    primitive::find(name).filter(|row| !row.hidden())
}

fn introduction() -> String {
    let mut text = INTRODUCTION.to_string();
    for row in &TABLE {
        let form = format!("{} {}", row.name, row.argument);
        text += &format!("  {form:<16} {}\n", row.summary);
    }
    text
}
