//! Functions that are generic over a float: their derivatives are those for `f64`.
//!
//! `fn f<T: Float>(x: &[T]) -> T` is read as if it were written with `f64` in the place of `T`. The traits of `T` say what
//! its methods mean, so they must be known ones.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;

/// The traits whose methods mean for `f64` what the methods of `f64` of these names do: of num-traits, nalgebra and the
/// standard library.
const TRAITS: &str = " Float FloatCore FloatConst Real RealField ComplexField Num NumOps NumRef NumAssign NumAssignOps NumCast \
    FromPrimitive ToPrimitive Signed Zero One MulAdd Bounded Copy Clone Debug Display LowerExp Default PartialEq PartialOrd \
    Send Sync Sized Sum Product Add Sub Mul Div Neg AddAssign SubAssign MulAssign DivAssign From Into Scalar ";

/// The function with `f64` in the place of its type parameters.
pub(crate) fn monomorphic<T: syn::parse::Parse + ToTokens + Clone>(
    function: &T,
    signature: impl Fn(&mut T) -> &mut syn::Signature,
) -> syn::Result<Option<T>> {
    let mut function = function.clone();
    let generics = &mut signature(&mut function).generics;
    let names: Vec<Ident> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    if names.is_empty() {
        return Ok(None);
    }
    for parameter in generics.type_params() {
        known(&parameter.bounds)?;
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let syn::WherePredicate::Type(of) = predicate {
            known(&of.bounds)?;
        }
    }
    generics.where_clause = None;
    generics.params = std::mem::take(&mut generics.params)
        .into_iter()
        .filter(|parameter| !matches!(parameter, syn::GenericParam::Type(_)))
        .collect();
    syn::parse2(replaced(function.to_token_stream(), &names)).map(Some)
}

/// Whether the methods of a trait mean for `f64` what the methods of `f64` do.
pub(crate) fn is_known(name: &str) -> bool {
    TRAITS.contains(&format!(" {name} "))
}

fn known(bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>) -> syn::Result<()> {
    for bound in bounds {
        if let syn::TypeParamBound::Trait(bound) = bound
            && let Some(last) = bound.path.segments.last()
            && !is_known(&last.ident.to_string())
        {
            let message = format!(
                "what the methods of `{}` mean for `f64` is not visible to `#[differentiable]`\n\n  = help: use the traits of num-traits, such as `Float`, or write `f64`",
                last.ident
            );
            return Err(syn::Error::new_spanned(bound, message));
        }
    }
    Ok(())
}

fn replaced(tokens: TokenStream, names: &[Ident]) -> TokenStream {
    let replace = |token| match token {
        TokenTree::Ident(ident) if names.contains(&ident) => Ident::new("f64", ident.span()).into(),
        TokenTree::Group(group) => {
            let mut inner = proc_macro2::Group::new(group.delimiter(), replaced(group.stream(), names));
            inner.set_span(group.span());
            inner.into()
        }
        token => token,
    };
    tokens.into_iter().map(replace).collect()
}
