//! fmt
use riesz_syntax::*;
use std::io::Read;
fn main() {
    let mut s = String::new();
    std::io::stdin().read_to_string(&mut s).unwrap();
    let w = std::env::args().nth(1).map_or(100, |w| w.parse().unwrap());
    match format(&s, &FormatOptions { width: w, ..Default::default() }) {
        Ok(t) => print!("{t}"),
        Err(d) => {
            let mut so = Sources::default();
            so.add("in.rz", s);
            print!("{}", render(&d, &so, false))
        }
    }
}
