//! Representations of linear maps, each a category with biproducts, and three transformers of such categories.

mod additive;
mod matrix;
mod nothing;
mod term;

mod cont;
mod dual;

pub use additive::{Additive, Arrow};
pub use cont::{Cont, Continued};
pub use dual::{Dual, Reversed};
pub use matrix::{Matrices, Rows};
pub use nothing::Nothing;
pub use term::Terms;

/// Beginnings: `newtype Begin r k a b = Begin ((r k a) → (r k b))`, which are continuations with all arrows turned around,
/// before and after. All compositions become right-associated, which is forward mode.   [004 §14]
///
/// ```text
///   Begin k a b = Dual (Cont (Dual k)) a b = Cont (Dual k) b a = (a (Dual k) r) → (b (Dual k) r) = (r k a) → (r k b)
/// ```
pub type Begin<K> = Dual<Cont<Dual<K>>>;

/// A morphism `a ⇝ b`, as what it makes of morphisms to `a`.
pub type Beginning<M> = Reversed<Continued<Reversed<M>>>;

impl<M> Beginning<M> {
    /// `f ∘ h` for a beginning `h : r ⇝ a`
    pub fn after(&self, h: M) -> M {
        self.0.before(Reversed(h)).0
    }
}
