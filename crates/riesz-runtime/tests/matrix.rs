//! The laws of linear algebra, for sizes on both sides of those at which matrices are split.

use riesz_runtime::{
    Context, Strides, cholesky, cholesky_cotangent, cholesky_tangent, cofactor, det, exact_mul, exact_product, inv,
    logdet, product, solve,
};

const SIZES: [i64; 16] = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 40, 65, 97, 130, 200];
const SITE: u32 = 7;

/// Numbers between −1/2 and 1/2 that look like chance.
fn numbers(count: i64, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn transposed(a: &[f64], n: i64) -> Vec<f64> {
    (0..n * n).map(|at| a[(at % n * n + at / n) as usize]).collect()
}

/// `a b`, for square matrices.
fn times(a: &[f64], b: &[f64], n: i64) -> Vec<f64> {
    let at = Strides { first: 0, row: n, column: 1 };
    let mut to = vec![f64::NAN; (n * n) as usize];
    product(&mut to, (a, at), (b, at), (n, n, n));
    to
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The lower triangle, or the upper one, with a diagonal that is not small.
fn triangle(n: i64, lower: bool) -> Vec<f64> {
    let mut a = numbers(n * n, 3);
    for at in 0..n * n {
        let (i, j) = (at / n, at % n);
        match i == j {
            true => a[at as usize] += 4.0,
            false if (j < i) != lower => a[at as usize] = 0.0,
            false => {}
        }
    }
    a
}

fn positive(n: i64) -> Vec<f64> {
    let l = triangle(n, true);
    times(&l, &transposed(&l, n), n)
}

/// Matrices that are full and triangular.
fn matrices(n: i64) -> [Vec<f64>; 4] {
    [numbers(n * n, 1), positive(n), triangle(n, true), triangle(n, false)]
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], what: &str) {
    let scale = expected.iter().fold(1.0f64, |most, x| most.max(x.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= 1e-9 * scale, "{what}, at {at}: {found}, not {expected}");
    }
}

fn made(n: i64, run: impl FnOnce(&mut Context, &mut [f64])) -> Vec<f64> {
    let mut to = vec![f64::NAN; (n * n) as usize];
    run(&mut Context::unlimited(), &mut to);
    to
}

#[test]
fn solutions_and_inverses_undo_products() {
    for n in SIZES {
        for (kind, a) in matrices(n).iter().enumerate() {
            let what = format!("matrix {kind} of {n} rows");
            let b = numbers(n * n, 5);
            let x = made(n, |run, to| solve(run, SITE, to, a, n, &b, n).unwrap());
            close(&times(a, &x, n), &b, &what);
            let mut identity = made(n, |_, to| to.fill(0.0));
            (0..n).for_each(|i| identity[(i * n + i) as usize] = 1.0);
            let inverse = made(n, |run, to| inv(run, SITE, to, a, n).unwrap());
            close(&times(a, &inverse, n), &identity, &what);
            // One column alone is solved in another way.
            let (mut first, b) = (vec![f64::NAN; n as usize], numbers(n, 5));
            solve(&mut Context::unlimited(), SITE, &mut first, a, n, &b, 1).unwrap();
            let rows: Vec<f64> = (0..n as usize).map(|i| inner(&a[i * n as usize..], &first)).collect();
            close(&rows, &b, &what);
        }
    }
}

#[test]
fn factors_and_their_derivatives_belong_together() {
    for n in SIZES {
        let (a, s, w) = (positive(n), numbers(n * n, 8), numbers(n * n, 9));
        let l = made(n, |run, to| cholesky(run, SITE, to, &a, n).unwrap());
        close(&times(&l, &transposed(&l, n), n), &a, &format!("l lᵀ of {n} rows"));
        assert!((0..n * n).all(|at| at % n <= at / n || l[at as usize] == 0.0));
        let t = made(n, |run, to| cholesky_tangent(run, SITE, to, &l, n, &s, n).unwrap());
        let moved = times(&t, &transposed(&l, n), n);
        let symmetric: Vec<f64> = s.iter().zip(transposed(&s, n)).map(|(x, y)| 0.5 * (x + y)).collect();
        let sum: Vec<f64> = moved.iter().zip(transposed(&moved, n)).map(|(x, y)| x + y).collect();
        close(&sum, &symmetric, &format!("t lᵀ + l tᵀ of {n} rows"));
        // ⟨T s, w⟩ = ⟨s, Tᵀ w⟩, where T s has no entries above the diagonal.
        let back = made(n, |run, to| cholesky_cotangent(run, SITE, to, &l, n, &w, n).unwrap());
        close(&[inner(&t, &w)], &[inner(&s, &back)], &format!("the adjoint of {n} rows"));
        close(&back, &transposed(&back, n), "a symmetric cotangent");
    }
}

#[test]
fn determinants_are_those_of_factors() {
    for n in SIZES {
        let (mut one, mut two) = ([f64::NAN], [f64::NAN]);
        let (run, l) = (&mut Context::unlimited(), triangle(n, true));
        logdet(run, SITE, &mut one, &positive(n), n).unwrap();
        logdet(run, SITE, &mut two, &l, n).unwrap();
        close(&one, &[2.0 * two[0]], &format!("log |det| of {n} rows"));
        if n < 50 {
            det(run, SITE, &mut one, &l, n).unwrap();
            close(&[one[0].ln()], &two, &format!("det of {n} rows"));
            let a = numbers(n * n, 1);
            let cofactors = made(n, |run, to| cofactor(run, SITE, to, &a, n, &[], 0).unwrap());
            let rows = times(&a, &transposed(&cofactors, n), n);
            det(run, SITE, &mut one, &a, n).unwrap();
            let expected: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { one[0] } else { 0.0 }).collect();
            close(&rows, &expected, &format!("cofactors of {n} rows"));
        }
    }
}

#[test]
fn matrices_without_a_result_give_nan() {
    for n in SIZES.into_iter().filter(|n| *n > 1) {
        let last = ((n - 1) * n) as usize;
        // Two equal rows, and a zero on the diagonal of a triangle.
        let mut equal = numbers(n * n, 2);
        equal.copy_within(0..n as usize, last);
        let [mut lower, mut upper, mut nan] = [triangle(n, true), triangle(n, false), triangle(n, true)];
        lower[last + n as usize - 1] = 0.0;
        upper[0] = 0.0;
        nan[last] = f64::NAN;
        let b = numbers(n * n, 4);
        for (kind, a) in [equal, lower, upper, nan].iter().enumerate() {
            let x = made(n, |run, to| solve(run, SITE, to, a, n, &b, n).unwrap());
            let inverse = made(n, |run, to| inv(run, SITE, to, a, n).unwrap());
            assert!(x.iter().chain(&inverse).all(|x| x.is_nan()), "matrix {kind} of {n} rows");
        }
        let mut indefinite = positive(n);
        indefinite[last + n as usize - 1] = -1.0;
        let l = made(n, |run, to| cholesky(run, SITE, to, &indefinite, n).unwrap());
        assert!((0..n * n).all(|at| if at % n > at / n { l[at as usize] == 0.0 } else { l[at as usize].is_nan() }));
    }
}

/// Zero times anything is zero: the columns that do not depend on the NaN stay numbers.
#[test]
fn derivatives_of_factors_that_are_not_numbers_are_exact() {
    for n in SIZES.into_iter().filter(|n| *n > 2) {
        let mut l = triangle(n, true);
        l[((n - 1) * n) as usize] = f64::NAN;
        l[((n - 1) * n + n - 1) as usize] = f64::INFINITY;
        let nothing = vec![0.0; (n * n) as usize];
        let t = made(n, |run, to| cholesky_tangent(run, SITE, to, &l, n, &nothing, n).unwrap());
        let s = made(n, |run, to| cholesky_cotangent(run, SITE, to, &l, n, &nothing, n).unwrap());
        assert!(t.iter().chain(&s).all(|x| *x == 0.0), "{n} rows: {t:?} {s:?}");
    }
}

#[test]
fn working_memory_counts_and_is_given_back() {
    type Function = fn(&mut Context, &mut [f64], &[f64], i64) -> riesz_runtime::Outcome<()>;
    let functions: [(&str, Function); 5] = [
        ("solve", |run, to, a, n| solve(run, SITE, to, a, n, a, n)),
        ("inv", |run, to, a, n| inv(run, SITE, to, a, n)),
        ("det", |run, to, a, n| det(run, SITE, to, a, n)),
        ("logdet", |run, to, a, n| logdet(run, SITE, to, a, n)),
        ("cofactor", |run, to, a, n| cofactor(run, SITE, to, a, n, &vec![0.0; (n * n) as usize], n)),
    ];
    let n = 40;
    let mut singular = numbers(n * n, 6);
    singular.copy_within(0..n as usize, n as usize);
    for (name, function) in functions {
        for a in [numbers(n * n, 6), singular.clone()] {
            let mut to = vec![0.0; (n * n) as usize];
            let mut run = Context { memory: 8 * n * n - 1, ..Context::unlimited() };
            let fault = function(&mut run, &mut to, &a, n).expect_err(name);
            assert_eq!((fault.site, fault.values[0] >= n * n), (SITE, true), "{name}");
            let mut run = Context { memory: 1 << 20, ..Context::unlimited() };
            function(&mut run, &mut to, &a, n).unwrap();
            assert_eq!(run.memory, 1 << 20, "{name}");
            assert!(run.least <= (1 << 20) - 8 * n * n, "{name}");
        }
    }
}

/// `Dᵏ cof (2ᵉ a) (2ᶠ h₁, …) = 2ᵉ⁽ⁿ⁻¹⁻ᵏ⁾ 2ᶠᵏ Dᵏ cof a (h₁, …)`, also where determinants overflow or vanish.
#[test]
fn cofactors_scale_with_the_matrix_and_the_directions() {
    let times_power = |x: f64, e: i32| x * 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
    let mut context = Context::unlimited();
    let mut checked = 0;
    for n in [1, 2, 3, 5] {
        for directions in 0..3 {
            for rank_one in [false, true] {
                let (mut a, h) = (numbers(n * n, 5), numbers(directions * n * n, 6));
                if rank_one {
                    let (u, v) = (numbers(n, 7), numbers(n, 8));
                    a = (0..n * n).map(|at| u[(at / n) as usize] * v[(at % n) as usize]).collect();
                }
                let mut of = |e: i32, f: i32| {
                    let scaled = |x: &[f64], e: i32| x.iter().map(|x| times_power(*x, e)).collect::<Vec<f64>>();
                    let mut to = vec![0.0; (n * n) as usize];
                    cofactor(&mut context, SITE, &mut to, &scaled(&a, e), n, &scaled(&h, f), n * directions).unwrap();
                    to
                };
                let base = of(0, 0);
                let largest = base.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                for (e, f) in [(300, 0), (-300, 0), (700, 0), (-700, 0), (980, 0), (-980, 0), (400, -400), (-660, 300)]
                {
                    let shift = e * (n - 1 - directions) as i32 + f * directions as i32;
                    if directions == 0 && f != 0 || shift.abs() > 990 {
                        continue;
                    }
                    for (found, base) in of(e, f).iter().zip(&base) {
                        let near = (times_power(*found, -shift) - base).abs() <= 1e-12 * largest.max(1e-3);
                        assert!(near, "{n} x {n}, {directions} directions, 2^{e}, 2^{f}: {found}, {base} · 2^{shift}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn zero_times_anything_is_zero_in_exact_products() {
    let mut chance = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = move || {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        chance >> 33
    };
    let strange = [0.0, f64::NAN, f64::INFINITY, -0.0, f64::NEG_INFINITY];
    for (rows, inner, columns) in [(1, 1, 1), (3, 4, 1), (1, 5, 6), (4, 4, 4), (9, 17, 12), (33, 20, 40)] {
        // None of the numbers is strange, few are, or a third of them.
        for rarity in [u64::MAX, 200, 3] {
            let mut numbers = |count: i64| -> Vec<f64> {
                let number = |_| match next() {
                    at if at % rarity == 0 => strange[(at / rarity % 5) as usize],
                    at => (at % 1000) as f64 / 250.0 - 2.0,
                };
                (0..count).map(number).collect()
            };
            let (left, right) = (numbers(rows * inner), numbers(inner * columns));
            let by_rows = |columns: i64| Strides { first: 0, row: columns, column: 1 };
            let mut found = vec![7.0; (rows * columns) as usize];
            exact_product(&mut found, (&left, by_rows(inner)), (&right, by_rows(columns)), (rows, inner, columns));
            for (at, found) in found.iter().enumerate() {
                let (row, column) = (at as i64 / columns, at as i64 % columns);
                let term = |k: i64| exact_mul(left[(row * inner + k) as usize], right[(k * columns + column) as usize]);
                let expected: f64 = (0..inner).map(term).sum();
                let same = found == &expected || (found.is_nan() && expected.is_nan());
                assert!(same || (found - expected).abs() < 1e-12, "{found}, not {expected}");
            }
        }
    }
}
