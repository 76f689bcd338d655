//! The examples of the papers, as combinators and as derivatives.

use riesz_category::combinator::Combinators;
use riesz_category::compile::compile;
use riesz_category::via::{Via, derivative};
use riesz_core::evaluate::Value;
use riesz_test::program::{checked as check, named};

fn combinator(text: &str, name: &str) -> String {
    let checker = check(text);
    let combinators = compile(&checker.program, named(&checker, name)).unwrap();
    combinators.definitions[0].body.to_string()
}

/// [004 §5]: `magSqr = addC ∘ (mulC ∘ (exl △ exl) △ mulC ∘ (exr △ exr))`, `cosSinProd = (cosC △ sinC) ∘ mulC`
#[test]
fn programs_compile_as_elliott_has_them() {
    let text = "fun magSqr(a: R, b: R): R = a * a + b * b\n\
                fun cosSinProd(x: R, y: R): (R, R) = let z = x * y in (cos(z), sin(z))";
    assert_eq!(combinator(text, "magSqr"), "(+) ∘ ⟨(*) ∘ ⟨π0, π0⟩, (*) ∘ ⟨π1, π1⟩⟩");
    assert_eq!(combinator(text, "cosSinProd"), "⟨cos, sin⟩ ∘ (*)");
}

/// [003 Ex. B.1]: `(ln ∘ sin)′ x = (1 / sin x ·) • (cos x ·)`
#[test]
fn a_chain_of_functions() {
    let checker = check("fun h(x: R): R = log(sin(x))");
    let x: f64 = 0.75;
    let affine = derivative(&checker.program, named(&checker, "h"), vec![Value::Real(x)], Via::Affine).unwrap();
    let [outer, inner] = [1.0 / x.sin(), x.cos()];
    assert_eq!(affine.term().unwrap().to_string(), format!("scale {outer} ∘ scale {inner}"));
    let simple = derivative(&checker.program, named(&checker, "h"), vec![Value::Real(x)], Via::LinearMaps).unwrap();
    assert!((simple.apply(&[1.0])[0] - x.cos() / x.sin()).abs() < 1e-15);
    assert_eq!(simple.term().unwrap().children().len(), 0, "one multiple is left");
}

/// [003 Ex. B.2]: `f (x₁, x₂) = ln x₁ + x₁ · x₂ − sin x₂`, with gradient `(1 / x₁ + x₂, x₁ − cos x₂)`
#[test]
fn a_sum_of_products() {
    let checker = check("fun f(x: R, y: R): R = log(x) + x * y - sin(y)");
    let (x, y): (f64, f64) = (2.0, 5.0);
    for via in Via::ALL {
        let found =
            derivative(&checker.program, named(&checker, "f"), vec![Value::Real(x), Value::Real(y)], via).unwrap();
        let gradient = found.transpose_apply(&[1.0]);
        let expected = [1.0 / x + y, x - y.cos()];
        assert!(gradient.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{}: {gradient:?}", via.name());
        assert_eq!(found.value.real(), x.ln() + x * y - y.sin());
    }
}

/// [003 App. A.2]: `f (x₁, x₂, x₃) = (x₁ + x₂, x₁ · x₃)` has at (4, 0, −2) the matrix `[1 1 0; −2 0 4]`.
#[test]
fn a_jacobi_matrix() {
    let checker = check("fun f(x: [3]R): [2]R = [x[0] + x[1], x[0] * x[2]]");
    let x = Value::reals(vec![4.0, 0.0, -2.0]);
    for via in Via::ALL {
        let found = derivative(&checker.program, named(&checker, "f"), vec![x.clone()], via).unwrap();
        let columns: Vec<Vec<f64>> = found.domain.basis().map(|unit| found.apply(&unit)).collect();
        assert_eq!(columns, [[1.0, -2.0], [1.0, 0.0], [0.0, 4.0]], "{}", via.name());
    }
}

/// [003 §8], after Griewank: the derivative of `b sin (aᵀ x)` is `c · (b ⊗ a)`, with `n + m` numbers and not `n · m`.
#[test]
fn a_rank_one_derivative_keeps_its_structure() {
    let checker = check("let a = [1.0, 2.0, 3.0]\nlet b = [4.0, 5.0]\nfun g(x: [3]R): [2]R = b * sin(dot(a, x))");
    let x = Value::reals(vec![0.5, -0.25, 0.125]);
    let simple = derivative(&checker.program, named(&checker, "g"), vec![x.clone()], Via::LinearMaps).unwrap();
    let c = (0.5 - 0.5 + 0.375f64).cos();
    let expected = [4.0 * c, 8.0 * c, 12.0 * c, 5.0 * c, 10.0 * c, 15.0 * c];
    let found = simple.term().unwrap().matrix().values();
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
    let (_, count) = simple.transpose_apply_counted(&[1.0, 1.0]);
    assert!(count.multiplications <= 3 + 2 + 3, "{count:?}");
}

/// [003 Ex. 7.1]: a network of two layers, whose adjoint derivative is backpropagation.
#[test]
fn a_network() {
    let text = "fun layer(w: [m][n]R, b: [m]R, v: [n]R): [m]R = tanh(dot(w, v) + b)\n\
                fun loss(w1: [3][2]R, b1: [3]R, w2: [1][3]R, b2: [1]R, x: [2]R, y: [1]R): R =\n\
                \x20 let r = layer(w2, b2, layer(w1, b1, x)) - y\n\
                \x20 dot(r, r)";
    let checker = check(text);
    let matrix = |rows: &[&[f64]]| Value::values(rows.iter().map(|row| Value::reals(row.to_vec())).collect());
    let arguments = vec![
        matrix(&[&[0.1, -0.2], &[0.3, 0.4], &[-0.5, 0.6]]),
        Value::reals(vec![0.01, 0.02, 0.03]),
        matrix(&[&[0.7, -0.8, 0.9]]),
        Value::reals(vec![0.05]),
        Value::reals(vec![1.5, -0.5]),
        Value::reals(vec![0.25]),
    ];
    let id = named(&checker, "loss");
    let reverse = derivative(&checker.program, id, arguments.clone(), Via::Adjoint).unwrap();
    let forward = derivative(&checker.program, id, arguments, Via::Affine).unwrap();
    let gradient = reverse.transpose_apply(&[1.0]);
    for (at, unit) in forward.domain.basis().enumerate() {
        assert!((forward.apply(&unit)[0] - gradient[at]).abs() < 1e-14);
    }
    // [003 Thm 6.5]: the adjoint during interpretation is the adjoint afterwards.
    let after = forward.term().unwrap().adjoint();
    assert_eq!(after.apply(&[1.0]), gradient);
    // Backward costs what forward costs, for all inputs at once.
    let (_, once) = forward.apply_counted(&vec![1.0; gradient.len()]);
    let (_, back) = reverse.transpose_apply_counted(&[1.0]);
    assert!(back.multiplications <= 3 * once.multiplications, "{back:?} against {once:?}");
}

#[test]
fn combinators_read_back() {
    let text = "fun magSqr(a: R, b: R): R = a * a + b * b";
    let checker = check(text);
    let combinators = compile(&checker.program, named(&checker, "magSqr")).unwrap();
    let shown = combinators.to_string();
    assert_eq!(shown, "magSqr#0 =\n  (+) ∘ ⟨(*) ∘ ⟨π0, π0⟩, (*) ∘ ⟨π1, π1⟩⟩\n");
    let read: Combinators = shown.parse().unwrap();
    assert_eq!(read.to_string(), shown);
    for wrong in [
        "f#0 =",
        "f#0 = sinn",
        "f#0 = ⟨id",
        "f#1 = id",
        "f#0 = π",
        "f#0 = if(id)",
        "f#0 = dot/9999999999{R}",
        "f#0 = sum(id)",
    ] {
        assert!(wrong.parse::<Combinators>().is_err(), "{wrong}");
    }
}
