//! Sizes as operands of the primal stream.

use super::Lineariser;
use riesz_core::Size;
use riesz_core::build::write_size;
use riesz_core::term::Atom;
use riesz_syntax::Span;

impl Lineariser<'_> {
    /// A size as an operand.
    pub(crate) fn size_atom(&mut self, size: &Size, span: Span) -> Atom {
        let mut bindings = Vec::new();
        let mut vars = std::mem::take(&mut self.vars);
        let atom = write_size(size, &mut vars, &mut bindings, span);
        self.vars = vars;
        self.level().primal.extend(bindings);
        atom
    }
}
