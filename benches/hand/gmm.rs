//! The log likelihood of a Gaussian mixture with a Wishart prior (ADBench), with respect to weights, means and factors.
//!
//! Eight points at a time. With `c = x − μ` and `z = Q c`, the gradient with respect to `Q` is `−Σ w z cᵀ`; the factor
//! `Q` is the same for all points, so `z` is not needed: `−Q · Σ w c cᵀ`, half the work, since `c cᵀ` is symmetric.
//! Weights are computed for all points first; then each component has its sums in registers, a tile of them at a time.

use crate::array;
use crate::lanes::{LANES, V};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gmm_value(arguments: *const u64, to: *mut f64) {
    let model = unsafe { Model::new(arguments) };
    let (weights, value) = model.weights();
    drop(weights);
    unsafe { *to = value };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gmm(arguments: *const u64, to: *mut f64) {
    let model = unsafe { Model::new(arguments) };
    let Model { k, d, t, .. } = model;
    let to = unsafe { std::slice::from_raw_parts_mut(to, k + 2 * k * d + k * t) };
    let (weights, _) = model.weights();
    let mut moments = Moments::new(d);
    for c in 0..k {
        moments.add_up(&model, c, &weights[c * model.blocks..(c + 1) * model.blocks]);
        let q = model.factor(c);
        let gradient = Gradient::new(&q, &moments);
        model.store(c, &gradient, to);
    }
    model.prior(to);
}

/// The derivative of the gradient along a direction, whose parts come behind the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gmm_hvp(arguments: *const u64, to: *mut f64) {
    let model = unsafe { Model::new(arguments) };
    let part = |at: usize| unsafe { array(arguments.add(12 + 2 * at)) };
    let direction = Direction { alphas: part(0), means: part(1), qs: part(2), ls: part(3) };
    let Model { k, d, t, .. } = model;
    let to = unsafe { std::slice::from_raw_parts_mut(to, k + 2 * k * d + k * t) };
    let (weights, changes) = model.changes(&direction);
    let (mut moments, mut moved) = (Moments::new(d), Moments::new(d));
    for c in 0..k {
        let blocks = c * model.blocks..(c + 1) * model.blocks;
        moments.add_up(&model, c, &weights[blocks.clone()]);
        moved.add_up(&model, c, &changes[blocks]);
        // The centred points move by −dμ.
        let by = &direction.means[c * d..(c + 1) * d];
        for i in 0..d {
            for j in 0..=i {
                moved.second[i * d + j] -= by[i] * moments.first[j] + moments.first[i] * by[j];
            }
        }
        for i in 0..d {
            for j in 0..i {
                moved.second[j * d + i] = moved.second[i * d + j];
            }
        }
        let first: Vec<f64> = (0..d).map(|i| moved.first[i] - by[i] * moments.total).collect();
        // Products of two moments with by, the second order of c cᵀ, are not there: the derivative is of first order.
        let (q, dq) = (model.factor(c), model.factor_change(c, &direction));
        let old = Gradient::new(&q, &moments);
        let mut change = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..=i {
                change[i * d + j] = -(0..=i)
                    .map(|m| dq[i * d + m] * moments.second[m * d + j] + q[i * d + m] * moved.second[m * d + j])
                    .sum::<f64>();
            }
        }
        let apply = |a: &[f64], v: &[f64]| -> Vec<f64> {
            (0..d).map(|i| (0..=i).map(|j| a[i * d + j] * v[j]).sum()).collect()
        };
        let transposed = |a: &[f64], v: &[f64]| -> Vec<f64> {
            (0..d).map(|j| (j..d).map(|i| a[i * d + j] * v[i]).sum()).collect()
        };
        let inner = apply(&q, &moments.first);
        let inner_change: Vec<f64> =
            apply(&dq, &moments.first).iter().zip(apply(&q, &first)).map(|(a, b)| a + b).collect();
        let means = transposed(&dq, &inner).iter().zip(transposed(&q, &inner_change)).map(|(a, b)| a + b).collect();
        // By q the diagonal is multiplied with its own exponential.
        let diagonal = (0..d)
            .map(|i| dq[i * d + i] * old.factor[i * d + i] + q[i * d + i] * change[i * d + i] + moved.total)
            .collect();
        let gradient = Gradient { total: moved.total, means, factor: change, diagonal };
        model.store(c, &gradient, to);
    }
    model.prior_change(&direction, to);
}

struct Model<'a> {
    alphas: &'a [f64],
    means: &'a [f64],
    qs: &'a [f64],
    ls: &'a [f64],
    /// Points in blocks of eight: one vector for each coordinate. What is missing in the last block is its first point.
    points: Vec<V>,
    /// One for each point that is there.
    present: Vec<V>,
    gamma: f64,
    m: f64,
    k: usize,
    d: usize,
    t: usize,
    n: usize,
    blocks: usize,
}

struct Direction<'a> {
    alphas: &'a [f64],
    means: &'a [f64],
    qs: &'a [f64],
    ls: &'a [f64],
}

impl<'a> Model<'a> {
    unsafe fn new(arguments: *const u64) -> Model<'a> {
        let part = |at: usize| unsafe { array(arguments.add(2 * at)) };
        let [alphas, means, qs, ls, x] = [0, 1, 2, 3, 4].map(part);
        let (gamma, m) = unsafe { (f64::from_bits(*arguments.add(10)), *arguments.add(11) as i64 as f64) };
        let (k, d, t) = (alphas.len(), means.len() / alphas.len(), ls.len() / alphas.len());
        let n = x.len() / d;
        let blocks = n.div_ceil(LANES);
        let mut points = Vec::with_capacity(blocks * d);
        let mut present = Vec::with_capacity(blocks);
        for block in 0..blocks {
            let row = |lane: usize| if block * LANES + lane < n { block * LANES + lane } else { block * LANES };
            points.extend((0..d).map(|j| V::of(|lane| x[row(lane) * d + j])));
            present.push(V::of(|lane| if block * LANES + lane < n { 1.0 } else { 0.0 }));
        }
        Model { alphas, means, qs, ls, points, present, gamma, m, k, d, t, n, blocks }
    }

    /// `Q` of a component, row by row, with zeros above its diagonal.
    fn factor(&self, c: usize) -> Vec<f64> {
        let d = self.d;
        let mut q = vec![0.0; d * d];
        for i in 0..d {
            q[i * d + i] = self.qs[c * d + i].exp();
            for j in 0..i {
                q[i * d + j] = self.ls[c * self.t + below(d, i, j)];
            }
        }
        q
    }

    fn factor_change(&self, c: usize, direction: &Direction) -> Vec<f64> {
        let d = self.d;
        let mut q = vec![0.0; d * d];
        for i in 0..d {
            q[i * d + i] = self.qs[c * d + i].exp() * direction.qs[c * d + i];
            for j in 0..i {
                q[i * d + j] = direction.ls[c * self.t + below(d, i, j)];
            }
        }
        q
    }

    /// `z = Q (x − μ)`, and what it is the square of.
    #[inline(always)]
    fn centred(&self, c: usize, block: usize, to: &mut [V]) {
        let (points, means) = (&self.points[block * self.d..][..self.d], &self.means[c * self.d..][..self.d]);
        for ((to, x), mean) in to.iter_mut().zip(points).zip(means) {
            *to = *x - V::all(*mean);
        }
    }

    /// The exponents of all components at all points, component by component.
    fn exponents(&self) -> Vec<V> {
        let d = self.d;
        let mut exponents = vec![V::ZERO; self.k * self.blocks];
        // Two blocks at a time, so that a coefficient is read once for sixteen points.
        let mut centred = vec![[V::ZERO; 2]; d];
        for c in 0..self.k {
            let q = self.factor(c);
            let constant = V::all(self.alphas[c] + self.qs[c * d..(c + 1) * d].iter().sum::<f64>());
            let means = &self.means[c * d..(c + 1) * d];
            let mut block = 0;
            while block < self.blocks {
                let other = (block + 1).min(self.blocks - 1);
                for (i, centred) in centred.iter_mut().enumerate() {
                    let mean = V::all(means[i]);
                    *centred = [self.points[block * d + i] - mean, self.points[other * d + i] - mean];
                }
                let mut squares = [V::ZERO; 2];
                let mut i = 0;
                while i + 4 <= d {
                    let mut z = [[V::ZERO; 2]; 4];
                    // Above the diagonal are zeros, which cost less than they would cost to avoid.
                    for (j, centred) in centred[..i + 4].iter().enumerate() {
                        for (row, z) in z.iter_mut().enumerate() {
                            let q = V::all(q[(i + row) * d + j]);
                            *z = [q.fma(centred[0], z[0]), q.fma(centred[1], z[1])];
                        }
                    }
                    for z in z {
                        squares = [z[0].fma(z[0], squares[0]), z[1].fma(z[1], squares[1])];
                    }
                    i += 4;
                }
                while i < d {
                    let mut z = [V::ZERO; 2];
                    for (q, centred) in q[i * d..=i * d + i].iter().zip(&centred) {
                        let q = V::all(*q);
                        z = [q.fma(centred[0], z[0]), q.fma(centred[1], z[1])];
                    }
                    squares = [z[0].fma(z[0], squares[0]), z[1].fma(z[1], squares[1])];
                    i += 1;
                }
                exponents[c * self.blocks + block] = V::all(-0.5).fma(squares[0], constant);
                exponents[c * self.blocks + other] =
                    if other > block { V::all(-0.5).fma(squares[1], constant) } else { exponents[c * self.blocks + block] };
                block += 2;
            }
        }
        exponents
    }

    /// The weights of all components at all points, zero for points that are missing, and the value of the function.
    fn weights(&self) -> (Vec<V>, f64) {
        let mut weights = self.exponents();
        let mut value = 0.0;
        for block in 0..self.blocks {
            let at = |c: usize| c * self.blocks + block;
            let top = (0..self.k).fold(V::all(f64::NEG_INFINITY), |top, c| top.max(weights[at(c)]));
            let mut total = V::ZERO;
            for c in 0..self.k {
                weights[at(c)] = (weights[at(c)] - top).exp();
                total += weights[at(c)];
            }
            let scale = self.present[block] / total;
            for c in 0..self.k {
                weights[at(c)] = weights[at(c)] * scale;
            }
            value += (self.present[block] * (top + total.map(f64::ln))).sum();
        }
        (weights, value + self.prior_value())
    }

    /// The weights, and how they change along a direction.
    fn changes(&self, direction: &Direction) -> (Vec<V>, Vec<V>) {
        let d = self.d;
        let (mut weights, _) = (self.weights().0, ());
        let mut changes = vec![V::ZERO; self.k * self.blocks];
        let mut centred = vec![V::ZERO; d];
        for c in 0..self.k {
            let (q, dq) = (self.factor(c), self.factor_change(c, direction));
            let by = &direction.means[c * d..(c + 1) * d];
            let constant = direction.alphas[c] + direction.qs[c * d..(c + 1) * d].iter().sum::<f64>();
            for block in 0..self.blocks {
                self.centred(c, block, &mut centred);
                let mut change = V::all(constant);
                for i in 0..d {
                    let (mut z, mut dz) = (V::ZERO, V::ZERO);
                    for j in 0..=i {
                        z = V::all(q[i * d + j]).fma(centred[j], z);
                        dz = V::all(dq[i * d + j]).fma(centred[j], dz);
                        dz -= V::all(q[i * d + j] * by[j]);
                    }
                    change = (-z).fma(dz, change);
                }
                changes[c * self.blocks + block] = change;
            }
        }
        for block in 0..self.blocks {
            let at = |c: usize| c * self.blocks + block;
            let mean = (0..self.k).fold(V::ZERO, |sum, c| weights[at(c)].fma(changes[at(c)], sum));
            for c in 0..self.k {
                changes[at(c)] = weights[at(c)] * (changes[at(c)] - mean);
            }
        }
        weights.truncate(self.k * self.blocks);
        (weights, changes)
    }

    fn store(&self, c: usize, gradient: &Gradient, to: &mut [f64]) {
        let Model { k, d, t, .. } = *self;
        let (da, rest) = to.split_at_mut(k);
        let (dm, rest) = rest.split_at_mut(k * d);
        let (dq, dl) = rest.split_at_mut(k * d);
        da[c] = gradient.total;
        dm[c * d..(c + 1) * d].copy_from_slice(&gradient.means);
        dq[c * d..(c + 1) * d].copy_from_slice(&gradient.diagonal);
        for j in 0..d {
            for i in j + 1..d {
                dl[c * t + below(d, i, j)] = gradient.factor[i * d + j];
            }
        }
    }

    /// The share of each component when nothing is known of a point.
    fn shares(&self) -> (Vec<f64>, f64) {
        let top = self.alphas.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let total: f64 = self.alphas.iter().map(|a| (a - top).exp()).sum();
        (self.alphas.iter().map(|a| (a - top).exp() / total).collect(), top + total.ln())
    }

    fn prior_value(&self) -> f64 {
        let frobenius: f64 =
            self.qs.iter().map(|q| (2.0 * q).exp()).sum::<f64>() + self.ls.iter().map(|l| l * l).sum::<f64>();
        0.5 * self.gamma * self.gamma * frobenius
            - self.m * self.qs.iter().sum::<f64>()
            - self.n as f64 * self.shares().1
    }

    fn prior(&self, to: &mut [f64]) {
        let Model { k, d, .. } = *self;
        for (to, share) in to.iter_mut().zip(self.shares().0) {
            *to -= self.n as f64 * share;
        }
        let (dq, dl) = to[k + k * d..].split_at_mut(k * d);
        for (to, q) in dq.iter_mut().zip(self.qs) {
            *to += self.gamma * self.gamma * (2.0 * q).exp() - self.m;
        }
        for (to, l) in dl.iter_mut().zip(self.ls) {
            *to += self.gamma * self.gamma * l;
        }
    }

    fn prior_change(&self, direction: &Direction, to: &mut [f64]) {
        let Model { k, d, .. } = *self;
        let shares = self.shares().0;
        let mean: f64 = shares.iter().zip(direction.alphas).map(|(share, by)| share * by).sum();
        for ((to, share), by) in to.iter_mut().zip(&shares).zip(direction.alphas) {
            *to -= self.n as f64 * share * (by - mean);
        }
        let (dq, dl) = to[k + k * d..].split_at_mut(k * d);
        for ((to, q), by) in dq.iter_mut().zip(self.qs).zip(direction.qs) {
            *to += 2.0 * self.gamma * self.gamma * (2.0 * q).exp() * by;
        }
        for (to, by) in dl.iter_mut().zip(direction.ls) {
            *to += self.gamma * self.gamma * by;
        }
    }
}

/// Where an element below the diagonal stands, column by column.
fn below(d: usize, i: usize, j: usize) -> usize {
    j * (2 * d - j - 1) / 2 + i - j - 1
}

/// `Σ w`, `Σ w c` and `Σ w c cᵀ`.
struct Moments {
    total: f64,
    first: Vec<f64>,
    second: Vec<f64>,
    centred: Vec<V>,
    weighted: Vec<V>,
}

/// How many rows and columns of sums are in registers at a time.
const TILE: usize = 4;
/// How many blocks of points are centred at a time, so that they stay close.
const STRETCH: usize = 16;

impl Moments {
    fn new(d: usize) -> Moments {
        let padded = d.next_multiple_of(TILE);
        let empty = vec![V::ZERO; STRETCH * padded];
        Moments { total: 0.0, first: vec![0.0; d], second: vec![0.0; d * d], centred: empty.clone(), weighted: empty }
    }

    fn add_up(&mut self, model: &Model, c: usize, weights: &[V]) {
        let d = model.d;
        let padded = d.next_multiple_of(TILE);
        let mut total = V::ZERO;
        let mut first = vec![V::ZERO; d];
        self.second.fill(0.0);
        for start in (0..model.blocks).step_by(STRETCH) {
            let end = (start + STRETCH).min(model.blocks);
            for block in start..end {
                let centred = &mut self.centred[(block - start) * padded..][..d];
                model.centred(c, block, centred);
                let weight = weights[block];
                total += weight;
                let weighted = &mut self.weighted[(block - start) * padded..][..d];
                for ((weighted, centred), first) in weighted.iter_mut().zip(centred).zip(&mut first) {
                    *weighted = *centred * weight;
                    *first += *weighted;
                }
            }
            let (centred, weighted) = (&self.centred[..(end - start) * padded], &self.weighted[..(end - start) * padded]);
            for i in (0..d).step_by(TILE) {
                for j in (0..=i).step_by(TILE) {
                    let mut sums = [[V::ZERO; TILE]; TILE];
                    for (centred, weighted) in centred.chunks_exact(padded).zip(weighted.chunks_exact(padded)) {
                        let (a, b) = (&weighted[i..i + TILE], &centred[j..j + TILE]);
                        for (sums, a) in sums.iter_mut().zip(a) {
                            for (sum, b) in sums.iter_mut().zip(b) {
                                *sum = a.fma(*b, *sum);
                            }
                        }
                    }
                    for (row, sums) in sums.iter().enumerate().take(d - i) {
                        for (column, sum) in sums.iter().enumerate().take(d - j) {
                            self.second[(i + row) * d + j + column] += sum.sum();
                        }
                    }
                }
            }
        }
        for i in 0..d {
            for j in 0..i {
                self.second[j * d + i] = self.second[i * d + j];
            }
        }
        self.total = total.sum();
        for (to, sum) in self.first.iter_mut().zip(first) {
            *to = sum.sum();
        }
    }
}

/// The gradient of what the points add for one component.
struct Gradient {
    total: f64,
    means: Vec<f64>,
    factor: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Gradient {
    fn new(q: &[f64], moments: &Moments) -> Gradient {
        let d = moments.first.len();
        let mut factor = vec![0.0; d * d];
        for i in 0..d {
            let to = &mut factor[i * d..][..=i];
            for m in 0..=i {
                let scale = -q[i * d + m];
                for (to, second) in to.iter_mut().zip(&moments.second[m * d..]) {
                    *to += scale * second;
                }
            }
        }
        let inner: Vec<f64> =
            (0..d).map(|i| (0..=i).map(|j| q[i * d + j] * moments.first[j]).sum()).collect();
        let means = (0..d).map(|j| (j..d).map(|i| q[i * d + j] * inner[i]).sum()).collect();
        let diagonal = (0..d).map(|i| q[i * d + i] * factor[i * d + i] + moments.total).collect();
        Gradient { total: moments.total, means, factor, diagonal }
    }
}
