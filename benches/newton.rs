//! One step of Newton's method for six objectives of 10² to 10⁶ unknowns: Riesz, which is told nothing of the Hessian, the
//! algorithm written by hand, and peers, in one run. Times in microseconds, and how they grow.
//!
//! `RIESZ_PYTHON` names the Python that has the peers. A number after `--` bounds the unknowns, and words select objectives.
//! Riesz runs as machine code in memory, or by the compiler of the machine if one of the words is `native`.

use riesz::{NoFiles, Session, Toolchain};
use riesz_bench::code::{Code, Words, numbers};
use riesz_bench::peers::{Figure, newton};
use riesz_bench::{micro, over, print_table, scale, time};
use std::time::Duration;

#[global_allocator]
static MEMORY: riesz_runtime::Aligned = riesz_runtime::Aligned;

const OBJECTIVES: &str = include_str!("newton/objectives.rz");

/// An objective at a size.
struct Case {
    name: &'static str,
    /// The arguments of the step and of the code by hand, for a size.
    arguments: fn(usize) -> Vec<(&'static str, String)>,
    /// The size for so many unknowns.
    size: fn(usize) -> usize,
    most: usize,
}

const CASES: [Case; 6] = [
    Case { name: "valley", arguments: |n| vec![("x", line(n))], size: |n| n, most: 1_000_000 },
    Case { name: "coupled", arguments: |n| vec![("x", line(n))], size: |n| n, most: 1_000_000 },
    Case {
        name: "smooth",
        arguments: |n| {
            vec![
                ("y", format!("[sin(0.01 * i) + 0.1 * cos(3.0 * i) | i < {n}]")),
                ("x", format!("[[0.5 * sin(0.02 * i), 0.2] | i < {n}]")),
            ]
        },
        size: |n| n / 2,
        most: 1_000_000,
    },
    Case {
        name: "bundle",
        arguments: |p| {
            vec![
                ("camera", format!("[mod(i + div(i, 7), 5) | i < 2 * {p}]")),
                ("point", format!("[div(i, 2) | i < 2 * {p}]")),
                ("z", format!("[[sin(0.7 * i), cos(1.3 * i)] | i < 2 * {p}]")),
                ("c", "[[1.0, 0.1 * i, 0.2 + 0.1 * i] | i < 5]".into()),
                ("q", format!("[[0.3 + 0.2 * sin(1.1 * i), 0.2 * cos(0.9 * i)] | i < {p}]")),
            ]
        },
        size: |n| n / 2,
        most: 1_000_000,
    },
    Case {
        name: "softmax",
        arguments: |n| {
            vec![
                ("x", format!("[[sin(1.0 * i * (j + 1) + j) | j < 5] | i < {n}]")),
                ("y", format!("[mod(7 * i + div(i, 3), 4) | i < {n}]")),
                ("w", "[[0.1 * sin(1.0 * k + j) | j < 5] | k < 4]".into()),
            ]
        },
        size: |n| n,
        most: 1_000_000,
    },
    Case {
        name: "bilinear",
        arguments: |n| {
            let square = |f: &str, more: usize| {
                format!(
                    "[[(if i == j then 3.0 else 0.0) + 0.5 * {f}(1.0 * i * (j + 1) + {more}) / {n} | j < {n}] | i < {n}]"
                )
            };
            vec![
                ("a", square("sin", 1)),
                ("b", square("cos", 2)),
                ("c", format!("[[cos(0.3 * i + j) | j < {n}] | i < {n}]")),
                ("x", format!("[[sin(0.2 * i - j) | j < {n}] | i < {n}]")),
            ]
        },
        size: |n| (n as f64).sqrt().round() as usize,
        most: 250_000,
    },
];

fn line(n: usize) -> String {
    format!("[1 + 0.1 * sin(1.0 * i) | i < {n}]")
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let bound = words.iter().find_map(|word| word.parse::<usize>().ok()).unwrap_or(1_000_000);
    let chosen: Vec<&String> =
        words.iter().filter(|word| word.parse::<usize>().is_err() && *word != "native").collect();
    let is_native = words.iter().any(|word| word == "native");
    let backend = if is_native { Toolchain::find(1).ok() } else { Toolchain::instant() }.expect("a compiler");
    let hand = Code::by_hand("newton.rs");
    let mut table = Vec::new();
    for case in CASES.iter().filter(|case| chosen.is_empty() || chosen.iter().any(|word| case.name.contains(*word))) {
        let sizes: Vec<usize> = [100, 1_000, 10_000, 100_000, 1_000_000]
            .into_iter()
            .filter(|unknowns| *unknowns <= bound.min(case.most))
            .map(case.size)
            .collect();
        let names: Vec<String> = sizes.iter().map(|size| format!("{} {size}", case.name)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let peers = newton(&names);
        let mut times = Vec::new();
        for (size, name) in sizes.iter().zip(&names) {
            let row = case.row(*size, name, &backend, &hand, &peers);
            times.push((*size as f64, row.1.as_secs_f64()));
            eprintln!("{}", row.0.join("  "));
            table.push(row.0);
        }
        if let Some(slope) = slope(&times)
            && let Some(last) = table.last_mut()
        {
            last.push(format!("{slope:.2}"));
        }
    }
    table.iter_mut().for_each(|row| row.resize(9, String::new()));
    let heading = ["objective", "Riesz", "by hand", "to hand", "JAX dense", "JAX CG", "CasADi", "algorithm", "slope"];
    print_table(&heading, &table);
}

impl Case {
    fn row(
        &self,
        size: usize,
        name: &str,
        backend: &Toolchain,
        hand: &Code,
        peers: &[Figure],
    ) -> (Vec<String>, Duration) {
        let arguments = (self.arguments)(size);
        let values = arguments.iter().map(|(name, value)| format!("let {name} = {value}\n"));
        let program = format!("{OBJECTIVES}\n{}", values.collect::<String>());
        let mut session = Session::default();
        session.load_text(self.name, &program, &NoFiles).unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut words = Words::default();
        for (name, _) in &arguments {
            words.push(&session.evaluate(name, Vec::new()).unwrap_or_else(|problems| panic!("{problems:?}")).value);
        }
        let given = match self.name {
            "bundle" => "camera, point, z, (c, q)".to_string(),
            _ => arguments.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
        };
        let expression = format!("{}_step({given})", self.name);
        // What was solved is told by code in this process.
        session.explain();
        let told = session.evaluate(&expression, Vec::new()).map(|_| session.take_explanations());
        let algorithm = told.ok().and_then(|lines| algorithm(&lines)).unwrap_or_else(|| "-".into());
        let prepared = session
            .prepare(&expression, Vec::new(), Some(backend))
            .unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
        if let Some(note) = prepared.note() {
            eprintln!("{}", session.render(std::slice::from_ref(note), false));
        }
        let expected = numbers(&prepared.value.value);
        let riesz = time(|| prepared.run().unwrap_or_else(|problem| panic!("{problem:?}")));
        let function = hand.function(self.name).unwrap_or_else(|| panic!("no code by hand for {}", self.name));
        let mut found = vec![0.0; expected.len()];
        let by_hand = time(|| function.call(&words, &mut found));
        let most = scale(&expected);
        let apart = found.iter().zip(&expected).map(|(a, b)| (a - b).abs() / most.max(b.abs()));
        let apart = apart.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
        assert!(apart < 1e-7, "{name}: the code by hand is {apart} apart");
        let mut row = vec![name.to_string(), micro(riesz), micro(by_hand), over(riesz, by_hand)];
        for tool in ["JAX dense", "JAX CG", "CasADi"] {
            let peer = peers.iter().find(|peer| peer.name == tool && peer.workload == name);
            row.push(match peer {
                Some(peer) if peer.apart(&expected) < 1e-6 => micro(peer.derivative),
                Some(_) => "not converged".into(),
                None => "-".into(),
            });
        }
        row.push(algorithm);
        (row, riesz)
    }
}

/// What a line of an explanation calls the algorithm.
fn algorithm(lines: &[String]) -> Option<String> {
    let line = lines.iter().find(|line| line.starts_with("solve: "))?;
    let said = line.split(": ").nth(2)?.split(';').next()?;
    Some(said.to_string())
}

/// The exponent of the power of the size that the times grow with: the slope of a line through their logarithms.
fn slope(times: &[(f64, f64)]) -> Option<f64> {
    let count = times.len() as f64;
    let logs: Vec<(f64, f64)> = times.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let wide: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    (times.len() > 1).then(|| logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / wide)
}
