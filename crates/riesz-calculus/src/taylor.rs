//! Series inside derivatives. For `T f (x, v)_j = (d/dt)^j f(x + t v)` at `t = 0`:
//!
//! ```text
//! d(T f (x, v))_j  =  T (D f) ((x, dx), (v, dv))_j               the series of the tangent
//! x̄  =  Σ_j   T (λx. (D f x)ᵀ c̄_j) (x, v)_j                      where c̄ is the cotangent of T f (x, v)
//! v̄  =  Σ_j j T (λx. (D f x)ᵀ c̄_j) (x, v)_{j−1}
//! ```
//!
//! The captured values of `f` are a part of the point that does not move: their direction is zero.

use crate::compile::{Calculus, Compiler, Problem, open_sizes};
use crate::linearise::{Lineariser, Tangent};
use crate::transpose::Transposer;
use riesz_core::build::bind;
use riesz_core::term::{Atom, Binding, Body, Derive, Function, FunctionId, Op, Var, VarInfo};
use riesz_core::{Size, Type};
use riesz_primitive::scalar;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function of a point, over what it captures.
#[derive(Clone)]
struct OfPoint {
    function: FunctionId,
    captured: Vec<Type>,
    point: Type,
    value: Type,
}

impl Lineariser<'_> {
    /// The tangent of the series of a known function.
    pub(crate) fn taylor(
        &mut self,
        (function, captured): (FunctionId, Vec<Atom>),
        operands: &[Atom],
        ty: &Type,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let (point, direction, order) = (operands[1], operands[2], operands[3]);
        let tangents: Vec<Option<Atom>> = captured
            .iter()
            .map(|value| if self.atom_type(*value).varies() { self.whole(*value, span) } else { None })
            .collect();
        let moves: Vec<bool> = tangents.iter().map(Option::is_some).collect();
        let of_point = self.calculus.of_point(function, &moves, span);
        let forward = self.calculus.taylor_forward(&of_point, span)?;

        // The point and its direction, and their tangents.
        let still = |moved: &bool| !*moved;
        let mut passed: Vec<Atom> =
            captured.iter().zip(&moves).filter(|(_, moved)| still(moved)).map(|(value, _)| *value).collect();
        let moved: Vec<Atom> =
            captured.iter().zip(&moves).filter(|(_, moved)| **moved).map(|(value, _)| *value).collect();
        let (mut points, mut directions) = (Vec::new(), Vec::new());
        for value in &moved {
            points.push(*value);
            let ty = self.atom_type(*value).tangent();
            directions.push(self.primal(Op::Zero(*value), ty, span));
        }
        points.push(point);
        directions.push(direction);
        let tuple = |lineariser: &mut Self, parts: Vec<Atom>| {
            let ty = Type::Tuple(parts.iter().map(|part| lineariser.atom_type(*part)).collect());
            lineariser.primal(Op::Tuple(parts), ty, span)
        };
        let (points, directions) = (tuple(self, points), tuple(self, directions));
        let mut parts: Vec<Tangent> = tangents.into_iter().flatten().map(Tangent::Value).collect();
        let still: Vec<Tangent> = parts.iter().map(|_| Tangent::Zero).collect();
        parts.push(self.tangent(point));
        let point_tangent = self.materialise(&Tangent::Parts(parts), points, span);
        let mut parts = still;
        parts.push(self.tangent(direction));
        let direction_tangent = self.materialise(&Tangent::Parts(parts), directions, span);
        passed.extend([points, directions, order, point_tangent, direction_tangent]);
        Ok(Tangent::Value(self.linear(Op::Call(forward, passed), ty.tangent(), span)))
    }
}

/// Up to which order the derivatives of functions with rules are taken one after the other.
const HIGHEST_REPEATED: i64 = 8;

impl Compiler<'_> {
    /// Series through functions whose derivatives are stated: `f`, `D f x v`, `D (D f · v) x v` and so on, as far as the order
    /// is known. Whether it was written so.
    pub(crate) fn repeated(
        &mut self,
        var: Var,
        operands: &[Atom],
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<bool, Problem> {
        let &[function, point, direction, Atom::Int(order @ 0..=HIGHEST_REPEATED)] = operands else { return Ok(false) };
        let Some((mut function, mut captured)) = self.closure(function) else { return Ok(false) };
        if !self.calculus.program.has_rules(function) {
            return Ok(false);
        }
        let Type::Array(_, value) = self.vars[var.0 as usize].ty.clone() else { return Ok(false) };
        let mut terms = Vec::new();
        for at in 0..=order {
            let ty = if at == 0 { (*value).clone() } else { value.tangent() };
            let arguments = captured.iter().copied().chain([point]).collect();
            let term = self.var(ty);
            out.push(Binding { var: term, op: Op::Call(function, arguments), span });
            terms.push(Atom::Var(term));
            if at < order {
                function = self.calculus.along(function, at == 0, span)?;
                if at == 0 {
                    captured.push(direction);
                }
            }
        }
        out.push(Binding { var, op: Op::Array(terms), span });
        Ok(true)
    }
}

impl Calculus {
    /// `(captured, v, x) ↦ D (f captured) x v`, where `f` takes the direction itself but the first time.
    fn along(&mut self, function: FunctionId, is_first: bool, span: Span) -> Result<FunctionId, Problem> {
        let called = self.program.function(function).clone();
        let count = called.parameters - 1;
        let point = called.vars[count].ty.clone();
        let mut types: Vec<Type> = called.vars[..count].iter().map(|var| var.ty.clone()).collect();
        if is_first {
            types.push(point.tangent());
        }
        let (value, direction) = (called.result.clone(), Atom::Var(Var(types.len() as u32 - 1)));
        let x = Atom::Var(Var(types.len() as u32));
        let mut writer = Written::new(types.iter().chain([&point]));
        let captured = (0..count as u32).map(|at| Atom::Var(Var(at))).collect();
        let closure = writer.closure(function, captured, &point, &value, span);
        let both = Type::Tuple([value.clone(), value.tangent()].into());
        let both = writer.bind(Op::Derive(Derive::Forward, vec![closure, x, direction]), both, span);
        let tangent = writer.bind(Op::Project(both, 1), value.tangent(), span);
        let id = self.add_to_compile(writer.function(called.name, tangent, value.tangent(), span));
        self.compile_body(id)?;
        Ok(id)
    }

    /// The function with what moves of what it captures as a part of its point: `(still, (moved, x)) ↦ f (captured, x)`.
    fn of_point(&mut self, function: FunctionId, moves: &[bool], span: Span) -> OfPoint {
        let called = self.program.function(function).clone();
        let types: Vec<Type> = called.vars[..called.parameters].iter().map(|var| open_sizes(&var.ty)).collect();
        let split = |wanted: bool| -> Vec<Type> {
            types.iter().zip(moves).filter(|(_, moved)| **moved == wanted).map(|(ty, _)| ty.clone()).collect()
        };
        let captured = split(false);
        let mut parts = split(true);
        parts.push(types[moves.len()].clone());
        let point = Type::Tuple(parts.clone().into());
        let value = open_sizes(&called.result);
        let mut writer = Written::new(captured.iter().chain([&point]));
        let tuple = Atom::Var(Var(captured.len() as u32));
        let mut still = 0..captured.len() as u32;
        let mut moved = 0..parts.len();
        let mut arguments = Vec::new();
        for moves in moves.iter().chain([&true]) {
            arguments.extend(match moves {
                true => moved.next().map(|at| writer.bind(Op::Project(tuple, at), parts[at].clone(), span)),
                false => still.next().map(|at| Atom::Var(Var(at))),
            });
        }
        let result = writer.bind(Op::Call(function, arguments), value.clone(), span);
        let function = self.add(writer.function(called.name, result, value.clone(), span));
        OfPoint { function, captured, point, value }
    }

    /// `(still, x, v, k, dx, dv) ↦ T (D f) ((x, dx), (v, dv))`, and its adjoint.
    fn taylor_forward(&mut self, of: &OfPoint, span: Span) -> Result<FunctionId, Problem> {
        let series = |ty: &Type| Type::array(Size::Hole, ty.clone());
        let still = of.captured.len();
        let [value, point] = [&of.value, &of.point].map(Type::tangent);

        // (still, (x, dx)) ↦ D f x dx
        let pair = Type::Tuple([of.point.clone(), point.clone()].into());
        let tangent = self.derivative(of, &[], &pair, Derive::Forward, span)?;
        // (still, c̄, x) ↦ (D f x)ᵀ c̄
        let gradient = self.derivative(of, std::slice::from_ref(&value), &of.point, Derive::Reverse, span)?;

        let kept = [&of.point, &point, &Type::Int];
        let types = of.captured.iter().chain(kept);
        let mut writer = Written::new(types.clone().chain([&point, &point]));
        let [x, v, order, dx, dv] = [0, 1, 2, 3, 4].map(|at| Atom::Var(Var((still + at) as u32)));
        let captured: Vec<Atom> = (0..still as u32).map(|at| Atom::Var(Var(at))).collect();
        let closure = writer.closure(tangent, captured.clone(), &pair, &value, span);
        let both = writer.bind(Op::Tuple(vec![x, dx]), pair.clone(), span);
        let directions = writer.bind(Op::Tuple(vec![v, dv]), pair.tangent(), span);
        let op = Op::Derive(Derive::Taylor, vec![closure, both, directions, order]);
        let result = writer.bind(op, series(&value), span);
        let forward = self.add(writer.function("taylor".into(), result, series(&value), span));

        // (still, x, v, k, c̄, to x̄, to v̄) ↦ ()
        let to = Type::Accumulator(point.clone().into());
        let cotangents = series(&value);
        let vars: Vec<VarInfo> =
            (types.chain([&cotangents, &to, &to])).map(|ty| VarInfo { name: None, ty: ty.clone() }).collect();
        let parameters = vars.len();
        let [cotangents, to_x, to_v] = [3, 4, 5].map(|at| Atom::Var(Var((still + at) as u32)));
        let mut writer = Transposer::new(self, vars, FxHashSet::default(), FxHashMap::default());
        let count = writer.bind(Op::Scalar(&scalar::ADD, vec![order, Atom::Int(1)]), Type::Int, span);
        writer.each(count, span, |writer, at| {
            let cotangent = writer.bind(Op::Index(cotangents, at), value.clone(), span);
            let captured: Vec<Atom> = captured.iter().copied().chain([cotangent]).collect();
            let arrow = Type::Function(std::sync::Arc::new((of.point.clone(), point.clone())));
            let closure = writer.bind(Op::Closure(gradient, captured), arrow, span);
            let op = Op::Derive(Derive::Taylor, vec![closure, x, v, order]);
            let terms = writer.bind(op, series(&point), span);
            let term = writer.bind(Op::Index(terms, at), point.clone(), span);
            writer.bind(Op::AddTo(to_x, Vec::new(), term), Type::unit(), span);
            // Once, but not for the first.
            let again = writer.bind(Op::Scalar(&scalar::MIN, vec![at, Atom::Int(1)]), Type::Int, span);
            writer.each(again, span, |writer, _| {
                let before = writer.bind(Op::Scalar(&scalar::SUB, vec![at, Atom::Int(1)]), Type::Int, span);
                let term = writer.bind(Op::Index(terms, before), point.clone(), span);
                let factor = writer.bind(Op::ToReal(at), Type::Real, span);
                let term = writer.multiple(factor, term, &point, span);
                writer.bind(Op::AddTo(to_v, Vec::new(), term), Type::unit(), span);
            });
        });
        let unit = writer.bind(Op::Tuple(Vec::new()), Type::unit(), span);
        let (vars, body) = writer.finish(unit);
        let reverse = self.add(Function { name: "taylor".into(), vars, parameters, body, result: Type::unit(), span });
        self.set_reverse(forward, reverse, still + 3);
        Ok(forward)
    }

    /// The function of what is captured, some more, and an argument, that applies the derivative forwards to the second half
    /// of the argument, or backwards to what is given more.
    fn derivative(
        &mut self,
        of: &OfPoint,
        more: &[Type],
        argument: &Type,
        derive: Derive,
        span: Span,
    ) -> Result<FunctionId, Problem> {
        let mut writer = Written::new(of.captured.iter().chain(more).chain([argument]));
        let captured: Vec<Atom> = (0..of.captured.len() as u32).map(|at| Atom::Var(Var(at))).collect();
        let given = Atom::Var(Var(captured.len() as u32));
        let closure = writer.closure(of.function, captured, &of.point, &of.value, span);
        let [point, value] = [&of.point, &of.value].map(Type::tangent);
        let (x, vector, result) = match derive {
            Derive::Forward => {
                let x = writer.bind(Op::Project(given, 0), of.point.clone(), span);
                (x, writer.bind(Op::Project(given, 1), point, span), value)
            }
            _ => (Atom::Var(Var(of.captured.len() as u32 + 1)), given, point),
        };
        let both = Type::Tuple([of.value.clone(), result.clone()].into());
        let both = writer.bind(Op::Derive(derive, vec![closure, x, vector]), both, span);
        let atom = writer.bind(Op::Project(both, 1), result.clone(), span);
        let id = self.add_to_compile(writer.function("taylor".into(), atom, result, span));
        self.compile_body(id)?;
        Ok(id)
    }
}

/// A function being written.
struct Written {
    vars: Vec<VarInfo>,
    parameters: usize,
    bindings: Vec<Binding>,
}

impl Written {
    fn new<'t>(parameters: impl Iterator<Item = &'t Type>) -> Written {
        let vars: Vec<VarInfo> = parameters.map(|ty| VarInfo { name: None, ty: ty.clone() }).collect();
        Written { parameters: vars.len(), vars, bindings: Vec::new() }
    }

    fn bind(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        bind(&mut self.vars, &mut self.bindings, op, ty, span)
    }

    fn closure(&mut self, function: FunctionId, captured: Vec<Atom>, from: &Type, to: &Type, span: Span) -> Atom {
        let ty = Type::Function(std::sync::Arc::new((from.clone(), to.clone())));
        self.bind(Op::Closure(function, captured), ty, span)
    }

    fn function(self, name: riesz_syntax::tree::Name, result: Atom, ty: Type, span: Span) -> Function {
        let Written { vars, parameters, bindings } = self;
        Function { name, vars, parameters, body: Body { bindings, result }, result: ty, span }
    }
}
