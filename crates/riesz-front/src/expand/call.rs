//! The call of a generated function: first of the one with plain products, then of the one with exact products where a
//! result of the first is NaN.

use super::marshal::Arguments;
use super::slots::Slots;
use super::{Derivative, DifferentiatedFunction};
use crate::compile::{EXACT, Products};
use crate::term::Term;
use crate::types::{Sequence, SignatureType};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl DifferentiatedFunction<'_> {
    /// The call of a generated function; `more` are arguments behind those of the function.
    pub(super) fn call(
        &self,
        derivative: Derivative,
        more: Arguments,
        module: &syn::Ident,
        slots: &Slots,
    ) -> TokenStream {
        let mut all: Vec<Arguments> = Vec::new();
        for (at, parameter) in self.signature.parameters.iter().enumerate() {
            all.push(Arguments::of(&parameter.name, &parameter.shape, &self.place(at)));
        }
        let mut sizes = Vec::new();
        for name in self.lengths() {
            let generic = self.signature.sizes.iter().position(|size| *size == name);
            if let Some(generic) = generic.and_then(|at| self.signature.generics.const_params().nth(at)) {
                let ident = &generic.ident;
                sizes.push(quote!((#ident as i64)));
                continue;
            }
            for (parameter, arguments) in self.signature.parameters.iter().zip(&all) {
                if let Some(at) = parameter.lengths.iter().position(|length| *length == Term::Name(name.clone())) {
                    sizes.push(arguments.lengths[at].clone());
                    break;
                }
            }
        }
        let setup = all.iter().flat_map(|arguments| &arguments.setup).chain(&more.setup);
        let leaves = all.iter().flat_map(|arguments| &arguments.leaves).chain(more.lengths.iter()).chain(&more.leaves);
        let function = format_ident!("{}", self.entry(derivative).name);
        let names = slots.names();
        let tuple = |names: &[syn::Ident]| match names {
            [one] => quote!(#one),
            names => quote!((#(#names),*)),
        };
        let pattern = tuple(&names);
        let arguments = quote!(&mut __context, #(#sizes,)* #(#leaves),*);
        let call = quote!(#module::#function(#arguments));
        let found = match self.products.iter().find(|(of, _)| *of == derivative) {
            // Plain products have made a NaN that exact ones may not make.
            Some((_, Products::Plain { flagged })) => {
                let seen = flagged.then(|| format_ident!("__seen"));
                let is_nan = seen.as_ref().map_or_else(|| slots.is_nan(), |seen| quote!(#seen.is_nan()));
                let given = tuple(&names.iter().cloned().chain(seen).collect::<Vec<_>>());
                let exact = format_ident!("{}", EXACT);
                quote! {
                    match #call {
                        ::core::result::Result::Ok(#given) if #is_nan => {
                            ::core::mem::drop(#pattern);
                            #module::#exact::#function(#arguments)
                        }
                        ::core::result::Result::Ok(#given) => ::core::result::Result::Ok(#pattern),
                        ::core::result::Result::Err(stopped) => ::core::result::Result::Err(stopped),
                    }
                }
            }
            _ => call,
        };
        let again = self.call_again();
        quote! {
            use #module::riesz_runtime;
            #(#setup)*
            let mut __context = riesz_runtime::Context::unlimited();
            let #pattern = match #found {
                ::core::result::Result::Ok(found) => found,
                ::core::result::Result::Err(_) => {
                    // The function itself says best what is wrong with its arguments.
                    #again
                    ::core::panic!("the derivative of this function stopped where the function did not")
                }
            };
        }
    }

    fn call_again(&self) -> TokenStream {
        let path = &self.path;
        let copies = self.outputs().into_iter().map(|at| self.copied(at));
        let arguments = (0..self.signature.parameters.len()).map(|at| match self.signature.parameters[at].output {
            true => {
                let copy = self.copy_ident(at);
                quote!(&mut #copy)
            }
            false => self.passed(at),
        });
        quote!(#(#copies)* let _ = #path(#(#arguments),*);)
    }

    /// A parameter as an argument of the function, which keeps it.
    pub(super) fn passed(&self, at: usize) -> TokenStream {
        let name = self.parameter_ident(at);
        match self.signature.parameters[at].output {
            true => quote!(&mut *#name),
            false => quote!(::core::clone::Clone::clone(&#name)),
        }
    }

    /// A statement that copies what a `&mut` holds.
    pub(super) fn copied(&self, at: usize) -> TokenStream {
        let (name, copy) = (self.parameter_ident(at), self.copy_ident(at));
        match &self.signature.parameters[at].shape {
            SignatureType::Array(Sequence::Slice, _) => quote!(let mut #copy = #name.to_vec();),
            _ => quote!(let mut #copy = ::core::clone::Clone::clone(&*#name);),
        }
    }

    pub(super) fn copy_ident(&self, at: usize) -> syn::Ident {
        format_ident!("__copy_{}", at)
    }
}
