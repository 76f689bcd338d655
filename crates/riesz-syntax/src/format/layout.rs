//! Where lines break: a document as a flat list of instructions, and how it becomes text.
//!
//! A *group* is printed on one line if it fits, and otherwise broken at each of its own [`Op::Line`]s; groups within it
//! decide for themselves. The list is flat, and so is the printer: a document may nest as deep as it likes. Deciding
//! whether a group fits looks ahead at most one line.

/// An instruction.
#[derive(Clone, Debug)]
pub(super) enum Op<'a> {
    /// Text without line ends.
    Text(&'a str),
    /// A line end in a broken group, and this text otherwise.
    Line(&'a str),
    /// A line end where the text up to the next place to break does not fit the line, and a space otherwise.
    Fill,
    /// A line end, with an empty line where `blank`.
    Hard {
        blank: bool,
    },
    Begin,
    End,
    Indent,
    Dedent,
    /// The groups around it cannot stand on one line.
    Break,
    /// A comment at the end of the line.
    Suffix(&'a str),
    /// A comment on a line of its own, with an empty line after it where `blank`.
    Own {
        text: &'a str,
        blank: bool,
    },
}

/// Prints a document.
pub(super) fn print(ops: &[Op], width: usize) -> String {
    let mut printer =
        Printer { ops, width, out: String::new(), column: 0, indent: 0, flat: Vec::new(), suffix: None, owed: None };
    for position in 0..ops.len() {
        printer.step(position);
    }
    printer.line_end(false);
    let end = printer.out.trim_end().len();
    printer.out.truncate(end);
    if end > 0 {
        printer.out.push('\n');
    }
    printer.out
}

const STEP: usize = 2;

struct Printer<'d, 'a> {
    ops: &'d [Op<'a>],
    width: usize,
    out: String,
    /// How much of the current line is printed; zero at its beginning, before the indentation.
    column: usize,
    indent: usize,
    /// For each open group, whether it is on one line.
    flat: Vec<bool>,
    /// A comment that waits for the end of the line.
    suffix: Option<&'a str>,
    /// A line end that must come before any text, because of a comment, and whether an empty line belongs to it.
    owed: Option<bool>,
}

impl<'a> Printer<'_, 'a> {
    fn step(&mut self, position: usize) {
        match self.ops[position] {
            Op::Text(text) => self.text(text),
            Op::Line(text) if self.is_flat() => self.text(text),
            Op::Line(_) => self.line_end(false),
            Op::Fill if self.is_flat() || (self.suffix.is_none() && self.chunk_fits(position)) => self.text(" "),
            Op::Fill => self.line_end(false),
            Op::Hard { blank } => self.line_end(blank),
            Op::Begin => {
                let flat = self.is_flat() || self.fits(position);
                self.flat.push(flat);
            }
            Op::End => {
                self.flat.pop();
            }
            Op::Indent => self.indent += STEP,
            Op::Dedent => self.indent -= STEP,
            Op::Break => {}
            Op::Suffix(text) => {
                if self.suffix.is_some() {
                    self.line_end(false);
                }
                self.suffix = Some(text);
            }
            Op::Own { text, blank } => {
                if self.column > 0 || self.owed.is_some() {
                    self.line_end(false);
                }
                self.text(text);
                self.owed = Some(blank);
            }
        }
    }

    fn is_flat(&self) -> bool {
        self.flat.last().copied().unwrap_or(false)
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(blank) = self.owed {
            self.line_end(blank);
        }
        if self.column == 0 {
            if text == " " {
                return;
            }
            self.out.extend(std::iter::repeat_n(' ', self.indent));
            self.column = self.indent;
        }
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn line_end(&mut self, blank: bool) {
        let blank = self.owed.take().unwrap_or(false) || blank;
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        if let Some(comment) = self.suffix.take() {
            self.out.push_str(if self.column > 0 { " " } else { "" });
            self.out.push_str(comment);
        }
        if !self.out.is_empty() {
            self.out.push('\n');
            if blank && !self.out.ends_with("\n\n") {
                self.out.push('\n');
            }
        }
        self.column = 0;
    }

    /// Whether a space and the text from here to the next place to break fit the rest of the line.
    fn chunk_fits(&self, position: usize) -> bool {
        let mut end = self.column + 1;
        for op in &self.ops[position + 1..] {
            match op {
                Op::Text(text) => end += text.chars().count(),
                Op::Line(_) | Op::Fill | Op::Hard { .. } | Op::Own { .. } => break,
                _ => {}
            }
        }
        end <= self.width
    }

    /// Whether the group that begins here, and what follows it on its line, fits the rest of the line.
    fn fits(&self, position: usize) -> bool {
        let used = if self.column == 0 { self.indent } else { self.column };
        let Some(mut room) = self.width.checked_sub(used) else { return false };
        let mut depth = 0usize;
        let mut inside = true;
        for op in &self.ops[position..] {
            let text = match op {
                Op::Begin => {
                    depth += 1;
                    continue;
                }
                Op::End => {
                    depth = depth.saturating_sub(1);
                    inside &= depth > 0;
                    continue;
                }
                Op::Indent | Op::Dedent => continue,
                Op::Line(_) | Op::Fill if !inside => return true,
                Op::Fill => " ",
                Op::Hard { .. } | Op::Own { .. } | Op::Break | Op::Suffix(_) => return !inside,
                Op::Text(text) | Op::Line(text) => text,
            };
            match room.checked_sub(text.chars().count()) {
                Some(left) => room = left,
                None => return false,
            }
        }
        true
    }
}
