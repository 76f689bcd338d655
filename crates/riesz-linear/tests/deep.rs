//! Terms a million maps deep: nothing here may need a stack that deep.

use riesz_linear::{LinearMap, Space};

const DEEP: usize = 1_000_000;

/// `m ← S(1) ∘ m + S(0) ∘ m₀`, again and again: sums within compositions within sums.
fn nested() -> LinearMap {
    let one = LinearMap::scale(1.0, Space::Real);
    let zero = LinearMap::scale(0.0, Space::Real);
    (0..DEEP / 2).fold(one.clone(), |map, _| one.after(&map).unwrap().plus(&zero).unwrap())
}

fn left_nested() -> LinearMap {
    let one = LinearMap::scale(1.0, Space::Real);
    (0..DEEP).fold(one.clone(), |map, _| map.after(&one).unwrap())
}

/// The linear recurrence of a loop, as a sequence.
fn sequence() -> LinearMap {
    LinearMap::compose((0..DEEP).map(|at| LinearMap::scale(if at % 2 == 0 { 2.0 } else { 0.5 }, Space::Real)).collect())
        .unwrap()
}

#[test]
fn deep_terms_are_applied_transposed_printed_compared_and_dropped() {
    for map in [nested(), left_nested(), sequence()] {
        assert_eq!(map.apply(&[3.0]), [3.0]);
        let adjoint = map.adjoint();
        assert_eq!(adjoint.apply(&[3.0]), [3.0]);
        assert!(map.to_string().chars().count() < 2000);
        assert!(format!("{map:#}").len() > DEEP);
        assert_eq!(map.clone(), map);
        assert!(map == adjoint.adjoint());
        assert_eq!(map.coo().vals, [3.0 / 3.0]);
        assert!(map.cost().multiplications >= DEEP as u64 / 2);
        drop((map, adjoint));
    }
}

#[test]
fn deep_terms_are_simplified() {
    assert_eq!(nested().simplify().to_string(), "id R");
    assert_eq!(left_nested().simplify().to_string(), "id R");
    assert_eq!(sequence().simplify().to_string(), "id R");
}

#[test]
fn long_chains_are_associated() {
    let association = sequence().associate();
    assert_eq!(association.matrix().values(), [1.0]);
}

#[test]
fn reading_deep_text_is_an_error_and_not_a_crash() {
    let text = "(".repeat(DEEP) + "id R" + &")".repeat(DEEP);
    let error = text.parse::<LinearMap>().unwrap_err();
    assert!(error.message.contains("nested"), "{error}");
    let text = "[".repeat(DEEP);
    assert!(text.parse::<LinearMap>().is_err());
    let text = "id ".to_string() + &"[1]".repeat(DEEP) + "R";
    assert!(text.parse::<LinearMap>().is_err());
}
