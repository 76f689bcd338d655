//! From draft to core: resolves all types, inserts conversions, completes the captured values of closures, and numbers
//! the variables of each function from zero.

mod lambda;

use super::draft::{Draft, DraftCall};
use super::structure::make_real;
use crate::renumber::renumber;
use crate::size::{self, Size};
use crate::term::{Atom, Binding, Body, Function, FunctionId, Iteration, Op, Recurrence, Step, Var, VarInfo};
use crate::types::Type;
use crate::verify::same_shape;
use riesz_primitive::scalar;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function whose types may not all be known yet.
pub(crate) struct DraftFunction {
    pub name: Name,
    /// Sizes that are passed to it, then its arguments.
    pub parameters: Vec<Var>,
    /// The sizes of its signature inside it.
    pub sizes: Vec<Size>,
    pub body: Body,
    pub result: Type,
    /// The type that its body has, of which `result` may leave sizes open.
    pub found: Type,
    pub span: Span,
}

impl DraftFunction {
    /// A function without parameters.
    pub fn thunk(name: Name, body: Body, result: Type, span: Span) -> DraftFunction {
        let found = result.clone();
        DraftFunction { name, parameters: Vec::new(), sizes: Vec::new(), body, result, found, span }
    }
}

/// One function on its way.
struct Finisher<'d, 'c> {
    draft: &'d mut Draft<'c>,
    /// The operands for which variables are other names.
    same: FxHashMap<Var, Atom>,
    /// Variables that can be used at the place where the work is.
    defined: FxHashSet<Var>,
    /// The bodies being written, innermost last.
    bodies: Vec<Vec<Binding>>,
}

impl Draft<'_> {
    /// Makes core of a function.
    pub fn finish(&mut self, function: DraftFunction) -> Function {
        let mut finisher =
            Finisher { draft: self, same: FxHashMap::default(), defined: FxHashSet::default(), bodies: Vec::new() };
        finisher.defined.extend(&function.parameters);
        let body = finisher.body(function.body);
        let result = finisher.draft.final_type(&function.result);
        let result = finisher.rename(&result);
        number(finisher.draft, function.name, &function.parameters, body, result, function.span)
    }

    /// Makes core of a function without parameters and adds it to the program.
    pub fn finish_thunk(&mut self, function: DraftFunction) -> (FunctionId, Type) {
        let finished = self.finish(function);
        let ty = finished.result.clone();
        self.checker.program.functions.push(finished);
        (FunctionId(self.checker.program.functions.len() as u32 - 1), ty)
    }

    /// The type, where what nothing decides is an `Int`, if it is a number, and else an `R`.
    pub fn final_type(&self, ty: &Type) -> Type {
        self.resolve_deep(ty).rebuild(
            &mut |size| {
                size.replace(&mut |atom| match atom {
                    size::Atom::Unknown(_) => Size::Hole,
                    atom => Size::Atom(atom),
                })
            },
            &mut |part| match part {
                Type::Number(_) => Some(Type::Int),
                Type::Unknown(_) => Some(Type::Real),
                _ => None,
            },
        )
    }
}

impl Finisher<'_, '_> {
    fn body(&mut self, body: Body) -> Body {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.bodies.push(Vec::with_capacity(body.bindings.len()));
            for binding in body.bindings {
                self.binding(binding);
            }
            let result = self.atom(body.result);
            self.end_body(result)
        })
    }

    /// Ends the innermost body; what it binds cannot be used after it.
    fn end_body(&mut self, result: Atom) -> Body {
        let bindings = self.bodies.pop().unwrap_or_default();
        for binding in &bindings {
            self.defined.remove(&binding.var);
        }
        Body { bindings, result }
    }

    /// A body inside which more can be used.
    fn body_with(&mut self, bound: &[Var], body: Body) -> Body {
        self.defined.extend(bound);
        let body = self.body(body);
        for var in bound {
            self.defined.remove(var);
        }
        body
    }

    fn push(&mut self, var: Var, op: Op, span: Span) {
        self.defined.insert(var);
        if let Some(body) = self.bodies.last_mut() {
            body.push(Binding { var, op, span });
        }
    }

    fn bind(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        let var = self.draft.var(ty, None);
        self.push(var, op, span);
        Atom::Var(var)
    }

    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.same.get(&var).copied().unwrap_or(atom),
            _ => atom,
        }
    }

    fn atoms(&self, atoms: Vec<Atom>) -> Vec<Atom> {
        atoms.into_iter().map(|atom| self.atom(atom)).collect()
    }

    fn type_of(&self, atom: Atom) -> Type {
        match atom {
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
            Atom::Bool(_) => Type::Bool,
            Atom::Var(var) => self.rename(&self.draft.final_type(&self.draft.vars[var.0 as usize].ty)),
        }
    }

    /// The type with sizes named as the core names them.
    fn rename(&self, ty: &Type) -> Type {
        ty.map_sizes(&mut |size| self.rename_size(size))
    }

    fn rename_size(&self, size: &Size) -> Size {
        size.replace(&mut |atom| match atom {
            size::Atom::Var(var) => match self.same.get(&var) {
                Some(Atom::Int(value)) => Size::Constant(*value),
                Some(Atom::Var(other)) => Size::var(*other),
                _ => Size::var(var),
            },
            atom => Size::Atom(atom),
        })
    }

    fn binding(&mut self, Binding { var, op, span }: Binding) {
        let op = match op {
            Op::Copy(atom) => {
                let atom = self.atom(atom);
                return self.copy(var, atom, span);
            }
            Op::SizeOf(atom, path) => {
                let atom = self.atom(atom);
                match self.known_size(atom, &path) {
                    Some(known) => {
                        self.same.insert(var, known);
                        return;
                    }
                    None => Op::SizeOf(atom, path),
                }
            }
            Op::CheckSizes(a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                if a == b {
                    return;
                }
                Op::CheckSizes(a, b)
            }
            Op::Scalar(primitive, arguments) => {
                let arguments = self.atoms(arguments);
                if std::ptr::eq(primitive, &scalar::NEG)
                    && let [Atom::Real(value)] = arguments[..]
                {
                    self.same.insert(var, Atom::Real(-value));
                    return;
                }
                if std::ptr::eq(primitive, &scalar::NEG)
                    && let [Atom::Int(value)] = arguments[..]
                    && let Some(negated) = value.checked_neg()
                {
                    let real = self.type_of(Atom::Var(var)) == Type::Real;
                    self.same.insert(var, if real { Atom::Real(negated as f64) } else { Atom::Int(negated) });
                    return;
                }
                Op::Scalar(primitive, arguments)
            }
            Op::Call(call, arguments) => {
                let arguments = self.atoms(arguments);
                self.call(call, arguments)
            }
            Op::Ruled(ruled, arguments) => {
                let arguments = self.atoms(arguments);
                let called = ruled.map(|call| self.called(call).0);
                match self.call(ruled.value, arguments) {
                    Op::Call(_, passed) => Op::Ruled(called, passed),
                    other => other,
                }
            }
            Op::Hold(a) => Op::Hold(self.atom(a)),
            Op::Graft(a, b) => Op::Graft(self.atom(a), self.atom(b)),
            Op::Closure(lambda, _) => self.closure(lambda),
            Op::Compare(comparison, a, b) => Op::Compare(comparison, self.atom(a), self.atom(b)),
            Op::Same(a, b) => Op::Same(self.atom(a), self.atom(b)),
            Op::Near(a, b, tolerance) => Op::Near(self.atom(a), self.atom(b), self.atom(tolerance)),
            Op::Not(a) => Op::Not(self.atom(a)),
            Op::ToReal(a) => Op::ToReal(self.atom(a)),
            Op::Truncate(a) => Op::Truncate(self.atom(a)),
            Op::IsNan(a) => Op::IsNan(self.atom(a)),
            Op::Tuple(parts) => Op::Tuple(self.atoms(parts)),
            Op::Project(a, at) => Op::Project(self.atom(a), at),
            Op::Array(elements) => {
                let mut elements = self.atoms(elements);
                if let Type::Array(_, element) = self.type_of(Atom::Var(var))
                    && *element == Type::Real
                {
                    elements.iter_mut().for_each(make_real);
                }
                Op::Array(elements)
            }
            Op::Index(array, index) => Op::Index(self.atom(array), self.atom(index)),
            Op::ArrayFunction(primitive, arguments) => Op::ArrayFunction(primitive, self.atoms(arguments)),
            Op::Apply(function, argument) => Op::Apply(self.atom(function), self.atom(argument)),
            Op::Global(global) => Op::Global(global),
            Op::Derive(derive, operands) => Op::Derive(derive, self.atoms(operands)),
            Op::OnMaps(operation, operands) => Op::OnMaps(operation, self.atoms(operands)),
            // Only the calculus writes these.
            op @ (Op::Builds(_)
            | Op::Trace(_)
            | Op::TraceWhile { .. }
            | Op::For(_)
            | Op::Accumulator
            | Op::Plus(..)
            | Op::Zero(_)
            | Op::AddTo(..)
            | Op::Read(_)
            | Op::Map { .. }) => op,
            Op::Build(iteration) => Op::Build(self.iteration(iteration)),
            Op::Reduce(reduction, iteration) => Op::Reduce(reduction, self.iteration(iteration)),
            Op::If { condition, yes, no } => {
                Op::If { condition: self.atom(condition), yes: self.body(yes), no: self.body(no) }
            }
            Op::Loop(recurrence) => Op::Loop(self.recurrence(recurrence)),
            Op::Scan(recurrence) => Op::Scan(self.recurrence(recurrence)),
            Op::While { state, start, condition, body } => {
                let start = self.atom(start);
                let (condition, body) = (self.body_with(&[state], condition), self.body_with(&[state], body));
                Op::While { state, start, condition, body }
            }
        };
        self.push(var, op, span);
    }

    fn iteration(&mut self, Iteration { count, index, body }: Iteration) -> Iteration {
        Iteration { count: self.atom(count), index, body: self.body_with(&[index], body) }
    }

    fn recurrence(&mut self, Recurrence { state, start, count, index, body }: Recurrence) -> Recurrence {
        let (start, count) = (self.atom(start), self.atom(count));
        Recurrence { state, start, count, index, body: self.body_with(&[state, index], body) }
    }

    /// A copy is another name, a conversion, or a view at a type with other names for its sizes.
    fn copy(&mut self, var: Var, atom: Atom, span: Span) {
        let (from, to) = (self.type_of(atom), self.type_of(Atom::Var(var)));
        if let (Atom::Var(source), Some(name)) = (atom, self.draft.vars[var.0 as usize].name.clone()) {
            self.draft.vars[source.0 as usize].name.get_or_insert(name);
        }
        if from == to {
            self.same.insert(var, atom);
        } else if same_shape(&from, &to) {
            self.push(var, Op::Copy(atom), span);
        } else {
            let converted = self.convert(atom, &from, &to, span);
            if let Atom::Var(converted) = converted {
                let name = self.draft.vars[var.0 as usize].name.clone();
                self.draft.vars[converted.0 as usize].name = name;
            }
            self.same.insert(var, converted);
        }
    }

    /// Writes out how a value becomes one of another type.
    fn convert(&mut self, atom: Atom, from: &Type, to: &Type, span: Span) -> Atom {
        match (atom, from, to) {
            _ if same_shape(from, to) => atom,
            (Atom::Int(value), _, Type::Real) => Atom::Real(value as f64),
            (_, Type::Int, Type::Real) => self.bind(Op::ToReal(atom), Type::Real, span),
            (_, Type::Array(size, a), Type::Array(_, b)) => {
                let count = self.size_atom(size, atom, span);
                self.bodies.push(Vec::new());
                let index = self.draft.var(Type::Int, None);
                self.defined.insert(index);
                let element = self.bind(Op::Index(atom, Atom::Var(index)), (**a).clone(), span);
                let result = self.convert(element, a, b, span);
                let body = self.end_body(result);
                self.defined.remove(&index);
                self.bind(Op::Build(Iteration { count, index, body }), to.clone(), span)
            }
            _ => {
                let (parts, wanted) = (from.components().unwrap_or_default(), to.components().unwrap_or_default());
                let mut converted = Vec::with_capacity(parts.len());
                for (at, (part, wanted)) in parts.iter().zip(&wanted).enumerate() {
                    let value = self.bind(Op::Project(atom, at), part.clone(), span);
                    converted.push(self.convert(value, part, wanted, span));
                }
                self.bind(Op::Tuple(converted), to.clone(), span)
            }
        }
    }

    fn size_atom(&mut self, size: &Size, array: Atom, span: Span) -> Atom {
        match self.simple(size) {
            Some(atom) => atom,
            None => self.bind(Op::SizeOf(array, Vec::new()), Type::Int, span),
        }
    }

    /// A size that is a constant or a variable that can be used here.
    fn simple(&self, size: &Size) -> Option<Atom> {
        match size {
            Size::Constant(value) => Some(Atom::Int(*value)),
            Size::Atom(size::Atom::Var(var)) if self.defined.contains(var) => Some(Atom::Var(*var)),
            _ => None,
        }
    }

    fn known_size(&self, atom: Atom, path: &[Step]) -> Option<Atom> {
        let mut ty = self.type_of(atom);
        for step in path {
            ty = match (step, &ty) {
                (Step::Elements, Type::Array(_, element)) => (**element).clone(),
                (Step::Component(at), _) => ty.components()?.get(*at)?.clone(),
                _ => return None,
            };
        }
        match ty {
            Type::Array(size, _) => self.simple(&size),
            _ => None,
        }
    }

    /// A call of an item at the types that have been found: sizes inside the types first, then sizes, then arguments.
    fn call(&mut self, call: FunctionId, arguments: Vec<Atom>) -> Op {
        let (function, sizes) = self.called(call);
        let span = self.draft.calls[call.0 as usize].span;
        let mut passed: Vec<Atom> = Vec::with_capacity(sizes.len() + arguments.len());
        for size in &sizes {
            let value = self.compute(size, span);
            if let Size::Polynomial(_) = size {
                // A size that was solved for may come out negative.
                let least = self.bind(Op::Scalar(&scalar::MAX, vec![value, Atom::Int(0)]), Type::Int, span);
                let check = self.draft.var(Type::unit(), None);
                self.push(check, Op::CheckSizes(value, least), span);
            }
            passed.push(value);
        }
        passed.extend(arguments);
        Op::Call(function, passed)
    }

    /// The function that a call means, and the sizes that it passes.
    fn called(&mut self, call: FunctionId) -> (FunctionId, Vec<Size>) {
        let DraftCall { item, types, sizes, span } = &self.draft.calls[call.0 as usize];
        let (item, span) = (*item, *span);
        let types: Vec<Type> = types.iter().map(|ty| self.rename(&self.draft.final_type(ty))).collect();
        let sizes: Vec<Size> = sizes.iter().map(|size| self.rename_size(&self.draft.resolve_size(size))).collect();
        let mut inner = Vec::new();
        let types: Vec<Type> = types
            .iter()
            .map(|ty| {
                ty.map_sizes(&mut |size| {
                    if *size == Size::Hole || !self.is_defined(size) {
                        return Size::Hole;
                    }
                    inner.push(size.clone());
                    Size::Atom(size::Atom::Parameter(inner.len() as u32 - 1))
                })
            })
            .collect();
        let function = self.draft.checker.instance(item, types, span);
        inner.extend(sizes);
        (function, inner)
    }

    /// Whether all that a size names can be used here: what a later use of a value told about its type cannot.
    fn is_defined(&self, size: &Size) -> bool {
        size.atoms().iter().all(|atom| match atom {
            size::Atom::Var(var) => self.defined.contains(var),
            _ => true,
        })
    }

    /// Computes a size; where nothing tells it yet, only an array without elements can have it, and it counts as zero.
    fn compute(&mut self, size: &Size, span: Span) -> Atom {
        if let Some(atom) = self.simple(size) {
            return atom;
        }
        if !self.is_defined(size) {
            return Atom::Int(0);
        }
        // The draft computes sizes; what it writes is then finished like the rest.
        self.draft.open();
        let result = self.draft.compute(size, span);
        let body = self.draft.close(result);
        for binding in body.bindings {
            self.binding(binding);
        }
        self.atom(result)
    }
}

/// Numbers the variables of a function from zero, parameters first.
fn number(draft: &Draft, name: Name, parameters: &[Var], body: Body, result: Type, span: Span) -> Function {
    renumber(name, parameters, body, &result, span, &|var| {
        let known = &draft.vars[var.0 as usize];
        VarInfo { name: known.name.clone(), ty: draft.final_type(&known.ty) }
    })
}
