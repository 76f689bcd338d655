//! Conversion between sizes and operands.

use super::Lineariser;
use riesz_core::term::{Atom, Binding, Op, Var, VarInfo};
use riesz_core::{Size, Type};
use riesz_primitive::scalar;
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

/// The size that an `Int` is.
pub(crate) fn size_of(atom: Atom) -> Size {
    match atom {
        Atom::Int(value) => Size::Constant(value),
        Atom::Var(var) => Size::var(var),
        _ => Size::Hole,
    }
}

/// Writes out the computation of a size.
pub(crate) fn write_size(size: &Size, vars: &mut Vec<VarInfo>, bindings: &mut Vec<Binding>, span: Span) -> Atom {
    let mut bind = |op: Op| {
        vars.push(VarInfo { name: None, ty: Type::Int });
        let var = Var(vars.len() as u32 - 1);
        bindings.push(Binding { var, op, span });
        Atom::Var(var)
    };
    let mut total: Option<Atom> = None;
    for monomial in size.monomials() {
        let mut product = Atom::Int(monomial.coefficient());
        for factor in monomial.factors() {
            let factor = match factor {
                riesz_core::size::Atom::Var(var) => Atom::Var(*var),
                riesz_core::size::Atom::Global(global) => bind(Op::Global(*global)),
                _ => Atom::Int(0),
            };
            product = match product {
                Atom::Int(1) => factor,
                product => bind(Op::Scalar(&scalar::MUL, vec![product, factor])),
            };
        }
        total = Some(match total {
            None => product,
            Some(total) => bind(Op::Scalar(&scalar::ADD, vec![total, product])),
        });
    }
    total.unwrap_or(Atom::Int(0))
}
