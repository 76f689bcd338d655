//! Linear maps that vary: the tangent of a map is a map.
//!
//! A map `m = (a ↦ f (c, a))` over what it captured has the tangent `dm = (a ↦ D_c f (c, a) dc)`, and likewise its adjoint. A
//! cotangent of a map is a map too; what it contributes to the cotangent of `c` is the sum over a basis of the domain
//! of `(D_c f (c, e))ᵀ (m̄ e)`.

use crate::compile::{Calculus, Linearised, Problem, open_sizes};
use crate::linearise::{Lineariser, Tangent};
use crate::transpose::Transposer;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Iteration, Op, Place, Step, Var, VarInfo};
use riesz_core::{Size, Type};
use riesz_syntax::Span;

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
        let mut bind = |op: Op, ty: Type| {
            vars.push(VarInfo { name: None, ty });
            let var = Var(vars.len() as u32 - 1);
            bindings.push(Binding { var, op, span });
            Atom::Var(var)
        };
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

/// Runs the primal of a linearised function: what it keeps.
fn run_primal(
    linearised: &Linearised,
    arguments: Vec<Atom>,
    value: &Type,
    bind: &mut dyn FnMut(Op, Type) -> Atom,
) -> Vec<Atom> {
    let all = bind(Op::Call(linearised.primal, arguments.clone()), linearised.all(value));
    let mut kept = Vec::new();
    for at in 0..linearised.kept.len() {
        let ty = linearised.kept_type(at, &arguments, &kept);
        kept.push(bind(Op::Project(all, at + 1), ty));
    }
    kept
}

impl Transposer<'_> {
    /// What the cotangent of a map contributes to those of what it captured.
    pub(crate) fn map(&mut self, forward: FunctionId, captured: &[Atom], ty: &Type, cotangent: Atom, span: Span) {
        let Some(linearised) = self.calculus.tangent_maps.get(&forward).cloned() else { return };
        let (Type::Linear(arrow), true) = (ty, linearised.forward.is_some()) else { return };
        let (domain, codomain) = (&arrow.0, &arrow.1);
        let parameters = |id: FunctionId| self.calculus.program.function(id).parameters;
        let (tangents, values) = captured.split_at(parameters(forward) - parameters(linearised.primal));
        let Some(&point) = values.last() else { return };
        let values = values.to_vec();
        self.basis(domain, domain, point, &mut Vec::new(), span, &mut |transposer, unit| {
            let image = transposer.bind(Op::Apply(cotangent, unit), codomain.clone(), span);
            let arguments = values.iter().copied().chain([unit]).collect();
            let mut passed = run_primal(&linearised, arguments, codomain, &mut |op, ty| transposer.bind(op, ty, span));
            passed.push(image);
            passed.extend(tangents.iter().map(|tangent| transposer.accumulator_for(*tangent, span)));
            transposer.bind(Op::Call(linearised.reverse, passed), Type::unit(), span);
        });
    }

    /// Does something with every unit vector of a space, which is as large as the tangent space at a point.
    fn basis(
        &mut self,
        space: &Type,
        part: &Type,
        point: Atom,
        path: &mut Vec<Place>,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Atom),
    ) {
        match part {
            Type::Real => {
                let zero = self.bind(Op::Zero(point), space.clone(), span);
                let accumulator = self.accumulator_of(space.clone(), Some(zero), span);
                self.bind(Op::AddTo(accumulator, path.clone(), Atom::Real(1.0)), Type::unit(), span);
                let unit = self.bind(Op::Read(accumulator), space.clone(), span);
                each(self, unit);
            }
            Type::Array(size, element) => {
                let step = |place: &Place| match place {
                    Place::Element(_) => Step::Elements,
                    Place::Component(at) => Step::Component(*at),
                };
                let count = match size {
                    Size::Hole => self.bind(Op::SizeOf(point, path.iter().map(step).collect()), Type::Int, span),
                    size => self.size_atom(size, span),
                };
                self.open();
                let index = self.var(Type::Int);
                path.push(Place::Element(Atom::Var(index)));
                self.basis(space, element, point, path, span, each);
                path.pop();
                let body = self.close_unit(span);
                self.bind(Op::For(Iteration { count, index, body }), Type::unit(), span);
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
