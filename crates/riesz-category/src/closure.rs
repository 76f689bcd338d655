//! Shared functions as values, which may be nested a million deep: calling and dropping them extends the stack on
//! demand.

use riesz_linear::count::allocated;
use std::rc::Rc;

/// A shared function.
pub struct Closure<A: 'static, B: 'static>(Option<Shared<A, B>>);

type Shared<A, B> = Rc<dyn Fn(A) -> B>;

/// Room that one call or drop is sure to find.
const RED_ZONE: usize = 64 * 1024;
/// The size of a new segment of the stack.
const GROWTH: usize = 4 * 1024 * 1024;

/// Does something that may nest deeply.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, GROWTH, work)
}

impl<A, B> Closure<A, B> {
    /// The function as a value.
    pub fn new<F: Fn(A) -> B + 'static>(function: F) -> Closure<A, B> {
        allocated(size_of::<F>() + 2 * size_of::<usize>());
        Closure(Some(Rc::new(function)))
    }

    /// The function at an argument.
    pub fn call(&self, argument: A) -> B {
        match &self.0 {
            Some(function) => with_room(|| function(argument)),
            None => unreachable!("a function is taken away only when it is dropped"),
        }
    }
}

impl<A, B> Clone for Closure<A, B> {
    fn clone(&self) -> Closure<A, B> {
        Closure(self.0.clone())
    }
}

impl<A, B> Drop for Closure<A, B> {
    fn drop(&mut self) {
        if let Some(function) = self.0.take()
            && Rc::strong_count(&function) == 1
        {
            with_room(|| drop(function));
        }
    }
}
