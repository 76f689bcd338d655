//! Linear systems whose matrix is a list of entries: the places of the entries choose the algorithm.
//!
//! ```text
//! a = (rows, columns, numbers), each a list of k numbers, one after the other:   Σ numbers[e] · x[columns[e]] = b[rows[e]]
//! ```
//!
//! Entries at the same place are added. The choice reads only the places, so that it takes as many steps as there are
//! entries, and [`method_of`] tells it without a solution.

use crate::bordered::{self, Border, NEAR};
use crate::elimination::Elimination;
use crate::entries::Entries;
use crate::matrix::{any, is_triangular, solve_unnoted, with_room};
use crate::{Context, Outcome, fault};
use std::cell::RefCell;
use std::fmt;

/// How a system is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each unknown stands alone: a division.
    Diagonal,
    /// Each unknown depends on earlier ones, or each on later ones: substitution.
    Triangular,
    /// The entries are near the diagonal: elimination with the largest pivot, inside of the band.
    Banded {
        /// How many diagonals are below the main one.
        below: usize,
        /// How many are above it.
        above: usize,
    },
    /// The entries are near the diagonal but for those of a few unknowns, which are eliminated last.
    Bordered {
        /// How many diagonals are below the main one.
        below: usize,
        /// How many are above it.
        above: usize,
        /// How many unknowns have entries elsewhere.
        border: usize,
    },
    /// Few entries, anywhere: elimination in the order that fills in least.
    Sparse,
    /// Few unknowns, or an entry nearly everywhere: elimination with the largest pivot.
    Dense,
}

/// How a system was solved, and what it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The number of unknowns.
    pub unknowns: usize,
    /// For how many right sides they were found.
    pub right_sides: usize,
    /// The number of entries of the list.
    pub entries: usize,
    /// The algorithm.
    pub method: Method,
    /// The number of products, each with a difference; those of a dense system are not counted one by one.
    pub products: u64,
    /// The number of divisions.
    pub quotients: u64,
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Solved { unknowns, entries, products, quotients, .. } = self;
        let many = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let unknowns = many(*unknowns as u64, "unknown");
        write!(f, "{unknowns}, ")?;
        if self.right_sides != 1 {
            write!(f, "{} right sides, ", self.right_sides)?;
        }
        write!(f, "{entries} of {} entries: ", self.unknowns.pow(2))?;
        match self.method {
            Method::Diagonal => write!(f, "diagonal")?,
            Method::Triangular => write!(f, "triangular, by substitution")?,
            Method::Banded { below, above } => {
                write!(f, "banded ({below} below and {above} above the diagonal), by elimination")?;
            }
            Method::Bordered { below, above, border } => {
                let border = many(border as u64, "unknown");
                write!(f, "bordered ({below} below and {above} above the diagonal, {border} last), by elimination")?;
            }
            Method::Sparse => write!(f, "sparse, by elimination in the order that fills in least")?,
            Method::Dense => write!(f, "dense, by elimination")?,
        }
        write!(f, "; {} and {}", many(*products, "product"), many(*quotients, "division"))
    }
}

thread_local! {
    /// The systems that have been solved, where someone wants to know.
    static NOTES: RefCell<Option<Vec<Solved>>> = const { RefCell::new(None) };
}

/// Runs a function, and tells which systems this thread has solved in it.
pub fn noting_systems<T>(run: impl FnOnce() -> T) -> (T, Vec<Solved>) {
    let around = NOTES.replace(Some(Vec::new()));
    let result = run();
    (result, NOTES.replace(around).unwrap_or_default())
}

fn note(solved: Solved) {
    NOTES.with_borrow_mut(|notes| notes.iter_mut().for_each(|notes| notes.push(solved)));
}

/// Notes that a system is solved by its matrix, where someone wants to know.
pub(crate) fn note_dense(a: &[f64], n: usize, right_sides: usize) {
    if NOTES.with_borrow(Option::is_none) {
        return;
    }
    let (unknowns, entries) = (n, n * n);
    let each = (n * n) as u64 * right_sides as u64;
    let (method, products) = match is_triangular(a, n as i64) {
        true => (Method::Triangular, each / 2),
        false => (Method::Dense, cubed_third(n) - (n * n) as u64 + each),
    };
    let quotients = (n * right_sides) as u64;
    note(Solved { unknowns, right_sides, entries, method, products, quotients });
}

/// Systems of so few unknowns are dense.
const FEW: usize = 16;
/// A band that is so narrow is worth its zeros.
const NARROW: usize = 8;

impl Entries<'_> {
    fn method(&self) -> (Method, Option<Border>) {
        let (n, k) = (self.n, self.numbers.len());
        let (below, above) = self.band;
        let width = below + above + 1;
        let method = match (below, above) {
            (0, 0) => Method::Diagonal,
            _ if n <= FEW => Method::Dense,
            (0, _) | (_, 0) => Method::Triangular,
            _ if width <= NARROW || (3 * k >= n * width && 2 * width <= n) => Method::Banded { below, above },
            _ if 4 * k >= n * n => Method::Dense,
            _ => match Border::of(self, n) {
                Some(border) => {
                    let Border { below, above, count, .. } = border;
                    return (Method::Bordered { below, above, border: count }, Some(border));
                }
                None => Method::Sparse,
            },
        };
        (method, None)
    }
}

/// How a system is solved whose matrix has entries `a` and `n` rows; none where a place is outside of it.
pub fn method_of(a: &[f64], n: usize) -> Option<Method> {
    Some(Entries::new(a, n, false)?.method().0)
}

/// The solution `x` of `a x = b` for each column of `b`; NaN where `a` is singular.
pub fn sparse_solve(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: i64,
    b: &[f64],
    columns: i64,
) -> Outcome<()> {
    each_column(context, site, to, (n, columns), b, |context, to, b| {
        solve_system(context, site, to, a, b, false).map(|_| ())
    })
}

/// The same, in which a column of zeros has the solution zero.
pub fn exact_sparse_solve(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: i64,
    b: &[f64],
    columns: i64,
) -> Outcome<()> {
    each_column(context, site, to, (n, columns), b, |context, to, b| exact(context, site, to, a, b, false))
}

/// The solution `x` of `aᵀ x = b`, in which a column of zeros has the solution zero; NaN in others where `a` is singular.
pub fn exact_sparse_solve_transposed(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    n: i64,
    b: &[f64],
    columns: i64,
) -> Outcome<()> {
    each_column(context, site, to, (n, columns), b, |context, to, b| exact(context, site, to, a, b, true))
}

fn exact(context: &mut Context, site: u32, to: &mut [f64], a: &[f64], b: &[f64], transposed: bool) -> Outcome<()> {
    if any(b, |x| x != 0.0) {
        solve_system(context, site, to, a, b, transposed)?;
    } else {
        to.fill(0.0);
    }
    Ok(())
}

/// Solves for the columns of an `n × columns` matrix, one after the other.
fn each_column(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    (n, columns): (i64, i64),
    b: &[f64],
    mut solve: impl FnMut(&mut Context, &mut [f64], &[f64]) -> Outcome<()>,
) -> Outcome<()> {
    let (n, columns) = (n.max(0) as usize, columns.max(0) as usize);
    if columns == 1 {
        return solve(context, &mut to[..n], &b[..n]);
    }
    for column in 0..columns {
        with_room(context, 2 * n, site, |context, room| {
            let (x, right) = room.split_at_mut(n);
            (0..n).for_each(|row| right[row] = b[row * columns + column]);
            solve(context, x, right)?;
            (0..n).for_each(|row| to[row * columns + column] = x[row]);
            Outcome::Ok(())
        })??;
    }
    Ok(())
}

/// The solution of a system, and how it was found.
///
/// # Errors
/// Where the run has too little memory or is interrupted.
pub fn solve_system(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    a: &[f64],
    b: &[f64],
    transposed: bool,
) -> Outcome<Solved> {
    let n = b.len();
    let to = &mut to[..n];
    let Some(entries) = Entries::new(a, n, transposed) else {
        to.fill(f64::NAN);
        let (unknowns, entries) = (n, a.len() / 3);
        return Ok(Solved { unknowns, right_sides: 1, entries, method: Method::Dense, products: 0, quotients: 0 });
    };
    let before = context.memory;
    let (method, border) = entries.method();
    let (method, (products, quotients)) = match without_exchanges(context, site, to, &entries, b, (method, border))? {
        Some(work) => (method, work),
        None => {
            context.memory = before;
            with_exchanges(context, site, to, &entries, b, method)?
        }
    };
    context.memory = before;
    // A solution that one pivot spoils is no solution.
    if any(to, f64::is_nan) {
        to.fill(f64::NAN);
    }
    let entries = entries.numbers.len();
    let solved = Solved { unknowns: n, right_sides: 1, entries, method, products, quotients };
    note(solved);
    Ok(solved)
}

/// The products and the quotients.
type Work = (u64, u64);

/// Solves a narrow band, or one with a border, where that needs no exchange of rows; none otherwise.
fn without_exchanges(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    entries: &Entries,
    b: &[f64],
    form: (Method, Option<Border>),
) -> Outcome<Option<Work>> {
    let border = match form {
        (Method::Banded { below, above }, _) if below.max(above) <= NEAR => Border::none(below, above),
        (_, Some(border)) => border,
        _ => return Ok(None),
    };
    charge(context, border.count.min(1) * b.len(), size_of::<u64>(), site)?;
    let work = bordered::solve(context, site, to, entries, b, &border)?;
    Ok(work.filter(|_| !any(to, f64::is_nan)))
}

/// Solves by an algorithm that works for every regular matrix, and tells which that is.
fn with_exchanges(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    entries: &Entries,
    b: &[f64],
    method: Method,
) -> Outcome<(Method, Work)> {
    Ok(match method {
        Method::Diagonal => (method, diagonal(context, site, to, entries, b)?),
        Method::Triangular => (method, triangular(context, site, to, entries, b)?),
        Method::Banded { below, above } => (method, banded(context, site, to, entries, b, (below, above))?),
        Method::Bordered { .. } | Method::Sparse => {
            (Method::Sparse, Elimination::new(context, site, entries, b.len(), b)?.solve(context, site, to)?)
        }
        Method::Dense => {
            dense(context, site, to, entries, b)?;
            (method, (cubed_third(b.len()), b.len() as u64))
        }
    })
}

/// The products of an elimination of `n` unknowns.
pub(crate) fn cubed_third(n: usize) -> u64 {
    let n = n as u64;
    (n * n * n) / 3 + n * n
}

fn dense(context: &mut Context, site: u32, to: &mut [f64], entries: &Entries, b: &[f64]) -> Outcome<()> {
    let n = b.len();
    with_room(context, n * n, site, |context, matrix| {
        matrix.fill(0.0);
        entries.iter().for_each(|(row, column, number)| matrix[row * n + column] += number);
        solve_unnoted(context, site, to, matrix, n as i64, b, 1)
    })?
}

fn diagonal(context: &mut Context, site: u32, to: &mut [f64], entries: &Entries, b: &[f64]) -> Outcome<(u64, u64)> {
    let n = b.len();
    with_room(context, n, site, |_, pivots| {
        pivots.fill(0.0);
        entries.iter().for_each(|(row, _, number)| pivots[row] += number);
        match any(pivots, |pivot| pivot == 0.0) {
            true => to.fill(f64::NAN),
            false => to.iter_mut().zip(b).zip(&*pivots).for_each(|((x, b), pivot)| *x = b / pivot),
        }
        (0, n as u64)
    })
}

/// Substitution in the order of the rows, or in the opposite one.
fn triangular(context: &mut Context, site: u32, to: &mut [f64], entries: &Entries, b: &[f64]) -> Outcome<(u64, u64)> {
    let (n, k) = (b.len(), entries.numbers.len());
    let lower = entries.iter().all(|(row, column, _)| column <= row);
    // Where the entries of each row begin, and the entries row by row.
    let mut starts = context.cleared::<i64>(n as i64 + 1, site)?;
    let mut order = context.buffer::<i64>(k as i64, site)?;
    let mut pivots = context.cleared::<f64>(n as i64, site)?;
    entries.iter().for_each(|(row, ..)| starts[row + 1] += 1);
    for row in 0..n {
        starts[row + 1] += starts[row];
    }
    for (at, (row, ..)) in entries.iter().enumerate().rev() {
        // Filled from the end: the start of the next row counts down to the end of this one.
        starts[row + 1] -= 1;
        order[starts[row + 1] as usize] = at as i64;
    }
    for (row, column, number) in entries.iter() {
        if row == column {
            pivots[row] += number;
        }
    }
    if any(&pivots, |pivot| pivot == 0.0) {
        to.fill(f64::NAN);
        return Ok((0, 0));
    }
    for step in 0..n {
        let row = if lower { step } else { n - 1 - step };
        // Counting down has moved every start to that of its own row.
        let (from, until) = (starts[row + 1] as usize, if row + 2 <= n { starts[row + 2] as usize } else { k });
        let mut rest = b[row];
        for at in &order[from..until] {
            let (column, number) = (entries.columns[*at as usize] as usize, entries.numbers[*at as usize]);
            if column != row {
                rest -= number * to[column];
            }
        }
        to[row] = rest / pivots[row];
    }
    Ok(((k - n.min(k)) as u64, n as u64))
}

/// Elimination inside of a band. The row that is `i` rows below the pivot begins with the pivot's column, as all do that
/// the pivot meets, so that a row moves to the left by one place with each pivot.
fn banded(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    entries: &Entries,
    b: &[f64],
    (below, above): (usize, usize),
) -> Outcome<(u64, u64)> {
    let (n, width) = (b.len(), below + above + 1);
    let mut rows = context.cleared::<f64>((n * width) as i64, site)?;
    for (row, column, number) in entries.iter() {
        rows[row * width + column - row.saturating_sub(below)] += number;
    }
    to.copy_from_slice(b);
    for k in 0..n {
        if k % 1024 == 0 {
            context.step(0, site)?;
        }
        let last = (k + below + 1).min(n);
        let mut pivot = k;
        for row in k + 1..last {
            if rows[row * width].abs() > rows[pivot * width].abs() {
                pivot = row;
            }
        }
        if rows[pivot * width] == 0.0 {
            to.fill(f64::NAN);
            return Ok((0, 0));
        }
        let (top, under) = rows[k * width..last * width].split_at_mut(width);
        if pivot != k {
            top.swap_with_slice(&mut under[(pivot - k - 1) * width..][..width]);
            to.swap(k, pivot);
        }
        for (i, row) in under.chunks_exact_mut(width).enumerate() {
            let factor = row[0] / top[0];
            for j in 1..width {
                row[j - 1] = row[j] - factor * top[j];
            }
            row[width - 1] = 0.0;
            to[k + 1 + i] -= factor * to[k];
        }
    }
    for k in (0..n).rev() {
        let row = &rows[k * width..][..width.min(n - k)];
        let known: f64 = row[1..].iter().zip(&to[k + 1..]).map(|(number, x)| number * x).sum();
        to[k] = (to[k] - known) / row[0];
    }
    Ok(((n * (below + 1) * width) as u64, (n * (below + 1)) as u64))
}

/// Takes memory from a run.
pub(crate) fn charge(context: &mut Context, count: usize, bytes: usize, site: u32) -> Outcome<()> {
    context.memory -= count.saturating_mul(bytes) as i64;
    if context.memory < 0 {
        return Err(fault(site, &[count as i64]));
    }
    context.least = context.least.min(context.memory);
    Ok(())
}
