//! `riesz repl [FILE]`: a prompt that survives every mistake.
//!
//! If the standard input is not a terminal, it is read as a script: the answers are the same, without prompts.

mod directive;
mod editor;
mod manual;

use super::Status;
use crate::arguments::{self, Of};
use crate::disk::Disk;
use crate::output;
use crate::report::Report;
use clap::ValueEnum as _;
use directive::{Directive, Problem, first_word};
use editor::{Editor, Line};
use riesz::derive::Derivations;
use riesz::{Diagnostic, Evaluated, FileId, Input, Name, Options, Session, Sources};
use std::io::{BufRead, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many characters of a defined value are shown.
const SHOWN: usize = 200;
/// The exit status of a process that Ctrl-C ends.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Reads and answers until the end of the input.
pub fn run(arguments: arguments::Repl) -> Status {
    let report = Report::new(arguments.messages);
    let mut options = arguments.limits.options();
    let interrupt = Arc::new(AtomicBool::new(false));
    options.limits.interrupt = Some(interrupt.clone());
    let mut repl = Repl { session: Session::new(options), report, file: arguments.file, entries: 0 };
    if let Some(file) = repl.file.clone() {
        // A program with mistakes can be mended and loaded again; a file that is not there is a mistake in the command.
        if let Err(error) = crate::disk::look(Path::new(&file)) {
            repl.report.problem("cannot-read", format!("cannot read {file}: {}", crate::disk::reason(&error)));
            return Status::Failure;
        }
        repl.load();
    }
    match std::io::stdin().is_terminal() {
        true => converse(&mut repl, &interrupt),
        false => follow(&mut repl),
    }
}

/// Reads from a person.
fn converse(repl: &mut Repl, interrupt: &Arc<AtomicBool>) -> Status {
    let pressed = interrupt.clone();
    // Who presses twice wants to leave: something other than an evaluation takes long.
    let handler = move || {
        if pressed.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED_BY_INTERRUPT);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        repl.report.problem("no-interrupt", format!("Ctrl-C will end the program: {error}"));
    }
    let mut editor = match Editor::new(repl.session.options().parse) {
        Ok(editor) => editor,
        Err(error) => {
            repl.report.problem("no-terminal", format!("cannot read from the terminal: {error}"));
            return Status::Failure;
        }
    };
    output::print_line(&format!("Riesz {}: `:help` for help, `:quit` or Ctrl-D to leave", env!("CARGO_PKG_VERSION")));
    loop {
        editor.know(repl.session.complete(""));
        match editor.read() {
            Ok(Line::Text(text)) => {
                interrupt.store(false, Ordering::Relaxed);
                let flow = repl.answer(&text);
                // Nothing is running at the prompt, so one press there is not the first of two.
                interrupt.store(false, Ordering::Relaxed);
                if flow.is_break() {
                    return Status::Success;
                }
            }
            Ok(Line::Cleared) => {}
            Ok(Line::End) => return Status::Success,
            Err(error) => {
                repl.report.problem("no-terminal", format!("cannot read from the terminal: {error}"));
                return Status::Failure;
            }
        }
    }
}

/// Reads a script.
fn follow(repl: &mut Repl) -> Status {
    let mut lines = std::io::stdin().lock();
    let mut text = String::new();
    loop {
        let mut line = Vec::new();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => text += &String::from_utf8_lossy(&line),
            Err(error) => {
                repl.report.problem("cannot-read", format!("cannot read the standard input: {error}"));
                return Status::Failure;
            }
        }
        if is_whole(&text, repl.session.options()) && repl.answer(&std::mem::take(&mut text)).is_break() {
            return Status::Success;
        }
    }
    let _ = repl.answer(&text);
    Status::Success
}

/// Whether a text can be answered as it is.
fn is_whole(text: &str, options: &Options) -> bool {
    text.trim_start().starts_with(':') || Input::of(text, &options.parse) != Input::Incomplete
}

/// The state of the prompt.
struct Repl {
    session: Session,
    report: Report,
    /// The file that `:reload` loads.
    file: Option<String>,
    /// How many texts have been entered.
    entries: usize,
}

impl Repl {
    /// Answers a text; breaks off when it says so.
    fn answer(&mut self, text: &str) -> ControlFlow<()> {
        if let Some(line) = text.trim().strip_prefix(':') {
            return self.obey(line);
        }
        self.entries += 1;
        let name = format!("prompt[{}]", self.entries);
        match Input::of(text, &self.session.options().parse) {
            Input::Nothing => {}
            Input::Items => self.define(&name, text),
            Input::Expression | Input::Incomplete => match self.session.evaluate_as(&name, text, Vec::new()) {
                Ok(found) => output::print_line(&self.shown(&found)),
                Err(diagnostics) => self.complain(&diagnostics),
            },
        }
        ControlFlow::Continue(())
    }

    /// Adds items; evaluates the values among them and runs the checks. When a value fails, nothing is added.
    fn define(&mut self, name: &str, text: &str) {
        let before = self.session.scope();
        let file = match self.session.define(name, text, &Disk) {
            Ok(file) => file,
            Err(diagnostics) => return self.complain(&diagnostics),
        };
        let mut defined: Vec<_> = self.session.definitions().filter(|found| found.span.file == file).cloned().collect();
        defined.sort_by_key(|definition| definition.span.start);
        for definition in defined {
            let name = &definition.name;
            if !definition.is_value {
                if let Some(ty) = self.session.signature(name) {
                    output::print_line(&format!("{name}{}", self.dimmed(&format!(" : {ty}"))));
                }
                continue;
            }
            match self.session.evaluate(name, Vec::new()) {
                Ok(found) => output::print_line(&format!("{name} = {}", self.shortened(&found))),
                Err(diagnostics) => {
                    // A value that cannot be computed is not defined: what the names meant before stays.
                    self.complain(&diagnostics);
                    return self.session.restore(before);
                }
            }
        }
        self.run_checks(file);
    }

    fn run_checks(&mut self, file: FileId) {
        for check in self.session.checks(file) {
            match self.session.run_check(&check) {
                Ok(()) => output::print_line("the check holds"),
                Err(diagnostic) => self.complain(&[*diagnostic]),
            }
        }
    }

    /// Does what a line that begins with `:` says.
    fn obey(&mut self, line: &str) -> ControlFlow<()> {
        let (directive, argument) = match Directive::parse(line) {
            Ok(parsed) => parsed,
            Err(Problem(message)) => {
                self.report.problem("unknown-command", message);
                return ControlFlow::Continue(());
            }
        };
        match directive {
            Directive::Help => self.help(argument),
            Directive::Type => self.show_type(argument),
            Directive::Load => {
                self.file = Some(argument.to_string());
                self.load();
            }
            Directive::Reload => self.load(),
            Directive::Names => self.show_names(),
            Directive::Derive => match self.session.derive(argument, &Derivations::default()) {
                Ok(derivation) => output::print_line(super::derive::as_text(&derivation, false).trim_end()),
                Err(diagnostics) => self.complain(&diagnostics),
            },
            Directive::Graph => self.draw(argument),
            Directive::Quit => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Restarts with the file. If it has errors, the session stays as it was.
    fn load(&mut self) {
        let Some(file) = &self.file else {
            return self.report.problem("no-file", "no file has been loaded; write `:load FILE`");
        };
        let mut session = Session::new(self.session.options().clone());
        match session.load(file, &Disk) {
            Ok(_) => {
                let names = session.definitions().count();
                let noun = if names == 1 { "name" } else { "names" };
                output::print_line(&format!("{file}: {names} {noun}"));
                self.session = session;
            }
            Err(diagnostics) => self.report.show(&diagnostics, session.sources()),
        }
    }

    fn help(&mut self, name: &str) {
        match manual::entry(name) {
            _ if self.is_defined(name) => self.show_definition(name),
            Some(entry) => output::print(&entry),
            None => self.report.problem("unknown-name", format!("there is no help for `{name}`")),
        }
    }

    fn show_type(&mut self, text: &str) {
        if text.is_empty() {
            return self.report.problem("no-expression", "write an expression: `:type 1 + 2`");
        }
        if let Some(entry) = manual::signatures(text).filter(|_| !self.is_defined(text)) {
            return output::print(&entry);
        }
        if let Some(signature) = self.session.signature(text) {
            return output::print_line(&signature);
        }
        match self.session.type_of("expression", text) {
            Ok(ty) => output::print_line(&self.session.show_type(&ty)),
            Err(diagnostics) => self.complain(&diagnostics),
        }
    }

    /// Draws a function, or its derivative, adjoint or gradient where such a word follows, into a file.
    fn draw(&self, argument: &str) {
        let (function, rest) = first_word(argument);
        let (of, output) = match Of::from_str(first_word(rest).0, false) {
            Ok(of) => (of, first_word(rest).1),
            Err(_) => (Of::Value, rest),
        };
        let output = match output {
            "" => format!("{function}.svg"),
            output => output.to_string(),
        };
        match super::graph::draw(&self.session, function, of, &output) {
            Ok(()) => output::print_line(&output),
            Err(diagnostics) => self.complain(&diagnostics),
        }
    }

    fn show_names(&mut self) {
        let names: Vec<Name> = self.session.definitions().map(|definition| definition.name.clone()).collect();
        for name in names {
            self.show_definition(&name);
        }
    }

    /// A name and its type, or the whole definition of a type.
    fn show_definition(&mut self, name: &str) {
        if let Some(signature) = self.session.signature(name) {
            return output::print_line(&format!("{name} : {signature}"));
        }
        if let Some(definition) = self.session.definitions().find(|definition| &*definition.name == name) {
            output::print_line(self.session.sources().text(definition.span));
        }
    }

    fn is_defined(&self, name: &str) -> bool {
        self.session.definitions().any(|definition| &*definition.name == name)
    }

    /// A value with its type.
    fn shown(&self, found: &Evaluated) -> String {
        format!("{found}{}", self.dimmed(&format!(" : {}", self.session.show_type(&found.ty))))
    }

    fn shortened(&self, found: &Evaluated) -> String {
        let text = found.to_string();
        let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
        let dots = if end < text.len() { " ..." } else { "" };
        let ty = self.dimmed(&format!(" : {}", self.session.show_type(&found.ty)));
        format!("{}{dots}{ty}", &text[..end])
    }

    fn dimmed(&self, text: &str) -> String {
        match self.report.colour_on(&std::io::stdout()) {
            true => format!("\u{1b}[2m{text}\u{1b}[0m"),
            false => text.to_string(),
        }
    }

    fn complain(&self, diagnostics: &[Diagnostic]) {
        match diagnostics {
            [Diagnostic { code: "interrupted", .. }] => {
                self.report.show(&[Diagnostic::placeless("interrupted", "interrupted")], &Sources::default());
            }
            diagnostics => self.report.show(diagnostics, self.session.sources()),
        }
    }
}
