//! Vector spaces, bases, tries and linear maps.

use std::fmt::Debug;

use proptest::prelude::*;
use riesz_algebra::finite::{Below, Either};
use riesz_algebra::space::{
    HasBasis, InnerSpace, LinearMap, basis_laws, inner_space_laws, linear_map_laws, trie_laws, vector_space_laws,
};
use riesz_algebra::{Finite, module_laws};

use crate::arbitrary::*;

type Pair = (Integer, Integer);
type Nested = ([Integer; 2], Integer);

fn pair() -> impl Strategy<Value = Pair> {
    (integer(), integer())
}

fn nested() -> impl Strategy<Value = Nested> {
    ((integer(), integer()).prop_map(|(x, y)| [x, y]), integer())
}

/// Every law of a space.
fn space_laws<V>(c: &V::Scalar, [u, v, w]: &[V; 3]) -> Result<(), String>
where
    V: HasBasis + InnerSpace + PartialEq + Debug,
    V::Scalar: PartialEq + Debug,
{
    module_laws((c, &u.dot(v)), (u, v, w))?;
    vector_space_laws(u, v)?;
    inner_space_laws(c, u, v, w)?;
    basis_laws(u)
}

proptest! {
    #[test]
    fn spaces_keep_the_laws(c in integer(), numbers in three(integer()), pairs in three(pair()), all in three(nested())) {
        holds(space_laws(&c, &numbers))?;
        holds(space_laws(&c, &pairs))?;
        holds(space_laws(&c, &all))?;
        holds(space_laws(&c, &[[pairs[0], pairs[1]], [pairs[1], pairs[2]], [pairs[2], pairs[0]]]))?;
        holds(space_laws::<[Integer; 0]>(&c, &[[], [], []]))?;
        let [x, y, z] = all.map(|([x, y], z)| [x, y, z].map(|x| (x.0 % 100) as f64));
        holds(space_laws(&x[0], &x))?;
        holds(space_laws(&x[0], &[x, y, z]))?;
        holds(space_laws(&(x[0] as f32), &[x, y, z].map(|v| (v[0] as f32, [v[1] as f32, v[2] as f32]))))?;
        // linear maps are vectors, too
        let map = |at: usize| LinearMap::of_columns(|b: &Either<(), ()>| all[(at + b.index()) % 3]);
        holds(space_laws::<LinearMap<Pair, Nested>>(&c, &[map(0), map(1), map(2)]))?;
    }

    #[test]
    fn linear_maps_keep_the_laws(c in integer(), [u, v, w] in three(pair()), columns in three(nested())) {
        let f: LinearMap<Pair, Nested> = LinearMap::of_columns(|b: &Either<(), ()>| columns[b.index()]);
        let g: LinearMap<Nested, Pair> = LinearMap::linear(|([x, y], z): &Nested| (*x + w.0 * *z, *y * w.1));
        holds(linear_map_laws((&f, &g), (&c, &u, &v)))?;
        let form: LinearMap<Pair, Integer> = LinearMap::linear(|u: &Pair| u.dot(&w));
        prop_assert_eq!(form.gradient(), w);
        prop_assert_eq!(form.apply(&u), w.dot(&u));
    }
}

#[test]
fn a_function_is_called_once_for_each_value() {
    let mut calls = 0;
    let map = LinearMap::linear(|x: &[f64; 4]| {
        calls += 1;
        x.iter().sum::<f64>()
    });
    assert_eq!((map.apply(&[1.0, 2.0, 3.0, 4.0]), map.apply(&[1.0; 4])), (10.0, 4.0));
    assert_eq!(calls, 4);
}

#[test]
fn tries_are_functions() {
    trie_laws::<(), _>(|()| 1).unwrap();
    trie_laws::<std::convert::Infallible, _>(|_| 1).unwrap();
    trie_laws::<Below<3>, _>(|b| b.get()).unwrap();
    trie_laws::<Either<Below<3>, ()>, _>(|b| b.index()).unwrap();
    trie_laws::<(Below<3>, Either<(), Below<2>>), _>(|b| b.index()).unwrap();
}
