//! The contents of one frame: boxes in layers, and the positions of wires in them.

use super::super::{Graph, Role};
use super::{Block, HEIGHT, LETTER};
use std::collections::{BTreeMap, BTreeSet};

/// The contents of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VertexKind {
    /// A node.
    Node(usize),
    /// A frame inside of this one.
    Frame(usize),
    /// Where the wire of a node outside enters.
    Enter(usize),
    /// Where the wire of a node inside leaves.
    Leave(usize),
    /// Where the wire of a node passes.
    Pass(usize),
}

pub(super) struct Vertex {
    pub what: VertexKind,
    pub width: f64,
    pub height: f64,
    pub layer: usize,
    /// The position among the vertices of fixed order, if it has one.
    pub fixed: Option<usize>,
}

/// A piece of a wire, from one layer to the next: between which vertices, how far below their upper sides, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub from: usize,
    pub from_y: f64,
    pub to: usize,
    pub to_y: f64,
    pub source: usize,
}

pub(super) struct Level {
    pub vertices: Vec<Vertex>,
    pub pieces: Vec<Piece>,
    /// The vertices of each layer, from above.
    pub layers: Vec<Vec<usize>>,
    /// The pieces that end and that begin at each vertex.
    pub ending: Vec<Vec<Piece>>,
    pub beginning: Vec<Vec<Piece>>,
}

/// A wire before it has places in the layers between: where it comes from, and where it goes to.
struct Net {
    from: usize,
    from_y: f64,
    to: Vec<(usize, f64)>,
}

impl Level {
    /// The level of a frame; `None` if the frame is empty.
    pub fn new(graph: &Graph, frame: Option<usize>, blocks: &[Option<Block>]) -> Option<Level> {
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut numbers: BTreeMap<VertexKind, usize> = BTreeMap::new();
        let mut add = |what: VertexKind, width: f64, height: f64, fixed: Option<usize>| {
            numbers.insert(what, vertices.len());
            vertices.push(Vertex { what, width, height, layer: 0, fixed });
        };
        for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.frame == frame) {
            let width = (node.label.chars().count() as f64 * LETTER + 18.0).max(HEIGHT);
            let height = HEIGHT.max(11.0 * (node.inputs.len() as f64 + 1.0));
            add(
                VertexKind::Node(at),
                width,
                height,
                (node.end && frame.is_none_or(|it| matches!(graph.frames[it].role, Role::Derivative))).then_some(at),
            );
        }
        for (at, _) in graph.frames.iter().enumerate().filter(|(_, inner)| inner.parent == frame) {
            if let Some(block) = &blocks[at] {
                add(VertexKind::Frame(at), block.width, block.height, None);
            }
        }
        if numbers.is_empty() {
            return None;
        }
        let place = |node: usize| place(graph, frame, node);
        let mut nets: BTreeMap<usize, BTreeSet<(VertexKind, usize)>> = BTreeMap::new();
        for (at, node) in graph.nodes.iter().enumerate() {
            for (slot, input) in node.inputs.iter().enumerate() {
                let (source, target) = (place(*input), place(at));
                match (source, target) {
                    (Some(source), Some(target)) if source == target && source != VertexKind::Node(*input) => {}
                    (_, Some(VertexKind::Node(_))) => {
                        nets.entry(*input).or_default().insert((VertexKind::Node(at), slot));
                    }
                    (_, Some(target)) => {
                        nets.entry(*input).or_default().insert((target, 0));
                    }
                    (Some(_), None) => {
                        nets.entry(*input).or_default().insert((VertexKind::Leave(*input), 0));
                    }
                    (None, None) => {}
                }
            }
        }
        for (source, targets) in &nets {
            let (enter, leave) = (VertexKind::Enter(*source), VertexKind::Leave(*source));
            let enters = place(*source).is_none().then_some(enter);
            for what in enters.into_iter().chain(targets.contains(&(leave, 0)).then_some(leave)) {
                numbers.insert(what, vertices.len());
                vertices.push(Vertex { what, width: 0.0, height: 0.0, layer: 0, fixed: None });
            }
        }
        let port = |ports: &[(usize, f64)], source: usize| {
            ports.iter().find(|(known, _)| *known == source).map_or(0.0, |(_, y)| *y)
        };
        let nets: Vec<(usize, Net)> = nets
            .into_iter()
            .map(|(source, targets)| {
                let what = place(source).unwrap_or(VertexKind::Enter(source));
                let from = numbers[&what];
                let from_y = match what {
                    VertexKind::Frame(inner) => blocks[inner].as_ref().map_or(0.0, |block| port(&block.leave, source)),
                    _ => vertices[from].height / 2.0,
                };
                let target = |(what, slot): (VertexKind, usize)| {
                    let to = numbers[&what];
                    let y = match what {
                        VertexKind::Node(node) => {
                            vertices[to].height * (slot as f64 + 1.0) / (graph.nodes[node].inputs.len() as f64 + 1.0)
                        }
                        VertexKind::Frame(inner) => {
                            blocks[inner].as_ref().map_or(0.0, |block| port(&block.enter, source))
                        }
                        _ => 0.0,
                    };
                    (to, y)
                };
                (source, Net { from, from_y, to: targets.into_iter().map(target).collect() })
            })
            .collect();
        let mut level =
            Level { vertices, pieces: Vec::new(), layers: Vec::new(), ending: Vec::new(), beginning: Vec::new() };
        level.choose_layers(graph, &nets);
        level.cut(nets);
        Some(level)
    }

    /// The layer of each vertex: behind all that it is wired to.
    fn choose_layers(&mut self, graph: &Graph, nets: &[(usize, Net)]) {
        let edges: Vec<(usize, usize)> =
            nets.iter().flat_map(|(_, net)| net.to.iter().map(|(to, _)| (net.from, *to))).collect();
        let vertices = &mut self.vertices;
        let enters = vertices.iter().any(|vertex| matches!(vertex.what, VertexKind::Enter(_)));
        for vertex in vertices.iter_mut() {
            vertex.layer = usize::from(enters && !matches!(vertex.what, VertexKind::Enter(_)));
        }
        // As often as there are vertices, at most: wires have no cycles.
        for _ in 0..vertices.len() {
            let mut moved = false;
            for (from, to) in &edges {
                if vertices[*to].layer <= vertices[*from].layer {
                    vertices[*to].layer = vertices[*from].layer + 1;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        // What is made of nothing stands before the first that needs it.
        let is_constant = |what: &VertexKind| matches!(what, VertexKind::Node(at) if graph.nodes[*at].inputs.is_empty() && !graph.nodes[*at].end);
        for at in 0..vertices.len() {
            if is_constant(&vertices[at].what) {
                let users = edges.iter().filter(|(from, _)| *from == at).map(|(_, to)| vertices[*to].layer);
                vertices[at].layer = users.min().map_or(vertices[at].layer, |layer| layer - 1);
            }
        }
        let last = |all: &[Vertex], wanted: &dyn Fn(&VertexKind) -> bool| {
            all.iter().filter(|vertex| wanted(&vertex.what)).map(|vertex| vertex.layer).max().unwrap_or(0)
        };
        // Outputs stand in the last layer, and what leaves behind it.
        let leaves = |what: &VertexKind| matches!(what, VertexKind::Leave(_));
        let is_output = |what: &VertexKind| matches!(what, VertexKind::Node(at) if graph.nodes[*at].end && !graph.nodes[*at].inputs.is_empty());
        let inner = last(vertices, &|what| !leaves(what));
        for at in 0..vertices.len() {
            let ends = edges.iter().filter(|(from, _)| *from == at).all(|(_, to)| leaves(&vertices[*to].what));
            if ends && is_output(&vertices[at].what) {
                vertices[at].layer = inner;
            }
        }
        vertices.iter_mut().filter(|vertex| leaves(&vertex.what)).for_each(|vertex| vertex.layer = inner + 1);
    }

    /// Cuts wires into pieces, and gives them a place in every layer that they pass.
    fn cut(&mut self, nets: Vec<(usize, Net)>) {
        for (source, net) in nets {
            let first = self.vertices[net.from].layer;
            let furthest = net.to.iter().map(|(to, _)| self.vertices[*to].layer).max().unwrap_or(first);
            // Where the wire is in each layer from that of its node on.
            let mut way = vec![(net.from, net.from_y)];
            for layer in first + 1..furthest {
                self.vertices.push(Vertex {
                    what: VertexKind::Pass(source),
                    width: 0.0,
                    height: 0.0,
                    layer,
                    fixed: None,
                });
                let (from, from_y) = way[way.len() - 1];
                let to = self.vertices.len() - 1;
                self.pieces.push(Piece { from, from_y, to, to_y: 0.0, source });
                way.push((to, 0.0));
            }
            for (to, to_y) in net.to {
                let before = self.vertices[to].layer.saturating_sub(first + 1);
                if let Some(&(from, from_y)) = way.get(before) {
                    self.pieces.push(Piece { from, from_y, to, to_y, source });
                }
            }
        }
        let last = self.vertices.iter().map(|vertex| vertex.layer).max().unwrap_or(0);
        self.layers = vec![Vec::new(); last + 1];
        for (at, vertex) in self.vertices.iter().enumerate() {
            self.layers[vertex.layer].push(at);
        }
        self.layers.retain(|layer| !layer.is_empty());
        self.ending = vec![Vec::new(); self.vertices.len()];
        self.beginning = vec![Vec::new(); self.vertices.len()];
        for piece in &self.pieces {
            self.ending[piece.to].push(*piece);
            self.beginning[piece.from].push(*piece);
        }
    }
}

/// The vertex of a node in a frame: the node itself, or the inner frame that contains it; `None` if the node is
/// outside.
fn place(graph: &Graph, frame: Option<usize>, node: usize) -> Option<VertexKind> {
    let mut what = VertexKind::Node(node);
    let mut around = graph.nodes[node].frame;
    while around != frame {
        let inner = around?;
        what = VertexKind::Frame(inner);
        around = graph.frames[inner].parent;
    }
    Some(what)
}
