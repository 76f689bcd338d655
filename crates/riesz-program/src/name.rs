//! Names as the user wrote them.

use riesz_syntax::tree::Name;

/// A name as the user wrote it, or a pass that has made a variable. It is foreign text: it cannot be formatted, so that it
/// gets into generated code only where a backend asks for it and makes it harmless.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceName(Name);

impl SourceName {
    /// The name as it stands in the source.
    pub fn as_written(&self) -> &str {
        &self.0
    }
}

impl From<Name> for SourceName {
    fn from(name: Name) -> SourceName {
        SourceName(name)
    }
}

impl From<&str> for SourceName {
    fn from(name: &str) -> SourceName {
        SourceName(name.into())
    }
}

impl std::fmt::Debug for SourceName {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
