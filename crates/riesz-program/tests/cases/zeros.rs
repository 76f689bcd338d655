//! Zero times infinity is zero in derivatives. Plain products run first and give a NaN, which is detected while results
//! are written; exact products then run.

use super::Cases;
use riesz_core::evaluate::Value;

/// `√y` has an infinite derivative at 0, where `u` and `c` are 0.
const PROGRAM: &str = "
    let x = [if i == 57 then 0.0 else 1.0 + 0.1 * i | i < 100]
    let u = [if i == 57 then 0.0 else 1.0 | i < 100]
    let c = u
    fun root(z: [n]R, k: Int): R = if k == 0 then 0.0 else c[k - 1] * sqrt(z[k - 1]) + root(z, k - 1)";

/// What is stored, what is added near an index, what is added in a branch, what is stored in loops inside of
/// others, what is copied, what is stored outside of loops, what is added in loops inside of others, and what a recursion
/// adds.
const EXPRESSIONS: &[(&str, bool)] = &[
    ("jvp(\\z -> [sqrt(y) | y in z], x, u).1", true),
    ("grad(\\z -> sum(c[i] * sqrt(z[i]) + z[i] * z[i + 1] | i < 99), x)", true),
    ("grad(\\z -> sum(if c[i] < 2.0 then c[i] * sqrt(z[i]) else 0.0 | i < 100), x)", true),
    ("vjp(\\z -> sum(c[i] * sqrt(z[i]) | i < 100), x, 1.0)", true),
    ("jvp(\\z -> [[sqrt(y) * real(j) | j < 9] | y in z], x, u).1", true),
    ("[matrix(D(\\a b -> [b * sqrt(a), a], (x[i], c[i]))) | i < 100]", true),
    (
        "coo(D(\\z -> grad(\\z -> sum(c[57 + i] * sqrt(z[i]) + z[i] * z[i + 1] | i < 19), z), slice(x, 57, 77))).vals",
        true,
    ),
    ("grad(\\z -> sum(sum(c[i] * sqrt(z[i]) * z[j] | j < 9) | i < 100), x)", false),
    ("grad(\\z -> root(z, 100), x)", false),
];

/// All of them, whose values are finite.
pub fn cases() -> Cases {
    let mut all = Cases::default();
    let expressions: Vec<&str> = EXPRESSIONS.iter().map(|(expression, _)| *expression).collect();
    all.push("zeros", PROGRAM, &expressions);
    let mut plain = all.lowered.clone();
    assert!(riesz_program::schedule::plain_zeros(&mut plain), "there are exact products");
    assert!(!riesz_program::print::print(&plain).contains("exact"), "all of them are plain now");
    for (signature, (expression, watched)) in all.signatures.iter().flatten().zip(EXPRESSIONS) {
        assert_eq!(riesz_program::schedule::nan_flag(&mut plain, signature.procedure), *watched, "{expression}");
    }
    riesz_program::verify::verify(&plain).expect("what is watched is a loop program");
    for case in &all.cases {
        assert!(case.expected.as_ref().is_ok_and(is_finite), "{}: {:?}", case.name, case.expected);
    }
    all
}

/// A column of zeros has the solution zero, also where the matrix is singular, and a zero entry of a factor that does not
/// exist has the derivative zero.
pub fn solutions() -> Cases {
    let expressions = [
        "jvp(\\x -> solve([[x, x], [x, x]], [1.0, 2.0]), 1.0, 0.0).1",
        "jvp(\\x -> solve([[1.0, 1.0], [1.0, 1.0]], [[1.0, x], [2.0, x]])[0][0], 1.0, 1.0).1",
        "vjp(\\v -> solve([[1.0, 1.0], [1.0, 1.0]], v), [1.0, 2.0], [0.0, 0.0]).1",
        "hessian(\\v -> solve([[1.0, 1.0], [1.0, 1.0]], [[1.0, v[0]], [2.0, v[1]]])[0, 0], [1.0, 1.0])",
        "hessian(\\v -> cholesky([[v[0], 0.0], [v[1], -1.0]])[0, 1], [1.0, 2.0])",
    ];
    let mut all = Cases::default();
    all.push("solutions", "", &expressions);
    for case in &all.cases {
        assert!(case.expected.as_ref().is_ok_and(is_finite), "{}: {:?}", case.name, case.expected);
    }
    all
}

/// Where a product decides something, the NaN of a plain one would not show in the result: here the derivative by `x[57]`
/// is 0, and less than 1. It is found beside the decision, and by a recursion.
pub fn decisions() -> Cases {
    let slope = |sum: &str| format!("if grad(\\z -> {sum}, x)[57] < 1.0 then 1.0 else 0.0");
    let expressions = [slope("sum(c[i] * sqrt(z[i]) | i < 100)"), slope("root(z, 100)")];
    let mut all = Cases::default();
    all.push("decisions", PROGRAM, &expressions.each_ref().map(String::as_str));
    for case in &all.cases {
        assert!(matches!(case.expected, Ok(Value::Real(1.0))), "{}: {:?}", case.name, case.expected);
    }
    all
}

fn is_finite(value: &Value<f64>) -> bool {
    let mut finite = true;
    value.visit_reals(&mut |number| finite &= number.is_finite());
    finite
}
