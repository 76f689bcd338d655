//! Sums of vectors that contain linear maps. A map varies with its captured values, so a sum of maps consists of both,
//! and its space is the product of theirs:
//!
//! ```text
//!   space (m + k) = (space m, space k)      D (+) at (m, k) = id
//! ```
//!
//! A zero of unknown shape leaves the other operand unchanged.

use super::control::path;
use super::keep::fork_to_array;
use super::operation::derivative;
use super::{Context, Outcome, component};
use crate::category::Linear;
use crate::combinator::Operation;
use riesz_core::evaluate::{Fault, Value};
use riesz_core::term::Place;
use riesz_linear::Space;
use std::rc::Rc;

/// An operation that adds one vector to another.
pub(super) struct Addition<'a> {
    pub context: &'a Context,
    pub operation: &'a Operation,
}

impl Addition<'_> {
    /// Adds at the end of a path into the first vector; the places of elements are given. From the space of both.
    pub fn at<K: Linear<Morphism: 'static> + 'static>(
        &self,
        total: &Value<f64>,
        path_to: &[usize],
        value: &Value<f64>,
        from: &Space,
    ) -> Outcome<K::Morphism> {
        let [index, rest @ ..] = path_to else { return self.whole::<K>(total, value, from) };
        self.parts::<K>(total, from, |at, part| {
            if at != *index {
                return Ok((part.clone(), path::<K>(&[0, at], from)));
            }
            let both = K::fork(from, vec![path::<K>(&[0, at], from), path::<K>(&[1], from)]);
            let (sum, map) = self.at::<K>(part, rest, value, &K::codomain(&both))?;
            Ok((sum, K::after(map, both)))
        })
    }

    /// Adds two vectors.
    fn whole<K: Linear<Morphism: 'static> + 'static>(
        &self,
        a: &Value<f64>,
        b: &Value<f64>,
        from: &Space,
    ) -> Outcome<K::Morphism> {
        let alike = a.parts().len() == b.parts().len() && a.len() == b.len();
        match (a, b) {
            (Value::Zero, _) => Ok((b.clone(), K::project(1, from))),
            (_, Value::Zero) => Ok((a.clone(), K::project(0, from))),
            (Value::Map(left), Value::Map(right)) => {
                let sum = self.evaluated(a, b)?;
                let map = match &sum {
                    Value::Map(sum) if Rc::ptr_eq(sum, left) => K::project(0, from),
                    Value::Map(sum) if Rc::ptr_eq(sum, right) => K::project(1, from),
                    _ => K::identity(from),
                };
                Ok((sum, map))
            }
            (Value::Tuple(_), Value::Tuple(_)) | (Value::Values(_), Value::Values(_))
                if alike && (a.holds_maps() || b.holds_maps()) =>
            {
                self.parts::<K>(a, from, |at, part| {
                    let both = K::fork(from, vec![path::<K>(&[0, at], from), path::<K>(&[1, at], from)]);
                    let (sum, map) = self.whole::<K>(part, &component(b, at), &K::codomain(&both))?;
                    Ok((sum, K::after(map, both)))
                })
            }
            _ => {
                let sum = self.evaluated(a, b)?;
                let map = derivative::<K>(self.operation, &[a.clone(), b.clone()], from, &sum);
                Ok((sum, map))
            }
        }
    }

    /// A tuple or array like another, part by part.
    fn parts<K: Linear<Morphism: 'static> + 'static>(
        &self,
        like: &Value<f64>,
        from: &Space,
        mut part: impl FnMut(usize, &Value<f64>) -> Outcome<K::Morphism>,
    ) -> Outcome<K::Morphism> {
        let count = like.parts().len() + like.len();
        let (mut values, mut maps) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for at in 0..count {
            let (value, map) = part(at, &component(like, at))?;
            values.push(value);
            maps.push(map);
        }
        Ok(match like {
            Value::Tuple(_) => (Value::Tuple(values.into()), K::fork(from, maps)),
            _ => (super::array(values), fork_to_array::<K>(from, maps)),
        })
    }

    fn evaluated(&self, a: &Value<f64>, b: &Value<f64>) -> Result<Value<f64>, Fault> {
        self.context.evaluate(self.operation, &Value::Tuple([a.clone(), b.clone()].into()))
    }
}

/// The places that a path leads to, where the operands between the total and the value are the indices of elements.
pub(super) fn places(path: &[Place], operands: &[Value<f64>]) -> Vec<usize> {
    let mut indices = operands.iter().skip(1);
    let index = |place: &Place| match place {
        Place::Component(at) => *at,
        Place::Element(_) => indices.next().map_or(0, |index| usize::try_from(index.int()).unwrap_or(0)),
    };
    path.iter().map(index).collect()
}
