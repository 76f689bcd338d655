//! Partial results of iterations: one for each lane, combined after the loop in a fixed order.

use super::position;
use crate::Spelling;
use crate::chunk::ChunkOutput;
use crate::function::Writer;
use riesz_program::program::{Buffer, Combine, Register, SiteId};
use riesz_program::schedule::{Range, Stencil};

/// A partial result of lanes, which is combined after the loop.
pub(super) enum Partial<'s> {
    /// The elements of a buffer, or of a part of it, each in lanes.
    Sums(Buffer, Option<Range>),
    /// A number in lanes.
    Number(Register, Combine),
    /// Terms of elements behind the last vector of iterations.
    Carry { buffer: Buffer, stencil: &'s Stencil, shift: i64 },
}

impl Partial<'_> {
    fn name(&self, writer: &Writer) -> String {
        match self {
            Partial::Sums(buffer, _) => format!("{}_lanes", writer.buffer(*buffer)),
            Partial::Number(register, _) => format!("{}_lanes", writer.register(*register)),
            Partial::Carry { buffer, shift, .. } => format!("{}_carry_{shift}", writer.buffer(*buffer)),
        }
    }

    /// The partial result of a chunk.
    pub(super) fn given(&self, writer: &Writer) -> ChunkOutput {
        let name = self.name(writer);
        let (name, ty) = match self {
            Partial::Sums(buffer, _) => (format!("{}_sums", writer.buffer(*buffer)), writer.vector()),
            Partial::Number(_, Combine::All | Combine::Any) => (name, "Mask"),
            Partial::Number(_, Combine::Least) => (name, "Ints"),
            Partial::Number(..) | Partial::Carry { .. } => (name, "Lanes"),
        };
        ChunkOutput { name, ty: ty.into(), late: matches!(self, Partial::Carry { .. }) }
    }

    /// A statement that a chunk runs before it gives its partial result.
    pub(super) fn settle(&self, writer: &Writer, site: SiteId) -> Option<String> {
        match self {
            Partial::Sums(buffer, _) => {
                let name = writer.buffer(*buffer);
                Some(format!("let {name}_sums = sums(context, &{name}_lanes, {})?;", site.0))
            }
            Partial::Number(..) | Partial::Carry { .. } => None,
        }
    }

    pub(super) fn begin(&self, writer: &Writer, site: SiteId) -> String {
        let name = self.name(writer);
        let neutral = match self {
            Partial::Sums(buffer, range) => {
                let count = match range {
                    Some(range) => format!("{}.max(0) as usize", writer.bound(range.count)),
                    None => format!("{}.len()", writer.buffer(*buffer)),
                };
                return format!("let mut {name} = context.filled({count}, Lanes::splat(-0.0), {})?;", site.0);
            }
            Partial::Carry { .. } => "Lanes::splat(0.0)",
            Partial::Number(_, Combine::Sum) => "Lanes::splat(-0.0)",
            Partial::Number(_, Combine::Product) => "Lanes::splat(1.0)",
            Partial::Number(_, Combine::Max) => {
                return format!("let mut {name} = Lanes::splat({}::NEG_INFINITY);", writer.precision.real());
            }
            Partial::Number(_, Combine::Min) => {
                return format!("let mut {name} = Lanes::splat({}::INFINITY);", writer.precision.real());
            }
            Partial::Number(_, Combine::Least) => "Ints::splat(i64::MAX)",
            Partial::Number(_, Combine::All) => "Mask::splat(true)",
            Partial::Number(_, Combine::Any) => "Mask::splat(false)",
        };
        format!("let mut {name} = {neutral};")
    }

    /// Combines the lanes after the iterations below `end`.
    pub(super) fn end(&self, writer: &Writer, chunked: bool, end: &str) -> Vec<String> {
        let lanes = self.name(writer);
        match self {
            Partial::Sums(buffer, range) => {
                let first = range.map_or_else(|| "0".into(), |range| writer.operand(range.first));
                let total = writer.buffer_mut(*buffer);
                vec![match chunked {
                    true => format!("add_part({total}, {first}, &{}_sums);", writer.buffer(*buffer)),
                    false => format!("add_lanes({total}, {first}, &{lanes});"),
                }]
            }
            Partial::Carry { buffer, stencil, shift } => {
                let total = writer.buffer_mut(*buffer);
                vec![
                    format!("if {end} > 0 {{"),
                    format!("    {lanes}.add_last({shift}, {total}, {});", position(writer, stencil, end)),
                    "}".into(),
                ]
            }
            Partial::Number(register, combine) => {
                let name = writer.register(*register);
                vec![match combine {
                    Combine::Sum => format!("{name} += {lanes}.sum();"),
                    Combine::Product => format!("{name} *= {lanes}.product();"),
                    Combine::Max => format!("{name} = {lanes}.0.into_iter().fold({name}, max);"),
                    Combine::Min => format!("{name} = {lanes}.0.into_iter().fold({name}, min);"),
                    Combine::Least => format!("{name} = {lanes}.0.into_iter().fold({name}, i64::min);"),
                    Combine::All => format!("{name} &= {lanes}.all();"),
                    Combine::Any => format!("{name} |= {lanes}.any();"),
                }]
            }
        }
    }
}
