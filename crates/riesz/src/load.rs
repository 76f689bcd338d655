//! A file and its imports, from any source of files.
//!
//! `import` is relative to the importing file, transitive, and brings each file once; a cycle is an error. This module
//! does not touch the file system: a [`Loader`] does.

use crate::{Diagnostic, FileId, ParseOptions, Sources, Span, Tree};
use riesz_syntax::tree::{Ident, ItemKind};
use std::collections::HashMap;
use std::sync::Arc;

/// Where files come from.
///
/// A function of the path and the importing file is a loader:
///
/// ```
/// use riesz::{Loaded, Loader};
///
/// let library = |path: &str, _importer: Option<&str>| match path {
///     "half.rz" => Ok(Loaded::text("half.rz", "fun half(x: R): R = x / 2")),
///     _ => Err("there is no such file".to_string()),
/// };
/// assert!(library.load("half.rz", Some("main.rz")).is_ok());
/// ```
pub trait Loader {
    /// Fetches the file at a path, which is relative to the file named `importer` where there is one. An error says why
    /// it cannot be read.
    fn load(&self, path: &str, importer: Option<&str>) -> Result<Loaded, String>;
}

impl<F: Fn(&str, Option<&str>) -> Result<Loaded, String>> Loader for F {
    fn load(&self, path: &str, importer: Option<&str>) -> Result<Loaded, String> {
        self(path, importer)
    }
}

/// The loader of programs that stand alone: it finds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str, _: Option<&str>) -> Result<Loaded, String> {
        Err("there are no files here".into())
    }
}

/// A file as it was fetched.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The same for every path that leads to this file.
    pub identity: String,
    /// The name that messages show; what the file imports is relative to it.
    pub name: String,
    /// The contents, which should be UTF-8.
    pub bytes: Vec<u8>,
}

impl Loaded {
    /// A file known by one name.
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Loaded {
        let name = name.into();
        Loaded { identity: name.clone(), name, bytes: text.into().into_bytes() }
    }
}

/// Files that have been read, by identity.
pub(crate) type ReadFiles = HashMap<String, FileId>;

/// The files that the imports of one file lead to.
pub(crate) struct Gathered {
    /// The trees of the files that were not known before.
    pub trees: Vec<Tree>,
    /// The identities of these files.
    pub found: ReadFiles,
    /// The file that it began with.
    pub main: FileId,
}

/// Reads and parses the files that `main` needs and `known` has not, itself included.
pub(crate) fn gather(
    main: Loaded,
    loader: &dyn Loader,
    known: &ReadFiles,
    sources: &mut Sources,
    options: &ParseOptions,
) -> Result<Gathered, Vec<Diagnostic>> {
    let mut walk =
        Walk { loader, known, sources, options, trees: Vec::new(), found: ReadFiles::new(), diagnostics: Vec::new() };
    let main = walk.run(main);
    match walk.diagnostics.is_empty() {
        true => Ok(Gathered { trees: walk.trees, found: walk.found, main }),
        false => Err(walk.diagnostics),
    }
}

struct Walk<'a> {
    loader: &'a dyn Loader,
    known: &'a ReadFiles,
    sources: &'a mut Sources,
    options: &'a ParseOptions,
    trees: Vec<Tree>,
    found: ReadFiles,
    diagnostics: Vec<Diagnostic>,
}

/// A file whose imports are being followed.
struct OpenFile {
    file: FileId,
    imports: std::vec::IntoIter<Ident>,
    /// The import being followed.
    current: Option<Span>,
}

impl Walk<'_> {
    /// Depth first; the open files form the path from the main file.
    fn run(&mut self, main: Loaded) -> FileId {
        let main = self.open(main);
        let file = main.file;
        let mut path = vec![main];
        while let Some(open) = path.last_mut() {
            let Some(import) = open.imports.next() else {
                path.pop();
                continue;
            };
            open.current = Some(import.span);
            let importer = self.sources.get(open.file).name.clone();
            match self.loader.load(&import.name, Some(&importer)) {
                Err(reason) => {
                    let message = format!("cannot read `{}`: {reason}", import.name);
                    self.diagnostics.push(Diagnostic::error("cannot-read", import.span, message));
                }
                Ok(loaded) => match self.found.get(&loaded.identity) {
                    Some(&file) => self.reject_cycle(file, &path),
                    None if self.known.contains_key(&loaded.identity) => {}
                    None => path.push(self.open(loaded)),
                },
            }
        }
        file
    }

    /// Parses a file.
    fn open(&mut self, loaded: Loaded) -> OpenFile {
        let (file, decoded) = add_source(self.sources, loaded.name, loaded.bytes);
        self.found.insert(loaded.identity, file);
        let (tree, mut diagnostics) = match decoded {
            Ok(()) => riesz_syntax::parse(file, &self.sources.get(file).text, self.options),
            Err(diagnostic) => (Tree::default(), vec![diagnostic]),
        };
        self.diagnostics.append(&mut diagnostics);
        let imports: Vec<Ident> = tree.items.iter().filter_map(|item| import(&item.kind)).collect();
        self.trees.push(tree);
        OpenFile { file, imports: imports.into_iter(), current: None }
    }

    /// Complains if a file that is imported is still open.
    fn reject_cycle(&mut self, file: FileId, path: &[OpenFile]) {
        let Some(start) = path.iter().position(|open| open.file == file) else { return };
        let cycle = &path[start..];
        let spans: Vec<Span> = cycle.iter().filter_map(|open| open.current).collect();
        let Some((&last, others)) = spans.split_last() else { return };
        let names: Vec<&str> = cycle.iter().chain(&cycle[..1]).map(|open| &*self.sources.get(open.file).name).collect();
        if others.is_empty() {
            let diagnostic = Diagnostic::error("import-cycle", last, format!("`{}` imports itself", names[0]));
            return self.diagnostics.push(diagnostic);
        }
        let message = format!("these files import each other: {}", names.join(" -> "));
        let diagnostic = Diagnostic::error("import-cycle", last, message);
        let diagnostic = others.iter().fold(diagnostic, |diagnostic, &span| diagnostic.label(span, "imported here"));
        self.diagnostics.push(diagnostic.help("put the shared definitions in a file that imports none of them"));
    }
}

fn import(item: &ItemKind) -> Option<Ident> {
    match item {
        ItemKind::Import { path } => Some(path.clone()),
        _ => None,
    }
}

/// Adds a text that should be UTF-8. Where it is not, the source has replacement characters, and an error says where the
/// first one is.
pub fn add_source(
    sources: &mut Sources,
    name: impl Into<Arc<str>>,
    bytes: Vec<u8>,
) -> (FileId, Result<(), Diagnostic>) {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return (sources.add(name, text), Ok(())),
        Err(error) => error,
    };
    let byte = error.utf8_error().valid_up_to();
    let file = sources.add(name, String::from_utf8_lossy(error.as_bytes()));
    let start = u32::try_from(byte).unwrap_or(u32::MAX);
    let span = Span { file, start, end: start.saturating_add('\u{fffd}'.len_utf8() as u32) };
    let diagnostic = Diagnostic::error("not-utf8", span, format!("the file is not UTF-8: byte {byte} is wrong"));
    (file, Err(diagnostic.help("save the file as UTF-8 text")))
}
