//! Relational reduction: `(red_R v)_y = Σ_{(x, y) ∈ R} v_x`.   [003 §2.2.3]
//!
//! A function that copies, drops, moves or adds up the elements of an array is a relation between its indices and those of
//! the result. One rule gives the adjoints of all of them: the converse relation, `red_R* = red_Rᵀ` [003 Thm 6.5].

use std::sync::Arc;

use crate::space::{Space, SpaceError};

/// A set of pairs `(x, y)`: element `x` of the argument is added to element `y` of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `{(indices[j], j)}`: element `j` is the argument's element `indices[j]`.
    Gather {
        /// For each element of the result, where it comes from.
        indices: Arc<[usize]>,
        /// The size of the argument.
        from: usize,
    },
    /// `{(i, indices[i])}`: element `i` is added to the result's element `indices[i]`.
    Scatter {
        /// For each element of the argument, where it goes.
        indices: Arc<[usize]>,
        /// The size of the result.
        to: usize,
    },
    /// `n × 1`: the sum of `n` elements. The result is an element, not an array of one.
    Sum(usize),
    /// `1 × n`: `n` copies. The argument is an element, not an array of one.
    Replicate(usize),
    /// `{(i, j) | i ≤ j < n}`: the sums of the first elements.
    Prefix(usize),
    /// `{(i, j) | j ≤ i < n}`: the sums of the last elements.
    Suffix(usize),
    /// Slices, padding, strides and reversal.
    Line(Line),
    /// Any set of pairs.
    Pairs {
        /// The pairs, sorted, each once.
        pairs: Arc<[(usize, usize)]>,
        /// The size of the argument.
        from: usize,
        /// The size of the result.
        to: usize,
    },
}

/// `{(start + k · step, start' + k · step') | k < count}`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// How many pairs.
    pub count: usize,
    /// Where they lie in the argument.
    pub source: Walk,
    /// Where they lie in the result.
    pub target: Walk,
}

/// The indices `start`, `start + step`, `start + 2 step`, … of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The first index.
    pub start: usize,
    /// From one index to the next.
    pub step: isize,
    /// The size of the array.
    pub size: usize,
}

impl Walk {
    /// The index number `k`.
    pub fn at(self, k: usize) -> usize {
        self.start.wrapping_add_signed((k as isize).wrapping_mul(self.step))
    }

    fn holds(self, count: usize) -> bool {
        let last = (count as i128 - 1) * self.step as i128 + self.start as i128;
        count == 0 || (self.start < self.size && (0..self.size as i128).contains(&last))
    }
}

impl Relation {
    /// `y_j = x_{indices[j]}`
    ///
    /// # Errors
    /// Where an index is outside the argument.
    pub fn gather(indices: impl Into<Arc<[usize]>>, from: usize) -> Result<Relation, SpaceError> {
        let indices = indices.into();
        within(indices.iter().copied(), from)?;
        Ok(Relation::Gather { indices, from })
    }

    /// `y_{indices[i]} += x_i`
    ///
    /// # Errors
    /// Where an index is outside the result.
    pub fn scatter(indices: impl Into<Arc<[usize]>>, to: usize) -> Result<Relation, SpaceError> {
        let indices = indices.into();
        within(indices.iter().copied(), to)?;
        Ok(Relation::Scatter { indices, to })
    }

    /// Elements `start` to `end` (exclusive) of `from`.
    ///
    /// # Errors
    /// Where that is no part of the argument.
    pub fn slice(start: usize, end: usize, from: usize) -> Result<Relation, SpaceError> {
        if start > end || end > from {
            return Err(SpaceError::new(format!("elements {start} to {end} are no slice of {from} elements")));
        }
        let count = end - start;
        let source = Walk { start, step: 1, size: from };
        Ok(Relation::Line(Line { count, source, target: Walk { start: 0, step: 1, size: count } }))
    }

    /// The elements from the last to the first.
    pub fn reverse(size: usize) -> Relation {
        let source = Walk { start: size.saturating_sub(1), step: -1, size };
        Relation::Line(Line { count: size, source, target: Walk { start: 0, step: 1, size } })
    }

    /// Pairs on a line.
    ///
    /// # Errors
    /// Where the line leaves an array, or stands still.
    pub fn line(line: Line) -> Result<Relation, SpaceError> {
        if !line.source.holds(line.count) || !line.target.holds(line.count) {
            return Err(SpaceError::new(format!(
                "{} steps from {} by {} and from {} by {} leave arrays of {} and {} elements",
                line.count,
                line.source.start,
                line.source.step,
                line.target.start,
                line.target.step,
                line.source.size,
                line.target.size
            )));
        }
        if line.count > 1 && line.source.step == 0 && line.target.step == 0 {
            return Err(SpaceError::new("a line of several pairs has a step that is not zero"));
        }
        Ok(Relation::Line(line))
    }

    /// Any set of pairs; one that is given twice counts once.
    ///
    /// # Errors
    /// Where an index is outside its array.
    pub fn pairs(mut pairs: Vec<(usize, usize)>, from: usize, to: usize) -> Result<Relation, SpaceError> {
        within(pairs.iter().map(|pair| pair.0), from)?;
        within(pairs.iter().map(|pair| pair.1), to)?;
        pairs.sort_unstable();
        pairs.dedup();
        Ok(Relation::Pairs { pairs: pairs.into(), from, to })
    }

    /// `Rᵀ = {(y, x) | (x, y) ∈ R}`
    pub fn converse(&self) -> Relation {
        match self {
            Relation::Gather { indices, from } => Relation::Scatter { indices: indices.clone(), to: *from },
            Relation::Scatter { indices, to } => Relation::Gather { indices: indices.clone(), from: *to },
            Relation::Sum(n) => Relation::Replicate(*n),
            Relation::Replicate(n) => Relation::Sum(*n),
            Relation::Prefix(n) => Relation::Suffix(*n),
            Relation::Suffix(n) => Relation::Prefix(*n),
            Relation::Line(line) => {
                Relation::Line(Line { count: line.count, source: line.target, target: line.source })
            }
            Relation::Pairs { pairs, from, to } => {
                let mut pairs: Vec<(usize, usize)> = pairs.iter().map(|&(x, y)| (y, x)).collect();
                pairs.sort_unstable();
                Relation::Pairs { pairs: pairs.into(), from: *to, to: *from }
            }
        }
    }

    /// How many indices the argument has.
    pub fn from(&self) -> usize {
        match self {
            Relation::Gather { from, .. } | Relation::Pairs { from, .. } => *from,
            Relation::Scatter { indices, .. } => indices.len(),
            Relation::Sum(n) | Relation::Prefix(n) | Relation::Suffix(n) => *n,
            Relation::Replicate(_) => 1,
            Relation::Line(line) => line.source.size,
        }
    }

    /// How many indices the result has.
    pub fn to(&self) -> usize {
        match self {
            Relation::Scatter { to, .. } | Relation::Pairs { to, .. } => *to,
            Relation::Gather { indices, .. } => indices.len(),
            Relation::Replicate(n) | Relation::Prefix(n) | Relation::Suffix(n) => *n,
            Relation::Sum(_) => 1,
            Relation::Line(line) => line.target.size,
        }
    }

    /// The space that is reduced, for elements of a space.
    pub fn domain(&self, element: &Space) -> Space {
        match self {
            Relation::Replicate(_) => element.clone(),
            _ => Space::array(self.from(), element.clone()),
        }
    }

    /// The space of the result, for elements of a space.
    pub fn codomain(&self, element: &Space) -> Space {
        match self {
            Relation::Sum(_) => element.clone(),
            _ => Space::array(self.to(), element.clone()),
        }
    }

    /// Every pair, grouped by neither side.
    pub fn each_pair(&self, mut visit: impl FnMut(usize, usize)) {
        match self {
            Relation::Gather { indices, .. } => indices.iter().enumerate().for_each(|(y, &x)| visit(x, y)),
            Relation::Scatter { indices, .. } => indices.iter().enumerate().for_each(|(x, &y)| visit(x, y)),
            Relation::Sum(n) => (0..*n).for_each(|x| visit(x, 0)),
            Relation::Replicate(n) => (0..*n).for_each(|y| visit(0, y)),
            Relation::Prefix(n) => (0..*n).for_each(|y| (0..=y).for_each(|x| visit(x, y))),
            Relation::Suffix(n) => (0..*n).for_each(|y| (y..*n).for_each(|x| visit(x, y))),
            Relation::Line(line) => (0..line.count).for_each(|k| visit(line.source.at(k), line.target.at(k))),
            Relation::Pairs { pairs, .. } => pairs.iter().for_each(|&(x, y)| visit(x, y)),
        }
    }

    /// The additions that reducing numbers takes: one less than the numbers that meet, for each place where some do;
    /// prefix sums are carried along.
    pub fn additions(&self) -> usize {
        match self {
            Relation::Gather { .. } | Relation::Replicate(_) => 0,
            Relation::Sum(n) | Relation::Prefix(n) | Relation::Suffix(n) => n.saturating_sub(1),
            Relation::Line(line) if line.target.step != 0 => 0,
            Relation::Line(line) => line.count.saturating_sub(1),
            Relation::Scatter { .. } | Relation::Pairs { .. } => {
                let mut targets = Vec::new();
                self.each_pair(|_, y| targets.push(y));
                let pairs = targets.len();
                targets.sort_unstable();
                targets.dedup();
                pairs - targets.len()
            }
        }
    }

    /// How many numbers it takes to say which relation it is.
    pub fn storage(&self) -> usize {
        match self {
            Relation::Gather { indices, .. } | Relation::Scatter { indices, .. } => indices.len(),
            Relation::Pairs { pairs, .. } => 2 * pairs.len(),
            _ => 0,
        }
    }

    /// Whether it is the identity of an array.
    pub fn is_identity(&self) -> bool {
        match self {
            Relation::Gather { indices, from: size } | Relation::Scatter { indices, to: size } => {
                indices.len() == *size && indices.iter().enumerate().all(|(at, &index)| at == index)
            }
            Relation::Line(Line { count, source, target }) => {
                source == target && *count == source.size && (source.start == 0 && source.step == 1 || *count == 0)
            }
            Relation::Pairs { pairs, from, to } => {
                from == to && pairs.len() == *from && pairs.iter().enumerate().all(|(at, &pair)| pair == (at, at))
            }
            Relation::Prefix(n) | Relation::Suffix(n) => *n < 2,
            Relation::Sum(_) | Relation::Replicate(_) => false,
        }
    }

    /// The one element that element `y` of the result is made of: none where it is made of several, `Some(None)` where
    /// of none.
    pub(crate) fn only_source(&self, y: usize) -> Option<Option<usize>> {
        match self {
            Relation::Gather { indices, .. } => Some(indices.get(y).copied()),
            Relation::Replicate(_) => Some(Some(0)),
            Relation::Prefix(_) => (y == 0).then_some(Some(0)),
            Relation::Suffix(n) => (y + 1 == *n).then_some(Some(y)),
            Relation::Sum(_) => None,
            Relation::Scatter { .. } | Relation::Line(_) | Relation::Pairs { .. } => {
                let (mut found, mut several) = (None, false);
                self.each_pair(|x, target| {
                    if target == y {
                        several |= found.replace(x).is_some();
                    }
                });
                (!several).then_some(found)
            }
        }
    }

    /// `red_S ∘ red_R` as one relation, where both are functions or both are converses of functions.
    pub(crate) fn after(&self, first: &Relation) -> Option<Relation> {
        match (self, first) {
            (Relation::Line(outer), Relation::Line(inner)) => line_after(outer, inner),
            (Relation::Gather { .. } | Relation::Line(_), Relation::Gather { indices, from }) => {
                let chosen = self.as_function()?.into_iter().map(|middle| indices[middle]).collect();
                Some(Relation::Gather { indices: chosen, from: *from })
            }
            (Relation::Gather { indices, .. }, Relation::Line(inner)) => {
                let function = first.as_function()?;
                let chosen = indices.iter().map(|&middle| function[middle]).collect();
                Some(Relation::Gather { indices: chosen, from: inner.source.size })
            }
            (Relation::Gather { indices, .. }, Relation::Replicate(_)) => Some(Relation::Replicate(indices.len())),
            (Relation::Scatter { .. }, Relation::Scatter { .. } | Relation::Line(_))
            | (Relation::Line(_), Relation::Scatter { .. })
            | (Relation::Sum(_), Relation::Scatter { .. }) => {
                Some(first.converse().after(&self.converse())?.converse())
            }
            _ => None,
        }
    }

    /// Where each element of the result comes from, if each comes from exactly one.
    fn as_function(&self) -> Option<Vec<usize>> {
        match self {
            Relation::Gather { indices, .. } => Some(indices.to_vec()),
            Relation::Line(line) if line.count == line.target.size && line.target.step.unsigned_abs() == 1 => {
                let mut function = vec![0; line.count];
                self.each_pair(|x, y| function[y] = x);
                Some(function)
            }
            _ => None,
        }
    }
}

/// Where the inner line's targets and the outer line's sources go by single steps, the pairs that meet form a line.
fn line_after(outer: &Line, inner: &Line) -> Option<Relation> {
    let (t, s) = (inner.target.step, outer.source.step);
    if t.abs() != 1 || s.abs() != 1 {
        return None;
    }
    // pair j of the outer line meets pair k = offset + slope · j of the inner one
    let slope = t * s;
    let offset = t * (outer.source.start as isize - inner.target.start as isize);
    let (count, last) = (inner.count as isize, outer.count as isize - 1);
    let (low, high) = if slope > 0 { (-offset, count - 1 - offset) } else { (offset - count + 1, offset) };
    let (low, high) = (low.max(0), high.min(last));
    let size = (inner.source.size, outer.target.size);
    if low > high {
        let nowhere = |size| Walk { start: 0, step: 1, size };
        return Some(Relation::Line(Line { count: 0, source: nowhere(size.0), target: nowhere(size.1) }));
    }
    let start = inner.source.at((offset + slope * low) as usize);
    let source = Walk { start, step: inner.source.step * slope, size: size.0 };
    let target = Walk { start: outer.target.at(low as usize), step: outer.target.step, size: size.1 };
    Relation::line(Line { count: (high - low + 1) as usize, source, target }).ok()
}

fn within(mut indices: impl Iterator<Item = usize>, size: usize) -> Result<(), SpaceError> {
    match indices.find(|&index| index >= size) {
        Some(index) => Err(SpaceError::new(format!("index {index} is outside an array of {size} elements"))),
        None => Ok(()),
    }
}
