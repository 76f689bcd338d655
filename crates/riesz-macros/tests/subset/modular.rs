//! Programs of several functions: derivatives inside of functions, operators of types, functions that take functions.

// The forms are written as users write them.
#![allow(clippy::useless_vec)]

use crate::compare;
use crate::riesz::differentiable;

// A gradient inside of a function of the same module.

#[differentiable(crate = crate::riesz)]
mod nested {
    #[differentiable]
    pub fn potential(x: f64, y: f64) -> f64 {
        (x * x + 2.0 * y * y).sin() + x * y
    }

    #[differentiable]
    pub fn penalised(x: f64, y: f64) -> f64 {
        let (gx, gy) = potential::grad(x, y);
        potential(x, y) + 0.1 * (gx * gx + gy * gy)
    }
}

#[test]
fn gradients_inside() {
    let g = nested::penalised::grad(0.4, 0.7);
    compare(&|x| nested::penalised(x[0], x[1]), &[0.4, 0.7], &[g.0, g.1]);
}

// Derivatives of other functions inside of a function.

#[differentiable(crate = crate::riesz, wrt(x))]
fn energy(x: &[f64], k: f64) -> f64 {
    let mut e = 0.0;
    for i in 0..x.len() - 1 {
        e += k * (x[i + 1] - x[i]).powi(4);
    }
    e
}

/// A step of leapfrog with forces from the energy.
#[differentiable(crate = crate::riesz)]
fn leapfrog(x: &[f64], v: &[f64], k: f64) -> f64 {
    let (mut x, mut v) = (x.to_vec(), v.to_vec());
    for _ in 0..3 {
        let force = energy::grad(&x, k);
        for i in 0..x.len() {
            v[i] -= 0.01 * force[i];
            x[i] += 0.01 * v[i];
        }
    }
    let hv = energy::hvp(&x, &v, k);
    let (e, de) = energy::jvp(&x, &v, k);
    let h = energy::hessian(&x, k);
    hv.iter().sum::<f64>() + e * de + h[0][1]
}

#[differentiable(crate = crate::riesz, wrt(x))]
fn field(x: &[f64; 2], t: f64) -> [f64; 2] {
    [x[0] * x[1].sin() * t, x[1] * x[1] + x[0]]
}

#[differentiable(crate = crate::riesz)]
fn divergence(x: &[f64; 2], t: f64) -> f64 {
    let j = field::jacobian(x, t);
    let (_, d) = field::jvp(x, &[1.0, 0.5], t);
    j[0][0] + j[1][1] * t + d[0]
}

mod elsewhere {
    use super::divergence as spread;
    use crate::riesz::differentiable;

    #[differentiable(crate = crate::riesz)]
    pub fn slopes(x: &[f64; 2]) -> f64 {
        let (by_x, by_t) = spread::grad(x, 0.5);
        spread(x, 1.0) + by_x[0] * by_x[1] + super::field::jacobian(x, by_t)[1][0]
    }
}

#[test]
fn derivatives_inside_of_functions() {
    let x = [0.1, 0.5, -0.3, 0.2, 0.4, 0.7, 1.3];
    let (a, b, c) = leapfrog::grad(&x[..3], &x[3..6], x[6]);
    let flat: Vec<f64> = a.into_iter().chain(b).chain([c]).collect();
    compare(&|x| leapfrog(&x[..3], &x[3..6], x[6]), &x, &flat);
    let (a, b) = divergence::grad(&[0.3, 0.7], 1.2);
    compare(&|x| divergence(&[x[0], x[1]], x[2]), &[0.3, 0.7, 1.2], &[a[0], a[1], b]);
    use elsewhere::slopes;
    compare(&|x| slopes(&[x[0], x[1]]), &[0.3, 0.7], &slopes::grad(&[0.3, 0.7]));
}

// Operators, constants and constructors of a type; arrays from functions.

#[differentiable(crate = crate::riesz)]
mod vectors {
    use std::ops::{Add, AddAssign, Mul, Neg, Sub};

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Vec2 {
        pub x: f64,
        pub y: f64,
    }

    impl Vec2 {
        pub const UNIT: Self = Self { x: 1.0, y: 0.5 };
        pub fn new(x: f64, y: f64) -> Self {
            Self { x, y }
        }
        pub fn dot(self, o: Self) -> f64 {
            self.x * o.x + self.y * o.y
        }
    }

    impl Add for Vec2 {
        type Output = Self;
        fn add(self, o: Self) -> Self::Output {
            Self::new(self.x + o.x, self.y + o.y)
        }
    }
    impl Sub for Vec2 {
        type Output = Vec2;
        fn sub(self, o: Vec2) -> Vec2 {
            Vec2 { x: self.x - o.x, y: self.y - o.y }
        }
    }
    impl Mul<f64> for Vec2 {
        type Output = Vec2;
        fn mul(self, k: f64) -> Vec2 {
            Vec2 { x: self.x * k, y: self.y * k }
        }
    }
    impl Mul<Vec2> for f64 {
        type Output = Vec2;
        fn mul(self, v: Vec2) -> Vec2 {
            v * self
        }
    }
    impl Neg for Vec2 {
        type Output = Self;
        fn neg(self) -> Self {
            Self { x: -self.x, y: -self.y }
        }
    }
    impl AddAssign for Vec2 {
        fn add_assign(&mut self, o: Self) {
            self.x += o.x;
            self.y += o.y;
        }
    }

    #[differentiable]
    pub fn swing(start: Vec2, k: f64) -> f64 {
        let mut x = start;
        let mut v = Vec2::UNIT;
        let mut trail = vec![start; 3];
        for i in 0..3 {
            v += -x * k * 0.1;
            x += 0.1 * v;
            trail[i] += x - start;
        }
        x.dot(v) + trail[1].dot(trail[2]) + k
    }
}

#[test]
fn operators() {
    use vectors::{Vec2, swing};
    let (a, b) = swing::grad(Vec2::new(0.3, 0.7), 1.2);
    compare(&|x| swing(Vec2::new(x[0], x[1]), x[2]), &[0.3, 0.7, 1.2], &[a.x, a.y, b]);
}

#[differentiable(crate = crate::riesz)]
fn built(v: &[f64; 4]) -> [f64; 3] {
    let m: [[f64; 2]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| v[i] * v[j + 1]));
    if v[0] > 5.0 {
        return core::array::from_fn(|_| 1.0);
    }
    std::array::from_fn(|i| m[i][0] * m[i][1] + i as f64)
}

#[test]
fn arrays_from_functions() {
    let at = [0.3, 0.7, 1.2, -0.4];
    let j = built::jacobian(&at);
    for row in 0..3 {
        compare(&|x| built(x.try_into().unwrap())[row], &at, &j[row]);
    }
}

// Functions that take functions.

#[differentiable(crate = crate::riesz)]
mod quadrature {
    fn simpson(f: impl Fn(f64) -> f64, a: f64, b: f64, n: usize) -> f64 {
        let h = (b - a) / n as f64;
        let mut s = f(a) + f(b);
        for i in 1..n {
            let x = a + i as f64 * h;
            s += if i % 2 == 1 { 4.0 } else { 2.0 } * f(x);
        }
        s * h / 3.0
    }

    fn bisect<F>(f: F, mut low: f64, mut high: f64) -> f64
    where
        F: Fn(f64) -> f64,
    {
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if f(middle) > 0.0 { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    }

    #[differentiable]
    pub fn area(a: f64, k: f64) -> f64 {
        let g = move |x: f64| (-k * x * x).exp();
        simpson(g, 0.0, a, 20) + simpson(|x| x.sin() * k, a, 2.0 * a, 10)
    }

    fn cube(x: f64, k: f64) -> f64 {
        x * x * x * k
    }

    fn twice(f: &dyn Fn(f64, f64) -> f64, x: f64, y: f64) -> f64 {
        f(f(x, y), y)
    }

    fn each(v: &[f64], mut f: impl FnMut(usize, f64)) {
        for (i, x) in v.iter().enumerate() {
            f(i, *x);
        }
    }

    #[differentiable]
    pub fn several(v: &[f64]) -> f64 {
        let mut total = 0.0;
        let mut out = [0.0; 3];
        each(v, |i, x| {
            total += x * i as f64;
            out[i] = x * x;
        });
        let c = |x: f64, y: f64| x * y + v[0];
        total * out[1]
            + twice(&cube, v[0], v[1])
            + twice(&c, v[1], v[2])
            + simpson(f64::sin, v[0], v[2], 4)
            + bisect(|x| x - 1.0, 0.0, 2.0)
    }
}

#[test]
fn quadratures() {
    let g = quadrature::area::grad(1.2, 0.7);
    compare(&|x| quadrature::area(x[0], x[1]), &[1.2, 0.7], &[g.0, g.1]);
}

#[test]
fn functions_of_functions() {
    let x = [0.3, 0.7, 1.1];
    compare(&|x| quadrature::several(x), &x, &quadrature::several::grad(&x));
}
