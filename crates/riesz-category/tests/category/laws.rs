//! The laws of categories hold in each of them, on random morphisms between random spaces.

use riesz_category::category::Linear;
use riesz_category::combinator::Combinators;
use riesz_category::derivative::{Context, D, Differentiable};
use riesz_category::interpret::interpret;
use riesz_category::law::{Law, cartesian_laws, category_laws, cocartesian_laws, linear_laws};
use riesz_category::linear::{Additive, Arrow, Begin, Cont, Continued, Dual, Matrices, Nothing, Reversed, Rows, Terms};
use riesz_category::space::numbers;
use riesz_category::tangent::{Real, Tangent};
use riesz_core::evaluate::{Limits, Value};
use riesz_linear::{LinearMap, Sampler, Space};

mod theorems;

const ROUNDS: u64 = 60;

/// A category whose morphisms can be written out as matrices.
trait Entries: Linear<Morphism: 'static> + 'static {
    fn entries(f: &Self::Morphism) -> Vec<f64>;
}

fn by_columns(domain: &Space, codomain: &Space, apply: &dyn Fn(Tangent) -> Tangent) -> Vec<f64> {
    let column = |unit: Vec<f64>| {
        let unit: Vec<Real> = unit.into_iter().map(Real).collect();
        apply(Tangent::from_numbers(domain, &unit)).numbers(codomain)
    };
    let columns: Vec<Vec<Real>> = domain.basis().map(column).collect();
    (0..codomain.dimension()).flat_map(|row| columns.iter().map(move |column| column[row].0)).collect()
}

impl Entries for Additive {
    fn entries(f: &Arrow) -> Vec<f64> {
        let (domain, codomain) = ends::<Additive>(f);
        by_columns(&domain, &codomain, &|x| f.apply(x))
    }
}

impl Entries for Matrices {
    fn entries(f: &Rows) -> Vec<f64> {
        f.numbers().concat()
    }
}

impl Entries for Terms {
    fn entries(f: &LinearMap) -> Vec<f64> {
        f.matrix().values()
    }
}

impl<K: Entries> Entries for Dual<K> {
    fn entries(f: &Reversed<K::Morphism>) -> Vec<f64> {
        let (domain, codomain) = ends::<Dual<K>>(f);
        let (columns, rows) = (domain.dimension(), codomain.dimension());
        let entries = K::entries(&f.0);
        (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(i, j)| entries[j * rows + i])
            .collect()
    }
}

impl<K: Entries> Entries for Cont<K> {
    fn entries(f: &Continued<K::Morphism>) -> Vec<f64> {
        K::entries(&f.before(K::identity(&ends::<Cont<K>>(f).1)))
    }
}

fn ends<K: Linear>(f: &K::Morphism) -> (Space, Space) {
    (K::domain(f), K::codomain(f))
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0))
}

fn same<K: Entries>(_: &Space, f: &K::Morphism, g: &K::Morphism) -> bool {
    ends::<K>(f) == ends::<K>(g) && close(&K::entries(f), &K::entries(g))
}

fn all_laws<K: Entries>() {
    for seed in 0..ROUNDS {
        let mut sampler = Sampler::new(seed);
        let spaces: Vec<Space> = (0..4).map(|_| sampler.space()).collect();
        let [a, b, c, d] = [&spaces[0], &spaces[1], &spaces[2], &spaces[3]];
        let term = |sampler: &mut Sampler, from: &Space, to: &Space| sampler.map(from, to);
        let map = |sampler: &mut Sampler, from: &Space, to: &Space| K::primitive(&sampler.map(from, to));
        let (f, g, h) = (map(&mut sampler, a, b), map(&mut sampler, b, c), map(&mut sampler, c, d));
        let judge = |law: Law| assert_eq!(law, Ok(()), "seed {seed}, {}", std::any::type_name::<K>());
        judge(category_laws::<K>(&same::<K>, (a, b), (&f, &g, &h)));
        let (p, q) = (map(&mut sampler, a, b), map(&mut sampler, a, c));
        judge(cartesian_laws::<K>(&same::<K>, (a, b, c), (&f, &q), (&f, &p)));
        let (p, q) = (map(&mut sampler, a, c), map(&mut sampler, a, c));
        judge(cocartesian_laws::<K>(&same::<K>, (a, b, c), (&p, &g), (&p, &q)));
        let (f, g) = (term(&mut sampler, a, b), term(&mut sampler, b, c));
        judge(linear_laws::<K>(&same::<K>, &f, &g, (sampler.number(), sampler.number())));
    }
}

#[test]
fn laws_hold_for_every_representation_of_linear_maps() {
    all_laws::<Additive>();
    all_laws::<Matrices>();
    all_laws::<Terms>();
    all_laws::<Dual<Additive>>();
    all_laws::<Dual<Matrices>>();
    all_laws::<Dual<Terms>>();
    all_laws::<Cont<Additive>>();
    all_laws::<Cont<Matrices>>();
    all_laws::<Cont<Terms>>();
    all_laws::<Begin<Additive>>();
    all_laws::<Begin<Matrices>>();
    all_laws::<Begin<Terms>>();
    all_laws::<Dual<Cont<Begin<Dual<Matrices>>>>>();
}

// ---- differentiable functions ----

fn function<K: Entries>(text: &str) -> Differentiable<K::Morphism> {
    let combinators: Combinators = format!("f#0 = {text}").parse().unwrap();
    let context = Context::new(Limits::default(), Vec::new());
    interpret::<D<K>>(&combinators, &context).main().unwrap()
}

/// The same value and the same derivative at a point.
fn same_at<K: Entries>(at: &Space, f: &Differentiable<K::Morphism>, g: &Differentiable<K::Morphism>) -> bool {
    (0..3).all(|seed| {
        let mut next = Sampler::new(seed);
        let point = value(at, &mut next);
        let ((v, m), (w, n)) = (f.at(point.clone()).unwrap(), g.at(point).unwrap());
        close(&numbers(&v), &numbers(&w)) && same::<K>(at, &m, &n)
    })
}

fn value(space: &Space, next: &mut Sampler) -> Value<f64> {
    match space {
        Space::Real => Value::Real(next.number()),
        Space::Array(n, element) if **element == Space::Real => Value::reals((0..*n).map(|_| next.number()).collect()),
        Space::Array(n, element) => Value::values((0..*n).map(|_| value(element, next)).collect()),
        Space::Product(parts) => Value::Tuple(parts.iter().map(|part| value(part, next)).collect()),
    }
}

fn laws_of_derivatives<K: Entries>() {
    let pair = Space::product([Space::Real, Space::Real]);
    let (a, b, c) = (&pair, &Space::Real, &Space::Real);
    let f = function::<K>("(*) ∘ ⟨sin ∘ π0, π1⟩");
    let g = function::<K>("exp");
    let h = function::<K>("⟨cos, (*) ∘ ⟨id, id⟩⟩");
    let q = function::<K>("(+) ∘ ⟨(*) ∘ ⟨π0, π0⟩, (*) ∘ ⟨π1, π1⟩⟩");
    let judge = |law: Law| assert_eq!(law, Ok(()), "{}", std::any::type_name::<D<K>>());
    let same = same_at::<K>;
    judge(category_laws::<D<K>>(&same, (a, b), (&f, &g, &h)));
    judge(cartesian_laws::<D<K>>(&same, (a, b, c), (&f, &q), (&f, &q)));
    // Only what is additive preserves coproducts.
    let (sum, difference) = (function::<K>("(+)"), function::<K>("(-)"));
    let double = function::<K>("(+) ∘ ⟨id, id⟩");
    judge(cocartesian_laws::<D<K>>(&same, (a, b, c), (&sum, &double), (&sum, &difference)));
}

#[test]
fn laws_hold_for_differentiable_functions() {
    laws_of_derivatives::<Additive>();
    laws_of_derivatives::<Matrices>();
    laws_of_derivatives::<Dual<Terms>>();
    laws_of_derivatives::<Cont<Matrices>>();
    laws_of_derivatives::<Begin<Additive>>();
}

/// Of functions the value is all there is.
impl Entries for Nothing {
    fn entries((): &()) -> Vec<f64> {
        Vec::new()
    }
}

#[test]
fn laws_hold_for_functions() {
    laws_of_derivatives::<Nothing>();
}
