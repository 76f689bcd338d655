//! Functions on finite types as data, each value computed once.   [001 §11.2]
//!
//! ```text
//! (0 → t) ≅ ()      (1 → t) ≅ t      (a + b → t) ≅ (a → t, b → t)      (a × b → t) ≅ (a → (b → t))
//! ```

use alloc::string::String;
use core::convert::Infallible;
use core::fmt::Debug;

use crate::finite::{Below, Either, Finite};
use crate::law::equal;

/// A type the functions on which can be written down.
pub trait HasTrie: Finite + 'static {
    /// A function to `T`, written down.
    type Trie<T: Clone + 'static>: Clone + 'static;
    /// Writes a function down; it is called once for each value.
    fn trie<T: Clone + 'static>(f: &mut dyn FnMut(&Self) -> T) -> Self::Trie<T>;
    /// The value of the function.
    fn untrie<'a, T: Clone + 'static>(&self, trie: &'a Self::Trie<T>) -> &'a T;

    /// `f ∘ g`
    fn map<S: Clone + 'static, T: Clone + 'static>(trie: &Self::Trie<S>, f: &mut dyn FnMut(&S) -> T) -> Self::Trie<T> {
        Self::trie(&mut |x| f(x.untrie(trie)))
    }

    /// `x ↦ f (g x) (h x)`
    fn zip<R: Clone + 'static, S: Clone + 'static, T: Clone + 'static>(
        left: &Self::Trie<R>,
        right: &Self::Trie<S>,
        f: &mut dyn FnMut(&R, &S) -> T,
    ) -> Self::Trie<T> {
        Self::trie(&mut |x| f(x.untrie(left), x.untrie(right)))
    }
}

/// That a function that was written down is the function: `untrie (trie f) = f`.
///
/// # Errors
/// Where they differ, both sides.
pub fn trie_laws<A: HasTrie, T: Clone + PartialEq + Debug + 'static>(mut f: impl FnMut(&A) -> T) -> Result<(), String> {
    let trie = A::trie(&mut f);
    A::all().try_for_each(|x| equal("untrie (trie f) = f", x.untrie(&trie), &f(&x)))
}

impl HasTrie for Infallible {
    type Trie<T: Clone + 'static> = ();
    fn trie<T: Clone + 'static>(_: &mut dyn FnMut(&Self) -> T) {}
    fn untrie<'a, T: Clone + 'static>(&self, (): &'a ()) -> &'a T {
        match *self {}
    }
}

impl HasTrie for () {
    type Trie<T: Clone + 'static> = T;
    fn trie<T: Clone + 'static>(f: &mut dyn FnMut(&Self) -> T) -> T {
        f(&())
    }
    fn untrie<'a, T: Clone + 'static>(&self, trie: &'a T) -> &'a T {
        trie
    }
}

impl<const N: usize> HasTrie for Below<N> {
    type Trie<T: Clone + 'static> = [T; N];
    fn trie<T: Clone + 'static>(f: &mut dyn FnMut(&Self) -> T) -> [T; N] {
        Below::array(|x| f(&x))
    }
    fn untrie<'a, T: Clone + 'static>(&self, trie: &'a [T; N]) -> &'a T {
        &trie[self.get()]
    }
}

impl<A: HasTrie, B: HasTrie> HasTrie for Either<A, B> {
    type Trie<T: Clone + 'static> = (A::Trie<T>, B::Trie<T>);
    fn trie<T: Clone + 'static>(f: &mut dyn FnMut(&Self) -> T) -> Self::Trie<T> {
        let left = A::trie(&mut |a| f(&Either::Left(a.clone())));
        (left, B::trie(&mut |b| f(&Either::Right(b.clone()))))
    }
    fn untrie<'a, T: Clone + 'static>(&self, (left, right): &'a Self::Trie<T>) -> &'a T {
        match self {
            Either::Left(a) => a.untrie(left),
            Either::Right(b) => b.untrie(right),
        }
    }
}

impl<A: HasTrie, B: HasTrie> HasTrie for (A, B) {
    type Trie<T: Clone + 'static> = A::Trie<B::Trie<T>>;
    fn trie<T: Clone + 'static>(f: &mut dyn FnMut(&Self) -> T) -> Self::Trie<T> {
        A::trie(&mut |a| B::trie(&mut |b| f(&(a.clone(), b.clone()))))
    }
    fn untrie<'a, T: Clone + 'static>(&self, trie: &'a Self::Trie<T>) -> &'a T {
        self.1.untrie(self.0.untrie(trie))
    }
}
