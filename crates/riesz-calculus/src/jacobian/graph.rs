//! A graph of dependencies between numbers, whose edges carry partial derivatives, and the elimination of intermediate
//! numbers.
//!
//! ```text
//! y = Σ cᵥ · v,  v = Σ dₓ · x   becomes   y = Σ (cᵥ · dₓ) · x
//! ```
//!
//! Eliminating a number multiplies each edge that leaves it with each that enters it. Forward and reverse accumulation
//! are two orders of elimination; the order used here is greedy, the number with the fewest products first, which for
//! the few inputs and outputs of an element is cheaper than either (Griewank and Walther, *Evaluating Derivatives*,
//! §10). An absent edge is a structural zero.

use super::walk::Walk;
use riesz_core::Size;
use riesz_core::term::{Atom, Op};
use riesz_core::types::Type;
use riesz_primitive::scalar;
use riesz_syntax::Span;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A number that varies, by its position in the graph.
pub(super) type Node = usize;

/// How many numbers between inputs and outputs are eliminated at a time.
const MOST_NODES: usize = 800;

/// The source with which a number varies.
pub(super) enum Origin {
    /// A number of the point.
    Input(Input),
    /// A sum of multiples of other numbers.
    Sum(Vec<(Atom, Node)>),
}

/// A number of the point.
#[derive(Clone)]
pub(super) struct Input {
    /// The place of the number.
    pub path: Vec<Hop>,
    /// Whether it is read in a branch that may not be taken: the first index in the path is −1 then.
    pub conditional: bool,
}

/// A step into the point, or into the result.
#[derive(Clone)]
pub(super) enum Hop {
    Component(usize),
    Element {
        index: Atom,
        /// The index as a polynomial over what is in scope.
        form: Size,
        /// Whether it is known to be in range.
        sure: bool,
        /// Where the program reads it.
        span: Span,
        /// How many branches around must be taken for it to be known and to exist.
        branches: usize,
    },
}

impl Hop {
    /// How many branches around must be taken for it to be known and to exist.
    pub fn branches(&self) -> usize {
        match self {
            Hop::Component(_) => 0,
            Hop::Element { branches, .. } => *branches,
        }
    }
}

#[derive(Default)]
pub(super) struct Graph {
    pub nodes: Vec<Origin>,
}

impl Graph {
    pub fn add(&mut self, origin: Origin) -> Node {
        self.nodes.push(origin);
        self.nodes.len() - 1
    }

    pub fn input(&self, node: Node) -> Option<&Input> {
        match &self.nodes[node] {
            Origin::Input(input) => Some(input),
            Origin::Sum(_) => None,
        }
    }
}

impl Walk<'_> {
    /// For each output, the partial derivatives with respect to inputs and to numbers from before `first`, in their order.
    pub(super) fn partials(&mut self, outputs: &[Option<Node>], first: Node) -> Option<Vec<Vec<(Node, Atom)>>> {
        let mut elimination = Elimination::default();
        for (at, output) in outputs.iter().enumerate() {
            let Some(output) = output else { continue };
            let name = self.graph.nodes.len() + at;
            elimination.edge(name, *output, Atom::Real(1.0));
            elimination.reach(*output, first, &self.graph);
        }
        if elimination.between.len() > MOST_NODES {
            return None;
        }
        while let Some(node) = elimination.next() {
            let before = elimination.before.remove(&node).unwrap_or_default();
            let after = elimination.after.remove(&node).unwrap_or_default();
            for from in before.keys() {
                elimination.after.entry(*from).or_default().remove(&node);
            }
            if self.is_long() {
                return None;
            }
            for to in after {
                let Some(outer) = elimination.before.entry(to).or_default().remove(&node) else { continue };
                for (from, inner) in &before {
                    let product = self.times(outer, *inner);
                    let sum = match elimination.before.get(&to).and_then(|edges| edges.get(from)) {
                        Some(other) => self.plus_number(*other, product),
                        None => product,
                    };
                    elimination.edge(to, *from, sum);
                }
            }
        }
        let name = self.graph.nodes.len();
        let partials = |at| elimination.before.remove(&(name + at)).unwrap_or_default().into_iter().collect();
        Some((0..outputs.len()).map(partials).collect())
    }

    /// `a · b`, where an exact zero gives an exact zero.
    pub(super) fn times(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Real(1.0), other) | (other, Atom::Real(1.0)) => other,
            (Atom::Real(-1.0), other) | (other, Atom::Real(-1.0)) => self.negative(other),
            (a, b) => self.bind(Op::Scalar(&scalar::EXACT_MUL, vec![a, b]), Type::Real),
        }
    }

    pub(super) fn negative(&mut self, a: Atom) -> Atom {
        match a {
            Atom::Real(a) => Atom::Real(-a),
            a => self.bind(Op::Scalar(&scalar::NEG, vec![a]), Type::Real),
        }
    }

    pub(super) fn plus_number(&mut self, a: Atom, b: Atom) -> Atom {
        self.bind(Op::Scalar(&scalar::ADD, vec![a, b]), Type::Real)
    }
}

/// Numbers yet to be eliminated.
#[derive(Default)]
struct Elimination {
    /// For each number, the numbers that it varies with.
    before: FxHashMap<Node, BTreeMap<Node, Atom>>,
    /// For each number, the numbers that vary with it.
    after: FxHashMap<Node, BTreeSet<Node>>,
    /// The numbers to eliminate.
    between: BTreeSet<Node>,
}

impl Elimination {
    fn edge(&mut self, to: Node, from: Node, partial: Atom) {
        self.before.entry(to).or_default().insert(from, partial);
        self.after.entry(from).or_default().insert(to);
    }

    /// Adds the edges below a number.
    fn reach(&mut self, node: Node, first: Node, graph: &Graph) {
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            let Origin::Sum(terms) = &graph.nodes[node] else { continue };
            if node < first || !self.between.insert(node) {
                continue;
            }
            for (partial, from) in terms {
                self.edge(node, *from, *partial);
                work.push(*from);
            }
        }
    }

    /// The number whose elimination takes the fewest products; of several the last.
    fn next(&mut self) -> Option<Node> {
        let products = |node: &Node| {
            let before = self.before.get(node).map_or(0, BTreeMap::len);
            before * self.after.get(node).map_or(0, BTreeSet::len)
        };
        let node = self.between.iter().rev().min_by_key(|node| products(node)).copied()?;
        self.between.remove(&node);
        Some(node)
    }
}
