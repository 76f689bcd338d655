//! The layout of a graph: inputs on the left, outputs on the right, frames around their contents, and no wire behind a
//! box.   [K. Sugiyama, S. Tagawa, M. Toda, 1981]
//!
//! 1. A frame is laid out before the frame around it, in which it is one large box. It has ports where wires enter or
//!    leave.
//! 2. Boxes are in layers, each after the boxes that it is wired to. A wire across several layers has a position in
//!    each of them, like a box ([`level`]).
//! 3. In its layer each box is near its neighbours in the graph, so that few wires cross ([`order`]), and at about the
//!    same height ([`place`]).
//!
//! Wires bend between the layers, where there are no boxes, and run straight through their positions in the layers.

mod level;
mod order;
mod place;

use super::Graph;
use level::{Level, VertexKind};

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// Its left side.
    pub x: f64,
    /// Its upper side.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// A wire from one layer to the next: straight to where the layer ends, a bend, and straight on.
#[derive(Clone, Copy, Debug)]
pub struct Bend {
    /// Its beginning.
    pub from: (f64, f64),
    /// Between which two places it bends; the first is as high as the beginning, the second as the end.
    pub between: (f64, f64),
    /// Its end.
    pub to: (f64, f64),
}

/// The places of nodes and frames, the ways of wires, and the size of the whole.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The boxes of the nodes.
    pub nodes: Vec<Area>,
    /// The boxes of the frames; none of a frame in which there is nothing.
    pub frames: Vec<Option<Area>>,
    /// The wires, in pieces: those from one node.
    pub wires: Vec<Vec<Bend>>,
    /// How wide and how high all is.
    pub size: (f64, f64),
}

pub(super) const HEIGHT: f64 = 28.0;
pub(super) const MARGIN: f64 = 18.0;
pub(super) const TITLE: f64 = 20.0;
pub(super) const LETTER: f64 = 8.8;

impl Layout {
    /// Lays out a graph.
    pub fn new(graph: &Graph) -> Layout {
        let mut blocks: Vec<Option<Block>> = (0..graph.frames.len()).map(|_| None).collect();
        // Frames stand after those around them, so the innermost come first from the end.
        for frame in (0..graph.frames.len()).rev() {
            blocks[frame] = Block::new(graph, Some(frame), &blocks);
        }
        let mut layout = Layout {
            nodes: vec![Area::default(); graph.nodes.len()],
            frames: vec![None; graph.frames.len()],
            wires: Vec::new(),
            size: (2.0 * MARGIN, 2.0 * MARGIN),
        };
        if let Some(root) = Block::new(graph, None, &blocks) {
            layout.size = (root.width, root.height);
            layout.put(&root, &blocks, 0.0, 0.0);
        }
        layout
    }

    /// From places in frames to places on the sheet.
    fn put(&mut self, block: &Block, blocks: &[Option<Block>], x: f64, y: f64) {
        let moved = |(a, b): (f64, f64)| (a + x, b + y);
        for wire in &block.wires {
            let shift = |bend: &Bend| Bend {
                from: moved(bend.from),
                between: (bend.between.0 + x, bend.between.1 + x),
                to: moved(bend.to),
            };
            self.wires.push(wire.iter().map(shift).collect());
        }
        for (what, area) in &block.inside {
            let area = Area { x: area.x + x, y: area.y + y, ..*area };
            match what {
                VertexKind::Node(node) => self.nodes[*node] = area,
                VertexKind::Frame(frame) => {
                    self.frames[*frame] = Some(area);
                    if let Some(inner) = &blocks[*frame] {
                        self.put(inner, blocks, area.x, area.y);
                    }
                }
                VertexKind::Enter(_) | VertexKind::Leave(_) | VertexKind::Pass(_) => {}
            }
        }
    }
}

/// The contents of a frame, relative to the corner of the frame.
struct Block {
    width: f64,
    height: f64,
    inside: Vec<(VertexKind, Area)>,
    wires: Vec<Vec<Bend>>,
    /// How high the wires of nodes outside enter, and those of nodes inside leave.
    enter: Vec<(usize, f64)>,
    leave: Vec<(usize, f64)>,
}

impl Block {
    /// Lays out what stands in a frame; none where there is nothing.
    fn new(graph: &Graph, frame: Option<usize>, blocks: &[Option<Block>]) -> Option<Block> {
        let mut level = Level::new(graph, frame, blocks)?;
        order::order(&mut level);
        let mut placed = place::place(&level);
        let title = frame.map(|frame| graph.frames[frame].title.chars().count() as f64 * LETTER + 24.0);
        let top = MARGIN + if frame.is_some() { TITLE } else { 0.0 };
        let missing = (title.unwrap_or(0.0) - placed.width).max(0.0);
        placed.shift(0.0, top, missing);
        let inside: Vec<(VertexKind, Area)> = level.vertices.iter().map(|it| it.what).zip(placed.areas).collect();
        let ports = |wanted: fn(&VertexKind) -> Option<usize>| {
            inside.iter().filter_map(|(what, area)| Some((wanted(what)?, area.y))).collect()
        };
        let enter = ports(|what| if let VertexKind::Enter(source) = what { Some(*source) } else { None });
        let leave = ports(|what| if let VertexKind::Leave(source) = what { Some(*source) } else { None });
        let (width, height) = (placed.width + missing, placed.height + top + MARGIN);
        Some(Block { width, height, inside, wires: placed.wires, enter, leave })
    }
}
