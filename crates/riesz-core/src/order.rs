//! The order in which the numbers of a value are counted.
//!
//! The components of a record's value are sorted by name, so that `{x = 1, y = 2}` and `{y = 2, x = 1}` are the same value.
//! Where a user counts the numbers of a value, as in the rows and columns of `coo`, the fields are counted as they are
//! declared.

use crate::evaluate::Value;
use crate::term::{Atom, Function, OnMaps};
use crate::types::Type;
use riesz_primitive::Number;
use std::fmt;
use std::sync::Arc;

/// The order of the coordinates of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the value has them.
    Kept,
    /// Element by element, each in this order.
    Elements(Arc<Order>),
    /// The components at these positions, each in its order.
    Parts(Arc<[(usize, Order)]>),
}

impl Order {
    /// The order that the declaration of a type gives.
    pub fn of(ty: &Type) -> Order {
        match (ty, ty.declared()) {
            (Type::Array(_, element), _) => match Order::of(element) {
                Order::Kept => Order::Kept,
                order => Order::Elements(order.into()),
            },
            (_, Some(declared)) => {
                let part = |at: usize| (at, ty.component(at).map_or(Order::Kept, Order::of));
                let parts: Vec<(usize, Order)> = declared.into_iter().map(part).collect();
                match parts.is_sorted_by_key(|(at, _)| *at) && parts.iter().all(|(_, order)| *order == Order::Kept) {
                    true => Order::Kept,
                    false => Order::Parts(parts.into()),
                }
            }
            _ => Order::Kept,
        }
    }

    /// For each coordinate of a value, its position in this order; none where that is its own.
    pub fn positions<S: Number>(&self, space: &Value<S>) -> Option<Vec<usize>> {
        if *self == Order::Kept {
            return None;
        }
        let mut positions = vec![0; space.count_coordinates()];
        self.count(space, 0, &mut 0, &mut positions);
        Some(positions)
    }

    fn count<S: Number>(&self, space: &Value<S>, first: usize, next: &mut usize, positions: &mut [usize]) {
        match self {
            Order::Kept => {
                let count = space.count_coordinates();
                positions[first..first + count].iter_mut().zip(*next..).for_each(|(place, position)| *place = position);
                *next += count;
            }
            Order::Elements(order) => {
                let mut first = first;
                for element in space.elements() {
                    order.count(&element, first, next, positions);
                    first += element.count_coordinates();
                }
            }
            Order::Parts(parts) => {
                let mut firsts = Vec::new();
                let mut all = first;
                for part in space.parts() {
                    firsts.push(all);
                    all += part.count_coordinates();
                }
                for (at, order) in parts.iter() {
                    if let Some(part) = space.parts().get(*at) {
                        order.count(part, firsts[*at], next, positions);
                    }
                }
            }
        }
    }
}

/// `.` for the order of the value, `[o]` for that of elements, `(1 o, 0 o)` for the components in another order.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Order::Kept => write!(f, "."),
            Order::Elements(order) => write!(f, "[{order}]"),
            Order::Parts(parts) => {
                let parts: Vec<String> = parts.iter().map(|(at, order)| format!("{at} {order}")).collect();
                write!(f, "({})", parts.join(", "))
            }
        }
    }
}

/// The orders in which the rows and the columns of a linear map's matrix are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders {
    /// The order of the codomain.
    pub rows: Order,
    /// The order of the domain.
    pub columns: Order,
}

impl Orders {
    /// The orders of the spaces between which a map is stored.
    pub const KEPT: Orders = Orders { rows: Order::Kept, columns: Order::Kept };

    /// The orders in which an operation counts. They follow from the type of the last operand, which is the map that
    /// determines the spaces.
    pub fn of(operation: OnMaps, operands: &[Atom], function: &Function) -> Orders {
        match (operation, operands.last()) {
            (OnMaps::Coo | OnMaps::System | OnMaps::Entries | OnMaps::OfEntries, Some(Atom::Var(map))) => {
                match &function.var(*map).ty {
                    Type::Linear(arrow) => Orders { rows: Order::of(&arrow.1), columns: Order::of(&arrow.0) },
                    _ => Orders::KEPT,
                }
            }
            _ => Orders::KEPT,
        }
    }

    /// The positions for the coordinates of a codomain and of a domain.
    pub fn places<S: Number>(&self, codomain: &Value<S>, domain: &Value<S>) -> Places {
        Places { rows: self.rows.positions(codomain), columns: self.columns.positions(domain) }
    }
}

/// Where the rows and the columns of a matrix are counted: a position for each, or none where that is its own.
pub struct Places {
    rows: Option<Vec<usize>>,
    columns: Option<Vec<usize>>,
}

impl Places {
    /// Whether each is its own.
    pub fn are_kept(&self) -> bool {
        self.rows.is_none() && self.columns.is_none()
    }

    /// The place at which an entry is counted.
    pub fn counted(&self, (row, column): (usize, usize)) -> (usize, usize) {
        let at = |positions: &Option<Vec<usize>>, at: usize| match positions {
            Some(positions) => positions.get(at).copied().unwrap_or(at),
            None => at,
        };
        (at(&self.rows, row), at(&self.columns, column))
    }

    /// The places of entries from those at which they are counted.
    pub fn kept(&self, counted: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        if self.are_kept() {
            return counted;
        }
        let inverse = |positions: &Option<Vec<usize>>| {
            positions.as_ref().map(|positions| {
                let mut inverse = vec![0; positions.len()];
                for (at, position) in positions.iter().enumerate() {
                    inverse.get_mut(*position).into_iter().for_each(|place| *place = at);
                }
                inverse
            })
        };
        let kept = Places { rows: inverse(&self.rows), columns: inverse(&self.columns) };
        counted.into_iter().map(|place| kept.counted(place)).collect()
    }
}
