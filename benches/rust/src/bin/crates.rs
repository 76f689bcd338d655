//! Rosenbrock's function and its gradient: `#[differentiable]`, by hand, and by other crates, in one run. Times are in
//! nanoseconds for value and gradient together.

use ad_trait::AD;
use ad_trait::differentiable_function::{DifferentiableFunctionTrait, ForwardADMulti, ReverseAD};
use ad_trait::forward_ad::adfn::adfn;
use ad_trait::function_engine::FunctionEngine;
use ad_trait::reverse_ad::adr::adr;
use nalgebra::DVector;
use num_dual::{DualDVec64, DualNum};
use riesz::differentiable;
use riesz_bench::{print_table, time};
use std::hint::black_box;
use std::time::Duration;

/// `Σ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²`
#[differentiable]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let across = x[i + 1] - x[i] * x[i];
        let along = 1.0 - x[i];
        sum += 100.0 * across * across + along * along;
    }
    sum
}

/// The gradient as one writes it.
fn by_hand(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let across = x[i + 1] - x[i] * x[i];
        let along = 1.0 - x[i];
        sum += 100.0 * across * across + along * along;
        gradient[i] -= 400.0 * across * x[i] + 2.0 * along;
        gradient[i + 1] += 200.0 * across;
    }
    sum
}

fn by_num_dual(x: &[DualDVec64]) -> DualDVec64 {
    let mut sum = DualDVec64::from(0.0);
    for pair in x.windows(2) {
        let across = &pair[1] - &pair[0] * &pair[0];
        let along = -&pair[0] + 1.0;
        sum += &across * &across * 100.0 + &along * &along;
    }
    sum
}

fn by_echidna<T: echidna::Scalar>(x: &[T]) -> T {
    let number = |x: f64| T::from_f(<T::Float as num_traits::FromPrimitive>::from_f64(x).expect("a number"));
    let (one, hundred) = (number(1.0), number(100.0));
    let mut sum = T::zero();
    for i in 0..x.len() - 1 {
        let across = x[i + 1] - x[i] * x[i];
        let along = one - x[i];
        sum = sum + hundred * across * across + along * along;
    }
    sum
}

#[derive(Clone)]
struct ByAdTrait(usize);

impl<T: AD> DifferentiableFunctionTrait<T> for ByAdTrait {
    const NAME: &'static str = "Rosenbrock";

    fn call(&self, x: &[T], _freeze: bool) -> Vec<T> {
        let (one, hundred) = (T::constant(1.0), T::constant(100.0));
        let mut sum = T::constant(0.0);
        for i in 0..x.len() - 1 {
            let across = x[i + 1] - x[i] * x[i];
            let along = one - x[i];
            sum = sum + hundred * across * across + along * along;
        }
        vec![sum]
    }

    fn num_inputs(&self) -> usize {
        self.0
    }

    fn num_outputs(&self) -> usize {
        1
    }
}

fn by_reverse<'a>(x: &[reverse::Var<'a>]) -> reverse::Var<'a> {
    let term = |i: usize| {
        let across = x[i + 1] - x[i] * x[i];
        let along = 1.0 - x[i];
        100.0 * across * across + along * along
    };
    (1..x.len() - 1).fold(term(0), |sum, i| sum + term(i))
}

fn by_tang(x: &[tang_ad::Var]) -> tang_ad::Var {
    let term = |i: usize| {
        let across = &x[i + 1] - &(&x[i] * &x[i]);
        let along = -&x[i] + 1.0;
        &across * &across * 100.0 + &along * &along
    };
    (1..x.len() - 1).fold(term(0), |sum, i| sum + term(i))
}

fn main() {
    let mut rows = Vec::new();
    for n in [10, 100, 1000] {
        let x: Vec<f64> = (0..n).map(|i| 0.8 + 0.4 * (i as f64).sin()).collect();
        let mut expected = vec![0.0; n];
        by_hand(&x, &mut expected);
        let agree = |name: &str, found: &[f64]| {
            assert_eq!(found.len(), n, "{name}");
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
            assert!(found.iter().zip(&expected).all(near), "{name} is wrong");
        };
        let (mut hand, mut ours) = (vec![0.0; n], vec![0.0; n]);
        let value = time(|| rosenbrock(black_box(&x)));
        let hand_took = time(|| by_hand(black_box(&x), black_box(&mut hand)));
        let mut took: Vec<(&str, Duration)> = vec![
            ("value alone", value),
            ("by hand", hand_took),
            ("`#[differentiable]`", time(|| rosenbrock::value_and_grad(black_box(&x), black_box(&mut ours)))),
        ];
        agree("by hand", &hand);
        agree("#[differentiable]", &ours);

        let vector = DVector::from_column_slice(&x);
        let run = || num_dual::gradient(|x: DVector<DualDVec64>| by_num_dual(x.as_slice()), black_box(&vector));
        agree("num-dual", run().1.as_slice());
        took.push(("num-dual", time(run)));

        let run = || echidna::grad(by_echidna, black_box(&x));
        agree("echidna", &run());
        took.push(("echidna, tape", time(run)));
        let (mut tape, _) = echidna::record(by_echidna, &x);
        agree("echidna", &tape.gradient(&x));
        took.push(("echidna, tape recorded before", time(|| tape.gradient(black_box(&x)))));

        let engine = FunctionEngine::new(ByAdTrait(n), ByAdTrait(n), ReverseAD::new());
        let run = || engine.derivative(black_box(&x));
        agree("ad_trait", run().1.row(0).transpose().as_slice());
        took.push(("ad_trait, reverse", time(run)));
        let engine = FunctionEngine::new(ByAdTrait(n), ByAdTrait(n), ForwardADMulti::<adfn<8>>::new());
        let run = || engine.derivative(black_box(&x));
        agree("ad_trait", run().1.row(0).transpose().as_slice());
        took.push(("ad_trait, forward by 8", time(run)));

        let run = || {
            let tape = reverse::Tape::new();
            let variables = tape.add_vars(black_box(&x));
            let result = by_reverse(&variables);
            use reverse::Gradient;
            (result.val(), result.grad().wrt(&variables))
        };
        agree("reverse", &run().1);
        took.push(("reverse", time(run)));

        let run = || tang_ad::grad(|x| by_tang(x), black_box(&x));
        agree("tang-ad", run().as_slice());
        took.push(("tang-ad", time(run)));

        for (at, (name, took)) in took.iter().enumerate() {
            if rows.len() <= at {
                rows.push(vec![name.to_string()]);
            }
            let nanoseconds = took.as_secs_f64() * 1e9;
            rows[at].push(format!("{nanoseconds:.0}"));
            rows[at].push(format!("{:.2}", took.as_secs_f64() / hand_took.as_secs_f64()));
        }
    }
    print_table(&["", "n = 10", "to by hand", "n = 100", "to by hand", "n = 1000", "to by hand"], &rows);
}
