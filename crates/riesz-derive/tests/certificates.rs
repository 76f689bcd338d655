//! Certificates of the examples: the checker, which shares no code with the simplifier, accepts them, and finds the fault
//! in every one that has been tampered with.

use riesz_certificate::{LAWS, check};
use riesz_core::FunctionId;
use riesz_derive::{Derivations, Mode, certificate};
use riesz_linear::law::{Statement, laws};
use riesz_test::program::{check_file, root};
use std::collections::BTreeSet;

/// The certificates of all functions of the examples, with what they are of, and how many functions have none.
fn certificates() -> (Vec<(String, String)>, usize) {
    let (mut found, mut refused) = (Vec::new(), 0);
    let mut of_prelude = BTreeSet::new();
    for folder in ["examples", "gradbench"] {
        let mut names: Vec<String> = std::fs::read_dir(root().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".rz"))
            .collect();
        names.sort();
        for name in names {
            let program = check_file(format!("{folder}/{name}")).unwrap().program;
            for id in (0..program.functions.len() as u32).map(FunctionId) {
                let function = program.function(id);
                // The prelude is the first file of every program.
                if function.span.file.0 == 0 && !of_prelude.insert((function.name.clone(), function.span.start)) {
                    continue;
                }
                let place = format!("{folder}/{name}, {}", function.name);
                match certificate(&program, id, &Derivations { mode: Some(Mode::Reverse), ..Derivations::default() }) {
                    Ok(text) => found.push((place, text)),
                    Err(problems) => refused += usize::from(problems[0].code == "no-certificate"),
                }
            }
        }
    }
    (found, refused)
}

/// A size that is written in two ways, which the checker cannot know to be one.
const REFUSED: [&str; 1] = ["examples/newton_by_structure.rz, smooth"];

#[test]
fn the_checker_accepts_the_certificates_of_the_examples() {
    let (certificates, refused) = certificates();
    let (mut proved, mut steps, mut compared) = (0, 0, 0);
    for (place, text) in &certificates {
        match check(text) {
            Ok(proof) => {
                proved += 1;
                steps += proof.steps;
                compared += proof.compared;
            }
            Err(fault) => assert!(REFUSED.contains(&place.as_str()), "{place}: {fault}\n{text}"),
        }
    }
    println!("{proved} of {} certificates, {refused} without, {steps} steps, {compared} compared", certificates.len());
    assert!(proved >= 265, "{proved} certificates are proofs");
    assert!(steps >= 5000, "the certificates have {steps} steps");
    assert!(refused <= 60, "{refused} derivatives have no certificate");
}

#[test]
fn the_laws_of_the_checker_are_those_of_the_simplifier() {
    let text = |name: &str, equation: &str, slides: bool| format!("{name}: {equation}, {slides}");
    let used = laws().flat_map(|law| {
        let cases = law.rule().map_or(&[][..], |rule| rule.cases);
        let slides = matches!(law.statement, Statement::Slide(_));
        cases.iter().map(move |case| text(law.name, &case.to_string(), slides))
    });
    let stated = LAWS.iter().map(|law| text(law.name, &law.to_string(), law.slides));
    let (used, stated): (Vec<String>, Vec<String>) = (used.collect(), stated.collect());
    assert_eq!(used, stated);
}

#[test]
fn every_planted_fault_is_found() {
    let (certificates, _) = certificates();
    let mut random = Random(7);
    let mut planted = [0; KINDS.len()];
    let (mut seen, mut missed) = (BTreeSet::new(), Vec::new());
    for (place, text) in certificates.iter().filter(|(_, text)| check(text).is_ok() && seen.insert(text.clone())) {
        for (kind, (name, plant)) in KINDS.iter().enumerate() {
            let Some(wrong) = plant(text, &mut random) else { continue };
            planted[kind] += 1;
            if check(&wrong).is_ok() {
                let different = wrong.lines().zip(text.lines()).find(|(a, b)| a != b);
                missed.push(format!("{place}: {name} is not found: {different:?}"));
            }
        }
    }
    println!("{planted:?}");
    assert!(missed.is_empty(), "{} of {planted:?}:\n{}", missed.len(), missed.join("\n"));
    for ((name, _), count) in KINDS.iter().zip(planted) {
        assert!(count >= 20, "{name} is planted {count} times");
    }
    assert!(planted.iter().sum::<usize>() >= 1000, "{planted:?}");
}

#[test]
fn no_text_makes_the_checker_fail() {
    let (certificates, _) = certificates();
    let mut random = Random(11);
    let mut texts = 0;
    for (_, text) in certificates.iter().step_by(4) {
        let letters: Vec<char> = text.chars().collect();
        for _ in 0..6 {
            let (from, to, at) =
                (random.below(letters.len()), random.below(letters.len()), random.below(letters.len()));
            let (cut, mut moved, mut without) = (letters[..from].to_vec(), letters.clone(), letters.clone());
            moved.splice(at..at, letters[from.min(to)..from.max(to).min(from.min(to) + 40)].iter().copied());
            without.drain(at..(at + 1 + random.below(8)).min(letters.len()));
            for letters in [cut, moved, without] {
                let _ = check(&letters.iter().collect::<String>());
                texts += 1;
            }
        }
    }
    assert!(texts >= 1000, "{texts} texts");
}

#[test]
fn certificates_without_end_are_refused() {
    let deep = |open: &str, close: &str| {
        let side = format!("{}id{}", open.repeat(100_000), close.repeat(100_000));
        format!(
            "riesz certificate 1\nfunction f\nfrom R\nvalues\nfirst\n  result = {side}\nsteps\nlast\n  result = id\n"
        )
    };
    for (open, close) in
        [("(", ")"), ("fork [", "]"), ("{", "}"), ("scale (", ")"), ("map (", ")"), ("(-", ")"), ("0 ∘ ", "")]
    {
        assert!(check(&deep(open, close)).is_err(), "{open}");
    }
    // every name stands for twice the one before
    let mut text = "riesz certificate 1\nfunction f\nfrom R\nvalues\nfirst\n  D x0 = id\n".to_string();
    (1..60).for_each(|at| text += &format!("  D x{at} = D x{0} + scale 2.0 ∘ D x{0}\n", at - 1));
    text += "  result = D x59\nsteps\n";
    (0..60).for_each(|at| text += &format!("{}. put D x{at}\n", at + 1));
    let fault = check(&(text + "last\n  result = id\n")).unwrap_err();
    assert!(fault.message.contains("maps"), "{fault}");
}

type Plant = fn(&str, &mut Random) -> Option<String>;

const KINDS: [(&str, Plant); 9] = [
    ("the name of another law", other_name),
    ("another law", other_law),
    ("another coefficient in a right side", other_coefficient),
    ("another function in a right side", other_function),
    ("exchanged branches or operands", exchanged),
    ("a step left out", left_out),
    ("another place", other_place),
    ("another name put in", other_put),
    ("another last equation", other_last),
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    fn pick<'t, T>(&mut self, among: &'t [T]) -> Option<&'t T> {
        among.get(self.below(among.len()))
    }
}

/// The text with a random one of the lines that fit changed.
fn changed(
    text: &str,
    random: &mut Random,
    fits: fn(&str) -> bool,
    change: &mut dyn FnMut(&str, &mut Random) -> Option<String>,
) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines.iter().position(|line| *line == "steps")?;
    let fitting: Vec<usize> = (begin..lines.len()).filter(|at| fits(lines[*at])).collect();
    let at = *random.pick(&fitting)?;
    let mut changed: Vec<String> = lines.iter().map(ToString::to_string).collect();
    changed[at] = change(lines[at], random)?;
    Some(changed.join("\n"))
}

fn is_law(line: &str) -> bool {
    line.starts_with("  by ")
}

fn is_right(line: &str) -> bool {
    line.starts_with("  = ")
}

fn other_name(text: &str, random: &mut Random) -> Option<String> {
    changed(text, random, is_law, &mut |line, random| {
        let (name, equation) = line.strip_prefix("  by ")?.split_once(": ")?;
        let other = random.pick(LAWS).filter(|law| law.name != name)?.name;
        Some(format!("  by {other}: {equation}"))
    })
}

fn other_law(text: &str, random: &mut Random) -> Option<String> {
    changed(text, random, is_law, &mut |line, random| {
        let (name, _) = line.strip_prefix("  by ")?.split_once(": ")?;
        // a multiple that slides is right for every law that moves or multiplies multiples, and an identity is a multiple
        let is_pair = |a: &str, b: &str| a == "compose scales" && b.contains("identity");
        let same = |law: &str| law == name || is_pair(law, name) || is_pair(name, law);
        let other = random.pick(LAWS).filter(|law| !same(law.name) && !law.slides && name != "scale slides")?;
        Some(format!("  by {}: {other}", other.name))
    })
}

/// A line with a random one of the words that fit changed; words are names and numbers.
fn reworded(line: &str, random: &mut Random, change: fn(&str) -> Option<String>) -> Option<String> {
    let in_word = |letter: char| letter.is_alphanumeric() && letter != 'ᵀ' || matches!(letter, '_' | '.');
    let mut words: Vec<String> = Vec::new();
    for letter in line.chars() {
        let joins =
            words.last().and_then(|word| word.chars().last()).is_some_and(|last| in_word(last) && in_word(letter));
        match words.last_mut().filter(|_| joins) {
            Some(word) => word.push(letter),
            None => words.push(letter.to_string()),
        }
    }
    let fitting: Vec<usize> = (0..words.len()).filter(|at| change(&words[*at]).is_some()).collect();
    let at = *random.pick(&fitting)?;
    words[at] = change(&words[at])?;
    Some(words.concat())
}

fn other_number(word: &str) -> Option<String> {
    let number = word.starts_with(|letter: char| letter.is_ascii_digit()).then(|| word.parse::<f64>().ok())??;
    Some(format!("{}.25", number as u32))
}

fn other_coefficient(text: &str, random: &mut Random) -> Option<String> {
    changed(text, random, is_right, &mut |line, random| {
        reworded(line, random, |word| match word {
            "+" => Some("*".into()),
            "*" => Some("+".into()),
            number => other_number(number),
        })
    })
}

fn other_function(text: &str, random: &mut Random) -> Option<String> {
    changed(text, random, is_right, &mut |line, random| {
        reworded(line, random, |word| {
            let other = match word {
                "sin" => "cos",
                "cos" => "sin",
                "exp" => "log",
                "log" => "exp",
                "sqrt" => "exp",
                "scale" => "diagonal",
                "build" => "each",
                "each" => "build",
                "project" => "inject",
                "sum" => "build",
                "id" => "sum",
                _ => return None,
            };
            Some(other.to_string())
        })
    })
}

/// The places of a sign outside of brackets, up to the end of the brackets around.
fn outside(text: &str, sign: &str) -> (Vec<usize>, usize) {
    let (mut depth, mut found) = (0i32, Vec::new());
    for (at, letter) in text.char_indices() {
        depth += i32::from(matches!(letter, '(' | '[' | '{')) - i32::from(matches!(letter, ')' | ']' | '}'));
        if depth < 0 {
            return (found, at);
        }
        if depth == 0 && text[at..].starts_with(sign) {
            found.push(at);
        }
    }
    (found, text.len())
}

/// Exchanges the branches of a conditional, or the two sides of the last composition.
fn exchanged(text: &str, random: &mut Random) -> Option<String> {
    changed(
        text,
        random,
        |line| is_right(line) && (line.contains(" then ") || line.contains(" ∘ ")),
        &mut |line, _| {
            let different = |a: &str, b: &str| a != b;
            if let Some((before, rest)) = line.split_once(" then ") {
                let at = *outside(rest, " else ").0.first()?;
                let (yes, rest) = (&rest[..at], &rest[at + " else ".len()..]);
                let (no, after) = rest.split_at(outside(rest, "").1);
                return different(yes, no).then(|| format!("{before} then ({no}) else {yes}{after}"));
            }
            let side = line.strip_prefix("  = ")?;
            let (left, right) = side.split_at(*outside(side, " ∘ ").0.last()?);
            let right = &right[" ∘ ".len()..];
            different(left, right).then(|| format!("  = {right} ∘ {left}"))
        },
    )
}

/// The steps, each with its lines.
fn steps(text: &str) -> Option<(String, Vec<String>, String)> {
    let (before, rest) = text.split_once("steps\n")?;
    let (middle, after) = rest.split_once("last\n")?;
    let mut steps: Vec<String> = Vec::new();
    for line in middle.lines() {
        match steps.last_mut().filter(|_| line.starts_with(' ')) {
            Some(step) => *step += &format!("\n{line}"),
            None => steps.push(line.split_once(". ")?.1.to_string()),
        }
    }
    Some((before.to_string(), steps, after.to_string()))
}

fn left_out(text: &str, random: &mut Random) -> Option<String> {
    let (before, mut steps, after) = steps(text)?;
    if steps.is_empty() {
        return None;
    }
    steps.remove(random.below(steps.len()));
    let numbered = steps.iter().enumerate().map(|(at, step)| format!("{}. {step}\n", at + 1));
    Some(format!("{before}steps\n{}last\n{after}", numbered.collect::<String>()))
}

fn other_place(text: &str, random: &mut Random) -> Option<String> {
    let fits = |line: &str| line.contains(". in ") && line.contains(" at ");
    changed(text, random, fits, &mut |line, random| {
        let (before, path) = line.split_once(" at ")?;
        let (path, span) =
            path.split_once(',').map_or((path, String::new()), |(path, span)| (path, format!(",{span}")));
        let mut path: Vec<usize> = path.split('.').map(|at| at.parse().unwrap()).collect();
        let at = random.below(path.len());
        path[at] += 1;
        let path: Vec<String> = path.iter().map(usize::to_string).collect();
        Some(format!("{before} at {}{span}", path.join(".")))
    })
}

fn other_put(text: &str, random: &mut Random) -> Option<String> {
    let fits = |line: &str| line.contains(". put D ") && !line.contains(" in ");
    let names: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("D ")?.split(' ').next()).collect();
    changed(text, random, fits, &mut |line, random| {
        let (before, name) = line.split_once("put D ")?;
        let other = random.pick(&names).filter(|other| **other != name)?;
        Some(format!("{before}drop D {other}"))
    })
}

fn other_last(text: &str, random: &mut Random) -> Option<String> {
    let (before, last) = text.split_once("\nlast\n")?;
    let lines: Vec<&str> = last.lines().collect();
    let at = random.below(lines.len());
    let line = reworded(lines[at], random, |word| match word {
        "id" => Some("scale 2.0".into()),
        "scale" => Some("diagonal".into()),
        "+" => Some("×".into()),
        number => other_number(number),
    })?;
    let mut lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    lines[at] = line;
    Some(format!("{before}\nlast\n{}", lines.join("\n")))
}
