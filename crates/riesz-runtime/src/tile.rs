//! Products of matrices in tiles: eight rows by twenty-four columns of the result, which stay in registers while the sum
//! over the inner index runs.
//!
//! ```text
//! for each stretch of k, for each block of rows, for each panel of columns, for each tile of both:   C ± = A B
//! ```
//!
//! A factor that many tiles read is copied into a layout in which values that are used together are adjacent: the left
//! one by columns of eight rows, the right one by rows of twenty-four columns. A matrix in the other order is transposed
//! during the copy, in registers. A panel stays in the first-level cache for a column of tiles, and a block of rows stays
//! in the second-level cache for all panels. A factor that few tiles read is read where it lies.

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx512f")))]
use crate::instructions::{Avx2, Avx512};
use crate::instructions::{Compiled, Instructions, by_instructions};
use crate::product::Strides;
use crate::{Element, LANES, Lanes};
use std::mem::MaybeUninit;

/// The rows of a tile.
const HEIGHT: usize = 8;
/// The vectors in a row of a tile, and the columns.
const VECTORS: usize = 3;
const WIDTH: usize = VECTORS * LANES;
/// How much of the sum over the inner index is done at a time.
const DEPTH: usize = 512;
/// How many rows of the left factor are laid out at a time.
const ROWS: usize = 128;
/// From this number of rows or columns on, a factor is copied.
const MANY: usize = 6 * HEIGHT;

/// A factor, which lies in a buffer of its own or in that of the result, apart from it.
pub(crate) type Factor<'a> = (Option<&'a [f64]>, Strides);

/// A block of a matrix that lies row by row: where it begins, and how far apart its rows are.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub first: usize,
    pub step: usize,
}

impl Block {
    /// The block further down and to the right.
    pub fn at(self, row: usize, column: usize) -> Block {
        Block { first: self.first + row * self.step + column, step: self.step }
    }

    /// The block as a factor.
    pub fn strides(self) -> Strides {
        Strides { first: self.first as i64, row: self.step as i64, column: 1 }
    }

    /// Its transpose as a factor.
    pub fn transposed(self) -> Strides {
        Strides { first: self.first as i64, row: 1, column: self.step as i64 }
    }
}

/// The use of a product.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Update {
    /// It is written.
    Store,
    /// It is added to the elements that are there, times a factor that is a power of two or the negative of one.
    Add(f64),
}

/// `to = left · right`, or `to += c · left · right`.
pub(crate) fn multiply(
    to: &mut [f64],
    place: Block,
    (left, left_at): Factor,
    (right, right_at): Factor,
    (rows, inner, columns): (usize, usize, usize),
    update: Update,
) {
    if rows == 0 || columns == 0 || inner == 0 {
        if update == Update::Store {
            (0..rows).for_each(|row| to[place.at(row, 0).first..][..columns].fill(0.0));
        }
        return;
    }
    assert!(place.at(rows - 1, columns - 1).first < to.len());
    let left_in_place = columns <= MANY && is_inside(left.unwrap_or(to), left_at, rows, inner);
    let right_in_place =
        rows <= MANY && right_at.column == 1 && is_inside(right.unwrap_or(to), right_at, inner, columns);
    let stretch = inner.div_ceil(inner.div_ceil(DEPTH)).next_multiple_of(LANES);
    let tiles = if left_in_place { 0 } else { rows.min(ROWS).div_ceil(HEIGHT) };
    let vectors =
        if right_in_place && columns.is_multiple_of(LANES) { 0 } else { columns.div_ceil(LANES).min(VECTORS) };
    let needed = (tiles + vectors) * stretch;
    // If the system has no memory, products are computed in smaller pieces.
    let mut little = [const { MaybeUninit::uninit() }; LITTLE];
    let mut much;
    let (room, stretch, block): (&mut [Lanes], usize, usize) = match needed <= LITTLE {
        true => (Lanes::few(&mut little), stretch, ROWS),
        false => match Lanes::try_buffer(needed) {
            Some(buffer) => {
                much = buffer;
                (&mut much, stretch, ROWS)
            }
            None => (Lanes::few(&mut little), stretch.min(LITTLE / (VECTORS + 1) / LANES * LANES), HEIGHT),
        },
    };
    let block = if left_in_place { rows } else { block };
    let (panel, lefts) = room.split_at_mut(vectors * stretch);
    for start in (0..inner).step_by(stretch) {
        let depth = stretch.min(inner - start);
        let update = if start > 0 && update == Update::Store { Update::Add(1.0) } else { update };
        for top in (0..rows).step_by(block) {
            let height = block.min(rows - top);
            let from = left_at.first + top as i64 * left_at.row + start as i64 * left_at.column;
            if !left_in_place {
                let lefts = numbers(&mut lefts[..height.div_ceil(HEIGHT) * depth * HEIGHT / LANES]);
                for (tile, packed) in lefts.chunks_exact_mut(HEIGHT * depth).enumerate() {
                    let from = from + (tile * HEIGHT) as i64 * left_at.row;
                    let count = HEIGHT.min(height - tile * HEIGHT);
                    pack::<HEIGHT>(packed, left.unwrap_or(to), (from, left_at.column, left_at.row), count);
                }
            }
            for column in (0..columns).step_by(WIDTH) {
                let width = WIDTH.min(columns - column);
                let vectors = width.div_ceil(LANES);
                let first = right_at.first + start as i64 * right_at.row + column as i64 * right_at.column;
                // Vectors are read whole, so that a panel with a part of one is copied.
                let right_in_place = right_in_place && width.is_multiple_of(LANES);
                if !right_in_place {
                    let packed = numbers(&mut panel[..vectors * depth]);
                    let (from, step) = (right.unwrap_or(to), (first, right_at.row, right_at.column));
                    match vectors {
                        1 => pack::<LANES>(packed, from, step, width),
                        2 => pack::<{ 2 * LANES }>(packed, from, step, width),
                        _ => pack::<WIDTH>(packed, from, step, width),
                    }
                }
                let own = to.as_mut_ptr();
                let of = |factor: Option<&[f64]>, first: i64| {
                    factor.map_or(own.cast_const(), <[f64]>::as_ptr).wrapping_add(first as usize)
                };
                let (left, below) = match left_in_place {
                    true => (Stream { first: of(left, from), apart: left_at.row, step: left_at.column }, left_at.row),
                    false => {
                        let first = lefts.as_ptr().cast();
                        (Stream { first, apart: 1, step: HEIGHT as i64 }, depth as i64)
                    }
                };
                let right = match right_in_place {
                    true => Stream { first: of(right, first), apart: 1, step: right_at.row },
                    false => Stream { first: panel.as_ptr().cast(), apart: 1, step: (vectors * LANES) as i64 },
                };
                for row in (0..height).step_by(HEIGHT) {
                    let left = Stream { first: left.first.wrapping_offset((row as i64 * below) as isize), ..left };
                    let to = (own.wrapping_add(place.at(top + row, column).first), place.step);
                    let size = (HEIGHT.min(height - row), depth, width);
                    // Factors that are copied have the elements of this tile by their layout; those of the others are
                    // inside their buffers, and those of the result too, as was found above.
                    unsafe {
                        match vectors {
                            1 => tile::<1>(left, right, to, size, update),
                            2 => tile::<2>(left, right, to, size, update),
                            _ => tile::<VECTORS>(left, right, to, size, update),
                        }
                    }
                }
            }
        }
    }
}

/// How many vectors there is room for without an allocation.
const LITTLE: usize = 160;

/// Whether all elements of a matrix are in its buffer, and none before its first.
fn is_inside(buffer: &[f64], at: Strides, rows: usize, columns: usize) -> bool {
    let last = at.first + (rows as i64 - 1) * at.row + (columns as i64 - 1) * at.column;
    at.first >= 0 && at.row >= 0 && at.column >= 0 && last < buffer.len() as i64
}

/// Where a tile reads a factor: its first element, how far apart its rows or columns are, and the steps of the sum.
#[derive(Clone, Copy)]
struct Stream {
    first: *const f64,
    apart: i64,
    step: i64,
}

/// One tile, written to where it belongs or added to what is there. A tile that is cut off is computed beside it.
///
/// # Safety
/// The left factor has elements for the height of the tile and each step of the sum, the right one `V` vectors for each
/// step, and there are as many rows and columns of the result.
#[inline(always)]
unsafe fn tile<const V: usize>(
    left: Stream,
    right: Stream,
    (to, step): (*mut f64, usize),
    (height, depth, width): (usize, usize, usize),
    update: Update,
) {
    // Rows below the last are the last, and not written.
    let rows = std::array::from_fn(|i| left.first.wrapping_offset((i.min(height - 1) as i64 * left.apart) as isize));
    let (rows, right) = ((rows, left.step as isize), (right.first, right.step as isize));
    if height == HEIGHT && width == V * LANES {
        return unsafe { whole_tile::<V>(rows, right, depth, to, step, update) };
    }
    let mut beside = [[Lanes::splat(0.0); V]; HEIGHT];
    let beside = beside.as_flattened_mut().as_mut_ptr().cast::<f64>();
    // The rows of the tile are at `to`, and there is room for them beside it.
    unsafe {
        if let Update::Add(_) = update {
            (0..height).for_each(|i| beside.add(i * V * LANES).copy_from(to.add(i * step), width));
        }
        whole_tile::<V>(rows, right, depth, beside, V * LANES, update);
        (0..height).for_each(|i| to.add(i * step).copy_from(beside.add(i * V * LANES), width));
    }
}

/// # Safety
/// Each row of the left factor has `depth` elements that are a step apart, the right one `V` vectors for each, and there
/// are `V` vectors to write to in every row.
#[inline(always)]
unsafe fn whole_tile<const V: usize>(
    left: ([*const f64; HEIGHT], isize),
    right: (*const f64, isize),
    depth: usize,
    to: *mut f64,
    step: usize,
    update: Update,
) {
    unsafe {
        match update {
            Update::Store => sum_of_products::<V, false>(left, right, depth, to, step, 1.0),
            // Factorisations subtract with the instructions of the code around: rounded alike, equal rows stay equal.
            Update::Add(factor) if factor == -1.0 => {
                sums::<V, true, GROUP, Compiled>(left, right, depth, to, step, factor);
            }
            Update::Add(factor) => sum_of_products::<V, true>(left, right, depth, to, step, factor),
        }
    }
}

by_instructions! {
    /// # Safety
    /// As that of [`whole_tile`].
    unsafe fn sum_of_products[const V: usize, const ADD: bool](
        left: ([*const f64; HEIGHT], isize),
        right: (*const f64, isize),
        depth: usize,
        to: *mut f64,
        step: usize,
        factor: f64,
    ) = [
        sums::<V, ADD, GROUP, Compiled>,
        sums::<V, ADD, 2, Avx2>,
        sums::<V, ADD, HEIGHT, Avx512>
    ]
}

/// How many rows of a tile have their sums in registers at the same time, in code that is compiled for one processor.
const GROUP: usize = match (cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx")) {
    (true, _) => HEIGHT,
    (false, true) => 2,
    (false, false) if cfg!(target_arch = "aarch64") => 2,
    (false, false) => 1,
};

/// The sums of a tile, some rows at a time.
///
/// # Safety
/// As that of [`whole_tile`]. The processor has the instructions.
#[inline(always)]
unsafe fn sums<const V: usize, const ADD: bool, const ROWS: usize, I: Instructions>(
    (rows, left_step): ([*const f64; HEIGHT], isize),
    (first, right_step): (*const f64, isize),
    depth: usize,
    to: *mut f64,
    step: usize,
    factor: f64,
) {
    for top in (0..HEIGHT).step_by(ROWS) {
        let rows: [*const f64; ROWS] = std::array::from_fn(|i| rows[top + i]);
        let mut vectors = first;
        let mut sums = [[Lanes::splat(0.0); V]; ROWS];
        // Everything that is read and written is in bounds, as the caller says.
        unsafe {
            let place = |i: usize, part: usize| to.add((top + i) * step + part * LANES).cast::<[f64; LANES]>();
            if ADD {
                // Sums begin with the elements that are there, so that their terms are added in one order however they
                // are split.
                for (i, sums) in sums.iter_mut().enumerate() {
                    for (part, sum) in sums.iter_mut().enumerate() {
                        *sum = Lanes(*place(i, part)) * Lanes::splat(1.0 / factor);
                    }
                }
            }
            let mut at = 0;
            for _ in 0..depth {
                let mut b = [Lanes::splat(0.0); V];
                for (part, b) in b.iter_mut().enumerate() {
                    *b = Lanes(*vectors.add(part * LANES).cast::<[f64; LANES]>());
                }
                for i in 0..ROWS {
                    let a = Lanes::splat(*rows[i].offset(at));
                    for part in 0..V {
                        sums[i][part] = I::fma(a, b[part], sums[i][part]);
                    }
                }
                at += left_step;
                vectors = vectors.wrapping_offset(right_step);
            }
            for (i, sums) in sums.iter().enumerate() {
                for (part, sum) in sums.iter().enumerate() {
                    *place(i, part) = if ADD { (*sum * Lanes::splat(factor)).0 } else { sum.0 };
                }
            }
        }
    }
}

/// The numbers in lanes, one after the other.
fn numbers(lanes: &mut [Lanes]) -> &mut [f64] {
    // Lanes are an array of numbers without padding.
    unsafe { std::slice::from_raw_parts_mut(lanes.as_mut_ptr().cast::<f64>(), lanes.len() * LANES) }
}

/// Lays out `count` of `N` elements of each step side by side, the rest zero.
#[inline(always)]
fn pack<const N: usize>(packed: &mut [f64], from: &[f64], (first, step, apart): (i64, i64, i64), count: usize) {
    if count < N {
        packed.fill(0.0);
    }
    if apart == 1 {
        for (k, packed) in packed.chunks_exact_mut(N).enumerate() {
            let from = &from[(first + k as i64 * step) as usize..][..count];
            match from.first_chunk::<N>() {
                // By eights: a copy of more is a call.
                Some(from) => {
                    for (to, from) in packed.as_chunks_mut::<LANES>().0.iter_mut().zip(from.as_chunks::<LANES>().0) {
                        *to = *from;
                    }
                }
                None => packed[..count].copy_from_slice(from),
            }
        }
        return;
    }
    let done = if step == 1 { pack_squares::<N>(packed, from, (first, apart), count) } else { (0, 0) };
    for i in 0..count {
        let first = first + i as i64 * apart;
        let done = if i < done.0 { done.1 } else { 0 };
        for (k, packed) in packed.chunks_exact_mut(N).enumerate().skip(done) {
            packed[i] = from[(first + k as i64 * step) as usize];
        }
    }
}

/// Lays out elements of steps that follow each other, in squares of eight by eight; gives how many of each step are done,
/// and how many steps.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
fn pack_squares<const N: usize>(
    packed: &mut [f64],
    from: &[f64],
    (first, apart): (i64, i64),
    count: usize,
) -> (usize, usize) {
    use std::arch::x86_64::{_mm512_loadu_pd, _mm512_storeu_pd};
    let (count, steps) = (count / 8 * 8, packed.len() / N / 8 * 8);
    for i in (0..count).step_by(8) {
        let rows: [&[f64]; 8] =
            std::array::from_fn(|row| &from[(first + (i + row) as i64 * apart) as usize..][..steps]);
        for k in (0..steps).step_by(8) {
            let to = packed[k * N..(k + 8) * N].as_mut_ptr();
            // Each row has eight elements from `k` on, and each step eight from `i` on.
            crate::rows::transpose(
                |row| unsafe { _mm512_loadu_pd(rows[row].as_ptr().add(k)) },
                |at, column| unsafe { _mm512_storeu_pd(to.add(at * N + i), column) },
            );
        }
    }
    (count, steps)
}

/// Lays out elements of steps that follow each other; gives how many of each step are done, and how many steps.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn pack_squares<const N: usize>(_: &mut [f64], _: &[f64], _: (i64, i64), _: usize) -> (usize, usize) {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_the_sums_of_products_that_they_should_be() {
        let sizes = [(1, 1, 1), (8, 8, 24), (7, 9, 23), (64, 784, 256), (256, 64, 10), (131, 515, 33), (130, 1030, 17)];
        for (rows, inner, columns) in sizes {
            let number = |at: usize| (at as f64 * 0.37).sin();
            let left: Vec<f64> = (0..rows * inner).map(number).collect();
            let right: Vec<f64> = (0..inner * columns).map(|at| number(at + 5)).collect();
            let by_rows = |columns: usize| Strides { first: 0, row: columns as i64, column: 1 };
            let by_columns = |rows: usize| Strides { first: 0, row: 1, column: rows as i64 };
            for left_at in [by_rows(inner), by_columns(rows)] {
                for right_at in [by_rows(columns), by_columns(inner)] {
                    let mut to = vec![f64::NAN; rows * columns];
                    let (left, right) = ((Some(&left[..]), left_at), (Some(&right[..]), right_at));
                    let place = Block { first: 0, step: columns };
                    multiply(&mut to, place, left, right, (rows, inner, columns), Update::Store);
                    let (left, right) = (left.0.unwrap(), right.0.unwrap());
                    for (at, found) in to.iter().enumerate() {
                        let (i, j) = ((at / columns) as i64, (at % columns) as i64);
                        let term = |k: i64| {
                            left[(i * left_at.row + k * left_at.column) as usize]
                                * right[(k * right_at.row + j * right_at.column) as usize]
                        };
                        let expected: f64 = (0..inner as i64).map(term).sum();
                        assert!((found - expected).abs() < 1e-11, "{rows} × {inner} × {columns} at {i}, {j}: {found}");
                    }
                }
            }
        }
    }
}
