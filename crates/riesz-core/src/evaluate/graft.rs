//! Values with the derivative of others, over numbers that carry one derivative.
//!
//! ```text
//!   graft(y, s) = y + (s − s₀)        where s₀ is s as a constant
//! ```

use super::{Fault, Value};
use riesz_primitive::Number;
use riesz_syntax::{Diagnostic, Span};

impl<S: Number> Value<S> {
    /// The value without its derivatives.
    pub(super) fn held(&self) -> Value<S> {
        self.over(&mut |x| S::constant(x.value()))
    }

    /// The value with the derivative of a tangent of it.
    pub(super) fn grafted(&self, tangent: &Value<S>, span: Span) -> Result<Value<S>, Fault> {
        let (mut numbers, mut higher) = (Vec::new(), false);
        tangent.visit_reals(&mut |s| {
            higher |= !matches!(s.order(), Some(0 | 1));
            numbers.push(s.sub(&S::constant(s.value())));
        });
        if higher {
            let message = "there are no higher derivatives here of a function whose derivative is stated";
            return Err(Box::new(Diagnostic::error("not-differentiable", span, message).help(
                "`taylor` and towers take derivatives of all orders at once; `D` of `D` takes one after the other",
            )));
        }
        let mut numbers = numbers.into_iter();
        Ok(self.over(&mut |y| {
            let held = S::constant(y.value());
            numbers.next().map_or_else(|| held.clone(), |s| held.add(&s))
        }))
    }
}
