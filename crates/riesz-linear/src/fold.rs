//! A walk over a term: children before parents, shared parts once, with an explicit stack.
//!
//! `fold f m = f(m, [fold f c | c child of m])`

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::language::{Extra, Language};
use crate::map::{Form, Map};

/// A table of facts about maps, by their addresses.
pub(crate) type ByAddress<K, T> = HashMap<K, T, BuildHasherDefault<AddressHasher>>;
type Addresses<K> = HashSet<K, BuildHasherDefault<AddressHasher>>;

/// Addresses differ in their middle bits; one multiplication spreads them.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0.rotate_left(5) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

enum Task<'m, L: Language> {
    Enter(&'m Map<L>),
    Leave(&'m Map<L>),
}

/// A value for a map, from the values of its children.
pub(crate) fn fold<L: Language, T: Clone>(root: &Map<L>, mut value: impl FnMut(&Map<L>, Vec<T>) -> T) -> T {
    let mut tasks = vec![Task::Enter(root)];
    let mut values: Vec<T> = Vec::new();
    let mut known: ByAddress<usize, T> = ByAddress::default();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter(map) => {
                if let Some(value) = known.get(&map.address()) {
                    values.push(value.clone());
                    continue;
                }
                tasks.push(Task::Leave(map));
                tasks.extend(map.children().iter().rev().map(Task::Enter));
            }
            Task::Leave(map) => {
                let children = values.split_off(values.len() - map.children().len());
                let result = value(map, children);
                if map.may_be_shared() {
                    known.insert(map.address(), result.clone());
                }
                values.push(result);
            }
        }
    }
    values.pop().expect("a fold leaves the value of its root")
}

/// Every distinct map in a term, parents before children.
pub(crate) fn visit<'m, L: Language>(root: &'m Map<L>, mut seen: impl FnMut(&'m Map<L>)) {
    let mut tasks = vec![root];
    let mut known = Addresses::default();
    while let Some(map) = tasks.pop() {
        if map.may_be_shared() && !known.insert(map.address()) {
            continue;
        }
        seen(map);
        tasks.extend(map.children().iter().rev());
    }
}

/// The maps that a term contains in more than one place, with numbers that are smaller for parents than for children.
pub(crate) fn shared_parts<L: Language>(root: &Map<L>) -> ByAddress<usize, usize> {
    let (mut entered, mut again) = (Addresses::default(), Addresses::default());
    let mut left = ByAddress::default();
    let mut tasks = vec![Task::Enter(root)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter(map) if map.may_be_shared() && !entered.insert(map.address()) => {
                again.insert(map.address());
            }
            Task::Enter(map) => {
                tasks.push(Task::Leave(map));
                tasks.extend(map.children().iter().rev().map(Task::Enter));
            }
            Task::Leave(map) if map.may_be_shared() => {
                left.insert(map.address(), usize::MAX - left.len());
            }
            Task::Leave(_) => {}
        }
    }
    left.retain(|address, _| again.contains(address));
    left
}

/// Equal as data: the same terms between the same spaces, with numbers compared bit by bit.
impl<L: Language> PartialEq for Map<L> {
    fn eq(&self, other: &Map<L>) -> bool {
        let mut tasks = vec![(self, other)];
        let mut known = Addresses::default();
        while let Some((a, b)) = tasks.pop() {
            if a.is(b) || (a.may_be_shared() && b.may_be_shared() && !known.insert((a.address(), b.address()))) {
                continue;
            }
            if a.domain() != b.domain() || a.codomain() != b.codomain() || !same_form(a, b) {
                return false;
            }
            tasks.extend(a.children().iter().zip(b.children()));
        }
        true
    }
}

impl<L: Language> Eq for Map<L> {}

/// Whether two maps are made alike, up to their children.
fn same_form<L: Language>(a: &Map<L>, b: &Map<L>) -> bool {
    match (a.form(), b.form()) {
        (Form::Scale(k), Form::Scale(l)) => L::same_number(k, l),
        (Form::Diagonal(u), Form::Diagonal(v)) => u == v,
        (Form::RankOne(a), Form::RankOne(b)) => {
            L::same_number(&a.coefficient, &b.coefficient) && a.left == b.left && a.right == b.right
        }
        (Form::Contract(a), Form::Contract(b)) => a == b,
        (Form::Reduce { relation: r, element: v }, Form::Reduce { relation: s, element: w }) => r == s && v == w,
        (Form::Project(i), Form::Project(j)) | (Form::Inject(i), Form::Inject(j)) => i == j,
        (Form::Unitary(u), Form::Unitary(v)) => u == v,
        (Form::Family(f, i, _), Form::Family(g, j, _)) => f == g && i == j,
        (Form::Extra(x), Form::Extra(y)) => x.same(y) && a.children().len() == b.children().len(),
        (a_form, b_form) => {
            std::mem::discriminant(a_form) == std::mem::discriminant(b_form) && a.children().len() == b.children().len()
        }
    }
}
