//! The workloads of the suite as functions of Rust with `#[differentiable]`, as programs of the language in native code,
//! and by hand, in one run. Times are in microseconds.
//!
//! Words on the command line select the workloads whose names contain one of them.

use riesz::{NoFiles, Session, Toolchain};
use riesz_bench::code::{Code, Words, numbers};
use riesz_bench::workload::{Workload, workloads};
use riesz_bench::{micro, over, print_table, scale, time};
use riesz_bench_rust::workloads::{adjustment, mixture, network, recurrence, rosenbrock};
use std::hint::black_box;
use std::time::Duration;

/// As in the suite, what is read and written lies where Riesz has its buffers.
#[global_allocator]
static MEMORY: riesz_runtime::Aligned = riesz_runtime::Aligned;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let native = Toolchain::find(1).expect("a Rust compiler");
    let by_hand = Code::by_hand("optimised.rs");
    let mut rows = Vec::new();
    for workload in workloads() {
        if !chosen.is_empty() && !chosen.iter().any(|word| workload.name.contains(word)) {
            continue;
        }
        let mut arguments = Arguments::of(&workload);
        let (language, expected) = arguments.in_the_language(&workload, &native);
        let mut found = vec![0.0; expected.len()];
        let function = by_hand.function(workload.hand.1).expect("code by hand");
        let hand = time(|| function.call(&arguments.words, &mut found));
        let Some((rust, found)) = arguments.in_rust(&workload.name) else { continue };
        let scale = scale(&expected);
        assert_eq!(found.len(), expected.len(), "{}", workload.name);
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() <= 1e-9 * scale.max(b.abs()), "{}: {a} in Rust, {b} in the language", workload.name);
        }
        rows.push(vec![
            workload.name.clone(),
            micro(rust),
            micro(language),
            micro(hand),
            over(rust, language),
            over(rust, hand),
        ]);
        eprintln!("{}", rows[rows.len() - 1].join("  "));
    }
    print_table(&["workload", "Rust", "language", "by hand", "to the language", "to by hand"], &rows);
}

/// The point of a workload.
struct Arguments {
    session: Session,
    words: Words,
    numbers: Vec<Vec<f64>>,
}

impl Arguments {
    fn of(workload: &Workload) -> Arguments {
        let mut session = Session::default();
        session.load_text(&workload.name, &workload.program, &NoFiles).expect("a program");
        let (mut words, mut found) = (Words::default(), Vec::new());
        for name in workload.arguments {
            let value = session.evaluate(name, Vec::new()).expect("an argument").value;
            words.push(&value);
            found.push(match &value {
                riesz::Value::Ints(integers) => integers.to_vec().into_iter().map(|n| n as f64).collect(),
                value => numbers(value),
            });
        }
        Arguments { session, words, numbers: found }
    }

    /// The time of the derivative in native code, and the derivative.
    fn in_the_language(&mut self, workload: &Workload, native: &Toolchain) -> (Duration, Vec<f64>) {
        let prepared = self.session.prepare(workload.derivative, Vec::new(), Some(native)).expect("a derivative");
        let took = time(|| prepared.run().expect("a value"));
        (took, numbers(&prepared.value.value))
    }

    /// The time of the derivative of the function of Rust, and the derivative.
    fn in_rust(&self, name: &str) -> Option<(Duration, Vec<f64>)> {
        let a = &self.numbers;
        Some(match name {
            "gmm d=10 k=25" => mixture_gradient::<10, 45>(a),
            "gmm d=64 k=25" => mixture_gradient::<64, 2016>(a),
            "gmm d=2 k=5" => mixture_gradient::<2, 1>(a),
            "gmm hvp d=2 k=5" => {
                let (b, q, l, x) = (rows::<2>(&a[1]), rows::<2>(&a[2]), rows::<1>(&a[3]), rows::<2>(&a[4]));
                let (vb, vq, vl) = (rows::<2>(&a[8]), rows::<2>(&a[9]), rows::<1>(&a[10]));
                let run = || mixture::mixture::hvp(&a[0], &a[7], b, vb, q, vq, l, vl, x, a[5][0], a[6][0] as i64);
                let (da, db, dq, dl) = run();
                (time(run), [da, db.concat(), dq.concat(), dl.concat()].concat())
            }
            "ba blocks" => blocks(a),
            "network batch=1" | "network batch=64" => network_gradient(a),
            "rosenbrock n=1000000" => {
                let mut gradient = vec![0.0; a[0].len()];
                let took = time(|| rosenbrock::value_and_grad(black_box(&a[0]), &mut gradient));
                (took, gradient)
            }
            "rosenbrock hessian n=100" => {
                let run = || rosenbrock::hessian(black_box(&a[0]));
                (time(run), run().concat())
            }
            "rosenbrock sparse hessian n=100" => {
                let run = || rosenbrock::sparse_hessian(black_box(&a[0]));
                (time(run), run().into_triplets().2)
            }
            "recurrence forward" => {
                let run = || recurrence::jvp(black_box(a[0][0]), 1.0).1;
                (time(run), vec![run()])
            }
            "recurrence reverse" => {
                let run = || recurrence::grad(black_box(a[0][0]));
                (time(run), vec![run()])
            }
            _ => return None,
        })
    }
}

/// Numbers as rows of one length.
fn rows<const N: usize>(numbers: &[f64]) -> &[[f64; N]] {
    numbers.as_chunks().0
}

fn mixture_gradient<const D: usize, const T: usize>(a: &[Vec<f64>]) -> (Duration, Vec<f64>) {
    let (b, q, l, x) = (rows::<D>(&a[1]), rows::<D>(&a[2]), rows::<T>(&a[3]), rows::<D>(&a[4]));
    let (mut da, mut db, mut dq, mut dl) = (a[0].clone(), b.to_vec(), q.to_vec(), l.to_vec());
    let took = time(|| {
        let (da, db, dq, dl) = (&mut da, &mut db, &mut dq, &mut dl);
        mixture::mixture::value_and_grad(black_box(&a[0]), b, q, l, x, a[5][0], a[6][0] as i64, da, db, dq, dl)
    });
    (took, [da, db.concat(), dq.concat(), dl.concat()].concat())
}

fn network_gradient(a: &[Vec<f64>]) -> (Duration, Vec<f64>) {
    fn fixed<const N: usize, const M: usize>(numbers: &[f64]) -> &[[f64; N]; M] {
        rows::<N>(numbers).try_into().expect("so many rows")
    }
    fn vector<const N: usize>(numbers: &[f64]) -> &[f64; N] {
        numbers.try_into().expect("so many numbers")
    }
    let (w1, w2, w3) = (fixed::<784, 256>(&a[0]), fixed::<256, 256>(&a[2]), fixed::<256, 10>(&a[4]));
    let (b1, b2, b3) = (vector::<256>(&a[1]), vector::<256>(&a[3]), vector::<10>(&a[5]));
    let (xs, ts) = (rows::<784>(&a[6]), rows::<10>(&a[7]));
    let (mut d1, mut d2, mut d3) = (Box::new(*w1), Box::new(*w2), Box::new(*w3));
    let (mut e1, mut e2, mut e3) = (*b1, *b2, *b3);
    let took = time(|| {
        network::value_and_grad(
            w1,
            b1,
            w2,
            b2,
            w3,
            b3,
            black_box(xs),
            ts,
            &mut d1,
            &mut e1,
            &mut d2,
            &mut e2,
            &mut d3,
            &mut e3,
        )
    });
    let parts = [d1.concat(), e1.to_vec(), d2.concat(), e2.to_vec(), d3.concat(), e3.to_vec()];
    (took, parts.concat())
}

/// The blocks of the Jacobian of bundle adjustment: by the camera, the point and the weight of each observation.
fn blocks(a: &[Vec<f64>]) -> (Duration, Vec<f64>) {
    let (cameras, points, weights) = (rows::<11>(&a[0]), rows::<3>(&a[1]), &a[2]);
    let index = |numbers: &[f64]| -> Vec<usize> { numbers.iter().map(|n| *n as usize).collect() };
    let (camera_of, point_of, features) = (index(&a[3]), index(&a[4]), rows::<2>(&a[5]));
    let mut out = vec![0.0; 31 * weights.len()];
    let mut run = || {
        let (entries, slopes) = out.split_at_mut(30 * weights.len());
        for (i, block) in entries.chunks_exact_mut(30).enumerate() {
            let (camera, point) = (&cameras[camera_of[i]], &points[point_of[i]]);
            let (by_camera, by_point, by_weight) = adjustment::error::jacobian(camera, point, weights[i], &features[i]);
            for row in 0..2 {
                block[15 * row..15 * row + 11].copy_from_slice(&by_camera[row]);
                block[15 * row + 11..15 * row + 14].copy_from_slice(&by_point[row]);
                block[15 * row + 14] = by_weight[row];
            }
        }
        for (slope, weight) in slopes.iter_mut().zip(weights) {
            *slope = adjustment::weight_error::grad(*weight);
        }
    };
    let took = time(&mut run);
    (took, out)
}
