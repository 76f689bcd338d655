//! The table as a whole: complete, consistent, and in agreement with its source files.

use std::collections::HashSet;

use riesz_primitive::array::{Array, LinearIn};
use riesz_primitive::{Derivative, Kind, Number, find, table};

/// Every built-in name of the language.
const NAMES: &str = "
    exp log sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp2 log2 log10 expm1 log1p abs sign
    floor ceil round erf erfc lgamma digamma log_ndtr root fixpoint minimiser lstsq sigmoid softplus relu pow atan2 hypot min max is_nan pi e inf nan
    div mod real trunc
    size build iota replicate map zip unzip sum prod argmax argmin all any fold scan reverse roll concat slice flatten
    transpose gather scatter_add update dot outer inner norm cholesky solve inv det logdet
    cg gmres lsqr identity zero diagonal rank_one fork join power kronecker trace square_matrix linear origin
    svd eigh block rank
    D adjoint compose matrix coo jvp vjp grad jacobian hessian hvp taylor
    + - * / ^";

#[test]
fn every_name_of_the_language_has_a_row() {
    let names: HashSet<&str> = NAMES.split_whitespace().collect();
    for name in &names {
        assert_eq!(find(name).map(|row| row.name), Some(*name));
    }
    for row in table() {
        assert!(row.hidden() || names.contains(row.name), "{row:?} is not in the language");
    }
    assert!(find("no such function").is_none());
}

#[test]
fn every_row_is_in_the_list_of_its_file() {
    let sources = [
        include_str!("../../src/scalar/arithmetic.rs"),
        include_str!("../../src/scalar/power.rs"),
        include_str!("../../src/scalar/exponential.rs"),
        include_str!("../../src/scalar/trigonometric.rs"),
        include_str!("../../src/scalar/hyperbolic.rs"),
        include_str!("../../src/scalar/step.rs"),
        include_str!("../../src/scalar/special.rs"),
        include_str!("../../src/array/structure.rs"),
        include_str!("../../src/array/algebra.rs"),
        include_str!("../../src/other/form.rs"),
        include_str!("../../src/other/operator.rs"),
        include_str!("../../src/other/conversion.rs"),
        include_str!("../../src/other/constant.rs"),
        include_str!("../../src/other/prelude.rs"),
    ];
    let rows: usize = sources.iter().map(|source| source.matches(": Primitive = Primitive {").count()).sum();
    assert_eq!(rows, table().len());
}

#[test]
fn names_are_unique() {
    let names: HashSet<&str> = table().iter().map(|row| row.name).collect();
    assert_eq!(names.len(), table().len());
}

#[test]
fn rows_are_complete() {
    for row in table() {
        assert!(!row.signatures.is_empty(), "{row:?}");
        assert!(row.summary.ends_with('.') && row.summary.is_ascii(), "{row:?}: {}", row.summary);
        assert_eq!(row.example.is_empty(), row.hidden(), "{row:?}");
        for signature in row.signatures {
            assert!(signature.contains(": ") && signature.is_ascii(), "{row:?}: {signature}");
        }
    }
}

#[test]
fn functions_of_numbers_agree_on_their_arguments() {
    for row in table() {
        let Kind::Scalar(scalar) = &row.kind else { continue };
        let arguments = scalar.domain.len();
        for signature in row.signatures.iter().filter(|signature| !signature.contains('[')) {
            assert_eq!(signature.matches(": ").count(), arguments + 1, "{row:?}: {signature}");
        }
        for (argument, place) in ["{0}", "{1}", "{2}"].into_iter().enumerate() {
            assert_eq!(scalar.rust.contains(place), argument < arguments, "{row:?}: {}", scalar.rust);
            let of_reals = scalar.real.is_some() && argument < arguments;
            assert_eq!(scalar.c.contains(place), of_reals, "{row:?}: {}", scalar.c);
        }
        match scalar.derivative {
            Derivative::Scale(coefficients) => assert_eq!(coefficients.len(), arguments, "{row:?}"),
            Derivative::Terms(_) | Derivative::Directional => panic!("{row:?} is not a function of matrices"),
            Derivative::Zero | Derivative::Linear | Derivative::Multilinear => {}
        }
        assert!(scalar.integer.is_some() || scalar.real.is_some(), "{row:?} cannot be evaluated");
    }
}

#[test]
fn functions_of_arrays_have_derivatives_of_their_kind() {
    for row in table() {
        let Kind::Array(array) = &row.kind else { continue };
        let Array::Matrix(matrix) = array else { continue };
        assert_eq!(matrix.function.primitive(), *row);
        assert!(matches!(matrix.derivative, Derivative::Terms(_) | Derivative::Directional), "{row:?}");
        let directional = matches!(matrix.derivative, Derivative::Directional);
        assert_eq!(directional, matches!(matrix.linear, LinearIn::Directions), "{row:?}");
    }
}

#[test]
fn integers_and_reals_agree() {
    for row in table() {
        let Kind::Scalar(scalar) = &row.kind else { continue };
        let (Some(integer), Some(_)) = (scalar.integer, scalar.real) else { continue };
        for (x, y) in [(0, 0), (3, 2), (2, 3), (-4, 3), (7, 0), (-1, 1)] {
            let arguments = &[x, y][..scalar.domain.len()];
            let reals: Vec<f64> = arguments.iter().map(|&n| n as f64).collect();
            assert_eq!(
                (integer.value)(arguments).map(|n| n as f64),
                Some(f64::apply(row, &reals)),
                "{row:?} {arguments:?}"
            );
        }
    }
}

/// What the passes on exact zeros know of functions is found by computing.
#[test]
fn functions_that_hide_a_nan_are_known() {
    let hides = |row: &&&riesz_primitive::Primitive| row.scalar().is_some_and(|scalar| scalar.hides_nan());
    let mut found: Vec<&str> = table().iter().filter(hides).map(|row| row.name).collect();
    found.sort_unstable();
    assert_eq!(found, ["^", "exact *", "hypot", "integer ^", "pow"]);
}
