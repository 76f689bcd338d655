//! A network with two hidden layers of `tanh` and half the squared distance to what it should give.
//!
//! With one input every weight is read once on the way up, and once on the way down together with the row of the gradient
//! that is written. With many, everything is a product of matrices, in tiles that stay in registers.

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
    let wide = n / LANES * LANES;
    for (rows, to) in w.chunks(4 * n).zip(to.chunks_mut(4)) {
        let row = |at: usize| &rows[at.min(to.len() - 1) * n..][..n];
        let rows = [row(0), row(1), row(2), row(3)];
        let mut sums = [[V::ZERO; 2]; 4];
        let (mut at, mut half) = (0, 0);
        while at < wide {
            let x = V::load(&x[at..]);
            for (sum, row) in sums.iter_mut().zip(rows) {
                sum[half] = V::load(&row[at..]).fma(x, sum[half]);
            }
            at += LANES;
            half ^= 1;
        }
        for ((to, sum), row) in to.iter_mut().zip(sums).zip(rows) {
            *to = (sum[0] + sum[1]).sum() + row[wide..].iter().zip(&x[wide..]).map(|(a, b)| a * b).sum::<f64>();
        }
    }
}

/// `g = c hᵀ`, and `below = (wᵀ c) (1 − h²)`, from one walk over both matrices.
fn back(w: &[f64], h: &[f64], c: &[f64], g: &mut [f64], below: &mut [f64]) {
    let n = h.len();
    below.fill(0.0);
    for ((rows, g), c) in w.chunks(4 * n).zip(g.chunks_mut(4 * n)).zip(c.chunks(4)) {
        if let ([c0, c1, c2, c3], true) = (c, rows.len() == 4 * n) {
            let (r0, rest) = rows.split_at(n);
            let (r1, rest) = rest.split_at(n);
            let (r2, r3) = rest.split_at(n);
            let (g0, rest) = g.split_at_mut(n);
            let (g1, rest) = rest.split_at_mut(n);
            let (g2, g3) = rest.split_at_mut(n);
            for i in 0..n {
                below[i] += c0 * r0[i] + c1 * r1[i] + (c2 * r2[i] + c3 * r3[i]);
                g0[i] = c0 * h[i];
                g1[i] = c1 * h[i];
                g2[i] = c2 * h[i];
                g3[i] = c3 * h[i];
            }
        } else {
            for ((row, g), c) in rows.chunks_exact(n).zip(g.chunks_exact_mut(n)).zip(c) {
                for i in 0..n {
                    below[i] += c * row[i];
                    g[i] = c * h[i];
                }
            }
        }
    }
    for (below, h) in below.iter_mut().zip(h) {
        *below *= 1.0 - h * h;
    }
}

/// A matrix: numbers, and how far apart rows and columns are.
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
const DEPTH: usize = 256;

/// `to = a b`, where `to` has rows of a length and `a` columns of a number. Both factors are packed into strips as tall
/// or wide as a tile, so that a tile reads both from end to end.
fn product(to: &mut [f64], length: usize, a: Matrix, b: Matrix, inner: usize) {
    let height = to.len() / length;
    to.fill(0.0);
    let mut left = vec![0.0; height.next_multiple_of(ROWS) * DEPTH];
    let mut right = vec![V::ZERO; length.next_multiple_of(COLUMNS) / LANES * DEPTH];
    for start in (0..inner).step_by(DEPTH) {
        let depth = DEPTH.min(inner - start);
        for (strip, first) in left.chunks_mut(ROWS * depth).zip((0..height).step_by(ROWS)) {
            for (row, i) in (first..height.min(first + ROWS)).enumerate() {
                for k in 0..depth {
                    strip[k * ROWS + row] = a.numbers[i * a.row + (start + k) * a.column];
                }
            }
        }
        for (strip, first) in right.chunks_mut(2 * depth).zip((0..length).step_by(COLUMNS)) {
            let wide = first + COLUMNS <= length;
            for k in 0..depth {
                let at = (start + k) * b.row + first * b.column;
                if wide && b.column == 1 {
                    strip[2 * k] = V::load(&b.numbers[at..]);
                    strip[2 * k + 1] = V::load(&b.numbers[at + LANES..]);
                } else {
                    for column in 0..COLUMNS {
                        let inside = first + column < length;
                        strip[2 * k + column / LANES].0[column % LANES] =
                            if inside { b.numbers[at + column * b.column] } else { 0.0 };
                    }
                }
            }
        }
        for (right, first) in right.chunks(2 * depth).zip((0..length).step_by(COLUMNS)) {
            for (left, top) in left.chunks(ROWS * depth).zip((0..height).step_by(ROWS)) {
                let mut sums = [[V::ZERO; 2]; ROWS];
                for (left, right) in left.chunks_exact(ROWS).zip(right.chunks_exact(2)) {
                    for (sums, left) in sums.iter_mut().zip(left) {
                        let left = V::all(*left);
                        *sums = [left.fma(right[0], sums[0]), left.fma(right[1], sums[1])];
                    }
                }
                for (row, sums) in sums.iter().enumerate().take(height - top) {
                    let to = &mut to[(top + row) * length + first..][..COLUMNS.min(length - first)];
                    for (column, to) in to.iter_mut().enumerate() {
                        *to += sums[column / LANES].0[column % LANES];
                    }
                }
            }
        }
    }
}
