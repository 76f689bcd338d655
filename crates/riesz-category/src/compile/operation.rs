//! One binding as a combinator.

use super::environment::Environment;
use super::{Bodies, uses};
use crate::combinator::{Combinator, Constant, Operation, Repeated, kind, shape};
use riesz_core::order::Orders;
use riesz_core::term::{Atom, Binding, Derive, Iteration, Op, Recurrence, Var};
use riesz_core::{Size, Type, size};
use riesz_primitive::scalar;
use riesz_syntax::{Diagnostic, Span};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'p> Bodies<'_, 'p> {
    /// `Γ → X`
    pub(super) fn operation(&mut self, binding: &'p Binding, environment: &Environment) -> Result<Combinator> {
        let span = binding.span;
        let ty = &self.function.var(binding.var).ty;
        Ok(match &binding.op {
            Op::Copy(a) => self.atom(*a, environment)?,
            Op::Tuple(parts) => Combinator::Fork(self.atoms(parts, environment)?),
            Op::Project(a, at) => Combinator::then([self.atom(*a, environment)?, Combinator::Project(vec![*at])]),
            Op::Global(id) => Combinator::Global(self.compiler.global(*id)),
            Op::Call(function, arguments) => {
                let arguments = self.operands(arguments, environment)?;
                Combinator::then([arguments, Combinator::Call(self.compiler.number(*function), span)])
            }
            // Here a function is differentiated once, while it runs.
            Op::Ruled(ruled, arguments) => {
                let arguments = self.operands(arguments, environment)?;
                Combinator::then([arguments, Combinator::Call(self.compiler.number(ruled.single), span)])
            }
            Op::Closure(function, captured) => {
                let captured = Combinator::Fork(self.atoms(captured, environment)?);
                Combinator::then([captured, Combinator::Closure(self.compiler.number(*function))])
            }
            Op::Apply(function, argument) => {
                let operands = Combinator::Fork(self.atoms(&[*function, *argument], environment)?);
                Combinator::then([operands, Combinator::Apply(span)])
            }
            Op::If { condition, yes, no } => {
                let free = self.free(&[yes, no], &[]);
                let operands = vec![self.atom(*condition, environment)?, self.tuple(&free, environment)?];
                let inner = Environment::of(&free);
                let branches = Box::new([self.body(yes, &inner)?, self.body(no, &inner)?]);
                Combinator::then([Combinator::Fork(operands), Combinator::If(branches)])
            }
            Op::Build(iteration) => {
                let (operands, body) = self.iteration(iteration, environment, span)?;
                let element = element(&kind(ty));
                Combinator::then([Combinator::Fork(operands), Combinator::Build(element, body)])
            }
            Op::Builds(iteration) => {
                let (operands, body) = self.iteration(iteration, environment, span)?;
                let elements = kind(ty).components().unwrap_or_default().iter().map(element).collect();
                Combinator::then([Combinator::Fork(operands), Combinator::Builds(elements, body)])
            }
            Op::Reduce(reduction, iteration) => {
                let (mut operands, body) = self.iteration(iteration, environment, span)?;
                let (ty, sizes) = self.shape(binding, 0, environment)?;
                operands.push(Combinator::Fork(sizes));
                Combinator::then([Combinator::Fork(operands), Combinator::Reduce(*reduction, ty, body)])
            }
            Op::Loop(recurrence) => {
                let (operands, body) = self.recurrence(recurrence, environment, span)?;
                Combinator::then([operands, Combinator::Loop(body)])
            }
            Op::Scan(recurrence) => {
                let (operands, body) = self.recurrence(recurrence, environment, span)?;
                Combinator::then([operands, Combinator::Scan(element(&kind(ty)), body)])
            }
            Op::Trace(recurrence) => {
                let (operands, body) = self.recurrence(recurrence, environment, span)?;
                Combinator::then([operands, Combinator::Trace(kept_elements(ty, 1), body)])
            }
            Op::While { state, start, condition, body } | Op::TraceWhile { state, start, condition, body } => {
                let free = self.free(&[condition, body], &[*state]);
                let operands = vec![self.atom(*start, environment)?, self.tuple(&free, environment)?];
                let inner = Environment::around(&[(0, *state)], 1, &free);
                let condition = Box::new(self.body(condition, &inner)?);
                let body = Box::new(Repeated { body: self.body(body, &inner)?, span });
                let iterations = match &binding.op {
                    Op::While { .. } => Combinator::While(condition, body),
                    _ => Combinator::TraceWhile(kept_elements(ty, 2), condition, body),
                };
                Combinator::then([Combinator::Fork(operands), iterations])
            }
            Op::Derive(Derive::Taylor, operands) => {
                let operands = Combinator::Fork(self.atoms(operands, environment)?);
                Combinator::then([operands, Combinator::Taylor(element(&kind(ty)), span)])
            }
            Op::Derive(..) => {
                let help = "differentiate a `fun`, or a function written where it is differentiated";
                return Err(self.unknown(binding, "a derivative of a function that is not known here", help));
            }
            Op::Map { forward, reverse, captured } => {
                let captured = Combinator::Fork(self.atoms(captured, environment)?);
                let [forward, reverse] = [forward, reverse].map(|function| self.compiler.number(*function));
                Combinator::then([captured, Combinator::Map(forward, reverse)])
            }
            Op::OnMaps(operation, operands) => {
                let orders = Orders::of(*operation, operands, self.function);
                let operands = Combinator::Fork(self.atoms(operands, environment)?);
                Combinator::then([operands, Combinator::OnMaps(*operation, orders, span)])
            }
            op => {
                let mut operands = Vec::new();
                op.visit_atoms(&mut |atom| operands.push(*atom));
                let mut local = op.clone();
                let mut next = 0;
                local.visit_atoms_mut(&mut |atom| {
                    *atom = Atom::Var(Var(next));
                    next += 1;
                });
                let (mut ty, sizes) = self.shape(binding, operands.len(), environment)?;
                let arity = operands.len() + sizes.len();
                let operands = match sizes.is_empty() {
                    true => self.operands(&operands, environment)?,
                    false => {
                        let mut parts = self.atoms(&operands, environment)?;
                        parts.extend(sizes);
                        Combinator::together(parts)
                    }
                };
                ty = match op {
                    Op::Array(_) | Op::ArrayFunction(..) => ty,
                    Op::Accumulator => Type::Accumulator(ty.into()),
                    _ => Type::unit(),
                };
                let operation = Operation::new(local, arity, ty, span);
                Combinator::then([operands, Combinator::Operation(Box::new(operation))])
            }
        })
    }

    pub(super) fn atoms(&mut self, atoms: &[Atom], environment: &Environment) -> Result<Vec<Combinator>> {
        atoms.iter().map(|atom| self.atom(*atom, environment)).collect()
    }

    /// The number and the environment of the body, which sees the index too.
    fn iteration(
        &mut self,
        Iteration { count, index, body }: &'p Iteration,
        environment: &Environment,
        span: Span,
    ) -> Result<(Vec<Combinator>, Box<Repeated>)> {
        let free = self.free(&[body], &[*index]);
        let operands = vec![self.atom(*count, environment)?, self.tuple(&free, environment)?];
        let body = self.body(body, &Environment::around(&[(1, *index)], 0, &free))?;
        Ok((operands, Box::new(Repeated { body, span })))
    }

    /// The start, the number and the environment of the body, which sees the state and the index too.
    fn recurrence(
        &mut self,
        Recurrence { state, start, count, index, body }: &'p Recurrence,
        environment: &Environment,
        span: Span,
    ) -> Result<(Combinator, Box<Repeated>)> {
        let free = self.free(&[body], &[*state, *index]);
        let mut operands = self.atoms(&[*start, *count], environment)?;
        operands.push(self.tuple(&free, environment)?);
        let body = self.body(body, &Environment::around(&[(0, *state), (1, *index)], 2, &free))?;
        Ok((Combinator::Fork(operands), Box::new(Repeated { body, span })))
    }

    /// The type of a result as its operation needs it, and combinators for the sizes in it.
    fn shape(
        &mut self,
        binding: &'p Binding,
        first: usize,
        environment: &Environment,
    ) -> Result<(Type, Vec<Combinator>)> {
        let ty = &self.function.var(binding.var).ty;
        if !uses::needs_shape(&binding.op) {
            return Ok((kind(ty), Vec::new()));
        }
        let mut sizes = Vec::new();
        let ty = shape(ty, first, &mut sizes);
        let sizes: Result<Vec<Combinator>> =
            sizes.iter().map(|size| self.size(size, binding.span, environment)).collect();
        Ok((ty, sizes?))
    }

    /// A size as an integer: `Σ c · Π n`
    fn size(&mut self, size: &Size, span: Span, environment: &Environment) -> Result<Combinator> {
        let mut sum: Option<Combinator> = None;
        for monomial in size.monomials() {
            let mut product: Option<Combinator> = None;
            for factor in monomial.factors() {
                let factor = match factor {
                    size::Atom::Var(var) => self.atom(Atom::Var(*var), environment)?,
                    size::Atom::Global(id) => Combinator::Global(self.compiler.global(*id)),
                    size::Atom::Parameter(_) | size::Atom::Unknown(_) => Combinator::Constant(Constant::Int(0)),
                };
                product = Some(on_integers(product, &scalar::MUL, factor, span));
            }
            let coefficient = Combinator::Constant(Constant::Int(monomial.coefficient()));
            let term = match product {
                Some(product) if monomial.coefficient() == 1 => product,
                product => on_integers(product, &scalar::MUL, coefficient, span),
            };
            sum = Some(on_integers(sum, &scalar::ADD, term, span));
        }
        Ok(sum.unwrap_or(Combinator::Constant(Constant::Int(0))))
    }
}

fn on_integers(
    left: Option<Combinator>,
    primitive: &'static riesz_primitive::Primitive,
    right: Combinator,
    span: Span,
) -> Combinator {
    let Some(left) = left else { return right };
    let op = Op::Scalar(primitive, vec![Atom::Var(Var(0)), Atom::Var(Var(1))]);
    let operation = Combinator::Operation(Box::new(Operation::new(op, 2, Type::Int, span)));
    Combinator::then([Combinator::Fork(vec![left, right]), operation])
}

fn element(ty: &Type) -> Type {
    match ty {
        Type::Array(_, element) => (**element).clone(),
        ty => ty.clone(),
    }
}

/// The types of the elements of the arrays in a tuple, from one of its parts on.
fn kept_elements(ty: &Type, first: usize) -> Vec<Type> {
    kind(ty).components().unwrap_or_default().iter().skip(first).map(element).collect()
}
