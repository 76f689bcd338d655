//! The call graph: the functions that some functions need, callees first, which of them are recursive, and the number
//! of references to each.

use riesz_core::reachable::visit_functions;
use riesz_core::term::{Body, FunctionId, Op, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The calls among the functions that some functions need.
pub(crate) struct Calls {
    /// The functions, each after those it calls unless they call it too.
    pub order: Vec<FunctionId>,
    recursive: FxHashSet<FunctionId>,
    references: FxHashMap<FunctionId, usize>,
    /// The functions that something other than a call refers to.
    values: FxHashSet<FunctionId>,
}

impl Calls {
    pub fn of(program: &Program, roots: &[FunctionId]) -> Calls {
        let mut functions = program.reachable(roots).functions;
        functions.sort_unstable();
        let called: FxHashMap<FunctionId, Vec<FunctionId>> =
            functions.iter().map(|&id| (id, called_by(program, id))).collect();
        let mut values = FxHashSet::default();
        functions.iter().for_each(|&id| values_of(&program.function(id).body, &mut values));
        let mut references: FxHashMap<FunctionId, usize> = FxHashMap::default();
        for callee in called.values().flatten() {
            *references.entry(*callee).or_default() += 1;
        }
        // The roots are called from outside.
        for root in roots {
            *references.entry(*root).or_default() += 2;
        }
        let mut search = Search { called: &called, found: FxHashMap::default(), stack: Vec::new(), groups: Vec::new() };
        functions.iter().for_each(|&id| search.from(id));
        let recursive = (search.groups.iter())
            .filter(|group| group.len() > 1 || called[&group[0]].contains(&group[0]))
            .flatten()
            .copied()
            .collect();
        Calls { order: search.groups.concat(), recursive, references, values }
    }

    /// Whether a function can come to call itself.
    pub fn is_recursive(&self, id: FunctionId) -> bool {
        self.recursive.contains(&id)
    }

    /// Whether there is only one place that refers to a function.
    pub fn is_called_once(&self, id: FunctionId) -> bool {
        self.references.get(&id) == Some(&1)
    }

    /// Whether nothing is left of a function once its only call has become its body.
    pub fn is_absorbed(&self, id: FunctionId) -> bool {
        self.is_called_once(id) && !self.is_recursive(id) && !self.values.contains(&id)
    }
}

/// The functions that are made values of.
fn values_of(body: &Body, found: &mut FxHashSet<FunctionId>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            match &binding.op {
                Op::Closure(function, _) => found.extend([*function]),
                Op::Map { forward, reverse, .. } => found.extend([*forward, *reverse]),
                Op::Ruled(ruled, _) => found.extend(ruled.functions()),
                op => op.visit_bodies(&mut |body| values_of(body, found)),
            }
        }
    });
}

fn called_by(program: &Program, id: FunctionId) -> Vec<FunctionId> {
    let mut called = Vec::new();
    visit_functions(&program.function(id).body, &mut |callee| called.push(callee));
    called
}

/// Tarjan's strongly connected components, without recursion.
struct Search<'c> {
    called: &'c FxHashMap<FunctionId, Vec<FunctionId>>,
    /// The number of each function found, and the least number it is known to reach on the stack; none once it is in a
    /// group.
    found: FxHashMap<FunctionId, (usize, Option<usize>)>,
    stack: Vec<FunctionId>,
    groups: Vec<Vec<FunctionId>>,
}

impl Search<'_> {
    fn from(&mut self, start: FunctionId) {
        if self.found.contains_key(&start) {
            return;
        }
        self.enter(start);
        let mut path = vec![(start, 0)];
        while let Some((id, next)) = path.last_mut() {
            let id = *id;
            match self.called[&id].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    match self.found.get(&callee) {
                        None => {
                            self.enter(callee);
                            path.push((callee, 0));
                        }
                        Some((number, Some(_))) => self.reaches(id, *number),
                        Some((_, None)) => {}
                    }
                }
                None => {
                    path.pop();
                    self.leave(id);
                    if let (Some((above, _)), (_, Some(least))) = (path.last(), self.found[&id]) {
                        self.reaches(*above, least);
                    }
                }
            }
        }
    }

    fn enter(&mut self, id: FunctionId) {
        let number = self.found.len();
        self.found.insert(id, (number, Some(number)));
        self.stack.push(id);
    }

    fn reaches(&mut self, id: FunctionId, number: usize) {
        if let Some((_, Some(least))) = self.found.get_mut(&id) {
            *least = (*least).min(number);
        }
    }

    /// Everything above a function on the stack is its group, unless it reaches something below.
    fn leave(&mut self, id: FunctionId) {
        let (number, least) = self.found[&id];
        if least != Some(number) {
            return;
        }
        let at = self.stack.iter().rposition(|&other| other == id).unwrap_or_default();
        let group = self.stack.split_off(at);
        for member in &group {
            if let Some((_, least)) = self.found.get_mut(member) {
                *least = None;
            }
        }
        self.groups.push(group);
    }
}
