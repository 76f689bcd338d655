//! Tangents: structural zeros, variables of the linear stream, or tangents of the components of a tuple.

use super::{Lineariser, Tangent};
use crate::compile::has_holes;
use riesz_core::build::size_of;
use riesz_core::term::{Atom, Binding, Op, Step, Var};
use riesz_core::{Size, Type};
use riesz_primitive::scalar;
use riesz_syntax::Span;

impl Lineariser<'_> {
    pub(crate) fn tangent(&self, atom: Atom) -> Tangent {
        match atom {
            Atom::Var(var) => self.tangents.get(&var).cloned().unwrap_or(Tangent::Zero),
            _ => Tangent::Zero,
        }
    }

    /// A tangent as a value of the tangent space of `primal`.
    pub(crate) fn materialise(&mut self, tangent: &Tangent, primal: Atom, span: Span) -> Atom {
        let ty = self.atom_type(primal);
        self.materialise_at(tangent, primal, &ty, span)
    }

    pub(super) fn materialise_at(&mut self, tangent: &Tangent, primal: Atom, ty: &Type, span: Span) -> Atom {
        match (tangent, ty) {
            (Tangent::Value(atom), _) => *atom,
            (Tangent::Zero, Type::Real) => Atom::Real(0.0),
            (Tangent::Zero, _) if !has_arrays(ty) => self.plain_zero(ty, span),
            (Tangent::Zero, _) => Atom::Var(self.zero_of(primal, ty.tangent(), span)),
            (Tangent::Parts(parts), _) => {
                let types = ty.components().unwrap_or_default();
                let mut atoms = Vec::with_capacity(parts.len());
                for (at, (part, part_type)) in parts.iter().zip(&types).enumerate() {
                    let needs_primal = matches!(part, Tangent::Zero | Tangent::Parts(_)) && has_arrays(part_type);
                    let component = match needs_primal {
                        true => self.primal(Op::Project(primal, at), part_type.clone(), span),
                        false => Atom::Int(0),
                    };
                    atoms.push(self.materialise_at(part, component, part_type, span));
                }
                let tuple = self.linear(Op::Tuple(atoms), ty.tangent(), span);
                self.shape(tuple, primal, span);
                tuple
            }
        }
    }

    /// The zero tangent of a value, in the linear stream: it does not vary.
    pub(super) fn zero_of(&mut self, primal: Atom, ty: Type, span: Span) -> Var {
        let var = self.var(ty);
        self.level().linear.push(Binding { var, op: Op::Zero(primal), span });
        var
    }

    /// Remembers the zero of a tangent where its type leaves a size open.
    pub(crate) fn shape(&mut self, tangent: Atom, primal: Atom, span: Span) {
        let Atom::Var(var) = tangent else { return };
        let ty = self.ty(var);
        if has_holes(ty) && !matches!(ty, Type::Accumulator(_)) && !self.shapes.contains_key(&var) {
            let zero = self.zero_of(primal, self.ty(var).clone(), span);
            self.shapes.insert(var, zero);
        }
    }

    /// Whether the type of a tangent leaves sizes open that the type of its primal tells.
    pub(super) fn leaves_open(&self, tangent: Atom, primal: &Type) -> bool {
        let ty = self.atom_type(tangent);
        has_holes(&ty) && ty != primal.tangent()
    }

    /// A zero without arrays in it.
    pub(super) fn plain_zero(&mut self, ty: &Type, span: Span) -> Atom {
        match ty {
            Type::Real => Atom::Real(0.0),
            _ => {
                let parts = ty.components().unwrap_or_default();
                let atoms = parts.iter().map(|part| self.plain_zero(part, span)).collect();
                self.linear(Op::Tuple(atoms), ty.tangent(), span)
            }
        }
    }

    /// `Σ tangents`
    pub(crate) fn sum(&mut self, terms: Vec<Atom>, ty: &Type, span: Span) -> Tangent {
        let mut terms = terms.into_iter();
        let Some(mut total) = terms.next() else { return Tangent::Zero };
        for term in terms {
            let op = match ty {
                Type::Real => Op::Scalar(&scalar::ADD, vec![total, term]),
                _ => Op::Plus(total, term),
            };
            total = self.linear(op, ty.tangent(), span);
        }
        Tangent::Value(total)
    }

    /// `coefficient · tangent`, where an exact zero gives an exact zero.
    pub(crate) fn scaled(&mut self, coefficient: Atom, tangent: Atom, span: Span) -> Atom {
        match coefficient {
            Atom::Real(1.0) => tangent,
            _ => self.linear(Op::Scalar(&scalar::EXACT_MUL, vec![coefficient, tangent]), Type::Real, span),
        }
    }

    /// The tangent of an operand as one value, if it is not zero.
    pub(crate) fn whole(&mut self, atom: Atom, span: Span) -> Option<Atom> {
        match self.tangent(atom) {
            Tangent::Zero => None,
            tangent => Some(self.materialise(&tangent, atom, span)),
        }
    }

    /// The tangent of a variable, with the sizes that only its value tells read off that: what is added to it by parts
    /// needs to know where it ends.
    pub(super) fn sized(&mut self, tangent: Tangent, var: Var, span: Span) -> Tangent {
        let Tangent::Value(atom) = tangent else { return tangent };
        let ty = self.atom_type(atom);
        let sized = self.read_sizes(&ty, var, &mut Vec::new(), span);
        let own = self.level().linear.last().map(|binding| Atom::Var(binding.var));
        let atom = match atom {
            _ if sized == ty => atom,
            // It may be that its cotangent is a zero, which then has these sizes.
            Atom::Var(var) if own == Some(atom) => {
                self.vars[var.0 as usize].ty = sized;
                atom
            }
            _ => self.linear(Op::Copy(atom), sized, span),
        };
        self.shape(atom, Atom::Var(var), span);
        Tangent::Value(atom)
    }

    /// The elements of an array of arrays may differ in size where it was kept for a derivative: those stay open.
    pub(super) fn read_sizes(&mut self, ty: &Type, var: Var, path: &mut Vec<Step>, span: Span) -> Type {
        match ty {
            Type::Array(Size::Hole, element) => {
                let size = self.primal(Op::SizeOf(Atom::Var(var), path.clone()), Type::Int, span);
                Type::array(size_of(size), (**element).clone())
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut parts = ty.components().unwrap_or_default();
                for (at, part) in parts.iter_mut().enumerate() {
                    path.push(Step::Component(at));
                    *part = self.read_sizes(part, var, path, span);
                    path.pop();
                }
                ty.with_components(parts)
            }
            _ => ty.clone(),
        }
    }
}

fn has_arrays(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Array(..) | Type::Linear(_) | Type::Accumulator(_) | Type::Kept))
}
