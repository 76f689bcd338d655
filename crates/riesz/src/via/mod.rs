//! Representations of derivatives: one program, every way to differentiate it, one answer.
//!
//! A derivative that is computed during a run uses the selected representation. Derivatives inside the differentiated
//! function have been compiled before, so that each representation sees a plain function; in a tower they are further
//! derivatives of the same tower.
//!
//! Each row of [`REPRESENTATIONS`] describes the form of a derivative and names the paper.

mod algebra;
mod basis;
#[cfg(feature = "representations")]
mod category;
mod dense;
mod sparse;
mod symbol;
mod tower;

use crate::{Diagnostic, Span, Value};
use riesz_calculus::{Whole, Wholes, functions_of, has_derivatives};
use riesz_core::evaluate::{Closure, Differentiate, Fault, Machine, Map, Table, problem};
use riesz_core::term::{Derive, FunctionId, Program};
use riesz_primitive::{Erased, Number};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// A way to represent derivatives.
pub struct Representation {
    /// Its name for `--via`.
    pub name: &'static str,
    /// The form of a derivative, for the table.
    pub summary: &'static str,
    /// Which paper has it, and where.
    pub paper: &'static str,
    /// Differentiates; none where derivatives are compiled.
    pub(crate) differentiate: Option<Differentiator>,
    /// The same in numbers that count what is done with them.
    pub(crate) counted: Option<Differentiator>,
    /// Differentiates along a line; none where series do.
    pub(crate) taylor: Option<AlongLine>,
}

/// The derivatives of a function along a line, if this is a way to find them.
pub(crate) type AlongLine = fn(&mut Machine<f64>, &[Value], Span) -> Option<Result<Vec<Value>, Fault>>;

/// Differentiates a function at a point.
pub(crate) type Differentiator = fn(&mut Machine<f64>, Request) -> Result<Answer, Fault>;

/// A derivative that a running program needs.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub closure: &'a Closure<f64>,
    pub point: &'a Value,
    pub wish: Wish<'a>,
    pub span: Span,
}

/// The use of a derivative: the map itself, or its image of a vector.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish<'v> {
    /// The map itself.
    Map,
    /// The image of a tangent.
    Forward(&'v [f64]),
    /// The image of a cotangent under the adjoint.
    Reverse(&'v [f64]),
}

/// The value of a function, and what was asked of its derivative.
pub(crate) struct Answer {
    pub value: Value,
    pub found: DerivativeValue,
}

/// A derivative in the form that was requested.
pub(crate) enum DerivativeValue {
    /// For each number of the value, the coordinates of its gradient that are not structurally zero.
    Rows(Vec<Vec<(usize, f64)>>),
    /// A term.
    #[cfg(feature = "representations")]
    Term(riesz_category::via::Term),
    /// A vector.
    Vector(Vec<f64>),
}

/// Every representation.
pub static REPRESENTATIONS: &[Representation] = &[
    symbol::SYMBOLIC,
    dense::FORWARD_DENSE,
    sparse::FORWARD_SPARSE,
    sparse::REVERSE_SPARSE,
    algebra::REVERSE_CAYLEY,
    algebra::REVERSE_ARRAY,
    basis::BASIS,
    tower::TOWER,
    #[cfg(feature = "representations")]
    category::LINEAR_MAPS,
    #[cfg(feature = "representations")]
    category::AFFINE_INTERPRETATION,
    #[cfg(feature = "representations")]
    category::ADJOINT_INTERPRETATION,
    #[cfg(feature = "representations")]
    category::FUNCTIONS,
    #[cfg(feature = "representations")]
    category::MATRICES,
    #[cfg(feature = "representations")]
    category::CONTINUATIONS,
    #[cfg(feature = "representations")]
    category::DUALS,
    #[cfg(feature = "representations")]
    category::BEGINNINGS,
    COMPILED,
];

/// Derivatives as code.
const COMPILED: Representation = Representation {
    name: "compiled",
    summary: "code, with every linear map eliminated",
    paper: "002 §3, §5; 003 §6.2",
    differentiate: None,
    counted: None,
    taylor: None,
};

impl Representation {
    /// The representation of a name.
    pub fn find(name: &str) -> Option<&'static Representation> {
        REPRESENTATIONS.iter().find(|representation| representation.name == name)
    }

    /// The one for functions that are known only when a program runs, and so cannot be compiled.
    pub(crate) fn at_run_time() -> Via {
        COMPILED.differentiator(false)
    }

    /// Whether derivatives are code, which leaves nothing to do while a program runs.
    pub fn is_compiled(&self) -> bool {
        self.differentiate.is_none()
    }

    /// Differentiation in this representation while a program runs, over numbers that count or plain ones.
    pub(crate) fn differentiator(&self, counted: bool) -> Via {
        let differentiate = if counted { self.counted } else { self.differentiate };
        match differentiate {
            Some(differentiate) => Via::new(differentiate, self.taylor),
            None => algebra::REVERSE_ARRAY.differentiator(counted),
        }
    }
}

impl fmt::Debug for Representation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Differentiates in a representation while a program runs.
pub(crate) struct Via {
    differentiate: Differentiator,
    taylor: Option<AlongLine>,
    /// Whether a function has derivatives in it that could not be compiled, as far as that has been asked.
    unfinished: RefCell<HashMap<FunctionId, bool>>,
    wholes: RefCell<Wholes>,
}

impl Via {
    fn new(differentiate: Differentiator, taylor: Option<AlongLine>) -> Via {
        Via { differentiate, taylor, unfinished: RefCell::default(), wholes: RefCell::default() }
    }

    /// Whether what is differentiated has derivatives in it, of functions that are known only now.
    fn is_unfinished(&self, program: &Program, closure: &Closure<f64>, point: &Value) -> bool {
        let functions = functions_of(closure.captured().iter().chain([point]));
        let mut unfinished = self.unfinished.borrow_mut();
        [closure.function]
            .into_iter()
            .chain(functions)
            .any(|function| *unfinished.entry(function).or_insert_with(|| has_derivatives(program, &[function])))
    }

    fn answer(&self, machine: &mut Machine<f64>, request: Request) -> Result<Answer, Fault> {
        let Request { closure, point, .. } = request;
        if !self.is_unfinished(machine.compiled(), closure, point) {
            return (self.differentiate)(machine, request);
        }
        let Whole { program, closure, point } = self.wholes.borrow_mut().whole(machine.compiled(), closure, point)?;
        let request = Request { closure: &closure, point: &point, ..request };
        machine.within(&program, |machine| (self.differentiate)(machine, request))
    }
}

impl Differentiate<f64> for Via {
    fn derive(
        &self,
        machine: &mut Machine<f64>,
        derive: Derive,
        operands: &[Value],
        span: Span,
    ) -> Result<Value, Fault> {
        let [Value::Closure(closure), point, rest @ ..] = operands else {
            return Err(Box::new(Diagnostic::error("not-a-function", span, "this value is not a function")));
        };
        let point = &machine.with_tables(point.clone(), span)?;
        let mut numbers = Vec::new();
        if let Some(vector) = rest.first() {
            machine.with_tables(vector.clone(), span)?.visit_coordinates(&mut |x| numbers.push(*x));
        }
        let wish = match derive {
            Derive::Forward => Wish::Forward(&numbers),
            Derive::Reverse => Wish::Reverse(&numbers),
            Derive::Derivative | Derive::Taylor => Wish::Map,
        };
        let limits = machine.limits().clone();
        let request = Request { closure, point, wish, span };
        let answer = riesz_limit::within(&limits.bounds(u64::MAX), || self.answer(machine, request));
        let answer = answer.unwrap_or_else(|reason| Err(problem::stopped(reason, &limits, span)));
        let Answer { value, found } = answer?;
        let zero = |value: &Value| value.tangent(&mut std::iter::empty());
        Ok(match found {
            DerivativeValue::Rows(rows) => {
                let (domain, codomain) = (zero(point), zero(&value));
                Value::Map(Map::Table(Table { domain, codomain, rows }).share())
            }
            #[cfg(feature = "representations")]
            DerivativeValue::Term(riesz_category::via::Term { made, form, is_adjoint }) => {
                let (domain, codomain) = (zero(point), zero(&value));
                let (domain, codomain) = if is_adjoint { (codomain, domain) } else { (domain, codomain) };
                let map = Map::Term(riesz_core::evaluate::Term { domain, codomain, made, form }).share();
                Value::Map(if is_adjoint { Map::Adjoint(map).share() } else { map })
            }
            DerivativeValue::Vector(numbers) => {
                let space = if derive == Derive::Forward { &value } else { point };
                let vector = space.tangent(&mut numbers.into_iter());
                Value::Tuple([value, vector].into())
            }
        })
    }

    fn taylor(&self, machine: &mut Machine<f64>, operands: &[Value], span: Span) -> Option<Result<Vec<Value>, Fault>> {
        (self.taylor?)(machine, operands, span)
    }
}

/// In a program that counts, constants that count find the derivatives that are met.
impl Differentiate<Erased> for Via {
    fn derive(
        &self,
        machine: &mut Machine<Erased>,
        derive: Derive,
        operands: &[riesz_core::evaluate::Value<Erased>],
        span: Span,
    ) -> Result<riesz_core::evaluate::Value<Erased>, Fault> {
        let operands: Vec<Value> = operands.iter().map(|operand| operand.over(&mut Erased::value)).collect();
        let found = machine.over(|plain: &mut Machine<f64>| self.derive(plain, derive, &operands, span))?;
        Ok(found.over(&mut |x: &f64| Erased::constant(*x)))
    }
}
