//! Terms a million maps deep: no operation needs a stack of that depth.

use riesz_linear::{LinearMap, Space};

const DEEP: usize = 1_000_000;

/// `m ← S(1) ∘ m + S(0)`, again and again: sums within compositions within sums.
fn nested(depth: usize) -> LinearMap {
    let one = LinearMap::scale(1.0, Space::Real);
    let zero = LinearMap::scale(0.0, Space::Real);
    (0..depth / 2).fold(one.clone(), |map, _| one.after(&map).unwrap().plus(&zero).unwrap())
}

fn left_nested(depth: usize) -> LinearMap {
    let one = LinearMap::scale(1.0, Space::Real);
    (0..depth).fold(one.clone(), |map, _| map.after(&one).unwrap())
}

/// The linear recurrence of a loop, as a sequence.
fn sequence(length: usize) -> LinearMap {
    let turn = |at: usize| LinearMap::scale(if at.is_multiple_of(2) { 2.0 } else { 0.5 }, Space::Real);
    LinearMap::compose((0..length).map(turn).collect()).unwrap()
}

#[test]
fn deep_terms_are_applied_transposed_printed_compared_and_dropped() {
    for map in [nested(DEEP), left_nested(DEEP), sequence(DEEP)] {
        assert_eq!(map.apply(&[3.0]), [3.0]);
        let adjoint = map.adjoint();
        assert_eq!(adjoint.apply(&[3.0]), [3.0]);
        assert!(map.to_string().chars().count() < 2000);
        assert!(format!("{map:#}").len() > DEEP);
        assert!(map == adjoint.adjoint());
        drop((map, adjoint));
    }
}

#[test]
fn deep_terms_are_counted_written_out_simplified_and_associated() {
    let depth = DEEP / 10;
    for map in [nested(depth), left_nested(depth), sequence(depth)] {
        assert!(map.cost().multiplications >= depth as u64 / 2);
        assert_eq!(map.coo().vals, [1.0]);
        assert_eq!(map.matrix().values(), [1.0]);
        assert_eq!(map.associate().matrix().values(), [1.0]);
        assert_eq!(map.simplify().to_string(), "id R");
    }
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
