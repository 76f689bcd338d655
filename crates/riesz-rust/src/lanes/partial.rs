//! Partial results of iterations: one for each lane, combined after the loop in a fixed order.

use super::further;
use crate::Spelling;
use crate::chunk::Given;
use crate::function::Writer;
use riesz_program::program::{Buffer, Combine, Register, SiteId};

/// A partial result of lanes, which is combined after the loop.
pub(super) enum Partial {
    /// The elements of a buffer, each in lanes.
    Sums(Buffer),
    /// A number in lanes.
    Number(Register, Combine),
    /// Terms of elements behind the last vector of iterations.
    Carry { buffer: Buffer, first: i64, shift: i64 },
}

impl Partial {
    fn name(&self, writer: &Writer) -> String {
        match self {
            Partial::Sums(buffer) => format!("{}_lanes", writer.buffer(*buffer)),
            Partial::Number(register, _) => format!("{}_lanes", writer.register(*register)),
            Partial::Carry { buffer, shift, .. } => format!("{}_carry_{shift}", writer.buffer(*buffer)),
        }
    }

    /// The partial result of a chunk.
    pub(super) fn given(&self, writer: &Writer) -> Given {
        let name = self.name(writer);
        let (name, ty) = match self {
            Partial::Sums(buffer) => (format!("{}_sums", writer.buffer(*buffer)), writer.vector()),
            Partial::Number(_, Combine::All | Combine::Any) => (name, "Mask"),
            Partial::Number(_, Combine::Least) => (name, "Ints"),
            Partial::Number(..) | Partial::Carry { .. } => (name, "Lanes"),
        };
        Given { name, ty: ty.into(), late: matches!(self, Partial::Carry { .. }) }
    }

    /// A statement that a chunk runs before it gives its partial result.
    pub(super) fn settle(&self, writer: &Writer, site: SiteId) -> Option<String> {
        match self {
            Partial::Sums(buffer) => {
                let name = writer.buffer(*buffer);
                Some(format!("let {name}_sums = sums(context, &{name}_lanes, {})?;", site.0))
            }
            Partial::Number(..) | Partial::Carry { .. } => None,
        }
    }

    pub(super) fn begin(&self, writer: &Writer, site: SiteId) -> String {
        let name = self.name(writer);
        let neutral = match self {
            Partial::Sums(buffer) => {
                let (buffer, site) = (writer.buffer(*buffer), site.0);
                return format!("let mut {name} = context.filled({buffer}.len(), Lanes::splat(-0.0), {site})?;");
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
            Partial::Sums(buffer) if chunked => {
                vec![format!("add_all({}, &{}_sums);", writer.buffer_mut(*buffer), writer.buffer(*buffer))]
            }
            Partial::Sums(buffer) => vec![format!("add_lanes({}, &{lanes});", writer.buffer_mut(*buffer))],
            Partial::Carry { buffer, first, shift } => {
                let total = writer.buffer_mut(*buffer);
                vec![
                    format!("if {end} > 0 {{"),
                    format!("    {lanes}.add_last({shift}, {total}, {end}{});", further(*first)),
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
