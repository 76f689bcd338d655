//! Functions of eight numbers at once against those of the standard library.

use riesz_runtime::Lanes;

type Row = (&'static str, fn(Lanes) -> Lanes, fn(f64) -> f64, f64, f64);

/// The functions, each with where to try it.
const TABLE: [Row; 5] = [
    ("exp", Lanes::exp, f64::exp, -750.0, 712.0),
    ("ln", Lanes::ln, f64::ln, 0.0, 1e9),
    ("sin", Lanes::sin, f64::sin, -2e5, 2e5),
    ("cos", Lanes::cos, f64::cos, -2e5, 2e5),
    ("tanh", Lanes::tanh, f64::tanh, -22.0, 22.0),
];

const SPECIAL: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    f64::MAX,
    f64::MIN,
    709.78,
    -745.1,
    1e300,
    std::f64::consts::PI,
    1e-20,
    0.625,
];

/// How many numbers lie between two, of those that there are.
fn apart(a: f64, b: f64) -> u64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0;
    }
    let ordered = |x: f64| if x.is_sign_negative() { -(x.abs().to_bits() as i64) } else { x.to_bits() as i64 };
    ordered(a).abs_diff(ordered(b))
}

#[test]
fn functions_are_accurate() {
    for (name, wide, plain, from, to) in TABLE {
        let mut worst = (0, 0.0);
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        for round in 0..40_000 {
            let lanes = Lanes(std::array::from_fn(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let unit = (seed >> 11) as f64 / (1u64 << 53) as f64;
                // Small numbers as often as large ones.
                let scale = if round % 2 == 0 { 1.0 } else { 10f64.powi(-(round % 17)) };
                (from + (to - from) * unit) * scale
            }));
            let found = wide(lanes);
            for (x, y) in lanes.0.into_iter().zip(found.0) {
                let distance = apart(y, plain(x));
                if distance > worst.0 {
                    worst = (distance, x);
                }
            }
        }
        println!("{name}: {} units at {}", worst.0, worst.1);
        assert!(worst.0 <= 2, "{name} is {} units wrong at {}", worst.0, worst.1);
    }
}

#[test]
fn special_numbers_are_right() {
    for (name, wide, plain, ..) in TABLE {
        for x in SPECIAL {
            let (found, expected) = (wide(Lanes::splat(x)).0[3], plain(x));
            assert!(apart(found, expected) <= 2, "{name}({x:e}) is {found:e}, not {expected:e}");
            assert_eq!(found == 0.0 && found.is_sign_negative(), expected == 0.0 && expected.is_sign_negative());
        }
    }
}
