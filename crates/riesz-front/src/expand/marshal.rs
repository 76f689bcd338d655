//! Rust values as the numbers and buffers that generated functions take.

use crate::types::{Integer, Sequence, SignatureType, real};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The arguments of a generated function.
#[derive(Default)]
pub(super) struct Arguments {
    /// The prefix of the names of its variables.
    prefix: String,
    /// Whether it is a tangent, which has no numbers that do not vary.
    is_tangent: bool,
    /// Statements that make what the arguments borrow.
    pub setup: Vec<TokenStream>,
    /// The lengths of arrays, in the order in which the type is written.
    pub lengths: Vec<TokenStream>,
    /// The numbers and buffers.
    pub leaves: Vec<TokenStream>,
}

impl Arguments {
    /// A value of a shape, whose expression is a place. The prefix differs from those of other arguments of the call.
    pub fn of(prefix: &str, shape: &SignatureType, place: &TokenStream) -> Arguments {
        let mut arguments = Arguments { prefix: prefix.to_string(), ..Arguments::default() };
        arguments.add(shape, place);
        arguments
    }

    /// The same for a tangent at a value of the shape.
    pub fn of_tangent(prefix: &str, shape: &SignatureType, place: &TokenStream) -> Arguments {
        let mut arguments = Arguments { prefix: prefix.to_string(), is_tangent: true, ..Arguments::default() };
        arguments.add(shape, place);
        arguments
    }

    fn add(&mut self, shape: &SignatureType, place: &TokenStream) {
        match shape {
            SignatureType::Bool | SignatureType::Int(..) | SignatureType::Enum(..) if self.is_tangent => {}
            SignatureType::Float(_) | SignatureType::Bool => self.leaves.push(quote!(#place)),
            SignatureType::Int(..) => self.leaves.push(number(shape, &quote!(&#place))),
            SignatureType::Enum(..) => {
                let number = number(shape, &quote!(&#place));
                self.leaves.push(number);
            }
            SignatureType::Tuple(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let at = syn::Index::from(at);
                    self.add(part, &quote!(#place.#at));
                }
            }
            SignatureType::Struct(of, _) => {
                for (member, part) in &of.fields {
                    self.add(part, &quote!(#place.#member));
                }
            }
            SignatureType::Option(inner) => {
                if !self.is_tangent {
                    self.leaves.push(quote!(#place.is_some()));
                }
                self.add(inner, &quote!(#place.unwrap_or_default()));
            }
            SignatureType::Array(sequence, element) => match flat_depth(element) {
                Some(depth) => {
                    if !matches!(sequence, Sequence::Fixed(_)) {
                        self.lengths.push(length(place));
                    } else {
                        self.lengths.push(quote!());
                    }
                    (0..depth).for_each(|_| self.lengths.push(quote!()));
                    let flatten = (0..depth).map(|_| quote!(.as_flattened()));
                    self.leaves.push(quote!((&#place[..])#(#flatten)*));
                }
                None => self.gather(sequence, element, place),
            },
        }
    }

    /// Copies the numbers of an array of other things than numbers.
    fn gather(&mut self, sequence: &Sequence, element: &SignatureType, place: &TokenStream) {
        self.lengths.push(match sequence {
            Sequence::Fixed(_) => quote!(),
            _ => length(place),
        });
        let mut leaves = Vec::new();
        let mut lengths = Vec::new();
        let body = self.each(element, &quote!(__element), 0, &mut leaves, &mut lengths);
        for (name, ty) in &leaves {
            self.setup.push(quote!(let mut #name = riesz_runtime::Buffer::<#ty>::collecting();));
        }
        for name in lengths.iter().flatten() {
            self.setup.push(quote!(let mut #name: ::core::option::Option<usize> = ::core::option::Option::None;));
        }
        self.setup.push(quote! {
            for __element in #place.iter() {
                #body
            }
        });
        for name in lengths {
            self.lengths.push(match name {
                Some(name) => quote!((#name.unwrap_or(0) as i64)),
                None => quote!(),
            });
        }
        self.leaves.extend(leaves.iter().map(|(name, _)| quote!(&#name[..])));
    }

    /// The statements that copy the numbers of one element, which is behind a reference.
    fn each(
        &mut self,
        shape: &SignatureType,
        place: &TokenStream,
        depth: usize,
        leaves: &mut Vec<(syn::Ident, TokenStream)>,
        lengths: &mut Vec<Option<syn::Ident>>,
    ) -> TokenStream {
        match shape {
            SignatureType::Bool | SignatureType::Int(..) | SignatureType::Enum(..) if self.is_tangent => quote!(),
            SignatureType::Float(_) | SignatureType::Bool | SignatureType::Int(..) | SignatureType::Enum(..) => {
                let name = format_ident!("{}_leaf_{}_{}", self.prefix, self.setup.len(), leaves.len());
                let (ty, value) = match shape {
                    SignatureType::Float(precision) => (real(*precision), quote!(*#place)),
                    SignatureType::Bool => (quote!(bool), quote!(*#place)),
                    shape => (quote!(i64), number(shape, place)),
                };
                leaves.push((name.clone(), ty.clone()));
                quote!(#name.push(#value);)
            }
            SignatureType::Tuple(parts) => {
                let parts = parts.iter().enumerate().map(|(at, part)| {
                    let at = syn::Index::from(at);
                    (part.clone(), quote!((&#place.#at)))
                });
                let parts: Vec<_> = parts.collect();
                let written: Vec<_> =
                    parts.iter().map(|(part, place)| self.each(part, place, depth, leaves, lengths)).collect();
                quote!(#(#written)*)
            }
            SignatureType::Option(inner) => {
                let there = self.each(&SignatureType::Bool, &quote!(&#place.is_some()), depth, leaves, lengths);
                let value = self.each(inner, &quote!((&#place.unwrap_or_default())), depth, leaves, lengths);
                quote!(#there #value)
            }
            SignatureType::Struct(of, _) => {
                let written: Vec<_> = of
                    .fields
                    .iter()
                    .map(|(member, part)| self.each(part, &quote!((&#place.#member)), depth, leaves, lengths))
                    .collect();
                quote!(#(#written)*)
            }
            SignatureType::Array(sequence, element) => {
                let inner = format_ident!("__element_{}", depth);
                let check = match sequence {
                    Sequence::Fixed(_) => {
                        lengths.push(None);
                        quote!()
                    }
                    _ => {
                        let name = format_ident!("{}_length_{}_{}", self.prefix, self.setup.len(), lengths.len());
                        lengths.push(Some(name.clone()));
                        quote! {
                            assert!(
                                *#name.get_or_insert(#place.len()) == #place.len(),
                                "the rows of an array that is differentiated have one length"
                            );
                        }
                    }
                };
                let body = self.each(element, &quote!(#inner), depth + 1, leaves, lengths);
                quote! {
                    #check
                    for #inner in #place.iter() {
                        #body
                    }
                }
            }
        }
    }
}

/// The length of an array.
fn length(place: &TokenStream) -> TokenStream {
    let long = "an array that a derivative is taken at has less than 2^31 elements";
    quote!(::core::primitive::i64::from(::core::primitive::i32::try_from(#place.len()).expect(#long)))
}

/// An integer of any type, or an enum, behind a reference, as an `i64`.
fn number(shape: &SignatureType, place: &TokenStream) -> TokenStream {
    match shape {
        // The variants of a type that has no name here have the numbers that Rust gives them.
        SignatureType::Enum(_, None) => quote!((::core::clone::Clone::clone(#place) as i64)),
        SignatureType::Enum(of, Some(ty)) => {
            let arms = of.variants.iter().enumerate().map(|(at, variant)| {
                let (variant, at) = (format_ident!("{}", variant), at as i64);
                quote!(<#ty>::#variant => #at)
            });
            quote!(match #place { #(#arms),* })
        }
        SignatureType::Int(Integer { signed: false, bits: 64 }, _) => {
            quote!(::core::primitive::i64::try_from(*#place).expect("integers that a derivative is taken at have 63 bits"))
        }
        _ => quote!((*#place as i64)),
    }
}

/// How many arrays `[T; N]` are around the numbers, if there is nothing else around them.
pub(super) fn flat_depth(shape: &SignatureType) -> Option<usize> {
    match shape {
        SignatureType::Float(_) => Some(0),
        SignatureType::Array(Sequence::Fixed(_), element) => Some(flat_depth(element)? + 1),
        _ => None,
    }
}

/// The type of a value that is given away.
pub(super) fn owned(shape: &SignatureType) -> TokenStream {
    match shape {
        SignatureType::Float(precision) => real(*precision),
        SignatureType::Bool => quote!(bool),
        SignatureType::Int(_, ty) => quote!(#ty),
        SignatureType::Struct(_, ty) | SignatureType::Enum(_, ty) => {
            ty.as_ref().map_or_else(|| quote!(_), |ty| quote!(#ty))
        }
        SignatureType::Option(inner) => {
            let inner = owned(inner);
            quote!(::core::option::Option<#inner>)
        }
        SignatureType::Tuple(parts) => {
            let parts = parts.iter().map(owned);
            quote!((#(#parts,)*))
        }
        SignatureType::Array(Sequence::Fixed(length), element) => {
            let element = owned(element);
            quote!([#element; #length])
        }
        SignatureType::Array(_, element) => {
            let element = owned(element);
            quote!(::std::vec::Vec<#element>)
        }
    }
}

/// The type of a place that a derivative is written to.
pub(super) fn place_type(shape: &SignatureType) -> TokenStream {
    match shape {
        SignatureType::Array(Sequence::Slice | Sequence::Vec, element) => {
            let element = owned(element);
            quote!(&mut [#element])
        }
        shape => {
            let ty = owned(shape);
            quote!(&mut #ty)
        }
    }
}
