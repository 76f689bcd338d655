//! Linear maps that are terms: applied, transposed and written out by their structure, never entry by entry.

use super::value::{Table, Term, Value};
use riesz_linear::LinearMap;
use riesz_primitive::Number;

impl<S: Number> Term<S> {
    /// `m x`, or `mᵀ x`.
    pub(super) fn apply(&self, argument: &Value<S>, adjoint: bool) -> Value<S> {
        let reversed = adjoint.then(|| self.form.adjoint());
        let map: &LinearMap = reversed.as_ref().unwrap_or(&self.form);
        let mut numbers = Vec::with_capacity(map.columns());
        argument.visit_coordinates(&mut |x| numbers.push(x.decided()));
        // A zero of unknown shape has no numbers.
        numbers.resize(map.columns(), 0.0);
        let result = if adjoint { &self.domain } else { &self.codomain };
        result.tangent(&mut map.apply(&numbers).into_iter().map(S::constant))
    }

    /// The matrix: the codomain with every number replaced by a row.
    pub(super) fn matrix(&self) -> Value<S> {
        let matrix = self.form.matrix();
        let mut row = 0;
        self.codomain.map_leaves(&self.domain, &mut || {
            row += 1;
            let mut entries = matrix.row(row - 1);
            self.domain.map_reals(&mut |_| S::constant(entries.next().unwrap_or(0.0)))
        })
    }

    /// The entries that are not structurally zero, in numbers of another algebra.
    pub fn table<T: Number>(&self, f: &mut dyn FnMut(&S) -> T) -> Table<T> {
        let entries = self.made.coo();
        let mut rows = vec![Vec::new(); self.made.rows()];
        for ((row, column), value) in entries.rows.into_iter().zip(entries.cols).zip(entries.vals) {
            rows[row].push((column, f(&S::constant(value))));
        }
        Table { domain: self.domain.over(f), codomain: self.codomain.over(f), rows }
    }
}
