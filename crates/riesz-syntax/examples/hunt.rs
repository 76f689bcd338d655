//! hunt
#[path = "../tests/support/generate.rs"]
mod generate;
use riesz_syntax::*;
fn main() {
    let mut best: Option<(String, String, String, usize)> = None;
    let mut fails = 0;
    let n: u64 = std::env::args().nth(1).map_or(20000, |n| n.parse().unwrap());
    for seed in 0..n {
        for size in 0..5 {
            let text = generate::program(seed.wrapping_mul(0x9E3779B97F4A7C15), size);
            for width in [1, 20, 40, 100] {
                let o = FormatOptions { width, ..Default::default() };
                let Ok(a) = std::panic::catch_unwind(|| format(&text, &o)) else {
                    println!("PANIC {text}");
                    return;
                };
                let a = match a {
                    Ok(a) => a,
                    Err(d) => {
                        let mut so = Sources::default();
                        so.add("in.rz", text.clone());
                        println!("INVALID {seed} {size} {}", render(&d, &so, false));
                        return;
                    }
                };
                let b = format(&a, &o).unwrap();
                if a != b {
                    fails += 1;
                    if best.as_ref().is_none_or(|x| x.0.len() > text.len()) {
                        best = Some((text.clone(), a, b, width));
                    }
                }
            }
        }
    }
    println!("{fails} failures");
    if let Some((t, a, b, w)) = best {
        println!("width {w}\n{t}\n----\n{a}----\n{b}----");
    }
}
