//! Association by cost: `(h ∘ g) ∘ f = h ∘ (g ∘ f)`, but their costs differ.   [004 §11]
//!
//! The matrix of a chain `f₁ ∘ … ∘ fₙ` is a product of matrices. Multiplying a `p × q` by a `q × r` matrix takes
//! `p q r` multiplications, but a factor with structure need not become a matrix first: `f` times a matrix of `r`
//! columns takes `r` applications of `f`, and a matrix of `p` rows times `f` takes `p` applications of `fᵀ`. So
//!
//! ```text
//! C(i, i) = matrix(fᵢ)
//! C(i, j) = min over i ≤ k < j of  C(i, k) + C(k+1, j) + p q r
//!                              or  C(i+1, j) + r · apply(fᵢ)      where k = i
//!                              or  C(i, j-1) + p · adjoint(fⱼ)    where k + 1 = j
//! ```
//!
//! Forward mode is the bracketing from the right, reverse mode that from the left. Finding the cheapest takes cubic
//! time, so a chain of more than `LONGEST` factors is bracketed in one of these two ways, or cut once with each part
//! bracketed in one of them.

use std::collections::HashMap;
use std::fmt;

use crate::cost::{Cost, materialise};
use crate::count::{added, multiplied};
use crate::map::{Form, LinearMap};
use crate::matrix::Matrix;
use crate::plan::Plan;

/// The longest chain whose bracketings are all considered.
const LONGEST: usize = 64;

/// How a chain is best multiplied out, and what that costs. It prints as the bracketing: `(m1 ∘ m2) ∘ m3`.
#[derive(Clone, Debug)]
pub struct Association {
    factors: Vec<LinearMap>,
    products: Vec<Product>,
    /// The cost of the chosen bracketing.
    pub cost: Cost,
    /// The cost of bracketing from the right: every unit vector of the domain goes through all factors.
    pub forward: Cost,
    /// The cost of bracketing from the left: every unit vector of the codomain goes through all adjoints.
    pub reverse: Cost,
}

/// `(f_from ∘ … ∘ f_split) ∘ (f_split+1 ∘ … ∘ f_to)`
#[derive(Clone, Copy, Debug)]
struct Product {
    from: usize,
    split: usize,
    to: usize,
    way: Way,
}

/// Which side of a product stays a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Neither,
    Left,
    Right,
}

impl LinearMap {
    /// The cheapest way to multiply out a chain of compositions.
    pub fn associate(&self) -> Association {
        let factors = factors(self);
        let chain = Chain::of(&factors);
        let last = factors.len() - 1;
        let (forward, reverse) = (chain.cost(&chain.forward(0, last)), chain.cost(&chain.reverse(0, last)));
        let products = if factors.len() <= LONGEST { chain.best() } else { chain.best_of_two_parts() };
        let cost = chain.cost(&products);
        Association { factors, products, cost, forward, reverse }
    }
}

impl Association {
    /// The matrix of the chain, multiplied out as chosen.
    pub fn matrix(&self) -> Matrix {
        let mut known: HashMap<(usize, usize), Matrix> = HashMap::new();
        let last = self.factors.len() - 1;
        for &Product { from, split, to, way } in &self.products {
            let mut part = |from: usize, to: usize| match known.remove(&(from, to)) {
                Some(matrix) => matrix,
                None => self.factors[from].matrix(),
            };
            let product = match way {
                Way::Left => apply_to_columns(&self.factors[from], &part(split + 1, to)),
                Way::Right => apply_to_columns(&self.factors[to].adjoint(), &part(from, split).transpose()).transpose(),
                Way::Neither => {
                    let right = part(split + 1, to);
                    let left = LinearMap::left(part(from, split), crate::Space::Real);
                    apply_to_columns(&left, &right)
                }
            };
            known.insert((from, to), product);
        }
        known.remove(&(0, last)).unwrap_or_else(|| self.factors[0].matrix())
    }
}

/// The factors of a chain, nested compositions opened.
pub(crate) fn factors(map: &LinearMap) -> Vec<LinearMap> {
    let mut found = Vec::new();
    let mut tasks = vec![map];
    while let Some(map) = tasks.pop() {
        match map.form() {
            Form::Compose(maps) => tasks.extend(maps.iter().rev()),
            _ => found.push(map.clone()),
        }
    }
    found
}

/// The prices of the factors of a chain.
struct Chain {
    rows: Vec<u64>,
    columns: Vec<u64>,
    apply: Vec<Cost>,
    adjoint: Vec<Cost>,
    matrix: Vec<Cost>,
}

impl Chain {
    fn of(factors: &[LinearMap]) -> Chain {
        let prices = factors.iter().map(|factor| {
            let adjoint = factor.adjoint();
            (factor.cost(), adjoint.cost(), materialise(factor).min(materialise(&adjoint)))
        });
        let (mut apply, mut adjoint, mut matrix) = (Vec::new(), Vec::new(), Vec::new());
        for (forwards, backwards, written) in prices {
            apply.push(forwards);
            adjoint.push(backwards);
            matrix.push(written);
        }
        let rows = factors.iter().map(|factor| factor.rows() as u64).collect();
        let columns = factors.iter().map(|factor| factor.columns() as u64).collect();
        Chain { rows, columns, apply, adjoint, matrix }
    }

    /// The cost of one product, without its factors.
    fn price(&self, Product { from, split, to, way }: Product) -> Cost {
        let (p, q, r) = (self.rows[from], self.columns[split], self.columns[to]);
        let result = p.saturating_mul(r);
        match way {
            Way::Left => self.apply[from].times(r).keeping(result),
            Way::Right => self.adjoint[to].times(p).keeping(result),
            Way::Neither => Cost {
                multiplications: result.saturating_mul(q),
                additions: result.saturating_mul(q.saturating_sub(1)),
                storage: result,
            },
        }
    }

    fn cost(&self, products: &[Product]) -> Cost {
        let mut made: Vec<bool> = vec![true; self.rows.len()];
        let mut total = Cost::default();
        for product in products {
            total = total.plus(self.price(*product));
            match product.way {
                Way::Left => made[product.from] = false,
                Way::Right => made[product.to] = false,
                Way::Neither => {}
            }
        }
        let matrices = self.matrix.iter().zip(made).filter(|(_, made)| *made);
        matrices.fold(total, |total, (matrix, _)| total.plus(*matrix))
    }

    /// `f_from ∘ (… ∘ f_to)`
    fn forward(&self, from: usize, to: usize) -> Vec<Product> {
        (from..to).rev().map(|at| Product { from: at, split: at, to, way: Way::Left }).collect()
    }

    /// `(f_from ∘ …) ∘ f_to`
    fn reverse(&self, from: usize, to: usize) -> Vec<Product> {
        (from..to).map(|at| Product { from, split: at, to: at + 1, way: Way::Right }).collect()
    }

    /// Dynamic programming over all intervals.
    fn best(&self) -> Vec<Product> {
        let n = self.rows.len();
        let mut cost: Vec<Vec<Cost>> = vec![vec![Cost::default(); n]; n];
        let mut choice: Vec<Vec<Option<Product>>> = vec![vec![None; n]; n];
        for (at, matrix) in self.matrix.iter().enumerate() {
            cost[at][at] = *matrix;
        }
        for length in 1..n {
            for from in 0..n - length {
                let to = from + length;
                let mut ways = Vec::new();
                for split in from..to {
                    let product = |way| Product { from, split, to, way };
                    let sides = cost[from][split].plus(cost[split + 1][to]);
                    if split == from {
                        ways.push((cost[split + 1][to], product(Way::Left)));
                    }
                    if split + 1 == to {
                        ways.push((cost[from][split], product(Way::Right)));
                    }
                    ways.push((sides, product(Way::Neither)));
                }
                let priced = ways.into_iter().map(|(sides, product)| (sides.plus(self.price(product)), product));
                if let Some((best, product)) = priced.min_by_key(|(cost, _)| *cost) {
                    cost[from][to] = best;
                    choice[from][to] = Some(product);
                }
            }
        }
        let mut products = Vec::new();
        let mut intervals = vec![(0, n - 1)];
        while let Some((from, to)) = intervals.pop() {
            if let Some(product) = choice[from][to] {
                products.push(product);
                intervals.extend([(from, product.split), (product.split + 1, to)]);
            }
        }
        products.reverse();
        products
    }

    /// All of it forward or reverse, or each of two parts.
    fn best_of_two_parts(&self) -> Vec<Product> {
        let last = self.rows.len() - 1;
        let (applied, pulled) = (running_work(&self.apply), running_work(&self.adjoint));
        let forward = |from: usize, to: usize| {
            u128::from(self.columns[to])
                .saturating_mul(applied[to] - applied[from])
                .saturating_add(self.matrix[to].work().into())
        };
        let reverse = |from: usize, to: usize| {
            u128::from(self.rows[from])
                .saturating_mul(pulled[to + 1] - pulled[from + 1])
                .saturating_add(self.matrix[from].work().into())
        };
        let part = |from: usize, to: usize| forward(from, to).min(reverse(from, to));
        let middle = |split: usize| Product { from: 0, split, to: last, way: Way::Neither };
        let split = (0..last)
            .map(|split| {
                let product = u128::from(self.price(middle(split)).work());
                (part(0, split).saturating_add(part(split + 1, last)).saturating_add(product), split)
            })
            .min()
            .filter(|(work, _)| *work < part(0, last));
        let chosen = |from: usize, to: usize| {
            if forward(from, to) <= reverse(from, to) { self.forward(from, to) } else { self.reverse(from, to) }
        };
        match split {
            None => chosen(0, last),
            Some((_, split)) => {
                let mut products = chosen(0, split);
                products.extend(chosen(split + 1, last));
                products.push(middle(split));
                products
            }
        }
    }
}

/// The sum of the costs of the first factors, for every number of them.
fn running_work(costs: &[Cost]) -> Vec<u128> {
    let mut sums = vec![0];
    sums.extend(costs.iter().scan(0, |sum, cost| {
        *sum += u128::from(cost.work());
        Some(*sum)
    }));
    sums
}

impl Cost {
    fn plus(self, other: Cost) -> Cost {
        Cost {
            multiplications: self.multiplications.saturating_add(other.multiplications),
            additions: self.additions.saturating_add(other.additions),
            storage: self.storage.saturating_add(other.storage),
        }
    }

    fn times(self, count: u64) -> Cost {
        Cost {
            multiplications: self.multiplications.saturating_mul(count),
            additions: self.additions.saturating_mul(count),
            storage: self.storage,
        }
    }

    fn keeping(self, numbers: u64) -> Cost {
        Cost { storage: self.storage.saturating_add(numbers), ..self }
    }
}

/// The map times a matrix, eight columns at a time.
fn apply_to_columns(map: &LinearMap, matrix: &Matrix) -> Matrix {
    const LANES: usize = 8;
    let plan = Plan::new(map);
    let cost = map.cost().times(matrix.columns() as u64);
    multiplied(cost.multiplications);
    added(cost.additions);
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(matrix.columns());
    for start in (0..matrix.columns()).step_by(LANES) {
        let count = LANES.min(matrix.columns() - start);
        let lanes = |row| std::array::from_fn(|at| if at < count { matrix.at(row, start + at) } else { 0.0 });
        let x: Vec<[f64; LANES]> = (0..matrix.rows()).map(lanes).collect();
        let y = plan.run(&x);
        columns.extend((0..count).map(|at| y.iter().map(|lanes| lanes[at]).collect()));
    }
    Matrix::from_rows(map.rows(), columns.into_iter()).transpose()
}

/// The bracketing, with factors numbered from the left.
impl fmt::Display for Association {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.factors.len() - 1;
        let (mut opened, mut closed) = (vec![0; last + 1], vec![0; last + 1]);
        for product in self.products.iter().filter(|product| (product.from, product.to) != (0, last)) {
            opened[product.from] += 1;
            closed[product.to] += 1;
        }
        for at in 0..=last {
            let separator = if at > 0 { " ∘ " } else { "" };
            write!(f, "{separator}{}m{}{}", "(".repeat(opened[at]), at + 1, ")".repeat(closed[at]))?;
        }
        Ok(())
    }
}
