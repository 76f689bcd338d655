//! The sheet that is drawn on, and the wires on it.

use super::node::{self, Graph, Kind, Node, Purpose, Role};
use super::{Drawing, Interpreted};
use riesz_category::combinator::{Constant, Operation};
use riesz_core::Type;
use riesz_core::term::{Atom, Op, Var};
use riesz_primitive::scalar;
use std::cell::RefCell;
use std::rc::Rc;

/// The contents of wires.
#[derive(Clone, Debug)]
pub enum Wire {
    /// The output of a node.
    Node(usize),
    /// The wires of a tuple.
    Parts(Vec<Wire>),
}

/// Where to draw.
#[derive(Clone)]
pub struct Sheet {
    pub(super) graph: Rc<RefCell<Graph>>,
    frame: Option<usize>,
}

impl Wire {
    /// One wire as it is, several as those of a tuple.
    pub(super) fn together(mut wires: Vec<Wire>) -> Wire {
        if wires.len() == 1 { wires.remove(0) } else { Wire::Parts(wires) }
    }

    /// The nodes whose outputs it carries, in order.
    pub fn nodes(&self) -> Vec<usize> {
        match self {
            Wire::Node(node) => vec![*node],
            Wire::Parts(parts) => parts.iter().flat_map(Wire::nodes).collect(),
        }
    }

    pub(super) fn part(&self, at: usize) -> Wire {
        match self {
            Wire::Parts(parts) => parts.get(at).cloned().unwrap_or(Wire::Parts(Vec::new())),
            wire => wire.clone(),
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Wire::Node(_) => 1,
            Wire::Parts(parts) => parts.len(),
        }
    }

    /// The same wires from other nodes.
    pub(super) fn map(&self, change: &mut dyn FnMut(usize) -> usize) -> Wire {
        match self {
            Wire::Node(node) => Wire::Node(change(*node)),
            Wire::Parts(parts) => Wire::Parts(parts.iter().map(|part| part.map(change)).collect()),
        }
    }
}

impl Sheet {
    pub(super) fn new() -> Sheet {
        Sheet { graph: Rc::new(RefCell::new(Graph::default())), frame: None }
    }

    pub(super) fn node(&self, label: &str, inputs: Vec<usize>, kind: Kind, ty: Option<Type>) -> usize {
        self.graph.borrow_mut().node(label, inputs, self.frame, kind, ty)
    }

    pub(super) fn end(&self, label: &str, inputs: Vec<usize>, purpose: Purpose, ty: Option<Type>) -> usize {
        self.graph.borrow_mut().end(label, inputs, self.frame, purpose, ty)
    }

    pub(super) fn ty(&self, node: usize) -> Option<Type> {
        self.graph.borrow().nodes[node].ty.clone()
    }

    /// An operation on the outputs of nodes. Derivatives add zeros so that a zero is never negative, and subtract from
    /// them: the same numbers are drawn without.
    pub(super) fn operation(&self, operation: &Operation, operands: Vec<usize>) -> usize {
        let is_zero = |at: usize| matches!(self.graph.borrow().nodes[at].kind, Kind::Constant(Constant::Real(0.0)));
        match (operation.op(), &operands[..]) {
            (Op::Scalar(row, _), &[zero, other] | &[other, zero]) if *row == &scalar::ADD && is_zero(zero) => other,
            (Op::Scalar(row, _), &[zero, other]) if *row == &scalar::SUB && is_zero(zero) => {
                let negation = Op::Scalar(&scalar::NEG, vec![Atom::Var(Var(0))]);
                self.operation(&Operation::new(negation, 1, Type::Real, operation.span()), vec![other])
            }
            _ => {
                let types: Vec<Option<Type>> = operands.iter().map(|operand| self.ty(*operand)).collect();
                let (label, ty) = node::drawn(operation, &types);
                self.node(label, operands, Kind::Operation(operation.clone().into()), ty)
            }
        }
    }

    /// A frame inside of this one.
    pub(super) fn inside(&self, title: &str, role: Role) -> Sheet {
        let frame = self.graph.borrow_mut().frame(title, self.frame, role);
        Sheet { graph: self.graph.clone(), frame: Some(frame) }
    }

    /// A wire as the output of one node, which puts the parts together if need be.
    pub(super) fn bundle(&self, wire: &Wire) -> usize {
        match wire {
            Wire::Node(node) => *node,
            Wire::Parts(parts) => {
                let inputs: Vec<usize> = parts.iter().map(|part| self.bundle(part)).collect();
                let types: Option<Vec<Type>> = inputs.iter().map(|input| self.ty(*input)).collect();
                self.node("tuple", inputs, Kind::Tuple, types.map(|types| Type::Tuple(types.into())))
            }
        }
    }

    /// A part of what a wire carries.
    pub(super) fn part(&self, wire: &Wire, at: usize) -> Wire {
        match wire {
            Wire::Parts(_) => wire.part(at),
            Wire::Node(node) => {
                let Node { kind, inputs, ty, .. } = self.graph.borrow().nodes[*node].clone();
                if let (Kind::Tuple, Some(part)) = (kind, inputs.get(at)) {
                    return Wire::Node(*part);
                }
                let label = ty.as_ref().map_or_else(|| at.to_string(), |ty| node::field(ty, at));
                let part = ty.and_then(|ty| ty.components()?.get(at).cloned());
                Wire::Node(self.node(&format!(".{label}"), vec![*node], Kind::Project(at), part))
            }
        }
    }

    /// The result of a linear map that a wire carries, or of its adjoint, for a vector.
    pub(super) fn apply_map(
        &self,
        read: &Interpreted<Drawing>,
        map: &Wire,
        vector: Wire,
        adjoint: bool,
    ) -> Option<Wire> {
        let Wire::Node(node) = map else { return None };
        let Node { kind, inputs, .. } = self.graph.borrow().nodes[*node].clone();
        let Kind::Map(forward, reverse) = kind else { return None };
        let map = read.table().find(if adjoint { reverse } else { forward })?;
        Some(map.on(self, Wire::Parts(inputs.into_iter().map(Wire::Node).chain([vector]).collect())))
    }

    /// A wire in the shape of another.
    pub(super) fn shaped(&self, like: &Wire, wire: &Wire) -> Wire {
        match like {
            Wire::Node(_) => Wire::Node(self.bundle(wire)),
            Wire::Parts(parts) => {
                let part = |(at, like): (usize, &Wire)| self.shaped(like, &self.part(wire, at));
                Wire::Parts(parts.iter().enumerate().map(part).collect())
            }
        }
    }

    /// Two wires in one shape: that of both where they have the same, or single ones.
    pub(super) fn zip(&self, a: &Wire, b: &Wire, join: &mut dyn FnMut(usize, usize) -> usize) -> Wire {
        match (a, b) {
            (Wire::Parts(left), Wire::Parts(right)) if left.len() == right.len() => {
                Wire::Parts(left.iter().zip(right).map(|(a, b)| self.zip(a, b, join)).collect())
            }
            (Wire::Parts(left), Wire::Node(_)) if !left.is_empty() => {
                let right = Wire::Parts((0..left.len()).map(|at| self.part(b, at)).collect());
                self.zip(a, &right, join)
            }
            (Wire::Node(_), Wire::Parts(right)) if !right.is_empty() => {
                let left = Wire::Parts((0..right.len()).map(|at| self.part(a, at)).collect());
                self.zip(&left, b, join)
            }
            (a, b) => Wire::Node(join(self.bundle(a), self.bundle(b))),
        }
    }
}
