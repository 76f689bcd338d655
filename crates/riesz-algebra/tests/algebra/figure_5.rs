//! The costs of gradients are those of [000 Fig. 5]: operations are counted over three decades, and lines fitted.

#[path = "../../examples/figure_5/count.rs"]
mod count;
#[path = "../../examples/figure_5/fit.rs"]
mod fit;
#[path = "../../examples/figure_5/plot.rs"]
mod plot;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use count::{FIGURE_5, at, expression};
use fit::{Curves, curves};
use riesz_algebra::expression::derive;

const DECADES: [usize; 4] = [100, 1_000, 10_000, 100_000];

/// What the figure shows, counted once.
static CURVES: LazyLock<Vec<Curves>> = LazyLock::new(curves);

fn curve(gradient: &str) -> &'static Curves {
    CURVES.iter().find(|curve| curve.row.gradient == gradient).unwrap()
}

#[test]
fn the_figure_has_six_rows() {
    let rows: Vec<String> =
        FIGURE_5.iter().map(|row| format!("{} {}: {}", row.mode, row.gradient, row.complexity)).collect();
    assert_eq!(
        rows,
        [
            "symbolic Expr: O(N²)",
            "forward Dense: O(N · V)",
            "forward Sparse: O(N · V)",
            "reverse D ⊸ Sparse: O(N · V)",
            "reverse D ⊸ Cayley Sparse: O(N · log V)",
            "reverse D ⊸ Writes: O(N + V)",
        ]
    );
}

/// `k` where `count(n) ~ nᵏ`, beyond what the figure shows
fn exponent(sizes: &[usize], count: impl Fn(usize) -> u64) -> f64 {
    fit::exponent(sizes.iter().map(|n| (*n, count(*n))))
}

#[track_caller]
fn is_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.1, "{found}, not about {expected}");
}

#[test]
fn symbolic_derivatives_are_quadratic_written_out_and_linear_as_held() {
    is_near(curve("Expr").nodes_exponent(), 2.0);
    is_near(exponent(&DECADES, |n| derive(&0, &expression(n, 8)).nodes() as u64), 1.0);
}

#[test]
fn what_handles_every_variable_at_every_node_costs_their_product() {
    for gradient in ["Dense", "Sparse", "D ⊸ Sparse"] {
        is_near(curve(gradient).nodes_exponent(), 1.0);
        is_near(curve(gradient).variables_exponent().unwrap(), 1.0);
    }
}

#[test]
fn insertions_cost_the_logarithm() {
    let curve = curve("D ⊸ Cayley Sparse");
    is_near(curve.nodes_exponent(), 1.0);
    // from V to V² the logarithm doubles; so does what is counted beyond that for one variable
    let count = curve.row.count;
    let beyond = |v: usize| (count(200_000, v) - count(200_000, 1)) as f64;
    is_near(beyond(10_000) / beyond(100) / 2.0, 1.0);
    assert!(exponent(&[10, 100, 1_000, 10_000], |v| count(200_000, v)) < 0.25);
}

#[test]
fn an_array_costs_the_sum() {
    let curve = curve("D ⊸ Writes");
    is_near(curve.nodes_exponent(), 1.0);
    is_near(curve.variables_exponent().unwrap(), 1.0);
    // a variable more costs the same for every number of nodes
    let count = |n: usize, v: usize| (curve.row.count)(n, v) as i64;
    let variables = |n: usize| count(n, 10_000) - count(n, 1_000);
    assert!((variables(1_000) - variables(100_000)).abs() < 10, "{} and {}", variables(1_000), variables(100_000));
}

/// All of them compute one gradient, that of a hand-written loop; the fast ones at a tenth of the size that
/// `examples/figure_5` runs them at.
#[test]
fn they_agree_at_size() {
    for row in &FIGURE_5 {
        let (nodes, variables) = ((row.nodes / 10).min(1_000_000), 20);
        let gradient = (row.gradient_of)(&expression(nodes, variables), variables);
        for (found, expected) in gradient.iter().zip(by_hand(nodes, variables)) {
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{}: {found}, not {expected}", row.gradient);
        }
    }
}

/// The gradient of `expression`, from what its last steps multiply.
fn by_hand(nodes: usize, variables: usize) -> Vec<f64> {
    let steps: Vec<(usize, usize)> = (0..nodes / 4).map(|i| (i % variables, (7 * i + 3) % variables)).collect();
    let values: Vec<f64> = steps
        .iter()
        .scan(at(0), |value, (factor, term)| {
            let before = *value;
            *value = before * at(*factor) + at(*term);
            Some(before)
        })
        .collect();
    let mut gradient = vec![0.0; variables];
    let mut cotangent = 1.0;
    for ((factor, term), before) in steps.iter().zip(&values).rev() {
        gradient[*term] += cotangent;
        gradient[*factor] += cotangent * before;
        cotangent *= at(*factor);
    }
    gradient[0] += cotangent;
    gradient
}

/// The book shows the figure as it is counted now, and the slopes in a table.
#[test]
fn the_book_has_the_figure() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src");
    let drawn = plot::svg(&CURVES);
    let picture = book.join("pictures/figure_5.svg");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&picture, &drawn).unwrap();
    }
    let same = fs::read_to_string(&picture).unwrap() == drawn;
    assert!(same, "the picture has changed; UPDATE_GOLDEN=1 keeps what is drawn now");
    let chapter = fs::read_to_string(book.join("numbers.md")).unwrap();
    for curve in CURVES.iter() {
        assert!(chapter.contains(&curve.table_row()), "numbers.md lacks {}", curve.table_row());
    }
}
