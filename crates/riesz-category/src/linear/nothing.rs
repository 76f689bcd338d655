//! The category with one morphism between any two objects, for evaluations that need only the value.

use crate::category::{Between, Cartesian, Category, Cocartesian, Linear};
use riesz_linear::{LinearMap, Space};

/// The category with one object and one morphism.
pub struct Nothing;

fn point() -> Space {
    Space::product([])
}

impl Category for Nothing {
    type Object = Space;
    type Morphism = ();

    fn identity(_: &Space) {}

    fn compose(_: &Space, _: Vec<()>) {}

    fn after((): (), (): ()) {}
}

impl Between for Nothing {
    fn domain((): &()) -> Space {
        point()
    }

    fn codomain((): &()) -> Space {
        point()
    }
}

impl Cartesian for Nothing {
    fn product(_: Vec<Space>) -> Space {
        point()
    }

    fn power(_: usize, _: &Space) -> Space {
        point()
    }

    fn cross(_: Vec<()>) {}

    fn project(_: usize, _: &Space) {}

    fn duplicate(_: usize, _: &Space) {}

    fn each(_: Vec<()>) {}

    fn replicate(_: usize, _: &Space) {}
}

impl Cocartesian for Nothing {
    fn inject(_: usize, _: &Space) {}

    fn merge(_: usize, _: &Space) {}

    fn sum(_: usize, _: &Space) {}

    fn zero(_: &Space, _: &Space) {}
}

impl Linear for Nothing {
    const VALUES_ONLY: bool = true;

    fn scale(_: f64, _: &Space) {}

    fn primitive(_: &LinearMap) {}
}
