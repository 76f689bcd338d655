//! Towers: derivatives inside of derivatives, and derivatives along a line, are floors of one tower, and cost what the same
//! derivatives cost elsewhere.

use super::{ONCE, all_agree};
use riesz::modes::Mode;
use riesz::via::Representation;
use riesz::{NoFiles, Options, Session};

/// Functions of arrays that differentiate others: by gradients in a loop, along a line, by a map, and twice.
const TEXT: &str = "fun cubes(w: [n]R): R = sum(w * w * w) + sum(w[i] * w[i + 1] | i < n - 1)
fun slopes(v: [n]R): R = sum(grad(cubes, v)^2)
fun steps(v: [n]R): R = sum((loop w = v for k < 3 do w - 0.1 * grad(cubes, w))^2)
fun curve(v: [n]R): R = jvp(cubes, v, [sin(x) | x in v]).1 + dot(v, hvp(cubes, v, v))
fun maps(v: [n]R): R = D(\\w -> w * w, v)(v)[0] + sum(adjoint(D(\\w -> w * w * w, v))(v))
fun gaps(v: [n]R): R = sum(grad(\\w -> slopes(w), v))
";

const FUNCTIONS: [&str; 5] = ["slopes", "steps", "curve", "maps", "gaps"];

fn session(via: Option<&'static Representation>) -> Session {
    let mut session = Session::new(Options { via, ..Options::default() });
    session.load_text("towers.rz", TEXT, &NoFiles).unwrap();
    session
}

/// The operations of a tower grow as the size of the point does, with derivatives inside as well.
#[test]
fn towers_of_derivatives_take_one_pass_back() {
    for function in FUNCTIONS {
        let operations = [8, 16].map(|n| {
            let modes =
                session(None).modes(function, &format!("[0.01 * i + 0.1 | i < {n}]"), Vec::new(), ONCE).unwrap();
            all_agree("towers.rz", function, &modes);
            let is_tower = |row: &&Mode| row.representation.name == "tower";
            modes.rows.iter().find(is_tower).unwrap().outcome.as_ref().unwrap().operations.total()
        });
        let growth = operations[1] as f64 / operations[0] as f64;
        assert!((1.5..2.3).contains(&growth), "{function}: {operations:?}");
    }
}

/// A point of a thousand numbers, which would take a thousand passes forward at every level.
#[test]
fn towers_end_at_a_thousand_numbers() {
    let tower = Representation::find("tower");
    for function in FUNCTIONS {
        let gradient = |via| {
            let mut numbers = Vec::new();
            let at = format!("grad({function}, [0.0001 * i + 0.1 | i < 1000])");
            let found = session(via).evaluate(&at, Vec::new()).unwrap_or_else(|_| panic!("{function}"));
            found.value.visit_reals(&mut |x| numbers.push(*x));
            numbers
        };
        let (found, expected) = (gradient(tower), gradient(None));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
        assert!(found.len() == 1000 && found.iter().zip(&expected).all(near), "{function}");
    }
}

/// Derivatives along a line, of every order on both sides of where series take over, alone, inside of derivatives and around
/// them.
#[test]
fn derivatives_along_a_line_are_floors() {
    let tower = Representation::find("tower");
    let g = "\\y -> exp(sin(y)) / (1 + y * y)";
    for order in 0..10 {
        let (k, next) = (order, order + 1);
        for (expression, same) in [
            (format!("taylor({g}, 0.3, 1, {k})[{k}]"), None),
            (
                format!("grad(\\x -> taylor({g}, x, 1, {k})[{k}], 0.3)"),
                Some(format!("taylor({g}, 0.3, 1, {next})[{next}]")),
            ),
            (
                format!("taylor(\\x -> grad({g}, x), 0.3, 1, {k})[{k}]"),
                Some(format!("taylor({g}, 0.3, 1, {next})[{next}]")),
            ),
            (format!("grad(\\x -> taylor(\\y -> sin(x * y), x, x, {k})[{k}], 0.7)"), None),
            (
                format!(
                    "sum(grad(\\v -> sum(taylor(\\w -> w * w * sin(w), v, [x * x | x in v], {k})[{k}]), [0.1, 0.2]))"
                ),
                None,
            ),
        ] {
            let value = |via, expression: &str| session(via).evaluate(expression, Vec::new()).unwrap().value.real();
            let (found, expected) = (value(tower, &expression), value(None, same.as_deref().unwrap_or(&expression)));
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                "{expression}: {found}, not {expected}"
            );
        }
    }
}
