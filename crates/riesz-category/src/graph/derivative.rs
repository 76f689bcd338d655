//! Derivatives of drawn functions of numbers, as a frame of their own beside the program.   [004 Fig. 4, 5, 8, 9, 11, 12]
//!
//! ```text
//!   forward:  dz = ∂z/∂x × dx + ∂z/∂y × dy        from the inputs on
//!   reverse:  x̄ += ∂z/∂x × z̄,  ȳ += ∂z/∂y × z̄     from the outputs back
//! ```
//!
//! Partial derivatives are made of the program's own values, outside of the frame, and are shared with them.

use super::{Graph, Of};
use riesz_primitive::derivative::{Coefficient, Derivative};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Diagnostic;

/// What a tangent is multiplied by.
#[derive(Clone, Copy)]
enum Factor {
    One,
    MinusOne,
    Node(usize),
}

pub(super) fn draw(graph: &mut Graph, inputs: &[usize], outputs: &[usize], of: Of) -> Result<(), Box<Diagnostic>> {
    let count = graph.nodes.len();
    let mut partials: Vec<Vec<(usize, Factor)>> = Vec::with_capacity(count);
    // Only what depends on an input has a derivative.
    let mut varies = vec![false; count];
    inputs.iter().for_each(|input| varies[*input] = true);
    for at in 0..count {
        let node = graph.nodes[at].clone();
        varies[at] |= node.inputs.iter().any(|input| varies[*input]);
        if node.end || !varies[at] {
            partials.push(Vec::new());
            continue;
        }
        let Some(row) = node.row else {
            let message = format!("the derivative of `{}` is not drawn: only functions of numbers are", node.label);
            return Err(Box::new(
                Diagnostic::placeless("not-drawn", message).help("draw `--of value`, or a function of numbers"),
            ));
        };
        let found = node.inputs.iter().enumerate().filter(|(_, input)| varies[**input]);
        let found: Vec<(usize, Factor)> =
            found.filter_map(|(place, input)| Some((*input, partial(graph, row, place, at)?))).collect();
        partials.push(found);
    }
    let frame = graph.frame(if of == Of::Adjoint { "adjoint" } else { "derivative" }, None);
    let mut sums: Vec<Option<usize>> = vec![None; count];
    if of == Of::Adjoint {
        for (at, output) in outputs.iter().enumerate() {
            let label = if outputs.len() == 1 { "in".to_string() } else { format!("in {at}") };
            let cotangent = graph.end(&label, Vec::new(), Some(frame));
            add(graph, &mut sums[*output], cotangent, frame);
        }
        for at in (0..count).rev() {
            let Some(cotangent) = sums[at] else { continue };
            for (input, factor) in partials[at].clone() {
                let term = times(graph, factor, cotangent, frame);
                add(graph, &mut sums[input], term, frame);
            }
        }
    } else {
        for input in inputs {
            let label = format!("d{}", graph.nodes[*input].label);
            sums[*input] = Some(graph.end(&label, Vec::new(), Some(frame)));
        }
        for at in 0..count {
            for (input, factor) in partials[at].clone() {
                let Some(tangent) = sums[input] else { continue };
                let term = times(graph, factor, tangent, frame);
                add(graph, &mut sums[at], term, frame);
            }
        }
    }
    for (at, end) in (if of == Of::Adjoint { inputs } else { outputs }).iter().enumerate() {
        let label = match of {
            Of::Adjoint => graph.nodes[*end].label.clone(),
            _ if outputs.len() == 1 => "out".to_string(),
            _ => format!("out {at}"),
        };
        let value = sums[*end].unwrap_or_else(|| graph.node("0", Vec::new(), Some(frame), None));
        graph.end(&label, vec![value], Some(frame));
    }
    Ok(())
}

fn times(graph: &mut Graph, factor: Factor, tangent: usize, frame: usize) -> usize {
    match factor {
        Factor::One => tangent,
        Factor::MinusOne => graph.node("−", vec![tangent], Some(frame), None),
        Factor::Node(node) => graph.node("×", vec![node, tangent], Some(frame), None),
    }
}

fn add(graph: &mut Graph, sum: &mut Option<usize>, term: usize, frame: usize) {
    *sum = Some(match *sum {
        None => term,
        Some(sum) => graph.node("+", vec![sum, term], Some(frame), None),
    });
}

/// `∂f/∂xᵢ` at a node; none where it is zero.
fn partial(graph: &mut Graph, row: &'static Primitive, place: usize, at: usize) -> Option<Factor> {
    let inputs = graph.nodes[at].inputs.clone();
    match &row.scalar()?.derivative {
        Derivative::Linear if row == &scalar::SUB && place == 1 || row == &scalar::NEG => Some(Factor::MinusOne),
        Derivative::Linear => Some(Factor::One),
        Derivative::Multilinear => Some(Factor::Node(inputs[1 - place])),
        Derivative::Scale(coefficients) => match coefficients.get(place)? {
            Coefficient::Constant(0.0) => None,
            Coefficient::Constant(1.0) => Some(Factor::One),
            coefficient => Some(Factor::Node(value(graph, coefficient, &inputs, at))),
        },
        Derivative::Zero | Derivative::Terms(_) => None,
    }
}

/// A coefficient, drawn beside the program.
fn value(graph: &mut Graph, coefficient: &Coefficient, inputs: &[usize], at: usize) -> usize {
    match coefficient {
        Coefficient::Argument(index) => inputs[*index],
        Coefficient::Result => at,
        Coefficient::Constant(number) => graph.node(&riesz_core::evaluate::show_real(*number), Vec::new(), None, None),
        Coefficient::Apply(primitive, operands) => {
            let operands = operands.iter().map(|operand| value(graph, operand, inputs, at)).collect();
            graph.node(super::sign(primitive.name), operands, None, Some(primitive))
        }
        Coefficient::If { left, right, then, otherwise, .. } => {
            let parts = [left, right, then, otherwise].map(|part| value(graph, part, inputs, at));
            graph.node("if", parts.to_vec(), None, None)
        }
    }
}
