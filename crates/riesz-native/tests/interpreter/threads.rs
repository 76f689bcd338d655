//! Every number of threads gives the same bits and the same errors.
//!
//! Loops are cut into as many chunks as possible, so that small ones are shared too; and as in normal use, for programs
//! with loops that are large enough.

use crate::cases::{Cases, large};
use crate::code;
use riesz_core::evaluate::Value;
use riesz_native::{Pool, Settings, Stop};
use std::sync::Arc;

const THREADS: [usize; 4] = [1, 2, 3, 7];

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let mut small = Cases::default();
    small.push_functions(&[200, 19, 8]);
    large::push(&mut small);
    agree(small, Settings { checked: true, quick: true, fine: true, ..Settings::default() });
    let mut alone = Cases::default();
    large::push(&mut alone);
    agree(alone, Settings { quick: true, ..Settings::default() });
}

fn agree(all: Cases, settings: Settings) {
    let mut code = code(&all, settings);
    let mut alone = Vec::new();
    for threads in THREADS {
        if threads > 1 {
            code.use_threads(Arc::new(Pool::new(threads)));
        }
        for (at, (case, found)) in all.run(&code).enumerate() {
            case.agrees(&found, 1e-11);
            let found = told(found);
            match threads {
                1 => alone.push(found),
                _ => assert_eq!(found, alone[at], "{} with {threads} threads", case.name),
            }
        }
    }
    println!("{} functions", all.cases.len());
}

/// The bits of a value, or the error with all it says.
fn told(found: Result<Value<f64>, Stop>) -> Result<Vec<u64>, String> {
    match found {
        Ok(value) => Ok(bits(&value)),
        Err(Stop::Wrong(diagnostic)) => Err(format!("{diagnostic:?}")),
        Err(Stop::Elsewhere) => Err("elsewhere".into()),
    }
}

fn bits(value: &Value<f64>) -> Vec<u64> {
    match value {
        Value::Real(number) => vec![number.to_bits()],
        Value::Int(number) => vec![*number as u64],
        Value::Bool(holds) => vec![u64::from(*holds)],
        Value::Reals(numbers) => numbers.iter().map(|number| number.to_bits()).collect(),
        Value::Tuple(parts) => parts.iter().flat_map(bits).collect(),
        array => array.elements().flat_map(|element| bits(&element)).collect(),
    }
}
