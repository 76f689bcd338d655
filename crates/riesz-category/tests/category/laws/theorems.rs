//! The theorems of [003] and [004], each for every representation of linear maps to which it applies.

use super::*;
use riesz_category::category::{Cartesian, Cocartesian};
use riesz_linear::Vector;

/// What a theorem is about: random spaces, and random maps between them.
struct Given {
    sampler: Sampler,
    a: Space,
    b: Space,
    c: Space,
}

impl Given {
    fn term(&mut self, from: &Space, to: &Space) -> LinearMap {
        self.sampler.map(from, to)
    }

    fn map<K: Linear>(&mut self, from: &Space, to: &Space) -> K::Morphism {
        K::primitive(&self.term(from, to))
    }
}

fn for_all(theorem: impl Fn(&mut Given, &Space, &Space, &Space)) {
    for seed in 0..ROUNDS {
        let mut sampler = Sampler::new(seed);
        let [a, b, c] = [(); 3].map(|()| sampler.space());
        let mut given = Given { sampler, a, b, c };
        let (a, b, c) = (given.a.clone(), given.b.clone(), given.c.clone());
        theorem(&mut given, &a, &b, &c);
    }
}

#[track_caller]
fn equal<K: Entries>(left: &K::Morphism, right: &K::Morphism) {
    assert_eq!(ends::<K>(left), ends::<K>(right), "the ends");
    assert!(close(&K::entries(left), &K::entries(right)), "{:?} and {:?}", K::entries(left), K::entries(right));
}

/// The value and the derivative of a combinator at a point.
fn at<K: Entries>(text: &str, point: Value<f64>) -> (Value<f64>, K::Morphism) {
    function::<K>(text).at(point).unwrap()
}

fn pair(x: f64, y: f64) -> Value<f64> {
    Value::Tuple(vec![Value::Real(x), Value::Real(y)].into())
}

// ---- the rules of differentiation: [003 Thm 4.1], [004 Thm 1 – 3] ----

/// `D (g ∘ f) a = D g (f a) ∘ D f a`   [003 Rule 1; 004 Thm 1, Cor. 1.1]
#[test]
fn the_chain_rule() {
    fn rule<K: Entries>() {
        let (f, g) = ("(*) ∘ ⟨sin ∘ π0, π1⟩", "⟨cos, (*) ∘ ⟨id, id⟩⟩");
        let (value, both) = at::<K>(&format!("{g} ∘ {f}"), pair(0.5, -1.25));
        let (middle, inner) = at::<K>(f, pair(0.5, -1.25));
        let (end, outer) = at::<K>(g, middle);
        assert_eq!(numbers(&value), numbers(&end));
        equal::<K>(&both, &K::after(outer, inner));
    }
    rule::<Additive>();
    rule::<Matrices>();
    rule::<Terms>();
    rule::<Dual<Terms>>();
    rule::<Cont<Matrices>>();
    rule::<Begin<Additive>>();
}

/// `D (f × g) (a, b) = D f a × D g b`   [003 Rule 5; 004 Thm 2, Cor. 2.1]
#[test]
fn the_cross_rule() {
    fn rule<K: Entries>() {
        let (f, g) = (function::<K>("exp"), function::<K>("(*) ∘ ⟨id, sin⟩"));
        let cross = D::<K>::cross(vec![f.clone(), g.clone()]);
        let (value, both) = cross.at(pair(0.25, 2.0)).unwrap();
        let ((v, df), (w, dg)) = (f.at(Value::Real(0.25)).unwrap(), g.at(Value::Real(2.0)).unwrap());
        assert_eq!(numbers(&value), [numbers(&v), numbers(&w)].concat());
        equal::<K>(&both, &K::cross(vec![df, dg]));
    }
    rule::<Additive>();
    rule::<Matrices>();
    rule::<Terms>();
    rule::<Dual<Additive>>();
}

/// `D (crossI fs) = crossI ∘ crossI (fmap D fs)`   [004 Thm 6, 8, Cor. 8.1]
#[test]
fn the_indexed_cross_rule() {
    fn rule<K: Entries>() {
        let fs = ["sin", "exp", "(*) ∘ ⟨id, id⟩"].map(function::<K>);
        let points = [0.25, -1.0, 3.0];
        let (value, both) = D::<K>::each(fs.to_vec()).at(Value::reals(points.to_vec())).unwrap();
        let parts = fs.iter().zip(points).map(|(f, x)| f.at(Value::Real(x)).unwrap());
        let (values, maps): (Vec<_>, Vec<_>) = parts.unzip();
        assert_eq!(numbers(&value), values.iter().flat_map(numbers).collect::<Vec<_>>());
        equal::<K>(&both, &K::each(maps));
    }
    rule::<Additive>();
    rule::<Matrices>();
    rule::<Terms>();
    rule::<Dual<Terms>>();
}

/// `D m a = m` for linear `m`, and so `D⁺ m = λa → (m a, m)`   [003 Rule 3; 004 Thm 3, Cor. 3.1]
#[test]
fn the_linear_rule() {
    fn rule<K: Entries>() {
        for_all(|given, a, b, _| {
            let m = given.term(a, b);
            let point = value(a, &mut given.sampler);
            let (found, derivative) = D::<K>::primitive(&m).at(point.clone()).unwrap();
            assert!(close(&numbers(&found), &m.apply(&numbers(&point))));
            equal::<K>(&derivative, &K::primitive(&m));
        });
    }
    rule::<Additive>();
    rule::<Matrices>();
    rule::<Terms>();
}

/// Constants have the derivative 0   [003 Rule 2]; products `(u ·) ∘ π₂ + (· v) ∘ π₁`   [003 Rule 4; 004 §4.6].
#[test]
fn the_rules_of_constants_and_products() {
    fn rule<K: Entries>() {
        let (_, zero) = at::<K>("K 3.5", Value::Real(2.0));
        equal::<K>(&zero, &K::zero(&Space::Real, &Space::Real));
        let (u, v) = (3.0, 5.0);
        let (_, product) = at::<K>("(*)", pair(u, v));
        let real = &Space::Real;
        equal::<K>(&product, &K::join(real, vec![K::scale(v, real), K::scale(u, real)]));
        let plane = Space::product([Space::Real, Space::Real]);
        let term = |k: f64, part: usize| K::after(K::scale(k, real), K::project(part, &plane));
        equal::<K>(&product, &K::add(&plane, real, vec![term(u, 1), term(v, 0)]));
    }
    rule::<Additive>();
    rule::<Matrices>();
    rule::<Terms>();
    rule::<Cont<Terms>>();
}

// ---- continuations, duals, beginnings ----

/// `cont f = Cont (∘ f)`: what a continuation gets is the rest of the program after `f`.   [004 Thm 4; 002 §5.3]
#[test]
fn continuations_compose_on_the_left() {
    fn theorem<K: Entries>() {
        for_all(|given, a, b, c| {
            let (f, m, n) = (given.term(a, b), given.map::<K>(b, c), given.map::<K>(c, a));
            let cont = Cont::<K>::primitive(&f);
            equal::<K>(&cont.before(m.clone()), &K::after(m.clone(), K::primitive(&f)));
            let (later, earlier) = (cont.before(K::after(n.clone(), m.clone())), K::after(n, cont.before(m)));
            equal::<K>(&later, &earlier);
        });
    }
    theorem::<Additive>();
    theorem::<Matrices>();
    theorem::<Terms>();
}

/// `begin f = Begin (f ∘)`, and `f (m₁ ∘ m₂) = f m₁ ∘ m₂`: tangents pass through a program one by one, or all at once.
/// [004 §14; 002 §5.3 (CP)]
#[test]
fn beginnings_compose_on_the_right() {
    fn theorem<K: Entries>() {
        for_all(|given, a, b, c| {
            let (f, m, n) = (given.term(a, b), given.map::<K>(c, a), given.map::<K>(b, c));
            let begin = Begin::<K>::primitive(&f);
            equal::<K>(&begin.after(m.clone()), &K::after(K::primitive(&f), m.clone()));
            let (at_once, one_by_one) = (begin.after(K::after(m.clone(), n.clone())), K::after(begin.after(m), n));
            equal::<K>(&at_once, &one_by_one);
        });
    }
    theorem::<Additive>();
    theorem::<Matrices>();
    theorem::<Terms>();
}

/// `dot u = ⟨u, _⟩`
fn dot(u: &Vector) -> LinearMap {
    LinearMap::row(u.clone())
}

/// `dot⁻¹ : (a ⊸ s) → a`
fn undot(form: &LinearMap) -> Vec<f64> {
    form.adjoint().apply(&[1.0])
}

/// `asDual (Cont f) = Dual (dot⁻¹ ∘ f ∘ dot)` is a homomorphism: the dual that it makes is the dual.   [004 Thm 5]
#[test]
fn duals_are_continuations_to_the_numbers() {
    for_all(|given, a, b, _| {
        let f = given.term(a, b);
        let u = given.sampler.vector(b);
        let continued = Cont::<Terms>::primitive(&f).before(dot(&u));
        assert!(close(&undot(&continued), &Dual::<Terms>::primitive(&f).0.apply(u.values())));
    });
}

/// `Dual f △ Dual g = Dual (f ▽ g)` and `Dual f ▽ Dual g = Dual (f △ g)`   [004 Cor. 5.1]
#[test]
fn fork_and_join_are_dual() {
    fn theorem<K: Entries>() {
        for_all(|given, a, b, c| {
            let (f, g) = (given.map::<K>(b, a), given.map::<K>(c, a));
            let fork = Dual::<K>::fork(a, vec![Reversed(f.clone()), Reversed(g.clone())]);
            equal::<K>(&fork.0, &K::join(a, vec![f, g]));
            let (f, g) = (given.map::<K>(a, b), given.map::<K>(a, c));
            let join = Dual::<K>::join(a, vec![Reversed(f.clone()), Reversed(g.clone())]);
            equal::<K>(&join.0, &K::fork(a, vec![f, g]));
        });
    }
    theorem::<Additive>();
    theorem::<Matrices>();
    theorem::<Terms>();
}

/// [004 Lemma 7], part by part.
#[test]
fn dot_and_its_inverse() {
    for_all(|given, a, b, _| {
        let (u, v, w) = (given.sampler.vector(a), given.sampler.vector(a), given.sampler.vector(b));
        let k = given.sampler.number();
        let sum: Vec<f64> = u.values().iter().zip(v.values()).map(|(u, v)| u + v).collect();
        let sum = Vector::new(a.clone(), sum).unwrap();
        // 1: dot is linear
        equal::<Terms>(&dot(&sum), &dot(&u).plus(&dot(&v)).unwrap());
        equal::<Terms>(&dot(&u.scale(k)), &dot(&u).times(k));
        // 2: so is its inverse, and it is the inverse
        assert!(close(&undot(&dot(&u).plus(&dot(&v)).unwrap()), sum.values()));
        assert!(close(&undot(&dot(&u).times(k)), u.scale(k).values()));
        assert!(close(&undot(&dot(&u)), u.values()));
        // 5: dot u ▽ dot v = dot (u, v)
        let whole = Space::product([a.clone(), b.clone()]);
        let both = Vector::new(whole.clone(), [u.values(), w.values()].concat()).unwrap();
        equal::<Terms>(&Terms::join(&Space::Real, vec![dot(&u), dot(&w)]), &dot(&both));
        // 3 and 4: unjoin ∘ dot = dot × dot, dot⁻¹ ∘ join = dot⁻¹ × dot⁻¹
        equal::<Terms>(&Terms::after_inject(&dot(&both), 0), &dot(&u));
        equal::<Terms>(&Terms::after_inject(&dot(&both), 1), &dot(&w));
        let joined = Terms::join(&Space::Real, vec![dot(&u), dot(&w)]);
        assert!(close(&undot(&joined), &[undot(&dot(&u)), undot(&dot(&w))].concat()));
        // 6: dot 0 = 0
        let zero = Vector::new(a.clone(), a.zero()).unwrap();
        equal::<Terms>(&dot(&zero), &LinearMap::zero(a.clone(), Space::Real));
    });
}

// ---- biproducts ----

/// `0 = ti ∘ it`, through the space of nothing.   [004 App. A, B]
#[test]
fn zero_goes_through_nothing() {
    fn theorem<K: Entries>() {
        for_all(|_, a, b, _| {
            let nothing = Space::product([]);
            equal::<K>(&K::after(K::zero(&nothing, b), K::zero(a, &nothing)), &K::zero(a, b));
            equal::<K>(&K::identity(&nothing), &K::zero(&nothing, &nothing));
        });
    }
    theorem::<Additive>();
    theorem::<Matrices>();
    theorem::<Terms>();
}

/// `u ▽ v = u ∘ exl + v ∘ exr` and `u △ v = inl ∘ u + inr ∘ v`   [004 App. B, where △ and ▽ are exchanged]
#[test]
fn fork_and_join_are_sums() {
    fn theorem<K: Entries>() {
        for_all(|given, a, b, c| {
            let whole = Space::product([a.clone(), b.clone()]);
            let (u, v) = (given.map::<K>(a, c), given.map::<K>(b, c));
            let left = K::after(u.clone(), K::project(0, &whole));
            let right = K::after(v.clone(), K::project(1, &whole));
            equal::<K>(&K::join(c, vec![u.clone(), v]), &K::add(&whole, c, vec![left.clone(), right]));
            equal::<K>(&K::join(c, vec![u, K::zero(b, c)]), &left);
            let (u, v) = (given.map::<K>(c, a), given.map::<K>(c, b));
            let left = K::after(K::inject(0, &whole), u.clone());
            let right = K::after(K::inject(1, &whole), v.clone());
            equal::<K>(&K::fork(c, vec![u.clone(), v]), &K::add(c, &whole, vec![left.clone(), right]));
            equal::<K>(&K::fork(c, vec![u, K::zero(c, b)]), &left);
        });
    }
    theorem::<Additive>();
    theorem::<Matrices>();
    theorem::<Terms>();
    theorem::<Cont<Terms>>();
    theorem::<Begin<Matrices>>();
}

/// `transpose ((a, b), (c, d)) = ((a, c), (b, d))`
fn exchange<K: Linear>([a, b, c, d]: [&Space; 4]) -> K::Morphism {
    let pair = |x: &Space, y: &Space| Space::product([x.clone(), y.clone()]);
    let (left, right) = (pair(a, b), pair(c, d));
    let whole = pair(&left, &right);
    let part = |outer: usize, inner: usize| {
        let half = if outer == 0 { &left } else { &right };
        K::after(K::project(inner, half), K::project(outer, &whole))
    };
    let first = K::fork(&whole, vec![part(0, 0), part(1, 0)]);
    let second = K::fork(&whole, vec![part(0, 1), part(1, 1)]);
    K::fork(&whole, vec![first, second])
}

/// `(f × f') △ (g × g') = transpose ∘ ((f △ g) × (f' △ g'))`   [004 Lemma 9, where the last pair is misprinted], and
/// `inl ∘ f △ inl ∘ g = transpose ∘ inl ∘ (f △ g)`, likewise for `inr`   [004 Lemma 10, there for functions only].
#[test]
fn forks_of_crosses_are_crosses_of_forks() {
    fn theorem<K: Entries>() {
        for_all(|given, a, b, c| {
            let from = Space::product([a.clone(), b.clone()]);
            let (f, g) = (given.map::<K>(a, b), given.map::<K>(a, c));
            let (p, q) = (given.map::<K>(b, c), given.map::<K>(b, a));
            let left = K::fork(&from, vec![K::cross(vec![f.clone(), p.clone()]), K::cross(vec![g.clone(), q.clone()])]);
            let forks = K::cross(vec![K::fork(a, vec![f.clone(), g.clone()]), K::fork(b, vec![p, q])]);
            equal::<K>(&left, &K::after(exchange::<K>([b, c, c, a]), forks));
            for (at, other) in [(0, c), (1, a)] {
                let order = |x: &Space| if at == 0 { [x.clone(), other.clone()] } else { [other.clone(), x.clone()] };
                let placed = |x: &Space, m: &K::Morphism| K::after(K::inject(at, &Space::product(order(x))), m.clone());
                let left = K::fork(a, vec![placed(b, &f), placed(c, &g)]);
                let pair = Space::product([b.clone(), c.clone()]);
                let nothing = Space::product([other.clone(), other.clone()]);
                let whole = if at == 0 { Space::product([pair, nothing]) } else { Space::product([nothing, pair]) };
                let inside = K::after(K::inject(at, &whole), K::fork(a, vec![f.clone(), g.clone()]));
                let ends = if at == 0 { [b, c, other, other] } else { [other, other, b, c] };
                equal::<K>(&left, &K::after(exchange::<K>(ends), inside));
            }
        });
    }
    theorem::<Additive>();
    theorem::<Matrices>();
    theorem::<Terms>();
}

/// `crossI fs △ crossI gs = unzip ∘ crossI (zipWith (△) fs gs)`   [004 Lemma 9]
#[test]
fn indexed_forks_unzip() {
    fn theorem<K: Entries>() {
        for_all(|given, a, b, c| {
            let (fs, gs): (Vec<_>, Vec<_>) = (0..3).map(|_| (given.map::<K>(a, b), given.map::<K>(a, c))).unzip();
            let from = K::power(3, a);
            let left = K::fork(&from, vec![K::each(fs.clone()), K::each(gs.clone())]);
            let forks = fs.into_iter().zip(gs).map(|(f, g)| K::fork(a, vec![f, g])).collect();
            let unzip = LinearMap::unzip(&[Space::array(3, b.clone()), Space::array(3, c.clone())]).unwrap();
            equal::<K>(&left, &K::after(K::primitive(&unzip), K::each(forks)));
        });
    }
    theorem::<Additive>();
    theorem::<Matrices>();
    theorem::<Terms>();
}
