//! The features of the processor: native code is compiled for them, and runs only on machines that have all of them.

/// The processor in words: architecture, and the features that code may use.
pub fn processor() -> String {
    let mut text = std::env::consts::ARCH.to_string();
    for feature in features() {
        text.push(' ');
        text.push_str(feature);
    }
    text
}

/// All that is known of the processor: what libraries are kept by. The compiler knows features that have no name in
/// Rust, which the system lists.
pub(crate) fn identity() -> String {
    let mut text = processor();
    if let Ok(file) = std::fs::File::open("/proc/cpuinfo") {
        use std::io::BufRead;
        let lines = std::io::BufReader::new(file).lines().map_while(Result::ok);
        for line in lines.take_while(|line| !line.trim().is_empty()) {
            let name = line.split(':').next().unwrap_or_default().trim();
            if KINDS.contains(&name) {
                text.push('\n');
                text.push_str(&line);
            }
        }
    }
    text
}

/// The lines of `/proc/cpuinfo` that say what kind of processor there is; others change from moment to moment.
const KINDS: [&str; 12] = [
    "vendor_id",
    "cpu family",
    "model",
    "model name",
    "stepping",
    "flags",
    "Features",
    "CPU implementer",
    "CPU architecture",
    "CPU variant",
    "CPU part",
    "isa",
];

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let known = detected!(
        "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "avx" "avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "adx" "avx512f"
        "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vnni" "avx512ifma" "avx512vbmi" "avx512vbmi2"
        "avx512bitalg" "avx512vpopcntdq"
    );
    known.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    let known = detected!("neon" "fp16" "dotprod" "sve" "sve2" "lse" "rcpc");
    known.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}
