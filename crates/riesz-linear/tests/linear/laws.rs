//! Every law of the table, on random ingredients; and that the table has every law of the papers' figures.

use std::collections::HashSet;

use proptest::prelude::*;
use riesz_linear::law::laws;
use riesz_linear::{LinearMap, Sampler};

proptest! {
    #![proptest_config(crate::many())]

    #[test]
    fn both_sides_of_every_law_are_equal(seed in any::<u64>()) {
        for law in laws() {
            law.check(&mut Sampler::new(seed)).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn the_example_of_every_rewrite_is_what_it_says() {
    for law in laws() {
        let Some(rule) = law.rule() else { continue };
        let [left, right] = rule.example.map(|text| match text.parse::<LinearMap>() {
            Ok(map) => map,
            Err(error) => panic!("{}: {text}: {error}", law.name),
        });
        let rewritten = law.rewrite(&left, &());
        assert_eq!(rewritten.as_ref(), Some(&right), "{}: {left} becomes {rewritten:?}, not {right}", law.name);
        assert_eq!(rule.example, [format!("{left:#}"), format!("{right:#}")].each_ref().map(String::as_str));
    }
}

#[test]
fn names_are_unique() {
    let mut names = HashSet::new();
    for law in laws() {
        assert!(names.insert(law.name), "two laws are called {}", law.name);
    }
}

/// The equations as the papers print them, figure by figure; where a glyph of the extracted text is wrong, as the types have
/// it. `L` stands for the papers' script L, and so on.
#[test]
fn every_law_of_the_papers_is_in_the_table() {
    let figures: &[(&str, &[&str])] = &[
        ("002 §2.1", &["m ⊙ (x + y) = m ⊙ x + m ⊙ y", "k * (m ⊙ x) = m ⊙ (k * x)"]),
        (
            // semantics
            "002 Fig. 4",
            &[
                "(m₁ ∘ m₂) ⊙ x = m₁ ⊙ (m₂ ⊙ x)",
                "(m₁ × m₂) ⊙ x = (m₁ ⊙ x, m₂ ⊙ x)",
                "V(m) ⊙ x = build(sz(m), λi. m[i] ⊙ x)",
                "(m₁ ⋈ m₂) ⊙ (x₁, x₂) = (m₁ ⊙ x₁) + (m₂ ⊙ x₂)",
                "H(m) ⊙ x = Σᵢ (m[i] ⊙ x[i])",
                "(m₁ ⊕ m₂) ⊙ x = (m₁ ⊙ x) + (m₂ ⊙ x)",
                "0 ⊙ x = 0",
                "1 ⊙ x = x",
                "S(k) ⊙ x = k * x",
                "L(f) ⊙ x = λi. (f i) ⊙ x",
                "L'(f) ⊙ g = Σᵢ (f i) ⊙ g(i)",
                "B(n, λi. m) ⊙ x = build(n, λi. m ⊙ x)",
                "B'(n, λi. m) ⊙ x = sum(build(n, λi. m ⊙ x[i]))",
            ],
        ),
        (
            // properties
            "002 Fig. 4",
            &[
                "0 ∘ m = 0",
                "m ∘ 0 = 0",
                "1 ∘ m = m",
                "m ∘ 1 = m",
                "m ⊕ 0 = m",
                "0 ⊕ m = m",
                "m ∘ (n₁ ⋈ n₂) = (m ∘ n₁) ⋈ (m ∘ n₂)",
                "(m₁ ⋈ m₂) ∘ (n₁ × n₂) = (m₁ ∘ n₁) ⊕ (m₂ ∘ n₂)",
                "S(k₁) ∘ S(k₂) = S(k₁ k₂)",
                "S(k₁) ⊕ S(k₂) = S(k₁ + k₂)",
            ],
        ),
        (
            // transposition
            "002 Fig. 5",
            &[
                "(m₁ ∘ m₂)ᵀ = m₂ᵀ ∘ m₁ᵀ",
                "(m₁ × m₂)ᵀ = m₁ᵀ ⋈ m₂ᵀ",
                "V(v)ᵀ = H(map (_ᵀ) v)",
                "(m₁ ⋈ m₂)ᵀ = m₁ᵀ × m₂ᵀ",
                "H(v)ᵀ = V(map (_ᵀ) v)",
                "(m₁ ⊕ m₂)ᵀ = m₁ᵀ ⊕ m₂ᵀ",
                "0ᵀ = 0",
                "1ᵀ = 1",
                "S(k)ᵀ = S(k)",
                "(mᵀ)ᵀ = m",
                "B(n, λi. m)ᵀ = B'(n, λi. mᵀ)",
                "B'(n, λi. m)ᵀ = B(n, λi. mᵀ)",
                "L(λi. m)ᵀ = L'(λi. mᵀ)",
                "L'(λi. m)ᵀ = L(λi. mᵀ)",
            ],
        ),
        (
            // reverse application
            "002 Fig. 5",
            &[
                "r ⊙ᴿ m = mᵀ ⊙ r",
                "r ⊙ᴿ (m₁ ∘ m₂) = (r ⊙ᴿ m₁) ⊙ᴿ m₂",
                "(r₁, r₂) ⊙ᴿ (m₁ × m₂) = (r₁ ⊙ᴿ m₁) + (r₂ ⊙ᴿ m₂)",
                "r ⊙ᴿ (m₁ ⋈ m₂) = (r ⊙ᴿ m₁, r ⊙ᴿ m₂)",
                "r ⊙ᴿ V(v) = Σᵢ (r[i] ⊙ᴿ v[i])",
                "r ⊙ᴿ H(v) = build(sz(v), λi. r ⊙ᴿ v[i])",
                "r ⊙ᴿ (m₁ ⊕ m₂) = (r ⊙ᴿ m₁) + (r ⊙ᴿ m₂)",
                "r ⊙ᴿ 0 = 0",
                "r ⊙ᴿ 1 = r",
                "r ⊙ᴿ S(k) = k * r",
                "r ⊙ᴿ mᵀ = m ⊙ r",
                "r ⊙ᴿ B(n, λi. m) = sum(build(n, λi. r[i] ⊙ᴿ m))",
            ],
        ),
        ("002 Def. 2.1", &["(mᵀ ⊙ t) • s = t • (m ⊙ s)"]),
        ("003 §2.2.2", &["πᵢ ∘ Π fₓ ∘ ιᵢ = fᵢ", "π_z ∘ Π fₓ ∘ ι_y = 0 for y ≠ z"]),
        (
            "003 §2.2.3",
            &[
                "(red_R(v))_y = Σ_{(x, y) ∈ R} v_x",
                "fˣ = Πₓ f",
                "rep_Y = red_{1 × Y} ∘ ι₁",
                "Σ_Y = π₁ ∘ red_{Y × 1}",
                "(+) = Σ₂",
                "dup = rep₂",
                "scanₙ = red_{{(i, j) | i ≤ j}}",
                "⟨f_y⟩ = Π f_y ∘ rep_Y",
                "[gₓ] = Σ_X ∘ Π gₓ",
            ],
        ),
        (
            "003 §2.2.4",
            &[
                "(k · v) ⊗ w = k · (v ⊗ w) = v ⊗ (k · w)",
                "(v₁ ⊗ w) ⊕ (v₂ ⊗ w) = (v₁ + v₂) ⊗ w",
                "(v ⊗ w₁) ⊕ (v ⊗ w₂) = v ⊗ (w₁ + w₂)",
                "(u₁ ⊗ v₁) ⊙ (u₂ ⊗ v₂) = (u₁ ⊙ u₂) · (v₁ ⊙ v₂)",
            ],
        ),
        ("003 §3.1", &["(w ⊗ v) * (v' ⊗ u) = (v ⊙ v') · (w ⊗ u)"]),
        (
            "003 §3.2",
            &[
                "⟨v = 1 ⊗ v",
                "|k ⊗ v| = k · v",
                "v⟩ = v ⊗ 1",
                "|v ⊗ k| = k · v",
                "(v ⊗ w)ᵀ = w ⊗ v",
                "assoc((u ⊗ v) ⊗ w) = u ⊗ (v ⊗ w)",
                "assoc⁻¹(u ⊗ (v ⊗ w)) = (u ⊗ v) ⊗ w",
                "distrib((⊕ vₓ) ⊗ w) = ⊕ (vₓ ⊗ w)",
                "(zip(v, w))ₓ = (vₓ, wₓ)",
                "u ∘ u⁻¹ = 1",
                "Vˣ ⊗ Wʸ ≅ (V ⊗ W)^(X × Y)",
                "v ⊗ w = v⟩ * ⟨w",
                "v₁ ⊙ v₂ = |⟨v₁ * v₂⟩|",
            ],
        ),
        (
            "003 Thm 6.5",
            &[
                "1ᵀ = 1",
                "(m₁ ∘ m₂)ᵀ = m₂ᵀ ∘ m₁ᵀ",
                "0ᵀ = 0",
                "(v *)* = (vᵀ *)",
                "(* w)* = (* wᵀ)",
                "(ιₓ)* = πₓ",
                "(Π fₓ)* = Π fₓ*",
                "red_R* = red_Rᵀ",
                "u* = u⁻¹",
            ],
        ),
        ("003 §6.1", &["S(k)ᵀ = S(k)", "(_ · v)* = (_ ⊙ v)"]),
        ("003 Prop. 6.4", &["dual⁻¹(f) = f*(1)"]),
    ];
    for (source, equations) in figures {
        for equation in *equations {
            let found = laws()
                .any(|law| law.equation == *equation && law.source.contains(source) && !law.source.starts_with("from"));
            assert!(found, "{source}: {equation} is not in the table");
        }
    }
}
