//! Linear algebra, by `p a = l u` or by substitution where `a` is triangular.
//!
//! Working memory is the run's, so that it counts towards its limit and its lack is an error of the run.

use crate::cofactor::cofactors_of_any_rank;
use crate::factor::{self, Factors};
use crate::system::note_dense;
use crate::tile::{Block, Update, multiply};
use crate::triangular::{self, Triangle};
use crate::{Context, Element, Outcome};
use std::mem::MaybeUninit;

/// Runs a function with working memory for a number of elements, which are whatever was there before.
pub(crate) fn with_room<T>(
    context: &mut Context,
    count: usize,
    site: u32,
    run: impl FnOnce(&mut Context, &mut [f64]) -> T,
) -> Outcome<T> {
    let mut few = [const { MaybeUninit::uninit() }; FEW];
    if count <= FEW {
        return Ok(run(context, f64::few(&mut few[..count])));
    }
    let before = context.memory;
    let mut many = context.buffer(i64::try_from(count).unwrap_or(i64::MAX), site)?;
    let result = run(context, &mut many);
    context.memory = before;
    Ok(result)
}

/// How many numbers there is room for without an allocation.
const FEW: usize = 160;

/// Which half of a matrix of numbers has all that is not zero; none for most matrices, whose first rows tell.
fn triangle(a: &[f64], n: usize) -> Option<Triangle> {
    let zero = |row: usize, from: usize, to: usize| !any(&a[row * n..][from..to], |x| x != 0.0);
    if (0..n).all(|row| zero(row, row + 1, n)) {
        return Some(Triangle::Lower);
    }
    (0..n).all(|row| zero(row, 0, row)).then_some(Triangle::Upper)
}

/// Whether a matrix is its own factor.
pub fn is_triangular(a: &[f64], n: i64) -> bool {
    triangle(a, n.max(0) as usize).is_some()
}

/// Whether a property holds for some number: many are asked side by side.
pub(crate) fn any(numbers: &[f64], property: impl Fn(f64) -> bool) -> bool {
    let some = |numbers: &[f64]| numbers.iter().fold(false, |any, x| any | property(*x));
    let (chunks, rest) = numbers.as_chunks::<64>();
    chunks.iter().any(|chunk| some(chunk)) || some(rest)
}

/// The matrix of a number of rows and columns at the beginning of a buffer.
fn whole(columns: usize) -> Block {
    Block { first: 0, step: columns }
}

/// The solution `x` of `a x = b`; NaN where `a` is singular.
pub fn solve(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: i64,
    b: &[f64],
    columns: i64,
) -> Outcome<()> {
    let (size, right_sides) = (n.max(0) as usize, columns.max(0) as usize);
    note_dense(&a[..size * size], size, right_sides);
    solve_unnoted(context, site, to, a, n, b, columns)
}

/// The same, as a part of something else that is solved.
pub(crate) fn solve_unnoted(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: i64,
    b: &[f64],
    columns: i64,
) -> Outcome<()> {
    let (n, columns) = (n.max(0) as usize, columns.max(0) as usize);
    let (to, a) = (&mut to[..n * columns], &a[..n * n]);
    let size = (n, columns);
    let substitute = |to: &mut [f64], triangle| {
        to.copy_from_slice(&b[..n * columns]);
        triangular::solve(to, whole(columns), size, (Some(a), whole(n).strides()), triangle);
    };
    by_inverse(context, site, to, (a, n), 0, substitute, |to, factors, _| {
        for (i, to) in to.chunks_exact_mut(columns.max(1)).enumerate() {
            to.copy_from_slice(&b[factors.row(i) * columns..][..columns]);
        }
        let lu = (Some(&*factors.lu), whole(n).strides());
        triangular::solve(to, whole(columns), size, lu, Triangle::UnitLower);
        triangular::solve(to, whole(columns), size, lu, Triangle::Upper);
    })
}

/// Writes a function of `a⁻¹` by substitution if `a` is triangular, and else by its factors, with more room; NaN where `a`
/// is singular.
fn by_inverse(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    (a, n): (&[f64], usize),
    more: usize,
    substitute: impl FnOnce(&mut [f64], Triangle),
    by_factors: impl FnOnce(&mut [f64], &Factors, &mut [f64]),
) -> Outcome<()> {
    if let Some(triangle) = triangle(a, n) {
        match (0..n).any(|k| a[k * n + k] == 0.0) || any(a, f64::is_nan) {
            true => to.fill(f64::NAN),
            false => substitute(to, triangle),
        }
        return Ok(());
    }
    with_room(context, factor::room(n) + more, site, |_, room| {
        let (room, more) = room.split_at_mut(factor::room(n));
        match Factors::new(a, n, room) {
            Some(factors) if factors.is_regular() => by_factors(to, &factors, more),
            _ => to.fill(f64::NAN),
        }
    })
}

/// The solution `x` of `a x = b`, in which a column of zeros has the solution zero; NaN in other columns where `a` is
/// singular.
pub fn exact_solve(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: i64,
    b: &[f64],
    columns: i64,
) -> Outcome<()> {
    solve(context, site, to, a, n, b, columns)?;
    let (n, columns) = (n.max(0) as usize, columns.max(0) as usize);
    if any(&to[..n * columns], f64::is_nan) {
        for column in 0..columns {
            if b[..n * columns].iter().skip(column).step_by(columns).all(|x| *x == 0.0) {
                to[..n * columns].iter_mut().skip(column).step_by(columns).for_each(|x| *x = 0.0);
            }
        }
    }
    Ok(())
}

/// The inverse; NaN where `a` is singular.
pub fn inv(context: &mut Context, site: u32, to: &mut [f64], a: &[f64], n: i64) -> Outcome<()> {
    let n = n.max(0) as usize;
    let (to, a) = (&mut to[..n * n], &a[..n * n]);
    let substitute = |to: &mut [f64], triangle| {
        triangular::invert(to, whole(n), n, (Some(a), whole(n).strides()), triangle);
    };
    by_inverse(context, site, to, (a, n), n, substitute, invert)
}

/// `a⁻¹ = u⁻¹ l⁻¹ p`, with room for a row.
fn invert(to: &mut [f64], factors: &Factors, room: &mut [f64]) {
    let (n, at) = (factors.n, whole(factors.n));
    let lu = (Some(&*factors.lu), at.strides());
    triangular::invert(to, at, n, lu, Triangle::UnitLower);
    triangular::solve(to, at, (n, n), lu, Triangle::Upper);
    for row in to.chunks_exact_mut(n.max(1)) {
        room.copy_from_slice(row);
        room.iter().enumerate().for_each(|(column, x)| row[factors.row(column)] = *x);
    }
}

/// The determinant.
pub fn det(context: &mut Context, site: u32, to: &mut [f64], a: &[f64], n: i64) -> Outcome<()> {
    to[0] = with_pivots(context, site, a, n, |sign, pivots| product_of(sign, pivots))?;
    Ok(())
}

/// The logarithm of the absolute value of the determinant.
pub fn logdet(context: &mut Context, site: u32, to: &mut [f64], a: &[f64], n: i64) -> Outcome<()> {
    to[0] = with_pivots(context, site, a, n, |_, pivots| pivots.map(|pivot| pivot.abs().ln()).sum())?;
    Ok(())
}

/// A function of the pivots and the sign of the permutation; NaN where an entry is.
fn with_pivots(
    context: &mut Context,
    site: u32,
    a: &[f64],
    n: i64,
    run: impl FnOnce(f64, &mut dyn Iterator<Item = f64>) -> f64,
) -> Outcome<f64> {
    let n = n.max(0) as usize;
    let a = &a[..n * n];
    if triangle(a, n).is_some() {
        let nan = any(a, f64::is_nan);
        return Ok(if nan { f64::NAN } else { run(1.0, &mut a.iter().step_by(n + 1).copied()) });
    }
    with_room(context, factor::room(n), site, |_, room| match Factors::new(a, n, room) {
        Some(factors) => run(factors.sign, &mut factors.pivots()),
        None => f64::NAN,
    })
}

/// A product. Exponents are added apart, so that no partial product overflows.
fn product_of(sign: f64, numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut product, mut exponent) = (sign, 0i32);
    for number in numbers {
        let (mantissa, power) = mantissa_and_exponent(number);
        let (normalised, carry) = mantissa_and_exponent(product * mantissa);
        product = normalised;
        exponent = exponent.saturating_add(power).saturating_add(carry);
    }
    times_power_of_two(product, exponent) + 0.0
}

/// `x = m · 2ᵉ` with `m` between 1/2 and 1; zero, infinities and NaN as they are.
pub(crate) fn mantissa_and_exponent(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, shift) = if x.abs() < f64::MIN_POSITIVE { (x * 18014398509481984.0, -54) } else { (x, 0) };
    let bits = scaled.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | (1022 << 52)), exponent + shift)
}

pub(crate) fn times_power_of_two(mut x: f64, mut exponent: i32) -> f64 {
    while exponent > 1000 && x.is_finite() && x != 0.0 {
        x *= 2f64.powi(1000);
        exponent -= 1000;
    }
    while exponent < -1000 && x != 0.0 {
        x *= 2f64.powi(-1000);
        exponent += 1000;
    }
    x * 2f64.powi(exponent.clamp(-1000, 1000))
}

/// `det(a) a⁻ᵀ`, and its derivative in as many directions `h` as there are, each an `n × n` matrix: `columns` is `n` times
/// their number. Where `a` is close to singular, or products overflow or vanish, by [`cofactors_of_any_rank`].
pub fn cofactor(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: i64,
    h: &[f64],
    columns: i64,
) -> Outcome<()> {
    let n = n.max(0) as usize;
    let (to, a, h) = (&mut to[..n * n], &a[..n * n], &h[..n * columns.max(0) as usize]);
    let products = if h.is_empty() { 0 } else { 2 * n * n };
    let singular = with_room(context, factor::room(n) + n + n * n + products, site, |_, room| {
        let (room, more) = room.split_at_mut(factor::room(n));
        let Some(factors) = Factors::new(a, n, room) else {
            to.fill(f64::NAN);
            return false;
        };
        let (least, most) = factors
            .pivots()
            .map(f64::abs)
            .fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
        let determinant = product_of(factors.sign, factors.pivots());
        let far = 2 * exponent(a).abs() + exponent(h).abs();
        let in_range = determinant.is_normal() && (h.is_empty() || far < FAR);
        if least > NEARLY_SINGULAR * most && h.len() <= n * n && in_range {
            let (row, more) = more.split_at_mut(n);
            let (inverse, products) = more.split_at_mut(n * n);
            invert(inverse, &factors, row);
            regular(to, inverse, determinant, h, n, products);
            return false;
        }
        true
    })?;
    match a.iter().all(|x| x.is_finite()) {
        true if singular => cofactors_of_any_rank(context, site, to, a, n, h)?,
        false if singular => to.fill(f64::NAN),
        _ => {}
    }
    Ok(())
}

/// `c = det(a) a⁻ᵀ` and `D cof a (h) = ⟨c, h⟩ a⁻ᵀ − a⁻ᵀ hᵀ c`, with room for two products.
fn regular(to: &mut [f64], inverse: &[f64], determinant: f64, h: &[f64], n: usize, room: &mut [f64]) {
    let transposed = |at: usize| inverse[at % n * n + at / n];
    if h.is_empty() {
        return (0..n * n).for_each(|at| to[at] = transposed(at) * determinant);
    }
    let along: f64 = (0..n * n).map(|at| transposed(at) * h[at]).sum();
    // a⁻ᵀ hᵀ a⁻ᵀ, whose entry (i, j) is that of a⁻¹ h a⁻¹ at (j, i)
    let (first, around) = room.split_at_mut(n * n);
    let factor = |x| (Some(x), whole(n).strides());
    multiply(first, whole(n), factor(inverse), factor(h), (n, n, n), Update::Store);
    multiply(around, whole(n), factor(first), factor(inverse), (n, n, n), Update::Store);
    for at in 0..n * n {
        to[at] = determinant * (along * transposed(at) - around[at % n * n + at / n]);
    }
}

/// The power of two in the middle of the sizes of some numbers, less those that are zero or infinite.
pub(crate) fn exponent(numbers: &[f64]) -> i32 {
    let sizes = numbers.iter().map(|x| x.abs()).filter(|x| *x > 0.0 && x.is_finite());
    let (least, most) = sizes.fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
    (mantissa_and_exponent(least).1 + mantissa_and_exponent(most).1) / 2
}

/// Up to this power of two, the product of two entries of an inverse and one of a direction is a number.
const FAR: i32 = 900;

/// Below this ratio of pivots the inverse has lost half of its digits.
pub(crate) const NEARLY_SINGULAR: f64 = 1e-8;
