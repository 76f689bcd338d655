//! A network with two hidden layers of `tanh`, and half the squared distance to the target.
//!
//! With one input every weight is read once in the forward pass, and once in the reverse pass together with the row of
//! the gradient that is written. With many inputs, everything is a product of matrices, in tiles that stay in
//! registers.

use crate::array;
use crate::lanes::{LANES, V};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn network_value(arguments: *const u64, to: *mut f64) {
    let network = unsafe { Network::new(arguments) };
    unsafe { *to = network.value() };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn network(arguments: *const u64, to: *mut f64) {
    let network = unsafe { Network::new(arguments) };
    let to = unsafe { std::slice::from_raw_parts_mut(to, network.parameters()) };
    match network.batch {
        1 => network.gradient_of_one(to),
        _ => network.gradient_of_many(to),
    }
}

struct Network<'a> {
    w: [&'a [f64]; 3],
    b: [&'a [f64]; 3],
    x: &'a [f64],
    t: &'a [f64],
    batch: usize,
}

impl<'a> Network<'a> {
    unsafe fn new(arguments: *const u64) -> Network<'a> {
        let part = |at: usize| unsafe { array(arguments.add(2 * at)) };
        let (w, b) = ([0, 2, 4].map(part), [1, 3, 5].map(part));
        let (x, t) = (part(6), part(7));
        Network { w, b, x, t, batch: t.len() / b[2].len() }
    }

    fn parameters(&self) -> usize {
        self.w.iter().chain(&self.b).map(|part| part.len()).sum()
    }

    fn value(&self) -> f64 {
        let outputs = self.forward();
        outputs[2].iter().zip(self.t).map(|(o, t)| (o - t) * (o - t)).sum::<f64>() / 2.0
    }

    /// What each layer gives, input by input.
    fn forward(&self) -> [Vec<f64>; 3] {
        let layer = |at: usize, input: &[f64]| {
            let (w, b) = (self.w[at], self.b[at]);
            let mut output = vec![0.0; self.batch * b.len()];
            match self.batch {
                1 => times(w, input, &mut output),
                _ => {
                    let inner = input.len() / self.batch;
                    let (x, w) = (Matrix::of_rows(input, inner), Matrix::of_rows(w, inner).transposed());
                    product(&mut output, b.len(), x, w, inner);
                }
            }
            for row in output.chunks_exact_mut(b.len()) {
                for (to, b) in row.iter_mut().zip(b) {
                    *to += b;
                }
            }
            if at < 2 {
                tanh(&mut output);
            }
            output
        };
        let first = layer(0, self.x);
        let second = layer(1, &first);
        let third = layer(2, &second);
        [first, second, third]
    }

    fn gradient_of_one(&self, to: &mut [f64]) {
        let [h1, h2, output] = self.forward();
        let [g1, c1, g2, c2, g3, c3] = self.split(to);
        for ((c, o), t) in c3.iter_mut().zip(&output).zip(self.t) {
            *c = o - t;
        }
        back(self.w[2], &h2, c3, g3, c2);
        back(self.w[1], &h1, c2, g2, c1);
        for (g, c) in g1.chunks_exact_mut(self.x.len()).zip(c1.iter()) {
            for (g, x) in g.iter_mut().zip(self.x) {
                *g = c * x;
            }
        }
    }

    fn gradient_of_many(&self, to: &mut [f64]) {
        let outputs = self.forward();
        let inputs = [self.x, &outputs[0], &outputs[1]];
        let [g1, c1, g2, c2, g3, c3] = self.split(to);
        let mut cotangent: Vec<f64> = outputs[2].iter().zip(self.t).map(|(o, t)| o - t).collect();
        for (at, (g, c)) in [(g1, c1), (g2, c2), (g3, c3)].into_iter().enumerate().rev() {
            let (outs, ins) = (c.len(), inputs[at].len() / self.batch);
            c.fill(0.0);
            for row in cotangent.chunks_exact(outs) {
                for (to, row) in c.iter_mut().zip(row) {
                    *to += row;
                }
            }
            let above = Matrix::of_rows(&cotangent, outs);
            product(g, ins, above.transposed(), Matrix::of_rows(inputs[at], ins), self.batch);
            if at > 0 {
                let mut below = vec![0.0; self.batch * ins];
                product(&mut below, ins, above, Matrix::of_rows(self.w[at], ins), outs);
                for (c, h) in below.iter_mut().zip(inputs[at]) {
                    *c *= 1.0 - h * h;
                }
                cotangent = below;
            }
        }
    }

    fn split<'b>(&self, to: &'b mut [f64]) -> [&'b mut [f64]; 6] {
        let mut rest = to;
        [self.w[0], self.b[0], self.w[1], self.b[1], self.w[2], self.b[2]].map(|part| {
            let (first, others) = std::mem::take(&mut rest).split_at_mut(part.len());
            rest = others;
            first
        })
    }
}

fn tanh(values: &mut [f64]) {
    let (eights, rest) = values.as_chunks_mut::<LANES>();
    for eight in eights {
        *eight = V(*eight).tanh().0;
    }
    for value in rest {
        *value = value.tanh();
    }
}

/// `to = w x`, four rows at a time.
fn times(w: &[f64], x: &[f64], to: &mut [f64]) {
    let n = x.len();
    assert!(n % LANES == 0, "layers are a multiple of eight wide");
    let (x, _) = x.as_chunks::<LANES>();
    for (rows, to) in w.chunks(4 * n).zip(to.chunks_mut(4)) {
        // Where fewer than four rows are left, the last stands for those that are missing.
        let row = |at: usize| rows[at.min(to.len() - 1) * n..][..n].as_chunks::<LANES>().0;
        let mut sums = [V::ZERO; 4];
        for ((((x, a), b), c), d) in x.iter().zip(row(0)).zip(row(1)).zip(row(2)).zip(row(3)) {
            for (sum, row) in sums.iter_mut().zip([a, b, c, d]) {
                *sum = V(*row).fma(V(*x), *sum);
            }
        }
        for (to, sum) in to.iter_mut().zip(sums) {
            *to = sum.sum();
        }
    }
}

/// `g = c hᵀ`, and `below = (wᵀ c) (1 − h²)`, from one walk over both matrices.
fn back(w: &[f64], h: &[f64], c: &[f64], g: &mut [f64], below: &mut [f64]) {
    let n = h.len();
    assert!(n % LANES == 0, "layers are a multiple of eight wide");
    below.fill(0.0);
    let (h, _) = h.as_chunks::<LANES>();
    let (below, _) = below.as_chunks_mut::<LANES>();
    for ((row, g), c) in w.chunks_exact(n).zip(g.chunks_exact_mut(n)).zip(c) {
        let (row, g, c) = (row.as_chunks::<LANES>().0, g.as_chunks_mut::<LANES>().0, V::all(*c));
        for (((below, row), g), h) in below.iter_mut().zip(row).zip(g).zip(h) {
            *below = c.fma(V(*row), V(*below)).0;
            *g = (c * V(*h)).0;
        }
    }
    for (below, h) in below.iter_mut().zip(h) {
        *below = (V(*below) * (V::all(1.0) - V(*h) * V(*h))).0;
    }
}

/// A matrix: numbers, and how far apart rows and columns are; one of them is 1.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    numbers: &'a [f64],
    row: usize,
    column: usize,
}

impl<'a> Matrix<'a> {
    fn of_rows(numbers: &'a [f64], length: usize) -> Matrix<'a> {
        Matrix { numbers, row: length, column: 1 }
    }

    fn transposed(self) -> Matrix<'a> {
        Matrix { row: self.column, column: self.row, ..self }
    }
}

/// A tile of the result: twelve rows by two vectors, in registers.
const ROWS: usize = 12;
const COLUMNS: usize = 2 * LANES;
/// How much of the inner dimension is packed at a time.
const DEPTH: usize = 392;

/// `to = a b`, where `to` has rows of a length and `a` columns of a number. Both factors are packed into strips as tall
/// or wide as a tile, so that a tile reads both from end to end.
fn product(to: &mut [f64], length: usize, a: Matrix, b: Matrix, inner: usize) {
    let height = to.len() / length;
    to.fill(0.0);
    let mut left = vec![0.0; height.next_multiple_of(ROWS) * DEPTH];
    let mut right = vec![0.0; length.next_multiple_of(COLUMNS) * DEPTH];
    for start in (0..inner).step_by(DEPTH) {
        let depth = DEPTH.min(inner - start);
        for (strip, first) in left.chunks_mut(ROWS * depth).zip((0..height).step_by(ROWS)) {
            pack(strip, ROWS, first..height.min(first + ROWS), a, start..start + depth);
        }
        for (strip, first) in right.chunks_mut(COLUMNS * depth).zip((0..length).step_by(COLUMNS)) {
            pack(strip, COLUMNS, first..length.min(first + COLUMNS), b.transposed(), start..start + depth);
        }
        for (right, first) in right.chunks(COLUMNS * depth).zip((0..length).step_by(COLUMNS)) {
            for (left, top) in left.chunks(ROWS * depth).zip((0..height).step_by(ROWS)) {
                let sums = tile(left.as_chunks::<ROWS>().0, right.as_chunks::<COLUMNS>().0);
                for (row, sums) in sums.iter().enumerate().take(height - top) {
                    let to = &mut to[(top + row) * length + first..][..COLUMNS.min(length - first)];
                    if let Some(to) = to.first_chunk_mut::<COLUMNS>() {
                        for (to, sum) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(sums) {
                            *to = (V(*to) + *sum).0;
                        }
                    } else {
                        for (column, to) in to.iter_mut().enumerate() {
                            *to += sums[column / LANES].0[column % LANES];
                        }
                    }
                }
            }
        }
    }
}

/// The products of twelve rows and sixteen columns, in 24 registers.
#[inline(never)]
fn tile(left: &[[f64; ROWS]], right: &[[f64; COLUMNS]]) -> [[V; 2]; ROWS] {
    let mut sums = [[V::ZERO; 2]; ROWS];
    for (left, right) in left.iter().zip(right) {
        let (first, second) = (V::load(&right[..LANES]), V::load(&right[LANES..]));
        for row in 0..ROWS {
            let left = V::all(left[row]);
            sums[row][0] = left.fma(first, sums[row][0]);
            sums[row][1] = left.fma(second, sums[row][1]);
        }
    }
    sums
}

/// Rows of a matrix side by side: `to[k · width + row]`. Whichever is contiguous is read from end to end.
fn pack(to: &mut [f64], width: usize, rows: std::ops::Range<usize>, from: Matrix, columns: std::ops::Range<usize>) {
    if from.row == 1 {
        for (to, column) in to.chunks_exact_mut(width).zip(columns) {
            let from = &from.numbers[column * from.column..][rows.clone()];
            to[..from.len()].copy_from_slice(from);
        }
    } else {
        for (at, row) in rows.enumerate() {
            let from = &from.numbers[row * from.row..][columns.clone()];
            for (to, from) in to.chunks_exact_mut(width).zip(from) {
                to[at] = *from;
            }
        }
    }
}
