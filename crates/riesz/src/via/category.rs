//! Derivatives as morphisms: a function becomes a combinator, which is interpreted in `D⟨K⟩` for a category `K`. [003
//! Fig. 1, 2; 004 §4, §10, §12 to §14]

use super::{Answer, DerivativeValue, Differentiator, Representation, Request, Wish};
use crate::Value;
use riesz_calculus::functions_of;
use riesz_category::count::counted;
use riesz_category::space::space;
use riesz_category::via::{Derivative, Prepared, Via};
use riesz_core::evaluate::{Fault, Machine};
use riesz_primitive::{Erased, Number, Operations, record};

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
    row("cont", "a function of continuations", "004 §12", differentiate::<CONT>, count::<CONT>);
pub(super) const DUALS: Representation =
    row("dual", "an additive function backwards", "004 §13", differentiate::<DUAL>, count::<DUAL>);
pub(super) const BEGINNINGS: Representation =
    row("begin", "a function of maps into the domain", "004 §14", differentiate::<BEGIN>, count::<BEGIN>);

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
    Representation { name, summary, paper, differentiate: Some(plain), counted: Some(counted), taylor: None }
}

/// Differentiates in the category at a place of [`Via::ALL`].
fn differentiate<const VIA: usize>(machine: &mut Machine<f64>, request: Request) -> Result<Answer, Fault> {
    found::<VIA>(machine, request, true)
}

/// The same, where a term is kept or written out.
fn found<const VIA: usize>(machine: &mut Machine<f64>, request: Request, keeps: bool) -> Result<Answer, Fault> {
    let Request { closure, point, wish, .. } = request;
    let known = machine.globals().clone();
    let given = |global: riesz_core::GlobalId| known.get(&global).cloned();
    let arguments: Vec<Value> = closure.captured().iter().chain([point]).cloned().collect();
    let others = functions_of(&arguments);
    let prepared = Prepared::with(machine.compiled(), closure.function, &others, machine.limits().clone(), given)?;
    let derivative = prepared.derivative(arguments.clone(), Via::ALL[VIA])?;
    // The derivative is one in all arguments, of which the point is the last.
    let captured = closure.captured().iter().map(|value| space(value).dimension()).sum();
    let mut columns = vec![None; captured];
    number(point, &mut 0, &mut columns);
    let mut rows = Vec::new();
    number(&derivative.value, &mut 0, &mut rows);
    let found = match wish {
        Wish::Map => {
            let all_vary = rows.iter().chain(&columns[captured..]).all(Option::is_some);
            let keeps = keeps && all_vary && !point.holds_maps() && !derivative.value.holds_maps();
            match keeps.then(|| derivative.in_last(arguments.len())) {
                Some(Ok(Some(term))) => DerivativeValue::Term(term),
                _ => DerivativeValue::Rows(entries(&derivative, &prepared.structure(arguments)?, &rows, &columns)),
            }
        }
        Wish::Forward(tangent) => {
            let image = derivative.apply(&spread(tangent, &columns));
            DerivativeValue::Vector(image.into_iter().zip(&rows).filter_map(|(x, at)| at.and(Some(x))).collect())
        }
        Wish::Reverse(cotangent) => {
            let image = derivative.transpose_apply(&spread(cotangent, &rows));
            DerivativeValue::Vector(image.into_iter().zip(&columns).filter_map(|(x, at)| at.and(Some(x))).collect())
        }
    };
    Ok(Answer { value: derivative.value, found })
}

/// Numbers the coordinates of a value among those of its space. What functions captured is no coordinate.
fn number(value: &Value, next: &mut usize, numbers: &mut Vec<Option<usize>>) {
    match value {
        Value::Tuple(parts) => parts.iter().for_each(|part| number(part, next, numbers)),
        Value::Values(elements) => elements.iter().for_each(|element| number(element, next, numbers)),
        Value::Closure(_) => numbers.resize(numbers.len() + space(value).dimension(), None),
        other => other.visit_coordinates(&mut |_| {
            numbers.push(Some(*next));
            *next += 1;
        }),
    }
}

/// A vector with zeros where there are no coordinates.
fn spread(vector: &[f64], numbers: &[Option<usize>]) -> Vec<f64> {
    numbers.iter().map(|number| number.and_then(|at| vector.get(at)).copied().unwrap_or(0.0)).collect()
}

/// The same, with what it takes.
fn count<const VIA: usize>(machine: &mut Machine<f64>, request: Request) -> Result<Answer, Fault> {
    // The value is computed on the way, once.
    machine.call_over(request.closure, request.point.over(&mut |x| Erased::constant(*x)), request.span)?;
    let (answer, count) = counted(|| found::<VIA>(machine, request, false));
    let (additions, multiplications) = (count.additions, count.multiplications);
    record(Operations { additions, multiplications, ..Operations::default() });
    answer
}

/// The entries of the matrix that are not structurally zero, by coordinates.
fn entries(
    derivative: &Derivative,
    structure: &[Vec<usize>],
    rows: &[Option<usize>],
    columns: &[Option<usize>],
) -> Vec<Vec<(usize, f64)>> {
    let own = |((row, places), _): ((&Vec<f64>, &Vec<usize>), &Option<usize>)| {
        places.iter().filter_map(|place| Some((columns[*place]?, row[*place]))).collect()
    };
    let all = derivative.rows();
    all.iter().zip(structure).zip(rows).filter(|(_, row)| row.is_some()).map(own).collect()
}
