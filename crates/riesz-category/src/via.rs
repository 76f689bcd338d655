//! The derivative of a core function at a point, in any representation of [003] and [004].
//!
//! | via | category | paper |
//! |---|---|---|
//! | `affine` | `D⟨Terms⟩`: affine interpretation | 003 Fig. 1 |
//! | `adjoint` | `D⟨Dual⟨Terms⟩⟩`: adjoint affine interpretation | 003 Fig. 2 |
//! | `function` | `D⟨Additive⟩` | 004 Fig. 1, 6 |
//! | `matrix` | `D⟨Matrices⟩` | 004 §10 |
//! | `cont` | `D⟨Cont⟨Matrices⟩⟩`, whose continuations to `R` are rows | 004 Fig. 7 |
//! | `dual` | `D⟨Dual⟨Additive⟩⟩` | 004 Fig. 10 |
//! | `begin` | `D⟨Begin⟨Matrices⟩⟩`, whose beginnings from `R` are columns | 004 §14 |
//! | `linear-maps` | `D⟨Terms⟩`, simplified by the laws of linear maps | 002 Fig. 3, 4 |

use crate::category::{Category, Linear};
use crate::combinator::Combinators;
use crate::compile::compile_with;
use crate::derivative::{Context, D, Maps};
use crate::interpret::interpret;
use crate::linear::{Additive, Arrow, Begin, Beginning, Cont, Continued, Dual, Matrices, Reversed, Rows, Terms};
use crate::space::{flat, space, vector};
use riesz_core::evaluate::{Fault, Limits, Machine, Value};
use riesz_core::term::Origin;
use riesz_core::{FunctionId, GlobalId, Program};
use riesz_linear::count::{Count, counted, uncounted};
use riesz_linear::{LinearMap, Space, SpaceError};
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

/// A representation of derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// A term, from affine interpretation.
    Affine,
    /// The term of the adjoint, from adjoint affine interpretation.
    Adjoint,
    /// An additive function.
    Function,
    /// A matrix.
    Matrix,
    /// A continuation.
    Cont,
    /// An additive function backwards.
    Dual,
    /// A beginning.
    Begin,
    /// A simplified term.
    LinearMaps,
}

impl Via {
    /// All of them.
    pub const ALL: [Via; 8] =
        [Via::Affine, Via::Adjoint, Via::Function, Via::Matrix, Via::Cont, Via::Dual, Via::Begin, Via::LinearMaps];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Via::Affine => "affine",
            Via::Adjoint => "adjoint",
            Via::Function => "function",
            Via::Matrix => "matrix",
            Via::Cont => "cont",
            Via::Dual => "dual",
            Via::Begin => "begin",
            Via::LinearMaps => "linear-maps",
        }
    }
}

/// The derivative of a function of a program at its arguments: the sizes that it takes first, then its own. The function
/// has no derivatives in it: those are compiled before.
///
/// # Errors
/// Where the function cannot be written as a combinator, or has no value for the arguments.
pub fn derivative(
    program: &Program,
    function: FunctionId,
    arguments: Vec<Value<f64>>,
    via: Via,
) -> Result<Derivative, Box<Diagnostic>> {
    Prepared::new(program, function, Limits::default(), |_| None)?.derivative(arguments, via)
}

/// A function as combinators, ready to be differentiated at many points.
pub struct Prepared {
    span: Span,
    combinators: Rc<Combinators>,
    limits: Limits,
    globals: Vec<Value<f64>>,
    /// The program, if it is run on series.
    program: Option<Rc<Program>>,
}

impl Prepared {
    /// Compiles a function and computes the values of the program that it uses, but those that are given.
    ///
    /// # Errors
    /// Where the function cannot be written as a combinator, or a value of the program cannot be computed.
    pub fn new(
        program: &Program,
        function: FunctionId,
        limits: Limits,
        given: impl Fn(GlobalId) -> Option<Value<f64>>,
    ) -> Result<Prepared, Box<Diagnostic>> {
        Prepared::with(program, function, &[], limits, given)
    }

    /// Likewise, of a function whose arguments are made of others.
    ///
    /// # Errors
    /// Likewise.
    pub fn with(
        program: &Program,
        function: FunctionId,
        others: &[FunctionId],
        limits: Limits,
        given: impl Fn(GlobalId) -> Option<Value<f64>>,
    ) -> Result<Prepared, Box<Diagnostic>> {
        let combinators = compile_with(program, function, others)?;
        let mut machine = Machine::<f64>::new(program, limits.clone(), &given);
        let mut globals = Vec::with_capacity(combinators.globals.len());
        for (name, id) in &combinators.globals {
            globals.push(match (given(*id), program.global(*id).origin) {
                (Some(value), _) => value,
                (None, Origin::Computed(function)) => machine.run(function)?,
                (None, Origin::Given) => {
                    let message = format!("`{name}` has not been given");
                    return Err(Box::new(Diagnostic::placeless("no-value", message)));
                }
            });
        }
        let span = program.function(function).span;
        let program = combinators.has_series().then(|| Rc::new(program.clone()));
        Ok(Prepared { span, combinators: combinators.into(), limits, globals, program })
    }

    /// The combinators.
    pub fn combinators(&self) -> &Combinators {
        &self.combinators
    }

    /// The value for arguments, in the category of functions.
    ///
    /// # Errors
    /// Where there is none.
    pub fn value(&self, arguments: Vec<Value<f64>>) -> Result<Value<f64>, Fault> {
        Ok(self.at::<crate::linear::Nothing>(arguments)?.0)
    }

    /// The derivative at arguments.
    ///
    /// # Errors
    /// Where the function has no value there.
    pub fn derivative(&self, arguments: Vec<Value<f64>>, via: Via) -> Result<Derivative, Fault> {
        let (found, made) = counted(|| {
            Ok::<_, Fault>(match via {
                Via::Affine => {
                    let (value, made) = self.at::<Terms>(arguments)?;
                    (value, Map::Term { form: made.clone(), made })
                }
                Via::LinearMaps => {
                    let (value, made) = self.at::<Terms>(arguments)?;
                    (value, Map::Term { form: made.simplify(), made })
                }
                Via::Adjoint => self.at::<Dual<Terms>>(arguments).map(|(value, map)| (value, Map::Adjoint(map.0)))?,
                Via::Function => self.at::<Additive>(arguments).map(|(value, map)| (value, Map::Function(map)))?,
                Via::Matrix => self.at::<Matrices>(arguments).map(|(value, map)| (value, Map::Rows(map)))?,
                Via::Cont => self.at::<Cont<Matrices>>(arguments).map(|(value, map)| (value, Map::Cont(map)))?,
                Via::Dual => self.at::<Dual<Additive>>(arguments).map(|(value, map)| (value, Map::Dual(map)))?,
                Via::Begin => self.at::<Begin<Matrices>>(arguments).map(|(value, map)| (value, Map::Begin(map)))?,
            })
        });
        let (value, map) = found?;
        let (domain, codomain) = map.spaces();
        Ok(Derivative { via, value, domain, codomain, map, made })
    }

    /// Where the matrix of the derivative at arguments has entries that are not structurally zero: columns, row by row.
    ///
    /// # Errors
    /// Where the function has no value there.
    pub fn structure(&self, arguments: Vec<Value<f64>>) -> Result<Vec<Vec<usize>>, Fault> {
        // A question of structure: what numbers there are is known.
        let (rows, entries) = uncounted(|| {
            let (_, map) = self.at::<Terms>(arguments)?;
            Ok::<_, Fault>((map.rows(), map.coo()))
        })?;
        let mut found = vec![Vec::new(); rows];
        entries.rows.iter().zip(&entries.cols).for_each(|(row, column)| found[*row].push(*column));
        Ok(found)
    }

    /// The value and the derivative in a category.
    ///
    /// # Errors
    /// Where the function has no value there.
    pub fn at<K: Linear<Morphism: 'static> + 'static>(
        &self,
        mut arguments: Vec<Value<f64>>,
    ) -> Result<(Value<f64>, K::Morphism), Fault> {
        let combinators = Some(self.combinators.clone());
        let context = Context::with(self.limits.clone(), self.globals.clone(), combinators, self.program.clone());
        let argument = if arguments.len() == 1 { arguments.remove(0) } else { Value::Tuple(arguments.into()) };
        let read = interpret::<D<K>>(&self.combinators, &context);
        match read.main() {
            Some(function) => {
                let (value, map) = function.at(argument)?;
                let from = K::codomain(&map);
                let maps = Maps { context: &context, definitions: &read.table(), span: self.span };
                let (value, entries) = maps.with_tables::<K>(value, &from)?;
                Ok((value, K::after(entries, map)))
            }
            None => Ok((argument.clone(), K::identity(&space(&argument)))),
        }
    }
}

/// The derivative of a function at a point.
pub struct Derivative {
    /// How it is represented.
    pub via: Via,
    /// The value of the function.
    pub value: Value<f64>,
    /// The tangent space at the point: of one argument as it is, of several as their product.
    pub domain: Space,
    /// The tangent space at the value.
    pub codomain: Space,
    /// The cost of making it.
    pub made: Count,
    map: Map,
}

/// A derivative as a term.
#[derive(Clone, Debug)]
pub struct Term {
    /// As it was made: its structure tells which entries are zero.
    pub made: LinearMap,
    /// As it is applied and shown.
    pub form: LinearMap,
    /// Whether it is the adjoint of the derivative.
    pub is_adjoint: bool,
}

/// A derivative in one of the categories.
enum Map {
    Term { made: LinearMap, form: LinearMap },
    Adjoint(LinearMap),
    Function(Arrow),
    Rows(Rows),
    Cont(Continued<Rows>),
    Dual(Reversed<Arrow>),
    Begin(Beginning<Rows>),
}

impl Map {
    fn spaces(&self) -> (Space, Space) {
        fn of<K: Linear>(map: &K::Morphism) -> (Space, Space) {
            (K::domain(map), K::codomain(map))
        }
        match self {
            Map::Term { form, .. } => of::<Terms>(form),
            Map::Adjoint(map) => (map.codomain().clone(), map.domain().clone()),
            Map::Function(map) => of::<Additive>(map),
            Map::Rows(map) => of::<Matrices>(map),
            Map::Cont(map) => of::<Cont<Matrices>>(map),
            Map::Dual(map) => of::<Dual<Additive>>(map),
            Map::Begin(map) => of::<Begin<Matrices>>(map),
        }
    }
}

impl Derivative {
    /// `D f x dx`, in flat vectors.
    pub fn apply(&self, dx: &[f64]) -> Vec<f64> {
        let x = || vector(&self.domain, dx);
        let y = match &self.map {
            Map::Term { form, .. } => return numbers_through(form, dx),
            Map::Adjoint(map) => return numbers_through(&map.adjoint(), dx),
            Map::Function(map) => map.apply(x()),
            Map::Rows(map) => map.apply(&x()),
            Map::Cont(map) => map.before(Matrices::identity(&self.codomain)).apply(&x()),
            Map::Begin(map) => map.after(Rows::column(&self.domain, &x())).as_column(),
            Map::Dual(map) => return entry_by_entry(&self.codomain, &self.domain, &map.0, dx),
        };
        flat(&self.codomain, &y)
    }

    /// `(D f x)ᵀ dy`, in flat vectors.
    pub fn transpose_apply(&self, dy: &[f64]) -> Vec<f64> {
        let y = || vector(&self.codomain, dy);
        let x = match &self.map {
            Map::Term { form, .. } => return numbers_through(&form.adjoint(), dy),
            Map::Adjoint(map) => return numbers_through(map, dy),
            Map::Function(map) => return entry_by_entry(&self.domain, &self.codomain, map, dy),
            Map::Rows(map) => map.transpose_apply(&y()),
            Map::Cont(map) => map.before(Rows::row(&self.codomain, y())).as_row(),
            Map::Begin(map) => map.after(Matrices::identity(&self.domain)).transpose_apply(&y()),
            Map::Dual(map) => map.0.apply(y()),
        };
        flat(&self.domain, &x)
    }

    /// The matrix, row by row: by rows or by columns, as the representation has it.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let by_rows = || self.codomain.basis().map(|unit| self.transpose_apply(&unit)).collect();
        match &self.map {
            Map::Term { form, .. } => matrix_rows(form),
            Map::Adjoint(map) => matrix_rows(&map.adjoint()),
            Map::Rows(map) => map.numbers(),
            Map::Begin(map) => map.after(Matrices::identity(&self.domain)).numbers(),
            Map::Cont(map) => map.before(Matrices::identity(&self.codomain)).numbers(),
            Map::Dual(_) => by_rows(),
            Map::Function(_) => {
                let columns: Vec<Vec<f64>> = self.domain.basis().map(|unit| self.apply(&unit)).collect();
                (0..self.codomain.dimension()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
            }
        }
    }

    /// The term that it is, or whose adjoint it is, where it is one.
    pub fn term(&self) -> Option<&LinearMap> {
        match &self.map {
            Map::Term { form, .. } | Map::Adjoint(form) => Some(form),
            _ => None,
        }
    }

    /// The derivative in the last of several arguments as a term, where it is one: `D f ∘ ι`, or `π ∘ (D f)ᵀ`.
    ///
    /// # Errors
    /// Where the space of the arguments is not a product of several.
    pub fn in_last(&self, arguments: usize) -> Result<Option<Term>, SpaceError> {
        let last = arguments - 1;
        let before = |term: &LinearMap| match last {
            0 => Ok(term.clone()),
            _ => term.after(&LinearMap::inject(last, term.domain().clone())?),
        };
        Ok(Some(match &self.map {
            Map::Term { made, form } => {
                let form = before(form)?;
                let form = if self.via == Via::LinearMaps { form.simplify() } else { form };
                Term { made: before(made)?, form, is_adjoint: false }
            }
            Map::Adjoint(map) => {
                let form = match last {
                    0 => map.clone(),
                    _ => LinearMap::project(last, map.codomain().clone())?.after(map)?,
                };
                Term { made: form.clone(), form, is_adjoint: true }
            }
            _ => return Ok(None),
        }))
    }

    /// `D f x dx`, and what it takes.
    pub fn apply_counted(&self, dx: &[f64]) -> (Vec<f64>, Count) {
        counted(|| self.apply(dx))
    }

    /// `(D f x)ᵀ dy`, and what it takes.
    pub fn transpose_apply_counted(&self, dy: &[f64]) -> (Vec<f64>, Count) {
        counted(|| self.transpose_apply(dy))
    }
}

fn matrix_rows(map: &LinearMap) -> Vec<Vec<f64>> {
    let matrix = map.matrix();
    (0..matrix.rows()).map(|row| matrix.row(row).collect()).collect()
}

/// A term at a flat vector, with its operations counted.
fn numbers_through(map: &LinearMap, x: &[f64]) -> Vec<f64> {
    flat(map.codomain(), &vector(map.domain(), x).through(map))
}

/// `mᵀ y` of a map that can only be applied, by applying it to every unit vector.   [004 §9]
fn entry_by_entry(domain: &Space, codomain: &Space, map: &Arrow, y: &[f64]) -> Vec<f64> {
    let column = |unit: Vec<f64>| riesz_linear::inner(&flat(codomain, &map.apply(vector(domain, &unit))), y);
    domain.basis().map(column).collect()
}
