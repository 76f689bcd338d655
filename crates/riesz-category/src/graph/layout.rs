//! Where the nodes of a graph stand: inputs on the left, outputs on the right, frames around what is in them.
//!
//! A node stands in the column after the last of those that it is wired to. A frame is laid out by itself, and then stands in
//! its parent as one large node, wired to whatever its nodes are wired to outside.

use super::Graph;

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The places of nodes and frames, and the size of the whole.
pub(super) struct Layout {
    pub nodes: Vec<Area>,
    pub frames: Vec<Area>,
    pub size: (f64, f64),
}

const HEIGHT: f64 = 28.0;
const ACROSS: f64 = 40.0;
const DOWN: f64 = 16.0;
const MARGIN: f64 = 18.0;
const TITLE: f64 = 18.0;
const LETTER: f64 = 8.5;

impl Layout {
    pub fn new(graph: &Graph) -> Layout {
        let mut layout = Layout {
            nodes: graph
                .nodes
                .iter()
                .map(|node| Area { width: width(&node.label), height: HEIGHT, ..Area::default() })
                .collect(),
            frames: vec![Area::default(); graph.frames.len()],
            size: (0.0, 0.0),
        };
        // Frames stand after those around them, so the innermost come first from the end.
        for frame in (0..graph.frames.len()).rev() {
            let (width, height) = layout.place(graph, Some(frame));
            layout.frames[frame] =
                Area { width: width + 2.0 * MARGIN, height: height + 2.0 * MARGIN + TITLE, ..Area::default() };
        }
        let (width, height) = layout.place(graph, None);
        layout.size = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
        layout.shift(graph, None, MARGIN, MARGIN);
        layout
    }

    /// Places what stands in a frame, from the corner of the frame on, and says how large it is.
    fn place(&mut self, graph: &Graph, frame: Option<usize>) -> (f64, f64) {
        let items = items(graph, frame);
        let columns = columns(graph, frame, &items);
        let mut x = 0.0;
        let mut height: f64 = 0.0;
        for column in &columns {
            let wide = column.iter().map(|item| self.area(*item).width).fold(0.0, f64::max);
            // Beside what it is wired to, in order.
            let mut order: Vec<(f64, Item)> =
                column.iter().map(|item| (self.middle(graph, frame, *item, &items), *item)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut y: f64 = 0.0;
            for (wished, item) in order {
                let tall = self.area(item).height;
                let top = if wished.is_finite() { y.max(wished - tall / 2.0) } else { y };
                let area = self.area_mut(item);
                (area.x, area.y) = (x + (wide - area.width) / 2.0, top);
                y = top + tall + DOWN;
            }
            height = height.max(y - DOWN);
            x += wide + ACROSS;
        }
        (x - ACROSS, height)
    }

    /// The height at which what an item is wired to stands, on average; infinite where it is wired to nothing here.
    fn middle(&self, graph: &Graph, frame: Option<usize>, item: Item, items: &[Item]) -> f64 {
        let sources = sources(graph, frame, item);
        let heights: Vec<f64> = sources
            .into_iter()
            .filter(|source| items.contains(source) && *source != item)
            .map(|source| self.area(source).y + self.area(source).height / 2.0)
            .collect();
        if heights.is_empty() { f64::INFINITY } else { heights.iter().sum::<f64>() / heights.len() as f64 }
    }

    /// From places in frames to places on the sheet.
    fn shift(&mut self, graph: &Graph, frame: Option<usize>, x: f64, y: f64) {
        for item in items(graph, frame) {
            let area = self.area_mut(item);
            (area.x, area.y) = (area.x + x, area.y + y);
            let area = *area;
            if let Item::Frame(inner) = item {
                self.shift(graph, Some(inner), area.x + MARGIN, area.y + MARGIN + TITLE);
            }
        }
    }

    fn area(&self, item: Item) -> Area {
        match item {
            Item::Node(at) => self.nodes[at],
            Item::Frame(at) => self.frames[at],
        }
    }

    fn area_mut(&mut self, item: Item) -> &mut Area {
        match item {
            Item::Node(at) => &mut self.nodes[at],
            Item::Frame(at) => &mut self.frames[at],
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Item {
    Node(usize),
    Frame(usize),
}

fn width(label: &str) -> f64 {
    (label.chars().count() as f64 * LETTER + 18.0).max(HEIGHT)
}

fn items(graph: &Graph, frame: Option<usize>) -> Vec<Item> {
    let nodes = (0..graph.nodes.len()).filter(|at| graph.nodes[*at].frame == frame).map(Item::Node);
    nodes.chain((0..graph.frames.len()).filter(|at| graph.frames[*at].parent == frame).map(Item::Frame)).collect()
}

/// The item of a frame that a node is, or stands in; none where it stands outside of the frame.
fn item_of(graph: &Graph, frame: Option<usize>, node: usize) -> Option<Item> {
    let mut item = Item::Node(node);
    let mut around = graph.nodes[node].frame;
    while around != frame {
        let inner = around?;
        item = Item::Frame(inner);
        around = graph.frames[inner].parent;
    }
    Some(item)
}

/// The items of a frame that an item is wired to.
fn sources(graph: &Graph, frame: Option<usize>, item: Item) -> Vec<Item> {
    let nodes: Vec<usize> = match item {
        Item::Node(at) => vec![at],
        Item::Frame(_) => (0..graph.nodes.len()).filter(|at| item_of(graph, frame, *at) == Some(item)).collect(),
    };
    nodes
        .into_iter()
        .flat_map(|at| graph.nodes[at].inputs.iter())
        .filter_map(|input| item_of(graph, frame, *input))
        .filter(|source| *source != item)
        .collect()
}

/// Items by columns, each behind what it is wired to. What ends here stands in the last.
fn columns(graph: &Graph, frame: Option<usize>, items: &[Item]) -> Vec<Vec<Item>> {
    let mut column = vec![0usize; items.len()];
    // As often as there are items, at most: wires have no cycles.
    for _ in 0..items.len() {
        let mut moved = false;
        for (at, item) in items.iter().enumerate() {
            for source in sources(graph, frame, *item) {
                if let Some(behind) = items.iter().position(|other| *other == source)
                    && column[at] <= column[behind]
                    && column[behind] < items.len()
                {
                    column[at] = column[behind] + 1;
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
    }
    let last = column.iter().copied().max().unwrap_or(0);
    for (at, item) in items.iter().enumerate() {
        if let Item::Node(node) = item
            && graph.nodes[*node].end
            && !graph.nodes[*node].inputs.is_empty()
        {
            column[at] = last;
        }
    }
    let mut columns = vec![Vec::new(); last + 1];
    items.iter().zip(column).for_each(|(item, column)| columns[column].push(*item));
    columns.retain(|column: &Vec<Item>| !column.is_empty());
    columns
}
