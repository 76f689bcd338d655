//! Every example and benchmark program.

use super::{ONCE, all_agree, loaded, root};
use riesz::Options;
use riesz::via::REPRESENTATIONS;

/// The functions with a number as their value, and points for them, that the cost of gradients is counted on.
const FUNCTIONS: &str = include_str!("../../../riesz-calculus/tests/cost.txt");

/// How many numbers a point may have: some representations take a time for each of them.
const MOST: usize = 24;

/// GradBench programs whose points there are larger, at points of few numbers.
const SMALL: [(&str, &str, &str); 5] = [
    (
        "gradbench/gmm.rz",
        r"\m -> log_posterior(m, [[0.1 * i, 0.2 * i + 1] | i < 3], {m = 4, gamma = 0.5})",
        "{alpha = [0.1, 0.2], mu = [[0.1, 0.2], [0.3, -0.4]], q = [[0.1, 0.2], [0.0, 0.3]], l = [[0.3], [-0.1]]}",
    ),
    (
        "gradbench/kmeans.rz",
        r"\(p, c) -> total(p, c)",
        "([[0.1, 0.2], [1.5, -0.3], [2.0, 1.0]], [[1.0, 2.0], [0.0, 0.5]])",
    ),
    (
        "gradbench/lstm.rz",
        r"\(m, e) -> objective({main_params = m, extra_params = e, state = replicate(4, [0.1]), sequence = [[0.2], [0.3], [-0.1]]})",
        "([[0.01 * i + 0.2 * j - 0.3 | j < 4] | i < 4], [[0.5], [0.4], [-0.7]])",
    ),
    (
        "gradbench/ba.rz",
        r"\(cs, xs, ws) -> sum([sum(e) | e in errors(cs, xs, ws, [{camera = 0, point = mod(i, 2), feature = [250.0, 350.0]} | i < 3]).reproj_error])",
        "([[0.1, -0.2, 0.05, 0.5, 0.1, -1.0, 500.0, 320.0, 240.0, -0.1, 0.02]], [[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]], [0.8, 0.9, 1.1])",
    ),
    (
        "gradbench/ht.rz",
        r"\t -> norm(surface(t, {bone_count = 22, parents = [i - 1 | i < 22], base_relatives = replicate(22, identity(4)), inverse_base_absolutes = replicate(22, identity(4)), base_positions = replicate(2, [1.0, 2.0, 3.0, 1.0]), weights = replicate(2, replicate(22, 1 / 22)), triangles = [[0, 1, 1]], is_mirrored = false}))",
        "[0.1 * i | i < 26]",
    ),
];

/// The functions of the list with points of at most so many numbers: file, function, point.
pub fn functions(most: usize) -> Vec<(&'static str, &'static str, &'static str)> {
    let mut file = "";
    let mut found = Vec::new();
    for line in FUNCTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((function, point)) = line.split_once(" @ ") else {
            file = line;
            continue;
        };
        let mut numbers = 0;
        let value = loaded(file, Options::default()).evaluate(point, Vec::new()).unwrap().value;
        value.visit_reals(&mut |_| numbers += 1);
        if numbers <= most {
            found.push((file, function, point));
        }
    }
    found
}

#[test]
fn all_representations_agree_on_every_program() {
    let programs: Vec<_> = functions(MOST).into_iter().chain(SMALL).collect();
    for (file, function, point) in &programs {
        let mut session = loaded(file, Options::default());
        let modes = session
            .modes(function, point, Vec::new(), ONCE)
            .unwrap_or_else(|problems| panic!("{file} {function}\n{}", session.render(&problems, false)));
        all_agree(file, function, &modes);
    }
    for folder in ["examples", "gradbench"] {
        for file in std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name()) {
            let name = format!("{folder}/{}", file.to_string_lossy());
            assert!(!name.ends_with(".rz") || programs.iter().any(|(file, ..)| *file == name), "{name} is not there");
        }
    }
    println!("{} functions, {} representations", programs.len(), REPRESENTATIONS.len());
    assert!(programs.len() > 75);
}
