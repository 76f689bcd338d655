//! Conditionals: a number that comes from a conditional depends on the dependencies of both branches.
//!
//! Each branch gives its values with their partial derivatives, zero for dependencies of the other branch. A number of
//! the point that only one branch reads may not exist if the branch is not taken: its indices are results of the branch
//! too, and are −1 in the other branch.

use super::graph::{Hop, Input, Node, Origin};
use super::known::Split;
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::size;
use riesz_core::term::{Atom, Body, Op};
use riesz_core::types::Type;
use std::collections::BTreeMap;

/// Walks through a branch.
type Branch<'f, 'a> = dyn FnMut(&mut Walk<'a>) -> Option<Split<'a>> + 'f;

/// A branch that has been walked through.
struct Side<'a> {
    leaves: Vec<(Atom, Option<Node>)>,
    shape: Split<'a>,
    partials: Vec<BTreeMap<Node, Atom>>,
}

impl<'a> Walk<'a> {
    pub(super) fn either<'f>(
        &mut self,
        condition: Atom,
        yes: &mut Branch<'f, 'a>,
        no: &mut Branch<'f, 'a>,
    ) -> Option<Split<'a>> {
        let first = self.graph.nodes.len();
        let around = self.branches.len();
        let mut sides = Vec::new();
        let mut scopes = Vec::new();
        let mut limits = vec![first];
        for branch in [yes, no] {
            self.branches.push(self.scopes.len());
            self.open();
            let outside = std::mem::replace(&mut self.outside, self.accumulators);
            let result = branch(self);
            self.outside = outside;
            self.branches.pop();
            let result = result?;
            let mut leaves = Vec::new();
            let shape = self.leaves(&result, &mut leaves)?;
            let nodes: Vec<Option<Node>> = leaves.iter().map(|(_, node)| *node).collect();
            let partials = self.partials(&nodes, first)?.into_iter().map(|partials| partials.into_iter().collect());
            sides.push(Side { leaves, shape, partials: partials.collect() });
            scopes.push(self.take_scope());
            limits.push(self.graph.nodes.len());
        }
        if !same_shape(&sides[0].shape, &sides[1].shape) {
            return None;
        }
        let count = sides[0].leaves.len();
        // What each leaf varies with, on either side.
        let targets: Vec<Vec<Node>> = (0..count)
            .map(|at| {
                let mut all: Vec<Node> = sides.iter().flat_map(|side| side.partials[at].keys().copied()).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        let needs_branch = |node: &Node| {
            let input = self.graph.input(*node);
            *node >= first && input.is_none_or(|input| input.path.iter().any(|hop| hop.branches() > around))
        };
        let mut inner: Vec<Node> = targets.iter().flatten().copied().filter(needs_branch).collect();
        inner.sort_unstable();
        inner.dedup();
        let mut bodies = Vec::new();
        let mut forms: Vec<Option<Size>> = Vec::new();
        let mut types = Vec::new();
        for (at, (side, scope)) in sides.iter().zip(scopes).enumerate() {
            self.put_scope(scope);
            let mut atoms: Vec<Atom> = side.leaves.iter().map(|(value, _)| *value).collect();
            for (leaf, targets) in targets.iter().enumerate() {
                atoms.extend(targets.iter().map(|node| *side.partials[leaf].get(node).unwrap_or(&Atom::Real(0.0))));
            }
            forms.resize(count + targets.iter().map(Vec::len).sum::<usize>(), None);
            let mut place = forms.len().min(atoms.len());
            for node in &inner {
                let here = (limits[at]..limits[at + 1]).contains(node);
                for hop in self.graph.input(*node)?.path.clone() {
                    let Hop::Element { index, form, .. } = hop else { continue };
                    atoms.push(if here { index } else { Atom::Int(-1) });
                    if forms.len() <= place {
                        forms.resize(place + 1, None);
                    }
                    let local = |atom: &size::Atom| matches!(atom, size::Atom::Var(var) if self.is_local(*var));
                    if here && !form.atoms().iter().any(local) {
                        forms[place] = Some(form);
                    }
                    place += 1;
                }
            }
            let found: Vec<Type> = atoms.iter().map(|atom| self.type_of(*atom)).collect();
            if at == 1 && found != types {
                return None;
            }
            let ty = Type::Tuple(found.clone().into());
            types = found;
            let result = self.bind(Op::Tuple(atoms), ty);
            bodies.push(Body { bindings: self.close(), result });
        }
        let (no, yes) = (bodies.pop()?, bodies.pop()?);
        let both = self.bind(Op::If { condition, yes, no }, Type::Tuple(types.clone().into()));
        let mut parts = Vec::with_capacity(types.len());
        for (at, ty) in types.iter().enumerate() {
            let part = self.bind(Op::Project(both, at), ty.clone());
            if let (Atom::Var(var), Some(Some(form))) = (part, forms.get(at)) {
                self.set_form(var, form.clone());
            }
            parts.push(part);
        }
        let mut rest = parts.split_off(count).into_iter();
        let mut partials = Vec::new();
        for targets in &targets {
            partials.push(targets.iter().copied().zip(rest.by_ref()).take(targets.len()).collect::<Vec<_>>());
        }
        Some(self.outside(&sides[0].shape, &parts, &partials, &inner, rest.collect()))
    }

    /// The results of the branches, seen from outside.
    fn outside(
        &mut self,
        shape: &Split<'a>,
        values: &[Atom],
        partials: &[Vec<(Node, Atom)>],
        inner: &[Node],
        indices: Vec<Atom>,
    ) -> Split<'a> {
        let mut indices = indices.into_iter();
        let mut seen: BTreeMap<Node, Node> = BTreeMap::new();
        for node in inner {
            let path = self.graph.input(*node).map(|input| input.path.clone()).unwrap_or_default();
            let conditional = path.iter().any(|hop| matches!(hop, Hop::Element { .. }));
            let mut there = Vec::with_capacity(path.len());
            for hop in path {
                there.push(match hop {
                    Hop::Component(at) => Hop::Component(at),
                    Hop::Element { index, sure, span, .. } => {
                        let taken = indices.next().unwrap_or(index);
                        let (form, branches) = (self.form(taken), self.branches.len());
                        Hop::Element { index: taken, form, sure, span, branches }
                    }
                });
            }
            let input = Input { path: there, conditional };
            let outer = self.graph.add(Origin::Input(input));
            seen.insert(*node, outer);
        }
        let mut numbers = Vec::with_capacity(values.len());
        for (value, partials) in values.iter().zip(partials) {
            let terms =
                partials.iter().map(|(node, partial)| (*partial, seen.get(node).copied().unwrap_or(*node))).collect();
            numbers.push(self.number(*value, terms));
        }
        put_back(shape, &mut numbers.into_iter())
    }

    /// The numbers of a value in order; the value with a position in place of each.
    pub(super) fn leaves(&mut self, known: &Split<'a>, out: &mut Vec<(Atom, Option<Node>)>) -> Option<Split<'a>> {
        let mut leaf = |atom: Atom, node: Option<Node>| {
            out.push((atom, node));
            Split::Plain(Atom::Int(0))
        };
        Some(match known {
            Split::Number(atom, node) => leaf(*atom, Some(*node)),
            Split::Plain(atom)
                if !matches!(self.type_of(*atom), Type::Array(..) | Type::Tuple(_) | Type::Record(_)) =>
            {
                leaf(*atom, None)
            }
            Split::Parts(parts) => {
                Split::Parts(parts.iter().map(|part| self.leaves(part, out)).collect::<Option<_>>()?)
            }
            Split::Plain(atom) | Split::Input(atom, _) if !matches!(self.type_of(*atom), Type::Array(..)) => {
                let count = self.type_of(*atom).components()?.len();
                let mut parts = Vec::with_capacity(count);
                for at in 0..count {
                    let part = self.project(known, at)?;
                    parts.push(self.leaves(&part, out)?);
                }
                Split::Parts(parts)
            }
            known => {
                let elements = self.elements(known)?;
                Split::Elements(elements.iter().map(|element| self.leaves(element, out)).collect::<Option<_>>()?)
            }
        })
    }
}

fn same_shape(a: &Split, b: &Split) -> bool {
    match (a, b) {
        (Split::Plain(_), Split::Plain(_)) => true,
        (Split::Parts(a), Split::Parts(b)) | (Split::Elements(a), Split::Elements(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(a, b))
        }
        _ => false,
    }
}

fn put_back<'a>(shape: &Split<'a>, leaves: &mut dyn Iterator<Item = Split<'a>>) -> Split<'a> {
    match shape {
        Split::Parts(parts) => Split::Parts(parts.iter().map(|part| put_back(part, leaves)).collect()),
        Split::Elements(parts) => Split::Elements(parts.iter().map(|part| put_back(part, leaves)).collect()),
        leaf => leaves.next().unwrap_or_else(|| leaf.clone()),
    }
}
