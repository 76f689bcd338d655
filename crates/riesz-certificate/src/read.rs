//! Certificates as text: sections of lines.

use crate::Fault;
use crate::parse::{self, Equal, Raw};
use crate::term::{Expr, Space};
use crate::token::is_letter;

/// The longest certificate, in bytes, and the most steps.
const LONGEST: usize = 64 << 20;
const STEPS: usize = 100_000;

/// A certificate that has been read.
pub(crate) struct Certificate {
    pub function: String,
    pub from: Space,
    pub values: Vec<Declared>,
    pub first: Vec<(Option<String>, Equal)>,
    pub steps: Vec<Step>,
    pub last: Vec<(Option<String>, Equal)>,
    pub last_line: usize,
}

/// A value of the program, as declared.
pub(crate) struct Declared {
    pub name: String,
    pub of: Vec<String>,
    pub space: Option<Space>,
    pub value: Option<Expr>,
}

pub(crate) struct Step {
    pub line: usize,
    pub action: Action,
}

pub(crate) enum Action {
    /// One side of a law in the place of the other.
    Rewrite(Box<Rewrite>),
    /// A derivative in the place of its name.
    Put(String, Option<Place>),
    Drop(String, Option<Place>),
    /// A form that binds no names is the map in it.
    Unwrap(Place),
}

/// `before = after` by a law and its equation, at a place.
pub(crate) struct Rewrite {
    pub place: Place,
    pub before: Raw,
    pub after: Raw,
    pub law: String,
    pub equation: String,
}

/// A map in an equation, or some of its factors or terms.
pub(crate) struct Place {
    /// `D x`; none for the result.
    pub equation: Option<String>,
    pub path: Vec<usize>,
    pub span: Span,
}

#[derive(Clone, Copy)]
pub(crate) enum Span {
    Whole,
    /// From one to another, counted from 1.
    Factors(usize, usize),
    Terms(usize, usize),
}

/// The lines of a certificate that are not empty, with their numbers.
struct Lines<'t> {
    lines: Vec<(usize, &'t str)>,
    at: usize,
}

impl<'t> Lines<'t> {
    fn peek(&self) -> &'t str {
        self.lines.get(self.at).map_or("", |(_, line)| line)
    }

    /// The number of the line.
    fn number(&self) -> usize {
        self.lines.get(self.at.min(self.lines.len().saturating_sub(1))).map_or(0, |(number, _)| *number)
    }

    fn next(&mut self) -> Option<&'t str> {
        self.at += 1;
        self.lines.get(self.at - 1).map(|(_, line)| *line)
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { step: None, line: self.number(), message: message.into() }
    }

    /// The rest of a line that begins with a word.
    fn after(&mut self, word: &str) -> Result<&'t str, Fault> {
        match self.peek().strip_prefix(word) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => {
                self.at += 1;
                Ok(rest.trim())
            }
            _ => Err(self.fault(format!("expected `{word}`"))),
        }
    }
}

/// Reads a certificate.
pub(crate) fn read(text: &str) -> Result<Certificate, Fault> {
    if text.len() > LONGEST {
        let message = format!("it has more than {} MiB", LONGEST >> 20);
        return Err(Fault { step: None, line: 1, message });
    }
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let mut lines = Lines { lines: numbered.filter(|(_, line)| !line.is_empty()).collect(), at: 0 };
    if lines.peek() != "riesz certificate 1" {
        return Err(lines.fault("its first line is not `riesz certificate 1`"));
    }
    lines.at += 1;
    let function = lines.after("function")?.to_string();
    let number = lines.number();
    let at = |number: usize| move |message: String| Fault { step: None, line: number, message };
    let from = parse::space(lines.after("from")?).map_err(at(number))?;
    lines.after("values")?;
    let mut values = Vec::new();
    while lines.peek() != "first" {
        let number = lines.number();
        let line = lines.next().ok_or_else(|| at(number)("the first equations are missing".into()))?;
        values.push(declared(line).map_err(at(number))?);
    }
    lines.after("first")?;
    let first = equations(&mut lines, "steps")?;
    lines.after("steps")?;
    let mut steps = Vec::new();
    while lines.peek() != "last" {
        steps.push(step(&mut lines, steps.len() + 1)?);
        if steps.len() > STEPS {
            return Err(lines.fault(format!("it has more than {STEPS} steps")));
        }
    }
    let last_line = lines.number();
    lines.after("last")?;
    let last = equations(&mut lines, "")?;
    match lines.next() {
        None => Ok(Certificate { function, from, values, first, steps, last, last_line }),
        Some(_) => Err(lines.fault("something follows the last equations")),
    }
}

/// `t of i, j : [n]R = e`
fn declared(line: &str) -> Result<Declared, String> {
    let (head, value) = match line.split_once(" = ") {
        Some((head, value)) => (head, Some(parse::expr(value)?)),
        None => (line, None),
    };
    let (head, space) = match head.split_once(" : ") {
        Some((head, space)) => (head, Some(parse::space(space)?)),
        None => (head, None),
    };
    let (name, of) = head.split_once(" of ").unwrap_or((head, ""));
    let of: Vec<String> = of.split(',').map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect();
    for name in of.iter().map(String::as_str).chain([name]) {
        if !is_name(name) {
            return Err(format!("`{name}` is no name"));
        }
    }
    Ok(Declared { name: name.to_string(), of, space, value })
}

fn is_name(text: &str) -> bool {
    text.starts_with(is_letter) && text.chars().all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

/// Equations, of which the last is `result = m`.
fn equations(lines: &mut Lines, end: &str) -> Result<Vec<(Option<String>, Equal)>, Fault> {
    let mut found = Vec::new();
    loop {
        let number = lines.number();
        let at = |message: String| Fault { step: None, line: number, message };
        if lines.peek() == end || lines.peek() == "last" {
            return Err(at("the equation `result = …` is missing".into()));
        }
        let line = lines.next().ok_or_else(|| at("the equations end too early".into()))?;
        let (name, side) = line.split_once(" = ").ok_or_else(|| at("an equation has no `=`".into()))?;
        if name == "result" {
            found.push((None, Equal::Map(parse::map(side).map_err(at)?)));
            return Ok(found);
        }
        found.push(match name.strip_prefix("D ") {
            Some(name) if is_name(name) => (Some(name.to_string()), Equal::Map(parse::map(side).map_err(at)?)),
            None if is_name(name) => (None, Equal::Value(name.to_string(), parse::expr(side).map_err(at)?)),
            _ => return Err(at(format!("`{name}` is no name"))),
        });
    }
}

/// `12. put D x`, `12. in D y at 2.0` and what is equal there by which law.
fn step(lines: &mut Lines, expected: usize) -> Result<Step, Fault> {
    let line = lines.number();
    let at = |message: String| Fault { step: Some(expected), line, message };
    let header = lines.next().ok_or_else(|| at("the last equations are missing".into()))?;
    let (number, what) = header.split_once(". ").ok_or_else(|| at("a step has no number".into()))?;
    if number.parse() != Ok(expected) {
        return Err(at(format!("step {expected} is missing: `{number}` follows")));
    }
    let action = if let Some(rest) = what.strip_prefix("put D ") {
        let (name, place) = named(rest).map_err(at)?;
        Action::Put(name, place)
    } else if let Some(rest) = what.strip_prefix("drop D ") {
        let (name, place) = named(rest).map_err(at)?;
        Action::Drop(name, place)
    } else if let Some(rest) = what.strip_prefix("no names ") {
        Action::Unwrap(place(rest).map_err(at)?)
    } else {
        let place = place(what).map_err(at)?;
        let before = parse::map(lines.next().unwrap_or_default()).map_err(at)?;
        let after = lines.next().and_then(|line| line.strip_prefix("= "));
        let after = parse::map(after.ok_or_else(|| at("the right side is missing".into()))?).map_err(at)?;
        let by = lines.next().and_then(|line| line.strip_prefix("by ")).and_then(|law| law.split_once(": "));
        let (law, equation) = by.ok_or_else(|| at("the law is missing".into()))?;
        Action::Rewrite(Box::new(Rewrite {
            place,
            before,
            after,
            law: law.to_string(),
            equation: equation.to_string(),
        }))
    };
    Ok(Step { line, action })
}

/// `x in D y at 2.0`
fn named(text: &str) -> Result<(String, Option<Place>), String> {
    let (name, rest) = match text.split_once(" in ") {
        Some((name, rest)) => (name, Some(place(&format!("in {rest}"))?)),
        None => (text, None),
    };
    if is_name(name) { Ok((name.to_string(), rest)) } else { Err(format!("`{name}` is no name")) }
}

/// `in D y at 2.0, factors 1 to 2`
fn place(text: &str) -> Result<Place, String> {
    let wrong = || format!("`{text}` is no place");
    let rest = text.strip_prefix("in ").ok_or_else(wrong)?;
    let (rest, span) = match rest.split_once(", ") {
        None => (rest, Span::Whole),
        Some((rest, span)) => {
            let words: Vec<&str> = span.split(' ').collect();
            let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok()).filter(|n| *n > 0);
            let (first, second) = (number(1).ok_or_else(wrong)?, number(3).ok_or_else(wrong)?);
            match (words[0], words[2], words.len()) {
                ("factors", "to", 4) if first <= second => (rest, Span::Factors(first, second)),
                ("terms", "and", 4) if first < second => (rest, Span::Terms(first, second)),
                _ => return Err(wrong()),
            }
        }
    };
    let (equation, path) = rest.split_once(" at ").unwrap_or((rest, ""));
    let path = path.split('.').filter(|at| !at.is_empty()).map(|at| at.parse().map_err(|_| wrong()));
    let path = path.collect::<Result<Vec<usize>, String>>()?;
    let equation = match (equation, equation.strip_prefix("D ")) {
        ("result", _) => None,
        (_, Some(name)) if is_name(name) => Some(name.to_string()),
        _ => return Err(wrong()),
    };
    Ok(Place { equation, path, span })
}
