//! Programs of the kind that people write, for which nothing in Riesz was made, beside the same in JAX, in one run:
//! times in microseconds, ratios, and how long each takes from its text to its first derivative, in milliseconds. Native
//! code is by the compiler of the machine; `instant` is machine code in memory, whose time is also given in that of native
//! code, with the geometric mean at the end.
//!
//! The programs are in the folder `untuned`, the JAX in `peers/jax_untuned.py`, `peers/jax_neighbours.py` and
//! `peers/jax_kinds.py`, and their derivatives are compared.
//! `RIESZ_PYTHON` names the Python that has JAX. Words after `--` select the programs whose names contain one of them.

use riesz::{NoFiles, Session, Toolchain};
use riesz_bench::code::numbers;
use riesz_bench::peers::{UNTUNED, figures};
use riesz_bench::{micro, over, print_table, time};
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: riesz_runtime::Aligned = riesz_runtime::Aligned;

/// The name, as the peers have it, the file, the value, and the derivative.
const PROGRAMS: [(&str, &str, &str, &str); 62] = [
    (
        "LSTM",
        include_str!("untuned/lstm.rz"),
        "lstm(wx, wh, b, xs, ys)",
        "grad(\\p q r -> lstm(p, q, r, xs, ys), (wx, wh, b))",
    ),
    (
        "transformer block",
        include_str!("untuned/transformer.rz"),
        "loss(weights, x, y)",
        "grad(loss(_, x, y), weights)",
    ),
    (
        "convolutional network",
        include_str!("untuned/convolution.rz"),
        "loss(filters, biases, w, c, images, labels)",
        "grad(\\f b w c -> loss(f, b, w, c, images, labels), (filters, biases, w, c))",
    ),
    (
        "Kalman filter",
        include_str!("untuned/kalman.rz"),
        "likelihood(q, r, ys)",
        "grad(\\q r -> likelihood(q, r, ys), (q, r))",
    ),
    (
        "Heston",
        include_str!("untuned/heston.rz"),
        "price(2.0, 0.04, 0.3, -0.7, 0.04, first, second)",
        "grad(\\k t s r v -> price(k, t, s, r, v, first, second), (2.0, 0.04, 0.3, -0.7, 0.04))",
    ),
    ("n-body", include_str!("untuned/nbody.rz"), "energy(x, m)", "grad(energy(_, m), x)"),
    ("n-body, along a direction", include_str!("untuned/nbody.rz"), "energy(x, m)", "hvp(energy(_, m), x, direction)"),
    ("heat equation", include_str!("untuned/heat.rz"), "misfit(k, u0, target)", "grad(misfit(_, u0, target), k)"),
    ("soft-DTW", include_str!("untuned/soft_dtw.rz"), "soft_dtw(x, y)", "grad(soft_dtw(_, y), x)"),
    (
        "hidden Markov model",
        include_str!("untuned/hmm.rz"),
        "likelihood(start, move, emit, ys)",
        "grad(\\s m e -> likelihood(s, m, e, ys), (start, move, emit))",
    ),
    ("logistic regression", include_str!("untuned/logistic.rz"), "loss(w, x, y)", "grad(loss(_, x, y), w)"),
    ("logistic regression, Hessian", include_str!("untuned/logistic.rz"), "loss(w, x, y)", "hessian(loss(_, x, y), w)"),
    (
        "Gaussian process",
        include_str!("untuned/gaussian_process.rz"),
        "likelihood(0.0, 0.0, -2.0, x, y)",
        "grad(\\l v s -> likelihood(l, v, s, x, y), (0.0, 0.0, -2.0))",
    ),
    ("Brusselator, entries", include_str!("untuned/brusselator.rz"), "rates(u, v)", "coo(D(rates, (u, v)))"),
    (
        "eight schools",
        include_str!("untuned/eight_schools.rz"),
        "density(1.0, 0.5, eta)",
        "grad(density, (1.0, 0.5, eta))",
    ),
    ("Newton's method", include_str!("untuned/newton.rz"), "total(a, b)", "grad(total, (a, b))"),
    ("physics-informed network", include_str!("untuned/pinn.rz"), "loss(weights, xs)", "grad(loss(_, xs), weights)"),
    ("Sinkhorn", include_str!("untuned/sinkhorn.rz"), "distance(cost, a, b)", "grad(distance(_, a, b), cost)"),
    (
        "causal attention",
        include_str!("untuned/causal_attention.rz"),
        "loss(q, m, v, x, y)",
        "grad(\\q m v -> loss(q, m, v, x, y), (q, m, v))",
    ),
    (
        "graph network",
        include_str!("untuned/graph_network.rz"),
        "loss(w, u, b, h, from, to)",
        "grad(\\w u b -> loss(w, u, b, h, from, to), (w, u, b))",
    ),
    (
        "waves on a square",
        include_str!("untuned/wave.rz"),
        "misfit(c, start, target)",
        "grad(misfit(_, start, target), c)",
    ),
    (
        "convolution with a border",
        include_str!("untuned/convolution_with_border.rz"),
        "loss(w, image, target)",
        "grad(loss(_, image, target), w)",
    ),
    (
        "periodic field",
        include_str!("untuned/periodic_field.rz"),
        "misfit(f, 0.1, target)",
        "grad(misfit(_, 0.1, target), f)",
    ),
    (
        "covariance",
        include_str!("untuned/covariance.rz"),
        "likelihood(mean, factors, noise, x)",
        "grad(\\m f s -> likelihood(m, f, s, x), (mean, factors, noise))",
    ),
    (
        "connectionist classification",
        include_str!("untuned/ctc.rz"),
        "ctc(scores, label)",
        "grad(ctc(_, label), scores)",
    ),
    (
        "American put",
        include_str!("untuned/american_put.rz"),
        "put(100.0, 105.0, 0.03, 0.25, 1.0)",
        "grad(put, (100.0, 105.0, 0.03, 0.25, 1.0))",
    ),
    ("cubic spline", include_str!("untuned/spline.rz"), "misfit(y, places, data)", "grad(misfit(_, places, data), y)"),
    (
        "neural differential equation",
        include_str!("untuned/neural_ode.rz"),
        "loss(w1, b1, w2, starts, ends)",
        "grad(\\a b c -> loss(a, b, c, starts, ends), (w1, b1, w2))",
    ),
    (
        "power iteration",
        include_str!("untuned/power_iteration.rz"),
        "top(vals, rows, cols, start)",
        "grad(top(_, rows, cols, start), vals)",
    ),
    ("warped image", include_str!("untuned/warp.rz"), "misfit(m, image, target)", "grad(misfit(_, image, target), m)"),
    (
        "mixture density network",
        include_str!("untuned/mixture_density.rz"),
        "loss(w1, b1, w2, b2, xs, ys)",
        "grad(\\p q r s -> loss(p, q, r, s, xs, ys), (w1, b1, w2, b2))",
    ),
    (
        "Matérn process",
        include_str!("untuned/matern.rz"),
        "likelihood(lengths, 0.1, -2.0, x, y)",
        "grad(\\l s e -> likelihood(l, s, e, x, y), (lengths, 0.1, -2.0))",
    ),
    (
        "matrix exponentials",
        include_str!("untuned/matrix_exponential.rz"),
        "loss(a, target)",
        "grad(\\a -> loss(a, target), a)",
    ),
    (
        "chain of rigid bodies",
        include_str!("untuned/rigid_chain.rz"),
        "miss(angles, targets)",
        "grad(\\a -> miss(a, targets), angles)",
    ),
    ("antithetic paths", include_str!("untuned/antithetic.rz"), "price(p, noise)", "grad(\\p -> price(p, noise), p)"),
    (
        "conditional random field",
        include_str!("untuned/crf.rz"),
        "loss(w, move, words, labels)",
        "grad(\\a b -> loss(a, b, words, labels), (w, move))",
    ),
    (
        "smoothing of a mesh",
        include_str!("untuned/mesh_smoothing.rz"),
        "misfit(x, w, from, to, goal)",
        "grad(\\x w -> misfit(x, w, from, to, goal), (x, w))",
    ),
    (
        "total variation",
        include_str!("untuned/total_variation.rz"),
        "objective(u, f)",
        "grad(\\u -> objective(u, f), u)",
    ),
    (
        "structural similarity",
        include_str!("untuned/ssim.rz"),
        "similarity(x, y, g)",
        "grad(\\x -> similarity(x, y, g), x)",
    ),
    (
        "partial likelihood",
        include_str!("untuned/cox.rz"),
        "likelihood(w, x, event)",
        "grad(\\w -> likelihood(w, x, event), w)",
    ),
    (
        "partial likelihood, Hessian",
        include_str!("untuned/cox.rz"),
        "likelihood(w, x, event)",
        "hessian(likelihood(_, x, event), w)",
    ),
    (
        "choices",
        include_str!("untuned/choice.rz"),
        "likelihood(w, x, open, chosen)",
        "grad(\\w -> likelihood(w, x, open, chosen), w)",
    ),
    (
        "choices, Hessian",
        include_str!("untuned/choice.rz"),
        "likelihood(w, x, open, chosen)",
        "hessian(likelihood(_, x, open, chosen), w)",
    ),
    (
        "implicit diffusion",
        include_str!("untuned/implicit_diffusion.rz"),
        "misfit(k, u0, goal)",
        "grad(\\k -> misfit(k, u0, goal), k)",
    ),
    (
        "residual perceptron",
        include_str!("untuned/perceptron.rz"),
        "loss(up, b, down, c, scale, shift, xs, ys)",
        "grad(\\a b c d e f -> loss(a, b, c, d, e, f, xs, ys), (up, b, down, c, scale, shift))",
    ),
    (
        "batched attention",
        include_str!("untuned/batched_attention.rz"),
        "loss(q, c, v, o, xs, ys)",
        "grad(\\q c v o -> loss(q, c, v, o, xs, ys), (q, c, v, o))",
    ),
    (
        "contrastive loss",
        include_str!("untuned/contrastive.rz"),
        "loss(a, b, 1.5)",
        "grad(\\a b -> loss(a, b, 1.5), (a, b))",
    ),
    ("charges with a cutoff", include_str!("untuned/cutoff.rz"), "energy(x, q)", "grad(\\x -> energy(x, q), x)"),
    ("beam", include_str!("untuned/beam.rz"), "compliance(height, 1.0)", "grad(\\h -> compliance(h, 1.0), height)"),
    (
        "cosine transforms",
        include_str!("untuned/cosine_blocks.rz"),
        "distortion(table, image)",
        "grad(\\t f -> distortion(t, f), (table, image))",
    ),
    (
        "soft neighbours",
        include_str!("untuned/neighbours.rz"),
        "loss(m, points, labels, queries, classes)",
        "grad(\\m p -> loss(m, p, labels, queries, classes), (m, points))",
    ),
    (
        "counts by splines",
        include_str!("untuned/counts.rz"),
        "loss(w, 0.2, xs, ys)",
        "grad(\\w s -> loss(w, s, xs, ys), (w, 0.2))",
    ),
    (
        "counts by splines, Hessian",
        include_str!("untuned/counts.rz"),
        "loss(w, 0.2, xs, ys)",
        "hessian(loss(_, 0.2, xs, ys), w)",
    ),
    (
        "Kalman smoother",
        include_str!("untuned/smoother.rz"),
        "smoothed(q, -1.5, ys)",
        "grad(\\q r y -> smoothed(q, r, y), (q, -1.5, ys))",
    ),
    (
        "filters of a signal",
        include_str!("untuned/correlation.rz"),
        "loss(filters, signal, goal)",
        "grad(\\f -> loss(f, signal, goal), filters)",
    ),
    (
        "LSTM, batch of 32",
        include_str!("untuned/lstm_batch.rz"),
        "loss(wx, wh, b, xs, ys)",
        "grad(\\a c e -> loss(a, c, e, xs, ys), (wx, wh, b))",
    ),
    (
        "transducer",
        include_str!("untuned/transducer.rz"),
        "loss(blank, emit)",
        "grad(\\a b -> loss(a, b), (blank, emit))",
    ),
    (
        "orthogonal iteration",
        include_str!("untuned/subspace.rz"),
        "captured(x, start)",
        "grad(\\x -> captured(x, start), x)",
    ),
    (
        "ordered probit",
        include_str!("untuned/probit.rz"),
        "likelihood(w, cuts, x, class)",
        "grad(\\w c -> likelihood(w, c, x, class), (w, cuts))",
    ),
    (
        "ordered probit, Hessian",
        include_str!("untuned/probit.rz"),
        "likelihood(w, cuts, x, class)",
        "hessian(likelihood(_, cuts, x, class), w)",
    ),
    (
        "doses, Jacobian",
        include_str!("untuned/doses.rz"),
        "concentrations(rates, doses)",
        "jacobian(concentrations(_, doses), rates)",
    ),
    ("gamma regression, Hessian", include_str!("untuned/gamma.rz"), "loss(w, x, y)", "hessian(loss(_, x, y), w)"),
];

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let programs = PROGRAMS.iter().filter(|row| chosen.is_empty() || chosen.iter().any(|word| row.0.contains(word)));
    let programs: Vec<_> = programs.collect();
    let names: Vec<&str> = programs.iter().map(|row| row.0).collect();
    let native = Toolchain::find(1).expect("a Rust compiler");
    let instant = Toolchain::instant().expect("the feature `instant`");
    let peers = figures(UNTUNED, &names);
    let (mut rows, mut logarithms) = (Vec::new(), Vec::new());
    for (name, program, value, derivative) in programs {
        let (_, f, _) = measure(&native, program, value);
        let (found, g, first) = measure(&native, program, derivative);
        let (also, soon, soon_first) = measure(&instant, program, derivative);
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-8 * (1.0 + b.abs());
        assert!(also.len() == found.len() && also.iter().zip(&found).all(close), "{name}: instant and native differ");
        logarithms.push((soon.as_secs_f64() / g.as_secs_f64()).ln());
        let peer = peers.iter().find(|peer| peer.workload == *name);
        let mut row = vec![name.to_string(), micro(f), micro(g), over(g, f)];
        row.extend(match peer {
            Some(peer) => {
                peer.agree(&found);
                [micro(peer.value), micro(peer.derivative), over(g, peer.derivative)]
            }
            None => ["-"; 3].map(str::to_string),
        });
        row.push(format!("{:.0}", 1e3 * first.as_secs_f64()));
        row.extend([micro(soon), over(soon, g), format!("{:.0}", 1e3 * soon_first.as_secs_f64())]);
        eprintln!("{}", row.join("  "));
        rows.push(row);
    }
    let head =
        ["program", "f", "g", "g/f", "JAX f", "JAX g", "to JAX", "first, ms", "instant g", "to native", "first, ms"];
    print_table(&head, &rows);
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp();
    println!("instant to native, geometric mean: {mean:.2}");
}

/// The numbers of an expression, the time of a run, and the time from the text to the first result.
fn measure(native: &Toolchain, program: &str, expression: &str) -> (Vec<f64>, Duration, Duration) {
    let start = Instant::now();
    let mut session = Session::default();
    session.load_text("a program", program, &NoFiles).unwrap_or_else(|problems| panic!("{problems:?}"));
    let prepared = session
        .prepare(expression, Vec::new(), Some(native))
        .unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
    let first = start.elapsed();
    if let Some(note) = prepared.note() {
        eprintln!("{}", session.render(std::slice::from_ref(note), false));
    }
    let took = time(|| prepared.run().unwrap_or_else(|problem| panic!("{problem:?}")));
    (numbers(&prepared.value.value), took, first)
}
