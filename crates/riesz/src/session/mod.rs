//! A program with all operations on it: load, type, evaluate, check, complete.

mod bounded;
mod over;
mod run;

use crate::compilation::Compilation;
use crate::definition::{Definition, Keyword, WrittenSignature, definitions, equations};
use crate::gradients::{self, Outcome, Settings, Subject, Verdict};
use crate::load::{Gathered, ReadFiles, gather};
use crate::via::Representation;
use crate::{
    Check, Data, Diagnostic, FileId, Limits, Loaded, Loader, Name, NoFiles, ParseOptions, Sources, Span, Toolchain,
    Tree, Type, Value,
};
pub use over::{Algebra, Formally, OverBinding};
use riesz_calculus::{Associate, Checkpoints};
use riesz_core::check::PRELUDE;
use riesz_core::evaluate::{Globals, Machine, has_room, problem};
use riesz_core::term::Program;
use riesz_core::{Bound, Checker, Names, Size, Thunk, size};
use riesz_syntax::tree::ExprId;
use run::Ran;
pub(crate) use run::holds_functions;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

/// How programs are read and run, and what that may use.
///
/// ```
/// use riesz::{Limits, Options};
///
/// // At most a million calls and iterations of loops.
/// let options = Options { limits: Limits { steps: 1_000_000, ..Limits::default() }, ..Options::default() };
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// How texts are parsed.
    pub parse: ParseOptions,
    /// The limits of one evaluation.
    pub limits: Limits,
    /// How many operations the compiler may write for one evaluation.
    pub code: u64,
    /// The values that loops store for their derivatives. By default, every value; if they exceed the memory that an
    /// evaluation may use, as few as possible.
    pub checkpoints: Option<Checkpoints>,
    /// The order in which the factors of a matrix are multiplied.
    pub associate: Associate,
    /// The representation of derivatives; compiled code by default.
    pub via: Option<&'static Representation>,
    /// The trap that reports where a NaN or an infinity starts, if there is one. Only the interpreter has traps, so it
    /// then takes the place of native code.
    pub trap: Option<std::sync::Arc<crate::Trap>>,
    /// The toolchain that makes machine code; [`Toolchain::automatic`] by default. If there is none, the interpreter
    /// runs programs.
    pub native: Option<Toolchain>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            parse: ParseOptions::default(),
            limits: Limits::default(),
            code: bounded::MOST_CODE,
            checkpoints: None,
            associate: Associate::Cheapest,
            via: None,
            trap: None,
            native: Toolchain::automatic(),
        }
    }
}

impl Options {
    /// The toolchain that makes machine code of programs, if these options permit it: only the interpreter has other
    /// representations of derivatives, and traps.
    pub(crate) fn makes_code(&self) -> Option<&Toolchain> {
        let is_compiled = self.via.is_none_or(|via| via.is_compiled());
        self.native.as_ref().filter(|_| is_compiled && self.trap.is_none())
    }
}

/// A program, to which files and definitions can be added, and the values it has computed.
pub struct Session {
    options: Options,
    pub(crate) sources: Sources,
    pub(crate) checker: Checker,
    known: ReadFiles,
    /// The texts of expressions.
    expressions: Vec<FileId>,
    /// The definitions that are in force.
    pub(crate) definitions: BTreeMap<Name, Definition>,
    /// Where the sides of each equation that is checked stand, by the place of the equation.
    equations: HashMap<Span, (Span, Span)>,
    /// The values of top-level `let`s, as far as they were needed.
    values: Globals<f64>,
    /// Checks that have been compiled together.
    prepared: Option<Compilation>,
    /// Where the interpreter has taken the place of native code, each once.
    notes: Vec<Diagnostic>,
    /// How many of them the user has seen.
    notes_seen: usize,
    /// The backend that has run each program, and why, for `--explain`.
    explanations: Option<Vec<String>>,
    /// Whether the user knows that nothing can be compiled here.
    told: bool,
    /// Whether what is being evaluated has added to the program what a `let` refers to.
    grown: bool,
}

/// The meanings of names at a moment, to be restored later.
pub struct Scope {
    names: Names,
    definitions: BTreeMap<Name, Definition>,
}

/// The value of a name for one expression.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value as text: an expression in the scope of the program.
    Text(String),
    /// Data from outside, read at the type that its use asks for.
    Data(Data),
}

/// A value and its type. Shows as text that reads back as the same value.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The value.
    pub value: Value,
    /// Its type, with the sizes that it has.
    pub ty: Type,
    /// It as text, where linear maps are shown by their structure.
    shown: Option<String>,
    /// The program that the linear maps in it refer to.
    program: Option<Rc<Program>>,
}

impl Evaluated {
    /// A value without linear maps in it.
    pub(crate) fn new(ty: Type, value: Value) -> Evaluated {
        Evaluated { value, ty, shown: None, program: None }
    }
}

impl fmt::Display for Evaluated {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.shown {
            Some(shown) => f.write_str(shown),
            None => f.write_str(&self.value.show(&self.ty)),
        }
    }
}

impl Default for Session {
    fn default() -> Session {
        Session::new(Options::default())
    }
}

impl Session {
    /// A session that knows the built-in functions.
    pub fn new(options: Options) -> Session {
        let mut sources = Sources::default();
        // The checker speaks of the prelude as the first of all files.
        sources.add("prelude.rz", PRELUDE);
        Session {
            options,
            sources,
            checker: Checker::new(),
            known: ReadFiles::new(),
            expressions: Vec::new(),
            definitions: BTreeMap::new(),
            equations: HashMap::new(),
            values: Globals::default(),
            prepared: None,
            notes: Vec::new(),
            notes_seen: 0,
            explanations: None,
            told: false,
            grown: false,
        }
    }

    /// Adds a file and what it imports. When there are errors, nothing is added.
    pub fn load(&mut self, path: &str, loader: &dyn Loader) -> Result<FileId, Vec<Diagnostic>> {
        let loaded = loader.load(path, None).map_err(|reason| {
            let message = format!("cannot read {path}: {reason}");
            vec![Diagnostic::placeless("cannot-read", message)]
        })?;
        match self.known.get(&loaded.identity) {
            Some(&file) => Ok(file),
            None => self.add(loaded, loader, false),
        }
    }

    /// Adds a text as a file of its own, and what it imports.
    pub fn load_text(&mut self, name: &str, text: &str, loader: &dyn Loader) -> Result<FileId, Vec<Diagnostic>> {
        self.add(Loaded::text(name, text), loader, false)
    }

    /// Adds items as at a prompt: they take the place of others of the same name. What was defined in terms of those
    /// keeps them.
    pub fn define(&mut self, name: &str, text: &str, loader: &dyn Loader) -> Result<FileId, Vec<Diagnostic>> {
        self.add(Loaded::text(name, text), loader, true)
    }

    fn add(&mut self, loaded: Loaded, loader: &dyn Loader, replace: bool) -> Result<FileId, Vec<Diagnostic>> {
        let gathered = gather(loaded, loader, &self.known, &mut self.sources, &self.options.parse)?;
        let Gathered { trees, found, main } = gathered;
        let definitions: Vec<Definition> = trees.iter().flat_map(|tree| definitions(tree, &self.sources)).collect();
        let equations: Vec<_> = trees.iter().flat_map(equations).collect();
        let values = self.checker.program.globals.len();
        self.adding(None, |session| match session.checker.add(trees, replace) {
            diagnostics if diagnostics.is_empty() => Ok(()),
            diagnostics => Err(diagnostics),
        })?;
        self.known.extend(found);
        self.equations.extend(equations);
        let values: HashSet<&Name> = self.checker.program.globals[values..].iter().map(|global| &global.name).collect();
        self.definitions.extend(definitions.into_iter().map(|mut definition| {
            definition.is_value = definition.keyword == Keyword::Let && values.contains(&definition.name);
            (definition.name.clone(), definition)
        }));
        Ok(main)
    }

    /// The current meanings of names.
    pub fn scope(&self) -> Scope {
        Scope { names: self.checker.names_now(), definitions: self.definitions.clone() }
    }

    /// Goes back to what names meant.
    pub fn restore(&mut self, scope: Scope) {
        self.checker.restore(scope.names);
        self.definitions = scope.definitions;
    }

    /// The definitions that are in force, by name.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// Evaluates an expression in the scope of the program, with names bound for it alone.
    pub fn evaluate(&mut self, text: &str, bindings: Vec<(Name, Binding)>) -> Result<Evaluated, Vec<Diagnostic>> {
        self.evaluate_as("expression", text, bindings)
    }

    /// The same under a name for the text, which messages show.
    pub fn evaluate_as(
        &mut self,
        name: &str,
        text: &str,
        bindings: Vec<(Name, Binding)>,
    ) -> Result<Evaluated, Vec<Diagnostic>> {
        self.with_expression(name, text, bindings, |session, Thunk { function, ty }| {
            let Ran { value, program } = session.run_with_program(*function).map_err(|problem| vec![*problem])?;
            let value = value.settled(ty);
            debug_assert!(is_large(&value) || value.fits(ty), "{text}: {:?}", value.misfit(ty));
            let ty = value.measured(ty);
            if !ty.any(&mut |part| matches!(part, Type::Linear(_))) {
                return Ok(Evaluated::new(ty, value));
            }
            let program = Rc::new(program.unwrap_or_else(|| session.checker.program.clone()));
            let shown = session.within(|| session.show_maps(&program, &value, &ty))?;
            Ok(Evaluated { value, ty, shown: Some(shown), program: Some(program) })
        })
    }

    /// Uses an expression and then restores the program.
    pub(crate) fn with_expression<T>(
        &mut self,
        name: &str,
        text: &str,
        bindings: Vec<(Name, Binding)>,
        work: impl FnOnce(&mut Session, &Thunk) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let mark = self.checker.mark();
        self.grown = false;
        let result = self.check(name, text, bindings).and_then(|thunk| work(self, &thunk));
        if !self.grown {
            self.checker.roll_back(mark);
        }
        result
    }

    /// A value as text, with its linear maps in combinatory form.
    fn show_maps(&self, program: &Program, value: &Value, ty: &Type) -> String {
        let mut machine = Machine::new(program, self.options.limits.clone(), |_| None);
        value.show_with(ty, &mut |map| {
            let term = riesz_calculus::structure(program, &mut machine, map).ok().flatten()?;
            Some(term.to_string())
        })
    }

    /// The same with every linear map replaced by its matrix.
    pub fn with_matrices(&self, evaluated: &Evaluated) -> Result<Evaluated, Box<Diagnostic>> {
        let program = evaluated.program.as_deref().unwrap_or(&self.checker.program);
        let mut machine = Machine::new(program, self.options.limits.clone(), |_| None);
        let bounded = self.within(|| machine.with_matrices(&evaluated.value)).map_err(first)?;
        let value = bounded?;
        let ty = evaluated.ty.with_matrices();
        Ok(Evaluated::new(ty, value))
    }

    /// Defines a name as a value, which is then known when the program runs, not before.
    pub fn define_value(&mut self, name: &str, value: &Evaluated) -> Result<FileId, Vec<Diagnostic>> {
        let is_empty = |part: &Type| matches!(part, Type::Array(Size::Constant(0), _));
        // An empty array does not say what its elements would be.
        let ty = match value.ty.any(&mut |part| is_empty(part)) {
            true => format!(": {}", self.show_type(&value.ty)),
            false => String::new(),
        };
        self.define(name, &format!("let {name}{ty} = {value}"), &NoFiles)
    }

    /// The type of an expression.
    pub fn type_of(&mut self, name: &str, text: &str) -> Result<Type, Vec<Diagnostic>> {
        self.with_expression(name, text, Vec::new(), |_, thunk| Ok(thunk.ty.clone()))
    }

    /// The type of a definition as a user would write it; of a `fun` with the names of its sizes and type variables.
    pub fn signature(&mut self, name: &str) -> Option<String> {
        let definition = self.definitions.get(name).filter(|definition| definition.keyword != Keyword::Type)?;
        let written = definition.written.clone();
        let found = |session: &mut Session| session.type_of("expression", name).ok();
        let Some(WrittenSignature { parameters, result, generic, .. }) = written else {
            return found(self).map(|ty| self.show_type(&ty));
        };
        let result = match (result, generic) {
            (Some(result), _) => result,
            (None, true) => "_".to_string(),
            (None, false) => match found(self) {
                Some(Type::Function(arrow)) => self.show_type(&arrow.1),
                _ => "_".to_string(),
            },
        };
        Some(format!("{parameters} -> {result}"))
    }

    /// The `check`s of a file, in the order they are written.
    pub fn checks(&self, file: FileId) -> Vec<Check> {
        self.checker.checks.iter().filter(|check| check.span.file == file).cloned().collect()
    }

    /// Runs a `check`. An error says how it fails.
    pub fn run_check(&mut self, check: &Check) -> Result<(), Box<Diagnostic>> {
        let sides = self.equations.get(&check.condition).copied();
        match self.run(check.function) {
            Ok(value) => crate::verdict::verdict(check, sides, &value),
            Err(diagnostic) => Err(crate::verdict::could_not_run(check, *diagnostic)),
        }
    }

    /// The functions of a file, in the order they are written.
    pub fn functions(&self, file: FileId) -> Vec<Definition> {
        let of_file = |definition: &&Definition| definition.keyword == Keyword::Fun && definition.span.file == file;
        let mut functions: Vec<Definition> = self.definitions.values().filter(of_file).cloned().collect();
        functions.sort_by_key(|definition| definition.span.start);
        functions
    }

    /// Tests the derivative of a function against differences. Its type variables stand for `R`.
    pub fn test_gradient(&mut self, function: &Definition, settings: Settings) -> Verdict {
        let outcome = self.gradient_outcome(&function.name, settings).unwrap_or_else(Outcome::Skipped);
        Verdict { name: function.name.clone(), span: function.place, outcome }
    }

    fn gradient_outcome(&mut self, name: &Name, settings: Settings) -> Result<Outcome, String> {
        let said = |problems: Vec<Diagnostic>| problems.into_iter().next().map(|problem| problem.message);
        let found = self.checker.function_at(name, &Type::Real);
        let found = found.map_err(|problems| said(problems).unwrap_or_default())?;
        let (function, own) = found.ok_or("it is not a function")?;
        let mut globals = vec![None; self.checker.program.globals.len()];
        for global in self.checker.program.reachable(&[function]).globals {
            let name = self.checker.program.global(global).name.clone();
            let value = self.value_of(global).map_err(|fault| format!("`{name}` has no value: {}", fault.message))?;
            globals[global.0 as usize] = value;
        }
        let subject = Subject { name: name.clone(), function, own, globals };
        let tested = self.within(|| gradients::test(&self.checker.program, subject, &self.options.limits, settings));
        tested.map_err(|problems| said(problems).unwrap_or_default())
    }

    /// The names and keywords that begin with a text, for completion.
    pub fn complete(&self, prefix: &str) -> Vec<Name> {
        let keywords = riesz_syntax::token::KEYWORDS.iter().map(|(keyword, _)| Name::from(*keyword));
        let types = ["R", "Int", "Bool"].map(Name::from);
        let mut names: Vec<Name> = self.checker.visible_names().into_iter().chain(keywords).chain(types).collect();
        names.retain(|name| name.starts_with(prefix));
        names.sort();
        names.dedup();
        names
    }

    /// A type as a user would write it.
    pub fn show_type(&self, ty: &Type) -> String {
        let size = |atom| match atom {
            size::Atom::Global(global) => self.checker.program.global(global).name.to_string(),
            size::Atom::Var(_) | size::Atom::Parameter(_) | size::Atom::Unknown(_) => "_".to_string(),
        };
        ty.show(&size, &|variable| format!("t{variable}"))
    }

    /// Diagnostics as text for a person.
    pub fn render(&self, diagnostics: &[Diagnostic], colour: bool) -> String {
        riesz_syntax::render(diagnostics, &self.sources, colour)
    }

    /// The texts of the program, which places refer to.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// How texts are parsed, and what an evaluation may use.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The types of the parameters of a `fun`, as they are written.
    pub(crate) fn parameters_of(&self, name: &str) -> Vec<String> {
        let written = self.definitions.get(name).and_then(|definition| definition.written.as_ref());
        written.map(|written| written.types.clone()).unwrap_or_default()
    }

    /// Parses and types an expression.
    pub(crate) fn check(
        &mut self,
        name: &str,
        text: &str,
        bindings: Vec<(Name, Binding)>,
    ) -> Result<Thunk, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let parsed = self.parse(name, text, &mut problems);
        let mut bound = Vec::with_capacity(bindings.len());
        for (name, binding) in bindings {
            match binding {
                Binding::Data(data) => {
                    let room = data.room();
                    if room > self.options.limits.memory || !has_room(room) {
                        problems.push(*problem::too_much_data(&name, self.options.limits.memory));
                    }
                    bound.push((name, Bound::Data(data)));
                }
                Binding::Text(text) => {
                    let parsed = self.parse(&format!("value of {name}"), &text, &mut problems);
                    bound.extend(parsed.map(|(tree, id)| (name, Bound::Expr(Rc::new(tree), id))));
                }
            }
        }
        match parsed {
            Some((tree, id)) if problems.is_empty() => {
                let place = tree.expr(id).span;
                self.adding(Some(place), |session| session.checker.expression(tree, id, bound))
            }
            _ => Err(problems),
        }
    }

    /// The program in the core, with the expressions that were checked.
    pub(crate) fn program(&self) -> &Program {
        &self.checker.program
    }

    fn parse(&mut self, name: &str, text: &str, problems: &mut Vec<Diagnostic>) -> Option<(Tree, ExprId)> {
        // A text that is evaluated again has its place already.
        let is_same = |file: &FileId| {
            let source = self.sources.get(*file);
            *source.name == *name && *source.text == *text
        };
        let file = match self.expressions.iter().copied().find(is_same) {
            Some(file) => file,
            None => {
                let file = self.sources.add(name, text);
                self.expressions.push(file);
                file
            }
        };
        let (tree, id, mut found) = riesz_syntax::parse_expression(file, text, &self.options.parse);
        problems.append(&mut found);
        Some((tree, id?))
    }
}

/// The first of the problems that an error has.
pub(crate) fn first(problems: Vec<Diagnostic>) -> Box<Diagnostic> {
    problems.into_iter().next().map(Box::new).unwrap_or_else(|| unreachable!("an error has a problem"))
}

/// Whether a value is too large to be looked at in every evaluation of a debug build.
fn is_large(value: &Value) -> bool {
    value.numbers() > 1 << 20
}
