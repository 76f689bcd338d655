//! The cost model agrees with the operations that numbers count when a map is applied.

use std::cell::Cell;

use proptest::prelude::*;
use riesz_algebra::{Module, Monoid};
use riesz_linear::{Contraction, Form, LinearMap, Matrix, Relation, Sampler, Side, Space, Vector};

/// A number that counts what is done with it; nothing has been added to it if it is not there.
#[derive(Clone, Debug)]
struct Counted(Option<f64>);

thread_local! {
    static MULTIPLICATIONS: Cell<u64> = const { Cell::new(0) };
    static ADDITIONS: Cell<u64> = const { Cell::new(0) };
}

impl Monoid for Counted {
    fn zero() -> Counted {
        Counted(None)
    }
    fn add(&self, other: &Counted) -> Counted {
        match (self.0, other.0) {
            (Some(x), Some(y)) => {
                ADDITIONS.set(ADDITIONS.get() + 1);
                Counted(Some(x + y))
            }
            (x, y) => Counted(x.or(y)),
        }
    }
}

impl Module<f64> for Counted {
    fn scale(&self, factor: &f64) -> Counted {
        MULTIPLICATIONS.set(MULTIPLICATIONS.get() + 1);
        Counted(self.0.map(|x| x.scale(factor)))
    }
}

/// Multiplications and additions that applying a map takes.
fn counted(map: &LinearMap) -> (u64, u64) {
    MULTIPLICATIONS.set(0);
    ADDITIONS.set(0);
    map.apply_over(&vec![Counted(Some(1.0)); map.columns()]);
    (MULTIPLICATIONS.get(), ADDITIONS.get())
}

fn modelled(map: &LinearMap) -> (u64, u64) {
    let cost = map.cost();
    (cost.multiplications, cost.additions)
}

/// Whether every part of a term writes a number to every place.
fn writes_everything(map: &LinearMap) -> bool {
    let here = match map.form() {
        Form::Zero | Form::Inject(_) => false,
        Form::Reduce { relation, .. } => {
            let mut written = vec![false; relation.to()];
            relation.each_pair(|_, y| written[y] = true);
            written.into_iter().all(|written| written)
        }
        Form::Contract(Contraction { side, matrix, .. }) => {
            let matrix = if *side == Side::Left { matrix.clone() } else { matrix.transpose() };
            (0..matrix.rows()).all(|row| !matrix.span(row).is_empty())
        }
        _ => true,
    };
    here && map.rows() > 0 && map.columns() > 0 && map.children().iter().all(writes_everything)
}

proptest! {
    #![proptest_config(crate::many())]

    #[test]
    fn costs_are_what_applying_takes(seed in any::<u64>()) {
        let map = Sampler::new(seed).any_map();
        let (model, count) = (modelled(&map), counted(&map));
        if writes_everything(&map) {
            prop_assert_eq!(model, count, "{:#}", map);
        } else {
            prop_assert!(count.0 <= model.0 && count.1 <= model.1, "{:?} but {:?}: {:#}", model, count, map);
        }
    }

    #[test]
    fn the_adjoint_multiplies_as_often(seed in any::<u64>()) {
        let map = Sampler::new(seed).any_map();
        if writes_everything(&map) {
            let costs = map.costs();
            prop_assert_eq!(costs.apply.multiplications, costs.adjoint.multiplications, "{:#}", map);
        }
    }
}

#[test]
fn the_costs_of_some_maps() {
    let reals = Space::reals;
    let matrix = Matrix::new(3, 4, vec![1.0; 12]).unwrap();
    let vector = |n: usize| Vector::of_reals(vec![2.0; n]);
    for (map, expected) in [
        (LinearMap::identity(reals(5)), (0, 0)),
        (LinearMap::scale(2.0, reals(5)), (5, 0)),
        (LinearMap::diagonal(vector(5)), (5, 0)),
        (LinearMap::left(matrix.clone(), Space::Real), (12, 9)),
        (LinearMap::left(matrix.clone(), reals(2)), (24, 18)),
        (LinearMap::right(matrix, reals(2)), (24, 16)),
        // n + 1 multiplications for the number, m for the vector
        (LinearMap::rank_one(3.0, vector(6), vector(4)), (4 + 1 + 6, 3)),
        (LinearMap::rank_one(1.0, vector(6), vector(4)), (4 + 6, 3)),
        (LinearMap::reduce(Relation::Sum(7), reals(2)), (0, 12)),
        (LinearMap::reduce(Relation::Prefix(7), Space::Real), (0, 6)),
        (LinearMap::reduce(Relation::scatter(vec![0, 1, 1, 1], 2).unwrap(), Space::Real), (0, 2)),
        (LinearMap::map(10, LinearMap::row(vector(3))), (30, 20)),
        (LinearMap::rank_one(1.0, vector(3), Vector::of_reals(vec![1.0])), (3, 0)),
    ] {
        assert_eq!(modelled(&map), expected, "{map}");
        assert_eq!(counted(&map), expected, "{map}");
    }
}

#[test]
fn matrices_cost_what_their_entries_cost() {
    // the matrix of a contraction is read off, that of a diagonal has a number for each row
    let contraction = LinearMap::left(Matrix::new(30, 40, vec![1.0; 1200]).unwrap(), Space::Real);
    assert_eq!(contraction.costs().matrix.multiplications, 1200);
    assert_eq!(LinearMap::diagonal(Vector::of_reals(vec![2.0; 100])).costs().matrix.multiplications, 100);
    // one row of a rank-one map of a million by a million
    let vector = || Vector::of_reals(vec![1.0; 1_000_000]);
    let map = LinearMap::rank_one(2.0, vector(), vector());
    let row = LinearMap::project(7, Space::reals(1_000_000)).unwrap().after(&map).unwrap();
    assert!(row.costs().matrix.work() < 10_000_000);
    assert_eq!(row.coo().len(), 1_000_000);
}

/// `y ← y · y` thirty times, with derivatives as maps that share: linear forwards and backwards, not 2³⁰.
#[test]
fn shared_parts_are_applied_once() {
    let mut value = 1.000_000_1_f64;
    let mut derivative = LinearMap::identity(Space::Real);
    for _ in 0..30 {
        let product = LinearMap::join(vec![LinearMap::scale(value, Space::Real); 2]).unwrap();
        let both = LinearMap::fork(vec![derivative.clone(), derivative]).unwrap();
        (value, derivative) = (value * value, product.after(&both).unwrap());
    }
    assert!(modelled(&derivative).0 <= 60);
    assert!(modelled(&derivative.adjoint()).0 <= 60);
    let forwards = derivative.apply(&[1.0])[0];
    let backwards = derivative.adjoint().apply(&[1.0])[0];
    assert!((forwards - backwards).abs() <= 1e-9 * forwards, "{forwards} {backwards}");
    // d/dx x^(2^30) = 2^30 x^(2^30) / x
    let expected = 2f64.powi(30) * value / 1.000_000_1;
    assert!((forwards - expected).abs() < 1e-6 * expected, "{forwards} {expected}");
}

/// `y ← y · sin y` a thousand times, at some numbers: parts are shared, but no two places that share them look alike.
#[test]
fn a_thousand_iterations_of_a_loop_take_a_thousand_steps() {
    let iterations = 1000;
    let mut derivative = LinearMap::identity(Space::Real);
    let mut expected = 1.0;
    for iteration in 0..iterations {
        let (y, sin, cos) = (0.5 + (iteration % 7) as f64 / 100.0, 0.6, 0.8);
        let sine = LinearMap::scale(cos, Space::Real).after(&derivative).unwrap();
        let product = LinearMap::join(vec![LinearMap::scale(sin, Space::Real), LinearMap::scale(y, Space::Real)]);
        expected *= sin + y * cos;
        derivative = product.unwrap().after(&LinearMap::fork(vec![derivative, sine]).unwrap()).unwrap();
    }
    for map in [derivative.clone(), derivative.adjoint(), derivative.simplify(), derivative.adjoint().simplify()] {
        assert!(map.cost().multiplications <= 3 * iterations, "{:?}", map.cost());
        let found = map.apply(&[1.0])[0];
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} {expected}");
    }
    assert!(matches!(derivative.simplify().form(), Form::Scale(_)));
}
