//! The order within each layer, with few crossings: boxes move to the barycentre of their neighbours in the layer
//! before and then in the layer after, several times, and the order with the fewest crossings is kept.

use super::level::Level;

/// How often layers are put in order.
const TIMES: usize = 24;

/// Orders the layers.
pub(super) fn order(level: &mut Level) {
    keep_fixed(level);
    let mut best = (crossings(level), level.layers.clone());
    for time in 0..TIMES {
        let forwards = time % 2 == 0;
        let count = level.layers.len();
        for step in 1..count {
            arrange(level, if forwards { step } else { count - 1 - step }, forwards);
        }
        keep_fixed(level);
        let found = crossings(level);
        if found < best.0 {
            best = (found, level.layers.clone());
        }
    }
    level.layers = best.1;
}

/// Orders a layer by what its vertices are wired to on one side.
fn arrange(level: &mut Level, layer: usize, forwards: bool) {
    riesz_limit::poll();
    let at = positions(level);
    let mut keys: Vec<(f64, usize)> = Vec::with_capacity(level.layers[layer].len());
    for vertex in &level.layers[layer] {
        let pieces = if forwards { &level.ending[*vertex] } else { &level.beginning[*vertex] };
        let ends = pieces.iter().map(|piece| {
            let (end, y) = if forwards { (piece.from, piece.from_y) } else { (piece.to, piece.to_y) };
            at[end] + part(level, end, y)
        });
        let (count, sum) = ends.fold((0.0, 0.0), |(count, sum), end| (count + 1.0, sum + end));
        keys.push((if count > 0.0 { sum / count } else { at[*vertex] }, *vertex));
    }
    keys.sort_by(|a, b| a.0.total_cmp(&b.0));
    level.layers[layer] = keys.into_iter().map(|(_, vertex)| vertex).collect();
}

/// Puts inputs and outputs into their own order, at the places that they have together.
fn keep_fixed(level: &mut Level) {
    let Level { layers, vertices, .. } = level;
    for layer in layers {
        let places: Vec<usize> = (0..layer.len()).filter(|at| vertices[layer[*at]].fixed.is_some()).collect();
        let mut fixed: Vec<usize> = places.iter().map(|at| layer[*at]).collect();
        fixed.sort_by_key(|vertex| vertices[*vertex].fixed);
        places.into_iter().zip(fixed).for_each(|(at, vertex)| layer[at] = vertex);
    }
}

/// Where each vertex stands in its layer.
fn positions(level: &Level) -> Vec<f64> {
    let mut at = vec![0.0; level.vertices.len()];
    for layer in &level.layers {
        layer.iter().enumerate().for_each(|(place, vertex)| at[*vertex] = place as f64);
    }
    at
}

/// How far down a vertex something is, as a part of it.
fn part(level: &Level, vertex: usize, y: f64) -> f64 {
    let height = level.vertices[vertex].height;
    if height > 0.0 { 0.9 * y / height } else { 0.45 }
}

/// How many pairs of wires cross.
fn crossings(level: &Level) -> usize {
    let at = positions(level);
    let mut total = 0;
    let mut pieces: Vec<Vec<(f64, f64, usize)>> = vec![Vec::new(); level.layers.len()];
    for piece in &level.pieces {
        let ends =
            (at[piece.from] + part(level, piece.from, piece.from_y), at[piece.to] + part(level, piece.to, piece.to_y));
        pieces[level.vertices[piece.from].layer.min(level.layers.len() - 1)].push((ends.0, ends.1, piece.source));
    }
    for gap in pieces {
        for (place, a) in gap.iter().enumerate() {
            total += gap[place + 1..].iter().filter(|b| a.2 != b.2 && (a.0 - b.0) * (a.1 - b.1) < 0.0).count();
        }
    }
    total
}
