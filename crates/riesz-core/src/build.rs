//! Construction of core: new variables, bindings of operations to them, functions made of bindings.

use crate::renumber::renumber;
use crate::size::{self, Size};
use crate::term::{Atom, Binding, Body, Function, FunctionId, Op, Program, Var, VarInfo};
use crate::types::Type;
use riesz_primitive::scalar;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

/// A function that is being written.
pub struct Builder {
    /// Its variables.
    pub vars: Vec<VarInfo>,
    /// Its bindings so far.
    pub bindings: Vec<Binding>,
    /// The place in the source that it is made for.
    pub span: Span,
}

impl Builder {
    /// A function without bindings, over some variables.
    pub fn new(vars: Vec<VarInfo>, span: Span) -> Builder {
        Builder { vars, bindings: Vec::new(), span }
    }

    /// A new variable of a type.
    pub fn fresh(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
    }

    /// A new variable with a name.
    pub fn named(&mut self, name: &str, ty: Type) -> Var {
        self.vars.push(VarInfo { name: Some(name.into()), ty });
        Var(self.vars.len() as u32 - 1)
    }

    /// `let x = op`, for a new `x`.
    pub fn bind(&mut self, op: Op, ty: Type) -> Atom {
        bind(&mut self.vars, &mut self.bindings, op, ty, self.span)
    }

    /// The type of an operand.
    pub fn type_of(&self, atom: Atom) -> Type {
        type_of(atom, &self.vars)
    }

    /// The finished function of some of the variables.
    pub fn function(self, name: Name, parameters: &[Var], result: Atom, ty: &Type) -> Function {
        let Builder { vars, bindings, span } = self;
        renumber(name, parameters, Body { bindings, result }, ty, span, &|var| vars[var.0 as usize].clone())
    }
}

impl Program {
    /// Adds a function.
    pub fn add(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }
}

/// A new variable of a type.
pub fn fresh(vars: &mut Vec<VarInfo>, ty: Type) -> Var {
    vars.push(VarInfo { name: None, ty });
    Var(vars.len() as u32 - 1)
}

/// Adds `let x = op` to `out`, for a new `x`.
pub fn bind(vars: &mut Vec<VarInfo>, out: &mut Vec<Binding>, op: Op, ty: Type, span: Span) -> Atom {
    let var = fresh(vars, ty);
    out.push(Binding { var, op, span });
    Atom::Var(var)
}

/// The type of an operand.
pub fn type_of(atom: Atom, vars: &[VarInfo]) -> Type {
    match atom {
        Atom::Var(var) => vars[var.0 as usize].ty.clone(),
        Atom::Int(_) => Type::Int,
        Atom::Real(_) => Type::Real,
        Atom::Bool(_) => Type::Bool,
    }
}

/// The size that an operand is.
pub fn size_of(atom: Atom) -> Size {
    match atom {
        Atom::Var(var) => Size::var(var),
        Atom::Int(value) => Size::Constant(value),
        Atom::Real(_) | Atom::Bool(_) => Size::Hole,
    }
}

/// Writes out the computation of a size.
pub fn write_size(size: &Size, vars: &mut Vec<VarInfo>, out: &mut Vec<Binding>, span: Span) -> Atom {
    let mut bind = |op: Op| bind(vars, out, op, Type::Int, span);
    let mut total: Option<Atom> = None;
    for monomial in size.monomials() {
        let mut product = Atom::Int(monomial.coefficient());
        for factor in monomial.factors() {
            let factor = match factor {
                size::Atom::Var(var) => Atom::Var(*var),
                size::Atom::Global(global) => bind(Op::Global(*global)),
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
