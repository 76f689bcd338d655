//! Terms of any depth that share their parts.
//!
//! A linear function such as `λd. f (d · 2) + g (d · 3)` could be a closure. But then a part that occurs twice would
//! run twice, and a million nested closures would overflow the stack when they run and when they are dropped. Here such
//! a function is data: a graph of reference-counted nodes. All walks over a graph are loops, and visit each node once.
//! [`Shared`] also frees graphs by a loop.

mod known;

pub use known::NodeTable;

use alloc::sync::Arc;
use alloc::vec::Vec;

/// A node of a graph, held by one or more.
pub struct Shared<T: Node>(Arc<T>);

/// The contents of a node of a graph.
pub trait Node: Sized {
    /// The nodes this one uses, at most two.
    fn parts(&self) -> [Option<&Shared<Self>>; 2];
    /// Takes them out, where the node is no longer needed.
    fn release(&mut self) -> [Option<Shared<Self>>; 2];
}

impl<T: Node> Shared<T> {
    /// A new node.
    pub fn new(node: T) -> Shared<T> {
        Shared(Arc::new(node))
    }

    /// The node itself.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// The node to be changed, where nothing else holds it.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        Arc::get_mut(&mut self.0)
    }

    /// Whether something else holds this node, so that a walk over a graph could come upon it again.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    fn place(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl<T: Node> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T: Node> Drop for Shared<T> {
    fn drop(&mut self) {
        let mut waiting: Vec<Shared<T>> = Vec::new();
        if let Some(node) = self.get_mut() {
            waiting.extend(node.release().into_iter().flatten());
        }
        while let Some(mut next) = waiting.pop() {
            if let Some(node) = next.get_mut() {
                waiting.extend(node.release().into_iter().flatten());
            }
        }
    }
}

/// A node in the order of a walk, with the places of its parts in that order.
pub struct Step<'a, T: Node> {
    /// The node.
    pub node: &'a T,
    /// Where its parts are; `usize::MAX` where it has none, or the walk does not enter it.
    pub parts: [usize; 2],
}

/// All nodes of a graph, each once and after its parts; the root is the last.
pub fn order<T: Node>(root: &Shared<T>) -> Vec<Step<'_, T>> {
    order_where([root], |_| true).0
}

/// The nodes of several graphs that a walk meets which enters only some, each once and after its parts, and the places
/// of those roots that it enters.
pub fn order_where<'a, T: Node>(
    roots: impl IntoIterator<Item = &'a Shared<T>>,
    enters: impl Fn(&T) -> bool,
) -> (Vec<Step<'a, T>>, Vec<usize>) {
    enum Task<'a, T: Node> {
        Enter(&'a Shared<T>),
        Leave(&'a Shared<T>),
    }
    let mut steps = Vec::new();
    let mut tasks: Vec<Task<'a, T>> = roots.into_iter().filter(|root| enters(root.get())).map(Task::Enter).collect();
    tasks.reverse();
    let entered = |part: &Option<&'a Shared<T>>| part.is_some_and(|part| enters(part.get()));
    // the places of nodes that are entered and not yet used, as on the stack of an evaluation
    let mut places: Vec<usize> = Vec::new();
    let mut known: NodeTable<usize> = NodeTable::new();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter(shared) => {
                if let Some(place) = known.get(shared) {
                    places.push(*place);
                    continue;
                }
                let [first, second] = shared.get().parts().map(|part| part.filter(|part| enters(part.get())));
                tasks.push(Task::Leave(shared));
                tasks.extend(second.map(Task::Enter));
                tasks.extend(first.map(Task::Enter));
            }
            Task::Leave(shared) => {
                let [first, second] = shared.get().parts().map(|part| entered(&part));
                let second = if second { places.pop() } else { None };
                let first = if first { places.pop() } else { None };
                let place = steps.len();
                steps.push(Step { node: shared.get(), parts: [first, second].map(|part| part.unwrap_or(usize::MAX)) });
                places.push(place);
                known.insert(shared, || place);
            }
        }
    }
    (steps, places)
}
