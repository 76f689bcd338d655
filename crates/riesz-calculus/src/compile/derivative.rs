//! The derivatives in a function become calls of the functions that were made for them: `jvp`, `vjp` and maps that are
//! applied where they are made become direct calls; other maps become two functions over the residuals.

use super::{Calculus, Linearised, Problem, has_holes, open_sizes, with_sizes};
use crate::linearise::is_unknown_function;
use crate::map::KnownMap;
use riesz_core::Type;
use riesz_core::build::{bind, fresh};
use riesz_core::term::{Atom, Binding, Body, Derive, Function, FunctionId, OnMaps, Op, Var, VarInfo};
use riesz_syntax::tree::Name;
use riesz_syntax::{Label, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Rewrites the derivatives in one function.
pub(crate) struct Compiler<'c> {
    pub calculus: &'c mut Calculus,
    pub vars: Vec<VarInfo>,
    /// Functions known by where they were made.
    pub closures: FxHashMap<Var, (FunctionId, Vec<Atom>)>,
    /// Linear maps known by where they were made.
    pub maps: FxHashMap<Var, KnownMap>,
    /// Functions and points, with what was computed there for the derivative.
    pub points: Vec<(Atom, Atom, Atom)>,
}

impl Compiler<'_> {
    pub(crate) fn var(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
    }

    pub(super) fn body(&mut self, body: &Body) -> Result<Body, Problem> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let mut bindings = Vec::with_capacity(body.bindings.len());
            for binding in &body.bindings {
                self.binding(binding, &mut bindings)?;
            }
            Ok(Body { bindings, result: body.result })
        })
    }

    fn binding(&mut self, binding: &Binding, out: &mut Vec<Binding>) -> Result<(), Problem> {
        let Binding { var, op, span } = binding;
        match op {
            Op::Closure(function, captured) => {
                self.closures.insert(*var, (*function, captured.clone()));
                out.push(binding.clone());
            }
            Op::Copy(Atom::Var(source)) if self.closures.contains_key(source) => {
                let known = self.closures[source].clone();
                self.closures.insert(*var, known);
                out.push(binding.clone());
            }
            // What a function makes of series is computed when the program runs.
            Op::Derive(Derive::Taylor, operands) => {
                if !self.repeated(*var, operands, *span, out)? {
                    out.push(binding.clone());
                }
            }
            Op::Derive(derive, operands) => {
                if *derive == Derive::Derivative
                    && let Some(map) = KnownMap::derivative(operands[0], operands[1], &self.vars[var.0 as usize].ty)
                {
                    self.maps.insert(*var, map);
                }
                self.derive(*var, *derive, operands, *span, out)?;
            }
            Op::Copy(source) if self.known_map(*source).is_some() => {
                self.maps.extend(self.known_map(*source).map(|map| (*var, map)));
                out.push(binding.clone());
            }
            // The coordinates of maps are read off when the program runs.
            Op::OnMaps(OnMaps::Matrix, operands) => match self.known_map(operands[0]).filter(KnownMap::is_plain) {
                Some(map) => self.matrix(*var, &map, *span, out)?,
                None => out.push(binding.clone()),
            },
            Op::OnMaps(OnMaps::Coo, operands) if self.sparse_matrix(*var, operands[0], *span, out)? => {}
            Op::OnMaps(OnMaps::System, operands) if self.system(*var, operands[0], *span, out)? => {}
            Op::OnMaps(OnMaps::Factors, operands) if self.factors(*var, operands[0], *span, out)? => {}
            Op::OnMaps(operation, operands) => {
                self.maps.extend(self.known_result(*operation, operands).map(|map| (*var, map)));
                out.push(binding.clone());
            }
            Op::Apply(called, argument) => match self.known_map(*called) {
                Some(map) => self.apply(*var, &map, *argument, *span, out)?,
                None => out.push(binding.clone()),
            },
            _ => {
                let mut op = op.clone();
                let mut problem = None;
                op.visit_bodies_mut(&mut |body| match self.body(body) {
                    Ok(compiled) => *body = compiled,
                    Err(found) => problem = Some(found),
                });
                if let Some(problem) = problem {
                    return Err(problem);
                }
                out.push(Binding { var: *var, op, span: *span });
            }
        }
        Ok(())
    }

    pub(crate) fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.vars[var.0 as usize].ty.clone(),
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
            Atom::Bool(_) => Type::Bool,
        }
    }

    pub(crate) fn closure(&self, function: Atom) -> Option<(FunctionId, Vec<Atom>)> {
        match function {
            Atom::Var(function) => self.closures.get(&function).cloned(),
            _ => None,
        }
    }

    pub(crate) fn derive(
        &mut self,
        var: Var,
        derive: Derive,
        operands: &[Atom],
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<(), Problem> {
        let Some((function, captured)) = self.closure(operands[0]) else {
            // Known only when the program runs, which then has to differentiate it.
            out.push(Binding { var, op: Op::Derive(derive, operands.to_vec()), span });
            return Ok(());
        };
        let point = operands[1];
        let linearised = match self.calculus.linearised(function, &last_varies(&captured)) {
            Ok(linearised) => linearised,
            // What is known when the program runs can be differentiated then.
            Err(problem) if is_unknown_function(&problem) => {
                out.push(Binding { var, op: Op::Derive(derive, operands.to_vec()), span });
                return Ok(());
            }
            Err(mut problem) => {
                let main = &mut problem.labels[0];
                if problem.code == "recursive-derivative" && main.text.is_empty() {
                    *main = Label { span, text: "this derivative needs itself".into() };
                }
                return Err(problem);
            }
        };
        let called = self.calculus.program.function(function);
        let arguments: Vec<Atom> = captured.iter().copied().chain([point]).collect();
        let result = called.result.clone();
        let value_type = with_sizes(&result, |var| arguments.get(var.0 as usize).copied());
        let point_type = called.vars[captured.len()].ty.clone();
        // A map from `R` to `R` is its own adjoint.
        let is_own_adjoint = point_type == Type::Real && value_type == Type::Real;
        let derive = match derive {
            Derive::Reverse if self.calculus.by_cost && is_own_adjoint => Derive::Forward,
            derive => derive,
        };
        let mut bind = |compiler: &mut Self, op: Op, ty: Type| {
            let var = compiler.var(ty);
            out.push(Binding { var, op, span });
            Atom::Var(var)
        };
        let result_type = self.vars[var.0 as usize].ty.clone();
        let result_parts = result_type.components().unwrap_or_default();
        let Some(forward) = linearised.forward else {
            // The derivative is zero.
            let op = match derive {
                Derive::Forward => {
                    let value = bind(self, Op::Call(function, arguments), value_type);
                    let zero = bind(self, Op::Zero(value), result_parts[1].clone());
                    Op::Tuple(vec![value, zero])
                }
                Derive::Reverse => {
                    let value = bind(self, Op::Call(function, arguments), value_type);
                    let zero = bind(self, Op::Zero(point), result_parts[1].clone());
                    Op::Tuple(vec![value, zero])
                }
                _ => {
                    let value = bind(self, Op::Call(function, arguments), value_type.clone());
                    let forward = self.calculus.zero_map(&[&value_type, &point_type], 0, &point_type, span);
                    let reverse = self.calculus.zero_map(&[&value_type, &point_type], 1, &value_type, span);
                    Op::Map { forward, reverse, captured: vec![value, point] }
                }
            };
            out.push(Binding { var, op, span });
            return Ok(());
        };
        let computed = self.points.iter().find(|(function, at, _)| (*function, *at) == (operands[0], point));
        let all = match computed {
            Some((.., all)) => *all,
            None => {
                let primal = Op::Call(linearised.primal, arguments.clone());
                bind(self, primal, linearised.all(&value_type, &arguments))
            }
        };
        let value = bind(self, Op::Project(all, 0), value_type.clone());
        let mut parts = linearised.kept(all, &arguments, &mut |op, ty| bind(self, op, ty));
        let op = match derive {
            Derive::Forward => {
                parts.push(operands[2]);
                let tangent = bind(self, Op::Call(forward, parts), result_parts[1].clone());
                Op::Tuple(vec![value, tangent])
            }
            Derive::Reverse => {
                let ty = result_parts[1].clone();
                let accumulator = bind(self, Op::Accumulator, Type::Accumulator(ty.clone().into()));
                if has_holes(&ty) || ty.holds_maps() {
                    // The accumulator takes its shape from the point.
                    let zero = bind(self, Op::Zero(point), ty.clone());
                    bind(self, Op::AddTo(accumulator, Vec::new(), zero), Type::unit());
                }
                if value_type.varies() {
                    parts.push(operands[2]);
                }
                parts.push(accumulator);
                bind(self, Op::Call(linearised.reverse, parts), Type::unit());
                let cotangent = bind(self, Op::Read(accumulator), ty);
                Op::Tuple(vec![value, cotangent])
            }
            _ => {
                let reverse = self.calculus.reverse_map(&linearised, &point_type, &result, span);
                parts.push(point);
                let forward = self.calculus.forward_map(forward, &linearised, &point_type, &result, span);
                Op::Map { forward, reverse, captured: parts }
            }
        };
        out.push(Binding { var, op, span });
        Ok(())
    }

    /// Computes what the derivative of a function at a point needs, for all vectors it is applied to from here on.
    pub(crate) fn compute_at(&mut self, function: Atom, point: Atom, span: Span, out: &mut Vec<Binding>) {
        let Some((id, captured)) = self.closure(function) else { return };
        // What keeps it from being differentiated is said where it is applied.
        let Ok(linearised) = self.calculus.linearised(id, &last_varies(&captured)) else { return };
        if linearised.forward.is_none() {
            return;
        }
        let arguments: Vec<Atom> = captured.into_iter().chain([point]).collect();
        let called = self.calculus.program.function(id);
        let value_type = with_sizes(&called.result, |var| arguments.get(var.0 as usize).copied());
        let all = self.var(linearised.all(&value_type, &arguments));
        out.push(Binding { var: all, op: Op::Call(linearised.primal, arguments), span });
        self.points.push((function, point, Atom::Var(all)));
    }
}

/// Which arguments of a closure vary: the one behind what is captured.
fn last_varies(captured: &[Atom]) -> Vec<bool> {
    captured.iter().map(|_| false).chain([true]).collect()
}

impl Calculus {
    /// Adds the function that gives the value of another and the derivative by its last parameter.
    pub(super) fn value_and_map(&mut self, id: FunctionId) -> Result<FunctionId, Problem> {
        let Function { name, vars, parameters, result, span, .. } = self.program.function(id).clone();
        let arguments: Vec<Atom> = (0..parameters as u32).map(|at| Atom::Var(Var(at))).collect();
        let Some((point, captured)) = arguments.split_last() else { return Ok(id) };
        let point_type = vars[parameters - 1].ty.clone();
        let taken = vars[..parameters].to_vec();
        let mut compiler = Compiler {
            calculus: self,
            vars: taken,
            closures: FxHashMap::default(),
            maps: FxHashMap::default(),
            points: Vec::new(),
        };
        let mut out = Vec::new();
        let closure = compiler.var(Type::function(point_type.clone(), result.clone()));
        let op = Op::Closure(id, captured.to_vec());
        compiler.binding(&Binding { var: closure, op, span }, &mut out)?;
        compiler.compute_at(Atom::Var(closure), *point, span, &mut out);
        let linear = Type::Linear(Arc::new((point_type.tangent(), result.tangent())));
        let map = compiler.var(linear.clone());
        compiler.derive(map, Derive::Derivative, &[Atom::Var(closure), *point], span, &mut out)?;
        let value = match compiler.points.first() {
            Some((.., all)) => Op::Project(*all, 0),
            None => Op::Call(id, arguments),
        };
        let both = Type::Tuple([result.clone(), linear].into());
        let [first, pair] = [result, both.clone()].map(|ty| compiler.var(ty));
        out.push(Binding { var: first, op: value, span });
        out.push(Binding { var: pair, op: Op::Tuple(vec![Atom::Var(first), Atom::Var(map)]), span });
        let body = Body { bindings: out, result: Atom::Var(pair) };
        let vars = compiler.vars;
        Ok(self.add(Function { name, vars, parameters, body, result: both, span }))
    }

    /// The function that takes some values and a vector, and gives the zero at one of the values.
    fn zero_map(&mut self, captured: &[&Type], at: usize, argument: &Type, span: Span) -> FunctionId {
        let mut vars: Vec<VarInfo> = captured.iter().map(|ty| VarInfo { name: None, ty: open_sizes(ty) }).collect();
        vars.push(VarInfo { name: None, ty: open_sizes(argument).tangent() });
        let result = open_sizes(captured[at]).tangent();
        vars.push(VarInfo { name: None, ty: result.clone() });
        let var = Var(vars.len() as u32 - 1);
        let bindings = vec![Binding { var, op: Op::Zero(Atom::Var(Var(at as u32))), span }];
        let parameters = vars.len() - 1;
        let body = Body { bindings, result: Atom::Var(var) };
        self.add(Function { name: "zero".into(), vars, parameters, body, result, span })
    }

    /// The linear function as a function of what is kept, the point, and a tangent.
    fn forward_map(
        &mut self,
        forward: FunctionId,
        linearised: &Linearised,
        point: &Type,
        value: &Type,
        span: Span,
    ) -> FunctionId {
        let mut map = MapWriter::new(linearised, point, ("tangent", point), span);
        let mut arguments = map.kept.clone();
        arguments.push(map.vector);
        let result = linearised.sized(value).tangent();
        let image = map.bind(Op::Call(forward, arguments), result.clone());
        let name = self.program.function(forward).name.clone();
        self.add(map.function(name, image, result))
    }

    /// The adjoint as a function of what is kept, the point, and a cotangent.
    fn reverse_map(&mut self, linearised: &Linearised, point: &Type, value: &Type, span: Span) -> FunctionId {
        let mut map = MapWriter::new(linearised, point, ("cotangent", value), span);
        let result = linearised.sized(point).tangent();
        let accumulator = map.bind(Op::Accumulator, Type::Accumulator(result.clone().into()));
        if has_holes(&result) || result.holds_maps() {
            // The accumulator takes its shape from the point.
            let zero = map.bind(Op::Zero(map.point), result.clone());
            map.bind(Op::AddTo(accumulator, Vec::new(), zero), Type::unit());
        }
        let mut arguments = map.kept.clone();
        arguments.extend([map.vector, accumulator]);
        map.bind(Op::Call(linearised.reverse, arguments), Type::unit());
        let image = map.bind(Op::Read(accumulator), result.clone());
        let name = self.program.function(linearised.reverse).name.clone();
        self.add(map.function(name, image, result))
    }
}

/// Writes a function of what is kept, the point and a vector.
struct MapWriter {
    vars: Vec<VarInfo>,
    bindings: Vec<Binding>,
    kept: Vec<Atom>,
    point: Atom,
    vector: Atom,
    span: Span,
}

impl MapWriter {
    fn new(linearised: &Linearised, point: &Type, (name, space): (&str, &Type), span: Span) -> MapWriter {
        let unnamed = |(_, ty): &(Var, Type)| VarInfo { name: None, ty: linearised.sized(ty) };
        let mut vars: Vec<VarInfo> = linearised.kept.iter().map(unnamed).collect();
        let kept = vars.len() as u32;
        vars.push(VarInfo { name: Some("point".into()), ty: linearised.sized(point) });
        vars.push(VarInfo { name: Some(name.into()), ty: linearised.sized(space).tangent() });
        let atom = |at: u32| Atom::Var(Var(at));
        let (point, vector) = (atom(kept), atom(kept + 1));
        MapWriter { vars, bindings: Vec::new(), kept: (0..kept).map(atom).collect(), point, vector, span }
    }

    fn bind(&mut self, op: Op, ty: Type) -> Atom {
        bind(&mut self.vars, &mut self.bindings, op, ty, self.span)
    }

    fn function(self, name: Name, image: Atom, result: Type) -> Function {
        let MapWriter { vars, bindings, kept, span, .. } = self;
        Function { name, vars, parameters: kept.len() + 2, body: Body { bindings, result: image }, result, span }
    }
}
