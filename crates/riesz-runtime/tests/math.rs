//! The accuracy of functions of eight numbers at once, with the instructions that every machine has. `riesz-native`
//! measures those of this machine.

#[path = "reference/mod.rs"]
mod reference;
#[allow(dead_code)]
#[path = "reference/table.rs"]
mod table;

use reference::Long;
use riesz_runtime::Lanes;
use table::{TABLE, measure};

#[test]
fn functions_are_accurate() {
    let mut wrong = Vec::new();
    for (row, function) in TABLE.iter().zip(FUNCTIONS) {
        let apply = |x: &[f64], y: &[f64]| {
            let eight = |numbers: &[f64]| Lanes(std::array::from_fn(|lane| numbers.get(lane).copied().unwrap_or(1.0)));
            let blocks = x.chunks(8).zip(y.chunks(8));
            blocks.flat_map(|(x, y)| function(eight(x), eight(y)).0.into_iter().take(x.len())).collect()
        };
        let (units, x, y) = measure(row, 6000, &apply);
        println!("| `{}` | {units:.2} | {x:e} {y:e} |", row.name);
        if units.is_nan() || units > row.bound + ROUNDED_TWICE {
            wrong.push(format!("{} is {units} units wrong at {x:e}, {y:e}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is lost where a machine rounds products before it adds.
const ROUNDED_TWICE: f64 = 0.5;

/// The functions, in the order of the table.
const FUNCTIONS: [fn(Lanes, Lanes) -> Lanes; 28] = [
    |x, _| x.exp(),
    |x, _| x.exp_m1(),
    |x, _| x.ln(),
    |x, _| x.ln_1p(),
    |x, _| x.sqrt(),
    |x, _| x.sin(),
    |x, _| x.sin(),
    |x, _| x.cos(),
    |x, _| x.cos(),
    |x, _| x.tan(),
    |x, y| x.atan2(y),
    |x, _| x.sinh(),
    |x, _| x.cosh(),
    |x, _| x.tanh(),
    |x, y| x.powf(y),
    |x, _| (-x.abs()).exp().map2(x, |z, x| if x >= 0.0 { 1.0 / (1.0 + z) } else { z / (1.0 + z) }),
    |x, _| x.erf(),
    |x, _| x.erfc(),
    |x, _| x.exp2(),
    |x, _| x.log2(),
    |x, _| x.log10(),
    |x, _| x.asinh(),
    |x, _| x.abs().max(Lanes::splat(1.0)).acosh(),
    |x, _| x.atanh(),
    |x, _| x.asin(),
    |x, _| x.acos(),
    |x, y| x.hypot(y),
    |x, _| x.cbrt(),
];

/// The larger and the smaller of lanes are those of numbers, to the sign of a zero; NaN if either is.
#[test]
fn the_larger_and_the_smaller_of_lanes() {
    let numbers = [0.0, -0.0, 1.5, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE];
    for first in numbers {
        let (x, y) = (Lanes::splat(first), Lanes(numbers));
        for (lane, second) in numbers.into_iter().enumerate() {
            let pairs = [
                (x.max(y).0[lane], riesz_runtime::max(first, second)),
                (x.min(y).0[lane], riesz_runtime::min(first, second)),
            ];
            for (found, expected) in pairs {
                let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                assert!(same, "{first} and {second}: {found}, not {expected}");
            }
        }
    }
}
