//! `f(a, b) = [f(a[i], b[i]) | i < n]`: operations on every number of arrays.

use riesz_core::Size;
use riesz_core::build::{bind, fresh, type_of, write_size};
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::array::TRANSPOSE;
use riesz_syntax::Span;

/// Makes a number of others, at a type.
type EachNumber<W> = dyn Fn(&mut W, &[Atom], &Type, &mut Vec<Binding>) -> Atom;

/// Writes bindings, in a function whose variables these are.
pub(crate) struct Writer<'v> {
    pub vars: &'v mut Vec<VarInfo>,
    pub span: Span,
}

impl Writer<'_> {
    pub fn var(&mut self, ty: Type) -> Var {
        fresh(self.vars, ty)
    }

    pub fn bind(&mut self, op: Op, ty: Type, out: &mut Vec<Binding>) -> Atom {
        bind(self.vars, out, op, ty, self.span)
    }

    /// The transpose of a matrix; another value stays as it is.
    pub fn transposed(&mut self, matrix: Atom, out: &mut Vec<Binding>) -> Atom {
        let Type::Array(rows, row) = type_of(matrix, self.vars) else { return matrix };
        let Type::Array(columns, number) = (*row).clone() else { return matrix };
        let ty = Type::array(columns, Type::Array(rows, number));
        self.bind(Op::ArrayFunction(&TRANSPOSE, vec![matrix]), ty, out)
    }

    /// The array, of arrays perhaps, whose numbers `number` makes of those of some others.
    pub fn each(&mut self, ty: &Type, of: &[Atom], number: &EachNumber<Self>, out: &mut Vec<Binding>) -> Atom {
        match ty {
            Type::Array(size, _) if *size != Size::Hole => {
                let op = self.each_op(ty, of, number, out);
                self.bind(op, ty.clone(), out)
            }
            _ => number(self, of, ty, out),
        }
    }

    /// The same for an array whose size is known, as an operation.
    pub fn each_op(&mut self, ty: &Type, of: &[Atom], number: &EachNumber<Self>, out: &mut Vec<Binding>) -> Op {
        let Type::Array(size, element) = ty else { unreachable!("an array is an array") };
        let count = write_size(size, self.vars, out, self.span);
        let index = self.var(Type::Int);
        let mut bindings = Vec::new();
        let elements: Vec<Atom> = (of.iter())
            .map(|array| self.bind(Op::Index(*array, Atom::Var(index)), (**element).clone(), &mut bindings))
            .collect();
        let result = self.each(element, &elements, number, &mut bindings);
        Op::Build(Iteration { count, index, body: Body { bindings, result } })
    }
}
