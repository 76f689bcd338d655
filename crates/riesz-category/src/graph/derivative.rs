//! Derivatives of drawn functions, as a frame of their own beside the program.   [004 Fig. 4, 5, 8, 9, 11, 12]
//!
//! ```text
//!   forward:  dz = ∂z/∂x × dx + ∂z/∂y × dy        from the inputs on
//!   reverse:  x̄ += ∂z/∂x × z̄,  ȳ += ∂z/∂y × z̄     from the outputs back
//! ```
//!
//! Partial derivatives are made of the program's own values, beside them, and are shared with them. The derivative of what
//! repeats repeats: its box has the derivative of the body in it, wired to the values of the same turn.

mod forward;
mod reverse;

use super::Of;
use super::node::{Frame, Graph, Kind, Purpose, sign};
use riesz_core::Type;
use riesz_primitive::derivative::{Coefficient, Derivative};
use riesz_primitive::{Primitive, scalar};

/// Draws the derivative of what is drawn, from its inputs to its outputs with their names, or its adjoint.
pub(super) fn draw(graph: &mut Graph, inputs: &[usize], outputs: &[(String, usize)], of: Of) {
    let active = active(graph);
    match of {
        Of::Value => {}
        Of::Derivative => forward::draw(graph, &active, inputs, outputs),
        Of::Adjoint => reverse::draw(graph, &active, inputs, outputs),
    }
}

/// What a tangent is multiplied by.
#[derive(Clone, Copy)]
enum Factor {
    One,
    MinusOne,
    Node(usize),
}

/// Which nodes have a derivative: those that depend on a real input.
fn active(graph: &Graph) -> Vec<bool> {
    let varies = |ty: &Option<Type>| ty.as_ref().is_none_or(Type::varies);
    let mut active: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let any = node.inputs.iter().any(|input| active[*input]);
        active.push(match node.kind {
            Kind::End(Purpose::Input | Purpose::State) => varies(&node.ty),
            Kind::End(Purpose::Index | Purpose::Condition | Purpose::Output) => false,
            Kind::Constant | Kind::Constantly => false,
            Kind::Scalar(row) => {
                let place = |(place, input): (usize, &usize)| active[*input] && varies_in(row, place);
                varies(&node.ty) && node.inputs.iter().enumerate().any(place)
            }
            Kind::Array(row) => any && !matches!(row.derivative(), Some(Derivative::Zero)),
            Kind::If => active[node.inputs[1]] || active[node.inputs[2]],
            Kind::End(_) | Kind::Project(_) | Kind::Tuple | Kind::Elements | Kind::Index | Kind::Other => any,
        });
    }
    active
}

/// Whether a function of numbers varies with an argument.
fn varies_in(row: &Primitive, place: usize) -> bool {
    match row.derivative() {
        Some(Derivative::Scale(coefficients)) => {
            coefficients.get(place).is_some_and(|coefficient| !matches!(coefficient, Coefficient::Constant(0.0)))
        }
        Some(Derivative::Zero) | None => false,
        Some(Derivative::Linear | Derivative::Multilinear | Derivative::Terms(_) | Derivative::Directional) => true,
    }
}

/// `∂f/∂xᵢ` at a node, which is drawn beside it; none where a function of numbers has no such thing.
fn partial(graph: &mut Graph, row: &'static Primitive, place: usize, at: usize) -> Option<Factor> {
    let inputs = graph.nodes[at].inputs.clone();
    match row.derivative()? {
        Derivative::Linear if row == &scalar::SUB && place == 1 || row == &scalar::NEG => Some(Factor::MinusOne),
        Derivative::Linear => Some(Factor::One),
        Derivative::Multilinear => Some(Factor::Node(*inputs.get(1 - place)?)),
        Derivative::Scale(coefficients) => match coefficients.get(place)? {
            Coefficient::Constant(0.0) => None,
            Coefficient::Constant(1.0) => Some(Factor::One),
            coefficient => Some(Factor::Node(value(graph, coefficient, &inputs, at))),
        },
        Derivative::Zero | Derivative::Terms(_) | Derivative::Directional => None,
    }
}

/// A coefficient, drawn beside the program.
fn value(graph: &mut Graph, coefficient: &Coefficient, inputs: &[usize], at: usize) -> usize {
    let frame = graph.nodes[at].frame;
    match coefficient {
        Coefficient::Argument(index) => inputs[*index],
        Coefficient::Result => at,
        Coefficient::Constant(number) => {
            let label = riesz_core::evaluate::show_real(*number);
            graph.node(&label, Vec::new(), frame, Kind::Constant, Some(Type::Real))
        }
        Coefficient::Apply(primitive, operands) => {
            let operands = operands.iter().map(|operand| value(graph, operand, inputs, at)).collect();
            graph.node(sign(primitive.name), operands, frame, Kind::Scalar(primitive), Some(Type::Real))
        }
        Coefficient::If { left, right, then, otherwise, .. } => {
            let [left, right, then, otherwise] =
                [left, right, then, otherwise].map(|part| value(graph, part, inputs, at));
            let condition = graph.node("compare", vec![left, right], frame, Kind::Constantly, Some(Type::Bool));
            graph.node("if", vec![condition, then, otherwise], frame, Kind::If, Some(Type::Real))
        }
    }
}

/// What a term of a reduction is multiplied by: nothing, in a sum.
fn of_term(graph: &mut Graph, end: usize) -> Factor {
    let (frame, inputs) = (graph.nodes[end].frame, graph.nodes[end].inputs.clone());
    let title = frame.map_or_else(String::new, |frame| graph.frames[frame].title.clone());
    match title.as_str() {
        "sum" => Factor::One,
        title => {
            let operands = inputs.into_iter().chain([end]).collect();
            Factor::Node(graph.node(&format!("∂{title}"), operands, frame, Kind::Other, Some(Type::Real)))
        }
    }
}

fn times(graph: &mut Graph, factor: Factor, tangent: usize, frame: usize) -> usize {
    match factor {
        Factor::One => tangent,
        Factor::MinusOne => graph.node("−", vec![tangent], Some(frame), Kind::Other, None),
        Factor::Node(node) => graph.node("×", vec![node, tangent], Some(frame), Kind::Other, None),
    }
}

fn plus(graph: &mut Graph, sum: Option<usize>, term: usize, frame: usize) -> usize {
    match sum {
        None => term,
        Some(sum) => graph.node("+", vec![sum, term], Some(frame), Kind::Other, None),
    }
}

fn zero(graph: &mut Graph, frame: Option<usize>) -> usize {
    graph.node("0", Vec::new(), frame, Kind::Constant, None)
}

/// What a frame does with its body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    /// An array of it.
    Array,
    /// A sum of it, or its like.
    Reduction,
    /// A state.
    Loop,
    /// It is a branch, and does not repeat.
    Branch,
}

fn repeats(frame: &Frame) -> Repeats {
    match frame.title.as_str() {
        "array" => Repeats::Array,
        "loop" | "scan" | "while" => Repeats::Loop,
        "then" | "else" => Repeats::Branch,
        _ => Repeats::Reduction,
    }
}
