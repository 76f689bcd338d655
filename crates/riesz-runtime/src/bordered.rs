//! Elimination in a band with a border: the few unknowns that have entries far from the diagonal stand last.
//!
//! ```text
//! (b u; v c) (x, t) = (f, g):   b = l r,   (c − v b⁻¹ u) t = g − v b⁻¹ f,   b x = f − u t
//! ```
//!
//! Such are a diagonal or a band beside which a few sums are read everywhere (Sherman, Morrison and Woodbury), a periodic
//! band, and blocks that share some unknowns (the Schur complement). Rows are not exchanged, so that each is in registers
//! while it is eliminated. Where a multiple of a row would be large beside the row that it is subtracted from, the
//! elimination is given up, and the caller takes one that exchanges rows.

use crate::entries::Entries;
use crate::matrix::{solve_unnoted, with_room};
use crate::{Context, Outcome};

/// The most diagonals on each side of the main one.
pub(crate) const NEAR: usize = 4;
/// The most unknowns in the border.
const MOST: usize = 32;
/// So many times the largest entry of a row may be subtracted from it.
const GROWTH: f64 = 64.0;

/// Which unknowns are in the border, and how wide the band of the others is.
pub(crate) struct Border {
    /// The place of each unknown: those of the border stand last. None where no unknown moves.
    places: Option<Vec<u32>>,
    /// The number of unknowns in the border.
    pub count: usize,
    pub below: usize,
    pub above: usize,
}

impl Border {
    /// A band without a border.
    pub fn none(below: usize, above: usize) -> Border {
        Border { places: None, count: 0, below, above }
    }

    /// The border of a system with few unknowns in it: of each entry far from the diagonal, the unknown that has more of
    /// them.
    pub fn of(entries: &Entries, n: usize) -> Option<Border> {
        if u32::try_from(n).is_err() {
            return None;
        }
        let mut far = vec![0u32; n];
        let is_far = |(row, column, _): &(usize, usize, f64)| row.abs_diff(*column) > NEAR;
        for (row, column, _) in entries.iter().filter(is_far) {
            far[row] = far[row].saturating_add(1);
            far[column] = far[column].saturating_add(1);
        }
        let mut places = vec![0u32; n];
        let mut count = 0;
        for (row, column, _) in entries.iter().filter(is_far) {
            let unknown = if (far[row], row) > (far[column], column) { row } else { column };
            count += usize::from(places[unknown] == 0);
            places[unknown] = 1;
            if count > MOST.min(n / 4) {
                return None;
            }
        }
        // Columns and rows of the border are stored with their zeros.
        let inner = n - count;
        if 2 * rounded(count) * inner > 4 * entries.iter().len() {
            return None;
        }
        let (mut next, mut last) = (0, inner as u32);
        for place in &mut places {
            let at = if *place == 0 { &mut next } else { &mut last };
            *place = *at;
            *at += 1;
        }
        let (mut below, mut above) = (0, 0);
        for (row, column, _) in entries.iter() {
            let (row, column) = (places[row] as usize, places[column] as usize);
            if row < inner && column < inner {
                below = below.max(row.saturating_sub(column));
                above = above.max(column.saturating_sub(row));
            }
        }
        Some(Border { places: Some(places), count, below, above })
    }
}

/// The number of columns of a border that there is code for.
fn rounded(count: usize) -> usize {
    [0, 1, 4, 8, 16].into_iter().find(|most| count <= *most).unwrap_or(MOST)
}

/// The solution, and the number of products and of quotients; none where it is given up.
pub(crate) fn solve(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    entries: &Entries,
    b: &[f64],
    border: &Border,
) -> Outcome<Option<(u64, u64)>> {
    macro_rules! chosen {
        ($half:literal, $next:literal, $width:literal) => {
            match rounded(border.count) {
                0 => eliminate::<$half, $next, $width, 0>(context, site, to, entries, b, border),
                1 => eliminate::<$half, $next, $width, 1>(context, site, to, entries, b, border),
                4 => eliminate::<$half, $next, $width, 4>(context, site, to, entries, b, border),
                8 => eliminate::<$half, $next, $width, 8>(context, site, to, entries, b, border),
                16 => eliminate::<$half, $next, $width, 16>(context, site, to, entries, b, border),
                _ => eliminate::<$half, $next, $width, MOST>(context, site, to, entries, b, border),
            }
        };
    }
    match border.below.max(border.above) {
        0 => chosen!(0, 1, 1),
        1 => chosen!(1, 2, 3),
        2 => chosen!(2, 3, 5),
        _ => chosen!(4, 5, 9),
    }
}

/// For a band of `HALF` diagonals on each side, `WIDTH` in all, and a border of at most `BORDER` unknowns. `NEXT` is the
/// number of rows that have an entry in a column, from the diagonal on.
fn eliminate<const HALF: usize, const NEXT: usize, const WIDTH: usize, const BORDER: usize>(
    context: &mut Context,
    site: u32,
    to: &mut [f64],
    entries: &Entries,
    b: &[f64],
    border: &Border,
) -> Outcome<Option<(u64, u64)>> {
    let (n, count) = (b.len(), border.count);
    let inner = n - count;
    let places = border.places.as_deref();
    let place = |unknown: usize| places.map_or(unknown, |places| places[unknown] as usize);
    // Behind the last row there are rows of zeros, which nothing changes.
    let padded = (inner + HALF) as i64;
    let mut rows = context.cleared::<f64>(padded * WIDTH as i64, site)?;
    let mut right = context.cleared::<f64>(padded * BORDER as i64, site)?;
    let mut under = context.cleared::<f64>(padded * BORDER as i64, site)?;
    let mut known = context.cleared::<f64>(padded, site)?;
    let (rows, _) = rows.as_chunks_mut::<WIDTH>();
    let (right, under) = (lines::<BORDER>(&mut right), lines::<BORDER>(&mut under));
    let mut corner = [[0.0; BORDER]; BORDER];
    let mut last = [0.0; BORDER];
    match places {
        None => {
            known[..n].copy_from_slice(b);
            entries.iter().for_each(|(row, column, number)| rows[row][column + HALF - row] += number);
        }
        Some(places) => {
            for (place, b) in places.iter().zip(b) {
                match (*place as usize).checked_sub(inner) {
                    None => known[*place as usize] = *b,
                    Some(at) => last[at] = *b,
                }
            }
            for (row, column, number) in entries.iter() {
                let (row, column) = (places[row] as usize, places[column] as usize);
                match (row < inner, column < inner) {
                    (true, true) => rows[row][column + HALF - row] += number,
                    (true, false) => right[row][column - inner] += number,
                    (false, true) => under[column][row - inner] += number,
                    (false, false) => corner[row - inner][column - inner] += number,
                }
            }
        }
    }
    // The largest entry of each row of the border.
    let mut most: [f64; BORDER] = std::array::from_fn(|at| largest(&corner[at]));
    if BORDER > 0 {
        under.iter().for_each(|line| (0..BORDER).for_each(|at| most[at] = most[at].max(line[at].abs())));
    }
    let scale = |row: &[f64; WIDTH], right: &[[f64; BORDER]], at: usize| {
        let in_band = largest(row);
        if BORDER == 0 { in_band } else { in_band.max(largest(&right[at])) }
    };
    // The rows that have an entry in the column, the right side of each, and the largest entry that it had.
    let mut window: [[f64; WIDTH]; NEXT] = std::array::from_fn(|at| rows.get(at).copied().unwrap_or([0.0; WIDTH]));
    let mut sides: [f64; NEXT] = std::array::from_fn(|at| known.get(at).copied().unwrap_or(0.0));
    let mut scales: [f64; NEXT] = std::array::from_fn(|at| scale(&window[at], right, at.min(inner.saturating_sub(1))));
    for k in 0..inner {
        if k % 4096 == 0 {
            context.step(0, site)?;
        }
        let (top, side) = (window[0], sides[0]);
        let pivot = top[HALF];
        let mut size = largest(&top[HALF + 1..]);
        let beside: [f64; BORDER] = if BORDER == 0 { [0.0; BORDER] } else { right[k] };
        if BORDER > 0 {
            size = size.max(largest(&beside));
        }
        if pivot == 0.0 {
            return Ok(None);
        }
        let mut is_small = true;
        for i in 1..=HALF {
            let factor = window[i][HALF - i] / pivot;
            is_small &= factor.abs() * size <= GROWTH * scales[i];
            for j in 1..=HALF {
                window[i][HALF - i + j] -= factor * top[HALF + j];
            }
            if BORDER > 0 && factor != 0.0 {
                right[k + i].iter_mut().zip(&beside).for_each(|(to, number)| *to -= factor * number);
            }
            sides[i] -= factor * side;
        }
        for at in 0..BORDER {
            let number = under[k][at];
            if number == 0.0 {
                continue;
            }
            let factor = number / pivot;
            is_small &= factor.abs() * size <= GROWTH * most[at];
            for j in 1..=HALF {
                under[k + j][at] -= factor * top[HALF + j];
            }
            corner[at].iter_mut().zip(&beside).for_each(|(to, number)| *to -= factor * number);
            last[at] -= factor * side;
        }
        if !is_small {
            return Ok(None);
        }
        // What stands behind the pivot is stored.
        for j in 1..=HALF {
            rows[k][j - 1] = top[HALF + j] / pivot;
        }
        if BORDER > 0 {
            right[k] = beside.map(|number| number / pivot);
        }
        known[k] = side / pivot;
        for i in 0..HALF {
            (window[i], sides[i], scales[i]) = (window[i + 1], sides[i + 1], scales[i + 1]);
        }
        let next = k + NEXT;
        if next < rows.len() {
            (window[HALF], sides[HALF]) = (rows[next], known[next]);
            scales[HALF] = scale(&window[HALF], right, next);
        }
    }
    let mut solved = [0.0; BORDER];
    if count > 0 {
        with_room(context, count * (count + 2), site, |context, room| {
            let (matrix, room) = room.split_at_mut(count * count);
            let (right, x) = room.split_at_mut(count);
            for (row, line) in matrix.chunks_exact_mut(count).zip(&corner) {
                row.copy_from_slice(&line[..count]);
            }
            right.copy_from_slice(&last[..count]);
            solve_unnoted(context, site, x, matrix, count as i64, right, 1)?;
            solved[..count].copy_from_slice(x);
            Outcome::Ok(())
        })??;
    }
    let mut behind = [0.0; HALF];
    for k in (0..inner).rev() {
        let mut x = known[k];
        if BORDER > 0 {
            x -= right[k].iter().zip(&solved).map(|(number, x)| number * x).sum::<f64>();
        }
        for j in (0..HALF).rev() {
            x -= rows[k][j] * behind[j];
        }
        known[k] = x;
        for j in (1..HALF).rev() {
            behind[j] = behind[j - 1];
        }
        if let Some(first) = behind.first_mut() {
            *first = x;
        }
    }
    for (unknown, to) in to.iter_mut().enumerate() {
        let place = place(unknown);
        *to = if place < inner { known[place] } else { solved[place - inner] };
    }
    // The right side is eliminated with the rows.
    let rows_under = border.below + count;
    let products = inner * (rows_under * (border.above + count + 1) + border.above + count) + count * count * count / 3;
    let quotients = inner * (border.below + border.above + 2 * count + 1) + count;
    Ok(Some((products as u64, quotients as u64)))
}

/// The largest absolute value; NaN counts for nothing.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| if x.abs() > most { x.abs() } else { most })
}

/// Lines of a border; none where it is empty.
fn lines<const BORDER: usize>(numbers: &mut [f64]) -> &mut [[f64; BORDER]] {
    match BORDER {
        0 => &mut [],
        _ => numbers.as_chunks_mut::<BORDER>().0,
    }
}
