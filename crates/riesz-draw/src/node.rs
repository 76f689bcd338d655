//! Boxes and wires as data.

use riesz_category::combinator::{Constant, Operation, bare_name};
use riesz_category::interpret::Form;
use riesz_core::term::Op;
use riesz_core::{FunctionId, Size, Type};
use riesz_primitive::{Primitive, scalar};
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
    /// The text in it.
    pub label: String,
    /// The nodes it is wired to, in order.
    pub inputs: Vec<usize>,
    /// The frame that it stands in.
    pub frame: Option<usize>,
    /// The effect of the node.
    pub kind: Kind,
    /// Whether it is where wires enter or leave.
    pub end: bool,
    /// The type of what it gives, as far as it is known.
    pub ty: Option<Type>,
}

/// The effect of a node.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing: wires enter or leave here.
    End(Purpose),
    /// It is always the same.
    Constant(Constant),
    /// An operation on its inputs.
    Operation(Box<Operation>),
    /// A part of a tuple or record.
    Project(usize),
    /// A tuple of its inputs.
    Tuple,
    /// Its second or third input, as the first says.
    If,
    /// The linear map that two functions of its inputs are, it and its adjoint.
    Map(FunctionId, FunctionId),
    /// Something else: a call, a function, a value of the program.
    Other,
}

/// The purpose of an end. States are numbered in their frame, and so are the ends that give the next ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An argument of the function.
    Input,
    /// A result of the function.
    Output,
    /// The index of an iteration.
    Index,
    /// The state before an iteration.
    State(usize),
    /// The state after an iteration, and in the end.
    Next(usize),
    /// The state after an iteration, and the array of all.
    Each(usize),
    /// An element of an array, and the array.
    Element,
    /// A term of a sum or its like, and the sum.
    Term,
    /// Whether to go on.
    Condition,
    /// How often that was so.
    Count,
}

/// A frame around nodes: the body of a loop, a derivative.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The text over it.
    pub title: String,
    /// The frame around it.
    pub parent: Option<usize>,
    /// The effect on its body.
    pub role: Role,
}

/// The effect of a frame on its body.
#[derive(Clone, Debug)]
pub enum Role {
    /// It repeats the body.
    Repeats(Form),
    /// It is one of two branches.
    Branch,
    /// It is a derivative, whose ends have an order of their own.
    Derivative,
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
        let meaning = match &kind {
            Kind::Operation(operation) => operation.to_string(),
            _ => label.to_string(),
        };
        let next = self.nodes.len();
        let known = *self.known.entry((meaning, inputs.clone(), frame)).or_insert(next);
        if known == next {
            self.nodes.push(Node { label: label.to_string(), inputs, frame, kind, end: false, ty });
        }
        known
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

    pub(super) fn frame(&mut self, title: &str, parent: Option<usize>, role: Role) -> usize {
        self.frames.push(Frame { title: title.to_string(), parent, role });
        self.frames.len() - 1
    }

    /// The graph without nodes that lead to no output.
    pub(super) fn without_dead_ends(self) -> Graph {
        // Besides its inputs, a state needs the next one, the next one its state, and any node in a loop its condition
        // and its count.
        let mut beside: HashMap<(Option<usize>, Option<usize>), Vec<usize>> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            match node.kind {
                Kind::End(Purpose::State(number) | Purpose::Next(number) | Purpose::Each(number)) => {
                    beside.entry((node.frame, Some(number))).or_default().push(at);
                }
                Kind::End(Purpose::Condition | Purpose::Index) => {
                    beside.entry((node.frame, None)).or_default().push(at)
                }
                _ => {}
            }
        }
        let is_outer = |at: &usize| matches!(self.nodes[*at].kind, Kind::End(Purpose::Input | Purpose::Output));
        let mut work: Vec<usize> = (0..self.nodes.len()).filter(is_outer).collect();
        let mut needed = vec![false; self.nodes.len()];
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut needed[at], true) {
                continue;
            }
            let node = &self.nodes[at];
            let state = match node.kind {
                Kind::End(Purpose::State(number) | Purpose::Next(number) | Purpose::Each(number)) => Some(number),
                _ => None,
            };
            let also = [None, state].into_iter().filter_map(|key| beside.get(&(node.frame, key))).flatten();
            work.extend(node.inputs.iter().chain(also));
        }
        let mut numbers = vec![0; self.nodes.len()];
        let mut graph = Graph { frames: self.frames.clone(), ..Graph::default() };
        for (at, node) in self.nodes.iter().enumerate().filter(|(at, _)| needed[*at]) {
            numbers[at] = graph.nodes.len();
            let inputs = node.inputs.iter().map(|input| numbers[*input]).collect();
            graph.nodes.push(Node { inputs, ..node.clone() });
        }
        graph
    }
}

/// The text in the node of an operation, and the type of its result.
pub(super) fn drawn(operation: &Operation, types: &[Option<Type>]) -> (&'static str, Option<Type>) {
    let first = types.first().cloned().flatten();
    match operation.op() {
        Op::Scalar(row, _) => (sign(row), first.or(Some(Type::Real))),
        Op::ArrayFunction(row, _) => (row.name, Some(operation.ty().clone())),
        Op::Array(_) => ("array", first.map(|ty| Type::array(Size::Hole, ty))),
        Op::Index(..) => match first {
            Some(Type::Array(_, element)) => ("index", Some((*element).clone())),
            _ => ("index", None),
        },
        Op::Accumulator | Op::Zero(_) => ("0", first.or(Some(operation.ty().clone()))),
        Op::Plus(..) => ("+", first),
        Op::AddTo(_, path, _) => (if path.is_empty() { "+" } else { "add at" }, first),
        op => (bare_name(op).trim_matches(['(', ')']), Some(operation.ty().clone())),
    }
}

/// The name of a part of a type.
pub(super) fn field(ty: &Type, at: usize) -> String {
    match ty {
        Type::Record(record) => record.fields.get(at).map_or_else(|| at.to_string(), |(name, _)| name.to_string()),
        _ => at.to_string(),
    }
}

/// The sign of a function of numbers, as one would draw it.
fn sign(row: &'static Primitive) -> &'static str {
    let signs = [
        (&scalar::MUL, "×"),
        (&scalar::EXACT_MUL, "×"),
        (&scalar::SUB, "−"),
        (&scalar::NEG, "−"),
        (&scalar::DIV, "÷"),
        (&scalar::POWI, "^"),
    ];
    signs.into_iter().find(|(known, _)| *known == row).map_or(row.name, |(_, sign)| sign)
}
