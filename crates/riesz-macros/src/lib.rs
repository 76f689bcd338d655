//! The attribute `#[differentiable]`, which the crate `riesz` exports. The work is done by `riesz-front`.

use proc_macro::TokenStream;

/// Adds the derivatives of a function beside it.
///
/// The function stays as it is. An empty enum of the same name has the derivatives as functions: `grad`, `value_and_grad`,
/// `jvp`, `vjp`, `hvp` and `hessian` of a function that gives an `f64`, and `jvp`, `vjp` and `jacobian` of any other.
/// Derivatives are taken by all parameters that vary, or by those that `wrt` names.
///
/// ```ignore
/// use riesz::differentiable;
///
/// #[differentiable(wrt(x))]
/// fn area(x: f64, scale: f64) -> f64 {
///     scale * x * x
/// }
///
/// assert_eq!(area(3.0, 2.0), 18.0);
/// assert_eq!(area::grad(3.0, 2.0), 12.0);
/// ```
///
/// On a module, the functions of the module see each other. `RIESZ_SHOW=area cargo build` prints what is generated for
/// `area`.
#[proc_macro_attribute]
pub fn differentiable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let expansion = riesz_front::differentiable(attribute.into(), item.clone().into(), &site());
    expanded(expansion.map_err(|error| error.into_compile_error().into()), item)
}

/// Gives the derivative of a function that `#[differentiable]` cannot see, as a linear map.
///
/// Every real number that the function takes is followed by its tangent, and the value is linear in the tangents: a sum of
/// them, each multiplied with a number. Integers have no tangent. The function itself may be called with its own arguments.
/// Forward mode, reverse mode and derivatives of every order follow.
///
/// ```ignore
/// use riesz::{derivative, differentiable};
///
/// /// The inverse of the error function, from anywhere.
/// pub fn erf_inv(x: f64) -> f64 { .. }
///
/// #[derivative(of = erf_inv)]
/// fn erf_inv_rule(x: f64, dx: f64) -> f64 {
///     0.5 * PI.sqrt() * erf_inv(x).powi(2).exp() * dx
/// }
///
/// #[differentiable]
/// fn quantile(p: f64, scale: f64) -> f64 {
///     scale * SQRT_2 * erf_inv(2.0 * p - 1.0)
/// }
/// ```
#[proc_macro_attribute]
pub fn derivative(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let expansion = riesz_front::derivative(attribute.into(), item.clone().into(), &site());
    expanded(expansion.map_err(|error| error.into_compile_error().into()), item)
}

/// Makes a struct, or an enum without data, known to differentiable functions of other modules.
///
/// Its fields are `f64`, integers, `bool`, and tuples, arrays, `Vec`s and structs of these. Derivatives by a struct are a
/// struct of the same type.
///
/// ```ignore
/// use riesz::{Differentiable, differentiable};
///
/// #[derive(Clone, Differentiable)]
/// pub struct Spring {
///     pub stiffness: f64,
///     pub length: f64,
/// }
///
/// #[differentiable]
/// impl Spring {
///     fn energy(&self, x: f64) -> f64 {
///         0.5 * self.stiffness * (x - self.length).powi(2)
///     }
/// }
///
/// let spring = Spring { stiffness: 2.0, length: 1.0 };
/// let (by_spring, by_x) = spring.energy_grad(3.0);
/// ```
#[proc_macro_derive(Differentiable, attributes(riesz))]
pub fn derive_differentiable(item: TokenStream) -> TokenStream {
    match riesz_front::derive(item.into(), &site()) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// Goes on with an expansion that has asked for the definition of a function or type of another module.
#[doc(hidden)]
#[proc_macro]
pub fn __link(tokens: TokenStream) -> TokenStream {
    match riesz_front::link(tokens.into()) {
        Ok(expansion) => shown(expansion),
        Err(error) => error.into_compile_error().into(),
    }
}

/// The tokens that an expansion adds; `RIESZ_SHOW` shows where they come from.
fn shown(expansion: riesz_front::Expansion) -> TokenStream {
    if let Ok(shown) = std::env::var("RIESZ_SHOW")
        && expansion.names.iter().any(|name| shown == "all" || *name == shown)
    {
        eprintln!("{}\n{}", expansion.riesz, expansion.rust);
    }
    expansion.tokens.into()
}

/// Where the macro is called.
fn site() -> String {
    let span = proc_macro::Span::call_site();
    format!("{}:{}:{}", span.file(), span.line(), span.column())
}

/// The tokens of an expansion. With an error, the item stays, so that the error causes no others.
fn expanded(expansion: Result<riesz_front::Expansion, TokenStream>, item: TokenStream) -> TokenStream {
    match expansion {
        Ok(expansion) => shown(expansion),
        Err(mut error) => {
            error.extend(TokenStream::from(riesz_front::without_derivatives(item.into())));
            error
        }
    }
}
