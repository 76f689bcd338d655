//! Every workload, by hand, in Riesz and by peers, in one run: times in microseconds, and ratios.
//!
//! `RIESZ_PYTHON` names the Python that has the peers; what it does not have is left out. Words after `--` choose the
//! workloads whose names have one of them.

use riesz::bench::Toolchain;
use riesz::{NoFiles, Session};
use riesz_bench::hand::{Hand, Words, numbers};
use riesz_bench::peers::{Peer, figures};
use riesz_bench::workload::{Workload, workloads};
use riesz_bench::{print_table, time};
use std::time::Duration;

/// What is read and what code by hand writes lies where Riesz has its buffers, so that both walk memory alike.
#[global_allocator]
static MEMORY: riesz_runtime::Aligned = riesz_runtime::Aligned;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let native = Toolchain::find(1).expect("a Rust compiler");
    let (plain, optimised) = (Hand::build("plain.rs"), Hand::build("optimised.rs"));
    let workloads = workloads();
    let wanted = |workload: &&Workload| chosen.is_empty() || chosen.iter().any(|word| workload.name.contains(word));
    let names: Vec<&str> = workloads.iter().filter(wanted).map(|workload| workload.name.as_str()).collect();
    let peers = figures(&names);
    let rows: Vec<Vec<String>> = workloads
        .iter()
        .filter(wanted)
        .flat_map(|workload| {
            let here: Vec<&Peer> = peers.iter().filter(|peer| peer.workload == workload.name).collect();
            let row = row(workload, &native, &plain, &optimised, &here);
            eprintln!("{}", row.join("  "));
            [row]
        })
        .collect();
    let heading = [
        "workload", "plain g", "hand f", "hand g", "Riesz f", "Riesz g", "g/f", "to plain", "to hand", "peer",
        "peer f", "peer g", "g/f", "to peer",
    ];
    print_table(&heading, &rows);
}

fn row(workload: &Workload, native: &Toolchain, plain: &Hand, optimised: &Hand, peers: &[&Peer]) -> Vec<String> {
    let mut session = Session::default();
    let text = workload.program.as_str();
    let said = |session: &Session, problems: Vec<riesz::Diagnostic>| session.render(&problems, false);
    session.load_text(&workload.name, text, &NoFiles).unwrap_or_else(|problems| panic!("{problems:?}"));
    let mut words = Words::default();
    for name in workload.arguments {
        words.push(&session.evaluate(name, Vec::new()).unwrap_or_else(|problems| panic!("{problems:?}")).value);
    }
    let mut riesz = |expression: &str| -> Result<(Vec<f64>, Duration), String> {
        let prepared =
            session.prepare(expression, Vec::new(), Some(native)).map_err(|problems| said(&session, problems))?;
        if let Some(note) = &prepared.note {
            eprintln!("{}", session.render(std::slice::from_ref(note), false));
        }
        let took = time(|| prepared.run(&session).unwrap_or_else(|problem| panic!("{problem:?}")));
        Ok((numbers(&prepared.value.value), took))
    };
    let (value, riesz_f) = riesz(workload.value).unwrap_or_else(|problem| panic!("{problem}"));
    let (derivative, riesz_g) = riesz(workload.derivative).unwrap_or_else(|problem| panic!("{problem}"));
    let by_hand = |hand: &Hand, name: &str, expected: &[f64]| {
        let mut found = vec![0.0; expected.len()];
        let function = hand.function(name);
        let took = time(|| function(&words, &mut found));
        let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / 1f64.max(b.abs())).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{}: `{name}` is {apart} apart", workload.name);
        took
    };
    let hand_f = by_hand(optimised, workload.hand.0, &value);
    let hand_g = by_hand(optimised, workload.hand.1, &derivative);
    let plain_g = workload.plain.map(|name| by_hand(plain, name, &derivative));
    let over = |a: Duration, b: Duration| format!("{:.2}", a.as_secs_f64() / b.as_secs_f64().max(1e-12));
    let micro = |time: Duration| {
        let time = 1e6 * time.as_secs_f64();
        format!("{time:.0$}", if time < 10.0 { 2 } else { usize::from(time < 100.0) })
    };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let mut row = vec![
        workload.name.clone(),
        or_dash(plain_g.map(micro)),
        micro(hand_f),
        micro(hand_g),
        micro(riesz_f),
        micro(riesz_g),
        over(riesz_g, riesz_f),
        or_dash(plain_g.map(|plain| over(riesz_g, plain))),
        over(riesz_g, hand_g),
    ];
    let best = peers.iter().min_by(|a, b| a.derivative.cmp(&b.derivative));
    for peer in peers {
        let found: f64 = derivative.iter().enumerate().map(|(at, number)| number * (at as f64).cos()).sum();
        let apart = (found - peer.checksum).abs() / 1f64.max(found.abs());
        assert!(apart < 1e-7, "{}: {} is {apart} apart", workload.name, peer.name);
    }
    row.extend(match best {
        Some(peer) => vec![
            peer.name.clone(),
            micro(peer.value),
            micro(peer.derivative),
            over(peer.derivative, peer.value),
            over(riesz_g, peer.derivative),
        ],
        None => vec!["-".to_string(); 5],
    });
    row
}
