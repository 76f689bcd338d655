//! Other tools on the same workloads, in processes of their own.
//!
//! A script of the folder `peers` is given names of workloads and prints a line for each: name, seconds of the value,
//! seconds of the derivative, and the sum of `dᵢ cos i` over the numbers `d` of the derivative, separated by tabs.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What a tool took for a workload.
pub struct Peer {
    /// The tool.
    pub name: String,
    /// The workload.
    pub workload: String,
    /// For the value.
    pub value: Duration,
    /// For the derivative.
    pub derivative: Duration,
    /// A number that the derivative gives.
    pub checksum: f64,
}

/// The scripts, and what they need.
const PEERS: [(&str, &str, &str); 2] = [("JAX", "jax", "jax_peer.py"), ("PyTorch", "torch", "torch_peer.py")];

/// The figures of all tools that are installed.
pub fn figures(workloads: &[&str]) -> Vec<Peer> {
    let python = std::env::var_os("RIESZ_PYTHON").unwrap_or_else(|| "python3".into());
    let mut found = Vec::new();
    for (name, package, script) in PEERS {
        let installed = Command::new(&python).args(["-c", &format!("import {package}")]).output();
        if !installed.is_ok_and(|output| output.status.success()) {
            eprintln!("{name} is not installed, and left out");
            continue;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script);
        match Command::new(&python).arg(script).args(workloads).output() {
            Ok(output) => {
                eprint!("{}", String::from_utf8_lossy(&output.stderr));
                found.extend(String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| figure(name, line)));
            }
            Err(error) => eprintln!("{name} cannot be run: {error}"),
        }
    }
    found
}

fn figure(name: &str, line: &str) -> Option<Peer> {
    let mut parts = line.split('\t');
    let workload = parts.next()?.to_string();
    let mut number = || parts.next()?.parse::<f64>().ok();
    let (value, derivative, checksum) = (number()?, number()?, number()?);
    let time = Duration::try_from_secs_f64;
    Some(Peer {
        name: name.to_string(),
        workload,
        value: time(value).ok()?,
        derivative: time(derivative).ok()?,
        checksum,
    })
}
