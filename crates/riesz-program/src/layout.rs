//! The layout of a value in calls: the numbers and the buffers of which it consists.
//!
//! ```text
//! slots (R)         = [number]
//! slots (A, B)      = slots A ++ slots B
//! slots ([n]R)      = [length] ++ [elements]                 the length where it does not follow from others
//! slots ([n](A, B)) = [length] ++ slots ([n]A) ++ slots ([n]B), without the length of each
//! ```

use crate::program::Kind;
use riesz_core::size::{Atom, Size};
use riesz_core::types::Type;

/// A part of a value that is passed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A number.
    Number(Kind),
    /// How many elements the arrays have that come after it.
    Length,
    /// The elements of an array, row by row.
    Elements(Kind),
}

/// The role of a value that is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// An argument: the sizes that its type names are arguments too.
    Argument,
    /// A result: nothing is known of its sizes.
    Result,
}

impl Passing {
    /// Whether the length of an array of a size is passed with it.
    pub fn with_length(self, size: &Size) -> bool {
        match self {
            Passing::Result => true,
            Passing::Argument => *size == Size::Hole || size.atoms().iter().any(|atom| !matches!(atom, Atom::Var(_))),
        }
    }
}

/// The slots of a value of a type; none where it holds functions or linear maps.
pub fn slots(ty: &Type, passing: Passing) -> Option<Vec<Slot>> {
    let mut found = Vec::new();
    collect(ty, passing, false, &mut found)?;
    Some(found)
}

fn collect(ty: &Type, passing: Passing, inside: bool, found: &mut Vec<Slot>) -> Option<()> {
    match ty {
        Type::Real | Type::Int | Type::Bool | Type::Kept => {
            let kind = kind_of(ty)?;
            found.push(if inside { Slot::Elements(kind) } else { Slot::Number(kind) });
        }
        Type::Array(size, element) => {
            if passing.with_length(size) {
                found.push(Slot::Length);
            }
            collect(element, passing, true, found)?;
        }
        Type::Tuple(_) | Type::Record(_) => {
            for part in ty.components()? {
                collect(&part, passing, inside, found)?;
            }
        }
        Type::Accumulator(inner) => collect(inner, passing, true, found)?,
        Type::Function(_) | Type::Linear(_) | Type::Number(_) | Type::Unknown(_) | Type::Variable(_) | Type::Error => {
            return None;
        }
    }
    Some(())
}

/// The kind of a type of numbers. The residuals of a recursion are a number too: their position in the store.
pub fn kind_of(ty: &Type) -> Option<Kind> {
    match ty {
        Type::Real => Some(Kind::Real),
        Type::Int | Type::Kept => Some(Kind::Int),
        Type::Bool => Some(Kind::Bool),
        _ => None,
    }
}
