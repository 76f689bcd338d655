//! Scopes: the meaning of a name at a place.
//!
//! A scope can be stored and used later, when more names have been bound: functions that are expanded at their use see
//! the names at their definition. A scope is therefore a frame and a time: later bindings of the same frame are not
//! visible.

use super::call::Callable;
use crate::term::Atom;
use crate::types::Type;
use riesz_syntax::tree::Name;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The meaning of a name.
#[derive(Clone)]
pub(crate) enum Entry {
    /// A value.
    Value(Atom, Type),
    /// A function, expanded where it is used.
    Callable(Rc<Callable>),
    /// Data from outside, read at the type that its use asks for.
    Data(usize),
}

/// The names seen at a place, each with what it means there: an [`Entry`] where expressions are checked, nothing more
/// than that it is local where the needs of an item are found.
pub(crate) struct Scope<E = Entry> {
    frame: Rc<Frame<E>>,
    moment: u32,
}

struct Frame<E> {
    parent: Option<Scope<E>>,
    bound: RefCell<Bound<E>>,
}

struct Bound<E> {
    count: u32,
    entries: FxHashMap<Name, Vec<(u32, E)>>,
}

impl<E> Clone for Scope<E> {
    fn clone(&self) -> Scope<E> {
        Scope { frame: self.frame.clone(), moment: self.moment }
    }
}

impl<E> Default for Scope<E> {
    fn default() -> Scope<E> {
        Scope { frame: Rc::new(Frame { parent: None, bound: RefCell::default() }), moment: 0 }
    }
}

impl<E> Default for Bound<E> {
    fn default() -> Bound<E> {
        Bound { count: 0, entries: FxHashMap::default() }
    }
}

impl<E: Clone> Scope<E> {
    /// A scope inside this one.
    pub fn inner(&self) -> Scope<E> {
        Scope { frame: Rc::new(Frame { parent: Some(self.clone()), bound: RefCell::default() }), moment: 0 }
    }

    /// Binds a name from now on.
    pub fn bind(&mut self, name: Name, entry: E) {
        let mut bound = self.frame.bound.borrow_mut();
        bound.count += 1;
        let moment = bound.count;
        bound.entries.entry(name).or_default().push((moment, entry));
        self.moment = moment;
    }

    /// The meaning of a name here.
    pub fn find(&self, name: &str) -> Option<E> {
        let mut scope = self;
        loop {
            if let Some(entries) = scope.frame.bound.borrow().entries.get(name)
                && let before = entries.partition_point(|(moment, _)| *moment <= scope.moment)
                && let Some((_, entry)) = entries[..before].last()
            {
                return Some(entry.clone());
            }
            scope = scope.frame.parent.as_ref()?;
        }
    }

    /// Every name bound here or around here.
    pub fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        let mut scope = Some(self);
        while let Some(Scope { frame, .. }) = scope {
            names.extend(frame.bound.borrow().entries.keys().cloned());
            scope = frame.parent.as_ref();
        }
        names
    }
}
