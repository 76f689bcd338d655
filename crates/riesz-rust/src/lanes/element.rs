//! Elements of buffers in lanes: read, written and added to.

use super::{Wide, position};
use riesz_program::program::{Buffer, Element, Kind, Operand};
use riesz_program::schedule::Class;

impl Wide<'_, '_> {
    /// The position of an element, plus an expression: that of the first lane and the stride, or the positions in lanes.
    pub(super) fn position(&self, at: Operand, further: Option<&str>) -> Position {
        let name = self.writer.operand(at);
        match (self.lanes.class(at), further) {
            (Class::Uniform, None) => Position::Same(name),
            (Class::Uniform, Some(further)) => Position::Same(format!("{name} + {further}")),
            (Class::Linear(step), None) => Position::Apart(name, self.step(&step)),
            (Class::Linear(step), Some(further)) => Position::Apart(format!("{name} + {further}"), self.step(&step)),
            (Class::Varying, None) => Position::Any(name),
            (Class::Varying, Some(further)) => {
                Position::Any(format!("{name}.map2({}::splat({further}), i64::wrapping_add)", self.ty(Kind::Int)))
            }
        }
    }

    /// The mask of the lanes that may access elements of their own; none if all may.
    pub(super) fn active_only<'m>(&self, mask: Option<&'m str>) -> Option<&'m str> {
        mask.or(self.rest)
    }

    /// The element: a number if it is the same in all lanes, otherwise lanes.
    pub(super) fn load(&self, element: Element, further: Option<&str>, mask: Option<&str>) -> String {
        let element_at = element.at;
        let name = self.writer.buffer_ref(element.buffer);
        let kind = self.writer.kind_of(element.buffer);
        let own = self.lanes.varying.contains(&element.buffer);
        let apart = self.active_only(mask);
        let lanes = self.mask(apart);
        let (gather, suffix) = if self.strip { ("gather_strip", "strip_") } else { ("gather", "") };
        let (ty, ints, element) = (self.ty(kind), self.ty(Kind::Int), lanes_of(kind));
        match (self.position(element_at, further), own) {
            (Position::Same(at), _) => format!("at({name}, {at})"),
            (Position::Apart(at, step), false) if self.is_plain(kind) && apart.is_none() => {
                format!("{ty}::load({name}, {at}, {step})")
            }
            (Position::Apart(at, step), false) if kind == Kind::Real => {
                format!("{ty}::load_where({name}, {at}, {step}, {lanes})")
            }
            (Position::Apart(at, step), false) => {
                format!("{gather}::<{element}>({name}, {ints}::linear({at}, {step}), {lanes})")
            }
            (Position::Apart(at, step), true) => {
                format!("gather_{suffix}private({name}, {ints}::linear({at}, {step}), {lanes})")
            }
            (Position::Any(at), false) => format!("{gather}::<{element}>({name}, {at}, {lanes})"),
            (Position::Any(at), true) => format!("gather_{suffix}private({name}, {at}, {lanes})"),
        }
    }

    /// Whether elements at positions with a stride are read and written at once.
    fn is_plain(&self, kind: Kind) -> bool {
        match kind {
            Kind::Real => true,
            Kind::Int => !self.strip,
            Kind::Bool => false,
        }
    }

    /// Writes an element: a number if `uniform`, otherwise lanes.
    pub(super) fn store(
        &mut self,
        element: Element,
        further: Option<&str>,
        value: &str,
        uniform: bool,
        mask: Option<&str>,
    ) {
        let name = self.writer.buffer_mut(element.buffer);
        let kind = self.writer.kind_of(element.buffer);
        let own = self.lanes.varying.contains(&element.buffer);
        let apart = self.active_only(mask);
        let lanes = self.mask(apart);
        let spread = if uniform { format!("{}::splat({value})", self.ty(kind)) } else { value.to_string() };
        let line = match (self.position(element.at, further), own) {
            (Position::Same(at), false) => format!("put({name}, {at}, {value});"),
            (Position::Same(at), true) => match mask {
                Some(mask) => {
                    let before = self.writer.buffer_ref(element.buffer);
                    self.line(format!("let before = at({before}, {at});"));
                    format!("put({name}, {at}, {}::select({mask}, {spread}, before));", self.ty(kind))
                }
                None => format!("put({name}, {at}, {spread});"),
            },
            (Position::Apart(at, step), false) if self.is_plain(kind) && apart.is_none() => {
                format!("{spread}.store({name}, {at}, {step});")
            }
            (Position::Apart(at, step), false) if kind == Kind::Real => {
                format!("{spread}.store_where({name}, {at}, {step}, {lanes});")
            }
            (Position::Apart(at, step), false) => {
                format!("scatter({name}, Ints::linear({at}, {step}), {spread}, {lanes});")
            }
            (Position::Apart(at, step), true) => {
                format!("scatter_private({name}, Ints::linear({at}, {step}), {spread}, {lanes});")
            }
            (Position::Any(at), false) => format!("scatter({name}, {at}, {spread}, {lanes});"),
            (Position::Any(at), true) => format!("scatter_private({name}, {at}, {spread}, {lanes});"),
        };
        self.line(line);
    }

    /// Writes the elements of all iterations at the last store of an iteration.
    pub(super) fn store_interleaved(&mut self, element: Element) {
        let row = &self.lanes.interleaved[&element.buffer];
        if row.last != element.at {
            return;
        }
        let values: Vec<String> = row.values.iter().map(|value| self.wide(*value)).collect();
        let (name, at) = (self.writer.buffer_mut(element.buffer), self.writer.operand(row.first));
        self.line(format!("store_interleaved([{}], {name}, {at});", values.join(", ")));
    }

    pub(super) fn add(&mut self, element: Element, value: Operand, mask: Option<&str>) {
        if self.add_near(element, value) {
            return;
        }
        let private = self.lanes.private.contains(&element.buffer);
        let own = self.lanes.varying.contains(&element.buffer);
        let name = self.writer.buffer_mut(element.buffer);
        let ty = self.ty(Kind::Real);
        let masked = |value: String| match mask {
            Some(mask) => format!("{ty}::select({mask}, {value}, {ty}::splat(0.0))"),
            None => value,
        };
        let apart = self.active_only(mask);
        let lanes = self.mask(apart);
        let product = match (value, mask) {
            (Operand::Register(register), None) => self.lanes.fused.get(&register).copied(),
            _ => None,
        };
        let line = match (self.position(element.at, None), private, own) {
            (Position::Same(at), true, true) if product.is_some() => {
                let (a, b) = product.unwrap_or((value, value));
                let before = self.writer.buffer_ref(element.buffer);
                let (a, b) = (self.wide(a), self.wide(b));
                self.line(format!("let before = at({before}, {at});"));
                format!("put({name}, {at}, {a}.fma({b}, before));")
            }
            (Position::Same(at), false, _) if product.is_some() => {
                let (a, b) = product.unwrap_or((value, value));
                let (name, at) = (self.writer.buffer(element.buffer), self.in_part(element.buffer, at));
                format!("add_up_product(&mut {name}_lanes, {at}, {}, {});", self.wide(a), self.wide(b))
            }
            (Position::Same(at), true, false) => format!("add({name}, {at}, {});", self.writer.operand(value)),
            (Position::Same(at), true, true) => format!("add({name}, {at}, {});", masked(self.wide(value))),
            // A buffer to which all iterations add at the same position has a copy for each lane.
            (Position::Same(at), false, _) => {
                let (name, at) = (self.writer.buffer(element.buffer), self.in_part(element.buffer, at));
                format!("add_up(&mut {name}_lanes, {at}, {});", masked(self.wide(value)))
            }
            (Position::Apart(at, step), _, false) if apart.is_none() => {
                format!("{}.add_to({name}, {at}, {step});", self.wide(value))
            }
            (Position::Apart(at, step), _, false) => {
                format!("{}.add_to_where({name}, {at}, {step}, {lanes});", self.wide(value))
            }
            (Position::Apart(at, step), _, true) => {
                let (ints, suffix) = (self.ty(Kind::Int), if self.strip { "strip_" } else { "" });
                let value = self.wide(value);
                format!("scatter_add_{suffix}private({name}, {ints}::linear({at}, {step}), {value}, {lanes});")
            }
            (Position::Any(at), _, false) => format!("scatter_add({name}, {at}, {}, {lanes});", self.wide(value)),
            (Position::Any(at), _, true) => {
                let suffix = if self.strip { "strip_" } else { "" };
                format!("scatter_add_{suffix}private({name}, {at}, {}, {lanes});", self.wide(value))
            }
        };
        self.line(line);
    }

    /// A position in the part of a buffer of which each lane has a copy.
    fn in_part(&self, buffer: Buffer, at: String) -> String {
        match self.lanes.ranges.get(&buffer) {
            Some(range) if range.first != Operand::Int(0) => format!("{at} - {}", self.writer.operand(range.first)),
            _ => at,
        }
    }

    /// Adds near the index: the terms of an element are summed before it is written.
    fn add_near(&mut self, element: Element, value: Operand) -> bool {
        let Some(stencil) = self.lanes.stencils.get(&element.buffer) else { return false };
        let Some(offset) = stencil.distance(element.at) else { return false };
        let shift = offset - stencil.first;
        let (name, value) = (self.writer.buffer(element.buffer).to_string(), self.wide(value));
        let total = self.writer.buffer_mut(element.buffer);
        let index = self.writer.register(self.index).to_string();
        if stencil.is_single() {
            self.line(format!("(Lanes::splat(0.0) + {value}).store({total}, {index}, 1);"));
            return true;
        }
        self.line(match shift {
            0 => format!("{name}_near += {value};"),
            shift => format!("{name}_near += {value}.shifted({shift}, &mut {name}_carry_{shift});"),
        });
        if stencil.places.last().is_some_and(|(place, _)| *place == element.at) {
            let write = if stencil.zeroed.is_some() { "store" } else { "add_to" };
            let from = position(self.writer, stencil, &index);
            self.line(format!("{name}_near.{write}({total}, {from}, 1);"));
        }
        true
    }
}

/// The position of an element.
pub(super) enum Position {
    /// The same in all lanes.
    Same(String),
    /// With a stride from a lane to the next.
    Apart(String, String),
    /// Any in each lane.
    Any(String),
}

/// The type of a vector of numbers of a kind.
fn lanes_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "Lanes",
        Kind::Int => "Ints",
        Kind::Bool => "Mask",
    }
}
