//! Diagnostics as text for a person: the message, the place, the source with the place underlined, and advice.
//!
//! The crate `annotate-snippets` draws the text. Its input is an `Excerpt`: only the lines that a diagnostic refers to,
//! and of a very long line only the part around the place, so that the size of a message does not depend on the size of
//! the source.

use crate::source::{FileId, Source, Sources, Span};
use crate::{Diagnostic, Severity, Suggestion};
use annotate_snippets::{
    AnnotationKind, Group, Level, Patch, Renderer, Snippet, normalize_untrusted_str, renderer::DecorStyle,
};
use std::ops::Range;

/// Draws diagnostics, one after the other with empty lines between.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut text = String::new();
    for diagnostic in diagnostics {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&draw(&renderer, diagnostic, sources));
        text.push('\n');
    }
    text
}

/// Lines with more bytes than this are cropped.
const LONG_LINE: usize = 200;
/// How much of a long line is shown on each side of the place.
const MARGIN: usize = 50;
/// Places further apart than this many lines are drawn one by one, and a place longer than this is cut after its first
/// line.
const FAR: usize = 50;

fn draw(renderer: &Renderer, diagnostic: &Diagnostic, sources: &Sources) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut main = Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.code));
    let mut headings = Vec::new();
    for view in views(diagnostic, sources) {
        let name = normalize_untrusted_str(&view.source.name);
        headings.push(view.heading(&name));
        let mut snippet = Snippet::source(view.excerpt.text).line_start(view.excerpt.first_line).path(name);
        for mark in view.marks {
            let kind = if mark.main { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = (!mark.text.is_empty()).then(|| normalize_untrusted_str(&mark.text));
            snippet = snippet.annotation(kind.span(mark.range).label(label));
        }
        main = main.element(snippet);
    }
    for help in &diagnostic.help {
        main = main.element(Level::HELP.message(normalize_untrusted_str(help)));
    }
    let drawn = match diagnostic.suggestion.as_ref().map(|suggestion| (suggestion, patched(suggestion, sources))) {
        Some((suggestion, Some(patch))) => {
            let title = normalize_untrusted_str(&sentence(suggestion));
            renderer.render(&[main, Level::HELP.secondary_title(title).element(patch)])
        }
        Some((suggestion, None)) => {
            let title = normalize_untrusted_str(&sentence(suggestion));
            renderer.render(&[main.element(Level::HELP.message(title))])
        }
        None => renderer.render(&[main]),
    };
    headings.iter().flatten().fold(drawn, |drawn, (shown, right)| drawn.replacen(shown, right, 1))
}

/// A suggestion in words.
fn sentence(suggestion: &Suggestion) -> String {
    let (message, replacement) = (&suggestion.message, suggestion.replacement.trim());
    if replacement.is_empty() || replacement.contains('\n') || message.contains(&format!("`{replacement}`")) {
        return message.clone();
    }
    let end = if suggestion.is_question { "?" } else { "" };
    format!("{message} `{replacement}`{end}")
}

/// The source with a suggestion carried out; none where the line is too long to show.
fn patched<'a>(suggestion: &'a Suggestion, sources: &'a Sources) -> Option<Snippet<'a, Patch<'a>>> {
    let source = sources.get(suggestion.span.file);
    let span = clamp(suggestion.span, source);
    let lines = line_of(source, span.start).start..line_of(source, span.end).end;
    let (start, text) = (lines.start, &source.text[lines]);
    if text.len() > LONG_LINE {
        return None;
    }
    let (line, _) = position(source, start);
    let patch = Patch::new(span.start - start..span.end - start, suggestion.replacement.as_str());
    Some(Snippet::source(text).line_start(line).patch(patch))
}

/// Some of a diagnostic's places that are drawn together.
struct View<'a> {
    source: &'a Source,
    excerpt: Excerpt,
    /// Never empty; the first one is where the view is.
    marks: Vec<Mark>,
}

impl View<'_> {
    /// The place of the first mark in the drawing, and its true place, if they differ: the beginning of a long line is
    /// not in the excerpt.
    fn heading(&self, name: &str) -> Option<(String, String)> {
        let mark = &self.marks[0];
        let before = &self.excerpt.text[..mark.range.start];
        let shown = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        let line = mark.line;
        (shown != mark.column).then(|| (format!("{name}:{line}:{shown}"), format!("{name}:{line}:{}", mark.column)))
    }
}

/// A place in an excerpt.
struct Mark {
    range: Range<usize>,
    text: String,
    main: bool,
    line: usize,
    column: usize,
}

/// The places of a diagnostic, the main one first, gathered by nearness.
fn views<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<View<'a>> {
    let mut clusters: Vec<(FileId, Vec<Place<'a>>)> = Vec::new();
    for (index, label) in diagnostic.labels.iter().enumerate() {
        let source = sources.get(label.span.file);
        let place = Place::new(source, label.span, &label.text, index == 0);
        let near = |(file, places): &&mut (FileId, Vec<Place>)| {
            *file == label.span.file && places.iter().any(|other| other.lines.start.abs_diff(place.lines.start) <= FAR)
        };
        match clusters.iter_mut().find(near) {
            Some((_, places)) => places.push(place),
            None => clusters.push((label.span.file, vec![place])),
        }
    }
    let view = |(file, places): (FileId, Vec<Place<'a>>)| {
        let source = sources.get(file);
        let excerpt = Excerpt::new(source, &places);
        let marks = places.iter().map(|place| excerpt.mark(source, place)).collect();
        View { source, excerpt, marks }
    };
    clusters.into_iter().map(view).collect()
}

/// A label's place, made safe to draw.
struct Place<'a> {
    range: Range<usize>,
    /// The lines of its start and end, from zero.
    lines: Range<usize>,
    text: &'a str,
    main: bool,
}

impl<'a> Place<'a> {
    fn new(source: &Source, span: Span, text: &'a str, main: bool) -> Place<'a> {
        let mut range = clamp(span, source);
        let (first, _) = position(source, range.start);
        let mut more = source.text[range.clone()].matches('\n').count();
        if more > FAR {
            range.end = line_of(source, range.start).end.max(range.start);
            more = 0;
        }
        Place { range, lines: first - 1..first - 1 + more, text, main }
    }
}

/// Some lines of a source.
struct Excerpt {
    text: String,
    /// The number of the first line, from one.
    first_line: usize,
    pieces: Vec<Piece>,
}

/// The part of a line that is shown: its range in the source, and in the excerpt.
struct Piece {
    whole: Range<usize>,
    shown: Range<usize>,
    at: usize,
}

impl Excerpt {
    fn new(source: &Source, places: &[Place]) -> Excerpt {
        let first = places.iter().map(|place| place.lines.start).min().unwrap_or(0);
        let last = places.iter().map(|place| place.lines.end).max().unwrap_or(0);
        let start = places.iter().map(|place| place.range.start).min().unwrap_or(0);
        let mut excerpt = Excerpt { text: String::new(), first_line: first + 1, pieces: Vec::new() };
        let mut next = line_of(source, start);
        for line in first..=last {
            if line > first {
                excerpt.text.push('\n');
            }
            let shown = shown_part(source, &next, places);
            let at = excerpt.text.len();
            excerpt.text.push_str(&source.text[shown.clone()]);
            let beginning = (next.end + 1).min(source.text.len());
            excerpt.pieces.push(Piece { whole: next, shown, at });
            next = line_of(source, beginning);
        }
        if excerpt.text.ends_with('\n') {
            excerpt.text.push(' ');
        }
        excerpt
    }

    fn mark(&self, source: &Source, place: &Place) -> Mark {
        let (line, column) = position(source, place.range.start);
        let range = self.position_of(place.range.start)..self.position_of(place.range.end);
        Mark { range, text: place.text.to_string(), main: place.main, line, column }
    }

    /// Where a byte of the source is in the excerpt, or what is shown next to it.
    fn position_of(&self, byte: usize) -> usize {
        let piece = self.pieces.iter().rfind(|piece| piece.whole.start <= byte).unwrap_or(&self.pieces[0]);
        byte.clamp(piece.shown.start, piece.shown.end) - piece.shown.start + piece.at
    }
}

/// Which part of a line to show: all of it, unless it is long.
fn shown_part(source: &Source, line: &Range<usize>, places: &[Place]) -> Range<usize> {
    let text = &source.text;
    let visible = text[line.clone()].trim_end_matches('\r').len();
    if visible <= LONG_LINE {
        return line.start..line.start + visible;
    }
    let on_line = |byte: usize| (line.start <= byte && byte <= line.end).then_some(byte);
    let touching = places.iter().find_map(|place| on_line(place.range.start).or(on_line(place.range.end)));
    let middle = touching.unwrap_or(line.start);
    let start = text.floor_char_boundary(middle.saturating_sub(MARGIN).max(line.start));
    let end = text.ceil_char_boundary((middle + 2 * MARGIN).min(line.end));
    start..end
}

/// The part of a span that lies in its source, on whole characters, after a byte-order mark.
fn clamp(span: Span, source: &Source) -> Range<usize> {
    let start = source.text.floor_char_boundary(span.start as usize).max(beginning(source));
    let end = source.text.ceil_char_boundary((span.end as usize).min(source.text.len()));
    start..end.max(start)
}

/// The line around a byte, without its line end.
fn line_of(source: &Source, byte: usize) -> Range<usize> {
    let text = &source.text;
    let start = text[..byte].rfind('\n').map_or(beginning(source), |newline| newline + 1);
    let end = text[byte..].find('\n').map_or(text.len(), |newline| byte + newline);
    start..end.max(start)
}

/// Line and column of a byte, from one.
fn position(source: &Source, byte: usize) -> (usize, usize) {
    let before = &source.text[..byte];
    let line = line_of(source, byte).start;
    (before.matches('\n').count() + 1, source.text[line.min(byte)..byte].chars().count() + 1)
}

/// The first byte that is not of a byte-order mark.
fn beginning(source: &Source) -> usize {
    if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}
