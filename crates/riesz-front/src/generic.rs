//! Functions that are generic over a float: their derivatives are those for `f64`.
//!
//! `fn f<T: Float>(x: &[T]) -> T` is read as if it were written with `f64` in the place of `T`. The traits of `T` define
//! its methods, so they must be known: those of num-traits, nalgebra and the standard library. The generated code asserts
//! that a name means one of them.

use crate::types::show;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::visit::Visit;

/// The traits whose methods mean for `f64` what the methods of `f64` of these names do: of num-traits, nalgebra and the
/// standard library.
const TRAITS: &str = " Float FloatCore FloatConst Real RealField ComplexField Num NumOps NumRef NumAssign NumAssignOps NumCast \
    FromPrimitive ToPrimitive Signed Zero One MulAdd Bounded Copy Clone Debug Display LowerExp Default PartialEq PartialOrd \
    Send Sync Sized Sum Product Add Sub Mul Div Neg AddAssign SubAssign MulAssign DivAssign From Into Scalar ";

/// The traits of num-traits and of nalgebra among them, with their crates.
const FOREIGN: [(&str, &str); 2] = [
    (
        "num_traits",
        "Float float::FloatCore FloatConst real::Real Num NumOps NumRef NumAssign NumAssignOps NumCast FromPrimitive \
         ToPrimitive Signed Zero One MulAdd Bounded",
    ),
    ("nalgebra", "RealField ComplexField Scalar"),
];

/// Whether an item is a function without the attribute that takes functions.
pub(crate) fn takes_functions(item: &syn::Item) -> bool {
    #[derive(Default)]
    struct Find(bool);
    impl<'a> Visit<'a> for Find {
        fn visit_trait_bound(&mut self, bound: &'a syn::TraitBound) {
            let last = bound.path.segments.last().map(|segment| segment.ident.to_string());
            self.0 |= matches!(last.as_deref(), Some("Fn" | "FnMut" | "FnOnce"));
        }
    }
    let syn::Item::Fn(function) = item else { return false };
    let mut find = Find::default();
    find.visit_signature(&function.sig);
    find.0 && function.attrs.iter().all(|attribute| !crate::attribute::is_mark(attribute.path()))
}

/// Assertions that the traits of type parameters in an item are what their names say.
pub(crate) fn assertions(item: &syn::Item) -> TokenStream {
    #[derive(Default)]
    struct Find {
        tokens: TokenStream,
        said: HashSet<String>,
    }
    impl<'a> Visit<'a> for Find {
        fn visit_trait_bound(&mut self, bound: &'a syn::TraitBound) {
            if let Some(known) = place(&bound.path)
                && self.said.insert(show(&bound.path))
            {
                let path = &bound.path;
                self.tokens.extend(quote! {
                    const _: () = {
                        fn known<T: #known>() {}
                        #[allow(dead_code)]
                        fn same<T: #path>() {
                            known::<T>();
                        }
                    };
                });
            }
        }
    }
    let mut find = Find::default();
    find.visit_item(item);
    find.tokens
}

/// Where a trait of num-traits or nalgebra is, which a path says that it means.
fn place(path: &syn::Path) -> Option<TokenStream> {
    let (first, last) = (&path.segments.first()?.ident, &path.segments.last()?.ident);
    let is_last = |name: &&str| name.rsplit("::").next().is_some_and(|name| last == name);
    let found = FOREIGN.iter().find_map(|(library, names)| Some((library, names.split_whitespace().find(is_last)?)));
    let (library, name) = found?;
    // `num::Float` and the like say themselves where they come from.
    if path.segments.len() > 1 && ["num", "num_traits", "nalgebra", "simba"].iter().any(|library| first == library) {
        let segments = path.segments.iter().map(|segment| &segment.ident);
        return Some(quote!(::#(#segments)::*));
    }
    let segments = [*library].into_iter().chain(name.split("::")).map(|name| Ident::new(name, last.span()));
    Some(quote!(::#(#segments)::*))
}

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
