//! A walk over a term: children before parents, shared parts once, with an explicit stack.
//!
//! `fold f m = f(m, [fold f c | c child of m])`

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::map::{Form, LinearMap};
use crate::vector::same;

/// What is known of maps by their addresses.
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

/// A value for a map, from the values of its children.
pub(crate) fn fold<T: Clone>(root: &LinearMap, mut value: impl FnMut(&LinearMap, Vec<T>) -> T) -> T {
    enum Task<'m> {
        Enter(&'m LinearMap),
        Leave(&'m LinearMap),
    }
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
pub(crate) fn visit<'m>(root: &'m LinearMap, mut seen: impl FnMut(&'m LinearMap)) {
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
pub(crate) fn shared_parts(root: &LinearMap) -> ByAddress<usize, usize> {
    enum Task<'m> {
        Enter(&'m LinearMap),
        Leave(&'m LinearMap),
    }
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
impl PartialEq for LinearMap {
    fn eq(&self, other: &LinearMap) -> bool {
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

impl Eq for LinearMap {}

/// Whether two maps are made alike, up to their children.
fn same_form(a: &LinearMap, b: &LinearMap) -> bool {
    match (a.form(), b.form()) {
        (Form::Scale(k), Form::Scale(l)) => k.to_bits() == l.to_bits(),
        (Form::Diagonal(u), Form::Diagonal(v)) => u == v,
        (Form::RankOne(a), Form::RankOne(b)) => {
            same(&[a.coefficient], &[b.coefficient]) && a.left == b.left && a.right == b.right
        }
        (Form::Contract(a), Form::Contract(b)) => a == b,
        (Form::Reduce { relation: r, element: v }, Form::Reduce { relation: s, element: w }) => r == s && v == w,
        (Form::Project(i), Form::Project(j)) | (Form::Inject(i), Form::Inject(j)) => i == j,
        (Form::Unitary(u), Form::Unitary(v)) => u == v,
        (a_form, b_form) => {
            std::mem::discriminant(a_form) == std::mem::discriminant(b_form) && a.children().len() == b.children().len()
        }
    }
}
