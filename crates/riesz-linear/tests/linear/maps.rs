//! Random maps of every form: application, adjoints, matrices and text agree.

use std::num::Wrapping;

use proptest::prelude::*;
use riesz_algebra::{Module, Monoid};
use riesz_linear::{Form, LinearMap, Sampler, inner};

/// Random maps, as seeds.
fn maps() -> impl Strategy<Value = (LinearMap, Sampler)> {
    any::<u64>().prop_map(|seed| {
        let mut sampler = Sampler::new(seed);
        (sampler.any_map(), sampler)
    })
}

/// Maps from `[2]R` to itself in which every part is shared again and again.
fn shared_maps(turns: usize, most: usize) -> impl Strategy<Value = LinearMap> {
    any::<u64>().prop_map(move |seed| {
        let mut sampler = Sampler::new(seed);
        let small = ["reverse [2]R", "diagonal [1.0, -1.0]", "[1.0, 0.0] ⊗ [0.0, 1.0]"];
        let mut pool: Vec<LinearMap> = small.iter().map(|text| text.parse().unwrap()).collect();
        for _ in 0..turns {
            let count = 1 + sampler.below(most);
            let mut some =
                || -> Vec<LinearMap> { (0..count).map(|_| pool[sampler.below(pool.len())].clone()).collect() };
            let (first, second) = (some(), some());
            pool.push(match sampler.below(5) {
                0 | 1 => LinearMap::compose(first).unwrap(),
                2 => LinearMap::add(first).unwrap(),
                3 => LinearMap::join(first).unwrap().after(&LinearMap::fork(second).unwrap()).unwrap(),
                _ => {
                    let each = LinearMap::each_array(second).unwrap();
                    let [join, fork] = [LinearMap::join_array(first.clone()), LinearMap::fork_array(first)];
                    LinearMap::compose(vec![join.unwrap(), each, fork.unwrap()]).unwrap()
                }
            });
        }
        pool.pop().unwrap()
    })
}

/// Numbers modulo 2⁶⁴, in which nothing is rounded however large it grows.
#[derive(Clone, Debug, PartialEq)]
struct Modular(Wrapping<i64>);

impl Monoid for Modular {
    fn zero() -> Modular {
        Modular(Wrapping(0))
    }
    fn add(&self, other: &Modular) -> Modular {
        Modular(self.0 + other.0)
    }
}

impl Module<f64> for Modular {
    fn scale(&self, factor: &f64) -> Modular {
        Modular(self.0 * Wrapping(*factor as i64))
    }
}

/// Applying by the equations of [002 Fig. 4], sharing nothing.
fn meaning(map: &LinearMap, x: &[Modular]) -> Vec<Modular> {
    let zero = || vec![Modular::zero(); map.rows()];
    let plus = |u: Vec<Modular>, v: Vec<Modular>| -> Vec<Modular> { u.iter().zip(v).map(|(u, v)| u.add(&v)).collect() };
    let mut start = 0;
    let mut part = |of: &LinearMap| {
        start += of.columns();
        x[start - of.columns()..start].to_vec()
    };
    match map.form() {
        Form::Compose(maps) => maps.iter().rev().fold(x.to_vec(), |x, map| meaning(map, &x)),
        Form::Add(maps) => maps.iter().fold(zero(), |sum, map| plus(sum, meaning(map, x))),
        Form::Fork(maps) => maps.iter().flat_map(|map| meaning(map, x)).collect(),
        Form::Join(maps) => maps.iter().fold(zero(), |sum, map| plus(sum, meaning(map, &part(map)))),
        Form::Each(maps) => maps.iter().flat_map(|map| meaning(map, &part(map))).collect(),
        Form::Map(element) => (0..map.domain().count()).flat_map(|_| meaning(element, &part(element))).collect(),
        _ => map.apply_over(x),
    }
}

/// `1, 2, 3, …`
fn counting(length: usize) -> Vec<Modular> {
    (1..=length as i64).map(|number| Modular(Wrapping(number))).collect()
}

/// Column by column: what `matrix` and `coo` are measured against.
fn columns(map: &LinearMap) -> Vec<Vec<f64>> {
    map.domain().basis().map(|unit| map.apply(&unit)).collect()
}

proptest! {
    #![proptest_config(crate::many())]

    /// `⟨mᵀ t, s⟩ = ⟨t, m s⟩`   [002 §2.3 (TP)]
    #[test]
    fn adjoints_move_across_the_inner_product((map, mut sampler) in maps()) {
        let (s, t) = (sampler.numbers(map.domain()), sampler.numbers(map.codomain()));
        prop_assert_eq!(inner(&map.adjoint().apply(&t), &s), inner(&t, &map.apply(&s)), "{:#}", map);
    }

    /// [002 Thm 2.2]: inner products with unit vectors determine a map, so that there is one adjoint and no other.
    #[test]
    fn inner_products_determine_a_map((map, _) in maps()) {
        let products: Vec<f64> = (map.codomain().basis())
            .flat_map(|t| map.domain().basis().map(move |s| (t.clone(), s)))
            .map(|(t, s)| inner(&map.apply(&s), &t))
            .collect();
        prop_assert_eq!(map.matrix().values(), products.clone());
        let back: Vec<f64> = (map.codomain().basis())
            .flat_map(|t| map.domain().basis().map(move |s| (t.clone(), s)))
            .map(|(t, s)| inner(&s, &map.adjoint().apply(&t)))
            .collect();
        prop_assert_eq!(back, products);
    }

    #[test]
    fn applying_follows_the_semantics(map in prop_oneof![maps().prop_map(|(map, _)| map), shared_maps(7, 3)]) {
        for map in [map.adjoint(), map] {
            let x = counting(map.columns());
            prop_assert_eq!(map.apply_over(&x), meaning(&map, &x), "{:#}", map);
        }
    }

    #[test]
    fn shared_maps_are_simplified_to_equal_ones(map in shared_maps(5, 2)) {
        let simple = map.simplify();
        prop_assert_eq!(simple.matrix().values(), map.matrix().values());
        prop_assert!(simple.cost().work() <= map.cost().work());
    }

    /// `(mᵀ)ᵀ = m`   [002 Fig. 5]
    #[test]
    fn the_adjoint_of_the_adjoint_is_the_map((map, _) in maps()) {
        prop_assert_eq!(map.adjoint().adjoint(), map);
    }

    /// `m (x + y) = m x + m y`, `m (k x) = k (m x)`   [002 §2.1]
    #[test]
    fn maps_are_linear((map, mut sampler) in maps()) {
        let (x, y, k) = (sampler.numbers(map.domain()), sampler.numbers(map.domain()), sampler.number());
        let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| k * x + y).collect();
        let apart: Vec<f64> = map.apply(&x).iter().zip(map.apply(&y)).map(|(x, y)| k * x + y).collect();
        prop_assert_eq!(map.apply(&sum), apart);
    }

    #[test]
    fn the_matrix_has_the_images_of_unit_vectors_as_columns((map, _) in maps()) {
        let matrix = map.matrix();
        prop_assert_eq!((matrix.rows(), matrix.columns()), (map.rows(), map.columns()));
        for (j, column) in columns(&map).into_iter().enumerate() {
            let found: Vec<f64> = (0..map.rows()).map(|i| matrix.at(i, j)).collect();
            prop_assert_eq!(found, column);
        }
    }

    #[test]
    fn coo_has_every_entry_that_is_not_zero((map, _) in maps()) {
        let coo = map.coo();
        let mut found = vec![vec![None; map.rows()]; map.columns()];
        let places: Vec<(usize, usize)> = coo.rows.iter().copied().zip(coo.cols.iter().copied()).collect();
        prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "sorted, each once");
        for ((i, j), value) in places.into_iter().zip(&coo.vals) {
            found[j][i] = Some(*value);
        }
        for (found, column) in found.iter().zip(columns(&map)) {
            for (found, value) in found.iter().zip(column) {
                prop_assert_eq!(found.unwrap_or(0.0), value);
            }
        }
    }

    /// The structure of a map does not depend on from which side it is found.
    #[test]
    fn coo_of_the_adjoint_is_the_transpose((map, _) in maps()) {
        let (coo, transposed) = (map.coo(), map.adjoint().coo());
        let sorted = |rows: &[usize], cols: &[usize], vals: &[f64]| {
            let mut entries: Vec<(usize, usize, i64)> =
                rows.iter().zip(cols).zip(vals).map(|((i, j), v)| (*i, *j, *v as i64)).collect();
            entries.sort_unstable();
            entries
        };
        prop_assert_eq!(
            sorted(&coo.rows, &coo.cols, &coo.vals),
            sorted(&transposed.cols, &transposed.rows, &transposed.vals)
        );
    }

    #[test]
    fn text_reads_back((map, _) in maps()) {
        let text = format!("{map:#}");
        let read: LinearMap = text.parse().map_err(|error| TestCaseError::fail(format!("{text}\n{error}")))?;
        prop_assert_eq!(read, map, "{}", text);
    }

    #[test]
    fn association_gives_the_matrix((map, _) in maps()) {
        let association = map.associate();
        prop_assert_eq!(association.matrix().values(), map.matrix().values());
        prop_assert!(association.cost <= association.forward && association.cost <= association.reverse);
    }
}

#[test]
fn maps_may_go_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<LinearMap>();
}
