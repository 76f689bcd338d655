//! The options in the parentheses of `#[differentiable(..)]` and of `#[derivative(..)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};

/// `wrt(a, b), sparse, crate = path`, or `of = function, crate = path`
#[derive(Clone, Default)]
pub(crate) struct Attribute {
    /// The parameters that derivatives are taken by.
    pub by: Option<Vec<syn::Ident>>,
    /// Whether sparse matrices are wanted.
    pub sparse: bool,
    /// The function that `#[derivative(of = ..)]` gives the derivative of.
    pub of: Option<syn::Path>,
    /// Where the crate `riesz` is.
    pub root: Option<syn::Path>,
}

impl Attribute {
    pub fn root(&self) -> TokenStream {
        self.root.as_ref().map_or_else(|| quote!(::riesz), |root| quote!(#root))
    }
}

impl Parse for Attribute {
    fn parse(input: ParseStream) -> syn::Result<Attribute> {
        let mut attribute = Attribute::default();
        while !input.is_empty() {
            if input.peek(syn::Token![crate]) {
                input.parse::<syn::Token![crate]>()?;
                input.parse::<syn::Token![=]>()?;
                attribute.root = Some(input.call(syn::Path::parse_mod_style)?);
            } else {
                let name: syn::Ident = input.parse()?;
                match name.to_string().as_str() {
                    "of" => {
                        input.parse::<syn::Token![=]>()?;
                        attribute.of = Some(input.call(syn::Path::parse_mod_style)?);
                    }
                    "sparse" => attribute.sparse = true,
                    "wrt" => {
                        let inner;
                        syn::parenthesized!(inner in input);
                        let names = inner.parse_terminated(syn::Ident::parse, syn::Token![,])?;
                        attribute.by = Some(names.into_iter().collect());
                    }
                    _ => {
                        let message = format!(
                            "`{name}` is not an option of `#[differentiable]`\n\n  = help: write `wrt(x, y)`, `sparse` or `crate = path`"
                        );
                        return Err(syn::Error::new_spanned(name, message));
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(attribute)
    }
}

/// Takes the attribute of a function out of a list.
pub(crate) fn take(attributes: &mut Vec<syn::Attribute>) -> syn::Result<Option<Attribute>> {
    let Some(at) = attributes.iter().position(|attribute| is_mark(attribute.path())) else { return Ok(None) };
    let mark = attributes.remove(at);
    Ok(Some(match &mark.meta {
        syn::Meta::List(list) => syn::parse2::<Attribute>(list.tokens.clone())?,
        _ => Attribute::default(),
    }))
}

pub(crate) fn is_mark(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "differentiable")
}
