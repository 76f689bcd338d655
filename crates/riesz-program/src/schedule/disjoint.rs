//! Whether two iterations of a loop can add to the same element.
//!
//! ```text
//! iteration i adds at   s·i + r   with   a ≤ r ≤ b   and   b − a < s:   no other iteration does
//! ```
//!
//! Positions are polynomials over values that are known before the loop, its index `i` and the indices of inner loops,
//! which are below their counts. Iterations that add to different rows of a matrix therefore add to different elements.

use super::uses::Uses;
use crate::polynomial::{Polynomials, atom};
use crate::program::{Buffer, For, Procedure, Register};
use riesz_core::size::{Atom, Monomial, Size};
use rustc_hash::FxHashMap;

/// Whether no two iterations add to the same element of a buffer.
pub(super) fn are(procedure: &Procedure, each: &For, buffer: Buffer, uses: &Uses) -> bool {
    !uses.lent.contains(&buffer) && proven(procedure, each, buffer, uses).is_some()
}

fn proven(procedure: &Procedure, each: &For, buffer: Buffer, uses: &Uses) -> Option<()> {
    let polynomials = Polynomials::of(procedure);
    let index = atom(each.index);
    let counts: FxHashMap<Atom, Size> =
        (uses.loops.iter()).map(|(register, count)| (atom(*register), polynomials.operand(*count))).collect();
    let changes = |register: Register| {
        uses.bound.contains(&register)
            || uses.set.contains(&register)
            || uses.reduced.iter().any(|(reduced, _)| *reduced == register)
    };
    let is_inside = |atom: &Atom| matches!(atom, Atom::Var(var) if changes(Register(var.0)));
    let mut step: Option<Size> = None;
    let mut spans = Vec::new();
    for element in uses.adds.iter().filter(|element| element.buffer == buffer) {
        let position = polynomials.operand(element.at);
        let (mut here, mut least, mut most) = (Size::Constant(0), Size::Constant(0), Size::Constant(0));
        let mut strides = Vec::new();
        let mut run = vec![counts.get(&index)?.clone()];
        for monomial in monomials(&position)? {
            let inside: Vec<Atom> = monomial.factors().iter().copied().filter(is_inside).collect();
            match &inside[..] {
                [] => {
                    least = least.add(&alone(&monomial)?)?;
                    most = most.add(&alone(&monomial)?)?;
                }
                [atom] if *atom == index => here = here.add(&without(&monomial, index)?)?,
                [atom] => {
                    let count = counts.get(atom)?;
                    if count.atoms().iter().any(is_inside) {
                        return None;
                    }
                    let stride = without(&monomial, *atom)?;
                    let reach = stride.mul(&count.sub(&Size::Constant(1))?)?;
                    let end = if monomial.coefficient() > 0 { &mut most } else { &mut least };
                    *end = end.add(&reach)?;
                    run.push(count.clone());
                    strides.push(stride);
                }
                _ => return None,
            }
        }
        // The count of a loop is positive in its iterations.
        let positive = |atom: Atom| run.contains(&Size::Atom(atom));
        if !(strides.iter().chain([&here])).all(|stride| stride.atoms().into_iter().all(positive)) {
            return None;
        }
        if *step.get_or_insert(here.clone()) != here || matches!(here, Size::Constant(..1)) {
            return None;
        }
        spans.push((least, most));
    }
    let step = step?;
    for (least, _) in &spans {
        for (_, most) in &spans {
            let room = step.sub(&Size::Constant(1))?.sub(&most.sub(least)?)?;
            if !matches!(room, Size::Constant(0..)) {
                return None;
            }
        }
    }
    Some(())
}

fn monomials(size: &Size) -> Option<Vec<Monomial>> {
    (*size != Size::Hole).then(|| size.monomials())
}

fn alone(monomial: &Monomial) -> Option<Size> {
    monomial
        .factors()
        .iter()
        .try_fold(Size::Constant(monomial.coefficient()), |product, atom| product.mul(&Size::Atom(*atom)))
}

/// A monomial over one of its factors, which it has once.
fn without(monomial: &Monomial, factor: Atom) -> Option<Size> {
    if monomial.factors().iter().filter(|atom| **atom == factor).count() != 1 {
        return None;
    }
    let rest = monomial.factors().iter().filter(|atom| **atom != factor);
    rest.into_iter().try_fold(Size::Constant(monomial.coefficient()), |product, atom| product.mul(&Size::Atom(*atom)))
}
