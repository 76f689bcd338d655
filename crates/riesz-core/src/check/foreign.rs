//! Names and types of other languages and libraries, with their equivalents in Riesz: one table of names, one of types.
//!
//! Every equivalent is an expression that runs; the test below evaluates all of them, so that no message suggests code
//! that does not work. In them `u` and `v` are vectors, `a` and `b` matrices, `x`, `lo` and `hi` numbers, `i`, `j`,
//! `k`, `m` and `n` integers, `w` an array of integers, `c` an array of truth values, `f` a function of a number, `g` a
//! function of a vector and `h` a function from vectors to vectors.

use riesz_syntax::tree::Name;

/// Names that mean the same, and what that is: for each meaning what it is called and how it is written.
struct Row {
    names: &'static str,
    cures: &'static [(&'static str, &'static str)],
}

const fn row(names: &'static str, cures: &'static [(&'static str, &'static str)]) -> Row {
    Row { names, cures }
}

const NAMES: &[Row] = &[
    // Sizes and shapes.
    row("len length count numel nrow nrows", &[("the number of elements of an array is", "size(v)")]),
    row("ncol ncols", &[("the number of columns of a matrix is", "size(a[0])")]),
    row("shape dims", &[("the sizes of a matrix are", "(size(a), size(a[0]))")]),
    row("reshape view", &[("the elements of a vector in rows are", "[[v[i * n + j] | j < n] | i < m]")]),
    row("ravel", &[("the rows of a matrix, concatenated, are", "flatten(a)")]),
    row("squeeze", &[("the only element of an array is", "v[0]")]),
    row("flip fliplr flipud rev", &[("an array in reverse order is", "reverse(v)")]),
    row("swapaxes permute permutedims", &[("the transpose of a matrix is", "transpose(a)")]),
    // Arrays made.
    row("zeros", &[("an array of zeros is", "replicate(n, 0.0)")]),
    row("zeros_like", &[("zeros of the same size are", "0 * v")]),
    row("ones", &[("an array of ones is", "replicate(n, 1.0)")]),
    row("ones_like", &[("ones of the same size are", "replicate(size(v), 1.0)")]),
    row("full fill rep", &[("an array of one value is", "replicate(n, x)")]),
    row("tile", &[("an array followed by itself is", "concat(v, v)")]),
    row("eye", &[("the identity matrix is", "[[if i == j then 1.0 else 0.0 | j < n] | i < n]")]),
    row("one_hot onehot", &[("a unit vector is", "[if i == k then 1.0 else 0.0 | i < n]")]),
    row(
        "arange range",
        &[("the integers below `n` are", "iota(n)"), ("a generator runs over them", "[i * i | i < n]")],
    ),
    row("linspace", &[("equally spaced numbers are", "[lo + (hi - lo) * i / (n - 1) | i < n]")]),
    row(
        "diag",
        &[
            ("the diagonal of a matrix is", "[a[i, i] | i < size(a)]"),
            ("the matrix of a diagonal is", "[[if i == j then v[i] else 0 | j < size(v)] | i < size(v)]"),
        ],
    ),
    row(
        "diagm diagflat",
        &[("the matrix of a diagonal is", "[[if i == j then v[i] else 0 | j < size(v)] | i < size(v)]")],
    ),
    row("tril", &[("the lower triangle is", "[[if j <= i then a[i, j] else 0 | j < size(a[i])] | i < size(a)]")]),
    row("triu", &[("the upper triangle is", "[[if j >= i then a[i, j] else 0 | j < size(a[i])] | i < size(a)]")]),
    // Arrays joined and taken apart.
    row("concatenate cat append hstack vcat hcat", &[("the concatenation of arrays is", "concat(u, v)")]),
    row("stack vstack", &[("arrays as the rows of a matrix are", "[u, v]")]),
    row("column_stack", &[("arrays as the columns of a matrix are", "transpose([u, v])")]),
    row("head first", &[("the first element is", "v[0]")]),
    row("last", &[("the last element is", "v[size(v) - 1]")]),
    row("tail", &[("all elements but the first are", "slice(v, 1, size(v))")]),
    row("init", &[("all elements but the last are", "slice(v, 0, size(v) - 1)")]),
    row(
        "take",
        &[("the first `k` elements are", "slice(v, 0, k)"), ("the elements at some indices are", "gather(v, w)")],
    ),
    row("drop", &[("all elements but the first `k` are", "slice(v, k, size(v))")]),
    row("enumerate", &[("the elements with their indices are", "zip(iota(size(v)), v)")]),
    row("scatter index_add", &[("numbers added at indices are", "scatter_add(n, w, v)")]),
    row("bincount", &[("the number of times each index occurs is", "scatter_add(n, w, replicate(size(w), 1))")]),
    // Functions over arrays.
    row("fmap vmap apply", &[("a function of each element is", "[f(x) | x in v]")]),
    row("filter", &[("there are no filters, use a conditional element:", "sum(if x > 0 then x else 0 | x in v)")]),
    row("foldl reduce accumulate", &[("an operation from the left is", "fold(\\s x -> s + x, 0, v)")]),
    row("foldr", &[("an operation from the right is", "fold(\\s x -> s + x, 0, reverse(v))")]),
    row("scanl scanl1", &[("the intermediate results of a fold are", "scan(\\s x -> s + x, 0, v)")]),
    row("cumsum", &[("the cumulative sums are", "scan(\\s x -> s + x, 0, v)")]),
    row("cumprod", &[("the cumulative products are", "scan(\\s x -> s * x, 1, v)")]),
    row("where select ifelse", &[("a choice for each element is", "[if c[i] then u[i] else v[i] | i < size(c)]")]),
    row("clip clamp", &[("numbers clamped to a range are", "min(max(v, lo), hi)")]),
    row("maximum amax", &[("the largest element is", "max(v)"), ("the larger of two numbers is", "max(x, lo)")]),
    row("minimum amin", &[("the smallest element is", "min(v)"), ("the smaller of two numbers is", "min(x, lo)")]),
    row("product", &[("the product of all elements is", "prod(v)")]),
    row("total", &[("the sum of all elements is", "sum(v)")]),
    row("every", &[("whether all hold is", "all(c)")]),
    row("some", &[("whether any holds is", "any(c)")]),
    row(
        "sort sorted",
        &[(
            "the sorted array is",
            "scatter_add(size(v), [sum(if v[j] < v[i] or v[j] == v[i] and j < i then 1 else 0 | j < size(v)) | i < size(v)], v)",
        )],
    ),
    row(
        "argsort sortperm",
        &[(
            "the indices in sorted order are",
            "scatter_add(size(v), [sum(if v[j] < v[i] or v[j] == v[i] and j < i then 1 else 0 | j < size(v)) | i < size(v)], iota(size(v)))",
        )],
    ),
    // Statistics.
    row("mean average avg", &[("the mean is", "sum(v) / size(v)")]),
    row("var variance", &[("the variance is", "{ let m = sum(v) / size(v); sum((x - m)^2 | x in v) / size(v) }")]),
    row(
        "std stdev stddev",
        &[("the standard deviation is", "{ let m = sum(v) / size(v); sqrt(sum((x - m)^2 | x in v) / size(v)) }")],
    ),
    row(
        "median",
        &[(
            "the element in the middle of an odd number is",
            "sum(if sum(if y < x then 1 else 0 | y in v) == div(size(v), 2) then x else 0 | x in v)",
        )],
    ),
    row(
        "softmax",
        &[("the softmax is", "{ let m = max(v); let z = sum(exp(x - m) | x in v); [exp(x - m) / z | x in v] }")],
    ),
    row("logsumexp lse", &[("it is", "{ let m = max(v); m + log(sum(exp(x - m) | x in v)) }")]),
    // Numbers.
    row("ln", &[("the natural logarithm is", "log(x)")]),
    row("fabs", &[("the absolute value is", "abs(x)")]),
    row("square sq", &[("the square is", "x ^ 2")]),
    row("exp10", &[("a power of ten is", "10 ^ x")]),
    row("reciprocal", &[("the reciprocal is", "1 / x")]),
    row("rsqrt", &[("it is", "1 / sqrt(x)")]),
    row("arcsin", &[("it is called", "asin(x)")]),
    row("arccos", &[("it is called", "acos(x)")]),
    row("arctan", &[("it is called", "atan(x)")]),
    row("arctan2", &[("it is called", "atan2(x, lo)")]),
    row("arcsinh", &[("it is called", "asinh(x)")]),
    row("arccosh", &[("it is called", "acosh(x)")]),
    row("arctanh", &[("it is called", "atanh(x)")]),
    row("logistic expit", &[("it is called", "sigmoid(x)")]),
    row("sgn signum", &[("the sign is", "sign(x)")]),
    row("rint", &[("the nearest integer is", "round(x)")]),
    row("tgamma gamma", &[("the gamma function is", "exp(lgamma(x))")]),
    row("gammaln loggamma", &[("its logarithm is", "lgamma(x)")]),
    row("factorial fact", &[("the factorial is", "prod(i + 1 | i < n)")]),
    row("isnan", &[("it is called", "is_nan(x)")]),
    row("isfinite", &[("whether a number is finite is", "abs(x) < inf")]),
    row("isinf", &[("whether a number is infinite is", "abs(x) == inf")]),
    row("rem remainder fmod modulo", &[("the remainder is", "mod(i, j)")]),
    row("quot quotient floordiv", &[("the integer quotient is", "div(i, j)")]),
    row("int", &[("the integer part of a number is", "trunc(x)")]),
    row("float double fromIntegral", &[("an integer as a real number is", "real(k)")]),
    row("infinity Infinity INFINITY", &[("infinity is", "inf")]),
    row("True", &[("it is written", "true")]),
    row("False", &[("it is written", "false")]),
    row("None null nil undefined", &[("the empty value is", "()")]),
    // Linear algebra.
    row("matmul mm bmm", &[("the product of matrices is", "dot(a, b)")]),
    row("matvec mv", &[("a matrix times a vector is", "dot(a, v)")]),
    row("vdot", &[("the inner product of vectors is", "dot(u, v)")]),
    row(
        "einsum tensordot",
        &[("a sum over an index is", "[[sum(a[i, k] * b[k, j] | k < size(b)) | j < size(b[0])] | i < size(a)]")],
    ),
    row("norm2", &[("the Euclidean norm is", "norm(v)")]),
    row("norm1", &[("the sum of absolute values is", "sum(abs(v))")]),
    row("tr", &[("the trace is", "sum(a[i, i] | i < size(a))")]),
    row(
        "cross",
        &[(
            "the vector product is",
            "[u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]",
        )],
    ),
    row("inverse", &[("the inverse matrix is", "inv(a)")]),
    row("linsolve", &[("the solution of linear equations is", "solve(a, v)")]),
    row("determinant", &[("the determinant is", "det(a)")]),
    row("slogdet", &[("the logarithm of its absolute value is", "logdet(a)")]),
    // Derivatives.
    row(
        "derivative deriv differentiate",
        &[("the derivative at a point is a linear map,", "D(f, x)"), ("the slope is", "D(f, x)(1.0)")],
    ),
    row(
        "diff",
        &[
            ("the differences of neighbours are", "[v[i + 1] - v[i] | i < size(v) - 1]"),
            ("the derivative at a point is", "D(f, x)"),
        ],
    ),
    row("gradient nabla", &[("the gradient at a point is", "grad(g, v)")]),
    row("value_and_grad withgradient", &[("value and gradient are", "vjp(g, v, 1.0)")]),
    row("jac jacfwd jacrev", &[("the matrix of the derivative is", "jacobian(h, v)")]),
    row("pushforward linearize", &[("the derivative at a point is", "D(h, v)")]),
    row("pullback", &[("the adjoint of the derivative is", "adjoint(D(h, v))")]),
    // What there is no such thing of.
    row("np numpy jnp jax torch tf math Math", &[("there are no modules, use the name alone:", "sin(x)")]),
    row("print println show display", &[("there is no printing; evaluate an expression to see its value:", "v")]),
];

/// The Riesz code for a name of another language.
pub(super) fn cures(name: &str) -> Option<Vec<String>> {
    let row = NAMES.iter().find(|row| row.names.split(' ').any(|other| other == name))?;
    Some(row.cures.iter().map(|(what, cure)| format!("{what} `{cure}`")).collect())
}

/// Types of other languages: their names, what they are, and what that is here.
const TYPES: &[(&str, &str, &str)] = &[
    (
        "real float double number num f64 f32 float64 float32 Real Float Double Number F64 F32 Float64 Float32",
        "real numbers are",
        "R",
    ),
    ("int integer long i64 i32 int64 int32 nat Integer Long I64 I32 Int64 Int32 Nat N Z", "integers are", "Int"),
    ("bool boolean Boolean", "truth values are", "Bool"),
    ("unit void Unit Void", "the type of one value is", "()"),
];

/// The meaning of the name of a type of another language.
pub(super) fn type_meant(name: &str) -> Option<(&'static str, &'static str)> {
    let (_, what, meant) = TYPES.iter().find(|(names, ..)| names.split(' ').any(|other| other == name))?;
    Some((what, meant))
}

/// The help for type variables that have the names of types of other languages.
pub(super) fn variables(names: &[Name]) -> Vec<String> {
    let meant = |name: &Name| {
        let (what, meant) = type_meant(name)?;
        Some(format!("`{name}` is a type variable, which stands for any type; {what} `{meant}`"))
    };
    names.iter().filter_map(meant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Checker;
    use crate::evaluate::{Limits, Machine};
    use riesz_syntax::{FileId, ParseOptions, parse, parse_expression, parse_type};

    const SCOPE: &str = "\
let u = [1.0, 2.0, 3.0]
let v = [3.0, 1.0, 2.0]
let a = [[2.0, 0.0, 1.0], [0.0, 3.0, 0.0], [1.0, 0.0, 4.0]]
let b = a
let x = 1.5
let lo = 0.0
let hi = 2.0
let i = 5
let j = 2
let k = 1
let m = 1
let n = 3
let w = [2, 0, 1]
let c = [true, false, true]
fun f(x: R): R = x * x
fun g(v: [n]R): R = sum(v)
fun h(v: [n]R): [n]R = 2 * v
";

    /// Everything that is suggested for a name of another language is a program. Derivatives are checked and not run:
    /// that is the calculus' work.
    #[test]
    fn every_cure_runs() {
        let mut failed = Vec::new();
        for (_, cure) in NAMES.iter().flat_map(|row| row.cures) {
            let (tree, problems) = parse(FileId(1), SCOPE, &ParseOptions::default());
            assert!(problems.is_empty(), "{problems:?}");
            let mut checker = Checker::new();
            assert_eq!(checker.add(vec![tree], false), []);
            let (tree, expr, problems) = parse_expression(FileId(2), cure, &ParseOptions::default());
            let Some(expr) = expr.filter(|_| problems.is_empty()) else {
                failed.push(format!("{cure}: {problems:?}"));
                continue;
            };
            match checker.expression(tree, expr, Vec::new()) {
                Err(problems) => failed.push(format!("{cure}: {}", problems[0].message)),
                Ok(thunk) => {
                    let derives = ["D(", "grad(", "vjp(", "jacobian("].iter().any(|name| cure.contains(name));
                    let mut machine = Machine::<f64>::new(&checker.program, Limits::default(), |_| None);
                    if !derives && let Err(fault) = machine.run(thunk.function) {
                        failed.push(format!("{cure}: {}", fault.message));
                    }
                }
            }
        }
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    }

    /// A cure for a name that programs have would never be shown.
    #[test]
    fn no_name_of_the_table_is_built_in() {
        let mut seen = Vec::new();
        for name in NAMES.iter().flat_map(|row| row.names.split(' ')) {
            let built_in = riesz_primitive::find(name).is_some() || Checker::new().prelude.contains_key(name);
            assert!(!built_in, "`{name}` is built in");
            assert!(!seen.contains(&name), "`{name}` stands twice");
            seen.push(name);
        }
    }

    #[test]
    fn every_type_that_is_meant_is_one() {
        for (names, _, meant) in TYPES {
            assert!(parse_type(FileId(1), meant).is_ok(), "{meant}");
            for name in names.split(' ') {
                assert_eq!(type_meant(name).map(|(_, meant)| meant), Some(*meant));
            }
        }
    }
}
