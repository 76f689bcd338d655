//! Varying linear maps: the tangent of a map is a map, and maps obey product rules like numbers.
//!
//! ```text
//! d(mᵀ) = dmᵀ      d(g ∘ f) = dg ∘ f + g ∘ df      d(k m) = dk m + k dm      d(m a) = dm a + m da
//! ```
//!
//! A map `m = (a ↦ f (c, a))` with captured values `c` has the tangent `dm = (a ↦ D_c f (c, a) dc)`, and likewise its
//! adjoint. A cotangent of a map is a map too; its contribution to the cotangent of `c` is the sum over a basis of the
//! domain of `(D_c f (c, e))ᵀ (m̄ e)`. Reading the matrix of a map, or some of its entries, is linear in the map; the
//! adjoint makes a map from a matrix.

use crate::compile::{Calculus, Linearised, Problem, has_holes, open_sizes};
use crate::linearise::{Lineariser, Tangent};
use crate::transpose::Transposer;
use riesz_core::build::bind;
use riesz_core::term::{Atom, Body, Function, FunctionId, OnMaps, Op, Place, Step, Var, VarInfo};
use riesz_core::{Size, Type};
use riesz_primitive::scalar;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Lineariser<'_> {
    /// The tangent of a map, of which some of what it captured varies.
    pub(crate) fn map(
        &mut self,
        [forward, reverse]: [FunctionId; 2],
        captured: &[Atom],
        ty: &Type,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let mut mask: Vec<bool> = Vec::with_capacity(captured.len() + 1);
        let mut all = Vec::new();
        for value in captured {
            let varies = self.atom_type(*value).varies();
            let tangent = if varies { self.whole(*value, span) } else { None };
            mask.push(tangent.is_some());
            all.extend(tangent);
        }
        mask.push(false);
        let forward = self.calculus.tangent_map(forward, &mask, span)?;
        let reverse = self.calculus.tangent_map(reverse, &mask, span)?;
        all.extend(captured);
        Ok(Tangent::Value(self.linear(Op::Map { forward, reverse, captured: all }, ty.clone(), span)))
    }

    /// The tangent of what an operation makes of maps.
    pub(crate) fn on_maps(&mut self, var: Var, operation: OnMaps, operands: &[Atom], span: Span) -> Tangent {
        let ty = self.ty(var).clone();
        let mut terms = Vec::new();
        for (at, operand) in operands.iter().enumerate() {
            if is_like(operation, at) {
                continue;
            }
            let Some(tangent) = self.whole(*operand, span) else { continue };
            let mut varied = operands.to_vec();
            varied[at] = tangent;
            terms.push(match operation {
                OnMaps::Add => tangent,
                OnMaps::Subtract if at == 0 => tangent,
                OnMaps::Subtract => {
                    self.linear(Op::OnMaps(OnMaps::Scale, vec![Atom::Real(-1.0), tangent]), ty.clone(), span)
                }
                // The factors of a map that is known only at run time are not looked for.
                OnMaps::Factors => return Tangent::Zero,
                OnMaps::Coo | OnMaps::System => return self.entries(var, tangent, *operand, &ty, span),
                // The map itself says between which spaces its tangent is.
                OnMaps::Matrix => self.linear(Op::OnMaps(operation, vec![tangent, *operand]), ty.clone(), span),
                operation => self.linear(Op::OnMaps(operation, varied), ty.clone(), span),
            });
        }
        self.sum(terms, &ty, span)
    }

    /// The tangent of a sparse matrix: its places stay, and what stands there are the numbers of the map's tangent.
    fn entries(&mut self, var: Var, tangent: Atom, map: Atom, ty: &Type, span: Span) -> Tangent {
        let fields = ty.components().unwrap_or_default();
        let [cols, rows, vals] = &fields[..] else { return Tangent::Zero };
        let mut field = |at: usize, ty: &Type| self.primal(Op::Project(Atom::Var(var), at), ty.clone(), span);
        let (cols, rows, values) = (field(0, cols), field(1, rows), field(2, vals));
        let entries = Op::OnMaps(OnMaps::Entries, vec![tangent, cols, rows, map]);
        let entries = self.linear(entries, vals.clone(), span);
        self.shape(entries, values, span);
        Tangent::Parts(vec![Tangent::Zero, Tangent::Zero, Tangent::Value(entries)])
    }

    /// The tangent of what a map makes of an argument.
    pub(crate) fn apply(&mut self, map: Atom, argument: Atom, ty: &Type, span: Span) -> Tangent {
        let mut terms = Vec::new();
        if let Some(tangent) = self.whole(map, span) {
            let argument_type = self.atom_type(argument);
            self.calculus.add_rank_one(&argument_type, ty, span);
            terms.push(self.linear(Op::Apply(tangent, argument), ty.tangent(), span));
        }
        if let Some(tangent) = self.whole(argument, span) {
            terms.push(self.linear(Op::Apply(map, tangent), ty.tangent(), span));
        }
        self.sum(terms, ty, span)
    }
}

/// Whether an operand only says between which spaces a map is.
fn is_like(operation: OnMaps, at: usize) -> bool {
    match operation {
        OnMaps::Matrix | OnMaps::OfMatrix => at == 1,
        OnMaps::Entries | OnMaps::OfEntries => at == 3,
        _ => false,
    }
}

impl Calculus {
    /// `(dc, c, a) ↦ D_c f (c, a) dc`
    fn tangent_map(&mut self, function: FunctionId, mask: &[bool], span: Span) -> Result<FunctionId, Problem> {
        let linearised = self.linearised(function, mask)?;
        let called = self.program.function(function).clone();
        let parameters = &called.vars[..called.parameters];
        let open = |VarInfo { name, ty }: &VarInfo| VarInfo { name: name.clone(), ty: open_sizes(ty) };
        let mut vars: Vec<VarInfo> = Vec::new();
        for (parameter, varies) in parameters.iter().zip(mask) {
            if *varies {
                vars.push(VarInfo { name: None, ty: open_sizes(&parameter.ty).tangent() });
            }
        }
        let tangents: Vec<Atom> = (0..vars.len() as u32).map(|at| Atom::Var(Var(at))).collect();
        vars.extend(parameters.iter().map(open));
        let arguments: Vec<Atom> = (tangents.len()..vars.len()).map(|at| Atom::Var(Var(at as u32))).collect();
        let count = vars.len();
        let mut bindings = Vec::new();
        let mut bind = |op: Op, ty: Type| bind(&mut vars, &mut bindings, op, ty, span);
        let value = open_sizes(&called.result);
        let result = value.tangent();
        let atom = match linearised.forward {
            Some(forward) => {
                let mut passed = run_primal(&linearised, arguments, &value, &mut bind);
                passed.extend(tangents);
                bind(Op::Call(forward, passed), result.clone())
            }
            None => {
                let value = bind(Op::Call(function, arguments), value);
                bind(Op::Zero(value), result.clone())
            }
        };
        let body = Body { bindings, result: atom };
        let name = called.name;
        let id = self.add(Function { name, vars, parameters: count, body, result, span });
        self.tangent_maps.insert(id, linearised);
        Ok(id)
    }
}

impl Calculus {
    /// The functions of the maps `u ⊗ v`, over `u` and `v`.
    fn rank_one(&self, domain: &Type, codomain: &Type) -> Option<[FunctionId; 2]> {
        let spaces = (open_sizes(domain), open_sizes(codomain));
        self.rank_ones.iter().find(|(known, _)| *known == spaces).map(|(_, functions)| *functions)
    }

    /// `(u, v, x) ↦ ⟨v, x⟩ u` and `(u, v, y) ↦ ⟨u, y⟩ v`
    fn add_rank_one(&mut self, domain: &Type, codomain: &Type, span: Span) {
        if self.rank_one(domain, codomain).is_some() {
            return;
        }
        let (domain, codomain) = (open_sizes(domain).tangent(), open_sizes(codomain).tangent());
        let functions = [(&domain, 0, 1), (&codomain, 1, 0)].map(|(argument, factor, with)| {
            let types = [&codomain, &domain, argument];
            let vars = types.map(|ty| VarInfo { name: None, ty: ty.clone() }).to_vec();
            let mut writer = Transposer::new(self, vars, FxHashSet::default(), FxHashMap::default());
            let total = writer.accumulator_of(Type::Real, None, span);
            writer.inner(Atom::Var(Var(with)), Atom::Var(Var(2)), argument, total, span);
            let total = writer.bind(Op::Read(total), Type::Real, span);
            let result = types[factor as usize].clone();
            let multiple = writer.multiple(total, Atom::Var(Var(factor)), &result, span);
            let (vars, body) = writer.finish(multiple);
            self.add(Function { name: "rank one".into(), vars, parameters: 3, body, result, span })
        });
        self.rank_ones.push(((domain, codomain), functions));
    }
}

/// Runs the primal of a linearised function: what it keeps.
fn run_primal(
    linearised: &Linearised,
    arguments: Vec<Atom>,
    value: &Type,
    bind: &mut dyn FnMut(Op, Type) -> Atom,
) -> Vec<Atom> {
    let all = bind(Op::Call(linearised.primal, arguments.clone()), linearised.all(value, &arguments));
    linearised.kept(all, &arguments, bind)
}

impl Transposer<'_> {
    /// The contribution of the cotangent of a map to the cotangents of its captured values.
    pub(crate) fn map(&mut self, forward: FunctionId, captured: &[Atom], ty: &Type, cotangent: Atom, span: Span) {
        let Some(linearised) = self.calculus.tangent_maps.get(&forward).cloned() else { return };
        let (Type::Linear(arrow), true) = (ty, linearised.forward.is_some()) else { return };
        let (domain, codomain) = (&arrow.0, &arrow.1);
        let parameters = |id: FunctionId| self.calculus.program.function(id).parameters;
        let (tangents, values) = captured.split_at(parameters(forward) - parameters(linearised.primal));
        let values = values.to_vec();
        self.every_unit(domain, values.last().copied(), span, &mut |transposer, unit| {
            let image = transposer.bind(Op::Apply(cotangent, unit), codomain.clone(), span);
            let arguments = values.iter().copied().chain([unit]).collect();
            let mut passed = run_primal(&linearised, arguments, codomain, &mut |op, ty| transposer.bind(op, ty, span));
            passed.push(image);
            passed.extend(tangents.iter().map(|tangent| transposer.accumulator_for(*tangent, span)));
            transposer.bind(Op::Call(linearised.reverse, passed), Type::unit(), span);
        });
    }

    /// The contribution of the cotangent of a result of an operation on maps to the cotangents of the operands.
    pub(crate) fn on_maps(&mut self, operation: OnMaps, operands: &[Atom], cotangent: Atom, span: Span) {
        let linear = operands.iter().position(|operand| self.is_linear(*operand)).unwrap_or(0);
        let to = operands[linear];
        let ty = self.atom_type(to);
        let adjoint = |transposer: &mut Self, map: Atom| {
            let ty = match transposer.atom_type(map) {
                Type::Linear(arrow) => Type::Linear(Arc::new((arrow.1.clone(), arrow.0.clone()))),
                ty => ty,
            };
            transposer.bind(Op::OnMaps(OnMaps::Adjoint, vec![map]), ty, span)
        };
        let contribution = match (operation, linear) {
            (OnMaps::Adjoint, _) => adjoint(self, cotangent),
            (OnMaps::Compose, 0) => {
                let before = adjoint(self, operands[1]);
                self.bind(Op::OnMaps(OnMaps::Compose, vec![cotangent, before]), ty, span)
            }
            (OnMaps::Compose, _) => {
                let after = adjoint(self, operands[0]);
                self.bind(Op::OnMaps(OnMaps::Compose, vec![after, cotangent]), ty, span)
            }
            (OnMaps::Scale, 1) => self.bind(Op::OnMaps(OnMaps::Scale, vec![operands[0], cotangent]), ty, span),
            (OnMaps::Matrix, _) => self.bind(Op::OnMaps(OnMaps::OfMatrix, vec![cotangent, operands[1]]), ty, span),
            (OnMaps::OfMatrix, _) => self.bind(Op::OnMaps(OnMaps::Matrix, vec![cotangent, operands[1]]), ty, span),
            (OnMaps::Entries | OnMaps::OfEntries, _) => {
                let other = if operation == OnMaps::Entries { OnMaps::OfEntries } else { OnMaps::Entries };
                self.bind(Op::OnMaps(other, vec![cotangent, operands[1], operands[2], operands[3]]), ty, span)
            }
            _ => {
                let total = self.accumulator_of(Type::Real, None, span);
                self.inner_of_maps(operands[1], cotangent, total, span);
                self.bind(Op::Read(total), Type::Real, span)
            }
        };
        self.add(to, &[], contribution, span);
    }

    /// The contribution of the cotangent of a map applied to an argument.
    pub(crate) fn apply(&mut self, map: Atom, argument: Atom, cotangent: Atom, ty: &Type, span: Span) {
        if self.is_linear(map) {
            // ȳ ⊗ a
            let map_type = self.atom_type(map);
            let Some([forward, reverse]) = self.calculus.rank_one(&self.atom_type(argument), ty) else { return };
            let captured = vec![cotangent, argument];
            let product = self.bind(Op::Map { forward, reverse, captured }, map_type, span);
            self.add(map, &[], product, span);
        } else {
            let argument_type = self.atom_type(argument);
            let map_type = Type::Linear(Arc::new((ty.clone(), argument_type.clone())));
            let adjoint = self.bind(Op::OnMaps(OnMaps::Adjoint, vec![map]), map_type, span);
            let image = self.bind(Op::Apply(adjoint, cotangent), argument_type, span);
            self.add(argument, &[], image, span);
        }
    }

    /// Adds `⟨m, m̄⟩ = Σₑ ⟨m e, m̄ e⟩ = Σᵢⱼ mᵢⱼ m̄ᵢⱼ` to an accumulator.
    fn inner_of_maps(&mut self, map: Atom, cotangent: Atom, total: Atom, span: Span) {
        let Type::Linear(arrow) = self.atom_type(map) else { return };
        let (domain, codomain) = (&arrow.0, &arrow.1);
        if !has_holes(domain) && !domain.holds_maps() {
            return self.basis(domain, domain, None, &mut Vec::new(), span, &mut |transposer, unit| {
                let [a, b] = [map, cotangent].map(|map| transposer.bind(Op::Apply(map, unit), codomain.clone(), span));
                transposer.inner(a, b, codomain, total, span);
            });
        }
        let matrix = Type::Linear(arrow.clone()).with_matrices();
        let [a, b] =
            [map, cotangent].map(|of| self.bind(Op::OnMaps(OnMaps::Matrix, vec![of, map]), matrix.clone(), span));
        self.inner(a, b, &matrix, total, span);
    }

    /// Adds `⟨a, b⟩` to an accumulator.
    fn inner(&mut self, a: Atom, b: Atom, ty: &Type, total: Atom, span: Span) {
        match ty {
            Type::Real => {
                let product = self.bind(Op::Scalar(&scalar::EXACT_MUL, vec![a, b]), Type::Real, span);
                self.bind(Op::AddTo(total, Vec::new(), product), Type::unit(), span);
            }
            Type::Linear(_) => self.inner_of_maps(a, b, total, span),
            Type::Array(_, element) => {
                let count = self.length(a, span);
                self.each(count, span, |transposer, at| {
                    let [a, b] = [a, b].map(|v| transposer.bind(Op::Index(v, at), (**element).clone(), span));
                    transposer.inner(a, b, element, total, span);
                });
            }
            ty => {
                for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                    let [a, b] = [a, b].map(|v| self.bind(Op::Project(v, at), part.clone(), span));
                    self.inner(a, b, part, total, span);
                }
            }
        }
    }

    /// `k v`
    pub(crate) fn multiple(&mut self, k: Atom, v: Atom, ty: &Type, span: Span) -> Atom {
        match ty {
            Type::Real => self.bind(Op::Scalar(&scalar::EXACT_MUL, vec![k, v]), Type::Real, span),
            Type::Linear(_) => self.bind(Op::OnMaps(OnMaps::Scale, vec![k, v]), ty.clone(), span),
            Type::Array(_, element) => {
                let count = self.length(v, span);
                self.built(count, ty, span, |transposer, at| {
                    let part = transposer.bind(Op::Index(v, at), (**element).clone(), span);
                    transposer.multiple(k, part, element, span)
                })
            }
            ty => {
                let mut parts = Vec::new();
                for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                    let component = self.bind(Op::Project(v, at), part.clone(), span);
                    parts.push(self.multiple(k, component, part, span));
                }
                self.bind(Op::Tuple(parts), ty.clone(), span)
            }
        }
    }

    /// Does something with every unit vector of a space, in which there may be maps: those of their entries too.
    fn every_unit(&mut self, space: &Type, point: Option<Atom>, span: Span, each: &mut dyn FnMut(&mut Self, Atom)) {
        let Some(point) = point.filter(|_| space.holds_maps()) else {
            return self.basis(space, space, point, &mut Vec::new(), span, each);
        };
        let like = self.bind(Op::Zero(point), space.clone(), span);
        let matrices = space.with_matrices();
        let zero = self.exchanged(OnMaps::Matrix, like, (space, &matrices), like, span);
        self.basis(&matrices, &matrices, Some(zero), &mut Vec::new(), span, &mut |transposer, unit| {
            let unit = transposer.exchanged(OnMaps::OfMatrix, unit, (&matrices, space), like, span);
            each(transposer, unit);
        });
    }

    /// A vector with matrices in the place of its maps, or maps in the place of those, between the spaces of another.
    fn exchanged(&mut self, way: OnMaps, vector: Atom, (from, to): (&Type, &Type), like: Atom, span: Span) -> Atom {
        let (maps, other) = if way == OnMaps::Matrix { (from, to) } else { (to, from) };
        match (maps, other) {
            _ if !maps.holds_maps() => vector,
            (Type::Linear(_), _) => self.bind(Op::OnMaps(way, vec![vector, like]), to.clone(), span),
            (Type::Array(_, maps), Type::Array(_, other)) => {
                let count = self.length(like, span);
                let parts = if way == OnMaps::Matrix { (maps, other) } else { (other, maps) };
                self.built(count, to, span, |transposer, at| {
                    let vector = transposer.bind(Op::Index(vector, at), (**parts.0).clone(), span);
                    let like = transposer.bind(Op::Index(like, at), (**maps).clone(), span);
                    transposer.exchanged(way, vector, (parts.0, parts.1), like, span)
                })
            }
            _ => {
                let [of_maps, from, of] = [maps, from, to].map(|ty| ty.components().unwrap_or_default());
                let mut parts = Vec::with_capacity(of.len());
                for (at, ((maps, from), to)) in of_maps.iter().zip(&from).zip(&of).enumerate() {
                    let vector = self.bind(Op::Project(vector, at), from.clone(), span);
                    let like = self.bind(Op::Project(like, at), maps.clone(), span);
                    parts.push(self.exchanged(way, vector, (from, to), like, span));
                }
                self.bind(Op::Tuple(parts), to.clone(), span)
            }
        }
    }

    /// Does something with every unit vector of a space, which is as large as the tangent space at a point.
    fn basis(
        &mut self,
        space: &Type,
        part: &Type,
        point: Option<Atom>,
        path: &mut Vec<Place>,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Atom),
    ) {
        match part {
            Type::Real => {
                let zero = point.map(|point| self.bind(Op::Zero(point), space.clone(), span));
                let accumulator = self.accumulator_of(space.clone(), zero, span);
                self.bind(Op::AddTo(accumulator, path.clone(), Atom::Real(1.0)), Type::unit(), span);
                let unit = self.bind(Op::Read(accumulator), space.clone(), span);
                each(self, unit);
            }
            Type::Array(size, element) => {
                let step = |place: &Place| match place {
                    Place::Element(_) => Step::Elements,
                    Place::Component(at) => Step::Component(*at),
                };
                let count = match (size, point) {
                    (Size::Hole, Some(point)) => {
                        self.bind(Op::SizeOf(point, path.iter().map(step).collect()), Type::Int, span)
                    }
                    (size, _) => self.size_atom(size, span),
                };
                self.each(count, span, |transposer, at| {
                    path.push(Place::Element(at));
                    transposer.basis(space, element, point, path, span, each);
                    path.pop();
                });
            }
            part => {
                for (at, component) in part.components().unwrap_or_default().iter().enumerate() {
                    path.push(Place::Component(at));
                    self.basis(space, component, point, path, span, each);
                    path.pop();
                }
            }
        }
    }
}
