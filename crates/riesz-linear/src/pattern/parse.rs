//! Patterns from text. Operators, loosest first: `+`, `∘`, `·`, `⊗`, `*`, `⊙`, a word with its arguments, `ᵀ`.

use super::{Coefficient, Function, Leaf, Name, Pattern, Subscript};
use crate::map::Family;
use crate::parse::{Kind, Parsed, Parser, read};

/// Reads a pattern; its names are added to those that are known.
pub(super) fn parse(text: &str, names: &mut Vec<String>) -> Result<Pattern, String> {
    let tree = read(text, |parser| infix(parser, 0)).map_err(|error| format!("`{text}`: {error}"))?;
    Reader { names }.map(&tree).map_err(|problem| format!("`{text}`: {problem}"))
}

/// A text before it is known whether it stands for maps or for coefficients.
#[derive(Clone, Debug)]
enum Tree {
    Word(String, Vec<Tree>),
    Number(f64),
    Infix(&'static str, Box<Tree>, Box<Tree>),
    Inner(Box<Tree>, Box<Tree>),
    Adjoint(Box<Tree>),
}

const OPERATORS: &[&str] = &["+", "∘", "·", "⊗", "*", "⊙"];

fn infix(parser: &mut Parser, level: usize) -> Parsed<Tree> {
    let Some(operator) = OPERATORS.get(level) else { return word(parser) };
    let mut left = infix(parser, level + 1)?;
    while parser.take(operator) {
        left = Tree::Infix(operator, Box::new(left), Box::new(infix(parser, level + 1)?));
    }
    Ok(left)
}

/// `word argument …`
fn word(parser: &mut Parser) -> Parsed<Tree> {
    let tree = atom(parser)?;
    let word = match &tree {
        Tree::Word(word, arguments) if arguments.is_empty() => word.clone(),
        _ => return Ok(tree),
    };
    let count = match word.as_str() {
        "scale" | "diagonal" | "reduce" | "unitary" | "project" | "inject" => 1,
        "fork" | "join" | "each" | "sum" | "map" | "only" | "constant" | "rows" | "gather" | "total" => 1,
        "band" | "main" => 1,
        "paths" | "source" | "target" | "combine" => 2,
        _ => return Ok(tree),
    };
    let arguments = (0..count).map(|_| atom(parser)).collect::<Result<_, _>>()?;
    Ok(Tree::Word(word, arguments))
}

fn atom(parser: &mut Parser) -> Parsed<Tree> {
    let mut tree = match parser.peek().clone() {
        Kind::Symbol("(") => parser.within("(", ")", |parser| infix(parser, 0))?,
        Kind::Symbol("⟨") => {
            let pair = |parser: &mut Parser| {
                let first = infix(parser, 0)?;
                parser.symbol(",")?;
                Ok(Tree::Inner(Box::new(first), Box::new(infix(parser, 0)?)))
            };
            parser.within("⟨", "⟩", pair)?
        }
        Kind::Number(number, _) => {
            parser.at += 1;
            Tree::Number(number)
        }
        Kind::Word(word) => {
            parser.at += 1;
            match word == "dot" {
                true => parser.within("(", ")", product)?,
                false => Tree::Word(word, Vec::new()),
            }
        }
        _ => return parser.expected("a pattern"),
    };
    while parser.take("ᵀ") {
        tree = Tree::Adjoint(Box::new(tree));
    }
    Ok(tree)
}

/// `a, _` or `_, b`
fn product(parser: &mut Parser) -> Parsed<Tree> {
    let first = if parser.take("_") { None } else { Some(infix(parser, 0)?) };
    parser.symbol(",")?;
    let (side, matrix) = match first {
        None => ("right", infix(parser, 0)?),
        Some(matrix) => parser.symbol("_").map(|()| ("left", matrix))?,
    };
    Ok(Tree::Word(side.to_string(), vec![matrix]))
}

struct Reader<'n> {
    names: &'n mut Vec<String>,
}

impl Reader<'_> {
    fn number_of(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        })
    }

    fn name(&mut self, word: &str) -> Name {
        let subscript = match word.chars().last() {
            Some('ₓ') => Subscript::Each,
            Some('ᵢ') => Subscript::At(self.number_of("i")),
            _ => Subscript::None,
        };
        let stem = if subscript == Subscript::None { word } else { word.trim_end_matches(['ₓ', 'ᵢ']) };
        Name { number: self.number_of(stem), subscript }
    }

    fn map(&mut self, tree: &Tree) -> Result<Pattern, String> {
        let leaf = |leaf: Leaf, argument: Coefficient| Pattern::Leaf(leaf, vec![argument]);
        Ok(match tree {
            Tree::Number(0.0) => Pattern::Zero,
            Tree::Word(word, arguments) => match (word.as_str(), &arguments[..]) {
                ("id", []) => Pattern::Identity,
                ("scale", [k]) => leaf(Leaf::Scale, self.coefficient(k)?),
                ("diagonal", [d]) => leaf(Leaf::Diagonal, self.coefficient(d)?),
                ("left", [a]) => leaf(Leaf::Left, self.coefficient(a)?),
                ("right", [a]) => leaf(Leaf::Right, self.coefficient(a)?),
                ("reduce", [r]) => leaf(Leaf::Reduce, self.coefficient(r)?),
                ("unitary", [u]) => leaf(Leaf::Unitary, self.coefficient(u)?),
                ("project", [i]) => leaf(Leaf::Project, self.coefficient(i)?),
                ("inject", [i]) => leaf(Leaf::Inject, self.coefficient(i)?),
                ("fork", [f]) => Pattern::Family(Family::Fork, Box::new(self.map(f)?)),
                ("join", [f]) => Pattern::Family(Family::Join, Box::new(self.map(f)?)),
                ("each", [f]) => Pattern::Family(Family::Each, Box::new(self.map(f)?)),
                ("sum", [f]) => Pattern::Family(Family::Add, Box::new(self.map(f)?)),
                ("map", [f]) => Pattern::Repeated(Box::new(self.map(f)?)),
                (name, []) => Pattern::Map(self.name(name)),
                (word, _) => return Err(format!("`{word}` is no map")),
            },
            Tree::Infix("+", f, g) => {
                let mut terms = match self.map(f)? {
                    Pattern::Add(terms) => terms,
                    term => vec![term],
                };
                terms.push(self.map(g)?);
                Pattern::Add(terms)
            }
            Tree::Infix("∘", f, g) => {
                let mut factors = match self.map(f)? {
                    Pattern::Compose(factors) => factors,
                    factor => vec![factor],
                };
                factors.push(self.map(g)?);
                Pattern::Compose(factors)
            }
            Tree::Infix("·", k, m) => match (self.coefficient(k)?, &**m) {
                (c, Tree::Infix("⊗", u, v)) => {
                    Pattern::Leaf(Leaf::RankOne, vec![c, self.coefficient(u)?, self.coefficient(v)?])
                }
                (k, m) => Pattern::Multiple(k, Box::new(self.map(m)?)),
            },
            Tree::Infix("⊗", u, v) => {
                let one = Coefficient::Number(1.0);
                Pattern::Leaf(Leaf::RankOne, vec![one, self.coefficient(u)?, self.coefficient(v)?])
            }
            Tree::Adjoint(m) => Pattern::Adjoint(Box::new(self.map(m)?)),
            other => return Err(format!("{other:?} is no map")),
        })
    }

    fn coefficient(&mut self, tree: &Tree) -> Result<Coefficient, String> {
        let mut apply = |function: Function, arguments: &[&Tree]| -> Result<Coefficient, String> {
            let arguments = arguments.iter().map(|tree| self.coefficient(tree)).collect::<Result<_, _>>()?;
            Ok(Coefficient::Apply(function, arguments))
        };
        match tree {
            Tree::Number(value) => Ok(Coefficient::Number(*value)),
            Tree::Infix("*", a, b) => apply(Function::Times, &[a, b]),
            Tree::Infix("+", a, b) => apply(Function::Plus, &[a, b]),
            Tree::Infix("·", a, b) => apply(Function::Multiple, &[a, b]),
            Tree::Infix("∘", a, b) => apply(Function::After, &[a, b]),
            Tree::Inner(u, v) => apply(Function::Inner, &[u, v]),
            Tree::Infix("⊙", m, u) => {
                let m = self.map(m)?;
                Ok(Coefficient::Image(Box::new(m), Box::new(self.coefficient(u)?)))
            }
            Tree::Word(word, arguments) => match (word.as_str(), &arguments[..]) {
                ("x", []) => Ok(Coefficient::Part),
                ("Σ", []) => apply(Function::Elements, &[]),
                ("total", [k]) => apply(Function::Total, &[k]),
                ("combine", [c, v]) => apply(Function::Combine, &[c, v]),
                ("only", [d]) => apply(Function::Only, &[d]),
                ("constant", [k]) => apply(Function::Constant, &[k]),
                ("rows", [v]) => apply(Function::Rows, &[v]),
                ("band", [d]) => apply(Function::Band, &[d]),
                ("main", [a]) => apply(Function::Main, &[a]),
                ("gather", [i]) => apply(Function::Gather, &[i]),
                ("paths", [s, r]) => apply(Function::Paths, &[s, r]),
                ("source", [r, y]) => apply(Function::Source, &[r, y]),
                ("target", [r, x]) => apply(Function::Target, &[r, x]),
                (name, []) => Ok(Coefficient::Name(self.name(name))),
                (word, _) => Err(format!("`{word}` is no coefficient")),
            },
            other => Err(format!("{other:?} is no coefficient")),
        }
    }
}
