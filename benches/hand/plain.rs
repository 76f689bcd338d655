//! Gradients as written by hand: plain loops, with the adjoint derived on paper. Arguments are the addresses of arrays
//! and numbers, in the order of the Riesz program; the gradient goes to `to`.

/// `x ↦ 1.1 sin x + 0.1`, a thousand times; the derivative is carried along.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recurrence(arguments: *const u64, to: *mut f64) {
    let mut y = f64::from_bits(unsafe { *arguments });
    let mut slope = 1.0;
    for _ in 0..1000 {
        slope *= 1.1 * y.cos();
        y = 1.1 * y.sin() + 0.1;
    }
    unsafe { *to = slope };
}

/// `Σ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rosenbrock(arguments: *const u64, to: *mut f64) {
    let (x, n) = unsafe { array(arguments) };
    let to = unsafe { std::slice::from_raw_parts_mut(to, n) };
    to.fill(0.0);
    for i in 0..n - 1 {
        let a = x[i + 1] - x[i] * x[i];
        to[i] -= 400.0 * a * x[i] + 2.0 * (1.0 - x[i]);
        to[i + 1] += 200.0 * a;
    }
}

/// A network with two hidden layers of `tanh` and half the squared distance to what it should give.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn network(arguments: *const u64, to: *mut f64) {
    let part = |at: usize| unsafe { array(arguments.add(2 * at)).0 };
    let [w1, b1, w2, b2, w3, b3, x, t] = [0, 1, 2, 3, 4, 5, 6, 7].map(part);
    let layer = |w: &[f64], b: &[f64], x: &[f64]| -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        w.chunks_exact(x.len()).zip(b).map(|(row, b)| dot(row) + b).collect()
    };
    let tanh = |v: Vec<f64>| -> Vec<f64> { v.into_iter().map(f64::tanh).collect() };
    let h1 = tanh(layer(w1, b1, x));
    let h2 = tanh(layer(w2, b2, &h1));
    let output = layer(w3, b3, &h2);
    let mut to = unsafe { std::slice::from_raw_parts_mut(to, w1.len() + b1.len() + w2.len() + b2.len() + w3.len() + b3.len()) };
    let mut take = |count: usize| {
        let (first, rest) = std::mem::take(&mut to).split_at_mut(count);
        to = rest;
        first
    };
    let [g1, c1, g2, c2, g3, c3] = [w1, b1, w2, b2, w3, b3].map(|part| take(part.len()));
    for (c, (o, t)) in c3.iter_mut().zip(output.iter().zip(t)) {
        *c = o - t;
    }
    let back = |w: &[f64], h: &[f64], c: &[f64], g: &mut [f64]| -> Vec<f64> {
        let mut cotangent = vec![0.0; h.len()];
        for ((row, g), c) in w.chunks_exact(h.len()).zip(g.chunks_exact_mut(h.len())).zip(c) {
            for (((total, w), g), h) in cotangent.iter_mut().zip(row).zip(g).zip(h) {
                *total += c * w;
                *g = c * h;
            }
        }
        cotangent
    };
    for (c, (cotangent, h)) in c2.iter_mut().zip(back(w3, &h2, c3, g3).iter().zip(&h2)) {
        *c = cotangent * (1.0 - h * h);
    }
    for (c, (cotangent, h)) in c1.iter_mut().zip(back(w2, &h1, c2, g2).iter().zip(&h1)) {
        *c = cotangent * (1.0 - h * h);
    }
    for (g, c) in g1.chunks_exact_mut(x.len()).zip(c1.iter()) {
        for (g, x) in g.iter_mut().zip(x) {
            *g = c * x;
        }
    }
}

/// The log likelihood of a Gaussian mixture with a Wishart prior, by weights, means and factors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mixture(arguments: *const u64, to: *mut f64) {
    let part = |at: usize| unsafe { array(arguments.add(2 * at)).0 };
    let [alphas, means, qs, ls, x] = [0, 1, 2, 3, 4].map(part);
    let (gamma, m) = unsafe { (f64::from_bits(*arguments.add(10)), *arguments.add(11) as i64 as f64) };
    let (k, d, t) = (alphas.len(), means.len() / alphas.len(), ls.len() / alphas.len());
    let to = unsafe { std::slice::from_raw_parts_mut(to, k + 2 * k * d + k * t) };
    to.fill(0.0);
    let (da, rest) = to.split_at_mut(k);
    let (dm, rest) = rest.split_at_mut(k * d);
    let (dq, dl) = rest.split_at_mut(k * d);
    let scales: Vec<f64> = qs.iter().map(|q| q.exp()).collect();
    let sums: Vec<f64> = qs.chunks_exact(d).map(|q| q.iter().sum()).collect();
    let (mut centred, mut z, mut weights) = (vec![0.0; k * d], vec![0.0; k * d], vec![0.0; k]);
    let at = |i: usize, j: usize| j * (2 * d - j - 1) / 2 + i - j - 1;
    for point in x.chunks_exact(d) {
        for c in 0..k {
            let (centred, z) = (&mut centred[c * d..(c + 1) * d], &mut z[c * d..(c + 1) * d]);
            let l = &ls[c * t..(c + 1) * t];
            for i in 0..d {
                centred[i] = point[i] - means[c * d + i];
            }
            let mut square = 0.0;
            for i in 0..d {
                z[i] = scales[c * d + i] * centred[i];
                for j in 0..i {
                    z[i] += l[at(i, j)] * centred[j];
                }
                square += z[i] * z[i];
            }
            weights[c] = alphas[c] + sums[c] - 0.5 * square;
        }
        let top = weights.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        weights.iter_mut().for_each(|w| *w = (*w - top).exp());
        let total: f64 = weights.iter().sum();
        for c in 0..k {
            let w = weights[c] / total;
            da[c] += w;
            let (centred, z) = (&centred[c * d..(c + 1) * d], &z[c * d..(c + 1) * d]);
            let (l, dl) = (&ls[c * t..(c + 1) * t], &mut dl[c * t..(c + 1) * t]);
            for i in 0..d {
                let dz = -w * z[i];
                let scale = scales[c * d + i];
                dm[c * d + i] -= scale * dz;
                dq[c * d + i] += scale * centred[i] * dz + w;
                for j in 0..i {
                    dm[c * d + j] -= l[at(i, j)] * dz;
                    dl[at(i, j)] += centred[j] * dz;
                }
            }
        }
    }
    let top = alphas.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
    let total: f64 = alphas.iter().map(|a| (a - top).exp()).sum();
    for c in 0..k {
        da[c] -= (x.len() / d) as f64 * (alphas[c] - top).exp() / total;
    }
    for (dq, q) in dq.iter_mut().zip(qs) {
        *dq += gamma * gamma * (2.0 * q).exp() - m;
    }
    for (dl, l) in dl.iter_mut().zip(ls) {
        *dl += gamma * gamma * l;
    }
}

unsafe fn array<'a>(at: *const u64) -> (&'a [f64], usize) {
    let len = unsafe { *at.add(1) } as usize;
    (unsafe { std::slice::from_raw_parts(*at as *const f64, len) }, len)
}
