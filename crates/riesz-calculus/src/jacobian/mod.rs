//! Jacobians from structure: `(D [g(x[i'(i)], x[j'(i)], ..) | i < n])ᵢ = D g`, in a few columns.
//!
//! If each number of a result depends on few numbers of the point, the Jacobian consists of small blocks: for each
//! element the partial derivatives with respect to the numbers that the element reads, in time and memory proportional
//! to the number of structurally nonzero entries. `coo` gives them in order, `matrix` adds them to zeros. For functions
//! without such a structure, a dense matrix takes one pass over the whole function for each row or column.
//!
//! - [`walk`]: the walk through the function, number by number; [`known`], [`parts`], [`branch`], [`arrays`],
//!   [`accumulated`] handle values, [`write`](mod@write) the code that the walk writes
//! - [`graph`]: the dependencies of a number, and the elimination of the numbers between it and the point
//! - [`rows`]: the walk through the result, row by row
//! - [`sparse`], [`dense`]: the code that stores the entries
//! - [`shared`]: sums that many rows read, as unknowns of a system

mod accumulated;
mod arrays;
mod branch;
mod dense;
mod graph;
mod known;
mod parts;
mod rows;
mod shared;
mod sparse;
mod walk;
mod write;

use crate::compile::{Calculus, Problem, has_holes};
use crate::specialise::specialise;
use graph::Hop;
use known::Split;
use riesz_core::Size;
use riesz_core::term::{Atom, Binding, FunctionId, Op, Var, VarInfo};
use riesz_core::types::Type;
use riesz_optimise::optimise;
use riesz_syntax::Span;
use rustc_hash::FxHashSet;
use shared::Shared;
use walk::Walk;

/// The derivative of a function at a point, or its adjoint.
pub(crate) struct Derivative<'d> {
    pub function: FunctionId,
    pub captured: &'d [Atom],
    pub point: Atom,
    pub adjoint: bool,
    /// The spaces of the derivative, or of its adjoint.
    pub from: &'d Type,
    pub to: &'d Type,
}

/// The form in which the matrix of a derivative is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixForm {
    Matrix,
    Coo,
    /// Entries of a system, in which there may be more unknowns and equations than the derivative has columns and rows.
    System,
}

/// Binds a variable to the matrix of a derivative, dense or sparse, if the structure of the function gives it.
pub(crate) fn from_structure(
    calculus: &mut Calculus,
    vars: &mut Vec<VarInfo>,
    derivative: &Derivative,
    (var, wanted): (Var, MatrixForm),
    span: Span,
    out: &mut Vec<Binding>,
) -> Result<bool, Problem> {
    specialise(calculus, derivative.function);
    calculus.compile_body(derivative.function)?;
    // The structure shows once the program is optimised, and nothing else needs that yet.
    let mut program = calculus.program.clone();
    optimise(&mut program, &[derivative.function]);
    let before = vars.len();
    let mut walk = Walk::new(&program, vars, span);
    let found = entries(&mut walk, derivative, (var, wanted));
    let mut written = walk.close();
    let is_whole = match found {
        Some(op) => {
            written.push(Binding { var, op, span });
            in_scope(&written, &mut FxHashSet::default(), before, vars)
        }
        None => false,
    };
    match is_whole {
        true => out.extend(written),
        false => vars.truncate(before),
    }
    Ok(is_whole)
}

/// Whether every new variable, from a number on, is used only where it is bound. An iteration that is gone through again may
/// lead to what was written inside of another body: then the structure is not used.
fn in_scope(bindings: &[Binding], bound: &mut FxHashSet<Var>, new: usize, vars: &[VarInfo]) -> bool {
    let is_known = |var: Var, bound: &FxHashSet<Var>| (var.0 as usize) < new || bound.contains(&var);
    let mut here = Vec::new();
    let mut whole = true;
    for binding in bindings {
        binding.op.visit_atoms(&mut |atom| whole &= !matches!(atom, Atom::Var(var) if !is_known(*var, bound)));
        let mut inner = Vec::new();
        binding.op.visit_bound(&mut |var| inner.push(*var));
        bound.extend(&inner);
        binding.op.visit_bodies(&mut |body| {
            whole &= stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                let is_result = |var: Var| body.bindings.iter().any(|binding| binding.var == var);
                in_scope(&body.bindings, bound, new, vars)
                    && !matches!(body.result, Atom::Var(var) if !is_known(var, bound) && !is_result(var))
            });
        });
        inner.iter().for_each(|var| {
            bound.remove(var);
        });
        vars[binding.var.0 as usize].ty.visit_variables(&mut |var| whole &= is_known(var, bound));
        bound.insert(binding.var);
        here.push(binding.var);
        if !whole {
            return false;
        }
    }
    here.iter().for_each(|var| {
        bound.remove(var);
    });
    whole
}

fn entries<'a>(walk: &mut Walk<'a>, derivative: &Derivative, (var, wanted): (Var, MatrixForm)) -> Option<Op> {
    let Derivative { function, captured, point, adjoint, from, to } = derivative;
    let (domain, codomain) = if *adjoint { (to, from) } else { (from, to) };
    if has_holes(domain) {
        return None;
    }
    let mut arguments: Vec<Split> = captured.iter().map(|atom| Split::Plain(*atom)).collect();
    let span = walk.span;
    let system = wanted == MatrixForm::System;
    if system {
        walk.shared = Some(Shared::new(domain, numbers_in(codomain)?));
    }
    let input = walk.input(*point, if system { vec![Hop::Component(0)] } else { Vec::<Hop>::new() });
    arguments.push(input);
    let program = walk.program;
    let result = walk.call(program.function(*function), arguments)?;
    walk.span = span;
    let codomain = &walk.sized(&result, codomain)?;
    match wanted {
        MatrixForm::Matrix => {
            let ty = match walk.vars[var.0 as usize].ty.clone() {
                ty if !has_holes(&ty) => ty,
                _ if *adjoint => domain.with_each_real(codomain),
                _ => codomain.with_each_real(domain),
            };
            dense::matrix(walk, &result, (domain, codomain), &ty, *adjoint)
        }
        MatrixForm::Coo | MatrixForm::System if *adjoint => None,
        MatrixForm::Coo | MatrixForm::System => {
            let mut fields = sparse::coo(walk, &result, codomain, domain)?.to_vec();
            // A system has the number of further unknowns beside its entries.
            fields.extend(walk.shared.as_ref().map(|shared| Atom::Int(shared.count() as i64)));
            Some(Op::Tuple(fields))
        }
    }
}

/// How many numbers a vector of a space has; none where no type tells.
pub(crate) fn numbers_in(ty: &Type) -> Option<Size> {
    match ty {
        Type::Real => Some(Size::Constant(1)),
        Type::Array(Size::Hole, _) => None,
        Type::Array(size, element) => size.mul(&numbers_in(element)?),
        ty => ty.components()?.iter().try_fold(Size::Constant(0), |all, part| all.add(&numbers_in(part)?)),
    }
}
