//! Several results of one body: the iterations of a loop, their residuals, arrays.
//!
//! ```text
//!   keep f : X → (X, kept)          f′ stands in it once, however much is kept
//!   keep (g; f) = (X, L) → ((X, R), L) → (X, (L, R))
//! ```

use crate::category::{Linear, part};
use riesz_linear::Space;

/// The residuals of every iteration.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Collected {
    Nothing,
    /// The next state.
    State,
    /// The parts of what the body gives, but the first.
    Parts,
}

/// The derivative of an iteration from that of its body, `X → X` or, with residuals, `X → (X, kept)`; and the space `X`
/// after it. `X` is the state and what is around it. The body's stands in it once, or loops in loops would have it many
/// times.
pub(super) fn iteration<K: Linear<Morphism: 'static>>(
    around: Space,
    parts: usize,
    body: K::Morphism,
    kept: Collected,
    arrays: usize,
) -> (K::Morphism, Space) {
    if kept == Collected::Nothing {
        let carried = (1..parts).map(|at| K::project(at, &around));
        let iteration = K::fork(&around, [body].into_iter().chain(carried).collect());
        let after = K::codomain(&iteration);
        return (iteration, after);
    }
    let both = K::fork(&around, vec![K::identity(&around), body]);
    let whole = K::codomain(&both);
    let given = part(1, &whole);
    let of_given = |at: usize| match kept {
        Collected::Parts => K::after(K::project(at, &given), K::project(1, &whole)),
        Collected::Nothing | Collected::State => K::project(1, &whole),
    };
    let carried = (1..parts).map(|at| K::after(K::project(at, &around), K::project(0, &whole)));
    let carry = K::fork(&whole, [of_given(0)].into_iter().chain(carried).collect());
    let keeps = K::fork(&whole, (1..=arrays).map(of_given).collect());
    let after = K::codomain(&carry);
    (K::compose(&around, vec![both, K::fork(&whole, vec![carry, keeps])]), after)
}

/// The derivative of all iterations, `X → (X, kept)`, and those of the arrays of their residuals.
///
/// The residuals of an iteration depend on the state after all iterations before it. So that these are not composed once
/// for each iteration, the iterations are halved recursively, and each half gives its state and its residuals.
pub(super) fn collect<K: Linear<Morphism: 'static>>(
    from: &Space,
    iterations: Vec<K::Morphism>,
    arrays: usize,
) -> (K::Morphism, Vec<K::Morphism>) {
    let count = iterations.len();
    if count == 0 {
        let nothing = Space::product([]);
        let tree = K::fork(from, vec![K::identity(from), K::zero(from, &nothing)]);
        let empty = K::zero(&K::codomain(&tree), &K::power(0, &nothing));
        return (tree, vec![empty; arrays]);
    }
    let tree = halves::<K>(iterations);
    let whole = K::codomain(&tree);
    let array = |array: usize| {
        let element = |at: usize| {
            let mut path = vec![1];
            let (mut low, mut high) = (0, count);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                path.push(usize::from(at >= middle));
                if at < middle { high = middle } else { low = middle }
            }
            path.push(array);
            let mut space = whole.clone();
            let steps = path.into_iter().map(|index| {
                let step = K::project(index, &space);
                space = part(index, &space);
                step
            });
            let steps: Vec<K::Morphism> = steps.collect();
            K::compose(&whole, steps)
        };
        fork_to_array::<K>(&whole, (0..count).map(element).collect())
    };
    let arrays = (0..arrays).map(array).collect();
    (tree, arrays)
}

/// `f₀ △ … △ fₙ` to an array, or to a product where its elements have different spaces, as those of values have.
pub(super) fn fork_to_array<K: Linear>(from: &Space, maps: Vec<K::Morphism>) -> K::Morphism {
    match alike(&maps.iter().map(K::codomain).collect::<Vec<_>>()) {
        true => K::fork_each(from, maps),
        false => K::fork(from, maps),
    }
}

/// `exᵢ` of every row, for rows with these spaces: to an array, or to a product where the parts have different spaces.
pub(super) fn each_part<K: Linear>(rows: &[Space], index: usize) -> K::Morphism {
    let parts = rows.iter().map(|row| K::project(index, row)).collect();
    match alike(rows) {
        true => K::each(parts),
        false => {
            let whole = K::product(rows.to_vec());
            let row = |(at, part): (usize, K::Morphism)| K::after(part, K::project(at, &whole));
            fork_to_array::<K>(&whole, Vec::into_iter(parts).enumerate().map(row).collect())
        }
    }
}

/// `X → (X, kept)`, with the residuals as a balanced tree.
fn halves<K: Linear<Morphism: 'static>>(mut iterations: Vec<K::Morphism>) -> K::Morphism {
    if let [iteration] = &iterations[..] {
        return iteration.clone();
    }
    let second = iterations.split_off(iterations.len() / 2);
    let (first, second) = (halves::<K>(iterations), halves::<K>(second));
    let from = K::domain(&first);
    // (X, L) → ((X, R), L) → (X, (L, R))
    let middle = K::codomain(&first);
    let apart = K::cross(vec![second, K::identity(&part(1, &middle))]);
    let whole = K::codomain(&apart);
    let pair = part(0, &whole);
    let of_pair = |at: usize| K::after(K::project(at, &pair), K::project(0, &whole));
    let kept = K::fork(&whole, vec![K::project(1, &whole), of_pair(1)]);
    K::compose(&from, vec![first, apart, K::fork(&whole, vec![of_pair(0), kept])])
}

fn alike(spaces: &[Space]) -> bool {
    spaces.windows(2).all(|pair| pair[0] == pair[1])
}
