//! `f(2ᵉ v) = 2ᵉᵈ f(v)` gives `Dᵏ f(2ᵉ v) = 2ᵉ⁽ᵈ⁻ᵏ⁾ Dᵏ f(v)`: the value, the gradient and the Hessian of every homogeneous
//! function hold wherever they are numbers that a float can have, however large or small the argument is.

use crate::random::Random;
use riesz::{NoFiles, Session};

/// Functions of `v: [3]R`, and their degrees.
const HOMOGENEOUS: &[(&str, f64)] = &[
    ("norm(v)", 1.0),
    ("norm((v, v[0]))", 1.0),
    ("norm([v, 2 * v])", 1.0),
    ("norm(v / norm(v) + v[0] / v[1])", 0.0),
    ("(v / norm(v))[0]", 0.0),
    ("hypot(v[0], v[1])", 1.0),
    ("hypot(hypot(v[0], v[1]), v[2])", 1.0),
    ("atan2(v[0], v[1])", 0.0),
    ("max(v) + min(v) + sum(abs(v))", 1.0),
    ("cbrt(v[0])", 1.0 / 3.0),
    ("sqrt(abs(v[0]))", 0.5),
    ("pow(abs(v[0]), 1.5)", 1.5),
    ("v[0] / v[1]", 0.0),
    ("inner(v, v)", 2.0),
    ("prod(v)", 3.0),
    ("det([[v[0], v[1]], [v[1], 3 * v[2]]])", 2.0),
    ("det([[v[0], v[1], 0], [v[1], v[2], v[0]], [0, v[1], 3 * v[2]]])", 3.0),
    ("det([[v[0], v[1]], [2 * v[0], 2 * v[1]]]) + v[0] * v[2]", 2.0),
    ("logdet([[v[0], v[1]], [v[1], 3 * v[2]]]) - 2 * log(abs(v[0]))", 0.0),
    ("inv([[v[0], v[1]], [v[1], 3 * v[2]]])[0][1]", -1.0),
    ("solve([[v[0], v[1]], [v[1], 3 * v[2]]], [v[2], v[0]])[0]", 0.0),
    ("(let s = sum(abs(v)) in cholesky([[9 * s, v[1]], [v[1], 9 * s]])[1][1])", 0.5),
];

/// Powers of two by which the arguments are multiplied: multiples of six, so that roots of them are powers of two as well.
const EXPONENTS: [i32; 10] = [6, 30, 102, 162, 204, 330, 402, 504, 666, 996];

#[test]
fn derivatives_of_homogeneous_functions_scale() {
    let mut random = Random::new(7);
    let mut wrong = Vec::new();
    let mut count = 0;
    for (function, degree) in HOMOGENEOUS {
        let mut session = Session::default();
        let text = format!(
            "fun f(v: [3]R): R = {function}\nfun all(v: [3]R): (R, [3]R, [3][3]R) = (f(v), grad(f, v), hessian(f, v))\n"
        );
        session.load_text("scale.rz", &text, &NoFiles).unwrap();
        for _ in 0..3 {
            let point: Vec<f64> =
                (0..3).map(|_| random.between(0.3, 2.0) * if random.percent(50) { 1.0 } else { -1.0 }).collect();
            let mut derivatives = |exponent: i32| {
                let scaled: Vec<f64> = point.iter().map(|x| x * 2f64.powi(exponent)).collect();
                let mut numbers = Vec::new();
                let evaluation = session.evaluate(&format!("all({scaled:?})"), Vec::new()).unwrap();
                evaluation.value.visit_reals(&mut |x| numbers.push(*x));
                [numbers[..1].to_vec(), numbers[1..4].to_vec(), numbers[4..].to_vec()]
            };
            let base = derivatives(0);
            for exponent in EXPONENTS.iter().flat_map(|e| [*e, -e]) {
                let found = derivatives(exponent);
                for (order, (found, base)) in found.iter().zip(&base).enumerate() {
                    let shift = f64::from(exponent) * (degree - order as f64);
                    let largest = base.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                    // Only where the result is far from the largest and the smallest numbers.
                    if largest == 0.0 || (largest.log2() + shift).abs() > 960.0 {
                        continue;
                    }
                    count += 1;
                    let power = 2f64.powi(shift.round() as i32);
                    let near = |(found, base): (&f64, &f64)| (found - base * power).abs() <= 1e-9 * largest * power;
                    if !found.iter().zip(base).all(near) {
                        wrong.push(format!("derivative {order} of {function} at 2^{exponent} · {point:?}: {found:?}"));
                    }
                }
            }
        }
    }
    println!("{count} derivatives");
    assert!(count > 2000 && wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
