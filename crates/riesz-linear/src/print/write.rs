//! Phrases as one line, or as several that are no longer than a width.

use super::{Level, Meaning, Notation, Phrase, Piece};
use crate::map::{Form, Map};

/// How many maps the short form shows of a long family, and up to how many it shows them all.
pub(super) const SHOWN: usize = 3;
const MAPS: usize = 12;
/// How many maps the short form shows in all.
const MOST: usize = 60;

/// Writes maps of a language.
pub struct Writer<'w, 'c, L: Notation> {
    /// The facts about the names in coefficients.
    pub context: &'w L::Context<'c>,
    /// Whether every part is written, however many there are.
    pub full: bool,
}

impl<L: Notation> Writer<'_, '_, L> {
    /// A map on one line, in brackets where it binds more loosely than the level. A loop, as maps may be deep.
    pub fn line(&self, map: &Map<L>, least: Level) -> String {
        let mut text = String::new();
        let mut pieces = vec![Piece::Map(map.clone(), least)];
        let mut shown = 0;
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(piece) => text += &piece,
                Piece::Map(..) if !self.full && shown >= MOST => text.push('…'),
                Piece::Map(map, least) => {
                    shown += 1;
                    let phrase = self.phrase(&map);
                    let ascription = L::ascription(self, &map);
                    if phrase.level() < least || ascription.is_some() {
                        text.push('(');
                        let space = ascription.map_or(String::new(), |space| format!(" : {space}"));
                        pieces.push(Piece::Text(format!("{space})").into()));
                    }
                    pieces.extend(self.pieces(phrase).into_iter().rev());
                }
            }
        }
        text
    }

    /// A phrase on one line.
    fn pieces(&self, phrase: Phrase<L>) -> Vec<Piece<L>> {
        let mut pieces = Vec::new();
        match phrase {
            Phrase::Line(_, line) => return line,
            Phrase::Infix(_, sign, least, maps) => {
                let shown = self.shown(maps.len(), MAPS);
                for (at, map) in maps[..shown].iter().enumerate() {
                    let (sign, map) = self.signed(sign, at, map);
                    if at > 0 {
                        pieces.push(Piece::Text(format!(" {sign} ").into()));
                    }
                    pieces.push(Piece::Map(map, least));
                }
                if shown < maps.len() {
                    pieces.push(Piece::Text(format!(" {sign} … {} maps", maps.len()).into()));
                }
            }
            Phrase::Listed(word, [open, close], maps) => {
                let shown = self.shown(maps.len(), MAPS);
                let mut before = format!("{word} {open}");
                for map in &maps[..shown] {
                    pieces.push(Piece::Text(before.into()));
                    pieces.push(Piece::Map(map.clone(), Level::Binder));
                    before = ", ".to_string();
                }
                let omitted = shown < maps.len();
                let end = if omitted { format!(", … {} maps{close}", maps.len()) } else { close.to_string() };
                pieces.push(Piece::Text(if maps.is_empty() { before + &end } else { end }.into()));
            }
            Phrase::Sections(sections) => {
                for (at, (text, map, level)) in sections.into_iter().enumerate() {
                    let before = if at > 0 { " " } else { "" };
                    pieces.push(Piece::Text(format!("{before}{text} ").into()));
                    pieces.push(Piece::Map(map, level));
                }
            }
            Phrase::Names(names, map) => {
                let mut before = "{";
                for (name, meaning) in names {
                    pieces.push(Piece::Text(format!("{before}{name} = ").into()));
                    pieces.push(match meaning {
                        Meaning::Map(map) => Piece::Map(map, Level::Binder),
                        Meaning::Text(text) => Piece::Text(text.into()),
                    });
                    before = "; ";
                }
                pieces.push(Piece::Text(before.into()));
                pieces.push(Piece::Map(map, Level::Binder));
                pieces.push(Piece::Text("}".into()));
            }
        }
        pieces
    }

    /// How many of a family are shown.
    pub(super) fn shown(&self, length: usize, most: usize) -> usize {
        if self.full || length <= most { length } else { SHOWN }
    }

    /// A map on as many lines as it takes. One that is too long for a line is broken at its outermost operators, and one
    /// that has names in it is never on one line.
    pub fn lines(&self, map: &Map<L>, least: Level, width: usize) -> Vec<String> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            if !self.has_names(map) {
                let line = self.line(map, least);
                if line.chars().count() <= width {
                    return vec![line];
                }
            }
            let (level, lines) = self.broken(map, width.saturating_sub(2));
            if level < least { bracketed(lines) } else { lines }
        })
    }

    /// `name = m`, on as many lines as it takes.
    pub fn equation(&self, name: &str, map: &Map<L>, width: usize) -> Vec<String> {
        let lines = self.lines(map, Level::Binder, width.saturating_sub(name.chars().count() + 3));
        match &lines[..] {
            [line] => vec![format!("{name} = {line}")],
            [header, rest @ ..] if matches!(self.phrase(map), Phrase::Sections(_)) => {
                [format!("{name} = {header}")].into_iter().chain(rest.iter().cloned()).collect()
            }
            lines => [format!("{name} =")].into_iter().chain(indented(lines)).collect(),
        }
    }

    fn broken(&self, map: &Map<L>, width: usize) -> (Level, Vec<String>) {
        let mut lines = Vec::new();
        let level = match self.phrase(map) {
            Phrase::Names(names, map) => {
                for (name, meaning) in names {
                    match meaning {
                        Meaning::Map(map) => lines.extend(self.equation(&name, &map, width + 2)),
                        Meaning::Text(text) => lines.push(format!("{name} = {text}")),
                    }
                }
                lines.extend(self.lines(&map, Level::Binder, width));
                Level::Binder
            }
            Phrase::Sections(sections) => {
                for (text, map, _) in sections {
                    // No full stop where names follow.
                    let names = matches!(map.form(), Form::Extra(extra) if L::binds_names(extra));
                    lines.push(if names { text.trim_end_matches('.').to_string() } else { text });
                    lines.extend(indented(&self.lines(&map, Level::Binder, width)));
                }
                Level::Binder
            }
            Phrase::Infix(level, sign, least, maps) => {
                for (at, map) in maps.iter().enumerate() {
                    let (sign, map) = self.signed(sign, at, map);
                    for (line, text) in self.lines(&map, least, width).into_iter().enumerate() {
                        let before = if at > 0 && line == 0 { sign } else { " " };
                        lines.push(format!("{before} {text}"));
                    }
                }
                level
            }
            Phrase::Line(level, pieces) if pieces.iter().any(|piece| matches!(piece, Piece::Map(..))) => {
                lines.push(String::new());
                for piece in pieces {
                    let mut added = match piece {
                        Piece::Text(text) => vec![text.into_owned()],
                        Piece::Map(map, least) => self.lines(&map, least, width),
                    };
                    let first = added.remove(0);
                    lines.last_mut().unwrap_or_else(|| unreachable!("there is a line")).push_str(&first);
                    lines.extend(added);
                }
                level
            }
            phrase @ (Phrase::Line(..) | Phrase::Listed(..)) => {
                lines.push(self.line(map, Level::Binder));
                phrase.level()
            }
        };
        (level, lines)
    }

    fn has_names(&self, map: &Map<L>) -> bool {
        let mut maps = vec![map];
        while let Some(map) = maps.pop() {
            if matches!(map.form(), Form::Extra(extra) if L::binds_names(extra)) {
                return true;
            }
            maps.extend(map.children());
        }
        false
    }

    /// A map after a sign: a sum with the opposite of a map is a difference.
    fn signed(&self, sign: &'static str, at: usize, map: &Map<L>) -> (&'static str, Map<L>) {
        let is_minus = |map: &Map<L>| matches!(map.form(), Form::Scale(k) if L::same_number(k, &L::number(-1.0)));
        match map.factors() {
            _ if sign != "+" || at == 0 || !L::differences(self) => (sign, map.clone()),
            [first, rest @ ..] if is_minus(first) => ("-", Map::chain(rest.to_vec(), map.domain())),
            [rest @ .., last] if is_minus(last) => ("-", Map::chain(rest.to_vec(), map.codomain())),
            _ => (sign, map.clone()),
        }
    }
}

fn indented(lines: &[String]) -> impl Iterator<Item = String> {
    lines.iter().map(|line| format!("  {line}"))
}

/// Lines between brackets.
fn bracketed(lines: Vec<String>) -> Vec<String> {
    let last = lines.len() - 1;
    let bracket = |(at, line): (usize, String)| {
        let (open, close) = (if at == 0 { "(" } else { " " }, if at == last { ")" } else { "" });
        format!("{open}{line}{close}")
    };
    lines.into_iter().enumerate().map(bracket).collect()
}
