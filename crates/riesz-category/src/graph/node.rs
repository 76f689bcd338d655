//! Boxes and wires as data.

use super::Operation;
use riesz_core::term::Op;
use riesz_core::{Size, Type};
use riesz_primitive::Primitive;
use std::collections::HashMap;

/// Boxes and wires. The inputs of a node are nodes; each has one output.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes, each after those it is wired to.
    pub nodes: Vec<Node>,
    /// The frames around nodes, each after the one around it.
    pub frames: Vec<Frame>,
    known: HashMap<(String, Vec<usize>, Option<usize>), usize>,
}

/// A node of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// What is written in it.
    pub label: String,
    /// The nodes it is wired to, in order.
    pub inputs: Vec<usize>,
    /// The frame that it stands in.
    pub frame: Option<usize>,
    /// What it does.
    pub kind: Kind,
    /// Whether it is where wires enter or leave.
    pub end: bool,
    /// The type of what it gives, as far as it is known.
    pub ty: Option<Type>,
}

/// What a node does.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Nothing: wires enter or leave here.
    End(Purpose),
    /// It is always the same.
    Constant,
    /// A function of numbers.
    Scalar(&'static Primitive),
    /// A function of arrays.
    Array(&'static Primitive),
    /// A part of a tuple or record.
    Project(usize),
    /// A tuple of its inputs.
    Tuple,
    /// The array of its inputs.
    Elements,
    /// An element of its first input, at the second.
    Index,
    /// Its second or third input, as the first says.
    If,
    /// A function of nothing that varies, or without a derivative.
    Constantly,
    /// Something else.
    Other,
}

/// What an end is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// What the function is given.
    Input,
    /// What it gives.
    Output,
    /// The index of a turn.
    Index,
    /// The state before a turn.
    State,
    /// The state after a turn, and in the end.
    Next,
    /// The state after a turn, and the array of all.
    Each,
    /// An element of an array, and the array.
    Element,
    /// A term of a sum or its like, and the sum.
    Term,
    /// Whether to go on.
    Condition,
}

/// A frame around nodes: the body of a loop, a derivative.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What is written over it.
    pub title: String,
    /// The frame around it.
    pub parent: Option<usize>,
    /// Whether it is a derivative, whose ends have an order of their own.
    pub derived: bool,
}

impl Graph {
    /// A node in a frame; one that is there already is used again.
    pub(super) fn node(
        &mut self,
        label: &str,
        inputs: Vec<usize>,
        frame: Option<usize>,
        kind: Kind,
        ty: Option<Type>,
    ) -> usize {
        let key = (label.to_string(), inputs.clone(), frame);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.nodes.push(Node { label: label.to_string(), inputs, frame, kind, end: false, ty });
        self.known.insert(key, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    pub(super) fn end(
        &mut self,
        label: &str,
        inputs: Vec<usize>,
        frame: Option<usize>,
        purpose: Purpose,
        ty: Option<Type>,
    ) -> usize {
        self.nodes.push(Node { label: label.to_string(), inputs, frame, kind: Kind::End(purpose), end: true, ty });
        self.nodes.len() - 1
    }

    pub(super) fn frame(&mut self, title: &str, parent: Option<usize>, derived: bool) -> usize {
        self.frames.push(Frame { title: title.to_string(), parent, derived });
        self.frames.len() - 1
    }

    /// Whether a node stands in a frame, or in one inside of it.
    pub(super) fn is_in(&self, node: usize, frame: usize) -> bool {
        let mut around = self.nodes[node].frame;
        while let Some(at) = around {
            if at == frame {
                return true;
            }
            around = self.frames[at].parent;
        }
        false
    }

    /// The graph without nodes that lead to no output.
    pub(super) fn without_dead_ends(self) -> Graph {
        let mut needed: Vec<bool> = self
            .nodes
            .iter()
            .map(|node| matches!(node.kind, Kind::End(Purpose::Input | Purpose::Output | Purpose::Condition)))
            .collect();
        let is = |at: usize, purposes: &[Purpose]| matches!(self.nodes[at].kind, Kind::End(purpose) if purposes.contains(&purpose));
        loop {
            for at in (0..self.nodes.len()).rev() {
                if needed[at] {
                    self.nodes[at].inputs.iter().for_each(|input| needed[*input] = true);
                }
            }
            // A state needs the one that comes next.
            let frames: Vec<Option<usize>> = (0..self.nodes.len())
                .filter(|at| needed[*at] && is(*at, &[Purpose::State]))
                .map(|at| self.nodes[at].frame)
                .collect();
            let next = |at: &usize| {
                !needed[*at] && is(*at, &[Purpose::Next, Purpose::Each]) && frames.contains(&self.nodes[*at].frame)
            };
            let missing: Vec<usize> = (0..self.nodes.len()).filter(next).collect();
            if missing.is_empty() {
                break;
            }
            missing.into_iter().for_each(|at| needed[at] = true);
        }
        // A condition belongs to its loop: where nothing else of that is needed, it is not.
        let lives = |frame: Option<usize>| {
            self.nodes.iter().zip(&needed).any(|(node, needed)| {
                *needed && node.frame == frame && !matches!(node.kind, Kind::End(Purpose::Condition))
            })
        };
        let kept: Vec<bool> = self
            .nodes
            .iter()
            .zip(&needed)
            .map(|(node, needed)| *needed && (node.frame.is_none() || lives(node.frame)))
            .collect();
        let mut numbers = vec![0; self.nodes.len()];
        let mut graph = Graph { frames: self.frames.clone(), ..Graph::default() };
        for (at, node) in self.nodes.iter().enumerate().filter(|(at, _)| kept[*at]) {
            numbers[at] = graph.nodes.len();
            let inputs = node.inputs.iter().map(|input| numbers[*input]).collect();
            graph.nodes.push(Node { inputs, ..node.clone() });
        }
        graph
    }
}

/// What is written in the node of an operation, what it does, and the type of what it gives.
pub(super) fn drawn(operation: &Operation, types: &[Option<Type>]) -> (String, Kind, Option<Type>) {
    let first = types.first().cloned().flatten();
    let text = || name(&operation.to_string());
    match operation.op() {
        Op::Scalar(row, _) => (sign(row.name).to_string(), Kind::Scalar(row), first.or(Some(Type::Real))),
        Op::ArrayFunction(row, _) => (row.name.to_string(), Kind::Array(row), Some(operation.ty().clone())),
        Op::Array(_) => ("array".to_string(), Kind::Elements, first.map(|ty| Type::array(Size::Hole, ty))),
        Op::Index(..) => {
            let element = match first {
                Some(Type::Array(_, element)) => Some((*element).clone()),
                _ => None,
            };
            ("index".to_string(), Kind::Index, element)
        }
        Op::Compare(..) | Op::Same(..) | Op::Near(..) | Op::Not(_) | Op::IsNan(_) => {
            (text(), Kind::Constantly, Some(Type::Bool))
        }
        Op::ToReal(_) => (text(), Kind::Constantly, Some(Type::Real)),
        Op::Truncate(_) | Op::SizeOf(..) => (text(), Kind::Constantly, Some(Type::Int)),
        Op::CheckSizes(..) | Op::Zero(_) => (text(), Kind::Constantly, None),
        _ => (text(), Kind::Other, first),
    }
}

/// What the part of a type is called.
pub(super) fn field(ty: &Type, at: usize) -> String {
    match ty {
        Type::Record(record) => record.fields.get(at).map_or_else(|| at.to_string(), |(name, _)| name.to_string()),
        _ => at.to_string(),
    }
}

/// The sign of a function of numbers, as one would draw it.
pub(super) fn sign(name: &'static str) -> &'static str {
    match name {
        "*" | "exact *" => "×",
        "-" | "unary -" => "−",
        "/" => "÷",
        "integer ^" => "^",
        name => name,
    }
}

/// The name of an operation without its types.
fn name(text: &str) -> String {
    let bare = text.trim_start_matches('(').trim_end_matches(')');
    bare.split(['/', '{']).next().filter(|name| !name.is_empty()).unwrap_or(bare).to_string()
}
