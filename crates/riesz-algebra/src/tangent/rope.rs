//! Sequences with concatenation in constant time: `f` then `g`, where each is a step or a sequence.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use crate::graph::{Node, Shared, order};

/// A sequence of steps.
pub struct Rope<L>(Option<Shared<Piece<L>>>);

pub enum Piece<L> {
    Steps(Vec<L>),
    Then(Shared<Piece<L>>, Shared<Piece<L>>),
}

impl<L> Rope<L> {
    pub fn empty() -> Rope<L> {
        Rope(None)
    }

    pub fn step(step: L) -> Rope<L> {
        Rope(Some(Shared::new(Piece::Steps(Vec::from([step])))))
    }

    /// This one, then the other.
    pub fn then(&self, other: &Rope<L>) -> Rope<L> {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(f), Some(g)) => Rope(Some(Shared::new(Piece::Then(f.clone(), g.clone())))),
        }
    }

    /// The same in place: unshared steps are appended to unshared steps.
    pub fn append(&mut self, mut other: Rope<L>) {
        let first = self.0.as_mut().and_then(Shared::get_mut);
        let second = other.0.as_mut().and_then(Shared::get_mut);
        match (first, second) {
            (Some(Piece::Steps(steps)), Some(Piece::Steps(more))) => steps.append(more),
            _ => *self = self.then(&other),
        }
    }

    /// One more step, in place if the steps are not shared.
    pub fn push(&mut self, step: L) {
        match self.0.as_mut().and_then(Shared::get_mut) {
            Some(Piece::Steps(steps)) => steps.push(step),
            _ => self.append(Rope::step(step)),
        }
    }

    /// The same sequence of other steps.
    pub fn map<M>(&self, f: impl Fn(&L) -> M) -> Rope<M> {
        let Some(root) = &self.0 else { return Rope::empty() };
        let mut pieces: Vec<Shared<Piece<M>>> = Vec::new();
        for step in order(root) {
            pieces.push(Shared::new(match step.node {
                Piece::Steps(steps) => Piece::Steps(steps.iter().map(&f).collect()),
                Piece::Then(..) => Piece::Then(pieces[step.parts[0]].clone(), pieces[step.parts[1]].clone()),
            }));
        }
        Rope(pieces.pop())
    }

    /// Takes the steps one after the other, from `state`. What occurs more than once is run once, from `zero`, and what
    /// that gives is merged wherever it occurs.
    pub fn run<S>(
        &self,
        state: S,
        zero: impl Fn() -> S,
        mut step: impl FnMut(&mut S, &L),
        mut merge: impl FnMut(&mut S, &S),
    ) -> S {
        enum Task {
            Run(usize),
            Keep(usize),
        }
        let Some(root) = &self.0 else { return state };
        let steps = order(root);
        let mut uses = vec![0; steps.len()];
        for part in steps.iter().flat_map(|step| step.parts).filter(|part| *part != usize::MAX) {
            uses[part] += 1;
        }
        let mut kept: Vec<Option<S>> = Vec::new();
        kept.resize_with(steps.len(), || None);
        let (mut current, mut outer) = (state, Vec::new());
        let mut tasks = Vec::from([Task::Run(steps.len() - 1)]);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Run(at) => {
                    if let Some(kept) = &kept[at] {
                        merge(&mut current, kept);
                        continue;
                    }
                    if uses[at] > 1 {
                        outer.push(mem::replace(&mut current, zero()));
                        tasks.push(Task::Keep(at));
                    }
                    match steps[at].node {
                        Piece::Steps(several) => several.iter().for_each(|one| step(&mut current, one)),
                        Piece::Then(..) => tasks.extend([Task::Run(steps[at].parts[1]), Task::Run(steps[at].parts[0])]),
                    }
                }
                Task::Keep(at) => {
                    let Some(state) = outer.pop() else { continue };
                    let inner = mem::replace(&mut current, state);
                    merge(&mut current, &inner);
                    kept[at] = Some(inner);
                }
            }
        }
        current
    }
}

impl<L> Clone for Rope<L> {
    fn clone(&self) -> Self {
        Rope(self.0.clone())
    }
}

impl<L> Node for Piece<L> {
    fn parts(&self) -> [Option<&Shared<Self>>; 2] {
        match self {
            Piece::Steps(_) => [None, None],
            Piece::Then(f, g) => [Some(f), Some(g)],
        }
    }

    fn release(&mut self) -> [Option<Shared<Self>>; 2] {
        match mem::replace(self, Piece::Steps(Vec::new())) {
            Piece::Steps(_) => [None, None],
            Piece::Then(f, g) => [Some(f), Some(g)],
        }
    }
}
