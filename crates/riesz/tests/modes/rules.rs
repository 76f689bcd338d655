//! Functions whose derivatives are stated: a rule may need the function that it belongs to, directly or by others.

use super::all_give_the_same;

const TEXT: &str = "
fun growth(x: R): R = exp(x)
  derivative \\dx -> growth(x) * dx
fun sine(x: R): R = sin(x)
  derivative \\dx -> cosine(x) * dx
fun cosine(x: R): R = cos(x)
  derivative \\dx -> -sine(x) * dx
fun below(n: Int, x: R): R = if n == 0 then x else growth(x) * below(n - 1, x)
  derivative \\(_, dx) -> (growth(x) * below(n, x) + growth(n * x)) * dx
fun inside(x: R): R = x * growth(x)
  derivative D(\\y -> y * growth(y), x)
fun scaled(a: R, v: [n]R): [n]R = growth(a) * v
  derivative \\(da, dv) -> da * scaled(a, v) + growth(a) * dv
fun half(a: R): R = growth(0.5 * log(a))
  implicit \\y -> y * y - a
";

#[test]
fn rules_may_need_the_functions_that_they_belong_to() {
    for expression in [
        "grad(growth, 0.5)",
        "grad(\\x -> growth(growth(x)) * x, 0.5)",
        "grad(\\x -> grad(growth, x), 0.5)",
        "grad(\\x -> sine(x) * cosine(2 * x), 0.5)",
        "grad(\\x -> grad(\\y -> sine(x * y), x), 0.5)",
        "grad(\\x -> below(2, x), 0.5)",
        "grad(inside, 0.5)",
        "grad(half, 2.0)",
        "jacobian(\\v -> scaled(v[0], sine(v)), [0.5, 0.7])",
        "D(scaled, (0.5, [1.0, 2.0]))(1.0, [0.5, 0.25])",
        "adjoint(D(scaled, (0.5, [1.0, 2.0])))([0.5, 0.25])",
        "{ let fs = [growth, sine]; grad(\\x -> sum(f(x) | f in fs), 0.5) }",
        "grad(\\a -> svd(a).0[1], [[1.0, 0.2], [0.3, 3.0]])",
        "jacobian(\\a -> eigh(a).0, [[1.0, 0.2], [0.2, 3.0]])",
        "grad(\\a -> eigh(a).1[0][1], [[1.0, 0.2], [0.2, 3.0]])",
        "grad(\\x -> root(\\y -> y^3 + x * y - growth(x), 1.0), 0.5)",
    ] {
        all_give_the_same(TEXT, expression);
    }
}
