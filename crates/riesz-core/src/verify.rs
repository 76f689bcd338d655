//! The verifier: the invariants of every core program.
//!
//! 1. Every variable is bound once, before it is used, in a body around its use; parameters come first.
//! 2. Functions, globals and components exist; calls pass as many arguments as there are parameters, of their types.
//! 3. The type of a variable is that of its operation, apart from sizes; a body gives the type that its operation
//!    needs.
//! 4. Types are known: they contain no unknowns, undecided numbers, type variables or errors. Sizes refer to `Int`
//!    variables in scope or `Int` globals, or are open (`_`).
//! 5. A scalar primitive works on reals or on integers, as its row says it can.
//! 6. The condition of a loop sees no accumulators but its own, because a condition adds to nothing.
//!
//! Tests run the verifier after every pass; it reports a violation with its place.

use crate::size::{self, Size};
use crate::term::{
    Atom, Binding, Body, Function, FunctionId, Iteration, Op, Origin, Place, Program, Recurrence, Reduction, Step, Var,
};
use crate::types::Type;
use riesz_primitive::scalar;

/// The first violation in a program, or nothing.
pub fn verify(program: &Program) -> Result<(), String> {
    for function in &program.functions {
        verify_function(program, function)?;
    }
    for global in &program.globals {
        if let Origin::Computed(function) = global.origin {
            let function = program.functions.get(function.0 as usize).ok_or("a global names no function")?;
            if function.parameters != 0 || !same_shape(&function.result, &global.ty) {
                return Err(format!("the global `{}` is not what computes it", global.name));
            }
        }
    }
    Ok(())
}

/// The first violation in one function of a program, or nothing: enough after a pass that touches no other.
pub fn verify_function(program: &Program, function: &Function) -> Result<(), String> {
    let mut verifier = Verifier { program, function, bound: vec![false; function.vars.len()] };
    verifier
        .function()
        .map_err(|problem| format!("in `{}`: {problem}\n{}", function.name, crate::print::print(program, function)))
}

struct Verifier<'p> {
    program: &'p Program,
    function: &'p Function,
    bound: Vec<bool>,
}

type Verified = Result<(), String>;

impl Verifier<'_> {
    fn function(&mut self) -> Verified {
        if self.function.parameters > self.function.vars.len() {
            return Err("more parameters than variables".into());
        }
        for at in 0..self.function.parameters {
            self.bind(Var(at as u32))?;
        }
        let result = self.body(&self.function.body)?;
        self.expect("the result", &result, &self.function.result)?;
        self.known(&self.function.result)
    }

    fn bind(&mut self, var: Var) -> Verified {
        let Some(bound) = self.bound.get_mut(var.0 as usize) else { return Err(format!("no variable {}", var.0)) };
        if std::mem::replace(bound, true) {
            return Err(format!("variable {} is bound twice", var.0));
        }
        self.known(&self.function.var(var).ty)
    }

    /// Invariant 4.
    fn known(&self, ty: &Type) -> Verified {
        let open = |part: &Type| matches!(part, Type::Number(_) | Type::Unknown(_) | Type::Variable(_) | Type::Error);
        if ty.any(&mut |part| open(part)) {
            return Err(format!("a type is not known: {ty:?}"));
        }
        let mut problem = None;
        ty.map_sizes(&mut |size| {
            for atom in size.atoms() {
                let fits = match atom {
                    size::Atom::Var(var) => {
                        self.bound.get(var.0 as usize) == Some(&true) && self.function.var(var).ty == Type::Int
                    }
                    size::Atom::Global(global) => {
                        self.program.globals.get(global.0 as usize).is_some_and(|global| global.ty == Type::Int)
                    }
                    size::Atom::Parameter(_) | size::Atom::Unknown(_) => false,
                };
                if !fits {
                    problem = Some(format!("a size names {atom:?}, which is no integer in scope"));
                }
            }
            size.clone()
        });
        problem.map_or(Ok(()), Err)
    }

    /// A body, whose bindings are out of scope after it; the type of its result.
    fn body(&mut self, body: &Body) -> Result<Type, String> {
        for binding in &body.bindings {
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.binding(binding))?;
        }
        let result = self.atom(body.result)?;
        for binding in &body.bindings {
            self.bound[binding.var.0 as usize] = false;
        }
        Ok(result)
    }

    /// Invariant 6.
    fn condition(&mut self, condition: &Body) -> Verified {
        let around: Vec<usize> = (0..self.bound.len())
            .filter(|at| self.bound[*at] && matches!(self.function.vars[*at].ty, Type::Accumulator(_)))
            .collect();
        for at in &around {
            self.bound[*at] = false;
        }
        let holds = self.body(condition)?;
        for at in around {
            self.bound[at] = true;
        }
        self.expect("a condition", &holds, &Type::Bool)
    }

    fn atom(&self, atom: Atom) -> Result<Type, String> {
        match atom {
            Atom::Int(_) => Ok(Type::Int),
            Atom::Real(_) => Ok(Type::Real),
            Atom::Bool(_) => Ok(Type::Bool),
            Atom::Var(var) => match self.bound.get(var.0 as usize) {
                Some(true) => Ok(self.function.var(var).ty.clone()),
                _ => Err(format!("variable {} is used where it is not bound", var.0)),
            },
        }
    }

    fn expect(&self, what: &str, found: &Type, expected: &Type) -> Verified {
        if same_shape(found, expected) {
            return Ok(());
        }
        Err(format!("{what} is {found:?}, not {expected:?}"))
    }

    /// The type of the result of an operation on one atom, whose type must be the given one.
    fn converted(&mut self, name: &str, a: Atom, from: &Type, to: Type) -> Result<Type, String> {
        self.expect_atom(&format!("an operand of `{name}`"), a, from)?;
        Ok(to)
    }

    fn expect_atom(&self, what: &str, atom: Atom, expected: &Type) -> Verified {
        self.expect(what, &self.atom(atom)?, expected)
    }

    fn binding(&mut self, Binding { var, op, .. }: &Binding) -> Verified {
        let Some(info) = self.function.vars.get(var.0 as usize) else { return Err(format!("no variable {}", var.0)) };
        let ty = info.ty.clone();
        if let Some(computed) = self.op(op, &ty)? {
            self.expect(&format!("variable {}", var.0), &computed, &ty)?;
        }
        self.bind(*var)
    }

    /// The type of an operation, where it follows from the operands.
    fn op(&mut self, op: &Op, ty: &Type) -> Result<Option<Type>, String> {
        Ok(Some(match op {
            Op::Copy(a) => self.atom(*a)?,
            Op::Scalar(primitive, arguments) => {
                let types: Vec<Type> = arguments.iter().map(|a| self.atom(*a)).collect::<Result<_, _>>()?;
                let row = primitive.scalar().ok_or_else(|| format!("`{}` is no scalar primitive", primitive.name))?;
                let fits = match ty {
                    Type::Real => {
                        let exponent = **primitive == scalar::POWI;
                        let mut types = types.iter().enumerate();
                        row.real.is_some()
                            && types.all(|(at, ty)| *ty == Type::Real || exponent && at == 1 && *ty == Type::Int)
                    }
                    Type::Int => row.integer.is_some() && types.iter().all(|ty| *ty == Type::Int),
                    _ => false,
                };
                if !fits {
                    return Err(format!("`{}` does not give {ty:?} of {types:?}", primitive.name));
                }
                ty.clone()
            }
            Op::Compare(_, a, b) => {
                let (a, b) = (self.atom(*a)?, self.atom(*b)?);
                if a != b || !matches!(a, Type::Int | Type::Real) {
                    return Err(format!("{a:?} is compared with {b:?}"));
                }
                Type::Bool
            }
            Op::Same(a, b) | Op::Near(a, b, _) => {
                let (a, b) = (self.atom(*a)?, self.atom(*b)?);
                self.expect("what is compared", &a, &b)?;
                if let Op::Near(_, _, tolerance) = op {
                    self.expect_atom("a tolerance", *tolerance, &Type::Real)?;
                }
                Type::Bool
            }
            Op::Not(a) => self.converted("not", *a, &Type::Bool, Type::Bool)?,
            Op::ToReal(a) => self.converted("real", *a, &Type::Int, Type::Real)?,
            Op::Truncate(a) => self.converted("trunc", *a, &Type::Real, Type::Int)?,
            Op::IsNan(a) => self.converted("is_nan", *a, &Type::Real, Type::Bool)?,
            Op::Tuple(parts) => {
                let parts: Vec<Type> = parts.iter().map(|part| self.atom(*part)).collect::<Result<_, _>>()?;
                let expected = ty.components().ok_or_else(|| format!("a tuple is said to be {ty:?}"))?;
                if parts.len() != expected.len() {
                    return Err("a tuple has another number of parts than its type".into());
                }
                for (part, expected) in parts.iter().zip(&expected) {
                    self.expect("a component", part, expected)?;
                }
                ty.clone()
            }
            // What a recursive function keeps has no type that can be written down.
            Op::Project(a, _) if self.atom(*a)? == Type::Kept => return Ok(None),
            Op::Project(a, at) => {
                let tuple = self.atom(*a)?;
                if !matches!(tuple, Type::Tuple(_) | Type::Record(_)) {
                    return Err("a component is taken of no tuple".into());
                }
                tuple.component(*at).cloned().ok_or("there is no such component")?
            }
            Op::Array(elements) => {
                let Type::Array(_, element) = ty else { return Err(format!("an array is said to be {ty:?}")) };
                for value in elements {
                    self.expect_atom("an element", *value, element)?;
                }
                ty.clone()
            }
            Op::Index(array, index) => {
                self.expect_atom("an index", *index, &Type::Int)?;
                self.element(*array)?
            }
            Op::Build(iteration) => Type::array(Size::Hole, self.iteration(iteration)?),
            Op::Reduce(reduction, iteration) => {
                let element = self.iteration(iteration)?;
                match reduction {
                    Reduction::ArgMax | Reduction::ArgMin => Type::Int,
                    _ => element,
                }
            }
            Op::ArrayFunction(_, arguments) => {
                for argument in arguments {
                    self.atom(*argument)?;
                }
                return Ok(None);
            }
            Op::If { condition, yes, no } => {
                self.expect_atom("a condition", *condition, &Type::Bool)?;
                let (yes, no) = (self.body(yes)?, self.body(no)?);
                self.expect("a branch", &no, &yes)?;
                yes
            }
            Op::Loop(recurrence) => self.recurrence(recurrence)?,
            Op::Scan(recurrence) => Type::array(Size::Hole, self.recurrence(recurrence)?),
            Op::While { state, start, condition, body } => {
                let start = self.atom(*start)?;
                self.bind(*state)?;
                self.expect("the start of a loop", &start, &self.function.var(*state).ty)?;
                self.condition(condition)?;
                let next = self.body(body)?;
                self.bound[state.0 as usize] = false;
                self.expect("the next state", &next, &start)?;
                start
            }
            Op::Call(called, arguments) => {
                let called = self.program.functions.get(called.0 as usize).ok_or("a call of no function")?;
                if called.parameters != arguments.len() {
                    return Err(format!("`{}` takes {} arguments", called.name, called.parameters));
                }
                for (argument, parameter) in arguments.iter().zip(&called.vars) {
                    self.expect_atom("an argument", *argument, &parameter.ty)?;
                }
                called.result.clone()
            }
            Op::Ruled(ruled, arguments) => {
                let called = |id: FunctionId| self.program.functions.get(id.0 as usize).ok_or("a call of no function");
                let (value, tangent, single) = (called(ruled.value)?, called(ruled.tangent)?, called(ruled.single)?);
                for (function, more) in [(value, 0), (tangent, 1), (single, 0)] {
                    if function.parameters != arguments.len() + more {
                        return Err(format!("`{}` takes {} arguments", function.name, function.parameters));
                    }
                    for (argument, parameter) in arguments.iter().zip(&function.vars) {
                        self.expect_atom("an argument", *argument, &parameter.ty)?;
                    }
                }
                self.expect("a value", &tangent.vars[arguments.len()].ty, &value.result)?;
                self.expect("a tangent", &tangent.result, &value.result.tangent())?;
                self.expect("a value", &single.result, &value.result)?;
                value.result.clone()
            }
            Op::Hold(value) => self.atom(*value)?,
            Op::Graft(value, tangent) => {
                let ty = self.atom(*value)?;
                self.expect_atom("a tangent", *tangent, &ty.tangent())?;
                ty
            }
            Op::Closure(called, captured) => {
                let called = self.program.functions.get(called.0 as usize).ok_or("a closure of no function")?;
                if called.parameters != captured.len() + 1 {
                    return Err(format!("`{}` captures {} values", called.name, called.parameters - 1));
                }
                for (value, parameter) in captured.iter().zip(&called.vars) {
                    self.expect_atom("a captured value", *value, &parameter.ty)?;
                }
                Type::function(called.vars[captured.len()].ty.clone(), called.result.clone())
            }
            Op::Apply(function, argument) => match self.atom(*function)? {
                Type::Function(arrow) | Type::Linear(arrow) => {
                    self.expect_atom("an argument", *argument, &arrow.0)?;
                    arrow.1.clone()
                }
                other => return Err(format!("{other:?} is called")),
            },
            Op::Global(global) => self.program.globals.get(global.0 as usize).ok_or("no such global")?.ty.clone(),
            Op::SizeOf(value, path) => {
                let mut part = self.atom(*value)?;
                for step in path {
                    part = match (step, &part) {
                        (Step::Elements, Type::Array(_, element)) => (**element).clone(),
                        (Step::Component(at), _) => part.component(*at).cloned().ok_or("no such component")?,
                        _ => return Err("a path leads nowhere".into()),
                    };
                }
                if !matches!(part, Type::Array(..)) {
                    return Err("a size is read off no array".into());
                }
                Type::Int
            }
            Op::Builds(iteration) => {
                let parts = self.iteration(iteration)?.components().ok_or("several arrays are built of no tuple")?;
                Type::Tuple(parts.into_iter().map(|part| Type::array(Size::Hole, part)).collect())
            }
            Op::Trace(Recurrence { state, start, count, index, body }) => {
                self.expect_atom("a count", *count, &Type::Int)?;
                let start = self.atom(*start)?;
                self.bind(*state)?;
                self.bind(*index)?;
                self.expect("the start of a loop", &start, &self.function.var(*state).ty)?;
                let given = self.body(body)?;
                self.bound[state.0 as usize] = false;
                self.bound[index.0 as usize] = false;
                traced(start, Vec::new(), given)?
            }
            Op::TraceWhile { state, start, condition, body } => {
                let start = self.atom(*start)?;
                self.bind(*state)?;
                self.condition(condition)?;
                let given = self.body(body)?;
                self.bound[state.0 as usize] = false;
                traced(start, vec![Type::Int], given)?
            }
            Op::For(iteration) => {
                self.iteration(iteration)?;
                Type::unit()
            }
            Op::Plus(a, b) => {
                let (a, b) = (self.atom(*a)?, self.atom(*b)?);
                self.expect("what is added", &b, &a)?;
                a
            }
            Op::Zero(a) => self.atom(*a)?.tangent(),
            Op::Accumulator => match ty {
                Type::Accumulator(_) => ty.clone(),
                _ => return Err(format!("an accumulator is said to be {ty:?}")),
            },
            Op::AddTo(accumulator, path, value) => {
                let Type::Accumulator(inner) = self.atom(*accumulator)? else {
                    return Err("something is added to no accumulator".into());
                };
                let mut part = (*inner).clone();
                for place in path {
                    part = match (place, &part) {
                        (_, Type::Kept) => return Ok(Some(Type::unit())),
                        (Place::Element(index), Type::Array(_, element)) => {
                            self.expect_atom("an index", *index, &Type::Int)?;
                            (**element).clone()
                        }
                        (Place::Component(at), _) => part.component(*at).cloned().ok_or("no such component")?,
                        _ => return Err("a path into an accumulator leads nowhere".into()),
                    };
                }
                self.expect_atom("what is added", *value, &part)?;
                Type::unit()
            }
            Op::Read(accumulator) => match self.atom(*accumulator)? {
                Type::Accumulator(inner) => (*inner).clone(),
                other => return Err(format!("{other:?} is read")),
            },
            Op::Map { forward, reverse, captured } => {
                for function in [forward, reverse] {
                    let function = self.program.functions.get(function.0 as usize).ok_or("a map of no function")?;
                    if function.parameters != captured.len() + 1 {
                        return Err(format!("`{}` captures {} values", function.name, function.parameters - 1));
                    }
                    for (value, parameter) in captured.iter().zip(&function.vars) {
                        self.expect_atom("a captured value", *value, &parameter.ty)?;
                    }
                }
                return Ok(None);
            }
            Op::Derive(_, operands) | Op::OnMaps(_, operands) => {
                for operand in operands {
                    self.atom(*operand)?;
                }
                return Ok(None);
            }
            Op::CheckSizes(a, b) => {
                self.expect_atom("a size", *a, &Type::Int)?;
                self.expect_atom("a size", *b, &Type::Int)?;
                Type::unit()
            }
        }))
    }

    fn element(&self, array: Atom) -> Result<Type, String> {
        match self.atom(array)? {
            Type::Array(_, element) => Ok((*element).clone()),
            other => Err(format!("{other:?} is indexed")),
        }
    }

    fn iteration(&mut self, Iteration { count, index, body }: &Iteration) -> Result<Type, String> {
        self.expect_atom("a count", *count, &Type::Int)?;
        self.bind(*index)?;
        let element = self.body(body)?;
        self.bound[index.0 as usize] = false;
        Ok(element)
    }

    fn recurrence(&mut self, Recurrence { state, start, count, index, body }: &Recurrence) -> Result<Type, String> {
        self.expect_atom("a count", *count, &Type::Int)?;
        let start = self.atom(*start)?;
        self.bind(*state)?;
        self.bind(*index)?;
        self.expect("the start of a loop", &start, &self.function.var(*state).ty)?;
        let next = self.body(body)?;
        self.bound[state.0 as usize] = false;
        self.bound[index.0 as usize] = false;
        self.expect("the next state", &next, &start)?;
        Ok(start)
    }
}

/// The type of a loop that keeps things: the state, something more, and the arrays of what is kept.
fn traced(state: Type, mut more: Vec<Type>, given: Type) -> Result<Type, String> {
    let parts = given.components().ok_or("a loop that keeps things gives no tuple")?;
    let [next, kept @ ..] = &parts[..] else { return Err("a loop that keeps things gives no state".into()) };
    if !same_shape(next, &state) {
        return Err(format!("the next state is {next:?}, not {state:?}"));
    }
    more.insert(0, state);
    more.extend(kept.iter().map(|kept| Type::array(Size::Hole, kept.clone())));
    Ok(Type::Tuple(more.into()))
}

/// Whether two types differ in sizes at most; a linear map may stand for a function.
pub(crate) fn same_shape(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (_, Type::Kept) => true,
        (Type::Array(_, a), Type::Array(_, b)) | (Type::Accumulator(a), Type::Accumulator(b)) => same_shape(a, b),
        (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_shape(a, b)),
        (Type::Tuple(_) | Type::Record(_), Type::Tuple(_) | Type::Record(_)) => {
            let (a, b) = (a.components().unwrap_or_default(), b.components().unwrap_or_default());
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same_shape(a, b))
        }
        (Type::Function(a), Type::Function(b))
        | (Type::Linear(a), Type::Linear(b))
        | (Type::Linear(a), Type::Function(b)) => same_shape(&a.0, &b.0) && same_shape(&a.1, &b.1),
        _ => a == b,
    }
}
