//! The lines that begin with `:`, in one table for execution, help and completion.

/// The directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Help on everything, or on a name.
    Help,
    /// The type of an expression.
    Type,
    /// Restart with a file.
    Load,
    /// The same with the same file.
    Reload,
    /// The list of definitions.
    Names,
    /// How a derivative is made.
    Derive,
    /// A picture of a function.
    Graph,
    /// Leave.
    Quit,
}

/// The help for a directive.
#[derive(Debug)]
pub struct Row {
    directive: Directive,
    /// With its colon.
    pub name: &'static str,
    /// Its argument.
    pub argument: &'static str,
    /// Its effect.
    pub summary: &'static str,
}

/// All of them.
pub const TABLE: [Row; 8] = [
    row(Directive::Help, ":help", "[NAME]", "this list, or help on a built-in function"),
    row(Directive::Type, ":type", "EXPR", "the type of an expression"),
    row(Directive::Load, ":load", "FILE", "restart with the definitions of a file"),
    row(Directive::Reload, ":reload", "", "load the same file again"),
    row(Directive::Names, ":names", "", "list the definitions"),
    row(Directive::Derive, ":derive", "FUN", "how a derivative is made"),
    row(Directive::Graph, ":graph", "FUN [OUT]", "draw a function, into FUN.svg or the file OUT"),
    row(Directive::Quit, ":quit", "", "leave"),
];

const fn row(directive: Directive, name: &'static str, argument: &'static str, summary: &'static str) -> Row {
    Row { directive, name, argument, summary }
}

/// A line as its first word and the rest.
pub fn first_word(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, rest.trim())
}

/// Why a line asks for nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem(pub String);

impl Directive {
    /// A line without its colon, as a directive and its argument. The beginning of a name will do, where only one name
    /// begins so.
    pub fn parse(line: &str) -> Result<(Directive, &str), Problem> {
        let (word, argument) = first_word(line);
        let begun: Vec<&Row> = TABLE.iter().filter(|row| row.name[1..].starts_with(word)).collect();
        let row = match &begun[..] {
            [row] => row,
            _ => match begun.iter().find(|row| &row.name[1..] == word) {
                Some(row) => row,
                None => return Err(Problem(format!("`:{word}` is not a command; `:help` lists the commands"))),
            },
        };
        match (row.argument, argument) {
            ("", argument) if !argument.is_empty() => Err(Problem(format!("nothing follows `{}`", row.name))),
            ("FILE", "") => Err(Problem(format!("write the name of a file after `{}`", row.name))),
            ("FUN" | "FUN [OUT]", "") => Err(Problem(format!("write the name of a function after `{}`", row.name))),
            _ => Ok((row.directive, argument)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_short() {
        assert_eq!(Directive::parse("t 1 + 2"), Ok((Directive::Type, "1 + 2")));
        assert_eq!(Directive::parse("quit"), Ok((Directive::Quit, "")));
        assert_eq!(Directive::parse("load  a b.rz "), Ok((Directive::Load, "a b.rz")));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for line in ["", "x", "load", "derive", "graph", "quit now", "types"] {
            assert!(Directive::parse(line).is_err(), "{line}");
        }
    }
}
