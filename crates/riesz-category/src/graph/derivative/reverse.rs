//! `x̄ += ∂z/∂x × z̄`, from the outputs back.
//!
//! What a body contributes to something outside of it is added up over the turns, and leaves the box of the turns as one.

use super::super::node::{Graph, Kind, Node, Purpose};
use super::{Factor, Repeats, of_term, partial, plus, repeats, times, zero};
use riesz_core::Type;
use riesz_primitive::derivative::Derivative;
use std::collections::{BTreeMap, HashMap};

/// The cotangents of nodes, as far as they have been added up.
type Cotangents = BTreeMap<usize, usize>;

pub(super) fn draw(graph: &mut Graph, active: &[bool], inputs: &[usize], outputs: &[(String, usize)]) {
    let home = graph.frame("adjoint", None, true);
    let mut cotangents = Cotangents::new();
    let ends: Vec<usize> = outputs
        .iter()
        .map(|(name, node)| {
            let ty = graph.nodes[*node].ty.clone();
            graph.end(&format!("∂{name}"), Vec::new(), Some(home), Purpose::Input, ty)
        })
        .collect();
    for ((_, node), end) in outputs.iter().zip(ends) {
        if active[*node] {
            let sum = plus(graph, cotangents.get(node).copied(), end, home);
            cotangents.insert(*node, sum);
        }
    }
    let mut reverse = Reverse { graph, active, frames: HashMap::new(), indices: HashMap::new() };
    reverse.body(None, home, &mut cotangents);
    for input in inputs.iter().filter(|input| active[**input]) {
        let label = format!("∂{}", reverse.graph.nodes[*input].label);
        let value = match cotangents.get(input) {
            Some(cotangent) => *cotangent,
            None => zero(reverse.graph, Some(home)),
        };
        reverse.graph.end(&label, vec![value], Some(home), Purpose::Output, None);
    }
}

/// What stands in a frame of the program.
enum Item {
    Node(usize),
    Frame(usize),
}

struct Reverse<'g> {
    graph: &'g mut Graph,
    active: &'g [bool],
    /// The frames of the adjoint, by those of the program.
    frames: HashMap<usize, usize>,
    /// The indices of those frames.
    indices: HashMap<usize, usize>,
}

impl Reverse<'_> {
    /// Goes back through what stands in a frame.
    fn body(&mut self, frame: Option<usize>, home: usize, cotangents: &mut Cotangents) {
        for item in self.items(frame).into_iter().rev() {
            match item {
                Item::Node(at) => {
                    if !self.graph.nodes[at].end
                        && let Some(cotangent) = cotangents.remove(&at)
                    {
                        self.node(at, cotangent, home, cotangents);
                    }
                }
                Item::Frame(inner) => self.frame(inner, home, cotangents),
            }
        }
    }

    /// The nodes and frames of a frame, each after what it is wired to.
    fn items(&self, frame: Option<usize>) -> Vec<Item> {
        let count = self.active.len();
        let nodes = (0..count).filter(|at| self.graph.nodes[*at].frame == frame).map(|at| (at, Item::Node(at)));
        let frames = (0..self.graph.frames.len()).filter(|inner| self.graph.frames[*inner].parent == frame);
        let frames = frames.filter_map(|inner| {
            let last = (0..count).rev().find(|at| self.graph.is_in(*at, inner))?;
            Some((last, Item::Frame(inner)))
        });
        let mut items: Vec<(usize, Item)> = nodes.chain(frames).collect();
        items.sort_by_key(|(at, _)| *at);
        items.into_iter().map(|(_, item)| item).collect()
    }

    /// What a node contributes to those that it is wired to.
    fn node(&mut self, at: usize, cotangent: usize, home: usize, cotangents: &mut Cotangents) {
        let node = self.graph.nodes[at].clone();
        for (place, input) in node.inputs.iter().enumerate().filter(|(_, input)| self.active[**input]) {
            if let Some(term) = self.term(&node, at, place, cotangent, home) {
                self.add(cotangents, *input, term, home);
            }
        }
    }

    /// What the cotangent of a node is to one of its inputs.
    fn term(&mut self, node: &Node, at: usize, place: usize, cotangent: usize, home: usize) -> Option<usize> {
        let ty = self.graph.nodes[node.inputs[place]].ty.clone();
        let (label, inputs) = match node.kind {
            Kind::Scalar(row) if !matches!(row.derivative(), Some(Derivative::Terms(_))) => {
                let factor = partial(self.graph, row, place, at)?;
                return Some(times(self.graph, factor, cotangent, home));
            }
            Kind::Project(_) => (format!("{}ᵀ", node.label), vec![cotangent]),
            Kind::Tuple => (format!(".{place}"), vec![cotangent]),
            Kind::Elements => (format!("[{place}]"), vec![cotangent]),
            Kind::Index => ("indexᵀ".to_string(), vec![cotangent, self.index(node.inputs[1])]),
            Kind::If => {
                let zero = zero(self.graph, Some(home));
                let (yes, no) = if place == 1 { (cotangent, zero) } else { (zero, cotangent) };
                (node.label.clone(), vec![node.inputs[0], yes, no])
            }
            Kind::Array(row) if matches!(row.derivative(), Some(Derivative::Linear)) => {
                let several = node.inputs.iter().filter(|input| self.active[**input]).count() > 1;
                let kept = node
                    .inputs
                    .iter()
                    .filter(|input| self.graph.nodes[**input].ty.as_ref().is_some_and(|ty| !ty.varies()));
                let part = if several { format!(" {place}") } else { String::new() };
                (format!("{}ᵀ{part}", node.label), [cotangent].into_iter().chain(kept.copied()).collect())
            }
            Kind::Array(row) if matches!(row.derivative(), Some(Derivative::Multilinear)) => {
                let others =
                    node.inputs.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, input)| *input);
                let part = if place > 0 { format!(" {place}") } else { String::new() };
                (format!("{}ᵀ{part}", node.label), [cotangent].into_iter().chain(others).collect())
            }
            _ => {
                let several = node.inputs.iter().filter(|input| self.active[**input]).count() > 1;
                let part = if several { format!(" {place}") } else { String::new() };
                (format!("Dᵀ {}{part}", node.label), node.inputs.iter().copied().chain([cotangent]).collect())
            }
        };
        Some(self.graph.node(&label, inputs, Some(home), Kind::Other, ty))
    }

    /// What a frame contributes to what is outside of it.
    fn frame(&mut self, of: usize, home: usize, cotangents: &mut Cotangents) {
        let kind = repeats(&self.graph.frames[of]);
        let ends = |graph: &Graph, active: &[bool], wanted: &[Purpose]| -> Vec<usize> {
            let is = |at: &usize| {
                let node = &graph.nodes[*at];
                active[*at]
                    && node.frame == Some(of)
                    && matches!(node.kind, Kind::End(purpose) if wanted.contains(&purpose))
            };
            (0..active.len()).filter(is).collect()
        };
        let leaving = [Purpose::Next, Purpose::Element, Purpose::Term, Purpose::Each];
        let results = ends(self.graph, self.active, &leaving);
        let known = cotangents.keys().copied().filter(|at| self.graph.is_in(*at, of)).collect::<Vec<usize>>();
        if known.is_empty() {
            return;
        }
        let title = match kind {
            Repeats::Array | Repeats::Reduction => "sum".to_string(),
            Repeats::Loop => format!("{}, backwards", self.graph.frames[of].title),
            Repeats::Branch => self.graph.frames[of].title.clone(),
        };
        let own = self.graph.frame(&title, Some(home), false);
        self.frames.insert(of, own);
        let mut inner = Cotangents::new();
        let mut outer: BTreeMap<usize, usize> = BTreeMap::new();
        for at in known {
            if let Some(cotangent) = cotangents.remove(&at) {
                outer.insert(at, cotangent);
            }
        }
        let states = ends(self.graph, self.active, &[Purpose::State]);
        let mut next = states.iter();
        for result in &results {
            let Node { kind, inputs, .. } = self.graph.nodes[*result].clone();
            let Kind::End(purpose) = kind else { continue };
            let given = outer.remove(result);
            let seed = match (purpose, given) {
                (Purpose::Next | Purpose::Each, given) => {
                    let last = if purpose == Purpose::Next { given } else { None };
                    let last = match last {
                        Some(last) => last,
                        None => zero(self.graph, Some(home)),
                    };
                    let ty = next.next().and_then(|state| self.graph.nodes[*state].ty.clone());
                    let state = self.graph.end("∂state", vec![last], Some(own), Purpose::State, ty);
                    match (purpose, given) {
                        (Purpose::Each, Some(given)) => {
                            let turn = self.turn(of, own, given);
                            plus(self.graph, Some(state), turn, own)
                        }
                        _ => state,
                    }
                }
                (_, None) => continue,
                (Purpose::Term, Some(given)) => match of_term(self.graph, *result) {
                    Factor::One => given,
                    factor => times(self.graph, factor, given, own),
                },
                (_, Some(given)) => self.turn(of, own, given),
            };
            if self.active[inputs[0]] {
                self.add(&mut inner, inputs[0], seed, own);
            }
        }
        // What is used outside of a branch is no end of it.
        inner.extend(outer);
        self.body(Some(of), own, &mut inner);
        for state in states {
            let start = self.graph.nodes[state].inputs[0];
            let value = match inner.remove(&state) {
                Some(value) => value,
                None => zero(self.graph, Some(own)),
            };
            let end = self.graph.end("∂next", vec![value], Some(own), Purpose::Next, None);
            if self.active[start] {
                self.add(cotangents, start, end, home);
            }
        }
        for (node, cotangent) in inner {
            let Node { label, end, ty, .. } = self.graph.nodes[node].clone();
            let term = match kind {
                Repeats::Branch => cotangent,
                _ => {
                    let name = if end { format!("∂{label}") } else { "∂".to_string() };
                    self.graph.end(&name, vec![cotangent], Some(own), Purpose::Term, ty)
                }
            };
            self.add(cotangents, node, term, home);
        }
    }

    /// The cotangent of this turn, of that of an array of all.
    fn turn(&mut self, of: usize, own: usize, all: usize) -> usize {
        let index = (0..self.active.len()).find(|at| {
            let node = &self.graph.nodes[*at];
            node.frame == Some(of) && matches!(node.kind, Kind::End(Purpose::Index))
        });
        let mut inputs = vec![all];
        inputs.extend(index.map(|index| self.index(index)));
        self.graph.node("index", inputs, Some(own), Kind::Index, None)
    }

    /// The index of a frame in that of its adjoint; any other number is taken as it is.
    fn index(&mut self, of: usize) -> usize {
        let node = self.graph.nodes[of].clone();
        let (Kind::End(Purpose::Index), Some(frame)) =
            (node.kind, node.frame.and_then(|frame| self.frames.get(&frame)))
        else {
            return of;
        };
        if let Some(known) = self.indices.get(&of) {
            return *known;
        }
        let end = self.graph.end("i", node.inputs, Some(*frame), Purpose::Index, Some(Type::Int));
        self.indices.insert(of, end);
        end
    }

    fn add(&mut self, cotangents: &mut Cotangents, node: usize, term: usize, home: usize) {
        let sum = plus(self.graph, cotangents.get(&node).copied(), term, home);
        cotangents.insert(node, sum);
    }
}
