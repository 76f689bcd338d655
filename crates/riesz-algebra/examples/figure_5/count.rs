//! Figure 5 of paper 000, counted: numbers and variables that count their operations, and the counts for each
//! representation of gradients.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hint::black_box;

use riesz_algebra::expression::derive;
use riesz_algebra::tangent::{Dense, ReverseArray, ReverseCayley, ReverseSparse};
use riesz_algebra::{Expr, Kronecker, Module, Monoid, Nagata, Semiring, Sparse, abstract_derivative};

/// One line of the figure.
pub struct Row {
    pub mode: &'static str,
    pub gradient: &'static str,
    /// What the paper says.
    pub complexity: &'static str,
    /// The operations that the gradient of [`expression`] takes.
    pub count: fn(nodes: usize, variables: usize) -> u64,
    /// The gradient itself, over plain numbers.
    pub gradient_of: fn(&Expr<usize>, variables: usize) -> Vec<f64>,
    /// How many nodes it is timed with.
    pub nodes: usize,
    /// The numbers of variables it is counted with.
    pub variables: &'static [usize],
}

/// What costs little with many variables is counted with more.
const FEW: &[usize] = &[1, 3, 21, 201, 2_001];
const MANY: &[usize] = &[1, 11, 101, 1_001, 10_001];
const VERY_MANY: &[usize] = &[1, 11, 101, 1_001, 10_001, 100_001, 1_000_001, 10_000_001];

pub const FIGURE_5: [Row; 6] = [
    Row {
        mode: "symbolic",
        gradient: "Expr",
        complexity: "O(N²)",
        count: |nodes, variables| derive(&0, &expression(nodes, variables)).size(),
        gradient_of: |e, variables| {
            (0..variables).map(|v| riesz_algebra::evaluate(|v| at(*v), &derive(&v, e))).collect()
        },
        nodes: 100_000,
        variables: &[],
    },
    Row {
        mode: "forward",
        gradient: "Dense",
        complexity: "O(N · V)",
        count: |nodes, variables| {
            counted::<Dense<_, _>, _>(nodes, variables, |gradient| {
                (0..variables).map(|v| gradient.at(&Name(v))).collect::<Vec<_>>()
            })
        },
        gradient_of: |e, variables| {
            let gradient = plain::<Dense<_, _>>(e);
            (0..variables).map(|v| gradient.at(&v)).collect()
        },
        nodes: 100_000,
        variables: FEW,
    },
    Row {
        mode: "forward",
        gradient: "Sparse",
        complexity: "O(N · V)",
        count: |nodes, variables| counted::<Sparse<_, _>, _>(nodes, variables, |_| ()),
        gradient_of: |e, variables| {
            let gradient = plain::<Sparse<_, _>>(e);
            (0..variables).map(|v| gradient.get(&v)).collect()
        },
        nodes: 100_000,
        variables: FEW,
    },
    Row {
        mode: "reverse",
        gradient: "D ⊸ Sparse",
        complexity: "O(N · V)",
        count: |nodes, variables| counted::<ReverseSparse<_, _>, _>(nodes, variables, |f| f.gradient()),
        gradient_of: |e, variables| {
            let gradient = plain::<ReverseSparse<_, _>>(e).gradient();
            (0..variables).map(|v| gradient.get(&v)).collect()
        },
        nodes: 1_000_000,
        variables: FEW,
    },
    Row {
        mode: "reverse",
        gradient: "D ⊸ Cayley Sparse",
        complexity: "O(N · log V)",
        count: |nodes, variables| counted::<ReverseCayley<_, _>, _>(nodes, variables, |f| f.gradient().gradient()),
        gradient_of: |e, variables| {
            let gradient = plain::<ReverseCayley<_, _>>(e).gradient().gradient();
            (0..variables).map(|v| gradient.get(&v)).collect()
        },
        nodes: 1_000_000,
        variables: MANY,
    },
    Row {
        mode: "reverse",
        gradient: "D ⊸ Writes",
        complexity: "O(N + V)",
        count: |nodes, variables| {
            counted::<ReverseArray<_, _>, _>(nodes, variables, |f| f.gradient().run(variables, |name| name.0))
        },
        gradient_of: |e, variables| {
            plain::<ReverseArray<_, _>>(e).gradient().run(variables, |v| *v).unwrap_or_default()
        },
        nodes: 10_000_000,
        variables: VERY_MANY,
    },
];

/// An expression of about so many nodes, as deep as it is long, in which all variables occur: `((x · x₁) + x₃) · x₂ + …`
pub fn expression(nodes: usize, variables: usize) -> Expr<usize> {
    (0..nodes / 4)
        .fold(Expr::variable(0), |e, i| e * Expr::variable(i % variables) + Expr::variable((7 * i + 3) % variables))
}

/// Where the gradient is taken: near 1, so that products neither grow nor vanish much.
pub fn at(v: usize) -> f64 {
    1.0 - 1e-7 * (v % 10) as f64
}

fn plain<E: Kronecker<usize, f64>>(e: &Expr<usize>) -> E {
    abstract_derivative::<_, _, _, E>(|v| at(*v), e).tangent
}

fn counted<E: Kronecker<Name, Counted>, T>(nodes: usize, variables: usize, run: impl Fn(&E) -> T) -> u64 {
    let named = riesz_algebra::evaluate(|v| Expr::variable(Name(*v)), &expression(nodes, variables));
    COUNT.set(0);
    let derivative: Nagata<Counted, E> = abstract_derivative(|_| Counted, &named);
    black_box(run(&derivative.tangent));
    COUNT.get()
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    COUNT.set(COUNT.get() + 1);
}

/// A number that counts when it is made, copied, added, multiplied. Which number it is does not matter.
#[derive(Debug)]
pub struct Counted;

impl Clone for Counted {
    fn clone(&self) -> Counted {
        count();
        Counted
    }
}

impl Monoid for Counted {
    fn zero() -> Counted {
        count();
        Counted
    }
    fn add(&self, _: &Counted) -> Counted {
        count();
        Counted
    }
}

impl Semiring for Counted {
    fn one() -> Counted {
        count();
        Counted
    }
    fn mul(&self, _: &Counted) -> Counted {
        count();
        Counted
    }
}

impl Module<Counted> for Counted {
    fn scale(&self, _: &Counted) -> Counted {
        count();
        Counted
    }
}

/// A variable that counts how often it is compared.
#[derive(Clone, Debug)]
pub struct Name(pub usize);

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        count();
        self.0.cmp(&other.0)
    }
}
