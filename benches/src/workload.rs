//! The workloads of the suite: programs, the evaluated expressions, and the equivalent hand-written code.

/// A workload.
pub struct Workload {
    /// What it is called, here and by the peers.
    pub name: String,
    /// The program.
    pub program: String,
    /// The function at its point.
    pub value: &'static str,
    /// Its derivative there.
    pub derivative: &'static str,
    /// The values that code by hand takes.
    pub arguments: &'static [&'static str],
    /// The functions by hand: the value, and the derivative.
    pub hand: (&'static str, &'static str),
    /// The derivative by straightforward loops, where there is one.
    pub plain: Option<&'static str>,
}

/// All workloads.
pub fn workloads() -> Vec<Workload> {
    let mixture = |d: usize, k: usize, hessian: bool| Workload {
        name: format!("gmm{} d={d} k={k}", if hessian { " hvp" } else { "" }),
        program: mixture(d, k, 1000),
        value: "mixture(alphas, means, qs, ls, x, gamma, m)",
        derivative: match hessian {
            false => "grad(\\a b q l -> mixture(a, b, q, l, x, gamma, m), (alphas, means, qs, ls))",
            true => "hvp(\\a b q l -> mixture(a, b, q, l, x, gamma, m), (alphas, means, qs, ls), (va, vb, vq, vl))",
        },
        arguments: match hessian {
            false => &["alphas", "means", "qs", "ls", "x", "gamma", "m"],
            true => &["alphas", "means", "qs", "ls", "x", "gamma", "m", "va", "vb", "vq", "vl"],
        },
        hand: ("gmm_value", if hessian { "gmm_hvp" } else { "gmm" }),
        plain: (!hessian).then_some("mixture"),
    };
    let network = |batch: usize| Workload {
        name: format!("network batch={batch}"),
        program: network(batch),
        value: "loss(w1, b1, w2, b2, w3, b3, xs, ts)",
        derivative: "grad(\\a b c d e f -> loss(a, b, c, d, e, f, xs, ts), (w1, b1, w2, b2, w3, b3))",
        arguments: &["w1", "b1", "w2", "b2", "w3", "b3", "xs", "ts"],
        hand: ("network_value", "network"),
        plain: (batch == 1).then_some("network"),
    };
    let recurrence = |name: &str, derivative, hand, plain| Workload {
        name: name.to_string(),
        program: RECURRENCE.to_string(),
        value: "f(x)",
        derivative,
        arguments: &["x"],
        hand: ("recurrence_value", hand),
        plain,
    };
    vec![
        mixture(10, 25, false),
        mixture(64, 25, false),
        mixture(2, 5, false),
        mixture(2, 5, true),
        Workload {
            name: "ba blocks".into(),
            program: BA.to_string(),
            value: "(errors(cameras, points, weights), [weight_error(w) | w in weights])",
            derivative: "([matrix(D(\\c x w -> reprojection_error(c, x, w, features[i]),
                (cameras[camera_of[i]], points[point_of[i]], weights[i]))) | i < 31843],
                [grad(weight_error, w) | w in weights])",
            arguments: &["cameras", "points", "weights", "camera_of", "point_of", "features"],
            hand: ("ba_value", "ba"),
            plain: None,
        },
        network(1),
        network(64),
        Workload {
            name: "rosenbrock n=1000000".into(),
            program: rosenbrock(1_000_000),
            value: "f(x)",
            derivative: "grad(f, x)",
            arguments: &["x"],
            hand: ("rosenbrock_value", "rosenbrock"),
            plain: Some("rosenbrock"),
        },
        Workload {
            name: "rosenbrock hessian n=100".into(),
            program: rosenbrock(100),
            value: "f(x)",
            derivative: "hessian(f, x)",
            arguments: &["x"],
            hand: ("rosenbrock_value", "rosenbrock_hessian"),
            plain: None,
        },
        Workload {
            name: "rosenbrock sparse hessian n=100".into(),
            program: rosenbrock(100),
            value: "f(x)",
            derivative: "coo(D(\\v -> grad(f, v), x)).vals",
            arguments: &["x"],
            hand: ("rosenbrock_value", "rosenbrock_entries"),
            plain: None,
        },
        recurrence("recurrence forward", "jvp(f, x, 1.0).1", "recurrence_forward", None),
        recurrence("recurrence reverse", "grad(f, x)", "recurrence", Some("recurrence")),
    ]
}

/// ADBench's mixture of Gaussians, at a point and along a direction.
pub fn mixture(d: usize, k: usize, n: usize) -> String {
    let t = d * (d - 1) / 2;
    format!(
        "fun logsumexp(v: [n]R): R =
           let m = max(v)
           m + log(sum(exp(x - m) | x in v))
         fun q_times(q: [d]R, l: [t]R, v: [d]R): [d]R =
           [exp(q[i]) * v[i] + sum(l[div(j * (2 * d - j - 1), 2) + i - j - 1] * v[j] | j < i) | i < d]
         fun mixture(alphas: [k]R, means: [k][d]R, qs: [k][d]R, ls: [k][t]R, x: [n][d]R, gamma: R, m: Int): R =
           let sums = [sum(q) | q in qs]
           let square = \\v -> dot(v, v)
           let terms = sum(
             logsumexp(alphas[c] + sums[c] - 0.5 * square(q_times(qs[c], ls[c], p - means[c])) | c < k) | p in x)
           let frobenius = sum(sum(exp(2 * q) | q in qs[c]) + square(ls[c]) | c < k)
           terms - n * logsumexp(alphas) + 0.5 * gamma^2 * frobenius - m * sum(sums)
         let alphas = [sin(real(i)) | i < {k}]
         let means = [cos(real(i * 7 + j)) | i < {k}, j < {d}]
         let qs = [0.3 * sin(real(i * 3 + j * 5)) | i < {k}, j < {d}]
         let ls = [0.5 * cos(real(i * 11 + j * 13)) | i < {k}, j < {t}]
         let x = [2 * sin(real(i * 17 + 3 * j)) | i < {n}, j < {d}]
         let gamma = 1.0
         let m = 0
         let va = [cos(real(i)) | i < {k}]
         let vb = [sin(real(i * 5 + j)) | i < {k}, j < {d}]
         let vq = [cos(real(i * 2 + j)) | i < {k}, j < {d}]
         let vl = [sin(real(i + j * 3)) | i < {k}, j < {t}]"
    )
}

/// Rosenbrock's function.
pub fn rosenbrock(n: usize) -> String {
    format!(
        "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)
         let x = [sin(real(i)) | i < {n}]"
    )
}

fn network(batch: usize) -> String {
    let loss = match batch {
        1 => {
            "fun loss(w1: [h][n]R, b1: [h]R, w2: [g][h]R, b2: [g]R, w3: [o][g]R, b3: [o]R, xs: [1][n]R, ts: [1][o]R): R =
           let h1 = tanh(dot(w1, xs[0]) + b1)
           let h2 = tanh(dot(w2, h1) + b2)
           sum((dot(w3, h2) + b3 - ts[0])^2) / 2"
        }
        _ => {
            "fun loss(w1: [h][n]R, b1: [h]R, w2: [g][h]R, b2: [g]R, w3: [o][g]R, b3: [o]R, xs: [k][n]R, ts: [k][o]R): R =
           let h1 = [tanh(row + b1) | row in dot(xs, transpose(w1))]
           let h2 = [tanh(row + b2) | row in dot(h1, transpose(w2))]
           let out = [row + b3 | row in dot(h2, transpose(w3))]
           sum(dot(o - t, o - t) | (o, t) in zip(out, ts)) / 2"
        }
    };
    format!(
        "{loss}
         let w1 = [0.05 * sin(real(i * 3 + j * 7)) | i < 256, j < 784]
         let b1 = [0.1 * sin(real(i)) | i < 256]
         let w2 = [0.1 * cos(real(i * 5 + j * 11)) | i < 256, j < 256]
         let b2 = [0.1 * cos(real(i)) | i < 256]
         let w3 = [0.1 * sin(real(i * 13 + j)) | i < 10, j < 256]
         let b3 = [0.01 * i | i < 10]
         let xs = [0.5 + 0.5 * sin(real(i * i + 31 * b)) | b < {batch}, i < 784]
         let ts = [cos(real(i + b)) | b < {batch}, i < 10]"
    )
}

const RECURRENCE: &str = "fun f(x: R): R = loop y = x for i < 1000 do 1.1 * sin(y) + 0.1
     let x = 0.5";

const BA: &str = "fun cross(a: [3]R, b: [3]R): [3]R =
       [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
     fun rotate(r: [3]R, x: [3]R): [3]R =
       let square = dot(r, r)
       if square == 0 then x + cross(r, x)
       else {
         let angle = sqrt(square)
         let axis = r / angle
         cos(angle) * x + sin(angle) * cross(axis, x) + (1 - cos(angle)) * dot(axis, x) * axis
       }
     fun project(camera: [11]R, x: [3]R): [2]R =
       let y = rotate(slice(camera, 0, 3), x - slice(camera, 3, 6))
       let u = [y[0] / y[2], y[1] / y[2]]
       let r2 = dot(u, u)
       camera[6] * ((1 + camera[9] * r2 + camera[10] * r2^2) * u) + slice(camera, 7, 9)
     fun reprojection_error(camera: [11]R, x: [3]R, weight: R, feature: [2]R): [2]R =
       weight * (project(camera, x) - feature)
     fun weight_error(weight: R): R = 1 - weight^2
     let cameras = [
       [0.1 * sin(real(i)), 0.1 * cos(real(2 * i)), 0.05 * sin(real(3 * i)), 0.2 * sin(real(i)), 0.3 * cos(real(i)),
        0.1 * sin(real(i)) - 5, 500 + real(i), 10 + sin(real(i)), 5 - cos(real(i)), 0.01 * sin(real(i)),
        0.001 * cos(real(i))] | i < 49]
     let points = [[sin(1.3 * i), cos(0.7 * i), 0.5 * sin(0.31 * i)] | i < 7776]
     let weights = [0.5 + 0.4 * sin(real(i)) | i < 31843]
     let camera_of = [mod(7 * i, 49) | i < 31843]
     let point_of = [mod(13 * i, 7776) | i < 31843]
     let features = [[400 * sin(real(i)), 300 * cos(real(i))] | i < 31843]
     fun errors(cameras: [n][11]R, points: [m][3]R, weights: [31843]R): [31843][2]R =
       [reprojection_error(cameras[camera_of[i]], points[point_of[i]], weights[i], features[i]) | i < 31843]";
