//! Sparse matrices: the derivatives that `#[differentiable(sparse)]` adds, and their conversions for other crates.

/// The entries of a matrix that are not structurally zero, sorted by row, then by column.
///
/// With the features `faer`, `nalgebra-sparse` and `sprs` the sparse matrices of these crates are made [`From`] it.
///
/// ```
/// use riesz::differentiable;
///
/// #[differentiable(sparse)]
/// fn chain(x: &[f64]) -> f64 {
///     (0..x.len() - 1).map(|i| x[i] * x[i + 1].powi(2)).sum()
/// }
///
/// let hessian = chain::sparse_hessian(&[1.0, 2.0, 3.0]);
/// assert_eq!(hessian.shape(), (3, 3));
/// for (row, column, value) in hessian.iter() {
///     println!("{row} {column} {value}");
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse<T = f64> {
    shape: (usize, usize),
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<T>,
}

impl<T> Sparse<T> {
    /// The result of a generated function, which sorts the entries and finds each position once.
    #[doc(hidden)]
    pub fn new(shape: (usize, usize), rows: Vec<usize>, columns: Vec<usize>, values: Vec<T>) -> Sparse<T> {
        debug_assert!(rows.len() == values.len() && columns.len() == values.len());
        debug_assert!(rows.iter().zip(&columns).is_sorted_by(|a, b| a < b));
        Sparse { shape, rows, columns, values }
    }

    /// The numbers of rows and of columns of the matrix.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// The row of each entry.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The column of each entry.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The value of each entry.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The row, the column and the value of each entry.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, &T)> {
        self.rows.iter().zip(&self.columns).zip(&self.values).map(|((row, column), value)| (*row, *column, value))
    }

    /// The rows, the columns and the values of the entries.
    #[must_use]
    pub fn into_triplets(self) -> (Vec<usize>, Vec<usize>, Vec<T>) {
        (self.rows, self.columns, self.values)
    }

    /// The position of the first entry of each row, and the number of entries.
    #[cfg(any(feature = "faer", feature = "nalgebra-sparse", feature = "sprs"))]
    fn offsets(&self) -> Vec<usize> {
        (0..=self.shape.0).map(|row| self.rows.partition_point(|other| *other < row)).collect()
    }
}

#[cfg(feature = "faer")]
mod faer {
    use super::Sparse;
    use faer::sparse::{SparseColMat, SparseRowMat, SymbolicSparseRowMat};
    use faer::traits::ComplexField;

    impl<T> From<Sparse<T>> for SparseRowMat<usize, T> {
        fn from(matrix: Sparse<T>) -> Self {
            let ((rows, columns), offsets) = (matrix.shape, matrix.offsets());
            let pattern = SymbolicSparseRowMat::new_checked(rows, columns, offsets, None, matrix.columns);
            SparseRowMat::new(pattern, matrix.values)
        }
    }

    impl<T: ComplexField> From<Sparse<T>> for SparseColMat<usize, T> {
        fn from(matrix: Sparse<T>) -> Self {
            let rows = SparseRowMat::from(matrix);
            rows.to_col_major().expect("there is memory for the entries")
        }
    }
}

#[cfg(feature = "nalgebra-sparse")]
mod nalgebra {
    use super::Sparse;
    use nalgebra_sparse::na::Scalar;
    use nalgebra_sparse::{CooMatrix, CscMatrix, CsrMatrix};

    impl<T: Scalar> From<Sparse<T>> for CooMatrix<T> {
        fn from(matrix: Sparse<T>) -> Self {
            let ((rows, columns), entries) = (matrix.shape, matrix.into_triplets());
            let made = CooMatrix::try_from_triplets(rows, columns, entries.0, entries.1, entries.2);
            made.expect("the entries are inside the matrix")
        }
    }

    impl<T: Scalar> From<Sparse<T>> for CsrMatrix<T> {
        fn from(matrix: Sparse<T>) -> Self {
            let ((rows, columns), offsets) = (matrix.shape, matrix.offsets());
            let made = CsrMatrix::try_from_csr_data(rows, columns, offsets, matrix.columns, matrix.values);
            made.expect("the entries are sorted")
        }
    }

    impl<T: Scalar> From<Sparse<T>> for CscMatrix<T> {
        fn from(matrix: Sparse<T>) -> Self {
            CscMatrix::from(&CsrMatrix::from(matrix))
        }
    }
}

#[cfg(feature = "sprs")]
mod sprs {
    use super::Sparse;
    use sprs::{CsMat, TriMat};

    impl<T> From<Sparse<T>> for CsMat<T> {
        fn from(matrix: Sparse<T>) -> Self {
            let offsets = matrix.offsets();
            CsMat::new(matrix.shape, offsets, matrix.columns, matrix.values)
        }
    }

    impl<T> From<Sparse<T>> for TriMat<T> {
        fn from(matrix: Sparse<T>) -> Self {
            let (shape, (rows, columns, values)) = (matrix.shape, matrix.into_triplets());
            TriMat::from_triplets(shape, rows, columns, values)
        }
    }
}
