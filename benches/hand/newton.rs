//! One step of Newton's method, with the algorithm that a person would take for each objective of `newton/objectives.rz`,
//! and derivatives worked out on paper.

unsafe fn reals<'a>(words: *const u64, at: usize) -> &'a [f64] {
    unsafe { std::slice::from_raw_parts(*words.add(at) as *const f64, *words.add(at + 1) as usize) }
}

unsafe fn integers<'a>(words: *const u64, at: usize) -> &'a [i64] {
    unsafe { std::slice::from_raw_parts(*words.add(at) as *const i64, *words.add(at + 1) as usize) }
}

/// A symmetric tridiagonal matrix: `L D Lᵀ`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn valley(words: *const u64, to: *mut f64) {
    let x = unsafe { reals(words, 0) };
    let n = x.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, n) };
    let mut factors = vec![0.0; n];
    let (mut pivot, mut before) = (0.0, 0.0);
    for i in 0..n {
        let (mut g, mut h) = (0.0, 0.0);
        if i > 0 {
            g += 200.0 * (x[i] - x[i - 1] * x[i - 1]);
            h += 200.0;
        }
        if i + 1 < n {
            let a = x[i + 1] - x[i] * x[i];
            g -= 400.0 * a * x[i] + 2.0 * (1.0 - x[i]);
            h += 800.0 * x[i] * x[i] - 400.0 * a + 2.0;
        }
        if i > 0 {
            let side = -400.0 * x[i - 1];
            let factor = side / pivot;
            factors[i - 1] = factor;
            h -= factor * side;
            g -= factor * before;
            to[i - 1] = before / pivot;
        }
        (pivot, before) = (h, g);
    }
    to[n - 1] = before / pivot;
    for i in (0..n - 1).rev() {
        to[i] -= factors[i] * to[i + 1];
    }
}

/// A diagonal and a matrix of rank one: Sherman and Morrison.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn coupled(words: *const u64, to: *mut f64) {
    let x = unsafe { reals(words, 0) };
    let n = x.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, n) };
    let k = 2.0 / n as f64;
    let common = k * x.iter().sum::<f64>();
    let (mut solved, mut ones) = (0.0, 0.0);
    for (to, x) in to.iter_mut().zip(x) {
        let h = 3.0 * x * x + 2.0;
        *to = (x * x * x + 2.0 * x + common) / h;
        solved += *to;
        ones += 1.0 / h;
    }
    let shift = k * solved / (1.0 + k * ones);
    for (to, x) in to.iter_mut().zip(x) {
        *to -= shift / (3.0 * x * x + 2.0);
    }
}

/// Five diagonals: `L D Lᵀ`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smooth(words: *const u64, to: *mut f64) {
    let (y, x) = unsafe { (reals(words, 0), reals(words, 2)) };
    let n = y.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, 2 * n) };
    // Row `i`: the diagonal, and the entries one and two to the right of it.
    let mut rows = vec![[0.0; 3]; 2 * n + 2];
    to.fill(0.0);
    for i in 0..n {
        let place = x[2 * i];
        to[2 * i] += 2.0 * (place - y[i]) + 0.04 * place * place * place;
        rows[2 * i][0] += 2.0 + 0.12 * place * place;
        if i + 1 < n {
            let a = 2.0 * (x[2 * i + 2] - place - 0.1 * x[2 * i + 1]);
            let b = 20.0 * (x[2 * i + 3] - 0.9 * x[2 * i + 1]);
            to[2 * i] -= a;
            to[2 * i + 1] -= 0.1 * a + 0.9 * b;
            to[2 * i + 2] += a;
            to[2 * i + 3] += b;
            let add = |row: &mut [f64; 3], numbers: [f64; 3]| (0..3).for_each(|k| row[k] += numbers[k]);
            add(&mut rows[2 * i], [2.0, 0.2, -2.0]);
            add(&mut rows[2 * i + 1], [0.02 + 16.2, -0.2, -18.0]);
            rows[2 * i + 2][0] += 2.0;
            rows[2 * i + 3][0] += 20.0;
        }
    }
    for i in 0..2 * n {
        let [pivot, one, two] = rows[i];
        let (l1, l2) = (one / pivot, two / pivot);
        rows[i + 1][0] -= l1 * one;
        rows[i + 1][1] -= l1 * two;
        rows[i + 2][0] -= l2 * two;
        if i + 1 < 2 * n {
            to[i + 1] -= l1 * to[i];
        }
        if i + 2 < 2 * n {
            to[i + 2] -= l2 * to[i];
        }
        rows[i] = [pivot, l1, l2];
    }
    for i in (0..2 * n).rev() {
        let mut value = to[i] / rows[i][0];
        if i + 1 < 2 * n {
            value -= rows[i][1] * to[i + 1];
        }
        if i + 2 < 2 * n {
            value -= rows[i][2] * to[i + 2];
        }
        to[i] = value;
    }
}

/// Points are eliminated, each by its 2 × 2 block: the Schur complement of the cameras is dense.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bundle(words: *const u64, to: *mut f64) {
    let (camera, point) = unsafe { (integers(words, 0), integers(words, 2)) };
    let (z, c, q) = unsafe { (reals(words, 4), reals(words, 6), reals(words, 8)) };
    let (k, p, m) = (c.len(), q.len() / 2, camera.len());
    let to = unsafe { std::slice::from_raw_parts_mut(to, k + 2 * p) };
    to[..k].iter_mut().zip(c).for_each(|(to, c)| *to = 2.0 * c);
    to[k..].iter_mut().zip(q).for_each(|(to, q)| *to = 2.0 * q);
    let mut schur = vec![0.0; k * k];
    (0..k).for_each(|i| schur[i * k + i] = 2.0);
    let mut blocks = vec![[2.0, 0.0, 2.0]; p];
    // For each observation, the block of a camera and a point.
    let mut cross = vec![[[0.0; 2]; 3]; m];
    let mut first = vec![usize::MAX; p];
    let mut next = vec![usize::MAX; m];
    for i in 0..m {
        let (s, t) = (camera[i] as usize, point[i] as usize);
        let (c, q) = (&c[3 * s..3 * s + 3], &q[2 * t..2 * t + 2]);
        let (sin, cos) = c[2].sin_cos();
        let r = [c[0] * q[0] - sin * q[1] - z[2 * i], c[1] + cos * q[1] + 0.1 * q[0] * q[0] - z[2 * i + 1]];
        let j = [[q[0], 0.0, -cos * q[1], c[0], -sin], [0.0, 1.0, -sin * q[1], 0.2 * q[0], cos]];
        let mut h = [[0.0; 5]; 5];
        for a in 0..5 {
            for b in 0..5 {
                h[a][b] = 2.0 * (j[0][a] * j[0][b] + j[1][a] * j[1][b]);
            }
        }
        h[2][2] += 2.0 * (r[0] * sin * q[1] - r[1] * cos * q[1]);
        h[0][3] += 2.0 * r[0];
        h[2][4] += 2.0 * (-r[0] * cos - r[1] * sin);
        h[3][3] += 0.4 * r[1];
        for a in 0..3 {
            to[3 * s + a] += 2.0 * (j[0][a] * r[0] + j[1][a] * r[1]);
            (0..3).for_each(|b| schur[(3 * s + a) * k + 3 * s + b] += h[a][b]);
            cross[i][a] = [h[a][3], h[a][4]];
        }
        for a in 0..2 {
            to[k + 2 * t + a] += 2.0 * (j[0][3 + a] * r[0] + j[1][3 + a] * r[1]);
        }
        let block = &mut blocks[t];
        *block = [block[0] + h[3][3], block[1] + h[3][4], block[2] + h[4][4]];
        (next[i], first[t]) = (first[t], i);
    }
    let inverse = |[a, b, d]: [f64; 3]| {
        let determinant = a * d - b * b;
        [d / determinant, -b / determinant, a / determinant]
    };
    for t in 0..p {
        let [a, b, d] = inverse(blocks[t]);
        let g = [to[k + 2 * t], to[k + 2 * t + 1]];
        let mut i = first[t];
        while i != usize::MAX {
            let s = camera[i] as usize;
            for row in 0..3 {
                let [u, v] = cross[i][row];
                let w = [u * a + v * b, u * b + v * d];
                to[3 * s + row] -= w[0] * g[0] + w[1] * g[1];
                let mut other = first[t];
                while other != usize::MAX {
                    let o = camera[other] as usize;
                    for column in 0..3 {
                        let [u, v] = cross[other][column];
                        schur[(3 * s + row) * k + 3 * o + column] -= w[0] * u + w[1] * v;
                    }
                    other = next[other];
                }
            }
            i = next[i];
        }
    }
    let (cameras, points) = to.split_at_mut(k);
    symmetric(&mut schur, cameras);
    for t in 0..p {
        let mut g = [points[2 * t], points[2 * t + 1]];
        let mut i = first[t];
        while i != usize::MAX {
            let s = camera[i] as usize;
            for row in 0..3 {
                g[0] -= cross[i][row][0] * cameras[3 * s + row];
                g[1] -= cross[i][row][1] * cameras[3 * s + row];
            }
            i = next[i];
        }
        let [a, b, d] = inverse(blocks[t]);
        (points[2 * t], points[2 * t + 1]) = (a * g[0] + b * g[1], b * g[0] + d * g[1]);
    }
}

/// The Hessian, summed over the observations, is dense and small: `L D Lᵀ`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn softmax(words: *const u64, to: *mut f64) {
    let (x, y, w) = unsafe { (reals(words, 0), integers(words, 2), reals(words, 4)) };
    let n = y.len();
    let d = x.len() / n;
    let (size, c) = (w.len(), w.len() / d);
    let to = unsafe { std::slice::from_raw_parts_mut(to, size) };
    let mut h = vec![0.0; size * size];
    to.fill(0.0);
    let mut p = vec![0.0; c];
    for (i, x) in x.chunks_exact(d).enumerate() {
        for (k, p) in p.iter_mut().enumerate() {
            *p = w[k * d..][..d].iter().zip(x).map(|(w, x)| w * x).sum();
        }
        let most = p.iter().fold(f64::NEG_INFINITY, |most, s| s.max(most));
        p.iter_mut().for_each(|p| *p = (*p - most).exp());
        let total: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p /= total);
        for k in 0..c {
            let slope = p[k] - if y[i] as usize == k { 1.0 } else { 0.0 };
            to[k * d..][..d].iter_mut().zip(x).for_each(|(to, x)| *to += slope * x);
            for l in 0..=k {
                let weight = if k == l { p[k] * (1.0 - p[k]) } else { -p[k] * p[l] };
                for a in 0..d {
                    let row = &mut h[(k * d + a) * size + l * d..][..d];
                    row.iter_mut().zip(x).for_each(|(h, other)| *h += weight * x[a] * other);
                }
            }
        }
    }
    let scale = 1.0 / n as f64;
    for i in 0..size {
        to[i] = to[i] * scale + 0.02 * w[i];
        (0..=i).for_each(|j| h[i * size + j] *= scale);
        h[i * size + i] += 0.02;
    }
    symmetric(&mut h, to);
}

/// `Aᵀ A X B Bᵀ`: two products of matrices, and two factorisations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bilinear(words: *const u64, to: *mut f64) {
    let [a, b, c, x] = [0, 2, 4, 6].map(|at| unsafe { reals(words, at) });
    let n = (a.len() as f64).sqrt() as usize;
    let to = unsafe { std::slice::from_raw_parts_mut(to, n * n) };
    let turned = |a: &[f64]| -> Vec<f64> { (0..n * n).map(|at| a[at % n * n + at / n]).collect() };
    let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
        let mut c = vec![0.0; n * n];
        for block in (0..n).step_by(64) {
            for i in 0..n {
                let row = &mut c[i * n..][..n];
                for k in block..(block + 64).min(n) {
                    let factor = a[i * n + k];
                    row.iter_mut().zip(&b[k * n..][..n]).for_each(|(c, b)| *c += factor * b);
                }
            }
        }
        c
    };
    let (at, bt) = (turned(a), turned(b));
    let mut r = product(&product(a, x), b);
    r.iter_mut().zip(c).for_each(|(r, c)| *r -= c);
    let g = product(&at, &product(&r, &bt));
    let mut left = product(&at, a);
    let mut right = product(b, &bt);
    factor(&mut left, n);
    factor(&mut right, n);
    let half = solve_all(&left, g, n);
    to.copy_from_slice(&turned(&solve_all(&right, turned(&half), n)));
}

/// `L D Lᵀ x = g` for the lower half of `h`.
fn symmetric(h: &mut [f64], g: &mut [f64]) {
    let n = g.len();
    for j in 0..n {
        for i in (j + 1..n).rev() {
            let factor = h[i * n + j] / h[j * n + j];
            (j + 1..=i).for_each(|k| h[i * n + k] -= factor * h[k * n + j]);
            h[i * n + j] = factor;
            g[i] -= factor * g[j];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| h[j * n + i] * g[j]).sum();
        g[i] = g[i] / h[i * n + i] - known;
    }
}

/// The lower half becomes `L`, row by row.
fn factor(h: &mut [f64], n: usize) {
    for i in 0..n {
        let (above, row) = h.split_at_mut(i * n);
        for j in 0..i {
            let other = &above[j * n..][..=j];
            let known: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - known) / other[j];
        }
        let known: f64 = row[..i].iter().map(|a| a * a).sum();
        row[i] = (row[i] - known).sqrt();
    }
}

/// `L Lᵀ x = g` for all columns of `g` together.
fn solve_all(l: &[f64], mut g: Vec<f64>, n: usize) -> Vec<f64> {
    for i in 0..n {
        let (known, row) = g.split_at_mut(i * n);
        for j in 0..i {
            let factor = l[i * n + j];
            row[..n].iter_mut().zip(&known[j * n..][..n]).for_each(|(to, x)| *to -= factor * x);
        }
        row[..n].iter_mut().for_each(|to| *to /= l[i * n + i]);
    }
    for i in (0..n).rev() {
        let (row, known) = g[i * n..].split_at_mut(n);
        for j in i + 1..n {
            let factor = l[j * n + i];
            row.iter_mut().zip(&known[(j - i - 1) * n..][..n]).for_each(|(to, x)| *to -= factor * x);
        }
        row.iter_mut().for_each(|to| *to /= l[i * n + i]);
    }
    g
}
