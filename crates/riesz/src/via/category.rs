//! Derivatives as morphisms: a function becomes a combinator, which is read in `D⟨K⟩` for a category `K`.
//! [003 Fig. 1, 2; 004 §4, §10, §12 to §14]

use super::{Answer, Differentiator, Found, Representation, Wish};
use crate::{Span, Value};
use riesz_category::count::counted;
use riesz_category::via::{Derivative, Prepared, Via};
use riesz_core::evaluate::{Closure, Fault, Machine};
use riesz_primitive::{Counted, Operations, record};

pub(super) const LINEAR_MAPS: Representation = row(
    "linear-maps",
    "a term of the linear-map language",
    "002 Fig. 3 to 8",
    differentiate::<LINEAR>,
    count::<LINEAR>,
);
pub(super) const AFFINE_INTERPRETATION: Representation =
    row("affine", "a combinator, from affine interpretation", "003 Fig. 1", differentiate::<AFFINE>, count::<AFFINE>);
pub(super) const ADJOINT_INTERPRETATION: Representation = row(
    "adjoint",
    "a combinator, from adjoint affine interpretation",
    "003 Fig. 2",
    differentiate::<ADJOINT>,
    count::<ADJOINT>,
);
pub(super) const FUNCTIONS: Representation =
    row("function", "an additive function", "004 §4", differentiate::<FUNCTION>, count::<FUNCTION>);
pub(super) const MATRICES: Representation =
    row("matrix", "a matrix", "004 §10", differentiate::<MATRIX>, count::<MATRIX>);
pub(super) const CONTINUATIONS: Representation =
    row("cont", "what to do with a continuation", "004 §12", differentiate::<CONT>, count::<CONT>);
pub(super) const DUALS: Representation =
    row("dual", "an additive function backwards", "004 §13", differentiate::<DUAL>, count::<DUAL>);
pub(super) const BEGINNINGS: Representation =
    row("begin", "what to do with a beginning", "004 §14", differentiate::<BEGIN>, count::<BEGIN>);

const AFFINE: usize = Via::Affine as usize;
const ADJOINT: usize = Via::Adjoint as usize;
const FUNCTION: usize = Via::Function as usize;
const MATRIX: usize = Via::Matrix as usize;
const CONT: usize = Via::Cont as usize;
const DUAL: usize = Via::Dual as usize;
const BEGIN: usize = Via::Begin as usize;
const LINEAR: usize = Via::LinearMaps as usize;

const fn row(
    name: &'static str,
    summary: &'static str,
    paper: &'static str,
    plain: Differentiator,
    counted: Differentiator,
) -> Representation {
    Representation { name, summary, paper, differentiate: Some(plain), counted: Some(counted) }
}

/// Differentiates in the category at a place of [`Via::ALL`].
fn differentiate<const VIA: usize>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    _: Span,
) -> Result<Answer, Fault> {
    let known = machine.globals().to_vec();
    let given = |global: riesz_core::GlobalId| known.get(global.0 as usize).cloned().flatten();
    let prepared = Prepared::new(machine.compiled(), closure.function, machine.limits().clone(), given)?;
    let captured: Vec<Value> = closure.captured().to_vec();
    // The derivative is one in all arguments, of which the point is the last.
    let before: usize = captured.iter().map(|value| super::reals(value).len()).sum();
    let arguments: Vec<Value> = captured.into_iter().chain([point.clone()]).collect();
    let derivative = prepared.derivative(arguments.clone(), Via::ALL[VIA])?;
    let found = match wish {
        Wish::Map => Found::Rows(entries(&derivative, &prepared.structure(arguments)?, before)),
        Wish::Forward(tangent) => {
            let all: Vec<f64> = std::iter::repeat_n(0.0, before).chain(tangent.iter().copied()).collect();
            Found::Vector(derivative.apply(&all))
        }
        Wish::Reverse(cotangent) => Found::Vector(derivative.transpose_apply(cotangent).split_off(before)),
    };
    Ok(Answer { value: derivative.value, found })
}

/// The same, with what it takes.
fn count<const VIA: usize>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
) -> Result<Answer, Fault> {
    // The value is computed on the way, once.
    machine.call_over(closure, point.over(&mut |x| Counted(*x)), span)?;
    let (answer, count) = counted(|| differentiate::<VIA>(machine, closure, point, wish, span));
    let (additions, multiplications) = (count.additions, count.multiplications);
    record(Operations { additions, multiplications, ..Operations::default() });
    answer
}

/// The entries of the matrix that are not structurally zero, behind those of what is captured.
fn entries(derivative: &Derivative, structure: &[Vec<usize>], before: usize) -> Vec<Vec<(usize, f64)>> {
    let own = |(row, columns): (&Vec<f64>, &Vec<usize>)| {
        columns.iter().filter_map(|column| Some((column.checked_sub(before)?, row[*column]))).collect()
    };
    derivative.rows().iter().zip(structure).map(own).collect()
}
