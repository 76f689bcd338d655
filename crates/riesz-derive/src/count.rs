//! The number of operations of a function, as a polynomial over its sizes.
//!
//! Both branches of a conditional are counted. Negation and copying are free, and so is adding the constant zero, with
//! which sums begin.

use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Iteration, Op, Program, Recurrence, Ruled, Var};
use riesz_core::types::Type;
use riesz_primitive::array::{Array, Contraction, Direction, Product, Reindex};
use riesz_primitive::{Primitive, scalar};
use rustc_hash::FxHashMap;

/// Numbers of operations on real numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Multiplications and divisions.
    pub multiplications: Size,
    /// Additions and subtractions.
    pub additions: Size,
    /// Other functions of numbers, and factorisations of matrices.
    pub functions: Size,
}

impl Count {
    fn none() -> Count {
        let zero = || Size::Constant(0);
        Count { multiplications: zero(), additions: zero(), functions: zero() }
    }

    fn unknown() -> Count {
        Count { multiplications: Size::Hole, additions: Size::Hole, functions: Size::Hole }
    }

    fn plus(self, other: &Count) -> Count {
        let add = |a: &Size, b: &Size| a.add(b).unwrap_or(Size::Hole);
        Count {
            multiplications: add(&self.multiplications, &other.multiplications),
            additions: add(&self.additions, &other.additions),
            functions: add(&self.functions, &other.functions),
        }
    }

    fn times(&self, count: &Size) -> Count {
        let mul = |a: &Size| match a {
            Size::Constant(0) => Size::Constant(0),
            a => a.mul(count).unwrap_or(Size::Hole),
        };
        Count {
            multiplications: mul(&self.multiplications),
            additions: mul(&self.additions),
            functions: mul(&self.functions),
        }
    }

    /// The same with sizes in place of atoms.
    fn replace(&self, f: &mut dyn FnMut(size::Atom) -> Size) -> Count {
        Count {
            multiplications: self.multiplications.replace(f),
            additions: self.additions.replace(f),
            functions: self.functions.replace(f),
        }
    }

    /// All operations, if they are a number.
    pub fn total(&self) -> Option<i64> {
        match (&self.multiplications, &self.additions, &self.functions) {
            (Size::Constant(a), Size::Constant(b), Size::Constant(c)) => Some(a + b + c),
            _ => None,
        }
    }
}

/// The operations of a function, over its parameters. `given` are sizes known by name.
pub(crate) fn count(program: &Program, function: &Function, given: &[(String, i64)]) -> Count {
    let mut counter = Counter { program, given, under_way: Vec::new(), known: FxHashMap::default() };
    counter.function(function)
}

struct Counter<'p> {
    program: &'p Program,
    given: &'p [(String, i64)],
    under_way: Vec<FunctionId>,
    known: FxHashMap<FunctionId, Count>,
}

struct Frame<'f> {
    function: &'f Function,
    definitions: FxHashMap<Var, &'f Op>,
}

impl Counter<'_> {
    fn function(&mut self, function: &Function) -> Count {
        let mut frame = Frame { function, definitions: FxHashMap::default() };
        learn(&function.body, &mut frame.definitions);
        let count = self.body(&frame, &function.body);
        let parameters = function.parameters as u32;
        count.replace(&mut |atom| match atom {
            size::Atom::Var(var) if var.0 < parameters => {
                let name = function.vars[var.0 as usize].name.as_deref();
                let given = self.given.iter().find(|(given, _)| Some(given.as_str()) == name);
                given.map_or(Size::Atom(atom), |(_, value)| Size::Constant(*value))
            }
            size::Atom::Var(_) => Size::Hole,
            atom => Size::Atom(atom),
        })
    }

    fn body(&mut self, frame: &Frame, body: &Body) -> Count {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let mut total = Count::none();
            for binding in &body.bindings {
                total = total.plus(&self.binding(frame, binding));
            }
            total
        })
    }

    fn binding(&mut self, frame: &Frame, Binding { var, op, .. }: &Binding) -> Count {
        let ty = &frame.function.var(*var).ty;
        let mut one = Count::none();
        let of = |atom: &Atom| frame.ty(*atom);
        match op {
            Op::Scalar(primitive, arguments) if *ty == Type::Real => {
                let is = |rows: &[&Primitive]| rows.contains(primitive);
                if is(&[&scalar::ADD, &scalar::SUB]) {
                    if !arguments.contains(&Atom::Real(0.0)) {
                        one.additions = Size::Constant(1);
                    }
                } else if is(&[&scalar::MUL, &scalar::DIV, &scalar::EXACT_MUL]) {
                    one.multiplications = Size::Constant(1);
                } else if !is(&[&scalar::NEG]) {
                    one.functions = Size::Constant(1);
                }
            }
            Op::Plus(..) => one.additions = dimension(ty),
            Op::AddTo(_, _, value) => one.additions = dimension(&of(value)),
            Op::ArrayFunction(primitive, arguments) => match primitive.array() {
                Some(Array::Product(Product { contraction: Contraction::Inner, .. })) => {
                    let (a, result) = (of(&arguments[0]), dimension(ty));
                    let inner = match innermost(&a) {
                        Some(inner) => inner,
                        None => Size::Hole,
                    };
                    one.multiplications = inner.mul(&result).unwrap_or(Size::Hole);
                    let fewer = inner.sub(&Size::Constant(1)).and_then(|fewer| fewer.mul(&result));
                    one.additions = fewer.unwrap_or(Size::Hole);
                }
                Some(Array::Product(Product { contraction: Contraction::Outer, .. })) => {
                    one.multiplications = dimension(ty);
                }
                Some(Array::Reindex(Reindex { array, direction: Direction::Scatter, .. })) => {
                    one.additions = dimension(&of(&arguments[*array]));
                }
                Some(Array::Matrix(_)) => one.functions = Size::Constant(1),
                Some(
                    Array::Reindex(Reindex { direction: Direction::Gather, .. })
                    | Array::Concatenate
                    | Array::Replace
                    | Array::Exchange
                    | Array::Merge,
                )
                | None => {}
            },
            Op::Build(iteration) | Op::Builds(iteration) | Op::For(iteration) => {
                one = self.body(frame, &iteration.body).times(&frame.size(iteration.count));
            }
            Op::Reduce(reduction, Iteration { count, body, .. }) => {
                let count = frame.size(*count);
                one = self.body(frame, body).times(&count);
                let fewer = count.sub(&Size::Constant(1)).and_then(|fewer| fewer.mul(&dimension(ty)));
                match reduction {
                    riesz_core::term::Reduction::Sum => {
                        one.additions = one.additions.add(&fewer.unwrap_or(Size::Hole)).unwrap_or(Size::Hole);
                    }
                    riesz_core::term::Reduction::Product => {
                        let multiplications = one.multiplications.add(&fewer.unwrap_or(Size::Hole));
                        one.multiplications = multiplications.unwrap_or(Size::Hole);
                    }
                    _ => {}
                }
            }
            Op::Loop(recurrence) | Op::Scan(recurrence) | Op::Trace(recurrence) => {
                let Recurrence { count, body, .. } = recurrence;
                one = self.body(frame, body).times(&frame.size(*count));
            }
            Op::If { yes, no, .. } => one = self.body(frame, yes).plus(&self.body(frame, no)),
            Op::While { condition, body, .. } | Op::TraceWhile { condition, body, .. } => {
                one = self.body(frame, condition).plus(&self.body(frame, body)).times(&Size::Hole);
            }
            Op::Call(called, arguments) | Op::Ruled(Ruled { value: called, .. }, arguments) => {
                let count = self.call(*called);
                one = count.replace(&mut |atom| match atom {
                    size::Atom::Var(var) => {
                        arguments.get(var.0 as usize).map_or(Size::Hole, |argument| frame.size(*argument))
                    }
                    atom => Size::Atom(atom),
                });
            }
            Op::Apply(..) | Op::Derive(..) | Op::OnMaps(..) => one = Count::unknown(),
            _ => {}
        }
        one
    }

    fn call(&mut self, called: FunctionId) -> Count {
        if let Some(known) = self.known.get(&called) {
            return known.clone();
        }
        if self.under_way.contains(&called) {
            return Count::unknown();
        }
        self.under_way.push(called);
        let program = self.program;
        // Sizes that a user gives are those of the function that is derived.
        let given = std::mem::take(&mut self.given);
        let count = self.function(program.function(called));
        self.given = given;
        self.under_way.pop();
        self.known.insert(called, count.clone());
        count
    }
}

impl Frame<'_> {
    fn ty(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.function.var(var).ty.clone(),
            Atom::Int(_) => Type::Int,
            Atom::Bool(_) => Type::Bool,
            Atom::Real(_) => Type::Real,
        }
    }

    /// The size that an operand is.
    fn size(&self, atom: Atom) -> Size {
        let var = match atom {
            Atom::Int(value) => return Size::Constant(value),
            Atom::Var(var) => var,
            _ => return Size::Hole,
        };
        if (var.0 as usize) < self.function.parameters {
            return Size::var(var);
        }
        match self.definitions.get(&var) {
            Some(Op::Copy(atom)) => self.size(*atom),
            Some(Op::Scalar(primitive, arguments)) if arguments.len() == 2 => {
                let (a, b) = (self.size(arguments[0]), self.size(arguments[1]));
                let size = match *primitive {
                    primitive if *primitive == scalar::ADD => a.add(&b),
                    primitive if *primitive == scalar::SUB => a.sub(&b),
                    primitive if *primitive == scalar::MUL => a.mul(&b),
                    _ => None,
                };
                size.unwrap_or(Size::Hole)
            }
            Some(Op::SizeOf(value, path)) => {
                let mut ty = self.ty(*value);
                for step in path {
                    let inner = match (step, &ty) {
                        (riesz_core::term::Step::Elements, Type::Array(_, element)) => Some((**element).clone()),
                        (riesz_core::term::Step::Component(at), _) => {
                            ty.components().and_then(|parts| parts.get(*at).cloned())
                        }
                        _ => None,
                    };
                    match inner {
                        Some(inner) => ty = inner,
                        None => return Size::Hole,
                    }
                }
                match ty {
                    Type::Array(size, _) => size,
                    _ => Size::Hole,
                }
            }
            _ => Size::var(var),
        }
    }
}

fn learn<'f>(body: &'f Body, definitions: &mut FxHashMap<Var, &'f Op>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            definitions.insert(binding.var, &binding.op);
            binding.op.visit_bodies(&mut |body| learn(body, definitions));
        }
    });
}

/// How many numbers a value has.
pub(crate) fn dimension(ty: &Type) -> Size {
    match ty {
        Type::Real => Size::Constant(1),
        Type::Array(size, element) => size.mul(&dimension(element)).unwrap_or(Size::Hole),
        Type::Tuple(_) | Type::Record(_) => {
            let parts = ty.components().unwrap_or_default();
            let sum = |total: Size, part: &Type| total.add(&dimension(part)).unwrap_or(Size::Hole);
            parts.iter().fold(Size::Constant(0), sum)
        }
        _ => Size::Constant(0),
    }
}

/// The size of the last axis.
fn innermost(ty: &Type) -> Option<Size> {
    match ty {
        Type::Array(size, element) => innermost(element).or_else(|| Some(size.clone())),
        _ => None,
    }
}
