//! Modules: functions that call each other, structs, enums, constants, recursion.

use crate::riesz::differentiable;

#[differentiable(crate = crate::riesz)]
mod model {
    pub const STEPS: usize = 3;
    const RATE: f64 = 0.5;

    #[derive(Clone, Debug, PartialEq)]
    pub struct Layer {
        pub weights: Vec<f64>,
        pub bias: f64,
        pub scale: i32,
    }

    #[derive(Clone, Copy, PartialEq)]
    pub enum Activation {
        Tanh,
        Square,
        Identity,
    }

    impl Layer {
        fn dot(&self, x: &[f64]) -> f64 {
            self.weights.iter().zip(x).map(|(w, x)| w * x).sum()
        }

        fn shifted(&self, by: f64) -> Layer {
            Layer { bias: self.bias + by, ..self.clone() }
        }
    }

    fn activate(x: f64, kind: Activation) -> f64 {
        match kind {
            Activation::Tanh => x.tanh(),
            Activation::Square => x * x,
            Activation::Identity => x,
        }
    }

    fn add_to(v: &mut [f64], by: f64) {
        for x in v.iter_mut() {
            *x += by;
        }
    }

    #[differentiable]
    pub fn run(layer: &Layer, x: &[f64], kind: Activation) -> f64 {
        let mut s = layer.bias;
        for i in 0..x.len() {
            s += layer.weights[i] * x[i] * layer.scale as f64;
        }
        let mut y = [s; STEPS];
        add_to(&mut y, RATE);
        y[0] = activate(y[0], kind);
        let moved = layer.shifted(x[1]);
        y.iter().sum::<f64>() * power(x[0], 3) + moved.dot(x) * moved.bias
    }

    #[differentiable(wrt(x))]
    pub fn power(x: f64, n: usize) -> f64 {
        if n == 0 { 1.0 } else { x * power(x, n - 1) }
    }
}

#[test]
fn structs_enums_and_calls() {
    use model::{Activation, Layer, power, run};
    let layer = Layer { weights: vec![0.5, -0.25], bias: 0.1, scale: 2 };
    let x = [0.7, 0.3];
    for kind in [Activation::Tanh, Activation::Square, Activation::Identity] {
        let (by_layer, by_x): (Layer, Vec<f64>) = run::grad(&layer, &x, kind);
        assert_eq!(by_layer.scale, 2);
        let flat = |p: &[f64]| {
            let layer = Layer { weights: p[..2].to_vec(), bias: p[2], scale: 2 };
            run(&layer, &p[3..], kind)
        };
        let gradient = [&by_layer.weights[..], &[by_layer.bias], &by_x[..]].concat();
        crate::compare(&flat, &[0.5, -0.25, 0.1, 0.7, 0.3], &gradient);
        let (mut place, mut dx) = (layer.clone(), [0.0; 2]);
        run::value_and_grad(&layer, &x, kind, &mut place, &mut dx);
        assert_eq!((place, dx.to_vec()), (by_layer, by_x));
    }
    assert_eq!(power::grad(2.0, 5), 80.0);
    assert_eq!(power::jvp(2.0, 1.0, 5), (32.0, 80.0));
}
