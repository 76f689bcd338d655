//! Omitted residuals: a derivative stores residuals of both branches of a conditional, and the branch that runs gives
//! empty arrays for the residuals that only the other has, whatever their type says. A function that takes such an
//! array receives an array of zeros of the size that its type states.

use super::value::{Array, Cells, Extent, Length, Shape, Target, Value};
use super::{Lowered, Lowerer};
use crate::layout::kind_of;
use crate::program::{Expression, Kind, Operand, Statement};
use riesz_core::Type;
use riesz_core::size::Size;
use riesz_core::term::{Atom, Binding, Function, FunctionId, Op, Program, Var};
use riesz_syntax::Span;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Which arrays of a value may be left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Omitted {
    Nothing,
    Tuple(Vec<Omitted>),
    /// Whether the array may be, and what of its elements.
    Array(bool, Box<Omitted>),
}

impl Omitted {
    /// The shape of a value, less what is said of the lengths of arrays that may be left out.
    pub fn loosen(&self, shape: Shape) -> Shape {
        match (self, shape) {
            (Omitted::Tuple(parts), Shape::Tuple(shapes)) => {
                Shape::Tuple(parts.iter().zip(shapes).map(|(part, shape)| part.loosen(shape)).collect())
            }
            (Omitted::Array(empty, inner), Shape::Array(extent, element)) => {
                let exact = extent.exact && (!empty || extent.most == Operand::Int(0));
                Shape::Array(Extent { exact, ..extent }, Box::new(inner.loosen(*element)))
            }
            (_, shape) => shape,
        }
    }

    /// All that may be left out of values of a type.
    fn all(ty: &Type) -> Omitted {
        match ty {
            Type::Array(..) => Omitted::Array(true, Box::new(Omitted::Nothing)),
            Type::Tuple(_) | Type::Record(_) => {
                Omitted::Tuple(ty.components().unwrap_or_default().iter().map(Omitted::all).collect())
            }
            _ => Omitted::Nothing,
        }
    }

    /// The arrays that may be omitted in a value that is one of two.
    fn or(self, other: Omitted) -> Omitted {
        match (self, other) {
            (Omitted::Nothing, other) | (other, Omitted::Nothing) => other,
            (Omitted::Tuple(a), Omitted::Tuple(b)) => {
                Omitted::Tuple(a.into_iter().zip(b).map(|(a, b)| a.or(b)).collect())
            }
            (Omitted::Array(a, a_inner), Omitted::Array(b, b_inner)) => {
                Omitted::Array(a || b, Box::new(a_inner.or(*b_inner)))
            }
            (one, _) => one,
        }
    }

    fn in_array(self) -> Omitted {
        match self {
            Omitted::Nothing => Omitted::Nothing,
            inner => Omitted::Array(false, Box::new(inner)),
        }
    }

    fn component(self, at: usize) -> Omitted {
        match self {
            Omitted::Tuple(parts) => parts.into_iter().nth(at).unwrap_or(Omitted::Nothing),
            _ => Omitted::Nothing,
        }
    }
}

/// The arrays that may be omitted in the values of a function.
pub(super) struct Omissions<'p> {
    program: &'p Program,
    bindings: Rc<FxHashMap<Var, &'p Binding>>,
    /// The results for variables, and for their components.
    found: RefCell<FxHashMap<(Var, Option<usize>), Omitted>>,
    results: Results,
}

/// The arrays that may be omitted in the results of functions; `None` for functions that are being analysed.
pub(super) type Results = Rc<RefCell<FxHashMap<FunctionId, Option<Omitted>>>>;

impl<'p> Omissions<'p> {
    pub fn new(program: &'p Program, bindings: Rc<FxHashMap<Var, &'p Binding>>, results: Results) -> Omissions<'p> {
        Omissions { program, bindings, found: RefCell::default(), results }
    }

    /// The arrays that may be omitted in a value.
    pub fn omitted(&self, atom: Atom) -> Omitted {
        self.found_once(atom, None, || match self.op(atom) {
            Some(Op::Copy(a)) => self.omitted(*a),
            Some(Op::Array(elements)) if elements.is_empty() => Omitted::Array(true, Box::new(Omitted::Nothing)),
            Some(Op::Tuple(parts)) => Omitted::Tuple(parts.iter().map(|part| self.omitted(*part)).collect()),
            Some(Op::Project(tuple, at)) => self.omitted_of(*tuple, *at),
            Some(Op::If { yes, no, .. }) => self.omitted_by_one(yes.result, no.result),
            Some(Op::Build(iteration)) => self.omitted(iteration.body.result).in_array(),
            Some(Op::Builds(iteration)) => match self.omitted(iteration.body.result) {
                Omitted::Tuple(parts) => Omitted::Tuple(parts.into_iter().map(Omitted::in_array).collect()),
                _ => Omitted::Nothing,
            },
            Some(Op::Trace(iteration)) => match self.omitted(iteration.body.result) {
                Omitted::Tuple(parts) => {
                    let residuals = parts.into_iter().skip(1).map(Omitted::in_array);
                    Omitted::Tuple([Omitted::Nothing].into_iter().chain(residuals).collect())
                }
                _ => Omitted::Nothing,
            },
            Some(Op::Call(called, _)) => self.omitted_by(*called),
            _ => Omitted::Nothing,
        })
    }

    /// The arrays that may be omitted in a component of a tuple, without a look at the other components.
    fn omitted_of(&self, tuple: Atom, at: usize) -> Omitted {
        self.found_once(tuple, Some(at), || match self.op(tuple) {
            Some(Op::Copy(a)) => self.omitted_of(*a, at),
            Some(Op::Tuple(parts)) => parts.get(at).map_or(Omitted::Nothing, |part| self.omitted(*part)),
            Some(Op::Builds(iteration)) => self.omitted_of(iteration.body.result, at).in_array(),
            Some(Op::Trace(iteration)) if at > 0 => self.omitted_of(iteration.body.result, at).in_array(),
            Some(Op::If { yes, no, .. }) => match (self.op(yes.result), self.op(no.result)) {
                (Some(Op::Tuple(yes)), Some(Op::Tuple(no))) if at < yes.len().min(no.len()) => {
                    self.omitted_by_one(yes[at], no[at])
                }
                _ => self.omitted_of(yes.result, at).or(self.omitted_of(no.result, at)),
            },
            Some(Op::Project(..)) => self.omitted(tuple).component(at),
            Some(Op::Call(called, _)) => self.omitted_by(*called).component(at),
            _ => Omitted::Nothing,
        })
    }

    /// The result for a variable, or for a component, which is computed once.
    fn found_once(&self, atom: Atom, component: Option<usize>, find: impl FnOnce() -> Omitted) -> Omitted {
        let Atom::Var(var) = atom else { return Omitted::Nothing };
        if let Some(found) = self.found.borrow().get(&(var, component)) {
            return found.clone();
        }
        let found = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, find);
        self.found.borrow_mut().insert((var, component), found.clone());
        found
    }

    /// The arrays that may be omitted in a value that is one of two.
    fn omitted_by_one(&self, yes: Atom, no: Atom) -> Omitted {
        let is_empty = |op: Option<&Op>| matches!(op, Some(Op::Array(elements)) if elements.is_empty());
        match (self.op(yes), self.op(no)) {
            (yes_op, no_op) if is_empty(yes_op) != is_empty(no_op) => {
                let other = if is_empty(yes_op) { self.omitted(no) } else { self.omitted(yes) };
                Omitted::Array(true, Box::new(Omitted::Nothing)).or(other)
            }
            (Some(Op::Tuple(yes)), Some(Op::Tuple(no))) => {
                Omitted::Tuple(yes.iter().zip(no).map(|(yes, no)| self.omitted_by_one(*yes, *no)).collect())
            }
            _ => self.omitted(yes).or(self.omitted(no)),
        }
    }

    /// The arrays that may be omitted in the result of a function.
    fn omitted_by(&self, called: FunctionId) -> Omitted {
        let function = self.program.function(called);
        match self.results.borrow().get(&called) {
            Some(Some(found)) => return found.clone(),
            Some(None) => return Omitted::all(&function.result),
            None => {}
        }
        self.results.borrow_mut().insert(called, None);
        let bindings = Rc::new(bindings(function));
        let inside = Omissions::new(self.program, bindings, self.results.clone());
        let found = inside.omitted(function.body.result);
        self.results.borrow_mut().insert(called, Some(found.clone()));
        found
    }

    fn op(&self, atom: Atom) -> Option<&'p Op> {
        match atom {
            Atom::Var(var) => self.bindings.get(&var).map(|binding| &binding.op),
            _ => None,
        }
    }
}

/// The binding of each variable of a function that has one.
pub(super) fn bindings(function: &Function) -> FxHashMap<Var, &Binding> {
    let mut bindings = FxHashMap::default();
    let mut bodies = vec![&function.body];
    while let Some(body) = bodies.pop() {
        for binding in &body.bindings {
            bindings.insert(binding.var, binding);
            binding.op.visit_bodies(&mut |body| bodies.push(body));
        }
    }
    bindings
}

impl Lowerer<'_, '_> {
    /// The arrays that may be omitted in a value.
    pub(super) fn omitted(&self, atom: Atom) -> Omitted {
        self.omissions.omitted(atom)
    }

    /// The length that the type of an array says, if the array is left out.
    pub(super) fn omitted_len(&self, array: Atom) -> Option<i64> {
        match (array, self.omissions.op(array)?) {
            (Atom::Var(var), Op::Array(elements)) if elements.is_empty() => match self.ty(var) {
                Type::Array(Size::Constant(len @ 1..), _) => Some(*len),
                _ => None,
            },
            _ => None,
        }
    }

    /// An operand, with zeros in the place of what is left out.
    pub(super) fn whole(&mut self, atom: Atom, span: Span) -> Lowered<Value> {
        let value = self.atom(atom, span)?;
        match atom {
            Atom::Var(var) => self.filled_in(value, &self.omitted(atom), self.ty(var), span),
            _ => Ok(value),
        }
    }

    fn filled_in(&mut self, value: Value, omitted: &Omitted, ty: &Type, span: Span) -> Lowered<Value> {
        match (value, omitted) {
            (Value::Tuple(parts), Omitted::Tuple(omitted)) => {
                let types = ty.components().unwrap_or_default();
                let parts = parts.into_iter().zip(omitted.iter().zip(&types));
                let parts: Lowered<_> = parts.map(|(part, (out, ty))| self.filled_in(part, out, ty, span)).collect();
                Ok(Value::Tuple(parts?))
            }
            (Value::Array(array), Omitted::Array(true, _)) => {
                let Type::Array(size, element) = ty else { return Ok(Value::Array(array)) };
                let Ok(Extent { most: len, exact: true }) = self.ahead_of_size(size, span) else {
                    return Ok(Value::Array(array));
                };
                if self.build.same(len, array.len) {
                    return Ok(Value::Array(array));
                }
                let is_there = self.build.bind(Kind::Bool, None, Expression::Equal(array.len, len));
                let Some(element) = self.shape_if(is_there, element, &array.cells, span) else {
                    return Ok(Value::Array(array));
                };
                let shape = Shape::Array(Extent { most: len, exact: true }, Box::new(element));
                let cells = self.room_for(&shape, &None, span);
                self.fill(&cells);
                let opened = self.build.open();
                let there = Value::Array(Array { len, cells: array.cells });
                let written = self.write(&there, &Target { cells: cells.clone(), add: false }, span);
                let block = self.build.close(opened);
                written?;
                self.build.push(Statement::If(is_there, block, Vec::new()));
                Ok(self.read(&cells, &None))
            }
            (value, _) => Ok(value),
        }
    }

    /// The shape of the elements of an array: where their type does not say a length, it is that of what is there.
    fn shape_if(&mut self, there: Operand, ty: &Type, cells: &Cells, span: Span) -> Option<Shape> {
        match (ty, cells) {
            (Type::Array(size, element), Cells::Array(length, inner)) => {
                let most = match (self.ahead_of_size(size, span), length) {
                    (Ok(Extent { most, exact: true }), _) => most,
                    (_, Length::Known(len)) => {
                        let len = Expression::Select(there, *len, Operand::Int(0));
                        let len = self.build.bind(Kind::Int, None, len);
                        self.build.bounds.is_size(len);
                        len
                    }
                    (_, Length::Stored { .. }) => return None,
                };
                let element = self.shape_if(there, element, inner, span)?;
                Some(Shape::Array(Extent { most, exact: true }, Box::new(element)))
            }
            (Type::Tuple(_) | Type::Record(_), Cells::Tuple(parts)) => {
                let types = ty.components().unwrap_or_default();
                let parts = types.iter().zip(parts).map(|(ty, cells)| self.shape_if(there, ty, cells, span));
                Some(Shape::Tuple(parts.collect::<Option<_>>()?))
            }
            _ => kind_of(ty).map(Shape::Number),
        }
    }
}
