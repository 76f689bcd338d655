//! Vectors as they are written: numbers, arrays and tuples.

use crate::space::{Space, SpaceError};
use crate::vector::Vector;

/// A literal before its space is known.
pub(super) enum Literal {
    Number(f64),
    Array(Vec<Literal>),
    Product(Vec<Literal>),
    Typed(Box<Literal>, Space),
}

impl Literal {
    /// The vector it is, of the space that it says or that its numbers tell.
    pub(super) fn vector(&self) -> Result<Vector, SpaceError> {
        let mut values = Vec::new();
        let space = infer(self, &mut values)?;
        Vector::new(space, values)
    }
}

/// The space that the numbers of a literal tell.
fn infer(literal: &Literal, values: &mut Vec<f64>) -> Result<Space, SpaceError> {
    match literal {
        Literal::Number(value) => {
            values.push(*value);
            Ok(Space::Real)
        }
        Literal::Product(parts) => {
            let spaces: Result<Vec<Space>, SpaceError> = parts.iter().map(|part| infer(part, values)).collect();
            Ok(Space::product(spaces?))
        }
        Literal::Array(elements) => {
            let Some((first, rest)) = elements.split_first() else {
                return Err(SpaceError::new("the space of an empty array is written: `([] : [0]R)`"));
            };
            let element = infer(first, values)?;
            for other in rest {
                let space = infer(other, values)?;
                if space != element {
                    return Err(SpaceError::new(format!(
                        "the elements of an array have one space, and here are both {element} and {space}"
                    )));
                }
            }
            Ok(Space::array(elements.len(), element))
        }
        Literal::Typed(literal, space) => fill(literal, space, values),
    }
}

/// The numbers of a literal of a space that is written.
fn fill(literal: &Literal, space: &Space, values: &mut Vec<f64>) -> Result<Space, SpaceError> {
    let fits = match (literal, space) {
        (Literal::Number(value), Space::Real) => {
            values.push(*value);
            true
        }
        (Literal::Array(elements), Space::Array(size, element)) if elements.len() == *size => {
            elements.iter().try_for_each(|literal| fill(literal, element, values).map(drop))?;
            true
        }
        (Literal::Product(literals), Space::Product(parts)) if literals.len() == parts.len() => {
            literals.iter().zip(parts.iter()).try_for_each(|(literal, part)| fill(literal, part, values).map(drop))?;
            true
        }
        _ => false,
    };
    if fits { Ok(space.clone()) } else { Err(SpaceError::new(format!("this is no vector of {space}"))) }
}
