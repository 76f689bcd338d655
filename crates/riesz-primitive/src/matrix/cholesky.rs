//! The derivative of `l lᵀ = a` and its adjoint, each in `2/3 n³` operations where the factor takes `1/3 n³`.
//!
//! ```text
//! D cholesky a = T,   T s = l Φ(l⁻¹ sym(s) l⁻ᵀ),   Tᵀ w = sym(l⁻ᵀ Φ(lᵀ w) l⁻¹)
//! ```
//!
//! where `Φ` is the lower triangle with half the diagonal. `T` differentiates each step of the factorisation, column by
//! column; `Tᵀ` takes the same linear steps from the last to the first. No matrix is inverted.

use riesz_algebra::Monoid;

use crate::number::Number;
use crate::scalar;

/// `T s`: the tangent of the factor `l`, from the tangent `s` of the matrix. Both are `n × n`, row by row.
pub fn cholesky_tangent<S: Number>(n: usize, l: &[S], s: &[S]) -> Vec<S> {
    tangent(n, l, s, |x, factor| factor.exact_product(x))
}

/// `Tᵀ w`: the cotangent of the matrix, from the cotangent `w` of the factor `l`.
pub fn cholesky_cotangent<S: Number>(n: usize, l: &[S], w: &[S]) -> Vec<S> {
    cotangent(n, l, w, |x, factor| factor.exact_product(x))
}

/// `tᵢⱼ = (sᵢⱼ − Σₖ₍ₖ<ⱼ₎ (tᵢₖ lⱼₖ + lᵢₖ tⱼₖ) − lᵢⱼ tⱼⱼ) / lⱼⱼ` below the diagonal, half of that on it
pub(super) fn tangent<D: Number, E: Monoid>(n: usize, l: &[D], s: &[E], scale: impl Fn(&E, &D) -> E) -> Vec<E> {
    let [half, minus_two] = [0.5, -2.0].map(D::constant);
    let mut t = vec![E::zero(); n * n];
    for j in 0..n {
        let inverse = reciprocal(&l[j * n + j]);
        let mut rest = s[j * n + j].clone();
        let terms = (0..j).map(|k| scale(&t[j * n + k], &l[j * n + k]));
        if let Some(sum) = terms.reduce(|sum, term| sum.add(&term)) {
            rest = rest.add(&scale(&sum, &minus_two));
        }
        let diagonal = scale(&rest, &inverse.mul(&half));
        t[j * n + j] = diagonal.clone();
        for i in j + 1..n {
            let mut rest = scale(&s[i * n + j].add(&s[j * n + i]), &half);
            for k in 0..j {
                rest = rest.add(&scale(&t[i * n + k], &l[j * n + k].neg()));
                rest = rest.add(&scale(&t[j * n + k], &l[i * n + k].neg()));
            }
            rest = rest.add(&scale(&diagonal, &l[i * n + j].neg()));
            t[i * n + j] = scale(&rest, &inverse);
        }
    }
    t
}

/// The steps of [`tangent`] from the last to the first, each of them transposed.
pub(super) fn cotangent<D: Number, E: Monoid>(n: usize, l: &[D], w: &[E], scale: impl Fn(&E, &D) -> E) -> Vec<E> {
    let [half, minus_two] = [0.5, -2.0].map(D::constant);
    // What has been contributed to each entry of the tangent.
    let mut t = w.to_vec();
    let mut s = vec![E::zero(); n * n];
    for j in (0..n).rev() {
        let inverse = reciprocal(&l[j * n + j]);
        for i in (j + 1..n).rev() {
            let rest = scale(&t[i * n + j], &inverse);
            t[j * n + j] = t[j * n + j].add(&scale(&rest, &l[i * n + j].neg()));
            for k in 0..j {
                t[i * n + k] = t[i * n + k].add(&scale(&rest, &l[j * n + k].neg()));
                t[j * n + k] = t[j * n + k].add(&scale(&rest, &l[i * n + k].neg()));
            }
            let part = scale(&rest, &half);
            s[j * n + i] = part.clone();
            s[i * n + j] = part;
        }
        let rest = scale(&t[j * n + j], &inverse.mul(&half));
        let sum = scale(&rest, &minus_two);
        for k in 0..j {
            t[j * n + k] = t[j * n + k].add(&scale(&sum, &l[j * n + k]));
        }
        s[j * n + j] = rest;
    }
    s
}

fn reciprocal<D: Number>(x: &D) -> D {
    D::apply(&scalar::DIV, &[D::one(), x.clone()])
}
