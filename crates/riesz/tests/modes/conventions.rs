//! Derivatives at kinks, edges and extremes are those of the table of conventions, first and second.

use super::ONCE;
use riesz::{NoFiles, Session};

/// What the table of conventions says of derivatives at kinks, edges and extremes, first and second.
const CONVENTIONS: &str = include_str!("../../../riesz-calculus/tests/conventions.txt");

/// Every representation says what the table of conventions does.
#[test]
fn conventions_hold_in_every_representation() {
    let text = "fun logs(x: R, n: Int): R = if n == 0 then x else logs(if x > 0 then log(x) else x, n - 1)\n";
    let (mut count, mut wrong) = (0, Vec::new());
    for line in CONVENTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (function, rest) = line.split_once(" @ ").unwrap();
        let (point, expected) = rest.split_once(" ==> ").unwrap();
        let (first, second) = expected.split_once("; then ").map_or((expected, None), |(a, b)| (a, Some(b)));
        let gradient = second.map(|second| (format!("\\the_x -> jacobian({function}, the_x)"), second));
        for (function, expected) in [(function.to_string(), first)].into_iter().chain(gradient) {
            let mut session = Session::default();
            session.load_text("conventions.rz", text, &NoFiles).unwrap();
            let mut numbers = Vec::new();
            session
                .evaluate(&format!("[{expected}]"), Vec::new())
                .unwrap()
                .value
                .visit_reals(&mut |x| numbers.push(*x));
            let point = format!("{{ let x = {point} in 1.0 * x }}");
            let modes = session.modes(&function, &point, Vec::new(), ONCE);
            let modes = modes.unwrap_or_else(|problems| panic!("{line}\n{}", session.render(&problems, false)));
            for row in &modes.rows {
                count += 1;
                match &row.outcome {
                    Ok(measured) if same(&measured.numbers, &numbers) => {}
                    Ok(measured) => wrong
                        .push(format!("{function} @ {point}: {:?} says {}", row.representation, measured.derivative)),
                    Err(problem) => {
                        wrong.push(format!("{function}: {:?} stops: {}", row.representation, problem.message))
                    }
                }
            }
        }
    }
    println!("{count} derivatives");
    assert!(count > 5000 && wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn same(found: &[f64], expected: &[f64]) -> bool {
    let near = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    found.len() == expected.len() && found.iter().zip(expected).all(near)
}
