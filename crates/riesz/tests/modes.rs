//! Every representation of a derivative gives the same, on every example and benchmark program.

use riesz::via::REPRESENTATIONS;
use riesz::{Loaded, Loader, Session};
use std::path::{Path, PathBuf};

/// Files from the root of the project.
struct Root;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Loader for Root {
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        let path = match from {
            Some(from) => Path::new(from).with_file_name(path).display().to_string(),
            None => path.to_string(),
        };
        let text = std::fs::read_to_string(root().join(&path)).map_err(|problem| problem.to_string())?;
        Ok(Loaded::text(&path, &text))
    }
}

/// The functions with a number as their value, and points for them, that the cost of gradients is counted on.
const FUNCTIONS: &str = include_str!("../../riesz-calculus/tests/cost.txt");

/// How many numbers a point may have: some representations take a time for each of them.
const MOST: usize = 24;

#[test]
fn all_representations_agree_on_every_program() {
    let mut file = "";
    let mut programs = 0;
    for line in FUNCTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((function, point)) = line.split_once(" @ ") else {
            file = line;
            continue;
        };
        let mut session = Session::default();
        session.load(file, &Root).unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
        let mut numbers = 0;
        session.evaluate(point, Vec::new()).unwrap().value.visit_reals(&mut |_| numbers += 1);
        if numbers > MOST {
            continue;
        }
        let modes = session
            .modes(function, point, Vec::new(), None)
            .unwrap_or_else(|problems| panic!("{file} {function}\n{}", session.render(&problems, false)));
        assert_eq!(modes.rows.len(), REPRESENTATIONS.len());
        for row in &modes.rows {
            match &row.outcome {
                Ok(measured) => {
                    assert!(measured.agrees, "{file} {function}: {:?} says {}", row.representation, measured.derivative)
                }
                Err(problem) => panic!("{file} {function}: {:?}: {}", row.representation, problem.message),
            }
        }
        programs += 1;
    }
    println!("{programs} functions, {} representations", REPRESENTATIONS.len());
    assert!(programs > 70);
}

#[test]
fn derivatives_of_other_shapes_agree() {
    let text = "
fun shapes(x: {a: R, b: [n]R}, k: Int): ([n]R, {c: R, d: [2][2]R}) =
  let s = loop t = x.b for i < k do sin(t) * x.a
  (s, {c = x.a^2, d = [[x.b[0], 0], [x.b[n - 1] * x.a, 1]]})
";
    for (function, point) in [
        ("\\x -> shapes(x, 3)", "{a = 0.7, b = [0.1, -0.4, 2.0]}"),
        ("shapes", "({a = 0.7, b = [0.1]}, 2)"),
        ("\\x -> cholesky([[2 + x, x], [x, 3]])", "0.5"),
        ("\\(a, b) -> solve(a, b)", "([[2.0, 1.0], [0.5, 3.0]], [1.0, -1.0])"),
        ("\\x -> if x > 0 then sqrt(x) else 0", "0.0"),
        ("\\v -> max(v) * min(v)", "[1.0, 3.0, 3.0, -2.0]"),
    ] {
        let mut session = Session::default();
        session.load_text("shapes.rz", text, &riesz::NoFiles).unwrap();
        let modes = session.modes(function, point, Vec::new(), None);
        let modes = modes.unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
        for row in &modes.rows {
            match &row.outcome {
                Ok(measured) => {
                    assert!(measured.agrees, "{function}: {:?}: {:?}", row.representation, measured.numbers)
                }
                Err(problem) => panic!("{function}: {:?}: {}", row.representation, problem.message),
            }
        }
    }
}
