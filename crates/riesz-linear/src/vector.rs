//! Vectors with their space: the coefficients of linear maps.

use std::fmt;
use std::sync::Arc;

use crate::space::{Space, SpaceError, inner, times};

/// A vector of a space. Its numbers are shared, so it is cheap to clone.
#[derive(Clone)]
pub struct Vector {
    space: Space,
    values: Arc<[f64]>,
}

impl Vector {
    /// A vector from the flat numbers.
    ///
    /// # Errors
    /// Where there are more or fewer numbers than the space has dimensions.
    pub fn new(space: Space, values: impl Into<Arc<[f64]>>) -> Result<Vector, SpaceError> {
        let values = values.into();
        let dimension = space.dimension();
        if values.len() != dimension {
            let given = values.len();
            return Err(SpaceError::new(format!("a vector of {space} has {dimension} numbers, and {given} are given")));
        }
        Ok(Vector { space, values })
    }

    /// The vector of `[n]R` with these numbers.
    pub fn of_reals(values: impl Into<Arc<[f64]>>) -> Vector {
        let values = values.into();
        Vector { space: Space::reals(values.len()), values }
    }

    /// A number, as a vector of `R`.
    pub fn number(value: f64) -> Vector {
        Vector { space: Space::Real, values: Arc::new([value]) }
    }

    /// Its space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The flat numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// `⟨u, v⟩`
    pub fn inner(&self, other: &Vector) -> f64 {
        inner(&self.values, &other.values)
    }

    /// `k · v`
    pub fn scale(&self, k: f64) -> Vector {
        self.map(|x| times(k, x))
    }

    /// `u ⊗ v`, as a vector of the tensor product.
    pub fn tensor(&self, other: &Vector) -> Vector {
        let products = self.values.iter().flat_map(|u| other.values.iter().map(|v| times(*u, *v)));
        Vector { space: self.space.tensor(&other.space), values: products.collect() }
    }

    pub(crate) fn map(&self, change: impl Fn(f64) -> f64) -> Vector {
        Vector { space: self.space.clone(), values: self.values.iter().map(|&x| change(x)).collect() }
    }

    /// Number by number; the spaces are equal.
    pub(crate) fn zip(&self, other: &Vector, join: impl Fn(f64, f64) -> f64) -> Vector {
        debug_assert_eq!(self.space, other.space);
        let values = self.values.iter().zip(&*other.values).map(|(&u, &v)| join(u, v)).collect();
        Vector { space: self.space.clone(), values }
    }

    /// Where the numbers lie, to know shared vectors.
    pub(crate) fn address(&self) -> usize {
        self.values.as_ptr() as usize
    }
}

/// Equal as data: the same space, and the same numbers bit by bit, so that NaN equals itself and 0 is not −0.
impl PartialEq for Vector {
    fn eq(&self, other: &Vector) -> bool {
        self.space == other.space && (Arc::ptr_eq(&self.values, &other.values) || same(&self.values, &other.values))
    }
}

impl Eq for Vector {}

pub(crate) fn same(u: &[f64], v: &[f64]) -> bool {
    u.len() == v.len() && u.iter().zip(v).all(|(u, v)| u.to_bits() == v.to_bits())
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
