//! Sparse systems: for each way in which entries can lie, the solution is that of the dense matrix, the algorithm is the one
//! for the structure, and the work grows with the number of entries.

use riesz_runtime::{
    Context, Method, Solved, exact_sparse_solve, exact_sparse_solve_transposed, method_of, noting_systems, solve,
    solve_system, sparse_solve,
};

const SITE: u32 = 7;

struct Chance(u64);

impl Chance {
    /// A number between −1/2 and 1/2.
    fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.number() + 0.5) * n as f64) as usize % n.max(1)
    }
}

/// Places of a structure with a name.
type Places = Vec<(usize, usize)>;

fn band(n: usize, below: usize, above: usize) -> Places {
    let row = |i: usize| (i.saturating_sub(below)..(i + above + 1).min(n)).map(move |j| (i, j));
    (0..n).flat_map(row).collect()
}

/// The structures, of about `n` unknowns.
fn structures(n: usize, chance: &mut Chance) -> Vec<(&'static str, usize, Places)> {
    let diagonal = || band(n, 0, 0);
    let side = (n as f64).sqrt().ceil() as usize;
    let grid = {
        let at = |i: usize, j: usize| i * side + j;
        let near = |i: usize, j: usize| {
            let mut places = vec![(at(i, j), at(i, j))];
            if i > 0 {
                places.extend([(at(i, j), at(i - 1, j)), (at(i - 1, j), at(i, j))]);
            }
            if j > 0 {
                places.extend([(at(i, j), at(i, j - 1)), (at(i, j - 1), at(i, j))]);
            }
            places
        };
        (0..side).flat_map(|i| (0..side).flat_map(move |j| near(i, j))).collect::<Places>()
    };
    let arrow = |hubs: usize| {
        let mut places = diagonal();
        for hub in n.saturating_sub(hubs)..n {
            places.extend((0..n).flat_map(|i| [(hub, i), (i, hub)]));
        }
        places
    };
    let blocks = |size: usize| {
        let inside = |i: usize| (i / size * size..(i / size * size + size).min(n)).map(move |j| (i, j));
        (0..n).flat_map(inside).collect::<Places>()
    };
    // Blocks whose unknowns are far from each other.
    let apart = (0..n).flat_map(|i| [(i, i), (i, (i + n / 2) % n), ((i + n / 2) % n, i)]).collect();
    let mut scattered = diagonal();
    scattered.extend((0..2 * n).map(|_| (chance.below(n), chance.below(n))));
    let cycle = (0..n).flat_map(|i| [(i, (i + 1) % n), (i, i)]).collect();
    let permuted = (0..n).map(|i| (i, (i * 7 + 3) % n)).collect::<Places>();
    let full = (0..n * n).map(|at| (at / n, at % n)).collect();
    let twice = [band(n, 1, 1), band(n, 2, 1)].concat();
    let mut lower = diagonal();
    lower.extend((1..n).map(|i| (i, chance.below(i))));
    let upper = lower.iter().map(|(i, j)| (*j, *i)).collect();
    let mut all = vec![
        ("diagonal", n, diagonal()),
        ("lower", n, lower),
        ("upper", n, upper),
        ("tridiagonal", n, band(n, 1, 1)),
        ("bidiagonal", n, band(n, 1, 0)),
        ("wide band", n, band(n, 3, 5)),
        ("twice", n, twice),
        ("blocks", n, blocks(5)),
        ("apart", n, apart),
        ("arrow", n, arrow(1)),
        ("three hubs", n, arrow(3)),
        ("grid", side * side, grid),
        ("scattered", n, scattered),
        ("cycle", n, cycle),
    ];
    if !n.is_multiple_of(7) {
        all.push(("permuted", n, permuted));
    }
    if n <= 200 {
        all.push(("full", n, full));
    }
    all
}

/// Structures of about `n` unknowns in which few unknowns are far from those that they meet.
fn with_border(n: usize) -> Vec<(&'static str, Places)> {
    // Blocks of three that share the first five unknowns, each of them two.
    let block = |i: usize| {
        let of = i / 3;
        let shared = move |at: usize| (of * (at + 1) + at) % 5;
        let inside = (of * 3..(of * 3 + 3).min(n - 5)).map(move |j| (i + 5, j + 5));
        inside.chain((0..2).flat_map(move |at| [(i + 5, shared(at)), (shared(at), i + 5)]))
    };
    let blocks = (0..n - 5).flat_map(block).chain((0..25).map(|at| (at / 5, at % 5))).collect();
    let near = |i: usize| [n - 2, n - 1, 0, 1, 2].map(|by| (i, (i + by) % n));
    let periodic = (0..n).flat_map(near).collect();
    // A sum of every second unknown, which stands in the middle.
    let mut middle = band(n, 1, 1);
    middle.extend((0..n).step_by(2).flat_map(|i| [(i, n / 2), (n / 2, i)]));
    // One that is read everywhere and depends on few.
    let mut read = band(n, 2, 0);
    read.extend((0..n).map(|i| (i, n - 1)));
    let many = (0..n).flat_map(|i| (0..40).map(move |at| (i, (at * 7) % n)).chain([(i, i)])).collect();
    vec![("shared blocks", blocks), ("periodic", periodic), ("middle", middle), ("read", read), ("many", many)]
}

/// The entries at some places, with numbers by chance; `weight` times as large on the diagonal.
fn entries(places: &Places, weight: f64, chance: &mut Chance) -> Vec<f64> {
    let numbers = places.iter().map(|(i, j)| if i == j { weight * (chance.number() + 1.0) } else { chance.number() });
    let numbers: Vec<f64> = numbers.collect();
    let of = |part: fn(&(usize, usize)) -> usize| places.iter().map(move |place| part(place) as f64);
    of(|place| place.0).chain(of(|place| place.1)).chain(numbers).collect()
}

fn dense(a: &[f64], n: usize, transposed: bool) -> Vec<f64> {
    let k = a.len() / 3;
    let mut matrix = vec![0.0; n * n];
    for e in 0..k {
        let (i, j) = (a[e] as usize, a[k + e] as usize);
        matrix[if transposed { j * n + i } else { i * n + j }] += a[2 * k + e];
    }
    matrix
}

fn solved(a: &[f64], b: &[f64], transposed: bool) -> (Vec<f64>, Solved) {
    let mut x = vec![7.0; b.len()];
    let how = solve_system(&mut Context::unlimited(), SITE, &mut x, a, b, transposed).unwrap();
    (x, how)
}

/// The greatest component of `a x − b` in proportion to what it is made of.
fn residual(a: &[f64], x: &[f64], b: &[f64], transposed: bool) -> f64 {
    let k = a.len() / 3;
    let (mut rest, mut sizes) = (b.to_vec(), b.iter().map(|b| b.abs()).collect::<Vec<f64>>());
    for e in 0..k {
        let (i, j) = (a[e] as usize, a[k + e] as usize);
        let (i, j) = if transposed { (j, i) } else { (i, j) };
        rest[i] -= a[2 * k + e] * x[j];
        sizes[i] += (a[2 * k + e] * x[j]).abs();
    }
    rest.iter().zip(sizes).map(|(rest, size)| if *rest == 0.0 { 0.0 } else { rest.abs() / size }).fold(0.0, f64::max)
}

#[test]
fn every_structure_is_solved_as_its_dense_matrix_is() {
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    for n in [1, 2, 3, 5, 8, 15, 16, 17, 18, 25, 40, 64, 100, 130] {
        for round in 0..6 {
            for (name, n, places) in structures(n, &mut chance) {
                let weight = [4.0, 1.0, 0.01][round % 3];
                agrees((name, n, &places), weight, &mut chance);
            }
        }
    }
}

#[test]
fn a_border_is_solved_as_its_dense_matrix_is() {
    let mut chance = Chance(0x2545_F491_4F6C_DD1D);
    for n in [24, 41, 64, 100, 131] {
        // Weights for which the elimination without exchanges goes through, loses digits, and is given up.
        for weight in [8.0, 4.0, 2.0, 1.0, 0.1, 0.01, 1e-6, -4.0] {
            for (name, places) in with_border(n) {
                agrees((name, n, &places), weight, &mut chance);
            }
        }
    }
}

/// Solves a system of a structure, and its transpose.
fn agrees((name, n, places): (&str, usize, &Places), weight: f64, chance: &mut Chance) {
    let a = entries(places, weight, chance);
    let b: Vec<f64> = (0..n).map(|_| chance.number()).collect();
    for transposed in [false, true] {
        let (x, how) = solved(&a, &b, transposed);
        let mut expected = vec![0.0f64; n];
        let matrix = dense(&a, n, transposed);
        solve(&mut Context::unlimited(), SITE, &mut expected, &matrix, n as i64, &b, 1).unwrap();
        // A matrix that is close to singular amplifies the rounding of both.
        let scale = expected.iter().fold(1.0f64, |most, x| most.max(x.abs()));
        let error = x.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) / scale;
        let rest = residual(&a, &x, &b, transposed);
        assert!(
            error < 1e-9 || rest < 1e-11,
            "{name} {n}, weight {weight}, {how:?}, residual {rest}: {x:?} is not {expected:?}"
        );
    }
}

#[test]
fn the_structure_chooses_the_algorithm() {
    let mut chance = Chance(3);
    let n = 120;
    for (name, n, places) in structures(n, &mut chance) {
        let a = entries(&places, 4.0, &mut chance);
        let expected = match name {
            "diagonal" => Method::Diagonal,
            "lower" | "upper" | "bidiagonal" => Method::Triangular,
            "tridiagonal" => Method::Banded { below: 1, above: 1 },
            "wide band" => Method::Banded { below: 3, above: 5 },
            "twice" => Method::Banded { below: 2, above: 1 },
            "blocks" => Method::Banded { below: 4, above: 4 },
            "full" => Method::Dense,
            "arrow" => Method::Bordered { below: 0, above: 0, border: 1 },
            "three hubs" => Method::Bordered { below: 0, above: 0, border: 3 },
            "cycle" => Method::Bordered { below: 0, above: 1, border: 1 },
            _ => Method::Sparse,
        };
        assert_eq!(method_of(&a, n), Some(expected), "{name}");
        assert_eq!(solved(&a, &vec![1.0; n], false).1.method, expected, "{name}");
    }
    for (name, places) in with_border(n) {
        let a = entries(&places, 4.0, &mut chance);
        let expected = match name {
            "shared blocks" => Method::Bordered { below: 2, above: 2, border: 5 },
            "periodic" => Method::Bordered { below: 2, above: 2, border: 2 },
            "middle" => Method::Bordered { below: 1, above: 1, border: 1 },
            "read" => Method::Bordered { below: 2, above: 0, border: 1 },
            _ => Method::Dense,
        };
        assert_eq!(method_of(&a, n), Some(expected), "{name}");
    }
    assert_eq!(method_of(&[0.0, 5.0, 1.0], 3), None);
}

#[test]
fn what_was_solved_is_told() {
    let mut chance = Chance(29);
    let a = entries(&band(100, 1, 1), 4.0, &mut chance);
    let ((_, first), notes) = noting_systems(|| {
        solved(&entries(&band(1, 0, 0), 4.0, &mut chance), &[1.0], false);
        solved(&a, &[1.0; 100], false)
    });
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[1], first);
    assert_eq!(notes[0].to_string(), "1 unknown, 1 of 1 entries: diagonal; 0 products and 1 division");
    let expected = "100 unknowns, 298 of 10000 entries: banded (1 below and 1 above the diagonal), by elimination";
    assert!(notes[1].to_string().starts_with(expected), "{}", notes[1]);
    assert!(noting_systems(|| ()).1.is_empty());
}

#[test]
fn the_work_grows_with_the_entries() {
    for weight in [4.0, 1e-6] {
        let work = |n: usize| {
            let mut chance = Chance(11);
            let places = structures(n, &mut chance);
            let mut work = Vec::new();
            for (name, n, places) in places {
                // Elimination of a grid takes more, whatever the order; so does that of a random graph.
                if ["grid", "scattered", "full"].contains(&name) {
                    continue;
                }
                let a = entries(&places, weight, &mut chance);
                let (x, how) = solved(&a, &vec![1.0; n], false);
                assert!(name == "three hubs" || residual(&a, &x, &vec![1.0; n], false) < 1e-8, "{name} {n}");
                work.push((name, how.products + how.quotients));
            }
            work
        };
        for ((name, less), (_, more)) in work(1000).into_iter().zip(work(10_000)) {
            assert!(more < 13 * less, "{name}, weight {weight}: {less} for 1,000 unknowns, {more} for 10,000");
        }
    }
    // A grid of n numbers: n log n numbers in the factors, n^1.5 products.
    let grid = |n: usize| {
        let mut chance = Chance(5);
        let (_, n, places) = structures(n, &mut chance).into_iter().find(|(name, ..)| *name == "grid").unwrap();
        let a = entries(&places, 8.0, &mut chance);
        solved(&a, &vec![1.0; n], false).1.products as f64
    };
    assert!(grid(6400) / grid(1600) < 4f64.powf(1.8));
}

#[test]
fn what_is_singular_has_no_solution() {
    let mut chance = Chance(17);
    for n in [1, 2, 9, 17, 40, 100] {
        let borders = if n > 20 { with_border(n) } else { Vec::new() };
        let borders = borders.into_iter().map(|(name, places)| (name, n, places));
        for (name, n, places) in structures(n, &mut chance).into_iter().chain(borders) {
            for emptied in [0, n / 2, n - 1] {
                for by_row in [false, true] {
                    let mut a = entries(&places, 4.0, &mut chance);
                    let k = places.len();
                    for (e, (i, j)) in places.iter().enumerate() {
                        if (if by_row { i } else { j }) == &emptied {
                            a[2 * k + e] = 0.0;
                        }
                    }
                    let b = vec![1.0; n];
                    for transposed in [false, true] {
                        let (x, how) = solved(&a, &b, transposed);
                        assert!(x.iter().all(|x| x.is_nan()), "{name} {n} {how:?}: {x:?}");
                    }
                    let (mut x, context) = (vec![7.0; n], &mut Context::unlimited());
                    let zero = vec![0.0; n];
                    sparse_solve(context, SITE, &mut x, &a, n as i64, &zero, 1).unwrap();
                    assert!(x.iter().all(|x| x.is_nan()));
                    for exact in [exact_sparse_solve, exact_sparse_solve_transposed] {
                        exact(context, SITE, &mut x, &a, n as i64, &zero, 1).unwrap();
                        assert!(x.iter().all(|x| *x == 0.0));
                        exact(context, SITE, &mut x, &a, n as i64, &b, 1).unwrap();
                        assert!(x.iter().all(|x| x.is_nan()));
                    }
                }
            }
            let mut a = entries(&places, 4.0, &mut chance);
            *a.last_mut().unwrap() = f64::NAN;
            assert!(solved(&a, &vec![1.0; n], false).0.iter().all(|x| x.is_nan()), "{name}");
        }
    }
}

#[test]
fn a_run_that_lacks_memory_says_so() {
    let mut chance = Chance(23);
    for (name, n, places) in structures(1000, &mut chance) {
        let a = entries(&places, 4.0, &mut chance);
        let (mut x, b) = (vec![0.0; n], vec![1.0; n]);
        let mut context = Context::unlimited();
        let before = context.memory;
        solve_system(&mut context, SITE, &mut x, &a, &b, false).unwrap();
        assert_eq!(context.memory, before, "{name}");
        context.memory = 100;
        let fault = solve_system(&mut context, SITE, &mut x, &a, &b, false).unwrap_err();
        assert_eq!(fault.site, SITE, "{name}");
    }
}
