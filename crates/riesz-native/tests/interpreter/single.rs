//! In single precision native code agrees with the interpreter to the available digits; elementary functions are right
//! to the last digit.

use crate::cases::Cases;
use crate::code;
use riesz_core::evaluate::Value;
use riesz_native::{Code, Pool, Precision, Settings};
use std::sync::Arc;

#[test]
fn single_precision_is_close_to_double() {
    let mut all = Cases::default();
    all.push_functions(&[8, 35, 3]);
    let worst = all.agree(&built(&all), 1e-4);
    assert!(worst > 1e-9, "these are numbers of double precision");
}

#[test]
fn functions_are_rounded_and_numbers_short() {
    let mut all = Cases::default();
    let program = "let x = [0.37 * (i + 1) | i < 40]
                   let k = [mod(i * 7, 40) | i < 40]";
    all.push("functions", program, &["exp(x)", "log(x)", "sin(x)", "tanh(x)", "x ^ 1.5", "[x[i] + 0.1 | i in k]"]);
    all.push("numbers", "let a = 0.1", &["a", "a + 0.2", "1e300 * a", "1 / (1e300 * a)", "sum([a | i < 100])"]);
    all.push("cut", "", &["trunc(1e12) + 1", "dot([[0.1, 2.0], [3.0, 4.0]], [1.0, 0.5])", "0.1 + 0.2 ~= 0.3 + 1e-6"]);
    let found: Vec<Value<f64>> = (all.run(&built(&all)))
        .map(|(case, found)| found.unwrap_or_else(|stop| panic!("{}: {stop:?}", case.name)))
        .collect();
    let exact: [fn(f64) -> f64; 5] = [f64::exp, f64::ln, f64::sin, f64::tanh, |x| x.powf(1.5)];
    for ((exact, found), case) in exact.iter().zip(&found).zip(&all.cases) {
        for (i, found) in found.elements().enumerate() {
            let x = f64::from((0.37 * (i as f64 + 1.0)) as f32);
            assert_eq!(found.real() as f32, exact(x) as f32, "{}, element {i}", case.name);
        }
    }
    let shown = &found[6..];
    assert_eq!(shown[0].real(), 0.1, "a number is the one that is written with its digits");
    assert_eq!(shown[1].real() as f32, 0.1f32 + 0.2f32);
    assert_eq!(shown[2].real(), f64::INFINITY);
    assert_eq!(shown[3].real(), 0.0);
    assert!((shown[4].real() - 10.0).abs() < 1e-4);
    assert_eq!(shown[5].int(), 999999995904 + 1, "the number of single precision that is closest");
    assert_eq!(shown[6].elements().map(|x| x.real() as f32).collect::<Vec<_>>(), [1.1f32, 5.0]);
    assert!(shown[7].bool(), "the tolerance is that of single precision");
}

fn built(all: &Cases) -> Code {
    let settings =
        Settings { checked: true, quick: true, fine: true, precision: Precision::Single, ..Settings::default() };
    let mut code = code(all, settings);
    code.use_threads(Arc::new(Pool::new(2)));
    code
}
