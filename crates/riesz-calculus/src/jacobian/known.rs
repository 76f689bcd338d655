//! The facts that the walk of a Jacobian knows about a value.

use super::graph::{Hop, Node};
use riesz_core::term::{Atom, Body, Function, Iteration, Place, Var};
use riesz_core::types::Type;
use riesz_primitive::array::Reindex;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The facts about a value.
#[derive(Clone)]
pub(super) enum Split<'a> {
    /// It does not vary.
    Plain(Atom),
    /// A number that varies.
    Number(Atom, Node),
    /// The components of a tuple or record.
    Parts(Vec<Split<'a>>),
    /// The elements of a short array.
    Elements(Vec<Split<'a>>),
    /// A part of the point, with where it stands.
    Input(Atom, Vec<Hop>),
    /// An array known by how its elements are made.
    Built(Rc<Built<'a>>),
    /// Arrays one after the other, in a system.
    Joined(Vec<Split<'a>>),
    /// An accumulator.
    Accumulator(Rc<Accumulated<'a>>),
}

impl Split<'_> {
    pub fn is_plain(&self) -> bool {
        match self {
            Split::Plain(_) => true,
            Split::Parts(parts) | Split::Elements(parts) => parts.iter().all(Split::is_plain),
            _ => false,
        }
    }
}

/// An array known by how its elements are made.
pub(super) struct Built<'a> {
    pub count: Atom,
    pub element: Element<'a>,
}

/// How an element is made.
pub(super) enum Element<'a> {
    /// By a body, as its result or a component of that.
    Iteration { iteration: &'a Iteration, component: Option<usize>, frame: Rc<Frame<'a>> },
    /// As the sum of the elements of two arrays.
    Plus(Split<'a>, Split<'a>),
    /// It is the element at another index, which the length of the array and the other arguments of a function tell.
    Moved { of: Split<'a>, reindex: &'static Reindex, others: Vec<Atom> },
    /// As a zero.
    Zero(Type),
    /// As what is added up at a place.
    Sum { of: Rc<Accumulated<'a>>, ty: Type, path: Vec<Hop> },
}

/// The sum in an accumulator, as the statements that add to it.
pub(super) struct Accumulated<'a> {
    pub ty: Type,
    /// A serial number: accumulators made earlier have smaller ones.
    pub serial: usize,
    pub additions: RefCell<Vec<Addition<'a>>>,
}

/// One statement that adds.
#[derive(Clone)]
pub(super) struct Addition<'a> {
    /// The loops and branches around it, the outermost first.
    pub around: Vec<Enclosing<'a>>,
    /// The facts outside of the loops.
    pub frame: Rc<Frame<'a>>,
    /// The variable that it binds.
    pub statement: Var,
    pub place: &'a [Place],
    pub value: Atom,
}

impl<'a> Addition<'a> {
    /// The loops around it.
    pub fn loops(&self) -> impl Iterator<Item = &'a Iteration> {
        self.around.iter().filter_map(|around| match around {
            Enclosing::Loop(iteration) => Some(*iteration),
            Enclosing::Branch { .. } => None,
        })
    }
}

/// The loop or the branch around a statement.
#[derive(Clone, Copy)]
pub(super) enum Enclosing<'a> {
    Loop(&'a Iteration),
    /// A branch that is taken where a condition has a value.
    Branch {
        condition: Atom,
        body: &'a Body,
        taken: bool,
    },
}

impl<'a> Enclosing<'a> {
    pub fn body(&self) -> &'a Body {
        match self {
            Enclosing::Loop(iteration) => &iteration.body,
            Enclosing::Branch { body, .. } => body,
        }
    }
}

/// The facts about the variables of a body.
pub(super) struct Frame<'a> {
    pub function: &'a Function,
    values: RefCell<FxHashMap<Var, Split<'a>>>,
    around: Option<Rc<Frame<'a>>>,
}

impl<'a> Frame<'a> {
    pub fn of(function: &'a Function) -> Rc<Frame<'a>> {
        Rc::new(Frame { function, values: RefCell::default(), around: None })
    }

    pub fn inside(around: &Rc<Frame<'a>>) -> Rc<Frame<'a>> {
        Rc::new(Frame { function: around.function, values: RefCell::default(), around: Some(around.clone()) })
    }

    pub fn set(&self, var: Var, known: Split<'a>) {
        self.values.borrow_mut().insert(var, known);
    }

    /// The facts about an operand; `None` if there are none.
    pub fn atom(&self, atom: Atom) -> Option<Split<'a>> {
        let Atom::Var(var) = atom else { return Some(Split::Plain(atom)) };
        let mut frame = self;
        loop {
            if let Some(known) = frame.values.borrow().get(&var) {
                return Some(known.clone());
            }
            frame = frame.around.as_deref()?;
        }
    }
}
