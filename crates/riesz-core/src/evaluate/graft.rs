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
            higher |= matches!(s.order(), Some(2..));
            numbers.push(s.sub(&S::constant(s.value())));
        });
        if higher {
            let message = "a series has no derivatives of a function whose derivative is stated";
            return Err(Box::new(
                Diagnostic::error("not-differentiable", span, message)
                    .help("write the order of `taylor` as a number, up to 8, or nest `D`"),
            ));
        }
        let mut numbers = numbers.into_iter();
        Ok(self.over(&mut |y| {
            let held = S::constant(y.value());
            numbers.next().map_or_else(|| held.clone(), |s| held.add(&s))
        }))
    }
}
