//! Vectors of any space, for this evaluation.

use riesz_core::evaluate::Value;

/// A vector of any space; a zero need not know of which.
#[derive(Clone, Debug)]
pub(super) enum Vector {
    Zero,
    Number(f64),
    Array(Vec<Vector>),
    Tuple(Vec<Vector>),
}

impl Vector {
    pub fn of(value: &Value<f64>) -> Vector {
        match value {
            Value::Real(x) => Vector::Number(*x),
            Value::Tuple(parts) => Vector::Tuple(parts.iter().map(Vector::of).collect()),
            Value::Reals(_) | Value::Values(_) => Vector::Array(value.elements().map(|x| Vector::of(&x)).collect()),
            _ => Vector::Zero,
        }
    }

    pub fn plus(self, other: Vector) -> Vector {
        match (self, other) {
            (Vector::Zero, x) | (x, Vector::Zero) => x,
            (Vector::Number(a), Vector::Number(b)) => Vector::Number(a + b),
            (Vector::Array(a), Vector::Array(b)) => {
                Vector::Array(a.into_iter().zip(b).map(|(a, b)| a.plus(b)).collect())
            }
            (Vector::Tuple(a), Vector::Tuple(b)) => {
                Vector::Tuple(a.into_iter().zip(b).map(|(a, b)| a.plus(b)).collect())
            }
            (a, b) => panic!("{a:?} and {b:?} cannot be added"),
        }
    }

    pub fn times(&self, k: f64) -> Vector {
        match self {
            Vector::Zero => Vector::Zero,
            Vector::Number(x) => Vector::Number(product(k, *x)),
            Vector::Array(parts) => Vector::Array(parts.iter().map(|part| part.times(k)).collect()),
            Vector::Tuple(parts) => Vector::Tuple(parts.iter().map(|part| part.times(k)).collect()),
        }
    }

    /// The products, number by number.
    pub fn pointwise(&self, other: &Vector) -> Vector {
        match (self, other) {
            (Vector::Zero, _) | (_, Vector::Zero) => Vector::Zero,
            (Vector::Number(a), Vector::Number(b)) => Vector::Number(product(*a, *b)),
            (Vector::Number(a), b) => b.times(*a),
            (Vector::Array(a), Vector::Array(b)) => {
                Vector::Array(a.iter().zip(b).map(|(a, b)| a.pointwise(b)).collect())
            }
            (Vector::Tuple(a), Vector::Tuple(b)) => {
                Vector::Tuple(a.iter().zip(b).map(|(a, b)| a.pointwise(b)).collect())
            }
            (a, b) => panic!("{a:?} and {b:?} have different spaces"),
        }
    }

    pub fn sum(&self) -> f64 {
        match self {
            Vector::Zero => 0.0,
            Vector::Number(x) => *x,
            Vector::Array(parts) | Vector::Tuple(parts) => parts.iter().map(Vector::sum).sum(),
        }
    }

    pub fn inner(&self, other: &Vector) -> f64 {
        self.pointwise(other).sum()
    }

    pub fn part(&self, at: usize) -> Vector {
        match self {
            Vector::Array(parts) | Vector::Tuple(parts) => parts[at].clone(),
            _ => Vector::Zero,
        }
    }

    pub fn numbers(&self) -> f64 {
        match self {
            Vector::Zero => 0.0,
            Vector::Number(x) => x.abs(),
            Vector::Array(parts) | Vector::Tuple(parts) => parts.iter().map(Vector::numbers).sum(),
        }
    }
}

/// Zeros are exact: times anything they are zero.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// The paths to the numbers of a vector.
pub(super) fn units(vector: &Vector, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    match vector {
        Vector::Number(_) => found.push(path.clone()),
        Vector::Array(parts) | Vector::Tuple(parts) => {
            for (at, part) in parts.iter().enumerate() {
                path.push(at);
                units(part, path, found);
                path.pop();
            }
        }
        Vector::Zero => {}
    }
}

/// The number at a path.
pub(super) fn at_path<'v>(vector: &'v mut Vector, path: &[usize]) -> &'v mut f64 {
    match (vector, path) {
        (Vector::Number(x), _) => x,
        (Vector::Array(parts) | Vector::Tuple(parts), [first, rest @ ..]) => at_path(&mut parts[*first], rest),
        (vector, _) => panic!("{vector:?} has no such part"),
    }
}
