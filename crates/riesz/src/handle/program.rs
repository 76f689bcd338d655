//! Programs: checked texts, which are immutable.

use super::{Diagnostics, Error, Function};
use crate::definition::Keyword;
use crate::session::Session;
use crate::{Data, Diagnostic, Loader, Name, NoFiles, Options, Sources};
use riesz_core::evaluate::to_data;
use riesz_core::{FunctionId, GlobalId};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// A program. Threads can share it, and a copy of it costs nothing.
///
/// ```
/// use riesz::Program;
///
/// let program = Program::new("circle.rz", "fun area(r: R): R = pi * r^2").unwrap();
/// let names: Vec<&str> = program.names().collect();
/// assert_eq!(names, ["area"]);
/// ```
#[derive(Clone)]
pub struct Program(pub(super) Arc<Checked>);

/// A program that has been checked.
pub(super) struct Checked {
    /// The functions that names stand for, and the numbers of their written parameters.
    functions: BTreeMap<Name, Result<(FunctionId, usize), Diagnostic>>,
    pub core: riesz_core::Program,
    /// The data of an expression.
    pub given: HashMap<GlobalId, Data>,
    pub sources: Arc<Sources>,
}

impl Program {
    /// Parses and checks a text that stands alone. Messages call it by the name.
    pub fn new(name: &str, text: &str) -> Result<Program, Error> {
        Program::load(name, &|path: &str, importer: Option<&str>| match importer {
            None => Ok(crate::Loaded::text(name, text)),
            Some(_) => NoFiles.load(path, importer),
        })
    }

    /// Parses and checks a file and what it imports, from wherever the loader finds files.
    ///
    /// ```
    /// use riesz::{Loaded, Program};
    ///
    /// let library = |path: &str, _importer: Option<&str>| match path {
    ///     "main.rz" => Ok(Loaded::text("main.rz", "import \"half.rz\"\nfun quarter(x: R): R = half(half(x))")),
    ///     "half.rz" => Ok(Loaded::text("half.rz", "fun half(x: R): R = x / 2")),
    ///     _ => Err("there is no such file".to_string()),
    /// };
    /// let program = Program::load("main.rz", &library).unwrap();
    /// assert!(program.function("quarter").is_ok());
    /// ```
    pub fn load(path: &str, loader: &dyn Loader) -> Result<Program, Error> {
        let mut session = Session::new(Options::default());
        match session.load(path, loader) {
            Ok(_) => Ok(session.program_now()),
            Err(problems) => {
                let found = Diagnostics::new(problems, Arc::new(session.sources().clone()));
                Err(Error::of(Error::Program, found))
            }
        }
    }

    /// The names of its functions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.functions.keys().map(|name| &**name)
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Result<Function, Error> {
        let problem = match self.0.functions.get(name) {
            Some(Ok((id, written))) => {
                let sizes = self.0.core.function(*id).parameters - written;
                return Ok(Function::new(self.clone(), *id, sizes));
            }
            Some(Err(problem)) => problem.clone(),
            None => crate::emit::no_function(name, self.0.functions.keys(), false),
        };
        Err(Error::UnknownFunction(self.diagnostics(vec![problem])))
    }

    /// The texts that it was read from, which places in diagnostics refer to.
    pub fn sources(&self) -> &Sources {
        &self.0.sources
    }

    pub(super) fn diagnostics(&self, problems: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(problems, self.0.sources.clone())
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("Program").field(&self.0.functions.keys()).finish()
    }
}

impl Session {
    /// The program as it is now, which what the session does later does not change.
    ///
    /// ```
    /// use riesz::{NoFiles, Session};
    ///
    /// let mut session = Session::default();
    /// session.define("first", "fun f(x: R): R = x", &NoFiles).unwrap();
    /// let before = session.program_now();
    /// session.define("second", "fun g(x: R): R = f(x) + 1", &NoFiles).unwrap();
    /// assert_eq!(before.names().count(), 1);
    /// ```
    pub fn program_now(&self) -> Program {
        self.program_with(self.checker.program.clone(), HashMap::new())
    }

    /// An expression that was checked, as a function without parameters. Its data, and the values of the `let`s that it
    /// needs, are known.
    pub(crate) fn expression_now(&mut self, function: FunctionId) -> Result<Function, Vec<Diagnostic>> {
        let mut given = HashMap::new();
        for global in self.program().reachable(&[function]).globals {
            let value = self.value_of(global).map_err(|problem| vec![*problem])?;
            let data = value.and_then(|value| to_data(&value, &self.program().global(global).ty));
            given.extend(data.map(|data| (global, data)));
        }
        let part = self.program().part(&[function], &|global| given.contains_key(&global));
        Ok(Function::new(self.program_with(part, given), function, 0))
    }

    fn program_with(&self, core: riesz_core::Program, given: HashMap<GlobalId, Data>) -> Program {
        let functions = self.definitions().filter(|definition| definition.keyword == Keyword::Fun).map(|definition| {
            let name = &definition.name;
            let function = self.checker.function_named(name).ok_or_else(|| crate::emit::has_type_variables(name));
            (name.clone(), function.map(|id| (id, self.parameters_of(name).len())))
        });
        Program(Arc::new(Checked {
            functions: functions.collect(),
            core,
            given,
            sources: Arc::new(self.sources().clone()),
        }))
    }
}
