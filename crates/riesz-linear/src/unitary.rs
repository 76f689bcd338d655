//! Unitary operators: isometries whose inverse is their adjoint.   [003 §3.2]
//!
//! In flat vectors every one of them is a permutation. Those that only group the same numbers in the same order in
//! another way (flattening, reassociating, `[2]V` as `(V, V)`) are one form, `reshape`.

use crate::map::{Form, LinearMap};
use crate::space::{Space, SpaceError};

/// The same numbers in another shape or order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unitary {
    /// The same numbers in the same order.
    Reshape,
    /// `V ⊗ (W ⊗ U) ⊸ W ⊗ (V ⊗ U)`; `_ᵀ` where `U` is `R`
    Transpose {
        /// `V`
        outer: Space,
        /// `W`
        inner: Space,
        /// `U`
        element: Space,
    },
    /// `([n]V, [n]W, …) ⊸ [n](V, W, …)`, and a product of products likewise
    Zip,
    /// The inverse of zip.
    Unzip,
}

impl LinearMap {
    /// The same numbers as a vector of another space.
    ///
    /// # Errors
    /// Where the spaces differ in dimension.
    pub fn reshape(domain: Space, codomain: Space) -> Result<LinearMap, SpaceError> {
        let (from, to) = (domain.dimension(), codomain.dimension());
        if from != to {
            return Err(SpaceError::new(format!(
                "{domain} has dimension {from} and {codomain} has dimension {to}, so neither reshapes to the other"
            )));
        }
        Ok(LinearMap::new(domain, codomain, Form::Unitary(Unitary::Reshape)))
    }

    /// `V ⊗ (W ⊗ U) ⊸ W ⊗ (V ⊗ U)`. With `[m]R`, `[n]R` and `U` it takes `[m][n]U` to `[n][m]U`.
    pub fn transpose(outer: Space, inner: Space, element: Space) -> LinearMap {
        let domain = outer.tensor(&inner).tensor(&element);
        let codomain = inner.tensor(&outer).tensor(&element);
        LinearMap::new(domain, codomain, Form::Unitary(Unitary::Transpose { outer, inner, element }))
    }

    /// `([n]V, [n]W, …) ⊸ [n](V, W, …)`, and for products of `n` parts likewise
    ///
    /// # Errors
    /// Where the spaces are not all arrays of one size, or all products of one length.
    pub fn zip(spaces: &[Space]) -> Result<LinearMap, SpaceError> {
        let zipped = zipped(spaces)?;
        Ok(LinearMap::new(Space::product(spaces.iter().cloned()), zipped, Form::Unitary(Unitary::Zip)))
    }

    /// The inverse of [`LinearMap::zip`] with the same spaces.
    ///
    /// # Errors
    /// Where the spaces are not all arrays of one size, or all products of one length.
    pub fn unzip(spaces: &[Space]) -> Result<LinearMap, SpaceError> {
        let zipped = zipped(spaces)?;
        Ok(LinearMap::new(zipped, Space::product(spaces.iter().cloned()), Form::Unitary(Unitary::Unzip)))
    }
}

fn zipped(spaces: &[Space]) -> Result<Space, SpaceError> {
    let row = |index: usize| Space::product(spaces.iter().filter_map(|space| space.part(index).cloned()));
    let arrays = spaces.iter().map(|space| match space {
        Space::Array(size, element) => Some((*size, element)),
        _ => None,
    });
    if let Some(arrays) = arrays.collect::<Option<Vec<_>>>()
        && let Some(&(size, _)) = arrays.first()
        && arrays.iter().all(|array| array.0 == size)
    {
        let element = Space::product(arrays.iter().map(|(_, element)| Space::clone(element)));
        return Ok(Space::array(size, element));
    }
    match spaces.first() {
        Some(Space::Product(first))
            if spaces.iter().all(|space| matches!(space, Space::Product(parts) if parts.len() == first.len())) =>
        {
            Ok(Space::product((0..first.len()).map(row)))
        }
        _ => Err(SpaceError::new(format!(
            "only arrays of one size or products of one length are zipped, and these are {}",
            Space::product(spaces.iter().cloned())
        ))),
    }
}

/// Where each block of numbers that zipping moves lies unzipped and zipped, and its length.
pub(crate) fn each_block(unzipped: &Space, mut visit: impl FnMut(usize, usize, usize)) {
    let Space::Product(families) = unzipped else { return };
    let mut apart: Vec<usize> = (0..families.len()).map(|index| unzipped.offset(index)).collect();
    let mut together = 0;
    for index in 0..families.first().map_or(0, Space::count) {
        for (family, apart) in families.iter().zip(&mut apart) {
            let length = family.part(index).map_or(0, Space::dimension);
            visit(*apart, together, length);
            (*apart, together) = (*apart + length, together + length);
        }
    }
}
