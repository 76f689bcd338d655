//! Simplification: it terminates, gives equal maps, and never more expensive ones; and examples of its results.

use proptest::prelude::*;
use riesz_linear::{LinearMap, Sampler};

fn map(text: &str) -> LinearMap {
    match text.parse() {
        Ok(map) => map,
        Err(error) => panic!("{text}: {error}"),
    }
}

fn check(before: &str, after: &str) {
    let (simple, steps) = map(before).simplify_with_steps();
    assert_eq!(simple.to_string(), after, "{before}: {steps:#?}");
}

proptest! {
    #![proptest_config(crate::many())]

    #[test]
    fn the_simplified_map_is_equal_and_no_dearer(seed in any::<u64>()) {
        let map = Sampler::new(seed).any_map();
        let (simple, steps) = map.simplify_with_steps();
        prop_assert_eq!((simple.domain(), simple.codomain()), (map.domain(), map.codomain()));
        for unit in map.domain().basis() {
            prop_assert_eq!(simple.apply(&unit), map.apply(&unit), "{:#} is not {:#}", simple, map);
        }
        prop_assert!(simple.cost().work() <= map.cost().work(), "{:#} costs more than {:#}", simple, map);
        for step in steps {
            for unit in step.before.domain().basis() {
                prop_assert_eq!(step.before.apply(&unit), step.after.apply(&unit), "{:?}", step);
            }
        }
    }

    #[test]
    fn what_is_simple_stays_as_it_is(seed in any::<u64>()) {
        let simple = Sampler::new(seed).any_map().simplify();
        let (again, steps) = simple.simplify_with_steps();
        prop_assert_eq!(&again, &simple, "{:#} becomes {:#} by {:#?}", simple, again, steps);
    }
}

/// The derivative of `b sin(a · x)` is `c · (b ⊗ a)`.   [003 §8]
#[test]
fn a_column_after_a_multiple_after_a_row_is_rank_one() {
    check("[1.0, 2.0] ⊗ 1.0 ∘ scale 0.5 ∘ dot([3.0, 4.0, 5.0], _)", "0.5 · ([1.0, 2.0] ⊗ [3.0, 4.0, 5.0])");
}

/// `ln ∘ sin` at a point: multiples multiply.   [003 Ex. B.1]
#[test]
fn the_chain_rule_for_numbers_multiplies() {
    check("scale 4.0 ∘ scale 0.5", "scale 2.0");
}

/// `f(x₁, x₂) = ln x₁ + x₁ x₂ − sin x₂`: a sum over projections.   [003 Ex. B.2]
#[test]
fn partial_derivatives_are_collected() {
    check(
        "scale 0.5 ∘ project 0 of (R, R) + (scale 2.0 ∘ project 1 of (R, R) + scale 3.0 ∘ project 0 of (R, R)) \
         + scale -1.0 ∘ project 1 of (R, R)",
        "scale 3.5 ⋈ id R",
    );
}

/// `y = x²`, `z = x + y`, `y z` in one variable: the whole derivative is one multiple.   [002 §7]
#[test]
fn the_derivative_of_a_function_of_one_number_is_a_multiple() {
    let x = 3.0;
    let (y, z) = (x * x, x + x * x);
    let identity = map("id R");
    let fork = |f: &LinearMap, g: &LinearMap| LinearMap::fork(vec![f.clone(), g.clone()]).unwrap();
    let product = |a: f64, b: f64| map(&format!("scale {b:?} ⋈ scale {a:?}"));
    let dy = product(x, x).after(&fork(&identity, &identity)).unwrap();
    let dz = map("id R ⋈ id R").after(&fork(&identity, &dy)).unwrap();
    let whole = product(y, z).after(&fork(&dy, &dz)).unwrap();
    assert_eq!(whole.simplify(), LinearMap::scale(2.0 * x * z + y * (1.0 + 2.0 * x), map("id R").domain().clone()));
}

#[test]
fn zeros_disappear_even_beside_infinities() {
    check("scale inf ∘ scale 0.0", "0 : R -o R");
    check("(0 : R -o [2]R) ∘ scale nan", "0 : R -o [2]R");
    check("scale 2.0 + scale 0.0 ∘ scale inf", "scale 2.0");
    check("id R × (0 : R -o R)", "id R × (0 : R -o R)");
    check("0.0 · ([inf, nan] ⊗ [1.0, 2.0])", "0 : [2]R -o [2]R");
}

#[test]
fn structure_is_found() {
    check("diagonal [2.0, 3.0] ∘ diagonal [5.0, 7.0]", "diagonal [10.0, 21.0]");
    check("diagonal [2.0, 3.0] ∘ scale 2.0 [2]R", "diagonal [4.0, 6.0]");
    check("each [scale 2.0, scale 2.0]", "scale 2.0 [2]R");
    check("project 1 of (R, [2]R) × project 0 of (R, [2]R)", "project 1 of (R, [2]R) × project 0 of (R, [2]R)");
    check("project 0 of (R, [2]R) × project 1 of (R, [2]R)", "id (R, [2]R)");
    check("project 1 of ([2]R, R) ∘ (project 1 of (R, [2]R) × project 0 of (R, [2]R))", "project 0 of (R, [2]R)");
    check("map 3 (scale 2.0) ∘ map 3 (sum [2]R)", "scale 2.0 [3]R ∘ map 3 (sum [2]R)");
    check("sum [4]R ∘ replicate [4]R", "scale 4.0");
    check("reverse [5]R ∘ reverse [5]R", "id [5]R");
    check("slice 0 2 of [3]R ∘ slice 1 4 of [5]R", "slice 1 3 of [5]R");
    check("reshape [2][3]R to [6]R ∘ reshape [6]R to [2][3]R", "id [6]R");
    check("transpose [2]R [3]R ∘ transpose [3]R [2]R", "id [3][2]R");
}

#[test]
fn common_maps_come_out() {
    // Σ (A ∘ mᵢ) = A ∘ Σ mᵢ
    check(
        "dot([[1.0, 2.0], [3.0, 4.0]], _) ∘ prefix [2]R + dot([[1.0, 2.0], [3.0, 4.0]], _) ∘ reverse [2]R",
        "dot([[1.0, 2.0], [3.0, 4.0]], _) ∘ (prefix [2]R + reverse [2]R)",
    );
    check("sum [3]R × scale 2.0 ∘ sum [3]R", "(id R × scale 2.0) ∘ sum [3]R");
    check("replicate [3]R ⋈ scale 2.0 [3]R ∘ replicate [3]R", "replicate [3]R ∘ (id R ⋈ scale 2.0)");
}

#[test]
fn contractions_are_multiplied_only_where_that_is_cheaper() {
    // a 1 × 2 after a 2 × 1 matrix: one number instead of four
    check("dot([[1.0, 2.0]], _) ∘ dot([[3.0], [4.0]], _)", "dot([[11.0]], _)");
    // a 2 × 1 after a 1 × 2 matrix stays as it is
    check("dot([[3.0], [4.0]], _) ∘ dot([[1.0, 2.0]], _)", "dot([[3.0], [4.0]], _) ∘ dot([[1.0, 2.0]], _)");
    // and so does a number that is written to many places
    check("replicate [3]R ∘ 2.0 ⊗ [1.0, 2.0]", "replicate [3]R ∘ 2.0 ⊗ [1.0, 2.0]");
}

#[test]
fn steps_name_their_laws() {
    let (simple, steps) = map("(scale 2.0 ⋈ scale 3.0) ∘ (id R × scale 5.0)").simplify_with_steps();
    assert_eq!(simple.to_string(), "scale 17.0");
    let names: Vec<&str> = steps.iter().map(|step| step.law.name).collect();
    assert_eq!(names, ["join after fork", "map after identity", "compose scales", "add scales"]);
    assert_eq!(steps[0].after.to_string(), "scale 2.0 ∘ id R + scale 3.0 ∘ scale 5.0");
}

#[test]
fn long_chains_and_sums_are_simplified_in_one_pass() {
    let n = 200_000;
    let chain = LinearMap::compose((0..n).map(|at| map(if at % 2 == 0 { "scale 2.0" } else { "scale 0.5" })).collect());
    assert_eq!(chain.unwrap().simplify().to_string(), "id R");
    let sum = LinearMap::add(vec![map("scale 2.0"); n]).unwrap();
    assert_eq!(sum.simplify().to_string(), "scale 400000.0");
    let mut nested = map("prefix [2]R");
    for _ in 0..20_000 {
        nested = map("reverse [2]R").after(&nested).unwrap();
    }
    assert_eq!(nested.simplify().to_string(), "prefix [2]R");
}

/// The states of a loop, each made from the one before: what they share is not written out for each of them.
#[test]
fn long_chains_that_share_their_parts_stay_linear() {
    let turns = [map("dot([[1.0, 2.0], [3.0, 4.0]], _)"), map("prefix [2]R")];
    let mut states = vec![map("id [2]R")];
    for turn in 0..5000 {
        states.push(turns[turn % 2].after(&states[turn]).unwrap());
    }
    let cost = states[5000].cost();
    let last = states[5000].simplify();
    assert!(last.cost().work() <= cost.work());
    let all = LinearMap::fork_array(states).unwrap();
    assert!(all.cost().work() <= cost.work());
    let simple = all.simplify();
    assert!(simple.cost().work() <= cost.work());
    assert_eq!(simple.apply(&[0.0, 1.0])[..8], all.apply(&[0.0, 1.0])[..8]);
}

/// Maps of nothing cost nothing, and laws that undo each other there come to an end.
#[test]
fn there_is_an_end_to_maps_of_nothing() {
    let text = "fork [(0 : R -o [0]R) + replicate [0]R + replicate [0]R, \
                replicate [0]R + ([] : [0]R) ⊗ 1.0 + replicate [0]R]";
    let map: LinearMap = text.parse().unwrap();
    let simple = map.simplify();
    assert_eq!((simple.domain(), simple.codomain()), (map.domain(), map.codomain()));
    assert!(simple.cost().work() <= map.cost().work());
}
