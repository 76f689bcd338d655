//! Whether the right side of a law, as the checker builds it, is the map that a certificate writes.

use crate::elaborate::size;
use crate::term::{Bind, Expr, Head, Part, Space, Term, deep};
use crate::value::{Indices, Values};

/// Compares maps up to the names of indices and the way in which coefficients are written.
pub(crate) fn same(built: &Term, written: &Term, values: &Values) -> bool {
    Comparison { values, left: Vec::new(), right: Vec::new() }.maps(built, written)
}

struct Comparison<'v> {
    values: &'v Values,
    /// The values of the indices around, on each side.
    left: Indices,
    right: Indices,
}

impl Comparison<'_> {
    fn maps(&mut self, built: &Term, written: &Term) -> bool {
        if built.children.len() != written.children.len() || !self.heads(built, written) {
            return false;
        }
        let before = self.left.len();
        if let (Some(i), Some(j)) = (index(&built.head), index(&written.head)) {
            let value = self.values.generic(1_000_000 + before);
            self.left.push((i.to_string(), value));
            self.right.push((j.to_string(), value));
        }
        let children = built.children.iter().zip(&written.children);
        let same = deep(|| children.into_iter().all(|(a, b)| self.maps(a, b)));
        self.left.truncate(before);
        self.right.truncate(before);
        same
    }

    fn equal(&mut self, a: &Expr, b: &Expr, rank: usize) -> bool {
        self.values.equal(a, b, rank, &mut self.left, &mut self.right)
    }

    fn parts(&mut self, a: &Part, b: &Part) -> bool {
        match (a, b) {
            (Part::Component(a), Part::Component(b)) => a == b,
            (Part::Element(a), Part::Element(b)) => self.equal(a, b, 0),
            _ => false,
        }
    }

    fn heads(&mut self, built: &Term, written: &Term) -> bool {
        let spaces = built.to.same(&written.to);
        match (&built.head, &written.head) {
            (Head::Zero, Head::Zero) => spaces,
            (Head::Scale(a), Head::Scale(b)) | (Head::If(a), Head::If(b)) => self.equal(a, b, 0),
            (Head::Diagonal(a), Head::Diagonal(b)) => self.equal(a, b, written.from.rank()),
            (Head::RankOne(a, u, v), Head::RankOne(b, w, x)) => {
                spaces
                    && self.equal(a, b, 0)
                    && self.equal(u, w, written.to.rank())
                    && self.equal(v, x, written.from.rank())
            }
            (Head::Left(a), Head::Left(b)) | (Head::Right(a), Head::Right(b)) => spaces && self.equal(a, b, 2),
            (Head::Replicate(a), Head::Replicate(b)) => spaces && self.equal(a, b, 0),
            // the adjoint of the sum, in another notation
            (Head::Replicate(count), Head::Function(name, arguments, true)) => {
                let fits = matches!(&written.to, Space::Array(known, _) if *known == size(count));
                name == "sum" && arguments.is_empty() && spaces && fits
            }
            (Head::Function(f, own, up), Head::Function(g, other, down)) => {
                let argument = |comparison: &mut Self, pair: (&Option<Expr>, &Option<Expr>)| match pair {
                    (Some(a), Some(b)) => comparison.equal(a, b, 1) || comparison.equal(a, b, 0),
                    (None, None) => true,
                    _ => false,
                };
                let same = f == g && up == down && own.len() == other.len() && spaces;
                same && own.iter().zip(other).all(|pair| argument(self, pair))
            }
            (Head::Project(a), Head::Project(b)) => self.parts(a, b),
            (Head::Inject(a), Head::Inject(b)) => spaces && self.parts(a, b),
            (Head::Over(f, _, a), Head::Over(g, _, b)) => f == g && self.equal(a, b, 0),
            (Head::Builds(_, a), Head::Builds(_, b)) => spaces && self.equal(a, b, 0),
            (Head::Loop(f, s, i, a), Head::Loop(g, t, j, b)) => {
                f == g && s == t && i == j && spaces && self.equal(a, b, 0)
            }
            (Head::Call(f, own), Head::Call(g, other)) => {
                let arguments = own.len() == other.len() && own.iter().zip(other).all(|(a, b)| self.equal(a, b, 0));
                f == g && arguments && spaces
            }
            (Head::Let(own), Head::Let(other)) => {
                let same = |comparison: &mut Self, pair: (&Bind, &Bind)| match pair {
                    (Bind::Map(a), Bind::Map(b)) => a == b,
                    (Bind::Value(i, a), Bind::Value(j, b)) => i == j && comparison.equal(a, b, 0),
                    _ => false,
                };
                own.len() == other.len() && own.iter().zip(other).all(|pair| same(self, pair))
            }
            (Head::Adjoint, Head::Adjoint) => spaces,
            (a, b) => a == b && (!matches!(a, Head::Name(_)) || spaces),
        }
    }
}

/// The index that a form binds for the maps in it.
fn index(head: &Head) -> Option<&str> {
    match head {
        Head::Over(_, index, _) | Head::Builds(index, _) => Some(index),
        _ => None,
    }
}
