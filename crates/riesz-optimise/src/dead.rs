//! `x = e; b` is `b` if `b` does not use `x`: unused values are not computed.
//!
//! - A binding whose value is unused, and that adds to no accumulator, is removed.
//! - An accumulator that is never read is removed with all additions to it, and so are the cotangents that no result
//!   needs.
//! - Unused components are removed from arrays that are built together, from the values that a loop records, and from
//!   the tuple of a conditional; a single remaining component needs no tuple.

use riesz_core::Type;
use riesz_core::build::{fresh, type_of};
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Recurrence, Var, VarInfo};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Drops what is dead in a function.
pub(crate) fn dead(function: &mut Function) {
    drop_dead(&mut function.body, &function.vars);
    if drop_components(function) {
        drop_dead(&mut function.body, &function.vars);
    }
}

/// Drops what is dead in a body, whose variables `vars` knows.
pub fn drop_dead(body: &mut Body, vars: &[VarInfo]) {
    let mut made = FxHashSet::default();
    let mut read = FxHashSet::default();
    accumulators(body, &mut made, &mut read);
    // Accumulators that were passed in, or that something looks at, matter.
    let idle = made.difference(&read).copied().collect();
    let mut sweep = Sweep { vars, live: vec![false; vars.len()], idle };
    sweep.body(body);
}

/// The accumulators made in a body, and those that something other than `+=` uses.
fn accumulators(body: &Body, made: &mut FxHashSet<Var>, used: &mut FxHashSet<Var>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            let mut uses = |atom: &Atom| {
                if let Atom::Var(var) = atom {
                    used.insert(*var);
                }
            };
            match &binding.op {
                Op::Accumulator => {
                    made.insert(binding.var);
                }
                Op::AddTo(_, _, value) => uses(value),
                op => op.visit_atoms(&mut uses),
            }
            binding.op.visit_bodies(&mut |body| accumulators(body, made, used));
        }
    });
}

struct Sweep<'v> {
    vars: &'v [VarInfo],
    /// Which variables something uses.
    live: Vec<bool>,
    /// Accumulators that are not read.
    idle: FxHashSet<Var>,
}

impl Sweep<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.atom(body.result);
            for at in (0..body.bindings.len()).rev() {
                let binding = &mut body.bindings[at];
                if self.live[binding.var.0 as usize] || self.has_effect(&binding.op) {
                    let vars = self.vars;
                    self.ty(&vars[binding.var.0 as usize].ty);
                    binding.op.visit_bodies_mut(&mut |body| self.body(body));
                    binding.op.visit_atoms(&mut |atom| self.atom(*atom));
                    binding.op.visit_bound(&mut |var| self.atom(Atom::Var(*var)));
                } else {
                    // Marked for removal below; positions must stay while the body is swept.
                    binding.op = Op::Copy(Atom::Var(binding.var));
                }
            }
            body.bindings.retain(|binding| !matches!(binding.op, Op::Copy(Atom::Var(var)) if var == binding.var));
        });
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom
            && !std::mem::replace(&mut self.live[var.0 as usize], true)
        {
            let vars = self.vars;
            self.ty(&vars[var.0 as usize].ty);
        }
    }

    fn ty(&mut self, ty: &Type) {
        ty.visit_variables(&mut |var| self.atom(Atom::Var(var)));
    }

    fn has_effect(&self, op: &Op) -> bool {
        let active = |atom: &Atom| match atom {
            Atom::Var(var) => matches!(self.vars[var.0 as usize].ty, Type::Accumulator(_)) && !self.idle.contains(var),
            _ => false,
        };
        match op {
            Op::AddTo(accumulator, ..) => active(accumulator),
            Op::Call(_, arguments) => arguments.iter().any(active),
            Op::CheckSizes(..) => true,
            _ => {
                let mut found = false;
                op.visit_bodies(&mut |body| found |= body.bindings.iter().any(|binding| self.has_effect(&binding.op)));
                found
            }
        }
    }
}

// ---- components ----

/// Drops components of tuples that are never taken; whether there were any.
fn drop_components(function: &mut Function) -> bool {
    let mut taken = Taken { vars: &function.vars, components: FxHashMap::default(), whole: FxHashSet::default() };
    taken.body(&function.body);
    let Taken { components, whole, .. } = taken;
    let kept: FxHashMap<Var, Vec<bool>> = (components.into_iter())
        .filter(|(var, taken)| !whole.contains(var) && (taken.len() == 1 || taken.contains(&false)))
        .collect();
    if kept.is_empty() {
        return false;
    }
    let mut dropping = Dropping { vars: &mut function.vars, kept, before: FxHashMap::default() };
    dropping.body(&mut function.body);
    true
}

/// Which components of the tuples that some operations make are ever taken.
struct Taken<'v> {
    vars: &'v [VarInfo],
    components: FxHashMap<Var, Vec<bool>>,
    whole: FxHashSet<Var>,
}

impl Taken<'_> {
    fn body(&mut self, body: &Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for Binding { var, op, .. } in &body.bindings {
                // The state of a loop, and the number of its iterations, have their place.
                let fixed = match op {
                    Op::Builds(_) | Op::If { .. } => Some(0),
                    Op::Trace(_) => Some(1),
                    Op::TraceWhile { .. } => Some(2),
                    _ => None,
                };
                if let Some(fixed) = fixed
                    && let Some(parts) = self.vars[var.0 as usize].ty.components()
                    && !parts.is_empty()
                {
                    self.components.insert(*var, (0..parts.len()).map(|at| at < fixed).collect());
                }
                match op {
                    Op::Project(Atom::Var(tuple), at) => match self.components.get_mut(tuple) {
                        Some(taken) => taken[*at] = true,
                        None => {
                            self.whole.insert(*tuple);
                        }
                    },
                    op => op.visit_atoms(&mut |atom| self.atom(*atom)),
                }
                op.visit_bodies(&mut |body| self.body(body));
            }
            self.atom(body.result);
        });
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.whole.insert(var);
        }
    }
}

/// Rewrites operations to make fewer components, and what takes them.
struct Dropping<'v> {
    vars: &'v mut Vec<VarInfo>,
    /// The components that each tuple keeps.
    kept: FxHashMap<Var, Vec<bool>>,
    /// The variables of the components that are left, by their former positions.
    before: FxHashMap<Var, Vec<Option<usize>>>,
}

impl Dropping<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for Binding { var, op, span } in &mut body.bindings {
                if let Op::Project(Atom::Var(tuple), at) = op {
                    match self.before.get(tuple).map(|places| (places[*at], self.is_bare(*tuple))) {
                        Some((_, true)) => *op = Op::Copy(Atom::Var(*tuple)),
                        Some((Some(now), false)) => *at = now,
                        _ => {}
                    }
                } else if let Some(kept) = self.kept.get(var).cloned() {
                    self.shrink(*var, op, &kept, *span);
                }
                op.visit_bodies_mut(&mut |body| self.body(body));
            }
        });
    }

    /// Whether what was a tuple is now its only component.
    fn is_bare(&self, var: Var) -> bool {
        self.kept.get(&var).is_some_and(|kept| kept.iter().filter(|kept| **kept).count() == 1)
    }

    fn shrink(&mut self, var: Var, op: &mut Op, kept: &[bool], span: Span) {
        let types = self.vars[var.0 as usize].ty.components().unwrap_or_default();
        let chosen: Vec<Type> = types.into_iter().zip(kept).filter(|(_, kept)| **kept).map(|(ty, _)| ty).collect();
        let bare = chosen.len() == 1;
        self.vars[var.0 as usize].ty = Type::tuple(chosen);
        let mut now = 0;
        let places = (kept.iter()).map(|kept| {
            now += usize::from(*kept);
            kept.then(|| now - 1)
        });
        self.before.insert(var, places.collect());
        match op {
            Op::Builds(iteration) => {
                self.choose(&mut iteration.body, kept, span);
                if bare {
                    let Iteration { count, index, body } = iteration;
                    let body = std::mem::replace(body, Body { bindings: Vec::new(), result: Atom::Int(0) });
                    *op = Op::Build(Iteration { count: *count, index: *index, body });
                }
            }
            Op::If { yes, no, .. } => {
                self.choose(yes, kept, span);
                self.choose(no, kept, span);
            }
            Op::Trace(recurrence) => {
                self.choose(&mut recurrence.body, kept, span);
                if bare {
                    let Recurrence { state, start, count, index, body } = recurrence;
                    let body = std::mem::replace(body, Body { bindings: Vec::new(), result: Atom::Int(0) });
                    *op = Op::Loop(Recurrence { state: *state, start: *start, count: *count, index: *index, body });
                }
            }
            Op::TraceWhile { body, .. } => {
                // The body does not give the number of iterations.
                let given: Vec<bool> = kept[..1].iter().chain(&kept[2..]).copied().collect();
                self.choose_tuple(body, &given, span);
            }
            _ => {}
        }
    }

    /// Makes a body give some of the components of its result: a tuple, or the only one.
    fn choose(&mut self, body: &mut Body, kept: &[bool], span: Span) {
        self.choose_tuple(body, kept, span);
        if kept.iter().filter(|kept| **kept).count() == 1
            && let Some(Binding { op: Op::Tuple(parts), .. }) = body.bindings.last()
        {
            body.result = parts[0];
            body.bindings.pop();
        }
    }

    fn choose_tuple(&mut self, body: &mut Body, kept: &[bool], span: Span) {
        let made = body.bindings.iter().rev().find_map(|binding| match &binding.op {
            Op::Tuple(parts) if Atom::Var(binding.var) == body.result => Some(parts.clone()),
            _ => None,
        });
        let types = type_of(body.result, self.vars).components().unwrap_or_default();
        let mut parts = Vec::new();
        for (at, ty) in types.into_iter().enumerate().filter(|(at, _)| kept[*at]) {
            let part = match &made {
                Some(made) => made[at],
                None => {
                    let part = self.var(ty);
                    body.bindings.push(Binding { var: part, op: Op::Project(body.result, at), span });
                    Atom::Var(part)
                }
            };
            parts.push(part);
        }
        let ty = Type::Tuple(parts.iter().map(|part| type_of(*part, self.vars)).collect());
        let tuple = self.var(ty);
        body.bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
        body.result = Atom::Var(tuple);
    }

    fn var(&mut self, ty: Type) -> Var {
        fresh(self.vars, ty)
    }
}
