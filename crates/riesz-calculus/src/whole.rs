//! A function with all of its captured values. A function that is known only at run time is known when its derivative is
//! computed at run time.
//!
//! ```text
//! f with captured c, at p     becomes     w(data of c, rest of p) = f(c, p)
//! ```
//!
//! Here `w` makes the functions in `c` and in `p` again. The derivatives in `f` are then those of known functions, and
//! are compiled before `w` is differentiated.

use crate::compile::{Options, compile_with, with_sizes};
use crate::defunctionalise::without;
use riesz_core::Type;
use riesz_core::build::{bind, fresh};
use riesz_core::evaluate::{Closure, Fault, Map, Value};
use riesz_core::renumber::renumber;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Op, Program, Var, VarInfo};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A function with all that it captured, and a point for it.
pub struct Whole {
    /// The program with the function in it, which has no derivatives.
    pub program: Rc<Program>,
    /// The function and the data that was captured.
    pub closure: Closure<f64>,
    /// The point, with `()` in the place of functions.
    pub point: Value<f64>,
}

/// Wholes that have been compiled, by the functions that they are made of.
#[derive(Default)]
pub struct Wholes(FxHashMap<Vec<Mark>, (Rc<Program>, FunctionId)>);

/// The parts from which a program is written, in order.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Mark {
    Closure(FunctionId),
    Again(usize),
    Parts(usize),
    Data,
}

/// The functions that values are made of.
pub fn functions_of<'v>(values: impl IntoIterator<Item = &'v Value<f64>>) -> Vec<FunctionId> {
    let mut finder = Finder { found: Vec::new(), seen: FxHashSet::default() };
    values.into_iter().for_each(|value| finder.value(value));
    finder.found
}

struct Finder {
    found: Vec<FunctionId>,
    seen: FxHashSet<*const ()>,
}

impl Finder {
    fn value(&mut self, value: &Value<f64>) {
        with_room(|| match value {
            Value::Closure(closure) if self.seen.insert(Rc::as_ptr(closure).cast()) => {
                self.found.push(closure.function);
                closure.captured().iter().for_each(|value| self.value(value));
            }
            Value::Map(map) => self.map(map),
            Value::Tuple(parts) => parts.iter().for_each(|part| self.value(part)),
            Value::Values(elements) => elements.iter().for_each(|element| self.value(element)),
            _ => {}
        });
    }

    fn map(&mut self, map: &Rc<Map<f64>>) {
        if !self.seen.insert(Rc::as_ptr(map).cast()) {
            return;
        }
        with_room(|| match &**map {
            Map::Functions { forward, reverse, captured } => {
                self.found.extend([*forward, *reverse]);
                captured.iter().for_each(|value| self.value(value));
            }
            Map::Adjoint(map) | Map::Scale(_, map) => self.map(map),
            Map::Compose(left, right) | Map::Add(left, right) => {
                self.map(left);
                self.map(right);
            }
            Map::Table(_) | Map::Term(_) => {}
        });
    }
}

impl Wholes {
    /// A function of a program with all that it captured, and a point.
    ///
    /// # Errors
    /// Where a derivative in it cannot be compiled.
    pub fn whole(&mut self, program: &Program, closure: &Closure<f64>, point: &Value<f64>) -> Result<Whole, Fault> {
        let function = program.function(closure.function);
        let mut writer = Writer::new(program, function.span);
        let called = writer.captured(closure);
        let last = &function.vars[function.parameters - 1].ty;
        let ty = with_sizes(last, |var| called.get(var.0 as usize).copied());
        let rest = writer.var(without(&ty));
        let argument = writer.part(point, &ty, Some(Atom::Var(rest)));
        let arguments: Vec<Atom> = called.iter().copied().chain([argument]).collect();
        let result = with_sizes(&function.result, |var| arguments.get(var.0 as usize).copied());
        let value = writer.bind(Op::Call(closure.function, arguments), result.clone());
        let Writer { vars, bindings, mut parameters, data, marks, .. } = writer;
        parameters.push(rest);
        let (program, id) = match self.0.get(&marks) {
            Some(known) => known.clone(),
            None => {
                let body = Body { bindings, result: value };
                let info = |var: Var| vars[var.0 as usize].clone();
                let written = renumber(function.name.clone(), &parameters, body, &result, function.span, &info);
                let made = compiled(program, written)?;
                self.0.insert(marks, made.clone());
                made
            }
        };
        Ok(Whole { program, closure: Closure::new(id, data), point: rest_of(point) })
    }
}

/// The program with one more function, and without derivatives in it.
fn compiled(program: &Program, function: Function) -> Result<(Rc<Program>, FunctionId), Fault> {
    let mut program = program.clone();
    program.functions.push(function);
    let id = FunctionId(program.functions.len() as u32 - 1);
    match compile_with(&mut program, &[id], &Options::default()) {
        Ok(()) => Ok((Rc::new(program), id)),
        Err(mut problems) => Err(Box::new(problems.swap_remove(0))),
    }
}

/// Writes the function that makes functions anew.
struct Writer<'p> {
    program: &'p Program,
    span: Span,
    vars: Vec<VarInfo>,
    bindings: Vec<Binding>,
    parameters: Vec<Var>,
    /// The values of the parameters.
    data: Vec<Value<f64>>,
    marks: Vec<Mark>,
    /// Functions that have been made, by where they are: one that is shared is made once.
    made: FxHashMap<*const Closure<f64>, (usize, Atom)>,
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program, span: Span) -> Writer<'p> {
        Writer {
            program,
            span,
            vars: Vec::new(),
            bindings: Vec::new(),
            parameters: Vec::new(),
            data: Vec::new(),
            marks: Vec::new(),
            made: FxHashMap::default(),
        }
    }

    fn var(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
    }

    fn bind(&mut self, op: Op, ty: Type) -> Atom {
        bind(&mut self.vars, &mut self.bindings, op, ty, self.span)
    }

    /// The captured values of a closure.
    fn captured(&mut self, closure: &Closure<f64>) -> Vec<Atom> {
        let function = self.program.function(closure.function);
        self.marks.push(Mark::Closure(closure.function));
        let mut captured: Vec<Atom> = Vec::with_capacity(closure.captured().len());
        for (value, info) in closure.captured().iter().zip(&function.vars) {
            let ty = with_sizes(&info.ty, |var| captured.get(var.0 as usize).copied());
            captured.push(self.part(value, &ty, None));
        }
        captured
    }

    /// A value: data of the rest of the point, or else of a parameter, and functions that are made.
    fn part(&mut self, value: &Value<f64>, ty: &Type, rest: Option<Atom>) -> Atom {
        with_room(|| match value {
            value if !holds_functions(value) => self.data(value, ty, rest),
            Value::Closure(closure) => self.closure(closure),
            Value::Tuple(parts) => {
                self.marks.push(Mark::Parts(parts.len()));
                let mut made = Vec::with_capacity(parts.len());
                for (at, (part, ty)) in parts.iter().zip(ty.components().unwrap_or_default()).enumerate() {
                    let rest = rest.map(|rest| self.bind(Op::Project(rest, at), without(&ty)));
                    made.push(self.part(part, &ty, rest));
                }
                self.bind(Op::Tuple(made), ty.clone())
            }
            Value::Values(elements) => {
                self.marks.push(Mark::Parts(elements.len()));
                let of = if let Type::Array(_, element) = ty { element } else { ty };
                let mut made = Vec::with_capacity(elements.len());
                for (at, element) in elements.iter().enumerate() {
                    let rest = rest.map(|rest| self.bind(Op::Index(rest, Atom::Int(at as i64)), without(of)));
                    made.push(self.part(element, of, rest));
                }
                self.bind(Op::Array(made), ty.clone())
            }
            value => self.data(value, ty, rest),
        })
    }

    fn data(&mut self, value: &Value<f64>, ty: &Type, rest: Option<Atom>) -> Atom {
        self.marks.push(Mark::Data);
        rest.unwrap_or_else(|| {
            let parameter = self.var(ty.clone());
            self.parameters.push(parameter);
            self.data.push(value.clone());
            Atom::Var(parameter)
        })
    }

    fn closure(&mut self, closure: &Rc<Closure<f64>>) -> Atom {
        if let Some((number, made)) = self.made.get(&Rc::as_ptr(closure)) {
            self.marks.push(Mark::Again(*number));
            return *made;
        }
        let captured = self.captured(closure);
        let function = self.program.function(closure.function);
        let known = |var: Var| captured.get(var.0 as usize).copied();
        let (from, to) = (&function.vars[function.parameters - 1].ty, &function.result);
        let ty = Type::function(with_sizes(from, known), with_sizes(to, known));
        let made = self.bind(Op::Closure(closure.function, captured), ty);
        self.made.insert(Rc::as_ptr(closure), (self.made.len(), made));
        made
    }
}

fn holds_functions(value: &Value<f64>) -> bool {
    match value {
        Value::Closure(_) => true,
        Value::Tuple(parts) => parts.iter().any(holds_functions),
        Value::Values(elements) => elements.iter().any(holds_functions),
        _ => false,
    }
}

/// The value with `()` in the place of functions.
fn rest_of(value: &Value<f64>) -> Value<f64> {
    match value {
        value if !holds_functions(value) => value.clone(),
        Value::Tuple(parts) => Value::Tuple(parts.iter().map(rest_of).collect()),
        Value::Values(elements) => Value::values(elements.iter().map(rest_of).collect()),
        _ => Value::unit(),
    }
}

fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, work)
}
