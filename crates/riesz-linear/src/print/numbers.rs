//! The numbers, vectors, matrices and spaces of maps as text.

use std::convert::Infallible;
use std::fmt;

use super::{Level, Notation, Phrase, Writer};
use crate::map::LinearMap;
use crate::matrix::{Band, Matrix};
use crate::numbers::Numbers;
use crate::relation::{Line, Relation, Walk};
use crate::space::Space;
use crate::unitary::Unitary;
use crate::vector::Vector;

/// Up to how many values the short form shows all of them.
const VALUES: usize = 8;

impl fmt::Display for LinearMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Writer::<Numbers> { context: &(), full: f.alternate() }.line(self, Level::Binder))
    }
}

impl fmt::Debug for LinearMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writer = Writer { context: &(), full: f.alternate() };
        f.write_str(&literal(&writer, self.space(), &mut |at| self.values()[at]))
    }
}

/// Writes maps over numbers.
type Numeric<'w, 'c> = Writer<'w, 'c, Numbers>;

impl Notation for Numbers {
    fn differences(_: &Writer<'_, '_, Numbers>) -> bool {
        false
    }

    fn show_number(_: &Numeric, value: &f64) -> String {
        number(*value)
    }

    fn show_vector(writer: &Numeric, vector: &Vector) -> String {
        typed(writer, vector.space(), &mut |at| vector.values()[at])
    }

    fn show_row(writer: &Numeric, vector: &Vector) -> String {
        // The product of a matrix with a vector is another one.
        let flat = *vector.space() == Space::reals(vector.values().len());
        format!("{}({}, _)", if flat { "dot" } else { "inner" }, Numbers::show_vector(writer, vector))
    }

    fn show_matrix(writer: &Numeric, matrix: &Matrix) -> String {
        if let Some(Band { lower, upper }) = matrix.band() {
            let row = |row: usize| {
                let span = matrix.span(row);
                writer.list(span.len(), |at| number(matrix.at(row, span.start + at)))
            };
            return format!("banded {lower} {upper} {} {}", matrix.columns(), writer.list(matrix.rows(), row));
        }
        let space = Space::array(matrix.rows(), Space::reals(matrix.columns()));
        typed(writer, &space, &mut |at| matrix.at(at / matrix.columns(), at % matrix.columns()))
    }

    fn show_relation(writer: &Numeric, map: &LinearMap, relation: &Relation) -> (Level, String) {
        let (from, to) = (spelled(writer, map.domain()), spelled(writer, map.codomain()));
        let text = match relation {
            Relation::Sum(_) => format!("sum {from}"),
            Relation::Replicate(_) => format!("replicate {to}"),
            Relation::Prefix(_) => format!("prefix {from}"),
            Relation::Suffix(_) => format!("suffix {from}"),
            Relation::Gather { indices, .. } => {
                format!("gather {} of {from}", writer.list(indices.len(), |at| indices[at].to_string()))
            }
            Relation::Scatter { indices, .. } => {
                format!("scatter {} into {to}", writer.list(indices.len(), |at| indices[at].to_string()))
            }
            Relation::Pairs { pairs, to, .. } => {
                let pairs = writer.list(pairs.len(), |at| format!("({}, {})", pairs[at].0, pairs[at].1));
                format!("relate {pairs} of {from} into {to}")
            }
            Relation::Line(line) => {
                let Line { count, source, target } = *line;
                let whole = |walk: Walk| walk.start == 0 && walk.step == 1 && walk.size == count;
                if *line == reversal(count) {
                    format!("reverse {from}")
                } else if whole(target) && source.step == 1 {
                    format!("slice {} {} of {from}", source.start, source.start + count)
                } else if whole(source) && target.step == 1 {
                    format!("pad {} {} into {to}", target.start, target.start + count)
                } else {
                    let (source, target) = (
                        format!("{} by {} of {from}", source.start, source.step),
                        format!("{} by {} of {}", target.start, target.step, target.size),
                    );
                    format!("line {count} from {source} to {target}")
                }
            }
        };
        (Level::Word, text)
    }

    fn show_unitary(writer: &Numeric, map: &LinearMap, unitary: &Unitary) -> (Level, String) {
        let spelled = |space: &Space| spelled(writer, space);
        let text = match unitary {
            Unitary::Reshape => format!("reshape {} to {}", spelled(map.domain()), spelled(map.codomain())),
            Unitary::Transpose { outer, inner, element } => {
                let over = if *element == Space::Real { String::new() } else { format!(" over {}", spelled(element)) };
                format!("transpose {} {}{over}", spelled(outer), spelled(inner))
            }
            Unitary::Zip => format!("zip {}", spelled(map.domain())),
            Unitary::Unzip => format!("unzip {}", spelled(map.codomain())),
        };
        (Level::Word, text)
    }

    fn show_part(_: &Numeric, part: &usize) -> String {
        part.to_string()
    }

    fn show_binder(_: &Numeric, never: &Infallible) -> String {
        match *never {}
    }

    fn show_space(writer: &Numeric, space: &Space) -> Option<String> {
        Some(spelled(writer, space))
    }

    fn binds_names(never: &Infallible) -> bool {
        match *never {}
    }

    fn show_extra(_: &Numeric, _: &LinearMap, never: &Infallible) -> Phrase<Numbers> {
        match *never {}
    }
}

fn spelled(writer: &Numeric, space: &Space) -> String {
    match space {
        Space::Real => "R".to_string(),
        Space::Array(size, element) => format!("[{size}]{}", spelled(writer, element)),
        Space::Product(parts) => writer.tuple(parts.len(), "spaces", |at| spelled(writer, &parts[at])),
    }
}

/// A literal, with its space where the numbers do not tell it.
fn typed(writer: &Numeric, space: &Space, value: &mut dyn FnMut(usize) -> f64) -> String {
    let text = literal(writer, space, value);
    if has_empty_array(space) { format!("({text} : {})", spelled(writer, space)) } else { text }
}

fn literal(writer: &Numeric, space: &Space, value: &mut dyn FnMut(usize) -> f64) -> String {
    match space {
        Space::Real => number(value(0)),
        Space::Array(size, element) => {
            let width = element.dimension();
            writer.list(*size, |at| literal(writer, element, &mut |inner| value(at * width + inner)))
        }
        Space::Product(parts) => {
            let mut start = 0;
            writer.tuple(parts.len(), "values", |at| {
                let text = literal(writer, &parts[at], &mut |inner| value(start + inner));
                start += parts[at].dimension();
                text
            })
        }
    }
}

impl Numeric<'_, '_> {
    /// `[a, b, …]`
    fn list(&self, length: usize, item: impl FnMut(usize) -> String) -> String {
        format!("[{}]", self.items(length, "values", item))
    }

    /// `(a, b, …)`, and `(a,)`
    fn tuple(&self, length: usize, what: &str, item: impl FnMut(usize) -> String) -> String {
        format!("({}{})", self.items(length, what, item), if length == 1 { "," } else { "" })
    }

    fn items(&self, length: usize, what: &str, item: impl FnMut(usize) -> String) -> String {
        let shown = self.shown(length, VALUES);
        let omitted = (shown < length).then(|| format!("… {length} {what}"));
        (0..shown).map(item).chain(omitted).collect::<Vec<_>>().join(", ")
    }
}

fn has_empty_array(space: &Space) -> bool {
    match space {
        Space::Real => false,
        Space::Array(size, element) => *size == 0 || has_empty_array(element),
        Space::Product(parts) => parts.iter().any(has_empty_array),
    }
}

fn reversal(size: usize) -> Line {
    match Relation::reverse(size) {
        Relation::Line(line) => line,
        _ => unreachable!("reversal is a line"),
    }
}

/// The shortest digits that read back the same.
fn number(value: f64) -> String {
    if value.is_nan() { "nan".to_string() } else { format!("{value:?}") }
}
