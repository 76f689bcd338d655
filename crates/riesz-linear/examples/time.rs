//! tmp
use riesz_linear::*;
use std::time::Instant;
fn main() {
    let n = 1_000_000;
    let one = LinearMap::scale(1.0, Space::Real);
    let zero = LinearMap::scale(0.0, Space::Real);
    let t = Instant::now();
    let mut go = |name: &str, m: LinearMap| {
        println!("{name}");
        macro_rules! time { ($w:expr, $e:expr) => { let t = Instant::now(); let _r = $e; println!("  {:10} {:?}", $w, t.elapsed()); } }
        time!("apply", m.apply(&[3.0]));
        time!("adjoint", m.adjoint());
        time!("full", format!("{m:#}"));
        time!("coo", m.coo());
        time!("cost", m.cost());
        time!("simplify", m.simplify());
        time!("eq", m == m.adjoint().adjoint());
        time!("drop", drop(m));
    };
    go("nested", (0..n / 2).fold(one.clone(), |map, _| one.after(&map).unwrap().plus(&zero).unwrap()));
    go("left", (0..n).fold(one.clone(), |map, _| map.after(&one).unwrap()));
    go("seq", LinearMap::compose((0..n).map(|at| LinearMap::scale(if at % 2 == 0 { 2.0 } else { 0.5 }, Space::Real)).collect()).unwrap());
    println!("{:?}", t.elapsed());
}
