//! The laws of categories, as functions that can be called on morphisms of any category.   [004 §4, §15, App. B]
//!
//! Morphisms may be functions, which cannot be compared: each law takes a function that decides whether two morphisms
//! are equal.
//!
//! ```text
//!   id ∘ f = f = f ∘ id         h ∘ (g ∘ f) = (h ∘ g) ∘ f
//!   exᵢ ∘ (f₀ × f₁) = fᵢ ∘ exᵢ   exᵢ ∘ dup = id    exᵢ ∘ (f₀ △ f₁) = fᵢ    (ex₀ ∘ h) △ (ex₁ ∘ h) = h
//!   (f₀ × f₁) ∘ inᵢ = inᵢ ∘ fᵢ   jam ∘ inᵢ = id    (f₀ ▽ f₁) ∘ inᵢ = fᵢ    (h ∘ in₀) ▽ (h ∘ in₁) = h
//!   exᵢ ∘ inᵢ = id    exᵢ ∘ inⱼ = 0    f + g = jam ∘ (f △ g)
//! ```

use crate::category::{Cartesian, Category, Cocartesian, Linear};
use riesz_linear::{LinearMap, Relation, Space};

/// The first law that does not hold, by its equation.
pub type Law = Result<(), &'static str>;

/// Tells whether two morphisms from an object are the same.
pub type Same<'s, C> =
    &'s dyn Fn(&<C as Category>::Object, &<C as Category>::Morphism, &<C as Category>::Morphism) -> bool;

/// A law, by its equation, for morphisms from an object.
fn equal<C: Category>(
    same: Same<C>,
    law: &'static str,
    from: &C::Object,
    left: C::Morphism,
    right: C::Morphism,
) -> Law {
    if same(from, &left, &right) { Ok(()) } else { Err(law) }
}

/// Identities and composition, of `f : a ⇝ b`, `g : b ⇝ c`, `h : c ⇝ d`.
///
/// # Errors
/// The first law that does not hold.
pub fn category_laws<C: Category>(
    same: Same<C>,
    (a, b): (&C::Object, &C::Object),
    (f, g, h): (&C::Morphism, &C::Morphism, &C::Morphism),
) -> Law {
    let [f, g, h] = [f, g, h].map(C::Morphism::clone);
    let after = C::after;
    equal::<C>(same, "id ∘ f = f", a, after(C::identity(b), f.clone()), f.clone())?;
    equal::<C>(same, "f ∘ id = f", a, after(f.clone(), C::identity(a)), f.clone())?;
    let left = after(h.clone(), after(g.clone(), f.clone()));
    equal::<C>(same, "h ∘ (g ∘ f) = (h ∘ g) ∘ f", a, left.clone(), after(after(h.clone(), g.clone()), f.clone()))?;
    equal::<C>(same, "a path is its compositions", a, C::compose(a, vec![f, g, h]), left)?;
    equal::<C>(same, "the empty path is id", a, C::compose(a, Vec::new()), C::identity(a))
}

/// Products, of `f : a ⇝ b`, `g : a ⇝ c` and `p, q : a ⇝ b`.
///
/// # Errors
/// The first law that does not hold.
pub fn cartesian_laws<C: Cartesian>(
    same: Same<C>,
    (a, b, c): (&C::Object, &C::Object, &C::Object),
    (f, g): (&C::Morphism, &C::Morphism),
    (p, q): (&C::Morphism, &C::Morphism),
) -> Law {
    let pair = C::product(vec![a.clone(), a.clone()]);
    let to = C::product(vec![b.clone(), c.clone()]);
    let maps = [f, g];
    for (at, map) in maps.into_iter().enumerate() {
        let cross = C::cross(vec![f.clone(), g.clone()]);
        let fork = C::fork(a, vec![f.clone(), g.clone()]);
        let left = C::after(C::project(at, &to), cross.clone());
        equal::<C>(same, "exᵢ ∘ (f₀ × f₁) = fᵢ ∘ exᵢ", &pair, left, C::after(map.clone(), C::project(at, &pair)))?;
        let left = C::after(C::project(at, &pair), C::duplicate(2, a));
        equal::<C>(same, "exᵢ ∘ dup = id", a, left, C::identity(a))?;
        equal::<C>(same, "exᵢ ∘ (f₀ △ f₁) = fᵢ", a, C::after(C::project(at, &to), fork.clone()), map.clone())?;
        equal::<C>(same, "f △ g = (f × g) ∘ dup", a, fork.clone(), C::after(cross, C::duplicate(2, a)))?;
        let part = |at: usize| C::after(C::project(at, &to), fork.clone());
        equal::<C>(same, "(ex₀ ∘ h) △ (ex₁ ∘ h) = h", a, C::fork(a, vec![part(0), part(1)]), fork.clone())?;
    }
    let identities = C::cross(vec![C::identity(a), C::identity(a)]);
    equal::<C>(same, "id × id = id", &pair, identities, C::identity(&pair))?;
    let (from, to) = (C::power(2, a), C::power(2, b));
    for (at, map) in [p, q].into_iter().enumerate() {
        let each = C::each(vec![p.clone(), q.clone()]);
        let left = C::after(C::project(at, &to), each.clone());
        equal::<C>(same, "exIᵢ ∘ crossI fs = fᵢ ∘ exIᵢ", &from, left, C::after(map.clone(), C::project(at, &from)))?;
        let left = C::after(C::project(at, &from), C::replicate(2, a));
        equal::<C>(same, "exIᵢ ∘ replI = id", a, left, C::identity(a))?;
        let fork = C::fork_each(a, vec![p.clone(), q.clone()]);
        equal::<C>(same, "forkI fs = crossI fs ∘ replI", a, fork, C::after(each, C::replicate(2, a)))?;
    }
    Ok(())
}

/// Coproducts on the objects of products, of `f : a ⇝ c`, `g : b ⇝ c` and `p, q : a ⇝ c`.
///
/// # Errors
/// The first law that does not hold.
pub fn cocartesian_laws<C: Cocartesian>(
    same: Same<C>,
    (a, b, c): (&C::Object, &C::Object, &C::Object),
    (f, g): (&C::Morphism, &C::Morphism),
    (p, q): (&C::Morphism, &C::Morphism),
) -> Law {
    let parts = [a, b];
    let pair = C::product(vec![a.clone(), b.clone()]);
    let twice = C::product(vec![c.clone(), c.clone()]);
    for (at, map) in [f, g].into_iter().enumerate() {
        let cross = C::cross(vec![f.clone(), g.clone()]);
        let join = C::join(c, vec![f.clone(), g.clone()]);
        let inject = C::inject(at, &pair);
        let left = C::after(cross.clone(), inject.clone());
        equal::<C>(same, "(f₀ × f₁) ∘ inᵢ = inᵢ ∘ fᵢ", parts[at], left, C::after(C::inject(at, &twice), map.clone()))?;
        let left = C::after(C::merge(2, c), C::inject(at, &twice));
        equal::<C>(same, "jam ∘ inᵢ = id", c, left, C::identity(c))?;
        equal::<C>(same, "(f₀ ▽ f₁) ∘ inᵢ = fᵢ", parts[at], C::after(join.clone(), inject.clone()), map.clone())?;
        equal::<C>(same, "f ▽ g = jam ∘ (f × g)", &pair, join.clone(), C::after(C::merge(2, c), cross))?;
        let part = |at: usize| C::after(join.clone(), C::inject(at, &pair));
        equal::<C>(same, "(h ∘ in₀) ▽ (h ∘ in₁) = h", &pair, C::join(c, vec![part(0), part(1)]), join.clone())?;
        let back = C::after(C::project(at, &pair), inject.clone());
        equal::<C>(same, "exᵢ ∘ inᵢ = id", parts[at], back, C::identity(parts[at]))?;
        let other = C::after(C::project(1 - at, &pair), inject);
        equal::<C>(same, "exᵢ ∘ inⱼ = 0", parts[at], other, C::zero(parts[at], parts[1 - at]))?;
    }
    let sum = C::add(a, c, vec![p.clone(), q.clone()]);
    let fork = C::fork(a, vec![p.clone(), q.clone()]);
    equal::<C>(same, "f + g = jam ∘ (f △ g)", a, sum, C::after(C::merge(2, c), fork))?;
    let nothing = C::add(a, c, vec![p.clone(), C::zero(a, c)]);
    equal::<C>(same, "f + 0 = f", a, nothing, p.clone())?;
    equal::<C>(same, "0 ∘ f = 0", a, C::after(C::zero(c, a), p.clone()), C::zero(a, a))?;
    let (from, to) = (C::power(2, a), C::power(2, c));
    for (at, map) in [p, q].into_iter().enumerate() {
        let each = C::each(vec![p.clone(), q.clone()]);
        let left = C::after(each.clone(), C::inject(at, &from));
        equal::<C>(same, "crossI fs ∘ inIᵢ = inIᵢ ∘ fᵢ", a, left, C::after(C::inject(at, &to), map.clone()))?;
        let left = C::after(C::sum(2, c), C::inject(at, &to));
        equal::<C>(same, "jamI ∘ inIᵢ = id", c, left, C::identity(c))?;
        let join = C::join_each(c, vec![p.clone(), q.clone()]);
        equal::<C>(same, "joinI fs = jamI ∘ crossI fs", &from, join, C::after(C::sum(2, c), each))?;
    }
    Ok(())
}

/// Linear primitives, of terms `f : a ⊸ b` and `g : b ⊸ c`: a representation is a functor from terms.   [004 Thm 4, 5]
///
/// # Errors
/// The first law that does not hold.
pub fn linear_laws<K: Linear>(same: Same<K>, f: &LinearMap, g: &LinearMap, (j, k): (f64, f64)) -> Law {
    let (a, b) = (f.domain(), f.codomain());
    let (p, q) = (K::primitive(f), K::primitive(g));
    if let Ok(composed) = g.after(f) {
        equal::<K>(same, "F (g ∘ f) = F g ∘ F f", a, K::primitive(&composed), K::after(q.clone(), p.clone()))?;
        equal::<K>(same, "h ∘ m", a, K::after_primitive(q.clone(), f), K::primitive(&composed))?;
        equal::<K>(same, "m ∘ h", a, K::primitive_after(g, p.clone()), K::primitive(&composed))?;
    }
    equal::<K>(same, "F id = id", a, K::primitive(&LinearMap::identity(a.clone())), K::identity(a))?;
    equal::<K>(same, "scale 1 = id", a, K::scale(1.0, a), K::identity(a))?;
    equal::<K>(same, "scale 0 = 0", a, K::scale(0.0, a), K::zero(a, a))?;
    let scaled = K::after(K::scale(j, b), K::scale(k, b));
    equal::<K>(same, "scale j ∘ scale k = scale (j · k)", b, scaled, K::scale(j * k, b))?;
    let left = K::after(K::scale(k, b), p.clone());
    equal::<K>(same, "scale k ∘ f = f ∘ scale k", a, left.clone(), K::after(p.clone(), K::scale(k, a)))?;
    equal::<K>(same, "k · h", a, K::times(k, p.clone()), left)?;
    let pair = Space::product([a.clone(), b.clone()]);
    let left = K::after(p.clone(), K::project(0, &pair));
    equal::<K>(same, "h ∘ exᵢ", &pair, K::after_project(p.clone(), 0, &pair), left)?;
    let placed = K::after(K::inject(1, &pair), p.clone());
    equal::<K>(same, "inᵢ ∘ h", a, K::inject_after(1, &pair, p.clone()), placed.clone())?;
    equal::<K>(same, "exᵢ ∘ h", a, K::project_after(1, &placed), p.clone())?;
    let join = K::join(b, vec![p.clone(), K::identity(b)]);
    equal::<K>(same, "h ∘ inᵢ", a, K::after_inject(&join, 0), p)?;
    let relation = Relation::reverse(2);
    let twice = K::after(K::relate(relation.clone(), a), K::relate(relation, a));
    equal::<K>(same, "reverse ∘ reverse = id", &K::power(2, a), twice, K::identity(&K::power(2, a)))?;
    let copies = K::after(K::sum(2, a), K::replicate(2, a));
    equal::<K>(same, "jamI ∘ replI = scale 2", a, copies, K::scale(2.0, a))
}
