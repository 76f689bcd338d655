//! The annotation of a loop: how its iterations run.
//!
//! A schedule changes the order of iterations and of sums. Without its schedules, a program computes the same up to
//! rounding, so a backend may ignore any of them.

use super::cost::Cost;
use crate::program::{Buffer, Combine, Element, Operand, Register};
use std::collections::{BTreeMap, BTreeSet};

/// How the iterations of a loop run. Chunks are ranges of iterations, in any order or at the same time; inside of a
/// chunk, iterations run in lanes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// The lanes; none if the iterations of a chunk run one by one.
    pub lanes: Option<LaneSchedule>,
    /// The chunks; none if there is one.
    pub chunks: Option<ChunkSchedule>,
}

/// Iterations that run at the same time, statement by statement, each in its lane. Iterations that fill no vector of
/// lanes run after the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneSchedule {
    /// The number of lanes of a vector.
    pub width: i64,
    /// The number of vectors that run as one strip; 1 if there are no strips. Vectors that fill no strip follow.
    pub strip: i64,
    /// Whether iterations that fill no vector run as one more, whose other lanes only compute. Otherwise they run one by
    /// one.
    pub rest: bool,
    /// The registers whose values differ between lanes. All others are uniform.
    pub classes: BTreeMap<Register, Class>,
    /// The buffers that belong to an iteration.
    pub private: BTreeSet<Buffer>,
    /// The private buffers whose elements differ between lanes: each lane has a copy.
    pub varying: BTreeSet<Buffer>,
    /// Outer buffers to which all lanes add at the same position. Each lane has a copy, which is added after the loop.
    pub summed: BTreeSet<Buffer>,
    /// The parts of these buffers to which they add, where they are known: copies are of these parts.
    pub ranges: BTreeMap<Buffer, Range>,
    /// Outer registers into which iterations reduce. Each lane has a copy, which is combined after the loop.
    pub reduced: BTreeMap<Register, Combine>,
    /// Outer buffers to which iterations add near their index.
    pub stencils: BTreeMap<Buffer, Stencil>,
    /// Outer buffers to which each iteration writes a row of adjacent elements.
    pub interleaved: BTreeMap<Buffer, Interleaved>,
    /// Inner loops that run from their last iteration to the first, where lanes have different numbers of iterations: the
    /// index of each, and the register of the position that counts down with it. Positions are then the same in all lanes.
    pub backward: BTreeMap<Register, Register>,
    /// Products that are only added to something, with their factors: fused multiply-add, where a machine has it.
    pub fused: BTreeMap<Register, (Operand, Operand)>,
}

/// Elements of a buffer that follow each other. Those that are out of bounds are not used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The position of the first.
    pub first: Operand,
    /// The number of elements.
    pub count: Operand,
}

/// How a number is spread over the lanes.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    /// One value for all lanes.
    Uniform,
    /// `x`, `x + s`, `x + 2s`, ...: the stride `s` is the same in every lane.
    Linear(LaneStride),
    /// Any value in any lane.
    Varying,
}

/// The distance of a linear number from a lane to the next: a sum of products of uniform operands.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneStride {
    /// The stride of the index of the loop.
    One,
    /// A multiple.
    Times(Box<LaneStride>, Operand),
    /// A sum.
    Plus(Box<LaneStride>, Box<LaneStride>),
    /// A difference from something uniform.
    Minus(Box<LaneStride>),
}

/// Additions to a buffer at constant distances from the index. The terms of an element from one vector of iterations
/// are summed before the element is written, and the last terms are carried to the next vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Stencil {
    /// A position from which distances count, besides the index: the same in all iterations.
    pub base: Option<Register>,
    /// The least distance from the index.
    pub first: i64,
    /// The positions, each with its distance.
    pub places: Vec<(Operand, i64)>,
    /// Whether iterations add to the buffer nowhere else.
    pub alone: bool,
    /// The number of zeros with which the statement before the loop fills the buffer, if the loop can write these
    /// elements instead: there is no need for zeros where it does.
    pub zeroed: Option<Operand>,
}

/// The elements of a buffer that an iteration writes. Those of the next iteration follow without a gap, so that all
/// lanes together write one range.
#[derive(Clone, Debug, PartialEq)]
pub struct Interleaved {
    /// The position of the first element.
    pub first: Operand,
    /// The values, in the order of their positions.
    pub values: Vec<Operand>,
    /// The position that the iteration writes last.
    pub last: Operand,
}

/// Ranges of iterations that threads share. The partial results of chunks are combined in the order of the chunks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkSchedule {
    /// The number of iterations that no boundary between chunks divides.
    pub group: i64,
    /// Outer numbers that iterations use.
    pub numbers: Vec<Register>,
    /// Outer buffers that iterations read.
    pub read: Vec<Buffer>,
    /// Outer buffers that iterations write or add to.
    pub written: Vec<Buffer>,
    /// The buffers among them of which each chunk except the first has a private copy of zeros, which is added
    /// afterwards.
    pub copied: Vec<Buffer>,
    /// Outer registers into which iterations reduce. Each chunk has a copy.
    pub reduced: BTreeMap<Register, Combine>,
    /// The cost of an iteration; none if the loop is to be cut into as many chunks as possible.
    pub cost: Option<Cost>,
    /// Buffers with the cost per element of making and combining the partial results of a chunk.
    pub apiece: Vec<(Buffer, f64)>,
    /// Whether a loop without a whole vector of iterations skips its chunks: its procedure is called often.
    pub guarded: bool,
}

impl Schedule {
    /// The schedule, if it says anything.
    pub(super) fn some(self) -> Option<Box<Schedule>> {
        (self != Schedule::default()).then(|| Box::new(self))
    }
}

impl LaneSchedule {
    /// The class of an operand.
    pub fn class(&self, operand: Operand) -> Class {
        match operand {
            Operand::Register(register) => self.classes.get(&register).cloned().unwrap_or(Class::Uniform),
            _ => Class::Uniform,
        }
    }

    /// Whether an operand is the same in all lanes.
    pub fn is_uniform(&self, operand: Operand) -> bool {
        self.class(operand) == Class::Uniform
    }

    /// The class of an element that is read.
    pub fn loaded(&self, element: Element) -> Class {
        match self.varying.contains(&element.buffer) || !self.is_uniform(element.at) {
            true => Class::Varying,
            false => Class::Uniform,
        }
    }
}

impl LaneStride {
    /// The stride as a number, if it is one.
    pub fn constant(&self) -> Option<i64> {
        match self {
            LaneStride::One => Some(1),
            LaneStride::Times(stride, Operand::Int(factor)) => stride.constant()?.checked_mul(*factor),
            LaneStride::Times(..) => None,
            LaneStride::Plus(a, b) => a.constant()?.checked_add(b.constant()?),
            LaneStride::Minus(stride) => stride.constant()?.checked_neg(),
        }
    }
}

impl Stencil {
    /// Whether there is only the element at the index, one for each iteration.
    pub fn is_single(&self) -> bool {
        matches!(self.places[..], [(_, 0)]) && self.is_whole()
    }

    /// Whether distances are positions in the buffer, and iterations add nowhere else.
    pub fn is_whole(&self) -> bool {
        self.base.is_none() && self.alone
    }

    /// The distance of a position at which iterations add.
    pub fn distance(&self, at: Operand) -> Option<i64> {
        self.places.iter().find(|(place, _)| *place == at).map(|(_, distance)| *distance)
    }

    /// The distances from the first element, without it.
    pub fn shifts(&self) -> Vec<i64> {
        let mut shifts: Vec<i64> =
            self.places.iter().map(|(_, offset)| offset - self.first).filter(|shift| *shift > 0).collect();
        shifts.sort_unstable();
        shifts
    }
}
