//! `n = m` if both are the same polynomial: the `Int`s that are equal by their arithmetic.

use riesz_core::build::size_of;
use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, Body, Op, Var};
use riesz_core::types::Type;
use riesz_primitive::scalar::{ADD, MUL, SUB};
use rustc_hash::FxHashMap;

/// The variables that are sums, differences and products of others.
#[derive(Default)]
pub(crate) struct Lengths {
    known: FxHashMap<Var, Size>,
}

impl Lengths {
    /// The facts about the integers that a body binds.
    pub fn of(body: &Body) -> Lengths {
        let mut lengths = Lengths::default();
        lengths.body(body);
        lengths
    }

    fn body(&mut self, body: &Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in &body.bindings {
                match &binding.op {
                    Op::Scalar(primitive, operands) if operands.len() == 2 => {
                        let (a, b) = (self.atom(operands[0]), self.atom(operands[1]));
                        let size = match *primitive {
                            p if p == &ADD => a.add(&b),
                            p if p == &SUB => a.sub(&b),
                            p if p == &MUL => a.mul(&b),
                            _ => None,
                        };
                        // Reals have no size.
                        if let Some(size) = size.filter(|size| *size != Size::Hole && size.atoms().len() <= 8) {
                            self.known.insert(binding.var, size);
                        }
                    }
                    Op::Copy(source) => {
                        let size = self.atom(*source);
                        if size != Size::Hole {
                            self.known.insert(binding.var, size);
                        }
                    }
                    op => op.visit_bodies(&mut |body| self.body(body)),
                }
            }
        });
    }

    /// An `Int` as a polynomial.
    pub fn atom(&self, atom: Atom) -> Size {
        match atom {
            Atom::Var(var) => self.known.get(&var).cloned().unwrap_or_else(|| Size::var(var)),
            atom => size_of(atom),
        }
    }

    fn size(&self, size: &Size) -> Size {
        size.replace(&mut |atom| match atom {
            size::Atom::Var(var) => self.atom(Atom::Var(var)),
            atom => Size::Atom(atom),
        })
    }

    /// Whether an `Int` is certainly a size.
    pub fn is(&self, atom: Atom, size: &Size) -> bool {
        *size != Size::Hole && (size_of(atom) == *size || self.atom(atom) == self.size(size))
    }

    /// Whether two `Int`s are certainly equal.
    pub fn equal(&self, a: Atom, b: Atom) -> bool {
        a == b || self.atom(a) == self.atom(b)
    }

    /// Whether an array of this type certainly has as many elements.
    pub fn has(&self, ty: &Type, count: Atom) -> bool {
        matches!(ty, Type::Array(size, _) if self.is(count, size))
    }
}
