//! Line breaking: a document as a flat list of instructions, and its conversion to text.
//!
//! A *group* is printed on one line if it fits, and otherwise broken at each of its own [`Op::Line`]s; groups inside it
//! decide independently. Both the list and the printer are flat, so a document may nest to any depth. To decide whether
//! a group fits, the printer looks ahead at most one line.

/// An instruction.
#[derive(Clone, Debug)]
pub(super) enum Op<'a> {
    /// Text without line ends.
    Text(&'a str),
    /// A line end in a broken group, and this text otherwise.
    Line(&'a str),
    /// A line end where the author made one in a broken group, or where the text up to the next place to break does not
    /// fit the line; a space otherwise.
    Fill {
        broken: bool,
    },
    /// Before an infix operator and its right operand: a line end and indentation in a broken group, unless the line
    /// holds nothing but the end of the left operand. Where it `hugs`, the right operand is something in brackets that
    /// is begun on the line rather than broken on the next.
    Operator {
        hugs: bool,
    },
    /// After the right operand.
    Operand,
    /// A line end, with an empty line where `blank`.
    Hard {
        blank: bool,
    },
    Begin,
    /// Begins a group that is never broken.
    BeginFlat,
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
    let mut printer = Printer {
        ops,
        width,
        out: String::new(),
        column: 0,
        indent: 0,
        flat: Vec::new(),
        indented: Vec::new(),
        suffix: None,
        owed: None,
    };
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

/// Nothing is indented further than this, so that a text that is nested very deep stays of a sensible size.
const MAX_INDENT: usize = 200;

struct Printer<'d, 'a> {
    ops: &'d [Op<'a>],
    width: usize,
    out: String,
    /// How much of the current line is printed; zero at its beginning, before the indentation.
    column: usize,
    indent: usize,
    /// For each open group, whether it is on one line.
    flat: Vec<bool>,
    /// For each infix operator whose right operand is being printed, whether it is on a line of its own.
    indented: Vec<bool>,
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
            Op::Fill { broken } => {
                let fits = !broken && self.suffix.is_none() && self.chunk_fits(position);
                if self.is_flat() || fits { self.text(" ") } else { self.line_end(false) }
            }
            Op::Operator { hugs } => self.operator(position, hugs),
            Op::Operand => {
                if self.indented.pop().unwrap_or(false) {
                    self.indent -= STEP;
                }
            }
            Op::Hard { blank } => self.line_end(blank),
            Op::Begin => {
                let column = if self.owed.is_some() { 0 } else { self.column };
                let flat = self.is_flat() || self.fits(position, column);
                self.flat.push(flat);
            }
            Op::BeginFlat => self.flat.push(true),
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

    fn operator(&mut self, position: usize, hugs: bool) {
        let commented = self.suffix.is_some() || matches!(self.ops.get(position + 1), Some(Op::Own { .. }));
        let after_bracket = || {
            let line = &self.out[self.out.rfind('\n').map_or(0, |newline| newline + 1)..];
            line.trim_start().starts_with([')', ']', '}']) && self.chunk_fits(position)
        };
        let stays = self.is_flat()
            || !commented && (after_bracket() || hugs && !self.fits(position, (self.indent + STEP).min(MAX_INDENT)));
        self.indented.push(!stays);
        if stays {
            self.text(" ");
        } else {
            self.indent += STEP;
            self.line_end(false);
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
            self.column = self.indent.min(MAX_INDENT);
            self.out.extend(std::iter::repeat_n(' ', self.column));
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
                Op::Line(_) | Op::Fill { .. } | Op::Operator { .. } | Op::Hard { .. } | Op::Own { .. } => break,
                _ => {}
            }
        }
        end <= self.width
    }

    /// Whether the group or operator that begins here, and what follows it on its line, fit the line from a column on.
    fn fits(&self, position: usize, column: usize) -> bool {
        let used = if column == 0 { self.indent.min(MAX_INDENT) } else { column };
        let Some(mut room) = self.width.checked_sub(used) else { return false };
        let mut depth = 0usize;
        let mut inside = true;
        for op in &self.ops[position..] {
            let text = match op {
                Op::Operator { .. } if !inside => return true,
                Op::Begin | Op::BeginFlat | Op::Operator { .. } => {
                    depth += 1;
                    if matches!(op, Op::Operator { .. }) && depth > 1 { " " } else { "" }
                }
                Op::End | Op::Operand => {
                    depth = depth.saturating_sub(1);
                    inside &= depth > 0;
                    ""
                }
                Op::Indent | Op::Dedent => "",
                Op::Line(_) | Op::Fill { .. } if !inside => return true,
                Op::Fill { .. } => " ",
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
