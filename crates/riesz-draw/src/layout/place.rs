//! The places of boxes in layers: as high as the boxes that they are wired to, without touching their neighbours.
//!
//! In a layer this is the least of `Σ w (y − wished)²` where neighbours keep their distance, which pools neighbours that
//! want to stand in each other's place.   [R. E. Barlow et al., Statistical Inference under Order Restrictions, 1972]

use super::level::{Level, VertexKind};
use super::{Area, Bend, MARGIN};
use std::collections::BTreeMap;

/// How often heights are chosen anew.
const TIMES: usize = 40;
/// The least distance between boxes, between a box and a wire, between wires.
const DOWN: [f64; 3] = [16.0, 12.0, 9.0];
/// The distance between layers.
const ACROSS: f64 = 34.0;

/// Areas for all vertices, the ways of wires, and the size of all.
pub(super) struct Placed {
    pub areas: Vec<Area>,
    pub wires: Vec<Vec<Bend>>,
    pub width: f64,
    pub height: f64,
}

impl Placed {
    /// Moves everything; what leaves, further to the right.
    pub fn shift(&mut self, x: f64, y: f64, right: f64) {
        let edge = self.width;
        let wider = |at: f64| if right > 0.0 && at >= edge - 1e-6 { at + right } else { at };
        for area in &mut self.areas {
            (area.x, area.y) = (wider(area.x) + x, area.y + y);
        }
        for bend in self.wires.iter_mut().flatten() {
            bend.from = (bend.from.0 + x, bend.from.1 + y);
            bend.between = (bend.between.0 + x, bend.between.1 + x);
            bend.to = (wider(bend.to.0) + x, bend.to.1 + y);
        }
    }
}

/// Places the vertices of a level.
pub(super) fn place(level: &Level) -> Placed {
    let tops = heights(level);
    let count = level.layers.len();
    let vertex = |at: usize| &level.vertices[at];
    let layer_of = {
        let mut layer_of = vec![0; level.vertices.len()];
        level.layers.iter().enumerate().for_each(|(layer, all)| all.iter().for_each(|at| layer_of[*at] = layer));
        layer_of
    };
    let widths: Vec<f64> =
        level.layers.iter().map(|layer| layer.iter().map(|at| vertex(*at).width).fold(0.0, f64::max)).collect();
    // Steep wires need more room.
    let mut gaps = vec![ACROSS; count];
    for piece in &level.pieces {
        let rise = (tops[piece.to] + piece.to_y - tops[piece.from] - piece.from_y).abs();
        let gap = &mut gaps[layer_of[piece.from]];
        *gap = gap.max(ACROSS + (0.14 * rise).min(56.0));
    }
    let first = level.layers[0].iter().any(|at| matches!(vertex(*at).what, VertexKind::Enter(_)));
    let last = level.layers[count - 1].iter().any(|at| matches!(vertex(*at).what, VertexKind::Leave(_)));
    let mut left = Vec::with_capacity(count);
    let mut x = if first { 0.0 } else { MARGIN };
    for layer in 0..count {
        left.push(x);
        x += widths[layer] + if layer + 1 < count { gaps[layer] } else { 0.0 };
    }
    let width = x + if last { 0.0 } else { MARGIN };
    let areas: Vec<Area> = (0..level.vertices.len())
        .map(|at| {
            let (layer, it) = (layer_of[at], vertex(at));
            let (x, width) = match it.what {
                VertexKind::Pass(_) => (left[layer], widths[layer]),
                _ => (left[layer] + (widths[layer] - it.width) / 2.0, it.width),
            };
            Area { x, y: tops[at], width, height: it.height }
        })
        .collect();
    let mut wires: BTreeMap<usize, Vec<Bend>> = BTreeMap::new();
    for piece in &level.pieces {
        let (from, to) = (&areas[piece.from], &areas[piece.to]);
        let bend = Bend {
            // A wire that passes a layer runs through it.
            from: (if is_pass(level, piece.from) { from.x } else { from.x + from.width }, from.y + piece.from_y),
            between: (left[layer_of[piece.from]] + widths[layer_of[piece.from]], left[layer_of[piece.to]]),
            to: (to.x, to.y + piece.to_y),
        };
        wires.entry(piece.source).or_default().push(bend);
    }
    let height = areas.iter().map(|area| area.y + area.height).fold(0.0, f64::max);
    Placed { areas, wires: wires.into_values().collect(), width, height }
}

fn is_pass(level: &Level, at: usize) -> bool {
    matches!(level.vertices[at].what, VertexKind::Pass(_))
}

/// The upper sides of all vertices, the highest of them 0.
fn heights(level: &Level) -> Vec<f64> {
    let mut tops = vec![0.0; level.vertices.len()];
    for layer in &level.layers {
        let wished = vec![0.0; layer.len()];
        settle(level, layer, &wished, &vec![1.0; layer.len()], &mut tops);
    }
    let count = level.layers.len();
    for time in 0..TIMES {
        let forwards = time % 2 == 0;
        for step in 0..count {
            let layer = &level.layers[if forwards { step } else { count - 1 - step }];
            let both = time >= TIMES / 2;
            let (mut wished, mut weights) = (Vec::with_capacity(layer.len()), Vec::with_capacity(layer.len()));
            for at in layer {
                let (mut sum, mut weight) = (0.0, 0.0);
                let before = level.ending[*at].iter().filter(|_| forwards || both);
                let after = level.beginning[*at].iter().filter(|_| !forwards || both);
                let before = before.map(|piece| (piece.from, piece.to_y, piece.from_y));
                for (other, here, there) in before.chain(after.map(|piece| (piece.to, piece.from_y, piece.to_y))) {
                    // Long wires are to be straight.
                    let pull = [1.0, 4.0, 16.0][usize::from(is_pass(level, other)) + usize::from(is_pass(level, *at))];
                    sum += pull * (tops[other] + there - here);
                    weight += pull;
                }
                wished.push(if weight > 0.0 { sum / weight } else { tops[*at] });
                weights.push(if weight > 0.0 { weight } else { 0.1 });
            }
            settle(level, layer, &wished, &weights, &mut tops);
        }
    }
    let highest = tops.iter().copied().fold(f64::INFINITY, f64::min);
    tops.iter().map(|top| top - highest).collect()
}

/// Puts the vertices of a layer as near to where they wish to be as their distances allow.
fn settle(level: &Level, layer: &[usize], wished: &[f64], weights: &[f64], tops: &mut [f64]) {
    riesz_limit::poll();
    // How far below the first each has to stand at least.
    let mut below = Vec::with_capacity(layer.len());
    let mut depth = 0.0;
    for (place, at) in layer.iter().enumerate() {
        below.push(depth);
        if let Some(next) = layer.get(place + 1) {
            let thin =
                usize::from(level.vertices[*at].height == 0.0) + usize::from(level.vertices[*next].height == 0.0);
            depth += level.vertices[*at].height + DOWN[thin];
        }
    }
    // Groups of neighbours that touch: where their first would stand, how much they weigh, how many there are.
    let mut groups: Vec<(f64, f64, usize)> = Vec::new();
    for place in 0..layer.len() {
        let mut group = (wished[place] - below[place], weights[place], 1);
        while let Some((top, weight, count)) = groups.pop_if(|(top, ..)| *top > group.0) {
            let both = weight + group.1;
            group = ((top * weight + group.0 * group.1) / both, both, count + group.2);
        }
        groups.push(group);
    }
    let mut place = 0;
    for (top, _, count) in groups {
        for _ in 0..count {
            tops[layer[place]] = top + below[place];
            place += 1;
        }
    }
}
