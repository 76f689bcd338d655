//! Functions and types of other modules: names are resolved by the compiler of Rust.

/// Functions that call those of modules that follow, by all kinds of paths.
mod calls {
    use super::shapes::{self, Inner, Kind, Plate, area as surface};
    use crate::riesz::differentiable;

    #[differentiable(crate = crate::riesz)]
    pub fn by_name(x: f64, y: f64) -> f64 {
        surface(x, y).sin() + shapes::area(y, x * x) + super::shapes::deep::cube(x)
    }

    #[differentiable(crate = crate::riesz)]
    pub fn by_type(plate: &Plate, x: &[f64]) -> f64 {
        let doubled =
            Plate { inner: Inner { height: plate.inner.height * 2.0, ..plate.inner.clone() }, ..plate.clone() };
        let mut total = shapes::weight(&doubled, x);
        for (i, side) in plate.sides.iter().enumerate() {
            total += side * side * x[i];
        }
        match plate.inner.kind {
            Kind::Round => total * 3.0,
            Kind::Square => total,
        }
    }

    #[differentiable(crate = crate::riesz)]
    pub fn twice(x: f64) -> f64 {
        by_name(x, by_name(x, 0.5))
    }

    #[differentiable(crate = crate::riesz)]
    mod inside {
        fn offset(x: f64) -> f64 {
            x
        }

        pub fn both(x: f64) -> f64 {
            offset(x) + super::super::shapes::offset(x)
        }
    }
    pub use inside::both;
}

mod shapes {
    use crate::riesz::{Differentiable, differentiable};

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    #[riesz(crate = crate::riesz)]
    pub struct Plate {
        pub sides: [f64; 2],
        pub inner: Inner,
        pub holes: Vec<Inner>,
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    #[riesz(crate = crate::riesz)]
    pub struct Inner {
        pub height: f64,
        pub kind: Kind,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub enum Kind {
        Round,
        Square,
    }

    #[differentiable(crate = crate::riesz)]
    pub fn area(x: f64, y: f64) -> f64 {
        helper(x) * y
    }

    #[differentiable(crate = crate::riesz)]
    fn helper(x: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..3 {
            s += x.powi(i);
        }
        s
    }

    #[differentiable(crate = crate::riesz)]
    pub fn weight(plate: &Plate, x: &[f64]) -> f64 {
        assert!(x.len() == 2, "a plate has two sides");
        let holes: f64 = plate.holes.iter().map(|hole| hole.height).sum();
        (plate.sides[0] * x[0] + plate.sides[1] * x[1]) * plate.inner.height - holes * holes
    }

    #[differentiable(crate = crate::riesz)]
    pub fn offset(x: f64) -> f64 {
        x * 10.0
    }

    pub mod deep {
        #[crate::riesz::differentiable(crate = crate::riesz)]
        pub fn cube(x: f64) -> f64 {
            x.powi(3)
        }
    }

    #[differentiable(crate = crate::riesz)]
    impl Plate {
        pub fn volume(&self, x: f64) -> f64 {
            self.base() * self.inner.height * x.exp()
        }

        fn base(&self) -> f64 {
            self.sides[0] * self.sides[1]
        }

        pub fn scaled(&self, by: f64) -> [f64; 2] {
            [self.sides[0] * by, self.sides[1] * by * by]
        }
    }
}

use calls::{both, by_name, by_type, twice};
use shapes::{Inner, Kind, Plate};

fn plate(p: &[f64], kind: Kind) -> Plate {
    let hole = Inner { height: p[3], kind: Kind::Square };
    let holes = vec![hole.clone(), Inner { height: p[4], ..hole }];
    Plate { sides: [p[0], p[1]], inner: Inner { height: p[2], kind }, holes }
}

fn numbers(plate: &Plate) -> Vec<f64> {
    vec![plate.sides[0], plate.sides[1], plate.inner.height, plate.holes[0].height, plate.holes[1].height]
}

#[test]
fn functions_of_other_modules() {
    let (x, y) = (0.7, 1.3);
    let (by_x, by_y) = by_name::grad(x, y);
    crate::compare(&|p| by_name(p[0], p[1]), &[x, y], &[by_x, by_y]);
    crate::check_number!(twice, 0.4);
    assert_eq!(both::grad(2.0), 11.0);
}

#[test]
fn types_of_other_modules() {
    for kind in [Kind::Round, Kind::Square] {
        let (p, x) = ([0.5, 0.7, 1.1, 0.3, 0.2], [1.5, -0.5]);
        let at = plate(&p, kind);
        let (by_plate, by_x) = by_type::grad(&at, &x);
        crate::compare(&|p| by_type(&plate(p, kind), &x), &p, &numbers(&by_plate));
        crate::compare(&|x| by_type(&at, x), &x, &by_x);
        assert_eq!(by_plate.inner.kind, kind);
        let (mut place, mut dx) = (plate(&[0.0; 5], kind), [0.0; 2]);
        by_type::value_and_grad(&at, &x, &mut place, &mut dx);
        assert_eq!((numbers(&place), dx.to_vec()), (numbers(&by_plate), by_x));
    }
}

#[test]
#[should_panic(expected = "a plate has two sides")]
fn a_derivative_panics_where_a_called_function_does() {
    by_type::grad(&plate(&[0.5; 5], Kind::Round), &[1.0, 2.0, 3.0]);
}

#[test]
fn methods_have_derivatives_beside_them() {
    let p = [0.5, 0.7, 1.1, 0.3, 0.2];
    let at = plate(&p, Kind::Round);
    let (by_plate, by_x) = at.volume_grad(0.3);
    crate::compare(&|p| plate(p, Kind::Round).volume(0.3), &p, &numbers(&by_plate));
    crate::compare(&|x| at.volume(x[0]), &[0.3], &[by_x]);
    let (value, derivative) = at.volume_jvp(&plate(&[1.0, 0.0, 0.0, 0.0, 0.0], Kind::Round), 0.3, 0.0);
    assert!((value - at.volume(0.3)).abs() < 1e-12);
    assert_eq!(derivative, by_plate.sides[0]);
    let (_, back) = at.scaled_vjp(2.0);
    let (by_plate, by_scale) = back(&[1.0, 1.0]);
    assert_eq!((by_plate.sides, by_scale), ([2.0, 4.0], 0.5 + 4.0 * 0.7));
}
