//! Values that depend only on the index of an inner loop are computed before the loop around it.
//!
//! ```text
//! for i < n: for j < m: .. f(x[j]) ..     is     t = [f(x[j]) | j < m]
//!                                                for i < n: for j < m: .. t[j] ..
//! ```
//!
//! If the inner loop runs to `j < i`, the array has `n` elements. It has as many numbers as an iteration of the outer loop
//! reads, so that the derivative has `m` residuals in the place of `n · m`. Only what cannot fail is computed before, and
//! only what varies in a third loop around both: with an array that all iterations of a program share, the loops of second
//! derivatives would no longer be one, and loop programs have tables of such values.

use crate::cost::Safety;
use crate::each::Writer;
use crate::length::Lengths;
use crate::rename::Renaming;
use riesz_core::build::size_of;
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Var, VarInfo};
use riesz_core::types::Type;
use riesz_core::{Size, size};
use riesz_primitive::scalar::NEG;
use rustc_hash::{FxHashMap, FxHashSet};

/// The least number of iterations of the inner loop, where it is known: fewer are as fast without a table.
const LEAST: i64 = 8;

/// Computes what inner loops would compute in each iteration of the loops around them.
pub(crate) fn tabulate(function: &mut Function) {
    let lengths = Lengths::of(&function.body);
    let lengths_of = Safety::lengths_of(&function.vars[..function.parameters]);
    let depths = vec![0; function.vars.len()];
    let vars = &mut function.vars;
    Tabulating { vars, lengths, lengths_of, around: Vec::new(), depths, depth: 0 }.body(&mut function.body);
}

struct Tabulating<'v> {
    vars: &'v mut Vec<VarInfo>,
    lengths: Lengths,
    /// The sizes of parameters.
    lengths_of: FxHashSet<Var>,
    /// The indices and counts of the loops around.
    around: Vec<(Var, Atom)>,
    /// How many loops are around the binding of each variable.
    depths: Vec<u32>,
    depth: u32,
}

/// The values of an inner loop that depend on its index and on nothing in the loop around.
struct Found {
    /// The positions of all bindings that can be computed before the loop around.
    movable: FxHashMap<Var, usize>,
    /// The positions of those that the rest of the body reads.
    roots: Vec<usize>,
    /// The number of values.
    count: Atom,
}

impl Tabulating<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            for mut binding in bindings {
                self.depths[binding.var.0 as usize] = self.depth;
                let around = binding.op.iterations();
                self.depth += u32::from(around.is_some());
                binding.op.visit_bound(&mut |var| self.depths[var.0 as usize] = self.depth);
                self.around.extend(around);
                binding.op.visit_bodies_mut(&mut |body| self.body(body));
                if let Some(around) = around {
                    self.depth -= 1;
                    binding.op.visit_bodies_mut(&mut |inside| {
                        for inner in &mut inside.bindings {
                            self.tables(inner, around, &mut body.bindings);
                        }
                    });
                    self.around.pop();
                }
                body.bindings.push(binding);
            }
        });
    }

    /// Writes the tables of an inner loop before the loop around it, and reads them.
    fn tables(&mut self, inner: &mut Binding, around: (Var, Atom), out: &mut Vec<Binding>) {
        let Some(found) = self.find(&inner.op, around) else { return };
        let Some((index, _)) = inner.op.iterations() else { return };
        let span = inner.span;
        let depth = self.depth;
        inner.op.visit_bodies_mut(&mut |body| {
            for at in &found.roots {
                let root = body.bindings[*at].var;
                let mut table = Body { bindings: found.slice(body, root), result: Atom::Var(root) };
                let mut renaming = Renaming::default();
                let mut writer = Writer { vars: self.vars, span };
                let fresh = writer.var(Type::Int);
                renaming.insert(index, Atom::Var(fresh));
                renaming.freshen(&mut table, None, writer.vars);
                let ty = Type::array(size_of(found.count), Type::Real);
                let build = Op::Build(Iteration { count: found.count, index: fresh, body: table });
                let table = writer.bind(build, ty, out);
                body.bindings[*at].op = Op::Index(table, Atom::Var(index));
            }
        });
        self.depths.resize(self.vars.len(), depth);
    }

    fn find(&self, op: &Op, (outer, outer_count): (Var, Atom)) -> Option<Found> {
        let (index, count) = op.iterations()?;
        let outside = |atom: Atom| match atom {
            Atom::Var(var) => self.depths[var.0 as usize] <= self.depth,
            _ => true,
        };
        let count = match count {
            Atom::Var(var) if var == outer => outer_count,
            count if outside(count) => count,
            _ => return None,
        };
        let is_length = match count {
            Atom::Int(count) => count >= LEAST,
            Atom::Var(var) => self.lengths_of.contains(&var),
            _ => false,
        };
        if !is_length {
            return None;
        }
        let mut around = self.around.clone();
        around.push((index, count));
        let (vars, lengths, lengths_of) = (&*self.vars, &self.lengths, self.lengths_of.clone());
        let safety = Safety { vars, lengths, lengths_of, around };
        let mut found = Found { movable: FxHashMap::default(), roots: Vec::new(), count };
        let is_around = |var: &Var| (1..=self.depth).contains(&self.depths[var.0 as usize]);
        let mut varying: FxHashSet<Var> = [index].into_iter().collect();
        let mut around: FxHashSet<Var> = FxHashSet::default();
        let mut rest: FxHashSet<Var> = FxHashSet::default();
        op.visit_bodies(&mut |body| {
            for (at, binding) in body.bindings.iter().enumerate() {
                let (mut moves, mut varies, mut is_inside) = (true, false, false);
                binding.op.visit_atoms(&mut |atom| {
                    let Atom::Var(var) = *atom else { return };
                    moves &= outside(*atom) || var == index || found.movable.contains_key(&var);
                    varies |= varying.contains(&var);
                    is_inside |= around.contains(&var) || is_around(&var);
                });
                let kind = match &binding.op {
                    Op::Scalar(..) | Op::ToReal(_) => vars[binding.var.0 as usize].ty == Type::Real,
                    Op::Index(..) => true,
                    _ => false,
                };
                if moves && kind && safety.is_safe(binding.var, &binding.op) && !self.is_sized(binding.var, &found) {
                    found.movable.insert(binding.var, at);
                    if varies {
                        varying.insert(binding.var);
                    }
                    if is_inside {
                        around.insert(binding.var);
                    }
                } else {
                    rest.extend(Free::of(std::slice::from_ref(binding), &[], vars).found);
                }
            }
            rest.extend(if let Atom::Var(var) = body.result { Some(var) } else { None });
            found.roots = (body.bindings.iter().enumerate())
                .filter(|(_, binding)| {
                    let computes = matches!(&binding.op, Op::Scalar(primitive, _) if *primitive != &NEG);
                    computes
                        && found.movable.contains_key(&binding.var)
                        && varying.contains(&binding.var)
                        && around.contains(&binding.var)
                        && rest.contains(&binding.var)
                })
                .map(|(at, _)| at)
                .collect();
        });
        (!found.roots.is_empty()).then_some(found)
    }

    /// Whether the type of a variable has a size that the loop binds.
    fn is_sized(&self, var: Var, found: &Found) -> bool {
        self.vars[var.0 as usize].ty.any(&mut |part| {
            matches!(part, Type::Array(Size::Atom(size::Atom::Var(size)), _)
                if found.movable.contains_key(size) || self.depths[size.0 as usize] > self.depth)
        })
    }
}

impl Found {
    /// The bindings that a value needs, in order.
    fn slice(&self, body: &Body, root: Var) -> Vec<Binding> {
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        let mut work = vec![root];
        while let Some(var) = work.pop() {
            if let Some(at) = self.movable.get(&var)
                && needed.insert(*at)
            {
                body.bindings[*at].op.visit_atoms(&mut |atom| {
                    if let Atom::Var(var) = *atom {
                        work.push(var);
                    }
                });
            }
        }
        let bindings = body.bindings.iter().enumerate().filter(|(at, _)| needed.contains(at));
        bindings.map(|(_, binding)| binding.clone()).collect()
    }
}
