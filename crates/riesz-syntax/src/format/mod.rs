//! Tree to text: the formatter.
//!
//! The formatter prints the tokens in their original order, so numbers and names keep their spelling and every comment
//! has a place between two tokens. The tree determines the nesting. The instructions of `layout` mark the places where
//! lines may break; by the rule of line ends there is none between an operand and a `-`, `(` or `[`, except inside
//! brackets.
//!
//! The formatter keeps these line breaks of the author: empty lines (one of several), the one after the `=` of a `fun`,
//! the one after the opening bracket of an array or record and then those between the numbers of an array, and the one
//! before `else`. All others follow from the width.

mod expr;
mod form;
mod item;
mod layout;
mod ty;

use crate::lexer::lex;
use crate::parser::{ParseOptions, parse};
use crate::same::same;
use crate::token::{Comment, Gap, Token, TokenKind};
use crate::tree::Tree;
use crate::{Diagnostic, FileId};
use layout::Op;

/// The options of formatting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    /// How long lines may be.
    pub width: usize,
    /// How the text is parsed.
    pub parse: ParseOptions,
}

impl Default for FormatOptions {
    fn default() -> FormatOptions {
        FormatOptions { width: 100, parse: ParseOptions::default() }
    }
}

/// Prints a program in the standard layout, with the same meaning and comments, idempotently. The places of errors are
/// in `FileId(0)`.
pub fn format(text: &str, options: &FormatOptions) -> Result<String, Vec<Diagnostic>> {
    let file = FileId(0);
    let (tree, diagnostics) = parse(file, text, &options.parse);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let lexed = lex(file, text);
    let mut formatter = Formatter {
        text,
        tree: &tree,
        comments: place_comments(text, &lexed.tokens, &lexed.comments),
        tokens: lexed.tokens,
        position: 0,
        next_comment: 0,
        suffixes: Vec::new(),
        newlines_count: true,
        ops: Vec::new(),
    };
    formatter.program();
    let printed = layout::print(&formatter.ops, options.width);
    let unchanged = same(&parse(file, &printed, &options.parse).0, &tree);
    debug_assert!(unchanged, "formatting changed the meaning of\n{text}\nto\n{printed}");
    Ok(if unchanged { printed } else { text.to_string() })
}

/// A comment between two tokens.
struct Placed<'a> {
    text: &'a str,
    /// The token after it.
    before: usize,
    /// Whether it has its line to itself.
    own: bool,
    /// Whether an empty line follows it.
    blank: bool,
}

fn place_comments<'a>(text: &'a str, tokens: &[Token], comments: &[Comment]) -> Vec<Placed<'a>> {
    let mut before = 0;
    let mut placed = Vec::with_capacity(comments.len());
    for (number, comment) in comments.iter().enumerate() {
        while tokens[before].start < comment.start {
            before += 1;
        }
        let previous = before.checked_sub(1).map_or(0, |token| tokens[token].end as usize);
        let next_token = tokens[before].start;
        let next = comments.get(number + 1).map_or(next_token, |comment| comment.start.min(next_token));
        let own = before == 0 || text[previous..comment.start as usize].contains('\n');
        let blank = has_blank_line(&text[comment.end as usize..next as usize]);
        let text = text[comment.start as usize..comment.end as usize].trim_end();
        placed.push(Placed { text, before, own, blank });
    }
    placed
}

fn has_blank_line(gap: &str) -> bool {
    gap.matches('\n').count() > 1
}

struct Formatter<'a> {
    text: &'a str,
    tree: &'a Tree,
    tokens: Vec<Token>,
    /// The token to print next.
    position: usize,
    comments: Vec<Placed<'a>>,
    /// The comment to print next.
    next_comment: usize,
    /// Comments that wait for the next place where the line may end.
    suffixes: Vec<&'a str>,
    /// Whether the innermost bracket is that of a block, or there is none.
    newlines_count: bool,
    ops: Vec<Op<'a>>,
}

impl<'a> Formatter<'a> {
    fn current(&self) -> TokenKind {
        self.tokens[self.position].kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.current() == kind
    }

    /// Prints the current token.
    fn token(&mut self) {
        self.take_comments(true);
        let token = self.tokens[self.position];
        self.ops.push(Op::Text(&self.text[token.start as usize..token.end as usize]));
        self.skip();
    }

    /// Prints the current token and a space.
    fn token_space(&mut self) {
        self.token();
        self.write(" ");
    }

    /// Passes the current token without printing it.
    fn skip(&mut self) {
        if !self.at(TokenKind::End) {
            self.position += 1;
        }
        self.take_comments(false);
    }

    /// Notes the comments before the current token that follow code, or all of them.
    fn take_comments(&mut self, all: bool) {
        while let Some(comment) = self.comments.get(self.next_comment) {
            if comment.before > self.position || (comment.own && !all) {
                return;
            }
            self.suffixes.push(comment.text);
            self.next_comment += 1;
        }
    }

    fn write(&mut self, text: &'static str) {
        self.ops.push(Op::Text(text));
    }

    /// A place where the line may end; otherwise there is this text.
    fn line(&mut self, flat: &'static str) {
        self.end_line(Op::Line(flat), false);
    }

    /// A place where the line ends if it is full, or if the author ended it there.
    fn fill(&mut self, keep: bool) {
        let broken = keep && self.tokens[self.position].gap == Gap::Newline;
        self.end_line(Op::Fill { broken }, false);
    }

    /// A place before an infix operator where the line may end.
    fn operator_line(&mut self, hugs: bool) {
        self.end_line(Op::Operator { hugs }, false);
    }

    /// A line end between two statements or items, with the empty line that the author left there.
    fn next_statement(&mut self) {
        let blank = match (self.suffixes.is_empty(), self.comment_is_next()) {
            (true, false) => self.is_blank_before(self.position),
            (true, true) => self.is_blank_before_comment(),
            (false, _) => self.comments[self.next_comment - 1].blank,
        };
        self.end_line(Op::Hard { blank }, true);
    }

    /// A line end that the grammar does not ask for.
    fn hard_line(&mut self) {
        self.end_line(Op::Hard { blank: false }, false);
    }

    fn end_line(&mut self, op: Op<'a>, keep_blank: bool) {
        let mut suffixes = std::mem::take(&mut self.suffixes).into_iter();
        self.ops.extend(suffixes.next().map(Op::Suffix));
        self.ops.push(op);
        self.ops.extend(suffixes.map(|text| Op::Own { text, blank: false }));
        while self.comment_is_next() {
            let comment = &self.comments[self.next_comment];
            self.ops.push(Op::Own { text: comment.text, blank: comment.blank && keep_blank });
            self.next_comment += 1;
        }
    }

    /// Whether there is a comment with a line of its own before the current token.
    fn comment_is_next(&self) -> bool {
        self.comments.get(self.next_comment).is_some_and(|comment| comment.before <= self.position)
    }

    /// Whether a comment has to be printed before the current token.
    fn is_commented(&self) -> bool {
        !self.suffixes.is_empty() || self.comment_is_next()
    }

    fn is_blank_before(&self, position: usize) -> bool {
        position > 0
            && has_blank_line(&self.text[self.tokens[position - 1].end as usize..self.tokens[position].start as usize])
    }

    fn is_blank_before_comment(&self) -> bool {
        if self.position == 0 {
            return false;
        }
        let gap = &self.text[self.tokens[self.position - 1].end as usize..];
        has_blank_line(gap.split('#').next().unwrap_or_default())
    }

    fn begin(&mut self) {
        self.ops.push(Op::Begin);
    }

    fn end(&mut self) {
        self.ops.push(Op::End);
    }

    fn indent(&mut self) {
        self.ops.push(Op::Indent);
    }

    fn dedent(&mut self) {
        self.ops.push(Op::Dedent);
    }

    /// Prints a bracket and what is in it, in a group.
    fn bracketed(&mut self, block: bool, contents: impl FnOnce(&mut Formatter<'a>)) {
        self.begin();
        self.brackets(block, contents);
        self.end();
    }

    /// Prints a bracket and what is in it, indented where the group around is broken.
    ///
    /// The brackets of a block have spaces inside, and newlines count there.
    fn brackets(&mut self, block: bool, contents: impl FnOnce(&mut Formatter<'a>)) {
        let outer = std::mem::replace(&mut self.newlines_count, block);
        let space = if block { " " } else { "" };
        self.token();
        self.indent();
        self.line(space);
        contents(self);
        if self.suffixes.len() > 1 || self.comment_is_next() {
            self.line("");
        }
        self.dedent();
        self.line(space);
        self.token();
        self.newlines_count = outer;
    }

    /// Keeps the group broken if the author ended the line here.
    fn keep_broken(&mut self) -> bool {
        let broken = self.tokens[self.position].gap == Gap::Newline;
        if broken {
            self.ops.push(Op::Break);
        }
        broken
    }
}
