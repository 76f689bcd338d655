//! The sides of laws: maps with names in them. A name with an `ₓ` differs between the maps of a family, `project x` is the
//! projection to the part that a map of a family belongs to, and `fᵢ` is the map of the part `i`.

use crate::term::Family;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    Map(Name),
    Zero,
    Identity,
    Leaf(Leaf, Vec<Coefficient>),
    /// `k · m`
    Multiple(Coefficient, Box<Pattern>),
    Compose(Vec<Pattern>),
    Add(Vec<Pattern>),
    Family(Family, Box<Pattern>),
    /// `map f`
    Repeated(Box<Pattern>),
    Adjoint(Box<Pattern>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Scale,
    Diagonal,
    RankOne,
    Left,
    Right,
    Reduce,
    Unitary,
    Project,
    Inject,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Coefficient {
    Name(Name),
    Number(f64),
    /// `x`
    Part,
    /// `k * l`, `total k`, by the sign or the word.
    Apply(String, Vec<Coefficient>),
    /// `m ⊙ u`
    Image(Box<Pattern>, Box<Coefficient>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Name {
    pub stem: String,
    pub subscript: Subscript,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subscript {
    None,
    /// `fₓ`
    Each,
    /// `fᵢ`
    At,
}

/// Reads a side of a law.
pub(crate) fn pattern(text: &str) -> Result<Pattern, String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split(' ') {
        let mut word = String::new();
        for letter in part.chars() {
            match letter {
                '(' | ')' | ',' | '⟨' | '⟩' | 'ᵀ' => {
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                    words.push(letter.to_string());
                }
                letter => word.push(letter),
            }
        }
        words.extend((!word.is_empty()).then_some(word));
    }
    words.reverse();
    let mut reader = Reader { words };
    let tree = reader.infix(0)?;
    match reader.words.is_empty() {
        true => map(&tree),
        false => Err(format!("`{text}` goes on")),
    }
}

/// A side before it is known what stands for maps: a word or a sign with what belongs to it.
struct Tree(String, Vec<Tree>);

/// The words that are left, the next one last.
struct Reader {
    words: Vec<String>,
}

impl Reader {
    fn accept(&mut self, word: &str) -> bool {
        let found = self.words.last().is_some_and(|next| next == word);
        if found {
            self.words.pop();
        }
        found
    }

    fn infix(&mut self, level: usize) -> Result<Tree, String> {
        const SIGNS: [&str; 6] = ["+", "∘", "·", "⊗", "*", "⊙"];
        let Some(sign) = SIGNS.get(level) else { return self.word() };
        let mut parts = vec![self.infix(level + 1)?];
        while self.accept(sign) {
            parts.push(self.infix(level + 1)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Tree(sign.to_string(), parts) })
    }

    /// A word with as many arguments as it takes.
    fn word(&mut self) -> Result<Tree, String> {
        let word = self.words.last().cloned().unwrap_or_default();
        let count = match word.as_str() {
            "scale" | "diagonal" | "reduce" | "unitary" | "project" | "inject" | "fork" | "join" | "each" | "sum"
            | "map" | "only" | "constant" | "rows" | "gather" | "total" | "band" | "main" => 1,
            "paths" | "source" | "target" | "combine" => 2,
            _ => return self.atom(),
        };
        self.words.pop();
        let arguments = (0..count).map(|_| self.atom()).collect::<Result<_, _>>()?;
        Ok(Tree(word, arguments))
    }

    fn atom(&mut self) -> Result<Tree, String> {
        let word = self.words.pop().ok_or("a side ends too early")?;
        let end = |reader: &mut Reader, close: &str| match reader.accept(close) {
            true => Ok(()),
            false => Err(format!("`{close}` is missing")),
        };
        let mut tree = match word.as_str() {
            "(" => {
                let inside = self.infix(0)?;
                end(self, ")")?;
                inside
            }
            "⟨" => {
                let first = self.infix(0)?;
                end(self, ",")?;
                let second = self.infix(0)?;
                end(self, "⟩")?;
                Tree("⟨".into(), vec![first, second])
            }
            "dot" => {
                end(self, "(")?;
                let left = if self.accept("_") { None } else { Some(self.infix(0)?) };
                end(self, ",")?;
                let right = if self.accept("_") { None } else { Some(self.infix(0)?) };
                end(self, ")")?;
                match (left, right) {
                    (Some(a), None) => Tree("left".into(), vec![a]),
                    (None, Some(b)) => Tree("right".into(), vec![b]),
                    _ => return Err("`dot` has one `_`".into()),
                }
            }
            _ => Tree(word, Vec::new()),
        };
        while self.accept("ᵀ") {
            tree = Tree("ᵀ".into(), vec![tree]);
        }
        Ok(tree)
    }
}

fn name(word: &str) -> Name {
    let subscript = match word.chars().last() {
        Some('ₓ') => Subscript::Each,
        Some('ᵢ') => Subscript::At,
        _ => Subscript::None,
    };
    Name { stem: word.trim_end_matches(['ₓ', 'ᵢ']).to_string(), subscript }
}

fn map(Tree(word, parts): &Tree) -> Result<Pattern, String> {
    let one = |leaf: Leaf| Ok(Pattern::Leaf(leaf, vec![coefficient(&parts[0])?]));
    let family = |family: Family| Ok(Pattern::Family(family, Box::new(map(&parts[0])?)));
    match (word.as_str(), &parts[..]) {
        ("0", []) => Ok(Pattern::Zero),
        ("id", []) => Ok(Pattern::Identity),
        (_, []) => Ok(Pattern::Map(name(word))),
        ("scale", _) => one(Leaf::Scale),
        ("diagonal", _) => one(Leaf::Diagonal),
        ("left", _) => one(Leaf::Left),
        ("right", _) => one(Leaf::Right),
        ("reduce", _) => one(Leaf::Reduce),
        ("unitary", _) => one(Leaf::Unitary),
        ("project", _) => one(Leaf::Project),
        ("inject", _) => one(Leaf::Inject),
        ("fork", _) => family(Family::Fork),
        ("join", _) => family(Family::Join),
        ("each", _) => family(Family::Each),
        ("sum", _) => family(Family::Add),
        ("map", [f]) => Ok(Pattern::Repeated(Box::new(map(f)?))),
        ("ᵀ", [m]) => Ok(Pattern::Adjoint(Box::new(map(m)?))),
        ("+", terms) => Ok(Pattern::Add(terms.iter().map(map).collect::<Result<_, _>>()?)),
        ("∘", maps) => Ok(Pattern::Compose(maps.iter().map(map).collect::<Result<_, _>>()?)),
        ("⊗", [u, v]) => {
            Ok(Pattern::Leaf(Leaf::RankOne, vec![Coefficient::Number(1.0), coefficient(u)?, coefficient(v)?]))
        }
        ("·", [c, Tree(sign, product)]) if sign == "⊗" => {
            let parts = [c, &product[0], &product[1]].map(coefficient).into_iter().collect::<Result<_, _>>()?;
            Ok(Pattern::Leaf(Leaf::RankOne, parts))
        }
        ("·", [k, m]) => Ok(Pattern::Multiple(coefficient(k)?, Box::new(map(m)?))),
        _ => Err(format!("`{word}` is no map")),
    }
}

fn coefficient(Tree(word, parts): &Tree) -> Result<Coefficient, String> {
    match (word.as_str(), &parts[..]) {
        ("x", []) => Ok(Coefficient::Part),
        ("Σ", []) => Ok(Coefficient::Apply(word.clone(), Vec::new())),
        (number, []) if number.starts_with(|letter: char| letter.is_ascii_digit()) => {
            number.parse().map(Coefficient::Number).map_err(|_| format!("`{number}` is no number"))
        }
        (_, []) => Ok(Coefficient::Name(name(word))),
        ("⊙", [m, u]) => Ok(Coefficient::Image(Box::new(map(m)?), Box::new(coefficient(u)?))),
        (_, parts) => {
            let first = coefficient(&parts[0])?;
            let apply = |left: Coefficient, right: Coefficient| Coefficient::Apply(word.clone(), vec![left, right]);
            match (word.as_str(), parts.len()) {
                // signs group from the left
                ("*" | "+", _) => parts[1..].iter().try_fold(first, |left, right| Ok(apply(left, coefficient(right)?))),
                _ => Ok(Coefficient::Apply(word.clone(), parts.iter().map(coefficient).collect::<Result<_, _>>()?)),
            }
        }
    }
}
