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
    let written = item.clone();
    match riesz_front::differentiable(attribute.into(), item.into()) {
        Ok(expansion) => {
            if let Ok(shown) = std::env::var("RIESZ_SHOW")
                && expansion.names.iter().any(|name| shown == "all" || *name == shown)
            {
                eprintln!("{}\n{}", expansion.riesz, expansion.rust);
            }
            expansion.tokens.into()
        }
        // The function stays, so that an error here causes no others.
        Err(error) => {
            let mut tokens: TokenStream = error.into_compile_error().into();
            tokens.extend(written);
            tokens
        }
    }
}
