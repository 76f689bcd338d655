//! `dz = Σ ∂z/∂x × dx`, from the inputs on.

use super::super::node::{Graph, Kind, Purpose};
use super::{Factor, Repeats, of_term, partial, plus, repeats, times, zero};
use riesz_core::Type;
use riesz_primitive::derivative::Derivative;
use std::collections::HashMap;

pub(super) fn draw(graph: &mut Graph, active: &[bool], inputs: &[usize], outputs: &[(String, usize)]) {
    let home = graph.frame("derivative", None, true);
    let mut forward =
        Forward { graph, home, frames: HashMap::new(), indices: HashMap::new(), tangents: HashMap::new() };
    for input in inputs.iter().filter(|input| active[**input]) {
        let label = format!("d{}", forward.graph.nodes[*input].label);
        let ty = forward.graph.nodes[*input].ty.clone();
        let end = forward.graph.end(&label, Vec::new(), Some(home), Purpose::Input, ty);
        forward.tangents.insert(*input, end);
    }
    for at in (0..active.len()).filter(|at| active[*at]) {
        if !inputs.contains(&at)
            && let Some(tangent) = forward.tangent(at, active)
        {
            forward.tangents.insert(at, tangent);
        }
    }
    for (name, node) in outputs {
        let value = forward.or_zero(*node, home);
        forward.graph.end(&format!("d{name}"), vec![value], Some(home), Purpose::Output, None);
    }
}

struct Forward<'g> {
    graph: &'g mut Graph,
    /// The frame of the derivative.
    home: usize,
    /// The frames of the program in it.
    frames: HashMap<usize, usize>,
    /// The indices of those frames.
    indices: HashMap<usize, usize>,
    tangents: HashMap<usize, usize>,
}

impl Forward<'_> {
    /// The tangent of a node, of those of its inputs.
    fn tangent(&mut self, at: usize, active: &[bool]) -> Option<usize> {
        let node = self.graph.nodes[at].clone();
        let frame = self.frame(node.frame);
        Some(match node.kind {
            Kind::End(Purpose::State) => {
                let around = node.frame.and_then(|frame| self.graph.frames[frame].parent);
                let around = self.frame(around);
                let start = self.or_zero(node.inputs[0], around);
                self.graph.end("dstate", vec![start], Some(frame), Purpose::State, node.ty)
            }
            Kind::End(purpose) => {
                let inner = self.or_zero(node.inputs[0], frame);
                let factor = if purpose == Purpose::Term { of_term(self.graph, at) } else { Factor::One };
                let inner = times(self.graph, factor, inner, frame);
                self.graph.end(&node.label, vec![inner], Some(frame), purpose, node.ty)
            }
            Kind::Scalar(row) if !matches!(row.derivative(), Some(Derivative::Terms(_))) => {
                let mut sum = None;
                for (place, input) in node.inputs.iter().enumerate() {
                    if let (Some(&tangent), Some(factor)) = (
                        self.tangents.get(input),
                        self.tangents.contains_key(input).then(|| partial(self.graph, row, place, at)).flatten(),
                    ) {
                        let term = times(self.graph, factor, tangent, frame);
                        sum = Some(plus(self.graph, sum, term, frame));
                    }
                }
                sum?
            }
            Kind::Project(_) | Kind::Tuple | Kind::Elements => {
                let inputs = node.inputs.iter().map(|input| self.or_zero(*input, frame)).collect();
                self.graph.node(&node.label, inputs, Some(frame), node.kind, node.ty)
            }
            Kind::Index => {
                let inputs = vec![self.or_zero(node.inputs[0], frame), self.index(node.inputs[1])];
                self.graph.node(&node.label, inputs, Some(frame), node.kind, node.ty)
            }
            Kind::If => {
                let inputs =
                    vec![node.inputs[0], self.or_zero(node.inputs[1], frame), self.or_zero(node.inputs[2], frame)];
                self.graph.node(&node.label, inputs, Some(frame), node.kind, node.ty)
            }
            Kind::Array(row) if matches!(row.derivative(), Some(Derivative::Linear)) => {
                let inputs = node.inputs.iter().map(|input| {
                    match self.graph.nodes[*input].ty.as_ref().is_none_or(Type::varies) {
                        true => self.or_zero(*input, frame),
                        false => *input,
                    }
                });
                let inputs: Vec<usize> = inputs.collect();
                self.graph.node(&node.label, inputs, Some(frame), node.kind, node.ty)
            }
            Kind::Array(row) if matches!(row.derivative(), Some(Derivative::Multilinear)) => {
                let mut sum = None;
                for (place, input) in node.inputs.iter().enumerate() {
                    if let Some(&tangent) = self.tangents.get(input) {
                        let mut inputs = node.inputs.clone();
                        inputs[place] = tangent;
                        let term = self.graph.node(&node.label, inputs, Some(frame), Kind::Other, node.ty.clone());
                        sum = Some(plus(self.graph, sum, term, frame));
                    }
                }
                sum?
            }
            Kind::Scalar(_) | Kind::Array(_) | Kind::Other | Kind::Constant | Kind::Constantly => {
                let tangents =
                    node.inputs.iter().filter(|input| active[**input]).filter_map(|input| self.tangents.get(input));
                let inputs = node.inputs.iter().chain(tangents).copied().collect();
                self.graph.node(&format!("D {}", node.label), inputs, Some(frame), Kind::Other, node.ty)
            }
        })
    }

    /// The frame of the derivative that belongs to one of the program.
    fn frame(&mut self, of: Option<usize>) -> usize {
        let Some(of) = of else { return self.home };
        if let Some(known) = self.frames.get(&of) {
            return *known;
        }
        let around = self.frame(self.graph.frames[of].parent);
        let title = match repeats(&self.graph.frames[of]) {
            Repeats::Reduction => "sum".to_string(),
            _ => self.graph.frames[of].title.clone(),
        };
        let frame = self.graph.frame(&title, Some(around), false);
        self.frames.insert(of, frame);
        frame
    }

    /// The index of a frame in that of its derivative; any other number is taken as it is.
    fn index(&mut self, of: usize) -> usize {
        let node = self.graph.nodes[of].clone();
        if !matches!(node.kind, Kind::End(Purpose::Index)) {
            return of;
        }
        if let Some(known) = self.indices.get(&of) {
            return *known;
        }
        let frame = self.frame(node.frame);
        let end = self.graph.end("i", node.inputs, Some(frame), Purpose::Index, node.ty);
        self.indices.insert(of, end);
        end
    }

    fn or_zero(&mut self, node: usize, frame: usize) -> usize {
        match self.tangents.get(&node) {
            Some(tangent) => *tangent,
            None => zero(self.graph, Some(frame)),
        }
    }
}
