//! Every workload, hand-written, in Riesz and by peers, in one run: times in microseconds, and ratios. The first table
//! has the best peer of each workload, the second all of them.
//!
//! `RIESZ_PYTHON` names the Python that has the peers, `RIESZ_ENZYME` the plugin of Enzyme; missing peers are skipped.
//! Words after `--` select the workloads whose names contain one of them.

use riesz::{NoFiles, Session, Toolchain};
use riesz_bench::code::{Code, Words, numbers};
use riesz_bench::peers::{Compiled, Figure, SUITE, figures, libraries};
use riesz_bench::workload::{Workload, workloads};
use riesz_bench::{micro, over, print_table, scale, time};
use std::time::Duration;

/// What is read and what compiled code writes lies where Riesz has its buffers, so that all walk memory alike.
#[global_allocator]
static MEMORY: riesz_runtime::Aligned = riesz_runtime::Aligned;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut workloads = workloads();
    workloads.retain(|workload| chosen.is_empty() || chosen.iter().any(|word| workload.name.contains(word)));
    let names: Vec<&str> = workloads.iter().map(|workload| workload.name.as_str()).collect();
    let tools = Tools {
        native: Toolchain::find(1).expect("a Rust compiler"),
        plain: Code::by_hand("plain.rs"),
        optimised: Code::by_hand("optimised.rs"),
        figures: figures(SUITE, &names),
        libraries: libraries(&names),
    };
    let (mut best, mut all) = (Vec::new(), Vec::new());
    for workload in &workloads {
        let times = Times::of(workload, &tools);
        best.push(times.with_the_best_peer(workload));
        eprintln!("{}", best[best.len() - 1].join("  "));
        all.extend(times.beside_each_peer(workload));
    }
    let heading = [
        "workload", "plain g", "hand f", "hand g", "Riesz f", "Riesz g", "g/f", "to plain", "to hand", "peer",
        "peer f", "peer g", "g/f", "to peer",
    ];
    print_table(&heading, &best);
    print_table(&["workload", "peer", "peer f", "peer g", "g/f", "Riesz g", "g/f", "to peer"], &all);
}

/// What runs the workloads.
struct Tools {
    native: Toolchain,
    plain: Code,
    optimised: Code,
    figures: Vec<Figure>,
    libraries: Vec<Compiled>,
}

/// How long a value and its derivative take.
#[derive(Clone, Copy)]
struct Pair {
    f: Duration,
    g: Duration,
}

/// How long a workload takes with each tool.
struct Times {
    riesz: Pair,
    hand: Pair,
    plain: Option<Duration>,
    peers: Vec<(String, Pair)>,
}

impl Times {
    fn of(workload: &Workload, tools: &Tools) -> Times {
        let mut session = Session::default();
        session
            .load_text(&workload.name, &workload.program, &NoFiles)
            .unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut words = Words::default();
        for name in workload.arguments {
            words.push(&session.evaluate(name, Vec::new()).unwrap_or_else(|problems| panic!("{problems:?}")).value);
        }
        let mut riesz = |expression: &str| -> (Vec<f64>, Duration) {
            let prepared = session
                .prepare(expression, Vec::new(), Some(&tools.native))
                .unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
            if let Some(note) = prepared.note() {
                eprintln!("{}", session.render(std::slice::from_ref(note), false));
            }
            let took = time(|| prepared.run().unwrap_or_else(|problem| panic!("{problem:?}")));
            (numbers(&prepared.value.value), took)
        };
        let (value, f) = riesz(workload.value);
        let (derivative, g) = riesz(workload.derivative);
        let riesz = Pair { f, g };
        let compiled = |code: &Code, name: &str, expected: &[f64]| -> Option<Duration> {
            let function = code.function(name)?;
            let mut found = vec![0.0; expected.len()];
            let took = time(|| function.call(&words, &mut found));
            let scale = scale(expected);
            let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / scale.max(b.abs()));
            let apart = apart.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
            assert!(apart < 1e-9, "{}: `{name}` is {apart} apart", workload.name);
            Some(took)
        };
        let pair = |code: &Code| {
            let (f, g) = workload.hand;
            Some(Pair { f: compiled(code, f, &value)?, g: compiled(code, g, &derivative)? })
        };
        let hand = pair(&tools.optimised).unwrap_or_else(|| panic!("no code by hand for {}", workload.name));
        let plain = workload.plain.and_then(|name| compiled(&tools.plain, name, &derivative));
        let mut peers = Vec::new();
        for peer in tools.figures.iter().filter(|peer| peer.workload == workload.name) {
            peer.agree(&derivative);
            peers.push((peer.name.clone(), Pair { f: peer.value, g: peer.derivative }));
        }
        for peer in &tools.libraries {
            if peer.workload.as_ref().is_none_or(|name| *name == workload.name) {
                peers.extend(pair(&peer.code).map(|took| (peer.name.clone(), took)));
            }
        }
        Times { riesz, hand, plain, peers }
    }

    fn with_the_best_peer(&self, workload: &Workload) -> Vec<String> {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let mut row = vec![
            workload.name.clone(),
            or_dash(self.plain.map(micro)),
            micro(self.hand.f),
            micro(self.hand.g),
            micro(self.riesz.f),
            micro(self.riesz.g),
            over(self.riesz.g, self.riesz.f),
            or_dash(self.plain.map(|plain| over(self.riesz.g, plain))),
            over(self.riesz.g, self.hand.g),
        ];
        row.extend(match self.peers.iter().min_by_key(|(_, took)| took.g) {
            Some((name, took)) => {
                vec![name.clone(), micro(took.f), micro(took.g), over(took.g, took.f), over(self.riesz.g, took.g)]
            }
            None => vec!["-".to_string(); 5],
        });
        row
    }

    fn beside_each_peer(&self, workload: &Workload) -> impl Iterator<Item = Vec<String>> {
        self.peers.iter().map(|(name, took)| {
            vec![
                workload.name.clone(),
                name.clone(),
                micro(took.f),
                micro(took.g),
                over(took.g, took.f),
                micro(self.riesz.g),
                over(self.riesz.g, self.riesz.f),
                over(self.riesz.g, took.g),
            ]
        })
    }
}
