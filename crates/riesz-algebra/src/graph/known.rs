//! Information about nodes, by their addresses.

use super::{Node, Shared};

#[cfg(feature = "std")]
type Map<X> = std::collections::HashMap<usize, X, core::hash::BuildHasherDefault<PlaceHasher>>;
#[cfg(not(feature = "std"))]
type Map<X> = alloc::collections::BTreeMap<usize, X>;

/// A table of facts about the nodes of a graph that may be met again; the others need not be remembered.
///
/// Nodes are told apart by where they are, so the graph must be held meanwhile.
pub struct NodeTable<X>(Map<X>);

impl<X> NodeTable<X> {
    /// Nothing is known.
    pub fn new() -> Self {
        NodeTable(Map::default())
    }

    /// The fact about a node, if it has one.
    pub fn get<T: Node>(&self, node: &Shared<T>) -> Option<&X> {
        if node.is_shared() { self.0.get(&node.place()) } else { None }
    }

    /// Remembers something of a node, where it may be met again.
    pub fn insert<T: Node>(&mut self, node: &Shared<T>, x: impl FnOnce() -> X) {
        if node.is_shared() {
            self.0.insert(node.place(), x());
        }
    }
}

impl<X> Default for NodeTable<X> {
    fn default() -> Self {
        NodeTable::new()
    }
}

/// Places are spread by a multiplication, of which the upper half is good.
#[cfg(feature = "std")]
#[derive(Default)]
struct PlaceHasher(u64);

#[cfg(feature = "std")]
impl core::hash::Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }
    fn write_usize(&mut self, place: usize) {
        self.0 = (self.0 ^ place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}
