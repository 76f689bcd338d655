//! In single precision native code gives what the interpreter gives, to as many digits as there are; functions of numbers
//! are right to the last one.

#[allow(dead_code)]
mod support;

use riesz_core::evaluate::{Limits, Value};
use riesz_native::{Code, Compiler, Pool, Precision, Settings, Stop};
use std::sync::Arc;
use support::Cases;

#[test]
fn single_precision_is_close_to_double() {
    let mut all = Cases::default();
    all.push_functions(&[8, 35, 3]);
    let code = built(&mut all);
    let mut worst: f64 = 0.0;
    for (function, case) in code.functions().iter().zip(&all.cases) {
        let function = function.as_ref().expect("all of them were lowered");
        let found = code.call(function, &[], &mut |id| case.globals[id.0 as usize].clone(), &Limits::default());
        match (&case.expected, &found) {
            (Ok(expected), Ok(found)) => {
                let distance = expected.distance(found);
                worst = worst.max(distance);
                assert!(distance < 1e-4, "{}: {distance} apart, {found:?} and not {expected:?}", case.name);
            }
            (Err(_), Err(Stop::Elsewhere)) => {}
            (Err(expected), Err(Stop::Wrong(found))) => assert_eq!(*expected, found.code, "{}", case.name),
            (expected, _) => panic!("{}: {found:?}, not {expected:?}", case.name),
        }
    }
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
    let code = built(&mut all);
    let functions = ["exp", "log", "sin", "tanh", "^"];
    for (at, (function, case)) in code.functions().iter().zip(&all.cases).enumerate() {
        let function = function.as_ref().expect("all of them were lowered");
        let found = code.call(function, &[], &mut |id| case.globals[id.0 as usize].clone(), &Limits::default());
        let found = found.unwrap_or_else(|stop| panic!("{}: {stop:?}", case.name));
        if at < functions.len() {
            for (i, found) in found.elements().enumerate() {
                let x = f64::from((0.37 * (i as f64 + 1.0)) as f32);
                let exact = match functions[at] {
                    "exp" => x.exp(),
                    "log" => x.ln(),
                    "sin" => x.sin(),
                    "tanh" => x.tanh(),
                    _ => x.powf(1.5),
                };
                assert_eq!(found.real() as f32, exact as f32, "{}, element {i}", case.name);
            }
        }
    }
    let shown: Vec<Value<f64>> = (all.cases.iter().zip(code.functions()))
        .skip(6)
        .map(|(case, function)| {
            let function = function.as_ref().expect("all of them were lowered");
            code.call(function, &[], &mut |id| case.globals[id.0 as usize].clone(), &Limits::default()).unwrap()
        })
        .collect();
    assert_eq!(shown[0].real(), 0.1, "a number is the one that is written with its digits");
    assert_eq!(shown[1].real() as f32, 0.1f32 + 0.2f32);
    assert_eq!(shown[2].real(), f64::INFINITY);
    assert_eq!(shown[3].real(), 0.0);
    assert!((shown[4].real() - 10.0).abs() < 1e-4);
    assert_eq!(shown[5].int(), 999999995904 + 1, "the number of single precision that is closest");
    assert_eq!(shown[6].elements().map(|x| x.real() as f32).collect::<Vec<_>>(), [1.1f32, 5.0]);
    assert!(shown[7].bool(), "the tolerance is that of single precision");
}

fn built(all: &mut Cases) -> Code {
    let compiler = Compiler::find().expect("tests need a Rust compiler");
    let settings =
        Settings { checked: true, quick: true, fine: true, precision: Precision::Single, ..Settings::default() };
    let (lowered, signatures) = (std::mem::take(&mut all.lowered), std::mem::take(&mut all.signatures));
    let code = Code::build(lowered, signatures, &compiler, settings, &|_| "a test".into());
    let mut code = code.unwrap_or_else(|problem| panic!("{problem}"));
    code.use_threads(Arc::new(Pool::new(2)));
    code
}
