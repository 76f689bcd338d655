//! Functions of a program, and derivatives of them: descriptions, which cost nothing until they are compiled.

use super::derivative::{self, Derivative};
use super::{Compiled, Error, Program};
use crate::Options;
use riesz_core::FunctionId;
use std::fmt;
use std::sync::Arc;

/// A function of a program, or a derivative of one.
///
/// Each derivative is a function again, and has derivatives itself. It takes what the function takes, and behind that the
/// tangents or the cotangent that it is applied to. It is taken by all parameters that vary, or by those that
/// [`by`](Function::by) names.
///
/// ```
/// use riesz::{Options, Program};
///
/// # fn main() -> Result<(), riesz::Error> {
/// let program = Program::new("cube.rz", "fun cube(x: R): R = x^3")?;
/// let cube = program.function("cube")?;
/// let options = Options::default();
///
/// let mut y = 0.0;
/// cube.grad().compile(&options)?.call(&[2.0.into()], &mut [(&mut y).into()])?;
/// assert_eq!(y, 12.0);
/// cube.grad().grad().grad().compile(&options)?.call(&[2.0.into()], &mut [(&mut y).into()])?;
/// assert_eq!(y, 6.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Function {
    pub(super) program: Program,
    pub(super) id: FunctionId,
    /// How many of its parameters are sizes that those behind them tell.
    pub(super) sizes: usize,
    /// By which parameters derivatives are taken; all that vary where nothing is said.
    by: Option<Arc<[String]>>,
    /// The derivatives, the innermost first, and by what.
    pub(super) derivatives: Vec<(Derivative, Option<Arc<[String]>>)>,
}

impl Function {
    pub(super) fn new(program: Program, id: FunctionId, sizes: usize) -> Function {
        Function { program, id, sizes, by: None, derivatives: Vec::new() }
    }

    /// The same function, whose derivatives are taken by these parameters alone.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: [n]R, k: R): R = k * dot(x, x)")?;
    /// let gradient = program.function("f")?.by(&["k"]).grad().compile(&Default::default())?;
    /// let mut by_k = 0.0;
    /// gradient.call(&[(&[3.0, 4.0]).into(), 2.0.into()], &mut [(&mut by_k).into()])?;
    /// assert_eq!(by_k, 25.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn by(mut self, parameters: &[&str]) -> Function {
        self.by = Some(parameters.iter().map(|name| name.to_string()).collect());
        self
    }

    /// The gradient of a function that gives an `R`: one leaf for each that varies.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: [n]R): R = dot(x, x)")?;
    /// let gradient = program.function("f")?.grad().compile(&Default::default())?;
    /// let mut found = [0.0; 3];
    /// gradient.call(&[(&[1.0, 2.0, 3.0]).into()], &mut [(&mut found).into()])?;
    /// assert_eq!(found, [2.0, 4.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn grad(&self) -> Function {
        self.with(Derivative::Gradient)
    }

    /// The value and the gradient, in one run.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: [n]R): R = dot(x, x)")?;
    /// let both = program.function("f")?.value_and_grad().compile(&Default::default())?;
    /// let (mut value, mut gradient) = (0.0, [0.0; 2]);
    /// both.call(&[(&[1.0, 2.0]).into()], &mut [(&mut value).into(), (&mut gradient).into()])?;
    /// assert_eq!((value, gradient), (5.0, [2.0, 4.0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn value_and_grad(&self) -> Function {
        self.with(Derivative::ValueAndGradient)
    }

    /// The value, and the derivative applied to tangents, which come behind the arguments: one for each parameter that
    /// varies.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: R, y: R): R = x * y")?;
    /// let forward = program.function("f")?.jvp().compile(&Default::default())?;
    /// let (mut value, mut tangent) = (0.0, 0.0);
    /// let arguments = [3.0.into(), 5.0.into(), 1.0.into(), 0.0.into()];
    /// forward.call(&arguments, &mut [(&mut value).into(), (&mut tangent).into()])?;
    /// assert_eq!((value, tangent), (15.0, 5.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn jvp(&self) -> Function {
        self.with(Derivative::Forward)
    }

    /// The value, and the adjoint of the derivative applied to a cotangent of the value, which comes behind the arguments.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: R): (R, R) = (2 * x, x^2)")?;
    /// let reverse = program.function("f")?.vjp().compile(&Default::default())?;
    /// let (mut double, mut square, mut cotangent) = (0.0, 0.0, 0.0);
    /// let outputs = &mut [(&mut double).into(), (&mut square).into(), (&mut cotangent).into()];
    /// reverse.call(&[3.0.into(), 1.0.into(), 10.0.into()], outputs)?;
    /// assert_eq!((double, square, cotangent), (6.0, 9.0, 62.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn vjp(&self) -> Function {
        self.with(Derivative::Reverse)
    }

    /// The matrix of the derivative: for each number of the value, one leaf of the shape of each parameter that varies.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: [n]R): [n]R = [t^2 | t in x]")?;
    /// let matrix = program.function("f")?.jacobian().compile(&Default::default())?;
    /// let mut found = [0.0; 4];
    /// matrix.call(&[(&[1.0, 2.0]).into()], &mut [(&mut found).into()])?;
    /// assert_eq!(found, [2.0, 0.0, 0.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn jacobian(&self) -> Function {
        self.with(Derivative::Jacobian)
    }

    /// The entries of that matrix that are not structurally zero, over flat indices: rows, columns and values. How many
    /// there are follows from the sizes of the arguments, and [`Compiled::evaluate`] tells.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: [n]R): [n]R = [t^2 | t in x]")?;
    /// let entries = program.function("f")?.coo().compile(&Default::default())?;
    /// let (mut rows, mut columns, mut values) = ([0; 2], [0; 2], [0.0; 2]);
    /// let outputs = &mut [(&mut rows).into(), (&mut columns).into(), (&mut values).into()];
    /// entries.call(&[(&[1.0, 2.0]).into()], outputs)?;
    /// assert_eq!((rows, columns, values), ([0, 1], [0, 1], [2.0, 4.0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn coo(&self) -> Function {
        self.with(Derivative::Entries)
    }

    /// The matrix of the second derivative of a function that gives an `R`: `f.grad().jacobian()`.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: [2]R): R = x[0]^2 * x[1]")?;
    /// let hessian = program.function("f")?.hessian().compile(&Default::default())?;
    /// let mut found = [0.0; 4];
    /// hessian.call(&[(&[3.0, 5.0]).into()], &mut [(&mut found).into()])?;
    /// assert_eq!(found, [10.0, 6.0, 6.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn hessian(&self) -> Function {
        self.grad().jacobian()
    }

    /// The same applied to tangents, which come behind the arguments.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(x: [2]R): R = x[0]^2 * x[1]")?;
    /// let product = program.function("f")?.hvp().compile(&Default::default())?;
    /// let mut found = [0.0; 2];
    /// product.call(&[(&[3.0, 5.0]).into(), (&[0.0, 1.0]).into()], &mut [(&mut found).into()])?;
    /// assert_eq!(found, [6.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn hvp(&self) -> Function {
        self.grad().with(Derivative::Tangent)
    }

    fn with(&self, derivative: Derivative) -> Function {
        let mut function = self.clone();
        function.derivatives.push((derivative, self.by.clone()));
        function
    }

    /// Compiles it: everything that has to be done once is done here. The values of top-level `let`s that it needs are
    /// computed too.
    ///
    /// ```
    /// use riesz::{Options, Program, Toolchain};
    ///
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = Program::new("f.rz", "let k = 2.0\nfun f(x: R): R = k * x")?;
    /// // As native code, where the machine has a compiler.
    /// let native = Options { native: Toolchain::find(1).ok(), ..Options::default() };
    /// let f = program.function("f")?.compile(&native)?;
    /// let mut y = 0.0;
    /// f.call(&[4.0.into()], &mut [(&mut y).into()])?;
    /// assert_eq!(y, 8.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compile(&self, options: &Options) -> Result<Compiled, Error> {
        Compiled::new(self.clone(), options)
    }

    /// It as a function of the core, in a program with nothing else but what it needs.
    pub(super) fn core(&self) -> Result<(riesz_core::Program, FunctionId), Error> {
        let given = &self.program.0.given;
        let mut core = self.program.0.core.part(&[self.id], &|global| given.contains_key(&global));
        let mut id = self.id;
        for (derivative, by) in &self.derivatives {
            id = derivative::write(&mut core, id, *derivative, by.as_deref())
                .map_err(|problem| Error::Derivative(self.program.diagnostics(vec![*problem])))?;
        }
        debug_assert_eq!(riesz_core::verify::verify(&core), Ok(()));
        Ok((core, id))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = &self.program.0.core.function(self.id).name;
        let derivatives: Vec<_> = self.derivatives.iter().map(|(derivative, _)| derivative).collect();
        f.debug_struct("Function").field("name", name).field("derivatives", &derivatives).finish()
    }
}
